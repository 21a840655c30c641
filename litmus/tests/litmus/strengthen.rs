//! The cheapest strengthenings: those of the 2015 paper, those of exhaustive search, and costs that are wrong.

use std::path::Path;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::identity::Form;
use margay_litmus::read;
use margay_litmus::strengthen::{Costs, Found, Limits, Means, Places, SearchSpace, Terms, cheapest};
use margay_litmus::test::*;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

fn model(name: &str) -> Model {
    margay_cadical::register();
    library::load(name, &[]).unwrap_or_else(|e| panic!("{}", e[0])).model
}

fn parse(text: &str) -> Test {
    match read::test(&SourceFile::new("test", text)) {
        Ok(read) => read.test,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

fn repair(test: &Test, model: &Model, means: Means) -> Found {
    let costs = Costs::default();
    let terms = Terms { means, ..Terms::all(&costs) };
    let found = cheapest(test, model, &terms, &Options::default(), Choice::Auto, Limits::default());
    found.unwrap_or_else(|e| panic!("{}\n{test}", e.error))
}

fn form(test: &Test) -> Form {
    Form::of(test).unwrap_or_else(|e| panic!("{e}"))
}

/// The lines (+) of Fig. 7, 8, 9 and 11 of the 2015 paper, and the fences of section 3.2.2: without them the outcome is allowed, and by
/// PTX 6.0 they are among the cheapest ways to forbid it. By the paper's own model one of the two fences is enough where the other
/// one stands between accesses that depend on each other (its `dp` has control dependencies to reads). Of Fig. 11 the
/// exchange, also (+), is there before: an added fence puts none in place of a store.
#[test]
fn the_fences_of_the_paper_of_2015() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/asplos2015");
    let mut rows: Vec<(&str, &str, u32, usize, bool)> = Vec::new();
    for name in ["dlb-mp", "dlb-lb", "cas-sl", "exch-sl", "sl-future"] {
        let path = corpus.join(format!("{name}+fences.litmus"));
        let fenced = read::load(&path).unwrap_or_else(|e| panic!("{}", e[0])).test;
        let mut bare = fenced.clone();
        for thread in &mut bare.threads {
            if let Body::Instructions(body) = &mut thread.body {
                body.retain(|i| !matches!(i.operation, Operation::Membar(_)));
            }
        }
        for model_name in ["ptx-2015", "ptx-6.0"] {
            let found = repair(&bare, &model(model_name), Means::ALL);
            assert!(!found.already(), "{name} under {model_name}");
            let forms: Vec<Form> = found.repairs.iter().map(|r| form(&r.test)).collect();
            rows.push((name, model_name, found.cost, found.repairs.len(), forms.contains(&form(&fenced))));
        }
    }
    // Test, model, cost (60 is one fence of gpu scope), how many cheapest ways, are the lines (+) one of them?
    let expected = [
        ("dlb-mp", "ptx-2015", 60, 2, false),
        ("dlb-mp", "ptx-6.0", 120, 2, true),
        ("dlb-lb", "ptx-2015", 120, 1, true),
        ("dlb-lb", "ptx-6.0", 120, 1, true),
        ("cas-sl", "ptx-2015", 60, 1, false),
        ("cas-sl", "ptx-6.0", 120, 1, true),
        ("exch-sl", "ptx-2015", 60, 1, false),
        ("exch-sl", "ptx-6.0", 120, 1, true),
        ("sl-future", "ptx-2015", 60, 1, false),
        ("sl-future", "ptx-6.0", 120, 1, true),
    ];
    assert_eq!(rows, expected);
}

/// Every choice, one after the other: no cheaper one is what is aimed at, and as many as cheap that say different things.
fn exhaustively(test: &Test, model: &Model, means: Means) -> Option<(u32, usize)> {
    let costs = Costs::default();
    let terms = Terms { means, ..Terms::all(&costs) };
    let space = SearchSpace::new(test, model, &terms, Places::Between);
    let mut runner = Runner::new(model);
    let mut best: Option<(u32, Vec<Test>)> = None;
    let total: usize = space.options().iter().map(|o| o.len() + 1).product();
    for number in 0..total {
        let (mut rest, mut choice, mut cost) = (number, Vec::new(), 0);
        for (site, options) in space.sites().iter().zip(space.options()) {
            let chosen = (rest % (options.len() + 1)).checked_sub(1).map(|o| options[o]);
            rest /= options.len() + 1;
            cost += chosen.map_or(0, |s| costs.extra(site, s, space.is_scoped()));
            choice.push(chosen);
        }
        if best.as_ref().is_some_and(|(least, _)| cost > *least) {
            continue;
        }
        let stronger = space.strengthened(test, &choice);
        let verdict = runner.run(&stronger, &Options::default(), Choice::Only(Engine::Explicit));
        let verdict = verdict.unwrap_or_else(|e| panic!("{e}"));
        if !verdict.reachable && verdict.racy != Some(true) {
            match &mut best {
                Some((least, same)) if *least == cost => {
                    if !same.contains(&stronger) {
                        same.push(stronger);
                    }
                }
                _ => best = Some((cost, vec![stronger])),
            }
        }
    }
    best.map(|(cost, same)| (cost, same.len()))
}

#[test]
fn as_cheap_as_exhaustive_search() {
    let ptx = "{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";
    let cases = [
        (
            "ptx-6.0",
            format!("PTX mp\n{ptx} st.weak x, 1 | ld.weak r0, y ;\n st.relaxed.cta y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"),
        ),
        (
            "ptx-6.0",
            format!("PTX sb\n{ptx} st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | ld.relaxed.gpu r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)"),
        ),
        (
            "ptx-8",
            format!("PTX lb\n{ptx} ld.weak r0, x | ld.weak r0, y ;\n fence.acquire.cta | ;\n st.weak y, 1 | st.weak x, 1 ;\nexists (P0:r0 == 1 /\\ P1:r0 == 1)"),
        ),
        // With fences of one side.
        (
            "ptx-8",
            format!("PTX mp\n{ptx} st.weak x, 1 | ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"),
        ),
        (
            "tso",
            "GENERIC sb\n{ x=0; y=0; }\n P0 | P1 ;\n st x, 1 | st y, 1 ;\n ld r0, y | ld r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)".to_owned(),
        ),
        (
            "rc11-scoped",
            "C mp\n{ x=0; y=0; }\nP0@wg 0,dev 0 (atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_relaxed, \
             memory_scope_device); atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device); }\nP1@wg 1,dev 0 \
             (atomic_int* x, atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_work_group);\n int r1 = \
             atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }\nexists (1:r0=1 /\\ 1:r1=0)"
                .to_owned(),
        ),
        // Architectures that are texts: their own fences, stronger accesses, scopes.
        ("power", table("power", &["st x, 1 | ld r0, y", "st y, 1 | ld r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0")),
        ("power", table("power", &["st x, 1 | st y, 1", "ld r0, y | ld r0, x"], "P0:r0 == 0 /\\ P1:r0 == 0")),
        ("power", table("power", &["st x, 1 | ld r0, y", "sync | bne r0, 1, END", "st y, 1 | ld r1, x", " | END:"], "P1:r0 == 1 /\\ P1:r1 == 0")),
        ("aarch64", table("aarch64", &["str x, 1 | ldr r0, y", "dmb.ishst | ", "str y, 1 | ldr r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0")),
        (
            "vulkan",
            "vulkan mp\n{ x=0; y=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n store.dev x, 1 | atomic_load.dev r0, y ;\n \
             atomic_store.release.wg y, 1 | load.dev r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"
                .to_owned(),
        ),
    ];
    for (name, text) in cases {
        let (test, model) = (parse(&text), model(name));
        // With fences and orders of all accesses there are too many choices to go through in C.
        let means = if name == "rc11-scoped" { Means { fences: false, ..Means::ALL } } else { Means::ALL };
        let found = repair(&test, &model, means);
        let expected = exhaustively(&test, &model, means);
        // Where a fence behind a branch is enough, one before it is no answer of its own.
        let branches = text.contains("bne");
        let answer = (!found.repairs.is_empty()).then_some((found.cost, if branches { 3 } else { found.repairs.len() }));
        assert_eq!(answer, expected, "{text}");
        for repair in &found.repairs {
            let verdict =
                Runner::new(&model).run(&repair.test, &Options::default(), Choice::Both).unwrap_or_else(|e| panic!("{e}"));
            assert!(!verdict.reachable, "{}", repair.test);
        }
        assert!(found.asked < 400, "{} programs asked about", found.asked);
    }
}

/// Two threads of an architecture that is a text.
fn table(word: &str, lines: &[&str], outcome: &str) -> String {
    format!("{word} t\n{{ x=0; y=0; }}\n P0 | P1 ;\n {} ;\nexists ({outcome})\n", lines.join(" ;\n "))
}

/// What each way changes, in the instructions of the machine.
#[test]
fn machines_are_mended_by_their_own_fences() {
    let lines = |found: &Found| {
        let threads = |test: &Test| (0..2).map(|t| test.thread_lines(ThreadId(t)).join(", ")).collect::<Vec<_>>().join(" | ");
        found.repairs.iter().map(|r| threads(&r.test)).collect::<Vec<_>>()
    };
    let mp = table("power", &["st x, 1 | ld r0, y", "st y, 1 | ld r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0");
    let found = repair(&parse(&mp), &model("power"), Means::ALL);
    assert_eq!(lines(&found), ["st x, 1, lwsync, st y, 1 | ld r0, y, lwsync, ld r1, x"]);
    // A branch is there already: behind it `isync` is enough, too.
    let branch = ["st x, 1 | ld r0, y", "lwsync | bne r0, 1, END", "st y, 1 | ld r1, x", " | END:"];
    let found = repair(&parse(&table("power", &branch, "P1:r0 == 1 /\\ P1:r1 == 0")), &model("power"), Means::ALL);
    let with = |fence: &str| format!("st x, 1, lwsync, st y, 1 | ld r0, y, bne r0, 1, END, {fence}, ld r1, x, END:");
    assert_eq!(lines(&found), [with("lwsync"), with("isync")], "the text does not say which of the two is weaker");
    // Accesses that are stronger are cheaper than fences.
    let mp = table("aarch64", &["str x, 1 | ldr r0, y", "str y, 1 | ldr r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0");
    let found = repair(&parse(&mp), &model("aarch64"), Means::ALL);
    assert!(lines(&found).contains(&"str x, 1, stlr y, 1 | ldapr r0, y, ldr r1, x".to_owned()), "{:?}", lines(&found));
    let fences = repair(&parse(&mp), &model("aarch64"), Means { orders: false, ..Means::ALL });
    assert_eq!(lines(&fences), ["str x, 1, dmb.ishst, str y, 1 | ldr r0, y, dmb.ishld, ldr r1, x"]);
    // Costs are named by mnemonics.
    let costs = |text: &str| Costs::parse(&SourceFile::new("costs", text), parse(&mp).dialect);
    let dear = costs("\"ldapr\" = 90\n\"ldar\" = 90\n\"stlr\" = 90\n").unwrap_or_else(|e| panic!("{}", e[0]));
    let found =
        cheapest(&parse(&mp), &model("aarch64"), &Terms::all(&dear), &Options::default(), Choice::Auto, Limits::default());
    assert_eq!(lines(&found.unwrap_or_else(|e| panic!("{}", e.error))), lines(&fences));
    let wrong = |text: &str| costs(text).map(|_| ()).map_err(|e| e[0].to_string()).err().unwrap_or_default();
    assert!(wrong("\"fence.sc\" = 4").contains("there is no operation `fence.sc`"));
    assert!(wrong("\"ldar\" = 1\n\"ldapr\" = 9").contains("less than `ldapr`"), "{}", wrong("\"ldar\" = 1\n\"ldapr\" = 9"));
}

/// Fences none of which is at least as strong as all others: each is tried.
#[test]
fn fences_without_a_strongest_one() {
    let text = "architecture \"two fences\"\nread get\nwrite put\ntag WW on F\ntag RR on F\nfence ww WW\nfence rr RR\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("twofences.arch"), text).unwrap_or_else(|e| panic!("{e}"));
    let text = "twofences \"two fences\"\nacyclic (po & loc) | rf | co | fr\n\
                acyclic [W]; po; [WW]; po; [W] | [R]; po; [RR]; po; [R] | (rf | co | fr) & ext";
    std::fs::write(folder.join("twofences.cat"), text).unwrap_or_else(|e| panic!("{e}"));
    let model = model(&folder.join("twofences.cat").display().to_string());
    let mp = table("twofences", &["put x, 1 | get r0, y", "put y, 1 | get r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0");
    let found = repair(&parse(&mp), &model, Means::ALL);
    assert_eq!(found.repairs.len(), 1);
    assert_eq!(found.repairs[0].test.thread_lines(ThreadId(0)), ["put x, 1", "ww", "put y, 1"]);
    assert_eq!(found.repairs[0].test.thread_lines(ThreadId(1)), ["get r0, y", "rr", "get r1, x"]);
    let sb = table("twofences", &["put x, 1 | put y, 1", "get r0, y | get r0, x"], "P0:r0 == 0 /\\ P1:r0 == 0");
    let found = repair(&parse(&sb), &model, Means::ALL);
    assert!(!found.already() && found.repairs.is_empty());
}

#[test]
fn what_no_strengthening_forbids_and_what_needs_none() {
    let never = "GENERIC t\n{ x=0; }\n P0 | P1 ;\n st x, 1 | ld r0, x ;\nexists (P1:r0 == 1)";
    let found = repair(&parse(never), &model("tso"), Means::ALL);
    assert!(!found.already() && found.repairs.is_empty());
    let already = never.replace("r0 == 1", "r0 == 2");
    assert!(repair(&parse(&already), &model("tso"), Means::ALL).already());
}

/// The table of `margay repair`: machine instructions of sm_90. A release there costs three more than a store.
#[test]
fn measured_costs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mappings/costs/sm_90.toml");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{e}"));
    let costs = Costs::parse(&SourceFile::new("sm_90.toml", text), Dialect::Ptx).unwrap_or_else(|e| panic!("{}", e[0]));
    let test = parse(
        "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 1 | \
         ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)",
    );
    let (model, engine) = (model("ptx-6.0"), Choice::Auto);
    let found = cheapest(&test, &model, &Terms::all(&costs), &Options::default(), engine, Limits::default());
    let found = found.unwrap_or_else(|e| panic!("{}", e.error));
    assert_eq!((found.cost, found.repairs.len()), (4, 1));
}

#[test]
fn wrong_costs_are_diagnosed() {
    let parse =
        |text: &str| Costs::parse(&SourceFile::new("costs", text), Dialect::Ptx).map(|_| ()).map_err(|e| e[0].to_string());
    assert_eq!(parse("# nothing\n\"fence.sc.gpu\" = 500 # dear\n\"fence.sc.sys\" = 600\n"), Ok(()));
    for (text, part) in [
        ("\"ld.aquire.gpu\" = 3", "there is no operation `ld.aquire.gpu`"),
        ("\"ld.release.gpu\" = 3", "there is no operation"),
        ("\"st.release.gpu\"", "not a table"),
        ("\"st.release.gpu\" = -1", "not a table"),
        ("\"st.release.gpu\" = 5000000", "too much"),
        ("\"fence.sc.gpu\" = 1", "less than"),
        ("\"fence.acq_rel.cta\" = 999", "less than"),
        ("\"fence.acq_rel\" = 999", "less than"),
    ] {
        let error = parse(text).err().unwrap_or_default();
        assert!(error.contains(part), "{text}: {error}");
    }
}
