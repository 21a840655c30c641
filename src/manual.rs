//! `margay completions` and `margay man`: what a shell and `man` are to know of the command line,
//! written by the program itself.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};
use margay_console::exit::Exit;
use margay_console::output::{Format, Output};
use margay_models::confined::{make_folder, place_in};
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::anew;
use margay_reports::builtin;

use crate::CommandOutcome;
use crate::arguments::{Arguments, help};
use crate::examples::EXAMPLES;

/// Options of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell; its manual says where the text belongs
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Options of `man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The folder, which is made if need be: `man -l DIR/margay-check.1` shows a page of it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Prints the completions of a shell.
pub fn completions(options: &CompletionsArguments, output: &Output) -> CommandOutcome {
    let mut text = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut with_names(Arguments::command()),
        "margay",
        &mut text,
    );
    let text = String::from_utf8_lossy(&text);
    match output.format {
        Format::Human => output.print(text.trim_end())?,
        Format::Json => output.document(&builtin::CompletionsDocument {
            shell: options.shell.to_string(),
            text: text.into_owned(),
        })?,
    }
    Ok(Exit::Holds)
}

/// Writes a manual page for each command.
pub fn pages(options: &ManArguments, output: &Output) -> CommandOutcome {
    let mut program = help::arrange(Arguments::command());
    program.build();
    let mut files = Vec::new();
    if let Err(error) = write(&program, &options.folder, &mut files) {
        let what = format!("cannot write manual pages to `{}`: {error}", options.folder.display());
        return output.wrong(&[Diagnostic::error(what)]);
    }
    match output.format {
        Format::Human => output.print(&format!(
            "{} manual pages in {}",
            files.len(),
            options.folder.display()
        ))?,
        Format::Json => output
            .document(&builtin::Pages { folder: options.folder.display().to_string(), files })?,
    }
    Ok(Exit::Holds)
}

/// The examples of a command, whose page has this name (`margay-gpu-run`), as a section of it.
fn examples(name: &str) -> io::Result<Vec<u8>> {
    // Nothing is left of the program's own name.
    let command = name.strip_prefix("margay-").unwrap_or_default().replace('-', " ");
    let Some((_, lines)) = EXAMPLES.iter().find(|(of, _)| *of == command) else {
        return Ok(Vec::new());
    };
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]);
    for (line, what) in *lines {
        section.control("TP", []).text([bold(*line)]).text([roman(*what)]);
    }
    let mut text = Vec::new();
    section.to_writer(&mut text)?;
    Ok(text)
}

/// The names that arguments take, beside paths: a shell completes them.
fn with_names(command: clap::Command) -> clap::Command {
    let named = |argument: clap::Arg| {
        let is = |name: &str| {
            argument.get_value_names().is_some_and(|names| names.iter().any(|n| n.as_str() == name))
        };
        let names: Vec<String> = match () {
            () if is("MODEL") => {
                margay_models::library::built_in_names().map(str::to_owned).collect()
            }
            () if is("MAPPING") => margay_mappings::library::names().map(str::to_owned).collect(),
            () if is("FRONT-END") => margay_extract::front::names().map(str::to_owned).collect(),
            () => return argument,
        };
        argument.value_parser(PossibleValuesParser::new(names))
    };
    let command = command.mut_args(named);
    command.mut_subcommands(with_names)
}

/// The page of a command, and those of its subcommands: `margay-gpu-run.1` is about
/// `margay gpu run`.
fn write(command: &clap::Command, folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    make_folder(folder)?;
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    // `help` repeats the other commands.
    for subcommand in
        command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set())
    {
        write(subcommand, folder, files)?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name.clone()).render(&mut page)?;
    page.extend(examples(&name)?);
    let file = format!("{name}.1");
    anew(&place_in(folder, &file)?)?.write_all(&page)?;
    files.push(file);
    Ok(())
}
