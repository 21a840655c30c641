//! `margay explain`: why a model forbids the outcome of a test, or what would forbid it.

use std::path::PathBuf;

use clap::Args;
use margay_answers::explain::{self, ExplainOptions};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::{EngineArguments, ShownArguments, TimeArguments};

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A litmus test in any form
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// A .cat file or model name
    #[arg(short, long, value_name = "MODEL")]
    pub model: String,
    /// Who answers, and how far loops are looked into
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Ask for races, too, where the model gives racy programs a meaning (PTX)
    #[arg(long)]
    pub races: bool,
    /// How long it may take
    #[command(flatten)]
    pub time: TimeArguments,
    /// Which executions are shown
    #[command(flatten)]
    pub shown: ShownArguments,
}

pub fn run(options: &ExplainArguments, output: &Output) -> CommandOutcome {
    let ExplainArguments {
        test,
        model,
        engine: EngineArguments { unroll, engine },
        races,
        time,
        shown,
    } = options;
    let asked = ExplainOptions {
        unroll: *unroll,
        engine: engine.choice(),
        races: *races,
        timeout: time.timeout,
        executions: shown.choice(),
    };
    explain::run(test, model, &asked, output)
}
