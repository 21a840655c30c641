//! What the rows of a mapping make of the source's events: which of them, and which of their slots,
//! are reads, writes and fences, and what tags each has.

use margay_models::execution::{Order, Scope};
use margay_models::signature::Operation;
use margay_solver::{Expr, Formula, Logic};

use crate::encode::slot::{SlotRole, roles, unused_half};
use crate::encode::source::SourceExpressions;
use crate::encode::vocabulary::MappingVocabulary;
use crate::language::{Dependency, Lowering, LoweringStep, Mapping, Row, StepScope};

/// Sets under construction, by what they tag.
#[derive(Default)]
pub(super) struct TagSets {
    pub kinds: Vec<(TargetEventKind, Expr)>,
    pub orders: Vec<(Order, Expr)>,
    pub scopes: Vec<(Scope, Expr)>,
    pub volatile: Vec<Expr>,
    /// The events of operations on mbarriers.
    pub mbarriers: Vec<Expr>,
    pub present: Vec<Expr>,
    /// The reads on which a row makes what follows depend.
    pub depended_on: Vec<(Dependency, Expr)>,
    /// The slots of such rows themselves that depend on them, in each way.
    pub own: Vec<(Dependency, Expr)>,
    /// From events to the reads in their slots, whose value nobody uses.
    pub unused: Vec<Expr>,
    /// From loads that are read-modify-writes to what they write back.
    pub back: Vec<Expr>,
    /// The read-modify-writes of which one half is such a read.
    pub exchanges: Vec<Expr>,
}

/// Read, write or fence event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetEventKind {
    Read,
    Write,
    Fence,
}

impl TagSets {
    /// What all rows make of the source.
    pub fn new(
        logic: &mut Logic,
        mapping: &Mapping,
        vocabulary: &MappingVocabulary,
        source: &SourceExpressions,
        formulas: &mut Vec<Formula>,
    ) -> Self {
        let mut encoder =
            RowEncoder { logic, vocabulary, source, formulas, parts: Self::default() };
        for &(construct, relation) in &vocabulary.construct {
            let set = encoder.logic.rel(relation);
            for row in mapping.rows.iter().filter(|row| row.construct == construct) {
                if let Some(set) = source.events_of_row(encoder.logic, row, set) {
                    encoder.row(row, set);
                }
            }
        }
        encoder.parts
    }

    /// Address and data dependencies: those of the source, and those that rows make.
    pub fn dependencies(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        slots: Expr,
        [accesses, writes]: [Expr; 2],
    ) -> [Expr; 2] {
        let [addr, data, _] = source.dependencies;
        [(Dependency::Addr, addr, accesses), (Dependency::Data, data, writes)].map(
            |(dependency, mut all, dependent)| {
                if let Some(later) = self.by_rows(logic, v, source, dependency) {
                    all = logic.union(all, later);
                }
                let has_slots = self.in_slots().next().is_some();
                if has_slots {
                    let in_slots = logic.join(all, slots);
                    all =
                        logic.union_all(2, [all, in_slots].into_iter().chain(self.own(dependency)));
                }
                if !self.depended_on.is_empty() || has_slots {
                    all = logic.restrict_range(all, dependent);
                }
                all
            },
        )
    }

    /// What is control-dependent stays so with all that its lowering adds; rows may make more
    /// depend on what they read.
    pub fn control(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        ctrl: Expr,
    ) -> Expr {
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
    pub fn in_slots(&self) -> impl Iterator<Item = Expr> + '_ {
        self.unused.iter().chain(&self.back).copied()
    }

    /// The halves of read-modify-writes.
    pub fn halves(&self, logic: &mut Logic, source: &SourceExpressions, rmw: Expr) -> Expr {
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
        let reads: Vec<Expr> =
            self.depended_on.iter().filter(|(d, _)| *d == dependency).map(|&(_, e)| e).collect();
        if reads.is_empty() { None } else { Some(behind(logic, v, source, &reads)) }
    }

    /// The slots of rows that depend in this way on their own read.
    fn own(&self, dependency: Dependency) -> impl Iterator<Item = Expr> + '_ {
        self.own.iter().filter(move |(d, _)| *d == dependency).map(|&(_, e)| e)
    }
}

/// The events of the source that come after reads in their threads. (A read-modify-write is one
/// instruction: its write comes before what tests its read.)
fn behind(
    logic: &mut Logic,
    v: &MappingVocabulary,
    source: &SourceExpressions,
    reads: &[Expr],
) -> Expr {
    let reads = logic.union_all(1, reads.iter().copied());
    let po = logic.rel(v.po);
    let later = logic.difference(po, source.rmw);
    logic.restrict_domain(reads, later)
}

/// A lowering and the events that have it.
struct LoweredEvents<'a> {
    row: &'a Row,
    lowering: &'a Lowering,
    /// The first event of each operation.
    set: Expr,
    /// The last one: the write half of a read-modify-write.
    last: Expr,
}

/// Goes through the rows, and collects what they make.
struct RowEncoder<'a> {
    logic: &'a mut Logic,
    vocabulary: &'a MappingVocabulary,
    source: &'a SourceExpressions,
    /// What the instance must satisfy besides.
    formulas: &'a mut Vec<Formula>,
    parts: TagSets,
}

impl RowEncoder<'_> {
    /// What one row makes of the events in `set` (for an RMW: its read halves).
    fn row(&mut self, row: &Row, set: Expr) {
        let next = self.logic.rel(self.vocabulary.next);
        let asked = row.asked();
        if asked.is_empty() {
            // What does not exist is in no program.
            self.formulas.push(self.logic.no(set));
            return;
        }
        for &choice in self.vocabulary.choice.iter().skip(asked.len()) {
            let choice = self.logic.rel(choice);
            let taken = self.logic.intersection(set, choice);
            self.formulas.push(self.logic.no(taken));
        }
        for (k, &lowering) in asked.iter().enumerate() {
            let set = self.vocabulary.taking(self.logic, set, k, asked.len());
            let is_rmw = row.construct.operation == Operation::Rmw;
            if let Some(exchange) = self.vocabulary.exchange.filter(|_| is_rmw) {
                let exchange = self.logic.rel(exchange);
                if !lowering.may_exchange() {
                    let both = self.logic.intersection(set, exchange);
                    self.formulas.push(self.logic.no(both));
                }
                if !lowering.may_compute() {
                    self.formulas.push(self.logic.subset(set, exchange));
                }
            }
            let last = if is_rmw { self.logic.join(set, next) } else { set };
            for (dependency, first) in lowering.dependencies.iter() {
                self.parts.depended_on.push((dependency, set));
                // What the row itself has behind the word depends on its read as well.
                let own = self.logic.diagonal(set);
                let to_last = if is_rmw { self.logic.join(own, next) } else { own };
                let back = usize::from(lowering.writes_back(row.construct.operation));
                for &slot in
                    self.vocabulary.after.iter().take(back + lowering.after()).skip(back + first)
                {
                    let slot = self.logic.rel(slot);
                    self.parts.own.push((dependency, self.logic.join(to_last, slot)));
                }
            }
            let made = LoweredEvents { row, lowering, set, last };
            for (step, role) in lowering.steps.iter().zip(roles(lowering, row.construct.operation))
            {
                self.step(&made, step, role);
            }
        }
    }

    /// What one instruction of a lowering makes.
    fn step(&mut self, made: &LoweredEvents<'_>, step: &LoweringStep, role: SlotRole) {
        let Self { logic, vocabulary: v, source, parts, .. } = self;
        let &LoweredEvents { row, lowering, set, last } = made;
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
        let other_half =
            match (unused_half(row, lowering), lowering.writes_back(row.construct.operation)) {
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
                let whole = margay_models::signature::Construct {
                    operation: Operation::Rmw,
                    order: step.order,
                };
                let other = logic.range(half);
                let (read, write) = if row.construct.operation == Operation::Read {
                    parts.back.push(half);
                    (places, other)
                } else {
                    parts.unused.push(half);
                    parts.exchanges.push(logic.transpose(half));
                    (other, places)
                };
                parts
                    .kinds
                    .extend([(TargetEventKind::Read, read), (TargetEventKind::Write, write)]);
                parts.present.push(other);
                parts.orders.extend([(whole.read_order(), read), (whole.write_order(), write)]);
                all.push(other);
            }
            (Operation::Rmw, None) => {
                let whole = margay_models::signature::Construct {
                    operation: Operation::Rmw,
                    order: step.order,
                };
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
        if step.mbarrier {
            parts.mbarriers.extend(&all);
        }
        match step.scope {
            StepScope::None => {}
            StepScope::Named(scope) => parts.scopes.extend(all.iter().map(|&e| (scope, e))),
            // A source without scopes speaks of the whole system.
            StepScope::Same if source.scopes.is_empty() => {
                parts.scopes.extend(all.iter().map(|&e| (Scope::Sys, e)))
            }
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
}
