//! Instances that an assignment violates: of facts and suppositions, and of the equality of events.

use super::GroundProblem;
use super::triggers::{Violated, Which};
use margay_theorem::ground::ClauseOrigin;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Pred};

impl GroundProblem<'_> {
    /// Adds instances of clauses that the structure violates: where events are new, all, else those
    /// that the next true literal makes false.
    pub(super) fn add_violated(&mut self) -> bool {
        if self.all_asked {
            let found = self.all_violated();
            let any = !found.is_empty();
            if self.add_all(found) {
                self.all_asked = false;
                self.asked = self.mirrored.len();
            }
            if any {
                return true;
            }
        }
        let fresh = self.fresh_violated();
        if !fresh.is_empty() {
            self.add_all(fresh);
            return true;
        }
        while self.asked < self.mirrored.len() {
            let found = self.violated_by(self.mirrored[self.asked]);
            self.asked += 1;
            if !found.is_empty() {
                self.add_all(found);
                return true;
            }
        }
        false
    }

    /// Adds what an assignment violates that violates nothing else.
    pub(super) fn add_last(&mut self) -> bool {
        let found = self.last_violated();
        let any = !found.is_empty();
        self.add_all(found);
        any
    }

    /// Adds instances, until a decision is taken back: the others may not be violated any more, and
    /// if they are, the literal that made them so will be asked again. Were all added?
    fn add_all(&mut self, found: Vec<Violated>) -> bool {
        let depth = self.solver.depth();
        for (which, at) in found {
            self.instance_of(which, &at);
            if self.solver.depth() < depth || self.solver.is_refuted() {
                return false;
            }
        }
        true
    }

    fn instance_of(&mut self, which: Which, at: &[EventTerm]) {
        if !self.seen.insert(which, at) {
            return;
        }
        let theory = self.theory;
        match which {
            Which::Fact(i) => {
                let lits = theory.facts[i].clause.lits.iter().map(|l| l.with(at));
                self.instance(lits, || ClauseOrigin::Fact(i, at.to_vec()), None);
            }
            Which::Local(i) => {
                let guard = self.locals[i].guard;
                let lits = std::mem::take(&mut self.locals[i].clause.lits);
                self.instance(
                    lits.iter().map(|l| l.with(at)),
                    || ClauseOrigin::Supposed(i, at.to_vec()),
                    guard,
                );
                self.locals[i].clause.lits = lits;
            }
        }
    }

    /// Adds what equal events must have in common.
    pub(super) fn add_congruence(&mut self) -> bool {
        let structure = &self.structure;
        if !structure.has_equal_events() {
            return false;
        }
        let mut found = Vec::new();
        let there: Vec<(Pred, u8)> =
            self.symbols.iter().copied().filter(|(pred, _)| !structure.is_empty(*pred)).collect();
        for a in 0..structure.events() {
            for tb in events(structure.row(Pred::EQUAL, a) & !(1 << a)) {
                let (ta, b) = (EventTerm::event(a), tb.index());
                let same = EventAtom::binary(Pred::EQUAL, ta, tb);
                for &(pred, arity) in &there {
                    let mut add =
                        |has: EventAtom, lacks: EventAtom| found.push((same, [has, lacks]));
                    if arity == 1 {
                        if structure.holds(EventAtom::unary(pred, ta))
                            && !structure.holds(EventAtom::unary(pred, tb))
                        {
                            add(EventAtom::unary(pred, ta), EventAtom::unary(pred, tb));
                        }
                        continue;
                    }
                    for c in events(structure.row(pred, a) & !structure.row(pred, b)) {
                        add(EventAtom::binary(pred, ta, c), EventAtom::binary(pred, tb, c));
                    }
                    for c in events(structure.column(pred, a) & !structure.column(pred, b)) {
                        add(EventAtom::binary(pred, c, ta), EventAtom::binary(pred, c, tb));
                    }
                }
            }
        }
        let any = !found.is_empty();
        for (same, [has, lacks]) in found {
            if self.seen.insert_congruence(same, [has, lacks]) {
                let lits = [Lit::no(same), Lit::no(has), Lit::yes(lacks)];
                self.instance(lits, || ClauseOrigin::Congruence(same, [has, lacks]), None);
            }
        }
        any
    }
}

/// Bit `n` stands for event `n`.
fn events(mut word: u128) -> impl Iterator<Item = EventTerm> {
    std::iter::from_fn(move || {
        let event = (word != 0).then(|| EventTerm::event(word.trailing_zeros() as usize))?;
        word &= word - 1;
        Some(event)
    })
}
