//! Does a property follow from the axioms of a model, in executions of every size? Beside the proof
//! the executions that the model allows are searched for one without the property, as `margay diff`
//! does.

use std::path::PathBuf;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::counted;
use margay_console::wrapped::wrapped;
use margay_mappings::compare::{
    CompareOptions, CompareReport, ComparisonVerdict as Searched, Objection, Subjects, compare,
};
use margay_models::certificate;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::{Model, Role};
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::Report;
use margay_reports::{Verdict, prove as document};
use margay_rocq::{RocqSubject, Theorem};
use margay_theorem::certificate::TheoremDocument;
use margay_theorem::theorem::{Hypotheses, Setting};

use super::written::{ProofCertificate, certify};
use super::{beside, gap, gaps, inhabitant, inhabitants, rocq, step, steps};
use crate::check::{is_like, stem};
use crate::diff::{DiffContext, PresentedDifference, files, print_differences};
use crate::headline::{Headline, Tone, events};
use crate::restriction::Restriction;

/// What is asked.
#[derive(Debug, Clone)]
pub struct PropertyOptions {
    /// The name of the model, or its file.
    pub name: String,
    /// The property: `irreflexive cause-base`.
    pub property: String,
    /// The search for an execution without it.
    pub compare: CompareOptions,
    /// A new folder for a certificate.
    pub certify: Option<PathBuf>,
    /// A file for Rocq.
    pub rocq: Option<PathBuf>,
    /// The folder for executions without it.
    pub out: Option<PathBuf>,
}

/// The model with the property as its last check.
fn with_property(
    model: &Model,
    path: &str,
    property: &str,
) -> Result<(Model, usize), Vec<Diagnostic>> {
    let header = model.signature.header();
    let is_check = ["acyclic", "irreflexive", "empty", "~"]
        .iter()
        .any(|word| property.trim_start().starts_with(word));
    let named = if property.contains(" as ") || !is_check { "" } else { " as Property" };
    let text = format!(
        "{header} \"{} with a property\"\ninclude \"{path}\"\n{property}{named}\n",
        model.name
    );
    let asked = Model::parse(SourceFile::new("the property", text), &FilesThenBuiltIn)?.model;
    let more = asked.checks.len() - model.checks.len().min(asked.checks.len());
    let last = asked.checks.len().wrapping_sub(1);
    if more != 1 || asked.checks[last].role != Role::Axiom {
        let what = format!("`{property}` is not one property of `{}`", model.name);
        return Err(vec![
            Diagnostic::error(what)
                .help("expected `empty`, `irreflexive` or `acyclic` of an expression, e.g. 'irreflexive hb; eco'"),
        ]);
    }
    Ok((asked, last))
}

/// Where the text of a model is included from.
fn path(model: &Model, name: &str) -> String {
    let file = &model.source.name;
    match file.strip_prefix("<built-in>/") {
        Some(built_in) => built_in.to_owned(),
        None => {
            std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(name)).display().to_string()
        }
    }
}

struct PropertyAnswer<'a> {
    model: &'a Model,
    property: &'a str,
    report: &'a Report,
    search: &'a CompareReport,
    stopped: Option<&'static str>,
    hypotheses: &'a Hypotheses,
    certified: Option<&'a ProofCertificate>,
    rocq: Option<&'a rocq::File>,
    options: &'a CompareOptions,
    seconds: f64,
}

/// Proves the property, searches for an execution without it, and prints what came of both.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    model: &Model,
    options: &PropertyOptions,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let PropertyOptions { name, property, compare: wanted, .. } = options;
    let (out, certified) = (options.out.as_deref(), options.certify.as_deref());
    let prepared = out.map_or(Ok(()), folder::prepare);
    if let Err(error) = prepared
        .and_then(|()| certified.map_or(Ok(()), |folder| certificate::folder(folder, false)))
    {
        return output.wrong(&[error]);
    }
    let (asked, number) = match with_property(model, &path(model, name), property) {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let setting = match Setting::of_model(&asked, &[number]) {
        Ok(setting) => setting,
        Err(errors) => return output.wrong(&errors),
    };
    let start = std::time::Instant::now();
    let subjects = Subjects::Models(model, &asked);
    let (reports, search) = beside(
        limits,
        std::slice::from_ref(&setting),
        |stop| {
            let wanted = wanted.clone().with(|wanted| wanted.stop = stop);
            Bar::during(*output, wanted.bound, |bar| compare(subjects, &wanted, bar))
        },
        |_| false,
    );
    let search = match search {
        Ok(search) => search,
        Err(errors) => return output.wrong(&errors),
    };
    let report = &reports[0];
    let mut hypotheses = Hypotheses::of_model(&model.name);
    hypotheses.inhabited(&setting, &report.premises.shown());
    let unkept = unkept(report, &search, wanted.bound);
    let proof = report.proof.as_ref().filter(|_| unkept.is_none());
    let certified = certify(options.certify.as_deref(), proof, |proof| {
        TheoremDocument::of_model(&asked, &report.evidence(proof))
    });
    if let (Some(_), Some((why, help)), Some(folder)) =
        (&report.proof, unkept, options.certify.as_deref())
    {
        output.warn(&[Diagnostic::error(format!(
            "no certificate is written into `{}`: {why}",
            folder.display()
        ))
        .help(help)]);
    }
    let stopped = limits.reason().filter(|_| report.stopped || unkept.is_some()).map(|r| r.words());
    let rocq = options.rocq.as_ref().map(|path| {
        let subject = RocqSubject::Property { model, property, hypotheses: &hypotheses };
        rocq::File::write(path, theorem(subject, &setting, report, unkept), limits)
    });
    let seconds = start.elapsed().as_secs_f64();
    let answer = PropertyAnswer {
        model,
        property,
        report,
        search: &search,
        stopped,
        hypotheses: &hypotheses,
        certified: certified.as_ref().and_then(|c| c.as_ref().ok()),
        rocq: rocq.as_ref(),
        options: wanted,
        seconds,
    };
    let exit = output.settle(match answer.verdict() {
        Verdict::Theorem => Exit::Holds,
        Verdict::Counterexample => Exit::Found,
        _ => Exit::Undecided,
    });
    let context = DiffContext {
        subjects,
        options: wanted,
        report: &search,
        stopped,
        seconds,
        proofs: &[],
        rocq: None,
    };
    let presented = answer.presented(&context);
    let printed = match output.format {
        Format::Human => answer.print(&context, &presented, output),
        Format::Json => output.document(&answer.document()),
    };
    folder::fill(out, &is_like, *output, |folder| {
        let all = presented.iter().enumerate();
        all.into_iter()
            .try_for_each(|(i, shown)| files::difference(folder, &stem(i), &context, shown))
    });
    if let Some(Err(errors)) = &certified {
        output.warn(errors);
    }
    printed?;
    Ok(rocq.map_or(exit, |file| file.report(exit, output)))
}

/// Why a proof is not kept although it was checked, and what can be done: the search beside it
/// contradicts it, or did not reach its bound.
fn unkept(
    report: &Report,
    search: &CompareReport,
    bound: usize,
) -> Option<(&'static str, &'static str)> {
    match searched(search) {
        _ if !report.is_theorem() => None,
        Some((_, Searched::Different(_), ..)) => Some(rocq::CONTRADICTION),
        Some((.., established, by_text)) if established < bound && !by_text => {
            Some(rocq::UNSEARCHED)
        }
        Some(_) | None => None,
    }
}

/// What is written for Rocq: the theorem, if it is one.
fn theorem<'a>(
    subject: RocqSubject<'a>,
    setting: &'a Setting<'_>,
    report: &'a Report,
    unkept: Option<(&'static str, &'static str)>,
) -> Result<Vec<Theorem<'a>>, rocq::Open> {
    if let Some((why, help)) = unkept {
        return Err(rocq::Open { why: why.to_owned(), help });
    }
    match (report.proof.as_ref().filter(|_| report.is_theorem()), &report.premises.empty) {
        (Some(proof), _) => {
            Ok(vec![Theorem { subject, setting, inhabitants: &report.premises.inhabitants, proof }])
        }
        (None, Some(what)) => Err(rocq::Open {
            why: format!("{what}: nothing was proved"),
            help: "look for the axioms of the model that contradict each other",
        }),
        (None, None) => Err(rocq::Open {
            why: "the property is no theorem".to_owned(),
            help: "ask for a property that follows from the axioms of the model",
        }),
    }
}

/// The question that the search answers: an execution that the model allows and that has not the
/// property.
fn searched(search: &CompareReport) -> Option<(usize, &Searched, usize, bool)> {
    let all = search.questions.iter().enumerate();
    let mut own = all.filter(|(_, q)| q.allows == 0 && q.kind == Objection::Forbidden);
    own.next().map(|(i, q)| (i, &q.verdict, q.established, q.by_text))
}

impl PropertyAnswer<'_> {
    fn events(&self) -> Option<usize> {
        match searched(self.search) {
            Some((_, Searched::Different(events), ..)) => Some(*events),
            // A proof speaks of all executions, so a narrower question is not answered by it.
            _ if Restriction::of_comparison(self.options, &[]) == Restriction::default() => {
                self.report.violated()
            }
            _ => None,
        }
    }

    /// Does the search have an execution without the property?
    fn is_searched(&self) -> bool {
        matches!(searched(self.search), Some((_, Searched::Different(_), ..)))
    }

    fn verdict(&self) -> Verdict {
        match (self.report.is_theorem(), self.events()) {
            (true, None) if unkept(self.report, self.search, self.options.bound).is_none() => {
                Verdict::Theorem
            }
            (false, Some(_)) => Verdict::Counterexample,
            (_, None) | (true, Some(_)) => Verdict::Open,
        }
    }

    /// The executions without the property, made presentable.
    fn presented(&self, context: &DiffContext<'_>) -> Vec<PresentedDifference<'_>> {
        let Some((q, ..)) = searched(self.search) else { return Vec::new() };
        self.search.questions[q]
            .differences
            .iter()
            .map(|d| PresentedDifference::new(context, q, d))
            .collect()
    }

    fn established(&self) -> usize {
        searched(self.search).map_or(0, |s| s.2)
    }

    /// The first line. What a search did not find is said with what it did not look at.
    fn headline(&self) -> Headline {
        let of = format!("`{}` in {} ({})", self.property, self.model.name, self.model.source.name);
        let stopped = self.stopped.map_or(String::new(), |why| format!(" ({why})"));
        let [bound, established] =
            [self.options.bound, self.established()].map(|n| counted(n as u64, "event", "events"));
        let restriction = Restriction::of_comparison(self.options, &[]);
        let line =
            |tone, found: &str, rest: String| Headline::new(tone, found, &rest, &restriction, &of);
        match (self.verdict(), self.events(), &self.report.premises.empty) {
            (Verdict::Theorem, ..) => {
                let rest = format!(" for executions of every size{}", self.hypotheses.behind());
                Headline::new(Tone::Good, "theorem", &rest, &Restriction::default(), &of)
            }
            (Verdict::Counterexample, Some(events), _) => {
                let beyond = if self.is_searched() {
                    String::new()
                } else {
                    format!(
                        ", which the search did not find; of those that it makes, none up to {established}"
                    )
                };
                line(
                    Tone::Bad,
                    "counterexample",
                    format!(" with {}{beyond}", counted(events as u64, "event", "events")),
                )
            }
            (_, Some(events), _) => {
                let rest = format!(
                    ": the proof says that it holds in executions of every size, and the search has one without it, with {}. One of the two \
                     is wrong, which is a bug in Margay; please report it",
                    counted(events as u64, "event", "events")
                );
                line(Tone::Bad, "contradiction", rest)
            }
            (.., Some(what)) => {
                line(Tone::Unsure, "empty", format!("{stopped}: {what}: nothing was proved"))
            }
            _ if self.report.is_theorem() => {
                let rest = format!(
                    "{stopped}: proved, and the search beside the proof ended at {} of {bound}",
                    self.established()
                );
                line(Tone::Unsure, "open", rest)
            }
            _ => line(
                Tone::Unsure,
                "open",
                format!("{stopped}: not proved, and no counterexample up to {established}"),
            ),
        }
    }

    fn print(
        &self,
        context: &DiffContext<'_>,
        presented: &[PresentedDifference<'_>],
        output: &Output,
    ) -> std::io::Result<()> {
        output.print(&wrapped(&self.headline().painted(*output), output.width()))?;
        if self.is_searched() {
            print_differences(context, presented, output)?;
        } else if self.report.premises.empty.is_none() {
            gaps(self.report, output)?;
        }
        if !self.report.steps.is_empty() {
            output.print("")?;
            steps(self.report, output)?;
        }
        output.print(&format!("\n{:.2} s", self.seconds))?;
        if let Some(written) = self.certified {
            output.print(&wrapped(&written.words(), output.width()))?;
        }
        if self.verdict() == Verdict::Theorem {
            let meaning = format!(
                "{} {} The search beside the proof found none without it up to {}.",
                self.hypotheses.sentences.join(" "),
                inhabitants(&self.report.premises),
                events(self.options.bound)
            );
            output.print("")?;
            output.print(&wrapped(&meaning, output.width()))?;
        }
        Ok(())
    }

    fn document(&self) -> document::PropertyProofDocument {
        let goal = &self.report.goals[0];
        document::PropertyProofDocument {
            model: self.model.name.clone(),
            model_file: self.model.source.name.clone(),
            property: self.property.to_owned(),
            claim: goal.claim.clone(),
            verdict: self.verdict(),
            answer: self.headline().text(),
            supposes: self.hypotheses.sentences.clone(),
            empty: self.report.premises.empty.clone(),
            inhabitants: self.report.premises.inhabitants.iter().map(inhabitant).collect(),
            absent: self.report.premises.refuted().into_iter().map(str::to_owned).collect(),
            contradiction: self.report.is_theorem() && self.events().is_some(),
            reason: self.stopped.map(str::to_owned),
            bound: self.options.bound,
            events: self.events(),
            none_up_to: (self.verdict() == Verdict::Open).then(|| self.established()),
            missing: goal.gap.as_ref().map(gap),
            steps: self.report.steps.iter().map(step).collect(),
            certificate: self.certified.map(ProofCertificate::report),
            rocq: self.rocq.map(rocq::File::document),
            seconds: self.seconds,
            peak_memory_bytes: margay_console::limits::peak(),
        }
    }
}
