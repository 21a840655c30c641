//! Reading models from files and texts, and where their includes come from.

use std::path::Path;
use std::sync::Arc;

use super::TypingOptions;
use super::includes::{FilesThenBuiltIn, Includes, read};
use crate::cat;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::{self};
use crate::model::{Loaded, Model};
use crate::signature::Signature;
use crate::text::{FileKind, another, kind};

impl Model {
    /// Reads a model from a file; includes are looked up beside the file that includes them, then
    /// among the built-in ones.
    pub fn load(path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
        Self::load_with(path, &TypingOptions::default())
    }

    /// Like [`Model::load`], with options.
    pub fn load_with(path: &Path, options: &TypingOptions) -> Result<Loaded, Vec<Diagnostic>> {
        let source = read(path).map_err(|error| vec![error])?;
        Self::parse_with(source, &FilesThenBuiltIn, options)
    }

    /// Reads a model from a text.
    pub fn parse(
        source: Arc<SourceFile>,
        includes: &dyn Includes,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        Self::parse_with(source, includes, &TypingOptions::default())
    }

    /// Like [`Model::parse`], with options.
    pub fn parse_with(
        source: Arc<SourceFile>,
        includes: &dyn Includes,
        options: &TypingOptions,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        super::typed(&source, includes, options).map_err(|errors| match kind(&source) {
            Some(
                FileKind::Litmus | FileKind::Architecture | FileKind::Document | FileKind::Kernel,
            ) => another(&source, FileKind::Model).map_or(errors, |error| vec![error]),
            _ => errors,
        })
    }

    /// Reads a model of a signature from a text that does not say of which it is.
    pub(crate) fn parse_as(
        source: Arc<SourceFile>,
        includes: &dyn Includes,
        signature: Signature,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        let parsed = cat::parse(&source);
        if !parsed.errors.is_empty() {
            return Err(parsed.errors);
        }
        let reading = (&dialect::MARGAY, signature.dialect());
        super::typed_as(&parsed.file, (&source, includes, &TypingOptions::default()), reading, None)
            .map_err(|(_, errors)| errors)
    }
}
