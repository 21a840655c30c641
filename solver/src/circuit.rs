//! Boolean circuits: n-ary AND gates with negation on the edges, shared by hash-consing, with
//! constants folded as they are built (what Kodkod calls compact boolean circuits).

use rustc_hash::FxHashMap;

use crate::choices::GateChoices;

/// The output of a gate, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// What an empty AND is.
    pub const TRUE: Bit = Bit(0);
    /// What an empty OR is.
    pub const FALSE: Bit = Bit(1);
    /// Any value that is not constant, while a circuit is in outline (see
    /// [`Circuit::set_outline`]); never part of a formula.
    pub const UNKNOWN: Bit = Bit(2);

    /// The gate behind the bit.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the negation of the gate's output?
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Does no input change it?
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

#[derive(Debug, Clone, Copy)]
enum Gate {
    /// The constant true (gate 0 alone).
    True,
    /// A free input.
    Input,
    /// The conjunction of a range of `children`.
    And(u32, u32),
}

/// The gates; equal ones are one gate, so equal bits mean the same.
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
    /// Inputs of which exactly one is true, and the gates that depend on them alone.
    choices: GateChoices,
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
            choices: GateChoices::default(),
        }
    }

    /// From now on exactly one of these inputs is true; clauses that say so are up to the caller. A
    /// gate that depends on nothing else is named by the inputs that make it true: equal ones are
    /// one gate however they were built, and impossible ones are false.
    pub fn choose_one(&mut self, inputs: &[Bit]) {
        self.choices.add(inputs);
    }

    /// The bit that says: the true input of the choice is one of these.
    fn one_of(&mut self, choice: usize, among: u64) -> Bit {
        if let Some(known) = self.choices.named(choice, among) {
            return known;
        }
        let others = self.choices.all(choice) & !among;
        let few = among.count_ones() <= others.count_ones();
        let mut absent: Vec<Bit> = self
            .choices
            .inputs(choice, if few { among } else { others })
            .map(|input| !input)
            .collect();
        absent.sort_unstable();
        let from = self.children.len() as u32;
        self.children.extend_from_slice(&absent);
        let none = self.push(Gate::And(from, from + absent.len() as u32));
        let bit = if few { !none } else { none };
        self.choices.name(choice, among, bit);
        bit
    }

    /// In outline no gate is made: the conjunction of bits that are not constant is
    /// [`Bit::UNKNOWN`]. The same translation then tells what must hold and what may hold.
    pub fn set_outline(&mut self, outline: bool) {
        self.outline = outline;
    }

    /// The number of gates, inputs included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// The number of inputs of all gates together.
    pub fn edges(&self) -> usize {
        self.children.len()
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
        if let Some((choice, among)) = self.choices.both(a, b) {
            return self.one_of(choice, among);
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
        self.join_choices(&mut list);
        list.sort_unstable();
        list.dedup();
        // A bit and its negation are neighbours.
        let result = if list.contains(&Bit::FALSE)
            || !self.outline && list.windows(2).any(|w| w[0] == !w[1])
        {
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

    /// Makes one of those bits that depend on one choice alone.
    fn join_choices(&mut self, bits: &mut Vec<Bit>) {
        if self.outline || self.choices.is_empty() {
            return;
        }
        let mut at = 0;
        while at < bits.len() {
            let joined =
                (0..at).find_map(|i| self.choices.both(bits[i], bits[at]).map(|both| (i, both)));
            match joined {
                None => at += 1,
                Some((i, (choice, among))) => {
                    bits.swap_remove(at);
                    bits[i] = self.one_of(choice, among);
                    // With those before it may have another choice in common than its parts had.
                    at = i;
                }
            }
        }
        bits.retain(|&b| b != Bit::TRUE);
    }

    /// The disjunction of all.
    pub fn or_all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        !self.and_all(bits.into_iter().map(|b| !b))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bit, Circuit};

    #[test]
    fn what_depends_on_a_choice_alone_is_one_gate() {
        let mut circuit = Circuit::new(true);
        let inputs: Vec<Bit> = (0..4).map(|_| circuit.input()).collect();
        let [a, b, c, d] = inputs[..] else { panic!("four inputs") };
        assert_ne!(circuit.and(a, b), Bit::FALSE);
        circuit.choose_one(&inputs);
        assert_eq!(circuit.and_all([a, c]), Bit::FALSE);
        assert_eq!(circuit.or_all(inputs.clone()), Bit::TRUE);
        let (ab, cd) = (circuit.or(a, b), circuit.or(c, d));
        assert_eq!(ab, !cd);
        let abc = circuit.or(ab, c);
        assert_eq!(abc, !d);
        let bcd = circuit.or(b, cd);
        assert_eq!(circuit.and(abc, bcd), circuit.or(c, b));
        assert_eq!(circuit.and_all([abc, !ab, bcd]), c);
    }

    /// Two choices may share inputs, as the kinds of two neighbouring events do.
    #[test]
    fn choices_may_share_inputs() {
        let mut circuit = Circuit::new(true);
        let inputs: Vec<Bit> = (0..6).map(|_| circuit.input()).collect();
        let shared = circuit.or(inputs[2], inputs[3]);
        circuit.choose_one(&inputs[..4]);
        circuit.choose_one(&inputs[2..]);
        assert_eq!(circuit.and(inputs[2], inputs[3]), Bit::FALSE);
        let either = circuit.or(inputs[2], inputs[3]);
        assert_ne!(either, shared);
        // Known of both choices.
        assert_eq!(circuit.or(inputs[0], inputs[1]), !either);
        assert_eq!(circuit.or(inputs[4], inputs[5]), !either);
        assert_eq!(circuit.and_all([either, inputs[0], inputs[4]]), Bit::FALSE);
        let apart = circuit.and(inputs[0], inputs[4]);
        assert!(!apart.is_constant());
    }
}
