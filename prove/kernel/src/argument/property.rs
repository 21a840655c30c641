//! Properties of the pairs of a relation: what a lemma says of each.

use crate::logic::clause::{implication, variable_name};
use crate::logic::{EventAtom, EventTerm, Existence, Lit, Pred, TheoryExprId, TheoryFormula};
use crate::theory::{ExistenceUse, MOST_SYMBOLS, Opening, SentenceReason, Theory, Treatment};

/// The ends of a pair, and a third event, in a property.
pub const X: EventTerm = EventTerm::variable(0);
/// The second end.
pub const Y: EventTerm = EventTerm::variable(1);
/// Any event.
pub const Z: EventTerm = EventTerm::variable(2);
/// Any other one.
pub const W: EventTerm = EventTerm::variable(3);

/// A property of a pair (X, Y).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Property {
    /// One of the literals holds, for all events in the place of further variables.
    Clause(Vec<Lit>),
    /// The pair is in another relation, too.
    Within(TheoryExprId),
}

impl Property {
    /// The clauses "a pair of this relation has the property", for all pairs.
    pub fn assume(&self, theory: &mut Theory, of: Pred, reason: &SentenceReason) {
        let premise = Lit::no(EventAtom::binary(of, X, Y));
        match self {
            Property::Clause(lits) => {
                let mut lits = lits.clone();
                lits.push(premise);
                theory.assume_clause(lits, reason);
            }
            Property::Within(expr) => match theory.opened(*expr) {
                (form, 0) => {
                    theory.assume(&TheoryFormula::or([TheoryFormula::Lit(premise), form]), reason)
                }
                (form, events) => {
                    let existence = Existence {
                        guard: vec![!premise],
                        variables: 2,
                        events,
                        cases: form.cases(),
                    };
                    theory.assume_existence(existence, reason, ExistenceUse::Steps(1));
                }
            },
        }
    }

    /// How many events it speaks of beside the pair.
    pub fn others(&self) -> usize {
        match self {
            Property::Clause(lits) => {
                let last = lits
                    .iter()
                    .flat_map(|l| l.atom.args)
                    .filter_map(EventTerm::as_variable)
                    .max()
                    .unwrap_or(0);
                usize::from(last.saturating_sub(1))
            }
            Property::Within(_) => 0,
        }
    }

    /// An implication between variables, or `r in e`.
    pub fn text(&self, theory: &Theory, of: Pred) -> String {
        match self {
            Property::Clause(lits) => {
                let mut all = vec![Lit::no(EventAtom::binary(of, X, Y))];
                all.extend(lits);
                implication(&theory.symbols, &all, &variable_name)
            }
            Property::Within(expr) => {
                format!("{} in {}", theory.symbols.name(of), theory.text(*expr))
            }
        }
    }
}

impl Theory {
    /// An expression at (X, Y), with further variables for the events between; how many there are.
    pub fn opened(&mut self, expr: TheoryExprId) -> (TheoryFormula, u8) {
        let mut opening = Opening {
            treat: &|_, _, _| Treatment::Keep,
            next: 2,
            within: Vec::new(),
            variables: Some(16),
            left: MOST_SYMBOLS,
        };
        let form = self.open(expr, X, Y, &mut opening);
        (form, (opening.next - 2) as u8)
    }
}
