//! Texts that others wrote: files without an end, names that lead to other files, sequences that a
//! terminal obeys, words of a length that fills the screen.

use std::path::Path;
use std::process::Output;

use crate::program::{command, err, folder, lines, margay, out, said, text, write};

const TEST: &str = "tests/corpus/asplos2019/fig5-mp.litmus";

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read() {
    let dir = folder("robustness/endless");
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.cat")).expect("it can be made");
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.json")).expect("it can be made");
    let includes = write(&dir, "includes.cat", "\"M\"\ninclude \"zero.cat\"\nacyclic po as X\n");
    let (cat, file) = (dir.join("zero.cat"), dir.join("zero.json"));
    for arguments in [
        &["run", TEST, "--model", "/dev/zero"][..],
        &["run", TEST, "--model", text(&cat)],
        &["run", TEST, "--model", &includes],
        &["check", "/dev/zero"],
        &["check", "rc11-to-ptx", "--source", "/dev/zero"],
        &["diff", "/dev/zero", "sc"],
        &["report", "/dev/zero"],
        &["report", text(&file)],
        &["repair", "rc11-to-ptx-no-release-rmw", "--costs", "/dev/zero"],
        &["fence", TEST, "--model", "ptx-6.0", "--costs", "/dev/zero"],
        &["case", "run", text(&file), "--into", text(&dir)],
        &["verify", "/dev"],
        &["verify", "/dev/zero"],
    ] {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).len() < 4000, "{arguments:?}: {}", err(&output));
    }
    let output = command(&["report", "-"])
        .stdin(std::fs::File::open("/dev/zero").expect("it is there"))
        .output();
    said(&output.expect("the program starts"), 2, "more than");
}

/// Whoever lets the program read a model of somebody else's does not let that one read any file.
#[cfg(unix)]
#[test]
fn no_text_names_a_file_to_be_quoted() {
    let dir = folder("robustness/secret");
    let secret = write(&dir, "shadow", "root:SECRET:19000:0:99999:7:::\n");
    std::os::unix::fs::symlink(&secret, dir.join("linked.cat")).expect("it can be made");
    let inside = dir.join("inside");
    std::fs::create_dir_all(&inside).expect("there is room");
    let mapping = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/rc11-to-ptx.map"),
    )
    .expect("a file");
    let header = mapping.lines().find(|l| l.starts_with("mapping")).expect("a header");
    let quiet = |output: &Output, what: &str| {
        let all = out(output) + &err(output);
        assert_eq!(output.status.code(), Some(2), "{what}: {all}");
        assert!(!all.contains("SECRET") && all.contains(".cat file"), "{what}: {all}");
    };
    for (i, name) in [
        secret.as_str(),
        "../shadow",
        "../linked.cat",
        "/etc/passwd",
        "..",
        "../../../../../../../../../../../../etc/hostname",
    ]
    .iter()
    .enumerate()
    {
        let model = write(
            &inside,
            &format!("{i}.cat"),
            format!("\"M\"\ninclude \"{name}\"\nacyclic po as X\n"),
        );
        quiet(&margay(&["run", TEST, "--model", &model]), name);
        quiet(&margay(&["run", TEST, "--model", &model, "--format", "json"]), name);
        if !name.ends_with("..") {
            let named =
                mapping.replacen(header, &format!("mapping \"m\" from {name} to ptx-6.0"), 1);
            quiet(&margay(&["check", &write(&inside, &format!("{i}.map"), named)]), name);
        }
    }
    // A list of verdicts names tests and models, too.
    let corpus = dir.join("corpus");
    std::fs::create_dir_all(&corpus).expect("there is room");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(TEST), corpus.join("t.litmus"))
        .expect("there is room");
    write(&corpus, "expected.txt", format!("t.litmus {secret} reachable x\n"));
    quiet(&margay(&["test", text(&corpus)]), "a model of the list");
    write(&corpus, "expected.txt", "../shadow sc reachable x\n");
    let output = margay(&["test", text(&corpus)]);
    said(&output, 2, "expected the name of a test in this folder");
    assert!(!err(&output).contains("SECRET"), "{}", err(&output));
    // What the user names is read, and what is beside it may be.
    write(&inside, "part.cat", "let together = po | rf\n");
    let model = write(&inside, "good.cat", "\"M\"\ninclude \"part.cat\"\nacyclic together as X\n");
    assert_eq!(margay(&["run", TEST, "--model", &model]).status.code(), Some(0));
}

/// Sequences that clear a screen, hide text, set a title, or turn the direction of writing.
const EVIL: &str = "a\u{1b}[2J\u{1b}[8mb\u{1b}]0;title\u{7}\u{9b}31mc\u{202e}d\u{200b}";

fn obeys_nothing(output: &Output, what: &str) {
    let all = out(output) + &err(output);
    let evil = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{200b}')
    };
    assert!(!all.contains(evil), "{what}: {all:?}");
}

#[test]
fn a_terminal_obeys_no_name() {
    let dir = folder("robustness/names");
    let source =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(TEST)).expect("a file");
    let first = source.lines().next().expect("a line");
    let named = write(
        &dir,
        &format!("{EVIL}.litmus").replace('\u{7}', ""),
        source.replacen(first, &format!("PTX {EVIL}"), 1),
    );
    let broken = write(&dir, "broken.litmus", format!("{first}\n{EVIL}\n{{ }}\n{EVIL}"));
    let model = write(
        &dir,
        "model.cat",
        format!("\"{EVIL}\"\nlet x = {EVIL}\nacyclic po | rf | co | fr as {EVIL}\n"),
    );
    let titled = write(&dir, "titled.cat", format!("\"{EVIL}\"\nacyclic po | rf | co | fr as X\n"));
    let mapping = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/rc11-to-ptx.map"),
    )
    .expect("a file");
    let header = mapping.lines().find(|l| l.starts_with("mapping")).expect("a header");
    let good = write(
        &dir,
        "good.map",
        mapping.replacen(header, &format!("mapping \"{EVIL}\" from rc11-scoped to ptx-6.0"), 1),
    );
    let bad = write(
        &dir,
        "bad.map",
        format!("mapping \"{EVIL}\" from rc11-scoped to ptx-6.0\n{EVIL} => {EVIL}\n"),
    );
    let report = write(
        &dir,
        "report.json",
        serde_json::json!({ "schema": 1, EVIL: EVIL, "file": EVIL, "name": EVIL, "quantifier": EVIL, "reachable": true, "holds": true }).to_string(),
    );
    let not_json = write(&dir, "not.json", EVIL);
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["run", &named, "--model", "sc"],
        vec!["run", &named, &named, "--model", &titled],
        vec!["run", &named, "--model", &model],
        vec!["run", &broken, "--model", "sc"],
        vec!["run", EVIL, "--model", EVIL],
        vec!["explain", &named, "--model", "ptx-6.0"],
        vec!["classify", &named],
        vec!["sim", &named, "--runs", "10"],
        vec!["check", &good, "--bound", "2"],
        vec!["check", &bad],
        vec!["check", "rc11-to-ptx", "--axiom", EVIL],
        vec!["check", "rc11-to-ptx", "--only", EVIL],
        vec!["diff", &titled, "sc", "--bound", "2"],
        vec!["report", &report],
        vec!["report", &report, "--as", "markdown", "--title", EVIL],
        vec!["report", &not_json],
        vec!["verify", EVIL],
        vec!["models", EVIL],
        vec!["mappings", "--show", EVIL],
        vec![EVIL],
        vec!["run", "--no-such-option", EVIL],
        vec!["case", "run", EVIL, "--into", text(&dir)],
    ];
    let long: Vec<Vec<&str>> =
        commands.iter().map(|c| [&["--format", "json"], c.as_slice()].concat()).collect();
    let verbose: Vec<Vec<&str>> =
        commands[..4].iter().map(|c| [&["-vv"], c.as_slice()].concat()).collect();
    commands.extend(long.into_iter().chain(verbose));
    for arguments in &commands {
        // A path has no zero and no bell here; arguments of a command cannot have the former.
        let output = margay(arguments);
        assert!(
            output.status.code().is_some_and(|c| (0..=3).contains(&c)),
            "{arguments:?}: {}",
            err(&output)
        );
        obeys_nothing(&output, &format!("{arguments:?}"));
    }
    let line = &lines(&margay(&["run", &named, "--model", "sc", "--format", "json"]))[0];
    assert!(
        line["file"].as_str().is_some_and(|n| n.contains('\u{1b}')),
        "in JSON it is what it was: {line}"
    );
}

#[test]
fn no_message_fills_the_screen() {
    let dir = folder("robustness/long");
    let long = "x".repeat(100_000);
    let model =
        write(&dir, "m.cat", format!("\"M\"\nlet a = {long}\nlet b = (* {long} *) {long} | |\n"));
    let mapping = write(
        &dir,
        "m.map",
        format!("mapping \"{long}\" from rc11 to ptx-6.0\n{long} => {long}\n"),
    );
    let litmus = write(
        &dir,
        "t.litmus",
        format!("PTX {long}\n{{ }}\n P0@cta 0 ;\n {long} {long} ;\nexists ({long})\n"),
    );
    let report = write(&dir, "r.json", format!("{{\"schema\": 1, \"x\": \"{long}\" {long}"));
    for arguments in [
        &["run", TEST, "--model", &model][..],
        &["check", &mapping],
        &["run", &litmus, "--model", "sc"],
        &["report", &report],
        &["run", &long, "--model", "sc"],
        &["run", TEST, "--model", &long],
        &["check", &long],
        &["check", "rc11-to-ptx", "--only", &long],
        &["verify", &long],
    ] {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", arguments[0]);
        let messages = err(&output).matches("error").count().max(1);
        assert!(
            err(&output).len() < 9_000 * messages,
            "{}: {} bytes",
            arguments[0],
            err(&output).len()
        );
    }
}
