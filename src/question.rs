//! What is asked, from the command line to the library: shared by the commands that search.

use margay_console::limits::{RunLimits, jobs};
use margay_mappings::check::{CheckOptions, CoReading, Level};
use margay_mappings::compare::CompareOptions;
use margay_mappings::language::{LoadOptions, LoadedMapping};
use margay_mappings::synthesis::SynthesisOptions;
use margay_mappings::{SearchOptions, library};
use margay_models::diagnostic::Diagnostic;

use crate::arguments::{self, Co, QuestionArguments, SearchArguments, StatementArguments, Switch};

/// The level, as the library names it.
pub fn level(level: arguments::LevelChoice) -> Level {
    match level {
        arguments::LevelChoice::Execution => Level::Execution,
        arguments::LevelChoice::Program => Level::Program,
    }
}

impl SearchArguments {
    /// The options that every search has, without limits.
    fn options(&self, bound: usize) -> Result<SearchOptions, Diagnostic> {
        let usual = SearchOptions::new(bound);
        // What is named twice is named once where an answer says what was asked.
        let once = |names: &[String]| {
            names.iter().fold(Vec::new(), |mut all: Vec<String>, name| {
                if !all.contains(name) {
                    all.push(name.clone());
                }
                all
            })
        };
        let (without, only, backend) = (once(&self.without), once(&self.only), self.solver.clone());
        Ok(SearchOptions { without, only, backend, jobs: jobs(self.threads.jobs)?, ..usual })
    }

    /// The options that every search has.
    fn limited(&self, bound: usize, limits: &RunLimits) -> Result<SearchOptions, Diagnostic> {
        Ok(SearchOptions {
            deadline: limits.deadline,
            stop: limits.stop.clone(),
            ..self.options(bound)?
        })
    }

    /// The options of a comparison of two models.
    pub fn comparison(
        &self,
        bound: usize,
        limits: &RunLimits,
    ) -> Result<CompareOptions, Diagnostic> {
        Ok(CompareOptions { search: self.limited(bound, limits)?, ..CompareOptions::new(bound) })
    }

    pub fn programs(
        &self,
        bound: usize,
        typed: bool,
        limits: &RunLimits,
    ) -> Result<CheckOptions, Diagnostic> {
        let search = SearchOptions { typed, ..self.limited(bound, limits)? };
        Ok(CheckOptions { search, ..CheckOptions::new(bound) })
    }

    /// The options of a search for the minimal tests of a model.
    pub fn synthesis(
        &self,
        bound: usize,
        limits: &RunLimits,
    ) -> Result<SynthesisOptions, Diagnostic> {
        Ok(SynthesisOptions {
            search: self.limited(bound, limits)?,
            ..SynthesisOptions::new(bound)
        })
    }
    /// Starts to watch the limits.
    pub fn limits(&self) -> RunLimits {
        RunLimits::start(self.limits.time.timeout, self.limits.memory)
    }
}

impl StatementArguments {
    /// The mapping of that path or name, between the models asked for.
    pub fn load(&self, mapping: &str) -> Result<LoadedMapping, Vec<Diagnostic>> {
        library::find(
            mapping,
            &LoadOptions {
                source: self.source.clone(),
                target: self.target.clone(),
                ..LoadOptions::default()
            },
        )
    }

    /// The options that mean the same for one mapping and for all, at program level.
    pub fn usual(&self, search: &SearchArguments) -> Result<CheckOptions, Diagnostic> {
        let options =
            SearchOptions { typed: self.typed == Switch::On, ..search.options(self.bound)? };
        Ok(CheckOptions { search: options, ..CheckOptions::new(self.bound) })
    }
}

impl QuestionArguments {
    /// The options for one mapping.
    pub fn options(&self, limits: &RunLimits) -> Result<CheckOptions, Diagnostic> {
        let mut asked = self.statement.usual(&self.search)?;
        asked.axioms.clone_from(&self.statement.axiom);
        asked.deadline = limits.deadline;
        asked.stop = limits.stop.clone();
        let &[one] = self.level.as_slice() else {
            let error = Diagnostic::error(
                "one question at a time: `--level program` or `--level execution`",
            );
            return Err(error.help("`margay check --all-mappings` asks both"));
        };
        (asked.level, asked.guards) = (level(one), self.guards);
        asked.co = match (self.co, asked.level) {
            (Some(Co::Universal), Level::Program) => {
                let error = Diagnostic::error(
                    "at program level an outcome counts that no modification order explains",
                );
                return Err(
                    error.help("leave out `--co universal`, or ask with `--level execution`")
                );
            }
            (Some(Co::Exists), _) | (None, Level::Program) => CoReading::Exists,
            (Some(Co::Universal) | None, Level::Execution) => CoReading::Universal,
        };
        if asked.level == Level::Execution && asked.guards.is_some() {
            let error = Diagnostic::error(
                "`--guards` is about programs, and this question is about executions",
            );
            return Err(error.help("leave out `--level execution`, or `--guards`"));
        }
        Ok(asked)
    }
}
