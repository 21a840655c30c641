//! `margay report`: one HTML file from the JSON of any command, for a browser without a network; or
//! a short summary in Markdown.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use margay_console::output::Output;
use margay_pages::write::{self, ReportPageOptions};

use crate::CommandOutcome;

/// Options of `report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// What commands printed with `--format json`; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// A page, or a short summary for a comment on a pull request
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = ReportFormChoice::Html)]
    pub form: ReportFormChoice,
    /// Write the page here [default: on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The title of the page
    #[arg(long, value_name = "TEXT", default_value = "Margay report")]
    pub title: String,
}

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormChoice {
    /// One self-contained page.
    Html,
    /// The answers, and what is behind those that need a look.
    Markdown,
}

pub fn run(options: &ReportArguments, output: &Output) -> CommandOutcome {
    let ReportArguments { files, form, out, title } = options;
    let (files, out, title) = (files.clone(), out.clone(), title.clone());
    let form = match form {
        ReportFormChoice::Html => write::ReportForm::Html,
        ReportFormChoice::Markdown => write::ReportForm::Markdown,
    };
    write::run(&ReportPageOptions { files, form, out, title }, output)
}
