//! `margay extract`: what compilers emit.

use crate::document::parts;
use crate::error::DiagnosticRecord;

parts! {
    /// The table of one architecture.
    pub struct TableRecord {
        /// The front end.
        pub front_end: String,
        /// What it is.
        pub title: String,
        /// What the compiler says of its version.
        pub compiler: String,
        /// The command, with its placeholders.
        pub compile: String,
        /// The architecture of the PTX.
        pub architecture: String,
        /// The one that was asked for.
        pub asked_architecture: String,
        /// The digest of all PTX.
        pub ptx_sha256: String,
        /// Runs of the compiler.
        pub runs: usize,
        /// Rows that are lowered.
        pub lowered: usize,
        /// Of these how many were read from paths alone, and not run on numbers.
        pub not_run: usize,
        /// Rows that do not compile.
        pub absent: usize,
        /// Rows that become what no row can say.
        pub other: usize,
        /// Rows of which it is not known.
        pub unknown: usize,
        /// The rows.
        pub rows: Vec<TableRowRecord>,
        /// With `--against`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub against: Option<TableAgainst>,
    }

    /// A row, with one of `lowered`, `absent`, `other` and `unknown`.
    pub struct TableRowRecord {
        /// Its left-hand side.
        pub row: String,
        /// The construct that was compiled for it.
        pub asked: String,
        /// Its instructions, alternatives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub lowered: Option<Vec<String>>,
        /// Why it does not compile.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub absent: Option<String>,
        /// What it becomes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub other: Option<String>,
        /// Why it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub unknown: Option<String>,
        /// What else there is to say.
        pub notes: Vec<String>,
        /// What the function does, path by path.
        pub paths: Vec<String>,
        /// The PTX.
        pub ptx: Option<String>,
        /// Its digest.
        pub hash: Option<String>,
    }

    /// A table beside one that is given.
    pub struct TableAgainst {
        /// Rows that are the same.
        pub same: usize,
        /// Rows that the given table says nothing about.
        pub unsaid: usize,
        /// Rows that differ.
        pub differ: Vec<RowDifference>,
    }

    /// A row that differs.
    pub struct RowDifference {
        /// Its left-hand side.
        pub row: String,
        /// What is emitted.
        pub emitted: String,
        /// What the given table has.
        pub expected: String,
        /// What the function does, path by path.
        pub paths: Vec<String>,
        /// The PTX.
        pub ptx: Option<String>,
    }

    /// The tables of several architectures.
    pub struct Tables {
        /// One for each.
        pub tables: Vec<TableRecord>,
        /// Why there are no more: the others were not asked about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub errors: Vec<DiagnosticRecord>,
    }

    /// `margay extract --list`.
    pub struct FrontEnds {
        /// The front ends.
        pub front_ends: Vec<FrontEndRecord>,
    }

    /// `margay extract FRONT-END --program`.
    pub struct ProgramRecord {
        /// The front end.
        pub front_end: String,
        /// The program that is compiled.
        pub program: String,
    }

    /// `margay extract FRONT-END --template`.
    pub struct Template {
        /// The front end.
        pub front_end: String,
        /// Its file (TOML).
        pub template: String,
    }

    /// A front end.
    pub struct FrontEndRecord {
        /// Its name.
        pub name: String,
        /// What it is.
        pub title: String,
        /// The command, with its placeholders.
        pub command: String,
        /// The architectures.
        pub architectures: Vec<String>,
    }

    /// `margay extract --ptx`.
    pub struct Functions {
        /// The file.
        pub file: String,
        /// What `.version` says.
        pub version: String,
        /// What `.target` says.
        pub target: String,
        /// The functions.
        pub functions: Vec<FunctionRecord>,
    }

    /// What a function does.
    pub struct FunctionRecord {
        /// Its name.
        pub name: String,
        /// Its paths.
        pub paths: Vec<String>,
        /// Paths on which the object is in the thread's own memory.
        pub private: usize,
        /// Paths that end in a trap.
        pub trapped: usize,
        /// Why it is no row.
        pub troubles: Vec<String>,
    }

    /// `margay extract --all`.
    pub struct Sweep {
        /// True.
        pub all: bool,
        /// The bound of the checks.
        pub bound: usize,
        /// Tables that were not made.
        pub missing: usize,
        /// One for each front end and architecture.
        pub series: Vec<SeriesRecord>,
        /// What became worse in a version, the worst first.
        pub worse: Vec<CompilerFaultRecord>,
        /// What is wrong, the worst first.
        pub wrong: Vec<CompilerFaultRecord>,
    }

    /// A front end and an architecture over the versions of a compiler.
    pub struct SeriesRecord {
        /// What it is.
        pub title: String,
        /// The versions.
        pub versions: Vec<VersionRecord>,
        /// Rows that changed.
        pub changed: Vec<HistoryRecord>,
        /// Counterexamples, and when they were there.
        pub counterexamples: Vec<HistoryRecord>,
        /// What became worse.
        pub regressions: Vec<RegressionRecord>,
    }

    /// A version of a compiler.
    pub struct VersionRecord {
        /// The name of its folder.
        pub version: String,
        /// What it says of itself.
        pub compiler: String,
        /// The table's file.
        pub table: String,
        /// Rows that are lowered.
        pub lowered: usize,
        /// Rows that do not compile.
        pub absent: usize,
        /// Rows that become what no row can say.
        pub other: usize,
        /// Rows of which it is not known.
        pub unknown: usize,
        /// Why nothing compiles.
        pub empty: Option<String>,
        /// Why it could not be asked.
        pub failure: Option<String>,
        /// What is wrong with its table.
        pub check: Option<TableFault>,
    }

    /// What is wrong with a table.
    pub struct TableFault {
        /// The worst first.
        pub falls: Vec<Fall>,
        /// What was not decided, and why.
        pub open: Vec<(String, String)>,
    }

    /// A counterexample of a table, with what is to blame.
    pub struct Fall {
        /// The most ordinary programs that show it.
        pub setting: String,
        /// The axiom that fails.
        pub axiom: String,
        /// The source events of the smallest counterexample.
        pub events: usize,
        /// The rows that are to blame: left-hand side, right-hand side.
        pub rows: Vec<(String, String)>,
        /// The condition, which the source forbids.
        pub outcome: String,
        /// The compiled program.
        pub target: String,
    }

    /// What rows, or counterexamples, were over the versions.
    pub struct HistoryRecord {
        /// Their names.
        pub rows: Vec<String>,
        /// What they were.
        pub spans: Vec<VersionSpan>,
    }

    /// Versions in which something was the same.
    pub struct VersionSpan {
        /// The first, by its place in `versions`, from 0.
        pub from: usize,
        /// The last.
        pub to: usize,
        /// What it was; null where there is none.
        pub text: Option<String>,
    }

    /// A counterexample that a version has and the one before has not.
    pub struct RegressionRecord {
        /// The version.
        pub version: String,
        /// The one before.
        pub before: String,
        /// The counterexample.
        pub counterexample: Fall,
    }

    /// What is wrong, over front ends, architectures and versions.
    pub struct CompilerFaultRecord {
        /// The compiler.
        pub compiler: String,
        /// The smallest counterexample.
        pub counterexample: Fall,
        /// The rows to blame: left-hand side, right-hand side.
        pub rows: Vec<(String, String)>,
        /// Where it is.
        pub places: Vec<VersionFrontEnds>,
    }

    /// Versions, and the front ends that have it in these versions.
    pub struct VersionFrontEnds {
        /// The versions, in words.
        pub versions: String,
        /// The front ends.
        pub front_ends: Vec<PlaceFrontEnd>,
    }

    /// A front end that has it.
    pub struct PlaceFrontEnd {
        /// Its name.
        pub front_end: String,
        /// The architectures that have it.
        pub architectures: Vec<String>,
    }
}
