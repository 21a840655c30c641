//! `margay sim`: litmus tests on the operational machine.

use std::collections::BTreeMap;

use crate::document::parts;
use crate::verdict::Verdict;

parts! {
    /// What a test showed.
    pub struct SimulationDocument {
        /// The file as named.
        pub file: String,
        /// The name in its first line.
        pub name: String,
        /// `weak` or `strong`.
        pub machine: String,
        /// Were all executions of the machine explored?
        pub exhaustive: bool,
        /// Random runs; null if exhaustive.
        pub runs: Option<u64>,
        /// The seed; null if exhaustive.
        pub seed: Option<u64>,
        /// States; null if not exhaustive.
        pub states: Option<usize>,
        /// Was it stopped at a limit or by Ctrl-C?
        pub bounded: bool,
        /// Runs that did not end; exhaustive: 1 if some thread can wait for ever.
        pub stuck: u64,
        /// The model that outcomes were compared with.
        pub model: Option<String>,
        /// The outcomes.
        pub outcomes: Vec<SimulatedOutcome>,
        /// Wall time.
        pub milliseconds: f64,
    }

    /// An outcome: one that was seen, or one that the model allows.
    pub struct SimulatedOutcome {
        /// As a text.
        pub outcome: String,
        /// By variable.
        pub values: BTreeMap<String, i64>,
        /// How often it was seen; exhaustive: 1 if it can be reached.
        pub count: u64,
        /// Was it seen?
        pub seen: bool,
        /// Does the test ask about it?
        pub asked: bool,
        /// `allowed`, `forbidden`, or null without a model.
        pub model: Option<Verdict>,
    }
}
