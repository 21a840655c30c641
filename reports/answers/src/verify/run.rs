//! The certificate of litmus tests, whoever wrote them.

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

use super::{VerificationOptions, kernel, undecided};
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
        let tests = document.subject.tests();
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
    let seen = SeenTests { document: &document, found, bases: &bases, seconds, jobs };
    match (&document.subject, output.format) {
        (TestSubject::Run { given, .. }, Format::Human) => print(&seen, given.unroll, output)?,
        (TestSubject::Run { given, .. }, Format::Json) => {
            output.document(&report::VerifiedRun {
                kind: report::RunKind::Run,
                given: report::RunGiven { unroll: given.unroll },
                claims: document.claims.iter().map(|claim| seen.claim(claim)).collect(),
                tests: seen.tests(),
            })?;
        }
        (TestSubject::Kernel { given, asked, .. }, Format::Human) => {
            kernel::print(&seen, (given, asked), output)?;
        }
        (TestSubject::Kernel { given, asked, .. }, Format::Json) => {
            output.document(&kernel::report(&seen, given, asked))?;
        }
    }
    Ok(exit)
}

/// What was seen to be so.
pub(super) struct SeenTests<'a> {
    pub document: &'a TestDocument,
    pub found: Extent,
    pub bases: &'a Bases,
    pub seconds: f64,
    pub jobs: usize,
}

fn print(seen: &SeenTests<'_>, unroll: usize, output: &Output) -> std::io::Result<()> {
    let SeenTests { document, bases, .. } = *seen;
    let (tests, models) = (document.subject.tests(), document.subject.models());
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
    let asked = format!("Each loop is gone round at most {unroll} times.");
    let open = tests.len() * models.len() - document.claims.len();
    let open = if open > 0 {
        format!(" {} of the questions have no answer here.", number(open as u64))
    } else {
        String::new()
    };
    output.print(&wrapped(&format!("{asked}{open}"), output.width()))?;
    output.print("")?;
    seen.print_grounds(output)
}

impl SeenTests<'_> {
    /// What it rests on, how large it is, and what that means.
    pub fn print_grounds(&self, output: &Output) -> std::io::Result<()> {
        let Self { document, bases, .. } = *self;
        // There are few models; those come first.
        let texts: Vec<&Basis> = bases.models.iter().flatten().chain(&bases.tests).collect();
        texts_of::print(&texts, output)?;
        output.print("")?;
        output.print(&wrapped(&proofs(&self.found), output.width()))?;
        output
            .print(&format!("{:.2} s on {} threads, without a solver", self.seconds, self.jobs))?;
        output.print("")?;
        let meaning = format!(
            "Each test was translated again from these texts and compared with its proof, clause by clause, where something is forbidden or \
             race-free; each step of each proof was checked. Where something is allowed or racy, an execution was judged. {}",
            author(&document.margay, &document.solver)
        );
        output.print(&wrapped(&meaning, output.width()))
    }

    fn model(&self, model: usize) -> String {
        short(self.bases.models[model][0].shown()).to_owned()
    }

    /// A claim, as a part of a document.
    pub fn claim(&self, claim: &TestClaim) -> report::RunClaim {
        report::RunClaim {
            file: self.bases.tests[claim.test].shown().to_owned(),
            model: self.model(claim.model),
            model_file: self.bases.models[claim.model][0].shown().to_owned(),
            reachable: claim.reachable,
            bounded: claim.bounded,
            racy: claim.racy,
        }
    }

    /// What is said of all tests.
    pub fn tests(&self) -> report::VerifiedTests {
        let Self { document, bases, .. } = *self;
        let (tests, models) = (document.subject.tests(), document.subject.models());
        report::VerifiedTests {
            verified: true,
            tests: tests.iter().map(|t| t.name.clone()).collect(),
            models: (0..models.len()).map(|model| self.model(model)).collect(),
            model_files: models.iter().map(|m| m.model.name.clone()).collect(),
            written_by: document.margay.clone(),
            solver: document.solver.clone(),
            texts: texts_of::report(bases.models.iter().flatten().chain(&bases.tests)),
            compared: bases.all().iter().all(Basis::is_known),
            extent: extent(&self.found),
            seconds: self.seconds,
            peak_memory_bytes: margay_console::limits::peak(),
        }
    }
}

/// The name of a built-in model; other names as they are.
fn short(name: &str) -> &str {
    name.strip_prefix(BUILT_IN_FOLDER).and_then(|name| name.strip_suffix(".cat")).unwrap_or(name)
}

/// What is verified, in words.
pub(super) fn said(document: &TestDocument) -> String {
    let count =
        |keep: &dyn Fn(&TestClaim) -> bool| document.claims.iter().filter(|c| keep(c)).count();
    let of_kernels = matches!(document.subject, TestSubject::Kernel { .. });
    let kinds = [
        (count(&|c| c.reachable), "allowed"),
        // A test of a kernel that is asked for races asks for no outcome.
        (count(&|c| !c.reachable && !c.bounded && (!of_kernels || c.racy.is_none())), "forbidden"),
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
