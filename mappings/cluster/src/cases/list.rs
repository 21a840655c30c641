//! `margay case list` and `margay case export`: what is to be solved at a bound.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{self, OutputFolder};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::{number, table};
use margay_mappings::check::{
    CaseCost, CaseEngine, CaseFile, CaseWork, CheckOptions, CheckVerdict as Searched, Progress,
    check,
};
use margay_mappings::language::Mapping;
use margay_reports::{Verdict, case};

/// Takes the cases of one bound and ends the check; those of smaller bounds are solved here.
#[derive(Debug)]
struct Collect {
    bound: usize,
    cases: Mutex<Vec<CaseFile>>,
    stop: Arc<AtomicBool>,
}

impl CaseEngine for Collect {
    fn solve(&self, work: &CaseWork<'_>, _progress: &dyn Progress) {
        if work.cases.iter().any(|case| case.bound == self.bound) {
            self.cases
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(work.cases.iter().cloned());
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The cost that is predicted for a case, as the table shows it.
fn shown(cost: Option<CaseCost>) -> [String; 2] {
    cost.map_or(["?".to_owned(), "?".to_owned()], |c| {
        [number(c.conflicts.round() as u64), format!("{:.2}", c.seconds)]
    })
}

/// Lists the cases of the bound of `asked` that are open; with a folder they are written into it.
pub fn run(
    mapping: &Mapping,
    mut asked: CheckOptions,
    into: Option<&Path>,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    if let Some(Err(error)) = into.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    if let Some(Err(error)) =
        asked.certify.as_deref().map(|folder| margay_mappings::certificate::folder(folder, true))
    {
        return output.wrong(&[error]);
    }
    let collect = Arc::new(Collect {
        bound: asked.bound,
        cases: Mutex::default(),
        stop: limits.stop.clone(),
    });
    asked.engine = Some(collect.clone());
    let bar = Bar::new(*output);
    let result = check(mapping, &asked, &bar);
    bar.finish();
    let report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let cases = std::mem::take(&mut *collect.cases.lock().unwrap_or_else(PoisonError::into_inner));
    let reason = limits.reason().map_or("a limit was reached", |reason| reason.words());
    let (exit, verdict) = match report.verdict {
        _ if !cases.is_empty() => (Exit::Holds, Verdict::Open),
        Searched::Counterexample => (Exit::Found, Verdict::Counterexample),
        Searched::None => (Exit::Holds, Verdict::None),
        Searched::Undecided(_) => (Exit::Undecided, Verdict::Undecided),
    };
    let files: Vec<String> = into.map_or(Vec::new(), |folder| {
        cases.iter().map(|case| folder.join(case.file()).display().to_string()).collect()
    });
    output.settle(exit);
    let sum =
        cases.iter().filter_map(|case| case.predicted).fold(CaseCost::default(), CaseCost::plus);
    if output.format == Format::Json {
        let one = |(i, case): (usize, &CaseFile)| case::Predicted {
            case: case.name.clone(),
            predicted_conflicts: case.predicted.map(|c| c.conflicts),
            predicted_seconds: case.predicted.map(|c| c.seconds),
            file: files.get(i).cloned(),
        };
        let list = case::CaseListDocument {
            verdict,
            reason: (exit == Exit::Undecided).then(|| reason.to_owned()),
            bound: asked.bound,
            established: report.established,
            cases: cases.iter().enumerate().map(one).collect(),
        };
        match into {
            Some(_) => output.document(&case::CaseExportDocument(list))?,
            None => output.document(&list)?,
        }
        return write(&cases, into, exit, output);
    }
    output.print(&match verdict {
        Verdict::Open => format!("{} cases of {} events are open", cases.len(), asked.bound),
        Verdict::Counterexample => {
            format!(
                "{}: nothing is open beyond it; `margay check` shows it",
                output.bad("counterexample")
            )
        }
        Verdict::None => format!(
            "every case up to {} events is answered: {}",
            asked.bound,
            output.good("no counterexample")
        ),
        _ => format!(
            "{}: {reason}, before the cases of {} events were known",
            output.unsure("undecided"),
            asked.bound
        ),
    })?;
    if !cases.is_empty() {
        let [conflicts, seconds] = shown(Some(sum));
        let whole = ["all together".to_owned(), conflicts, seconds];
        let each =
            cases.iter().map(|case| [&[case.name.clone()][..], &shown(case.predicted)].concat());
        let rows: Vec<Vec<String>> = each.chain([whole.to_vec()]).collect();
        output.print("")?;
        output.print(&table(
            &["case", "predicted conflicts", "predicted s"],
            &rows,
            &[1, 2],
            output.width(),
        ))?;
    }
    write(&cases, into, exit, output)
}

/// Writes the case files, if there is a folder for them. They are what was asked for: without them
/// the command has failed.
fn write(cases: &[CaseFile], into: Option<&Path>, exit: Exit, output: &Output) -> CommandOutcome {
    let Some(path) = into else { return Ok(exit) };
    let is_like = |name: &str| name.ends_with(".case.json");
    let all = |folder: &mut OutputFolder| {
        cases.iter().try_for_each(|case| folder.write(&case.file(), case.text()?))
    };
    if !folder::fill(into, &is_like, *output, all) {
        return Ok(Exit::Wrong);
    }
    if output.format != Format::Json {
        output.print(&format!("\n{} case files written into {}", cases.len(), path.display()))?;
    }
    Ok(exit)
}
