//! How single values look: numbers, verdicts, pictures.

use std::fmt::Write;

use margay_models::picture::escape;
use margay_reports::{StatusRecord, ToneRecord, Verdict};
use serde_json::{Map, Value};

/// A key as a heading: `source_litmus` is "source litmus".
pub(crate) fn words(key: &str) -> String {
    escape(&key.replace('_', " ").replace("svg", "picture"))
}

/// An SVG as an address of itself: as an image it cannot run anything, and its styles stay its own.
pub(crate) fn picture(svg: &str) -> String {
    let mut out = String::from("data:image/svg+xml,");
    for byte in svg.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~ =:/;,()".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// What an SVG shows, for those who do not see it: its name and its events, as the text of an
/// attribute.
pub(crate) fn described(svg: &str) -> String {
    let name = svg
        .split_once("aria-label=\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(name, _)| name);
    let labels = svg.split("<text class=\"label\"").skip(1);
    let events = labels
        .filter_map(|rest| rest.split_once('>')?.1.split_once('<').map(|(label, _)| label.trim()));
    // The texts are of the SVG, so they are escaped but for quotes.
    name.into_iter()
        .chain(events)
        .collect::<Vec<_>>()
        .join("; ")
        .replace('"', "&quot;")
        .replace('>', "&gt;")
}

/// Is it shown in a cell? Texts of one line, numbers, yes and no, nothing.
pub(crate) fn is_short(value: &Value) -> bool {
    match value {
        Value::String(s) => !s.contains('\n') && s.chars().count() <= 200 && !s.starts_with("<svg"),
        Value::Array(_) | Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// A short value as text.
pub(crate) fn short(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(b) => if *b { "yes" } else { "no" }.to_owned(),
        Value::Number(n) => match (n.as_u64(), n.as_f64()) {
            (Some(n), _) => margay_console::table::number(n),
            (None, Some(f)) if f.abs() >= 100.0 => format!("{f:.0}"),
            (None, Some(f)) => {
                let text = format!("{f:.3}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            (None, None) => n.to_string(),
        },
        Value::String(s) => s.clone(),
        Value::Array(_) | Value::Object(_) => String::new(),
    }
}

fn tone(tone: ToneRecord) -> &'static str {
    match tone {
        ToneRecord::Good => "good",
        ToneRecord::Bad => "bad",
        ToneRecord::Unsure => "unsure",
        ToneRecord::Plain => "word",
    }
}

/// The class of a value that says how something ended; `""` for all others.
pub(crate) fn class(key: &str, value: &Value) -> &'static str {
    match (key, value) {
        ("verdict", Value::String(word)) => {
            Verdict::of(word).map_or("word", |verdict| tone(verdict.tone()))
        }
        ("status", Value::String(word)) => {
            StatusRecord::of(word).map_or("word", |status| tone(status.tone()))
        }
        // Whether that is good is for the reader to say.
        ("reachable" | "holds", Value::Bool(_))
        | ("model" | "found" | "expected", Value::String(_)) => "word",
        ("bounded" | "racy" | "disagreement", Value::Bool(true)) => "unsure",
        (_, Value::Number(_)) => "number",
        _ => "",
    }
}

/// Is a row one to look at: an outcome that was seen and is forbidden, a counterexample, an error?
pub(crate) fn is_bad(object: &Map<String, Value>) -> bool {
    let is = |key: &str, text: &str| object.get(key).and_then(Value::as_str) == Some(text);
    let seen = object.get("seen").and_then(Value::as_bool) == Some(true);
    let verdict = object.get("verdict").and_then(Value::as_str).and_then(Verdict::of);
    is("model", "forbidden") && seen
        || verdict.is_some_and(|verdict| verdict.tone() == ToneRecord::Bad)
        || is("severity", "error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_described_one_by_one() {
        let svg = |name: &str, event: &str| {
            format!(
                "<svg role=\"img\" aria-label=\"{name}\"><text class=\"header\">P0</text><text class=\"label\" x=\"1\">a: {event}</text></svg>"
            )
        };
        let source = described(&svg("C: forbidden by &lt;SC&gt;", "W.SC.cta x=1"));
        assert_eq!(source, "C: forbidden by &lt;SC&gt;; a: W.SC.cta x=1");
        assert_ne!(source, described(&svg("C: forbidden by &lt;SC&gt;", "W.SC.cta x=2")));
        assert!(
            !described(&svg("C", "x\" onload=\"f()")).contains('"'),
            "it stays within its attribute"
        );
        assert_eq!(described("<svg></svg>"), "");
    }

    #[test]
    fn nothing_in_a_picture_is_markup() {
        let address = picture("<svg onload=\"alert('é')\"/>");
        assert!(!address.contains(['<', '>', '"', '\'', '&', '#']), "{address}");
        assert!(address.contains("%C3%A9"));
    }

    #[test]
    fn numbers() {
        let text = |v: serde_json::Value| short(&v);
        assert_eq!(text(serde_json::json!(1_234_567)), "1 234 567");
        assert_eq!(text(serde_json::json!(0.25)), "0.25");
        assert_eq!(text(serde_json::json!(1234.56)), "1235");
        assert_eq!(text(serde_json::json!(null)), "–");
    }
}
