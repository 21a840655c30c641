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
use crate::options::SolverOptions;
use crate::proof::Log;

/// A SAT solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Backend {
    /// CaDiCaL 3 (C++; feature `cadical`).
    Cadical,
    /// BatSat, a MiniSat in Rust.
    Batsat,
    /// Varisat (Rust). It offers no way to stop a call: limits are looked at between calls only.
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

    /// Does a call stop while it runs once its limits are reached?
    pub fn interruptible(self) -> bool {
        match self {
            Self::Cadical | Self::Batsat => true,
            Self::Varisat => false,
        }
    }

    /// Can it write a proof of what it finds to be unsatisfiable?
    pub fn proves(self) -> bool {
        self == Self::Cadical && cfg!(feature = "cadical")
    }

    /// A new solver that writes a proof; `None` if it cannot.
    #[cfg_attr(not(feature = "cadical"), allow(unused_variables))]
    pub(crate) fn start_logged(self, options: &SolverOptions, log: &Log) -> Option<Box<dyn Engine>> {
        match self {
            #[cfg(feature = "cadical")]
            Self::Cadical => Some(Box::new(cadical::Cadical::logged(options, log))),
            _ => None,
        }
    }

    /// A new solver. CaDiCaL is BatSat in a build without the feature `cadical`. Options are CaDiCaL's alone.
    #[cfg_attr(not(feature = "cadical"), allow(unused_variables))]
    pub(crate) fn start(self, options: &SolverOptions) -> Box<dyn Engine> {
        match self {
            #[cfg(feature = "cadical")]
            Self::Cadical => Box::new(cadical::Cadical::new(options)),
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
pub(crate) trait Engine: Send {
    /// Adds a clause.
    fn add(&mut self, clause: &[i32]) -> anyhow::Result<()>;
    /// Solves under assumptions.
    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> anyhow::Result<SolverResult>;
    /// The values of the first so many variables after a call that found an assignment; unconstrained ones are false.
    fn model(&self, variables: usize) -> anyhow::Result<Vec<bool>>;
    /// The conflicts of all calls so far.
    fn conflicts(&self) -> u64;
}

fn literal(dimacs: i32) -> anyhow::Result<Lit> {
    Ok(Lit::from_ipasir(dimacs)?)
}

impl<S: SolveIncremental + Limited + Send> Engine for S {
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

    fn model(&self, variables: usize) -> anyhow::Result<Vec<bool>> {
        let variables = i32::try_from(variables)?;
        (1..=variables).map(|v| Ok(self.lit_val(literal(v)?)? == TernaryVal::True)).collect()
    }

    fn conflicts(&self) -> u64 {
        Limited::conflicts(self)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use rustsat::solvers::SolverResult;

    use super::{Backend, Engine};
    use crate::limits::Limits;
    use crate::options::SolverOptions;

    /// Every solver of this build passes the same tests.
    fn each(test: impl Fn(Backend, Box<dyn Engine>)) {
        for &backend in Backend::available() {
            test(backend, backend.start(&SolverOptions::default()));
        }
    }

    fn add(engine: &mut dyn Engine, clauses: &[&[i32]]) {
        for clause in clauses {
            engine.add(clause).expect("clauses are well-formed");
        }
    }

    /// More pigeons than holes: hard for resolution, so that there is something to interrupt.
    fn pigeonhole(engine: &mut dyn Engine, holes: i32) {
        let at = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        for pigeon in 0..=holes {
            engine.add(&(0..holes).map(|h| at(pigeon, h)).collect::<Vec<_>>()).expect("well-formed");
            for other in 0..pigeon {
                for hole in 0..holes {
                    engine.add(&[-at(pigeon, hole), -at(other, hole)]).expect("well-formed");
                }
            }
        }
    }

    #[test]
    fn clauses_and_assumptions_come_incrementally() {
        each(|backend, mut engine| {
            let none = Limits::default();
            add(&mut *engine, &[&[1, 2], &[-1, 3]]);
            assert_eq!(engine.solve(&[-2], &none).unwrap(), SolverResult::Sat, "{backend}");
            assert_eq!(engine.model(4).unwrap(), [true, false, true, false], "{backend}");
            assert_eq!(engine.solve(&[-2, -3], &none).unwrap(), SolverResult::Unsat, "{backend}");
            // Assumptions are for one call, a variable may be new.
            add(&mut *engine, &[&[-3, 5]]);
            assert_eq!(engine.solve(&[-2], &none).unwrap(), SolverResult::Sat, "{backend}");
            assert!(engine.model(5).unwrap()[4], "{backend}");
            add(&mut *engine, &[&[-5]]);
            assert_eq!(engine.solve(&[], &none).unwrap(), SolverResult::Sat, "{backend}");
            assert_eq!(engine.model(2).unwrap(), [false, true], "{backend}");
            assert_eq!(engine.solve(&[7, -2], &none).unwrap(), SolverResult::Unsat, "{backend}");
            add(&mut *engine, &[&[]]);
            assert_eq!(engine.solve(&[], &none).unwrap(), SolverResult::Unsat, "{backend}");
        });
    }

    #[test]
    fn refutations_are_found() {
        each(|backend, mut engine| {
            pigeonhole(&mut *engine, 5);
            assert_eq!(engine.solve(&[], &Limits::default()).unwrap(), SolverResult::Unsat, "{backend}");
        });
    }

    #[test]
    fn a_raised_flag_and_a_past_deadline_prevent_a_call() {
        each(|backend, mut engine| {
            let stop = Limits { stop: Some(Arc::new(AtomicBool::new(true))), ..Limits::default() };
            let late = Limits { deadline: Some(Instant::now()), ..Limits::default() };
            add(&mut *engine, &[&[1]]);
            assert_eq!(engine.solve(&[], &stop).unwrap(), SolverResult::Interrupted, "{backend}");
            assert_eq!(engine.solve(&[], &late).unwrap(), SolverResult::Interrupted, "{backend}");
            assert_eq!(engine.solve(&[], &Limits::default()).unwrap(), SolverResult::Sat, "{backend}");
        });
    }

    #[test]
    fn a_running_call_is_interrupted() {
        each(|backend, mut engine| {
            if !backend.interruptible() {
                return;
            }
            pigeonhole(&mut *engine, 12);
            let stop = Arc::new(AtomicBool::new(false));
            let limits = Limits { stop: Some(stop.clone()), ..Limits::default() };
            let raised = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                stop.store(true, Ordering::Relaxed);
                Instant::now()
            });
            let answer = engine.solve(&[], &limits).unwrap();
            let late = raised.join().expect("the thread only sleeps").elapsed();
            assert_eq!(answer, SolverResult::Interrupted, "{backend}");
            // 50 ms on an idle machine; tests run on loaded ones.
            assert!(late < Duration::from_millis(1000), "{backend} stopped after {late:?}");

            let start = Instant::now();
            let limits = Limits { deadline: Some(start + Duration::from_millis(50)), ..Limits::default() };
            assert_eq!(engine.solve(&[], &limits).unwrap(), SolverResult::Interrupted, "{backend}");
            assert!(start.elapsed() < Duration::from_millis(1050), "{backend}");
            let limits = Limits { conflicts: Some(50), ..Limits::default() };
            if backend == Backend::Cadical {
                assert_eq!(engine.solve(&[], &limits).unwrap(), SolverResult::Interrupted, "{backend}");
                assert!(engine.conflicts() > 0);
            }
        });
    }
}
