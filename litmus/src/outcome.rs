//! What a test asks of final states, resolved against one skeleton, and evaluated while values are
//! only partly known.

use margay_models::bits::Event;

use crate::test::{
    ConditionOperand, NumberComparison, Proposition, Quantifier, ThreadId, Variable,
};
use crate::unfold::{Skeleton, Symbol, Unfolding};

/// A value in a final state.
#[derive(Debug, Clone, Copy)]
enum FinalTerm {
    Number(i64),
    Register(ThreadId, Symbol),
    /// The final value of a physical location.
    Location(u16),
}

/// A proposition over one skeleton.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Constant(bool),
    Compare(NumberComparison, Sides),
    Not(Box<Outcome>),
    All(Vec<Outcome>),
    Any(Vec<Outcome>),
}

/// Both sides of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    left: FinalTerm,
    right: FinalTerm,
}

pub(crate) struct KnownValues<'a> {
    pub skeleton: &'a Skeleton,
    /// The value of each event.
    pub values: &'a [Option<i64>],
    /// For each physical location its last write.
    pub finals: &'a [Option<Event>],
}

impl Outcome {
    /// Resolves a proposition.
    pub fn new(p: &Proposition, skeleton: &Skeleton) -> Self {
        match p {
            Proposition::True => Self::Constant(true),
            Proposition::False => Self::Constant(false),
            Proposition::Compare { comparison, left, right } => Self::Compare(
                *comparison,
                Sides { left: term(left, skeleton), right: term(right, skeleton) },
            ),
            Proposition::Not(p) => Self::Not(Box::new(Self::new(p, skeleton))),
            Proposition::And(parts) => {
                Self::All(parts.iter().map(|p| Self::new(p, skeleton)).collect())
            }
            Proposition::Or(parts) => {
                Self::Any(parts.iter().map(|p| Self::new(p, skeleton)).collect())
            }
        }
    }

    /// Is it true or false, whatever is still unknown?
    pub fn evaluate(&self, known: &KnownValues<'_>) -> Option<bool> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Compare(comparison, sides) => {
                Some(comparison.holds(known.value(sides.left)?, known.value(sides.right)?))
            }
            Self::Not(p) => p.evaluate(known).map(|value| !value),
            Self::All(parts) => fold(parts, known, false),
            Self::Any(parts) => fold(parts, known, true),
        }
    }

    /// Adds the locations whose final value matters.
    pub fn locations(&self, found: &mut Vec<u16>) {
        match self {
            Self::Constant(_) => {}
            Self::Compare(_, sides) => {
                for side in [sides.left, sides.right] {
                    if let FinalTerm::Location(l) = side
                        && !found.contains(&l)
                    {
                        found.push(l);
                    }
                }
            }
            Self::Not(p) => p.locations(found),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|p| p.locations(found)),
        }
    }
}

/// The connective that is decided by one part with the value `decides`.
fn fold(parts: &[Outcome], known: &KnownValues<'_>, decides: bool) -> Option<bool> {
    let mut result = Some(!decides);
    for part in parts {
        match part.evaluate(known) {
            Some(value) if value == decides => return Some(decides),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

fn term(operand: &ConditionOperand, skeleton: &Skeleton) -> FinalTerm {
    match operand {
        ConditionOperand::Integer(n) => FinalTerm::Number(*n),
        ConditionOperand::AddressOf(name) => {
            FinalTerm::Number(skeleton.address_of(name).unwrap_or(0))
        }
        ConditionOperand::Variable(Variable::Location(name)) => {
            skeleton.physical(name).map_or(FinalTerm::Number(0), FinalTerm::Location)
        }
        ConditionOperand::Variable(Variable::Register { thread, name }) => {
            match skeleton.register(*thread, name) {
                Some(symbol) => FinalTerm::Register(*thread, symbol),
                // A register that the path never touches holds 0.
                None => FinalTerm::Number(0),
            }
        }
    }
}

impl KnownValues<'_> {
    fn value(&self, term: FinalTerm) -> Option<i64> {
        match term {
            FinalTerm::Number(n) => Some(n),
            FinalTerm::Register(thread, symbol) => {
                self.skeleton.evaluate(thread, symbol, |read| self.values[read.index()])
            }
            FinalTerm::Location(l) => self
                .finals
                .get(usize::from(l))
                .copied()
                .flatten()
                .and_then(|w| self.values[w.index()]),
        }
    }
}

/// What an execution must satisfy to count: the filter, and the condition (`forall`: its negation).
pub(crate) fn asked(quantifier: Quantifier, skeleton: &Skeleton) -> Vec<(Outcome, bool)> {
    let wanted = quantifier != Quantifier::Forall;
    let mut all = filtered(skeleton);
    all.push((Outcome::new(&skeleton.asked.condition, skeleton), wanted));
    all
}

/// What an execution must satisfy to count at all: the filter.
pub(crate) fn filtered(skeleton: &Skeleton) -> Vec<(Outcome, bool)> {
    skeleton.asked.filter.iter().map(|f| (Outcome::new(f, skeleton), true)).collect()
}

/// The numbers that the condition and the filter of a test compare with.
pub(crate) fn condition_numbers(unfolding: &Unfolding) -> Vec<i64> {
    let mut numbers = Vec::new();
    let asked = unfolding.asked();
    let mut open: Vec<&Proposition> = asked.filter.iter().chain([&asked.condition]).collect();
    while let Some(p) = open.pop() {
        match p {
            Proposition::True | Proposition::False => {}
            Proposition::Compare { left, right, .. } => {
                numbers.extend([left, right].into_iter().filter_map(|o| match o {
                    ConditionOperand::Integer(n) => Some(*n),
                    ConditionOperand::AddressOf(name) => unfolding.address_of(name),
                    ConditionOperand::Variable(_) => None,
                }))
            }
            Proposition::Not(p) => open.push(p),
            Proposition::And(parts) | Proposition::Or(parts) => open.extend(parts),
        }
    }
    numbers
}
