//! Exit codes: 0 holds, 1 counterexample or difference, 2 wrong input or command, 3 undecided.

use std::io::Write;
use std::process::ExitCode;

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

/// What a command returns: how to exit, or why its output could not be written.
pub type CommandOutcome = std::io::Result<Exit>;

/// Ends the program. Where the question was none, folders that were made for its answer go. Where a
/// device was given up while it worked, nothing is let go of: the driver's own end (destructors,
/// `atexit`) would wait for the kernel that never ends.
pub fn leave(exit: Exit) -> ExitCode {
    if exit == Exit::Wrong {
        margay_models::confined::remove_empty();
    }
    if margay_runner::device::abandoned() {
        at_once(exit);
    }
    ExitCode::from(exit as u8)
}

/// Ends the program at once: what was printed is written, and nothing else is done.
pub fn at_once(exit: Exit) -> ! {
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    abandon(exit)
}

/// Ends the program where it stands: what has not been written is lost.
pub fn abandon(exit: Exit) -> ! {
    // SAFETY: takes a number and does not come back.
    unsafe { libc::_exit(exit as i32) }
}
