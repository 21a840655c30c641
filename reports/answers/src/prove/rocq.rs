//! A theorem with its proof as a file for Rocq, written only where all that was asked is a theorem.
//! What came of it is said behind the answer.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use margay_reports::prove as document;
use margay_rocq::{RocqFailure, Theorem, write};
use margay_theorem::theory::StopSignal;

use margay_console::exit::Exit;
use margay_console::limits::{RunLimits, StopReason};
use margay_console::output::{Format, Output};

/// A file that was asked for, and what came of it.
pub struct File {
    path: PathBuf,
    came: Came,
}

enum Came {
    /// It was written: its size in bytes.
    Written(usize),
    /// It could not be written: why.
    Failed(String),
    /// A part of the proof has no form for Rocq yet: which.
    Formless(String),
    /// What was asked is no theorem: why nothing is written, and what can be done.
    Open(Open),
    /// A limit ended it before it was written: which, in words.
    Ended(&'static str),
}

/// Why there is nothing to be written, and what can be done.
pub struct Open {
    pub why: String,
    /// What can be done.
    pub help: &'static str,
}

/// The proof says one thing, the search another: why nothing is kept, and what can be done.
pub const CONTRADICTION: (&str, &str) =
    ("the proof and the search contradict each other", "this is a bug in Margay: please report it");

/// The search beside a proof is its safeguard: why nothing is kept before it has ended, and what
/// can be done.
pub const UNSEARCHED: (&str, &str) =
    ("the search beside the proof did not reach its bound", "allow more time, or lower `--bound`");

/// Axioms that are taken together, of which not all are proved: why nothing is kept, and what can
/// be done.
pub const TOGETHER: (&str, &str) = (
    "its axioms are taken together, since the source chooses an order of its fences, and not all are proved",
    "leave these fences out with `--without`",
);

impl Open {
    /// The proof says one thing, the search another.
    pub fn contradiction() -> Self {
        Self { why: CONTRADICTION.0.to_owned(), help: CONTRADICTION.1 }
    }

    /// The search did not reach its bound.
    pub fn unsearched() -> Self {
        Self { why: UNSEARCHED.0.to_owned(), help: UNSEARCHED.1 }
    }
}

impl File {
    /// Writes theorems, or keeps why there are none.
    pub fn write(
        path: &Path,
        theorems: Result<Vec<Theorem<'_>>, Open>,
        limits: &RunLimits,
    ) -> Self {
        let stop = StopSignal { flag: Some(limits.stop.clone()), deadline: limits.deadline };
        let came = match theorems.map(|all| write(&all, &stop)) {
            Err(open) => Came::Open(open),
            Ok(Err(RocqFailure::Ended)) => {
                Came::Ended(limits.reason().unwrap_or(StopReason::Interrupted).words())
            }
            Ok(Err(what)) => Came::Formless(what.to_string()),
            Ok(Ok(text)) => match margay_models::durable::write_over(path, text.as_bytes()) {
                Ok(()) => Came::Written(text.len()),
                Err(error) => Came::Failed(error.to_string()),
            },
        };
        Self { path: path.to_owned(), came }
    }

    /// Says behind the answer, which ends so, what came of it. How to exit: not as the answer does
    /// if there is a theorem and no file of it.
    pub fn report(&self, exit: Exit, output: &Output) -> Exit {
        let name = self.path.display();
        let why = self.why();
        let help = match &self.came {
            Came::Written(_) => {
                // The answer as JSON is one object, which says it.
                if output.format == Format::Human {
                    let _ = output
                        .print(&format!("Theorem and proof in {name}: `coqc {name}` checks them."));
                }
                return exit;
            }
            Came::Failed(_) => "the answer above stands; name a file that can be written",
            Came::Formless(_) => "the answer above stands; `--certify` keeps its proof",
            Came::Open(open) => open.help,
            Came::Ended(_) => "the answer above stands; allow more time",
        };
        output.warn(&[Diagnostic::error(format!(
            "`{name}` is not written: {}",
            why.unwrap_or_default()
        ))
        .help(help)]);
        match self.came {
            Came::Written(_) | Came::Open(_) => exit,
            Came::Ended(_) => Exit::Undecided,
            Came::Failed(_) | Came::Formless(_) => Exit::Wrong,
        }
    }

    /// Why it is not written.
    fn why(&self) -> Option<String> {
        match &self.came {
            Came::Written(_) => None,
            Came::Failed(why) | Came::Formless(why) => Some(why.clone()),
            Came::Open(open) => Some(open.why.clone()),
            Came::Ended(reason) => Some(format!("{reason} before its end")),
        }
    }

    /// As a part of a document.
    pub fn document(&self) -> document::Rocq {
        let bytes = if let Came::Written(bytes) = self.came { Some(bytes) } else { None };
        document::Rocq {
            file: self.path.display().to_string(),
            written: bytes.is_some(),
            bytes,
            reason: self.why(),
        }
    }
}
