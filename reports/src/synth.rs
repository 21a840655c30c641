//! `margay synth`: the minimal tests of a model.

use crate::document::parts;

parts! {
    /// `margay synth`.
    pub struct Suite {
        /// The model.
        pub model: String,
        /// The answer in words, as in the first line of the output for people.
        pub answer: String,
        /// The axiom that tests are to violate, if one was asked for.
        pub axiom: Option<String>,
        /// The bound.
        pub bound: usize,
        /// Are these all up to the bound?
        pub complete: bool,
        /// Why not.
        pub reason: Option<String>,
        /// The constructs that tests were made of.
        pub constructs: Vec<String>,
        /// The scopes that their operations had.
        pub scopes: Vec<String>,
        /// One for each number of events.
        pub rows: Vec<SynthesisEffortRecord>,
        /// The tests, smallest first.
        pub tests: Vec<MinimalTestRecord>,
        /// Wall time.
        pub seconds: f64,
    }

    /// What there is of one number of events.
    #[cfg_attr(feature = "schema", schemars(rename = "Row"))]
    pub struct SynthesisEffortRecord {
        /// The number of events.
        pub events: usize,
        /// The number of tests.
        pub tests: usize,
        /// Thread shapes that were not searched to the end.
        pub open_shapes: Vec<String>,
        /// Candidates whose outcome another coherence order explains.
        pub explained: usize,
    }

    /// A minimal test.
    #[cfg_attr(feature = "schema", schemars(rename = "Test"))]
    pub struct MinimalTestRecord {
        /// Its name.
        pub name: String,
        /// Its classic name.
        pub classic: Option<String>,
        /// What `margay classify` calls it.
        pub identity: String,
        /// The number of events.
        pub events: usize,
        /// The number of threads.
        pub threads: usize,
        /// The axioms that its outcome violates.
        pub violated: Vec<String>,
        /// What is expected of it, in the words of `expected.txt`.
        pub expected: String,
        /// The test.
        pub litmus: String,
    }
}
