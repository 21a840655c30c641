//! The options of a check that decide what is asked, as a certificate has them.

use super::options::CheckOptions;
use crate::certificate::QuestionOptions;
use crate::language::Mapping;
use crate::level::{CoReading, Level};
use crate::search::SearchOptions;

impl QuestionOptions {
    /// What the options ask of a mapping.
    pub(super) fn of(mapping: &Mapping, options: &CheckOptions) -> Self {
        // Without `..`: whoever adds an option says here whether an answer depends on it.
        let CheckOptions {
            search,
            axioms,
            level,
            guards,
            co,
            // Who decides, and for how long.
            engine: _,
            checkpoint: _,
            // How: a certificate is of all techniques together, and a leaf of a shape that was
            // split has its facts with it.
            techniques: _,
            split: _,
            // What is looked for once there is a counterexample, and what is written besides.
            all: _,
            next: _,
            keep_going: _,
            dump_cnf: _,
            certify: _,
            // Another text, which the certificate has beside the mapping's.
            baseline: _,
        } = options;
        // Who decides, and for how long.
        let SearchOptions {
            bound,
            without,
            only,
            typed,
            jobs: _,
            deadline: _,
            stop: _,
            backend: _,
        } = search;
        Self {
            bound: *bound,
            axioms: axioms.clone(),
            without: without.clone(),
            only: only.clone(),
            typed: *typed,
            level: *level,
            guards: *guards,
            // At program level there is one reading.
            co: if *level == Level::Program { CoReading::Exists } else { *co },
            known_only: mapping.is_known_only(),
        }
    }

    /// The options that ask this.
    ///
    /// # Errors
    /// A combination that the command line refuses: it would say something of the question that is
    /// not so.
    pub(crate) fn options(&self) -> Result<CheckOptions, String> {
        // What is asked of which rows is said of the mapping.
        let Self { bound, axioms, without, only, typed, level, guards, co, known_only: _ } = self;
        if *level == Level::Program && *co != CoReading::Exists {
            return Err(format!(
                "at program level there is no modification order `{}` to ask about",
                co.name()
            ));
        }
        if *level == Level::Execution && guards.is_some() {
            return Err("it limits guards, which executions have not".to_owned());
        }
        let mut options = CheckOptions::new(*bound);
        options.axioms.clone_from(axioms);
        options.without.clone_from(without);
        options.only.clone_from(only);
        (options.typed, options.level, options.guards, options.co) = (*typed, *level, *guards, *co);
        Ok(options)
    }
}
