//! The tests that every solver must pass, for whoever brings one:
//!
//! ```no_run
//! # fn my_backend() -> margay_solver::Backend { margay_solver::Backend::batsat() }
//! #[test]
//! fn it_passes_the_suite() {
//!     margay_solver::solver::suite::check(&my_backend());
//! }
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Backend, Solver, SolverAnswer, external};
use crate::limits::SolverLimits;
use crate::options::SolverOptions;
use crate::proof::{ProofChecker, ProofLog, ProofStep, SatLiteral, records};

/// Tests a backend: what it answers, its assignments, cores, limits and, if it writes them, proofs.
///
/// # Panics
/// If it fails a test; the message says which.
pub fn check(backend: &Backend) {
    let name = backend.name();
    // The name of a program is its command.
    if !name.starts_with(external::PREFIX) {
        assert!(
            !name.is_empty() && !name.chars().any(char::is_whitespace),
            "`{name}` cannot be given as an option"
        );
        assert_eq!(name, name.to_lowercase(), "the name is in lower case");
    }
    assert!(!backend.version().is_empty(), "{name}: the version is for reports");
    incremental(backend);
    odd_clauses(backend);
    cores(backend);
    every_answer_is_right(backend);
    limits_before_a_call(backend);
    if backend.interruptible() {
        limits_during_a_call(backend);
    }
    if backend.proves() {
        proofs(backend);
    } else {
        let log = ProofLog::to(Box::new(std::io::sink())).expect("a sink takes everything");
        assert!(
            backend.start_logged(&SolverOptions::default(), &log).is_err(),
            "{name} says that it writes no proofs"
        );
    }
}

fn start(backend: &Backend) -> Box<dyn Solver> {
    backend.start(&SolverOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Literals by their numbers in DIMACS, as the tests name them.
fn literals(numbers: &[i32]) -> Vec<SatLiteral> {
    SatLiteral::all_of_dimacs(numbers).expect("the tests name literals")
}

fn add(solver: &mut dyn Solver, clauses: &[&[i32]]) {
    for clause in clauses {
        solver.add(&literals(clause)).unwrap_or_else(|e| panic!("{clause:?}: {e}"));
    }
}

fn solve(solver: &mut dyn Solver, assumptions: &[i32]) -> SolverAnswer {
    solver
        .solve(&literals(assumptions), &SolverLimits::default())
        .unwrap_or_else(|e| panic!("{assumptions:?}: {e}"))
}

fn model(solver: &mut dyn Solver, variables: usize) -> Vec<bool> {
    let model = solver.model(variables).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        model.len(),
        variables,
        "an assignment has a value for each variable that was asked for"
    );
    model
}

fn core(solver: &mut dyn Solver) -> Vec<i32> {
    let core = solver.core().unwrap_or_else(|e| panic!("{e}"));
    core.iter().map(|l| l.dimacs()).collect()
}

/// More pigeons than holes: hard for resolution, so that there is something to interrupt.
fn pigeonhole(solver: &mut dyn Solver, holes: i32) {
    let at = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    for pigeon in 0..=holes {
        add(solver, &[&(0..holes).map(|h| at(pigeon, h)).collect::<Vec<_>>()]);
        for other in 0..pigeon {
            for hole in 0..holes {
                add(solver, &[&[-at(pigeon, hole), -at(other, hole)]]);
            }
        }
    }
}

fn incremental(backend: &Backend) {
    let mut solver = start(backend);
    let solver = &mut *solver;
    assert_eq!(solve(solver, &[]), SolverAnswer::Sat, "{backend}: no clauses");
    add(solver, &[&[1, 2], &[-1, 3]]);
    assert_eq!(solve(solver, &[-2]), SolverAnswer::Sat, "{backend}");
    assert_eq!(
        model(solver, 4),
        [true, false, true, false],
        "{backend}: a variable that it has not seen is false"
    );
    assert_eq!(model(solver, 2), [true, false], "{backend}: fewer variables than it has");
    assert_eq!(solve(solver, &[-2, -3]), SolverAnswer::Unsat, "{backend}");
    assert_eq!(solve(solver, &[-2]), SolverAnswer::Sat, "{backend}: assumptions are for one call");
    add(solver, &[&[-3, 5]]);
    assert_eq!(
        solve(solver, &[-2]),
        SolverAnswer::Sat,
        "{backend}: clauses may come after a call, with new variables"
    );
    assert!(model(solver, 5)[4], "{backend}");
    add(solver, &[&[-5]]);
    assert_eq!(solve(solver, &[]), SolverAnswer::Sat, "{backend}");
    assert_eq!(model(solver, 2), [false, true], "{backend}");
    assert_eq!(
        solve(solver, &[7, -2]),
        SolverAnswer::Unsat,
        "{backend}: an assumption may have a new variable"
    );
    assert_eq!(solve(solver, &[40, -41]), SolverAnswer::Sat, "{backend}");
    assert_eq!(model(solver, 41)[39..], [true, false], "{backend}");
    add(solver, &[&[]]);
    assert_eq!(solve(solver, &[]), SolverAnswer::Unsat, "{backend}: the empty clause");
    assert_eq!(
        solve(solver, &[1]),
        SolverAnswer::Unsat,
        "{backend}: the empty clause, with an assumption"
    );
    assert_eq!(core(solver), [], "{backend}: no assumption is needed for that");
}

fn odd_clauses(backend: &Backend) {
    let mut solver = start(backend);
    let solver = &mut *solver;
    add(solver, &[&[1, -1], &[2, 2, 3], &[-3, -3]]);
    assert_eq!(
        solve(solver, &[]),
        SolverAnswer::Sat,
        "{backend}: a tautology, and literals that come twice"
    );
    assert!(model(solver, 2)[1], "{backend}");
    assert_eq!(
        solve(solver, &[-1, -1, 2]),
        SolverAnswer::Sat,
        "{backend}: an assumption that comes twice"
    );
    assert_eq!(
        solve(solver, &[4, -4]),
        SolverAnswer::Unsat,
        "{backend}: assumptions that contradict each other"
    );
    let core = core(solver);
    assert!(!core.is_empty() && core.iter().all(|l| l.abs() == 4), "{backend}: {core:?}");
}

fn cores(backend: &Backend) {
    let mut solver = start(backend);
    let solver = &mut *solver;
    add(solver, &[&[-1, -2], &[-3, 4], &[-4, -5]]);
    assert_eq!(solve(solver, &[6, 3, 1, 5]), SolverAnswer::Unsat, "{backend}");
    let mut found = core(solver);
    found.sort_unstable();
    assert_eq!(found, [3, 5], "{backend}: the assumptions that fail together, as they were given");
    assert_eq!(solve(solver, &[6, 3, 1]), SolverAnswer::Sat, "{backend}: what failed is over");
    assert_eq!(solve(solver, &[2, 1]), SolverAnswer::Unsat, "{backend}");
    let mut found = core(solver);
    found.sort_unstable();
    assert_eq!(found, [1, 2], "{backend}: a core is of the last call");
}

/// Numbers that look random and are the same in every run (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn literals(&mut self, variables: u64, length: u64) -> Vec<i32> {
        let mut literal = || {
            let variable = 1 + self.below(variables) as i32;
            if self.below(2) == 0 { variable } else { -variable }
        };
        (0..length).map(|_| literal()).collect()
    }
}

/// Is a clause true in the assignment that the bits of the number are?
fn holds(clause: &[i32], assignment: u32) -> bool {
    clause.iter().any(|l| (assignment >> (l.unsigned_abs() - 1) & 1 == 1) == (*l > 0))
}

/// Random problems of ten variables, told bit by bit, against all assignments.
fn every_answer_is_right(backend: &Backend) {
    const VARIABLES: u64 = 10;
    let mut random = Random(0x5eed);
    let mut refuted = 0;
    for problem in 0..60 {
        let mut solver = start(backend);
        let mut clauses: Vec<Vec<i32>> = Vec::new();
        for _ in 0..6 {
            for _ in 0..8 {
                let length = 2 + random.below(2);
                let clause = random.literals(VARIABLES, length);
                add(&mut *solver, &[&clause]);
                clauses.push(clause);
            }
            let count = random.below(4);
            let assumptions = random.literals(VARIABLES, count);
            let satisfies = |assumptions: &[i32], assignment: u32| {
                clauses.iter().all(|c| holds(c, assignment))
                    && assumptions.iter().all(|&l| holds(&[l], assignment))
            };
            let possible =
                |assumptions: &[i32]| (0..1 << VARIABLES).any(|a| satisfies(assumptions, a));
            let context =
                || format!("{backend}, problem {problem}: {clauses:?} under {assumptions:?}");
            match solve(&mut *solver, &assumptions) {
                SolverAnswer::Sat => {
                    let model = model(&mut *solver, VARIABLES as usize);
                    let assignment = model
                        .iter()
                        .enumerate()
                        .fold(0, |sum, (at, &value)| sum | u32::from(value) << at);
                    assert!(
                        satisfies(&assumptions, assignment),
                        "{}: no assignment: {model:?}",
                        context()
                    );
                }
                SolverAnswer::Unsat => {
                    refuted += 1;
                    let core = core(&mut *solver);
                    assert!(!possible(&assumptions), "{}: there is an assignment", context());
                    assert!(
                        core.iter().all(|l| assumptions.contains(l)),
                        "{}: core {core:?}",
                        context()
                    );
                    assert!(!possible(&core), "{}: the core {core:?} can hold", context());
                }
                SolverAnswer::Unknown => panic!("{}: no limit was set", context()),
            }
        }
    }
    assert!((50..310).contains(&refuted), "the problems are of both sorts: {refuted}");
}

fn limits_before_a_call(backend: &Backend) {
    let mut solver = start(backend);
    let stop =
        SolverLimits { stop: Some(Arc::new(AtomicBool::new(true))), ..SolverLimits::default() };
    let late = SolverLimits { deadline: Some(Instant::now()), ..SolverLimits::default() };
    add(&mut *solver, &[&[1]]);
    for limits in [stop, late] {
        assert_eq!(
            solver.solve(&[], &limits),
            Ok(SolverAnswer::Unknown),
            "{backend}: a limit was reached before the call"
        );
    }
    assert_eq!(solve(&mut *solver, &[]), SolverAnswer::Sat, "{backend}: limits are for one call");
}

fn limits_during_a_call(backend: &Backend) {
    let mut solver = start(backend);
    let solver = &mut *solver;
    pigeonhole(solver, 12);
    let stop = Arc::new(AtomicBool::new(false));
    let limits = SolverLimits { stop: Some(stop.clone()), ..SolverLimits::default() };
    let raised = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        Instant::now()
    });
    assert_eq!(
        solver.solve(&[], &limits),
        Ok(SolverAnswer::Unknown),
        "{backend}: it was told to stop"
    );
    // 50 ms on an idle machine; tests run on loaded ones.
    let late = raised.join().expect("the thread only sleeps").elapsed();
    assert!(late < Duration::from_secs(2), "{backend} stopped {late:?} after it was told to");
    let start = Instant::now();
    let limits = SolverLimits {
        deadline: Some(start + Duration::from_millis(50)),
        ..SolverLimits::default()
    };
    assert_eq!(
        solver.solve(&[], &limits),
        Ok(SolverAnswer::Unknown),
        "{backend}: the deadline passed"
    );
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{backend} stopped {:?} after the start",
        start.elapsed()
    );
    if backend.limits_conflicts() {
        let limits = SolverLimits { conflicts: Some(50), ..SolverLimits::default() };
        assert_eq!(
            solver.solve(&[], &limits),
            Ok(SolverAnswer::Unknown),
            "{backend}: it had its conflicts"
        );
        assert!(solver.conflicts() > 0, "{backend} counts conflicts");
    }
}

/// A proof in memory; clones are the same one.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nothing panics here").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn proofs(backend: &Backend) {
    let buffer = Buffer::default();
    let log = ProofLog::to(Box::new(buffer.clone())).expect("memory takes everything");
    let mut solver =
        backend.start_logged(&SolverOptions::default(), &log).unwrap_or_else(|e| panic!("{e}"));
    add(&mut *solver, &[&[1, 2], &[-1, 3]]);
    let mut answers = vec![solve(&mut *solver, &[-2]), solve(&mut *solver, &[-2, -3])];
    pigeonhole(&mut *solver, 6);
    answers.push(solve(&mut *solver, &[]));
    assert_eq!(answers, [SolverAnswer::Sat, SolverAnswer::Unsat, SolverAnswer::Unsat], "{backend}");
    drop(solver);
    log.finish().unwrap_or_else(|e| panic!("{backend}: the proof is not complete: {e}"));
    let bytes = buffer.0.lock().expect("nothing panics here").clone();
    let mut checker = ProofChecker::of_records(
        records(bytes.as_slice()).unwrap_or_else(|e| panic!("{backend}: {e}")),
    );
    let mut steps = Vec::new();
    loop {
        match checker.step().unwrap_or_else(|e| panic!("{backend}: the proof is not accepted: {e}"))
        {
            ProofStep::Original => {}
            ProofStep::End => break,
            step => steps.push(step),
        }
    }
    let expected = [
        ProofStep::Question,
        ProofStep::Satisfiable,
        ProofStep::Question,
        ProofStep::Refuted,
        ProofStep::Question,
        ProofStep::Refuted,
    ];
    assert_eq!(steps, expected, "{backend}: the proof has the questions and answers");
}

#[cfg(test)]
mod tests {
    use super::{Backend, check};

    #[test]
    fn the_solvers_of_the_library_pass() {
        for backend in Backend::available() {
            check(&backend);
        }
    }
}
