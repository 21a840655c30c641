//! The .cat language: its text, its syntax tree, and the way back to text.
//!
//! The grammar is herd7's (modelParser.mly of herdtools7), as far as `docs/cat.md` lists it.

pub mod ast;
mod expression;
mod instruction;
mod parser;
mod print;
mod token;

pub use parser::{MAX_HEIGHT, MAX_NESTING, MAX_TEXT, Parsed, parse};
