//! A theorem with its proof as a file for Rocq: written after the answer is printed, and only where all that was asked is a theorem.

use std::path::Path;

use margay_mappings::check::CheckOptions;
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_prove::theorem::{Report, Setting};

use crate::arguments::Format;
use crate::output::Output;

/// What there is to write.
pub enum Text {
    /// The file.
    Theorem(String),
    /// Not all that was asked is a theorem: what is not.
    Open(Vec<String>),
    /// A part of the proof has no form for Rocq yet: which.
    Unwritten(String),
}

impl Text {
    /// Of what came of a proof.
    pub fn of(setting: &Setting<'_>, mapping: &Mapping, options: &CheckOptions, report: &Report) -> Self {
        let open: Vec<String> = report.goals.iter().filter(|g| !g.is_theorem()).map(|g| g.name.clone()).collect();
        let Some(proof) = report.proof.as_ref().filter(|_| open.is_empty()) else { return Text::Open(open) };
        let listed =
            |word: &str, all: &[String]| if all.is_empty() { String::new() } else { format!("{word} {}", all.join(", ")) };
        let part: Vec<String> = [listed("only", &options.only), listed("without", &options.without)].into();
        let part: Vec<String> = part.into_iter().filter(|p| !p.is_empty()).collect();
        match margay_prove::rocq::write(setting, mapping, &part.join(", "), proof) {
            Ok(text) => Text::Theorem(text),
            Err(what) => Text::Unwritten(what),
        }
    }
}

/// Writes the file, if one was asked for. False if there is a theorem and no file of it.
pub fn save(path: Option<&Path>, text: Option<Text>, output: &Output) -> bool {
    let (Some(path), Some(text)) = (path, text) else { return true };
    let name = path.display();
    let (error, expected) = match text {
        Text::Theorem(text) => match std::fs::write(path, text) {
            Ok(()) => {
                // The answer as JSON is one object, which is printed already.
                if output.format == Format::Human {
                    let _ = output.print(&format!("Theorem and proof in {name}: `coqc {name}` checks them."));
                }
                return true;
            }
            Err(error) => {
                let error = Diagnostic::error(format!("cannot write `{name}`: {error}"));
                (error.help("the answer above stands; name a file that can be written"), false)
            }
        },
        Text::Open(open) => {
            let error = Diagnostic::error(format!("`{name}` is not written: not a theorem are {}", open.join(", ")));
            (error.help("`--axiom` asks for some of the axioms alone"), true)
        }
        Text::Unwritten(what) => {
            let error = Diagnostic::error(format!("`{name}` is not written: {what}"));
            (error.help("the answer above stands; `--certify` keeps its proof, and `--axiom` asks for a part of it"), false)
        }
    };
    output.warn(&[error]);
    expected
}
