//! What is supposed of executions allows every operation: for each role a structure of a few events in which no sentence is untrue.
//! Sentences that contradict each other would prove anything.

use crate::ground::{Effort, Structure, possible, violations};
use crate::logic::clause::{MAX_EVENTS, implication, variable_name};
use crate::logic::{Atom, Form, Lit, Pred, Term};
use crate::theory::{Stop, Theory};

use super::REACH;

/// A structure in which event 0 has a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// The name of the role.
    pub role: String,
    /// The number of events.
    pub events: usize,
    /// What holds: the name of a set or relation, and two events (twice the same of a set).
    pub atoms: Vec<(String, [usize; 2])>,
}

impl Allowed {
    /// Searches for one.
    pub fn find(theory: &Theory, role: Pred, effort: &mut Effort) -> Option<Self> {
        let there = Form::lit(Lit::yes(Atom::unary(role, Term::event(0))));
        let structure = possible(theory, &there, 1, REACH, effort)?;
        Some(Self::of(theory, role, &structure))
    }

    /// The structure with one event for all equal ones.
    fn of(theory: &Theory, role: Pred, structure: &Structure) -> Self {
        let first = |e: usize| (0..=e).find(|&d| structure.row(Pred::EQUAL, e) >> d & 1 == 1).unwrap_or(e);
        let kept: Vec<usize> = (0..structure.events()).filter(|&e| first(e) == e).collect();
        let mut atoms = Vec::new();
        for (pred, symbol) in theory.symbols.iter().filter(|(p, _)| *p != Pred::EQUAL && structure.has(*p)) {
            for (a, &e) in kept.iter().enumerate() {
                let row = structure.row(pred, e);
                atoms.extend(
                    kept.iter().enumerate().filter(|(_, d)| row >> **d & 1 == 1).map(|(b, _)| (symbol.name.clone(), [a, b])),
                );
            }
        }
        Self { role: theory.symbols.name(role).to_owned(), events: kept.len(), atoms }
    }

    /// Is every sentence true in it, and has an event this role?
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, theory: &Theory, role: Pred) -> Result<(), String> {
        if self.role != theory.symbols.name(role) || self.events == 0 || self.events > MAX_EVENTS {
            return Err(format!("it shows `{}` where `{}` comes next", self.role, theory.symbols.name(role)));
        }
        let mut structure = Structure::new(theory.symbols.len(), self.events);
        for (name, [a, b]) in &self.atoms {
            let pred = theory.symbols.named(name).filter(|&p| p != Pred::EQUAL && (theory.symbols.get(p).arity == 2 || a == b));
            let pred = pred.filter(|_| *a < self.events && *b < self.events);
            let pred = pred.ok_or_else(|| format!("`{name}` of {a} and {b} is nothing that could hold"))?;
            structure.insert(Atom { pred, args: [Term::event(*a), Term::event(*b)] });
        }
        if !structure.holds(Atom::unary(role, Term::event(0))) {
            return Err(format!("event 0 is no `{}`", self.role));
        }
        for fact in &theory.facts {
            let mut untrue = false;
            violations(&structure, &fact.clause, &Stop::default(), &mut |_| {
                untrue = true;
                false
            });
            if untrue {
                return Err(format!("`{}` is not true in it", implication(&theory.symbols, &fact.clause.lits, &variable_name)));
            }
        }
        Ok(())
    }
}
