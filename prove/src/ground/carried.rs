//! What refutes an obligation in one theory, put in the words of another one: the same symbols have the same names, and facts the same clauses, in
//! whatever order they came.

use super::settle::AtHand;
use margay_theorem::ground::{Origin, Refutation, Supposition, Value};
use margay_theorem::logic::{Atom, Clause, Existence, Lit, Pred};
use margay_theorem::theory::Theory;

/// From one theory to another.
pub struct Carrier<'a> {
    from: &'a Theory,
    to: &'a Theory,
    /// For each symbol of the one that of the other.
    symbols: Vec<Option<Pred>>,
}

impl<'a> Carrier<'a> {
    /// Finds the symbols by their names.
    pub fn new(from: &'a Theory, to: &'a Theory) -> Self {
        let symbols = from.symbols.iter().map(|(_, s)| to.symbols.named(&s.name)).collect();
        Self { from, to, symbols }
    }

    /// The values and instances of a refutation. `supposed`: what is supposed of the events in the one theory, and in the other. `None` if the
    /// other theory does not have them all.
    pub fn carried(&self, refutation: &Refutation, supposed: [&[Supposition]; 2]) -> Option<AtHand> {
        let values = refutation.values.iter().map(|v| self.value(v)).collect::<Option<_>>()?;
        let instances = refutation.instances.iter().map(|o| self.origin(o, supposed)).collect::<Option<_>>()?;
        Some(AtHand { values, instances })
    }

    fn clause(&self, clause: &Clause) -> Option<Clause> {
        let mut lits = self.lits(&clause.lits)?;
        lits.sort_unstable_by_key(|l| (l.positive, l.atom));
        Some(Clause { lits, ..clause.clone() })
    }

    fn atom(&self, atom: Atom) -> Option<Atom> {
        Some(Atom { pred: self.symbols[atom.pred.index()]?, ..atom })
    }

    fn lits(&self, lits: &[Lit]) -> Option<Vec<Lit>> {
        lits.iter().map(|l| Some(Lit { atom: self.atom(l.atom)?, ..*l })).collect()
    }

    fn value(&self, value: &Value) -> Option<Value> {
        let own = &self.from.sources[value.source].existence;
        let cases = own.cases.iter().map(|case| self.lits(case)).collect::<Option<_>>()?;
        let existence = Existence { guard: self.lits(&own.guard)?, cases, ..own.clone() };
        let source = self.to.sources.iter().position(|s| s.existence == existence)?;
        Some(Value { source, ..value.clone() })
    }

    fn origin(&self, origin: &Origin, [before, now]: [&[Supposition]; 2]) -> Option<Origin> {
        Some(match origin {
            Origin::Fact(number, at) => {
                let own = self.clause(&self.from.facts[*number].clause)?;
                Origin::Fact(self.to.fact(&own)?, at.clone())
            }
            Origin::Supposed(number, at) => {
                let own = self.clause(&before.get(*number)?.clause)?;
                Origin::Supposed(now.iter().position(|s| s.clause == own)?, at.clone())
            }
            Origin::Congruence(equality, [has, lacks]) => {
                Origin::Congruence(self.atom(*equality)?, [self.atom(*has)?, self.atom(*lacks)?])
            }
            other @ (Origin::Question(_) | Origin::Value(..)) => other.clone(),
        })
    }
}
