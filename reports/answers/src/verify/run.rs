//! The certificate of litmus tests.

use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::number;
use margay_console::wrapped::wrapped;
use margay_litmus::certificate::{self, Bases, TestClaim, TestDocument, TestSubject};
use margay_litmus::read;
use margay_models::certificate::{Basis, Extent, Sealed};
use margay_models::library::BUILT_IN_FOLDER;
use margay_reports::verify as report;

use super::{VerificationOptions, undecided};
use crate::certificate::bases::{self as texts_of, named};
use crate::certificate::{author, extent, proofs};
use crate::run::rows;

/// Verifies it, and says what it says.
pub fn run(
    sealed: &Sealed,
    options: &VerificationOptions,
    (jobs, limits): (usize, &RunLimits),
    output: &Output,
) -> CommandOutcome {
    let start = Instant::now();
    let read = sealed.parse().map_err(|error| vec![error]);
    let read = read.and_then(|document: TestDocument| Ok((options.about.run(output)?, document)));
    let (held, document) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let (folder, shown) = (options.certificate.clone(), output.format == Format::Human);
    let followed = limits.within(move || {
        let bar = StepBar::new(shown, document.claims.len(), "answers");
        let TestSubject::Run { tests, .. } = &document.subject;
        let result = certificate::verify(
            &document,
            &folder,
            &held,
            (jobs, |claim: &TestClaim| bar.step(&tests[claim.test].name)),
        );
        bar.finish();
        (result, document)
    });
    let ((found, bases), document) = match followed {
        Some((Ok(found), document)) => (found, document),
        Some((Err(errors), _)) => return output.wrong(&errors),
        None => return undecided(&options.certificate, limits, output),
    };
    let exit = output.settle(Exit::Holds);
    let seconds = start.elapsed().as_secs_f64();
    match output.format {
        Format::Human => print(&document, (&found, &bases), (seconds, jobs), output)?,
        Format::Json => output.document(&whole(&document, (&found, &bases), seconds))?,
    }
    Ok(exit)
}

fn print(
    document: &TestDocument,
    (found, bases): (&Extent, &Bases),
    (seconds, jobs): (f64, usize),
    output: &Output,
) -> std::io::Result<()> {
    let TestSubject::Run { tests, models, given } = &document.subject;
    let rows = document.claims.iter().filter_map(|claim| {
        // It was read when it was verified.
        let read = read::test(&tests[claim.test].file()).ok()?;
        Some(rows::cells(&read.test, short(&named(&bases.models[claim.model][0])), claim.verdict()))
    });
    let rows: Vec<Vec<String>> = rows.collect();
    output.print(&wrapped(
        &format!("{}: {}", output.good("verified"), said(document)),
        output.width(),
    ))?;
    if !rows.is_empty() {
        output.print("")?;
        rows::print(&rows::COLUMNS, &rows, output)?;
    }
    output.print("")?;
    let asked = format!("Each loop is gone round at most {} times.", given.unroll);
    let open = tests.len() * models.len() - document.claims.len();
    let open = if open > 0 {
        format!(" {} of the questions have no answer here.", number(open as u64))
    } else {
        String::new()
    };
    output.print(&wrapped(&format!("{asked}{open}"), output.width()))?;
    output.print("")?;
    // There are few models; those come first.
    let texts: Vec<&Basis> = bases.models.iter().flatten().chain(&bases.tests).collect();
    texts_of::print(&texts, output)?;
    output.print("")?;
    output.print(&wrapped(&proofs(found), output.width()))?;
    output.print(&format!("{seconds:.2} s on {jobs} threads, without a solver"))?;
    output.print("")?;
    let meaning = format!(
        "Each test was translated again from these texts and compared with its proof, clause by clause, where something is forbidden or \
         race-free; each step of each proof was checked. Where something is allowed or racy, an execution was judged. {}",
        author(&document.margay, &document.solver)
    );
    output.print(&wrapped(&meaning, output.width()))
}

/// The name of a built-in model; other names as they are.
fn short(name: &str) -> &str {
    name.strip_prefix(BUILT_IN_FOLDER).and_then(|name| name.strip_suffix(".cat")).unwrap_or(name)
}

/// What is verified, in words.
fn said(document: &TestDocument) -> String {
    let count =
        |keep: &dyn Fn(&TestClaim) -> bool| document.claims.iter().filter(|c| keep(c)).count();
    let kinds = [
        (count(&|c| c.reachable), "allowed"),
        (count(&|c| !c.reachable && !c.bounded), "forbidden"),
        (count(&|c| c.bounded), "not found (bounded)"),
        (count(&|c| c.racy == Some(true)), "racy"),
        (count(&|c| c.racy == Some(false)), "race-free"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", number(*n as u64)))
        .collect();
    match document.claims.len() {
        0 => "it answers nothing".to_owned(),
        1 => format!("1 answer ({})", kinds.join(", ")),
        n => format!("{} answers ({})", number(n as u64), kinds.join(", ")),
    }
}

fn whole(
    document: &TestDocument,
    (found, bases): (&Extent, &Bases),
    seconds: f64,
) -> report::VerifiedRun {
    let TestSubject::Run { tests, models, given } = &document.subject;
    let model = |model: usize| short(bases.models[model][0].shown()).to_owned();
    let claim = |c: &TestClaim| report::RunClaim {
        file: bases.tests[c.test].shown().to_owned(),
        model: model(c.model),
        model_file: bases.models[c.model][0].shown().to_owned(),
        reachable: c.reachable,
        bounded: c.bounded,
        racy: c.racy,
    };
    report::VerifiedRun {
        verified: true,
        kind: report::RunKind::Run,
        tests: tests.iter().map(|t| t.name.clone()).collect(),
        models: (0..models.len()).map(model).collect(),
        model_files: models.iter().map(|m| m.model.name.clone()).collect(),
        given: report::RunGiven { unroll: given.unroll },
        written_by: document.margay.clone(),
        solver: document.solver.clone(),
        claims: document.claims.iter().map(claim).collect(),
        texts: texts_of::report(bases.models.iter().flatten().chain(&bases.tests)),
        compared: bases.all().iter().all(Basis::is_known),
        extent: extent(found),
        seconds,
        peak_memory_bytes: margay_console::limits::peak(),
    }
}
