//! Where a thread stops before its end. Such an execution has no final state: it shows nothing
//! about an outcome, and is told apart from one that is not there.

use margay_models::execution::Scope;

use super::symbol::Symbol;
use crate::test::{Place, ThreadId};

/// Why a thread goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The address of an access is that of no location.
    Address,
    /// The number of a barrier is that of none.
    BarrierNumber,
    /// A division by zero.
    Division,
    /// A loop that only waits for a value, which does not come.
    Waiting,
    /// A loop that was gone round as often as the bound lets.
    Bound,
    /// A barrier that not all threads come to which it waits for.
    Barrier,
    /// An operation on an mbarrier that was not initialised, or one arrival more than its phase
    /// waits for.
    Mbarrier,
}

impl Cause {
    /// Does the instruction itself have no meaning with the values it got? (In C its behaviour is
    /// undefined.)
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Address | Self::BarrierNumber | Self::Division | Self::Mbarrier)
    }

    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::BarrierNumber => "barrier-number",
            Self::Division => "division",
            Self::Waiting => "waiting",
            Self::Bound => "bound",
            Self::Barrier => "barrier",
            Self::Mbarrier => "mbarrier",
        }
    }
}

/// The end of a path that is not the end of its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    pub cause: Cause,
    /// The instruction or statement.
    pub place: Place,
    /// The address, or the number of the barrier, where that is what is wrong.
    pub value: Option<Symbol>,
    /// The barrier that it waits at.
    pub barrier: Option<(u16, Scope)>,
}

impl Stop {
    /// At a place, of which no more is to be said.
    pub fn new(cause: Cause, place: Place) -> Self {
        Self { cause, place, value: None, barrier: None }
    }
}

/// A thread that stops, in an execution that a model allows as far as it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standstill {
    pub thread: ThreadId,
    /// Where it stops.
    pub place: Place,
    /// Why.
    pub cause: Cause,
    /// What is wrong there, in words without the place: "there is no location 8 bytes behind `a`".
    pub why: String,
}
