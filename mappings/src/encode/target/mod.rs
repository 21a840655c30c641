//! The target level: what the rows of the mapping make of the source events (docs/encoding.md). Accesses keep their atoms;
//! fences that a lowering adds are slots, present where a row says so.

use margay_models::execution::{Order, Scope};
use margay_models::lower::{Base, Interpretation};
use margay_models::signature::{BaseRelation, BaseSet, Operation, Signature, Tag};
use margay_solver::{Expr, Formula, Logic};

use super::back::ReadsAndWrites;
use super::scopes::{inclusion, placed};
use super::sets::{find, tagged, without};
use super::source::SourceExpressions;
use super::vocabulary::{Copied, MappingVocabulary, SlotRole};
use crate::language::{Dependency, Lowering, LoweringStep, Mapping, Row, ScopePattern, StepScope};

/// The role of each instruction of a lowering: fences before and after the access; of a fence row the first fence is the
/// event itself. Right behind a load that is a read-modify-write is what it writes back.
pub fn roles(lowering: &Lowering, operation: Operation) -> Vec<SlotRole> {
    let access = lowering.access().unwrap_or(0);
    let back = usize::from(lowering.writes_back(operation));
    (0..lowering.steps.len())
        .map(|i| match i.cmp(&access) {
            std::cmp::Ordering::Less => SlotRole::Before(i),
            std::cmp::Ordering::Equal => SlotRole::Access,
            std::cmp::Ordering::Greater => SlotRole::After(back + i - access - 1),
        })
        .collect()
}

/// Where the read of a store by read-modify-write is: in the slot right before the store, behind all that the lowering puts before it.
pub fn unused_half(row: &Row, lowering: &Lowering) -> Option<SlotRole> {
    lowering.access().filter(|_| lowering.stores_by_exchange(row.construct.operation)).map(SlotRole::Before)
}

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
    /// Both halves of exchanges, where a model looks at them.
    exchanges: Option<Expr>,
    plain: Expr,
    atomics: Expr,
    relations: Vec<(BaseRelation, Expr)>,
    placed: Vec<(Scope, Expr)>,
}

/// Sets under construction, by what they tag.
#[derive(Default)]
struct TagSets {
    kinds: Vec<(TargetEventKind, Expr)>,
    orders: Vec<(Order, Expr)>,
    scopes: Vec<(Scope, Expr)>,
    volatile: Vec<Expr>,
    present: Vec<Expr>,
    /// The reads on which a row makes what follows depend.
    depended_on: Vec<(Dependency, Expr)>,
    /// The slots of such rows themselves that depend on them, in each way.
    own: Vec<(Dependency, Expr)>,
    /// From events to the reads in their slots, whose value nobody uses.
    unused: Vec<Expr>,
    /// From loads that are read-modify-writes to what they write back.
    back: Vec<Expr>,
    /// The read-modify-writes of which one half is such a read.
    exchanges: Vec<Expr>,
}

/// Read, write or fence event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetEventKind {
    Read,
    Write,
    Fence,
}

impl TargetExpressions {
    /// Lowers the source by the mapping's rows. Formulas that the instance must satisfy besides are added to `formulas`.
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
        let kind =
            |wanted: TargetEventKind| parts.kinds.iter().filter(move |(k, _)| *k == wanted).map(|&(_, e)| e).collect::<Vec<_>>();
        let reads = collect(logic, kind(TargetEventKind::Read));
        let writes = collect(logic, kind(TargetEventKind::Write));
        let fences = collect(logic, kind(TargetEventKind::Fence));
        let present = collect(logic, parts.present.clone());
        let orders: Vec<(Order, Expr)> = grouped(logic, &parts.orders);
        let scopes: Vec<(Scope, Expr)> = grouped(logic, &parts.scopes);
        let volatile = collect(logic, parts.volatile.clone());
        let universe = logic.union(present, source.inits);
        let accesses = logic.union(reads, writes);
        let [plain, atomics] = plain_and_atomic(logic, find(&orders, Order::Plain), [accesses, present, source.inits]);
        let all_po = logic.rel(v.target_po);
        let po = logic.restrict_domain(present, all_po);
        let po = logic.restrict_range(po, present);
        let thread = logic.restrict_domain(present, source.thread);
        let back = logic.transpose(thread);
        let int = logic.join(thread, back);
        let alone = logic.diagonal(source.inits);
        let int = logic.union(int, alone);
        let mut equal = Vec::new();
        let mut same = |logic: &mut Logic, copy: Copied, expr: Expr| match v.copies.iter().find(|(c, _)| *c == copy) {
            None => expr,
            Some(&(_, relation)) => {
                let own = logic.rel(relation);
                equal.push(logic.equal(own, expr));
                own
            }
        };
        let together: Vec<(Scope, Expr)> =
            source.together.iter().map(|&(s, e)| (s, same(logic, Copied::Together(s), e))).collect();
        let placed = placed(logic, &together, thread);
        let sr = inclusion(logic, &scopes, &placed);
        // Accesses in slots are of the location of their event, and each read reads one write there.
        let unused = logic.union_all(2, parts.unused.iter().copied());
        let copies = logic.union_all(2, parts.back.iter().copied());
        let in_slots = logic.union_all(2, parts.in_slots());
        let loc = if parts.in_slots().next().is_none() { source.loc } else { with_slots(logic, source.loc, in_slots) };
        let loc = same(logic, Copied::Location, loc);
        let rmw = std::iter::once(source.rmw).chain(parts.exchanges.iter().chain(&parts.back).copied());
        let rmw = logic.union_all(2, rmw);
        let rmw = same(logic, Copied::Rmw, rmw);
        let unused_rf = v.unused_rf.map(|r| logic.rel(r));
        let own_rf = source.base(BaseRelation::Rf);
        let total = signature.total_coherence();
        let ReadsAndWrites { rf, co } = match v.back {
            Some(back) => back.target(logic, source, [own_rf, copies, loc], total, formulas),
            None => ReadsAndWrites { rf: own_rf, co: if total { source.mo } else { source.partial_co } },
        };
        let co = same(logic, Copied::Coherence, co);
        let mut relations = vec![
            (BaseRelation::Po, po),
            (BaseRelation::Co, co),
            (BaseRelation::Loc, loc),
            (BaseRelation::Vloc, loc),
            (BaseRelation::Int, int),
            (BaseRelation::Rmw, rmw),
            (BaseRelation::Sr, sr),
        ];
        relations.extend(parts.dependencies(logic, v, source, in_slots, [accesses, writes]));
        let rf = logic.union_all(2, std::iter::once(rf).chain(unused_rf));
        relations.push((BaseRelation::Rf, same(logic, Copied::ReadsFrom, rf)));
        formulas.extend(equal);
        if let Some(rf) = unused_rf {
            let (slots, all_writes) = (logic.range(unused), logic.union(writes, source.inits));
            reads_of_slots(logic, rf, [slots, all_writes, loc], formulas);
        }
        let ctrl = parts.control(logic, v, source, source.base(BaseRelation::Ctrl));
        relations.push((BaseRelation::Ctrl, logic.restrict_range(ctrl, present)));
        if signature.ordered_fences().is_some() {
            let strong = ordered_fences(logic, signature, fences, &orders);
            let order = match order {
                None => logic.rel(v.fence_order),
                Some(order) => {
                    let among = logic.restrict_domain(strong, order);
                    logic.restrict_range(among, strong)
                }
            };
            relations.push((BaseRelation::SyncFence, order));
            fence_order(logic, order, strong, formulas);
        }
        if !signature.total_coherence() {
            let twice = logic.join(co, co);
            formulas.push(logic.subset(twice, co));
        }
        let halves = parts.halves(logic, source, rmw);
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
            // What a load writes back is an addition of 0, and a row of PTX cannot store by an exchange.
            exchanges: source.exchanges,
            plain,
            atomics,
            relations,
            placed,
        }
    }
}

/// The plain accesses, initial writes among them, and what is present and has an order or a tag. A fence without a tag is neither.
fn plain_and_atomic(logic: &mut Logic, plain: Option<Expr>, [accesses, present, inits]: [Expr; 3]) -> [Expr; 2] {
    let Some(plain) = plain else { return [inits, logic.difference(present, inits)] };
    let ordered = logic.difference(present, plain);
    let plain = logic.intersection(plain, accesses);
    [logic.union(plain, inits), logic.difference(ordered, inits)]
}

/// Each read in a slot reads one write of its location.
fn reads_of_slots(logic: &mut Logic, rf: Expr, [slots, all_writes, loc]: [Expr; 3], formulas: &mut Vec<Formula>) {
    let back = logic.transpose(rf);
    formulas.push(logic.function(back, slots, all_writes));
    formulas.push(logic.subset(rf, loc));
}

impl TagSets {
    /// What all rows make of the source.
    fn new(
        logic: &mut Logic,
        mapping: &Mapping,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        formulas: &mut Vec<Formula>,
    ) -> Self {
        let mut parts = TagSets::default();
        for &(construct, relation) in &v.construct {
            let set = logic.rel(relation);
            for row in mapping.rows.iter().filter(|row| row.construct == construct) {
                let set = match row.scope {
                    ScopePattern::Any(_) => set,
                    ScopePattern::Named(scope) => match find(&source.scopes, scope) {
                        Some(scope) => logic.intersection(set, scope),
                        None => continue,
                    },
                };
                row_parts(logic, row, set, v, source, &mut parts, formulas);
            }
        }
        parts
    }

    /// Address and data dependencies: those of the source, and those that rows make.
    fn dependencies(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        slots: Expr,
        [accesses, writes]: [Expr; 2],
    ) -> Vec<(BaseRelation, Expr)> {
        let mut relations = Vec::new();
        for (dependency, dependent) in [(Dependency::Addr, accesses), (Dependency::Data, writes)] {
            let Some(mut all) = find(&source.relations, dependency.relation()) else { continue };
            if let Some(later) = self.by_rows(logic, v, source, dependency) {
                all = logic.union(all, later);
            }
            let has_slots = self.in_slots().next().is_some();
            if has_slots {
                let in_slots = logic.join(all, slots);
                all = logic.union_all(2, [all, in_slots].into_iter().chain(self.own(dependency)));
            }
            if !self.depended_on.is_empty() || has_slots {
                all = logic.restrict_range(all, dependent);
            }
            relations.push((dependency.relation(), all));
        }
        relations
    }

    /// What is control-dependent stays so with all that its lowering adds; rows may make more depend on what they read.
    fn control(&self, logic: &mut Logic, v: &MappingVocabulary, source: &SourceExpressions, ctrl: Expr) -> Expr {
        let ctrl = match self.by_rows(logic, v, source, Dependency::Ctrl) {
            Some(later) => logic.union(ctrl, later),
            None => ctrl,
        };
        let mut all = vec![ctrl];
        all.extend(self.own(Dependency::Ctrl));
        for &slot in v.before.iter().chain(&v.after) {
            let slot = logic.rel(slot);
            all.push(logic.join(ctrl, slot));
        }
        logic.union_all(2, all)
    }

    /// From events to the accesses in their slots.
    fn in_slots(&self) -> impl Iterator<Item = Expr> + '_ {
        self.unused.iter().chain(&self.back).copied()
    }

    /// The halves of read-modify-writes.
    fn halves(&self, logic: &mut Logic, source: &SourceExpressions, rmw: Expr) -> Expr {
        if self.exchanges.is_empty() && self.back.is_empty() {
            return logic.union(source.read_halves, source.write_halves);
        }
        let (reads, writes) = (logic.domain(rmw), logic.range(rmw));
        logic.union(reads, writes)
    }

    /// What depends in this way on the reads of rows: all that comes behind.
    fn by_rows(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        dependency: Dependency,
    ) -> Option<Expr> {
        let reads: Vec<Expr> = self.depended_on.iter().filter(|(d, _)| *d == dependency).map(|&(_, e)| e).collect();
        if reads.is_empty() { None } else { Some(behind(logic, v, source, &reads)) }
    }

    /// The slots of rows that depend in this way on their own read.
    fn own(&self, dependency: Dependency) -> impl Iterator<Item = Expr> + '_ {
        self.own.iter().filter(move |(d, _)| *d == dependency).map(|&(_, e)| e)
    }
}

/// The fences that the chosen order of fences relates (PTX: `fence.sc`), of the events of each order.
pub(super) fn ordered_fences(logic: &mut Logic, signature: Signature, fences: Expr, orders: &[(Order, Expr)]) -> Expr {
    let ordered = orders.iter().filter(|(order, _)| signature.is_order_of_ordered_fence(*order)).map(|&(_, events)| events);
    let ordered = logic.union_all(1, ordered.collect::<Vec<_>>());
    logic.intersection(ordered, fences)
}

/// Fence-SC order is a strict partial order over the fences that it relates, those of them that are present (PTX ISA 8.9.3).
pub(super) fn fence_order(logic: &mut Logic, order: Expr, strong: Expr, formulas: &mut Vec<Formula>) {
    let allowed = logic.product(strong, strong);
    formulas.push(logic.subset(order, allowed));
    let twice = logic.join(order, order);
    formulas.push(logic.subset(twice, order));
    let back = logic.transpose(order);
    let both = logic.intersection(order, back);
    formulas.push(logic.no(both));
}

/// A relation of events as one of events and of the slots that are in their place.
fn with_slots(logic: &mut Logic, relation: Expr, slots: Expr) -> Expr {
    let back = logic.transpose(slots);
    let (to, from) = (logic.join(relation, slots), logic.join(back, relation));
    let both = logic.join(from, slots);
    logic.union_all(2, [relation, to, from, both])
}

/// The events of the source that come after reads in their threads. (A read-modify-write is one instruction: its write comes before
/// what tests its read.)
fn behind(logic: &mut Logic, v: &MappingVocabulary, source: &SourceExpressions, reads: &[Expr]) -> Expr {
    let reads = logic.union_all(1, reads.iter().copied());
    let po = logic.rel(v.po);
    let later = logic.difference(po, source.rmw);
    logic.restrict_domain(reads, later)
}

/// What one row makes of the events in `set` (for an RMW: its read halves).
fn row_parts(
    logic: &mut Logic,
    row: &Row,
    set: Expr,
    v: &MappingVocabulary,
    source: &SourceExpressions,
    parts: &mut TagSets,
    formulas: &mut Vec<Formula>,
) {
    let next = logic.rel(v.next);
    let asked = row.asked();
    if asked.is_empty() {
        // What does not exist is in no program.
        formulas.push(logic.no(set));
        return;
    }
    for &choice in v.choice.iter().skip(asked.len()) {
        let choice = logic.rel(choice);
        let taken = logic.intersection(set, choice);
        formulas.push(logic.no(taken));
    }
    for (k, &lowering) in asked.iter().enumerate() {
        let set = match v.choice.get(k) {
            Some(&choice) if asked.len() > 1 => {
                let choice = logic.rel(choice);
                logic.intersection(set, choice)
            }
            _ => set,
        };
        let is_rmw = row.construct.operation == Operation::Rmw;
        if let Some(exchange) = v.exchange.filter(|_| is_rmw) {
            let exchange = logic.rel(exchange);
            if !lowering.may_exchange() {
                let both = logic.intersection(set, exchange);
                formulas.push(logic.no(both));
            }
            if !lowering.may_compute() {
                formulas.push(logic.subset(set, exchange));
            }
        }
        let last = if is_rmw { logic.join(set, next) } else { set };
        for (dependency, first) in lowering.dependencies.iter() {
            parts.depended_on.push((dependency, set));
            // What the row itself has behind the word depends on its read as well.
            let own = logic.diagonal(set);
            let to_last = if is_rmw { logic.join(own, next) } else { own };
            let back = usize::from(lowering.writes_back(row.construct.operation));
            for &slot in v.after.iter().take(back + lowering.after()).skip(back + first) {
                let slot = logic.rel(slot);
                parts.own.push((dependency, logic.join(to_last, slot)));
            }
        }
        let made = Made { row, lowering, set, last };
        for (step, role) in lowering.steps.iter().zip(roles(lowering, row.construct.operation)) {
            step_parts(logic, &made, step, role, v, source, parts);
        }
    }
}

/// A lowering and the events that have it.
struct Made<'a> {
    row: &'a Row,
    lowering: &'a Lowering,
    /// The first event of each operation.
    set: Expr,
    /// The last one: the write half of a read-modify-write.
    last: Expr,
}

/// What one instruction of a lowering makes.
fn step_parts(
    logic: &mut Logic,
    made: &Made<'_>,
    step: &LoweringStep,
    role: SlotRole,
    v: &MappingVocabulary,
    source: &SourceExpressions,
    parts: &mut TagSets,
) {
    let &Made { row, lowering, set, last } = made;
    // The places of this step, and each source scope carried to them.
    let (events, slot) = match role {
        SlotRole::Access => (set, None),
        SlotRole::Before(k) => (set, v.before.get(k)),
        SlotRole::After(k) => (last, v.after.get(k)),
    };
    let carry = |logic: &mut Logic, events: Expr| match slot {
        Some(&slot) => {
            let slot = logic.rel(slot);
            logic.join(events, slot)
        }
        None => events,
    };
    let places = carry(logic, events);
    parts.present.push(places);
    let mut all = vec![places];
    if step.unused {
        parts.unused.extend(slot.map(|&slot| {
            let slot = logic.rel(slot);
            logic.restrict_domain(events, slot)
        }));
    }
    // The read of a store that is a read-modify-write, or the write of such a load.
    let other_half = match (unused_half(row, lowering), lowering.writes_back(row.construct.operation)) {
        (Some(SlotRole::Before(k)), _) => v.before.get(k),
        (_, true) => v.after.first(),
        _ => None,
    };
    let half = other_half.filter(|_| role == SlotRole::Access).map(|&slot| {
        let slot = logic.rel(slot);
        logic.restrict_domain(set, slot)
    });
    match (step.operation, half) {
        (Operation::Read, _) => parts.kinds.push((TargetEventKind::Read, places)),
        (Operation::Write, _) => parts.kinds.push((TargetEventKind::Write, places)),
        (Operation::Fence, _) => parts.kinds.push((TargetEventKind::Fence, places)),
        (Operation::Rmw, Some(half)) => {
            let whole = margay_models::signature::Construct { operation: Operation::Rmw, order: step.order };
            let other = logic.range(half);
            let (read, write) = if row.construct.operation == Operation::Read {
                parts.back.push(half);
                (places, other)
            } else {
                parts.unused.push(half);
                parts.exchanges.push(logic.transpose(half));
                (other, places)
            };
            parts.kinds.extend([(TargetEventKind::Read, read), (TargetEventKind::Write, write)]);
            parts.present.push(other);
            parts.orders.extend([(whole.read_order(), read), (whole.write_order(), write)]);
            all.push(other);
        }
        (Operation::Rmw, None) => {
            let whole = margay_models::signature::Construct { operation: Operation::Rmw, order: step.order };
            parts.kinds.push((TargetEventKind::Read, places));
            parts.kinds.push((TargetEventKind::Write, last));
            parts.present.push(last);
            parts.orders.push((whole.read_order(), places));
            parts.orders.push((whole.write_order(), last));
            all.push(last);
        }
    }
    if step.operation != Operation::Rmw {
        parts.orders.push((step.order, places));
    }
    if step.volatile {
        parts.volatile.extend(&all);
    }
    match step.scope {
        StepScope::None => {}
        StepScope::Named(scope) => parts.scopes.extend(all.iter().map(|&e| (scope, e))),
        // A source without scopes speaks of the whole system.
        StepScope::Same if source.scopes.is_empty() => parts.scopes.extend(all.iter().map(|&e| (Scope::Sys, e))),
        StepScope::Same => {
            for &(scope, with_scope) in &source.scopes {
                let here = logic.intersection(events, with_scope);
                let here = carry(logic, here);
                parts.scopes.push((scope, here));
                if let Some(half) = half {
                    let there = logic.join(here, half);
                    parts.scopes.push((scope, there));
                } else if step.operation == Operation::Rmw {
                    let there = logic.intersection(last, with_scope);
                    parts.scopes.push((scope, there));
                }
            }
        }
    }
}

/// One union for each key, in ascending order of keys.
fn grouped<K: Copy + Ord>(logic: &mut Logic, parts: &[(K, Expr)]) -> Vec<(K, Expr)> {
    let mut keys: Vec<K> = parts.iter().map(|&(k, _)| k).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let sets: Vec<Expr> = parts.iter().filter(|(k, _)| *k == key).map(|&(_, e)| e).collect();
            (key, logic.union_all(1, sets))
        })
        .collect()
}

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
}

impl Base for TargetBase<'_> {
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
                return Interpretation::of(set.scope().and_then(|scope| find(&t.scopes, scope)), without::SCOPE);
            }
            BaseSet::Xchg => return Interpretation::of(t.exchanges, without::EXCHANGES),
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
            | BaseSet::Mmio => {
                return Interpretation::Empty(without::ROW);
            }
            BaseSet::Tag(tag) => return Interpretation::of(find(&self.tags, tag), without::ORDER),
        })
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        let t = self.target;
        match relation {
            BaseRelation::Scta | BaseRelation::Scluster | BaseRelation::Sgpu | BaseRelation::Same(_) => {
                Interpretation::of(relation.level().and_then(|scope| find(&t.placed, scope)), without::LEVEL)
            }
            BaseRelation::Id | BaseRelation::Fr | BaseRelation::Ext => Interpretation::Follows,
            BaseRelation::Syncbar | BaseRelation::SyncBarrier | BaseRelation::AsyncIssue | BaseRelation::AsyncComplete => {
                Interpretation::Empty(without::ROW)
            }
            BaseRelation::Po
            | BaseRelation::Rf
            | BaseRelation::Co
            | BaseRelation::Loc
            | BaseRelation::Vloc
            | BaseRelation::Int
            | BaseRelation::Rmw
            | BaseRelation::Addr
            | BaseRelation::Data
            | BaseRelation::Ctrl
            | BaseRelation::Sr
            | BaseRelation::SyncFence => {
                let known = find(&t.relations, relation);
                Interpretation::Is(known.unwrap_or_else(|| unreachable!("the target's `{}` was not made", relation.name())))
            }
        }
    }

    fn universe(&self) -> Expr {
        self.target.universe
    }

    fn closed_forms(&self) -> bool {
        self.closed_forms
    }
}
