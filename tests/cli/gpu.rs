//! `margay gpu` beyond single runs: soundness, tuning, Table 6, on the machine on the CPU.

use serde_json::Value;

use crate::program::{err, folder, json, lines, margay, out};

const THESIS: &str = "tests/corpus/thesis2013";
const CORR: &str = "tests/corpus/ptx-isa/corr.litmus";

#[test]
fn gpu_alone_runs_tests() {
    let (short, long) =
        (margay(&["gpu", CORR, "--device", "sim", "--instances", "1000", "--format", "json"]), {
            margay(&[
                "gpu",
                "run",
                CORR,
                "--device",
                "sim",
                "--instances",
                "1000",
                "--format",
                "json",
            ])
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
    assert!(
        out(&strong)
            .contains("simulated: everything that was seen is allowed; 20 tests run, 0 known"),
        "{}",
        out(&strong)
    );
    // Some lines are lost, and the last one is cut off.
    let text = std::fs::read_to_string(&file).expect("the results");
    let kept: Vec<&str> = text.lines().take(12).collect();
    std::fs::write(
        &file,
        format!("{}\n{}", kept.join("\n"), &text.lines().nth(12).expect("a line")[..40]),
    )
    .expect("written");
    let again = ask("strong");
    assert!(out(&again).contains("8 tests run, 12 known"), "{}\n{}", out(&again), err(&again));
    let weak = ask("weak");
    assert_eq!(weak.status.code(), Some(1), "the weak machine shows CoRR: {}", out(&weak));
    assert!(
        out(&weak).contains("20 tests run, 0 known"),
        "another machine is another question: {}",
        out(&weak)
    );
    let known = ask("weak");
    assert_eq!(known.status.code(), Some(1), "a violation that is known is one: {}", out(&known));
    let text = std::fs::read_to_string(&file).expect("the results");
    let violation = text
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find(|v| v["violation"] == true);
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
    assert!(lines.iter().any(|l| {
        l["errors"][0]["message"].as_str().is_some_and(|m| m.contains("this is a C test"))
    }));
    assert!(lines.iter().any(|l| l["violation"] == false));
}

#[test]
fn tuning_writes_a_profile_that_runs_use() {
    let folder = folder("tuning");
    let file = folder.join("sim.toml");
    let path = file.to_str().expect("a path of text");
    let few = [
        "--device",
        "sim",
        "--instances",
        "300",
        "--distances",
        "0,64",
        "--locations",
        "64",
        "--step",
        "32",
    ];
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
    assert!(
        profile.contains("name = \"sim, weak machine\"") && profile.contains("simulated = true"),
        "{profile}"
    );
    assert!(out(&output).starts_with("simulated: most effective: "), "{}", out(&output));
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
    let arguments =
        ["gpu", "table6", page.to_str().expect("text"), "--device", "sim", "--instances", "2000"];
    let output =
        margay(&[&arguments[..], &["--results", results.to_str().expect("text")]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.starts_with("Not yet run on hardware"), "{text}");
    assert!(text.contains("| coRR, GTX Titan | 0 | 0 | 0 | 0 | 0 | 1235 | 0 | 9774 |"), "{text}");
    // Nothing simulated is in the columns, which are about hardware.
    assert!(text.contains(&format!("| **mp**, here | {} |", ["–"; 16].join(" | "))), "{text}");
    assert!(text.contains("## Simulated") && !folder.join("table6.svg").exists(), "{text}");
    assert!(out(&output).starts_with("simulated: sim, weak machine"), "{}", out(&output));
    let lines: Vec<Value> = std::fs::read_to_string(&results)
        .expect("results")
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 4);
    assert!(
        lines.iter().all(|l| l["simulated"] == true && l["table6_column"] == Value::Null),
        "{lines:?}"
    );
    // What the file of results has is not measured again.
    let again = margay(&[&arguments[..], &["--results", results.to_str().expect("text")]].concat());
    assert_eq!(again.status.code(), Some(0), "{}", err(&again));
    assert_eq!(std::fs::read_to_string(&results).expect("results").lines().count(), 4);
    assert_eq!(std::fs::read_to_string(&page).expect("a page"), text);
    // Without time the page says what is not there, and the program that it is not complete.
    let stopped = margay(&[&arguments[..], &["--budget", "1ns"]].concat());
    assert_eq!(stopped.status.code(), Some(3), "{}", err(&stopped));
    assert!(err(&stopped).contains("the page is not complete"), "{}", err(&stopped));
}

/// The made-up Titan: anyone can see that tuning finds what there is to be found.
#[test]
fn tuning_finds_what_was_planted() {
    let folder = folder("titan");
    let file = folder.join("titan.toml");
    let path = file.to_str().expect("a path of text");
    let output = margay(&["gpu", "tune", path, "--device", "sim:titan", "--random", "5"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("simulated: most effective: sys-str+"), "{text}");
    let row =
        text.lines().find(|l| l.contains("made up after PLDI 2016")).expect("the row of Table 2");
    assert!(["32", "ld-st-st-ld", " 2"].iter().all(|found| row.contains(found)), "{row}");
    let profile = std::fs::read_to_string(&file).expect("a profile");
    for found in [
        "simulated = true",
        "stress-patch=32",
        "sequence = \"ld-st-st-ld\"",
        "spread = 2",
        "name = \"cache-str-\"",
    ] {
        assert!(profile.contains(found), "{found}: {profile}");
    }
    let picture = std::fs::read_to_string(folder.join("titan.svg")).expect("Fig. 3");
    let picture = roxmltree::Document::parse(&picture).expect("well-formed XML");
    let bars = picture
        .descendants()
        .filter(|n| n.has_tag_name("title"))
        .filter_map(|n| n.text())
        .collect::<Vec<_>>();
    assert!(
        bars.contains(&"d = 32, place 0: 39")
            || bars.iter().any(|b| b.starts_with("d = 32, place ")),
        "{bars:?}"
    );
    assert!(bars.iter().all(|b| !b.starts_with("d = 0,")), "nothing without a distance: {bars:?}");
    let hardware = margay(&["gpu", CORR, "--device", "sim:titan", "--require-comparison"]);
    assert_eq!(hardware.status.code(), Some(2));
    assert!(err(&hardware).contains("a simulated device runs none"), "{}", err(&hardware));
}

/// A kernel that never ends, and a driver that waits for it when the program ends: the program ends
/// all the same, what was measured is kept, and the next run passes over the test at which the
/// device failed.
#[test]
fn a_device_that_hangs_or_is_lost_stops_nothing_else() {
    for (device, said) in
        [("sim:hangs", "did not end within 1s"), ("sim:lost", "fallen off the bus")]
    {
        let folder = folder(&device.replace(':', "-"));
        let file = folder.join("results.jsonl");
        let tests = [
            "gpu",
            "--soundness",
            "tests/corpus/thesis2013",
            "--model",
            "ptx-6.0",
            "--instances",
            "500",
            "--watchdog",
            "1s",
        ];
        let ask = || {
            margay(
                &[&tests[..], &["--device", device, "--results", file.to_str().expect("text")]]
                    .concat(),
            )
        };
        let begun = std::time::Instant::now();
        let first = ask();
        assert!(begun.elapsed().as_secs() < 600, "it does not wait");
        assert_eq!(first.status.code(), Some(3), "{}", err(&first));
        assert!(
            err(&first).contains(said) && out(&first).contains("2 tests run"),
            "{}{}",
            err(&first),
            out(&first)
        );
        let lines = || std::fs::read_to_string(&file).expect("results").lines().count();
        assert_eq!(lines(), 3, "two results, and at which test it failed");
        let second = ask();
        assert!(out(&second).contains("2 known from the file of results"), "{}", out(&second));
        assert!(
            out(&second).contains("the device failed at it in an earlier run"),
            "{}",
            out(&second)
        );
        assert_eq!(lines(), 6);
        // In the end nothing is left to be run.
        let ends = (0..20).map(|_| ask().status.code()).find(|code| *code != Some(3));
        assert!(matches!(ends, Some(Some(0 | 1))), "{ends:?}");
    }
}

/// A test beside its machine code, where the vendor's programs are.
#[test]
fn machine_code_is_explained() {
    let lb = "tests/corpus/pldi2016/LB.litmus";
    let output = margay(&["gpu", "check", lb, "--explain"]);
    if output.status.code() == Some(2) && err(&output).contains("there are no ptxas and nvdisasm") {
        return eprintln!("skipped: {}", err(&output));
    }
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for said in [
        "LB on sm_90, -O3: the machine code is the test",
        "ld.cg r1, x",
        "LDG.E.STRONG.GPU",
        "nothing between them waits for scoreboard",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let line = json(&margay(&["gpu", "check", lb, "--explain", "--format", "json"]));
    assert_eq!(
        (&line["level"], &line["apart"], &line["verdict"]),
        (&3.into(), &false.into(), &"equal".into())
    );
    let thread = &line["explained"]["threads"][0];
    assert_eq!(
        (&thread["pairs"][0]["overlap"], &thread["pairs"][0]["ordered_by_the_test"]),
        (&true.into(), &false.into())
    );
    let load = thread["code"]
        .as_array()
        .expect("code")
        .iter()
        .find(|i| i["effect"] == 0)
        .expect("the load")
        .clone();
    assert!(
        load["control"]["write"].is_u64()
            && load["text"].as_str().is_some_and(|t| t.starts_with("LDG")),
        "{load}"
    );
    // Without optimisation everything waits, which was why no load was ever overtaken.
    let slow =
        json(&margay(&["gpu", "check", lb, "--explain", "--optimize", "0", "--format", "json"]));
    assert_eq!(slow["explained"]["threads"][0]["pairs"][0]["overlap"], false);
    assert_eq!(slow["narrowed"].as_array().map(Vec::len), Some(2));
}

#[test]
fn histograms_are_drawn() {
    let folder = folder("charts");
    let output = margay(&[
        "gpu",
        CORR,
        "--device",
        "sim",
        "--instances",
        "5000",
        "--charts",
        folder.to_str().expect("text"),
    ]);
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
    let output =
        margay(&["gpu", CORR, "--device", "sim", "--instances", "1000", "--results", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("/dev/full") && err(&output).contains("No space left"),
        "{}",
        err(&output)
    );
    assert!(out(&output).contains("P1:r0=1"), "{}", out(&output));
}

/// What a compiler made of a test is machine code: a simulated device has none to run, and what is
/// no program is said.
#[test]
fn compiled_programs_are_for_gpus() {
    let source = "tests/corpus/readings/c-mp-relaxed.litmus";
    let output = margay(&["gpu", source, "--device", "sim", "--compiled", "Cargo.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("a simulated device runs none"), "{}", err(&output));
    let without = margay(&["gpu", source, "--device", "sim", "--accesses", source]);
    assert_eq!(without.status.code(), Some(2));
    assert!(err(&without).contains("--compiled"), "{}", err(&without));
}
