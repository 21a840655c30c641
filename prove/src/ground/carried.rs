//! What refutes an obligation in one theory, put in the words of another one: the same symbols have
//! the same names, and facts the same clauses, in whatever order they came.

use super::settle::AtHand;
use margay_theorem::ground::{ClauseOrigin, ExistenceValue, Refutation, SupposedClause};
use margay_theorem::logic::{Clause, EventAtom, Existence, Lit, Pred};
use margay_theorem::theory::Theory;

/// What one obligation adds to a theory: symbols, by their names, clauses and existences, behind
/// those that were there.
#[derive(Debug, Clone)]
pub struct Growth {
    symbols: (usize, Vec<String>),
    facts: (usize, Vec<Clause>),
    sources: (usize, Vec<Existence>),
}

impl Growth {
    /// What a theory has that another one, from which it grew, has not.
    pub fn between(before: &Theory, grown: &Theory) -> Self {
        let (symbols, facts, sources) =
            (before.symbols.len(), before.facts.len(), before.sources.len());
        Self {
            symbols: (
                symbols,
                grown.symbols.iter().skip(symbols).map(|(_, s)| s.name.clone()).collect(),
            ),
            facts: (facts, grown.facts[facts..].iter().map(|f| f.clause.clone()).collect()),
            sources: (
                sources,
                grown.sources[sources..].iter().map(|s| s.existence.clone()).collect(),
            ),
        }
    }
}

/// From one theory to another.
pub struct Carrier<'a> {
    from: &'a Theory,
    to: &'a Theory,
    /// What stands behind the beginning of the one.
    growth: Option<&'a Growth>,
    /// For each symbol of the one that of the other.
    symbols: Vec<Option<Pred>>,
}

impl<'a> Carrier<'a> {
    /// Finds the symbols by their names. `growth`: what the one theory got for one obligation; it
    /// may have grown for others since, and what these added has the same numbers in it.
    pub fn new(from: &'a Theory, growth: Option<&'a Growth>, to: &'a Theory) -> Self {
        let (length, more) =
            growth.map_or((from.symbols.len(), &[][..]), |g| (g.symbols.0, &g.symbols.1));
        let names = from
            .symbols
            .iter()
            .take(length)
            .map(|(_, s)| s.name.as_str())
            .chain(more.iter().map(String::as_str));
        let symbols = names.map(|name| to.symbols.shown(name)).collect();
        Self { from, to, growth, symbols }
    }

    fn fact(&self, number: usize) -> &Clause {
        let added = self.growth.and_then(|g| g.facts.1.get(number.checked_sub(g.facts.0)?));
        added.unwrap_or_else(|| &self.from.facts[number].clause)
    }

    fn existence(&self, number: usize) -> &Existence {
        let added = self.growth.and_then(|g| g.sources.1.get(number.checked_sub(g.sources.0)?));
        added.unwrap_or_else(|| &self.from.sources[number].existence)
    }

    /// The values and instances of a refutation. `supposed`: what is supposed of the events in the
    /// one theory, and in the other. `None` if the other theory does not have them all.
    pub fn carried(
        &self,
        refutation: &Refutation,
        supposed: [&[SupposedClause]; 2],
    ) -> Option<AtHand> {
        let values = refutation.values.iter().map(|v| self.value(v)).collect::<Option<_>>()?;
        let instances =
            refutation.instances.iter().map(|o| self.origin(o, supposed)).collect::<Option<_>>()?;
        Some(AtHand { values, instances })
    }

    fn clause(&self, clause: &Clause) -> Option<Clause> {
        let mut lits = self.lits(&clause.lits)?;
        lits.sort_unstable_by_key(|l| (l.positive, l.atom));
        Some(Clause { lits, ..clause.clone() })
    }

    fn atom(&self, atom: EventAtom) -> Option<EventAtom> {
        Some(EventAtom { pred: self.symbols[atom.pred.index()]?, ..atom })
    }

    fn lits(&self, lits: &[Lit]) -> Option<Vec<Lit>> {
        lits.iter().map(|l| Some(Lit { atom: self.atom(l.atom)?, ..*l })).collect()
    }

    fn value(&self, value: &ExistenceValue) -> Option<ExistenceValue> {
        let own = self.existence(value.source);
        let cases = own.cases.iter().map(|case| self.lits(case)).collect::<Option<_>>()?;
        let existence = Existence { guard: self.lits(&own.guard)?, cases, ..own.clone() };
        let source = self.to.sources.iter().position(|s| s.existence == existence)?;
        Some(ExistenceValue { source, ..value.clone() })
    }

    fn origin(
        &self,
        origin: &ClauseOrigin,
        [before, now]: [&[SupposedClause]; 2],
    ) -> Option<ClauseOrigin> {
        Some(match origin {
            ClauseOrigin::Fact(number, at) => {
                let own = self.clause(self.fact(*number))?;
                ClauseOrigin::Fact(self.to.fact(&own)?, at.clone())
            }
            ClauseOrigin::Supposed(number, at) => {
                let own = self.clause(&before.get(*number)?.clause)?;
                ClauseOrigin::Supposed(now.iter().position(|s| s.clause == own)?, at.clone())
            }
            ClauseOrigin::Congruence(equality, [has, lacks]) => ClauseOrigin::Congruence(
                self.atom(*equality)?,
                [self.atom(*has)?, self.atom(*lacks)?],
            ),
            other @ (ClauseOrigin::Question(_) | ClauseOrigin::Value(..)) => other.clone(),
        })
    }
}
