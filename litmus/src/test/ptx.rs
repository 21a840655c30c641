//! PTX instructions (PTX ISA 8.6), as far as litmus tests use them; the generic dialect uses them
//! without orders and scopes.

use margay_models::execution::Scope;

use super::{
    Access, Address, AsyncFamily, AsyncGroupAction, AsyncOperation, AtomFunction, BarrierMode,
    ClusterBarrier, FenceOrder, LaunchOrder, LocalFunction, MbarrierOperation, MembarLevel,
    MultimemOperation, NumberComparison, Place, ProxyFenceKind, TensormapOperation, TestOperand,
    Type, WarpMeeting,
};

/// A read-modify-write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomInstruction {
    /// The qualifiers.
    pub access: Access,
    /// What is computed.
    pub function: AtomFunction,
    /// The register that takes the old value; `None` for `red`.
    pub destination: Option<String>,
    pub address: Address,
    /// The operand; for `.cas` the expected value.
    pub operand: TestOperand,
    /// The new value of `.cas`.
    pub replacement: Option<TestOperand>,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// `ld.acquire.gpu r0, x`
    Load {
        /// The qualifiers.
        access: Access,
        /// The register that takes the value.
        destination: String,
        address: Address,
    },
    /// `st.release.gpu x, 1`
    Store {
        /// The qualifiers.
        access: Access,
        address: Address,
        value: TestOperand,
    },
    /// `stxr r0, x, 1`: writes if the last load-reserved of the thread was of the same location and
    /// no store-conditional is between them, or fails.
    StoreConditional {
        /// The qualifiers.
        access: Access,
        /// The register that takes 0 if it wrote, else 1.
        status: String,
        address: Address,
        value: TestOperand,
    },
    /// `ld.weak.v2.u32 {r0, r1}, [x]`: one scalar load for each register, in an unspecified order
    /// (PTX ISA 8.2.4).
    VectorLoad {
        /// The qualifiers; the type is that of an element.
        access: Access,
        /// The registers, as many as the vector has elements.
        destinations: Vec<String>,
        /// The address of the first element.
        address: Address,
    },
    /// `st.weak.v2.u32 [x], {r0, 1}`: one scalar store for each value, in an unspecified order.
    VectorStore {
        /// The qualifiers; the type is that of an element.
        access: Access,
        /// The address of the first element.
        address: Address,
        /// The values, as many as the vector has elements.
        values: Vec<TestOperand>,
    },
    /// `atom.acq_rel.gpu.exch r0, x, 1`, or `red.relaxed.gpu.add x, 1`
    Atom(AtomInstruction),
    /// `fence.sc.gpu`; in the generic dialect `fence`.
    Fence {
        /// The order; `None` where none is written: acq_rel.
        order: Option<FenceOrder>,
        /// The scope; `None` only in the generic dialect.
        scope: Option<Scope>,
    },
    /// `membar.gl`
    Membar(MembarLevel),
    /// `fence.proxy.alias`
    ProxyFence(ProxyFenceKind),
    /// `bar.cta.sync 0`, `bar.cta.arrive 0, 64`; in Dartagnan's spelling `bar.cta.sync 1, 0, 2`
    Barrier {
        /// Arrive, wait or both.
        mode: BarrierMode,
        /// Whose threads meet: those of a cta, or in the tables of a text those of a warp.
        scope: Scope,
        /// In Dartagnan's spelling the first operand: threads meet only at barriers of one
        /// instance.
        instance: Option<u32>,
        /// The barrier: a number, or a register that holds it.
        barrier: TestOperand,
        /// The number of threads taking part, as written.
        count: Option<u32>,
    },
    /// `barrier.cluster.arrive`, `barrier.cluster.wait`
    ClusterBarrier(ClusterBarrier),
    /// `mbarrier.arrive.release.cta _, bar`
    Mbarrier(MbarrierOperation),
    /// `mbarrier.pending_count r0, r1`: how many arrivals the phase of a state waited for.
    PendingCount {
        /// The register that takes the number.
        destination: String,
        /// The state that an arrival returned.
        token: TestOperand,
    },
    /// `fence.mbarrier_init.release.cluster`
    MbarrierInitFence,
    /// `cp.async.bulk.global.shared::cta.bulk_group x, y, 16`
    Async(AsyncOperation),
    /// `cp.async.commit_group`, `cp.async.bulk.wait_group 0`
    AsyncGroup {
        /// Of which operations: each family has its own groups.
        family: AsyncFamily,
        /// Commit, or wait.
        action: AsyncGroupAction,
    },
    /// `cp.async.mbarrier.arrive bar`: an arrival when all earlier `cp.async` of the thread are
    /// complete; `tcgen05.commit`: all earlier `tcgen05.cp` and `.mma`.
    AsyncArrive {
        family: AsyncFamily,
        /// The mbarrier.
        address: Address,
        /// `.noinc`: the arrival was counted when the mbarrier was initialised.
        counted: bool,
    },
    /// `wgmma.fence.sync.aligned`: registers are ordered before a `wgmma.mma_async`; no memory is.
    WarpgroupFence,
    /// `fence.release.sync_restrict::shared::cta.cluster`,
    /// `fence.acquire.sync_restrict::shared::cluster.cluster`, and the same of
    /// `fence.proxy.async::generic`
    SharedFence {
        /// It acquires; else it releases.
        acquires: bool,
        /// From the generic proxy to the async one.
        to_async: bool,
    },
    /// `tensormap.replace`, `tensormap.cp_fenceproxy`, `fence.proxy.tensormap::generic`
    Tensormap(TensormapOperation),
    /// `tcgen05.fence::before_thread_sync`, `tcgen05.fence::after_thread_sync`
    TensorFence {
        /// The second one.
        after: bool,
    },
    /// `st.bulk.weak.shared::cta x, 16, 0`: weak stores of 0 to so many bytes.
    BulkStore {
        /// Where they begin.
        address: Address,
        /// How many.
        bytes: i64,
    },
    /// `multimem.st.relaxed.sys.u32 {x, y}, 1`
    Multimem(MultimemOperation),
    /// `bar.warp.sync 0xffffffff`, `vote.sync.any.pred _, p0, 0x3`: the lanes that are named meet.
    Warp(WarpMeeting),
    /// `griddepcontrol.wait`, `launch 1`, and what is written in the place of a thread: `after 0`.
    Launches(LaunchOrder),
    /// `add r0, r1, 2`, `setp.eq p0, r0, 1`
    Local {
        /// What is computed.
        function: LocalFunction,
        ty: Option<Type>,
        /// The register that takes the result.
        destination: String,
        /// The operands, as many as the function takes.
        operands: Vec<TestOperand>,
    },
    /// `beq r0, 1, L`
    BranchIf {
        comparison: NumberComparison,
        /// Its left side.
        left: TestOperand,
        /// Its right side.
        right: TestOperand,
        /// The label.
        target: String,
    },
    /// `goto L`
    Goto(String),
    /// `exit`: ends the thread.
    Exit,
    /// `L:`
    Label(String),
}

impl Operation {
    /// The addresses of what is no access of one location by the thread itself ([`Self::memory`]):
    /// mbarriers, what asynchronous operations access, bulk stores, multimem.
    pub fn further_addresses(&self) -> Vec<&Address> {
        match self {
            Self::Mbarrier(operation) => vec![&operation.address],
            Self::AsyncArrive { address, .. } => vec![address],
            Self::Async(operation) => operation.addresses(),
            Self::BulkStore { address, .. } => vec![address],
            Self::Tensormap(operation) => operation.addresses(),
            Self::Multimem(operation) => operation.replicas.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Does a model need to know asynchronous operations or mbarriers for it?
    pub fn is_asynchronous(&self) -> bool {
        matches!(
            self,
            Self::Mbarrier(_)
                | Self::PendingCount { .. }
                | Self::MbarrierInitFence
                | Self::WarpgroupFence
                | Self::SharedFence { .. }
                | Self::Tensormap(_)
                | Self::TensorFence { .. }
                | Self::Async(_)
                | Self::AsyncGroup { .. }
                | Self::AsyncArrive { .. }
                | Self::ProxyFence(
                    ProxyFenceKind::Async
                        | ProxyFenceKind::AsyncGlobal
                        | ProxyFenceKind::AsyncShared
                )
        )
    }

    /// The qualifiers and the address of an access to memory; `None` for everything else.
    pub fn memory(&self) -> Option<(&Access, &Address)> {
        match self {
            Self::Load { access, address, .. }
            | Self::Store { access, address, .. }
            | Self::StoreConditional { access, address, .. }
            | Self::VectorLoad { access, address, .. }
            | Self::VectorStore { access, address, .. }
            | Self::Atom(AtomInstruction { access, address, .. }) => Some((access, address)),
            _ => None,
        }
    }

    /// The address of an access to memory, to be changed.
    pub fn address_mut(&mut self) -> Option<&mut Address> {
        match self {
            Self::Load { address, .. }
            | Self::Store { address, .. }
            | Self::StoreConditional { address, .. }
            | Self::VectorLoad { address, .. }
            | Self::VectorStore { address, .. }
            | Self::Atom(AtomInstruction { address, .. }) => Some(address),
            _ => None,
        }
    }

    /// The qualifiers of an access to memory, to be changed.
    pub fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            Self::Load { access, .. }
            | Self::Store { access, .. }
            | Self::StoreConditional { access, .. }
            | Self::VectorLoad { access, .. }
            | Self::VectorStore { access, .. }
            | Self::Atom(AtomInstruction { access, .. }) => Some(access),
            _ => None,
        }
    }
}

/// `@p` or `@!p` before an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: String,
    /// `@!p`
    pub negated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestInstruction {
    /// The predicate under which it is executed.
    pub guard: Option<Guard>,
    /// What it does.
    pub operation: Operation,
    /// Where it stands.
    pub place: Place,
}

impl From<Operation> for TestInstruction {
    fn from(operation: Operation) -> Self {
        Self { guard: None, operation, place: Place::default() }
    }
}
