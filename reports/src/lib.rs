//! What the commands of Margay print as JSON (docs/json.md): a type for each document, one
//! vocabulary of verdicts, and with the feature `schema` a JSON Schema of each command, which
//! `margay schema` prints.
//!
//! A document is written by [`Document::value`], which adds to its fields the version of the
//! document (`schema`), the `command` that it is of, and the release of Margay (`margay`). [`read`]
//! reads it again, and refuses what is no document of its command.

mod document;
mod register;
#[cfg(feature = "schema")]
mod schema;

pub mod app;
pub mod builtin;
pub mod case;
pub mod change;
pub mod check;
pub mod classify;
pub mod confirm;
pub mod corpus;
pub mod diff;
pub mod error;
pub mod explain;
pub mod extract;
pub mod fence;
pub mod r#gen;
pub mod gpu;
pub mod head;
pub mod kernel;
pub mod page;
pub mod prove;
pub mod run;
pub mod sim;
pub mod synth;
pub mod verdict;
pub mod verify;
pub mod violation;

pub use document::{Document, HEAD, Head, RELEASE, body};
pub use register::{COMMANDS, CommandRecord, UnknownDocument, command, read};
#[cfg(feature = "schema")]
pub use schema::{schema, schema_text};
pub use verdict::{CoherenceReadingRecord, LevelRecord, StatusRecord, ToneRecord, Verdict};
