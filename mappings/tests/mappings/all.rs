//! `all`: every counterexample is confirmed by the judge, no two are isomorphic, and none is
//! missing.

use std::collections::BTreeSet;

use margay_mappings::check::{CheckOptions, CheckReport, Counterexample, Level, WitnessPair};
use margay_mappings::encode::AxiomId;
use margay_mappings::language::Mapping;
use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::signature::{Construct, constructs};

use crate::brute::{Search, axioms};
use crate::setup::{ask, names, options, shipped, without_failures};

/// The source execution and the choices of lowerings under the renaming of threads that makes the
/// text smallest.
fn class(execution: &Execution, choices: &[usize]) -> String {
    let threads: Vec<usize> = (0..execution.threads.len()).collect();
    orders(&threads).iter().map(|order| text(execution, choices, order)).min().unwrap_or_default()
}

fn orders(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    things
        .iter()
        .flat_map(|&x| {
            let rest: Vec<usize> = things.iter().copied().filter(|&y| y != x).collect();
            orders(&rest).into_iter().map(move |p| [vec![x], p].concat())
        })
        .collect()
}

fn text(execution: &Execution, choices: &[usize], order: &[usize]) -> String {
    let events: Vec<Event> = order
        .iter()
        .flat_map(|&t| {
            (0..execution.size()).filter(move |&e| execution.events[e].thread == Some(t as u16))
        })
        .map(Event::from)
        .collect();
    let mut locations = Vec::new();
    let mut out = String::new();
    for e in &events {
        let data = &execution.events[e.index()];
        let location = data.location.map(|l| {
            locations.iter().position(|&x| x == l).unwrap_or_else(|| {
                locations.push(l);
                locations.len() - 1
            })
        });
        let thread = order.iter().position(|&t| data.thread == Some(t as u16));
        out +=
            &format!("{thread:?} {:?} {:?} {:?} {location:?};", data.kind, data.order, data.scope);
    }
    for (i, &s) in order.iter().enumerate() {
        for &t in &order[..i] {
            let shared = margay_models::execution::Scope::ALL
                .map(|x| execution.threads[s].shares(x, execution.threads[t]));
            out += &format!("{shared:?}");
        }
    }
    for relation in [&execution.rf, &execution.co] {
        for a in &events {
            out.extend(events.iter().map(|b| if relation.contains(*a, *b) { '1' } else { '0' }));
        }
    }
    // Choices are numbered by operation, in the order of threads.
    assert!(
        choices.is_empty() || order.len() == 1 || choices.iter().all(|&c| c == 0),
        "not needed so far"
    );
    out
}

fn confirmed(mapping: &Mapping, c: &Counterexample) {
    let witness = WitnessPair {
        source: c.source.clone(),
        target: c.target.clone(),
        origin: c.origin.clone(),
        finals: c.finals.clone(),
        target_finals: c.target_finals.clone(),
    };
    let question = mapping.source.check_named(&c.axiom).expect("the axiom has a name");
    assert_eq!(
        witness.confirm(mapping, &[AxiomId(question)], Level::Execution),
        Ok(AxiomId(question))
    );
}

fn all(mapping: &Mapping, axiom: &str, only: &str, bound: usize, narrow: bool) -> CheckReport {
    let mut options = options(bound);
    options.axioms = names(axiom);
    options.only = names(only);
    options.all = Some(5000);
    options.techniques.narrow_scopes = narrow;
    let report = ask(mapping, &options);
    assert!(!report.truncated);
    report
}

#[test]
fn as_many_as_enumeration_finds() {
    for (name, axiom, only) in [
        ("rc11-to-ptx-weak-relaxed-load", "Coherence", "R.RLX,W.RLX"),
        ("rc11-to-ptx-weak-relaxed-store", "Coherence", "R.RLX,W.RLX"),
        ("rc11-to-ptx-gpu-relaxed-load", "Coherence", "R.RLX,W.RLX"),
        ("rc11-to-ptx-cta-relaxed-rmw", "Atomicity", "W.RLX,RMW.RLX"),
    ] {
        let mapping = without_failures(name);
        let report = all(&mapping, axiom, only, 3, false);
        assert_eq!(report.established, 2, "{name}");
        let found: Vec<String> =
            report.counterexamples.iter().map(|c| class(&c.source, &[])).collect();
        let distinct: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(found.len(), distinct.len(), "{name}: isomorphic counterexamples");
        report.counterexamples.iter().for_each(|c| confirmed(&mapping, c));

        let signature = mapping.source.signature;
        let wanted = names(only);
        let only: Vec<Construct> = constructs(signature)
            .into_iter()
            .filter(|c| wanted.contains(&c.name(signature)))
            .collect();
        let search = Search { mapping: &mapping, constructs: &only, typed: true };
        let index = mapping.source.check_named(axiom).expect("an axiom of the model");
        assert!(axioms(&mapping.source).contains(&index));
        let every: BTreeSet<String> =
            search.every(3, index).iter().map(|f| class(&f.source, &f.choices)).collect();
        assert_eq!(distinct, every, "{name}");
    }
}

/// With scopes as narrow as they can be there are fewer, and all of them are among those without
/// the restriction.
#[test]
fn narrow_scopes_lose_no_verdict() {
    let mapping = shipped("rc11-to-ptx-weak-relaxed-load");
    let classes = |narrow: bool| -> BTreeSet<String> {
        let report = all(&mapping, "Coherence", "R.RLX,W.RLX", 3, narrow);
        assert_eq!(report.established, 2);
        report.counterexamples.iter().for_each(|c| confirmed(&mapping, c));
        report.counterexamples.iter().map(|c| class(&c.source, &[])).collect()
    };
    let (narrow, wide) = (classes(true), classes(false));
    assert!(!narrow.is_empty() && narrow.len() < wide.len() && narrow.is_subset(&wide));
}

/// A counterexample is found in many instances (numberings of threads and addresses): a short list
/// is complete all the same, and as long as the one that `next` goes through.
#[test]
fn a_short_list_is_complete() {
    let mapping = shipped("rc11-to-ptx-no-fence-sc-load");
    let asked =
        |all, next| ask(&mapping, &CheckOptions { all, next, level: Level::Program, ..options(4) });
    let one_by_one = asked(None, Some(0));
    let [listed] = one_by_one.listed.as_slice() else {
        panic!("one list: {:?}", one_by_one.listed.len())
    };
    assert!(!listed.more && listed.of > 1, "{}", listed.of);
    let report = asked(Some(20), None);
    assert_eq!((report.counterexamples.len(), report.truncated), (listed.of, false));
    let first = asked(Some(1), None);
    assert_eq!((first.counterexamples.len(), first.truncated), (1, true));
}
