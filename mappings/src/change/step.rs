//! One step weaker, one step stronger: what a lowering may be changed to.

use std::collections::BTreeSet;

use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Signature, weakest_fences};

use crate::language::{Lowering, LoweringStep, Mapping, Row, ScopePattern, StepScope};

/// The longest lowering that a mapping may have (docs/mapping-language.md).
const LONGEST: usize = 8;

/// What steps are possible: the target's operations and scope_step, and what a row can say.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    signature: Signature,
    /// The scopes of the target.
    scopes: &'static [Scope],
    /// Do its instructions have scopes?
    scoped: bool,
    /// Does it have all scopes of the source?
    passes: bool,
}

impl Steps {
    /// For the lowerings of a mapping.
    pub fn new(mapping: &Mapping) -> Self {
        Self {
            signature: mapping.target.signature,
            scopes: mapping.target.scopes(),
            // An instruction of a text that takes a scope is never without.
            scoped: mapping.target.is_scoped() || mapping.target.signature.tabular().is_some(),
            passes: mapping
                .scopes()
                .iter()
                .all(|s| mapping.target.signature.scopes(true).contains(s)),
        }
    }

    /// Lowerings that are weaker by one step: a fence less, a weaker order, a narrower scope.
    pub fn weaker(&self, row: &Row, lowering: &Lowering) -> Vec<Lowering> {
        let mut out = Vec::new();
        for (i, step) in lowering.steps.iter().enumerate() {
            let orders = self.weaker_orders(step);
            if !step.carries() && orders.is_empty() {
                out.push(lowering.without(i));
            }
            let scope_step = self.narrower(row, step.scope);
            self.replace(row, lowering, i, &orders, scope_step, &mut out);
        }
        for (dependency, _) in lowering.dependencies.iter() {
            out.push(Lowering {
                dependencies: lowering.dependencies.with(dependency, None),
                ..lowering.clone()
            });
        }
        out
    }

    /// The step with weaker orders. An `atom` that fails writes nothing but stays an `atom`, of
    /// which there is no plain one.
    fn weaker_orders(&self, step: &LoweringStep) -> Vec<Construct> {
        let mut orders = construct(step).weaker(self.signature);
        orders.retain(|c| !(step.failed && c.order == Order::Plain));
        orders
    }

    /// Lowerings that are stronger by one step: a stronger order, a wider scope, a fence more,
    /// right before or behind the access.
    pub fn stronger(&self, row: &Row, lowering: &Lowering) -> Vec<Lowering> {
        let mut out = Vec::new();
        for (i, step) in lowering.steps.iter().enumerate() {
            let orders = construct(step).stronger(self.signature);
            let scope_step = self.wider(row, step.scope);
            self.replace(row, lowering, i, &orders, scope_step, &mut out);
        }
        if lowering.steps.len() < LONGEST {
            for at in self.places_for_a_fence(lowering) {
                for fence in weakest_fences(self.signature) {
                    let scope = if self.scoped && fence.has_scope(self.signature) {
                        self.widest(row)
                    } else {
                        StepScope::None
                    };
                    let fence = LoweringStep {
                        operation: fence.operation,
                        order: fence.order,
                        scope,
                        volatile: false,
                        failed: false,
                        unused: false,
                        mbarrier: false,
                    };
                    let mut steps = lowering.steps.clone();
                    steps.insert(at, fence);
                    out.push(Lowering { steps, ..lowering.clone() });
                }
            }
        }
        out
    }

    /// Every weaker lowering, as text.
    pub fn all_weaker(&self, row: &Row, lowering: &Lowering) -> BTreeSet<String> {
        self.reached(row, lowering, Self::weaker)
    }

    /// Every stronger lowering, as text.
    pub fn all_stronger(&self, row: &Row, lowering: &Lowering) -> BTreeSet<String> {
        self.reached(row, lowering, Self::stronger)
    }

    fn reached(
        &self,
        row: &Row,
        from: &Lowering,
        step: fn(&Self, &Row, &Lowering) -> Vec<Lowering>,
    ) -> BTreeSet<String> {
        let mut open = vec![from.clone()];
        let mut seen = BTreeSet::new();
        while let Some(lowering) = open.pop() {
            for next in step(self, row, &lowering) {
                if seen.insert(row.lowering_text(self.signature, &next)) {
                    open.push(next);
                }
            }
        }
        seen
    }

    /// Where a fence may be put: on a side of the access that has none, or in place of nothing.
    fn places_for_a_fence(&self, lowering: &Lowering) -> Vec<usize> {
        match lowering.access() {
            Some(access) => {
                let before = (access == 0).then_some(0);
                let behind = (access + 1 == lowering.steps.len()).then_some(access + 1);
                before.into_iter().chain(behind).collect()
            }
            None if lowering.steps.is_empty() => vec![0],
            None => Vec::new(),
        }
    }

    fn replace(
        &self,
        row: &Row,
        lowering: &Lowering,
        at: usize,
        orders: &[Construct],
        scope_step: Option<StepScope>,
        out: &mut Vec<Lowering>,
    ) {
        let step = lowering.steps[at];
        let mut add = |changed: LoweringStep| {
            if !changed.exists() {
                return;
            }
            let mut steps = lowering.steps.clone();
            steps[at] = changed;
            out.push(Lowering { steps, ..lowering.clone() });
        };
        for construct in orders {
            let scope = match (construct.has_scope(self.signature), step.scope) {
                (false, _) => StepScope::None,
                (_, StepScope::None) if self.scoped => self.widest(row),
                (_, scope) => scope,
            };
            // A volatile operation is relaxed at sys scope and has no other order.
            add(LoweringStep { order: construct.order, scope, volatile: false, ..step });
        }
        if let Some(scope) = scope_step {
            add(LoweringStep { scope, volatile: false, ..step });
        }
    }

    /// The scope that suffices for the row: that of the operation, where it has a name.
    fn widest(&self, row: &Row) -> StepScope {
        match &row.scope {
            ScopePattern::Any(Some(_)) if self.passes => StepScope::Same,
            ScopePattern::Any(_) => StepScope::Named(Scope::Sys),
            // The same, or what is next wider.
            ScopePattern::Named(scope) => {
                StepScope::Named(self.scopes.iter().copied().find(|s| s >= scope).unwrap_or(*scope))
            }
        }
    }

    /// Wider than a scope that is written down: the operation's own, where the row has a name for
    /// it; wider than that: all.
    fn wider(&self, row: &Row, scope: StepScope) -> Option<StepScope> {
        match scope {
            StepScope::None | StepScope::Named(Scope::Sys) => None,
            StepScope::Same => Some(StepScope::Named(Scope::Sys)),
            StepScope::Named(_) if self.is_variable(row) => Some(StepScope::Same),
            StepScope::Named(scope) => scope.wider(self.scopes).map(StepScope::Named),
        }
    }

    fn narrower(&self, row: &Row, scope: StepScope) -> Option<StepScope> {
        match scope {
            StepScope::None => None,
            StepScope::Named(Scope::Sys) if self.is_variable(row) => Some(StepScope::Same),
            // Narrower than any that the operation can have.
            StepScope::Same => self.scopes.first().map(|&narrowest| StepScope::Named(narrowest)),
            StepScope::Named(scope) => scope.narrower(self.scopes).map(StepScope::Named),
        }
    }

    fn is_variable(&self, row: &Row) -> bool {
        self.passes && matches!(row.scope, ScopePattern::Any(Some(_)))
    }
}

fn construct(step: &LoweringStep) -> Construct {
    Construct { operation: step.operation, order: step.order }
}
