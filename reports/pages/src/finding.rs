//! The head of a section: the answer, and the smallest example of it with its pictures and
//! programs. What else a command printed stands below.

use std::fmt::Write;

use margay_models::picture::escape;
use serde_json::{Map, Value};

use super::content;
use super::look::class;

type FindingObject = Map<String, Value>;

/// What of an example is shown at the head: pictures, then programs.
const PICTURES: [&str; 3] = ["svg", "source_svg", "target_svg"];
const PROGRAMS: [&str; 4] = ["litmus", "source_litmus", "target_litmus", "target"];

/// Where examples lie in the answer of a command.
const EXAMPLES: [&str; 2] = ["counterexamples", "differences"];

/// The head of an answer, and the answer without what the head shows. A command that has no answer
/// in words has no head.
pub(crate) fn head(of: &FindingObject) -> (String, FindingObject) {
    let mut rest = of.clone();
    let Some(answer) = answer(of) else { return (String::new(), rest) };
    rest.remove("answer");
    // A counterexample that follows from a race, or from another order of writes, is no bug: its
    // colour says so.
    let tone = match (of.get("status"), sweep(of)) {
        (Some(status @ Value::String(_)), _) => class("status", status),
        (_, Some((0, 0))) => "good",
        (_, Some(_)) => "bad",
        _ => class("verdict", of.get("verdict").unwrap_or(&Value::Null)),
    };
    let mut out = format!("<p class=\"answer {tone}\">{}</p>", escape(&answer));
    if let Some(race) = race(of) {
        let _ = write!(out, "<p>Racy: {}</p>", escape(race));
    }
    if let Some(worst) = worst(of) {
        let _ = write!(out, "<p>{}</p>", escape(&worst));
    }
    if let Some(example) = first_example(&mut rest) {
        out.push_str(&shown(example));
    }
    (format!("<div class=\"finding\">{out}</div>\n"), rest)
}

/// The answer in one sentence, as the command says it. Where it says none in words, the verdict
/// with its bound.
pub(crate) fn answer(of: &FindingObject) -> Option<String> {
    let text = |key: &str| of.get(key).and_then(Value::as_str);
    if let Some(answer) = text("answer") {
        return Some(answer.to_owned());
    }
    if let Some((worse, wrong)) = sweep(of) {
        let worse = if worse == 0 {
            "nothing became worse".to_owned()
        } else {
            format!("{} became worse", counted(worse))
        };
        return Some(format!("{worse}; {} in all versions together", counted(wrong)));
    }
    let is = |key: &str| of.get(key) == Some(&Value::Bool(true));
    // A loop was cut off, so that more turns might show more.
    let turns = if is("bounded") { " within the turns of loops that were looked at" } else { "" };
    if let (Some(reachable), Some(name), Some(model)) =
        (of.get("reachable"), text("name"), text("model"))
    {
        let always = text("quantifier") == Some("forall");
        let outcome = match reachable {
            Value::Bool(true) => if always { "not always" } else { "allowed" }.to_owned(),
            Value::Bool(false) if is("bounded") => format!("not found{turns}"),
            Value::Bool(false) => if always { "always" } else { "forbidden" }.to_owned(),
            _ => "undecided".to_owned(),
        };
        // A race leaves a program of PTX its meaning.
        let defined =
            of.get("race").and_then(|race| race.get("undefined")) == Some(&Value::Bool(false));
        let racy = match is("racy") {
            true if defined => " (racy)",
            true => " (racy: its program is undefined)",
            false => "",
        };
        return Some(format!("{outcome}{racy}: {name} under {model}"));
    }
    let number = |key: &str| of.get(key).and_then(Value::as_u64);
    let size = match (
        text("verdict")?,
        number("equal_up_to").or(number("established")).or(number("none_up_to")),
    ) {
        ("theorem", _) => " for executions of every size".to_owned(),
        ("equal" | "none", Some(bound)) => format!(" up to {bound} events"),
        ("open", Some(bound)) => format!(" (no counterexample up to {bound} events)"),
        _ => String::new(),
    };
    let verdict = format!("{}{size}{turns}", text("verdict")?);
    Some(match (text("old"), text("new"), text("property"), text("model"), text("mapping")) {
        (Some(old), Some(new), ..) => format!("{verdict}: {old} and {new}"),
        (_, _, Some(property), Some(model), _) => format!("{verdict}: {property} in {model}"),
        (.., Some(mapping)) => format!("{verdict}: {mapping}"),
        _ => verdict,
    })
}

/// Which accesses of a litmus test race.
pub(crate) fn race(of: &FindingObject) -> Option<&str> {
    of.get("race")?.get("sentence")?.as_str()
}

fn counted(faults: usize) -> String {
    if faults == 1 { "1 fault".to_owned() } else { format!("{faults} faults") }
}

/// Of a sweep over compilers: how many faults are new, and how many there are.
fn sweep(of: &FindingObject) -> Option<(usize, usize)> {
    let entries = |key: &str| of.get(key).and_then(Value::as_array).map(Vec::len);
    Some((entries("worse")?, entries("wrong")?))
}

/// Of a sweep: which compiler has the fault that is shown, and where.
fn worst(of: &FindingObject) -> Option<String> {
    let entry = ["worse", "wrong"].into_iter().find_map(|key| of.get(key)?.as_array()?.first())?;
    let compiler = entry.get("compiler")?.as_str()?;
    let versions = entry
        .pointer("/places/0/versions")
        .and_then(Value::as_str)
        .map_or(String::new(), |v| format!(" ({v})"));
    let setting = entry
        .pointer("/counterexample/setting")
        .and_then(Value::as_str)
        .map_or(String::new(), |s| format!(", {s}"));
    Some(format!("The worst: {compiler}{versions}{setting}."))
}

/// The first example: of the answer itself, of the worst thing that a sweep found, or of its first
/// question that has one.
fn first_example(of: &mut FindingObject) -> Option<&mut FindingObject> {
    if let Some(key) = ["worse", "wrong"]
        .into_iter()
        .find(|key| of.get(*key).and_then(Value::as_array).is_some_and(|a| !a.is_empty()))
    {
        return of
            .get_mut(key)?
            .as_array_mut()?
            .first_mut()?
            .get_mut("counterexample")?
            .as_object_mut();
    }
    let place = EXAMPLES
        .into_iter()
        .find(|key| of.get(*key).and_then(Value::as_array).is_some_and(|a| !a.is_empty()));
    match place {
        Some(key) => of.get_mut(key)?.as_array_mut()?.first_mut()?.as_object_mut(),
        None => of
            .get_mut("questions")?
            .as_array_mut()?
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .find_map(first_example),
    }
}

/// An example: what is observed, pictures, programs, and why. What is shown is taken out.
fn shown(example: &mut FindingObject) -> String {
    let mut out = String::new();
    if let Some(outcome) = example.get("outcome").and_then(Value::as_str) {
        let _ = write!(out, "<p>Outcome <code>{}</code></p>", escape(outcome));
    }
    let is_long = |value: &Value| {
        value.as_str().is_none_or(|text| text.contains('\n') || text.starts_with('<'))
    };
    let mut take = |keys: &[&str]| -> FindingObject {
        let shown: Vec<&str> =
            keys.iter().copied().filter(|key| example.get(*key).is_some_and(is_long)).collect();
        shown.into_iter().filter_map(|key| example.remove_entry(key)).collect()
    };
    let (pictures, programs, why) = (take(&PICTURES), take(&PROGRAMS), take(&["explanation"]));
    out.push_str(&content::blocks(&pictures, 0));
    out.push_str(&content::blocks(&programs, 0));
    if !why.is_empty() {
        let _ =
            write!(out, "<details><summary>why</summary>{}</details>", content::blocks(&why, 0));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn head_of(value: Value) -> (String, FindingObject) {
        head(value.as_object().expect("an object"))
    }

    #[test]
    fn the_answer_comes_first_and_nothing_twice() {
        let (head, rest) = head_of(json!({
            "answer": "a < b", "verdict": "counterexample", "status": "racy", "bound": 4,
            "counterexamples": [{ "outcome": "x=1", "source_svg": "<svg/>", "target_svg": "<svg/>", "source_litmus": "C a\n", "axiom": "SC" }],
        }));
        assert!(
            head.contains("<p class=\"answer unsure\">a &lt; b</p><p>Outcome <code>x=1</code></p>"),
            "{head}"
        );
        assert!(
            head.find("<img").expect("a picture") < head.find("C a").expect("a program"),
            "{head}"
        );
        assert!(!rest.contains_key("answer"));
        let left = rest["counterexamples"][0].as_object().expect("an object");
        assert_eq!(
            left.keys().map(String::as_str).collect::<Vec<_>>(),
            ["axiom", "outcome"],
            "what was not shown stays"
        );
    }

    #[test]
    fn an_example_of_a_question_counts() {
        let (head, _) = head_of(json!({
            "verdict": "different", "old": "sc", "new": "tso", "questions": [{ "differences": [] }, { "differences": [{ "svg": "<svg/>", "litmus": "PTX a\n" }] }],
        }));
        assert!(
            head.contains("<p class=\"answer bad\">different: sc and tso</p>")
                && head.contains("<img")
                && head.contains("PTX a"),
            "{head}"
        );
    }

    #[test]
    fn a_theorem_says_of_what() {
        let (head, _) =
            head_of(json!({ "verdict": "theorem", "mapping": "C++ to PTX", "model": null }));
        assert!(
            head.contains(
                "<p class=\"answer good\">theorem for executions of every size: C++ to PTX</p>"
            ),
            "{head}"
        );
        let (head, _) =
            head_of(json!({ "verdict": "open", "property": "irreflexive hb", "model": "rc11" }));
        assert!(head.contains(">open: irreflexive hb in rc11</p>"), "{head}");
    }

    #[test]
    fn a_sweep_begins_with_what_is_wrong() {
        let fault = json!({ "compiler": "llvm", "places": [{ "versions": "llvm-16 to llvm-22.1" }],
            "counterexample": { "axiom": "SC", "outcome": "x=1", "setting": "one GPU", "target": "PTX a\n{ }\n" } });
        let (head, rest) = head_of(json!({ "worse": [], "wrong": [fault], "series": [] }));
        assert!(
            head.contains(
                "<p class=\"answer bad\">nothing became worse; 1 fault in all versions together</p>"
            ),
            "{head}"
        );
        assert!(head.contains("<p>The worst: llvm (llvm-16 to llvm-22.1), one GPU.</p>"), "{head}");
        assert!(head.contains("<code>x=1</code>") && head.contains("PTX a"), "{head}");
        let row = content::blocks(&rest, 0);
        let cells = ["llvm", "SC", "x=1", "one GPU", "llvm-16 to llvm-22.1"];
        assert!(
            cells.iter().all(|cell| row.contains(&format!("><span>{cell}</span></td>"))),
            "{row}"
        );
        let (head, _) = head_of(json!({ "worse": [], "wrong": [] }));
        assert!(head.contains("answer good"), "{head}");
    }

    #[test]
    fn what_has_no_answer_has_no_head() {
        let (head, rest) = head_of(json!({ "passed": 3 }));
        assert!(head.is_empty() && rest.len() == 1);
    }

    /// An answer that its command does not say in words has its bound all the same.
    #[test]
    fn a_verdict_has_its_bound() {
        let answer = |of: serde_json::Value| {
            super::answer(of.as_object().expect("an object")).expect("an answer")
        };
        assert_eq!(
            answer(json!({ "verdict": "equal", "old": "sc", "new": "tso", "equal_up_to": 4 })),
            "equal up to 4 events: sc and tso"
        );
        assert_eq!(
            answer(json!({ "verdict": "none", "mapping": "C++ to PTX", "established": 5 })),
            "none up to 5 events: C++ to PTX"
        );
        let run = |reachable: serde_json::Value, bounded: bool, racy: bool| {
            answer(
                json!({ "name": "mp", "model": "ptx-8", "quantifier": "exists", "reachable": reachable, "bounded": bounded, "racy": racy }),
            )
        };
        assert_eq!(run(json!(false), false, false), "forbidden: mp under ptx-8");
        assert_eq!(
            run(json!(false), true, false),
            "not found within the turns of loops that were looked at: mp under ptx-8"
        );
        assert_eq!(
            run(json!(true), true, true),
            "allowed (racy: its program is undefined): mp under ptx-8"
        );
        assert_eq!(run(json!(null), false, false), "undecided: mp under ptx-8");
    }
}
