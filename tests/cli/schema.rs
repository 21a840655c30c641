//! What every command prints as JSON is a document of that command: the version, the command, and
//! the fields that `margay schema` says.

use serde_json::Value;

use crate::program::{err, folder, lines, margay, out, text};

const SB: &str = "tests/corpus/pldi2016/SB.litmus";
const BROKEN: &str = "rc11-to-ptx-no-release-rmw";
const FEW: [&str; 4] = ["--bound", "3", "--only", "R.NA,R.ACQ,W.NA,W.REL"];
const SIM: [&str; 4] = ["--device", "sim", "--instances", "200"];

/// The documents of a command line; they are printed in several lines where there is one, else in
/// one line each.
fn documents(arguments: &[&str]) -> Vec<Value> {
    let output = margay(&[arguments, &["--format", "json"]].concat());
    let text = out(&output);
    let documents: Vec<Value> = serde_json::Deserializer::from_str(&text)
        .into_iter()
        .map(|v| v.unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}")))
        .collect();
    assert!(!documents.is_empty(), "{arguments:?}: {}", err(&output));
    documents
}

#[test]
fn every_command_prints_its_documents() {
    let folder = folder("schema");
    let path = |name: &str| folder.join(name).to_str().expect("a path of text").to_owned();
    let (certificate, answers, results, page, profile) = (
        path("certificate"),
        path("answers"),
        path("results.jsonl"),
        path("page.md"),
        path("profile.toml"),
    );
    let (shapes, manual, checked, ptx) =
        (path("shapes"), path("man"), path("checked.json"), path("kernel.ptx"));
    let few = |more: &[&'static str]| -> Vec<&'static str> { [more, &FEW].concat() };
    let check = few(&["check", "rc11-to-ptx"]);
    // Answers, a certificate and a file of results for those that read one.
    assert_eq!(margay(&[&check[..], &["--certify", &certificate]].concat()).status.code(), Some(0));
    assert_eq!(margay(&[&check[..], &["--checkpoint", &answers]].concat()).status.code(), Some(0));
    std::fs::write(&checked, out(&margay(&[&check[..], &["--format", "json"]].concat())))
        .expect("written");
    assert_eq!(
        margay(&[&["gpu", SB, "--results", &results], &SIM[..]].concat()).status.code(),
        Some(0)
    );
    std::fs::write(&ptx, out(&margay(&["gpu", "emit", SB]))).expect("written");
    let (open, files) = (path("open"), path("cases"));
    let export =
        [&few(&["case", "export", BROKEN])[..], &["--checkpoint", &open, "--into", &files]]
            .concat();
    let exported = documents(&export)[0]["cases"][0]["file"].as_str().expect("a file").to_owned();
    let tuned = [
        "--distances",
        "0,64",
        "--locations",
        "64",
        "--step",
        "32",
        "--longest",
        "2",
        "--spread",
        "2",
        "--random",
        "2",
    ];
    let asked: Vec<(&str, Vec<&str>)> = vec![
        ("check", check.clone()),
        ("check", few(&["check", BROKEN, "--causes"])),
        ("check", vec!["check", BROKEN, "--level", "execution", "--bound", "4", "--all"]),
        ("prove", vec!["prove", "--model", "ptx-6.0", "empty rf & ext", "--bound", "2"]),
        ("prove", vec!["prove", "rc11-to-ptx", "--axiom", "Atomicity", "--bound", "2"]),
        ("verify", vec!["verify", &certificate]),
        ("case run", vec!["case", "run", &exported, "--into", &answers]),
        ("case list", [&few(&["case", "list", BROKEN])[..], &["--checkpoint", &open]].concat()),
        ("case export", export),
        ("case simulate", vec!["case", "simulate", &answers, "--from", "2", "--to", "3"]),
        (
            "confirm",
            [&["confirm", "rc11-to-ptx-no-fence-sc-load", "--bound", "4"], &SIM[..]].concat(),
        ),
        ("weaken", few(&["weaken", "rc11-to-ptx"])),
        ("repair", few(&["repair", "rc11-to-ptx-relaxed-acquire-load"])),
        ("diff", vec!["diff", "sc", "tso", "--bound", "4"]),
        ("synth", vec!["synth", "tso", "--bound", "3"]),
        ("run", vec!["run", SB, "--model", "ptx-6.0,ptx-8"]),
        ("test", vec!["test", "tests/corpus/asplos2015"]),
        ("sim", vec!["sim", SB, "--runs", "100", "--model", "ptx-6.0"]),
        ("gpu emit", vec!["gpu", "emit", SB]),
        ("gpu run", [&["gpu", SB, "--model", "ptx-6.0"], &SIM[..]].concat()),
        ("gpu table6", [&["gpu", "table6", &page], &SIM[..]].concat()),
        ("gpu tune", [&["gpu", "tune", &profile], &SIM[..], &tuned].concat()),
        ("gpu summary", vec!["gpu", "summary", &results]),
        ("classify", vec!["classify", "tests/corpus/asplos2015"]),
        (
            "explain",
            vec!["explain", "tests/corpus/asplos2019/fig5-mp.litmus", "--model", "ptx-6.0"],
        ),
        ("explain", vec!["explain", SB, "--model", "ptx-6.0"]),
        ("extract", vec!["extract", "--list"]),
        ("extract", vec!["extract", "--ptx", &ptx]),
        ("kernel", vec!["kernel", "tests/kernels/flag.ptx", "--launch", "2x1"]),
        (
            "app suite",
            vec![
                "app",
                "suite",
                "tests/kernels/last_block.toml",
                "tests/kernels/last_block_fenced.toml",
                "--runs",
                "20",
            ],
        ),
        ("app test", vec!["app", "test", "tests/kernels/last_block.toml", "--runs", "50"]),
        ("app harden", vec!["app", "harden", "tests/kernels/last_block.toml", "--runs", "50"]),
        ("fence", vec!["fence", "tests/corpus/asplos2015/dlb-mp.litmus", "--model", "ptx-6.0"]),
        ("report", vec!["report", &checked, "--out", &page]),
        ("gen", vec!["gen", "--shapes", "--out", &shapes]),
        ("models", vec!["models"]),
        ("models", vec!["models", "sc"]),
        ("mappings", vec!["mappings"]),
        ("mappings", vec!["mappings", "rc11-to-ptx"]),
        ("schema", vec!["schema"]),
        ("schema", vec!["schema", "gpu", "run"]),
        ("completions", vec!["completions", "bash"]),
        ("man", vec!["man", &manual]),
    ];
    for (command, arguments) in &asked {
        for document in documents(arguments) {
            assert_eq!(document["command"], *command, "{arguments:?}");
            assert!(
                document.get("errors").is_none_or(|errors| errors == &Value::Array(Vec::new())),
                "{arguments:?}: {document}"
            );
            if let Err(why) = margay_reports::read(&document) {
                panic!("{arguments:?}: {why}: {document}");
            }
        }
    }
    // Machine code is read by tools that are not everywhere; its documents are read where they are
    // (gpu.rs).
    let others: Vec<&str> = margay_reports::COMMANDS
        .iter()
        .map(|c| c.name)
        .filter(|name| asked.iter().all(|(command, _)| command != name))
        .collect();
    assert_eq!(others, ["gpu check"]);
}

#[test]
fn errors_say_their_command() {
    for (command, arguments) in [
        (Value::from("check"), &["check", "no-such-mapping"][..]),
        ("fence".into(), &["fence", "no-such-test", "--model", "sc"]),
        ("gpu run".into(), &["gpu", "no-such-test", "--device", "sim"]),
        (
            "case list".into(),
            &["case", "list", "no-such-mapping", "--checkpoint", text(&folder("schema-errors"))],
        ),
    ] {
        let all = documents(arguments);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0]["command"], command);
        assert!(all[0]["errors"][0]["message"].is_string(), "{}", all[0]);
        margay_reports::read(&all[0]).unwrap_or_else(|why| panic!("{why}: {}", all[0]));
    }
    // One of several files: a line of its own.
    let all = lines(&margay(&["run", SB, "no-such-test", "--model", "sc", "--format", "json"]));
    assert!(all.iter().all(|line| line["command"] == "run"), "{all:?}");
}

/// The page on JSON has each command whose documents have fields of their own.
#[test]
fn the_page_on_json_has_every_command() {
    let page = std::fs::read_to_string("docs/json.md").expect("a page");
    for command in margay_reports::COMMANDS {
        let is_there = page.contains(&format!("margay {}", command.name))
            || page.contains(&command.name.replace(' ', "-"));
        assert!(
            is_there || command.name == "completions",
            "docs/json.md says nothing of `{}`",
            command.name
        );
    }
}

/// A schema is printed as it is, and the list, the folder and the JSON say the same of it.
#[test]
fn schemas_are_listed_shown_and_written() {
    let list = out(&margay(&["schema"]));
    let folder = folder("schema-files");
    let into = text(&folder).to_owned();
    let written = margay(&["schema", "--out", &into]);
    assert_eq!(written.status.code(), Some(0), "{}", err(&written));
    let records = documents(&["schema"]).remove(0);
    let records = records["schemas"].as_array().expect("a list");
    assert_eq!(records.len(), margay_reports::COMMANDS.len());
    for record in records {
        let name = record["name"].as_str().expect("a name");
        let row = list.lines().find(|line| {
            line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with("  "))
        });
        assert_eq!(
            row.and_then(|row| row.split_whitespace().next_back()),
            Some(record["version"].to_string().as_str()),
            "{name}: {list}"
        );
        let file =
            std::fs::read(folder.join(format!("{}.json", name.replace(' ', "-")))).expect("a file");
        assert_eq!(
            margay_models::digest::digest(&file),
            record["sha256"].as_str().expect("a digest"),
            "{name}"
        );
    }
    // One alone: by its words, or in one word as its file is called.
    let shown = out(&margay(&["schema", "gpu", "run"]));
    assert_eq!(shown, out(&margay(&["schema", "gpu-run"])));
    assert_eq!(shown.as_bytes(), std::fs::read(folder.join("gpu-run.json")).expect("a file"));
    let document = documents(&["schema", "gpu", "run"]).remove(0);
    assert_eq!(document["json_schema"], serde_json::from_str::<Value>(&shown).expect("JSON"));
    // What is written again removes nothing else, and what is not there is said.
    assert_eq!(margay(&["schema", "--out", &into]).status.code(), Some(0));
    for (words, said) in [
        (&["chekc"][..], "did you mean `check`?"),
        (&["gpu"], "`gpu emit`, `gpu check`"),
        (&["zzzzzzz"], "`margay schema` lists"),
    ] {
        let wrong = margay(&[&["schema"], words].concat());
        assert_eq!(wrong.status.code(), Some(2));
        assert!(err(&wrong).contains(said), "{}", err(&wrong));
    }
    let wrong = margay(&["schema", "--out", "/dev/null/no"]);
    assert!(
        wrong.status.code() == Some(2) && err(&wrong).contains("/dev/null/no"),
        "{}",
        err(&wrong)
    );
}
