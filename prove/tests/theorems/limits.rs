//! Questions that are small as a text and large when they are taken apart: each is answered, and
//! what ends a search ends it everywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use margay_prove::theorem::{Report, prove};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

use super::models::read;
use super::{mapping, no_sc, setting};

/// A property of a model that has these lines.
fn asked(lines: &str, property: &str, stop: &StopSignal) -> Report {
    let text =
        format!("X86 \"large\"\n{lines}\nacyclic po | rf | co | fr as SC\n{property} as Question");
    let model = read("large.cat", &text);
    let number = model.check_named("Question").expect("it is there");
    prove(&Setting::of_model(&model, &[number]).expect("it is of a form that has a rule"), stop)
}

/// So many pairs of relations, no two of which are equal.
fn pairs(count: usize) -> String {
    let chain = |of: &str, times: usize| vec![of; times + 1].join("; ");
    let pair = |k: usize| {
        format!("let a{k} = po | {}\nlet b{k} = co | {}\n", chain("rf", k), chain("po", k))
    };
    (0..count).map(pair).collect()
}

fn joined(count: usize, inner: &str, outer: &str) -> String {
    (0..count).map(|k| format!("(a{k} {inner} b{k})")).collect::<Vec<_>>().join(outer)
}

/// An axiom about a union of intersections has 2^24 clauses, one about an intersection of unions
/// 2^24 cases.
#[test]
fn large_axioms_are_taken_apart_by_parts() {
    let (unions, intersections) = (joined(24, "&", " | "), joined(24, "|", " & "));
    for wide in [
        &unions,
        &intersections,
        &format!("({unions}) & ({intersections})"),
        &format!("({unions}) \\ ({intersections})"),
    ] {
        for axiom in
            [format!("empty po \\ ({wide}) as Wide"), format!("empty co & ({wide}) as Wide")]
        {
            let lines = format!("{}{axiom}", pairs(24));
            let report = asked(&lines, "acyclic po | co", &StopSignal::default());
            assert!(report.is_theorem(), "{axiom}: {:?}", report.goals[0].gap);
        }
    }
}

/// The same as definitions, as what is to be shown, and in closures.
#[test]
fn large_definitions_and_questions_are_taken_apart_by_parts() {
    let (unions, intersections) = (joined(24, "&", " | "), joined(24, "|", " & "));
    for wide in [&unions, &intersections] {
        let lines = format!("{}let wide = {wide}\nacyclic wide | po as Wide", pairs(24));
        for property in [
            "irreflexive wide & po",
            "acyclic (wide & po) | (wide & po; po)",
            "empty po & co^-1 & wide",
        ] {
            // Within its limits the search has an answer; that it is the right one is of no
            // interest here.
            let report = asked(
                &lines,
                property,
                &StopSignal {
                    flag: None,
                    deadline: Some(Instant::now() + Duration::from_secs(600)),
                },
            );
            assert_eq!(report.goals.len(), 1);
        }
    }
}

/// Each definition uses the one before it twice, and as a tree it has 2^40 leaves.
#[test]
fn definitions_that_are_used_twice_are_not_opened_without_end() {
    let twice: String =
        (1..40).map(|k| format!("let d{k} = (d{0} & rf) | (d{0}; po)\n", k - 1)).collect();
    let local: String =
        (1..40).map(|k| format!("let e{k} = (e{0} & loc) | (e{0} & ext)\n", k - 1)).collect();
    let lines =
        format!("let d0 = po | co\n{twice}let e0 = po | co\n{local}acyclic d39 | e39 as Deep");
    for property in ["acyclic po | co", "irreflexive d39 & id", "irreflexive e39 & id"] {
        let report = asked(
            &lines,
            property,
            &StopSignal { flag: None, deadline: Some(Instant::now() + Duration::from_secs(600)) },
        );
        assert_eq!(report.goals.len(), 1);
        assert!(
            property.contains("39") || report.is_theorem(),
            "{property}: {:?}",
            report.goals[0].gap
        );
    }
}

/// Steps of program order are told apart by halves of operations: 2^30 ways for a path of 30.
#[test]
fn long_paths_are_not_split_without_end() {
    let path = vec!["po"; 30].join("; ");
    let report = asked(&format!("let far = {path}"), "acyclic far | co", &StopSignal::default());
    assert!(report.is_theorem(), "{:?}", report.goals[0].gap);
}

#[test]
fn what_ends_a_search_ends_it_everywhere() {
    let table = mapping("rc11-to-ptx", None);
    let asked = setting(&table, &no_sc());
    let stopped = StopSignal { flag: Some(Arc::new(AtomicBool::new(true))), deadline: None };
    let report = prove(&asked, &stopped);
    assert!(
        report.stopped && report.proof.is_none() && report.goals.iter().all(|g| g.gap.is_some())
    );
    // At any moment: what is called a theorem was checked.
    for milliseconds in [1, 20, 100, 300, 700] {
        let flag = Arc::new(AtomicBool::new(false));
        let raise = flag.clone();
        let waiting = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(milliseconds));
            raise.store(true, Ordering::Relaxed);
        });
        let report = prove(&asked, &StopSignal { flag: Some(flag), deadline: None });
        waiting.join().expect("it only waits");
        assert!(report.stopped || report.is_theorem());
        assert!(report.goals.iter().all(|g| g.gap.is_some()) || report.proof.is_some());
    }
}
