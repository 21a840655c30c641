//! One solver takes over from another, and CaDiCaL where it is in the build.

use crate::literals;
use margay_solver::solver::suite;
use margay_solver::{Backend, SolverAnswer, SolverLimits, SolverOptions};

/// The last solver of this build, after BatSat for so many conflicts.
fn after_batsat(name: &'static str, conflicts: u64) -> Backend {
    Backend::relay(
        name,
        Backend::batsat(),
        Backend::available().pop().unwrap_or_default(),
        conflicts,
    )
}

#[test]
fn they_pass_where_one_takes_over() {
    for backend in [after_batsat("at-once", 0), after_batsat("soon", 7), Backend::auto()] {
        suite::check(&backend);
    }
}

/// More pigeons than holes, twice: clauses that come later, and limits of one call, are those of
/// both solvers.
#[test]
fn it_takes_over_after_so_many_conflicts() {
    let second = "cadical".parse::<Backend>().unwrap_or_else(|_| Backend::batsat());
    let backend = Backend::relay("soon", Backend::batsat(), second, 50);
    let mut solver = backend.start(&SolverOptions::default()).unwrap();
    let (holes, at) = (6, |pigeon: i32, hole: i32| pigeon * 6 + hole + 1);
    for pigeon in 0..=holes {
        // Without the last literal there is one pigeon too many.
        let somewhere: Vec<i32> = (0..holes).map(|h| at(pigeon, h)).chain([1000]).collect();
        solver.add(&literals(&somewhere)).unwrap();
        for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole)))
        {
            solver.add(&literals(&[-at(pigeon, hole), -at(other, hole)])).unwrap();
        }
    }
    let few = SolverLimits { conflicts: Some(20), ..SolverLimits::default() };
    assert_eq!(solver.solve(&literals(&[-1000]), &few), Ok(SolverAnswer::Unknown));
    assert!(
        (1..=25).contains(&solver.conflicts()),
        "{} conflicts of the first",
        solver.conflicts()
    );
    assert_eq!(
        solver.solve(&literals(&[-1000]), &SolverLimits::default()),
        Ok(SolverAnswer::Unsat)
    );
    assert!(solver.conflicts() > 50 && solver.core() == Ok(literals(&[-1000])));
    let all = solver.conflicts();
    assert_eq!(solver.solve(&[], &SolverLimits::default()), Ok(SolverAnswer::Sat));
    solver.add(&literals(&[-1000])).unwrap();
    assert_eq!(solver.solve(&[], &SolverLimits::default()), Ok(SolverAnswer::Unsat));
    assert!(solver.conflicts() >= all, "conflicts are those of all calls");
}

#[test]
fn misuse_of_cadical_is_an_error() {
    let Ok(cadical) = "cadical".parse::<Backend>() else {
        eprintln!("skipped: this build is without CaDiCaL (feature `cadical`)");
        return;
    };
    let mut solver = cadical.start(&SolverOptions::default()).unwrap();
    assert!(solver.model(1).is_err() && solver.core().is_err(), "nothing was asked");
    solver.add(&literals(&[1])).unwrap();
    solver.solve(&[], &SolverLimits::default()).unwrap();
    assert!(solver.core().is_err(), "there is an assignment");
    assert_eq!(solver.model(3), Ok(vec![true, false, false]));
    solver.solve(&literals(&[-1]), &SolverLimits::default()).unwrap();
    assert!(solver.model(1).is_err(), "there is no assignment");
    assert_eq!(solver.core(), Ok(literals(&[-1])));
    solver.add(&literals(&[2])).unwrap();
    assert!(solver.core().is_err(), "clauses came after the answer");
    let set = |name: &str, value: i32| SolverOptions {
        set: vec![(name.to_owned(), value)],
        ..SolverOptions::default()
    };
    for name in ["nothing", "", "se\0ed"] {
        assert!(cadical.start(&set(name, 1)).is_err(), "{name:?}");
        assert!(
            Backend::auto().start(&set(name, 1)).is_err(),
            "the one that takes over refuses {name:?} at once"
        );
    }
    assert!(cadical.start(&set("seed", 3)).is_ok());
}
