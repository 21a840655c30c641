//! The crates of the workspace, as `cargo metadata` has them, and their sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// The folder of its manifest, from the root; empty for the root.
    pub folder: String,
    /// The crates of the workspace that it names outside of tests.
    pub names: BTreeSet<String>,
    /// The crates of others that it names outside of tests.
    pub foreign: BTreeSet<String>,
}

pub type Packages = BTreeMap<String, Package>;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the workspace, by their names.
pub fn packages() -> Packages {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let said = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let listed = said["packages"].as_array().expect("packages");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let own: BTreeSet<String> = listed.iter().map(|one| text(&one["name"])).collect();
    let package = |one: &serde_json::Value| {
        let manifest = PathBuf::from(text(&one["manifest_path"]));
        let folder = manifest
            .parent()
            .and_then(|f| f.strip_prefix(root()).ok())
            .expect("a folder of the workspace");
        let of_product = one["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .filter(|d| d["kind"].is_null());
        let (names, foreign) =
            of_product.map(|d| text(&d["name"])).partition(|name| own.contains(name));
        (
            text(&one["name"]),
            Package { folder: folder.to_string_lossy().into_owned(), names, foreign },
        )
    };
    listed.iter().map(package).collect()
}

/// The Rust files of a folder, without those of tests, with their texts; none if it is not there.
pub fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder.trim_start_matches('/'))];
    while let Some(folder) = folders.pop() {
        for path in
            std::fs::read_dir(&folder).into_iter().flatten().map(|e| e.expect("an entry").path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs")
                && path.file_name().is_some_and(|n| n != "tests.rs")
            {
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}
