//! `margay confirm`: check a mapping, and run its smallest counterexamples on a device.

use margay_answers::check::CheckSubject;
use margay_campaigns::confirm::run::{self, ConfirmOptions};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::ConfirmArguments;

pub fn run(options: &ConfirmArguments, output: &Output) -> CommandOutcome {
    let loaded = match options.question.statement.load(&options.mapping) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let begin = || {
        let limits = options.question.search.limits();
        let mut asked = options.question.options(&limits)?;
        asked.all = options.all;
        Ok((limits, asked))
    };
    // What is assumed is no finding.
    let mapping = CheckSubject::new(&options.mapping, loaded.mapping).mapping;
    let ConfirmArguments { on, instances, racy, results, out, .. } = options;
    let (results, out) = (results.clone(), out.clone());
    let asked = ConfirmOptions { on: on.asked(), instances: *instances, racy: *racy, results, out };
    run::run(&mapping, &asked, begin, output)
}
