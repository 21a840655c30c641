//! `margay test`: keeps a corpus of verdicts honest. The sum comes first, then what differs;
//! `--bless` writes down what is found.

use margay_answers::corpus::{self, CorpusOptions};
use margay_console::output::Output;
use margay_litmus::corpus::choice::Filter;

use crate::CommandOutcome;
use crate::arguments::CorpusArguments;

pub fn run(options: &CorpusArguments, output: &Output) -> CommandOutcome {
    let CorpusArguments {
        folder,
        filter,
        model,
        fail_fast,
        time,
        threads,
        junit,
        bless,
        require_verdicts,
        engine,
    } = options;
    let asked = CorpusOptions {
        filter: Filter { folder: folder.clone(), paths: filter.clone(), models: model.clone() },
        fail_fast: *fail_fast,
        timeout: time.timeout,
        jobs: threads.jobs,
        junit: junit.clone(),
        bless: *bless,
        require_verdicts: *require_verdicts,
        engine: engine.choice(),
    };
    corpus::run(&asked, output)
}
