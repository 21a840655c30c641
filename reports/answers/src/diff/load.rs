//! The two models of a comparison: files, built-in names, or a file as it was at a git revision.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use margay_mappings::compare::Subjects;
use margay_mappings::language::{LoadOptions, LoadedMapping, Mapping, load_between, read};
use margay_mappings::library;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::library as models;
use margay_models::limited;
use margay_models::model::{Loaded, Model};
use margay_models::text::{FileKind, kind};
use margay_models::typing::{FilesThenBuiltIn, IncludeRefusal, Includes};

use super::tables::TablePair;

#[derive(Debug, Clone, Default)]
pub struct ComparedNames {
    /// Files or names of the older and the newer model; with a revision one file.
    pub models: Vec<String>,
    /// The git revision of the older one.
    pub git: Option<String>,
    /// A mapping between the languages of the two.
    pub mapping: Option<String>,
}

/// What is compared.
pub enum Loading {
    /// Two models of one signature.
    Models(Box<[Model; 2]>),
    /// The models of a mapping.
    Mapping(Box<Mapping>),
}

impl Loading {
    /// The two subjects.
    pub fn subjects(&self) -> Subjects<'_> {
        match self {
            Self::Models(models) => Subjects::Models(&models[0], &models[1]),
            Self::Mapping(mapping) => Subjects::Mapping(mapping),
        }
    }
}

/// Reads what is named; warnings are added to `warnings`.
///
/// # Errors
/// Names without a model, texts that cannot be read; where only one of the two cannot, that is said
/// first.
pub fn load(
    named: &ComparedNames,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Loading, Vec<Diagnostic>> {
    if let Some(name) = &named.mapping {
        let [old, new] = two(named)?;
        let sources = LoadOptions {
            source: Some(old.clone()),
            target: Some(new.clone()),
            ..LoadOptions::default()
        };
        let loaded = library::find(name, &sources)?;
        warnings.extend(loaded.warnings);
        return Ok(Loading::Mapping(Box::new(loaded.mapping)));
    }
    let (old, new, names) = match &named.git {
        Some(revision) => {
            let [file] = named.models.as_slice() else {
                let error = Diagnostic::error(
                    "`--git` compares one file with itself at a revision, and two models are named",
                );
                return Err(vec![error.help("name one file, or leave out `--git`")]);
            };
            let names = [format!("{file}@{revision}"), file.clone()];
            (at_revision(file, revision), models::load(file, &[]), names)
        }
        None => {
            let [old, new] = two(named)?;
            (models::load(old, &[]), models::load(new, &[]), [old.clone(), new.clone()])
        }
    };
    let [mut old, mut new] = both(old, new, &names)?;
    if named.git.is_some() {
        [old.model.name, new.model.name] = names;
    } else {
        models::tell_apart([&mut old.model, &mut new.model]);
    }
    warnings.extend(old.warnings.into_iter().chain(new.warnings));
    Ok(Loading::Models(Box::new([old.model, new.model])))
}

/// The two mappings that are named, if they are mappings; warnings are added to `warnings`.
///
/// # Errors
/// A mapping and something else; mappings that cannot be read.
pub fn tables(
    named: &ComparedNames,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<TablePair>, Vec<Diagnostic>> {
    let kinds: Vec<Option<bool>> = named.models.iter().map(|name| is_mapping(name)).collect();
    if !kinds.contains(&Some(true)) {
        return Ok(None);
    }
    if let Some(other) = named
        .models
        .iter()
        .zip(&kinds)
        .find(|(_, kind)| **kind == Some(false))
        .map(|(name, _)| name)
    {
        let error = Diagnostic::error(format!(
            "a mapping is compared with a mapping, and `{other}` is none"
        ));
        return Err(vec![error.help(
            "write `margay diff OLD.map NEW.map`; `margay check NEW.map` asks about one mapping",
        )]);
    }
    let find = |name: &str| library::find(name, &LoadOptions::default());
    let (names, old, new) = match (&named.git, named.models.as_slice()) {
        (Some(revision), [file]) => {
            let new = find(file)?;
            let (source, target) = (new.mapping.source.clone(), new.mapping.target.clone());
            let text = text_at_revision(file, revision, "map").map_err(|e| vec![e])?.0;
            // What it extends is read as it was then only if it is built in.
            let old = load_between(&text, None, Some(library::built_in), source, target)?;
            (
                [format!("{file}@{revision}"), file.clone()],
                LoadedMapping { mapping: old, warnings: Vec::new() },
                new,
            )
        }
        (None, [old, new]) => ([old.clone(), new.clone()], find(old)?, find(new)?),
        (Some(_), _) => {
            let error = Diagnostic::error(
                "`--git` compares one file with itself at a revision, and two mappings are named",
            );
            return Err(vec![error.help("name one file, or leave out `--git`")]);
        }
        (None, _) => {
            let error = Diagnostic::error("a comparison needs two mappings");
            let help = "write `margay diff OLD.map NEW.map`, or `margay diff FILE.map --git REV` for a file and its older version";
            return Err(vec![error.help(help)]);
        }
    };
    let both = |old: Mapping| [old, new.mapping.clone()];
    let (source, target) = (&new.mapping.source, &new.mapping.target);
    let same = |a: &Model, b: &Model| a.source.text == b.source.text;
    let between = match same(&old.mapping.source, source) && same(&old.mapping.target, target) {
        true => Ok(both(old.mapping.clone())),
        false => library::find_between(&names[0], source, target).map(both),
    };
    warnings.extend(old.warnings.into_iter().chain(new.warnings));
    Ok(Some(TablePair { names, tables: [old.mapping, new.mapping], between }))
}

/// Is it the name of a mapping? `None` for standard input, which can be read once.
fn is_mapping(name: &str) -> Option<bool> {
    if name == "-" {
        return None;
    }
    if !Path::new(name).exists() {
        let built_in = library::built_in(name.strip_suffix(".map").unwrap_or(name)).is_some();
        return Some(name.ends_with(".map") || built_in && models::built_in(name).is_none());
    }
    Some(read(Path::new(name)).is_ok_and(|file| kind(&file) == Some(FileKind::Mapping)))
}

/// The two models that are named.
fn two(named: &ComparedNames) -> Result<[&String; 2], Vec<Diagnostic>> {
    match named.models.as_slice() {
        [old, new] => Ok([old, new]),
        _ => {
            let error = Diagnostic::error("a comparison needs two models");
            Err(vec![error.help("write `margay diff OLD NEW`, or `margay diff FILE --git REV` for a file and its older version")])
        }
    }
}

/// Both, or the mistakes in them; if one of the two is fine, which.
fn both(
    old: Result<Loaded, Vec<Diagnostic>>,
    new: Result<Loaded, Vec<Diagnostic>>,
    names: &[String; 2],
) -> Result<[Loaded; 2], Vec<Diagnostic>> {
    let only = |bad: &str, good: &str| {
        Diagnostic::error(format!("`{bad}` cannot be compared; `{good}` reads without errors"))
    };
    match (old, new) {
        (Ok(old), Ok(new)) => Ok([old, new]),
        (Err(errors), Ok(_)) => {
            Err(std::iter::once(only(&names[0], &names[1])).chain(errors).collect())
        }
        (Ok(_), Err(errors)) => {
            Err(std::iter::once(only(&names[1], &names[0])).chain(errors).collect())
        }
        (Err(old), Err(new)) => Err(old.into_iter().chain(new).collect()),
    }
}

/// A model as it was at a revision, with what it includes as it was then.
fn at_revision(file: &str, revision: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let (text, git) = text_at_revision(file, revision, "cat").map_err(|e| vec![e])?;
    Model::parse(text, &git)
}

/// The text of a file with this ending as it was at a revision, and the files of its folder then.
fn text_at_revision<'a>(
    file: &'a str,
    revision: &'a str,
    ending: &str,
) -> Result<(Arc<SourceFile>, Revision<'a>), Diagnostic> {
    let path = Path::new(file);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let name = if folder.is_dir() && !name.is_empty() { name } else { String::new() };
    if name.is_empty() || !file.ends_with(&format!(".{ending}")) {
        let error = Diagnostic::error(format!(
            "`{file}` is not the path of a .{ending} file; git knows versions of files only"
        ));
        let example = if ending == "cat" { "models/ptx-6.0.cat" } else { "mappings/mine.map" };
        return Err(error.help(format!("give the path of the file, e.g. {example}")));
    }
    let git = Revision { folder, revision };
    git.check()?;
    let text = git.show(&name).map_err(|e| {
        let error = Diagnostic::error(format!("`{file}` is not in revision `{revision}`: {e}"));
        error.help("name a revision in which the file exists, or compare two files")
    })?;
    let shown = folder.join(&name).display().to_string();
    Ok((SourceFile::new(format!("{revision}:{shown}"), text), git))
}

/// The files of a folder at a revision.
struct Revision<'a> {
    folder: &'a Path,
    revision: &'a str,
}

impl Revision<'_> {
    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        // A repository's own configuration may name programs: for changed files, for signatures,
        // for what is to be fetched.
        let quiet = ["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager"];
        let output = Command::new("git")
            .args(quiet)
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .arg("-C")
            .arg(self.folder)
            .args(arguments)
            .output()
            .map_err(|e| format!("git cannot be started: {e}"))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(said.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
    }

    /// Is there a repository, and the revision in it?
    fn check(&self) -> Result<(), Diagnostic> {
        self.git(&["rev-parse", "--git-dir"]).map_err(|e| {
            let error = Diagnostic::error(format!("`{}` is not in a git repository: {e}", self.folder.display()));
            error.help("`--git` compares with a version that git knows; for two files write `margay diff OLD NEW`")
        })?;
        let commit = format!("{}^{{commit}}", self.revision);
        self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).map_err(|_| {
            let error = Diagnostic::error(format!("git knows no revision `{}`", self.revision));
            error.help("e.g. `HEAD~1`, a branch, a tag, or a commit; in a shallow clone fetch it first")
        })?;
        Ok(())
    }

    /// The text of a file of the folder, by a path relative to it.
    fn show(&self, path: &str) -> Result<String, String> {
        let text = self.git(&[
            "show",
            "--no-textconv",
            "--no-ext-diff",
            "--end-of-options",
            &format!("{}:./{path}", self.revision),
        ])?;
        String::from_utf8(text).map_err(|error| limited::not_a_text(&error))
    }
}

impl Includes for Revision<'_> {
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        // As from the disk, only models are read.
        match self
            .show(path)
            .and_then(|text| if path.ends_with(".cat") { Ok(text) } else { Err(String::new()) })
        {
            Ok(text) => Ok(SourceFile::new(
                format!("{}:{}", self.revision, self.folder.join(path).display()),
                text,
            )),
            // What is built in is not in the repository.
            Err(_) => FilesThenBuiltIn
                .open(&SourceFile::new("<built-in>/revision", from.text.clone()), path),
        }
    }
}
