//! What texts mean: precedence, names, sorts, scopes, functions, variants.

use std::collections::BTreeSet;

use margay_models::cat::{self, ast::ExprKind, ast::InstructionKind};
use margay_models::model::{DefinitionOrigin, Node, Sort};
use margay_models::signature::{BaseRelation, BaseSet};
use margay_models::typing::{OnlyBuiltIn, TypingOptions};
use margay_models::{Model, Role, SourceFile};

fn model(text: &str) -> Model {
    match Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn) {
        Ok(loaded) => loaded.model,
        Err(errors) => panic!("{text}\n{errors:?}"),
    }
}

/// Do two expressions read as the same?
#[track_caller]
fn same(a: &str, b: &str) {
    let model = model(&format!("C acyclic {a} acyclic {b}"));
    assert_eq!(model.checks[0].expr, model.checks[1].expr, "{a} is not {b}");
}

#[track_caller]
fn different(a: &str, b: &str) {
    let model = model(&format!("C acyclic {a} acyclic {b}"));
    assert_ne!(model.checks[0].expr, model.checks[1].expr, "{a} is {b}");
}

#[test]
fn precedence_is_herds() {
    same("rf | po ; co & fr", "rf | (po ; (co & fr))");
    same("rf ; co \\ loc", "rf ; (co \\ loc)");
    different("rf ; co \\ loc", "(rf ; co) \\ loc");
    same("rf \\ co \\ loc", "(rf \\ co) \\ loc");
    different("rf \\ co \\ loc", "rf \\ (co \\ loc)");
    same("rf \\ co & loc", "rf \\ (co & loc)");
    same("~po^-1", "~(po^-1)");
    same("~po & rf", "(~po) & rf");
    same("~~po", "~(~po)");
    same("po?+", "(po?)+");
    same("po^-1+", "(po^-1)+");
    same("po+^-1", "(po+)^-1");
    same("W*R & po", "(W*R) & po");
    same("W * ~R", "W * (~R)");
    same("(po | rf)* ; co", "((po | rf)*) ; co");
    same("po*; [W]", "(po*); ([W])");
    same("begin po | rf end; co", "(po | rf); co");
    same("po ^ -1", "po^-1");
    same("po^ -1", "po^-1");
}

#[test]
fn a_star_is_a_product_if_an_operand_follows() {
    let product = model("acyclic W*R");
    assert!(matches!(product.arena.node(product.checks[0].expr), Node::Product(..)));
    let closure = model("acyclic po* as x");
    assert!(matches!(closure.arena.node(closure.checks[0].expr), Node::ReflexiveClosure(_)));
    same("po* | W*W | rf*", "(po*) | (W*W) | (rf*)");
}

#[test]
fn comments_and_headers() {
    let text =
        "PTX \"a (* title *)\" (* one (* two *) // *) // three\n# four\nacyclic po (**) | rf (*)*)";
    let m = model(text);
    assert_eq!(m.title.as_deref(), Some("a (* title *)"));
    assert_eq!(m.checks[0].text, "po | rf");
    assert_eq!(model("\"only a title\" acyclic po").title.as_deref(), Some("only a title"));
    assert_eq!(model("acyclic po").signature, margay_models::Signature::PLAIN);
    assert_eq!(model("C acyclic po").signature, margay_models::Signature::C);
}

#[test]
fn names_may_have_dashes_dots_and_primes() {
    let m = model("let po-loc.x' = po let _y = po-loc.x' acyclic _y as some-name");
    assert_eq!(m.check_named("Some_Name"), Some(0));
    assert_eq!(m.check_named("SOMENAME"), Some(0));
    assert_eq!(m.check_named("other"), None);
}

#[test]
fn zero_and_universe_are_either() {
    same("po | 0", "po | {}");
    different("[0]", "0");
    let m = model(
        "let nothing = 0 let all = ~nothing empty W & nothing empty po & nothing acyclic [all]; all",
    );
    assert_eq!(m.arena.sort(m.checks[0].expr), Sort::Set);
    assert_eq!(m.arena.sort(m.checks[1].expr), Sort::Relation);
    let m = model("let rec r = s and s = W | s empty r empty s");
    assert_eq!(m.arena.sort(m.checks[0].expr), Sort::Set);
}

#[test]
fn all_right_sides_of_a_let_see_the_names_from_before() {
    let m = model("let a = po and b = rf let a = b and b = a acyclic a acyclic b");
    let body = |check: usize| {
        let mut id = m.checks[check].expr;
        while let Node::Definition(d) = m.arena.node(id) {
            id = m.definition(d).body;
        }
        m.arena.node(id)
    };
    assert_eq!(body(0), Node::Relation(BaseRelation::Rf));
    assert_eq!(body(1), Node::Relation(BaseRelation::Po));
}

#[test]
fn functions_keep_the_scope_of_their_definition() {
    let m = model("let a = po let f(x) = x; a let a = rf let g x = f(x) | a acyclic g(co)");
    let text = m.to_string();
    assert!(text.contains("co; a\n") && text.contains("let a-2 = rf"), "{text}");
    assert!(
        m.definitions
            .iter()
            .any(|d| d.name == "g(co)" && d.origin == DefinitionOrigin::Application)
    );
    assert_eq!(model("acyclic (fun x -> x; po)(rf)").to_string().matches("rf; po").count(), 1);
    assert_eq!(
        model("acyclic (fun (x, y) -> [x]; y)(W, rf)").to_string().matches("[W]; rf").count(),
        1
    );
    let m = model("let twice(f, x) = f(f(x)) let step(x) = x; po acyclic twice(step, rf)");
    assert!(m.to_string().contains("rf; po"), "{m}");
    // A parameter hides a name of the same text, also one of the signature.
    let m = model("let f(po) = po; rf acyclic f(co)");
    assert!(m.to_string().contains("co; rf"), "{m}");
}

#[test]
fn the_standard_library_is_there() {
    let m = model(
        "acyclic po-loc | rfe | rfi | coe | coi | fre | fri | rf-loc | co0 | fencerel(MFENCE) | toid(W) | lxsx",
    );
    let names: BTreeSet<&str> = m.definitions.iter().map(|d| d.name.as_str()).collect();
    assert!(names.contains("rfe") && names.contains("fencerel(MFENCE)"), "{names:?}");
    // A model's own definition comes first.
    let own = model("let rfe = po empty rfe");
    let body = own.definition(own.definition_named("rfe").expect("defined")).body;
    assert_eq!(own.arena.node(body), Node::Relation(BaseRelation::Po));
}

#[test]
fn files_of_herds_library_can_be_included() {
    let m = model(
        "X86 include \"x86fences.cat\" include \"filters.cat\" include \"cos.cat\" acyclic mfence | WR(po) | noid(rf) | co",
    );
    assert!(m.definitions.iter().any(|d| d.name == "WR(po)"));
}

#[test]
fn checks_and_roles() {
    let m = model(
        "C acyclic po as a flag ~empty rf as b undefined_unless irreflexive co as c assert empty W & R ~acyclic po as e flag empty 0",
    );
    let seen: Vec<(Role, bool, String)> =
        m.checks.iter().map(|c| (c.role, c.negated, c.display_name())).collect();
    let expected = [
        (Role::Axiom, false, "a"),
        (Role::Flag, true, "b"),
        (Role::UndefinedUnless, false, "c"),
        (Role::Assert, false, "empty W & R"),
        (Role::Axiom, true, "e"),
        (Role::Flag, false, "empty 0"),
    ];
    assert_eq!(seen, expected.map(|(r, n, s)| (r, n, s.to_owned())));
    assert_eq!(m.axioms().map(|(i, _)| i).collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    let read = |text: &str| Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn);
    assert_eq!(read("\u{feff}SC\nacyclic po | rf as a").expect("well-typed").model.checks.len(), 1);
    assert!(read("SC\nacyclic \u{feff}po").is_err());
}

#[test]
fn variants_choose() {
    let text = "if \"scoped\" && ~\"weak\" acyclic po as yes let a = rf else acyclic rf as no let a = po end
        acyclic if \"weak\" then a else po | a as x if \"a\" || \"b\" acyclic po as never end";
    let read = |variants: &[&str]| {
        let options = TypingOptions {
            variants: variants.iter().map(|v| (*v).to_owned()).collect(),
            ..TypingOptions::default()
        };
        Model::parse_with(SourceFile::new("m.cat", text), &OnlyBuiltIn, &options)
            .expect("well-typed")
            .model
    };
    let names =
        |m: &Model| m.checks.iter().map(margay_models::Check::display_name).collect::<Vec<_>>();
    assert_eq!(names(&read(&[])), ["no", "x"]);
    assert_eq!(names(&read(&["scoped"])), ["yes", "x"]);
    assert_eq!(names(&read(&["scoped", "weak"])), ["no", "x"]);
    assert_eq!(read(&["weak"]).checks[1].text, read(&[]).checks[1].text);
    assert_ne!(read(&["weak"]).checks[1].expr, read(&["scoped"]).checks[1].expr);
}

#[test]
fn try_takes_the_second_if_the_first_has_no_meaning() {
    same("try nothing-of-the-kind with po", "po");
    same("try rf with po", "rf");
    same("try (W | rf) with po", "po");
}

#[test]
fn procedures_are_inlined() {
    let m = model(
        "procedure sc(com) = let all = po | com acyclic all as sc end call sc(rf) call sc(co | fr)",
    );
    assert_eq!(m.checks.len(), 2);
    assert_ne!(m.checks[0].expr, m.checks[1].expr);
    assert_eq!(m.checks[0].name.as_deref(), Some("sc"));
}

#[test]
fn show_is_ignored_even_where_it_names_what_only_herd_has() {
    let parsed = cat::parse(&SourceFile::new(
        "m.cat",
        "show iico_data as d, po unshow po, co showas rf as x acyclic po",
    ));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.file.instructions.len(), 4);
    let InstructionKind::Show(shown) = &parsed.file.instructions[0].kind else { panic!("show") };
    assert!(matches!(&shown[0].0.kind, ExprKind::Name(n) if n == "iico_data"));
    assert_eq!(model("show iico_data acyclic po").checks.len(), 1);
}

#[test]
fn nested_recursion_is_one_fixpoint() {
    let m = model("let rec a = po | (let rec b = a; rf | b; co in b) acyclic a");
    assert_eq!(m.groups.len(), 1);
    assert_eq!(m.groups[0].len(), 2);
    let apart = model("let rec a = (let rec b = rf | b; co in b); a | po acyclic a");
    assert_eq!(apart.groups.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn models_know_what_they_mention() {
    let m = model("C let a = sr & rf let unused = ctrl acyclic a | [CTA]; po");
    assert!(m.mentions_relation(BaseRelation::Sr) && m.mentions_set(BaseSet::Cta) && m.is_scoped());
    assert!(!m.mentions_relation(BaseRelation::Ctrl) && !m.mentions_set(BaseSet::W));
    assert!(!model("C acyclic po | rf").is_scoped());
}
