//! Exit codes: 0 holds, 1 counterexample or difference, 2 wrong input or command, 3 undecided.

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The property holds, as far as it was asked.
    Holds = 0,
    /// A counterexample or a difference was found.
    Found = 1,
    /// The input or the command is wrong.
    Wrong = 2,
    /// A limit was reached, or the program was interrupted.
    Undecided = 3,
}

/// Prints what clap has to say: help and version on standard output, mistakes on standard error.
pub fn usage(error: &clap::Error) -> Exit {
    // A closed pipe is no reason to complain.
    let _ = error.print();
    if error.use_stderr() { Exit::Wrong } else { Exit::Holds }
}
