//! From what a search learned to a derivation of the empty clause.

use super::{GroundLiteral, GroundSolver, Index};
use margay_theorem::ground::DerivationStep;
use margay_theorem::theory::StopSignal;

/// Clauses of which one is empty, derived from given ones; `None` if there is an assignment, after too many conflicts, or if it is stopped.
pub fn refute(
    variables: usize,
    given: &[Vec<GroundLiteral>],
    conflicts: usize,
    stop: &StopSignal,
) -> Option<Vec<DerivationStep>> {
    let mut solver = GroundSolver::new();
    for _ in 0..variables {
        solver.fresh();
    }
    // The number of each clause in the solver: it leaves out those that are always true.
    let numbers: Vec<Option<Index>> = given.iter().map(|clause| solver.add(clause)).collect();
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
            of[number] = Some(at);
        }
    }
    for (at, &index) in steps.iter().enumerate() {
        of[index] = Some(given.len() + at);
    }
    let step = |&index: &Index| DerivationStep {
        clause: solver.clauses[index].clone(),
        hints: solver.hints[index].iter().flatten().map(|&h| of[h].expect("what a step needs comes before it")).collect(),
    };
    Some(steps.iter().map(step).collect())
}

impl GroundSolver {
    /// The learned clauses that the empty one needs, and it itself, in order; `None` if there is none.
    fn derivation(&self) -> Option<Vec<Index>> {
        let needed = self.needed()?;
        Some((0..self.clauses.len()).filter(|&i| needed[i] && self.hints[i].is_some()).collect())
    }

    /// Which clauses the empty one needs, itself among them; `None` if there is none.
    pub fn needed(&self) -> Option<Vec<bool>> {
        let empty = self.empty?;
        let mut needed = vec![false; self.clauses.len()];
        needed[empty] = true;
        for at in (0..=empty).rev().filter(|&at| self.hints[at].is_some()) {
            if needed[at] {
                self.hints[at].iter().flatten().for_each(|&hint| needed[hint] = true);
            }
        }
        Some(needed)
    }
}
