//! Executes one thread of a launch as far as it is constant, and writes down what is left.
//!
//! A state is an instruction with the calls around it and all constants: each state becomes code once. So loops whose constants change are
//! unrolled, and loops that wait for memory stay loops (polyvariant partial evaluation: Jones, Gomard and Sestoft 1993). Memory that no two
//! threads use, or that nobody writes, is constant as well, as far as what is put there is.

use std::collections::{BTreeMap, BTreeSet};

use margay_ptx::effect::{Effect, Function as Computed, Half, Meeting, MemoryAccess, Update, Window};
use margay_ptx::{Kind, Module, Operand, Parameter, RegisterId, ScalarType, Space, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exchange::ExchangesOfWarps;
use crate::launch::Launch;
use crate::layout::{LOCAL, Layout, Object, PARAMETER, SHARED, Target};
use crate::liveness::Liveness;
use crate::meeting::{Barriers, barriers};
use crate::residue::{Idle, Line, MemoryCell, Origin, Piece, tidy};
use crate::spelling::{bits_name, data, order_name, qualified, relation_name, scope_name, typed, unsigned};

/// After so many steps a thread is cut off.
const MAX_STEPS: usize = 50_000;

/// The most code that a thread may leave.
const MAX_CODE: usize = 4_000;

/// How many elements of an array without a size a computed index may name.
const ELEMENTS: u64 = 8;

/// The most places that a computed address is taken apart into.
const MAX_PLACES: usize = 64;

/// Why something of a kernel was not looked at, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Omission {
    /// Where it is in the kernel; nothing where it is of no instruction.
    pub origin: Option<Origin>,
    /// What it is.
    pub why: String,
    /// Was a thread not followed, or one of several ways taken without knowing which? Then what is found may not be so.
    pub guessed: bool,
}

/// What is known of all threads of a launch. It grows from round to round until nothing is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Bytes that two threads use, and one of them writes.
    pub shared: FxHashSet<(Object, u64)>,
    /// Bytes that hold what nobody interprets.
    pub opaque: FxHashSet<(Object, u64)>,
    /// Addresses that are put into shared memory.
    pub pointers: std::collections::BTreeSet<u64>,
    /// All values that a cell of shared memory can hold, where they are few and constant.
    pub values: ValuesOfCells,
    /// How often those of a cell have become more.
    pub grown: BTreeMap<MemoryCell, u32>,
    /// What lanes bring to exchanges of their warps.
    pub exchanges: ExchangesOfWarps,
    /// Is there nothing more to be learnt? Then who has not come to an exchange never does.
    pub are_settled: bool,
}

/// The values of cells, each with the thread and the instruction that writes it, if it is one alone and the value is not there at the start; nothing
/// where they are not constant, or too many.
pub(crate) type ValuesOfCells = BTreeMap<MemoryCell, Option<BTreeMap<u64, Writer>>>;

/// Who writes a value; nothing where there are several.
pub(crate) type Writer = Option<(u32, Origin)>;

/// Takes in another writer of a value.
pub(crate) fn add_writer(values: &mut BTreeMap<u64, Writer>, value: u64, writer: Writer) {
    let known = values.entry(value).or_insert(writer);
    if *known != writer {
        *known = None;
    }
}

/// The most values of a cell that are kept apart.
pub(crate) const MAX_VALUES: usize = 16;

/// The accesses of a thread to memory that other threads could use.
pub(crate) type Uses = BTreeMap<MemoryCell, Use>;

/// How a thread uses memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Use {
    /// Does it write?
    pub writes: bool,
    /// Must it be memory, whoever uses it?
    pub forced: bool,
}

/// What is left of a thread.
pub(crate) struct Specialised {
    pub code: Vec<Line>,
    pub uses: Uses,
    pub omissions: Vec<Omission>,
    /// The pieces of code at which it stops with an error: `trapped`, `outside`, `cut`, by the number of the origin.
    pub marks: Vec<Mark>,
    /// The barriers that it comes to.
    pub barriers: Barriers,
    /// Barriers of the block whose predicate was false.
    pub skipped: BTreeSet<Origin>,
    pub opaque: FxHashSet<(Object, u64)>,
    pub pointers: std::collections::BTreeSet<u64>,
    pub exchanges: ExchangesOfWarps,
    pub values: ValuesOfCells,
}

/// A place at which a thread stops before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub kind: MarkKind,
    pub origin: Origin,
    /// What its register holds then.
    pub number: i64,
    pub what: String,
}

/// Why a thread stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkKind {
    /// `trap`, or an assertion that fails.
    Trap,
    /// An address outside of every array.
    Outside,
    /// It was not followed any further.
    Cut,
}

impl MarkKind {
    /// The register that says so.
    pub(crate) fn register(self) -> &'static str {
        match self {
            Self::Trap => "trapped",
            Self::Outside => "outside",
            Self::Cut => "cut",
        }
    }
}

/// The functions of a module, prepared.
pub(crate) struct Prepared<'m> {
    pub module: &'m Module,
    pub effects: Vec<Vec<Effect<'m>>>,
    liveness: Vec<Liveness>,
    /// Does a function have a barrier?
    has_barriers: bool,
    /// For each function the registers that addresses are made of.
    addressing: Vec<FxHashSet<RegisterId>>,
    /// For each instruction of each function: is it between a backward jump and where that goes to?
    loops: Vec<Vec<bool>>,
}

impl<'m> Prepared<'m> {
    pub fn new(module: &'m Module) -> Self {
        let effects: Vec<Vec<Effect<'m>>> = module
            .functions
            .iter()
            .map(|f| f.body.as_deref().unwrap_or(&[]).iter().map(margay_ptx::effect::of).collect())
            .collect();
        let liveness = module.functions.iter().zip(&effects).map(|(f, e)| Liveness::new(f, e)).collect();
        let has_barriers = effects.iter().flatten().any(|e| matches!(e, Effect::Barrier(..)));
        let loops = effects.iter().map(|e| in_loops(e)).collect();
        let addressing = effects.iter().map(|e| addressing(e)).collect();
        Self { module, effects, liveness, has_barriers, addressing, loops }
    }

    /// May an instruction be executed twice in one call of its function?
    pub fn is_in_loop(&self, function: usize, at: usize) -> bool {
        self.loops[function].get(at).copied().unwrap_or(true)
    }
}

/// A register of a call, or memory of the thread alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Register(u16, RegisterId),
    Cell(u64, u8),
    /// How many exchanges of this mask of its warp the thread has taken part in.
    Met(u32),
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Known {
    Bits(u64),
    /// It is in a register of the code that is left.
    Open {
        /// Is it of a function that nobody interprets?
        opaque: bool,
        /// The array that it points into, if it is an address.
        into: Option<Object>,
        /// How far it is from what was read from memory.
        plus: i64,
    },
}

pub(crate) const OPEN: Known = Known::Open { opaque: false, into: None, plus: 0 };
pub(crate) const OPAQUE: Known = Known::Open { opaque: true, into: None, plus: 0 };

/// How far from an address that is in memory an access may be.
const FURTHEST: i64 = 4_096;

/// A value: what is known of it, and the register that holds it where it is open.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub known: Known,
    pub text: String,
}

impl Value {
    pub fn bits(&self) -> Option<u64> {
        if let Known::Bits(bits) = self.known { Some(bits) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    function: usize,
    at: usize,
    /// The calls around: function and instruction.
    calls: Vec<(usize, usize)>,
    pub known: BTreeMap<Key, Known>,
}

/// How a step ends.
pub(crate) enum Step {
    Next,
    /// The thread goes elsewhere, or ends.
    Left,
    /// The same instruction once more, with more known.
    Again,
}

/// An address that an access names.
enum Place {
    /// Known.
    At(Target),
    /// Outside of every array.
    Outside,
    /// Not known: the register was taken apart, and code for each case follows.
    Split,
    /// Not known, and not to be known.
    Unknown(String),
}

pub(crate) struct Thread<'a, 'm> {
    pub prepared: &'a Prepared<'m>,
    pub layout: &'a Layout,
    pub facts: &'a Facts,
    pub launch: Launch,
    pub block: u32,
    pub thread: u32,
    /// Is no more to be executed?
    is_over: &'a dyn Fn() -> bool,
    pub(crate) code: Vec<Line>,
    labels: FxHashMap<State, u32>,
    todo: Vec<(u32, State)>,
    names: FxHashMap<Key, usize>,
    fresh: usize,
    /// How many pieces of code there are, labels left out.
    size: usize,
    uses: Uses,
    omissions: Vec<Omission>,
    marks: Vec<Mark>,
    skipped: BTreeSet<Origin>,
    opaque: FxHashSet<(Object, u64)>,
    pointers: std::collections::BTreeSet<u64>,
    pub(crate) exchanges: ExchangesOfWarps,
    /// What it writes to each cell.
    values: ValuesOfCells,
}

impl<'a, 'm> Thread<'a, 'm> {
    pub fn new(
        prepared: &'a Prepared<'m>,
        layout: &'a Layout,
        facts: &'a Facts,
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
            todo: Vec::new(),
            names: FxHashMap::default(),
            fresh: 0,
            size: 0,
            uses: Uses::new(),
            omissions: Vec::new(),
            marks: Vec::new(),
            skipped: BTreeSet::new(),
            opaque: FxHashSet::default(),
            pointers: std::collections::BTreeSet::new(),
            exchanges: ExchangesOfWarps::new(),
            values: ValuesOfCells::new(),
        }
    }

    /// Executes the kernel.
    pub fn run(mut self, kernel: usize) -> Specialised {
        let mut known = BTreeMap::new();
        for &(id, value) in &self.layout.arguments {
            let bytes = self.prepared.module.variable(id).size.unwrap_or(8).min(8);
            known.insert(Key::Cell(self.layout.address(id, 0), bytes as u8), Known::Bits(value));
        }
        let mut next = Some((None, State { function: kernel, at: 0, calls: Vec::new(), known }));
        let mut steps = 0;
        while let Some((label, state)) = next {
            if let Some(label) = label {
                self.code.push((Piece::Label(label), None));
            }
            self.follow(state, &mut steps);
            if steps >= MAX_STEPS || self.size >= MAX_CODE {
                let why = match self.size >= MAX_CODE {
                    true => format!("a thread leaves more than {MAX_CODE} instructions once constants are computed"),
                    false => format!("a thread takes more than {MAX_STEPS} steps: a loop may be longer than can be followed"),
                };
                self.omit(None, why);
                break;
            }
            next = self.todo.pop().map(|(label, state)| (Some(label), state));
        }
        // What was not followed ends.
        for (label, _) in std::mem::take(&mut self.todo) {
            self.code.push((Piece::Label(label), None));
            self.code.push((Piece::End, None));
        }
        self.omissions.sort();
        self.omissions.dedup();
        Specialised {
            barriers: barriers(&self.code),
            code: tidy(self.code),
            uses: self.uses,
            omissions: self.omissions,
            marks: self.marks,
            skipped: self.skipped,
            opaque: self.opaque,
            pointers: self.pointers,
            exchanges: self.exchanges,
            values: self.values,
        }
    }

    fn follow(&mut self, mut state: State, steps: &mut usize) {
        let mut first = true;
        loop {
            *steps += 1;
            let body = self.prepared.module.functions[state.function].body.as_deref().unwrap_or(&[]);
            if *steps >= MAX_STEPS || self.size >= MAX_CODE || steps.is_multiple_of(1024) && (self.is_over)() {
                *steps = MAX_STEPS;
                self.code.push((Piece::End, None));
                return;
            }
            if !first && self.prepared.liveness[state.function].is_target(state.at) {
                let (label, new) = self.label(&state);
                if !new {
                    let origin = self.origin(&state);
                    self.code.push((Piece::Jump(None, label), Some(origin)));
                    return;
                }
                self.code.push((Piece::Label(label), None));
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
                    Known::Bits(bits) if (bits & 1 == 1) == negated => {
                        if matches!(self.prepared.effects[state.function][state.at], Effect::Barrier(..)) {
                            self.skipped.insert(self.origin(&state));
                        }
                        state.at += 1;
                        continue;
                    }
                    Known::Bits(_) => {}
                    Known::Open { opaque, .. } => {
                        self.depends_on_opaque(&state, opaque, "whether it is executed");
                        // Where it is executed the predicate is known, and where it is not.
                        let mut around = state.clone();
                        around.at += 1;
                        around.known.insert(key, Known::Bits(u64::from(negated)));
                        state.known.insert(key, Known::Bits(u64::from(!negated)));
                        let origin = self.origin(&state);
                        if let Effect::Jump(to) = self.prepared.effects[state.function][state.at] {
                            state.at = to;
                            let label = self.later(state);
                            self.code.push((Piece::Jump(Some((value.text, !negated)), label), Some(origin)));
                            state = around;
                        } else {
                            let label = self.later(around);
                            self.code.push((Piece::Jump(Some((value.text, negated)), label), Some(origin)));
                        }
                        continue;
                    }
                }
            }
            let effect = &self.prepared.effects[state.function][state.at];
            let goes = matches!(effect, Effect::Jump(_) | Effect::Return | Effect::Exit | Effect::Nothing | Effect::Barrier(..));
            if self.prepared.has_barriers && self.launch.threads > 1 && !goes {
                let origin = self.origin(&state);
                self.code.push((Piece::Passed, Some(origin)));
            }
            match self.step(&mut state) {
                Step::Next => state.at += 1,
                Step::Again => {}
                Step::Left => return,
            }
        }
    }

    /// The label of a state, and whether it is new. What is not read any more is forgotten.
    fn label(&mut self, state: &State) -> (u32, bool) {
        let live = &self.prepared.liveness[state.function];
        let depth = state.calls.len() as u16;
        let mut key = state.clone();
        key.known.retain(|k, _| !matches!(k, Key::Register(d, r) if *d == depth && !live.is_live(state.at, *r)));
        let next = self.labels.len() as u32;
        match self.labels.entry(key) {
            std::collections::hash_map::Entry::Occupied(found) => (*found.get(), false),
            std::collections::hash_map::Entry::Vacant(free) => (*free.insert(next), true),
        }
    }

    /// The label of a state that is followed later.
    fn later(&mut self, state: State) -> u32 {
        let (label, new) = self.label(&state);
        if new {
            self.todo.push((label, state));
        }
        label
    }

    pub(crate) fn origin(&self, state: &State) -> Origin {
        Origin { function: state.function, instruction: state.at }
    }

    fn omit(&mut self, origin: Option<Origin>, why: impl Into<String>) {
        // What follows is not there, so that others may read what would have been overwritten.
        let omission = Omission { origin, why: why.into(), guessed: true };
        if !self.omissions.contains(&omission) {
            self.omissions.push(omission);
        }
    }

    fn depends_on_opaque(&mut self, state: &State, opaque: bool, what: &str) {
        if opaque {
            let why = format!(
                "{what} depends on arithmetic that is not interpreted (floating point, a special register, or a parameter that is not known)"
            );
            let omission = Omission { origin: Some(self.origin(state)), why, guessed: true };
            if !self.omissions.contains(&omission) {
                self.omissions.push(omission);
            }
        }
    }

    pub(crate) fn push(&mut self, state: &State, piece: Piece) {
        self.size += 1;
        let origin = self.origin(state);
        self.code.push((piece, Some(origin)));
    }

    pub(crate) fn emit(&mut self, state: &State, text: String) {
        self.push(state, Piece::Other(text));
    }

    /// The thread stops here.
    fn stop(&mut self, state: &State, kind: MarkKind, what: impl Into<String>) -> Step {
        let (origin, what) = (self.origin(state), what.into());
        let same = self.marks.iter().find(|m| m.kind == kind && m.origin == origin && m.what == what).map(|m| m.number);
        let number = same.unwrap_or_else(|| {
            let number = self.marks.iter().filter(|m| m.kind == kind).count() as i64 + 1;
            self.marks.push(Mark { kind, origin, number, what });
            number
        });
        self.emit(state, format!("mov {}, {number}", kind.register()));
        self.push(state, Piece::End);
        Step::Left
    }

    pub(crate) fn unknown(&mut self, state: &State, why: impl Into<String>) -> Step {
        let why = why.into();
        self.omit(Some(self.origin(state)), why.clone());
        self.stop(state, MarkKind::Cut, why)
    }

    fn name(&mut self, key: Key) -> String {
        let next = self.names.len();
        format!("r{}", *self.names.entry(key).or_insert(next))
    }

    /// A label of no state.
    pub(crate) fn fresh_label(&mut self) -> u32 {
        self.fresh += 1;
        u32::MAX / 2 + self.fresh as u32
    }

    pub(crate) fn temporary(&mut self) -> String {
        self.fresh += 1;
        format!("t{}", self.fresh)
    }

    fn register(&mut self, state: &State, key: Key) -> Value {
        match state.known.get(&key) {
            Some(&Known::Bits(bits)) => constant(bits),
            Some(&known) => Value { known, text: self.name(key) },
            // It was never written.
            None => Value { known: OPAQUE, text: self.name(key) },
        }
    }

    pub(crate) fn value(&mut self, state: &State, operand: &Operand) -> Option<Value> {
        let depth = state.calls.len();
        Some(match operand {
            Operand::Register(register) => self.register(state, Key::Register(depth as u16, *register)),
            Operand::Integer(n) => constant(*n),
            Operand::Float(bits, _) => constant(*bits),
            Operand::Variable(id, offset) => constant(self.layout.address(*id, depth).wrapping_add_signed(*offset)),
            Operand::Special(name) => match self.special(name) {
                Some(n) => constant(n),
                None => Value { known: OPAQUE, text: "0".to_owned() },
            },
            Operand::Not(register) => {
                let value = self.register(state, Key::Register(depth as u16, *register));
                match value.known {
                    Known::Bits(bits) => constant(bits & 1 ^ 1),
                    known => {
                        let to = self.temporary();
                        self.emit(state, format!("xor.u32 {to}, {}, 1", value.text));
                        Value { known, text: to }
                    }
                }
            }
            _ => return None,
        })
    }

    fn special(&self, name: &str) -> Option<u64> {
        let (base, dimension) = name.split_once('.').unwrap_or((name, "x"));
        let Launch { blocks, threads } = self.launch;
        let lane = self.thread % 32;
        let of = |x: u32, other: u32| u64::from(if dimension == "x" { x } else { other });
        Some(match base {
            "tid" => of(self.thread, 0),
            "ntid" => of(threads, 1),
            "ctaid" | "clusterid" => of(self.block, 0),
            "nctaid" | "nclusterid" => of(blocks, 1),
            "cluster_ctaid" | "cluster_ctarank" | "is_explicit_cluster" | "gridid" => 0,
            "cluster_nctaid" | "cluster_nctarank" => 1,
            "laneid" => u64::from(lane),
            "lanemask_eq" => 1 << lane,
            "lanemask_lt" => (1 << lane) - 1,
            "lanemask_le" => (2 << lane) - 1,
            "lanemask_gt" => 0xffff_ffff & !((2 << lane) - 1),
            "lanemask_ge" => 0xffff_ffff & !((1 << lane) - 1),
            "dynamic_smem_size" => 0,
            _ => return None,
        })
    }

    fn set(&mut self, state: &mut State, register: Option<RegisterId>, known: Known) -> String {
        let Some(register) = register else { return self.temporary() };
        let key = Key::Register(state.calls.len() as u16, register);
        state.known.insert(key, known);
        match known {
            Known::Bits(_) => String::new(),
            _ => self.name(key),
        }
    }

    /// Puts a value into a register.
    pub(crate) fn copy(&mut self, state: &mut State, register: Option<RegisterId>, value: &Value, ty: ScalarType) {
        match value.known {
            Known::Bits(bits) => {
                self.set(state, register, Known::Bits(ty.cut(bits)));
            }
            known => {
                if register.is_none() {
                    return;
                }
                let to = self.set(state, register, known);
                if to != value.text {
                    self.emit(state, format!("mov.{} {to}, {}", unsigned(ty), value.text));
                }
            }
        }
    }

    fn step(&mut self, state: &mut State) -> Step {
        let prepared = self.prepared;
        let effect = &prepared.effects[state.function][state.at];
        let step = self.perform(state, effect);
        step.unwrap_or_else(|| self.unknown(state, "an operand is not of a kind that is known here"))
    }

    fn perform(&mut self, state: &mut State, effect: &'a Effect<'m>) -> Option<Step> {
        Some(match effect {
            Effect::Nothing => Step::Next,
            Effect::Unknown(why) => self.unknown(state, why.as_str()),
            Effect::Trap => self.stop(state, MarkKind::Trap, "`trap`"),
            Effect::Exit => {
                self.push(state, Piece::End);
                Step::Left
            }
            Effect::Return => match self.leave(state) {
                true => Step::Again,
                false => Step::Left,
            },
            Effect::Jump(to) => {
                state.at = *to;
                Step::Again
            }
            Effect::Compute { function, ty, to, operands } => {
                if *function == Computed::Select
                    && let Some(step) = self.select_pointer(state, operands)
                {
                    return Some(step);
                }
                let values = operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
                self.compute(state, *function, *ty, *to, &values);
                Step::Next
            }
            Effect::SetPredicate { relation, ty, to, operands, with } => {
                let (a, b) = (self.value(state, operands[0])?, self.value(state, operands[1])?);
                let with = match with {
                    Some((function, operand)) => Some((*function, self.value(state, operand)?)),
                    None => None,
                };
                let predicate = ScalarType { kind: Kind::Predicate, bits: 1 };
                for (n, to) in to.iter().enumerate().filter(|(_, to)| to.is_some()) {
                    let mut value = self.computed(state, Computed::Compare(*relation), *ty, &[a.clone(), b.clone()], None);
                    if n == 1 {
                        value = self.computed(state, Computed::Xor, predicate, &[value, constant(1)], None);
                    }
                    if let Some((function, with)) = &with {
                        value = self.computed(state, *function, predicate, &[value, with.clone()], None);
                    }
                    self.copy(state, *to, &value, predicate);
                }
                Step::Next
            }
            Effect::Opaque { to, operands } => {
                let mut open = Vec::new();
                for operand in operands {
                    if let Some(value) = self.value(state, operand)
                        && value.bits().is_none()
                        && !matches!(operand, Operand::Special(_))
                    {
                        open.push(value.text);
                    }
                }
                for to in to {
                    let to = self.set(state, Some(*to), OPAQUE);
                    let text = match open.as_slice() {
                        [] => format!("mov {to}, 0"),
                        [one] => format!("mov {to}, {one}"),
                        [one, more @ ..] => {
                            let sum = self.temporary();
                            self.emit(state, format!("mov {sum}, {one}"));
                            for other in more {
                                self.emit(state, format!("xor.u64 {sum}, {sum}, {other}"));
                            }
                            format!("mov {to}, {sum}")
                        }
                    };
                    self.emit(state, text);
                }
                Step::Next
            }
            Effect::Pack { parts, to } => {
                let register = self.register_type(state, *to);
                let width = register.bits / parts.len().max(1) as u16;
                let part = ScalarType { kind: Kind::Unsigned, bits: width };
                let whole = ScalarType { kind: Kind::Unsigned, bits: register.bits };
                let mut value = constant(0);
                for (n, operand) in parts.iter().enumerate() {
                    let piece = self.value(state, operand)?;
                    let piece = self.computed(state, Computed::Convert(part), whole, &[piece], None);
                    let by = constant(u64::from(width) * n as u64);
                    let piece = self.computed(state, Computed::ShiftLeft, whole, &[piece, by], None);
                    value = self.computed(state, Computed::Or, whole, &[value, piece], None);
                }
                self.copy(state, Some(*to), &value, whole);
                Step::Next
            }
            Effect::Unpack { parts, from } => {
                let value = self.value(state, from)?;
                let widths = parts.iter().flatten().map(|r| self.register_type(state, *r).bits);
                let width = widths.max().unwrap_or(32);
                let part = ScalarType { kind: Kind::Unsigned, bits: width };
                let whole = ScalarType { kind: Kind::Unsigned, bits: (width * parts.len() as u16).min(64) };
                // The register that is taken apart may be one of the parts.
                let mut values = Vec::new();
                for n in 0..parts.len() {
                    let by = constant(u64::from(width) * n as u64);
                    let moved = self.computed(state, Computed::ShiftRight, whole, &[value.clone(), by], None);
                    values.push(self.computed(state, Computed::Convert(whole), part, &[moved], None));
                }
                for (to, value) in parts.iter().zip(&values) {
                    self.copy(state, *to, value, part);
                }
                Step::Next
            }
            Effect::IsSpace { window, to, address } => {
                let value = self.value(state, address)?;
                let bits = match (value.known, address) {
                    (Known::Bits(bits), _) => Some(bits),
                    (Known::Open { into: Some(object), .. }, _) => Some(match object {
                        Object::Shared(..) => SHARED,
                        Object::Array(_) | Object::Exchange(..) => self.layout.extent(object).0,
                    }),
                    (_, Operand::Register(register)) => {
                        return Some(
                            self.split(state, *register, (64, 0), Window::Generic).unwrap_or_else(|why| self.unknown(state, why)),
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
                self.set(state, Some(*to), Known::Bits(u64::from(of == *window)));
                Step::Next
            }
            Effect::ConvertAddress { window, to_space, to, address } => {
                let value = self.value(state, address)?;
                let by = match window {
                    Window::Shared => SHARED,
                    Window::Local => LOCAL,
                    _ => 0,
                };
                let ty = ScalarType { kind: Kind::Unsigned, bits: 64 };
                let function = if *to_space { Computed::Subtract } else { Computed::Add };
                // A null pointer stays one.
                if value.bits() == Some(0) || by == 0 {
                    self.copy(state, Some(*to), &value, ty);
                } else {
                    self.compute(state, function, ty, Some(*to), &[value, constant(by)]);
                }
                Step::Next
            }
            Effect::Load { access, to, base, offset } => self.load(state, *access, to, base, *offset)?,
            Effect::Store { access, base, offset, values } => self.store(state, *access, base, *offset, values)?,
            Effect::Modify { access, update, to, base, offset, operands } => {
                self.modify(state, *access, *update, *to, (base, *offset), operands)?
            }
            Effect::Fence(order, scope) => {
                self.emit(state, format!("fence.{}.{}", order_name(*order), scope_name(*scope)));
                Step::Next
            }
            Effect::Barrier(meeting, barrier, count) => {
                let number = self.value(state, barrier)?.bits();
                let count = match count {
                    Some(count) => Some(self.value(state, count)?.bits()),
                    None => None,
                };
                let Some(number) = number else { return Some(self.unknown(state, "the number of a barrier depends on memory")) };
                let count = match count {
                    Some(None) => return Some(self.unknown(state, "the count of a barrier depends on memory")),
                    Some(Some(count)) => Some(count),
                    None => None,
                };
                let mode = if *meeting == Meeting::Arrive { "arrive" } else { "sync" };
                match count {
                    // A block of one thread meets nobody.
                    None if self.launch.threads == 1 => {}
                    None => self.push(state, Piece::Barrier(format!("bar.cta.{mode} {number}"))),
                    Some(count) => self.push(state, Piece::Barrier(format!("bar.cta.{mode} {number}, {count}"))),
                }
                Step::Next
            }
            Effect::WarpBarrier(mask) => {
                let Some(mask) = self.value(state, mask)?.bits() else {
                    return Some(self.unknown(state, "who takes part in a barrier of a warp depends on memory"));
                };
                let warp = self.thread / 32;
                let there = (self.launch.threads - warp * 32).min(32);
                let mask = mask & ((1u64 << there) - 1);
                if mask >> (self.thread % 32) & 1 == 0 {
                    return Some(self.unknown(state, "a barrier of a warp by a thread that its mask does not name"));
                }
                if mask.count_ones() > 1 {
                    // Those of one mask meet; which numbers tests have is seen when they are written.
                    let warp = 1 + u64::from(self.block * self.launch.threads.div_ceil(32) + warp);
                    let (instance, count) = (warp << 32 | mask, mask.count_ones());
                    self.push(state, Piece::Barrier(format!("bar.cta.sync {instance}, 0, {count}")));
                }
                Step::Next
            }
            Effect::Exchange { exchange, ty, to, operands, mask } => {
                self.exchange(state, (*exchange, *ty), *to, operands, mask)?
            }
            Effect::ActiveMask(to) => self.active_mask(state, *to),
            Effect::Call { function, results: _, arguments } => self.call(state, *function, arguments)?,
        })
    }

    /// A choice of two addresses in different arrays by what memory says: both ways are followed.
    fn select_pointer(&mut self, state: &mut State, operands: &[&Operand]) -> Option<Step> {
        let &[first, second, Operand::Register(register)] = operands else { return None };
        let (first, second) = (self.value(state, first)?, self.value(state, second)?);
        let (a, b) = (self.points_into(&first), self.points_into(&second));
        let key = Key::Register(state.calls.len() as u16, *register);
        let value = self.register(state, key);
        let Known::Open { opaque, .. } = value.known else { return None };
        if a == b {
            return None;
        }
        self.depends_on_opaque(state, opaque, "which address is chosen");
        let mut other = state.clone();
        other.known.insert(key, Known::Bits(0));
        state.known.insert(key, Known::Bits(1));
        let origin = self.origin(state);
        let label = self.later(other);
        self.code.push((Piece::Jump(Some((value.text, false)), label), Some(origin)));
        Some(Step::Again)
    }

    /// The array that a value points into, if it is an address.
    fn points_into(&self, value: &Value) -> Option<Object> {
        match value.known {
            Known::Open { into, .. } => into,
            Known::Bits(bits) => {
                self.layout.generic(bits, self.block).or_else(|| self.layout.shared(bits, self.block)).and_then(object_of)
            }
        }
    }

    fn register_type(&self, state: &State, register: RegisterId) -> ScalarType {
        self.prepared.module.functions[state.function].registers[register.0 as usize].ty
    }

    fn compute(&mut self, state: &mut State, function: Computed, ty: ScalarType, to: Option<RegisterId>, values: &[Value]) {
        let target = to.map(|register| Key::Register(state.calls.len() as u16, register));
        let value = self.computed(state, function, ty, values, target);
        let result = function.result(ty);
        let result = if result.kind == Kind::Predicate { ScalarType { kind: Kind::Unsigned, bits: 32 } } else { result };
        self.copy(state, to, &value, result);
    }

    /// The value of a function. Code for it goes into the register of a key, or into a new one.
    pub(crate) fn computed(
        &mut self,
        state: &State,
        function: Computed,
        ty: ScalarType,
        values: &[Value],
        to: Option<Key>,
    ) -> Value {
        let bits: Vec<Option<u64>> = values.iter().map(Value::bits).collect();
        if let Some(all) = bits.iter().copied().collect::<Option<Vec<u64>>>() {
            if let Some(value) = function.value(ty, &all) {
                return constant(value);
            }
            // What is not defined is any value.
            return Value { known: OPAQUE, text: "0".to_owned() };
        }
        let bit = |n: usize| bits.get(n).copied().flatten();
        let is_bit = ty.kind == Kind::Predicate || ty.bits == 1;
        let ones = if is_bit { 1 } else { ty.cut(u64::MAX) };
        match (function, bit(0).map(|b| ty.cut(b)), bit(1).map(|b| ty.cut(b))) {
            (Computed::Select, ..) if bit(2).is_some() => return values[usize::from(bit(2).is_some_and(|b| b & 1 == 0))].clone(),
            (Computed::And, Some(0), _) | (Computed::And, _, Some(0)) => return constant(0),
            (Computed::Or, Some(n), _) | (Computed::Or, _, Some(n)) if n == ones => return constant(ones),
            (Computed::Multiply(_), Some(0), _) | (Computed::Multiply(_), _, Some(0)) => return constant(0),
            (Computed::And, Some(n), _) if n == ones => return values[1].clone(),
            (Computed::And, _, Some(n)) if n == ones => return values[0].clone(),
            (Computed::Or | Computed::Xor | Computed::Add, Some(0), _) => return values[1].clone(),
            (
                Computed::Or | Computed::Xor | Computed::Add | Computed::Subtract | Computed::ShiftLeft | Computed::ShiftRight,
                _,
                Some(0),
            ) => return values[0].clone(),
            (Computed::Move, ..) => return values[0].clone(),
            (Computed::Convert(from), ..) if from.bits == ty.bits => return values[0].clone(),
            _ => {}
        }
        let opaque = values.iter().any(|v| matches!(v.known, Known::Open { opaque: true, .. }));
        let into = values.iter().find_map(|v| match v.known {
            Known::Open { into, .. } => into,
            Known::Bits(bits) if ty.bits == 64 => {
                self.layout.array_of(bits).or_else(|| self.layout.generic(bits, self.block).and_then(object_of))
            }
            Known::Bits(bits) if ty.bits == 32 => self.layout.shared(bits, self.block).and_then(object_of),
            Known::Bits(_) => None,
        });
        let is_sum =
            matches!(function, Computed::Add | Computed::Subtract | Computed::MultiplyAdd(_) | Computed::Select | Computed::Or);
        let from = |n: usize| values.get(n).map_or(0, |v| if let Known::Open { plus, .. } = v.known { plus } else { 0 });
        let plus = match (function, bit(0), bit(1)) {
            (Computed::Add, None, Some(n)) => from(0).wrapping_add(n as i64),
            (Computed::Add, Some(n), None) => from(1).wrapping_add(n as i64),
            (Computed::Subtract, None, Some(n)) => from(0).wrapping_sub(n as i64),
            _ => 0,
        };
        let plus = if ty.bits == 64 && into.is_none() && plus.abs() <= FURTHEST { plus } else { 0 };
        let to = match to {
            Some(key) => self.name(key),
            None => self.temporary(),
        };
        let name = typed(ty);
        let operand = |n: usize| values.get(n).map_or("0", |v| v.text.as_str());
        let (a, b, c) = (operand(0), operand(1), operand(2));
        let small = ty.bits < 16;
        let text = match function {
            Computed::Convert(from) => Some(format!("cvt.{name}.{} {to}, {a}", typed(from))),
            Computed::Not if is_bit => Some(format!("xor.u32 {to}, {a}, 1")),
            Computed::And if is_bit => Some(format!("and.u32 {to}, {a}, {b}")),
            Computed::Or if is_bit => Some(format!("or.u32 {to}, {a}, {b}")),
            Computed::Xor if is_bit => Some(format!("xor.u32 {to}, {a}, {b}")),
            _ if small => None,
            Computed::Not => Some(format!("not.{} {to}, {a}", bits_name(ty))),
            Computed::Negate => Some(format!("neg.s{} {to}, {a}", ty.bits)),
            Computed::Add => Some(format!("add.{name} {to}, {a}, {b}")),
            Computed::Subtract => Some(format!("sub.{name} {to}, {a}, {b}")),
            Computed::Multiply(Half::Low) => Some(format!("mul.lo.{name} {to}, {a}, {b}")),
            Computed::Multiply(Half::Wide) => Some(format!("mul.wide.{name} {to}, {a}, {b}")),
            Computed::MultiplyAdd(Half::Low) => Some(format!("mad.lo.{name} {to}, {a}, {b}, {c}")),
            Computed::MultiplyAdd(Half::Wide) => Some(format!("mad.wide.{name} {to}, {a}, {b}, {c}")),
            Computed::Divide if bit(1).is_some_and(|n| ty.cut(n) != 0) => Some(format!("div.{name} {to}, {a}, {b}")),
            Computed::Remainder if bit(1).is_some_and(|n| ty.cut(n) != 0) => Some(format!("rem.{name} {to}, {a}, {b}")),
            Computed::And => Some(format!("and.{} {to}, {a}, {b}", bits_name(ty))),
            Computed::Or => Some(format!("or.{} {to}, {a}, {b}", bits_name(ty))),
            Computed::Xor => Some(format!("xor.{} {to}, {a}, {b}", bits_name(ty))),
            Computed::IsZero => Some(format!("setp.eq.{name} {to}, {a}, 0")),
            Computed::ShiftLeft => Some(format!("shl.{} {to}, {a}, {b}", bits_name(ty))),
            Computed::ShiftRight => Some(format!("shr.{name} {to}, {a}, {b}")),
            Computed::Min => Some(format!("min.{name} {to}, {a}, {b}")),
            Computed::Max => Some(format!("max.{name} {to}, {a}, {b}")),
            Computed::Select => Some(format!("selp.{} {to}, {a}, {b}, {c}", unsigned(ty))),
            Computed::Compare(relation) => Some(format!("setp.{}.{name} {to}, {a}, {b}", relation_name(relation))),
            _ => None,
        };
        match text {
            Some(text) => {
                self.emit(state, text);
                Value { known: Known::Open { opaque, into: into.filter(|_| is_sum), plus }, text: to }
            }
            None => {
                // The value is not known, what it depends on is.
                let open: Vec<String> = values.iter().filter(|v| v.bits().is_none()).map(|v| v.text.clone()).collect();
                let sum = if open.contains(&to) { self.temporary() } else { to };
                self.emit(state, format!("mov {sum}, {}", open.first().map_or("0", String::as_str)));
                for other in open.iter().skip(1) {
                    self.emit(state, format!("xor.u64 {sum}, {sum}, {other}"));
                }
                Value { known: OPAQUE, text: sum }
            }
        }
    }

    /// The memory that an address names.
    fn place(&mut self, state: &mut State, window: Window, base: &Operand, offset: i64, bytes: u64) -> Option<Place> {
        let value = self.value(state, base)?;
        let Some(start) = value.bits() else {
            let Operand::Register(register) = base else { return None };
            let Known::Open { opaque, .. } = value.known else { return None };
            if opaque {
                return Some(Place::Unknown("an address depends on arithmetic that is not interpreted".to_owned()));
            }
            return Some(match self.split(state, *register, (bytes, offset), window) {
                Ok(_) => Place::Split,
                Err(why) => Place::Unknown(why),
            });
        };
        let address = start.wrapping_add_signed(offset);
        let of_variable = |space| matches!(base, Operand::Variable(id, _) if self.prepared.module.variable(*id).space == space);
        let target = match window {
            Window::Shared => self.layout.shared(address & 0xffff_ffff, self.block),
            Window::Local => Some(Target::Own(LOCAL + (address & 0xff_ffff_ffff))),
            Window::Parameter => Some(Target::Own(address | PARAMETER)),
            // A variable that is named without a space is one of its own.
            Window::Generic if of_variable(Space::Shared) => self.layout.shared(address & 0xffff_ffff, self.block),
            Window::Generic if of_variable(Space::Local) => Some(Target::Own(LOCAL + (address & 0xff_ffff_ffff))),
            _ => self.layout.generic(address, self.block),
        };
        // All bytes must be inside.
        let last = match target {
            Some(Target::Object(object, at)) => {
                let (_, size) = self.layout.extent(object);
                size.is_none_or(|size| at + bytes <= size)
            }
            Some(Target::Own(at)) => self.layout.is_own(at, bytes),
            None => false,
        };
        Some(match target.filter(|_| last) {
            Some(target) => Place::At(target),
            None => Place::Outside,
        })
    }

    /// Takes a register that holds an address apart into those that it may be: a jump for each, where it is known. The access is of so many
    /// bytes, so far from what the register holds.
    fn split(
        &mut self,
        state: &mut State,
        register: RegisterId,
        (bytes, displacement): (u64, i64),
        window: Window,
    ) -> Result<Step, String> {
        let key = Key::Register(state.calls.len() as u16, register);
        let value = self.register(state, key);
        let Known::Open { opaque, into, plus } = value.known else { return Err("an address that is not known".to_owned()) };
        if opaque {
            return Err("an address depends on arithmetic that is not interpreted".to_owned());
        }
        let step = bytes.clamp(1, 8);
        let (places, whole): (Vec<u64>, bool) = match into {
            Some(object) => {
                let (start, size) = self.layout.extent(object);
                let generic = matches!(object, Object::Shared(..)) && window == Window::Generic;
                let start = if generic { start + SHARED } else { start };
                let count = size.map_or(ELEMENTS, |size| size / step);
                if count > MAX_PLACES as u64 {
                    return Err(format!("a computed index into an array of more than {MAX_PLACES} elements"));
                }
                let start = start.wrapping_sub(displacement as u64);
                ((0..count).map(|n| start.wrapping_add(n * step)).collect(), size.is_some())
            }
            None => {
                let all = std::iter::once(0).chain(self.facts.pointers.iter().copied());
                (all.map(|at| at.wrapping_add_signed(plus)).collect(), false)
            }
        };
        let origin = self.origin(state);
        for place in places {
            let known = self.temporary();
            self.code.push((Piece::Other(format!("setp.eq.u64 {known}, {}, {place}", value.text)), Some(origin)));
            let mut with = state.clone();
            with.known.insert(key, Known::Bits(place));
            // A state in the middle of its instruction is labelled with all that it knows.
            let label = self.labels.len() as u32;
            let label = *self.labels.entry(with.clone()).or_insert(label);
            if !self.todo.iter().any(|(l, _)| *l == label) && !self.code.iter().any(|(p, _)| *p == Piece::Label(label)) {
                self.todo.push((label, with));
            }
            self.code.push((Piece::Jump(Some((known, true)), label), Some(origin)));
        }
        match whole {
            true => self.stop(state, MarkKind::Outside, "an index that memory says is outside of its array"),
            false => self.stop(state, MarkKind::Cut, format!("an address that memory says is none of those that were followed (of an array without a size {ELEMENTS} elements are)")),
        };
        Ok(Step::Left)
    }

    fn cell(&mut self, object: Object, offset: u64, bytes: u64, writes: bool, forced: bool) -> Option<MemoryCell> {
        let cell = MemoryCell { object, offset, bytes };
        let entry = self.uses.entry(cell).or_default();
        entry.writes |= writes;
        entry.forced |= forced;
        (offset..offset + bytes).any(|byte| self.facts.shared.contains(&(object, byte))).then_some(cell)
    }

    fn is_opaque(&self, cell: MemoryCell) -> bool {
        (cell.offset..cell.offset + cell.bytes).any(|byte| self.facts.opaque.contains(&(cell.object, byte)))
    }

    /// The generic address of shared memory of this thread's own use.
    fn own(&self, target: Target) -> u64 {
        match target {
            Target::Own(address) => address,
            Target::Object(object @ Object::Shared(..), offset) => SHARED + self.layout.extent(object).0 + offset,
            Target::Object(object, offset) => self.layout.extent(object).0 + offset,
        }
    }

    fn load(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        to: &[Option<RegisterId>],
        base: &Operand,
        offset: i64,
    ) -> Option<Step> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let target = match self.place(state, access.window, base, offset, bytes * to.len() as u64)? {
            Place::At(target) => target,
            Place::Outside => return Some(self.stop(state, MarkKind::Outside, "a load outside of every array")),
            Place::Split => return Some(Step::Left),
            Place::Unknown(why) => return Some(self.unknown(state, why)),
        };
        // Registers change only once the address is used.
        let mut found = Vec::new();
        for (n, register) in to.iter().enumerate() {
            let at = bytes * n as u64;
            let target = match target {
                Target::Own(address) => Target::Own(address + at),
                Target::Object(object, start) => Target::Object(object, start + at),
            };
            let shared = match target {
                Target::Object(object, start) => self.cell(object, start, bytes, false, false),
                Target::Own(_) => None,
            };
            if let Some(cell) = shared {
                if access.read_only {
                    let why = "a load through the cache of what nobody writes (`.nc`), of what the kernel writes: the model does not apply (PTX ISA 8.1)";
                    return Some(self.unknown(state, why));
                }
                let operation = format!("ld.{}.{}", qualified(access.order, access.scope), data(access.ty));
                found.push((*register, None, Some((operation, cell))));
            } else {
                let value = self.own_value(state, target, bytes);
                if let Err(why) = value {
                    return Some(self.unknown(state, why));
                }
                found.push((*register, value.ok(), None));
            }
        }
        let mut read = Vec::new();
        for (register, value, memory) in found {
            if let Some((operation, cell)) = memory {
                let known = if self.is_opaque(cell) { OPAQUE } else { OPEN };
                let to = self.set(state, register, known);
                self.push(state, Piece::Read { operation, to, cell });
                read.extend(register.filter(|_| known == OPEN).map(|register| (register, cell)));
            } else if let (Some(register), Some(value)) = (register, value) {
                let width = self.register_type(state, register);
                let value = match value.bits() {
                    Some(bits) if access.ty.kind == Kind::Signed => {
                        constant(width.cut(access.ty.signed(access.ty.cut(bits)) as u64))
                    }
                    None if access.ty.kind == Kind::Signed => {
                        let signed = ScalarType { kind: Kind::Signed, bits: width.bits };
                        self.computed(state, Computed::Convert(access.ty), signed, &[value], None)
                    }
                    _ => value,
                };
                self.copy(state, Some(register), &value, width);
            }
        }
        for (register, cell) in read {
            self.cases(state, register, cell, access.ty);
        }
        Some(Step::Next)
    }

    /// Where an address is made of what was read, and memory there holds few values: a way for each of them. What is made of each is constant then.
    /// The last one goes on here: it is 0 if that is one of them, so that a loop that waits for an address stays one piece of code.
    fn cases(&mut self, state: &mut State, register: RegisterId, cell: MemoryCell, ty: ScalarType) {
        let of_address = self.prepared.addressing[state.function].contains(&register);
        let is_extended = ty.kind == Kind::Signed && self.register_type(state, register).bits > ty.bits;
        if !of_address || is_extended {
            return;
        }
        let values = match self.facts.values.get(&cell) {
            // A read-modify-write does not read what it writes itself. Where it is executed once and nothing else writes that, it is not there yet.
            Some(Some(values)) => {
                let number = self.block * self.launch.threads + self.thread;
                let own = Some((number, self.origin(state)));
                let is_once = state.calls.is_empty() && !self.prepared.is_in_loop(state.function, state.at);
                values.iter().filter(|(_, writer)| !(is_once && **writer == own)).map(|(value, _)| *value).collect()
            }
            Some(None) => return,
            None if self.facts.values.keys().any(|other| cell.overlaps(other)) => return,
            // Nothing was written yet as far as is known.
            None => self.layout.initial(cell.object, cell.offset, cell.bytes.min(8)).into_iter().chain([0]).take(1).collect(),
        };
        let values: Vec<u64> = values;
        let key = Key::Register(state.calls.len() as u16, register);
        let mut values = values;
        values.sort_by_key(|&value| (value == 0, value));
        let Some(last) = values.pop() else { return };
        let (text, origin) = (self.name(key), self.origin(state));
        for value in values {
            let known = self.temporary();
            self.emit(state, format!("setp.eq.u{} {known}, {text}, {}", ty.bits.max(16), number(value)));
            let mut with = state.clone();
            with.at += 1;
            with.known.insert(key, Known::Bits(value));
            let label = self.later(with);
            self.code.push((Piece::Jump(Some((known, true)), label), Some(origin)));
        }
        state.known.insert(key, Known::Bits(last));
    }

    /// What memory that this thread alone uses holds.
    fn own_value(&mut self, state: &State, target: Target, bytes: u64) -> Result<Value, String> {
        let address = self.own(target);
        let exact = Key::Cell(address, bytes as u8);
        if let Some(&known) = state.known.get(&exact) {
            return Ok(match known {
                Known::Bits(bits) => constant(bits),
                known => Value { known, text: self.name(exact) },
            });
        }
        // Byte by byte, from what was written there in another width.
        let mut value = 0u64;
        let mut undefined = false;
        for i in 0..bytes {
            let at = address + i;
            let lowest = Key::Cell(at.saturating_sub(7), 0);
            let over = state.known.range(lowest..=Key::Cell(at, u8::MAX)).rev();
            let over = over
                .filter_map(|(k, v)| if let Key::Cell(start, width) = k { Some((*start, u64::from(*width), *v)) } else { None });
            let mut over = over.filter(|(start, width, _)| *start <= at && at < start + width);
            let byte = match (over.next(), target) {
                (Some((start, _, Known::Bits(bits))), _) => bits >> (8 * (at - start)) & 0xff,
                (Some(_), _) => return Err("memory is read in another width than it was written in".to_owned()),
                (None, Target::Object(object, offset)) => match self.layout.initial(object, offset + i, 1) {
                    Some(byte) => byte,
                    None => {
                        undefined = true;
                        0
                    }
                },
                (None, Target::Own(_)) => {
                    undefined = true;
                    0
                }
            };
            value |= byte << (8 * i);
        }
        Ok(match undefined {
            true => Value { known: OPAQUE, text: "0".to_owned() },
            false => constant(value),
        })
    }

    /// Writes memory that this thread alone uses.
    fn own_store(&mut self, state: &mut State, target: Target, bytes: u64, value: &Value) -> Result<(), String> {
        let address = self.own(target);
        let over: Vec<Key> = state
            .known
            .range(Key::Cell(address.saturating_sub(7), 0)..Key::Cell(address + bytes, 0))
            .map(|(k, _)| *k)
            .filter(|k| matches!(k, Key::Cell(start, width) if start + u64::from(*width) > address))
            .collect();
        for key in over {
            let Key::Cell(start, width) = key else { continue };
            let old = state.known.remove(&key);
            if start >= address && start + u64::from(width) <= address + bytes {
                continue;
            }
            // What remains of a wider value, byte by byte.
            let Some(Known::Bits(bits)) = old else { return Err("memory is written in another width than before".to_owned()) };
            for i in (0..u64::from(width)).filter(|i| start + i < address || start + i >= address + bytes) {
                state.known.insert(Key::Cell(start + i, 1), Known::Bits(bits >> (8 * i) & 0xff));
            }
        }
        let key = Key::Cell(address, bytes as u8);
        let ty = ScalarType { kind: Kind::Unsigned, bits: (8 * bytes) as u16 };
        match value.known {
            Known::Bits(bits) => {
                state.known.insert(key, Known::Bits(ty.cut(bits)));
            }
            known => {
                state.known.insert(key, known);
                let name = self.name(key);
                // Memory keeps as many bits as it has.
                let text = match bytes {
                    8 => format!("mov.u64 {name}, {}", value.text),
                    _ => format!("cvt.u{}.u64 {name}, {}", ty.bits, value.text),
                };
                self.emit(state, text);
            }
        }
        Ok(())
    }

    fn store(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        base: &Operand,
        offset: i64,
        values: &[&Operand],
    ) -> Option<Step> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let target = match self.place(state, access.window, base, offset, bytes * values.len() as u64)? {
            Place::At(target) => target,
            Place::Outside => return Some(self.stop(state, MarkKind::Outside, "a store outside of every array")),
            Place::Split => return Some(Step::Left),
            Place::Unknown(why) => return Some(self.unknown(state, why)),
        };
        for (n, operand) in values.iter().enumerate() {
            let value = self.value(state, operand)?;
            let at = bytes * n as u64;
            let target = match target {
                Target::Own(address) => Target::Own(address + at),
                Target::Object(object, start) => Target::Object(object, start + at),
            };
            let shared = match target {
                Target::Object(object, start) => self.cell(object, start, bytes, true, false),
                Target::Own(_) => None,
            };
            match shared {
                Some(cell) => {
                    let origin = self.origin(state);
                    self.written(cell, &value, origin);
                    let operation = format!("st.{}.{}", qualified(access.order, access.scope), data(access.ty));
                    self.push(state, Piece::Write { operation, cell, operands: value.text, idle: None });
                }
                None => {
                    if let Err(why) = self.own_store(state, target, bytes, &value) {
                        return Some(self.unknown(state, why));
                    }
                }
            }
        }
        Some(Step::Next)
    }

    /// What is put into shared memory: whether it means anything, and whether it is an address.
    fn written(&mut self, cell: MemoryCell, value: &Value, origin: Origin) {
        let number = self.block * self.launch.threads + self.thread;
        let all = self.values.entry(cell).or_insert_with(|| Some(BTreeMap::new()));
        match (value.bits(), all) {
            (Some(bits), Some(all)) => {
                let ty = ScalarType { kind: Kind::Unsigned, bits: (8 * cell.bytes.min(8)) as u16 };
                add_writer(all, ty.cut(bits), Some((number, origin)));
            }
            (_, all) => *all = None,
        }
        match value.known {
            Known::Bits(bits) => {
                let is_address = cell.bytes == 8 && bits != 0 && self.layout.generic(bits, self.block).is_some();
                self.pointers.extend(Some(bits).filter(|_| is_address));
            }
            Known::Open { opaque: true, .. } => {
                self.opaque.extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b)))
            }
            Known::Open { into: Some(_), .. } => {}
            Known::Open { .. } => {}
        }
    }

    fn modify(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        update: Update,
        to: Option<Option<RegisterId>>,
        (base, offset): (&Operand, i64),
        operands: &[&Operand],
    ) -> Option<Step> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let (object, start) = match self.place(state, access.window, base, offset, bytes)? {
            Place::At(Target::Object(object, start)) => (object, start),
            Place::At(Target::Own(_)) => return Some(self.unknown(state, "a read-modify-write of memory of the thread alone")),
            Place::Outside => return Some(self.stop(state, MarkKind::Outside, "a read-modify-write outside of every array")),
            Place::Split => return Some(Step::Left),
            Place::Unknown(why) => return Some(self.unknown(state, why)),
        };
        let values = operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
        let float = access.ty.kind == Kind::Float && !matches!(update, Update::Exchange | Update::CompareAndSwap);
        let Some(cell) = self.cell(object, start, bytes, true, false) else {
            // Nobody else uses it: what is constant is computed.
            let target = Target::Object(object, start);
            let old = match self.own_value(state, target, bytes) {
                Ok(old) => old,
                Err(why) => return Some(self.unknown(state, why)),
            };
            let all: Option<Vec<u64>> = values.iter().map(Value::bits).collect();
            let new = old.bits().zip(all).filter(|_| !float).and_then(|(old, all)| update.value(access.ty, old, &all));
            let Some(new) = new else {
                self.cell(object, start, bytes, true, true);
                return Some(Step::Left);
            };
            if let Err(why) = self.own_store(state, target, bytes, &constant(new)) {
                return Some(self.unknown(state, why));
            }
            if let Some(register) = to {
                self.copy(state, register, &old, access.ty);
            }
            return Some(Step::Next);
        };
        let opaque = float || values.iter().any(|v| matches!(v.known, Known::Open { opaque: true, .. })) || self.is_opaque(cell);
        if opaque {
            self.opaque.extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b)));
        }
        if matches!(update, Update::CompareAndSwap) {
            let compares = self.is_opaque(cell) || matches!(values[0].known, Known::Open { opaque: true, .. });
            self.depends_on_opaque(state, compares, "whether a compare-and-swap succeeds");
        }
        let origin = self.origin(state);
        values.iter().for_each(|value| self.written(cell, value, origin));
        if !matches!(update, Update::Exchange | Update::CompareAndSwap) {
            self.values.insert(cell, None);
        }
        let ty = match (float, update) {
            (true, _) => format!("u{}", access.ty.bits),
            (_, Update::Exchange | Update::CompareAndSwap | Update::And | Update::Or | Update::Xor) => {
                format!("b{}", access.ty.bits)
            }
            (_, Update::Min | Update::Max) if access.ty.kind == Kind::Signed => format!("s{}", access.ty.bits),
            _ => format!("u{}", access.ty.bits),
        };
        let function = match update {
            Update::Exchange => "exch",
            Update::CompareAndSwap => "cas",
            Update::Add => "add",
            Update::And => "and",
            Update::Or => "or",
            Update::Xor => "xor",
            Update::Increment => "inc",
            Update::Decrement => "dec",
            Update::Min => "min",
            Update::Max => "max",
        };
        let qualifiers = format!("{}.{function}.{ty}", qualified(access.order, access.scope));
        let text = values.iter().map(|v| v.text.as_str()).collect::<Vec<_>>().join(", ");
        let Some(register) = to else {
            self.push(state, Piece::Write { operation: format!("red.{qualifiers}"), cell, operands: text, idle: None });
            return Some(Step::Next);
        };
        let to = self.set(state, register, if opaque { OPAQUE } else { OPEN });
        let first = values[0].bits().map(|b| number(access.ty.cut(b)));
        let idle = match (update, first) {
            (Update::CompareAndSwap, Some(n)) => Some(Idle::ReadsNot(n)),
            (Update::Exchange, Some(n)) => Some(Idle::Reads(n)),
            (Update::Add | Update::Or | Update::Xor, Some(0)) => Some(Idle::Always),
            _ => None,
        };
        let idle = idle.map(|idle| (to.clone(), idle));
        self.push(state, Piece::Write { operation: format!("atom.{qualifiers} {to},"), cell, operands: text, idle });
        if let Some(register) = register.filter(|_| !opaque) {
            self.cases(state, register, cell, access.ty);
        }
        Some(Step::Next)
    }

    /// The memory of a parameter of a call.
    fn parameter(&self, id: VariableId, depth: usize) -> (u64, u64) {
        (self.layout.address(id, depth), self.prepared.module.variable(id).size.unwrap_or(8))
    }

    /// Copies what is passed to where it is taken.
    fn pass(&mut self, state: &mut State, from: &Operand, (to, depth): (Parameter, usize), from_depth: usize) -> Option<()> {
        let moved: Vec<(Key, Known, String)> = match (from, to) {
            (Operand::Variable(id, _), Parameter::Memory(other)) => {
                let ((start, size), (target, _)) = (self.parameter(*id, from_depth), self.parameter(other, depth));
                let cells: Vec<(Key, Known)> =
                    state.known.range(Key::Cell(start, 0)..Key::Cell(start + size, 0)).map(|(k, v)| (*k, *v)).collect();
                cells
                    .into_iter()
                    .filter_map(|(key, known)| {
                        let Key::Cell(at, width) = key else { return None };
                        Some((Key::Cell(target + at - start, width), known, self.name(key)))
                    })
                    .collect()
            }
            (operand, to) => {
                let value = match operand {
                    Operand::Register(r) => self.register(state, Key::Register(from_depth as u16, *r)),
                    other => self.value(state, other)?,
                };
                let key = match to {
                    Parameter::Memory(id) => {
                        let (target, size) = self.parameter(id, depth);
                        Key::Cell(target, size.min(8) as u8)
                    }
                    Parameter::Register(register) => Key::Register(depth as u16, register),
                };
                vec![(key, value.known, value.text)]
            }
        };
        for (key, known, text) in moved {
            state.known.insert(key, known);
            if !matches!(known, Known::Bits(_)) {
                let name = self.name(key);
                self.emit(state, format!("mov {name}, {text}"));
            }
        }
        Some(())
    }

    fn call(&mut self, state: &mut State, function: Option<&str>, arguments: &[Operand]) -> Option<Step> {
        let Some(name) = function else {
            return Some(self.unknown(state, "a call of a function whose address is in a register"));
        };
        let module = self.prepared.module;
        let callee = module.function(name).filter(|&f| module.functions[f].body.is_some());
        let Some(callee) = callee else {
            return Some(match name {
                "__assertfail" | "__assert_fail" => self.stop(state, MarkKind::Trap, "an assertion that fails"),
                // What is printed is nothing that threads read.
                "vprintf" => {
                    if let Effect::Call { results, .. } = &self.prepared.effects[state.function][state.at] {
                        for result in *results {
                            if let Operand::Variable(id, _) = result {
                                let (at, size) = self.parameter(*id, state.calls.len());
                                state.known.insert(Key::Cell(at, size.min(8) as u8), Known::Bits(0));
                            }
                        }
                    }
                    Step::Next
                }
                other => self.unknown(state, format!("`{other}` is of another module")),
            });
        };
        if callee == state.function || state.calls.iter().any(|(f, _)| *f == callee) {
            return Some(self.unknown(state, format!("`{name}` calls itself")));
        }
        let depth = state.calls.len();
        for (argument, parameter) in arguments.iter().zip(&module.functions[callee].parameters) {
            self.pass(state, argument, (*parameter, depth + 1), depth)?;
        }
        state.calls.push((state.function, state.at));
        (state.function, state.at) = (callee, 0);
        Some(Step::Again)
    }

    /// Back to the caller; `false` at the end of the kernel.
    fn leave(&mut self, state: &mut State) -> bool {
        let module = self.prepared.module;
        let depth = state.calls.len();
        let Some((function, at)) = state.calls.pop() else {
            self.code.push((Piece::End, None));
            return false;
        };
        let callee = &module.functions[state.function];
        (state.function, state.at) = (function, at);
        if let Effect::Call { results, .. } = &self.prepared.effects[function][at] {
            for (result, parameter) in results.iter().zip(&callee.results) {
                self.give_back(state, *parameter, depth, result);
            }
        }
        // What was of the call is gone.
        let range = PARAMETER | (depth as u64) << 44..PARAMETER | (depth as u64 + 1) << 44;
        state.known.retain(|key, _| match key {
            Key::Register(of, _) => usize::from(*of) < depth,
            Key::Cell(at, _) => !range.contains(at),
            Key::Met(_) => true,
        });
        state.at += 1;
        true
    }

    /// Copies what is returned at a depth to the result of the caller.
    fn give_back(&mut self, state: &mut State, from: Parameter, depth: usize, result: &Operand) {
        let cells: Vec<(Key, Known)> = match from {
            Parameter::Memory(id) => {
                let (start, size) = self.parameter(id, depth);
                state.known.range(Key::Cell(start, 0)..Key::Cell(start + size, 0)).map(|(k, v)| (*k, *v)).collect()
            }
            Parameter::Register(register) => {
                let key = Key::Register(depth as u16, register);
                state.known.get(&key).map(|&known| (key, known)).into_iter().collect()
            }
        };
        for (key, known) in cells {
            let to = match (result, from, key) {
                (Operand::Variable(id, _), Parameter::Memory(of), Key::Cell(at, width)) => {
                    Key::Cell(self.parameter(*id, depth - 1).0 + at - self.parameter(of, depth).0, width)
                }
                (Operand::Variable(id, _), ..) => {
                    let (at, size) = self.parameter(*id, depth - 1);
                    Key::Cell(at, size.min(8) as u8)
                }
                (Operand::Register(register), ..) => Key::Register(depth as u16 - 1, *register),
                _ => continue,
            };
            state.known.insert(to, known);
            if !matches!(known, Known::Bits(_)) {
                let (from, to) = (self.name(key), self.name(to));
                self.emit(state, format!("mov {to}, {from}"));
            }
        }
    }
}

/// For each instruction whether it is between a backward jump and where that goes to: a way from an instruction to itself goes back over it.
fn in_loops(effects: &[Effect<'_>]) -> Vec<bool> {
    let mut found = vec![false; effects.len()];
    for (at, effect) in effects.iter().enumerate() {
        if let Effect::Jump(to) = effect
            && *to <= at
        {
            found[*to..=at].fill(true);
        }
    }
    found
}

/// The registers of a function that addresses are made of.
fn addressing(effects: &[Effect<'_>]) -> FxHashSet<RegisterId> {
    let register = |o: &Operand| if let Operand::Register(r) = o { Some(*r) } else { None };
    let mut found: FxHashSet<RegisterId> = FxHashSet::default();
    loop {
        let before = found.len();
        for effect in effects {
            match effect {
                Effect::Load { base, .. } | Effect::Store { base, .. } | Effect::Modify { base, .. } => {
                    found.extend(register(base))
                }
                Effect::IsSpace { address, .. } => found.extend(register(address)),
                Effect::ConvertAddress { to, address, .. } if found.contains(to) => found.extend(register(address)),
                Effect::Compute { function, to: Some(to), operands, .. }
                    if found.contains(to) && !matches!(function, Computed::Compare(_)) =>
                {
                    found.extend(operands.iter().filter_map(|o| register(o)));
                }
                _ => {}
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn object_of(target: Target) -> Option<Object> {
    if let Target::Object(object, _) = target { Some(object) } else { None }
}

pub(crate) fn constant(bits: u64) -> Value {
    Value { known: Known::Bits(bits), text: number(bits).to_string() }
}

/// The number of a litmus test for bits.
fn number(bits: u64) -> i64 {
    bits as i64
}
