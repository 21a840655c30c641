//! The base sets and relations: what a model may use without defining it. How each follows from an execution is in the code; which an
//! architecture has, and what they are called there, its text says (docs/architectures.md).

use super::architecture::{SameLevel, ScopeLevel};
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
            /// All of them that the code defines; those that are tags and scopes of one architecture come on top.
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
        /// Plain (non-atomic) accesses of C++, and any that carry no tag; initial writes are among them.
        Na = "NA",
        /// Atomic operations of C++: reads, writes and fences that are not plain; initial writes are not in it.
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
        /// Accesses of asynchronous operations through their proxy, those of tensor memory among them, and its fences; the fences of `tcgen05`.
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

bases! {
    /// A base relation between events.
    BaseRelation, COMMON_RELATIONS {
        /// The identity over all events.
        Id = "id",
        /// Program order (C++: sequenced-before): total in each thread; initial writes are outside of it.
        Po = "po",
        /// Reads-from: from the one write that a read reads.
        Rf = "rf",
        /// Coherence order (C++: modification order): a strict order over the writes of each location, initial write first;
        /// total or partial, as the architecture says.
        Co = "co",
        /// From-reads: `rf^-1; co`.
        Fr = "fr",
        /// Same (physical) location, reflexive on memory events.
        Loc = "loc",
        /// Same generic address (the memory may have several: virtual aliases), reflexive on memory events.
        Vloc = "vloc",
        /// Same thread, reflexive; an initial write is alone in its thread.
        Int = "int",
        /// Different threads; the complement of `int`.
        Ext = "ext",
        /// From the read to the write of a read-modify-write.
        Rmw = "rmw",
        /// Address dependency, from a read to a later access of the thread.
        Addr = "addr",
        /// Data dependency, from a read to a later write of the thread.
        Data = "data",
        /// Control dependency, from a read to the later events of the thread.
        Ctrl = "ctrl",
        /// Both have a scope, and each scope includes the other's thread (Fig. 10: `incl`).
        Sr = "sr",
        /// The threads of both are in one cta.
        Scta = "scta",
        /// The threads of both are in one cluster.
        Scluster = "scluster",
        /// The threads of both are on one gpu.
        Sgpu = "sgpu",
        /// Both are barrier operations on one barrier of one cta, or of one cluster.
        Syncbar = "syncbar",
        /// From each arrival at a barrier to the waits that it releases.
        SyncBarrier = "sync_barrier",
        /// From what a thread does before it issues an asynchronous operation to the events of that.
        AsyncIssue = "async_issue",
        /// From the events of an asynchronous operation to what waits for its completion; of a pipelined one to a fence that is told of it.
        AsyncComplete = "async_complete",
        /// Fence-SC order: a strict partial order over the fences that the architecture says (PTX: `fence.sc`).
        SyncFence = "sync_fence",
    }
    every architecture: {
        Id = "id",
        Po = "po" | "sb",
        Rf = "rf",
        Co = "co" | "mo",
        Fr = "fr" | "rb",
        Loc = "loc",
        Int = "int",
        Ext = "ext",
        Rmw = "rmw" | "amo",
    }
    /// The threads of both share a level of an architecture whose tests no front end reads.
    Same(SameLevel);
}

/// What several base relations have in common, for whoever treats them alike. What each says of two events every engine knows for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    /// It follows from others: `id`, `fr`, `ext`.
    Derived,
    /// A dependency: its number in [`BaseRelation::DEPENDENCIES`].
    Dependency(usize),
    /// The threads of both share this level.
    Level(Scope),
    /// It is between operations on barriers.
    Barrier,
    /// One side of it is an event of an asynchronous operation.
    Asynchronous,
    /// Same location, or same generic address.
    Place,
    /// Program order. None is like it.
    Po,
    /// Reads-from. None is like it.
    Rf,
    /// Coherence order. None is like it.
    Co,
    /// The same thread. None is like it.
    Int,
    /// The halves of a read-modify-write. None is like it.
    Rmw,
    /// Each scope includes the other thread. None is like it.
    Sr,
    /// The order of fences. None is like it.
    SyncFence,
}

impl BaseRelation {
    /// Those by which an instruction waits for what a read returns.
    pub const DEPENDENCIES: [Self; 3] = [Self::Addr, Self::Data, Self::Ctrl];

    /// Those that are searched for: what a program and its outcome leave open.
    pub const CHOSEN: [Self; 3] = [Self::Rf, Self::Co, Self::SyncFence];

    /// Those by which a value goes from one access to another.
    pub const PASS_VALUES: [Self; 3] = [Self::Rf, Self::Data, Self::Rmw];

    /// Those along which whoever comes to a barrier, and what comes behind it, is later: a machine makes no circle of them.
    pub const PAST_BARRIERS: [Self; 4] = [Self::Po, Self::SyncBarrier, Self::AsyncIssue, Self::AsyncComplete];

    /// Those that any text can pick, beside what every architecture has: several references to one memory, and meetings of threads.
    pub(super) const OF_ANY_TEXT: [Self; 2] = [Self::Vloc, Self::SyncBarrier];

    pub fn kind(self) -> RelationKind {
        match self {
            Self::Id | Self::Fr | Self::Ext => RelationKind::Derived,
            Self::Addr => RelationKind::Dependency(0),
            Self::Data => RelationKind::Dependency(1),
            Self::Ctrl => RelationKind::Dependency(2),
            Self::Scta => RelationKind::Level(Scope::Cta),
            Self::Scluster => RelationKind::Level(Scope::Cluster),
            Self::Sgpu => RelationKind::Level(Scope::Gpu),
            Self::Same(level) => RelationKind::Level(level.scope()),
            Self::Syncbar | Self::SyncBarrier => RelationKind::Barrier,
            Self::AsyncIssue | Self::AsyncComplete => RelationKind::Asynchronous,
            Self::Loc | Self::Vloc => RelationKind::Place,
            Self::Po => RelationKind::Po,
            Self::Rf => RelationKind::Rf,
            Self::Co => RelationKind::Co,
            Self::Int => RelationKind::Int,
            Self::Rmw => RelationKind::Rmw,
            Self::Sr => RelationKind::Sr,
            Self::SyncFence => RelationKind::SyncFence,
        }
    }

    /// Does each of its pairs end at an event of an asynchronous operation?
    pub fn leads_to_asynchronous(self) -> bool {
        self == Self::AsyncIssue
    }

    /// Does an execution say it as it is? The others follow from these, or from what two events are.
    pub fn is_stored(self) -> bool {
        use RelationKind::{Asynchronous, Barrier, Co, Dependency, Derived, Int, Level, Place, Po, Rf, Rmw, Sr, SyncFence};
        match self.kind() {
            Po | Rf | Co | Rmw | SyncFence | Dependency(_) | Asynchronous => true,
            Int | Sr | Place | Level(_) | Derived => false,
            Barrier => self == Self::SyncBarrier,
        }
    }

    /// Does it lead from one event to another, as pictures draw it, rather than compare the two?
    pub fn leads(self) -> bool {
        self.is_stored() || self == Self::Fr
    }

    /// Are all its pairs of accesses to memory? (Control dependencies lead to fences, too.)
    pub fn is_between_accesses(self) -> bool {
        matches!(self, Self::Rf | Self::Co | Self::Fr | Self::Loc | Self::Vloc | Self::Rmw | Self::Addr | Self::Data)
    }

    /// Does each of its pairs come from an event of the same thread, without which the other would not be executed?
    pub fn comes_from_earlier(self) -> bool {
        use RelationKind::{Asynchronous, Dependency, Po, Rmw};
        matches!(self.kind(), Po | Rmw | Dependency(_) | Asynchronous)
    }

    /// That `a` and `b` are related, in words.
    pub fn phrase(self, a: &str, b: &str) -> String {
        match self {
            Self::Id => format!("{a} is {b}"),
            Self::Po => format!("{a} is sequenced before {b}"),
            Self::Rf => format!("{b} reads from {a}"),
            Self::Co => format!("{b} overwrites {a}"),
            Self::Fr => format!("{a} reads a value that {b} overwrites"),
            Self::Rmw => format!("{a} and {b} are one read-modify-write"),
            Self::Loc => format!("{a} and {b} access one location"),
            Self::Vloc => format!("{a} and {b} access one generic address"),
            Self::Int => format!("{a} and {b} are of one thread"),
            Self::Ext => format!("{a} and {b} are of different threads"),
            Self::Addr => format!("the address of {b} depends on {a}"),
            Self::Data => format!("the value of {b} depends on {a}"),
            Self::Ctrl => format!("whether {b} is executed depends on {a}"),
            Self::Sr => format!("the scopes of {a} and {b} include each other's thread"),
            Self::Scta => format!("{a} and {b} are in one cta"),
            Self::Scluster => format!("{a} and {b} are in one cluster"),
            Self::Sgpu => format!("{a} and {b} are on one gpu"),
            Self::Same(level) => format!("{a} and {b} are in one {}", level.name()),
            Self::Syncbar => format!("{a} and {b} are at one barrier"),
            Self::SyncBarrier => format!("{b} waits at the barrier for {a}"),
            Self::AsyncIssue => format!("{a} is before the instruction that issues {b}"),
            Self::AsyncComplete => format!("{b} waits until {a} is complete"),
            Self::SyncFence => format!("{a} is before {b} in Fence-SC order"),
        }
    }
}

/// Base sets or relations of an architecture, each with all its names there.
pub(super) type NamedBases<T> = Vec<(T, Vec<&'static str>)>;

impl Signature {
    /// Do threads of its tests meet at barriers, so that `sync_barrier` relates them?
    pub fn has_barriers(self) -> bool {
        BaseRelation::SyncBarrier.is_in(self)
    }

    /// Can a location have several references in its tests, told apart by `vloc`?
    pub fn has_references(self) -> bool {
        BaseRelation::Vloc.is_in(self)
    }
}

/// The one that a name stands for.
fn of_name<T: Copy>(known: &NamedBases<T>, name: &str) -> Option<T> {
    known.iter().find(|(_, names)| names.contains(&name)).map(|(base, _)| *base)
}

/// The names of those that the architectures with a front end have.
fn names_of_front_ends<T: 'static>(of: impl Fn(Signature) -> &'static NamedBases<T>) -> impl Iterator<Item = &'static str> {
    Signature::FRONT_ENDS.into_iter().flat_map(move |signature| of(signature).iter().flat_map(|(_, names)| names.iter().copied()))
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

    /// Every name of a base set in the architectures that a front end reads: PTX, C and plain accesses.
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
        [Self::Cta, Self::Cluster, Self::Gpu, Self::Sys].into_iter().find(|set| set.scope() == Some(scope))
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

impl BaseRelation {
    /// Those of a signature.
    pub fn all(signature: Signature) -> impl Iterator<Item = Self> {
        signature.relations().iter().map(|(relation, _)| *relation)
    }

    /// Does the signature have it?
    pub fn is_in(self, signature: Signature) -> bool {
        Self::all(signature).any(|relation| relation == self)
    }

    /// The base that `name` stands for in the signature.
    pub fn from_name(name: &str, signature: Signature) -> Option<Self> {
        of_name(signature.relations(), name)
    }

    /// Every name of a base relation in a signature.
    pub fn names(signature: Signature) -> impl Iterator<Item = &'static str> {
        signature.relations().iter().flat_map(|(_, names)| names.iter().copied())
    }

    /// Every name of a base relation in the architectures that a front end reads: PTX, C and plain accesses.
    pub fn names_of_front_ends() -> impl Iterator<Item = &'static str> {
        names_of_front_ends(Signature::relations)
    }

    /// The scope that the threads share, if it says so of them.
    pub fn level(self) -> Option<Scope> {
        match self.kind() {
            RelationKind::Level(scope) => Some(scope),
            _ => None,
        }
    }

    /// The threads of both are in one group of a scope, where a front end places them.
    pub(super) fn of_level(scope: Scope) -> Option<Self> {
        [Self::Scta, Self::Scluster, Self::Sgpu].into_iter().find(|relation| relation.level() == Some(scope))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{BaseRelation, RelationKind};
    use crate::execution::Execution;
    use crate::signature::Signature;

    #[test]
    fn kinds_agree_with_the_lists_of_names() {
        for (number, relation) in BaseRelation::DEPENDENCIES.into_iter().enumerate() {
            assert_eq!(relation.kind(), RelationKind::Dependency(number));
        }
        let of_others = BaseRelation::ALL.iter().filter(|relation| matches!(relation.kind(), RelationKind::Dependency(_)));
        assert_eq!(of_others.count(), BaseRelation::DEPENDENCIES.len());
    }

    #[test]
    fn what_is_stored_is_not_computed() {
        let execution = Execution::new(Signature::C, Vec::new(), Vec::new(), Vec::new());
        for &relation in BaseRelation::ALL {
            let is_borrowed = matches!(execution.relation(relation), Cow::Borrowed(_));
            assert_eq!(relation.is_stored(), is_borrowed, "{relation:?}");
        }
    }
}
