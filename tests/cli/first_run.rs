//! The script for the first run on a GPU machine, tried on the machine on the CPU: it runs
//! everything in order, into few files, and goes on where it stopped, whoever stopped it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use margay_runner::device::{BuildSubject, assemble, by};
use margay_runner::emit::{CompiledProgram, Environment, GpuTarget};
use margay_runner::sass::Toolkit;
use serde_json::Value;

use crate::program::{err, folder, margay, out};

const PIECES: [&str; 19] = [
    "machine",
    "probe",
    "weak",
    "weak-stress",
    "weak-random",
    "weak-mixed",
    "rates",
    "rates-stress",
    "tune",
    "weak-tuned",
    "soundness",
    "published",
    "applications",
    "harden",
    "table6",
    "table6-alone",
    "confirm",
    "compiled",
    "soundness-more",
];

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hardware").join(name)
}

fn command(device: &str, results: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(script("first-run"));
    command
        .args(["--quick", "--device", device, "--margay", env!("CARGO_BIN_EXE_margay"), "--out"])
        .arg(results)
        .args(more);
    command
}

fn first_run(device: &str, results: &Path, more: &[&str]) -> Output {
    command(device, results, more).output().expect("bash is there")
}

/// The results that were packed.
fn unpacked(results: &Path) -> PathBuf {
    let to = results.with_extension("unpacked");
    let _ = std::fs::remove_dir_all(&to);
    std::fs::create_dir_all(&to).expect("a folder");
    let tar = Command::new("tar")
        .arg("-xzf")
        .arg(results.join("results.tar.gz"))
        .arg("-C")
        .arg(&to)
        .status();
    assert!(tar.expect("tar is there").success());
    to
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

#[test]
fn the_dry_run() {
    let results = folder("first-run/whole").join("results");
    let output = first_run("sim", &results, &["--limit", "500"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "the weak machine shows CoRR: {}{}",
        out(&output),
        err(&output)
    );
    let text = out(&output);
    let begun: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("== ")).filter(|l| !l.contains(':')).collect();
    assert_eq!(begun, PIECES, "in the order of what they tell");
    // So few and so small files that all can be carried back from anywhere.
    let files: Vec<_> = std::fs::read_dir(&results).expect("a folder").flatten().collect();
    assert!(files.len() <= 8, "{files:?}");
    assert!(
        files.iter().all(|f| f.metadata().is_ok_and(|m| m.is_file() && m.len() < 16 << 20)),
        "{files:?}"
    );
    let summary = std::fs::read_to_string(results.join("summary.md")).expect("a summary");
    assert!(summary.contains("Simulated: nothing here says anything about a GPU."), "{summary}");
    for piece in PIECES {
        assert!(
            summary.lines().any(|l| l.starts_with(&format!("| {piece} | done"))
                && l.ends_with(" s after the call began |")),
            "{piece}, and when: {summary}"
        );
    }
    let there = unpacked(&results);
    for (file, count) in
        [("weak.jsonl", 12), ("rates.jsonl", 3), ("table6.jsonl", 4), ("confirm.jsonl", 56)]
    {
        let lines = lines(&there.join(file));
        assert_eq!(lines.len(), count, "{file}");
        assert!(lines.iter().all(|l| l["simulated"] == true), "{file}");
    }
    // All is done: another call has nothing to do, and loses nothing.
    let again = first_run("sim", &results, &["--limit", "60"]);
    assert_eq!(again.status.code(), Some(1), "{}", err(&again));
    assert!(!out(&again).contains("== "), "{}", out(&again));
    assert_eq!(lines(&unpacked(&results).join("weak.jsonl")).len(), 12);
}

/// The parts of it that are quick, for tests of what stops it.
const SOME: [&str; 2] = ["--only", "machine,probe,weak,soundness,table6"];

#[test]
fn it_goes_on_where_it_stopped() {
    let (results, whole) =
        (folder("first-run/resumed").join("results"), folder("first-run/at-once").join("results"));
    let complete = first_run("sim", &whole, &SOME);
    assert_eq!(complete.status.code(), Some(1), "{}", err(&complete));
    // Killed in the middle, without a chance to tidy up.
    let mut killed =
        command("sim", &results, &SOME).stdout(Stdio::null()).spawn().expect("it starts");
    while !results.join("results.tar.gz").exists()
        && killed.try_wait().expect("a process").is_none()
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    killed.kill().expect("killed");
    killed.wait().expect("it ends");
    // Then called with less time than it takes, again and again, and once into another folder.
    let within = |limit: &str, results: &Path, more: &[&str]| {
        first_run("sim", results, &[&SOME[..], &["--limit", limit], more].concat())
    };
    let short = |results: &Path, more: &[&str]| within("34", results, more);
    let first = short(&results, &[]);
    assert!(matches!(first.status.code(), Some(1 | 3)), "{}", err(&first));
    let elsewhere = results.with_file_name("elsewhere");
    let mut last = short(&elsewhere, &["--from", results.to_str().expect("text")]);
    for n in 0..20 {
        if last.status.code() != Some(3) {
            break;
        }
        assert!(out(&last).contains("the same command goes on"), "{}", out(&last));
        // A machine with much else to do gets further in more time.
        last = if n < 10 { short(&elsewhere, &[]) } else { within("500", &elsewhere, &[]) };
    }
    assert_eq!(last.status.code(), Some(1), "{}{}", out(&last), err(&last));
    // What was run at once and in pieces is the same, and nothing is there twice.
    let outcomes = |results: &Path, file: &str| -> Vec<(Value, Value)> {
        lines(&unpacked(results).join(file))
            .into_iter()
            .map(|l| (l["file"].clone(), l["outcomes"].clone()))
            .collect()
    };
    assert_eq!(outcomes(&elsewhere, "soundness.jsonl"), outcomes(&whole, "soundness.jsonl"));
    assert_eq!(outcomes(&elsewhere, "table6.jsonl"), outcomes(&whole, "table6.jsonl"));
}

/// That a published test shows what the model forbids ends no call: `gpu summary` says so by its
/// exit code. And what was run is not run again where another folder takes it up.
#[test]
fn a_forbidden_outcome_does_not_end_the_call() {
    let folder = folder("first-run/forbidden");
    let program = folder.join("margay");
    let real = env!("CARGO_BIN_EXE_margay");
    let script = format!(
        "#!/bin/sh\n'{real}' \"$@\" || exit\ncase \"$1 $2\" in 'gpu summary') exit 1 ;; esac\n"
    );
    std::fs::write(&program, script).expect("a script");
    assert!(
        Command::new("chmod").arg("+x").arg(&program).status().expect("chmod is there").success()
    );
    let (results, elsewhere) = (folder.join("results"), folder.join("elsewhere"));
    let only = |results: &Path, more: &[&str]| {
        first_run(
            "sim",
            results,
            &[&["--only", "published,table6", "--margay", program.to_str().expect("text")], more]
                .concat(),
        )
    };
    let output = only(&results, &[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).contains("== published: done") && out(&output).contains("== table6: done"),
        "{}",
        out(&output)
    );
    let published = lines(&unpacked(&results).join("published.jsonl"));
    assert!(published.len() > 10, "{}", published.len());
    // As if it had been stopped before it said that it was done.
    let stopped = folder.join("stopped");
    std::fs::create_dir_all(stopped.join("work")).expect("a folder");
    let moved = Command::new("tar")
        .arg("-xzf")
        .arg(results.join("results.tar.gz"))
        .arg("-C")
        .arg(stopped.join("work"))
        .status();
    assert!(moved.expect("tar is there").success());
    std::fs::write(stopped.join("work/done"), "").expect("a file");
    let again = only(&elsewhere, &["--from", stopped.to_str().expect("text")]);
    assert_eq!(again.status.code(), Some(0), "{}{}", out(&again), err(&again));
    assert_eq!(lines(&unpacked(&elsewhere).join("published.jsonl")).len(), published.len());
}

#[test]
fn devices_that_fail_are_outlived() {
    for device in ["sim:hangs", "sim:lost"] {
        let results = folder(&format!("first-run/{}", device.replace(':', "-"))).join("results");
        let output = first_run(device, &results, &["--only", "machine,probe,weak,soundness"]);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{device}: {}{}",
            out(&output),
            err(&output)
        );
        let text = out(&output);
        assert!(
            text.contains("== weak: given up after 3 tries, the last with exit code 3"),
            "{device}: {text}"
        );
        assert!(text.contains("== soundness: done"), "{device}: {text}");
        let lines = lines(&unpacked(&results).join("soundness.jsonl"));
        let (failed, ran): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|l| l["failed"].is_string());
        assert!(
            ran.len() >= 8 && failed.len() >= 4,
            "{device}: {} ran, at {} it failed",
            ran.len(),
            failed.len()
        );
    }
}

/// Where there is no GPU it says so, and ends at once.
#[test]
fn without_a_gpu() {
    let results = folder("first-run/absent").join("results");
    let output = first_run("cuda", &results, &["--limit", "120", "--only", "machine,probe,weak"]);
    if output.status.code() == Some(0) || output.status.code() == Some(1) {
        return eprintln!("skipped: there is a GPU");
    }
    assert_eq!(output.status.code(), Some(4), "{}{}", out(&output), err(&output));
    assert!(
        err(&output).contains("nothing runs here") && err(&output).contains("CUDA driver"),
        "{}",
        err(&output)
    );
    let summary = std::fs::read_to_string(results.join("summary.md")).expect("a summary");
    assert!(
        summary.contains("there is no CUDA driver") || summary.contains("has no GPU"),
        "{summary}"
    );
}

#[test]
fn wrong_options_are_said() {
    let results = folder("first-run/wrong").join("results");
    for (more, said) in [
        (&["--limit", "soon"][..], "expected seconds"),
        (&["--only", "tunes"], "there is no piece tunes"),
        (&["--quik"], "unknown option --quik"),
        (&["--from"], "--from needs a value"),
    ] {
        let output = first_run("sim", &results, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(err(&output).contains(said), "{more:?}: {}", err(&output));
    }
}

/// What is carried to the machine: less than 60 MiB, and it runs where it is unpacked.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_bundle() {
    let folder = folder("first-run/bundle");
    let archive = folder.join("bundle.tar.gz");
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolkit");
    let there = toolkit.join("nvidia/cu13/bin/ptxas").exists();
    if !there {
        eprintln!("packed without the vendor's programs; .ci/toolkit fetches them");
    }
    let packed = Command::new(script("pack"))
        .args(["--no-compiled", "--binary", env!("CARGO_BIN_EXE_margay"), "--toolkit"])
        .arg(if there { toolkit.as_path() } else { Path::new("none") })
        .arg("--out")
        .arg(&archive)
        .output()
        .expect("bash is there");
    assert!(packed.status.success(), "{}", err(&packed));
    assert!(archive.metadata().expect("an archive").len() < 60 << 20, "{}", out(&packed));
    assert!(
        Command::new("tar")
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(&folder)
            .status()
            .expect("tar")
            .success()
    );
    let results = folder.join("results");
    let run = Command::new(folder.join("margay-first-run/first-run"))
        .args(["--quick", "--device", "sim", "--only", "machine,probe,weak", "--out"])
        .arg(&results)
        .current_dir("/")
        .output()
        .expect("it starts");
    assert_eq!(run.status.code(), Some(1), "{}{}", out(&run), err(&run));
    assert_eq!(
        lines(&unpacked(&results).join("weak.jsonl"))[0]["file"],
        "corpus/shapes-ptx/MP+rlx+gpu.gpu.litmus"
    );
}

/// What nvcc makes of the findings has the accesses of the counterexamples, in machine code, and is
/// put into kernels: where the compiler is.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn what_a_compiler_made_of_the_findings() {
    let cuda = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolkit/nvidia/cu13");
    let (Some(toolkit), true) = (Toolkit::at(&cuda), cuda.join("bin/nvcc").exists()) else {
        return eprintln!("skipped: no CUDA compiler; `.ci/toolkit` fetches one");
    };
    let folder = folder("first-run/compiled");
    let made = Command::new(script("compile"))
        .args([env!("CARGO_BIN_EXE_margay")])
        .arg(&cuda)
        .arg(&folder)
        .output();
    let made = made.expect("bash is there");
    assert!(made.status.success(), "{}", err(&made));
    let target = GpuTarget(90);
    let mut compared = Vec::new();
    for program in std::fs::read_dir(&folder).expect("a folder").flatten() {
        let load = |name: &str| {
            margay_litmus::read::load(&program.path().join(name)).expect("a test").test
        };
        let source = load("source.litmus");
        let text = std::fs::read_to_string(program.path().join("program.ptx")).expect("PTX");
        let mut compiled =
            CompiledProgram::read(&text, &source).unwrap_or_else(|e| panic!("{program:?}: {e}"));
        compiled.accesses = Some(load("target.litmus"));
        let subject = BuildSubject { test: &source, compiled: Some(&compiled) };
        let (_, artifact) =
            assemble(subject, target, &Environment::default(), ("ptxas", &by(&toolkit, target)))
                .unwrap_or_else(|e| panic!("{program:?}: {e}"));
        compared.push(artifact.compared);
    }
    assert!(
        !compared.is_empty() && compared.iter().all(|c| c.is_some_and(|n| n > 4)),
        "{compared:?}"
    );
}

/// The script names mappings that are there, each with a counterexample to look for.
#[test]
fn the_mappings_of_the_script_are_shipped() {
    let text = std::fs::read_to_string(script("first-run")).expect("the script");
    let lists: Vec<&str> =
        text.split("mappings=(").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let named: Vec<&str> = lists.iter().flat_map(|list| list.split_whitespace()).collect();
    assert!(lists.len() == 2 && named.len() > 8, "{named:?}");
    for name in named {
        let output = margay(&["check", name, "--bound", "4"]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}{}", out(&output), err(&output));
    }
}
