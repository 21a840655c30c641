//! Numbers of which some are not known, and what instructions make of them.

use margay_litmus::test::{LocalFunction, Type, TypeKind};

/// A number, if it is known, and the reads of the object that it depends on (a bit for each).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) number: Option<u64>,
    pub(super) from: u32,
}

/// So many ones.
pub(super) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The lowest bits as a number with a sign.
pub(super) fn signed(n: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((n << shift) as i64) >> shift
}

/// The result of an instruction that accesses no memory.
pub(super) fn computed(function: LocalFunction, ty: Option<Type>, words: &[Word]) -> Word {
    let from = words.iter().fold(0, |all, w| all | w.from);
    let bits = ty.map_or(64, |t| u32::from(t.bits)).clamp(1, 64);
    let is_signed = ty.is_none_or(|t| t.kind == TypeKind::Signed);
    let number = |i: usize| {
        let n = words.get(i)?.number?;
        Some(if is_signed { i128::from(signed(n, bits)) } else { i128::from(n & mask(bits)) })
    };
    let shift = || Some(words.get(1)?.number? as u32 & (bits - 1));
    if function == LocalFunction::Select {
        let chosen =
            words.get(2).and_then(|p| p.number).and_then(|p| words.get(usize::from(p == 0)));
        return Word { number: chosen.and_then(|w| w.number), from };
    }
    let compute = || {
        let a = number(0)?;
        let b = || number(1);
        Some(match function {
            LocalFunction::Move => a,
            LocalFunction::Not => !a,
            LocalFunction::Negate => a.wrapping_neg(),
            LocalFunction::Add => a.wrapping_add(b()?),
            LocalFunction::Subtract => a.wrapping_sub(b()?),
            LocalFunction::Multiply => a.wrapping_mul(b()?),
            LocalFunction::And => a & b()?,
            LocalFunction::Or => a | b()?,
            LocalFunction::Xor => a ^ b()?,
            LocalFunction::ShiftLeft => i128::from((a as u64) << shift()?),
            LocalFunction::ShiftRight => a >> shift()?,
            LocalFunction::Min => a.min(b()?),
            LocalFunction::Max => a.max(b()?),
            LocalFunction::Compare(comparison) => i128::from(comparison.holds(a, b()?)),
            _ => return None,
        })
    };
    let number = compute()
        .map(|n| if is_signed { signed(n as u64, bits) as u64 } else { n as u64 & mask(bits) });
    Word { number, from }
}
