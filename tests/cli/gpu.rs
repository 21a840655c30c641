//! `margay gpu` beyond single runs: soundness, tuning, Table 6, on the machine on the CPU.

use serde_json::Value;

use crate::program::{err, folder, json, lines, margay, out};

const THESIS: &str = "tests/corpus/thesis2013";
const CORR: &str = "tests/corpus/ptx-isa/corr.litmus";

#[test]
fn gpu_alone_runs_tests() {
    let (short, long) = (margay(&["gpu", CORR, "--device", "sim", "--instances", "1000", "--format", "json"]), {
        margay(&["gpu", "run", CORR, "--device", "sim", "--instances", "1000", "--format", "json"])
    });
    assert_eq!(short.status.code(), Some(0), "{}", err(&short));
    assert_eq!(lines(&short)[0]["outcomes"], lines(&long)[0]["outcomes"]);
    let none = margay(&["gpu"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(err(&none).contains("<TEST>"), "{}", err(&none));
}

#[test]
fn soundness_goes_on_where_it_stopped() {
    let folder = folder("soundness");
    let file = folder.join("results.jsonl");
    let path = file.to_str().expect("a path of text");
    let ask = |machine: &str| {
        margay(&[
            "gpu",
            "--soundness",
            THESIS,
            CORR,
            "--device",
            "sim",
            "--machine",
            machine,
            "--instances",
            "3000",
            "--results",
            path,
        ])
    };
    let strong = ask("strong");
    assert_eq!(strong.status.code(), Some(0), "{}", err(&strong));
    assert!(out(&strong).contains("everything that was seen is allowed; 20 tests run, 0 known"), "{}", out(&strong));
    // Some lines are lost, and the last one is cut off.
    let text = std::fs::read_to_string(&file).expect("the results");
    let kept: Vec<&str> = text.lines().take(12).collect();
    std::fs::write(&file, format!("{}\n{}", kept.join("\n"), &text.lines().nth(12).expect("a line")[..40])).expect("written");
    let again = ask("strong");
    assert!(out(&again).contains("8 tests run, 12 known"), "{}\n{}", out(&again), err(&again));
    let weak = ask("weak");
    assert_eq!(weak.status.code(), Some(1), "the weak machine shows CoRR: {}", out(&weak));
    assert!(out(&weak).contains("20 tests run, 0 known"), "another machine is another question: {}", out(&weak));
    let known = ask("weak");
    assert_eq!(known.status.code(), Some(1), "a violation that is known is one: {}", out(&known));
    let text = std::fs::read_to_string(&file).expect("the results");
    let violation = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()).find(|v| v["violation"] == true);
    let violation = violation.expect("one line has it");
    assert!(violation["test"].as_str().is_some_and(|t| t.starts_with("PTX ")), "{violation}");
    for field in ["ptx", "sass", "clocks", "environment", "driver"] {
        assert!(violation.get(field).is_some(), "{field}");
    }
}

#[test]
fn soundness_passes_over_what_cannot_be_run() {
    let output = margay(&[
        "gpu",
        "--soundness",
        "tests/corpus/syntax",
        "--device",
        "sim",
        "--machine",
        "strong",
        "--instances",
        "1000",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let lines = lines(&output);
    assert!(lines.iter().any(|l| l["errors"][0]["message"].as_str().is_some_and(|m| m.contains("this is a C test"))));
    assert!(lines.iter().any(|l| l["violation"] == false));
}

#[test]
fn tuning_writes_a_profile_that_runs_use() {
    let folder = folder("tuning");
    let file = folder.join("sim.toml");
    let path = file.to_str().expect("a path of text");
    let few = ["--device", "sim", "--instances", "300", "--distances", "0,64", "--locations", "64", "--step", "32"];
    let less = ["--longest", "2", "--spread", "2", "--random", "2"];
    let arguments = [&["gpu", "tune", path][..], &few, &less].concat();
    // Interrupted at once, and taken up again.
    let stopped = margay(&[&arguments[..], &["--budget", "1ns"]].concat());
    assert_eq!(stopped.status.code(), Some(3), "{}", err(&stopped));
    assert!(err(&stopped).contains("the same command goes on"), "{}", err(&stopped));
    let output = margay(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("most effective: "), "{}", out(&output));
    let profile = std::fs::read_to_string(&file).expect("a profile");
    assert!(profile.contains("name = \"sim, weak machine\""), "{profile}");
    let used = ["gpu", CORR, "--device", "sim", "--instances", "100", "--profile", path];
    assert_eq!(margay(&used).status.code(), Some(0));
    let other = margay(&[&used[..], &["--machine", "strong"]].concat());
    assert!(err(&other).contains("the profile is of `sim, weak machine`"), "{}", err(&other));
    let again = margay(&[&arguments[..], &["--seed", "2"]].concat());
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("is of another search"), "{}", err(&again));
    let report = json(&margay(&[&arguments[..], &["--format", "json"]].concat()));
    assert_eq!(report["sequences"].as_array().map(Vec::len), Some(6));
    assert_eq!(report["profile"]["version"], 1);
    std::fs::write(&file, profile.replace("version = 1", "version = 7")).expect("written");
    let version = margay(&used);
    assert_eq!(version.status.code(), Some(2));
    assert!(err(&version).contains("a profile of version 7"), "{}", err(&version));
}

#[test]
fn table_6_is_a_page_beside_the_published_numbers() {
    let folder = folder("table6");
    let (page, results) = (folder.join("table6.md"), folder.join("results.jsonl"));
    let arguments = ["gpu", "table6", page.to_str().expect("text"), "--device", "sim", "--instances", "2000"];
    let output = margay(&[&arguments[..], &["--results", results.to_str().expect("text")]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.starts_with("Not yet run on hardware"), "{text}");
    assert!(text.contains("| coRR, GTX Titan | 0 | 0 | 0 | 0 | 0 | 1235 | 0 | 9774 |"), "{text}");
    let lines: Vec<Value> =
        std::fs::read_to_string(&results).expect("results").lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines.len(), 64);
    let columns: Vec<u64> = lines.iter().filter_map(|l| l["table6_column"].as_u64()).collect();
    assert_eq!(&columns[..17], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1]);
    let picture = std::fs::read_to_string(folder.join("table6.svg")).expect("a chart");
    let picture = roxmltree::Document::parse(&picture).expect("well-formed XML");
    assert_eq!(picture.descendants().filter(|n| n.has_tag_name("title")).count(), 64, "a bar for each cell");
}

#[test]
fn histograms_are_drawn() {
    let folder = folder("charts");
    let output = margay(&["gpu", CORR, "--device", "sim", "--instances", "5000", "--charts", folder.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let mut drawn: Vec<_> = std::fs::read_dir(&folder).expect("a folder").flatten().collect();
    drawn.retain(|e| e.path().extension().is_some_and(|e| e == "svg"));
    assert_eq!(drawn.len(), 1);
    let text = std::fs::read_to_string(drawn[0].path()).expect("a picture");
    assert!(text.contains("P1:r0=1 /\\ P1:r1=0: "), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_full_disk_what_was_measured_is_shown() {
    let output = margay(&["gpu", CORR, "--device", "sim", "--instances", "1000", "--results", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("/dev/full") && err(&output).contains("No space left"), "{}", err(&output));
    assert!(out(&output).contains("P1:r0=1"), "{}", out(&output));
}
