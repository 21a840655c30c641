//! The folders of tests with expected verdicts: tests/corpus of the repository, and the shapes,
//! which are made.

use std::path::Path;

use margay_litmus::corpus::{self, CorpusFolder};
use margay_litmus::shapes;

/// All of them.
pub fn folders() -> Vec<CorpusFolder> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let roots = shapes::corpora(&repository, Path::new(env!("CARGO_TARGET_TMPDIR")))
        .expect("there is room");
    roots
        .iter()
        .flat_map(|root| corpus::read(root).unwrap_or_else(|e| panic!("{}", e[0])))
        .collect()
}
