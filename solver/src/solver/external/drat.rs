//! Reads proofs in DRAT format, text or binary (Wetzler, Heule and Hunt, SAT 2014): the clauses
//! that a solver derived, in order, and those that it deleted.

use std::fmt;

use margay_proof::SatLiteral;

/// Why something is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DratFault {
    /// A line of text.
    Line(String),
    /// A binary line begins with another byte than `a` and `d`.
    Kind,
    CutOff,
    /// The number of a variable has more bits than there are variables for.
    LargeVariable,
    /// A number between those that end a line and those of variables.
    NoVariable,
}

impl fmt::Display for DratFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Line(line) => return write!(f, "`{line}` is no line of a DRAT proof"),
            Self::Kind => "has a line that begins with neither `a` nor `d`",
            Self::CutOff => "is cut off",
            Self::LargeVariable => "has a variable that is too large",
            Self::NoVariable => "has a variable that is none",
        };
        write!(f, "the binary DRAT proof {what}")
    }
}

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

    fn text(&mut self) -> Option<Result<DratLine, DratFault>> {
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
                None => Err(DratFault::Line(line.to_owned())),
            });
        }
    }

    fn binary(&mut self) -> Option<Result<DratLine, DratFault>> {
        let (&first, mut rest) = self.rest.split_first()?;
        if !matches!(first, b'a' | b'd') {
            self.rest = &[];
            return Some(Err(DratFault::Kind));
        }
        let mut literals = Vec::new();
        loop {
            let (mut number, mut shift) = (0_u64, 0);
            loop {
                let Some((&byte, after)) = rest.split_first() else {
                    self.rest = &[];
                    return Some(Err(DratFault::CutOff));
                };
                rest = after;
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
                if shift > 28 {
                    self.rest = &[];
                    return Some(Err(DratFault::LargeVariable));
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
                    return Some(Err(DratFault::NoVariable));
                }
            }
        }
    }
}

impl Iterator for DratLines<'_> {
    type Item = Result<DratLine, DratFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.binary { self.binary() } else { self.text() }
    }
}

#[cfg(test)]
mod tests {
    use super::{DratFault, DratLine, DratLines, SatLiteral};

    fn read(bytes: &[u8]) -> Result<Vec<DratLine>, DratFault> {
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
