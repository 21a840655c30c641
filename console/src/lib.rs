//! How Margay talks to whoever runs it: text and JSON on standard output, diagnostics and progress
//! on standard error, files in a folder, exit codes, the defaults of options, and what stops a long
//! run.

#![warn(unreachable_pub)]

pub mod config;
pub mod diagnostics;
pub mod exit;
pub mod folder;
pub mod inputs;
pub mod limits;
pub mod output;
pub mod progress;
pub mod side_by_side;
pub mod table;
pub mod terminal;
pub mod wrapped;
