//! What is known on a path from the branches that it took: which predicates hold, and how values compare.

use rustc_hash::FxHashMap;

use super::value::{FlowComparison, FlowNode, FlowValue, FlowValues};

/// Which of less, equal and greater is still possible.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ANY: u8 = LESS | EQUAL | GREATER;

/// The facts of one path.
#[derive(Debug, Clone, Default)]
pub(super) struct PathFacts {
    predicates: FxHashMap<FlowValue, bool>,
    /// How two values compare, the one of lower number first: unsigned and signed.
    orders: FxHashMap<(FlowValue, FlowValue), [u8; 2]>,
}

/// The possible outcomes of a comparison under which it holds.
fn outcomes(comparison: FlowComparison, swapped: bool) -> u8 {
    match (comparison, swapped) {
        (FlowComparison::Equal, _) => EQUAL,
        (FlowComparison::Less, false) => LESS,
        (FlowComparison::Less, true) => GREATER,
        (FlowComparison::LessOrEqual, false) => LESS | EQUAL,
        (FlowComparison::LessOrEqual, true) => GREATER | EQUAL,
    }
}

impl PathFacts {
    /// Does the predicate hold, as far as it is known?
    pub(super) fn holds(&self, values: &FlowValues, predicate: FlowValue) -> Option<bool> {
        if let Some(n) = values.as_number(predicate) {
            return Some(n != 0);
        }
        if let Some(&known) = self.predicates.get(&predicate) {
            return Some(known);
        }
        match *values.node(predicate) {
            FlowNode::Not(p) => self.holds(values, p).map(|known| !known),
            FlowNode::And(a, b) => match (self.holds(values, a), self.holds(values, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            FlowNode::Or(a, b) => match (self.holds(values, a), self.holds(values, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            FlowNode::Compare(comparison, signed, a, b) => {
                let possible = self.orders.get(&(a.min(b), a.max(b))).map_or(ANY, |o| o[usize::from(signed)]);
                let wanted = outcomes(comparison, a > b);
                if possible & wanted == 0 {
                    Some(false)
                } else if possible & !wanted == 0 {
                    Some(true)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Learns that a predicate holds or does not; `false` if that contradicts what is known.
    pub(super) fn learn(&mut self, values: &FlowValues, predicate: FlowValue, holds: bool) -> bool {
        if let Some(known) = self.holds(values, predicate) {
            return known == holds;
        }
        match *values.node(predicate) {
            FlowNode::Not(p) => return self.learn(values, p, !holds),
            FlowNode::And(a, b) if holds => return self.learn(values, a, true) && self.learn(values, b, true),
            FlowNode::Or(a, b) if !holds => return self.learn(values, a, false) && self.learn(values, b, false),
            FlowNode::And(a, b) | FlowNode::Or(a, b) => {
                // One of two is known: the other one decides.
                let decided = match (self.holds(values, a), self.holds(values, b)) {
                    (Some(_), None) => Some(b),
                    (None, Some(_)) => Some(a),
                    _ => None,
                };
                if let Some(other) = decided {
                    return self.learn(values, other, holds);
                }
            }
            FlowNode::Compare(comparison, signed, a, b) => {
                let outcomes = outcomes(comparison, a > b);
                let wanted = if holds { outcomes } else { ANY & !outcomes };
                let possible = self.orders.entry((a.min(b), a.max(b))).or_insert([ANY; 2]);
                possible[usize::from(signed)] &= wanted;
                // Equality has no sign.
                for i in 0..2 {
                    if possible[i] == EQUAL {
                        possible[1 - i] &= EQUAL;
                    }
                    if possible[i] & EQUAL == 0 {
                        possible[1 - i] &= !EQUAL;
                    }
                }
                return possible.iter().all(|&p| p != 0);
            }
            _ => {}
        }
        self.predicates.insert(predicate, holds);
        true
    }
}
