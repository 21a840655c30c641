//! What only Unix has of processes: a group that is ended whole, and the signal that ended one.

use std::process::{Command, ExitStatus};

/// The process gets a group of its own, so that what it starts can be ended with it.
pub(super) fn own(process: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(process, 0);
    #[cfg(not(unix))]
    let _ = process;
}

/// The signal that ended a process, if one did.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    return status.code().and(None);
}
