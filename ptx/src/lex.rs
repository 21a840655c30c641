//! The tokens of PTX (PTX ISA 4.1 to 4.5).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PtxToken<'t> {
    /// A name; with `%`, `$` or `_` in front where it has one.
    Word(&'t str),
    /// `.name`, without the point.
    Dot(&'t str),
    Integer(u64),
    /// A floating-point number: its bits, and how many.
    Float(u64, u16),
    /// A text in quotation marks, without them.
    Text(&'t str),
    /// Anything else.
    Sign(char),
    /// Behind the last token.
    End,
}

/// A token and the bytes it stands at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'t> {
    pub token: PtxToken<'t>,
    pub start: usize,
    pub end: usize,
}

/// Why there are no tokens: a message and a place.
pub(crate) type ReadFailure = (String, usize, usize);

/// The tokens of a text, with [`PtxToken::End`] at the end.
pub(crate) fn tokens(text: &str) -> Result<Vec<At<'_>>, ReadFailure> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len() / 4 + 1);
    // Some editors put a mark of the byte order in front.
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < bytes.len() {
        let start = at;
        let token = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => match text[at + 2..].find("*/") {
                Some(n) => {
                    at += n + 4;
                    continue;
                }
                None => {
                    return Err((
                        "this comment is never closed; expected `*/`".to_owned(),
                        at,
                        at + 2,
                    ));
                }
            },
            // A line of a preprocessor: `#line 1 "a.cu"`.
            b'#' => {
                at = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'"' => {
                let end = bytes[at + 1..]
                    .iter()
                    .position(|&b| b == b'"' || b == b'\n')
                    .map(|n| at + 1 + n);
                match end.filter(|&end| bytes[end] == b'"') {
                    Some(end) => {
                        at = end + 1;
                        PtxToken::Text(&text[start + 1..end])
                    }
                    None => {
                        return Err((
                            "this text is never closed; expected `\"` on the same line".to_owned(),
                            start,
                            start + 1,
                        ));
                    }
                }
            }
            b'.' if bytes.get(at + 1).is_some_and(|&b| is_name(b)) => {
                at += 1;
                while at < bytes.len()
                    && (is_name(bytes[at]) || bytes[at] == b':' && is_inside(bytes, at))
                {
                    at += 1;
                }
                PtxToken::Dot(&text[start + 1..at])
            }
            b if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'%') => {
                at += 1;
                while at < bytes.len() && is_name(bytes[at]) {
                    at += 1;
                }
                PtxToken::Word(&text[start..at])
            }
            b if b.is_ascii_digit() => {
                let (token, end) = number(text, at)?;
                at = end;
                token
            }
            0 => {
                return Err((
                    "a zero byte: this is binary data, and no PTX".to_owned(),
                    at,
                    at + 1,
                ));
            }
            _ => {
                let sign = text[at..].chars().next().unwrap_or(' ');
                at += sign.len_utf8();
                PtxToken::Sign(sign)
            }
        };
        found.push(At { token, start, end: at });
    }
    found.push(At { token: PtxToken::End, start: bytes.len(), end: bytes.len() });
    Ok(found)
}

/// The text with a space in place of each byte of its comments, so that every other byte stays
/// where it is: for those who look for words in it.
pub fn blank_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut blank = bytes.to_vec();
    let find = |from: usize, what: &str| {
        text.get(from..).and_then(|rest| rest.find(what)).map(|n| from + n)
    };
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => find(at, "\n").unwrap_or(bytes.len()),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                find(at + 2, "*/").map_or(bytes.len(), |n| n + 2)
            }
            b'#' => find(at, "\n").unwrap_or(bytes.len()),
            // What looks like a comment in a text is none.
            b'"' => {
                at = find(at + 1, "\"").map_or(bytes.len(), |n| n + 1);
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        blank[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        at = end;
    }
    String::from_utf8(blank).unwrap_or_else(|_| text.to_owned())
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')
}

/// Is the colon one of `::` within a qualifier, `.shared::cta`?
fn is_inside(bytes: &[u8], at: usize) -> bool {
    let double = bytes.get(at + 1) == Some(&b':') && bytes.get(at + 2).is_some_and(|&b| is_name(b));
    double || bytes[at - 1] == b':' && bytes.get(at + 1).is_some_and(|&b| is_name(b))
}

fn number(text: &str, start: usize) -> Result<(PtxToken<'_>, usize), ReadFailure> {
    let bytes = text.as_bytes();
    let run = |from: usize, is: fn(u8) -> bool| {
        let mut at = from;
        while at < bytes.len() && is(bytes[at]) {
            at += 1;
        }
        at
    };
    let unsigned = |end: usize| if matches!(bytes.get(end), Some(b'U')) { end + 1 } else { end };
    let integer = |digits: &str, base: u32, end: usize| match u64::from_str_radix(digits, base) {
        Ok(n) => Ok((PtxToken::Integer(n), unsigned(end))),
        Err(_) => Err((format!("`{}` is no number of 64 bits", &text[start..end]), start, end)),
    };
    if bytes[start] == b'0' {
        match bytes.get(start + 1) {
            Some(b'x' | b'X') => {
                let end = run(start + 2, |b| b.is_ascii_hexdigit());
                return integer(&text[start + 2..end], 16, end);
            }
            Some(b'b' | b'B') => {
                let end = run(start + 2, |b| b.is_ascii_digit());
                return integer(&text[start + 2..end], 2, end);
            }
            Some(&sign @ (b'f' | b'F' | b'd' | b'D')) => {
                let (digits, bits) =
                    if sign.eq_ignore_ascii_case(&b'f') { (8, 32) } else { (16, 64) };
                let end = run(start + 2, |b| b.is_ascii_hexdigit());
                return match u64::from_str_radix(&text[start + 2..end], 16) {
                    Ok(n) if end == start + 2 + digits => Ok((PtxToken::Float(n, bits), end)),
                    _ => Err((
                        format!("expected {digits} hexadecimal digits in `{}`", &text[start..end]),
                        start,
                        end.max(start + 2),
                    )),
                };
            }
            _ => {}
        }
    }
    let end = run(start, |b| b.is_ascii_digit());
    let fraction =
        bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    if fraction {
        let mut end = run(end + 1, |b| b.is_ascii_digit());
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = run(end + 1 + sign, |b| b.is_ascii_digit());
            end = if exponent > end + 1 + sign { exponent } else { end };
        }
        let value: f64 = text[start..end].parse().unwrap_or(0.0);
        return Ok((PtxToken::Float(value.to_bits(), 64), end));
    }
    let digits = &text[start..end];
    if digits.len() > 1 && digits.starts_with('0') {
        return integer(digits, 8, end);
    }
    integer(digits, 10, end)
}
