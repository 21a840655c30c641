//! The text of a mapping as tokens. Comments are `//`, `#` and `(* *)`.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::text::{blank, quoted};

/// A token: a word, a quoted string, or one of `=>`, `;`, `[`, `]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingToken {
    Word(String),
    /// A quoted string, without its quotes.
    Quoted(String),
    /// `=>`.
    Arrow,
    /// `;`.
    Semicolon,
    /// `[`.
    Open,
    /// `]`.
    Close,
    /// The end of a line.
    Newline,
}

/// Cuts a text into tokens.
pub fn tokens(file: &Arc<SourceFile>) -> Result<Vec<(MappingToken, Span)>, Diagnostic> {
    let text = &file.text;
    let bytes = text.as_bytes();
    let mut out: Vec<(MappingToken, Span)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let c = rest.chars().next().unwrap_or('\0');
        let span = |len: usize| Span::new(at, at + len);
        if c == '\n' {
            out.push((MappingToken::Newline, span(1)));
            at += 1;
        } else if let length @ 1.. = blank(file, at)? {
            at += length;
        } else if rest.starts_with("=>") {
            out.push((MappingToken::Arrow, span(2)));
            at += 2;
        } else if c == ';' {
            out.push((MappingToken::Semicolon, span(1)));
            at += 1;
        } else if c == '[' || c == ']' {
            out.push((if c == '[' { MappingToken::Open } else { MappingToken::Close }, span(1)));
            at += 1;
        } else if c == '"' {
            let string = quoted(file, at)?;
            out.push((MappingToken::Quoted(string.to_owned()), span(string.len() + 2)));
            at += string.len() + 2;
        } else if c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-') {
            let len = rest
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-')))
                .unwrap_or(rest.len());
            out.push((MappingToken::Word(rest[..len].to_owned()), span(len)));
            at += len;
        } else {
            return Err(Diagnostic::error(format!("unexpected character {c:?} in a mapping"))
                .at(file, span(c.len_utf8()), "here")
                .help("a mapping is a header line and rows like `R.ACQ.s => ld.acquire.s`; `;` is between instructions, `or` between alternatives"));
        }
    }
    Ok(out)
}
