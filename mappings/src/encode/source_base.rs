//! The source level as a `.cat` model sees it: what each base set and base relation is.

use margay_models::execution::{Order, Proxy};
use margay_models::lower::{BaseInterpretation, Interpretation};
use margay_models::signature::{BaseRelation, BaseSet, Tag};
use margay_solver::{Expr, Logic};

use super::level::LevelRelations;
use super::sets::{find, tagged, without};
use super::source::SourceExpressions;
use super::special::SpecialRelation;

/// The source level as a .cat model sees it.
pub struct SourceBase<'a> {
    pub source: &'a SourceExpressions,
    pub relations: LevelRelations,
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
    pub fn new(logic: &mut Logic, source: &'a SourceExpressions, closed_forms: bool) -> Self {
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
        let proxy_fences = specials.any(logic, |s| matches!(s, SpecialRelation::ProxyFence(_)));
        let fences = logic.union(source.fences, proxy_fences);
        let barriers =
            specials.any(logic, |s| matches!(s, SpecialRelation::Arrival | SpecialRelation::Wait));
        let elsewhere = specials.any(logic, |s| matches!(s, SpecialRelation::Through(_)));
        let generic = logic.difference(memory, elsewhere);
        let reductions = {
            let reads = specials.any(logic, |s| s == SpecialRelation::Red);
            let writes = logic.join(reads, source.rmw);
            logic.union(reads, writes)
        };
        let proxies = [Proxy::Alias, Proxy::Surface, Proxy::Texture, Proxy::Constant]
            .map(|p| {
                (
                    p,
                    specials.any(logic, |s| {
                        s == SpecialRelation::ProxyFence(p) || s == SpecialRelation::Through(p)
                    }),
                )
            })
            .to_vec();
        let tags = tagged(logic, &source.orders);
        let relations = LevelRelations {
            po: source.po,
            rf: source.rf,
            co: source.mo,
            loc: source.loc,
            vloc: source.vloc,
            int: source.int,
            rmw: source.rmw,
            sr: source.sr,
            dependencies: source.dependencies,
            sync_fence: source.fence_order,
            barriers: source.specials.met,
            without_barriers: without::SPECIAL,
            placed: source.placed.clone(),
        };
        Self {
            source,
            relations,
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

    /// The level with other orders of writes and of fences.
    pub fn with_orders(self, co: Expr, sync_fence: Option<Expr>) -> Self {
        Self { relations: LevelRelations { co, sync_fence, ..self.relations }, ..self }
    }
}

impl BaseInterpretation for SourceBase<'_> {
    fn set(&self, set: BaseSet) -> Interpretation {
        let s = self.source;
        let ordered = |order| Interpretation::of(s.order(order), without::ORDER);
        let special = |of: Option<Expr>| Interpretation::of(of, without::SPECIAL);
        let proxied = |proxy| special(find(&self.proxies, proxy));
        Interpretation::Is(match set {
            BaseSet::Universe => s.universe,
            BaseSet::W => self.all_writes,
            BaseSet::R => s.reads,
            BaseSet::M => self.memory,
            BaseSet::Gen => self.generic,
            BaseSet::F | BaseSet::Mfence => self.fences,
            BaseSet::Rmw => self.halves,
            BaseSet::Iw => s.inits,
            BaseSet::Na | BaseSet::Weak => self.plain,
            BaseSet::Atomic => self.atomics,
            BaseSet::B => self.barriers,
            BaseSet::Red => self.reductions,
            BaseSet::Rlx => return ordered(Order::Rlx),
            BaseSet::Acq => return ordered(Order::Acq),
            BaseSet::Rel => return ordered(Order::Rel),
            BaseSet::AcqRel => return ordered(Order::AcqRel),
            BaseSet::Sc => return ordered(Order::Sc),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                return Interpretation::of(
                    set.scope().and_then(|scope| find(&s.scopes, scope)),
                    without::SCOPE,
                );
            }
            BaseSet::Wait => return special(s.specials.set(SpecialRelation::Wait)),
            BaseSet::Xchg => return Interpretation::of(s.exchanges, without::EXCHANGES),
            BaseSet::Alias => return proxied(Proxy::Alias),
            BaseSet::Sur => return proxied(Proxy::Surface),
            BaseSet::Tex => return proxied(Proxy::Texture),
            BaseSet::Con => return proxied(Proxy::Constant),
            BaseSet::Async
            | BaseSet::Tensormap
            | BaseSet::Shared
            | BaseSet::Global
            | BaseSet::Mbarrier => {
                return Interpretation::Empty(without::ASYNCHRONOUS);
            }
            BaseSet::Volatile => return special(s.specials.set(SpecialRelation::Volatile)),
            BaseSet::Mmio => return special(s.specials.set(SpecialRelation::Mmio)),
            BaseSet::Tag(tag) => return Interpretation::of(find(&self.tags, tag), without::ORDER),
        })
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        self.relations.interpretation(relation)
    }

    fn universe(&self) -> Expr {
        self.source.universe
    }

    fn closed_forms(&self) -> bool {
        self.closed_forms
    }
}
