//! Solvers that are programs of their own. The programs are small shell scripts, and the CaDiCaL of
//! the machine where there is one.
#![cfg(unix)]

use std::path::Path;

use crate::literals;
use margay_solver::solver::suite;
use margay_solver::{Backend, Solver, SolverAnswer, SolverLimits, SolverOptions};

/// The command of a program that does what a shell script says, its arguments the problem and the
/// file for the proof. The shell reads the script: a file that was just written cannot be started
/// while another test forks ("Text file busy").
fn program(folder: &Path, name: &str, script: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, format!("{script}\n")).expect("there is room");
    format!("sh {}", path.display())
}

/// A solver that is such a program, with the clauses x or y, x or not y.
fn solver(folder: &Path, name: &str, script: &str) -> Box<dyn Solver> {
    let command = program(folder, name, script);
    let mut solver =
        Backend::dimacs(&command).start(&SolverOptions::default()).expect("nothing to start");
    solver.add(&literals(&[1, 2])).expect("a clause");
    solver.add(&literals(&[1, -2])).expect("a clause");
    solver
}

#[test]
fn the_problem_is_dimacs_with_the_assumptions_as_clauses() {
    let folder = tempfile::tempdir().expect("there is room");
    let copy = folder.path().join("copy");
    let script = format!(
        "cp \"$1\" {}; echo 'c a comment'; echo 's SATISFIABLE'; echo 'v 1'; echo 'v 3 -2 0'",
        copy.display()
    );
    let mut solver = solver(folder.path(), "says-yes", &script);
    assert_eq!(solver.solve(&literals(&[3]), &SolverLimits::default()), Ok(SolverAnswer::Sat));
    assert_eq!(solver.model(4), Ok(vec![true, false, true, false]));
    assert_eq!(
        std::fs::read_to_string(copy).expect("it was copied"),
        "p cnf 3 3\n1 2 0\n1 -2 0\n3 0\n"
    );
}

#[test]
fn what_it_says_is_compared_with_the_clauses() {
    let folder = tempfile::tempdir().expect("there is room");
    for (name, script, expected) in [
        ("lies", "echo 's SATISFIABLE'; echo 'v -1 2 0'", "does not satisfy the clause [1, -2]"),
        (
            "mumbles",
            "echo 's SATISFIABLE'; echo 'v one 0'",
            "`one` in its assignment is no literal",
        ),
        ("fails", "echo 'no licence' >&2; exit 3", "it says `no licence`"),
        ("is-silent", "exit 0", "without a line `s SATISFIABLE`"),
        ("invents", "echo 's PERHAPS'", "its answer is `s PERHAPS`"),
    ] {
        let failure = solver(folder.path(), name, script)
            .solve(&[], &SolverLimits::default())
            .expect_err(name)
            .to_string();
        assert!(failure.contains(expected) && failure.contains(name), "{name}: {failure}");
    }
    let mut nothing = Backend::dimacs("/no/such/program")
        .start(&SolverOptions::default())
        .expect("nothing to start");
    let failure = nothing
        .solve(&[], &SolverLimits::default())
        .expect_err("there is no such program")
        .to_string();
    assert!(failure.contains("cannot be started"), "{failure}");
}

#[test]
fn cores_are_what_the_proof_rests_on() {
    let folder = tempfile::tempdir().expect("there is room");
    let none = "echo 's UNSATISFIABLE'";
    // Without a proof all assumptions; what unit propagation shows needs none.
    let mut bare = solver(folder.path(), "bare", none);
    bare.add(&literals(&[-1, 3, 4])).expect("a clause");
    bare.add(&literals(&[-1, 3, -4])).expect("a clause");
    assert_eq!(bare.solve(&literals(&[5, -3]), &SolverLimits::default()), Ok(SolverAnswer::Unsat));
    assert_eq!(bare.core(), Ok(literals(&[5, -3])));
    // x follows from its two clauses, and then propagation does the rest.
    for (name, proof) in
        [("text", "printf '1 0\\n' > \"$2\""), ("binary", "printf 'a\\002\\000' > \"$2\"")]
    {
        let mut solver = solver(folder.path(), name, &format!("{proof}; {none}"));
        solver.add(&literals(&[-1, 3, 4])).expect("a clause");
        solver.add(&literals(&[-1, 3, -4])).expect("a clause");
        assert_eq!(
            solver.solve(&literals(&[5, -3]), &SolverLimits::default()),
            Ok(SolverAnswer::Unsat),
            "{name}"
        );
        assert_eq!(solver.core(), Ok(literals(&[-3])), "{name}");
    }
    // A proof with a step that does not follow is none.
    let mut wrong =
        solver(folder.path(), "wrong", &format!("printf -- '-1 0\\n0\\n' > \"$2\"; {none}"));
    assert_eq!(wrong.solve(&literals(&[5]), &SolverLimits::default()), Ok(SolverAnswer::Unsat));
    assert_eq!(wrong.core(), Ok(literals(&[5])));
}

#[test]
fn it_is_stopped() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut solver = solver(folder.path(), "sleeps", "exec sleep 3600");
    let start = std::time::Instant::now();
    let limits = SolverLimits {
        deadline: Some(start + std::time::Duration::from_millis(100)),
        ..SolverLimits::default()
    };
    assert_eq!(solver.solve(&[], &limits), Ok(SolverAnswer::Unknown));
    assert!(start.elapsed() < std::time::Duration::from_secs(600));
}

/// CaDiCaL as a program passes the tests of solvers, proofs among them: Debian's package `cadical`.
#[test]
fn a_solver_of_the_machine_passes_the_suite() {
    let there = std::process::Command::new("cadical").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no `cadical` here (Debian: the package cadical)");
        return;
    }
    suite::check(&Backend::dimacs("cadical -q"));
    suite::check(&Backend::dimacs("cadical -q --no-binary --unsat"));
}
