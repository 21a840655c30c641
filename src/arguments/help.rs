//! What help shows: the commands in groups, options in groups, and those that are seldom needed in
//! the long help alone.
//!
//! Each option is named here once, by its long name; an option that is not here is shown among the
//! command's own, always.

use std::fmt::Write;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, Command};

/// The commands of the program, the most used first: the parser of options knows one list alone.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("Asked most", &["check", "run", "kernel", "test"]),
    ("Mappings", &["prove", "verify", "repair", "weaken", "extract", "confirm", "case"]),
    ("Models and tests", &["diff", "explain", "fence", "synth", "gen", "classify", "sim"]),
    ("Devices and applications", &["gpu", "app"]),
    ("What is built in", &["models", "mappings"]),
    ("For pages, programs and shells", &["report", "schema", "completions", "man", "help"]),
];

/// Options under one heading.
struct OptionGroup {
    heading: &'static str,
    /// In every help.
    often: &'static [&'static str],
    /// In the long help alone (`--help`).
    seldom: &'static [&'static str],
}

/// The groups, in the order in which they are shown.
const GROUPS: [OptionGroup; 6] = [
    OptionGroup {
        heading: "The question",
        often: &["model", "level", "bound", "axiom", "source", "target", "without", "only"],
        seldom: &["guards", "typed", "co", "without-axiom", "unroll", "lemmas", "tried"],
    },
    OptionGroup {
        heading: "Limits",
        often: &["timeout", "jobs"],
        seldom: &["memory", "solver", "engine", "candidates", "limit"],
    },
    OptionGroup {
        heading: "The device",
        often: &["device", "instances", "profile"],
        seldom: &["machine", "seed", "environment", "toolkit", "require-comparison", "watchdog"],
    },
    OptionGroup {
        heading: "Several machines",
        often: &[],
        seldom: &["split", "cluster", "cluster-from", "cluster-patience", "cluster-args"],
    },
    OptionGroup {
        heading: "Files",
        often: &["out", "certify"],
        seldom: &["rocq", "checkpoint", "dump-cnf", "results", "charts", "lrat", "junit"],
    },
    OptionGroup {
        heading: super::GENERAL,
        often: &["format", "verbose"],
        seldom: &["color", "config", "no-config"],
    },
];

/// Commands whose options of these names mean something else: they have few, or a page of their
/// own.
const UNGROUPED: [&str; 4] = ["gen", "extract", "report", "case"];

/// The program as its help shows it: arranged, and with its commands in groups.
pub fn shown(program: Command) -> Command {
    let arranged = arrange(program);
    let text = template(&arranged);
    arranged.help_template(text)
}

/// The help of the program, with a list of its commands in place of the one that the parser would
/// write.
fn template(program: &Command) -> StyledStr {
    let styles = Styles::default();
    let (header, name) = (styles.get_header(), styles.get_literal());
    let mut text = StyledStr::new();
    let mut list = String::new();
    for (heading, commands) in COMMANDS {
        let _ = writeln!(list, "\n{header}{heading}:{header:#}");
        for &command in commands {
            let about = program.find_subcommand(command).and_then(Command::get_about);
            let about = about.map_or_else(
                || "The same of a command: `margay help check`".to_owned(),
                ToString::to_string,
            );
            let _ = writeln!(list, "  {name}{command:12}{name:#} {about}");
        }
    }
    let _ = write!(
        text,
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    text
}

/// The same command, with its options in groups, and the seldom ones in the long help alone.
pub fn arrange(command: Command) -> Command {
    below(command, "margay", true)
}

fn below(command: Command, path: &str, grouped: bool) -> Command {
    let grouped = grouped && !UNGROUPED.contains(&command.get_name());
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    // Where a number is expected `-1` is a wrong one, and no option that is not known.
    let numbers = command.mut_args(|a| {
        if a.get_action().takes_values() { a.allow_negative_numbers(true) } else { a }
    });
    let mut arranged = if grouped { numbers.mut_args(place) } else { numbers };
    for name in names {
        let path = format!("{path} {name}");
        arranged = arranged.mut_subcommand(&name, |c| below(c, &path, grouped));
    }
    // The program itself says its exit codes there.
    match path {
        "margay" => arranged,
        _ => arranged.after_help(format!("More options: {path} --help")).after_long_help(""),
    }
}

fn place(argument: Arg) -> Arg {
    let Some(name) = argument.get_long().map(str::to_owned) else { return argument };
    let of = |names: &[&str]| names.contains(&name.as_str());
    match GROUPS.iter().find(|group| of(group.often) || of(group.seldom)) {
        Some(group) => argument.help_heading(group.heading).hide_short_help(of(group.seldom)),
        None => argument,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::{COMMANDS, GROUPS, arrange, shown};
    use crate::arguments::Arguments;

    /// Each command is listed once, in a line that fits a narrow terminal, since nothing breaks
    /// these lines.
    #[test]
    fn the_list_of_commands_has_each_command() {
        let mut program = shown(Arguments::command());
        program.build();
        let mut listed: Vec<_> =
            COMMANDS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        let mut real: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        real.sort_unstable();
        assert_eq!(listed, real);
        for help in [program.clone().render_help(), program.clone().render_long_help()] {
            let help = help.to_string();
            for name in &real {
                let lines: Vec<_> =
                    help.lines().filter(|line| line.starts_with(&format!("  {name} "))).collect();
                assert_eq!(lines.len(), 1, "{name}: {lines:?}");
                assert!(lines[0].len() <= 80 && lines[0].len() > 30, "{}", lines[0]);
            }
            assert!(
                help.contains("--format")
                    && help.contains("--version")
                    && help.contains("Exit codes: 0"),
                "{help}"
            );
        }
    }

    fn each(command: &Command, what: &mut impl FnMut(&Command)) {
        what(command);
        command.get_subcommands().for_each(|below| each(below, what));
    }

    #[test]
    fn every_name_is_one_of_an_option() {
        let mut known = Vec::new();
        each(&Arguments::command(), &mut |command| {
            known.extend(command.get_arguments().filter_map(|a| a.get_long().map(str::to_owned)));
        });
        for name in GROUPS.iter().flat_map(|g| g.often.iter().chain(g.seldom)) {
            assert!(known.iter().any(|k| k == name), "{name} is no option");
        }
    }

    /// One screen, for every command but those with a list of commands; and nothing is lost from
    /// the long help.
    #[test]
    fn short_help_is_one_screen() {
        let mut long = Vec::new();
        each(&Arguments::command().term_width(100), &mut |command| {
            long.push((command.get_name().to_owned(), command.get_arguments().count()));
        });
        let mut arranged = arrange(Arguments::command()).term_width(100);
        arranged.build();
        let mut seen = Vec::new();
        each(&arranged, &mut |command| {
            let lines = command.clone().render_help().to_string().lines().count();
            assert!(
                lines <= 60 || ["extract", "gpu", "margay"].contains(&command.get_name()),
                "{}: {lines}",
                command.get_name()
            );
            seen.push((command.get_name().to_owned(), lines));
            let (short, whole) = (
                command.clone().render_help().to_string(),
                command.clone().render_long_help().to_string(),
            );
            let hidden =
                command.get_arguments().filter(|a| a.is_hide_short_help_set() && !a.is_hide_set());
            for argument in hidden.filter_map(clap::Arg::get_long) {
                let option = format!("--{argument} <");
                assert!(
                    !short.contains(&option) && whole.contains(&format!("--{argument}")),
                    "{argument}"
                );
                assert!(
                    short.contains("More options: margay")
                        || ["margay", "help"].contains(&command.get_name()),
                    "{short}"
                );
            }
        });
        assert!(seen.len() >= long.len());
    }
}
