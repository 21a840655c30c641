//! Words, numbers, strings and single punctuation characters with their places. Operators of two
//! characters are put together by the cursor, because `||` is two column separators in a table and
//! one operator in C.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::text::nested_comment;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number; its absolute value.
    Integer(u64),
    /// A text in quotation marks.
    Text,
    /// Any other character.
    Punctuation(char),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LitmusToken {
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// The tokens of `text[from..]`. In C, `(*` starts a comment only outside of braces (it
/// dereferences inside).
pub(super) fn tokens(
    file: &Arc<SourceFile>,
    from: usize,
    c: bool,
) -> Result<Vec<LitmusToken>, Diagnostic> {
    let text = &file.text;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut i = from;
    while let Some(character) = text.get(i..).and_then(|rest| rest.chars().next()) {
        let rest = &bytes[i..];
        if character.is_whitespace() {
            i += character.len_utf8();
        } else if rest.starts_with(b"//") {
            i += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let never = || {
                Diagnostic::error("this comment is never closed")
                    .at(file, Span::new(i, i + 2), "opened here")
                    .help("close it with `*/`")
            };
            i += text[i + 2..].find("*/").map(|end| end + 4).ok_or_else(never)?;
        } else if rest.starts_with(b"(*") && (!c || depth == 0) {
            i += nested_comment(file, i)?;
        } else if character == '"' {
            let Some(length) = text[i + 1..].find('"') else {
                return Err(Diagnostic::error("a text without its closing quotation mark").at(
                    file,
                    Span::new(i, i + 1),
                    "it starts here",
                ));
            };
            found.push(LitmusToken { kind: TokenKind::Text, span: Span::new(i, i + length + 2) });
            i += length + 2;
        } else if is_word(character) || character == '%' && !c {
            let length =
                text[i..].find(|w| !is_word(w) && (w != '%' || c)).unwrap_or(text.len() - i);
            let span = Span::new(i, i + length);
            found.push(LitmusToken { kind: word(file, span)?, span });
            i += length;
        } else {
            depth = match character {
                '{' => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            let span = Span::new(i, i + character.len_utf8());
            found.push(LitmusToken { kind: TokenKind::Punctuation(character), span });
            i = span.end;
        }
    }
    Ok(found)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// A number if it starts like one and is one; names of PTX may start with a digit after a point
/// (`.2d`).
fn word(file: &Arc<SourceFile>, span: Span) -> Result<TokenKind, Diagnostic> {
    let text = &file.text[span.start..span.end];
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Ok(TokenKind::Word);
    }
    match u64::from_str_radix(digits, radix) {
        Ok(n) => Ok(TokenKind::Integer(n)),
        Err(_) => {
            Err(Diagnostic::error("the number is too large").at(file, span, "more than 64 bits"))
        }
    }
}
