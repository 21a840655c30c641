//! The base sets, and how they and the base relations (`relation.rs`) get their names: what a model
//! may use without defining it. How each follows from an execution is in the code; which an
//! architecture has, and what they are called there, its text says (docs/architectures.md).

use super::architecture::ScopeLevel;
use super::{Signature, Tag};
use crate::execution::{Order, Scope};

macro_rules! bases {
    (
        $(#[$meta:meta])*
        $enum:ident, $common:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }
        every architecture: { $($everywhere:ident = $($alias:literal)|+,)* }
        $($(#[$more:meta])* $other:ident($of:ty);)*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$doc])* $variant,)* $($(#[$more])* $other($of),)* }

        impl $enum {
            /// All of them that the code defines; those that are tags and scopes of one
            /// architecture come on top.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// The name to show.
            pub fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)* $($enum::$other(of) => <$of>::names(of)[0],)* }
            }

            /// The one of a name among those that the code defines.
            pub(super) fn defined(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|base| base.name() == name)
            }
        }

        /// Those of every architecture, with all their names.
        pub(super) const $common: &[($enum, &[&str])] = &[$(($enum::$everywhere, &[$($alias),+]),)*];
    };
}

bases! {
    /// A base set of events.
    BaseSet, COMMON_SETS {
        /// Every event, initial writes included.
        Universe = "_",
        /// Writes, initial ones included.
        W = "W",
        /// Reads.
        R = "R",
        /// Reads and writes.
        M = "M",
        /// Fences.
        F = "F",
        /// Control barriers (`bar.sync` and kin).
        B = "B",
        /// Waits at control barriers; the rest of `B` are arrivals.
        Wait = "WAIT",
        /// The read and the write of each read-modify-write.
        Rmw = "RMW",
        /// Initial writes.
        Iw = "IW",
        /// The fence of x86.
        Mfence = "MFENCE",
        /// Plain (non-atomic) accesses of C++, and any that carry no tag; initial writes are among
        /// them.
        Na = "NA",
        /// Atomic operations of C++: reads, writes and fences that are not plain; initial writes
        /// are not in it.
        Atomic = "A",
        /// Weak operations of PTX; initial writes are among them.
        Weak = "WEAK",
        /// Relaxed, and nothing stronger.
        Rlx = "RLX",
        /// Acquire, and nothing stronger.
        Acq = "ACQ",
        /// Release, and nothing stronger.
        Rel = "REL",
        /// Acquire-release fences (the halves of an RMW carry ACQ and REL).
        AcqRel = "ACQ_REL",
        /// Sequentially consistent.
        Sc = "SC",
        /// Operations of cta (block, work-group) scope.
        Cta = "CTA",
        /// Operations of cluster scope.
        Cluster = "CLUSTER",
        /// Operations of gpu (device) scope.
        Gpu = "GPU",
        /// Operations of sys (system) scope.
        Sys = "SYS",
        /// Accesses through the generic proxy.
        Gen = "GEN",
        /// Proxy fences for virtual aliases.
        Alias = "ALIAS",
        /// Surface accesses and their proxy fences.
        Sur = "SUR",
        /// Texture accesses and their proxy fences.
        Tex = "TEX",
        /// Constant accesses and their proxy fences.
        Con = "CON",
        /// Accesses of asynchronous operations through their proxy, those of tensor memory among
        /// them, and its fences; the fences of `tcgen05`.
        Async = "ASYNC",
        /// Reads of tensor maps by asynchronous operations, through their proxy, and its fences.
        Tensormap = "TENSORMAP",
        /// Accesses of shared memory, and fences that are for them, of the async proxy or of all.
        Shared = "SHARED",
        /// Accesses of global memory, and fences of the async proxy that are for them.
        Global = "GLOBAL",
        /// Operations on mbarriers, and fences for their initialisation.
        Mbarrier = "MBARRIER",
        /// The write half of a `red` and its read half: reductions return nothing.
        Red = "RED",
        /// Both halves of an exchange: what it writes does not depend on what it read.
        Xchg = "XCHG",
        /// Volatile operations.
        Volatile = "VOLATILE",
        /// `.mmio` operations.
        Mmio = "MMIO",
    }
    every architecture: {
        Universe = "_",
        W = "W",
        R = "R",
        M = "M",
        F = "F",
        Rmw = "RMW",
        Iw = "IW",
    }
    /// The events that carry a tag of an architecture whose tests no front end reads.
    Tag(Tag);
    /// The operations of a scope of such an architecture.
    Level(ScopeLevel);
}

/// Base sets or relations of an architecture, each with all its names there.
pub(super) type NamedBases<T> = Vec<(T, Vec<&'static str>)>;

/// The one that a name stands for.
pub(super) fn of_name<T: Copy>(known: &NamedBases<T>, name: &str) -> Option<T> {
    known.iter().find(|(_, names)| names.contains(&name)).map(|(base, _)| *base)
}

/// The names of those that the architectures with a front end have.
pub(super) fn names_of_front_ends<T: 'static>(
    of: impl Fn(Signature) -> &'static NamedBases<T>,
) -> impl Iterator<Item = &'static str> {
    Signature::FRONT_ENDS.into_iter().flat_map(move |signature| {
        of(signature).iter().flat_map(|(_, names)| names.iter().copied())
    })
}

impl BaseSet {
    /// Those of a signature.
    pub fn all(signature: Signature) -> impl Iterator<Item = Self> {
        signature.sets().iter().map(|(set, _)| *set)
    }

    /// Does the signature have it?
    pub fn is_in(self, signature: Signature) -> bool {
        Self::all(signature).any(|set| set == self)
    }

    /// The base that `name` stands for in the signature.
    pub fn from_name(name: &str, signature: Signature) -> Option<Self> {
        of_name(signature.sets(), name)
    }

    /// Every name of a base set in a signature.
    pub fn names(signature: Signature) -> impl Iterator<Item = &'static str> {
        signature.sets().iter().flat_map(|(_, names)| names.iter().copied())
    }

    /// Every name of a base set in the architectures that a front end reads: PTX, C and plain
    /// accesses.
    pub fn names_of_front_ends() -> impl Iterator<Item = &'static str> {
        names_of_front_ends(Signature::sets)
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

    /// The operations of a scope, where a front end makes them.
    pub(super) fn of_scope(scope: Scope) -> Option<Self> {
        [Self::Cta, Self::Cluster, Self::Gpu, Self::Sys]
            .into_iter()
            .find(|set| set.scope() == Some(scope))
    }

    /// The events of a memory order, where a front end makes them.
    pub(super) fn of_order(order: Order) -> Option<Self> {
        match order {
            Order::Plain | Order::Tagged(_) => None,
            Order::Rlx => Some(Self::Rlx),
            Order::Acq => Some(Self::Acq),
            Order::Rel => Some(Self::Rel),
            Order::AcqRel => Some(Self::AcqRel),
            Order::Sc => Some(Self::Sc),
        }
    }
}
