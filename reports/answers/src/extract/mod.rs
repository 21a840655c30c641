//! What compilers emit: the question, and the answer for people and as documents.

mod ask;
pub mod compiler;
pub mod difference;
pub mod functions;
pub mod interrupt;
pub mod json;
pub mod show;

pub use ask::run;
pub use compiler::CompilerTableOptions;
