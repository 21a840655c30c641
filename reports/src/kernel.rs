//! `margay kernel`: data races, traps, addresses outside of arrays and waits that never end, in a
//! GPU kernel.

use crate::document::parts;
use crate::verdict::Verdict;
use crate::verify::KernelCertificate;

parts! {
    /// The answer about a file.
    pub struct Kernels {
        /// The file as named.
        pub file: String,
        /// What compiled it to PTX: `margay`, `nvcc`, or `cmd` for a command of the user; null if
        /// it is PTX. Margay optimises nothing: of plain accesses nvcc may make others.
        pub compiler: Option<String>,
        /// The model.
        pub model: String,
        /// `counterexample`: something goes wrong in a kernel; `none`: nothing does, in the
        /// launches that were asked about; `undecided`. With `against` `different`: something goes
        /// wrong that did not; `none`: nothing new does; `undecided`.
        pub verdict: Verdict,
        /// How often each loop is gone round, in loops that do more than wait, where a harness does
        /// not say it.
        pub unroll: usize,
        /// What is new since another version; null where none was named.
        pub against: Option<Comparison>,
        /// The kernels.
        pub kernels: Vec<Kernel>,
        /// With `--certify`, else not there: what was written; null where it could not be.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "crate::document::present"
        )]
        #[cfg_attr(feature = "schema", schemars(with = "Option<KernelCertificate>"))]
        pub certificate: Option<Option<KernelCertificate>>,
        /// Wall time.
        pub seconds: f64,
    }

    /// The answer about a kernel.
    pub struct Kernel {
        /// Its name.
        pub name: String,
        /// The first line of the answer.
        pub answer: String,
        /// `counterexample`, `none` or `undecided`.
        pub verdict: Verdict,
        /// What is passed for its parameters, in words.
        pub arguments: Vec<String>,
        /// What must hold when all threads have ended.
        pub finals: Vec<String>,
        /// How often each loop is gone round, in loops that do more than wait.
        pub unroll: usize,
        /// The launches in the order in which they were asked about; none behind one that goes
        /// wrong.
        pub launches: Vec<LaunchRecord>,
        /// With which contents of arrays, beside zeros, races and barriers were asked about; null
        /// where none were, or something goes wrong.
        pub contents: Option<ContentsRecord>,
        /// With which numbers, beside the count of threads, races, barriers, arrays and memory that
        /// is read before it is written were asked about; null where none were, or something goes
        /// wrong.
        pub numbers: Option<NumbersRecord>,
        /// What was not looked at, or only in part.
        pub not_looked: Vec<UnseenRecord>,
        /// Which fences it needs; null where that was not asked.
        pub hardening: Option<Hardening>,
        /// What could be weaker; null where that was not asked, or something goes wrong.
        pub weaker: Option<Weaker>,
        /// With `--certify`, else not there: which of its answers have a proof. None has where
        /// something goes wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub proofs: Option<KernelProofsRecord>,
    }

    /// How many of the answers about a kernel have a proof. The way from the kernel to its tests
    /// has none.
    #[cfg_attr(feature = "schema", schemars(rename = "KernelProofs"))]
    pub struct KernelProofsRecord {
        /// Questions whose answer has a proof.
        pub proved: usize,
        /// The launches that they are about, as `2x1`.
        pub launches: Vec<String>,
        /// Different tests, each with a proof.
        pub tests: usize,
        /// Questions that are answered without a proof.
        pub unproved: Vec<UnprovedRecord>,
    }

    /// Questions that are answered without a proof.
    #[cfg_attr(feature = "schema", schemars(rename = "Unproved"))]
    pub struct UnprovedRecord {
        /// The launch, as `2x1`.
        pub launch: String,
        /// What was asked, in words: `data races`.
        pub question: String,
        /// What was passed beside what is given or usual: `arg0 = {7*}`.
        pub with: Vec<String>,
        /// How many such questions.
        pub count: usize,
        /// Why there is none.
        pub why: String,
    }

    /// Other contents of arrays than zeros, with which nothing was found.
    pub struct ContentsRecord {
        /// The arrays: `arg0`, or `arg0_16` for the field of a structure at byte 16.
        pub arrays: Vec<String>,
        /// The launches, as `2x1`.
        pub launches: Vec<String>,
        /// How many contents were tried, in all launches together.
        pub tried: usize,
        /// With how many of them it is known that nothing goes wrong.
        pub settled: usize,
    }

    /// Numbers other than the count of threads, with which nothing was found.
    pub struct NumbersRecord {
        /// Each as `arg1 = 5`, or `arg1+16 = 5` for the field of a structure at byte 16.
        pub numbers: Vec<String>,
        /// The launches, as `2x1`.
        pub launches: Vec<String>,
        /// How many numbers were tried, in all launches together.
        pub tried: usize,
        /// With how many of them it is known that nothing goes wrong, or that what does is told of
        /// with the arguments.
        pub settled: usize,
    }

    /// What goes wrong in a version of a file and not in the other.
    pub struct Comparison {
        /// The older version.
        pub file: String,
        /// What goes wrong in the new version only.
        pub new: Vec<ComparedRecord>,
        /// What goes wrong in both.
        pub unchanged: Vec<ComparedRecord>,
        /// What went wrong in the older version only.
        pub gone: Vec<ComparedRecord>,
        /// Kernels of which it is not known, and why.
        pub unknown: Vec<String>,
    }

    /// Something that goes wrong, in short.
    #[cfg_attr(feature = "schema", schemars(rename = "ComparedFinding"))]
    pub struct ComparedRecord {
        /// The kernel.
        pub kernel: String,
        /// As `kind` of a finding.
        pub kind: String,
        /// Where.
        pub at: Vec<SpotRecord>,
    }

    /// Which fences a kernel needs, of those that it has and one (`fence.sc.gpu`) behind each
    /// access to memory that threads share.
    pub struct Hardening {
        /// The launches in which nothing goes wrong then, as `2x1`.
        pub launches: Vec<String>,
        /// How many accesses it has.
        pub accesses: usize,
        /// How many fences it has.
        pub own: usize,
        /// How many sets of fences were asked about.
        pub asked: usize,
        /// How many fences are left once none of them can go; null where all are not enough.
        pub least: Option<usize>,
        /// As few fences as are enough; null where all are not enough.
        pub fences: Option<Vec<FenceRecord>>,
        /// Its own fences that are not among them.
        pub superfluous: Vec<SpotRecord>,
        /// Were loops cut off?
        pub bounded: bool,
        /// Why the search did not come to its end; null where it did.
        pub reason: Option<String>,
    }

    /// A fence of a hardened kernel.
    #[cfg_attr(feature = "schema", schemars(rename = "HardeningFence"))]
    pub struct FenceRecord {
        /// Does the kernel have it? Otherwise it stands behind the access.
        pub own: bool,
        /// The fence, or the access.
        pub at: SpotRecord,
    }

    /// What could be weaker, all of it together.
    pub struct Weaker {
        /// The launches in which nothing goes wrong then, as `2x1`.
        pub launches: Vec<String>,
        /// What could be weaker.
        pub changes: Vec<WeakeningRecord>,
        /// How many changes were asked about.
        pub asked: usize,
        /// Why the search did not come to its end; null where it did.
        pub reason: Option<String>,
    }

    /// A fence, an order or a scope that could be weaker.
    #[cfg_attr(feature = "schema", schemars(rename = "WeakerChange"))]
    pub struct WeakeningRecord {
        /// The instruction.
        pub at: SpotRecord,
        /// What it is.
        pub from: String,
        /// What is enough; null where it could go.
        pub to: Option<String>,
        /// The same in CUDA; null where there is no word for it.
        pub cuda: Option<String>,
    }

    /// The answer about a launch.
    #[cfg_attr(feature = "schema", schemars(rename = "Launch"))]
    pub struct LaunchRecord {
        /// As `--launch` takes it: `2x32`, `2x(4x8)`, `4x32@cluster=2`.
        pub launch: String,
        /// How many blocks.
        pub blocks: u32,
        /// How many threads each has.
        pub threads: u32,
        /// `counterexample`, `none` or `undecided`; null: it was not asked about.
        pub verdict: Option<Verdict>,
        /// Why it was not asked about.
        pub reason: Option<String>,
        /// How many accesses, fences and barriers its litmus test has.
        pub size: usize,
        /// Were waits that never end looked into? Not in blocks of several threads that meet at
        /// barriers, and not where threads meet at mbarriers.
        pub waits: bool,
        /// The litmus test of its threads, which asks for nothing; null where there is none.
        pub litmus: Option<String>,
        /// What goes wrong.
        pub findings: Vec<FindingRecord>,
    }

    /// Something that goes wrong.
    #[cfg_attr(feature = "schema", schemars(rename = "Finding"))]
    pub struct FindingRecord {
        /// `data-race`, `trap`, `outside-of-arrays`, `misaligned-address`, `no-mbarrier`,
        /// `condition`, `endless-wait`, `different-barriers`, `no-execution-ends`,
        /// `weak-memory-only`, `read-before-written`, `read-only-but-written` or `stale-read`.
        pub kind: String,
        /// What that is, in words.
        pub words: String,
        /// Who is involved, and where.
        pub threads: Vec<StandingRecord>,
        /// Why, in sentences.
        pub why: Vec<String>,
        /// A litmus test that shows it.
        pub litmus: String,
        /// The model to run it by: `ptx-8`, or `ptx-8-races.cat`, which `--out` writes.
        pub model: String,
        /// The changes that mend it, in all threads; null if none were found or looked for.
        pub repair: Option<Vec<Change>>,
        /// Why there are none.
        pub no_repair: Option<String>,
    }

    /// A thread and where it is.
    #[cfg_attr(feature = "schema", schemars(rename = "Stands"))]
    pub struct StandingRecord {
        /// The thread of the litmus test.
        pub test_thread: u32,
        /// Its block.
        pub block: u32,
        /// Its number in the block.
        pub thread: u32,
        /// Where it is.
        pub at: SpotRecord,
        /// What it does there; null where that is no access.
        pub event: Option<String>,
    }

    /// A place in the kernel.
    #[cfg_attr(feature = "schema", schemars(rename = "Spot"))]
    pub struct SpotRecord {
        /// The line of the PTX.
        pub ptx_line: usize,
        /// The instruction.
        pub instruction: String,
        /// The file of the source, where the PTX says it.
        pub file: Option<String>,
        /// The line of the source.
        pub line: Option<u32>,
    }

    /// A change that mends something.
    pub struct Change {
        /// The instruction.
        pub at: SpotRecord,
        /// `before`, `behind` or `instead`.
        pub side: String,
        /// What stands there then.
        pub ptx: String,
        /// The same in CUDA; null where there is no word for it.
        pub cuda: Option<String>,
    }

    /// Something that was not looked at, or only in part.
    #[cfg_attr(feature = "schema", schemars(rename = "NotLooked"))]
    pub struct UnseenRecord {
        /// The line of the PTX; null where it is of no line.
        pub ptx_line: Option<usize>,
        /// The instruction.
        pub instruction: Option<String>,
        /// What it is, and why.
        pub why: String,
    }
}
