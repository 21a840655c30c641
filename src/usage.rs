//! Help, the version, and mistakes on the command line, as the parser of options tells them.

use std::error::Error;
use std::io::{self, IsTerminal, Write};

use clap::CommandFactory;
use clap::error::ErrorKind;
use margay_console::exit::Exit;
use margay_console::limits::no_number;
use margay_console::terminal;
use margay_models::text::in_line;

use crate::arguments::Arguments;

/// Prints what clap has to say: help and version on standard output, mistakes on standard error.
pub fn print(error: &clap::Error) -> Exit {
    let styles = |terminal: bool| {
        terminal
            && !terminal::is_dumb()
            && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
    };
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
        let words = || std::env::args().skip(1);
        let hint = match error.kind() {
            ErrorKind::MissingRequiredArgument => {
                words().skip(1).find_map(|word| hint(&word, false)).or_else(|| list(error))
            }
            ErrorKind::InvalidSubcommand => words().find_map(|word| hint(&word, true)),
            _ => None,
        };
        if let Some(hint) = hint.or_else(single_dash) {
            said += &format!("\n{hint}\n");
        }
        let _ = io::stderr().write_all(without_tip(&said).as_bytes());
        return Exit::Wrong;
    }
    let mut out = io::stdout().lock();
    match out
        .write_all(shown(styles(io::stdout().is_terminal())).as_bytes())
        .and_then(|()| out.flush())
    {
        // A closed pipe is no reason to complain.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: cannot write: {error}");
            Exit::Wrong
        }
        _ => Exit::Holds,
    }
}

/// Nobody who gives an option that a command lacks means a file of that name.
fn without_tip(said: &str) -> String {
    let lines: Vec<&str> = said.split('\n').collect();
    let is_tip = |line: &str| line.contains("tip:") && line.contains("as a value, use");
    let kept = lines.iter().enumerate().filter(|&(i, line)| {
        let is_blank_behind = i > 0 && line.is_empty() && is_tip(lines[i - 1]);
        !is_tip(line) && !is_blank_behind
    });
    kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
}

/// What a file is for that is named by its ending: where a command for litmus tests lacks its model
/// perhaps another command is meant, and where there is no command (`alone`) it is missing.
fn hint(word: &str, alone: bool) -> Option<String> {
    let (what, command, behind) = match word.rsplit_once('.')? {
        (_, "cu" | "ptx") => ("a GPU kernel", "kernel", ""),
        (_, "map") => ("a mapping", "check", ""),
        (_, "litmus") if alone => ("a litmus test", "run", " --model MODEL"),
        (_, "cat") if alone => ("a model", "run TEST --model", ""),
        _ => return None,
    };
    let word = in_line(word);
    Some(
        terminal::printable(
            &format!("`{word}` seems to be {what}: margay {command} {word}{behind}"),
            false,
        )
        .into_owned(),
    )
}

/// A long option with one dash, as herd7 has them, is read as a short one with a value.
pub fn single_dash() -> Option<String> {
    let is_option = |name: &str| {
        fn has(command: &clap::Command, name: &str) -> bool {
            command.get_arguments().any(|a| a.get_long() == Some(name))
                || command.get_subcommands().any(|c| has(c, name))
        }
        has(&Arguments::command(), name)
    };
    std::env::args().skip(1).take_while(|word| word != "--").find_map(|word| {
        let name =
            word.strip_prefix('-').filter(|name| name.len() > 1 && !name.starts_with('-'))?;
        is_option(name).then(|| format!("long options have two dashes: `--{name}`, not `-{name}`"))
    })
}

/// Which command lists what is missing: that stands in lines of its own in front of the usage,
/// whoever found it missing.
fn list(error: &clap::Error) -> Option<String> {
    let text = error.render().to_string();
    let mut missing = text.lines().take_while(|line| !line.starts_with("Usage"));
    let lists = [
        ("<MODEL>", "`margay models` lists the built-in models; a .cat file is named by its path"),
        (
            "<MAPPING>",
            "`margay mappings` lists the built-in mappings; a .map file is named by its path",
        ),
        ("<FRONT-END>", "`margay extract --list` lists the front ends"),
    ];
    missing
        .find_map(|line| lists.iter().find(|(name, _)| line.ends_with(name)))
        .map(|(_, list)| (*list).to_owned())
}
