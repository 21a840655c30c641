//! The edges of a relation: a union, taken apart into its members. Whoever searches, checks or writes for Rocq does it in this one way.

use crate::logic::{Expr, ExprId, Meaning};
use crate::theory::Theory;
use rustc_hash::FxHashMap;

/// The most edges, or parts of one edge, that a relation is taken apart into.
const MOST_EDGES: usize = 4096;

/// The edges of a relation: a union with as many members as there are ways through it. A part of it that has too many is one edge.
pub fn edges(theory: &mut Theory, r: ExprId) -> Vec<ExprId> {
    edges_once(theory, r, &mut FxHashMap::default())
}

/// `known`: the edges of definitions that were looked at.
fn edges_once(theory: &mut Theory, r: ExprId, known: &mut FxHashMap<ExprId, Vec<ExprId>>) -> Vec<ExprId> {
    let all = match theory.exprs.get(r) {
        Expr::Empty => Vec::new(),
        Expr::Union(a, b) => {
            let mut all = edges_once(theory, a, known);
            all.extend(edges_once(theory, b, known));
            all
        }
        Expr::Sequence(a, b) => pairs(theory, r, [a, b], known, Expr::Sequence),
        Expr::Intersection(a, b) => pairs(theory, r, [a, b], known, Expr::Intersection),
        Expr::Inverse(a) => edges_once(theory, a, known).into_iter().map(|e| theory.exprs.make(Expr::Inverse(e))).collect(),
        Expr::Symbol(p) if !theory.is_local(p) => match theory.symbols.get(p).meaning {
            Meaning::Defined(body) => match known.get(&r) {
                Some(all) => all.clone(),
                None => {
                    let all = edges_once(theory, body, known);
                    known.insert(r, all.clone());
                    all
                }
            },
            _ => vec![r],
        },
        _ => vec![r],
    };
    if all.len() > MOST_EDGES { vec![r] } else { all }
}

fn pairs(
    theory: &mut Theory,
    whole: ExprId,
    [a, b]: [ExprId; 2],
    known: &mut FxHashMap<ExprId, Vec<ExprId>>,
    make: fn(ExprId, ExprId) -> Expr,
) -> Vec<ExprId> {
    let (left, right) = (edges_once(theory, a, known), edges_once(theory, b, known));
    if left.len() * right.len() > MOST_EDGES {
        return vec![whole];
    }
    let mut all = Vec::new();
    for &l in &left {
        for &r in &right {
            let made = theory.exprs.make(make(l, r));
            // `make` may distribute again.
            all.extend(theory.exprs.union_parts(made));
        }
    }
    all.retain(|&e| theory.exprs.get(e) != Expr::Empty);
    all
}

/// The edges of a relation, each with its parts by [`by_halves`].
pub fn edges_by_halves(theory: &mut Theory, r: ExprId) -> Vec<(ExprId, Vec<ExprId>)> {
    edges(theory, r).into_iter().map(|e| (e, by_halves(theory, e))).collect()
}

/// An edge, with each step of program order told apart by whether it goes from one half of an operation to the other. If there are too many
/// ways, steps are not told apart.
pub fn by_halves(theory: &mut Theory, edge: ExprId) -> Vec<ExprId> {
    match theory.exprs.get(edge) {
        Expr::Sequence(a, b) => {
            let (left, right) = (by_halves(theory, a), by_halves(theory, b));
            if left.len() * right.len() > MOST_EDGES {
                return vec![edge];
            }
            let mut all = Vec::new();
            for &l in &left {
                for &r in &right {
                    all.push(theory.exprs.sequence(l, r));
                }
            }
            all
        }
        Expr::Intersection(a, b) => {
            // Program order may stand on either side: that of a source without a name for it is `po & source * source`.
            let (left, right) = (by_halves(theory, a), by_halves(theory, b));
            if left.len() * right.len() > MOST_EDGES {
                return vec![edge];
            }
            left.into_iter()
                .flat_map(|l| right.iter().map(move |&r| (l, r)))
                .map(|(l, r)| theory.exprs.intersection(l, r))
                .collect()
        }
        Expr::Symbol(p) if theory.is_program_order(p) => {
            let Some(rmw) = theory.symbols.named("rmw") else { return vec![edge] };
            let rmw = theory.exprs.symbol(rmw);
            let (half, rest) = (theory.exprs.intersection(edge, rmw), theory.exprs.make(Expr::Difference(edge, rmw)));
            vec![half, rest]
        }
        _ => vec![edge],
    }
}
