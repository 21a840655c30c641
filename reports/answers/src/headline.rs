//! The first line of an answer. It is made here for every search, so that its bound, and what the
//! question leaves out, stand in it whichever form it is printed in: text, the field `answer` of
//! JSON, and the pages and summaries that are made of it.

use margay_console::output::Output;
use margay_console::table::counted;

use crate::restriction::Restriction;

/// The size of an execution, or of a question: `1 event`, `4 events`.
pub fn events(n: usize) -> String {
    counted(n as u64, "event", "events")
}

/// How an answer is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is wrong.
    Good,
    /// Something is.
    Bad,
    /// It does not say.
    Unsure,
}

/// A first line: what was found, its bound and more about it, what the question leaves out, and
/// what was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// How it is to be taken.
    pub tone: Tone,
    /// What was found, in a word or two, which have a colour: `no counterexample`.
    pub found: String,
    pub rest: String,
}

impl Headline {
    /// `no counterexample` ` up to 4 events` ` (only programs of R, W)` `: the title`.
    pub fn new(
        tone: Tone,
        found: impl Into<String>,
        rest: &str,
        restriction: &Restriction,
        of: &str,
    ) -> Self {
        Self { tone, found: found.into(), rest: format!("{rest}{restriction}: {of}") }
    }

    /// Without colours.
    pub fn text(&self) -> String {
        format!("{}{}", self.found, self.rest)
    }

    /// With what was found in its colour.
    pub fn painted(&self, output: Output) -> String {
        let found = match self.tone {
            Tone::Good => output.good(&self.found),
            Tone::Bad => output.bad(&self.found),
            Tone::Unsure => output.unsure(&self.found),
        };
        format!("{found}{}", self.rest)
    }
}
