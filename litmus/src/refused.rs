//! Why a test is refused before it is answered.

use std::fmt;

use margay_models::diagnostic::Span;

use crate::test::Place;

/// Why a test cannot be unfolded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfoldError {
    /// One sentence.
    pub message: String,
    /// Where, in the text that the test was read from.
    pub place: Option<Span>,
}

impl fmt::Display for UnfoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnfoldError {}

impl UnfoldError {
    /// Without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }

    pub fn at(message: impl Into<String>, place: Place) -> Self {
        Self { message: message.into(), place: Some(place.0) }
    }
}
