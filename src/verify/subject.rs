//! What a certificate is about, for people and as JSON.

use margay_mappings::certificate::Subject;
use margay_mappings::check::Level;
use serde_json::{Value, json};

/// What was asked about, in lines.
pub fn lines(subject: &Subject) -> Vec<String> {
    match subject {
        Subject::Check { mapping, source, target, .. } => {
            vec![format!("no counterexample to {}", mapping.name), format!("{} -> {}", source.model.name, target.model.name)]
        }
        Subject::Diff { mapping, old, new, names, .. } => {
            let mut lines = vec![format!("no difference between {} and {}", names[0], names[1])];
            lines.push(format!("{} and {}", old.model.name, new.model.name));
            lines.extend(mapping.as_ref().map(|m| format!("by {}", m.name)));
            lines
        }
    }
}

/// The largest number of events that was asked for.
pub fn bound(subject: &Subject) -> usize {
    match subject {
        Subject::Check { given, .. } => given.bound,
        Subject::Diff { given, .. } => given.bound,
    }
}

/// What was asked, in a sentence.
pub fn asked(subject: &Subject) -> String {
    let mut out = format!("Asked up to {} events", bound(subject));
    let list = |out: &mut String, what: &str, names: &[String]| {
        if !names.is_empty() {
            out.push_str(&format!(", {what} {}", names.join(", ")));
        }
    };
    let (without, only, typed) = match subject {
        Subject::Check { given, .. } => {
            out.push_str(&format!(", {} level, modification order {}", given.level.name(), given.co.name()));
            list(&mut out, "axioms", &given.axioms);
            if let Some(guards) = given.guards {
                out.push_str(&format!(", at most {guards} guards and computed values"));
            }
            (&given.without, &given.only, given.typed)
        }
        Subject::Diff { given, .. } => {
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

/// The same as JSON (docs/json.md).
pub fn json(subject: &Subject) -> Value {
    match subject {
        Subject::Check { mapping, source, target, given } => json!({
            "kind": "check",
            "mapping_file": mapping.name,
            "source_file": source.model.name,
            "target_file": target.model.name,
            "given": given,
        }),
        Subject::Diff { mapping, old, new, names, given } => json!({
            "kind": "diff",
            "mapping_file": mapping.as_ref().map(|m| &m.name),
            "old": names[0],
            "old_file": old.model.name,
            "new": names[1],
            "new_file": new.model.name,
            "given": given,
        }),
    }
}
