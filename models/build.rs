//! Finds the texts that are built in: models (*.cat, architectures/*.cat, and other
//! readings of a text, readings/*.cat) and architectures (architectures/*.arch). To ship one more, put
//! its file there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut text = list(&root, "MODELS", "cat", &["", "architectures", "readings"]);
    text += &list(&root, "ARCHITECTURES", "arch", &["architectures"]);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("shipped.rs"), text).expect("cargo's folder can be written");
    println!("cargo:rerun-if-changed=build.rs");
}

/// A constant with name and text of each file with an ending in some folders, by name.
fn list(root: &Path, constant: &str, ending: &str, folders: &[&str]) -> String {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders {
        let folder = root.join(folder);
        println!("cargo:rerun-if-changed={}", folder.display());
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_file()
                && path.extension().is_some_and(|e| e == ending)
                && let Some(name) = path.file_stem().and_then(|n| n.to_str())
            {
                println!("cargo:rerun-if-changed={}", path.display());
                found.push((name.to_owned(), path.clone()));
            }
        }
    }
    found.sort();
    let mut text = format!("/// Name and text of each of them, by name.\npub(crate) const {constant}: &[(&str, &str)] = &[\n");
    for (name, path) in &found {
        writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("a text can be written");
    }
    text + "];\n"
}
