//! `margay app`: applications under test, run many times.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use margay_applications::environment::{GpuSettings, NamedEnvironment, memories, on_gpu};
use margay_applications::test::ApplicationRuns;
use margay_applications::{harden, suite, test};
use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;

use crate::CommandOutcome;
use crate::arguments::{TimeArguments, ToolkitArguments};

/// Options of `app`.
#[derive(Debug, Args)]
pub struct AppArguments {
    /// What to do
    #[command(subcommand)]
    pub command: AppCommand,
}

/// The subcommands of `app`.
#[derive(Debug, Subcommand)]
pub enum AppCommand {
    /// Run an application many times, in order and with weak memory: is its post-condition ever
    /// false?
    Test(AppRuns),
    /// Run many applications, and say in how many each environment shows something wrong (Table 5
    /// of PLDI 2016)
    Suite(AppSuite),
    /// Find the fences that an application takes until no run is wrong (Algorithm 1 of PLDI 2016)
    Harden(AppRuns),
}

/// The most runs that can be asked for.
const MOST_RUNS: u64 = 1_000_000_000;

/// The last seed that can be the first: those of all runs follow it, also where `harden` doubles
/// them for each of its fences.
const LAST_SEED: u64 = 1 << 62;

/// An application, and how often it is run.
#[derive(Debug, Args)]
pub struct AppRuns {
    /// A file of TOML: program, arrays, launches and post-condition (docs/applications.md)
    #[arg(value_name = "APP.toml")]
    pub file: PathBuf,
    /// How it is run
    #[command(flatten)]
    pub runs: RunsOfApplication,
}

/// Applications, and how often they are run.
#[derive(Debug, Args)]
pub struct AppSuite {
    /// Files of TOML, as of `app test`
    #[arg(value_name = "APP.toml", required = true)]
    pub files: Vec<PathBuf>,
    /// How they are run
    #[command(flatten)]
    pub runs: RunsOfApplication,
}

/// How often applications are run, and on what.
#[derive(Debug, Args)]
pub struct RunsOfApplication {
    /// Runs in each environment; of `harden` for each fence, doubled where that was too few
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=MOST_RUNS))]
    pub runs: u64,
    /// The seed of the first run; those behind it follow
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=LAST_SEED))]
    pub seed: u64,
    /// How long it may take
    #[command(flatten)]
    pub time: TimeArguments,
    /// Where the programs of CUDA are
    #[command(flatten)]
    pub cuda: ToolkitArguments,
    /// What runs it
    #[arg(long, value_enum, value_name = "NAME", default_value_t = ApplicationDevice::Cpu)]
    pub device: ApplicationDevice,
    /// Environments: on the CPU `weak`, or `store-store`, `store-load`, `load-load`, `load-store`,
    /// which reorder no other pairs; on the GPU `no-str-`, `sys-str+` .. (PLDI 2016, section 4.2)
    /// [default: weak; on the GPU all eight, of `harden` sys-str+]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = NamedEnvironment::from_name)]
    pub environments: Vec<NamedEnvironment>,
    /// Take the stress of `sys-str` from this file, as `gpu tune` writes it
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// A run on the GPU that takes longer has no end, and the GPU is given up [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = margay_console::limits::parse_some_time)]
    pub watchdog: Option<Duration>,
    /// The target that programs in CUDA are compiled for
    #[arg(long, value_name = "SM", default_value = "sm_90")]
    pub target: String,
}

/// What runs applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApplicationDevice {
    /// The machine of the CPU, in order and with weak memory.
    Cpu,
    /// The first GPU that the CUDA driver has, with stress and randomisation woven into the
    /// kernels.
    Cuda,
}

/// The time that a run on a GPU has where none is named (section 4.2).
const WATCHDOG: Duration = Duration::from_secs(30);

pub fn run(app: &AppArguments, output: &Output) -> CommandOutcome {
    let (AppCommand::Test(AppRuns { runs, .. })
    | AppCommand::Harden(AppRuns { runs, .. })
    | AppCommand::Suite(AppSuite { runs, .. })) = &app.command;
    let has_gpu = runs.device == ApplicationDevice::Cuda;
    let named = |of_gpu: bool| {
        let named = runs.environments.iter().find(|e| e.is_on_gpu() == of_gpu);
        named.map(|e| format!("--environments {}", e.name()))
    };
    let of_gpu = [
        named(true),
        runs.profile.as_ref().map(|_| "--profile".to_owned()),
        runs.watchdog.map(|_| "--watchdog".to_owned()),
    ];
    if let Some(option) = of_gpu.into_iter().flatten().next().filter(|_| !has_gpu) {
        let error = Diagnostic::error(format!(
            "{option} says how applications are run on a GPU, and they are run on the CPU"
        ));
        return output.wrong(&[error.help("add `--device cuda`, or leave it out")]);
    }
    if let Some(option) = named(false).filter(|_| has_gpu) {
        let error = Diagnostic::error(format!(
            "{option} is a memory of the machine of the CPU, and applications are run on a GPU"
        ));
        return output
            .wrong(&[error.help("leave `--device cuda` out, or name an environment of a GPU")]);
    }
    match &app.command {
        AppCommand::Test(options) => test::run(&options.file, &asked(runs, true), output),
        AppCommand::Suite(options) => suite::run(&options.files, &asked(runs, true), output),
        AppCommand::Harden(options) => harden::run(&options.file, &asked(runs, false), output),
    }
}

/// What is asked for; on a GPU `all` environments where none is named, or `sys-str+`.
fn asked(options: &RunsOfApplication, all: bool) -> ApplicationRuns {
    let RunsOfApplication {
        runs,
        seed,
        time,
        cuda,
        device,
        environments: named,
        profile,
        watchdog,
        target,
    } = options;
    let gpu = (*device == ApplicationDevice::Cuda).then(|| GpuSettings {
        profile: profile.clone(),
        watchdog: watchdog.unwrap_or(WATCHDOG),
        environments: on_gpu(named, all),
    });
    let memories = memories(named);
    ApplicationRuns {
        runs: *runs,
        seed: *seed,
        timeout: time.timeout,
        toolkit: cuda.toolkit.clone(),
        target: target.clone(),
        memories,
        gpu,
    }
}
