//! How far a test is unfolded.

use super::retry::RetryRounds;

/// How often loops are gone round, how many paths a thread has at most, and which are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnfoldingBounds {
    /// How often each loop is gone round on a path.
    pub unroll: usize,
    /// The largest number of paths of a thread.
    pub paths: usize,
    /// Leave out paths that go round a loop which only waits: right for models that forbid no less
    /// when reads are added.
    pub skip_waiting: bool,
    /// With that, leave out those that go round a loop whose read-modify-writes write back what
    /// they read, too: right for the models of which docs/semantics.md says so.
    pub skip_rewriting: bool,
    /// Leave out paths that only wait for the question of races as well: right where no access of
    /// such a round can race.
    pub skip_waiting_for_races: bool,
    /// Have threads that end let others pass at barriers by an arrival that is relaxed: right for
    /// models in which such an arrival orders no memory.
    pub ends_let_pass: bool,
    /// Which rounds of loops are looked at that try again.
    pub retries: RetryRounds,
}

impl Default for UnfoldingBounds {
    fn default() -> Self {
        Self {
            unroll: 2,
            paths: 4096,
            skip_waiting: false,
            skip_rewriting: false,
            skip_waiting_for_races: false,
            ends_let_pass: false,
            retries: RetryRounds::All,
        }
    }
}
