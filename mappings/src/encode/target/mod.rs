//! The target level: what the rows of the mapping make of the source events (docs/encoding.md).
//! Accesses keep their atoms; fences that a lowering adds are slots, present where a row says so.

mod base;
mod rows;

use margay_models::execution::{Order, Scope};
use margay_solver::{Expr, Formula, Logic};
use rows::{TagSets, TargetEventKind};

pub use self::base::TargetBase;

use super::back::ReadsAndWrites;
use super::fences::{fence_order, ordered_fences};
use super::level::LevelRelations;
use super::scopes::{inclusion, placed};
use super::sets::{find, without};
use super::source::SourceExpressions;
use super::vocabulary::{Copied, MappingVocabulary};
use crate::language::Mapping;

/// The base sets and relations of the target execution.
#[derive(Debug, Clone)]
pub struct TargetExpressions {
    universe: Expr,
    reads: Expr,
    writes: Expr,
    fences: Expr,
    inits: Expr,
    halves: Expr,
    orders: Vec<(Order, Expr)>,
    scopes: Vec<(Scope, Expr)>,
    volatile: Expr,
    /// The operations on mbarriers; `None` where no row makes one.
    mbarriers: Option<Expr>,
    /// Both halves of exchanges, where a model looks at them.
    exchanges: Option<Expr>,
    plain: Expr,
    atomics: Expr,
    relations: LevelRelations,
}

impl TargetExpressions {
    /// Lowers the source by the mapping's rows. Formulas that the instance must satisfy besides are
    /// added to `formulas`.
    pub fn new(
        logic: &mut Logic,
        mapping: &Mapping,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        formulas: &mut Vec<Formula>,
    ) -> Self {
        Self::with_fences(logic, mapping, (v, source), None, formulas)
    }

    /// The same with another order of fences, of which the fences take what is among them.
    pub fn with_fences(
        logic: &mut Logic,
        mapping: &Mapping,
        (v, source): (&MappingVocabulary, &SourceExpressions),
        order: Option<Expr>,
        formulas: &mut Vec<Formula>,
    ) -> Self {
        let parts = TagSets::new(logic, mapping, v, source, formulas);
        let signature = mapping.target.signature;
        let collect = |logic: &mut Logic, sets: Vec<Expr>| logic.union_all(1, sets);
        let kind = |wanted: TargetEventKind| {
            parts
                .kinds
                .iter()
                .filter(move |(k, _)| *k == wanted)
                .map(|&(_, e)| e)
                .collect::<Vec<_>>()
        };
        let reads = collect(logic, kind(TargetEventKind::Read));
        let writes = collect(logic, kind(TargetEventKind::Write));
        let fences = collect(logic, kind(TargetEventKind::Fence));
        let present = collect(logic, parts.present.clone());
        let orders: Vec<(Order, Expr)> = grouped(logic, &parts.orders);
        let scopes: Vec<(Scope, Expr)> = grouped(logic, &parts.scopes);
        let volatile = collect(logic, parts.volatile.clone());
        let mbarriers =
            (!parts.mbarriers.is_empty()).then(|| collect(logic, parts.mbarriers.clone()));
        let universe = logic.union(present, source.inits);
        let accesses = logic.union(reads, writes);
        let [plain, atomics] =
            plain_and_atomic(logic, find(&orders, Order::Plain), [accesses, present, source.inits]);
        let all_po = logic.rel(v.target_po);
        let po = logic.restrict_domain(present, all_po);
        let po = logic.restrict_range(po, present);
        let thread = logic.restrict_domain(present, source.thread);
        let back = logic.transpose(thread);
        let int = logic.join(thread, back);
        let alone = logic.diagonal(source.inits);
        let int = logic.union(int, alone);
        let mut equal = Vec::new();
        let mut same = |logic: &mut Logic, copy: Copied, expr: Expr| match v
            .copies
            .iter()
            .find(|(c, _)| *c == copy)
        {
            None => expr,
            Some(&(_, relation)) => {
                let own = logic.rel(relation);
                equal.push(logic.equal(own, expr));
                own
            }
        };
        let together: Vec<(Scope, Expr)> = source
            .together
            .iter()
            .map(|&(s, e)| (s, same(logic, Copied::Together(s), e)))
            .collect();
        let placed = placed(logic, &together, thread);
        let sr = inclusion(logic, &scopes, &placed);
        // Accesses in slots are of the location of their event, and each read reads one write
        // there.
        let unused = logic.union_all(2, parts.unused.iter().copied());
        let copies = logic.union_all(2, parts.back.iter().copied());
        let in_slots = logic.union_all(2, parts.in_slots());
        let loc = if parts.in_slots().next().is_none() {
            source.loc
        } else {
            with_slots(logic, source.loc, in_slots)
        };
        let loc = same(logic, Copied::Location, loc);
        let rmw =
            std::iter::once(source.rmw).chain(parts.exchanges.iter().chain(&parts.back).copied());
        let rmw = logic.union_all(2, rmw);
        let rmw = same(logic, Copied::Rmw, rmw);
        let unused_rf = v.unused_rf.map(|r| logic.rel(r));
        let own_rf = source.rf;
        let total = signature.total_coherence();
        let ReadsAndWrites { rf, co } = match v.back {
            Some(back) => back.target(logic, source, [own_rf, copies, loc], total, formulas),
            None => {
                ReadsAndWrites { rf: own_rf, co: if total { source.mo } else { source.partial_co } }
            }
        };
        let co = same(logic, Copied::Coherence, co);
        let [addr, data] = parts.dependencies(logic, v, source, in_slots, [accesses, writes]);
        let rf = logic.union_all(2, std::iter::once(rf).chain(unused_rf));
        let shared_rf = same(logic, Copied::ReadsFrom, rf);
        formulas.extend(equal);
        if let Some(rf) = unused_rf {
            let (slots, all_writes) = (logic.range(unused), logic.union(writes, source.inits));
            reads_of_slots(logic, rf, [slots, all_writes, loc], formulas);
        }
        let [.., ctrl] = source.dependencies;
        let ctrl = parts.control(logic, v, source, ctrl);
        let ctrl = logic.restrict_range(ctrl, present);
        let sync_fence = signature.ordered_fences().map(|_| {
            let strong = ordered_fences(logic, signature, fences, &orders);
            let order = match order {
                None => logic.rel(v.fence_order),
                Some(order) => {
                    let among = logic.restrict_domain(strong, order);
                    logic.restrict_range(among, strong)
                }
            };
            fence_order(logic, order, strong, formulas);
            order
        });
        if !signature.total_coherence() {
            let twice = logic.join(co, co);
            formulas.push(logic.subset(twice, co));
        }
        let mbarriers = mbarriers.map(|operations| {
            let here = logic.join(operations, loc);
            let initial = logic.intersection(here, source.inits);
            logic.union(operations, initial)
        });
        if let Some(mbarriers) = mbarriers {
            formulas.extend(waits_in_one_cta(
                logic,
                [mbarriers, reads, loc, rmw],
                find(&placed, Scope::Cta),
            ));
        }
        let halves = parts.halves(logic, source, rmw);
        let relations = LevelRelations {
            po,
            rf: shared_rf,
            co,
            loc,
            vloc: loc,
            int,
            rmw,
            sr,
            dependencies: [addr, data, ctrl],
            sync_fence,
            barriers: None,
            without_barriers: without::ROW,
            placed,
        };
        Self {
            universe,
            reads,
            writes,
            fences,
            inits: source.inits,
            halves,
            orders,
            scopes,
            volatile,
            mbarriers,
            // What a load writes back is an addition of 0, and a row of PTX cannot store by an
            // exchange.
            exchanges: source.exchanges,
            plain,
            atomics,
            relations,
        }
    }
}

/// The plain accesses, initial writes among them, and what is present and has an order or a tag. A
/// fence without a tag is neither.
fn plain_and_atomic(
    logic: &mut Logic,
    plain: Option<Expr>,
    [accesses, present, inits]: [Expr; 3],
) -> [Expr; 2] {
    let Some(plain) = plain else { return [inits, logic.difference(present, inits)] };
    let ordered = logic.difference(present, plain);
    let plain = logic.intersection(plain, accesses);
    [logic.union(plain, inits), logic.difference(ordered, inits)]
}

/// Threads of the cta alone in whose shared memory it is wait at an mbarrier (PTX ISA,
/// mbarrier.test_wait: `.shared::cta`).
fn waits_in_one_cta(
    logic: &mut Logic,
    [mbarriers, reads, loc, rmw]: [Expr; 4],
    near: Option<Expr>,
) -> Option<Formula> {
    let waits = {
        let of_arrivals = logic.domain(rmw);
        let reads = logic.intersection(reads, mbarriers);
        logic.difference(reads, of_arrivals)
    };
    let pairs = logic.product(waits, waits);
    let pairs = logic.intersection(pairs, loc);
    let apart = logic.difference(pairs, near?);
    Some(logic.no(apart))
}

/// Each read in a slot reads one write of its location.
fn reads_of_slots(
    logic: &mut Logic,
    rf: Expr,
    [slots, all_writes, loc]: [Expr; 3],
    formulas: &mut Vec<Formula>,
) {
    let back = logic.transpose(rf);
    formulas.push(logic.function(back, slots, all_writes));
    formulas.push(logic.subset(rf, loc));
}

/// A relation of events as one of events and of the slots that are in their place.
fn with_slots(logic: &mut Logic, relation: Expr, slots: Expr) -> Expr {
    let back = logic.transpose(slots);
    let (to, from) = (logic.join(relation, slots), logic.join(back, relation));
    let both = logic.join(from, slots);
    logic.union_all(2, [relation, to, from, both])
}

/// One union for each key, in ascending order of keys.
fn grouped<K: Copy + Ord>(logic: &mut Logic, parts: &[(K, Expr)]) -> Vec<(K, Expr)> {
    let mut keys: Vec<K> = parts.iter().map(|&(k, _)| k).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let sets: Vec<Expr> =
                parts.iter().filter(|(k, _)| *k == key).map(|&(_, e)| e).collect();
            (key, logic.union_all(1, sets))
        })
        .collect()
}
