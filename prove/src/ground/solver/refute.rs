//! From what a search learned to a derivation of the empty clause.

use super::{ClauseIndex, GroundLiteral, GroundSolver};
use margay_proof::SatLiteral;
use margay_theorem::ground::DerivationStep;
use margay_theorem::theory::StopSignal;

/// Clauses of which one is empty, derived from given ones; `None` if there is an assignment, after
/// too many conflicts, or if it is stopped.
pub fn refute(
    variables: usize,
    given: &[Vec<SatLiteral>],
    conflicts: usize,
    stop: &StopSignal,
) -> Option<Vec<DerivationStep>> {
    let mut solver = GroundSolver::new();
    for _ in 0..variables {
        solver.fresh();
    }
    // The number of each clause in the solver: it leaves out those that are always true.
    let numbers: Vec<Option<ClauseIndex>> = given
        .iter()
        .map(|clause| {
            solver.add(&clause.iter().copied().map(GroundLiteral::from).collect::<Vec<_>>())
        })
        .collect();
    while solver.propagate() {
        if solver.conflicts > conflicts || stop.is_raised() {
            return None;
        }
        let choice = solver.choice()?;
        solver.decide(choice);
    }
    let steps = solver.derivation()?;
    let mut of = vec![None; solver.clauses.len()];
    for (at, number) in numbers.into_iter().enumerate() {
        if let Some(number) = number {
            of[number.at()] = Some(at);
        }
    }
    for (at, &index) in steps.iter().enumerate() {
        of[index.at()] = Some(given.len() + at);
    }
    let step = |&index: &ClauseIndex| DerivationStep {
        clause: solver.clauses.of(index).iter().map(|&literal| literal.into()).collect(),
        hints: solver.hints[index.at()]
            .iter()
            .flatten()
            .map(|&h| of[h.at()].expect("what a step needs comes before it"))
            .collect(),
    };
    Some(steps.iter().map(step).collect())
}

impl GroundSolver {
    /// The learned clauses that the empty one needs, and it itself, in order; `None` if there is
    /// none.
    fn derivation(&self) -> Option<Vec<ClauseIndex>> {
        let needed = self.needed()?;
        let is_step = |i: &ClauseIndex| needed[i.at()] && self.hints[i.at()].is_some();
        Some((0..self.clauses.len()).map(ClauseIndex).filter(is_step).collect())
    }

    /// Which clauses the empty one needs, itself among them, by their places ([`ClauseIndex::at`]);
    /// `None` if there is none.
    pub fn needed(&self) -> Option<Vec<bool>> {
        let empty = self.empty?.at();
        let mut needed = vec![false; self.clauses.len()];
        needed[empty] = true;
        for at in (0..=empty).rev().filter(|&at| self.hints[at].is_some()) {
            if needed[at] {
                self.hints[at].iter().flatten().for_each(|hint| needed[hint.at()] = true);
            }
        }
        Some(needed)
    }
}
