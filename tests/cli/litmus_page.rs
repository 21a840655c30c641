//! The tests of docs/litmus.md: each is read, and what the page says of it is what the program
//! answers.

use crate::program::{err, folder, margay, out, text};

const PAGE: &str = include_str!("../../docs/litmus.md");

/// The blocks of the page that begin so, each by its name, with the answer that stands indented
/// behind it, if there is one.
fn shown(begin: &str) -> Vec<(String, String, Option<String>)> {
    let mut found = Vec::new();
    for (at, _) in PAGE.match_indices(&format!("```text\n{begin} ")) {
        let (test, behind) = PAGE[at + "```text\n".len()..].split_once("```").expect("an end");
        let name =
            test.lines().next().and_then(|line| line.split_once(' ')).expect("a name").1.to_owned();
        let answer = behind
            .trim_start_matches('\n')
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("    "));
        found.push((name, test.to_owned(), answer.map(str::to_owned)));
    }
    found
}

/// The first line that `run` prints of a test.
fn first_line(name: &str, test: &str, more: &[&str]) -> String {
    let path = folder(&format!("litmus_page/{name}")).join("test.litmus");
    std::fs::write(&path, test).expect("written");
    let output = margay(&[&["run", text(&path), "--model", "ptx-8"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{name}: {}{}", out(&output), err(&output));
    out(&output).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn each_test_has_the_answer_that_the_page_says() {
    let tests = shown("PTX");
    assert!(tests.iter().filter(|(_, _, answer)| answer.is_some()).count() >= 4, "{tests:?}");
    for (name, test, answer) in &tests {
        let first = first_line(name, test, &[]);
        assert!(answer.as_ref().is_none_or(|answer| *answer == first), "{name}: {first}");
    }
    let of = |name: &str| {
        tests.iter().find(|(n, ..)| n == name).unwrap_or_else(|| panic!("no {name}")).1.as_str()
    };
    assert!(PAGE.contains(&format!("\n    {}\n", first_line("epilogue", of("epilogue"), &[]))));
    assert!(
        PAGE.contains(&format!("\n    {}\n", first_line("races", of("shfl-sync"), &["--races"])))
    );
    // What the sentences beside them say of a changed test.
    let host = of("host-synchronizes");
    let without: String = host
        .lines()
        .filter(|line| !line.contains("synchronize 0"))
        .map(|line| format!("{line}\n"))
        .collect();
    let fence: String = of("epilogue")
        .lines()
        .filter(|line| !line.contains("fence.proxy"))
        .map(|line| format!("{line}\n"))
        .collect();
    let launched = of("programmatic-without-wait");
    let changed = [
        (
            "lanes",
            of("shfl-sync").replace("shfl.sync.idx.b32 _, 5, 0, 31, 3", "bar.warp.sync 3"),
            "forbidden",
        ),
        ("after", launched.replace("overlaps 0", "after 0"), "forbidden"),
        (
            "wait",
            launched.replace(
                " ld.weak r0, x                      ;\n",
                " griddepcontrol.wait ;\n | ld.weak r0, x ;\n",
            ),
            "forbidden",
        ),
        ("host", without, "allowed"),
        (
            "mbarrier",
            of("arrive-release-wait-acquire").replace("parity.acquire", "parity.relaxed"),
            "allowed",
        ),
        ("copy", fence, "allowed"),
    ];
    for (name, test, expected) in changed {
        assert!(!tests.iter().any(|(_, original, _)| *original == test), "{name} is changed");
        let first = first_line(name, &test, &[]);
        assert!(first.starts_with(&format!("{expected}: ")), "{name}: {first}\n{test}");
    }
}
