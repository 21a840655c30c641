//! The target level as a `.cat` model sees it: which expression each of its base names stands for.

use margay_models::execution::Order;
use margay_models::lower::{BaseInterpretation, Interpretation};
use margay_models::signature::{BaseRelation, BaseSet, Tag};
use margay_solver::{Expr, Logic};

use super::TargetExpressions;
use crate::encode::level::LevelRelations;
use crate::encode::sets::{find, tagged, without};

/// The target level as a .cat model sees it.
pub struct TargetBase<'a> {
    target: &'a TargetExpressions,
    all_writes: Expr,
    memory: Expr,
    tags: Vec<(Tag, Expr)>,
    /// Closures of communication relations by their closed form.
    closed_forms: bool,
}

impl<'a> TargetBase<'a> {
    /// Completes the expressions of a level.
    pub fn new(logic: &mut Logic, target: &'a TargetExpressions, closed_forms: bool) -> Self {
        let all_writes = logic.union(target.writes, target.inits);
        let memory = logic.union(target.reads, all_writes);
        let tags = tagged(logic, &target.orders);
        Self { target, all_writes, memory, tags, closed_forms }
    }

    pub fn relations(&self) -> &LevelRelations {
        &self.target.relations
    }
}

impl BaseInterpretation for TargetBase<'_> {
    fn set(&self, set: BaseSet) -> Interpretation {
        let t = self.target;
        let ordered = |order| Interpretation::of(find(&t.orders, order), without::ORDER);
        Interpretation::Is(match set {
            BaseSet::Universe => t.universe,
            BaseSet::W => self.all_writes,
            BaseSet::R => t.reads,
            BaseSet::M | BaseSet::Gen => self.memory,
            BaseSet::F | BaseSet::Mfence => t.fences,
            BaseSet::Rmw => t.halves,
            BaseSet::Iw => t.inits,
            BaseSet::Na | BaseSet::Weak => t.plain,
            BaseSet::Atomic => t.atomics,
            BaseSet::Volatile => t.volatile,
            BaseSet::Rlx => return ordered(Order::Rlx),
            BaseSet::Acq => return ordered(Order::Acq),
            BaseSet::Rel => return ordered(Order::Rel),
            BaseSet::AcqRel => return ordered(Order::AcqRel),
            BaseSet::Sc => return ordered(Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                return Interpretation::of(
                    set.scope().and_then(|scope| find(&t.scopes, scope)),
                    without::SCOPE,
                );
            }
            BaseSet::Xchg => return Interpretation::of(t.exchanges, without::EXCHANGES),
            // An mbarrier is in shared memory; of other locations a mapping does not say where they
            // are.
            BaseSet::Mbarrier | BaseSet::Shared => {
                return Interpretation::of(t.mbarriers, without::MBARRIERS);
            }
            BaseSet::B
            | BaseSet::Wait
            | BaseSet::Alias
            | BaseSet::Sur
            | BaseSet::Tex
            | BaseSet::Con
            | BaseSet::Async
            | BaseSet::Tensormap
            | BaseSet::Global
            | BaseSet::Red
            | BaseSet::Mmio => {
                return Interpretation::Empty(without::ROW);
            }
            BaseSet::Tag(tag) => return Interpretation::of(find(&self.tags, tag), without::ORDER),
        })
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        self.target.relations.interpretation(relation)
    }

    fn universe(&self) -> Expr {
        self.target.universe
    }

    fn closed_forms(&self) -> bool {
        self.closed_forms
    }
}
