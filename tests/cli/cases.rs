//! Case files: whoever solves them, the check that wrote them finds their answers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use margay_mappings::check::{
    CaseEngine, CaseWork, CheckOptions, CheckVerdict, Progress, Silent, check,
};
use margay_models::diagnostic::Diagnostic;
use margay_solver::Backend;

use crate::forge::searches::mapping;
use crate::program::{err, folder, json, margay, out, words, write};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Writes the case files of a bound.
fn export(name: &str, question: &[&str]) -> (PathBuf, PathBuf, Vec<String>) {
    let dir = folder(name);
    let (answers, files) = (dir.join("answers"), dir.join("files"));
    let more = ["--checkpoint", text(&answers), "--into", text(&files), "--format", "json"];
    let output = margay(&[&["case", "export"], question, &more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "open");
    let files = report["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|c| c["file"].as_str().expect("a file").to_owned());
    (dir, answers, files.collect())
}

/// What a check says, without what it took.
fn answer(arguments: &[&str]) -> serde_json::Value {
    let mut report = json(&margay(&[&["check", "--format", "json"], arguments].concat()));
    let axioms = report["axioms"].as_array().expect("axioms").clone();
    let axioms: Vec<_> =
        axioms.iter().map(|a| serde_json::json!([a["axiom"], a["verdict"], a["bound"]])).collect();
    serde_json::json!([
        report["verdict"],
        report["established"],
        axioms,
        report["counterexamples"].take()
    ])
}

#[test]
fn cases_that_were_solved_elsewhere_are_not_solved_again() {
    // Its assumed row would have a counterexample, and no check asks about it.
    let rows = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/rc11-to-ptx.map"),
    )
    .expect("a mapping");
    let rows = rows.replace("R.ACQ.s       => ld.acquire.s", "R.ACQ.s => ld.relaxed.s [assumed]");
    let assumed = write(&folder("cases/assumed"), "assumed.map", rows);
    let questions: [&[&str]; 4] = [
        &[&assumed, "--bound", "4", "--only", "R.NA,R.ACQ,W.NA,W.REL,RMW.ACQ"],
        &["rc11-to-ptx", "--bound", "4", "--without", "R.SC,W.SC,RMW.SC"],
        &["rc11-to-ptx-no-release-rmw", "--bound", "4", "--level", "execution", "--split", "30"],
        &["rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--split", "9"],
    ];
    for (i, question) in questions.into_iter().enumerate() {
        let (_, answers, files) = export(&format!("cases/elsewhere-{i}"), question);
        assert!(files.len() >= 5, "the partitions of 4: {files:?}");
        for file in &files {
            let solved =
                margay(&["case", "run", file, "--into", text(&answers), "--format", "json"]);
            assert!(matches!(solved.status.code(), Some(0 | 1)), "{}", err(&solved));
            let case = &json(&solved)["cases"][0];
            assert_eq!(case["kept"], false);
            assert!(Path::new(case["file"].as_str().expect("a file")).is_file());
            // A second time there is nothing to do.
            assert_eq!(
                json(&margay(&["case", "run", file, "--into", text(&answers), "--format", "json"]))
                    ["cases"][0]["kept"],
                true
            );
        }
        assert_eq!(
            answer(question),
            answer(&[question, &["--checkpoint", text(&answers)]].concat()),
            "{question:?}"
        );
        // A list is of what is open: nothing of this kind of programs.
        let list = margay(
            &[&["case", "list"], question, &["--checkpoint", text(&answers), "--format", "json"]]
                .concat(),
        );
        let open = json(&list)["cases"].as_array().expect("cases").clone();
        let again = open
            .iter()
            .any(|c| files.iter().any(|f| f.contains(c["case"].as_str().expect("a name"))));
        assert!(!again, "{}", out(&list));
    }
}

#[test]
fn cases_that_were_solved_elsewhere_are_certified() {
    let dir = folder("cases/certified");
    let proofs = dir.join("proofs");
    let certify = ["--certify", text(&proofs)];
    let question = [
        "rc11-to-ptx",
        "--bound",
        "4",
        "--level",
        "execution",
        "--without",
        "R.SC,W.SC,RMW.SC",
        "--split",
        "30",
    ];
    let (_, answers, files) = export("cases/certified/cases", &[&question[..], &certify].concat());
    for file in &files {
        // An answer without a proof is none.
        for (more, kept) in [(&[][..], false), (&certify[..], false), (&certify[..], true)] {
            let run = [&["case", "run", file, "--into", text(&answers), "--format", "json"], more]
                .concat();
            assert_eq!(json(&margay(&run))["cases"][0]["kept"], kept, "{file}");
        }
    }
    let files = || -> Vec<(PathBuf, Vec<u8>)> {
        let all =
            std::fs::read_dir(&proofs).expect("a folder").map(|e| e.expect("an entry").path());
        let mut all: Vec<_> = all.filter(|p| p.extension().is_some_and(|e| e == "proof")).collect();
        all.sort();
        all.into_iter().map(|p| (p.clone(), std::fs::read(p).expect("a proof"))).collect()
    };
    let before = files();
    let output =
        margay(&[&["check"], &question[..], &certify, &["--checkpoint", text(&answers)]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        files() == before && err(&output).is_empty(),
        "nothing is solved again: {}",
        err(&output)
    );
    let verified = margay(&["verify", text(&proofs)]);
    assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
    assert!(
        words(&out(&verified)).contains("no counterexample of 4 events or fewer"),
        "{}",
        out(&verified)
    );
}

/// Tasks of a cluster that have written their proofs when the check is interrupted, and that write
/// their answers a moment later.
#[derive(Debug)]
struct Late {
    stop: Arc<AtomicBool>,
    /// Where an answer is, and where it will be.
    answers: Mutex<Vec<[PathBuf; 2]>>,
}

impl CaseEngine for Late {
    fn solve(&self, work: &CaseWork<'_>, _: &dyn Progress) {
        let limits = CheckOptions {
            certify: work.certify.map(Path::to_owned),
            ..CheckOptions::new(work.cases[0].bound)
        };
        for case in &work.cases {
            let answer = case.solve(work.folder, &limits, &Silent).expect("it is a case").path;
            let late = answer.with_extension("late");
            std::fs::rename(&answer, &late).expect("it was written");
            self.answers.lock().expect("no panic").push([late, answer]);
        }
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Keeps what a check warns of.
#[derive(Default)]
struct Warned(Mutex<Vec<String>>);

impl Progress for Warned {
    fn warning(&self, warning: &Diagnostic) {
        self.0.lock().expect("no panic").push(warning.message.clone());
    }
}

#[test]
fn an_interrupted_check_leaves_the_proofs_of_others_alone() {
    let dir = folder("cases/late");
    let [kept, proofs] = ["kept", "proofs"].map(|name| dir.join(name));
    std::fs::create_dir(&proofs).expect("there is room");
    let mapping = mapping("rc11-to-ptx", "rc11-scoped");
    let mut asked = CheckOptions::new(3);
    asked.backend = Backend::default();
    (asked.checkpoint, asked.certify) = (Some(kept), Some(proofs.clone()));
    let late = Arc::new(Late { stop: asked.stop.clone(), answers: Mutex::default() });
    asked.engine = Some(late.clone());
    let report = check(&mapping, &asked, &Silent).expect("it can be asked");
    assert!(matches!(report.verdict, CheckVerdict::Undecided(_)), "{:?}", report.verdict);
    let answers = std::mem::take(&mut *late.answers.lock().expect("no panic"));
    assert!(!answers.is_empty());
    for [late, answer] in answers {
        std::fs::rename(late, answer).expect("it is there");
    }
    asked.engine = None;
    asked.stop.store(false, Ordering::Relaxed);
    let warned = Warned::default();
    let report = check(&mapping, &asked, &warned).expect("the folders are its own");
    assert_eq!((&report.verdict, report.established), (&CheckVerdict::None, 3));
    assert_eq!(
        warned.0.into_inner().expect("no panic"),
        Vec::<String>::new(),
        "each proof is the one of its answer"
    );
    let verified = margay(&["verify", text(&proofs)]);
    assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
}

/// Proofs of a case have the same names whatever is asked: in the folder of another question's
/// certificate they would replace that one's.
#[test]
fn the_certificate_of_another_question_is_left_alone() {
    let (dir, answers, files) =
        export("cases/another", &["rc11-to-ptx", "--bound", "3", "--without", "R.SC,W.SC,RMW.SC"]);
    let certificate = |name: &str, question: &[&str]| {
        let proofs = dir.join(name);
        let kept = dir.join(format!("{name}-answers"));
        let more = ["--certify", text(&proofs), "--checkpoint", text(&kept)];
        let output = margay(&[&["check"], question, &more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        proofs
    };
    let run = |proofs: &Path| {
        let args: Vec<&str> = files.iter().map(String::as_str).collect();
        margay(
            &[&["case", "run"], &args[..], &["--into", text(&answers), "--certify", text(proofs)]]
                .concat(),
        )
    };
    for (name, question) in [
        ("mapping", &["rc11-to-ptx-descoped", "--bound", "3", "--without", "R.SC,W.SC,RMW.SC"][..]),
        ("constructs", &["rc11-to-ptx", "--bound", "3", "--without", "R.SC,W.SC"]),
        (
            "typed",
            &["rc11-to-ptx", "--bound", "3", "--without", "R.SC,W.SC,RMW.SC", "--typed", "off"],
        ),
        (
            "source",
            &[
                "rc11-to-ptx",
                "--bound",
                "3",
                "--without",
                "R.SC,W.SC,RMW.SC",
                "--source",
                "c20-scoped",
            ],
        ),
    ] {
        let proofs = certificate(name, question);
        let output = run(&proofs);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", out(&output));
        assert!(
            words(&err(&output)).contains("it has the certificate of another question"),
            "{}",
            err(&output)
        );
        let verified = margay(&["verify", text(&proofs)]);
        assert_eq!(verified.status.code(), Some(0), "{name}: {}", err(&verified));
    }
    // That of another bound is no other question, though a case file says by other words what it
    // leaves out.
    let proofs =
        certificate("bound", &["rc11-to-ptx", "--bound", "2", "--without", "R.SC,W.SC,RMW.SC"]);
    let output = run(&proofs);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn a_case_with_a_limit_has_no_answer() {
    let (dir, _, files) = export("cases/limit", &["rc11-to-ptx", "--bound", "4"]);
    let into = dir.join("elsewhere");
    let output = margay(&[
        "case",
        "run",
        &files[0],
        "--into",
        text(&into),
        "--timeout",
        "0s",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["cases"][0]["answers"][0]["verdict"], "undecided");
    assert!(json(&output)["cases"][0]["file"].is_null());
    let folders = std::fs::read_dir(&into).expect("a folder").flatten();
    let kept = folders.flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten());
    assert_eq!(kept.filter(|e| e.path().extension().is_some_and(|e| e == "answer")).count(), 0);
}

#[test]
fn changed_case_files_are_refused() {
    let (dir, answers, files) =
        export("cases/changed", &["rc11-to-ptx", "--bound", "4", "--level", "execution"]);
    let good = std::fs::read_to_string(&files[0]).expect("a case file");
    let changes: [(&str, &str, &str); 9] = [
        ("\"format\": \"margay-case\"", "\"format\": \"margay-cases\"", "version 1, and this is"),
        ("\"version\": 1", "\"version\": 2", "version 2, and this is"),
        ("ld.acquire", "ld.relaxed", "it was changed"),
        ("\"typed\": true", "\"typed\": false", "it was changed"),
        ("\"bound\": 4", "\"bound\": 5", "thread shape that is none"),
        ("\"kind\": \"executions\"", "\"kind\": \"guarded\"", "kind of programs"),
        ("\"cube\": []", "\"cube\": [[{\"reads\": {\"event\": 9}}, true]]", "does not have"),
        ("\"cube\": []", "\"cube\": [[{\"reads\": {\"event\": 1}}, true]]", "name of another case"),
        ("\"margay\": \"", "\"margay\": \"9", "and this is"),
    ];
    for (from, to, said) in changes {
        assert!(good.contains(from), "{from}");
        let file = write(&dir, "changed.case.json", good.replacen(from, to, 1));
        let output = margay(&["case", "run", &file, "--into", text(&answers)]);
        assert_eq!(output.status.code(), Some(2), "{to}: {}", out(&output));
        let said_here = words(&err(&output));
        assert!(said_here.contains(said), "{to}: {said_here}");
    }
    for length in [0, 1, good.len() / 2, good.len() - 3] {
        let file = write(&dir, "cut.case.json", &good[..length]);
        let output = margay(&["case", "run", &file, "--into", text(&answers)]);
        assert_eq!(output.status.code(), Some(2), "{length}: {}", out(&output));
    }
}

#[test]
fn a_simulation_shows_what_was_recorded_and_what_is_predicted() {
    let dir = folder("cases/simulated");
    let asked =
        ["rc11-to-ptx", "--bound", "5", "--level", "execution", "--without", "R.SC,W.SC,RMW.SC"];
    let question = [&asked[..], &["--checkpoint", text(&dir)]].concat();
    for more in [&[][..], &["--split", "40"]] {
        assert_eq!(margay(&[&["check"], &question[..], more].concat()).status.code(), Some(0));
    }
    let output =
        margay(&["case", "simulate", text(&dir), "--from", "4", "--to", "6", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    let lines: Vec<_> = report["bounds"].as_array().expect("bounds").iter().collect();
    let known: Vec<_> = lines
        .iter()
        .map(|l| (l["bound"].as_u64(), l["basis"].as_str(), l["split"].as_bool()))
        .collect();
    let line = |bound, basis, split| (Some(bound), Some(basis), Some(split));
    let expected = [(4, "recorded"), (5, "recorded"), (6, "predicted")];
    assert_eq!(
        known,
        expected
            .iter()
            .flat_map(|&(n, b)| [line(n, b, false), line(n, b, true)])
            .collect::<Vec<_>>()
    );
    for line in lines {
        let spans: Vec<f64> = line["makespans"]
            .as_array()
            .expect("spans")
            .iter()
            .filter_map(|s| s["seconds"].as_f64())
            .collect();
        assert!(
            (spans[0] - line["work_seconds"].as_f64().expect("work")).abs() < 1e-3,
            "one worker does it all: {line}"
        );
        // Of a recorded bound the cases are the same for every number of workers.
        assert!(
            line["basis"] == "predicted" || spans.windows(2).all(|w| w[1] <= w[0] + 1e-6),
            "{line}"
        );
    }
    assert_eq!(margay(&["case", "simulate", text(&dir.join("nothing"))]).status.code(), Some(2));
}
