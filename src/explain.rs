//! `margay explain`: why a model forbids the outcome of a test, or what would forbid it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use margay_answers::explain::{self, ExplainOptions};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::{EngineArguments, ShownArguments};

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
    /// Give up after this time, e.g. `30s`
    #[arg(long, value_name = "TIME", value_parser = margay_console::limits::parse_time)]
    pub timeout: Option<Duration>,
    /// Which executions are shown
    #[command(flatten)]
    pub shown: ShownArguments,
}

pub fn run(options: &ExplainArguments, output: &Output) -> CommandOutcome {
    let ExplainArguments { test, model, engine: EngineArguments { unroll, engine }, races, timeout, shown } = options;
    let asked =
        ExplainOptions { unroll: *unroll, engine: engine.choice(), races: *races, timeout: *timeout, executions: shown.choice() };
    explain::run(test, model, &asked, output)
}
