//! `margay confirm`: counterexamples run on a device.

use crate::document::parts;
use crate::gpu::MeasuredLine;
use crate::verdict::{StatusRecord, Verdict};

parts! {
    /// `margay confirm`.
    pub struct ConfirmDocument {
        /// The mapping's title.
        pub mapping: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// The first line that people get.
        pub answer: String,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// What follows from the foremost counterexample.
        pub status: Option<StatusRecord>,
        /// No counterexample has so many source events or fewer.
        pub established: usize,
        /// Wall time of the check.
        pub check_seconds: f64,
        /// The device.
        pub device: String,
        /// Is it no hardware?
        pub simulated: bool,
        /// The counterexamples.
        pub confirmed: Vec<Confirmed>,
        /// What the numbers mean, in sentences.
        pub notes: Vec<String>,
    }

    /// A counterexample, and what running it showed.
    pub struct Confirmed {
        /// The axiom that fails.
        pub axiom: String,
        /// Source events.
        pub events: usize,
        /// What follows from it.
        pub status: StatusRecord,
        /// The source program.
        pub source_litmus: String,
        /// The target program.
        pub target_litmus: String,
        /// Was the outcome seen that the source forbids? Null if it was not run.
        pub seen: Option<bool>,
        /// How often.
        pub count: Option<u64>,
        /// Why it was not run.
        pub reason: Option<String>,
        /// The run, as a line of `margay gpu run`.
        pub run: Option<MeasuredLine>,
    }
}
