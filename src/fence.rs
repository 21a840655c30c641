//! `margay fence`: the cheapest strengthenings of a program that forbid an outcome.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_answers::fence;
use margay_console::output::Output;
use margay_litmus::strengthen::Means;

use crate::CommandOutcome;
use crate::arguments::{EngineArguments, TimeArguments};

/// Options of `fence`.
#[derive(Debug, Args)]
pub struct FenceArguments {
    /// A litmus test in any form
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// A .cat file or model name
    #[arg(short, long, value_name = "MODEL")]
    pub model: String,
    /// What may be made stronger: fences added, orders of what is there (plain accesses of C made
    /// atomic), scopes of what is there
    #[arg(
        long = "use",
        value_enum,
        value_name = "MEANS,..",
        value_delimiter = ',',
        default_value = "fences,orders,scopes"
    )]
    pub means: Vec<MeansName>,
    /// What operations cost, a TOML table as for `repair`: `"fence.sc.gpu" = 60` (docs/explain.md)
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Show at most so many of the cheapest ways
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = margay_console::limits::at_least_one::<usize>)]
    pub limit: usize,
    /// Who answers, and how far loops are looked into
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Aim at a program without races, too, where the model gives racy programs a meaning (PTX)
    #[arg(long)]
    pub races: bool,
    /// How long it may take
    #[command(flatten)]
    pub time: TimeArguments,
}

/// Means of `fence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeansName {
    /// Fences, also of proxies, at every place.
    Fences,
    /// Orders of accesses, fences and arrivals at barriers.
    Orders,
    /// Scopes of accesses and fences.
    Scopes,
}

pub fn run(options: &FenceArguments, output: &Output) -> CommandOutcome {
    let FenceArguments {
        test,
        model,
        means,
        costs,
        limit,
        engine: EngineArguments { unroll, engine },
        races,
        time,
    } = options;
    let asked = fence::FenceOptions {
        means: Means {
            fences: means.contains(&MeansName::Fences),
            orders: means.contains(&MeansName::Orders),
            scopes: means.contains(&MeansName::Scopes),
        },
        costs: costs.clone(),
        most: *limit,
        unroll: *unroll,
        engine: engine.choice(),
        races: *races,
        timeout: time.timeout,
    };
    fence::run(test, model, &asked, output)
}
