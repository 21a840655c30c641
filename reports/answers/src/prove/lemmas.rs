//! `--lemmas FILE`: what came of the lemmas that a user suggests. One that is not proved is also
//! searched for: an execution that the model allows without the file's lemmas and that the lemma
//! forbids shows that it is false.

use std::path::Path;

use margay_console::inputs;
use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_console::wrapped::wrapped;
use margay_mappings::check::{CheckOptions, Silent};
use margay_mappings::compare::{CompareOptions, CompareReport, Objection, Subjects, compare};
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_prove::theorem::LemmaReport;
use margay_reports::{Verdict, prove as document};
use margay_theorem::theorem::own_checks;

use super::{gap, missing_events};
use crate::diff::{DiffContext, PresentedDifference, print_differences};

/// The largest number of events of an execution that is looked for to refute a lemma.
const MOST: usize = 4;

pub struct LemmaOfFile<'a> {
    /// What the proof made of it.
    report: &'a LemmaReport,
    /// Where it is not proved: what a search for an execution without it found.
    search: Option<Searched>,
}

struct Searched {
    /// The text without its lemmas, and with this one.
    models: [Model; 2],
    options: CompareOptions,
    report: CompareReport,
}

impl Searched {
    /// The question that was asked, and the size of an execution that answers it.
    fn found(&self) -> Option<(usize, usize)> {
        let all = self
            .report
            .questions
            .iter()
            .enumerate()
            .filter(|(_, q)| q.allows == 0 && q.kind == Objection::Forbidden);
        all.filter_map(|(i, q)| q.differences.first().map(|d| (i, d.events))).next()
    }
}

/// Reads a file of lemmas.
pub fn read(path: &Path, output: &Output) -> Result<Model, Vec<Diagnostic>> {
    let model = inputs::model(&path.display().to_string(), output)?;
    if own_checks(&model).next().is_none()
        && !model.definitions.iter().any(|d| d.place.file.name == model.source.name)
    {
        let error = Diagnostic::error(format!("`{}` suggests nothing", path.display()));
        return Err(vec![error.help(
            "give checks such as `irreflexive cause-base as Order`, or definitions of relations",
        )]);
    }
    Ok(model)
}

/// Searches for executions that refute what is not proved.
pub fn settle<'a>(
    model: &Model,
    reports: &'a [LemmaReport],
    limits: &RunLimits,
    asked: &CheckOptions,
) -> Vec<LemmaOfFile<'a>> {
    let search = |report: &LemmaReport| {
        let own: Vec<usize> = own_checks(model).collect();
        let without = |kept: Option<usize>| {
            let mut part = model.clone();
            let mut number = 0..;
            part.checks.retain(|_| {
                number.next().is_some_and(|i: usize| !own.contains(&i) || Some(i) == kept)
            });
            part
        };
        let models = [without(None), without(Some(report.check))];
        let mut options = CompareOptions::new(MOST.min(asked.bound));
        (options.first, options.most, options.jobs, options.backend) =
            (true, 1, asked.jobs, asked.backend.clone());
        (options.deadline, options.stop) = (limits.deadline, limits.stop.clone());
        let report = compare(Subjects::Models(&models[0], &models[1]), &options, &Silent).ok()?;
        Some(Searched { models, options, report })
    };
    reports
        .iter()
        .map(|report| LemmaOfFile {
            report,
            search: report.gap.as_ref().and_then(|_| search(report)),
        })
        .collect()
}

impl LemmaOfFile<'_> {
    fn found(&self) -> Option<(usize, usize)> {
        self.search.as_ref().and_then(Searched::found)
    }

    fn verdict(&self) -> Verdict {
        match (&self.report.gap, self.found()) {
            (None, _) => Verdict::Theorem,
            (Some(_), Some(_)) => Verdict::Counterexample,
            (Some(_), None) => Verdict::Open,
        }
    }

    /// Prints what came of it.
    pub fn print(&self, output: &Output) -> std::io::Result<()> {
        let LemmaReport { name, line, claim, gap, .. } = self.report;
        let of = format!("lemma {name} (line {line}), `{claim}`");
        let Some(gap) = gap else {
            return output
                .print(&wrapped(&format!("{}: {of}", output.good("proved")), output.width()));
        };
        if let (Some(search), Some((question, events))) = (&self.search, self.found()) {
            let words = format!(
                "{}: {of}. An execution of {events} events that the target allows has it not:",
                output.bad("false")
            );
            output.print(&wrapped(&words, output.width()))?;
            let subjects = Subjects::Models(&search.models[0], &search.models[1]);
            let (options, report) = (&search.options, &search.report);
            let context = DiffContext {
                subjects,
                options,
                report,
                stopped: None,
                seconds: 0.0,
                proofs: &[],
                rocq: None,
            };
            let shown = report.questions[question]
                .differences
                .iter()
                .map(|d| PresentedDifference::new(&context, question, d));
            return print_differences(&context, &shown.collect::<Vec<_>>(), output);
        }
        output.print(&wrapped(
            &format!("{}: {of} is not used.", output.unsure("not proved")),
            output.width(),
        ))?;
        missing_events(gap, output)
    }

    /// The same as a part of a document.
    pub fn report(&self) -> document::LemmaRecord {
        document::LemmaRecord {
            name: self.report.name.clone(),
            line: self.report.line,
            claim: self.report.claim.clone(),
            verdict: self.verdict(),
            events: self.found().map(|f| f.1),
            missing: self.report.gap.as_ref().map(gap),
        }
    }
}
