//! What makes an instance a source execution: `SourceExpressions::wellformed`.

mod barrier;
mod source;
mod special;
