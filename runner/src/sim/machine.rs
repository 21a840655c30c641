//! The rules of both models: which steps a state allows, and what each does (thesis, sections 4.2
//! and 4.3).

use margay_litmus::test::{Test, Variable};
use margay_litmus::unfold::UnfoldError;
use margay_models::execution::Scope;

use super::code::{Prepared, SimChange, SimFence, SimOperation};
use super::state::{BORROWED, GLOBAL, LOCAL, LocationCopy, MachineState, PendingOperation, WINDOW};
use crate::outcome::Observed;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MachineModel {
    /// Section 4.2: a view for each thread, a load pool, borrowing.
    Weak,
    /// Section 4.3: a view for each cta, loads in order.
    Strong,
}

impl MachineModel {
    /// The word for it in options and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

/// A step that a state allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MachineStep {
    /// The issued operation at a position of a thread is done; a load takes the value of a view.
    Do { thread: u8, position: u8, view: u8 },
    /// A view of a location is shared with the views that have not got it.
    Share { view: u8, location: u8 },
}

/// Where an observed value is.
#[derive(Debug, Clone, Copy)]
enum ObservedPlace {
    Register(usize),
    Location(usize),
    /// A register that the thread never names holds 0.
    Nothing,
}

/// A test, made ready to be run on a model.
#[derive(Debug, Clone)]
pub struct SimulatedMachine {
    kind: MachineModel,
    prepared: Prepared,
    /// For each thread its first register in the state.
    first: Vec<usize>,
    /// For each thread its view.
    view: Vec<u8>,
    /// For each view the cta, as the number of its first thread.
    cta: Vec<u8>,
    observed: Observed,
    sources: Vec<ObservedPlace>,
    initial: MachineState,
    /// Do final values of locations count, so that everything must be shared at the end?
    settles: bool,
}

impl SimulatedMachine {
    /// Prepares a test. What the machine has not (C tests, proxies, shared memory across ctas) is
    /// an error.
    pub fn new(test: &Test, kind: MachineModel) -> Result<Self, UnfoldError> {
        let prepared = Prepared::new(test)?;
        let placements: Vec<_> = prepared.threads.iter().map(|t| t.placement).collect();
        let cta_of = |t: usize| {
            placements.iter().position(|p| p.shares(Scope::Cta, placements[t])).unwrap_or(t) as u8
        };
        let threads = prepared.threads.len();
        let (view, cta) = match kind {
            MachineModel::Weak => {
                ((0..threads as u8).collect(), (0..threads).map(cta_of).collect())
            }
            MachineModel::Strong => {
                let mut ctas: Vec<u8> = (0..threads).map(cta_of).collect();
                ctas.dedup();
                ctas.sort_unstable();
                ctas.dedup();
                let index = |t: usize| ctas.iter().position(|&c| c == cta_of(t)).unwrap_or(0) as u8;
                ((0..threads).map(index).collect::<Vec<u8>>(), ctas)
            }
        };
        let mut first = Vec::with_capacity(threads);
        let mut count = 0;
        for thread in &prepared.threads {
            first.push(count);
            count += thread.names.len();
        }
        let observed = Observed::new(test, |l| prepared.code.address(l));
        let sources: Vec<ObservedPlace> = observed
            .variables
            .iter()
            .map(|v| match v {
                Variable::Register { thread, name } => {
                    let names = prepared.threads.get(thread.index()).map(|t| &t.names);
                    let register =
                        names.and_then(|n| n.iter().position(|n| n.as_deref() == Some(name)));
                    register.map_or(ObservedPlace::Nothing, |r| {
                        ObservedPlace::Register(first[thread.index()] + r)
                    })
                }
                Variable::Location(name) => {
                    let location = test.location(name);
                    location.map_or(ObservedPlace::Nothing, ObservedPlace::Location)
                }
            })
            .collect();
        let settles = sources.iter().any(|s| matches!(s, ObservedPlace::Location(_)));
        let initial = MachineState::initial(&prepared, cta.len());
        let mut machine =
            Self { kind, prepared, first, view, cta, observed, sources, initial, settles };
        let mut state = machine.initial.clone();
        machine.issue_all(&mut state)?;
        machine.initial = state;
        Ok(machine)
    }

    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    pub(super) fn initial(&self) -> &MachineState {
        &self.initial
    }

    fn locations(&self) -> usize {
        self.prepared.initial.len()
    }

    fn registers<'s>(&self, state: &'s MachineState, thread: usize) -> &'s [i64] {
        let first = self.first[thread];
        &state.registers[first..first + self.prepared.threads[thread].names.len()]
    }

    /// Issues all that can be issued: that never takes away another step (docs/gpu.md).
    fn issue_all(&self, state: &mut MachineState) -> Result<(), UnfoldError> {
        loop {
            let mut arrived = false;
            for t in 0..self.prepared.threads.len() {
                arrived |= self.issue(state, t)?;
            }
            if !arrived {
                return Ok(());
            }
        }
    }

    /// Issues the operations of a thread until one must wait; says whether it arrived at a barrier.
    fn issue(&self, state: &mut MachineState, t: usize) -> Result<bool, UnfoldError> {
        let thread = &self.prepared.threads[t];
        let barriers = self.prepared.barriers.len();
        let mut arrived = false;
        // Jumps take no time: a loop without an access would not end.
        let mut fuel = 100_000u32;
        while let Some(coded) = thread.operations.get(usize::from(state.pc[t])) {
            fuel -= 1;
            if fuel == 0 {
                return Err(UnfoldError::new(format!(
                    "thread P{t} loops without an access to memory"
                )));
            }
            let n = usize::from(state.length[t]);
            let coming = state.pending[t][..n].iter().fold(0, |mask, p| mask | self.writes(t, p));
            if coded.registers & coming != 0 {
                break;
            }
            let pc = state.pc[t];
            let mut next = pc + 1;
            let mut pending = None;
            match &coded.operation {
                SimOperation::Assign(to, term) => {
                    let v = term.value(self.registers(state, t));
                    state.registers[self.first[t] + usize::from(*to)] = v;
                }
                SimOperation::Load { address, .. } => {
                    let location = self.location(address.value(self.registers(state, t)), t)?;
                    pending = Some(PendingOperation {
                        operation: pc,
                        location,
                        ..PendingOperation::default()
                    });
                }
                SimOperation::Store { address, value: data, .. } => {
                    let registers = self.registers(state, t);
                    let location = self.location(address.value(registers), t)?;
                    pending = Some(PendingOperation {
                        operation: pc,
                        location,
                        value: data.value(registers),
                        replacement: 0,
                    });
                }
                SimOperation::Modify { address, change, .. } => {
                    let registers = self.registers(state, t);
                    let location = self.location(address.value(registers), t)?;
                    let (operand, replacement) = match change {
                        SimChange::Apply(_, operand) | SimChange::Exchange(operand) => {
                            (operand.value(registers), 0)
                        }
                        SimChange::CompareAndSwap(expected, new) => {
                            (expected.value(registers), new.value(registers))
                        }
                    };
                    pending = Some(PendingOperation {
                        operation: pc,
                        location,
                        value: operand,
                        replacement,
                    });
                }
                SimOperation::Fence(_) => {
                    pending = Some(PendingOperation {
                        operation: pc,
                        location: 255,
                        ..PendingOperation::default()
                    })
                }
                SimOperation::Arrive(slot) => {
                    if n > 0 {
                        break;
                    }
                    let count = &mut state.arrived[t * barriers + usize::from(*slot)];
                    *count = count.saturating_add(1);
                    arrived = true;
                }
                SimOperation::Wait(slot) => {
                    let slot = usize::from(*slot);
                    let own = state.arrived[t * barriers + slot];
                    let all = &self.prepared.barriers[slot].threads;
                    if n > 0
                        || all
                            .iter()
                            .any(|&u| state.arrived[usize::from(u) * barriers + slot] < own)
                    {
                        break;
                    }
                }
                SimOperation::BranchIfZero { condition, target } => {
                    if condition.value(self.registers(state, t)) == 0 {
                        next = *target;
                    }
                }
                SimOperation::Jump(target) => next = *target,
            }
            if let Some(p) = pending {
                if n == WINDOW {
                    break;
                }
                state.pending[t][n] = p;
                state.length[t] += 1;
            }
            state.pc[t] = next;
        }
        Ok(arrived)
    }

    /// The register that an issued operation will write, as a mask.
    fn writes(&self, t: usize, p: &PendingOperation) -> u64 {
        match &self.prepared.threads[t].operations[usize::from(p.operation)].operation {
            SimOperation::Load { to, .. } | SimOperation::Modify { to: Some(to), .. } => 1 << to,
            _ => 0,
        }
    }

    fn location(&self, address: i64, t: usize) -> Result<u8, UnfoldError> {
        match self.prepared.code.location_at(address) {
            Some(l) => Ok(l as u8),
            None => Err(UnfoldError::new(format!(
                "thread P{t} accesses the address {address}, where no location is"
            ))),
        }
    }

    /// The steps that a state allows.
    pub(super) fn steps(&self, state: &MachineState, out: &mut Vec<MachineStep>) {
        out.clear();
        for t in 0..state.length.len() {
            self.thread_steps(state, t, out);
        }
        if !self.settles && self.done(state) {
            // What is shared from here on, no register sees.
            return;
        }
        let locations = self.locations();
        for (i, cell) in state.cells.iter().enumerate() {
            if cell.flags & (LOCAL | GLOBAL) != 0 {
                out.push(MachineStep::Share {
                    view: (i / locations) as u8,
                    location: (i % locations) as u8,
                });
            }
        }
    }

    fn thread_steps(&self, state: &MachineState, t: usize, out: &mut Vec<MachineStep>) {
        let n = usize::from(state.length[t]);
        // Locations with an issued operation before this one, and those where it is not a load.
        let (mut any, mut writes) = (0u16, 0u16);
        for (position, p) in state.pending[t][..n].iter().enumerate() {
            let step =
                |view: u8| MachineStep::Do { thread: t as u8, position: position as u8, view };
            let own = self.view[t];
            match &self.prepared.threads[t].operations[usize::from(p.operation)].operation {
                SimOperation::Load { .. } => {
                    let bit = 1u16 << p.location;
                    // The load pool: loads overtake loads, even of their own location (weak model).
                    let blocked = if self.kind == MachineModel::Weak { writes } else { any };
                    if blocked & bit == 0 {
                        out.push(step(own));
                        if self.kind == MachineModel::Weak {
                            self.lenders(state, own, p.location, |view| out.push(step(view)));
                        }
                    }
                    any |= bit;
                }
                SimOperation::Store { .. } => {
                    let bit = 1u16 << p.location;
                    if any & bit == 0 {
                        out.push(step(own));
                    }
                    any |= bit;
                    writes |= bit;
                }
                SimOperation::Modify { .. } => {
                    let bit = 1u16 << p.location;
                    if any & bit == 0 && self.settled_elsewhere(state, own, p.location) {
                        out.push(step(own));
                    }
                    any |= bit;
                    writes |= bit;
                }
                // A fence is in the queues of all locations: nothing passes it.
                _ => {
                    if position == 0 {
                        out.push(step(own));
                    }
                    break;
                }
            }
        }
    }

    fn cell<'s>(&self, state: &'s MachineState, view: u8, location: u8) -> &'s LocationCopy {
        &state.cells[usize::from(view) * self.locations() + usize::from(location)]
    }

    /// The views that a load may borrow a value from.
    fn lenders(&self, state: &MachineState, own: u8, location: u8, mut lend: impl FnMut(u8)) {
        if self.cell(state, own, location).flags & BORROWED != 0 {
            return;
        }
        let shared = self.prepared.shared[usize::from(location)];
        for view in (0..self.cta.len() as u8).filter(|&v| v != own) {
            let same = self.cta[usize::from(view)] == self.cta[usize::from(own)];
            let flags = self.cell(state, view, location).flags;
            if (same && flags & LOCAL != 0) || (!same && !shared && flags & GLOBAL != 0) {
                lend(view);
            }
        }
    }

    /// Has no other view a value of the location that is not shared yet?
    fn settled_elsewhere(&self, state: &MachineState, own: u8, location: u8) -> bool {
        (0..self.cta.len() as u8)
            .filter(|&v| v != own)
            .all(|v| self.cell(state, v, location).flags & (LOCAL | GLOBAL) == 0)
    }

    /// Takes a step. An access to an address where no location is, and an endless loop in
    /// registers, are errors.
    pub(super) fn take(
        &self,
        state: &mut MachineState,
        step: MachineStep,
    ) -> Result<(), UnfoldError> {
        match step {
            MachineStep::Share { view, location } => self.share(state, view, location),
            MachineStep::Do { thread, position, view } => {
                let (t, position) = (usize::from(thread), usize::from(position));
                let p = state.pending[t][position];
                let n = usize::from(state.length[t]);
                state.pending[t].copy_within(position + 1..n, position);
                state.length[t] -= 1;
                self.perform(state, t, p, view);
                if self.prepared.barriers.is_empty() {
                    self.issue(state, t)?;
                } else {
                    self.issue_all(state)?;
                }
            }
        }
        Ok(())
    }

    fn perform(&self, state: &mut MachineState, t: usize, p: PendingOperation, from: u8) {
        let own = self.view[t];
        let locations = self.locations();
        let at = usize::from(own) * locations + usize::from(p.location);
        let code = &self.prepared.code;
        match &self.prepared.threads[t].operations[usize::from(p.operation)].operation {
            SimOperation::Load { to, integer, .. } => {
                let data = self.cell(state, from, p.location).data;
                state.registers[self.first[t] + usize::from(*to)] =
                    code.loaded(usize::from(p.location), *integer, data);
                if from != own {
                    state.cells[at] = LocationCopy { data, flags: BORROWED };
                }
            }
            SimOperation::Store { integer, .. } => {
                let data = code.stored(usize::from(p.location), *integer, p.value);
                state.cells[at] = LocationCopy { data, flags: self.unshared(p.location) };
            }
            SimOperation::Modify { to, change, integer, .. } => {
                let location = usize::from(p.location);
                let old = code.loaded(location, *integer, state.cells[at].data);
                let computed = code.integer(location, *integer);
                let operand = code.loaded(location, computed, p.value);
                let new = match change {
                    SimChange::Apply(operator, _) => {
                        Some(operator.of(computed).apply(old, operand))
                    }
                    SimChange::Exchange(_) => Some(operand),
                    SimChange::CompareAndSwap(..) => (old == operand).then_some(p.replacement),
                };
                if let Some(data) = new.map(|new| code.stored(location, *integer, new)) {
                    for view in 0..self.cta.len() {
                        state.cells[view * locations + usize::from(p.location)] =
                            LocationCopy { data, flags: 0 };
                    }
                }
                if let Some(to) = to {
                    state.registers[self.first[t] + usize::from(*to)] = old;
                }
            }
            SimOperation::Fence(fence) => {
                for location in 0..locations as u8 {
                    self.share_at_fence(state, own, location, *fence);
                }
            }
            _ => {}
        }
    }

    /// The flags of a location that was just written.
    fn unshared(&self, location: u8) -> u8 {
        let shared = self.prepared.shared[usize::from(location)];
        match self.kind {
            // There is nobody else in the cta to share with.
            MachineModel::Strong if shared => 0,
            MachineModel::Strong => GLOBAL,
            MachineModel::Weak if shared => LOCAL,
            MachineModel::Weak => LOCAL | GLOBAL,
        }
    }

    /// "Share a completely unshared datum", "share a partially shared datum", "share a datum from
    /// shared memory".
    fn share(&self, state: &mut MachineState, view: u8, location: u8) {
        let LocationCopy { data, flags } = *self.cell(state, view, location);
        self.spread(state, view, location, data, flags & LOCAL != 0, flags & GLOBAL != 0);
        state.cells[usize::from(view) * self.locations() + usize::from(location)].flags &=
            !(LOCAL | GLOBAL);
    }

    /// `Merge_Shared` and `Merge_Global`, with what marks the location as merged afterwards.
    fn share_at_fence(&self, state: &mut MachineState, view: u8, location: u8, fence: SimFence) {
        let LocationCopy { data, flags } = *self.cell(state, view, location);
        let device = fence == SimFence::Device;
        self.spread(state, view, location, data, flags & LOCAL != 0, device && flags & GLOBAL != 0);
        let settled = if device { LOCAL | GLOBAL } else { LOCAL };
        state.cells[usize::from(view) * self.locations() + usize::from(location)].flags &= !settled;
    }

    /// Gives a value to the other views of the cta, to the views of other ctas, or to both.
    fn spread(
        &self,
        state: &mut MachineState,
        view: u8,
        location: u8,
        data: i64,
        within: bool,
        across: bool,
    ) {
        let locations = self.locations();
        for other in (0..self.cta.len()).filter(|&v| v != usize::from(view)) {
            let same = self.cta[other] == self.cta[usize::from(view)];
            if if same { within } else { across } {
                state.cells[other * locations + usize::from(location)] =
                    LocationCopy { data, flags: 0 };
            }
        }
    }

    /// Has every thread run to its end?
    pub(super) fn done(&self, state: &MachineState) -> bool {
        (0..state.pc.len()).all(|t| {
            state.length[t] == 0
                && usize::from(state.pc[t]) >= self.prepared.threads[t].operations.len()
        })
    }

    /// The outcome of a final state: when all is shared, every view is the same.
    pub(super) fn outcome(&self, state: &MachineState, out: &mut Vec<i64>) {
        out.clear();
        out.extend(self.sources.iter().map(|s| match s {
            ObservedPlace::Register(r) => state.registers[*r],
            ObservedPlace::Location(l) => state.cells[*l].data,
            ObservedPlace::Nothing => 0,
        }));
    }
}
