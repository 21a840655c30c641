//! Values along one path, as expressions over what is not known: parameters, what loads return.
//! Equal expressions have equal numbers, so that a value that was compared once is known when it is
//! compared again.

use std::cell::Cell;
use std::cmp::Ordering;

use margay_ptx::effect::NumberComparison;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a value in its [`FlowValues`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FlowValue(u32);

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum FlowNode {
    Number(u64),
    /// Something that is not known: a parameter, what a load returned.
    Unknown(u32),
    /// The address of a variable.
    Variable(String),
    /// The lowest bits of a value.
    Low(u32, FlowValue),
    /// Bits of a value from some bit on: (first bit, number of bits).
    Slice(u32, u32, FlowValue),
    /// The lowest bits of a value, with their sign in front: (bits of the value, bits of the
    /// result).
    Signed(u32, u32, FlowValue),
    /// A value made of parts, lowest first, each of so many bits.
    Joined(u32, Vec<FlowValue>),
    /// A sum with a number.
    Plus(FlowValue, u64),
    /// Any other instruction without effect, by its name.
    Other(String, Vec<FlowValue>),
    /// The first value if the predicate holds, else the second.
    Choice(FlowValue, FlowValue, FlowValue),
    /// A predicate: one of `==`, `<` and `<=`; signed or not.
    Compare(NumberComparison, bool, FlowValue, FlowValue),
    /// A predicate that does not hold.
    Not(FlowValue),
    /// Both predicates hold.
    And(FlowValue, FlowValue),
    /// One of two predicates holds.
    Or(FlowValue, FlowValue),
    /// The address is in a state space.
    In(String, FlowValue),
}

/// All values of one function's paths.
#[derive(Debug, Default)]
pub(super) struct FlowValues {
    nodes: Vec<FlowNode>,
    numbers: FxHashMap<FlowNode, FlowValue>,
    /// Equalities that were looked into, each with what it is: parts that several parts share are
    /// compared once.
    equalities: FxHashMap<(u32, FlowValue, FlowValue), FlowValue>,
    /// How many comparisons of parts are under way, one within the other.
    depth: usize,
    /// How many parts of values were looked at.
    looked: Cell<usize>,
    unknown: u32,
}

/// Parts within parts are compared so deep; what is deeper is compared as a whole.
const MAX_DEPTH: usize = 200;

impl FlowValues {
    pub(super) fn node(&self, value: FlowValue) -> &FlowNode {
        &self.nodes[value.0 as usize]
    }

    fn intern(&mut self, node: FlowNode) -> FlowValue {
        if let Some(&value) = self.numbers.get(&node) {
            return value;
        }
        let value = FlowValue(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.numbers.insert(node, value);
        value
    }

    pub(super) fn number(&mut self, n: u64) -> FlowValue {
        self.intern(FlowNode::Number(n))
    }

    /// A value that nothing is known about.
    pub(super) fn unknown(&mut self) -> FlowValue {
        self.unknown += 1;
        self.intern(FlowNode::Unknown(self.unknown))
    }

    /// The address of a variable.
    pub(super) fn variable(&mut self, name: &str) -> FlowValue {
        self.intern(FlowNode::Variable(name.to_owned()))
    }

    /// The number that a value is, if it is one.
    pub(super) fn as_number(&self, value: FlowValue) -> Option<u64> {
        match self.node(value) {
            FlowNode::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// A predicate that is known.
    pub(super) fn truth(&mut self, holds: bool) -> FlowValue {
        self.number(u64::from(holds))
    }

    /// The lowest bits of a value.
    pub(super) fn low(&mut self, bits: u32, value: FlowValue) -> FlowValue {
        if bits >= 64 {
            return value;
        }
        match self.node(value).clone() {
            FlowNode::Number(n) => self.number(n & mask(bits)),
            FlowNode::Low(inner, v) => self.intern(FlowNode::Low(bits.min(inner), v)),
            FlowNode::Slice(from, size, v) => self.slice(from, size.min(bits), v),
            FlowNode::Signed(from, _, v) if bits <= from => self.low(bits, v),
            FlowNode::Joined(size, parts) if bits <= size => self.low(bits, parts[0]),
            FlowNode::Choice(p, a, b)
                if self.as_number(a).is_some() && self.as_number(b).is_some() =>
            {
                let (a, b) = (self.low(bits, a), self.low(bits, b));
                self.choice(p, a, b)
            }
            _ => self.intern(FlowNode::Low(bits, value)),
        }
    }

    /// So many bits of a value, from some bit on.
    pub(super) fn slice(&mut self, from: u32, bits: u32, value: FlowValue) -> FlowValue {
        if from == 0 {
            return self.low(bits, value);
        }
        match self.node(value).clone() {
            FlowNode::Number(n) => self.number(n.checked_shr(from).unwrap_or(0) & mask(bits)),
            FlowNode::Slice(start, size, v) if from + bits <= size => {
                self.slice(start + from, bits, v)
            }
            FlowNode::Low(size, v) if from + bits <= size => self.slice(from, bits, v),
            FlowNode::Joined(size, parts) if from / size == (from + bits - 1) / size => {
                self.slice(from % size, bits, parts[(from / size) as usize])
            }
            _ => self.intern(FlowNode::Slice(from, bits, value)),
        }
    }

    /// A value made of parts of so many bits, lowest first.
    pub(super) fn joined(&mut self, bits: u32, parts: Vec<FlowValue>) -> FlowValue {
        if let [one] = parts[..] {
            return self.low(bits, one);
        }
        let numbers: Option<Vec<u64>> = parts.iter().map(|&p| self.as_number(p)).collect();
        if let Some(numbers) = numbers
            && bits as usize * numbers.len() <= 64
        {
            let whole = numbers.iter().rev().fold(0, |all, n| (all << bits) | (n & mask(bits)));
            return self.number(whole);
        }
        // All parts of one value, in order.
        let whole = match self.node(parts[0]) {
            FlowNode::Low(_, v) => Some((0, *v)),
            FlowNode::Slice(from, _, v) => Some((*from, *v)),
            _ => None,
        };
        if let Some((from, whole)) = whole
            && (0..parts.len()).all(|i| self.slice(from + i as u32 * bits, bits, whole) == parts[i])
        {
            return self.slice(from, bits * parts.len() as u32, whole);
        }
        self.intern(FlowNode::Joined(bits, parts))
    }

    /// The lowest bits as a signed number of more bits.
    pub(super) fn signed(&mut self, from: u32, to: u32, value: FlowValue) -> FlowValue {
        if to <= from {
            return self.low(to, value);
        }
        match self.node(value) {
            FlowNode::Number(n) => {
                let shift = 64 - from;
                let extended = (((n & mask(from)) << shift) as i64 >> shift) as u64;
                self.number(extended & mask(to))
            }
            _ => {
                let value = self.low(from, value);
                self.intern(FlowNode::Signed(from, to, value))
            }
        }
    }

    /// A sum, of so many bits.
    pub(super) fn plus(&mut self, a: FlowValue, b: FlowValue, bits: u32) -> FlowValue {
        match (self.node(a).clone(), self.node(b).clone()) {
            (FlowNode::Number(x), FlowNode::Number(y)) => {
                self.number(x.wrapping_add(y) & mask(bits))
            }
            (FlowNode::Number(_), _) => self.plus(b, a, bits),
            (_, FlowNode::Number(0)) => a,
            (FlowNode::Plus(base, x), FlowNode::Number(y)) => {
                let sum = self.number(x.wrapping_add(y));
                self.plus(base, sum, bits)
            }
            (_, FlowNode::Number(y)) => self.intern(FlowNode::Plus(a, y)),
            _ => self.other(&format!("add{bits}"), vec![a.min(b), a.max(b)]),
        }
    }

    /// An instruction without effect that nothing more is known about.
    pub(super) fn other(&mut self, name: &str, arguments: Vec<FlowValue>) -> FlowValue {
        self.intern(FlowNode::Other(name.to_owned(), arguments))
    }

    /// One of two values.
    pub(super) fn choice(&mut self, predicate: FlowValue, a: FlowValue, b: FlowValue) -> FlowValue {
        match *self.node(predicate) {
            FlowNode::Number(n) => {
                if n != 0 {
                    a
                } else {
                    b
                }
            }
            FlowNode::Not(p) => self.choice(p, b, a),
            _ if a == b => a,
            _ => self.intern(FlowNode::Choice(predicate, a, b)),
        }
    }

    /// A comparison of values of so many bits. One that says the same as another one in other words
    /// becomes that one.
    pub(super) fn compare(
        &mut self,
        comparison: NumberComparison,
        signed: bool,
        bits: u32,
        a: FlowValue,
        b: FlowValue,
    ) -> FlowValue {
        match comparison {
            NumberComparison::NotEqual => {
                let equal = self.compare(NumberComparison::Equal, signed, bits, a, b);
                return self.not(equal);
            }
            NumberComparison::Greater | NumberComparison::GreaterOrEqual => {
                return self.compare(comparison.mirrored(), signed, bits, b, a);
            }
            NumberComparison::Equal | NumberComparison::Less | NumberComparison::LessOrEqual => {}
        }
        let (a, b) = if bits < 64 { (self.low(bits, a), self.low(bits, b)) } else { (a, b) };
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            let shift = 64 - bits.min(64);
            let order = if signed {
                (((x << shift) as i64) >> shift).cmp(&(((y << shift) as i64) >> shift))
            } else {
                x.cmp(&y)
            };
            return self.truth(comparison.holds(order, Ordering::Equal));
        }
        if a == b {
            return self.truth(comparison.holds(0, 0));
        }
        if comparison != NumberComparison::Equal {
            return self.intern(FlowNode::Compare(comparison, signed, a, b));
        }
        let key = (bits, a, b);
        if let Some(&known) = self.equalities.get(&key) {
            return known;
        }
        // Equality says more than it seems where one side is made of parts.
        self.depth += 1;
        let parts =
            [(a, b), (b, a)].into_iter().filter(|_| self.depth <= MAX_DEPTH).collect::<Vec<_>>();
        let known = parts.into_iter().find_map(|(x, y)| self.equal_parts(x, y, bits));
        self.depth -= 1;
        let equality = known.unwrap_or_else(|| {
            self.intern(FlowNode::Compare(NumberComparison::Equal, false, a.min(b), a.max(b)))
        });
        self.equalities.insert(key, equality);
        equality
    }

    /// `x = y` as a simpler predicate, if there is one.
    fn equal_parts(&mut self, x: FlowValue, y: FlowValue, bits: u32) -> Option<FlowValue> {
        match self.node(x).clone() {
            // A choice between numbers that is compared with a number: the predicate of the choice.
            FlowNode::Choice(p, a, b) => {
                let y = self.as_number(y)?;
                let (a, b) = (self.as_number(a)?, self.as_number(b)?);
                match (a == y, b == y) {
                    (true, true) => Some(self.truth(true)),
                    (true, false) => Some(p),
                    (false, true) => Some(self.not(p)),
                    (false, false) => Some(self.truth(false)),
                }
            }
            FlowNode::Joined(size, parts) => {
                let mut all = self.truth(true);
                for (i, part) in parts.into_iter().enumerate() {
                    let other = self.slice(i as u32 * size, size, y);
                    let same = self.compare(NumberComparison::Equal, false, size, part, other);
                    all = self.and(all, same);
                }
                Some(all)
            }
            FlowNode::Other(name, parts) if self.as_number(y) == Some(0) && parts.len() == 2 => {
                let [a, b] = [parts[0], parts[1]];
                if name.starts_with("xor") {
                    return Some(self.compare(NumberComparison::Equal, false, bits, a, b));
                }
                if name.starts_with("or") {
                    let a = self.compare(NumberComparison::Equal, false, bits, a, y);
                    let b = self.compare(NumberComparison::Equal, false, bits, b, y);
                    return Some(self.and(a, b));
                }
                None
            }
            // The same bits in front of both.
            FlowNode::Signed(from, _, v) => match self.node(y).clone() {
                FlowNode::Signed(other, _, w) if other == from => {
                    Some(self.compare(NumberComparison::Equal, false, from, v, w))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A predicate that holds if another one does not.
    pub(super) fn not(&mut self, predicate: FlowValue) -> FlowValue {
        match *self.node(predicate) {
            FlowNode::Number(n) => self.truth(n == 0),
            FlowNode::Not(p) => p,
            _ => self.intern(FlowNode::Not(predicate)),
        }
    }

    /// Both predicates.
    pub(super) fn and(&mut self, a: FlowValue, b: FlowValue) -> FlowValue {
        match (self.as_number(a), self.as_number(b)) {
            (Some(0), _) | (_, Some(0)) => self.truth(false),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ if a == b => a,
            _ => self.intern(FlowNode::And(a.min(b), a.max(b))),
        }
    }

    /// One of two predicates.
    pub(super) fn or(&mut self, a: FlowValue, b: FlowValue) -> FlowValue {
        match (self.as_number(a), self.as_number(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), _) | (_, Some(_)) => self.truth(true),
            _ if a == b => a,
            _ => self.intern(FlowNode::Or(a.min(b), a.max(b))),
        }
    }

    /// The address is in a state space.
    pub(super) fn is_in(&mut self, space: &str, address: FlowValue) -> FlowValue {
        self.intern(FlowNode::In(space.to_owned(), address))
    }

    /// How many parts of values were looked at so far.
    pub(super) fn looked(&self) -> usize {
        self.looked.get()
    }

    /// Counts parts that are looked at.
    pub(super) fn look(&self, parts: usize) {
        self.looked.set(self.looked.get() + parts);
    }

    /// The values that a value is made of, itself included.
    pub(super) fn within(&self, value: FlowValue) -> Vec<FlowValue> {
        let mut found = vec![value];
        let mut known: FxHashSet<FlowValue> = [value].into_iter().collect();
        let mut next = 0;
        while next < found.len() {
            let parts: Vec<FlowValue> = match self.node(found[next]) {
                FlowNode::Number(_) | FlowNode::Unknown(_) | FlowNode::Variable(_) => Vec::new(),
                FlowNode::Low(_, v)
                | FlowNode::Slice(_, _, v)
                | FlowNode::Signed(_, _, v)
                | FlowNode::Plus(v, _)
                | FlowNode::Not(v)
                | FlowNode::In(_, v) => {
                    vec![*v]
                }
                FlowNode::Joined(_, parts) | FlowNode::Other(_, parts) => parts.clone(),
                FlowNode::Choice(p, a, b) => vec![*p, *a, *b],
                FlowNode::Compare(_, _, a, b) | FlowNode::And(a, b) | FlowNode::Or(a, b) => {
                    vec![*a, *b]
                }
            };
            for part in parts {
                if known.insert(part) {
                    found.push(part);
                }
            }
            next += 1;
        }
        self.look(found.len());
        found
    }
}

/// So many ones.
pub(super) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
