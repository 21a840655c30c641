//! Options of the commands about two models, or one.

use std::path::PathBuf;

use clap::Args;
use margay_console::limits::at_least_one;

use super::question::{SearchArguments, Switch};
use super::rocq::rocq_file;

/// Options of `diff`.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The older and the newer model, each a .cat file or model name; or two mappings, each a .map
    /// file or the name of one; with --git one file
    #[arg(value_name = "MODEL", required = true, num_args = 1..=2)]
    pub models: Vec<String>,
    /// Compare a file with its version at this git revision, which is the older one
    #[arg(long, value_name = "REV", conflicts_with = "mapping")]
    pub git: Option<String>,
    /// For models of two languages: what becomes of each instruction of the first, a .map file or
    /// the name of a mapping
    #[arg(long, value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// The largest number of events; a read-modify-write is two, initial writes are none
    #[arg(short, long, value_name = "N", default_value_t = 5)]
    pub bound: usize,
    /// Compare outcomes of programs: a difference that no program can observe is none
    #[arg(long)]
    pub program: bool,
    /// Prove beside the search that there is no difference in executions of any size
    /// (docs/unbounded.md)
    #[arg(long, conflicts_with_all = ["program", "mapping", "out", "first"])]
    pub prove: bool,
    /// End with the first bound at which there is a difference, in whichever direction
    #[arg(long)]
    pub first: bool,
    /// Show at most so many smallest differences of each direction [default: 3; without a number:
    /// 1000]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Is a location atomic or plain, never both? [default: off; of mappings on]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub typed: Option<Switch>,
    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the differences as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write a certificate of what no execution (with --program, no program) does into this new
    /// folder: a proof of each case, checked; with --prove those of the theorems, in folders in it
    /// (docs/certificates.md)
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    pub certify: Option<PathBuf>,
    /// Write the theorems with their proofs into this file, for `coqc` of Coq 8.16
    /// (docs/unbounded.md)
    #[arg(long, value_name = "FILE.v", requires = "prove", value_parser = rocq_file)]
    pub rocq: Option<PathBuf>,
}

/// Options of `synth`.
#[derive(Debug, Args)]
pub struct SynthArguments {
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
    pub search: SearchArguments,
    /// Write the tests, an index and their verdicts into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
