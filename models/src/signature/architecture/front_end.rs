//! Architectures whose tests are written in a language of their own, which a front end in Rust
//! reads and unfolds: PTX, C, and the plain accesses of GENERIC tests. The lines `front-end`,
//! `words` and `well-formed` of their texts.

use super::Architecture;
use super::description::FrontEndText;
use super::leaked::leaked;
use super::text::{ArchitectureReader, after};
use crate::diagnostic::{Diagnostic, Span, nearest};

/// The words by which an architecture names the front end that reads its tests.
const WORDS: [&str; 3] = ["generic", "c", "ptx"];

impl Architecture {
    /// The front end that reads its tests and makes its executions, by its word; `None` where tests
    /// are tables of its mnemonics.
    pub fn front_end(self) -> Option<&'static str> {
        self.description().front_end.as_ref().map(|front_end| front_end.word)
    }

    /// The architecture, if its tests are tables of its mnemonics: no front end reads a language of
    /// it.
    pub fn tabular(self) -> Option<Architecture> {
        self.front_end().is_none().then_some(self)
    }

    /// Do its events carry the memory orders of C++ and PTX? (Where no front end makes them they
    /// carry tags.)
    pub fn has_orders(self) -> bool {
        self.front_end().is_some() && !self.description().tags.is_empty()
    }

    /// Are there programs whose operations have no scope, although others have: those of C without
    /// a `memory_scope`?
    pub fn can_be_unscoped(self) -> bool {
        self.front_end() == Some("c")
    }

    /// Have all tests its executions, those without orders and scopes (the architecture of SC and
    /// TSO)?
    pub fn is_plain(self) -> bool {
        self.front_end().is_some() && !self.has_orders() && !self.has_places()
    }

    /// The first words of models that mean it.
    pub fn words(self) -> &'static [&'static str] {
        match &self.description().front_end {
            Some(front_end) => &front_end.words,
            None => std::slice::from_ref(&self.description().word),
        }
    }

    /// How a model of it begins that is printed.
    pub fn header(self) -> &'static str {
        self.description()
            .front_end
            .as_ref()
            .and_then(|front_end| front_end.header)
            .unwrap_or(self.word())
    }

    /// The file of signatures/ with the conditions of its executions; `None` where they follow from
    /// its text.
    pub(crate) fn well_formed(self) -> Option<&'static str> {
        self.description().front_end.as_ref().map(|front_end| front_end.well_formed)
    }
}

impl ArchitectureReader<'_> {
    /// `front-end ptx`.
    pub(super) fn front_end(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        if !self.front_end_allowed {
            let help = "the front ends read the languages of PTX, C and GENERIC tests; tests of any other architecture are tables of its \
                        mnemonics: drop the line";
            return Err(self.error(
                keyword,
                "no front end reads tests of this architecture",
                "not possible here",
                help,
            ));
        }
        let shape = Self::shape("front-end");
        let [(word, span)] = rest else {
            return Err(self.error(
                after(keyword),
                "expected the word of a front end",
                "expected one word",
                shape,
            ));
        };
        let Some(word) = WORDS.into_iter().find(|known| known == word) else {
            let help = nearest(word, WORDS).map_or(shape, |near| format!("did you mean `{near}`?"));
            return Err(self.error(
                *span,
                format!("unknown front end `{word}`"),
                "not a front end",
                help,
            ));
        };
        self.description.front_end =
            Some(FrontEndText { word, words: Vec::new(), header: None, well_formed: "plain.cat" });
        Ok(())
    }

    /// What only a text with a line `front-end` says.
    fn of_front_end(&mut self, keyword: Span, what: &str) -> Result<&mut FrontEndText, Diagnostic> {
        if self.description.front_end.is_none() {
            let message = format!("`{what}` is for architectures with a front end");
            let help = "the name of the file is the word by which models and tests know the architecture, and its executions are \
                        well-formed by what its text says: drop the line";
            return Err(self.error(keyword, message, "not possible here", help));
        }
        Ok(self.description.front_end.as_mut().expect("it is there"))
    }

    /// `words PTX GPU_PTX`.
    pub(super) fn words(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let words = rest.iter().map(|(word, _)| leaked(word)).collect();
        self.of_front_end(keyword, "words")?.words = words;
        Ok(())
    }

    /// `well-formed ptx.cat`.
    pub(super) fn well_formed(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        self.of_front_end(keyword, "well-formed")?;
        let [(file, _)] = rest else {
            return Err(self.error(
                after(keyword),
                "expected the name of a file",
                "expected a name",
                Self::shape("well-formed"),
            ));
        };
        self.of_front_end(keyword, "well-formed")?.well_formed = leaked(file);
        Ok(())
    }

    /// `print architecture as Generic`.
    pub(super) fn print_header(&mut self, keyword: Span, word: &str) -> Result<(), Diagnostic> {
        self.of_front_end(keyword, "print architecture")?.header = Some(leaked(word));
        Ok(())
    }
}
