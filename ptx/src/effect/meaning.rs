//! What an instruction does, as a value.

use super::access::{MemoryAccess, MemoryOrder, MemoryScope, Window};
use super::comparison::NumberComparison;
use super::function::{Computation, Update};
use super::operand::{register, target};
use crate::asynchronous::{AsyncEffect, ClusterEffect};
use crate::exchange::Exchange;
use crate::tensor::TensorEffect;
use crate::tree::{Instruction, Operand, RegisterId, ScalarType};

/// How threads meet at a barrier of their block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// They arrive and wait.
    Sync,
    Arrive,
    /// They arrive, wait, and get what their predicates make together.
    Reduce,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect<'i> {
    /// Computes a register from operands.
    Compute {
        function: Computation,
        ty: ScalarType,
        /// The register; nothing for `_`.
        to: Option<RegisterId>,
        operands: Vec<&'i Operand>,
    },
    /// A sum, a difference, or a product and a sum that takes the carry of the one before, or
    /// leaves one for the one behind: `add.cc`, `addc`.
    Carry {
        /// What it computes: a difference takes and leaves what was borrowed.
        function: Computation,
        ty: ScalarType,
        /// The register; nothing for `_`.
        to: Option<RegisterId>,
        operands: Vec<&'i Operand>,
        /// Does it take the carry?
        takes: bool,
        /// Does it leave one?
        leaves: bool,
    },
    /// `setp`: a comparison, combined with a predicate, and its opposite.
    SetPredicate {
        relation: NumberComparison,
        /// The type of what is compared.
        ty: ScalarType,
        /// The predicates: of the result, and of the opposite.
        to: [Option<RegisterId>; 2],
        /// What is compared.
        operands: [&'i Operand; 2],
        /// And, or or exclusive or with this.
        with: Option<(Computation, &'i Operand)>,
    },
    /// A function that nobody interprets, of registers alone.
    Opaque {
        to: Vec<RegisterId>,
        operands: Vec<&'i Operand>,
    },
    /// Puts parts together in one register.
    Pack {
        /// The parts, the lowest first.
        parts: Vec<&'i Operand>,
        /// The register that holds all.
        to: RegisterId,
    },
    /// A register taken apart.
    Unpack {
        /// The parts, the lowest first; nothing for `_`.
        parts: Vec<Option<RegisterId>>,
        /// What is taken apart.
        from: &'i Operand,
    },
    /// Is an address one of this space?
    IsSpace {
        window: Window,
        /// `.shared::cluster`: is the shared memory of other blocks of the cluster meant as well?
        of_cluster: bool,
        /// The predicate.
        to: RegisterId,
        address: &'i Operand,
    },
    /// An address of a space as a generic one, or (`true`) the other way.
    ConvertAddress {
        /// The space.
        window: Window,
        /// From generic to the space?
        to_space: bool,
        to: RegisterId,
        address: &'i Operand,
    },
    /// Reads one or more elements.
    Load {
        access: MemoryAccess,
        /// The registers; nothing for `_`.
        to: Vec<Option<RegisterId>>,
        /// The base of the address.
        base: &'i Operand,
        /// The distance.
        offset: i64,
    },
    /// Writes one or more elements.
    Store {
        access: MemoryAccess,
        /// The base of the address.
        base: &'i Operand,
        /// The distance.
        offset: i64,
        /// What is written.
        values: Vec<&'i Operand>,
    },
    /// Reads and writes at once.
    Modify {
        access: MemoryAccess,
        /// What is computed.
        update: Update,
        /// The register that takes the old value; `None` for `red`.
        to: Option<Option<RegisterId>>,
        /// The base of the address.
        base: &'i Operand,
        /// The distance.
        offset: i64,
        /// The operands: the expected value first for `.cas`.
        operands: Vec<&'i Operand>,
    },
    Fence(MemoryOrder, MemoryScope),
    /// A barrier of the block: its number, and the count of threads.
    Barrier(Meeting, &'i Operand, Option<&'i Operand>),
    /// `barrier.red`: a barrier of the block at which threads get what their predicates make
    /// together.
    BarrierReduce {
        to: Option<RegisterId>,
        barrier: &'i Operand,
        /// The count of threads.
        count: Option<&'i Operand>,
        /// What the thread brings.
        predicate: &'i Operand,
    },
    /// A barrier of the warp: who takes part.
    WarpBarrier(&'i Operand),
    /// Threads of a warp wait for each other and get what they bring. Memory is not ordered by it.
    Exchange {
        /// What is made of it.
        exchange: Exchange,
        ty: ScalarType,
        /// The register of the result, and the predicate beside it.
        to: [Option<RegisterId>; 2],
        /// What the thread brings, and the lane and the clamp of a shuffle.
        operands: Vec<&'i Operand>,
        /// Who takes part.
        mask: &'i Operand,
    },
    /// Which threads of the warp are at an instruction together: any that are there, itself among
    /// them.
    ActiveMask(RegisterId),
    /// `ldmatrix`, `stmatrix`: each of the first lanes of the warp accesses a row of 16 bytes in
    /// shared memory, for all of them.
    Matrix {
        /// Is it written?
        is_store: bool,
        /// How many lanes name a row.
        lanes: u32,
        /// The registers that take parts of the rows.
        to: Vec<RegisterId>,
        /// The base of the address.
        base: &'i Operand,
        /// The distance.
        offset: i64,
    },
    /// An mbarrier, an asynchronous operation, or what orders these.
    Async(AsyncEffect<'i>),
    /// What a tensor core does.
    Tensor(TensorEffect<'i>),
    /// What blocks of a cluster do with each other.
    Cluster(ClusterEffect<'i>),
    /// An access that is not looked at; the thread goes on. Nobody interprets what it leaves in
    /// registers.
    Unseen {
        why: &'static str,
        to: Vec<RegisterId>,
    },
    /// Goes to an instruction.
    Jump(usize),
    /// Calls a function.
    Call {
        /// Its name; nothing where its address is in a register.
        function: Option<&'i str>,
        /// What holds its address then.
        address: Option<&'i Operand>,
        /// What takes its results.
        results: &'i [Operand],
        /// What it is given.
        arguments: &'i [Operand],
    },
    /// Back to the caller, or the end of the kernel.
    Return,
    /// The end of the thread.
    Exit,
    /// Stops the kernel with an error: `trap`, and `brkpt`, where no debugger goes on with it.
    Trap,
    /// Orders the launch with others (`griddepcontrol`; docs/ptx-isa-derivation.md): nothing within
    /// the launch.
    OtherLaunches,
    /// Nothing that a memory model speaks of.
    Nothing,
    /// Not known here, and why.
    Unknown(String),
}

pub(crate) fn unknown<'i>(why: &str) -> Option<Effect<'i>> {
    Some(Effect::Unknown(why.to_owned()))
}

/// What is computed of operands by a function that nobody interprets.
pub(super) fn opaque(i: &Instruction) -> Option<Effect<'_>> {
    let mut to = Vec::new();
    match i.operands.first()? {
        Operand::Vector(all) => to.extend(all.iter().filter_map(register)),
        Operand::Pair(a, b) => to.extend([register(a), register(b)].into_iter().flatten()),
        other => to.extend(target(other)?),
    }
    Some(Effect::Opaque { to, operands: i.operands[1..].iter().collect() })
}
