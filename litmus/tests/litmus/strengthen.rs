//! The cheapest strengthenings: those of the 2015 paper, those of exhaustive search, and costs that
//! are wrong.

use std::path::Path;

use crate::shipped::model;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::identity::IdentityForm;
use margay_litmus::print::SourceText;
use margay_litmus::read;
use margay_litmus::strengthen::{
    Costs, Limits, Means, RepairsFound, SearchSpace, SiteKind, StrengtheningPlaces, Terms, cheapest,
};
use margay_litmus::test::*;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::execution::Order;

fn parse(text: &str) -> Test {
    match read::test(&SourceFile::new("test", text)) {
        Ok(read) => read.test,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

fn repair(test: &Test, model: &Model, means: Means) -> RepairsFound {
    let costs = Costs::default();
    let terms = Terms { means, ..Terms::all(&costs) };
    let found = cheapest(test, model, &terms, &Options::default(), Choice::Auto, Limits::default());
    found.unwrap_or_else(|e| panic!("{}\n{test}", e.error))
}

fn form(test: &Test) -> IdentityForm {
    IdentityForm::of(test).unwrap_or_else(|e| panic!("{e}"))
}

/// The lines (+) of Fig. 7, 8, 9 and 11 of the 2015 paper, and the fences of section 3.2.2: without
/// them the outcome is allowed, and by PTX 6.0 they are among the cheapest ways to forbid it. By
/// the paper's own model one of the two fences is enough where the other one stands between
/// accesses that depend on each other (its `dp` has control dependencies to reads). Of Fig. 11 the
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
            let forms: Vec<IdentityForm> = found.repairs.iter().map(|r| form(&r.test)).collect();
            rows.push((
                name,
                model_name,
                found.cost,
                found.repairs.len(),
                forms.contains(&form(&fenced)),
            ));
        }
    }
    // Test, model, cost (60 is one fence of gpu scope), how many cheapest ways, are the lines (+)
    // one of them?
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

/// Every choice, one after the other: no cheaper one is what is aimed at, and as many as cheap that
/// say different things.
fn exhaustively(test: &Test, model: &Model, means: Means) -> Option<(u32, usize)> {
    let costs = Costs::default();
    let terms = Terms { means, ..Terms::all(&costs) };
    let space = SearchSpace::new(test, model, &terms, StrengtheningPlaces::Between);
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
        let means =
            if name == "rc11-scoped" { Means { fences: false, ..Means::ALL } } else { Means::ALL };
        let found = repair(&test, &model, means);
        let expected = exhaustively(&test, &model, means);
        // Where a fence behind a branch is enough, one before it is no answer of its own.
        let branches = text.contains("bne");
        let answer = (!found.repairs.is_empty())
            .then_some((found.cost, if branches { 3 } else { found.repairs.len() }));
        assert_eq!(answer, expected, "{text}");
        for repair in &found.repairs {
            let verdict = Runner::new(&model)
                .run(&repair.test, &Options::default(), Choice::Both)
                .unwrap_or_else(|e| panic!("{e}"));
            assert!(!verdict.reachable, "{}", repair.test);
        }
        assert!(found.asked < 400, "{} programs asked about", found.asked);
    }
}

/// Two threads of an architecture that is a text.
fn table(word: &str, lines: &[&str], outcome: &str) -> String {
    format!(
        "{word} t\n{{ x=0; y=0; }}\n P0 | P1 ;\n {} ;\nexists ({outcome})\n",
        lines.join(" ;\n ")
    )
}

/// What each way changes, in the instructions of the machine.
#[test]
fn machines_are_mended_by_their_own_fences() {
    let lines = |found: &RepairsFound| {
        let threads = |test: &Test| {
            (0..2)
                .map(|t| test.thread_lines(ThreadId(t)).join(", "))
                .collect::<Vec<_>>()
                .join(" | ")
        };
        found.repairs.iter().map(|r| threads(&r.test)).collect::<Vec<_>>()
    };
    let mp =
        table("power", &["st x, 1 | ld r0, y", "st y, 1 | ld r1, x"], "P1:r0 == 1 /\\ P1:r1 == 0");
    let found = repair(&parse(&mp), &model("power"), Means::ALL);
    assert_eq!(lines(&found), ["st x, 1, lwsync, st y, 1 | ld r0, y, lwsync, ld r1, x"]);
    // A branch is there already: behind it `isync` is enough, too.
    let branch = ["st x, 1 | ld r0, y", "lwsync | bne r0, 1, END", "st y, 1 | ld r1, x", " | END:"];
    let found = repair(
        &parse(&table("power", &branch, "P1:r0 == 1 /\\ P1:r1 == 0")),
        &model("power"),
        Means::ALL,
    );
    let with = |fence: &str| {
        format!("st x, 1, lwsync, st y, 1 | ld r0, y, bne r0, 1, END, {fence}, ld r1, x, END:")
    };
    assert_eq!(
        lines(&found),
        [with("lwsync"), with("isync")],
        "the text does not say which of the two is weaker"
    );
    // Accesses that are stronger are cheaper than fences.
    let mp = table(
        "aarch64",
        &["str x, 1 | ldr r0, y", "str y, 1 | ldr r1, x"],
        "P1:r0 == 1 /\\ P1:r1 == 0",
    );
    let found = repair(&parse(&mp), &model("aarch64"), Means::ALL);
    assert!(
        lines(&found).contains(&"str x, 1, stlr y, 1 | ldapr r0, y, ldr r1, x".to_owned()),
        "{:?}",
        lines(&found)
    );
    let fences = repair(&parse(&mp), &model("aarch64"), Means { orders: false, ..Means::ALL });
    assert_eq!(lines(&fences), ["str x, 1, dmb.ishst, str y, 1 | ldr r0, y, dmb.ishld, ldr r1, x"]);
    // Costs are named by mnemonics.
    let costs = |text: &str| Costs::parse(&SourceFile::new("costs", text), parse(&mp).dialect);
    let dear = costs("\"ldapr\" = 90\n\"ldar\" = 90\n\"stlr\" = 90\n")
        .unwrap_or_else(|e| panic!("{}", e[0]));
    let found = cheapest(
        &parse(&mp),
        &model("aarch64"),
        &Terms::all(&dear),
        &Options::default(),
        Choice::Auto,
        Limits::default(),
    );
    assert_eq!(lines(&found.unwrap_or_else(|e| panic!("{}", e.error))), lines(&fences));
    let wrong = |text: &str| {
        costs(text).map(|_| ()).map_err(|e| e[0].to_string()).err().unwrap_or_default()
    };
    assert!(wrong("\"fence.sc\" = 4").contains("there is no operation `fence.sc`"));
    assert!(
        wrong("\"ldar\" = 1\n\"ldapr\" = 9").contains("less than `ldapr`"),
        "{}",
        wrong("\"ldar\" = 1\n\"ldapr\" = 9")
    );
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
    let mp = table(
        "twofences",
        &["put x, 1 | get r0, y", "put y, 1 | get r1, x"],
        "P1:r0 == 1 /\\ P1:r1 == 0",
    );
    let found = repair(&parse(&mp), &model, Means::ALL);
    assert_eq!(found.repairs.len(), 1);
    assert_eq!(found.repairs[0].test.thread_lines(ThreadId(0)), ["put x, 1", "ww", "put y, 1"]);
    assert_eq!(found.repairs[0].test.thread_lines(ThreadId(1)), ["get r0, y", "rr", "get r1, x"]);
    let sb = table(
        "twofences",
        &["put x, 1 | put y, 1", "get r0, y | get r0, x"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
    );
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

/// The table of `margay repair`: machine instructions of sm_90. A release there costs three more
/// than a store.
#[test]
fn measured_costs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mappings/costs/sm_90.toml");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{e}"));
    let costs = Costs::parse(&SourceFile::new("sm_90.toml", text), Dialect::Ptx)
        .unwrap_or_else(|e| panic!("{}", e[0]));
    let test = parse(
        "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 1 | \
         ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)",
    );
    let (model, engine) = (model("ptx-6.0"), Choice::Auto);
    let found = cheapest(
        &test,
        &model,
        &Terms::all(&costs),
        &Options::default(),
        engine,
        Limits::default(),
    );
    let found = found.unwrap_or_else(|e| panic!("{}", e.error));
    assert_eq!((found.cost, found.repairs.len()), (4, 1));
}

#[test]
fn wrong_costs_are_diagnosed() {
    let parse = |text: &str| {
        Costs::parse(&SourceFile::new("costs", text), Dialect::Ptx)
            .map(|_| ())
            .map_err(|e| e[0].to_string())
    };
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

/// The lines of each thread of each way.
fn ways(found: &RepairsFound, spelling: &SourceText<'_>) -> Vec<Vec<Vec<String>>> {
    let threads = |test: &Test| {
        (0..test.threads.len()).map(|t| spelling.thread_lines(test, ThreadId(t as u16))).collect()
    };
    found.repairs.iter().map(|r| threads(&r.test)).collect()
}

/// What a search in the language of a text finds.
fn asked(text: &str, model: &Model, means: Means) -> (RepairsFound, Vec<Vec<Vec<String>>>) {
    let test = parse(text);
    let spelling = SourceText::new(&test, text);
    let costs = Costs::default();
    let terms = Terms { means, language: spelling.language(), ..Terms::all(&costs) };
    let found =
        cheapest(&test, model, &terms, &Options::default(), Choice::Auto, Limits::default());
    let found = found.unwrap_or_else(|e| panic!("{}\n{test}", e.error));
    let ways = ways(&found, &spelling);
    for repair in &found.repairs {
        // What is written reads back as what was asked about.
        assert_eq!(
            parse(&spelling.test(&repair.test)),
            repair.test,
            "{}",
            spelling.test(&repair.test)
        );
    }
    (found, ways)
}

/// A volatile flag between two barriers: the accesses can be stronger, and where only fences may be
/// added, they go beside the barriers: in front of one, behind the loop that waits.
#[test]
fn beside_barriers_and_loops() {
    let mailbox = "PTX mailbox\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 1,gpu 0 ;\n \
                   bar.cta.sync 0 | st.weak x, 42 | L: | bar.cta.sync 0 ;\n \
                   st.volatile y, 1 | bar.cta.sync 0 | ld.relaxed.gpu r0, y | ld.weak r1, x ;\n \
                   | | beq r0, 0, L | ;\n | | bar.cta.sync 0 | ;\nexists (P3:r1 == 0)";
    let ptx = model("ptx-8");
    let (found, ways) = asked(mailbox, &ptx, Means::ALL);
    assert!(!found.bounded && found.is_repairable());
    assert_eq!(
        ways,
        [[
            vec!["bar.cta.sync 0", "st.release.sys y, 1"],
            vec!["st.weak x, 42", "bar.cta.sync 0"],
            vec!["L:", "ld.acquire.gpu r0, y", "beq r0, 0, L", "bar.cta.sync 0"],
            vec!["bar.cta.sync 0", "ld.weak r1, x"],
        ]]
    );
    let (found, ways) = asked(mailbox, &ptx, Means { fences: true, orders: false, scopes: false });
    assert!(!found.bounded, "behind the loop, where `run` needs no bound");
    assert_eq!(ways.len(), 1, "{ways:?}");
    assert_eq!(ways[0][0], ["bar.cta.sync 0", "fence.release.gpu", "st.volatile y, 1"]);
    assert_eq!(
        ways[0][2],
        ["L:", "ld.relaxed.gpu r0, y", "beq r0, 0, L", "fence.acquire.gpu", "bar.cta.sync 0"]
    );
    // What the answer of a spin on two additions rests on: it is forbidden for any number of turns.
    let spin = "PTX spin\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | atom.relaxed.gpu.add r2, y, 1 ;\n \
                atom.relaxed.gpu.add r0, y, 1 | L: ;\n | ld.relaxed.gpu r0, y ;\n | bne r0, 2, L ;\n | fence.acq_rel.gpu ;\n \
                | ld.weak r1, x ;\nexists (P1:r1 == 0)";
    let (found, _) = asked(spin, &ptx, Means::ALL);
    assert_eq!((found.cost, found.repairs.len(), found.bounded), (6, 1, false));
}

/// A barrier's own order, fences of proxies on the right side of a fence, and branches of which one
/// side alone needs a fence.
#[test]
fn arrivals_proxies_and_branches() {
    let ptx = model("ptx-8");
    let cluster = "PTX cluster\n{ x=0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\n st.weak x, 1 | \
                   barrier.cluster.arrive.relaxed ;\n barrier.cluster.arrive.relaxed | barrier.cluster.wait ;\n \
                   barrier.cluster.wait | ld.weak r0, x ;\nexists (P1:r0 == 0)";
    let (found, ways) = asked(cluster, &ptx, Means::ALL);
    assert_eq!(found.cost, 4);
    assert!(ways.iter().any(|way| way[0][1] == "barrier.cluster.arrive"), "{ways:?}");
    let proxy = "PTX proxy\n{ a=0; f=0; b @ constant aliases a; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak a, 1 | \
                 ld.relaxed.gpu r0, f ;\n st.release.gpu f, 1 | ldc r1, b ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)";
    let (_, ways) = asked(proxy, &ptx, Means { orders: false, scopes: false, fences: true });
    assert_eq!(
        ways.iter().map(|w| &w[1]).collect::<Vec<_>>(),
        [&["ld.relaxed.gpu r0, f", "fence.acquire.gpu", "fence.proxy.constant", "cld r1, b"]]
    );
    // A surface is left before the fence that is there releases it.
    let surface = "PTX surface\n{ a=0; f=0; s @ surface aliases a; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n sust s, 1 | \
                   ld.acquire.gpu r0, f ;\n fence.release.gpu | ld.weak r1, a ;\n st.relaxed.gpu f, 1 | ;\n\
                   exists (P1:r0 == 1 /\\ P1:r1 == 0)";
    let (_, ways) = asked(surface, &ptx, Means::ALL);
    assert_eq!(
        ways.iter().map(|w| &w[0]).collect::<Vec<_>>(),
        [&["sust s, 1", "fence.proxy.surface", "fence.release.gpu", "st.relaxed.gpu f, 1"]]
    );
    let branch = "PTX branch\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.volatile r0, y ;\n \
                  fence.release.gpu | beq r0, 0, L ;\n st.volatile y, 1 | ld.weak r1, x ;\n | L: ;\n\
                  exists (P1:r0 == 1 /\\ P1:r1 == 0)";
    let (found, ways) = asked(branch, &ptx, Means { orders: false, scopes: false, fences: true });
    assert_eq!(found.cost, 24);
    assert_eq!(
        ways.iter().map(|w| &w[1]).collect::<Vec<_>>(),
        [&["ld.volatile r0, y", "beq r0, 0, L", "fence.acquire.gpu", "ld.weak r1, x", "L:"]]
    );
}

/// Beside a fence that may not itself become stronger there is room for another one; what no change
/// of these kinds forbids is said with what was tried.
#[test]
fn what_was_tried_is_said() {
    let ptx = model("ptx-8");
    let fenced = "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, y ;\n \
                  fence.release.cta | ld.weak r1, x ;\n st.relaxed.gpu y, 1 | ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)";
    let (found, ways) = asked(fenced, &ptx, Means { fences: true, orders: false, scopes: false });
    assert_eq!((found.cost, ways[0][0].len()), (24, 4), "{ways:?}");
    let never = "PTX t\n{ x=0; s @ surface aliases x; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.mmio.relaxed.sys x, 1 | suld r0, s ;\n \
                 bar.cta.sync 0 | ;\nexists (P1:r0 == 1)";
    let (found, _) = asked(never, &ptx, Means::ALL);
    assert!(!found.already() && found.repairs.is_empty());
    let (tried, left_out) = (found.tried.changes.join("; "), found.tried.left_out.join("; "));
    assert!(tried.contains("`fence.sc` of the scopes `cta` and `gpu` at each of"), "{tried}");
    assert!(
        tried.contains("its beginning and its end included")
            && tried.contains("`fence.proxy.surface`"),
        "{tried}"
    );
    for part in [
        "1 access that is `.mmio`",
        "1 access through other proxies",
        "more barriers",
        "dependencies",
    ] {
        assert!(left_out.contains(part), "{left_out}");
    }
    let (found, _) = asked(fenced, &ptx, Means { fences: false, orders: false, scopes: true });
    assert_eq!(found.cost, 16, "the fence's scope alone");
    // Nothing but a wait for the copy would do, and that is not tried.
    let copied = "PTX t\n{ global x=1; shared y=0; mbarrier bar=1; }\n P0@cta 0,gpu 0 ;\n cp.async.ca.shared.global y, x, 16 ;\n \
                  mbarrier.arrive.release.cta _, bar ;\n ld.weak r0, y ;\nexists (P0:r0 == 0)";
    let (found, _) = asked(copied, &ptx, Means::ALL);
    let left_out = found.tried.left_out.join("; ");
    assert!(found.repairs.is_empty());
    for part in [
        "operations on mbarriers",
        "more waits for asynchronous operations",
        "`fence.mbarrier_init`",
    ] {
        assert!(left_out.contains(part), "{left_out}");
    }
}

/// C++ without scopes: two seq_cst loads are cheaper than two fences, and nothing of a scope is
/// written; CUDA in CUDA's words.
#[test]
fn programs_are_changed_in_their_own_words() {
    let sb = "C sb\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  x->store(65, std::memory_order_seq_cst);\n  \
              int r0 = y->load(std::memory_order_relaxed);\n}\nP1 (atomic_int* x, atomic_int* y) {\n  y->store(65, \
              std::memory_order_seq_cst);\n  int r0 = x->load(std::memory_order_relaxed);\n}\nexists (0:r0=0 /\\ 1:r0=0)";
    let c20 = model("c20");
    let (found, ways) = asked(sb, &c20, Means::ALL);
    assert_eq!((found.cost, found.racy), (12, Some(false)));
    assert_eq!(
        ways[0][0],
        [
            "x->store(65, std::memory_order_seq_cst);",
            "int r0 = y->load(std::memory_order_seq_cst);"
        ]
    );
    let (found, ways) = asked(sb, &c20, Means { orders: false, ..Means::ALL });
    assert_eq!(
        (found.cost, ways[0][1][1].as_str()),
        (40, "std::atomic_thread_fence(std::memory_order_seq_cst);")
    );
    assert!(!found.tried.changes.join(" ").contains("scope"), "{:?}", found.tried);
    let cuda = "CUDA mp\n{ x=0; y=0; }\n__global__ void P0@block 0,device 0 (int* x, int* y) {\n  atomicExch(x, 1);\n  \
                atomicExch(y, 1);\n}\n__global__ void P1@block 1,device 0 (int* x, int* y) {\n  int r0 = atomicCAS(y, 1, 2);\n  \
                int r1 = atomicAdd(x, 0);\n}\nexists (1:r0=1 /\\ 1:r1=0)";
    let scoped = model("rc11-scoped");
    let (_, ways) = asked(cuda, &scoped, Means { orders: false, scopes: false, fences: true });
    let fence = |order: &str| {
        format!("cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_device);")
    };
    // The exchange and the addition write, too: fences the other way round order what the reader
    // writes before what the writer reads.
    let way = |order: &str| ways.iter().find(|way| way[0][1] == fence(order));
    let released = way("release").unwrap_or_else(|| panic!("{ways:?}"));
    assert_eq!((released[0].len(), released[1][1].clone()), (3, fence("acquire")));
    let (found, ways) = asked(cuda, &scoped, Means::ALL);
    // `atomicCAS` cannot be stronger; the addition and the exchange of the other location can.
    let reference = "cuda::atomic_ref<int, cuda::thread_scope_device>(*";
    assert!(
        ways.iter().all(|way| way.iter().flatten().any(|line| line.contains(reference))),
        "{ways:?}"
    );
    assert!(found.cost < 48);
    // The scope of an object is in its type.
    let object = "CUDA mp\n{ x=0; y=0; }\n__global__ void P0@block 0,device 0 (int* x, cuda::atomic<int, cuda::thread_scope_block>* y) \
                  {\n  *x = 1;\n  y->store(1, cuda::memory_order_release);\n}\n__global__ void P1@block 1,device 0 (int* x, \
                  cuda::atomic<int, cuda::thread_scope_block>* y) {\n  while (y->load(cuda::memory_order_acquire) == 0) {\n  }\n  \
                  int r1 = *x;\n}\nexists (1:r1=0)";
    let (found, ways) = asked(object, &scoped, Means::ALL);
    assert_eq!((found.racy, found.repairs[0].racy), (Some(true), Some(false)));
    assert_eq!(ways[0][0], ["*x = 1;", "y->store(1, cuda::memory_order_release);"]);
    let test = parse(object);
    let head = SourceText::new(&test, object)
        .head(&found.repairs[0].test, ThreadId(1))
        .unwrap_or_default();
    assert!(head.contains("cuda::atomic<int, cuda::thread_scope_device>* y"), "{head}");
}

/// A race is had away, also where the outcome is forbidden; what cannot become atomic is said to
/// race still.
#[test]
fn a_racy_program_is_changed_into_one_without_a_race() {
    let racy = "C mp\n{ x=0; y=0; }\nP0 (int* x, int* y) {\n  *x = 1;\n  *y = 1;\n}\nP1 (int* x, int* y) {\n  int r0 = *y;\n  \
                if (r0) {\n    int r1 = *x;\n  }\n}\nexists (1:r0=1 /\\ 1:r1=0)";
    let c20 = model("c20");
    let (found, ways) = asked(racy, &c20, Means::ALL);
    assert_eq!((found.racy, found.reachable, found.cost), (Some(true), true, 6));
    assert_eq!(ways[0][0], ["*x = 1;", "atomic_store_explicit(y, 1, memory_order_release);"]);
    assert!(
        found.repairs[0]
            .test
            .threads
            .iter()
            .all(|t| t.parameters[1].ty.atomic && !t.parameters[0].ty.atomic)
    );
    let forbidden = racy.replace("1:r0=1 /\\ 1:r1=0", "1:r0=2");
    let (found, _) = asked(&forbidden, &c20, Means::ALL);
    assert!(!found.reachable && !found.already() && found.is_repairable());
    // Fences do not make an access atomic.
    let (found, _) = asked(racy, &c20, Means { orders: false, ..Means::ALL });
    assert!(!found.is_repairable());
    assert!(found.repairs.iter().all(|r| r.racy == Some(true)));
}

/// An order on failure that is stronger than the order stays it.
#[test]
fn a_stronger_order_on_failure_stays() {
    let text = "C t\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
                int e = 5;\n  int r0 = atomic_compare_exchange_strong_explicit(y, &e, 1, memory_order_relaxed, memory_order_acquire);\n}\n\
                exists (0:r0=0)";
    let test = parse(text);
    let costs = Costs::default();
    let space =
        SearchSpace::new(&test, &model("c20"), &Terms::all(&costs), StrengtheningPlaces::Between);
    let rmw = space
        .sites()
        .iter()
        .position(|s| s.kind == SiteKind::Rmw)
        .unwrap_or_else(|| panic!("no site"));
    let release = space.options()[rmw].iter().find(|s| s.order == Order::Rel).copied();
    let choice: Vec<_> =
        (0..space.sites().len()).map(|site| release.filter(|_| site == rmw)).collect();
    let changed = space.strengthened(&test, &choice).to_string();
    assert!(
        changed.contains("(y, &e, 1, memory_order_release, memory_order_acquire)"),
        "{changed}"
    );
}
