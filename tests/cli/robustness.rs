//! Whatever the program is given, it does not panic, lose files, or end as if all were well.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::program::{command, err, folder, json, margay, out, said, text, write};

const TEST: &str = "tests/corpus/asplos2019/fig5-mp.litmus";

#[test]
fn json_that_breaks_off_at_any_letter_is_told_of() {
    let dir = folder("robustness/letters");
    for (i, broken) in [
        "{\"schema\": 1, \"é\": é",
        "é",
        "{\"ü\"\u{feff}}",
        "{\"schema\": 1}\n世界 {}",
        "\"世\" x",
        "",
    ]
    .iter()
    .enumerate()
    {
        let file = write(&dir, &format!("{i}.json"), broken);
        for format in ["human", "json"] {
            let output = margay(&["report", &file, "--format", format]);
            assert_eq!(output.status.code(), Some(2), "{broken}: {}", err(&output));
            let told = out(&output) + &err(&output);
            assert!(told.contains(&format!("{i}.json")), "{told}");
        }
    }
}

/// A limit of the size of files stands in for a full disk: the first block can be written, no more.
#[cfg(unix)]
fn on_a_full_disk(arguments: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    // The signal is ignored, so that writing fails as on a full disk.
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_margay")])
        .args(arguments);
    shell
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", "100")
        .output()
        .expect("a shell starts")
}

#[cfg(unix)]
#[test]
fn an_old_page_outlives_a_full_disk() {
    let dir = folder("robustness/page");
    let answer =
        write(&dir, "answer.json", out(&margay(&["diff", "sc", "tso", "--format", "json"])));
    let page = dir.join("page.html");
    assert_eq!(margay(&["report", &answer, "-o", text(&page)]).status.code(), Some(0));
    let old = std::fs::read(&page).expect("a page");
    assert!(old.len() > 16 * 1024, "it does not fit: {}", old.len());
    said(
        &on_a_full_disk(&["report", &answer, "--title", "another", "-o", text(&page)]),
        2,
        "cannot write",
    );
    assert_eq!(std::fs::read(&page).expect("a page"), old);
    assert_eq!(std::fs::read_dir(&dir).expect("a folder").count(), 2, "nothing is left over");
    said(&margay(&["report", &answer, "-o", "/dev/full"]), 2, "cannot write");
    // The verdicts of a corpus.
    let corpus = dir.join("corpus");
    std::fs::create_dir_all(&corpus).expect("there is room");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(TEST), corpus.join("t.litmus"))
        .expect("there is room");
    let padding = format!("# {}\n", "x".repeat(40 * 1024));
    let lists: String = (0..2)
        .map(|i| format!("t.litmus {} reachable {}\n", ["sc", "tso"][i], "s".repeat(30 * 1024)))
        .collect();
    let expected = write(&corpus, "expected.txt", padding + &lists);
    let before = std::fs::read(&expected).expect("a list");
    said(&on_a_full_disk(&["test", text(&corpus), "--bless"]), 2, "expected.txt");
    assert_eq!(std::fs::read(&expected).expect("a list"), before);
}

#[cfg(unix)]
#[test]
fn formulas_that_cannot_be_written_are_missed() {
    let dir = folder("robustness/formulas");
    let file = write(&dir, "file", "");
    let check = ["check", "rc11-to-ptx", "--bound", "2", "--dump-cnf"];
    for bad in [file.as_str(), "/proc/no-such-folder", "/dev/null"] {
        let output = margay(&[&check[..], &[bad]].concat());
        assert_eq!(output.status.code(), Some(2), "{bad}: {}", out(&output));
        assert!(err(&output).contains(bad), "{}", err(&output));
    }
    let output = on_a_full_disk(&[&check[..], &[text(&dir)]].concat());
    said(&output, 0, "the answer stands; the formulas are not complete");
    assert!(
        out(&output).starts_with("no counterexample up to 2 events"),
        "the answer is there: {}",
        out(&output)
    );
    let output = margay(&[&check[..], &[text(&dir.join("new"))]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn units_are_asked_for() {
    let run = |more: &[&str]| margay(&[&["check", "rc11-to-ptx", "--bound", "1"], more].concat());
    for time in ["60", "1.5m", "1h", "90s"] {
        assert_eq!(run(&["--timeout", time]).status.code(), Some(0), "{time}");
    }
    said(&run(&["--timeout", "soon"]), 2, "write e.g. 30s, 10m, 1h30m, or a number of seconds");
    said(&run(&["--memory", "10"]), 2, "without a unit it is a number of bytes");
    assert_eq!(run(&["--memory", "2GiB"]).status.code(), Some(0));
}

#[test]
fn none_of_something_is_not_asked_for() {
    for arguments in [
        &["sim", TEST, "--runs", "0"][..],
        &["check", "rc11-to-ptx", "--bound", "1", "--all", "0"],
        &["diff", "sc", "tso", "--all", "0"],
        &["check", "rc11-to-ptx", "--bound", "0"],
        &["check", "rc11-to-ptx", "--jobs", "0"],
        &["repair", "rc11-to-ptx-no-release-rmw", "--candidates", "0"],
        &["fence", TEST, "--model", "ptx-6.0", "--limit", "0"],
        &["gpu", "run", TEST, "--device", "sim", "--instances", "0"],
    ] {
        said(&margay(arguments), 2, "at least 1");
    }
}

#[test]
fn what_is_no_number_is_said_in_plain_words() {
    for (number, expected) in [
        ("four", "expected a whole number"),
        ("4.5", "expected a whole number"),
        ("-1", "none below zero"),
        ("", "expected a whole number"),
        ("99999999999999999999", "the number is too large"),
    ] {
        for arguments in [
            &["check", "rc11-to-ptx", "--bound", number][..],
            &["check", "rc11-to-ptx", "--jobs", number],
        ] {
            said(&margay(arguments), 2, expected);
        }
    }
}

/// Who leaves out the model, or the mapping, may not know which there are.
#[test]
fn what_is_missing_is_listed_by_a_command() {
    for (arguments, list) in [
        (&["run", TEST][..], "`margay models`"),
        (&["check"], "`margay mappings`"),
        (&["extract", "--arch", "sm_90"], "--list"),
    ] {
        said(&margay(arguments), 2, list);
    }
}

#[cfg(unix)]
/// Whoever knows herd7 types `-model`, and a file without a command.
#[test]
fn what_is_typed_as_for_another_tool_is_told_of() {
    let one_dash = "long options have two dashes: `--model`, not `-model`";
    said(&margay(&["run", TEST, "-model", "ptx-8"]), 2, one_dash);
    said(&margay(&["run", "-model", "no-such.cat", TEST]), 2, one_dash);
    said(&margay(&["check", "rc11-to-ptx", "-bound", "2"]), 2, "`--bound`, not `-bound`");
    let short = margay(&["check", "rc11-to-ptx", "-b1"]);
    assert_eq!((short.status.code(), err(&short).as_str()), (Some(0), ""));
    said(
        &margay(&["mp.litmus"]),
        2,
        "`mp.litmus` seems to be a litmus test: margay run mp.litmus --model MODEL",
    );
    said(&margay(&["lock.cu"]), 2, "margay kernel lock.cu");
    said(
        &margay(&["run", TEST, "--model", "herd:aarch64.cat"]),
        2,
        "`herd7:`, `dartagnan:` or `margay:`",
    );
}

/// An option that a command lacks is no file of that name.
#[test]
fn an_option_that_is_not_there_is_no_value() {
    for asked in [
        &["models", "--out", "x"][..],
        &["gpu", "emit", "mp.litmus", "--out", "x"],
        &["run", "a", "--modell", "x"],
    ] {
        let output = margay(asked);
        assert_eq!(output.status.code(), Some(2), "{asked:?}");
        let told = err(&output);
        assert!(
            told.contains("unexpected argument")
                && told.contains("--help")
                && !told.contains("as a value"),
            "{told}"
        );
        assert!(!told.contains("\n\n\n"), "{told:?}");
    }
    assert!(
        err(&margay(&["run", "a", "--modell", "x"])).contains("'--model'"),
        "what is meant is still told of"
    );
}

#[test]
fn help_that_cannot_be_read_is_no_success() {
    for arguments in
        [&["--help"][..], &["--version"], &["check", "--help"], &["models"], &["models", "sc"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let output = command(arguments).stdout(full).output().expect("the program starts");
        said(&output, 2, "cannot write");
    }
    // A reader that has seen enough is no mistake.
    for arguments in [&["--help"][..], &["gpu", "emit", TEST]] {
        let mut child =
            command(arguments).stdout(Stdio::piped()).spawn().expect("the program starts");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_built_in_text_is_shown_by_its_name() {
    for (command, name) in [("models", "tso"), ("mappings", "rc11-to-ptx")] {
        let shown = margay(&[command, name]);
        assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
        assert_eq!(shown.stdout, margay(&[command, "--show", name]).stdout);
        assert!(out(&shown).len() > 100);
        said(&margay(&[command, "no-such-name"]), 2, "there is no built-in");
        said(&margay(&[command, name, "--show", name]), 2, "cannot be used with");
    }
    assert!(json(&margay(&["models", "--format", "json"]))["models"].is_array());
}

/// A text of another kind, a link and a mistyped word are named; what the reader of models would
/// make of them is not what is wrong.
#[test]
fn what_was_meant_to_be_a_model_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("there is room");
        path.to_str().expect("a path of text").to_owned()
    };
    let arch = file(
        "own.arch",
        "// A machine.\narchitecture \"A machine\"\ntag A on R\nread ld\nread ld.a A\nwrite st\n",
    );
    for arguments in [
        &["models", &arch][..],
        &["check", "rc11-to-ptx", "--target", &arch],
        &["run", TEST, "--model", &arch],
    ] {
        let output = margay(arguments);
        said(&output, 2, "this is the text of an architecture, and no model");
        assert_eq!(err(&output).matches("error:").count(), 1, "{}", err(&output));
    }
    let own = file(
        "own.cat",
        "own\nlet fr = rf^-1; co\nlet com = rf | co | fr\nacyclick po | com as SC\n",
    );
    said(&margay(&["models", &own]), 2, "did you mean `acyclic`?");
    said(&margay(&["models", &own]), 2, "own.cat:4:1");
    let right = "own\nlet fr = rf^-1; co\nlet com = rf | co | fr\nacyclic po | com as SC\n";
    let own = file("own.cat", right);
    let shown = margay(&["models", &own]);
    assert_eq!((shown.status.code(), out(&shown).as_str()), (Some(0), right));
    #[cfg(unix)]
    {
        file("text", &std::fs::read_to_string(&arch).expect("it is there"));
        std::fs::remove_file(&arch).expect("it is there");
        std::os::unix::fs::symlink("text", &arch).expect("it can be made");
        said(&margay(&["models", &own]), 2, "own.arch` is a link to a file that is no .arch file");
    }
}

#[test]
fn what_is_no_certificate_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let (none, file) = (folder.path().join("none"), folder.path().join("file"));
    std::fs::write(&file, "").expect("there is room");
    for (path, what) in [
        (none.as_path(), "none`: there is no such folder"),
        (&file, "file`: it is not a folder"),
        (folder.path(), "no such file"),
    ] {
        let output = margay(&["verify", path.to_str().expect("a path of text")]);
        said(&output, 2, what);
        assert!(err(&output).contains("is the folder that `--certify` names"), "{}", err(&output));
    }
}

/// What a file names and is not there is shown at the line that names it.
#[test]
fn a_model_that_a_corpus_names_is_missed_at_its_line() {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::copy(TEST, folder.path().join("a.litmus")).expect("it is there");
    std::fs::write(
        folder.path().join("expected.txt"),
        "# test model verdict\na.litmus  no-model  allowed  me\n",
    )
    .expect("there is room");
    let output = margay(&["test", folder.path().to_str().expect("a path of text")]);
    said(&output, 2, "there is no model `no-model`");
    assert!(err(&output).contains("expected.txt:2:1"), "{}", err(&output));
}

/// Two texts of one architecture are two: the message does not say that the executions of `x86` are
/// not those of `x86`.
#[test]
fn two_texts_of_an_architecture_are_told_apart() {
    let folder = tempfile::tempdir().expect("there is room");
    let own = folder.path().join("x86.cat");
    std::fs::copy("models/architectures/x86.cat", &own).expect("it is there");
    let text = std::fs::read_to_string("models/architectures/x86.arch").expect("it is there");
    std::fs::write(
        folder.path().join("x86.arch"),
        text.replacen("architecture \"", "architecture \"my ", 1),
    )
    .expect("there is room");
    said(
        &margay(&["diff", own.to_str().expect("a path of text"), "x86"]),
        2,
        "by two texts of that name, which differ",
    );
}
