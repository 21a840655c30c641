//! What a row puts beside the access of an operation: fences, loads whose value nobody uses, and
//! the read of a store that is a read-modify-write. Each is at a place: so many events before or
//! behind the access.

use margay_language::{Lowering, LoweringStep};
use margay_models::signature::Operation;

use super::roles::RoleBuilder;
use super::{X, Y, Z};
use crate::logic::{EventAtom, EventTerm, Lit, Meaning, Pred};

/// Where what a lowering puts beside the access is: so many events before or behind it. Fences and
/// reads whose value nobody uses have places of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BesidePlace {
    pub(super) is_read: bool,
    pub(super) behind: bool,
    pub(super) distance: usize,
}

/// An event that a lowering puts beside the access.
pub(super) struct BesideEvent {
    /// Its number among the events of the lowering, where a read-modify-write that is a
    /// read-modify-write in the source counts as one.
    pub(super) number: usize,
    pub(super) step: LoweringStep,
    pub(super) place: BesidePlace,
}

/// What a lowering puts beside its access, and the numbers of the access and of all events. The
/// read of a store by read-modify-write is right before the store.
pub(super) fn beside(
    lowering: &Lowering,
    operation: Operation,
) -> (Vec<BesideEvent>, usize, usize) {
    let access = lowering.access().unwrap_or(0);
    let exchange = usize::from(lowering.stores_by_exchange(operation));
    let (own, all) = (access + exchange, lowering.steps.len() + exchange);
    let found = (0..all).filter(|&n| n != own).map(|number| {
        let step = lowering.steps[if number < own { number } else { number - exchange }];
        let is_read = step.operation != Operation::Fence;
        let place = BesidePlace { is_read, behind: number > own, distance: number.abs_diff(own) };
        BesideEvent { number, step, place }
    });
    (found.collect(), own, all)
}

impl RoleBuilder<'_> {
    /// The relation from operations to what is beside them at a place.
    pub(super) fn place(&mut self, place: BesidePlace) -> Pred {
        if let Some(&(_, known)) = self.places.iter().find(|p| p.0 == place) {
            return known;
        }
        let (what, side) = (
            if place.is_read { "read" } else { "fence" },
            if place.behind { "behind" } else { "before" },
        );
        let name = match place.distance {
            1 => format!("{what}-{side}"),
            k => format!("{what}-{side}-{k}"),
        };
        let pred = self.theory.symbols.declare(&name, 2, Meaning::Base);
        self.places.push((place, pred));
        let own = |a, b| EventAtom::binary(pred, a, b);
        let equal = |a, b| Lit::yes(EventAtom::binary(Pred::EQUAL, a, b));
        self.say(vec![Lit::no(own(X, Y)), Lit::no(own(X, Z)), equal(Y, Z)], "one event at a place");
        self.say(vec![Lit::no(own(X, Y)), Lit::no(own(Z, Y)), equal(X, Z)], "beside one operation");
        pred
    }

    /// An event is the first half of no read-modify-write; with `nor_second`, nor the second one.
    pub(super) fn no_half(&mut self, premise: &[Lit], x: EventTerm, nor_second: bool, what: &str) {
        let rmw = self.target.symbols.rmw();
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        let other = if x == X { Y } else { X };
        self.say(with(Lit::no(EventAtom::binary(rmw, x, other))), what);
        if nor_second {
            self.say(with(Lit::no(EventAtom::binary(rmw, other, x))), what);
        }
    }

    /// A read that a row adds is of the operation's location; with `is_half`, the operation's store
    /// is the other half of its read-modify-write.
    pub(super) fn unused_read(&mut self, read: Pred, place: Pred, is_half: bool, what: &str) {
        let (loc, rmw) = (self.target.symbols.loc(), self.target.symbols.rmw());
        let premise = [Lit::no(EventAtom::binary(place, X, Y)), Lit::no(EventAtom::unary(read, Y))];
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        self.say(with(Lit::yes(EventAtom::binary(loc, X, Y))), what);
        if !is_half {
            self.no_half(&[Lit::no(EventAtom::unary(read, Y))], Y, true, what);
            return;
        }
        self.say(with(Lit::yes(EventAtom::binary(rmw, Y, X))), what);
        let pair = [Lit::no(EventAtom::binary(rmw, Y, X)), Lit::no(EventAtom::unary(read, Y))];
        self.say(
            pair.iter().copied().chain([Lit::yes(EventAtom::binary(place, X, Y))]).collect(),
            what,
        );
        let all = self.target.relations.rmw();
        let first = self.theory.end_name(all, false);
        self.say(
            vec![Lit::no(EventAtom::unary(read, Y)), Lit::yes(EventAtom::unary(first, Y))],
            what,
        );
    }

    /// Do rows add reads? Then what the target reads is not what the source reads.
    pub(super) fn adds_reads(&self) -> bool {
        self.places.iter().any(|p| p.0.is_read)
    }
}
