//! Circuit to clauses, after Tseitin, with only the implications that the polarity of each use asks for (Plaisted and
//! Greenbaum): a gate that is only ever required to be true needs no clauses that make it true.

use crate::circuit::{Bit, Circuit};

/// The clauses so far, in DIMACS numbering, each closed by 0.
#[derive(Debug, Clone, Default)]
pub struct Clauses {
    literals: Vec<i32>,
    count: usize,
    variables: i32,
}

impl Clauses {
    /// The number of clauses.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// The clauses from number `first` on (0-based position in [`Clauses::position`] units).
    pub fn since(&self, position: usize) -> impl Iterator<Item = &[i32]> {
        self.literals[position..].split_inclusive(|&l| l == 0).map(|c| &c[..c.len() - 1])
    }

    /// Where the next clause will be.
    pub fn position(&self) -> usize {
        self.literals.len()
    }

    fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    fn add(&mut self, clause: impl IntoIterator<Item = i32>) {
        self.literals.extend(clause);
        self.literals.push(0);
        self.count += 1;
    }
}

/// What a use of a gate needs: clauses for "the variable implies the gate", and for "the gate implies the variable".
const DOWN: u8 = 1;
const UP: u8 = 2;

/// The translation of one circuit.
#[derive(Debug, Clone)]
pub struct Emitter {
    /// The variable of each gate, 0 if it has none.
    variable: Vec<i32>,
    /// Which implications are there.
    done: Vec<u8>,
    /// Emit only the implications that are needed.
    by_polarity: bool,
    /// Gates whose implications are still to be written.
    open: Vec<(usize, u8)>,
    /// Space for the clause in the making, and for what is still to go into it.
    clause: Vec<i32>,
    disjuncts: Vec<Bit>,
    /// The clauses.
    pub clauses: Clauses,
}

impl Emitter {
    /// Nothing is translated yet.
    pub fn new(by_polarity: bool) -> Self {
        Self {
            variable: Vec::new(),
            done: Vec::new(),
            by_polarity,
            open: Vec::new(),
            clause: Vec::new(),
            disjuncts: Vec::new(),
            clauses: Clauses::default(),
        }
    }

    /// The literal of a bit that is not constant, for a use in which it must be able to be true only if the gate says so.
    fn literal(&mut self, bit: Bit) -> i32 {
        debug_assert!(!bit.is_constant());
        let gate = bit.gate();
        if self.variable.len() <= gate {
            self.variable.resize(gate + 1, 0);
            self.done.resize(gate + 1, 0);
        }
        if self.variable[gate] == 0 {
            self.variable[gate] = self.clauses.variable();
        }
        let needed = match (self.by_polarity, bit.is_negated()) {
            (false, _) => DOWN | UP,
            (true, false) => DOWN,
            (true, true) => UP,
        };
        let missing = needed & !self.done[gate];
        if missing != 0 {
            self.done[gate] |= missing;
            self.open.push((gate, missing));
        }
        if bit.is_negated() { -self.variable[gate] } else { self.variable[gate] }
    }

    /// Writes the implications that literals asked for.
    fn flush(&mut self, circuit: &Circuit) {
        while let Some((gate, missing)) = self.open.pop() {
            let Some(members) = circuit.conjunction(gate) else { continue };
            let own = self.variable[gate];
            if missing & DOWN != 0 {
                for &member in members {
                    let literal = self.literal(member);
                    self.clauses.add([-own, literal]);
                }
            }
            if missing & UP != 0 {
                self.clauses.literals.push(own);
                for &member in members {
                    let literal = self.literal(!member);
                    self.clauses.literals.push(literal);
                }
                self.clauses.add([]);
            }
        }
    }

    /// A literal that implies the bit (and, without polarity, is equivalent to it); `None` for constants.
    pub fn literal_for(&mut self, circuit: &Circuit, bit: Bit) -> Option<i32> {
        if bit.is_constant() {
            return None;
        }
        let literal = self.literal(bit);
        self.flush(circuit);
        Some(literal)
    }

    /// A literal that is equivalent to the bit; `None` for constants.
    pub fn exact_literal(&mut self, circuit: &Circuit, bit: Bit) -> Option<i32> {
        if bit.is_constant() {
            return None;
        }
        let literal = self.literal(bit);
        self.literal(!bit);
        self.flush(circuit);
        Some(literal)
    }

    /// Requires one of the bits to be true.
    pub fn clause(&mut self, circuit: &Circuit, bits: &[Bit]) {
        let (mut clause, mut open) = (std::mem::take(&mut self.clause), std::mem::take(&mut self.disjuncts));
        clause.clear();
        open.clear();
        open.extend(bits.iter().rev());
        let mut satisfied = false;
        while let Some(bit) = open.pop() {
            if bit == Bit::TRUE {
                satisfied = true;
                break;
            }
            if bit == Bit::FALSE {
                continue;
            }
            // A disjunction that has no variable yet becomes part of the clause.
            let fresh = self.variable.get(bit.gate()).is_none_or(|&v| v == 0);
            match circuit.conjunction(bit.gate()) {
                Some(members) if bit.is_negated() && fresh => open.extend(members.iter().rev().map(|&m| !m)),
                _ => {
                    let literal = self.literal(bit);
                    if clause.contains(&-literal) {
                        // Some variable got clauses that nothing needs; they do no harm.
                        satisfied = true;
                        break;
                    }
                    if !clause.contains(&literal) {
                        clause.push(literal);
                    }
                }
            }
        }
        if !satisfied {
            self.clauses.add(clause.iter().copied());
        }
        (self.clause, self.disjuncts) = (clause, open);
        self.flush(circuit);
    }

    /// Requires the bit to be true.
    pub fn assert(&mut self, circuit: &Circuit, bit: Bit) {
        let mut open = vec![bit];
        while let Some(bit) = open.pop() {
            match circuit.conjunction(bit.gate()) {
                Some(members) if !bit.is_negated() => open.extend(members.iter().rev().copied()),
                _ => self.clause(circuit, &[bit]),
            }
        }
    }

    /// Adds a clause of literals that are there already.
    pub fn literals(&mut self, clause: impl IntoIterator<Item = i32>) {
        self.clauses.add(clause);
    }

    /// Variables up to this number are taken.
    pub fn reserve(&mut self, variables: usize) {
        self.clauses.variables = self.clauses.variables.max(i32::try_from(variables).unwrap_or(i32::MAX));
    }

    /// The variable of a bit's gate, if it has one.
    pub fn known(&self, bit: Bit) -> Option<i32> {
        self.variable.get(bit.gate()).copied().filter(|&v| v != 0)
    }
}
