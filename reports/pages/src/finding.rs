//! The head of a section: the answer, and the smallest example of it with its pictures and programs. What else a command printed stands below.

use std::fmt::Write;

use margay_models::picture::escape;
use serde_json::{Map, Value};

use super::content;
use super::look::class;

type Object = Map<String, Value>;

/// What of an example is shown at the head: pictures, then programs.
const PICTURES: [&str; 3] = ["svg", "source_svg", "target_svg"];
const PROGRAMS: [&str; 3] = ["litmus", "source_litmus", "target_litmus"];

/// Where examples lie in the answer of a command.
const EXAMPLES: [&str; 2] = ["counterexamples", "differences"];

/// The head of an answer, and the answer without what the head shows. A command that has no answer in words has no head.
pub fn head(of: &Object) -> (String, Object) {
    let mut rest = of.clone();
    let verdict = of.get("verdict");
    let text = |key: &str| of.get(key).and_then(Value::as_str);
    let answer = match (text("answer"), text("verdict"), text("old"), text("new")) {
        (Some(answer), ..) => answer.to_owned(),
        (None, Some(verdict), Some(old), Some(new)) => format!("{verdict}: {old} and {new}"),
        (None, Some(verdict), ..) => verdict.to_owned(),
        (None, None, ..) => return (String::new(), rest),
    };
    rest.remove("answer");
    // A counterexample that follows from a race, or from another order of writes, is no bug: its colour says so.
    let tone = match of.get("status") {
        Some(status @ Value::String(_)) => class("status", status),
        _ => class("verdict", verdict.unwrap_or(&Value::Null)),
    };
    let mut out = format!("<p class=\"answer {tone}\">{}</p>", escape(&answer));
    if let Some(example) = first_example(&mut rest) {
        out.push_str(&shown(example));
    }
    (format!("<div class=\"finding\">{out}</div>\n"), rest)
}

/// The first example: of the answer itself, or of its first question that has one.
fn first_example(of: &mut Object) -> Option<&mut Object> {
    let place = EXAMPLES.into_iter().find(|key| of.get(*key).and_then(Value::as_array).is_some_and(|a| !a.is_empty()));
    match place {
        Some(key) => of.get_mut(key)?.as_array_mut()?.first_mut()?.as_object_mut(),
        None => of.get_mut("questions")?.as_array_mut()?.iter_mut().filter_map(Value::as_object_mut).find_map(first_example),
    }
}

/// An example: what is observed, pictures, programs, and why. What is shown is taken out.
fn shown(example: &mut Object) -> String {
    let mut out = String::new();
    if let Some(outcome) = example.get("outcome").and_then(Value::as_str) {
        let _ = write!(out, "<p>Outcome <code>{}</code></p>", escape(outcome));
    }
    let mut take = |keys: &[&str]| -> Object { keys.iter().filter_map(|key| example.remove_entry(*key)).collect() };
    let (pictures, programs, why) = (take(&PICTURES), take(&PROGRAMS), take(&["explanation"]));
    out.push_str(&content::blocks(&pictures, 0));
    out.push_str(&content::blocks(&programs, 0));
    if !why.is_empty() {
        let _ = write!(out, "<details><summary>why</summary>{}</details>", content::blocks(&why, 0));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn head_of(value: Value) -> (String, Object) {
        head(value.as_object().expect("an object"))
    }

    #[test]
    fn the_answer_comes_first_and_nothing_twice() {
        let (head, rest) = head_of(json!({
            "answer": "a < b", "verdict": "counterexample", "status": "racy", "bound": 4,
            "counterexamples": [{ "outcome": "x=1", "source_svg": "<svg/>", "target_svg": "<svg/>", "source_litmus": "C a\n", "axiom": "SC" }],
        }));
        assert!(head.contains("<p class=\"answer unsure\">a &lt; b</p><p>Outcome <code>x=1</code></p>"), "{head}");
        assert!(head.find("<img").expect("a picture") < head.find("C a").expect("a program"), "{head}");
        assert!(!rest.contains_key("answer"));
        let left = rest["counterexamples"][0].as_object().expect("an object");
        assert_eq!(left.keys().map(String::as_str).collect::<Vec<_>>(), ["axiom", "outcome"], "what was not shown stays");
    }

    #[test]
    fn an_example_of_a_question_counts() {
        let (head, _) = head_of(json!({
            "verdict": "different", "old": "sc", "new": "tso", "questions": [{ "differences": [] }, { "differences": [{ "svg": "<svg/>", "litmus": "PTX a\n" }] }],
        }));
        assert!(
            head.contains("<p class=\"answer bad\">different: sc and tso</p>") && head.contains("<img") && head.contains("PTX a"),
            "{head}"
        );
    }

    #[test]
    fn what_has_no_answer_has_no_head() {
        let (head, rest) = head_of(json!({ "passed": 3 }));
        assert!(head.is_empty() && rest.len() == 1);
    }
}
