//! Fig. 17 of the 2019 paper beside Margay: whole-process times of `margay check` at growing
//! bounds, and what each technique of the encoding is worth. `cargo bench` prints a markdown table;
//! `MARGAY_BENCH_BOUND=8 cargo bench` goes further (default 6).

use std::process::Command;
use std::time::Instant;

use margay_mappings::check::{CheckOptions, Silent, Techniques, check};

/// The constructs that the paper's Alloy files leave out.
const PAPER: &str = "R.SC,W.SC,RMW.SC";

/// Runs the program and measures it: seconds of wall time, peak memory in MiB.
fn process(arguments: &[&str]) -> (f64, Option<u64>, serde_json::Value) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_margay"))
        .args(arguments)
        .args(["--format", "json"])
        .output();
    let seconds = start.elapsed().as_secs_f64();
    let json = output.ok().and_then(|o| serde_json::from_slice(&o.stdout).ok()).unwrap_or_default();
    let json: serde_json::Value = json;
    let memory = json["peak_memory_bytes"].as_u64().map(|b| b >> 20);
    (seconds, memory, json)
}

/// The median of three whole-process runs.
fn median(arguments: &[&str]) -> (f64, Option<u64>, serde_json::Value) {
    let runs = if arguments.contains(&"8") { 1 } else { 3 };
    let mut all: Vec<_> = (0..runs).map(|_| process(arguments)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = all.len() / 2;
    all.swap_remove(middle)
}

fn main() {
    let bound: usize =
        std::env::var("MARGAY_BENCH_BOUND").ok().and_then(|b| b.parse().ok()).unwrap_or(6);
    println!("## Whole process, all three axioms together (mapping rc11-to-ptx)\n");
    println!(
        "| events | paper's constructs (s) | verdict | MiB | full table (s) | verdict | MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for n in 4..=bound {
        let n = n.to_string();
        let (paper, paper_memory, json) =
            median(&["check", "rc11-to-ptx", "--bound", &n, "--without", PAPER]);
        let (full, full_memory, full_json) =
            median(&["check", "rc11-to-ptx", "--bound", &n, "--keep-going"]);
        let show = |m: Option<u64>| m.map_or("-".to_owned(), |m| m.to_string());
        println!(
            "| {n} | {paper:.2} | {} | {} | {full:.2} | {} | {} |",
            json["verdict"].as_str().unwrap_or("?"),
            show(paper_memory),
            full_json["verdict"].as_str().unwrap_or("?"),
            show(full_memory)
        );
    }
    println!("\n## Each axiom for itself, beside Fig. 17a (Alloy)\n");
    println!("| axiom | events | Alloy (Fig. 17a) | Margay, whole process (s) | ratio |");
    println!("| --- | --- | --- | --- | --- |");
    let published = [
        ("Coherence", 4, "41 s", 41.0),
        ("Coherence", 5, "6.4 h", 6.4 * 3600.0),
        ("Atomicity", 4, "4 s", 4.0),
        ("Atomicity", 5, "5 s", 5.0),
        ("SC", 4, "10 s", 10.0),
        ("SC", 5, "15 min", 900.0),
    ];
    for (axiom, n, alloy, seconds) in published {
        let events = n.to_string();
        let (own, ..) = median(&[
            "check",
            "rc11-to-ptx",
            "--bound",
            &events,
            "--axiom",
            axiom,
            "--without",
            PAPER,
        ]);
        println!("| {axiom} | {n} | {alloy} | {own:.3} | {:.0} |", seconds / own);
    }
    println!("\n## A broken mapping\n");
    println!("| mapping | events | whole process (s) |");
    println!("| --- | --- | --- |");
    let (seconds, _, json) = median(&["check", "rc11-to-ptx-no-release-rmw", "--bound", "5"]);
    println!(
        "| rc11-to-ptx-no-release-rmw | {} | {seconds:.3} |",
        json["counterexamples"][0]["events"]
    );
    ablation(bound.min(5));
    solvers(bound.min(4));
}

/// The same questions by each solver of the build.
fn solvers(bound: usize) {
    println!(
        "\n## Solvers (all axioms up to {bound} events, the paper's constructs, whole process)\n"
    );
    println!("| solver | seconds |");
    println!("| --- | --- |");
    for backend in margay_mappings::Backend::available() {
        let (name, events) = (backend.to_string(), bound.to_string());
        let (seconds, ..) = median(&[
            "check",
            "rc11-to-ptx",
            "--bound",
            &events,
            "--without",
            PAPER,
            "--solver",
            &name,
        ]);
        println!("| {name} | {seconds:.2} |");
    }
}

/// Each technique switched off, one at a time, in one process: conflicts and CPU seconds.
fn ablation(bound: usize) {
    let mapping = match margay_mappings::library::find("rc11-to-ptx", &Default::default()) {
        Ok(loaded) => loaded.mapping,
        Err(errors) => {
            println!("{errors:?}");
            return;
        }
    };
    println!(
        "\n## What each technique is worth (all axioms up to {bound} events, the paper's constructs, one thread)\n"
    );
    println!("| technique switched off | clauses | conflicts | seconds | times as long |");
    println!("| --- | --- | --- | --- | --- |");
    let mut baseline = None;
    let rows = std::iter::once(("none", None)).chain(
        Techniques::SWITCHES.iter().filter(|s| s.name != "guards").map(|s| (s.title, Some(s.off))),
    );
    for (name, off) in rows {
        let mut options = CheckOptions::published(bound);
        options.jobs = 1;
        options.without = PAPER.split(',').map(str::to_owned).collect();
        if let Some(off) = off {
            off(&mut options.techniques);
        }
        let start = Instant::now();
        let Ok(report) = check(&mapping, &options, &Silent) else { continue };
        let seconds = start.elapsed().as_secs_f64();
        let rows = || report.axioms.iter().flat_map(|a| &a.rows);
        let baseline = *baseline.get_or_insert(seconds);
        println!(
            "| {name} | {} | {} | {seconds:.2} | {:.2} |",
            rows().map(|r| r.clauses).sum::<usize>(),
            rows().map(|r| r.conflicts).sum::<u64>(),
            seconds / baseline
        );
    }
}
