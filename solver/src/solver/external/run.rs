//! Runs a SAT solver as a program: it gets a file with the problem and the name of one for the
//! proof, as in the SAT competitions.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use margay_proof::SatLiteral;

use crate::limits::SolverLimits;
use crate::solver::SolverAnswer;

/// Why a program gives no answer.
#[derive(Debug)]
pub enum ProgramFault {
    /// There is no word that would name a program.
    NoCommand,
    NotStarted(io::Error),
    /// It was started, and cannot be waited for.
    Lost(io::Error),
    /// Its line `s ..` says something else than solvers say.
    UnknownAnswer(String),
    /// It ends without such a line; the first line that it prints instead, if it prints any.
    NoAnswer(ExitStatus, Option<String>),
    /// A word of its assignment.
    NoLiteral(String),
}

impl fmt::Display for ProgramFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => f.write_str("it has no command"),
            Self::NotStarted(error) => write!(f, "it cannot be started: {error}"),
            Self::Lost(error) => error.fmt(f),
            Self::UnknownAnswer(answer) => write!(f, "its answer is `s {answer}`"),
            Self::NoAnswer(status, first) => {
                write!(
                    f,
                    "it ends ({status}) without a line `s SATISFIABLE` or `s UNSATISFIABLE`"
                )?;
                first.as_ref().map_or(Ok(()), |line| write!(f, "; it says `{line}`"))
            }
            Self::NoLiteral(word) => write!(f, "`{word}` in its assignment is no literal"),
        }
    }
}

/// How often limits are looked at.
const OFTEN: Duration = Duration::from_millis(5);

/// Runs the command on a problem within the limits; its answer, and the literals that it says are
/// true.
///
/// # Errors
/// It cannot be started, or says nothing that is an answer.
pub fn run(
    command: &[String],
    problem: &Path,
    proof: &Path,
    limits: &SolverLimits,
) -> Result<(SolverAnswer, Vec<SatLiteral>), ProgramFault> {
    let [program, arguments @ ..] = command else { return Err(ProgramFault::NoCommand) };
    let mut child = Command::new(program)
        .args(arguments)
        .args([problem, proof])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(ProgramFault::NotStarted)?;
    let out = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if limits.reached() => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok((SolverAnswer::Unknown, Vec::new()));
            }
            Ok(None) => std::thread::sleep(OFTEN),
            Err(error) => return Err(ProgramFault::Lost(error)),
        }
    };
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    let said = out.lines().find_map(|line| line.strip_prefix("s ")).map(str::trim);
    match said {
        Some("SATISFIABLE") => Ok((SolverAnswer::Sat, assignment(&out)?)),
        Some("UNSATISFIABLE") => Ok((SolverAnswer::Unsat, Vec::new())),
        Some("UNKNOWN") => Ok((SolverAnswer::Unknown, Vec::new())),
        Some(other) => Err(ProgramFault::UnknownAnswer(other.to_owned())),
        None => {
            let first = errors
                .lines()
                .chain(out.lines())
                .map(str::trim)
                .find(|line| !line.is_empty() && *line != "c");
            Err(ProgramFault::NoAnswer(status, first.map(str::to_owned)))
        }
    }
}

/// Reads a pipe to its end, so that whoever writes does not wait.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// The literals of the lines `v ...`.
fn assignment(out: &str) -> Result<Vec<SatLiteral>, ProgramFault> {
    let words = out
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .flat_map(str::split_ascii_whitespace);
    // 0 ends them.
    let literals = words.take_while(|word| *word != "0").map(|word| {
        let literal = word.parse().ok().and_then(SatLiteral::of_dimacs);
        literal.ok_or_else(|| ProgramFault::NoLiteral(word.to_owned()))
    });
    literals.collect()
}
