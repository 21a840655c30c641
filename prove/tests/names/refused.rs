//! Questions whose names had no meaning: sources that are texts, exchanges, what is too large.

use margay_litmus::explicit;
use margay_litmus::render::render;
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;
use margay_theorem::theorem::Setting;

use super::{mapping_of, question, searched, theorems};

/// Fences without a tag are in no picked set, those with one are in `A`: dropped, they leave store
/// buffering.
#[test]
fn the_picked_sets_of_a_source_are_not_empty() {
    let arch = "architecture \"a language\"\ntag FULL on F\nsets A\nread load\nwrite store\nrmw swap\nfence fence FULL\n";
    let source =
        "picking \"fences order\"\nacyclic (po; [F & A]; po) | (rf & ext) | co | fr as Fences\n";
    let map = "mapping \"m\" from fences.cat to x86\nload => load\nstore => store\nswap => lock_xchg\nfence => nothing\n";
    let mapping = mapping_of(&[("picking.arch", arch), ("fences.cat", source), ("m.map", map)]);
    assert!(theorems(&mapping, &[], 5).is_empty());
    let found = searched(&mapping, &question(6, &[])).counterexamples;
    assert!(
        found.iter().any(|c| c.events == 6),
        "store buffering has two stores, two fences, two loads"
    );
}

/// Of what could not be written out nobody would see an end: `r?; s` has s twice.
#[test]
fn what_is_too_large_is_refused() {
    let read = |text: &str| {
        Model::parse(SourceFile::new("large.cat", text), &OnlyBuiltIn).expect("it is a model").model
    };
    let nested = |times: usize, innermost: &str| {
        (0..times).fold(innermost.to_owned(), |inner, _| format!("po?; ({inner})"))
    };
    let small = read(&format!("PTX \"small\"\nirreflexive {} as Asked\n", nested(5, "rf")));
    assert!(Setting::of_model(&small, &[0]).is_ok());
    for (text, line) in [
        (format!("irreflexive {} as Asked", nested(60, "rf")), 2),
        (format!("irreflexive po & ({})+ as Asked", nested(60, "rf")), 2),
        (format!("irreflexive po & ([domain ({})]; rf) as Asked", nested(60, "rf")), 2),
        (
            format!(
                "irreflexive po as Asked\nlet large = {}\nempty large & po as Of-it",
                nested(60, "rf")
            ),
            3,
        ),
        (
            format!(
                "irreflexive po as Asked\nlet rec large = rf | ({})\nempty large & po as Of-it",
                nested(60, "large; rf")
            ),
            3,
        ),
    ] {
        let model = read(&format!("PTX \"large\"\n{text}\n"));
        let said = |result: Result<(), Vec<margay_models::diagnostic::Diagnostic>>| {
            let errors = result.expect_err("it is too large");
            errors.iter().map(ToString::to_string).collect::<String>()
        };
        let all = [
            said(Setting::of_model(&model, &[0]).map(drop)),
            said(Setting::of_models(&model, &small, &[0]).map(drop)),
            said(Setting::of_models(&small, &model, &[0]).map(drop)),
        ];
        for said in all {
            assert!(
                said.contains("too large for a proof")
                    && said.contains(&format!("large.cat:{line}")),
                "{said}"
            );
        }
    }
    // What is shipped is not.
    for name in margay_models::library::built_in_names() {
        let model = margay_models::library::load(name, &[]).expect("it is shipped").model;
        let _ =
            Setting::of_models(&model, &model, &[]).map(drop).map_err(|e| panic!("{name}: {e:?}"));
    }
}

/// Fig. 11 without scopes, with a target whose atomicity says nothing of some read-modify-writes.
fn with_atomicity(unless: &str) -> Mapping {
    let instead =
        LoadOptions { source: None, target: Some("ptx-6.0".to_owned()), ..LoadOptions::default() };
    let file = library::built_in("rc11-to-ptx-descoped").expect("it is shipped");
    let mut mapping = load_text(&file, None, &instead).expect("it is a mapping").mapping;
    let text = &mapping.target.source.text;
    let axiom = "empty ((morally-strong & fr); (morally-strong & co)) & rmw as Atomicity";
    assert!(text.contains(axiom), "the axiom of PTX");
    let text =
        text.replace(axiom, &format!("empty (((morally-strong & fr); (morally-strong & co)) & rmw) \\ ({unless}) as Atomicity"));
    mapping.target = Model::parse(SourceFile::new("atomicity.cat", text), &OnlyBuiltIn)
        .expect("it is a model")
        .model;
    mapping
}

#[test]
fn read_modify_writes_may_be_exchanges_or_compute() {
    for (unless, printed) in [("XCHG * XCHG", ".exch"), ("RMW * (RMW \\ XCHG)", ".add")] {
        let mapping = with_atomicity(unless);
        assert!(theorems(&mapping, &["Atomicity"], 10).is_empty(), "{unless}");
        let found = searched(&mapping, &question(3, &["Atomicity"])).counterexamples;
        let found =
            found.first().unwrap_or_else(|| panic!("`{unless}` allows a write between the halves"));
        let test =
            render(&found.target, "target", None, &found.target_finals).expect("a test").test;
        let text = test.to_string();
        assert!(text.contains(printed), "{text}");
        let verdict = explicit::run(&test, &mapping.target, &explicit::Options::default())
            .expect("a verdict");
        assert!(verdict.reachable, "{text}");
        let source =
            render(&found.source, "source", None, &found.finals).expect("a test").test.to_string();
        assert_eq!(source.contains("exchange"), printed == ".exch", "{source}");
    }
    assert_eq!(theorems(&with_atomicity("0 * 0"), &["Atomicity"], 100), ["Atomicity"]);
}
