//! Finds the texts that are built in: models (*.cat, architectures/*.cat), other readings of a
//! model (readings/*.patch) and architectures (architectures/*.arch). To ship one more, put its
//! file there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[path = "build/reading.rs"]
mod reading;

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut models = files(&root, "cat");
    models.extend(files(&root.join("architectures"), "cat"));
    models.extend(files(&root.join("readings"), "patch").into_iter().map(|(name, path)| {
        let whole = out.join(format!("{name}.cat"));
        std::fs::write(&whole, whole_reading(&root, &path)).expect("cargo's folder can be written");
        (name, whole)
    }));
    let text = constant("MODELS", models)
        + &constant("ARCHITECTURES", files(&root.join("architectures"), "arch"));
    std::fs::write(out.join("shipped.rs"), text).expect("cargo's folder can be written");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
}

/// The text of a reading. The build fails where it no longer fits the model that it is of.
fn whole_reading(root: &Path, path: &Path) -> String {
    let text = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let patch = text(path);
    let whole =
        reading::base(&patch).and_then(|base| reading::read(&text(&root.join(base)), &patch));
    whole.unwrap_or_else(|what| panic!("{}, {what}", path.display()))
}

/// Name and path of each file of a folder with an ending.
fn files(folder: &Path, ending: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_file()
            && path.extension().is_some_and(|e| e == ending)
            && let Some(name) = path.file_stem().and_then(|n| n.to_str())
        {
            println!("cargo:rerun-if-changed={}", path.display());
            found.push((name.to_owned(), path.clone()));
        }
    }
    found
}

/// A constant with name and text of files, by name.
fn constant(constant: &str, mut files: Vec<(String, PathBuf)>) -> String {
    files.sort();
    let mut text = format!(
        "/// Name and text of each of them, by name.\npub(crate) const {constant}: &[(&str, &str)] = &[\n"
    );
    for (name, path) in &files {
        writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .expect("a text can be written");
    }
    text + "];\n"
}
