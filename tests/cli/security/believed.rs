//! docs/security.md, "What is believed"

use std::path::Path;
use std::process::Output;

use super::{margay_in, names, project};
use crate::program::{command, err, folder, json, write};

pub(super) fn sealed_answers() {
    let root = folder("security/sealed");
    let key = root.join("key");
    let check = |key: &Path, more: &[&str]| {
        let asked = [
            "check",
            "rc11-to-ptx",
            "--bound",
            "3",
            "--checkpoint",
            "kept",
            "--solver",
            "batsat",
            "--format",
            "json",
        ];
        command(&[&asked[..], more].concat())
            .current_dir(&root)
            .env("MARGAY_KEY", key)
            .output()
            .expect("the program starts")
    };
    let first = check(&key, &[]);
    assert_eq!((first.status.code(), err(&first)), (Some(0), String::new()));
    let again = check(&key, &[]);
    assert_eq!(err(&again), "", "the answers are used");
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&key).expect("it is made").permissions().mode() & 0o777,
            0o600
        );
    }
    let other = check(&root.join("other-key"), &[]);
    assert!(err(&other).contains("sealed with another key"), "{}", err(&other));
    // Without a key nothing is believed, and everything is answered.
    let without = check(Path::new("/dev/null/key"), &[]);
    assert_eq!(without.status.code(), Some(0), "{}", err(&without));
    // It is said once, and not of each answer.
    assert_eq!(
        err(&without).matches("nobody can tell who wrote them").count(),
        1,
        "{}",
        err(&without)
    );
    assert_eq!(err(&without).matches("warning").count(), 1, "{}", err(&without));
    let of = |output: &Output| json(output)["verdict"].clone();
    assert_eq!(
        (of(&first), of(&again), of(&other), of(&without)),
        ("none".into(), "none".into(), "none".into(), "none".into())
    );
}

pub(super) fn certificates() {
    let root = folder("security/certificate");
    let certified = margay_in(&root, &["check", "rc11-to-ptx", "--bound", "2", "--certify", "c"]);
    assert_eq!(certified.status.code(), Some(0), "{}", err(&certified));
    assert_eq!(margay_in(&root, &["verify", "c"]).status.code(), Some(0));
    for name in names(&root.join("c")) {
        let file = root.join("c").join(&name);
        let before = std::fs::read(&file).expect("it is there");
        let mut changed = before.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&file, changed).expect("written");
        assert_ne!(margay_in(&root, &["verify", "c"]).status.code(), Some(0), "{name}");
        std::fs::write(&file, before).expect("written");
    }
}

pub(super) fn results_are_believed() {
    let root = project("results", "");
    let asked =
        ["gpu", "run", "tests", "--device", "sim", "--instances", "100", "--results", "r.jsonl"];
    assert_eq!(margay_in(&root, &asked).status.code(), Some(0));
    let results = std::fs::read_to_string(root.join("r.jsonl")).expect("written");
    let mut line: serde_json::Value = serde_json::from_str(results.trim()).expect("one line");
    line["violation"] = true.into();
    write(&root, "r.jsonl", format!("{line}\n"));
    assert_eq!(margay_in(&root, &["gpu", "summary", "r.jsonl"]).status.code(), Some(1));
}
