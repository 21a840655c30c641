//! A SAT solver that is a program of its own: it reads DIMACS, prints its answer, and writes a DRAT
//! proof, as solvers of the SAT competitions do. It is called anew for each question, with all
//! clauses so far and the assumptions as clauses.
//!
//! An assignment that it prints is compared with the clauses. That there is none is believed, as it
//! is of any solver, unless a proof is kept: then what it wrote is followed, and kept with what
//! each clause follows from (`derive.rs`). Cores come from its proof, too.

mod derive;
mod drat;
mod run;

use std::fs::File;
use std::io::{self, BufWriter, Write};

use margay_proof::SatLiteral;

use super::{Factory, Solver, SolverAnswer, SolverFailure};
use crate::clause_text::write_clauses;
use crate::limits::SolverLimits;
use crate::options::SolverOptions;
use crate::proof::ProofLog;
use crate::scratch::scratch;
use derive::{FollowedProof, NotFollowed};

/// How names of such solvers begin.
pub(super) const PREFIX: &str = "dimacs:";

/// Makes them.
pub(super) struct ProgramFactory {
    name: String,
    command: Vec<String>,
}

impl ProgramFactory {
    /// The solver that a command starts; words are separated by blanks.
    pub(super) fn new(command: &str) -> Self {
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        Self { name: format!("{PREFIX}{}", command.join(" ")), command }
    }

    fn solver(&self, log: Option<&ProofLog>) -> Box<dyn Solver> {
        Box::new(ProgramSolver {
            name: self.name.clone(),
            command: self.command.clone(),
            clauses: Vec::new(),
            next: 1,
            variables: 0,
            log: log.cloned(),
            last: LastAnswer::Nothing,
        })
    }
}

impl Factory for ProgramFactory {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> String {
        format!("the solver `{}`", self.command.join(" "))
    }

    fn interruptible(&self) -> bool {
        true
    }

    fn proves(&self) -> bool {
        true
    }

    fn start(&self, _: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(self.solver(None))
    }

    fn start_logged(
        &self,
        _: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        Ok(self.solver(Some(log)))
    }
}

/// What came of the last question.
enum LastAnswer {
    Nothing,
    /// The value of each variable, from 1 on.
    Assignment(Vec<bool>),
    /// None under these assumptions, with what the program wrote as a proof.
    Refuted {
        assumptions: Vec<SatLiteral>,
        proof: Vec<u8>,
    },
    /// None, and these assumptions are why.
    Core(Vec<SatLiteral>),
}

struct ProgramSolver {
    name: String,
    command: Vec<String>,
    /// The clauses with their numbers in the log.
    clauses: Vec<(u64, Vec<SatLiteral>)>,
    next: u64,
    variables: usize,
    log: Option<ProofLog>,
    last: LastAnswer,
}

impl ProgramSolver {
    fn failure(&self, what: impl Into<String>) -> SolverFailure {
        SolverFailure::new(&self.name, what)
    }

    fn see(&mut self, literals: &[SatLiteral]) {
        let largest = literals.iter().map(|l| l.variable() as usize).max().unwrap_or(0);
        self.variables = self.variables.max(largest);
    }

    /// Follows a proof, and writes it where there is a log.
    fn refutation(
        &self,
        assumptions: &[SatLiteral],
        proof: &[u8],
        log: Option<&ProofLog>,
        limits: &SolverLimits,
    ) -> Result<FollowedProof, NotFollowed> {
        let clauses = self.clauses.iter().map(|(id, clause)| (*id, clause.as_slice()));
        derive::follow(clauses, assumptions, (self.next, log), proof, limits)
    }

    /// Writes the clauses to a file, starts the program on it, and reads what it prints.
    fn ask(
        &self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<(SolverAnswer, LastAnswer), SolverFailure> {
        let cannot = |error: io::Error| {
            self.failure(format!("its files cannot be written or read: {error}"))
        };
        let folder = scratch("margay-solver-").map_err(cannot)?;
        let (problem, proof) =
            (folder.path().join("problem.cnf"), folder.path().join("proof.drat"));
        let units: Vec<[SatLiteral; 1]> = assumptions.iter().map(|&l| [l]).collect();
        let clauses = self
            .clauses
            .iter()
            .map(|(_, clause)| clause.as_slice())
            .chain(units.iter().map(<[SatLiteral; 1]>::as_slice));
        let mut out = BufWriter::new(File::create(&problem).map_err(cannot)?);
        write_clauses(&mut out, self.variables, self.clauses.len() + units.len(), clauses.clone())
            .map_err(cannot)?;
        out.flush().map_err(cannot)?;
        let (answer, literals) = run::run(&self.command, &problem, &proof, limits)
            .map_err(|fault| self.failure(fault.to_string()))?;
        let last = match answer {
            SolverAnswer::Unknown => LastAnswer::Nothing,
            SolverAnswer::Unsat => {
                let proof = match std::fs::read(&proof) {
                    Ok(proof) => proof,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                    Err(error) => return Err(cannot(error)),
                };
                LastAnswer::Refuted { assumptions: assumptions.to_vec(), proof }
            }
            SolverAnswer::Sat => {
                let mut values = vec![false; self.variables];
                for literal in literals {
                    if let Some(value) = values.get_mut(literal.variable() as usize - 1) {
                        *value = !literal.is_negated();
                    }
                }
                let holds = |l: &SatLiteral| values[l.variable() as usize - 1] != l.is_negated();
                if let Some(clause) = clauses.into_iter().find(|clause| !clause.iter().any(holds)) {
                    return Err(self.failure(format!(
                        "its assignment does not satisfy the clause {clause:?}"
                    )));
                }
                LastAnswer::Assignment(values)
            }
        };
        Ok((answer, last))
    }
}

impl Solver for ProgramSolver {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        self.see(clause);
        if let Some(log) = &self.log {
            log.original(self.next, clause);
        }
        self.clauses.push((self.next, clause.to_vec()));
        self.next += 1;
        self.last = LastAnswer::Nothing;
        Ok(())
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        self.see(assumptions);
        self.last = LastAnswer::Nothing;
        if limits.reached() {
            return Ok(SolverAnswer::Unknown);
        }
        let log = self.log.clone();
        if let Some(log) = &log {
            log.question(assumptions);
        }
        let (mut answer, mut last) = self.ask(assumptions, limits)?;
        if let (Some(log), LastAnswer::Refuted { assumptions, proof }) = (&log, &last) {
            match self.refutation(assumptions, proof, Some(log), limits) {
                Ok(FollowedProof { core, next }) => {
                    log.refuted(core.id);
                    // All that was derived rests on the assumptions of this question.
                    (self.next..next).for_each(|id| log.delete(id));
                    self.next = next;
                    last = LastAnswer::Core(core.clause.iter().map(|&l| !l).collect());
                }
                Err(NotFollowed::Limit(next)) => {
                    self.next = next;
                    (answer, last) = (SolverAnswer::Unknown, LastAnswer::Nothing);
                }
                Err(NotFollowed::Proof(why)) => return Err(self.failure(why)),
            }
        }
        if let Some(log) = &log {
            match answer {
                SolverAnswer::Sat => log.satisfiable(),
                SolverAnswer::Unknown => log.unknown(),
                SolverAnswer::Unsat => {}
            }
        }
        self.last = last;
        Ok(answer)
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        match &self.last {
            LastAnswer::Assignment(values) => {
                Ok((0..variables).map(|at| values.get(at).copied().unwrap_or(false)).collect())
            }
            _ => Err(self.failure("its last answer was not an assignment")),
        }
    }

    /// What the proof rests on. Where it cannot be followed, all assumptions: that they cannot hold
    /// together is what the program said.
    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        let core = match &self.last {
            LastAnswer::Core(core) => core.clone(),
            LastAnswer::Refuted { assumptions, proof } => {
                match self.refutation(assumptions, proof, None, &SolverLimits::default()) {
                    Ok(followed) => followed.core.clause.iter().map(|&l| !l).collect(),
                    Err(_) => assumptions.clone(),
                }
            }
            _ => return Err(self.failure("its last answer was not that there is no assignment")),
        };
        self.last = LastAnswer::Core(core.clone());
        Ok(core)
    }
}
