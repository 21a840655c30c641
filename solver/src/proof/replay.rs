//! A proof in the place of a solver.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use margay_proof::{ProofChecker, ProofFlaw, ProofStep, SatLiteral};
use sha2::{Digest, Sha256};

use super::file::{DecompressedRecords, records};
use crate::limits::SolverLimits;
use crate::solver::{Solver, SolverAnswer, SolverFailure};

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

/// Answers a session's questions from a proof, once the session has been told what the proof is
/// about; clones are the same one.
#[derive(Clone)]
pub struct Replay(Arc<Mutex<ReplayState>>);

struct ReplayState {
    checker: ProofChecker<DecompressedRecords<BufReader<HashedReader<File>>>>,
    file: Arc<Mutex<(Sha256, u64)>>,
    clauses: u64,
    cnf: Sha256,
    refuted: u64,
    flaw: Option<ProofFlaw>,
}

/// A proof that was accepted to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// SHA-256 of the file.
    pub file: String,
    /// As they lie on the disk, compressed.
    pub file_bytes: u64,
    /// SHA-256 of the original clauses: each literal as four bytes, little-endian, each clause
    /// closed by a literal 0.
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
    pub fn open(path: &Path) -> Result<Self, ProofFlaw> {
        let file = File::open(path).map_err(|e| ProofFlaw {
            record: 0,
            byte: 0,
            what: format!("it cannot be read: {e}"),
        })?;
        let hash = Arc::new(Mutex::new((Sha256::new(), 0)));
        let reader =
            BufReader::with_capacity(1 << 18, HashedReader { reader: file, hash: hash.clone() });
        let checker = ProofChecker::of_records(records(reader)?);
        Ok(Self(Arc::new(Mutex::new(ReplayState {
            checker,
            file: hash,
            clauses: 0,
            cnf: Sha256::new(),
            refuted: 0,
            flaw: None,
        }))))
    }

    fn state(&self) -> MutexGuard<'_, ReplayState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the proof says once all was told and asked. If the case was not answered wholly, what
    /// it says beyond that is checked, and not compared with anything.
    ///
    /// # Errors
    /// A clause or question was not that of the proof, the proof is wrong, or goes on.
    pub fn finish(&self, answered: bool) -> Result<Replayed, ProofFlaw> {
        let mut state = self.state();
        if let Some(flaw) = &state.flaw {
            return Err(flaw.clone());
        }
        while state.checker.step()? != ProofStep::End {
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
    pub fn flaw(&self) -> Option<ProofFlaw> {
        self.state().flaw.clone()
    }
}

/// Bytes as text.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl ReplayState {
    fn given(&mut self, clause: &[SatLiteral]) -> Result<(), ProofFlaw> {
        let step = self.checker.step()?;
        if step != ProofStep::Original || self.checker.literals() != clause {
            let what = format!(
                "the proof is about another problem: the case has the clause {clause:?} here"
            );
            return Err(self.checker.flaw(what));
        }
        self.clauses += 1;
        for literal in clause.iter().map(|l| l.dimacs()).chain([0]) {
            self.cnf.update(literal.to_le_bytes());
        }
        Ok(())
    }

    fn asked(&mut self, assumptions: &[SatLiteral]) -> Result<SolverAnswer, ProofFlaw> {
        let step = self.checker.step()?;
        if step != ProofStep::Question || self.checker.literals() != assumptions {
            let what = format!(
                "the proof is about another problem: the case asks under the assumptions {assumptions:?} here"
            );
            return Err(self.checker.flaw(what));
        }
        match self.checker.step()? {
            ProofStep::Satisfiable => Ok(SolverAnswer::Sat),
            ProofStep::Refuted => {
                self.refuted += 1;
                Ok(SolverAnswer::Unsat)
            }
            ProofStep::Unknown => Ok(SolverAnswer::Unknown),
            ProofStep::Original | ProofStep::Question | ProofStep::End => {
                Err(self.checker.flaw("the question has no answer"))
            }
        }
    }
}

impl Solver for Replay {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        let mut state = self.state();
        if state.flaw.is_none() {
            state.flaw = state.given(clause).err();
        }
        Ok(())
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        _limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let mut state = self.state();
        if state.flaw.is_some() {
            return Ok(SolverAnswer::Unknown);
        }
        Ok(state.asked(assumptions).unwrap_or_else(|flaw| {
            state.flaw = Some(flaw);
            SolverAnswer::Unknown
        }))
    }

    /// A proof has no assignments; whoever replays needs none.
    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        Ok(vec![false; variables])
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        Err(SolverFailure::new("replay", "a proof is replayed for its answers alone"))
    }
}
