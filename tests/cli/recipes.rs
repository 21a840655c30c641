//! The commands of docs/cluster.md for other engines, as they stand there, at a smaller bound.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{err, folder, out, shell};

const PAGE: &str = include_str!("../../docs/cluster.md");

/// The only line of the page that begins so, and is not another one's beginning, without what
/// stands before it.
fn line(begins: &str) -> &'static str {
    let mut all = PAGE
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(begins) && !line.contains("..."));
    let line = all.next().unwrap_or_else(|| panic!("the page has no `{begins}`"));
    assert_eq!(all.next(), None, "one `{begins}` in the page");
    line
}

/// What stands between two marks.
fn between<'a>(line: &'a str, from: &str, to: &str) -> &'a str {
    line.split_once(from)
        .and_then(|(_, rest)| rest.rsplit_once(to))
        .unwrap_or_else(|| panic!("`{from}` in {line}"))
        .0
}

fn succeeds(folder: &Path, line: &str, variables: &[(&str, &str)]) {
    let output = shell(folder, line, variables);
    assert_eq!(output.status.code(), Some(0), "{line}\n{}{}", out(&output), err(&output));
}

/// The files of a folder of answers, and when each was written.
fn answers(folder: &Path) -> BTreeMap<PathBuf, std::time::SystemTime> {
    let folders = std::fs::read_dir(folder).expect("a folder").flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten());
    let answers = files.filter(|f| f.path().extension().is_some_and(|e| e == "answer"));
    answers.map(|f| (f.path(), f.metadata().expect("a file").modified().expect("a time"))).collect()
}

/// Exports cases, has them solved, and asks for the answer, which takes nothing but what is there.
fn with_cases(name: &str, solve: impl FnOnce(&Path, &[String])) {
    let folder = folder(name);
    let small = |line: &str| line.replace("--bound 9 --split 200", "--bound 5 --split 20");
    succeeds(&folder, &small(line("margay case export rc11-to-ptx")), &[]);
    let files = std::fs::read_dir(folder.join("files")).expect("a folder").flatten();
    let mut files: Vec<String> =
        files.map(|f| format!("files/{}", f.file_name().to_str().expect("text"))).collect();
    files.retain(|f| f.ends_with(".case.json"));
    files.sort();
    assert!(files.len() > 5, "{files:?}");
    solve(&folder, &files);
    let before = answers(&folder.join("kept"));
    assert!(before.len() > files.len(), "those of smaller bounds are there as well");
    // The mapping falls at 5 events, with all constructs: that is an answer.
    let check = PAGE
        .lines()
        .find(|line| line.starts_with("margay check rc11-to-ptx --bound 9"))
        .expect("the last command");
    let output = shell(&folder, &small(check), &[]);
    assert_eq!(output.status.code(), Some(1), "{}{}", out(&output), err(&output));
    let after = answers(&folder.join("kept"));
    assert!(
        before.iter().all(|(path, time)| after.get(path) == Some(time)),
        "nothing is solved again"
    );
    let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(
        new.iter().all(|path| path.to_string_lossy().contains("-chosen")),
        "only which counterexample is shown: {new:?}"
    );
}

#[test]
fn gnu_parallel() {
    if Command::new("parallel").arg("--version").output().is_err() {
        eprintln!("skipped: GNU parallel is not installed");
        return;
    }
    with_cases("recipes/parallel", |folder, _| {
        // This machine, without ssh.
        std::fs::write(folder.join("hosts"), "2/:\n").expect("written");
        succeeds(folder, line("parallel "), &[]);
    });
}

#[test]
fn what_a_task_of_hyperqueue_runs() {
    let task = between(line("hq submit"), "sh -c '", "'");
    with_cases("recipes/hyperqueue", |folder, files| {
        files.iter().for_each(|file| succeeds(folder, task, &[("HQ_ENTRY", file)]));
    });
}

#[test]
fn what_a_pod_of_kubernetes_runs() {
    let task = between(line("args:"), "['", "']");
    with_cases("recipes/kubernetes", |folder, files| {
        let here = task.replace("/work", folder.to_str().expect("a path of text"));
        for index in 0..files.len() {
            succeeds(folder, &here, &[("JOB_COMPLETION_INDEX", &index.to_string())]);
        }
    });
}
