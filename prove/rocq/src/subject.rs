//! What a theorem is about: what stands at the head of its file, and what its records are called.

use margay_language::Mapping;
use margay_models::model::Model;

use super::comment::comment;
use margay_theorem::theorem::Hypotheses;

/// What a theorem is about.
#[derive(Debug, Clone, Copy)]
pub enum RocqSubject<'a> {
    /// The axioms of a mapping's source hold where those of its target do.
    Mapping {
        mapping: &'a Mapping,
        /// What is supposed.
        hypotheses: &'a Hypotheses,
    },
    /// A property of a model follows from its axioms.
    Property {
        model: &'a Model,
        /// The property, as it was asked.
        property: &'a str,
        /// What is supposed.
        hypotheses: &'a Hypotheses,
    },
    /// What the older one of two models allows, the newer one allows.
    OldWithinNew {
        /// The older one.
        old: &'a Model,
        /// The newer one.
        new: &'a Model,
    },
    /// What the newer one of two models allows, the older one allows.
    NewWithinOld {
        /// The older one.
        old: &'a Model,
        /// The newer one.
        new: &'a Model,
    },
}

/// What the parts of a theorem are called.
pub struct TheoremWords {
    /// The module that it stands in, if it has one of its own.
    pub module: Option<&'static str>,
    pub theorem: &'static str,
    /// The record of the axioms that are supposed, what it is, and what the names of its fields
    /// begin with.
    pub supposed: [&'static str; 3],
    /// The same of what is claimed.
    pub claimed: [&'static str; 3],
}

impl RocqSubject<'_> {
    /// What its parts are called.
    pub(super) fn words(&self) -> TheoremWords {
        const OLD: [&str; 3] = ["old_axioms", "The axioms of the older model.", "old"];
        const NEW: [&str; 3] = ["new_axioms", "The axioms of the newer model.", "new"];
        let (module, theorem, supposed, claimed) = match self {
            Self::Mapping { .. } => (
                None,
                "mapping_is_sound",
                ["target_axioms", "The axioms of the target.", "target"],
                ["source_axioms", "The axioms of the source.", "source"],
            ),
            Self::Property { .. } => (
                None,
                "property_holds",
                ["model_axioms", "The axioms of the model.", "axiom"],
                ["asked_property", "What was asked.", "asked"],
            ),
            Self::OldWithinNew { .. } => {
                (Some("Old_within_new"), "new_allows_what_old_allows", OLD, NEW)
            }
            Self::NewWithinOld { .. } => {
                (Some("New_within_old"), "old_allows_what_new_allows", NEW, OLD)
            }
        };
        TheoremWords { module, theorem, supposed, claimed }
    }

    /// Is it about what a mapping makes of a source, and so about two levels?
    pub(super) fn has_rows(&self) -> bool {
        matches!(self, Self::Mapping { .. })
    }

    /// What is claimed, for the head of the file; `goals` are the names of the axioms.
    pub(super) fn claim(&self, goals: &[String]) -> String {
        let goals = comment(&goals.join(", "));
        match self {
            Self::Mapping { mapping, hypotheses } => format!(
                "For executions of every size{}: {}.\n\n\
                 Let an execution of the target model `{}` satisfy each axiom of that model, and consist of what the rows of the mapping make of\n\
                 operations of the source. Read it back as an execution of the source model `{}`: the same reads and writes, the fences that rows\n\
                 add left out, and a modification order. Then it satisfies these axioms of the source: {goals}. This is supposed:\n\n{}",
                comment(&hypotheses.behind()),
                comment(&mapping.title),
                comment(&mapping.target.name),
                comment(&mapping.source.name),
                comment(&hypotheses.text()),
            ),
            Self::Property { model, property, hypotheses } => format!(
                "For executions of every size{}: what satisfies the axioms of the model `{}` has this property:\n\n{}\n\n{}",
                comment(&hypotheses.behind()),
                comment(&model.name),
                comment(property.trim()),
                comment(&hypotheses.text())
            ),
            Self::OldWithinNew { old, new } => {
                within(self.words(), ["older", "newer"], [old, new], &goals)
            }
            Self::NewWithinOld { old, new } => {
                within(self.words(), ["newer", "older"], [new, old], &goals)
            }
        }
    }

    /// What else the head of the file says of it.
    pub(super) fn more(&self) -> String {
        match self {
            Self::Mapping { mapping, .. } => {
                format!("\n\nThe mapping:\n\n{}", comment(&mapping.file.text))
            }
            _ => String::new(),
        }
    }
}

fn within(
    words: TheoremWords,
    [first, second]: [&str; 2],
    [supposed, claimed]: [&Model; 2],
    goals: &str,
) -> String {
    format!(
        "For executions of every size (module {}): what satisfies the axioms of the {first} model, `{}`,\n\
         satisfies these axioms of the {second} one, `{}`: {goals}.",
        words.module.unwrap_or_default(),
        comment(&supposed.name),
        comment(&claimed.name)
    )
}
