//! The .cat language: its text, its syntax tree, and the way back to text.
//!
//! The grammar is herd7's (modelParser.mly of herdtools7), as far as `docs/cat.md` lists it.

pub mod ast;
mod choice;
mod expression;
mod header;
mod instruction;
mod parser;
mod print;
mod token;

pub(crate) use choice::BELL_INSTEAD;
pub use parser::{MAX_HEIGHT, MAX_NESTING, MAX_TEXT, Parsed, parse};

/// The reserved words, which cannot be names.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    token::Keyword::ALL.iter().map(|(_, text)| *text)
}
