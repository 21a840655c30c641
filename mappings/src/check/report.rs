//! What a check found out.

use margay_models::bits::Event;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Execution;
use margay_models::explain::Violation;

use crate::certificate::WrittenCertificate;
use crate::status::Status;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// No counterexample up to the bound.
    None,
    Counterexample,
    /// A limit was reached; the reason in words.
    Undecided(String),
}

/// Effort for one axiom at one bound, summed over the thread shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct AxiomEffort {
    pub axiom: String,
    /// The number of source events.
    pub bound: usize,
    /// What came out at this bound.
    pub verdict: CheckVerdict,
    /// Thread shapes that were decided.
    pub shapes: usize,
    /// All thread shapes of the bound.
    pub all_shapes: usize,
    /// SAT variables.
    pub variables: usize,
    pub clauses: usize,
    pub conflicts: u64,
    /// Seconds of work (of all threads together): translation and solving.
    pub seconds: f64,
    /// Candidates that a modification order explained.
    pub explained: usize,
    /// Candidates whose program races in another execution.
    pub racy: usize,
}

/// The answer for one axiom.
#[derive(Debug, Clone, PartialEq)]
pub struct AxiomReport {
    /// The axiom's name in the source model.
    pub axiom: String,
    /// The answer.
    pub verdict: CheckVerdict,
    /// No counterexample has this many events or fewer; with a counterexample, its number of
    /// events.
    pub bound: usize,
    /// Its rows, bound by bound.
    pub rows: Vec<AxiomEffort>,
}

/// A counterexample that the judge has confirmed.
#[derive(Debug, Clone)]
pub struct Counterexample {
    /// The violated axiom.
    pub axiom: String,
    /// The number of source events, without initial writes; an RMW is two.
    pub events: usize,
    /// What follows from it. At program level always a compiler bug.
    pub status: Status,
    /// Where its program races: two events of the source execution that do in another one.
    pub race: Option<[Event; 2]>,
    /// The number of reads whose value guards other operations of their thread.
    pub guards: usize,
    /// The number of written values that are computed from a read, once for each read.
    pub computed: usize,
    /// The source execution: well-formed, illegal, and (at execution level) free of undefined
    /// behaviour.
    pub source: Execution,
    /// The target execution: well-formed and legal.
    pub target: Execution,
    /// For each target event, the source event that it comes from (initial writes from initial
    /// writes).
    pub origin: Vec<Event>,
    /// The write that each location ends with.
    pub finals: Vec<Option<Event>>,
    /// The same for the target.
    pub target_finals: Vec<Option<Event>>,
    /// Why the source execution is illegal.
    pub violation: Option<Violation>,
}

/// The list from which `next` takes a counterexample: the preferred one first, then the others of
/// its size, each once up to isomorphism, fewest threads, then fewest locations, then weakest
/// annotations first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub axiom: String,
    /// The number of source events of each.
    pub events: usize,
    /// How many there are.
    pub of: usize,
    /// Was a limit reached, and are there more?
    pub more: bool,
}

/// The result of [`super::check`].
#[derive(Debug, Clone)]
pub struct CheckReport {
    /// The answer over all axioms.
    pub verdict: CheckVerdict,
    /// For all axioms: no counterexample with this many events or fewer (one less than the smallest
    /// counterexample).
    pub established: usize,
    /// Axiom by axiom, in the order of the source model.
    pub axioms: Vec<AxiomReport>,
    /// Smallest counterexamples.
    pub counterexamples: Vec<Counterexample>,
    /// Programs, as litmus tests, that were proposed as counterexamples when a limit was reached.
    pub candidates: Vec<String>,
    /// With `all`: was the limit on their number reached?
    pub truncated: bool,
    /// With `next`: the list of each axiom that has a counterexample. One that is too short for
    /// `next` gives none to `counterexamples`.
    pub listed: Vec<Listed>,
    /// Candidates that a modification order explains ([`super::CoReading::Exists`]).
    pub explained: usize,
    /// With a baseline: candidates that are counterexamples of it, too, as far as they were met.
    pub old: usize,
    /// The constructs that programs were made of.
    pub constructs: Vec<String>,
    /// With `certify`: what was written.
    pub certified: Option<WrittenCertificate>,
    /// With `dump_cnf`: why some formula is not there, if one is not.
    pub undumped: Option<String>,
    /// With `certify`: what could not be written, and so is not in the certificate. The answer
    /// stands without it.
    pub uncertified: Vec<Diagnostic>,
}

impl CheckReport {
    /// The counterexample that says most: a compiler bug rather than another one, and of these a
    /// smallest one.
    pub fn foremost(&self) -> Option<&Counterexample> {
        self.counterexamples.iter().min_by_key(|c| (c.status, c.events))
    }
}
