//! The models that Margay ships, and how a name becomes a model: a path, then the given folders, then what is built in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, nearest};
use crate::dialect::{HERD7, split_prefix};
use crate::model::{Loaded, Model};
use crate::typing::{FilesThenBuiltIn, Options, read};

/// What the names of built-in files start with.
pub(crate) const BUILT_IN_FOLDER: &str = "<built-in>/";

macro_rules! shipped {
    ($($name:literal)*) => {
        /// Each model of models/ with its text. Whoever adds a .cat file adds its name here.
        const MODELS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../", $name, ".cat"))),)*];
    };
}

shipped! {
    "sc"
    "tso"
    "ptx-6.0"
    "ptx-6.0-any-fence"
    "ptx-6.0-strong-patterns"
    "ptx-8"
    "ptx-2015"
    "rmo"
    "rc11"
    "rc11-lb"
    "rc11-scoped"
    "rc11-scoped-mo-atomic"
    "c20"
    "c20-scoped"
}

/// The names of the built-in models.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// The text of a built-in model.
pub fn built_in(name: &str) -> Option<Arc<SourceFile>> {
    let name = name.strip_suffix(".cat").unwrap_or(name);
    let (name, text) = MODELS.iter().find(|(known, _)| *known == name)?;
    Some(SourceFile::new(format!("{BUILT_IN_FOLDER}{name}.cat"), *text))
}

/// The text of a built-in file that models include.
pub(crate) fn built_in_file(name: &str) -> Option<Arc<SourceFile>> {
    HERD7.include(name).or_else(|| built_in(name))
}

/// The model for a name: a path to a file; `name` or `name.cat` in one of the folders; a built-in model. In front of it may stand whose
/// definitions its base names have: `herd7:x86tso.cat` (see [`crate::dialect`]).
pub fn load(name: &str, folders: &[PathBuf]) -> Result<Loaded, Vec<Diagnostic>> {
    load_with(name, folders, &Options::default())
}

/// Like [`load`], with options.
pub fn load_with(name: &str, folders: &[PathBuf], options: &Options) -> Result<Loaded, Vec<Diagnostic>> {
    let (dialect, path) = split_prefix(name);
    let mut source = find(path, folders).map_err(|error| vec![error])?;
    if let Some(dialect) = dialect {
        // The name says it from here on, in certificates as well.
        source = SourceFile::new(format!("{}:{}", dialect.name, source.name), source.text.clone());
    }
    Model::parse_with(source, &FilesThenBuiltIn, options)
}

fn find(name: &str, folders: &[PathBuf]) -> Result<Arc<SourceFile>, Diagnostic> {
    let looks_like_path = name.contains(['/', '\\']) || name.ends_with(".cat");
    let path = Path::new(name);
    if looks_like_path && path.exists() || path.is_file() {
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
        None => format!("give the path of a .cat file, or one of {}", known.join(", ")),
    }))
}
