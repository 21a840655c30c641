//! What a test asks of final states, as clauses under a literal.

use margay_models::execution::Kind;
use margay_solver::Literal;

use super::problem::OneOf;
use super::problem::Problem;
use crate::test::{ConditionOperand, Proposition, ThreadId, Variable};
use crate::unfold::Unfolding;

/// The final values that a proposition asks for, made once for each register and location.
#[derive(Default)]
pub(super) struct Finals {
    registers: Vec<(ThreadId, String, OneOf)>,
    /// For each physical location the value, and the literals that say which write is the last one.
    locations: Vec<(u16, OneOf)>,
}

impl Problem<'_> {
    /// If `goal` holds, the proposition has the wanted value.
    pub(super) fn require(
        &mut self,
        goal: Literal,
        p: &Proposition,
        wanted: bool,
        unfolding: &Unfolding,
        finals: &mut Finals,
    ) {
        match p {
            Proposition::True | Proposition::False => {
                if (*p == Proposition::True) != wanted {
                    self.session.add_clause(&[!goal]);
                }
            }
            Proposition::Not(p) => self.require(goal, p, !wanted, unfolding, finals),
            Proposition::Compare { comparison, left, right } => {
                let (left, right) =
                    (self.operand(left, unfolding, finals), self.operand(right, unfolding, finals));
                for &(a, of_a) in &left {
                    for &(b, of_b) in &right {
                        if comparison.holds(a, b) != wanted {
                            self.session.add_clause(&[!goal, !of_a, !of_b]);
                        }
                    }
                }
            }
            Proposition::And(parts) | Proposition::Or(parts) => {
                let all = matches!(p, Proposition::And(_)) == wanted;
                let mut choice = vec![!goal];
                for part in parts {
                    let of_part = if all { goal } else { self.session.fresh() };
                    choice.push(of_part);
                    self.require(of_part, part, wanted, unfolding, finals);
                }
                if !all {
                    self.session.add_clause(&choice);
                }
            }
        }
    }

    fn operand(
        &mut self,
        operand: &ConditionOperand,
        unfolding: &Unfolding,
        finals: &mut Finals,
    ) -> OneOf {
        match operand {
            ConditionOperand::Integer(n) => vec![(*n, self.truth)],
            ConditionOperand::AddressOf(name) => {
                vec![(unfolding.address_of(name).unwrap_or(0), self.truth)]
            }
            ConditionOperand::Variable(Variable::Register { thread, name }) => {
                if let Some((.., known)) =
                    finals.registers.iter().find(|(t, n, _)| t == thread && n == name)
                {
                    return known.clone();
                }
                let value = self.register(*thread, name);
                finals.registers.push((*thread, name.clone(), value.clone()));
                value
            }
            ConditionOperand::Variable(Variable::Location(name)) => {
                let Some(location) = unfolding.physical(name) else { return vec![(0, self.truth)] };
                if let Some((_, known)) = finals.locations.iter().find(|(l, _)| *l == location) {
                    return known.clone();
                }
                let value = self.location(location);
                finals.locations.push((location, value.clone()));
                value
            }
        }
    }

    /// What a register holds at the end of the path that is taken; 0 if the path never touches it.
    fn register(&mut self, thread: ThreadId, name: &str) -> OneOf {
        let Some(walk) = self.walks.get(thread.index()) else { return vec![(0, self.truth)] };
        let (mut choice, mut at_end) = (Vec::new(), Vec::new());
        for (literals, end) in walk.ends().into_iter().zip(walk.graph.ends.clone()) {
            let value = match end.registers.iter().find(|(n, _)| n == name) {
                Some(&(_, value)) => self.result(value),
                None => vec![(0, self.truth)],
            };
            for literal in literals {
                choice.push(literal);
                at_end.push(value.clone());
            }
        }
        if let [only] = at_end.as_slice() {
            return only.clone();
        }
        self.chosen(&choice, &at_end)
    }

    /// The value of the write that is the last one at a location: one without a successor (where
    /// coherence order is partial there may be several), and the initial write only if there is no
    /// other.
    fn location(&mut self, location: u16) -> OneOf {
        let merged = self.facts.merged;
        let at = |kind: Kind| -> Vec<usize> {
            let here = |&e: &usize| {
                merged.events[e].data.kind == kind && self.facts.physical(e) == Some(location)
            };
            (0..merged.events.len()).filter(here).collect()
        };
        let (writes, inits) = (at(Kind::Write), at(Kind::Init));
        let (mut last, mut values) = (Vec::new(), Vec::new());
        for &write in writes.iter().chain(&inits) {
            let Some(value) = merged.events[write].value else { continue };
            let is_last = self.session.fresh();
            self.session.add_clause(&[!is_last, self.present[write]]);
            for &other in writes.iter().filter(|&&w| w != write) {
                let co = self.translation.vocabulary.searched.co;
                let later = if inits.contains(&write) {
                    self.present[other]
                } else {
                    self.pair(co, write, other)
                };
                self.session.add_clause(&[!is_last, !later]);
            }
            last.push(is_last);
            values.push(self.result(value));
        }
        self.exactly_one(&last);
        self.chosen(&last, &values)
    }

    /// The one of several values whose literal holds.
    fn chosen(&mut self, choice: &[Literal], values: &[OneOf]) -> OneOf {
        let mut domain: Vec<i64> = values.iter().flatten().map(|&(v, _)| v).collect();
        domain.sort_unstable();
        domain.dedup();
        let result = self.one_of(&domain);
        for (&chosen, value) in choice.iter().zip(values) {
            for &(v, literal) in value {
                self.follows(&[chosen, literal], v, &result);
            }
        }
        result
    }
}
