//! What instructions compute of values: functions of bit-vectors, and what read-modify-writes make
//! of what they read.

use super::comparison::NumberComparison;
use super::parts::{PartProducts, extend_sign, find_nth, mask};
use crate::tree::{ScalarKind, ScalarType};

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
pub enum Computation {
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
    Compare(NumberComparison),
    /// How many bits are 1.
    CountOnes,
    /// How many bits are 0 before the first 1.
    CountLeadingZeros,
    /// The number of the highest bit that says something, or all ones; with `true` the distance
    /// from the top.
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
    /// The upper word of two shifted left (`true`) or the lower of two shifted right; `true`: the
    /// amount wraps.
    Funnel(bool, bool),
    /// The product of the lower 24 bits of two, and the third: of its 48 bits the lower 32, or with
    /// `true` the upper 32.
    MultiplyAdd24(bool),
    /// How far the first two are apart, and the third.
    Distance,
    /// The first if the third, which has a sign, is not below zero, else the second.
    SelectBySign,
    /// The sum of the products of parts of two words, and the third.
    PartProducts(PartProducts),
    /// So many ones from a place on; `true`: place and width are held to the word, else they wrap.
    Mask(bool),
    /// The lower bits, so many, and their sign; `true`: the width is held to the word, else it
    /// wraps.
    ExtendSign(bool),
    /// The place of the n-th 1 of a word from a place on.
    FindNth,
}

impl Computation {
    /// What is computed in a type; `None` where the ISA says that it is not defined, as a quotient
    /// by zero.
    pub fn value(self, ty: ScalarType, operands: &[u64]) -> Option<u64> {
        let get = |n: usize| operands.get(n).copied();
        let (a, b) = (ty.cut(get(0)?), ty.cut(get(1).unwrap_or(0)));
        let signed = ty.kind == ScalarKind::Signed;
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
                ty.cut(if from.kind == ScalarKind::Signed { from.signed(raw) as u64 } else { raw })
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
            Self::Compare(relation) => u64::from(relation.holds(number(a), number(b))),
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
                    let bit =
                        if i < length && at + i <= top { a >> (at + i) & 1 == 1 } else { sign };
                    value |= u64::from(bit) << i;
                }
                value
            }
            Self::Insert => {
                let (at, length) = ((get(2)? & 0xff) as u32, (get(3)? & 0xff) as u32);
                let mut value = b;
                for i in (0..length).take_while(|i| at + i < bits) {
                    value = value & !(1 << (at + i))
                        | (if i < 64 { a >> i & 1 } else { 0 }) << (at + i);
                }
                value
            }
            Self::Logic(table) => {
                let c = ty.cut(get(2)?);
                let of = |i: u32| {
                    u64::from(table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1)
                        << i
                };
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
                // `both << 32 >> 32` keeps the low word, which is what a shift by 32 of the pair
                // leaves.
                result & 0xffff_ffff
            }
            Self::MultiplyAdd24(upper) => {
                let of_24 = ScalarType { bits: 24, ..ty };
                let part = |v: u64| {
                    if signed {
                        i128::from(of_24.signed(of_24.cut(v)))
                    } else {
                        i128::from(of_24.cut(v))
                    }
                };
                let product = (part(a) * part(b)) >> if upper { 16 } else { 0 };
                ty.cut((product as u64).wrapping_add(get(2)?))
            }
            Self::Distance => ty.cut((number(a).abs_diff(number(b)) as u64).wrapping_add(get(2)?)),
            Self::SelectBySign => {
                if get(2)? as u32 as i32 >= 0 {
                    a
                } else {
                    b
                }
            }
            Self::PartProducts(parts) => ty.cut(parts.sum(a, b).wrapping_add(get(2)?)),
            Self::Mask(clamps) => mask(clamps, a, b),
            Self::ExtendSign(clamps) => extend_sign(clamps, signed, a, get(1)?),
            Self::FindNth => find_nth(a, get(1)? & 0xffff_ffff, get(2)? as u32 as i32)?,
        })
    }

    /// The value of a sum, a difference, or a product and a sum that takes what the one before has
    /// carried or borrowed (0 or 1), and what it leaves (PTX ISA 9.7.2: `add.cc`, `subc`, `madc`).
    /// Nothing is carried by anything else.
    pub fn carried(self, ty: ScalarType, operands: &[u64], before: u64) -> [u64; 2] {
        let word = ScalarType { kind: ScalarKind::Unsigned, ..ty };
        let get = |n: usize| word.cut(operands.get(n).copied().unwrap_or(0));
        let (first, second) = match self {
            Self::MultiplyAdd(half) => {
                (Self::Multiply(half).value(ty, &[get(0), get(1)]).unwrap_or(0), get(2))
            }
            _ => (get(0), get(1)),
        };
        let (first, second) = (u128::from(first), u128::from(second) + u128::from(before & 1));
        match self {
            Self::Add | Self::MultiplyAdd(_) => {
                let sum = first + second;
                [word.cut(sum as u64), u64::from(sum >> ty.bits != 0)]
            }
            Self::Subtract => {
                [word.cut(first.wrapping_sub(second) as u64), u64::from(first < second)]
            }
            _ => [self.value(ty, operands).unwrap_or(0), 0],
        }
    }

    /// The type of what is computed in a type.
    pub fn result(self, ty: ScalarType) -> ScalarType {
        match self {
            Self::Multiply(Half::Wide) | Self::MultiplyAdd(Half::Wide) => {
                ScalarType { bits: (ty.bits * 2).min(64), ..ty }
            }
            Self::Compare(_) => ScalarType { kind: ScalarKind::Predicate, bits: 1 },
            Self::CountOnes | Self::CountLeadingZeros | Self::FindHighest(_) => {
                ScalarType { kind: ScalarKind::Unsigned, bits: 32 }
            }
            _ => ty,
        }
    }
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
    /// What is left of an old value (PTX ISA 9.7.13, `atom`); nothing where operands are missing.
    /// Of floats there is no sum here.
    pub fn value(self, ty: ScalarType, old: u64, operands: &[u64]) -> Option<u64> {
        let (old, a) = (ty.cut(old), ty.cut(*operands.first()?));
        let number = |v: u64| {
            if ty.kind == ScalarKind::Signed { i128::from(ty.signed(v)) } else { i128::from(v) }
        };
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
