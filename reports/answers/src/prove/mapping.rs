//! A proof of a mapping, with the bounded search for a counterexample beside it.

use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::CommandOutcome;
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, asked, check};
use margay_mappings::language::Mapping;
use margay_models::certificate;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_prove::theorem::Report;
use margay_rocq::{RocqSubject, Theorem};
use margay_theorem::certificate::{TheoremDocument, TheoremOptions};
use margay_theorem::theorem::{Hypotheses, Setting, TheoremQuestion};
use margay_theorem::theory::mapping::ExecutionSelection;

use super::answer::{MappingAnswer, Said};
use super::{beside, human, json, lemmas, rocq, written};
use crate::check::is_like;

/// What is asked.
#[derive(Debug, Clone)]
pub struct MappingProofOptions {
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
pub fn run(
    mapping: &Mapping,
    options: &MappingProofOptions,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let MappingProofOptions { check: wanted, tried, .. } = options;
    let (out, certify) = (options.out.as_deref(), options.certify.as_deref());
    let prepared = out.map_or(Ok(()), folder::prepare);
    if let Err(error) =
        prepared.and_then(|()| certify.map_or(Ok(()), |folder| certificate::folder(folder, false)))
    {
        return output.wrong(&[error]);
    }
    let lemmas = match options.lemmas.as_deref().map(|path| lemmas::read(path, output)).transpose()
    {
        Ok(lemmas) => lemmas,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let (setting, selection, report, search) =
        match settle(mapping, lemmas.as_ref(), *tried, wanted, limits, output) {
            Ok(found) => found,
            Err(errors) => return output.wrong(&errors),
        };
    let lemmas = lemmas
        .as_ref()
        .map_or_else(Vec::new, |model| lemmas::settle(model, &report.lemmas, limits, wanted));
    let mut answer = MappingAnswer {
        mapping,
        options: wanted,
        report: &report,
        search: &search,
        lemmas: &lemmas,
        stopped: limits
            .reason()
            .filter(|_| report.stopped || search.established < wanted.bound)
            .map(|r| r.words()),
        hypotheses: &Hypotheses::default(),
        certified: None,
        rocq: None,
        seconds: 0.0,
    };
    let theorems = answer.theorems();
    let asked = TheoremQuestion {
        selection: &selection,
        without: &wanted.without,
        only: &wanted.only,
        axioms: &theorems,
    };
    let mut hypotheses = Hypotheses::of_mapping(mapping, &asked);
    hypotheses.inhabited(&setting, &report.premises.shown());
    answer.hypotheses = &hypotheses;
    let unkept = unkept(&answer);
    let rocq = options.rocq.as_ref().map(|path| {
        let subject = RocqSubject::Mapping { mapping, hypotheses: &hypotheses };
        rocq::File::write(path, theorem(subject, &setting, &report, unkept), limits)
    });
    let given = TheoremOptions {
        without: wanted.without.clone(),
        only: wanted.only.clone(),
        typed: wanted.typed,
    };
    let proof = report.proof.as_ref().filter(|_| unkept.is_none());
    let certified = written::certify(certify, proof, |proof| {
        TheoremDocument::of_mapping(mapping, given, &report.evidence(proof))
    });
    if let (Some(_), Some((why, help)), Some(folder)) = (&report.proof, unkept, certify) {
        output.warn(&[Diagnostic::error(format!(
            "no certificate is written into `{}`: {why}",
            folder.display()
        ))
        .help(help)]);
    }
    answer.certified = certified.as_ref().and_then(|c| c.as_ref().ok());
    answer.rocq = rocq.as_ref();
    answer.seconds = start.elapsed().as_secs_f64();
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
    Ok(rocq.map_or(exit, |file| file.report(exit, output)))
}

/// Why a proof is not kept although it was checked, and what can be done: the search beside it
/// contradicts it, or did not reach its bound.
fn unkept(answer: &MappingAnswer<'_>) -> Option<(&'static str, &'static str)> {
    let axioms = answer.axioms();
    let any = |is: &dyn Fn(&Said<'_>) -> bool| axioms.iter().any(|(_, said)| is(said));
    if any(&|said| matches!(said, Said::Contradiction(_))) {
        Some(rocq::CONTRADICTION)
    } else if any(&|said| matches!(said, Said::Unsearched(_))) {
        Some(rocq::UNSEARCHED)
    } else if answer.search.axioms.len() < answer.report.goals.len() && !answer.report.is_theorem()
    {
        Some(rocq::TOGETHER)
    } else {
        None
    }
}

/// What is written for Rocq: a theorem of all that was asked.
fn theorem<'a>(
    subject: RocqSubject<'a>,
    setting: &'a Setting<'_>,
    report: &'a Report,
    unkept: Option<(&'static str, &'static str)>,
) -> Result<Vec<Theorem<'a>>, rocq::Open> {
    if let Some((why, help)) = unkept {
        return Err(rocq::Open { why: why.to_owned(), help });
    }
    let open: Vec<&str> =
        report.goals.iter().filter(|g| !g.is_theorem()).map(|g| g.name.as_str()).collect();
    match (&report.proof, &report.premises.empty) {
        (Some(proof), _) if open.is_empty() => {
            Ok(vec![Theorem { subject, setting, inhabitants: &report.premises.inhabitants, proof }])
        }
        (_, Some(what)) => Err(rocq::Open {
            why: format!("{what}: nothing was proved"),
            help: "leave out what cannot occur, or look for the axioms that contradict each other",
        }),
        _ => Err(rocq::Open {
            why: format!("not all of it is a theorem ({} is not)", open.join(", ")),
            help: "`--axiom` asks for some of the axioms alone",
        }),
    }
}

/// Proves a mapping, perhaps with lemmas, and searches for counterexamples. If every axiom has one,
/// the proof ends, unless it is to say what it tried (`tried`) or what came of the lemmas.
pub(super) fn settle<'a>(
    mapping: &'a Mapping,
    lemmas: Option<&'a Model>,
    tried: bool,
    wanted: &CheckOptions,
    limits: &RunLimits,
    output: &Output,
) -> Result<(Setting<'a>, ExecutionSelection, Report, CheckReport), Vec<Diagnostic>> {
    let wanted = wanted.clone().with(|wanted| wanted.deadline = limits.deadline);
    let (axioms, constructs) = asked(mapping, &wanted)?;
    let selection = ExecutionSelection { constructs, typed: wanted.typed };
    let mut setting = Setting::of_mapping(mapping, &axioms, &selection)?;
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
            let falls = |search: &CheckReport| {
                search.axioms.iter().all(|a| a.verdict == CheckVerdict::Counterexample)
            };
            !tried && lemmas.is_none() && found.as_ref().is_ok_and(falls)
        },
    );
    Ok((setting, selection, reports.remove(0), search?))
}
