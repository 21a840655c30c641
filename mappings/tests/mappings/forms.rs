//! Compare-exchange with rows of its own.

use margay_mappings::check::CheckReport;
use margay_models::execution::Kind;

use crate::setup::{ask, falls, names, options, read, without_failures};

/// The published mapping with more rows.
fn with(rows: &str) -> String {
    format!("{}\n{rows}\n", without_failures("rc11-to-ptx"))
}

fn report(rows: &str, only: &str) -> CheckReport {
    let mapping = read(&with(rows)).unwrap_or_else(|e| panic!("{e:?}"));
    let mut options = options(4);
    options.only = names(only);
    ask(&mapping, &options)
}

/// Message passing over a flag that is read by a failing compare-exchange.
#[test]
fn a_failing_one_is_a_load_of_its_own_order() {
    let only = "R.NA,R.ACQ,W.NA,W.REL";
    assert_eq!(falls(&report("", only)), "none up to 4");
    assert_eq!(falls(&report("CAS_FAIL.ACQ.s => atom.acquire.s", only)), "none up to 4");
    assert_eq!(falls(&report("CAS_FAIL.ACQ.s => atom.acq_rel.s", only)), "none up to 4");
    let weak = report("CAS_FAIL.ACQ.s => atom.relaxed.s or ld.acquire.s", only);
    assert_eq!(falls(&weak), "Coherence at 4");
    let source = &weak.counterexamples[0].source;
    let compares = source.events.iter().filter(|e| e.compare).map(|e| e.kind).collect::<Vec<_>>();
    assert_eq!(compares, [Kind::Read], "one failing compare-exchange, which writes nothing");
    assert!(weak.counterexamples[0].target.events.iter().any(|e| e.compare));
}

#[test]
fn one_that_succeeds_is_a_read_modify_write() {
    let only = "R.NA,W.NA,RMW.ACQ,W.REL";
    assert_eq!(
        falls(&report("CAS.ACQ.s => atom.acquire.s", "R.NA,W.NA,RMW.ACQ,W.REL")),
        "none up to 4"
    );
    let mut weak = options(5);
    weak.only = names(only);
    let mapping = read(&with("CAS.ACQ.s => atom.relaxed.s")).unwrap_or_else(|e| panic!("{e:?}"));
    let weak = ask(&mapping, &weak);
    assert_eq!(falls(&weak), "Coherence at 5");
    let compares = weak.counterexamples[0].source.events.iter().filter(|e| e.compare).count();
    assert_eq!(compares, 2, "both halves");
}

#[test]
fn forms_that_are_wrong() {
    let refused = |rows: &str| -> String {
        match read(&with(rows)) {
            Ok(_) => panic!("accepted: {rows}"),
            Err(errors) => errors
                .iter()
                .map(|e| format!("{e} | {}", e.help.clone().unwrap_or_default()))
                .collect(),
        }
    };
    let rows = [
        "CAS.NA => atom",
        "CAS_FAIL.REL.s => ld.relaxed.s",
        "CAS.SC.gpu => atom",
        "CAS.SC.s => ld.acquire.s",
        "CAS_FAIL.SC.s => st.relaxed.s",
        "CAS.SC.s => atom\nCAS.SC.s => atom",
        "CAS.SC.s => atom or atom or atom or atom or atom or atom or atom or atom",
        "CASS.SC.s => atom",
    ];
    insta::assert_snapshot!(rows.map(|r| format!("{r}\n    {}", refused(r))).join("\n"));
}
