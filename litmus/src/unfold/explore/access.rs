//! The events of a path: reads, writes, read-modify-writes and fences, each with what its address,
//! its value and its being executed depend on.

use margay_models::execution::{EventData, Kind, Order, Proxy, Scope, Spaces};
use margay_models::signature::architecture::StatusDependency;

use super::super::UnfoldError;
use super::super::address::LocationAddress;
use super::super::path::{Dependent, Path, PathEvent, Positions};
use super::super::program::{Attributes, Modification, Register, Term};
use super::super::symbol::Binary;
use super::{ExplorationState, Explorer};
use crate::test::{NumberComparison, Place};

/// A location that is accessed, and the address that says so: what it depends on, the access
/// depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccessedLocation {
    pub location: u16,
    pub address: Dependent,
}

impl Explorer<'_> {
    /// Reads what each location that the address may be of holds.
    pub(super) fn load(
        &mut self,
        state: &mut ExplorationState,
        to: Register,
        address: &Term,
        attributes: Attributes,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let address = self.term(state, address);
        self.at_each(state, address, place, |this, mut state, at| {
            if attributes.reserves {
                state.reserved = Some((state.path.events.len() as u16, at.location));
            }
            this.read(&mut state, Some(to), at, attributes, place);
            this.open.push(state);
            Ok(())
        })
    }

    pub(super) fn store(
        &mut self,
        state: &mut ExplorationState,
        (address, value): (&Term, &Term),
        attributes: Attributes,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let address = self.term(state, address);
        let value = self.term(state, value);
        self.at_each(state, address, place, |this, mut state, at| {
            this.write(&mut state, at, value, attributes, None, place);
            this.open.push(state);
            Ok(())
        })
    }

    pub(super) fn store_conditional(
        &mut self,
        state: &mut ExplorationState,
        status: Register,
        (address, value): (&Term, &Term),
        attributes: Attributes,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let address = self.term(state, address);
        let value = self.term(state, value);
        self.at_each(state, address, place, |this, state, at| {
            this.write_conditionally(state, status, at, value, attributes, place);
            Ok(())
        })
    }

    /// One read for each element, in each order that elements may have (PTX ISA 8.2.4).
    pub(super) fn load_vector(
        &mut self,
        state: &mut ExplorationState,
        to: &[Register],
        (address, width): (&Term, LocationAddress),
        attributes: Attributes,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let address = self.term(state, address);
        for (elements, mut state) in self.vectors(state, address, width, to.len(), place)? {
            let mut loaded = vec![address; to.len()];
            for (element, location) in elements {
                let at = AccessedLocation { location, address };
                loaded[element] = self.read(&mut state, None, at, attributes, place);
            }
            for (register, value) in to.iter().zip(loaded) {
                state.registers[usize::from(register.0)] = value;
            }
            self.open.push(state);
        }
        self.last(state)
    }

    /// One write for each element, in each order that elements may have (PTX ISA 8.2.4).
    pub(super) fn store_vector(
        &mut self,
        state: &mut ExplorationState,
        (address, width): (&Term, LocationAddress),
        values: &[Term],
        attributes: Attributes,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let address = self.term(state, address);
        let values: Vec<Dependent> = values.iter().map(|v| self.term(state, v)).collect();
        for (elements, mut state) in self.vectors(state, address, width, values.len(), place)? {
            for (element, location) in elements {
                let at = AccessedLocation { location, address };
                self.write(&mut state, at, values[element], attributes, None, place);
            }
            self.open.push(state);
        }
        self.last(state)
    }

    /// A read; gives what it returns, which `to` holds from now on.
    pub(super) fn read(
        &mut self,
        state: &mut ExplorationState,
        to: Option<Register>,
        at: AccessedLocation,
        attributes: Attributes,
        place: Place,
    ) -> Dependent {
        let position = state.path.events.len() as u16;
        let data = self.access(Kind::Read, at.location, attributes);
        let of_picked =
            state.picked.iter().any(|&to| self.physical(to) == self.physical(at.location));
        if of_picked {
            state.passed_on |= Positions::one(usize::from(position));
        }
        push(state, data, at.address, None, None, place);
        self.set_width(state, attributes);
        let known = self.shared.integers[usize::from(at.location)];
        let value = Dependent {
            symbol: self.symbols.read(position),
            reads: Positions::one(usize::from(position)),
            picks: Positions::EMPTY,
            known,
        };
        let value = self.convert(value, attributes.integer);
        if let Some(to) = to {
            state.registers[usize::from(to.0)] = value;
        }
        value
    }

    /// A write; `modifies` is the position of the read of the same read-modify-write.
    pub(super) fn write(
        &mut self,
        state: &mut ExplorationState,
        at: AccessedLocation,
        value: Dependent,
        attributes: Attributes,
        modifies: Option<u16>,
        place: Place,
    ) {
        let data = self.access(Kind::Write, at.location, attributes);
        let value = self.convert(value, attributes.integer);
        let value = self.convert(value, self.shared.integers[usize::from(at.location)]);
        if !value.picks.is_empty() {
            state.picked.push(at.location);
        }
        push(state, data, at.address, Some(value), modifies, place);
        self.set_width(state, attributes);
    }

    /// A fence. Plain models have one kind, which is that of full fences.
    pub(super) fn fence(
        &mut self,
        state: &mut ExplorationState,
        (order, scope, spaces, proxy): (Order, Option<Scope>, Spaces, Proxy),
        place: Place,
    ) {
        if !self.shared.signature.is_plain() {
            self.event(
                state,
                EventData { scope, spaces, proxy, ..EventData::new(Kind::Fence, None, order) },
                place,
            );
        } else if is_full_fence(order) {
            self.event(state, EventData::new(Kind::Fence, None, Order::Plain), place);
        }
    }

    /// A fence between proxies, of which plain models know nothing.
    pub(super) fn proxy_fence(
        &mut self,
        state: &mut ExplorationState,
        (proxy, spaces, mbarrier): (Proxy, Spaces, bool),
        place: Place,
    ) {
        if !self.shared.signature.is_plain() {
            let data = EventData {
                proxy,
                spaces,
                mbarrier,
                ..EventData::new(Kind::ProxyFence, None, Order::Plain)
            };
            self.event(state, data, place);
        }
    }

    /// An event that accesses no location.
    pub(super) fn event(&mut self, state: &mut ExplorationState, data: EventData, place: Place) {
        push(state, data, self.zero(), None, None, place);
    }

    fn set_width(&self, state: &mut ExplorationState, attributes: Attributes) {
        if let Some(last) = state.path.events.last_mut() {
            last.bits = attributes.bits;
        }
    }

    /// A store-conditional: it may fail whenever it likes, and writes only for the last
    /// load-reserved, of the same location.
    pub(super) fn write_conditionally(
        &mut self,
        mut state: ExplorationState,
        status: Register,
        at: AccessedLocation,
        value: Dependent,
        attributes: Attributes,
        place: Place,
    ) {
        let physical = |l: u16| self.shared.locations[usize::from(l)].physical;
        let reserved =
            state.reserved.take().filter(|&(_, of)| physical(of) == physical(at.location));
        // What was picked is ordered no more than this says: as if it were read.
        let of = |value: Dependent| value.reads | value.picks;
        let operands = of(at.address) | of(value);
        let (of_failure, of_success) = match (attributes.status, reserved) {
            (StatusDependency::Nothing, _) | (StatusDependency::Store, None) => {
                (Positions::EMPTY, Positions::EMPTY)
            }
            (StatusDependency::Store, Some(_)) => {
                (Positions::EMPTY, operands | Positions::one(state.path.events.len()))
            }
            (StatusDependency::Pair, None) => (operands, operands),
            (StatusDependency::Pair, Some((read, _))) => (
                operands | Positions::one(usize::from(read)),
                operands | Positions::one(usize::from(read)),
            ),
        };
        let mut failed = state.clone();
        failed.registers[usize::from(status.0)] =
            Dependent::new(self.symbols.constant(1), of_failure);
        self.open.push(failed);
        if let Some((read, _)) = reserved {
            self.write(&mut state, at, value, attributes, Some(read), place);
            state.registers[usize::from(status.0)] =
                Dependent::new(self.symbols.constant(0), of_success);
            self.open.push(state);
        }
    }

    /// A read-modify-write. The states behind it are in `open`.
    pub(super) fn modify(
        &mut self,
        mut state: ExplorationState,
        to: Option<Register>,
        at: AccessedLocation,
        modification: &Modification,
        halves: (Attributes, Attributes),
        place: Place,
    ) {
        // Operands are read before the destination is written.
        let (operand, new) = match modification {
            Modification::Apply(_, operand) | Modification::Exchange(operand) => {
                (self.term(&state, operand), self.zero())
            }
            Modification::CompareAndSwap { expected, new, .. } => {
                (self.term(&state, expected), self.term(&state, new))
            }
        };
        let integer = halves.0.integer.or(self.shared.integers[usize::from(at.location)]);
        let operand = self.convert(operand, integer);
        let before = state.clone();
        let read = self.read(&mut state, to, at, halves.0, place);
        let written = match modification {
            Modification::Exchange(_) => operand,
            // The value written depends on the operand, and on its own read by `rmw`.
            Modification::Apply(operator, _) => Dependent {
                reads: operand.reads,
                ..self.binary(operator.of(integer), read, operand)
            },
            Modification::CompareAndSwap { success, failure, spurious, .. } => {
                let equal = self.symbols.binary(
                    Binary::Compare(NumberComparison::Equal),
                    read.symbol,
                    operand.symbol,
                );
                let mut failed = before;
                let value = self.read(&mut failed, to, at, *failure, place);
                let reads = value.reads | operand.reads;
                if let Some(success) = success {
                    failed.registers[usize::from(success.0)] =
                        Dependent::new(self.symbols.constant(0), reads);
                }
                if !spurious {
                    failed.path.suppositions.push((equal, false));
                    failed.path.swaps.push(equal);
                }
                self.open.push(failed);
                state.path.suppositions.push((equal, true));
                state.path.swaps.push(equal);
                if let Some(success) = success {
                    state.registers[usize::from(success.0)] =
                        Dependent::new(self.symbols.constant(1), reads);
                }
                // Whether it writes depends on the expected value too.
                Dependent {
                    reads: new.reads | operand.reads,
                    picks: new.picks | operand.picks,
                    ..new
                }
            }
        };
        let half = state.path.events.len().saturating_sub(1) as u16;
        self.write(&mut state, at, written, halves.1, Some(half), place);
        if let (Modification::Exchange(_), [.., read, write]) =
            (modification, state.path.events.as_mut_slice())
        {
            (read.data.exchange, write.data.exchange) = (true, true);
        }
        self.open.push(state);
    }

    fn access(&self, kind: Kind, location: u16, attributes: Attributes) -> EventData {
        if self.shared.signature.is_plain() {
            return EventData {
                location: Some(location),
                ..EventData::new(kind, None, Order::Plain)
            };
        }
        EventData {
            scope: attributes.scope,
            location: Some(location),
            proxy: attributes.proxy,
            volatile: attributes.volatile,
            mmio: attributes.mmio,
            reduction: attributes.reduction,
            spaces: self.shared.spaces[usize::from(location)],
            mbarrier: self.shared.mbarriers[usize::from(location)],
            ..EventData::new(kind, None, attributes.order)
        }
    }
}

/// Is it a full fence, of whatever machine?
fn is_full_fence(order: Order) -> bool {
    match order {
        Order::Sc | Order::Plain => true,
        Order::Tagged(tags) => tags.is_full_fence(),
        _ => false,
    }
}

/// The events that the thread makes itself, by position.
fn own_events(path: &Path) -> Positions {
    let own = path.events.iter().enumerate().filter(|(_, e)| e.data.operation.is_none());
    own.map(|(position, _)| position).collect()
}

/// Adds an event to a path.
fn push(
    state: &mut ExplorationState,
    data: EventData,
    address: Dependent,
    value: Option<Dependent>,
    modifies: Option<u16>,
    place: Place,
) {
    // A pick dependency orders what is written, and what an ISB holds back, and no read: as a
    // control dependency does. One of an address is one of all that comes behind it, too.
    if !address.picks.is_empty() {
        state.control.push((address.picks, None));
    }
    let of_value = |of: fn(&Dependent) -> Positions| value.as_ref().map_or(Positions::EMPTY, of);
    let control_reads: Positions = state.control.iter().map(|(of, _)| *of).collect();
    // A step is done when the next one is where the state stands.
    let step = state.at.saturating_sub(1);
    let issued_after = if state.operation.is_some() {
        own_events(&state.path) | state.behind
    } else {
        Positions::EMPTY
    };
    state.path.events.push(PathEvent {
        data: EventData { operation: state.operation, ..data },
        value: value.map(|value| value.symbol),
        address_reads: address.reads,
        data_reads: of_value(|value| value.reads),
        control_reads: control_reads | of_value(|value| value.picks),
        issued_after,
        completes: state.completes,
        modifies,
        bits: None,
        place,
        step,
        rounds: state.rounds.clone(),
    });
}
