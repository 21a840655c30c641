//! A short summary in Markdown: for each command its answer, and for what needs a look the smallest
//! example.

use std::fmt::Write;

use margay_models::picture::escape;
use serde_json::{Map, Value};

use super::finding::{answer, race};
use super::input::Section;
use super::look::{is_bad, short};

type MarkdownObject = Map<String, Value>;

/// The most rows of a table, and the most examples.
const ROWS: usize = 20;
const EXAMPLES: usize = 3;

pub fn summary(title: &str, sections: &[Section], left_out: &[String]) -> String {
    let mut out = format!("## {}\n", inline(title));
    for reason in left_out {
        let _ = write!(out, "\nNot in this summary: {}\n", inline(reason));
    }
    for section in sections {
        let _ = write!(out, "\n### `{}`\n\n", section.command);
        match section.documents.as_slice() {
            [only] => one(&section.command, only, &mut out),
            several => many(several, &mut out),
        }
    }
    out
}

/// Text in a line of Markdown or a cell: nothing in it is markup.
fn inline(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in escape(&one_line).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '@' | '!') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A block of code; the fence is longer than any in the text.
fn code(text: &str, out: &mut String) {
    let longest = text
        .lines()
        .map(|l| l.trim_start().chars().take_while(|&c| c == '`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = write!(out, "{fence}\n{}\n{fence}\n", text.trim_end());
}

fn text<'a>(of: &'a MarkdownObject, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str)
}

fn list<'a>(of: &'a MarkdownObject, key: &str) -> Vec<&'a MarkdownObject> {
    of.get(key)
        .and_then(Value::as_array)
        .map(|a| a.iter().filter_map(Value::as_object).collect())
        .unwrap_or_default()
}

/// The texts of a list.
fn strings(list: &[Value]) -> Vec<&str> {
    list.iter().filter_map(Value::as_str).collect()
}

fn one(command: &str, of: &MarkdownObject, out: &mut String) {
    let number = |key: &str| of.get(key).map(short).unwrap_or_default();
    let differences = list(of, "differences");
    let headline = match (command, text(of, "answer")) {
        // Of a Margay that did not say it in words.
        ("margay test", None) => {
            let found = match differences.len() {
                0 => "no difference".to_owned(),
                1 => "1 difference".to_owned(),
                n => format!("{n} differences"),
            };
            format!("**{found}**, {} verdicts as expected", number("passed"))
        }
        // The first line of the answer says what follows from it.
        _ => answer(of).map(|words| format!("**{}**", inline(&words))).unwrap_or_default(),
    };
    let facts = [
        "mapping",
        "old",
        "new",
        "name",
        "model",
        "source",
        "target",
        "bound",
        "established",
        "supposes",
        "equal_up_to",
        "not_compared",
        "reason",
        "cost",
    ];
    let facts: Vec<String> = facts
        .iter()
        .filter_map(|key| {
            of.get(*key)
                .map(|v| (key, v.as_array().map_or_else(|| short(v), |a| strings(a).join(", "))))
        })
        .filter(|(key, value)| !value.is_empty() && !of[**key].is_null())
        .map(|(key, value)| format!("{}: {}", key.replace('_', " "), inline(&value)))
        .collect();
    let parts: Vec<String> =
        [headline].into_iter().chain(facts).filter(|p| !p.is_empty()).collect();
    let _ = writeln!(out, "{}", parts.join("; "));
    if let Some(race) = race(of) {
        let _ = writeln!(out, "\nRacy: {}", inline(race));
    }
    if let Some(Value::Object(said)) = of.get("margay_toml") {
        let options = said.get("options").and_then(Value::as_object);
        let options =
            options.into_iter().flatten().map(|(key, value)| format!("{key} = {}", short(value)));
        let options = options.collect::<Vec<_>>().join("; ");
        let file = text(said, "file").unwrap_or_default();
        let _ = writeln!(out, "\nAs {} says: {}", inline(file), inline(&options));
    }
    if command == "margay kernel" {
        kernels(of, out);
    }
    if command == "margay test" {
        table(&differences, &["test", "model", "expected", "found"], out);
    }
    let answers = list(of, "answers");
    table(
        &answers,
        &["mapping", "source", "target", "level", "verdict", "status", "bound", "axiom"],
        out,
    );
    table(&list(of, "axioms"), &["axiom", "verdict", "bound"], out);
    let questions = list(of, "questions");
    table(&questions, &["kind", "allowed_by", "verdict", "events", "established"], out);
    let of_questions = questions.iter().flat_map(|q| list(q, "differences"));
    let examples: Vec<&MarkdownObject> = list(of, "counterexamples")
        .into_iter()
        .chain(of_questions)
        .chain(list(of, "repairs"))
        .collect();
    for example in examples.iter().take(EXAMPLES) {
        let violated = example
            .get("violated")
            .and_then(Value::as_array)
            .map(|a| strings(a).join(", "))
            .unwrap_or_default();
        let title = text(example, "summary").or(text(example, "outcome")).unwrap_or("program");
        let title = match text(example, "status") {
            Some(status) => format!("{status}: {title}"),
            None => title.to_owned(),
        };
        let title = if violated.is_empty() { title } else { format!("{violated}: {title}") };
        let _ = write!(out, "\n<details><summary>{}</summary>\n\n", escape(&title));
        for key in ["source_litmus", "target_litmus", "litmus"] {
            match example.get(key) {
                Some(Value::String(litmus)) => code(litmus, out),
                Some(Value::Array(several)) => {
                    strings(several).into_iter().for_each(|litmus| code(litmus, out))
                }
                _ => {}
            }
        }
        // What in the texts of two models makes the difference.
        for reason in list(example, "reasons").iter().filter_map(|r| text(r, "words")) {
            let _ = writeln!(out, "\n{}\n", inline(reason));
        }
        let words = example.get("explanation").and_then(Value::as_array);
        let lines: Vec<&str> = words.into_iter().flat_map(|a| strings(a)).collect();
        if !lines.is_empty() {
            code(&lines.join("\n"), out);
        }
        out.push_str("\n</details>\n");
    }
    if examples.len() > EXAMPLES {
        let _ = writeln!(out, "\n{} more.", examples.len() - EXAMPLES);
    }
    errors(of, out);
}

/// The first line of each kernel's answer, what goes wrong in it, and where.
fn kernels(of: &MarkdownObject, out: &mut String) {
    let all = list(of, "kernels");
    if let Some(file) = text(of, "file") {
        let _ = writeln!(out, "\nOf {}:\n", inline(file));
    }
    for kernel in all.iter().take(ROWS) {
        let _ = writeln!(out, "- {}", inline(text(kernel, "answer").unwrap_or_default()));
        for finding in list(kernel, "launches").iter().flat_map(|launch| list(launch, "findings")) {
            let place = |thread: &&MarkdownObject| {
                let at = thread.get("at").and_then(Value::as_object)?;
                let instruction = inline(text(at, "instruction")?);
                Some(match (text(at, "file"), at.get("line").and_then(Value::as_u64)) {
                    (Some(file), Some(line)) => format!("{}:{line}, {instruction}", inline(file)),
                    _ => {
                        format!("line {} of the PTX, {instruction}", at.get("ptx_line").map(short)?)
                    }
                })
            };
            let places: Vec<String> = list(finding, "threads").iter().filter_map(place).collect();
            let words = text(finding, "words").or(text(finding, "kind")).unwrap_or_default();
            let _ = writeln!(out, "  - {}: {}", inline(words), places.join("; "));
        }
    }
    if all.len() > ROWS {
        let _ = writeln!(out, "\n{} more.", all.len() - ROWS);
    }
}

fn many(documents: &[MarkdownObject], out: &mut String) {
    let look: Vec<&MarkdownObject> = documents.iter().filter(|d| needs_look(d)).collect();
    let _ = writeln!(out, "{} answers, {} to look at", documents.len(), look.len());
    table(
        &look,
        &["name", "file", "model", "holds", "reachable", "bounded", "verdict", "reason"],
        out,
    );
    documents.iter().for_each(|d| errors(d, out));
}

fn needs_look(of: &MarkdownObject) -> bool {
    let outcomes = list(of, "outcomes");
    is_bad(of)
        || of.get("reason").is_some_and(Value::is_string)
        || of.contains_key("errors")
        // Not found within the turns of loops that were looked at: that is no answer.
        || of.get("bounded") == Some(&Value::Bool(true))
        || outcomes.iter().any(|o| is_bad(o))
}

/// The columns that there are; empty tables are none.
fn table(rows: &[&MarkdownObject], columns: &[&str], out: &mut String) {
    let columns: Vec<&&str> =
        columns.iter().filter(|c| rows.iter().any(|r| r.contains_key(**c))).collect();
    if rows.is_empty() || columns.is_empty() {
        return;
    }
    let cells = |cell: &dyn Fn(&str) -> String| {
        columns.iter().map(|c| cell(c)).collect::<Vec<_>>().join(" | ")
    };
    let _ = write!(
        out,
        "\n| {} |\n| {} |\n",
        cells(&|c| c.replace('_', " ")),
        cells(&|_| "---".to_owned())
    );
    for row in rows.iter().take(ROWS) {
        let _ =
            writeln!(out, "| {} |", cells(&|c| inline(&row.get(c).map(short).unwrap_or_default())));
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "\n{} more.", rows.len() - ROWS);
    }
}

fn errors(of: &MarkdownObject, out: &mut String) {
    for error in list(of, "errors").iter().take(ROWS) {
        let place = list(error, "labels").first().and_then(|label| {
            Some(format!(
                "{}:{}:{}: ",
                text(label, "file")?,
                label.get("line").map(short)?,
                label.get("column").map(short)?
            ))
        });
        let said =
            format!("{}{}", place.unwrap_or_default(), text(error, "message").unwrap_or_default());
        let _ = writeln!(out, "\n- error: {}", inline(&said));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(inline("a|b\n<b>*x* @user"), "a\\|b &lt;b&gt;\\*x\\* \\@user");
        let mut out = String::new();
        code("```\nx\n````", &mut out);
        assert!(out.starts_with("`````\n") && out.ends_with("`````\n"), "{out}");
    }
}
