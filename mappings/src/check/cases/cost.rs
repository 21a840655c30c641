//! What cases cost, and what those of the next bound will: a shape grows over the shapes with one
//! event less as these did over those with two less. Conflicts are what is predicted for decisions
//! (they are the same on every machine), seconds for the reader.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::encode::shape::ThreadShape;

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CaseCost {
    /// Conflicts of the solver.
    pub conflicts: f64,
    /// Seconds of one core, of the machine that solved the smaller bounds.
    pub seconds: f64,
}

impl CaseCost {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: CaseCost) -> CaseCost {
        CaseCost {
            conflicts: self.conflicts + other.conflicts,
            seconds: self.seconds + other.seconds,
        }
    }

    /// So much of it.
    #[must_use]
    pub fn times(self, factor: f64) -> CaseCost {
        CaseCost { conflicts: self.conflicts * factor, seconds: self.seconds * factor }
    }
}

/// What the cases of one kind cost.
#[derive(Debug, Clone, Default)]
pub struct CaseCosts {
    by_shape: BTreeMap<(ThreadShape, usize), CaseCost>,
}

/// The shapes that one gets by taking one event away, each once.
fn without_one(shape: &ThreadShape) -> Vec<ThreadShape> {
    let fewer = (0..shape.threads()).map(|t| {
        let mut sizes = shape.sizes().to_vec();
        sizes[t] -= 1;
        sizes.retain(|&s| s > 0);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    });
    let mut fewer: Vec<Vec<usize>> = fewer.filter(|sizes| !sizes.is_empty()).collect();
    fewer.sort();
    fewer.dedup();
    fewer.into_iter().filter_map(|sizes| ThreadShape::of(&sizes)).collect()
}

impl CaseCosts {
    /// Remembers a cost.
    pub fn insert(&mut self, shape: &ThreadShape, question: usize, cost: CaseCost) {
        self.by_shape.insert((shape.clone(), question), cost);
    }

    /// What it costs to decide the questions for a shape, if the smaller ones are known.
    pub fn predict(&self, shape: &ThreadShape, questions: &[usize]) -> Option<CaseCost> {
        questions
            .iter()
            .try_fold(CaseCost::default(), |sum, &q| Some(sum.plus(self.of_question(shape, q)?)))
    }

    fn of_question(&self, shape: &ThreadShape, question: usize) -> Option<CaseCost> {
        let known = |shapes: &[ThreadShape]| {
            let costs: Vec<CaseCost> = shapes
                .iter()
                .filter_map(|s| self.by_shape.get(&(s.clone(), question)).copied())
                .collect();
            let sum = costs.iter().copied().fold(CaseCost::default(), CaseCost::plus);
            (!costs.is_empty()).then(|| sum.times(1.0 / costs.len() as f64))
        };
        let fewer = without_one(shape);
        let still_fewer: Vec<ThreadShape> = fewer.iter().flat_map(without_one).collect();
        let (one, two) = (known(&fewer)?, known(&still_fewer)?);
        // Below these a case is translation and chance.
        let grown = |one: f64, two: f64, least: f64| {
            one.max(least) * (one.max(least) / two.max(least)).clamp(1.0, 100.0)
        };
        Some(CaseCost {
            conflicts: grown(one.conflicts, two.conflicts, 100.0),
            seconds: grown(one.seconds, two.seconds, 0.001),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CaseCost, CaseCosts};
    use crate::encode::shape::ThreadShape;

    #[test]
    fn steady_growth_is_carried_on() {
        let mut costs = CaseCosts::default();
        for n in 3..7 {
            for shape in ThreadShape::all(n) {
                costs.insert(
                    &shape,
                    0,
                    CaseCost {
                        conflicts: 5_f64.powi(n as i32) * 100.0,
                        seconds: 3_f64.powi(n as i32),
                    },
                );
            }
        }
        for shape in ThreadShape::all(7) {
            let predicted = costs.predict(&shape, &[0]).expect("smaller shapes are known");
            assert!(
                (predicted.conflicts / 7_812_500.0 - 1.0).abs() < 1e-9,
                "{shape}: {predicted:?}"
            );
            assert!((predicted.seconds / 2187.0 - 1.0).abs() < 1e-9, "{shape}: {predicted:?}");
            assert_eq!(costs.predict(&shape, &[0, 1]), None, "nothing is known of question 1");
        }
    }
}
