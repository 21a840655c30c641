//! The places around an event, and which of them a lowering uses.

use margay_models::signature::Operation;

use super::atoms::AtomPlace;
use crate::language::{Lowering, Row};

/// A place around an event, whatever the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotRole {
    /// The access itself, or the first fence of a fence row.
    Access,
    Before(usize),
    After(usize),
}

impl SlotRole {
    /// The role of a target place.
    pub fn of(place: AtomPlace) -> Option<SlotRole> {
        match place {
            AtomPlace::Event(_) => Some(SlotRole::Access),
            AtomPlace::Before(_, k) => Some(SlotRole::Before(k)),
            AtomPlace::After(_, k) => Some(SlotRole::After(k)),
            AtomPlace::Init(_) | AtomPlace::Thread(_) => None,
        }
    }
}

/// The role of each instruction of a lowering: fences before and after the access; of a fence row
/// the first fence is the event itself. Right behind a load that is a read-modify-write is what it
/// writes back.
pub fn roles(lowering: &Lowering, operation: Operation) -> Vec<SlotRole> {
    let access = lowering.access().unwrap_or(0);
    let back = usize::from(lowering.writes_back(operation));
    (0..lowering.steps.len())
        .map(|i| match i.cmp(&access) {
            std::cmp::Ordering::Less => SlotRole::Before(i),
            std::cmp::Ordering::Equal => SlotRole::Access,
            std::cmp::Ordering::Greater => SlotRole::After(back + i - access - 1),
        })
        .collect()
}

/// Where the read of a store by read-modify-write is: in the slot right before the store, behind
/// all that the lowering puts before it.
pub fn unused_half(row: &Row, lowering: &Lowering) -> Option<SlotRole> {
    lowering
        .access()
        .filter(|_| lowering.stores_by_exchange(row.construct.operation))
        .map(SlotRole::Before)
}
