//! Lemmas that the solver is asked about before the question itself: relations of the source that
//! lie in relations of the target if the mapping is right. None is trusted. The solver decides for
//! each pair of events whether the source's relation can have it and the target's not; what cannot
//! be is a clause from then on, and the refutations of the question need not find it again.

use std::collections::BTreeSet;

use margay_models::model::{Definition, ExprId, Model, Node, Sort};
use margay_solver::{Expr, Formula, Logic};

use super::source::SourceExpressions;
use super::source_base::SourceBase;
use super::target::TargetBase;

/// A level of a mapping: a model, its base relations, and the values of its names.
pub struct LemmaLevel<'a, B> {
    pub model: &'a Model,
    /// Its base relations.
    pub base: &'a B,
    /// The values of its definitions.
    pub definitions: &'a [Expr],
}

/// For each lemma that these models suggest the formula that says: it is wrong. The happens-before
/// of the source lies in program order and the causality order of the target; where coherence order
/// is partial, modification order lies in it.
pub fn lemmas(
    logic: &mut Logic,
    source: &SourceExpressions,
    from: &LemmaLevel<'_, SourceBase<'_>>,
    to: &LemmaLevel<'_, TargetBase<'_>>,
) -> Vec<Formula> {
    let orders = |model: &Model, definitions: &[Expr]| -> Vec<Expr> {
        let all = model.definitions.iter().zip(definitions);
        all.filter(|(definition, _)| is_order(model, definition)).map(|(_, &value)| value).collect()
    };
    // A relation of the source, and what it may lie in.
    let mut pairs = Vec::new();
    let causality = orders(to.model, to.definitions);
    if !causality.is_empty() {
        let larger = logic.union_all(
            2,
            causality.into_iter().chain([from.base.relations.po]).collect::<Vec<_>>(),
        );
        pairs.extend(
            orders(from.model, from.definitions).into_iter().map(|smaller| (smaller, larger)),
        );
    }
    let (mo, co) = (from.base.relations.co, to.base.relations().co);
    pairs.extend((mo != co).then_some((mo, co)));
    let wrong = |(smaller, larger)| {
        let of_events = logic.restrict_domain(source.events, smaller);
        let outside = logic.difference(of_events, larger);
        logic.some(outside)
    };
    pairs.into_iter().map(wrong).collect()
}

/// Is the name one of a closure of steps, some of them in program order, that an axiom speaks of?
fn is_order(model: &Model, definition: &Definition) -> bool {
    let axioms = model.axioms().map(|(_, check)| check.expr);
    let is_closure = definition.group.is_some()
        || matches!(
            model.arena.node(definition.body),
            Node::Closure(_) | Node::ReflexiveClosure(_)
        );
    definition.sort == Sort::Relation
        && is_closure
        && has_steps_in_program_order(model, definition.body)
        && model.reachable(axioms).contains(&definition.body)
}

/// Is program order among the steps that an expression is made of? What it is merely compared with
/// does not count.
fn has_steps_in_program_order(model: &Model, body: ExprId) -> bool {
    let (mut open, mut seen) = (vec![body], BTreeSet::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.arena.node(id) {
            Node::Relation(relation) if relation.is_program_order() => return true,
            Node::Definition(d) => open.push(model.definition(d).body),
            steps @ (Node::Union(..)
            | Node::Sequence(..)
            | Node::Closure(_)
            | Node::ReflexiveClosure(_)
            | Node::Optional(_)) => {
                open.extend(steps.children());
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_order;
    use margay_models::library;

    #[test]
    fn orders_are_closures_with_steps_in_program_order() {
        let orders = |model: &str| -> Vec<String> {
            let model = library::load(model, &[]).expect("it is shipped").model;
            model
                .definitions
                .iter()
                .filter(|d| is_order(&model, d))
                .map(|d| d.name.clone())
                .collect()
        };
        // `eco` has no step in program order; `obs` has steps that are compared with it; no axiom
        // speaks of what is not used.
        assert_eq!(orders("rc11-lb"), ["hb"]);
        assert_eq!(orders("rc11-scoped"), ["hb"]);
        assert_eq!(orders("ptx-6.0"), ["cause-base"]);
        assert_eq!(orders("c11"), ["hb"]);
        // The last two are of tensor memory, of which mappings have nothing: they are empty there.
        assert_eq!(orders("ptx-8"), ["base-causality", "told", "piped"]);
        // A closure that is only part of an axiom has no name here.
        assert!(orders("x86").is_empty());
    }
}
