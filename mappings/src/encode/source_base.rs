//! The source level as a `.cat` model sees it: what each base set and base relation is.

use margay_models::execution::{Order, Proxy};
use margay_models::lower::Base;
use margay_models::signature::{BaseRelation, BaseSet, Tag};
use margay_solver::{Expr, Logic};

use super::sets::{find, tagged};
use super::source::Source;
use super::special::Special;

/// The source level as a .cat model sees it.
pub struct SourceBase<'a> {
    /// The expressions.
    pub source: &'a Source,
    /// Everything that is not plain.
    pub atomics: Expr,
    /// Plain accesses and initial writes.
    pub plain: Expr,
    /// Writes, initial ones included.
    pub all_writes: Expr,
    /// Reads and writes, initial ones included.
    pub memory: Expr,
    /// The halves of RMWs.
    pub halves: Expr,
    /// Fences, those of proxies included.
    pub fences: Expr,
    /// Accesses through the generic proxy.
    pub generic: Expr,
    /// Operations on barriers.
    pub barriers: Expr,
    /// The halves of reductions.
    pub reductions: Expr,
    /// Accesses through each other proxy, and its fences.
    pub proxies: Vec<(Proxy, Expr)>,
    /// The events that carry each tag.
    tags: Vec<(Tag, Expr)>,
    /// Closures of communication relations by their closed form.
    closed_forms: bool,
}

impl<'a> SourceBase<'a> {
    /// Completes the expressions of a level.
    pub fn new(logic: &mut Logic, source: &'a Source, closed_forms: bool) -> Self {
        let atomics = source.atomics(logic);
        let plain = match source.order(Order::Plain) {
            Some(plain) => {
                let accesses = logic.difference(plain, source.fences);
                logic.union(accesses, source.inits)
            }
            None => source.inits,
        };
        let all_writes = logic.union(source.writes, source.inits);
        let memory = logic.union(source.reads, all_writes);
        let halves = logic.union(source.read_halves, source.write_halves);
        let specials = &source.specials;
        let proxy_fences = specials.any(logic, |s| matches!(s, Special::ProxyFence(_)));
        let fences = logic.union(source.fences, proxy_fences);
        let barriers = specials.any(logic, |s| matches!(s, Special::Arrival | Special::Wait));
        let elsewhere = specials.any(logic, |s| matches!(s, Special::Through(_)));
        let generic = logic.difference(memory, elsewhere);
        let reductions = {
            let reads = specials.any(logic, |s| s == Special::Red);
            let writes = logic.join(reads, source.rmw);
            logic.union(reads, writes)
        };
        let proxies = [Proxy::Alias, Proxy::Surface, Proxy::Texture, Proxy::Constant]
            .map(|p| (p, specials.any(logic, |s| s == Special::ProxyFence(p) || s == Special::Through(p))))
            .to_vec();
        let tags = tagged(logic, &source.orders);
        Self {
            source,
            atomics,
            plain,
            all_writes,
            memory,
            halves,
            fences,
            generic,
            barriers,
            reductions,
            proxies,
            tags,
            closed_forms,
        }
    }
}

impl Base for SourceBase<'_> {
    fn set(&self, set: BaseSet) -> Option<Expr> {
        let s = self.source;
        match set {
            BaseSet::Universe => Some(s.universe),
            BaseSet::W => Some(self.all_writes),
            BaseSet::R => Some(s.reads),
            BaseSet::M => Some(self.memory),
            BaseSet::Gen => Some(self.generic),
            BaseSet::F | BaseSet::Mfence => Some(self.fences),
            BaseSet::Rmw => Some(self.halves),
            BaseSet::Iw => Some(s.inits),
            BaseSet::Na | BaseSet::Weak => Some(self.plain),
            BaseSet::Atomic => Some(self.atomics),
            BaseSet::Rlx => s.order(Order::Rlx),
            BaseSet::Acq => s.order(Order::Acq),
            BaseSet::Rel => s.order(Order::Rel),
            BaseSet::AcqRel => s.order(Order::AcqRel),
            BaseSet::Sc => s.order(Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                set.scope().and_then(|scope| find(&s.scopes, scope))
            }
            BaseSet::B => Some(self.barriers),
            BaseSet::Wait => s.specials.set(Special::Wait),
            // A read-modify-write of which nothing else is known may compute what it writes.
            BaseSet::Xchg => None,
            BaseSet::Alias => find(&self.proxies, Proxy::Alias),
            BaseSet::Sur => find(&self.proxies, Proxy::Surface),
            BaseSet::Tex => find(&self.proxies, Proxy::Texture),
            BaseSet::Con => find(&self.proxies, Proxy::Constant),
            BaseSet::Red => Some(self.reductions),
            BaseSet::Volatile => s.specials.set(Special::Volatile),
            BaseSet::Mmio => s.specials.set(Special::Mmio),
            BaseSet::Tag(tag) => find(&self.tags, tag),
        }
    }

    fn relation(&self, relation: BaseRelation) -> Option<Expr> {
        let s = self.source;
        match relation {
            BaseRelation::Po | BaseRelation::Rf | BaseRelation::Addr | BaseRelation::Data | BaseRelation::Ctrl => {
                find(&s.relations, relation)
            }
            BaseRelation::Co => Some(s.mo),
            BaseRelation::Loc => Some(s.loc),
            BaseRelation::Vloc => Some(s.vloc),
            BaseRelation::Int => Some(s.int),
            BaseRelation::Rmw => Some(s.rmw),
            BaseRelation::Sr => Some(s.sr),
            BaseRelation::Scta | BaseRelation::Scluster | BaseRelation::Sgpu | BaseRelation::Same(_) => {
                relation.level().and_then(|scope| find(&s.placed, scope))
            }
            // The lowering makes these from the others.
            BaseRelation::Id | BaseRelation::Fr | BaseRelation::Ext => None,
            BaseRelation::Syncbar => s.specials.one_barrier,
            BaseRelation::SyncBarrier => s.specials.sync_barrier,
            BaseRelation::SyncFence => None,
        }
    }

    fn universe(&self) -> Expr {
        self.source.universe
    }

    fn closed_forms(&self) -> bool {
        self.closed_forms
    }
}
