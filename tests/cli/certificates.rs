//! `margay check --certify` and `margay verify`: accepted as it was written, refused when anything
//! about it is not.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, json, margay, out, words, write};

/// A certificate of a small search, in a folder of the test.
fn certificate(name: &str) -> PathBuf {
    let folder = folder(name).join("certificate");
    let path = folder.to_str().expect("a path of text");
    let asked =
        ["check", "rc11-to-ptx", "--level", "execution", "--axiom", "Atomicity,SC", "--bound", "2"];
    let output = margay(&[&asked[..], &["--certify", path]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("no counterexample up to 2 events among single executions"), "{text}");
    assert!(words(&text).contains(": none up to 2 events. 3 cases,"), "{text}");
    folder
}

/// What a check leaves out its certificate leaves out, and the first line says it: assumed rows,
/// rows that say nothing, constructs, axioms.
#[test]
fn a_certificate_is_not_about_what_was_left_out() {
    for (name, asked, said) in [
        (
            "assumed",
            &["check", "cuda-oxide"][..],
            "; 8 of 38 rows were not asked about (8 assumed)",
        ),
        (
            "some",
            &["check", "kernelintrinsics", "--only", "R.RLX,W.RLX,R.SC"],
            " (only programs of R.RLX, W.RLX, R.SC); 1 of 3 rows was not",
        ),
        (
            "axiom",
            &["check", "rc11-to-ptx", "--level", "execution", "--axiom", "SC"],
            " (single executions; only axiom SC)",
        ),
        (
            "models",
            &["diff", "rc11-scoped", "ptx-6.0", "--mapping", "kernelintrinsics"],
            "; 7 of 17 rows were not asked about (7 absent)",
        ),
    ] {
        let folder = folder(&format!("certificates/left-out-{name}")).join("certificate");
        let path = folder.to_str().expect("a path of text");
        margay(&[asked, &["--bound", "2", "--certify", path]].concat());
        let output = verify(&folder);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", err(&output));
        let text = out(&output);
        let first = text
            .split("\n  ")
            .next()
            .and_then(|text| text.split("\n\n").next())
            .expect("a paragraph");
        assert!(words(first).contains(said), "{name}: {text}");
        if name != "models" {
            let given = json(&margay(&["verify", path, "--format", "json"]))["given"].clone();
            assert_eq!(given["known_only"], name == "assumed", "{given}");
        }
    }
}

/// The SHA-256 of a file of the repository.
fn digest(file: &str) -> String {
    let text = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file");
    margay_models::digest::digest(&text)
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
    assert!(
        words(&text).starts_with(
            "verified: no counterexample of 2 events or fewer to <built-in>/rc11-to-ptx.map ("
        ),
        "{text}"
    );
    // Each text that it rests on, by its digest.
    for file in ["mappings/rc11-to-ptx.map", "models/rc11-scoped.cat", "models/ptx-6.0.cat"] {
        let name = file.rsplit('/').next().expect("a name");
        assert!(
            text.contains(&format!("<built-in>/{name}, built in\n    {}\n", digest(file))),
            "{file} {text}"
        );
    }
    assert!(
        words(&text).contains("3 cases,") && words(&text).contains("without a solver"),
        "{text}"
    );
    assert_eq!(err(&output), "");

    let moved = folder.with_file_name("elsewhere");
    std::fs::rename(&folder, &moved).expect("renamed");
    let output = margay(&[
        "verify",
        moved.to_str().expect("a path of text"),
        "--jobs",
        "1",
        "--format",
        "json",
    ]);
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
    let asked = [
        "check",
        "rc11-to-ptx-no-release-rmw",
        "--level",
        "execution",
        "--bound",
        "6",
        "--jobs",
        "2",
    ];
    let output = margay(&[&asked[..], &["--certify", path, "--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["certificate"]["claims"][0]["none_up_to"], 3);
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(
        words(&text).contains("No more than 3 are certified: beyond that something was found"),
        "{text}"
    );
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("verified: no counterexample of 3 events or fewer to"),
        "only up to the claim: {text}"
    );
}

/// A certificate of a file of one's own is about that file's text, and says so; whoever holds
/// another file finds out.
#[test]
fn texts_are_compared_with_those_of_the_reader() {
    let folder = folder("certificates/texts");
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/rc11-to-ptx.map"),
    )
    .expect("a file");
    let own = write(&folder, "own.map", format!("{text}# mine\n"));
    let other = write(&folder, "other.map", text.replacen("ld.acquire.s", "ld.relaxed.s", 1));
    let certificate = folder.join("certificate");
    let path = certificate.to_str().expect("a path of text");
    let output = margay(&["check", &own, "--bound", "1", "--certify", path]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));

    let output = verify(&certificate);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let said = words(&out(&output));
    assert!(
        said.contains("own.map (not compared)")
            && said.contains("is a text of the certificate's own"),
        "{said}"
    );
    assert!(said.contains("name your file (`--mapping`)"), "{said}");
    let report = json(&margay(&["verify", path, "--format", "json"]));
    assert_eq!(report["compared"], false);
    assert_eq!(report["texts"][0]["standing"], "not compared");

    let report = json(&margay(&[
        "verify",
        path,
        "--mapping",
        &own,
        "--source",
        "rc11-scoped",
        "--target",
        "ptx-6.0",
        "--format",
        "json",
    ]));
    assert_eq!(report["compared"], true);
    assert_eq!(report["texts"][0]["compared_with"], own.as_str());
    let output = margay(&["verify", path, "--mapping", &own]);
    assert!(!out(&output).contains("not compared"), "{}", out(&output));
    for (option, value, said) in [
        ("--mapping", other.as_str(), "another mapping than"),
        ("--source", "c20-scoped", "another source than `c20-scoped`"),
        ("--target", "ptx-8", "another target than `ptx-8`"),
        ("--old", "sc", "nothing that `--old` could name"),
        ("--test", "tests/corpus/asplos2019/fig5-mp.litmus", "nothing that `--test` could name"),
        ("--mapping", "no-such-mapping", "cannot read the mapping"),
    ] {
        let output = margay(&["verify", path, option, value]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(words(&err(&output)).contains(said), "{option}: {}", err(&output));
    }
}

/// A link in a certificate could lead to what never ends.
#[cfg(unix)]
#[test]
fn links_and_devices_are_refused() {
    let folder = certificate("certificates/links");
    let proof = folder.join("02-executions-2-q0,1.proof");
    let link = |file: &Path, to: &str| {
        std::fs::remove_file(file).expect("removed");
        std::os::unix::fs::symlink(to, file).expect("it can be made");
    };
    link(&proof, "/dev/zero");
    refused(&folder, &["02-executions-2-q0,1.proof", "it is a link"]);
    std::fs::remove_file(&proof).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&proof).status().expect("mkfifo starts");
    assert!(made.success());
    refused(&folder, &["02-executions-2-q0,1.proof", "a device or a pipe"]);
    link(&folder.join("certificate.json"), "/dev/zero");
    refused(&folder, &["certificate.json", "it is a link"]);
}

#[test]
fn one_bit_in_any_file_is_refused() {
    let folder = certificate("certificates/bit");
    let files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
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
    std::fs::write(&document, text.replacen("\"version\": 2", "\"version\": 7", 1))
        .expect("written");
    refused(&folder, &["has version 7 of the format", "reads version 2"]);
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
fn certificates_need_a_folder_of_their_own() {
    let folder = folder("certificates/refused");
    let path = folder.to_str().expect("a path of text");
    let check = |more: &[&str]| margay(&[&["check", "rc11-to-ptx", "--bound", "2"], more].concat());
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
    let prose: Vec<String> =
        out(&output).lines().filter(|l| l.trim().len() != 64).map(str::to_owned).collect();
    assert!(prose.iter().all(|l| l.chars().count() <= 60), "{prose:#?}");
}

#[test]
fn a_comparison_is_certified() {
    let folder = folder("certificates/diff").join("certificate");
    let path = folder.to_str().expect("a path of text");
    let output =
        margay(&["diff", "ptx-6.0", "ptx-6.0-any-fence", "--bound", "3", "--certify", path]);
    assert!(out(&output).contains("Certificate in"), "{}{}", out(&output), err(&output));
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = words(&out(&output));
    assert!(
        text.contains("between <built-in>/ptx-6.0.cat and <built-in>/ptx-6.0-any-fence.cat"),
        "{text}"
    );
    assert!(text.starts_with("verified: no difference of 3 events or fewer between"), "{text}");
    let proof = std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path());
    let proof =
        proof.filter(|p| p.extension().is_some_and(|e| e == "proof")).max().expect("a proof");
    let mut bytes = std::fs::read(&proof).expect("a proof");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&proof, bytes).expect("written");
    refused(&folder, &["is not accepted"]);
    let output = margay(&["diff", "sc", "tso", "--certify", path]);
    assert_eq!(output.status.code(), Some(2), "the folder is not empty");

    let programs = folder.with_file_name("programs");
    let path = programs.to_str().expect("a path of text");
    let output = margay(&["diff", "sc", "tso", "--program", "--bound", "4", "--certify", path]);
    assert!(out(&output).contains("Certificate in"), "{}{}", out(&output), err(&output));
    let output = verify(&programs);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = words(&out(&output));
    assert!(text.contains("outcomes of programs"), "{text}");
    assert!(
        text.starts_with("verified: no difference of these sizes between"),
        "only up to the claim: {text}"
    );
    assert!(text.contains("allowed by tso, forbidden by sc: none of 3 events or fewer"), "{text}");
    assert!(text.contains("beyond that something was found"), "{text}");
}

/// The refutations of a certificate are accepted by a checker that others wrote, and not without a
/// step.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn refutations_are_for_other_checkers() {
    let root = folder("certificates/lrat");
    let (certificate, to) = (root.join("certificate"), root.join("refutations"));
    let [kept, written] = [&certificate, &to].map(|path| path.to_str().expect("a path of text"));
    // Falls at 4: refutations, and proofs of questions with an answer.
    let found =
        margay(&["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--certify", kept]);
    assert_eq!(found.status.code(), Some(1), "{}", err(&found));
    let output = margay(&["verify", kept, "--lrat", written]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let index = std::fs::read_to_string(to.join("index.tsv")).expect("a list");
    let lines: Vec<Vec<&str>> =
        index.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(
        lines.len() > 5 && err(&output).contains(&format!("{} refutations", lines.len())),
        "{}",
        err(&output)
    );
    let checker = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/checkers/lrat-trim");
    let accepts = |cnf: &Path, lrat: &Path| {
        let said =
            std::process::Command::new(&checker).args([cnf, lrat]).output().expect("it starts");
        said.status.code() == Some(20) && out(&said).lines().any(|line| line == "s VERIFIED")
    };
    let mut refused = 0;
    for line in lines {
        let (cnf, lrat) = (to.join(line[0]), to.join(line[1]));
        let (problem, steps) = (
            std::fs::read_to_string(&cnf).expect("a problem"),
            std::fs::read_to_string(&lrat).expect("steps"),
        );
        assert_eq!(
            problem.lines().count().to_string(),
            (line[2].parse::<u64>().expect("a number") + 1).to_string()
        );
        assert_eq!(steps.lines().filter(|step| !step.contains(" d ")).count().to_string(), line[3]);
        if !checker.is_file() {
            continue;
        }
        assert!(accepts(&cnf, &lrat), "{}", cnf.display());
        // Its last step but the empty clause is needed by that.
        let without: Vec<&str> = steps.lines().filter(|step| !step.contains(" d ")).collect();
        if let [before @ .., _, last] = without.as_slice() {
            std::fs::write(&lrat, format!("{}\n{last}\n", before.join("\n"))).expect("written");
            refused += usize::from(!accepts(&cnf, &lrat));
        }
    }
    if checker.is_file() {
        assert!(refused > 3, "refutations without a step are refused: {refused}");
    } else {
        eprintln!("skipped: no lrat-trim in target/checkers; `.ci/checkers` builds it");
    }
    let theorem = root.join("theorem");
    let proved = margay(&[
        "prove",
        "rc11-to-ptx",
        "--axiom",
        "Coherence",
        "--certify",
        theorem.to_str().expect("text"),
    ]);
    assert_eq!(proved.status.code(), Some(0), "{}", err(&proved));
    let output = margay(&["verify", theorem.to_str().expect("text"), "--lrat", written]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("--rocq"), "{}", err(&output));
}

/// A certificate that was not followed to its end is neither right nor wrong, of whatever kind it
/// is.
#[test]
fn a_check_of_a_certificate_ends_in_time() {
    let root = folder("certificates/in-time");
    let [searched, proved, ran] = ["searched", "proved", "ran"].map(|name| root.join(name));
    let path = |folder: &std::path::Path| folder.to_str().expect("test paths are UTF-8").to_owned();
    let [searched, proved, ran] = [searched, proved, ran].map(|folder| path(&folder));
    margay(&["check", "rc11-to-ptx", "--bound", "2", "--certify", &searched]);
    margay(&[
        "prove",
        "cuda-builtins",
        "--axiom",
        "Atomicity",
        "--bound",
        "1",
        "--certify",
        &proved,
    ]);
    margay(&["run", "tests/corpus/asplos2019/fig5-mp.litmus", "--model", "sc", "--certify", &ran]);
    for folder in [&searched, &proved, &ran] {
        let late = margay(&["verify", folder, "--timeout", "0s"]);
        assert_eq!(late.status.code(), Some(3), "{folder}: {}{}", out(&late), err(&late));
        assert!(
            out(&late).starts_with("undecided (the time given was used up): "),
            "{}",
            out(&late)
        );
        let report = json(&margay(&["verify", folder, "--timeout", "0s", "--format", "json"]));
        assert!(
            report["verified"].is_null() && report["reason"] == "the time given was used up",
            "{report}"
        );
        let in_time = margay(&["verify", folder, "--timeout", "10m"]);
        assert_eq!(in_time.status.code(), Some(0), "{folder}: {}", err(&in_time));
    }
}
