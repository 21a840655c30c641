//! The fingerprint of the code that decides cases: what a release number does not tell of a build
//! between releases. Answers that were kept by other code are not used again (src/check/cases). And
//! the list of mappings to architectures.

use std::path::{Path, PathBuf};

/// The crates whose code decides; those beside this one are there in a checkout alone (a published
/// crate has its release number).
const CODE: [&str; 6] = [
    "src",
    "language/src",
    "../solver/src",
    "../solver/proof/src",
    "../models/src",
    "../litmus/src",
];

/// Fowler, Noll and Vo's hash (FNV-1a): the code of two builds is told apart, nobody is to be kept
/// from forging one.
struct Fnv(u64);

impl Fnv {
    fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Name and text of the mappings to architectures (architectures/*.map), by name. To ship one more,
/// put its file there.
fn architectures() {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"))
        .join("architectures");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "map")).collect();
    found.sort();
    let mut text = String::from(
        "/// Name and text of mappings to architectures that are texts.\nconst ARCHITECTURES: &[(&str, &str)] = &[\n",
    );
    for path in found {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
        text += &format!("    ({name:?}, include_str!({:?})),\n", path.display().to_string());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("architectures.rs"), text + "];\n")
        .expect("cargo's folder can be written");
}

fn main() {
    architectures();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for folder in CODE {
        let mut found = Vec::new();
        files(Path::new(folder), &mut found);
        if !found.is_empty() {
            println!("cargo:rerun-if-changed={folder}");
        }
        found.sort();
        for path in found {
            hash.update(path.to_string_lossy().as_bytes());
            hash.update(&std::fs::read(&path).unwrap_or_default());
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=MARGAY_CODE={:016x}", hash.0);
}
