//! Commands and options.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use margay_litmus::engine::{self, Choice};
use margay_mappings::Backend;

use crate::gpu::arguments::{Gpu, On};
use crate::limits::at_least_one;

/// The heading over the options of every command, which come behind those of the command at hand.
const GENERAL: &str = "Options of every command";

/// Bounded model finding for memory models: is a compilation mapping sound, and what is the smallest program that goes wrong?
#[derive(Debug, Parser)]
#[command(name = "margay", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Output for people, JSON (docs/json.md), or what one command has: JUnit XML (`test`), herd7's list of final states (`run`)
    #[arg(long, global = true, help_heading = GENERAL, value_enum, default_value_t = FormatOption::Human)]
    pub format: FormatOption,
    /// Colours; `auto` is on a terminal only
    #[arg(long, global = true, help_heading = GENERAL, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Say more than the answer: the reasons line by line, statistics, and what is not established
    #[arg(short, long, global = true, help_heading = GENERAL, overrides_with = "verbose")]
    pub verbose: bool,
    /// The file with the defaults of options [default: margay.toml, here or in the nearest folder above] (docs/ci.md)
    #[arg(long, global = true, help_heading = GENERAL, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Do without margay.toml
    #[arg(long, global = true, help_heading = GENERAL, conflicts_with = "config")]
    pub no_config: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 holds, 1 counterexample found, 2 wrong input or command, 3 undecided (limit or interrupt)";

/// The form of the output of any command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Human,
    /// JSON.
    Json,
}

/// What `--format` can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatOption {
    /// For reading.
    Human,
    /// For programs: one JSON object.
    Json,
    /// JUnit XML, for continuous integration (`margay test` only).
    Junit,
    /// The final states, as herd7 prints them (`margay run` only).
    Herd,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a compilation mapping: can a compiled program do what the source language forbids?
    Check(Box<Check>),
    /// Prove a mapping, or a property of a model, for executions of every size
    Prove(Box<Prove>),
    /// Verify a certificate, without a solver
    Verify(Verify),
    /// Solve, list or write the cases of a check one by one, for many machines
    Case(Box<crate::case::Case>),
    /// Check a mapping, and run its smallest counterexamples on a device
    Confirm(Box<Confirm>),
    /// Find out which rows of a mapping could be weaker, and what goes wrong where they could not
    Weaken(Box<Weaken>),
    /// Find the cheapest changes of rows that mend a mapping
    Repair(Box<Repair>),
    /// Compare two models: the smallest executions that one allows and the other forbids
    Diff(Box<Diff>),
    /// Find every minimal test of a model: forbidden, and allowed as soon as any one instruction is weaker
    Synth(Box<Synth>),
    /// Run litmus tests: is the outcome allowed, and what shows or forbids it?
    Run(Run),
    /// Compare the verdicts of a corpus of litmus tests with the expected ones
    Test(Corpus),
    /// Run litmus tests on an operational machine: random schedules, or all of them
    Sim(Sim),
    /// Run litmus tests on a GPU, and look at their kernels
    Gpu(Box<Gpu>),
    /// Say what litmus tests are called, and which are the same up to renaming
    Classify(crate::classify::Classify),
    /// Say why a model forbids the outcome of a test, edge by edge, or what would forbid it
    Explain(crate::explain::Explain),
    /// Find out what a compiler emits for atomic operations, and write it as a mapping, with the evidence for every row
    Extract(Box<crate::extract::arguments::Extract>),
    /// Find the cheapest fences, orders and scopes that forbid the outcome of a test
    Fence(crate::fence::Fence),
    /// Write litmus tests from cycles of candidate relaxations, each once up to renaming
    Gen(crate::r#gen::Gen),
    /// Write one HTML page from the JSON of any command
    Report(crate::report::Report),
    /// List the built-in memory models, or show one
    Models(List),
    /// List the built-in mappings, or show one
    Mappings(List),
    /// Write the completions of a shell: `margay completions bash`
    Completions(crate::manual::Completions),
    /// Write the manual pages of all commands into a folder
    Man(crate::manual::Man),
}

impl Command {
    /// The argument that is missing, if one is: of those that margay.toml may say, the parser does not know that they are needed.
    pub fn missing(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Check(check) if check.mapping.is_none() && !check.all_mappings => Some(("check", "<MAPPING>")),
            Self::Prove(prove) if prove.mapping.is_none() && !prove.all_mappings => Some(("prove", "<MAPPING>")),
            _ => None,
        }
    }

    /// Does the exit code answer a question? The other commands show or write something.
    pub fn is_a_question(&self) -> bool {
        !matches!(
            self,
            Self::Explain(_)
                | Self::Gen(_)
                | Self::Report(_)
                | Self::Models(_)
                | Self::Mappings(_)
                | Self::Completions(_)
                | Self::Man(_)
        )
    }
}

/// Options of `models` and `mappings`.
#[derive(Debug, Args)]
pub struct List {
    /// Print the text of this one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The same, as an option
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub show: Option<String>,
}

impl List {
    /// The one to print, if not all are to be listed.
    pub fn asked(&self) -> Option<&str> {
        self.name.as_deref().or(self.show.as_deref())
    }
}

/// What every search by a solver can be told.
#[derive(Debug, Args)]
pub struct Search {
    /// Leave these constructs out of the search, e.g. `R.SC,W.SC` or a whole operation, `RMW`
    #[arg(long, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Make programs of these constructs alone
    #[arg(long, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The number of threads that solve [default: one for each core; at most 4 for each]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Stop after this time, e.g. `30s`, `10m`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = crate::limits::parse_time)]
    pub timeout: Option<Duration>,
    /// Stop when the program uses more memory than this, e.g. `500MiB`, `2GiB`
    #[arg(long, value_name = "SIZE", value_parser = crate::limits::parse_size)]
    pub memory: Option<u64>,
    /// The SAT solver
    #[arg(long, value_name = "NAME", default_value_t = Backend::default(), value_parser = solver())]
    pub solver: Backend,
}

/// A statement about a mapping: between which models, of which axioms, and up to which bound it is searched for a counterexample.
#[derive(Debug, Args)]
pub struct Statement {
    /// The largest number of source events; a read-modify-write is two, initial writes are none
    #[arg(short, long, value_name = "N", default_value_t = 5)]
    pub bound: usize,
    /// Of executions: ask about this axiom of the source model (repeat, or separate by commas) [default: all that are not optional]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub axiom: Vec<String>,
    /// Is a location atomic or plain, never both?
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Switch::On)]
    pub typed: Switch,
    /// A .cat file or model name to use instead of the mapping's source model
    #[arg(long, value_name = "MODEL")]
    pub source: Option<String>,
    /// A .cat file or model name to use instead of the mapping's target model
    #[arg(long, value_name = "MODEL")]
    pub target: Option<String>,
}

/// What is asked of a mapping, whatever is then done with the answer.
#[derive(Debug, Args)]
pub struct Question {
    /// What a counterexample is: a program without races and an outcome that no execution of it has, which is a compiler bug
    /// (docs/program-level.md), or a single execution: the published question, whose counterexamples may be of programs that race
    /// (`--all-mappings` takes both: `execution,program`)
    #[arg(long, value_enum, value_name = "LEVEL", value_delimiter = ',', default_value = "program")]
    pub level: Vec<Level>,
    /// At most so many guards `if (r == v)` and values computed from a read [default: as many as useful]
    #[arg(long, value_name = "N")]
    pub guards: Option<usize>,
    /// The statement
    #[command(flatten)]
    pub statement: Statement,
    /// At execution level, which modification orders must fail: `universal`, some one above coherence order (the published statement);
    /// `exists`, all of them, so that the outcome itself is forbidden, as at program level [default: universal]
    #[arg(long, value_enum, value_name = "READING")]
    pub co: Option<Co>,
    /// How it searches
    #[command(flatten)]
    pub search: Search,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// Check what compilers emit (every mapping of mappings/compilers, and Fig. 11) against four readings of C++ and two of
    /// PTX; --timeout is then for each question, --out gets a page with links
    #[arg(long, conflicts_with_all = ["mapping", "source", "target", "axiom", "co", "all", "keep_going", "dump_cnf", "certify", "guards", "checkpoint", "split", "cluster"])]
    pub all_mappings: bool,
    /// What is asked
    #[command(flatten)]
    pub question: Question,
    /// Find every smallest counterexample up to isomorphism, at most N for each axiom
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Show another counterexample: the N-th after the smallest one, among all of its size up to isomorphism
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", conflicts_with_all = ["all_mappings", "all", "causes", "certify"])]
    pub next: Option<usize>,
    /// Ask about the program and outcome of this litmus test alone: it is compiled by the rows of the mapping, and run under both models
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_mappings", "all", "next", "causes", "certify", "out", "checkpoint", "dump_cnf", "keep_going"])]
    pub test: Option<PathBuf>,
    /// Report one counterexample of every cause, the worst first: ordinary programs are asked about first (one scope, one GPU), a row
    /// that is to blame is left out, and the question is asked again (docs/program-level.md)
    #[arg(long, conflicts_with_all = ["all_mappings", "all", "keep_going", "dump_cnf", "certify", "checkpoint", "split", "cluster"])]
    pub causes: bool,
    /// After a counterexample, check the other axioms up to the bound
    #[arg(long)]
    pub keep_going: bool,
    /// Write counterexamples as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the CNF of every case (DIMACS) into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "checkpoint")]
    pub dump_cnf: Option<PathBuf>,
    /// Write a certificate of what has no counterexample into this new folder: a proof of each case, checked (docs/certificates.md);
    /// with --checkpoint also into that of an earlier run
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
    /// Keep the answers of cases in this folder as they come; the same command goes on from there after an interruption
    /// (docs/cluster.md)
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Split cases that are predicted to take more than the share of one of N workers; answers do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub split: Option<u32>,
    /// Who else solves
    #[command(flatten)]
    pub cluster: crate::cluster::Options,
}

/// Options of `prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// A .map file, or the name of a built-in mapping; with --model the property to prove, e.g. 'irreflexive cause-base'; with
    /// --all-mappings one more table
    #[arg(value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// Prove a property of this model: `empty`, `irreflexive` or `acyclic` of an expression over its definitions
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["source", "target", "axiom", "all_mappings"])]
    pub model: Option<String>,
    /// Make the page of all mappings: what compilers emit, and Fig. 11, against four readings of C++ and two of PTX; --timeout is then for
    /// each question, --out gets the page, again with each answer
    #[arg(long, conflicts_with_all = ["source", "target", "axiom", "tried"])]
    pub all_mappings: bool,
    /// The statement; the bounded search for a counterexample runs beside the proof
    #[command(flatten)]
    pub statement: Statement,
    /// Lemmas, a .cat file that includes the target model: its checks are proved if they can be, and then used, and its definitions
    /// may become members of invariants (docs/unbounded.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_mappings", "model"])]
    pub lemmas: Option<PathBuf>,
    /// Show the guesses about the target's relations, and which of them hold
    #[arg(long)]
    pub tried: bool,
    /// Write a certificate of what is a theorem into this new folder: the argument with every refutation (docs/certificates.md)
    #[arg(long, value_name = "DIR", conflicts_with = "all_mappings")]
    pub certify: Option<PathBuf>,
    /// Write a theorem with its proof into this file, for `coqc` of Coq 8.16 (docs/unbounded.md)
    #[arg(long, value_name = "FILE.v", conflicts_with_all = ["all_mappings", "model"])]
    pub rocq: Option<PathBuf>,
    /// Write the counterexample, or the page, into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How it searches
    #[command(flatten)]
    pub search: Search,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The folder that `--certify` named
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// What the certificate must be about
    #[command(flatten)]
    pub about: crate::verify::About,
    /// Write the refutations of its proofs into a folder for checkers that others wrote, each as a problem in DIMACS and its steps in LRAT,
    /// once the certificate is verified
    #[arg(long, value_name = "DIR")]
    pub lrat: Option<PathBuf>,
    /// The number of threads that verify [default: one for each core; at most 4 for each]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// Options of `confirm`.
#[derive(Debug, Args)]
pub struct Confirm {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: Question,
    /// Run every smallest counterexample up to isomorphism, at most N for each axiom
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Run counterexamples that are no compiler bugs, too: of programs that race, or with an outcome that another modification order
    /// explains (they occur with `--level execution`)
    #[arg(long)]
    pub racy: bool,
    /// What runs them, and how
    #[command(flatten)]
    pub on: On,
    /// How many instances of each; a GPU runs whole launches, and so perhaps more
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub instances: u64,
    /// Append the results to this file, one line of JSON for each counterexample
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Write the report, and the counterexamples as files, into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `weaken`.
#[derive(Debug, Args)]
pub struct Weaken {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: Question,
    /// Write the counterexamples as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `repair`.
#[derive(Debug, Args)]
pub struct Repair {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: Question,
    /// What instructions cost, a TOML table [default: machine instructions on sm_90, mappings/costs/sm_90.toml]
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Give up after so many candidates
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_least_one::<usize>)]
    pub candidates: usize,
    /// Write the mended mappings, and the counterexample that they mend, as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The older and the newer model, each a .cat file or model name; with --git one .cat file
    #[arg(value_name = "MODEL", required = true, num_args = 1..=2)]
    pub models: Vec<String>,
    /// Compare a file with its version at this git revision, which is the older one
    #[arg(long, value_name = "REV", conflicts_with = "mapping")]
    pub git: Option<String>,
    /// For models of two languages: what becomes of each instruction of the first, a .map file or the name of a mapping
    #[arg(long, value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// The largest number of events; a read-modify-write is two, initial writes are none
    #[arg(short, long, value_name = "N", default_value_t = 4)]
    pub bound: usize,
    /// Compare outcomes of programs: a difference that no program can observe is none
    #[arg(long)]
    pub program: bool,
    /// Prove beside the search that there is no difference in executions of any size (docs/unbounded.md)
    #[arg(long, conflicts_with_all = ["program", "mapping", "certify", "out", "first"])]
    pub prove: bool,
    /// End with the first bound at which there is a difference, in whichever direction
    #[arg(long)]
    pub first: bool,
    /// Show at most so many smallest differences of each direction [default: 3; without a number: 1000]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Is a location atomic or plain, never both?
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Switch::Off)]
    pub typed: Switch,
    /// How it searches
    #[command(flatten)]
    pub search: Search,
    /// Write the differences as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write a certificate of what no execution (with --program, no program) does into this new folder: a proof of each case, checked (docs/certificates.md)
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    pub certify: Option<PathBuf>,
}

/// Options of `synth`.
#[derive(Debug, Args)]
pub struct Synth {
    /// A .cat file or model name
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// The largest number of events; a read-modify-write is two, initial writes are none
    #[arg(short, long, value_name = "N", default_value_t = 4)]
    pub bound: usize,
    /// Only tests with an execution that violates this axiom
    #[arg(short, long, value_name = "NAME")]
    pub axiom: Option<String>,
    /// Is a location atomic or plain, never both?
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Switch::Off)]
    pub typed: Switch,
    /// How it searches
    #[command(flatten)]
    pub search: Search,
    /// Write the tests, an index and their verdicts into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Litmus tests (PTX in tabular form or the form of 2015, scoped C or CUDA), or folders of them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// A .cat file or model name; several to compare
    #[arg(short, long, value_name = "MODEL", required = true, value_delimiter = ',')]
    pub model: Vec<String>,
    /// Take in an optional axiom of a model (a flag that negates `acyclic` or `irreflexive`), e.g. `no-thin-air`
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "certify")]
    pub axiom: Vec<String>,
    /// Leave out an axiom of a model
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "certify")]
    pub without_axiom: Vec<String>,
    /// How often each backward jump is taken
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll: usize,
    /// Who answers: `explicit`, `sat`, the one that is likely to be faster, or both, which must agree
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Give up on a test after this time, e.g. `30s`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = crate::limits::parse_time)]
    pub timeout: Option<Duration>,
    /// The number of threads that answer [default: one for each core; at most 4 for each]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write a certificate of all answers into this new folder: an execution for what is allowed, a checked proof for what is forbidden;
    /// the SAT engine answers (docs/certificates.md)
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
}

/// Options of `test`.
#[derive(Debug, Args)]
pub struct Corpus {
    /// A folder of tests with their verdicts (`expected.txt`), and the folders in it
    #[arg(value_name = "DIR", default_value = "tests/corpus")]
    pub folder: PathBuf,
    /// Only tests whose path has this text, in which `*` stands for anything (repeat for more)
    #[arg(short = 'k', long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// Only verdicts under this model (repeat, or separate by commas)
    #[arg(short, long, value_name = "MODEL", value_delimiter = ',')]
    pub model: Vec<String>,
    /// End with the first test that differs, cannot be read or is undecided
    #[arg(long, conflicts_with = "bless")]
    pub fail_fast: bool,
    /// Give up on a verdict after this time, e.g. `30s`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = crate::limits::parse_time)]
    pub timeout: Option<Duration>,
    /// The number of threads that answer [default: one for each core; at most 4 for each]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Also write the report as JUnit XML into this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write down the verdicts that are found
    #[arg(long)]
    pub bless: bool,
    /// A test of which no verdict is expected is a difference
    #[arg(long)]
    pub require_verdicts: bool,
    /// Who answers: `explicit`, `sat`, the one that is likely to be faster, or both, which must agree
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Both)]
    pub engine: Engine,
}

/// The engine that answers what a test asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Explicit, and SAT where that takes too many steps.
    Auto,
    /// Candidate executions, one after the other.
    Explicit,
    /// One formula for a SAT solver.
    Sat,
    /// Both; a disagreement is a bug, and reported.
    Both,
}

impl Engine {
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
pub struct Sim {
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
    /// Give up on a test after this time, e.g. `30s`; a number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = crate::limits::parse_time)]
    pub timeout: Option<Duration>,
}

impl SimMachine {
    /// As the library names it.
    pub fn kind(self) -> margay_runner::sim::Kind {
        match self {
            Self::Weak => margay_runner::sim::Kind::Weak,
            Self::Strong => margay_runner::sim::Kind::Strong,
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

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// Executions or programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// A program without races, and an outcome that only its compiled form has: a compiler bug.
    Program,
    /// One legal execution of the target that reads back as an illegal one of the source (the published question).
    Execution,
}

/// The reading of modification order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Co {
    /// Some modification order above coherence order breaks an axiom.
    Universal,
    /// No modification order explains the outcome.
    Exists,
}

/// Solvers by name, those of this build listed in the help.
fn solver() -> impl clap::builder::TypedValueParser<Value = Backend> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Backend::available().iter().map(|b| b.name().to_owned()))
        .map(|name| name.parse::<Backend>().unwrap_or_default())
}
