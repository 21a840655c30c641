//! What is asked of every mapping of a compiler: each reading of C++ against each reading of PTX.
//! `check --all-mappings` and `prove --all-mappings` ask the same questions.

use margay_mappings::language::{LoadOptions, Mapping, ScopePattern};
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;

/// The readings of C++: release sequences with and without the later writes of the same thread; and
/// both without scopes, where every operation is of system scope.
pub const SOURCES: [&str; 4] = ["rc11-scoped", "c20-scoped", "rc11-lb", "c20"];
/// The readings of PTX.
pub const TARGETS: [&str; 2] = ["ptx-6.0", "ptx-8"];

/// A mapping between two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingPair<'a> {
    /// The name of the mapping.
    pub mapping: &'a str,
    /// The reading of C++.
    pub source: &'static str,
    /// The reading of PTX.
    pub target: &'static str,
}

impl MappingPair<'_> {
    /// The mapping between these models.
    ///
    /// # Errors
    /// It cannot be read, or does not fit the models.
    pub fn load(self) -> Result<Mapping, Vec<Diagnostic>> {
        let models = LoadOptions {
            source: Some(self.source.to_owned()),
            target: Some(self.target.to_owned()),
            ..LoadOptions::default()
        };
        Ok(library::find(self.mapping, &models)?.mapping)
    }
}

/// The mappings that are asked about: that of the paper (Fig. 11), and what each compiler emits.
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once("rc11-to-ptx").chain(library::compilers())
}

/// All pairs of models for a mapping, those of a source one after the other: a mapping with rows
/// for single scopes has none without scopes.
///
/// # Errors
/// The mapping cannot be read.
pub fn pairs(mapping: &str) -> Result<Vec<MappingPair<'_>>, Vec<Diagnostic>> {
    let loaded = library::find(mapping, &LoadOptions::default())?.mapping;
    let names_scopes = loaded.rows.iter().any(|r| matches!(r.scope, ScopePattern::Named(_)));
    let sources = if names_scopes { &SOURCES[..2] } else { &SOURCES };
    Ok(sources
        .iter()
        .flat_map(|&source| TARGETS.map(|target| MappingPair { mapping, source, target }))
        .collect())
}
