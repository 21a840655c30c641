//! How strong the executions of a comparison are: what makes one large, and which are at least as
//! strong as another one.

use margay_models::signature::{Construct, Operation};
use margay_solver::{Atom, Instance, Literal, Relation};

use crate::encode::atoms::AtomPlace;
use crate::encode::{ModelComparison, SpecialRelation};
use crate::search::{Case, Question};

/// What makes an execution large: locations, orders, scopes, dependencies, coherence and Fence-SC
/// edges, and threads apart.
pub fn costs<Q: Question<QuestionFormulas = ModelComparison>>(
    case: &mut Case<'_, Q>,
) -> Vec<(u32, Literal)> {
    let v = case.formulas.vocabulary.clone();
    let (n, threads) = (case.atoms.events(), case.atoms.shape.threads());
    let event = AtomPlace::Event;
    let mut terms = Vec::new();
    for e in 0..n {
        terms.push((64, case.literal(v.at, &[event(e), event(e)])));
        for &(construct, relation) in &v.construct {
            terms.push((strength(construct), case.literal(relation, &[event(e)])));
        }
        for &(special, relation) in &v.special {
            terms.push((weight(special), case.literal(relation, &[event(e)])));
        }
        for &(scope, relation) in &v.scope {
            terms.push((scope.rank(), case.literal(relation, &[event(e)])));
        }
        for f in 0..n {
            let pair = [event(e), event(f)];
            let relations = v.dependencies.into_iter().chain([v.related, v.fence_order]);
            for relation in relations {
                terms.push((1, case.literal(relation, &pair)));
            }
        }
    }
    for &(_, relation) in &v.together {
        for s in 0..threads {
            for t in s + 1..threads {
                let together =
                    case.literal(relation, &[AtomPlace::Thread(s), AtomPlace::Thread(t)]);
                terms.push((1, !together));
            }
        }
    }
    terms.retain(|&(weight, literal)| weight > 0 && literal.constant() != Some(false));
    terms
}

/// Coherence order as literals.
pub struct Coherence(Vec<([Atom; 2], Literal)>);

impl Coherence {
    pub fn new<Q: Question<QuestionFormulas = ModelComparison>>(case: &mut Case<'_, Q>) -> Self {
        let cells = case.session.cells(&case.formulas.logic, case.formulas.coherence);
        Self(cells.into_iter().map(|(t, l)| ([t[0], t[1]], l)).collect())
    }

    /// From now on nothing that is at least as strong: with the same locations and reads-from, and
    /// everywhere the same or a stronger order, the same or a wider scope, the same dependencies,
    /// coherence edges and Fence-SC edges or more, and no threads closer.
    pub fn block<Q: Question<QuestionFormulas = ModelComparison>>(
        &self,
        case: &mut Case<'_, Q>,
        instance: &Instance,
    ) {
        let v = case.formulas.vocabulary.clone();
        let (n, threads) = (case.atoms.events(), case.atoms.shape.threads());
        let event = AtomPlace::Event;
        let has = |relation: Relation, places: &[AtomPlace]| {
            let tuple: Vec<Atom> = places.iter().map(|&p| case.atoms.atom(p)).collect();
            instance.contains(relation, &tuple)
        };
        let construct =
            |e: usize| v.construct.iter().find(|&&(_, r)| has(r, &[event(e)])).map(|&(c, _)| c);
        let scope = |e: usize| v.scope.iter().find(|&&(_, r)| has(r, &[event(e)])).map(|&(s, _)| s);
        // Tuples whose truth or falsity makes another execution incomparable or weaker.
        let mut different: Vec<(bool, Relation, Vec<AtomPlace>)> = Vec::new();
        for e in 0..n {
            let next = || {
                construct(e + 1)
                    .filter(|_| e + 1 < n && case.atoms.thread[e] == case.atoms.thread[e + 1])
            };
            for &(c, relation) in &v.construct {
                let covers = match construct(e) {
                    Some(mine) if mine.operation == c.operation => mine.order.is_at_most(c.order),
                    // A read-modify-write is stronger than its two halves.
                    Some(mine) => match (c.split(), next()) {
                        (Some((read, write)), Some(after)) => {
                            mine.operation == Operation::Read
                                && after.operation == Operation::Write
                                && mine.order.is_at_most(read.order)
                                && after.order.is_at_most(write.order)
                        }
                        _ => false,
                    },
                    None => false,
                };
                if !covers {
                    different.push((true, relation, vec![event(e)]));
                }
            }
            for &(s, relation) in &v.special {
                // An event of its own kind is another one; an operation is stronger if it is
                // special.
                let here = has(relation, &[event(e)]);
                if here || s.is_event() {
                    different.push((!here, relation, vec![event(e)]));
                }
            }
            for &(s, relation) in &v.scope {
                if scope(e).is_some_and(|mine| s < mine) {
                    different.push((true, relation, vec![event(e)]));
                }
            }
            for f in 0..n {
                for relation in
                    [v.at, v.rf].into_iter().chain(v.dependencies).chain([v.fence_order])
                {
                    if has(relation, &[event(e), event(f)]) {
                        different.push((false, relation, vec![event(e), event(f)]));
                    }
                }
                if has(v.rf, &[AtomPlace::Init(e), event(f)]) {
                    different.push((false, v.rf, vec![AtomPlace::Init(e), event(f)]));
                }
            }
        }
        for &(_, relation) in &v.together {
            for s in 0..threads {
                for t in s + 1..threads {
                    let pair = vec![AtomPlace::Thread(s), AtomPlace::Thread(t)];
                    if !has(relation, &pair) {
                        different.push((true, relation, pair));
                    }
                }
            }
        }
        let order = instance.evaluate(&case.formulas.logic, case.formulas.coherence);
        let mut clause: Vec<Literal> = self
            .0
            .iter()
            .filter(|(pair, _)| order.contains(pair))
            .map(|&(_, literal)| !literal)
            .collect();
        for (truth, relation, places) in different {
            let literal = case.literal(relation, &places);
            clause.push(if truth { literal } else { !literal });
        }
        case.session.add_clause(&clause);
    }
}

/// What is special is shown only where it must be.
fn weight(special: SpecialRelation) -> u32 {
    if special.is_event() { 18 } else { 6 }
}

/// Grows with every step that makes an instruction stronger (`models/src/signature/strength.rs`).
fn strength(construct: Construct) -> u32 {
    match construct.split() {
        Some((read, write)) => 4 * (read.order.rank() + write.order.rank()) + 2,
        None => 4 * construct.order.rank(),
    }
}
