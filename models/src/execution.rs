//! A concrete execution: events and the relations that were chosen (reads-from, coherence, ...),
//! from which every base set and base relation of its signature is computed (`evaluate/base.rs`).

use crate::bits::{BitMatrix, Event, EventSet};
use crate::signature::{Signature, Tags};

/// Memory order of an event, of C++ and PTX alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Plain C++ accesses (`NA`), weak PTX operations (`WEAK`), and everything where there are no
    /// orders.
    Plain,
    /// Relaxed.
    Rlx,
    /// Acquire.
    Acq,
    /// Release.
    Rel,
    /// Acquire and release: fences, and RMWs before they are split into their halves.
    AcqRel,
    /// Sequentially consistent.
    Sc,
    /// The tags of an architecture that is a text, one at least.
    Tagged(Tags),
}

impl Order {
    /// The orders of C++ and PTX, without that of plain accesses.
    pub const MEMORY_ORDERS: [Order; 5] = [Self::Rlx, Self::Acq, Self::Rel, Self::AcqRel, Self::Sc];

    /// The tag in .cat files, empty for [`Order::Plain`].
    pub fn tag(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Rlx => "RLX",
            Self::Acq => "ACQ",
            Self::Rel => "REL",
            Self::AcqRel => "ACQ_REL",
            Self::Sc => "SC",
            Self::Tagged(tags) => tags.name(),
        }
    }

    /// The word in PTX (ISA 9.7), `weak` for [`Order::Plain`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "weak",
            Self::Rlx => "relaxed",
            Self::Acq => "acquire",
            Self::Rel => "release",
            Self::AcqRel => "acq_rel",
            Self::Sc => "sc",
            Self::Tagged(tags) => tags.name(),
        }
    }
}

/// Scopes, narrowest first (PTX ISA 8.5; C++: block, cluster, device, system). The names are those
/// of PTX; an architecture that is a text has some of these levels, under its own names
/// ([`Signature::scope_name`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Threads of the same warp (subgroup, wavefront): a level of architectures that are texts. PTX
    /// and C++ have no such scope; of PTX the meetings of the lanes of a warp have it.
    Warp,
    /// Threads of the same cta.
    Cta,
    /// Threads of the same cluster.
    Cluster,
    /// Threads of the same gpu.
    Gpu,
    /// All threads.
    Sys,
}

impl Scope {
    /// The scopes of PTX and C++, narrowest first.
    pub const ALL: [Scope; 4] = [Self::Cta, Self::Cluster, Self::Gpu, Self::Sys];

    /// Every level that some architecture has, narrowest first.
    pub const LEVELS: [Scope; 5] = [Self::Warp, Self::Cta, Self::Cluster, Self::Gpu, Self::Sys];

    /// The name in PTX, and that of the level in the text of an architecture.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warp => "warp",
            Self::Cta => "cta",
            Self::Cluster => "cluster",
            Self::Gpu => "gpu",
            Self::Sys => "sys",
        }
    }
}

/// Where a thread runs. Two threads share a cta only if they share the cluster and the gpu as well:
/// every field is a global number, and [`Placement::shares`] compares outwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Placement {
    /// The gpu (device).
    pub gpu: u16,
    /// The cluster within the gpu.
    pub cluster: u16,
    /// The cta (block, work-group) within the cluster.
    pub cta: u16,
    /// The warp (subgroup, wavefront) within the cta: 0 wherever warps are no scope, but for the
    /// meetings of their lanes in PTX and in scope trees.
    pub warp: u16,
    /// The launch of a kernel: ctas and clusters are those of one. 0 where there is one alone.
    pub kernel: u16,
}

impl Placement {
    /// Does `scope` around a thread at `self` include a thread at `other`?
    pub fn shares(self, scope: Scope, other: Placement) -> bool {
        match scope {
            Scope::Sys => true,
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Cluster => {
                self.gpu == other.gpu
                    && self.cluster == other.cluster
                    && self.kernel == other.kernel
            }
            Scope::Cta => Placement { warp: 0, ..self } == Placement { warp: 0, ..other },
            Scope::Warp => self == other,
        }
    }

    /// The number of the thread's group at a level; 0 for the one of all threads.
    pub fn number(self, scope: Scope) -> u16 {
        match scope {
            Scope::Sys => 0,
            Scope::Gpu => self.gpu,
            Scope::Cluster => self.cluster,
            Scope::Cta => self.cta,
            Scope::Warp => self.warp,
        }
    }

    /// The same place with another number at a level; that of all threads has none.
    pub fn with_number(mut self, scope: Scope, number: u16) -> Self {
        match scope {
            Scope::Sys => {}
            Scope::Gpu => self.gpu = number,
            Scope::Cluster => self.cluster = number,
            Scope::Cta => self.cta = number,
            Scope::Warp => self.warp = number,
        }
        self
    }
}

/// The method of memory access (PTX ISA 8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Proxy {
    /// Ordinary loads, stores and atomics.
    #[default]
    Generic,
    /// Only of proxy fences: between virtual aliases.
    Alias,
    Surface,
    Texture,
    Constant,
    /// Asynchronous operations (`cp.async.bulk` and its kin).
    Async,
    /// Tensor maps, as asynchronous operations read them (`cp.async.bulk.tensor`).
    Tensormap,
}

/// State spaces, as far as a model tells them apart: fences of the async proxy may be for one of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Spaces(u8);

impl Spaces {
    /// None of them, or not known.
    pub const NONE: Self = Self(0);
    /// Shared memory.
    pub const SHARED: Self = Self(1);
    /// Global memory.
    pub const GLOBAL: Self = Self(2);
    /// Both.
    pub const ALL: Self = Self(3);

    /// Are all of the others among them, and is there one?
    pub fn contains(self, others: Self) -> bool {
        others.0 != 0 && self.0 & others.0 == others.0
    }
}

/// What an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The initial write of a location.
    Init,
    Read,
    Write,
    /// A memory fence.
    Fence,
    ProxyFence,
    /// An arrival at a control barrier.
    BarrierArrive,
    /// A wait at a control barrier.
    BarrierWait,
    /// A wait for asynchronous operations (`cp.async.wait_group` and its kin).
    AsyncWait,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventData {
    /// A read, a write, a fence, or a part of a barrier.
    pub kind: Kind,
    /// Its thread, an index into [`Execution::threads`]; `None` for initial writes.
    pub thread: Option<u16>,
    /// Its memory order.
    pub order: Order,
    /// Its scope; `None` for plain and weak operations and where there are no scopes.
    pub scope: Option<Scope>,
    /// The location that it accesses (by which name), an index into [`Execution::locations`];
    /// `None` for barriers and fences, but for those of one tensor map.
    pub location: Option<u16>,
    /// The value read or written, if known.
    pub value: Option<i64>,
    /// How memory is accessed.
    pub proxy: Proxy,
    /// Is it a `.volatile` operation?
    pub volatile: bool,
    /// Is it an `.mmio` operation?
    pub mmio: bool,
    /// Does it belong to a `red` (a reduction, which returns nothing)?
    pub reduction: bool,
    /// Does it belong to a compare-and-swap? A read that does and has no write is one that failed.
    pub compare: bool,
    /// Of a compare-and-swap, the order that it has where it ends the other way: for failure where
    /// it succeeded, for success where it failed. `None` where nothing depends on it.
    pub other_order: Option<Order>,
    /// Does it belong to an exchange, which writes what it is given whatever it reads?
    pub exchange: bool,
    /// Does it belong to a read-modify-write that is known to compute what it writes from what it
    /// reads, as a fetch-and-add does? Where this and `exchange` are false, a program may have
    /// either.
    pub computes: bool,
    /// Is it a read whose value the program does not use? Then an outcome does not say what it
    /// read.
    pub unused: bool,
    /// Is it the write of a read-modify-write that writes back what it read, and so changes no
    /// value?
    pub writes_back: bool,
    /// The barrier of a control barrier event; with cluster scope it is that of a cluster
    /// (`barrier.cluster`), with warp scope a meeting of lanes, with system scope the start or the
    /// end of a launch (twice its number, and one more), else that of a cta.
    pub barrier: Option<u16>,
    /// The asynchronous operation of the thread that it is part of, counted from 0 (PTX ISA
    /// 8.9.1.1): such events are in no program order with those of the thread or of its other
    /// operations. `None` for what the thread does itself.
    pub operation: Option<u16>,
    /// The state spaces that it accesses or, if it is a fence of the async proxy, orders.
    pub spaces: Spaces,
    /// Is it part of an operation on an mbarrier, or a fence for the initialisation of mbarriers?
    pub mbarrier: bool,
}

impl EventData {
    /// An event with everything unsaid at its default.
    pub fn new(kind: Kind, thread: Option<u16>, order: Order) -> Self {
        Self {
            kind,
            thread,
            order,
            scope: None,
            location: None,
            value: None,
            proxy: Proxy::Generic,
            volatile: false,
            mmio: false,
            reduction: false,
            compare: false,
            other_order: None,
            exchange: false,
            computes: false,
            unused: false,
            writes_back: false,
            barrier: None,
            operation: None,
            spaces: Spaces::NONE,
            mbarrier: false,
        }
    }

    /// Is this the end of a thread, which lets others pass a barrier? It is in no instruction; no
    /// arrival that is one acquires.
    pub fn is_exit(&self) -> bool {
        self.kind == Kind::BarrierArrive && self.order == Order::Acq
    }

    /// Who makes the event: the thread, or one of its asynchronous operations; `None` for initial
    /// writes.
    pub fn agent(&self) -> Option<(u16, Option<u16>)> {
        self.thread.map(|thread| (thread, self.operation))
    }
}

/// A name for memory, and the physical location behind it. Its generic address is in
/// [`Execution::generic`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The name in the program.
    pub name: String,
    /// The index of the location that stands for the same memory: its own unless it is an alias.
    pub physical: u16,
    /// C++: is it declared atomic?
    pub atomic: bool,
}

/// A concrete execution. Events are numbered thread by thread in program order, initial writes
/// last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Execution {
    /// Which names a model may use on it.
    pub signature: Signature,
    /// The events; the place of one in this list is its number in every relation.
    pub events: Vec<EventData>,
    /// Where each thread runs.
    pub threads: Vec<Placement>,
    pub locations: Vec<Location>,
    /// For each location the one whose generic address it has (PTX ISA 8.6): itself, unless it is
    /// the name of a surface, a texture or a constant. Such a name is reached through its proxy and
    /// has the generic address of what it names, while a virtual alias has one of its own; aliases
    /// of either kind have the same physical location.
    pub generic: Vec<u16>,
    /// Program order.
    pub po: BitMatrix,
    /// Reads-from.
    pub rf: BitMatrix,
    /// Coherence order, initial writes first.
    pub co: BitMatrix,
    /// From the read to the write of each RMW.
    pub rmw: BitMatrix,
    /// Address dependencies.
    pub addr: BitMatrix,
    /// Data dependencies.
    pub data: BitMatrix,
    /// Control dependencies.
    pub ctrl: BitMatrix,
    /// Fence-SC order (PTX).
    pub sync_fence: BitMatrix,
    /// From barrier arrivals to the waits that they release (PTX).
    pub sync_barrier: BitMatrix,
    /// From what a thread did before it issued an asynchronous operation to the events of that
    /// (PTX).
    pub async_issue: BitMatrix,
    /// From the events of asynchronous operations to what waits for their completion (PTX), and to
    /// a fence that is told of pipelined ones.
    pub async_complete: BitMatrix,
}

impl Execution {
    /// An execution with the given events and no relations but program order, which follows from
    /// threads and numbering.
    pub fn new(
        signature: Signature,
        events: Vec<EventData>,
        threads: Vec<Placement>,
        locations: Vec<Location>,
    ) -> Self {
        let n = events.len();
        let empty = BitMatrix::new(n);
        let mut po = empty.clone();
        for (a, b) in pairs(n) {
            if a < b
                && events[a.index()].thread.is_some()
                && events[a.index()].agent() == events[b.index()].agent()
            {
                po.insert(a, b);
            }
        }
        let generic = (0..locations.len()).map(|l| l as u16).collect();
        Self {
            signature,
            events,
            threads,
            locations,
            generic,
            po,
            rf: empty.clone(),
            co: empty.clone(),
            rmw: empty.clone(),
            addr: empty.clone(),
            data: empty.clone(),
            ctrl: empty.clone(),
            sync_fence: empty.clone(),
            sync_barrier: empty.clone(),
            async_issue: empty.clone(),
            async_complete: empty,
        }
    }

    /// The number of events, initial writes included.
    pub fn size(&self) -> usize {
        self.events.len()
    }

    /// The events for which `keep` holds.
    pub fn events_where(&self, keep: impl Fn(&EventData) -> bool) -> EventSet {
        self.events_as(keep)
    }

    /// The same as whoever asks keeps it.
    pub fn events_as<S: FromIterator<Event>>(&self, keep: impl Fn(&EventData) -> bool) -> S {
        (0..self.size()).map(Event::from).filter(|e| keep(&self.events[e.index()])).collect()
    }

    /// The physical location that an event accesses.
    pub fn physical(&self, e: Event) -> Option<u16> {
        self.events[e.index()].location.map(|l| self.locations[usize::from(l)].physical)
    }

    /// The generic address that an event accesses, as the location that has it.
    pub fn address(&self, e: Event) -> Option<u16> {
        self.events[e.index()].location.map(|l| self.generic[usize::from(l)])
    }
}

/// All pairs of `n` events.
pub(crate) fn pairs(n: usize) -> impl Iterator<Item = (Event, Event)> {
    (0..n).flat_map(move |a| (0..n).map(move |b| (Event::from(a), Event::from(b))))
}
