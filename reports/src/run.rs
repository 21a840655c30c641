//! `margay run`: is the outcome of a litmus test allowed?

use crate::document::parts;
use crate::verify::RunCertificate;
use crate::violation::EventRecord;

parts! {
    /// A test under a model.
    pub struct TestUnderModel {
        /// The file as named.
        pub file: String,
        /// The first line of the answer: with its bound, the axioms that count, and what is
        /// missing.
        pub answer: String,
        /// The name in its first line.
        pub name: String,
        /// The model as named.
        pub model: String,
        /// The optional axioms that `--axiom` took in.
        pub with_axioms: Vec<String>,
        /// Those that `--without-axiom` left out.
        pub without_axioms: Vec<String>,
        /// The optional axioms that decide the answer.
        pub depends_on: Vec<AxiomDependence>,
        /// `exists`, `~exists` or `forall`.
        pub quantifier: String,
        /// Does the quantified condition hold: `reachable` for `exists`, its opposite for the
        /// others? Null where nothing follows.
        pub holds: Option<bool>,
        /// Does some legal execution satisfy the condition (for `forall`: violate it)? Null where
        /// none was found and nothing follows because of a `gap`.
        pub reachable: Option<bool>,
        /// Was a loop cut off and no execution found, so that a larger `--unroll` might find one?
        /// Then the test is not decided.
        pub bounded: bool,
        /// Does some legal execution have a race, or is it otherwise undefined? Null if the model
        /// does not say what that is, or (of PTX) was not asked with `--races`.
        pub racy: Option<bool>,
        /// The race, where an execution has one.
        pub race: Option<RaceRecord>,
        /// What is missing from the answer; null if nothing is.
        pub gap: Option<AnswerGap>,
        /// Who answered, `explicit` or `sat`.
        pub engine: String,
        /// Complete executions that were judged.
        pub executions: u64,
        /// Wall time, without reading the test.
        pub milliseconds: f64,
        /// With `--execution` or `--all-executions`: what was listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub listed: Option<ExecutionListRecord>,
    }

    /// Executions of a test.
    pub struct ExecutionListRecord {
        /// Does the model allow the outcome? Then only executions that it allows are listed; else
        /// all candidates, each with what forbids it.
        pub allowed: bool,
        /// Are these all?
        pub complete: bool,
        /// Executions with the outcome, those that the fewest axioms forbid first.
        pub executions: Vec<ExecutionRecord>,
        /// With `--all-executions`: the final states that the model allows.
        pub states: Vec<ListedState>,
    }

    /// An execution of a list.
    pub struct ExecutionRecord {
        /// Its number, from 1: that of `--execution`.
        pub number: usize,
        /// The axioms that forbid it.
        pub forbidden_by: Vec<String>,
        /// Its events.
        pub events: Vec<EventRecord>,
        /// A picture.
        pub svg: String,
    }

    /// A final state that a model allows.
    pub struct ListedState {
        /// The values, as conditions write them.
        pub state: String,
        /// Is it the outcome that is asked about?
        pub asked: bool,
        /// A picture of an execution that has it.
        pub svg: String,
    }

    /// Two accesses that race, or what else the model calls undefined.
    pub struct RaceRecord {
        /// The check of the model that says so.
        pub check: String,
        /// The accesses.
        pub accesses: Vec<RaceAccess>,
        /// That nothing orders them, in a sentence.
        pub sentence: String,
        /// What a race means.
        pub meaning: String,
        /// Is its program undefined? PTX gives one with a race a meaning.
        pub undefined: bool,
        /// Why they are a race, in the words of the model.
        pub explanation: Vec<String>,
        /// The events of an execution that has the race.
        pub events: Vec<EventRecord>,
        /// A picture of it.
        pub svg: String,
    }

    /// An access in a race.
    pub struct RaceAccess {
        /// Its name in `explanation`.
        pub name: String,
        /// The access in the field's notation.
        pub event: String,
        /// The thread.
        pub thread: usize,
        /// The line of the test.
        pub line: usize,
        /// The column.
        pub column: usize,
        /// The instruction or statement.
        pub text: String,
    }

    /// What is missing from an answer.
    pub struct AnswerGap {
        /// `endless`: no execution ends; `lost`: executions come to an instruction that has no
        /// meaning with the values it got; `filtered`: no execution passes the filter.
        pub kind: String,
        /// What follows, and where threads stop.
        pub sentences: Vec<String>,
        /// Where threads stop.
        pub stops: Vec<StoppedThread>,
    }

    /// A thread that does not come to its end.
    pub struct StoppedThread {
        /// The thread.
        pub thread: usize,
        /// The line of the test.
        pub line: usize,
        /// The column.
        pub column: usize,
        /// The instruction or statement.
        pub text: String,
        /// `address`, `barrier-number`, `division`, `waiting`, `bound` or `barrier`.
        pub cause: String,
        /// What is wrong there.
        pub why: String,
    }

    /// An optional axiom that decides an answer.
    pub struct AxiomDependence {
        /// Its name.
        pub axiom: String,
        /// Does it count in this run?
        pub counts: bool,
        /// What differs with the axiom the other way; null if that was not decided.
        pub otherwise: Option<OtherwiseRecord>,
    }

    /// What differs with an axiom the other way; null where nothing does.
    pub struct OtherwiseRecord {
        /// The other answer.
        pub reachable: Option<bool>,
        /// The other answer.
        pub racy: Option<bool>,
    }

    /// A test without an answer.
    pub struct Unanswered {
        /// The file as named.
        pub file: String,
        /// The name in its first line.
        pub name: String,
        /// The model as named.
        pub model: String,
        /// `exists`, `~exists` or `forall`.
        pub quantifier: String,
        /// Null.
        pub holds: Option<bool>,
        /// Null.
        pub reachable: Option<bool>,
        /// False: it is not a bound that is too small.
        pub bounded: bool,
        /// Null.
        pub racy: Option<bool>,
        /// Null.
        pub engine: Option<String>,
        /// Null.
        pub executions: Option<u64>,
        /// The first line: that it is undecided.
        pub answer: String,
        /// Why there is no answer.
        pub reason: String,
        /// Wall time.
        pub milliseconds: f64,
    }

    /// With `--certify`, the last line.
    pub struct CertifiedLine {
        /// The certificate.
        pub certificate: RunCertificate,
    }
}
