//! What follows from a counterexample: asked again of its litmus test, by both engines; and which
//! of the smallest ones is shown.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::render::render;
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Counterexample, Level};
use margay_mappings::language::Mapping;
use margay_mappings::status::{Examiner, Status};
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::library;
use margay_models::signature::Signature;

use crate::setup::{ask, names, options, shipped};

/// What both engines say of the source test of a counterexample; and the compiled test has the
/// outcome.
fn again(mapping: &Mapping, c: &Counterexample) -> Status {
    let test = |x: &Execution, finals: &[Option<Event>]| {
        render(x, "again", None, finals).expect("a litmus test").test
    };
    let run = |model, test| {
        Runner::new(model).run(&test, &Options::default(), Choice::Both).expect("both agree")
    };
    assert!(
        run(&mapping.target, test(&c.target, &c.target_finals)).reachable,
        "the compiled program has the outcome"
    );
    let verdict = run(&mapping.source, test(&c.source, &c.finals));
    match (verdict.racy == Some(true), verdict.reachable) {
        (true, _) => Status::Racy,
        (false, true) => Status::Explained,
        (false, false) => Status::Program,
    }
}

fn statuses(mapping: &Mapping, report: &CheckReport) -> Vec<Status> {
    let said: Vec<Status> = report.counterexamples.iter().map(|c| c.status).collect();
    let found: Vec<Status> = report.counterexamples.iter().map(|c| again(mapping, c)).collect();
    assert_eq!(said, found, "{}", mapping.title);
    for c in &report.counterexamples {
        assert_eq!(c.race.is_some(), c.status == Status::Racy, "{}", mapping.title);
    }
    said
}

/// The smallest executions of four events that make Fig. 12's variant fall are of programs that
/// race, all of them.
#[test]
fn executions_of_racy_programs_are_called_so() {
    let mapping = shipped("rc11-to-ptx-no-release-rmw");
    let report = ask(&mapping, &options(4));
    assert_eq!(statuses(&mapping, &report), [Status::Racy]);
    let found = &report.counterexamples[0];
    let [a, b] = found.race.expect("where it races");
    let [a, b] = [a, b].map(|e| &found.source.events[e.index()]);
    assert!(
        a.location == b.location && a.thread != b.thread && [a.kind, b.kind].contains(&Kind::Write)
    );
    let all = ask(&mapping, &CheckOptions { all: Some(500), ..options(4) });
    let all = statuses(&mapping, &all);
    assert!(all.len() > 1 && all.iter().all(|&s| s == Status::Racy), "{all:?}");
    assert_eq!(
        ask(&mapping, &CheckOptions { level: Level::Program, ..options(4) }).verdict,
        CheckVerdict::None
    );
}

/// Message passing races without a guard: with it, it is a compiler bug, and that is what is shown.
#[test]
fn a_compiler_bug_comes_first_and_gets_the_guards_that_it_needs() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let asked = options(4).with(|o| o.only = names("R.NA,R.ACQ,W.NA,W.REL,R.RLX"));
    let report = ask(&mapping, &asked);
    assert_eq!(statuses(&mapping, &report), [Status::Program]);
    // With plain data only, nothing is left but a guard.
    let plain =
        CheckOptions { all: Some(500), ..asked }.with(|o| o.only = names("R.NA,R.ACQ,W.NA,W.REL"));
    let report = ask(&mapping, &plain);
    let all = statuses(&mapping, &report);
    assert!(all.is_sorted() && all[0] == Status::Program, "{all:?}");
    let guarded = report.counterexamples.iter().filter(|c| c.guards > 0).count();
    assert!(guarded > 0 && report.counterexamples.iter().all(|c| c.guards <= 1), "as few as do");
}

/// Whether there is a compiler bug of the smallest size does not depend on the way in which it is
/// asked; nor on the number of jobs.
#[test]
fn the_levels_agree_about_compiler_bugs() {
    for name in [
        "rc11-to-ptx-cta-release-store",
        "rc11-to-ptx-relaxed-release-rmw",
        "nvidia-abi-middle",
        "libcudacxx-3.5",
        "cuda-5.5",
    ] {
        let mapping = shipped(name);
        let execution = ask(&mapping, &options(4));
        let events = execution.established + 1;
        let program = ask(&mapping, &CheckOptions { level: Level::Program, ..options(events) });
        let first = execution.foremost().expect("it falls");
        assert_eq!(
            first.status == Status::Program,
            program.verdict == CheckVerdict::Counterexample,
            "{name}"
        );
        statuses(&mapping, &execution);
        statuses(&mapping, &program);
        let one = ask(&mapping, &options(4).with(|o| o.jobs = 1));
        let shown = |r: &CheckReport| {
            r.counterexamples.iter().map(|c| (c.source.clone(), c.status)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&execution), shown(&one), "{name}");
    }
}

/// Three stores; modification order has the two of one thread the wrong way round, and nobody sees
/// it.
#[test]
fn what_another_modification_order_explains_is_called_so() {
    let model = library::load("rc11-scoped", &[]).expect("shipped").model;
    let store = |thread: u16, value: i64| {
        let mut event = EventData::new(Kind::Write, Some(thread), Order::Rlx);
        (event.location, event.value, event.scope) = (Some(0), Some(value), Some(Scope::Sys));
        event
    };
    let mut init = EventData::new(Kind::Init, None, Order::Plain);
    (init.location, init.value) = (Some(0), Some(0));
    let place = |cta| Placement { cta, ..Placement::default() };
    let location = Location { name: "x".to_owned(), physical: 0, atomic: true };
    let status = |co: &[(u16, u16)], last: u16| {
        let events = vec![store(0, 2), store(0, 1), store(1, 3), init.clone()];
        let mut x =
            Execution::new(Signature::C, events, vec![place(0), place(1)], vec![location.clone()]);
        let pairs = (0..3).map(|e| (3, e)).chain(co.iter().copied());
        x.co = BitMatrix::from_pairs(4, pairs.map(|(a, b)| (Event(a), Event(b))));
        assert!(!margay_models::judge::judge(&model, &x).consistent);
        Examiner::new(&model, None).program(&x, &[Some(Event(last))]).status
    };
    // Second, first, third: the third is what is seen. Second, third, first: the first is, and must
    // not be.
    assert_eq!(status(&[(1, 0), (1, 2), (0, 2)], 2), Status::Explained);
    assert_eq!(status(&[(1, 2), (1, 0), (2, 0)], 0), Status::Program);
}

/// A limit that was reached is no answer.
#[test]
fn without_time_the_status_is_not_known() {
    let mapping = shipped("rc11-to-ptx-no-release-rmw");
    let found = ask(&mapping, &options(4)).counterexamples.remove(0);
    let past = std::time::Instant::now();
    assert_eq!(
        Examiner::new(&mapping.source, Some(past)).program(&found.source, &found.finals).status,
        Status::Unknown
    );
}
