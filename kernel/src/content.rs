//! What an array holds at the start.

use std::fmt;

/// What an array of a kernel holds at the start: its first elements, and what all behind them are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayContent {
    /// How many bytes an element has: 1, 2, 4 or 8.
    pub width: u64,
    /// Are elements floats, of 4 or 8 bytes? Then numbers are what they stand for, whole ones.
    pub is_float: bool,
    /// The first elements.
    pub first: Vec<i64>,
    /// Those behind them.
    pub rest: ContentRest,
}

/// The elements behind the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentRest {
    /// Zeros, or nothing where the array ends there.
    Zeros,
    /// This number, as often as the array goes on.
    Repeat(i64),
    /// This number, the next one, and so on.
    Count(i64),
    /// This number, the one before it, and so on down to 0, and then zeros.
    Fall(i64),
}

impl ArrayContent {
    /// As whole numbers of 4 bytes.
    pub fn zeros() -> Self {
        Self { width: 4, is_float: false, first: Vec::new(), rest: ContentRest::Zeros }
    }

    /// Is it zeros, and nothing else?
    pub fn is_zeros(&self) -> bool {
        self.first.iter().all(|&n| n == 0)
            && matches!(self.rest, ContentRest::Zeros | ContentRest::Repeat(0))
    }

    /// The byte at a distance from the start.
    pub(crate) fn byte(&self, at: u64) -> u8 {
        let index = at / self.width;
        let behind = index.checked_sub(self.first.len() as u64);
        let element = match (behind, self.rest) {
            (None, _) => self.first[index as usize],
            (Some(_), ContentRest::Zeros) => 0,
            (Some(_), ContentRest::Repeat(n)) => n,
            (Some(behind), ContentRest::Count(from)) => from.wrapping_add_unsigned(behind),
            (Some(behind), ContentRest::Fall(from)) => from.saturating_sub_unsigned(behind).max(0),
        };
        let bits = match (self.is_float, self.width) {
            (false, _) => element as u64,
            (true, 4) => u64::from((element as f32).to_bits()),
            (true, _) => (element as f64).to_bits(),
        };
        (bits >> (8 * (at % self.width))) as u8
    }

    /// `{1,2,3}`, `{-1,4*}`, `{0+}`, `{3-}`: numbers, of which the last may be one that is
    /// repeated, or that the elements count up from, or down from to 0.
    pub(crate) fn parse(list: &str, (width, is_float): (u64, bool)) -> Option<Self> {
        let mut first = Vec::new();
        let mut rest = ContentRest::Zeros;
        let parts: Vec<&str> = list.split(',').map(str::trim).collect();
        for (n, part) in parts.iter().enumerate() {
            let number = part.trim_end_matches(['*', '+', '-']);
            let value: i64 = number.parse().ok()?;
            match &part[number.len()..] {
                "" => first.push(value),
                "*" if n + 1 == parts.len() => rest = ContentRest::Repeat(value),
                "+" if n + 1 == parts.len() => rest = ContentRest::Count(value),
                "-" if n + 1 == parts.len() && value >= 0 => rest = ContentRest::Fall(value),
                _ => return None,
            }
        }
        Some(Self { width, is_float, first, rest })
    }
}

impl fmt::Display for ArrayContent {
    /// As `--arg` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self.rest {
            ContentRest::Zeros => None,
            ContentRest::Repeat(n) => Some(format!("{n}*")),
            ContentRest::Count(n) => Some(format!("{n}+")),
            ContentRest::Fall(n) => Some(format!("{n}-")),
        };
        let all: Vec<String> = self.first.iter().map(ToString::to_string).chain(rest).collect();
        write!(f, "{{{}}}", all.join(","))?;
        match (self.is_float, self.width) {
            (false, 4) => Ok(()),
            (is_float, width) => write!(f, ".{}{}", if is_float { 'f' } else { 'b' }, 8 * width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_byte_by_byte() {
        let content = ArrayContent::parse("-1, 258*", (4, false)).expect("a list");
        let bytes: Vec<u8> = (0..12).map(|at| content.byte(at)).collect();
        assert_eq!(bytes, [255, 255, 255, 255, 2, 1, 0, 0, 2, 1, 0, 0]);
        let counted = ArrayContent::parse("7,0+", (2, false)).expect("a list");
        assert_eq!((0..8).map(|at| counted.byte(at)).collect::<Vec<_>>(), [7, 0, 0, 0, 1, 0, 2, 0]);
        assert_eq!(counted.to_string(), "{7,0+}.b16");
        let floats = ArrayContent::parse("2*", (4, true)).expect("a list");
        assert_eq!((0..4).map(|at| floats.byte(at)).collect::<Vec<_>>(), 2f32.to_le_bytes());
        assert_eq!(floats.to_string(), "{2*}.f32");
        let falling = ArrayContent::parse("2-", (1, false)).expect("a list");
        assert_eq!((0..5).map(|at| falling.byte(at)).collect::<Vec<_>>(), [2, 1, 0, 0, 0]);
        assert_eq!(falling.to_string(), "{2-}.b8");
        for wrong in ["", "1*,2", "x", "1**", "1+*", "-1-", "1-,2"] {
            assert_eq!(ArrayContent::parse(wrong, (4, false)), None, "{wrong}");
        }
    }
}
