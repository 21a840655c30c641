//! `margay report`: documents as a page.

use crate::document::parts;

parts! {
    /// A page that was written.
    pub struct PageDocument {
        /// Its file.
        pub file: String,
        /// How many documents it shows.
        pub documents: usize,
        /// Its size.
        pub bytes: usize,
    }
}
