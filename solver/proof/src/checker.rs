//! The checker: every derived clause must follow from the clauses that its hints name, by unit
//! propagation along them alone.
//!
//! Since there are no RAT steps, each clause that is accepted is implied by the original clauses
//! before it: what a proof deletes, weakens and restores decides what hints may name, and not what
//! is true.

use std::io::Read;

use crate::clauses::ProofClauses;
use crate::input::{ProofFlaw, ProofInput};
use crate::literal::SatLiteral;
use crate::record::RecordKind;

/// The largest variable that a proof may have: a damaged one must not ask for all memory.
const MAX_VARIABLE: u32 = 1 << 26;

/// What a proof says next to whoever knows what was asked; what lies between is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofStep {
    /// A clause was given.
    Original,
    /// Something was asked under assumptions.
    Question,
    /// There was an assignment. Nothing is checked about that.
    Satisfiable,
    /// There was no answer.
    Unknown,
    /// There is no assignment of the clauses so far under the assumptions of the question: proved.
    Refuted,
    /// The record of the end, with the right number of records: nothing was cut off.
    End,
}

/// Checks a proof while reading it.
pub struct ProofChecker<R> {
    input: ProofInput<R>,
    clauses: ProofClauses,
    /// By code of literal: the number of the check that last made it true.
    made_true: Vec<u32>,
    /// The number of the check.
    check: u32,
    /// The largest variable of the original clauses and questions.
    variables: u32,
    /// The assumptions of the question that is not answered yet, sorted.
    question: Option<Vec<SatLiteral>>,
    /// The proof has ended.
    ended: bool,
    derived: u64,
}

impl<R: Read> ProofChecker<R> {
    /// Checks records, as an [`Encoder`](crate::Encoder) makes their bytes: whoever compressed them
    /// decompresses them before.
    pub fn of_records(reader: R) -> Self {
        Self {
            input: ProofInput::new(reader),
            clauses: ProofClauses::default(),
            made_true: Vec::new(),
            check: 0,
            variables: 0,
            question: None,
            ended: false,
            derived: 0,
        }
    }

    /// Something that the caller knows is wrong at this place.
    pub fn flaw(&self, what: impl Into<String>) -> ProofFlaw {
        self.input.flaw(what)
    }

    /// The literals of the original clause or question that the last step was about.
    pub fn literals(&self) -> &[SatLiteral] {
        &self.input.record.literals
    }

    /// The records so far.
    pub fn records(&self) -> u64 {
        self.input.records()
    }

    /// The uncompressed bytes so far.
    pub fn bytes(&self) -> u64 {
        self.input.bytes()
    }

    /// The derived clauses that were checked.
    pub fn derived(&self) -> u64 {
        self.derived
    }

    /// Reads and checks up to the next step. After an error the proof is worth nothing.
    ///
    /// # Errors
    /// The proof is damaged, or a clause does not follow.
    pub fn step(&mut self) -> Result<ProofStep, ProofFlaw> {
        if self.ended {
            return Err(self.flaw("the proof has ended"));
        }
        loop {
            let kind = self.input.next()?;
            let id = self.input.record.id;
            let known = match kind {
                RecordKind::Original if self.question.is_some() => {
                    return Err(self.flaw("a clause was given before the answer"));
                }
                RecordKind::Original => {
                    self.import()?;
                    self.insert()?;
                    return Ok(ProofStep::Original);
                }
                RecordKind::Derived => {
                    self.derive()?;
                    self.insert()?;
                    self.derived += 1;
                    true
                }
                RecordKind::Delete => self.clauses.delete(id),
                RecordKind::Weaken => self.clauses.weaken(id),
                RecordKind::Restore => self.clauses.restore(id, &self.input.record.literals),
                RecordKind::Question if self.question.is_some() => {
                    return Err(self.flaw("a question was asked before the answer to the last one"));
                }
                RecordKind::Question => {
                    self.import()?;
                    let mut assumptions = self.input.record.literals.clone();
                    assumptions.sort_unstable();
                    self.question = Some(assumptions);
                    return Ok(ProofStep::Question);
                }
                RecordKind::Satisfiable => return self.answer(ProofStep::Satisfiable),
                RecordKind::Unknown => return self.answer(ProofStep::Unknown),
                RecordKind::Refuted => {
                    self.refuted(id)?;
                    return self.answer(ProofStep::Refuted);
                }
                RecordKind::End => {
                    let before = self.input.records() - 1;
                    if id != before {
                        return Err(
                            self.flaw(format!("the proof had {id} records, and has {before}"))
                        );
                    }
                    if self.question.is_some() {
                        return Err(self.flaw("the last question has no answer"));
                    }
                    self.input.end()?;
                    self.ended = true;
                    return Ok(ProofStep::End);
                }
            };
            if !known {
                let what = match kind {
                    RecordKind::Restore => "comes back, and did not go with these literals",
                    _ => "is named, and is not in use",
                };
                return Err(self.flaw(format!("clause {id} {what}")));
            }
        }
    }

    fn answer(&mut self, step: ProofStep) -> Result<ProofStep, ProofFlaw> {
        match self.question.take() {
            Some(_) => Ok(step),
            None => Err(self.flaw("an answer without a question")),
        }
    }

    /// The variables of original clauses and questions are the variables of the proof.
    fn import(&mut self) -> Result<(), ProofFlaw> {
        let largest = self.input.record.literals.iter().map(|l| l.variable()).max().unwrap_or(0);
        if largest > MAX_VARIABLE {
            return Err(self.flaw(format!("variable {largest} is out of range")));
        }
        if largest > self.variables {
            self.variables = largest;
            self.made_true.resize(2 * (largest as usize + 1), 0);
        }
        Ok(())
    }

    fn insert(&mut self) -> Result<(), ProofFlaw> {
        let id = self.input.record.id;
        if self.clauses.insert(id, &self.input.record.literals) {
            Ok(())
        } else {
            Err(self.flaw(format!("there is a clause {id} already")))
        }
    }

    /// The clause of a refutation: only negated assumptions.
    fn refuted(&self, id: u64) -> Result<(), ProofFlaw> {
        let Some(clause) = self.clauses.get(id) else {
            return Err(self.flaw(format!("the answer rests on clause {id}, which is not in use")));
        };
        let assumptions = self.question.as_deref().unwrap_or_default();
        match clause.iter().find(|&&l| assumptions.binary_search(&!l).is_err()) {
            None => Ok(()),
            Some(literal) => {
                let what = format!(
                    "the answer rests on clause {id}, and {} is not assumed in the question",
                    !*literal
                );
                Err(self.flaw(what))
            }
        }
    }

    /// Does the clause follow? Its negation makes each clause that a hint names unit, and the last
    /// one empty.
    fn derive(&mut self) -> Result<(), ProofFlaw> {
        if self.check == u32::MAX {
            self.made_true.fill(0);
            self.check = 0;
        }
        self.check += 1;
        let record = &self.input.record;
        let mut follows = false;
        for &literal in &record.literals {
            if literal.variable() > self.variables {
                return Err(
                    self.flaw(format!("variable {} is in no original clause", literal.variable()))
                );
            }
            // Both a literal and its negation: the clause is true whatever follows.
            follows |= self.made_true[literal.code()] == self.check;
            self.made_true[(!literal).code()] = self.check;
        }
        for &hint in &record.hints {
            if follows {
                break;
            }
            let Some(clause) = self.clauses.get(hint) else {
                return Err(self.flaw(format!(
                    "clause {} has the hint {hint}, which is not in use",
                    record.id
                )));
            };
            let mut unit = None;
            for &literal in clause {
                if self.made_true[(!literal).code()] == self.check || unit == Some(literal) {
                    continue;
                }
                if unit.is_some() {
                    return Err(
                        self.flaw(format!("clause {}: its hint {hint} is not unit", record.id))
                    );
                }
                unit = Some(literal);
            }
            match unit {
                Some(literal) => self.made_true[literal.code()] = self.check,
                None => follows = true,
            }
        }
        if follows {
            Ok(())
        } else {
            Err(self.flaw(format!("clause {} does not follow from its hints", record.id)))
        }
    }
}
