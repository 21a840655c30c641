//! What an mbarrier holds (PTX ISA, *Contents of the mbarrier object*): phase, pending and expected
//! arrivals, and the count of transactions, in one number, so that executions can have it as the
//! value of a location.

use std::fmt;

/// The contents of an mbarrier as one number. 0, and whatever else has no mark of validity, is no
/// mbarrier: memory that was never initialised, or whose mbarrier was invalidated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mbarrier(pub i64);

/// The mark of what is an mbarrier.
const VALID: i64 = 1 << 62;
/// How many bits phase, expected arrivals, pending arrivals and transactions have, and where they
/// begin.
const PHASE: Field = Field { from: 54, bits: 8 };
const EXPECTED: Field = Field { from: 38, bits: 16 };
const PENDING: Field = Field { from: 22, bits: 16 };
const TRANSACTIONS: Field = Field { from: 0, bits: 22 };
/// What is added to the count of transactions, which may be negative.
const BIAS: i64 = 1 << 21;

struct Field {
    from: u32,
    bits: u32,
}

impl Field {
    fn of(&self, whole: i64) -> i64 {
        whole >> self.from & ((1 << self.bits) - 1)
    }

    fn set(&self, whole: i64, value: i64) -> i64 {
        let mask = ((1 << self.bits) - 1) << self.from;
        whole & !mask | value << self.from & mask
    }
}

impl Mbarrier {
    /// Memory that holds no mbarrier.
    pub const INVALID: Self = Self(0);
    /// The largest number of arrivals (PTX allows 2^20 - 1).
    pub const MOST_ARRIVALS: i64 = (1 << 16) - 1;
    /// The largest number of bytes that transactions may be short of.
    pub const MOST_BYTES: i64 = (1 << 20) - 1;

    /// After `mbarrier.init`: phase 0, no transactions, and so many arrivals pending and expected.
    pub fn new(arrivals: i64) -> Self {
        let pending = PENDING.set(VALID, arrivals);
        Self(TRANSACTIONS.set(EXPECTED.set(pending, arrivals), BIAS))
    }

    pub fn is_valid(self) -> bool {
        self.0 & VALID != 0 && self.0 > 0
    }

    /// The number of the phase that is not complete yet, counted from 0.
    pub fn phase(self) -> i64 {
        PHASE.of(self.0)
    }

    /// How many arrivals the phase waits for.
    pub fn pending(self) -> i64 {
        PENDING.of(self.0)
    }

    /// How many arrivals the next phase waits for.
    pub fn expected(self) -> i64 {
        EXPECTED.of(self.0)
    }

    /// How many bytes of transactions the phase waits for.
    pub fn transactions(self) -> i64 {
        TRANSACTIONS.of(self.0) - BIAS
    }

    /// "arrive-on": the pending count goes down; the phase completes where that and the count of
    /// transactions are 0.
    #[must_use]
    pub fn arrived(self, arrivals: i64) -> Self {
        self.changed(|m| m.with_pending(m.pending() - arrivals)).completed()
    }

    /// "arrive_drop": the expected count of later phases goes down first.
    #[must_use]
    pub fn dropped(self, arrivals: i64) -> Self {
        self.changed(|m| Self(EXPECTED.set(m.0, m.expected() - arrivals))).arrived(arrivals)
    }

    /// The pending count goes up, as `cp.async.mbarrier.arrive` lets it.
    #[must_use]
    pub fn raised(self, arrivals: i64) -> Self {
        self.changed(|m| m.with_pending(m.pending() + arrivals))
    }

    /// "expect-tx": the count of transactions goes up.
    #[must_use]
    pub fn expecting(self, bytes: i64) -> Self {
        self.changed(|m| m.with_transactions(m.transactions() + bytes))
    }

    /// "complete-tx": the count of transactions goes down, and the phase may complete.
    #[must_use]
    pub fn transferred(self, bytes: i64) -> Self {
        self.changed(|m| m.with_transactions(m.transactions() - bytes)).completed()
    }

    fn with_pending(self, pending: i64) -> Self {
        Self(PENDING.set(self.0, pending))
    }

    /// Beyond what an mbarrier counts it is none any more: that is undefined.
    fn with_transactions(self, bytes: i64) -> Self {
        if bytes.abs() > Self::MOST_BYTES {
            return Self::INVALID;
        }
        Self(TRANSACTIONS.set(self.0, bytes + BIAS))
    }

    fn changed(self, change: impl Fn(Self) -> Self) -> Self {
        if self.is_valid() { change(self) } else { Self::INVALID }
    }

    /// "The phase completes when the pending count and the tx-count are zero": then the next one
    /// begins, with as many arrivals as are expected.
    fn completed(self) -> Self {
        if !self.is_valid() || self.pending() != 0 || self.transactions() != 0 {
            return self;
        }
        Self(PHASE.set(self.0, self.phase() + 1)).with_pending(self.expected())
    }
}

impl fmt::Display for Mbarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_valid() {
            return f.write_str("(no mbarrier)");
        }
        write!(f, "(phase {}, {} of {} pending", self.phase(), self.pending(), self.expected())?;
        match self.transactions() {
            0 => f.write_str(")"),
            bytes => write!(f, ", {bytes} bytes)"),
        }
    }
}
