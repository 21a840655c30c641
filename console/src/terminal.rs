//! What may be written to a terminal: names, titles and texts come from files and may hold
//! anything, among it sequences that move the cursor, hide what follows, or turn the direction of
//! writing.

use std::borrow::Cow;
use std::io::{self, Write};

use margay_models::text::is_obeyed;

/// The text with what a terminal would obey made visible as `\u{fffd}`; line breaks and tabs stay,
/// and, where `styles` is set, colours and weights.
pub fn printable(text: &str, styles: bool) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match style(rest).filter(|_| styles) {
            Some(length) => {
                out.push_str(&rest[..length]);
                length
            }
            None => {
                out.push(if is_obeyed(c) { char::REPLACEMENT_CHARACTER } else { c });
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// The same for JSON, where such characters stand in strings only and can be written by their
/// number.
pub fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_obeyed) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_obeyed(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The length of a style that the text begins with: colours and weights, none that hides what
/// follows.
fn style(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\x1b[")?;
    let end = codes.find('m')?;
    let shows = |code: &str| {
        matches!(code.parse::<u32>(), Ok(0..=4 | 22..=24 | 30..=37 | 39 | 90..=97))
            || code.is_empty()
    };
    codes[..end].split(';').all(shows).then_some(2 + end + 1)
}

/// Standard error for the log, whose lines quote names.
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(printable(&String::from_utf8_lossy(bytes), false).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Does the terminal obey sequences at all?
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::{escaped, printable};

    #[test]
    fn a_terminal_obeys_nothing_but_styles() {
        let styled = "\x1b[1m\x1b[31mno\x1b[0m é → 世\n\tx";
        assert_eq!(printable(styled, true), styled);
        assert_eq!(printable("é → 世\n\tx", false), "é → 世\n\tx");
        for evil in [
            "\x1b[2J",
            "\x1b]0;title\x07",
            "\x1b[8m",
            "\x1b[38;5;1m",
            "\x1b",
            "\x1b[",
            "\u{9b}2J",
            "\r",
            "\x08",
            "\x7f",
            "\u{202e}",
        ] {
            for styles in [true, false] {
                let shown = printable(evil, styles).into_owned();
                assert!(
                    shown.starts_with('\u{fffd}') && !shown.contains('\x1b'),
                    "{evil:?}: {shown:?}"
                );
            }
        }
        assert!(!printable(styled, false).contains('\x1b'));
    }

    #[test]
    fn json_keeps_what_it_says() {
        let value = serde_json::json!({ "name": "\x1b[2J\u{9b}2J\u{202e}\u{feff}\x7f é" });
        for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("it is JSON")] {
            let shown = escaped(&text);
            assert!(
                shown.chars().all(|c| c == '\n' || c == 'é' || c.is_ascii_graphic() || c == ' '),
                "{shown:?}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).expect("it is JSON"),
                value
            );
        }
    }
}
