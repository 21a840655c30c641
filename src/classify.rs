//! `margay classify`: what litmus tests are called, and which of them are the same.

use std::path::PathBuf;

use clap::Args;
use margay_answers::classify;
use margay_console::output::Output;

use crate::CommandOutcome;

/// Options of `classify`.
#[derive(Debug, Args)]
pub struct ClassifyArguments {
    /// Litmus tests in any form, or folders of them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// Exit with 1 if two tests of one language are the same
    #[arg(long)]
    pub distinct: bool,
    /// Say only which tests are the same
    #[arg(long)]
    pub duplicates: bool,
}

pub fn run(options: &ClassifyArguments, output: &Output) -> CommandOutcome {
    let ClassifyArguments { tests, distinct, duplicates } = options;
    classify::run(
        &classify::ClassifyOptions {
            tests: tests.clone(),
            distinct: *distinct,
            duplicates: *duplicates,
        },
        output,
    )
}
