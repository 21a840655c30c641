//! Barriers of a source: what their rows are made into, and what a wrong row does.

use margay_mappings::Backend;
use margay_mappings::change::weaken;
use margay_mappings::check::{CheckOptions, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_mappings::library;
use margay_mappings::one::{Refusal, ask as ask_one};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::execution::Kind;

use crate::setup::{ask, backends, falls, names, options, reads_back, shipped};

const NAME: &str = "cuda-barrier-to-ptx";

/// The shipped table with one piece of its text replaced.
fn changed(from: &str, to: &str) -> Result<Mapping, Vec<Diagnostic>> {
    let file = library::built_in(NAME).expect("it is shipped");
    assert_eq!(file.text.matches(from).count(), 1, "{from}");
    let text = SourceFile::new("changed.map", file.text.replace(from, to));
    load_text(&text, None, &LoadOptions::default()).map(|loaded| loaded.mapping)
}

fn asked(bound: usize) -> CheckOptions {
    let backend = backends().into_iter().next().unwrap_or_else(Backend::batsat);
    options(bound).with(|o| {
        o.backend = backend;
        o.only = names("R.NA,W.NA,B.ARRIVE,B.WAIT");
    })
}

#[test]
fn the_barriers_of_libcudacxx_keep_what_they_promise() {
    let mapping = shipped(NAME);
    assert_eq!(falls(&ask(&mapping, &asked(5))), "none up to 5");
    // With seven events there are two arrivals, a wait, and what one of the two has written before:
    // a wait that returned behind the first one would miss it.
    let executions = asked(7).with(|o| o.level = Level::Execution);
    assert_eq!(falls(&ask(&mapping, &executions)), "none up to 7");
    // The first line says what was not looked at, where barriers are asked about.
    assert_eq!(
        mapping.not_asked_in_words(None),
        "; each barrier had one phase, and no arrival a condition"
    );
    assert_eq!(mapping.not_asked_in_words(Some(&names("R.NA,W.REL"))), "");
}

/// A release or an acquire that is missing, and a scope that is too narrow: of an mbarrier, and of
/// a count in global memory. The witness has one arrival and one wait, is a test with an mbarrier
/// whose phase waits for that arrival, and an engine of tests confirms it.
#[test]
fn a_row_that_orders_too_little_falls() {
    for (right, wrong, mbarrier) in [
        ("=> mbarrier.arrive.release.cta", "=> mbarrier.arrive.relaxed.cta", true),
        ("=> mbarrier.arrive.release.cluster", "=> mbarrier.arrive.relaxed.cluster", true),
        ("=> mbarrier.arrive.release.cluster", "=> mbarrier.arrive.release.cta", true),
        ("=> mbarrier.try_wait.acquire.cta", "=> mbarrier.test_wait.relaxed.cta", true),
        ("=> mbarrier.try_wait.acquire.cluster", "=> mbarrier.try_wait.acquire", true),
        ("B.ARRIVE.gpu => atom.acq_rel.gpu", "B.ARRIVE.gpu => atom.acquire.gpu", false),
        ("B.WAIT.sys   => ld.acquire.sys", "B.WAIT.sys   => ld.acquire.gpu", false),
    ] {
        let mapping = changed(right, wrong).unwrap_or_else(|e| panic!("{e:?}"));
        let report = ask(&mapping, &asked(5));
        assert_eq!(falls(&report), "Coherence at 5", "{wrong}");
        let found = &report.counterexamples[0];
        reads_back(&mapping, found);
        let of_mbarrier =
            |kind| found.target.events.iter().filter(|e| e.mbarrier && e.kind == kind).count();
        let counted = [Kind::Init, Kind::Read, Kind::Write].map(of_mbarrier);
        assert_eq!(counted, if mbarrier { [1, 2, 1] } else { [0, 0, 0] }, "{wrong}");
    }
}

#[test]
fn rows_of_mbarriers_are_changed_within_what_mbarriers_have() {
    let mapping = shipped(NAME);
    let report = weaken(&mapping, &asked(5).with(|o| o.level = Level::Program), &Silent)
        .expect("a question");
    let mut texts = Vec::new();
    for row in &report.rows {
        for weaker in &row.weaker {
            let (head, body) = row.slot.text(&mapping, &weaker.lowering);
            texts.extend(body.contains("mbarrier").then(|| format!("{head} => {body}")));
        }
    }
    texts.sort();
    assert_eq!(
        texts,
        [
            "B.ARRIVE.cluster => mbarrier.arrive.relaxed.cluster",
            "B.ARRIVE.cluster => mbarrier.arrive.release.cta",
            "B.ARRIVE.cta => mbarrier.arrive.relaxed.cta",
            "B.WAIT.cluster => mbarrier.try_wait.acquire.cta",
            "B.WAIT.cluster => mbarrier.try_wait.relaxed.cluster",
            "B.WAIT.cta => mbarrier.try_wait.relaxed.cta",
        ]
    );
}

#[test]
fn what_no_row_can_say_is_refused_by_name() {
    for (right, wrong, message) in [
        (
            "B.WAIT.cta       => mbarrier.try_wait.acquire.cta",
            "B.WAIT.cta => ld.acquire.cta",
            "only the first is of an mbarrier",
        ),
        (
            "R.ACQ.s       => ld.acquire.s",
            "R.ACQ.s => mbarrier.try_wait.acquire.cta",
            "`R.ACQ` is no operation on a barrier",
        ),
        (
            "B.ARRIVE.gpu => atom.acq_rel.gpu",
            "B.ARRIVE.gpu => mbarrier.arrive.release.gpu",
            "no operation on an mbarrier has this scope",
        ),
        (
            "B.ARRIVE.gpu => atom.acq_rel.gpu",
            "B.ARRIVE.gpu => mbarrier.arrive.cluster",
            "is shared by the threads of a cluster",
        ),
        (
            "=> mbarrier.arrive.release.cta",
            "=> mbarrier.arrive.acquire.cta",
            "`mbarrier.arrive` has no `acquire`",
        ),
        (
            "=> mbarrier.arrive.release.cta",
            "=> mbarrier.arrive.seq_cst",
            "neither an order nor a scope",
        ),
        ("=> mbarrier.arrive.release.cta", "=> mbarrier.init", "rows do not emit `mbarrier.init`"),
        ("=> mbarrier.arrive.release.cta", "=> cp.async.bulk", "rows do not emit `cp.async.bulk`"),
        (
            "from cuda-barrier to ptx-8",
            "from cuda-barrier to ptx-6.0",
            "`ptx-6.0` does not speak of mbarriers",
        ),
    ] {
        let errors = changed(right, wrong).expect_err(wrong);
        assert!(errors.iter().any(|e| e.message.contains(message)), "{wrong}: {errors:?}");
    }
    let text = SourceFile::new(
        "target.map",
        "mapping \"m\" from c20 to cuda-barrier\nR.RLX => B.WAIT.sys\n",
    );
    let errors = load_text(&text, None, &LoadOptions::default())
        .map(|_| ())
        .expect_err("a barrier of the target");
    assert!(errors.iter().any(|e| e.message.contains("no search knows the phases")), "{errors:?}");
}

/// The compiled program of one test counts no arrivals, so that a wait would return too early.
#[test]
fn one_program_with_a_barrier_is_refused() {
    let mapping = shipped(NAME);
    let text = "cuda-barrier one\n{ x=0; b=0; }\n P0@cta 0 | P1@cta 0 ;\n W.NA x, 1 | B.WAIT.cta r0, b ;\n \
                B.ARRIVE.cta.exch r0, b, 1 | R.NA r1, x ;\nexists (P1:r1 == 0)\n";
    let test = margay_litmus::read::test(&SourceFile::new("one.litmus", text))
        .unwrap_or_else(|e| panic!("{e:?}"))
        .test;
    assert!(matches!(ask_one(&mapping, &test, None), Err(Refusal::Barrier(_))));
}

/// The rows are those that nvcc emitted: each kernel of tests/kernels/barriers.ptx has the
/// instruction of a row.
#[test]
fn the_rows_are_what_nvcc_emits() {
    let text = include_str!("../../../tests/kernels/barriers.ptx");
    let mapping = shipped(NAME);
    let mut found = Vec::new();
    for kernel in text.split(".entry ").skip(1) {
        let name = kernel.split('(').next().unwrap_or_default();
        let is_of_barrier = |word: &&str| {
            word.starts_with("mbarrier.")
                || word.starts_with("atom.")
                || word.starts_with("ld.acquire")
        };
        let emitted = kernel
            .split_whitespace()
            .find(is_of_barrier)
            .unwrap_or_else(|| panic!("{name}: no operation on a barrier"));
        let left_out = ["shared::cta", "b64", "u64", "add", "parity"];
        let instruction: Vec<&str> =
            emitted.split('.').filter(|part| !left_out.contains(part)).collect();
        let (scope, what) = name.split_once('_').expect("a scope and what is done");
        let scope = scope.replace("block", "cta").replace("device", "gpu").replace("system", "sys");
        let head = format!("B.{}.{scope}", what.to_uppercase());
        let row = library::built_in(NAME).expect("it is shipped");
        let row = row
            .text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(&head))
            .expect(&head)
            .to_owned();
        let measured = changed(&row, &format!("{head} => {}", instruction.join(".")))
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let steps = |m: &Mapping| {
            m.rows.iter().map(|r| r.alternatives[0].steps.clone()).collect::<Vec<_>>()
        };
        assert_eq!(steps(&measured), steps(&mapping), "{name}: {emitted}");
        found.push(head);
    }
    found.sort();
    let all = ["ARRIVE", "WAIT"]
        .iter()
        .flat_map(|what| ["cluster", "cta", "gpu", "sys"].map(|s| format!("B.{what}.{s}")));
    assert_eq!(found, all.collect::<Vec<_>>());
}
