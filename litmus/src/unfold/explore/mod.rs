//! Symbolic execution of a thread: all its paths, with events, dependencies, and what each path
//! supposes of the values read. This file takes the steps; `value` has what the registers hold,
//! `choice` what an address or a barrier number that is not known may be, `access` the events.
//!
//! Address, data and control dependencies are those of registers: a value depends on every read
//! that any of its operands depends on, also where the value itself does not (`xor r1, r0, r0`).

mod access;
mod asynchronous;
mod choice;
mod issued;
mod lanes;
mod state;
mod value;

use margay_models::execution::{EventData, Kind, Order, Proxy, Scope, Spaces};

use super::accesses::Accesses;
use super::path::{Dependent, MAX_POSITIONS, Path, PathEvent, Positions};
use super::program::{Program, Register, Step, Term};
use super::retry::{AtHead, LastRound, Retries, RetryRounds};
use super::shared::Shared;
use super::spin::{Arrival, Heads, Waiting};
use super::stop::{Cause, Stop};
use super::symbol::Symbols;
use super::{UnfoldError, UnfoldingBounds, barriers};
use crate::test::Place;
use access::AccessedLocation;
use issued::Issued;
use state::{ExplorationState, Explorer};

/// The largest number of steps of a path: more is no litmus test.
const MAX_STEPS: usize = 4000;

/// All paths of a thread.
pub(super) struct Explored {
    pub paths: Vec<Path>,
    /// The paths on which the thread does not come to its end.
    pub stopped: Vec<Path>,
    pub symbols: Symbols,
    /// Was a path cut off?
    pub bounded: bool,
    /// Was a path left out that only waits?
    pub waits: bool,
    /// Was one left out that tries again and writes?
    pub retries_write: bool,
}

/// Explores a thread. Depth first, so that the order of the paths is that of the text: fall through
/// first.
pub(super) fn explore(
    (program, thread): (&Program, usize),
    shared: &Shared,
    accesses: &Accesses,
    bounds: UnfoldingBounds,
    is_over: &dyn Fn() -> bool,
) -> Result<Explored, UnfoldError> {
    let mut explorer = Explorer {
        program,
        thread,
        shared,
        accesses,
        bounds,
        symbols: Symbols::default(),
        open: Vec::new(),
        stopped: Vec::new(),
        bounded: false,
        waits: false,
        retries_write: false,
        heads: Heads::new(program),
        divides: value::divides(program, shared),
    };
    let zero = Dependent::new(explorer.symbols.constant(0), Positions::EMPTY);
    let mut registers = vec![zero; program.names.len()];
    for (register, value) in &program.initial {
        registers[usize::from(register.0)].symbol = explorer.symbols.constant(*value);
    }
    let path = Path::default();
    explorer.open.push(ExplorationState {
        at: 0,
        steps: 0,
        registers,
        reserved: None,
        control: Vec::new(),
        picked: Vec::new(),
        passed_on: Positions::EMPTY,
        jumps: Vec::new(),
        rounds: Vec::new(),
        arrivals: Vec::new(),
        operation: None,
        completes: Positions::EMPTY,
        behind: Positions::EMPTY,
        issued: Issued::default(),
        path,
    });
    let mut paths = Vec::new();
    // What is there when it is over is not used.
    while let Some(state) = explorer.open.pop().filter(|_| !is_over()) {
        if let Some(path) = explorer.run(state)? {
            paths.push(path);
        }
        if paths.len() + explorer.open.len() > bounds.paths
            || explorer.stopped.len() > 2 * bounds.paths
        {
            return Err(UnfoldError::new(format!("a thread has more than {} paths", bounds.paths)));
        }
    }
    let Explorer { stopped, symbols, bounded, waits, retries_write, .. } = explorer;
    Ok(Explored { paths, stopped, symbols, bounded, waits, retries_write })
}

impl Explorer<'_> {
    /// Goes on to the end of the path; other ways that branch off are left for later. `None`: it
    /// was cut off.
    fn run(&mut self, mut state: ExplorationState) -> Result<Option<Path>, UnfoldError> {
        while let Some((step, place)) = self.program.steps.get(state.at) {
            state.steps += 1;
            if state.steps > MAX_STEPS {
                return Err(UnfoldError::at(
                    format!("a path of more than {MAX_STEPS} steps"),
                    *place,
                ));
            }
            uses_no_choice_of_memory(&state)?;
            let here = state.at;
            if self.is_looked_at() && self.heads.contains(here) {
                let retries = self.retries(&state, here);
                let is_enough = self.is_enough(&retries);
                if self.arrives_unchanged(&mut state, retries) {
                    self.waits = true;
                    self.stop(state, Stop::new(Cause::Waiting, *place));
                    return Ok(None);
                }
                if is_enough {
                    return Ok(None);
                }
            }
            state.control.retain(|(_, until)| *until != Some(here));
            if !state.jumps.is_empty() {
                state.rounds = state
                    .jumps
                    .iter()
                    .copied()
                    .filter(|(head, _)| self.heads.surrounds(*head, here))
                    .collect();
                state.rounds.sort_unstable();
            }
            state.at += 1;
            let goes_on = self.step(&mut state, here, step, *place)?;
            if state.path.events.len() > MAX_POSITIONS {
                return Err(UnfoldError::at(
                    format!("a thread of more than {MAX_POSITIONS} events"),
                    *place,
                ));
            }
            if !goes_on {
                return Ok(None);
            }
        }
        uses_no_choice_of_memory(&state)?;
        let named = self.program.names.iter().zip(&state.registers);
        state.path.registers =
            named.filter_map(|(name, value)| Some((name.clone()?, value.symbol))).collect();
        Ok(Some(state.path))
    }

    /// The thread goes no further.
    fn stop(&mut self, state: ExplorationState, stop: Stop) {
        self.stopped.push(Path { stop: Some(stop), ..state.path });
    }

    /// Are rounds of loops looked at?
    fn is_looked_at(&self) -> bool {
        self.bounds.skip_waiting || self.bounds.retries != RetryRounds::All
    }

    /// Are there executions with fewer rounds that show the same?
    fn is_enough(&mut self, retries: &Retries) -> bool {
        let is_enough = retries.are_enough();
        self.retries_write |= is_enough && retries.writes;
        is_enough
    }

    /// The rounds of the loop with a head, as far as they only try again, when a state comes to it.
    fn retries(&mut self, state: &ExplorationState, head: usize) -> Retries {
        let asked = match self.bounds.retries {
            RetryRounds::All => return Retries::default(),
            RetryRounds::Last => None,
            RetryRounds::Racing(location) => Some(location.map(|l| self.physical(l))),
        };
        let Some(before) = state.arrivals.iter().find(|a| a.head == head) else {
            return Retries::default();
        };
        let Some(live) = self.heads.live(head) else { return Retries::default() };
        let Self { program, shared, .. } = *self;
        let last = LastRound {
            program,
            head,
            live,
            path: &state.path,
            before: AtHead {
                events: before.events,
                suppositions: before.suppositions,
                registers: &before.registers,
                is_controlled: before.is_controlled,
            },
            now: AtHead {
                events: state.path.events.len(),
                suppositions: state.path.suppositions.len(),
                registers: &state.registers,
                is_controlled: is_controlled(state),
            },
            asked,
            physical: &|l| shared.locations[usize::from(l)].physical,
        };
        last.behind(&before.retries, &mut self.symbols).unwrap_or_default()
    }

    fn physical(&self, location: u16) -> u16 {
        self.shared.locations[usize::from(location)].physical
    }

    /// At the head of a loop: has the last iteration done nothing but wait?
    fn arrives_unchanged(&self, state: &mut ExplorationState, retries: Retries) -> bool {
        let arrival = Arrival {
            head: state.at,
            events: state.path.events.len(),
            suppositions: state.path.suppositions.len(),
            registers: state.registers.clone(),
            is_controlled: is_controlled(state),
            retries,
        };
        match state.arrivals.iter_mut().find(|a| a.head == state.at) {
            Some(before) => {
                let Self { thread, shared, accesses, ref symbols, .. } = *self;
                let waiting = Waiting {
                    thread,
                    rewrites: self.bounds.skip_rewriting,
                    accesses,
                    shared,
                    symbols,
                };
                let waited = self.bounds.skip_waiting
                    && self.heads.is_unchanged(before, &state.registers, symbols)
                    && waiting.only_waits(&state.path, before.events);
                *before = arrival;
                waited
            }
            None => {
                state.arrivals.push(arrival);
                false
            }
        }
    }

    /// Does a step. `false`: the path was cut off.
    fn step(
        &mut self,
        state: &mut ExplorationState,
        here: usize,
        step: &Step,
        place: Place,
    ) -> Result<bool, UnfoldError> {
        if let Some(divides) = self.divides_by_zero(step)
            && !self.goes_on_behind_division(state, &divides, place)
        {
            return Ok(false);
        }
        state.issued.check_registers(step, self.program, place)?;
        match step {
            Step::Assign(to, term) => {
                let value = self.term(state, term);
                state.registers[usize::from(to.0)] = value;
            }
            Step::Pick { to, condition, of } => self.pick(state, *to, condition, of),
            Step::Load { to, address, attributes } => {
                return self.load(state, *to, address, *attributes, place);
            }
            Step::StoreConditional { status, address, value, attributes } => {
                return self.store_conditional(
                    state,
                    *status,
                    (address, value),
                    *attributes,
                    place,
                );
            }
            Step::Store { address, value, attributes } => {
                return self.store(state, (address, value), *attributes, place);
            }
            Step::LoadVector { to, address, width, attributes } => {
                return self.load_vector(state, to, (address, *width), *attributes, place);
            }
            Step::StoreVector { address, width, values, attributes } => {
                return self.store_vector(state, (address, *width), values, *attributes, place);
            }
            Step::Modify { to, address, modification, read, write } => {
                let address = self.term(state, address);
                return self.at_each(state, address, place, |this, state, at| {
                    this.modify(state, *to, at, modification, (*read, *write), place);
                    Ok(())
                });
            }
            Step::Fence { order, scope, spaces, proxy } => {
                self.fence(state, (*order, *scope, *spaces, *proxy), place)
            }
            Step::TensormapFence { address, order, scope } => {
                return self.tensormap_fence(state, address.as_ref(), (*order, *scope), place);
            }
            Step::ProxyFence { proxy, spaces, mbarrier } => {
                self.proxy_fence(state, (*proxy, *spaces, *mbarrier), place)
            }
            Step::Mbarrier { address, step } => {
                let address = self.term(state, address);
                return self.at_each(state, address, place, |this, state, at| {
                    this.mbarrier(state, at, step, place)
                });
            }
            Step::Async(step) => {
                self.asynchronous(state, step, place)?;
                return self.last(state);
            }
            Step::AsyncGroup { family, action } => {
                self.asynchronous_group(state, *family, *action, place)
            }
            Step::WarpgroupFence => state.issued.fences_registers(),
            Step::BulkStore { address, bytes } => {
                let address = self.term(state, address);
                return self.at_each(state, address, place, |this, state, at| {
                    this.bulk_store(&state, at, *bytes, place)
                });
            }
            Step::TensorFence { after } => self.tensor_fence(state, *after, place),
            Step::AsyncArrive { family, address, counted } => {
                let address = self.term(state, address);
                return self.at_each(state, address, place, |this, state, at| {
                    this.asynchronous_arrival(state, at, (*family, *counted), place)
                });
            }
            Step::Barrier { barrier, instance, scope, arrives, waits, relaxed } => {
                let number = self.term(state, barrier);
                let order = if *relaxed { Order::Rlx } else { Order::Plain };
                let kinds = [(Kind::BarrierArrive, *arrives), (Kind::BarrierWait, *waits)];
                let kinds = kinds
                    .into_iter()
                    .filter(|(_, there)| *there)
                    .map(|(kind, _)| EventData::new(kind, None, order));
                self.barrier(state, (number, *instance), *scope, kinds, place)?;
                return self.last(state);
            }
            Step::Bring(step) => self.bring(state, step, place)?,
            Step::Take(step) => self.take(state, step, place)?,
            Step::Jump(target) => {
                if *target <= here && !self.jumps_back(state, here, *target, place) {
                    return Ok(false);
                }
                state.at = *target;
            }
            Step::Fork(target) => {
                let mut other = state.clone();
                other.at = *target;
                self.open.push(other);
            }
            Step::BranchIfZero { condition, target, until } => {
                return Ok(self.branch_if_zero(state, here, condition, (*target, *until), place));
            }
        }
        Ok(true)
    }

    /// `fence.proxy.tensormap`: an acquire is of one tensor map, at the address that it names; a
    /// release names none and is of all, which are in global memory.
    fn tensormap_fence(
        &mut self,
        state: &mut ExplorationState,
        address: Option<&Term>,
        (order, scope): (Order, Scope),
        place: Place,
    ) -> Result<bool, UnfoldError> {
        let data = EventData {
            scope: Some(scope),
            proxy: Proxy::Tensormap,
            ..EventData::new(Kind::Fence, None, order)
        };
        let Some(address) = address else {
            self.event(state, EventData { spaces: Spaces::GLOBAL, ..data }, place);
            return Ok(true);
        };
        let address = self.term(state, address);
        self.at_each(state, address, place, |this, mut state, at| {
            this.event(&mut state, EventData { location: Some(at.location), ..data }, place);
            this.open.push(state);
            Ok(())
        })
    }

    /// Goes on where a step divides by nothing that is zero; `false`: it does, and the path was cut
    /// off.
    fn goes_on_behind_division(
        &mut self,
        state: &mut ExplorationState,
        divides: &Term,
        place: Place,
    ) -> bool {
        let divides = self.term(state, divides).symbol;
        match self.decided(state, divides) {
            Some(false) => true,
            Some(true) => {
                self.stop(state.clone(), Stop::new(Cause::Division, place));
                false
            }
            None => {
                let mut stops = state.clone();
                stops.path.suppositions.push((divides, true));
                self.stop(stops, Stop::new(Cause::Division, place));
                state.path.suppositions.push((divides, false));
                true
            }
        }
    }

    /// Does something at each location that an address may be, in a state of its own, and goes on
    /// with the last one.
    fn at_each(
        &mut self,
        state: &mut ExplorationState,
        address: Dependent,
        place: Place,
        mut does: impl FnMut(&mut Self, ExplorationState, AccessedLocation) -> Result<(), UnfoldError>,
    ) -> Result<bool, UnfoldError> {
        for (location, state) in self.locations(state, address, place)? {
            does(self, state, AccessedLocation { location, address })?;
        }
        self.last(state)
    }

    /// Arrives at a barrier, waits there, or both: the events of each number that it may have, in a
    /// state of its own.
    fn barrier(
        &mut self,
        state: &ExplorationState,
        (number, instance): (Dependent, u8),
        scope: Scope,
        events: impl Iterator<Item = EventData> + Clone,
        place: Place,
    ) -> Result<(), UnfoldError> {
        for (number, mut state) in self.barriers(state, number, place)? {
            let barrier = barriers::number(number, instance);
            for event in events.clone() {
                if event.kind == Kind::BarrierWait {
                    let barrier = Some((barrier, scope));
                    self.stop(
                        state.clone(),
                        Stop { cause: Cause::Barrier, place, value: None, barrier },
                    );
                }
                let scope = (scope != Scope::Cta).then_some(scope);
                self.event(&mut state, EventData { barrier: Some(barrier), scope, ..event }, place);
            }
            self.open.push(state);
        }
        Ok(())
    }

    /// The states of a step that may fork are in `open`; goes on with the last of them.
    fn last(&mut self, state: &mut ExplorationState) -> Result<bool, UnfoldError> {
        match self.open.pop() {
            Some(next) => {
                *state = next;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// A branch by a condition: where both ways are open, the jump is left for later. `false`: the
    /// path was cut off.
    fn branch_if_zero(
        &mut self,
        state: &mut ExplorationState,
        here: usize,
        condition: &Term,
        (target, until): (usize, Option<usize>),
        place: Place,
    ) -> bool {
        let condition = self.term(state, condition);
        let reads = condition.reads | condition.picks;
        if !reads.is_empty() {
            state.control.push((reads, until));
            state.path.branched_by |= reads;
        }
        match self.decided(state, condition.symbol) {
            Some(true) => return true,
            Some(false) => return self.branch(state, here, target, place),
            None => {}
        }
        let mut taken = state.clone();
        self.symbols.suppose(&mut taken.path.suppositions, condition.symbol, false);
        if self.branch(&mut taken, here, target, place) {
            self.open.push(taken);
        }
        self.symbols.suppose(&mut state.path.suppositions, condition.symbol, true);
        true
    }

    /// Takes one of two values: both ways are open, and neither is a branch.
    fn pick(
        &mut self,
        state: &mut ExplorationState,
        to: Register,
        condition: &Term,
        of: &[Term; 2],
    ) {
        let condition = self.term(state, condition);
        let take = |this: &mut Self, state: &mut ExplorationState, chosen: &Term| {
            let chosen = this.term(state, chosen);
            let picks = chosen.picks | condition.reads | condition.picks;
            state.registers[usize::from(to.0)] = Dependent { picks, ..chosen };
        };
        let holds = self.decided(state, condition.symbol);
        if holds.is_none() {
            let mut other = state.clone();
            self.symbols.suppose(&mut other.path.suppositions, condition.symbol, false);
            other.path.swaps.push(condition.symbol);
            take(self, &mut other, &of[1]);
            self.open.push(other);
            self.symbols.suppose(&mut state.path.suppositions, condition.symbol, true);
            state.path.swaps.push(condition.symbol);
        }
        take(self, state, &of[usize::from(holds == Some(false))]);
    }

    fn branch(
        &mut self,
        state: &mut ExplorationState,
        here: usize,
        target: usize,
        place: Place,
    ) -> bool {
        let goes_on = target > here || self.jumps_back(state, here, target, place);
        state.at = target;
        goes_on
    }

    /// Counts a round of a loop; `false` if the bound is reached. Where fewer rounds show the same
    /// the bound cuts nothing off.
    fn jumps_back(
        &mut self,
        state: &mut ExplorationState,
        here: usize,
        head: usize,
        place: Place,
    ) -> bool {
        if !self.heads.turns(here) {
            return true;
        }
        let index = state.jumps.iter().position(|(at, _)| *at == head).unwrap_or_else(|| {
            state.jumps.push((head, 0));
            state.jumps.len() - 1
        });
        state.jumps[index].1 += 1;
        let goes_on = state.jumps[index].1 <= self.bounds.unroll;
        if goes_on {
            return true;
        }
        let retries = self.retries(state, head);
        if !self.is_enough(&retries) {
            self.bounded = true;
            self.stop(state.clone(), Stop::new(Cause::Bound, place));
        }
        false
    }
}

/// Dependencies go through memory, too, where a thread reads what it wrote itself: an address or
/// data dependency as the model says it, a choice in no relation of a model here.
fn uses_no_choice_of_memory(state: &ExplorationState) -> Result<(), UnfoldError> {
    let uses = |event: &PathEvent| {
        let all = event.address_reads | event.data_reads | event.control_reads;
        state.passed_on.iter().any(|read| all.contains(read))
    };
    match state.path.events.iter().find(|event| !state.passed_on.is_empty() && uses(event)) {
        None => Ok(()),
        Some(event) => Err(UnfoldError::at(
            "this depends on a read of what the thread itself wrote by a choice (`csel`, `cset`): \
             a pick dependency through memory, which is not modelled",
            event.place,
        )),
    }
}

/// Does what follows depend on what was read last, by a branch?
fn is_controlled(state: &ExplorationState) -> bool {
    let last = state.path.events.len().checked_sub(1);
    last.is_some_and(|last| state.control.iter().any(|(of, _)| of.contains(last)))
}
