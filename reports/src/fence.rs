//! `margay fence`: the cheapest strengthenings of a program that forbid an outcome.

use crate::document::parts;
use crate::run::RaceRecord;
use crate::verdict::Verdict;

parts! {
    /// An answer.
    pub struct FenceDocument {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, what was allowed to change, and what was
        /// not asked.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `repairable`; `irreparable`: nothing that was tried forbids the outcome, or nothing
        /// leaves the program without a race; `forbidden`: as it is, and the program has no race.
        pub verdict: Verdict,
        /// Has the program a race as it is, or is it otherwise undefined? Null if the model does
        /// not say what that is.
        pub racy: Option<bool>,
        /// The race of the program as it is, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub race: Option<RaceRecord>,
        /// What each of the repairs costs.
        pub cost: Option<u32>,
        /// The cheapest ones. If it is `irreparable`: those that forbid the outcome, and leave a
        /// race.
        pub repairs: Vec<StrengtheningRecord>,
        /// The changes that were tried, each alone and together with others; where nothing was
        /// found, also all at once.
        pub tried: Vec<String>,
        /// The kinds of changes that were not tried.
        pub not_tried: Vec<String>,
        /// How many programs could not be asked about, because they have too many events.
        pub unasked: usize,
        /// Are there more than `--limit`?
        pub truncated: bool,
        /// Was a loop cut off?
        pub bounded: bool,
        /// Programs that the engine was asked about.
        pub asked: usize,
        /// The test.
        pub litmus: String,
        /// Wall time.
        pub seconds: f64,
    }

    /// A limit was reached first.
    pub struct UndecidedFence {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, what was allowed to change, and what was
        /// not asked.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `undecided`.
        pub verdict: Verdict,
        /// Which limit.
        pub reason: String,
        /// Nothing that costs less forbids the outcome.
        pub cost_at_least: u32,
        /// Wall time.
        pub seconds: f64,
    }

    /// A strengthening.
    pub struct StrengtheningRecord {
        /// What it changes.
        pub changes: Vec<InstructionChange>,
        /// The stronger program, in the language of the test.
        pub litmus: String,
        /// Was a loop of it cut off?
        pub bounded: bool,
        /// Has it a race? Null if the model does not say what that is.
        pub racy: Option<bool>,
    }

    /// A change of an instruction.
    pub struct InstructionChange {
        /// The thread.
        pub thread: String,
        /// The line of the new program, from 1; 0 for the head of the thread.
        pub line: usize,
        /// The instruction as it was; null for an added fence.
        pub before: Option<String>,
        /// The instruction as it is.
        pub after: String,
    }
}
