//! The first line of a model: an architecture, a title, or both.

use super::ast::{CatFile, Ident};
use super::parser::Parser;
use super::token::{CatToken, Keyword};
use crate::diagnostic::nearest;

impl Parser<'_> {
    /// A whole file: the header, then instructions.
    pub(super) fn file(&mut self) -> CatFile {
        let (architecture, title) = self.header();
        let mut instructions = Vec::new();
        while self.peek() != CatToken::End && !self.gave_up() {
            // The rest of a block whose beginning could not be read.
            if self.had_errors()
                && matches!(self.peek(), CatToken::Keyword(Keyword::End | Keyword::Else))
            {
                self.advance();
                continue;
            }
            match self.instruction() {
                Ok(instruction) => instructions.push(instruction),
                Err(_) => self.recover(),
            }
        }
        CatFile { architecture, title, instructions }
    }

    /// `ARCHITECTURE "title"`. herd7 takes any words as a title, as long as they are on the line of
    /// the first one, and Dartagnan any words before a quoted one.
    fn header(&mut self) -> (Option<Ident>, Option<String>) {
        let architecture = (self.peek() == CatToken::Name).then(|| {
            let span = self.advance();
            Ident { text: self.text(span).to_owned(), span }
        });
        let mut words = Vec::new();
        if let Some(first) = &architecture
            && self.only_words_follow(first.span.start)
        {
            while self.peek() == CatToken::Name && self.on_line_of(first.span.start) {
                let span = self.advance();
                words.push(self.text(span).to_owned());
            }
        }
        let quoted = (self.peek() == CatToken::String).then(|| self.string());
        // herd7: a word behind the title switches something on or off in herd7 itself.
        while quoted.is_some()
            && self.peek() == CatToken::Name
            && self.on_line_of(self.last_span().start)
        {
            self.advance();
        }
        let title = quoted.or_else(|| (!words.is_empty()).then(|| words.join(" ")));
        (architecture, title)
    }

    /// Is the next word on the line of `start`?
    fn on_line_of(&self, start: usize) -> bool {
        self.peek() != CatToken::End && !self.source.text[start..self.span().start].contains('\n')
    }

    /// Is the rest of the line of `start` names and strings, none of them a mistyped keyword?
    fn only_words_follow(&self, start: usize) -> bool {
        for ahead in 0.. {
            let span = self.span_at(ahead);
            if self.peek_at(ahead) == CatToken::End
                || self.source.text[start..span.start].contains('\n')
            {
                return true;
            }
            match self.peek_at(ahead) {
                CatToken::String => {}
                CatToken::Name
                    if nearest(
                        self.text(span),
                        ["acyclic", "irreflexive", "include", "empty", "flag"],
                    )
                    .is_none() => {}
                _ => return false,
            }
        }
        true
    }

    /// The next word, a string, without its quotes.
    pub(super) fn string(&mut self) -> String {
        let span = self.advance();
        self.text(span).trim_matches('"').to_owned()
    }
}
