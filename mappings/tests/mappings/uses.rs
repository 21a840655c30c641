//! Rows for some uses of a construct: pairs of orders, types, operations; rows that are absent;
//! where rows come from.

use margay_mappings::check::CheckReport;
use margay_mappings::language::Mapping;
use margay_mappings::language::kind::TYPES;
use margay_mappings::naming;

use crate::setup::{ask, falls, names, options, read, shipped, without_failures};

/// The published mapping with more rows, and with some lines taken out.
fn with(rows: &str, without: &[&str]) -> String {
    let text = without_failures("rc11-to-ptx").to_string();
    let kept = text.lines().filter(|l| !without.iter().any(|w| l.starts_with(w)));
    format!("{}\n{rows}\n", kept.collect::<Vec<_>>().join("\n"))
}

fn mapping(text: &str) -> Mapping {
    read(text).unwrap_or_else(|e| panic!("{text}\n{e:#?}"))
}

fn report(text: &str, only: &str, bound: usize) -> CheckReport {
    let mut options = options(bound);
    options.only = names(only);
    ask(&mapping(text), &options)
}

const PASSING: &str = "R.NA,W.NA,R.ACQ,W.REL";

/// A row for one width is asked about: a location of that width has the bug, and the others have
/// not.
#[test]
fn rows_by_width() {
    assert_eq!(
        falls(&report(&with("R.ACQ.s b8 b16 => ld.relaxed.s", &[]), PASSING, 4)),
        "Coherence at 4"
    );
    // Where no store has that width, there is nothing to read from that releases.
    let text = with("R.ACQ.s b8 => ld.relaxed.s\nW.REL.s b8 => absent", &[]);
    assert_eq!(falls(&report(&text, PASSING, 4)), "none up to 4");
    // Nor where the accesses have different sizes in PTX.
    let text = with("R.ACQ.s b8 => ld.relaxed.s.b32", &[]);
    assert_eq!(falls(&report(&text, PASSING, 4)), "none up to 4");
    let text = with("R.ACQ.s b8 => ld.relaxed.s.b32\nW.REL.s b8 => st.release.s.b32", &[]);
    let found = report(&text, PASSING, 4);
    assert_eq!(falls(&found), "Coherence at 4");
    // The counterexample is named: the flag is a byte, the row is the one with the bug.
    let (mapping, c) = (mapping(&text), &found.counterexamples[0]);
    let named =
        naming::name(&mapping, &c.source, &c.target, &c.origin).expect("it is of this mapping");
    let rows: Vec<String> = named.operations.iter().map(|o| o.text(&mapping)).collect();
    assert!(rows.contains(&"R.ACQ.s b8".to_owned()), "{rows:?}");
    assert!(named.types.iter().flatten().any(|&t| TYPES[t] == "b8"));
}

/// A row for an operation is asked about, with the operation named.
#[test]
fn rows_by_operation() {
    let only = "R.NA,W.NA,RMW.ACQ,W.REL";
    let text = with("RMW.ACQ.s nand b32 => atom.relaxed.s", &[]);
    let found = report(&text, only, 5);
    assert_eq!(falls(&found), "Coherence at 5");
    let (mapping, c) = (mapping(&text), &found.counterexamples[0]);
    let named =
        naming::name(&mapping, &c.source, &c.target, &c.origin).expect("it is of this mapping");
    assert!(named.operations.iter().any(|o| o.text(&mapping) == "RMW.ACQ.s nand b32"), "{named:?}");
    // With the right row for nand there is none.
    assert_eq!(
        falls(&report(&with("RMW.ACQ.s nand b32 => atom.acq_rel.s", &[]), only, 5)),
        "none up to 5"
    );
}

/// Of a pair of orders each outcome has a row.
#[test]
fn pairs_of_orders() {
    let only = "R.NA,R.ACQ,W.NA,W.REL";
    let good = "CAS_FAIL.ACQ.s => atom.acquire.s";
    assert_eq!(falls(&report(&with(good, &[]), only, 4)), "none up to 4");
    // The failing path of one pair has lost its acquire.
    let bad = format!("{good}\nCAS_FAIL.REL/ACQ.s => atom.release.s");
    let text = with(&bad, &[]);
    let found = report(&text, only, 4);
    assert_eq!(falls(&found), "Coherence at 4");
    let (mapping, c) = (mapping(&text), &found.counterexamples[0]);
    let named =
        naming::name(&mapping, &c.source, &c.target, &c.origin).expect("it is of this mapping");
    assert!(
        named.operations.iter().any(|o| o.text(&mapping).starts_with("CAS_FAIL.REL/ACQ.s")),
        "{named:?}"
    );
    // Success by pair: a release that is lost for one order of failure.
    let only = "R.NA,W.NA,R.ACQ,RMW.REL";
    let rows = "CAS.REL.s => atom.release.s\nCAS.REL/ACQ.s => atom.acquire.s";
    assert_eq!(falls(&report(&with(rows, &[]), only, 5)), "Coherence at 5");
    assert_eq!(
        falls(&report(
            &with("CAS.REL.s => atom.release.s\nCAS.REL/ACQ.s => atom.acq_rel.s", &[]),
            only,
            5
        )),
        "none up to 5"
    );
}

/// Programs with an absent construct are not asked about: at one scope, or at all.
#[test]
fn absent_rows() {
    let weak = "R.ACQ.s => ld.relaxed.s";
    assert_eq!(falls(&report(&with(weak, &["R.ACQ"]), PASSING, 4)), "Coherence at 4");
    assert_eq!(
        falls(&report(&with("R.ACQ.s => absent \"does not compile\"", &["R.ACQ"]), PASSING, 4)),
        "none up to 4"
    );
    assert_eq!(
        falls(&report(&with("R.ACQ.s => other \"a lock\"", &["R.ACQ"]), PASSING, 4)),
        "none up to 4"
    );
    let by_scope = "R.ACQ.cta => absent\nR.ACQ.gpu => ld.acquire.gpu\nR.ACQ.sys => absent";
    assert_eq!(falls(&report(&with(by_scope, &["R.ACQ"]), PASSING, 4)), "none up to 4");
    // A scope that does not exist needs no rows.
    let text = with("R.ACQ.gpu => ld.relaxed.gpu\nR.ACQ.sys => ld.acquire.sys", &["R.ACQ"]);
    let text = text.replacen('\n', "\nscopes gpu sys\n", 1);
    assert_eq!(mapping(&text).scopes().len(), 2);
    assert_eq!(falls(&report(&text, PASSING, 4)), "Coherence at 4");
}

/// What is known and what is assumed.
#[test]
fn where_rows_come_from() {
    let text = with(
        "evidence e ran \"llc 22\" \"llc {in}\" sha256 abc\nR.ACQ.s => ld.relaxed.s [assumed]\nW.REL.s => st.release.s [e 123]",
        &["R.ACQ", "W.REL"],
    );
    let mapping = mapping(&text);
    assert_eq!(mapping.assumed(), ["R.ACQ.s"]);
    assert_eq!(mapping.about.evidence[0].words, ["llc 22", "llc {in}"]);
    let printed = mapping.to_string();
    assert!(printed.contains("[assumed]") && printed.contains("[e 123]"), "{printed}");
    let mut options = options(4);
    options.only = names(PASSING);
    assert_eq!(falls(&ask(&mapping, &options)), "Coherence at 4");
    assert_eq!(
        falls(&ask(&mapping.known_only(), &options)),
        "none up to 4",
        "without the assumed row there is none"
    );
}

/// Mistakes are shown at their place, with what to do.
#[test]
fn mistakes() {
    for (rows, what) in [
        ("RMW.ACQ.s nadn => atom", "did you mean `nand`?"),
        ("R.ACQ.s nand => ld.acquire.s", "only a read-modify-write"),
        ("F.SC.s b8 => fence.sc.s", "a fence has no object"),
        ("CAS.REL/REL.s => atom.release.s", "no order of a failure"),
        ("R.REL/ACQ.s => ld.acquire.s", "only a compare-exchange has two orders"),
        ("CAS.FOO/ACQ.s => atom.release.s", "does not name two orders"),
        ("RMW.ACQ.s nand => atom\nRMW.ACQ.s b8 => atom", "two rows for `RMW.ACQ.s nand b8`"),
        ("CAS.ACQ/RLX.s => atom.acquire.s", "no row for CAS.ACQ/ACQ.s"),
        ("R.ACQ.s b8 => absent or ld.acquire.s", "expected a reason in quotes"),
        ("R.ACQ.s b8 => ld.acquire.s [nowhere]", "there is no evidence `nowhere`"),
        ("R.ACQ.s b8 => ld.acquire.s [ran a b]", "where it comes from, and with nothing else"),
        ("types b8 b9", "did you mean"),
        ("evidence x guessed", "is not one of ran, read, assumed"),
        ("scopes block planet", "`planet` is no scope"),
        ("architecture", "nothing stands after `architecture`"),
    ] {
        let errors = read(&with(rows, &[])).expect_err(rows);
        let said: String = errors
            .iter()
            .map(|e| {
                format!(
                    "{e} {:?} {}\n",
                    e.labels.first().map(|l| &l.text),
                    e.help.clone().unwrap_or_default()
                )
            })
            .collect();
        assert!(said.contains(what), "{rows}:\n{said}");
    }
}

/// Every shipped table of a compiler says where its rows come from, and reads back.
#[test]
fn shipped_tables_say_where_they_come_from() {
    for name in margay_mappings::library::compilers() {
        let mapping = shipped(name);
        assert!(mapping.known().is_some(), "{name} does not say where its rows come from");
    }
}
