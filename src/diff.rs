//! `margay diff`: the smallest executions about which two models differ, or that there are none.

use margay_answers::diff::load::{ComparedNames, load, tables};
use margay_answers::diff::proof::ProofToKeep;
use margay_answers::diff::tables::TablePair;
use margay_answers::diff::{self, DiffOptions};
use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_mappings::check::Level;
use margay_models::diagnostic::Diagnostic;

use crate::CommandOutcome;
use crate::arguments::{DiffArguments, Switch};

pub fn run(options: &DiffArguments, output: &Output) -> CommandOutcome {
    let DiffArguments { models, git, mapping, .. } = options;
    let mut warnings = Vec::new();
    let named =
        ComparedNames { models: models.clone(), git: git.clone(), mapping: mapping.clone() };
    match tables(&named, &mut warnings) {
        Ok(None) => {}
        Ok(Some(tables)) => {
            output.warn(&warnings);
            return options.of_tables(&tables, output);
        }
        Err(errors) => return output.wrong(&errors),
    }
    let loaded = match load(&named, &mut warnings) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&warnings);
    if options.prove {
        // Proofs ask the solver of the process, which so is the one that was chosen.
        options.search.solver.clone().register();
    }
    let limits = options.search.limits();
    match options.asked(&limits) {
        Ok(asked) => diff::run(loaded.subjects(), &asked, &limits, output),
        Err(error) => output.wrong(&[error]),
    }
}

impl DiffArguments {
    /// Compares two mappings.
    fn of_tables(&self, subject: &TablePair, output: &Output) -> CommandOutcome {
        let of_models = [
            (self.mapping.is_some(), "--mapping"),
            (self.program, "--program"),
            (self.prove, "--prove"),
            (self.first, "--first"),
            (self.all.is_some(), "--all"),
            (self.certify.is_some(), "--certify"),
        ];
        if let Some((_, option)) = of_models.into_iter().find(|(given, _)| *given) {
            let error = Diagnostic::error(format!(
                "`{option}` is about two models, and these are two mappings"
            ));
            return output.wrong(&[error.help(format!(
                "leave out `{option}`; `margay check NEW --baseline OLD` has more options"
            ))]);
        }
        let limits = self.search.limits();
        match self.search.programs(self.bound, self.typed != Some(Switch::Off), &limits) {
            Ok(asked) => diff::tables::run(subject, &asked, self.out.as_deref(), &limits, output),
            Err(error) => output.wrong(&[error]),
        }
    }

    fn asked(&self, limits: &RunLimits) -> Result<DiffOptions, Diagnostic> {
        let mut asked = self.search.comparison(self.bound, limits)?;
        asked.typed = self.typed == Some(Switch::On);
        asked.most = self.all.unwrap_or(asked.most);
        asked.first = self.first;
        asked.level = if self.program { Level::Program } else { Level::Execution };
        // A theorem is certified in place of a search.
        let prove = self
            .prove
            .then(|| ProofToKeep { certify: self.certify.clone(), rocq: self.rocq.clone() });
        asked.certify = self.certify.clone().filter(|_| !self.prove);
        Ok(DiffOptions { compare: asked, prove, out: self.out.clone() })
    }
}
