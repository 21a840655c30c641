//! Help, the version, and mistakes on the command line, as the parser of options tells them.

use std::io::{self, IsTerminal, Write};

use margay_console::exit::Exit;
use margay_console::terminal;

/// Prints what clap has to say: help and version on standard output, mistakes on standard error.
pub fn print(error: &clap::Error) -> Exit {
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
