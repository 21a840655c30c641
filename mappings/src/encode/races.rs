//! Races of a candidate's source execution, where the question is about programs.

use margay_models::model::{Model, Node};
use margay_models::signature::{Construct, Operation};
use margay_solver::{Expr, Formula, Logic};

use super::source::SourceExpressions;
use super::vocabulary::MappingVocabulary;

/// The source execution has a race only if it has no last operation, which is last in its thread
/// and nothing reads from it, or if a last operation of one of these kinds has a part in the race.
/// [`crate::check`] says where that is so of every smallest counterexample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FewRaces {
    /// The kinds.
    pub but_of: Vec<Construct>,
}

/// The formulas that say so, one for each check about races. `definitions` are the values of the
/// model's names, of which each race is one.
pub fn few_races(
    logic: &mut Logic,
    (v, source): (&MappingVocabulary, &SourceExpressions),
    few: &FewRaces,
    (model, definitions): (&Model, &[Expr]),
) -> Vec<Formula> {
    let last = last_operations(logic, source);
    let next = logic.rel(v.next);
    let mut kinds = Vec::new();
    for &(construct, relation) in v.construct.iter().filter(|(c, _)| few.but_of.contains(c)) {
        let set = logic.rel(relation);
        kinds.push(set);
        if construct.operation == Operation::Rmw {
            kinds.push(logic.join(set, next));
        }
    }
    let kinds = logic.union_all(1, kinds);
    let exempt = logic.intersection(kinds, last);
    let others = logic.difference(source.universe, exempt);
    let none_last = logic.no(last);
    let races = model
        .checks
        .iter()
        .filter(|check| check.is_undefined_behaviour())
        .filter_map(|check| race(model, check.expr));
    let mut out = Vec::new();
    for name in races {
        let race = logic.restrict_domain(others, definitions[name]);
        let race = logic.restrict_range(race, others);
        let no_race = logic.no(race);
        out.push(logic.or([none_last, no_race]));
    }
    out
}

/// The number of the definition that an expression is, if it is one.
fn race(model: &Model, expr: margay_models::model::ExprId) -> Option<usize> {
    match model.arena.node(expr) {
        Node::Definition(d) => Some(d.index()),
        _ => None,
    }
}

/// The events of operations that nothing comes after in their threads, and that nothing reads from.
fn last_operations(logic: &mut Logic, source: &SourceExpressions) -> Expr {
    let (po, rf) = (source.po, source.rf);
    let later = logic.difference(po, source.rmw);
    let followed = logic.domain(later);
    let written = logic.domain(rf);
    let read_halves = logic.join(source.rmw, written);
    let others = logic.union_all(1, vec![followed, written, read_halves]);
    logic.difference(source.events, others)
}
