//! The edges of a relation: a union, taken apart into its members. Whoever searches, checks or
//! writes for Rocq does it in this one way.

use crate::logic::{Meaning, TheoryExpr, TheoryExprId};
use crate::theory::Theory;
use rustc_hash::FxHashMap;

/// The most edges, or parts of one edge, that a relation is taken apart into.
const MOST_EDGES: usize = 4096;

/// The edges of a relation: a union with as many members as there are ways through it. A part of it
/// that has too many is one edge.
pub fn edges(theory: &mut Theory, r: TheoryExprId) -> Vec<TheoryExprId> {
    edges_once(theory, r, &mut FxHashMap::default())
}

/// `known`: the edges of definitions that were looked at.
fn edges_once(
    theory: &mut Theory,
    r: TheoryExprId,
    known: &mut FxHashMap<TheoryExprId, Vec<TheoryExprId>>,
) -> Vec<TheoryExprId> {
    let all = match theory.exprs.get(r) {
        TheoryExpr::Empty => Vec::new(),
        TheoryExpr::Union(a, b) => {
            let mut all = edges_once(theory, a, known);
            all.extend(edges_once(theory, b, known));
            all
        }
        TheoryExpr::Sequence(a, b) => pairs(theory, r, [a, b], known, TheoryExpr::Sequence),
        TheoryExpr::Intersection(a, b) => pairs(theory, r, [a, b], known, TheoryExpr::Intersection),
        TheoryExpr::Inverse(a) => edges_once(theory, a, known)
            .into_iter()
            .map(|e| theory.exprs.make(TheoryExpr::Inverse(e)))
            .collect(),
        TheoryExpr::Symbol(p) if !theory.is_local(p) => match theory.symbols.get(p).meaning {
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
    whole: TheoryExprId,
    [a, b]: [TheoryExprId; 2],
    known: &mut FxHashMap<TheoryExprId, Vec<TheoryExprId>>,
    make: fn(TheoryExprId, TheoryExprId) -> TheoryExpr,
) -> Vec<TheoryExprId> {
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
    all.retain(|&e| theory.exprs.get(e) != TheoryExpr::Empty);
    all
}

/// The edges of a relation, each with its parts by [`by_halves`].
pub fn edges_by_halves(
    theory: &mut Theory,
    r: TheoryExprId,
) -> Vec<(TheoryExprId, Vec<TheoryExprId>)> {
    edges(theory, r).into_iter().map(|e| (e, by_halves(theory, e))).collect()
}

/// An edge, with each step of program order told apart by whether it goes from one half of an
/// operation to the other. If there are too many ways, steps are not told apart.
pub fn by_halves(theory: &mut Theory, edge: TheoryExprId) -> Vec<TheoryExprId> {
    match theory.exprs.get(edge) {
        TheoryExpr::Sequence(a, b) => {
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
        TheoryExpr::Intersection(a, b) => {
            // Program order may stand on either side: that of a source without a name for it is
            // `po & source * source`.
            let (left, right) = (by_halves(theory, a), by_halves(theory, b));
            if left.len() * right.len() > MOST_EDGES {
                return vec![edge];
            }
            left.into_iter()
                .flat_map(|l| right.iter().map(move |&r| (l, r)))
                .map(|(l, r)| theory.exprs.intersection(l, r))
                .collect()
        }
        TheoryExpr::Symbol(p) if theory.is_program_order(p) => {
            let Some(rmw) = theory.symbols.rmw() else { return vec![edge] };
            let rmw = theory.exprs.symbol(rmw);
            let (half, rest) = (
                theory.exprs.intersection(edge, rmw),
                theory.exprs.make(TheoryExpr::Difference(edge, rmw)),
            );
            vec![half, rest]
        }
        _ => vec![edge],
    }
}
