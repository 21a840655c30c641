//! Rows that add dependencies: `addr`, `data` and `ctrl` behind what they read, each alone and with
//! the others, against enumeration and as programs.

use margay_mappings::change::{Fate, weaken};
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load};
use margay_models::diagnostic::Diagnostic;
use margay_models::signature::Construct;

use crate::brute::{Search, axioms};
use crate::setup::{ask, falls, names, options, reads_back};

/// A machine that keeps its writes in order, and else only what depends.
const MACHINE: &str = "architecture \"a machine that minds dependencies\"
tag ISB on F
dependencies addr data ctrl
read get
write put
rmw swap
fence isb ISB
";

const MODEL: &str = "minds \"a machine that minds dependencies\"
acyclic (po & loc) | rf | co | fr as Coherent
acyclic [W]; po; [W] | addr | data | ctrl; [W] | ctrl; [ISB]; po | (rf | co | fr) & ext as Ordered
";

/// A mapping whose acquire loads and relaxed exchanges are lowered so.
fn lowered(acquire: &str, exchange: &str) -> Result<Mapping, Vec<Diagnostic>> {
    let folder = tempfile::tempdir().expect("there is room");
    let mut rows = format!(
        "mapping \"C++ to the machine\" from rc11 to minds\nR.ACQ => {acquire}\nRMW.RLX => {exchange}\n"
    );
    rows.extend(["NA", "RLX", "SC"].map(|o| format!("R.{o} => get\n")));
    rows.extend(["NA", "RLX", "REL", "SC"].map(|o| format!("W.{o} => put\n")));
    rows.extend(
        ["ACQ", "REL", "ACQ_REL", "SC"].map(|o| format!("RMW.{o} => swap\nF.{o} => isb\n")),
    );
    for (ending, text) in [("arch", MACHINE), ("cat", MODEL), ("map", &rows)] {
        std::fs::write(folder.path().join(format!("minds.{ending}")), text).expect("there is room");
    }
    load(&folder.path().join("minds.map"), &LoadOptions::default()).map(|l| l.mapping)
}

fn mapping(acquire: &str, exchange: &str) -> Mapping {
    lowered(acquire, exchange).unwrap_or_else(|e| panic!("{acquire}, {exchange}: {e:?}"))
}

fn only(words: &str, bound: usize) -> CheckOptions {
    options(bound).with(|o| o.only = names(words))
}

/// For each axiom of the source the size of the smallest counterexample.
fn sizes(report: &CheckReport) -> Vec<Option<usize>> {
    report
        .axioms
        .iter()
        .map(|a| (a.verdict == CheckVerdict::Counterexample).then_some(a.bound))
        .collect()
}

/// The same, by enumeration of programs and executions.
fn enumerated(mapping: &Mapping, constructs: &[Construct], bound: usize) -> Vec<Option<usize>> {
    let search = Search { mapping, constructs, typed: true };
    let mut smallest = vec![None; axioms(&mapping.source).len()];
    for events in 1..=bound {
        for (slot, found) in smallest.iter_mut().zip(search.universal(events)) {
            *slot = slot.or(found.then_some(events));
        }
    }
    smallest
}

#[test]
fn as_enumeration_has_it() {
    let mut answers = std::collections::BTreeSet::new();
    for words in [
        "",
        "addr",
        "data",
        "ctrl",
        "addr ; data",
        "data ; ctrl",
        "isb ; addr",
        "ctrl ; isb",
        "isb ; ctrl",
        "addr ; ctrl ; isb",
    ] {
        let with = |access: &str| {
            if words.is_empty() { access.to_owned() } else { format!("{access} ; {words}") }
        };
        for (acquire, exchange, constructs) in [
            (with("get"), "swap".to_owned(), "R.ACQ,W.REL"),
            ("get".to_owned(), with("swap"), "RMW.RLX,W.REL"),
        ] {
            let mapping = mapping(&acquire, &exchange);
            let options = CheckOptions { keep_going: true, ..only(constructs, 4) };
            let of: Vec<Construct> = mapping.rows.iter().map(|r| r.construct).collect();
            let of: Vec<Construct> = of
                .into_iter()
                .filter(|c| options.only.contains(&c.name(mapping.source.signature)))
                .collect();
            let report = ask(&mapping, &options);
            assert_eq!(sizes(&report), enumerated(&mapping, &of, 4), "{acquire}, {exchange}");
            for found in &report.counterexamples {
                reads_back(&mapping, found);
            }
            answers.insert(sizes(&report));
        }
    }
    // The compiler may choose: what it chose is what the counterexample names.
    let either = mapping("get ; addr or get", "swap");
    let options = CheckOptions { keep_going: true, ..only("R.ACQ,W.REL", 4) };
    let of = either
        .rows
        .iter()
        .map(|r| r.construct)
        .filter(|c| options.only.contains(&c.name(either.source.signature)));
    let report = ask(&either, &options);
    assert_eq!(sizes(&report), enumerated(&either, &of.collect::<Vec<_>>(), 4));
    for found in &report.counterexamples {
        let named =
            margay_mappings::naming::name(&either, &found.source, &found.target, &found.origin)
                .expect("it is of the mapping");
        let behind = |read: margay_models::bits::Event| !found.source.po.row(read).is_empty();
        for operation in named.operations.iter().filter(|o| behind(o.head)) {
            if either.rows[operation.row].alternatives.len() > 1 {
                let event = found
                    .origin
                    .iter()
                    .position(|&from| from == operation.head)
                    .expect("it is compiled");
                let depends = !found.target.addr.row(event.into()).is_empty();
                assert_eq!(operation.alternative, if depends { 0 } else { 1 });
            }
        }
    }
    assert!(answers.len() >= 3, "the words make a difference: {answers:?}");
}

/// What each word orders, by the machine's own model: an address whatever comes later, a value
/// writes, a branch writes and what is behind `isb`.
#[test]
fn each_word_orders_what_it_says() {
    for level in [Level::Execution, Level::Program] {
        for (acquire, answer) in [
            ("get", "Coherence, No-Thin-Air at 4"),
            ("get ; data", "Coherence at 4"),
            ("get ; ctrl", "Coherence at 4"),
            ("get ; isb ; ctrl", "Coherence at 4"),
            ("get ; ctrl ; isb", "none up to 4"),
            ("get ; addr", "none up to 4"),
        ] {
            let mapping = mapping(acquire, "swap");
            // It prints as what it reads.
            assert!(mapping.to_string().contains(&format!("=> {acquire}\n")), "{mapping}");
            let report = ask(&mapping, &CheckOptions { level, ..only("R.ACQ,W.REL", 4) });
            let found = falls(&report);
            // Programs are asked about all axioms at once.
            let same = if level == Level::Program {
                found.ends_with(&answer[answer.len() - 4..])
            } else {
                found == answer
            };
            assert!(same, "{acquire}: {found} instead of {answer}");
            for found in &report.counterexamples {
                reads_back(&mapping, found);
            }
        }
    }
}

#[test]
fn weaken_takes_the_words_away() {
    let mapping = mapping("get ; addr ; data ; ctrl", "swap");
    let options = CheckOptions { level: Level::Program, ..only("R.ACQ,W.REL", 4) };
    let report = weaken(&mapping, &options, &Silent).expect("a question");
    let row = report
        .rows
        .iter()
        .find(|r| r.slot.text(&mapping, r.slot.lowering(&mapping)).0 == "R.ACQ")
        .expect("its row");
    let fate = |text: &str| {
        let mut of = row.weaker.iter().filter(|w| row.slot.text(&mapping, &w.lowering).1 == text);
        of.next().map(|w| matches!(w.fate, Fate::Falls(_)))
    };
    assert_eq!(fate("get ; addr"), Some(false), "of what is sound the weakest is named");
    assert_eq!(
        fate("get ; data ; ctrl"),
        Some(true),
        "addresses order reads, and nothing else here does"
    );
}

#[test]
fn words_in_the_wrong_place() {
    for (row, message) in [
        ("addr ; get", "nothing is read before `addr`"),
        ("data ; get", "nothing is read before `data`"),
        ("get ; data ; isb ; data", "a second `data`"),
        ("get ; adr", "unknown minds instruction `adr`"),
    ] {
        let errors = lowered(row, "swap").expect_err(row);
        assert!(
            errors[0].to_string().contains(message) && errors[0].help.is_some(),
            "{row}: {errors:?}"
        );
    }
    let help =
        lowered("get ; adr", "swap").expect_err("no word")[0].help.clone().unwrap_or_default();
    assert!(help.contains("did you mean `addr`?"), "{help}");
}
