//! What the README and the documentation show is what the program prints and draws today, and their links lead somewhere.

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
    let output = margay(&["check", "mappings/rc11-to-ptx-no-fence-sc-load.map", "--bound", "4", "--out", path]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    out(&output)
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let printed = main_job(&folder("pages/terminal"));
    let readme = read("README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a terminal in the README");
    let lines: Vec<&str> = shown.lines().filter(|l| *l != "...").collect();
    assert!((8..25).contains(&lines.len()), "{shown}");
    let mut rest = printed.lines();
    for line in lines {
        assert!(rest.any(|l| l == line), "`{line}` is not printed, or in another order:\n{printed}");
    }
}

/// Each of the four doors has a command and, below it, what it prints; times aside.
#[test]
fn each_door_shows_what_its_command_prints() {
    let folder = folder("pages/doors");
    let edited: Vec<String> = read("mappings/rc11-to-ptx.map")
        .lines()
        .map(|line| if line.starts_with("R.ACQ.s ") { "R.ACQ.s => ld.relaxed.s".to_owned() } else { line.to_owned() })
        .collect();
    let mine = write(&folder, "mine.map", edited.join("\n"));
    let out_of = folder.join("broken");
    let readme = read("README.md");
    let doors = readme.split("## Four doors").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("four doors");
    let blocks: Vec<&str> = doors.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 8, "a command and its output for each door: {blocks:?}");
    // A time is another one each time, and a long one moves the columns.
    let bare = |line: &str| {
        let untimed = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
        untimed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for door in blocks.chunks(2) {
        let command = door[0].lines().find_map(|line| line.strip_prefix("cargo run --release -- ")).expect("a command");
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

#[test]
fn the_pictures_of_the_documentation_are_those_of_today() {
    let folder = folder("pages/pictures");
    main_job(&folder);
    for side in ["source", "target"] {
        let today = std::fs::read_to_string(folder.join(format!("counterexample-1-{side}.svg"))).expect("it is written");
        let shown = format!("docs/pictures/store-buffering-{side}.svg");
        assert!(read(&shown) == today, "{shown} is not what `margay check --out` draws: copy it from {}", folder.display());
    }
}

/// The Markdown pages of a folder of the repository and of the folders in it; what is built, hidden or somebody else's text is left out.
fn written_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder").flatten() {
        let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
        let name = name.to_string_lossy();
        let left_out = name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "vendor");
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
        for link in read(&page).split("](").skip(1).filter_map(|rest| rest.split(')').next().map(str::to_owned)) {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") || file.contains(' ') {
                continue;
            }
            links += 1;
            assert!(root().join(&folder).join(file).exists(), "{}: `{link}` leads nowhere", page.display());
        }
    }
    assert!(links > 50, "{links}");
}
