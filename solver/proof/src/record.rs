//! The records of a proof, and their binary form.
//!
//! A record is a byte for its kind and the fields that the kind has, in this order: an id, literals
//! (their number, then each), hints (likewise). Numbers are little-endian base 128 (7 bits a byte,
//! the highest bit of a byte says that more follow); signed numbers are first made unsigned by
//! zigzag (0, -1, 1, -2, ...). A literal is written as the difference of its code (twice the
//! variable, plus 1 if negated) to that of the literal before, the first one to 0; an id as the
//! difference to the last id of its sort (ids of new clauses, ids of known ones); a hint as the
//! difference to the hint before, the first one to the id of the clause.

use crate::literal::SatLiteral;

/// The first byte of a record, from 1 in the order of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RecordKind {
    /// A clause that the session gave to the solver: id, literals in the session's order.
    Original = 1,
    /// A clause that follows: id, literals, hints.
    Derived,
    /// A clause is needed no more: id.
    Delete,
    /// A clause may be deleted and come back: id.
    Weaken,
    /// It comes back: id, literals.
    Restore,
    /// A question: the assumptions.
    Question,
    /// The question's answer: there is an assignment.
    Satisfiable,
    /// The question's answer: none, a limit was reached.
    Unknown,
    /// The question's answer: there is no assignment, by the clause of this id.
    Refuted,
    /// The end: the number of records before.
    End,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 10] = [
        RecordKind::Original,
        RecordKind::Derived,
        RecordKind::Delete,
        RecordKind::Weaken,
        RecordKind::Restore,
        RecordKind::Question,
        RecordKind::Satisfiable,
        RecordKind::Unknown,
        RecordKind::Refuted,
        RecordKind::End,
    ];

    /// None for 0 and for bytes after the last kind.
    pub(crate) fn of(byte: u8) -> Option<RecordKind> {
        Self::ALL.get(usize::from(byte).checked_sub(1)?).copied()
    }

    pub(crate) fn id(self) -> Id {
        match self {
            RecordKind::Original | RecordKind::Derived => Id::New,
            RecordKind::Delete | RecordKind::Weaken | RecordKind::Restore | RecordKind::Refuted => {
                Id::Known
            }
            RecordKind::End => Id::Count,
            RecordKind::Question | RecordKind::Satisfiable | RecordKind::Unknown => Id::None,
        }
    }

    /// Does it have literals?
    pub(crate) fn has_literals(self) -> bool {
        matches!(
            self,
            RecordKind::Original | RecordKind::Derived | RecordKind::Restore | RecordKind::Question
        )
    }

    /// Does it have hints?
    pub(crate) fn has_hints(self) -> bool {
        self == RecordKind::Derived
    }
}

/// What the id of a record is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    /// Nothing is written.
    None,
    /// A clause that was not there before.
    New,
    /// A clause that was.
    Known,
    /// It is a number of records.
    Count,
}

/// A record; what its kind does not have is empty or 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofRecord {
    /// Which of the other fields are written.
    pub kind: RecordKind,
    /// The clause; of [`RecordKind::End`] the number of records.
    pub id: u64,
    /// The literals of the clause, or the assumptions.
    pub literals: Vec<SatLiteral>,
    /// Ids of clauses.
    pub hints: Vec<u64>,
}

/// The ids that others are written relative to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastIds {
    pub(crate) new: u64,
    pub(crate) known: u64,
}

/// Numbers as their difference, small if they are close; wraps around, so that every difference has
/// a number.
fn difference(from: u64, to: u64) -> u64 {
    let d = to.wrapping_sub(from).cast_signed();
    ((d << 1) ^ (d >> 63)).cast_unsigned()
}

/// What `difference` was taken to.
pub(crate) fn sum(from: u64, coded: u64) -> u64 {
    from.wrapping_add((coded >> 1) ^ (coded & 1).wrapping_neg())
}

/// Writes records to bytes.
#[derive(Debug, Default)]
pub struct Encoder {
    last: LastIds,
}

impl Encoder {
    /// Appends the record's bytes.
    pub fn put(&mut self, record: &ProofRecord, out: &mut Vec<u8>) {
        let ProofRecord { kind, id, literals, hints } = record;
        self.put_parts(*kind, *id, literals, hints, out);
    }

    /// The same from borrowed parts; those that the kind does not have are left out.
    pub fn put_parts(
        &mut self,
        kind: RecordKind,
        id: u64,
        literals: &[SatLiteral],
        hints: &[u64],
        out: &mut Vec<u8>,
    ) {
        out.push(kind as u8);
        match kind.id() {
            Id::None => {}
            Id::New => number(difference(std::mem::replace(&mut self.last.new, id), id), out),
            Id::Known => number(difference(std::mem::replace(&mut self.last.known, id), id), out),
            Id::Count => number(id, out),
        }
        if kind.has_literals() {
            number(literals.len() as u64, out);
            let mut before = 0;
            for &literal in literals {
                let code = literal.code() as u64;
                number(difference(std::mem::replace(&mut before, code), code), out);
            }
        }
        if kind.has_hints() {
            number(hints.len() as u64, out);
            let mut before = id;
            for &hint in hints {
                number(difference(std::mem::replace(&mut before, hint), hint), out);
            }
        }
    }
}

fn number(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}
