//! What is trusted cannot name what searches: the crates of the kernel, of Rocq's writer and of the
//! checker of SAT proofs depend on no search for proofs, and the kernel takes no more of the
//! mappings than their language and the reading of a question.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates of this workspace that each crate depends on, tests aside.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let name = |p: &Value| p["name"].as_str().expect("a name").to_owned();
    let own: BTreeSet<String> = packages.iter().map(name).collect();
    let of = |p: &Value| {
        let all = p["dependencies"].as_array().expect("a list").iter();
        all.filter(|d| d["kind"] != "dev").map(name).filter(|d| own.contains(d)).collect()
    };
    packages.iter().map(|p| (name(p), of(p))).collect()
}

/// All that a crate depends on, through others too.
fn reachable(from: &str) -> BTreeSet<String> {
    let all = dependencies();
    let (mut found, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(next) = open.pop() {
        let of = all.get(&next).unwrap_or_else(|| panic!("the workspace has a crate `{next}`"));
        open.extend(of.iter().filter(|d| found.insert((*d).clone())).cloned());
    }
    found
}

#[test]
fn the_kernel_and_rocqs_writer_depend_on_no_search_for_proofs() {
    for crate_name in ["margay-theorem", "margay-rocq"] {
        let found = reachable(crate_name);
        assert!(!found.contains("margay-prove"), "{crate_name} depends on the search for proofs");
        assert!(
            !found.contains("margay-mappings"),
            "{crate_name} depends on the search for counterexamples"
        );
    }
    assert!(
        !reachable("margay-theorem").contains("margay-rocq"),
        "the checker does not need Rocq's writer"
    );
    // The search is above both, so the question is not an idle one.
    assert!(reachable("margay-prove").contains("margay-theorem"));
}

#[test]
fn the_checker_of_sat_proofs_depends_on_nothing() {
    assert!(reachable("margay-proof").is_empty(), "{:?}", reachable("margay-proof"));
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The crate of models has the translation to a solver, too. The kernel reads models with it, and
/// asks it nothing.
#[test]
fn the_kernel_names_no_solver() {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernel/src");
    let mut seen = 0;
    for path in sources(&kernel) {
        let text = std::fs::read_to_string(&path).expect("a text");
        for line in text.lines() {
            for word in ["margay_solver", "margay_mappings", "margay_models::lower", "rayon"] {
                assert!(!line.contains(word), "{}: {line}", path.display());
            }
            seen += usize::from(line.contains("margay_language::"));
        }
    }
    assert!(seen > 5, "the kernel reads mappings");
}
