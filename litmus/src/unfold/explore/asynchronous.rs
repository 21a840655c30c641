//! The events of operations on mbarriers and of asynchronous operations.
//!
//! An asynchronous operation makes its events as a thread of its own ([`EventData::operation`]):
//! they are ordered among each other, after what the thread did before the instruction, and before
//! what waits for their completion, and in no other way (PTX ISA 8.9.1.1).

use margay_models::execution::{EventData, Kind, Order, Proxy, Scope};

use super::super::UnfoldError;
use super::super::path::{Dependent, Positions};
use super::super::program::{AsyncSource, AsyncStep, Attributes, MbarrierStep, Term};
use super::super::stop::{Cause, Stop};
use super::super::symbol::{Binary, MbarrierFunction};
use super::access::AccessedLocation;
use super::issued::InGroup;
use super::{ExplorationState, Explorer};
use crate::test::{AsyncFamily, AsyncGroupAction, Place, element};

/// What is done with an mbarrier: its functions with their numbers, and how many arrivals must be
/// pending.
struct MbarrierChange<'a> {
    functions: &'a [(MbarrierFunction, i64)],
    arrivals: i64,
    incomplete: bool,
    order: Order,
    scope: Scope,
}

impl Explorer<'_> {
    /// An operation on an mbarrier by the thread. The states behind it are in `open`.
    pub(super) fn mbarrier(
        &mut self,
        mut state: ExplorationState,
        at: AccessedLocation,
        step: &MbarrierStep,
        place: Place,
    ) -> Result<(), UnfoldError> {
        self.is_mbarrier(at.location, place)?;
        match step {
            MbarrierStep::Set(contents) => {
                let value = Dependent::new(self.symbols.constant(contents.0), Positions::EMPTY);
                self.write(&mut state, at, value, Attributes::new(Order::Plain, None), None, place);
                self.open.push(state);
            }
            MbarrierStep::Change { functions, arrivals, incomplete, to, order, scope } => {
                let change = MbarrierChange {
                    functions,
                    arrivals: *arrivals,
                    incomplete: *incomplete,
                    order: *order,
                    scope: *scope,
                };
                let before = self.change(&mut state, at, &change, place);
                if let Some(to) = to {
                    state.registers[usize::from(to.0)] = before;
                }
                self.open.push(state);
            }
            MbarrierStep::Wait { to, phase: (phase, function), order, scope } => {
                let phase = self.term(&state, phase);
                // Only a wait that finds the phase complete orders anything.
                for (passed, order, scope) in
                    [(false, Order::Plain, None), (true, *order, Some(*scope))]
                {
                    let mut state = state.clone();
                    let found =
                        self.read(&mut state, None, at, Attributes::new(order, scope), place);
                    self.awaits(&mut state, found, 0, place);
                    let done = self.symbols.binary(
                        Binary::Mbarrier(*function),
                        found.symbol,
                        phase.symbol,
                    );
                    if self.decided(&state, done) == Some(!passed) {
                        continue;
                    }
                    state.path.suppositions.push((done, passed));
                    let result = self.symbols.constant(i64::from(passed));
                    state.registers[usize::from(to.0)] =
                        Dependent::new(result, found.reads | phase.reads);
                    self.open.push(state);
                }
            }
        }
        Ok(())
    }

    fn is_mbarrier(&self, location: u16, place: Place) -> Result<(), UnfoldError> {
        if self.shared.mbarriers[usize::from(location)] {
            return Ok(());
        }
        let name = &self.shared.locations[usize::from(location)].name;
        Err(UnfoldError::at(
            format!(
                "`{name}` is no mbarrier: declare it as `mbarrier {name}` in the initial state"
            ),
            place,
        ))
    }

    /// The thread stops where an mbarrier is none, or has fewer pending arrivals.
    fn awaits(
        &mut self,
        state: &mut ExplorationState,
        contents: Dependent,
        arrivals: i64,
        place: Place,
    ) {
        let number = self.symbols.constant(arrivals);
        let awaits = self.symbols.binary(
            Binary::Mbarrier(MbarrierFunction::Awaits),
            contents.symbol,
            number,
        );
        self.supposed(state, awaits, place);
    }

    fn supposed(
        &mut self,
        state: &mut ExplorationState,
        symbol: super::super::symbol::Symbol,
        place: Place,
    ) {
        let mut stops = state.clone();
        stops.path.suppositions.push((symbol, false));
        self.stop(stops, Stop::new(Cause::Mbarrier, place));
        state.path.suppositions.push((symbol, true));
    }

    /// A read and a write that are one; gives what was read.
    fn change(
        &mut self,
        state: &mut ExplorationState,
        at: AccessedLocation,
        change: &MbarrierChange<'_>,
        place: Place,
    ) -> Dependent {
        let half =
            |order| Attributes { reduction: true, ..Attributes::new(order, Some(change.scope)) };
        let position = state.path.events.len() as u16;
        let before = self.read(state, None, at, half(Order::Rlx), place);
        self.awaits(state, before, change.arrivals, place);
        if change.incomplete {
            let number = self.symbols.constant(change.arrivals);
            let stays = Binary::Mbarrier(MbarrierFunction::StaysIncomplete);
            let stays = self.symbols.binary(stays, before.symbol, number);
            self.supposed(state, stays, place);
        }
        let mut after = before.symbol;
        for &(function, number) in change.functions {
            let number = self.symbols.constant(number);
            after = self.symbols.binary(Binary::Mbarrier(function), after, number);
        }
        self.write(
            state,
            at,
            Dependent::new(after, Positions::EMPTY),
            half(change.order),
            Some(position),
            place,
        );
        before
    }

    /// An asynchronous operation. The states behind its issue are in `open`.
    pub(super) fn asynchronous(
        &mut self,
        state: &ExplorationState,
        step: &AsyncStep,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let Some(map) = &step.map else { return self.behind_map(state, step, None, place) };
        let mut first = state.clone();
        self.begin(&mut first);
        let mut ways: Vec<(ExplorationState, Option<Dependent>)> = vec![(first, None)];
        for term in &map.places {
            let address = self.term(state, term);
            let mut further = Vec::new();
            for (state, _) in ways {
                for (location, mut state) in self.locations(&state, address, place)? {
                    let attributes = Attributes {
                        proxy: Proxy::Tensormap,
                        ..Attributes::new(Order::Plain, None)
                    };
                    let held = self.read(
                        &mut state,
                        None,
                        AccessedLocation { location, address },
                        attributes,
                        place,
                    );
                    further.push((state, Some(held)));
                }
            }
            ways = further;
        }
        for (state, held) in ways {
            self.behind_map(&state, step, held.zip(map.gives), place)?;
        }
        Ok(())
    }

    /// The rest of an asynchronous operation, for which a tensor map may have given the address
    /// that is read from (true) or written to.
    fn behind_map(
        &mut self,
        state: &ExplorationState,
        step: &AsyncStep,
        held: Option<(Dependent, bool)>,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let mut terms: Vec<&Term> = step.to.iter().chain(&step.mbarriers).collect();
        match &step.source {
            AsyncSource::Memory(from) => terms.push(from),
            AsyncSource::Registers(from) => terms.extend(from.iter().map(|(_, from)| from)),
            AsyncSource::Sum { from, .. } => terms.extend(from),
            AsyncSource::Values(_) => {}
        }
        let mut addresses: Vec<Dependent> =
            terms.into_iter().map(|term| self.term(state, term)).collect();
        if let Some((held, is_source)) = held {
            let at = if is_source { addresses.len() - 1 } else { 0 };
            addresses[at] = held;
        }
        // Each address in turn may be that of several locations.
        let mut chosen: Vec<(Vec<u16>, ExplorationState)> = vec![(Vec::new(), state.clone())];
        for &address in &addresses {
            let mut further = Vec::new();
            for (before, state) in chosen {
                for (location, state) in self.locations(&state, address, place)? {
                    further.push(([before.as_slice(), &[location]].concat(), state));
                }
            }
            chosen = further;
        }
        for (locations, state) in chosen {
            self.issue(state, step, &addresses, &locations, place)?;
        }
        Ok(())
    }

    fn issue(
        &mut self,
        mut state: ExplorationState,
        step: &AsyncStep,
        addresses: &[Dependent],
        locations: &[u16],
        place: Place,
    ) -> Result<(), UnfoldError> {
        let destinations = step.to.len();
        let mbarriers = destinations..destinations + step.mbarriers.len();
        let width = step.ty.map(|ty| i64::from(ty.bits) / 8);
        let sources = match &step.source {
            AsyncSource::Memory(_) => {
                Some(self.elements(locations[mbarriers.end], step.bytes, width, place)?)
            }
            AsyncSource::Values(_) | AsyncSource::Registers(_) | AsyncSource::Sum { .. } => None,
        };
        if step.family == AsyncFamily::Warpgroup && !state.issued.registers_are_fenced {
            let message = "no `wgmma.fence` stands before the first `wgmma.mma_async`: that is undefined (PTX ISA, wgmma.fence)";
            return Err(UnfoldError::at(message, place));
        }
        let written =
            self.written_by(step, &locations[..destinations], sources.as_deref(), place)?;
        // The map was read as the first part of it.
        let map = if state.operation.is_some() {
            step.map.iter().map(|map| map.places.len()).sum()
        } else {
            0
        };
        let first = state.path.events.len() - map;
        if state.operation.is_none() {
            self.begin(&mut state);
        }
        // "The two asynchronous operations are guaranteed to execute in the same order as the
        // instructions that issued them": `.mma` behind `.cp`, and behind a `.mma` with the same
        // accumulator.
        let multiplies = matches!(&step.source, AsyncSource::Sum { from, .. } if from.len() > 1);
        let is_before = |(to, also_multiplies, _): &&(u16, bool, Positions)| {
            multiplies && (!also_multiplies || *to == locations[0])
        };
        state.behind =
            state.issued.pipeline.iter().filter(is_before).map(|&(.., events)| events).collect();
        // "Synchronous instructions: these tcgen05 operations are inherently ordered with respect
        // to other tcgen05 operations in the same" thread.
        if step.family == AsyncFamily::TensorFree {
            let is_of = |o: &&InGroup| {
                matches!(
                    o.family,
                    AsyncFamily::TensorLoad | AsyncFamily::TensorStore | AsyncFamily::TensorCore
                )
            };
            state.behind = state.issued.in_groups.iter().filter(is_of).map(|o| o.events).collect();
        }
        let proxy = step.family.proxy();
        let bits = step.ty.map(|ty| ty.bits);
        let integer = step.ty.and_then(crate::test::Type::integer);
        let weak = Attributes { proxy, bits, integer, ..Attributes::new(Order::Plain, None) };
        let at = |(&location, &address)| AccessedLocation { location, address };
        let operands: Vec<AccessedLocation> = locations.iter().zip(addresses).map(at).collect();
        let values = self.source_values(
            &mut state,
            step,
            (&operands, mbarriers.end),
            sources.as_deref(),
            (weak, place),
        );
        let read = state.path.events.len();
        for (elements, &address) in written.iter().zip(addresses) {
            for (&location, &value) in elements.iter().zip(&values) {
                let at = AccessedLocation { location, address };
                match step.reduces {
                    None => self.write(&mut state, at, value, weak, None, place),
                    Some((function, scope)) => {
                        let half = Attributes {
                            reduction: true,
                            order: Order::Rlx,
                            scope: Some(scope),
                            ..weak
                        };
                        self.reduce(&mut state, at, (function, value), half, place);
                    }
                }
            }
        }
        let range = |from: usize, to: usize| (from..to).collect::<Positions>();
        let events = range(first, state.path.events.len());
        self.complete_on(&mut state, &operands[mbarriers], step.bytes, place)?;
        if step.mbarriers.is_empty() {
            let registers = match &step.source {
                AsyncSource::Registers(to) => to.iter().map(|(to, _)| *to).collect(),
                _ => Vec::new(),
            };
            let (family, reads) = (step.family, range(first, read));
            state.issued.in_groups.push(InGroup {
                family,
                registers,
                is_awaited: false,
                group: None,
                events,
                reads,
            });
        }
        if step.family == AsyncFamily::TensorCore {
            state.issued.pipeline.push((locations[0], multiplies, events));
        }
        (state.operation, state.behind) = (None, Positions::EMPTY);
        self.open.push(state);
        Ok(())
    }

    /// The locations that an operation writes: `[destination][element]`.
    fn written_by(
        &self,
        step: &AsyncStep,
        destinations: &[u16],
        sources: Option<&[u16]>,
        place: Place,
    ) -> Result<Vec<Vec<u16>>, UnfoldError> {
        let width = step.ty.map(|ty| i64::from(ty.bits) / 8);
        let mut written = Vec::with_capacity(destinations.len());
        for &to in destinations {
            if matches!(
                step.family,
                AsyncFamily::TensorStore | AsyncFamily::TensorCore | AsyncFamily::TensorFree
            ) {
                written.push(vec![to]);
                continue;
            }
            let elements = self.elements(to, step.bytes, width, place)?;
            if let Some(sources) = sources.filter(|sources| sources.len() != elements.len()) {
                let message = format!(
                    "{} elements are copied to {}: both are one location, or arrays alike",
                    sources.len(),
                    elements.len()
                );
                return Err(UnfoldError::at(message, place));
            }
            written.push(elements);
        }
        Ok(written)
    }

    /// What an operation writes into the elements of each destination; what it reads for it, as
    /// events. `operands` are its locations with their addresses, of which its sources are those
    /// from `first` on.
    fn source_values(
        &mut self,
        state: &mut ExplorationState,
        step: &AsyncStep,
        (operands, first): (&[AccessedLocation], usize),
        sources: Option<&[u16]>,
        (weak, place): (Attributes, Place),
    ) -> Vec<Dependent> {
        match (&step.source, sources) {
            (AsyncSource::Memory(_), Some(sources)) => {
                let at = |&location| AccessedLocation { location, ..operands[first] };
                sources
                    .iter()
                    .map(at)
                    .map(|from| self.read(state, None, from, weak, place))
                    .collect()
            }
            (AsyncSource::Values(values), _) => {
                values.iter().map(|value| self.term(state, value)).collect()
            }
            (AsyncSource::Registers(from), _) => {
                for ((register, _), &at) in from.iter().zip(&operands[first..]) {
                    self.read(state, Some(*register), at, weak, place);
                }
                Vec::new()
            }
            (AsyncSource::Sum { from, accumulates }, _) => {
                let read = operands[first..first + from.len()]
                    .iter()
                    .chain(accumulates.then_some(&operands[0]));
                let mut sum: Option<Dependent> = None;
                for &at in read {
                    let value = self.read(state, None, at, weak, place);
                    sum = Some(sum.map_or(value, |sum| self.binary(Binary::Add, sum, value)));
                }
                sum.into_iter().collect()
            }
            (AsyncSource::Memory(_), None) => Vec::new(),
        }
    }

    /// Tells mbarriers that so many bytes have come.
    fn complete_on(
        &mut self,
        state: &mut ExplorationState,
        mbarriers: &[AccessedLocation],
        bytes: i64,
        place: Place,
    ) -> Result<(), UnfoldError> {
        for &at in mbarriers {
            self.is_mbarrier(at.location, place)?;
            let functions = [(MbarrierFunction::Transfer, bytes)];
            // "the complete-tx operation on the mbarrier has .release semantics at the .cluster
            // scope"
            let change = MbarrierChange {
                functions: &functions,
                arrivals: 0,
                incomplete: false,
                order: Order::Rel,
                scope: Scope::Cluster,
            };
            self.change(state, at, &change, place);
        }
        Ok(())
    }

    /// `tcgen05.fence`. The first one is told of the operations of a pipeline, which need not be
    /// complete.
    pub(super) fn tensor_fence(&mut self, state: &mut ExplorationState, after: bool, place: Place) {
        let order = if after { Order::Acq } else { Order::Rel };
        if !after {
            state.completes = state.issued.pipeline.iter().map(|&(.., events)| events).collect();
        }
        self.event(
            state,
            EventData { proxy: Proxy::Async, ..EventData::new(Kind::Fence, None, order) },
            place,
        );
        state.completes = Positions::EMPTY;
    }

    /// The next events are those of a new asynchronous operation.
    fn begin(&mut self, state: &mut ExplorationState) {
        state.operation = Some(state.issued.number);
        state.issued.number = state.issued.number.saturating_add(1);
    }

    /// The locations of so many bytes from a location on: it alone, or elements of its array.
    fn elements(
        &self,
        first: u16,
        bytes: i64,
        of_type: Option<i64>,
        place: Place,
    ) -> Result<Vec<u16>, UnfoldError> {
        let at = usize::from(first);
        let name = &self.shared.locations[at].name;
        let in_part = |width: i64| {
            let message = format!(
                "an access of {bytes} bytes to `{name}`, which other accesses take as {width} bytes wide, overlaps them in part: \
                 that is not modelled (PTX ISA 8.7.2). Declare an array of such elements, or leave the types out"
            );
            Err(UnfoldError::at(message, place))
        };
        if element(name).is_none() {
            // A location without a type stands for as many bytes as are copied.
            let known = self.shared.typed[at];
            return match known {
                Some(width) if width != bytes && of_type != Some(bytes) => in_part(width),
                _ => Ok(vec![first]),
            };
        }
        let width = of_type.unwrap_or(self.shared.widths[at]);
        if width != self.shared.widths[at] || bytes % width != 0 {
            return in_part(self.shared.widths[at]);
        }
        let start = self.shared.address(at);
        let elements: Option<Vec<u16>> =
            (0..bytes / width).map(|e| self.shared.location_at(start + width * e)).collect();
        elements.ok_or_else(|| {
            UnfoldError::at(format!("{bytes} bytes from `{name}` on lead out of the array"), place)
        })
    }

    /// One element of a reduction.
    fn reduce(
        &mut self,
        state: &mut ExplorationState,
        at: AccessedLocation,
        (function, operand): (Binary, Dependent),
        half: Attributes,
        place: Place,
    ) {
        let position = state.path.events.len() as u16;
        let integer = half.integer.or(self.shared.integers[usize::from(at.location)]);
        let operand = self.convert(operand, integer);
        let before = self.read(state, None, at, half, place);
        let after = self.binary(function.of(integer), before, operand);
        self.write(
            state,
            at,
            Dependent { reads: operand.reads, ..after },
            half,
            Some(position),
            place,
        );
    }

    /// `st.bulk`: weak stores of 0. The states behind it are in `open`.
    pub(super) fn bulk_store(
        &mut self,
        state: &ExplorationState,
        at: AccessedLocation,
        bytes: i64,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let elements = self.elements(at.location, bytes, None, place)?;
        let zero = Dependent::new(self.symbols.constant(0), Positions::EMPTY);
        for order in self.orders(&elements, place)?.into_iter().rev() {
            let mut state = state.clone();
            for element in order {
                let at = AccessedLocation { location: elements[element], ..at };
                self.write(&mut state, at, zero, Attributes::new(Order::Plain, None), None, place);
            }
            self.open.push(state);
        }
        Ok(())
    }

    /// Commits a group, or waits for groups.
    pub(super) fn asynchronous_group(
        &mut self,
        state: &mut ExplorationState,
        family: AsyncFamily,
        action: AsyncGroupAction,
        place: Place,
    ) {
        let committed = &mut state.issued.groups[family as usize];
        let of_kind = state.issued.in_groups.iter_mut().filter(|o| o.family == family);
        let awaited = |o: &mut InGroup, reads: bool| {
            o.is_awaited |= !reads;
            if reads { o.reads } else { o.events }
        };
        let completes: Positions = match action {
            AsyncGroupAction::Commit => {
                of_kind.filter(|o| o.group.is_none()).for_each(|o| o.group = Some(*committed));
                *committed += 1;
                return;
            }
            AsyncGroupAction::Wait { left, reads } => {
                let last = committed.saturating_sub(left);
                let complete = of_kind.filter(|o| o.group.is_some_and(|group| group < last));
                complete.map(|o| awaited(o, reads)).collect()
            }
            AsyncGroupAction::WaitAll => of_kind.map(|o| awaited(o, false)).collect(),
        };
        if !completes.is_empty() {
            state.completes = completes;
            self.event(state, EventData::new(Kind::AsyncWait, None, Order::Plain), place);
            state.completes = Positions::EMPTY;
        }
    }

    /// `cp.async.mbarrier.arrive`, `tcgen05.commit`: an arrival behind all earlier operations of a
    /// family of the thread.
    pub(super) fn asynchronous_arrival(
        &mut self,
        mut state: ExplorationState,
        at: AccessedLocation,
        (family, counted): (AsyncFamily, bool),
        place: Place,
    ) -> Result<(), UnfoldError> {
        self.is_mbarrier(at.location, place)?;
        let scope = if family == AsyncFamily::Element { Scope::Cta } else { Scope::Cluster };
        let change = |functions, arrivals, order| MbarrierChange {
            functions,
            arrivals,
            incomplete: false,
            order,
            scope,
        };
        if !counted {
            // "the pending count of the mbarrier object is incremented by 1 prior to the
            // asynchronous arrive-on operation"
            self.change(
                &mut state,
                at,
                &change(&[(MbarrierFunction::Raise, 1)], 0, Order::Rlx),
                place,
            );
        }
        let completes = state
            .issued
            .in_groups
            .iter()
            .filter(|o| o.family == family)
            .map(|o| o.events)
            .collect();
        self.begin(&mut state);
        state.completes = completes;
        self.change(
            &mut state,
            at,
            &change(&[(MbarrierFunction::Arrive, 1)], 1, Order::Rel),
            place,
        );
        (state.operation, state.completes) = (None, Positions::EMPTY);
        self.open.push(state);
        Ok(())
    }
}
