//! `margay verify`, and what other commands say of the certificates that they write.

use crate::document::parts;
use crate::verdict::{CoherenceReadingRecord, LevelRecord};

parts! {
    /// A certificate that a search wrote.
    pub struct SearchCertificate {
        /// Its folder.
        pub folder: String,
        /// What it claims.
        pub claims: Vec<VerifiedClaimRecord>,
        /// How much was proved.
        pub extent: VerifiedExtentRecord,
    }

    /// There is no counterexample, or no difference, of so many events.
    #[cfg_attr(feature = "schema", schemars(rename = "Claim"))]
    pub struct VerifiedClaimRecord {
        /// The axiom, or the axioms together; of a comparison the question.
        pub axiom: String,
        /// None has so many events or fewer.
        pub none_up_to: usize,
    }

    /// How much a certificate proves.
    #[cfg_attr(feature = "schema", schemars(rename = "Extent"))]
    pub struct VerifiedExtentRecord {
        /// Cases; of a run proofs.
        pub cases: usize,
        /// Original clauses of all cases.
        pub clauses: u64,
        /// Derived clauses, each checked.
        pub derived: u64,
        /// The size of the proofs.
        pub bytes: u64,
        /// Their size before compression.
        pub uncompressed_bytes: u64,
    }

    /// A certificate that a proof wrote.
    pub struct TheoremCertificate {
        /// Its folder.
        pub folder: String,
        /// What it claims.
        pub theorems: Vec<String>,
        /// How much was proved.
        pub extent: TheoremExtent,
    }

    /// How much a certificate of a theorem proves.
    pub struct TheoremExtent {
        /// Steps of the argument.
        pub steps: usize,
        /// Obligations.
        pub obligations: usize,
        /// Instances of what is known.
        pub instances: usize,
        /// Clauses derived from them.
        pub derived: usize,
    }

    /// A certificate that `margay run` wrote.
    pub struct RunCertificate {
        /// Its folder.
        pub folder: String,
        /// How many answers it has.
        pub answers: usize,
        /// How much was proved.
        pub extent: VerifiedExtentRecord,
    }

    /// A certificate that `margay kernel` wrote.
    pub struct KernelCertificate {
        /// Its folder.
        pub folder: String,
        /// How many tests it has, each asked about in one way or more.
        pub tests: usize,
        /// How many answers about these tests it has.
        pub answers: usize,
        /// How much was proved.
        pub extent: VerifiedExtentRecord,
    }

    /// A text that a certificate rests on.
    pub struct CertificateText {
        /// What it is: `mapping`, `source`.
        pub role: String,
        /// Its name in the certificate.
        pub name: String,
        /// Its digest.
        pub sha256: String,
        /// What it was compared with.
        pub standing: TextStanding,
        /// The file that is the same.
        pub compared_with: Option<String>,
    }

    /// What a text of a certificate was compared with.
    #[derive(Copy, Eq)]
    pub enum TextStanding {
        /// It is built in.
        #[serde(rename = "built-in")]
        BuiltIn,
        /// It is the same as a file.
        #[serde(rename = "same")]
        Same,
        /// With nothing.
        #[serde(rename = "not compared")]
        NotCompared,
    }

    /// What is said of a certificate of any search.
    pub struct VerifiedSearch {
        /// True; anything else is an error.
        pub verified: bool,
        /// The release of Margay that it says wrote it.
        pub written_by: String,
        /// The solver that it says wrote it.
        pub solver: String,
        /// What it claims.
        pub claims: Vec<VerifiedClaimRecord>,
        /// All that it rests on.
        pub texts: Vec<CertificateText>,
        /// Was every text compared with one that is known?
        pub compared: bool,
        /// How much was proved.
        pub extent: VerifiedExtentRecord,
        /// Wall time.
        pub seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
    }

    /// `margay verify` of a check.
    pub struct VerifiedCheck {
        /// The kind of certificate.
        pub kind: CertificateKind,
        /// The mapping, by its name in the certificate.
        pub mapping_file: String,
        /// With `check --baseline`, else not there: the mapping whose counterexamples were left
        /// out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub baseline_file: Option<String>,
        /// The source model.
        pub source_file: String,
        /// The target model.
        pub target_file: String,
        /// What was asked.
        pub given: CheckGiven,
        /// What is said of every search.
        #[serde(flatten)]
        pub search: VerifiedSearch,
    }

    /// The kind of a certificate of `margay check`.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum CertificateKind {
        /// Of a check.
        Check,
    }

    /// The options that decide what is asked.
    pub struct CheckGiven {
        /// The largest number of events.
        pub bound: usize,
        /// Axioms, by name; empty for the usual ones.
        pub axioms: Vec<String>,
        /// Constructs left out.
        pub without: Vec<String>,
        /// Constructs used alone; empty for all.
        pub only: Vec<String>,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// Executions or programs.
        pub level: LevelRecord,
        /// At program level, the largest number of guards and computed values.
        pub guards: Option<usize>,
        /// The reading of modification order.
        pub co: CoherenceReadingRecord,
        /// Were the assumed rows of the mapping left out?
        pub known_only: bool,
    }

    /// `margay verify` of a comparison.
    pub struct VerifiedDiff {
        /// The kind of certificate.
        pub kind: DiffKind,
        /// The mapping between the models, if there is one.
        pub mapping_file: Option<String>,
        /// The older model.
        pub old_file: String,
        /// The newer model.
        pub new_file: String,
        /// What was asked.
        pub given: DiffGiven,
        /// What is said of every search.
        #[serde(flatten)]
        pub search: VerifiedSearch,
    }

    /// The kind of a certificate of `margay diff`.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum DiffKind {
        /// Of a comparison.
        Diff,
    }

    /// The options that decide what two models are compared by.
    pub struct DiffGiven {
        /// The largest number of events.
        pub bound: usize,
        /// Constructs left out.
        pub without: Vec<String>,
        /// Constructs used alone; empty for all.
        pub only: Vec<String>,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// Executions, or outcomes of programs.
        pub level: LevelRecord,
    }

    /// `margay verify` of a theorem.
    pub struct VerifiedTheorem {
        /// True; anything else is an error.
        pub verified: bool,
        /// The kind of certificate.
        pub kind: TheoremKind,
        /// The files, as they are named in the certificate.
        pub files: Vec<String>,
        /// The release of Margay that it says wrote it.
        pub written_by: String,
        /// What it claims.
        pub theorems: Vec<String>,
        /// What they suppose, in sentences.
        pub supposes: Vec<String>,
        /// All that it rests on.
        pub texts: Vec<CertificateText>,
        /// Was every text compared with one that is known?
        pub compared: bool,
        /// How much was proved.
        pub extent: TheoremExtent,
        /// Wall time.
        pub seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
    }

    /// The kinds of certificates of theorems.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum TheoremKind {
        /// About a mapping.
        Theorem,
        /// About a model.
        ModelTheorem,
        /// About two models.
        DiffTheorem,
    }

    /// `margay verify` of a run.
    pub struct VerifiedRun {
        /// The kind of certificate.
        pub kind: RunKind,
        /// What was asked.
        pub given: RunGiven,
        /// The answers; what is left out is undecided.
        pub claims: Vec<RunClaim>,
        /// What is said of all tests.
        #[serde(flatten)]
        pub tests: VerifiedTests,
    }

    /// `margay verify` of tests that were made of kernels.
    pub struct VerifiedKernel {
        /// The kind of certificate.
        pub kind: KernelCertificateKind,
        /// The answers.
        pub claims: Vec<KernelClaim>,
        /// What these answers are said to have been asked for. That is its author's word: nothing
        /// shows that the tests are those of the kernels.
        pub asked_for: Vec<KernelLabelRecord>,
        /// What is said of all tests.
        #[serde(flatten)]
        pub tests: VerifiedTests,
    }

    /// The kind of a certificate of `margay kernel`.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum KernelCertificateKind {
        /// Of kernels.
        Kernel,
    }

    /// The answer to a test that was made of a kernel.
    pub struct KernelClaim {
        /// How it was asked about.
        pub given: KernelGiven,
        /// What is said of the test.
        #[serde(flatten)]
        pub claim: RunClaim,
    }

    /// How a test that was made of a kernel was asked about.
    pub struct KernelGiven {
        /// How often each loop is gone round.
        pub unroll: usize,
        /// Which rounds of loops that try again are looked at: `all`, `last`, `racing` (those that
        /// may have a race).
        pub rounds: String,
        /// With `racing`: the only location at which races are looked for; null where they are at
        /// all.
        pub location: Option<String>,
        /// Are races not looked for in rounds that only wait?
        pub skips_waiting: bool,
    }

    /// What an answer is said to have been asked for.
    #[cfg_attr(feature = "schema", schemars(rename = "KernelLabel"))]
    pub struct KernelLabelRecord {
        /// The file.
        pub file: String,
        /// The kernel.
        pub kernel: String,
        /// The launch, as `2x1`.
        pub launch: String,
        /// What was passed beside what is given or usual: `arg0 = {7*}`.
        pub with: Vec<String>,
        /// In words: `data races`.
        pub question: String,
        /// The answer, by its place.
        pub claim: usize,
    }

    /// What is said of a certificate of tests.
    pub struct VerifiedTests {
        /// True; anything else is an error.
        pub verified: bool,
        /// The names of the tests.
        pub tests: Vec<String>,
        /// The names of the models.
        pub models: Vec<String>,
        /// The files of the models.
        pub model_files: Vec<String>,
        /// The release of Margay that it says wrote it.
        pub written_by: String,
        /// The solver that it says wrote it.
        pub solver: String,
        /// All that it rests on.
        pub texts: Vec<CertificateText>,
        /// Was every text compared with one that is known?
        pub compared: bool,
        /// How much was proved.
        pub extent: VerifiedExtentRecord,
        /// Wall time.
        pub seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
    }

    /// `margay verify` of a certificate that was not followed to its end, since a limit came first.
    pub struct UndecidedVerification {
        /// Null: it is not known.
        pub verified: Option<bool>,
        /// Its folder.
        pub certificate: String,
        /// The limit.
        pub reason: String,
    }

    /// The kind of a certificate of `margay run`.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum RunKind {
        /// Of a run.
        Run,
    }

    /// The options that decide what is asked of litmus tests.
    pub struct RunGiven {
        /// How often each loop is gone round.
        pub unroll: usize,
    }

    /// The answer to one test under one model.
    pub struct RunClaim {
        /// The test's file.
        pub file: String,
        /// The model.
        pub model: String,
        /// The model's file.
        pub model_file: String,
        /// Does some legal execution satisfy the condition (for `forall`: violate it)?
        pub reachable: bool,
        /// Was a loop cut off and no execution found?
        pub bounded: bool,
        /// Does some legal execution have a race, or is it otherwise undefined? Null if the model
        /// does not say what that is.
        pub racy: Option<bool>,
    }
}
