//! Choices: inputs of a circuit of which exactly one is true. A gate that depends on one choice
//! alone is a set of its inputs, those that make it true.

use rustc_hash::FxHashMap;

use crate::circuit::Bit;

/// Choices, and the gates that depend on one alone.
#[derive(Debug, Clone, Default)]
pub struct GateChoices {
    /// The inputs of each choice.
    inputs: Vec<Vec<Bit>>,
    /// For each gate, the choices on which alone its output depends, each with the inputs that make
    /// it true.
    among: FxHashMap<usize, Vec<(usize, u64)>>,
    /// The bit that is true for these inputs of a choice.
    names: FxHashMap<(usize, u64), Bit>,
}

impl GateChoices {
    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Exactly one of the inputs is true. More than 64 inputs are not remembered.
    pub fn add(&mut self, inputs: &[Bit]) {
        debug_assert!(inputs.iter().all(|b| !b.is_constant() && !b.is_negated()));
        if inputs.is_empty() || inputs.len() > u64::BITS as usize {
            return;
        }
        let choice = self.inputs.len();
        self.inputs.push(inputs.to_vec());
        for (i, &input) in inputs.iter().enumerate() {
            self.note(choice, 1 << i, input);
        }
        self.names.insert((choice, 0), Bit::FALSE);
        self.names.insert((choice, self.all(choice)), Bit::TRUE);
    }

    /// All inputs of a choice.
    pub fn all(&self, choice: usize) -> u64 {
        u64::MAX >> (u64::BITS as usize - self.inputs[choice].len())
    }

    /// These inputs of a choice.
    pub fn inputs(&self, choice: usize, among: u64) -> impl Iterator<Item = Bit> + '_ {
        self.inputs[choice]
            .iter()
            .enumerate()
            .filter(move |&(i, _)| among >> i & 1 == 1)
            .map(|(_, &input)| input)
    }

    /// The bit that is true for these inputs of a choice, if there is one.
    pub fn named(&self, choice: usize, among: u64) -> Option<Bit> {
        self.names.get(&(choice, among)).copied()
    }

    /// If there is a choice on which alone both bits depend: it, with the inputs that make both
    /// true.
    pub fn both(&self, a: Bit, b: Bit) -> Option<(usize, u64)> {
        if self.is_empty() {
            return None;
        }
        self.of(a).find_map(|(choice, x)| {
            self.of(b).find(|&(other, _)| other == choice).map(|(_, y)| (choice, x & y))
        })
    }

    /// The choices on which alone the bit depends, each with the inputs that make it true.
    fn of(&self, bit: Bit) -> impl Iterator<Item = (usize, u64)> + '_ {
        let all = self.among.get(&bit.gate()).map_or(&[][..], Vec::as_slice);
        all.iter().map(move |&(choice, among)| {
            (choice, if bit.is_negated() { self.all(choice) & !among } else { among })
        })
    }

    /// From now on the bit is the one that is true for these inputs of the choice. It depends on
    /// another choice alone, too, if that has all of these inputs, or all others.
    pub fn name(&mut self, choice: usize, among: u64, bit: Bit) {
        self.note(choice, among, bit);
        for (of, bit) in [(among, bit), (self.all(choice) & !among, !bit)] {
            let inputs: Vec<Bit> = self.inputs(choice, of).collect();
            for other in (0..self.inputs.len()).filter(|&other| other != choice) {
                let place = |input: &Bit| self.inputs[other].iter().position(|i| i == input);
                if let Some(places) = inputs.iter().map(place).collect::<Option<Vec<usize>>>() {
                    self.note(other, places.iter().fold(0, |set, place| set | 1 << place), bit);
                }
            }
        }
    }

    fn note(&mut self, choice: usize, among: u64, bit: Bit) {
        let others = self.all(choice) & !among;
        self.among
            .entry(bit.gate())
            .or_default()
            .push((choice, if bit.is_negated() { others } else { among }));
        self.names.insert((choice, among), bit);
        self.names.insert((choice, others), !bit);
    }
}
