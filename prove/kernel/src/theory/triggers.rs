//! Clauses by the symbols of their premises, for whoever looks for instances of them. Nothing rests on it: a checker makes the instances that
//! a refutation names.

use crate::ground::Structure;
use crate::logic::{Lit, Pred};

/// A premise of a clause.
#[derive(Debug, Clone, Copy)]
struct Premise {
    /// The number of the clause.
    of: usize,
    /// Its number among the literals.
    literal: usize,
}

/// Premises of one symbol in clauses that have another one, too: most clauses have one that is true of nothing, and are not looked at.
#[derive(Debug, Clone)]
struct PremiseGroup {
    other: Pred,
    premises: Vec<Premise>,
}

/// Clauses by the symbols of their premises: an atom that becomes true may violate those that have it.
#[derive(Debug, Clone, Default)]
pub struct Triggers {
    /// For each symbol the premises that it has.
    premises: Vec<Vec<PremiseGroup>>,
}

impl Triggers {
    /// Adds a clause with its number.
    pub fn add(&mut self, number: usize, lits: &[Lit]) {
        let negative = || lits.iter().enumerate().filter(|(_, l)| !l.positive);
        for (literal, lit) in negative() {
            let own = lit.atom.pred;
            let other = negative().map(|(_, l)| l.atom.pred).find(|&p| p != own).unwrap_or(own);
            if self.premises.len() <= own.index() {
                self.premises.resize(own.index() + 1, Vec::new());
            }
            let groups = &mut self.premises[own.index()];
            let premise = Premise { of: number, literal };
            match groups.iter_mut().find(|g| g.other == other) {
                Some(group) => group.premises.push(premise),
                None => groups.push(PremiseGroup { other, premises: vec![premise] }),
            }
        }
    }

    /// Takes a clause away.
    pub fn remove(&mut self, number: usize, lits: &[Lit]) {
        for lit in lits.iter().filter(|l| !l.positive) {
            for group in &mut self.premises[lit.atom.pred.index()] {
                group.premises.retain(|p| p.of != number);
            }
        }
    }

    /// The premises that a symbol has, in clauses whose other premises are not seen to be true of nothing: clause and literal.
    pub fn of<'a>(&'a self, pred: Pred, structure: &'a Structure) -> impl Iterator<Item = (usize, usize)> + 'a {
        let groups = self.premises.get(pred.index()).into_iter().flatten();
        // What was named since the structure was made is true of nothing.
        let may_hold = |p: Pred| structure.has(p) && !structure.is_empty(p);
        groups.filter(move |g| may_hold(g.other)).flat_map(|g| &g.premises).map(|p| (p.of, p.literal))
    }
}
