//! Varisat behind rustsat's traits.

use anyhow::{Result, bail};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Clause, Lit, TernaryVal};
use varisat::{ExtendFormula, Solver};

use super::Limited;
use crate::limits::Limits;

/// Varisat and the assignment that it found last.
pub struct Varisat {
    solver: Solver<'static>,
    /// The value of each variable.
    model: Vec<TernaryVal>,
}

// SAFETY: Varisat is not `Send` only because its context can hold a proof writer and proof processors, which are trait objects
// without that bound. None is ever given to this solver, which is private to this type; all else in it is owned plain data.
unsafe impl Send for Varisat {}

impl Varisat {
    /// A new solver.
    pub fn new() -> Self {
        Self { solver: Solver::new(), model: Vec::new() }
    }
}

fn literal(lit: Lit) -> varisat::Lit {
    varisat::Lit::from_index(lit.vidx(), lit.is_pos())
}

impl Extend<Clause> for Varisat {
    fn extend<T: IntoIterator<Item = Clause>>(&mut self, clauses: T) {
        for clause in clauses {
            self.solver.add_clause(&clause.iter().map(|&l| literal(l)).collect::<Vec<_>>());
        }
    }
}

impl<'a> Extend<&'a Clause> for Varisat {
    fn extend<T: IntoIterator<Item = &'a Clause>>(&mut self, clauses: T) {
        for clause in clauses {
            self.solver.add_clause(&clause.iter().map(|&l| literal(l)).collect::<Vec<_>>());
        }
    }
}

impl Solve for Varisat {
    fn signature(&self) -> &'static str {
        "Varisat 0.2.2"
    }

    fn solve(&mut self) -> Result<SolverResult> {
        self.solve_assumps(&[])
    }

    fn lit_val(&self, lit: Lit) -> Result<TernaryVal> {
        let value = self.model.get(lit.vidx()).copied().unwrap_or(TernaryVal::DontCare);
        Ok(match (value, lit.is_pos()) {
            (TernaryVal::True, false) => TernaryVal::False,
            (TernaryVal::False, false) => TernaryVal::True,
            (value, _) => value,
        })
    }

    fn add_clause_ref<C: AsRef<Cl> + ?Sized>(&mut self, clause: &C) -> Result<()> {
        self.solver.add_clause(&clause.as_ref().iter().map(|&l| literal(l)).collect::<Vec<_>>());
        Ok(())
    }
}

impl SolveIncremental for Varisat {
    fn solve_assumps(&mut self, assumptions: &[Lit]) -> Result<SolverResult> {
        self.solver.assume(&assumptions.iter().map(|&l| literal(l)).collect::<Vec<_>>());
        if !self.solver.solve()? {
            return Ok(SolverResult::Unsat);
        }
        self.model.clear();
        for lit in self.solver.model().unwrap_or_default() {
            if self.model.len() <= lit.index() {
                self.model.resize(lit.index() + 1, TernaryVal::DontCare);
            }
            self.model[lit.index()] = TernaryVal::from(lit.is_positive());
        }
        Ok(SolverResult::Sat)
    }

    fn core(&mut self) -> Result<Vec<Lit>> {
        match self.solver.failed_core() {
            Some(core) => Ok(core.iter().map(|l| Lit::new(l.index() as u32, l.is_negative())).collect()),
            None => bail!("there is no core: the last call did not end in UNSAT"),
        }
    }
}

impl Limited for Varisat {
    fn limit(&mut self, _limits: &Limits) {}

    fn conflicts(&self) -> u64 {
        0
    }
}
