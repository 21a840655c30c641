//! The parts of a shape's case: one, or several where it is predicted to be larger than its share.

use crate::certificate::Proof;
use crate::check::case::{Candidates, CaseAnswer, CaseDecision, CheckSetting};
use crate::check::program::Learned;
use crate::encode::shape::ThreadShape;

use super::cost::CaseCost;
use crate::search::{Cube, covers, facts, leaves};

/// No shape is split into more than 2 to this power.
const DEEPEST: usize = 10;

/// Nor is what is predicted to take fewer conflicts: translating the case takes as long.
const LEAST: f64 = 200.0;

/// What one solver is asked: questions about the executions of a shape, or of a leaf of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CasePart<'a> {
    pub shape: &'a ThreadShape,
    pub questions: Vec<usize>,
    /// The leaf; empty for all executions.
    pub cube: Cube,
    /// What it is predicted to cost.
    pub cost: Option<CaseCost>,
}

/// What came out for a part.
#[derive(Default)]
pub struct PartAnswer {
    pub decisions: Vec<CaseDecision>,
    /// The proof of what has no counterexample, where one was asked for and accepted.
    pub proof: Option<Proof>,
    /// Why it could not be written, if it could not.
    pub unwritten: Option<String>,
    /// Was it found by a run before?
    pub kept: bool,
}

impl CasePart<'_> {
    /// The conflicts that are predicted; 0 where nothing is known.
    pub fn predicted(&self) -> f64 {
        self.cost.map_or(0.0, |cost| cost.conflicts)
    }
}

/// The parts of the cases of a bound, so that none is predicted to be larger than the share of one
/// of so many workers. The answers do not depend on it, and it depends on nothing but the answers
/// of smaller bounds.
pub fn parts<'a>(
    setting: &CheckSetting<'_>,
    shapes: &'a [ThreadShape],
    questions: &[usize],
    workers: Option<usize>,
) -> Vec<CasePart<'a>> {
    let costs = setting.costs;
    let costs_of: Vec<Option<CaseCost>> =
        shapes.iter().map(|shape| costs.predict(shape, questions)).collect();
    let all: f64 = costs_of.iter().flatten().map(|c| c.conflicts).sum();
    let share = workers.map_or(f64::INFINITY, |n| (all / n.max(1) as f64).max(LEAST));
    let of_shape = |(shape, cost): (&'a ThreadShape, Option<CaseCost>)| {
        let whole =
            vec![CasePart { shape, questions: questions.to_vec(), cube: Cube::new(), cost }];
        if cost.is_none_or(|c| c.conflicts <= share) {
            return whole;
        }
        // Questions apart first: one solver for all learns more, so only where that is not enough
        // already.
        questions
            .iter()
            .flat_map(|&q| of_question(setting, shape, q, costs.predict(shape, &[q]), share))
            .collect()
    };
    shapes.iter().zip(costs_of).flat_map(of_shape).collect()
}

fn of_question<'a>(
    setting: &CheckSetting<'_>,
    shape: &'a ThreadShape,
    question: usize,
    cost: Option<CaseCost>,
    share: f64,
) -> Vec<CasePart<'a>> {
    let part = |cube: Cube, cost| CasePart { shape, questions: vec![question], cube, cost };
    let Some(cost) = cost.filter(|c| c.conflicts > share) else {
        return vec![part(Cube::new(), cost)];
    };
    let depth = ((cost.conflicts / share).log2().ceil() as usize).min(DEEPEST);
    let facts = facts(shape, &setting.problem.vocabulary);
    let leaves = leaves(&facts[..depth.min(facts.len())]);
    debug_assert!(covers(&leaves));
    let each = cost.times(1.0 / leaves.len() as f64);
    leaves.into_iter().map(|cube| part(cube, Some(each))).collect()
}

/// The decisions about a shape from those about its parts.
pub fn join(questions: &[usize], parts: Vec<Vec<CaseDecision>>) -> Vec<CaseDecision> {
    let mut parts: Vec<CaseDecision> = parts.into_iter().flatten().collect();
    let of = |question: usize, parts: &mut Vec<CaseDecision>| {
        let all: Vec<CaseDecision> = parts.extract_if(.., |d| d.question == question).collect();
        all.into_iter().reduce(|a, b| CaseDecision {
            question,
            answer: match (a.answer, b.answer) {
                (CaseAnswer::Found, _) | (_, CaseAnswer::Found) => CaseAnswer::Found,
                (CaseAnswer::Unknown, _) | (_, CaseAnswer::Unknown) => CaseAnswer::Unknown,
                (CaseAnswer::None, CaseAnswer::None) => CaseAnswer::None,
            },
            statistics: margay_solver::Statistics {
                variables: a.statistics.variables + b.statistics.variables,
                clauses: a.statistics.clauses + b.statistics.clauses,
                conflicts: a.statistics.conflicts + b.statistics.conflicts,
                gates: a.statistics.gates + b.statistics.gates,
            },
            seconds: a.seconds + b.seconds,
            candidates: Candidates {
                explained: a.candidates.explained + b.candidates.explained,
                racy: a.candidates.racy + b.candidates.racy,
                old: a.candidates.old + b.candidates.old,
            },
            learned: both(a.learned, b.learned),
            pending: a.pending.or(b.pending),
        })
    };
    questions.iter().filter_map(|&q| of(q, &mut parts)).collect()
}

/// What two parts taught, each lesson once.
fn both(mut a: Learned, b: Learned) -> Learned {
    let new: Vec<_> = b.0.into_iter().filter(|taught| !a.0.contains(taught)).collect();
    a.0.extend(new);
    a
}
