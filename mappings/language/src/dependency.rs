//! The dependencies that a row adds: `addr`, `data` and `ctrl` behind its access.

use margay_models::signature::BaseRelation;

/// What comes later in the thread may depend on what a row reads in three ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependency {
    /// The addresses of all later accesses are computed from it, whatever its value (`r ^ r` is
    /// added to them).
    Addr,
    /// The values of all later writes are computed from it likewise.
    Data,
    /// A branch tests it, and whatever comes later is executed behind the branch.
    Ctrl,
}

impl Dependency {
    /// All of them, in the order in which rows are printed.
    pub const ALL: [Dependency; 3] = [Dependency::Addr, Dependency::Data, Dependency::Ctrl];

    /// The word in a row.
    pub fn word(self) -> &'static str {
        match self {
            Dependency::Addr => "addr",
            Dependency::Data => "data",
            Dependency::Ctrl => "ctrl",
        }
    }

    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.word() == word)
    }

    /// The relation of the target that gets the pairs.
    pub fn relation(self) -> BaseRelation {
        match self {
            Dependency::Addr => BaseRelation::Addr,
            Dependency::Data => BaseRelation::Data,
            Dependency::Ctrl => BaseRelation::Ctrl,
        }
    }

    /// What depends, in a sentence.
    pub fn dependent(self) -> &'static str {
        match self {
            Dependency::Addr => "the addresses of all later accesses depend on it",
            Dependency::Data => "the values of all later writes depend on it",
            Dependency::Ctrl => "whatever comes later is control-dependent on it",
        }
    }
}

/// Which of these words a lowering has, and after how many of the instructions behind its access
/// each of them stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoweringDependencies([Option<usize>; 3]);

impl LoweringDependencies {
    /// The number of instructions between the access and the word; `None` where the lowering does
    /// not have it.
    pub fn get(self, dependency: Dependency) -> Option<usize> {
        self.0[dependency as usize]
    }

    /// The same with the word there, or without it.
    #[must_use]
    pub fn with(mut self, dependency: Dependency, behind: Option<usize>) -> Self {
        self.0[dependency as usize] = behind;
        self
    }

    /// The words that are there, and where.
    pub fn iter(self) -> impl Iterator<Item = (Dependency, usize)> {
        Dependency::ALL.into_iter().filter_map(move |d| Some((d, self.get(d)?)))
    }

    /// The same words, each moved to another place.
    #[must_use]
    pub fn moved(self, to: impl Fn(usize) -> usize) -> Self {
        Self(self.0.map(|behind| behind.map(&to)))
    }
}
