//! What is at hand of several parts of a question, put together: what refutes each part refutes the
//! whole.

use rustc_hash::FxHashSet;

use super::settle::AtHand;
use margay_theorem::ground::{ClauseOrigin, ExistenceValue};
use margay_theorem::logic::clause::MAX_EVENTS;
use margay_theorem::logic::{EventAtom, EventTerm};
use margay_theorem::theory::Theory;

/// The values and instances of all parts. `events`: how many events the question speaks of; those
/// of the values get the next numbers, in order. What two parts say of the same events is there
/// once. `None` if there are too many events.
pub(super) fn joined(theory: &Theory, events: usize, parts: Vec<AtHand>) -> Option<AtHand> {
    let mut whole = Joined {
        theory,
        next: events,
        values: Vec::new(),
        instances: Vec::new(),
        seen: FxHashSet::default(),
    };
    for part in parts {
        whole.add(events, part)?;
    }
    Some(AtHand { values: whole.values, instances: whole.instances })
}

struct Joined<'a> {
    theory: &'a Theory,
    /// The number of the next event.
    next: usize,
    values: Vec<ExistenceValue>,
    instances: Vec<ClauseOrigin>,
    seen: FxHashSet<ClauseOrigin>,
}

impl Joined<'_> {
    fn add(&mut self, events: usize, part: AtHand) -> Option<()> {
        // The new number of each event, and of each value. An event whose value nothing needs may
        // be any event: what is said of it is true of all.
        let mut names: Vec<EventTerm> =
            (0..MAX_EVENTS).map(|e| EventTerm::event(if e < events { e } else { 0 })).collect();
        let mut numbers = Vec::new();
        let shares = |values: &[ExistenceValue], v: &ExistenceValue| {
            values.iter().filter(|other| other.event == v.event).count() > 1
        };
        for value in &part.values {
            let made = usize::from(self.theory.sources[value.source].existence.events);
            let of: Vec<EventTerm> = value.of.iter().map(|t| names[t.index()]).collect();
            let same = |v: &ExistenceValue| {
                v.source == value.source && v.of == of && (made == 0 || !shares(&self.values, v))
            };
            let known = (value.unless.is_empty() && (made == 0 || !shares(&part.values, value)))
                .then(|| self.values.iter().position(same))
                .flatten();
            let number = known.unwrap_or(self.values.len());
            let event = match (known, value.unless.first()) {
                (Some(v), _) => self.values[v].event,
                (None, Some(_)) => names[value.event.index()],
                (None, None) if self.next + made.max(1) > MAX_EVENTS => return None,
                (None, None) => EventTerm::event(self.next),
            };
            if known.is_none() {
                let unless = value.unless.iter().map(|&u| numbers[u]).collect();
                self.next += if value.unless.is_empty() { made } else { 0 };
                self.values.push(ExistenceValue { source: value.source, of, event, unless });
            }
            for k in 0..made {
                names[value.event.index() + k] = EventTerm::event(event.index() + k);
            }
            numbers.push(number);
        }
        for origin in part.instances {
            let origin = renamed(origin, &names);
            if self.seen.insert(origin.clone()) {
                self.instances.push(origin);
            }
        }
        Some(())
    }
}

/// An instance at events with other numbers.
fn renamed(origin: ClauseOrigin, names: &[EventTerm]) -> ClauseOrigin {
    let all = |terms: Vec<EventTerm>| terms.into_iter().map(|t| names[t.index()]).collect();
    let atom = |a: EventAtom| {
        EventAtom::binary(a.pred, names[a.args[0].index()], names[a.args[1].index()])
    };
    match origin {
        ClauseOrigin::Fact(number, at) => ClauseOrigin::Fact(number, all(at)),
        ClauseOrigin::Supposed(number, at) => ClauseOrigin::Supposed(number, all(at)),
        ClauseOrigin::Congruence(equality, [has, lacks]) => {
            ClauseOrigin::Congruence(atom(equality), [atom(has), atom(lacks)])
        }
        other @ (ClauseOrigin::Question(_) | ClauseOrigin::Value(..)) => other,
    }
}
