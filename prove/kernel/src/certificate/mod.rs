//! Certificates of theorems: the texts, the argument and its refutations, to be followed again
//! without a solver (docs/certificates.md).

mod bases;
mod kept;

pub use bases::HeldTheoremTexts;
pub use kept::{KeptInhabitant, KeptObligation, KeptStep, UnreadKeptLine};

use std::path::Path;

use margay_language::Mapping;
use margay_language::selection::MappingQuestion;
use margay_models::certificate::{FORMAT, ModelText, Text, VERSION, seal, wrong};
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use serde::{Deserialize, Serialize};

use crate::argument::{Claim, check};
use crate::theorem::{
    Hypotheses, InhabitantShape, Setting, TheoremEvidence, TheoremQuestion, once, shapes,
};
use crate::theory::mapping::ExecutionSelection;

/// The kinds of subjects of these certificates.
pub const KINDS: [&str; 3] = ["theorem", "model-theorem", "diff-theorem"];

/// What a certificate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheoremDocument {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The Margay that wrote it.
    pub margay: String,
    pub subject: TheoremSubject,
    /// The names of the axioms that are theorems.
    pub theorems: Vec<String>,
    /// Executions that satisfy all that is supposed: one for each role of an event, and of shapes
    /// of programs. Of models one has an event of a thread at least.
    pub inhabitants: Vec<KeptInhabitant>,
    /// The argument.
    pub steps: Vec<KeptStep>,
}

/// What a theorem is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TheoremSubject {
    /// The axioms of a mapping's source.
    Theorem {
        mapping: Text,
        source: ModelText,
        target: ModelText,
        /// What was asked.
        given: TheoremOptions,
    },
    /// Properties of a model follow from its other axioms.
    ModelTheorem {
        /// The model, with the properties.
        model: ModelText,
    },
    /// Axioms of one model hold where another one's do.
    DiffTheorem {
        /// The model whose axioms are supposed.
        supposed: ModelText,
        /// The model whose axioms are claimed.
        claimed: ModelText,
        /// What the two are called.
        names: [String; 2],
        /// Which of the two is the older one of the comparison.
        older: ComparedModel,
    },
}

/// One of the two models of a comparison, by its part in a theorem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedModel {
    /// The model whose axioms are supposed.
    Supposed,
    /// The model whose axioms are claimed.
    Claimed,
}

impl ComparedModel {
    /// If this is the older one: what the supposed model is in the comparison, and the claimed one.
    pub fn roles(self) -> [&'static str; 2] {
        if self == Self::Supposed { ["old", "new"] } else { ["new", "old"] }
    }
}

/// The options that decide what is claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheoremOptions {
    /// Constructs left out.
    pub without: Vec<String>,
    /// Constructs used alone; empty for all.
    pub only: Vec<String>,
    /// A location is atomic or plain.
    pub typed: bool,
}

/// What was followed, and what that says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedTheorem {
    /// The names of the axioms, as their model has them, each once: a certificate may name one
    /// twice, or in other letters.
    pub axioms: Vec<String>,
    /// What is supposed of them.
    pub hypotheses: Hypotheses,
    pub extent: FollowedExtent,
}

/// How much was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FollowedExtent {
    /// Steps of the argument.
    pub steps: usize,
    pub obligations: usize,
    /// Instances of what is known.
    pub instances: usize,
    /// Clauses derived from them.
    pub derived: usize,
}

impl TheoremDocument {
    /// The certificate of a proof.
    ///
    /// # Errors
    /// Texts of models that cannot be read again.
    pub fn of_mapping(
        mapping: &Mapping,
        given: TheoremOptions,
        evidence: &TheoremEvidence<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let subject = TheoremSubject::Theorem {
            mapping: Text::of(&mapping.file),
            source: ModelText::of(&mapping.source)?,
            target: ModelText::of(&mapping.target)?,
            given,
        };
        Ok(Self::new(subject, evidence))
    }

    /// The certificate of a proof about a model.
    ///
    /// # Errors
    /// Texts of the model that cannot be read again.
    pub fn of_model(
        model: &Model,
        evidence: &TheoremEvidence<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self::new(TheoremSubject::ModelTheorem { model: ModelText::of(model)? }, evidence))
    }

    /// The certificate of a proof about two models: what is supposed, what is claimed, and which of
    /// them is the older one.
    ///
    /// # Errors
    /// Texts of models that cannot be read again.
    pub fn of_models(
        [supposed, claimed]: [&Model; 2],
        older: ComparedModel,
        evidence: &TheoremEvidence<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let subject = TheoremSubject::DiffTheorem {
            supposed: ModelText::of(supposed)?,
            claimed: ModelText::of(claimed)?,
            names: [supposed.name.clone(), claimed.name.clone()],
            older,
        };
        Ok(Self::new(subject, evidence))
    }

    fn new(subject: TheoremSubject, evidence: &TheoremEvidence<'_>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            margay: env!("CARGO_PKG_VERSION").to_owned(),
            subject,
            theorems: evidence.axioms.clone(),
            inhabitants: evidence.inhabitants.iter().map(KeptInhabitant::of).collect(),
            steps: KeptStep::all(evidence.proof),
        }
    }

    /// Writes it into its folder.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        seal(self, folder)
    }

    /// Follows the argument again, in a theory that is made of the texts alone.
    ///
    /// # Errors
    /// What is wrong with it, or with the texts.
    pub fn verify(&self, folder: &Path) -> Result<FollowedTheorem, Vec<Diagnostic>> {
        if self.theorems.is_empty() {
            return Err(vec![wrong(folder, "it names no theorem")]);
        }
        match &self.subject {
            TheoremSubject::Theorem { mapping, source, target, given } => {
                let mapping = Mapping::between(&mapping.file(), source.read()?, target.read()?)?;
                let MappingQuestion { axioms, constructs } =
                    mapping.question(&self.theorems, &given.only, &given.without)?;
                let selection = ExecutionSelection { constructs, typed: given.typed };
                let setting = Setting::of_mapping(&mapping, &axioms, &selection)?;
                let axioms = names(&setting);
                let asked = TheoremQuestion {
                    selection: &selection,
                    without: &given.without,
                    only: &given.only,
                    axioms: &axioms,
                };
                self.follow(&setting, Hypotheses::of_mapping(&mapping, &asked), folder)
            }
            TheoremSubject::ModelTheorem { model } => {
                let (name, model) = (&model.model.name, model.read()?);
                let setting = Setting::of_model(&model, &self.named(&model, folder)?)?;
                self.follow(&setting, Hypotheses::of_properties(name, &names(&setting)), folder)
            }
            TheoremSubject::DiffTheorem { supposed, claimed, names, .. } => {
                // What the two were called is the author's word, and names symbols alone: what is
                // said names the text.
                let text = &supposed.model.name;
                let [mut supposed, mut claimed] = [supposed.read()?, claimed.read()?];
                [supposed.name, claimed.name] = names.clone();
                let setting =
                    Setting::of_models(&supposed, &claimed, &self.named(&claimed, folder)?)?;
                self.follow(&setting, Hypotheses::of_model(text), folder)
            }
        }
    }

    /// The checks that are named as theorems: all that have these names.
    fn named(&self, model: &Model, folder: &Path) -> Result<Vec<usize>, Vec<Diagnostic>> {
        let mut all = Vec::new();
        for name in &self.theorems {
            let before = all.len();
            all.extend(model.checks_named(name));
            if all.len() == before {
                return Err(vec![wrong(folder, &format!("the model has no axiom `{name}`"))]);
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// What is supposed is satisfied by the executions that are kept; those without which the
    /// theorem is empty are among them.
    fn inhabited(&self, setting: &Setting<'_>, folder: &Path) -> Result<(), Diagnostic> {
        let wrong = |what: String| wrong(folder, &what);
        let shapes = shapes(setting);
        for kept in &self.inhabitants {
            let shape = shapes.iter().find(|s| s.name == kept.shows);
            let shape = shape.ok_or_else(|| {
                wrong(format!("it shows {}, of which nothing is known", kept.shows))
            })?;
            let not_shown = |why: &dyn std::fmt::Display| {
                wrong(format!("that there is an execution with {} is not shown: {why}", shape.name))
            };
            kept.read()
                .map_err(|why| not_shown(&why))?
                .check(&setting.theory, &shape.form)
                .map_err(|why| not_shown(&why))?;
        }
        let is_shown =
            |s: &InhabitantShape| self.inhabitants.iter().any(|kept| kept.shows == s.name);
        match shapes.iter().find(|s| s.needed && !is_shown(s)) {
            Some(missing) => Err(wrong(format!(
                "it shows no execution that satisfies the premises and has {}",
                missing.name
            ))),
            None => Ok(()),
        }
    }

    fn follow(
        &self,
        setting: &Setting<'_>,
        mut hypotheses: Hypotheses,
        folder: &Path,
    ) -> Result<FollowedTheorem, Vec<Diagnostic>> {
        let wrong = |what: String| vec![wrong(folder, &what)];
        self.inhabited(setting, folder).map_err(|why| vec![why])?;
        let proof = KeptStep::proof(&self.steps)
            .map_err(|what| wrong(format!("its argument cannot be read: {what}")))?;
        let mut theory = setting.theory.clone();
        let followed = check(&mut theory, &proof);
        let (claims, obligations) = followed
            .map_err(|flaw| wrong(format!("step {} does not hold: {}", flaw.step, flaw.what)))?;
        let shown = |claim: &Claim| claims.contains(claim);
        if let Some(goal) = setting.goals.iter().find(|g| !shown(&g.claim)) {
            return Err(wrong(format!("its argument does not end with `{}`", goal.name)));
        }
        let shown: Vec<&str> = self.inhabitants.iter().map(|i| i.shows.as_str()).collect();
        hypotheses.inhabited(setting, &shown);
        let all = proof.settled.iter().flatten();
        let extent = FollowedExtent {
            steps: proof.steps.len(),
            obligations,
            instances: all.clone().map(|s| s.refutation.instances.len()).sum(),
            derived: all.map(|s| s.refutation.steps.len()).sum(),
        };
        Ok(FollowedTheorem { axioms: names(setting), hypotheses, extent })
    }
}

/// The names of what is claimed.
fn names(setting: &Setting<'_>) -> Vec<String> {
    once(&setting.goals.iter().map(|goal| goal.name.clone()).collect::<Vec<_>>())
}
