//! What the instructions of tensor cores do that access memory beside the thread: `wgmma` (PTX ISA
//! 9.7.15) and `tcgen05` (9.7.16).
//!
//! What they compute is not looked at. Which memory they access is in their operands: addresses of
//! tensor memory, and descriptors of matrices in shared memory, which are numbers.

use crate::asynchronous::{AddressOperand, AsyncEffect, MbarrierEffect, address};
use crate::effect::{Effect, Window, register, unknown, window};
use crate::tree::{Instruction, Operand, RegisterId};

/// The lanes and columns of tensor memory that the threads of a warp access together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorShape {
    /// How many lanes: 16 or 32.
    pub lanes: u32,
    /// How many columns of 32 bits.
    pub columns: u64,
    /// `.16x32bx2`: as many columns once more in the other 16 lanes, and how far these are behind
    /// the first ones.
    pub second: Option<u64>,
}

/// Where a matrix is that a product reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixOperand<'i> {
    /// In shared memory, by its descriptor.
    Shared(&'i Operand),
    /// In tensor memory.
    Tensor(AddressOperand<'i>),
    Registers,
}

/// How large the matrices of a product are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductSize<'i> {
    /// `wgmma`: the rows of A and the columns of B, and whether each of A and B is stored with K as
    /// its outer dimension.
    Known {
        /// Of the part of A that one warpgroup multiplies.
        rows: u64,
        /// Of B.
        columns: u64,
        /// Of A and B.
        transposed: [bool; 2],
    },
    /// `tcgen05`: the instruction descriptor says it.
    Descriptor(&'i Operand),
}

/// What an instruction of a tensor core does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TensorEffect<'i> {
    /// `tcgen05.alloc`: a warp writes an address of tensor memory.
    Allocate {
        /// Where in shared memory.
        to: AddressOperand<'i>,
        /// How many columns.
        columns: &'i Operand,
    },
    /// `tcgen05.dealloc`
    Free {
        /// The address in tensor memory.
        at: AddressOperand<'i>,
        /// How many columns.
        columns: &'i Operand,
    },
    /// `tcgen05.ld`
    Load {
        to: Vec<RegisterId>,
        /// The address in tensor memory.
        from: AddressOperand<'i>,
        /// How much.
        shape: TensorShape,
    },
    /// `tcgen05.st`
    Store {
        /// The address in tensor memory.
        to: AddressOperand<'i>,
        /// How much.
        shape: TensorShape,
    },
    /// `tcgen05.cp`: out of shared memory into tensor memory.
    Copy {
        /// The address in tensor memory.
        to: AddressOperand<'i>,
        /// The descriptor of the matrix.
        from: &'i Operand,
        /// How many columns it fills, of which lanes: all of them, or 32.
        columns: u64,
    },
    /// `tcgen05.mma`, `wgmma.mma_async`
    Multiply {
        /// The accumulator in tensor memory; nothing where it is in registers.
        to: Option<AddressOperand<'i>>,
        /// The registers of the accumulator.
        registers: Vec<RegisterId>,
        /// The first matrix.
        a: MatrixOperand<'i>,
        /// The descriptor of the second one.
        b: &'i Operand,
        /// How large they are.
        size: ProductSize<'i>,
        /// Is what is in the accumulator added? Nothing: yes.
        adds: Option<&'i Operand>,
        /// The other places in tensor memory that it reads: scales.
        scales: Vec<AddressOperand<'i>>,
    },
    /// `tcgen05.wait::ld` (true), `tcgen05.wait::st`
    Wait(bool),
    /// `tcgen05.fence::after_thread_sync` (true), `before_thread_sync`
    Fence(bool),
    /// `wgmma.fence`
    WarpgroupFence,
    /// `wgmma.commit_group`
    WarpgroupCommit,
    /// `wgmma.wait_group`: waits for all groups but so many.
    WarpgroupWait(u64),
}

impl<'i> TensorEffect<'i> {
    /// The addresses and descriptors that it names, of which it must be known what they are made
    /// of.
    pub fn addresses(&self) -> Vec<&'i Operand> {
        match self {
            Self::Allocate { to, .. } => vec![to.base],
            Self::Free { at, .. } => vec![at.base],
            Self::Load { from, .. } => vec![from.base],
            Self::Store { to, .. } => vec![to.base],
            Self::Copy { to, from, .. } => vec![to.base, from],
            Self::Multiply { to, a, b, scales, .. } => {
                let a = match a {
                    MatrixOperand::Shared(descriptor) => Some(*descriptor),
                    MatrixOperand::Tensor(at) => Some(at.base),
                    MatrixOperand::Registers => None,
                };
                to.iter()
                    .map(|to| to.base)
                    .chain(a)
                    .chain([*b])
                    .chain(scales.iter().map(|at| at.base))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The registers that it writes.
    pub fn results(&self) -> &[RegisterId] {
        match self {
            Self::Load { to, .. } => to,
            Self::Multiply { registers, .. } => registers,
            _ => &[],
        }
    }
}

/// The registers of a list, or of one operand.
fn registers(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Vector(all) => all.iter().filter_map(register).collect(),
        other => register(other).into_iter().collect(),
    }
}

/// The shape of `tcgen05.ld` and `.st`; `offset` is the operand of `.16x32bx2`.
fn shape(i: &Instruction, offset: Option<&Operand>) -> Option<TensorShape> {
    let repeats = i.qualifiers.iter().find_map(|q| q.strip_prefix('x')?.parse::<u64>().ok())?;
    // What is packed takes two columns for each register.
    let packed =
        if i.qualifiers.iter().any(|q| q.starts_with("pack::") || q.starts_with("unpack::")) {
            2
        } else {
            1
        };
    let (lanes, columns) = [
        ("32x32b", (32, 1)),
        ("16x32bx2", (16, 1)),
        ("16x64b", (16, 2)),
        ("16x128b", (16, 4)),
        ("16x256b", (16, 8)),
    ]
    .into_iter()
    .find(|(name, _)| i.has(name))?
    .1;
    let second = match (i.has("16x32bx2"), offset) {
        (true, Some(Operand::Integer(n))) => Some(*n),
        (true, _) => return None,
        _ => None,
    };
    Some(TensorShape { lanes, columns: columns * repeats * packed, second })
}

/// An instruction of `tcgen05`.
pub(crate) fn tcgen05(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let space = window(i).unwrap_or(Window::Generic);
    // Addresses of tensor memory are numbers of their own.
    let tensor = |n: usize| address(get(n)?, Window::Generic);
    let whole = |operand| AddressOperand { window: Window::Generic, base: operand, offset: 0 };
    let first = i.qualifiers.first()?.as_str();
    let effect = match first {
        "alloc" => TensorEffect::Allocate { to: address(get(0)?, space)?, columns: get(1)? },
        "dealloc" => TensorEffect::Free { at: whole(get(0)?), columns: get(1)? },
        "relinquish_alloc_permit" => return Some(Effect::Nothing),
        "wait::ld" | "wait::st" => TensorEffect::Wait(first == "wait::ld"),
        "fence::after_thread_sync" | "fence::before_thread_sync" => {
            TensorEffect::Fence(first == "fence::after_thread_sync")
        }
        "commit" => {
            let blocks = if i.has("multicast::cluster") { Some(get(1)?) } else { None };
            let arrival = MbarrierEffect::ArriveBehindTensors { blocks };
            return Some(Effect::Async(AsyncEffect::Mbarrier(address(get(0)?, space)?, arrival)));
        }
        // With a reduction the register of its result stands second.
        "ld" => {
            let at = if i.has("red") { 2 } else { 1 };
            let to = i.operands[..at.min(i.operands.len())].iter().flat_map(registers).collect();
            TensorEffect::Load { to, from: tensor(at)?, shape: shape(i, get(at + 1))? }
        }
        "st" => {
            let is_split = i.has("16x32bx2");
            TensorEffect::Store { to: tensor(0)?, shape: shape(i, get(1).filter(|_| is_split))? }
        }
        "cp" => {
            let of = |name: &str| i.qualifiers.iter().any(|q| q.starts_with(name));
            let columns = match (
                of("128x256b") || of("4x256b"),
                of("32x128b") || of("64x128b") || of("128x128b"),
            ) {
                (true, _) => 8,
                (_, true) => 4,
                _ => return None,
            };
            TensorEffect::Copy { to: tensor(0)?, from: get(1)?, columns }
        }
        "mma" => {
            let a = match get(1)? {
                operand @ Operand::Address(..) => {
                    MatrixOperand::Tensor(address(operand, Window::Generic)?)
                }
                descriptor => MatrixOperand::Shared(descriptor),
            };
            // Behind the descriptors of matrices metadata may stand, of sparse ones, and behind
            // that of the instruction scales and lanes.
            let rest = &i.operands[3..];
            let metadata = rest.iter().take_while(|o| matches!(o, Operand::Address(..))).count();
            let size = ProductSize::Descriptor(rest.get(metadata)?);
            let is_flag = |o: &&Operand| !matches!(o, Operand::Address(..) | Operand::Vector(_));
            let adds = rest[metadata + 1..].iter().find(is_flag);
            let scales = rest.iter().filter_map(|o| address(o, Window::Generic)).collect();
            TensorEffect::Multiply {
                to: Some(tensor(0)?),
                registers: Vec::new(),
                a,
                b: get(2)?,
                size,
                adds,
                scales,
            }
        }
        "shift" => {
            let why = "what `tcgen05.shift` makes of the rows of tensor memory is not modelled";
            return Some(Effect::Unseen { why, to: Vec::new() });
        }
        _ => return unknown("the instruction is not known"),
    };
    Some(Effect::Tensor(effect))
}

/// An instruction of `wgmma`.
pub(crate) fn wgmma(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let effect = match i.qualifiers.first()?.as_str() {
        "fence" => TensorEffect::WarpgroupFence,
        "commit_group" => TensorEffect::WarpgroupCommit,
        "wait_group" => {
            let Operand::Integer(left) = get(0)? else { return None };
            TensorEffect::WarpgroupWait(*left)
        }
        "mma_async" => {
            // `.m64n128k16`
            let of_n = |q: &String| q.strip_prefix("m64n")?.split('k').next()?.parse::<u64>().ok();
            let columns = i.qualifiers.iter().find_map(of_n)?;
            let a = match get(1)? {
                Operand::Vector(_) => MatrixOperand::Registers,
                descriptor => MatrixOperand::Shared(descriptor),
            };
            // `.., scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b`; of A in registers
            // only B has a layout.
            let flags: Vec<bool> =
                i.operands.iter().skip(6).map(|o| matches!(o, Operand::Integer(1))).collect();
            let transposed = match (a, flags.as_slice()) {
                (MatrixOperand::Registers, [b, ..]) => [false, *b],
                (_, [a, b, ..]) => [*a, *b],
                _ => [false, false],
            };
            let size = ProductSize::Known { rows: 64, columns, transposed };
            let (registers, scales) = (registers(get(0)?), Vec::new());
            TensorEffect::Multiply { to: None, registers, a, b: get(2)?, size, adds: None, scales }
        }
        _ => return unknown("the instruction is not known"),
    };
    Some(Effect::Tensor(effect))
}
