//! Options of the commands about mappings.

use std::path::PathBuf;

use clap::Args;
use margay_console::limits::at_least_one;

use super::gpu::On;
use super::limits::{JobArguments, TimeArguments};
use super::question::{QuestionArguments, SearchArguments, StatementArguments};
use super::rocq::rocq_file;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// Check what compilers emit (every mapping of mappings/compilers, and Fig. 11) against four
    /// readings of C++ and two of PTX; --timeout is then for each question, --out gets a page with
    /// links
    #[arg(long, conflicts_with_all = ["mapping", "source", "target", "axiom", "co", "all", "keep_going", "dump_cnf", "certify", "guards", "checkpoint", "split", "cluster"])]
    pub all_mappings: bool,
    /// What is asked
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Find every smallest counterexample up to isomorphism, at most N for each axiom
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Show another counterexample: the N-th after the smallest one, among all of its size up to
    /// isomorphism
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", conflicts_with_all = ["all_mappings", "all", "causes", "certify"])]
    pub next: Option<usize>,
    /// Ask about the program and outcome of this litmus test alone
    ///
    /// It is compiled by the rows of the mapping, and run under both models.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_mappings", "all", "next", "causes", "certify", "out", "checkpoint", "dump_cnf", "keep_going", "split", "bound", "axiom", "typed", "level", "co", "guards", "without", "only"])]
    pub test: Option<PathBuf>,
    /// Look for what is new: counterexamples that this mapping does not have
    ///
    /// A .map file, or the name of a built-in mapping. It is read between the same models.
    #[arg(long, value_name = "MAPPING", conflicts_with_all = ["all_mappings", "test", "causes"])]
    pub baseline: Option<String>,
    /// Report one counterexample of every cause, the worst first
    ///
    /// Ordinary programs are asked about first (one scope, one GPU), a row that is to blame is left
    /// out, and the question is asked again (docs/program-level.md).
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
    /// Write a certificate of what has no counterexample into this new folder: a proof of each
    /// case, checked (docs/certificates.md); with --checkpoint also into that of an earlier run
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
    /// Keep the answers of cases in this folder as they come; the same command goes on from there
    /// after an interruption (docs/cluster.md)
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Split cases that are predicted to take more than the share of one of N workers; answers do
    /// not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub split: Option<u32>,
    /// Who else solves
    #[command(flatten)]
    pub cluster: crate::cluster::ClusterArguments,
}

/// Options of `prove`.
#[derive(Debug, Args)]
pub struct ProveArguments {
    /// A .map file, or the name of a built-in mapping; with --model the property to prove, e.g.
    /// 'irreflexive cause-base'; with --all-mappings one more table
    #[arg(value_name = "MAPPING")]
    pub mapping: Option<String>,
    /// Prove a property of this model: `empty`, `irreflexive` or `acyclic` of an expression over
    /// its definitions
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["source", "target", "axiom", "all_mappings"])]
    pub model: Option<String>,
    /// Make the page of all mappings: what compilers emit, and Fig. 11, against four readings of
    /// C++ and two of PTX; --timeout is then for each question, --out gets the page, again with
    /// each answer, and keeps the answers: the same command goes on after an interruption
    #[arg(long, conflicts_with_all = ["source", "target", "axiom", "tried"])]
    pub all_mappings: bool,
    /// The statement; the bounded search for a counterexample runs beside the proof
    #[command(flatten)]
    pub statement: StatementArguments,
    /// Lemmas, a .cat file that includes the target model: its checks are proved if they can be,
    /// and then used, and its definitions may become members of invariants (docs/unbounded.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_mappings", "model"])]
    pub lemmas: Option<PathBuf>,
    /// Show the guesses about the target's relations, and which of them hold
    #[arg(long)]
    pub tried: bool,
    /// Write a certificate of what is a theorem into this new folder: the argument with every
    /// refutation (docs/certificates.md)
    #[arg(long, value_name = "DIR", conflicts_with = "all_mappings")]
    pub certify: Option<PathBuf>,
    /// Write a theorem with its proof into this file, for `coqc` of Coq 8.16 (docs/unbounded.md)
    #[arg(long, value_name = "FILE.v", conflicts_with = "all_mappings", value_parser = rocq_file)]
    pub rocq: Option<PathBuf>,
    /// Write the counterexample, or the page, into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The folder that `--certify` named
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// What the certificate must be about
    #[command(flatten)]
    pub about: crate::verify::SubjectArguments,
    /// Write the refutations of its proofs into a folder for checkers that others wrote, each as a
    /// problem in DIMACS and its steps in LRAT, once the certificate is verified
    #[arg(long, value_name = "DIR")]
    pub lrat: Option<PathBuf>,
    /// How long it may take: nothing is said of what was not followed to its end
    #[command(flatten)]
    pub time: TimeArguments,
    /// With how many threads
    #[command(flatten)]
    pub threads: JobArguments,
}

/// Options of `confirm`.
#[derive(Debug, Args)]
pub struct ConfirmArguments {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Run every smallest counterexample up to isomorphism, at most N for each axiom
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000", value_parser = at_least_one::<usize>)]
    pub all: Option<usize>,
    /// Run counterexamples that are no compiler bugs, too: of programs that race, or with an
    /// outcome that another modification order explains (they occur with `--level execution`)
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
pub struct WeakenArguments {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Write the counterexamples as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `repair`.
#[derive(Debug, Args)]
pub struct RepairArguments {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    pub mapping: String,
    /// What is asked
    #[command(flatten)]
    pub question: QuestionArguments,
    /// What instructions cost, a TOML table [default: machine instructions on sm_90,
    /// mappings/costs/sm_90.toml]
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Give up after so many candidates
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_least_one::<usize>)]
    pub candidates: usize,
    /// Write the mended mappings, and the counterexample that they mend, as files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
