//! `margay report`: documents as a page.

use crate::document::parts;

parts! {
    /// A page, or a summary.
    pub struct PageDocument {
        /// The file that `--out` names; null without it.
        pub file: Option<String>,
        /// The page itself, where no file is named; else null.
        pub text: Option<String>,
        /// How many documents it shows.
        pub documents: usize,
        /// Its size.
        pub bytes: usize,
    }
}
