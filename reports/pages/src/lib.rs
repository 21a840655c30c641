//! Documents of Margay's commands as one HTML page that loads nothing, or as a short summary in
//! Markdown. Every field is shown, also of commands that are not known here.

#![warn(unreachable_pub)]

mod content;
mod finding;
mod html;
mod input;
mod look;
mod markdown;
mod matrix;
pub mod write;

pub use html::page;
pub use input::{Section, read};
pub use markdown::summary;
