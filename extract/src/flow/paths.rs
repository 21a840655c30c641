//! The exploration of a function: one state for each way through it.

use margay_ptx::effect::NumberComparison;
use rustc_hash::FxHashMap;

use crate::ptx::{PtxFunction, PtxInstruction, PtxModule, PtxOperand};

use super::arithmetic::{compute, forget, operand};
use super::effect::{FlowAccess, FlowEffect, Verb, effect};
use super::facts::PathFacts;
use super::state::{EventKind, Frame, PathEffect, PathState, Region};
use super::value::{FlowNode, FlowValue, FlowValues};
use super::{ActionKind, FlowPath, PathAction, Swap};

/// A branch that is not decided goes each way at most so often on one path: a loop has so many
/// rounds, and one more.
const TURNS: u32 = 2;
/// At most so many instructions on one path.
const MAX_STEPS: usize = 50_000;
/// At most so many instructions on all paths of a function together.
const MAX_STEPS_OF_ALL: usize = 2_000_000;
/// At most so many parts of values are looked at on all paths of a function together: a value that
/// a loop adds to in each round has as many.
const MAX_PARTS_OF_ALL: usize = 5_000_000;
/// At most so many paths are followed, also those that come to nothing.
const MAX_PATHS: usize = 4_000;
/// Functions that call each other go at most so deep.
const MAX_DEPTH: usize = 24;

/// All paths of a function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    /// Those that return, and whose object other threads can see; each sequence of actions once.
    pub paths: Vec<FlowPath>,
    /// How many found the object in the thread's own memory: nobody else sees what they do.
    pub private: usize,
    /// How many end in a trap.
    pub trapped: usize,
    /// Why not all paths are there.
    pub incomplete: Option<String>,
}

/// Follows every path of a function. Its first parameters point to so many objects.
pub fn explore(module: &PtxModule, function: &PtxFunction, objects: usize) -> Paths {
    let Some(index) = module.functions.iter().position(|f| f.name == function.name) else {
        return Paths::default();
    };
    let mut values = FlowValues::default();
    let mut start = PathState {
        frames: vec![Frame {
            function: index,
            at: 0,
            registers: FxHashMap::default(),
            results: Vec::new(),
        }],
        memory: FxHashMap::default(),
        facts: PathFacts::default(),
        events: Vec::new(),
        spaces: Vec::new(),
        troubles: Vec::new(),
        turns: FxHashMap::default(),
        steps: 0,
    };
    let parameters: Vec<FlowValue> = function
        .parameters
        .iter()
        .map(|name| {
            let value = values.unknown();
            let name = start.own_name(name);
            start.store(&name, 0, 16, value);
            value
        })
        .collect();
    let mut machine = PathMachine {
        module,
        values,
        objects: parameters.iter().take(objects).copied().collect(),
        others: parameters.get(objects..).unwrap_or_default().to_vec(),
        open: vec![start],
        steps: 0,
        out: Paths::default(),
    };
    let mut followed = 0;
    while let Some(state) = machine.open.pop() {
        followed += 1;
        if followed > MAX_PATHS {
            machine.out.incomplete = Some(format!("more than {MAX_PATHS} paths"));
            break;
        }
        machine.follow(state);
        if let Some(why) = machine.too_much() {
            machine.out.incomplete = Some(why);
            break;
        }
    }
    machine.out
}

struct PathMachine<'a> {
    module: &'a PtxModule,
    values: FlowValues,
    objects: Vec<FlowValue>,
    others: Vec<FlowValue>,
    open: Vec<PathState>,
    /// How many instructions were followed, on all paths.
    steps: usize,
    out: Paths,
}

/// What comes after an instruction.
enum PathNext {
    Go,
    /// The path ends here, and is none.
    End,
    /// The function returned, and was the first.
    Return,
}

impl PathMachine<'_> {
    /// Why the paths of a function are not followed any further.
    fn too_much(&self) -> Option<String> {
        let steps = || format!("more than {MAX_STEPS_OF_ALL} instructions on its paths");
        let parts = || {
            format!(
                "values on its paths that are made of more than {MAX_PARTS_OF_ALL} parts, each time they are looked at"
            )
        };
        (self.steps > MAX_STEPS_OF_ALL)
            .then(steps)
            .or_else(|| (self.values.looked() > MAX_PARTS_OF_ALL).then(parts))
    }

    /// Follows a state to the end of its path; other ways of undecided branches are left open.
    fn follow(&mut self, mut state: PathState) {
        loop {
            state.steps += 1;
            self.steps += 1;
            if state.steps > MAX_STEPS {
                let long = || format!("a path of more than {MAX_STEPS} instructions");
                self.out.incomplete = Some(state.troubles.first().cloned().unwrap_or_else(long));
                return;
            }
            if self.too_much().is_some() {
                return;
            }
            let frame = state.frame();
            let (function, at) = (frame.function, frame.at);
            frame.at += 1;
            let next = match self.module.functions[function].body.get(at) {
                // The end of a body is a return.
                None => self.leave(&mut state),
                Some(instruction) => self.step(&mut state, instruction, at),
            };
            match next {
                PathNext::Go => {}
                PathNext::End => return,
                PathNext::Return => return self.finish(state),
            }
        }
    }

    fn step(&mut self, state: &mut PathState, instruction: &PtxInstruction, at: usize) -> PathNext {
        let effect = effect(instruction);
        let is_control = super::CONTROL.contains(&instruction.opcode());
        let mut under = None;
        if let Some((register, negated)) = &instruction.predicate {
            let mut predicate = state.register(&mut self.values, register);
            if *negated {
                predicate = self.values.not(predicate);
            }
            match state.facts.holds(&self.values, predicate) {
                Some(true) => {}
                Some(false) => return PathNext::Go,
                None if effect == FlowEffect::None && !is_control => under = Some(predicate),
                None => return self.fork(state, predicate, at),
            }
        }
        match effect {
            FlowEffect::None if is_control => self.control(state, instruction, at),
            FlowEffect::None => {
                compute(state, &mut self.values, instruction, under);
                PathNext::Go
            }
            FlowEffect::Access(access) => {
                self.access(state, instruction, access);
                PathNext::Go
            }
            FlowEffect::Fence(order, scope) => {
                state.events.push(event(instruction, EventKind::Fence(order, scope)));
                PathNext::Go
            }
            FlowEffect::Threads => {
                state.trouble(format!("not one thread's: `{instruction}`"));
                instruction
                    .operands
                    .iter()
                    .take(1)
                    .for_each(|to| forget(state, &mut self.values, to));
                PathNext::Go
            }
            FlowEffect::Strange(why) => {
                state.trouble(format!("`{instruction}`: {why}"));
                PathNext::Go
            }
            FlowEffect::Unknown(what) => {
                state.trouble(what);
                instruction
                    .operands
                    .iter()
                    .take(1)
                    .for_each(|to| forget(state, &mut self.values, to));
                PathNext::Go
            }
        }
    }

    /// An undecided predicate: this instruction again with each answer.
    fn fork(&mut self, state: &mut PathState, predicate: FlowValue, at: usize) -> PathNext {
        let named =
            self.values.within(predicate).into_iter().find_map(|v| match self.values.node(v) {
                FlowNode::Other(name, _) if name.starts_with('%') => Some(name.clone()),
                _ => None,
            });
        if let Some(name) = named {
            state.trouble(format!("not one thread's: it depends on `{name}`"));
        }
        state.frame().at = at;
        let depth = state.frames.len();
        for holds in [false, true] {
            let mut way = state.clone();
            let turns = way.turns.entry((depth, at, holds)).or_insert(0);
            *turns += 1;
            if *turns > TURNS || !way.facts.learn(&self.values, predicate, holds) {
                continue;
            }
            // The negation of a question about the object's space is that question.
            let (mut asked, mut is_so) = (predicate, holds);
            while let FlowNode::Not(inner) = *self.values.node(asked) {
                (asked, is_so) = (inner, !is_so);
            }
            if is_so && !self.enters(&mut way, asked) {
                continue;
            }
            self.open.push(way);
        }
        PathNext::End
    }

    /// Notes the state space that a predicate puts the object in; `false` if that is the thread's
    /// own memory.
    fn enters(&mut self, state: &mut PathState, predicate: FlowValue) -> bool {
        if let FlowNode::In(space, _) = self.values.node(predicate) {
            if space == "local" {
                self.out.private += 1;
                return false;
            }
            state.spaces.push(space.clone());
        }
        true
    }

    fn control(
        &mut self,
        state: &mut PathState,
        instruction: &PtxInstruction,
        at: usize,
    ) -> PathNext {
        match (instruction.opcode(), instruction.operands.first()) {
            ("bra", Some(PtxOperand::Name(label))) => {
                let function = &self.module.functions[state.frame().function];
                match function.label(label) {
                    Some(target) => state.frame().at = target,
                    None => return self.lost(format!("there is no label `{label}`")),
                }
                PathNext::Go
            }
            ("ret", _) => self.leave(state),
            ("exit", _) => PathNext::Return,
            ("trap", _) => {
                self.out.trapped += 1;
                PathNext::End
            }
            ("call", _) => self.call(state, instruction),
            _ => {
                let _ = at;
                self.lost(format!("`{instruction}` goes to an address that is computed"))
            }
        }
    }

    fn lost(&mut self, why: String) -> PathNext {
        self.out.incomplete = Some(why);
        PathNext::End
    }

    /// A call of a function of the module goes into it; of any other nothing is known.
    fn call(&mut self, state: &mut PathState, instruction: &PtxInstruction) -> PathNext {
        let mut lists = instruction.operands.iter().filter_map(|o| match o {
            PtxOperand::List(items) => Some(items.as_slice()),
            _ => None,
        });
        let has_results = matches!(instruction.operands.first(), Some(PtxOperand::List(_)));
        let results = if has_results { lists.next().unwrap_or_default() } else { &[] };
        let arguments = lists.next().unwrap_or_default();
        let callee = instruction.operands.iter().find_map(|o| match o {
            PtxOperand::Name(name) => Some(name.as_str()),
            _ => None,
        });
        let Some(name) = callee else {
            state.trouble("a call through a pointer");
            return PathNext::Go;
        };
        let found = self.module.functions.iter().position(|f| f.name == name);
        let Some(index) = found.filter(|_| state.frames.len() < MAX_DEPTH) else {
            state.trouble(format!("a call of `{name}`, which is not in the file"));
            // What it returns is something else every time.
            for result in results {
                if let PtxOperand::Name(result) = result {
                    let own = state.own_name(result);
                    state.forget(&own);
                }
            }
            return PathNext::Go;
        };
        let name_of = |o: &PtxOperand| match o {
            PtxOperand::Name(name) => Some(name.clone()),
            _ => None,
        };
        let caller = state.frames.len();
        let function = &self.module.functions[index];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let Some(argument) = name_of(argument) else { continue };
            let (from, to) =
                (format!("{caller}:{argument}"), format!("{}:{parameter}", caller + 1));
            copy(state, &from, &to);
        }
        let results = results.iter().filter_map(name_of).map(|n| format!("{caller}:{n}")).collect();
        state.frames.push(Frame {
            function: index,
            at: 0,
            registers: FxHashMap::default(),
            results,
        });
        PathNext::Go
    }

    /// The function returns to its caller.
    fn leave(&mut self, state: &mut PathState) -> PathNext {
        let depth = state.frames.len();
        let Some(frame) = state.frames.pop() else { return PathNext::End };
        if state.frames.is_empty() {
            return PathNext::Return;
        }
        for (own, wanted) in
            self.module.functions[frame.function].results.iter().zip(&frame.results)
        {
            copy(state, &format!("{depth}:{own}"), wanted);
        }
        let gone = format!("{depth}:");
        state.memory.retain(|(name, _), _| !name.starts_with(&gone));
        PathNext::Go
    }

    fn access(&mut self, state: &mut PathState, instruction: &PtxInstruction, access: FlowAccess) {
        let values = &mut self.values;
        let is_store = matches!(access.verb, Verb::Store | Verb::Reduction);
        let at = instruction.operands.iter().position(|o| matches!(o, PtxOperand::Address(..)));
        let Some(PtxOperand::Address(base, offset)) = at.map(|i| &instruction.operands[i]) else {
            return state.trouble(format!("`{instruction}` has no address"));
        };
        // Parameters are addressed by name; those of a callee are declared by the caller.
        let base = operand(state, values, base);
        let offset = values.number(*offset as u64);
        let address = values.plus(base, offset, 64);
        let bytes = access.element.bits / 8;
        let region =
            match (&access.space, state.region(values, address, &self.objects, &self.others)) {
                (Some(space), Region::Own(name, _))
                    if space == "global" || space == "const" || space == "shared" =>
                {
                    let _ = name;
                    Region::Elsewhere
                }
                (_, region) => region,
            };
        match region {
            Region::Own(name, Some(offset)) if is_store => {
                let parts = match instruction.operands.last() {
                    Some(PtxOperand::Vector(parts)) => parts.clone(),
                    Some(one) => vec![one.clone()],
                    None => Vec::new(),
                };
                for (i, part) in parts.iter().enumerate() {
                    let value = operand(state, values, part);
                    state.store(&name, offset + i as i64 * i64::from(bytes), bytes, value);
                }
            }
            Region::Own(name, Some(offset)) if access.verb == Verb::Load => {
                let parts = match instruction.operands.first() {
                    Some(PtxOperand::Vector(parts)) => parts.clone(),
                    Some(one) => vec![one.clone()],
                    None => Vec::new(),
                };
                for (i, part) in parts.iter().enumerate() {
                    let mut value =
                        state.load(values, &name, offset + i as i64 * i64::from(bytes), bytes);
                    if access.element.signed && !access.element.float {
                        value = values.signed(access.element.bits, 64, value);
                    }
                    if let PtxOperand::Register(register) = part {
                        state.frame().registers.insert(register.clone(), value);
                    }
                }
            }
            Region::Own(name, _) => {
                if access.verb != Verb::Load {
                    state.forget(&name);
                }
                if !is_store {
                    instruction.operands.iter().take(1).for_each(|to| forget(state, values, to));
                }
            }
            Region::Elsewhere => {
                if !is_store {
                    instruction.operands.iter().take(1).for_each(|to| forget(state, values, to));
                }
            }
            Region::Unknown => {
                state.trouble(format!(
                    "`{instruction}` accesses an address that cannot be followed"
                ));
                if !is_store {
                    instruction.operands.iter().take(1).for_each(|to| forget(state, values, to));
                }
            }
            Region::Object(object) => {
                self.object(state, instruction, (access, object), at.unwrap_or(0))
            }
        }
    }

    /// An access of the object: an event.
    fn object(
        &mut self,
        state: &mut PathState,
        instruction: &PtxInstruction,
        (access, object): (FlowAccess, usize),
        address: usize,
    ) {
        if instruction.has("nc") || instruction.opcode() == "ldu" {
            state.trouble(format!("`{instruction}` reads through a cache that is not coherent, which no model speaks of"));
        }
        // The path may have asked for it by `isspacep`. An object in shared memory is one that
        // other threads see.
        let is_seen = |space: &&String| {
            ["global", "shared"].contains(&space.as_str()) || state.spaces.contains(space)
        };
        if let Some(space) = access.space.as_ref().filter(|space| !is_seen(space)) {
            state.trouble(format!(
                "`{instruction}` accesses .{space} memory, where the object need not be"
            ));
        }
        let values = &mut self.values;
        let is_store = matches!(access.verb, Verb::Store | Verb::Reduction);
        let mut swapped = None;
        if !is_store {
            let to = &instruction.operands[0];
            // Before the result is written: it may be the same register.
            let compared = instruction.operands.get(address + 1).map(|o| operand(state, values, o));
            forget(state, values, to);
            if let (Verb::CompareAndSwap, PtxOperand::Register(old), Some(compared)) =
                (access.verb, to, compared)
            {
                let old = state.register(values, old);
                swapped = Some(values.compare(
                    NumberComparison::Equal,
                    false,
                    access.bits,
                    old,
                    compared,
                ));
            }
        }
        let made = event(instruction, EventKind::Access(access, swapped));
        state.events.push(PathEffect { object, ..made });
    }

    /// A path has come to its end.
    fn finish(&mut self, state: PathState) {
        let mut actions = Vec::new();
        for event in state.events {
            let kind = match event.kind {
                EventKind::Fence(order, scope) => ActionKind::Fence(order, scope),
                EventKind::Access(access, swapped) => {
                    let swap = match (access.verb, swapped) {
                        (Verb::CompareAndSwap, Some(predicate)) => {
                            match state.facts.holds(&self.values, predicate) {
                                Some(true) => Swap::Done,
                                Some(false) => Swap::Failed,
                                None => Swap::Either,
                            }
                        }
                        (Verb::CompareAndSwap, None) => Swap::Either,
                        _ => Swap::Done,
                    };
                    ActionKind::Access(access, swap)
                }
            };
            actions.push(PathAction {
                kind,
                object: event.object,
                text: event.text,
                line: event.line,
            });
        }
        let path = FlowPath { actions, spaces: state.spaces, troubles: state.troubles };
        if !self.out.paths.contains(&path) {
            self.out.paths.push(path);
        }
    }
}

fn event(instruction: &PtxInstruction, kind: EventKind) -> PathEffect {
    PathEffect { kind, object: 0, text: instruction.to_string(), line: instruction.line }
}

/// Copies what a variable holds to another one.
fn copy(state: &mut PathState, from: &str, to: &str) {
    let held: Vec<(i64, (FlowValue, u32))> = state
        .memory
        .iter()
        .filter(|((name, _), _)| name == from)
        .map(|((_, offset), &held)| (*offset, held))
        .collect();
    state.forget(to);
    for (offset, held) in held {
        state.memory.insert((to.to_owned(), offset), held);
    }
}
