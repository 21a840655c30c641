//! Outcomes: the final values of what a test asks about, and how often each was seen.

use std::collections::BTreeMap;

use margay_litmus::test::{
    AskedCondition, ConditionOperand, Integer, Proposition, Quantifier, Test, Variable,
};

/// What a test observes: the variables of its condition and filter, and those that `locations [..]`
/// asks to show, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The variables, each once.
    pub variables: Vec<Variable>,
    /// For each variable the integers that it holds, where they are narrower than 64 bits.
    pub integers: Vec<Option<Integer>>,
    /// Only outcomes that satisfy the filter count.
    asked: AskedCondition,
    quantifier: Quantifier,
    /// For each location, by name, the number that stands for its address.
    addresses: BTreeMap<String, i64>,
}

/// The final values of the variables of an [`Observed`].
pub type ObservedOutcome = Vec<i64>;

/// How often each outcome was seen, in the order of the values.
pub type Histogram = BTreeMap<ObservedOutcome, u64>;

impl Observed {
    /// Of a test; `address` says which number stands for the address of a location.
    pub fn new(test: &Test, address: impl Fn(usize) -> i64) -> Self {
        let mut variables: Vec<Variable> = Vec::new();
        let asked = test.condition.proposition.variables();
        for v in asked
            .into_iter()
            .chain(test.filter.iter().flat_map(|f| f.variables()))
            .chain(&test.observed)
        {
            if !variables.contains(v) {
                variables.push(v.clone());
            }
        }
        let addresses =
            test.locations.iter().enumerate().map(|(l, d)| (d.name.clone(), address(l))).collect();
        let integers = variables.iter().map(|v| test.variable_integer(v)).collect();
        Self {
            variables,
            integers,
            asked: test.asked(),
            quantifier: test.condition.quantifier,
            addresses,
        }
    }

    /// Does an outcome pass the test's filter?
    pub fn counts(&self, outcome: &[i64]) -> bool {
        self.asked.filter.as_ref().is_none_or(|f| self.holds(f, outcome))
    }

    /// Is it an outcome that the test asks about: does it satisfy the condition (`forall`: violate
    /// it)?
    pub fn asked(&self, outcome: &[i64]) -> bool {
        self.holds(&self.asked.condition, outcome) == (self.quantifier != Quantifier::Forall)
    }

    /// An outcome as conditions write it, `P1:r0=1 /\ x=2`; an address is written `&x`.
    pub fn describe(&self, outcome: &[i64]) -> String {
        let parts: Vec<String> = self
            .variables
            .iter()
            .zip(outcome)
            .map(|(v, n)| format!("{}={}", self.name(v), self.value_text(*n)))
            .collect();
        if parts.is_empty() { "(nothing is observed)".to_owned() } else { parts.join(" /\\ ") }
    }

    /// A value as conditions write it: a number, or `&x` if it is the address of `x`.
    pub fn value_text(&self, value: i64) -> String {
        self.addresses
            .iter()
            .find(|(_, a)| **a == value)
            .map_or_else(|| value.to_string(), |(l, _)| format!("&{l}"))
    }

    /// The name of a variable, `P0:r1` or `x`.
    pub fn name(&self, variable: &Variable) -> String {
        match variable {
            Variable::Register { thread, name } => format!("{thread}:{name}"),
            Variable::Location(name) => name.clone(),
        }
    }

    fn holds(&self, p: &Proposition, outcome: &[i64]) -> bool {
        match p {
            Proposition::True => true,
            Proposition::False => false,
            Proposition::Compare { comparison, left, right } => {
                comparison.holds(self.value(left, outcome), self.value(right, outcome))
            }
            Proposition::Not(p) => !self.holds(p, outcome),
            Proposition::And(parts) => parts.iter().all(|p| self.holds(p, outcome)),
            Proposition::Or(parts) => parts.iter().any(|p| self.holds(p, outcome)),
        }
    }

    fn value(&self, operand: &ConditionOperand, outcome: &[i64]) -> i64 {
        match operand {
            ConditionOperand::Integer(n) => *n,
            ConditionOperand::AddressOf(name) => self.addresses.get(name).copied().unwrap_or(0),
            ConditionOperand::Variable(v) => self
                .variables
                .iter()
                .position(|w| w == v)
                .and_then(|i| outcome.get(i))
                .copied()
                .unwrap_or(0),
        }
    }
}
