//! What mbarriers, asynchronous operations, fences of proxies and clusters do (PTX ISA 9.7.9.25,
//! 9.7.13.15, 9.7.13.4).

use crate::effect::{
    Effect, MemoryOrder, MemoryScope, Update, Window, scope, target, unknown, update, window,
};
use crate::tree::{Instruction, Operand, RegisterId, ScalarType};

/// An address that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressOperand<'i> {
    /// Its state space.
    pub window: Window,
    pub base: &'i Operand,
    /// The distance from the base.
    pub offset: i64,
}

/// What an instruction on an mbarrier does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MbarrierEffect<'i> {
    /// `mbarrier.init`
    Initialise {
        /// How many arrivals a phase waits for.
        count: &'i Operand,
    },
    /// `mbarrier.inval`
    Invalidate,
    /// `mbarrier.arrive`, `.arrive_drop`, `.arrive.expect_tx`
    Arrive {
        /// The register that takes the state.
        to: Option<RegisterId>,
        /// `.release` or `.relaxed`.
        order: MemoryOrder,
        /// `.cta` or `.cluster`.
        scope: MemoryScope,
        /// How many arrivals it is; one where nothing is said.
        count: Option<&'i Operand>,
        /// With `.expect_tx`: how many bytes are expected before.
        bytes: Option<&'i Operand>,
        /// `arrive_drop`
        drops: bool,
        /// `.noComplete`
        incomplete: bool,
    },
    /// `mbarrier.expect_tx`
    Expect {
        /// `.cta` or `.cluster`.
        scope: MemoryScope,
        /// How many.
        bytes: &'i Operand,
    },
    /// `mbarrier.complete_tx`
    Transfer {
        /// `.cta` or `.cluster`.
        scope: MemoryScope,
        /// How many.
        bytes: &'i Operand,
    },
    /// `mbarrier.test_wait`, `mbarrier.try_wait`
    Wait {
        /// The predicate; nothing for `_`.
        to: Option<RegisterId>,
        /// `.acquire` or `.relaxed`.
        order: MemoryOrder,
        /// `.cta` or `.cluster`.
        scope: MemoryScope,
        /// The state, or the parity.
        phase: &'i Operand,
        by_parity: bool,
        /// `try_wait`, which may suspend the thread for a while.
        suspends: bool,
    },
    /// `tcgen05.commit`: an arrival once all earlier `tcgen05.mma` and `.cp` of the thread are
    /// complete.
    ArriveBehindTensors {
        /// With `.multicast::cluster` the blocks of the cluster whose mbarriers it is at, as bits.
        blocks: Option<&'i Operand>,
    },
    /// `cp.async.mbarrier.arrive`: an arrival once all earlier `cp.async` of the thread are
    /// complete.
    ArriveBehindCopies {
        /// `.noinc`: is the arrival among those that the phase waits for?
        counted: bool,
    },
}

/// Groups of asynchronous operations of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupEffect {
    /// `.commit_group`
    Commit,
    /// `.wait_group`: waits for all groups but the last ones.
    Wait {
        /// How many may be left.
        left: u64,
        /// `.read`: only until they have read.
        reads: bool,
    },
    /// `cp.async.wait_all`
    WaitAll,
}

/// A fence between proxies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyFence {
    /// `.alias`
    Alias,
    /// `.async`
    Async,
    /// `.async.global`
    AsyncGlobal,
    /// `.async.shared::cta`, `.async.shared::cluster`
    AsyncShared,
    /// `.async::generic.release.sync_restrict::shared::cta.cluster`
    AsyncRelease,
    /// `.async::generic.acquire.sync_restrict::shared::cluster.cluster`
    AsyncAcquire,
}

impl ProxyFence {
    /// As PTX writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alias => "fence.proxy.alias",
            Self::Async => "fence.proxy.async",
            Self::AsyncGlobal => "fence.proxy.async.global",
            Self::AsyncShared => "fence.proxy.async.shared::cta",
            Self::AsyncRelease => {
                "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"
            }
            Self::AsyncAcquire => {
                "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"
            }
        }
    }
}

/// Mbarriers, asynchronous operations, and what orders them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsyncEffect<'i> {
    /// An operation on an mbarrier.
    Mbarrier(AddressOperand<'i>, MbarrierEffect<'i>),
    /// `mbarrier.pending_count`: of a state.
    PendingCount {
        to: Option<RegisterId>,
        /// The state.
        token: &'i Operand,
    },
    /// `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`
    Copy {
        /// Is it a bulk operation, through the async proxy?
        bulk: bool,
        /// Where to.
        to: AddressOperand<'i>,
        /// Where from.
        from: AddressOperand<'i>,
        /// How many bytes are written.
        bytes: &'i Operand,
        /// How many of them are read, where it is said; the others become 0. As a predicate:
        /// whether none is.
        read: Option<&'i Operand>,
        /// With `.cp_mask` which bytes of each 16 are copied, as bits.
        mask: Option<&'i Operand>,
        /// With `.ignore_oob` how many bytes at the start and at the end are not read, and hold
        /// anything.
        ignored: Option<[&'i Operand; 2]>,
        /// With what each element is changed, for a reduction.
        reduces: Option<(Update, ScalarType)>,
        /// The mbarrier that it completes on; else it is one of a group.
        mbarrier: Option<AddressOperand<'i>>,
        /// With `.multicast::cluster` the blocks of the cluster that it goes to, as bits.
        blocks: Option<&'i Operand>,
    },
    /// `cp.async.bulk.tensor` into shared memory. What of the tensor is copied, and how much, its
    /// map says.
    TensorLoad {
        /// Where to.
        to: AddressOperand<'i>,
        /// The mbarrier that it completes on.
        mbarrier: AddressOperand<'i>,
        /// With `.multicast::cluster` the blocks of the cluster that it goes to, as bits.
        blocks: Option<&'i Operand>,
        map: AddressOperand<'i>,
        /// The coordinates; nothing where they do not say alone which part it is (`.im2col`,
        /// `.tile::gather4`).
        at: Option<Vec<&'i Operand>>,
    },
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor` out of shared memory: an operation of
    /// a group.
    TensorStore {
        map: AddressOperand<'i>,
        /// The coordinates, as above.
        at: Option<Vec<&'i Operand>>,
        /// Where from.
        from: AddressOperand<'i>,
        /// With what each element is changed, for a reduction.
        reduces: Option<Update>,
    },
    /// `st.async`
    Store {
        /// Where to.
        to: AddressOperand<'i>,
        /// The type of an element.
        ty: ScalarType,
        values: Vec<&'i Operand>,
        /// The mbarrier that it completes on.
        mbarrier: AddressOperand<'i>,
    },
    /// `red.async`
    Reduce {
        /// Where to.
        to: AddressOperand<'i>,
        ty: ScalarType,
        /// What is computed.
        update: Update,
        value: &'i Operand,
        /// The mbarrier that it completes on.
        mbarrier: AddressOperand<'i>,
    },
    /// `st.bulk`: zeros.
    Zeros {
        /// Where to.
        to: AddressOperand<'i>,
        /// How many bytes.
        bytes: &'i Operand,
    },
    /// A group is made, or waited for.
    Group {
        /// Of bulk operations?
        bulk: bool,
        /// What is done.
        action: GroupEffect,
    },
    /// A fence between proxies.
    ProxyFence(ProxyFence),
    /// `fence.mbarrier_init.release.cluster`
    MbarrierInitFence,
    /// `fence.acquire.sync_restrict::shared::cluster.cluster` (true),
    /// `fence.release.sync_restrict::shared::cta.cluster`
    SharedFence(bool),
    /// `tensormap.replace`
    MapReplace(AddressOperand<'i>),
    /// `tensormap.cp_fenceproxy`: a copy of a map by a warp, and a release fence behind it.
    MapPublish {
        /// Where to.
        to: AddressOperand<'i>,
        /// Where from.
        from: AddressOperand<'i>,
        /// Of the fence.
        scope: MemoryScope,
    },
    /// `fence.proxy.tensormap::generic.release`
    MapRelease(MemoryScope),
    /// `fence.proxy.tensormap::generic.acquire`
    MapAcquire(AddressOperand<'i>, MemoryScope),
}

/// Blocks of a cluster, and launches that overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterEffect<'i> {
    /// `barrier.cluster.arrive`: does it release?
    Arrive(bool),
    /// `barrier.cluster.wait`
    Wait,
    /// `mapa`: the same place in the shared memory of another block of the cluster.
    MapAddress {
        /// `.shared::cluster`: are the addresses those of shared memory? Else they are generic.
        window: Window,
        to: Option<RegisterId>,
        /// The address, or a variable.
        address: &'i Operand,
        /// The rank of the block in its cluster.
        rank: &'i Operand,
    },
    /// `getctarank`: the rank of the block whose shared memory an address is in.
    Rank {
        /// `.shared::cluster`, or generic.
        window: Window,
        to: Option<RegisterId>,
        address: &'i Operand,
    },
}

impl<'i> AsyncEffect<'i> {
    /// The addresses that it names.
    pub fn addresses(&self) -> Vec<AddressOperand<'i>> {
        match self {
            Self::Mbarrier(at, _) => vec![*at],
            Self::Copy { to, from, mbarrier, .. } => {
                [Some(*to), Some(*from), *mbarrier].into_iter().flatten().collect()
            }
            Self::TensorLoad { to, mbarrier, map, .. } => vec![*to, *mbarrier, *map],
            Self::Store { to, mbarrier, .. } | Self::Reduce { to, mbarrier, .. } => {
                vec![*to, *mbarrier]
            }
            Self::TensorStore { map, from, .. } => vec![*map, *from],
            Self::MapReplace(map) | Self::MapAcquire(map, _) => vec![*map],
            Self::Zeros { to, .. } => vec![*to],
            Self::MapPublish { to, from, .. } => vec![*to, *from],
            Self::PendingCount { .. }
            | Self::Group { .. }
            | Self::ProxyFence(_)
            | Self::MbarrierInitFence
            | Self::SharedFence(_)
            | Self::MapRelease(_) => Vec::new(),
        }
    }

    /// The register that it writes.
    pub fn result(&self) -> Option<RegisterId> {
        match self {
            Self::Mbarrier(
                _,
                MbarrierEffect::Arrive { to, .. } | MbarrierEffect::Wait { to, .. },
            )
            | Self::PendingCount { to, .. } => *to,
            _ => None,
        }
    }
}

impl ClusterEffect<'_> {
    /// The register that it writes.
    pub fn result(&self) -> Option<RegisterId> {
        match self {
            Self::MapAddress { to, .. } | Self::Rank { to, .. } => *to,
            Self::Arrive(_) | Self::Wait => None,
        }
    }
}

/// The address of an operand `[a+4]` in a space; nothing where it is none.
pub(crate) fn address(operand: &Operand, window: Window) -> Option<AddressOperand<'_>> {
    let Operand::Address(base, offset) = operand else { return None };
    match &**base {
        Operand::List(_) => None,
        base => Some(AddressOperand { window, base, offset: *offset }),
    }
}

/// The map of an operand `[map, {x, y}]`, which is a generic address.
fn map(operand: &Operand) -> Option<AddressOperand<'_>> {
    let Operand::Address(base, offset) = operand else { return None };
    let base = match &**base {
        Operand::List(all) => all.first()?,
        base => base,
    };
    Some(AddressOperand { window: Window::Generic, base, offset: *offset })
}

/// The coordinates of an operand `[map, {x, y}]`.
fn coordinates(operand: &Operand) -> Option<Vec<&Operand>> {
    let Operand::Address(base, _) = operand else { return None };
    let Operand::List(all) = &**base else { return None };
    match all.get(1)? {
        Operand::Vector(all) => Some(all.iter().collect()),
        one => Some(vec![one]),
    }
}

/// `tensormap.replace`, `tensormap.cp_fenceproxy`
pub(crate) fn tensormap(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    Some(Effect::Async(match i.qualifiers.first()?.as_str() {
        "replace" => {
            AsyncEffect::MapReplace(address(get(0)?, window(i).unwrap_or(Window::Generic))?)
        }
        "cp_fenceproxy" => AsyncEffect::MapPublish {
            to: address(get(0)?, Window::Global)?,
            from: address(get(1)?, Window::Shared)?,
            scope: scope(i)?,
        },
        _ => return None,
    }))
}

/// What instructions do whose first word is `mbarrier`, or that are about asynchronous operations.
pub(crate) fn mbarrier(i: &Instruction) -> Option<Effect<'_>> {
    let has = |q: &str| i.has(q);
    let get = |n: usize| i.operands.get(n);
    if has("pending_count") {
        return Some(Effect::Async(AsyncEffect::PendingCount {
            to: target(get(0)?)?,
            token: get(1)?,
        }));
    }
    let scope = scope(i).unwrap_or(MemoryScope::Cta);
    let space = window(i).unwrap_or(Window::Generic);
    let order = |strongest| if has("relaxed") { MemoryOrder::Relaxed } else { strongest };
    let (at, effect) = match i.qualifiers.first()?.as_str() {
        "init" => (get(0)?, MbarrierEffect::Initialise { count: get(1)? }),
        "inval" => (get(0)?, MbarrierEffect::Invalidate),
        "expect_tx" => (get(0)?, MbarrierEffect::Expect { scope, bytes: get(1)? }),
        "complete_tx" => (get(0)?, MbarrierEffect::Transfer { scope, bytes: get(1)? }),
        name @ ("arrive" | "arrive_drop") => {
            // Without a register for the state, `[bar]` may stand first.
            let (to, rest) = match get(0)? {
                Operand::Address(..) => (None, i.operands.as_slice()),
                first => (target(first)?, &i.operands[1..]),
            };
            let expects = has("expect_tx");
            let operand = rest.get(1);
            let effect = MbarrierEffect::Arrive {
                to,
                order: order(MemoryOrder::Release),
                scope,
                count: operand.filter(|_| !expects),
                bytes: if expects { Some(operand?) } else { None },
                drops: name == "arrive_drop",
                incomplete: has("noComplete"),
            };
            (rest.first()?, effect)
        }
        name @ ("test_wait" | "try_wait") => {
            let effect = MbarrierEffect::Wait {
                to: target(get(0)?)?,
                order: order(MemoryOrder::Acquire),
                scope,
                phase: get(2)?,
                by_parity: has("parity"),
                suspends: name == "try_wait",
            };
            (get(1)?, effect)
        }
        _ => return None,
    };
    Some(Effect::Async(AsyncEffect::Mbarrier(address(at, space)?, effect)))
}

/// The state spaces written to and read from, in the order in which they stand.
fn spaces(i: &Instruction) -> Vec<Window> {
    let of = |q: &String| match q.split("::").next()? {
        "global" => Some(Window::Global),
        "shared" => Some(Window::Shared),
        _ => None,
    };
    i.qualifiers.iter().filter_map(of).collect()
}

pub(crate) fn copy(i: &Instruction) -> Option<Effect<'_>> {
    let has = |q: &str| i.has(q);
    let get = |n: usize| i.operands.get(n);
    if !has("async") {
        return None;
    }
    let bulk = has("bulk");
    if has("prefetch") {
        return Some(Effect::Nothing);
    }
    if has("mbarrier") {
        let at = address(get(0)?, window(i).unwrap_or(Window::Generic))?;
        return Some(Effect::Async(AsyncEffect::Mbarrier(
            at,
            MbarrierEffect::ArriveBehindCopies { counted: has("noinc") },
        )));
    }
    if has("commit_group") {
        return Some(Effect::Async(AsyncEffect::Group { bulk, action: GroupEffect::Commit }));
    }
    if has("wait_all") {
        return Some(Effect::Async(AsyncEffect::Group { bulk, action: GroupEffect::WaitAll }));
    }
    if has("wait_group") {
        let Operand::Integer(left) = get(0)? else { return None };
        return Some(Effect::Async(AsyncEffect::Group {
            bulk,
            action: GroupEffect::Wait { left: *left, reads: has("read") },
        }));
    }
    let reduces = match i.qualifiers.iter().any(|q| q == "reduce") {
        true => Some((i.qualifiers.iter().find_map(|q| update(q)), i.ty())),
        false => None,
    };
    let spaces = spaces(i);
    if has("tensor") {
        let is_tile =
            !i.qualifiers.iter().any(|q| q.starts_with("im2col") || q.starts_with("tile::"));
        let at = |n: usize| get(n).and_then(coordinates).filter(|_| is_tile);
        return match spaces.as_slice() {
            [Window::Shared, Window::Global] => Some(Effect::Async(AsyncEffect::TensorLoad {
                to: address(get(0)?, Window::Shared)?,
                mbarrier: address(get(2)?, Window::Shared)?,
                map: map(get(1)?)?,
                at: at(1),
                blocks: if has("multicast::cluster") {
                    Some(i.operands[3..].iter().find(|o| !matches!(o, Operand::Vector(_)))?)
                } else {
                    None
                },
            })),
            [Window::Global, Window::Shared] => Some(Effect::Async(AsyncEffect::TensorStore {
                map: map(get(0)?)?,
                at: at(0),
                from: address(get(1)?, Window::Shared)?,
                reduces: match reduces {
                    Some((Some(update), _)) => Some(update),
                    Some(_) => return None,
                    None => None,
                },
            })),
            _ => None,
        };
    }
    let &[to_space, from_space] = spaces.as_slice() else { return None };
    let ignored = if has("ignore_oob") { Some([get(3)?, get(4)?]) } else { None };
    // The mbarrier stands behind these.
    let get_behind = |n: usize| get(if ignored.is_some() { n + 2 } else { n });
    // The last operand.
    let mask = if has("cp_mask") { Some(i.operands.last()?) } else { None };
    let (to, from, bytes) = (address(get(0)?, to_space)?, address(get(1)?, from_space)?, get(2)?);
    let completes = i.qualifiers.iter().any(|q| q.starts_with("mbarrier::complete_tx"));
    let mbarrier = if completes { Some(address(get_behind(3)?, Window::Shared)?) } else { None };
    let blocks = if has("multicast::cluster") { Some(get_behind(4)?) } else { None };
    let read = match get_behind(3) {
        Some(Operand::Address(..)) | None => None,
        // The policy of a cache stands last; a predicate that ignores the source stands where the
        // size does.
        Some(_)
            if bulk
                || i.qualifiers.iter().any(|q| q.ends_with("cache_hint"))
                    && i.operands.len() == 4 =>
        {
            None
        }
        Some(read) => Some(read),
    };
    let reduces = match reduces {
        Some((Some(update), Some(ty))) => Some((update, ty)),
        Some(_) => return None,
        None => None,
    };
    Some(Effect::Async(AsyncEffect::Copy {
        bulk,
        to,
        from,
        bytes,
        read,
        mask,
        ignored,
        reduces,
        mbarrier,
        blocks,
    }))
}

/// `st.async` and `red.async`.
pub(crate) fn store(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    if i.has("bulk") {
        let to = address(get(0)?, window(i).unwrap_or(Window::Generic))?;
        return Some(Effect::Async(AsyncEffect::Zeros { to, bytes: get(1)? }));
    }
    if i.has("mmio") || i.opcode == "st" && i.has("release") {
        return unknown("an asynchronous store with a memory order");
    }
    let ty = i.ty()?;
    let space = window(i).unwrap_or(Window::Generic);
    if space == Window::Global {
        return unknown("an asynchronous operation on global memory");
    }
    let to = address(get(0)?, space)?;
    let mbarrier = address(get(2)?, Window::Shared)?;
    Some(Effect::Async(match i.opcode.as_str() {
        "st" => {
            let values = match get(1)? {
                Operand::Vector(all) => all.iter().collect(),
                other => vec![other],
            };
            AsyncEffect::Store { to, ty, values, mbarrier }
        }
        _ => AsyncEffect::Reduce {
            to,
            ty,
            update: i.qualifiers.iter().find_map(|q| update(q))?,
            value: get(1)?,
            mbarrier,
        },
    }))
}

/// Fences that are not of the generic proxy alone.
pub(crate) fn fence(i: &Instruction) -> Option<Effect<'_>> {
    let has = |q: &str| i.has(q);
    if has("mbarrier_init") {
        return Some(Effect::Async(AsyncEffect::MbarrierInitFence));
    }
    if has("tensormap::generic") {
        return Some(Effect::Async(match has("acquire") {
            true => {
                AsyncEffect::MapAcquire(address(i.operands.first()?, Window::Generic)?, scope(i)?)
            }
            false => AsyncEffect::MapRelease(scope(i)?),
        }));
    }
    if let Some(restriction) = i.qualifiers.iter().find(|q| q.starts_with("sync_restrict")) {
        let fence = match (restriction.as_str(), has("async::generic"), has("acquire")) {
            ("sync_restrict::shared::cta", true, false) => {
                AsyncEffect::ProxyFence(ProxyFence::AsyncRelease)
            }
            ("sync_restrict::shared::cluster", true, true) => {
                AsyncEffect::ProxyFence(ProxyFence::AsyncAcquire)
            }
            ("sync_restrict::shared::cta", false, false) => AsyncEffect::SharedFence(false),
            ("sync_restrict::shared::cluster", false, true) => AsyncEffect::SharedFence(true),
            _ => return unknown("a fence of some accesses only"),
        };
        return Some(Effect::Async(fence));
    }
    if i.qualifiers.iter().any(|q| q.contains("::generic") || q.contains("fabric"))
        || has("alias") && (has("acquire") || has("release"))
    {
        return unknown("a fence of some accesses only");
    }
    let kind = match (has("alias"), has("async")) {
        (true, _) => ProxyFence::Alias,
        (_, true) => match window(i) {
            Some(Window::Global) => ProxyFence::AsyncGlobal,
            Some(Window::Shared) => ProxyFence::AsyncShared,
            _ => ProxyFence::Async,
        },
        _ => {
            return unknown(
                "a fence of the texture, surface or constant proxy, or of one that is not known",
            );
        }
    };
    Some(Effect::Async(AsyncEffect::ProxyFence(kind)))
}

/// `barrier.cluster`, `mapa`, `getctarank`.
pub(crate) fn cluster(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let space = window(i).unwrap_or(Window::Generic);
    Some(Effect::Cluster(match i.opcode.as_str() {
        "mapa" => ClusterEffect::MapAddress {
            window: space,
            to: target(get(0)?)?,
            address: get(1)?,
            rank: get(2)?,
        },
        "getctarank" => {
            ClusterEffect::Rank { window: space, to: target(get(0)?)?, address: get(1)? }
        }
        _ if i.has("arrive") => ClusterEffect::Arrive(!i.has("relaxed")),
        _ if i.has("wait") => ClusterEffect::Wait,
        _ => return None,
    }))
}
