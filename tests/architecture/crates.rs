//! The crates stand on each other as docs/architecture.md draws and says: its picture is made from
//! `cargo metadata`, and its invariants are looked for in the metadata and the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::workspace::{Package, Packages, packages, root, sources};

/// The floors, the lowest first, and who lives there. A crate that is not named here lives as low
/// as what it names allows.
const FLOORS: [(&str, &[&str]); 6] = [
    ("solver", &["margay-proof", "margay-solver", "margay-cadical", "margay-base"]),
    ("models", &["margay-models"]),
    (
        "questions",
        &[
            "margay-ptx",
            "margay-cuda",
            "margay-litmus",
            "margay-language",
            "margay-mappings",
            "margay-theorem",
            "margay-prove",
            "margay-rocq",
            "margay-runner",
            "margay-extract",
            "margay-kernel",
        ],
    ),
    ("documents", &["margay-reports", "margay-console"]),
    (
        "commands",
        &["margay-answers", "margay-pages", "margay-campaigns", "margay-sweep", "margay-cluster"],
    ),
    ("program", &["margay"]),
];

/// The floor of each crate, from 0.
fn floors(packages: &Packages) -> BTreeMap<String, usize> {
    let known = |name: &str| FLOORS.iter().position(|(_, who)| who.contains(&name));
    fn floor(name: &str, packages: &Packages, known: &dyn Fn(&str) -> Option<usize>) -> usize {
        known(name).unwrap_or_else(|| {
            packages[name].names.iter().map(|n| floor(n, packages, known)).max().unwrap_or(0)
        })
    }
    packages.keys().map(|name| (name.clone(), floor(name, packages, &known))).collect()
}

/// How many crates stand below each other under a crate.
fn depth(name: &str, packages: &Packages) -> usize {
    packages[name].names.iter().map(|n| 1 + depth(n, packages)).max().unwrap_or(0)
}

/// Everything that a crate names, and what that names, and so on.
fn below(name: &str, packages: &Packages) -> BTreeSet<String> {
    packages[name]
        .names
        .iter()
        .flat_map(|n| std::iter::once(n.clone()).chain(below(n, packages)))
        .collect()
}

/// Crates that name a crate of a higher floor.
fn arrows_up(packages: &Packages) -> Vec<String> {
    let floors = floors(packages);
    let up = |(name, package): (&String, &Package)| -> Vec<String> {
        let higher = package.names.iter().filter(|n| floors[*n] > floors[name]);
        higher.map(|n| format!("{name} names {n}, which stands above it")).collect()
    };
    packages.iter().flat_map(up).collect()
}

/// The picture: a line for each crate, those that others stand on further down, with the crates
/// that it names and that no other of them names.
fn picture(packages: &Packages) -> String {
    let floors = floors(packages);
    let short = |name: &str| name.strip_prefix("margay-").unwrap_or(name).to_owned();
    let width = packages.keys().map(|name| short(name).len()).max().unwrap_or(0);
    let folders = packages.values().map(|p| p.folder.len() + 1).max().unwrap_or(0);
    let mut out = String::new();
    for (number, (floor, _)) in FLOORS.iter().enumerate().rev() {
        let mut here: Vec<&String> =
            packages.keys().filter(|name| floors[*name] == number).collect();
        here.sort_by_key(|name| (std::cmp::Reverse(depth(name, packages)), *name));
        let _ = writeln!(out, "{:-<100}", format!("-- {floor} "));
        for name in here {
            let package = &packages[name];
            let covered: BTreeSet<String> =
                package.names.iter().flat_map(|n| below(n, packages)).collect();
            let direct: Vec<String> =
                package.names.iter().filter(|n| !covered.contains(*n)).map(|n| short(n)).collect();
            let arrow =
                if direct.is_empty() { String::new() } else { format!("-> {}", direct.join(", ")) };
            let line = format!(
                "{:width$}  {:folders$}  {arrow}",
                short(name),
                format!("{}/", package.folder)
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

/// The lines of a folder's product code that say one of these words; comments, and unit tests at
/// the end of a file, are none.
fn mentions(folder: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources(folder) {
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (number, line) in product.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn the_picture_agrees_with_the_metadata() {
    let page = root().join("docs/architecture.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let (begin, end) =
        ("<!-- made by tests/architecture/crates.rs -->\n```\n", "```\n<!-- end -->");
    let (before, rest) = text.split_once(begin).expect("the page has a place for the picture");
    let (drawn, after) = rest.split_once(end).expect("the picture ends");
    let made = picture(&packages());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&page, format!("{before}{begin}{made}{end}{after}"))
            .expect("the page can be written");
        return;
    }
    assert_eq!(drawn, made, "INSTA_UPDATE=always cargo test --test architecture draws it anew");
}

#[test]
fn a_crate_names_only_crates_below_it() {
    let packages = packages();
    assert!(packages.len() >= 17, "{}", packages.len());
    assert_eq!(arrows_up(&packages), Vec::<String>::new());
    // An arrow that runs up is seen.
    let mut wrong = packages.clone();
    wrong.get_mut("margay-models").expect("models").names.insert("margay-reports".to_owned());
    assert_eq!(arrows_up(&wrong), ["margay-models names margay-reports, which stands above it"]);
}

#[test]
fn what_checks_does_not_name_what_searches() {
    let packages = packages();
    let allowed = |name: &str, never: &[&str]| {
        let Some(below) = packages.contains_key(name).then(|| below(name, &packages)) else {
            return;
        };
        for one in never {
            assert!(!below.contains(*one), "{name} stands on {one}");
        }
    };
    // Proofs of solvers, and arguments of theorems.
    allowed("margay-proof", &["margay-solver", "margay-cadical"]);
    allowed("margay-theorem", &["margay-mappings", "margay-prove", "margay-rocq"]);
    // The judge and the translation, of which each finds the other's mistakes.
    for (folder, never) in [
        ("models/src/judge", &["margay_solver", "crate::lower"] as &[&str]),
        ("models/src/evaluate", &["margay_solver", "crate::lower"]),
        ("models/src/lower", &["crate::judge", "crate::evaluate"]),
        ("mappings/src/encode", &["::judge::", "margay_models::evaluate"]),
        ("prove/kernel/src", &["margay_solver", "margay_prove"]),
    ] {
        assert_eq!(mentions(folder, never), Vec::<String>::new(), "{folder}");
    }
    assert!(!sources("models/src/judge").is_empty() && !sources("mappings/src/encode").is_empty());
    assert!(
        !mentions("models/src/judge", &["crate::evaluate"]).is_empty(),
        "names are found where they are"
    );
}

#[test]
fn the_ground_names_nobody() {
    let packages = packages();
    let proof = &packages["margay-proof"];
    assert!(proof.names.is_empty() && proof.foreign.is_empty(), "{proof:?}");
    if let Some(base) = packages.get("margay-base") {
        assert!(base.names.is_empty(), "{base:?}");
    }
    let solver: Vec<&String> = packages["margay-solver"].names.iter().collect();
    assert!(
        solver.iter().all(|n| ["margay-proof", "margay-base"].contains(&n.as_str())),
        "{solver:?}"
    );
}

#[test]
fn libraries_print_nothing() {
    let packages = packages();
    let floors = floors(&packages);
    let prints = ["print!(", "println!(", "dbg!(", "stdout()", "stderr()"];
    let questions = 2;
    for (name, package) in &packages {
        let printed = mentions(&format!("{}/src", package.folder), &prints);
        if floors[name] <= questions {
            assert_eq!(printed, Vec::<String>::new(), "{name}");
        }
    }
    assert!(!mentions("console/src", &prints).is_empty(), "what prints is found");
}
