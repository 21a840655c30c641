//! Diagnostics for people (the quoted line, what is wrong in it, what to do) and for programs.

use std::borrow::Cow;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use margay_models::diagnostic::{Diagnostic, Label, Severity, Span};

use crate::table::counted;
use crate::terminal::printable;

/// The longest line of a text that is quoted whole, in characters.
const LINE: usize = 200;

/// How much of a longer one is quoted before the place and from there on.
const AROUND: (usize, usize) = (60, 120);

/// The longest message, label or advice, in bytes; some quote what they are about.
const WORDS: usize = 1200;

/// So many are said of one input. Who has more has another mistake, of which they all come.
const MOST: usize = 50;

/// Prints diagnostics on standard error: the first ones, and how many others there are.
pub fn print(found: &[Diagnostic], colour: bool, width: usize) {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(width);
    let mut err = io::stderr().lock();
    for diagnostic in shown(found).iter() {
        // Nothing can be done if standard error is closed.
        let _ = writeln!(err, "{}\n", printable(&render(diagnostic, &renderer), colour));
    }
}

/// Those that are said, and behind them how many others there are.
pub fn shown(found: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    let Some((first, others)) = found.split_at_checked(MOST).filter(|(_, others)| others.len() > 1)
    else {
        return Cow::Borrowed(found);
    };
    let errors = others.iter().filter(|d| d.severity == Severity::Error).count();
    let (what, severity) = match (errors, others.len() - errors) {
        (0, warnings) => {
            (counted(warnings as u64, "more warning", "more warnings"), Severity::Warning)
        }
        (errors, 0) => (counted(errors as u64, "more error", "more errors"), Severity::Error),
        (errors, warnings) => {
            let [errors, warnings] =
                [(errors, "more error", "more errors"), (warnings, "warning", "warnings")]
                    .map(|(count, one, more)| counted(count as u64, one, more));
            (format!("{errors} and {warnings}"), Severity::Error)
        }
    };
    let rest = Diagnostic {
        severity,
        ..Diagnostic::error(format!("{what} of this kind of input, which are not shown"))
    };
    Cow::Owned(
        first.iter().cloned().chain([rest.help("mend the first ones, and ask again")]).collect(),
    )
}

fn render(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let words = |text: &str| shortened(&printable(text, false));
    let message = words(&diagnostic.message);
    let mut group = level
        .primary_title(message.as_str())
        .elements(Vec::<annotate_snippets::Message<'_>>::new());
    // One snippet for each file, in the order of the labels.
    let mut files: Vec<&std::sync::Arc<margay_models::diagnostic::SourceFile>> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&&label.file) {
            files.push(&label.file);
        }
    }
    for file in files {
        let labels: Vec<(usize, &Label)> =
            diagnostic.labels.iter().enumerate().filter(|(_, l)| l.file == *file).collect();
        let excerpt =
            Excerpt::of(&file.text, &labels.iter().map(|(_, l)| l.span).collect::<Vec<_>>());
        let mut snippet = Snippet::source(excerpt.text).path(words(&file.name));
        for ((i, label), span) in labels.into_iter().zip(excerpt.spans) {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            snippet = snippet.annotation(kind.span(span.start..span.end).label(words(&label.text)));
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(words(help)));
    }
    renderer.render(&[group]).to_string()
}

/// The beginning and the end of what is too long to be read.
fn shortened(text: &str) -> String {
    if text.len() <= WORDS {
        return text.to_owned();
    }
    let (head, tail) =
        (boundary_before(text, WORDS * 2 / 3), boundary_after(text, text.len() - WORDS / 3));
    format!("{} … {}", &text[..head], &text[tail..])
}

/// Where the character begins that the byte is of.
fn boundary_before(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

/// Where the next character begins, if none begins at the byte.
fn boundary_after(text: &str, byte: usize) -> usize {
    (byte..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// A text as it is quoted: of a long line only what is around the places, and nothing that a
/// terminal would obey.
struct Excerpt {
    text: String,
    /// The places, in its bytes.
    spans: Vec<Span>,
}

impl Excerpt {
    fn of(text: &str, spans: &[Span]) -> Self {
        // Of a file's last line break there is nothing to show: its line is the last one.
        let text =
            text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        let whole = |s: &Span| {
            Span::new(
                boundary_before(text, s.start),
                boundary_after(text, s.end.max(s.start).min(text.len())),
            )
        };
        let spans: Vec<Span> = spans.iter().map(whole).collect();
        // The ends of all places, to be followed through the text.
        let mut ends: Vec<usize> = spans.iter().flat_map(|s| [s.start, s.end]).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut moved: Vec<usize> = Vec::with_capacity(ends.len());
        let mut out = String::with_capacity(text.len().min(1 << 16));
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let kept = kept(
                line,
                ends.iter().filter_map(|&end| end.checked_sub(start)).find(|&at| at < line.len()),
            );
            for (at, c) in line.char_indices() {
                if (at == kept.start && at > 0) || (at == kept.end && c != '\n') {
                    out.push('…');
                }
                while ends.get(moved.len()).is_some_and(|&end| end <= start + at) {
                    moved.push(out.len());
                }
                if c == '\r' && line[at..] == *"\r\n" {
                    // It is a part of the line's end.
                } else if kept.contains(&at) || c == '\n' {
                    out.push_str(&printable(c.encode_utf8(&mut [0; 4]), false));
                }
            }
            start += line.len();
        }
        moved.resize(ends.len(), out.len());
        // A last line without anything is shown only if it has something.
        if out.is_empty() || out.ends_with('\n') {
            out.push(' ');
        }
        let to =
            |offset: usize| ends.binary_search(&offset).map_or(out.len(), |place| moved[place]);
        let spans =
            spans.iter().map(|s| Span::new(to(s.start), to(s.end).max(to(s.start)))).collect();
        Self { text: out, spans }
    }
}

/// The bytes of a line that are quoted, where its first place is at `place`.
fn kept(line: &str, place: Option<usize>) -> std::ops::Range<usize> {
    if line.len() <= LINE || line.chars().count() <= LINE {
        return 0..line.len();
    }
    let place = place.unwrap_or(0);
    let (before, after) = line.split_at(boundary_before(line, place));
    let start =
        before.char_indices().rev().take(AROUND.0).last().map_or(before.len(), |(at, _)| at);
    let end = after.char_indices().nth(AROUND.1).map_or(line.len(), |(at, _)| before.len() + at);
    start..end
}

#[cfg(test)]
mod tests {
    use annotate_snippets::Renderer;
    use margay_models::diagnostic::{Diagnostic, SourceFile, Span};

    use super::{Excerpt, render, shortened};

    fn shown(text: &str, spans: &[(usize, usize)]) -> (String, Vec<String>) {
        let spans: Vec<Span> = spans.iter().map(|&(a, b)| Span::new(a, b)).collect();
        let excerpt = Excerpt::of(text, &spans);
        let of = |s: &Span| excerpt.text[s.start..s.end].to_owned();
        let parts = excerpt.spans.iter().map(of).collect();
        (excerpt.text, parts)
    }

    #[test]
    fn what_is_short_is_quoted_whole() {
        let text = "one\n  two three\nfour";
        assert_eq!(
            shown(text, &[(6, 9), (10, 15)]),
            (text.to_owned(), vec!["two".to_owned(), "three".to_owned()])
        );
        assert_eq!(shown(text, &[(text.len(), text.len() + 5)]).1, [""]);
        // Within a character: the whole of it.
        assert_eq!(shown("aéb", &[(2, 2), (1, 2)]).1, ["é", "é"]);
        assert_eq!(shown("", &[(0, 1)]).1, [""]);
    }

    #[test]
    fn of_a_long_line_what_is_around_the_place_is_quoted() {
        let text = format!("first\n{}HERE{}\nlast\n", "é".repeat(50_000), "b".repeat(50_000));
        let at = text.find("HERE").expect("it is there");
        let (quoted, parts) = shown(&text, &[(at, at + 4)]);
        assert_eq!(parts, ["HERE"]);
        assert!(
            quoted.len() < 400 && quoted.starts_with("first\n…é") && quoted.ends_with("b…\nlast"),
            "{quoted}"
        );
        // A place beyond what is quoted is at its end.
        let (_, parts) = shown(&text, &[(at, at + 40_000), (at, at + 4), (6, 8)]);
        assert_eq!(parts.len(), 3);
        let (quoted, parts) = shown(&"x".repeat(100_000), &[(0, 100_000)]);
        assert!(quoted.len() < 200 && parts[0].len() > 100, "{quoted}");
    }

    #[test]
    fn nothing_in_a_text_is_obeyed() {
        let evil = "a\x1b[2Jb\u{9b}c\r\u{202e}d";
        let (quoted, parts) = shown(
            evil,
            &[(evil.find('b').expect("it is there"), evil.find('c').expect("it is there"))],
        );
        assert_eq!(parts, ["b\u{fffd}"]);
        assert!(!quoted.contains(['\x1b', '\u{9b}', '\r', '\u{202e}']), "{quoted:?}");
        let file = SourceFile::new(evil, evil);
        let error = Diagnostic::error(evil).at(&file, Span::new(0, 1), evil).help(evil);
        let said = render(&error, &Renderer::plain());
        assert!(!said.contains(['\x1b', '\u{9b}', '\r', '\u{202e}']), "{said:?}");
    }

    #[test]
    fn no_message_fills_the_screen() {
        let long = "w".repeat(100_000);
        let file = SourceFile::new(long.clone(), long.clone());
        let error = Diagnostic::error(long.clone())
            .at(&file, Span::new(500, 99_000), long.clone())
            .help(long.clone());
        assert!(render(&error, &Renderer::plain()).len() < 8_000);
        assert_eq!(shortened("short"), "short");
        assert!(shortened(&"é".repeat(5_000)).len() < 1_300);
    }
}
