//! The models that Margay ships, and how a name becomes a model: a path, then the given folders,
//! then what is built in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, nearest};
use crate::dialect::split_prefix;
use crate::limited::STANDARD_INPUT;
use crate::model::{Loaded, Model};
use crate::typing::{FilesThenBuiltIn, TypingOptions, only_models, read};

pub(crate) use crate::shipped::all_files;
pub use crate::shipped::{BUILT_IN_FOLDER, all, architectures, built_in, built_in_names};

/// The model for a name: a path to a file; `name` or `name.cat` in one of the folders; a built-in
/// model. In front of it may stand whose definitions its base names have: `herd7:x86tso.cat` (see
/// [`crate::dialect`]).
pub fn load(name: &str, folders: &[PathBuf]) -> Result<Loaded, Vec<Diagnostic>> {
    load_with(name, folders, &TypingOptions::default())
}

/// Like [`load`], with options.
pub fn load_with(
    name: &str,
    folders: &[PathBuf],
    options: &TypingOptions,
) -> Result<Loaded, Vec<Diagnostic>> {
    let (dialect, path) = split_prefix(name);
    let mut source = find(path, folders, &|_| Ok(())).map_err(|error| vec![error])?;
    if let Some(dialect) = dialect {
        // The name says it from here on, in certificates as well.
        source = SourceFile::new(format!("{}:{}", dialect.name, source.name), source.text.clone());
    }
    Model::parse_with(source, &FilesThenBuiltIn, options)
}

/// Like [`load`], for a name that stands in a file, not on the command line: only .cat files are
/// read.
pub fn load_named(name: &str, folders: &[PathBuf]) -> Result<Loaded, Vec<Diagnostic>> {
    let allowed = |path: &Path| {
        only_models(path)
            .map_err(|what| Diagnostic::error(format!("cannot read the model {name}: {what}")))
    };
    let source = find(name, folders, &allowed).map_err(|error| vec![error])?;
    Model::parse_with(source, &FilesThenBuiltIn, &TypingOptions::default())
}

/// Gives models of one name from several files the names of these, so that an answer says which it
/// is about.
pub fn tell_apart<'a>(models: impl IntoIterator<Item = &'a mut Model>) {
    let mut models: Vec<&mut Model> = models.into_iter().collect();
    let known: Vec<(String, String)> =
        models.iter().map(|m| (m.name.clone(), m.source.name.clone())).collect();
    for (model, (name, file)) in models.iter_mut().zip(&known) {
        if known.iter().any(|(other, of)| other == name && of != file) {
            model.name.clone_from(file);
        }
    }
}

fn find(
    name: &str,
    folders: &[PathBuf],
    allowed: &dyn Fn(&Path) -> Result<(), Diagnostic>,
) -> Result<Arc<SourceFile>, Diagnostic> {
    let read = |path: &Path| allowed(path).and_then(|()| read(path));
    let looks_like_path = name.contains(['/', '\\']) || name.ends_with(".cat");
    let path = Path::new(name);
    // A file that bears the name of a shipped model, as `ptx-8`, would be asked in its place, and
    // the answer would bear that name.
    let is_shipped = !looks_like_path && built_in(name).is_some();
    if !is_shipped && (looks_like_path && path.exists() || path.is_file() || name == STANDARD_INPUT)
    {
        return read(path);
    }
    for folder in folders {
        for candidate in [folder.join(name), folder.join(format!("{name}.cat"))] {
            if candidate.is_file() {
                return read(&candidate);
            }
        }
    }
    if let Some(source) = built_in(name) {
        return Ok(source);
    }
    let known: Vec<&str> = built_in_names().collect();
    let error = if looks_like_path {
        Diagnostic::error(format!("cannot read {name}: there is no such file"))
    } else if path.exists() {
        Diagnostic::error(format!("cannot read {name}: it is not a file"))
    } else {
        Diagnostic::error(format!("there is no model `{name}`"))
    };
    Err(error.help(match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        // Names with a colon say whose file it is.
        None if name.contains(':') => {
            "in front of a file's name stands `herd7:`, `dartagnan:` or `margay:`, which say whose dialect it is".to_owned()
        }
        None => format!("give the path of a .cat file, or one of {}", known.join(", ")),
    }))
}
