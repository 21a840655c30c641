//! The base relations, and what each is like: whoever treats several alike asks here, and names
//! none (docs/architecture.md, "A relation").

use super::architecture::SameLevel;
use super::base::{names_of_front_ends, of_name};
use super::{BaseSet, Signature};
use crate::execution::Scope;

bases! {
    /// A base relation between events.
    BaseRelation, COMMON_RELATIONS {
        /// The identity over all events.
        Id = "id",
        /// Program order (C++: sequenced-before): total in each thread; initial writes are outside
        /// of it.
        Po = "po",
        /// Reads-from: from the one write that a read reads.
        Rf = "rf",
        /// Coherence order (C++: modification order): a strict order over the writes of each
        /// location, initial write first; total or partial, as the architecture says.
        Co = "co",
        /// From-reads: `rf^-1; co`.
        Fr = "fr",
        /// Same (physical) location, reflexive on memory events.
        Loc = "loc",
        /// Same generic address (the memory may have several: virtual aliases), reflexive on memory
        /// events.
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
        /// From what a thread does before it issues an asynchronous operation to the events of
        /// that.
        AsyncIssue = "async_issue",
        /// From the events of an asynchronous operation to what waits for its completion; of a
        /// pipelined one to a fence that is told of it.
        AsyncComplete = "async_complete",
        /// Fence-SC order: a strict partial order over the fences that the architecture says (PTX:
        /// `fence.sc`).
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

/// How a base relation follows from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationFormula {
    /// Each event with itself.
    Identity,
    /// The pairs that the other one does not have.
    Complement(BaseRelation),
    /// The one backwards, then the other: `r^-1; s`.
    BackAndOn(BaseRelation, BaseRelation),
}

/// Which events stand at one end of the pairs of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairEnd {
    Read,
    Write,
    /// A read or a write.
    Access,
    /// Any event: fences and barriers, too.
    Any,
}

/// How a pair lies in an execution, for whoever asks what one more operation adds to a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairCourse {
    /// From an event to a later one of its thread, however far: program order and dependencies.
    Onward,
    /// From the first half of an operation to the second.
    WithinOperation,
    /// From access to access of one location, by what an execution chooses.
    Communication,
    /// From an event to itself.
    Itself,
    /// It says nothing of that.
    Anywhere,
}

/// What relations that are drawn alike have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationLook {
    ReadsFrom,
    Coherence,
    FromReads,
    Update,
    Synchronization,
    ProgramOrder,
    Dependency,
    /// As relations that only a model explains.
    Derived,
}

/// One thing for each relation that is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChosenRelations<T> {
    pub rf: T,
    pub co: T,
    pub sync_fence: T,
}

impl<T> ChosenRelations<T> {
    /// What `of` gives for each.
    pub fn of(of: impl FnMut(BaseRelation) -> T) -> Self {
        let [rf, co, sync_fence] = BaseRelation::CHOSEN.map(of);
        Self { rf, co, sync_fence }
    }

    /// The one of a relation; `None` for one that is not searched for.
    pub fn get(&self, relation: BaseRelation) -> Option<&T> {
        let at = BaseRelation::CHOSEN.iter().position(|&chosen| chosen == relation)?;
        Some([&self.rf, &self.co, &self.sync_fence][at])
    }
}

/// What several base relations have in common, for whoever treats them alike. What each says of two
/// events every engine knows for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    /// It follows from others: `id`, `fr`, `ext`.
    Derived(RelationFormula),
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

    /// Those of them that are orders, and what they are called: an execution has as much of them as
    /// a model asks for.
    pub const CHOSEN_ORDERS: [(Self, &str); 2] =
        [(Self::Co, "coherence order"), (Self::SyncFence, "Fence-SC order")];

    /// Those by which the accesses of one location follow each other: from the write to its reads,
    /// from write to write, from a read to later writes.
    pub const COMMUNICATION: [Self; 3] = [Self::Rf, Self::Co, Self::Fr];

    /// What both have a pair of is in program order at one location.
    pub const IN_ORDER_AT_A_PLACE: [Self; 2] = [Self::Po, Self::Loc];

    /// Those by which a value goes through read-modify-writes.
    pub const THROUGH_UPDATES: [Self; 2] = [Self::Rf, Self::Rmw];

    /// Those that pictures draw whole, in this order. Of an order they draw its steps.
    pub const DRAWN: [Self; 11] = [
        Self::Po,
        Self::Rf,
        Self::Co,
        Self::Rmw,
        Self::SyncFence,
        Self::SyncBarrier,
        Self::AsyncIssue,
        Self::AsyncComplete,
        Self::Addr,
        Self::Data,
        Self::Ctrl,
    ];

    /// Those that only mbarriers and asynchronous operations have pairs of.
    pub const ASYNCHRONOUS: [Self; 2] = [Self::AsyncIssue, Self::AsyncComplete];

    /// Those that only barriers have pairs of.
    pub const BARRIERS: [Self; 2] = [Self::Syncbar, Self::SyncBarrier];

    /// Those by which a value goes from one access to another.
    pub const PASS_VALUES: [Self; 3] = [Self::Rf, Self::Data, Self::Rmw];

    /// Those along which whoever comes to a barrier, and what comes behind it, is later: a machine
    /// makes no circle of them.
    pub const PAST_BARRIERS: [Self; 4] =
        [Self::Po, Self::SyncBarrier, Self::AsyncIssue, Self::AsyncComplete];

    /// Those that any text can pick, beside what every architecture has: several references to one
    /// memory, and meetings of threads.
    pub(super) const OF_ANY_TEXT: [Self; 2] = [Self::Vloc, Self::SyncBarrier];

    /// Those that a text has by its lines `scope` and `chosen`, without naming them.
    pub(super) fn of_lines(has_scopes: bool, chooses_fences: bool) -> impl Iterator<Item = Self> {
        let all = [(Self::Sr, has_scopes), (Self::SyncFence, chooses_fences)];
        all.into_iter().filter(|(_, has)| *has).map(|(relation, _)| relation)
    }

    pub fn kind(self) -> RelationKind {
        match self {
            Self::Id => RelationKind::Derived(RelationFormula::Identity),
            Self::Fr => RelationKind::Derived(RelationFormula::BackAndOn(Self::Rf, Self::Co)),
            Self::Ext => RelationKind::Derived(RelationFormula::Complement(Self::Int)),
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

    /// Does an execution say it as it is? The others follow from these, or from what two events
    /// are.
    pub fn is_stored(self) -> bool {
        use RelationKind::{
            Asynchronous, Barrier, Co, Dependency, Derived, Int, Level, Place, Po, Rf, Rmw, Sr,
            SyncFence,
        };
        match self.kind() {
            Po | Rf | Co | Rmw | SyncFence | Dependency(_) | Asynchronous => true,
            Int | Sr | Place | Level(_) | Derived(_) => false,
            Barrier => self == Self::SyncBarrier,
        }
    }

    /// Does it lead from one event to another, as pictures draw it, rather than compare the two?
    pub fn leads(self) -> bool {
        self.is_stored() || self == Self::Fr
    }

    /// The relation that `back^-1; on` spells out.
    pub fn back_and_on(back: Self, on: Self) -> Option<Self> {
        let spelt = RelationKind::Derived(RelationFormula::BackAndOn(back, on));
        Self::ALL.iter().copied().find(|relation| relation.kind() == spelt)
    }

    /// The relations that it follows from; itself, if it follows from none.
    pub fn parts(self) -> Vec<Self> {
        match self.kind() {
            RelationKind::Derived(RelationFormula::Identity) => Vec::new(),
            RelationKind::Derived(RelationFormula::Complement(of)) => vec![of],
            RelationKind::Derived(RelationFormula::BackAndOn(back, on)) => vec![back, on],
            _ => vec![self],
        }
    }

    /// Those that follow from others, and how; what others are made of comes before them.
    pub fn derived() -> impl Iterator<Item = (Self, RelationFormula)> {
        [Self::Id, Self::Ext, Self::Fr].into_iter().filter_map(|relation| match relation.kind() {
            RelationKind::Derived(formula) => Some((relation, formula)),
            _ => None,
        })
    }

    /// Which events its pairs go from, and to.
    pub fn ends(self) -> [PairEnd; 2] {
        use PairEnd::{Access, Any, Read, Write};
        match self {
            Self::Rf => [Write, Read],
            Self::Co => [Write, Write],
            Self::Fr | Self::Rmw | Self::Data => [Read, Write],
            Self::Addr => [Read, Access],
            Self::Ctrl => [Read, Any],
            Self::Loc | Self::Vloc => [Access, Access],
            _ => [Any, Any],
        }
    }

    pub fn course(self) -> PairCourse {
        match self {
            Self::Po | Self::Addr | Self::Data | Self::Ctrl => PairCourse::Onward,
            Self::Rmw => PairCourse::WithinOperation,
            Self::Rf | Self::Co | Self::Fr => PairCourse::Communication,
            Self::Id => PairCourse::Itself,
            _ => PairCourse::Anywhere,
        }
    }

    /// Is it a strict order, of which the steps say all?
    pub fn is_order(self) -> bool {
        matches!(self, Self::Po | Self::Co | Self::SyncFence)
    }

    /// Is it the order of fences that an execution chooses?
    pub fn orders_fences(self) -> bool {
        self == Self::SyncFence
    }

    pub fn is_program_order(self) -> bool {
        self == Self::Po
    }

    /// Is it, or is it made of, the order of writes to one location?
    pub fn speaks_of_coherence(self) -> bool {
        self.parts().contains(&Self::Co)
    }

    /// Does an execution of a program leave it open? Who meets whom at barriers depends on the
    /// paths that threads take.
    pub fn is_open_in_program(self) -> bool {
        self == Self::SyncBarrier || self.parts().iter().any(|part| Self::CHOSEN.contains(part))
    }

    /// Does each of its pairs lead to an event that a machine can only carry out later, unless
    /// values come out of thin air?
    pub fn goes_forward(self) -> bool {
        matches!(self.course(), PairCourse::Onward | PairCourse::WithinOperation)
            || self == Self::Rf
    }

    /// Does it relate whole threads, or their events whatever these are? Of such a relation the
    /// target of a mapping sees what is emitted.
    pub fn is_of_whole_threads(self) -> bool {
        matches!(self, Self::Po | Self::Int | Self::Ctrl) || self.level().is_some()
    }

    /// Of those that compare places: is it by the generic address, rather than the location?
    pub fn is_of_addresses(self) -> bool {
        self == Self::Vloc
    }

    /// Does it follow from what its two events are, whatever else there is? (Who meets whom at a
    /// barrier depends on who else comes.)
    pub fn follows_from_two_events(self) -> bool {
        !self.leads() && self.kind() != RelationKind::Barrier
    }

    /// Does it compare where two threads run, or the scopes of two events?
    pub fn compares_scopes(self) -> bool {
        self == Self::Sr || self.level().is_some()
    }

    /// Are all its pairs of accesses to memory? (Control dependencies lead to fences, too.)
    pub fn is_between_accesses(self) -> bool {
        !self.ends().contains(&PairEnd::Any)
    }

    /// Does each of its pairs come from an event of the same thread, without which the other would
    /// not be executed?
    pub fn comes_from_earlier(self) -> bool {
        use RelationKind::{Asynchronous, Dependency, Po, Rmw};
        matches!(self.kind(), Po | Rmw | Dependency(_) | Asynchronous)
    }

    /// How pictures draw it.
    pub fn look(self) -> RelationLook {
        match self {
            Self::Rf => RelationLook::ReadsFrom,
            Self::Co => RelationLook::Coherence,
            Self::Fr => RelationLook::FromReads,
            Self::Rmw => RelationLook::Update,
            Self::SyncFence | Self::SyncBarrier => RelationLook::Synchronization,
            Self::Po => RelationLook::ProgramOrder,
            Self::Addr | Self::Data | Self::Ctrl => RelationLook::Dependency,
            _ => RelationLook::Derived,
        }
    }

    /// What the legend of a picture says of it, where it is called so; `None` for those of which
    /// the name says all.
    pub fn legend(self, called: &str) -> Option<&'static str> {
        Some(match self {
            Self::Po if called == "sb" => "sequenced before",
            Self::Po => "program order",
            Self::Rf => "reads from",
            Self::Co if called == "mo" => "modification order",
            Self::Co => "coherence order",
            Self::Fr => "reads before",
            Self::Rmw => "read-modify-write",
            Self::SyncFence => "Fence-SC order",
            Self::SyncBarrier => "barrier",
            Self::Addr => "address dependency",
            Self::Data => "data dependency",
            Self::Ctrl => "control dependency",
            _ => return None,
        })
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

impl BaseSet {
    /// The relation at whose ends its members stand.
    pub fn ends_of(self) -> Option<BaseRelation> {
        (self == Self::Rmw).then_some(BaseRelation::Rmw)
    }
}

impl Signature {
    /// The order that a text can add to what each execution chooses: one of fences.
    pub fn order_of_fences() -> &'static str {
        BaseRelation::SyncFence.name()
    }

    /// The orders that an execution of it chooses, what they are called, and whether each is total.
    pub fn chosen_orders(self) -> impl Iterator<Item = (BaseRelation, &'static str, bool)> {
        let is_total = move |order| order == BaseRelation::Co && self.total_coherence();
        let all =
            BaseRelation::CHOSEN_ORDERS.into_iter().filter(move |(order, _)| order.is_in(self));
        all.map(move |(order, name)| (order, name, is_total(order)))
    }

    /// Do threads of its tests meet at barriers, so that `sync_barrier` relates them?
    pub fn has_barriers(self) -> bool {
        BaseRelation::SyncBarrier.is_in(self)
    }

    /// Can a location have several references in its tests, told apart by `vloc`?
    pub fn has_references(self) -> bool {
        BaseRelation::Vloc.is_in(self)
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

    /// Every name of a base relation in the architectures that a front end reads: PTX, C and plain
    /// accesses.
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
        [Self::Scta, Self::Scluster, Self::Sgpu]
            .into_iter()
            .find(|relation| relation.level() == Some(scope))
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
        let of_others = BaseRelation::ALL
            .iter()
            .filter(|relation| matches!(relation.kind(), RelationKind::Dependency(_)));
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
