//! One path for each thread, put together: an execution without reads-from, coherence and fence
//! order.

use std::sync::Arc;

use margay_models::bits::{BitMatrix, Event, MAX_EVENTS};
use margay_models::execution::{EventData, Execution, Kind, Scope};

use super::UnfoldError;
use super::address::LocationAddress;
use super::path::{Path, Positions};
use super::shared::Shared;
use super::symbol::{Symbol, Symbols};
use crate::test::{AskedCondition, Place, ThreadId, Variable, element};

#[derive(Debug, Clone, Copy)]
pub enum WriteValue {
    /// A number.
    Known(i64),
    /// Computed from the reads of a thread.
    Computed(ThreadId, Symbol),
}

/// A candidate execution but for reads-from, coherence order and fence order.
#[derive(Debug, Clone)]
pub struct Skeleton {
    /// Everything that is known: events, program order, dependencies, read-modify-writes, barriers.
    pub execution: Execution,
    /// For each event the value that it writes; `None` for what is no write.
    pub writes: Vec<Option<WriteValue>>,
    /// Values that must be different from 0 (true) or 0 (false).
    pub suppositions: Vec<(ThreadId, Symbol, bool)>,
    /// For each thread the values of its registers at the end.
    pub registers: Vec<Vec<(String, Symbol)>>,
    /// For each event where it came from in the text.
    pub places: Vec<Place>,
    /// For each thread the nodes of its values.
    symbols: Arc<[Symbols]>,
    /// For each thread its first event.
    first: Vec<usize>,
    /// For each location its address.
    addresses: Arc<[LocationAddress]>,
    /// What the test asks of final states.
    pub(crate) asked: Arc<AskedCondition>,
}

impl Skeleton {
    /// A value, if `read` knows the values of the reads that it depends on, by their events.
    pub fn evaluate(
        &self,
        thread: ThreadId,
        symbol: Symbol,
        read: impl Fn(Event) -> Option<i64>,
    ) -> Option<i64> {
        let first = self.first[thread.index()];
        self.symbols[thread.index()]
            .evaluate(symbol, &|position| read(Event::from(first + usize::from(position))))
    }

    /// The thread of an event and its position there; `None` for initial writes.
    pub(crate) fn position(&self, event: Event) -> Option<(ThreadId, usize)> {
        let thread = ThreadId(self.execution.events.get(event.index())?.thread?);
        Some((thread, event.index() - self.first.get(thread.index())?))
    }

    /// The final value of a register.
    pub fn register(&self, thread: ThreadId, name: &str) -> Option<Symbol> {
        self.registers
            .get(thread.index())?
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, symbol)| *symbol)
    }

    /// The location of that name, by index of the physical location behind it.
    pub fn physical(&self, name: &str) -> Option<u16> {
        self.execution.locations.iter().find(|l| l.name == name).map(|l| l.physical)
    }

    /// For an array that of its first element; `None` where the test has no location of that name.
    pub fn address_of(&self, name: &str) -> Option<LocationAddress> {
        let locations = &self.execution.locations;
        let first = || locations.iter().position(|l| element(&l.name) == Some((name, 0)));
        let location = locations.iter().position(|l| l.name == name).or_else(first)?;
        Some(self.addresses[location])
    }

    /// The location whose name a variable of a condition is; `None` for registers.
    pub fn location_of(&self, variable: &Variable) -> Option<u16> {
        match variable {
            Variable::Location(name) => self.physical(name),
            Variable::Register { .. } => None,
        }
    }
}

/// Puts one path for each thread together.
pub(super) fn assemble(
    paths: &[&Path],
    symbols: &Arc<[Symbols]>,
    shared: &Shared,
) -> Result<Skeleton, UnfoldError> {
    let mut events: Vec<EventData> = Vec::new();
    let (mut writes, mut places, mut first, mut suppositions) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (t, path) in paths.iter().enumerate() {
        let thread = ThreadId(t as u16);
        first.push(events.len());
        for e in &path.events {
            events.push(EventData { thread: Some(thread.0), ..e.data.clone() });
            writes.push(e.value.map(|symbol| match symbols[t].as_constant(symbol) {
                Some(n) => WriteValue::Known(n),
                None => WriteValue::Computed(thread, symbol),
            }));
            places.push(e.place);
        }
        suppositions
            .extend(path.suppositions.iter().map(|(symbol, holds)| (thread, *symbol, *holds)));
    }
    for (l, value) in shared.initial_writes() {
        events.push(shared.initial_event(l, value));
        writes.push(Some(WriteValue::Known(value)));
        places.push(Place::default());
    }
    if events.len() > MAX_EVENTS {
        return Err(UnfoldError::new(format!(
            "more than {MAX_EVENTS} events, initial writes included"
        )));
    }
    let mut execution =
        Execution::new(shared.signature, events, shared.threads.clone(), shared.locations.clone());
    execution.generic.clone_from(&shared.generic);
    for (path, &first) in paths.iter().zip(&first) {
        for (position, e) in path.events.iter().enumerate() {
            let event = Event::from(first + position);
            if let Some(read) = e.modifies {
                execution.rmw.insert(Event::from(first + usize::from(read)), event);
            }
            let mut depend = |relation: fn(&mut Execution) -> &mut BitMatrix, reads: Positions| {
                for position in reads.iter() {
                    relation(&mut execution).insert(Event::from(first + position), event);
                }
            };
            depend(|x| &mut x.addr, e.address_reads);
            depend(|x| &mut x.data, e.data_reads);
            depend(|x| &mut x.ctrl, e.control_reads);
            depend(|x| &mut x.async_issue, e.issued_after);
            depend(|x| &mut x.async_complete, e.completes);
        }
    }
    synchronise_barriers(&mut execution);
    let registers = paths.iter().map(|p| p.registers.clone()).collect();
    Ok(Skeleton {
        execution,
        writes,
        suppositions,
        registers,
        places,
        symbols: symbols.clone(),
        first,
        addresses: shared.addresses.clone(),
        asked: shared.asked.clone(),
    })
}

/// From the k-th arrival of a thread at a barrier to the k-th wait there of every other thread of
/// the cta (or warp, or cluster). A launch starts and ends once.
fn synchronise_barriers(x: &mut Execution) {
    let barriers: Vec<(Event, usize)> = (0..x.size())
        .map(Event::from)
        .filter(|e| x.events[e.index()].barrier.is_some())
        .map(|e| {
            // How many like it came before it in its thread.
            let of = |e: Event| {
                let data = &x.events[e.index()];
                (data.thread, data.kind, data.barrier, data.scope)
            };
            (e, (0..e.index()).filter(|&b| of(Event::from(b)) == of(e)).count())
        })
        .collect();
    for &(a, round) in &barriers {
        for &(w, of_wait) in &barriers {
            let (arrival, wait) = (&x.events[a.index()], &x.events[w.index()]);
            let (Some(s), Some(t)) = (arrival.thread, wait.thread) else { continue };
            let scope = arrival.scope.unwrap_or(Scope::Cta);
            let together = x.threads[usize::from(s)].shares(scope, x.threads[usize::from(t)]);
            let same = arrival.barrier == wait.barrier && arrival.scope == wait.scope;
            if arrival.kind == Kind::BarrierArrive
                && wait.kind == Kind::BarrierWait
                && s != t
                && together
                && same
                && (round == of_wait || scope == Scope::Sys)
            {
                x.sync_barrier.insert(a, w);
            }
        }
    }
}
