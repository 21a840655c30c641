//! Answers to many questions as a matrix: a row for each mapping, a column for each pair of models
//! and what was asked of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use margay_models::picture::escape;
use serde_json::{Map, Value};

use super::input::Section;
use super::look::class;

type MatrixObject = Map<String, Value>;

/// What rows can be chosen by: a verdict, which is the class of its cells in the style sheet, and
/// how the choice is called. The style sheet alone hides the others, so it works without
/// JavaScript.
const CHOICES: [(&str, &str); 5] = [
    ("counterexample", "a counterexample"),
    ("open", "an open question"),
    ("undecided", "an undecided question"),
    ("theorem", "a theorem"),
    ("none", "none up to a bound"),
];

/// The matrix of all answers about mappings on the page; nothing if there are none.
pub(crate) fn matrix(sections: &[Section]) -> String {
    let answers: Vec<&MatrixObject> = sections
        .iter()
        .flat_map(|section| &section.documents)
        .filter_map(|document| document.get("answers")?.as_array())
        .flatten()
        .filter_map(Value::as_object)
        .filter(|answer| {
            ["mapping", "source", "target", "verdict"].iter().all(|key| text(answer, key).is_some())
        })
        .collect();
    if answers.is_empty() {
        return String::new();
    }
    let (mut columns, mut rows): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut cells: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for answer in &answers {
        let mapping = text(answer, "mapping").unwrap_or_default();
        let row = place(&mut rows, mapping);
        let column = place(&mut columns, column(answer));
        cells.entry((row, column)).or_default().push(cell(answer));
    }
    let mut out = String::from("<section class=\"matrix\">\n<h2>All answers</h2>\n");
    out.push_str(&choice(&answers));
    out.push_str("<div class=\"wide\"><table><thead><tr>");
    for head in std::iter::once("mapping").chain(columns.iter().map(String::as_str)) {
        // Browsers would break the line within a model's name, at its hyphen.
        let _ = write!(
            out,
            "<th scope=\"col\"><button>{}</button></th>",
            escape(head).replace(" → ", " →\n")
        );
    }
    out.push_str("</tr></thead>");
    for (r, mapping) in rows.iter().enumerate() {
        let _ =
            write!(out, "<tbody class=\"entry\"><tr><th scope=\"row\">{}</th>", escape(mapping));
        for (c, head) in columns.iter().enumerate() {
            let found = cells.get(&(r, c)).map_or_else(|| "–".to_owned(), |all| all.join("<br>"));
            let _ = write!(out, "<td data-label=\"{}\"><span>{found}</span></td>", escape(head));
        }
        out.push_str("</tr></tbody>");
    }
    out.push_str("</table></div>\n</section>\n");
    out
}

/// The choice among rows, by the verdicts that there are; nothing if all are the same.
fn choice(answers: &[&MatrixObject]) -> String {
    let is_there =
        |verdict: &str| answers.iter().any(|answer| text(answer, "verdict") == Some(verdict));
    let there: Vec<_> = CHOICES.iter().filter(|(verdict, _)| is_there(verdict)).collect();
    if there.len() < 2 {
        return String::new();
    }
    let mut out = String::from(
        "<fieldset class=\"choice\"><legend>Mappings with</legend><label><input type=\"radio\" name=\"rows\" value=\"all\" checked> \
         any answer</label>",
    );
    for (verdict, called) in there {
        let _ = write!(
            out,
            " <label><input type=\"radio\" name=\"rows\" value=\"{verdict}\"> {called}</label>"
        );
    }
    out + "</fieldset>\n"
}

/// The place of a value in a list, to which it is added if it is new.
fn place<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter().position(|v| *v == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

fn text<'a>(of: &'a MatrixObject, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str)
}

/// What was asked: the models, and whether about programs, executions, or all sizes (a proof says
/// no level).
fn column(answer: &MatrixObject) -> String {
    let of = |key| text(answer, key).unwrap_or_default();
    format!(
        "{} → {}, {}",
        of("source"),
        of("target"),
        text(answer, "level").map_or("proof".to_owned(), |level| format!("{level}s"))
    )
}

/// One answer: *theorem*, *counterexample at n* with what follows from it, *none up to n*, or why
/// there is none.
fn cell(answer: &MatrixObject) -> String {
    let number = |key: &str| answer.get(key).and_then(Value::as_u64);
    let verdict = text(answer, "verdict").unwrap_or_default();
    let (words, tone) = match (verdict, number("events"), number("bound"), text(answer, "answer")) {
        ("theorem", ..) => ("theorem".to_owned(), "good"),
        ("counterexample", Some(n), ..) => {
            let status = answer.get("status").unwrap_or(&Value::Null);
            let follows = match text(answer, "status") {
                Some("program") => ", compiler bug".to_owned(),
                Some(other) => format!(", {other}"),
                None => String::new(),
            };
            let axiom = text(answer, "axiom").map_or(String::new(), |a| format!(" ({a})"));
            let tone = if status.is_null() { "bad" } else { class("status", status) };
            (format!("counterexample at {n}{follows}{axiom}"), tone)
        }
        ("none", _, Some(n), _) => (format!("none up to {n}"), "good"),
        (_, _, _, Some(answer)) => {
            (answer.to_owned(), if verdict == "counterexample" { "bad" } else { "unsure" })
        }
        (_, _, Some(n), _) => (format!("{verdict}, none up to {n}"), "unsure"),
        _ => (verdict.to_owned(), "unsure"),
    };
    format!("<span class=\"{tone} {}\">{}</span>", escape(verdict), escape(&words))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_choice_hides_the_other_rows_by_style_alone() {
        let style = include_str!("page.css");
        for (verdict, _) in CHOICES {
            let rule = format!(
                ".matrix:has([value=\"{verdict}\"]:checked) tbody.entry:not(:has(.{verdict}))"
            );
            assert!(style.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn checks_and_proofs_stand_in_one_row() {
        let section = |value: Value| Section {
            command: "margay check".to_owned(),
            file: "a.json".to_owned(),
            documents: vec![value.as_object().expect("an object").clone()],
        };
        let of = |mapping: &str, more: Value| {
            let mut answer = json!({ "mapping": mapping, "source": "s", "target": "t" });
            answer
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            answer
        };
        let checked = section(json!({ "answers": [
            of("A<", json!({ "level": "program", "verdict": "none", "bound": 5 })),
            of("B", json!({ "level": "program", "verdict": "counterexample", "events": 4, "status": "program", "axiom": "SC" })),
        ] }));
        let proved = section(json!({ "answers": [
            of("A<", json!({ "verdict": "theorem", "answer": "theorem" })),
            of("B", json!({ "verdict": "open", "answer": "open, none up to 3" })),
        ] }));
        let html = matrix(&[checked, proved]);
        for expected in [
            "<button>s →\nt, programs</button>",
            "<button>s →\nt, proof</button>",
            "<th scope=\"row\">A&lt;</th><td data-label=\"s → t, programs\"><span><span class=\"good none\">none up to 5</span></span></td>\
             <td data-label=\"s → t, proof\"><span><span class=\"good theorem\">theorem</span></span></td>",
            "<span class=\"bad counterexample\">counterexample at 4, compiler bug (SC)</span>",
            "<span class=\"unsure open\">open, none up to 3</span>",
            "<input type=\"radio\" name=\"rows\" value=\"counterexample\"> a counterexample</label>",
        ] {
            assert!(html.contains(expected), "{expected}\n{html}");
        }
        assert_eq!(html.matches("<tbody").count(), 2);
        assert_eq!(
            html.matches("type=\"radio\"").count(),
            5,
            "any answer, and the four that there are"
        );
        let alike =
            section(json!({ "answers": [of("A", json!({ "verdict": "none", "bound": 5 }))] }));
        assert!(!matrix(&[alike]).contains("radio"), "there is nothing to choose");
        assert!(matrix(&[section(json!({ "passed": 1 }))]).is_empty());
    }
}
