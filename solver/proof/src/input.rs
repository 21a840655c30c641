//! Reads the records of a proof.

use std::fmt;
use std::io::Read;

use crate::literal::SatLiteral;
use crate::record::{Id, LastIds, ProofRecord, RecordKind, sum};

/// What is wrong with a proof, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofFlaw {
    /// The number of the record, from 1.
    pub record: u64,
    /// The byte of the uncompressed proof behind what was read of the record.
    pub byte: u64,
    /// What is wrong, in words.
    pub what: String,
}

impl fmt::Display for ProofFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}, byte {}: {}", self.record, self.byte, self.what)
    }
}

impl std::error::Error for ProofFlaw {}

/// Bytes that are read at once.
const BLOCK: usize = 1 << 16;

/// The most literals of a record, and the most hints. A few megabytes can be decompressed to a
/// record that no memory holds.
const MOST: u64 = 1 << 24;

/// Uncompressed records, one after the other.
pub struct ProofInput<R> {
    reader: R,
    block: Vec<u8>,
    at: usize,
    /// Bytes in blocks before this one.
    before: u64,
    /// Records so far, with the one being read.
    records: u64,
    last: LastIds,
    /// The record read last.
    pub(crate) record: ProofRecord,
}

impl<R: Read> ProofInput<R> {
    /// Reads from here.
    pub fn new(reader: R) -> Self {
        let record =
            ProofRecord { kind: RecordKind::End, id: 0, literals: Vec::new(), hints: Vec::new() };
        Self {
            reader,
            block: Vec::with_capacity(BLOCK),
            at: 0,
            before: 0,
            records: 0,
            last: LastIds::default(),
            record,
        }
    }

    /// Something is wrong with the record that was read last.
    pub(crate) fn flaw(&self, what: impl Into<String>) -> ProofFlaw {
        ProofFlaw { record: self.records, byte: self.before + self.at as u64, what: what.into() }
    }

    /// Reads the next block; is there one?
    fn fill(&mut self) -> Result<bool, ProofFlaw> {
        self.before += self.block.len() as u64;
        self.at = 0;
        self.block.clear();
        let mut block = (&mut self.reader).take(BLOCK as u64);
        match block.read_to_end(&mut self.block) {
            Ok(length) => Ok(length > 0),
            Err(error) => Err(self.flaw(format!("it cannot be read: {error}"))),
        }
    }

    fn byte(&mut self) -> Result<u8, ProofFlaw> {
        if self.at == self.block.len() && !self.fill()? {
            return Err(self.flaw(
                "the proof is cut off: it ends within a record or without the record that ends it",
            ));
        }
        let byte = self.block[self.at];
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, ProofFlaw> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            n |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(self.flaw("a number has more than 64 bits"))
    }

    /// How many literals or hints follow.
    fn count(&mut self, of: &str) -> Result<u64, ProofFlaw> {
        match self.number()? {
            count if count > MOST => {
                Err(self.flaw(format!("it has {count} {of}, and no record has more than {MOST}")))
            }
            count => Ok(count),
        }
    }

    /// Reads the next record.
    ///
    /// # Errors
    /// There is none, or it is none.
    pub fn record(&mut self) -> Result<&ProofRecord, ProofFlaw> {
        self.next()?;
        Ok(&self.record)
    }

    /// Reads a record into `record`.
    pub(crate) fn next(&mut self) -> Result<RecordKind, ProofFlaw> {
        self.records += 1;
        let byte = self.byte()?;
        let Some(kind) = RecordKind::of(byte) else {
            return Err(self.flaw(format!("there is no record of kind {byte}")));
        };
        self.record.kind = kind;
        self.record.id = match kind.id() {
            Id::None => 0,
            Id::New => {
                let coded = self.number()?;
                self.last.new = sum(self.last.new, coded);
                self.last.new
            }
            Id::Known => {
                let coded = self.number()?;
                self.last.known = sum(self.last.known, coded);
                self.last.known
            }
            Id::Count => self.number()?,
        };
        self.record.literals.clear();
        self.record.hints.clear();
        if kind.has_literals() {
            let mut code = 0;
            for _ in 0..self.count("literals")? {
                let coded = self.number()?;
                code = sum(code, coded);
                let Some(literal) = SatLiteral::of_code(code) else {
                    return Err(self.flaw(format!("{code} is not the code of a literal")));
                };
                self.record.literals.push(literal);
            }
        }
        if kind.has_hints() {
            let mut hint = self.record.id;
            for _ in 0..self.count("hints")? {
                let coded = self.number()?;
                hint = sum(hint, coded);
                self.record.hints.push(hint);
            }
        }
        Ok(kind)
    }

    /// The records so far.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Nothing may follow.
    pub(crate) fn end(&mut self) -> Result<(), ProofFlaw> {
        if self.at < self.block.len() || self.fill()? {
            Err(self.flaw("something follows the end of the proof"))
        } else {
            Ok(())
        }
    }
}
