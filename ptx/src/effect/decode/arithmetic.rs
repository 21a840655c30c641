//! What instructions compute of registers.

use crate::effect::meaning::{opaque, unknown};
use crate::effect::operand::target;
use crate::effect::parts::PartProducts;
use crate::effect::{Computation, Effect, Half, NumberComparison};
use crate::tree::{Instruction, Operand, ScalarKind, ScalarType};

/// The effect of an instruction that has to do with registers alone; any other is not known here.
pub(super) fn arithmetic(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    let get = |n: usize| operands.get(n);
    let has = |q: &str| i.has(q);
    let float = i.ty().is_some_and(|ty| ty.kind == ScalarKind::Float)
        || i.qualifiers.iter().any(|q| matches!(q.as_str(), "f16x2" | "bf16x2" | "f32x2" | "tf32"));
    let packed =
        i.qualifiers.iter().any(|q| matches!(q.as_str(), "s16x2" | "u16x2" | "s8x4" | "u8x4"));
    match i.opcode.as_str() {
        "mov" => match (get(0)?, get(1)?) {
            (Operand::Register(to), Operand::Vector(parts)) => {
                Some(Effect::Pack { parts: parts.iter().collect(), to: *to })
            }
            (Operand::Vector(parts), from) => Some(Effect::Unpack {
                parts: parts.iter().map(target).collect::<Option<_>>()?,
                from,
            }),
            (_, Operand::Label(_)) => unknown("the address of a label is taken"),
            _ => compute(i, Computation::Move, 1),
        },
        "cvt" => convert(i),
        "addc" | "subc" | "madc" | "add" | "sub" | "mad"
            if !float && !packed && (i.opcode.ends_with('c') || has("cc")) =>
        {
            carry(i)
        }
        "add" | "sub" | "mul" | "mad" | "div" | "rem" | "min" | "max" | "abs" | "neg" | "fma"
        | "mul24" | "mad24" | "sad" | "copysign" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos"
        | "lg2" | "ex2" | "tanh" | "testp" | "dp4a" | "dp2a" | "bmsk" | "szext" | "vadd4"
        | "set" | "slct"
            if float || packed || has("sat") || has("relu") || has("xorsign") =>
        {
            opaque(i)
        }
        "setp" => set_predicate(i),
        "lop3" if operands.len() == 5 => match get(4)? {
            Operand::Integer(table) => Some(Effect::Compute {
                function: Computation::Logic(*table as u8),
                ty: i.ty()?,
                to: target(get(0)?)?,
                operands: operands[1..4].iter().collect(),
            }),
            _ => None,
        },
        "mul24" if operands.len() == 3 => Some(Effect::Compute {
            function: Computation::MultiplyAdd24(has("hi")),
            ty: i.ty()?,
            to: target(get(0)?)?,
            operands: operands[1..].iter().chain([&Operand::Integer(0)]).collect(),
        }),
        "slct" if has("s32") && operands.len() == 4 => {
            let ty = i
                .qualifiers
                .iter()
                .find_map(|q| ScalarType::from_name(q))
                .filter(|ty| ty.bits <= 64)?;
            let operands = operands[1..].iter().collect();
            Some(Effect::Compute {
                function: Computation::SelectBySign,
                ty,
                to: target(get(0)?)?,
                operands,
            })
        }
        "dp4a" | "dp2a" => compute(i, Computation::PartProducts(part_products(i)?), 3),
        "prmt" if i.qualifiers.len() == 1 => compute(i, Computation::Permute, 3),
        "fma" | "mul24" | "copysign" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2"
        | "tanh" | "testp" | "set" | "slct" | "prmt" | "lop3" => opaque(i),
        _ => match computation(i) {
            Some((function, operands)) => compute(i, function, operands),
            None => unknown("the instruction is not known"),
        },
    }
}

/// Which half of a product an instruction takes.
fn half(i: &Instruction) -> Half {
    match (i.has("wide"), i.has("hi")) {
        (true, _) => Half::Wide,
        (_, true) => Half::High,
        _ => Half::Low,
    }
}

/// An instruction that takes the carry of the one before, or leaves one.
fn carry(i: &Instruction) -> Option<Effect<'_>> {
    let takes = i.opcode.ends_with('c');
    let function = match i.opcode.trim_end_matches('c') {
        "add" => Computation::Add,
        "sub" => Computation::Subtract,
        _ => Computation::MultiplyAdd(half(i)),
    };
    match compute(i, function, if matches!(function, Computation::MultiplyAdd(_)) { 3 } else { 2 })?
    {
        Effect::Compute { function, ty, to, operands } => {
            Some(Effect::Carry { function, ty, to, operands, takes, leaves: i.has("cc") })
        }
        other => Some(other),
    }
}

/// The function of an instruction that has one whatever its operands are, and of how many it is.
fn computation(i: &Instruction) -> Option<(Computation, usize)> {
    let has = |q: &str| i.has(q);
    let half = || half(i);
    Some(match i.opcode.as_str() {
        "add" => (Computation::Add, 2),
        "sub" => (Computation::Subtract, 2),
        "mul" => (Computation::Multiply(half()), 2),
        "mad" => (Computation::MultiplyAdd(half()), 3),
        "div" => (Computation::Divide, 2),
        "rem" => (Computation::Remainder, 2),
        "min" => (Computation::Min, 2),
        "max" => (Computation::Max, 2),
        "abs" => (Computation::Absolute, 1),
        "neg" => (Computation::Negate, 1),
        "not" => (Computation::Not, 1),
        "and" => (Computation::And, 2),
        "or" => (Computation::Or, 2),
        "xor" => (Computation::Xor, 2),
        "cnot" => (Computation::IsZero, 1),
        "shl" => (Computation::ShiftLeft, 2),
        "shr" => (Computation::ShiftRight, 2),
        "popc" => (Computation::CountOnes, 1),
        "clz" => (Computation::CountLeadingZeros, 1),
        "bfind" => (Computation::FindHighest(has("shiftamt")), 1),
        "brev" => (Computation::Reverse, 1),
        "bfe" => (Computation::Extract, 3),
        "bfi" => (Computation::Insert, 4),
        "shf" => (Computation::Funnel(has("l"), has("wrap")), 3),
        "selp" => (Computation::Select, 3),
        "mad24" => (Computation::MultiplyAdd24(has("hi")), 3),
        "sad" => (Computation::Distance, 3),
        "bmsk" => (Computation::Mask(has("clamp")), 2),
        "szext" => (Computation::ExtendSign(has("clamp")), 2),
        "fns" => (Computation::FindNth, 3),
        _ => return None,
    })
}

/// A function of so many operands behind the destination.
fn compute(i: &Instruction, function: Computation, count: usize) -> Option<Effect<'_>> {
    let ty = i.ty()?;
    if ty.bits > 64 {
        return unknown("registers of more than 64 bits are not known");
    }
    (i.operands.len() == count + 1).then_some(())?;
    let to = match i.operands.first()? {
        // A pair `p|q` is of `shfl` and `setp`.
        Operand::Pair(..) => return None,
        other => target(other)?,
    };
    Some(Effect::Compute { function, ty, to, operands: i.operands[1..].iter().collect() })
}

/// `cvt`
fn convert(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    let get = |n: usize| operands.get(n);
    let mut types = i.qualifiers.iter().filter_map(|q| ScalarType::from_name(q));
    let (ty, from) = (types.next()?, types.next()?);
    if ty.kind == ScalarKind::Float
        || from.kind == ScalarKind::Float
        || i.has("sat")
        || operands.len() != 2
    {
        return opaque(i);
    }
    // A register is wider than these types, and takes the sign up to its width (PTX ISA 9.4.1,
    // destination operands that are wider).
    let (ty, from) = match ty {
        ScalarType { kind: ScalarKind::Signed, bits } if bits < 32 => {
            (ScalarType { bits: 64, ..ty }, if from.bits < bits { from } else { ty })
        }
        _ => (ty, from),
    };
    Some(Effect::Compute {
        function: Computation::Convert(from),
        ty,
        to: target(get(0)?)?,
        operands: vec![get(1)?],
    })
}

/// `setp`
fn set_predicate(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    let get = |n: usize| operands.get(n);
    let has = |q: &str| i.has(q);
    let ty = i.ty()?;
    let to = match get(0)? {
        Operand::Pair(a, b) => [target(a)?, target(b)?],
        other => [target(other)?, None],
    };
    if ty.kind == ScalarKind::Float {
        return Some(Effect::Opaque {
            to: to.into_iter().flatten().collect(),
            operands: operands[1..].iter().collect(),
        });
    }
    let of_either = |name: &str| {
        NumberComparison::of_mnemonic(name).or_else(|| NumberComparison::of_unsigned_mnemonic(name))
    };
    let relation = i.qualifiers.iter().find_map(|q| of_either(q))?;
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
    let unsigned = i.qualifiers.iter().any(|q| NumberComparison::of_unsigned_mnemonic(q).is_some());
    let ty = if unsigned { ScalarType { kind: ScalarKind::Unsigned, ..ty } } else { ty };
    Some(Effect::SetPredicate { relation, ty, to, operands: [get(1)?, get(2)?], with })
}

/// What `dp4a` and `dp2a` multiply.
fn part_products(i: &Instruction) -> Option<PartProducts> {
    let mut signed = i
        .qualifiers
        .iter()
        .filter_map(|q| ScalarType::from_name(q))
        .map(|ty| ty.kind == ScalarKind::Signed);
    let signed = [signed.next()?, signed.next()?];
    let width = if i.opcode == "dp4a" { 8 } else { 16 };
    Some(PartProducts { signed, width, first: if width == 16 && i.has("hi") { 2 } else { 0 } })
}
