//! The cases of an induction: the ways in which a pair comes into a closure or recursive relation.

use super::edges::edges;
use super::opening::open_all;
use crate::logic::form::MOST_DISTRIBUTED;
use crate::logic::{EventAtom, EventTerm, Lit, Meaning, Pred, TheoryFormula};
use crate::theory::Theory;

/// One way for a pair to come into a relation.
#[derive(Debug, Clone)]
pub struct InductionCase {
    /// What is there. Events 0 and 1 are the pair.
    pub body: TheoryFormula,
    /// How many events the body speaks of.
    pub events: usize,
    /// The pairs of relations of the group that come before.
    pub earlier: Vec<EventAtom>,
    /// The relation.
    pub of: Pred,
}

/// The cases of an induction over a closure, or over the members of a recursive definition; with
/// `apart`, one for each edge of what a closure is of.
pub fn induction_cases(theory: &mut Theory, group: &[Pred], apart: bool) -> Vec<InductionCase> {
    let (s, t) = (EventTerm::event(0), EventTerm::event(1));
    let mut found = Vec::new();
    for &pred in group {
        match theory.symbols.get(pred).meaning {
            Meaning::Closure(r) => {
                let between = EventTerm::event(2);
                let earlier = EventAtom::binary(pred, s, between);
                let mut edges = if apart { edges(theory, r) } else { vec![r] };
                // Of a relation with nothing in it there is a rule that never applies, so that each
                // property has an obligation.
                if edges.is_empty() {
                    edges.push(r);
                }
                for &edge in &edges {
                    let (body, events) = open_all(theory, edge, s, t, 2, group);
                    found.push(InductionCase { body, events, earlier: Vec::new(), of: pred });
                }
                for &edge in &edges {
                    let (step, events) = open_all(theory, edge, between, t, 3, group);
                    let body = TheoryFormula::and([TheoryFormula::Lit(Lit::yes(earlier)), step]);
                    found.push(InductionCase { body, events, earlier: vec![earlier], of: pred });
                }
            }
            Meaning::Fixpoint(body, _) => {
                for part in theory.exprs.union_parts(body) {
                    let (body, events) = open_all(theory, part, s, t, 2, group);
                    for (body, is_certain) in certain(body, group) {
                        let pairs =
                            body.lits().into_iter().filter(|l| is_certain && is_earlier(l, group));
                        let earlier = pairs.map(|l| l.atom).collect();
                        found.push(InductionCase { body, events, earlier, of: pred });
                    }
                }
            }
            Meaning::Defined(body) => {
                let (body, events) = open_all(theory, body, s, t, 2, group);
                found.push(InductionCase { body, events, earlier: Vec::new(), of: pred });
            }
            _ => {}
        }
    }
    found
}

/// Is it a pair of a relation of the group?
fn is_earlier(lit: &Lit, group: &[Pred]) -> bool {
    lit.positive && group.contains(&lit.atom.pred)
}

/// The body as formulas in which each pair of the group is there whatever the choice: what an
/// induction supposes of a pair is true only of pairs that are. In `let rec c = (c | b); m` the
/// first event may have come by `b`. If there are too many choices the body stays as it is, and
/// none of its pairs is certain.
fn certain(body: TheoryFormula, group: &[Pred]) -> Vec<(TheoryFormula, bool)> {
    let parts = match &body {
        TheoryFormula::And(parts) => parts.clone(),
        TheoryFormula::Lit(_) | TheoryFormula::Const(_) => return vec![(body, true)],
        TheoryFormula::Or(_) => vec![body.clone()],
    };
    let chosen = |part: &TheoryFormula| {
        matches!(part, TheoryFormula::Or(_)) && part.lits().iter().any(|l| is_earlier(l, group))
    };
    if !parts.iter().any(chosen) {
        return vec![(body, true)];
    }
    if body.size().cases > MOST_DISTRIBUTED {
        return vec![(body, false)];
    }
    body.cases()
        .into_iter()
        .map(|lits| (TheoryFormula::and(lits.into_iter().map(TheoryFormula::lit)), true))
        .collect()
}
