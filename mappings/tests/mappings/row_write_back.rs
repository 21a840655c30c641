//! Rows in which a load is a read-modify-write, which writes back what it read: against
//! enumeration, as programs, and as tests.

use std::collections::BTreeSet;

use margay_litmus::render::render;
use margay_mappings::check::{CheckOptions, Level, Techniques};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::diagnostic::SourceFile;

use crate::row_accesses::{enumerated, only, sizes};
use crate::setup::{ask, falls, options, read, reads_back, shipped, without_failures};

/// A shipped mapping with other rows.
fn with(name: &str, rows: &[&str]) -> Mapping {
    let mut text = without_failures(name).file.text.clone();
    for row in rows {
        let head = format!("{} ", row.split(' ').next().expect("a construct"));
        let old = text
            .lines()
            .find(|l| l.starts_with(&head))
            .unwrap_or_else(|| panic!("no row {head}"))
            .to_owned();
        text = text.replace(&old, row);
    }
    let loaded = load_text(&SourceFile::new("m.map", text), None, &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{rows:?}: {e:?}")).mapping
}

/// A target of which nothing is known but its base names, with other axioms each time: what one
/// axiom forbids, another one lets happen.
fn machine(model: &str) -> Mapping {
    const TEXT: &str = "architecture \"a machine that writes back\"\ntag X on R W\ndependencies addr data ctrl\nread get\nwrite put\nrmw plus X\n";
    const ROWS: &str = "mapping \"C++ to a machine\" from rc11 to backs\nR.NA => get\nR.RLX => plus\nR.ACQ => plus ; addr\nR.SC => plus or get\n\
        W.NA => put\nW.RLX => put\nW.REL => put\nW.SC => put\nRMW.RLX => plus\nRMW.ACQ => plus\nRMW.REL => plus\nRMW.ACQ_REL => plus\n\
        RMW.SC => plus\nF.ACQ => absent\nF.REL => absent\nF.ACQ_REL => absent\nF.SC => absent\n";
    let folder = tempfile::tempdir().expect("there is room");
    for (ending, text) in
        [("arch", TEXT), ("cat", &format!("backs \"m\"\n{model}\n")), ("map", ROWS)]
    {
        std::fs::write(folder.path().join(format!("backs.{ending}")), text).expect("there is room");
    }
    let loaded =
        margay_mappings::language::load(&folder.path().join("backs.map"), &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{model}: {e:?}")).mapping
}

/// Weak models on purpose, so that every way to read what was written back, and every place of it
/// in coherence order, matters to some.
const MODELS: [&str; 6] = [
    "acyclic (po & loc) | rf | co | fr as Coherent",
    "acyclic (po & loc) | rf | co | fr as Coherent\nempty rmw & ((fr & ext); (co & ext)) as Atomic",
    "empty rmw & ((fr & ext); (co & ext)) as Atomic",
    "acyclic (po & loc) | rf | co | fr as Coherent\nacyclic po | rf as No-Thin-Air\nacyclic [X]; po; [X] | (rf | co | fr) & ext as Ordered",
    "acyclic (po & loc) | co | fr as No-Reads\nacyclic addr | [W]; po; [W] | (rf | co | fr) & ext as Ordered",
    "irreflexive rf; rmw; rf; po as Odd",
];

#[test]
fn as_enumeration_has_it() {
    let mut answers = BTreeSet::new();
    for model in MODELS {
        let mapping = machine(model);
        for constructs in ["R.RLX,W.RLX", "R.ACQ,W.REL", "R.SC,W.SC", "R.RLX,RMW.RLX"] {
            let bound =
                if constructs == "R.SC,W.SC" || constructs == "R.RLX,RMW.RLX" { 3 } else { 4 };
            let options = only(constructs, bound);
            let report = ask(&mapping, &options);
            assert_eq!(
                sizes(&report),
                enumerated(&mapping, &options.only, bound),
                "{model}: {constructs}"
            );
            for found in &report.counterexamples {
                reads_back(&mapping, found);
            }
            answers.insert(sizes(&report));
        }
    }
    assert!(answers.len() >= 4, "models make a difference: {answers:?}");
}

/// A target with partial coherence: the atomic load that programs in CUDA write as an addition
/// of 0. At the load's own scope it is no load: what a load of another scope writes back, it may
/// read before that load has read anything, since the two are not morally strong.
#[test]
fn of_ptx_as_enumeration_has_it() {
    for (rows, answer) in [
        (&["R.RLX.s => atom.relaxed.s"][..], "Coherence at 3"),
        (&["R.RLX.s => atom.relaxed.sys"], "none up to 3"),
        (&["R.RLX.s => atom.relaxed.sys", "W.RLX.s => st.weak"], "Coherence at 3"),
        (&["R.RLX.s => atom.relaxed.sys or ld.relaxed.s"], "Coherence at 3"),
    ] {
        let mapping = with("rc11-to-ptx", rows);
        let options = only("R.RLX,W.RLX", 3);
        let report = ask(&mapping, &options);
        assert_eq!(sizes(&report), enumerated(&mapping, &options.only, 3), "{rows:?}");
        assert_eq!(falls(&report), answer, "{rows:?}");
        report.counterexamples.iter().for_each(|found| reads_back(&mapping, found));
    }
    // It is a bug of the compiler, and no race of the program: the source has two loads there.
    let mapping = with("rc11-to-ptx", &["R.RLX.s => atom.relaxed.s"]);
    let report = ask(&mapping, &CheckOptions { level: Level::Program, ..only("R.RLX,W.RLX", 3) });
    assert!(falls(&report).ends_with(" at 3"), "{}", falls(&report));
}

/// Techniques change no answer.
#[test]
fn whatever_the_techniques() {
    for (mapping, constructs) in [
        (machine(MODELS[0]), "R.RLX,W.RLX"),
        (with("rc11-to-ptx", &["R.RLX.s => atom.relaxed.s"]), "R.RLX,W.RLX"),
    ] {
        let usual = sizes(&ask(&mapping, &only(constructs, 3)));
        for switch in Techniques::SWITCHES {
            let mut options = only(constructs, 3);
            (switch.off)(&mut options.techniques);
            assert_eq!(
                sizes(&ask(&mapping, &options)),
                usual,
                "{} without `{}`",
                mapping.title,
                switch.name
            );
        }
    }
}

/// The alternative table for x86. Its seq_cst loads are what orders a store before them; loads that
/// are plain buffer stores.
#[test]
fn locked_loads_of_x86() {
    for (row, answer) in [
        ("R.SC  => lock_xchg", "none up to 4"),
        ("R.SC  => mfence ; load", "none up to 4"),
        ("R.SC  => lock_xchg or mfence ; load", "none up to 4"),
        ("R.SC  => load", "SC at 4"),
        ("R.SC  => lock_xchg or load", "SC at 4"),
    ] {
        let mapping = with("rc11-to-x86-locked-loads", &[row]);
        for level in [Level::Execution, Level::Program] {
            let report =
                ask(&mapping, &CheckOptions { level, ..only("R.SC,W.SC,R.ACQ,W.RLX,RMW.SC", 4) });
            let found = falls(&report);
            let same = if level == Level::Program {
                found.ends_with(&answer[answer.len() - 4..])
            } else {
                found == answer
            };
            assert!(same, "{row}: {found} instead of {answer}");
            report.counterexamples.iter().for_each(|found| reads_back(&mapping, found));
        }
    }
}

/// What is written back is in the target's test as an addition of 0, and the outcome is the
/// program's.
#[test]
fn counterexamples_show_additions_of_nothing() {
    let mapping = machine("acyclic (po & loc) | rf | co | fr as Coherent");
    for level in [Level::Execution, Level::Program] {
        let report = ask(&mapping, &CheckOptions { level, ..only("R.ACQ,W.REL", 4) });
        let found = &report.counterexamples[0];
        reads_back(&mapping, found);
        let [source, target] =
            [&found.source, &found.target].map(|x| render(x, "t", None, &[]).expect("a test").test);
        assert_eq!(
            source.condition.proposition, target.condition.proposition,
            "the outcome is the program's"
        );
        assert!(
            target.to_string().contains("plus.add r0, ") && target.to_string().contains(", 0"),
            "{target}"
        );
        let [loads, written] = [&found.source, &found.target]
            .map(|x| x.events.iter().filter(|e| e.writes_back).count());
        assert!(loads == 0 && written == 2, "the source has no such write: {loads}, {written}");
    }
}

/// Loads write back initial values where no program writes, and nobody races with what they write
/// back.
#[test]
fn loads_alone_do_no_harm() {
    let mapping = shipped("rc11-to-x86-locked-loads");
    for level in [Level::Execution, Level::Program] {
        assert_eq!(
            falls(&ask(&mapping, &CheckOptions { level, ..only("R.SC", 4) })),
            "none up to 4"
        );
    }
}

#[test]
fn of_other_targets_and_what_is_wrong() {
    // A plain target, too.
    let rows =
        |r: &str| format!("mapping \"m\" from sc to tso\nR => {r}\nW => W\nRMW => RMW\nF => F\n");
    let [locked, plain] =
        ["RMW", "R"].map(|r| falls(&ask(&read(&rows(r)).expect("rows"), &options(4))));
    assert_eq!((locked.as_str(), plain.ends_with("at 4")), ("none up to 4", true), "{plain}");
    for (row, message) in [
        ("RMW ; RMW", "a load must become exactly one load or read-modify-write"),
        ("W", "a load must become exactly one load or read-modify-write"),
    ] {
        let errors = read(&rows(row)).expect_err(row);
        assert!(
            errors[0].to_string().contains(message) && errors[0].help.is_some(),
            "{row}: {errors:?}"
        );
    }
}
