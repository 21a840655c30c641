//! What makes an instance a source execution: `Source::wellformed`.

mod source;
mod special;
