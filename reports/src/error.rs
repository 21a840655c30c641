//! Wrong input: what is wrong, where, and what to do.

use margay_models::diagnostic;

use crate::document::parts;

/// The version of errors where the command line could not be read; else it is that of the command's
/// documents.
pub const SCHEMA: u32 = 1;

parts! {
    /// What any command prints for wrong input. `command` is null where the command line could not
    /// be read.
    pub struct Errors {
        /// The file, where each of several files has a line of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub file: Option<String>,
        /// What is wrong.
        pub errors: Vec<DiagnosticRecord>,
    }

    /// One thing that is wrong.
    #[cfg_attr(feature = "schema", schemars(rename = "Diagnostic"))]
    pub struct DiagnosticRecord {
        /// Does it stop the command?
        pub severity: SeverityRecord,
        /// What is wrong.
        pub message: String,
        /// Where; the first place is the primary one.
        pub labels: Vec<LabelRecord>,
        /// What to do.
        pub help: Option<String>,
    }

    /// Does it stop the command?
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum SeverityRecord {
        /// It does.
        Error,
        /// It does not.
        Warning,
    }

    /// A place in a text.
    pub struct LabelRecord {
        /// The file.
        pub file: String,
        /// The line, from 1.
        pub line: usize,
        /// The column, from 1.
        pub column: usize,
        /// What is said of the place.
        pub text: String,
    }
}

impl From<&diagnostic::Diagnostic> for DiagnosticRecord {
    fn from(found: &diagnostic::Diagnostic) -> Self {
        let label = |l: &diagnostic::Label| {
            let (line, column) = l.file.position(l.span.start);
            LabelRecord { file: l.file.name.clone(), line, column, text: l.text.clone() }
        };
        Self {
            severity: match found.severity {
                diagnostic::Severity::Error => SeverityRecord::Error,
                diagnostic::Severity::Warning => SeverityRecord::Warning,
            },
            message: found.message.clone(),
            labels: found.labels.iter().map(label).collect(),
            help: found.help.clone(),
        }
    }
}
