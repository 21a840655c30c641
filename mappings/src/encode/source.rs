//! The source level as expressions: base sets and relations of the source execution, and its well-formedness.

use margay_models::execution::{Order, Proxy, Scope};
use margay_models::lower::Base;
use margay_models::signature::{BaseRelation, BaseSet, Operation, Tag};
use margay_solver::{Expr, Formula, Logic};

use super::special::{Special, Specials};
use super::vocabulary::Vocabulary;

/// The expressions that both levels are made of, over the relations of a [`Vocabulary`].
#[derive(Debug, Clone)]
pub struct Source {
    /// The events, and the initial writes of the locations that are used.
    pub universe: Expr,
    /// Source events alone.
    pub events: Expr,
    /// Initial writes of used locations.
    pub inits: Expr,
    /// Reads; RMW halves included.
    pub reads: Expr,
    /// Writes of threads; RMW halves included.
    pub writes: Expr,
    /// Fences.
    pub fences: Expr,
    /// The write halves of RMWs.
    pub write_halves: Expr,
    /// The read halves of RMWs.
    pub read_halves: Expr,
    /// Events by order (plain fences do not exist).
    pub orders: Vec<(Order, Expr)>,
    /// Events by scope.
    pub scopes: Vec<(Scope, Expr)>,
    /// Same location.
    pub loc: Expr,
    /// Barriers and proxies, reductions, volatile and mmio operations.
    pub specials: Specials,
    /// Same address: `loc` where no location has several.
    pub vloc: Expr,
    /// Same thread.
    pub int: Expr,
    /// Modification order, initial writes first.
    pub mo: Expr,
    /// Coherence order of a target whose coherence order is partial, initial writes first.
    pub partial_co: Expr,
    /// From the read to the write of each RMW.
    pub rmw: Expr,
    /// Pairs of threads that share each scope (all pairs for sys).
    pub together: Vec<(Scope, Expr)>,
    /// The threads of both events share each scope.
    pub placed: Vec<(Scope, Expr)>,
    /// Both have scopes and each scope includes the other's thread.
    pub sr: Expr,
    /// Program order, reads-from and dependencies, as they are.
    pub relations: [(BaseRelation, Expr); 5],
    /// From events and slots to threads.
    pub thread: Expr,
}

impl Source {
    /// Builds the expressions.
    pub fn new(logic: &mut Logic, v: &Vocabulary) -> Self {
        let (events, all_inits, next) = (logic.rel(v.events), logic.rel(v.inits), logic.rel(v.next));
        let mut kinds: [Vec<Expr>; 3] = Default::default(); // reads, writes, fences
        let mut read_halves = Vec::new();
        let mut by_order: Vec<(Order, Vec<Expr>)> = Vec::new();
        let mut tag = |order: Order, set: Expr| match by_order.iter_mut().find(|(o, _)| *o == order) {
            Some((_, sets)) => sets.push(set),
            None => by_order.push((order, vec![set])),
        };
        for &(construct, relation) in &v.construct {
            let set = logic.rel(relation);
            match construct.operation {
                Operation::Read => kinds[0].push(set),
                Operation::Write => kinds[1].push(set),
                Operation::Fence => kinds[2].push(set),
                Operation::Rmw => {
                    let half = logic.join(set, next);
                    kinds[0].push(set);
                    kinds[1].push(half);
                    read_halves.push(set);
                    tag(construct.write_order(), half);
                }
            }
            let order = if construct.operation == Operation::Rmw { construct.read_order() } else { construct.order };
            tag(order, set);
        }
        let [reads, writes, fences] = kinds.map(|sets| logic.union_all(1, sets));
        let read_halves = logic.union_all(1, read_halves);
        let write_halves = logic.join(read_halves, next);
        let orders = by_order.into_iter().map(|(o, sets)| (o, logic.union_all(1, sets))).collect();
        let scopes: Vec<(Scope, Expr)> = v.scope.iter().map(|&(s, r)| (s, logic.rel(r))).collect();

        // Locations: an access belongs to the class of the first event that accesses the same location.
        let (at, init_event, identity) = (logic.rel(v.at), logic.rel(v.init_event), logic.identity());
        let diagonal = logic.intersection(at, identity);
        let classes = logic.domain(diagonal);
        let inits = logic.restrict_range(init_event, classes);
        let inits = logic.domain(inits);
        let inits = logic.intersection(inits, all_inits);
        let init_at = logic.restrict_range(init_event, classes);
        let class = logic.union(at, init_at);
        let back = logic.transpose(class);
        let loc = logic.join(class, back);

        let thread = logic.rel(v.thread);
        let source_thread = logic.restrict_domain(events, thread);
        let int = {
            let back = logic.transpose(source_thread);
            let threads = logic.join(source_thread, back);
            let alone = logic.diagonal(inits);
            logic.union(threads, alone)
        };
        let po = logic.rel(v.po);
        let rmw = {
            let pairs = logic.restrict_domain(read_halves, next);
            logic.restrict_range(pairs, write_halves)
        };

        // Modification order: for two writes to one location, one variable says whether it follows the numbering.
        let ascending = logic.rel(v.ascending);
        let between_events = {
            let from = logic.restrict_domain(writes, loc);
            let to = logic.restrict_range(from, writes);
            logic.intersection(to, ascending)
        };
        let chosen = logic.rel(v.mo_ascending);
        let forward = logic.intersection(between_events, chosen);
        let backward = match v.mo_descending {
            None => logic.difference(between_events, chosen),
            Some(descending) => {
                let descending = logic.rel(descending);
                logic.intersection(between_events, descending)
            }
        };
        let backward = logic.transpose(backward);
        let mo_events = logic.union(forward, backward);
        let from_inits = {
            let from = logic.restrict_domain(inits, loc);
            logic.restrict_range(from, writes)
        };
        let mo = logic.union(mo_events, from_inits);
        let related = {
            let up = logic.rel(v.related);
            let down = logic.transpose(up);
            logic.union(up, down)
        };
        let partial = logic.intersection(mo_events, related);
        let partial_co = logic.union(partial, from_inits);

        let together = together(logic, v, thread);
        let placed = placed(logic, &together, source_thread);
        let sr = inclusion(logic, &scopes, &placed);
        let mut specials = Specials::new(logic, v);
        specials.barriers(logic, int, &placed);
        let vloc = specials.same_address(logic, loc);
        let rf = logic.rel(v.rf);
        let [addr, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
        let universe = logic.union(events, inits);
        Self {
            universe,
            events,
            inits,
            reads,
            writes,
            fences,
            write_halves,
            read_halves,
            orders,
            scopes,
            loc,
            specials,
            vloc,
            int,
            mo,
            partial_co,
            rmw,
            together,
            placed,
            sr,
            relations: [
                (BaseRelation::Po, po),
                (BaseRelation::Rf, rf),
                (BaseRelation::Addr, addr),
                (BaseRelation::Data, data),
                (BaseRelation::Ctrl, ctrl),
            ],
            thread,
        }
    }

    /// The events of an order.
    pub fn order(&self, order: Order) -> Option<Expr> {
        find(&self.orders, order)
    }

    /// Program order, reads-from or a dependency.
    ///
    /// # Panics
    /// For another relation.
    pub fn base(&self, relation: BaseRelation) -> Expr {
        find(&self.relations, relation).expect("a relation of the list")
    }

    /// Atomic operations: everything that is not plain.
    pub fn atomics(&self, logic: &mut Logic) -> Expr {
        let special = self.specials.events(logic);
        let ordered = logic.difference(self.events, special);
        match self.order(Order::Plain) {
            Some(plain) => logic.difference(ordered, plain),
            None => ordered,
        }
    }

    /// The events that have a scope: in C++ and PTX all that are not plain, elsewhere those of the instructions that take one.
    fn scoped(&self, logic: &mut Logic, v: &Vocabulary) -> Expr {
        if v.content.signature.architecture().is_none() {
            return self.atomics(logic);
        }
        let next = logic.rel(v.next);
        let mut sets = Vec::new();
        for &(construct, relation) in v.construct.iter().filter(|(c, _)| c.has_scope(v.content.signature)) {
            let set = logic.rel(relation);
            sets.push(set);
            if construct.operation == Operation::Rmw {
                sets.push(logic.join(set, next));
            }
        }
        logic.union_all(1, sets)
    }

    /// What makes an instance a source execution.
    pub fn wellformed(&self, logic: &mut Logic, v: &Vocabulary, typed: bool) -> Vec<Formula> {
        let mut out = Vec::new();
        let (events, next) = (self.events, logic.rel(v.next));

        // Every event is one construct, or the write half of the RMW before it.
        let mut kinds: Vec<Expr> = v.construct.iter().map(|&(_, r)| logic.rel(r)).collect();
        kinds.push(self.write_halves);
        kinds.extend(self.specials.kinds());
        out.extend(self.specials.wellformed(logic, v, self));
        partition(logic, &mut out, &kinds, events);

        // Operations that take a scope have one; the halves of an RMW have the same.
        let scopes: Vec<Expr> = self.scopes.iter().map(|&(_, e)| e).collect();
        if !scopes.is_empty() {
            let scoped = self.scoped(logic, v);
            partition(logic, &mut out, &scopes, scoped);
            for &scope in &scopes {
                let half = logic.join(scope, next);
                let half = logic.intersection(half, self.write_halves);
                out.push(logic.subset(half, scope));
            }
        }

        // A choice among the alternatives of the row, one for each operation (its halves together).
        if !v.choice.is_empty() {
            let choices: Vec<Expr> = v.choice.iter().map(|&r| logic.rel(r)).collect();
            let operations = logic.difference(events, self.write_halves);
            partition(logic, &mut out, &choices, operations);
        }

        // Locations: every access has one, named by its first event.
        let (at, identity) = (logic.rel(v.at), logic.identity());
        let memory = logic.union(self.reads, self.writes);
        out.push(logic.function(at, memory, memory));
        let diagonal = logic.intersection(at, identity);
        let (names, classes) = (logic.range(at), logic.domain(diagonal));
        out.push(logic.subset(names, classes));
        out.push(logic.subset(self.rmw, self.loc));
        // Of machines every location may be accessed by every instruction: that it carries no tag does not make it plain.
        let has_tags = self.orders.iter().any(|(order, _)| matches!(order, Order::Tagged(_)));
        if typed
            && !has_tags
            && let Some(plain) = self.order(Order::Plain)
        {
            let atomics = self.atomics(logic);
            let mixed = logic.product(plain, atomics);
            let mixed = logic.intersection(mixed, self.loc);
            out.push(logic.no(mixed));
        }

        // Reads-from: every read reads one write of its location.
        let rf = logic.rel(v.rf);
        let back = logic.transpose(rf);
        let all_writes = logic.union(self.writes, self.inits);
        out.push(logic.function(back, self.reads, all_writes));
        out.push(logic.subset(rf, self.loc));

        // Modification order is transitive; with one variable for each pair, totality is in its definition.
        let twice = logic.join(self.mo, self.mo);
        out.push(logic.subset(twice, self.mo));
        if let Some(descending) = v.mo_descending {
            let (up, down, ascending) = (logic.rel(v.mo_ascending), logic.rel(descending), logic.rel(v.ascending));
            let both = logic.intersection(up, down);
            let either = logic.union(up, down);
            out.push(logic.no(both));
            out.push(logic.subset(ascending, either));
        }

        // Sharing a cta, a cluster, a gpu: equivalences, each within the next wider.
        for (i, &(scope, relation)) in self.together.iter().enumerate() {
            if scope == Scope::Sys {
                continue;
            }
            let twice = logic.join(relation, relation);
            out.push(logic.subset(twice, relation));
            if let Some(&(_, wider)) = self.together.get(i + 1) {
                out.push(logic.subset(relation, wider));
            }
        }

        // Dependencies go from reads to accesses (addr), writes (data), anything (ctrl) later in the thread.
        let [addr, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
        for (relation, to) in [(addr, memory), (data, self.writes), (ctrl, events)] {
            let allowed = logic.product(self.reads, to);
            out.push(logic.subset(relation, allowed));
        }
        out
    }
}

/// The sets are disjoint and make up the whole.
pub(super) fn partition(logic: &mut Logic, out: &mut Vec<Formula>, sets: &[Expr], whole: Expr) {
    let all = logic.union_all(1, sets.iter().copied());
    out.push(logic.equal(all, whole));
    for (i, &a) in sets.iter().enumerate() {
        for &b in &sets[i + 1..] {
            let both = logic.intersection(a, b);
            out.push(logic.no(both));
        }
    }
}

/// The threads that share each scope, narrowest first, as equivalences over threads.
fn together(logic: &mut Logic, v: &Vocabulary, thread: Expr) -> Vec<(Scope, Expr)> {
    let threads = logic.range(thread);
    let same = logic.diagonal(threads);
    let mut out: Vec<(Scope, Expr)> = Vec::new();
    for &(scope, relation) in &v.together {
        let up = logic.rel(relation);
        let down = logic.transpose(up);
        let other = logic.union(up, down);
        out.push((scope, logic.union(other, same)));
    }
    if v.content.placements.contains(&Scope::Sys) {
        out.push((Scope::Sys, logic.product(threads, threads)));
    }
    out
}

/// The pairs of events whose threads share each scope.
pub fn placed(logic: &mut Logic, together: &[(Scope, Expr)], thread: Expr) -> Vec<(Scope, Expr)> {
    let back = logic.transpose(thread);
    let mut out = Vec::new();
    for &(scope, sharing) in together {
        let there = logic.join(thread, sharing);
        out.push((scope, logic.join(there, back)));
    }
    out
}

/// `sr`: both operations have a scope, and each scope includes the other's thread.
pub fn inclusion(logic: &mut Logic, scopes: &[(Scope, Expr)], placed: &[(Scope, Expr)]) -> Expr {
    let mut includes = Vec::new();
    for &(scope, set) in scopes {
        if let Some(pairs) = find(placed, scope) {
            includes.push(logic.restrict_domain(set, pairs));
        }
    }
    let one_way = logic.union_all(2, includes);
    let other_way = logic.transpose(one_way);
    logic.intersection(one_way, other_way)
}

/// The expression under a key.
pub fn find<K: PartialEq>(list: &[(K, Expr)], key: K) -> Option<Expr> {
    list.iter().find(|(k, _)| *k == key).map(|&(_, e)| e)
}

/// The events that carry each tag of an architecture that is a text.
pub fn tagged(logic: &mut Logic, orders: &[(Order, Expr)]) -> Vec<(Tag, Expr)> {
    let mut sets: Vec<(Tag, Vec<Expr>)> = Vec::new();
    for &(order, set) in orders {
        let Order::Tagged(tags) = order else { continue };
        for tag in tags.iter() {
            match sets.iter_mut().find(|(t, _)| *t == tag) {
                Some((_, sets)) => sets.push(set),
                None => sets.push((tag, vec![set])),
            }
        }
    }
    sets.into_iter().map(|(tag, sets)| (tag, logic.union_all(1, sets))).collect()
}

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
