//! Members of invariants that are cut off. Where a row leaves a release or an acquire to a fence
//! beside the access, what synchronises in the target begins or ends at the fence, and the access
//! itself is related by a part of the synchronisation only: the chain without its first step, or
//! without its last. For a closure of the target whose steps are sequences around a recursive
//! relation (synchronisation around observation) these are the parts.

use margay_theorem::argument::edges;
use margay_theorem::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::Theory;

/// The sequences that a closure's steps consist of, where one member is recursive: what comes
/// before it, itself, what comes behind.
fn chains(
    theory: &mut Theory,
    closure: Pred,
) -> Vec<(Vec<TheoryExprId>, TheoryExprId, Vec<TheoryExprId>)> {
    let Meaning::Closure(step) = theory.symbols.get(closure).meaning else { return Vec::new() };
    let mut found = Vec::new();
    for edge in edges(theory, step) {
        let path = path(theory, edge);
        let recursive = |e: &TheoryExprId| {
            theory
                .as_symbol(*e)
                .is_some_and(|p| matches!(theory.symbols.get(p).meaning, Meaning::Fixpoint(..)))
        };
        if let Some(at) = path.iter().position(recursive)
            && path.len() > 1
        {
            let chain = (path[..at].to_vec(), path[at], path[at + 1..].to_vec());
            if !found.contains(&chain) {
                found.push(chain);
            }
        }
    }
    // Program order around a chain says nothing of its own.
    let shortest = found.iter().map(|c| c.0.len() + c.2.len()).min().unwrap_or(0);
    found.retain(|c| c.0.len() + c.2.len() == shortest);
    found
}

/// The members of a sequence, without what only restricts it.
fn path(theory: &Theory, e: TheoryExprId) -> Vec<TheoryExprId> {
    match theory.exprs.get(e) {
        TheoryExpr::Sequence(a, b) => {
            let mut all = path(theory, a);
            all.extend(path(theory, b));
            all
        }
        TheoryExpr::Intersection(a, b) => {
            let (left, right) = (path(theory, a), path(theory, b));
            if left.len() >= right.len() { left } else { right }
        }
        _ => vec![e],
    }
}

/// The sets at the ends of the steps of a closure of the source: where its synchronisation begins
/// and ends.
pub(super) fn ends(theory: &mut Theory, closure: Pred) -> (Vec<TheoryExprId>, Vec<TheoryExprId>) {
    let Meaning::Closure(step) = theory.symbols.get(closure).meaning else {
        return (Vec::new(), Vec::new());
    };
    let (mut starts, mut stops) = (Vec::new(), Vec::new());
    for edge in edges(theory, step) {
        let path = path(theory, edge);
        let diagonal = |e: Option<&TheoryExprId>| {
            e.copied().filter(|&e| matches!(theory.exprs.get(e), TheoryExpr::Diagonal(_)))
        };
        if path.len() < 3 {
            continue;
        }
        for (found, end) in [(&mut starts, path.first()), (&mut stops, path.last())] {
            if let Some(end) = diagonal(end)
                && !found.contains(&end)
            {
                found.push(end);
            }
        }
    }
    (starts, stops)
}

/// The members for an invariant of a closure of the source, each with its rank: the more is cut
/// off, the higher.
pub fn candidates(theory: &mut Theory, of: Pred, target: &[Pred]) -> Vec<(u8, TheoryExprId)> {
    let identity = theory.exprs.identity();
    let (Some(po), Some(rmw), Some(loc)) =
        (theory.symbols.po(), theory.symbols.rmw(), theory.symbols.loc())
    else {
        return Vec::new();
    };
    let [po, rmw, loc] = [po, rmw, loc].map(|p| theory.exprs.symbol(p));
    let po_loc = theory.exprs.intersection(po, loc);
    let (starts, stops) = ends(theory, of);
    let mut found = Vec::new();
    for &closure in target {
        let whole = theory.exprs.symbol(closure);
        for (before, middle, behind) in chains(theory, closure) {
            let between = [identity, po, whole];
            let sequence = |theory: &mut Theory, parts: &[TheoryExprId]| {
                parts.iter().rev().fold(identity, |rest, &p| theory.exprs.sequence(p, rest))
            };
            let arriving: Vec<TheoryExprId> = before.iter().copied().chain([middle]).collect();
            let departing: Vec<TheoryExprId> =
                std::iter::once(middle).chain(behind.iter().copied()).collect();
            let (arriving, departing) = (sequence(theory, &arriving), sequence(theory, &departing));
            let mut add = |theory: &mut Theory, rank: u8, parts: &[TheoryExprId]| {
                let item = sequence(theory, parts);
                if !found.contains(&(rank, item)) {
                    found.push((rank, item));
                }
            };
            for &stop in &stops {
                for post in [identity, rmw] {
                    for near in between {
                        add(theory, 1, &[near, arriving, stop, post]);
                    }
                }
            }
            for &start in &starts {
                for pre in [identity, rmw] {
                    for local in [identity, po_loc] {
                        for near in between {
                            add(theory, 1, &[pre, start, local, departing, near]);
                        }
                        for &stop in &stops {
                            for post in [identity, rmw] {
                                add(theory, 2, &[pre, start, local, middle, stop, post]);
                                for near in between {
                                    add(
                                        theory,
                                        3,
                                        &[pre, start, local, departing, near, arriving, stop, post],
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    found
}
