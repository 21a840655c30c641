//! The next token, and going on behind it.

use std::rc::Rc;

use super::{MAX_CHAIN, MAX_DEPTH, ProgramReader, is_reserved};
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};

impl ProgramReader {
    pub(super) fn token(&self) -> &CudaToken {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(super) fn after(&self, n: usize) -> &CudaToken {
        &self.tokens[(self.next + n).min(self.tokens.len() - 1)]
    }

    pub(super) fn at(&self) -> CudaSpan {
        self.token().at
    }

    /// From where something began up to the token that was read last.
    pub(super) fn since(&self, start: CudaSpan) -> CudaSpan {
        let last = self.tokens[self.next.saturating_sub(1)].at;
        if last.file == start.file && last.end >= start.end {
            CudaSpan { end: last.end, ..start }
        } else {
            start
        }
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        self.is_half = false;
    }

    pub fn text(&self, at: CudaSpan) -> &str {
        self.files
            .get(at.file as usize)
            .and_then(|f| f.text.get(at.start as usize..at.end as usize))
            .unwrap_or_default()
    }

    pub(super) fn expected(&self, what: &str) -> CudaRefusal {
        let token = self.token();
        let found = match token.lexeme {
            Lexeme::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text(token.at).chars().take(40).collect::<String>()),
        };
        let help = match token.lexeme {
            Lexeme::End => "something is not closed, or the file was cut off",
            _ => "what kernels are read from is in docs/kernels.md; nvcc reads all of CUDA C++",
        };
        CudaRefusal::new(token.at, format!("expected {what}, found {found}"), help)
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        self.token().is_sign(sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.token().word().is_some_and(|w| &**w == word)
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn expect(&mut self, sign: &str, of: &str) -> Result<(), CudaRefusal> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}` {of}"))) }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Rc<str>, CudaRefusal> {
        match self.token().word().cloned() {
            Some(word) if !is_reserved(&word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// One level deeper; [`Self::leave`] goes back.
    pub(super) fn enter(&mut self) -> Result<(), CudaRefusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth = 0;
            return Err(CudaRefusal::new(
                self.at(),
                format!("nested more than {MAX_DEPTH} deep"),
                "write it flatter",
            ));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn too_long(&self) -> CudaRefusal {
        CudaRefusal::new(
            self.at(),
            format!("more than {MAX_CHAIN} operands in one expression"),
            "take it apart into several statements",
        )
    }

    /// The closing bracket of the opening one at a token, by its number.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (n, token) in self.tokens.iter().enumerate().skip(open) {
            match token.lexeme {
                Lexeme::Sign("(" | "{" | "[") => depth += 1,
                Lexeme::Sign(")" | "}" | "]") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(n);
                    }
                }
                Lexeme::End => return None,
                _ => {}
            }
        }
        None
    }

    /// Skips what stands in brackets.
    pub(super) fn skip_brackets(&mut self) -> Result<(), CudaRefusal> {
        let open = self.next;
        match self.closing(open) {
            Some(end) => {
                self.next = end;
                self.advance();
                Ok(())
            }
            None => {
                let at = self.tokens[open].at;
                Err(CudaRefusal::new(
                    at,
                    format!("this `{}` is never closed", self.text(at)),
                    "close it, or the file was cut off",
                ))
            }
        }
    }

    /// Attributes, which say nothing of what a program does.
    pub(super) fn skip_attributes(&mut self) -> Result<(), CudaRefusal> {
        loop {
            if self.is("[") && self.after(1).is_sign("[") {
                self.skip_brackets()?;
            } else if self.is_word("__attribute__") || self.is_word("__declspec") {
                self.advance();
                self.skip_brackets()?;
            } else {
                return Ok(());
            }
        }
    }
}
