//! `margay run --certify` and `margay verify` of it: every verdict comes with what shows it, and
//! nothing else is accepted.

use std::path::{Path, PathBuf};

use margay_models::certificate::{open, seal};
use serde_json::{Value, json};

use crate::certificates::{refused, verify};
use crate::program::{err, folder, json, lines, margay, out, words};

/// Forbidden, allowed, with a loop; under two models.
const PTX: [&str; 3] = ["asplos2019/fig5-mp", "asplos2019/fig6-sb-narrow", "syntax/spin-lock"];

/// Racy, race-free, with a loop that only waits.
const C: [&str; 3] = ["asplos2019/fig12a-isa2", "readings/c-spin", "readings/c-mp-relaxed"];

/// A certificate of tests of the corpus, in a folder of the test; the lines that the run printed.
fn certificate(name: &str, tests: &[&str], more: &[&str]) -> (PathBuf, Vec<Value>) {
    let folder = folder(name).join("certificate");
    let tests: Vec<String> = tests.iter().map(|t| format!("tests/corpus/{t}.litmus")).collect();
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    let path = folder.to_str().expect("a path of text");
    let output = margay(
        &[&["run"], tests.as_slice(), &["--certify", path, "--format", "json"], more].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    (folder, lines(&output))
}

/// The files of a certificate, by name.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry"));
    let read = |e: std::fs::DirEntry| {
        (e.file_name().into_string().expect("text"), std::fs::read(e.path()).expect("a file"))
    };
    let mut files: Vec<_> = entries.map(read).collect();
    files.sort();
    files
}

/// What is said of the document once it is changed and sealed again.
pub fn forged(folder: &Path, change: impl FnOnce(&mut Value), said: &[&str]) {
    let path = folder.join("certificate.json");
    let whole = std::fs::read(&path).expect("a document");
    let mut document: Value = open(folder).expect("it is whole").parse().expect("it is JSON");
    let before = document.clone();
    change(&mut document);
    assert_ne!(document, before, "something is changed");
    seal(&document, folder).expect("there is room");
    refused(folder, said);
    std::fs::write(&path, whole).expect("there is room");
}

#[test]
fn verdicts_are_certified() {
    for (name, tests, models) in [("ptx", PTX, "ptx-6.0,sc"), ("c", C, "rc11-scoped,c20-scoped")] {
        let (folder, mut printed) =
            certificate(&format!("certificates-run/{name}"), &tests, &["--model", models]);
        let certificate = printed.pop().expect("the certificate comes last");
        assert_eq!(certificate["certificate"]["answers"], 6);
        let output =
            margay(&["verify", folder.to_str().expect("a path of text"), "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
        let report = json(&output);
        assert_eq!(report["kind"], "run");
        assert_eq!(report["extent"], certificate["certificate"]["extent"]);
        assert!(report["extent"]["derived"].as_u64().is_some_and(|d| d > 0));
        // What is claimed is what was printed, and that is what the explicit engine says.
        let tests: Vec<String> = tests.iter().map(|t| format!("tests/corpus/{t}.litmus")).collect();
        let arguments: Vec<&str> = tests.iter().map(String::as_str).collect();
        let explicit = margay(
            &[
                &["run"],
                arguments.as_slice(),
                &["--model", models, "--engine", "explicit", "--format", "json"],
            ]
            .concat(),
        );
        let explicit = lines(&explicit);
        let claims = report["claims"].as_array().expect("a list");
        assert_eq!((claims.len(), printed.len(), explicit.len()), (6, 6, 6));
        for ((claim, line), explicit) in claims.iter().zip(&printed).zip(&explicit) {
            assert_eq!(line["engine"], "sat");
            for field in ["file", "model", "reachable", "bounded", "racy"] {
                assert_eq!(claim[field], line[field], "{field}");
                assert_eq!(claim[field], explicit[field], "{field}");
            }
        }
    }
    // Both answers to both questions are among them.
    let all = |name: &str| {
        open(&folder_of(name)).expect("it is whole").parse::<Value>().expect("it is JSON")
    };
    let (ptx, c) = (all("ptx"), all("c"));
    let of = |document: &Value, field: &str| -> Vec<Value> {
        document["claims"].as_array().expect("a list").iter().map(|c| c[field].clone()).collect()
    };
    for reachable in [true, false] {
        assert!(of(&ptx, "reachable").contains(&json!(reachable)));
        assert!(of(&c, "racy").contains(&json!(reachable)));
    }
    assert!(
        c["claims"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|c| c["sessions"].as_array().is_some_and(|s| s.len() == 2))
    );
}

/// The folder that [`certificate`] wrote into before.
fn folder_of(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("certificates-run")
        .join(name)
        .join("certificate")
}

#[test]
fn how_many_work_does_not_matter() {
    let models = ["--model", "ptx-6.0,sc", "--engine", "both"];
    let (one, _) =
        certificate("certificates-run/one", &PTX, &[&models[..], &["--jobs", "1"]].concat());
    let (many, _) =
        certificate("certificates-run/many", &PTX, &[&models[..], &["--jobs", "5"]].concat());
    assert!(files(&one) == files(&many), "the same bytes");
    let moved = one.with_file_name("elsewhere");
    std::fs::rename(&one, &moved).expect("renamed");
    let output = verify(&moved);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("verified: 6 answers ("), "{text}");
    assert!(text.contains("forbidden") && words(&text).contains("without a solver"), "{text}");
    assert_eq!(err(&output), "");
    let narrow = crate::program::command(&["verify", moved.to_str().expect("a path of text")])
        .env("COLUMNS", "60")
        .output();
    let narrow = out(&narrow.expect("the program starts"));
    // A digest is not broken.
    assert!(narrow.lines().all(|l| l.chars().count() <= 60 || l.trim().len() == 64), "{narrow}");
}

#[test]
fn one_bit_in_any_file_is_refused() {
    let (folder, _) = certificate("certificates-run/bit", &PTX[..2], &["--model", "ptx-6.0"]);
    let files = files(&folder);
    assert!(files.len() > 1, "there is a proof");
    for (name, whole) in files {
        let file = folder.join(&name);
        for at in (0..24).map(|k| k * (whole.len() - 1) / 23) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 7);
            std::fs::write(&file, bytes).expect("written");
            refused(&folder, &[&name]);
        }
        for cut in [0, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&file, &whole[..cut]).expect("written");
            refused(&folder, &[&name]);
        }
        std::fs::remove_file(&file).expect("removed");
        refused(&folder, &[&name]);
        std::fs::write(&file, whole).expect("written");
    }
    assert_eq!(verify(&folder).status.code(), Some(0));
}

#[test]
fn what_is_forged_is_refused() {
    let (folder, _) = certificate("certificates-run/forged", &PTX, &["--model", "ptx-6.0,sc"]);
    // A verdict turned round, one that is not about anything, one that is there twice.
    forged(
        &folder,
        |d| d["claims"][0]["reachable"] = json!(true),
        &["fig5-mp", "is `forbidden`, and it claims `allowed`"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["racy"] = json!(false),
        &["it claims `forbidden,race-free`"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["bounded"] = json!(true),
        &["it claims `forbidden,bounded`"],
    );
    forged(&folder, |d| d["claims"][5]["test"] = json!(9), &["tests or models that it has not"]);
    forged(&folder, |d| d["claims"][1] = d["claims"][0].clone(), &["do not ascend"]);
    // What shows it taken away, doubled, or said of another test.
    let none = json!({ "answers": ["none"], "proof": null });
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["proof"] = Value::Null,
        &["has no proof of it"],
    );
    forged(&folder, |d| d["claims"][0]["sessions"] = json!([]), &["1 sessions, and there are 0"]);
    forged(
        &folder,
        |d| d["claims"][0]["sessions"] = json!([none, none]),
        &["1 sessions, and there are 2"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["answers"] = json!([]),
        &["answers are not those of the certificate"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["answers"] = json!(["none", "none"]),
        &["are not those of the certificate"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["proof"]["clauses"] = json!(7),
        &["does not say of it what it holds"],
    );
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["proof"]["file"] = json!("../x.proof"),
        &["not the name of a file"],
    );
    forged(
        &folder,
        |d| {
            let other = d["claims"][1]["sessions"].clone();
            d["claims"][1]["sessions"] = std::mem::replace(&mut d["claims"][0]["sessions"], other);
        },
        &["is not accepted", "another problem"],
    );
    // Another test, another model, other options.
    let text = |d: &mut Value, place: &str, from: &str, to: &str| {
        let text = d.pointer_mut(place).expect("a text");
        *text = json!(text.as_str().expect("a text").replace(from, to));
    };
    forged(
        &folder,
        |d| text(d, "/subject/tests/0/text", "release", "relaxed"),
        &["is not accepted", "another problem"],
    );
    forged(
        &folder,
        |d| text(d, "/subject/models/0/model/text", "acyclic", "irreflexive"),
        &["is not accepted", "another problem"],
    );
    forged(
        &folder,
        |d| text(d, "/subject/models/0/model/text", "acyclic", "acyclyc"),
        &["acyclyc"],
    );
    forged(&folder, |d| text(d, "/subject/tests/1/text", "exists", "exits"), &["fig6-sb-narrow"]);
    forged(
        &folder,
        |d| d["subject"]["given"]["unroll"] = json!(0),
        &["is `forbidden,bounded`, and it claims `forbidden`"],
    );
    forged(
        &folder,
        |d| d["subject"]["kind"] = json!("walk"),
        &["about a `walk`", "`check`, `diff`, `run`, `kernel` and `prove`"],
    );
    forged(&folder, |d| d["version"] = json!(3), &["version 3 of the format"]);
    assert_eq!(verify(&folder).status.code(), Some(0));
}

/// Names of files exchanged: whoever holds the files finds out, and nobody is told that they were
/// compared.
#[test]
fn names_are_compared_with_the_texts() {
    let (folder, _) = certificate("certificates-run/names", &PTX[..2], &["--model", "ptx-6.0,sc"]);
    let path = folder.to_str().expect("a path of text");
    let exchange = |d: &mut Value, first: &str, second: &str| {
        let other = d.pointer(second).expect("a name").clone();
        let one = std::mem::replace(d.pointer_mut(first).expect("a name"), other);
        *d.pointer_mut(second).expect("a name") = one;
    };
    let mut document: Value = open(&folder).expect("it is whole").parse().expect("it is JSON");
    exchange(&mut document, "/subject/tests/0/name", "/subject/tests/1/name");
    exchange(&mut document, "/subject/models/0/model/name", "/subject/models/1/model/name");
    seal(&document, &folder).expect("there is room");
    // A built-in model is known by its text.
    let report = json_of(&["verify", path, "--format", "json"]);
    assert_eq!(
        (&report["models"], &report["model_files"]),
        (&json!(["ptx-6.0", "sc"]), &json!(["models/sc.cat", "models/ptx-6.0.cat"]))
    );
    let text = words(&out(&margay(&["verify", path])));
    assert!(
        text.contains("fig5-mp ptx-6.0 forbidden") && text.contains("fig5-mp.litmus, not compared"),
        "{text}"
    );
    let report = json_of(&["verify", path, "--format", "json"]);
    assert_eq!(report["compared"], false);
    // The claims are about texts: by these the reader's files have their own names again.
    let tests = PTX[..2].iter().map(|t| format!("tests/corpus/{t}.litmus")).collect::<Vec<_>>();
    let report = json_of(&[
        "verify",
        path,
        "--test",
        &tests[0],
        "--test",
        &tests[1],
        "--model",
        "sc,ptx-6.0",
        "--format",
        "json",
    ]);
    assert_eq!(report["compared"], true);
    assert_eq!(report["claims"][0]["file"], tests[0].as_str());
    assert_eq!(
        (&report["claims"][0]["reachable"], &report["claims"][2]["reachable"]),
        (&json!(false), &json!(true))
    );
    let output = margay(&["verify", path, "--test", "tests/corpus/syntax/spin-lock.litmus"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        words(&err(&output))
            .contains("has no test with the text of `tests/corpus/syntax/spin-lock.litmus`"),
        "{}",
        err(&output)
    );
    let output = margay(&["verify", path, "--model", "tso"]);
    assert!(
        words(&err(&output)).contains("has no model with the text of `tso`"),
        "{}",
        err(&output)
    );
}

fn json_of(arguments: &[&str]) -> Value {
    let output = margay(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    json(&output)
}

#[test]
fn executions_are_judged() {
    let (folder, _) =
        certificate("certificates-run/executions", &PTX[1..2], &["--model", "ptx-6.0,sc"]);
    let document: Value = open(&folder).expect("it is whole").parse().expect("it is JSON");
    let execution = &document["claims"][0]["sessions"][0]["answers"][0]["execution"];
    assert!(
        execution.is_object() && document["claims"][0]["sessions"][0]["proof"].is_null(),
        "it is allowed, and needs no proof"
    );
    let of = |change: &dyn Fn(&mut Value), said: &[&str]| {
        forged(
            &folder,
            |d| change(&mut d["claims"][0]["sessions"][0]["answers"][0]["execution"]),
            said,
        );
    };
    let none = ["fig6-sb-narrow", "an execution that is none"];
    of(&|e| e["values"][0][1] = json!(1), &none);
    of(&|e| e["values"] = json!([]), &["an access has no value"]);
    of(&|e| e["rf"] = json!([]), &["each read reads from a write"]);
    of(&|e| e["rf"][0][0] = json!(99), &["events that are not there"]);
    of(&|e| e["co"] = json!([]), &["the initial write is first"]);
    of(&|e| e["paths"][0] = json!(7), &["a path that it has not"]);
    of(&|e| e["paths"] = json!([]), &["a path that it has not"]);
    of(&|e| *e = json!("thin air"), &["certificate.json", "line"]);
    // Sequential consistency forbids the same execution.
    let answers = document["claims"][0]["sessions"].clone();
    forged(
        &folder,
        |d| {
            d["claims"][1]["sessions"] = answers;
            d["claims"][1]["reachable"] = json!(true);
        },
        &["under `sc`", "the judge disagrees"],
    );
    // An execution beside the proof that there is none.
    let execution = execution.clone();
    forged(
        &folder,
        |d| d["claims"][1]["sessions"][0]["answers"][0] = json!({ "execution": execution }),
        &["answers are not those of the certificate"],
    );
}

#[test]
fn what_cannot_be_certified_is_said() {
    let folder = folder("certificates-run/refused");
    let (path, test) =
        (folder.to_str().expect("a path of text"), "tests/corpus/asplos2019/fig5-mp.litmus");
    let run = |more: &[&str]| {
        margay(&[&["run", test, "--model", "ptx-6.0", "--certify", path], more].concat())
    };
    let output = run(&["--engine", "explicit"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("the explicit engine writes no proofs")
            && err(&output).contains("--engine both"),
        "{}",
        err(&output)
    );
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);

    // Without time there is a certificate, of nothing.
    let output = run(&["--timeout", "0s"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(words(&out(&output)).contains(": 0 answers."), "{}", out(&output));
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("1 of the questions have no answer"), "{}", out(&output));
    assert_eq!(files(&folder).len(), 1);

    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("the folder is not empty"), "{}", err(&output));
    let output = margay(&["run", test, "--model", "ptx-6.0", "--jobs", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("0 jobs"), "{}", err(&output));
}

/// That executions are not lost is seen by the explicit engine, which takes no execution of so many
/// events: an answer about one has no certificate, rather than one that is refused.
#[test]
fn what_could_not_be_verified_is_not_certified() {
    let folder = folder("certificates-run/large");
    let test = folder.join("large.litmus");
    let waits = ["LC10:", "ld.acquire.gpu r0, l", "bne r0, 1, LC10", "ld.relaxed.gpu r1, x"];
    let mut text = "PTX large\n{\nx=0;\nl=0;\n}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n".to_owned();
    for n in 0..65 {
        let store = if n == 64 { "release" } else { "relaxed" };
        let place = if n == 64 { "l, 1".to_owned() } else { format!("x, {}", n + 1) };
        let other = waits.get(n).unwrap_or(&"");
        text += &format!("st.{store}.gpu {place} | {other} ;\n");
    }
    std::fs::write(&test, text + "exists (1:r1 == 0)\n").expect("there is room");
    let (test, certificate) = (test.to_str().expect("text"), folder.join("certificate"));
    let path = certificate.to_str().expect("text");
    let output = margay(&["run", test, "--model", "ptx-8", "--certify", path]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = words(&out(&output));
    assert!(text.starts_with("forbidden: large under ptx-8"), "{text}");
    assert!(text.contains(": 0 answers."), "{text}");
    let said = "`verify` could not see whether executions are lost";
    assert!(words(&err(&output)).contains(said), "{}", err(&output));
    assert_eq!(verify(&certificate).status.code(), Some(0));
}
