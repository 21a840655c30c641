//! Options of the commands about litmus tests.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_answers::executions::ExecutionChoice;
use margay_console::limits::at_least_one;
use margay_litmus::engine::{self, Choice};

use super::limits::{AnswerTimeArguments, JobArguments};

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Litmus tests (PTX, scoped C, OpenCL, CUDA, assembly: docs/litmus.md), or folders of them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// A .cat file or model name; several to compare
    #[arg(short, long, value_name = "MODEL", required = true, value_delimiter = ',')]
    pub model: Vec<String>,
    /// Take in an optional axiom of a model (a flag that negates `acyclic` or `irreflexive`), e.g.
    /// `no-thin-air`
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "certify")]
    pub axiom: Vec<String>,
    /// Leave out an axiom of a model
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "certify")]
    pub without_axiom: Vec<String>,
    /// Who answers, and how far loops are looked into
    #[command(flatten)]
    pub engine: EngineArguments,
    /// How long each answer may take
    #[command(flatten)]
    pub time: AnswerTimeArguments,
    /// With how many threads
    #[command(flatten)]
    pub threads: JobArguments,
    /// Ask for races, too, where the model gives racy programs a meaning (PTX)
    #[arg(long, conflicts_with = "certify")]
    pub races: bool,
    /// Write a certificate of all answers into this new folder: an execution for what is allowed, a
    /// checked proof for what is forbidden; the SAT engine answers (docs/certificates.md)
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
    /// Which executions are shown
    #[command(flatten)]
    pub shown: ShownArguments,
}

/// Who answers what a test asks, as `run`, `explain` and `fence` take it.
#[derive(Debug, Clone, Copy, Args)]
pub struct EngineArguments {
    /// How often each loop is gone round
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll: usize,
    /// Who answers: `explicit`, `sat`, the one that is likely to be faster, or both, which must
    /// agree
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineChoice::Auto)]
    pub engine: EngineChoice,
}

/// Which executions of a test are shown, as `run` and `explain` take it.
#[derive(Debug, Args)]
pub struct ShownArguments {
    /// Draw the execution that is shown into this file, `.svg` for browsers or `.dot` for Graphviz
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show another execution with the outcome than the first: the one with this number, from 1
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>, conflicts_with = "all_executions")]
    pub execution: Option<usize>,
    /// Show every final state that the model allows, and every execution with the outcome, at most
    /// so many; of a forbidden outcome the candidates, with what forbids each
    #[arg(long, value_name = "MOST", num_args = 0..=1, default_missing_value = "100", value_parser = at_least_one::<usize>)]
    pub all_executions: Option<usize>,
}

impl ShownArguments {
    /// As the library takes it.
    pub fn choice(&self) -> ExecutionChoice {
        ExecutionChoice { out: self.out.clone(), number: self.execution, all: self.all_executions }
    }
}

/// Options of `test`.
#[derive(Debug, Args)]
pub struct CorpusArguments {
    /// A folder of tests with their verdicts (`expected.txt`), and the folders in it
    #[arg(value_name = "DIR", default_value = "tests/corpus")]
    pub folder: PathBuf,
    /// Only tests whose path in the folder has this text, in which `*` stands for anything (repeat
    /// for more)
    #[arg(short = 'k', long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// Only verdicts under this model (repeat, or separate by commas)
    #[arg(short, long, value_name = "MODEL", value_delimiter = ',')]
    pub model: Vec<String>,
    /// End with the first test that differs, cannot be read or is undecided
    #[arg(long, conflicts_with = "bless")]
    pub fail_fast: bool,
    /// How long each answer may take
    #[command(flatten)]
    pub time: AnswerTimeArguments,
    /// With how many threads
    #[command(flatten)]
    pub threads: JobArguments,
    /// Also write the report as JUnit XML into this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write down the verdicts that are found
    #[arg(long)]
    pub bless: bool,
    /// A test of which no verdict is expected is a difference
    #[arg(long)]
    pub require_verdicts: bool,
    /// Who answers: `explicit`, `sat`, the one that is likely to be faster, or both, which must
    /// agree
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineChoice::Both)]
    pub engine: EngineChoice,
}

/// The engine that answers what a test asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// Explicit, and SAT where that takes too many steps.
    Auto,
    /// Candidate executions, one after the other.
    Explicit,
    /// One formula for a SAT solver.
    Sat,
    /// Both; a disagreement is a bug, and reported.
    Both,
}

impl EngineChoice {
    /// As the library names it.
    pub fn choice(self) -> Choice {
        match self {
            Self::Auto => Choice::Auto,
            Self::Explicit => Choice::Only(engine::Engine::Explicit),
            Self::Sat => Choice::Only(engine::Engine::Sat),
            Self::Both => Choice::Both,
        }
    }
}

/// Options of `sim`.
#[derive(Debug, Args)]
pub struct SimArguments {
    /// Litmus tests (PTX in tabular form or the form of 2015), or folders of them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// The machine: the weak or the strong model of the thesis of 2013 (docs/gpu.md)
    #[arg(long, value_enum, value_name = "NAME", default_value_t = SimMachine::Weak)]
    pub machine: SimMachine,
    /// Visit every state instead of drawing schedules
    #[arg(long, conflicts_with_all = ["runs", "seed"])]
    pub exhaustive: bool,
    /// How many random runs
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = at_least_one::<u64>)]
    pub runs: u64,
    /// The seed of the schedules; the same seed gives the same runs
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// A .cat file or model name to compare the outcomes with
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// How long each answer may take
    #[command(flatten)]
    pub time: AnswerTimeArguments,
}

impl SimMachine {
    /// As the library names it.
    pub fn kind(self) -> margay_runner::sim::MachineModel {
        match self {
            Self::Weak => margay_runner::sim::MachineModel::Weak,
            Self::Strong => margay_runner::sim::MachineModel::Strong,
        }
    }
}

/// The machines of `sim`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimMachine {
    /// A view of memory for each thread, loads in any order.
    Weak,
    /// A view of memory for each cta, loads in order.
    Strong,
}
