//! Post-conditions: what memory holds when all launches have ended.

use std::fmt;

use margay_ptx::effect::NumberComparison;

/// Which elements of an array of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArrayElements {
    One(u64),
    /// Each of them.
    All,
}

/// `out[0] == 66`, `out[*] != 0`, `counter == 6`: a word of an array, read as a signed number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostCondition {
    pub array: String,
    pub elements: ArrayElements,
    pub comparison: NumberComparison,
    pub number: i64,
}

impl PostCondition {
    /// Reads one.
    ///
    /// # Errors
    /// What was expected, in a sentence.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected a condition as `out[0] == 6`, `out[*] != 0` or `counter == 6`, found `{text}`"
            )
        };
        // The first one; of two at one place the longer one, for `<` is where `<=` begins.
        let (at, comparison) = NumberComparison::ALL
            .into_iter()
            .filter_map(|comparison| Some((text.find(comparison.symbol())?, comparison)))
            .min_by_key(|(at, comparison)| (*at, usize::MAX - comparison.symbol().len()))
            .ok_or_else(expected)?;
        let (left, right) = (text[..at].trim(), text[at + comparison.symbol().len()..].trim());
        let number: i64 = right.parse().map_err(|_| expected())?;
        if !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number) {
            return Err(format!(
                "{number} is no number of 32 bits, and no word is compared with another one"
            ));
        }
        let (array, elements) = match left.split_once('[') {
            None => (left, ArrayElements::One(0)),
            Some((array, index)) => {
                let index = index.strip_suffix(']').map(str::trim).ok_or_else(expected)?;
                let elements = match index {
                    "*" => ArrayElements::All,
                    index => ArrayElements::One(index.parse().map_err(|_| expected())?),
                };
                (array.trim(), elements)
            }
        };
        let is_name = !array.is_empty()
            && array.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        if !is_name {
            return Err(expected());
        }
        Ok(Self { array: array.to_owned(), elements, comparison, number })
    }

    /// The first word for which it does not hold, with its index.
    pub(crate) fn violated(&self, words: &[u32]) -> Option<(u64, i64)> {
        let holds = |word: i64| self.comparison.holds(word, self.number);
        // A number above 2^31 is meant without a sign.
        let number = |word: u32| {
            if self.number > i64::from(i32::MAX) { i64::from(word) } else { i64::from(word as i32) }
        };
        let first = words.iter().enumerate().map(|(n, word)| (n as u64, number(*word)));
        match self.elements {
            ArrayElements::One(index) => first
                .skip(usize::try_from(index).unwrap_or(usize::MAX))
                .take(1)
                .find(|(_, word)| !holds(*word)),
            ArrayElements::All => first.into_iter().find(|(_, word)| !holds(*word)),
        }
    }
}

impl fmt::Display for PostCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = self.comparison.symbol();
        match self.elements {
            ArrayElements::One(index) => {
                write!(f, "{}[{index}] {sign} {}", self.array, self.number)
            }
            ArrayElements::All => write!(f, "{}[*] {sign} {}", self.array, self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PostCondition;

    #[test]
    fn conditions_are_read_and_printed() {
        for text in [
            "out[0] == 66",
            "out[*] != 0",
            "a.b[3] <= -1",
            "x[2] > 7",
            "x[2] >= 7",
            "x[0] < 4294967295",
        ] {
            assert_eq!(PostCondition::read(text).map(|c| c.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(
            PostCondition::read("counter==6").map(|c| c.to_string()),
            Ok("counter[0] == 6".to_owned())
        );
        for text in [
            "",
            "x",
            "x == ",
            "x == y",
            "[0] == 1",
            "x[ == 1",
            "x[-1] == 1",
            "x[1 == 1",
            "x y == 1",
            "x != 4294967296",
            "x > -2147483649",
        ] {
            assert!(PostCondition::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_compared_as_signed_numbers() {
        let violated =
            |text: &str, words: &[u32]| PostCondition::read(text).unwrap().violated(words);
        assert_eq!(violated("x[*] >= 0", &[1, u32::MAX]), Some((1, -1)));
        assert_eq!(violated("x[0] == 4294967295", &[u32::MAX]), None);
        assert_eq!(violated("x[1] == 2", &[1, 2]), None);
        assert_eq!(violated("x[1] == 2", &[2, 1]), Some((1, 1)));
    }
}
