//! A proof in the place of a solver.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lz4_flex::frame::FrameDecoder;
use margay_proof::{Checker, Flaw, Step};
use sha2::{Digest, Sha256};

use super::records;
use crate::limits::Limits;
use crate::solver::{Answer, Failure, Solver};

/// The bytes of a file, hashed as they are read.
struct HashedReader<R> {
    reader: R,
    hash: Arc<Mutex<(Sha256, u64)>>,
}

impl<R: Read> Read for HashedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        let mut hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
        hash.0.update(&buffer[..length]);
        hash.1 += length as u64;
        Ok(length)
    }
}

/// Answers a session's questions from a proof, once the session has been told what the proof is about; clones are the same one.
#[derive(Clone)]
pub struct Replay(Arc<Mutex<State>>);

struct State {
    checker: Checker<FrameDecoder<BufReader<HashedReader<File>>>>,
    file: Arc<Mutex<(Sha256, u64)>>,
    clauses: u64,
    cnf: Sha256,
    refuted: u64,
    flaw: Option<Flaw>,
}

/// A proof that was accepted to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// SHA-256 of the file.
    pub file: String,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// SHA-256 of the original clauses: each literal as four bytes, little-endian, each clause closed by a literal 0.
    pub cnf: String,
    /// Original clauses.
    pub clauses: u64,
    /// Derived clauses.
    pub derived: u64,
    /// Questions with the answer "unsatisfiable".
    pub refuted: u64,
    /// Bytes before compression.
    pub bytes: u64,
}

impl Replay {
    /// Opens a proof file.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Self, Flaw> {
        let file = File::open(path).map_err(|e| Flaw { record: 0, byte: 0, what: format!("it cannot be read: {e}") })?;
        let hash = Arc::new(Mutex::new((Sha256::new(), 0)));
        let reader = BufReader::with_capacity(1 << 18, HashedReader { reader: file, hash: hash.clone() });
        let checker = Checker::of_records(records(reader)?);
        Ok(Self(Arc::new(Mutex::new(State { checker, file: hash, clauses: 0, cnf: Sha256::new(), refuted: 0, flaw: None }))))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the proof says once all was told and asked. If the case was not answered wholly, what it says beyond that is checked, and
    /// not compared with anything.
    ///
    /// # Errors
    /// A clause or question was not that of the proof, the proof is wrong, or goes on.
    pub fn finish(&self, answered: bool) -> Result<Replayed, Flaw> {
        let mut state = self.state();
        if let Some(flaw) = &state.flaw {
            return Err(flaw.clone());
        }
        while state.checker.step()? != Step::End {
            if answered {
                return Err(state.checker.flaw("the proof is about more than the case"));
            }
        }
        let file = state.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Replayed {
            file: hexadecimal(&file.0.finalize()),
            file_bytes: file.1,
            cnf: hexadecimal(&state.cnf.clone().finalize()),
            clauses: state.clauses,
            derived: state.checker.derived(),
            refuted: state.refuted,
            bytes: state.checker.bytes(),
        })
    }

    /// Has something been found to be wrong?
    pub fn flaw(&self) -> Option<Flaw> {
        self.state().flaw.clone()
    }
}

/// Bytes as text.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl State {
    fn given(&mut self, clause: &[i32]) -> Result<(), Flaw> {
        let step = self.checker.step()?;
        if step != Step::Original || self.checker.literals() != clause {
            let what = format!("the proof is about another problem: the case has the clause {clause:?} here");
            return Err(self.checker.flaw(what));
        }
        self.clauses += 1;
        for literal in clause.iter().chain(&[0]) {
            self.cnf.update(literal.to_le_bytes());
        }
        Ok(())
    }

    fn asked(&mut self, assumptions: &[i32]) -> Result<Answer, Flaw> {
        let step = self.checker.step()?;
        if step != Step::Question || self.checker.literals() != assumptions {
            let what = format!("the proof is about another problem: the case asks under the assumptions {assumptions:?} here");
            return Err(self.checker.flaw(what));
        }
        match self.checker.step()? {
            Step::Satisfiable => Ok(Answer::Sat),
            Step::Refuted => {
                self.refuted += 1;
                Ok(Answer::Unsat)
            }
            Step::Unknown => Ok(Answer::Unknown),
            Step::Original | Step::Question | Step::End => Err(self.checker.flaw("the question has no answer")),
        }
    }
}

impl Solver for Replay {
    fn add(&mut self, clause: &[i32]) -> Result<(), Failure> {
        let mut state = self.state();
        if state.flaw.is_none() {
            state.flaw = state.given(clause).err();
        }
        Ok(())
    }

    fn solve(&mut self, assumptions: &[i32], _limits: &Limits) -> Result<Answer, Failure> {
        let mut state = self.state();
        if state.flaw.is_some() {
            return Ok(Answer::Unknown);
        }
        Ok(state.asked(assumptions).unwrap_or_else(|flaw| {
            state.flaw = Some(flaw);
            Answer::Unknown
        }))
    }

    /// A proof has no assignments; whoever replays needs none.
    fn model(&mut self, variables: usize) -> Result<Vec<bool>, Failure> {
        Ok(vec![false; variables])
    }

    fn core(&mut self) -> Result<Vec<i32>, Failure> {
        Err(Failure::new("replay", "a proof is replayed for its answers alone"))
    }
}
