//! Instances of clauses that a structure violates, found variable by variable: every literal
//! narrows the events that its last variable may stand for by one word of 128 bits.

use super::structure::Structure;
use crate::logic::{Clause, EventTerm, Lit};
use crate::theory::StopSignal;

/// Finds assignments of a clause's variables under which all its literals are false. `found` is
/// given each, and says whether to go on. If the search is stopped, it has not found all.
pub fn violations(
    structure: &Structure,
    clause: &Clause,
    stop: &StopSignal,
    found: &mut dyn FnMut(&[EventTerm]) -> bool,
) {
    conjunction(structure, clause.variables, |l| l.positive, &clause.lits, None, stop, found);
}

/// The same, of those under which one of the literals is about these events.
pub fn violations_at(
    structure: &Structure,
    clause: &Clause,
    at: (usize, [EventTerm; 2]),
    stop: &StopSignal,
    found: &mut dyn FnMut(&[EventTerm]) -> bool,
) {
    conjunction(structure, clause.variables, |l| l.positive, &clause.lits, Some(at), stop, found);
}

/// Finds assignments under which all literals are true.
pub fn matches(
    structure: &Structure,
    variables: u8,
    lits: &[Lit],
    stop: &StopSignal,
    found: &mut dyn FnMut(&[EventTerm]) -> bool,
) {
    conjunction(structure, variables, |l| !l.positive, lits, None, stop, found);
}

/// `negated`: must the literal's atom be false? `at`: a literal, and what its terms stand for.
fn conjunction(
    structure: &Structure,
    variables: u8,
    negated: impl Fn(&Lit) -> bool + Copy,
    lits: &[Lit],
    at: Option<(usize, [EventTerm; 2])>,
    stop: &StopSignal,
    found: &mut dyn FnMut(&[EventTerm]) -> bool,
) {
    // Most clauses have a premise that is true of nothing.
    if lits.iter().any(|l| !negated(l) && structure.is_empty(l.atom.pred)) {
        return;
    }
    let mut search = MatchSearch {
        structure,
        negated,
        lits,
        values: [EventTerm::event(0); MOST],
        given: 0,
        variables,
        stop,
        steps: 0,
        found,
    };
    if let Some((lit, terms)) = at {
        for (term, value) in lits[lit].atom.args.into_iter().zip(terms) {
            match term.as_variable() {
                Some(v) if search.given >> v & 1 == 0 => search.give(v, value.index()),
                // It is another event.
                _ if term.with(&search.values) != value => return,
                _ => {}
            }
        }
    }
    for lit in lits {
        if lit.atom.args.iter().all(|a| search.is_known(*a)) && !search.is_true(lit) {
            return;
        }
    }
    search.extend();
}

/// The most variables of a clause.
const MOST: usize = 64;

/// After so many steps a search asks whether it is to go on.
const ASKS: u32 = 4096;

struct MatchSearch<'a, N> {
    structure: &'a Structure,
    negated: N,
    lits: &'a [Lit],
    /// What the variables stand for that have been given an event.
    values: [EventTerm; MOST],
    /// Which these are, one bit for each.
    given: u64,
    variables: u8,
    stop: &'a StopSignal,
    /// How many variables were given values.
    steps: u32,
    found: &'a mut dyn FnMut(&[EventTerm]) -> bool,
}

impl<N: Fn(&Lit) -> bool + Copy> MatchSearch<'_, N> {
    fn give(&mut self, variable: u8, event: usize) {
        self.values[usize::from(variable)] = EventTerm::event(event);
        self.given |= 1 << variable;
    }

    fn is_known(&self, term: EventTerm) -> bool {
        term.as_variable().is_none_or(|v| self.given >> v & 1 == 1)
    }

    fn is_true(&self, lit: &Lit) -> bool {
        self.structure.holds(lit.atom.with(&self.values)) != (self.negated)(lit)
    }

    /// The variable that is next: one of which a true literal says to what it is related, if there
    /// is one, else the first.
    fn next(&self) -> Option<u8> {
        let open = |t: EventTerm| t.as_variable().filter(|v| self.given >> v & 1 == 0);
        let narrowed = self.lits.iter().filter(|l| !(self.negated)(l)).find_map(|lit| {
            let [a, b] = lit.atom.args;
            match (open(a), open(b)) {
                (Some(v), None) | (None, Some(v)) => Some(v),
                (Some(v), Some(w)) if v == w => Some(v),
                _ => None,
            }
        });
        narrowed.or_else(|| (0..self.variables).find(|v| self.given >> v & 1 == 0))
    }

    /// Gives the next variable every value that the literals allow whose last variable it is; false
    /// if the search is to end.
    fn extend(&mut self) -> bool {
        let Some(at) = self.next() else {
            return (self.found)(&self.values[..usize::from(self.variables)]);
        };
        self.steps += 1;
        if self.steps.is_multiple_of(ASKS) && self.stop.is_raised() {
            return false;
        }
        let structure = self.structure;
        let mut candidates = structure.all();
        for lit in self.lits {
            let [a, b] = lit.atom.args;
            let (is_a, is_b) = (a.as_variable() == Some(at), b.as_variable() == Some(at));
            let pred = lit.atom.pred;
            let allowed = match (is_a, is_b) {
                (true, true) => structure.diagonal(pred),
                (true, false) if self.is_known(b) => {
                    structure.column(pred, b.with(&self.values).index())
                }
                (false, true) if self.is_known(a) => {
                    structure.row(pred, a.with(&self.values).index())
                }
                _ => continue,
            };
            candidates &= if (self.negated)(lit) { !allowed } else { allowed };
            if candidates == 0 {
                return true;
            }
        }
        let before = self.given;
        while candidates != 0 {
            let event = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            self.give(at, event);
            if !self.extend() {
                return false;
            }
            self.given = before;
        }
        true
    }
}
