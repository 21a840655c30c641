//! How long, with how many threads and how much memory: the limits of all commands, each meaning of
//! a limit once.

use std::time::Duration;

use clap::Args;
use margay_console::limits::{parse_size, parse_some_time, parse_time};

/// How long a command may take.
#[derive(Debug, Args)]
pub struct TimeArguments {
    /// Stop after this time, e.g. `30s`, `10m`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
}

/// How long the answer about one test may take, of the many that a command answers about.
#[derive(Debug, Args)]
pub struct AnswerTimeArguments {
    /// Give up on a test (under a model) after this time, e.g. `30s`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
}

/// How long one compiler that is started may take.
#[derive(Debug, Clone, Args)]
pub struct CompilerTimeArguments {
    /// A program of many functions may be compiled for so long; one function alone gets a fifth of
    /// it
    #[arg(long, value_name = "TIME", value_parser = parse_some_time, default_value = "120s")]
    pub timeout: Duration,
}

/// How long a command measures that goes on later.
#[derive(Debug, Args)]
pub struct BudgetArguments {
    /// Stop after this time, e.g. `10m`, with what there is by then; the same command goes on
    /// (`gpu table6` with --results)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub budget: Option<Duration>,
}

/// How many threads a command has.
#[derive(Debug, Clone, Args)]
pub struct JobArguments {
    /// The number of threads that work, or of compilers that run, at the same time [default: one
    /// for each core; at most 4 for each]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// What a command that searches may take.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// How long
    #[command(flatten)]
    pub time: TimeArguments,
    /// Stop when the program uses more memory than this, e.g. `500MiB`, `2GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}
