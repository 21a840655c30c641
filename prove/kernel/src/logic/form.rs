//! Formulas without quantifiers, in negation normal form, and their clauses.

use super::clause::{EventTerm, Lit};
use super::symbol::Pred;

/// The most clauses, or cases, that a formula may have to be taken apart into them: there may be
/// twice as many of each with every "and" or "or" more. With 4,096 the invariant of happens-before
/// is not found for libcu++'s table on PTX 6.0: what it needs to be opened stays a symbol.
pub const MOST_DISTRIBUTED: u64 = 16_384;

/// How many clauses a formula has, and how many cases, before contradictions and repetitions are
/// left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormSize {
    /// Clauses that together are the formula.
    pub clauses: u64,
    /// Conjunctions of which one holds.
    pub cases: u64,
}

impl FormSize {
    /// Are these more than are made?
    pub fn is_large(self) -> bool {
        self.clauses.max(self.cases) > MOST_DISTRIBUTED
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TheoryFormula {
    /// True or false.
    Const(bool),
    /// A literal.
    Lit(Lit),
    /// All of them.
    And(Vec<TheoryFormula>),
    /// At least one of them.
    Or(Vec<TheoryFormula>),
}

impl TheoryFormula {
    /// A literal, or its value.
    pub fn lit(lit: Lit) -> Self {
        lit.constant().map_or(TheoryFormula::Lit(lit), TheoryFormula::Const)
    }

    /// All of them.
    pub fn and(parts: impl IntoIterator<Item = TheoryFormula>) -> Self {
        Self::collect(parts, true)
    }

    /// Parts that are false are left out, and a disjunction among them is taken apart.
    pub fn or(parts: impl IntoIterator<Item = TheoryFormula>) -> Self {
        Self::collect(parts, false)
    }

    fn collect(parts: impl IntoIterator<Item = TheoryFormula>, all: bool) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                TheoryFormula::Const(value) if value == all => {}
                TheoryFormula::Const(value) => return TheoryFormula::Const(value),
                TheoryFormula::And(inner) if all => kept.extend(inner),
                TheoryFormula::Or(inner) if !all => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => TheoryFormula::Const(all),
            1 => kept.swap_remove(0),
            _ if all => TheoryFormula::And(kept),
            _ => TheoryFormula::Or(kept),
        }
    }

    /// The negation.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            TheoryFormula::Const(value) => TheoryFormula::Const(!value),
            TheoryFormula::Lit(lit) => TheoryFormula::lit(!*lit),
            TheoryFormula::And(parts) => {
                TheoryFormula::or(parts.iter().map(TheoryFormula::negated))
            }
            TheoryFormula::Or(parts) => {
                TheoryFormula::and(parts.iter().map(TheoryFormula::negated))
            }
        }
    }

    /// Puts terms in the place of variables.
    #[must_use]
    pub fn with(&self, values: &[EventTerm]) -> Self {
        match self {
            TheoryFormula::Const(value) => TheoryFormula::Const(*value),
            TheoryFormula::Lit(lit) => TheoryFormula::lit(lit.with(values)),
            TheoryFormula::And(parts) => TheoryFormula::and(parts.iter().map(|p| p.with(values))),
            TheoryFormula::Or(parts) => TheoryFormula::or(parts.iter().map(|p| p.with(values))),
        }
    }

    /// How many clauses and cases it has.
    pub fn size(&self) -> FormSize {
        match self {
            TheoryFormula::Const(value) => {
                FormSize { clauses: u64::from(!value), cases: u64::from(*value) }
            }
            TheoryFormula::Lit(_) => FormSize { clauses: 1, cases: 1 },
            TheoryFormula::And(parts) => parts.iter().map(TheoryFormula::size).fold(
                TheoryFormula::Const(true).size(),
                |all, one| FormSize {
                    clauses: all.clauses.saturating_add(one.clauses),
                    cases: all.cases.saturating_mul(one.cases),
                },
            ),
            TheoryFormula::Or(parts) => parts.iter().map(TheoryFormula::size).fold(
                TheoryFormula::Const(false).size(),
                |all, one| FormSize {
                    clauses: all.clauses.saturating_mul(one.clauses),
                    cases: all.cases.saturating_add(one.cases),
                },
            ),
        }
    }

    /// Clauses that together are the formula, by distribution. Tautologies are left out. They may
    /// be very many ([`TheoryFormula::size`]).
    pub fn clauses(&self) -> Vec<Vec<Lit>> {
        self.distribute(true)
    }

    /// Conjunctions of literals of which one holds. Contradictions are left out. They may be very
    /// many ([`TheoryFormula::size`]).
    pub fn cases(&self) -> Vec<Vec<Lit>> {
        self.distribute(false)
    }

    /// Two formulas of which one holds where this does: each has half of the first disjunction.
    /// `None` if there is no disjunction. The cases of both, in this order, are those of the whole.
    pub fn halves(&self) -> Option<[Self; 2]> {
        match self {
            TheoryFormula::Const(_) | TheoryFormula::Lit(_) => None,
            TheoryFormula::Or(parts) => {
                let (first, second) = parts.split_at(parts.len() / 2);
                Some([first, second].map(|half| TheoryFormula::or(half.iter().cloned())))
            }
            TheoryFormula::And(parts) => {
                let (at, halves) =
                    parts.iter().enumerate().find_map(|(at, part)| Some((at, part.halves()?)))?;
                let with = |half: TheoryFormula| {
                    let replaced = parts
                        .iter()
                        .enumerate()
                        .map(|(i, part)| if i == at { half.clone() } else { part.clone() });
                    TheoryFormula::and(replaced)
                };
                Some(halves.map(with))
            }
        }
    }

    fn distribute(&self, conjunctive: bool) -> Vec<Vec<Lit>> {
        match self {
            TheoryFormula::Const(value) if *value == conjunctive => Vec::new(),
            TheoryFormula::Const(_) => vec![Vec::new()],
            TheoryFormula::Lit(lit) => vec![vec![*lit]],
            TheoryFormula::And(parts) if conjunctive => {
                parts.iter().flat_map(|p| p.distribute(conjunctive)).collect()
            }
            TheoryFormula::Or(parts) if !conjunctive => {
                parts.iter().flat_map(|p| p.distribute(conjunctive)).collect()
            }
            TheoryFormula::And(parts) | TheoryFormula::Or(parts) => {
                let mut product: Vec<Vec<Lit>> = vec![Vec::new()];
                for part in parts {
                    let factor = part.distribute(conjunctive);
                    product = product
                        .iter()
                        .flat_map(|left| factor.iter().filter_map(|right| joined(left, right)))
                        .collect();
                }
                product
            }
        }
    }

    /// The literals that occur, with repetitions.
    pub fn lits(&self) -> Vec<Lit> {
        match self {
            TheoryFormula::Const(_) => Vec::new(),
            TheoryFormula::Lit(lit) => vec![*lit],
            TheoryFormula::And(parts) | TheoryFormula::Or(parts) => {
                parts.iter().flat_map(TheoryFormula::lits).collect()
            }
        }
    }
}

/// Both lists without repetitions; `None` if they contradict each other.
fn joined(left: &[Lit], right: &[Lit]) -> Option<Vec<Lit>> {
    let mut all = left.to_vec();
    for &lit in right {
        if all.contains(&!lit) {
            return None;
        }
        if !all.contains(&lit) {
            all.push(lit);
        }
    }
    Some(all)
}

/// A clause with its variables numbered from 0 in order of occurrence, where a premise `x = y` is
/// used up by putting one for the other; `None` if it is a tautology.
pub fn normalised(mut lits: Vec<Lit>) -> Option<(Vec<Lit>, u8)> {
    while let Some(at) = lits.iter().position(|l| {
        !l.positive
            && l.atom.pred == Pred::EQUAL
            && l.atom.args.iter().any(|a| a.as_variable().is_some())
    }) {
        let [a, b] = lits.swap_remove(at).atom.args;
        // The variable of the larger number goes.
        let (from, to) = if b.as_variable().is_some() { (b, a) } else { (a, b) };
        for lit in &mut lits {
            let args = lit.atom.args.map(|t| if t == from { to } else { t });
            lit.atom = super::clause::EventAtom::binary(lit.atom.pred, args[0], args[1]);
        }
    }
    let mut kept: Vec<Lit> = Vec::new();
    for lit in lits {
        match lit.constant() {
            Some(true) => return None,
            Some(false) => continue,
            None => {}
        }
        if kept.contains(&!lit) {
            return None;
        }
        if !kept.contains(&lit) {
            kept.push(lit);
        }
    }
    let mut order: Vec<EventTerm> = Vec::new();
    for arg in kept.iter().flat_map(|l| l.atom.args) {
        if arg.as_variable().is_some() && !order.contains(&arg) {
            order.push(arg);
        }
    }
    let rename = |t: EventTerm| {
        order.iter().position(|&o| o == t).map_or(t, |i| EventTerm::variable(i as u8))
    };
    for lit in &mut kept {
        let [a, b] = lit.atom.args.map(rename);
        lit.atom = super::clause::EventAtom::binary(lit.atom.pred, a, b);
    }
    kept.sort_unstable_by_key(|l| (l.positive, l.atom));
    Some((kept, order.len() as u8))
}
