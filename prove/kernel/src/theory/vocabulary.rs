//! The names that expressions depend on.

use rustc_hash::FxHashSet;

use super::Theory;
use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};

/// The sets and relations that expressions are made of.
#[derive(Debug, Clone, Default)]
pub struct TheoryVocabulary {
    pub sets: Vec<Pred>,
    pub relations: Vec<Pred>,
}

impl TheoryVocabulary {
    /// The names that expressions depend on.
    pub fn of(theory: &Theory, roots: impl IntoIterator<Item = TheoryExprId>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        // What stands in an expression twice is looked at once.
        let mut looked = FxHashSet::default();
        let mut open: Vec<TheoryExprId> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            if !looked.insert(id) {
                continue;
            }
            match theory.exprs.get(id) {
                TheoryExpr::Empty | TheoryExpr::All => {}
                TheoryExpr::Symbol(p) => {
                    if seen.insert(p) {
                        match theory.symbols.get(p).meaning {
                            Meaning::Base => {}
                            Meaning::Sequence(a, b) => open.extend([a, b]),
                            Meaning::Defined(e)
                            | Meaning::Closure(e)
                            | Meaning::Fixpoint(e, _)
                            | Meaning::Domain(e)
                            | Meaning::Range(e) => open.push(e),
                        }
                    }
                }
                TheoryExpr::Union(a, b)
                | TheoryExpr::Intersection(a, b)
                | TheoryExpr::Difference(a, b)
                | TheoryExpr::Sequence(a, b)
                | TheoryExpr::Product(a, b) => open.extend([a, b]),
                TheoryExpr::Diagonal(a) | TheoryExpr::Inverse(a) => open.push(a),
            }
        }
        let of_arity = |arity: u8| {
            let named = seen
                .iter()
                .copied()
                .filter(|&p| theory.symbols.get(p).arity == arity && p != Pred::EQUAL);
            named.collect()
        };
        Self { sets: of_arity(1), relations: of_arity(2) }
    }
}
