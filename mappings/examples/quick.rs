//! Checks a mapping and prints what came out: the library without the command line.
//!
//! ```text
//! cargo run --release -p margay-mappings --example quick -- MAPPING BOUND [only=..] [without=..] [axiom=..] [solver=..]
//!     [execution] [exists] [untyped] [all] [jobs=..] [off=..]
//! ```
//!
//! MAPPING is a path or the name of a shipped mapping. Lists are separated by commas. `off=`
//! switches a technique of docs/encoding.md off (names in `Techniques::SWITCHES`), to see what it
//! is worth.

use std::process::ExitCode;
use std::time::Instant;

use margay_mappings::check::{
    CheckOptions, CheckReport, CoReading, Level, Silent, Techniques, check,
};
use margay_mappings::library;
use margay_models::Execution;
use margay_models::diagnostic::Diagnostic;

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("{error}");
                if let Some(help) = &error.help {
                    eprintln!("  help: {help}");
                }
            }
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Vec<Diagnostic>> {
    let wrong =
        |message: String| vec![Diagnostic::error(message).help("quick MAPPING BOUND [option ...]")];
    let [mapping, bound, rest @ ..] = arguments else {
        return Err(wrong("a mapping and a bound are needed".to_owned()));
    };
    let bound = bound.parse().map_err(|e| wrong(format!("`{bound}` is no bound: {e}")))?;
    let mut options = CheckOptions::new(bound);
    for word in rest {
        set(&mut options, word).map_err(wrong)?;
    }
    let loaded = library::find(mapping, &Default::default())?;
    let start = Instant::now();
    let report = check(&loaded.mapping, &options, &Silent)?;
    println!(
        "{:?}, none up to {} events, {:?}",
        report.verdict,
        report.established,
        start.elapsed()
    );
    print(&report);
    Ok(())
}

/// Sets one option.
fn set(options: &mut CheckOptions, word: &str) -> Result<(), String> {
    let list = |names: &str| names.split(',').map(str::to_owned).collect();
    match word.split_once('=').unwrap_or((word, "")) {
        ("only", names) => options.only = list(names),
        ("without", names) => options.without = list(names),
        ("axiom", names) => options.axioms = list(names),
        ("solver", name) => options.backend = name.parse()?,
        ("execution", _) => (options.level, options.co) = (Level::Execution, CoReading::Universal),
        ("exists", _) => options.co = CoReading::Exists,
        ("jobs", number) => {
            options.jobs = number.parse().map_err(|e| format!("jobs={number}: {e}"))?
        }
        ("untyped", _) => options.typed = false,
        ("all", _) => options.all = Some(1000),
        ("off", name) => {
            let switch = Techniques::SWITCHES
                .iter()
                .find(|s| s.name == name)
                .ok_or(format!("unknown technique `{name}`"))?;
            (switch.off)(&mut options.techniques);
        }
        _ => return Err(format!("unknown option `{word}`")),
    }
    Ok(())
}

fn print(report: &CheckReport) {
    for row in report.axioms.iter().flat_map(|a| &a.rows) {
        println!(
            "{:14} {} {:?}: {} shapes, {} variables, {} clauses, {} conflicts, {:.3} s",
            row.axiom,
            row.bound,
            row.verdict,
            row.shapes,
            row.variables,
            row.clauses,
            row.conflicts,
            row.seconds
        );
    }
    for counterexample in report.counterexamples.iter().take(3) {
        println!("\n{}, {} events", counterexample.axiom, counterexample.events);
        show("source", &counterexample.source);
        show("target", &counterexample.target);
        for words in counterexample.violation.iter().flat_map(|v| v.words(&|e| e.0.to_string())) {
            println!("  {words}");
        }
    }
    println!("{} counterexamples", report.counterexamples.len());
}

fn show(side: &str, execution: &Execution) {
    println!("{side}, threads at {:?}", execution.threads);
    for (i, e) in execution.events.iter().enumerate() {
        println!(
            "  {i}: {:?} {:?} {:?} {:?} {:?} {:?}",
            e.thread, e.kind, e.order, e.scope, e.location, e.value
        );
    }
    println!("  rf {:?} co {:?} sync_fence {:?}", execution.rf, execution.co, execution.sync_fence);
}
