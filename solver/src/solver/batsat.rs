//! BatSat: a MiniSat in Rust, the solver that needs nothing else.
//!
//! Where a proof is kept, what it learns and forgets is followed ([`ClauseDerivation`]). The search
//! is the same with a proof and without.

use ::batsat::clause::Kind;
use ::batsat::{Callbacks, Lit, SolverInterface, SolverOpts, lbool};

use margay_proof::SatLiteral;

use super::derivation::{ClauseDerivation, NotDerived};
use super::{Factory, Solver, SolverAnswer, SolverFailure};
use crate::clause_list::ClauseList;
use crate::limits::SolverLimits;
use crate::options::SolverOptions;
use crate::proof::ProofLog;

/// Makes BatSats, under this name.
pub(super) struct BatsatFactory(pub(super) &'static str);

impl BatsatFactory {
    fn solver(&self, follower: Option<Follower>) -> Box<dyn Solver> {
        let listener = ProofListener { follower, ..ProofListener::default() };
        let solver = ::batsat::Solver::new(SolverOpts::default(), listener);
        Box::new(Batsat { name: self.0, solver, clause: Vec::new() })
    }
}

impl Factory for BatsatFactory {
    fn name(&self) -> &str {
        self.0
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

    fn proves(&self) -> bool {
        true
    }

    fn start(&self, _: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(self.solver(None))
    }

    fn start_logged(
        &self,
        _: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(self.solver(Some(Follower::new(log))))
    }
}

/// A literal of BatSat, which numbers variables from 0.
fn literal_of(literal: Lit) -> SatLiteral {
    SatLiteral::of_variable(literal.var().idx() as usize + 1, !literal.sign())
        .expect("BatSat has the variables that it was given")
}

/// Tells BatSat when to stop, which asks before each decision, and hears what it learns.
#[derive(Default)]
struct ProofListener {
    limits: SolverLimits,
    /// The clauses that were learned in this call: one for each conflict.
    learned: u64,
    /// Where a proof is kept.
    follower: Option<Follower>,
}

impl Callbacks for ProofListener {
    fn on_new_clause(&mut self, clause: &[Lit], kind: Kind) {
        self.learned += u64::from(kind == Kind::Learnt);
        if let Some(follower) = &mut self.follower {
            follower.note_learned(clause, &self.limits);
        }
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        if let Some(follower) = &mut self.follower {
            follower.note_deleted(clause);
        }
    }

    fn stop(&self) -> bool {
        self.limits.conflicts.is_some_and(|most| self.learned >= most) || self.limits.reached()
    }
}

/// What follows BatSat where a proof is kept.
struct Follower {
    log: ProofLog,
    derivation: ClauseDerivation,
    /// The clause that was learned last, until it is known whether it is the answer to a question
    /// (a clause of negated assumptions, which BatSat does not keep).
    last: Vec<SatLiteral>,
    has_last: bool,
    /// Clauses that BatSat deleted: it deletes many at once.
    deleted: ClauseList,
    /// What it learned does not follow.
    failed: bool,
}

impl Follower {
    fn new(log: &ProofLog) -> Self {
        Self {
            log: log.clone(),
            derivation: ClauseDerivation::new(1, Some(log.clone())),
            last: Vec::new(),
            has_last: false,
            deleted: ClauseList::default(),
            failed: false,
        }
    }

    fn note_learned(&mut self, clause: &[Lit], limits: &SolverLimits) {
        self.flush(limits);
        self.last.clear();
        self.last.extend(clause.iter().map(|&l| literal_of(l)));
        self.has_last = true;
    }

    fn note_deleted(&mut self, clause: &[Lit]) {
        self.deleted.push(clause.iter().map(|&l| literal_of(l)));
    }

    /// Hands on what was learned and deleted since. A limit that is reached is for the question to
    /// find.
    fn flush(&mut self, limits: &SolverLimits) {
        if std::mem::take(&mut self.has_last) {
            self.failed |= self.derivation.learn(&self.last).is_err();
        }
        if !self.deleted.is_empty() {
            let deleted = std::mem::take(&mut self.deleted);
            self.failed |=
                self.derivation.forget(deleted.since(0), limits) == Err(NotDerived::NotImplied);
        }
    }

    /// Writes why there is no assignment: the core is a clause of negated assumptions. `None` if a
    /// limit was reached before.
    fn refute(&mut self, core: &[SatLiteral], limits: &SolverLimits) -> Option<SolverAnswer> {
        if !core.is_empty() {
            self.has_last = false;
        }
        self.flush(limits);
        let proved = match core {
            [] => self
                .derivation
                .contradiction(limits)
                .and_then(|empty| empty.ok_or(NotDerived::NotImplied)),
            core => self.derivation.refute(core, limits),
        };
        match proved {
            Ok(proved) => {
                self.log.refuted(proved.id);
                if proved.of_question {
                    self.log.delete(proved.id);
                }
                Some(SolverAnswer::Unsat)
            }
            Err(NotDerived::Limit) => None,
            Err(NotDerived::NotImplied) => {
                self.failed = true;
                None
            }
        }
    }
}

struct Batsat {
    name: &'static str,
    solver: ::batsat::Solver<ProofListener>,
    clause: Vec<Lit>,
}

impl Batsat {
    /// The literal in BatSat's numbering, from 0; its variable is made if it is new.
    fn literal(&mut self, literal: SatLiteral) -> Lit {
        let variable = self.solver.var_of_int(literal.variable() - 1);
        Lit::new(variable, !literal.is_negated())
    }

    /// The clause of negated assumptions that the last answer rests on.
    fn refuted_clause(&self) -> Vec<SatLiteral> {
        // Without assumptions that matter, BatSat leaves what was there before.
        if self.solver.is_ok() {
            self.solver.unsat_core().iter().map(|&l| literal_of(l)).collect()
        } else {
            Vec::new()
        }
    }
}

impl Solver for Batsat {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        let mut literals = std::mem::take(&mut self.clause);
        literals.clear();
        literals.extend(clause.iter().map(|&l| self.literal(l)));
        self.solver.add_clause_reuse(&mut literals);
        self.clause = literals;
        if let Some(follower) = &mut self.solver.cb_mut().follower {
            // What was learned before follows without it.
            follower.flush(&SolverLimits::default());
            follower.derivation.give(clause);
        }
        Ok(())
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        if limits.reached() {
            return Ok(SolverAnswer::Unknown);
        }
        let literals: Vec<Lit> = assumptions.iter().map(|&l| self.literal(l)).collect();
        let listener = self.solver.cb_mut();
        (listener.limits, listener.learned) = (limits.clone(), 0);
        if let Some(follower) = &listener.follower {
            follower.log.question(assumptions);
        }
        let answer = match self.solver.solve_limited(&literals) {
            answer if answer == lbool::TRUE => SolverAnswer::Sat,
            answer if answer == lbool::FALSE => SolverAnswer::Unsat,
            _ => SolverAnswer::Unknown,
        };
        if self.solver.cb().follower.is_none() {
            return Ok(answer);
        }
        let core = if answer == SolverAnswer::Unsat { self.refuted_clause() } else { Vec::new() };
        let Some(follower) = &mut self.solver.cb_mut().follower else { return Ok(answer) };
        let answer = match answer {
            SolverAnswer::Unsat => follower.refute(&core, limits).unwrap_or(SolverAnswer::Unknown),
            answer => answer,
        };
        match answer {
            SolverAnswer::Sat => follower.log.satisfiable(),
            SolverAnswer::Unknown => follower.log.unknown(),
            SolverAnswer::Unsat => {}
        }
        if follower.failed {
            follower.log.fail("a clause that the solver learned cannot be proved");
            return Err(SolverFailure::new(
                self.name,
                "a clause that it learned does not follow by unit propagation",
            ));
        }
        Ok(answer)
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        let model = self.solver.get_model();
        Ok((0..variables)
            .map(|at| model.get(at).is_some_and(|&value| value == lbool::TRUE))
            .collect())
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        Ok(self.refuted_clause().iter().map(|&l| !l).collect())
    }

    fn conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }
}
