//! The words of the .cat language (herd7's modelLexer.mll).
//!
//! Written by hand: nested comments and the `^ -1` that is one token, but only behind a `^`, are
//! what lexer generators do least well, and a person who reads this file knows what a name is.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::text::{blank, quoted};

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CatToken {
    /// A name that is not a keyword.
    Name,
    /// A keyword; the text says which.
    Keyword(Keyword),
    /// `'x`
    Tag,
    /// `"text"`
    String,
    /// `0`
    Zero,
    /// `_`
    Underscore,
    /// `^-1`
    Inverse,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `|`
    Bar,
    /// `||`
    BarBar,
    /// `&`
    And,
    /// `&&`
    AndAnd,
    /// `\`
    Backslash,
    /// `;`
    Semicolon,
    /// `*`
    Star,
    /// `+`
    Plus,
    /// `++`
    PlusPlus,
    /// `?`
    Question,
    /// `~`
    Tilde,
    /// `=`
    Equal,
    /// `,`
    Comma,
    /// `->`
    Arrow,
    /// The end of the text.
    End,
}

macro_rules! keywords {
    ($($variant:ident = $text:literal,)*) => {
        /// A reserved word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) enum Keyword { $(#[doc = $text] $variant,)* }

        impl Keyword {
            /// Every keyword with its text.
            pub(super) const ALL: &'static [(Keyword, &'static str)] = &[$((Keyword::$variant, $text),)*];
        }
    };
}

keywords! {
    Let = "let", Rec = "rec", And = "and", In = "in", Fun = "fun", Acyclic = "acyclic", Irreflexive = "irreflexive",
    Empty = "empty", Flag = "flag", UndefinedUnless = "undefined_unless", Assert = "assert", As = "as", Show = "show",
    Unshow = "unshow", ShowAs = "showas", Include = "include", Begin = "begin", End = "end", Procedure = "procedure",
    Call = "call", If = "if", Then = "then", Else = "else", Match = "match", With = "with", ForAll = "forall", Try = "try",
    Enum = "enum", Instructions = "instructions", Default = "default", Do = "do", From = "from", Subset = "subset",
    Debug = "debug",
}

impl CatToken {
    /// What to call it in a message.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Keyword(k) => Keyword::ALL
                .iter()
                .find(|(known, _)| *known == k)
                .map_or("a keyword", |(_, text)| text),
            Self::Tag => "a tag",
            Self::String => "a string",
            Self::Zero => "`0`",
            Self::Underscore => "`_`",
            Self::Inverse => "`^-1`",
            Self::Open => "`(`",
            Self::Close => "`)`",
            Self::OpenBracket => "`[`",
            Self::CloseBracket => "`]`",
            Self::OpenBrace => "`{`",
            Self::CloseBrace => "`}`",
            Self::Bar => "`|`",
            Self::BarBar => "`||`",
            Self::And => "`&`",
            Self::AndAnd => "`&&`",
            Self::Backslash => "`\\`",
            Self::Semicolon => "`;`",
            Self::Star => "`*`",
            Self::Plus => "`+`",
            Self::PlusPlus => "`++`",
            Self::Question => "`?`",
            Self::Tilde => "`~`",
            Self::Equal => "`=`",
            Self::Comma => "`,`",
            Self::Arrow => "`->`",
            Self::End => "the end of the file",
        }
    }
}

/// The words of a text with their places, the last one [`CatToken::End`]; what cannot be read is
/// reported and left out.
pub(super) fn tokens(
    file: &Arc<SourceFile>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(CatToken, Span)> {
    let mut lexer = Lexer { file, text: &file.text, at: 0, errors };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks_and_comments();
        let start = lexer.at;
        let Some(token) = lexer.next() else { break };
        if let Some(token) = token {
            found.push((token, Span::new(start, lexer.at)));
        }
    }
    found.push((CatToken::End, Span::new(lexer.text.len(), lexer.text.len())));
    found
}

/// A position in a text.
struct Lexer<'a> {
    /// For diagnostics.
    file: &'a Arc<SourceFile>,
    /// The whole text.
    text: &'a str,
    /// The byte to read next.
    at: usize,
    /// What went wrong so far.
    errors: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reports an error about the text from `start` to here.
    fn error(&mut self, start: usize, message: &str, label: &str) {
        self.errors.push(Diagnostic::error(message).at(
            self.file,
            Span::new(start, self.at),
            label,
        ));
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            match blank(self.file, self.at) {
                Ok(0) => return,
                Ok(length) => self.at += length,
                Err(error) => {
                    self.errors.push(error);
                    self.at = self.text.len();
                }
            }
        }
    }

    /// The next word: `None` at the end, `Some(None)` for what is not a word (already reported).
    fn next(&mut self) -> Option<Option<CatToken>> {
        let start = self.at;
        let rest = self.rest();
        let c = rest.chars().next()?;
        let two = match rest.as_bytes() {
            [b'|', b'|', ..] => Some(CatToken::BarBar),
            [b'&', b'&', ..] => Some(CatToken::AndAnd),
            [b'+', b'+', ..] => Some(CatToken::PlusPlus),
            [b'-', b'>', ..] => Some(CatToken::Arrow),
            _ => None,
        };
        if two.is_some() {
            self.at += 2;
            return Some(two);
        }
        if c.is_ascii_alphabetic()
            || c == '_' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Some(Some(self.name()));
        }
        self.at += c.len_utf8();
        Some(Some(match c {
            '_' => CatToken::Underscore,
            '(' => CatToken::Open,
            ')' => CatToken::Close,
            '[' => CatToken::OpenBracket,
            ']' => CatToken::CloseBracket,
            '{' => CatToken::OpenBrace,
            '}' => CatToken::CloseBrace,
            '|' => CatToken::Bar,
            '&' => CatToken::And,
            '\\' => CatToken::Backslash,
            ';' => CatToken::Semicolon,
            '*' => CatToken::Star,
            '+' => CatToken::Plus,
            '?' => CatToken::Question,
            '~' => CatToken::Tilde,
            '=' => CatToken::Equal,
            ',' => CatToken::Comma,
            '^' => return Some(self.inverse(start)),
            '"' => return Some(self.string(start)),
            '\'' if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) => {
                self.name();
                CatToken::Tag
            }
            '0'..='9' => return Some(self.number(start, c)),
            _ => {
                self.skip_unreadable();
                self.error(start, "this is not a word of the .cat language", "cannot be read");
                return Some(None);
            }
        }))
    }

    /// `_?[A-Za-z][A-Za-z0-9_.-]*'?`
    fn name(&mut self) -> CatToken {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')))
            .unwrap_or(rest.len());
        self.at += length;
        if self.rest().starts_with('\'') {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        Keyword::ALL
            .iter()
            .find(|(_, known)| *known == text)
            .map_or(CatToken::Name, |&(keyword, _)| CatToken::Keyword(keyword))
    }

    /// `^-1`, behind the `^`.
    fn inverse(&mut self, start: usize) -> Option<CatToken> {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start().len();
        if rest[blanks..].starts_with("-1") {
            self.at += blanks + 2;
            return Some(CatToken::Inverse);
        }
        // `^2`, `^-2`: the number is part of the mistake.
        let number =
            rest[blanks..].trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit());
        if number.len() < rest[blanks..].len() {
            self.at = self.text.len() - number.len();
        }
        self.error(start, "`^` without `-1`", "expected `^-1`, the inverse of a relation");
        // Read on as if it were there, so that one mistake is one error. So below.
        Some(CatToken::Inverse)
    }

    /// A string, behind its first quote. One that is not closed ends with its line.
    fn string(&mut self, start: usize) -> Option<CatToken> {
        match quoted(self.file, start) {
            Ok(string) => self.at += string.len() + 1,
            Err(error) => {
                self.errors.push(error);
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            }
        }
        Some(CatToken::String)
    }

    /// `0`, behind its first digit.
    fn number(&mut self, start: usize, first: char) -> Option<CatToken> {
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        self.at += digits;
        if first == '0' && digits == 0 {
            return Some(CatToken::Zero);
        }
        self.error(
            start,
            "the only number of the .cat language is `0`, the empty set or relation",
            "not `0`",
        );
        Some(CatToken::Zero)
    }

    /// Skips to the next character that may start a word, so that a run of garbage is one error.
    fn skip_unreadable(&mut self) {
        let rest = self.rest();
        let readable = |c: char| {
            c.is_whitespace() || c.is_ascii_alphanumeric() || "_()[]{}|&\\;*+?~=,^\"'/#".contains(c)
        };
        self.at += rest.find(readable).unwrap_or(rest.len());
    }
}
