//! BatSat: a MiniSat in Rust, the solver that needs nothing else.

use ::batsat::clause::Kind;
use ::batsat::{Callbacks, Lit, SolverInterface, lbool};

use super::{Answer, Factory, Failure, Solver};
use crate::limits::Limits;
use crate::options::SolverOptions;

const NAME: &str = "batsat";

/// Makes BatSats.
pub(super) struct Maker;

impl Factory for Maker {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> String {
        "BatSat 0.6".to_owned()
    }

    fn interruptible(&self) -> bool {
        true
    }

    fn limits_conflicts(&self) -> bool {
        true
    }

    fn start(&self, _: &SolverOptions) -> Result<Box<dyn Solver>, Failure> {
        Ok(Box::new(Batsat { solver: ::batsat::Solver::default(), clause: Vec::new() }))
    }
}

/// Tells BatSat when to stop; BatSat asks before each decision.
#[derive(Default)]
struct Stop {
    limits: Limits,
    /// The clauses that were learned in this call: one for each conflict.
    learned: u64,
}

impl Callbacks for Stop {
    fn on_new_clause(&mut self, _: &[Lit], kind: Kind) {
        self.learned += u64::from(kind == Kind::Learnt);
    }

    fn stop(&self) -> bool {
        self.limits.conflicts.is_some_and(|most| self.learned >= most) || self.limits.reached()
    }
}

struct Batsat {
    solver: ::batsat::Solver<Stop>,
    clause: Vec<Lit>,
}

impl Batsat {
    /// The literal in BatSat's numbering, from 0; its variable is made if it is new.
    fn literal(&mut self, literal: i32) -> Lit {
        let variable = self.solver.var_of_int(literal.unsigned_abs() - 1);
        Lit::new(variable, literal > 0)
    }
}

impl Solver for Batsat {
    fn add(&mut self, clause: &[i32]) -> Result<(), Failure> {
        let mut literals = std::mem::take(&mut self.clause);
        literals.clear();
        literals.extend(clause.iter().map(|&l| self.literal(l)));
        self.solver.add_clause_reuse(&mut literals);
        self.clause = literals;
        Ok(())
    }

    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> Result<Answer, Failure> {
        if limits.reached() {
            return Ok(Answer::Unknown);
        }
        let assumptions: Vec<Lit> = assumptions.iter().map(|&l| self.literal(l)).collect();
        *self.solver.cb_mut() = Stop { limits: limits.clone(), learned: 0 };
        let answer = self.solver.solve_limited(&assumptions);
        Ok(match answer {
            answer if answer == lbool::TRUE => Answer::Sat,
            answer if answer == lbool::FALSE => Answer::Unsat,
            _ => Answer::Unknown,
        })
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, Failure> {
        let model = self.solver.get_model();
        Ok((0..variables).map(|at| model.get(at).is_some_and(|&value| value == lbool::TRUE)).collect())
    }

    fn core(&mut self) -> Result<Vec<i32>, Failure> {
        // Without assumptions that matter, BatSat leaves what was there before.
        if !self.solver.is_ok() {
            return Ok(Vec::new());
        }
        // It is a clause: of negated assumptions.
        let literal = |l: &Lit| {
            let variable = i32::try_from(l.var().idx() + 1).unwrap_or(i32::MAX);
            if l.sign() { -variable } else { variable }
        };
        Ok(self.solver.unsat_core().iter().map(literal).collect())
    }

    fn conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }
}
