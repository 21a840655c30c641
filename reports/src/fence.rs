//! `margay fence`: the cheapest strengthenings of a program that forbid an outcome.

use crate::document::parts;
use crate::verdict::Verdict;

parts! {
    /// An answer.
    pub struct Found {
        /// The file as named.
        pub file: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `repairable`; `irreparable`: however strong the program, the outcome is allowed; `forbidden`: as it is.
        pub verdict: Verdict,
        /// What each of the repairs costs.
        pub cost: Option<u32>,
        /// The cheapest ones.
        pub repairs: Vec<Repair>,
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
    pub struct Undecided {
        /// The file as named.
        pub file: String,
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
    pub struct Repair {
        /// What it changes.
        pub changes: Vec<Change>,
        /// The stronger program.
        pub litmus: String,
    }

    /// A change of an instruction.
    pub struct Change {
        /// The thread.
        pub thread: String,
        /// The line of the new program, from 1.
        pub line: usize,
        /// The instruction as it was; null for an added fence.
        pub before: Option<String>,
        /// The instruction as it is.
        pub after: String,
    }
}
