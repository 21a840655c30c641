//! A racing beginning of an execution, as a formula over the programs that have it.
//!
//! A race found in one program is a lesson about all programs: in none of them may the same beginning of an execution be
//! consistent and racy. Which events are in it and how they are interleaved is constant; what the events are, where they access and
//! under which guards, is the program's, so one lesson rules out as many programs as have such a race there.

use margay_models::lower::lower;
use margay_models::signature::BaseRelation;
use margay_solver::{Expr, Formula, Logic, TupleSet};

use super::Problem;
use super::atoms::{Atoms, Place};
use super::problem::{is_default_axiom, is_undefined_behaviour, satisfied};
use super::source::{Source, SourceBase};
use crate::language::Mapping;

/// Where the reads of a [`Prefix`] read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sources {
    /// Each from the last write before it: the executions of an interleaving.
    Latest,
    /// From the given writes; from the initial write with `None`.
    Given(Vec<(usize, Option<usize>)>),
}

/// The events that a beginning of an execution consists of (for each thread so many from its start), and how they communicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    /// The events in an order that modification order follows.
    pub order: Vec<usize>,
    /// Reads-from.
    pub sources: Sources,
}

/// What must be asked of a beginning of an execution so that it shows a race of the program; properties of the source model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reasons {
    /// It must be a whole execution: every thread that goes on has a guard that keeps it from doing so.
    pub complete: bool,
    /// Interleavings are consistent without being asked.
    pub interleavings_are_consistent: bool,
}

impl Problem {
    /// The formula: the program has this beginning of an execution, which is consistent and undefined.
    pub fn races(&mut self, mapping: &Mapping, atoms: &Atoms, prefix: &Prefix, reasons: Reasons) -> Formula {
        let logic = &mut self.logic;
        let (part, read_something) = restrict(logic, &self.source, atoms, prefix);
        let mut conditions = vec![read_something];

        // No read-modify-write is half executed.
        let n = atoms.events();
        let within = |e: usize| prefix.order.contains(&e);
        let goes_on = |e: usize| e + 1 < n && atoms.thread[e + 1] == atoms.thread[e];
        let last: Vec<usize> = prefix.order.iter().copied().filter(|&e| goes_on(e) && !within(e + 1)).collect();
        let last_set = logic.constant(atoms.set(last.iter().map(|&e| Place::Event(e))));
        let cut = logic.intersection(last_set, self.source.read_halves);
        conditions.push(logic.no(cut));

        // A guard with something behind it was passed: its read returned what it returns in the execution that is searched for.
        let rf = logic.rel(self.vocabulary.rf);
        let rf_here = part.base(BaseRelation::Rf);
        let different = logic.difference(rf_here, rf);
        let different = logic.range(different);
        let guard = logic.rel(self.vocabulary.guard);
        let failing = logic.intersection(guard, different);
        let later = part.base(BaseRelation::Po);
        let later = logic.difference(later, part.rmw);
        let refused = logic.restrict_domain(failing, later);
        conditions.push(logic.no(refused));
        if reasons.complete {
            // A thread that goes on although it need not stop is no whole execution: its last read, or that of its last
            // read-modify-write, fails its guard.
            for &e in &last {
                let this = logic.constant(atoms.set([Place::Event(e)]));
                let write = logic.restrict_range(part.rmw, this);
                let read = logic.domain(write);
                let tested = logic.union(this, read);
                let stops = logic.intersection(tested, failing);
                conditions.push(logic.some(stops));
            }
            let begun = |t: usize| prefix.order.iter().any(|&e| atoms.thread[e] == t);
            if (0..atoms.shape.threads()).any(|t| !begun(t)) {
                return logic.truth(false);
            }
        }

        let base = SourceBase::new(logic, &part, true);
        let lowered = lower(&mapping.source, logic, &base);
        let consistent = reasons.interleavings_are_consistent && prefix.sources == Sources::Latest;
        let mut undefined = Vec::new();
        for (check, &test) in mapping.source.checks.iter().zip(&lowered.checks) {
            if is_default_axiom(check) {
                if !consistent {
                    conditions.push(test);
                }
            } else if is_undefined_behaviour(check) {
                let fine = satisfied(logic, check, test);
                undefined.push(logic.not(fine));
            }
        }
        conditions.push(logic.or(undefined));
        logic.and(conditions)
    }
}

/// The source level restricted to the events of a prefix, with its reads-from and modification order; and the formula that
/// every read has a source.
fn restrict(logic: &mut Logic, source: &Source, atoms: &Atoms, prefix: &Prefix) -> (Source, Formula) {
    let event = Place::Event;
    let events = logic.constant(atoms.set(prefix.order.iter().map(|&e| event(e))));
    let universe = logic.union(events, source.inits);
    let mut order = TupleSet::new(2);
    for (i, &a) in prefix.order.iter().enumerate() {
        for &b in &prefix.order[i + 1..] {
            order.insert(&[atoms.atom(event(a)), atoms.atom(event(b))]);
        }
    }
    let order = logic.constant(order);
    let set = |logic: &mut Logic, e: Expr| logic.intersection(e, events);
    let pairs = |logic: &mut Logic, e: Expr| {
        let from = logic.restrict_domain(universe, e);
        logic.restrict_range(from, universe)
    };

    let (reads, writes) = (set(logic, source.reads), set(logic, source.writes));
    let loc = pairs(logic, source.loc);
    let between = |logic: &mut Logic, from: Expr, to: Expr| {
        let some = logic.restrict_domain(from, loc);
        logic.restrict_range(some, to)
    };
    let from_inits = between(logic, source.inits, writes);
    let among_writes = between(logic, writes, writes);
    let among_writes = logic.intersection(among_writes, order);
    let mo = logic.union(among_writes, from_inits);
    let rf = match &prefix.sources {
        Sources::Latest => {
            let earlier = between(logic, writes, reads);
            let earlier = logic.intersection(earlier, order);
            let initial = between(logic, source.inits, reads);
            let candidates = logic.union(earlier, initial);
            let overwritten = logic.join(mo, candidates);
            logic.difference(candidates, overwritten)
        }
        Sources::Given(given) => {
            let from_writes = given.iter().filter_map(|&(r, w)| Some((event(w?), event(r))));
            let from_writes = logic.constant(atoms.pairs(from_writes));
            let possible = between(logic, writes, reads);
            let from_writes = logic.intersection(possible, from_writes);
            let initial = given.iter().filter(|(_, w)| w.is_none()).map(|&(r, _)| event(r));
            let initial = logic.constant(atoms.set(initial));
            let initial = logic.intersection(initial, reads);
            let from_inits = between(logic, source.inits, initial);
            logic.union(from_writes, from_inits)
        }
    };
    let sources = logic.range(rf);
    let read_something = logic.subset(reads, sources);

    let mut part = source.clone();
    part.universe = universe;
    part.events = events;
    part.reads = reads;
    part.writes = writes;
    part.fences = set(logic, source.fences);
    part.write_halves = set(logic, source.write_halves);
    part.read_halves = set(logic, source.read_halves);
    for (_, e) in part.orders.iter_mut() {
        *e = set(logic, *e);
    }
    for (_, e) in part.scopes.iter_mut() {
        *e = set(logic, *e);
    }
    part.loc = loc;
    part.mo = mo;
    part.partial_co = mo;
    part.int = pairs(logic, source.int);
    part.rmw = pairs(logic, source.rmw);
    part.sr = pairs(logic, source.sr);
    for (_, e) in part.placed.iter_mut() {
        *e = pairs(logic, *e);
    }
    for (relation, e) in part.relations.iter_mut() {
        *e = if *relation == BaseRelation::Rf { rf } else { pairs(logic, *e) };
    }
    part.thread = logic.restrict_domain(events, source.thread);
    (part, read_something)
}
