//! SAT solvers behind rustsat's traits. Whoever adds a solver adds a file here with a type that implements rustsat's
//! `SolveIncremental` and [`Limited`], and a variant of [`Backend`].

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;
mod varisat;

use std::fmt;
use std::str::FromStr;

use rustsat::solvers::{SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};

use crate::limits::Limits;

/// A SAT solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Backend {
    /// CaDiCaL 3 (C++; feature `cadical`).
    Cadical,
    /// BatSat, a MiniSat in Rust.
    Batsat,
    /// Varisat (Rust). It cannot be interrupted within one call: limits are looked at between calls.
    Varisat,
}

impl Backend {
    /// The solvers of this build.
    pub fn available() -> &'static [Backend] {
        if cfg!(feature = "cadical") { &[Self::Cadical, Self::Batsat, Self::Varisat] } else { &[Self::Batsat, Self::Varisat] }
    }

    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cadical => "cadical",
            Self::Batsat => "batsat",
            Self::Varisat => "varisat",
        }
    }

    /// The name and version, for reports.
    pub fn version(self) -> &'static str {
        match self {
            Self::Cadical => "CaDiCaL 3.0.1 (cadical-sys 0.8)",
            Self::Batsat => "BatSat 0.6",
            Self::Varisat => "Varisat 0.2.2",
        }
    }

    /// A new solver. CaDiCaL is BatSat in a build without the feature `cadical`.
    pub(crate) fn start(self) -> Box<dyn Engine> {
        match self {
            #[cfg(feature = "cadical")]
            Self::Cadical => Box::new(cadical::Cadical::new()),
            #[cfg(not(feature = "cadical"))]
            Self::Cadical => Box::new(batsat::new()),
            Self::Batsat => Box::new(batsat::new()),
            Self::Varisat => Box::new(varisat::Varisat::new()),
        }
    }
}

impl Default for Backend {
    /// The fastest one of this build.
    fn default() -> Self {
        Self::available()[0]
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::available();
        known.iter().copied().find(|b| b.name() == name.to_lowercase()).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|b| b.name()).collect();
            format!("unknown solver `{name}`; this build has {}", names.join(", "))
        })
    }
}

/// A solver that can be given limits before a call.
pub(crate) trait Limited {
    /// The limits of the next call.
    fn limit(&mut self, limits: &Limits);
    /// The conflicts of all calls so far; 0 where the solver does not tell.
    fn conflicts(&self) -> u64;
}

/// What a session needs of a solver: rustsat's incremental interface, by literals in DIMACS numbering.
pub(crate) trait Engine {
    /// Adds a clause.
    fn add(&mut self, clause: &[i32]) -> anyhow::Result<()>;
    /// Solves under assumptions.
    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> anyhow::Result<SolverResult>;
    /// The value of a variable in the assignment found last; an unconstrained one is false.
    fn value(&self, variable: i32) -> anyhow::Result<bool>;
    /// The conflicts of all calls so far.
    fn conflicts(&self) -> u64;
}

fn literal(dimacs: i32) -> anyhow::Result<Lit> {
    Ok(Lit::from_ipasir(dimacs)?)
}

impl<S: SolveIncremental + Limited> Engine for S {
    fn add(&mut self, clause: &[i32]) -> anyhow::Result<()> {
        let clause: Clause = clause.iter().map(|&l| literal(l)).collect::<anyhow::Result<_>>()?;
        self.add_clause(clause)
    }

    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> anyhow::Result<SolverResult> {
        if limits.reached() {
            return Ok(SolverResult::Interrupted);
        }
        let assumptions: Vec<Lit> = assumptions.iter().map(|&l| literal(l)).collect::<anyhow::Result<_>>()?;
        self.limit(limits);
        self.solve_assumps(&assumptions)
    }

    fn value(&self, variable: i32) -> anyhow::Result<bool> {
        Ok(self.lit_val(literal(variable)?)? == TernaryVal::True)
    }

    fn conflicts(&self) -> u64 {
        Limited::conflicts(self)
    }
}
