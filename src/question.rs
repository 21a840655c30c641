//! What is asked, from the command line to the library: shared by the commands that search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use margay_console::limits::{Limits, jobs};
use margay_mappings::Backend;
use margay_mappings::check::{CheckOptions, CoReading, Level};
use margay_mappings::compare::CompareOptions;
use margay_mappings::language::{LoadOptions, Loaded};
use margay_mappings::library;
use margay_mappings::synthesis::SynthesisOptions;
use margay_models::diagnostic::Diagnostic;

use crate::arguments::{self, Co, Question, Search, Statement, Switch};

/// The level, as the library names it.
pub fn level(level: arguments::Level) -> Level {
    match level {
        arguments::Level::Execution => Level::Execution,
        arguments::Level::Program => Level::Program,
    }
}

/// What is searched, and what it may take.
struct Effort {
    without: Vec<String>,
    only: Vec<String>,
    backend: Backend,
    jobs: usize,
    deadline: Option<Instant>,
    stop: Arc<AtomicBool>,
}

impl Search {
    /// The number of threads that solve, or `usual` where none is asked for.
    fn jobs(&self, usual: usize) -> Result<usize, Diagnostic> {
        jobs(self.jobs, usual)
    }

    /// The options of a comparison of two models.
    pub fn comparison(&self, bound: usize, limits: &Limits) -> Result<CompareOptions, Diagnostic> {
        let usual = CompareOptions::new(bound);
        let Effort { without, only, backend, jobs, deadline, stop } = self.effort(usual.jobs, limits)?;
        Ok(CompareOptions { without, only, backend, jobs, deadline, stop, ..usual })
    }

    /// The options of a search for the minimal tests of a model.
    pub fn synthesis(&self, bound: usize, limits: &Limits) -> Result<SynthesisOptions, Diagnostic> {
        let usual = SynthesisOptions::new(bound);
        let Effort { without, only, backend, jobs, deadline, stop } = self.effort(usual.jobs, limits)?;
        Ok(SynthesisOptions { without, only, backend, jobs, deadline, stop, ..usual })
    }

    /// What the options of every search have.
    fn effort(&self, usual: usize, limits: &Limits) -> Result<Effort, Diagnostic> {
        let (without, only, backend) = (self.without.clone(), self.only.clone(), self.solver.clone());
        Ok(Effort { without, only, backend, jobs: self.jobs(usual)?, deadline: limits.deadline, stop: limits.stop.clone() })
    }

    /// Starts to watch the limits.
    pub fn limits(&self) -> Limits {
        Limits::start(self.timeout, self.memory)
    }
}

impl Statement {
    /// The mapping of that path or name, between the models asked for.
    pub fn load(&self, mapping: &str) -> Result<Loaded, Vec<Diagnostic>> {
        library::find(mapping, &LoadOptions { source: self.source.clone(), target: self.target.clone() })
    }

    /// The options that mean the same for one mapping and for all, at program level.
    pub fn usual(&self, search: &Search) -> Result<CheckOptions, Diagnostic> {
        let mut asked = CheckOptions::new(self.bound);
        asked.without.clone_from(&search.without);
        asked.only.clone_from(&search.only);
        asked.typed = self.typed == Switch::On;
        asked.jobs = search.jobs(asked.jobs)?;
        asked.backend = search.solver.clone();
        Ok(asked)
    }
}

impl Question {
    /// The options for one mapping.
    pub fn options(&self, limits: &Limits) -> Result<CheckOptions, Diagnostic> {
        let mut asked = self.statement.usual(&self.search)?;
        asked.axioms.clone_from(&self.statement.axiom);
        asked.deadline = limits.deadline;
        asked.stop = limits.stop.clone();
        let &[one] = self.level.as_slice() else {
            let error = Diagnostic::error("one question at a time: `--level program` or `--level execution`");
            return Err(error.help("`margay check --all-mappings` asks both"));
        };
        (asked.level, asked.guards) = (level(one), self.guards);
        asked.co = match (self.co, asked.level) {
            (Some(Co::Universal), Level::Program) => {
                let error = Diagnostic::error("at program level an outcome counts that no modification order explains");
                return Err(error.help("leave out `--co universal`, or ask with `--level execution`"));
            }
            (Some(Co::Exists), _) | (None, Level::Program) => CoReading::Exists,
            (Some(Co::Universal) | None, Level::Execution) => CoReading::Universal,
        };
        if asked.level == Level::Execution && asked.guards.is_some() {
            let error = Diagnostic::error("`--guards` is about programs, and this question is about executions");
            return Err(error.help("leave out `--level execution`, or `--guards`"));
        }
        Ok(asked)
    }
}
