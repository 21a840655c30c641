//! Where the registers of a function are: compilers give every value a register of its own, and
//! those that are never needed at the same time share a place here. So what a thread has stays
//! small, and thousands of threads stay in the caches.

use crate::code::{
    Call, CarryStep, DecodedFunction, DecodedStep, GuardedStep, MeetingStep, NONE, StepOperand,
    ValueStep,
};

/// In functions that have more registers, steps with sets of them, or ways through them than this
/// each register keeps its own place: what is needed when would take too long to find out.
const MOST_REGISTERS: usize = 4096;
const MOST_WORDS: usize = 1 << 21;
const MOST_PASSES: usize = 32;

/// A set of registers, one bit each.
#[derive(Clone, PartialEq, Eq)]
struct RegisterSet(Vec<u64>);

impl RegisterSet {
    fn of(registers: usize) -> Self {
        Self(vec![0; registers.div_ceil(64)])
    }

    fn insert(&mut self, register: u32) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: u32) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    fn add(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }

    fn first_absent(&self) -> u32 {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        full as u32 * 64 + self.0.get(full).map_or(0, |word| word.trailing_ones())
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(n, &word)| {
            let of_word =
                std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            of_word
                .take_while(|rest| *rest != 0)
                .map(move |rest| n as u32 * 64 + rest.trailing_zeros())
        })
    }
}

/// What a step does with a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegisterUse {
    Read,
    Written,
}

impl StepOperand {
    fn each_register(&mut self, f: &mut impl FnMut(&mut u32, RegisterUse)) {
        if let Self::Register(r) | Self::Not(r) = self {
            f(r, RegisterUse::Read);
        }
    }
}

/// What a step reads, and the registers that it writes.
type StepRegisters<'s> = (Vec<&'s mut StepOperand>, Vec<&'s mut u32>);

impl ValueStep {
    fn operands(&mut self) -> StepRegisters<'_> {
        match self {
            Self::Move(to, a)
            | Self::IsSpace(_, to, a)
            | Self::ToGeneric(_, to, a)
            | Self::FromGeneric(_, to, a) => (vec![a], vec![to]),
            Self::Add32(to, a, b) | Self::Add64(to, a, b) | Self::Compare(_, _, to, a, b) => {
                (vec![a, b], vec![to])
            }
            Self::MultiplyAdd32(to, a, b, c) => (vec![a, b, c], vec![to]),
            Self::Compute(_, _, to, sources, _) => (sources.iter_mut().collect(), vec![to]),
            Self::Float(_, _, to, sources, _) => (sources.iter_mut().collect(), vec![to]),
            Self::Carry(carry) => {
                let CarryStep { to, operands, taken, left, .. } = &mut **carry;
                (operands.iter_mut().chain([taken]).collect(), vec![to, left])
            }
            Self::SetPredicate(set) => {
                let with = set.with.iter_mut().map(|(_, source)| source);
                (set.operands.iter_mut().chain(with).collect(), set.to.iter_mut().collect())
            }
            Self::FloatPredicate(set) => {
                let with = set.with.iter_mut().map(|(_, source)| source);
                (set.operands.iter_mut().chain(with).collect(), set.to.iter_mut().collect())
            }
            Self::Pack(to, parts, _) => (parts.iter_mut().collect(), vec![to]),
            Self::Unpack(parts, from, _) => (vec![from], parts.iter_mut().collect()),
        }
    }
}

impl MeetingStep {
    fn operands(&mut self) -> StepRegisters<'_> {
        match self {
            Self::Barrier(_, barrier, count) => {
                (count.iter_mut().chain([barrier]).collect(), Vec::new())
            }
            Self::BarrierReduce(at) => (
                at.count.iter_mut().chain([&mut at.barrier, &mut at.predicate]).collect(),
                vec![&mut at.to],
            ),
            Self::WarpBarrier(mask) => (vec![mask], Vec::new()),
            Self::Exchange(exchange) => (
                exchange.operands.iter_mut().chain([&mut exchange.mask]).collect(),
                exchange.to.iter_mut().collect(),
            ),
        }
    }
}

impl GuardedStep {
    /// Shows the registers of a step, of a call those of the caller. A step reads all that it reads
    /// before it writes.
    fn each_register(&mut self, f: &mut impl FnMut(&mut u32, RegisterUse)) {
        if self.guard != NONE {
            f(&mut self.guard, RegisterUse::Read);
        }
        let (reads, written): StepRegisters<'_> = match &mut self.step {
            DecodedStep::Value(step) => step.operands(),
            DecodedStep::Meet(step) => step.operands(),
            DecodedStep::Load(access, to, _) => (vec![&mut access.base], to.iter_mut().collect()),
            DecodedStep::Store(access, values) => {
                (values.iter_mut().chain([&mut access.base]).collect(), Vec::new())
            }
            DecodedStep::Modify(access, _, to, operands, _) => {
                (operands.iter_mut().chain([&mut access.base]).collect(), vec![to])
            }
            DecodedStep::ActiveMask(to) => (Vec::new(), vec![to]),
            DecodedStep::Call(call) => {
                let Call { values_in, registers_in, registers_out, .. } = &mut **call;
                let given = values_in.iter_mut().map(|(source, ..)| source);
                let given = given.chain(registers_in.iter_mut().map(|(source, _)| source));
                (given.collect(), registers_out.iter_mut().map(|(_, to)| to).collect())
            }
            DecodedStep::Fence(..)
            | DecodedStep::Jump(_)
            | DecodedStep::Print(_)
            | DecodedStep::Return
            | DecodedStep::Exit
            | DecodedStep::Trap(_)
            | DecodedStep::Nothing
            | DecodedStep::Unknown(_) => (Vec::new(), Vec::new()),
        };
        reads.into_iter().for_each(|source| source.each_register(f));
        written.into_iter().filter(|to| **to != NONE).for_each(|to| f(to, RegisterUse::Written));
    }

    /// The steps that may come next, as far as the function has them.
    fn next(&self, at: usize) -> [Option<usize>; 2] {
        let behind = Some(at + 1);
        let never = match &self.step {
            DecodedStep::Jump(to) => Some(*to as usize),
            DecodedStep::Return
            | DecodedStep::Exit
            | DecodedStep::Trap(_)
            | DecodedStep::Unknown(_) => None,
            _ => return [behind, None],
        };
        [never, behind.filter(|_| self.guard != NONE)]
    }
}

/// What a function has of registers, for the time of the search.
struct FunctionRegisters {
    /// What each step reads and writes.
    uses: Vec<(RegisterSet, Vec<u32>)>,
    /// What is needed when a step begins.
    needed: Vec<RegisterSet>,
    /// `[a]`: whose places are others than that of `a`.
    apart: Vec<RegisterSet>,
}

impl FunctionRegisters {
    /// Those of a function, unless it is too large. What comes in and goes out by registers is
    /// `outside`, and needed all the time.
    fn find(code: &mut DecodedFunction, outside: &[u32]) -> Option<Self> {
        let registers = code.registers as usize;
        let none = RegisterSet::of(registers);
        if registers > MOST_REGISTERS || code.steps.len() * none.0.len() > MOST_WORDS {
            return None;
        }
        let mut always = none.clone();
        outside.iter().for_each(|r| always.insert(*r));
        let uses = code.steps.iter_mut().map(|step| {
            let (mut read, mut written) = (none.clone(), Vec::new());
            step.each_register(&mut |r, what| match what {
                RegisterUse::Read => read.insert(*r),
                RegisterUse::Written => written.push(*r),
            });
            (read, written)
        });
        let uses: Vec<(RegisterSet, Vec<u32>)> = uses.collect();
        // A load that waits writes its registers when something else has been done.
        let mut late = vec![none.clone(); code.steps.len() + 1];
        for (step, (_, written)) in code.steps.iter().zip(&uses) {
            if let DecodedStep::Load(_, _, until) = &step.step {
                let until = (*until as usize).min(code.steps.len());
                written.iter().for_each(|r| late[until].insert(*r));
            }
        }
        let mut needed: Vec<RegisterSet> = late;
        needed.iter_mut().for_each(|needed| needed.add(&always));
        let mut changed = true;
        for pass in 0.. {
            if !std::mem::take(&mut changed) {
                break;
            }
            if pass == MOST_PASSES {
                return None;
            }
            for at in (0..code.steps.len()).rev() {
                let (read, written) = &uses[at];
                let mut before = Self::needed_behind(&needed, &code.steps[at], at, &none);
                if code.steps[at].guard == NONE {
                    written.iter().for_each(|r| before.remove(*r));
                }
                before.add(read);
                before.add(&needed[at]);
                if before != needed[at] {
                    needed[at] = before;
                    changed = true;
                }
            }
        }
        let mut found = Self { uses, needed, apart: vec![none.clone(); registers] };
        found.tell_apart(&code.steps, &none);
        Some(found)
    }

    fn needed_behind(
        needed: &[RegisterSet],
        step: &GuardedStep,
        at: usize,
        none: &RegisterSet,
    ) -> RegisterSet {
        let mut behind = none.clone();
        step.next(at)
            .into_iter()
            .flatten()
            .filter_map(|next| needed.get(next))
            .for_each(|next| behind.add(next));
        behind
    }

    /// What is written has a place that nothing has which is needed behind it, or written with it;
    /// what is needed at the start holds zeros of its own.
    fn tell_apart(&mut self, steps: &[GuardedStep], none: &RegisterSet) {
        if let Some(first) = self.needed.first() {
            let first: Vec<u32> = first.members().collect();
            for a in &first {
                first.iter().for_each(|b| self.apart[*a as usize].insert(*b));
            }
        }
        for (at, step) in steps.iter().enumerate() {
            let (_, written) = &self.uses[at];
            if written.is_empty() {
                continue;
            }
            let mut behind = Self::needed_behind(&self.needed, step, at, none);
            written.iter().for_each(|r| behind.insert(*r));
            for a in written {
                self.apart[*a as usize].add(&behind);
                behind.members().for_each(|b| self.apart[b as usize].insert(*a));
            }
        }
    }

    /// A place for each register, the lowest that is free, and how many places there are. What is
    /// never named has none to itself.
    fn places(&self, outside: &[u32]) -> (Vec<u32>, u32) {
        let mut places: Vec<Option<u32>> = vec![None; self.apart.len()];
        let mut count = 0;
        let of_steps = self
            .uses
            .iter()
            .flat_map(|(read, written)| read.members().chain(written.iter().copied()));
        for register in outside.iter().copied().chain(of_steps) {
            if places[register as usize].is_some() {
                continue;
            }
            let mut taken = RegisterSet::of(self.apart.len());
            let others = self.apart[register as usize].members().filter(|other| *other != register);
            others.filter_map(|other| places[other as usize]).for_each(|place| taken.insert(place));
            let free = taken.first_absent();
            places[register as usize] = Some(free);
            count = count.max(free + 1);
        }
        (places.into_iter().map(Option::unwrap_or_default).collect(), count)
    }
}

/// Lets the registers of functions share places. `outside` are, for each function, the registers by
/// which something comes in and goes out.
pub(crate) fn share_places(codes: &mut [DecodedFunction], outside: &[Vec<u32>]) {
    let of = |(code, outside): (&mut DecodedFunction, &Vec<u32>)| match FunctionRegisters::find(
        code, outside,
    ) {
        Some(found) => found.places(outside),
        None => ((0..code.registers).collect(), code.registers),
    };
    let places: Vec<(Vec<u32>, u32)> = codes.iter_mut().zip(outside).map(of).collect();
    for (code, (of, registers)) in codes.iter_mut().zip(&places) {
        code.registers = *registers;
        for step in &mut code.steps {
            step.each_register(&mut |r, _| *r = of[*r as usize]);
            if let DecodedStep::Call(call) = &mut step.step {
                let (callee, _) = &places[call.function as usize];
                call.registers_in.iter_mut().for_each(|(_, to)| *to = callee[*to as usize]);
                call.registers_out.iter_mut().for_each(|(from, _)| *from = callee[*from as usize]);
            }
        }
    }
}
