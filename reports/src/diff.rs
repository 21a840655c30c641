//! `margay diff`: what one model allows and another does not.

use crate::document::parts;
use crate::prove::Rocq;
use crate::verdict::{LevelRecord, StatusRecord, Verdict};
use crate::verify::{SearchCertificate, TheoremCertificate};
use crate::violation::{EdgeRecord, EventRecord};

parts! {
    /// `margay diff`.
    pub struct DiffDocument {
        /// The older model.
        pub old: String,
        /// The file that it was read from; at a revision `REV:path`.
        pub old_file: String,
        /// The newer model.
        pub new: String,
        /// The file that it was read from.
        pub new_file: String,
        /// The answer in words, as in the first line of the output for people.
        pub answer: String,
        /// Executions, or outcomes of programs.
        pub level: LevelRecord,
        /// `equal`, `different` or `undecided`.
        pub verdict: Verdict,
        /// The limit that was reached.
        pub stopped: Option<String>,
        /// With `--prove`: is it a theorem that there is no difference, in executions of any size?
        pub equal_for_every_size: Option<bool>,
        /// With `--prove`: has the search a difference of which a proof says that there is none? That is a bug in Margay.
        pub contradiction: Option<bool>,
        /// With `--prove`: of which model no execution satisfies what is supposed, or none was found, so that nothing is proved of it.
        pub empty: Vec<String>,
        /// The bound asked for.
        pub bound: usize,
        /// No difference has so many events or fewer; null if there is none of any size.
        pub equal_up_to: Option<usize>,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// The constructs that executions were made of.
        pub constructs: Vec<String>,
        /// The scopes that they had.
        pub scopes: Vec<String>,
        /// What a model speaks of and no execution of the search has anything of.
        pub not_compared: Vec<String>,
        /// The solver and its version.
        pub solver: String,
        /// Wall time.
        pub seconds: f64,
        /// In which direction they were compared, and by what.
        pub questions: Vec<DiffQuestion>,
        /// With `--certify`, and without `--prove`.
        pub certificate: Option<SearchCertificate>,
        /// With `--prove` and `--rocq`.
        pub rocq: Option<Rocq>,
    }

    /// One direction of a comparison.
    pub struct DiffQuestion {
        /// `newly-allowed`: by the new model and not by the old one; `newly-forbidden`; `newly-defined`; `newly-undefined`.
        pub kind: String,
        /// The name of the model that allows what is looked for.
        pub allowed_by: String,
        /// `none`, `different` or `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// There is none of so many events or fewer; null for every size.
        pub established: Option<usize>,
        /// The events of the smallest ones.
        pub events: Option<usize>,
        /// The smallest ones.
        pub differences: Vec<DifferenceRecord>,
        /// Are there more of this size?
        pub more: bool,
        /// With `--prove`: is it a theorem that there is none?
        pub theorem: Option<bool>,
        /// With `--prove` and `--certify`: the theorem's certificate.
        pub certificate: Option<TheoremCertificate>,
    }

    /// A difference.
    pub struct DifferenceRecord {
        /// Its events.
        pub events: usize,
        /// The number of threads.
        pub threads: usize,
        /// The number of locations.
        pub locations: usize,
        /// The axioms of the other model that fail.
        pub violated: Vec<String>,
        /// What follows for its program; null where undefined behaviour is what differs.
        pub status: Option<StatusRecord>,
        /// Does the model that allows it call it undefined?
        pub undefined: bool,
        /// The program as a litmus test; with a mapping two.
        pub litmus: Vec<String>,
        /// The condition.
        pub outcome: String,
        /// The events of the execution.
        pub execution: Vec<EventRecord>,
        /// What in the texts of the models makes the difference.
        pub reasons: Vec<DifferenceReason>,
        /// Why it is forbidden, in lines.
        pub explanation: Vec<String>,
        /// A picture of the execution.
        pub svg: String,
        /// The cycle: each edge starts where the one before ends, and the last leads back. Empty where an `empty` axiom fails.
        pub cycle: Vec<EdgeRecord>,
        /// Where one does: the edges that are there.
        pub there: Vec<EdgeRecord>,
        /// Where one does: those that are not there and should be.
        pub missing: Vec<EdgeRecord>,
    }

    /// What in the texts of the models makes a difference.
    pub struct DifferenceReason {
        /// What it is.
        pub kind: ReasonKind,
        /// Its name.
        pub name: String,
        /// Of a definition: what it relates, `F.REL;po;W`.
        pub relates: Option<String>,
        /// Of a definition: the model in which it relates that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub related_by: Option<DiffSide>,
        /// Where it is in the model that forbids the execution.
        pub forbids: ModelLine,
        /// Where it is in the model that allows it.
        pub allows: Option<ModelLine>,
        /// In words.
        pub words: String,
    }

    /// What makes a difference.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum ReasonKind {
        /// A definition.
        Definition,
        /// An axiom.
        Axiom,
    }

    /// One of the two models.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum DiffSide {
        /// The one that forbids the execution.
        Forbids,
        /// The one that allows it.
        Allows,
    }

    /// A line of a model.
    pub struct ModelLine {
        /// The file.
        pub file: String,
        /// The line, from 1.
        pub line: usize,
    }
}
