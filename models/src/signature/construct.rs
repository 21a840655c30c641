//! The operations of each signature: what a program of that architecture can be made of, and what a
//! mapping's rows name.

use std::fmt;

use super::Signature;
use crate::execution::Order;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// A load: one read event.
    Read,
    /// A store: one write event.
    Write,
    /// A read-modify-write: a read event and, right after it in program order, a write event to the
    /// same location.
    Rmw,
    /// A fence: one fence event.
    Fence,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "R",
            Self::Write => "W",
            Self::Rmw => "RMW",
            Self::Fence => "F",
        })
    }
}

/// An operation with its order, e.g. `R.ACQ`; the scope is apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Construct {
    /// Read, write, read-modify-write or fence.
    pub operation: Operation,
    /// Its memory order; [`Order::Plain`] where there is none.
    pub order: Order,
}

impl Construct {
    /// Does the construct carry a scope (where the model speaks of scopes)? Plain accesses of C++
    /// and PTX have none.
    pub fn has_scope(self, signature: Signature) -> bool {
        signature.takes_scope(self)
    }

    /// The order of the read half of an RMW (2019 paper, section 3.5.3 and RC11: the acquire part
    /// belongs to the read).
    pub fn read_order(self) -> Order {
        match self.order {
            Order::AcqRel => Order::Acq,
            Order::Rel => Order::Rlx,
            Order::Tagged(tags) => tags.of_read(),
            other => other,
        }
    }

    /// The order of the write half of an RMW (the release part belongs to the write).
    pub fn write_order(self) -> Order {
        match self.order {
            Order::AcqRel => Order::Rel,
            Order::Acq => Order::Rlx,
            Order::Tagged(tags) => tags.of_write(),
            other => other,
        }
    }

    /// The name as mapping rows write it: `R.ACQ`; `W.NA` in C++, `W.WEAK` in PTX, `W` where there
    /// are no orders; the mnemonic in an architecture whose tests are tables.
    pub fn name(self, signature: Signature) -> String {
        match (signature.mnemonic(self), self.order) {
            (Some(mnemonic), _) => mnemonic.to_owned(),
            (None, Order::Plain | Order::Tagged(_)) => self.operation.to_string(),
            (None, order) => format!("{}.{}", self.operation, order.tag()),
        }
    }
}

/// Every construct of a signature, weakest first within an operation, as its text lists them (C++:
/// the 17 rows of Fig. 11 of the 2019 paper).
pub fn constructs(signature: Signature) -> Vec<Construct> {
    signature.constructs()
}
