//! What any document may have besides its answer: what a file of settings said of the question, and
//! warnings.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;

use crate::document::parts;
use crate::error::DiagnosticRecord;

parts! {
    /// What the file of a project (margay.toml) said where the command line did not.
    pub struct Settings {
        /// The file.
        pub file: String,
        /// The options by their keys, each as it is written there.
        pub options: BTreeMap<String, String>,
    }
}

/// Adds them to a document, where there are any: as `margay_toml` and `warnings`.
///
/// # Errors
/// They cannot be written as JSON, which does not happen.
pub fn add(
    document: &mut Value,
    settings: Option<&Settings>,
    warnings: &[DiagnosticRecord],
) -> io::Result<()> {
    let Value::Object(fields) = document else { return Ok(()) };
    if let Some(settings) = settings {
        fields.insert("margay_toml".to_owned(), serde_json::to_value(settings)?);
    }
    if !warnings.is_empty() {
        fields.insert("warnings".to_owned(), serde_json::to_value(warnings)?);
    }
    Ok(())
}
