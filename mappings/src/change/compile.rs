//! A source execution under other rows: what the same program and outcome become when the mapping
//! changes.

use margay_models::bits::Event;
use margay_models::execution::{Execution, Kind, Order};
use margay_models::signature::{Construct, Operation, Signature};

use crate::language::{Dependency, EventHalf, Lowering, LoweringForm, Mapping};

/// An operation of an execution: its first event, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationUse {
    /// The event; of a read-modify-write the read.
    pub head: Event,
    /// The write of a read-modify-write.
    pub write_half: Option<Event>,
    /// The index of the row.
    pub row: usize,
    pub form: LoweringForm,
    /// Of a compare-exchange, the order of its other outcome, where the execution says it.
    pub other_order: Option<Order>,
}

impl OperationUse {
    /// Is a lowering of its row for operations of its form, with its pair of orders?
    pub fn allows(&self, lowering: &Lowering) -> bool {
        lowering.form == self.form && lowering.is_for_pair(self.other_order)
    }
}

/// The operations of an execution, in the order of its events. `None` if some operation has no row.
pub fn uses(mapping: &Mapping, source: &Execution) -> Option<Vec<OperationUse>> {
    let mut out = Vec::new();
    for (i, data) in source.events.iter().enumerate() {
        let head = Event::from(i);
        if data.thread.is_none() || !source.rmw.column(head).is_empty() {
            continue;
        }
        let write_half = source.rmw.row(head).iter().next();
        let (operation, order) = match (data.kind, write_half) {
            (_, Some(write)) => (
                Operation::Rmw,
                whole(source.signature, data.order, source.events[write.index()].order)?,
            ),
            (Kind::Read, None) => (Operation::Read, data.order),
            (Kind::Write, None) => (Operation::Write, data.order),
            (Kind::Fence, None) => (Operation::Fence, data.order),
            _ => return None,
        };
        let form = match (data.compare, write_half) {
            (false, _) => LoweringForm::Usual,
            (true, Some(_)) => LoweringForm::CompareExchange,
            (true, None) => LoweringForm::FailedCompareExchange,
        };
        let construct = Construct { operation, order };
        let row = mapping.row(construct, data.scope)?;
        let row = mapping.rows.iter().position(|r| std::ptr::eq(r, row))?;
        let other_order = data.other_order.filter(|_| form != LoweringForm::Usual);
        out.push(OperationUse { head, write_half, row, form, other_order });
    }
    Some(out)
}

/// The order of a read-modify-write whose halves have these orders.
fn whole(signature: Signature, read: Order, write: Order) -> Option<Order> {
    signature.whole(read, write).map(|c| c.order)
}

/// The target execution of the operations, each lowered as `lowerings` says. Reads-from,
/// modification order and dependencies are the source's; the order of `fence.sc` is left out, and
/// so are what reads read whose value nobody uses and where in coherence order stands what loads
/// write back.
pub fn compile(
    mapping: &Mapping,
    source: &Execution,
    uses: &[OperationUse],
    lowerings: &[&Lowering],
    finals: &[Option<Event>],
) -> Option<(Execution, Vec<Option<Event>>)> {
    let mut events = Vec::new();
    // For each source event its target event and all that its lowering put around it.
    let mut access: Vec<Option<Event>> = vec![None; source.events.len()];
    let mut around: Vec<Vec<Event>> = vec![Vec::new(); source.events.len()];
    // The stores that read as well, and the loads that write back what they read.
    let (mut exchanges, mut back) = (Vec::new(), Vec::new());
    for (used, lowering) in uses.iter().zip(lowerings) {
        let data = &source.events[used.head.index()];
        let operation = mapping.rows[used.row].construct.operation;
        for (mut made, half) in lowering.events(operation, data.thread, data.scope) {
            let of = match half {
                Some(EventHalf::Write) => used.write_half?,
                Some(EventHalf::First) | None => used.head,
            };
            let here = Event::from(events.len());
            if made.kind != Kind::Fence {
                made.location = source.events[of.index()].location;
                made.value = if made.unused { None } else { source.events[of.index()].value };
                if operation == Operation::Rmw {
                    (made.exchange, made.computes) = (data.exchange, data.computes);
                }
            }
            if half.is_some() {
                access[of.index()] = Some(here);
            }
            around[of.index()].push(here);
            events.push(made);
        }
        if lowering.stores_by_exchange(operation) {
            exchanges.push(used.head);
        }
        if lowering.writes_back(operation) {
            back.push(used.head);
        }
    }
    for (i, data) in source.events.iter().enumerate().filter(|(_, d)| d.thread.is_none()) {
        access[i] = Some(Event::from(events.len()));
        events.push(data.clone());
    }
    let mut target = Execution::new(
        mapping.target.signature,
        events,
        source.threads.clone(),
        source.locations.clone(),
    );
    let pairs = [
        (&source.rf, &mut target.rf),
        (&source.co, &mut target.co),
        (&source.rmw, &mut target.rmw),
        (&source.data, &mut target.data),
    ];
    for (from, to) in pairs {
        for (a, b) in from.pairs() {
            to.insert(access[a.index()]?, access[b.index()]?);
        }
    }
    for write in exchanges {
        let write = access[write.index()]?;
        target.rmw.insert(Event(write.0 - 1), write);
    }
    for read in back {
        let read = access[read.index()]?;
        target.rmw.insert(read, Event(read.0 + 1));
    }
    for (a, b) in source.addr.pairs() {
        let a = access[a.index()]?;
        depend(&mut target, Dependency::Addr, a, around[b.index()].iter().copied());
    }
    for (a, b) in source.ctrl.pairs() {
        let a = access[a.index()]?;
        around[b.index()].iter().for_each(|&b| target.ctrl.insert(a, b));
    }
    for (used, lowering) in uses.iter().zip(lowerings) {
        let Some(read) = access[used.head.index()] else { continue };
        // What is made of the row comes first in the list of its operation, and what stands behind
        // its access last.
        let own: Vec<Event> = [Some(used.head), used.write_half]
            .into_iter()
            .flatten()
            .flat_map(|e| &around[e.index()])
            .copied()
            .collect();
        let Some(last) = access[used.write_half.unwrap_or(used.head).index()] else { continue };
        let later: Vec<Event> = (0..source.events.len())
            .filter(|&e| {
                source.po.contains(used.head, Event::from(e))
                    && Some(Event::from(e)) != used.write_half
            })
            .flat_map(|e| around[e].iter().copied())
            .collect();
        let behind_access =
            usize::from(lowering.writes_back(mapping.rows[used.row].construct.operation));
        for (dependency, behind) in lowering.dependencies.iter() {
            let fences = own.iter().filter(|&&e| e > last).skip(behind_access + behind);
            depend(&mut target, dependency, read, fences.chain(&later).copied());
        }
    }
    let finals = finals.iter().map(|f| f.and_then(|w| access[w.index()])).collect();
    Some((target, finals))
}

/// Makes those events depend on a read that can depend on one in this way.
pub fn depend(
    target: &mut Execution,
    dependency: Dependency,
    read: Event,
    on: impl Iterator<Item = Event>,
) {
    for event in on {
        let kind = target.events[event.index()].kind;
        match dependency {
            Dependency::Addr if matches!(kind, Kind::Read | Kind::Write) => {
                target.addr.insert(read, event)
            }
            Dependency::Data if kind == Kind::Write => target.data.insert(read, event),
            Dependency::Ctrl => target.ctrl.insert(read, event),
            Dependency::Addr | Dependency::Data => {}
        }
    }
}
