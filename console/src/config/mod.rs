//! `margay.toml`: what options are where the command line does not say. A table is named after a
//! command (`[check]`, `[gpu.run]`), its keys are the command's long options and arguments; keys
//! above all tables are for every command that has such an option. What is read becomes the
//! defaults of the parser, so that the command line comes before it and `--help` is not in need of
//! it.
//!
//! There may be two such files: the user's own, and over it that of the project, which may not say
//! everything ([`trust`]).

pub mod trust;
mod value;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::limited;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use self::trust::{Author, TakenSettings, Trust, TrustedSetting};
use crate::output::{Colour, FormatOption, Output};

/// The name of the file, in the working directory or a folder above it.
pub const NAME: &str = "margay.toml";

/// The largest that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Why there are no arguments.
pub enum CommandLineError {
    /// The command line is wrong, or asks for help.
    Usage(clap::Error),
    /// The file is wrong.
    File(Vec<Diagnostic>, Output),
}

/// A command line, and what files of settings say where it does not.
pub struct ParsedCommandLine<A> {
    /// The options, those of files included.
    pub arguments: A,
    /// What the user's own file said, as far as it counted.
    pub own: Option<TakenSettings>,
    /// The same of the project's file.
    pub project: Option<TakenSettings>,
    /// Why a file that was found is not read.
    pub warnings: Vec<Diagnostic>,
    /// The command, as JSON names it.
    pub command: Option<&'static str>,
}

/// What the command line says, and what `margay.toml` says where the command line does not.
/// `missing` names a command and an argument of it that is needed and not there: of those that the
/// file may say, the parser does not know that they are needed. `arrange` says what help shows.
///
/// # Errors
/// The command line or the file is wrong, or help is asked for.
pub fn arguments<A: CommandFactory + FromArgMatches>(
    arrange: impl FnOnce(Command) -> Command,
    missing: impl Fn(&A) -> Option<(&'static str, &'static str)>,
) -> Result<ParsedCommandLine<A>, CommandLineError> {
    let mut command = arrange(A::command());
    // Which file is to be read may be said on the command line, and what else is wrong there is
    // said afterwards.
    let first =
        command.clone().ignore_errors(true).try_get_matches().map_err(CommandLineError::Usage)?;
    let mut warnings = Vec::new();
    let places = match first.subcommand_name() {
        // They write about the program, and not about what is in this folder.
        None | Some("completions" | "man") => [None, None],
        Some(_) => places(&first, &mut warnings),
    };
    let mut said = Vec::new();
    for SettingsFile { file, folder, author } in places.iter().flatten() {
        let added = read(file).and_then(|source| defaults(command, &source, folder, *author));
        let (with, of_file) =
            added.map_err(|errors| CommandLineError::File(errors, output(&first)))?;
        command = with;
        said.push((*author, limited::name(file), of_file));
    }
    let mut given =
        command.try_get_matches_from_mut(std::env::args_os()).map_err(CommandLineError::Usage)?;
    let taken = |author: Author| {
        let (_, file, of_file) = said.iter().find(|(of, ..)| *of == author)?;
        let mut settings: Vec<TrustedSetting> = of_file
            .iter()
            .filter(|one| one.counts(&given))
            .map(|one| one.setting.clone())
            .collect();
        settings.dedup();
        (!settings.is_empty()).then(|| TakenSettings { file: file.clone(), settings })
    };
    let (own, project) = (taken(Author::User), taken(Author::Project));
    let name = name(&given);
    let arguments = A::from_arg_matches_mut(&mut given)
        .map_err(|error| CommandLineError::Usage(error.format(&mut command)))?;
    if let Some((of, missing)) = missing(&arguments) {
        let words = format!("the following required argument was not provided:\n  {missing}");
        let usage = command
            .find_subcommand_mut(of)
            .map(|of| of.error(ErrorKind::MissingRequiredArgument, words));
        usage.map_or(Ok(()), |error| Err(CommandLineError::Usage(error)))?;
    }
    Ok(ParsedCommandLine { arguments, own, project, warnings, command: name })
}

/// The command that was asked for, as JSON names it: `case list`. `gpu` alone is `gpu run`.
fn name(given: &ArgMatches) -> Option<&'static str> {
    let (name, below) = given.subcommand()?;
    let name =
        below.subcommand_name().map_or_else(|| name.to_owned(), |below| format!("{name} {below}"));
    margay_reports::command(&name)
        .or_else(|| margay_reports::command(&format!("{name} run")))
        .map(|command| command.name)
}

/// Where a file is, and the folder that the paths in it start from.
struct SettingsFile {
    file: PathBuf,
    folder: PathBuf,
    author: Author,
}

/// The user's own file and that of the project, as far as they are there and `--no-config` does not
/// leave them out. Of the project it is the file that `--config` names, or the nearest one; one
/// that somebody else may have written is left out with a warning, unless it is named.
fn places(given: &ArgMatches, warnings: &mut Vec<Diagnostic>) -> [Option<SettingsFile>; 2] {
    if given.get_flag("no_config") {
        return [None, None];
    }
    let mut trusted = |place: SettingsFile| {
        let why = match trust::suspicion(&place.file) {
            Ok(None) => return Some(place),
            Ok(Some(why)) => why,
            Err(error) => error.to_string(),
        };
        let what = format!("`{}` is not read: {why}", place.file.display());
        warnings.push(Diagnostic::warning(what).help(match place.author {
            Author::Project => "if you know what it says, name it: `--config FILE`",
            Author::User => "make it yours alone",
        }));
        None
    };
    let own = own_folder().map(|folder| SettingsFile {
        file: folder.join(NAME),
        folder,
        author: Author::User,
    });
    let own = own.filter(|place| place.file.is_file()).and_then(&mut trusted);
    let author = Author::Project;
    if let Some(file) = given.get_one::<PathBuf>("config") {
        let folder = file.parent().map_or(PathBuf::new(), Path::to_path_buf);
        return [own, Some(SettingsFile { file: file.clone(), folder, author })];
    }
    // Without a working directory there is no file in it.
    let Ok(here) = std::env::current_dir() else { return [own, None] };
    let above =
        (0..here.ancestors().count()).map(|up| std::iter::repeat_n("..", up).collect::<PathBuf>());
    let mut above = above.map(|folder| SettingsFile { file: folder.join(NAME), folder, author });
    // The user's own file is not that of a project, wherever the user works.
    let is_own = |file: &Path| {
        own.as_ref().is_some_and(|own| own.file.canonicalize().ok() == file.canonicalize().ok())
    };
    let found = above
        .find(|place| std::fs::symlink_metadata(&place.file).is_ok_and(|found| !found.is_dir()));
    let found = found.filter(|place| !is_own(&place.file)).and_then(&mut trusted);
    [own, found]
}

/// The folder of the user's configuration: `$XDG_CONFIG_HOME/margay`, or `~/.config/margay`.
fn own_folder() -> Option<PathBuf> {
    let of =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")))?;
    Some(folder.join("margay"))
}

/// An option that a file of settings says, of one command.
#[derive(Debug, Clone)]
pub struct FileOption {
    /// The command that it is of, word by word.
    command: Vec<String>,
    /// The option, as the parser knows it.
    option: clap::Id,
    /// Key and value.
    pub setting: TrustedSetting,
}

impl FileOption {
    /// Did it count: is the command the one that was given, and was nothing else said of the
    /// option?
    fn counts(&self, given: &ArgMatches) -> bool {
        let mut at = Some(given);
        for name in &self.command {
            at = at
                .and_then(|at| at.subcommand())
                .filter(|(of, _)| of == name)
                .map(|(_, below)| below);
        }
        // An option of all commands is known to the last of them.
        while let Some((_, below)) =
            at.and_then(ArgMatches::subcommand).filter(|_| self.command.is_empty())
        {
            at = Some(below);
        }
        at.is_some_and(|at| {
            at.try_contains_id(self.option.as_str()).is_ok()
                && at.value_source(self.option.as_str()) == Some(ValueSource::DefaultValue)
        })
    }
}

fn read(file: &Path) -> Result<Arc<SourceFile>, Vec<Diagnostic>> {
    let text = limited::text(file, LARGEST).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read `{}`: {error}", file.display()));
        vec![error.help("it has the defaults of options; `--no-config` does without it")]
    })?;
    Ok(SourceFile::new(file.display().to_string(), text))
}

/// How errors are shown: what the command line says of it may not be understood whole.
fn output(given: &ArgMatches) -> Output {
    let format = given.get_one("format").copied().unwrap_or(FormatOption::Human);
    Output::new(format, given.get_one("color").copied().unwrap_or(Colour::Auto), false, name(given))
}

/// The command with the defaults that the file says, and what it says of which command. Paths start
/// from `folder`.
///
/// # Errors
/// The file says what the command does not have, or what its author may not say.
pub fn defaults(
    command: Command,
    file: &Arc<SourceFile>,
    folder: &Path,
    author: Author,
) -> Result<(Command, Vec<FileOption>), Vec<Diagnostic>> {
    let table = DeTable::parse(&file.text).map_err(|error| {
        let span = error.span().map_or(Span::default(), |s| Span::new(s.start, s.end));
        let what = Diagnostic::error(format!("this is no TOML: {}", error.message()))
            .at(file, span, "here");
        vec![what.help("docs/ci.md has an example of a margay.toml")]
    })?;
    let mut settings =
        SettingsReader { file, folder, author, said: Vec::new(), errors: Vec::new() };
    let command = settings.table(command, &[], table.get_ref());
    if settings.errors.is_empty() { Ok((command, settings.said)) } else { Err(settings.errors) }
}

/// What is being read.
struct SettingsReader<'a> {
    file: &'a Arc<SourceFile>,
    folder: &'a Path,
    author: Author,
    said: Vec<FileOption>,
    errors: Vec<Diagnostic>,
}

impl SettingsReader<'_> {
    /// A table of a command, which `names` lead to.
    fn table(&mut self, mut command: Command, names: &[&str], table: &DeTable<'_>) -> Command {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name: &str = key.get_ref();
            let is_command = command.get_subcommands().any(|c| c.get_name() == name);
            match value.get_ref() {
                DeValue::Table(inner) if is_command => {
                    let names = [names, &[name]].concat();
                    command =
                        command.mut_subcommand(name, |below| self.table(below, &names, inner));
                }
                _ if has(&command, name, names.is_empty()) => {
                    match value::of(self.file, key, value, self.folder, self.author) {
                        Ok(value) => {
                            let (said, mut refused) = (self.said.len(), None);
                            command = self.set(
                                command,
                                name,
                                names,
                                !names.is_empty(),
                                &value,
                                &mut refused,
                            );
                            if let Some(why) = refused.filter(|_| self.said.len() == said) {
                                self.errors.push(self.refused(key, why));
                            }
                        }
                        Err(error) => self.errors.push(error),
                    }
                }
                _ => self.errors.push(self.unknown(
                    &command,
                    names,
                    key,
                    matches!(value.get_ref(), DeValue::Table(_)),
                )),
            }
        }
        command
    }

    /// Sets an option of a command, which `names` lead to, and of those below it, or where
    /// `arguments` are meant, too, an argument of the command. Where it may not be set, `refused`
    /// is why.
    fn set(
        &mut self,
        command: Command,
        name: &str,
        names: &[&str],
        arguments: bool,
        value: &value::SettingValue,
        refused: &mut Option<&'static str>,
    ) -> Command {
        let found = command
            .get_arguments()
            .find(|a| key_of(a) == Some(name) && (arguments || !a.is_positional()));
        let trust = match self.author {
            Author::User => Trust::Plain,
            Author::Project => trust::of(&names.join(" "), name),
        };
        let command = match (found.cloned(), trust) {
            (None, _) => command,
            (Some(_), Trust::Refused(why)) => {
                *refused = Some(why);
                command
            }
            (Some(argument), trust) => match value.fits(&argument) {
                Ok(texts) => {
                    let setting =
                        TrustedSetting { key: name.to_owned(), value: value.text(), trust };
                    let command_names = names.iter().map(|&name| name.to_owned()).collect();
                    self.said.push(FileOption {
                        command: command_names,
                        option: argument.get_id().clone(),
                        setting,
                    });
                    command.mut_arg(argument.get_id().clone(), |argument| {
                        value::with_default(argument, texts)
                    })
                }
                Err(error) => {
                    // Said once, however many commands have the option.
                    if !self.errors.contains(&error) {
                        self.errors.push(error);
                    }
                    command
                }
            },
        };
        let mut command = command;
        let below: Vec<String> =
            command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
        for of in below {
            let names = [names, &[of.as_str()]].concat();
            command = command
                .mut_subcommand(&of, |below| self.set(below, name, &names, false, value, refused));
        }
        command
    }

    /// The error where the file of a project may not say it.
    fn refused(&self, key: &Spanned<DeString<'_>>, why: &str) -> Diagnostic {
        let name: &str = key.get_ref();
        let span = Span::new(key.span().start, key.span().end);
        let error =
            Diagnostic::error(format!("`{name}` cannot be set by the file of a project: {why}"));
        let place = own_folder().map_or("your own configuration".to_owned(), |folder| {
            format!("`{}`", folder.join(NAME).display())
        });
        error.at(self.file, span, "not here").help(format!(
            "give it on the command line, or in {place}, which is yours alone; `--no-config` does without this file (docs/security.md)"
        ))
    }

    /// The error where nothing is called so.
    fn unknown(
        &self,
        command: &Command,
        names: &[&str],
        key: &Spanned<DeString<'_>>,
        is_table: bool,
    ) -> Diagnostic {
        let name: &str = key.get_ref();
        let of = if names.is_empty() {
            "margay".to_owned()
        } else {
            format!("margay {}", names.join(" "))
        };
        let commands: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut options = Vec::new();
        all_options(command, names.is_empty(), &mut options);
        let (what, known) = if is_table { ("command", &commands) } else { ("option", &options) };
        let span = Span::new(key.span().start, key.span().end);
        let error = Diagnostic::error(format!("`{of}` has no {what} `{name}`")).at(
            self.file,
            span,
            format!("no {what}"),
        );
        let near = nearest(name, known.iter().copied())
            .or_else(|| nearest(name, commands.iter().chain(&options).copied()));
        error.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if options.contains(&name) => {
                format!("`{name}` is an option: write `{name} = VALUE`")
            }
            None => format!("`{of} --help` lists what it has; a key is the long name of an option"),
        })
    }
}

/// The name of an option or an argument as a key.
pub fn key_of(argument: &clap::Arg) -> Option<&str> {
    match argument.get_long() {
        Some("help" | "version" | "config" | "no-config") => None,
        Some(long) => Some(long),
        None => argument.is_positional().then(|| argument.get_id().as_str()),
    }
}

/// Has the command, or one below it, an option of this name? Arguments are for one command, and not
/// for all.
fn has(command: &Command, name: &str, top: bool) -> bool {
    let mut options = Vec::new();
    all_options(command, top, &mut options);
    options.contains(&name)
}

fn all_options<'a>(command: &'a Command, options_only: bool, found: &mut Vec<&'a str>) {
    let own = command.get_arguments().filter(|argument| !options_only || !argument.is_positional());
    found.extend(own.filter_map(key_of));
    for below in command.get_subcommands() {
        all_options(below, true, found);
    }
}
