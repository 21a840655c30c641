//! A racing beginning of an execution, as a formula over the programs that have it.
//!
//! A race found in one program is a lesson about all programs: in none of them may the same
//! beginning of an execution be consistent and racy. Which events are in it and how they are
//! interleaved is constant; what the events are, where they access, under which conditions and what
//! they compute from what they read, is the program's, so one lesson rules out as many programs as
//! have such a race there.

use margay_models::lower::lower;
use margay_models::model::Role;
use margay_models::signature::Signature;
use margay_solver::{Expr, Formula, Logic, TupleSet};

use super::MappingProblem;
use super::atoms::{AtomPlace, Atoms};
use super::fences::ordered_fences;
use super::guard;
use super::problem::satisfied;
use super::source::SourceExpressions;
use super::source_base::SourceBase;
use crate::language::Mapping;

/// Where the reads of a [`Prefix`] read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadSources {
    /// Each from the last write before it: the executions of an interleaving.
    Latest,
    /// Some from the given writes (from the initial write with `None`), the others from the last
    /// write before them: a lesson is about more programs if it names no source that it need not
    /// name.
    Given(Vec<(usize, Option<usize>)>),
}

/// The events that a beginning of an execution consists of (for each thread a beginning, with what
/// its conditions leave out left out), and how they communicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    /// The events in an order that modification order follows.
    pub order: Vec<usize>,
    pub sources: ReadSources,
}

/// What must be asked of a beginning of an execution so that it shows a race of the program;
/// properties of the source model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reasons {
    /// It must be a whole execution: what is not in it has a condition that fails.
    pub complete: bool,
    /// Interleavings are consistent without being asked.
    pub interleavings_are_consistent: bool,
}

impl MappingProblem {
    /// The formula: the program has this beginning of an execution, which is consistent and
    /// undefined.
    pub fn races(
        &mut self,
        mapping: &Mapping,
        atoms: &Atoms,
        prefix: &Prefix,
        reasons: Reasons,
    ) -> Formula {
        let logic = &mut self.logic;
        let (part, read_something) =
            restrict(logic, (&self.source, self.vocabulary.content.signature), atoms, prefix);
        let mut conditions = vec![read_something];
        conditions.extend(self.is_beginning(mapping, atoms, prefix, &part, reasons.complete));
        let logic = &mut self.logic;
        let base = SourceBase::new(logic, &part, true);
        let lowered = lower(&mapping.source, logic, &base);
        let consistent =
            reasons.interleavings_are_consistent && prefix.sources == ReadSources::Latest;
        if consistent {
            // They are consistent as interleavings of operations: what was a load and a store where
            // this was learned, with another operation between them, is no interleaving of a
            // program in which they are one read-modify-write.
            let place = |e: usize| prefix.order.iter().position(|&o| o == e);
            let apart = |e: usize| place(e).zip(place(e + 1)).is_some_and(|(a, b)| a + 1 != b);
            let apart: Vec<usize> = (0..atoms.events()).filter(|&e| apart(e)).collect();
            let apart = logic.constant(atoms.set(apart.into_iter().map(AtomPlace::Event)));
            let torn = logic.intersection(apart, part.read_halves);
            conditions.push(logic.no(torn));
        }
        let mut undefined = Vec::new();
        for (check, &test) in mapping.source.checks.iter().zip(&lowered.checks) {
            if check.role == Role::Axiom {
                if !consistent {
                    conditions.push(test);
                }
            } else if check.is_undefined_behaviour() {
                let fine = satisfied(logic, check, test);
                undefined.push(logic.not(fine));
            }
        }
        conditions.push(logic.or(undefined));
        logic.and(conditions)
    }
}

impl MappingProblem {
    /// The formulas: the program executes these events, and leaves out the others, if reads return
    /// what they do in the prefix.
    fn is_beginning(
        &mut self,
        mapping: &Mapping,
        atoms: &Atoms,
        prefix: &Prefix,
        part: &SourceExpressions,
        complete: bool,
    ) -> Vec<Formula> {
        let (v, logic) = (&self.vocabulary, &mut self.logic);
        let [_, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
        let n = atoms.events();
        let within = |e: usize| prefix.order.contains(&e);
        let set = |logic: &mut Logic, events: &[usize]| {
            logic.constant(atoms.set(events.iter().map(|&e| AtomPlace::Event(e))))
        };
        // What the beginning passes over, and what comes after it.
        let same_thread = |a: usize, b: usize| atoms.thread[a] == atoms.thread[b];
        let passed: Vec<usize> = (0..n)
            .filter(|&e| {
                !within(e) && (complete || (e + 1..n).any(|f| within(f) && same_thread(e, f)))
            })
            .collect();
        let left_out = set(logic, &passed);

        // Which values are not those of the execution that is searched for: where reads-from
        // differs, and what follows from it.
        let (rf, rf_here) = (logic.rel(v.rf), part.rf);
        let different = logic.difference(rf_here, rf);
        let mut wrong = logic.range(different);
        let mut conditions = Vec::new();
        if v.has_data() {
            let from_nothing = logic.join(left_out, data);
            let from_nothing = logic.intersection(from_nothing, part.writes);
            let origin = logic.union(wrong, from_nothing);
            let [_, data_here, _] = part.dependencies;
            let flow = logic.union(rf_here, data_here);
            let onwards = logic.reflexive_closure(flow);
            wrong = logic.join(origin, onwards);
            wrong = logic.intersection(wrong, part.events);
            if prefix.sources != ReadSources::Latest {
                // No values determine themselves on a cycle but those that are expected
                // (docs/program-level.md).
                let among = logic.restrict_domain(wrong, flow);
                let among = logic.restrict_range(among, wrong);
                conditions.push(logic.acyclic(among));
            }
        }

        // An event is executed unless a condition fails, or it is the write of a compare-exchange
        // that fails.
        let failing = logic.union(wrong, left_out);
        let refused = logic.join(failing, ctrl);
        let compares = guard::compare_exchanges(logic, mapping, v, &self.source);
        let compares = logic.intersection(compares, wrong);
        let next = logic.rel(v.next);
        let not_written = logic.join(compares, next);
        let refused = logic.union(refused, not_written);
        let executed = logic.intersection(refused, part.events);
        conditions.push(logic.no(executed));
        conditions.push(logic.subset(left_out, refused));

        // No read-modify-write is half executed, unless it compares and fails.
        let last: Vec<usize> = (0..n)
            .filter(|&e| within(e) && e + 1 < n && same_thread(e, e + 1) && !within(e + 1))
            .collect();
        let last = set(logic, &last);
        let cut = logic.intersection(last, self.source.read_halves);
        conditions.push(logic.subset(cut, compares));
        conditions
    }
}

/// The source level restricted to the events of a prefix, with its reads-from and modification
/// order; and the formula that every read has a source.
fn restrict(
    logic: &mut Logic,
    (source, signature): (&SourceExpressions, Signature),
    atoms: &Atoms,
    prefix: &Prefix,
) -> (SourceExpressions, Formula) {
    let event = AtomPlace::Event;
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
    let given: &[(usize, Option<usize>)] = match &prefix.sources {
        ReadSources::Latest => &[],
        ReadSources::Given(given) => given,
    };
    let named = logic.constant(atoms.set(given.iter().map(|&(r, _)| event(r))));
    let latest = logic.difference(reads, named);
    let earlier = between(logic, writes, latest);
    let earlier = logic.intersection(earlier, order);
    let initial = between(logic, source.inits, latest);
    let candidates = logic.union(earlier, initial);
    let overwritten = logic.join(mo, candidates);
    let from_latest = logic.difference(candidates, overwritten);
    let from_writes = given.iter().filter_map(|&(r, w)| Some((event(w?), event(r))));
    let from_writes = logic.constant(atoms.pairs(from_writes));
    let possible = between(logic, writes, reads);
    let from_writes = logic.intersection(possible, from_writes);
    let initial = given.iter().filter(|(_, w)| w.is_none()).map(|&(r, _)| event(r));
    let initial = logic.constant(atoms.set(initial));
    let initial = logic.intersection(initial, reads);
    let from_inits = between(logic, source.inits, initial);
    let from_given = logic.union(from_writes, from_inits);
    let rf = logic.union(from_latest, from_given);
    let sources = logic.range(rf);
    let read_something = logic.subset(reads, sources);

    let mut part = source.clone();
    part.universe = universe;
    part.events = events;
    part.reads = reads;
    part.writes = writes;
    part.fences = set(logic, source.fences);
    for (_, e) in part.orders.iter_mut() {
        *e = set(logic, *e);
    }
    for (_, e) in part.scopes.iter_mut() {
        *e = set(logic, *e);
    }
    part.loc = loc;
    part.mo = mo;
    // Fences are ordered as they are executed.
    part.fence_order = source.fence_order.map(|_| {
        let fences = ordered_fences(logic, signature, part.fences, &part.orders);
        let among = logic.product(fences, fences);
        logic.intersection(among, order)
    });
    part.partial_co = mo;
    part.int = pairs(logic, source.int);
    part.rmw = pairs(logic, source.rmw);
    // A compare-exchange that fails is a load.
    part.read_halves = logic.domain(part.rmw);
    part.write_halves = logic.range(part.rmw);
    part.sr = pairs(logic, source.sr);
    for (_, e) in part.placed.iter_mut() {
        *e = pairs(logic, *e);
    }
    part.po = pairs(logic, source.po);
    part.rf = rf;
    part.dependencies = source.dependencies.map(|e| pairs(logic, e));
    part.thread = logic.restrict_domain(events, source.thread);
    (part, read_something)
}
