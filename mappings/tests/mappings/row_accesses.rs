//! Rows with several accesses: loads beside the access whose value nobody uses, and stores by
//! read-modify-write, against enumeration and as programs.

use std::collections::BTreeSet;

use margay_litmus::render::render;
use margay_mappings::change::{Fate, weaken};
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load};
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Kind;
use margay_models::signature::Construct;

use crate::brute::{Search, axioms};
use crate::setup::{ask, falls, names, options, reads_back, shipped};

/// Loads of a location stay in order, and so does what an exchange is, or depends on it; an acquire
/// load is in order with what comes later. (That loads of one location order more than their own
/// values is made up: it is so that a load which nobody uses can be told from none.)
const MACHINE: &str = "architecture \"a machine that minds its loads\"
tag ACQ on R
dependencies addr
read get
read get.acquire ACQ
write put
rmw swap
";

const MODEL: &str = "loads \"a machine that minds its loads\"
acyclic (po & loc) | rf | co | fr as Coherent
let strong = domain(rmw) | range(rmw)
acyclic [ACQ]; po | [strong]; po | po; [strong] | addr | [R]; po; [W] | [W]; po; [W] | (rf | co | fr) & ext as Ordered
empty rmw & ((fr & ext); (co & ext)) as Atomic
";

/// C++ to this machine, with these rows instead of the plain ones.
fn with(rows: &[&str]) -> Result<Mapping, Vec<Diagnostic>> {
    let folder = tempfile::tempdir().expect("there is room");
    let mut text = "mapping \"C++ to the machine\" from rc11 to loads\n".to_owned();
    let plain =
        "R.NA R.RLX R.ACQ R.SC W.NA W.RLX W.REL W.SC RMW.RLX RMW.ACQ RMW.REL RMW.ACQ_REL RMW.SC";
    for construct in plain.split(' ') {
        let usual = match construct.as_bytes()[..3] {
            [b'R', b'.', _] => "get",
            [b'W', ..] => "put",
            _ => "swap",
        };
        let own = rows.iter().find(|row| row.split(' ').next() == Some(construct));
        text += &own.map_or_else(|| format!("{construct} => {usual}\n"), |row| format!("{row}\n"));
    }
    text += "F.ACQ => absent\nF.REL => absent\nF.ACQ_REL => absent\nF.SC => absent\n";
    for (ending, text) in [("arch", MACHINE), ("cat", MODEL), ("map", &text)] {
        std::fs::write(folder.path().join(format!("loads.{ending}")), text).expect("there is room");
    }
    load(&folder.path().join("loads.map"), &LoadOptions::default()).map(|l| l.mapping)
}

fn mapping(rows: &[&str]) -> Mapping {
    with(rows).unwrap_or_else(|e| panic!("{rows:?}: {e:?}"))
}

pub fn only(words: &str, bound: usize) -> CheckOptions {
    CheckOptions { keep_going: true, ..options(bound) }.with(|o| o.only = names(words))
}

/// For each axiom of the source the size of the smallest counterexample.
pub fn sizes(report: &CheckReport) -> Vec<Option<usize>> {
    report
        .axioms
        .iter()
        .map(|a| (a.verdict == CheckVerdict::Counterexample).then_some(a.bound))
        .collect()
}

/// The same, by enumeration of programs and executions.
pub fn enumerated(mapping: &Mapping, only: &[String], bound: usize) -> Vec<Option<usize>> {
    let constructs = mapping.rows.iter().map(|r| r.construct);
    let constructs: Vec<Construct> =
        constructs.filter(|c| only.contains(&c.name(mapping.source.signature))).collect();
    let search = Search { mapping, constructs: &constructs, typed: true };
    let mut smallest = vec![None; axioms(&mapping.source).len()];
    for events in 1..=bound {
        for (slot, found) in smallest.iter_mut().zip(search.universal(events)) {
            *slot = slot.or(found.then_some(events));
        }
    }
    smallest
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn as_enumeration_has_it() {
    let mut answers = BTreeSet::new();
    for (rows, constructs) in [
        (&["R.ACQ => get"][..], "R.ACQ,W.REL"),
        (&["R.ACQ => get ; unused get.acquire"], "R.ACQ,W.REL"),
        (&["R.ACQ => unused get.acquire ; get"], "R.ACQ,W.REL"),
        (&["R.ACQ => unused get ; get ; addr"], "R.ACQ,W.REL"),
        (&["R.ACQ => get ; addr ; unused get"], "R.ACQ,W.REL"),
        (&["W.REL => unused get.acquire ; put"], "R.ACQ,W.REL"),
        (&["W.REL => swap"], "R.ACQ,W.REL"),
        (&["W.REL => put or swap", "R.ACQ => get.acquire"], "R.ACQ,W.REL"),
        (&["R.SC => get.acquire", "W.SC => put"], "R.SC,W.SC"),
        (&["R.SC => get.acquire", "W.SC => swap"], "R.SC,W.SC"),
        (&["R.SC => get.acquire", "W.SC => put ; unused get.acquire"], "R.SC,W.SC"),
        (&["RMW.RLX => unused get.acquire ; swap ; unused get"], "RMW.RLX,W.REL"),
        (&["RMW.RLX => swap ; addr ; unused get", "W.REL => swap"], "RMW.RLX,W.REL"),
    ] {
        let mapping = mapping(rows);
        let options = only(constructs, 4);
        let report = ask(&mapping, &options);
        assert_eq!(sizes(&report), enumerated(&mapping, &options.only, 4), "{rows:?}");
        for found in &report.counterexamples {
            reads_back(&mapping, found);
        }
        answers.insert(sizes(&report));
    }
    assert!(answers.len() >= 3, "accesses make a difference: {answers:?}");
}

/// What nobody looks at is in the target's test, and not in its outcome.
#[test]
fn counterexamples_show_the_loads() {
    for level in [Level::Execution, Level::Program] {
        let mapping = mapping(&["R.SC => get ; unused get", "W.SC => unused get ; put"]);
        assert!(mapping.to_string().contains("=> get ; unused get\n"), "{mapping}");
        let report = ask(&mapping, &CheckOptions { level, ..only("R.SC,W.SC", 4) });
        assert!(falls(&report).ends_with(" at 4"), "{}", falls(&report));
        let found = report
            .counterexamples
            .iter()
            .find(|c| c.source.rf.pairs().count() == 2)
            .expect("store buffering");
        reads_back(&mapping, found);
        let unused = found.target.events.iter().filter(|e| e.unused).count();
        assert_eq!(
            (unused, found.target.events.iter().filter(|e| e.kind == Kind::Read).count()),
            (4, 6)
        );
        let [source, target] = [&found.source, &found.target]
            .map(|x| render(x, "t", None, &[]).expect("a test").test.condition.proposition);
        assert_eq!(source, target, "the outcome is the program's");
    }
}

/// The table that compilers use for x86 stores by `xchg`: as sound as the one with a fence.
#[test]
fn stores_by_exchange() {
    let folder = tempfile::tempdir().expect("there is room");
    let text = shipped("rc11-to-x86").to_string();
    for (body, answer) in
        [("lock_xchg", "none up to 4"), ("store", " at 4"), ("store or lock_xchg", " at 4")]
    {
        let path = folder.path().join("x.map");
        let row = text.lines().find(|l| l.starts_with("W.SC")).expect("a row");
        std::fs::write(&path, text.replace(row, &format!("W.SC => {body}")))
            .expect("there is room");
        let mapping =
            load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).mapping;
        for level in [Level::Execution, Level::Program] {
            let report =
                ask(&mapping, &CheckOptions { level, ..only("R.SC,W.SC,W.RLX,RMW.SC,F.SC", 4) });
            let found = falls(&report);
            assert!(
                found.ends_with(answer) && found.starts_with("none") == answer.starts_with("none"),
                "{body}: {found}"
            );
        }
    }
}

#[test]
fn weaken_takes_loads_away() {
    let mapping = mapping(&["R.ACQ => unused get ; get ; unused get.acquire"]);
    let options =
        CheckOptions { level: Level::Program, keep_going: false, ..only("R.ACQ,W.REL", 4) };
    let report = weaken(&mapping, &options, &Silent).expect("a question");
    let fates: BTreeSet<String> = report
        .rows
        .iter()
        .flat_map(|row| row.weaker.iter().map(move |w| (row, w)))
        .map(|(row, w)| {
            format!(
                "{}: {}",
                row.slot.text(&mapping, &w.lowering).1,
                matches!(w.fate, Fate::Falls(_))
            )
        })
        .collect();
    assert!(fates.contains("get ; unused get.acquire: false"), "{fates:?}");
    assert!(fates.contains("unused get ; get ; unused get: true"), "{fates:?}");
}

#[test]
fn accesses_that_are_wrong() {
    for (row, message) in [
        ("R.ACQ => get ; get", "a load must become exactly one load"),
        ("R.ACQ => unused get", "a load must become exactly one load"),
        ("W.REL => put ; put", "a store must become exactly one store"),
        ("W.REL => put ; unused put", "`unused` stands before a load alone"),
        ("W.REL => put ; unused", "unknown loads instruction `unused`"),
        ("W.REL => unused get ; unused get.acquire", "a store must become exactly one store"),
        ("R.ACQ => unused get ; addr ; get", "nothing is read before `addr`"),
    ] {
        let errors = with(&[row]).expect_err(row);
        assert!(
            errors[0].to_string().contains(message) && errors[0].help.is_some(),
            "{row}: {errors:?}"
        );
    }
    let fence = crate::setup::read(
        "mapping \"m\" from sc to tso\nR => unused R ; R\nW => W\nRMW => RMW\nF => F\n",
    );
    assert!(
        fence.expect_err("tso")[0].to_string().contains("`unused` is for targets that are texts")
    );
}
