//! Threads, blocks and their schedule.

mod meeting;

use fastrand::Rng;
use margay_ptx::effect::{Computation, Meeting, Update, Window};
use margay_ptx::exchange::Exchange;
use margay_ptx::float::FloatFunction;
use margay_ptx::{Kind, Line, ScalarType};

use crate::address::{ArrayRoom, FRAME_WINDOWS, SHARED_WINDOWS, call_address, call_of};
use crate::code::{
    Call, DecodedFunction, DecodedStep, GuardedStep, LaneMask, MachineAccess, MachineProgram, NONE, SpecialRegister, StepOperand,
};
use crate::late_load::LateLoad;
use crate::launch::{Fault, FaultKind, Finished, LaunchSize, MAX_BYTES, Schedule};
use crate::memory::{self, GlobalMemory};
use crate::order::{MachineCell, Memories, MemoryOrdering, Ordering, Who};

/// A warp has so many threads.
const WARP: u32 = 32;

/// Barriers of a block.
const BARRIERS: usize = 16;

/// One turn in so many holds a thread up, for at most so many steps of the others: what is wrong shows when one is late.
const PAUSE_ONE_IN: u32 = 16;
const MOST_PAUSED: u64 = 600;

/// A thread that asks who is with it goes on at once this rarely: warps stay together more often than threads that are chosen one by one.
const ALONE_ONE_IN: u32 = 8;

/// Where a load that waits is needed, it is done one time in so many: else the thread stands still for a turn.
const DONE_ONE_IN: u32 = 4;

/// How many elements an access has at most.
pub(crate) const MOST_ELEMENTS: usize = 8;

/// How deep calls may be.
const MAX_DEPTH: usize = 256;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadStanding {
    Ready,
    AtBarrier(usize),
    AtWarpBarrier(u32),
    AtExchange,
    Ended,
}

/// Which lanes wait for each other: those of a mask that do the same in the same type (PTX ISA: with the same qualifiers and mask).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MeetingKey {
    exchange: Exchange,
    ty: ScalarType,
    mask: u32,
}

/// A call that is under way.
#[derive(Debug, Clone, Copy)]
struct CallFrame {
    code: u32,
    at: u32,
    registers: u32,
    memory: u32,
}

#[derive(Debug)]
pub(crate) struct ThreadState {
    code: u32,
    at: u32,
    /// The registers of all calls; those of the last one begin at `base`.
    registers: Vec<u64>,
    base: u32,
    /// Memory of all calls; that of the last one begins at `frame`.
    stack: Vec<u8>,
    frame: u32,
    calls: Vec<CallFrame>,
    /// Loads that were put off, in their order.
    late: Vec<LateLoad>,
    standing: ThreadStanding,
    /// Its number in its block.
    number: u32,
}

/// What a thread brings to the exchange where it stands.
#[derive(Debug, Clone, Copy)]
struct LaneOffer {
    key: MeetingKey,
    brought: [u64; 3],
}

/// A thread that is held up.
struct Pause {
    thread: usize,
    /// Until so many steps are done.
    until: u64,
}

/// A barrier of a block.
#[derive(Debug, Clone, Copy, Default)]
struct BarrierCount {
    arrived: u32,
    /// Of how many the predicate is true, where they bring some.
    is_true: Option<u32>,
    /// How many are expected, where that was said.
    expected: Option<u32>,
}

#[derive(Debug)]
struct BlockState {
    /// Its number in the grid.
    number: u32,
    barriers: [BarrierCount; BARRIERS],
    /// Threads that have not ended.
    alive: u32,
}

pub(crate) struct KernelMachine<'p, 'd, O> {
    program: &'p MachineProgram,
    launch: LaunchSize,
    memories: Memories<'d>,
    ordering: O,
    /// A block in each place.
    blocks: Vec<BlockState>,
    /// The threads of the block in place `b` begin at `b * threads of a block`.
    threads: Vec<ThreadState>,
    /// `[thread]`, for those that stand at an exchange.
    offers: Vec<Option<LaneOffer>>,
    ready: Vec<usize>,
    rng: Rng,
    steps: u64,
    /// The variables of shared memory, and what the launch gives.
    shared: Vec<ArrayRoom>,
    /// How many bytes the calls take that are under way in all threads.
    called_bytes: u64,
    /// What each byte of shared and local memory holds that nothing was written to: another one in each run.
    unwritten: u8,
}

/// How a turn ends.
enum Turn {
    /// Another thread may be chosen.
    Over,
    /// The thread waits, or has ended.
    Stands,
}

impl<'p, 'd, O: MemoryOrdering> KernelMachine<'p, 'd, O> {
    pub fn new(program: &'p MachineProgram, launch: LaunchSize, global: &'d mut GlobalMemory, ordering: O, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let unwritten = rng.u8(1..);
        Self {
            program,
            launch,
            memories: Memories { global, shared: Vec::new() },
            ordering,
            blocks: Vec::new(),
            threads: Vec::new(),
            offers: Vec::new(),
            ready: Vec::new(),
            rng,
            steps: 0,
            shared: Vec::new(),
            called_bytes: 0,
            unwritten,
        }
    }

    /// Runs the kernel to its end.
    pub fn run(mut self, kernel: usize, parameters: &[u8], schedule: &Schedule) -> Result<Finished, Fault> {
        let given = ArrayRoom { bytes: u64::from(self.launch.dynamic_shared), ..self.program.dynamic.clone() };
        self.shared = self.program.codes[kernel].shared.iter().cloned().chain([given]).collect();
        let blocks: u32 = self.launch.blocks.iter().product();
        let threads: u32 = self.launch.threads.iter().product();
        let places = blocks.min(schedule.places.max(1));
        for place in 0..places {
            self.begin(place as usize, place, kernel, parameters);
        }
        let mut next = places;
        let mut pause = Pause { thread: usize::MAX, until: 0 };
        while !self.ready.is_empty() {
            let mut chosen = self.rng.usize(..self.ready.len());
            if self.ready[chosen] == pause.thread && self.steps < pause.until {
                chosen = self.rng.usize(..self.ready.len());
            }
            let t = self.ready[chosen];
            if self.steps >= pause.until && self.rng.u32(..PAUSE_ONE_IN) == 0 {
                pause = Pause { thread: t, until: self.steps + self.rng.u64(..MOST_PAUSED) };
            }
            let place = t / threads as usize;
            let who = Who { thread: t, block: place };
            self.ordering.settle_some(&mut self.memories, who);
            let turn = self.rng.u64(1..=O::TURN);
            match self.turn(who, turn)? {
                Turn::Over => {}
                Turn::Stands => {
                    self.ready.swap_remove(chosen);
                    if self.blocks[place].alive == 0 {
                        if next < blocks {
                            self.ordering.settle(&mut self.memories, place);
                            self.begin(place, next, kernel, parameters);
                            next += 1;
                        }
                    } else if self.threads[t].standing == ThreadStanding::Ended {
                        self.meet_all(place);
                    }
                }
            }
            if self.steps >= schedule.steps {
                let why = FaultKind::NoEnd(schedule.steps);
                return Err(self.fault(t, why));
            }
        }
        match self.threads.iter().position(|t| t.standing != ThreadStanding::Ended) {
            Some(waiting) => Err(self.fault(waiting, FaultKind::BarrierNeverMet)),
            None => {
                (0..self.blocks.len()).for_each(|place| self.ordering.settle(&mut self.memories, place));
                Ok(Finished { steps: self.steps })
            }
        }
    }

    fn begin(&mut self, place: usize, number: u32, kernel: usize, parameters: &[u8]) {
        let threads: u32 = self.launch.threads.iter().product();
        let first = place * threads as usize;
        let block = BlockState { number, barriers: [BarrierCount::default(); BARRIERS], alive: threads };
        let shared = vec![self.unwritten; (self.program.dynamic.start + u64::from(self.launch.dynamic_shared)) as usize];
        match self.blocks.get_mut(place) {
            Some(before) => {
                *before = block;
                self.memories.shared[place] = shared;
            }
            None => {
                self.blocks.push(block);
                self.memories.shared.push(shared);
            }
        }
        self.ordering.begin(place, first, threads as usize);
        let code = &self.program.codes[kernel];
        for n in 0..threads {
            let mut stack = vec![self.unwritten; code.variables.bytes as usize];
            stack[..parameters.len()].copy_from_slice(parameters);
            let thread = ThreadState {
                code: kernel as u32,
                at: 0,
                registers: vec![0; code.registers as usize],
                base: 0,
                stack,
                frame: 0,
                calls: Vec::new(),
                late: Vec::new(),
                standing: ThreadStanding::Ready,
                number: n,
            };
            let t = first + n as usize;
            match self.threads.get_mut(t) {
                Some(before) => *before = thread,
                None => self.threads.push(thread),
            }
            self.ready.push(t);
        }
    }

    /// The indices of a number in three dimensions.
    fn position(number: u32, sizes: [u32; 3]) -> [u32; 3] {
        [number % sizes[0], number / sizes[0] % sizes[1], number / sizes[0] / sizes[1]]
    }

    fn fault(&self, t: usize, kind: FaultKind) -> Fault {
        let threads: u32 = self.launch.threads.iter().product();
        let thread = &self.threads[t];
        let code = &self.program.codes[thread.code as usize];
        let (line, at): (Option<Line>, usize) = code.places.get(thread.at as usize).copied().unwrap_or((None, 0));
        Fault {
            kind,
            function: code.name.clone(),
            line,
            at,
            block: Self::position(self.blocks[t / threads as usize].number, self.launch.blocks),
            thread: Self::position(thread.number, self.launch.threads),
        }
    }

    fn special(&self, who: Who, special: SpecialRegister) -> u64 {
        let number = self.threads[who.thread].number;
        let lane = number % WARP;
        u64::from(match special {
            SpecialRegister::Thread(d) => Self::position(number, self.launch.threads)[usize::from(d)],
            SpecialRegister::Threads(d) => self.launch.threads[usize::from(d)],
            SpecialRegister::Block(d) => Self::position(self.blocks[who.block].number, self.launch.blocks)[usize::from(d)],
            SpecialRegister::Blocks(d) => self.launch.blocks[usize::from(d)],
            SpecialRegister::Lane => lane,
            SpecialRegister::Warp => number / WARP,
            SpecialRegister::Lanes(LaneMask::Equal) => 1 << lane,
            SpecialRegister::Lanes(LaneMask::Less) => (1 << lane) - 1,
            SpecialRegister::Lanes(LaneMask::LessOrEqual) => ((2u64 << lane) - 1) as u32,
            SpecialRegister::Lanes(LaneMask::Greater) => !((2u64 << lane) - 1) as u32,
            SpecialRegister::Lanes(LaneMask::GreaterOrEqual) => !((1 << lane) - 1),
            SpecialRegister::Clock => return self.steps,
            SpecialRegister::SharedSize => self.launch.dynamic_shared,
        })
    }

    #[inline]
    fn value(&self, who: Who, source: StepOperand) -> u64 {
        let thread = &self.threads[who.thread];
        match source {
            StepOperand::Register(r) => thread.registers[(thread.base + r) as usize],
            StepOperand::Constant(n) => n,
            StepOperand::Not(r) => thread.registers[(thread.base + r) as usize] & 1 ^ 1,
            StepOperand::Frame(address) => call_address(thread.calls.len()).wrapping_add(address),
            StepOperand::Special(special) => self.special(who, special),
        }
    }

    #[inline]
    fn set(&mut self, who: Who, to: u32, value: u64) {
        if to != NONE {
            let thread = &mut self.threads[who.thread];
            let at = (thread.base + to) as usize;
            thread.registers[at] = value;
        }
    }

    /// A thread goes on for so many steps, or until it stands.
    fn turn(&mut self, who: Who, steps: u64) -> Result<Turn, Fault> {
        let program = self.program;
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if O::PUTS_OFF && !self.threads[who.thread].late.is_empty() {
                let at = self.threads[who.thread].at;
                if self.threads[who.thread].late.iter().any(|late| late.until <= at) && self.rng.u32(..DONE_ONE_IN) != 0 {
                    return Ok(Turn::Over);
                }
                self.load_late(who, |late| late.until <= at);
            }
            self.steps += 1;
            let thread = &mut self.threads[who.thread];
            let code = &program.codes[thread.code as usize];
            let Some(GuardedStep { guard, negated, step }) = code.steps.get(thread.at as usize) else {
                // The end of a function is a return.
                if self.leave_call(who) {
                    continue;
                }
                return Ok(self.end(who));
            };
            if *guard != NONE && (thread.registers[(thread.base + guard) as usize] & 1 == 1) == *negated {
                thread.at += 1;
                continue;
            }
            match step {
                DecodedStep::Jump(to) => {
                    thread.at = *to;
                    continue;
                }
                DecodedStep::Move(to, a) => {
                    let v = self.value(who, *a);
                    self.set(who, *to, v);
                }
                DecodedStep::Add32(to, a, b) => {
                    let v = (self.value(who, *a) as u32).wrapping_add(self.value(who, *b) as u32);
                    self.set(who, *to, u64::from(v));
                }
                DecodedStep::Add64(to, a, b) => {
                    let v = self.value(who, *a).wrapping_add(self.value(who, *b));
                    self.set(who, *to, v);
                }
                DecodedStep::MultiplyAdd32(to, a, b, c) => {
                    let product = (self.value(who, *a) as u32).wrapping_mul(self.value(who, *b) as u32);
                    let v = product.wrapping_add(self.value(who, *c) as u32);
                    self.set(who, *to, u64::from(v));
                }
                DecodedStep::Compare(relation, ty, to, a, b) => {
                    let operands = [self.value(who, *a), self.value(who, *b)];
                    let v = Computation::Compare(*relation).value(*ty, &operands).unwrap_or(0);
                    self.set(who, *to, v);
                }
                DecodedStep::Compute(function, ty, to, sources, count) => {
                    let mut operands = [0; 4];
                    for (o, s) in operands.iter_mut().zip(&sources[..usize::from(*count)]) {
                        *o = self.value(who, *s);
                    }
                    // What the ISA leaves open, as a quotient by zero, is all ones here, as on GPUs.
                    let v = function.value(*ty, &operands[..usize::from(*count)]).unwrap_or(ty.cut(u64::MAX));
                    self.set(who, *to, v);
                }
                DecodedStep::SetPredicate(set) => {
                    let operands = set.operands.map(|s| self.value(who, s));
                    let v = Computation::Compare(set.relation).value(set.ty, &operands).unwrap_or(0);
                    self.predicates(who, v, set.to, set.with);
                }
                DecodedStep::Float(function, ty, to, sources, count) => {
                    let operands = sources.map(|s| self.value(who, s));
                    let Some(v) = function.value(*ty, &operands[..usize::from(*count)]) else {
                        return Err(self.fault(who.thread, FaultKind::Unknown("floating-point arithmetic of this kind".into())));
                    };
                    self.set(who, *to, v);
                }
                DecodedStep::FloatPredicate(set) => {
                    let operands = set.operands.map(|s| self.value(who, s));
                    let v = set.function.value(set.ty, &operands).unwrap_or(0);
                    self.predicates(who, v, set.to, set.with);
                }
                DecodedStep::Pack(to, parts, width) => {
                    let part = ScalarType { kind: Kind::Unsigned, bits: *width };
                    let all = parts.iter().enumerate().map(|(n, s)| part.cut(self.value(who, *s)) << (usize::from(*width) * n));
                    let v = all.fold(0, |all, part| all | part);
                    self.set(who, *to, v);
                }
                DecodedStep::Unpack(parts, from, width) => {
                    let part = ScalarType { kind: Kind::Unsigned, bits: *width };
                    let v = self.value(who, *from);
                    for (n, to) in parts.iter().enumerate() {
                        self.set(who, *to, part.cut(v >> (usize::from(*width) * n)));
                    }
                }
                DecodedStep::IsSpace(window, to, address) => {
                    let is = match self.value(who, *address) >> 56 {
                        0 => *window == Window::Global,
                        1 => *window == Window::Shared,
                        _ => matches!(window, Window::Local | Window::Parameter),
                    };
                    self.set(who, *to, u64::from(is));
                }
                // A null pointer stays one.
                DecodedStep::ToGeneric(by, to, address) => {
                    let v = self.value(who, *address);
                    self.set(who, *to, v + by);
                }
                DecodedStep::FromGeneric(by, to, address) => {
                    let v = self.value(who, *address);
                    self.set(who, *to, v.wrapping_sub(*by));
                }
                DecodedStep::Load(access, to, until) => self.load(who, access, to, *until)?,
                DecodedStep::Store(access, values) => self.store(who, access, values)?,
                DecodedStep::Modify(access, update, to, operands, count) => {
                    self.modify(who, access, *update, *to, &operands[..usize::from(*count)])?
                }
                DecodedStep::Fence(order, scope) => {
                    self.ordering.fence(&mut self.memories, who, Ordering { order: *order, scope: *scope });
                }
                DecodedStep::Barrier(meeting, barrier, count) => {
                    let number = self.barrier(who, *barrier)?;
                    let count = count.map(|c| self.value(who, c) as u32);
                    if self.arrive(who, number, count, *meeting != Meeting::Arrive, None) {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::BarrierReduce(at) => {
                    let number = self.barrier(who, at.barrier)?;
                    let count = at.count.map(|c| self.value(who, c) as u32);
                    let is_true = self.value(who, at.predicate) as u32 & 1;
                    if self.arrive(who, number, count, true, Some(is_true)) {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::WarpBarrier(mask) => {
                    let mask = self.mask(who, *mask)?;
                    self.threads[who.thread].at += 1;
                    self.ordering.arrive(&mut self.memories, who);
                    self.threads[who.thread].standing = ThreadStanding::AtWarpBarrier(mask);
                    self.meet_warp(who.thread, mask);
                    if self.threads[who.thread].standing != ThreadStanding::Ready {
                        return Ok(Turn::Stands);
                    }
                    // It was put among those that are ready, where it is already.
                    self.take_out_of_ready(who.thread);
                    continue;
                }
                DecodedStep::Exchange(exchange) => {
                    let mask = self.mask(who, exchange.mask)?;
                    let brought = exchange.operands.map(|s| self.value(who, s));
                    let key = MeetingKey { exchange: exchange.exchange, ty: exchange.ty, mask };
                    if self.offers.len() < self.threads.len() {
                        self.offers.resize(self.threads.len(), None);
                    }
                    self.offers[who.thread] = Some(LaneOffer { key, brought });
                    self.threads[who.thread].standing = ThreadStanding::AtExchange;
                    self.meet_exchange(who.thread);
                    if self.threads[who.thread].standing != ThreadStanding::Ready {
                        return Ok(Turn::Stands);
                    }
                    self.take_out_of_ready(who.thread);
                    continue;
                }
                DecodedStep::ActiveMask(_) => {
                    if self.rng.u32(..ALONE_ONE_IN) != 0 {
                        return Ok(Turn::Over);
                    }
                    self.go_together(who.thread);
                    continue;
                }
                DecodedStep::Call(call) => {
                    if !self.call(who, call) {
                        return Err(
                            self.fault(who.thread, FaultKind::Unknown("calls that are too deep, or take too much memory".into()))
                        );
                    }
                    continue;
                }
                DecodedStep::Print(results) => {
                    let thread = &mut self.threads[who.thread];
                    for (at, bytes) in results {
                        memory::write(&mut thread.stack, (thread.frame + at) as usize, *bytes as usize, 0);
                    }
                }
                DecodedStep::Return => {
                    if self.leave_call(who) {
                        continue;
                    }
                    return Ok(self.end(who));
                }
                DecodedStep::Exit => return Ok(self.end(who)),
                DecodedStep::Trap(what) => return Err(self.fault(who.thread, FaultKind::Trap(what))),
                DecodedStep::Nothing => {}
                DecodedStep::Unknown(why) => return Err(self.fault(who.thread, FaultKind::Unknown(why.clone()))),
            }
            self.threads[who.thread].at += 1;
        }
        Ok(Turn::Over)
    }

    fn predicates(&mut self, who: Who, value: u64, to: [u32; 2], with: Option<(Computation, StepOperand)>) {
        let predicate = ScalarType { kind: Kind::Predicate, bits: 1 };
        let with = with.map(|(function, source)| (function, self.value(who, source)));
        for (to, value) in to.into_iter().zip([value, value ^ 1]) {
            let value = with.map_or(value, |(function, with)| function.value(predicate, &[value, with]).unwrap_or(0));
            self.set(who, to, value);
        }
    }

    /// Where an access goes.
    #[inline]
    fn place(&self, who: Who, access: &MachineAccess, address: u64, bytes: u64) -> Result<Result<MachineCell, usize>, Fault> {
        let fault = |kind| Err(self.fault(who.thread, kind));
        if !address.is_multiple_of(bytes) {
            return fault(FaultKind::Misaligned(address));
        }
        let window = match (access.window, address >> 56) {
            (Window::Generic, 0) => Window::Global,
            (Window::Generic, 1) => Window::Shared,
            (Window::Generic, _) => Window::Local,
            (window, _) => window,
        };
        let outside = |near: Option<String>| fault(FaultKind::Outside { address, near });
        match window {
            Window::Shared => match SHARED_WINDOWS.place(&self.shared, address, bytes) {
                Some(at) => Ok(Ok(MachineCell::Shared(at))),
                None => outside(SHARED_WINDOWS.nearest(&self.shared, address)),
            },
            Window::Local | Window::Parameter => {
                let Some((frame, code)) = self.frame(who, address) else { return outside(None) };
                match FRAME_WINDOWS.place(&code.variables.rooms, address, bytes) {
                    Some(at) => Ok(Err(frame as usize + at)),
                    None => outside(FRAME_WINDOWS.nearest(&code.variables.rooms, address)),
                }
            }
            _ => match self.memories.global.place(address, bytes) {
                Some(at) => Ok(Ok(MachineCell::Global(at))),
                None => outside(self.memories.global.nearest(address)),
            },
        }
    }

    /// The call whose memory an address is in, if it has not ended: where its memory begins, and its function.
    #[inline]
    fn frame(&self, who: Who, address: u64) -> Option<(u32, &'p DecodedFunction)> {
        let thread = &self.threads[who.thread];
        let depth = call_of(address);
        let (frame, code) = match thread.calls.get(depth) {
            Some(call) => (call.memory, call.code),
            None if depth == thread.calls.len() => (thread.frame, thread.code),
            None => return None,
        };
        Some((frame, &self.program.codes[code as usize]))
    }

    #[inline]
    fn load(&mut self, who: Who, access: &MachineAccess, to: &[u32], until: u32) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize * to.len();
        match self.place(who, access, address, bytes as u64)? {
            Ok(cell) => {
                if O::PUTS_OFF {
                    self.load_late_before(who, cell, bytes, O::passes_loads(&self.ordering));
                    let at = self.threads[who.thread].at;
                    if until > at + 1 && self.ordering.puts_off() {
                        self.threads[who.thread].late.push(LateLoad { at, until, cell, bytes });
                        return Ok(());
                    }
                }
                self.load_shared(who, access, to, cell);
            }
            Err(at) => {
                let bytes = access.bytes() as usize;
                for (n, &register) in to.iter().enumerate() {
                    let value = memory::read(&self.threads[who.thread].stack, at + n * bytes, bytes);
                    self.set(who, register, access.widened(value));
                }
            }
        }
        Ok(())
    }

    /// Loads from memory that threads share.
    #[inline]
    fn load_shared(&mut self, who: Who, access: &MachineAccess, to: &[u32], cell: MachineCell) {
        let bytes = access.bytes() as usize;
        let ordering = Ordering { order: access.order, scope: access.scope };
        for (n, &register) in to.iter().enumerate() {
            let value = self.ordering.load(&mut self.memories, who, cell.behind(n * bytes), bytes, ordering);
            self.set(who, register, access.widened(value));
        }
    }

    /// Does the loads of a thread that were put off and must be done now.
    #[cold]
    fn load_late(&mut self, who: Who, must: impl Fn(&LateLoad) -> bool) {
        let program = self.program;
        let late = std::mem::take(&mut self.threads[who.thread].late);
        let (now, later): (Vec<LateLoad>, Vec<LateLoad>) = late.into_iter().partition(must);
        self.threads[who.thread].late = later;
        let steps = &program.codes[self.threads[who.thread].code as usize].steps;
        for load in now {
            if let DecodedStep::Load(access, to, _) = &steps[load.at as usize].step {
                self.load_shared(who, access, to, load.cell);
            }
        }
    }

    /// Before an access: loads of the same bytes that were put off, and others if they do not wait for it.
    #[inline]
    fn load_late_before(&mut self, who: Who, cell: MachineCell, bytes: usize, others_wait: bool) {
        if O::PUTS_OFF && !self.threads[who.thread].late.is_empty() {
            self.load_late(who, |late| !others_wait || late.overlaps(cell, bytes));
        }
    }

    #[inline]
    fn store(&mut self, who: Who, access: &MachineAccess, values: &[StepOperand]) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize;
        let ordering = Ordering { order: access.order, scope: access.scope };
        let place = self.place(who, access, address, (bytes * values.len()) as u64)?;
        if let Ok(cell) = place {
            self.load_late_before(who, cell, bytes * values.len(), true);
        }
        let mut elements = [0; MOST_ELEMENTS];
        for (element, &source) in elements.iter_mut().zip(values) {
            *element = access.ty.cut(self.value(who, source));
        }
        let elements = &elements[..values.len().min(MOST_ELEMENTS)];
        match place {
            Ok(cell) => self.ordering.store(&mut self.memories, who, cell, bytes, elements, ordering),
            Err(at) => {
                for (n, &value) in elements.iter().enumerate() {
                    memory::write(&mut self.threads[who.thread].stack, at + n * bytes, bytes, value);
                }
            }
        }
        Ok(())
    }

    fn modify(
        &mut self,
        who: Who,
        access: &MachineAccess,
        update: Update,
        to: u32,
        operands: &[StepOperand],
    ) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize;
        let mut values = [0; 2];
        for (v, s) in values.iter_mut().zip(operands) {
            *v = self.value(who, *s);
        }
        let values = &values[..operands.len()];
        let ty = access.ty;
        let mut new = |old: u64| {
            if update == Update::CompareAndSwap && ty.cut(values[0]) != ty.cut(old) {
                return None;
            }
            let value = match (ty.kind, update) {
                (Kind::Float, Update::Add) => FloatFunction::Add.value(ty, &[old, values[0]]),
                (Kind::Float, Update::Min) => FloatFunction::Min.value(ty, &[old, values[0]]),
                (Kind::Float, Update::Max) => FloatFunction::Max.value(ty, &[old, values[0]]),
                _ => update.value(ty, old, values),
            };
            Some(value.unwrap_or(old))
        };
        let old = match self.place(who, access, address, bytes as u64)? {
            Ok(cell) => {
                self.load_late_before(who, cell, bytes, true);
                let ordering = Ordering { order: access.order, scope: access.scope };
                self.ordering.modify(&mut self.memories, who, cell, bytes, ordering, &mut new)
            }
            Err(at) => {
                let stack = &mut self.threads[who.thread].stack;
                let old = memory::read(stack, at, bytes);
                if let Some(new) = new(old) {
                    memory::write(stack, at, bytes, new);
                }
                old
            }
        };
        self.set(who, to, old);
        Ok(())
    }

    fn end(&mut self, who: Who) -> Turn {
        let program = self.program;
        let thread = &mut self.threads[who.thread];
        if !thread.calls.is_empty() {
            let around = thread.calls.iter().skip(1).map(|call| call.code).chain([thread.code]);
            self.called_bytes -= around.map(|code| program.codes[code as usize].bytes()).sum::<u64>();
        }
        thread.standing = ThreadStanding::Ended;
        thread.registers = Vec::new();
        thread.stack = Vec::new();
        self.blocks[who.block].alive -= 1;
        Turn::Stands
    }

    fn call(&mut self, who: Who, call: &Call) -> bool {
        let callee = &self.program.codes[call.function as usize];
        let values: Vec<(u64, u32, u32)> = call.values_in.iter().map(|&(s, at, bytes)| (self.value(who, s), at, bytes)).collect();
        let registers: Vec<(u64, u32)> = call.registers_in.iter().map(|&(s, to)| (self.value(who, s), to)).collect();
        let thread = &mut self.threads[who.thread];
        self.called_bytes += callee.bytes();
        if thread.calls.len() >= MAX_DEPTH || self.called_bytes > MAX_BYTES {
            return false;
        }
        thread.calls.push(CallFrame { code: thread.code, at: thread.at, registers: thread.base, memory: thread.frame });
        let (base, frame) = (thread.registers.len() as u32, thread.stack.len() as u32);
        thread.registers.resize(base as usize + callee.registers as usize, 0);
        thread.stack.resize(frame as usize + callee.variables.bytes as usize, self.unwritten);
        for &(from, to, bytes) in &call.bytes_in {
            let from = (thread.frame + from) as usize;
            thread.stack.copy_within(from..from + bytes as usize, (frame + to) as usize);
        }
        for (value, at, bytes) in values {
            memory::write(&mut thread.stack, (frame + at) as usize, bytes as usize, value);
        }
        for (value, to) in registers {
            thread.registers[(base + to) as usize] = value;
        }
        (thread.code, thread.at, thread.base, thread.frame) = (call.function, 0, base, frame);
        true
    }

    /// Back to the caller; `false` at the end of the kernel.
    fn leave_call(&mut self, who: Who) -> bool {
        let program = self.program;
        let thread = &mut self.threads[who.thread];
        let Some(back) = thread.calls.pop() else { return false };
        if let DecodedStep::Call(call) = &program.codes[back.code as usize].steps[back.at as usize].step {
            for &(from, to, bytes) in &call.bytes_out {
                let from = (thread.frame + from) as usize;
                thread.stack.copy_within(from..from + bytes as usize, (back.memory + to) as usize);
            }
            for &(from, to) in &call.registers_out {
                thread.registers[(back.registers + to) as usize] = thread.registers[(thread.base + from) as usize];
            }
        }
        self.called_bytes -= program.codes[thread.code as usize].bytes();
        thread.registers.truncate(thread.base as usize);
        thread.stack.truncate(thread.frame as usize);
        (thread.code, thread.at, thread.base, thread.frame) = (back.code, back.at + 1, back.registers, back.memory);
        true
    }
}
