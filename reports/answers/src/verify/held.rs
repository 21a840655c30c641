//! What the reader of a certificate holds: the certificate must be about that.

use std::path::PathBuf;

use margay_console::inputs;
use margay_console::output::Output;
use margay_litmus::certificate as tests;
use margay_mappings::certificate::{self as searches, MappingSubject};
use margay_models::certificate::{HeldModel, ModelText};
use margay_models::diagnostic::Diagnostic;
use margay_theorem::certificate::{self as theorems, ComparedModel, TheoremSubject as Theorem};

/// What the certificate must be about: files and names, by what they are in it.
#[derive(Debug, Clone, Default)]
pub struct CertificateSubject {
    pub mapping: Option<String>,
    /// Of a check of what is new: the mapping whose counterexamples were left out.
    pub baseline: Option<String>,
    /// The source model.
    pub source: Option<String>,
    /// The target model.
    pub target: Option<String>,
    /// Of a comparison: the older model.
    pub old: Option<String>,
    /// Of a comparison: the newer model.
    pub new: Option<String>,
    /// Of a run: tests, or folders of them, among those that it is about.
    pub test: Vec<PathBuf>,
    /// Of a run: models among those that it is about; of a property: the one that it is about.
    pub model: Vec<String>,
}

impl CertificateSubject {
    /// What is held of a check or a comparison.
    pub fn search(
        &self,
        subject: &MappingSubject,
        output: &Output,
    ) -> Result<searches::HeldSearchTexts, Vec<Diagnostic>> {
        let (fits, models) = match subject {
            MappingSubject::Check { baseline: None, .. } => {
                (&["mapping", "source", "target"][..], [&self.source, &self.target])
            }
            MappingSubject::Check { baseline: Some(_), .. } => {
                (&["mapping", "baseline", "source", "target"][..], [&self.source, &self.target])
            }
            MappingSubject::Diff { .. } => (&["mapping", "old", "new"][..], [&self.old, &self.new]),
        };
        self.fits(fits)?;
        let [first, second] =
            models.map(|name| name.as_deref().map(|name| model(name, output)).transpose());
        let text = |name: &Option<String>| {
            name.as_deref().map(margay_mappings::library::text).transpose().map_err(|e| vec![e])
        };
        Ok(searches::HeldSearchTexts {
            mapping: text(&self.mapping)?,
            baseline: text(&self.baseline)?,
            models: [first?, second?],
        })
    }

    pub fn run(&self, output: &Output) -> Result<tests::Held, Vec<Diagnostic>> {
        self.fits(&["test", "model"])?;
        let files = inputs::files(&self.test).map_err(|e| vec![e])?;
        Ok(tests::Held {
            tests: files
                .iter()
                .map(|path| inputs::test(path, output).map(|read| read.file))
                .collect::<Result<_, _>>()?,
            models: self.model.iter().map(|name| model(name, output)).collect::<Result<_, _>>()?,
            known: margay_kernel::known_models()?,
        })
    }

    pub fn theorem(
        &self,
        subject: &Theorem,
        output: &Output,
    ) -> Result<theorems::HeldTheoremTexts, Vec<Diagnostic>> {
        let (fits, models) = match subject {
            Theorem::Theorem { .. } => {
                (&["mapping", "source", "target"][..], [&self.source, &self.target])
            }
            Theorem::DiffTheorem { older: ComparedModel::Supposed, .. } => {
                (&["old", "new"][..], [&self.old, &self.new])
            }
            Theorem::DiffTheorem { older: ComparedModel::Claimed, .. } => {
                (&["old", "new"][..], [&self.new, &self.old])
            }
            Theorem::ModelTheorem { .. } => {
                self.fits(&["model"])?;
                let [one] = self.model.as_slice() else {
                    let error =
                        Diagnostic::error("the certificate is about a property of one model");
                    return if self.model.is_empty() {
                        Ok(theorems::HeldTheoremTexts::default())
                    } else {
                        Err(vec![error.help("give one `--model`")])
                    };
                };
                return Ok(theorems::HeldTheoremTexts {
                    mapping: None,
                    models: [Some(model(one, output)?), None],
                });
            }
        };
        self.fits(fits)?;
        let [first, second] =
            models.map(|name| name.as_deref().map(|name| model(name, output)).transpose());
        Ok(theorems::HeldTheoremTexts {
            mapping: self
                .mapping
                .as_deref()
                .map(margay_mappings::library::text)
                .transpose()
                .map_err(|e| vec![e])?,
            models: [first?, second?],
        })
    }

    /// Only these options say something about the certificate.
    fn fits(&self, known: &[&str]) -> Result<(), Vec<Diagnostic>> {
        let given = [
            ("mapping", self.mapping.is_some()),
            ("baseline", self.baseline.is_some()),
            ("source", self.source.is_some()),
            ("target", self.target.is_some()),
            ("old", self.old.is_some()),
            ("new", self.new.is_some()),
            ("test", !self.test.is_empty()),
            ("model", !self.model.is_empty()),
        ];
        match given.iter().find(|(name, given)| *given && !known.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let known: Vec<String> = known.iter().map(|name| format!("`--{name}`")).collect();
                let error = Diagnostic::error(format!(
                    "the certificate is about nothing that `--{name}` could name"
                ));
                Err(vec![error.help(format!("it can be compared by {}", known.join(", ")))])
            }
        }
    }
}

fn model(name: &str, output: &Output) -> Result<HeldModel, Vec<Diagnostic>> {
    let model = inputs::model(name, output)?;
    Ok(HeldModel { name: name.to_owned(), texts: ModelText::of(&model)? })
}
