//! `margay diff`: what one model allows and another does not.

use crate::check::CounterexampleRecord;
use crate::document::parts;
use crate::prove::{MissingRecord, Rocq};
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
        /// With `--prove`: has the search a difference of which a proof says that there is none?
        /// That is a bug in Margay.
        pub contradiction: Option<bool>,
        /// With `--prove`: of which model no execution satisfies what is supposed, or none was
        /// found, so that nothing is proved of it.
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

    /// `margay diff` of two mappings.
    pub struct TablesDocument {
        /// The title of the older mapping.
        pub old: String,
        /// The file that it was read from; at a revision `REV:path`.
        pub old_file: String,
        /// The title of the newer mapping.
        pub new: String,
        /// The file that it was read from.
        pub new_file: String,
        /// The answer in words, as in the first line of the output for people.
        pub answer: String,
        /// `equal` if all rows are the same, or `different`.
        pub verdict: Verdict,
        /// The source model between which and the target programs were asked about: that of the
        /// newer mapping.
        pub source: String,
        /// The target model.
        pub target: String,
        /// How many rows are the same.
        pub same: usize,
        /// The rows that differ.
        pub rows: Vec<ChangedRowRecord>,
        /// What the mappings say differently about themselves.
        pub descriptions: Vec<DescriptionRecord>,
        /// The bound asked for.
        pub bound: usize,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// Counterexamples of one of the two that the other one does not have; none where all rows
        /// are the same.
        pub directions: Vec<TablesDirection>,
        /// Why no programs were asked about, though rows differ.
        pub unasked: Option<String>,
        /// Wall time.
        pub seconds: f64,
    }

    /// A row that differs.
    pub struct ChangedRowRecord {
        /// Its left-hand side; several where no row says which uses differ.
        pub row: String,
        /// What the older mapping says: instructions, `absent`, `other "..."` or `no row`.
        pub old: String,
        /// What the newer one says.
        pub new: String,
    }

    /// What two mappings say differently about themselves.
    pub struct DescriptionRecord {
        /// `architecture`, `scopes`, `types` or `operations`.
        pub what: String,
        /// What the older mapping says.
        pub old: Option<String>,
        /// What the newer one says.
        pub new: Option<String>,
    }

    /// Counterexamples that only one of two mappings has.
    pub struct TablesDirection {
        /// `old` or `new`: which of the two has them.
        pub only: String,
        /// Its file or name.
        pub mapping: String,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// There is none with so many source events or fewer.
        pub established: usize,
        /// How many counterexamples were met that both have.
        pub of_both: usize,
        /// A smallest one.
        pub counterexamples: Vec<CounterexampleRecord>,
    }

    /// One direction of a comparison.
    pub struct DiffQuestion {
        /// `newly-allowed`: by the new model and not by the old one; `newly-forbidden`;
        /// `newly-defined`; `newly-undefined`.
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
        /// With `--prove`: whole executions with a difference that the search does not make, one
        /// for each axiom that forbids one.
        pub beyond: Vec<MissingRecord>,
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
        /// The cycle: each edge starts where the one before ends, and the last leads back. Empty
        /// where an `empty` axiom fails.
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
