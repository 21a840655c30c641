//! Words that live as long as the program, so that events and instructions can hold them.

/// A text that lives as long as the program.
pub(super) fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
