//! Conditions: `P1:r1 == 1 /\ x == 2` in the tabular form, `1:r1=1 /\ [x]=2` in herd's.

use crate::test::{ConditionOperand, Dialect, NumberComparison, Proposition, Variable};

pub fn variable(variable: &Variable, dialect: Dialect) -> String {
    match (variable, dialect) {
        (
            Variable::Register { thread, name },
            Dialect::Ptx | Dialect::Generic | Dialect::Text(_),
        ) => format!("{thread}:{name}"),
        (Variable::Register { thread, name }, Dialect::GpuPtx | Dialect::C) => {
            format!("{}:{name}", thread.0)
        }
        (Variable::Location(name), Dialect::C) => format!("[{name}]"),
        (Variable::Location(name), _) => name.clone(),
    }
}

/// A proposition, without parentheses around it.
pub fn proposition(p: &Proposition, dialect: Dialect) -> String {
    match p {
        Proposition::True => "true".to_string(),
        Proposition::False => "false".to_string(),
        Proposition::Compare { comparison, left, right } => {
            let (left, right) = (operand(left, dialect), operand(right, dialect));
            match (comparison, dialect) {
                (NumberComparison::Equal, Dialect::GpuPtx | Dialect::C) => {
                    format!("{left}={right}")
                }
                _ => format!("{left} {} {right}", comparison.symbol()),
            }
        }
        Proposition::Not(p) => format!("~({})", proposition(p, dialect)),
        Proposition::And(parts) => join(parts, " /\\ ", dialect),
        Proposition::Or(parts) => join(parts, " \\/ ", dialect),
    }
}

/// The parts with a connective between them, each in parentheses if it is a connective itself.
fn join(parts: &[Proposition], connective: &str, dialect: Dialect) -> String {
    let part = |p: &Proposition| match p {
        Proposition::And(_) | Proposition::Or(_) => format!("({})", proposition(p, dialect)),
        _ => proposition(p, dialect),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(connective)
}

fn operand(operand: &ConditionOperand, dialect: Dialect) -> String {
    match operand {
        ConditionOperand::Variable(v) => variable(v, dialect),
        ConditionOperand::Integer(n) => n.to_string(),
        ConditionOperand::AddressOf(location) => format!("&{location}"),
    }
}
