//! `margay app test`: is an application ever wrong, in order and with weak memory (PLDI 2016, section 4)?

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay_console::exit::{Exit, Outcome};
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::{counted, number, table};
use margay_machine::MemoryKind;
use margay_models::diagnostic::Diagnostic;
use margay_reports::Verdict;
use margay_reports::app::{Environment, Tested};

use crate::application::Application;
use crate::campaign::RunCounts;

/// A share of runs from which on an environment is effective (PLDI 2016, section 4.3).
const EFFECTIVE: f64 = 0.05;

/// Runs between two looks at the clock.
pub(crate) const BATCH: u64 = 64;

/// How an application is found and run.
#[derive(Debug, Clone)]
pub struct ApplicationRuns {
    /// Runs in each environment.
    pub runs: u64,
    /// The seed of the first; those behind it follow.
    pub seed: u64,
    /// The time given.
    pub timeout: Option<Duration>,
    /// The folder of CUDA.
    pub toolkit: Option<PathBuf>,
    /// The target that CUDA is compiled for.
    pub target: String,
}

/// The environments of this machine, in the order in which they are run.
const MEMORIES: [(MemoryKind, &str); 2] = [(MemoryKind::SequentiallyConsistent, "in order"), (MemoryKind::Weak, "weak")];

/// Runs an application, and prints what its runs showed.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &ApplicationRuns, output: &Output) -> Outcome {
    let start = Instant::now();
    let application = match Application::read(file, options.toolkit.as_deref(), &options.target) {
        Ok(application) => application,
        Err(error) => return output.wrong(&[error]),
    };
    let limits = Limits::start(options.timeout, None);
    let steps = StepBar::new(output.format == Format::Human, (options.runs * 2) as usize, "runs");
    let mut counts: Vec<(&str, RunCounts)> = Vec::new();
    for (memory, name) in MEMORIES {
        let mut all = RunCounts::default();
        let mut next = 0;
        while next < options.runs && !limits.is_reached() {
            let end = (next + BATCH).min(options.runs);
            let seeds = options.seed + next..options.seed + end;
            let counted = application.count(&application.ptx.text, memory, seeds, false, &|| limits.is_reached());
            match counted {
                Ok(counted) => all.add(counted),
                Err(why) => {
                    steps.finish();
                    return output.wrong(&[not_run(&application, &why)]);
                }
            }
            next = end;
            steps.at(name, (counts.len() as u64 * options.runs + next) as usize, (options.runs * 2) as usize);
        }
        counts.push((name, all));
    }
    steps.finish();
    let bounded = counts.iter().any(|(_, c)| c.runs < options.runs);
    let is_wrong = counts.iter().any(|(_, c)| c.not_right() > 0);
    let (verdict, exit) = match (is_wrong, bounded) {
        (true, _) => (Verdict::Counterexample, Exit::Found),
        (false, true) => (Verdict::Undecided, Exit::Undecided),
        (false, false) => (Verdict::None, Exit::Holds),
    };
    let exit = output.settle(exit);
    let answer = headline(&application, &counts, options.runs);
    let environments: Vec<Environment> = counts.iter().map(|(name, counts)| environment(name, counts)).collect();
    match output.format {
        Format::Json => output.document(&Tested {
            file: application.file.name.clone(),
            answer,
            verdict,
            post: conditions(&application),
            environments,
            seed: options.seed,
            bounded,
            seconds: start.elapsed().as_secs_f64(),
        })?,
        Format::Human => human(&application, &answer, &environments, output)?,
    }
    Ok(exit)
}

/// Why an application cannot be run here.
pub(crate) fn not_run(application: &Application, why: &str) -> Diagnostic {
    let error = Diagnostic::error(format!("{} cannot be run on the machine of the CPU: {why}", application.ptx.name));
    error.help("docs/applications.md says what this machine has")
}

/// What must hold at the end, in words.
pub(crate) fn conditions(application: &Application) -> Vec<String> {
    let checks = application.checks.iter().map(|check| format!("`{}` runs to its end", check.kernel));
    application.post.iter().map(|condition| format!("`{condition}`")).chain(checks).collect()
}

fn environment(name: &str, counts: &RunCounts) -> Environment {
    let share = counts.not_right() as f64 / counts.runs.max(1) as f64;
    Environment {
        memory: name.to_owned(),
        runs: counts.runs,
        errors: counts.errors,
        time_outs: counts.time_outs,
        at_least: counts.at_least(),
        effective: share >= EFFECTIVE,
        first_seed: counts.first.as_ref().map(|(seed, _)| *seed),
        first: counts.first.as_ref().map(|(_, what)| what.clone()),
        instructions: counts.instructions,
    }
}

/// The answer in a sentence.
fn headline(application: &Application, counts: &[(&str, RunCounts)], asked: u64) -> String {
    let name = application.name();
    let of = |n: usize| counts.get(n).map(|(_, counts)| counts.clone()).unwrap_or_default();
    let (in_order, weak) = (of(0), of(1));
    let part = |counts: &RunCounts| match counts.runs < asked {
        true => format!("{} of {} runs", number(counts.runs), number(asked)),
        false => counted(counts.runs, "run", "runs"),
    };
    let wrong = |counts: &RunCounts| {
        let errors = (counts.errors > 0).then(|| format!("{} wrong", number(counts.errors)));
        let time_outs = (counts.time_outs > 0).then(|| format!("{} not at an end", number(counts.time_outs)));
        errors.into_iter().chain(time_outs).collect::<Vec<_>>().join(" and ")
    };
    match (in_order.not_right(), weak.not_right()) {
        (0, 0) if in_order.runs.min(weak.runs) < asked => format!(
            "undecided: {name}, stopped; none was wrong of {} in order and {} with weak memory on the machine of the CPU",
            part(&in_order),
            part(&weak)
        ),
        (0, 0) => format!(
            "no run was wrong, which is no proof: {name}, {} in order, {} with weak memory on the machine of the CPU",
            part(&in_order),
            part(&weak)
        ),
        (0, _) => format!(
            "wrong with weak memory only: {name}, {} in {} on the machine of the CPU, none in {} in order",
            wrong(&weak),
            part(&weak),
            part(&in_order)
        ),
        _ => format!(
            "wrong without weak memory: {name}, {} in {} in order, so that the program or its post-condition is wrong",
            wrong(&in_order),
            part(&in_order)
        ),
    }
}

fn human(application: &Application, answer: &str, environments: &[Environment], output: &Output) -> std::io::Result<()> {
    output.headline(answer)?;
    output.prose(&format!("What must hold at the end: {}.", conditions(application).join(", ")))?;
    output.print("")?;
    let header = ["memory", "runs", "wrong", "no end", "at least", "effective"];
    let rows: Vec<Vec<String>> = environments
        .iter()
        .map(|e| {
            let share = format!("{:.1} %", 100.0 * e.at_least);
            let effective = if e.effective { "yes" } else { "no" };
            vec![e.memory.clone(), number(e.runs), number(e.errors), number(e.time_outs), share, effective.to_owned()]
        })
        .collect();
    output.print(&table(&header, &rows, &[1, 2, 3, 4], output.width()))?;
    for environment in environments {
        if let (Some(seed), Some(first)) = (environment.first_seed, &environment.first) {
            output.prose(&format!("{}, seed {seed}: {first}.", environment.memory))?;
        }
    }
    output.prose(
        "`at least` is the lower end of the 95 % interval of the share of runs that are not right; 5 % and more are effective.",
    )
}
