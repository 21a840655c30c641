//! Varisat, a SAT solver in Rust (feature `varisat`).

use margay_proof::SatLiteral;
use varisat::{ExtendFormula, Lit};

use super::{Factory, Solver, SolverAnswer, SolverFailure};
use crate::limits::SolverLimits;
use crate::options::SolverOptions;

const NAME: &str = "varisat";

/// Makes Varisats.
pub(super) struct VarisatFactory;

impl Factory for VarisatFactory {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> String {
        "Varisat 0.2.2".to_owned()
    }

    fn start(&self, _: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(Box::new(Varisat(varisat::Solver::new())))
    }
}

struct Varisat(varisat::Solver<'static>);

// SAFETY: Varisat is not `Send` only because its context can hold a proof writer and proof
// processors, which are trait objects without that bound. None is ever given to this solver, which
// is private to this type; all else in it is owned plain data.
unsafe impl Send for Varisat {}

fn literals(literals: &[SatLiteral]) -> Vec<Lit> {
    literals.iter().map(|l| Lit::from_dimacs(l.dimacs() as isize)).collect()
}

impl Solver for Varisat {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        self.0.add_clause(&literals(clause));
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
        self.0.assume(&literals(assumptions));
        match self.0.solve() {
            Ok(true) => Ok(SolverAnswer::Sat),
            Ok(false) => Ok(SolverAnswer::Unsat),
            Err(error) => Err(SolverFailure::new(NAME, error.to_string())),
        }
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        let mut values = vec![false; variables];
        for literal in self.0.model().unwrap_or_default() {
            if let Some(value) = values.get_mut(literal.index()) {
                *value = literal.is_positive();
            }
        }
        Ok(values)
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        let core = self.0.failed_core().unwrap_or_default();
        Ok(core
            .iter()
            .filter_map(|l| SatLiteral::of_variable(l.index() + 1, l.is_negative()))
            .collect())
    }
}
