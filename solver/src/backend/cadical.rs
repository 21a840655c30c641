//! CaDiCaL behind rustsat's traits, through cadical-sys, which carries CaDiCaL's source and needs a C++ compiler alone.

use anyhow::{Result, bail};
use cadical_sys::{CaDiCal, Status, Terminator};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Clause, Lit, TernaryVal};

use super::Limited;
use crate::limits::Limits;
use crate::options::{Preset, SolverOptions};
use crate::proof::{Kind, Log, Tracer};

/// CaDiCaL asks it whether to stop: at every tenth of its own checks (its option `terminateint`), so that the clock may be read
/// each time.
struct Stop(Limits);

impl Terminator for Stop {
    fn terminated(&mut self) -> bool {
        self.0.reached()
    }
}

/// CaDiCaL, the assignment that it found last, and what was assumed.
pub struct Cadical {
    solver: CaDiCal,
    /// The largest variable of any clause or assumption.
    variables: i32,
    /// The value of each variable in the last assignment.
    model: Vec<bool>,
    assumptions: Vec<Lit>,
    /// Where the proof goes, if one is wanted.
    log: Option<Log>,
}

// SAFETY: cadical-sys holds its solver and callbacks by pointers, which makes it not `Send` by default. The solver is owned by
// this value alone, its methods are called through it only, CaDiCaL keeps no state in thread-locals or globals that a
// solver's calls depend on, and the callbacks that are ever connected are `Stop` and `Tracer`, which are `Send` (checked below).
unsafe impl Send for Cadical {}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Stop>();
    is_send::<Tracer>();
};

impl Cadical {
    /// A new solver. Unknown options are reported and left out.
    pub fn new(options: &SolverOptions) -> Self {
        let mut solver = CaDiCal::new();
        let preset = match options.preset {
            Preset::Default => "default",
            Preset::Sat => "sat",
            Preset::Unsat => "unsat",
            Preset::Plain => "plain",
        };
        if !solver.configure(preset) {
            tracing::warn!("CaDiCaL has no preset `{preset}`");
        }
        // Bounded variable addition wants variables to be declared beforehand; it gains nothing on our problems.
        solver.set("factor", 0);
        for (name, value) in &options.set {
            if !CaDiCal::is_valid_option(name) {
                tracing::warn!("CaDiCaL has no option `{name}`");
            } else if name != "factor" {
                solver.set(name, *value);
            }
        }
        Self { solver, variables: 0, model: Vec::new(), assumptions: Vec::new(), log: None }
    }

    /// A new solver that writes a proof.
    pub fn logged(options: &SolverOptions, log: &Log) -> Self {
        let mut new = Self::new(options);
        new.solver.connect_proof_tracer1(Tracer::new(log.clone()), true, false);
        new.log = Some(log.clone());
        new
    }

    fn add_literals(&mut self, literals: impl Iterator<Item = Lit>) {
        for lit in literals {
            let lit = lit.to_ipasir();
            self.variables = self.variables.max(lit.abs());
            self.solver.add(lit);
        }
        self.solver.add(0);
    }
}

impl Extend<Clause> for Cadical {
    fn extend<T: IntoIterator<Item = Clause>>(&mut self, clauses: T) {
        for clause in clauses {
            self.add_literals(clause.iter().copied());
        }
    }
}

impl<'a> Extend<&'a Clause> for Cadical {
    fn extend<T: IntoIterator<Item = &'a Clause>>(&mut self, clauses: T) {
        for clause in clauses {
            self.add_literals(clause.iter().copied());
        }
    }
}

impl Solve for Cadical {
    fn signature(&self) -> &'static str {
        "CaDiCaL 3.0.1"
    }

    fn solve(&mut self) -> Result<SolverResult> {
        self.solve_assumps(&[])
    }

    fn lit_val(&self, lit: Lit) -> Result<TernaryVal> {
        Ok(match self.model.get(lit.vidx()) {
            Some(&value) => TernaryVal::from(value == lit.is_pos()),
            None => TernaryVal::DontCare,
        })
    }

    fn add_clause_ref<C: AsRef<Cl> + ?Sized>(&mut self, clause: &C) -> Result<()> {
        self.add_literals(clause.as_ref().iter().copied());
        Ok(())
    }
}

impl SolveIncremental for Cadical {
    fn solve_assumps(&mut self, assumptions: &[Lit]) -> Result<SolverResult> {
        self.assumptions = assumptions.to_vec();
        if let Some(log) = &self.log {
            log.question(&assumptions.iter().map(|l| l.to_ipasir()).collect::<Vec<_>>());
        }
        for lit in assumptions {
            let lit = lit.to_ipasir();
            self.variables = self.variables.max(lit.abs());
            self.solver.assume(lit);
        }
        let status = self.solver.solve();
        if let Some(log) = &self.log {
            match status {
                Status::SATISFIABLE => log.answer(Kind::Satisfiable),
                Status::UNKNOWN => log.answer(Kind::Unknown),
                // The answer comes through the tracer, with the clause that it rests on.
                Status::UNSATISFIABLE => self.solver.conclude(),
            }
        }
        Ok(match status {
            Status::SATISFIABLE => {
                let solver = &mut self.solver;
                self.model = (1..=self.variables).map(|v| solver.val(v) > 0).collect();
                SolverResult::Sat
            }
            Status::UNSATISFIABLE => SolverResult::Unsat,
            Status::UNKNOWN => SolverResult::Interrupted,
        })
    }

    fn core(&mut self) -> Result<Vec<Lit>> {
        if self.solver.status() != Status::UNSATISFIABLE {
            bail!("there is no core: the last call did not end in UNSAT");
        }
        let solver = &mut self.solver;
        Ok(self.assumptions.iter().copied().filter(|l| solver.failed(l.to_ipasir())).collect())
    }
}

impl Limited for Cadical {
    fn limit(&mut self, limits: &Limits) {
        if limits.deadline.is_some() || limits.stop.is_some() {
            self.solver.connect_terminator(Stop(limits.clone()));
        } else {
            self.solver.disconnect_terminator();
        }
        if let Some(conflicts) = limits.conflicts {
            self.solver.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
        }
    }

    fn conflicts(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("conflicts")).unwrap_or(0)
    }
}
