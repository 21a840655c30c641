//! What the README and the documentation show is what the program prints and draws today, and their
//! links lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::program::{err, folder, margay, out, write};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The main job, its pictures written into a folder.
fn main_job(folder: &Path) -> String {
    let path = folder.to_str().expect("a path of text");
    let output = margay(&[
        "check",
        "mappings/rc11-to-ptx-no-fence-sc-load.map",
        "--bound",
        "4",
        "--out",
        path,
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    out(&output)
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let printed = main_job(&folder("pages/terminal"));
    let readme = read("README.md");
    let shown = readme
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("a terminal in the README");
    let lines: Vec<&str> = shown.lines().filter(|l| *l != "...").collect();
    assert!((8..25).contains(&lines.len()), "{shown}");
    let mut rest = printed.lines();
    for line in lines {
        assert!(
            rest.any(|l| l == line),
            "`{line}` is not printed, or in another order:\n{printed}"
        );
    }
}

/// Each of the four doors has a command and, below it, what it prints; times aside.
#[test]
fn each_door_shows_what_its_command_prints() {
    let folder = folder("pages/doors");
    let edited: Vec<String> = read("mappings/rc11-to-ptx.map")
        .lines()
        .map(|line| {
            if line.starts_with("R.ACQ.s ") {
                "R.ACQ.s => ld.relaxed.s".to_owned()
            } else {
                line.to_owned()
            }
        })
        .collect();
    let mine = write(&folder, "mine.map", edited.join("\n"));
    let out_of = folder.join("broken");
    let readme = read("README.md");
    let doors = readme
        .split("## Four doors")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .expect("four doors");
    let blocks: Vec<&str> = doors.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 8, "a command and its output for each door: {blocks:?}");
    // A time is another one each time, and a long one moves the columns.
    let bare = |line: &str| {
        let untimed = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
        untimed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for door in blocks.chunks(2) {
        let command = door[0]
            .lines()
            .find_map(|line| line.strip_prefix("cargo run --release -- "))
            .expect("a command");
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|word| match word {
                "mine.map" => mine.as_str(),
                "broken" => out_of.to_str().expect("a path of text"),
                word => word,
            })
            .collect();
        let printed = out(&margay(&words));
        let mut rest = printed.lines().map(bare);
        for line in door[1].lines().skip(1).filter(|line| *line != "...").map(bare) {
            assert!(
                rest.any(|printed| printed == line),
                "`{line}` is not printed by `{command}`, or in another order:\n{printed}"
            );
        }
    }
}

/// Answers of pages that are not held against the program here, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("margay extract llvm-ir --compiler", "needs the compilers of two versions"),
    (
        "margay check llvm-22.1-sm90 --causes",
        "takes a minute; first_lines.rs asks for causes in less",
    ),
];

/// The commands in blocks of a page, fenced or indented, each with what the page shows below it.
fn answers(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let (mut fenced, mut is_open) = (false, false);
    for line in page.lines() {
        if line.starts_with("```") {
            (fenced, is_open) = (!fenced, false);
            continue;
        }
        let text = match line.strip_prefix("    ") {
            _ if fenced => line,
            Some(text) => text,
            None if line.is_empty() => line,
            None => {
                is_open = false;
                continue;
            }
        };
        if let Some(command) = text.strip_prefix("$ ") {
            is_open = command.starts_with("margay ");
            found.extend(is_open.then(|| (command.to_owned(), Vec::new())));
        } else if let (true, Some((_, shown))) = (is_open, found.last_mut()) {
            shown.push(text.to_owned());
        }
    }
    for (_, shown) in &mut found {
        shown.truncate(shown.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
    }
    found.retain(|(_, shown)| !shown.is_empty());
    found
}

/// Where a page shows a command and, below it, an answer, the program prints that today: line by
/// line from the first on, on a terminal of 200 columns. `...` stands for lines that are left out,
/// or for the rest of a line.
#[test]
fn the_answers_on_pages_are_those_of_today() {
    let mut pages: Vec<String> = std::fs::read_dir(root().join("docs"))
        .expect("the documentation")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .collect();
    pages.sort();
    let (mut asked, mut left) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
    for page in pages {
        for (command, shown) in answers(&read(format!("docs/{page}"))) {
            if let Some((start, _)) = ELSEWHERE.iter().find(|(start, _)| command.starts_with(start))
            {
                left.insert(*start);
                continue;
            }
            let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
            let output = crate::program::command(&arguments)
                .env("COLUMNS", "200")
                .output()
                .expect("it starts");
            let said = out(&output);
            let mut lines = said.lines();
            let mut skips = false;
            for expected in &shown {
                if expected.trim() == "..." {
                    skips = true;
                    continue;
                }
                let is_it = |line: &str| match expected.strip_suffix("...") {
                    Some(start) => line.starts_with(start),
                    None => line == expected,
                };
                let there = if skips { lines.any(is_it) } else { lines.next().is_some_and(is_it) };
                assert!(
                    there,
                    "docs/{page}: `{command}` does not print `{expected}` there, but\n{said}{}",
                    err(&output)
                );
                skips = false;
            }
            *asked.entry(page.clone()).or_default() += 1;
        }
    }
    assert_eq!(left.len(), ELSEWHERE.len(), "{left:?}");
    let least = [
        ("applications.md", 3),
        ("compiler-reviews.md", 2),
        ("explain.md", 4),
        ("kernels.md", 6),
        ("weaken-and-repair.md", 1),
    ];
    for (page, count) in least {
        assert!(
            asked.get(page).is_some_and(|&n| n >= count),
            "{page} has fewer answers than {count}: {asked:?}"
        );
    }
}

#[test]
fn the_pictures_of_the_documentation_are_those_of_today() {
    let folder = folder("pages/pictures");
    main_job(&folder);
    for side in ["source", "target"] {
        let today = std::fs::read_to_string(folder.join(format!("counterexample-1-{side}.svg")))
            .expect("it is written");
        let shown = format!("docs/pictures/store-buffering-{side}.svg");
        assert!(
            read(&shown) == today,
            "{shown} is not what `margay check --out` draws: copy it from {}",
            folder.display()
        );
    }
}

/// The Markdown pages of a folder of the repository and of the folders in it; what is built, hidden
/// or somebody else's text is left out.
fn written_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder").flatten() {
        let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
        let name = name.to_string_lossy();
        let left_out =
            name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "vendor");
        if left_out {
            continue;
        }
        if entry.file_type().expect("a kind of file").is_dir() {
            written_pages(&path, pages);
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

#[test]
fn links_of_pages_lead_to_files() {
    let mut pages = Vec::new();
    written_pages(Path::new(""), &mut pages);
    assert!(pages.iter().any(|p| p.starts_with("results/findings")), "{pages:?}");
    let mut links = 0;
    for page in pages {
        let folder = page.parent().expect("a folder").to_owned();
        for link in read(&page)
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next().map(str::to_owned))
        {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") || file.contains(' ') {
                continue;
            }
            links += 1;
            assert!(
                root().join(&folder).join(file).exists(),
                "{}: `{link}` leads nowhere",
                page.display()
            );
        }
    }
    assert!(links > 50, "{links}");
}
