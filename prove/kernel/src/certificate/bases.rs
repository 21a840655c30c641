//! The texts that a theorem is about, and what is known of them.

use std::sync::Arc;

use margay_models::certificate::{Basis, HeldModel, ModelText, one_text_for_each_name};
use margay_models::diagnostic::{Diagnostic, SourceFile};

use super::TheoremSubject;

/// What the reader of a certificate holds: what is there must be what the certificate is about.
#[derive(Debug, Clone, Default)]
pub struct HeldTheoremTexts {
    pub mapping: Option<Arc<SourceFile>>,
    /// The source and the target model; the supposed and the claimed one; the model of a property.
    pub models: [Option<HeldModel>; 2],
}

impl TheoremSubject {
    /// The texts that it is about, the mapping first: the name of one of the `shipped` mappings is
    /// accepted for its text only, and the reader's files are those of the certificate. Of a
    /// property they are its own text, and the model that this includes.
    ///
    /// # Errors
    /// A text is not the one that the reader holds, or not the built-in one whose name it has.
    pub fn bases(
        &self,
        held: &HeldTheoremTexts,
        shipped: &[Arc<SourceFile>],
    ) -> Result<Vec<Basis>, Vec<Diagnostic>> {
        let [first, second] = [&held.models[0], &held.models[1]].map(Option::as_ref);
        let all = match self {
            TheoremSubject::Theorem { mapping, source, target, .. } => {
                let held =
                    held.mapping.as_ref().map(|file| (file.name.as_str(), file.text.as_str()));
                let mapping = Basis::of("mapping", mapping, held, shipped.iter().cloned())
                    .map(|basis| vec![basis]);
                vec![
                    mapping,
                    Basis::of_model("source", source, first),
                    Basis::of_model("target", target, second),
                ]
            }
            TheoremSubject::ModelTheorem { model } => match included(model) {
                Some(inner) => {
                    let property =
                        Basis::of("property", &model.model, None, shipped.iter().cloned());
                    vec![property.map(|basis| vec![basis]), Basis::of_model("model", &inner, first)]
                }
                None => vec![Basis::of_model("model", model, first)],
            },
            TheoremSubject::DiffTheorem { supposed, claimed, older, .. } => {
                let [one, other] = older.roles();
                vec![Basis::of_model(one, supposed, first), Basis::of_model(other, claimed, second)]
            }
        };
        let (bases, errors): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
        let errors: Vec<Diagnostic> = errors.into_iter().filter_map(Result::err).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let bases: Vec<Basis> = bases.into_iter().flatten().flatten().collect();
        one_text_for_each_name(&bases)
            .map_err(|what| vec![Diagnostic::error(format!("the certificate is wrong: {what}"))])?;
        Ok(bases)
    }
}

/// The model that the text of a property includes first.
fn included(model: &ModelText) -> Option<ModelText> {
    let (first, rest) = model.includes.split_first()?;
    Some(ModelText { model: first.file.clone(), includes: rest.to_vec() })
}
