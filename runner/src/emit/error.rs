//! Why there is no kernel for a test, and what to change.

use std::fmt;

use margay_models::diagnostic::Span;

/// What an error is about, and so what to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmissionFault {
    /// The test has something that no kernel here can do.
    Test,
    /// The target has not what the test needs.
    Target,
    /// The environment asks for too much.
    Environment,
}

/// Why there is no kernel for a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmissionError {
    /// What it is about.
    pub fault: EmissionFault,
    /// One sentence.
    pub message: String,
    /// Where, in the text of the test.
    pub place: Option<Span>,
}

impl fmt::Display for EmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EmissionError {}

impl EmissionError {
    pub(crate) fn test(message: impl Into<String>) -> Self {
        Self { fault: EmissionFault::Test, message: message.into(), place: None }
    }

    pub(crate) fn target(message: impl Into<String>) -> Self {
        Self { fault: EmissionFault::Target, message: message.into(), place: None }
    }

    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { fault: EmissionFault::Environment, message: message.into(), place: None }
    }
}
