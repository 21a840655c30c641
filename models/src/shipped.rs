//! The texts that Margay ships: models, what they include, and architectures.

use std::sync::Arc;

use crate::diagnostic::SourceFile;
use crate::dialect::{self, HERD7};

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// What the names of built-in files start with.
pub const BUILT_IN_FOLDER: &str = "<built-in>/";

/// The models of languages and GPUs in the order in which they are listed; the others follow by
/// name.
const FIRST: [&str; 21] = [
    "sc",
    "tso",
    "ptx-6.0",
    "ptx-6.0-any-fence",
    "ptx-6.0-strong-patterns",
    "ptx-8",
    "ptx-8-clusters-order-shared",
    "ptx-8-completions-before-arrivals",
    "ptx-8-mbarrier-async",
    "ptx-8-mbarriers-order-shared",
    "ptx-8-proxy-fences-in-pairs",
    "ptx-8-reads-before-async-writes",
    "ptx-8-waits-by-branch",
    "ptx-2015",
    "rmo",
    "rc11",
    "rc11-lb",
    "rc11-scoped",
    "rc11-scoped-mo-atomic",
    "c20",
    "c20-scoped",
];

/// The names of the built-in models.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    FIRST
        .into_iter()
        .chain(MODELS.iter().map(|(name, _)| *name).filter(|name| !FIRST.contains(name)))
}

/// The text of a built-in model.
pub fn built_in(name: &str) -> Option<Arc<SourceFile>> {
    let name = name.strip_suffix(".cat").unwrap_or(name);
    let (name, text) = MODELS.iter().find(|(known, _)| *known == name)?;
    Some(SourceFile::new(format!("{BUILT_IN_FOLDER}{name}.cat"), *text))
}

/// The texts of all built-in models.
pub fn all() -> impl Iterator<Item = Arc<SourceFile>> {
    built_in_names().filter_map(built_in)
}

/// The texts of all built-in models, and of what models include or are about.
pub(crate) fn all_files() -> impl Iterator<Item = Arc<SourceFile>> {
    all()
        .chain(architectures())
        .chain(dialect::ALL.into_iter().flat_map(|dialect| dialect.includes()))
}

/// The texts of all built-in architectures.
pub fn architectures() -> impl Iterator<Item = Arc<SourceFile>> {
    ARCHITECTURES
        .iter()
        .map(|(name, text)| SourceFile::new(format!("{BUILT_IN_FOLDER}{name}.arch"), *text))
}

/// The text of a built-in file that models include.
pub(crate) fn built_in_file(name: &str) -> Option<Arc<SourceFile>> {
    let architecture =
        || architectures().find(|file| file.name.strip_prefix(BUILT_IN_FOLDER) == Some(name));
    HERD7.include(name).or_else(|| built_in(name)).or_else(architecture)
}
