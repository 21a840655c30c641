//! From an instruction to its effect.

use super::parts::PartProducts;
use super::{Computation, Effect, Half, Meeting, MemoryAccess, MemoryOrder, MemoryScope, NumberComparison, Update, Window};
use crate::asynchronous;
use crate::exchange::exchange;
use crate::tensor;
use crate::tree::{Instruction, Kind, Operand, RegisterId, ScalarType};

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

/// `None` where the operands are not those that are known.
pub(super) fn effect(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    let get = |n: usize| operands.get(n);
    let has = |q: &str| i.has(q);
    let compute = |function: Computation, count: usize| -> Option<Effect<'_>> {
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
            _ => compute(Computation::Move, 1),
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
            Some(Effect::Compute { function: Computation::Convert(from), ty, to: target(get(0)?)?, operands: vec![get(1)?] })
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
        "add" => compute(Computation::Add, 2),
        "sub" => compute(Computation::Subtract, 2),
        "mul" => compute(Computation::Multiply(half()), 2),
        "mad" => compute(Computation::MultiplyAdd(half()), 3),
        "div" => compute(Computation::Divide, 2),
        "rem" => compute(Computation::Remainder, 2),
        "min" => compute(Computation::Min, 2),
        "max" => compute(Computation::Max, 2),
        "abs" => compute(Computation::Absolute, 1),
        "neg" => compute(Computation::Negate, 1),
        "not" => compute(Computation::Not, 1),
        "and" => compute(Computation::And, 2),
        "or" => compute(Computation::Or, 2),
        "xor" => compute(Computation::Xor, 2),
        "cnot" => compute(Computation::IsZero, 1),
        "shl" => compute(Computation::ShiftLeft, 2),
        "shr" => compute(Computation::ShiftRight, 2),
        "popc" => compute(Computation::CountOnes, 1),
        "clz" => compute(Computation::CountLeadingZeros, 1),
        "bfind" => compute(Computation::FindHighest(has("shiftamt")), 1),
        "brev" => compute(Computation::Reverse, 1),
        "bfe" => compute(Computation::Extract, 3),
        "bfi" => compute(Computation::Insert, 4),
        "prmt" if i.qualifiers.len() == 1 => compute(Computation::Permute, 3),
        "lop3" if operands.len() == 5 => match get(4)? {
            Operand::Integer(table) => Some(Effect::Compute {
                function: Computation::Logic(*table as u8),
                ty: i.ty()?,
                to: target(get(0)?)?,
                operands: operands[1..4].iter().collect(),
            }),
            _ => None,
        },
        "shf" => compute(Computation::Funnel(has("l"), has("wrap")), 3),
        "selp" => compute(Computation::Select, 3),
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
                        (true, ..) => Computation::And,
                        (_, true, _) => Computation::Or,
                        (_, _, true) => Computation::Xor,
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
        "mul24" if operands.len() == 3 => Some(Effect::Compute {
            function: Computation::MultiplyAdd24(has("hi")),
            ty: i.ty()?,
            to: target(get(0)?)?,
            operands: operands[1..].iter().chain([&Operand::Integer(0)]).collect(),
        }),
        "mad24" => compute(Computation::MultiplyAdd24(has("hi")), 3),
        "sad" => compute(Computation::Distance, 3),
        "slct" if has("s32") && operands.len() == 4 => {
            let ty = i.qualifiers.iter().find_map(|q| ScalarType::from_name(q)).filter(|ty| ty.bits <= 64)?;
            let operands = operands[1..].iter().collect();
            Some(Effect::Compute { function: Computation::SelectBySign, ty, to: target(get(0)?)?, operands })
        }
        "dp4a" | "dp2a" => {
            let mut signed = i.qualifiers.iter().filter_map(|q| ScalarType::from_name(q)).map(|ty| ty.kind == Kind::Signed);
            let signed = [signed.next()?, signed.next()?];
            let width = if i.opcode == "dp4a" { 8 } else { 16 };
            let parts = PartProducts { signed, width, first: if width == 16 && has("hi") { 2 } else { 0 } };
            compute(Computation::PartProducts(parts), 3)
        }
        "bmsk" => compute(Computation::Mask(has("clamp")), 2),
        "szext" => compute(Computation::ExtendSign(has("clamp")), 2),
        "fns" => compute(Computation::FindNth, 3),
        "fma" | "mul24" | "copysign" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "testp" | "set"
        | "slct" | "prmt" | "lop3" => opaque(),
        "ld" | "ldu" => {
            let access = match access(i) {
                Ok(access) => access,
                Err(why) => return unknown(why),
            };
            if !has_its_elements(i, get(0)?) {
                return unknown(OTHER_ELEMENTS);
            }
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
            if !has_its_elements(i, get(1)?) {
                return unknown(OTHER_ELEMENTS);
            }
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
        // A breakpoint "suspends execution" (PTX ISA 9.7.20, `brkpt`): where no debugger goes on with it the kernel ends there.
        "trap" | "brkpt" => Some(Effect::Trap),
        "createpolicy" => opaque(),
        "griddepcontrol" => Some(Effect::OtherLaunches),
        // "Semantically, this behaves like a weak write of an unstable indeterminate value" (PTX ISA 9.7.9, `discard`).
        "discard" => unknown("it leaves any values in memory, and that is not modelled"),
        "nanosleep" | "prefetch" | "prefetchu" | "applypriority" | "pmevent" | "setmaxnreg" => Some(Effect::Nothing),
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
fn unseen<'i>(i: &'i Instruction, why: &'static str) -> Option<Effect<'i>> {
    let to = match i.operands.first()? {
        Operand::Vector(all) => all.iter().filter_map(register).collect(),
        other => register(other).into_iter().collect(),
    };
    Some(Effect::Unseen { why, to })
}

fn relation(name: &str) -> Option<NumberComparison> {
    Some(match name {
        "eq" => NumberComparison::Equal,
        "ne" => NumberComparison::NotEqual,
        "lt" | "lo" => NumberComparison::Less,
        "le" | "ls" => NumberComparison::LessOrEqual,
        "gt" | "hi" => NumberComparison::Greater,
        "ge" | "hs" => NumberComparison::GreaterOrEqual,
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

/// What is said of an access whose vector is not as long as its `.v2`, `.v4` or `.v8`.
const OTHER_ELEMENTS: &str = "it names more or fewer elements than its width has";

/// Has what is loaded or stored as many elements as the instruction says?
fn has_its_elements(i: &Instruction, operand: &Operand) -> bool {
    let said = i.qualifiers.iter().find_map(|q| match q.as_str() {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    let named = if let Operand::Vector(all) = operand { all.len() } else { 1 };
    named == said.unwrap_or(1)
}
