//! Instances that an assignment violates: of facts and suppositions, and of the equality of events.

use super::GroundProblem;
use super::triggers::Violated;
use margay_theorem::ground::ClauseOrigin;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Pred};

impl GroundProblem<'_> {
    /// Adds instances of clauses that the structure violates: where events are new, all, else those that the next true literal makes
    /// false.
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

    /// Adds instances, until a decision is taken back: the others may not be violated any more, and if they are, the literal that made
    /// them so will be asked again. Were all added?
    fn add_all(&mut self, found: Vec<Violated>) -> bool {
        let depth = self.solver.depth();
        for (lits, origin, guard) in found {
            self.instance(&lits, origin, guard);
            if self.solver.depth() < depth || self.solver.is_refuted() {
                return false;
            }
        }
        true
    }

    /// Adds what equal events must have in common.
    pub(super) fn add_congruence(&mut self) -> bool {
        let structure = &self.structure;
        if !structure.has_equal_events() {
            return false;
        }
        let mut found = Vec::new();
        for a in 0..structure.events() {
            let equal = structure.row(Pred::EQUAL, a) & !(1 << a);
            for b in (0..structure.events()).filter(|b| equal >> b & 1 == 1) {
                let same = EventAtom::binary(Pred::EQUAL, EventTerm::event(a), EventTerm::event(b));
                for (pred, symbol) in self.theory.symbols.iter().filter(|(p, _)| !structure.is_empty(*p)) {
                    let mut add = |has: EventAtom, lacks: EventAtom| {
                        found.push((
                            vec![Lit::no(same), Lit::no(has), Lit::yes(lacks)],
                            ClauseOrigin::Congruence(same, [has, lacks]),
                        ));
                    };
                    let (ta, tb) = (EventTerm::event(a), EventTerm::event(b));
                    if symbol.arity == 1 {
                        if structure.holds(EventAtom::unary(pred, ta)) && !structure.holds(EventAtom::unary(pred, tb)) {
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
        for (lits, origin) in found {
            self.instance(&lits, origin, None);
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
