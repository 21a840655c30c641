//! Executes one thread of a launch as far as it is constant, and writes down what is left.
//!
//! A state is an instruction with the calls around it and all constants: each state becomes code
//! once. So loops whose constants change are unrolled, and loops that wait for memory stay loops
//! (polyvariant partial evaluation: Jones, Gomard and Sestoft 1993). Memory that no two threads
//! use, or that nobody writes, is constant as well, as far as what is put there is.

mod access_size;
mod arithmetic;
mod asynchronous;
mod call;
mod cluster;
mod computed_ways;
mod copy;
mod counter;
mod draw_counts;
mod evaluate;
mod facts;
mod labels;
mod mbarrier_memory;
mod memory;
mod place;
mod prepared;
mod state;
mod stop;
mod tensor_core;
mod tensor_map;
mod trail;
mod value;
mod value_range;

use std::collections::{BTreeMap, BTreeSet};

use margay_ptx::effect::{Computation, Effect, Meeting, Window};
use margay_ptx::{Operand, RegisterId, ScalarKind, ScalarType};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::counter::{is_drawn_alone, learn_draws};
pub(crate) use self::draw_counts::DrawCounts;
pub(crate) use self::facts::{
    CopyUse, LaunchFacts, LoadsOfTensors, MAX_VALUES, MbarrierMemory, TensorFacts, Use, Uses,
    ValuesOfCells, add_writer,
};
use self::labels::without_meetings;
pub(crate) use self::place::BEYOND;
pub(crate) use self::prepared::{PreparedModule, VectorOrder};
pub(crate) use self::state::{FollowedThread, State, StepEnd};
pub(crate) use self::trail::{UndefinedRead, ValueTrail, ValueUses};
use self::value::uninterpreted;
pub(crate) use self::value::{Key, KnownValue, OPAQUE, OPEN, Value, constant};
use crate::brought::ExchangesOfWarps;
use crate::launch::Launch;
use crate::layout::{LOCAL, Layout, Object, SHARED};
use crate::mark::{Mark, MarkKind};
use crate::meeting::{Barriers, barriers, warp_barrier};
use crate::omission::{Omission, OmissionReason};
use crate::residue::{CodePiece, Line, MemoryCell, Origin, tidy};
use crate::spelling::{order_name, scope_name};

/// After so many steps a thread is cut off.
const MAX_STEPS: usize = 50_000;

/// The number of the first register beside those of the code.
const ASIDE: usize = 1_000_000;

/// The most code that a thread may leave.
const MAX_CODE: usize = 4_000;

/// What is left of a thread.
pub(crate) struct Specialised {
    pub code: Vec<Line>,
    pub uses: Uses,
    /// What its asynchronous operations use, each with all its bytes.
    pub copies: BTreeMap<MemoryCell, CopyUse>,
    /// The cells that they are taken apart into.
    pub parts: BTreeSet<MemoryCell>,
    pub omissions: Vec<Omission>,
    /// What is supposed, and leaves nothing open.
    pub suppositions: Vec<Omission>,
    /// Copies of parts of tensors that share what their mbarrier was told of.
    pub loads: LoadsOfTensors,
    /// What is learnt of tensors and of tensor memory.
    pub tensors: TensorFacts,
    /// Where its mbarriers are.
    pub mbarriers: MbarrierMemory,
    /// The pieces of code at which it stops with an error: `trapped`, `outside`, `cut`, by the
    /// number of the origin.
    pub marks: Vec<Mark>,
    /// The barriers that it comes to.
    pub barriers: Barriers,
    /// Barriers of the block whose predicate was false.
    pub skipped: BTreeSet<Origin>,
    pub opaque: FxHashSet<(Object, u64)>,
    pub pointers: std::collections::BTreeSet<u64>,
    pub exchanges: ExchangesOfWarps,
    /// The jumps back to rounds that are taken for one, and how many exchanges of its warp are in
    /// such a round.
    pub rounds: BTreeMap<Origin, u64>,
    pub values: ValuesOfCells,
    /// How often it draws from counters.
    pub draws: DrawCounts,
    /// The instructions that it comes to.
    pub visited: FxHashSet<Origin>,
    /// Where values go; nothing where it reads no memory that may be undefined.
    pub trail: Option<ValueTrail>,
    /// Bytes that it reads as if nobody wrote them (`ld.global.nc`).
    pub cached: FxHashSet<(Object, u64)>,
}

impl<'a, 'm> FollowedThread<'a, 'm> {
    pub fn new(
        prepared: &'a PreparedModule<'m>,
        layout: &'a Layout,
        facts: &'a LaunchFacts,
        launch: Launch,
        (block, thread): (u32, u32),
        is_over: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            prepared,
            layout,
            facts,
            launch,
            block,
            thread,
            is_over,
            code: Vec::new(),
            labels: FxHashMap::default(),
            rounds: BTreeMap::new(),
            met_at_end: None,
            heads: FxHashMap::default(),
            todo: Vec::new(),
            names: FxHashMap::default(),
            fresh: 0,
            asides: 0,
            size: 0,
            uses: Uses::new(),
            copies: BTreeMap::new(),
            parts: BTreeSet::new(),
            omissions: Vec::new(),
            suppositions: Vec::new(),
            loads: BTreeMap::new(),
            tensors: TensorFacts::default(),
            mbarriers: MbarrierMemory::default(),
            behind: Vec::new(),
            epoch: (0, 0),
            marks: Vec::new(),
            skipped: BTreeSet::new(),
            opaque: FxHashSet::default(),
            pointers: std::collections::BTreeSet::new(),
            exchanges: ExchangesOfWarps::new(),
            values: ValuesOfCells::new(),
            draws: DrawCounts::new(),
            visited: FxHashSet::default(),
            undefined: BTreeMap::new(),
            sinks: BTreeMap::new(),
            cached: FxHashSet::default(),
        }
    }

    /// Executes the kernel.
    pub fn run(mut self, kernel: usize) -> Specialised {
        let mut known = BTreeMap::new();
        for &(id, offset, bytes, value) in &self.layout.arguments {
            known.insert(
                Key::Cell(self.layout.address(id, 0) + offset, bytes as u8),
                KnownValue::Bits(value),
            );
        }
        let mut next = Some((None, State { function: kernel, at: 0, calls: Vec::new(), known }));
        let mut steps = 0;
        while let Some((label, state)) = next {
            if let Some(label) = label {
                self.code.push((CodePiece::Label(label), None));
            }
            self.follow(state, &mut steps);
            if steps >= MAX_STEPS || self.size >= MAX_CODE {
                let why = match self.size >= MAX_CODE {
                    true => format!(
                        "a thread leaves more than {MAX_CODE} instructions once constants are computed"
                    ),
                    false => format!(
                        "a thread takes more than {MAX_STEPS} steps: a loop may be longer than can be followed"
                    ),
                };
                self.omit(None, why);
                break;
            }
            next = self.todo.pop().map(|(label, state)| (Some(label), state));
        }
        // What was not followed ends.
        for (label, _) in std::mem::take(&mut self.todo) {
            self.code.push((CodePiece::Label(label), None));
            self.code.push((CodePiece::End, None));
        }
        self.code.append(&mut self.behind);
        self.omissions.sort();
        self.omissions.dedup();
        let trail = ValueTrail::of(&self.code, self.undefined, self.sinks);
        Specialised {
            trail,
            cached: self.cached,
            barriers: barriers(&self.code),
            code: tidy(self.code),
            uses: self.uses,
            copies: self.copies,
            parts: self.parts,
            omissions: self.omissions,
            suppositions: self.suppositions,
            loads: self.loads,
            tensors: self.tensors,
            mbarriers: self.mbarriers,
            marks: self.marks,
            skipped: self.skipped,
            opaque: self.opaque,
            pointers: self.pointers,
            exchanges: self.exchanges,
            rounds: self.rounds,
            values: self.values,
            draws: self.draws,
            visited: self.visited,
        }
    }

    fn follow(&mut self, mut state: State, steps: &mut usize) {
        let mut first = true;
        // The last jump back on this way, and where it went: what it comes to between these may be
        // one more round.
        let mut back: Option<(usize, Origin)> = None;
        loop {
            *steps += 1;
            let body =
                self.prepared.module.functions[state.function].body.as_deref().unwrap_or(&[]);
            if *steps >= MAX_STEPS
                || self.size >= MAX_CODE
                || steps.is_multiple_of(1024) && (self.is_over)()
            {
                *steps = MAX_STEPS;
                self.code.push((CodePiece::End, None));
                return;
            }
            if !first && self.prepared.liveness[state.function].is_target(state.at) {
                if let Some((to, from)) = back
                    && from.function == state.function
                    && (to..=from.instruction).contains(&state.at)
                    && let Some(label) = self.head_of_round(&state, from)
                {
                    self.code.push((CodePiece::Jump(None, label), Some(from)));
                    return;
                }
                let (label, new) = self.label(&state);
                if !new {
                    let origin = self.origin(&state);
                    self.code.push((CodePiece::Jump(None, label), Some(origin)));
                    return;
                }
                self.code.push((CodePiece::Label(label), None));
            }
            first = false;
            let Some(instruction) = body.get(state.at) else {
                // The end of a function is a return.
                if self.leave(&mut state) {
                    continue;
                }
                return;
            };
            if let Some((register, negated)) = instruction.guard {
                let key = Key::Register(state.calls.len() as u16, register);
                let value = self.register(&state, key);
                match value.known {
                    KnownValue::Bits(bits) if (bits & 1 == 1) == negated => {
                        let effect = &self.prepared.effects[state.function][state.at];
                        if matches!(effect, Effect::Barrier(..) | Effect::BarrierReduce { .. }) {
                            self.skipped.insert(self.origin(&state));
                        }
                        state.at += 1;
                        continue;
                    }
                    KnownValue::Bits(_) => {}
                    known if known.is_opaque() && self.compute_both_ways(&mut state, &value) => {
                        continue;
                    }
                    known @ KnownValue::Open { .. } => {
                        self.depends_on_opaque(
                            &state,
                            known.is_opaque(),
                            OmissionReason::OpaqueGuard,
                        );
                        // Where it is executed the predicate is known, and where it is not.
                        let mut around = state.clone();
                        around.at += 1;
                        around.known.insert(key, KnownValue::Bits(u64::from(negated)));
                        state.known.insert(key, KnownValue::Bits(u64::from(!negated)));
                        let origin = self.origin(&state);
                        let from = state.at;
                        if let Effect::Jump(to) = self.prepared.effects[state.function][from] {
                            state.at = to;
                            let label = self.jumped_to(state, from);
                            self.code.push((
                                CodePiece::Jump(Some((value.text, !negated)), label),
                                Some(origin),
                            ));
                            state = around;
                        } else {
                            let label = self.later(around);
                            self.code.push((
                                CodePiece::Jump(Some((value.text, negated)), label),
                                Some(origin),
                            ));
                        }
                        continue;
                    }
                }
            }
            self.visited.insert(self.origin(&state));
            let effect = &self.prepared.effects[state.function][state.at];
            let goes = matches!(
                effect,
                Effect::Jump(_)
                    | Effect::Return
                    | Effect::Exit
                    | Effect::Nothing
                    | Effect::OtherLaunches
                    | Effect::Barrier(..)
                    | Effect::BarrierReduce { .. }
                    | Effect::WarpBarrier(_)
            );
            if self.prepared.has_barriers && self.launch.threads > 1 && !goes {
                let origin = self.origin(&state);
                self.code.push((CodePiece::Passed, Some(origin)));
            }
            if self.prepared.has_accumulators {
                self.accumulators_at(&mut state, instruction);
            }
            let from = self.origin(&state);
            match self.step(&mut state) {
                StepEnd::Next => state.at += 1,
                StepEnd::Again => {
                    if state.function == from.function && state.at < from.instruction {
                        back = Some((state.at, from));
                    }
                }
                StepEnd::Left => return,
            }
        }
    }

    pub(crate) fn origin(&self, state: &State) -> Origin {
        Origin { function: state.function, instruction: state.at }
    }

    pub(crate) fn push(&mut self, state: &State, piece: CodePiece) {
        self.size += 1;
        let origin = self.origin(state);
        self.code.push((piece, Some(origin)));
    }

    pub(crate) fn emit(&mut self, state: &State, text: String) {
        self.push(state, CodePiece::Other(text));
    }

    /// A register that stands in no test for anything but itself.
    fn aside(&mut self) -> String {
        self.asides += 1;
        format!("t{}", ASIDE + self.asides)
    }

    /// A label of no state.
    pub(crate) fn fresh_label(&mut self) -> u32 {
        self.fresh += 1;
        u32::MAX / 2 + self.fresh as u32
    }

    /// Puts what nobody interprets, and is made of others, into registers.
    fn leave_uninterpreted(
        &mut self,
        state: &mut State,
        to: &[RegisterId],
        open: &[String],
        known: KnownValue,
    ) {
        for to in to {
            let to = self.set(state, Some(*to), known);
            let text = match open {
                [] => format!("mov {to}, 0"),
                // No copy of it: nobody knows what it is.
                [one] => format!("xor.u64 {to}, {one}, 0"),
                more => format!("mov {to}, {}", self.made_of_all(state, more)),
            };
            self.emit(state, text);
        }
    }

    /// One number that is made of several.
    fn made_of_all(&mut self, state: &State, numbers: &[String]) -> String {
        let sum = self.temporary();
        for (n, number) in numbers.iter().enumerate() {
            self.emit(
                state,
                if n == 0 {
                    format!("mov {sum}, {number}")
                } else {
                    format!("xor.u64 {sum}, {sum}, {number}")
                },
            );
        }
        sum
    }

    /// Goes both ways behind a jump whose predicate nobody interprets, where they only compute
    /// until they come together; says whether they do.
    fn compute_both_ways(&mut self, state: &mut State, predicate: &Value) -> bool {
        let prepared = self.prepared;
        let Some(ways) = prepared.ways_behind(state.function, state.at) else { return false };
        let depth = state.calls.len() as u16;
        let has_value =
            |register: &&RegisterId| state.known.contains_key(&Key::Register(depth, **register));
        let of = |thread: &mut Self, register: RegisterId| {
            thread.register(state, Key::Register(depth, register))
        };
        let kept = |register: &&RegisterId| ways.kept.contains(*register) && has_value(register);
        let old: Vec<Option<Value>> =
            ways.writes.iter().map(|r| Some(r).filter(kept).map(|r| of(self, *r))).collect();
        let mut all: Vec<Value> =
            ways.reads.iter().filter(has_value).map(|r| of(self, *r)).collect();
        all.push(predicate.clone());
        let open = |values: &[Value]| -> Vec<String> {
            values
                .iter()
                .filter(|value| value.bits().is_none())
                .map(|value| value.text.clone())
                .collect()
        };
        let mut read = open(&all);
        // One number is made of all of them, and each register of that.
        if read.len() > 1 {
            read = vec![self.made_of_all(state, &read)];
        }
        for (to, old) in ways.writes.iter().zip(old) {
            let known = uninterpreted(all.iter().chain(&old));
            let of_both: Vec<String> = read.iter().cloned().chain(open(old.as_slice())).collect();
            self.leave_uninterpreted(state, &[*to], &of_both, known);
        }
        state.at = ways.join;
        true
    }

    fn step(&mut self, state: &mut State) -> StepEnd {
        let prepared = self.prepared;
        let effect = &prepared.effects[state.function][state.at];
        let step = self.perform(state, effect);
        step.unwrap_or_else(|| {
            self.unknown(state, "an operand is not of a kind that is known here")
        })
    }

    /// The thread comes to its end: on all ways after the same exchanges of its warp, or that is
    /// supposed of the others.
    pub(crate) fn comes_to_an_end(&mut self, state: &State) {
        if !self.prepared.has_exchanges {
            return;
        }
        let (_, met) = without_meetings(state);
        if *self.met_at_end.get_or_insert_with(|| met.clone()) != met {
            self.suppose(
                state,
                "to how many exchanges of its warp a thread comes depends on memory: all lanes that a mask names are supposed to come to each",
            );
        }
    }

    /// A barrier of those lanes of the warp that a mask names.
    pub(crate) fn meet(&mut self, state: &State, mask: u64) {
        let warp = self.thread / 32;
        let there = (self.launch.threads - warp * 32).min(32);
        let mask = mask & ((1u64 << there) - 1);
        if mask.count_ones() > 1 {
            let warp = u64::from(self.block * self.launch.threads.div_ceil(32) + warp);
            self.push(state, CodePiece::Barrier(warp_barrier(warp, mask)));
        }
    }

    /// A barrier of the block.
    pub(crate) fn barrier(
        &mut self,
        state: &mut State,
        meeting: Meeting,
        barrier: &Operand,
        count: Option<&Operand>,
    ) -> Option<StepEnd> {
        let number = self.value(state, barrier)?.bits();
        let count = match count {
            Some(count) => Some(self.value(state, count)?.bits()),
            None => None,
        };
        let Some(number) = number else {
            return Some(self.unknown(state, "the number of a barrier depends on memory"));
        };
        let count = match count {
            Some(None) => {
                return Some(self.unknown(state, "the count of a barrier depends on memory"));
            }
            Some(Some(count)) => Some(count),
            None => None,
        };
        let mode = if meeting == Meeting::Arrive { "arrive" } else { "sync" };
        match count {
            // A block of one thread meets nobody.
            None if self.launch.threads == 1 => {}
            None => self.push(state, CodePiece::Barrier(format!("bar.cta.{mode} {number}"))),
            Some(count) => {
                self.push(state, CodePiece::Barrier(format!("bar.cta.{mode} {number}, {count}")))
            }
        }
        Some(StepEnd::Next)
    }

    fn perform(&mut self, state: &mut State, effect: &'a Effect<'m>) -> Option<StepEnd> {
        Some(match effect {
            Effect::Nothing | Effect::OtherLaunches => StepEnd::Next,
            Effect::Unknown(why) => self.unknown(state, why.as_str()),
            Effect::Trap => {
                let body =
                    self.prepared.module.functions[state.function].body.as_deref().unwrap_or(&[]);
                let what = body.get(state.at).map_or(String::new(), |i| format!("`{}`", i.opcode));
                self.stop(state, MarkKind::Trap, what)
            }
            Effect::Exit => {
                self.comes_to_an_end(state);
                self.push(state, CodePiece::End);
                StepEnd::Left
            }
            Effect::Return => match self.leave(state) {
                true => StepEnd::Again,
                false => StepEnd::Left,
            },
            Effect::Jump(to) => {
                state.at = *to;
                StepEnd::Again
            }
            Effect::Compute { function, ty, to, operands } => {
                if *function == Computation::Select
                    && let Some(step) = self.select_pointer(state, operands)
                {
                    return Some(step);
                }
                let values =
                    operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
                self.compute(state, *function, *ty, *to, &values);
                StepEnd::Next
            }
            Effect::Carry { function, ty, to, operands, takes, leaves } => {
                let values =
                    operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
                self.carry(state, (*function, *ty), *to, &values, (*takes, *leaves));
                StepEnd::Next
            }
            Effect::SetPredicate { relation, ty, to, operands, with } => {
                let (a, b) = (self.value(state, operands[0])?, self.value(state, operands[1])?);
                let with = match with {
                    Some((function, operand)) => Some((*function, self.value(state, operand)?)),
                    None => None,
                };
                let predicate = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
                for (n, to) in to.iter().enumerate().filter(|(_, to)| to.is_some()) {
                    let mut value = self.computed(
                        state,
                        Computation::Compare(*relation),
                        *ty,
                        &[a.clone(), b.clone()],
                        None,
                    );
                    if n == 1 {
                        value = self.computed(
                            state,
                            Computation::Xor,
                            predicate,
                            &[value, constant(1)],
                            None,
                        );
                    }
                    if let Some((function, with)) = &with {
                        value = self.computed(
                            state,
                            *function,
                            predicate,
                            &[value, with.clone()],
                            None,
                        );
                    }
                    self.copy(state, *to, &value, predicate);
                }
                StepEnd::Next
            }
            Effect::Opaque { to, operands } => {
                if let Some((to, bits)) = self.constant_float(state, to, operands) {
                    let ty = self.register_type(state, to);
                    self.copy(state, Some(to), &constant(bits), ty);
                    return Some(StepEnd::Next);
                }
                if let Some((to, value)) = self.float_by_its_bits(state, to, operands) {
                    let ty = self.register_type(state, to);
                    self.copy(state, Some(to), &value, ty);
                    return Some(StepEnd::Next);
                }
                let mut open = Vec::new();
                let all: Vec<Value> =
                    operands.iter().filter_map(|operand| self.value(state, operand)).collect();
                let known = uninterpreted(all.iter());
                for operand in operands {
                    if let Some(value) = self.value(state, operand)
                        && value.bits().is_none()
                        && !matches!(operand, Operand::Special(_))
                    {
                        open.push(value.text);
                    }
                }
                self.leave_uninterpreted(state, to, &open, known);
                StepEnd::Next
            }
            Effect::Pack { parts, to } => {
                let register = self.register_type(state, *to);
                let width = register.bits / parts.len().max(1) as u16;
                let part = ScalarType { kind: ScalarKind::Unsigned, bits: width };
                let whole = ScalarType { kind: ScalarKind::Unsigned, bits: register.bits };
                let mut value = constant(0);
                for (n, operand) in parts.iter().enumerate() {
                    let piece = self.value(state, operand)?;
                    let piece =
                        self.computed(state, Computation::Convert(part), whole, &[piece], None);
                    let by = constant(u64::from(width) * n as u64);
                    let piece =
                        self.computed(state, Computation::ShiftLeft, whole, &[piece, by], None);
                    value = self.computed(state, Computation::Or, whole, &[value, piece], None);
                }
                self.copy(state, Some(*to), &value, whole);
                StepEnd::Next
            }
            Effect::Unpack { parts, from } => {
                let value = self.value(state, from)?;
                let widths = parts.iter().flatten().map(|r| self.register_type(state, *r).bits);
                let width = widths.max().unwrap_or(32);
                let part = ScalarType { kind: ScalarKind::Unsigned, bits: width };
                let whole = ScalarType {
                    kind: ScalarKind::Unsigned,
                    bits: (width * parts.len() as u16).min(64),
                };
                // The register that is taken apart may be one of the parts.
                let mut values = Vec::new();
                for n in 0..parts.len() {
                    let by = constant(u64::from(width) * n as u64);
                    let moved = self.computed(
                        state,
                        Computation::ShiftRight,
                        whole,
                        &[value.clone(), by],
                        None,
                    );
                    values.push(self.computed(
                        state,
                        Computation::Convert(whole),
                        part,
                        &[moved],
                        None,
                    ));
                }
                for (to, value) in parts.iter().zip(&values) {
                    self.copy(state, *to, value, part);
                }
                StepEnd::Next
            }
            Effect::IsSpace { window, of_cluster, to, address } => {
                let value = self.value(state, address)?;
                let bits = match (value.known, address) {
                    (KnownValue::Bits(bits), _) => Some(bits),
                    (KnownValue::Open { into: Some(object), .. }, _) => Some(match object {
                        Object::Shared(..) => SHARED,
                        _ => self.layout.extent(object).0,
                    }),
                    (_, Operand::Register(register)) => {
                        return Some(
                            self.split(state, *register, (64, 0), Window::Generic)
                                .unwrap_or_else(|why| self.unknown(state, why)),
                        );
                    }
                    _ => None,
                };
                let of = match bits? >> 56 {
                    0 => Window::Global,
                    1 => Window::Shared,
                    2 => Window::Local,
                    _ => Window::Parameter,
                };
                // `.shared` alone is the block's own.
                let is_near = *window != Window::Shared
                    || *of_cluster
                    || self.layout.rank(bits? & 0xffff_ffff).is_none();
                self.set(state, Some(*to), KnownValue::Bits(u64::from(of == *window && is_near)));
                StepEnd::Next
            }
            Effect::ConvertAddress { window, to_space, to, address } => {
                let value = self.value(state, address)?;
                let by = match window {
                    Window::Shared => SHARED,
                    Window::Local => LOCAL,
                    _ => 0,
                };
                let ty = ScalarType { kind: ScalarKind::Unsigned, bits: 64 };
                let function = if *to_space { Computation::Subtract } else { Computation::Add };
                // A null pointer stays one.
                if value.bits() == Some(0) || by == 0 {
                    self.copy(state, Some(*to), &value, ty);
                } else {
                    self.compute(state, function, ty, Some(*to), &[value, constant(by)]);
                }
                StepEnd::Next
            }
            Effect::Load { access, to, base, offset } => {
                self.is_of_one_device(state, *access);
                self.load(state, *access, to, base, *offset)?
            }
            Effect::Store { access, base, offset, values } => {
                self.is_of_one_device(state, *access);
                self.store(state, *access, base, *offset, values)?
            }
            Effect::Modify { access, update, to, base, offset, operands } => {
                self.is_of_one_device(state, *access);
                self.modify(state, *access, *update, *to, (base, *offset), operands)?
            }
            Effect::Fence(order, scope) => {
                self.emit(state, format!("fence.{}.{}", order_name(*order), scope_name(*scope)));
                StepEnd::Next
            }
            Effect::Barrier(meeting, barrier, count) => {
                self.barrier(state, *meeting, barrier, *count)?
            }
            Effect::BarrierReduce { to, barrier, count, predicate } => {
                let Some(count) = count else {
                    return self.reduce_at_barrier(state, *to, barrier, predicate);
                };
                match self.barrier(state, Meeting::Reduce, barrier, Some(count))? {
                    StepEnd::Next => {
                        let to = self.set(state, *to, OPAQUE);
                        self.emit(state, format!("mov {to}, 0"));
                        StepEnd::Next
                    }
                    step => step,
                }
            }
            Effect::Matrix { is_store, lanes, to, base, offset } => {
                self.matrix(state, (*is_store, *lanes), to, base, *offset)?
            }
            Effect::WarpBarrier(mask) => {
                let Some(mask) = self.value(state, mask)?.bits() else {
                    return Some(self.unknown(
                        state,
                        "who takes part in a barrier of a warp depends on memory",
                    ));
                };
                if mask >> (self.thread % 32) & 1 == 0 {
                    return Some(self.unknown(
                        state,
                        "a barrier of a warp by a thread that its mask does not name",
                    ));
                }
                self.meet(state, mask);
                StepEnd::Next
            }
            Effect::Exchange { exchange, ty, to, operands, mask } => {
                self.exchange(state, (*exchange, *ty), *to, operands, mask)?
            }
            Effect::Async(effect) => self.asynchronous(state, effect)?,
            Effect::Cluster(effect) => self.cluster(state, effect)?,
            Effect::Tensor(effect) => self.tensor_core(state, effect)?,
            Effect::Unseen { why, to } => self.unseen(state, why, to),
            Effect::ActiveMask(to) => self.active_mask(state, *to),
            Effect::Call { function, address, results: _, arguments } => {
                self.call(state, *function, *address, arguments)?
            }
        })
    }
}
