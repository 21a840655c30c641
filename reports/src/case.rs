//! `margay case`: the cases that a check is split into.

use crate::document::parts;
use crate::verdict::Verdict;

parts! {
    /// `margay case run`.
    pub struct CaseRunDocument {
        /// Over all cases: `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// The limit that was reached.
        pub reason: Option<String>,
        /// The cases.
        pub cases: Vec<SolvedCaseRecord>,
    }

    /// A case that was asked about.
    pub struct SolvedCaseRecord {
        /// Its name.
        pub case: String,
        /// One for each axiom.
        pub answers: Vec<AxiomAnswer>,
        /// Conflicts.
        pub conflicts: u64,
        /// CPU time.
        pub seconds: f64,
        /// Had it an answer already?
        pub kept: bool,
        /// The file of the answer; null if it is undecided or cannot be written.
        pub file: Option<String>,
    }

    /// The answer for one axiom.
    pub struct AxiomAnswer {
        /// The axiom.
        pub axiom: String,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
    }

    /// `margay case list`.
    pub struct CaseListDocument {
        /// `open`: the cases are those of the bound without an answer; `none`: all up to the bound
        /// are answered; `counterexample`: at this or a smaller bound; `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// The bound.
        pub bound: usize,
        /// No counterexample has so many source events or fewer.
        pub established: usize,
        /// The cases.
        pub cases: Vec<Predicted>,
    }

    /// `margay case export`: the same, and a file of each case.
    #[serde(transparent)]
    pub struct CaseExportDocument(pub CaseListDocument);

    /// A case, and what it is predicted to cost.
    pub struct Predicted {
        /// Its name.
        pub case: String,
        /// Conflicts; null where smaller bounds do not say.
        pub predicted_conflicts: Option<f64>,
        /// CPU time; null where smaller bounds do not say.
        pub predicted_seconds: Option<f64>,
        /// Its file; null for `list`.
        pub file: Option<String>,
    }

    /// `margay case simulate`.
    pub struct Simulation {
        /// One for each bound.
        pub bounds: Vec<BoundTime>,
    }

    /// How long a bound takes.
    pub struct BoundTime {
        /// The folder of its answers.
        pub statement: String,
        /// The kind of programs.
        pub kind: String,
        /// The bound.
        pub bound: usize,
        /// Where the costs of its cases are from.
        pub basis: CostBasis,
        /// Are cases split that are larger than their share?
        pub split: bool,
        /// The cases, with the most workers.
        pub cases: usize,
        /// CPU time of all cases.
        pub work_seconds: f64,
        /// The time until the last case is done, by the number of workers.
        pub makespans: Vec<Makespan>,
    }

    /// Where costs are from.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum CostBasis {
        /// The cases were solved.
        Recorded,
        /// From the growth of smaller bounds.
        Predicted,
    }

    /// The time until the last case is done.
    pub struct Makespan {
        /// The number of workers.
        pub workers: usize,
        /// The time.
        pub seconds: f64,
    }
}
