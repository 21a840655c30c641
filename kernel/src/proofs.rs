//! Proofs of what the engines answer: of each test in which nothing goes wrong, once, whatever
//! kernels and launches it was made of.
//!
//! A proof is of a test (docs/certificates.md). That the tests are those of the kernel is argued,
//! and tested, but not proved.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use margay_litmus::certificate::{self, KernelLabel, TestClaim, TestQuestion, TestSubject};
use margay_litmus::engine::{Choice, Engine};
use margay_litmus::explicit::{Error, Options};
use margay_models::certificate::{Extent, HeldModel, ModelText, Text};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use rustc_hash::FxHashMap;

use crate::effort::Engines;
use crate::program::Written;
use crate::reading::{KernelReading, UnreadableModel};

/// A test, a model and a way to ask, by their places among those that were asked about.
pub type ProofPlace = (usize, usize, usize);

/// Why there is no proof of something that is answered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LackOfProof {
    /// Threads that take turns come to their ends.
    Turns,
    /// A barrier keeps two accesses apart.
    Barrier,
    /// The test is another one but for names.
    Renamed,
    /// With these contents or numbers threads do what they do with others.
    Alike,
    /// All final states were listed.
    Listed,
    /// The SAT engine, which writes proofs, has no answer, or its proof cannot be kept: why.
    Unanswered(String),
}

impl LackOfProof {
    /// In words, behind a number of questions.
    pub fn words(&self) -> String {
        match self {
            Self::Turns => "answered by threads that take turns".to_owned(),
            Self::Barrier => "a barrier keeps the accesses apart".to_owned(),
            Self::Renamed => "the test is another one but for names".to_owned(),
            Self::Alike => "threads do what they do with other contents or numbers".to_owned(),
            Self::Listed => "final states were listed".to_owned(),
            Self::Unanswered(why) => why.clone(),
        }
    }
}

/// A question about a launch whose answer has a proof.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProvedQuestion {
    /// In words: `data races`.
    pub question: String,
    /// What was passed beside what is given or usual: `arg0 = {7*}`.
    pub with: Vec<String>,
    pub place: ProofPlace,
}

/// What is answered about a launch with a proof, and without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchProofs {
    pub proved: BTreeSet<ProvedQuestion>,
    /// How many questions, in words and with what was passed, have no proof, and why.
    pub unproved: BTreeMap<(String, Vec<String>, LackOfProof), usize>,
}

impl LaunchProofs {
    pub fn add(&mut self, of: Self) {
        self.proved.extend(of.proved);
        for (question, count) in of.unproved {
            *self.unproved.entry(question).or_default() += count;
        }
    }

    /// Those of an answer with something passed beside.
    pub fn add_with(&mut self, of: Self, with: &[String]) {
        self.proved
            .extend(of.proved.into_iter().map(|p| ProvedQuestion { with: with.to_vec(), ..p }));
        for ((question, _, why), count) in of.unproved {
            *self.unproved.entry((question, with.to_vec(), why)).or_default() += count;
        }
    }

    /// Those of a question that is asked as another one.
    pub fn add_as(&mut self, of: Self, question: &str) {
        let named = |p: ProvedQuestion| ProvedQuestion { question: question.to_owned(), ..p };
        self.proved.extend(of.proved.into_iter().map(named));
        for ((_, with, why), count) in of.unproved {
            *self.unproved.entry((question.to_owned(), with, why)).or_default() += count;
        }
    }

    /// Counts one that is answered without.
    pub fn lacks(&mut self, question: &str, with: &[String], why: LackOfProof) {
        *self.unproved.entry((question.to_owned(), with.to_vec(), why)).or_default() += 1;
    }
}

/// What an engine is to have said of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedProof {
    /// No execution has its outcome or shows a race.
    Nothing,
    /// Some execution has its outcome.
    Execution,
}

/// The proofs that were written into a folder.
#[derive(Debug)]
pub struct KernelProofs {
    folder: PathBuf,
    tests: RefCell<ProvedTests>,
}

#[derive(Debug, Default)]
struct ProvedTests {
    /// Under names of their own.
    files: Vec<Arc<SourceFile>>,
    by_text: FxHashMap<String, usize>,
    models: Vec<Model>,
    given: Vec<TestQuestion>,
    claims: BTreeMap<ProofPlace, Result<TestClaim, LackOfProof>>,
}

impl ProvedTests {
    /// The places of a test, a model and a way to ask.
    fn place(&mut self, written: &Written, model: &Model, given: TestQuestion) -> ProofPlace {
        let file = &written.read.file;
        let next = self.files.len();
        let test = *self.by_text.entry(file.text.clone()).or_insert(next);
        if test == next {
            let name = format!("{}-{}.litmus", written.read.test.name, next + 1);
            self.files.push(SourceFile::new(name, file.text.clone()));
        }
        let of_model = |known: &Model| known.source.name == model.source.name;
        let of = self.models.iter().position(of_model).unwrap_or_else(|| {
            self.models.push(model.clone());
            self.models.len() - 1
        });
        let way = self.given.iter().position(|known| *known == given).unwrap_or_else(|| {
            self.given.push(given);
            self.given.len() - 1
        });
        (test, of, way)
    }
}

impl KernelProofs {
    /// Proofs that go into a folder, which is there and empty.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), tests: RefCell::default() }
    }

    /// The proof of a test, and why there is none, if there is none.
    ///
    /// # Errors
    /// The engine that writes proofs says something else than is expected, which is a bug of
    /// Margay.
    pub(crate) fn prove(
        &self,
        (written, model): (&Written, &Model),
        options: &Options,
        expected: ExpectedProof,
        engines: &Engines,
    ) -> Result<(ProofPlace, Option<LackOfProof>), String> {
        let place = self.tests.borrow_mut().place(written, model, TestQuestion::of(options));
        if let Some(known) = self.tests.borrow().claims.get(&place) {
            return Ok((place, known.as_ref().err().cloned()));
        }
        let (test, of, way) = place;
        let name = |session: usize| format!("{test}-{of}-{way}-{session}.proof");
        let certified = engines.with(model, |runner| {
            let choice = Choice::Only(Engine::Sat);
            runner.certified(&written.read.test, options, choice, (&self.folder, &name))
        });
        let claim = match certified {
            Ok((verdict, shown)) => {
                let says = match (verdict.reachable, verdict.race.is_some()) {
                    (false, false) => Some(ExpectedProof::Nothing),
                    (true, false) => Some(ExpectedProof::Execution),
                    (_, true) => None,
                };
                if says != Some(expected) {
                    return Err("the engines disagree, which is a bug of Margay".to_owned());
                }
                match expected == ExpectedProof::Nothing && verdict.bounded {
                    true => {
                        Err(LackOfProof::Unanswered("loops are cut off in its test".to_owned()))
                    }
                    false => {
                        Ok(TestClaim { given: way, ..TestClaim::new(test, of, &verdict, shown) })
                    }
                }
            }
            Err(error @ Error::Unproved(_)) => return Err(error.to_string()),
            Err(Error::Time) => {
                Err(LackOfProof::Unanswered("stopped by a limit or by Ctrl-C".to_owned()))
            }
            Err(Error::Steps) => Err(LackOfProof::Unanswered(
                "the SAT engine takes more steps than are done".to_owned(),
            )),
            Err(Error::Unwritten(why)) => Err(LackOfProof::Unanswered(why)),
            Err(other) => Err(LackOfProof::Unanswered(format!("the SAT engine: {other}"))),
        };
        let lack = claim.as_ref().err().cloned();
        self.tests.borrow_mut().claims.insert(place, claim);
        Ok((place, lack))
    }

    /// Writes the certificate of what was proved for these questions about kernels, each with the
    /// kernel and the launch, and takes other proofs away. How many tests it has, and how many
    /// answers.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write<'a>(
        &self,
        file: &str,
        questions: impl IntoIterator<Item = (&'a str, String, &'a ProvedQuestion)>,
    ) -> Result<(usize, usize, Extent), Vec<Diagnostic>> {
        let questions: Vec<(&str, String, &ProvedQuestion)> = questions.into_iter().collect();
        let all = self.tests.borrow();
        let places: BTreeSet<ProofPlace> = questions.iter().map(|(.., of)| of.place).collect();
        let used = |of: fn(&ProofPlace) -> usize| -> Vec<usize> {
            places.iter().map(of).collect::<BTreeSet<usize>>().into_iter().collect()
        };
        let (tests, models, given) = (used(|p| p.0), used(|p| p.1), used(|p| p.2));
        let at = |all: &[usize], place: usize| all.partition_point(|&known| known < place);
        let mut claims = Vec::new();
        for place in &places {
            let Some(Ok(claim)) = all.claims.get(place) else { continue };
            claims.push(TestClaim {
                test: at(&tests, claim.test),
                model: at(&models, claim.model),
                given: at(&given, claim.given),
                ..claim.clone()
            });
        }
        let mut asked: Vec<KernelLabel> = questions
            .into_iter()
            .filter_map(|(kernel, launch, of)| {
                Some(KernelLabel {
                    file: file.to_owned(),
                    kernel: kernel.to_owned(),
                    launch,
                    with: of.with.clone(),
                    question: of.question.clone(),
                    claim: places.iter().position(|place| *place == of.place)?,
                })
            })
            .collect();
        asked.sort();
        asked.dedup();
        let subject = TestSubject::Kernel {
            tests: tests.iter().map(|&n| Text::of(&all.files[n])).collect(),
            models: models
                .iter()
                .map(|&n| ModelText::of(&all.models[n]))
                .collect::<Result<_, _>>()?,
            given: given.iter().map(|&n| all.given[n]).collect(),
            asked,
        };
        let extent = certificate::write_document(subject, claims, &self.folder);
        extent.map(|extent| (tests.len(), places.len(), extent)).map_err(|error| vec![error])
    }
}

/// The models by which kernels are asked about, as a certificate has them.
///
/// # Errors
/// They cannot be read: a bug of Margay.
pub fn known_models() -> Result<Vec<HeldModel>, Vec<Diagnostic>> {
    let wrong = |why: UnreadableModel| vec![Diagnostic::error(why.to_string())];
    let mut all = Vec::new();
    for reading in KernelReading::ALL {
        let models = [reading.races()?, reading.stale().map_err(wrong)?];
        for model in models {
            all.push(HeldModel { name: model.source.name.clone(), texts: ModelText::of(model)? });
        }
    }
    Ok(all)
}
