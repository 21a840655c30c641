//! What makes an instance a source execution: `SourceExpressions::wellformed`.

mod source;
mod special;
