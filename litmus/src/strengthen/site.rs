//! What of a program can be stronger, and how strong.

use margay_models::execution::{Order, Scope};

use crate::test::{ProxyFenceKind, ThreadId};

/// An order and a scope. Weak accesses have no scope; here it is the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Strength {
    pub order: Order,
    pub scope: Scope,
}

impl Strength {
    /// Does the other one ask for everything that this one asks for?
    pub fn at_most(self, other: Self) -> bool {
        self.order.is_at_most(other.order) && self.scope <= other.scope
    }

    /// What asks for everything that either of the two asks for; an acquire and a release are both.
    pub(super) fn join(self, other: Self) -> Self {
        let order = match () {
            () if self.order.is_at_most(other.order) => other.order,
            () if other.order.is_at_most(self.order) => self.order,
            () => Order::AcqRel,
        };
        Self { order, scope: self.scope.max(other.scope) }
    }
}

/// What can be stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    Load,
    Store,
    /// A read-modify-write.
    Rmw,
    /// A reduction, which returns nothing and does not acquire.
    Reduction,
    Fence,
    /// A place where a fence can be. An architecture with fences of which none is stronger than all
    /// others has several at one place.
    Slot(usize),
    /// A place where a proxy fence can be.
    ProxySlot(ProxyFenceKind),
    /// An arrival at the barrier of a cluster.
    Arrival,
}

impl SiteKind {
    /// Is it a place where nothing is yet?
    pub fn is_slot(self) -> bool {
        matches!(self, Self::Slot(_) | Self::ProxySlot(_))
    }
}

/// A place in a program that can be stronger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub thread: ThreadId,
    pub kind: SiteKind,
    /// How strong it is; `None` for a slot.
    pub now: Option<Strength>,
    /// Can the thread come back to it? Only of slots: what is there is executed as often as it is.
    pub repeats: bool,
}

/// Which strengthenings are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// More fences.
    pub fences: bool,
    /// Stronger orders of accesses, fences and arrivals that are there.
    pub orders: bool,
    /// Wider scopes of accesses and fences that are there.
    pub scopes: bool,
}

impl Means {
    pub const ALL: Means = Means { fences: true, orders: true, scopes: true };
}
