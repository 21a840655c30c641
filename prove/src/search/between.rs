//! Edges beside a chain. A claim about a chain and an edge behind it (or before it) speaks of all
//! events of both, and of all ways in which the edge may be there. In most cases it is enough what
//! the edge is to the end of the order: a relation from its first event to a fence beside its
//! second (or from a fence beside its first event to its second).

use super::candidate::{CandidateRelation, rank};
use super::finder::Finder;
use super::invariant::{ClosureEntry, InvariantSearch};
use margay_theorem::argument::open_all;
use margay_theorem::argument::{Claim, Cut, Rule};
use margay_theorem::logic::{EventTerm, Exprs, Pred, TheoryExpr, TheoryExprId};
use rustc_hash::FxHashMap;

/// The most assignments that are looked at to find what contains an edge. SC of LLVM 23, whose
/// operations have fences on both sides or on one, needs more than 14,600 for one; without it, the
/// claim about the whole chain was not refuted within the limits of the search, and 30 minutes were
/// lost.
const MOST_ROUNDS: usize = 200_000;

/// What is added to the rank of candidates that are tried after all plain ones; more than any rank
/// of a relation.
const LATER: u8 = 16;

/// The fences at one place of operations. A fence of a read-modify-write belongs to its read half.
pub(super) struct Beside {
    /// From an event to its fence: from an access or a read half, and from a write half.
    pub(super) to: [TheoryExprId; 2],
    /// From the fence to the event, in the same order.
    pub(super) back: [TheoryExprId; 2],
}

impl Beside {
    /// `place`: from operations to their fences.
    pub(super) fn new(exprs: &mut Exprs, place: Pred, rmw: TheoryExprId) -> Self {
        let place = exprs.symbol(place);
        let [half, back] = [rmw, place].map(|e| exprs.make(TheoryExpr::Inverse(e)));
        Self { to: [place, exprs.sequence(half, place)], back: [back, exprs.sequence(back, rmw)] }
    }
}

/// What edges may be within, each with how early it is tried. Of the two ends of an edge one joins
/// a chain, and the other one, where a cycle is cut, is to be at a fence: its last event, where
/// cycles are cut behind it, or its first.
pub(super) struct Ends {
    /// Where cycles are cut.
    cut: Cut,
    /// Relations of the target whose cut end is at a fence, or at an event with a fence beside it.
    at_fences: Vec<(u8, TheoryExprId)>,
    /// Relations of the target, and then the same from or to an event or a fence beside it.
    anywhere: Vec<(u8, TheoryExprId)>,
    /// What was found to contain the parts of edges that join the chain.
    parts: FxHashMap<TheoryExprId, Option<TheoryExprId>>,
}

impl Ends {
    /// Two parts of an edge, the one that joins the chain first, as they stand in it; and the same
    /// back.
    fn in_turn<T>(&self, [a, b]: [T; 2]) -> [T; 2] {
        match self.cut {
            Cut::Behind => [a, b],
            Cut::Before => [b, a],
        }
    }
}

/// A union of candidates that contains a relation in every execution.
struct Container {
    expr: TheoryExprId,
    /// Does it contain each way as it is, with no step told from others and no closure taken apart?
    has_whole_ways: bool,
}

impl Finder {
    /// What edges may be within: relations of the target. `places`: the relations from operations
    /// to their fences.
    pub(super) fn ends(&mut self, cut: Cut, relations: &[Pred], places: &[Pred]) -> Ends {
        let mut ends =
            Ends { cut, at_fences: Vec::new(), anywhere: Vec::new(), parts: FxHashMap::default() };
        let symbols = &self.theory.symbols;
        let names = [symbols.fences(), symbols.rmw()];
        let [Some(fence), Some(rmw)] = names else { return ends };
        let exprs = &mut self.theory.exprs;
        let [fence, rmw] = [fence, rmw].map(|p| exprs.symbol(p));
        let fence = exprs.make(TheoryExpr::Diagonal(fence));
        let beside: Vec<Beside> =
            places.iter().map(|&place| Beside::new(exprs, place, rmw)).collect();
        for &relation in relations {
            let relation = self.theory.exprs.symbol(relation);
            let rank = rank(&self.theory, relation);
            ends.anywhere.push((rank, relation));
            let exprs = &mut self.theory.exprs;
            let sequence = |exprs: &mut Exprs, end: TheoryExprId| match cut {
                Cut::Behind => exprs.sequence(relation, end),
                Cut::Before => exprs.sequence(end, relation),
            };
            let at_fence = sequence(exprs, fence);
            // Which of its two fences an event has depends on its row, and an event may be one
            // itself.
            for Beside { to, back } in &beside {
                let own = match cut {
                    Cut::Behind => back,
                    Cut::Before => to,
                };
                let beside = own.map(|e| sequence(exprs, e));
                let union = exprs.union_all(std::iter::once(at_fence).chain(beside));
                ends.at_fences.push((rank, union));
                // What comes into a closure at an operation ends at the operation or at the fence
                // behind it, and what comes out of one begins at the fence before it.
                let union = exprs.union_all(std::iter::once(relation).chain(beside));
                ends.anywhere.push((rank + LATER, union));
            }
            ends.at_fences.push((rank, at_fence));
            // A read-modify-write synchronises with what is behind it by the fence before it: such
            // an edge begins there.
            for Beside { to, .. } in &beside {
                let begin = exprs.union_all(std::iter::once(fence).chain(*to));
                for Beside { back, .. } in &beside {
                    let end = exprs.union_all(std::iter::once(fence).chain(*back));
                    let inner = exprs.sequence(relation, end);
                    ends.at_fences.push((rank + LATER, exprs.sequence(begin, inner)));
                }
            }
        }
        ends.anywhere.sort_by_key(|e| e.0);
        ends.at_fences.sort_by_key(|e| e.0);
        ends
    }

    /// Shows that an edge with a chain beside it is within an order, by a relation that contains
    /// the edge and with the chain is within the order; false if none was found.
    pub(super) fn by_container(
        &mut self,
        chain: TheoryExprId,
        edge: TheoryExprId,
        order: TheoryExprId,
        ends: &mut Ends,
    ) -> bool {
        let cut = ends.cut;
        let between = self.contained(edge, ends);
        let text = between.map_or("nothing".to_owned(), |e| self.theory.text(e));
        tracing::debug!("{} is within {text}", self.theory.text(edge));
        let Some(between) = between else { return false };
        let whole = cut.piece(&mut self.theory.exprs, chain, between);
        if self.show(Claim::Within(whole, order)).is_err() {
            tracing::debug!("which beside the chain is not within the order");
            return false;
        }
        let both = cut.piece(&mut self.theory.exprs, chain, edge);
        let rule = Rule::Through {
            parts: ends.in_turn([chain, edge]),
            between: ends.in_turn([chain, between]),
        };
        self.step(vec![Claim::Within(both, order)], rule, false);
        true
    }

    /// Shows that an edge is within a relation whose cut end is at fences.
    fn contained(&mut self, edge: TheoryExprId, ends: &mut Ends) -> Option<TheoryExprId> {
        if let Some(bound) = self.contained_in_turn(edge, ends, |ends| &ends.at_fences) {
            return Some(bound);
        }
        self.contained_at_once(edge, &ends.at_fences)
    }

    /// Shows that an edge is within a union of candidates, looking at all of the edge at once.
    fn contained_at_once(
        &mut self,
        edge: TheoryExprId,
        candidates: &[(u8, TheoryExprId)],
    ) -> Option<TheoryExprId> {
        let container = self.container(edge, candidates)?;
        self.show_within(edge, edge, container)
    }

    /// Shows that a relation is within the container that was found for it, between the ends of an
    /// edge. Where that one contains each way as it is, this was seen already: what completes the
    /// proof asks once more, and a second search here took a sixth of the time of LLVM 23's table.
    fn show_within(
        &mut self,
        expr: TheoryExprId,
        edge: TheoryExprId,
        container: Container,
    ) -> Option<TheoryExprId> {
        let bound = self.between_ends_of(edge, container.expr);
        let claim = Claim::Within(expr, bound);
        if container.has_whole_ways {
            self.step(vec![claim], Rule::Direct, false);
        } else {
            self.show(claim).ok()?;
        }
        Some(bound)
    }

    /// Shows that an edge is within a union of candidates. Its part next to the chain, up to a
    /// closure with a bound, is put within a relation first: with two such closures at once, each
    /// member of the one would be tried with each of the other.
    fn contained_in_turn(
        &mut self,
        edge: TheoryExprId,
        ends: &mut Ends,
        candidates: fn(&Ends) -> &[(u8, TheoryExprId)],
    ) -> Option<TheoryExprId> {
        let [inner, outer] = self.beside_bounded(edge, ends.cut)?;
        let wider = self.contained_inner(inner, ends)?;
        let [parts, between] = [[inner, outer], [wider, outer]].map(|both| ends.in_turn(both));
        let lighter = self.theory.exprs.sequence(between[0], between[1]);
        let container = self.container(lighter, candidates(ends))?;
        let bound = self.show_within(lighter, edge, container)?;
        self.step(vec![Claim::Within(edge, bound)], Rule::Through { parts, between }, false);
        Some(bound)
    }

    /// Shows that the part of an edge up to a closure is within a relation. What was found is kept:
    /// many edges have the same parts.
    fn contained_inner(&mut self, inner: TheoryExprId, ends: &mut Ends) -> Option<TheoryExprId> {
        if let Some(&known) = ends.parts.get(&inner) {
            return known;
        }
        let found = self.contained_in_turn(inner, ends, |ends| &ends.anywhere);
        let found = found.or_else(|| self.contained_at_once(inner, &ends.anywhere));
        ends.parts.insert(inner, found);
        found
    }

    /// A sequence cut in two beside the closure with a bound that is next to its cut end: the part
    /// with the closure, and the rest. A closure at the very end does not count, nor one that has
    /// only sets between, since no part would be left. `None` if there is no such closure.
    fn beside_bounded(&mut self, edge: TheoryExprId, cut: Cut) -> Option<[TheoryExprId; 2]> {
        let all = self.theory.exprs.sequence_parts(edge);
        let is_set =
            |&e: &TheoryExprId| matches!(self.theory.exprs.get(e), TheoryExpr::Diagonal(_));
        let (inner, outer) = match cut {
            Cut::Behind => {
                let end = all.iter().rposition(|e| !is_set(e))?;
                let at = all[..end].iter().rposition(|&e| self.has_bounded(e))?;
                all.split_at(at + 1)
            }
            Cut::Before => {
                let first = all.iter().position(|e| !is_set(e))?;
                let at = all[first + 1..].iter().position(|&e| self.has_bounded(e))?;
                let (outer, inner) = all.split_at(first + 1 + at);
                (inner, outer)
            }
        };
        let mut sequence = |parts: &[TheoryExprId]| {
            parts.iter().copied().reduce(|a, b| self.theory.exprs.sequence(a, b))
        };
        Some([sequence(inner)?, sequence(outer)?])
    }

    pub(super) fn has_bounded(&self, e: TheoryExprId) -> bool {
        match self.theory.exprs.get(e) {
            TheoryExpr::Sequence(a, b) | TheoryExpr::Intersection(a, b) => {
                self.has_bounded(a) || self.has_bounded(b)
            }
            _ => self.theory.as_symbol(e).is_some_and(|p| self.theory.bound(p).is_some()),
        }
    }

    /// A relation between the sets that an edge begins and ends with: `[A]; r; [B]`.
    fn between_ends_of(&mut self, edge: TheoryExprId, r: TheoryExprId) -> TheoryExprId {
        let exprs = &mut self.theory.exprs;
        let all = exprs.sequence_parts(edge);
        let [first, last] = [all.first(), all.last()]
            .map(|e| e.copied().filter(|&e| matches!(exprs.get(e), TheoryExpr::Diagonal(_))));
        let whole = last.map_or(r, |set| exprs.sequence(r, set));
        first.map_or(whole, |set| exprs.sequence(set, whole))
    }

    /// A union of some relations that contains another one in every execution.
    fn container(
        &mut self,
        expr: TheoryExprId,
        candidates: &[(u8, TheoryExprId)],
    ) -> Option<Container> {
        let (form, events) =
            open_all(&mut self.theory, expr, EventTerm::event(0), EventTerm::event(1), 2, &[]);
        let limits = self.limits(self.reach.steps);
        let candidates = CandidateRelation::all(&mut self.theory, candidates);
        let mut search = InvariantSearch::new(&mut self.theory, Pred::EQUAL, candidates, limits);
        search.most = MOST_ROUNDS;
        let found = search.cover_all(&ClosureEntry { form, events, initial: false });
        let (items, effort, has_whole_ways) =
            (search.exprs(), search.effort, search.has_whole_ways);
        self.effort.add(effort);
        if let Err(failed) = &found {
            let why = if failed.structure.is_some() {
                "one way is in no candidate"
            } else {
                "a limit was reached"
            };
            tracing::debug!(
                "nothing contains {}: {why}, {} assignments",
                self.theory.text(expr),
                effort.rounds
            );
        }
        // An edge that is never there needs none.
        (found.is_ok() && !items.is_empty())
            .then(|| Container { expr: self.theory.exprs.union_all(items), has_whole_ways })
    }
}
