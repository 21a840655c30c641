//! An architecture, by its number.

/// An architecture, as its number among those that the program knows. Two are the same if they have
/// the same name and the same text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture(pub(super) u32);

/// How the file of an architecture ends.
pub const EXTENSION: &str = "arch";

/// The name of a file without folder and ending.
pub(super) fn word_of(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(EXTENSION).and_then(|n| n.strip_suffix('.')).unwrap_or(name)
}
