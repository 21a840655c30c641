//! Threads that the solver chooses, for the comparison with fixed thread shapes: what program order
//! and the threads of events and slots are, where they are not constants.

use margay_solver::{Expr, Formula, Logic};

use super::vocabulary::MappingVocabulary;

/// Every event is in one thread, named by its first event; program order is the numbering of events
/// within each thread, and slots lie around their events.
pub fn chosen(logic: &mut Logic, v: &MappingVocabulary) -> Vec<Formula> {
    let mut out = Vec::new();
    let (events, thread, name) =
        (logic.rel(v.events), logic.rel(v.thread), logic.rel(v.thread_name));
    let of_events = logic.restrict_domain(events, thread);
    let threads = logic.range(name);
    out.push(logic.function(of_events, events, threads));
    let own = logic.intersection(of_events, name);
    let (used, named) = (logic.range(of_events), logic.range(own));
    out.push(logic.subset(used, named));

    let together = {
        let back = logic.transpose(of_events);
        logic.join(of_events, back)
    };
    let ascending = logic.rel(v.ascending);
    let (po, next) = (logic.rel(v.po), logic.rel(v.next));
    let within = logic.intersection(ascending, together);
    out.push(logic.equal(po, within));
    let further = logic.join(po, po);
    let immediate = logic.difference(po, further);
    out.push(logic.equal(next, immediate));

    // The places of an event in program order, each as a relation from the event.
    let event = logic.diagonal(events);
    let slot = |r: &margay_solver::Relation, logic: &mut Logic| logic.rel(*r);
    let mut places: Vec<Expr> = v.before.iter().map(|r| slot(r, logic)).collect();
    places.push(event);
    places.extend(v.after.iter().map(|r| slot(r, logic)));
    let mut inside = Vec::new();
    for (i, &earlier) in places.iter().enumerate() {
        for &later in &places[i + 1..] {
            let back = logic.transpose(earlier);
            inside.push(logic.join(back, later));
        }
        let there = logic.join(earlier, thread);
        out.push(logic.equal(there, of_events));
    }
    let cover = logic.union_all(2, places);
    let back = logic.transpose(cover);
    let across = logic.join(back, po);
    inside.push(logic.join(across, cover));
    let all = logic.union_all(2, inside);
    let target_po = logic.rel(v.target_po);
    out.push(logic.equal(target_po, all));

    // Dependencies stay within a thread.
    for dependency in v.dependencies {
        let pairs = logic.rel(dependency);
        out.push(logic.subset(pairs, po));
    }
    out
}
