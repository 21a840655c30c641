//! Options of `margay gpu`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use margay_runner::emit::GpuTarget;
use margay_runner::opencl::OpenClTarget;

use super::limits::{AnswerTimeArguments, BudgetArguments};
use super::{SimMachine, ToolkitArguments};

/// Options of `gpu`. Without a subcommand it is `gpu run`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GpuArguments {
    /// What to do
    #[command(subcommand)]
    pub command: Option<GpuCommand>,
    /// As for `gpu run`
    #[command(flatten)]
    pub run: GpuRun,
}

/// The subcommands of `gpu`.
#[derive(Debug, Subcommand)]
pub enum GpuCommand {
    /// Print the PTX of a test
    Emit(Emit),
    /// Assemble tests and compare the machine code with them, access by access; needs no GPU
    Check(GpuCheck),
    /// Run tests on a device and count their outcomes (the default)
    Run(GpuRun),
    /// Find the environment in which a device shows most weak outcomes, and write a profile for
    /// later runs
    Tune(Box<Tune>),
    /// Run coRR, lb, mp and sb in the sixteen combinations of Table 6 (ASPLOS 2015), and write a
    /// page beside the published numbers
    Table6(Table6),
    /// Say which tests of files of results showed the outcome that they ask about, and how often
    Summary(Summary),
}

/// What runs tests, and how.
#[derive(Debug, Args)]
pub struct On {
    /// What runs them
    #[arg(long, value_enum, value_name = "NAME", default_value_t = RunDevice::Cuda)]
    pub device: RunDevice,
    /// The machine of `--device sim`
    #[arg(long, value_enum, value_name = "NAME", default_value_t = SimMachine::Weak)]
    pub machine: SimMachine,
    /// The seed of the schedules, or of the layout of each launch
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How instances are laid out and stressed on a GPU, e.g. `spin=0,stress-ctas=64` (docs/gpu.md)
    #[arg(long, value_name = "KEY=VALUE,..", default_value = "", hide_default_value = true)]
    pub environment: String,
    /// Start from the environment of this file, as `gpu tune` writes it; --environment changes it
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Where the programs of CUDA are
    #[command(flatten)]
    pub cuda: ToolkitArguments,
    /// Run nothing on a GPU whose machine code was not compared with its test, also where the
    /// driver assembles it
    #[arg(long)]
    pub require_comparison: bool,
    /// Give the GPU up if launches take longer than this
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = margay_console::limits::parse_some_time)]
    pub watchdog: Duration,
}

/// Options of `gpu run`.
#[derive(Debug, Args)]
pub struct GpuRun {
    /// Litmus tests (PTX in tabular form or the form of 2015), or folders of them; for --soundness
    /// tests/corpus if none is named
    #[arg(value_name = "TEST", required_unless_present = "soundness")]
    pub tests: Vec<PathBuf>,
    /// Is every outcome that is seen allowed by the model? Tests that cannot be run are passed
    /// over; with --results, those that the file has already are not run again, nor those at which
    /// the device failed
    #[arg(long)]
    pub soundness: bool,
    /// What runs them, and how
    #[command(flatten)]
    pub on: On,
    /// How many instances of each test; a GPU runs whole launches, and so perhaps more
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub instances: u64,
    /// A .cat file or model name to compare the outcomes with [default for --soundness: ptx-8]
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Run what a compiler made of the test, a C test: PTX with a kernel
    /// `margay_P0(int* x, .., int* result)` for each thread (docs/gpu.md)
    #[arg(long, value_name = "FILE", conflicts_with = "soundness")]
    pub compiled: Option<PathBuf>,
    /// The PTX test whose accesses the compiled program should have; other machine code is not run
    #[arg(long, value_name = "FILE", requires = "compiled")]
    pub accesses: Option<PathBuf>,
    /// Append the results to this file, one line of JSON for each test
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Write the histogram of each test as a bar chart (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pub charts: Option<PathBuf>,
    /// How long the model's answer may take
    #[command(flatten)]
    pub time: AnswerTimeArguments,
}

/// The devices of `gpu run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunDevice {
    /// The machine of `margay sim`: no hardware.
    Sim,
    /// A made-up GPU whose best environment is known, to try `gpu tune` on: no hardware.
    #[value(name = "sim:titan")]
    Titan,
    /// A made-up device whose third kernel never ends.
    #[value(name = "sim:hangs")]
    Hangs,
    /// A made-up device that is gone at its third test.
    #[value(name = "sim:lost")]
    Lost,
    /// The first GPU that the CUDA driver has.
    Cuda,
}

/// Options of `gpu emit`.
#[derive(Debug, Args)]
pub struct Emit {
    /// A litmus test (PTX in tabular form or the form of 2015)
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// The GPU, e.g. sm_90
    #[arg(long, value_name = "SM", default_value = "sm_90")]
    pub target: GpuTarget,
    /// How instances are laid out and stressed, e.g. `spin=0,stress-ctas=64` (docs/gpu.md)
    #[arg(long, value_name = "KEY=VALUE,..", default_value = "", hide_default_value = true)]
    pub environment: String,
    /// Write the accesses apart, with an instruction between them that the assembler moves nothing
    /// across; `gpu check` says which tests run so
    #[arg(long)]
    pub apart: bool,
    /// What is printed: PTX, or the test once in OpenCL C, for GPUs of others
    #[arg(long, value_enum, value_name = "NAME", default_value_t = KernelLanguage::Ptx)]
    pub language: KernelLanguage,
}

/// Languages of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KernelLanguage {
    /// PTX.
    Ptx,
    /// OpenCL C 2.0.
    #[value(name = "opencl")]
    OpenCl,
}

/// Options of `gpu check`.
#[derive(Debug, Args)]
pub struct GpuCheck {
    /// Litmus tests (PTX in tabular form or the form of 2015), or folders of them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// The GPUs, e.g. sm_80,sm_90
    #[arg(long, value_name = "SM", default_value = "sm_90", value_delimiter = ',')]
    pub target: Vec<GpuTarget>,
    /// How instances are laid out and stressed, e.g. `spin=0,stress-ctas=64` (docs/gpu.md)
    #[arg(long, value_name = "KEY=VALUE,..", default_value = "", hide_default_value = true)]
    pub environment: String,
    /// How much the assembler optimises, 0 to 3 [default: as kernels are run, the highest level at
    /// which the machine code is the test]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub optimize: Option<u8>,
    /// What is compared: the machine code of the PTX, or what clang makes of the test in OpenCL C
    #[arg(long, value_enum, value_name = "NAME", default_value_t = KernelLanguage::Ptx, conflicts_with_all = ["explain", "optimize"])]
    pub language: KernelLanguage,
    /// With --language opencl, what clang compiles for: GPUs of AMD's ninth generation, and SPIR-V
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', default_value = "gfx90a,spirv64", requires = "language", value_parser = OpenClTarget::parse)]
    pub opencl_target: Vec<OpenClTarget>,
    /// With --language opencl, the compiler
    #[arg(long, value_name = "FILE", default_value = "clang", requires = "language")]
    pub clang: PathBuf,
    /// Show each test beside its machine code with the control words decoded, and which accesses
    /// the code lets overlap, and why
    #[arg(long)]
    pub explain: bool,
    /// Where the programs of CUDA are
    #[command(flatten)]
    pub cuda: ToolkitArguments,
}

/// Options of `gpu tune`.
#[derive(Debug, Args)]
pub struct Tune {
    /// The profile to write; FILE.journal keeps what was measured, and an interrupted search goes
    /// on from there
    #[arg(value_name = "FILE")]
    pub profile_to: PathBuf,
    /// What is tuned
    #[command(flatten)]
    pub on: On,
    /// How long it may take
    #[command(flatten)]
    pub time: BudgetArguments,
    /// Instances for each measurement; a GPU runs whole launches, and so perhaps more
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    pub instances: u64,
    /// The distances between locations, in words
    #[arg(
        long,
        value_name = "WORDS",
        value_delimiter = ',',
        default_value = "0,16,32,64,96,128,192,255"
    )]
    pub distances: Vec<u32>,
    /// The number of places of stress, in words
    #[arg(long, value_name = "WORDS", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub locations: u32,
    /// Try every so many-th place for patches
    #[arg(long, value_name = "WORDS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub step: u32,
    /// So many weak outcomes or fewer are noise
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub noise: u64,
    /// The longest access sequence
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub longest: u8,
    /// The largest spread
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub spread: u32,
    /// How many random environments to try
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub random: u32,
    /// As in 2016, which took days: every distance and every place below 256, 1,000 executions
    /// each, one instance a launch
    #[arg(long, conflicts_with_all = ["distances", "locations", "step", "instances", "longest", "spread", "noise"])]
    pub as_in_2016: bool,
}

/// Options of `gpu table6`.
#[derive(Debug, Args)]
pub struct Table6 {
    /// The page to write (Markdown), with a chart of the same name (SVG)
    #[arg(value_name = "FILE")]
    pub page: PathBuf,
    /// What runs the tests
    #[command(flatten)]
    pub on: On,
    /// Runs for each test and column
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub instances: u64,
    /// Append the results to this file, one line of JSON for each test and column; those that it
    /// has already are not measured again
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// How long it may take
    #[command(flatten)]
    pub time: BudgetArguments,
}

/// Options of `gpu summary`.
#[derive(Debug, Args)]
pub struct Summary {
    /// Files that --results wrote
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Show also the tests that did not show what they ask about
    #[arg(long)]
    pub all: bool,
    /// Beside it, by shape, what others saw: a table of published outcomes, whose tests
    /// `gen --published` writes
    #[arg(long, value_name = "TABLE")]
    pub seen_elsewhere: Option<PathBuf>,
}
