//! CaDiCaL 3 (Biere, Faller, Fazekas, Fleury, Froleyks and Pollitt, CAV 2024), of the crate
//! `cadical-sys`, which compiles it: that needs a C++ compiler (feature `cadical`).

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};

use super::{Factory, Solver, SolverAnswer, SolverFailure};
use crate::limits::SolverLimits;
use crate::options::{Preset, SolverOptions};
use crate::proof::{ProofLog, SatLiteral};

const NAME: &str = "cadical";

/// Makes CaDiCaLs.
pub(super) struct CadicalFactory;

impl Factory for CadicalFactory {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> String {
        format!("CaDiCaL {}", CaDiCal::version())
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

    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(Box::new(Cadical::new(options, None)?))
    }

    fn start_logged(
        &self,
        options: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(Box::new(Cadical::new(options, Some(log))?))
    }
}

/// CaDiCaL, and what was assumed and answered in the last call.
struct Cadical {
    solver: CaDiCal,
    assumptions: Vec<SatLiteral>,
    answer: SolverAnswer,
    /// What the solver asks whether to stop: at every tenth of its own checks (its option
    /// `terminateint`), so that the clock may be read each time.
    limits: Rc<RefCell<SolverLimits>>,
    /// Where the proof goes, if one is wanted.
    log: Option<ProofLog>,
}

// SAFETY: the solver is owned by this value alone and used through it only, and the references that
// are counted are this value's and its solver's; CaDiCaL keeps no state in thread-locals or globals
// that a solver's calls depend on; the states of the callbacks are `Send` (checked below).
unsafe impl Send for Cadical {}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<SolverLimits>();
    is_send::<Tracer>();
};

/// Tells CaDiCaL when to stop.
struct Clock(Rc<RefCell<SolverLimits>>);

impl Terminator for Clock {
    fn terminated(&mut self) -> bool {
        self.0.borrow().reached()
    }
}

fn failure(what: impl Into<String>) -> SolverFailure {
    SolverFailure::new(NAME, what)
}

impl Cadical {
    fn new(options: &SolverOptions, log: Option<&ProofLog>) -> Result<Self, SolverFailure> {
        let mut solver = CaDiCal::new();
        let preset = match options.preset {
            Preset::Default => "default",
            Preset::Sat => "sat",
            Preset::Unsat => "unsat",
            Preset::Plain => "plain",
        };
        if !solver.configure(preset) {
            return Err(failure(format!("it has no preset `{preset}`")));
        }
        // Bounded variable addition wants variables to be declared beforehand; it gains nothing on
        // our problems.
        for (name, value) in
            options.set.iter().map(|(name, value)| (name.as_str(), *value)).chain([("factor", 0)])
        {
            let known = !name.contains('\0') && CaDiCal::is_valid_option(name);
            if !known || !solver.set(name, value) {
                let name = name.escape_debug();
                return Err(failure(format!(
                    "it has no option `{name}`, or not with the value {value}"
                )));
            }
        }
        if let Some(log) = log {
            solver.connect_proof_tracer1(
                Tracer { log: log.clone(), of_question: Vec::new() },
                true,
                false,
            );
        }
        let limits = Rc::default();
        Ok(Self {
            solver,
            assumptions: Vec::new(),
            answer: SolverAnswer::Unknown,
            limits,
            log: log.cloned(),
        })
    }
}

impl Solver for Cadical {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        self.answer = SolverAnswer::Unknown;
        clause.iter().map(|l| l.dimacs()).chain([0]).for_each(|literal| self.solver.add(literal));
        Ok(())
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        self.answer = SolverAnswer::Unknown;
        if limits.reached() {
            return Ok(SolverAnswer::Unknown);
        }
        *self.limits.borrow_mut() = limits.clone();
        if limits.deadline.is_some() || limits.stop.is_some() {
            self.solver.connect_terminator(Clock(self.limits.clone()));
        } else {
            self.solver.disconnect_terminator();
        }
        if let Some(conflicts) = limits.conflicts {
            self.solver.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
        }
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        if let Some(log) = &self.log {
            log.question(assumptions);
        }
        assumptions.iter().for_each(|literal| self.solver.assume(literal.dimacs()));
        self.answer = match self.solver.solve() {
            Status::SATISFIABLE => SolverAnswer::Sat,
            Status::UNSATISFIABLE => SolverAnswer::Unsat,
            Status::UNKNOWN => SolverAnswer::Unknown,
        };
        if let Some(log) = &self.log {
            match self.answer {
                SolverAnswer::Sat => log.satisfiable(),
                SolverAnswer::Unknown => log.unknown(),
                // The answer comes through the tracer, with the clause that it rests on.
                SolverAnswer::Unsat => self.solver.conclude(),
            }
        }
        Ok(self.answer)
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        if self.answer != SolverAnswer::Sat {
            return Err(failure("its last answer was not an assignment"));
        }
        let known = self.solver.vars();
        let variables = 1..=i32::try_from(variables).unwrap_or(i32::MAX);
        Ok(variables.map(|variable| variable <= known && self.solver.val(variable) > 0).collect())
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        if self.answer != SolverAnswer::Unsat {
            return Err(failure("its last answer was not that there is no assignment"));
        }
        Ok(self
            .assumptions
            .iter()
            .copied()
            .filter(|literal| self.solver.failed(literal.dimacs()))
            .collect())
    }

    fn conflicts(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("conflicts")).unwrap_or(0)
    }
}

/// What CaDiCaL tells of its work becomes a proof.
struct Tracer {
    log: ProofLog,
    /// The clauses that say of the last question which assumptions fail together: there for its
    /// answer alone.
    of_question: Vec<u64>,
}

/// The conclusion that rests on a constraint, of which there are none here.
const OF_CONSTRAINT: i32 = 4;

impl Tracer {
    /// A clause as CaDiCaL names it.
    fn clause(&self, numbers: &[i32]) -> Vec<SatLiteral> {
        SatLiteral::all_of_dimacs(numbers).unwrap_or_else(|| {
            self.log.fail("the solver names a literal that is none");
            Vec::new()
        })
    }

    fn derived(&self, id: i64, clause: &[i32], hints: &[i64]) {
        // CaDiCaL numbers clauses from 1; a hint below 0 begins a RAT check.
        if hints.iter().all(|&h| h > 0) {
            let hints: Vec<u64> = hints.iter().map(|h| h.unsigned_abs()).collect();
            self.log.derived(id.unsigned_abs(), &self.clause(clause), &hints);
        } else {
            self.log.fail("a step of the solver is more than unit propagation");
        }
    }
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _: bool, clause: &[i32], restored: bool) {
        let clause = self.clause(clause);
        if restored {
            self.log.restore(id.unsigned_abs(), &clause);
        } else {
            self.log.original(id.unsigned_abs(), &clause);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        witness: i32,
        clause: &[i32],
        hints: &[i64],
    ) {
        if witness == 0 {
            self.derived(id, clause, hints);
        } else {
            self.log.fail("a step of the solver changes what assignments there are (RAT)");
        }
    }

    fn delete_clause(&mut self, id: i64, _: bool, _: &[i32]) {
        self.log.delete(id.unsigned_abs());
    }

    fn weaken_minus(&mut self, id: i64, _: &[i32]) {
        self.log.weaken(id.unsigned_abs());
    }

    fn strengthen(&mut self, _: i64) {}

    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}

    fn add_assumption(&mut self, _: i32) {}

    fn add_constraint(&mut self, _: &[i32]) {
        self.log.fail("constraints have no record");
    }

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], hints: &[i64]) {
        self.of_question.push(id.unsigned_abs());
        self.derived(id, clause, hints);
    }

    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}

    fn conclude_unsat(&mut self, conclusion: i32, clauses: &[i64]) {
        match clauses {
            [id] if conclusion != OF_CONSTRAINT => self.log.refuted(id.unsigned_abs()),
            _ => self.log.fail("the solver's conclusion does not rest on one clause"),
        }
        for id in self.of_question.drain(..) {
            self.log.delete(id);
        }
    }

    fn conclude_unknown(&mut self, _: &[i32]) {}
}
