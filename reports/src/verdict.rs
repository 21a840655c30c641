//! The words that answers are given in. Each has one meaning, whichever command says it.

use margay_mappings::{check, status};

use crate::document::parts;

/// What a verdict means to whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToneRecord {
    /// What was asked about holds.
    Good,
    /// It does not.
    Bad,
    /// It is not known.
    Unsure,
    /// An answer that is neither good nor bad: that is for the reader to say.
    Plain,
}

parts! {
    /// The answer to a question.
    #[derive(Copy, Eq, PartialOrd, Ord, Hash)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// There is no counterexample, or no difference, up to the bound.
        None,
        /// There is none of any size: it is proved.
        Theorem,
        /// There is a counterexample.
        Counterexample,
        /// Two things say the same: two models up to the bound, a kernel's machine code and its
        /// test.
        Equal,
        /// They do not.
        Different,
        /// A limit was reached first.
        Undecided,
        /// A model allows the outcome of a test.
        Allowed,
        /// A model forbids it.
        Forbidden,
        /// The program is undefined: a model forbids nothing of it.
        Racy,
        /// No execution of the program has the outcome, whatever a model says.
        Impossible,
        /// There are changes of a program that forbid its outcome.
        Repairable,
        /// No change that was tried forbids the outcome of a program, or none leaves it without a
        /// race.
        Irreparable,
        /// Neither a proof nor a counterexample was found; or there are cases without an answer.
        Open,
        /// Machine code was made, and there is nothing to compare it with the test by.
        Assembled,
        /// A target has not what a test needs.
        Unsupported,
    }

    /// What follows from a counterexample for the program that it is of.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "lowercase")]
    pub enum StatusRecord {
        /// Its program has no race, and no execution of it has the outcome: a compiler bug.
        Program,
        /// A limit was reached before its program was asked about.
        Unknown,
        /// Another modification order of its program allows the outcome.
        Explained,
        /// Its program races, so the source says nothing of what it does.
        Racy,
    }

    /// What a counterexample is.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "lowercase")]
    pub enum LevelRecord {
        /// An execution.
        Execution,
        /// A program and an outcome.
        Program,
    }

    /// Which modification orders a counterexample must fail under.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "lowercase")]
    pub enum CoherenceReadingRecord {
        /// One above the target's coherence order.
        Universal,
        /// All.
        Exists,
    }
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 15] = [
        Self::None,
        Self::Theorem,
        Self::Counterexample,
        Self::Equal,
        Self::Different,
        Self::Undecided,
        Self::Allowed,
        Self::Forbidden,
        Self::Racy,
        Self::Impossible,
        Self::Repairable,
        Self::Irreparable,
        Self::Open,
        Self::Assembled,
        Self::Unsupported,
    ];

    /// The word, as it stands in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Theorem => "theorem",
            Self::Counterexample => "counterexample",
            Self::Equal => "equal",
            Self::Different => "different",
            Self::Undecided => "undecided",
            Self::Allowed => "allowed",
            Self::Forbidden => "forbidden",
            Self::Racy => "racy",
            Self::Impossible => "impossible",
            Self::Repairable => "repairable",
            Self::Irreparable => "irreparable",
            Self::Open => "open",
            Self::Assembled => "assembled",
            Self::Unsupported => "unsupported",
        }
    }

    /// The verdict that a word says.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// Is it good news?
    pub fn tone(self) -> ToneRecord {
        match self {
            Self::None | Self::Theorem | Self::Equal => ToneRecord::Good,
            Self::Counterexample | Self::Different => ToneRecord::Bad,
            Self::Undecided | Self::Open | Self::Unsupported => ToneRecord::Unsure,
            Self::Allowed | Self::Forbidden | Self::Racy | Self::Impossible => ToneRecord::Plain,
            Self::Repairable | Self::Irreparable | Self::Assembled => ToneRecord::Plain,
        }
    }
}

impl StatusRecord {
    /// Is a counterexample with it bad news?
    pub fn tone(self) -> ToneRecord {
        match self {
            Self::Program => ToneRecord::Bad,
            Self::Unknown | Self::Explained | Self::Racy => ToneRecord::Unsure,
        }
    }

    /// The status that a word says.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "program" => Some(Self::Program),
            "unknown" => Some(Self::Unknown),
            "explained" => Some(Self::Explained),
            "racy" => Some(Self::Racy),
            _ => None,
        }
    }
}

impl From<status::Status> for StatusRecord {
    fn from(status: status::Status) -> Self {
        match status {
            status::Status::Program => Self::Program,
            status::Status::Unknown => Self::Unknown,
            status::Status::Explained => Self::Explained,
            status::Status::Racy => Self::Racy,
        }
    }
}

impl From<check::Level> for LevelRecord {
    fn from(level: check::Level) -> Self {
        match level {
            check::Level::Execution => Self::Execution,
            check::Level::Program => Self::Program,
        }
    }
}

impl From<check::CoReading> for CoherenceReadingRecord {
    fn from(reading: check::CoReading) -> Self {
        match reading {
            check::CoReading::Universal => Self::Universal,
            check::CoReading::Exists => Self::Exists,
        }
    }
}

impl From<&check::CheckVerdict> for Verdict {
    fn from(verdict: &check::CheckVerdict) -> Self {
        match verdict {
            check::CheckVerdict::None => Self::None,
            check::CheckVerdict::Counterexample => Self::Counterexample,
            check::CheckVerdict::Undecided(_) => Self::Undecided,
        }
    }
}
