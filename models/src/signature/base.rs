//! The base sets and relations: the names that a model may use without defining them.

use super::architecture::{Level, SameLevel};
use super::{Architecture, Signature, Tag};
use crate::execution::Scope;

macro_rules! names {
    (
        $(#[$meta:meta])*
        $enum:ident { $($(#[$doc:meta])* $variant:ident = $($name:literal)|+ in $sigs:expr;)* }
        $($(#[$more:meta])* $other:ident($of:ty);)*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$doc])* $variant,)* $($(#[$more])* $other($of),)* }

        impl $enum {
            /// All of them that some signature names; those of a text come on top.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// Every name of it; the first one is the name to show.
            pub fn names(self) -> &'static [&'static str] {
                match self { $($enum::$variant => &[$($name),+],)* $($enum::$other(of) => <$of>::names(of),)* }
            }

            /// The name to show.
            pub fn name(self) -> &'static str {
                self.names()[0]
            }

            /// Does the signature have it?
            pub fn is_in(self, signature: Signature) -> bool {
                let signatures: &[Signature] = match self {
                    $($enum::$variant => $sigs,)*
                    $($enum::$other(of) => return signature == Signature::Text(<$of>::architecture(of)),)*
                };
                match signature {
                    Signature::Text(architecture) => self.is_in_text(architecture, signatures.len() == ANY.len()),
                    other => signatures.contains(&other),
                }
            }

            /// The base that `name` stands for in the signature.
            pub fn from_name(name: &str, signature: Signature) -> Option<Self> {
                Self::all(signature).into_iter().find(|b| b.names().contains(&name))
            }
        }
    };
}

const ANY: &[Signature] = &[Signature::Plain, Signature::C, Signature::Ptx];
const PLAIN: &[Signature] = &[Signature::Plain];
const C: &[Signature] = &[Signature::C];
const PTX: &[Signature] = &[Signature::Ptx];
const SCOPED: &[Signature] = &[Signature::C, Signature::Ptx];

names! {
    /// A base set of events.
    BaseSet {
        /// Every event, initial writes included.
        Universe = "_" in ANY;
        /// Writes, initial ones included.
        W = "W" in ANY;
        /// Reads.
        R = "R" in ANY;
        /// Reads and writes.
        M = "M" in ANY;
        /// Fences.
        F = "F" in ANY;
        /// Control barriers (`bar.sync` and kin).
        B = "B" in PTX;
        /// Waits at control barriers; the rest of `B` are arrivals.
        Wait = "WAIT" in PTX;
        /// The read and the write of each read-modify-write.
        Rmw = "RMW" in ANY;
        /// Initial writes.
        Iw = "IW" in ANY;
        /// The fence of x86.
        Mfence = "MFENCE" in PLAIN;
        /// Plain (non-atomic) accesses of C++.
        Na = "NA" in C;
        /// Atomic operations of C++: reads, writes and fences that are not plain; initial writes are not in it.
        Atomic = "A" in C;
        /// Weak operations of PTX; initial writes are among them.
        Weak = "WEAK" in PTX;
        /// Relaxed, and nothing stronger.
        Rlx = "RLX" in SCOPED;
        /// Acquire, and nothing stronger.
        Acq = "ACQ" in SCOPED;
        /// Release, and nothing stronger.
        Rel = "REL" in SCOPED;
        /// Acquire-release fences (the halves of an RMW carry ACQ and REL).
        AcqRel = "ACQ_REL" | "AR" in SCOPED;
        /// Sequentially consistent.
        Sc = "SC" in SCOPED;
        /// Operations of cta (block, work-group) scope.
        Cta = "CTA" | "WG" | "BLOCK" in SCOPED;
        /// Operations of cluster scope.
        Cluster = "CLUSTER" in SCOPED;
        /// Operations of gpu (device) scope.
        Gpu = "GPU" | "DEV" | "DEVICE" in SCOPED;
        /// Operations of sys (system) scope.
        Sys = "SYS" | "SYSTEM" in SCOPED;
        /// Accesses through the generic proxy.
        Gen = "GEN" in PTX;
        /// Proxy fences for virtual aliases.
        Alias = "ALIAS" in PTX;
        /// Surface accesses and their proxy fences.
        Sur = "SUR" in PTX;
        /// Texture accesses and their proxy fences.
        Tex = "TEX" in PTX;
        /// Constant accesses and their proxy fences.
        Con = "CON" in PTX;
        /// The write half of a `red` and its read half: reductions return nothing.
        Red = "RED" in PTX;
        /// Both halves of an exchange: what it writes does not depend on what it read.
        Xchg = "XCHG" in PTX;
        /// Volatile operations.
        Volatile = "VOLATILE" in PTX;
        /// `.mmio` operations.
        Mmio = "MMIO" in PTX;
    }
    /// The events that carry a tag of an architecture that is a text.
    Tag(Tag);
    /// The operations of a scope of an architecture that is a text.
    Level(Level);
}

names! {
    /// A base relation between events.
    BaseRelation {
        /// The identity over all events.
        Id = "id" in ANY;
        /// Program order (C++: sequenced-before): total in each thread; initial writes are outside of it.
        Po = "po" | "sb" in ANY;
        /// Reads-from: from the one write that a read reads.
        Rf = "rf" in ANY;
        /// Coherence order (C++: modification order): a strict order over the writes of each location, initial write first;
        /// total for C++ and plain, partial for PTX.
        Co = "co" | "mo" in ANY;
        /// From-reads: `rf^-1; co`.
        Fr = "fr" | "rb" in ANY;
        /// Same (physical) location, reflexive on memory events.
        Loc = "loc" in ANY;
        /// Same generic address (the memory may have several: virtual aliases), reflexive on memory events.
        Vloc = "vloc" in PTX;
        /// Same thread, reflexive; an initial write is alone in its thread.
        Int = "int" in ANY;
        /// Different threads; the complement of `int`.
        Ext = "ext" in ANY;
        /// From the read to the write of a read-modify-write.
        Rmw = "rmw" | "amo" in ANY;
        /// Address dependency, from a read to a later access of the thread.
        Addr = "addr" in ANY;
        /// Data dependency, from a read to a later write of the thread.
        Data = "data" in ANY;
        /// Control dependency, from a read to the later events of the thread.
        Ctrl = "ctrl" in ANY;
        /// Both have a scope, and each scope includes the other's thread (Fig. 10: `incl`).
        Sr = "sr" | "incl" in SCOPED;
        /// The threads of both are in one cta.
        Scta = "scta" | "same-cta" in SCOPED;
        /// The threads of both are in one cluster.
        Scluster = "scluster" | "same-cluster" in SCOPED;
        /// The threads of both are on one gpu.
        Sgpu = "sgpu" | "same-gpu" in SCOPED;
        /// Both are barrier operations on one barrier of one cta, or of one cluster.
        Syncbar = "syncbar" in PTX;
        /// From each arrival at a barrier to the waits that it releases.
        SyncBarrier = "sync_barrier" in PTX;
        /// Fence-SC order: a strict partial order over `fence.sc` operations.
        SyncFence = "sync_fence" in PTX;
    }
    /// The threads of both share a level of an architecture that is a text.
    Same(SameLevel);
}

impl BaseSet {
    /// Those of a signature.
    pub fn all(signature: Signature) -> Vec<Self> {
        let mut all: Vec<Self> = Self::ALL.iter().copied().filter(|b| b.is_in(signature)).collect();
        if let Signature::Text(architecture) = signature {
            all.extend(architecture.tags().map(Self::Tag));
            all.extend(architecture.levels().map(Self::Level));
        }
        all
    }

    /// The scope whose operations it is.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Cta => Some(Scope::Cta),
            Self::Cluster => Some(Scope::Cluster),
            Self::Gpu => Some(Scope::Gpu),
            Self::Sys => Some(Scope::Sys),
            Self::Level(level) => Some(level.scope()),
            _ => None,
        }
    }

    fn is_in_text(self, _: Architecture, everywhere: bool) -> bool {
        everywhere
    }
}

impl BaseRelation {
    /// Those of a signature.
    pub fn all(signature: Signature) -> Vec<Self> {
        let mut all: Vec<Self> = Self::ALL.iter().copied().filter(|b| b.is_in(signature)).collect();
        if let Signature::Text(architecture) = signature {
            // What all threads share is every pair of them.
            let levels = architecture.levels().filter(|level| level.scope() != Scope::Sys);
            all.extend(levels.map(|level| Self::Same(SameLevel(level))));
        }
        all
    }

    /// The scope that the threads share, if it says so of them.
    pub fn level(self) -> Option<Scope> {
        match self {
            Self::Scta => Some(Scope::Cta),
            Self::Scluster => Some(Scope::Cluster),
            Self::Sgpu => Some(Scope::Gpu),
            Self::Same(level) => Some(level.scope()),
            _ => None,
        }
    }

    /// Dependencies and inclusion of scopes are there where the text says so.
    fn is_in_text(self, architecture: Architecture, everywhere: bool) -> bool {
        match self {
            Self::Addr | Self::Data | Self::Ctrl => architecture.has(self),
            Self::Sr => !architecture.scopes().is_empty(),
            _ => everywhere,
        }
    }
}
