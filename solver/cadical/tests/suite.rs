//! CaDiCaL passes the tests of solvers, and misuse of it is an error.

use margay_solver::{Limits, SolverOptions};

#[test]
fn it_passes_the_suite() {
    margay_solver::solver::suite::check(&margay_cadical::backend());
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
