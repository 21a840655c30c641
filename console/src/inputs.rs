//! What commands read: models by name or file, litmus tests by file or folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use margay_litmus::read::{self, Read};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::limited;
use margay_models::model::Model;
use margay_models::text::in_line;

use crate::output::Output;

/// The model of a name or .cat file; warnings are printed.
pub fn model(name: &str, output: &Output) -> Result<Model, Vec<Diagnostic>> {
    let loaded = library::load(name, &[PathBuf::from("models")])?;
    output.warn(&loaded.warnings);
    Ok(loaded.model)
}

/// The test in a file; warnings are printed.
pub fn test(path: &Path, output: &Output) -> Result<Read, Vec<Diagnostic>> {
    let read = read::load(path)?;
    output.warn(&read.warnings);
    Ok(read)
}

/// How listings call tests: by their names, and with their files where two tests have one name.
pub struct TestNames<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> TestNames<'a> {
    /// For the names and files of all tests of a listing; a test may come more than once.
    pub fn new(tests: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files = BTreeMap::<_, BTreeSet<_>>::new();
        for (name, file) in tests {
            files.entry(name).or_default().insert(file);
        }
        Self(files)
    }

    /// What the test of this name in this file is called.
    pub fn of(&self, name: &str, file: &str) -> String {
        match self.0.get(name).is_some_and(|files| files.len() > 1) {
            true => format!("{name} ({file})"),
            false => name.to_owned(),
        }
    }
}

impl<'a> FromIterator<&'a Read> for TestNames<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Read>>(tests: T) -> Self {
        Self::new(tests.into_iter().map(|read| (read.test.name.as_str(), read.file.name.as_str())))
    }
}

/// A file to be read.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Was it found in a folder that was named, and not named itself?
    pub in_folder: bool,
}

/// The files named; folders stand for the .litmus files in them.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostic> {
    Ok(inputs(paths)?.into_iter().map(|input| input.path).collect())
}

/// The files named and those in the folders named.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<InputFile>, Diagnostic> {
    fn walk(
        root: &Path,
        folder: &Path,
        depth: usize,
        out: &mut Vec<PathBuf>,
    ) -> Result<(), Diagnostic> {
        let cannot = |e: std::io::Error| {
            Diagnostic::error(format!("cannot read the folder `{}`: {e}", folder.display()))
        };
        let entries = std::fs::read_dir(folder).map_err(cannot)?;
        let mut entries: Vec<PathBuf> =
            entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>().map_err(cannot)?;
        entries.sort();
        for entry in entries {
            let is_test = entry.extension().is_some_and(|e| e == "litmus");
            if entry.is_dir() && !entry.is_symlink() {
                if depth > 0 {
                    walk(root, &entry, depth - 1, out)?;
                }
            } else if is_test || entry.is_dir() {
                limited::of_folder(root, &entry).map_err(|e| {
                    Diagnostic::error(format!(
                        "cannot read `{}`: {e}",
                        in_line(&entry.display().to_string())
                    ))
                })?;
                out.push(entry);
            }
        }
        Ok(())
    }
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            walk(path, path, 8, &mut found)?;
            if found.is_empty() {
                return Err(Diagnostic::error(format!(
                    "there is no .litmus file in `{}`",
                    path.display()
                )));
            }
            out.extend(found.into_iter().map(|path| InputFile { path, in_folder: true }));
        } else {
            out.push(InputFile { path: path.clone(), in_folder: false });
        }
    }
    Ok(out)
}
