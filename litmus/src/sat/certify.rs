//! Answers with all that is needed to see that they are right without a solver: an execution where
//! there is one, a proof where there is none.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

use margay_models::certificate::{Proof, Proved, proved};
use margay_solver::proof::{ProofLog, Replay, Replayed};
use margay_solver::{Backend, Bounds, Encoding, Instance, Session, SolverOptions};

use super::SatRunner;
use super::candidate::CandidateExecution;
use super::inquiry::{Answers, ConfirmedExecution, SatGoal, SatSession};
use super::problem::Problem;
use crate::test::Test;
use crate::unfold::Unfolding;
use crate::verdict::{Error, Options, TestVerdict, Witness};

/// What shows the answers of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSession<P> {
    /// For each question that was asked an execution, or that there is none.
    pub answers: Vec<Option<CandidateExecution>>,
    /// The proof that there is none, wherever there is none. A test without a path needs no proof.
    pub proof: Option<P>,
}

/// Why what a certificate shows is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unaccepted {
    /// The test cannot be run at all.
    Test(Error),
    /// A proof is wrong: that of the session with this number.
    Proof(usize, String),
    /// What is said is not what is shown.
    Answer(String),
}

impl Unaccepted {
    /// The session whose proof it is about; the first, where it is about none.
    pub fn session(&self) -> usize {
        match self {
            Self::Proof(session, _) => *session,
            Self::Test(_) | Self::Answer(_) => 0,
        }
    }
}

impl fmt::Display for Unaccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test(error) => write!(f, "{error}"),
            Self::Proof(_, what) | Self::Answer(what) => f.write_str(what),
        }
    }
}

/// The solver, which writes a proof.
struct Logged<'a> {
    backend: &'a Backend,
    log: &'a ProofLog,
}

impl Answers for Logged<'_> {
    fn start(&mut self, bounds: Bounds) -> Session {
        Session::logged(
            bounds,
            Encoding::default(),
            self.backend,
            &SolverOptions::default(),
            self.log,
        )
    }

    fn candidate(
        &mut self,
        problem: &Problem<'_>,
        unfolding: &Unfolding,
        instance: &Instance,
    ) -> Result<CandidateExecution, Error> {
        CandidateExecution::of(problem, unfolding, instance)
    }
}

/// A proof in the place of the solver, and the executions that were found.
struct Recorded<'a> {
    replay: &'a Replay,
    candidates: std::slice::Iter<'a, Option<CandidateExecution>>,
}

impl Answers for Recorded<'_> {
    fn start(&mut self, bounds: Bounds) -> Session {
        Session::replayed(bounds, Encoding::default(), self.replay)
    }

    fn candidate(
        &mut self,
        _: &Problem<'_>,
        _: &Unfolding,
        _: &Instance,
    ) -> Result<CandidateExecution, Error> {
        let next = self.candidates.by_ref().flatten().next();
        next.cloned().ok_or_else(|| {
            Error::Unproved(
                "the proof says that there is an execution, and none is shown".to_owned(),
            )
        })
    }
}

impl SatRunner {
    /// Runs a test as [`SatRunner::run`] does, and has a proof written into the folder, with the
    /// name `name(n)`, for each session `n` in which something is not found. Each is read back:
    /// that there is none counts only if its proof is accepted.
    pub fn certified(
        &mut self,
        test: &Test,
        options: &Options,
        (folder, name): (&Path, &dyn Fn(usize) -> String),
    ) -> Result<(TestVerdict, Vec<ShownSession<Proof>>), Error> {
        let subject = self.questions.of_test(test, options)?;
        let inquiries = self.inquiries(subject.clone());
        let (mut witnesses, mut shown) = (Vec::new(), Vec::new());
        for (n, inquiry) in inquiries.iter().enumerate() {
            let (found, proof) = self.prove(inquiry, options, (folder, &name(n)))?;
            let (executions, answers) =
                found.into_iter().map(|f| f.map(|f| (f.witness, f.candidate)).unzip()).unzip();
            witnesses.push(executions);
            shown.push(ShownSession { answers, proof });
        }
        let reachable = witnesses.iter().flatten().next().is_some_and(Option::is_some);
        let gap = self.gap(&subject, reachable, options)?;
        Ok((self.verdict(&inquiries, witnesses, gap), shown))
    }

    fn prove(
        &mut self,
        inquiry: &SatSession,
        options: &Options,
        (folder, name): (&Path, &str),
    ) -> Result<(Vec<Option<ConfirmedExecution>>, Option<Proof>), Error> {
        let backend = Backend::default();
        let runner = RefCell::new(self);
        let search = |log: Option<&ProofLog>| match log {
            Some(log) => {
                runner.borrow_mut().find(inquiry, options, &mut Logged { backend: &backend, log })
            }
            // An answer without a proof is for [`SatRunner::run`].
            None => Ok(Vec::new()),
        };
        let name = |found: &Vec<Option<ConfirmedExecution>>| {
            let is_needed = found.iter().any(Option::is_none) && !inquiry.unfolding.is_empty();
            is_needed.then(|| name.to_owned())
        };
        let again = |found: &Vec<Option<ConfirmedExecution>>, file: &Path| {
            let answers: Vec<Option<CandidateExecution>> =
                found.iter().map(|f| f.as_ref().map(|f| f.candidate.clone())).collect();
            let replayed = runner.borrow_mut().replay(inquiry, options, &answers, file);
            replayed.map(|(_, proof)| proof).map_err(|what| {
                Error::Unproved(format!(
                    "the proof of the SAT engine's answer is not accepted: {what}"
                ))
            })
        };
        let Proved { answer, proof, unwritten } = proved((folder, &backend), search, name, again)?;
        unwritten.map_or(Ok((answer, proof)), |why| Err(Error::Unwritten(why)))
    }

    /// Verifies what is shown of a test: translates it again and compares it with each proof clause
    /// by clause, checks the proofs, and confirms the executions. What it says of the test, and
    /// what was found in the files.
    pub fn verify(
        &mut self,
        test: &Test,
        options: &Options,
        shown: &[ShownSession<PathBuf>],
    ) -> Result<(TestVerdict, Vec<Option<Replayed>>), Unaccepted> {
        let inquiries =
            self.inquiries(self.questions.of_test(test, options).map_err(Unaccepted::Test)?);
        if inquiries.len() != shown.len() {
            let (asked, said) = (inquiries.len(), shown.len());
            return Err(Unaccepted::Answer(format!(
                "the test is asked about in {asked} sessions, and there are {said}"
            )));
        }
        let (mut witnesses, mut proofs) = (Vec::new(), Vec::new());
        for (n, (inquiry, ShownSession { answers, proof })) in
            inquiries.iter().zip(shown).enumerate()
        {
            if let Some(file) = proof {
                let replayed = self.replay(inquiry, options, answers, file);
                let (found, proof) = replayed.map_err(|what| Unaccepted::Proof(n, what))?;
                witnesses.push(found);
                proofs.push(Some(proof));
            } else {
                witnesses.push(self.confirmed(inquiry, answers)?);
                proofs.push(None);
            }
        }
        // What is missing is for the caller to find, by an engine that has no part in this.
        Ok((self.verdict(&inquiries, witnesses, None), proofs))
    }

    /// The answers of a session by its proof and the executions shown.
    fn replay(
        &mut self,
        inquiry: &SatSession,
        options: &Options,
        answers: &[Option<CandidateExecution>],
        file: &Path,
    ) -> Result<(Vec<Option<Witness>>, Replayed), String> {
        let replay = Replay::open(file).map_err(|flaw| flaw.to_string())?;
        let mut recorded = Recorded { replay: &replay, candidates: answers.iter() };
        // A proof takes the time that it takes.
        let found = self.find(inquiry, &Options { deadline: None, ..*options }, &mut recorded);
        let proof = replay.finish(found.is_ok()).map_err(|flaw| flaw.to_string())?;
        let found = found.map_err(unconfirmed)?;
        let same = |(found, said): (&Option<ConfirmedExecution>, &Option<CandidateExecution>)| {
            found.as_ref().map(|f| &f.candidate) == said.as_ref()
        };
        if found.len() != answers.len() || !found.iter().zip(answers).all(same) {
            return Err("its answers are not those of the certificate".to_owned());
        }
        Ok((found.into_iter().map(|f| f.map(|f| f.witness)).collect(), proof))
    }

    /// The answers of a session that needs no proof: because each is an execution, or because there
    /// are no paths.
    fn confirmed(
        &mut self,
        inquiry: &SatSession,
        answers: &[Option<CandidateExecution>],
    ) -> Result<Vec<Option<Witness>>, Unaccepted> {
        let SatSession { unfolding, goals, .. } = inquiry;
        let without = || {
            Unaccepted::Answer(
                "it says that there is no execution, and has no proof of it".to_owned(),
            )
        };
        let mut found = Vec::with_capacity(answers.len());
        for (i, &goal) in goals.iter().enumerate() {
            found.push(match answers.get(i) {
                Some(Some(candidate)) => {
                    let witness =
                        goal.confirm(candidate, inquiry, (&self.questions, &mut self.judge));
                    Some(witness.map_err(|error| Unaccepted::Answer(unconfirmed(error)))?)
                }
                Some(None) if unfolding.is_empty() => None,
                _ => return Err(without()),
            });
            if goal != SatGoal::Condition && found.last().is_some_and(Option::is_some) {
                break;
            }
        }
        if found.len() != answers.len() {
            return Err(Unaccepted::Answer("it answers more than is asked".to_owned()));
        }
        Ok(found)
    }
}

/// Why what a certificate shows does not answer a question.
fn unconfirmed(error: Error) -> String {
    match error {
        Error::Time => "it leaves a question without an answer".to_owned(),
        Error::Unconfirmed(why) => format!("it shows an execution that is none: {why}"),
        error => error.to_string(),
    }
}
