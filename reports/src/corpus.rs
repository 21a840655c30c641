//! `margay test`: are verdicts as expected?

use crate::document::parts;
use crate::error::DiagnosticRecord;

parts! {
    /// `margay test`.
    pub struct CorpusDocument {
        /// The answer in words, as in the last line of the output for people.
        pub answer: String,
        /// Verdicts as expected.
        pub passed: usize,
        /// Verdicts that are not.
        pub differences: Vec<CorpusTest>,
        /// Verdicts without an answer in the time given.
        pub undecided: Vec<CorpusTest>,
        /// How many verdicts were not looked for, after `--fail-fast` or Ctrl-C.
        pub not_run: usize,
        /// Tests of which nothing is expected.
        pub without_verdict: Vec<String>,
        /// Was a verdict of every test asked for?
        pub require_verdicts: bool,
        /// Were the verdicts written down that were found?
        pub blessed: bool,
        /// How many were written down of tests of which none was expected before.
        pub first: usize,
        /// What is wrong with files.
        pub errors: Vec<DiagnosticRecord>,
        /// Wall time.
        pub seconds: f64,
    }

    /// A test under a model.
    pub struct CorpusTest {
        /// The test.
        pub test: String,
        /// The model.
        pub model: String,
        /// What is expected, in the words of `expected.txt`: `allowed` or `forbidden`, and with
        /// commas `bounded`, `racy` or `race-free`.
        pub expected: String,
        /// What was found.
        pub found: String,
        /// Where the expectation is from.
        pub source: String,
        /// Where executions are lost, and what races, in sentences.
        pub remarks: Vec<String>,
        /// Do the engines not agree? Then `found` is what each says.
        pub disagreement: bool,
        /// Wall time.
        pub seconds: f64,
    }
}
