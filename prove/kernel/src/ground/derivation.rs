//! A derivation of the empty clause, and its check. It knows nothing of what found it.

/// A clause that follows from others by unit propagation along them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivationStep {
    /// Its literals.
    pub clause: Vec<i32>,
    /// The clauses that it follows from, in the order of propagation: numbers of given clauses, and
    /// behind them of steps.
    pub hints: Vec<usize>,
}

/// Does each step follow from the clauses that it names, by unit propagation along them in this
/// order, and is the last one empty?
///
/// # Errors
/// The number of a step, and what is wrong with it.
pub fn check(given: &[Vec<i32>], steps: &[DerivationStep]) -> Result<(), String> {
    for (at, step) in steps.iter().enumerate() {
        let mut true_literals: Vec<i32> = step.clause.iter().map(|l| -l).collect();
        let mut contradiction = false;
        for &hint in &step.hints {
            let clause = match hint.checked_sub(given.len()) {
                None => &given[hint],
                Some(earlier) if earlier < at => &steps[earlier].clause,
                Some(_) => return Err(format!("step {at} names a step that comes later")),
            };
            let mut open = clause.iter().filter(|l| !true_literals.contains(&-**l));
            match (open.next(), open.next()) {
                (None, _) => {
                    contradiction = true;
                    break;
                }
                (Some(&unit), None) => true_literals.push(unit),
                (Some(_), Some(_)) => {
                    return Err(format!("step {at} names a clause that is no unit"));
                }
            }
        }
        if !contradiction {
            return Err(format!("step {at} does not follow from the clauses that it names"));
        }
    }
    match steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err("the last step is not the empty clause".to_owned()),
    }
}
