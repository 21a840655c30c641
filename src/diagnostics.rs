//! Diagnostics for people (the quoted line, what is wrong in it, what to do) and for programs.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use margay_models::diagnostic::{Diagnostic, Severity};

/// Prints diagnostics on standard error.
pub fn print(found: &[Diagnostic], colour: bool, width: usize) {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(width);
    let mut err = io::stderr().lock();
    for diagnostic in found {
        // Nothing can be done if standard error is closed.
        let _ = writeln!(err, "{}\n", render(diagnostic, &renderer));
    }
}

fn render(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = printable(&diagnostic.message);
    let mut group = level.primary_title(message.as_str()).elements(Vec::<annotate_snippets::Message<'_>>::new());
    // One snippet for each file, in the order of the labels.
    let mut files: Vec<&std::sync::Arc<margay_models::diagnostic::SourceFile>> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&&label.file) {
            files.push(&label.file);
        }
    }
    for file in files {
        let mut snippet = Snippet::source(file.text.as_str()).path(file.name.as_str());
        for (i, label) in diagnostic.labels.iter().enumerate().filter(|(_, l)| l.file == *file) {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let end = label.span.end.min(file.text.len());
            let start = label.span.start.min(end);
            snippet = snippet.annotation(kind.span(start..end).label(label.text.as_str()));
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group]).to_string()
}

/// Control characters made visible, so that a binary file cannot move the cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Diagnostics as JSON: file, line and column (from 1) of each label.
pub fn json(found: &[Diagnostic]) -> serde_json::Value {
    let one = |d: &Diagnostic| {
        let labels: Vec<serde_json::Value> = d
            .labels
            .iter()
            .map(|l| {
                let (line, column) = l.file.position(l.span.start);
                serde_json::json!({ "file": l.file.name, "line": line, "column": column, "text": l.text })
            })
            .collect();
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        serde_json::json!({ "severity": severity, "message": d.message, "labels": labels, "help": d.help })
    };
    found.iter().map(one).collect()
}
