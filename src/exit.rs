//! Exit codes: 0 holds, 1 counterexample or difference, 2 wrong input or command, 3 undecided.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::terminal;

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

/// Ends the program. Where a device was given up while it worked, nothing is let go of: the driver's own end (destructors, `atexit`) would wait for the
/// kernel that never ends.
pub fn leave(exit: Exit) -> ExitCode {
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

/// Prints what clap has to say: help and version on standard output, mistakes on standard error.
pub fn usage(error: &clap::Error) -> Exit {
    let styles = |terminal: bool| terminal && !terminal::is_dumb() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = error.render();
    let shown = |styles: bool| match styles {
        true => terminal::printable(&text.ansi().to_string(), true).into_owned(),
        false => terminal::printable(&text.to_string(), false).into_owned(),
    };
    if error.use_stderr() {
        let _ = io::stderr().write_all(shown(styles(io::stderr().is_terminal())).as_bytes());
        return Exit::Wrong;
    }
    let mut out = io::stdout().lock();
    match out.write_all(shown(styles(io::stdout().is_terminal())).as_bytes()).and_then(|()| out.flush()) {
        // A closed pipe is no reason to complain.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: cannot write: {error}");
            Exit::Wrong
        }
        _ => Exit::Holds,
    }
}
