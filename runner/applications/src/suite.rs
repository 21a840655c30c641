//! `margay app suite`: many applications, and in how many each environment shows something wrong
//! (PLDI 2016, Table 5).

use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::table::{counted, number, table};
use margay_reports::Verdict;
use margay_reports::app::{ApplicationSuite, EnvironmentSum, Tested, UntestedApplication};

use crate::test::{ApplicationRuns, IN_ORDER_NAME, examine, exit_of};

/// Runs applications one after the other, and prints what each environment showed of them.
///
/// # Errors
/// The output cannot be written.
pub fn run(files: &[PathBuf], options: &ApplicationRuns, output: &Output) -> CommandOutcome {
    let start = Instant::now();
    let limits = RunLimits::start(options.timeout, None);
    let mut applications: Vec<Tested> = Vec::new();
    let mut not_run = Vec::new();
    for file in files {
        if limits.is_reached() || margay_runner::device::abandoned() {
            let why = if limits.is_reached() {
                "there was no time left"
            } else {
                "the GPU had been given up"
            };
            not_run.push(UntestedApplication {
                file: file.display().to_string(),
                reason: why.to_owned(),
            });
            continue;
        }
        match examine(file, options, &limits, output) {
            Ok(tested) => applications.push(tested),
            Err(error) => {
                not_run.push(UntestedApplication {
                    file: file.display().to_string(),
                    reason: error.message.clone(),
                });
                output.warn(&[error]);
            }
        }
    }
    let environments = sums(&applications);
    let wrong = applications.iter().filter(|a| a.verdict == Verdict::Counterexample).count();
    let exit = output.settle(match (wrong, not_run.is_empty()) {
        (1.., _) => Exit::Found,
        (0, false) => Exit::Undecided,
        (0, true) => {
            applications.iter().map(exit_of).max_by_key(|e| *e as u8).unwrap_or(Exit::Undecided)
        }
    });
    let verdict = match exit {
        Exit::Holds => Verdict::None,
        Exit::Found => Verdict::Counterexample,
        _ => Verdict::Undecided,
    };
    let device = applications.iter().find_map(|a| a.device.clone());
    let answer =
        headline(files.len(), &applications, wrong, not_run.len(), options, device.as_deref());
    match output.format {
        Format::Json => output.document(&ApplicationSuite {
            answer,
            verdict,
            device,
            applications,
            environments,
            not_run,
            seconds: start.elapsed().as_secs_f64(),
        })?,
        Format::Human => {
            output.headline(&answer)?;
            output.print("")?;
            for application in &applications {
                output.prose(&application.answer)?;
            }
            output.print("")?;
            if !environments.is_empty() {
                let header = [
                    "environment",
                    "applications",
                    "effective",
                    "wrong",
                    "share of wrong runs, one application after the other",
                ];
                let rows: Vec<Vec<String>> =
                    environments.iter().map(|sum| row(sum, &applications)).collect();
                output.print(&table(&header, &rows, &[1, 2, 3], output.width()))?;
            }
            for application in &not_run {
                output
                    .prose(&format!("{} was not run: {}.", application.file, application.reason))?;
            }
            output.prose("An environment is effective for an application of which 5 % of the runs and more are wrong.")?;
        }
    }
    Ok(exit)
}

/// The answer in a sentence, with what was not run, or not to its end.
fn headline(
    files: usize,
    applications: &[Tested],
    wrong: usize,
    not_run: usize,
    options: &ApplicationRuns,
    device: Option<&str>,
) -> String {
    let in_order = |a: &&Tested| {
        a.environments.iter().any(|e| e.memory == IN_ORDER_NAME && e.errors + e.time_outs > 0)
    };
    let in_order = applications.iter().filter(in_order).count();
    let stopped = applications.iter().filter(|a| a.bounded).count();
    let parts =
        [(in_order, "in order, too"), (not_run, "not run"), (stopped, "not run to the end")];
    let parts: String = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!(", {} {what}", number(*n as u64)))
        .collect();
    let of = counted(files as u64, "application", "applications");
    let each = counted(options.runs, "run", "runs");
    let on = match (device, &options.gpu) {
        (Some(device), _) => device,
        (None, None) => "the machine of the CPU",
        (None, Some(_)) => "a GPU",
    };
    let what = match wrong {
        0 if parts.is_empty() => "no run was wrong, which is no proof".to_owned(),
        0 => "undecided: no run was wrong".to_owned(),
        wrong => format!("wrong runs in {}", number(wrong as u64)),
    };
    format!("{what}{parts}: {of}, {each} in each environment on {on}")
}

fn row(sum: &EnvironmentSum, applications: &[Tested]) -> Vec<String> {
    let share = |a: &Tested| {
        let found = a.environments.iter().find(|e| e.memory == sum.environment);
        found.map_or("-".to_owned(), |e| {
            let share = 100.0 * (e.errors + e.time_outs) as f64 / e.runs.max(1) as f64;
            if share == 0.0 { "0".to_owned() } else { format!("{share:.1}%") }
        })
    };
    let shares: Vec<String> = applications.iter().map(share).collect();
    vec![
        sum.environment.clone(),
        number(sum.applications as u64),
        number(sum.effective as u64),
        number(sum.wrong as u64),
        shares.join(" "),
    ]
}

/// The cells of Table 5, in the order in which environments were run first.
fn sums(applications: &[Tested]) -> Vec<EnvironmentSum> {
    let mut sums: Vec<EnvironmentSum> = Vec::new();
    for environment in applications.iter().flat_map(|a| &a.environments) {
        let at =
            sums.iter().position(|s| s.environment == environment.memory).unwrap_or_else(|| {
                sums.push(EnvironmentSum {
                    environment: environment.memory.clone(),
                    applications: 0,
                    effective: 0,
                    wrong: 0,
                });
                sums.len() - 1
            });
        sums[at].applications += 1;
        sums[at].effective += usize::from(environment.effective);
        sums[at].wrong += usize::from(environment.errors + environment.time_outs > 0);
    }
    sums
}
