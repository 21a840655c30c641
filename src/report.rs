//! `margay report`: one HTML file from the JSON of any command, for a browser without a network; or a short summary in Markdown.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_console::exit::Exit;
use margay_console::output::{Format, Output};
use margay_console::table::counted;
use margay_console::terminal;
use margay_models::diagnostic::Diagnostic;
use margay_models::whole::write_over;
use margay_pages::{page, read, summary};
use margay_reports::page::Page;

use crate::Outcome;

/// Options of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// What commands printed with `--format json`; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// A page, or a short summary for a comment on a pull request
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Html)]
    pub form: Form,
    /// Write the page here [default: on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The title of the page
    #[arg(long, value_name = "TEXT", default_value = "Margay report")]
    pub title: String,
}

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One self-contained page.
    Html,
    /// The answers, and what is behind those that need a look.
    Markdown,
}

/// Runs the command.
pub fn run(options: &Report, output: &Output) -> Outcome {
    let (mut sections, mut errors) = (Vec::new(), Vec::new());
    for path in &options.files {
        match read(path) {
            Ok(found) => sections.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    let title = terminal::printable(&options.title, false);
    let text = match options.form {
        Form::Html => page(&title, &sections),
        Form::Markdown => summary(&title, &sections),
    };
    let Some(path) = &options.out else {
        output.print(text.trim_end())?;
        return Ok(Exit::Holds);
    };
    if let Err(error) = write_over(path, text.as_bytes()) {
        return output.wrong(&[Diagnostic::error(format!("cannot write `{}`: {error}", path.display()))]);
    }
    let entries: usize = sections.iter().map(|s| s.documents.len()).sum();
    match output.format {
        Format::Json => {
            output.document(&Page { file: path.display().to_string(), documents: entries, bytes: text.len() })?;
        }
        _ => output.print(&format!(
            "{}: {} in {} KiB",
            path.display(),
            counted(entries as u64, "answer", "answers"),
            text.len().div_ceil(1024)
        ))?,
    }
    Ok(Exit::Holds)
}
