//! Finds what contradicts a check: the shortest cycle, the pair that is easiest to explain, or an
//! event.

use super::derive::Deriver;
use super::path::shortest_cycle;
use super::{Contradiction, Derivation, Reason, Violation};
use crate::bits::Event;
use crate::execution::Execution;
use crate::model::{Check, CheckKind, Model, Node, Role, Sort};

/// How many pairs are compared at most.
const MAX_CANDIDATES: usize = 40;

/// Why the execution fails the check with that index (for a flag: why it is raised); `None` if it
/// does not.
///
/// # Panics
/// If the model has no check with that index.
pub fn violation(model: &Model, execution: &Execution, check: usize) -> Option<Violation> {
    let index = check;
    let check = &model.checks[index];
    let mut deriver = Deriver::new(model, execution, check.expr);
    let contradiction = contradiction(model, check, &mut deriver);
    let holds = contradiction.is_none() != check.negated;
    let reported = if matches!(check.role, Role::Flag | Role::Race) { holds } else { !holds };
    let finding = contradiction.unwrap_or(Contradiction::Nothing);
    reported.then(|| Violation {
        check: index,
        name: check.display_name(),
        place: check.place.clone(),
        finding,
    })
}

/// Why a definition of the model relates two events; `None` if it does not, or there is no relation
/// of that name.
pub fn derivation(
    model: &Model,
    execution: &Execution,
    definition: &str,
    from: Event,
    to: Event,
) -> Option<Derivation> {
    let id = model.definition_named(definition)?;
    let root = model.arena.find(Node::Definition(id)).unwrap_or(model.definition(id).body);
    if model.arena.sort(root) != Sort::Relation {
        return None;
    }
    let mut deriver = Deriver::new(model, execution, root);
    let has = from.index().max(to.index()) < execution.size()
        && deriver.levels.rows(root, None).contains(from.index(), to.index());
    has.then(|| deriver.derive(root, from.index(), to.index(), None))
}

/// What contradicts the property, whether or not the check negates it.
fn contradiction(model: &Model, check: &Check, deriver: &mut Deriver<'_>) -> Option<Contradiction> {
    let rows = deriver.levels.rows(check.expr, None);
    match check.kind {
        CheckKind::Acyclic => {
            let cycle = shortest_cycle(rows)?;
            let steps =
                cycle.windows(2).map(|w| deriver.derive(check.expr, w[0], w[1], None)).collect();
            Some(Contradiction::Cycle(unfolded(steps)))
        }
        CheckKind::Irreflexive => {
            let reflexive = (0..rows.events())
                .filter(|&e| rows.contains(e, e))
                .map(|e| (e, e))
                .take(MAX_CANDIDATES)
                .collect();
            let derivation = easiest(check, reflexive, deriver)?;
            Some(Contradiction::Cycle(unfolded(vec![derivation])))
        }
        CheckKind::Empty if model.arena.sort(check.expr) == Sort::Set => {
            rows.row(0).iter().next().map(Contradiction::Member)
        }
        CheckKind::Empty => {
            let pairs = (0..rows.events())
                .flat_map(|a| rows.row(a).iter().map(move |b| (a, b.index())))
                .take(MAX_CANDIDATES)
                .collect();
            easiest(check, pairs, deriver).map(Contradiction::Pair)
        }
    }
}

/// The derivation with the fewest base edges, of the first candidates.
fn easiest(
    check: &Check,
    pairs: Vec<(usize, usize)>,
    deriver: &mut Deriver<'_>,
) -> Option<Derivation> {
    let derivations = pairs.into_iter().map(|(a, b)| deriver.derive(check.expr, a, b, None));
    derivations.min_by_key(Derivation::drawn)
}

/// A step from an event to itself as the path that it is made of.
fn unfolded(mut steps: Vec<Derivation>) -> Vec<Derivation> {
    while let [Derivation { from, to, reason }] = steps.as_slice() {
        if from != to {
            break;
        }
        steps = match reason {
            Reason::Definition { because, .. } => vec![(**because).clone()],
            Reason::Path(path) if !path.is_empty() => path.clone(),
            Reason::Both(derivations, _) if !derivations.is_empty() => vec![derivations[0].clone()],
            Reason::Inverse(inner) => vec![(**inner).clone()],
            Reason::Base(_) | Reason::Conditions(_) | Reason::Path(_) | Reason::Both(..) => break,
        };
    }
    steps
}
