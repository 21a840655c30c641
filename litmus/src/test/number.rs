//! Integers of a width: what an access or an operation of a type does to a value.

use margay_ptx::{ScalarKind, ScalarType};

/// A type of integers. Values are kept in 64 bits; those of a narrower type are zero- or
/// sign-extended, as PTX extends what it loads into a wider register (PTX ISA 9.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Integer {
    /// The width in bits, 1 to 64.
    pub bits: u8,
    /// Is the highest bit a sign?
    pub signed: bool,
}

impl Integer {
    /// What values are where nothing says a type: 64 bits with a sign.
    pub const WORD: Integer = Integer { bits: 64, signed: true };

    /// Those of a type of PTX.
    pub fn of(ty: ScalarType) -> Option<Self> {
        let bits = u8::try_from(ty.bits).ok().filter(|bits| (1..=64).contains(bits))?;
        Some(Self { bits, signed: ty.kind == ScalarKind::Signed })
    }

    /// The lowest bits of a number, extended: the value of this type that is equal to it modulo 2
    /// to the width.
    pub fn wrap(self, n: i64) -> i64 {
        let above = 64u32.saturating_sub(u32::from(self.bits));
        match (above, self.signed) {
            (0, _) => n,
            (_, true) => n << above >> above,
            (_, false) => ((n as u64) << above >> above) as i64,
        }
    }

    /// Is the number a value of this type?
    pub fn contains(self, n: i64) -> bool {
        self.wrap(n) == n
    }

    /// Is every value of `other` one of this type?
    pub fn includes(self, other: Integer) -> bool {
        if self.bits >= 64 || self == other {
            return true;
        }
        match (self.signed, other.signed) {
            (true, false) => other.bits < self.bits,
            (false, true) => false,
            _ => other.bits <= self.bits,
        }
    }

    /// Does the number say a value of this type, with or without a sign: is -1 the highest value of
    /// an unsigned type?
    pub fn says(self, n: i64) -> bool {
        self.bits >= 64 || self.contains(n) || Integer { signed: !self.signed, ..self }.contains(n)
    }

    /// Is it the type whose numbers need a comparison of their own: unsigned, and as wide as values
    /// are?
    pub fn is_unsigned_word(self) -> bool {
        self.bits >= 64 && !self.signed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: Integer = Integer { bits: 8, signed: false };
    const S8: Integer = Integer { bits: 8, signed: true };

    #[test]
    fn numbers_wrap_at_the_width() {
        assert_eq!((U8.wrap(300), S8.wrap(300), S8.wrap(200)), (44, 44, -56));
        assert_eq!((U8.wrap(-1), S8.wrap(-1)), (255, -1));
        let (u32, s32) = (Integer { bits: 32, signed: false }, Integer { bits: 32, signed: true });
        assert_eq!(
            (u32.wrap(1 << 32), s32.wrap(i64::from(i32::MAX) + 1)),
            (0, i64::from(i32::MIN))
        );
        assert_eq!(Integer::WORD.wrap(i64::MIN), i64::MIN);
        assert_eq!(Integer { bits: 64, signed: false }.wrap(-1), -1);
    }

    #[test]
    fn a_type_includes_another_if_it_has_all_its_values() {
        let types: Vec<Integer> = [1u8, 7, 8, 9]
            .into_iter()
            .flat_map(|b| [true, false].map(|s| Integer { bits: b, signed: s }))
            .collect();
        for &a in &types {
            for &b in &types {
                let all = (-600..600).filter(|&n| b.contains(n)).all(|n| a.contains(n));
                assert_eq!(a.includes(b), all, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_number_says_a_value_by_its_bits() {
        assert!(U8.says(-1) && U8.says(255) && U8.says(-128) && !U8.says(256) && !U8.says(-129));
        assert!(S8.says(255) && S8.says(-128) && !S8.says(300));
    }
}
