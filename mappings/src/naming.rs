//! The operations of a counterexample by the rows that they use: which type each location has, what
//! each read-modify-write does, and where its row comes from.

use margay_models::bits::Event;
use margay_models::execution::{EventData, Execution, Kind, Order};
use margay_models::signature::Operation;

use crate::change::{OperationUse, uses};
use crate::encode::classes::{ObjectWidth, keys, types};
use crate::language::kind::{ConstructUse, EXCHANGE, KindSet, OPERATIONS, TYPES};
use crate::language::{self, Dependency, Lowering, LoweringForm, Mapping, RowSource};

/// What a counterexample is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedParts {
    /// The type of each location (an index into [`TYPES`]), where the mapping has types.
    pub types: Vec<Option<usize>>,
    /// The operations, in the order of their events.
    pub operations: Vec<NamedOperation>,
}

/// An operation and its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOperation {
    /// Its first event in the source execution; of a read-modify-write the read.
    pub head: Event,
    /// The write of a read-modify-write.
    pub write_half: Option<Event>,
    /// The index of its row.
    pub row: usize,
    /// The index of its lowering among the row's.
    pub alternative: usize,
    /// Which use of the construct it is, as far as the mapping tells them apart.
    pub cell: ConstructUse,
    /// Where the row comes from.
    pub from: Option<RowSource>,
}

impl NamedOperation {
    /// The left-hand side of its row for this use.
    pub fn text(&self, mapping: &Mapping) -> String {
        let row = &mapping.rows[self.row];
        let when = crate::language::kind::RowUses {
            partner: self.cell.partner,
            operations: self.cell.operation.map(|i| KindSet::of([i])),
            data: self.cell.data.map(|i| KindSet::of([i])),
        };
        row.head_for(mapping.source.signature, self.lowering(mapping).form, when)
    }

    pub fn lowering<'a>(&self, mapping: &'a Mapping) -> &'a Lowering {
        &mapping.rows[self.row].alternatives[self.alternative]
    }
}

/// Are these the target events of an operation lowered so?
fn is_lowered(
    lowering: &Lowering,
    operation: Operation,
    source: &EventData,
    target: &[&EventData],
) -> bool {
    let made = lowering.events(operation, source.thread, source.scope);
    let same = |a: &EventData, b: &EventData| {
        let said = |e: &EventData| {
            (e.kind, e.order, e.scope, e.volatile, e.compare, e.unused, e.writes_back)
        };
        said(a) == said(b)
    };
    made.len() == target.len() && made.iter().zip(target).all(|((a, _), b)| same(a, b))
}

/// Does what is behind the operation depend on it as the lowering says, and not otherwise than the
/// source says?
fn depends_so(
    lowering: &Lowering,
    used: &OperationUse,
    source: &Execution,
    target: &Execution,
    origin: &[Event],
) -> bool {
    let is_read = |t: &usize| {
        origin[*t] == used.head && target.events[*t].kind == Kind::Read && !target.events[*t].unused
    };
    let Some(read) = (0..origin.len()).find(is_read).map(Event::from) else { return true };
    let last = used.write_half.unwrap_or(used.head);
    let events = (0..target.size()).map(Event::from).filter(|&e| target.po.contains(read, e));
    let behind: Vec<Event> =
        events.filter(|e| ![used.head, last].contains(&origin[e.index()])).collect();
    Dependency::ALL.into_iter().all(|dependency| {
        let (of_source, of_target) = match dependency {
            Dependency::Addr => (&source.addr, &target.addr),
            Dependency::Data => (&source.data, &target.data),
            Dependency::Ctrl => (&source.ctrl, &target.ctrl),
        };
        let can = |e: &&Event| match (dependency, target.events[e.index()].kind) {
            (Dependency::Addr, kind) => matches!(kind, Kind::Read | Kind::Write),
            (Dependency::Data, kind) => kind == Kind::Write,
            (Dependency::Ctrl, _) => true,
        };
        let mut dependents = behind.iter().filter(can);
        match lowering.dependencies.get(dependency) {
            Some(_) => dependents.all(|&e| of_target.contains(read, e)),
            None => dependents.all(|&e| {
                !of_target.contains(read, e) || of_source.contains(used.head, origin[e.index()])
            }),
        }
    })
}

/// Is it the pair of orders of a compare-exchange that says one order alone? A failing one with an
/// acquire load is that of `acquire`.
fn usual_pair(own: Order, form: LoweringForm, partner: Order) -> bool {
    match (form, own) {
        (LoweringForm::CompareExchange, Order::Rel) => partner == Order::Rlx,
        (LoweringForm::CompareExchange, Order::AcqRel) => partner == Order::Acq,
        _ => partner == own,
    }
}

/// Says of each compare-exchange of a source execution which pair of orders it has, where the rows
/// of the mapping tell pairs apart; `origin` has the source event of each target event.
pub(crate) fn say_pairs(
    mapping: &Mapping,
    source: &mut Execution,
    target: &Execution,
    origin: &[Event],
) {
    let tells = |l: &Lowering| l.uses.iter().any(|u| u.when.partner.is_some());
    let compares = source.events.iter().any(|e| e.compare);
    if !compares || !mapping.rows.iter().flat_map(|r| &r.alternatives).any(tells) {
        return;
    }
    let Some(named) = name(mapping, source, target, origin) else { return };
    for operation in named.operations {
        for half in std::iter::once(operation.head).chain(operation.write_half) {
            source.events[half.index()].other_order = operation.cell.partner;
        }
    }
}

/// The operations of two executions by the rows of a mapping; `origin` has the source event of each
/// target event. `None` if they are no executions of it.
pub fn name(
    mapping: &Mapping,
    source: &Execution,
    target: &Execution,
    origin: &[Event],
) -> Option<NamedParts> {
    let all = types(mapping);
    let uses = uses(mapping, source)?;
    // For each operation the lowerings that it may have.
    let candidates: Vec<Vec<usize>> = uses
        .iter()
        .map(|used| {
            let of: Vec<&EventData> = origin
                .iter()
                .zip(&target.events)
                .filter(|(from, _)| **from == used.head || Some(**from) == used.write_half)
                .map(|(_, data)| data)
                .collect();
            let row = &mapping.rows[used.row];
            let data = &source.events[used.head.index()];
            (0..row.alternatives.len())
                .filter(|&k| {
                    used.allows(&row.alternatives[k])
                        && is_lowered(&row.alternatives[k], row.construct.operation, data, &of)
                })
                .filter(|&k| depends_so(&row.alternatives[k], used, source, target, origin))
                .collect()
        })
        .collect();
    if candidates.iter().any(Vec::is_empty) {
        return None;
    }
    // For each location a type that all its operations allow, one that programmers use first.
    let locations = source.locations.len();
    let mut chosen: Vec<Option<ObjectWidth>> = vec![None; locations];
    if !all.is_empty() {
        for (location, chosen) in chosen.iter_mut().enumerate() {
            let here = uses
                .iter()
                .zip(&candidates)
                .filter(|(u, _)| source.events[u.head.index()].location == Some(location as u16));
            let allowed: Vec<Vec<ObjectWidth>> = here
                .map(|(u, c)| {
                    c.iter()
                        .flat_map(|&k| keys(&mapping.rows[u.row].alternatives[k], all))
                        .collect()
                })
                .collect();
            let rank = |key: &ObjectWidth| {
                (
                    ["b32", "b64", "b16", "b8"]
                        .iter()
                        .position(|t| *t == TYPES[key.0])
                        .unwrap_or(9),
                    key.0,
                )
            };
            let mut common: Vec<ObjectWidth> = allowed
                .first()?
                .iter()
                .copied()
                .filter(|k| allowed.iter().all(|a| a.contains(k)))
                .collect();
            common.sort_by_key(rank);
            *chosen = Some(*common.first()?);
        }
    }
    let mut operations = Vec::new();
    for (used, candidates) in uses.iter().zip(&candidates) {
        let row = &mapping.rows[used.row];
        let key = source.events[used.head.index()].location.and_then(|l| chosen[usize::from(l)]);
        let fits =
            |k: &&usize| key.is_none_or(|key| keys(&row.alternatives[**k], all).contains(&key));
        let &alternative = candidates.iter().find(fits)?;
        let lowering = &row.alternatives[alternative];
        let data = key.map(|k| k.0);
        let is_pair = |u: &language::Used| {
            used.other_order.is_none() || u.when.partner.is_none_or(|p| Some(p) == used.other_order)
        };
        let covers = |u: &&language::Used| {
            is_pair(u) && u.when.data.is_none_or(|d| data.is_some_and(|i| d.has(i)))
        };
        let of: Vec<&language::Used> = lowering.uses.iter().filter(covers).collect();
        // Exchange and addition are easiest to read, and so is a pair of orders as a program has it
        // that says one order alone; what computes is no exchange.
        let computes = source.events[used.head.index()].computes;
        let rank = |i: usize| match i {
            EXCHANGE if computes => OPERATIONS.len(),
            _ => ["exch", "add"].iter().position(|o| *o == OPERATIONS[i]).unwrap_or(9),
        };
        let is_usual_pair = |u: &language::Used| {
            u.when.partner.is_none_or(|p| usual_pair(row.construct.order, lowering.form, p))
        };
        let best = of.iter().min_by_key(|u| {
            (u.when.operations.map(|o| o.iter().map(rank).min().unwrap_or(9)), !is_usual_pair(u))
        });
        let operation = best
            .and_then(|u| u.when.operations)
            .and_then(|o| o.iter().min_by_key(|&i| (rank(i), i)));
        let is_usual =
            row.construct.operation == Operation::Rmw && lowering.form == Default::default();
        operations.push(NamedOperation {
            head: used.head,
            write_half: used.write_half,
            row: used.row,
            alternative,
            cell: ConstructUse {
                partner: best.and_then(|u| u.when.partner),
                operation: operation.filter(|_| is_usual),
                data,
            },
            from: best.and_then(|u| u.from.clone()),
        });
    }
    Some(NamedParts { types: chosen.into_iter().map(|k| k.map(|(d, _)| d)).collect(), operations })
}
