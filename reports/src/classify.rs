//! `margay classify`: what litmus tests are called, and which of them are the same.

use crate::document::parts;
use crate::error::DiagnosticRecord;

parts! {
    /// `margay classify`.
    pub struct ClassifyDocument {
        /// The tests.
        pub tests: Vec<ClassifiedTest>,
        /// Lists of files whose tests are the same.
        pub duplicates: Vec<Vec<String>>,
        /// For tests that say the same in two languages, the list of files of each.
        pub counterparts: Vec<Vec<Vec<String>>>,
        /// What is wrong with files.
        pub errors: Vec<DiagnosticRecord>,
    }

    /// A test.
    pub struct ClassifiedTest {
        /// The file as named.
        pub file: String,
        /// The name in its first line.
        pub name: String,
        /// Its classic name.
        pub shape: Option<String>,
        /// Its name by its cycle.
        pub canonical_name: String,
        /// Equal for isomorphic tests.
        pub form: String,
        /// The digest of the form.
        pub digest: String,
    }
}
