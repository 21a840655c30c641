//! `margay prove`: theorems, counterexamples, what is open, and bad input.

use crate::program::{err, folder, json, margay, out, words};

const NO_SC: &str = "R.SC,W.SC,RMW.SC";

#[test]
fn fig_11_is_a_theorem() {
    let output =
        margay(&["prove", "rc11-to-ptx", "--without", NO_SC, "--format", "json", "--tried"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "theorem");
    assert_eq!(report["contradiction"], false);
    let axioms = report["axioms"].as_array().expect("a list");
    assert_eq!(axioms.len(), 3);
    assert!(axioms.iter().all(|a| a["verdict"] == "theorem" && a["missing"].is_null()));
    let claims: Vec<String> = report["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|s| s["claims"].to_string())
        .collect();
    assert!(claims.iter().any(|c| c.contains("hb in po | cause-base")), "{claims:?}");
    assert!(report["tried"].as_array().is_some_and(|t| t.iter().any(|t| t["of"] == "cause-base")));
}

#[test]
fn an_argument_is_shown_on_one_screen() {
    let output = margay(&["prove", "rc11-to-ptx", "--without", NO_SC, "--axiom", "Coherence"]);
    let text = out(&output);
    assert!(text.lines().count() < 45, "{text}");
    assert!(
        text.contains("hb in po | cause-base. [induction, ") && !text.contains("missing"),
        "{text}"
    );
    let last = text.lines().rfind(|l| l.contains("[direct, ")).expect("the axiom is the last step");
    assert!(last.contains("irreflexive hb | hb; eco. [direct, 1 obligation, "), "{last}");
    // Where it is cut, all of it can be had.
    let brief = margay(&["prove", "kernelintrinsics", "--bound", "1"]);
    let all = margay(&["prove", "kernelintrinsics", "--bound", "1", "-v"]);
    let (brief, all) = (words(&out(&brief)), words(&out(&all)));
    assert!(brief.contains("`-v` shows every claim.") && brief.contains(" more."), "{brief}");
    let shown = brief.replace("`-v` shows every claim.", "").replace(" 1 more.", "");
    assert!(
        !all.contains("`-v` shows") && !all.contains(" more.") && all.len() > shown.len(),
        "{all}"
    );
}

#[test]
fn a_broken_table_has_its_counterexample() {
    let folder = folder("prove/broken").join("out");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&[
        "prove",
        "rc11-to-ptx-relaxed-release-store",
        "--without",
        NO_SC,
        "--bound",
        "4",
        "--out",
        path,
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("counterexample with 4 events"), "{text}");
    assert!(folder.join("counterexample-1-source.litmus").exists());
}

#[test]
fn what_is_not_decided_is_open() {
    // Broken, and the counterexample is larger than the bound.
    let output =
        margay(&["prove", "rc11-to-ptx-relaxed-release-store", "--without", NO_SC, "--bound", "2"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let text = words(&out(&output));
    assert!(text.starts_with("open: not proved, and no counterexample up to 2 events"), "{text}");
    assert!(
        text.contains("What is missing for Coherence")
            && text.contains("These events make it fail"),
        "{text}"
    );
    // No time at all.
    let output = margay(&["prove", "rc11-to-ptx", "--timeout", "0s", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["reason"], "the time given was used up");
}

#[test]
fn wrong_questions() {
    for (arguments, word) in [
        (&["prove", "rc11-to-ptx", "--axiom", "Coherense"][..], "did you mean `Coherence`?"),
        (&["prove", "no-such-table"], "no-such-table"),
        (&["prove", "rc11-to-ptx", "--without", "R.XY"], "R.XY"),
        (&["prove"], "MAPPING"),
    ] {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains(word), "{}", err(&output));
    }
}

#[test]
fn a_property_of_a_model_and_its_certificate() {
    let certificate = folder("prove/property").join("certificate");
    let path = certificate.to_str().expect("a path of text");
    let output = margay(&[
        "prove",
        "--model",
        "ptx-6.0",
        "empty (obs; rmw) \\ loc",
        "--bound",
        "3",
        "--certify",
        path,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.starts_with("theorem for executions of every size: `empty (obs; rmw) \\ loc`"),
        "{text}"
    );
    let output = margay(&["verify", path, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    assert_eq!(
        (&report["kind"], &report["theorems"][0]),
        (&"model-theorem".into(), &"Property".into())
    );
    assert!(report["extent"]["obligations"].as_u64().is_some_and(|n| n > 4), "{report}");
    assert!(
        report["texts"]
            .as_array()
            .is_some_and(|texts| texts.iter().any(|t| t["standing"] == "built-in")),
        "{report}"
    );
    // The model is compared with the reader's, and the property is shown.
    let output = margay(&["verify", path, "--model", "ptx-6.0"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("empty (obs; rmw) \\ loc as Property"), "{}", out(&output));
    let output = margay(&["verify", path, "--model", "ptx-8"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(err(&output).contains("another model than"), "{}", err(&output));
    let output = margay(&["verify", path, "--mapping", "rc11-to-ptx"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));

    // The digest is made again, so that only the argument tells.
    let damaged = |behind: &str, from: &str, to: &str, words: &str| {
        let file = certificate.join("certificate.json");
        let whole = std::fs::read_to_string(&file).expect("it is there");
        let (before, rest) = whole.split_at(whole.find(behind).expect("it has that"));
        assert!(rest.contains(from), "{from}");
        let changed = format!("{before}{}", rest.replacen(from, to, 1));
        let start = changed.rfind("\"sha256\": \"").expect("it is sealed") + 11;
        let zeros = format!("{}{}{}", &changed[..start], "0".repeat(64), &changed[start + 64..]);
        let digest = margay_models::digest::digest(zeros.as_bytes());
        std::fs::write(&file, zeros.replacen(&"0".repeat(64), &digest, 1)).expect("written");
        let output = margay(&["verify", path]);
        std::fs::write(&file, &whole).expect("written");
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains(words), "`{words}` is missing in\n{}", err(&output));
    };
    damaged("\"subject\"", "empty (obs; rmw)", "empty (po; rmw)", "does not end with");
    damaged(
        "\"subject\"",
        "let rec obs = (morally-strong & rf)",
        "let rec obs = po",
        "not the built-in one of that name",
    );
    damaged("\"instances\"", "\"fact ", "\"fact 9999", "does not hold");
    damaged("\"derived\"", "| ", "| 99999 ", "does not hold");
    damaged("\"derived\"", "| ", "| rubbish ", "cannot be read");
}

#[test]
fn a_theorem_of_a_mapping_is_compared_with_the_readers_files() {
    let folder = folder("prove/held");
    let certificate = folder.join("certificate");
    let path = certificate.to_str().expect("a path of text");
    let output = margay(&[
        "prove",
        "rc11-to-ptx",
        "--only",
        "R.RLX,W.RLX,W.REL,R.ACQ",
        "--bound",
        "2",
        "--certify",
        path,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let held = [
        "verify",
        path,
        "--mapping",
        "rc11-to-ptx",
        "--source",
        "rc11-scoped",
        "--target",
        "ptx-6.0",
        "--format",
        "json",
    ];
    let output = margay(&held);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(json(&output)["compared"], true);
    for (option, other) in [
        ("--mapping", "dpcpp"),
        ("--source", "rc11"),
        ("--target", "ptx-8"),
        ("--model", "ptx-6.0"),
    ] {
        let output = margay(&["verify", path, option, other]);
        assert_eq!(output.status.code(), Some(2), "{option}: {}", out(&output));
    }
}

/// A file that `coqc` would not take is refused before anything is searched.
#[test]
fn files_for_rocq_are_named_like_modules() {
    for name in ["my-theorem.v", "1.v", ".v", "theorem", "folder/"] {
        let output = margay(&["prove", "rc11-to-ptx", "--rocq", name]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", out(&output));
        assert!(
            out(&output).is_empty()
                && err(&output).contains("letters, digits and `_` with `.v` behind it"),
            "{}",
            err(&output)
        );
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_theorem_is_written_for_rocq_and_nothing_else() {
    let folder = folder("prove/rocq");
    std::fs::create_dir_all(&folder).expect("made");
    let path = |name: &str| folder.join(name).to_str().expect("a path of text").to_owned();
    let asked = |table: &str, file: &str, more: &[&str]| {
        let question = ["prove", table, "--only", "R.RLX,W.RLX,W.REL,R.ACQ", "--rocq", file];
        margay(&[&question, more].concat())
    };
    // A theorem, for programs and for people.
    let file = path("theorem.v");
    let output = asked("rc11-to-ptx", &file, &["--bound", "2", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = std::fs::read_to_string(&file).expect("it is written");
    let report = json(&output);
    assert_eq!(report["rocq"]["file"], file.as_str());
    assert_eq!(
        (report["rocq"]["bytes"].as_u64(), report["rocq"]["written"].as_bool()),
        (Some(text.len() as u64), Some(true))
    );
    assert!(report["rocq"]["reason"].is_null());
    assert!(
        text.contains("only R.RLX, W.RLX, W.REL, R.ACQ")
            && text.contains("Theorem mapping_is_sound"),
        "{}",
        &text[..400]
    );
    std::fs::remove_file(&file).expect("it is there");
    let output = asked("rc11-to-ptx", &file, &["--bound", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        words(&out(&output))
            .ends_with(&format!("Theorem and proof in {file}: `coqc {file}` checks them.")),
        "{}",
        out(&output)
    );
    assert!(
        std::fs::read_to_string(&file).is_ok_and(|again| again == text),
        "the same question gives the same file"
    );
    // What is open, and what has a counterexample.
    let broken = "rc11-to-ptx-relaxed-release-store";
    for (bound, code) in [("2", 3), ("4", 1)] {
        let file = path("no_theorem.v");
        let output = asked(broken, &file, &["--bound", bound]);
        assert_eq!(output.status.code(), Some(code), "{}", err(&output));
        assert!(
            words(&err(&output))
                .contains("is not written: not all of it is a theorem (Coherence is not)"),
            "{}",
            err(&output)
        );
        assert!(!std::path::Path::new(&file).exists());
    }
    let output = asked(broken, &path("no_theorem.v"), &["--bound", "2", "--format", "json"]);
    let report = json(&output);
    assert_eq!(
        (&report["rocq"]["written"], &report["rocq"]["bytes"]),
        (&false.into(), &serde_json::Value::Null)
    );
    assert_eq!(report["rocq"]["reason"], "not all of it is a theorem (Coherence is not)");
    // The answer is printed, and then that the file cannot be.
    let nowhere = path("no-such-folder/theorem.v");
    let output = asked("rc11-to-ptx", &nowhere, &["--bound", "2"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(out(&output).starts_with("theorem for executions of every size"), "{}", out(&output));
    assert!(
        words(&err(&output)).contains("no-such-folder/theorem.v` is not written: it is not there"),
        "{}",
        err(&output)
    );
    let output = asked("rc11-to-ptx", &nowhere, &["--bound", "2", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    let report = json(&output);
    assert_eq!(
        (&report["verdict"], &report["rocq"]["written"]),
        (&"theorem".into(), &false.into())
    );
}

/// A property of a model as a file for Rocq, and a property that is none.
#[test]
fn a_property_is_written_for_rocq() {
    let folder = folder("prove/rocq-property");
    std::fs::create_dir_all(&folder).expect("made");
    let file = folder.join("model.v").to_str().expect("a path of text").to_owned();
    let asked = |property: &str, more: &[&str]| {
        margay(
            &[&["prove", "--model", "ptx-6.0", property, "--bound", "2", "--rocq", &file], more]
                .concat(),
        )
    };
    let output = asked("irreflexive po; rf", &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = std::fs::read_to_string(&file).expect("it is written");
    assert!(
        text.starts_with("(* For executions of every size")
            && text.contains("\nirreflexive po; rf\n"),
        "{}",
        &text[..400]
    );
    let report = json(&output);
    assert_eq!(
        (&report["rocq"]["written"], &report["rocq"]["bytes"]),
        (&true.into(), &text.len().into())
    );
    std::fs::remove_file(&file).expect("it is there");
    let output = asked("empty rf", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        words(&err(&output)).contains("model.v` is not written: the property is no theorem"),
        "{}",
        err(&output)
    );
    assert!(!std::path::Path::new(&file).exists());
    // What people write may look like the end of a comment.
    let output = asked("(* *) irreflexive po; rf (* \"of reads *)", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = std::fs::read_to_string(&file).expect("it is written");
    assert!(text.contains("( * * ) irreflexive po; rf ( * 'of reads * )"), "{}", &text[..400]);
}

/// Each direction that is a theorem has a certificate, and stands in the file for Rocq; the other
/// has none.
#[test]
fn theorems_about_two_models_are_kept() {
    let folder = folder("prove/kept");
    std::fs::create_dir_all(&folder).expect("made");
    let path = |name: &str| folder.join(name).to_str().expect("a path of text").to_owned();
    let asked = |new: &str, name: &str, more: &[&str]| {
        let (certificate, file) = (path(name), path(&format!("{name}.v")));
        let question = [
            "diff",
            "--prove",
            "ptx-6.0",
            new,
            "--bound",
            "2",
            "--certify",
            &certificate,
            "--rocq",
            &file,
        ];
        (margay(&[&question[..], more].concat()), certificate, file)
    };
    // Both directions.
    let (output, certificate, file) =
        asked("ptx-6.0-strong-patterns", "both", &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    let folders: Vec<&str> = report["questions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|q| q["certificate"]["folder"].as_str())
        .collect();
    assert_eq!(folders.len(), 2, "{report}");
    let text = std::fs::read_to_string(&file).expect("it is written");
    assert_eq!(report["rocq"]["bytes"], text.len());
    for theorem in ["new_allows_what_old_allows", "old_allows_what_new_allows"] {
        assert!(text.contains(&format!("Theorem {theorem} : ")), "{theorem}");
    }
    for (own, says) in [
        (
            "old-within-new",
            "of ptx-6.0: its executions satisfy these axioms of ptx-6.0-strong-patterns",
        ),
        (
            "new-within-old",
            "of ptx-6.0-strong-patterns: its executions satisfy these axioms of ptx-6.0",
        ),
    ] {
        let own = format!("{certificate}/{own}");
        assert!(folders.contains(&own.as_str()), "{folders:?}");
        let output =
            margay(&["verify", &own, "--old", "ptx-6.0", "--new", "ptx-6.0-strong-patterns"]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(words(&out(&output)).contains(says), "{}", out(&output));
        let output =
            margay(&["verify", &own, "--old", "ptx-6.0-strong-patterns", "--new", "ptx-6.0"]);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    }
    let output = margay(&["verify", &certificate]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(words(&err(&output)).contains("both/new-within-old`, `"), "{}", err(&output));
    // A folder that is not empty is left as it is.
    let (output, ..) = asked("ptx-6.0-strong-patterns", "both", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(err(&output).contains("the folder is not empty"), "{}", err(&output));
    // One direction; the difference in the other has more events than the search comes to, and is
    // found beside it.
    let (output, certificate, file) = asked("ptx-6.0-any-fence", "one", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        words(&out(&output)).contains(&format!("Certificate in {certificate}/new-within-old: ")),
        "{}",
        out(&output)
    );
    assert!(!std::path::Path::new(&format!("{certificate}/old-within-new")).exists());
    let text = std::fs::read_to_string(&file).expect("it is written");
    assert!(text.contains("Module New_within_old.") && !text.contains("Module Old_within_new."));
    // One direction beside a difference in the other one, which is shown.
    let other = path("other.cat");
    std::fs::write(&other, "PTX \"other\"\nirreflexive rf; po\n").expect("written");
    let (output, certificate, file) = asked(&other, "beside", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = words(&out(&output));
    assert!(
        said.contains("newly-allowed-1")
            && said.contains(&format!("Certificate in {certificate}/old-within-new: ")),
        "{said}"
    );
    assert!(
        said.ends_with(&format!("Theorem and proof in {file}: `coqc {file}` checks them.")),
        "{said}"
    );
    // None.
    std::fs::write(&other, "PTX \"other\"\nempty rmw\n").expect("written");
    let (output, certificate, file) = asked(&other, "none", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        !std::path::Path::new(&file).exists()
            && std::fs::read_dir(&certificate).expect("made").next().is_none()
    );
    let why = "is not written: there is no proof that `other` allows what `ptx-6.0` allows, and none of the reverse";
    assert!(words(&err(&output)).contains(why), "{}", err(&output));
    // A file for Rocq is one of theorems.
    let output = margay(&["diff", "ptx-6.0", "ptx-8", "--rocq", "theorem.v"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(err(&output).contains("--prove"), "{}", err(&output));
}

/// The search makes no mbarriers and PTX 6.0 has none, so the two models are equal as far as it
/// goes. The proof has the difference.
#[test]
fn a_proof_has_differences_that_the_search_does_not_make() {
    let question = ["diff", "--prove", "ptx-6.0", "ptx-8", "--bound", "2"];
    let output = margay(&question);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = words(&out(&output));
    for line in [
        "different, by an execution of 3 events that the search did not find; of those that the search makes, none up to 2 events (ALIAS, \
         SUR, TEX, CON, ASYNC not compared): ptx-6.0 and ptx-8",
        "allowed by ptx-6.0, forbidden by ptx-8: an execution of 3 events (below); of those that the search makes, none up to 2 events",
        "ptx-8 allows what ptx-6.0 allows: not so",
        "whether a program has it was not asked",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let answer = json(&margay(&[&question[..], &["--format", "json"]].concat()));
    assert_eq!(answer["verdict"], "different");
    for question in
        answer["questions"].as_array().expect("a list").iter().filter(|q| q["theorem"] == false)
    {
        assert_eq!(
            (&question["verdict"], &question["events"]),
            (&"different".into(), &3.into()),
            "{question}"
        );
        assert!(
            question["beyond"][0]["events"].as_array().is_some_and(|events| events.len() == 3),
            "{question}"
        );
    }
    // Of a part of the executions the proof does not speak.
    let output = margay(&[&question[..], &["--without", "RED"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(out(&output).starts_with("equal up to 2 events"), "{}", out(&output));
}

#[test]
fn lemmas_of_a_file_are_shown_or_not_used() {
    let folder = folder("prove/lemmas");
    std::fs::create_dir_all(&folder).expect("made");
    let file = folder.join("lemmas.cat");
    let path = file.to_str().expect("a path of text");
    let written = |lines: &str| {
        std::fs::write(&file, format!("PTX \"lemmas\"\ninclude \"ptx-6.0.cat\"\n{lines}\n"))
            .expect("written")
    };
    let asked = |more: &[&str]| {
        let question = [
            "prove",
            "rc11-to-ptx",
            "--only",
            "R.RLX,W.RLX,W.REL,R.ACQ",
            "--bound",
            "2",
            "--lemmas",
            path,
        ];
        margay(&[&question, more].concat())
    };
    written(
        "empty (po; cause-base) \\ cause-base as Before\nempty cause-base \\ po as Wrong\nirreflexive cause-base as No-circle\n\
         acyclic po | obs as Thin",
    );
    let output = asked(&["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "theorem");
    let lemma =
        |k: usize| (report["lemmas"][k]["line"].as_u64(), report["lemmas"][k]["verdict"].as_str());
    assert_eq!(
        [lemma(0), lemma(1)],
        [(Some(3), Some("theorem")), (Some(4), Some("counterexample"))],
        "{}",
        report["lemmas"]
    );
    assert_eq!(lemma(2), (Some(5), Some("theorem")), "{}", report["lemmas"]);
    assert_eq!(report["lemmas"][1]["events"], 2);
    // Load buffering has such a cycle, of 4 events, and the search goes up to 2.
    assert_ne!(lemma(3), (Some(6), Some("theorem")), "{}", report["lemmas"]);
    // For people the execution is printed.
    let text = words(&out(&asked(&[])));
    assert!(
        text.contains("false: lemma Wrong (line 4)") && text.contains("An execution of 2 events"),
        "{text}"
    );
    for (lines, word) in [
        ("let rec c = po | c; rf\nempty c as C", "recursive"),
        ("empty no-such-name as X", "no-such-name"),
        ("", "suggests nothing"),
    ] {
        written(lines);
        let output = asked(&[]);
        assert_eq!(output.status.code(), Some(2), "{lines}: {}", out(&output));
        assert!(err(&output).contains(word), "{}", err(&output));
    }
}

#[test]
fn a_false_property_has_its_counterexample() {
    // No condition on executions says that barriers do not synchronise in a circle.
    let output = margay(&[
        "prove",
        "--model",
        "ptx-6.0",
        "irreflexive cause-base",
        "--bound",
        "3",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["verdict"], "open");
    let folder = folder("prove/false");
    let path = folder.to_str().expect("test paths are UTF-8");
    let output =
        margay(&["prove", "--model", "ptx-6.0", "empty rf & ext", "--bound", "3", "--out", path]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    for suffix in [".litmus", ".svg", ".dot", ".txt"] {
        assert!(
            folder.join(format!("counterexample-1{suffix}")).is_file(),
            "counterexample-1{suffix}"
        );
    }
    assert!(out(&output).starts_with("counterexample with 1 event: "), "{}", out(&output));
    for (property, words) in [
        ("irreflexive", "expected"),
        ("empty no-such-name", "no-such-name"),
        ("let x = po", "is not one property"),
    ] {
        let output = margay(&["prove", "--model", "ptx-6.0", property]);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains(words), "{}", err(&output));
    }
}

#[test]
fn a_rewritten_model_is_equal_for_every_size() {
    let folder = folder("prove/rewritten");
    let text = margay_models::library::built_in("ptx-6.0").expect("it is shipped").text.clone();
    let rewritten = text.replace(
        "let rec obs = (morally-strong & rf) | (obs; rmw; obs)",
        "let strong-rf = rf & morally-strong let rec obs = strong-rf | (obs; rmw; obs)",
    );
    let around = "let around = sw | sw; po | po; sw | po; sw; po let cause-base = around+";
    let rewritten = rewritten.replace("let cause-base = (po?; sw; po?)+", around);
    assert_ne!(text, rewritten);
    std::fs::create_dir_all(&folder).expect("made");
    let file = folder.join("rewritten.cat");
    std::fs::write(&file, rewritten).expect("written");
    let path = file.to_str().expect("a path of text");
    let output = margay(&["diff", "--prove", "ptx-6.0", path, "--bound", "2", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", out(&output), err(&output));
    assert_eq!(json(&output)["equal_for_every_size"], true);
    // One axiom less is a difference, whichever is proved.
    std::fs::write(&file, text.replace("irreflexive (rf | fr); cause as Causality", ""))
        .expect("written");
    let output = margay(&["diff", "--prove", "ptx-6.0", path, "--bound", "4", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(json(&output)["equal_for_every_size"], false);
}

/// The page of all mappings has a row for each table and reading of C++, also for a table that is
/// named; nothing is left out. What is answered is not asked again, but where the table is another
/// one, or the answer was damaged.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn all_mappings_make_a_page() {
    let dir = folder("prove/all");
    std::fs::create_dir_all(&dir).expect("made");
    let (page, file) = (dir.join("out"), dir.join("weaker.map"));
    let weaker = concat!(env!("CARGO_MANIFEST_DIR"), "/mappings/rc11-to-ptx-no-release-fence.map");
    let weaker = std::fs::read_to_string(weaker).expect("it is there");
    std::fs::write(&file, &weaker).expect("written");
    let table = file.to_str().expect("text");
    let asked = [
        "prove",
        table,
        "--all-mappings",
        "--bound",
        "1",
        "--timeout",
        "5ms",
        "--out",
        page.to_str().expect("text"),
    ];
    let output = margay(&[&asked[..], &["--format", "json"]].concat());
    // What is decided in so little time depends on the machine, and nothing here depends on it.
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", err(&output));
    let report = json(&output);
    let questions = report["answers"].as_array().expect("a list").len();
    assert!(questions > 130 && report["complete"] == true, "{questions}");
    let read = || std::fs::read_to_string(page.join("README.md")).expect("it was written");
    let text = read();
    let rows =
        text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).count();
    assert_eq!(rows, questions / 2 + 1, "a head, and two answers in each row:\n{text}");
    assert!(text.contains(&format!("\n| {table} | ")) && !text.contains("not asked"), "{text}");
    let before = |n: usize| format!("{n} answers were there from a run before");
    let again = margay(&asked);
    assert!(out(&again).contains(&before(questions)), "{}\n{}", out(&again), err(&again));
    assert_eq!((again.status.code(), read()), (output.status.code(), text));
    // Four readings of C++ and two of PTX of the table that changed, and one answer that was cut
    // off.
    std::fs::write(&file, weaker + "\n// changed\n").expect("written");
    std::fs::write(page.join("answers/cuda-builtins-c20-scoped-ptx-8.answer"), "{")
        .expect("written");
    let again = margay(&asked);
    assert!(out(&again).contains(&before(questions - 9)), "{}\n{}", out(&again), err(&again));
}

/// What a search did not find, or found, is said with what it did not look at, in text and in JSON;
/// a theorem says it among what it supposes.
#[test]
fn the_first_line_says_what_was_left_out() {
    let asked = [
        "prove",
        "rc11-to-ptx-relaxed-release-store",
        "--axiom",
        "Coherence",
        "--without",
        NO_SC,
        "--typed",
        "off",
    ];
    let left_out = "(no programs with R.SC, W.SC, RMW.SC; only axiom Coherence; a location may be both plain and atomic)";
    for (bound, found) in [
        ("2", "open: not proved, and no counterexample up to 2 events"),
        ("4", "counterexample with 4 events"),
    ] {
        let said = format!("{found} {left_out}: ");
        let text = words(&out(&margay(&[&asked[..], &["--bound", bound]].concat())));
        assert!(text.starts_with(&said), "{text}");
        let report = json(&margay(&[&asked[..], &["--bound", bound, "--format", "json"]].concat()));
        assert!(
            report["answer"].as_str().is_some_and(|answer| answer.starts_with(&said)),
            "{}",
            report["answer"]
        );
    }
    let theorem =
        words(&out(&margay(&["prove", "cuda-builtins", "--axiom", "Atomicity", "--bound", "2"])));
    assert!(
        theorem.starts_with("theorem for executions of every size, of Atomicity alone, "),
        "{theorem}"
    );
    // Of a property the search alone leaves something out.
    let asked = [
        "prove",
        "--model",
        "ptx-6.0",
        "irreflexive cause-base",
        "--bound",
        "2",
        "--without",
        "F.SC",
    ];
    let text = words(&out(&margay(&asked)));
    assert!(
        text.starts_with(
            "open: not proved, and no counterexample up to 2 events (no executions with F.SC): "
        ),
        "{text}"
    );
}
