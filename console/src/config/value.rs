//! A value of `margay.toml`, and whether it is one for an option.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command};
use margay_mappings::Backend;
use margay_models::confined::way_out;
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::dialect::split_prefix;
use margay_models::limited::STANDARD_INPUT;
use toml::Spanned;
use toml::de::{DeString, DeValue};

use super::trust::Author;
use crate::limits::no_number;

/// What is written behind a key.
pub(super) struct SettingValue {
    file: Arc<SourceFile>,
    folder: PathBuf,
    author: Author,
    key: String,
    span: Span,
    content: SettingContent,
}

/// Keys whose values are names of models and mappings, or paths of their files.
const NAMES: &[&str] = &[
    "mapping",
    "model",
    "models",
    "source",
    "target",
    "from",
    "to",
    "against",
    "baseline",
    "old",
    "new",
    "reproduce",
];

enum SettingContent {
    Flag(bool),
    One(SettingText),
    List(Vec<SettingText>),
}

/// A text, and where it is.
struct SettingText {
    text: String,
    span: Span,
}

/// Reads what is behind a key: a text, a number, `true` or `false`, or a list of texts and numbers.
pub(super) fn of(
    file: &Arc<SourceFile>,
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    folder: &Path,
    author: Author,
) -> Result<SettingValue, Diagnostic> {
    let span = span_of(value);
    let content = match value.get_ref() {
        DeValue::Boolean(flag) => SettingContent::Flag(*flag),
        DeValue::Array(items) => {
            let texts: Option<Vec<SettingText>> = items.iter().map(text).collect();
            SettingContent::List(texts.ok_or_else(|| {
                let error =
                    Diagnostic::error(format!("`{}` takes texts and numbers", key.get_ref()));
                error.at(file, span, "this list has something else")
            })?)
        }
        _ => SettingContent::One(text(value).ok_or_else(|| {
            let error =
                Diagnostic::error(format!("`{}` is an option, and takes a value", key.get_ref()));
            error.at(file, span, "expected a text, a number, `true` or `false`, or a list")
        })?),
    };
    let key = key.get_ref().to_string();
    Ok(SettingValue {
        file: file.clone(),
        folder: folder.to_path_buf(),
        author,
        key,
        span,
        content,
    })
}

fn span_of<T>(spanned: &Spanned<T>) -> Span {
    Span::new(spanned.span().start, spanned.span().end)
}

fn text(value: &Spanned<DeValue<'_>>) -> Option<SettingText> {
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return None,
    };
    Some(SettingText { text, span: span_of(value) })
}

/// The folder of a version control that a path leads into, if it does: it has settings and hooks.
/// The path stays in `folder`.
fn history(folder: &Path, path: &Path) -> Option<String> {
    const FOLDERS: &[&str] = &[".git", ".hg", ".svn", ".jj"];
    let whole = folder.join(path);
    let named = |path: &Path| {
        let names = path.components().filter_map(|c| c.as_os_str().to_str());
        names
            .filter(|name| FOLDERS.iter().any(|f| f.eq_ignore_ascii_case(name)))
            .map(str::to_owned)
            .next()
    };
    // A link may have another name.
    let real = whole.ancestors().find_map(|part| part.canonicalize().ok());
    let root =
        if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.canonicalize().ok();
    let below =
        real.zip(root).and_then(|(real, root)| real.strip_prefix(root).ok().and_then(named));
    named(path).or(below)
}

impl SettingValue {
    /// As it is written in the file, in one line.
    pub(super) fn text(&self) -> String {
        /// A longer one is cut.
        const LONGEST: usize = 80;
        let written = self.file.text.get(self.span.start..self.span.end).unwrap_or_default();
        let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    /// The texts that the option takes, if the value is one for it.
    pub(super) fn fits(&self, argument: &Arg) -> Result<Vec<String>, Diagnostic> {
        let wrong = |label: &str| {
            Diagnostic::error(format!("`{}` does not take this value", self.key))
                .at(&self.file, self.span, label)
        };
        let is_flag = is_flag(argument);
        let takes_many = matches!(argument.get_action(), ArgAction::Append)
            || argument.get_num_args().is_some_and(|count| count.max_values() > 1);
        let texts = match &self.content {
            SettingContent::Flag(flag) if is_flag => return Ok(vec![flag.to_string()]),
            SettingContent::Flag(_) => {
                return Err(wrong("it is no switch; expected a text or a number"));
            }
            _ if is_flag => return Err(wrong("expected `true` or `false`")),
            SettingContent::List(_) if !takes_many => return Err(wrong("expected one value")),
            SettingContent::List(texts) => texts.as_slice(),
            SettingContent::One(text) => std::slice::from_ref(text),
        };
        texts.iter().map(|text| self.checked(argument, text)).collect()
    }

    /// The text as the option takes it: a path starts from the folder of the file.
    fn checked(&self, argument: &Arg, text: &SettingText) -> Result<String, Diagnostic> {
        // A folder that somebody else made may hold the file.
        if text.text.starts_with(Backend::PROGRAM) && self.author == Author::Project {
            let error = Diagnostic::error(format!("`{}` names a program to start", self.key));
            let error = error.at(
                &self.file,
                text.span,
                "a program is not started because a project says so",
            );
            return Err(error
                .help(format!("give it on the command line: `--{} \"{}\"`", self.key, text.text)));
        }
        let is_path = argument.get_value_parser().type_id() == ValueParser::path_buf().type_id();
        let names_file = [".cat", ".map", ".toml"].iter().any(|end| text.text.ends_with(end));
        let is_file = NAMES.contains(&self.key.as_str())
            && (text.text.contains(['/', '\\']) || std::fs::symlink_metadata(&text.text).is_ok());
        if (is_path || names_file || is_file) && text.text != STANDARD_INPUT {
            let (dialect, path) =
                if is_path { (None, text.text.as_str()) } else { split_prefix(&text.text) };
            self.stays(path, text.span)?;
            let path = self.folder.join(path).display().to_string();
            return Ok(dialect.map_or(path.clone(), |dialect| format!("{}:{path}", dialect.name)));
        }
        // A command of this option alone: whatever else the command needs is not asked for here.
        let alone =
            Arg::new("value").long("value").value_parser(argument.get_value_parser().clone());
        let alone = Command::new("value").no_binary_name(true).arg(alone.num_args(1));
        match alone.try_get_matches_from([format!("--value={}", text.text)]) {
            Ok(_) => Ok(text.text.clone()),
            Err(error) => Err(self.refused(text, &error)),
        }
    }

    /// A path in the file of a project stays in the project's folder, wherever links lead.
    fn stays(&self, path: &str, span: Span) -> Result<(), Diagnostic> {
        if self.author == Author::User {
            return Ok(());
        }
        let why = match way_out(&self.folder, Path::new(path)) {
            Ok(None) => match history(&self.folder, Path::new(path)) {
                None => return Ok(()),
                Some(name) => {
                    let error = Diagnostic::error(format!("`{}` leads into `{name}`", self.key));
                    let error = error.at(
                        &self.file,
                        span,
                        "what lies there says what version control does, and starts",
                    );
                    return Err(error.help("name another folder (docs/security.md)"));
                }
            },
            Ok(Some(why)) => why,
            Err(error) => error.to_string(),
        };
        let error =
            Diagnostic::error(format!("`{}` leaves the folder of this file: {why}", self.key));
        let help = "name a place in the folder, or give it on the command line (docs/security.md)";
        Err(error.at(&self.file, span, "paths of a project's file stay in its folder").help(help))
    }

    fn refused(&self, text: &SettingText, error: &clap::Error) -> Diagnostic {
        let wrong = std::error::Error::source(error);
        let reason =
            wrong.map(|wrong| no_number(wrong).map_or_else(|| wrong.to_string(), str::to_owned));
        let context = |kind| match error.get(kind) {
            Some(ContextValue::Strings(all)) => Some(all.join(", ")),
            Some(ContextValue::String(one)) => Some(one.clone()),
            _ => None,
        };
        let message = format!("`{}` does not take `{}`", self.key, text.text);
        let label = match &reason {
            Some(reason) => reason.clone(),
            None => match context(ContextKind::ValidValue) {
                Some(all) => format!("expected one of {all}"),
                None => sentence(error),
            },
        };
        let diagnostic = Diagnostic::error(message).at(&self.file, text.span, label);
        match context(ContextKind::SuggestedValue) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }
}

/// What an error says that has nothing but a text: its first line.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").trim();
    if first.is_empty() { "not a value".to_owned() } else { first.to_owned() }
}

/// Is the option a switch? One that a file has set takes a value.
fn is_flag(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
        || argument.get_value_parser().type_id() == ValueParser::bool().type_id()
}

/// The option with these defaults. A switch that the file sets is undone by `--switch=false`.
pub(super) fn with_default(argument: Arg, texts: Vec<String>) -> Arg {
    match argument.get_action() {
        ArgAction::SetTrue => argument
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .default_values(texts),
        _ => argument.required(false).default_values(texts),
    }
}
