//! One refutation of a proof in the formats that other checkers read: its clauses as DIMACS, its
//! steps as LRAT.

use std::io::{self, Read, Write};

use crate::ids::{IdMap, IdSet};
use crate::{ProofInput, RecordKind, SatLiteral};

/// How large a refutation became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedRefutation {
    /// Clauses of the problem: those that were given before the question was answered, and one for
    /// each of its assumptions.
    pub clauses: u64,
    /// Clauses that are derived from them, the empty one last.
    pub steps: u64,
}

/// The numbers of the questions of a proof that were answered by a refutation, the first of the
/// proof having the number 1: those that a [`LratRefutation`] can be of.
///
/// # Errors
/// The records cannot be read.
pub fn refuted(records: impl Read) -> io::Result<Vec<u64>> {
    let mut input = ProofInput::new(records);
    let (mut questions, mut refuted) = (0, Vec::new());
    loop {
        match input.record().map_err(io::Error::other)?.kind {
            RecordKind::Question => questions += 1,
            RecordKind::Refuted => refuted.push(questions),
            RecordKind::End => return Ok(refuted),
            _ => {}
        }
    }
}

/// What one question was about, and the clause that answered it. It is written for other checkers
/// as two files: the clauses and assumptions that are refuted, in DIMACS, and the steps to the
/// empty clause, in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017).
/// Nothing is checked: that is for whoever reads the two files.
#[derive(Debug, Default)]
pub struct LratRefutation {
    /// In DIMACS, a line each, without the assumptions.
    text: Vec<u8>,
    assumptions: Vec<SatLiteral>,
    variables: u32,
    /// With the assumptions.
    clauses: u64,
    /// The records up to the answer.
    records: u64,
    /// The id of the clause that the answer names: negated assumptions, or nothing.
    by: u64,
}

impl LratRefutation {
    /// Reads a proof up to the answer of a question.
    ///
    /// # Errors
    /// The records cannot be read; there is no such question, or it was not answered by a
    /// refutation.
    pub fn read(records: impl Read, question: u64) -> io::Result<Self> {
        let mut input = ProofInput::new(records);
        let (mut problem, mut questions) = (Self::default(), 0);
        loop {
            let record = input.record().map_err(io::Error::other)?;
            problem.records += 1;
            let largest = record.literals.iter().map(|l| l.variable()).max().unwrap_or(0);
            match record.kind {
                RecordKind::Original => {
                    problem.variables = problem.variables.max(largest);
                    problem.clauses += 1;
                    line(&mut problem.text, &record.literals)?;
                }
                RecordKind::Question => {
                    questions += 1;
                    if questions == question {
                        problem.variables = problem.variables.max(largest);
                        problem.clauses += record.literals.len() as u64;
                        problem.assumptions.clone_from(&record.literals);
                    }
                }
                RecordKind::Refuted if questions == question => {
                    problem.by = record.id;
                    return Ok(problem);
                }
                RecordKind::Satisfiable | RecordKind::Unknown if questions == question => {
                    return Err(io::Error::other(format!(
                        "question {question} was not answered by a refutation"
                    )));
                }
                RecordKind::End => {
                    return Err(io::Error::other(format!(
                        "there are {questions} questions, and no number {question}"
                    )));
                }
                _ => {}
            }
        }
    }

    /// Writes the problem in DIMACS: the clauses, and each assumption as a clause.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_cnf(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "p cnf {} {}", self.variables, self.clauses)?;
        out.write_all(&self.text)?;
        self.assumptions.iter().try_for_each(|&l| line(&mut out, &[l]))?;
        out.flush()
    }

    /// Writes the steps, reading the records of the same proof a second time: they are too many to
    /// be kept. LRAT numbers the clauses of the problem first, and every other one by a larger
    /// number than those before it.
    ///
    /// # Errors
    /// The records cannot be read, or name a clause that is not there; those of the writer.
    pub fn write_lrat(
        &self,
        records: impl Read,
        mut out: impl Write,
    ) -> io::Result<ExportedRefutation> {
        let mut input = ProofInput::new(records);
        let unknown = |id: u64| io::Error::other(format!("no clause in use has the id {id}"));
        let mut numbers: IdMap<u64> = IdMap::default();
        // A clause that was weakened may come back after it was deleted: it stays.
        let mut weakened = IdSet::default();
        let (mut given, mut last) = (0, self.clauses);
        let mut negated: Vec<SatLiteral> = Vec::new();
        for _ in 0..self.records {
            let record = input.record().map_err(io::Error::other)?;
            let id = record.id;
            if id == self.by && matches!(record.kind, RecordKind::Original | RecordKind::Derived) {
                negated.clone_from(&record.literals);
            }
            match record.kind {
                RecordKind::Original => {
                    given += 1;
                    numbers.insert(id, given);
                }
                RecordKind::Derived => {
                    last += 1;
                    write!(out, "{last} ")?;
                    record.literals.iter().try_for_each(|l| write!(out, "{l} "))?;
                    write!(out, "0 ")?;
                    for hint in &record.hints {
                        write!(out, "{} ", numbers.get(hint).ok_or_else(|| unknown(*hint))?)?;
                    }
                    writeln!(out, "0")?;
                    numbers.insert(id, last);
                }
                RecordKind::Delete if !weakened.contains(&id) => {
                    let number = numbers.remove(&id).ok_or_else(|| unknown(id))?;
                    writeln!(out, "{last} d {number} 0")?;
                }
                RecordKind::Weaken => {
                    weakened.insert(id);
                }
                RecordKind::Restore => {
                    weakened.remove(&id);
                }
                _ => {}
            }
        }
        // Each negated assumption of the clause is refuted by the assumption, which is a clause
        // here, and then the clause is empty.
        write!(out, "{} 0 ", last + 1)?;
        for (number, assumption) in (given + 1..).zip(&self.assumptions) {
            if let Some(at) = negated.iter().position(|l| *l == !*assumption) {
                negated.swap_remove(at);
                write!(out, "{number} ")?;
            }
        }
        writeln!(out, "{} 0", numbers.get(&self.by).ok_or_else(|| unknown(self.by))?)?;
        out.flush()?;
        Ok(ExportedRefutation { clauses: self.clauses, steps: last + 1 - self.clauses })
    }
}

/// A clause in DIMACS.
fn line(out: &mut impl Write, literals: &[SatLiteral]) -> io::Result<()> {
    literals.iter().try_for_each(|l| write!(out, "{l} "))?;
    writeln!(out, "0")
}
