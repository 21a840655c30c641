//! Answers as they are kept: the decisions of a case with what was learned, or the counterexample
//! that was chosen, as JSON.

use margay_solver::Statistics;
use serde::{Deserialize, Serialize};

use super::cost::CaseCost;
use crate::certificate::{CertifiedLesson, Proof};
use crate::check::case::{Candidates, CaseAnswer, CaseDecision, CheckSetting, Preferred};
use crate::check::program::{Learned, Taught};
use crate::check::taught::{lesson, taught};
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::search::RecordedInstance;

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
    /// Beside a baseline: candidates that are counterexamples of it, too.
    #[serde(default)]
    old: usize,
    learned: Vec<CertifiedLesson>,
}

/// A chosen counterexample.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreferredRecord {
    cost: Vec<u64>,
    /// The relations by name.
    relations: RecordedInstance,
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
        let Candidates { explained, racy, old } = d.candidates;
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
            old,
            learned: d
                .learned
                .0
                .iter()
                .map(|taught| lesson(taught, shape))
                .collect::<Option<_>>()?,
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
        let learned: Option<Vec<Taught>> =
            self.learned.iter().map(|lesson| taught(lesson, shape)).collect();
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
            candidates: Candidates { explained: self.explained, racy: self.racy, old: self.old },
            learned: Learned(learned?),
            pending: None,
        })
    }
}

impl PreferredRecord {
    /// The record of a counterexample.
    pub fn new(setting: &CheckSetting<'_>, preferred: &Preferred) -> Self {
        Self {
            cost: preferred.cost.clone(),
            relations: RecordedInstance::new(&setting.problem.logic, &preferred.instance),
        }
    }

    /// The counterexample; `None` if what it speaks of is not in the case.
    pub fn preferred(&self, setting: &CheckSetting<'_>, atoms: Atoms) -> Option<Preferred> {
        let instance =
            self.relations.instance(&setting.problem.logic, &setting.problem.vocabulary, &atoms)?;
        (!self.cost.is_empty()).then(|| Preferred { cost: self.cost.clone(), instance, atoms })
    }
}
