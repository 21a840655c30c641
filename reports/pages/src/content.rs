//! Objects as tables and blocks. Fields are shown by what they are, not by which command printed
//! them: short ones are cells, texts of several lines blocks, SVGs pictures, lists of objects
//! tables; `source_x` and `target_x` stand side by side.

use std::fmt::Write;

use margay_models::picture::escape;
use serde_json::{Map, Value};

use super::look::{class, described, is_bad, is_short, picture, short, words};

type ContentObject = Map<String, Value>;

/// Pairs of prefixes of fields that belong side by side.
const PAIRS: [(&str, &str); 4] =
    [("source_", "target_"), ("old_", "new_"), ("left_", "right_"), ("before_", "after_")];

/// Fields that say nothing to people.
const HIDDEN: [&str; 3] = ["schema", "command", "margay"];

/// The deepest nesting that is shown.
const DEPTH: usize = 6;

/// What comes first, answers before circumstances; fields that are not named come in between, in
/// alphabetical order.
const FIRST: [&str; 49] = [
    "answer",
    "supposes",
    "verdict",
    "status",
    "name",
    "test",
    "mapping",
    "axiom",
    "events",
    "model",
    "old",
    "new",
    "kind",
    "violated",
    "reachable",
    "holds",
    "racy",
    "expected",
    "found",
    "reason",
    "file",
    "outcome",
    "seen",
    "count",
    "asked",
    "from",
    "relation",
    "to",
    "summary",
    "cycle_in_words",
    "worse",
    "wrong",
    "counterexamples",
    "differences",
    "source_litmus",
    "target_litmus",
    "litmus",
    "reasons",
    "svg",
    "source_svg",
    "target_svg",
    "explanation",
    "cycle",
    "there",
    "missing",
    "outcomes",
    "repairs",
    "changes",
    "answers",
];
const LAST: [&str; 24] = [
    "quantifier",
    "bounded",
    "engine",
    "executions",
    "milliseconds",
    "constructs",
    "scopes",
    "old_file",
    "new_file",
    "axioms",
    "lemmas",
    "steps",
    "tried",
    "source_events",
    "source_cuda",
    "rows",
    "source_file",
    "target_file",
    "mapping_file",
    "solver",
    "typed",
    "truncated",
    "seconds",
    "peak_memory_bytes",
];

fn rank(key: &str) -> usize {
    let place = |list: &[&str]| list.iter().position(|k| *k == key);
    place(&FIRST).unwrap_or_else(|| FIRST.len() + place(&LAST).map_or(0, |at| at + 1))
}

fn fields(object: &ContentObject) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<(&String, &Value)> =
        object.iter().filter(|(key, _)| !HIDDEN.contains(&key.as_str())).collect();
    fields.sort_by_key(|(key, _)| rank(key));
    fields.into_iter()
}

/// A list of edges, as the field writes them; `None` for other lists.
fn edges(items: &[&ContentObject]) -> Option<String> {
    let line = |edge: &&ContentObject| {
        let text = |key: &str| edge.get(key).and_then(Value::as_str);
        let mut line = format!("{} -{}-> {}", text("from")?, text("relation")?, text("to")?);
        if let (Some(file), Some(number)) = (text("file"), edge.get("line").and_then(Value::as_u64))
        {
            let _ = write!(line, "    {file}:{number}  {}", text("text").unwrap_or_default());
        }
        Some(line)
    };
    items
        .iter()
        .map(line)
        .collect::<Option<Vec<_>>>()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join("\n"))
}

/// A list of words in one line; `None` if it is none.
fn word_list(value: &Value) -> Option<String> {
    let word = |v: &Value| {
        v.as_str().filter(|s| s.len() <= 24 && !s.contains(char::is_whitespace)).map(str::to_owned)
    };
    let words: Option<Vec<String>> = value.as_array()?.iter().map(word).collect();
    words.filter(|w| !w.is_empty()).map(|w| w.join(", "))
}

/// One object: its short fields as a list, the others below.
pub(crate) fn object(of: &ContentObject, depth: usize) -> String {
    let mut out = String::new();
    let cells: Vec<(&String, &Value)> =
        fields(of).filter(|(_, v)| is_short(v) && !v.is_null()).collect();
    if !cells.is_empty() {
        out.push_str("<dl>");
        for (key, value) in cells {
            let text = escape(&short(value));
            let _ = write!(
                out,
                "<div><dt>{}</dt><dd class=\"{}\">{text}</dd></div>",
                words(key),
                class(key, value)
            );
        }
        out.push_str("</dl>");
    }
    out + &blocks(of, depth)
}

/// An entry with what its example says in short, and the versions of the places where it is: so a
/// row says what it is about.
fn lifted(entry: &ContentObject) -> ContentObject {
    let mut entry = entry.clone();
    if let Some(example) = entry.get("counterexample").and_then(Value::as_object).cloned() {
        for (key, value) in example.into_iter().filter(|(_, value)| is_short(value)) {
            entry.entry(key).or_insert(value);
        }
    }
    let versions = |place: &Value| Some(place.get("versions")?.as_str()?.to_owned());
    let places = entry.get("places").and_then(Value::as_array);
    if let Some(versions) =
        places.and_then(|places| places.iter().map(versions).collect::<Option<Vec<_>>>())
    {
        entry.insert("versions".to_owned(), versions.join("; ").into());
    }
    entry
}

/// Objects of one kind as a table; what is no cell is behind each row.
pub(crate) fn table(of: &[&ContentObject], depth: usize) -> String {
    let of: Vec<ContentObject> = of.iter().map(|entry| lifted(entry)).collect();
    let mut columns: Vec<&String> = Vec::new();
    for (key, value) in of.iter().flat_map(fields) {
        if is_short(value) && !value.is_null() && !columns.contains(&key) {
            columns.push(key);
        }
    }
    columns.sort_by_key(|key| rank(key));
    let most = |key: &str| of.iter().filter_map(|o| o.get(key)?.as_u64()).max().unwrap_or(0);
    // What there is to be looked at first is seen at once.
    let first_bad = of.iter().position(is_bad);
    let mut out = String::from("<table><thead><tr>");
    for key in &columns {
        let _ = write!(out, "<th scope=\"col\"><button>{}</button></th>", words(key));
    }
    out.push_str("</tr></thead>");
    for (i, entry) in of.iter().enumerate() {
        let bad = if is_bad(entry) { " flagged" } else { "" };
        let _ = write!(out, "<tbody class=\"entry{bad}\"><tr>");
        for key in &columns {
            let value = entry.get(*key).filter(|v| is_short(v)).unwrap_or(&Value::Null);
            let _ =
                write!(out, "<td class=\"{}\" data-label=\"{}\"", class(key, value), words(key));
            // A histogram.
            if let (true, Some(n)) = (*key == "count", value.as_u64()) {
                let share =
                    if most("count") == 0 { 0.0 } else { n as f64 * 100.0 / most("count") as f64 };
                let _ = write!(out, " style=\"--share:{share:.1}%\"");
            }
            let _ = write!(out, "><span>{}</span></td>", escape(&short(value)));
        }
        out.push_str("</tr>");
        let rest = blocks(entry, depth);
        if !rest.is_empty() {
            let picture =
                i == 0 && ["svg", "source_svg"].iter().any(|key| entry.contains_key(*key));
            let first =
                (of.len() == 1 || first_bad == Some(i)) && depth <= 1 || picture && depth <= 2;
            let open = if first { " open" } else { "" };
            let _ = write!(
                out,
                "<tr class=\"more\"><td colspan=\"{}\"><details{open}><summary>details</summary>{rest}</details></td></tr>",
                columns.len().max(1)
            );
        }
        out.push_str("</tbody>");
    }
    out.push_str("</table>");
    format!("<div class=\"wide\">{out}</div>")
}

/// The fields that are no cells.
pub(crate) fn blocks(of: &ContentObject, depth: usize) -> String {
    let mut out = String::new();
    let long: Vec<(&String, &Value)> =
        fields(of).filter(|(_, v)| !is_short(v) && !is_empty(v)).collect();
    let mut done: Vec<&str> = Vec::new();
    for (key, value) in &long {
        if done.contains(&key.as_str()) {
            continue;
        }
        let partner = PAIRS.iter().find_map(|(a, b)| {
            let other = key.strip_prefix(a).map(|rest| format!("{b}{rest}"))?;
            long.iter().find(|(k, v)| **k == other && v.is_string())
        });
        match partner.filter(|_| value.is_string()) {
            Some((other, second)) => {
                done.push(other);
                let (a, b) = (block(key, value, depth), block(other, second, depth));
                let _ = write!(out, "<div class=\"pair\">{a}{b}</div>");
            }
            None => out.push_str(&block(key, value, depth)),
        }
    }
    out
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(a) => a.is_empty(),
        Value::Object(o) => o.is_empty(),
        _ => false,
    }
}

fn block(key: &str, value: &Value, depth: usize) -> String {
    let caption = format!("<figcaption>{}</figcaption>", words(key));
    if depth >= DEPTH {
        return format!("<figure>{caption}<pre>{}</pre></figure>", escape(&value.to_string()));
    }
    match value {
        Value::String(s) if s.trim_start().starts_with("<svg") => {
            format!(
                "<figure>{caption}<img src=\"{}\" alt=\"{}: {}\"></figure>",
                picture(s),
                words(key),
                described(s)
            )
        }
        Value::String(s) => {
            format!("<figure>{caption}<pre>{}</pre></figure>", escape(s.trim_end()))
        }
        Value::Array(items) => {
            let objects: Vec<&ContentObject> = items.iter().filter_map(Value::as_object).collect();
            let texts: Vec<String> = items.iter().filter(|v| is_short(v)).map(short).collect();
            if let Some(lines) = edges(&objects).filter(|_| objects.len() == items.len()) {
                return format!("<figure>{caption}<pre>{}</pre></figure>", escape(&lines));
            }
            if let Some(words) = word_list(value) {
                return format!("<figure>{caption}<p>{}</p></figure>", escape(&words));
            }
            if objects.len() == items.len() {
                format!(
                    "<section class=\"nested\"><h3>{}</h3>{}</section>",
                    words(key),
                    table(&objects, depth + 1)
                )
            } else if texts.len() == items.len() {
                format!("<figure>{caption}<pre>{}</pre></figure>", escape(&texts.join("\n")))
            } else {
                let parts: String = items.iter().map(|item| block(key, item, depth + 1)).collect();
                format!("<section class=\"nested\">{parts}</section>")
            }
        }
        Value::Object(o) => format!(
            "<section class=\"nested\"><h3>{}</h3>{}</section>",
            words(key),
            object(o, depth + 1)
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            format!("<figure>{caption}<pre>{}</pre></figure>", escape(&short(value)))
        }
    }
}
