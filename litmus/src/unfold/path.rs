//! Symbolic execution of a thread: all its paths, with events, dependencies, and what each path supposes of the values read.
//!
//! Address, data and control dependencies are those of registers: a value depends on every read that any of its operands
//! depends on, also where the value itself does not (`xor r1, r0, r0`).

use margay_models::execution::{EventData, Kind, Order, Scope};

use margay_models::signature::Signature;

use super::program::{Attributes, Modification, Program, Register, Step, Term};
use super::skeleton::{Address, Shared};
use super::spin::{Arrival, Heads};
use super::symbol::{Binary, Symbol, Symbols, Unary};
use super::{Bounds, Error, barriers};
use crate::test::{Comparison, Integer, Place};

/// The largest number of steps of a path: more is no litmus test.
const MAX_STEPS: usize = 4000;

/// The largest number of elements of a vector that are accessed in every order: 720 of them.
const MAX_ORDERED: usize = 6;

/// What comparisons give.
const TRUTH: Integer = Integer { bits: 1, signed: false };

/// A value and the reads that it depends on, by the positions of their events on the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependent {
    pub symbol: Symbol,
    pub reads: u64,
    /// A type that the value is known to be of: converting it to that changes nothing.
    pub known: Option<Integer>,
}

impl Dependent {
    /// A value that depends on reads, and of which no more is known.
    fn new(symbol: Symbol, reads: u64) -> Self {
        Self { symbol, reads, known: None }
    }
}

/// An event of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathEvent {
    /// What is known of it.
    pub data: EventData,
    /// The value that a write writes.
    pub value: Option<Symbol>,
    /// Reads that its address, its value and its execution depend on, by position.
    pub address_reads: u64,
    pub data_reads: u64,
    pub control_reads: u64,
    /// Is it the write of a read-modify-write whose read is the event before it?
    pub modifies: bool,
    /// How wide the access is, where the program says it.
    pub bits: Option<u8>,
    /// Where it came from.
    pub place: Place,
}

/// One way through a thread.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub events: Vec<PathEvent>,
    /// Values that must be different from 0 (true) or 0 (false).
    pub suppositions: Vec<(Symbol, bool)>,
    /// For each named register its value at the end.
    pub registers: Vec<(String, Symbol)>,
}

/// All paths of a thread.
pub(super) struct Explored {
    pub paths: Vec<Path>,
    pub symbols: Symbols,
    /// Was a path cut off?
    pub bounded: bool,
    /// Was a path left out that only waits?
    pub waits: bool,
}

/// Where an exploration stands.
#[derive(Debug, Clone)]
struct State {
    /// The next step.
    at: usize,
    steps: usize,
    registers: Vec<Dependent>,
    /// Reads that everything depends on, up to a step or to the end.
    control: Vec<(u64, Option<usize>)>,
    /// How often each backward jump was taken.
    jumps: Vec<(usize, usize)>,
    /// The last arrival at the head of each loop.
    arrivals: Vec<Arrival>,
    path: Path,
}

/// Explores a thread. Depth first, so that the order of the paths is that of the text: fall through first.
pub(super) fn explore(program: &Program, thread: usize, shared: &Shared, bounds: Bounds) -> Result<Explored, Error> {
    let mut explorer = Explorer {
        program,
        thread,
        shared,
        bounds,
        symbols: Symbols::default(),
        open: Vec::new(),
        bounded: false,
        waits: false,
        heads: Heads::new(program),
    };
    let zero = Dependent::new(explorer.symbols.constant(0), 0);
    let mut registers = vec![zero; program.names.len()];
    for (register, value) in &program.initial {
        registers[usize::from(register.0)].symbol = explorer.symbols.constant(*value);
    }
    let path = Path { events: Vec::new(), suppositions: Vec::new(), registers: Vec::new() };
    explorer.open.push(State { at: 0, steps: 0, registers, control: Vec::new(), jumps: Vec::new(), arrivals: Vec::new(), path });
    let mut paths = Vec::new();
    while let Some(state) = explorer.open.pop() {
        if let Some(path) = explorer.run(state)? {
            paths.push(path);
        }
        if paths.len() + explorer.open.len() > bounds.paths {
            return Err(Error::new(format!("a thread has more than {} paths", bounds.paths)));
        }
    }
    Ok(Explored { paths, symbols: explorer.symbols, bounded: explorer.bounded, waits: explorer.waits })
}

struct Explorer<'a> {
    program: &'a Program,
    thread: usize,
    shared: &'a Shared,
    bounds: Bounds,
    symbols: Symbols,
    open: Vec<State>,
    bounded: bool,
    waits: bool,
    heads: Heads,
}

impl Explorer<'_> {
    /// Goes on to the end of the path; other ways that branch off are left for later. `None`: it was cut off.
    fn run(&mut self, mut state: State) -> Result<Option<Path>, Error> {
        while let Some((step, place)) = self.program.steps.get(state.at) {
            state.steps += 1;
            if state.steps > MAX_STEPS {
                return Err(Error::at(format!("a path of more than {MAX_STEPS} steps"), *place));
            }
            let here = state.at;
            if self.bounds.skip_waiting && self.heads.contains(here) && self.arrives_unchanged(&mut state) {
                self.waits = true;
                return Ok(None);
            }
            state.control.retain(|(_, until)| *until != Some(here));
            state.at += 1;
            let goes_on = self.step(&mut state, here, step, *place)?;
            if state.path.events.len() > margay_models::bits::MAX_EVENTS {
                return Err(Error::at(format!("more than {} events", margay_models::bits::MAX_EVENTS), *place));
            }
            if !goes_on {
                return Ok(None);
            }
        }
        let named = self.program.names.iter().zip(&state.registers);
        state.path.registers = named.filter_map(|(name, value)| Some((name.clone()?, value.symbol))).collect();
        Ok(Some(state.path))
    }

    /// At the head of a loop: has the last iteration done nothing but wait?
    fn arrives_unchanged(&self, state: &mut State) -> bool {
        let arrival = Arrival { head: state.at, events: state.path.events.len(), registers: state.registers.clone() };
        match state.arrivals.iter_mut().find(|a| a.head == state.at) {
            Some(before) => {
                let waited = self.heads.only_waited(before, &state.path.events, &state.registers, &self.symbols);
                *before = arrival;
                waited
            }
            None => {
                state.arrivals.push(arrival);
                false
            }
        }
    }

    fn term(&mut self, state: &State, term: &Term) -> Dependent {
        match term {
            Term::Constant(n) => Dependent::new(self.symbols.constant(*n), 0),
            Term::Register(r) => state.registers[usize::from(r.0)],
            Term::Unary(operator, a) => {
                let a = self.term(state, a);
                self.unary(*operator, a)
            }
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.term(state, a), self.term(state, b));
                self.binary(*operator, a, b)
            }
        }
    }

    fn unary(&mut self, operator: Unary, a: Dependent) -> Dependent {
        let known = match operator {
            Unary::Convert(integer) if a.known.is_some_and(|known| integer.includes(known)) => return a,
            Unary::Convert(integer) => Some(integer),
            Unary::LogicalNot => Some(TRUTH),
            Unary::BitwiseNot => a.known.filter(|known| known.signed),
            Unary::Negate => None,
        };
        Dependent { symbol: self.symbols.unary(operator, a.symbol), reads: a.reads, known }
    }

    fn binary(&mut self, operator: Binary, a: Dependent, b: Dependent) -> Dependent {
        let known = if operator.is_truth() {
            Some(TRUTH)
        } else if operator.keeps_type() {
            // A number is of any type that has it.
            let other = |value: Dependent, other: Dependent| match (value.known, self.symbols.as_constant(value.symbol)) {
                (None, Some(n)) => other.known.filter(|known| known.contains(n)),
                (known, _) => known,
            };
            let (x, y) = (other(a, b), other(b, a));
            x.zip(y).and_then(|(x, y)| [x, y].into_iter().find(|t| t.includes(x) && t.includes(y)))
        } else {
            None
        };
        Dependent { symbol: self.symbols.binary(operator, a.symbol, b.symbol), reads: a.reads | b.reads, known }
    }

    /// A value of a type; of no type it stays what it is.
    fn convert(&mut self, value: Dependent, integer: Option<Integer>) -> Dependent {
        match integer.filter(|i| i.bits < 64) {
            Some(integer) => self.unary(Unary::Convert(integer), value),
            None => value,
        }
    }

    /// Does a step. `false`: the path was cut off.
    fn step(&mut self, state: &mut State, here: usize, step: &Step, place: Place) -> Result<bool, Error> {
        match step {
            Step::Assign(to, term) => {
                let value = self.term(state, term);
                state.registers[usize::from(to.0)] = value;
            }
            Step::Load { to, address, attributes } => {
                let address = self.term(state, address);
                for (location, mut state) in self.locations(state, address, place)? {
                    self.read(&mut state, Some(*to), location, address, *attributes, place);
                    self.open.push(state);
                }
                return self.last(state);
            }
            Step::Store { address, value, attributes } => {
                let address = self.term(state, address);
                let value = self.term(state, value);
                for (location, mut state) in self.locations(state, address, place)? {
                    self.write(&mut state, location, address, value, *attributes, false, place);
                    self.open.push(state);
                }
                return self.last(state);
            }
            Step::LoadVector { to, address, width, attributes } => {
                let address = self.term(state, address);
                for (locations, state) in self.vectors(state, address, *width, to.len(), place)? {
                    for order in self.orders(&locations, place)?.into_iter().rev() {
                        let mut state = state.clone();
                        let mut loaded = vec![None; to.len()];
                        for element in order {
                            let value = self.read(&mut state, None, locations[element], address, *attributes, place);
                            loaded[element] = Some(value);
                        }
                        for (register, value) in to.iter().zip(loaded) {
                            state.registers[usize::from(register.0)] = value.unwrap_or(address);
                        }
                        self.open.push(state);
                    }
                }
                return self.last(state);
            }
            Step::StoreVector { address, width, values, attributes } => {
                let address = self.term(state, address);
                let values: Vec<Dependent> = values.iter().map(|v| self.term(state, v)).collect();
                for (locations, state) in self.vectors(state, address, *width, values.len(), place)? {
                    for order in self.orders(&locations, place)?.into_iter().rev() {
                        let mut state = state.clone();
                        for element in order {
                            let (location, value) = (locations[element], values[element]);
                            self.write(&mut state, location, address, value, *attributes, false, place);
                        }
                        self.open.push(state);
                    }
                }
                return self.last(state);
            }
            Step::Modify { to, address, modification, read, write } => {
                let address = self.term(state, address);
                for (location, state) in self.locations(state, address, place)? {
                    self.modify(state, *to, location, address, modification, (*read, *write), place);
                }
                return self.last(state);
            }
            Step::Fence { order, .. } if self.shared.signature == Signature::Plain => {
                if matches!(order, Order::Sc | Order::Plain) {
                    let data = EventData::new(Kind::Fence, None, Order::Plain);
                    push(state, data, None, self.zero(), 0, false, place);
                }
            }
            Step::ProxyFence(_) if self.shared.signature == Signature::Plain => {}
            Step::Fence { order, scope } => {
                let data = EventData { scope: *scope, ..EventData::new(Kind::Fence, None, *order) };
                push(state, data, None, self.zero(), 0, false, place);
            }
            Step::ProxyFence(proxy) => {
                let data = EventData { proxy: *proxy, ..EventData::new(Kind::ProxyFence, None, Order::Plain) };
                push(state, data, None, self.zero(), 0, false, place);
            }
            Step::Barrier { barrier, instance, scope, arrives, waits, relaxed } => {
                let number = self.term(state, barrier);
                for (number, mut state) in self.barriers(state, number, place)? {
                    let number = barriers::number(number, *instance);
                    let order = if *relaxed { Order::Rlx } else { Order::Plain };
                    let kinds = [(Kind::BarrierArrive, *arrives), (Kind::BarrierWait, *waits)];
                    for (kind, _) in kinds.into_iter().filter(|(_, there)| *there) {
                        let scope = (*scope == Scope::Cluster).then_some(Scope::Cluster);
                        let data = EventData { barrier: Some(number), scope, ..EventData::new(kind, None, order) };
                        push(&mut state, data, None, self.zero(), 0, false, place);
                    }
                    self.open.push(state);
                }
                return self.last(state);
            }
            Step::Jump(target) => {
                if *target <= here && !self.jumps_back(state, here) {
                    return Ok(false);
                }
                state.at = *target;
            }
            Step::BranchIfZero { condition, target, until } => {
                let condition = self.term(state, condition);
                if condition.reads != 0 {
                    state.control.push((condition.reads, *until));
                }
                match self.decided(state, condition.symbol) {
                    Some(true) => return Ok(true),
                    Some(false) => return Ok(self.branch(state, here, *target)),
                    None => {}
                }
                let mut taken = state.clone();
                taken.path.suppositions.push((condition.symbol, false));
                if self.branch(&mut taken, here, *target) {
                    self.open.push(taken);
                }
                state.path.suppositions.push((condition.symbol, true));
            }
        }
        Ok(true)
    }

    /// Is a value different from 0 on this path, by what it supposes so far?
    fn decided(&self, state: &State, symbol: Symbol) -> Option<bool> {
        let supposed = &state.path.suppositions;
        if let Some((_, holds)) = supposed.iter().find(|(s, _)| *s == symbol) {
            return Some(*holds);
        }
        let pinned = |read: u8| {
            let mut pins = supposed.iter().filter_map(|(s, holds)| self.symbols.pinned(*s, *holds));
            pins.find(|(r, _)| *r == read).map(|(_, n)| n)
        };
        self.symbols.evaluate(symbol, &pinned).map(|n| n != 0)
    }

    /// The states of a step that may fork are in `open`; goes on with the last of them.
    fn last(&mut self, state: &mut State) -> Result<bool, Error> {
        match self.open.pop() {
            Some(next) => {
                *state = next;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn branch(&mut self, state: &mut State, here: usize, target: usize) -> bool {
        let goes_on = target > here || self.jumps_back(state, here);
        state.at = target;
        goes_on
    }

    /// Counts a backward jump; `false` if the bound is reached.
    fn jumps_back(&mut self, state: &mut State, here: usize) -> bool {
        let index = state.jumps.iter().position(|(at, _)| *at == here).unwrap_or_else(|| {
            state.jumps.push((here, 0));
            state.jumps.len() - 1
        });
        state.jumps[index].1 += 1;
        let goes_on = state.jumps[index].1 <= self.bounds.unroll;
        self.bounded |= !goes_on;
        goes_on
    }

    fn zero(&mut self) -> Dependent {
        Dependent::new(self.symbols.constant(0), 0)
    }

    /// The barriers that a number may stand for, each with the state in which it does.
    fn barriers(&mut self, state: &State, number: Dependent, place: Place) -> Result<Vec<(u8, State)>, Error> {
        let is_barrier = |n: i64| u8::try_from(n).ok().filter(|&n| n < barriers::NUMBER);
        if let Some(n) = self.symbols.as_constant(number.symbol) {
            let barrier = is_barrier(n).ok_or_else(|| Error::at(barriers::no_barrier(n), place))?;
            return Ok(vec![(barrier, state.clone())]);
        }
        let mut found = Vec::new();
        for barrier in (0..barriers::NUMBER).rev() {
            if let Some(state) = self.supposing(state, number, i64::from(barrier)) {
                found.push((barrier, state));
            }
        }
        Ok(found)
    }

    /// The state in which a value is a number; `None` where that cannot be.
    fn supposing(&mut self, state: &State, value: Dependent, number: i64) -> Option<State> {
        let mut state = state.clone();
        let wanted = self.symbols.constant(number);
        let equal = self.symbols.binary(Binary::Compare(Comparison::Equal), value.symbol, wanted);
        if self.decided(&state, equal) == Some(false) {
            return None;
        }
        state.path.suppositions.push((equal, true));
        Some(state)
    }

    /// The locations that an address may stand for, each with the state in which it does.
    fn locations(&mut self, state: &State, address: Dependent, place: Place) -> Result<Vec<(u8, State)>, Error> {
        if let Some(n) = self.symbols.as_constant(address.symbol) {
            let location = self.shared.location_at(n).ok_or_else(|| Error::at(self.shared.no_location_at(n), place))?;
            return Ok(vec![(location, state.clone())]);
        }
        // An address that is read or computed: every location, where the value is its address.
        let mut found = Vec::new();
        for location in (0..self.shared.locations.len()).rev() {
            if let Some(state) = self.supposing(state, address, self.shared.address(location)) {
                found.push((location as u8, state));
            }
        }
        Ok(found)
    }

    /// The orders in which the elements of a vector may be accessed. Where an element stands that no other thread accesses makes no
    /// difference: those come last.
    fn orders(&self, locations: &[u8], place: Place) -> Result<Vec<Vec<usize>>, Error> {
        let seen = |&e: &usize| self.shared.is_observed(locations[e], self.thread);
        let (observed, own): (Vec<usize>, Vec<usize>) = (0..locations.len()).partition(seen);
        if observed.len() > MAX_ORDERED {
            let message = format!(
                "other threads access {} elements of this vector, which come in any order (PTX ISA 8.2.4); {MAX_ORDERED} are the most",
                observed.len()
            );
            return Err(Error::at(message, place));
        }
        let orders = permutations(observed.len()).into_iter();
        Ok(orders.map(|order| order.into_iter().map(|e| observed[e]).chain(own.iter().copied()).collect()).collect())
    }

    /// The locations of the elements of a vector, for each location that its address may stand for.
    fn vectors(
        &mut self,
        state: &State,
        address: Dependent,
        width: Address,
        count: usize,
        place: Place,
    ) -> Result<Vec<(Vec<u8>, State)>, Error> {
        let constant = self.symbols.as_constant(address.symbol).is_some();
        let mut found = Vec::new();
        for (first, state) in self.locations(state, address, place)? {
            let start = self.shared.address(usize::from(first));
            let address = |element: usize| start + width * element as Address;
            let elements: Option<Vec<u8>> = (0..count).map(|e| self.shared.location_at(address(e))).collect();
            match elements {
                Some(elements) => found.push((elements, state)),
                // A computed address that leads beyond an array is that of another execution.
                None if !constant => {}
                None => {
                    let outside = (0..count).map(address).find(|&a| self.shared.location_at(a).is_none()).unwrap_or(start);
                    return Err(Error::at(self.shared.no_location_at(outside), place));
                }
            }
        }
        Ok(found)
    }

    fn read(
        &mut self,
        state: &mut State,
        to: Option<Register>,
        location: u8,
        address: Dependent,
        attributes: Attributes,
        place: Place,
    ) -> Dependent {
        let position = state.path.events.len() as u8;
        let data = self.access(Kind::Read, location, attributes);
        push(state, data, None, address, 0, false, place);
        self.set_width(state, attributes);
        let known = self.shared.integers[usize::from(location)];
        let value = Dependent { symbol: self.symbols.read(position), reads: 1 << position.min(63), known };
        let value = self.convert(value, attributes.integer);
        if let Some(to) = to {
            state.registers[usize::from(to.0)] = value;
        }
        value
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one store")]
    fn write(
        &mut self,
        state: &mut State,
        location: u8,
        address: Dependent,
        value: Dependent,
        attributes: Attributes,
        modifies: bool,
        place: Place,
    ) {
        let data = self.access(Kind::Write, location, attributes);
        let value = self.convert(value, attributes.integer);
        let value = self.convert(value, self.shared.integers[usize::from(location)]);
        push(state, data, Some(value.symbol), address, value.reads, modifies, place);
        self.set_width(state, attributes);
    }

    fn set_width(&self, state: &mut State, attributes: Attributes) {
        if let Some(last) = state.path.events.last_mut() {
            last.bits = attributes.bits;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one read-modify-write")]
    fn modify(
        &mut self,
        mut state: State,
        to: Option<Register>,
        location: u8,
        address: Dependent,
        modification: &Modification,
        halves: (Attributes, Attributes),
        place: Place,
    ) {
        // Operands are read before the destination is written.
        let (operand, new) = match modification {
            Modification::Apply(_, operand) | Modification::Exchange(operand) => (self.term(&state, operand), self.zero()),
            Modification::CompareAndSwap { expected, new, .. } => (self.term(&state, expected), self.term(&state, new)),
        };
        let integer = halves.0.integer.or(self.shared.integers[usize::from(location)]);
        let operand = self.convert(operand, integer);
        let before = state.clone();
        let read = self.read(&mut state, to, location, address, halves.0, place);
        let written = match modification {
            Modification::Exchange(_) => operand,
            // The value written depends on the operand, and on its own read by `rmw`.
            Modification::Apply(operator, _) => {
                Dependent { reads: operand.reads, ..self.binary(operator.of(integer), read, operand) }
            }
            Modification::CompareAndSwap { success, failure, spurious, .. } => {
                let equal = self.symbols.binary(Binary::Compare(Comparison::Equal), read.symbol, operand.symbol);
                let mut failed = before;
                let value = self.read(&mut failed, to, location, address, *failure, place);
                let reads = value.reads | operand.reads;
                if let Some(success) = success {
                    failed.registers[usize::from(success.0)] = Dependent::new(self.symbols.constant(0), reads);
                }
                if !spurious {
                    failed.path.suppositions.push((equal, false));
                }
                self.open.push(failed);
                state.path.suppositions.push((equal, true));
                if let Some(success) = success {
                    state.registers[usize::from(success.0)] = Dependent::new(self.symbols.constant(1), reads);
                }
                // Whether it writes depends on the expected value too.
                Dependent { reads: new.reads | operand.reads, ..new }
            }
        };
        self.write(&mut state, location, address, written, halves.1, true, place);
        if let (Modification::Exchange(_), [.., read, write]) = (modification, state.path.events.as_mut_slice()) {
            (read.data.exchange, write.data.exchange) = (true, true);
        }
        self.open.push(state);
    }

    fn access(&self, kind: Kind, location: u8, attributes: Attributes) -> EventData {
        if self.shared.signature == Signature::Plain {
            return EventData { location: Some(location), ..EventData::new(kind, None, Order::Plain) };
        }
        EventData {
            scope: attributes.scope,
            location: Some(location),
            proxy: attributes.proxy,
            volatile: attributes.volatile,
            mmio: attributes.mmio,
            reduction: attributes.reduction,
            ..EventData::new(kind, None, attributes.order)
        }
    }
}

/// Adds an event to a path.
fn push(
    state: &mut State,
    data: EventData,
    value: Option<Symbol>,
    address: Dependent,
    data_reads: u64,
    modifies: bool,
    place: Place,
) {
    let control_reads = state.control.iter().fold(0, |reads, (of, _)| reads | of);
    let address_reads = address.reads;
    state.path.events.push(PathEvent { data, value, address_reads, data_reads, control_reads, modifies, bits: None, place });
}

/// All orders of so many things, the order itself first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let mut found: Vec<Vec<usize>> = Vec::new();
    for shorter in permutations(last) {
        for at in (0..=last).rev() {
            let mut longer = shorter.clone();
            longer.insert(at, last);
            found.push(longer);
        }
    }
    found
}
