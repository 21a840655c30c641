//! The source level as expressions: base sets and relations of the source execution, and its
//! well-formedness.

use margay_models::execution::{Order, Scope};
use margay_models::signature::Operation;
use margay_solver::{Expr, Logic};

use super::fences::ordered_fences;
use super::scopes::{inclusion, placed, together};
use super::sets::find;
use super::specials::Specials;
use super::vocabulary::MappingVocabulary;
use crate::language::{Row, ScopePattern};

/// The expressions that both levels are made of, over the relations of a [`MappingVocabulary`].
#[derive(Debug, Clone)]
pub struct SourceExpressions {
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
    /// Where an execution of the source chooses an order of its fences: the order of their numbers,
    /// one among those that it may choose.
    pub fence_order: Option<Expr>,
    /// Coherence order of a target whose coherence order is partial, initial writes first.
    pub partial_co: Expr,
    /// From the read to the write of each RMW.
    pub rmw: Expr,
    /// Both halves of exchanges, where a model looks at them.
    pub exchanges: Option<Expr>,
    /// Pairs of threads that share each scope (all pairs for sys).
    pub together: Vec<(Scope, Expr)>,
    /// The threads of both events share each scope.
    pub placed: Vec<(Scope, Expr)>,
    /// Both have scopes and each scope includes the other's thread.
    pub sr: Expr,
    /// Program order.
    pub po: Expr,
    /// Reads-from.
    pub rf: Expr,
    /// The dependencies, by their numbers in
    /// [`BaseRelation::DEPENDENCIES`](margay_models::signature::BaseRelation::DEPENDENCIES).
    pub dependencies: [Expr; 3],
    /// From events and slots to threads.
    pub thread: Expr,
}

impl SourceExpressions {
    /// Builds the expressions.
    pub fn new(logic: &mut Logic, v: &MappingVocabulary) -> Self {
        let (events, all_inits, next) =
            (logic.rel(v.events), logic.rel(v.inits), logic.rel(v.next));
        let EventKinds { reads, writes, fences, read_halves, write_halves, orders } =
            EventKinds::new(logic, v, next);
        let scopes: Vec<(Scope, Expr)> = v.scope.iter().map(|&(s, r)| (s, logic.rel(r))).collect();
        let (inits, loc) = locations(logic, v, all_inits);

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

        let exchanges = v.exchange.map(|relation| {
            let reads = logic.rel(relation);
            let writes = logic.join(reads, rmw);
            logic.union(reads, writes)
        });

        let [mo, partial_co] = modification_order(logic, v, writes, inits, loc);
        let fence_order = v.other_fences.is_some().then(|| {
            let ordered = ordered_fences(logic, v.content.signature, fences, &orders);
            let pairs = logic.product(ordered, ordered);
            let ascending = logic.rel(v.ascending);
            logic.intersection(pairs, ascending)
        });

        let together = together(logic, v, thread);
        let placed = placed(logic, &together, source_thread);
        let sr = inclusion(logic, &scopes, &placed);
        let mut specials = Specials::new(logic, v);
        specials.barriers(logic, int, &placed);
        let vloc = specials.same_address(logic, loc);
        let rf = logic.rel(v.rf);
        let dependencies = v.dependencies.map(|r| logic.rel(r));
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
            fence_order,
            partial_co,
            rmw,
            exchanges,
            together,
            placed,
            sr,
            po,
            rf,
            dependencies,
            thread,
        }
    }

    /// The events that a row of a mapping is for, among those of its construct; `None` where no
    /// operation has its scope.
    pub fn events_of_row(&self, logic: &mut Logic, row: &Row, of_construct: Expr) -> Option<Expr> {
        match row.scope {
            ScopePattern::Any(_) => Some(of_construct),
            ScopePattern::Named(scope) => {
                Some(logic.intersection(of_construct, find(&self.scopes, scope)?))
            }
        }
    }

    /// The events of an order.
    pub fn order(&self, order: Order) -> Option<Expr> {
        find(&self.orders, order)
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

    /// The events that have a scope: in C++ and PTX all that are not plain, elsewhere those of the
    /// instructions that take one.
    pub(super) fn scoped(&self, logic: &mut Logic, v: &MappingVocabulary) -> Expr {
        if v.content.signature.tabular().is_none() {
            return self.atomics(logic);
        }
        let next = logic.rel(v.next);
        let mut sets = Vec::new();
        for &(construct, relation) in
            v.construct.iter().filter(|(c, _)| c.has_scope(v.content.signature))
        {
            let set = logic.rel(relation);
            sets.push(set);
            if construct.operation == Operation::Rmw {
                sets.push(logic.join(set, next));
            }
        }
        logic.union_all(1, sets)
    }
}

/// The events by what they do, and by their order.
struct EventKinds {
    reads: Expr,
    writes: Expr,
    fences: Expr,
    read_halves: Expr,
    write_halves: Expr,
    orders: Vec<(Order, Expr)>,
}

impl EventKinds {
    /// Of each construct, from the events that are it; `next` leads to the write half of a
    /// read-modify-write.
    fn new(logic: &mut Logic, v: &MappingVocabulary, next: Expr) -> Self {
        let mut kinds: [Vec<Expr>; 3] = Default::default(); // reads, writes, fences
        let mut read_halves = Vec::new();
        let mut by_order: Vec<(Order, Vec<Expr>)> = Vec::new();
        let mut tag = |order: Order, set: Expr| match by_order.iter_mut().find(|(o, _)| *o == order)
        {
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
            let order = if construct.operation == Operation::Rmw {
                construct.read_order()
            } else {
                construct.order
            };
            tag(order, set);
        }
        let [reads, writes, fences] = kinds.map(|sets| logic.union_all(1, sets));
        let read_halves = logic.union_all(1, read_halves);
        let write_halves = logic.join(read_halves, next);
        let orders: Vec<(Order, Expr)> =
            by_order.into_iter().map(|(o, sets)| (o, logic.union_all(1, sets))).collect();
        Self { reads, writes, fences, read_halves, write_halves, orders }
    }
}

/// The initial writes of the locations that are used, and which accesses have the same location: an
/// access belongs to the class of the first event that accesses the same location.
fn locations(logic: &mut Logic, v: &MappingVocabulary, all_inits: Expr) -> (Expr, Expr) {
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
    (inits, loc)
}

/// Modification order, and the coherence order of a target where that is partial, both with initial
/// writes first. For two writes to one location, one variable says whether it follows the
/// numbering.
fn modification_order(
    logic: &mut Logic,
    v: &MappingVocabulary,
    writes: Expr,
    inits: Expr,
    loc: Expr,
) -> [Expr; 2] {
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
    [mo, logic.union(partial, from_inits)]
}
