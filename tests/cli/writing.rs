//! What cannot be written costs neither the answer nor its exit code; what an earlier run left in a
//! folder is gone.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::program::{command, err, folder, json, margay, out, shell, write};

const BROKEN: &str = "rc11-to-ptx-no-fence-sc-load";
const MP: &str = "tests/corpus/asplos2019/fig5-mp.litmus";

/// Runs the program with files of at most so many blocks (of 512 or 1024 bytes), as on a disk that
/// is nearly full. Standard output is a pipe, which has no limit.
#[cfg(unix)]
fn with_small_files(blocks: u32, arguments: &[&str]) -> Output {
    let line = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_margay")]).args(arguments);
    shell.current_dir(env!("CARGO_MANIFEST_DIR")).env("COLUMNS", "100").output().expect("a shell")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// The first two lines without numbers and spaces: how long something took has more digits on a
/// machine with much to do.
fn answer(output: &Output) -> Vec<String> {
    let text = out(output);
    let words = text.lines().take(2).flat_map(str::split_whitespace).map(str::to_owned);
    words.filter(|word| word.parse::<f64>().is_err()).collect()
}

#[cfg(unix)]
#[test]
fn a_full_disk_costs_no_answer() {
    let dir = folder("writing/full");
    let plain = write(
        &dir,
        "plain.map",
        "mapping \"m\" from sc to tso\nR => R\nW => W ; F\nRMW => RMW\nF => F\n",
    );
    let only = ["--bound", "4", "--only", "R.NA,R.ACQ,W.NA,W.REL"];
    let cases: Vec<(&str, Vec<&str>)> = vec![
        ("--out", vec!["check", BROKEN, "--bound", "4"]),
        ("--out", vec!["check", BROKEN, "--bound", "4", "--format", "json"]),
        ("--out", vec!["check", "rc11-to-ptx", "--bound", "3", "--format", "json"]),
        ("--certify", vec!["check", &plain, "--bound", "4"]),
        ("--certify", vec!["check", "rc11-to-ptx", "--bound", "3"]),
        ("--certify", vec!["check", "rc11-to-ptx", "--bound", "3", "--level", "execution"]),
        ("--certify", vec!["check", BROKEN, "--bound", "4"]),
        ("--dump-cnf", vec!["check", "rc11-to-ptx", "--bound", "3"]),
        ("--checkpoint", vec!["check", "rc11-to-ptx", "--bound", "3"]),
        ("--out", vec!["diff", "sc", "tso", "--bound", "4"]),
        ("--certify", vec!["diff", "sc", "tso", "--bound", "3"]),
        ("--certify", vec!["diff", "sc", "tso", "--bound", "3", "--program"]),
        ("--out", [&["repair", "rc11-to-ptx-relaxed-acquire-load"], &only[..]].concat()),
        ("--out", [&["weaken", "rc11-to-ptx"], &only[..]].concat()),
        (
            "--out",
            vec!["confirm", BROKEN, "--bound", "4", "--device", "sim", "--instances", "1000"],
        ),
        ("--certify", vec!["run", MP, "--model", "ptx-6.0"]),
    ];
    for (i, (option, asked)) in cases.iter().enumerate() {
        let expected = margay(asked);
        assert!(matches!(expected.status.code(), Some(0 | 1)), "{asked:?}: {}", err(&expected));
        let into = dir.join(format!("{i}"));
        let output = with_small_files(0, &[&asked[..], &[option, text(&into)]].concat());
        let told = err(&output);
        assert_eq!(output.status.code(), expected.status.code(), "{asked:?} {option}: {told}");
        assert!(
            told.contains("cannot") || told.contains("is not in the certificate"),
            "{asked:?} {option}: {told}"
        );
        if asked.contains(&"json") {
            assert_eq!(json(&output)["answer"], json(&expected)["answer"], "{asked:?}");
        } else {
            assert_eq!(answer(&output), answer(&expected), "{asked:?} {option}");
        }
    }
    // Small files can be written, and large ones not: what is not whole is not there.
    let into = dir.join("half");
    let output = with_small_files(4, &["check", BROKEN, "--bound", "4", "--out", text(&into)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("the exit code"), "{}", err(&output));
    assert!(
        std::fs::read_dir(&into)
            .expect("a folder")
            .flatten()
            .all(|e| e.file_name() == ".margay.sha256")
    );
}

/// Before anything is asked it is known whether what is asked for can be kept; nothing is left of a
/// question that was none.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_to_is_told_of_first() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder("writing/read-only");
    let into = dir.join("into");
    std::fs::create_dir(&into).expect("a folder");
    std::fs::set_permissions(&into, std::fs::Permissions::from_mode(0o555)).expect("ours");
    // The system's administrator may write anywhere, unless that right is given up.
    let is_admin = out(&shell(&dir, "id -u", &[])).trim() == "0";
    let unable =
        if is_admin { "setpriv --bounding-set=-dac_override,-dac_read_search " } else { "" };
    let asked: [&[&str]; 7] = [
        &["check", "rc11-to-ptx", "--bound", "1", "--certify"],
        &["check", "rc11-to-ptx", "--bound", "1", "--checkpoint"],
        &["check", "rc11-to-ptx", "--bound", "1", "--out"],
        &["run", MP, "--model", "ptx-6.0", "--certify"],
        &["diff", "sc", "tso", "--bound", "1", "--certify"],
        &["prove", "c11-to-x86", "--bound", "1", "--certify"],
        &["prove", "c11-to-x86", "--bound", "1", "--out"],
    ];
    for asked in asked {
        let line = format!(
            "{unable}'{}' {} '{}'",
            env!("CARGO_BIN_EXE_margay"),
            asked.join(" "),
            text(&into)
        );
        let output = shell(Path::new(env!("CARGO_MANIFEST_DIR")), &line, &[]);
        assert_eq!(output.status.code(), Some(2), "{asked:?}: {}{}", out(&output), err(&output));
        assert!(
            err(&output).contains("cannot") && !err(&output).contains(".unfinished"),
            "{asked:?}: {}",
            err(&output)
        );
        assert_eq!(out(&output), "", "{asked:?}");
    }
    let file = write(&dir, "file", "");
    for option in ["--out", "--certify", "--checkpoint"] {
        let output = margay(&["check", "rc11-to-ptx", "--bound", "1", option, &file]);
        assert_eq!(output.status.code(), Some(2), "{option}: {}", err(&output));
        let new = dir.join("new/er");
        let wrong =
            ["check", "rc11-to-ptx", "--level", "execution", "--axiom", "Nope", option, text(&new)];
        let output = margay(&wrong);
        assert!(err(&output).contains("has no axiom `Nope`"), "{option}: {}", err(&output));
        assert!(!dir.join("new").exists(), "{option}");
    }
}

/// Expectations that cannot be replaced whole stay as they are: half of them would be an answer of
/// nobody.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_no_expectations() {
    let dir = folder("writing/expectations");
    let test =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(MP)).expect("a test");
    write(&dir, "fig5-mp.litmus", &test);
    let wrong = "fig5-mp.litmus ptx-6.0 reachable nobody\n";
    let expected = write(&dir, "expected.txt", wrong);
    let output = with_small_files(0, &["test", text(&dir), "--bless"]);
    assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("cannot write"), "{}", err(&output));
    assert_eq!(std::fs::read_to_string(&expected).expect("it is there"), wrong);
    assert_eq!(margay(&["test", text(&dir), "--bless"]).status.code(), Some(0));
    assert_ne!(std::fs::read_to_string(&expected).expect("it is there"), wrong);
}

/// Where files are all that was asked for there is no answer without them.
#[cfg(unix)]
#[test]
fn without_what_was_asked_for_the_command_fails() {
    let dir = folder("writing/product");
    let report = write(
        &dir,
        "r.json",
        out(&margay(&["check", "rc11-to-ptx", "--bound", "2", "--format", "json"])),
    );
    let (into, kept, page) = (dir.join("into"), dir.join("kept"), dir.join("page.html"));
    for arguments in [
        vec!["gen", "--out", text(&into)],
        vec![
            "case",
            "export",
            "rc11-to-ptx",
            "--bound",
            "3",
            "--checkpoint",
            text(&kept),
            "--into",
            text(&into),
        ],
        vec!["report", &report, "--out", text(&page)],
    ] {
        let output = with_small_files(0, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains("cannot write"), "{arguments:?}: {}", err(&output));
    }
}

/// The printed answer cannot be written either, or nobody reads it: the exit code still says it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_costs_no_exit_code() {
    let dir = folder("writing/unread");
    let certificate = dir.join("certificate");
    let certificate = text(&certificate);
    assert_eq!(
        margay(&["run", MP, "--model", "ptx-6.0", "--certify", certificate]).status.code(),
        Some(0)
    );
    // A folder with a verdict that the model does not give.
    let wrong = dir.join("wrong");
    std::fs::create_dir_all(&wrong).expect("a folder");
    write(&wrong, "mp.litmus", std::fs::read_to_string(MP).expect("the test"));
    write(&wrong, margay_litmus::corpus::EXPECTED, "mp.litmus ptx-6.0 reachable an-error\n");
    let racy = write(
        &dir,
        "sb.litmus",
        "GENERIC SB\n{ x=0; y=0; }\n P0 | P1 ;\n st x, 1 | st y, 1 ;\n ld r0, y | ld r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n",
    );
    for (asked, code) in [
        (vec!["check", BROKEN, "--bound", "4"], 1),
        (vec!["check", "rc11-to-ptx", "--bound", "3"], 0),
        (vec!["run", MP, "--model", "ptx-6.0"], 0),
        (vec!["test", text(&wrong)], 1),
        (vec!["test", text(&wrong), "--format", "json"], 1),
        (vec!["verify", certificate], 0),
        (vec!["verify", text(&wrong), "--format", "json"], 2),
        (vec!["classify", MP, MP, "--distinct"], 1),
        (vec!["fence", &racy, "--model", "tso"], 0),
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let output = command(&asked).stdout(full).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{asked:?}: {}", err(&output));
        assert!(err(&output).contains("cannot write"), "{asked:?}: {}", err(&output));
        assert_eq!(unread(&asked), Some(code), "{asked:?}");
    }
    // Whoever closes the pipe before there is an answer has none, and no answer is not a good one.
    assert_eq!(unread(&["run", MP, "--model", "ptx-6.0", "--format", "json"]), Some(3));
    assert_eq!(unread(&["models"]), Some(0));
}

/// The exit code of a program whose output nobody reads.
#[cfg(target_os = "linux")]
fn unread(asked: &[&str]) -> Option<i32> {
    let mut child = command(asked)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(err(&output), "", "{asked:?}");
    output.status.code()
}

/// A folder that cannot be written to is said before anything is searched for.
#[test]
fn a_bad_folder_is_wrong_input() {
    let dir = folder("writing/bad");
    let file = write(&dir, "file", "x");
    let below = format!("{file}/folder");
    for arguments in [
        vec!["check", "rc11-to-ptx", "--bound", "9", "--out", &below],
        vec!["check", "rc11-to-ptx", "--bound", "9", "--dump-cnf", &below],
        vec!["diff", "sc", "tso", "--bound", "9", "--out", &file],
        vec!["synth", "sc", "--bound", "8", "--out", &file],
        vec!["confirm", "rc11-to-ptx", "--bound", "9", "--device", "sim", "--out", &file],
        vec!["repair", "rc11-to-ptx", "--bound", "9", "--out", &below],
        vec!["weaken", "rc11-to-ptx", "--bound", "9", "--out", &below],
        vec!["gen", "--out", &file],
    ] {
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains("cannot"), "{arguments:?}: {}", err(&output));
        assert_eq!(out(&output), "", "{arguments:?}");
    }
}

/// The files of a folder, with what is in them.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(path).expect("below it").display().to_string();
                all.insert(name, std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    all
}

/// Every command that writes a folder: what is in it after a second run is what a new folder would
/// have.
#[test]
fn nothing_of_an_earlier_run_stays() {
    let only = ["--only", "R.NA,R.ACQ,W.NA,W.REL"];
    let cases: Vec<(Vec<&str>, Vec<&str>, &str)> = vec![
        (
            vec!["check", BROKEN, "--bound", "4"],
            vec!["check", "rc11-to-ptx", "--bound", "3"],
            "counterexample-1-source.litmus",
        ),
        (
            vec![
                "check",
                "rc11-to-ptx-relaxed-acquire-load",
                "--bound",
                "4",
                "--level",
                "execution",
                "--all",
            ],
            vec!["check", BROKEN, "--bound", "4"],
            "counterexample-3-source.litmus",
        ),
        (
            vec!["diff", "sc", "tso", "--bound", "4"],
            vec!["diff", "sc", "sc", "--bound", "4"],
            "newly-allowed-1.litmus",
        ),
        (
            vec!["synth", "sc", "--bound", "4"],
            vec!["synth", "sc", "--bound", "2"],
            "sc-4-001.litmus",
        ),
        (vec!["gen", "--size", "4"], vec!["gen", "--size", "4", "--count", "1"], "index.tsv"),
        (
            [&["repair", "rc11-to-ptx-relaxed-acquire-load", "--bound", "4"], &only[..]].concat(),
            [&["repair", "rc11-to-ptx", "--bound", "4"], &only[..]].concat(),
            "repair-1.map",
        ),
        (
            [&["weaken", "rc11-to-ptx", "--bound", "4"], &only[..]].concat(),
            [&["weaken", "rc11-to-ptx", "--bound", "2"], &only[..]].concat(),
            "counterexample-1-target.svg",
        ),
        (
            vec!["confirm", BROKEN, "--bound", "4", "--device", "sim", "--instances", "100"],
            vec!["confirm", "rc11-to-ptx", "--bound", "3", "--device", "sim", "--instances", "100"],
            "counterexample-1-source.litmus",
        ),
    ];
    let timeless = |mut all: BTreeMap<String, Vec<u8>>| {
        // Reports have seconds in them, and their digests follow.
        ["report.json", "confirmation.json", ".margay.sha256"]
            .iter()
            .for_each(|name| drop(all.remove(*name)));
        all
    };
    for (i, (first, second, stale)) in cases.iter().enumerate() {
        let dir = folder(&format!("writing/stale-{i}"));
        let (old, new) = (dir.join("old"), dir.join("new"));
        margay(&[&first[..], &["--out", text(&old)]].concat());
        assert!(old.join(stale).is_file(), "{first:?} writes {stale}");
        std::fs::write(old.join("mine.txt"), "mine").expect("written");
        let again = margay(&[&second[..], &["--out", text(&old)]].concat());
        assert!(!err(&again).contains("did not write"), "{second:?}: {}", err(&again));
        margay(&[&second[..], &["--out", text(&new)]].concat());
        let mut there = timeless(files(&old));
        assert_eq!(there.remove("mine.txt"), Some(b"mine".to_vec()), "{second:?}");
        assert_eq!(there, timeless(files(&new)), "{second:?}");
    }
}

/// What somebody changed stays, and is told of; so are the files of versions that kept no list.
#[test]
fn what_is_not_ours_is_told_of() {
    let dir = folder("writing/theirs");
    let path = text(&dir);
    write(&dir, "counterexample-source.litmus", "C old\n");
    let output = margay(&["check", BROKEN, "--bound", "4", "--out", path]);
    assert!(err(&output).contains("`counterexample-source.litmus`"), "{}", err(&output));
    std::fs::remove_file(dir.join("counterexample-source.litmus")).expect("removed");
    write(&dir, "counterexample-1-target.litmus", "PTX mine\n");
    let output = margay(&["check", "rc11-to-ptx", "--bound", "3", "--out", path]);
    assert_eq!(output.status.code(), Some(0));
    assert!(err(&output).contains("`counterexample-1-target.litmus`"), "{}", err(&output));
    let left: Vec<String> = files(&dir).into_keys().collect();
    assert_eq!(left, [".margay.sha256", "counterexample-1-target.litmus", "report.json"]);
}
