//! What is known on a path from the branches that it took: which predicates hold, and how values
//! compare.

use std::cmp::Ordering;

use margay_ptx::effect::NumberComparison;
use rustc_hash::FxHashMap;

use super::value::{FlowNode, FlowValue, FlowValues};

/// Which of less, equal and greater is still possible.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ANY: u8 = LESS | EQUAL | GREATER;

/// Parts within parts of a predicate are looked into so deep.
const MAX_DEPTH: usize = 200;

#[derive(Debug, Clone, Default)]
pub(super) struct PathFacts {
    predicates: FxHashMap<FlowValue, bool>,
    /// How two values compare, the one of lower number first: unsigned and signed.
    orders: FxHashMap<(FlowValue, FlowValue), [u8; 2]>,
}

/// The possible outcomes of a comparison under which it holds.
fn outcomes(comparison: NumberComparison, swapped: bool) -> u8 {
    let comparison = if swapped { comparison.mirrored() } else { comparison };
    let outcomes = [(LESS, Ordering::Less), (EQUAL, Ordering::Equal), (GREATER, Ordering::Greater)];
    outcomes
        .into_iter()
        .filter(|(_, order)| comparison.holds(*order, Ordering::Equal))
        .fold(0, |all, (outcome, _)| all | outcome)
}

impl PathFacts {
    /// Does the predicate hold, as far as it is known?
    pub(super) fn holds(&self, values: &FlowValues, predicate: FlowValue) -> Option<bool> {
        self.holds_within(values, predicate, &mut FxHashMap::default(), 0)
    }

    /// The same; `seen` are parts that were looked into, which several parts may share, and `depth`
    /// says within how many others it is one.
    fn holds_within(
        &self,
        values: &FlowValues,
        predicate: FlowValue,
        seen: &mut FxHashMap<FlowValue, Option<bool>>,
        depth: usize,
    ) -> Option<bool> {
        if let Some(n) = values.as_number(predicate) {
            return Some(n != 0);
        }
        if let Some(&known) = self.predicates.get(&predicate) {
            return Some(known);
        }
        if let Some(&known) = seen.get(&predicate) {
            return known;
        }
        if depth > MAX_DEPTH {
            return None;
        }
        values.look(1);
        let mut part = |p| self.holds_within(values, p, seen, depth + 1);
        let known = match *values.node(predicate) {
            FlowNode::Not(p) => part(p).map(|known| !known),
            FlowNode::And(a, b) => match (part(a), part(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            FlowNode::Or(a, b) => match (part(a), part(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            FlowNode::Compare(comparison, signed, a, b) => {
                let possible =
                    self.orders.get(&(a.min(b), a.max(b))).map_or(ANY, |o| o[usize::from(signed)]);
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
        };
        seen.insert(predicate, known);
        known
    }

    /// Learns that a predicate holds or does not; `false` if that contradicts what is known.
    pub(super) fn learn(&mut self, values: &FlowValues, predicate: FlowValue, holds: bool) -> bool {
        self.learn_within(values, predicate, holds, 0)
    }

    /// The same of a part that is one within so many others.
    fn learn_within(
        &mut self,
        values: &FlowValues,
        predicate: FlowValue,
        holds: bool,
        depth: usize,
    ) -> bool {
        if depth > MAX_DEPTH {
            // That it holds is not used for its parts.
            return *self.predicates.entry(predicate).or_insert(holds) == holds;
        }
        let next = depth + 1;
        if let Some(known) = self.holds(values, predicate) {
            return known == holds;
        }
        match *values.node(predicate) {
            FlowNode::Not(p) => return self.learn_within(values, p, !holds, next),
            FlowNode::And(a, b) if holds => {
                return self.learn_within(values, a, true, next)
                    && self.learn_within(values, b, true, next);
            }
            FlowNode::Or(a, b) if !holds => {
                return self.learn_within(values, a, false, next)
                    && self.learn_within(values, b, false, next);
            }
            FlowNode::And(a, b) | FlowNode::Or(a, b) => {
                // One of two is known: the other one decides.
                let decided = match (self.holds(values, a), self.holds(values, b)) {
                    (Some(_), None) => Some(b),
                    (None, Some(_)) => Some(a),
                    _ => None,
                };
                if let Some(other) = decided {
                    return self.learn_within(values, other, holds, next);
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
