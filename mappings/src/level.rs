//! What a question is about: single executions or programs, and how modification order is read.

use serde::{Deserialize, Serialize};

/// Which modification orders a counterexample must fail under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoReading {
    /// The paper's statement (section 5.2): some modification order above the target's coherence
    /// order breaks an axiom.
    #[default]
    Universal,
    /// No modification order explains the outcome (what every read returns, and which write each
    /// location ends with).
    Exists,
}

impl CoReading {
    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Universal => "universal",
            Self::Exists => "exists",
        }
    }
}

/// What a counterexample is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An execution: legal in the target, illegal and without undefined behaviour in the source
    /// (the paper's statement). What follows for its program is asked afterwards
    /// ([`crate::status`]).
    #[default]
    Execution,
    /// A program and an outcome: no consistent execution of the program has the outcome or is
    /// undefined in the source, and the compiled program has it in the target
    /// (docs/program-level.md).
    Program,
}

impl Level {
    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Program => "program",
        }
    }
}
