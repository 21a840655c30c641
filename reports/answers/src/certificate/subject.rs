//! What a certificate is about, for people and as JSON.

use crate::headline::events;
use margay_mappings::certificate::{Basis, ComparisonBasis, MappingSubject, QuestionOptions};
use margay_mappings::check::Level;
use margay_reports::verify as report;

use super::bases::named;

/// What there is none of.
pub fn nothing(subject: &MappingSubject) -> &'static str {
    match subject {
        MappingSubject::Check { baseline: None, .. } => "no counterexample",
        MappingSubject::Check { baseline: Some(_), .. } => "no new counterexample",
        MappingSubject::Diff { .. } => "no difference",
    }
}

/// What there is none of it about, each text by the name under which it is known.
pub fn about(subject: &MappingSubject, bases: &[Basis]) -> String {
    let text = |role: &str| bases.iter().find(|b| b.role == role).map_or(String::new(), named);
    match subject {
        MappingSubject::Check { .. } => {
            format!("to {} ({} -> {})", text("mapping"), text("source"), text("target"))
        }
        MappingSubject::Diff { mapping, .. } => {
            let by =
                if mapping.is_some() { format!(" by {}", text("mapping")) } else { String::new() };
            format!("between {} and {}{by}", text("old"), text("new"))
        }
    }
}

/// The largest number of events that was asked for.
pub fn bound(subject: &MappingSubject) -> usize {
    match subject {
        MappingSubject::Check { given, .. } => given.bound,
        MappingSubject::Diff { given, .. } => given.bound,
    }
}

/// What was asked, in a sentence.
pub fn asked(subject: &MappingSubject) -> String {
    let mut out = format!("Asked up to {}", events(bound(subject)));
    let list = |out: &mut String, what: &str, names: &[String]| {
        if !names.is_empty() {
            out.push_str(&format!(", {what} {}", names.join(", ")));
        }
    };
    let (without, only, typed) = match subject {
        MappingSubject::Check { given, .. } => {
            out.push_str(&format!(", {} level", given.level.name()));
            if given.level == Level::Execution {
                out.push_str(&format!(", modification order {}", given.co.name()));
            }
            list(&mut out, "axioms", &given.axioms);
            if let Some(guards) = given.guards {
                out.push_str(&format!(", at most {guards} guards and computed values"));
            }
            if given.known_only {
                out.push_str(", without the assumed rows");
            }
            (&given.without, &given.only, given.typed)
        }
        MappingSubject::Diff { given, .. } => {
            out.push_str(match given.level {
                Level::Execution => ", single executions",
                Level::Program => ", outcomes of programs",
            });
            (&given.without, &given.only, given.typed)
        }
    };
    list(&mut out, "without", without);
    list(&mut out, "only", only);
    out.push_str(if typed { ", typed." } else { ", untyped." });
    out
}

/// What was asked of a check, as a part of a document.
pub fn check_given(given: &QuestionOptions) -> report::CheckGiven {
    let QuestionOptions { bound, axioms, without, only, typed, level, guards, co, known_only } =
        given.clone();
    report::CheckGiven {
        bound,
        axioms,
        without,
        only,
        typed,
        level: level.into(),
        guards,
        co: co.into(),
        known_only,
    }
}

/// What was asked of a comparison, as a part of a document.
pub fn diff_given(given: &ComparisonBasis) -> report::DiffGiven {
    let ComparisonBasis { bound, without, only, typed, level } = given.clone();
    report::DiffGiven { bound, without, only, typed, level: level.into() }
}
