//! Boolean circuits: n-ary AND gates with negation on the edges, shared by hash-consing, with constants folded as they are
//! built (what Kodkod calls compact boolean circuits).

use rustc_hash::FxHashMap;

/// The output of a gate, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// The constant true.
    pub const TRUE: Bit = Bit(0);
    /// The constant false.
    pub const FALSE: Bit = Bit(1);
    /// Any value that is not constant, while a circuit is in outline (see [`Circuit::set_outline`]); never part of a formula.
    pub const UNKNOWN: Bit = Bit(2);

    /// The gate behind the bit.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the negation of the gate's output?
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Is it a constant?
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

impl From<bool> for Bit {
    fn from(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

/// A gate.
#[derive(Debug, Clone, Copy)]
enum Gate {
    /// The constant true (gate 0 alone).
    True,
    /// A free input.
    Input,
    /// The conjunction of a range of `children`.
    And(u32, u32),
}

/// A circuit.
#[derive(Debug, Clone)]
pub struct Circuit {
    gates: Vec<Gate>,
    children: Vec<Bit>,
    /// How many gates use each gate's output, as far as 255.
    uses: Vec<u8>,
    /// Conjunctions of two, the frequent case.
    pairs: FxHashMap<(Bit, Bit), Bit>,
    /// Conjunctions of more.
    wide: FxHashMap<Box<[Bit]>, Bit>,
    scratch: Vec<Bit>,
    /// Give equal conjunctions one gate.
    share: bool,
    /// Compute with three values instead of gates.
    outline: bool,
}

impl Circuit {
    /// A circuit of constants; `share` gives equal conjunctions one gate.
    pub fn new(share: bool) -> Self {
        Self {
            // The second is what UNKNOWN names.
            gates: vec![Gate::True, Gate::Input],
            children: Vec::new(),
            uses: vec![0, 0],
            pairs: FxHashMap::default(),
            wide: FxHashMap::default(),
            scratch: Vec::new(),
            share,
            outline: false,
        }
    }

    /// In outline no gate is made: the conjunction of bits that are not constant is [`Bit::UNKNOWN`]. The same translation then
    /// tells what must hold and what may hold.
    pub fn set_outline(&mut self, outline: bool) {
        self.outline = outline;
    }

    /// The number of gates, inputs included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// A new free input.
    pub fn input(&mut self) -> Bit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Bit {
        self.gates.push(gate);
        self.uses.push(0);
        if let Gate::And(from, to) = gate {
            for child in &self.children[from as usize..to as usize] {
                let uses = &mut self.uses[child.gate()];
                *uses = uses.saturating_add(1);
            }
        }
        Bit((self.gates.len() as u32 - 1) << 1)
    }

    /// The conjunction's members, if the gate behind the bit is a conjunction.
    pub fn conjunction(&self, gate: usize) -> Option<&[Bit]> {
        match self.gates[gate] {
            Gate::And(from, to) => Some(&self.children[from as usize..to as usize]),
            Gate::True | Gate::Input => None,
        }
    }

    /// How many gates use a gate's output (255 stands for more too).
    pub fn uses(&self, gate: usize) -> u8 {
        self.uses[gate]
    }

    /// `a & b`
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        // Constants have the smallest codes.
        if a == Bit::TRUE || a == b {
            return b;
        }
        if a == Bit::FALSE || b == Bit::FALSE {
            return Bit::FALSE;
        }
        if self.outline {
            return Bit::UNKNOWN;
        }
        if a == !b {
            return Bit::FALSE;
        }
        if self.share
            && let Some(&known) = self.pairs.get(&(a, b))
        {
            return known;
        }
        let from = self.children.len() as u32;
        self.children.extend([a, b]);
        let bit = self.push(Gate::And(from, from + 2));
        self.pairs.insert((a, b), bit);
        bit
    }

    /// `a | b`
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// `a = b`
    pub fn iff(&mut self, a: Bit, b: Bit) -> Bit {
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        self.or(both, none)
    }

    /// The conjunction of all.
    pub fn and_all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let mut list = std::mem::take(&mut self.scratch);
        list.clear();
        list.extend(bits.into_iter().filter(|&b| b != Bit::TRUE));
        list.sort_unstable();
        list.dedup();
        // A bit and its negation are neighbours.
        let result = if list.contains(&Bit::FALSE) || !self.outline && list.windows(2).any(|w| w[0] == !w[1]) {
            Bit::FALSE
        } else if self.outline && list.len() > 1 {
            Bit::UNKNOWN
        } else {
            match list.as_slice() {
                [] => Bit::TRUE,
                [one] => *one,
                [a, b] => self.and(*a, *b),
                all => match self.wide.get(all) {
                    Some(&known) if self.share => known,
                    _ => {
                        let from = self.children.len() as u32;
                        self.children.extend_from_slice(all);
                        let bit = self.push(Gate::And(from, from + all.len() as u32));
                        self.wide.insert(all.into(), bit);
                        bit
                    }
                },
            }
        };
        self.scratch = list;
        result
    }

    /// The disjunction of all.
    pub fn or_all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        !self.and_all(bits.into_iter().map(|b| !b))
    }
}
