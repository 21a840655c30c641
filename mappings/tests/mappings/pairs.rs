//! Rows for pairs of orders: where one pair alone is wrong, the program that is shown has that
//! pair, and asked about once more it is a counterexample again.

use margay_litmus::render::render;
use margay_mappings::Backend;
use margay_mappings::change::hint;
use margay_mappings::check::{CheckOptions, CheckVerdict};
use margay_mappings::language::Mapping;
use margay_mappings::naming::name;
use margay_mappings::one::{ProgramVerdict, ask};
use margay_models::diagnostic::SourceFile;

use crate::setup;

const SUCCESS: [(&str, &str); 5] = [
    ("RLX", "relaxed"),
    ("ACQ", "acquire"),
    ("REL", "release"),
    ("ACQ_REL", "acq_rel"),
    ("SC", "seq_cst"),
];
const FAILURE: [(&str, &str); 3] = [("RLX", "relaxed"), ("ACQ", "acquire"), ("SC", "seq_cst")];

/// A table with a row for each pair of orders, where a success or a failure with one of the pairs
/// has lost its order.
fn table(success: &str, failure: &str, fails: bool) -> Mapping {
    let mut text = "mapping \"pairs\" from c20-scoped to ptx-6.0\n\
        R.NA => ld.weak\nR.RLX.s => ld.relaxed.s\nR.ACQ.s => ld.acquire.s\nR.SC.s => fence.sc.s ; ld.acquire.s\n\
        W.NA => st.weak\nW.RLX.s => st.relaxed.s\nW.REL.s => st.release.s\nW.SC.s => fence.sc.s ; st.release.s\n\
        RMW.RLX.s => atom.relaxed.s\nRMW.ACQ.s => atom.acquire.s\nRMW.REL.s => atom.release.s\nRMW.ACQ_REL.s => atom.acq_rel.s\n\
        RMW.SC.s => fence.sc.s ; atom.acq_rel.s\n\
        F.ACQ.s => fence.acquire.s\nF.REL.s => fence.release.s\nF.ACQ_REL.s => fence.acq_rel.s\nF.SC.s => fence.sc.s\n"
        .to_owned();
    let right =
        |order: &str| if order == "SC" { "fence.sc.s ; atom.acq_rel.s" } else { "atom.acq_rel.s" };
    for (s, _) in SUCCESS {
        for (f, _) in FAILURE {
            let is_wrong = (s, f) == (success, failure);
            let on_success = if is_wrong && !fails { "atom.relaxed.s" } else { right(s) };
            let on_failure = if is_wrong && fails { "atom.relaxed.s" } else { right(f) };
            text += &format!("CAS.{s}/{f}.s => {on_success}\nCAS_FAIL.{s}/{f}.s => {on_failure}\n");
        }
    }
    setup::read(&text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Only what the pair needs, so that each question takes little.
fn options(success: &str, failure: &str, fails: bool) -> CheckOptions {
    // A read-modify-write is two events.
    let mut options = CheckOptions::new(if fails { 4 } else { 5 });
    options.jobs = 2;
    options.backend = Backend::batsat();
    let order = if fails { failure } else { success };
    let own = if fails { format!("R.{failure}") } else { format!("RMW.{success}") };
    let others = match order {
        "SC" => "R.SC,W.SC",
        "REL" => "R.NA,W.NA,R.ACQ",
        _ => "R.NA,W.NA,W.REL",
    };
    options.only = setup::names(&format!("{own},{others}"));
    options
}

#[test]
fn the_program_has_the_pair_that_is_wrong() {
    let mut asked = 0;
    for (success, on_success) in SUCCESS {
        for (failure, on_failure) in FAILURE {
            for fails in [false, true] {
                if [success, failure][usize::from(fails)] == "RLX" {
                    // Nothing is lost.
                    continue;
                }
                let what =
                    format!("{success}/{failure}, {}", if fails { "failure" } else { "success" });
                let mapping = table(success, failure, fails);
                let report = setup::ask(&mapping, &options(success, failure, fails));
                assert_eq!(report.verdict, CheckVerdict::Counterexample, "{what}");
                let found = &report.counterexamples[0];
                let source =
                    render(&found.source, "source", None, &found.finals).expect("a test").test;
                let text = source.to_string();
                let pair = format!("memory_order_{on_success}, memory_order_{on_failure}, ");
                assert!(text.contains(&pair), "{what}: {text}");
                // The rows that are named, those that a repair changes, and the program are about
                // the same.
                let head =
                    format!("{}.{success}/{failure}.s", if fails { "CAS_FAIL" } else { "CAS" });
                let named = name(&mapping, &found.source, &found.target, &found.origin)
                    .expect("it has rows");
                let heads: Vec<String> =
                    named.operations.iter().map(|o| o.text(&mapping)).collect();
                assert!(heads.iter().any(|h| h.starts_with(&head)), "{what}: {heads:?}");
                for changed in hint(&mapping, found).into_iter().flatten() {
                    let row = changed.slot.text(&mapping, &changed.lowering).0;
                    assert!(!row.starts_with("CAS") || row == head, "{what}: {row}");
                }
                let again = margay_litmus::read::test(&SourceFile::new("again.litmus", text))
                    .expect("it reads back")
                    .test;
                let answer =
                    ask(&mapping, &again, None).unwrap_or_else(|e| panic!("{what}: {e:?}"));
                assert_eq!(answer.answer, ProgramVerdict::Counterexample, "{what}");
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 22);
}
