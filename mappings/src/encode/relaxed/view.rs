//! A level as a .cat model sees it.

use margay_models::execution::{Order, Scope};
use margay_models::lower::Base;
use margay_models::signature::{BaseRelation, BaseSet, Tag};
use margay_solver::{Expr, Logic};

use super::Level;
use crate::encode::scopes::{inclusion, placed};
use crate::encode::sets::{find, tagged};

/// A level with the sets that follow from others.
pub(super) struct View<'a> {
    level: &'a Level,
    all_writes: Expr,
    memory: Expr,
    plain: Expr,
    atomics: Expr,
    halves: Expr,
    sr: Expr,
    placed: Vec<(Scope, Expr)>,
    tags: Vec<(Tag, Expr)>,
}

impl<'a> View<'a> {
    pub(super) fn new(logic: &mut Logic, level: &'a Level) -> Self {
        let all_writes = logic.union(level.writes, level.inits);
        let memory = logic.union(level.reads, all_writes);
        let accesses = logic.union(level.reads, level.writes);
        let plain = match find(&level.orders, Order::Plain) {
            Some(plain) => {
                let plain = logic.intersection(plain, accesses);
                logic.union(plain, level.inits)
            }
            None => level.inits,
        };
        let atomics = logic.difference(level.universe, plain);
        let (reads, writes) = (logic.domain(level.rmw), logic.range(level.rmw));
        let halves = logic.union(reads, writes);
        let placed = placed(logic, &level.together, level.thread);
        let sr = inclusion(logic, &level.scopes, &placed);
        let tags = tagged(logic, &level.orders);
        Self { level, all_writes, memory, plain, atomics, halves, sr, placed, tags }
    }
}

impl Base for View<'_> {
    fn set(&self, set: BaseSet) -> Option<Expr> {
        let l = self.level;
        match set {
            BaseSet::Universe => Some(l.universe),
            BaseSet::W => Some(self.all_writes),
            BaseSet::R => Some(l.reads),
            BaseSet::M | BaseSet::Gen => Some(self.memory),
            BaseSet::F | BaseSet::Mfence => Some(l.fences),
            BaseSet::Rmw => Some(self.halves),
            BaseSet::Iw => Some(l.inits),
            BaseSet::Na | BaseSet::Weak => Some(self.plain),
            BaseSet::Atomic => Some(self.atomics),
            BaseSet::Rlx => find(&l.orders, Order::Rlx),
            BaseSet::Acq => find(&l.orders, Order::Acq),
            BaseSet::Rel => find(&l.orders, Order::Rel),
            BaseSet::AcqRel => find(&l.orders, Order::AcqRel),
            BaseSet::Sc => find(&l.orders, Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                set.scope().and_then(|scope| find(&l.scopes, scope))
            }
            BaseSet::B
            | BaseSet::Wait
            | BaseSet::Alias
            | BaseSet::Sur
            | BaseSet::Tex
            | BaseSet::Con
            | BaseSet::Red
            | BaseSet::Xchg
            | BaseSet::Volatile
            | BaseSet::Mmio => None,
            BaseSet::Tag(tag) => find(&self.tags, tag),
        }
    }

    fn relation(&self, relation: BaseRelation) -> Option<Expr> {
        let l = self.level;
        let [addr, data, ctrl] = l.dependencies;
        match relation {
            BaseRelation::Po => Some(l.po),
            BaseRelation::Rf => Some(l.rf),
            BaseRelation::Co => Some(l.co),
            BaseRelation::Loc | BaseRelation::Vloc => Some(l.loc),
            BaseRelation::Int => Some(l.int),
            BaseRelation::Rmw => Some(l.rmw),
            BaseRelation::Addr => Some(addr),
            BaseRelation::Data => Some(data),
            BaseRelation::Ctrl => Some(ctrl),
            BaseRelation::Sr => Some(self.sr),
            BaseRelation::Scta | BaseRelation::Scluster | BaseRelation::Sgpu | BaseRelation::Same(_) => {
                relation.level().and_then(|scope| find(&self.placed, scope))
            }
            BaseRelation::SyncFence => l.fence_sc,
            BaseRelation::Id | BaseRelation::Fr | BaseRelation::Ext | BaseRelation::Syncbar | BaseRelation::SyncBarrier => None,
        }
    }

    fn universe(&self) -> Expr {
        self.level.universe
    }
}
