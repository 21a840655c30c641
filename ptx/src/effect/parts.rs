//! Functions of parts of words: products of bytes and halves, masks, and places of bits.

/// `dp4a` and `dp2a`: parts of a word, bytes of another one, and whether each has a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartProducts {
    /// Have the parts of the first word a sign, and the bytes of the second?
    pub signed: [bool; 2],
    /// How many bits the parts of the first word have: 8, or 16.
    pub width: u32,
    /// Which byte of the second word is the first one.
    pub first: u32,
}

impl PartProducts {
    pub(super) fn sum(self, a: u64, b: u64) -> u64 {
        let part = |word: u64, width: u32, n: u32, signed: bool| {
            let bits = (word >> (width * n)) as i64 & ((1 << width) - 1);
            if signed && bits >> (width - 1) == 1 { bits - (1 << width) } else { bits }
        };
        let products = (0..32 / self.width).map(|n| {
            part(a, self.width, n, self.signed[0]) * part(b, 8, n + self.first, self.signed[1])
        });
        products.sum::<i64>() as u64
    }
}

/// `bmsk` (PTX ISA 9.7.1).
pub(super) fn mask(clamps: bool, at: u64, width: u64) -> u64 {
    let start = if clamps && at >= 32 { 32 } else { at & 31 };
    let end = if clamps && width >= 32 { 32 } else { (start + (width & 31)).min(32) };
    let below = |n: u64| (1u64 << n) - 1;
    below(end.max(start)) & !below(start)
}

/// `szext` (PTX ISA 9.7.1).
pub(super) fn extend_sign(clamps: bool, signed: bool, value: u64, width: u64) -> u64 {
    let width = match width & 0xffff_ffff {
        32.. if clamps => return value & 0xffff_ffff,
        width => width & 31,
    };
    let below = (1u64 << width) - 1;
    let is_negative = signed && width > 0 && value >> (width - 1) & 1 == 1;
    value & below | if is_negative { 0xffff_ffff & !below } else { 0 }
}

/// `fns` (PTX ISA 9.7.1): upwards, or downwards where the number is negative; whether there is a 1
/// at the place where it is 0. All ones if there is none. Of a place outside of the word nothing is
/// said.
pub(super) fn find_nth(word: u64, base: u64, nth: i32) -> Option<u64> {
    let base = i64::from(u32::try_from(base).ok().filter(|base| *base < 32)?);
    let is_one = |at: &i64| word >> at & 1 == 1;
    let count = nth.unsigned_abs().saturating_sub(1) as usize;
    let found = match nth {
        0 => Some(base).filter(is_one),
        1.. => (base..32).filter(is_one).nth(count),
        _ => (0..=base).rev().filter(is_one).nth(count),
    };
    Some(found.map_or(0xffff_ffff, |at| at as u64))
}
