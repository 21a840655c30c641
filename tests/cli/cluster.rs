//! `--cluster slurm` on a real cluster of one node, this machine (tests/slurm/one-node): jobs that
//! are killed, a node that is drained, a controller that is away. Skipped, with the reason, where
//! Slurm is not installed or cannot be started.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{err, folder, json, margay, out};

/// One cluster at a time.
static ONE: Mutex<()> = Mutex::new(());

struct Cluster {
    folder: PathBuf,
    _one: MutexGuard<'static, ()>,
}

fn script(arguments: &[&str]) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slurm/one-node");
    // Daemons would keep a pipe open.
    let log = std::env::temp_dir().join(format!("margay-one-node-{}.log", std::process::id()));
    let file = std::fs::File::create(&log).expect("a log");
    let status = Command::new(script)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(file)
        .status()
        .expect("it starts");
    let stderr = std::fs::read(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Output { status, stdout: Vec::new(), stderr }
}

impl Cluster {
    /// A cluster in a folder of its own; `None`, with the reason printed, where there cannot be
    /// one.
    fn start(name: &str) -> Option<Self> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = folder(name);
        let started = script(&["start", folder.join("slurm").to_str().expect("text")]);
        if !started.status.success() {
            eprintln!(
                "skipped: no Slurm cluster here: {}",
                String::from_utf8_lossy(&started.stderr).trim()
            );
            return None;
        }
        Some(Self { folder, _one: one })
    }

    fn slurm(&self) -> String {
        self.folder.join("slurm").to_str().expect("text").to_owned()
    }

    /// A command that talks to this cluster.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("COLUMNS", "100");
        command.env("SLURM_CONF", self.folder.join("slurm/slurm.conf"));
        command
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        out(&self.command(program, arguments).output().expect("Slurm's command starts"))
    }

    fn check(&self, more: &[&str]) -> Child {
        let kept = self.folder.join("kept");
        let cluster = [
            "--format",
            "json",
            "--cluster",
            "slurm",
            "--cluster-from",
            "5",
            "--checkpoint",
            kept.to_str().expect("text"),
        ];
        let arguments = [&["check"], &QUESTION[..], &cluster, more].concat();
        let mut command = self.command(env!("CARGO_BIN_EXE_margay"), &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    /// Waits until there are tasks that run, as `ID_TASK`.
    fn running(&self, child: &mut Child) -> Vec<String> {
        let start = Instant::now();
        loop {
            let running = self.ask("squeue", &["-h", "-r", "-t", "RUNNING", "-o", "%i"]);
            let running: Vec<String> = running.lines().map(str::to_owned).collect();
            let over = child.try_wait().expect("a child").is_some();
            if !running.is_empty() || over {
                return running;
            }
            assert!(start.elapsed() < Duration::from_secs(600), "no task ever runs");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        script(&["stop", &self.slurm()]);
    }
}

const QUESTION: [&str; 5] = ["rc11-to-ptx", "--bound", "6", "--without", "R.SC,W.SC,RMW.SC"];

/// The report without what differs from run to run: times, and the warnings of what went wrong on
/// the way.
fn timeless(output: &Output) -> Value {
    let mut report = json(output);
    for axiom in report["axioms"].as_array_mut().expect("axioms") {
        axiom.as_object_mut().expect("an axiom").remove("seconds");
        for row in axiom["rows"].as_array_mut().expect("rows") {
            row.as_object_mut().expect("a row").remove("seconds");
        }
    }
    let fields = report.as_object_mut().expect("a report");
    fields.retain(|name, _| !["seconds", "peak_memory_bytes", "warnings"].contains(&name.as_str()));
    report
}

/// What the program answers without a cluster.
fn expected(more: &[&str]) -> Value {
    timeless(&margay(&[&["check", "--format", "json"], &QUESTION[..], more].concat()))
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_answer_is_the_same_whatever_happens_to_jobs_node_and_controller() {
    let Some(cluster) = Cluster::start("cluster/mishaps") else { return };
    let expected = expected(&[]);
    let mut child = cluster.check(&[]);
    // Two tasks are killed while they run, if they have not ended before that.
    let running = cluster.running(&mut child);
    assert!(!running.is_empty(), "the check ended before any task ran");
    let _ = cluster.ask("scancel", &running.iter().take(2).map(String::as_str).collect::<Vec<_>>());
    // The node takes nothing new for a while.
    let node = cluster.ask("sinfo", &["-h", "-o", "%n"]).trim().to_owned();
    let update = |state: &str| {
        cluster.ask(
            "scontrol",
            &["update", &format!("NodeName={node}"), &format!("State={state}"), "Reason=test"],
        );
    };
    update("DRAIN");
    // Those that wait for it cannot end: two of them are killed, too.
    let waiting = cluster.ask("squeue", &["-h", "-r", "-t", "PENDING", "-o", "%i"]);
    let waiting: Vec<&str> = waiting.lines().take(2).collect();
    assert!(!waiting.is_empty(), "every task ran before the node took nothing new");
    let _ = cluster.ask("scancel", &waiting);
    std::thread::sleep(Duration::from_secs(3));
    update("RESUME");
    // The controller is away for a while.
    cluster.running(&mut child);
    script(&["controller-stop", &cluster.slurm()]);
    std::thread::sleep(Duration::from_secs(5));
    assert!(script(&["controller-start", &cluster.slurm()]).status.success());
    let output = child.wait_with_output().expect("a child");
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert_eq!(timeless(&output), expected);
    assert!(err(&output).contains("submitted again"), "a killed task is lost: {}", err(&output));
    assert_eq!(cluster.ask("squeue", &["-h"]), "", "nothing is left behind");
}

#[cfg(unix)]
#[test]
#[ignore = "takes long; --ignored runs it"]
fn an_interrupt_cancels_the_jobs_and_loses_nothing() {
    let Some(cluster) = Cluster::start("cluster/interrupted") else { return };
    let proofs = cluster.folder.join("proofs");
    let certify = ["--certify", proofs.to_str().expect("a path of text")];
    let mut child = cluster.check(&certify);
    cluster.running(&mut child);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill starts").success());
    let output = child.wait_with_output().expect("a child");
    assert_eq!(output.status.code(), Some(3), "{}{}", out(&output), err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "undecided");
    assert!(
        report["reason"].as_str().is_some_and(|r| r.starts_with("interrupted")),
        "{}",
        report["reason"]
    );
    let start = Instant::now();
    while !cluster.ask("squeue", &["-h"]).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(600), "jobs are left behind");
        std::thread::sleep(Duration::from_millis(200));
    }
    // The same command goes on, and certifies all of it.
    let output = cluster.check(&certify).wait_with_output().expect("a child");
    let mut report = timeless(&output);
    let certificate = report["certificate"].take();
    // With proofs another solver answers, which has other conflicts.
    let here = cluster.folder.join("here");
    let mut expected = expected(&["--certify", here.to_str().expect("a path of text")]);
    expected["certificate"].take();
    assert_eq!(report, expected, "{}", err(&output));
    assert_eq!(err(&output), "", "proofs of before are taken");
    // A job that was killed while it wrote leaves an unfinished file behind, which is no proof and
    // which nothing reads.
    let is_proof = |e: &std::fs::DirEntry| e.path().extension().is_some_and(|e| e == "proof");
    let cases = std::fs::read_dir(&proofs).expect("a folder").flatten().filter(is_proof).count();
    assert_eq!(certificate["extent"]["cases"], cases);
    let verified = margay(&["verify", certify[1]]);
    assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
}

#[test]
fn a_cluster_that_does_not_answer_is_told_of() {
    let Some(cluster) = Cluster::start("cluster/silent") else { return };
    script(&["controller-stop", &cluster.slurm()]);
    let output = cluster.check(&["--cluster-patience", "1s"]).wait_with_output().expect("a child");
    assert_eq!(output.status.code(), Some(3), "{}{}", out(&output), err(&output));
    let report = json(&output);
    let reason = report["reason"].as_str().expect("a reason");
    assert!(reason.contains("the cluster does not answer"), "{reason}");
    assert_eq!(report["established"], 4, "smaller bounds are solved here");
    // A script that cannot be obeyed: the engine refuses, and it is told at once.
    assert!(script(&["controller-start", &cluster.slurm()]).status.success());
    let output = cluster
        .check(&["--cluster-args", "--partition=nowhere"])
        .wait_with_output()
        .expect("a child");
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    let refused = json(&output)["reason"]
        .as_str()
        .is_some_and(|r| r.contains("the cluster refuses") && r.contains("partition"));
    assert!(refused, "{}", out(&output));
}

#[test]
fn a_cluster_needs_a_shared_folder_and_its_commands() {
    let without = margay(&["check", "rc11-to-ptx", "--cluster", "slurm"]);
    assert_eq!(without.status.code(), Some(2));
    assert!(err(&without).contains("--checkpoint"), "{}", err(&without));
    let dir = folder("cluster/nowhere");
    let path = Path::new(&dir).to_str().expect("text");
    let output = Command::new(env!("CARGO_BIN_EXE_margay"))
        .args(["check", "rc11-to-ptx", "--bound", "2", "--cluster", "slurm", "--checkpoint", path])
        .env("PATH", path)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("cannot start `sbatch`"), "{}", err(&output));
}
