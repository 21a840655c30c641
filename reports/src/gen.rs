//! `margay gen`: litmus tests from cycles.

use crate::document::parts;

parts! {
    /// A generated test.
    pub struct GeneratedTestRecord {
        /// Its name.
        pub name: String,
        /// Its classic name.
        pub shape: Option<String>,
        /// The edges that it was made from; with `--shapes` and `--published` it is made from a
        /// shape.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cycle: Option<String>,
        /// Its file; null without `--out`.
        pub file: Option<String>,
        /// The digest of its form; not there with `--shapes` and `--published`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub digest: Option<String>,
        /// The test.
        pub litmus: String,
    }
}
