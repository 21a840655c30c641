//! What is answered about a kernel.

use std::collections::BTreeSet;

use margay_models::model::Model;
use margay_ptx::{Module, position};

use crate::launch::{Launch, SMALL};
use crate::proofs::LaunchProofs;
use crate::reading::KernelReading;
use crate::residue::Origin;
use crate::selection::LaunchSelection;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// A data race (PTX ISA 8.7.1).
    Race,
    /// `trap`, or an assertion that fails.
    Trap,
    /// An address outside of every array.
    Outside,
    /// An address that is no multiple of what its access asks for.
    Misaligned,
    /// An operation on an mbarrier where none is, or an access to data where one is.
    Mbarrier,
    /// A condition that does not hold at the end.
    Final,
    /// A wait that never ends.
    Wait,
    /// Threads of a block that come to different barriers.
    Barriers,
    /// No execution ends.
    Endless,
    /// A final state of global memory that no interleaving of the threads has.
    Weak,
    /// Shared or local memory that is read before it is written, where what is read matters.
    Undefined,
    /// A read as if nobody wrote it (`ld.global.nc`) of what the kernel writes.
    Cached,
    /// A strong read that may return what was there before a write of which its thread was told.
    Stale,
}

impl FindingKind {
    pub const ALL: [Self; 13] = [
        Self::Race,
        Self::Trap,
        Self::Outside,
        Self::Misaligned,
        Self::Mbarrier,
        Self::Final,
        Self::Wait,
        Self::Barriers,
        Self::Endless,
        Self::Weak,
        Self::Undefined,
        Self::Cached,
        Self::Stale,
    ];

    /// Its name, in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Race => "data-race",
            Self::Trap => "trap",
            Self::Outside => "outside-of-arrays",
            Self::Misaligned => "misaligned-address",
            Self::Mbarrier => "no-mbarrier",
            Self::Final => "condition",
            Self::Wait => "endless-wait",
            Self::Barriers => "different-barriers",
            Self::Endless => "no-execution-ends",
            Self::Weak => "weak-memory-only",
            Self::Undefined => "read-before-written",
            Self::Cached => "read-only-but-written",
            Self::Stale => "stale-read",
        }
    }

    /// In the first line of an answer.
    pub fn words(self) -> &'static str {
        match self {
            Self::Race => "data race",
            Self::Trap => "a trap is reached",
            Self::Outside => "address outside of every array",
            Self::Misaligned => "address that is no multiple of the access's size",
            Self::Mbarrier => "an mbarrier where none is, or data where one is",
            Self::Final => "the condition does not always hold",
            Self::Wait => "a wait that may never end",
            Self::Barriers => "threads of a block come to different barriers",
            Self::Endless => "no execution ends",
            Self::Weak => "a final state of global memory that only weak memory has",
            Self::Undefined => "memory is read before it is written",
            Self::Cached => "a read-only load of what the kernel writes",
            Self::Stale => "a read may be out of date",
        }
    }

    /// What that is, in a sentence: for readers who know neither Margay nor the chapter of the ISA.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Race => {
                "Two threads access one place, one of them writes, nothing orders the two, and they are not both atomic in a scope that holds both: \
                 what is read is undefined (PTX ISA 8.7.1)."
            }
            Self::Trap => "A thread reaches `trap`, `brkpt` or an assertion that fails.",
            Self::Outside => {
                "A thread accesses memory that belongs to no array, variable or parameter."
            }
            Self::Misaligned => {
                "An address or a size is no multiple of what the instruction asks for, so that its behaviour is undefined (PTX ISA 6.4.1)."
            }
            Self::Mbarrier => {
                "An mbarrier operation is where no mbarrier is, or data is accessed where one is."
            }
            Self::Final => {
                "The launch can end in a state that the condition of its harness excludes."
            }
            Self::Wait => {
                "Threads go round a waiting loop, have seen all that was written, and nobody goes on."
            }
            Self::Barriers => {
                "Threads of a block come to different barriers, or some of them to none, so that the others wait or are not held up."
            }
            Self::Endless => "Whatever the threads do, the launch does not end.",
            Self::Weak => {
                "Global memory can end in a state that no interleaving of the threads leaves: fences forbid it."
            }
            Self::Undefined => {
                "Shared or local memory is read before anybody wrote it, and what is read has consequences."
            }
            Self::Cached => {
                "The kernel reads by `ld.global.nc` (`__ldg`) what it writes itself: the read may return anything older."
            }
            Self::Stale => {
                "A strong read may return what was there before a write, though its thread was told that the write is done."
            }
        }
    }
}

/// A place in the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The instruction.
    pub text: String,
    /// File and line of the source, where `.loc` says them.
    pub source: Option<(String, u32)>,
}

impl Spot {
    /// The place of an instruction in a text of PTX.
    pub fn new(module: &Module, text: &str, origin: Origin) -> Self {
        let instruction = module
            .functions
            .get(origin.function)
            .and_then(|f| f.body.as_ref()?.get(origin.instruction));
        let Some(i) = instruction else {
            return Self { line: 0, text: String::new(), source: None };
        };
        let words = text
            .get(i.start..i.end)
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let file = |l: &margay_ptx::SourceLine| {
            module.files.get(&l.file).map(|f| f.rsplit(['/', '\\']).next().unwrap_or(f).to_owned())
        };
        let source = i.line.and_then(|l| Some((file(&l)?, l.line)));
        Self { line: position(text, i.start).0, text: words, source }
    }

    /// In a line: `lock.cu:8, line 31 of the PTX: \`atom..\``.
    pub fn sentence(&self) -> String {
        let of_ptx = format!("PTX line {}, `{}`", self.line, self.text);
        match &self.source {
            Some((file, line)) => format!("{file}:{line} ({of_ptx})"),
            None => of_ptx,
        }
    }
}

/// A thread and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stands {
    /// The thread of the litmus test, `P0`.
    pub test_thread: u32,
    /// Blocks are counted in the whole launch.
    pub block: u32,
    /// Its number in the block.
    pub thread: u32,
    /// Where it is.
    pub spot: Spot,
    /// What it does there, in the field's notation; nothing where that is no access.
    pub event: Option<String>,
}

/// On which side of an instruction something is added, or that it is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RepairSide {
    /// In front of it.
    Before,
    Behind,
    /// In its place.
    Instead,
}

/// A change of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairChange {
    /// The instruction.
    pub spot: Spot,
    /// Where the change is.
    pub side: RepairSide,
    /// What stands there then, in PTX.
    pub text: String,
    /// The same in CUDA, where there is a word for it.
    pub cuda: Option<String>,
}

/// What would mend the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepairAnswer {
    /// It was not looked for, or not found out, for this reason.
    Open(String),
    /// Nothing that was tried is enough.
    Nothing,
    /// These changes; they were made in all threads and asked about again.
    Changes(Vec<RepairChange>),
}

/// A fence of a hardened kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HardeningFence {
    /// Is it a fence that the kernel has? Otherwise it stands behind an access.
    pub own: bool,
    /// The fence, or the access.
    pub spot: Spot,
}

/// Which fences a kernel needs, of those that it has and one (`fence.sc.gpu`) behind each access to
/// memory that threads share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HardeningAnswer {
    /// The launches in which it is right then.
    pub launches: Vec<Launch>,
    /// How many accesses there are, each a line of the PTX.
    pub accesses: usize,
    /// How many fences it has.
    pub own: usize,
    /// How many sets of fences were asked about.
    pub asked: usize,
    /// How many fences are left once none of them can go (PLDI 2016, Algorithm 1); nothing where
    /// all are not enough.
    pub least: Option<usize>,
    /// As few fences as are enough; nothing where all are not enough. If the search is open, a set
    /// of which none can go.
    pub smallest: Option<Vec<HardeningFence>>,
    /// The kernel's own fences that are not among them.
    pub superfluous: Vec<HardeningFence>,
    /// Were loops cut off?
    pub bounded: bool,
    /// Why the search did not come to its end.
    pub open: Option<String>,
}

/// A fence, an order or a scope that could be weaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakerChange {
    /// The instruction.
    pub spot: Spot,
    /// As it stands, without operands: `atom.acquire.gpu.cas.b32`.
    pub from: String,
    /// What is enough; nothing where it could go.
    pub to: Option<String>,
    /// The same in CUDA, where there is a word for it.
    pub cuda: Option<String>,
}

/// What could be weaker, all of it together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakerAnswer {
    /// The launches in which nothing goes wrong then.
    pub launches: Vec<Launch>,
    /// What could be weaker.
    pub changes: Vec<WeakerChange>,
    /// How many changes were asked about.
    pub asked: usize,
    /// Why the search did not come to its end.
    pub open: Option<String>,
}

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// Who is involved, and where.
    pub stands: Vec<Stands>,
    /// Why, in sentences.
    pub why: Vec<String>,
    /// A litmus test that shows it.
    pub litmus: String,
    /// Is it to be run by the model with races ([`crate::KernelReading::races`])?
    pub with_races: bool,
    /// The reading of the model by which it goes wrong.
    pub reading: KernelReading,
    /// How many first rounds of its loops the test has, where it has not all.
    pub first_rounds: Option<usize>,
    /// What would mend it.
    pub repair: RepairAnswer,
}

impl Finding {
    /// What `margay run --model` takes to confirm its test: a built-in model, or the file of the
    /// one with races.
    pub fn model_name(&self) -> String {
        match self.kind {
            _ if self.with_races => self.reading.races_file(),
            FindingKind::Stale => self.reading.stale_file(),
            _ => self.reading.name().to_owned(),
        }
    }

    /// None where it cannot be read: a bug of Margay.
    pub fn model(&self) -> Option<&'static Model> {
        match self.kind {
            _ if self.with_races => self.reading.races().ok(),
            FindingKind::Stale => self.reading.only_stale().ok(),
            _ => self.reading.model().ok(),
        }
    }
}

/// Something that was not looked at, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotLooked {
    /// The line of the PTX; nothing where it is of no line.
    pub line: Option<usize>,
    /// The instruction.
    pub text: Option<String>,
    pub why: String,
    /// Was a thread not followed, or one of several ways taken without knowing which? Then what is
    /// found may not be so.
    pub guessed: bool,
}

/// How far a launch was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchVerdict {
    /// Nothing goes wrong.
    Nothing,
    /// Something does.
    Found,
    /// It is not known.
    Undecided,
    /// It was not asked about.
    NotAsked(String),
    /// It was chosen, and the kernel seems to be written for other blocks, for this reason: what
    /// goes wrong in it says nothing of the kernel.
    NotMeant(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchAnswer {
    pub launch: Launch,
    /// How far it was looked at.
    pub asked: LaunchVerdict,
    /// What goes wrong.
    pub findings: Vec<Finding>,
    pub not_looked: Vec<NotLooked>,
    /// How many accesses, fences and barriers its litmus test has.
    pub size: usize,
    /// Were waits that never end looked into?
    pub waits: bool,
    /// The litmus test of its threads, which asks for nothing; empty where there is none.
    pub litmus: String,
    /// What is answered with a proof, and without, where proofs are kept.
    pub proofs: LaunchProofs,
}

impl LaunchAnswer {
    /// Is the kernel written for it, as far as is known?
    pub fn is_meant(&self) -> bool {
        !matches!(self.asked, LaunchVerdict::NotMeant(_))
    }
}

/// The answer about a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelAnswer {
    /// Its name.
    pub kernel: String,
    /// The model by which it was judged.
    pub reading: KernelReading,
    /// What is passed for its parameters, in words.
    pub arguments: Vec<String>,
    /// Do some arrays hold zeros?
    pub has_zeros: bool,
    /// Do some hold other numbers, as they were given?
    pub has_values: bool,
    /// The arrays whose content was chosen so that something goes wrong, with what they hold:
    /// `arg0 = {7*}`. Else arrays hold zeros, or what is given.
    pub chosen_contents: Vec<String>,
    /// The numbers that were chosen in place of the count of threads so that something goes wrong:
    /// `arg1 = 5`.
    pub chosen_numbers: Vec<String>,
    /// By what the launches were chosen.
    pub selection: LaunchSelection,
    /// The launches, in the order in which they were asked about. The last one that was asked about
    /// is the one that goes wrong, if one does.
    pub launches: Vec<LaunchAnswer>,
    /// What was tried beside arrays of zeros; nothing where no array matters, or something goes
    /// wrong.
    pub contents: Option<ContentsAnswer>,
    /// What was tried beside the count of threads; nothing where no number that nobody gives
    /// decides a branch, or something goes wrong.
    pub numbers: Option<NumbersAnswer>,
    /// How many instructions of the kernel access memory that several threads see.
    pub accesses: usize,
    /// Those of them to which no thread comes, in any launch.
    pub unreached: Vec<Spot>,
}

/// Contents of arrays, other than zeros, with which races and barriers were asked about, and
/// nothing was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentsAnswer {
    /// The arrays: `arg0`, or `arg0_16` for the field of a structure at byte 16.
    pub arrays: Vec<String>,
    pub launches: Vec<Launch>,
    /// How many contents were tried, in all launches together.
    pub tried: usize,
    /// With how many of them it is known that nothing goes wrong, or that what does is told of with
    /// the arguments.
    pub settled: usize,
}

/// Numbers other than the count of threads with which races, barriers, arrays and memory that is
/// read before it is written were asked about, and nothing was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumbersAnswer {
    /// Each as `arg1 = 5`, or `arg1+16 = 5` for the field of a structure at byte 16.
    pub numbers: BTreeSet<String>,
    pub launches: Vec<Launch>,
    /// How many numbers were tried, in all launches together.
    pub tried: usize,
    /// With how many of them it is known that nothing goes wrong, or that what does is told of with
    /// the arguments.
    pub settled: usize,
}

impl KernelAnswer {
    /// Does no thread come to any access of memory that others see, though the kernel has some?
    pub fn accesses_nothing(&self) -> bool {
        self.accesses > 0 && self.unreached.len() == self.accesses
    }

    /// The answer about a kernel that was asked about in no launch.
    pub fn unasked(kernel: &str) -> Self {
        let (arguments, chosen_contents, chosen_numbers, launches) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let selection = LaunchSelection::NAMED;
        let reading = KernelReading::default();
        Self {
            kernel: kernel.to_owned(),
            reading,
            arguments,
            has_zeros: false,
            has_values: false,
            chosen_contents,
            chosen_numbers,
            selection,
            launches,
            contents: None,
            numbers: None,
            accesses: 0,
            unreached: Vec::new(),
        }
    }

    /// The launch that goes wrong.
    pub fn wrong(&self) -> Option<&LaunchAnswer> {
        self.launches.iter().find(|l| !l.findings.is_empty())
    }

    /// Is it known that nothing goes wrong? Of launches that were given that must be known of each;
    /// of those that were chosen, of all that are small, and that the kernel is written for.
    pub fn is_settled(&self, chosen: bool) -> bool {
        // A kernel may be written for blocks of one size, which is not small.
        let has_small = self.has_small();
        let counts = |l: &&LaunchAnswer| {
            !chosen || l.is_meant() && (!has_small || l.launch.total() <= SMALL)
        };
        let mut some = self.launches.iter().filter(counts).peekable();
        some.peek().is_some() && some.all(|l| l.asked == LaunchVerdict::Nothing)
    }

    /// Is a launch small that the kernel is written for?
    pub(crate) fn has_small(&self) -> bool {
        self.launches.iter().any(|l| l.launch.total() <= SMALL && l.is_meant())
    }

    /// Is what goes wrong certain? It is not where one of several ways was taken without knowing
    /// which.
    pub fn is_certain(&self) -> bool {
        self.wrong().is_some_and(|l| l.not_looked.iter().all(|n| !n.guessed))
    }

    /// What was not looked at, of all launches.
    pub fn not_looked(&self) -> Vec<NotLooked> {
        let mut all: Vec<NotLooked> =
            self.launches.iter().flat_map(|l| l.not_looked.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}
