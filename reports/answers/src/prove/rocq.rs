//! A theorem with its proof as a file for Rocq, written only where all that was asked is a theorem. What came of it is said behind the
//! answer.

use std::path::{Path, PathBuf};

use margay_mappings::check::{CheckOptions, CheckReport};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_prove::theorem::{Report, Setting};
use margay_reports::prove as document;

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
    /// Not all that was asked is a theorem: what is not; nothing if the search contradicts the proof.
    Open(Vec<String>),
}

impl File {
    /// Writes what came of a proof and of the search beside it.
    pub fn write(
        path: &Path,
        setting: &Setting<'_>,
        mapping: &Mapping,
        options: &CheckOptions,
        report: &Report,
        search: &CheckReport,
    ) -> Self {
        let open: Vec<String> = report.goals.iter().filter(|g| !g.is_theorem()).map(|g| g.name.clone()).collect();
        let is_theorem = open.is_empty() && search.counterexamples.is_empty();
        let came = match report.proof.as_ref().filter(|_| is_theorem) {
            None => Came::Open(open),
            Some(proof) => match margay_prove::rocq::write(setting, mapping, &part(options), proof) {
                Err(what) => Came::Formless(what),
                Ok(text) => match std::fs::write(path, &text) {
                    Ok(()) => Came::Written(text.len()),
                    Err(error) => Came::Failed(error.to_string()),
                },
            },
        };
        Self { path: path.to_owned(), came }
    }

    /// Says behind the answer what came of it. False if there is a theorem and no file of it.
    pub fn report(&self, output: &Output) -> bool {
        let name = self.path.display();
        let why = self.why();
        let help = match &self.came {
            Came::Written(_) => {
                // The answer as JSON is one object, which says it.
                if output.format == Format::Human {
                    let _ = output.print(&format!("Theorem and proof in {name}: `coqc {name}` checks them."));
                }
                return true;
            }
            Came::Failed(_) => "the answer above stands; name a file that can be written",
            Came::Formless(_) => "the answer above stands; `--certify` keeps its proof, and `--axiom` asks for a part of it",
            Came::Open(_) => "`--axiom` asks for some of the axioms alone",
        };
        output.warn(&[Diagnostic::error(format!("`{name}` is not written: {}", why.unwrap_or_default())).help(help)]);
        matches!(self.came, Came::Open(_))
    }

    /// Why it is not written.
    fn why(&self) -> Option<String> {
        match &self.came {
            Came::Written(_) => None,
            Came::Failed(why) | Came::Formless(why) => Some(why.clone()),
            Came::Open(open) if open.is_empty() => Some("the proof and the search contradict each other".to_owned()),
            Came::Open(open) => Some(format!("not all of it is a theorem ({} is not)", open.join(", "))),
        }
    }

    /// As a part of a document.
    pub fn document(&self) -> document::Rocq {
        let bytes = if let Came::Written(bytes) = self.came { Some(bytes) } else { None };
        document::Rocq { file: self.path.display().to_string(), written: bytes.is_some(), bytes, reason: self.why() }
    }
}

/// Which constructs the theorem is about, if those are not all.
fn part(options: &CheckOptions) -> String {
    let lists = [("only", &options.only), ("without", &options.without)];
    let lists = lists.into_iter().filter(|(_, all)| !all.is_empty());
    lists.map(|(word, all)| format!("{word} {}", all.join(", "))).collect::<Vec<_>>().join(", ")
}
