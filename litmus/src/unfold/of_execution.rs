//! The program and outcome of an execution, unfolded without a text between.
//!
//! The program is the one that [`crate::render`] writes down: an operation is executed if the reads
//! that it is control-dependent on returned what they return in the execution; a write has another
//! value if a read that it is data-dependent on did not. So its paths can be said at once, and with
//! them which event of the execution each of their events is: nobody has to find it again by its
//! place.

use std::sync::Arc;

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{EventData, Execution, Kind, Location, Spaces};

use super::address::{FIRST_ADDRESS, LocationAddress, STRIDE};
use super::lanes::LaneCells;
use super::launches::Meetings;
use super::path::{Path, PathEvent, Positions};
use super::shared::{NamingThreads, Shared};
use super::symbol::{Binary, Symbol, Symbols};
use super::{Unfolding, UnfoldingBounds};
use crate::render::{RenderError, Values, check, condition, inputs};
use crate::test::{AskedCondition, NumberComparison, Place};

/// The program of an execution, and the execution's outcome as what is asked for.
#[derive(Debug, Clone)]
pub struct ExecutionProgram {
    unfolding: Unfolding,
    /// For each thread, for each of its paths the events of the execution that are on it.
    origins: Vec<Vec<Vec<Event>>>,
}

impl ExecutionProgram {
    /// `finals` names the last write of each location (by index) where the caller has chosen one,
    /// as for [`crate::render::render`].
    ///
    /// # Errors
    /// The execution is of no program: see [`RenderError`]. It has operations on mbarriers, whose
    /// arrivals only a test counts.
    pub fn of(execution: &Execution, finals: &[Option<Event>]) -> Result<Self, RenderError> {
        check(execution)?;
        // Here an access has the value that was written, and counts nothing; the text of the
        // execution does.
        if let Some(e) = execution.events.iter().position(|e| e.mbarrier) {
            return Err(RenderError::NoInstruction(Event::from(e)));
        }
        let values = Values::new(execution, finals)?;
        let (mut paths, mut symbols, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        for t in 0..execution.threads.len() {
            let of_thread = |e: &Event| execution.events[e.index()].thread == Some(t as u16);
            let events: Vec<Event> =
                (0..execution.size()).map(Event::from).filter(of_thread).collect();
            let mut thread = GrowingThread {
                x: execution,
                values: &values,
                code: Vec::new(),
                events,
                symbols: Symbols::default(),
            };
            thread.code = thread.nest(0, thread.events.len(), &EventSet::EMPTY);
            let (of_thread, on_them) =
                thread.explore(UnfoldingBounds::default().paths)?.into_iter().unzip();
            paths.push(of_thread);
            origins.push(on_them);
            symbols.push(thread.symbols);
        }
        let unfolding = Unfolding {
            stopped: vec![Vec::new(); paths.len()],
            paths,
            // The execution itself comes to its end.
            meets: false,
            meets_as_whole: false,
            as_whole: false,
            symbols: symbols.into(),
            shared: shared(execution, &values),
            bounded: false,
            waits: false,
        };
        Ok(Self { unfolding, origins })
    }

    /// A program that is no execution's.
    pub(super) fn compiled(unfolding: Unfolding) -> Self {
        Self { unfolding, origins: Vec::new() }
    }

    /// The program, unfolded.
    pub(crate) fn unfolding(&self) -> &Unfolding {
        &self.unfolding
    }

    /// For each event of an execution of the program, in which each thread takes the path with the
    /// given number, the event that it is in the execution that the program was made of; `None` for
    /// initial writes.
    pub fn origins(&self, paths: &[usize]) -> Option<Vec<Option<Event>>> {
        if self.origins.len() != paths.len() {
            return None;
        }
        let mut origins: Vec<Option<Event>> = Vec::new();
        for (of_thread, &path) in self.origins.iter().zip(paths) {
            origins.extend(of_thread.get(path)?.iter().copied().map(Some));
        }
        let inits = self.unfolding.shared.initial_writes().count();
        origins.extend(std::iter::repeat_n(None, inits));
        Some(origins)
    }
}

/// What all executions of the program share.
fn shared(x: &Execution, values: &Values) -> Shared {
    let locations = x.locations.iter().zip(&values.location);
    Shared {
        signature: x.signature,
        locations: locations
            .map(|(l, name)| Location { name: name.clone(), ..l.clone() })
            .collect(),
        generic: x.generic.clone(),
        addresses: (0..x.locations.len())
            .map(|l| FIRST_ADDRESS + STRIDE * l as LocationAddress)
            .collect(),
        widths: vec![1; x.locations.len()],
        declared_bits: vec![None; x.locations.len()],
        initial: x.locations.iter().map(|l| values.initial[usize::from(l.physical)]).collect(),
        integers: vec![None; x.locations.len()],
        named_by: vec![NamingThreads::Any; x.locations.len()],
        mbarriers: vec![false; x.locations.len()],
        spaces: vec![Spaces::NONE; x.locations.len()],
        typed: vec![None; x.locations.len()],
        asked: Arc::new(AskedCondition {
            condition: condition(x, values).proposition,
            filter: None,
        }),
        instances: Vec::new(),
        counted: Vec::new(),
        meetings: Meetings::default(),
        lanes: LaneCells::default(),
        threads: x.threads.clone(),
    }
}

#[derive(Debug, Clone, Copy)]
enum ThreadStep {
    /// An operation: an event, or the two of a read-modify-write.
    Operation(Event, Option<Event>),
    /// Goes on if the read returned what it returns in the execution; else at a step.
    Unless(Event, usize),
}

/// A thread while its paths are made.
struct GrowingThread<'a> {
    x: &'a Execution,
    values: &'a Values,
    events: Vec<Event>,
    code: Vec<ThreadStep>,
    symbols: Symbols,
}

/// What has been executed.
#[derive(Debug, Clone)]
struct ExecutedState {
    /// The next step.
    at: usize,
    path: Path,
    origins: Vec<Event>,
    /// The reads that returned what they return in the execution, and those that did not, as far as
    /// it is supposed.
    right: EventSet,
    wrong: EventSet,
}

impl ExecutedState {
    fn positions(&self, of: &EventSet) -> Positions {
        let executed = self.origins.iter().enumerate().filter(|(_, e)| of.contains(**e));
        executed.map(|(position, _)| position).collect()
    }
}

impl GrowingThread<'_> {
    fn data(&self, e: Event) -> &EventData {
        &self.x.events[e.index()]
    }

    /// The steps of a part of the thread, under the conditions on the reads of a set: operations in
    /// a row that share another condition are under it together.
    fn nest(&self, from: usize, to: usize, open: &EventSet) -> Vec<ThreadStep> {
        let mut code = Vec::new();
        let mut i = from;
        while i < to {
            let event = self.events[i];
            let Some(guard) = (&self.x.ctrl.column(event) - open).iter().next() else {
                let pair =
                    self.events.get(i + 1).copied().filter(|&w| self.x.rmw.contains(event, w));
                code.push(ThreadStep::Operation(event, pair));
                i += if pair.is_some() { 2 } else { 1 };
                continue;
            };
            let end = (i..to).find(|&j| !self.x.ctrl.contains(guard, self.events[j])).unwrap_or(to);
            let mut inner = open.clone();
            inner.insert(guard);
            let start = code.len() + 1;
            let body = self.nest(i, end, &inner);
            code.push(ThreadStep::Unless(guard, start + body.len()));
            code.extend(body.into_iter().map(|step| match step {
                ThreadStep::Unless(read, end) => ThreadStep::Unless(read, start + end),
                operation @ ThreadStep::Operation(..) => operation,
            }));
            i = end;
        }
        code
    }

    /// All paths, each with the events of the execution that are on it. What the outcome takes
    /// comes first.
    fn explore(&mut self, most: usize) -> Result<Vec<(Path, Vec<Event>)>, RenderError> {
        let path = Path::default();
        let mut open = vec![ExecutedState {
            at: 0,
            path,
            origins: Vec::new(),
            right: EventSet::EMPTY,
            wrong: EventSet::EMPTY,
        }];
        let mut paths = Vec::new();
        while let Some(mut state) = open.pop() {
            while let Some(&step) = self.code.get(state.at) {
                state.at += 1;
                match step {
                    ThreadStep::Operation(e, pair) => {
                        open.extend(self.execute(&mut state, e, pair)?)
                    }
                    ThreadStep::Unless(read, end) => {
                        open.extend(self.branch(&mut state, read, end))
                    }
                }
            }
            state.path.registers = self.registers(&state);
            paths.push((state.path, state.origins));
            if paths.len() + open.len() > most {
                return Err(RenderError::Paths(most));
            }
        }
        Ok(paths)
    }

    /// Goes on where a read returned what it does in the execution; gives the state in which it did
    /// not, if both may be.
    fn branch(
        &mut self,
        state: &mut ExecutedState,
        read: Event,
        end: usize,
    ) -> Option<ExecutedState> {
        let expected = self.values.of_event[read.index()].unwrap_or(0);
        let is_executed = state.origins.contains(&read);
        // What was not read counts as 0.
        if state.right.contains(read) || (!is_executed && expected == 0) {
            return None;
        }
        if state.wrong.contains(read) || !is_executed {
            state.at = end;
            return None;
        }
        let equal = self.equal(state, read, expected);
        let mut other = state.clone();
        other.at = end;
        other.wrong.insert(read);
        other.path.suppositions.push((equal, false));
        state.right.insert(read);
        state.path.suppositions.push((equal, true));
        Some(other)
    }

    /// Has a read that was executed returned a value?
    fn equal(&mut self, state: &ExecutedState, read: Event, value: i64) -> Symbol {
        let (returned, value) = (self.returned(state, read), self.symbols.constant(value));
        self.symbols.binary(Binary::Compare(NumberComparison::Equal), returned, value)
    }

    /// What a read returned; 0 if it was not executed.
    fn returned(&mut self, state: &ExecutedState, read: Event) -> Symbol {
        match state.origins.iter().position(|&e| e == read) {
            Some(position) => self.symbols.read(position as u16),
            None => self.symbols.constant(0),
        }
    }

    /// Executes an operation; gives the state in which a compare-exchange fails, if it succeeds in
    /// the execution.
    fn execute(
        &mut self,
        state: &mut ExecutedState,
        e: Event,
        pair: Option<Event>,
    ) -> Result<Option<ExecutedState>, RenderError> {
        let compares = self.data(e).compare && self.data(e).kind == Kind::Read;
        let address = match pair {
            Some(w) => &self.x.addr.column(e) | &self.x.addr.column(w),
            None => self.x.addr.column(e),
        };
        let writes_back = pair.is_some_and(|w| self.data(w).writes_back);
        let adds = self.data(e).reduction || self.data(e).computes;
        let is_exchange = pair.is_some() && !compares && !adds && !writes_back;
        let before = state.clone();
        self.push(state, e, is_exchange, &address);
        let Some(w) = pair else {
            if self.data(e).kind == Kind::Write {
                self.write(state, e, &before)?;
            }
            return Ok(None);
        };
        let mut failed = None;
        if compares {
            let expected = self.values.of_event[e.index()].ok_or(RenderError::NoInstruction(e))?;
            let equal = self.equal(state, e, expected);
            let mut other = state.clone();
            other.wrong.insert(e);
            other.path.suppositions.push((equal, false));
            failed = Some(other);
            state.right.insert(e);
            state.path.suppositions.push((equal, true));
        }
        self.push(state, w, is_exchange, &address);
        let read = state.path.events.len().checked_sub(2).map(|read| read as u16);
        if let Some(event) = state.path.events.last_mut() {
            event.modifies = read;
            // The condition on its own read is what makes it one of the read's operation.
            event.control_reads = before.positions(&self.x.ctrl.column(e));
        }
        self.write(state, w, &before)?;
        if adds {
            self.add(state, e, w)?;
        }
        if writes_back {
            let returned = self.returned(state, e);
            if let Some(event) = state.path.events.last_mut() {
                event.value = Some(returned);
            }
        }
        Ok(failed)
    }

    /// Adds an event.
    fn push(&mut self, state: &mut ExecutedState, e: Event, exchange: bool, address: &EventSet) {
        let data = self.data(e);
        let data = EventData {
            thread: None,
            value: None,
            compare: false,
            other_order: None,
            unused: false,
            writes_back: false,
            exchange,
            computes: false,
            ..data.clone()
        };
        let event = PathEvent {
            data,
            value: None,
            address_reads: state.positions(address),
            data_reads: Positions::EMPTY,
            control_reads: state.positions(&self.x.ctrl.column(e)),
            modifies: None,
            issued_after: Positions::EMPTY,
            completes: Positions::EMPTY,
            bits: None,
            place: Place::default(),
            step: e.index(),
            rounds: Vec::new(),
        };
        state.path.events.push(event);
        state.origins.push(e);
    }

    /// Says what the last event, a write, writes: its operands were evaluated in the state before
    /// its operation.
    fn write(
        &mut self,
        state: &mut ExecutedState,
        w: Event,
        before: &ExecutedState,
    ) -> Result<(), RenderError> {
        let inputs = inputs(self.x, w);
        let value = self.value(before, w, &inputs)?;
        if let Some(event) = state.path.events.last_mut() {
            event.value = Some(value);
            event.data_reads = before.positions(&inputs);
        }
        Ok(())
    }

    /// The value of a write, which depends on the reads of a set ([`crate::render`], `dataflow`).
    fn value(
        &mut self,
        state: &ExecutedState,
        w: Event,
        inputs: &EventSet,
    ) -> Result<Symbol, RenderError> {
        let value = self.values.of_event[w.index()].ok_or(RenderError::NoInstruction(w))?;
        let value = self.symbols.constant(value);
        if let Some(r) = inputs.iter().next().filter(|_| self.values.dataflow.copies.contains(w)) {
            return Ok(self.returned(state, r));
        }
        let Some(spread) = self.values.dataflow.spread else { return Ok(value) };
        let mut sum: Option<Symbol> = None;
        for r in inputs.iter() {
            let expected = self.values.of_event[r.index()].ok_or(RenderError::Dependency(r, w))?;
            let (returned, expected) = (self.returned(state, r), self.symbols.constant(expected));
            let difference = self.symbols.binary(Binary::Xor, returned, expected);
            sum = Some(match sum {
                Some(sum) => self.symbols.binary(Binary::Add, sum, difference),
                None => difference,
            });
        }
        let Some(sum) = sum else { return Ok(value) };
        let spread = self.symbols.constant(spread);
        let other = self.symbols.binary(Binary::Multiply, sum, spread);
        Ok(self.symbols.binary(Binary::Add, other, value))
    }

    /// A reduction returns nothing, so it does not exchange, nor does what computes: it adds what
    /// lies between the two values.
    fn add(
        &mut self,
        state: &mut ExecutedState,
        read: Event,
        write: Event,
    ) -> Result<(), RenderError> {
        if self.data(read).reduction && !inputs(self.x, write).is_empty() {
            return Err(RenderError::NoInstruction(read));
        }
        let expected =
            self.values.of_event[read.index()].ok_or(RenderError::NoInstruction(read))?;
        let Some(written) = state.path.events.last().and_then(|event| event.value) else {
            return Err(RenderError::NoInstruction(write));
        };
        let (returned, less) = (self.returned(state, read), self.symbols.constant(-expected));
        let difference = self.symbols.binary(Binary::Add, written, less);
        let sum = self.symbols.binary(Binary::Add, returned, difference);
        if let Some(event) = state.path.events.last_mut() {
            event.value = Some(sum);
        }
        Ok(())
    }

    /// What the registers that take the values of reads hold at the end.
    fn registers(&mut self, state: &ExecutedState) -> Vec<(String, Symbol)> {
        let of = |e: &Event| Some((*e, self.values.register[e.index()].clone()?));
        let named: Vec<(Event, String)> = self.events.iter().filter_map(of).collect();
        named.into_iter().map(|(e, name)| (name, self.returned(state, e))).collect()
    }
}
