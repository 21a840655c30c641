//! `margay explain`: why a model forbids an outcome, or what would forbid it.

use crate::document::{parts, present};
use crate::fence::StrengtheningRecord;
use crate::run::{ExecutionListRecord, RaceRecord};
use crate::verdict::Verdict;
use crate::violation::{EdgeRecord, EventRecord};

parts! {
    /// The outcome is forbidden.
    pub struct ForbiddenExplanation {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, and what is missing.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `forbidden`.
        pub verdict: Verdict,
        /// The test.
        pub litmus: String,
        /// Was a loop cut off?
        pub bounded: bool,
        /// Has the program a race, or is it otherwise undefined? Then it may do anything. Null if
        /// the model does not say what that is.
        pub racy: Option<bool>,
        /// The race, where an execution has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub race: Option<RaceRecord>,
        /// With `--execution` or `--all-executions`: what was listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub listed: Option<ExecutionListRecord>,
        /// The events of the execution that comes nearest.
        pub events: Vec<EventRecord>,
        /// The axioms that forbid it.
        pub axioms: Vec<ForbiddingAxiom>,
    }

    /// An axiom that forbids an execution.
    pub struct ForbiddingAxiom {
        /// Its name.
        pub axiom: String,
        /// The file of the model.
        pub file: String,
        /// The line of the axiom, from 1.
        pub line: usize,
        /// The text of the line.
        pub text: String,
        /// One sentence.
        pub summary: Option<String>,
        /// Why it fails, in lines.
        pub explanation: Vec<String>,
        /// A picture of the execution.
        pub svg: String,
        /// The cycle; empty where an `empty` axiom fails.
        pub cycle: Vec<SourcedEdge>,
        /// Where one does: the edges that are there.
        pub there: Vec<SourcedEdge>,
        /// Where one does: those that are not there and should be.
        pub missing: Vec<EdgeRecord>,
    }

    /// An edge, and the line of the model that makes it.
    pub struct SourcedEdge {
        /// The name of the event that it starts from.
        pub from: String,
        /// The name of the event that it leads to.
        pub to: String,
        /// The relation.
        pub relation: String,
        /// The file of the model.
        pub file: String,
        /// The line, from 1.
        pub line: usize,
        /// The text of the line.
        pub text: String,
    }

    /// The outcome is allowed.
    pub struct Allowed {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, and what is missing.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `allowed`.
        pub verdict: Verdict,
        /// The test.
        pub litmus: String,
        /// The events of an execution that has it.
        pub events: Vec<EventRecord>,
        /// A picture of the execution.
        pub svg: String,
        /// Has the program a race, or is it otherwise undefined? Null if the model does not say
        /// what that is.
        pub racy: Option<bool>,
        /// The race, where an execution has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub race: Option<RaceRecord>,
        /// With `--execution` or `--all-executions`: what was listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub listed: Option<ExecutionListRecord>,
        /// What the cheapest way to forbid it costs; null if none was found.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
        pub cost: Option<Option<u32>>,
        /// The cheapest ways to forbid it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub repairs: Option<Vec<StrengtheningRecord>>,
        /// The changes that were tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tried: Option<Vec<String>>,
        /// The kinds of changes that were not tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub not_tried: Option<Vec<String>>,
        /// Why these were not found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
    }

    /// No execution has the outcome, whatever the model says; or none was found with the loops as
    /// they were cut off.
    pub struct AbsentExplanation {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, and what is missing.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `impossible` or `undecided`.
        pub verdict: Verdict,
        /// The test.
        pub litmus: String,
        /// Has the program a race, or is it otherwise undefined? Null if the model does not say
        /// what that is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub racy: Option<bool>,
        /// The race, where an execution has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub race: Option<RaceRecord>,
        /// In words.
        pub reason: String,
    }

    /// A limit was reached first.
    pub struct UndecidedExplanation {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, and what is missing.
        pub answer: String,
        /// The test's name.
        pub name: String,
        /// The model.
        pub model: String,
        /// `undecided`.
        pub verdict: Verdict,
        /// Which limit.
        pub reason: String,
    }
}
