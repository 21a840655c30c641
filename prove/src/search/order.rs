//! `acyclic r`. The edges of r are split in two kinds: A, whose closure has an invariant without a loop, and B, which a strict order S
//! contains even behind any number of A edges. A cycle without B would be a loop of A's closure; any other, cut behind each B edge, is
//! a cycle of S.

use super::houdini::{inductive, open_all};
use super::property::Property;
use super::template::{Vocabulary, guesses};
use super::invariant::{Invariant, NoInvariant, find};
use crate::ground::{Answer, Effort, Limits, Problem};
use crate::logic::form::normalised;
use crate::logic::{Clause, Expr, ExprId, Form, Meaning, Pred, Term};
use crate::theory::{Reason, Theory};

/// A proof that there is no cycle.
#[derive(Debug, Clone)]
pub struct Acyclic {
    /// The strict order.
    pub order: ExprId,
    /// The edges whose closure has an invariant.
    pub first: Vec<ExprId>,
    /// The other edges.
    pub second: Vec<ExprId>,
    /// The invariant of the closure of `first`.
    pub invariant: Option<Invariant>,
}

/// The edges of a relation: a union with as many members as there are ways through it.
pub fn edges(theory: &mut Theory, r: ExprId) -> Vec<ExprId> {
    match theory.exprs.get(r) {
        Expr::Union(a, b) => {
            let mut all = edges(theory, a);
            all.extend(edges(theory, b));
            all
        }
        Expr::Sequence(a, b) => pairs(theory, a, b, Expr::Sequence),
        Expr::Intersection(a, b) => pairs(theory, a, b, Expr::Intersection),
        Expr::Inverse(a) => edges(theory, a).into_iter().map(|e| theory.exprs.make(Expr::Inverse(e))).collect(),
        Expr::Symbol(p) if !theory.is_local(p) => match theory.symbols.get(p).meaning {
            Meaning::Defined(body) => edges(theory, body),
            _ => vec![r],
        },
        _ => vec![r],
    }
}

fn pairs(theory: &mut Theory, a: ExprId, b: ExprId, make: fn(ExprId, ExprId) -> Expr) -> Vec<ExprId> {
    let (left, right) = (edges(theory, a), edges(theory, b));
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

/// An edge, with each step of program order told apart by whether it goes from one half of an operation to the other.
fn by_halves(theory: &mut Theory, edge: ExprId) -> Vec<ExprId> {
    let Some(rmw) = theory.symbols.named("rmw") else { return vec![edge] };
    let rmw = theory.exprs.symbol(rmw);
    match theory.exprs.get(edge) {
        Expr::Sequence(a, b) => {
            let (left, right) = (by_halves(theory, a), by_halves(theory, b));
            let mut all = Vec::new();
            for &l in &left {
                for &r in &right {
                    all.push(theory.exprs.sequence(l, r));
                }
            }
            all
        }
        Expr::Intersection(a, b) => {
            let right = by_halves(theory, b);
            right.into_iter().map(|r| theory.exprs.intersection(a, r)).collect()
        }
        Expr::Symbol(p) if theory.symbols.get(p).arity == 2 && theory.is_local(p) => {
            let mut effort = Effort::default();
            if within(theory, rmw, edge, Limits { depth: 0, ..Limits::default() }, &mut effort) == Answer::Refuted {
                let rest = theory.exprs.make(Expr::Difference(edge, rmw));
                vec![rmw, rest]
            } else {
                vec![edge]
            }
        }
        _ => vec![edge],
    }
}

/// Is a relation within another one in every execution?
pub fn within(theory: &mut Theory, a: ExprId, b: ExprId, limits: Limits, effort: &mut Effort) -> Answer {
    let (form, events) = open_all(theory, a, Term::event(0), Term::event(1), 2, &[]);
    let (absent, _) = theory.opened(b);
    for lit in form.lits().into_iter().chain(absent.lits()) {
        theory.explain(lit.atom.pred);
    }
    let mut values = vec![Term::event(0), Term::event(1)];
    values.extend((0..16).map(Term::variable));
    let mut problem = Problem::new(theory, events, limits);
    problem.ask(&form);
    for (lits, variables) in absent.with(&values).negated().clauses().into_iter().filter_map(normalised) {
        problem.suppose(Clause { lits, variables }, None);
    }
    let answer = problem.solve();
    effort.add(problem.effort);
    answer
}

/// Is a relation without loops?
pub fn irreflexive(theory: &mut Theory, a: ExprId, limits: Limits, effort: &mut Effort) -> Answer {
    let (form, events) = open_all(theory, a, Term::event(0), Term::event(0), 1, &[]);
    refuted(theory, &form, events, limits, effort)
}

/// Is there a structure with a formula?
pub fn refuted(theory: &mut Theory, form: &Form, events: usize, limits: Limits, effort: &mut Effort) -> Answer {
    for lit in form.lits() {
        theory.explain(lit.atom.pred);
    }
    let mut problem = Problem::new(theory, events, limits);
    problem.ask(form);
    let answer = problem.solve();
    effort.add(problem.effort);
    answer
}

/// Is a relation a strict order?
pub fn is_strict_order(theory: &mut Theory, a: ExprId, limits: Limits, effort: &mut Effort) -> bool {
    let twice = theory.exprs.sequence(a, a);
    irreflexive(theory, a, limits, effort) == Answer::Refuted && within(theory, twice, a, limits, effort) == Answer::Refuted
}

/// The orders that S may be: strict orders of the theory, and the same between the fences of events.
pub fn orders(theory: &mut Theory, relations: &[Pred], places: &[Pred], limits: Limits, effort: &mut Effort) -> Vec<ExprId> {
    let mut found = Vec::new();
    for &relation in relations {
        let order = theory.exprs.symbol(relation);
        theory.explain(relation);
        if !is_strict_order(theory, order, Limits { depth: 0, ..limits }, effort) {
            continue;
        }
        found.push(order);
        for &place in places {
            // The fence of an operation is related to its first event.
            let place = theory.exprs.symbol(place);
            let rmw = theory.symbols.named("rmw").expect("every signature has it");
            let rmw = theory.exprs.symbol(rmw);
            let first = theory.exprs.make(Expr::Inverse(rmw));
            let of_write = theory.exprs.sequence(first, place);
            let identity = theory.exprs.identity();
            let to = theory.exprs.union_all([identity, place, of_write]);
            let back = theory.exprs.make(Expr::Inverse(place));
            let back_to_write = theory.exprs.sequence(back, rmw);
            let from = theory.exprs.union_all([identity, back, back_to_write]);
            let pulled = theory.exprs.sequence(order, from);
            let pulled = theory.exprs.sequence(to, pulled);
            if is_strict_order(theory, pulled, limits, effort) {
                found.push(pulled);
            }
        }
    }
    found
}

/// Proves that a relation has no cycle, with one of the orders.
///
/// # Errors
/// What could not be shown.
pub fn acyclic(
    theory: &mut Theory,
    r: ExprId,
    order: ExprId,
    candidates: &[(u8, ExprId)],
    limits: Limits,
    effort: &mut Effort,
) -> Result<Acyclic, Box<Failed>> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for edge in edges(theory, r) {
        if within(theory, edge, order, limits, effort) == Answer::Refuted {
            second.push(edge);
            continue;
        }
        // The two halves of an operation have the same fences: steps between them are told from others.
        let parts = by_halves(theory, edge);
        let inside: Vec<bool> =
            parts.iter().map(|&p| within(theory, p, order, limits, effort) == Answer::Refuted).collect();
        if inside.contains(&true) {
            for (part, inside) in parts.into_iter().zip(inside) {
                if inside { second.push(part) } else { first.push(part) }
            }
        } else {
            first.push(edge);
        }
    }
    if std::env::var("DEBUG").is_ok() {
        for &e in &first { eprintln!("  A {}", theory.text(e)); }
        for &e in &second { eprintln!("  B {}", theory.text(e)); }
    }
    if first.is_empty() {
        return Ok(Acyclic { order, first, second, invariant: None });
    }
    if second.is_empty() {
        return Err(Box::new(Failed::NoEdge(first)));
    }
    let union = theory.exprs.union_all(first.iter().copied());
    let closure = theory.closure_name(union);
    ends(theory, closure, limits, effort);
    let invariant = match find(theory, closure, candidates, limits) {
        Ok(found) => found,
        Err(none) => return Err(Box::new(Failed::Invariant(*none))),
    };
    effort.add(invariant.effort);
    let bound = theory.exprs.union_all(invariant.items.iter().copied());
    Property::Within(bound).assume(theory, closure, &Reason::Lemma(0));
    theory.bounds.insert(closure, bound);
    let chain = theory.exprs.symbol(closure);
    if irreflexive(theory, chain, limits, effort) != Answer::Refuted {
        return Err(Box::new(Failed::Loop(bound)));
    }
    for &edge in &second {
        let both = theory.exprs.sequence(chain, edge);
        if within(theory, both, order, limits, effort) != Answer::Refuted {
            return Err(Box::new(Failed::Leaves(bound, edge)));
        }
    }
    Ok(Acyclic { order, first, second, invariant: Some(invariant) })
}

/// Finds out what the ends of a closure are.
pub fn ends(theory: &mut Theory, closure: Pred, limits: Limits, effort: &mut Effort) {
    let sets = theory.symbols.iter().filter(|(_, s)| s.arity == 1).map(|(p, _)| p).collect();
    let vocabulary = Vocabulary { sets, relations: Vec::new() };
    for &set in &vocabulary.sets {
        theory.explain(set);
    }
    let all = guesses(theory, closure, &vocabulary, 0);
    let found = inductive(theory, &[closure], all, Limits { depth: 0, ..limits });
    effort.add(found.effort);
    for (of, property) in found.kept {
        property.assume(theory, of, &Reason::Lemma(0));
    }
}

/// Why no proof was found.
#[derive(Debug, Clone)]
pub enum Failed {
    /// None of the edges is in the order.
    NoEdge(Vec<ExprId>),
    /// The closure of the other edges has no invariant.
    Invariant(NoInvariant),
    /// A member of the invariant has a loop.
    Loop(ExprId),
    /// This member of the invariant, and then this edge, leaves the order.
    Leaves(ExprId, ExprId),
}
