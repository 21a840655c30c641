//! A derivation of the empty clause, and its check. It knows nothing of what found it.

use std::fmt;

use margay_proof::SatLiteral;

/// A clause that follows from others by unit propagation along them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivationStep {
    pub clause: Vec<SatLiteral>,
    /// The clauses that it follows from, in the order of propagation: numbers of given clauses, and
    /// behind them of steps.
    pub hints: Vec<usize>,
}

/// Why a derivation is refused: the place of a step, and what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivationFlaw {
    /// The step names itself or one behind it.
    NamesLaterStep(usize),
    /// More than one literal of a clause is open when the step comes to it.
    NamesNoUnit(usize),
    /// Its clauses lead to no contradiction with its negation.
    DoesNotFollow(usize),
    /// Nothing is refuted: the last step claims more than the empty clause.
    EndsWithoutContradiction,
}

impl fmt::Display for DerivationFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NamesLaterStep(at) => write!(f, "step {at} names a step that comes later"),
            Self::NamesNoUnit(at) => write!(f, "step {at} names a clause that is no unit"),
            Self::DoesNotFollow(at) => {
                write!(f, "step {at} does not follow from the clauses that it names")
            }
            Self::EndsWithoutContradiction => f.write_str("the last step is not the empty clause"),
        }
    }
}

impl std::error::Error for DerivationFlaw {}

/// Does each step follow from the clauses that it names, by unit propagation along them in this
/// order, and is the last one empty?
///
/// # Errors
/// The first step that does not.
pub fn check(given: &[Vec<SatLiteral>], steps: &[DerivationStep]) -> Result<(), DerivationFlaw> {
    for (at, step) in steps.iter().enumerate() {
        let mut true_literals: Vec<SatLiteral> = step.clause.iter().map(|&l| !l).collect();
        let mut contradiction = false;
        for &hint in &step.hints {
            let clause = match hint.checked_sub(given.len()) {
                None => &given[hint],
                Some(earlier) if earlier < at => &steps[earlier].clause,
                Some(_) => return Err(DerivationFlaw::NamesLaterStep(at)),
            };
            let mut open = clause.iter().filter(|l| !true_literals.contains(&!**l));
            match (open.next(), open.next()) {
                (None, _) => {
                    contradiction = true;
                    break;
                }
                (Some(&unit), None) => true_literals.push(unit),
                (Some(_), Some(_)) => return Err(DerivationFlaw::NamesNoUnit(at)),
            }
        }
        if !contradiction {
            return Err(DerivationFlaw::DoesNotFollow(at));
        }
    }
    match steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(DerivationFlaw::EndsWithoutContradiction),
    }
}
