//! The check of a mapping: bounds from 1 upward, every thread shape of a bound, every axiom; the
//! first counterexample is so a smallest one (2019 paper, section 5.2, for one execution).

mod baseline;
mod bounds;
mod canonical;
mod case;
mod cases;
mod certify;
mod choose;
mod given;
mod kind;
mod options;
mod program;
mod questions;
mod report;
mod round;
mod taught;
mod verify;

pub use crate::encode::{TechniqueSwitch, Techniques};
pub use crate::level::{CoReading, Level};
pub use crate::search::{Progress, Silent};
pub use crate::witness::{SearchFault, WitnessPair, witness};
pub use baseline::Baseline;
pub use cases::{
    CaseCost, CaseCosts, CaseEngine, CaseFile, CaseWork, Cube, CubeFact, MappingAnswerFile,
    RecordedCase, SolvedCaseFile, covers, makespan, recorded,
};
pub use options::{CheckOptions, MAX_BOUND};
pub use report::{AxiomEffort, AxiomReport, CheckReport, CheckVerdict, Counterexample, Listed};
pub(crate) use verify::CertifiedCheck;

use std::sync::PoisonError;

use margay_models::diagnostic::Diagnostic;
use margay_models::durable::{is_full, unfinished_in};
use margay_models::signature::Construct;

use crate::certificate::{CertificateSummary, CertificateWriter};
use crate::language::Mapping;
use crate::search::deepen;
use bounds::Checking;
use cases::Decider;
use kind::ProgramKind;

/// What options ask of a mapping: the numbers of the source's axioms, and the constructs that
/// programs are made of.
///
/// # Errors
/// Those of [`check`] that the bound has no part in.
pub fn asked(
    mapping: &Mapping,
    options: &CheckOptions,
) -> Result<(Vec<usize>, Vec<Construct>), Vec<Diagnostic>> {
    let asked = questions::resolve(mapping, options)?;
    Ok((asked.questions.iter().map(|q| q.0).collect(), asked.constructs))
}

/// Checks a mapping.
///
/// # Errors
/// Options that do not fit the mapping: unknown axioms or constructs, a bound out of range, models
/// that the check cannot use.
pub fn check(
    mapping: &Mapping,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<CheckReport, Vec<Diagnostic>> {
    let asked = questions::resolve(mapping, options)?;
    let mapping = options.searched(mapping);
    let kinds = ProgramKind::all(mapping, options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_problem(&kind.problem, options))?;
    if let Some(folder) = &options.dump_cnf {
        dumps_into(folder).map_err(|error| vec![error])?;
    }
    if let Some(folder) = &options.certify {
        certify::goes_on(mapping, options, &asked, folder)?;
    }
    let open =
        |folder| cases::CheckpointedAnswers::open(folder, mapping, options, &asked, progress);
    let answers = options.checkpoint.as_deref().map(open).transpose()?;
    let keeping = answers.as_ref().map(|answers| cases::Keeping {
        answers,
        inner: &cases::CaseSearch,
        progress,
    });
    let elsewhere = keeping
        .zip(options.engine.as_deref())
        .map(|(inner, engine)| cases::Elsewhere { engine, inner });
    let decider: &dyn Decider = match (&elsewhere, &keeping) {
        (Some(elsewhere), _) => elsewhere,
        (None, Some(keeping)) => keeping,
        (None, None) => &cases::CaseSearch,
    };

    let axiom = |ask: &case::CaseQuestion| AxiomReport {
        axiom: name(mapping, ask),
        verdict: CheckVerdict::None,
        bound: 0,
        rows: Vec::new(),
    };
    let report = CheckReport {
        verdict: CheckVerdict::None,
        established: 0,
        axioms: kinds[0].asks.iter().map(axiom).collect(),
        counterexamples: Vec::new(),
        candidates: Vec::new(),
        truncated: false,
        listed: Vec::new(),
        explained: 0,
        old: 0,
        constructs: asked.constructs.iter().map(|c| c.name(mapping.source.signature)).collect(),
        certified: None,
        undumped: None,
        uncertified: Vec::new(),
    };
    let certificate = CertificateWriter::new(options.certify.as_deref());
    let mut checking =
        Checking { mapping, options, asked: &asked, decider, kinds, report, certificate };
    deepen(&mut checking, options, progress)?;
    let Checking { kinds, mut report, certificate, .. } = checking;
    let questions: Vec<String> = report.axioms.iter().map(|a| a.axiom.clone()).collect();
    let subject = || certify::subject(mapping, options);
    // Where answers are kept, so are all proofs.
    let goes_on = options.checkpoint.is_some();
    let CertificateSummary { written, errors } =
        certificate.finish((kinds.len(), &questions), &options.backend, goes_on, subject);
    (report.certified, report.uncertified) = (written, errors);
    report.undumped = kinds
        .into_iter()
        .find_map(|kind| kind.unwritten.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(report)
}

/// Can formulas be written into the folder? It is made if it is not there.
fn dumps_into(folder: &std::path::Path) -> Result<(), Diagnostic> {
    let made =
        margay_models::confined::make_folder(folder).and_then(|()| unfinished_in(folder)).map(drop);
    let made = made.or_else(|error| if is_full(&error) { Ok(()) } else { Err(error) });
    made.map_err(|e| {
        let error =
            Diagnostic::error(format!("cannot write formulas into `{}`: {e}", folder.display()));
        error.help("give `--dump-cnf` a folder that can be written")
    })
}

/// The names of a question's axioms.
fn name(mapping: &Mapping, ask: &case::CaseQuestion) -> String {
    ask.questions
        .iter()
        .map(|q| mapping.source.checks[q.0].display_name())
        .collect::<Vec<_>>()
        .join(" & ")
}
