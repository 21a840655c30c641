//! The texts that a certificate of tests rests on, and what the reader holds to compare them with.

use std::sync::Arc;

use margay_models::certificate::{Basis, HeldModel, ModelText, Text, one_text_for_each_name};
use margay_models::diagnostic::{Diagnostic, SourceFile};

/// What the reader of a certificate holds: each of these tests and models must be one that the
/// certificate is about.
#[derive(Debug, Clone, Default)]
pub struct Held {
    pub tests: Vec<Arc<SourceFile>>,
    pub models: Vec<HeldModel>,
    /// Models that Margay has beside its library: these may be there, and are known then.
    pub known: Vec<HeldModel>,
}

/// The texts of each test and of each model, in their order; the first of a model is its own.
#[derive(Debug, Clone)]
pub struct Bases {
    pub tests: Vec<Basis>,
    /// Of models, each with what it includes: `[model][text]`.
    pub models: Vec<Vec<Basis>>,
}

impl Bases {
    /// Those of a certificate. Which of its texts is which of the reader's, the texts themselves
    /// say.
    ///
    /// # Errors
    /// Something that the reader holds is not among them, or a text is not the built-in one whose
    /// name it has.
    pub fn of(tests: &[Text], models: &[ModelText], held: &Held) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for file in held.tests.iter().filter(|file| !tests.iter().any(|t| t.text == file.text)) {
            errors.push(missing("test", &file.name, tests.iter().map(|t| t.name.as_str())));
        }
        let is_model = |held: &HeldModel, model: &ModelText| {
            Basis::of_model("model", model, Some(held)).is_ok()
        };
        for of in held.models.iter().filter(|of| !models.iter().any(|m| is_model(of, m))) {
            errors.push(missing("model", &of.name, models.iter().map(|m| m.model.name.as_str())));
        }
        let (mut bases, mut wrong) = (Self { tests: Vec::new(), models: Vec::new() }, Vec::new());
        for test in tests {
            let file = held.tests.iter().find(|file| file.text == test.text);
            // No test is built in.
            let basis = Basis::of(
                "test",
                test,
                file.map(|f| (f.name.as_str(), f.text.as_str())),
                std::iter::empty(),
            );
            basis.map(|basis| bases.tests.push(basis)).unwrap_or_else(|error| wrong.push(error));
        }
        for model in models {
            let mut all = held.models.iter().chain(&held.known);
            let found = Basis::of_model("model", model, all.find(|of| is_model(of, model)));
            found.map(|found| bases.models.push(found)).unwrap_or_else(|error| wrong.push(error));
        }
        errors.extend(wrong);
        if errors.is_empty() {
            let all = bases.all();
            one_text_for_each_name(&all).map_err(|error| vec![error])?;
            return Ok(bases);
        }
        Err(errors)
    }

    pub fn all(&self) -> Vec<Basis> {
        self.tests.iter().chain(self.models.iter().flatten()).cloned().collect()
    }
}

/// The error of something that the reader holds, and the certificate says nothing of.
fn missing<'a>(what: &str, name: &str, there: impl Iterator<Item = &'a str>) -> Diagnostic {
    const SHOWN: usize = 5;
    let names: Vec<&str> = there.collect();
    let more = if names.len() > SHOWN {
        format!(" and {} more", names.len() - SHOWN)
    } else {
        String::new()
    };
    let listed = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    Diagnostic::error(format!("the certificate has no {what} with the text of `{name}`"))
        .help(format!("its texts are under these names: {listed}{more}"))
}
