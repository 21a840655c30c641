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
