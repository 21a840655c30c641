//! `margay fence`: the cheapest strengthenings of a program that forbid an outcome.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use margay_answers::fence::{self, Subject};
use margay_console::exit::Exit;
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_litmus::explicit::Options;
use margay_litmus::strengthen::{Costs, Limits, Means, cheapest};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::limited;

use crate::Outcome;
use crate::arguments::Engine;

/// Options of `fence`.
#[derive(Debug, Args)]
pub struct Fence {
    /// A litmus test in any form
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// A .cat file or model name
    #[arg(short, long, value_name = "MODEL")]
    pub model: String,
    /// What may be made stronger: fences added, orders of what is there, scopes of what is there
    #[arg(long = "use", value_enum, value_name = "MEANS,..", value_delimiter = ',', default_value = "fences,orders,scopes")]
    pub means: Vec<MeansName>,
    /// What operations cost, a TOML table as for `repair`: `"fence.sc.gpu" = 60` (docs/explain.md)
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Show at most so many of the cheapest ways
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = margay_console::limits::at_least_one::<usize>)]
    pub limit: usize,
    /// How often each backward jump is taken
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll: usize,
    /// Who answers whether an outcome is allowed
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Give up after this time, e.g. `30s`
    #[arg(long, value_name = "TIME", value_parser = margay_console::limits::parse_time)]
    pub timeout: Option<Duration>,
}

/// Means of `fence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeansName {
    /// Fences between accesses.
    Fences,
    /// Orders of accesses and fences.
    Orders,
    /// Scopes of accesses and fences.
    Scopes,
}

/// Runs the command.
pub fn run(options: &Fence, output: &Output) -> Outcome {
    let subject = match Subject::load(&options.test, &options.model, output) {
        Ok(subject) => subject,
        Err(errors) => return output.wrong(&errors),
    };
    let costs = match options.costs.as_ref().map(|path| read_costs(path)).transpose() {
        Ok(costs) => costs.unwrap_or_default(),
        Err(errors) => return output.wrong(&errors),
    };
    let means = Means {
        fences: options.means.contains(&MeansName::Fences),
        orders: options.means.contains(&MeansName::Orders),
        scopes: options.means.contains(&MeansName::Scopes),
    };
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let limits = Limits { deadline: limits::Limits::start(options.timeout, None).deadline, repairs: Some(options.limit) };
    let start = Instant::now();
    let run = Options { bounds, stop: limits::stop(), ..Options::default() };
    let found = cheapest(&subject.test, &subject.model, &costs, means, &run, options.engine.choice(), limits);
    let seconds = start.elapsed().as_secs_f64();
    match found {
        Err(stopped) => fence::stop(&subject, &stopped, seconds, output),
        Ok(found) => {
            let forbidden = found.already || !found.repairs.is_empty();
            let exit = output.settle(match (forbidden, found.bounded) {
                (true, true) => Exit::Undecided,
                (true, false) => Exit::Holds,
                (false, _) => Exit::Found,
            });
            match output.format {
                Format::Json => output.document(&fence::document(&subject, &found, seconds))?,
                _ => {
                    output.prose(&fence::answer(&subject, &found, output))?;
                    fence::print(&subject, &found, usize::MAX, output)?;
                }
            }
            Ok(exit)
        }
    }
}

fn read_costs(path: &std::path::Path) -> Result<Costs, Vec<Diagnostic>> {
    let name = limited::name(path);
    let text = limited::text(path, margay_mappings::change::MAX_COSTS)
        .map_err(|e| vec![Diagnostic::error(format!("cannot read the costs `{name}`: {e}"))])?;
    Costs::parse(&SourceFile::new(name, text))
}
