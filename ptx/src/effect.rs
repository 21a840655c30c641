//! What an instruction does, said once, in a small code: arithmetic on bit-vectors, accesses to memory with order, scope and space, fences,
//! barriers, and jumps. Floating-point arithmetic is a function that nobody interprets: equal operands give equal results.
//!
//! What is not in the code is [`Effect::Unknown`] with its reason; nothing is left out in silence.

use crate::asynchronous::{self, AsyncEffect, ClusterEffect};
use crate::exchange::{Exchange, exchange};
use crate::tensor::{self, TensorEffect};
use crate::tree::{Instruction, Kind, Operand, RegisterId, ScalarType};

/// A comparison of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// Which half of a product is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// `.lo`
    Low,
    /// `.hi`
    High,
    /// `.wide`: both.
    Wide,
}

/// What is computed from numbers, in a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// The operand.
    Move,
    /// The operand, which is of another type.
    Convert(ScalarType),
    /// All bits turned.
    Not,
    /// `0 - a`
    Negate,
    /// The absolute value.
    Absolute,
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply(Half),
    /// The product of the first two and the third.
    MultiplyAdd(Half),
    /// The quotient, towards zero.
    Divide,
    /// What remains of the quotient.
    Remainder,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// `cnot`: is it zero?
    IsZero,
    /// To the left, by an amount that is held to the width.
    ShiftLeft,
    /// To the right, by an amount that is held to the width; signed types keep their sign.
    ShiftRight,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The first if the third is true, else the second.
    Select,
    /// 1 if the relation holds, else 0.
    Compare(Relation),
    /// How many bits are 1.
    CountOnes,
    /// How many bits are 0 before the first 1.
    CountLeadingZeros,
    /// The number of the highest bit that says something, or all ones; with `true` the distance from the top.
    FindHighest(bool),
    /// The bits the other way round.
    Reverse,
    /// A field of the first: position, length.
    Extract,
    /// The first put into the second: position, length.
    Insert,
    /// Any function of three bits, by its table.
    Logic(u8),
    /// Bytes of two words by a selector.
    Permute,
    /// The upper word of two shifted left (`true`) or the lower of two shifted right; `true`: the amount wraps.
    Funnel(bool, bool),
}

impl Function {
    /// What is computed in a type; `None` where the ISA says that it is not defined, as a quotient by zero.
    pub fn value(self, ty: ScalarType, operands: &[u64]) -> Option<u64> {
        let get = |n: usize| operands.get(n).copied();
        let (a, b) = (ty.cut(get(0)?), ty.cut(get(1).unwrap_or(0)));
        let signed = ty.kind == Kind::Signed;
        let number = |v: u64| if signed { i128::from(ty.signed(v)) } else { i128::from(v) };
        let product = |x: u64, y: u64| number(x).wrapping_mul(number(y));
        let wide = ScalarType { bits: (ty.bits * 2).min(64), ..ty };
        let half = |of: Half, value: i128| match of {
            Half::Low => ty.cut(value as u64),
            Half::High => ty.cut((value >> ty.bits) as u64),
            Half::Wide => wide.cut(value as u64),
        };
        let bits = u32::from(ty.bits);
        Some(match self {
            Self::Move => a,
            Self::Convert(from) => {
                let raw = from.cut(get(0)?);
                ty.cut(if from.kind == Kind::Signed { from.signed(raw) as u64 } else { raw })
            }
            Self::Not => ty.cut(!a),
            Self::Negate => ty.cut(a.wrapping_neg()),
            Self::Absolute => ty.cut(number(a).unsigned_abs() as u64),
            Self::Add => ty.cut(a.wrapping_add(b)),
            Self::Subtract => ty.cut(a.wrapping_sub(b)),
            Self::Multiply(of) => half(of, product(a, b)),
            Self::MultiplyAdd(of) => {
                let c = get(2)?;
                match of {
                    Half::Wide => wide.cut((product(a, b) as u64).wrapping_add(c)),
                    _ => ty.cut(half(of, product(a, b)).wrapping_add(c)),
                }
            }
            Self::Divide if b == 0 => return None,
            Self::Divide => ty.cut((number(a) / number(b)) as u64),
            Self::Remainder if b == 0 => return None,
            Self::Remainder => ty.cut((number(a) % number(b)) as u64),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::IsZero => u64::from(a == 0),
            Self::ShiftLeft => match get(1)? & 0xffff_ffff {
                n if n >= u64::from(bits) => 0,
                // Values have 64 bits: of a wider one that would have more, nothing is known.
                n => ty.cut(a.checked_shl(n as u32).filter(|_| bits <= 64)?),
            },
            Self::ShiftRight => {
                let n = (get(1)? & 0xffff_ffff).min(u64::from(bits)) as u32;
                match signed {
                    true => ty.cut((ty.signed(a) >> n.min(63)) as u64),
                    false => a.checked_shr(n).unwrap_or(0),
                }
            }
            Self::Min => {
                if number(a) <= number(b) {
                    a
                } else {
                    b
                }
            }
            Self::Max => {
                if number(a) >= number(b) {
                    a
                } else {
                    b
                }
            }
            Self::Select => {
                if get(2)? & 1 == 1 {
                    a
                } else {
                    b
                }
            }
            Self::Compare(relation) => u64::from(relation.holds(number(a).cmp(&number(b)))),
            Self::CountOnes => u64::from(a.count_ones()),
            Self::CountLeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
            Self::FindHighest(distance) => {
                let a = if signed && ty.signed(a) < 0 { ty.cut(!a) } else { a };
                match a.checked_ilog2() {
                    None => 0xffff_ffff,
                    Some(at) => u64::from(if distance { bits - 1 - at } else { at }),
                }
            }
            Self::Reverse => a.reverse_bits() >> (64 - bits),
            Self::Extract => {
                let (at, length) = ((get(1)? & 0xff) as u32, (get(2)? & 0xff) as u32);
                let top = bits - 1;
                let sign_at = at.saturating_add(length).saturating_sub(1).min(top);
                let sign = signed && length > 0 && a >> sign_at & 1 == 1;
                let mut value = 0u64;
                for i in 0..bits {
                    let bit = if i < length && at + i <= top { a >> (at + i) & 1 == 1 } else { sign };
                    value |= u64::from(bit) << i;
                }
                value
            }
            Self::Insert => {
                let (at, length) = ((get(2)? & 0xff) as u32, (get(3)? & 0xff) as u32);
                let mut value = b;
                for i in (0..length).take_while(|i| at + i < bits) {
                    value = value & !(1 << (at + i)) | (if i < 64 { a >> i & 1 } else { 0 }) << (at + i);
                }
                value
            }
            Self::Logic(table) => {
                let c = ty.cut(get(2)?);
                let of = |i: u32| u64::from(table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i;
                (0..bits).map(of).fold(0, |all, bit| all | bit)
            }
            Self::Permute => {
                let selector = get(2)?;
                let bytes = a & 0xffff_ffff | b << 32;
                let of = |i: u64| {
                    let choice = selector >> (4 * i) & 0xf;
                    let byte = bytes >> (8 * (choice & 7)) & 0xff;
                    (if choice & 8 == 0 { byte } else { 0xff * (byte >> 7) }) << (8 * i)
                };
                (0..4).map(of).fold(0, |all, byte| all | byte)
            }
            Self::Funnel(left, wraps) => {
                let amount = get(2)? & 0xffff_ffff;
                let n = if wraps { amount & 31 } else { amount.min(32) };
                let both = a & 0xffff_ffff | b << 32;
                let result = if left { both << n >> 32 } else { both >> n };
                // `both << 32 >> 32` keeps the low word, which is what a shift by 32 of the pair leaves.
                result & 0xffff_ffff
            }
        })
    }

    /// The type of what is computed in a type.
    pub fn result(self, ty: ScalarType) -> ScalarType {
        match self {
            Self::Multiply(Half::Wide) | Self::MultiplyAdd(Half::Wide) => ScalarType { bits: (ty.bits * 2).min(64), ..ty },
            Self::Compare(_) => ScalarType { kind: Kind::Predicate, bits: 1 },
            Self::CountOnes | Self::CountLeadingZeros | Self::FindHighest(_) => ScalarType { kind: Kind::Unsigned, bits: 32 },
            _ => ty,
        }
    }
}

impl Relation {
    fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// The order of an access or a fence (PTX ISA 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// `.weak`
    Weak,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
    /// `.sc`
    Sc,
    /// `.volatile`
    Volatile,
    /// `.mmio`
    Mmio,
}

/// A scope (PTX ISA 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryScope {
    /// `.cta`
    Cta,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Gpu,
    /// `.sys`
    Sys,
}

/// Where an access goes by its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// Any space: the address says which.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.const`
    Constant,
    /// `.local`
    Local,
    /// `.param`
    Parameter,
}

/// An access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Its order.
    pub order: MemoryOrder,
    /// Its scope, where it has one.
    pub scope: Option<MemoryScope>,
    /// Its state space.
    pub window: Window,
    /// The type of an element.
    pub ty: ScalarType,
    /// `.nc` and its kin: through a cache of what nobody writes.
    pub read_only: bool,
}

/// What a read-modify-write computes from what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Update {
    /// `.exch`
    Exchange,
    /// `.cas`
    CompareAndSwap,
    /// `.add`
    Add,
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
    /// `.inc`
    Increment,
    /// `.dec`
    Decrement,
    /// `.min`
    Min,
    /// `.max`
    Max,
}

impl Update {
    /// What is left of an old value (PTX ISA 9.7.13, `atom`); nothing where operands are missing. Of floats there is no sum here.
    pub fn value(self, ty: ScalarType, old: u64, operands: &[u64]) -> Option<u64> {
        let (old, a) = (ty.cut(old), ty.cut(*operands.first()?));
        let number = |v: u64| if ty.kind == Kind::Signed { i128::from(ty.signed(v)) } else { i128::from(v) };
        Some(ty.cut(match self {
            Self::Exchange => a,
            Self::CompareAndSwap if old == a => *operands.get(1)?,
            Self::CompareAndSwap => old,
            Self::Add => old.wrapping_add(a),
            Self::And => old & a,
            Self::Or => old | a,
            Self::Xor => old ^ a,
            Self::Increment if old >= a => 0,
            Self::Increment => old + 1,
            Self::Decrement if old == 0 || old > a => a,
            Self::Decrement => old - 1,
            Self::Min if number(a) < number(old) => a,
            Self::Max if number(a) > number(old) => a,
            Self::Min | Self::Max => old,
        }))
    }
}

/// How threads meet at a barrier of their block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// They arrive and wait.
    Sync,
    /// They arrive.
    Arrive,
    /// They arrive, wait, and get what their predicates make together.
    Reduce,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect<'i> {
    /// Computes a register from operands.
    Compute {
        /// What it computes.
        function: Function,
        /// In which type.
        ty: ScalarType,
        /// The register; nothing for `_`.
        to: Option<RegisterId>,
        /// The operands.
        operands: Vec<&'i Operand>,
    },
    /// `setp`: a comparison, combined with a predicate, and its opposite.
    SetPredicate {
        /// The relation.
        relation: Relation,
        /// The type of what is compared.
        ty: ScalarType,
        /// The predicates: of the result, and of the opposite.
        to: [Option<RegisterId>; 2],
        /// What is compared.
        operands: [&'i Operand; 2],
        /// And, or or exclusive or with this.
        with: Option<(Function, &'i Operand)>,
    },
    /// A function that nobody interprets, of registers alone.
    Opaque {
        /// The registers.
        to: Vec<RegisterId>,
        /// What it is of.
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
        /// The space.
        window: Window,
        /// `.shared::cluster`: is the shared memory of other blocks of the cluster meant as well?
        of_cluster: bool,
        /// The predicate.
        to: RegisterId,
        /// The address.
        address: &'i Operand,
    },
    /// An address of a space as a generic one, or (`true`) the other way.
    ConvertAddress {
        /// The space.
        window: Window,
        /// From generic to the space?
        to_space: bool,
        /// The register.
        to: RegisterId,
        /// The address.
        address: &'i Operand,
    },
    /// Reads one or more elements.
    Load {
        /// How.
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
        /// How.
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
        /// How.
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
    /// A fence.
    Fence(MemoryOrder, MemoryScope),
    /// A barrier of the block: its number, and the count of threads.
    Barrier(Meeting, &'i Operand, Option<&'i Operand>),
    /// `barrier.red`: a barrier of the block at which threads get what their predicates make together.
    BarrierReduce {
        /// The register.
        to: Option<RegisterId>,
        /// The barrier.
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
        /// In which type.
        ty: ScalarType,
        /// The register of the result, and the predicate beside it.
        to: [Option<RegisterId>; 2],
        /// What the thread brings, and the lane and the clamp of a shuffle.
        operands: Vec<&'i Operand>,
        /// Who takes part.
        mask: &'i Operand,
    },
    /// Which threads of the warp are at an instruction together: any that are there, itself among them.
    ActiveMask(RegisterId),
    /// `ldmatrix`, `stmatrix`: each of the first lanes of the warp accesses a row of 16 bytes in shared memory, for all of them.
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
    /// An access that is not looked at; the thread goes on. Nobody interprets what it leaves in registers.
    Unseen {
        /// What it is.
        why: &'static str,
        /// The registers.
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
    /// Stops the kernel with an error.
    Trap,
    /// Orders the launch with others (`griddepcontrol`; docs/ptx-isa-derivation.md): nothing within the launch.
    OtherLaunches,
    /// Nothing that a memory model speaks of.
    Nothing,
    /// Not known here, and why.
    Unknown(String),
}

/// What an instruction does.
pub fn of(i: &Instruction) -> Effect<'_> {
    effect(i).unwrap_or_else(|| Effect::Unknown("its operands are not those that are known".to_owned()))
}

pub(crate) fn unknown<'i>(why: &str) -> Option<Effect<'i>> {
    Some(Effect::Unknown(why.to_owned()))
}

pub(crate) fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(register) = operand { Some(*register) } else { None }
}

/// A register, or nothing for `_`.
pub(crate) fn target(operand: &Operand) -> Option<Option<RegisterId>> {
    match operand {
        Operand::Register(register) => Some(Some(*register)),
        Operand::Sink => Some(None),
        _ => None,
    }
}

fn effect(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    let get = |n: usize| operands.get(n);
    let has = |q: &str| i.has(q);
    let compute = |function: Function, count: usize| -> Option<Effect<'_>> {
        let ty = i.ty()?;
        if ty.bits > 64 {
            return unknown("registers of more than 64 bits are not known");
        }
        (operands.len() == count + 1).then_some(())?;
        let to = match get(0)? {
            // `add.cc` has a carry that is not modelled; a pair `p|q` is of `shfl` and `setp`.
            Operand::Pair(..) => return None,
            other => target(other)?,
        };
        Some(Effect::Compute { function, ty, to, operands: operands[1..].iter().collect() })
    };
    let opaque = || -> Option<Effect<'_>> {
        let mut to = Vec::new();
        match get(0)? {
            Operand::Vector(all) => to.extend(all.iter().filter_map(register)),
            Operand::Pair(a, b) => to.extend([register(a), register(b)].into_iter().flatten()),
            other => to.extend(target(other)?),
        }
        Some(Effect::Opaque { to, operands: operands[1..].iter().collect() })
    };
    let float = i.ty().is_some_and(|ty| ty.kind == Kind::Float)
        || i.qualifiers.iter().any(|q| matches!(q.as_str(), "f16x2" | "bf16x2" | "f32x2" | "tf32"));
    let packed = i.qualifiers.iter().any(|q| matches!(q.as_str(), "s16x2" | "u16x2" | "s8x4" | "u8x4"));
    let half = || match (has("wide"), has("hi")) {
        (true, _) => Half::Wide,
        (_, true) => Half::High,
        _ => Half::Low,
    };
    match i.opcode.as_str() {
        "mov" => match (get(0)?, get(1)?) {
            (Operand::Register(to), Operand::Vector(parts)) => Some(Effect::Pack { parts: parts.iter().collect(), to: *to }),
            (Operand::Vector(parts), from) => {
                Some(Effect::Unpack { parts: parts.iter().map(target).collect::<Option<_>>()?, from })
            }
            (_, Operand::Label(_)) => unknown("the address of a label is taken"),
            _ => compute(Function::Move, 1),
        },
        "cvta" => {
            let window = window(i)?;
            let (to, address) = (register(get(0)?)?, get(1)?);
            Some(Effect::ConvertAddress { window, to_space: has("to"), to, address })
        }
        "isspacep" => Some(Effect::IsSpace {
            window: window(i)?,
            of_cluster: has("shared::cluster"),
            to: register(get(0)?)?,
            address: get(1)?,
        }),
        "cvt" => {
            let mut types = i.qualifiers.iter().filter_map(|q| ScalarType::from_name(q));
            let (ty, from) = (types.next()?, types.next()?);
            if ty.kind == Kind::Float || from.kind == Kind::Float || has("sat") || operands.len() != 2 {
                return opaque();
            }
            Some(Effect::Compute { function: Function::Convert(from), ty, to: target(get(0)?)?, operands: vec![get(1)?] })
        }
        "add" | "sub" | "mul" | "mad" | "div" | "rem" | "min" | "max" | "abs" | "neg" | "fma" | "mul24" | "mad24" | "sad"
        | "copysign" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "testp" | "dp4a" | "dp2a" | "bmsk"
        | "szext" | "vadd4" | "addc" | "subc" | "madc" | "set" | "slct"
            if float || packed || has("cc") || has("sat") || has("relu") || has("xorsign") =>
        {
            // A carry is a register like the others, and of what it makes nobody asks what it is.
            opaque()
        }
        "addc" | "subc" | "madc" => opaque(),
        // Products of matrices that are in registers of a warp.
        "mma" | "movmatrix" => opaque(),
        "wmma" if has("mma") => opaque(),
        "wmma" if has("load") => unseen(i, "which part of a matrix a thread reads is not known: what is read is not looked at"),
        "wmma" => unseen(i, "which part of a matrix a thread writes is not known: what is written is not looked at"),
        "ldmatrix" | "stmatrix" => matrix(i),
        "add" => compute(Function::Add, 2),
        "sub" => compute(Function::Subtract, 2),
        "mul" => compute(Function::Multiply(half()), 2),
        "mad" => compute(Function::MultiplyAdd(half()), 3),
        "div" => compute(Function::Divide, 2),
        "rem" => compute(Function::Remainder, 2),
        "min" => compute(Function::Min, 2),
        "max" => compute(Function::Max, 2),
        "abs" => compute(Function::Absolute, 1),
        "neg" => compute(Function::Negate, 1),
        "not" => compute(Function::Not, 1),
        "and" => compute(Function::And, 2),
        "or" => compute(Function::Or, 2),
        "xor" => compute(Function::Xor, 2),
        "cnot" => compute(Function::IsZero, 1),
        "shl" => compute(Function::ShiftLeft, 2),
        "shr" => compute(Function::ShiftRight, 2),
        "popc" => compute(Function::CountOnes, 1),
        "clz" => compute(Function::CountLeadingZeros, 1),
        "bfind" => compute(Function::FindHighest(has("shiftamt")), 1),
        "brev" => compute(Function::Reverse, 1),
        "bfe" => compute(Function::Extract, 3),
        "bfi" => compute(Function::Insert, 4),
        "prmt" if i.qualifiers.len() == 1 => compute(Function::Permute, 3),
        "lop3" if operands.len() == 5 => match get(4)? {
            Operand::Integer(table) => Some(Effect::Compute {
                function: Function::Logic(*table as u8),
                ty: i.ty()?,
                to: target(get(0)?)?,
                operands: operands[1..4].iter().collect(),
            }),
            _ => None,
        },
        "shf" => compute(Function::Funnel(has("l"), has("wrap")), 3),
        "selp" => compute(Function::Select, 3),
        "setp" => {
            let ty = i.ty()?;
            let to = match get(0)? {
                Operand::Pair(a, b) => [target(a)?, target(b)?],
                other => [target(other)?, None],
            };
            if ty.kind == Kind::Float {
                return Some(Effect::Opaque { to: to.into_iter().flatten().collect(), operands: operands[1..].iter().collect() });
            }
            let relation = i.qualifiers.iter().find_map(|q| relation(q))?;
            let with = match get(3) {
                None => None,
                Some(with) => {
                    let function = match (has("and"), has("or"), has("xor")) {
                        (true, ..) => Function::And,
                        (_, true, _) => Function::Or,
                        (_, _, true) => Function::Xor,
                        _ => return None,
                    };
                    Some((function, with))
                }
            };
            // `lo` and its kin compare without a sign, whatever the type says.
            let unsigned = i.qualifiers.iter().any(|q| matches!(q.as_str(), "lo" | "ls" | "hi" | "hs"));
            let ty = if unsigned { ScalarType { kind: Kind::Unsigned, ..ty } } else { ty };
            Some(Effect::SetPredicate { relation, ty, to, operands: [get(1)?, get(2)?], with })
        }
        "fma" | "mul24" | "mad24" | "sad" | "copysign" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh"
        | "testp" | "dp4a" | "dp2a" | "bmsk" | "szext" | "fns" | "set" | "slct" | "prmt" | "lop3" => opaque(),
        "ld" | "ldu" => {
            let access = match access(i) {
                Ok(access) => access,
                Err(why) => return unknown(why),
            };
            let to = match get(0)? {
                Operand::Vector(all) => all.iter().map(target).collect::<Option<_>>()?,
                other => vec![target(other)?],
            };
            let Operand::Address(base, offset) = get(1)? else { return None };
            Some(Effect::Load { access, to, base, offset: *offset })
        }
        "st" | "red" if has("async") || has("bulk") => asynchronous::store(i),
        "st" => {
            let access = match access(i) {
                Ok(access) => access,
                Err(why) => return unknown(why),
            };
            let values = match get(1)? {
                Operand::Vector(all) => all.iter().collect(),
                other => vec![other],
            };
            let Operand::Address(base, offset) = get(0)? else { return None };
            Some(Effect::Store { access, base, offset: *offset, values })
        }
        "atom" | "red" => {
            let is_vector = i.qualifiers.iter().any(|q| matches!(q.as_str(), "v2" | "v4" | "v8"));
            if is_vector {
                return unknown("a vector of read-modify-writes");
            }
            let mut access = match access(i) {
                Ok(access) => access,
                Err(why) => return unknown(why),
            };
            if access.order == MemoryOrder::Weak {
                access.order = MemoryOrder::Relaxed;
            }
            access.scope.get_or_insert(MemoryScope::Gpu);
            let update = i.qualifiers.iter().find_map(|q| update(q))?;
            let first = usize::from(i.opcode == "atom");
            let to = if first == 1 { Some(target(get(0)?)?) } else { None };
            let Operand::Address(base, offset) = get(first)? else { return None };
            let rest: Vec<&Operand> = operands[first + 1..].iter().collect();
            (rest.len() == if update == Update::CompareAndSwap { 2 } else { 1 }).then_some(())?;
            Some(Effect::Modify { access, update, to, base, offset: *offset, operands: rest })
        }
        "membar" | "fence" => fence(i),
        "bar" | "barrier" if has("warp") => Some(Effect::WarpBarrier(get(0)?)),
        "barrier" if has("cluster") => asynchronous::cluster(i),
        "mapa" | "getctarank" => asynchronous::cluster(i),
        "bar" | "barrier" => match (has("red"), has("arrive")) {
            (true, _) => {
                let (count, predicate) = match operands.len() {
                    3 => (None, get(2)?),
                    _ => (Some(get(2)?), get(3)?),
                };
                Some(Effect::BarrierReduce { to: target(get(0)?)?, barrier: get(1)?, count, predicate })
            }
            (_, true) => Some(Effect::Barrier(Meeting::Arrive, get(0)?, get(1))),
            _ => Some(Effect::Barrier(Meeting::Sync, get(0)?, get(1))),
        },
        "bra" => match get(0)? {
            Operand::Label(label) => Some(Effect::Jump(*label)),
            _ => None,
        },
        "brx" => unknown("a jump by a table"),
        "call" => {
            let (results, rest): (&[Operand], &[Operand]) = match get(0)? {
                Operand::List(results) => (results, &operands[1..]),
                _ => (&[], operands),
            };
            let (function, address) = match rest.first()? {
                Operand::Name(name) => (Some(name.as_str()), None),
                other => (None, Some(other)),
            };
            let arguments: &[Operand] = match rest.get(1) {
                Some(Operand::List(arguments)) => arguments,
                _ => &[],
            };
            Some(Effect::Call { function, address, results, arguments })
        }
        "ret" => Some(Effect::Return),
        "exit" => Some(Effect::Exit),
        "trap" => Some(Effect::Trap),
        "createpolicy" => opaque(),
        "griddepcontrol" => Some(Effect::OtherLaunches),
        "nanosleep" | "prefetch" | "prefetchu" | "applypriority" | "pmevent" | "brkpt" | "setmaxnreg" | "discard" => {
            Some(Effect::Nothing)
        }
        "vote" | "shfl" | "match" | "redux" | "elect" => exchange(i),
        "activemask" => Some(Effect::ActiveMask(register(get(0)?)?)),
        "mbarrier" => asynchronous::mbarrier(i),
        "cp" => asynchronous::copy(i),
        "tensormap" => asynchronous::tensormap(i),
        "tcgen05" => tensor::tcgen05(i),
        "clusterlaunchcontrol" => unknown("asynchronous operations of this kind are not modelled (PTX ISA 8.9.1.1)"),
        "wgmma" => tensor::wgmma(i),
        "tex" | "tld4" | "suld" => unseen(i, "what is read through textures and surfaces is not modelled (PTX ISA 8.1)"),
        "txq" | "suq" => opaque(),
        "sust" | "sured" => unseen(i, "what is written through surfaces is not modelled (PTX ISA 8.1)"),
        "alloca" | "stacksave" | "stackrestore" => unknown("stacks of a size that is computed are not modelled"),
        _ => unknown("the instruction is not known"),
    }
}

/// `ldmatrix`, `stmatrix`: the lanes whose addresses count access a row of 16 bytes each.
fn matrix(i: &Instruction) -> Option<Effect<'_>> {
    let (registers, address) = match i.opcode.as_str() {
        "ldmatrix" => (i.operands.first()?, i.operands.get(1)?),
        _ => (i.operands.get(1)?, i.operands.first()?),
    };
    let Operand::Address(base, offset) = address else { return None };
    let count = match (i.has("x1"), i.has("x2")) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 4,
    };
    let all = match registers {
        Operand::Vector(all) => all.iter().collect(),
        other => vec![other],
    };
    let is_store = i.opcode == "stmatrix";
    let to = if is_store { Vec::new() } else { all.into_iter().filter_map(register).collect() };
    Some(Effect::Matrix { is_store, lanes: 8 * count, to, base, offset: *offset })
}

/// An access that is not looked at: what is behind the destinations in its operands is read.
pub(crate) fn unseen<'i>(i: &'i Instruction, why: &'static str) -> Option<Effect<'i>> {
    let to = match i.operands.first()? {
        Operand::Vector(all) => all.iter().filter_map(register).collect(),
        other => register(other).into_iter().collect(),
    };
    Some(Effect::Unseen { why, to })
}

fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        "eq" => Relation::Equal,
        "ne" => Relation::NotEqual,
        "lt" | "lo" => Relation::Less,
        "le" | "ls" => Relation::LessOrEqual,
        "gt" | "hi" => Relation::Greater,
        "ge" | "hs" => Relation::GreaterOrEqual,
        _ => return None,
    })
}

pub(crate) fn update(name: &str) -> Option<Update> {
    Some(match name {
        "exch" => Update::Exchange,
        "cas" => Update::CompareAndSwap,
        "add" => Update::Add,
        "and" => Update::And,
        "or" => Update::Or,
        "xor" => Update::Xor,
        "inc" => Update::Increment,
        "dec" => Update::Decrement,
        "min" => Update::Min,
        "max" => Update::Max,
        _ => return None,
    })
}

pub(crate) fn window(i: &Instruction) -> Option<Window> {
    i.qualifiers.iter().find_map(|q| {
        Some(match q.split("::").next()? {
            "global" => Window::Global,
            "shared" => Window::Shared,
            "const" => Window::Constant,
            "local" => Window::Local,
            "param" => Window::Parameter,
            _ => return None,
        })
    })
}

pub(crate) fn scope(i: &Instruction) -> Option<MemoryScope> {
    i.qualifiers.iter().find_map(|q| {
        Some(match q.as_str() {
            "cta" => MemoryScope::Cta,
            "cluster" => MemoryScope::Cluster,
            "gpu" | "gl" => MemoryScope::Gpu,
            "sys" => MemoryScope::Sys,
            _ => return None,
        })
    })
}

fn access(i: &Instruction) -> Result<MemoryAccess, &'static str> {
    let ty = i.ty().ok_or("an access without a type")?;
    if ty.bits > 64 {
        return Err("accesses of more than 64 bits are not modelled");
    }
    let orders = i.qualifiers.iter().filter_map(|q| {
        Some(match q.as_str() {
            "weak" => MemoryOrder::Weak,
            "relaxed" => MemoryOrder::Relaxed,
            "acquire" => MemoryOrder::Acquire,
            "release" => MemoryOrder::Release,
            "acq_rel" => MemoryOrder::AcqRel,
            "volatile" => MemoryOrder::Volatile,
            "mmio" => MemoryOrder::Mmio,
            _ => return None,
        })
    });
    let mut order = MemoryOrder::Weak;
    for found in orders {
        // `.mmio.relaxed` is one order.
        if order != MemoryOrder::Mmio {
            order = found;
        }
    }
    let window = window(i).unwrap_or(Window::Generic);
    let read_only = i.has("nc") || i.opcode == "ldu";
    Ok(MemoryAccess { order, scope: scope(i), window, ty, read_only })
}

fn fence(i: &Instruction) -> Option<Effect<'_>> {
    let words = ["proxy", "mbarrier", "op_restrict", "sync_restrict", "tensormap"];
    if i.qualifiers.iter().any(|q| words.iter().any(|word| q.starts_with(word))) {
        return asynchronous::fence(i);
    }
    if i.opcode == "membar" {
        return Some(Effect::Fence(MemoryOrder::Sc, scope(i)?));
    }
    let has = |q: &str| i.has(q);
    let order = match (has("sc"), has("acquire"), has("release")) {
        (true, ..) => MemoryOrder::Sc,
        (_, true, _) => MemoryOrder::Acquire,
        (_, _, true) => MemoryOrder::Release,
        // Without an order a fence is `.acq_rel` (PTX ISA 9.7.13).
        _ => MemoryOrder::AcqRel,
    };
    Some(Effect::Fence(order, scope(i)?))
}
