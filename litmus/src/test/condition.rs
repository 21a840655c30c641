//! The last lines of a test: what is asked about final states.

use margay_ptx::effect::NumberComparison;

use super::ThreadId;

/// How the proposition is quantified over the final states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `exists`: some final state satisfies it.
    Exists,
    /// `~exists`: none does.
    NotExists,
    /// `forall`: all do.
    Forall,
}

impl Quantifier {
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::NotExists => "~exists",
            Self::Forall => "forall",
        }
    }

    /// What an execution does that it asks for, behind "an execution that": for `forall` that is
    /// one which shows that it does not hold.
    pub fn asks_for(self) -> &'static str {
        match self {
            Self::Exists | Self::NotExists => "has this outcome",
            Self::Forall => "violates the condition",
        }
    }

    /// Does the quantified condition hold, if what it asks for is reachable (`exists` and
    /// `~exists`: a final state that satisfies it; `forall`: one that does not)?
    pub fn holds(self, reachable: bool) -> bool {
        reachable == (self == Self::Exists)
    }
}

/// What has a value in a final state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// `P0:r1`
    Register { thread: ThreadId, name: String },
    /// `x`
    Location(String),
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionOperand {
    /// A register or location.
    Variable(Variable),
    /// A number.
    Integer(i64),
    /// `&x`: the address of a location.
    AddressOf(String),
}

/// A statement about a final state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposition {
    /// `true`
    True,
    /// `false`
    False,
    /// `a == b`
    Compare {
        comparison: NumberComparison,
        /// The left side.
        left: ConditionOperand,
        /// The right side.
        right: ConditionOperand,
    },
    /// `~ p`
    Not(Box<Proposition>),
    /// `p /\ q /\ ..`: two or more.
    And(Vec<Proposition>),
    /// `p \/ q \/ ..`: two or more.
    Or(Vec<Proposition>),
}

impl Proposition {
    /// `variable == value`
    pub fn equals(variable: Variable, value: i64) -> Self {
        Self::Compare {
            comparison: NumberComparison::Equal,
            left: ConditionOperand::Variable(variable),
            right: ConditionOperand::Integer(value),
        }
    }

    /// The conjunction of any number of propositions.
    pub fn all(mut parts: Vec<Proposition>) -> Self {
        match parts.len() {
            0 => Self::True,
            1 => parts.remove(0),
            _ => Self::And(parts),
        }
    }

    /// Every variable in it, in order of appearance.
    pub fn variables(&self) -> Vec<&Variable> {
        let sides = self.comparisons().into_iter().flat_map(|(left, right)| [left, right]);
        sides
            .filter_map(|operand| match operand {
                ConditionOperand::Variable(v) => Some(v),
                ConditionOperand::Integer(_) | ConditionOperand::AddressOf(_) => None,
            })
            .collect()
    }

    /// Both sides of every comparison in it, in order of appearance.
    pub fn comparisons(&self) -> Vec<(&ConditionOperand, &ConditionOperand)> {
        let mut found = Vec::new();
        self.visit(&mut |left, right| found.push((left, right)));
        found
    }

    /// A text of it with its threads renamed, the same for the same parts in another order.
    pub(crate) fn canonical(&self, renamed: &dyn Fn(usize) -> usize) -> String {
        let side = |operand: &ConditionOperand| match operand {
            ConditionOperand::Variable(Variable::Register { thread, name }) => {
                format!("P{}:{name}", renamed(thread.index()))
            }
            other => format!("{other:?}"),
        };
        let all = |word: &str, parts: &[Self]| {
            let mut parts: Vec<String> = parts.iter().map(|p| p.canonical(renamed)).collect();
            parts.sort_unstable();
            format!("{word}({})", parts.join(","))
        };
        match self {
            Self::True | Self::False => format!("{self:?}"),
            Self::Compare { comparison, left, right } => {
                format!("{comparison:?}({},{})", side(left), side(right))
            }
            Self::Not(p) => format!("not({})", p.canonical(renamed)),
            Self::And(parts) => all("and", parts),
            Self::Or(parts) => all("or", parts),
        }
    }

    /// Calls `see` with the sides of each comparison, in order of appearance.
    fn visit<'a>(&'a self, see: &mut impl FnMut(&'a ConditionOperand, &'a ConditionOperand)) {
        match self {
            Self::True | Self::False => {}
            Self::Compare { left, right, .. } => see(left, right),
            Self::Not(p) => p.visit(see),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|p| p.visit(see)),
        }
    }
}

/// A quantified proposition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub quantifier: Quantifier,
    /// What is quantified.
    pub proposition: Proposition,
}
