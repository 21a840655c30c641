//! A proof of a mapping, with the bounded search for a counterexample beside it.

use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::{Exit, Outcome};
use margay_console::folder;
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::check::{CheckOptions, CheckReport, Verdict, asked, check};
use margay_mappings::language::Mapping;
use margay_models::certificate;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_prove::certificate::{Document, Given};
use margay_prove::rocq::{Subject, Theorem};
use margay_prove::theorem::{Report, Setting};
use margay_prove::theory::mapping::Selection;

use super::answer::MappingAnswer;
use super::{beside, human, json, lemmas, rocq, written};
use crate::check::is_like;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Options {
    /// The search beside the proof.
    pub check: CheckOptions,
    /// A file of lemmas.
    pub lemmas: Option<PathBuf>,
    /// Are guesses shown, and what became of them?
    pub tried: bool,
    /// A new folder for a certificate.
    pub certify: Option<PathBuf>,
    /// A file for Rocq.
    pub rocq: Option<PathBuf>,
    /// The folder for counterexamples.
    pub out: Option<PathBuf>,
}

/// Proves, searches, and prints what came of both.
///
/// # Errors
/// The output cannot be written.
pub fn run(mapping: &Mapping, options: &Options, limits: &Limits, output: &Output) -> Outcome {
    let Options { check: wanted, tried, .. } = options;
    let (out, certify) = (options.out.as_deref(), options.certify.as_deref());
    let prepared = out.map_or(Ok(()), folder::prepare);
    if let Err(error) = prepared.and_then(|()| certify.map_or(Ok(()), |folder| certificate::folder(folder, false))) {
        return output.wrong(&[error]);
    }
    let lemmas = match options.lemmas.as_deref().map(|path| lemmas::read(path, output)).transpose() {
        Ok(lemmas) => lemmas,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let (setting, report, search) = match settle(mapping, lemmas.as_ref(), *tried, wanted, limits, output) {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let part = part(wanted);
    let rocq = options.rocq.as_ref().map(|path| {
        let subject = Subject::Mapping { mapping, part: &part };
        rocq::File::write(path, theorem(subject, &setting, &report, &search))
    });
    let lemmas = lemmas.as_ref().map_or_else(Vec::new, |model| lemmas::settle(model, &report.lemmas, limits, wanted));
    let given = Given { without: wanted.without.clone(), only: wanted.only.clone(), typed: wanted.typed };
    let certified =
        written::certify(certify, report.proof.as_ref(), |proof| Document::of_mapping(mapping, given, &report, proof));
    let answer = MappingAnswer {
        mapping,
        options: wanted,
        report: &report,
        search: &search,
        lemmas: &lemmas,
        stopped: limits.reason().filter(|_| report.stopped).map(|r| r.words()),
        certified: certified.as_ref().and_then(|c| c.as_ref().ok()),
        rocq: rocq.as_ref(),
        seconds: start.elapsed().as_secs_f64(),
    };
    let exit = output.settle(answer.exit());
    let printed = match output.format {
        Format::Human => human::print(&answer, *tried, output),
        Format::Json => output.document(&json::document(&answer, *tried)),
    };
    folder::fill(out, &is_like, *output, |folder| answer.write(folder));
    if let Some(Err(errors)) = &certified {
        output.warn(errors);
    }
    printed?;
    Ok(if rocq.is_none_or(|file| file.report(output)) { exit } else { Exit::Wrong })
}

/// Which constructs the theorem is about, if those are not all.
fn part(options: &CheckOptions) -> String {
    let lists = [("only", &options.only), ("without", &options.without)];
    let lists = lists.into_iter().filter(|(_, all)| !all.is_empty());
    lists.map(|(word, all)| format!("{word} {}", all.join(", "))).collect::<Vec<_>>().join(", ")
}

/// What is written for Rocq: a theorem of all that was asked.
fn theorem<'a>(
    subject: Subject<'a>,
    setting: &'a Setting<'_>,
    report: &'a Report,
    search: &CheckReport,
) -> Result<Vec<Theorem<'a>>, rocq::Open> {
    let open: Vec<&str> = report.goals.iter().filter(|g| !g.is_theorem()).map(|g| g.name.as_str()).collect();
    match &report.proof {
        Some(proof) if open.is_empty() && search.counterexamples.is_empty() => Ok(vec![Theorem { subject, setting, proof }]),
        _ if open.is_empty() => Err(rocq::Open::contradiction()),
        _ => Err(rocq::Open {
            why: format!("not all of it is a theorem ({} is not)", open.join(", ")),
            help: "`--axiom` asks for some of the axioms alone",
        }),
    }
}

/// Proves a mapping, perhaps with lemmas, and searches for counterexamples. If every axiom has one, the proof ends, unless it is to say what
/// it tried (`tried`) or what came of the lemmas.
pub(super) fn settle<'a>(
    mapping: &'a Mapping,
    lemmas: Option<&'a Model>,
    tried: bool,
    wanted: &CheckOptions,
    limits: &Limits,
    output: &Output,
) -> Result<(Setting<'a>, Report, CheckReport), Vec<Diagnostic>> {
    let wanted = wanted.clone().with(|wanted| wanted.deadline = limits.deadline);
    let (axioms, constructs) = asked(mapping, &wanted)?;
    let mut setting = Setting::of_mapping(mapping, &axioms, &Selection { constructs, typed: wanted.typed })?;
    if let Some(lemmas) = lemmas {
        setting.suggest(lemmas)?;
    }
    let (mut reports, search) = beside(
        limits,
        std::slice::from_ref(&setting),
        |stop| {
            let wanted = wanted.clone().with(|wanted| wanted.stop = stop);
            Bar::during(*output, wanted.bound, |bar| check(mapping, &wanted, bar))
        },
        |found| {
            let falls = |search: &CheckReport| search.axioms.iter().all(|a| a.verdict == Verdict::Counterexample);
            !tried && lemmas.is_none() && found.as_ref().is_ok_and(falls)
        },
    );
    Ok((setting, reports.remove(0), search?))
}
