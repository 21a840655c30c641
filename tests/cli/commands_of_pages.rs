//! The commands of the documentation: each is one that the program understands, and those in blocks
//! are followed, page by page.

use std::path::Path;

use crate::program::{err, folder, margay, out, shell};

/// A command in a page: `margay`, its arguments, and whether it is in a block, which is there to be
/// followed.
struct Shown {
    page: String,
    text: String,
    block: bool,
}

/// The pages for readers.
fn pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for folder in ["docs", "results"] {
        let names = std::fs::read_dir(root.join(folder))
            .expect("a folder")
            .map(|e| e.expect("an entry").file_name());
        pages.extend(
            names
                .filter_map(|n| n.into_string().ok())
                .filter(|n| n.ends_with(".md"))
                .map(|n| format!("{folder}/{n}")),
        );
    }
    pages.sort();
    pages
}

/// The command that a line begins with, without what a shell makes of its end: a comment, a pipe, a
/// file.
fn command(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("$ ");
    let of_cargo =
        line.strip_prefix("cargo run --release -- ").map(|rest| format!("margay {rest}"));
    let line = of_cargo.unwrap_or_else(|| line.to_owned());
    let ends = [" #", " | ", " > ", ";", " &&"].iter().filter_map(|end| line.find(end)).min();
    let command = line[..ends.unwrap_or(line.len())].trim();
    command.starts_with("margay ").then(|| command.to_owned())
}

fn shown() -> Vec<Shown> {
    let mut found = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&page))
            .expect("a page");
        let mut block = false;
        // What a test draws is a picture of crates, one of which is called as the program is.
        let mut is_drawn = false;
        for line in text.lines() {
            is_drawn = line.starts_with("<!-- made by ") || is_drawn && line != "<!-- end -->";
            if line.starts_with("```") {
                block = !block;
                continue;
            }
            if is_drawn {
                continue;
            }
            let texts: Vec<&str> =
                if block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
            found.extend(texts.into_iter().filter_map(command).map(|text| Shown {
                page: page.clone(),
                text,
                block,
            }));
        }
    }
    found
}

/// The words of a command, as a shell takes them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn each_command_of_each_page_is_understood() {
    let found = shown();
    assert!(found.len() > 150 && found.iter().any(|c| c.block), "{}", found.len());
    for Shown { page, text, .. } in found {
        // Words in capitals stand for what the reader puts there; for options that take a number,
        // that is one.
        let mut arguments: Vec<String> =
            words(&text).into_iter().skip(1).filter(|word| word != "...").collect();
        for word in &mut arguments {
            *word = word
                .trim_start_matches('[')
                .trim_end_matches(']')
                .trim_end_matches("...")
                .to_owned();
            *word = match word.as_str() {
                "N" => "4".to_owned(),
                "READING" => "rc11-lb".to_owned(),
                "SHELL" => "bash".to_owned(),
                alternatives if alternatives.contains('|') => {
                    alternatives.split('|').next().unwrap_or_default().to_owned()
                }
                other => other.to_owned(),
            };
        }
        if arguments.first().is_none_or(|name| name == "COMMAND") {
            continue;
        }
        arguments.push("--help".to_owned());
        let output = margay(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{page}: `{text}`\n{}", err(&output));
        assert!(out(&output).contains("Usage:"), "{page}: `{text}`");
    }
}

/// The first cells of the tables of docs/commands.md are what one types: nothing that a command
/// cannot do without is left out.
#[test]
fn commands_of_the_tables_have_what_they_need() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md"))
            .expect("the page");
    let folder = folder("commands/tables");
    let cells = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `margay "))
        .filter_map(|rest| rest.split(" | ").next());
    let commands: Vec<String> = cells
        .flat_map(|cell| {
            format!("`margay {cell}")
                .split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(commands.len() > 40, "{commands:?}");
    for text in commands.iter().filter(|text| text.starts_with("margay ")) {
        // A form that the command does not have is refused when all else is read, and before
        // anything is done.
        let form = if text.starts_with("margay kernel") { "junit" } else { "sarif" };
        let output = shell(
            &folder,
            &format!(
                "margay --format {form} {}",
                text.trim_start_matches("margay ").replace("...", "")
            ),
            &[],
        );
        assert!(
            !err(&output).contains("not provided"),
            "docs/commands.md: `{text}`\n{}",
            err(&output)
        );
    }
}

/// Commands in blocks that are not followed here, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "margay test tests/corpus --format junit",
        "tests/cli/corpus.rs: the whole corpus takes minutes",
    ),
    (
        "margay extract",
        "needs the compilers of two commits; tests/cli/extract.rs and tests/cli/compilers.rs run it",
    ),
    (
        "margay diff models/ptx-6.0.cat --git origin/main",
        "needs a repository; tests/cli/ci.rs has one",
    ),
    ("margay gen --shapes", "tests/cli/litmus.rs runs it"),
    ("margay gen --size 3..6", "ten thousand tests; tests/cli/litmus.rs makes fewer"),
    ("margay prove", "takes a minute; tests/cli/prove.rs runs it"),
    ("margay verify theorem", "what `margay prove` writes"),
    ("margay diff --prove", "takes a minute; tests/cli/prove.rs runs it"),
    ("margay kernel lock.cu --cmd", "needs clang"),
    ("margay kernel attention.ll --cmd", "needs LLVM"),
];

/// What a reader is told to have before a page's commands are followed: pages, files and what they
/// are copied from.
const GIVEN: &[(&str, &str, &str)] = &[
    ("README.md", "mine.map", "mappings/rc11-to-ptx.map"),
    ("docs/certificates.md", "my.map", "mappings/rc11-to-ptx.map"),
    ("docs/certificates.md", "ptx-8.cat", "models/ptx-6.0.cat"),
    ("docs/certificates.md", "my.cat", "models/sc.cat"),
    ("docs/certificates.md", "models/old.cat", "models/tso.cat"),
    ("docs/certificates.md", "models/new.cat", "models/sc.cat"),
    ("docs/diff.md", "mine.cat", "models/ptx-8.cat"),
    ("docs/compiler-reviews.md", "before.map", "mappings/compilers/llvm-22.1-sm90.map"),
    ("docs/compiler-reviews.md", "after.map", "mappings/compilers/llvm-23-sm90.map"),
];

/// What the reader is told to have run.
const BEFORE: &[(&str, &str)] = &[
    (
        "docs/certificates.md",
        "margay diff models/old.cat models/new.cat --bound 2 --certify certificate-of-diff",
    ),
    (
        "docs/certificates.md",
        "margay run tests --model ptx-6.0,my.cat --certify certificate-of-run",
    ),
];

/// The same command with less to do: no answer of the pages is looked at here, but whether their
/// commands work one after the other.
fn smaller(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for (option, least) in [("--bound", "2"), ("--count", "20")] {
        if let Some(at) = words.iter().position(|&word| word == option) {
            words[at + 1] = least;
        }
    }
    if matches!(words[1], "diff" | "check" | "synth") && !words.contains(&"--bound") {
        words.extend(["--bound", "2"]);
    }
    words.join(" ")
}

/// The files of a folder into another one, which is made.
fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|e| e.expect("an entry").path()) {
        let place = to.join(entry.file_name().expect("a name"));
        match entry.is_dir() {
            true => copied(&entry, &place),
            false => std::fs::copy(&entry, &place).map(|_| ()).expect("a copy"),
        }
    }
}

#[test]
fn the_commands_in_blocks_work_one_after_the_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = shown();
    let blocks: Vec<&Shown> =
        found.iter().filter(|command| command.block && command.page != "docs/ci.md").collect();
    assert!(blocks.len() > 30, "{}", blocks.len());
    for (elsewhere, why) in ELSEWHERE {
        assert!(
            blocks.iter().any(|c| c.text.starts_with(elsewhere)),
            "no page has `{elsewhere}` ({why})"
        );
    }
    let mut pages: Vec<&str> = blocks.iter().map(|command| command.page.as_str()).collect();
    pages.dedup();
    for page in pages {
        let folder = folder(&format!("commands/{}", page.replace('/', "-")));
        let corpora = [
            "tests/corpus/asplos2019",
            "tests/corpus/applications",
            "tests/fence",
            "tests/kernels",
            "tests/seen-elsewhere",
        ];
        for part in ["models", "mappings"].into_iter().chain(corpora) {
            copied(&root.join(part), &folder.join(part));
        }
        for (_, file, from) in GIVEN.iter().filter(|given| given.0 == page) {
            std::fs::copy(root.join(from), folder.join(file)).expect("a copy");
        }
        let before =
            BEFORE.iter().filter(|before| before.0 == page).map(|before| before.1.to_owned());
        let followed = |command: &&&Shown| {
            command.page == page
                && !ELSEWHERE.iter().any(|(elsewhere, _)| command.text.starts_with(elsewhere))
        };
        for command in
            before.chain(blocks.iter().filter(followed).map(|command| smaller(&command.text)))
        {
            let output = shell(&folder, &command, &[]);
            // A counterexample, or a difference, is an answer; so is that a bound is too small to
            // say which rows could be weaker.
            let answers: &[i32] =
                if command.starts_with("margay weaken") { &[0, 1, 3] } else { &[0, 1] };
            assert!(
                output.status.code().is_some_and(|code| answers.contains(&code)),
                "{page}: `{command}`\n{}{}",
                out(&output),
                err(&output)
            );
        }
    }
}
