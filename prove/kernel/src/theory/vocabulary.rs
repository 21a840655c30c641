//! The names that expressions depend on.

use super::Theory;
use crate::logic::{Expr, ExprId, Meaning, Pred};

/// The sets and relations that expressions are made of.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Sets.
    pub sets: Vec<Pred>,
    /// Relations.
    pub relations: Vec<Pred>,
}

impl Vocabulary {
    /// The names that expressions depend on.
    pub fn of(theory: &Theory, roots: impl IntoIterator<Item = ExprId>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        let mut open: Vec<ExprId> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            match theory.exprs.get(id) {
                Expr::Empty | Expr::All => {}
                Expr::Symbol(p) => {
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
                Expr::Union(a, b)
                | Expr::Intersection(a, b)
                | Expr::Difference(a, b)
                | Expr::Sequence(a, b)
                | Expr::Product(a, b) => open.extend([a, b]),
                Expr::Diagonal(a) | Expr::Inverse(a) => open.push(a),
            }
        }
        let of_arity = |arity: u8| {
            let named = seen.iter().copied().filter(|&p| theory.symbols.get(p).arity == arity && p != Pred::EQUAL);
            named.collect()
        };
        Self { sets: of_arity(1), relations: of_arity(2) }
    }
}
