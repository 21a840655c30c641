//! `acyclic r`. The edges of r are split in two kinds: A, whose closure has an invariant without a
//! loop, and B, which a strict order S contains even behind any number of A edges. A cycle without
//! B would be a loop of A's closure; any other, cut behind each B edge, is a cycle of S.

use super::between::{Beside, Ends};
use super::candidate::{self, chains};
use super::finder::{Finder, Missing};
use margay_theorem::argument::{Claim, Cut, Property, Rule, edges_by_halves};
use margay_theorem::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::Theory;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// A strict order, and the edges of a relation: those outside of it and those within.
struct OrderSplit {
    order: TheoryExprId,
    first: Vec<TheoryExprId>,
    second: Vec<TheoryExprId>,
    /// How much is outside.
    cost: usize,
}

/// What an edge outside of an order costs. One that is in it but for the steps between the halves
/// of an operation costs less than one of which nothing is: an order of fences contains no step
/// between halves, and is the right one all the same.
const WHOLE: usize = 2;
const PARTLY: usize = 1;

/// Happens-before on Power, where synchronisation has many ends, has 73 members; elsewhere it has
/// at most 52.
const MANY_MEMBERS: usize = 64;

/// As many orders are tried for one relation.
const ATTEMPTS: usize = 4;

impl Finder {
    /// Is a relation a strict order? Then that becomes a step.
    pub(super) fn strict_order(&mut self, order: TheoryExprId) -> bool {
        let twice = self.theory.exprs.sequence(order, order);
        let claims = [Claim::Irreflexive(order), Claim::Within(twice, order)];
        let most = usize::from(self.theory.as_symbol(order).is_none());
        if !claims.iter().all(|c| self.holds(c, most, most)) {
            return false;
        }
        for claim in claims {
            self.step(vec![claim], Rule::Direct, false);
        }
        true
    }

    /// The orders that S may be: strict orders among the relations, and the same between the fences
    /// of operations.
    pub(super) fn strict_orders(
        &mut self,
        relations: &[Pred],
        places: &[Pred],
    ) -> Vec<TheoryExprId> {
        let mut found = Vec::new();
        for &relation in relations {
            let order = self.theory.exprs.symbol(relation);
            self.theory.explain(relation);
            if !self.strict_order(order) {
                continue;
            }
            found.push(order);
            self.pull(order, places, &mut found);
        }
        found
    }

    /// Adds a strict order between the fences of operations, for each place where they may have
    /// one.
    pub(super) fn pull(
        &mut self,
        order: TheoryExprId,
        places: &[Pred],
        found: &mut Vec<TheoryExprId>,
    ) {
        for &place in places {
            let pulled = between_fences(&mut self.theory, order, place);
            if self.strict_order(pulled) {
                found.push(pulled);
                if self.is_behind(place) {
                    self.orders_behind.insert(pulled);
                }
            }
        }
    }

    /// Is what is at a place of operations behind them in program order?
    fn is_behind(&mut self, place: Pred) -> bool {
        let Some(po) = self.theory.symbols.po() else { return false };
        let [place, po] = [place, po].map(|p| self.theory.exprs.symbol(p));
        self.holds(&Claim::Within(place, po), 0, 0)
    }

    /// Does what is known of closures say that a relation has no cycle? Its closure is one of
    /// those, or within one.
    pub(super) fn acyclic_by_closure(&mut self, r: TheoryExprId, relations: &[Pred]) -> bool {
        let chain = self.theory.closure_name(r);
        let claim = Claim::Irreflexive(self.theory.exprs.symbol(chain));
        if !self.holds(&claim, 0, 0) && !self.within_closure(chain, &claim, relations) {
            return false;
        }
        self.acyclic_since(r, claim);
        true
    }

    /// Notes that a relation has no cycle, since its closure has no loop, as a claim says that
    /// holds.
    pub(super) fn acyclic_since(&mut self, r: TheoryExprId, no_loop: Claim) {
        self.step(vec![no_loop], Rule::Direct, false);
        self.step(
            vec![Claim::Acyclic(r)],
            Rule::Orders { cut: Cut::Behind, order: None, first: vec![r], second: Vec::new() },
            true,
        );
    }

    /// Is a closure within others, and without a loop for that? The named ones are tried first,
    /// then those of axioms, which have no name: that `a | b` has no cycle is supposed of
    /// `(a | b)+`.
    fn within_closure(&mut self, chain: Pred, claim: &Claim, relations: &[Pred]) -> bool {
        let is_closure = |theory: &Theory, p: Pred| {
            p != chain && matches!(theory.symbols.get(p).meaning, Meaning::Closure(_))
        };
        let named: Vec<Pred> =
            relations.iter().copied().filter(|&p| is_closure(&self.theory, p)).collect();
        if self.within(chain, &named) {
            return self.holds(claim, 0, 2);
        }
        let symbols = self.theory.symbols.iter().map(|(p, _)| p);
        let mut others: Vec<Pred> =
            symbols.filter(|p| is_closure(&self.theory, *p) && !named.contains(p)).collect();
        others.retain(|&p| {
            let own = self.theory.exprs.symbol(p);
            self.theory.explain(p);
            self.holds(&Claim::Irreflexive(own), 0, 0)
        });
        self.within(chain, &others) && self.holds(claim, 0, 2)
    }

    fn within(&mut self, closure: Pred, relations: &[Pred]) -> bool {
        let whole: Vec<TheoryExprId> =
            relations.iter().map(|&p| self.theory.exprs.symbol(p)).collect();
        let initial = whole
            .iter()
            .filter_map(|&e| candidate::initial(&mut self.theory, e))
            .collect::<Vec<_>>();
        let candidates: Vec<(u8, TheoryExprId)> =
            whole.into_iter().chain(initial).map(|e| (0, e)).collect();
        self.bounded(closure, &candidates).is_ok()
    }

    /// Proves that a relation has no cycle. The order with the fewest edges outside of it is tried
    /// first; where it leads nowhere, the next.
    ///
    /// # Errors
    /// What was missing in the first attempt.
    pub(super) fn acyclic(
        &mut self,
        r: TheoryExprId,
        orders: &[TheoryExprId],
        candidates: &[Vec<(u8, TheoryExprId)>; 2],
        ends: &mut [Ends; 2],
    ) -> Result<(), Missing> {
        let edges = edges_by_halves(&mut self.theory, r);
        let mut left = orders.to_vec();
        let mut known = FxHashMap::default();
        let mut missing = None;
        let mut attempts = 0;
        // Of a chain that has a loop nothing more is learned with another order.
        let mut hopeless: Vec<Vec<TheoryExprId>> = Vec::new();
        while attempts < ATTEMPTS {
            let Some(OrderSplit { order, first, second, .. }) =
                self.best_split(&edges, &left, &mut known)
            else {
                break;
            };
            left.retain(|&o| o != order);
            if hopeless.contains(&first) {
                continue;
            }
            attempts += 1;
            tracing::debug!("{} edges outside of {}", first.len(), self.theory.text(order));
            let failed = match self.chain(&first, candidates) {
                Ok(chain) => match self.by_orders(r, order, chain, first, second, ends) {
                    Ok(()) => return Ok(()),
                    Err(what) => what,
                },
                Err(what) => {
                    hopeless.push(first);
                    what
                }
            };
            missing = missing.or(Some(failed));
        }
        Err(missing.unwrap_or(Missing::Order(r)))
    }

    /// The order that the fewest edges are outside of, with these and those within. `known`: which
    /// edges are known to be within which order.
    fn best_split(
        &mut self,
        edges: &[(TheoryExprId, Vec<TheoryExprId>)],
        orders: &[TheoryExprId],
        known: &mut FxHashMap<(TheoryExprId, TheoryExprId), bool>,
    ) -> Option<OrderSplit> {
        let mut best: Option<OrderSplit> = None;
        // Edges that are outside of most orders are looked at first: an order that is no better
        // than another is given up sooner.
        let mut outside = vec![0usize; edges.len()];
        for &order in orders {
            let mut within = |finder: &mut Self, edge: TheoryExprId| {
                *known.entry((edge, order)).or_insert_with(|| finder.is_within(edge, order))
            };
            let mut turns: Vec<usize> = (0..edges.len()).collect();
            turns.sort_by_key(|&at| std::cmp::Reverse(outside[at]));
            let (mut first, mut second, mut cost) = (Vec::new(), Vec::new(), 0);
            for at in turns {
                let (edge, parts) = &edges[at];
                if within(self, *edge) {
                    second.push((at, *edge));
                    continue;
                }
                outside[at] += 1;
                // The two halves of an operation have the same fences: steps between them are told
                // from others.
                let inside: Vec<bool> = if parts.len() < 2 {
                    vec![false]
                } else {
                    parts.iter().map(|&p| within(self, p)).collect()
                };
                if inside.contains(&true) {
                    for (&part, inside) in parts.iter().zip(inside) {
                        if inside { second.push((at, part)) } else { first.push((at, part)) }
                    }
                    cost += PARTLY;
                } else {
                    first.push((at, *edge));
                    cost += WHOLE;
                }
                // Another order that contains as much was there before.
                if best.as_ref().is_some_and(|b| b.cost <= cost) {
                    break;
                }
            }
            if !second.is_empty() && best.as_ref().is_none_or(|b| cost < b.cost) {
                let in_turn = |mut edges: Vec<(usize, TheoryExprId)>| {
                    edges.sort_by_key(|e| e.0);
                    edges.into_iter().map(|e| e.1).collect()
                };
                best = Some(OrderSplit {
                    order,
                    first: in_turn(first),
                    second: in_turn(second),
                    cost,
                });
            }
            if best.as_ref().is_some_and(|b| b.first.is_empty()) {
                break;
            }
        }
        best
    }

    fn is_within(&mut self, edge: TheoryExprId, order: TheoryExprId) -> bool {
        let (begin, before) = (Instant::now(), self.effort);
        let within = self.holds(&Claim::Within(edge, order), 1, 1);
        let (seconds, rounds) = (begin.elapsed().as_secs_f64(), self.effort.rounds - before.rounds);
        let texts = [edge, order].map(|e| self.theory.text(e));
        tracing::debug!(
            "{} in {}: {within}, {seconds:.2} s, {rounds} assignments",
            texts[0],
            texts[1]
        );
        within
    }

    /// An edge that contains another one, has the same ends, and fewer parts: where steps between
    /// are happens-before, so is all.
    fn wider_edge(
        &mut self,
        edge: TheoryExprId,
        shorter: &[(usize, TheoryExprId)],
    ) -> Option<TheoryExprId> {
        let parts = self.theory.exprs.sequence_parts(edge);
        let ends = |parts: &[TheoryExprId]| [parts.first().copied(), parts.last().copied()];
        let inner = |parts: &[TheoryExprId]| {
            parts.get(1..parts.len().saturating_sub(1)).map(<[_]>::to_vec).unwrap_or_default()
        };
        shorter.iter().map(|s| s.1).find(|&other| {
            let others = self.theory.exprs.sequence_parts(other);
            let is_closure = |e: &TheoryExprId| self.has_closure(*e);
            others.len() < parts.len()
                && ends(&others) == ends(&parts)
                && inner(&others).len() == 1
                && inner(&others).iter().all(is_closure)
                && self.holds(&Claim::Within(edge, other), 0, 0)
        })
    }

    fn has_closure(&self, e: TheoryExprId) -> bool {
        self.theory
            .as_symbol(e)
            .is_some_and(|p| matches!(self.theory.symbols.get(p).meaning, Meaning::Closure(_)))
    }

    /// The closure of the edges outside of an order, which has no loop; `None` if there are none.
    fn chain(
        &mut self,
        first: &[TheoryExprId],
        candidates: &[Vec<(u8, TheoryExprId)>; 2],
    ) -> Result<Option<TheoryExprId>, Missing> {
        if first.is_empty() {
            return Ok(None);
        }
        let union = self.theory.exprs.union_all(first.iter().copied());
        let chain = self.theory.closure_name(union);
        let [closures, with_fences_behind] = candidates;
        if let Err(none) = self.bounded(chain, closures) {
            // Without closures in the source the chain is what communication is: an edge, or two.
            // With closures there are dozens of edges and thousands of pairs of them, none of which
            // has led to a proof yet: where a proof fails, half a minute went into looking at them.
            let mut others = if with_fences_behind.is_empty() {
                chains(&mut self.theory, first)
            } else {
                [closures.clone(), with_fences_behind.clone()].concat()
            };
            others.sort_by_key(|f| f.0);
            if self.bounded_by(chain, &others).is_err() {
                return Err(none);
            }
        }
        let chain = self.theory.exprs.symbol(chain);
        self.show(Claim::Irreflexive(chain))?;
        Ok(Some(chain))
    }

    fn by_orders(
        &mut self,
        r: TheoryExprId,
        order: TheoryExprId,
        chain: Option<TheoryExprId>,
        first: Vec<TheoryExprId>,
        second: Vec<TheoryExprId>,
        ends: &mut [Ends; 2],
    ) -> Result<(), Missing> {
        for &edge in &second {
            self.step(vec![Claim::Within(edge, order)], Rule::Direct, false);
        }
        if let Some(chain) = chain {
            // Fences before operations are reached by what leads there: a cycle is cut behind such
            // an edge. What leads away from operations leads away from the fences behind them: a
            // cycle is cut before it.
            let mut missing = None;
            for (cut, ends) in Cut::ALL.into_iter().zip(ends) {
                if cut == Cut::Before && !self.begins_behind(order) {
                    break;
                }
                match self.beside_chain(cut, chain, &second, order, ends) {
                    Ok(()) => {
                        self.step(
                            vec![Claim::Acyclic(r)],
                            Rule::Orders { cut, order: Some(order), first, second },
                            true,
                        );
                        return Ok(());
                    }
                    Err(what) => missing = missing.or(Some(what)),
                }
            }
            return Err(missing.unwrap_or(Missing::Order(r)));
        }
        self.step(
            vec![Claim::Acyclic(r)],
            Rule::Orders { cut: Cut::Behind, order: Some(order), first, second },
            true,
        );
        Ok(())
    }

    /// Shows that each edge of the second kind with a chain on one side of it is within an order.
    fn beside_chain(
        &mut self,
        cut: Cut,
        chain: TheoryExprId,
        second: &[TheoryExprId],
        order: TheoryExprId,
        ends: &mut Ends,
    ) -> Result<(), Missing> {
        // Those that may contain others come first.
        let mut turns: Vec<(usize, TheoryExprId)> =
            second.iter().map(|&e| (self.theory.exprs.sequence_parts(e).len(), e)).collect();
        turns.sort_by_key(|t| t.0);
        for (at, &(_, edge)) in turns.iter().enumerate() {
            let begin = Instant::now();
            let both = cut.piece(&mut self.theory.exprs, chain, edge);
            if let Some(wider) = self.wider_edge(edge, &turns[..at]) {
                let rule = match cut {
                    Cut::Behind => Rule::Through { parts: [chain, edge], between: [chain, wider] },
                    Cut::Before => Rule::Through { parts: [edge, chain], between: [wider, chain] },
                };
                self.step(vec![Claim::Within(edge, wider)], Rule::Direct, false);
                self.step(vec![Claim::Within(both, order)], rule, false);
            } else if !self.by_container(chain, edge, order, ends)
                && !self.by_absorbing(cut, chain, edge, order, true)
            {
                self.show(Claim::Within(both, order)).or_else(|failed| {
                    let is_shown = self.by_bound(cut, chain, edge, order)
                        || self.by_absorbing(cut, chain, edge, order, false);
                    if is_shown { Ok(()) } else { Err(failed) }
                })?;
            }
            tracing::debug!(
                "beside the chain: {}, {:.2} s",
                self.theory.text(edge),
                begin.elapsed().as_secs_f64()
            );
        }
        Ok(())
    }

    /// Shows that an edge beside a chain is within an order by what the chain is within. A bound
    /// that has no event of its own is not opened with the chain: what is in it stands further away
    /// than what is asked about.
    fn by_bound(
        &mut self,
        cut: Cut,
        chain: TheoryExprId,
        edge: TheoryExprId,
        order: TheoryExprId,
    ) -> bool {
        let Some(of) = self.theory.as_symbol(chain) else { return false };
        let bound = self.steps.iter().flat_map(|step| &step.claims).find_map(|claim| match claim {
            Claim::Pairs { of: own, property: Property::Within(bound) } if *own == of => {
                Some(*bound)
            }
            _ => None,
        });
        let Some(bound) = bound.filter(|_| self.theory.bound(of).is_none()) else { return false };
        let [both, wider] =
            [chain, bound].map(|part| cut.piece(&mut self.theory.exprs, part, edge));
        if self.show(Claim::Within(wider, order)).is_err() {
            return false;
        }
        self.step(vec![Claim::Within(chain, bound)], Rule::Direct, false);
        let rule = match cut {
            Cut::Behind => Rule::Through { parts: [chain, edge], between: [bound, edge] },
            Cut::Before => Rule::Through { parts: [edge, chain], between: [edge, bound] },
        };
        self.step(vec![Claim::Within(both, order)], rule, false);
        true
    }

    /// Shows that an edge beside a chain is within an order where the edge joins the chain by steps
    /// of a closure: `sb; hb` is `hb`, and so is `sb; hb; sb; hb`. What is known of the closure's
    /// pairs then says of the first event where it goes on. `at_once`: where to ask about the edge
    /// as it is would take long, since the closure is within many members, or the step is of a
    /// closure as well, `hb & loc; hb`.
    fn by_absorbing(
        &mut self,
        cut: Cut,
        chain: TheoryExprId,
        edge: TheoryExprId,
        order: TheoryExprId,
        at_once: bool,
    ) -> bool {
        let in_turn = |mut parts: Vec<TheoryExprId>| {
            if cut == Cut::Before {
                parts.reverse();
            }
            parts
        };
        let mut parts = in_turn(self.theory.exprs.sequence_parts(edge));
        let is_step =
            |e: &TheoryExprId| !matches!(self.theory.exprs.get(*e), TheoryExpr::Diagonal(_));
        let Some(first) = parts.iter().position(is_step) else { return false };
        let Some(&closure) = parts.get(first + 1) else { return false };
        let Some(bound) = self.theory.as_symbol(closure).and_then(|p| self.theory.bound(p)) else {
            return false;
        };
        let is_wide = self.theory.exprs.union_parts(bound).len() > MANY_MEMBERS
            || self.has_bounded(parts[first]);
        if is_wide != at_once {
            return false;
        }
        let others = parts[first..].to_vec();
        let steps = others
            .iter()
            .take_while(|&&part| self.holds(&Claim::Within(part, closure), 0, 0))
            .count();
        let Some(last) =
            others[..steps].iter().rposition(|&part| part == closure).filter(|&last| last > 0)
        else {
            return false;
        };
        parts.splice(first..=first + last, [closure]);
        let parts = in_turn(parts);
        let Some(wider) =
            parts.into_iter().rev().reduce(|rest, part| self.theory.exprs.sequence(part, rest))
        else {
            return false;
        };
        let [both, longer] = [edge, wider].map(|e| cut.piece(&mut self.theory.exprs, chain, e));
        if self.show(Claim::Within(longer, order)).is_err()
            || self.show(Claim::Within(edge, wider)).is_err()
        {
            return false;
        }
        let rule = match cut {
            Cut::Behind => Rule::Through { parts: [chain, edge], between: [chain, wider] },
            Cut::Before => Rule::Through { parts: [edge, chain], between: [wider, chain] },
        };
        self.step(vec![Claim::Within(both, order)], rule, false);
        true
    }

    /// Does what is in an order begin at events that are behind those of its pairs, as at the
    /// fences behind operations? Known of the orders of [`Finder::strict_orders`].
    fn begins_behind(&self, order: TheoryExprId) -> bool {
        self.orders_behind.contains(&order)
    }
}

/// An order between the fences at a place of operations, or between fences.
fn between_fences(theory: &mut Theory, order: TheoryExprId, place: Pred) -> TheoryExprId {
    let rmw = theory.symbols.rmw().expect("every signature has it");
    let rmw = theory.exprs.symbol(rmw);
    let Beside { to, back } = Beside::new(&mut theory.exprs, place, rmw);
    let identity = theory.exprs.identity();
    let [to, back] = [to, back].map(|e| theory.exprs.union_all(std::iter::once(identity).chain(e)));
    let pulled = theory.exprs.sequence(order, back);
    theory.exprs.sequence(to, pulled)
}
