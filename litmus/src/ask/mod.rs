//! Asks about tests under models, on several threads; answers come in the order of the tests.

pub mod axioms;

use std::path::Path;
use std::time::{Duration, Instant};

use margay_models::diagnostic::Diagnostic;

use crate::certificate::{TestClaim, proof_file};
use crate::clusters;
use crate::engine::{Choice, Runner};
use crate::explicit::{Error, Options, TestVerdict};
use crate::parallel;
use crate::read::Read;
use axioms::{ChosenAxioms, Dependence};

/// What is asked.
pub struct RunRequest<'a> {
    /// How each test is asked about, without a limit of time.
    pub unlimited: Options,
    /// How long each answer may take.
    pub timeout: Option<Duration>,
    /// Who answers.
    pub choice: Choice,
    /// The folder of the certificate, if there is to be one.
    pub certify: Option<&'a Path>,
    pub models: &'a [ChosenAxioms],
    pub tests: &'a [Read],
    /// Why no more is to be begun, once there is a reason.
    pub stopped: &'a (dyn Fn() -> Option<&'static str> + Sync),
}

/// What came out for a test under a model, and after how many milliseconds.
pub struct AskedTest {
    /// The test, by its index.
    pub test: usize,
    /// The model, by its index.
    pub model: usize,
    /// How long it took.
    pub milliseconds: f64,
    /// The answer, or why there is none.
    pub result: Result<Answered, AskFailure>,
    /// Why its proof could not be written, if it could not; the answer is then without one.
    pub unwritten: Option<String>,
}

/// The answer, what is claimed of it in a certificate, and the optional axioms that it depends on.
pub struct Answered {
    pub verdict: TestVerdict,
    /// What a certificate claims of it.
    pub claim: Option<TestClaim>,
    /// The optional axioms that decide it.
    pub dependences: Vec<Dependence>,
}

/// For each model its runner, and those of the models that differ in an optional axiom.
#[derive(Clone)]
pub struct AskRunners {
    /// Of the models that are asked.
    pub asked: Vec<Runner>,
    /// Those of the others: `[model][optional axiom]`.
    others: Vec<Vec<Runner>>,
}

impl AskRunners {
    /// Prepares the models.
    pub fn new(models: &[ChosenAxioms]) -> Self {
        Self {
            asked: models.iter().map(|chosen| Runner::new(&chosen.model)).collect(),
            others: models
                .iter()
                .map(|chosen| chosen.others.iter().map(axioms::OtherAxiom::runner).collect())
                .collect(),
        }
    }
}

/// Why there is no verdict.
pub enum AskFailure {
    /// The test does not fit the model.
    Mismatch(Diagnostic),
    /// The engine gave up, or cannot run it.
    Engine(Error),
    /// The run was stopped before.
    Stopped(&'static str),
}

impl AskFailure {
    /// Is the test one for other models than the one asked?
    pub fn is_of_another_model(&self) -> bool {
        matches!(self, Self::Mismatch(_) | Self::Engine(Error::Signature { .. }))
    }

    /// Why, in a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Engine(Error::Time) => "no answer in the time given".to_owned(),
            Self::Engine(other) => other.to_string(),
            Self::Stopped(why) => (*why).to_owned(),
            Self::Mismatch(error) => error.message.clone(),
        }
    }
}

impl RunRequest<'_> {
    /// Asks about each test under each model and hands on the answers in order.
    ///
    /// # Errors
    /// That of `done`; then no more is asked.
    pub fn ask(
        &self,
        jobs: usize,
        runners: &AskRunners,
        mut done: impl FnMut(AskedTest) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let pairs = self.tests.len() * self.models.len();
        let work = |runners: &mut AskRunners, i: usize| {
            let (test, model) = (i / self.models.len(), i % self.models.len());
            let start = Instant::now();
            let mut unwritten = None;
            let result = self.one(test, model, runners, start, &mut unwritten);
            AskedTest {
                test,
                model,
                milliseconds: start.elapsed().as_secs_f64() * 1e3,
                result,
                unwritten,
            }
        };
        parallel::in_order(jobs, pairs, || runners.clone(), work, |_, asked| done(asked))
    }

    fn one(
        &self,
        test: usize,
        model: usize,
        runners: &mut AskRunners,
        start: Instant,
        unwritten: &mut Option<String>,
    ) -> Result<Answered, AskFailure> {
        if let Some(reason) = (self.stopped)() {
            return Err(AskFailure::Stopped(reason));
        }
        let read = &self.tests[test];
        if let Some(error) = clusters::mismatch(&read.test, &self.models[model].model, &read.file) {
            return Err(AskFailure::Mismatch(error));
        }
        let options =
            Options { deadline: self.timeout.and_then(|t| start.checked_add(t)), ..self.unlimited };
        let runner = &mut runners.asked[model];
        let (verdict, claim) = match self.certify {
            None => runner.run(&read.test, &options, self.choice).map(|verdict| (verdict, None)),
            Some(folder) => match self.certified(test, model, runner, &options, folder) {
                // A full disk costs the certificate, and not the answer.
                Err(Error::Unwritten(why)) => {
                    *unwritten = Some(why);
                    runner.run(&read.test, &options, self.choice).map(|verdict| (verdict, None))
                }
                certified => certified,
            },
        }
        .map_err(|error| match (self.stopped)() {
            Some(reason) if error == Error::Time => AskFailure::Stopped(reason),
            _ => AskFailure::Engine(error),
        })?;
        let others = &mut runners.others[model];
        let dependences =
            self.models[model].dependences(&verdict, &read.test, &options, self.choice, others);
        Ok(Answered { verdict, claim, dependences })
    }

    fn certified(
        &self,
        test: usize,
        model: usize,
        runner: &mut Runner,
        options: &Options,
        folder: &Path,
    ) -> Result<(TestVerdict, Option<TestClaim>), Error> {
        let name = |session: usize| proof_file(test, model, session);
        let (verdict, shown) =
            runner.certified(&self.tests[test].test, options, self.choice, (folder, &name))?;
        let claim = TestClaim::new(test, model, &verdict, shown);
        Ok((verdict, Some(claim)))
    }
}
