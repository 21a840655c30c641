//! CaDiCaL passes the tests of solvers, also where it takes over from another one, and misuse of it is an error.

use margay_solver::{Answer, Backend, Limits, SolverOptions};

#[test]
fn it_passes_the_suite() {
    margay_solver::solver::suite::check(&margay_cadical::backend());
}

#[test]
fn it_passes_where_it_takes_over() {
    margay_solver::solver::suite::check(&margay_cadical::auto());
    for (name, conflicts) in [("at-once", 0), ("soon", 7)] {
        margay_solver::solver::suite::check(&Backend::relay(name, Backend::batsat(), margay_cadical::backend(), conflicts));
    }
}

/// More pigeons than holes, twice: clauses that come later, and limits of one call, are those of both solvers.
#[test]
fn it_takes_over_after_so_many_conflicts() {
    let backend = Backend::relay("soon", Backend::batsat(), margay_cadical::backend(), 50);
    let mut solver = backend.start(&SolverOptions::default()).unwrap();
    let (holes, at) = (6, |pigeon: i32, hole: i32| pigeon * 6 + hole + 1);
    for pigeon in 0..=holes {
        // Without the last literal there is one pigeon too many.
        let somewhere: Vec<i32> = (0..holes).map(|h| at(pigeon, h)).chain([1000]).collect();
        solver.add(&somewhere).unwrap();
        for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
            solver.add(&[-at(pigeon, hole), -at(other, hole)]).unwrap();
        }
    }
    let few = Limits { conflicts: Some(20), ..Limits::default() };
    assert_eq!(solver.solve(&[-1000], &few), Ok(Answer::Unknown));
    assert!((1..=25).contains(&solver.conflicts()), "{} conflicts of the first", solver.conflicts());
    assert_eq!(solver.solve(&[-1000], &Limits::default()), Ok(Answer::Unsat));
    assert!(solver.conflicts() > 50 && solver.core() == Ok(vec![-1000]));
    let all = solver.conflicts();
    assert_eq!(solver.solve(&[], &Limits::default()), Ok(Answer::Sat));
    solver.add(&[-1000]).unwrap();
    assert_eq!(solver.solve(&[], &Limits::default()), Ok(Answer::Unsat));
    assert!(solver.conflicts() >= all, "conflicts are those of all calls");
}

#[test]
fn an_option_that_the_second_does_not_have_is_refused_at_once() {
    let set = SolverOptions { set: vec![("nothing".to_owned(), 1)], ..SolverOptions::default() };
    assert!(margay_cadical::auto().start(&set).is_err());
}

#[test]
fn misuse_is_an_error() {
    let mut solver = margay_cadical::backend().start(&SolverOptions::default()).unwrap();
    assert!(solver.model(1).is_err() && solver.core().is_err(), "nothing was asked");
    assert!(solver.add(&[1, 0, 2]).is_err() && solver.add(&[i32::MIN]).is_err(), "no literals");
    assert!(solver.solve(&[0], &Limits::default()).is_err(), "no literal");
    solver.add(&[1]).unwrap();
    solver.solve(&[], &Limits::default()).unwrap();
    assert!(solver.core().is_err(), "there is an assignment");
    assert_eq!(solver.model(3), Ok(vec![true, false, false]));
    solver.solve(&[-1], &Limits::default()).unwrap();
    assert!(solver.model(1).is_err(), "there is no assignment");
    assert_eq!(solver.core(), Ok(vec![-1]));
    solver.add(&[2]).unwrap();
    assert!(solver.core().is_err(), "clauses came after the answer");
    let set = |name: &str, value: i32| SolverOptions { set: vec![(name.to_owned(), value)], ..SolverOptions::default() };
    for name in ["nothing", "", "se\0ed"] {
        assert!(margay_cadical::backend().start(&set(name, 1)).is_err(), "{name:?}");
    }
    assert!(margay_cadical::backend().start(&set("seed", 3)).is_ok());
}
