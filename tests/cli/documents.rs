//! The pages of the documentation are whole: a title before everything else, tables with a head and
//! as many cells in each row.

use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = Vec::new();
    for folder in ["", "docs", "results"] {
        let entries = std::fs::read_dir(root.join(folder))
            .expect("a folder")
            .map(|e| e.expect("an entry").path());
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
                assert!(
                    rule.starts_with('|') && rule.chars().all(|c| "|-: ".contains(c)),
                    "no head: {at}"
                );
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
        if path.is_dir()
            && !name.starts_with('.')
            && !["target", "node_modules", "results"].contains(&name.as_str())
        {
            sources(&path, found);
        } else if [".rs", ".cat", ".map"].iter().any(|e| name.ends_with(e))
            || name == "expected.txt"
        {
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
            let ends =
                !text[at + 3..].starts_with(is_name) || text[at + 3..].starts_with(['.', '/']);
            // What tests and commands write has no folder, or one of their own.
            if ends
                && (page.contains("docs/")
                    || page.contains("design/")
                    || page.contains("results/") && page.contains("../"))
            {
                references += 1;
                let name = page.trim_start_matches("../");
                assert!(
                    root.join(format!("{name}.md")).exists(),
                    "{}: {page}.md does not exist",
                    file.display()
                );
            }
        }
    }
    assert!(references > 60, "{references}");
}

/// Pages of prose, with the folders below docs, results of a date (which say what was so then) left
/// out.
fn prose() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in
            std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path())
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_of_a_date = name.starts_with("20") && name.contains('-');
            if path.is_dir()
                && !name.starts_with('.')
                && !["target", "node_modules", "upstream", "artifacts"].contains(&name.as_str())
                && !is_of_a_date
            {
                collect(&path, found);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
    found.sort();
    found
}

/// The name of a heading in an address, as code hosts make it.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>();
    kept.replace(' ', "-")
}

/// The lines of a page that are no code.
fn text_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        code ^= line.trim_start().starts_with("```");
        !code
    })
}

/// Where links of prose lead is there: the file or folder, the heading, and the type that a link to
/// code names.
#[test]
fn links_of_prose_lead_somewhere() {
    let (mut wrong, mut links) = (Vec::new(), 0);
    for page in prose() {
        let text = std::fs::read_to_string(&page).expect("text");
        for (number, line) in text_lines(&text) {
            for (at, _) in line.match_indices("](") {
                let target = line[at + 2..].split(')').next().unwrap_or_default();
                if target.contains("://")
                    || target.starts_with("mailto:")
                    || target.contains(' ')
                    || target.is_empty()
                {
                    continue;
                }
                links += 1;
                let (file, heading) = target
                    .split_once('#')
                    .map_or((target, None), |(file, heading)| (file, Some(heading)));
                let to = if file.is_empty() {
                    page.clone()
                } else {
                    page.parent().expect("a folder").join(file)
                };
                let at_line = format!("{}:{}", page.display(), number + 1);
                if !to.exists() {
                    wrong.push(format!("{at_line}: {target} does not exist"));
                    continue;
                }
                if let Some(heading) =
                    heading.filter(|h| to.extension().is_some_and(|e| e == "md") && !h.is_empty())
                {
                    let there = std::fs::read_to_string(&to).expect("text");
                    let mut headings = text_lines(&there)
                        .filter_map(|(_, l)| l.strip_prefix('#'))
                        .map(|l| anchor(l.trim_start_matches('#')));
                    if !headings.any(|h| h == heading)
                        && !there.contains(&format!("<a id=\"{heading}\">"))
                    {
                        wrong.push(format!("{at_line}: {target}: the page has no such heading"));
                    }
                }
                let name = line[..at].rsplit('[').next().unwrap_or_default();
                let is_code = to.is_dir() || to.extension().is_some_and(|e| e == "rs");
                let name = name.strip_prefix('`').and_then(|n| n.strip_suffix('`'));
                if let Some(name) =
                    name.filter(|name| is_code && is_type(name) && !names(&to, name))
                {
                    wrong.push(format!("{at_line}: {file} has no {name}"));
                }
            }
        }
    }
    assert!(links > 400, "{links} links");
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
}

/// Whether this is the name of a type.
fn is_type(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.contains(|c: char| c.is_ascii_lowercase())
}

/// Whether Rust below a path defines a type: behind a keyword, or where a macro or an enum begins a
/// line with it.
fn names(path: &Path, name: &str) -> bool {
    let mut files = Vec::new();
    if path.is_dir() {
        sources(path, &mut files)
    } else {
        files.push(path.to_owned())
    }
    let of_a_name = |c: char| c.is_alphanumeric() || c == '_';
    let defines = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + name.len()..]);
            let keyword = ["struct ", "enum ", "trait ", "type ", " as "]
                .iter()
                .any(|keyword| before.ends_with(keyword));
            !behind.starts_with(of_a_name)
                && (keyword || before.trim().is_empty() && behind.starts_with([',', ' ', '(']))
        })
    };
    let has = |text: &str| text.lines().any(defines);
    files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "rs"))
        .any(|f| has(&std::fs::read_to_string(f).expect("text")))
}

/// The parts of a page: its paragraphs, and the items of its lists.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (_, line) in text_lines(text) {
        let is_item = line.starts_with("- ")
            || line.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok());
        if is_item || line.trim().is_empty() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    parts
}

/// A file that the page of the architecture calls by its bare name is where its reader looks for
/// it: in a folder that a link of the same step leads to, or beside a file that one leads to.
#[test]
fn files_of_the_architecture_are_beside_their_links() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let text = std::fs::read_to_string(&page).expect("text");
    let (mut wrong, mut files) = (Vec::new(), 0);
    for part in parts(&text) {
        let link = |at: usize| {
            page.parent()
                .expect("a folder")
                .join(part[at + 2..].split([')', '#']).next().unwrap_or_default())
        };
        let links: Vec<PathBuf> = part.match_indices("](").map(|(at, _)| link(at)).collect();
        let is_beside = |to: &PathBuf, name: &str| {
            let folder = if to.is_dir() { Some(to.as_path()) } else { to.parent() };
            folder.is_some_and(|folder| folder.join(name).exists())
        };
        for name in part.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs")) {
            files += 1;
            let is_path =
                page.ancestors().any(|folder| name.contains('/') && folder.join(name).exists());
            if !is_path && !links.iter().any(|to| is_beside(to, name)) {
                wrong.push(format!("{name} is beside no link of: {part}"));
            }
        }
    }
    assert!(files > 10, "{files}");
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
}

/// The paths of the repository that a line names in backticks: those that begin with one of its
/// folders, and have no place for something else.
fn paths_named(line: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_path = |word: &&str| {
        let first = word.split('/').next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
        let placeholder = |part: &str| {
            part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase() || "_-".contains(c))
        };
        let starts = first.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.')
            && !["target", "..", "."].contains(&first);
        word.contains('/')
            && starts
            && word.chars().all(plain)
            && !word.split(['/', '.']).any(placeholder)
            && root.join(first).is_dir()
    };
    line.split('`')
        .skip(1)
        .step_by(2)
        .filter(is_path)
        .map(|word| word.trim_end_matches('/').to_owned())
        .collect()
}

/// Paths that pages and comments name in backticks exist.
#[test]
fn paths_of_prose_and_comments_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut paths) = (Vec::new(), 0);
    let mut check = |file: &Path, number: usize, line: &str| {
        for path in paths_named(line) {
            paths += 1;
            // From the root, or from the crate that the file is in.
            if !file
                .ancestors()
                .take_while(|folder| folder.starts_with(root))
                .any(|folder| folder.join(&path).exists())
            {
                wrong.push(format!("{}:{}: {path} does not exist", file.display(), number + 1));
            }
        }
    };
    for page in prose() {
        let text = std::fs::read_to_string(&page).expect("text");
        text_lines(&text).for_each(|(number, line)| check(&page, number, line));
    }
    let mut files = Vec::new();
    sources(root, &mut files);
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "rs")) {
        let text = std::fs::read_to_string(file).expect("text");
        text.lines()
            .enumerate()
            .filter(|(_, l)| l.trim_start().starts_with("//"))
            .for_each(|(number, line)| check(file, number, line));
    }
    assert!(paths > 60, "{paths} paths");
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
}

/// The tasks that CONTRIBUTING.md names are those of `./tasks`.
#[test]
fn tasks_of_contributing_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("text");
    let (page, script) = (read("CONTRIBUTING.md"), read("tasks"));
    let named: Vec<&str> = page
        .split("`./tasks ")
        .skip(1)
        .map(|rest| rest.split([' ', '`']).next().unwrap_or_default())
        .collect();
    assert!(named.len() > 3, "{named:?}");
    for name in named {
        assert!(script.contains(&format!("task_{name}() {{ #: ")), "there is no task {name}");
    }
}
