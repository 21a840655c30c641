//! What came out of a run so far: answers and what goes with them, as they come in.

use std::time::Instant;

use margay_console::exit::Exit;
use margay_console::output::{Format, FormatOption, Output};
use margay_console::progress::StepBar;
use margay_litmus::ask::{Answered, AskFailure, AskedTest, RunRequest};
use margay_litmus::certificate::TestClaim;
use margay_litmus::engine::{Choice, Engine};
use margay_litmus::explicit::Options;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;

use super::answer::TestAnswer;
use super::herd;
use super::json::{line, without_answer};
use super::reading::{some, wrong};
use crate::executions::{ChosenExecutions, ExecutionChoice};
use crate::refusal::by_engine;

/// All of it.
pub struct RunFindings<'a> {
    question: &'a RunRequest<'a>,
    /// For each test, was it found in a folder?
    in_folder: &'a [bool],
    /// The executions that are to be listed.
    executions: &'a ExecutionChoice,
    /// The answers, in the order of the tests.
    pub answers: Vec<TestAnswer<'a>>,
    /// What is claimed of them in a certificate.
    pub claims: Vec<TestClaim>,
    /// What is wrong with tests.
    pub errors: Vec<Diagnostic>,
    /// For each model the files of tests that are for others.
    skipped: Vec<Vec<&'a str>>,
    /// Tests whose proofs could not be written, and why.
    unwritten: Vec<(String, String)>,
    undecided: bool,
}

impl<'a> RunFindings<'a> {
    /// Nothing yet, but what was wrong with the files.
    pub fn new(
        question: &'a RunRequest<'a>,
        in_folder: &'a [bool],
        executions: &'a ExecutionChoice,
        errors: Vec<Diagnostic>,
    ) -> Self {
        let skipped = vec![Vec::new(); question.models.len()];
        let (answers, claims, unwritten) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            question,
            in_folder,
            executions,
            answers,
            claims,
            errors,
            skipped,
            unwritten,
            undecided: false,
        }
    }

    /// Takes an answer in, and prints what is printed at once: lines of JSON, and lists of final
    /// states.
    pub fn add(&mut self, asked: AskedTest, bar: &StepBar, output: &Output) -> std::io::Result<()> {
        let Read { test, file: source, .. } = &self.question.tests[asked.test];
        let (file, model, milliseconds) =
            (source.name.as_str(), &self.question.models[asked.model], asked.milliseconds);
        self.unwritten.extend(asked.unwritten.map(|why| (test.name.clone(), why)));
        match asked.result {
            Ok(Answered { verdict, claim, dependences }) => {
                self.undecided |= verdict.is_open();
                self.claims.extend(claim);
                let listed = self.listed(asked.test, &model.model, verdict.reachable, bar, output);
                let is_uncompared =
                    self.question.choice == Choice::Both && verdict.engine == Engine::Sat;
                let answer = TestAnswer {
                    file,
                    test,
                    model,
                    verdict,
                    dependences,
                    milliseconds,
                    listed,
                    is_uncompared,
                };
                match output.asked {
                    FormatOption::Json => output.line(&line(
                        &answer,
                        &self.question.tests[asked.test],
                        self.question.unlimited.bounds.unroll,
                    ))?,
                    FormatOption::Herd => self.states(&answer, asked.test, output)?,
                    _ => {}
                }
                self.answers.push(answer);
            }
            // In a folder there may be tests for other models.
            Err(failure) if self.in_folder[asked.test] && failure.is_of_another_model() => {
                self.skipped[asked.model].push(file);
                if output.format == Format::Json {
                    output.line(&without_answer(
                        file,
                        test,
                        &model.model,
                        failure.message(),
                        milliseconds,
                    ))?;
                }
            }
            Err(AskFailure::Mismatch(error)) => wrong(vec![error], file, &mut self.errors, output)?,
            Err(AskFailure::Engine(error)) if !error.is_undecided() => {
                wrong(
                    vec![by_engine(&error, file, source, &model.model)],
                    file,
                    &mut self.errors,
                    output,
                )?;
            }
            Err(failure) => {
                self.undecided = true;
                let why = failure.message();
                if output.format == Format::Json {
                    output.line(&without_answer(
                        file,
                        test,
                        &model.model,
                        why.clone(),
                        milliseconds,
                    ))?;
                }
                let warning = Diagnostic::warning(format!(
                    "`{file}` under `{}` is undecided: {why}",
                    model.label()
                ));
                bar.aside(|| output.warn(&[warning]));
            }
        }
        Ok(())
    }

    /// Lists the executions that were chosen. Where that fails, the answer stands.
    fn listed(
        &mut self,
        test: usize,
        model: &Model,
        allowed: bool,
        bar: &StepBar,
        output: &Output,
    ) -> Option<ChosenExecutions> {
        if !self.executions.lists() {
            return None;
        }
        let read = &self.question.tests[test];
        let deadline = self.question.timeout.and_then(|t| Instant::now().checked_add(t));
        let options = Options { deadline, ..self.question.unlimited };
        match self.executions.list(&read.test, model, allowed, &options) {
            Ok(listed) => {
                self.errors.extend(listed.missing(self.executions));
                Some(listed)
            }
            Err(error) => {
                self.undecided = true;
                let why = margay_console::limits::gave_up(&error);
                let warning = Diagnostic::warning(format!(
                    "the executions of `{}` were not all found: {why}",
                    read.file.name
                ));
                bar.aside(|| output.warn(&[warning]));
                None
            }
        }
    }

    /// Prints the final states that the model allows.
    fn states(
        &mut self,
        answer: &TestAnswer<'_>,
        test: usize,
        output: &Output,
    ) -> std::io::Result<()> {
        let read = &self.question.tests[test];
        let deadline = self.question.timeout.and_then(|t| Instant::now().checked_add(t));
        let options = Options { deadline, ..self.question.unlimited };
        if let Err(error) = herd::states(answer, read, &options, output)? {
            if error.is_undecided() {
                self.undecided = true;
                let why = margay_console::limits::gave_up(&error);
                let what = format!(
                    "the final states of `{}` under `{}` are not all found: {why}",
                    answer.file,
                    answer.model.label()
                );
                output.warn(&[Diagnostic::warning(what)]);
                return Ok(());
            }
            let error = by_engine(&error, answer.file, &read.file, &answer.model.model);
            wrong(vec![error], answer.file, &mut self.errors, output)?;
        }
        Ok(())
    }

    /// Were all tests for other models? Of some that are more may be said, and no test answered is
    /// an error.
    fn all_skipped(&self) -> bool {
        self.answers.is_empty() && !self.undecided
    }

    /// How the program ends.
    pub fn exit(&self) -> Exit {
        match (self.errors.is_empty() && !self.all_skipped(), self.undecided) {
            (false, _) => Exit::Wrong,
            (true, true) => Exit::Undecided,
            (true, false) => Exit::Holds,
        }
    }

    /// Says which tests of folders are for other models: an error if there are no others.
    pub fn tell_skipped(&mut self, output: &Output) {
        let nothing = self.all_skipped();
        for (model, files) in
            self.question.models.iter().zip(&self.skipped).filter(|(_, files)| !files.is_empty())
        {
            let count = if files.len() == 1 {
                "1 test is".to_owned()
            } else {
                format!("{} tests are", files.len())
            };
            let message = format!(
                "{count} for other models than `{}`, and skipped: {}",
                model.model.name,
                some(files)
            );
            if nothing {
                self.errors.push(Diagnostic::error(format!("no test was run; {message}")));
            } else if output.format == Format::Human {
                output.warn(&[Diagnostic::warning(message)]);
            }
        }
    }

    /// Says that answers are not in the certificate, if their proofs could not be written.
    pub fn tell_unwritten(&self, output: &Output) {
        let Some((name, why)) = self.unwritten.first() else { return };
        let others = self.unwritten.len() - 1;
        let more =
            if others > 0 { format!(", nor are {others} more answers") } else { String::new() };
        let error = Diagnostic::error(format!("`{name}` is not in the certificate{more}: {why}"));
        output
            .warn(&[error.help("the answers stand; the certificate is of what has a proof alone")]);
    }
}
