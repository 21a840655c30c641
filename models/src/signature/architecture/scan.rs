//! The text of an architecture as lines of words and quoted strings. Comments are `//`, `#` and
//! `(* *)`.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::text::{blank, quoted};

/// A word of a statement, or a quoted string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScannedWord {
    Word(String),
    /// A string, without its quotation marks.
    Quoted(String),
}

pub(super) type ScannedLine = Vec<(ScannedWord, Span)>;

/// The lines of a text that say something, cut into words.
pub(super) fn lines(file: &Arc<SourceFile>) -> Result<Vec<ScannedLine>, Diagnostic> {
    let text = &file.text;
    let (mut out, mut line) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == '\n' {
            if !line.is_empty() {
                out.push(std::mem::take(&mut line));
            }
            at += 1;
        } else if let length @ 1.. = blank(file, at)? {
            at += length;
        } else if c == '"' {
            let string = quoted(file, at)?;
            let end = at + string.len() + 2;
            line.push((ScannedWord::Quoted(string.to_owned()), Span::new(at, end)));
            at = end;
        } else {
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '#');
            let mut len = rest.find(ends).unwrap_or(rest.len()).max(c.len_utf8());
            for comment in ["//", "(*"] {
                len = rest[..len].find(comment).filter(|&i| i > 0).unwrap_or(len);
            }
            line.push((ScannedWord::Word(rest[..len].to_owned()), Span::new(at, at + len)));
            at += len;
        }
    }
    if !line.is_empty() {
        out.push(line);
    }
    Ok(out)
}
