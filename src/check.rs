//! `margay check`: a mapping, and the smallest counterexample.

use std::sync::Arc;

use margay_answers::check::{self, CheckSubject, causes, matrix, one};
use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_mappings::check::{Baseline, CheckOptions, Level};
use margay_mappings::language::{LoadOptions, Mapping, of_one_kind};
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;

use crate::CommandOutcome;
use crate::arguments::CheckArguments;
use crate::question::level;

pub fn run(options: &CheckArguments, output: &Output) -> CommandOutcome {
    if options.all_mappings {
        return match options.of_all() {
            Ok(asked) => matrix::run(&asked, output),
            Err(error) => output.wrong(&[error]),
        };
    }
    let name = options.mapping.as_deref().unwrap_or_default();
    let loaded = match options.question.statement.load(name) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let asked = CheckSubject::new(name, loaded.mapping);
    let (limits, out) = (options.question.search.limits(), options.out.as_deref());
    let mut of_one = match options.of_one(&limits) {
        Ok(of_one) => of_one,
        Err(error) => return output.wrong(&[error]),
    };
    if let Some(baseline) = &options.baseline {
        match beside(baseline, &asked.mapping) {
            Ok(beside) => of_one.baseline = Some(Arc::new(beside)),
            Err(errors) => return output.wrong(&errors),
        }
    }
    if let Some(file) = &options.test {
        return one::run(file, &asked.mapping, &limits, output);
    }
    if options.causes {
        return causes::run(&asked, &of_one, out, output);
    }
    check::run(&asked, &of_one, out, &limits, output)
}

/// A mapping beside the baseline of this name, which is read between the same models.
fn beside(baseline: &str, mapping: &Mapping) -> Result<Baseline, Vec<Diagnostic>> {
    // A table for another machine would have a mistake in each of its rows.
    if let Ok(own) = library::find(baseline, &LoadOptions::default()) {
        of_one_kind(&own.mapping, mapping)?;
    }
    let found = library::find_between(baseline, &mapping.source, &mapping.target)?;
    Ok(Baseline::new(mapping, &CheckSubject::new(baseline, found).mapping))
}

impl CheckArguments {
    /// What is asked of all mappings.
    fn of_all(&self) -> Result<matrix::CheckMatrixOptions, Diagnostic> {
        let (question, search) = (&self.question, &self.question.search);
        let mut levels: Vec<Level> = question.level.iter().map(|&l| level(l)).collect();
        levels.sort_unstable();
        levels.dedup();
        let check = question.statement.usual(search)?;
        let (timeout, memory) = (search.limits.time.timeout, search.limits.memory);
        Ok(matrix::CheckMatrixOptions { levels, check, timeout, memory, out: self.out.clone() })
    }

    /// What is asked of one mapping.
    fn of_one(&self, limits: &RunLimits) -> Result<CheckOptions, Diagnostic> {
        let mut asked = self.question.options(limits)?;
        (asked.all, asked.next, asked.keep_going) = (self.all, self.next, self.keep_going);
        asked.dump_cnf.clone_from(&self.dump_cnf);
        asked.certify.clone_from(&self.certify);
        asked.checkpoint.clone_from(&self.checkpoint);
        asked.split = self.split.map(|n| n as usize);
        crate::cluster::attach(&self.cluster, &mut asked, limits)?;
        Ok(asked)
    }
}
