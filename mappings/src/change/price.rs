//! What a change of rows counts for: first how widely the rows are used that it makes dearer, then
//! how much dearer they become.

use std::ops::{Add, Sub};

use margay_models::execution::Order;
use margay_models::signature::Operation;

use crate::language::Row;

/// The price of changes. Compared by its parts in their order: what every program pays comes before
/// what few programs pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Price {
    /// Of plain loads and stores.
    pub plain: u64,
    /// Of relaxed operations.
    pub relaxed: u64,
    /// Of operations with a stronger order, and of fences.
    pub ordered: u64,
}

impl Price {
    /// A number for a change of this row.
    pub fn of(row: &Row, number: u64) -> Self {
        match row.construct.order {
            _ if row.construct.operation == Operation::Fence => {
                Self { ordered: number, ..Self::default() }
            }
            Order::Plain => Self { plain: number, ..Self::default() },
            Order::Rlx => Self { relaxed: number, ..Self::default() },
            // An architecture that is a text names its orders; which of them are the usual ones is
            // not known.
            Order::Acq | Order::Rel | Order::AcqRel | Order::Sc | Order::Tagged(_) => {
                Self { ordered: number, ..Self::default() }
            }
        }
    }

    /// All parts together.
    pub fn sum(self) -> u64 {
        self.plain + self.relaxed + self.ordered
    }
}

impl Add for Price {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            plain: self.plain + other.plain,
            relaxed: self.relaxed + other.relaxed,
            ordered: self.ordered + other.ordered,
        }
    }
}

impl Sub for Price {
    type Output = Self;

    /// No part falls below 0.
    fn sub(self, other: Self) -> Self {
        Self {
            plain: self.plain.saturating_sub(other.plain),
            relaxed: self.relaxed.saturating_sub(other.relaxed),
            ordered: self.ordered.saturating_sub(other.ordered),
        }
    }
}

impl std::iter::Sum for Price {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}
