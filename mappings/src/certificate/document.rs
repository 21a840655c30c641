//! `certificate.json`.

use std::io;
use std::path::Path;

use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use super::texts::{ModelText, Text};
use crate::check::{CoReading, Cube, Level};
use crate::digest::digest;
use crate::whole::write_whole;

/// The name of the document in its folder.
pub const FILE: &str = "certificate.json";

/// What the document calls itself.
pub const FORMAT: &str = "margay certificate";

/// The version of the format that this Margay reads and writes.
pub const VERSION: u32 = 1;

/// The largest document that is read, in bytes.
const MAX_DOCUMENT: u64 = 1 << 30;

/// What a certificate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The Margay that wrote it.
    pub margay: String,
    /// The solver that was asked.
    pub solver: String,
    /// What the question was about.
    pub subject: Subject,
    /// What is certified.
    pub claims: Vec<Claim>,
    /// The cases, bound by bound.
    pub bounds: Vec<Entry>,
}

/// What a question is about: the kind of certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Subject {
    /// `margay check`: a mapping.
    Check {
        /// The mapping.
        mapping: Text,
        /// The source model.
        source: ModelText,
        /// The target model.
        target: ModelText,
        /// What was asked.
        given: Given,
    },
    /// `margay diff`: two models.
    Diff {
        /// The mapping between them; null for models of one signature.
        mapping: Option<Text>,
        /// The older model, or the source.
        old: ModelText,
        /// The newer model, or the target.
        new: ModelText,
        /// What they are called.
        names: [String; 2],
        /// What was asked.
        given: Compared,
    },
}

/// The options that decide what two models are compared by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// The largest number of events.
    pub bound: usize,
    /// Constructs left out.
    pub without: Vec<String>,
    /// Constructs used alone; empty for all.
    pub only: Vec<String>,
    /// A location is atomic or plain.
    pub typed: bool,
    /// Executions, or outcomes of programs.
    #[serde(default)]
    pub level: Level,
}

/// The options that decide what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The largest number of events.
    pub bound: usize,
    /// Axioms, by name; empty for the usual ones.
    pub axioms: Vec<String>,
    /// Constructs left out.
    pub without: Vec<String>,
    /// Constructs used alone; empty for all.
    pub only: Vec<String>,
    /// A location is atomic or plain.
    pub typed: bool,
    /// Executions or programs.
    pub level: Level,
    /// At program level, the largest number of guards and computed values.
    pub guards: Option<usize>,
    /// The reading of modification order.
    pub co: CoReading,
}

/// A question, and up to how many events there is no counterexample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The axiom, or the axioms together; of a comparison the question.
    pub axiom: String,
    /// None has so many events or fewer.
    pub none_up_to: usize,
}

/// The cases of one bound, and of one kind of programs (of a comparison there is one kind).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The number of events.
    pub events: usize,
    /// The kind of programs, by its place in the order in which they are asked about.
    pub programs: usize,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One case: a thread shape, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The number of events of each thread.
    pub shape: Vec<usize>,
    /// The leaf of the shape: facts, each with whether it holds; empty for all executions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cube: Cube,
    /// The questions, in the order in which they were asked.
    pub answers: Vec<Answer>,
    /// The proof.
    pub proof: Proof,
}

/// A question in a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Its place among the questions.
    pub question: usize,
    /// What came out.
    pub answer: Outcome,
    /// What was learned from refuted candidates on the way.
    pub learned: Vec<Lesson>,
}

/// What came out for a question in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// There is no counterexample: proved.
    None,
    /// There is one. Nothing is certified about that.
    Counterexample,
    /// No answer.
    Undecided,
}

/// What a refuted candidate teaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Lesson {
    /// A modification order, as the events in order: what it explains is no counterexample.
    Order(Vec<usize>),
    /// The beginning of an execution: a program in which it races is no counterexample.
    Race {
        /// The events in an order that modification order follows.
        order: Vec<usize>,
        /// Where reads read from; without it, each from the last write before it.
        sources: Option<Vec<(usize, Option<usize>)>>,
    },
    /// Of a comparison of outcomes: orders, as pairs of events, by which the other model explains what it explains.
    Orders {
        /// Coherence order.
        coherence: Vec<(usize, usize)>,
        /// Fence-SC order.
        fences: Vec<(usize, usize)>,
    },
}

/// The proof of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The file's name.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Its size before compression.
    pub uncompressed: u64,
    /// SHA-256 of the clauses.
    pub cnf_sha256: String,
    /// The number of clauses.
    pub clauses: u64,
    /// The number of clauses derived from them.
    pub derived: u64,
}

/// The end of the document: the digest of all of it, with zeros in the place of the digest.
const BEFORE_DIGEST: &str = ",\n  \"sha256\": \"";
const AFTER_DIGEST: &str = "\"\n}\n";
const DIGEST: usize = 64;

/// Writes the document into its folder.
///
/// # Errors
/// Those of the file.
pub fn write(document: &Document, folder: &Path) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document)?;
    let body = text.trim_end().strip_suffix('}').unwrap_or(&text).trim_end();
    let whole = |digest: &str| format!("{body}{BEFORE_DIGEST}{digest}{AFTER_DIGEST}");
    let digest = digest(whole(&"0".repeat(DIGEST)).as_bytes());
    write_whole(&folder.join(FILE), whole(&digest).as_bytes())
}

/// Reads the document of a folder.
///
/// # Errors
/// It is not there, is damaged, or is none of this version.
pub fn read(folder: &Path) -> Result<Document, Diagnostic> {
    let path = folder.join(FILE);
    let shown = path.display();
    let fail = |what: String| Diagnostic::error(format!("cannot read the certificate `{shown}`: {what}"));
    let size = std::fs::metadata(&path).map_err(|e| {
        fail(e.to_string()).help(format!("a certificate is the folder that `--certify` names, with `{FILE}` in it"))
    })?;
    if size.len() > MAX_DOCUMENT {
        return Err(fail(format!("it has {} bytes; certificates have at most {MAX_DOCUMENT}", size.len())));
    }
    let mut bytes = std::fs::read(&path).map_err(|e| fail(e.to_string()))?;
    let damaged = || {
        fail("it is damaged: its text is not the one that its `sha256` was taken of".to_owned())
            .help("get it again from where it was made, or make it again")
    };
    let head: Head = match serde_json::from_slice(&bytes) {
        Ok(head) => head,
        Err(e) => {
            return Err(fail(e.to_string()).help("the file is damaged, or no certificate"));
        }
    };
    if head.format != FORMAT {
        return Err(fail(format!("its format is `{}`, and not `{FORMAT}`", head.format)));
    }
    if head.version != VERSION {
        return Err(fail(format!("it has version {} of the format, and this Margay reads version {VERSION}", head.version))
            .help(format!("it was written by Margay {}", head.margay)));
    }
    let start = bytes.len().checked_sub(DIGEST + AFTER_DIGEST.len()).ok_or_else(damaged)?;
    let end = start + DIGEST;
    if !bytes[..start].ends_with(BEFORE_DIGEST.as_bytes()) || &bytes[end..] != AFTER_DIGEST.as_bytes() {
        return Err(damaged());
    }
    let found = bytes[start..end].to_vec();
    bytes[start..end].fill(b'0');
    if digest(&bytes).as_bytes() != found {
        return Err(damaged());
    }
    // Without the digest, the text is the document's alone.
    let body = &bytes[..start - BEFORE_DIGEST.len()];
    serde_json::from_slice(&[body, b"\n}"].concat()).map_err(|e| fail(e.to_string()))
}

/// What tells what a file is.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
    #[serde(default)]
    margay: String,
}
