//! `margay case`: the cases of a check one by one, for machines and schedulers of any kind
//! (docs/cluster.md).

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use margay_answers::check::CheckSubject;
use margay_cluster::cases;
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::{LimitArguments, QuestionArguments};

/// Options of `case`.
#[derive(Debug, Args)]
pub struct CaseArguments {
    #[command(subcommand)]
    command: CaseCommand,
}

#[derive(Debug, Subcommand)]
enum CaseCommand {
    /// Solve cases from their files; the answers go where `margay check --checkpoint` finds them
    Run(CaseRunArguments),
    /// List the cases of a bound that are not answered yet, with what they are predicted to cost;
    /// smaller bounds are checked first
    List(CaseListArguments),
    /// Write the case files of a bound
    Export(Export),
    /// Say how long a bound takes on 1 to 1,000 workers, from the times of cases in a folder of
    /// answers
    Simulate(Simulate),
}

/// Options of `case run`.
#[derive(Debug, Args)]
struct CaseRunArguments {
    /// Case files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Put the answers into this folder, the one of `--checkpoint`
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Put proofs of what has no counterexample into this folder, the one of `--certify`
    #[arg(long, value_name = "DIR")]
    certify: Option<PathBuf>,
    /// What it may take
    #[command(flatten)]
    limits: LimitArguments,
}

/// Options of `case list`, and some of `case export`.
#[derive(Debug, Args)]
struct CaseListArguments {
    /// A .map file, or the name of a built-in mapping
    #[arg(value_name = "MAPPING")]
    mapping: String,
    /// The folder of answers, which those of smaller bounds are put into
    #[arg(long, value_name = "DIR")]
    checkpoint: PathBuf,
    /// The folder of `margay check --certify`: a case whose proof is not in it is not answered
    #[arg(long, value_name = "DIR")]
    certify: Option<PathBuf>,
    /// Split cases that are predicted to take more than the share of one of N workers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    split: Option<u32>,
    /// What is asked
    #[command(flatten)]
    question: QuestionArguments,
}

/// Options of `case export`.
#[derive(Debug, Args)]
struct Export {
    #[command(flatten)]
    list: CaseListArguments,
    /// Write the files into this folder
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// Options of `case simulate`.
#[derive(Debug, Args)]
struct Simulate {
    /// The folder of a `margay check --checkpoint`; with a bound that was solved with --split as
    /// well, splitting is simulated too
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The smallest bound to show
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=20))]
    from: u32,
    /// The largest bound; what was not solved is predicted
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=20))]
    to: u32,
}

pub fn run(options: &CaseArguments, output: &Output) -> CommandOutcome {
    match &options.command {
        CaseCommand::Run(options) => cases::run::run(&options.asked(), output),
        CaseCommand::List(options) => list(options, None, output),
        CaseCommand::Simulate(options) => cases::simulate::run(
            &options.folder,
            options.from as usize,
            options.to as usize,
            output,
        ),
        CaseCommand::Export(options) => list(&options.list, Some(&options.into), output),
    }
}

impl CaseRunArguments {
    fn asked(&self) -> cases::run::ClusterRunOptions {
        cases::run::ClusterRunOptions {
            files: self.files.clone(),
            into: self.into.clone(),
            certify: self.certify.clone(),
            timeout: self.limits.time.timeout,
            memory: self.limits.memory,
        }
    }
}

/// `case list`, and with a folder `case export`.
fn list(options: &CaseListArguments, into: Option<&Path>, output: &Output) -> CommandOutcome {
    let loaded = match options.question.statement.load(&options.mapping) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let limits = options.question.search.limits();
    let mut asked = match options.question.options(&limits) {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    asked.certify.clone_from(&options.certify);
    asked.checkpoint = Some(options.checkpoint.clone());
    asked.split = options.split.map(|n| n as usize);
    // The cases are those of `check`, which asks without assumed rows.
    let subject = CheckSubject::new(&options.mapping, loaded.mapping);
    cases::list::run(&subject.mapping, asked, into, &limits, output)
}
