//! Two models over the same executions, as formulas: each model's checks, and when an instance is
//! an execution of both. With a mapping the older model speaks of the source execution and the
//! newer one of what it is compiled to; without, both speak of one execution of their signature.

use margay_models::execution::Scope;
use margay_models::lower::{BaseInterpretation, lower};
use margay_models::model::{Model, Role as CheckRole};
use margay_models::signature::{BaseRelation, BaseSet, Construct};
use margay_solver::{Expr, Formula, Logic, TupleSet};

use super::atoms::EventSlots;
use super::fences::{fence_order, ordered_fences};
use super::problem::{content, satisfied, sees_scopes_by_inclusion};
use super::slot::SlotRole;
use super::source::SourceExpressions;
use super::source_base::SourceBase;
use super::special::SpecialRelation;
use super::symmetry;
use super::target::{TargetBase, TargetExpressions};
use super::technique::Techniques;
use super::vocabulary::{Content, MappingVocabulary};
use super::{MappingProblem, ProblemOptions};
use crate::language::Mapping;

/// What a model says of the executions, by indices into its checks.
#[derive(Debug, Clone)]
pub struct ComparisonSide {
    /// Each axiom: it holds.
    pub axioms: Vec<(usize, Formula)>,
    /// Each check that says when a program is undefined: the execution is defined as far as this
    /// check goes.
    pub defined: Vec<(usize, Formula)>,
}

/// Two models as formulas over a [`MappingVocabulary`].
#[derive(Debug, Clone)]
pub struct ModelComparison {
    /// All expressions.
    pub logic: Logic,
    /// The relations.
    pub vocabulary: MappingVocabulary,
    /// An instance is a well-formed execution.
    pub wellformed: Vec<Formula>,
    /// The older and the newer model.
    pub sides: [ComparisonSide; 2],
    /// Coherence order among the events (of the target, with a mapping).
    pub coherence: Expr,
    source: SourceExpressions,
}

/// What the executions of a comparison range over.
#[derive(Debug, Clone)]
pub struct ComparisonExtent {
    /// The constructs that programs are made of.
    pub constructs: Vec<Construct>,
    /// What else may occur: barriers, proxies, reductions and so on of PTX.
    pub specials: Vec<SpecialRelation>,
    /// The scopes that operations may have.
    pub scopes: Vec<Scope>,
    /// Is a location accessed by plain or by other operations, never by both?
    pub typed: bool,
}

impl ModelComparison {
    /// Two models of one signature.
    pub fn of_one_signature(models: [&Model; 2], extent: &ComparisonExtent) -> Self {
        let signature = models[0].signature;
        let mut logic = Logic::new();
        let mentions = |r: BaseRelation| models.iter().any(|m| m.mentions_relation(r));
        let mut placements: Vec<Scope> = extent.scopes.clone();
        if extent.specials.contains(&SpecialRelation::Arrival) && !placements.contains(&Scope::Cta)
        {
            placements.insert(0, Scope::Cta);
        }
        let content = Content {
            signature,
            constructs: extent.constructs.clone(),
            specials: extent.specials.clone(),
            scopes: extent.scopes.clone(),
            placements,
            slots: EventSlots::default(),
            alternatives: 1,
            classes: Default::default(),
            dependencies: BaseRelation::DEPENDENCIES.into_iter().any(mentions),
            programs: None,
            partial_coherence: !signature.total_coherence(),
            fences_at_ends: true,
            sc_fences: if models.iter().any(|m| m.orders_fences()) {
                vec![SlotRole::Access]
            } else {
                Vec::new()
            },
            unused_reads: Vec::new(),
            writes_back: false,
            exchanges: models.iter().any(|m| m.mentions_set(BaseSet::Xchg)),
            // Both models speak of the order of one execution, which is searched for as its
            // coherence order is.
            chosen_fences: false,
        };
        let v = MappingVocabulary::new(&mut logic, content, Techniques::default());
        let source = SourceExpressions::new(&mut logic, &v);
        let mut wellformed = source.wellformed(&mut logic, &v, extent.typed);
        let coherence = if signature.total_coherence() { source.mo } else { source.partial_co };
        let fence_sc = signature.ordered_fences().map(|_| {
            let order = logic.rel(v.fence_order);
            let strong = ordered_fences(&mut logic, signature, source.fences, &source.orders);
            fence_order(&mut logic, order, strong, &mut wellformed);
            order
        });
        if !signature.total_coherence() {
            let twice = logic.join(coherence, coherence);
            wellformed.push(logic.subset(twice, coherence));
        }
        if models.iter().all(|m| sees_scopes_by_inclusion(m)) {
            wellformed.extend(symmetry::narrow_scopes(&mut logic, &source));
        }
        let sides = models.map(|model| {
            let base = SourceBase::new(&mut logic, &source, true).with_orders(coherence, fence_sc);
            side(model, &mut logic, &base)
        });
        Self { logic, vocabulary: v, wellformed, sides, coherence, source }
    }

    /// The source model of a mapping and its target model.
    pub fn across(mapping: &Mapping, extent: &ComparisonExtent) -> Self {
        let options = ProblemOptions {
            constructs: extent.constructs.clone(),
            typed: extent.typed,
            techniques: Techniques::default(),
            programs: None,
            defined: true,
            few_races: None,
            beside: Vec::new(),
            every_read_guards: None,
            guards: None,
        };
        let mut logic = Logic::new();
        // What two models disagree on is no violation of one of them, so the argument for leaving
        // fences out is not made.
        let content = Content { fences_at_ends: true, ..content(mapping, &options) };
        let v = MappingVocabulary::new(&mut logic, content, options.techniques);
        let source = SourceExpressions::new(&mut logic, &v);
        let mut wellformed = source.wellformed(&mut logic, &v, extent.typed);
        let target = TargetExpressions::new(&mut logic, mapping, &v, &source, &mut wellformed);
        if MappingProblem::may_narrow_scopes(mapping) {
            wellformed.extend(symmetry::narrow_scopes(&mut logic, &source));
        }
        let old = {
            let base = SourceBase::new(&mut logic, &source, true);
            side(&mapping.source, &mut logic, &base)
        };
        let new = {
            let base = TargetBase::new(&mut logic, &target, true);
            side(&mapping.target, &mut logic, &base)
        };
        let coherence =
            if mapping.target.signature.total_coherence() { source.mo } else { source.partial_co };
        Self { logic, vocabulary: v, wellformed, sides: [old, new], coherence, source }
    }

    /// The expressions of the (source) executions.
    pub(super) fn source(&self) -> &SourceExpressions {
        &self.source
    }

    /// The (source) events.
    pub fn events(&self) -> Expr {
        self.source.events
    }

    /// The expression: the last write of each location in modification order.
    pub fn finals(&mut self) -> Expr {
        let overwritten = self.logic.domain(self.source.mo);
        self.logic.difference(self.source.writes, overwritten)
    }

    /// The formula: each location may end with one of these writes.
    pub fn ends_with(&mut self, writes: TupleSet) -> Formula {
        let writes = self.logic.constant(writes);
        let overwritten = self.logic.domain(self.coherence);
        let both = self.logic.intersection(writes, overwritten);
        self.logic.no(both)
    }

    /// The formula: with another coherence order and Fence-SC order of its events, given as
    /// constants, the model (of one signature) allows an execution with the same outcome. What the
    /// constants say of events that do not fit is ignored; where coherence order is total, so must
    /// they be.
    pub fn explained_by(
        &mut self,
        model: &Model,
        coherence: TupleSet,
        fence_sc: TupleSet,
    ) -> Formula {
        let logic = &mut self.logic;
        let (writes, inits, loc) = (self.source.writes, self.source.inits, self.source.loc);
        let order = logic.constant(coherence);
        let among = logic.intersection(order, loc);
        let among = logic.restrict_domain(writes, among);
        let among = logic.restrict_range(among, writes);
        let from_inits = logic.restrict_domain(inits, loc);
        let from_inits = logic.restrict_range(from_inits, writes);
        let other = logic.union(among, from_inits);
        let fence_sc = model.signature.ordered_fences().map(|_| {
            let strong =
                ordered_fences(logic, model.signature, self.source.fences, &self.source.orders);
            let order = logic.constant(fence_sc);
            let order = logic.restrict_domain(strong, order);
            logic.restrict_range(order, strong)
        });
        let base = SourceBase::new(logic, &self.source, true).with_orders(other, fence_sc);
        let lowered = side(model, logic, &base);
        let mut parts: Vec<Formula> = lowered.axioms.iter().map(|&(_, f)| f).collect();
        // A location ends with a write that nothing follows; the candidate's, last in modification
        // order, must be one of them.
        let overwritten = logic.domain(other);
        let finals = self.finals();
        let overwritten = self.logic.intersection(finals, overwritten);
        parts.push(self.logic.no(overwritten));
        self.logic.and(parts)
    }
}

/// Lowers one model.
fn side(model: &Model, logic: &mut Logic, base: &dyn BaseInterpretation) -> ComparisonSide {
    let lowered = lower(model, logic, base);
    let mut side = ComparisonSide { axioms: Vec::new(), defined: Vec::new() };
    for (i, (check, &test)) in model.checks.iter().zip(&lowered.checks).enumerate() {
        if check.role == CheckRole::Axiom {
            side.axioms.push((i, test));
        } else if check.is_undefined_behaviour() {
            side.defined.push((i, satisfied(logic, check, test)));
        }
    }
    side
}
