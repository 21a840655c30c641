//! Threads, blocks and their schedule.

mod access;
mod call;
mod meeting;
mod step;
mod value;

use fastrand::Rng;
use margay_ptx::exchange::Exchange;
use margay_ptx::{ScalarType, SourceLine};

use crate::address::ArrayRoom;
use crate::code::MachineProgram;
use crate::fault::{Fault, FaultKind};
use crate::late_load::LateLoad;
use crate::memory::GlobalMemory;
use crate::order::{Memories, MemoryOrdering, Who};
use crate::schedule::{Finished, LaunchSize, Schedule, WARP};
use call::CallFrame;

/// Barriers of a block.
const BARRIERS: usize = 16;

/// One turn in so many holds a thread up, for at most so many steps of the others: what is wrong
/// shows when one is late.
const PAUSE_ONE_IN: u32 = 16;
const MOST_PAUSED: u64 = 600;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadStanding {
    Ready,
    AtBarrier(usize),
    AtWarpBarrier(u32),
    AtExchange,
    Ended,
}

/// Which lanes wait for each other: those of a mask that do the same in the same type (PTX ISA:
/// with the same qualifiers and mask).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MeetingKey {
    exchange: Exchange,
    ty: ScalarType,
    mask: u32,
}

#[derive(Debug)]
pub(crate) struct ThreadState {
    code: u32,
    at: u32,
    /// The registers of the functions that were called; those of the last one begin at `base`.
    /// Those of the kernel stand elsewhere.
    registers: Vec<u64>,
    base: u32,
    /// Memory of all calls; that of the last one begins at `frame`.
    stack: Vec<u8>,
    frame: u32,
    calls: Vec<CallFrame>,
    /// Loads that were put off, in their order.
    late: Vec<LateLoad>,
    /// Lanes of its warp that it has met: loads that these have put off go before its next one,
    /// where loads do not pass loads.
    met: u32,
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
    /// The registers that the kernel has in each thread, side by side: where they are is known
    /// before the thread is looked at, so that with thousands of threads a turn waits once for
    /// memory and not twice.
    kernel_registers: Vec<u64>,
    /// How many the kernel has in a thread.
    of_kernel: usize,
    /// `[thread]`, for those that stand at an exchange.
    offers: Vec<Option<LaneOffer>>,
    ready: Vec<usize>,
    rng: Rng,
    steps: u64,
    /// The variables of shared memory, and what the launch gives.
    shared: Vec<ArrayRoom>,
    /// How many bytes the calls take that are under way in all threads.
    called_bytes: u64,
    /// What each byte of shared and local memory holds that nothing was written to: another one in
    /// each run.
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
    pub fn new(
        program: &'p MachineProgram,
        launch: LaunchSize,
        global: &'d mut GlobalMemory,
        ordering: O,
        seed: u64,
    ) -> Self {
        let mut rng = Rng::with_seed(seed);
        let unwritten = rng.u8(1..);
        Self {
            program,
            launch,
            memories: Memories { global, shared: Vec::new() },
            ordering,
            blocks: Vec::new(),
            threads: Vec::new(),
            kernel_registers: Vec::new(),
            of_kernel: 0,
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
    pub fn run(
        mut self,
        kernel: usize,
        parameters: &[u8],
        schedule: &Schedule,
    ) -> Result<Finished, Fault> {
        let given = ArrayRoom {
            bytes: u64::from(self.launch.dynamic_shared),
            ..self.program.dynamic.clone()
        };
        self.shared = self.program.codes[kernel].shared.iter().cloned().chain([given]).collect();
        let blocks: u32 = self.launch.blocks.iter().product();
        let threads: u32 = self.launch.threads.iter().product();
        let places = blocks.min(schedule.places.max(1));
        self.of_kernel = self.program.codes[kernel].registers as usize;
        self.kernel_registers = vec![0; places as usize * threads as usize * self.of_kernel];
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
                (0..self.blocks.len())
                    .for_each(|place| self.ordering.settle(&mut self.memories, place));
                Ok(Finished { steps: self.steps })
            }
        }
    }

    fn begin(&mut self, place: usize, number: u32, kernel: usize, parameters: &[u8]) {
        let threads: u32 = self.launch.threads.iter().product();
        let first = place * threads as usize;
        let block =
            BlockState { number, barriers: [BarrierCount::default(); BARRIERS], alive: threads };
        let shared = vec![
            self.unwritten;
            (self.program.dynamic.start + u64::from(self.launch.dynamic_shared))
                as usize
        ];
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
        self.kernel_registers[first * self.of_kernel..(first + threads as usize) * self.of_kernel]
            .fill(0);
        for n in 0..threads {
            let mut stack = vec![self.unwritten; code.variables.bytes as usize];
            stack[..parameters.len()].copy_from_slice(parameters);
            let thread = ThreadState {
                code: kernel as u32,
                at: 0,
                registers: Vec::new(),
                base: 0,
                stack,
                frame: 0,
                calls: Vec::new(),
                late: Vec::new(),
                met: 0,
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

    /// A register of the function that a thread is in.
    #[inline]
    fn register(&self, thread: usize, register: u32) -> u64 {
        let state = &self.threads[thread];
        match state.calls.is_empty() {
            true => self.kernel_registers[thread * self.of_kernel + register as usize],
            false => state.registers[(state.base + register) as usize],
        }
    }

    #[inline]
    fn register_mut(&mut self, thread: usize, register: u32) -> &mut u64 {
        let state = &mut self.threads[thread];
        match state.calls.is_empty() {
            true => &mut self.kernel_registers[thread * self.of_kernel + register as usize],
            false => &mut state.registers[(state.base + register) as usize],
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
        let (line, at): (Option<SourceLine>, usize) =
            code.places.get(thread.at as usize).copied().unwrap_or((None, 0));
        Fault {
            kind,
            function: code.name.clone(),
            line,
            at,
            block: Self::position(self.blocks[t / threads as usize].number, self.launch.blocks),
            thread: Self::position(thread.number, self.launch.threads),
            steps: self.steps,
        }
    }

    fn end(&mut self, who: Who) -> Turn {
        let program = self.program;
        let thread = &mut self.threads[who.thread];
        if !thread.calls.is_empty() {
            let around = thread.calls.iter().skip(1).map(|call| call.code).chain([thread.code]);
            self.called_bytes -=
                around.map(|code| program.codes[code as usize].bytes()).sum::<u64>();
        }
        thread.standing = ThreadStanding::Ended;
        thread.registers = Vec::new();
        thread.stack = Vec::new();
        self.blocks[who.block].alive -= 1;
        Turn::Stands
    }
}
