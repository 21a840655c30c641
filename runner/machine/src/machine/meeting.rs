//! Where threads wait for each other: barriers of a block, and the lanes of a warp that meet.

use margay_ptx::effect::Meeting;
use margay_ptx::exchange::Exchange;

use super::{BARRIERS, KernelMachine, LaneOffer, MeetingKey, ThreadStanding, WARP};
use crate::code::{
    BarrierReduction, DecodedExchange, DecodedStep, GuardedStep, MeetingStep, NONE,
    PredicateReduction, StepOperand,
};
use crate::fault::{Fault, FaultKind};
use crate::order::{MemoryOrdering, Who};

impl<O: MemoryOrdering> KernelMachine<'_, '_, O> {
    /// The number of a barrier.
    fn barrier(&self, who: Who, barrier: StepOperand) -> Result<usize, Fault> {
        match self.value(who, barrier) as usize {
            number if number < BARRIERS => Ok(number),
            _ => {
                Err(self
                    .fault(who.thread, FaultKind::Unknown("a barrier beyond the sixteenth".into())))
            }
        }
    }

    /// A thread comes to where it waits for others; says whether it stands there.
    pub(super) fn come_to(&mut self, who: Who, meeting: &MeetingStep) -> Result<bool, Fault> {
        match meeting {
            MeetingStep::Barrier(meeting, barrier, count) => {
                self.come_to_barrier(who, *meeting, *barrier, *count)
            }
            MeetingStep::BarrierReduce(reduction) => self.come_to_reduction(who, reduction),
            MeetingStep::WarpBarrier(mask) => self.come_to_warp_barrier(who, *mask),
            MeetingStep::Exchange(exchange) => self.come_to_exchange(who, exchange),
        }
    }

    /// A thread comes to a barrier of its block; says whether it stands there.
    fn come_to_barrier(
        &mut self,
        who: Who,
        meeting: Meeting,
        barrier: StepOperand,
        count: Option<StepOperand>,
    ) -> Result<bool, Fault> {
        let number = self.barrier(who, barrier)?;
        let count = count.map(|c| self.value(who, c) as u32);
        Ok(self.arrive(who, number, count, meeting != Meeting::Arrive, None))
    }

    /// A thread comes to a barrier with a predicate; says whether it stands there.
    fn come_to_reduction(&mut self, who: Who, reduction: &BarrierReduction) -> Result<bool, Fault> {
        let number = self.barrier(who, reduction.barrier)?;
        let count = reduction.count.map(|c| self.value(who, c) as u32);
        let is_true = self.value(who, reduction.predicate) as u32 & 1;
        Ok(self.arrive(who, number, count, true, Some(is_true)))
    }

    /// A thread comes to a barrier of its warp; says whether it stands there.
    fn come_to_warp_barrier(&mut self, who: Who, mask: StepOperand) -> Result<bool, Fault> {
        let mask = self.mask(who, mask)?;
        self.threads[who.thread].at += 1;
        self.ordering.arrive(&mut self.memories, who);
        self.threads[who.thread].standing = ThreadStanding::AtWarpBarrier(mask);
        self.meet_warp(who.thread, mask);
        Ok(self.stands(who))
    }

    /// A thread comes to where lanes exchange values; says whether it stands there.
    fn come_to_exchange(&mut self, who: Who, exchange: &DecodedExchange) -> Result<bool, Fault> {
        let mask = self.mask(who, exchange.mask)?;
        let brought = exchange.operands.map(|s| self.value(who, s));
        let key = MeetingKey { exchange: exchange.exchange, ty: exchange.ty, mask };
        if self.offers.len() < self.threads.len() {
            self.offers.resize(self.threads.len(), None);
        }
        self.offers[who.thread] = Some(LaneOffer { key, brought });
        self.threads[who.thread].standing = ThreadStanding::AtExchange;
        self.meet_exchange(who.thread);
        Ok(self.stands(who))
    }

    /// Does a thread stand that waited? One that goes on at once was put among those that are
    /// ready, where it is already.
    fn stands(&mut self, who: Who) -> bool {
        let stands = self.threads[who.thread].standing != ThreadStanding::Ready;
        if !stands {
            self.take_out_of_ready(who.thread);
        }
        stands
    }

    /// A thread arrives at a barrier, with a predicate or without; says whether it stands there.
    fn arrive(
        &mut self,
        who: Who,
        number: usize,
        count: Option<u32>,
        waits: bool,
        is_true: Option<u32>,
    ) -> bool {
        self.threads[who.thread].at += 1;
        self.ordering.arrive(&mut self.memories, who);
        let barrier = &mut self.blocks[who.block].barriers[number];
        barrier.arrived += 1;
        if let Some(is_true) = is_true {
            barrier.is_true = Some(barrier.is_true.unwrap_or(0) + is_true);
        }
        barrier.expected = count;
        if waits {
            self.threads[who.thread].standing = ThreadStanding::AtBarrier(number);
        }
        self.meet(who.block, number);
        waits && self.stands(who)
    }

    /// Takes out the entry of a thread that was put among those that are ready, behind one that is
    /// there already.
    fn take_out_of_ready(&mut self, thread: usize) {
        if let Some(last) = self.ready.iter().rposition(|&t| t == thread) {
            self.ready.swap_remove(last);
        }
    }

    /// Lets the threads of a barrier go, if all have come.
    fn meet(&mut self, place: usize, number: usize) {
        let threads = self.launch.threads.iter().product::<u32>() as usize;
        let block = &mut self.blocks[place];
        let barrier = &mut block.barriers[number];
        // Without a count all threads are meant that have not ended.
        let expected = barrier.expected.unwrap_or(block.alive);
        if barrier.arrived == 0 || barrier.arrived < expected {
            return;
        }
        let met = std::mem::take(barrier);
        let program = self.program;
        for t in place * threads..(place + 1) * threads {
            let thread = &self.threads[t];
            if thread.standing == ThreadStanding::AtBarrier(number) {
                let who = Who { thread: t, block: place };
                // It stands behind the barrier already.
                if let Some(is_true) = met.is_true
                    && let DecodedStep::Meet(MeetingStep::BarrierReduce(at)) =
                        &program.codes[thread.code as usize].steps[thread.at as usize - 1].step
                {
                    let value = match at.reduction {
                        PredicateReduction::All => u32::from(is_true == met.arrived),
                        PredicateReduction::Any => u32::from(is_true > 0),
                        PredicateReduction::Count => is_true,
                    };
                    self.set(who, at.to, u64::from(value));
                }
                self.threads[t].standing = ThreadStanding::Ready;
                self.ordering.leave(who);
                self.ready.push(t);
            }
        }
    }

    /// After a thread has ended: barriers may be complete without it.
    pub(super) fn meet_all(&mut self, place: usize) {
        for number in 0..BARRIERS {
            self.meet(place, number);
        }
        let threads = self.launch.threads.iter().product::<u32>() as usize;
        for t in place * threads..(place + 1) * threads {
            match self.threads[t].standing {
                ThreadStanding::AtWarpBarrier(mask) => self.meet_warp(t, mask),
                ThreadStanding::AtExchange => self.meet_exchange(t),
                _ => {}
            }
        }
    }

    /// The lanes that a thread meets, itself among them.
    fn mask(&self, who: Who, mask: StepOperand) -> Result<u32, Fault> {
        let mask = self.value(who, mask) as u32;
        match mask >> (self.threads[who.thread].number % WARP) & 1 {
            0 => Err(self.fault(who.thread, FaultKind::NotOfMask)),
            _ => Ok(mask),
        }
    }

    /// The first thread of a thread's warp, and how many lanes the warp has.
    pub(super) fn warp(&self, t: usize) -> (usize, usize) {
        let threads = self.launch.threads.iter().product::<u32>() as usize;
        let first = t - (self.threads[t].number % WARP) as usize;
        (first, (threads - first % threads).min(WARP as usize))
    }

    /// Lets the threads of a warp's barrier go, if all that the mask names have come or ended.
    fn meet_warp(&mut self, t: usize, mask: u32) {
        let place = t / self.launch.threads.iter().product::<u32>() as usize;
        let (first, lanes) = self.warp(t);
        let named = |n: &usize| mask >> n & 1 == 1;
        let is_there = |n: usize| {
            matches!(self.threads[first + n].standing, ThreadStanding::Ended)
                || self.threads[first + n].standing == ThreadStanding::AtWarpBarrier(mask)
        };
        if !(0..lanes).filter(named).all(is_there) {
            return;
        }
        for n in (0..lanes).filter(named) {
            if self.threads[first + n].standing == ThreadStanding::AtWarpBarrier(mask) {
                self.threads[first + n].standing = ThreadStanding::Ready;
                self.ordering.leave(Who { thread: first + n, block: place });
                self.ready.push(first + n);
            }
        }
    }

    /// Lets the lanes of an exchange go with what each gets, if all that the mask names have come
    /// or ended. Memory is not ordered by it.
    fn meet_exchange(&mut self, t: usize) {
        let offer = |t: usize| match self.threads[t].standing {
            ThreadStanding::AtExchange => self.offers[t],
            _ => None,
        };
        let Some(LaneOffer { key, .. }) = offer(t) else { return };
        let (first, lanes) = self.warp(t);
        let mut all: Vec<(u32, u64)> = Vec::with_capacity(lanes);
        for n in (0..lanes).filter(|n| key.mask >> n & 1 == 1) {
            match offer(first + n) {
                Some(other) if other.key == key => {
                    all.push((n as u32, key.ty.cut(other.brought[0])))
                }
                _ if self.threads[first + n].standing == ThreadStanding::Ended => {}
                _ => return,
            }
        }
        let place = t / self.launch.threads.iter().product::<u32>() as usize;
        let lanes: Vec<Who> = all
            .iter()
            .map(|&(lane, _)| Who { thread: first + lane as usize, block: place })
            .collect();
        self.ordering.exchange(&lanes);
        if O::PUTS_OFF && !self.ordering.passes_loads() {
            let of_lane = |who: &Who| {
                u32::from(!self.threads[who.thread].late.is_empty()) << (who.thread - first)
            };
            let met =
                lanes.iter().fold(0, |met, who| met | self.threads[who.thread].met | of_lane(who));
            lanes.iter().for_each(|who| self.threads[who.thread].met = met);
        }
        let program = self.program;
        for &(lane, _) in &all {
            let who = Who { thread: first + lane as usize, block: place };
            let thread = &self.threads[who.thread];
            let step = &program.codes[thread.code as usize].steps[thread.at as usize].step;
            let (DecodedStep::Meet(MeetingStep::Exchange(exchange)), Some(offer)) =
                (step, self.offers[who.thread])
            else {
                continue;
            };
            let [value, beside] = self.exchanged(exchange, lane, &all, offer.brought);
            self.set(who, exchange.to[0], value);
            self.set(who, exchange.to[1], beside);
            let thread = &mut self.threads[who.thread];
            thread.at += 1;
            thread.standing = ThreadStanding::Ready;
            self.ready.push(who.thread);
        }
    }

    /// What a lane gets, and the predicate beside it.
    fn exchanged(
        &self,
        exchange: &DecodedExchange,
        lane: u32,
        all: &[(u32, u64)],
        brought: [u64; 3],
    ) -> [u64; 2] {
        match exchange.exchange {
            Exchange::Shuffle(mode) => {
                let (source, is_inside) = mode.source(lane, brought[1] as u32, brought[2] as u32);
                // What a lane brings that takes no part, the ISA leaves open.
                let value = all
                    .iter()
                    .find(|(l, _)| *l == source)
                    .map_or(exchange.ty.cut(u64::MAX), |(_, value)| *value);
                [value, u64::from(is_inside)]
            }
            other => other.value(exchange.ty, lane, all).unwrap_or([exchange.ty.cut(u64::MAX), 0]),
        }
    }

    /// Threads of a warp that are at the same instruction go on together, and each gets the mask of
    /// them.
    pub(super) fn go_together(&mut self, t: usize) {
        let place = t / self.launch.threads.iter().product::<u32>() as usize;
        let program = self.program;
        let (code, at, depth) =
            (self.threads[t].code, self.threads[t].at, self.threads[t].calls.len());
        let GuardedStep { guard, negated, step: DecodedStep::ActiveMask(to) } =
            &program.codes[code as usize].steps[at as usize]
        else {
            return;
        };
        let (first, lanes) = self.warp(t);
        let is_here = |t: usize| {
            let thread = &self.threads[t];
            let is_taken = || *guard == NONE || (self.register(t, *guard) & 1 == 1) != *negated;
            // What it has put off would overwrite the mask, if it is for the same register.
            thread.standing == ThreadStanding::Ready
                && thread.late.is_empty()
                && (thread.code, thread.at, thread.calls.len()) == (code, at, depth)
                && is_taken()
        };
        let here: Vec<usize> = (0..lanes).filter(|n| is_here(first + n)).collect();
        let mask = here.iter().fold(0, |bits, n| bits | 1 << n);
        for n in here {
            self.set(Who { thread: first + n, block: place }, *to, mask);
            self.threads[first + n].at += 1;
        }
    }
}
