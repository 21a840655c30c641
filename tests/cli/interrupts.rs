//! What ends a long run: its time, Ctrl-C, a request to terminate; and that any number of threads
//! does.

#[cfg(unix)]
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{command, err, folder, lines, margay, out, text, write};

const TEST: &str = "tests/corpus/asplos2019/fig5-mp.litmus";

#[test]
fn an_endless_simulation_ends_in_time() {
    let runs = u64::MAX.to_string();
    let output = margay(&["sim", TEST, "--runs", &runs, "--timeout", "200ms", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let line = &lines(&output)[0];
    assert_eq!(line["bounded"], true);
    assert!(line["runs"].as_u64().is_some_and(|n| n < u64::MAX), "what was run is said: {line}");
    let output = margay(&["sim", TEST, "--runs", &runs, "--timeout", "0"]);
    assert!(out(&output).contains(", stopped"), "{}", out(&output));
}

#[test]
fn any_number_of_jobs_ends() {
    for arguments in [
        &["check", "rc11-to-ptx", "--bound", "2"][..],
        &["diff", "sc", "tso", "--bound", "2"],
        &["run", TEST, "tests/corpus/asplos2019/fig6-sb-narrow.litmus", "--model", "sc,ptx-6.0"],
        &["synth", "sc", "--bound", "2"],
        &["weaken", "rc11-to-ptx", "--bound", "2", "--only", "R.RLX,W.RLX"],
    ] {
        let few = margay(&[arguments, &["--jobs", "1"]].concat());
        for jobs in ["2000", "1000000", "18446744073709551615"] {
            let many = margay(&[arguments, &["--jobs", jobs]].concat());
            assert_eq!(
                many.status.code(),
                few.status.code(),
                "{arguments:?} --jobs {jobs}: {}",
                err(&many)
            );
        }
    }
}

/// The time that a program has computed, in ticks; `None` where nobody can say.
#[cfg(unix)]
fn ticks(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // Behind the name, which may hold anything: the time in the program is the twelfth field, that
    // in the system the thirteenth.
    let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    Some(fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum())
}

/// Has the program computed for a while? What it says of itself is asked for, since a busy machine
/// may not have let it begin; where nobody can say, it has after two seconds.
#[cfg(unix)]
fn has_worked(child: &Child, since: Instant) -> bool {
    const TICKS: u64 = 40;
    ticks(child).map_or_else(|| since.elapsed() > Duration::from_secs(2), |worked| worked >= TICKS)
}

/// Starts a program, sends it a signal when it has worked for a while, and says how it ended and
/// what it wrote.
#[cfg(unix)]
fn interrupted(arguments: &[&str], signal: &str) -> (Option<i32>, String, String) {
    let mut child: Child = command(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let since = Instant::now();
    while !has_worked(&child, since) {
        assert!(
            child.try_wait().expect("it is a child").is_none(),
            "{arguments:?} had ended before"
        );
        assert!(since.elapsed() < Duration::from_secs(600), "{arguments:?} does not work");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent =
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success(), "{arguments:?}");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), out(&output), err(&output))
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_what_waits_for_a_reader() {
    // Far more than fits into a pipe.
    let mut child = command(&["run", "tests/corpus", "--model", "sc,ptx-6.0", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let since = Instant::now();
    // It has begun to write: how much it computes for that is not known, a fast machine needs no
    // time that could be measured.
    let mut first = [0];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("it writes");
    // Until it waits: its time does not go on.
    let mut before = None;
    while before.is_none() || Some(ticks(&child)) != before {
        before = Some(ticks(&child));
        assert!(
            child.try_wait().expect("it is a child").is_none(),
            "all of its output fits into a pipe"
        );
        assert!(since.elapsed() < Duration::from_secs(600), "it does not come to wait");
        std::thread::sleep(Duration::from_millis(700));
    }
    let mut signals = 0;
    loop {
        assert!(
            Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .expect("kill starts")
                .success()
        );
        signals += 1;
        std::thread::sleep(Duration::from_millis(300));
        if let Some(status) = child.try_wait().expect("it is a child") {
            assert_eq!(status.code(), Some(3));
            return;
        }
        if signals == 50 {
            child.kill().expect("it can be ended");
            panic!("it hangs");
        }
    }
}

/// `timeout` sends its signal to the program and to the group of it, which is the program twice:
/// the answer is printed all the same.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_at_once_is_one_interrupt() {
    for signal in ["-INT", "-TERM"] {
        let mut child = command(&["check", "rc11-to-ptx-descoped", "--bound", "12"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let since = Instant::now();
        while !has_worked(&child, since) {
            assert!(
                child.try_wait().expect("it is a child").is_none()
                    && since.elapsed() < Duration::from_secs(600),
                "it does not work"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let id = child.id().to_string();
        let twice = format!("kill {signal} {id}; sleep 0.02; kill {signal} {id}");
        assert!(Command::new("sh").args(["-c", &twice]).status().expect("a shell").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(3), "{}", err(&output));
        assert!(
            out(&output).starts_with("undecided") && out(&output).contains("interrupted"),
            "{signal}: {}",
            out(&output)
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_an_orderly_end() {
    let dir = folder("robustness/interrupt");
    let generated = dir.join("generated");
    let edges = "Rfe,Fre,Wse,Pod**,Pos**";
    let gen_all = [
        "gen",
        "--size",
        "12",
        "--edges",
        edges,
        "--orders",
        "weak,relaxed",
        "--out",
        text(&generated),
    ];
    // A loop that is unrolled so often has more executions than anybody waits for.
    let test = write(
        &dir,
        "long.litmus",
        "PTX long\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n L00: | L10: ;\n atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;\n bne r0, 77, L00 | bne r0, 77, L10 ;\nexists (x == 100000)\n",
    );
    let (code, _, said) = interrupted(&gen_all, "-INT");
    assert_eq!(code, Some(3), "{said}");
    let index = std::fs::read_to_string(generated.join("index.tsv")).expect("an index");
    let listed = index.lines().skip(1).count();
    let files = std::fs::read_dir(&generated).expect("a folder").flatten();
    let files = files
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "litmus"))
        .count();
    assert_eq!(listed, files, "what was written is listed: {said}");
    for arguments in [
        &[
            "run", TEST, &test, "--model", "sc", "--unroll", "12", "--engine", "explicit",
            "--jobs", "1",
        ][..],
        &["explain", &test, "--model", "sc", "--unroll", "12", "--engine", "explicit"],
        &["fence", &test, "--model", "sc", "--unroll", "12", "--engine", "explicit"],
        &["check", "rc11-to-ptx", "--without", "R.SC,W.SC,RMW.SC", "--bound", "9"],
        &[
            "check",
            "rc11-to-ptx",
            "--without",
            "R.SC,W.SC,RMW.SC",
            "--bound",
            "9",
            "--jobs",
            "1000000",
        ],
        &["diff", "ptx-6.0", "ptx-8", "--bound", "9"],
        &["sim", TEST, "--runs", "10000000000"],
    ] {
        for signal in ["-INT", "-TERM"] {
            let (code, shown, said) = interrupted(arguments, signal);
            assert_eq!(code, Some(3), "{arguments:?} {signal}: {shown}{said}");
            let why = shown.contains("interrupted")
                || said.contains("interrupted")
                || shown.contains("stopped");
            assert!(why, "{arguments:?} {signal}: {shown}{said}");
            if arguments[0] == "run" {
                assert!(shown.contains("fig5-mp"), "what was answered is shown: {shown}{said}");
            }
        }
    }
}

/// A comparison is ended at once, whatever is under way: a search, a proof beside it, outcomes of
/// programs. What was established stands in its first lines.
#[cfg(unix)]
#[test]
fn a_request_to_terminate_ends_a_comparison_at_once() {
    for arguments in [
        &["diff", "ptx-6.0", "ptx-8", "--bound", "9"][..],
        &["diff", "ptx-6.0", "ptx-8", "--bound", "9", "--prove", "--typed", "on"],
        &["diff", "ptx-6.0", "ptx-8", "--bound", "9", "--program"],
    ] {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let since = Instant::now();
        while !has_worked(&child, since) {
            assert!(
                child.try_wait().expect("it is a child").is_none(),
                "{arguments:?} had ended before"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let worked = ticks(&child);
        assert!(
            Command::new("kill")
                .args(["-TERM", &child.id().to_string()])
                .status()
                .expect("kill starts")
                .success()
        );
        let sent = Instant::now();
        // What it computes until its end is little; how long that takes depends on what else the
        // machine does.
        let mut last = worked;
        while child.try_wait().expect("it is a child").is_none() {
            last = ticks(&child).or(last);
            assert!(sent.elapsed() < Duration::from_secs(600), "{arguments:?} does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("it ends");
        let shown = out(&output);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {shown}{}", err(&output));
        assert!(
            shown.starts_with("undecided") && shown.contains("interrupted"),
            "{arguments:?}: {shown}"
        );
        if let (Some(worked), Some(last)) = (worked, last) {
            assert!(last - worked < 300, "{arguments:?} computed for {} ticks more", last - worked);
        }
    }
}

/// Refutations for other checkers take longer to write than the answer takes that they belong to:
/// what ends the program ends them, too. What was written whole stays, no list says that these are
/// all, and the answer stands.
#[cfg(unix)]
#[test]
fn what_ends_a_verification_ends_its_refutations() {
    let dir = folder("robustness/refutations");
    let certificate = dir.join("certificate");
    let searched = margay(&[
        "check",
        "rc11-to-ptx",
        "--without",
        "R.SC,W.SC,RMW.SC",
        "--bound",
        "5",
        "--certify",
        text(&certificate),
    ]);
    assert_eq!(searched.status.code(), Some(0), "{}", err(&searched));
    let to = dir.join("written");
    let arguments = ["verify", text(&certificate), "--lrat", text(&to), "--jobs", "1"];
    let names = || -> Vec<String> {
        let files: Vec<std::fs::DirEntry> =
            std::fs::read_dir(&to).map_or_else(|_| Vec::new(), |all| all.flatten().collect());
        files
            .into_iter()
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect()
    };
    for signal in ["-INT", "-TERM"] {
        let mut child = command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let since = Instant::now();
        // The first line is the answer: from then on refutations are written.
        let mut first = [0];
        child.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("it answers");
        assert!(child.try_wait().expect("it is a child").is_none(), "it had ended before");
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill starts")
                .success()
        );
        let output = child.wait_with_output().expect("it ends");
        assert!(since.elapsed() < Duration::from_secs(600), "{signal}: it does not end");
        assert_eq!(output.status.code(), Some(3), "{signal}: {}", err(&output));
        assert!(
            err(&output).contains("not all refutations were written")
                && err(&output).contains("interrupted"),
            "{}",
            err(&output)
        );
        assert!(
            !names().iter().any(|name| name == "index.tsv"),
            "{signal}: a list of a part: {:?}",
            names()
        );
        for name in names() {
            let other = match name.strip_suffix(".cnf") {
                Some(stem) => format!("{stem}.lrat"),
                None => format!(
                    "{}.cnf",
                    name.strip_suffix(".lrat").unwrap_or_else(|| panic!("{signal}: {name}"))
                ),
            };
            assert!(names().contains(&other), "{signal}: {name} is half of a refutation");
        }
    }
    // The time that is given may end before the answer, too: it is undecided then, and nothing is
    // written.
    let late = margay(&[&arguments[..], &["--timeout", "0s"]].concat());
    assert_eq!(late.status.code(), Some(3), "{}", err(&late));
    assert!(out(&late).starts_with("undecided"), "{}", out(&late));
}
