//! A position in the tokens, with the questions that all readers ask.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};

use super::instruction::spoken::Spoken;
use super::token::{LitmusToken, TokenKind};
use crate::test::{NumberComparison, ThreadId, Variable};

/// How deep expressions, blocks and propositions may be nested; more is no litmus test but an
/// attack on the stack.
pub(super) const MAX_DEPTH: usize = 100;

/// The largest number of threads and of locations.
pub(super) const MAX_COUNT: usize = 4096;

/// A position in the tokens.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    /// The text.
    pub file: &'a Arc<SourceFile>,
    tokens: &'a [LitmusToken],
    /// The index of the next one.
    position: usize,
    /// How deep the reader has descended.
    depth: usize,
    /// The variables of conditions read so far, with their places.
    pub variables: Vec<(Variable, Span)>,
    /// How a test in assembly spells its registers.
    pub spoken: Option<Spoken>,
    /// May declarations say what a location is, `mbarrier`, `shared`, `global`?
    pub declares_spaces: bool,
}

impl<'a> Cursor<'a> {
    /// At the first token.
    pub fn new(file: &'a Arc<SourceFile>, tokens: &'a [LitmusToken]) -> Self {
        Self {
            file,
            tokens,
            position: 0,
            depth: 0,
            variables: Vec::new(),
            spoken: None,
            declares_spaces: false,
        }
    }

    /// A cursor over the tokens with the given indices only.
    pub fn part(&self, from: usize, to: usize) -> Cursor<'a> {
        Cursor { tokens: &self.tokens[..to], position: from, ..self.clone() }
    }

    /// The index of the next token.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes to a token by its index.
    pub fn go_to(&mut self, position: usize) {
        self.position = position;
    }

    /// Is there no token left?
    pub fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    /// The next token.
    pub fn peek(&self) -> Option<LitmusToken> {
        self.tokens.get(self.position).copied()
    }

    /// The token after `n` others.
    pub fn peek_at(&self, n: usize) -> Option<LitmusToken> {
        self.tokens.get(self.position + n).copied()
    }

    /// Where the next token is; the end of what there is if there is none.
    pub fn span(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span::new(last.span.end, last.span.end),
            (None, None) => Span::new(self.file.text.len(), self.file.text.len()),
        }
    }

    /// Where the token before is.
    pub fn previous(&self) -> Span {
        self.position
            .checked_sub(1)
            .and_then(|p| self.tokens.get(p))
            .map_or(Span::new(0, 0), |t| t.span)
    }

    /// The text of a place.
    pub fn text(&self, span: Span) -> &'a str {
        &self.file.text[span.start..span.end]
    }

    /// The next token as a word, not taken.
    pub fn peek_word(&self) -> Option<&'a str> {
        self.word_at(0)
    }

    /// The token after `n` others as a word.
    pub fn word_at(&self, n: usize) -> Option<&'a str> {
        self.peek_at(n).filter(|t| t.kind == TokenKind::Word).map(|t| self.text(t.span))
    }

    /// Passes over the next token.
    pub fn advance(&mut self) {
        self.position += 1;
    }

    /// Is the next token this character?
    pub fn is(&self, character: char) -> bool {
        self.is_at(0, character)
    }

    /// Is the token after `n` others this character?
    pub fn is_at(&self, n: usize, character: char) -> bool {
        self.peek_at(n).is_some_and(|t| t.kind == TokenKind::Punctuation(character))
    }

    /// Takes the character if it is next.
    pub fn eat(&mut self, character: char) -> bool {
        let is = self.is(character);
        self.position += usize::from(is);
        is
    }

    /// Are these characters next, without anything between them?
    pub fn is_all(&self, characters: &str) -> bool {
        let mut end = None;
        characters.chars().enumerate().all(|(n, c)| {
            let adjacent = self.peek_at(n).is_some_and(|t| end.is_none_or(|e| e == t.span.start));
            end = self.peek_at(n).map(|t| t.span.end);
            adjacent && self.is_at(n, c)
        })
    }

    /// Takes the characters if they are next, without anything between them.
    pub fn eat_all(&mut self, characters: &str) -> bool {
        let is = self.is_all(characters);
        if is {
            self.position += characters.chars().count();
        }
        is
    }

    /// Takes the word if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let is = self.peek_word() == Some(word);
        self.position += usize::from(is);
        is
    }

    /// Takes the character, or says what stands there instead.
    pub fn expect(&mut self, character: char) -> Result<(), Diagnostic> {
        if self.eat(character) { Ok(()) } else { Err(self.expected(&format!("`{character}`"))) }
    }

    /// Takes a word.
    pub fn word(&mut self, what: &str) -> Result<(&'a str, Span), Diagnostic> {
        match self.peek_word() {
            Some(word) => {
                let span = self.span();
                self.position += 1;
                Ok((word, span))
            }
            None => Err(self.expected(what)),
        }
    }

    /// Takes the name of a location, `x` or `x[1]`; in assembly also `x+4`, so many bytes behind
    /// the start of an array.
    pub fn location(&mut self, what: &str) -> Result<String, Diagnostic> {
        let (name, start) = self.word(what)?;
        if let (Some(TokenKind::Integer(bytes)), true) =
            (self.peek_at(1).map(|t| t.kind), self.spoken.is_some() && self.is('+'))
        {
            (0..2).for_each(|_| self.advance());
            let spoken = self.spoken.as_ref().map(|spoken| spoken.element(name, bytes));
            return spoken.unwrap_or_else(|| Ok(name.to_owned())).map_err(|why| {
                let error = self.error(why.to_string(), start.to(self.previous()), "this address");
                error.help("declare an array in the initial state, with the type of its elements: `uint32_t a[2]`")
            });
        }
        if !(self.is('[') && self.is_integer_at(1)) {
            return Ok(name.to_string());
        }
        self.advance();
        let index = self.integer("the number of an element")?;
        self.expect(']')?;
        Ok(format!("{name}[{index}]"))
    }

    /// What a register of a thread is called.
    pub fn register(&self, thread: ThreadId, name: &str) -> String {
        self.spoken.as_ref().map_or_else(|| name.to_owned(), |spoken| spoken.register(thread, name))
    }

    /// Takes a number with an optional sign.
    pub fn integer(&mut self, what: &str) -> Result<i64, Diagnostic> {
        let negative = self.is('-');
        let sign = usize::from(negative);
        let Some(TokenKind::Integer(n)) = self.peek_at(sign).map(|t| t.kind) else {
            self.position += sign;
            return Err(self.expected(what));
        };
        self.position += sign + 1;
        let n = if negative { -i128::from(n) } else { i128::from(n) };
        i64::try_from(n).map_err(|_| {
            self.error("the number is too large", self.previous(), "more than 63 bits")
        })
    }

    /// Takes a small number without a sign.
    pub fn small(&mut self, what: &str) -> Result<u16, Diagnostic> {
        let n = self.integer(what)?;
        u16::try_from(n).map_err(|_| {
            self.error(
                format!("{what} must be between 0 and {}", u16::MAX),
                self.previous(),
                "this number",
            )
        })
    }

    /// Is the token after `n` others a number without a sign?
    pub fn is_integer_at(&self, n: usize) -> bool {
        matches!(self.peek_at(n).map(|t| t.kind), Some(TokenKind::Integer(_)))
    }

    /// Is an optional sign and a number next?
    pub fn is_integer(&self) -> bool {
        let after = usize::from(self.is('-'));
        matches!(self.peek_at(after).map(|t| t.kind), Some(TokenKind::Integer(_)))
    }

    /// Takes a comparison: `==`, `=`, `!=`, `<>`, `<`, `<=`, `>`, `>=`.
    pub fn comparison(&mut self) -> Option<NumberComparison> {
        let symbols = [
            ("==", NumberComparison::Equal),
            ("=", NumberComparison::Equal),
            ("!=", NumberComparison::NotEqual),
            ("<>", NumberComparison::NotEqual),
            ("<=", NumberComparison::LessOrEqual),
            (">=", NumberComparison::GreaterOrEqual),
            ("<", NumberComparison::Less),
            (">", NumberComparison::Greater),
        ];
        symbols
            .into_iter()
            .find(|(symbol, _)| self.eat_all(symbol))
            .map(|(_, comparison)| comparison)
    }

    /// The number of a thread as `P0`, `T0` or `0`, if that is what the token after `n` others is.
    pub fn thread_at(&self, n: usize) -> Option<ThreadId> {
        let token = self.peek_at(n)?;
        let number = match token.kind {
            TokenKind::Integer(n) => u16::try_from(n).ok()?,
            TokenKind::Word => self.text(token.span).strip_prefix(['P', 'T'])?.parse().ok()?,
            _ => return None,
        };
        Some(ThreadId(number))
    }

    /// Runs a reader one level deeper; too deep is an error.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        self.descend()?;
        let result = read(self);
        self.ascend();
        result
    }

    /// One level deeper; too deep is an error.
    pub fn descend(&mut self) -> Result<(), Diagnostic> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// One level up again.
    pub fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// The error of something nested too deep.
    pub fn too_deep(&self) -> Diagnostic {
        self.error(format!("nested more than {MAX_DEPTH} deep"), self.span(), "give up here")
    }

    /// An error with a place.
    pub fn error(
        &self,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(message).at(self.file, span, label)
    }

    /// The error of something else standing where `what` should be.
    pub fn expected(&self, what: &str) -> Diagnostic {
        match self.peek() {
            Some(token) => self.error(
                format!("expected {what}, found `{}`", self.text(token.span)),
                token.span,
                format!("expected {what}"),
            ),
            None => self.error(
                format!("expected {what}, found the end"),
                self.span(),
                format!("expected {what}"),
            ),
        }
    }

    /// The error of a name that is not known, with the nearest known one.
    pub fn unknown<'k>(
        &self,
        what: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Diagnostic {
        let error = self.error(format!("unknown {what} `{name}`"), span, "not known");
        match nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }
}
