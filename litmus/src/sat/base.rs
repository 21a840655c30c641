//! Base sets and relations of merged events: what is known of a test before anything is searched
//! for. Written against models/src/signature/relation.rs, and apart from `Execution::base_set` and
//! `base_relation`, which the judge uses.

use margay_models::execution::{EventData, Kind, Location, Order, Placement, Proxy, Scope, Spaces};
use margay_models::signature::{BaseRelation, BaseSet, Signature};

use crate::unfold::Merged;

/// The events of a test and where they happen.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub merged: &'a Merged,
    /// Which orders are chosen.
    pub signature: Signature,
    pub locations: &'a [Location],
    /// For each location the one whose generic address it has.
    pub generic: &'a [u16],
    pub threads: &'a [Placement],
}

impl Facts<'_> {
    fn data(&self, e: usize) -> &EventData {
        &self.merged.events[e].data
    }

    /// The physical location that an event accesses.
    pub fn physical(&self, e: usize) -> Option<u16> {
        self.data(e).location.map(|l| self.locations[usize::from(l)].physical)
    }

    /// The generic address that an event accesses.
    fn address(&self, e: usize) -> Option<u16> {
        self.data(e).location.map(|l| self.generic[usize::from(l)])
    }

    /// Is the event in a base set?
    pub fn is_in(&self, e: usize, set: BaseSet) -> bool {
        let data = self.data(e);
        let memory = matches!(data.kind, Kind::Init | Kind::Read | Kind::Write);
        let ordered = |order| {
            data.order == order && matches!(data.kind, Kind::Read | Kind::Write | Kind::Fence)
        };
        // A memory fence may be one of a proxy, too; the generic one has none.
        let has_proxy = memory
            || data.kind == Kind::ProxyFence
            || data.kind == Kind::Fence && data.proxy != Proxy::Generic;
        let proxied = |proxy| data.proxy == proxy && has_proxy;
        match set {
            BaseSet::Universe => true,
            BaseSet::W => matches!(data.kind, Kind::Init | Kind::Write),
            BaseSet::R => data.kind == Kind::Read,
            BaseSet::M => memory,
            BaseSet::F | BaseSet::Mfence => matches!(data.kind, Kind::Fence | Kind::ProxyFence),
            BaseSet::B => matches!(data.kind, Kind::BarrierArrive | Kind::BarrierWait),
            BaseSet::Wait => data.kind == Kind::BarrierWait,
            // Both halves are there, or it is none: the vocabulary makes it of the relation.
            BaseSet::Rmw => false,
            BaseSet::Iw => data.kind == Kind::Init,
            BaseSet::Na | BaseSet::Weak => memory && data.order == Order::Plain,
            BaseSet::Atomic => data.kind != Kind::Init && data.order != Order::Plain,
            BaseSet::Rlx => {
                ordered(Order::Rlx) || data.kind == Kind::BarrierArrive && data.order == Order::Rlx
            }
            BaseSet::Acq => ordered(Order::Acq) || data.is_exit(),
            BaseSet::Rel => ordered(Order::Rel),
            BaseSet::AcqRel => ordered(Order::AcqRel),
            BaseSet::Sc => ordered(Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                data.scope.is_some() && data.scope == set.scope()
            }
            BaseSet::Gen => memory && data.proxy == Proxy::Generic,
            BaseSet::Alias => proxied(Proxy::Alias),
            BaseSet::Sur => proxied(Proxy::Surface),
            BaseSet::Tex => proxied(Proxy::Texture),
            BaseSet::Con => proxied(Proxy::Constant),
            BaseSet::Async => proxied(Proxy::Async),
            BaseSet::Tensormap => proxied(Proxy::Tensormap),
            BaseSet::Shared => data.spaces.contains(Spaces::SHARED),
            BaseSet::Global => data.spaces.contains(Spaces::GLOBAL),
            BaseSet::Mbarrier => data.mbarrier,
            BaseSet::Red => data.reduction,
            BaseSet::Xchg => data.exchange,
            BaseSet::Volatile => data.volatile,
            BaseSet::Mmio => data.mmio,
            BaseSet::Tag(tag) => matches!(data.order, Order::Tagged(tags) if tags.contains(tag)),
        }
    }

    /// Is the pair in a base relation, if both are there? (Of those that are searched for: might it
    /// be?)
    pub fn relates(&self, a: usize, b: usize, relation: BaseRelation) -> bool {
        if !self.merged.coexist(a, b) {
            return false;
        }
        let (x, y) = (self.data(a), self.data(b));
        let places = x
            .thread
            .zip(y.thread)
            .map(|(s, t)| (self.threads[usize::from(s)], self.threads[usize::from(t)]));
        let share = |scope| places.is_some_and(|(p, q)| p.shares(scope, q));
        let includes = |scope: Option<Scope>| scope.is_some_and(share);
        let same_place = || self.physical(a).is_some() && self.physical(a) == self.physical(b);
        let of = |e: &EventData, kinds: &[Kind]| kinds.contains(&e.kind);
        let depends = |k: usize| self.merged.events[b].depends[k].contains(&a);
        let at_one_barrier = || x.barrier.is_some() && x.barrier == y.barrier;
        match relation {
            BaseRelation::Id => a == b,
            BaseRelation::Po => {
                x.thread.is_some() && x.agent() == y.agent() && self.merged.precedes(a, b)
            }
            BaseRelation::Rf => {
                of(x, &[Kind::Init, Kind::Write]) && of(y, &[Kind::Read]) && same_place()
            }
            BaseRelation::Co => {
                a != b && of(x, &[Kind::Init, Kind::Write]) && of(y, &[Kind::Write]) && same_place()
            }
            BaseRelation::SyncFence => {
                a != b && self.signature.is_ordered_fence(x) && self.signature.is_ordered_fence(y)
            }
            BaseRelation::Loc => same_place(),
            BaseRelation::Vloc => self.address(a).is_some() && self.address(a) == self.address(b),
            BaseRelation::Int => a == b || x.thread.is_some() && x.agent() == y.agent(),
            BaseRelation::Ext | BaseRelation::Fr => false,
            BaseRelation::Rmw => self.merged.events[b].modifies == Some(a),
            BaseRelation::Addr => depends(0),
            BaseRelation::Data => depends(1),
            BaseRelation::Ctrl => depends(2),
            BaseRelation::AsyncIssue => depends(3),
            BaseRelation::AsyncComplete => depends(4),
            BaseRelation::Sr => includes(x.scope) && includes(y.scope),
            BaseRelation::Scta
            | BaseRelation::Scluster
            | BaseRelation::Sgpu
            | BaseRelation::Same(_) => relation.level().is_some_and(share),
            BaseRelation::Syncbar => {
                let level = self.merged.barrier_level(a);
                at_one_barrier() && level == self.merged.barrier_level(b) && share(level)
            }
            // From the k-th arrival of a thread to the k-th wait of the others; a launch starts and
            // ends once.
            BaseRelation::SyncBarrier => {
                x.kind == Kind::BarrierArrive
                    && y.kind == Kind::BarrierWait
                    && x.thread != y.thread
                    && at_one_barrier()
                    && x.scope == y.scope
                    && share(x.scope.unwrap_or(Scope::Cta))
                    && (x.scope == Some(Scope::Sys)
                        || self.merged.barrier_round(a) == self.merged.barrier_round(b))
            }
        }
    }
}
