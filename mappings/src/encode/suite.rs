//! The formulas of `margay synth` for executions of so many events: forbidden, and allowed one step
//! weaker in every way.

use margay_models::execution::{Order, Scope};
use margay_models::model::Model;
use margay_models::signature::Operation;
use margay_solver::{Bounds, Formula};

use super::atoms::Atoms;
use super::comparison::{ComparisonExtent, ModelComparison};
use super::relaxed::{ChosenOrders, Relaxation, RelaxedLevel};
use super::shape::ThreadShape;

/// The search for minimal tests of so many events.
#[derive(Debug, Clone)]
pub struct SuiteSearch {
    /// The executions.
    pub comparison: ModelComparison,
    /// For each step of relaxation: if it can be taken, the test is allowed then.
    pub minimal: Vec<(Relaxation, Formula)>,
    /// What dependencies programs can have.
    pub dependencies: Vec<Formula>,
    chosen: Vec<ChosenOrders>,
}

impl SuiteSearch {
    /// The formulas for so many events in at most as many threads.
    pub fn new(model: &Model, extent: &ComparisonExtent, events: usize) -> Self {
        let mut comparison = ModelComparison::of_one_signature([model, model], extent);
        let atoms = Atoms::new(&ThreadShape::apart(events), comparison.vocabulary.content.slots);
        let v = comparison.vocabulary.clone();
        let finals = comparison.finals();
        let source = comparison.source().clone();
        let logic = &mut comparison.logic;
        let level = RelaxedLevel::new(logic, &v, &source, model.signature);
        let mut minimal = Vec::new();
        let mut chosen = Vec::new();
        for change in changes(events, extent, v.content.dependencies) {
            let (mut weaker, applies) = level.relaxed(logic, &v, &atoms, model.signature, change);
            let own = ChosenOrders::new(logic);
            let mut allowed = weaker.with_orders(logic, &v, own, finals);
            allowed.extend(weaker.axioms(logic, model).into_iter().map(|(_, f)| f));
            let allowed = logic.and(allowed);
            minimal.push((change, logic.implies(applies, allowed)));
            chosen.push(own);
        }
        let dependencies = if v.content.dependencies {
            level.dependencies_of_instructions(logic)
        } else {
            Vec::new()
        };
        Self { comparison, minimal, dependencies, chosen }
    }

    /// The formula: one of these axioms is violated.
    pub fn forbidden(&mut self, axioms: &[usize]) -> Formula {
        let ModelComparison { logic, sides, .. } = &mut self.comparison;
        let asked = sides[0].axioms.iter().filter(|(i, _)| axioms.contains(i));
        let violated: Vec<Formula> = asked.map(|&(_, f)| logic.not(f)).collect();
        logic.or(violated)
    }

    /// The bounds for one shape.
    pub fn bounds(&self, atoms: &Atoms) -> Bounds {
        let v = &self.comparison.vocabulary;
        let mut bounds = v.bounds(atoms);
        for chosen in &self.chosen {
            chosen.bound(v, &mut bounds);
        }
        bounds
    }
}

/// Every step that some instruction of so many events may be relaxed by.
fn changes(events: usize, extent: &ComparisonExtent, dependencies: bool) -> Vec<Relaxation> {
    let has = |operation: Operation| extent.constructs.iter().any(|c| c.operation == operation);
    let ordered =
        extent.constructs.iter().any(|c| !matches!(c.order, Order::Plain | Order::Tagged(_)));
    let mut out = Vec::new();
    for e in 0..events {
        out.push(Relaxation::Remove(e));
        if ordered {
            out.extend([Relaxation::Demote(e, 0), Relaxation::Demote(e, 1)]);
        }
        if extent.scopes.len() > 1 {
            out.push(Relaxation::Narrow(e));
        }
        if has(Operation::Rmw) && e + 1 < events {
            out.push(Relaxation::Split(e));
        }
        if dependencies {
            out.extend((e + 1..events).map(|f| Relaxation::Loosen(e, f)));
        }
        let levels = extent.scopes.iter().filter(|&&s| s != Scope::Sys);
        out.extend(levels.map(|&s| Relaxation::Apart(e, s)));
    }
    out
}
