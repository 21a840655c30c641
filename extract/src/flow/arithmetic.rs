//! Instructions without effect, as far as addresses, comparisons and constants need them; the
//! result of any other is a value of its own.

use margay_ptx::effect::NumberComparison;

use crate::ptx::{PtxInstruction, PtxOperand, PtxType};

use super::state::PathState;
use super::value::{FlowValue, FlowValues, mask};

pub(super) fn operand(
    state: &mut PathState,
    values: &mut FlowValues,
    operand: &PtxOperand,
) -> FlowValue {
    match operand {
        PtxOperand::Register(name) => state.register(values, name),
        PtxOperand::Number(n) | PtxOperand::Float(n, _) => values.number(*n),
        PtxOperand::Not(inner) => {
            let inner = self::operand(state, values, inner);
            values.not(inner)
        }
        PtxOperand::Name(name) => variable(state, values, name),
        PtxOperand::Address(base, offset) => {
            let base = self::operand(state, values, base);
            let offset = values.number(*offset as u64);
            values.plus(base, offset, 64)
        }
        PtxOperand::Vector(_)
        | PtxOperand::List(_)
        | PtxOperand::Pair(..)
        | PtxOperand::Nothing => values.unknown(),
    }
}

/// The address of a variable: of the stack or a parameter if the function declares it, else of the
/// module.
pub(super) fn variable(state: &PathState, values: &mut FlowValues, name: &str) -> FlowValue {
    values.variable(&state.own_name(name))
}

/// Writes a value to a register, a pair of registers or a vector of them.
fn assign(state: &mut PathState, values: &mut FlowValues, to: &PtxOperand, value: FlowValue) {
    match to {
        PtxOperand::Register(name) => {
            state.frame().registers.insert(name.clone(), value);
        }
        PtxOperand::Pair(first, second) => {
            assign(state, values, first, value);
            let other = values.unknown();
            assign(state, values, second, other);
        }
        PtxOperand::Vector(all) => {
            for one in all {
                let unknown = values.unknown();
                assign(state, values, one, unknown);
            }
        }
        _ => {}
    }
}

/// Writes what nothing is known about to all that an operand names.
pub(super) fn forget(state: &mut PathState, values: &mut FlowValues, to: &PtxOperand) {
    let unknown = values.unknown();
    assign(state, values, to, unknown);
}

/// Carries out an instruction without effect. `under` is the predicate under which it is carried
/// out, where that is not known.
pub(super) fn compute(
    state: &mut PathState,
    values: &mut FlowValues,
    instruction: &PtxInstruction,
    under: Option<FlowValue>,
) {
    let Some((to, from)) = instruction.operands.split_first() else { return };
    if let ("mov", PtxOperand::Vector(parts), [whole]) = (instruction.opcode(), to, from) {
        return unpack(state, values, instruction, parts, whole);
    }
    let result = result(state, values, instruction, from);
    let result = match (under, to) {
        (Some(predicate), PtxOperand::Register(name)) => {
            let before = state.register(values, name);
            values.choice(predicate, result, before)
        }
        (Some(_), _) => values.unknown(),
        (None, _) => result,
    };
    if let (PtxOperand::Pair(first, second), "setp") = (to, instruction.opcode()) {
        assign(state, values, first, result);
        let not = values.not(result);
        assign(state, values, second, not);
    } else {
        assign(state, values, to, result);
    }
}

/// `mov.b64 {%r1, %r2}, %rd1`.
fn unpack(
    state: &mut PathState,
    values: &mut FlowValues,
    instruction: &PtxInstruction,
    parts: &[PtxOperand],
    whole: &PtxOperand,
) {
    let bits = instruction.kind().map_or(64, |k| k.bits) / parts.len().max(1) as u32;
    let whole = operand(state, values, whole);
    for (i, part) in parts.iter().enumerate() {
        let value = values.slice(i as u32 * bits, bits, whole);
        assign(state, values, part, value);
    }
}

fn result(
    state: &mut PathState,
    values: &mut FlowValues,
    instruction: &PtxInstruction,
    from: &[PtxOperand],
) -> FlowValue {
    let kind = instruction.kind().unwrap_or(PtxType { bits: 64, signed: false, float: false });
    let bits = kind.bits;
    if let ("mov", [PtxOperand::Vector(parts)]) = (instruction.opcode(), from) {
        let parts: Vec<FlowValue> = parts.iter().map(|p| operand(state, values, p)).collect();
        let each = bits / parts.len().max(1) as u32;
        let parts = parts.into_iter().map(|p| values.low(each, p)).collect();
        return values.joined(each, parts);
    }
    let arguments: Vec<FlowValue> = from.iter().map(|o| operand(state, values, o)).collect();
    let is_predicate = bits == 1;
    let known = |values: &FlowValues, i: usize| arguments.get(i).and_then(|&v| values.as_number(v));
    match (instruction.opcode(), arguments.as_slice()) {
        ("mov", [a]) if is_predicate && known(values, 0).is_some() => {
            values.truth(known(values, 0) != Some(0))
        }
        ("mov", [a]) => values.low(bits.max(1), *a),
        ("cvta", [a]) => *a,
        ("cvt", [a]) if !kind.float => {
            let types: Vec<PtxType> = instruction.modifiers().filter_map(PtxType::read).collect();
            match types[..] {
                [to, from] if !to.float && !instruction.has("sat") => {
                    if from.signed && to.bits > from.bits {
                        values.signed(from.bits, to.bits, *a)
                    } else {
                        values.low(to.bits.min(from.bits), *a)
                    }
                }
                _ => values.other(&instruction.to_string(), arguments),
            }
        }
        ("add", [a, b]) if !kind.float && !instruction.has("cc") => {
            let (a, b) = (*a, *b);
            values.plus(a, b, bits)
        }
        ("sub", [a, _]) if !kind.float && !instruction.has("cc") && known(values, 1).is_some() => {
            let back = values.number(known(values, 1).unwrap_or(0).wrapping_neg() & mask(bits));
            values.plus(*a, back, bits)
        }
        ("setp", _) => setp(values, instruction, kind, &arguments),
        ("selp", [a, b, p]) => values.choice(*p, *a, *b),
        ("isspacep", [a]) => {
            let space = instruction.name.get(1).map_or("", String::as_str);
            let a = *a;
            values.is_in(space.split("::").next().unwrap_or(space), a)
        }
        ("not", [a]) if is_predicate => values.not(*a),
        ("and", [a, b]) if is_predicate => values.and(*a, *b),
        ("or", [a, b]) if is_predicate => values.or(*a, *b),
        ("and" | "or" | "xor" | "shl" | "shr" | "not" | "bfe", _) => {
            logic(values, instruction, kind, &arguments)
        }
        _ => values.other(&instruction.to_string(), arguments),
    }
}

/// Bitwise operations and shifts.
fn logic(
    values: &mut FlowValues,
    instruction: &PtxInstruction,
    kind: PtxType,
    arguments: &[FlowValue],
) -> FlowValue {
    let bits = kind.bits;
    let numbers: Vec<Option<u64>> = arguments.iter().map(|&v| values.as_number(v)).collect();
    let name = format!("{}{bits}", instruction.opcode());
    match (instruction.opcode(), arguments, &numbers[..]) {
        ("and", _, [Some(a), Some(b)]) => values.number(a & b & mask(bits)),
        ("or", _, [Some(a), Some(b)]) => values.number((a | b) & mask(bits)),
        ("xor", _, [Some(a), Some(b)]) => values.number((a ^ b) & mask(bits)),
        ("not", _, [Some(a)]) => values.number(!a & mask(bits)),
        ("shl", _, [Some(a), Some(n)]) => {
            values.number(a.checked_shl(*n as u32).unwrap_or(0) & mask(bits))
        }
        ("shr", _, [Some(a), Some(n)]) if !kind.signed => {
            values.number((a & mask(bits)).checked_shr(*n as u32).unwrap_or(0))
        }
        ("and", [_, b], [Some(n), None]) if n.wrapping_add(1).is_power_of_two() => {
            values.low(n.trailing_ones(), *b)
        }
        ("and", [a, _], [None, Some(n)]) if n.wrapping_add(1).is_power_of_two() => {
            values.low(n.trailing_ones(), *a)
        }
        ("or" | "xor" | "shl" | "shr", [a, _], [None, Some(0)]) => *a,
        ("or" | "xor", [_, b], [Some(0), None]) => *b,
        ("xor", [a, b], _) if a == b => values.number(0),
        ("and" | "or", [a, b], _) if a == b => *a,
        ("shr", [a, _], [None, Some(n)]) if !kind.signed && *n < u64::from(bits) => {
            let from = *n as u32;
            values.slice(from, bits - from, *a)
        }
        ("bfe", [a, ..], [None, Some(from), Some(n)])
            if !kind.signed && from.checked_add(*n).is_some_and(|end| end <= u64::from(bits)) =>
        {
            values.slice(*from as u32, *n as u32, *a)
        }
        ("and" | "or" | "xor", [a, b], _) => values.other(&name, vec![*a.min(b), *a.max(b)]),
        _ => values.other(&name, arguments.to_vec()),
    }
}

/// `setp.lt.and.s32 p, a, b, q`.
fn setp(
    values: &mut FlowValues,
    instruction: &PtxInstruction,
    kind: PtxType,
    arguments: &[FlowValue],
) -> FlowValue {
    let (Some(&[a, b]), rest) = (arguments.first_chunk::<2>(), arguments.get(2)) else {
        return values.other(&instruction.to_string(), arguments.to_vec());
    };
    let words: Vec<&str> = instruction.modifiers().collect();
    let word = words.first().copied().unwrap_or_default();
    let unsigned = NumberComparison::of_unsigned_mnemonic(word);
    let signed = kind.signed && unsigned.is_none();
    let result = match NumberComparison::of_mnemonic(word).or(unsigned) {
        Some(comparison) if !kind.float => values.compare(comparison, signed, kind.bits, a, b),
        _ => values.other(&instruction.to_string(), vec![a, b]),
    };
    match (words.get(1).copied(), rest) {
        (Some("and"), Some(&q)) => values.and(result, q),
        (Some("or"), Some(&q)) => values.or(result, q),
        (Some("xor"), Some(&q)) => values.other("xor1", vec![result, q]),
        _ => result,
    }
}
