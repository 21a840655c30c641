//! Where output goes and how it looks: colours and width on a terminal, none in a pipe; a closed
//! pipe ends the program quietly.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use margay_models::diagnostic::Diagnostic;
use margay_reports::error::{self, Errors};
use margay_reports::{Document, Head, head};

use crate::config::trust::{TakenSettings, Trust};
use crate::diagnostics;
use crate::exit::Exit;
use crate::terminal;
use crate::wrapped::{fitted, wrapped};

/// The form of the output of any command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Human,
    Json,
}

/// What `--format` can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatOption {
    /// For reading.
    Human,
    /// For programs: one JSON object.
    Json,
    /// JUnit XML, for continuous integration (`margay test` only).
    Junit,
    /// The final states, as herd7 prints them (`margay run` only).
    Herd,
    /// SARIF 2.1.0, which code hosts show at its lines (`margay kernel` only).
    Sarif,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The output of the program.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Text or JSON.
    pub format: Format,
    /// What was asked for: of the forms that are text, one that only one command has, too.
    pub asked: FormatOption,
    /// The command that was asked for, as JSON names it; nothing where the command line could not
    /// be read.
    pub command: Option<&'static str>,
    /// Is more wanted than the answer: statistics, reasons line by line, what is not established?
    pub verbose: bool,
    colour: Colour,
}

/// As many columns as COLUMNS says, or the terminal has.
fn columns() -> Option<usize> {
    let asked = || std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    asked().or_else(terminal).map(|columns: usize| columns.clamp(30, 200))
}

/// How the program ends once the answer is known, whether or not it can be printed.
static ANSWER: OnceLock<Exit> = OnceLock::new();

/// What the file of the project said of the question, for the documents.
static TAKEN: OnceLock<head::Settings> = OnceLock::new();

/// The same in a line, until it is printed.
static REMARK: Mutex<Option<String>> = Mutex::new(None);

/// Warnings that no document has yet.
static WARNINGS: Mutex<Vec<margay_reports::error::DiagnosticRecord>> = Mutex::new(Vec::new());

/// Commands whose output is a text for other programs, or a thing and no answer: nothing is put
/// into it.
const NO_ANSWER: [&str; 11] = [
    "case export",
    "completions",
    "extract",
    "gen",
    "gpu emit",
    "gpu table6",
    "gpu tune",
    "man",
    "mappings",
    "models",
    "schema",
];

impl Output {
    /// For the options given.
    pub fn new(
        asked: FormatOption,
        colour: Colour,
        verbose: bool,
        command: Option<&'static str>,
    ) -> Self {
        let format = if asked == FormatOption::Json { Format::Json } else { Format::Human };
        Self { format, asked, command, verbose, colour }
    }

    /// The same, as JSON.
    pub fn as_json(self) -> Self {
        Self { format: Format::Json, asked: FormatOption::Json, ..self }
    }

    fn wants_colour(self, terminal: bool) -> bool {
        match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                terminal
                    && !terminal::is_dumb()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }

    /// Colours on standard output?
    pub fn colour(self) -> bool {
        self.wants_colour(io::stdout().is_terminal())
    }

    /// Colours on standard error?
    pub fn colour_errors(self) -> bool {
        self.wants_colour(io::stderr().is_terminal())
    }

    /// The columns of the terminal; in a pipe, as many as COLUMNS says, or 100.
    pub fn width(self) -> usize {
        columns().unwrap_or(100)
    }

    /// The columns of a list that programs cut by lines, too: those of the terminal; in a pipe as
    /// many as it takes, unless COLUMNS says otherwise.
    pub fn list_width(self) -> usize {
        match std::env::var_os("COLUMNS").is_some() || io::stdout().is_terminal() {
            true => self.width(),
            false => usize::from(u16::MAX),
        }
    }

    /// A text in a style, if there are colours.
    pub fn paint(self, style: Style, text: &str) -> String {
        if self.colour() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub fn heading(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    /// What is neither.
    pub fn unsure(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// What files of settings said where the command line did not. What the project's file says of
    /// the question stands behind the first line of the answer and in every document; the rest is
    /// said on standard error.
    pub fn took(self, own: Option<TakenSettings>, project: Option<TakenSettings>) {
        let said = |taken: &TakenSettings| {
            let settings = taken.settings.iter().map(|s| format!("{} = {}", s.key, s.value));
            format!("as {} says: {}", taken.file, settings.collect::<Vec<_>>().join("; "))
        };
        if let Some(taken) = own.filter(|_| self.verbose) {
            self.aside(&said(&taken));
        }
        let Some(taken) = project else { return };
        let is_answer = self.asked == FormatOption::Human
            && self.command.is_some_and(|name| !NO_ANSWER.contains(&name));
        match is_answer && taken.settings.iter().any(|s| s.trust == Trust::Named) {
            true => *REMARK.lock().unwrap_or_else(PoisonError::into_inner) = Some(said(&taken)),
            false => self.aside(&said(&taken)),
        }
        let options = taken.settings.into_iter().map(|s| (s.key, s.value)).collect();
        // There is one command line.
        let _ = TAKEN.set(head::Settings { file: taken.file, options });
    }

    /// Writes a text and a line break to standard output; what a terminal would obey in it is made
    /// visible.
    pub fn print(self, text: &str) -> io::Result<()> {
        let shown = match self.format {
            Format::Json => terminal::escaped(text),
            Format::Human => terminal::printable(text, self.colour()),
        };
        let mut out = io::stdout().lock();
        let remark = match self.asked {
            FormatOption::Human => REMARK.lock().unwrap_or_else(PoisonError::into_inner).take(),
            _ => None,
        };
        let Some(remark) = remark else { return writeln!(out, "{shown}") };
        let remark = fitted(&terminal::printable(&remark, false), self.width());
        match shown.split_once('\n') {
            Some((first, rest)) => writeln!(out, "{first}\n{remark}\n{rest}"),
            None => writeln!(out, "{shown}\n{remark}"),
        }
    }

    /// Writes a line that programs may look for; where a terminal would break it within a word, it
    /// is broken between words.
    pub fn headline(self, text: &str) -> io::Result<()> {
        match io::stdout().is_terminal() && text.chars().count() > self.width() {
            true => self.print(&wrapped(text, self.width())),
            false => self.print(text),
        }
    }

    /// Writes lines of prose, each with its indentation; those that are too long are broken between
    /// words.
    pub fn prose(self, text: &str) -> io::Result<()> {
        self.print(&fitted(text, self.width()))
    }

    /// Writes a document to standard output.
    pub fn document(self, document: &impl Document) -> io::Result<()> {
        self.print(&serde_json::to_string_pretty(&self.whole(document.value()?)?)?)
    }

    /// A document with what is said of it besides: what the project's file said of the question,
    /// and the warnings that came since the last document.
    fn whole(self, mut document: serde_json::Value) -> io::Result<serde_json::Value> {
        let warnings =
            std::mem::take(&mut *WARNINGS.lock().unwrap_or_else(PoisonError::into_inner));
        head::add(&mut document, TAKEN.get(), &warnings)?;
        Ok(document)
    }

    /// Writes a document of a command that prints several, in one line.
    pub fn line(self, document: &impl Document) -> io::Result<()> {
        self.print(&self.whole(document.value()?)?.to_string())
    }

    /// Errors as JSON; of one of several files with its name.
    fn errors(self, file: Option<&str>, found: &[Diagnostic]) -> io::Result<serde_json::Value> {
        let schema = self
            .command
            .and_then(margay_reports::command)
            .map_or(error::SCHEMA, |command| command.schema);
        let errors = Errors {
            file: file.map(str::to_owned),
            errors: diagnostics::shown(found).iter().map(Into::into).collect(),
        };
        self.whole(Head { command: self.command, schema }.value(&errors)?)
    }

    /// Writes what is wrong with one of several files, in one line of JSON.
    pub fn wrong_line(self, file: &str, found: &[Diagnostic]) -> io::Result<()> {
        self.print(&self.errors(Some(file), found)?.to_string())
    }

    /// Reports wrong input: on standard error for people, as an object on standard output for
    /// programs.
    pub fn wrong(self, found: &[Diagnostic]) -> io::Result<Exit> {
        self.settle(Exit::Wrong);
        match self.format {
            Format::Human => {
                diagnostics::print(found, self.colour_errors(), self.width());
                // Where there is no answer the options of the project's file may be what is wrong.
                if let Some(remark) = REMARK.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    self.aside(&fitted(&remark, self.width()));
                }
            }
            Format::Json => {
                self.print(&serde_json::to_string_pretty(&self.errors(None, found)?)?)?
            }
        }
        Ok(Exit::Wrong)
    }

    /// Says something beside the answer, on standard error.
    pub fn aside(self, text: &str) {
        // Nothing can be done if standard error is closed.
        let _ = writeln!(io::stderr(), "{}", terminal::printable(text, false));
    }

    /// Reports warnings on standard error; the next document has them, too.
    pub fn warn(self, found: &[Diagnostic]) {
        if self.format == Format::Json {
            WARNINGS
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(diagnostics::shown(found).iter().map(Into::into));
        }
        diagnostics::print(found, self.colour_errors(), self.width());
    }

    /// The answer is known: from here on the program ends so, even if nothing more can be written.
    pub fn settle(self, exit: Exit) -> Exit {
        *ANSWER.get_or_init(|| exit)
    }

    /// The end of a program whose output could not be written: that of its answer, if it has one.
    /// `asks`: is the command a question? Then whoever closes the pipe before the answer is known
    /// has none.
    pub fn failed(self, error: &io::Error, asks: bool) -> Exit {
        let answer = ANSWER.get().copied();
        if error.kind() != io::ErrorKind::BrokenPipe {
            let _ = writeln!(io::stderr(), "error: cannot write: {error}");
            return answer.unwrap_or(Exit::Wrong);
        }
        // The reader has seen enough.
        answer.unwrap_or(if asks { Exit::Undecided } else { Exit::Holds })
    }
}
