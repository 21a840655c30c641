//! What is missing where no execution has an outcome: executions that were lost are no proof that
//! it is forbidden.

mod ask;

use margay_models::diagnostic::SourceFile;

use crate::test::Quantifier;
use crate::unfold::Standstill;

pub(crate) use ask::gap;

/// Why nothing, or less than "forbidden", follows where no execution has an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// No legal execution ends (within the bound, if there is one). Where threads stand in one that
    /// the model allows as far as it goes.
    Endless(Vec<Standstill>),
    /// Some legal executions end, and in others a thread comes to an instruction that has no
    /// meaning with the values it got.
    Lost(Vec<Standstill>),
    /// Legal executions end, and none passes the filter.
    Filtered,
}

impl Gap {
    /// Its name, in documents and lists of verdicts.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    pub fn kind(&self) -> GapKind {
        match self {
            Self::Endless(_) => GapKind::Endless,
            Self::Lost(_) => GapKind::Lost,
            Self::Filtered => GapKind::Filtered,
        }
    }

    /// Is it more than a verdict says that is known up to a bound: that no execution with so many
    /// turns was found?
    pub fn is_beyond(&self, bounded: bool) -> bool {
        !(bounded && matches!(self, Self::Endless(_)))
    }

    /// Where threads stop.
    pub fn standstills(&self) -> &[Standstill] {
        match self {
            Self::Endless(found) | Self::Lost(found) => found,
            Self::Filtered => &[],
        }
    }
}

impl Gap {
    /// What is missing and what follows, in sentences; `unroll` where loops were cut off after so
    /// many backward jumps.
    pub fn sentences(
        &self,
        test: &SourceFile,
        quantifier: Quantifier,
        unroll: Option<usize>,
    ) -> Vec<String> {
        let asked = quantifier.asks_for();
        let bound = unroll
            .map_or(String::new(), |n| format!(" with at most {n} backward jumps in each loop"));
        let first = match self {
            Self::Endless(_) => format!(
                "No execution of the program ends{bound}. So nothing follows about the outcome."
            ),
            Self::Lost(_) => format!(
                "No execution that ends{bound} {asked}, but the model allows executions that are lost on the way. So nothing follows about \
                 the outcome."
            ),
            Self::Filtered => {
                format!(
                    "No execution{bound} passes the filter. So nothing follows about the condition."
                )
            }
        };
        std::iter::once(first).chain(self.standstills().iter().map(|s| s.sentence(test))).collect()
    }
}

impl Standstill {
    /// Where the thread stops and why, in a sentence.
    pub fn sentence(&self, test: &SourceFile) -> String {
        let line = test.position(self.place.0.start).0;
        format!(
            "P{} stops at line {line} (`{}`): {}.",
            self.thread.0,
            self.place.text(test),
            self.why
        )
    }
}

/// The kinds of [`Gap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GapKind {
    /// [`Gap::Endless`]
    Endless,
    /// [`Gap::Lost`]
    Lost,
    /// [`Gap::Filtered`]
    Filtered,
}

impl GapKind {
    pub const ALL: [Self; 3] = [Self::Endless, Self::Lost, Self::Filtered];

    /// What is missing, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Endless => "no execution ends",
            Self::Lost => {
                "executions are lost at an instruction that has no meaning with the values it got"
            }
            Self::Filtered => "no execution passes the filter",
        }
    }

    /// Its name, in documents and lists of verdicts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Endless => "endless",
            Self::Lost => "lost",
            Self::Filtered => "filtered",
        }
    }
}
