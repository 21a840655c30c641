//! `margay diff`: the smallest executions about which two models differ, or that there are none.

use margay_answers::diff::load::{Named, load};
use margay_answers::diff::proof::ProofToKeep;
use margay_answers::diff::{self, DiffOptions};
use margay_console::limits::Limits;
use margay_console::output::Output;
use margay_mappings::check::Level;
use margay_models::diagnostic::Diagnostic;

use crate::Outcome;
use crate::arguments::{Diff, Switch};

/// Runs the command.
pub fn run(options: &Diff, output: &Output) -> Outcome {
    let Diff { models, git, mapping, .. } = options;
    let mut warnings = Vec::new();
    let loaded = match load(&Named { models: models.clone(), git: git.clone(), mapping: mapping.clone() }, &mut warnings) {
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

impl Diff {
    fn asked(&self, limits: &Limits) -> Result<DiffOptions, Diagnostic> {
        let mut asked = self.search.comparison(self.bound, limits)?;
        asked.typed = self.typed == Switch::On;
        asked.most = self.all.unwrap_or(asked.most);
        asked.first = self.first;
        asked.level = if self.program { Level::Program } else { Level::Execution };
        // A theorem is certified in place of a search.
        let prove = self.prove.then(|| ProofToKeep { certify: self.certify.clone(), rocq: self.rocq.clone() });
        asked.certify = self.certify.clone().filter(|_| !self.prove);
        Ok(DiffOptions { compare: asked, prove, out: self.out.clone() })
    }
}
