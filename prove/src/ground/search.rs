//! Instances of clauses that a structure violates, found variable by variable: every literal narrows the events that its last variable
//! may stand for by one word of 128 bits.

use super::structure::Structure;
use crate::logic::{Clause, Lit, Term};

/// Finds assignments of a clause's variables under which all its literals are false. `found` is given each, and says whether to go on.
pub fn violations(structure: &Structure, clause: &Clause, found: &mut dyn FnMut(&[Term]) -> bool) {
    conjunction(structure, clause.variables, |l| l.positive, &clause.lits, found);
}

/// Finds assignments under which all literals are true.
pub fn matches(structure: &Structure, variables: u8, lits: &[Lit], found: &mut dyn FnMut(&[Term]) -> bool) {
    conjunction(structure, variables, |l| !l.positive, lits, found);
}

/// `negated`: must the literal's atom be false?
fn conjunction(
    structure: &Structure,
    variables: u8,
    negated: impl Fn(&Lit) -> bool + Copy,
    lits: &[Lit],
    found: &mut dyn FnMut(&[Term]) -> bool,
) {
    // Most clauses have a premise that is true of nothing.
    if lits.iter().any(|l| !negated(l) && structure.is_empty(l.atom.pred)) {
        return;
    }
    let fixed = lits.iter().filter(|l| l.atom.args.iter().all(|a| a.as_variable().is_none()));
    for lit in fixed {
        if structure.holds(lit.atom) == negated(lit) {
            return;
        }
    }
    let mut values = vec![Term::event(0); usize::from(variables)];
    extend(structure, 0, variables, negated, lits, &mut values, found);
}

/// Gives the variable `at` every value that the literals whose last variable it is allow; false if the search is to end.
fn extend(
    structure: &Structure,
    at: u8,
    variables: u8,
    negated: impl Fn(&Lit) -> bool + Copy,
    lits: &[Lit],
    values: &mut Vec<Term>,
    found: &mut dyn FnMut(&[Term]) -> bool,
) -> bool {
    if at == variables {
        return found(values);
    }
    let mut candidates = structure.all();
    for lit in lits {
        let [a, b] = lit.atom.args;
        let (va, vb) = (a.as_variable(), b.as_variable());
        if va.max(vb) != Some(at) {
            continue;
        }
        let pred = lit.atom.pred;
        let allowed = match (va == Some(at), vb == Some(at)) {
            (true, true) => structure.diagonal(pred),
            (true, false) => structure.column(pred, b.with(values).index()),
            _ => structure.row(pred, a.with(values).index()),
        };
        candidates &= if negated(lit) { !allowed } else { allowed };
        if candidates == 0 {
            return true;
        }
    }
    while candidates != 0 {
        let event = candidates.trailing_zeros() as usize;
        candidates &= candidates - 1;
        values[usize::from(at)] = Term::event(event);
        if !extend(structure, at + 1, variables, negated, lits, values, found) {
            return false;
        }
    }
    true
}
