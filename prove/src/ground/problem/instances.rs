//! Instances that an assignment violates: of facts and suppositions, and of the equality of events.

use margay_solver::Literal;

use super::{AT_ONCE, Problem};
use crate::ground::clauses::Origin;
use crate::ground::search::violations;
use crate::ground::structure::Structure;
use crate::logic::{Atom, Clause, Lit, Pred, Term};

impl Problem<'_> {
    pub(super) fn structure(&self) -> Structure {
        let mut structure = Structure::new(self.theory.symbols.len(), self.events());
        for &(atom, literal) in &self.atoms {
            if self.session.holds(literal) {
                structure.insert(atom);
            }
        }
        structure
    }

    /// Adds instances of clauses that the structure violates.
    pub(super) fn add_violated(&mut self, structure: &Structure) -> bool {
        let theory = self.theory;
        let mut found: Vec<(Vec<Lit>, Origin, Option<Literal>)> = Vec::new();
        let mut collect = |clause: &Clause, guard: Option<Literal>, origin: &dyn Fn(Vec<Term>) -> Origin| {
            let mut left = AT_ONCE;
            violations(structure, clause, &mut |values| {
                let lits = clause.lits.iter().map(|l| l.with(values)).collect();
                found.push((lits, origin(values.to_vec()), guard));
                left -= 1;
                left > 0
            });
        };
        for premised in &self.active.0 {
            if premised.premises.iter().any(|&p| structure.is_empty(p)) {
                continue;
            }
            let i = premised.fact;
            collect(&theory.facts[i].clause, None, &|values| Origin::Fact(i, values));
        }
        for (i, local) in self.locals.iter().enumerate() {
            if local.guard.is_none_or(|g| self.session.holds(g)) {
                collect(&local.clause, local.guard, &|values| Origin::Supposed(i, values));
            }
        }
        let any = !found.is_empty();
        for (lits, origin, guard) in found {
            self.instance(lits, origin, guard);
        }
        any
    }

    /// Adds what equal events must have in common.
    pub(super) fn add_congruence(&mut self, structure: &Structure) -> bool {
        let mut found = Vec::new();
        for a in 0..structure.events() {
            let equal = structure.row(Pred::EQUAL, a) & !(1 << a);
            for b in (0..structure.events()).filter(|b| equal >> b & 1 == 1) {
                let same = Atom::binary(Pred::EQUAL, Term::event(a), Term::event(b));
                for (pred, symbol) in self.theory.symbols.iter() {
                    let mut add = |has: Atom, lacks: Atom| {
                        found.push((vec![Lit::no(same), Lit::no(has), Lit::yes(lacks)], Origin::Congruence(same, [has, lacks])));
                    };
                    let (ta, tb) = (Term::event(a), Term::event(b));
                    if symbol.arity == 1 {
                        if structure.holds(Atom::unary(pred, ta)) && !structure.holds(Atom::unary(pred, tb)) {
                            add(Atom::unary(pred, ta), Atom::unary(pred, tb));
                        }
                        continue;
                    }
                    let rows = structure.row(pred, a) & !structure.row(pred, b);
                    let columns = structure.column(pred, a) & !structure.column(pred, b);
                    for c in (0..structure.events()).map(Term::event) {
                        if rows >> c.index() & 1 == 1 {
                            add(Atom::binary(pred, ta, c), Atom::binary(pred, tb, c));
                        }
                        if columns >> c.index() & 1 == 1 {
                            add(Atom::binary(pred, c, ta), Atom::binary(pred, c, tb));
                        }
                    }
                }
            }
        }
        let any = !found.is_empty();
        for (lits, origin) in found {
            self.instance(lits, origin, None);
        }
        any
    }
}
