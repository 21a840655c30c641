//! What the texts of mappings and of architectures have alike: blanks, comments (`//`, `#`, `(* *)`) and quoted strings.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, Span};

/// How many bytes the blank or comment at a place has, which is not the end of a line; 0 where there is none. Editors may begin a file
/// with a byte order mark.
///
/// # Errors
/// A comment that is never closed.
pub fn blank(file: &Arc<SourceFile>, at: usize) -> Result<usize, Diagnostic> {
    let rest = &file.text[at..];
    let Some(c) = rest.chars().next() else { return Ok(0) };
    if c.is_whitespace() || c == '\u{feff}' && at == 0 {
        return Ok(c.len_utf8());
    }
    if rest.starts_with("//") || c == '#' {
        return Ok(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("(*") {
        return Ok(0);
    }
    let never = || {
        let error = Diagnostic::error("this comment is never closed");
        error.at(file, Span::new(at, at + 2), "opened here").help("close it with `*)`")
    };
    rest.find("*)").map(|end| end + 2).ok_or_else(never)
}

/// The string that is opened by the quotation mark at a place, without its quotation marks.
///
/// # Errors
/// It is not closed on its line.
pub fn quoted(file: &Arc<SourceFile>, at: usize) -> Result<&str, Diagnostic> {
    let rest = &file.text[at + 1..];
    let never = || {
        let error = Diagnostic::error("this string is never closed");
        error.at(file, Span::new(at, at + 1), "opened here").help("close it with `\"` on the same line")
    };
    rest.find(['"', '\n']).filter(|&end| rest.as_bytes()[end] == b'"').map(|end| &rest[..end]).ok_or_else(never)
}
