//! The texts that the certificate of a check or a comparison rests on, and what the reader holds to
//! compare them with.

use std::sync::Arc;

use margay_models::certificate::{Basis, HeldModel, ModelText, Text, one_text_for_each_name};
use margay_models::diagnostic::{Diagnostic, SourceFile};

use super::document::MappingSubject;
use crate::library;

/// What the reader of a certificate holds: what is there must be what the certificate is about.
#[derive(Debug, Clone, Default)]
pub struct HeldSearchTexts {
    pub mapping: Option<Arc<SourceFile>>,
    /// The mapping whose counterexamples were left out.
    pub baseline: Option<Arc<SourceFile>>,
    /// The source and the target model; the older and the newer one.
    pub models: [Option<HeldModel>; 2],
}

impl MappingSubject {
    /// What the models are to each other.
    pub fn roles(&self) -> [&'static str; 2] {
        match self {
            MappingSubject::Check { .. } => ["source", "target"],
            MappingSubject::Diff { .. } => ["old", "new"],
        }
    }

    /// The mapping, if there is one.
    pub fn mapping(&self) -> Option<&Text> {
        match self {
            MappingSubject::Check { mapping, .. } => Some(mapping),
            MappingSubject::Diff { mapping, .. } => mapping.as_ref(),
        }
    }

    /// The mapping whose counterexamples were left out, if there is one.
    pub fn baseline(&self) -> Option<&Text> {
        match self {
            MappingSubject::Check { baseline, .. } => baseline.as_ref(),
            MappingSubject::Diff { .. } => None,
        }
    }

    pub fn models(&self) -> [&ModelText; 2] {
        match self {
            MappingSubject::Check { source, target, .. } => [source, target],
            MappingSubject::Diff { old, new, .. } => [old, new],
        }
    }

    /// The texts that it is about: the mapping, its baseline, and each model with what it includes.
    ///
    /// # Errors
    /// A text is not the one that the reader holds, or not the built-in one whose name it has.
    pub fn bases(&self, held: &HeldSearchTexts) -> Result<Vec<Basis>, Vec<Diagnostic>> {
        let (mut bases, mut errors) = (Vec::new(), Vec::new());
        let mut keep = |found: Result<Vec<Basis>, Diagnostic>| match found {
            Ok(found) => bases.extend(found),
            Err(error) => errors.push(error),
        };
        for (role, text, held) in [
            ("mapping", self.mapping(), &held.mapping),
            ("baseline", self.baseline(), &held.baseline),
        ] {
            match (text, held) {
                (Some(text), held) => {
                    let held = held.as_ref().map(|file| (file.name.as_str(), file.text.as_str()));
                    let built_in = library::names().filter_map(library::built_in);
                    keep(Basis::of(role, text, held, built_in).map(|basis| vec![basis]));
                }
                (None, Some(file)) => {
                    let what = format!(
                        "the certificate is about no {role}, and so not about `{}`",
                        file.name
                    );
                    keep(Err(Diagnostic::error(what)));
                }
                (None, None) => {}
            }
        }
        for ((role, model), held) in self.roles().into_iter().zip(self.models()).zip(&held.models) {
            keep(Basis::of_model(role, model, held.as_ref()));
        }
        if errors.is_empty() {
            one_text_for_each_name(&bases).map_err(|error| vec![error])?;
            return Ok(bases);
        }
        Err(errors)
    }
}
