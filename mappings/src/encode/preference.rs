//! Which of several smallest counterexamples to show: fewer threads (by the order of shapes), then
//! fewer locations, then weaker annotations, and then the first in a fixed order of all tuples, so
//! that the choice depends on nothing but the question.

use margay_models::signature::{Construct, Operation};
use margay_solver::Relation;

use super::atoms::{AtomPlace, Atoms};
use super::back::{self, Back};
use super::vocabulary::MappingVocabulary;

/// A tuple whose truth is to be avoided, with its weight.
pub type PreferenceCost = (u32, Relation, Vec<AtomPlace>);

/// Guards: one for each read whose value is tested; and computed values, one for each read that
/// goes into one.
pub fn guards(v: &MappingVocabulary, atoms: &Atoms) -> Vec<PreferenceCost> {
    let n = atoms.events();
    let [_, data, _] = v.dependencies;
    let guards = (0..n).map(|e| (1, v.guard, vec![AtomPlace::Event(e)]));
    let pairs = (0..n).flat_map(|r| {
        (r + 1..n).map(move |w| (1, data, vec![AtomPlace::Event(r), AtomPlace::Event(w)]))
    });
    guards.chain(pairs.filter(|_| v.content.programs.is_some())).collect()
}

/// Locations: one for each event that names its location.
pub fn locations(v: &MappingVocabulary, atoms: &Atoms) -> Vec<PreferenceCost> {
    (0..atoms.events()).map(|e| (1, v.at, vec![AtomPlace::Event(e), AtomPlace::Event(e)])).collect()
}

/// The strength of annotations: an order step weighs more than a scope step.
pub fn annotations(v: &MappingVocabulary, atoms: &Atoms) -> Vec<PreferenceCost> {
    let mut out = Vec::new();
    for e in 0..atoms.events() {
        for &(construct, relation) in &v.construct {
            out.push((strength(construct), relation, vec![AtomPlace::Event(e)]));
        }
        for &(scope, relation) in &v.scope {
            out.push((scope.rank(), relation, vec![AtomPlace::Event(e)]));
        }
    }
    out.retain(|&(weight, ..)| weight > 0);
    out
}

/// How strong a construct is, in steps of its order; an RMW is as strong as its parts and a little
/// more.
fn strength(construct: Construct) -> u32 {
    4 * construct.order.rank() + if construct.operation == Operation::Rmw { 2 } else { 0 }
}

/// The fixed order in which the remaining choices are made, each with the value that is preferred.
pub fn order(v: &MappingVocabulary, atoms: &Atoms) -> Vec<(bool, Relation, Vec<AtomPlace>)> {
    let n = atoms.events();
    let event = AtomPlace::Event;
    let mut out = Vec::new();
    for e in 0..n {
        let sets = v
            .construct
            .iter()
            .map(|&(_, r)| r)
            .chain(v.scope.iter().map(|&(_, r)| r))
            .chain(v.choice.iter().copied());
        // Weakest first in each list: prefer the first one that is possible.
        out.extend(sets.map(|r| (true, r, vec![event(e)])));
    }
    for e in 0..n {
        out.extend((0..=e).map(|f| (true, v.at, vec![event(e), event(f)])));
    }
    for r in 0..n {
        // Prefer a read of another event to one of the initial write: it says more in a picture.
        out.extend((0..n).filter(|&w| w != r).map(|w| (true, v.rf, vec![event(w), event(r)])));
        out.extend((0..=r).map(|i| (true, v.rf, vec![AtomPlace::Init(i), event(r)])));
    }
    for a in 0..n {
        // A modification order that follows the numbering is easier to read; as few coherence edges
        // as possible.
        out.extend((a + 1..n).map(|b| (true, v.mo_ascending, vec![event(a), event(b)])));
        out.extend((a + 1..n).map(|b| (false, v.related, vec![event(a), event(b)])));
    }
    let threads = atoms.shape.threads();
    for &(_, relation) in &v.together {
        for s in 0..threads {
            out.extend(
                (s + 1..threads)
                    .map(|t| (false, relation, vec![AtomPlace::Thread(s), AtomPlace::Thread(t)])),
            );
        }
    }
    out.extend((0..n).map(|e| (false, v.guard, vec![event(e)])));
    for relation in v.dependencies {
        out.extend(
            (0..n)
                .flat_map(|a| (a + 1..n).map(move |b| (false, relation, vec![event(a), event(b)]))),
        );
    }
    if let Some(back) = v.back {
        // What a load writes back is best read by nobody, and late.
        out.extend((0..n).flat_map(|w| {
            (0..n)
                .filter(move |&r| r != w)
                .map(move |r| (false, back.rf, vec![back::place(w), event(r)]))
        }));
        out.extend(Back::pairs(atoms).map(|(p, q)| (true, back.ascending, vec![p, q])));
        out.extend(Back::pairs(atoms).map(|(p, q)| (false, back.related, vec![p, q])));
    }
    let places: Vec<AtomPlace> = atoms.all_target_places().into_iter().map(|(p, _)| p).collect();
    for &p in &places {
        out.extend(places.iter().filter(|&&q| p != q).map(|&q| (false, v.fence_order, vec![p, q])));
    }
    out
}
