//! Sessions stop when told, and may be moved to other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::backends;
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Logic, Preset, Session, SessionOutcome, SolverLimits,
    SolverOptions, TupleSet, Universe,
};

/// More pigeons than holes, without symmetry breaking: nothing that a solver finishes soon.
fn pigeons(pigeons: u32, backend: &Backend, options: &SolverOptions) -> Session {
    let holes = pigeons - 1;
    let mut logic = Logic::new();
    let nest = logic.relation("nest", 2);
    let mut bounds = Bounds::new(Universe::new((0..pigeons + holes).map(|i| i.to_string())));
    let all =
        (0..pigeons).flat_map(|p| (pigeons..pigeons + holes).map(move |h| [Atom(p), Atom(h)]));
    bounds.between(nest, TupleSet::new(2), TupleSet::from_tuples(2, all));
    let set = |from: u32, to: u32| TupleSet::from_tuples(1, (from..to).map(|a| [Atom(a)]));
    let (birds, places) =
        (logic.constant(set(0, pigeons)), logic.constant(set(pigeons, pigeons + holes)));
    let e = logic.rel(nest);
    let function = logic.function(e, birds, places);
    let back = logic.transpose(e);
    let shared = logic.join(e, back);
    let identity = logic.identity();
    let injective = logic.subset(shared, identity);
    let mut session = Session::with_options(bounds, Encoding::default(), backend, options);
    session.assert(&logic, function);
    session.assert(&logic, injective);
    session
}

#[test]
fn a_session_on_another_thread_stops_when_told() {
    for backend in backends().iter().filter(|b| b.interruptible()) {
        let stop = Arc::new(AtomicBool::new(false));
        let limits = SolverLimits { stop: Some(stop.clone()), ..SolverLimits::default() };
        let mut session = pigeons(13, backend, &SolverOptions::default());
        let worker = std::thread::spawn(move || {
            let outcome = session.solve(&[], &limits).unwrap();
            (outcome, Instant::now(), session)
        });
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        let raised = Instant::now();
        let (outcome, stopped, mut session) = worker.join().expect("no panic");
        assert_eq!(outcome, SessionOutcome::Unknown, "{backend}");
        // 50 ms on an idle machine; tests run on loaded ones.
        assert!(stopped.saturating_duration_since(raised) < Duration::from_secs(120), "{backend}");
        // It can go on.
        let limits = SolverLimits {
            deadline: Some(Instant::now() + Duration::from_millis(20)),
            ..SolverLimits::default()
        };
        assert_eq!(session.solve(&[], &limits).unwrap(), SessionOutcome::Unknown, "{backend}");
        assert!(session.statistics().conflicts > 0, "{backend}");
    }
}

/// Options are CaDiCaL's; the other solvers ignore them.
#[test]
fn options_change_the_search_and_not_the_answer() {
    for backend in backends() {
        for preset in [Preset::Default, Preset::Sat, Preset::Unsat, Preset::Plain] {
            let options = SolverOptions { preset, set: vec![("seed".to_owned(), 7)] };
            let mut session = pigeons(5, &backend, &options);
            assert_eq!(
                session.solve(&[], &SolverLimits::default()).unwrap(),
                SessionOutcome::Unsat,
                "{backend}: {preset:?}"
            );
        }
    }
    let Ok(cadical) = "cadical".parse::<Backend>() else {
        eprintln!("skipped: this build is without CaDiCaL (feature `cadical`)");
        return;
    };
    let options =
        SolverOptions { set: vec![("no such option".to_owned(), 1)], ..SolverOptions::default() };
    let error = pigeons(5, &cadical, &options)
        .solve(&[], &SolverLimits::default())
        .expect_err("there is no such option");
    assert!(error.to_string().contains("`no such option`"), "{error}");
}

#[test]
fn solvers_have_names() {
    for backend in Backend::available() {
        assert_eq!(backend.to_string().parse::<Backend>().as_ref(), Ok(&backend));
        assert!(!backend.version().is_empty());
    }
    let error = "minisat".parse::<Backend>().expect_err("not there");
    assert!(error.contains("auto") && error.contains("batsat"), "{error}");
    if !Backend::available().iter().any(|b| b.name() == "cadical") {
        let error = "CaDiCaL".parse::<Backend>().expect_err("not in this build");
        assert!(
            error.contains("--features cadical") && error.contains("dimacs:cadical"),
            "{error}"
        );
    }
}

/// A recursive relation is a circuit that grows with each round.
#[test]
fn a_translation_that_was_stopped_says_nothing() {
    let mut logic = Logic::new();
    let edge = logic.relation("edge", 2);
    let edges = logic.rel(edge);
    let recursion = logic.recursion("path", 2);
    let path = logic.rec(recursion);
    let longer = logic.join(path, edges);
    let body = logic.union(edges, longer);
    let paths = logic.fixpoint(&[(recursion, body)]).expect("it is monotone")[0];
    let (some, none) = (logic.some(paths), logic.no(paths));
    let truth = logic.or([some, none]);
    for formula in [some, none, truth] {
        let ask = |limits: SolverLimits| {
            let mut bounds = Bounds::new(Universe::new((0..4).map(|i| i.to_string())));
            let all = (0..4).flat_map(|a| (0..4).map(move |b| [Atom(a), Atom(b)]));
            bounds.between(edge, TupleSet::new(2), TupleSet::from_tuples(2, all));
            let mut session = Session::new(bounds, Encoding::default(), &Backend::batsat());
            session.set_limits(limits);
            let goal = session.goal(&logic, formula);
            // The question itself has time enough.
            let answers = [
                session.solve(&[], &SolverLimits::default()),
                session.solve(&[goal], &SolverLimits::default()),
            ];
            let by_cases = session.solve_by_cases(&[goal], 2, &SolverLimits::default());
            answers.into_iter().chain([by_cases]).map(Result::unwrap).collect::<Vec<_>>()
        };
        let stopped = SolverLimits { deadline: Some(Instant::now()), ..SolverLimits::default() };
        assert!(
            ask(SolverLimits::default())
                .iter()
                .all(|answer| matches!(answer, SessionOutcome::Sat(_)))
        );
        assert!(ask(stopped).iter().all(|answer| *answer == SessionOutcome::Unknown));
    }
}
