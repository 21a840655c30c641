//! Reads proofs in DRAT format, text or binary (Wetzler, Heule and Hunt, SAT 2014): the clauses
//! that a solver derived, in order, and those that it deleted.

use margay_proof::SatLiteral;

/// A line of a proof.
#[derive(Debug, PartialEq, Eq)]
pub enum DratLine {
    /// A clause that follows from those before it.
    Added(Vec<SatLiteral>),
    /// A clause that is used no more.
    Deleted(Vec<SatLiteral>),
}

/// The lines of a proof.
pub struct DratLines<'a> {
    rest: &'a [u8],
    binary: bool,
}

/// Text consists of these characters; a binary proof has others among its first, the letter `a` for
/// one.
fn is_text(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_whitespace() || byte == b'-' || byte == b'd'
}

impl<'a> DratLines<'a> {
    /// The lines in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, binary: !bytes.iter().take(100).all(|&byte| is_text(byte)) }
    }

    fn text(&mut self) -> Option<Result<DratLine, String>> {
        loop {
            let end =
                self.rest.iter().position(|&b| b == b'\n').map_or(self.rest.len(), |at| at + 1);
            if end == 0 {
                return None;
            }
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest;
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let (deleted, numbers) =
                line.strip_prefix('d').map_or((false, line), |rest| (true, rest));
            let numbers: Result<Vec<i32>, _> =
                numbers.split_ascii_whitespace().map(str::parse).collect();
            let literals = match numbers.as_deref() {
                Ok([numbers @ .., 0]) => SatLiteral::all_of_dimacs(numbers),
                _ => None,
            };
            return Some(match literals {
                Some(literals) => Ok(if deleted {
                    DratLine::Deleted(literals)
                } else {
                    DratLine::Added(literals)
                }),
                None => Err(format!("`{line}` is no line of a DRAT proof")),
            });
        }
    }

    fn binary(&mut self) -> Option<Result<DratLine, String>> {
        let (&first, mut rest) = self.rest.split_first()?;
        let wrong = |what: &str| Some(Err(format!("the binary DRAT proof {what}")));
        if !matches!(first, b'a' | b'd') {
            self.rest = &[];
            return wrong("has a line that begins with neither `a` nor `d`");
        }
        let mut literals = Vec::new();
        loop {
            let (mut number, mut shift) = (0_u64, 0);
            loop {
                let Some((&byte, after)) = rest.split_first() else {
                    self.rest = &[];
                    return wrong("is cut off");
                };
                rest = after;
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
                if shift > 28 {
                    self.rest = &[];
                    return wrong("has a variable that is too large");
                }
            }
            if number == 0 {
                self.rest = rest;
                return Some(Ok(if first == b'd' {
                    DratLine::Deleted(literals)
                } else {
                    DratLine::Added(literals)
                }));
            }
            match SatLiteral::of_variable((number >> 1) as usize, number & 1 == 1) {
                Some(literal) => literals.push(literal),
                None => {
                    self.rest = &[];
                    return wrong("has a variable that is none");
                }
            }
        }
    }
}

impl Iterator for DratLines<'_> {
    type Item = Result<DratLine, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.binary { self.binary() } else { self.text() }
    }
}

#[cfg(test)]
mod tests {
    use super::{DratLine, DratLines, SatLiteral};

    fn read(bytes: &[u8]) -> Result<Vec<DratLine>, String> {
        DratLines::new(bytes).collect()
    }

    #[test]
    fn text_and_binary_say_the_same() {
        let clause = |numbers: &[i32]| SatLiteral::all_of_dimacs(numbers).expect("literals");
        let expected = [
            DratLine::Added(clause(&[1, -2])),
            DratLine::Deleted(clause(&[-63, 64, 9000])),
            DratLine::Added(Vec::new()),
        ];
        assert_eq!(read(b"1 -2 0\n\nd -63 64 9000 0\r\n0").as_deref(), Ok(&expected[..]));
        assert_eq!(
            read(&[b'a', 2, 5, 0, b'd', 127, 0x80, 1, 0xd0, 0x8c, 1, 0, b'a', 0]).as_deref(),
            Ok(&expected[..])
        );
        assert_eq!(read(b""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_proof_is_refused() {
        let wrong: [&[u8]; 8] = [
            b"1 2\n",
            b"1 x 0",
            b"1 0 2 0",
            b"-2147483648 0",
            b"a\x02",
            b"a\x02\x00x",
            b"a\xff\xff\xff\xff\xff\x01\x00",
            b"a\x01\x00",
        ];
        for bytes in wrong {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }
}
