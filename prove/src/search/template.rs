//! The guesses: what lemmas look like.

use super::property::{Property, X, Y, Z};
use crate::logic::{Atom, Expr, ExprId, Lit, Meaning, Pred};
use crate::theory::Theory;

/// The names that guesses are made of.
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

/// All guesses about a closure or fixpoint.
pub fn guesses(theory: &mut Theory, of: Pred, vocabulary: &Vocabulary) -> Vec<(Pred, Property)> {
    let mut found = vec![Property::Clause(vec![Lit::no(Atom::binary(Pred::EQUAL, X, Y))])];
    for &set in &vocabulary.sets {
        for end in [X, Y] {
            for lit in [Lit::yes(Atom::unary(set, end)), Lit::no(Atom::unary(set, end))] {
                found.push(Property::Clause(vec![lit]));
            }
        }
    }
    let own = |a, b| Lit::yes(Atom::binary(of, a, b));
    for &r in &vocabulary.relations {
        let r = |a, b| Atom::binary(r, a, b);
        found.push(Property::Clause(vec![Lit::yes(r(X, Y))]));
        found.push(Property::Clause(vec![Lit::no(r(Y, X))]));
        // r; C in C, C; r in C, and the same with r backwards.
        found.push(Property::Clause(vec![Lit::no(r(Z, X)), own(Z, Y)]));
        found.push(Property::Clause(vec![Lit::no(r(X, Z)), own(Z, Y)]));
        found.push(Property::Clause(vec![Lit::no(r(Y, Z)), own(X, Z)]));
        found.push(Property::Clause(vec![Lit::no(r(Z, Y)), own(X, Z)]));
    }
    for &r in &vocabulary.relations {
        for &s in vocabulary.relations.iter().filter(|&&s| s != of) {
            let (r, s) = (|a, b| Atom::binary(r, a, b), |a, b| Lit::yes(Atom::binary(s, a, b)));
            // r; C in s, C; r in s.
            found.push(Property::Clause(vec![Lit::no(r(Z, X)), s(Z, Y)]));
            found.push(Property::Clause(vec![Lit::no(r(Y, Z)), s(X, Z)]));
        }
    }
    found.extend(linear(theory, of).map(Property::Within));
    found.into_iter().map(|p| (of, p)).collect()
}

/// For a recursion of the form `C = B | C; m; C`: each pair of C is one of B, or of C; m; B.
fn linear(theory: &mut Theory, of: Pred) -> Option<ExprId> {
    let Meaning::Fixpoint(body, _) = theory.symbols.get(of).meaning else { return None };
    let own = theory.exprs.symbol(of);
    let parts = theory.exprs.union_parts(body);
    let is_last = |theory: &Theory, p: ExprId| match theory.exprs.get(p) {
        Expr::Sequence(a, b) if b == own => Some(a),
        _ => None,
    };
    let base: Vec<ExprId> = parts.iter().copied().filter(|&p| is_last(theory, p).is_none()).collect();
    let base = theory.exprs.union_all(base);
    let mut all = base;
    for part in parts {
        if let Some(before) = is_last(theory, part) {
            let step = theory.exprs.sequence(before, base);
            all = theory.exprs.union(all, step);
        }
    }
    (all != base).then_some(all)
}
