//! `margay check`: is a mapping sound?

use crate::change::RowChangeRecord;
use crate::document::parts;
use crate::verdict::{CoherenceReadingRecord, LevelRecord, StatusRecord, Verdict};
use crate::verify::SearchCertificate;
use crate::violation::{EdgeRecord, EventRecord};

parts! {
    /// `margay check MAPPING`.
    pub struct CheckDocument {
        /// The mapping's title.
        pub mapping: String,
        /// The mapping's file.
        pub mapping_file: String,
        /// The source model.
        pub source: String,
        /// The file that it was read from; `<built-in>/...` for a built-in one.
        pub source_file: String,
        /// The target model.
        pub target: String,
        /// The file that it was read from.
        pub target_file: String,
        /// What a counterexample is.
        pub level: LevelRecord,
        /// At program level, the limit on guards and computed values.
        pub guards: Option<usize>,
        /// The reading of modification order.
        pub co: CoherenceReadingRecord,
        /// Is a location either atomic or plain?
        pub typed: bool,
        /// What the answer supposes of every program, in words; null if nothing.
        pub supposes: Option<String>,
        /// The constructs that executions were made of.
        pub constructs: Vec<String>,
        /// Left-hand sides of rows for compare-exchanges that fail which the mapping has not:
        /// programs in which one fails were not asked about.
        pub not_asked: Vec<String>,
        /// How many rows of the mapping the answer is about.
        pub coverage: CoverageRecord,
        /// The solver and its version.
        pub solver: String,
        /// The first line that people get.
        pub answer: String,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// What follows from the counterexample of the first line.
        pub status: Option<StatusRecord>,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// The bound asked for.
        pub bound: usize,
        /// For all axioms: no counterexample has so many source events or fewer.
        pub established: usize,
        /// Wall time of the check.
        pub seconds: f64,
        /// The peak of the process; null where it is not known.
        pub peak_memory_bytes: Option<u64>,
        /// One for each axiom; with `--co exists` and at program level one for all together.
        pub axioms: Vec<AxiomRecord>,
        /// The counterexamples.
        pub counterexamples: Vec<CounterexampleRecord>,
        /// With `--next N`: N.
        pub next: Option<usize>,
        /// With `--next N`: for each axiom the list that the counterexample is from.
        pub listed: Vec<ListedRecord>,
        /// Litmus tests of programs that were proposed and not decided when a limit was reached.
        pub candidates: Vec<String>,
        /// With `--all`: are there more?
        pub truncated: bool,
        /// With `--baseline`: the mapping whose counterexamples were left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub baseline: Option<BaselineRecord>,
        /// What the assumed rows of the mapping would add, if it has any.
        pub assumed: Option<AssumedRowsRecord>,
        /// The cheapest changes of rows under which the program of the first counterexample does
        /// not have its outcome (what mends the whole mapping is `margay repair`'s question); null
        /// where none was found among the first that are tried.
        pub mended_by: Option<Vec<RowChangeRecord>>,
        /// With `--certify`.
        pub certificate: Option<SearchCertificate>,
    }

    /// The rows of a mapping that an answer is about, and those that it is not about.
    pub struct CoverageRecord {
        /// All rows of the constructs that are asked about.
        pub rows: usize,
        /// Of what compiles to something that no row can say (`other`); not asked about.
        pub other: usize,
        /// Of what does not compile, or does not exist (`absent`); not asked about.
        pub absent: usize,
        /// For no operation that there is: other rows say more of each, or the table has no such
        /// type, operation or scope; not asked about.
        pub idle: usize,
        /// Assumed rows that were left out; not asked about.
        pub assumed: usize,
        /// Assumed rows that were asked about as if they were known.
        pub taken: usize,
    }

    /// The answer for one axiom.
    pub struct AxiomRecord {
        /// The axiom's name in the source model.
        pub axiom: String,
        /// The answer.
        pub verdict: Verdict,
        /// No counterexample has so many events or fewer; with a counterexample, its size.
        pub bound: usize,
        /// CPU time of all bounds together.
        pub seconds: f64,
        /// Thread shapes of all bounds together.
        pub shapes: usize,
        /// SAT variables of the last bound, summed over thread shapes.
        pub variables: usize,
        /// Clauses of the last bound, summed over thread shapes.
        pub clauses: usize,
        /// Conflicts of all bounds together.
        pub conflicts: u64,
        /// Bound by bound.
        pub rows: Vec<BoundRecord>,
    }

    /// The answer for one axiom at one bound.
    pub struct BoundRecord {
        /// The number of source events.
        pub bound: usize,
        /// The answer.
        pub verdict: Verdict,
        /// CPU time.
        pub seconds: f64,
        /// Thread shapes.
        pub shapes: usize,
        /// SAT variables.
        pub variables: usize,
        /// Clauses.
        pub clauses: usize,
        /// Conflicts.
        pub conflicts: u64,
        /// Candidates that were refuted by a race of their program.
        pub racy: usize,
        /// Candidates that were refuted by another modification order.
        pub explained: usize,
    }

    /// A counterexample.
    pub struct CounterexampleRecord {
        /// The axiom that fails.
        pub axiom: String,
        /// Source events; a read-modify-write is two.
        pub events: usize,
        /// What follows from it.
        pub status: StatusRecord,
        /// Of a racy one the names of two events that race in another execution of its program.
        pub race: Option<[String; 2]>,
        /// Reads with a condition on them.
        pub guards: usize,
        /// Values that are computed from a read.
        pub computed: usize,
        /// The number of threads.
        pub threads: usize,
        /// The number of locations.
        pub locations: usize,
        /// The source program as a litmus test.
        pub source_litmus: String,
        /// The source program as CUDA C++, where CUDA can say it and the target is a GPU.
        pub source_cuda: Option<String>,
        /// The target program as a litmus test.
        pub target_litmus: String,
        /// The condition.
        pub outcome: String,
        /// The events of the source execution.
        pub source_events: Vec<EventRecord>,
        /// One sentence.
        pub summary: String,
        /// The cycle, edge by edge.
        pub cycle_in_words: String,
        /// Why the source forbids it, in lines.
        pub explanation: Vec<String>,
        /// The rows that its operations use, where the mapping tells uses apart or says where rows
        /// come from.
        pub rows: Vec<String>,
        /// A picture of the source execution.
        pub source_svg: String,
        /// A picture of the target execution.
        pub target_svg: String,
        /// The cycle: each edge starts where the one before ends, and the last leads back. Empty
        /// where an `empty` axiom fails.
        pub cycle: Vec<EdgeRecord>,
        /// Where one does: the edges that are there.
        pub there: Vec<EdgeRecord>,
        /// Where one does: those that are not there and should be.
        pub missing: Vec<EdgeRecord>,
    }

    /// A list of counterexamples that `--next` goes through.
    pub struct ListedRecord {
        /// The axiom.
        pub axiom: String,
        /// The source events of each.
        pub events: usize,
        /// How many there are.
        pub of: usize,
        /// Was a limit reached, and are there more?
        pub more: bool,
    }

    /// A mapping whose counterexamples were left out: what is counted is new.
    pub struct BaselineRecord {
        /// Its title.
        pub mapping: String,
        /// Its file.
        pub mapping_file: String,
        /// How many counterexamples were met that it has, too.
        pub old: usize,
    }

    /// What assumed rows would add: a counterexample that uses one is no finding.
    #[cfg_attr(feature = "schema", schemars(rename = "Assumed"))]
    pub struct AssumedRowsRecord {
        /// Their left-hand sides.
        pub rows: Vec<String>,
        /// A counterexample that uses them, smaller than any without them.
        pub counterexample: Option<AssumedCounterexample>,
        /// None that uses them has so many events or fewer.
        pub established: usize,
    }

    /// A counterexample that uses assumed rows.
    pub struct AssumedCounterexample {
        /// Its source events.
        pub events: usize,
        /// The rows that it uses.
        pub rows: Vec<String>,
    }

    /// `margay check MAPPING --test FILE`: one program.
    pub struct ProgramDocument {
        /// `none` or `counterexample`.
        pub verdict: Verdict,
        /// The first line that people get.
        pub answer: String,
        /// The answer in words.
        pub why: String,
        /// A loop was cut off: the answer is about so many turns of each at most. Null if no loop
        /// was.
        pub turns: Option<usize>,
        /// The mapping's title.
        pub mapping: String,
        /// The test's file.
        pub file: String,
        /// The test's name.
        pub name: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// `forbidden`, `allowed` or `racy`.
        pub source_says: Verdict,
        /// `forbidden` or `allowed`.
        pub target_says: Verdict,
        /// The program.
        pub source_litmus: String,
        /// What it is compiled to.
        pub target_litmus: String,
        /// The condition of what it is compiled to.
        pub outcome: String,
        /// Why the source forbids it, edge by edge; null unless it does.
        pub cycle_in_words: Option<String>,
        /// A picture of the source execution.
        pub source_svg: String,
        /// A picture of the target execution.
        pub target_svg: String,
    }

    /// `margay check MAPPING --test FILE` without an answer.
    pub struct UndecidedProgram {
        /// `undecided`.
        pub verdict: Verdict,
        /// The first line that people get.
        pub answer: String,
        /// Why.
        pub reason: String,
    }

    /// `margay check MAPPING --causes`.
    #[cfg_attr(feature = "schema", schemars(rename = "Causes"))]
    pub struct CausesDocument {
        /// The mapping's title.
        pub mapping: String,
        /// The mapping's file.
        pub mapping_file: String,
        /// The answer in words, as in the first line of the output for people.
        pub answer: String,
        /// What a counterexample is.
        pub level: LevelRecord,
        /// The bound asked for.
        pub bound: usize,
        /// The worst first.
        pub causes: Vec<CauseRecord>,
        /// What is established for each kind of programs.
        pub settings: Vec<CauseSettingRecord>,
        /// Assumed rows, which are left out.
        pub assumed: Vec<String>,
    }

    /// What is wrong with a mapping.
    #[cfg_attr(feature = "schema", schemars(rename = "Cause"))]
    pub struct CauseRecord {
        /// The most ordinary programs that show it.
        pub setting: String,
        /// The source events of its smallest counterexample.
        pub events: usize,
        /// The axiom that fails.
        pub axiom: String,
        /// What follows from the counterexample.
        pub status: StatusRecord,
        /// Does one of the rows alone mend it?
        pub single: bool,
        /// In what the rows are too weak: `scope`, `order` or `both`.
        pub weakness: WeaknessRecord,
        /// The rows to blame, `head => body`.
        pub rows: Vec<String>,
        /// The condition.
        pub outcome: String,
        /// The source program.
        pub source_litmus: String,
        /// The target program.
        pub target_litmus: String,
    }

    /// In what a row is too weak.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(feature = "schema", schemars(rename = "Weakness"))]
    pub enum WeaknessRecord {
        /// Its scope is too narrow.
        Scope,
        /// Its order is too weak.
        Order,
        /// Neither alone would do.
        Both,
    }

    /// A kind of programs, and what is known of it besides the causes.
    #[cfg_attr(feature = "schema", schemars(rename = "Setting"))]
    pub struct CauseSettingRecord {
        /// The kind.
        pub setting: String,
        /// There is no other cause up to this bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub none_beyond_these_up_to: Option<usize>,
        /// Why that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub undecided: Option<String>,
    }

    /// `margay check --all-mappings`.
    pub struct CheckMatrixDocument {
        /// The first line that people get.
        pub answer: String,
        /// False if it was interrupted.
        pub complete: bool,
        /// One for each question.
        pub answers: Vec<CheckMatrixAnswer>,
        /// One for each mapping that falls as a program.
        pub repairs: Vec<MendedRecord>,
    }

    /// The answer to one question of the matrix.
    pub struct CheckMatrixAnswer {
        /// The mapping.
        pub mapping: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// What a counterexample is.
        pub level: LevelRecord,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// No counterexample has so many source events or fewer.
        pub bound: usize,
        /// What follows from the counterexample.
        pub status: Option<StatusRecord>,
        /// Wall time.
        pub seconds: f64,
        /// The axiom that fails.
        pub axiom: Option<String>,
        /// The source events of the counterexample.
        pub events: Option<usize>,
        /// Its source program.
        pub source_litmus: Option<String>,
        /// Its target program.
        pub target_litmus: Option<String>,
        /// Its source program as CUDA C++.
        pub source_cuda: Option<String>,
        /// Its condition.
        pub outcome: Option<String>,
    }

    /// How a mapping of the matrix could be mended.
    pub struct MendedRecord {
        /// The mapping.
        pub mapping: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// The bound up to which a repair has no counterexample.
        pub bound: usize,
        /// The cheapest repairs.
        pub repairs: Vec<MendedBy>,
        /// Why there may be more.
        pub reason: Option<String>,
    }

    /// A repair of the matrix.
    pub struct MendedBy {
        /// What repairs are ranked by: `cost` and `steps` together.
        pub price: u64,
        /// What instructions cost more than in the mapping as it is.
        pub cost: u64,
        /// Steps of order, scope or fence.
        pub steps: u32,
        /// The changed rows, `head => body`.
        pub rows: Vec<String>,
    }
}

impl From<margay_mappings::language::Coverage> for CoverageRecord {
    fn from(of: margay_mappings::language::Coverage) -> Self {
        Self {
            rows: of.rows,
            other: of.other,
            absent: of.absent,
            idle: of.idle,
            assumed: of.assumed,
            taken: of.taken,
        }
    }
}
