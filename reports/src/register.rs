//! Every command, the version of its documents, and which documents it prints.

use std::fmt;

use serde_json::Value;

use crate::document::{Document, body};
use crate::{
    app, builtin, case, change, check, classify, confirm, corpus, diff, error, explain, extract,
    fence, r#gen, gpu, kernel, page, prove, run, sim, synth, verify,
};

/// A command, and what it prints as JSON.
pub struct CommandRecord {
    /// Its name, without `margay`.
    pub name: &'static str,
    /// The version of its documents.
    pub schema: u32,
    documents: &'static [BodyTest],
    #[cfg(feature = "schema")]
    pub(crate) schemas: fn(&mut schemars::r#gen::SchemaGenerator) -> Vec<schemars::schema::Schema>,
}

/// A type of documents: does this body belong to it?
type BodyTest = fn(&Value) -> Result<(), String>;

/// Does a body have the fields of a type, and no other?
fn known<T: serde::Serialize + serde::de::DeserializeOwned>(body: &Value) -> Result<(), String> {
    let read: T = serde_json::from_value(body.clone()).map_err(|e| e.to_string())?;
    let again = serde_json::to_value(&read).map_err(|e| e.to_string())?;
    let Value::Object(fields) = body else { return Err("it is no object".to_owned()) };
    match fields.iter().find(|(key, value)| again.get(*key) != Some(value)) {
        None => Ok(()),
        Some((key, _)) => {
            Err(format!("`{key}` has something that no document of this command has"))
        }
    }
}

macro_rules! commands {
    ($($name:literal, $schema:literal: $($document:ty),+;)+) => {
        $($(
            impl Document for $document {
                const COMMAND: &'static str = $name;
            }
        )+)+

        /// Every command that prints JSON.
        pub const COMMANDS: &[CommandRecord] = &[$(CommandRecord {
            name: $name,
            schema: $schema,
            documents: &[$(known::<$document>),+],
            #[cfg(feature = "schema")]
            schemas: |generator| vec![$(generator.subschema_for::<$document>()),+],
        }),+];
    };
}

// A field that goes or changes its meaning makes a new version of its command's documents
// (docs/json.md says what changed).
commands! {
    "check", 1: check::CheckDocument, check::ProgramDocument, check::UndecidedProgram, check::CausesDocument, check::CheckMatrixDocument;
    "prove", 2: prove::MappingProofDocument, prove::PropertyProofDocument, prove::ProofMatrixDocument;
    "verify", 1: verify::VerifiedCheck, verify::VerifiedDiff, verify::VerifiedTheorem, verify::VerifiedRun, verify::VerifiedKernel, verify::UndecidedVerification;
    "case run", 1: case::CaseRunDocument;
    "case list", 2: case::CaseListDocument;
    "case export", 2: case::CaseExportDocument;
    "case simulate", 1: case::Simulation;
    "confirm", 2: confirm::ConfirmDocument;
    "weaken", 1: change::WeakenDocument;
    "repair", 1: change::Repaired;
    "diff", 1: diff::DiffDocument, diff::TablesDocument;
    "synth", 2: synth::Suite;
    "run", 1: run::TestUnderModel, run::Unanswered, run::CertifiedLine;
    "test", 2: corpus::CorpusDocument;
    "sim", 1: sim::SimulationDocument;
    "gpu emit", 1: gpu::EmittedKernel, gpu::EmittedSource;
    "gpu check", 2: gpu::TargetCheck;
    "gpu run", 1: gpu::MeasuredLine, gpu::FailedTest;
    "gpu table6", 1: gpu::Table6CellRecord;
    "gpu tune", 1: gpu::Tuned;
    "gpu summary", 1: gpu::SummaryDocument;
    "classify", 1: classify::ClassifyDocument;
    "explain", 1: explain::ForbiddenExplanation, explain::Allowed, explain::AbsentExplanation, explain::UndecidedExplanation;
    "extract", 2: extract::TableRecord, extract::Tables, extract::FrontEnds, extract::Functions, extract::Sweep, extract::ProgramRecord,
        extract::Template;
    "fence", 2: fence::FenceDocument, fence::UndecidedFence;
    "kernel", 1: kernel::Kernels;
    "app test", 1: app::Tested;
    "app suite", 1: app::ApplicationSuite;
    "app harden", 1: app::Hardened;
    "report", 1: page::PageDocument;
    "gen", 1: r#gen::GeneratedTestRecord;
    "models", 1: builtin::BuiltinModels, builtin::ModelTextDocument;
    "mappings", 1: builtin::Mappings, builtin::MappingText;
    "schema", 1: builtin::SchemaList, builtin::SchemaText;
    "completions", 1: builtin::CompletionsDocument;
    "man", 1: builtin::Pages;
}

/// The command of this name.
pub fn command(name: &str) -> Option<&'static CommandRecord> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// Why a document is none of its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownDocument {
    /// A field of the head is missing: which.
    NoField(&'static str),
    NoCommand(String),
    /// It has another version than the program's documents.
    Schema {
        has: u64,
        expected: u32,
    },
    /// It is of none of the types of its command: what each does not take.
    OtherFields(Vec<String>),
}

impl fmt::Display for UnknownDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField(field) => write!(f, "it has no `{field}`"),
            Self::NoCommand(name) => write!(f, "there is no command `{name}`"),
            Self::Schema { has, expected } => {
                write!(f, "its `schema` is {has}; expected is {expected}")
            }
            Self::OtherFields(wrong) => f.write_str(&wrong.join("; ")),
        }
    }
}

impl std::error::Error for UnknownDocument {}

/// Reads a document strictly: it has a head, and the fields of a document of its command and no
/// other. The command, or `None` for errors of an unreadable command line.
pub fn read(document: &Value) -> Result<Option<&'static CommandRecord>, UnknownDocument> {
    let schema = document["schema"].as_u64().ok_or(UnknownDocument::NoField("schema"))?;
    if document["margay"].as_str().is_none() {
        return Err(UnknownDocument::NoField("margay"));
    }
    let found = match &document["command"] {
        Value::String(name) => {
            Some(command(name).ok_or_else(|| UnknownDocument::NoCommand(name.clone()))?)
        }
        Value::Null if document.get("command").is_some() => None,
        _ => return Err(UnknownDocument::NoField("command")),
    };
    let expected = found.map_or(error::SCHEMA, |command| command.schema);
    if schema != u64::from(expected) {
        return Err(UnknownDocument::Schema { has: schema, expected });
    }
    let body = body(document);
    if known::<error::Errors>(&body).is_ok() {
        return Ok(found);
    }
    let documents = found.map_or(&[][..], |command| command.documents);
    let wrong: Vec<String> = documents.iter().map_while(|document| document(&body).err()).collect();
    if wrong.len() < documents.len() { Ok(found) } else { Err(UnknownDocument::OtherFields(wrong)) }
}
