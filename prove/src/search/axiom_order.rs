//! Orders of sequential consistency that are closures of axioms of the target: a fence stands
//! behind what is before it in its thread and before what is behind it, and a write that is
//! overwritten may stand before what overwrites it.

use super::around::between;
use super::candidate;
use super::finder::{Finder, Missing};
use margay_theorem::argument::edges;
use margay_theorem::argument::{Claim, Cut};
use margay_theorem::argument::{Property, X, Y, Z};
use margay_theorem::logic::{EventAtom, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::{Theory, TheoryVocabulary};

impl Finder {
    /// The orders that the closures of axioms are, with fences among what they order. Which fences:
    /// those that a relation of the source begins or ends at.
    pub(super) fn orders_around(&mut self, r: TheoryExprId) -> Vec<TheoryExprId> {
        let fences = fences(&mut self.theory, r);
        let mut found = Vec::new();
        for closure in self.closures_of_axioms() {
            let overwritten = self.behind_overwritten(closure);
            let whole = self.theory.exprs.symbol(closure);
            found.push(whole);
            for &set in &fences {
                for overwritten in [None, overwritten] {
                    found.extend(with_fences(&mut self.theory, whole, set, overwritten));
                }
            }
        }
        found.dedup();
        found.retain(|&order| self.strict_order(order));
        found
    }

    /// The same orders with each read half of an operation where its write half is: a read may be
    /// made before what its write waits for.
    fn orders_at_writes(&mut self, orders: &[TheoryExprId]) -> Vec<TheoryExprId> {
        let mut found: Vec<TheoryExprId> =
            orders.iter().filter_map(|&order| at_writes(&mut self.theory, order)).collect();
        found.retain(|&order| self.strict_order(order));
        found
    }

    /// The orders of the fences that the steps of an axiom's closure go through: a cycle of steps,
    /// each cut at its fence, is a cycle of what lies between two fences.
    fn orders_through_fences(&mut self, places: &[Pred]) -> Vec<TheoryExprId> {
        let mut found = Vec::new();
        for closure in self.closures_of_axioms() {
            for order in through_fences(&mut self.theory, closure) {
                let is_strict = self.strict_order(order);
                tracing::debug!("{}: {is_strict}", self.theory.text(order));
                if is_strict {
                    found.push(order);
                    self.pull(order, places, &mut found);
                }
            }
        }
        found
    }

    /// The sets of writes of which is known: what a closure has before one of them, it has before
    /// all writes that overwrite this one. They are lemmas by induction.
    fn behind_overwritten(&mut self, closure: Pred) -> Option<TheoryExprId> {
        let own = self.theory.exprs.symbol(closure);
        let co = self.theory.symbols.co()?;
        let sets = TheoryVocabulary::of(&self.theory, [own]).sets;
        let property = |set: Pred| {
            let lits = [
                Lit::no(EventAtom::unary(set, Y)),
                Lit::no(EventAtom::binary(co, Y, Z)),
                Lit::yes(EventAtom::binary(closure, X, Z)),
            ];
            Property::Clause(lits.to_vec())
        };
        self.guess(&[closure], sets.iter().map(|&set| (closure, property(set))).collect(), 0);
        let known = |set: &&Pred| {
            let claim = Claim::Pairs { of: closure, property: property(**set) };
            self.steps.iter().any(|step| step.claims.contains(&claim))
        };
        let sets: Vec<Pred> = sets.iter().filter(known).copied().collect();
        let sets: Vec<TheoryExprId> =
            sets.into_iter().map(|set| self.theory.exprs.symbol(set)).collect();
        (!sets.is_empty()).then(|| self.theory.exprs.union_all(sets))
    }

    /// Proves that a relation has no cycle by orders of the target: by the closures of its axioms,
    /// where it has no names for closures, and by relations that it has names for.
    ///
    /// # Errors
    /// What was missing in the first attempt.
    pub(super) fn acyclic_by_orders(
        &mut self,
        r: TheoryExprId,
        relations: &[Pred],
        places: &[Pred],
        candidates: &[Vec<(u8, TheoryExprId)>; 2],
    ) -> Result<(), Missing> {
        // Where no operation makes an edge there is no order to look for.
        if edges(&mut self.theory, r).is_empty() && self.acyclic_by_closure(r, relations) {
            return Ok(());
        }
        let mut missing = Vec::new();
        let mut ends = Cut::ALL.map(|cut| self.ends(cut, relations, places));
        if !self.names_closures(relations) {
            let orders = self.orders_around(r);
            match self.acyclic(r, &orders, candidates, &mut ends) {
                Ok(()) => return Ok(()),
                Err(what) => missing.push(what),
            }
            let orders = self.orders_at_writes(&orders);
            if self.acyclic(r, &orders, candidates, &mut ends).is_ok() || self.acyclic_around(r) {
                return Ok(());
            }
        }
        let orders = self.orders_through_fences(places);
        match self.acyclic(r, &orders, candidates, &mut ends) {
            Ok(()) => return Ok(()),
            Err(what) if !orders.is_empty() => missing.push(what),
            Err(_) => {}
        }
        // The order of fences and those made of it are tried first, without a look at others: to
        // ask of each edge whether it is within a relation of accesses takes long (SC of libcu++ on
        // chapter 8: 74 of 621 s for base causality alone), and the proofs that are known are made
        // of fences.
        let of_fences = self.theory.symbols.sync_fence();
        let (fences, others): (Vec<Pred>, Vec<Pred>) =
            relations.iter().partition(|&&p| Some(p) == of_fences);
        for relations in [fences, others] {
            let orders = self.strict_orders(&relations, places);
            match self.acyclic(r, &orders, candidates, &mut ends) {
                Ok(()) => return Ok(()),
                Err(what) => missing.push(what),
            }
        }
        // A chain may begin at an initial write, which has no fence, where the edges are not those
        // of some operations alone. Nothing leads back to one, so that it may stand before all
        // others in any order.
        if self.begins_at_initial(r) {
            let relations: Vec<Pred> =
                relations.iter().copied().filter(|&p| Some(p) == of_fences).collect();
            let orders = self.strict_orders(&relations, places);
            let orders: Vec<TheoryExprId> =
                orders.into_iter().filter_map(|order| self.behind_initial(order)).collect();
            match self.acyclic(r, &orders, candidates, &mut ends) {
                Ok(()) => return Ok(()),
                Err(what) => missing.push(what),
            }
        }
        // That no order contains an edge says less than what was missing where one did.
        Err(missing
            .into_iter()
            .find(|what| !matches!(what, Missing::Order(_)))
            .unwrap_or(Missing::Order(r)))
    }

    /// May an edge of a relation begin at an initial write?
    fn begins_at_initial(&mut self, r: TheoryExprId) -> bool {
        let Some(own) = candidate::initial(&mut self.theory, r) else { return false };
        !self.holds(&Claim::Empty(own, false), 0, 0)
    }

    /// A strict order with each initial write before all events that are none.
    fn behind_initial(&mut self, order: TheoryExprId) -> Option<TheoryExprId> {
        let initial = candidate::from_initial(&mut self.theory)?;
        let whole = self.theory.exprs.union(order, initial);
        self.strict_order(whole).then_some(whole)
    }

    /// Does a relation have no cycle because its closure has an invariant around that of an axiom,
    /// which has no loop?
    pub(super) fn acyclic_around(&mut self, r: TheoryExprId) -> bool {
        let chain = self.theory.closure_name(r);
        let claim = Claim::Irreflexive(self.theory.exprs.symbol(chain));
        if !self.bounded_around(chain) || !self.holds(&claim, 0, 2) {
            return false;
        }
        self.acyclic_since(r, claim);
        true
    }
}

/// The sets of fences that a relation speaks of: those at the ends of its parts.
fn fences(theory: &mut Theory, r: TheoryExprId) -> Vec<TheoryExprId> {
    let Some(fences) = theory.symbols.named("F").map(|p| theory.exprs.symbol(p)) else {
        return Vec::new();
    };
    let mut sets = Vec::new();
    for edge in edges(theory, r) {
        collect_sets(theory, edge, &mut sets);
    }
    let mut found: Vec<TheoryExprId> = Vec::new();
    for set in sets {
        let own = theory.exprs.intersection(fences, set);
        if !found.contains(&own) {
            found.push(own);
        }
    }
    found
}

/// For each set of fences that steps of a closure go through, `a; po; [F]; po; b`:
/// `[F]; po; b; a; po; [F]`, with the closure between b and a or without, and program order between
/// two of them.
fn through_fences(theory: &mut Theory, closure: Pred) -> Vec<TheoryExprId> {
    let (Meaning::Closure(step), Some(po)) =
        (theory.symbols.get(closure).meaning, theory.symbols.po())
    else {
        return Vec::new();
    };
    let po = theory.exprs.symbol(po);
    let whole = theory.exprs.symbol(closure);
    let mut cuts: Vec<(TheoryExprId, [Vec<TheoryExprId>; 2])> = Vec::new();
    for edge in edges(theory, step) {
        let parts = theory.exprs.sequence_parts(edge);
        for at in 1..parts.len().saturating_sub(1) {
            let is_set = matches!(theory.exprs.get(parts[at]), TheoryExpr::Diagonal(_));
            if !is_set || parts[at - 1] != po || parts[at + 1] != po {
                continue;
            }
            let sides = [&parts[..at], &parts[at + 1..]].map(|side| {
                let identity = theory.exprs.identity();
                side.iter().rev().fold(identity, |rest, &part| theory.exprs.sequence(part, rest))
            });
            let known = cuts.iter().position(|c| c.0 == parts[at]).unwrap_or_else(|| {
                cuts.push((parts[at], [Vec::new(), Vec::new()]));
                cuts.len() - 1
            });
            for (all, side) in cuts[known].1.iter_mut().zip(sides) {
                if !all.contains(&side) {
                    all.push(side);
                }
            }
        }
    }
    let mut found = Vec::new();
    for (fence, [before, behind]) in cuts {
        let [before, behind] = [before, behind].map(|all| theory.exprs.union_all(all));
        let to = theory.exprs.sequence(before, fence);
        let from = theory.exprs.sequence(fence, behind);
        let rest = theory.exprs.sequence(whole, to);
        let rest = theory.exprs.union(to, rest);
        let between = theory.exprs.sequence(from, rest);
        let direct = theory.exprs.sequence(po, fence);
        let direct = theory.exprs.sequence(fence, direct);
        found.push(theory.exprs.union(direct, between));
    }
    found
}

/// An order in which the read half of a read-modify-write stands where its write half does.
fn at_writes(theory: &mut Theory, order: TheoryExprId) -> Option<TheoryExprId> {
    let symbols = &theory.symbols;
    let [rmw, reads, writes, fences] =
        [symbols.rmw(), symbols.reads(), symbols.writes(), symbols.fences()];
    let [rmw, reads, writes, fences] =
        [rmw?, reads?, writes?, fences?].map(|p| theory.exprs.symbol(p));
    let halves = theory.end_name(rmw, false);
    let halves = theory.exprs.symbol(halves);
    let rest = theory.exprs.make(TheoryExpr::Difference(reads, halves));
    let rest = theory.exprs.union_all([rest, writes, fences]);
    let itself = theory.exprs.make(TheoryExpr::Diagonal(rest));
    let to = theory.exprs.union(itself, rmw);
    let half = theory.exprs.make(TheoryExpr::Inverse(rmw));
    let back = theory.exprs.union(itself, half);
    let pulled = theory.exprs.sequence(order, back);
    Some(theory.exprs.sequence(to, pulled))
}

fn collect_sets(theory: &Theory, e: TheoryExprId, sets: &mut Vec<TheoryExprId>) {
    match theory.exprs.get(e) {
        TheoryExpr::Sequence(a, b) | TheoryExpr::Intersection(a, b) => {
            collect_sets(theory, a, sets);
            collect_sets(theory, b, sets);
        }
        TheoryExpr::Difference(a, _) | TheoryExpr::Inverse(a) => collect_sets(theory, a, sets),
        TheoryExpr::Diagonal(set) if !sets.contains(&set) => sets.push(set),
        _ => {}
    }
}

/// An order of accesses with some fences in it: a fence is behind what is before it in its thread,
/// and before what is behind it. `overwritten`: writes before all that is behind what overwrites
/// them.
fn with_fences(
    theory: &mut Theory,
    order: TheoryExprId,
    fences: TheoryExprId,
    overwritten: Option<TheoryExprId>,
) -> Option<TheoryExprId> {
    let symbols = &theory.symbols;
    let [po, reads, writes] = [symbols.po(), symbols.reads(), symbols.writes()];
    let [po, reads, writes] = [po?, reads?, writes?].map(|p| theory.exprs.symbol(p));
    let accesses = theory.exprs.union(reads, writes);
    let all = theory.exprs.union(accesses, fences);
    let mut inner = between(theory, Some(accesses), order, Some(accesses));
    if let Some(overwritten) = overwritten {
        let co = theory.symbols.co().map(|p| theory.exprs.symbol(p))?;
        let set = theory.exprs.intersection(writes, overwritten);
        let first = between(theory, Some(set), co, None);
        let longer = theory.exprs.sequence(first, inner);
        inner = theory.exprs.union(inner, longer);
    }
    let from_fence = between(theory, Some(fences), po, Some(all));
    let to_fence = between(theory, Some(all), po, Some(fences));
    let before = theory.exprs.sequence(from_fence, inner);
    let behind = theory.exprs.sequence(inner, to_fence);
    let both = theory.exprs.sequence(before, to_fence);
    Some(theory.exprs.union_all([inner, from_fence, to_fence, before, behind, both]))
}
