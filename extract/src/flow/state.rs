//! The state of one path: registers, the stack, parameters, facts, and what was done to memory so
//! far.

use rustc_hash::FxHashMap;

use super::effect::FlowAccess;
use super::facts::PathFacts;
use super::value::{FlowNode, FlowValue, FlowValues};
use margay_models::execution::{Order, Scope};

/// What a path did to the object or to the order of memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathEffect {
    /// An access or a fence, with its qualifiers.
    pub kind: EventKind,
    /// The object that is accessed, by its number.
    pub object: usize,
    /// The instruction without its operands.
    pub text: String,
    /// The line of the PTX.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum EventKind {
    /// An access of the object; of a compare-and-swap the predicate under which it succeeds.
    Access(FlowAccess, Option<FlowValue>),
    Fence(Order, Scope),
}

/// One function under way.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// The index of the function in the module.
    pub function: usize,
    /// The next instruction.
    pub at: usize,
    pub registers: FxHashMap<String, FlowValue>,
    /// Where the caller wants the results.
    pub results: Vec<String>,
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Region {
    /// An object, by its number.
    Object(usize),
    /// A variable of the stack or a parameter, with the offset if it is known.
    Own(String, Option<i64>),
    /// What another parameter points to, or a variable of the module.
    Elsewhere,
    /// It cannot be said.
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct PathState {
    /// The functions under way, innermost last.
    pub frames: Vec<Frame>,
    /// The bytes of own variables: the value that each is part of, and which byte of it.
    pub memory: FxHashMap<(String, i64), (FlowValue, u32)>,
    /// What is known.
    pub facts: PathFacts,
    /// What was done.
    pub events: Vec<PathEffect>,
    /// The state spaces that the path found the object in.
    pub spaces: Vec<String>,
    /// What no lowering can have.
    pub troubles: Vec<String>,
    /// How often each undecided branch went each way.
    pub turns: FxHashMap<(usize, usize, bool), u32>,
    /// Instructions so far.
    pub steps: usize,
}

impl PathState {
    /// The innermost frame.
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is under way")
    }

    /// A variable of the innermost frame by the name that is unique among frames.
    pub(super) fn own_name(&self, name: &str) -> String {
        format!("{}:{name}", self.frames.len())
    }

    /// A register's value; one that was never written has one that is not known.
    pub(super) fn register(&mut self, values: &mut FlowValues, name: &str) -> FlowValue {
        if let Some(&value) = self.frame().registers.get(name) {
            return value;
        }
        // Special registers have one value each; it says which thread this is, or where.
        let value = if name.starts_with('%')
            && !name.ends_with(|c: char| c.is_ascii_digit())
            && name != "%SP"
            && name != "%SPL"
        {
            values.other(name, Vec::new())
        } else {
            values.unknown()
        };
        self.frame().registers.insert(name.to_owned(), value);
        value
    }

    /// Notes trouble, once.
    pub(super) fn trouble(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.troubles.contains(&what) {
            self.troubles.push(what);
        }
    }

    /// Where an address leads. `objects` are the parameters that point to objects, `others` are the
    /// other parameters.
    pub(super) fn region(
        &self,
        values: &FlowValues,
        address: FlowValue,
        objects: &[FlowValue],
        others: &[FlowValue],
    ) -> Region {
        let (base, offset) = match values.node(address) {
            FlowNode::Plus(base, offset) => (*base, *offset as i64),
            _ => (address, 0),
        };
        if let FlowNode::Variable(name) = values.node(base) {
            return if name.contains(':') {
                Region::Own(name.clone(), Some(offset))
            } else {
                Region::Elsewhere
            };
        }
        let within = values.within(address);
        if let Some(object) = objects.iter().position(|o| within.contains(o)) {
            // An address that is made of the object's and of something else may be of either.
            return if within.iter().any(|v| others.contains(v)) {
                Region::Unknown
            } else {
                Region::Object(object)
            };
        }
        let variable = within.iter().find_map(|&v| match values.node(v) {
            FlowNode::Variable(name) => Some(name.clone()),
            _ => None,
        });
        match variable {
            Some(name) if name.contains(':') => Region::Own(name, None),
            Some(_) => Region::Elsewhere,
            None if within.iter().any(|v| others.contains(v)) => Region::Elsewhere,
            None => Region::Unknown,
        }
    }

    /// Reads so many bytes of an own variable.
    pub(super) fn load(
        &mut self,
        values: &mut FlowValues,
        name: &str,
        offset: i64,
        bytes: u32,
    ) -> FlowValue {
        let mut parts = Vec::new();
        for i in 0..i64::from(bytes) {
            let key = (name.to_owned(), offset + i);
            let (value, byte) = match self.memory.get(&key) {
                Some(&found) => found,
                None => {
                    // What was never written stays the same until it is.
                    let value = values.unknown();
                    self.memory.insert(key, (value, 0));
                    (value, 0)
                }
            };
            parts.push(values.slice(byte * 8, 8, value));
        }
        // Words of 64 bits at most; what is wider is made of these.
        if bytes > 8 {
            let words = parts.chunks(8).map(|word| values.joined(8, word.to_vec())).collect();
            return values.joined(64, words);
        }
        values.joined(8, parts)
    }

    /// Writes so many bytes of an own variable.
    pub(super) fn store(&mut self, name: &str, offset: i64, bytes: u32, value: FlowValue) {
        for i in 0..bytes {
            self.memory.insert((name.to_owned(), offset + i64::from(i)), (value, i));
        }
    }

    /// Forgets what an own variable holds.
    pub(super) fn forget(&mut self, name: &str) {
        self.memory.retain(|(variable, _), _| variable != name);
    }
}
