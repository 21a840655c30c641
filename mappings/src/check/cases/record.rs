//! Answers as they are kept: the decisions of a case with what was learned, or the counterexample that was chosen, as JSON.

use margay_solver::{Atom, Instance, Statistics, TupleSet};
use serde::{Deserialize, Serialize};

use super::cost::CaseCost;
use crate::certificate::{CertifiedLesson, Proof};
use crate::check::case::{Candidates, CaseAnswer, CaseDecision, CheckSetting, Preferred};
use crate::check::program::{Learned, Taught};
use crate::check::taught::{lesson, taught};
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;

/// A set of tuples: the atoms of each.
type RecordedTuples = Vec<Vec<u32>>;

/// The answer of a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRecord {
    pub decisions: Vec<DecisionRecord>,
    /// What is proved of them, where a certificate was asked for.
    pub proof: Option<Proof>,
}

/// A decision. It is kept only if there is an answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionRecord {
    question: usize,
    found: bool,
    variables: usize,
    clauses: usize,
    conflicts: u64,
    gates: usize,
    seconds: f64,
    explained: usize,
    racy: usize,
    learned: Vec<CertifiedLesson>,
}

/// A chosen counterexample.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreferredRecord {
    cost: Vec<u64>,
    /// The relations by name.
    relations: Vec<(String, usize, RecordedTuples)>,
}

fn tuples(set: &TupleSet) -> RecordedTuples {
    set.iter().map(|t| t.iter().map(|a| a.0).collect()).collect()
}

/// The set, if each tuple has this arity and names atoms below the limit.
fn set(tuples: &RecordedTuples, arity: usize, atoms: usize) -> Option<TupleSet> {
    let fits = |t: &Vec<u32>| t.len() == arity && t.iter().all(|&a| (a as usize) < atoms);
    tuples
        .iter()
        .all(fits)
        .then(|| TupleSet::from_tuples(arity, tuples.iter().map(|t| t.iter().map(|&a| Atom(a)).collect::<Vec<_>>())))
}

impl DecisionRecord {
    /// The record of a decision; `None` if it was not decided.
    pub fn new(d: &CaseDecision, shape: &ThreadShape) -> Option<Self> {
        let found = match d.answer {
            CaseAnswer::Found => true,
            CaseAnswer::None => false,
            CaseAnswer::Unknown => return None,
        };
        let Statistics { variables, clauses, conflicts, gates } = d.statistics;
        let Candidates { explained, racy, .. } = d.candidates;
        Some(Self {
            question: d.question,
            found,
            variables,
            clauses,
            conflicts,
            gates,
            seconds: d.seconds,
            explained,
            racy,
            learned: d.learned.0.iter().map(|taught| lesson(taught, shape)).collect::<Option<_>>()?,
        })
    }

    /// The question and what it took.
    pub fn cost(&self) -> (usize, CaseCost) {
        (self.question, CaseCost { conflicts: self.conflicts as f64, seconds: self.seconds })
    }

    /// The decision; `None` if what it speaks of is not in the case.
    pub fn decision(&self, question: usize, shape: &ThreadShape) -> Option<CaseDecision> {
        if self.question != question {
            return None;
        }
        let learned: Option<Vec<Taught>> = self.learned.iter().map(|lesson| taught(lesson, shape)).collect();
        Some(CaseDecision {
            question,
            answer: if self.found { CaseAnswer::Found } else { CaseAnswer::None },
            statistics: Statistics {
                variables: self.variables,
                clauses: self.clauses,
                conflicts: self.conflicts,
                gates: self.gates,
            },
            seconds: self.seconds,
            candidates: Candidates { explained: self.explained, racy: self.racy, old: 0 },
            learned: Learned(learned?),
            pending: None,
        })
    }
}

impl PreferredRecord {
    /// The record of a counterexample.
    pub fn new(setting: &CheckSetting<'_>, preferred: &Preferred) -> Self {
        let logic = &setting.problem.logic;
        let relation = |(r, set): (_, &TupleSet)| (logic.relation_name(r).to_owned(), set.arity(), tuples(set));
        Self { cost: preferred.cost.clone(), relations: preferred.instance.relations().map(relation).collect() }
    }

    /// The counterexample; `None` if what it speaks of is not in the case.
    pub fn preferred(&self, setting: &CheckSetting<'_>, atoms: Atoms) -> Option<Preferred> {
        let logic = &setting.problem.logic;
        let bounds = setting.problem.vocabulary.bounds(&atoms);
        let universe = atoms.universe();
        let known: Vec<_> = bounds.relations().collect();
        if known.len() != self.relations.len() {
            return None;
        }
        let mut relations = std::collections::BTreeMap::new();
        for (name, arity, tuples) in &self.relations {
            let &relation = known.iter().find(|&&r| logic.relation_name(r) == name && logic.relation_arity(r) == *arity)?;
            let tuples = set(tuples, *arity, universe.len())?;
            if !bounds.get(relation).is_some_and(|(lower, upper)| lower.is_subset(&tuples) && tuples.is_subset(upper)) {
                return None;
            }
            relations.insert(relation, tuples);
        }
        let all = relations.len() == known.len() && !self.cost.is_empty();
        all.then(|| Preferred { cost: self.cost.clone(), instance: Instance::new(universe, relations), atoms })
    }
}
