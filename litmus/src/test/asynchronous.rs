//! Mbarriers and asynchronous operations of PTX (ISA 9.7.9.25, 9.7.13.15), as far as litmus tests
//! use them.

use margay_models::execution::{Proxy, Scope};

use super::{AccessOrder, Address, AtomFunction, Space, TestOperand, Type};

/// What an instruction on an mbarrier does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MbarrierAction {
    /// `mbarrier.init bar, 2`
    Initialise {
        /// How many arrivals a phase waits for.
        count: i64,
    },
    /// `mbarrier.inval bar`
    Invalidate,
    /// `mbarrier.arrive.release.cta r0, bar, 1`,
    /// `mbarrier.arrive.expect_tx.release.cta _, bar, 16`, `mbarrier.arrive_drop ..`
    Arrive {
        /// The register that takes the state.
        token: Option<String>,
        /// `.release` or `.relaxed`.
        order: AccessOrder,
        /// `.cta` or `.cluster`.
        scope: Scope,
        /// How many arrivals it is.
        count: i64,
        /// With `.expect_tx`: how many bytes are expected before.
        bytes: Option<i64>,
        /// `arrive_drop`: later phases wait for so many arrivals less.
        drops: bool,
        /// `.noComplete`: the phase must not complete by it.
        incomplete: bool,
    },
    /// `mbarrier.expect_tx.relaxed.cta bar, 16`
    Expect {
        /// `.cta` or `.cluster`.
        scope: Scope,
        /// How many.
        bytes: i64,
    },
    /// `mbarrier.complete_tx.relaxed.cta bar, 16`
    Transfer {
        /// `.cta` or `.cluster`.
        scope: Scope,
        /// How many.
        bytes: i64,
    },
    /// `mbarrier.test_wait.parity.acquire.cta p0, bar, 0`,
    /// `mbarrier.try_wait.acquire.cta p0, bar, r0`
    Wait {
        /// `try_wait`, which may suspend the thread for a while; else `test_wait`.
        suspends: bool,
        /// The register that takes 1 if the phase is complete, else 0.
        destination: String,
        /// `.acquire` or `.relaxed`.
        order: AccessOrder,
        /// `.cta` or `.cluster`.
        scope: Scope,
        phase: AwaitedPhase,
    },
}

/// Which phase is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwaitedPhase {
    /// That of the state which an arrival returned.
    Token(TestOperand),
    /// `.parity`: the current or the preceding one, by its lowest bit.
    Parity(TestOperand),
}

/// An instruction on an mbarrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MbarrierOperation {
    pub address: Address,
    /// Is it named as one that may be in another cta of the cluster (`.shared::cluster`)?
    pub is_remote: bool,
    /// What is done.
    pub action: MbarrierAction,
}

/// Which instructions an asynchronous operation, or a group of them, is of. Each family has groups
/// of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsyncFamily {
    /// `cp.async`, `st.async`, `red.async`: through the generic proxy.
    Element,
    /// `cp.async.bulk` and its kin: through the async proxy.
    Bulk,
    /// `wgmma.mma_async`: through the async proxy.
    Warpgroup,
    /// `tcgen05.ld`: through the async proxy, as all access to tensor memory here.
    TensorLoad,
    /// `tcgen05.st`
    TensorStore,
    /// `tcgen05.cp` and `tcgen05.mma`, which complete on an mbarrier by `tcgen05.commit`.
    TensorCore,
    /// `tcgen05.dealloc`, which is in order with all earlier `tcgen05` of its thread.
    TensorFree,
}

impl AsyncFamily {
    /// How many there are.
    pub const NUMBER: usize = 7;

    /// How its operations access memory.
    pub fn proxy(self) -> Proxy {
        match self {
            Self::Element => Proxy::Generic,
            Self::Bulk
            | Self::Warpgroup
            | Self::TensorLoad
            | Self::TensorStore
            | Self::TensorCore
            | Self::TensorFree => Proxy::Async,
        }
    }
}

/// How it is known that an asynchronous operation is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsyncCompletion {
    /// By an async-group of the thread.
    Group,
    /// By a complete-tx on mbarriers: one, or with `.multicast::cluster` one for each destination.
    Mbarriers(Vec<Address>),
}

/// What an asynchronous operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsyncAction {
    /// `cp.async`, `cp.async.bulk`
    Copy {
        /// Where to: one place, or with `.multicast::cluster` several.
        to: Vec<Address>,
        /// Where from.
        from: Address,
        /// How many bytes.
        bytes: i64,
    },
    /// `cp.reduce.async.bulk`
    ReduceFrom {
        /// What is computed for each element.
        function: AtomFunction,
        /// The type of the elements.
        ty: Option<Type>,
        /// Where to.
        to: Address,
        /// Where from.
        from: Address,
        /// How many bytes.
        bytes: i64,
    },
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`: a copy, or a reduction, of what a
    /// tensor map says.
    Tile {
        /// What is computed for each element, of a reduction.
        function: Option<AtomFunction>,
        /// The tensor map, which is read through its proxy: one place, or those into which other
        /// accesses take it apart.
        map: Vec<Address>,
        /// Into shared memory; else out of it.
        into_shared: bool,
        /// Where in shared memory: one place, or with `.multicast::cluster` several.
        shared: Vec<Address>,
        /// Where in global memory; `None`: at the address that the map holds.
        global: Option<Address>,
        /// How many bytes.
        bytes: i64,
    },
    /// `st.async`
    Store {
        /// The type of the elements.
        ty: Option<Type>,
        /// Where to.
        to: Address,
        /// The values, one for each element.
        values: Vec<TestOperand>,
    },
    /// `red.async`
    Reduce {
        /// What is computed.
        function: AtomFunction,
        ty: Option<Type>,
        /// Where to.
        to: Address,
        value: TestOperand,
    },
    /// `wgmma.mma_async`: reads matrices in shared memory. What it computes is not looked at: each
    /// register takes what was read.
    Multiply {
        /// The registers, one for each matrix.
        to: Vec<String>,
        /// The matrices.
        from: Vec<Address>,
    },
    /// `tcgen05.ld r0, t`
    TensorLoad {
        /// The register.
        to: String,
        /// Where in tensor memory.
        from: Address,
    },
    /// `tcgen05.st t, r0`
    TensorStore {
        /// Where in tensor memory.
        to: Address,
        value: TestOperand,
    },
    /// `tcgen05.dealloc t`: whoever is given that memory next writes it.
    TensorFree {
        /// Where in tensor memory.
        to: Address,
    },
    /// `tcgen05.cp t, x` and `tcgen05.mma t, x, y, 1`. What is computed is not looked at: the sum
    /// of what is read stands for it.
    TensorCompute {
        /// Where in tensor memory it is written.
        to: Address,
        /// What is read, of shared memory or of tensor memory: one location, or two.
        from: Vec<Address>,
        /// Is what is there added?
        accumulates: bool,
    },
}

/// An instruction that issues an asynchronous operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsyncOperation {
    /// Which instructions it is of.
    pub family: AsyncFamily,
    /// The state space written to.
    pub to_space: Space,
    /// The state space read from; `None` where it reads none.
    pub from_space: Option<Space>,
    /// What it does.
    pub action: AsyncAction,
    /// How it is known to be complete.
    pub completion: AsyncCompletion,
}

/// What changes a tensor map, and what lets asynchronous operations see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TensormapOperation {
    /// `tensormap.replace.tile.global_address.global.b1024.b64 t, x`: a weak operation on the whole
    /// map.
    Replace {
        /// The map.
        address: Address,
        /// The address that it holds from now on; `None`: another field is changed, and the address
        /// stays.
        value: Option<TestOperand>,
    },
    /// `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned t,
    /// s, 128`: a copy and a fence behind it.
    Publish {
        /// Where to, in global memory.
        to: Address,
        /// Where from, in shared memory.
        from: Address,
        /// Of the fence.
        scope: Scope,
    },
    /// `fence.proxy.tensormap::generic.release.gpu`
    Release {
        /// Who may acquire it.
        scope: Scope,
    },
    /// `fence.proxy.tensormap::generic.acquire.gpu [t], 128`
    Acquire {
        /// The map that it is for.
        address: Address,
        /// Whose release it may acquire.
        scope: Scope,
    },
}

impl TensormapOperation {
    /// How many bytes a tensor map has.
    pub const BYTES: i64 = 128;

    /// The addresses that it names.
    pub fn addresses(&self) -> Vec<&Address> {
        match self {
            Self::Replace { address, .. } | Self::Acquire { address, .. } => vec![address],
            Self::Publish { to, from, .. } => vec![to, from],
            Self::Release { .. } => Vec::new(),
        }
    }
}

/// `cp.async.commit_group`, `cp.async.wait_group`, `wgmma.wait_group` and their kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsyncGroupAction {
    /// All operations that belong to no group yet make one.
    Commit,
    /// Waits for all groups but the last ones.
    Wait {
        /// How many may be left.
        left: u32,
        /// `.read`: only until they have read.
        reads: bool,
    },
    /// `cp.async.wait_all`: waits for all operations, in groups or not.
    WaitAll,
}

impl AsyncAction {
    /// The addresses of what is written to and read from.
    pub fn addresses(&self) -> Vec<&Address> {
        match self {
            Self::Copy { to, from, .. } => to.iter().chain([from]).collect(),
            Self::ReduceFrom { to, from, .. } => vec![to, from],
            Self::Tile { map, shared, global, .. } => {
                map.iter().chain(shared).chain(global).collect()
            }
            Self::Store { to, .. } | Self::Reduce { to, .. } => vec![to],
            Self::Multiply { from, .. } => from.iter().collect(),
            Self::TensorLoad { from, .. } => vec![from],
            Self::TensorStore { to, .. } | Self::TensorFree { to } => vec![to],
            Self::TensorCompute { to, from, .. } => [to].into_iter().chain(from).collect(),
        }
    }
}

impl AsyncOperation {
    /// The addresses that it accesses: written to, read from, and those of mbarriers.
    pub fn addresses(&self) -> Vec<&Address> {
        let mut all = self.action.addresses();
        if let AsyncCompletion::Mbarriers(mbarriers) = &self.completion {
            all.extend(mbarriers);
        }
        all
    }
}
