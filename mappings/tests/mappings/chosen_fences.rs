//! Sources whose executions choose an order of their fences: an execution is forbidden if no order
//! makes it a legal one. Against an enumeration of all programs, executions, modification orders
//! and orders of fences.

use margay_mappings::check::{CheckOptions, CheckVerdict, CoReading, Level, check};
use margay_mappings::language::{LoadOptions, Mapping, load};
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::Execution;
use margay_models::judge::Judge;
use margay_models::signature::{Construct, constructs};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::brute::{self, Search, axioms, partial_orders};
use crate::setup::{ask, falls, options, reads_back};

const LANGUAGE: &str = "architecture \"a language\"\ntag FULL on F\nchosen sync_fence on FULL\nread ld\nwrite st\nrmw at\nfence full FULL\nfence light\n";
const MACHINE: &str =
    "architecture \"a machine\"\ntag MF on F\nread r\nwrite w\nrmw x\nfence mf MF\n";

/// A mapping from the texts of its models and its rows.
fn mapping(source: &str, target: &str, rows: &str) -> Mapping {
    let folder = tempfile::tempdir().expect("a folder");
    let to = if target.starts_with("language") { "source.cat" } else { "target.cat" };
    let files = [
        ("language.arch", LANGUAGE.to_owned()),
        ("machine.arch", MACHINE.to_owned()),
        ("source.cat", source.to_owned()),
        ("target.cat", target.to_owned()),
        ("m.map", format!("mapping \"m\" from source.cat to {to}\n{rows}")),
    ];
    for (name, text) in &files {
        std::fs::write(folder.path().join(name), text).expect("there is room");
    }
    let loaded = load(&folder.path().join("m.map"), &LoadOptions::default());
    loaded.unwrap_or_else(|errors| panic!("{source}\n{target}\n{rows}\n{errors:?}")).mapping
}

/// What is ordered by fences happens before what the other comes before.
const SOURCE: &str = "language \"fences are ordered\"
let order = po; [FULL] | [FULL]; po | (po & loc) | sync_fence
let hb = (order | rf & ext)+
empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Fences
irreflexive hb as Hb
irreflexive hb; (co | rf^-1; co) as Coh
empty rmw & (fr; co) as At
";

/// The same without an order between fences, and with one that flushes.
fn machine(order: &str) -> String {
    format!(
        "machine \"fences without an order\"
let order = po; [MF] | [MF]; po | (po & loc)
let hb = (order | rf & ext)+
irreflexive hb as Hb
irreflexive hb; (co | rf^-1; co) as Coh
empty rmw & (fr; co) as At
{order}"
    )
}

const ROWS: &str = "ld => r\nst => w\nat => x\nfull => mf\nlight => nothing\n";
const FLUSHES: &str = "acyclic (po; [MF]; po) | rf | co | fr as Flushes\n";

fn levels(bound: usize) -> [CheckOptions; 3] {
    let published = || options(bound);
    [
        published(),
        CheckOptions { co: CoReading::Exists, ..published() },
        CheckOptions { level: Level::Program, co: CoReading::Exists, ..published() },
    ]
}

/// Store buffering with fences between needs six events: in each order of the two fences one read
/// misses a write before it.
#[test]
fn store_buffering_is_forbidden_by_both_orders() {
    let wrong = mapping(SOURCE, &machine(""), ROWS);
    for options in levels(6) {
        let options = options.with(|o| o.only = crate::setup::names("ld,st,full"));
        let report = ask(&wrong, &options);
        assert_eq!(falls(&report), "Fences & Hb & Coh & At at 6", "{:?}", options.level);
        for found in &report.counterexamples {
            assert!(found.status.is_bug(), "{:?}", found.status);
            reads_back(&wrong, found);
        }
    }
    let right = mapping(SOURCE, &machine(FLUSHES), ROWS);
    let options = options(6).with(|o| o.only = crate::setup::names("ld,st,full"));
    assert_eq!(falls(&ask(&right, &options)), "none up to 6");
}

/// The language compiled to itself: an order that its target chooses is one that its source may
/// choose.
#[test]
fn the_identity_has_no_counterexample() {
    let same =
        mapping(SOURCE, "language", "ld => ld\nst => st\nat => at\nfull => full\nlight => light\n");
    for options in levels(4) {
        assert_eq!(falls(&ask(&same, &options)), "none up to 4");
    }
    // Leaving the fence out is wrong where it is needed.
    let without = mapping(
        SOURCE,
        "language",
        "ld => ld\nst => st\nat => at\nfull => light\nlight => light\n",
    );
    let options = options(6).with(|o| o.only = crate::setup::names("ld,st,full"));
    assert_eq!(falls(&ask(&without, &options)), "Fences & Hb & Coh & At at 6");
}

/// No axiom is asked about alone, where another order may violate another one.
#[test]
fn axioms_are_taken_together() {
    let of = mapping(SOURCE, &machine(""), ROWS);
    let one = CheckOptions { axioms: vec!["Hb".to_owned()], ..options(3) };
    let errors = check(&of, &one, &margay_mappings::check::Silent)
        .map(drop)
        .expect_err("it says too little");
    let said = format!("{errors:?}");
    assert!(said.contains("are taken together") && said.contains("`--without full`"), "{said}");
    // Without the fences there is no order.
    let one = one.with(|o| o.without = vec!["full".to_owned()]);
    assert_eq!(falls(&ask(&of, &one)), "none up to 3");
    let large = options(9).with(|o| o.only = crate::setup::names("ld,st,full"));
    let errors =
        check(&of, &large, &margay_mappings::check::Silent).map(drop).expect_err("too many orders");
    assert!(
        errors[0].to_string().contains("the largest bound of this mapping is 8"),
        "{}",
        errors[0]
    );
}

/// Is the execution legal with one of these modification orders, and an order of its fences?
fn is_legal(judge: &mut Judge, model: &[usize], candidates: &[Execution]) -> bool {
    candidates.iter().any(|execution| {
        let ordered = |e: &usize| execution.signature.is_ordered_fence(&execution.events[*e]);
        let fences: Vec<usize> = (0..execution.size()).filter(ordered).collect();
        let pairs: Vec<(usize, usize)> = fences
            .iter()
            .flat_map(|&a| fences.iter().filter(move |&&b| a != b).map(move |&b| (a, b)))
            .collect();
        partial_orders(&pairs).iter().any(|order| {
            let pairs = order.iter().map(|&(a, b)| (Event::from(a), Event::from(b)));
            let sync_fence = BitMatrix::from_pairs(execution.size(), pairs);
            let holds = judge.judge(&Execution { sync_fence, ..execution.clone() }).holds;
            model.iter().all(|&axiom| holds[axiom])
        })
    })
}

/// Is there a counterexample of this many events? With `exists` no modification order may explain
/// it either.
fn enumerated(search: &Search<'_>, events: usize, exists: bool) -> bool {
    let source = &search.mapping.source;
    let (asked, mut found) = (axioms(source), false);
    let (mut judge, mut target) = (Judge::new(source), Judge::new(&search.mapping.target));
    brute::each_program(search, events, &mut |program| {
        brute::each_execution(source.signature, program, &mut |execution| {
            let candidates =
                if exists { brute::other_orders(execution) } else { vec![execution.clone()] };
            found = brute::legal(search.mapping, program, execution, &mut target).is_some()
                && !is_legal(&mut judge, &asked, &candidates);
            !found
        });
        !found
    });
    found
}

/// A source, a target and rows of any kind, with constructs of which programs are made.
#[derive(Debug, Clone)]
struct Case {
    source: String,
    target: String,
    rows: String,
    only: Vec<&'static str>,
}

fn case() -> impl Strategy<Value = Case> {
    let relation = select(vec![
        "sync_fence",
        "po",
        "rf",
        "co",
        "fr",
        "(po | sync_fence)",
        "(rf | fr | co)",
        "(po; [FULL])",
        "([FULL]; po)",
        "(po & loc)",
        "(po; sync_fence)",
        "(sync_fence; po)",
        "(po; [FULL]; sync_fence?; [FULL]; po)",
        "(sync_fence & int)",
        "(FULL * FULL)",
        "sync_fence^-1",
        "(sync_fence; sync_fence)",
        "([FULL]; po; [FULL])",
        "(rf & ext)",
    ]);
    let check = (
        select(vec!["acyclic", "irreflexive", "empty", "acyclic", "irreflexive"]),
        relation.clone(),
        select(vec!["|", "&", ";", "\\"]),
        relation,
    );
    let total = "empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Total".to_owned();
    let checks = proptest::collection::vec(check, 1..=3);
    let source = (checks, 0..4_usize).prop_map(move |(checks, with_total)| {
        let one = |(i, (kind, a, op, b)): (usize, (&str, &str, &str, &str))| {
            format!("{kind} {a} {op} {b} as C{i}")
        };
        let mut lines: Vec<String> = checks.into_iter().enumerate().map(one).collect();
        if with_total > 0 {
            lines.push(total.clone());
        }
        format!("language \"random\"\n{}\n", lines.join("\n"))
    });
    let machines =
        vec![machine(""), machine(FLUSHES), "machine \"nothing\"\nacyclic po as Po\n".to_owned()];
    let compiled =
        (select(machines), select(vec!["mf", "nothing", "mf ; mf"])).prop_map(|(target, full)| {
            (target, format!("ld => r\nst => w\nat => x\nfull => {full}\nlight => nothing\n"))
        });
    let itself = select(vec!["full", "light"]).prop_map(|full| {
        (
            "language".to_owned(),
            format!("ld => ld\nst => st\nat => at\nfull => {full}\nlight => light\n"),
        )
    });
    let target = prop_oneof![2 => compiled, 1 => itself];
    let only = subsequence(vec!["ld", "st", "at"], 1..=2)
        .prop_map(|accesses| [vec!["full"], accesses].concat());
    (source, target, only).prop_map(|(source, (target, rows), only)| Case {
        source,
        target,
        rows,
        only,
    })
}

fn agrees(case: &Case) -> Option<usize> {
    let mapping = mapping(&case.source, &case.target, &case.rows);
    let signature = mapping.source.signature;
    let only: Vec<Construct> = constructs(signature)
        .into_iter()
        .filter(|c| case.only.contains(&c.name(signature).as_str()))
        .collect();
    assert_eq!(only.len(), case.only.len());
    let search = Search { mapping: &mapping, constructs: &only, typed: true };
    let mut smallest = None;
    for (i, options) in levels(3).into_iter().enumerate() {
        let options = options.with(|o| o.only = case.only.iter().map(|&n| n.to_owned()).collect());
        let report = ask(&mapping, &options);
        assert!(!matches!(report.verdict, CheckVerdict::Undecided(_)), "{:?}", report.verdict);
        let said =
            (report.verdict == CheckVerdict::Counterexample).then_some(report.established + 1);
        smallest = (1..=3).find(|&events| enumerated(&search, events, i > 0));
        assert_eq!(said, smallest, "{case:?}, {:?}, {:?}", options.level, options.co);
    }
    smallest
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_fences_explains_what_is_found(case in case()) {
        agrees(&case);
    }
}

/// The random cases are worth something.
#[test]
fn random_cases_of_orders_fall_and_stand() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let all: Vec<Option<usize>> = (0..30)
        .map(|_| agrees(&case().new_tree(&mut runner).expect("no case is rejected").current()))
        .collect();
    let fall = all.iter().flatten().count();
    assert!(fall >= 5 && all.len() - fall >= 5, "{all:?}");
}
