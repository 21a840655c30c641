//! Values: what is known of them, and the registers that hold what is not.

use margay_ptx::RegisterId;

use super::value_range::ValueRange;
use crate::layout::Object;
use crate::residue::MemoryCell;

/// A register of a call, or memory of the thread alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Register(u16, RegisterId),
    Cell(u64, u8),
    /// How many bytes the thread has told an mbarrier of that nothing has brought yet.
    Expected(u64),
    /// At which copy of a part of a tensor what an mbarrier was told of began to come: the function
    /// and the instruction.
    First(u64),
    /// How many copies by tensor maps have shared what an mbarrier was told of.
    Nth(u64),
    /// How much that was.
    Told(u64),
    /// At which copy of a part of a tensor bytes began to come of which an mbarrier was not told
    /// yet.
    Early(u64),
    /// What the last `add.cc` and its kin carried or borrowed.
    Carry,
    /// How many columns of tensor memory the thread has allocated.
    Allocated,
    /// A register that a `wgmma.mma_async` writes which nothing has waited for yet: how many groups
    /// were committed behind it, its own among them.
    Pending(u16, RegisterId),
    /// How many columns from this one a `tcgen05.mma` writes that the thread has not waited for.
    Accumulated(u64),
    /// At this mbarrier arrives what the thread did before a `tcgen05.commit`.
    Committed(u64),
    /// How many exchanges of this mask of its warp the thread has taken part in.
    Met(u32),
    /// How many numbers the thread has drawn from a counter.
    Drawn(MemoryCell),
    /// After how many barriers with a reduction one had a constant result: the rounds behind it are
    /// others than those in front.
    Settled,
}

/// A value that a register may hold, and what else is known where it does.
pub(super) type ValueWay = (u64, Option<(Key, KnownValue)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KnownValue {
    Bits(u64),
    /// It is in a register of the code that is left.
    Open {
        /// Is it of a function that nobody interprets?
        opaque: bool,
        /// The array that it points into, if it is an address.
        into: Option<Object>,
        /// How far it is from what was read from memory.
        plus: i64,
        /// Is it made of memory that nobody wrote? What it reaches is asked about
        /// ([`crate::undefined`]).
        undefined: bool,
        /// What it may be, where that are few numbers.
        range: Option<ValueRange>,
    },
}

pub(crate) const OPEN: KnownValue =
    KnownValue::Open { opaque: false, into: None, plus: 0, undefined: false, range: None };

pub(crate) const OPAQUE: KnownValue =
    KnownValue::Open { opaque: true, into: None, plus: 0, undefined: false, range: None };

pub(crate) const UNDEFINED: KnownValue =
    KnownValue::Open { opaque: true, into: None, plus: 0, undefined: true, range: None };

impl KnownValue {
    /// Is it of a function that nobody interprets, and of no memory that nobody wrote?
    pub fn is_opaque(self) -> bool {
        matches!(self, Self::Open { opaque: true, undefined: false, .. })
    }

    /// Is it made of memory that nobody wrote?
    pub fn is_undefined(self) -> bool {
        matches!(self, Self::Open { undefined: true, .. })
    }
}

/// What is known of a value that a function makes of others which nobody interprets.
pub(crate) fn uninterpreted<'v>(mut of: impl Iterator<Item = &'v Value>) -> KnownValue {
    if of.any(|value| value.known.is_undefined()) { UNDEFINED } else { OPAQUE }
}

/// A value: what is known of it, and the register that holds it where it is open.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub known: KnownValue,
    pub text: String,
}

impl Value {
    pub fn bits(&self) -> Option<u64> {
        if let KnownValue::Bits(bits) = self.known { Some(bits) } else { None }
    }
}

pub(crate) fn constant(bits: u64) -> Value {
    Value { known: KnownValue::Bits(bits), text: number(bits).to_string() }
}

/// The number of a litmus test for bits.
pub(super) fn number(bits: u64) -> i64 {
    bits as i64
}
