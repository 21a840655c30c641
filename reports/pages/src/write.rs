//! A page or a summary of files with documents, written into a file or printed.

use std::path::PathBuf;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_console::table::counted;
use margay_console::terminal;
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;
use margay_reports::page::PageDocument;

use crate::{page, read, summary};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportForm {
    /// One self-contained page.
    Html,
    /// The answers, and what is behind those that need a look.
    Markdown,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct ReportPageOptions {
    /// What commands printed as JSON; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// A page or a summary.
    pub form: ReportForm,
    /// The file for it.
    pub out: Option<PathBuf>,
    pub title: String,
}

/// Reads the documents, and writes or prints the page. A file that cannot be read is named, in the
/// page too, and the end is that of wrong input; the page has what the others say.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &ReportPageOptions, output: &Output) -> CommandOutcome {
    let (mut sections, mut errors) = (Vec::new(), Vec::new());
    for path in &options.files {
        match read(path) {
            Ok(found) => sections.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if sections.is_empty() {
        return output.wrong(&errors);
    }
    // One file of many that a stopped command left empty does not take the other answers away.
    output.warn(&errors);
    let end = output.settle(if errors.is_empty() { Exit::Holds } else { Exit::Wrong });
    let left_out: Vec<String> = errors
        .iter()
        .map(|error| terminal::printable(&error.message, false).into_owned())
        .collect();
    let title = terminal::printable(&options.title, false);
    let text = match options.form {
        ReportForm::Html => page(&title, &sections, &left_out),
        ReportForm::Markdown => summary(&title, &sections, &left_out),
    };
    let documents: usize = sections.iter().map(|s| s.documents.len()).sum();
    let bytes = text.len();
    let Some(path) = &options.out else {
        match output.format {
            Format::Json => {
                output.document(&PageDocument { file: None, text: Some(text), documents, bytes })?
            }
            _ => output.print(text.trim_end())?,
        }
        return Ok(end);
    };
    if let Err(error) = write_over(path, text.as_bytes()) {
        return output
            .wrong(&[Diagnostic::error(format!("cannot write `{}`: {error}", path.display()))]);
    }
    match output.format {
        Format::Json => {
            output.document(&PageDocument {
                file: Some(path.display().to_string()),
                text: None,
                documents,
                bytes,
            })?;
        }
        _ => output.print(&format!(
            "{}: {} in {} KiB",
            path.display(),
            counted(documents as u64, "answer", "answers"),
            bytes.div_ceil(1024)
        ))?,
    }
    Ok(end)
}
