//! `margay prove`: is it so in executions of every size?

use crate::check::CounterexampleRecord;
use crate::check::CoverageRecord;
use crate::document::parts;
use crate::verdict::{CoherenceReadingRecord, LevelRecord, Verdict};
use crate::verify::TheoremCertificate;
use crate::violation::EdgeRecord;

parts! {
    /// `margay prove MAPPING`.
    pub struct MappingProofDocument {
        /// The mapping's title.
        pub mapping: String,
        /// The mapping's file.
        pub mapping_file: String,
        /// The source model.
        pub source: String,
        /// The file that it was read from.
        pub source_file: String,
        /// The target model.
        pub target: String,
        /// The file that it was read from.
        pub target_file: String,
        /// What a counterexample is.
        pub level: LevelRecord,
        /// The reading of modification order.
        pub co: CoherenceReadingRecord,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// The constructs that the search made executions of.
        pub constructs: Vec<String>,
        /// Left-hand sides of rows for compare-exchanges that fail which the mapping has not:
        /// programs in which one fails were not asked about.
        pub not_asked: Vec<String>,
        /// How many rows of the mapping the answer is about.
        pub coverage: CoverageRecord,
        /// The solver of the search and its version.
        pub solver: String,
        /// `theorem`, `counterexample` or `open`.
        pub verdict: Verdict,
        /// The first line of the answer.
        pub answer: String,
        /// What a theorem supposes, in sentences.
        pub supposes: Vec<String>,
        /// Does no execution satisfy what is supposed, or was none found? Then nothing is proved;
        /// in words.
        pub empty: Option<String>,
        /// Executions that satisfy all that is supposed.
        pub inhabitants: Vec<InhabitantRecord>,
        /// What no such execution has.
        pub absent: Vec<String>,
        /// Has what is proved a counterexample? That is a bug in Margay.
        pub contradiction: bool,
        /// What stopped it.
        pub reason: Option<String>,
        /// The bound of the search.
        pub bound: usize,
        /// If it is open: no counterexample has so many source events or fewer.
        pub none_up_to: Option<usize>,
        /// One for each axiom.
        pub axioms: Vec<AxiomProofRecord>,
        /// The argument.
        pub steps: Vec<ArgumentStep>,
        /// With `--lemmas`: one for each check of the file.
        pub lemmas: Vec<LemmaRecord>,
        /// With `--tried`: what was guessed of each relation.
        pub tried: Option<Vec<GuessRecord>>,
        /// What the search found.
        pub counterexamples: Vec<CounterexampleRecord>,
        /// With `--certify`.
        pub certificate: Option<TheoremCertificate>,
        /// With `--rocq`.
        pub rocq: Option<Rocq>,
        /// Wall time.
        pub seconds: f64,
        /// Of these, looking for an argument.
        pub search_seconds: f64,
        /// Of these, writing its proof.
        pub proof_seconds: f64,
        /// Of these, checking it.
        pub check_seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
    }

    /// An execution that satisfies all that is supposed.
    pub struct InhabitantRecord {
        /// What it shows to be possible: a kind of events, or a shape of programs.
        pub shows: String,
        /// The number of events.
        pub events: usize,
    }

    /// The answer for one axiom.
    pub struct AxiomProofRecord {
        /// Its name.
        pub axiom: String,
        /// What is claimed.
        pub claim: String,
        /// `theorem`, `counterexample` or `open`.
        pub verdict: Verdict,
        /// The source events of a counterexample.
        pub events: Option<usize>,
        /// If it is open: no counterexample has so many source events or fewer.
        pub none_up_to: Option<usize>,
        /// What is missing in a proof.
        pub missing: Option<MissingRecord>,
    }

    /// What is missing in a proof. What shows events is null where a limit was reached.
    pub struct MissingRecord {
        /// In words.
        pub what: String,
        /// The claim that was not shown.
        pub obligation: Option<String>,
        /// The labels of the events that make it fail.
        pub events: Option<Vec<String>>,
        /// The edges between them.
        pub edges: Option<Vec<EdgeRecord>>,
        /// A picture of them in characters.
        pub text: Option<String>,
        /// A picture of them.
        pub svg: Option<String>,
    }

    /// A step of the argument.
    pub struct ArgumentStep {
        /// What it claims.
        pub claims: Vec<String>,
        /// `direct`, `induction`, `orders` or `through`.
        pub rule: String,
        /// How many obligations it has.
        pub obligations: usize,
        /// The most events that one speaks of.
        pub witnesses: usize,
        /// The most further events that a refutation needs.
        pub values: usize,
        /// Instances of what is known.
        pub instances: usize,
        /// Clauses derived from them.
        pub derived: usize,
        /// Obligations whose premises were not seen to be satisfiable.
        pub empty: Vec<String>,
    }

    /// What came of a lemma.
    pub struct LemmaRecord {
        /// Its name.
        pub name: String,
        /// Its line in the file.
        pub line: usize,
        /// What it claims.
        pub claim: String,
        /// `theorem`, `counterexample` or `open`.
        pub verdict: Verdict,
        /// The events of an execution that shows it to be false.
        pub events: Option<usize>,
        /// What is missing in a proof.
        pub missing: Option<MissingRecord>,
    }

    /// What was guessed of a relation.
    pub struct GuessRecord {
        /// The relation.
        pub of: String,
        /// The guesses.
        pub guesses: Vec<Guess>,
    }

    /// A guess.
    pub struct Guess {
        /// What was guessed.
        pub guess: String,
        /// Was it so?
        pub kept: bool,
    }

    /// The file for Rocq.
    pub struct Rocq {
        /// The file.
        pub file: String,
        /// Was it written?
        pub written: bool,
        /// Its size.
        pub bytes: Option<usize>,
        /// Why it was not written.
        pub reason: Option<String>,
    }

    /// `margay prove --model M PROPERTY`.
    #[cfg_attr(feature = "schema", schemars(rename = "Property"))]
    pub struct PropertyProofDocument {
        /// The model.
        pub model: String,
        /// The file that it was read from.
        pub model_file: String,
        /// The property, as asked.
        pub property: String,
        /// What is claimed.
        pub claim: String,
        /// `theorem`, `counterexample` or `open`.
        pub verdict: Verdict,
        /// The first line of the answer.
        pub answer: String,
        /// What a theorem supposes, in sentences.
        pub supposes: Vec<String>,
        /// Does no execution satisfy what is supposed, or was none found? Then nothing is proved;
        /// in words.
        pub empty: Option<String>,
        /// Executions that satisfy all that is supposed.
        pub inhabitants: Vec<InhabitantRecord>,
        /// What no such execution has.
        pub absent: Vec<String>,
        /// Has what is proved a counterexample? That is a bug in Margay.
        pub contradiction: bool,
        /// What stopped it.
        pub reason: Option<String>,
        /// The bound of the search.
        pub bound: usize,
        /// The events of a counterexample.
        pub events: Option<usize>,
        /// If it is open: no counterexample has so many events or fewer.
        pub none_up_to: Option<usize>,
        /// What is missing in a proof.
        pub missing: Option<MissingRecord>,
        /// The argument.
        pub steps: Vec<ArgumentStep>,
        /// With `--certify`.
        pub certificate: Option<TheoremCertificate>,
        /// With `--rocq`.
        pub rocq: Option<Rocq>,
        /// Wall time.
        pub seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
    }

    /// `margay prove --all-mappings`.
    #[cfg_attr(feature = "schema", schemars(rename = "Matrix"))]
    pub struct ProofMatrixDocument {
        /// False if it was interrupted.
        pub complete: bool,
        /// The bound of the search.
        pub bound: usize,
        /// One for each question.
        pub answers: Vec<ProofMatrixAnswerRecord>,
    }

    /// The answer to one question of the matrix.
    #[cfg_attr(feature = "schema", schemars(rename = "Answer"))]
    pub struct ProofMatrixAnswerRecord {
        /// The mapping.
        pub mapping: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// `theorem`, `counterexample` or `open`.
        pub verdict: Verdict,
        /// In words.
        pub answer: String,
        /// One for each axiom.
        pub axioms: Vec<AxiomInWords>,
        /// Wall time.
        pub seconds: f64,
    }

    /// The answer for one axiom of the matrix.
    pub struct AxiomInWords {
        /// Its name.
        pub axiom: String,
        /// In words.
        pub answer: String,
    }
}
