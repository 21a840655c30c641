//! Numbers as text: each is written in letters, as digits in base 26 of which the last is a small
//! letter, and a full stop ends a line of numbers. `coqc` reads 24,000 numbers as such a text in
//! 0.4 s, and as a list of numerals in 1.5 s (results/2026-11-25/rocq-reading.sh). The reader is in
//! prelude.v (`read_lines`).

/// How many letters a text has at most; a term is as deep as a text is long.
const LONGEST: usize = 120;

/// Lines of numbers from 1 on.
#[derive(Debug, Clone, Default)]
pub struct Letters {
    text: String,
}

impl Letters {
    /// Adds a line.
    pub fn line(&mut self, numbers: impl IntoIterator<Item = usize>) {
        for number in numbers {
            self.number(number);
        }
        self.text.push('.');
    }

    fn number(&mut self, number: usize) {
        debug_assert!(number > 0, "numbers are positive");
        let mut digits = Vec::new();
        let mut rest = number;
        while rest > 0 {
            // There is no zero: digits are 1 to 26.
            let digit = (rest - 1) % 26;
            digits.push(digit as u8);
            rest = (rest - 1 - digit) / 26;
        }
        for (at, digit) in digits.iter().enumerate().rev() {
            self.text.push(char::from(digit + if at == 0 { b'a' } else { b'A' }));
        }
    }

    /// As a list of texts.
    pub fn written(&self) -> String {
        let parts: Vec<&str> = (0..self.text.len())
            .step_by(LONGEST)
            .map(|from| &self.text[from..self.text.len().min(from + LONGEST)])
            .collect();
        let quoted: Vec<String> = parts.iter().map(|p| format!("\"{p}\"")).collect();
        format!("[{}]", quoted.join(";\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_zero_and_end_in_a_small_letter() {
        let mut letters = Letters::default();
        letters.line([1, 26, 27, 52, 53, 702, 703]);
        letters.line([]);
        assert_eq!(letters.written(), "[\"azAaAzBaZzAAa..\"]");
    }

    #[test]
    fn long_texts_are_in_pieces() {
        let mut letters = Letters::default();
        letters.line((0..LONGEST).map(|_| 1));
        assert_eq!(letters.written(), format!("[\"{}\";\n\".\"]", "a".repeat(LONGEST)));
    }
}
