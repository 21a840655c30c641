//! The crates stand on each other as docs/architecture.md draws and says: its picture is made from `cargo metadata`, and its invariants are
//! looked for in the metadata and the sources. `INSTA_UPDATE=always cargo test --test architecture` draws the picture anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The floors, the lowest first, and who lives there. A crate that is not named here lives as low as what it names allows.
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
    ("commands", &["margay-answers", "margay-pages", "margay-campaigns", "margay-sweep", "margay-cluster"]),
    ("program", &["margay"]),
];

/// A crate of the workspace.
#[derive(Debug, Clone, Default)]
struct Package {
    /// The folder of its manifest, from the root; empty for the root.
    folder: String,
    /// The crates of the workspace that it names outside of tests.
    names: BTreeSet<String>,
    /// The crates of others that it names outside of tests.
    foreign: BTreeSet<String>,
}

type Packages = BTreeMap<String, Package>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the workspace, by their names.
fn packages() -> Packages {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let said = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let listed = said["packages"].as_array().expect("packages");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let own: BTreeSet<String> = listed.iter().map(|one| text(&one["name"])).collect();
    let package = |one: &serde_json::Value| {
        let manifest = PathBuf::from(text(&one["manifest_path"]));
        let folder = manifest.parent().and_then(|f| f.strip_prefix(root()).ok()).expect("a folder of the workspace");
        let of_product = one["dependencies"].as_array().expect("dependencies").iter().filter(|d| d["kind"].is_null());
        let (names, foreign) = of_product.map(|d| text(&d["name"])).partition(|name| own.contains(name));
        (text(&one["name"]), Package { folder: folder.to_string_lossy().into_owned(), names, foreign })
    };
    listed.iter().map(package).collect()
}

/// The floor of each crate, from 0.
fn floors(packages: &Packages) -> BTreeMap<String, usize> {
    let known = |name: &str| FLOORS.iter().position(|(_, who)| who.contains(&name));
    fn floor(name: &str, packages: &Packages, known: &dyn Fn(&str) -> Option<usize>) -> usize {
        known(name).unwrap_or_else(|| packages[name].names.iter().map(|n| floor(n, packages, known)).max().unwrap_or(0))
    }
    packages.keys().map(|name| (name.clone(), floor(name, packages, &known))).collect()
}

/// How many crates stand below each other under a crate.
fn depth(name: &str, packages: &Packages) -> usize {
    packages[name].names.iter().map(|n| 1 + depth(n, packages)).max().unwrap_or(0)
}

/// Everything that a crate names, and what that names, and so on.
fn below(name: &str, packages: &Packages) -> BTreeSet<String> {
    packages[name].names.iter().flat_map(|n| std::iter::once(n.clone()).chain(below(n, packages))).collect()
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

/// The picture: a line for each crate, those that others stand on further down, with the crates that it names and that no other of them names.
fn picture(packages: &Packages) -> String {
    let floors = floors(packages);
    let short = |name: &str| name.strip_prefix("margay-").unwrap_or(name).to_owned();
    let width = packages.keys().map(|name| short(name).len()).max().unwrap_or(0);
    let folders = packages.values().map(|p| p.folder.len() + 1).max().unwrap_or(0);
    let mut out = String::new();
    for (number, (floor, _)) in FLOORS.iter().enumerate().rev() {
        let mut here: Vec<&String> = packages.keys().filter(|name| floors[*name] == number).collect();
        here.sort_by_key(|name| (std::cmp::Reverse(depth(name, packages)), *name));
        let _ = writeln!(out, "{:-<100}", format!("-- {floor} "));
        for name in here {
            let package = &packages[name];
            let covered: BTreeSet<String> = package.names.iter().flat_map(|n| below(n, packages)).collect();
            let direct: Vec<String> = package.names.iter().filter(|n| !covered.contains(*n)).map(|n| short(n)).collect();
            let arrow = if direct.is_empty() { String::new() } else { format!("-> {}", direct.join(", ")) };
            let line = format!("{:width$}  {:folders$}  {arrow}", short(name), format!("{}/", package.folder));
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

/// The Rust files of a folder, without those of tests, with their texts; none if it is not there.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder.trim_start_matches('/'))];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().map(|e| e.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && path.file_name().is_some_and(|n| n != "tests.rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The lines of a folder's product code that say one of these words; comments, and unit tests at the end of a file, are none.
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
    let (begin, end) = ("<!-- made by tests/architecture.rs -->\n```\n", "```\n<!-- end -->");
    let (before, rest) = text.split_once(begin).expect("the page has a place for the picture");
    let (drawn, after) = rest.split_once(end).expect("the picture ends");
    let made = picture(&packages());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&page, format!("{before}{begin}{made}{end}{after}")).expect("the page can be written");
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
        let Some(below) = packages.contains_key(name).then(|| below(name, &packages)) else { return };
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
    assert!(!mentions("models/src/judge", &["crate::evaluate"]).is_empty(), "names are found where they are");
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
    assert!(solver.iter().all(|n| ["margay-proof", "margay-base"].contains(&n.as_str())), "{solver:?}");
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

/// Names that say nothing without a noun before them, and how many types may have each. One that is left is renamed when its file is touched, and
/// its number here becomes smaller.
const BARE_NAMES: [(&str, usize); 18] = [
    ("Options", 1),
    ("Answer", 0),
    ("Asked", 0),
    ("Found", 0),
    ("Given", 0),
    ("Step", 2),
    ("Row", 1),
    ("Kept", 0),
    ("Known", 0),
    ("Measured", 0),
    ("Named", 0),
    ("Said", 1),
    ("Shown", 0),
    ("Written", 1),
    ("Chosen", 0),
    ("Search", 0),
    ("Compiled", 1),
    ("Compared", 0),
];

/// How many types may have a name that another one has, too; it may only become smaller.
const MOST_SHARED_NAMES: usize = 2;

#[test]
fn no_new_type_has_a_name_that_a_search_cannot_find() {
    let mut counted: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for package in packages().values() {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            for line in text.lines() {
                // An indented `type` is associated with a trait, which names it.
                let is_associated = line.starts_with([' ', '\t']);
                let line = line.trim_start();
                let line = line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
                let keywords: &[&str] =
                    if is_associated { &["struct ", "enum ", "trait "] } else { &["struct ", "enum ", "trait ", "type "] };
                let name = keywords.iter().find_map(|keyword| line.strip_prefix(keyword));
                let name = name.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
                if let Some(name) = name {
                    counted.entry(name.to_owned()).or_default().push(path.clone());
                }
            }
        }
    }
    assert!(counted.len() > 800, "{}", counted.len());
    let shared: usize = counted.values().map(Vec::len).filter(|&types| types > 1).sum();
    assert!(shared <= MOST_SHARED_NAMES, "{shared} types share their names with others; there were {MOST_SHARED_NAMES}");
    for (name, most) in BARE_NAMES {
        let here = counted.get(name).map_or(&[] as &[PathBuf], Vec::as_slice);
        assert!(
            here.len() <= most,
            "`{name}` is the name of {} types; a new one has a noun of the glossary before it: {here:#?}",
            here.len()
        );
    }
}

/// In how many files each base relation is named, at most: in that of its name, in one or two of each engine, and where somebody asks about this relation
/// alone. Whoever treats several alike goes by `BaseRelation::kind`, and by what else is said there. The numbers may become smaller only.
const FILES_OF_A_RELATION: [(&str, usize); 22] = [
    ("Id", 3),
    ("Po", 5),
    ("Rf", 5),
    ("Co", 5),
    ("Fr", 4),
    ("Loc", 5),
    ("Vloc", 4),
    ("Int", 5),
    ("Ext", 4),
    ("Rmw", 5),
    ("Addr", 5),
    ("Data", 5),
    ("Ctrl", 5),
    ("Sr", 5),
    ("Scta", 3),
    ("Scluster", 3),
    ("Sgpu", 3),
    ("Syncbar", 4),
    ("SyncBarrier", 3),
    ("AsyncIssue", 3),
    ("AsyncComplete", 4),
    ("SyncFence", 5),
];

/// The base relations that a text names, by itself or in the list of a `use`.
fn relations_named(text: &str) -> BTreeSet<&str> {
    let mut named = BTreeSet::new();
    for line_or_list in ["BaseRelation::", "RelationKind::"].iter().flat_map(|path| text.split(path).skip(1)) {
        let list = line_or_list.strip_prefix('{').map(|list| list.split('}').next().unwrap_or_default());
        let is_no_name = |c: char| !c.is_alphanumeric() && c != '_';
        match list {
            Some(list) => named.extend(list.split(is_no_name).filter(|name| !name.is_empty())),
            None => named.extend(line_or_list.split(is_no_name).next()),
        }
    }
    named
}

#[test]
fn a_base_relation_is_named_in_few_files() {
    let (mut files, mut looked_at) = (BTreeMap::<&str, Vec<PathBuf>>::new(), 0);
    let home = "models/src/signature/relation.rs";
    for package in packages().values() {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            let product = text.split("\nmod tests {").next().unwrap_or_default();
            let lines = product.lines().map(|line| line.split("//").next().unwrap_or_default());
            let code = lines.collect::<Vec<_>>().join("\n");
            let named = relations_named(&code);
            looked_at += usize::from(!named.is_empty());
            for (relation, _) in FILES_OF_A_RELATION {
                if named.contains(relation) || path.ends_with(home) {
                    files.entry(relation).or_default().push(path.clone());
                }
            }
        }
    }
    assert!(looked_at > 20, "{looked_at} files name base relations: this test looks in the wrong place");
    let counted: Vec<(&str, usize)> =
        FILES_OF_A_RELATION.iter().map(|(relation, _)| (*relation, files[relation].len())).collect();
    for ((relation, most), (_, here)) in FILES_OF_A_RELATION.into_iter().zip(&counted) {
        assert!(
            *here <= most,
            "`{relation}` is named in {here} files, and was in {most}; is there a kind or a property of base relations for it? {:#?} {counted:?}",
            files[relation]
        );
    }
}

/// Whose comments are the help that users see.
const SHOWN_COMMENTS: [&str; 4] = ["Args", "Parser", "Subcommand", "ValueEnum"];

/// The words of a comment or of code, in small letters: `EventSet` and `event_set` are `event`, `set`.
fn small_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in text.chars() {
        if !c.is_ascii_alphabetic() || c.is_ascii_uppercase() && was_small {
            words.push(String::new());
        }
        if c.is_ascii_alphabetic() {
            words.last_mut().expect("a word").push(c.to_ascii_lowercase());
        }
        was_small = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Does a comment say nothing that the code below it does not: are all its words, but those of grammar, words of the code? A spelling in backquotes and a
/// number are more than that.
fn repeats(comment: &str, code: &str) -> bool {
    const GRAMMAR: &str = "the a an of its it is are in to for and or that this by with one on at as be which what whose from was were their they them there how";
    if comment.contains('`') || comment.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let known = small_words(code);
    let is_known = |word: &String| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        known.iter().any(|other| {
            let other = other.strip_suffix('s').unwrap_or(other);
            stem == other || stem.len().min(other.len()) >= 4 && (stem.starts_with(other) || other.starts_with(stem))
        })
    };
    small_words(comment).iter().all(|word| GRAMMAR.split(' ').any(|g| g == word) || is_known(word))
}

/// The comments of one line in a text that repeat the line of code below them, or the head of the type around it: `line: comment`.
fn repeated(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_comment = |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("/// ") else { continue };
        if is_comment(at + 1) || at > 0 && is_comment(at - 1) {
            continue;
        }
        let attributes = lines[at + 1..].iter().take_while(|l| l.trim_start().starts_with("#["));
        let below = at + 1 + attributes.clone().count();
        let above = lines[..at].iter().rposition(|l| {
            let heads = ["///", "//", "#[", "}", ")"];
            !l.trim().is_empty() && depth(l) < depth(line) && !heads.iter().any(|h| l.trim_start().starts_with(h))
        });
        let item = lines[..at].iter().rposition(|l| !l.is_empty() && depth(l) == 0).filter(|_| depth(line) > 0);
        // What is derived for the type, by which its comments are shown.
        let derived = item.map_or(&[] as &[&str], |item| {
            let from = lines[..item].iter().rposition(|l| !l.starts_with("#[") && !l.starts_with("///")).map_or(0, |l| l + 1);
            &lines[from..item]
        });
        let mut shown = attributes.chain(derived).flat_map(|l| SHOWN_COMMENTS.map(|name| l.contains(name)));
        let heads = [above, item].into_iter().flatten().map(|l| lines[l]);
        let code: Vec<&str> = lines.get(below).copied().into_iter().chain(heads).collect();
        if !shown.any(|shown| shown) && repeats(comment, &code.join(" ")) {
            found.push(format!("{}: {comment}", at + 1));
        }
    }
    found
}

#[test]
fn no_comment_repeats_the_name_below_it() {
    let texts = |code: &str| repeated(code).len();
    assert_eq!(texts("/// A token of the text.\n#[derive(Debug)]\nstruct TextToken;\n"), 1);
    assert_eq!(texts("struct Edge {\n    /// Its kind.\n    kind: EdgeKind,\n    /// Which.\n    label: Label,\n}\n"), 2);
    assert_eq!(texts("impl Fence {\n    /// All scopes of fences.\n    pub fn all(self) -> Vec<Scope> {\n"), 1);
    // It says more: another word, a spelling, a shape, a second line.
    let more = [
        "struct Edge {\n    /// By `rf`.\n    rf: Rf,\n",
        "/// Seconds.\nlimit: u64,\n",
        "/// The limit.\n/// In bytes.\nlimit: u64,\n",
    ];
    assert!(more.iter().all(|code| texts(code) == 0), "{more:?}");
    // A user sees it.
    assert_eq!(texts("#[derive(Debug, Args)]\nstruct RunArguments {\n    /// The model.\n    model: String,\n"), 0);
    let mut read = 0;
    let mut found = Vec::new();
    // The comments of documents are descriptions in their schemas.
    for package in packages().values().filter(|p| p.folder != "reports") {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            read += 1;
            found.extend(repeated(&text).into_iter().map(|line| format!("{}:{line}", path.display())));
        }
    }
    assert!(read > 500, "{read}");
    assert_eq!(found, Vec::<String>::new(), "say what the name does not (shape, unit, error, source), or say nothing");
}
