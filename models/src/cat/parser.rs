//! The parser of .cat texts: its state, its limits and how it goes on after an error.
//!
//! Written by hand, because three things of this grammar sit badly with parser libraries: `*` is a
//! postfix closure or an infix product depending on what follows, `~`, `+`, `?`, `*` and the
//! product are one level that does not associate, and functions are applied by juxtaposition.
//! Operators of the other levels are parsed without recursion, so that the stack grows with the
//! nesting of parentheses only, which is limited.

use std::sync::Arc;

use super::ast::{CatFile, Ident};
use super::token::{CatToken, Keyword, tokens};
use crate::diagnostic::{Diagnostic, SourceFile, Span, nearest};

/// How deep parentheses, prefix operators, procedures and the like may nest.
pub const MAX_NESTING: usize = 200;

/// How many operators may be within each other in one expression; it bounds every recursion over
/// syntax trees.
pub const MAX_HEIGHT: usize = 300;

/// The largest text, in bytes; real models have a few thousand.
pub const MAX_TEXT: usize = 512 * 1024;

/// The most errors that are reported for one file.
const MAX_ERRORS: usize = 50;

/// A file that was read, as far as that was possible.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// What could be read.
    pub file: CatFile,
    /// What could not; empty if everything was read.
    pub errors: Vec<Diagnostic>,
    /// Of the errors those about parts of the language that Margay does not have: what they are.
    pub missing: Vec<String>,
}

/// Reads a .cat text. After an error it goes on with the next instruction.
pub fn parse(source: &Arc<SourceFile>) -> Parsed {
    if let Some(error) = unreadable(source) {
        return Parsed { file: CatFile::default(), errors: vec![error], missing: Vec::new() };
    }
    let mut errors = Vec::new();
    let tokens = tokens(source, &mut errors);
    let mut parser = Parser { source, tokens, at: 0, nesting: 0, errors, missing: Vec::new() };
    let file = parser.file();
    let (mut errors, missing) = (parser.errors, parser.missing);
    errors.sort_by_key(|e| e.labels.first().map_or(0, |l| l.span.start));
    errors.truncate(MAX_ERRORS);
    Parsed { file, errors, missing }
}

/// The error for what is not a .cat text at all.
fn unreadable(source: &Arc<SourceFile>) -> Option<Diagnostic> {
    if source.text.len() > MAX_TEXT {
        let message = format!(
            "{} is too large for a model: {} bytes, at most {MAX_TEXT}",
            source.name,
            source.text.len()
        );
        return Some(Diagnostic::error(message));
    }
    let control = source.text.find(|c: char| c.is_control() && !c.is_whitespace())?;
    Some(
        Diagnostic::error(format!("{} is not a text file", source.name))
            .at(source, Span::new(control, control + 1), "a control character")
            .help("a model is a .cat text in UTF-8"),
    )
}

/// An error that was reported already: the parser goes on with the next instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported;

/// What each parsing function returns.
pub(super) type Parse<T> = Result<T, Reported>;

/// A position in the words of a text.
pub(super) struct Parser<'a> {
    /// The file whose tokens are read.
    pub(super) source: &'a Arc<SourceFile>,
    /// Its words, the last one [`CatToken::End`].
    tokens: Vec<(CatToken, Span)>,
    /// The next word.
    at: usize,
    /// How many constructs are open.
    nesting: usize,
    /// What went wrong so far.
    errors: Vec<Diagnostic>,
    /// What of it is not supported.
    missing: Vec<String>,
}

impl Parser<'_> {
    /// The next word.
    pub(super) fn peek(&self) -> CatToken {
        self.tokens[self.at].0
    }

    /// The word that is `ahead` words behind the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> CatToken {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    /// Where the next word is.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// Where the word is that is `ahead` words behind the next one.
    pub(super) fn span_at(&self, ahead: usize) -> Span {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].1
    }

    /// Where the last word was.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    /// From `start` to the last word.
    pub(super) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_span().end.max(start.start))
    }

    pub(super) fn text(&self, span: Span) -> &str {
        &self.source.text[span.start..span.end]
    }

    /// Takes the next word; the end of the text stays.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    /// Takes the next word if it is this one.
    pub(super) fn take(&mut self, token: CatToken) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next word if it is this keyword.
    pub(super) fn take_keyword(&mut self, keyword: Keyword) -> bool {
        self.take(CatToken::Keyword(keyword))
    }

    /// Takes the next word, which must be this one; `why` tells what it is needed for.
    pub(super) fn expect(&mut self, token: CatToken, why: &str) -> Parse<Span> {
        if self.peek() == token {
            return Ok(self.advance());
        }
        self.unexpected(&format!("{} {why}", quoted(token)))
    }

    /// Takes the next word, which must be a name.
    pub(super) fn name(&mut self, what: &str) -> Parse<Ident> {
        match self.peek() {
            CatToken::Name => {
                let span = self.advance();
                Ok(Ident { text: self.text(span).to_owned(), span })
            }
            CatToken::Keyword(_) => {
                let message =
                    format!("`{}` is a keyword and cannot be {what}", self.text(self.span()));
                self.fail(Diagnostic::error(message).at(
                    self.source,
                    self.span(),
                    format!("expected {what}"),
                ))
            }
            _ => self.unexpected(what),
        }
    }

    /// Reports that something else was expected here.
    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let error =
            self.unexpected_word().at(self.source, self.span(), format!("expected {expected}"));
        self.fail(error)
    }

    /// That the next word was not expected, without a place.
    pub(super) fn unexpected_word(&self) -> Diagnostic {
        match self.peek() {
            CatToken::End => Diagnostic::error("unexpected end of the file"),
            _ => Diagnostic::error(format!("unexpected `{}`", shortened(self.text(self.span())))),
        }
    }

    /// Takes the next word, which must close what was opened at `open`.
    pub(super) fn close_bracket(&mut self, token: CatToken, open: Span) -> Parse<()> {
        if self.take(token) {
            return Ok(());
        }
        let expected = format!("expected an operator or {}", token.describe());
        let opened = format!("for this `{}`", self.text(open));
        let error = self.unexpected_word().at(self.source, self.span(), expected).at(
            self.source,
            open,
            opened,
        );
        self.fail(error)
    }

    /// Reports an error.
    pub(super) fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        self.errors.push(error);
        Err(Reported)
    }

    /// An error about a part of the language that Margay does not have.
    pub(super) fn unsupported<T>(&mut self, span: Span, what: &str, help: &str) -> Parse<T> {
        self.missing(what.trim_end_matches(" are").trim_end_matches(" is").to_owned());
        self.fail(
            Diagnostic::error(format!("{what} not supported"))
                .at(self.source, span, "Margay cannot read this")
                .help(help),
        )
    }

    /// Notes that a part of the language is missing.
    pub(super) fn missing(&mut self, what: String) {
        if !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    /// Parses a construct that may contain others of its kind, within the limit of nesting.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let error = Diagnostic::error(format!("nested more than {MAX_NESTING} deep"));
            return self.fail(
                error
                    .at(self.source, self.span(), "too deep")
                    .help("name parts of the expression with `let`"),
            );
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Skips to the next word that starts an instruction (or ends a block of them).
    pub(super) fn recover(&mut self) {
        // At least one word, so that an instruction that fails at its first word is not tried
        // again.
        while self.peek() != CatToken::End {
            self.advance();
            if starts_instruction(self.peek()) && !self.last_was_flag() {
                return;
            }
        }
    }

    /// Is the last word one that belongs in front of a check (`flag acyclic`), or that asks for one
    /// (`let .. in`)?
    fn last_was_flag(&self) -> bool {
        use Keyword::{Assert, Flag, UndefinedUnless};
        matches!(
            self.tokens[self.at.saturating_sub(1)].0,
            CatToken::Keyword(Flag | UndefinedUnless | Assert) | CatToken::Tilde
        )
    }

    /// The word at the beginning of a line that was meant to be a check, if the next word is the
    /// `as` of one, and what was meant. Such a word is read as an argument of the function before
    /// it: of `let com = co`, `acyclick com as SC` only the `as` cannot be read.
    pub(super) fn mistyped_check(&self) -> Option<(Span, &'static str)> {
        if self.peek() != CatToken::Keyword(Keyword::As) {
            return None;
        }
        for (at, &(token, span)) in self.tokens[..self.at].iter().enumerate().rev() {
            let before = at.checked_sub(1).map_or(0, |before| self.tokens[before].1.end);
            let begins_line = self.source.text[before..span.start].contains('\n');
            match token {
                CatToken::Name if begins_line => {
                    if let Some(meant) =
                        nearest(self.text(span), ["acyclic", "irreflexive", "empty"])
                    {
                        return Some((span, meant));
                    }
                }
                token if starts_instruction(token) => return None,
                _ => {}
            }
        }
        None
    }

    pub(super) fn had_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Were there enough errors to stop?
    pub(super) fn gave_up(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }
}

/// Does an instruction start with this word?
pub(super) fn starts_instruction(token: CatToken) -> bool {
    use Keyword::{
        Acyclic, Assert, Call, Debug, Default, Empty, Enum, Flag, ForAll, If, Include,
        Instructions, Irreflexive, Let, Match, Procedure, Show, ShowAs, UndefinedUnless, Unshow,
    };
    matches!(
        token,
        CatToken::Keyword(
            Let | Acyclic
                | Irreflexive
                | Empty
                | Flag
                | UndefinedUnless
                | Assert
                | Include
                | Show
                | ShowAs
                | Unshow
                | Procedure
                | Call
                | If
                | ForAll
                | Match
                | Debug
                | Enum
                | Instructions
                | Default
        )
    )
}

/// A word as messages name it: keywords in backticks as well.
fn quoted(token: CatToken) -> String {
    match token {
        CatToken::Keyword(_) => format!("`{}`", token.describe()),
        _ => token.describe().to_owned(),
    }
}

/// A piece of text that fits into a message.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        text.chars().take(37).chain("...".chars()).collect()
    }
}
