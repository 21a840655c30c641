//! Options that several commands share: what is asked, and of which texts.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use margay_mappings::Backend;

use super::limits::{JobArguments, LimitArguments};

/// What every search by a solver can be told.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// Leave these constructs out of the search, e.g. `R.SC,W.SC` or a whole operation, `RMW`
    #[arg(long, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Make programs of these constructs alone
    #[arg(long, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// With how many threads
    #[command(flatten)]
    pub threads: JobArguments,
    /// What it may take
    #[command(flatten)]
    pub limits: LimitArguments,
    /// The SAT solver: one of these, or `dimacs:COMMAND`, e.g. `--solver "dimacs:kissat -q"`, a
    /// program that is given a problem in DIMACS format and the name of a file for its DRAT proof
    #[arg(long, value_name = "NAME", default_value_t = Backend::default(), value_parser = Solvers)]
    pub solver: Backend,
}

/// A statement about a mapping: between which models, of which axioms, and up to which bound it is
/// searched for a counterexample.
#[derive(Debug, Args)]
pub struct StatementArguments {
    /// The largest number of source events; a read-modify-write is two, initial writes are none
    #[arg(short, long, value_name = "N", default_value_t = 5)]
    pub bound: usize,
    /// Of executions: ask about this axiom of the source model (repeat, or separate by commas)
    /// [default: all that are not optional]
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
pub struct QuestionArguments {
    /// What a counterexample is: a program without races and an outcome that no execution of it
    /// has, which is a compiler bug (docs/program-level.md), or a single execution: the published
    /// question, whose counterexamples may be of programs that race (`--all-mappings` takes both:
    /// `execution,program`)
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        value_delimiter = ',',
        default_value = "program"
    )]
    pub level: Vec<LevelChoice>,
    /// At most so many guards `if (r == v)` and values computed from a read [default: as many as
    /// useful]
    #[arg(long, value_name = "N")]
    pub guards: Option<usize>,
    /// The statement
    #[command(flatten)]
    pub statement: StatementArguments,
    /// At execution level, which modification orders must fail: `universal`, some one above
    /// coherence order (the published statement); `exists`, all of them, so that the outcome itself
    /// is forbidden, as at program level [default: universal]
    #[arg(long, value_enum, value_name = "READING")]
    pub co: Option<Co>,
    /// How it searches
    #[command(flatten)]
    pub search: SearchArguments,
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
pub enum LevelChoice {
    /// A program without races, and an outcome that only its compiled form has: a compiler bug.
    Program,
    /// One legal execution of the target that reads back as an illegal one of the source (the
    /// published question).
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

/// Solvers by name, those of this build listed in the help, and programs.
#[derive(Clone)]
struct Solvers;

impl Solvers {
    fn names() -> PossibleValuesParser {
        PossibleValuesParser::new(Backend::available().iter().map(|b| b.name().to_owned()))
    }
}

impl TypedValueParser for Solvers {
    type Value = Backend;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Backend, clap::Error> {
        match value.to_str().and_then(|text| text.strip_prefix(Backend::PROGRAM)) {
            Some(program) if !program.trim().is_empty() => match starts(program) {
                Ok(()) => Ok(Backend::dimacs(program)),
                Err(error) => {
                    let what = format!("the solver `{program}` cannot be started: {error}\n");
                    Err(command.clone().error(clap::error::ErrorKind::ValueValidation, what))
                }
            },
            _ => match value.to_str().and_then(Backend::left_out) {
                Some(missing) => Err(command
                    .clone()
                    .error(clap::error::ErrorKind::ValueValidation, missing + "\n")),
                None => Self::names()
                    .map(|name| name.parse::<Backend>().unwrap_or_default())
                    .parse_ref(command, argument, value),
            },
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<PossibleValue> = Self::names().possible_values()?.collect();
        Some(Box::new(names.into_iter()))
    }
}

/// Can the program of a command be started? A mistyped name is better said before the search.
fn starts(command: &str) -> std::io::Result<()> {
    use std::process::{Command, Stdio};
    let program = command.split_whitespace().next().unwrap_or_default();
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // What it says is of no interest; it may have ended already.
    let _ = child.kill();
    child.wait().map(|_| ())
}
