//! PTX text to tokens (PTX ISA 4.2 to 4.5). An instruction's name and its modifiers are one token, dots and all.

use super::BadPtx;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with what stands behind its dots: `ld.acquire.gpu.b32`, `%rd1`, `$L__BB0_2`, `%tid.x`.
    Word(String),
    /// A word that begins with a dot: `.reg`.
    Directive(String),
    /// A number.
    Number(u64),
    /// A number with a fraction: its bits, and how many.
    Float(u64, u32),
    /// A string.
    Text,
    /// Anything else, a character at a time.
    Sign(char),
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The token.
    pub token: Token,
    /// The line, from 1.
    pub line: usize,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Cuts a text into tokens; comments vanish.
pub(super) fn tokens(text: &str) -> Result<Vec<Place>, BadPtx> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let rest = &text[at..];
        let c = bytes[at];
        if c == b'\n' {
            line += 1;
            at += 1;
            continue;
        }
        if c.is_ascii_whitespace() || c == 0 {
            at += 1;
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else {
                return Err(BadPtx { line, message: "this comment is never closed".to_owned() });
            };
            line += rest[..end].matches('\n').count();
            at += end + 2;
            continue;
        }
        let (token, length) = token(rest, line)?;
        out.push(Place { token, line, start: at, end: at + length });
        line += rest[..length].matches('\n').count();
        at += length;
    }
    Ok(out)
}

/// The first token of a text that begins with neither space nor comment.
fn token(rest: &str, line: usize) -> Result<(Token, usize), BadPtx> {
    let first = rest.chars().next().unwrap_or(' ');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    if first == '"' {
        let end = rest[1..].find('"').ok_or_else(|| BadPtx { line, message: "this string is never closed".to_owned() })?;
        return Ok((Token::Text, end + 2));
    }
    if first.is_ascii_digit() {
        return number(rest, line);
    }
    let starts_name = is_name(first) || (first == '.' && rest[1..].starts_with(is_name));
    if !starts_name {
        return Ok((Token::Sign(first), first.len_utf8()));
    }
    let mut length = first.len_utf8();
    loop {
        let tail = &rest[length..];
        let dotted = |sign: &str| tail.strip_prefix(sign).is_some_and(|t| t.starts_with(is_name)).then_some(sign.len());
        length += match tail.chars().next() {
            Some(c) if is_name(c) => 1,
            Some('.') => match dotted(".") {
                Some(n) => n,
                None => break,
            },
            // `shared::cta`, `mbarrier::complete_tx::bytes`.
            Some(':') => match dotted("::") {
                Some(n) => n,
                None => break,
            },
            _ => break,
        };
    }
    let word = rest[..length].to_owned();
    Ok((if first == '.' { Token::Directive(word) } else { Token::Word(word) }, length))
}

/// A number: decimal, hexadecimal, octal, binary, or the bits of a fraction (`0f3F800000`, `0d...`); decimal fractions too.
fn number(rest: &str, line: usize) -> Result<(Token, usize), BadPtx> {
    let bad = |word: &str| BadPtx { line, message: format!("`{word}` is no number") };
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
    let mut length = length;
    // `1.0e-5`: the sign belongs to the number.
    let is_exponent = !rest.starts_with("0x") && !rest.starts_with("0f") && !rest.starts_with("0d");
    if is_exponent && rest[..length].ends_with(['e', 'E']) && rest[length..].starts_with(['-', '+']) {
        let tail = &rest[length + 1..];
        length += 1 + tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
    }
    let word = &rest[..length];
    let radix = |digits: &str, radix: u32| u64::from_str_radix(digits.trim_end_matches(['U', 'u']), radix).ok();
    let lower = word.to_ascii_lowercase();
    let token = match lower.get(..2) {
        Some("0x") => radix(&word[2..], 16).map(Token::Number),
        Some("0b") => radix(&word[2..], 2).map(Token::Number),
        Some("0f") => radix(&word[2..], 16).map(|bits| Token::Float(bits, 32)),
        Some("0d") => radix(&word[2..], 16).map(|bits| Token::Float(bits, 64)),
        _ if word.contains('.') => word.parse::<f64>().ok().map(|f| Token::Float(f.to_bits(), 64)),
        _ if word.len() > 1 && word.starts_with('0') => radix(&word[1..], 8).map(Token::Number),
        _ => radix(word, 10).map(Token::Number).or_else(|| word.parse::<f64>().ok().map(|f| Token::Float(f.to_bits(), 64))),
    };
    token.map(|token| (token, length)).ok_or_else(|| bad(word))
}
