//! Circuit to clauses, after Tseitin, with only the implications that the polarity of each use asks
//! for (Plaisted and Greenbaum): a gate that is only ever required to be true needs no clauses that
//! make it true.

use margay_proof::SatLiteral;
use rustc_hash::FxHashSet;

use crate::circuit::{Bit, Circuit};
use crate::clause_list::ClauseList;

/// The clauses so far.
#[derive(Debug, Clone, Default)]
pub struct CnfClauses {
    list: ClauseList,
    variables: usize,
}

impl CnfClauses {
    /// The number of clauses.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The clauses from this number on, the first one having 0.
    pub fn since(&self, first: usize) -> impl Iterator<Item = &[SatLiteral]> + Clone {
        self.list.since(first)
    }

    fn variable(&mut self) -> SatLiteral {
        self.variables += 1;
        SatLiteral::of_variable(self.variables, false)
            .expect("memory ends before there are 2^31 variables")
    }

    fn add(&mut self, clause: impl IntoIterator<Item = SatLiteral>) {
        self.list.push(clause);
    }
}

/// What a use of a gate needs: clauses for "the variable implies the gate", and for "the gate
/// implies the variable".
const DOWN: u8 = 1;
const UP: u8 = 2;

/// The translation of one circuit.
#[derive(Debug, Clone)]
pub struct ClauseEmitter {
    /// The variable of each gate that has one.
    variable: Vec<Option<SatLiteral>>,
    /// Which implications are there.
    done: Vec<u8>,
    /// Emit only the implications that are needed.
    by_polarity: bool,
    /// Gates with one use get no variable.
    inline: bool,
    /// Gates whose implications are still to be written.
    open: Vec<(usize, u8)>,
    /// Space for the clause in the making, and for what is still to go into it.
    clause: Vec<SatLiteral>,
    disjuncts: Vec<Bit>,
    /// What became of gates in that clause.
    marks: GateMarks,
    /// Clauses that wait for a solver to take them.
    pub clauses: CnfClauses,
}

/// A disjunction's members are in the clause.
const TAKEN_APART: u8 = 1;
/// A literal of the gate is in the clause: as it is, or negated.
const POSITIVE: u8 = 2;
const NEGATIVE: u8 = 4;

/// What became of gates in the clause in the making. Gates are used many times: a disjunction of
/// disjunctions that share their members has more ways through it than could ever be gone.
#[derive(Debug, Clone, Default)]
struct GateMarks {
    /// The number of the clause.
    clause: u32,
    /// For each gate the clause that it was marked for last, and how.
    of: Vec<(u32, u8)>,
}

impl GateMarks {
    /// A new clause, in which nothing is marked.
    fn begin(&mut self) {
        self.clause += 1;
        if self.clause == u32::MAX {
            (self.clause, self.of) = (1, Vec::new());
        }
    }

    /// The marks in the clause in the making, as a union of bits; 0 if there is none.
    fn get(&self, gate: usize) -> u8 {
        self.of
            .get(gate)
            .map_or(0, |&(clause, marks)| if clause == self.clause { marks } else { 0 })
    }

    /// Marks a gate; was it marked so before?
    fn set(&mut self, gate: usize, mark: u8) -> bool {
        if self.of.len() <= gate {
            self.of.resize(gate + 1, (0, 0));
        }
        let before = self.get(gate);
        self.of[gate] = (self.clause, before | mark);
        before & mark != 0
    }
}

impl ClauseEmitter {
    /// Nothing is translated yet.
    pub fn new(by_polarity: bool, inline: bool) -> Self {
        Self {
            variable: Vec::new(),
            done: Vec::new(),
            by_polarity,
            inline: inline && by_polarity,
            open: Vec::new(),
            clause: Vec::new(),
            disjuncts: Vec::new(),
            marks: GateMarks::default(),
            clauses: CnfClauses::default(),
        }
    }

    /// The literal of a bit that is not constant, for a use in which it must be able to be true
    /// only if the gate says so.
    fn literal(&mut self, bit: Bit) -> SatLiteral {
        debug_assert!(!bit.is_constant());
        let gate = bit.gate();
        if self.variable.len() <= gate {
            self.variable.resize(gate + 1, None);
            self.done.resize(gate + 1, 0);
        }
        let variable = *self.variable[gate].get_or_insert_with(|| self.clauses.variable());
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
        if bit.is_negated() { !variable } else { variable }
    }

    /// The members of a conjunction that may do without a variable, since nothing but the gate at
    /// hand uses it.
    fn inlined<'a>(&self, circuit: &'a Circuit, bit: Bit) -> Option<&'a [Bit]> {
        let gate = bit.gate();
        let fresh = self.variable.get(gate).is_none_or(Option::is_none);
        if self.inline && fresh && circuit.uses(gate) <= 1 {
            circuit.conjunction(gate)
        } else {
            None
        }
    }

    /// Writes the clauses for "`first`, or the bit".
    fn imply(&mut self, circuit: &Circuit, first: SatLiteral, bit: Bit) {
        let mut all = vec![bit];
        while let Some(bit) = all.pop() {
            match self.inlined(circuit, bit) {
                Some(members) if !bit.is_negated() => all.extend(members.iter().rev()),
                _ => self.disjunction(circuit, first, &[bit]),
            }
        }
    }

    /// Writes the clause "`first`, or one of the bits".
    fn disjunction(&mut self, circuit: &Circuit, first: SatLiteral, bits: &[Bit]) {
        self.disjuncts.clear();
        self.disjuncts.extend(bits.iter().rev());
        self.clause.clear();
        self.clause.push(first);
        while let Some(bit) = self.disjuncts.pop() {
            match self.inlined(circuit, bit) {
                Some(members) if bit.is_negated() => {
                    self.disjuncts.extend(members.iter().rev().map(|&m| !m))
                }
                _ => {
                    let literal = self.literal(bit);
                    self.clause.push(literal);
                }
            }
        }
        // Members of different gates may be equal, or opposite.
        if bits.len() > 1 || self.clause.len() > 2 {
            self.clause[1..].sort_unstable();
            self.clause.dedup();
            if self.clause.iter().any(|l| self.clause.contains(&!*l)) {
                return;
            }
        }
        self.clauses.add(self.clause.iter().copied());
    }

    /// Writes the implications that literals asked for.
    fn flush(&mut self, circuit: &Circuit) {
        while let Some((gate, missing)) = self.open.pop() {
            let Some(members) = circuit.conjunction(gate) else { continue };
            let Some(own) = self.variable[gate] else { continue };
            if missing & DOWN != 0 {
                for &member in members {
                    self.imply(circuit, !own, member);
                }
            }
            if missing & UP != 0 {
                let negated: Vec<Bit> = members.iter().map(|&m| !m).collect();
                self.disjunction(circuit, own, &negated);
            }
        }
    }

    /// A literal that implies the bit (and, without polarity, is equivalent to it); `None` for
    /// constants.
    pub fn literal_for(&mut self, circuit: &Circuit, bit: Bit) -> Option<SatLiteral> {
        if bit.is_constant() {
            return None;
        }
        let literal = self.literal(bit);
        self.flush(circuit);
        Some(literal)
    }

    /// A literal that is equivalent to the bit; `None` for constants.
    pub fn exact_literal(&mut self, circuit: &Circuit, bit: Bit) -> Option<SatLiteral> {
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
        let (mut clause, mut open) =
            (std::mem::take(&mut self.clause), std::mem::take(&mut self.disjuncts));
        clause.clear();
        open.clear();
        open.extend(bits.iter().rev());
        let mut satisfied = false;
        self.marks.begin();
        // A conjunction that nothing else uses: the clause is written for each of its members.
        let mut spread: Option<Bit> = None;
        while let Some(bit) = open.pop() {
            if bit == Bit::TRUE {
                satisfied = true;
                break;
            }
            if bit == Bit::FALSE {
                continue;
            }
            let gate = bit.gate();
            // A disjunction that has no variable yet becomes part of the clause.
            let fresh = self.variable.get(gate).is_none_or(Option::is_none);
            match circuit.conjunction(gate) {
                Some(members) if bit.is_negated() && fresh => {
                    if !self.marks.set(gate, TAKEN_APART) {
                        open.extend(members.iter().rev().map(|&m| !m));
                    }
                }
                Some(_) if self.inline && fresh && spread.is_none() && circuit.uses(gate) == 0 => {
                    spread = Some(bit)
                }
                _ => {
                    let literal = self.literal(bit);
                    let (own, opposite) =
                        if bit.is_negated() { (NEGATIVE, POSITIVE) } else { (POSITIVE, NEGATIVE) };
                    if self.marks.get(gate) & opposite != 0 {
                        // Some variable got clauses that nothing needs; they do no harm.
                        satisfied = true;
                        break;
                    }
                    if !self.marks.set(gate, own) {
                        clause.push(literal);
                    }
                }
            }
        }
        match spread.and_then(|bit| circuit.conjunction(bit.gate())) {
            _ if satisfied => {}
            None => self.clauses.add(clause.iter().copied()),
            Some(members) => {
                for &member in members {
                    self.spread(circuit, &clause, member);
                }
            }
        }
        (self.clause, self.disjuncts) = (clause, open);
        self.flush(circuit);
    }

    /// Writes the clause of these literals, or the bit.
    fn spread(&mut self, circuit: &Circuit, clause: &[SatLiteral], bit: Bit) {
        let mut whole = clause.to_vec();
        let mut open = vec![bit];
        while let Some(bit) = open.pop() {
            match self.inlined(circuit, bit) {
                Some(members) if bit.is_negated() => open.extend(members.iter().rev().map(|&m| !m)),
                _ => {
                    let literal = self.literal(bit);
                    if whole.contains(&!literal) {
                        return;
                    }
                    if !whole.contains(&literal) {
                        whole.push(literal);
                    }
                }
            }
        }
        self.clauses.add(whole);
    }

    /// Requires the bit to be true.
    pub fn assert(&mut self, circuit: &Circuit, bit: Bit) {
        let mut open = vec![bit];
        let mut seen = FxHashSet::default();
        while let Some(bit) = open.pop() {
            // What is required is required once.
            if !seen.insert(bit) {
                continue;
            }
            match circuit.conjunction(bit.gate()) {
                Some(members) if !bit.is_negated() => open.extend(members.iter().rev().copied()),
                _ => self.clause(circuit, &[bit]),
            }
        }
    }

    /// Adds a clause of literals that are there already.
    pub fn literals(&mut self, clause: impl IntoIterator<Item = SatLiteral>) {
        self.clauses.add(clause);
    }

    /// Variables up to this number are taken.
    pub fn reserve(&mut self, variables: usize) {
        self.clauses.variables = self.clauses.variables.max(variables);
    }

    /// The variable of a bit's gate, if it has one.
    pub fn known(&self, bit: Bit) -> Option<SatLiteral> {
        self.variable.get(bit.gate()).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::ClauseEmitter;
    use crate::circuit::{Bit, Circuit};

    /// Two gates, each of both of the level below and an input of its own: as many ways lead
    /// through it as could never be gone one by one.
    fn ladder(circuit: &mut Circuit, gate: fn(&mut Circuit, [Bit; 3]) -> Bit) -> Bit {
        let mut pair = [circuit.input(), circuit.input()];
        for _ in 0..100 {
            let [a, b] = pair;
            pair = [(); 2].map(|()| {
                let own = circuit.input();
                gate(circuit, [a, b, own])
            });
        }
        let [a, b] = pair;
        let own = circuit.input();
        gate(circuit, [a, b, own])
    }

    #[test]
    fn shared_gates_are_looked_at_once() {
        for (by_polarity, inline) in [(true, true), (true, false), (false, false)] {
            let mut circuit = Circuit::new(true);
            let any = ladder(&mut circuit, |c, bits| c.or_all(bits));
            let mut emitter = ClauseEmitter::new(by_polarity, inline);
            emitter.clause(&circuit, &[any]);
            // One clause, with each of the inputs once.
            assert_eq!(
                (emitter.clauses.len(), emitter.clauses.since(0).next().map(<[_]>::len)),
                (1, Some(203))
            );

            let mut circuit = Circuit::new(true);
            let all = ladder(&mut circuit, |c, bits| c.and_all(bits));
            let mut emitter = ClauseEmitter::new(by_polarity, inline);
            emitter.assert(&circuit, all);
            assert!(emitter.clauses.since(0).all(|clause| clause.len() == 1));
            assert_eq!(emitter.clauses.len(), 203);
        }
    }
}
