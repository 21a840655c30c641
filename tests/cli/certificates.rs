//! `margay check --certify` and `margay verify`: accepted as it was written, refused when anything about it is not.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, json, margay, out, words};

/// A certificate of a small search, in a folder of the test.
fn certificate(name: &str) -> PathBuf {
    let folder = folder(name).join("certificate");
    let path = folder.to_str().expect("a path of text");
    let asked = ["check", "rc11-to-ptx", "--level", "execution", "--axiom", "Atomicity,SC", "--bound", "2"];
    let output = margay(&[&asked[..], &["--certify", path]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("no counterexample up to 2 events among single executions"), "{text}");
    assert!(words(&text).contains(": none up to 2 events. 3 cases,"), "{text}");
    folder
}

pub fn verify(folder: &Path) -> std::process::Output {
    margay(&["verify", folder.to_str().expect("a path of text")])
}

/// It is refused with exit code 2, and a message with these words.
pub fn refused(folder: &Path, words: &[&str]) {
    let output = verify(folder);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert_eq!(out(&output), "");
    for word in words {
        assert!(err(&output).contains(word), "`{word}` is missing in\n{}", err(&output));
    }
}

#[test]
fn a_certificate_is_verified() {
    let folder = certificate("certificates/verified");
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("verified: none up to 2 events\nno counterexample to <built-in>/rc11-to-ptx.map\n"), "{text}");
    assert!(words(&text).contains("3 cases,") && words(&text).contains("without a solver"), "{text}");
    assert_eq!(err(&output), "");

    let moved = folder.with_file_name("elsewhere");
    std::fs::rename(&folder, &moved).expect("renamed");
    let output = margay(&["verify", moved.to_str().expect("a path of text"), "--jobs", "1", "--format", "json"]);
    let report = json(&output);
    assert_eq!(report["verified"], true);
    assert_eq!(report["kind"], "check");
    assert_eq!(report["claims"][0]["axiom"], "Atomicity");
    assert_eq!(report["claims"][1]["none_up_to"], 2);
    assert_eq!(report["extent"]["cases"], 3);
    assert!(report["extent"]["derived"].as_u64().is_some_and(|d| d > 0));
}

#[test]
fn a_certificate_of_a_fallen_mapping_certifies_the_bounds_below() {
    let folder = folder("certificates/fallen").join("certificate");
    let path = folder.to_str().expect("a path of text");
    let asked = ["check", "rc11-to-ptx-no-release-rmw", "--level", "execution", "--bound", "6", "--jobs", "2"];
    let output = margay(&[&asked[..], &["--certify", path, "--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["certificate"]["claims"][0]["none_up_to"], 3);
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("Up to 6 events were asked for, and fewer are certified of Coherence (3)"), "{text}");
}

#[test]
fn one_bit_in_any_file_is_refused() {
    let folder = certificate("certificates/bit");
    let files: Vec<PathBuf> = std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    assert_eq!(files.len(), 4);
    for file in files {
        let name = file.file_name().expect("a name").to_str().expect("a name of text");
        let whole = std::fs::read(&file).expect("a file");
        for at in [0, whole.len() / 3, whole.len() - 2] {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            std::fs::write(&file, bytes).expect("written");
            refused(&folder, &[name]);
        }
        std::fs::write(&file, &whole[..whole.len() / 2]).expect("written");
        refused(&folder, &[name]);
        std::fs::write(&file, whole).expect("written");
    }
    assert_eq!(verify(&folder).status.code(), Some(0));
}

#[test]
fn damage_is_told_apart() {
    let folder = certificate("certificates/damage");
    let document = folder.join("certificate.json");
    let text = std::fs::read_to_string(&document).expect("text");
    let proof = folder.join("02-executions-1+1-q0,1.proof");
    let bytes = std::fs::read(&proof).expect("a proof");

    // A proof cut off, another one in its place, none at all.
    std::fs::write(&proof, &bytes[..bytes.len() - 100]).expect("written");
    refused(&folder, &["02-executions-1+1-q0,1.proof", "is not accepted: record"]);
    std::fs::copy(folder.join("02-executions-2-q0,1.proof"), &proof).expect("copied");
    refused(&folder, &["02-executions-1+1-q0,1.proof", "is about another problem"]);
    std::fs::remove_file(&proof).expect("removed");
    refused(&folder, &["02-executions-1+1-q0,1.proof", "cannot be read"]);
    std::fs::write(&proof, "p cnf 1 1\n1 0\n").expect("written");
    refused(&folder, &["does not begin as a proof file of this version"]);
    std::fs::write(&proof, &bytes).expect("written");

    // The document: another version, another kind of file, changed, cut off, gone.
    std::fs::write(&document, text.replacen("\"version\": 1", "\"version\": 7", 1)).expect("written");
    refused(&folder, &["has version 7 of the format", "reads version 1"]);
    std::fs::write(&document, "{\"schema\": 1}").expect("written");
    refused(&folder, &["certificate.json", "missing field `format`", "line 1"]);
    std::fs::write(&document, text.replacen("acyclic", "acyclyc", 1)).expect("written");
    refused(&folder, &["it is damaged"]);
    std::fs::write(&document, &text[..text.len() / 2]).expect("written");
    refused(&folder, &["certificate.json", "line"]);
    std::fs::remove_file(&document).expect("removed");
    refused(&folder, &["certificate.json", "cannot read", "--certify"]);
    refused(&folder.join("nothing"), &["cannot read"]);
    std::fs::write(&document, &text).expect("written");
    assert_eq!(verify(&folder).status.code(), Some(0));
}

#[test]
fn certificates_need_a_solver_that_proves_and_a_folder_of_their_own() {
    let folder = folder("certificates/refused");
    let path = folder.to_str().expect("a path of text");
    let check = |more: &[&str]| margay(&[&["check", "rc11-to-ptx", "--bound", "2"], more].concat());
    let output = check(&["--certify", path, "--solver", "varisat"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("`varisat` writes no proofs") && err(&output).contains("--solver cadical"), "{}", err(&output));
    std::fs::write(folder.join("notes.txt"), "mine").expect("written");
    let output = check(&["--certify", path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("the folder is not empty"), "{}", err(&output));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
    let output = check(&["--certify", folder.join("notes.txt").to_str().expect("a path of text")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("cannot write a certificate into"), "{}", err(&output));
    let output = margay(&["verify", path, "--jobs", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("0 jobs"), "{}", err(&output));
}

#[test]
fn lines_stay_within_sixty_columns() {
    let folder = certificate("certificates/narrow");
    let output = crate::program::command(&["verify", folder.to_str().expect("a path of text")])
        .env("COLUMNS", "60")
        .output()
        .expect("the program starts");
    let prose: Vec<String> = out(&output).lines().filter(|l| !l.contains("->")).map(str::to_owned).collect();
    assert!(prose.iter().all(|l| l.chars().count() <= 60), "{prose:#?}");
}

#[test]
fn a_comparison_is_certified() {
    let folder = folder("certificates/diff").join("certificate");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["diff", "ptx-6.0", "ptx-6.0-any-fence", "--bound", "3", "--certify", path]);
    assert!(out(&output).contains("Certificate in"), "{}{}", out(&output), err(&output));
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("no difference between ptx-6.0 and ptx-6.0-any-fence"), "{}", out(&output));
    let proof = std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path());
    let proof = proof.filter(|p| p.extension().is_some_and(|e| e == "proof")).max().expect("a proof");
    let mut bytes = std::fs::read(&proof).expect("a proof");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&proof, bytes).expect("written");
    refused(&folder, &["is not accepted"]);
    let output = margay(&["diff", "sc", "tso", "--certify", path]);
    assert_eq!(output.status.code(), Some(2), "the folder is not empty");

    let programs = folder.with_file_name("programs");
    let path = programs.to_str().expect("a path of text");
    let output = margay(&["diff", "sc", "tso", "--program", "--bound", "3", "--certify", path]);
    assert!(out(&output).contains("Certificate in"), "{}{}", out(&output), err(&output));
    let output = verify(&programs);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(words(&out(&output)).contains("outcomes of programs"), "{}", out(&output));
}
