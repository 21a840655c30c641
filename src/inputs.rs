//! What commands read: models by name or file, litmus tests by file or folder.

use std::path::{Path, PathBuf};

use margay_litmus::read::{self, Read};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::model::Model;

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

/// The files named; folders stand for the .litmus files in them.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostic> {
    fn walk(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                if depth > 0 {
                    walk(&entry, depth - 1, out)?;
                }
            } else if entry.extension().is_some_and(|e| e == "litmus") {
                out.push(entry);
            }
        }
        Ok(())
    }
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = out.len();
            walk(path, 8, &mut out)
                .map_err(|e| Diagnostic::error(format!("cannot read the folder `{}`: {e}", path.display())))?;
            if out.len() == before {
                return Err(Diagnostic::error(format!("there is no .litmus file in `{}`", path.display())));
            }
        } else {
            out.push(path.clone());
        }
    }
    Ok(out)
}
