//! The few numbers that a value may be, where a mask, a remainder or a shift leaves no more: the
//! index into a ring (`head & 3`), a bucket of a table.
//!
//! Only functions with a constant make one, and what is made of it by a constant, once: a sum that
//! a loop adds to again has none, so that a thread's states do not differ from round to round.

use margay_ptx::effect::{Computation, Half};
use margay_ptx::{ScalarKind, ScalarType};

use super::value::{KnownValue, Value};

/// The most numbers: so many ways has an address.
const MOST_NUMBERS: u64 = 16;

/// Numbers from the lowest to the highest, each one step above the one before, as bits of their
/// type without a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValueRange {
    low: u64,
    high: u64,
    step: u64,
}

impl ValueRange {
    fn new(low: u64, high: u64, step: u64) -> Option<Self> {
        let step = step.max(1);
        (low <= high && (high - low) / step < MOST_NUMBERS).then_some(Self { low, high, step })
    }

    /// The numbers, ascending.
    pub fn numbers(self) -> impl Iterator<Item = u64> {
        (0..=(self.high - self.low) / self.step).map(move |n| self.low + n * self.step)
    }

    fn times(self, by: u64) -> Option<Self> {
        Self::new(self.low.checked_mul(by)?, self.high.checked_mul(by)?, self.step.checked_mul(by)?)
    }

    fn plus(self, number: u64) -> Option<Self> {
        Self::new(self.low.checked_add(number)?, self.high.checked_add(number)?, self.step)
    }

    /// Are all of them numbers of a type that are not negative there?
    fn fits(self, ty: ScalarType) -> bool {
        self.high <= largest(ty)
    }
}

/// The largest number of a type.
fn largest(ty: ScalarType) -> u64 {
    let all = ty.cut(u64::MAX);
    if ty.kind == ScalarKind::Signed { all >> 1 } else { all }
}

/// What a function of values may be, where that are few numbers. `is_address`: is the result one in
/// an array?
pub(super) fn range_of(
    function: Computation,
    ty: ScalarType,
    values: &[Value],
    is_address: bool,
) -> Option<ValueRange> {
    let range = |n: usize| match values.get(n)?.known {
        KnownValue::Open { range, .. } => range,
        KnownValue::Bits(_) => None,
    };
    let number = |n: usize| values.get(n)?.bits().map(|bits| ty.cut(bits));
    // Of two operands the one that is few numbers, and the constant.
    let both = || {
        Some((range(0).or(range(1))?, number(0).or(number(1))?))
            .filter(|(range, n)| range.fits(ty) && *n <= largest(ty))
    };
    let of = match function {
        Computation::And => {
            let mask = number(0).or(number(1))?;
            ValueRange::new(0, mask, 1 << mask.trailing_zeros().min(63))
        }
        Computation::Remainder => {
            let of = number(1)?.checked_sub(1)?;
            let is_positive = ty.kind != ScalarKind::Signed
                || range(0).is_some_and(|range| range.fits(ty)) && of < largest(ty);
            ValueRange::new(0, of, 1).filter(|_| is_positive)
        }
        Computation::ShiftRight if ty.kind != ScalarKind::Signed => {
            let by = number(1).filter(|by| *by < u64::from(ty.bits))?;
            match range(0) {
                Some(range) if range.fits(ty) => {
                    ValueRange::new(range.low >> by, range.high >> by, 1)
                }
                _ => ValueRange::new(0, ty.cut(u64::MAX) >> by, 1),
            }
        }
        Computation::ShiftLeft => {
            range(0)?.times(1u64.checked_shl(u32::try_from(number(1)?).ok()?)?)
        }
        Computation::Xor => {
            let (range, of) = both()?;
            let is_all = range.low == 0 && range.step == 1 && (range.high + 1).is_power_of_two();
            (is_all && of <= range.high).then_some(range)
        }
        Computation::Select => {
            let [a, b] = [number(0)?, number(1)?];
            ValueRange::new(a.min(b), a.max(b), a.abs_diff(b))
        }
        Computation::Convert(from) => range(0).filter(|range| range.fits(from)),
        Computation::Multiply(half) | Computation::MultiplyAdd(half) => {
            let (range, by) =
                Some((range(0).or(range(1))?, number(0).or(number(1))?)).filter(|(range, n)| {
                    // In the wider product a sign is kept.
                    range.fits(ty) && *n <= largest(ty) && half != Half::High
                })?;
            let product = range.times(by)?;
            match function {
                Computation::MultiplyAdd(_) => {
                    let KnownValue::Bits(base) = values.get(2)?.known else { return None };
                    product.plus(base).filter(|_| is_address)
                }
                _ => Some(product),
            }
        }
        // To a base, once.
        Computation::Add if is_address => {
            let (range, base) = Some((range(0).or(range(1))?, number(0).or(number(1))?))?;
            let is_index =
                values.iter().all(|v| !matches!(v.known, KnownValue::Open { into: Some(_), .. }));
            range.plus(base).filter(|_| is_index)
        }
        _ => None,
    };
    // What does not fit would be cut.
    of.filter(|of| of.fits(ScalarType { kind: ScalarKind::Unsigned, ..function.result(ty) }))
}

#[cfg(test)]
mod tests {
    use margay_ptx::effect::{Computation, Half};
    use margay_ptx::{ScalarKind, ScalarType};

    use super::{ValueRange, range_of};
    use crate::thread::value::{KnownValue, Value};

    fn open(range: Option<ValueRange>) -> Value {
        Value {
            known: KnownValue::Open { opaque: false, into: None, plus: 0, undefined: false, range },
            text: "r".to_owned(),
        }
    }

    fn bits(bits: u64) -> Value {
        Value { known: KnownValue::Bits(bits), text: bits.to_string() }
    }

    /// What functions of random numbers are is among the numbers that are said.
    #[test]
    fn results_are_in_their_ranges() {
        let mut seed = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let types = [ScalarKind::Signed, ScalarKind::Unsigned]
            .map(|kind| [16, 32, 64].map(|bits| ScalarType { kind, bits }));
        let functions = [
            Computation::And,
            Computation::Remainder,
            Computation::ShiftRight,
            Computation::ShiftLeft,
            Computation::Xor,
            Computation::Multiply(Half::Low),
            Computation::Multiply(Half::Wide),
            Computation::MultiplyAdd(Half::Low),
            Computation::MultiplyAdd(Half::Wide),
            Computation::Add,
            Computation::Convert(ScalarType { kind: ScalarKind::Signed, bits: 32 }),
            Computation::Convert(ScalarType { kind: ScalarKind::Unsigned, bits: 16 }),
            Computation::Select,
        ];
        let mut said = 0;
        for _ in 0..200_000 {
            let [kind, bits_of, which] = [2, 3, functions.len()].map(|n| next() as usize % n);
            let (ty, function) = (types[kind][bits_of], functions[which]);
            let [low, high, step] = [(next() >> 8) % 9, (next() >> 8) % 99, 1 + next() % 9];
            let range = ValueRange::new(low, high, step).filter(|_| low % 3 > 0);
            let (any, nth) = (ty.cut(next()), next() as usize % 4);
            let number = range.map_or(any, |range| range.numbers().nth(nth).unwrap_or(range.low));
            let others =
                [next(), next()].map(|n| if n & 1 == 0 { (n >> 8) % 40 } else { ty.cut(n) });
            let is_second = next() % 2 == 0
                && !matches!(function, Computation::Convert(_) | Computation::Select);
            let mut values = vec![open(range), bits(others[0]), bits(others[1])];
            let mut numbers = vec![number, others[0], others[1]];
            if is_second {
                values.swap(0, 1);
                numbers.swap(0, 1);
            }
            if function == Computation::Select {
                (values, numbers) = (
                    vec![bits(others[0]), bits(others[1]), open(None)],
                    vec![others[0], others[1], number & 1],
                );
            }
            let Some(result) = range_of(function, ty, &values, true) else { continue };
            let Some(value) = function.value(ty, &numbers) else { continue };
            said += 1;
            let all: Vec<u64> = result.numbers().collect();
            assert!(
                all.contains(&value),
                "{function:?} {ty:?} of {numbers:?} is {value}, not of {all:?}"
            );
        }
        assert!(said > 10_000, "{said}");
    }
}
