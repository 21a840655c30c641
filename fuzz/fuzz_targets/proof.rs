//! No bytes make the proof checker panic, or accept what is not true: what it says to be
//! unsatisfiable is tried by all assignments.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_solver::proof::{ProofChecker, ProofStep, SatLiteral, records};

/// Is there an assignment of so many variables?
fn satisfiable(clauses: &[Vec<SatLiteral>], assumptions: &[SatLiteral], variables: u32) -> bool {
    let holds = |a: u32, l: SatLiteral| (a >> (l.variable() - 1) & 1 == 1) != l.is_negated();
    (0..1 << variables)
        .any(|a| assumptions.iter().all(|&l| holds(a, l)) && clauses.iter().all(|c| c.iter().any(|&l| holds(a, l))))
}

fuzz_target!(|bytes: &[u8]| {
    let mut checker = ProofChecker::of_records(bytes);
    let (mut clauses, mut assumptions, mut variables) = (Vec::new(), Vec::new(), 0);
    loop {
        let step = checker.step();
        let literals = checker.literals();
        if matches!(step, Ok(ProofStep::Original | ProofStep::Question)) {
            variables = literals.iter().map(|l| l.variable()).max().unwrap_or(0).max(variables);
        }
        match step {
            Ok(ProofStep::Original) => clauses.push(literals.to_vec()),
            Ok(ProofStep::Question) => assumptions = literals.to_vec(),
            Ok(ProofStep::Refuted) if variables <= 12 => assert!(!satisfiable(&clauses, &assumptions, variables)),
            Ok(ProofStep::Refuted | ProofStep::Satisfiable | ProofStep::Unknown) => {}
            Ok(ProofStep::End) | Err(_) => break,
        }
    }
    // The same bytes as a file: head and compression.
    if let Ok(records) = records(bytes) {
        let mut checker = ProofChecker::of_records(records);
        while checker.step().is_ok_and(|step| step != ProofStep::End) {}
    }
});
