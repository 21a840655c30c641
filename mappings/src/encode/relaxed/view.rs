//! A level as a .cat model sees it.

use margay_models::execution::Order;
use margay_models::lower::{BaseInterpretation, Interpretation};
use margay_models::signature::{BaseRelation, BaseSet, Tag};
use margay_solver::{Expr, Logic};

use super::RelaxedLevel;
use crate::encode::level::LevelRelations;
use crate::encode::scopes::{inclusion, placed};
use crate::encode::sets::{find, tagged, without};

/// A level with the sets that follow from others.
pub(super) struct View<'a> {
    level: &'a RelaxedLevel,
    all_writes: Expr,
    memory: Expr,
    plain: Expr,
    atomics: Expr,
    halves: Expr,
    relations: LevelRelations,
    tags: Vec<(Tag, Expr)>,
}

impl<'a> View<'a> {
    pub(super) fn new(logic: &mut Logic, level: &'a RelaxedLevel) -> Self {
        let all_writes = logic.union(level.writes, level.inits);
        let memory = logic.union(level.reads, all_writes);
        let accesses = logic.union(level.reads, level.writes);
        // A fence without a tag is neither plain nor atomic.
        let without_order = find(&level.orders, Order::Plain);
        let plain = match without_order {
            Some(plain) => {
                let plain = logic.intersection(plain, accesses);
                logic.union(plain, level.inits)
            }
            None => level.inits,
        };
        let without_order = logic.union_all(1, [level.inits].into_iter().chain(without_order));
        let atomics = logic.difference(level.universe, without_order);
        let (reads, writes) = (logic.domain(level.rmw), logic.range(level.rmw));
        let halves = logic.union(reads, writes);
        let placed = placed(logic, &level.together, level.thread);
        let sr = inclusion(logic, &level.scopes, &placed);
        let tags = tagged(logic, &level.orders);
        let relations = LevelRelations {
            po: level.po,
            rf: level.rf,
            co: level.co,
            loc: level.loc,
            vloc: level.loc,
            int: level.int,
            rmw: level.rmw,
            sr,
            dependencies: level.dependencies,
            sync_fence: level.fence_sc,
            barriers: None,
            without_barriers: without::SPECIAL,
            placed,
        };
        Self { level, all_writes, memory, plain, atomics, halves, relations, tags }
    }
}

impl BaseInterpretation for View<'_> {
    fn set(&self, set: BaseSet) -> Interpretation {
        let l = self.level;
        let ordered = |order| Interpretation::of(find(&l.orders, order), without::ORDER);
        Interpretation::Is(match set {
            BaseSet::Universe => l.universe,
            BaseSet::W => self.all_writes,
            BaseSet::R => l.reads,
            BaseSet::M | BaseSet::Gen => self.memory,
            BaseSet::F | BaseSet::Mfence => l.fences,
            BaseSet::Rmw => self.halves,
            BaseSet::Iw => l.inits,
            BaseSet::Na | BaseSet::Weak => self.plain,
            BaseSet::Atomic => self.atomics,
            BaseSet::Rlx => return ordered(Order::Rlx),
            BaseSet::Acq => return ordered(Order::Acq),
            BaseSet::Rel => return ordered(Order::Rel),
            BaseSet::AcqRel => return ordered(Order::AcqRel),
            BaseSet::Sc => return ordered(Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                return Interpretation::of(
                    set.scope().and_then(|scope| find(&l.scopes, scope)),
                    without::SCOPE,
                );
            }
            BaseSet::Xchg => return Interpretation::of(l.exchanges, without::EXCHANGES),
            BaseSet::B
            | BaseSet::Wait
            | BaseSet::Alias
            | BaseSet::Sur
            | BaseSet::Tex
            | BaseSet::Con
            | BaseSet::Async
            | BaseSet::Tensormap
            | BaseSet::Shared
            | BaseSet::Global
            | BaseSet::Mbarrier
            | BaseSet::Red
            | BaseSet::Volatile
            | BaseSet::Mmio => return Interpretation::Empty(without::SPECIAL),
            BaseSet::Tag(tag) => return Interpretation::of(find(&self.tags, tag), without::ORDER),
        })
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        self.relations.interpretation(relation)
    }

    fn universe(&self) -> Expr {
        self.level.universe
    }
}
