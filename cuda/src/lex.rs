//! The tokens of C++ as CUDA programs have it.

use std::rc::Rc;

use rustc_hash::FxHashSet;

/// Where something stands: the number of the file, and the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct CudaSpan {
    pub file: u16,
    pub start: u32,
    pub end: u32,
    /// The number, from 1, of where it is written, if a macro put it here: no two tokens that
    /// macros put somewhere have the same one.
    pub written: u32,
}

/// What is wrong, where, and what to do.
#[derive(Debug, Clone)]
pub(crate) struct CudaRefusal {
    pub message: String,
    pub at: CudaSpan,
    pub help: String,
    /// Another place that it is about, and what that is.
    pub beside: Option<(CudaSpan, &'static str)>,
}

impl CudaRefusal {
    pub fn new(at: CudaSpan, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), at, help: help.into(), beside: None }
    }

    /// Names another place.
    pub fn beside(self, at: CudaSpan, what: &'static str) -> Self {
        Self { beside: Some((at, what)), ..self }
    }
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lexeme {
    Word(Rc<str>),
    /// A number, how many bytes its suffix asks for at least, and whether it is unsigned. The last
    /// one: was it written in base 10?
    Integer {
        value: u64,
        bytes: u8,
        is_unsigned: bool,
        is_decimal: bool,
        /// Does its suffix say `ll`?
        is_second: bool,
    },
    /// A floating-point number; is it a `float`?
    Real(f64, bool),
    Text(Rc<str>),
    Character(u8),
    Sign(&'static str),
    /// A line that begins with `#`, up to its end: only while it is lexed.
    Hash,
    /// The end of a line: only while it is lexed.
    LineEnd,
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct CudaToken {
    pub lexeme: Lexeme,
    pub at: CudaSpan,
    /// Does a space stand in front of it?
    pub is_apart: bool,
    /// Is it the name of a macro within what that macro stands for? It is never replaced.
    pub is_kept: bool,
}

impl CudaToken {
    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.lexeme, Lexeme::Sign(found) if found == sign)
    }

    pub fn word(&self) -> Option<&Rc<str>> {
        if let Lexeme::Word(word) = &self.lexeme { Some(word) } else { None }
    }
}

/// The signs, the longest first.
const SIGNS: [&str; 47] = [
    "<=>", "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "{", "}", "(", ")", "[", "]",
    ";", ",", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~",
];

const MORE_SIGNS: [&str; 6] = ["?", ":", ".", "@", "$", "\\"];

/// Words that are signs by another name.
const WORDS_OF_SIGNS: [(&str, &str); 11] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("xor", "^"),
    ("bitand", "&"),
    ("bitor", "|"),
    ("compl", "~"),
    ("and_eq", "&="),
    ("or_eq", "|="),
    ("xor_eq", "^="),
    ("not_eq", "!="),
];

/// The tokens of a text with the ends of its lines, for the preprocessor.
pub(crate) fn lexed(
    text: &str,
    file: u16,
    names: &mut FxHashSet<Rc<str>>,
) -> Result<Vec<CudaToken>, CudaRefusal> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = CudaLexer { text, bytes: text.as_bytes(), file, at, names };
    let mut found = Vec::with_capacity(text.len() / 4 + 2);
    let (mut is_apart, mut is_first) = (true, true);
    while let Some(&byte) = lexer.bytes.get(lexer.at) {
        let start = lexer.at;
        if byte == b'\n' {
            lexer.at += 1;
            (is_apart, is_first) = (true, true);
            let at = lexer.span(start, lexer.at);
            found.push(CudaToken { lexeme: Lexeme::LineEnd, at, is_apart, is_kept: false });
            continue;
        }
        if let Some(is_space) = lexer.skip(byte)? {
            is_apart |= is_space;
            continue;
        }
        let lexeme = lexer.lexeme(byte, is_first)?;
        let at = lexer.span(start, lexer.at);
        found.push(CudaToken { lexeme, at, is_apart, is_kept: false });
        (is_apart, is_first) = (false, false);
    }
    found.push(CudaToken {
        lexeme: Lexeme::LineEnd,
        at: lexer.span(text.len(), text.len()),
        is_apart: true,
        is_kept: false,
    });
    Ok(found)
}

/// A text, and how far it was read.
struct CudaLexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    file: u16,
    /// The byte that is read next.
    at: usize,
    /// Each word once.
    names: &'t mut FxHashSet<Rc<str>>,
}

impl CudaLexer<'_> {
    fn span(&self, start: usize, end: usize) -> CudaSpan {
        CudaSpan { file: self.file, start: start as u32, end: end as u32, written: 0 }
    }

    fn has(&self, ahead: usize, byte: u8) -> bool {
        self.bytes.get(self.at + ahead) == Some(&byte)
    }

    /// Goes over what stands between tokens of a line, if something does: does it set them apart?
    /// A comment to the end of the line has the end of the line behind it.
    fn skip(&mut self, byte: u8) -> Result<Option<bool>, CudaRefusal> {
        match byte {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
            // A line that goes on.
            b'\\' if self.has(1, b'\n') => self.at += 2,
            b'\\' if self.has(1, b'\r') && self.has(2, b'\n') => self.at += 3,
            b'/' if self.has(1, b'/') => {
                // To the end of the line, which goes on behind `\`.
                let bytes = self.bytes;
                let goes_on =
                    |end: usize| matches!(&bytes[..end], [.., b'\\'] | [.., b'\\', b'\r']);
                let mut ends = (self.at..bytes.len()).filter(|&n| bytes[n] == b'\n' && !goes_on(n));
                self.at = ends.next().unwrap_or(bytes.len());
                return Ok(Some(false));
            }
            b'/' if self.has(1, b'*') => match self.text[self.at + 2..].find("*/") {
                Some(n) => self.at += n + 4,
                None => {
                    return Err(CudaRefusal::new(
                        self.span(self.at, self.at + 2),
                        "this comment is never closed; expected `*/`",
                        "close the comment",
                    ));
                }
            },
            _ => return Ok(None),
        }
        Ok(Some(true))
    }

    /// The token that begins with this byte; `is_first`: of its line.
    fn lexeme(&mut self, byte: u8, is_first: bool) -> Result<Lexeme, CudaRefusal> {
        match byte {
            0 => Err(CudaRefusal::new(
                self.span(self.at, self.at + 1),
                "a zero byte: this is binary data, and no CUDA",
                "give the text of a .cu file",
            )),
            b'#' if is_first => {
                self.at += 1;
                Ok(Lexeme::Hash)
            }
            b'#' => {
                let sign = if self.has(1, b'#') { "##" } else { "#" };
                self.at += sign.len();
                Ok(Lexeme::Sign(sign))
            }
            b'"' => self.quotation(),
            b'\'' => self.character(),
            b if is_of_word(b) && !b.is_ascii_digit() => self.word(),
            b if b.is_ascii_digit()
                || b == b'.' && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) =>
            {
                self.numeral()
            }
            _ => self.sign(),
        }
    }

    fn quotation(&mut self) -> Result<Lexeme, CudaRefusal> {
        let start = self.at;
        let (value, end) = quoted(self.bytes, start, b'"').ok_or_else(|| {
            CudaRefusal::new(
                self.span(start, start + 1),
                "this text is never closed; expected `\"` on the same line",
                "close the quotation mark",
            )
        })?;
        self.at = end;
        let text = String::from_utf8(value).map_err(|_| {
            CudaRefusal::new(
                self.span(start, end),
                "a text with bytes that are no UTF-8 is not understood",
                "use an array of numbers",
            )
        })?;
        Ok(Lexeme::Text(text.into()))
    }

    fn character(&mut self) -> Result<Lexeme, CudaRefusal> {
        let one = quoted(self.bytes, self.at, b'\'').filter(|(value, _)| value.len() == 1);
        let (value, end) = one.ok_or_else(|| {
            CudaRefusal::new(
                self.span(self.at, self.at + 1),
                "expected one character in quotation marks, as `'a'`",
                "close the quotation mark",
            )
        })?;
        self.at = end;
        Ok(Lexeme::Character(value[0]))
    }

    /// A name, a sign that is a word, or a text in which nothing is escaped, `R"(..)"`.
    fn word(&mut self) -> Result<Lexeme, CudaRefusal> {
        let (text, start) = (self.text, self.at);
        let length = self.bytes[start..].iter().take_while(|&&b| is_of_word(b)).count();
        self.at += length;
        let word = &text[start..self.at];
        if word == "R" && self.has(0, b'"') {
            let open = text[self.at..].find('(').map(|n| self.at + n);
            let raw = open.and_then(|open| {
                let close = format!("){}\"", &text[self.at + 1..open]);
                Some((open + 1, text[open..].find(&close).map(|n| open + n)?, close.len()))
            });
            let Some((from, to, more)) = raw else {
                return Err(CudaRefusal::new(
                    self.span(start, self.at + 1),
                    "this text is never closed",
                    "close it with `)\"`",
                ));
            };
            self.at = to + more;
            return Ok(Lexeme::Text(text[from..to].into()));
        }
        if let Some((_, sign)) = WORDS_OF_SIGNS.iter().find(|(w, _)| *w == word) {
            return Ok(Lexeme::Sign(sign));
        }
        let known = self.names.get(word).cloned();
        Ok(Lexeme::Word(known.unwrap_or_else(|| {
            let name: Rc<str> = word.into();
            self.names.insert(name.clone());
            name
        })))
    }

    fn numeral(&mut self) -> Result<Lexeme, CudaRefusal> {
        let (bytes, start) = (self.bytes, self.at);
        let is_hex = self.text[start..].starts_with("0x");
        // A sign belongs to it behind the letter of an exponent.
        let is_exponent = |b: u8| matches!(b, b'p' | b'P') || matches!(b, b'e' | b'E') && !is_hex;
        while let Some(&b) = bytes.get(self.at)
            && (b.is_ascii_alphanumeric()
                || matches!(b, b'.' | b'\'')
                || matches!(b, b'+' | b'-') && is_exponent(bytes[self.at - 1]))
        {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        number(text).ok_or_else(|| {
            CudaRefusal::new(
                self.span(start, self.at),
                format!("expected a number, found `{text}`"),
                "numbers are as `42`, `0xffu`, `1ull` or `0.5f`",
            )
        })
    }

    fn sign(&mut self) -> Result<Lexeme, CudaRefusal> {
        let rest = &self.text[self.at..];
        let Some(sign) = SIGNS.iter().chain(&MORE_SIGNS).find(|s| rest.starts_with(**s)) else {
            let sign = rest.chars().next().unwrap_or(' ');
            return Err(CudaRefusal::new(
                self.span(self.at, self.at + sign.len_utf8()),
                format!("`{}` is no sign of C++", sign.escape_debug()),
                "take it out",
            ));
        };
        self.at += sign.len();
        Ok(Lexeme::Sign(sign))
    }
}

/// May it stand in a word, behind the first letter?
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// What stands in quotation marks, and where it ends.
fn quoted(bytes: &[u8], start: usize, mark: u8) -> Option<(Vec<u8>, usize)> {
    let mut value = Vec::new();
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b if b == mark => return Some((value, at + 1)),
            b'\\' => {
                let escaped = *bytes.get(at + 1)?;
                at += 2;
                value.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'a' => 7,
                    b'b' => 8,
                    b'v' => 11,
                    b'f' => 12,
                    b'0'..=b'7' => {
                        let digits = bytes[at - 1..]
                            .iter()
                            .take_while(|b| (b'0'..=b'7').contains(*b))
                            .take(3)
                            .count();
                        let text = std::str::from_utf8(&bytes[at - 1..at - 1 + digits]).ok()?;
                        at += digits - 1;
                        u8::from_str_radix(text, 8).ok()?
                    }
                    // A line that goes on.
                    b'\n' => continue,
                    b'x' => {
                        let digits =
                            bytes[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
                        let text = std::str::from_utf8(&bytes[at..at + digits]).ok()?;
                        at += digits;
                        u8::from_str_radix(text, 16).ok()?
                    }
                    b'\\' | b'\'' | b'"' | b'?' => escaped,
                    _ => return None,
                });
            }
            b => {
                value.push(b);
                at += 1;
            }
        }
    }
}

fn number(text: &str) -> Option<Lexeme> {
    let clean: String =
        text.chars().filter(|&c| c != '\'').collect::<String>().to_ascii_lowercase();
    let is_hex = clean.starts_with("0x");
    let is_real = if is_hex {
        clean.contains('p')
    } else {
        clean.contains(['.', 'e']) || clean.ends_with('f')
    };
    if is_real {
        let is_single = clean.ends_with('f');
        let digits = clean.trim_end_matches(['f', 'l']);
        if is_hex {
            let (mantissa, exponent) = digits[2..].split_once('p')?;
            let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let value = u64::from_str_radix(&format!("{whole}{part}"), 16).ok()? as f64;
            let exponent: i32 = exponent.parse().ok()?;
            return Some(Lexeme::Real(
                value * 2f64.powi(exponent.checked_sub(4 * part.len() as i32)?),
                is_single,
            ));
        }
        return Some(Lexeme::Real(digits.parse().ok()?, is_single));
    }
    let digits = clean.trim_end_matches(['u', 'l']);
    let suffix = &clean[digits.len()..];
    let (base, digits) = match digits {
        _ if is_hex => (16, &digits[2..]),
        _ if digits.starts_with("0b") => (2, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let value = u64::from_str_radix(digits, base).ok()?;
    if !["", "u", "l", "ul", "lu", "ll", "ull", "llu"].contains(&suffix) {
        return None;
    }
    Some(Lexeme::Integer {
        value,
        bytes: if suffix.contains('l') { 8 } else { 4 },
        is_unsigned: suffix.contains('u'),
        is_decimal: base == 10,
        is_second: suffix.contains("ll"),
    })
}
