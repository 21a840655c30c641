//! The pages of the documentation are whole: a title before everything else, tables with a head and as many cells in each row.

use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = Vec::new();
    for folder in ["", "docs", "results"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder").map(|e| e.expect("an entry").path());
        pages.extend(entries.filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    pages
}

/// The cells of a row; a bar in code is escaped.
fn cells(row: &str) -> usize {
    row.trim().trim_matches('|').replace("\\|", "").split('|').count()
}

#[test]
fn pages_begin_with_a_title_and_tables_with_a_head() {
    let pages = pages();
    assert!(pages.len() > 15, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("text");
        // What holds of the whole page may stand before its title, but no table and no part.
        let first = text.lines().find(|l| l.starts_with(['#', '|', '-', ' '])).unwrap_or_default();
        assert!(first.starts_with("# "), "{}: {first:?}", page.display());
        let lines: Vec<&str> = text.lines().collect();
        let is_row = |n: usize| lines.get(n).is_some_and(|l| l.starts_with('|'));
        let mut code = false;
        for (i, line) in lines.iter().enumerate() {
            code ^= line.starts_with("```");
            if code || !is_row(i) {
                continue;
            }
            let at = format!("{}, line {}: {line}", page.display(), i + 1);
            assert!(line.trim_end().ends_with('|'), "{at}");
            if i == 0 || !is_row(i - 1) {
                let rule = lines.get(i + 1).copied().unwrap_or_default();
                assert!(rule.starts_with('|') && rule.chars().all(|c| "|-: ".contains(c)), "no head: {at}");
                assert_eq!(cells(line), cells(rule), "{at}");
            } else {
                assert_eq!(cells(line), cells(lines[i - 1]), "{at}");
            }
        }
    }
}

/// The paths of the repository's Rust files, models, mappings and lists of verdicts.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules", "results"].contains(&name.as_str()) {
            sources(&path, found);
        } else if [".rs", ".cat", ".map"].iter().any(|e| name.ends_with(e)) || name == "expected.txt" {
            found.push(path);
        }
    }
}

/// A page of the documentation that a comment or a verdict refers to exists.
#[test]
fn comments_refer_to_pages_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut references = 0;
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (at, _) in text.match_indices(".md") {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
            let page = text[..at].rsplit(|c| !is_name(c)).next().unwrap_or_default();
            let ends = !text[at + 3..].starts_with(is_name) || text[at + 3..].starts_with(['.', '/']);
            // What tests and commands write has no folder, or one of their own.
            if ends && (page.contains("docs/") || page.contains("design/") || page.contains("results/") && page.contains("../")) {
                references += 1;
                let name = page.trim_start_matches("../");
                assert!(root.join(format!("{name}.md")).exists(), "{}: {page}.md does not exist", file.display());
            }
        }
    }
    assert!(references > 60, "{references}");
}
