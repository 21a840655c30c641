//! Scopes as expressions: which threads share each, and which operations include each other's
//! thread.

use margay_models::execution::Scope;
use margay_solver::{Expr, Logic};

use super::sets::find;
use super::vocabulary::MappingVocabulary;

/// The threads that share each scope, narrowest first, as equivalences over threads.
pub fn together(logic: &mut Logic, v: &MappingVocabulary, thread: Expr) -> Vec<(Scope, Expr)> {
    let threads = logic.range(thread);
    let same = logic.diagonal(threads);
    let mut out: Vec<(Scope, Expr)> = Vec::new();
    for &(scope, relation) in &v.together {
        let up = logic.rel(relation);
        let down = logic.transpose(up);
        let other = logic.union(up, down);
        out.push((scope, logic.union(other, same)));
    }
    if v.content.placements.contains(&Scope::Sys) {
        out.push((Scope::Sys, logic.product(threads, threads)));
    }
    out
}

/// The pairs of events whose threads share each scope.
pub fn placed(logic: &mut Logic, together: &[(Scope, Expr)], thread: Expr) -> Vec<(Scope, Expr)> {
    let back = logic.transpose(thread);
    let mut out = Vec::new();
    for &(scope, sharing) in together {
        let there = logic.join(thread, sharing);
        out.push((scope, logic.join(there, back)));
    }
    out
}

/// `sr`: both operations have a scope, and each scope includes the other's thread.
pub fn inclusion(logic: &mut Logic, scopes: &[(Scope, Expr)], placed: &[(Scope, Expr)]) -> Expr {
    let mut includes = Vec::new();
    for &(scope, set) in scopes {
        if let Some(pairs) = find(placed, scope) {
            includes.push(logic.restrict_domain(set, pairs));
        }
    }
    let one_way = logic.union_all(2, includes);
    let other_way = logic.transpose(one_way);
    logic.intersection(one_way, other_way)
}
