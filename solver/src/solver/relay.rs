//! Two solvers in turn: one that is fast where a problem is easy, and one that takes over where it
//! turns out to be hard.

use margay_proof::SatLiteral;

use super::{Backend, Factory, Solver, SolverAnswer, SolverFailure};
use crate::clause_list::ClauseList;
use crate::limits::SolverLimits;
use crate::options::SolverOptions;
use crate::proof::ProofLog;

/// Makes solvers that hand over.
pub(super) struct RelayFactory {
    pub(super) name: &'static str,
    pub(super) first: Backend,
    pub(super) then: Backend,
    pub(super) conflicts: u64,
}

impl Factory for RelayFactory {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> String {
        format!("{} and {}", self.first.version(), self.then.version())
    }

    fn interruptible(&self) -> bool {
        self.first.interruptible() && self.then.interruptible()
    }

    fn limits_conflicts(&self) -> bool {
        self.first.limits_conflicts() && self.then.limits_conflicts()
    }

    fn proves(&self) -> bool {
        self.first.proves() || self.then.proves()
    }

    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        // Both at once, so that an option that the second one does not have is refused before it is
        // its turn.
        let (now, then) = (self.first.start(options)?, self.then.start(options)?);
        Ok(Box::new(Relay {
            now,
            waiting: Some(SecondSolver {
                then,
                most: self.conflicts,
                clauses: ClauseList::default(),
            }),
            before: 0,
        }))
    }

    /// One solver to the end: a proof is of one.
    fn start_logged(
        &self,
        options: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        let one = if self.then.proves() { &self.then } else { &self.first };
        one.start_logged(options, log)
    }
}

struct Relay {
    now: Box<dyn Solver>,
    /// The second solver while the first one has its turn.
    waiting: Option<SecondSolver>,
    /// The conflicts of the first solver, once it is gone.
    before: u64,
}

/// The second solver, and what it needs to take over.
struct SecondSolver {
    then: Box<dyn Solver>,
    /// The conflicts after which it does.
    most: u64,
    /// All clauses so far.
    clauses: ClauseList,
}

impl Solver for Relay {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        self.now.add(clause)?;
        if let Some(SecondSolver { clauses, .. }) = &mut self.waiting {
            clauses.push(clause.iter().copied());
        }
        Ok(())
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let begun = self.conflicts();
        if let Some(waiting) = self.waiting.take() {
            let left = waiting.most.saturating_sub(begun);
            let conflicts = limits.conflicts.map_or(left, |most| most.min(left));
            let answer = self.now.solve(
                assumptions,
                &SolverLimits { conflicts: Some(conflicts), ..limits.clone() },
            )?;
            let goes_on = answer == SolverAnswer::Unknown && conflicts == left && !limits.reached();
            if !goes_on {
                self.waiting = Some(waiting);
                return Ok(answer);
            }
            self.before = self.now.conflicts();
            self.now = waiting.then;
            for clause in waiting.clauses.since(0) {
                self.now.add(clause)?;
            }
        }
        let spent = self.conflicts() - begun;
        self.now.solve(
            assumptions,
            &SolverLimits {
                conflicts: limits.conflicts.map(|most| most.saturating_sub(spent)),
                ..limits.clone()
            },
        )
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        self.now.model(variables)
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        self.now.core()
    }

    fn conflicts(&self) -> u64 {
        self.before + self.now.conflicts()
    }
}
