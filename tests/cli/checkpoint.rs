//! Interrupted work goes on where it was, with the same output; damaged and foreign answers are
//! told of and not used.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::program::{command, err, folder, json, key, margay, words, write};

/// The report without what differs from run to run.
fn timeless(mut report: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| {
                    !["seconds", "peak_memory_bytes", "folder", "warnings"].contains(&name.as_str())
                });
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut report);
    report
}

/// The whole report of a check, and what was said beside it.
fn check(arguments: &[&str]) -> (Value, String) {
    let output = margay(&[&["check", "--format", "json"], arguments].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
    (timeless(json(&output)), err(&output))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// The files of answers in a checkpoint.
fn answers(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut all: Vec<PathBuf> = folders
        .flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten())
        .map(|e| e.path())
        .collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "answer"));
    all.sort();
    all
}

const EXECUTIONS: [&str; 6] =
    ["rc11-to-ptx", "--bound", "5", "--level=execution", "--without=R.SC,W.SC,RMW.SC", "--jobs=2"];
const PROGRAMS: [&str; 6] =
    ["rc11-to-ptx-descoped", "--bound", "4", "--level", "program", "--jobs=2"];

/// Kills the check at random moments until it was killed so often; in between it may come to its
/// end, and then starts anew. With `certify` its certificates are verified.
fn killed(name: &str, arguments: &[&str], times: usize, certify: bool) {
    let certificate = |dir: &Path| dir.join("certificate");
    let question = |dir: &Path| -> Vec<String> {
        let asked = arguments.iter().map(|&a| a.to_owned());
        let folder = certify.then(|| ["--certify".to_owned(), text(&certificate(dir)).to_owned()]);
        asked.chain(folder.into_iter().flatten()).collect()
    };
    let whole = |dir: &Path| -> Vec<String> {
        [question(dir), vec!["--checkpoint".to_owned(), text(dir).to_owned()]].concat()
    };
    let check =
        |arguments: &[String]| check(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let (expected, _) = check(&question(&folder(&format!("{name}/alone"))));
    let mut random = fastrand::Rng::with_seed(7);
    let (mut kills, mut ends, mut most) = (0, 0, 0);
    let mut dir = folder(&format!("{name}/0"));
    // Later and later after each start, so that it comes to its end however slow the machine is.
    let mut longest = 100;
    // On a machine with much to do the first kills may all come before anything is kept.
    while kills < times || most == 0 && kills < 20 * times {
        let whole = whole(&dir);
        let whole: Vec<&str> = ["check", "--format", "json"]
            .into_iter()
            .chain(whole.iter().map(String::as_str))
            .collect();
        let mut child = command(&whole)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(random.u64(0..longest)));
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("killed");
            kills += 1;
            longest += 5;
            child.wait().expect("a child");
            most = most.max(answers(&dir).len());
            continue;
        }
        let output = child.wait_with_output().expect("a child");
        assert_eq!(err(&output), "", "nothing is damaged by a kill");
        assert_eq!(timeless(json(&output)), expected, "after {kills} kills");
        if certify {
            let verified = margay(&["verify", text(&certificate(&dir))]);
            assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
        }
        ends += 1;
        longest = 100;
        dir = folder(&format!("{name}/{ends}"));
    }
    let (last, said) = check(&whole(&dir));
    assert_eq!(last, expected);
    assert_eq!(said, "");
    assert!(most > 0, "no killed run had kept anything");
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_hundred_kills_do_not_change_the_answer() {
    killed("checkpoint/executions", &EXECUTIONS, 60, false);
    killed("checkpoint/programs", &PROGRAMS, 40, false);
}

#[test]
fn kills_do_not_change_what_is_certified() {
    killed("checkpoint/certified", &[&EXECUTIONS[..], &["--split", "9"]].concat(), 15, true);
}

#[test]
fn an_answer_whose_proof_is_gone_or_damaged_is_proved_again() {
    let dir = folder("checkpoint/proofs");
    let (kept, proofs) = (dir.join("kept"), dir.join("proofs"));
    let question =
        [&EXECUTIONS[..], &["--checkpoint", text(&kept), "--certify", text(&proofs)]].concat();
    // Answers without proofs are there already.
    check(&question[..8]);
    let (expected, said) = check(&question);
    assert_eq!(said, "");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("an entry").path();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&proofs).expect("a folder").map(name).collect();
    files.sort();
    files.retain(|f| f.extension().is_some_and(|e| e == "proof"));
    let good = |file: &PathBuf| std::fs::read(file).expect("a proof");
    let whole: Vec<Vec<u8>> = files.iter().map(good).collect();
    let mut changed = whole[1].clone();
    changed[40] ^= 1;
    std::fs::write(&files[1], changed).expect("written");
    std::fs::write(&files[2], &whole[3]).expect("written");
    std::fs::remove_file(&files[4]).expect("removed");
    let (again, said) = check(&question);
    assert_eq!(again, expected);
    assert_eq!(said.matches("the case is solved again").count(), 3, "{said}");
    assert_eq!(said.matches("it is not the one that was accepted").count(), 2, "{said}");
    assert_eq!(
        files.iter().map(good).collect::<Vec<_>>(),
        whole,
        "proofs do not differ from run to run"
    );
    assert_eq!(margay(&["verify", text(&proofs)]).status.code(), Some(0));
    // A smaller bound leaves the proofs of larger ones, and what is wrong, or another question,
    // leaves everything.
    check(&[&["rc11-to-ptx", "--bound", "3"], &question[3..]].concat());
    assert_eq!(margay(&["verify", text(&proofs)]).status.code(), Some(0));
    assert_eq!(check(&question), (expected, String::new()));
    let certificate = std::fs::read(proofs.join("certificate.json")).expect("a certificate");
    for (more, said) in
        [(["--axiom", "None"], "axiom"), (["--axiom", "SC"], "the certificate of another question")]
    {
        let output = margay(&[&["check"], &question[..], &more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(words(&err(&output)).contains(said), "{}", err(&output));
    }
    assert_eq!(std::fs::read(proofs.join("certificate.json")).expect("a certificate"), certificate);
    assert_eq!(margay(&["verify", text(&proofs)]).status.code(), Some(0));
    // A folder with anything else in it is somebody's.
    std::fs::write(proofs.join("letter.txt"), "Dear").expect("written");
    let output = margay(&[&["check"], &question[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        words(&err(&output)).contains("something else in it, `letter.txt`"),
        "{}",
        err(&output)
    );
}

#[test]
fn an_interrupted_check_says_what_is_established_and_goes_on() {
    let dir = folder("checkpoint/interrupted");
    let expected = check(&EXECUTIONS).0;
    let whole = [
        &["check", "--format", "json", "--checkpoint", text(&dir), "--timeout", "0s"],
        &EXECUTIONS[..],
    ]
    .concat();
    let output = margay(&whole);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["established"], 0);
    assert_eq!(answers(&dir), Vec::<PathBuf>::new(), "that a limit was reached is no answer");
    for jobs in ["--jobs=1", "--jobs=3"] {
        let same = [&EXECUTIONS[..5], &["--checkpoint", text(&dir), jobs]].concat();
        assert_eq!(check(&same), (expected.clone(), String::new()), "{jobs}");
    }
}

#[test]
fn damaged_answers_are_told_of_and_redone() {
    let dir = folder("checkpoint/damaged");
    let run = || check(&[&EXECUTIONS[..], &["--checkpoint", text(&dir)]].concat());
    let (expected, said) = run();
    assert_eq!(said, "");
    let files = answers(&dir);
    assert_eq!(files.len(), 18, "the partitions of 1 to 5");
    let whole: Vec<Vec<u8>> = files.iter().map(|f| std::fs::read(f).expect("an answer")).collect();
    let (file, good) = (&files[9], &whole[9]);
    let mut bad: Vec<(String, Vec<u8>)> = Vec::new();
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..12 {
        let at = random.usize(0..good.len());
        let mut flipped = good.clone();
        flipped[at] ^= 1 << random.u8(0..8);
        bad.push((format!("bit of byte {at}"), flipped));
        let length = random.usize(0..good.len());
        bad.push((format!("cut off after {length}"), good[..length].to_vec()));
    }
    bad.push(("of another case".to_owned(), whole[10].clone()));
    bad.push(("empty".to_owned(), Vec::new()));
    bad.push(("twice".to_owned(), [&good[..], good].concat()));
    for (what, bytes) in bad {
        std::fs::write(file, bytes).expect("damaged");
        let (answer, said) = run();
        assert_eq!(answer, expected, "{what}");
        assert!(said.contains("is not used") && said.contains("solved again"), "{what}: {said}");
        assert_eq!(run(), (expected.clone(), String::new()), "it was mended: {what}");
    }
}

#[test]
fn a_changed_answer_with_a_right_checksum_and_seal_does_not_fit() {
    // Whoever computes a checksum of nonsense is not believed, and whoever has the key gets no
    // panic either.
    use sha2::Digest;
    let dir = folder("checkpoint/nonsense");
    let run = || check(&[&PROGRAMS[..], &["--checkpoint", text(&dir)]].concat());
    let (expected, _) = run();
    for file in answers(&dir) {
        let good = std::fs::read_to_string(&file).expect("an answer");
        let line = good.lines().next().expect("a line");
        for (from, to) in [
            ("\"order\":[0,", "\"order\":[99,"),
            ("[[[0,", "[[[999,"),
            ("\"question\":0", "\"question\":7"),
        ] {
            if !line.contains(from) {
                continue;
            }
            let changed = line.replacen(from, to, 1) + "\n";
            let sum: String = sha2::Sha256::digest(changed.as_bytes())
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            let seal = margay_models::seal::SealKey::at(&key())
                .expect("the key of the tests")
                .seal(changed.as_bytes());
            let sealed = format!("{{\"sha256\":\"{sum}\",\"seal\":\"{seal}\"}}");
            for (second, why) in [
                (sealed.clone(), "does not fit its case"),
                (
                    format!("{{\"sha256\":\"{sum}\"}}"),
                    "it is not sealed, so that somebody else may have written it",
                ),
                (sealed.replace(&seal, &"0".repeat(64)), "it was sealed with another key"),
            ] {
                std::fs::write(&file, format!("{changed}{second}\n")).expect("changed");
                let (answer, said) = run();
                assert_eq!(answer, expected);
                assert!(said.contains(why), "{from}: {said}");
            }
        }
    }
}

#[test]
fn answers_to_other_questions_are_told_of_and_left_alone() {
    let dir = folder("checkpoint/foreign");
    let map = std::fs::read_to_string("mappings/rc11-to-ptx.map").expect("the mapping");
    let model = std::fs::read_to_string("models/ptx-6.0.cat").expect("the model");
    let original = write(&dir, "original.map", &map);
    let broken = write(&dir, "broken.map", map.replace("ld.acquire.s\nR.SC", "ld.relaxed.s\nR.SC"));
    let commented = write(&dir, "ptx.cat", format!("{model}\n(* edited *)\n"));
    let kept = dir.join("kept");
    let asked = |mapping: &str, more: &[&str]| {
        check(&[&[mapping, "--bound", "4", "--checkpoint", text(&kept)], more].concat())
    };
    let (sound, said) = asked(&original, &["--without", "R.SC,W.SC,RMW.SC"]);
    assert_eq!((&sound["verdict"], said.as_str()), (&"none".into(), ""));
    let before = answers(&kept);
    for (mapping, more, differs) in [
        (&broken, vec!["--without", "R.SC,W.SC,RMW.SC"], "another mapping"),
        (
            &original,
            vec!["--without", "R.SC,W.SC,RMW.SC", "--target", &commented],
            "another target model",
        ),
        (&original, vec!["--without", "R.SC,W.SC,RMW.SC", "--typed", "off"], "other options"),
    ] {
        let alone = check(&[&[mapping.as_str(), "--bound", "4"], &more[..]].concat()).0;
        let (answer, said) = asked(mapping, &more);
        assert_eq!(answer, alone);
        let said = words(&said);
        assert!(
            said.contains("answers to other questions") && said.contains(differs),
            "{differs}: {said}"
        );
    }
    // A file that was moved to where another question would look.
    let now = answers(&kept);
    assert!(before.iter().all(|f| now.contains(f)), "nothing was thrown away");
    let other = now
        .iter()
        .find(|f| !before.contains(f) && f.file_name() == before[0].file_name())
        .expect("its like");
    std::fs::copy(other, &before[0]).expect("copied");
    let (answer, said) = asked(&original, &["--without", "R.SC,W.SC,RMW.SC"]);
    assert_eq!(answer, sound);
    assert!(said.contains("it answers another question"), "{said}");
}

#[test]
fn two_checks_in_one_folder_do_not_harm_each_other() {
    let dir = folder("checkpoint/together");
    let expected = check(&EXECUTIONS).0;
    let whole =
        [&["check", "--format", "json", "--checkpoint", text(&dir)], &EXECUTIONS[..]].concat();
    let start = || {
        command(&whole).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    for output in
        [start(), start(), start()].map(|child| child.wait_with_output().expect("a child"))
    {
        assert_eq!(err(&output), "");
        assert_eq!(timeless(json(&output)), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_costs_the_answers_that_do_not_fit_and_nothing_else() {
    let dir = folder("checkpoint/full");
    let expected = check(&EXECUTIONS).0;
    // No file may grow beyond nothing, and nobody is killed for trying.
    let line = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let output = std::process::Command::new("sh")
        .args([
            "-c",
            line,
            "sh",
            env!("CARGO_BIN_EXE_margay"),
            "check",
            "--format",
            "json",
            "--checkpoint",
            text(&dir),
        ])
        .args(EXECUTIONS)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it starts");
    assert_eq!(timeless(json(&output)), expected);
    assert_eq!(err(&output).matches("cannot keep a case").count(), 1, "{}", err(&output));
    assert_eq!(answers(&dir), Vec::<PathBuf>::new());
    // A folder that is none.
    let file = write(&dir, "file", "");
    let output = margay(&["check", "rc11-to-ptx", "--checkpoint", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("cannot keep cases in"), "{}", err(&output));
}
