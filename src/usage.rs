//! Help, the version, and mistakes on the command line, as the parser of options tells them.

use std::error::Error;
use std::io::{self, IsTerminal, Write};

use clap::error::ErrorKind;
use margay_console::exit::Exit;
use margay_console::limits::no_number;
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
        let mut said = shown(styles(io::stderr().is_terminal()));
        if let Some(wrong) = error.source()
            && let Some(expected) = no_number(wrong)
        {
            said = said.replace(&wrong.to_string(), expected);
        }
        if error.kind() == ErrorKind::MissingRequiredArgument
            && let Some(hint) = std::env::args().skip(2).find_map(|word| hint(&word)).or_else(|| list(error))
        {
            said += &format!("\n{hint}\n");
        }
        let _ = io::stderr().write_all(said.as_bytes());
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

/// What a file is for that is named by its ending, where a command for litmus tests lacks its model: perhaps another command is meant.
fn hint(word: &str) -> Option<String> {
    let (what, command) = match word.rsplit_once('.')? {
        (_, "cu" | "ptx") => ("a GPU kernel", "kernel"),
        (_, "map") => ("a mapping", "check"),
        _ => return None,
    };
    Some(terminal::printable(&format!("`{word}` seems to be {what}: margay {command} {word}"), false).into_owned())
}

/// Which command lists what is missing: that stands in lines of its own in front of the usage, whoever found it missing.
fn list(error: &clap::Error) -> Option<String> {
    let text = error.render().to_string();
    let mut missing = text.lines().take_while(|line| !line.starts_with("Usage"));
    let lists = [
        ("<MODEL>", "`margay models` lists the built-in models; a .cat file is named by its path"),
        ("<MAPPING>", "`margay mappings` lists the built-in mappings; a .map file is named by its path"),
        ("<FRONT-END>", "`margay extract --list` lists the front ends"),
    ];
    missing.find_map(|line| lists.iter().find(|(name, _)| line.ends_with(name))).map(|(_, list)| (*list).to_owned())
}
