//! `margay prove`: for executions of every size. The proof and the bounded search run side by side; the end is a theorem, a counterexample,
//! or what is missing.

mod kept;
mod matrix;
mod model;
mod page;

use margay_answers::check::is_like;
use margay_answers::prove::answer::Answer;
use margay_answers::prove::{beside, human, json, lemmas, rocq, written};
use margay_console::exit::Exit;
use margay_console::folder;
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::check::{CheckOptions, CheckReport, CoReading, Level, asked, check};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_prove::certificate::{Document, Given};
use margay_prove::theorem::{Report, Setting};
use margay_prove::theory::mapping::Selection;

use crate::Outcome;
use crate::arguments::Prove;

/// Runs the command.
pub fn run(options: &Prove, output: &Output) -> Outcome {
    // Proofs ask the solver of the process, which so is the one that was chosen.
    options.search.solver.clone().register();
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    if options.all_mappings {
        return matrix::run(options, output);
    }
    if let Some(Err(error)) = options.certify.as_deref().map(|folder| margay_models::certificate::folder(folder, false)) {
        return output.wrong(&[error]);
    }
    if options.model.is_some() {
        return model::run(options, output);
    }
    let name = options.mapping.as_deref().unwrap_or_default();
    let loaded = match options.statement.load(name) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let lemmas = match options.lemmas.as_deref().map(|path| lemmas::read(path, output)).transpose() {
        Ok(lemmas) => lemmas,
        Err(errors) => return output.wrong(&errors),
    };
    let limits = options.search.limits();
    let start = std::time::Instant::now();
    let (asked, report, search, rocq) = match of_mapping(&loaded.mapping, lemmas.as_ref(), options, &limits, output) {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let lemmas = lemmas.as_ref().map_or_else(Vec::new, |model| lemmas::settle(model, &report.lemmas, &limits, &asked));
    let given = Given { without: asked.without.clone(), only: asked.only.clone(), typed: asked.typed };
    let certified = written::certify(options.certify.as_deref(), report.proof.as_ref(), |proof| {
        Document::of_mapping(&loaded.mapping, given, &report, proof)
    });
    let answer = Answer {
        mapping: &loaded.mapping,
        options: &asked,
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
        Format::Human => human::print(&answer, options.tried, output),
        Format::Json => output.document(&json::document(&answer, options.tried)),
    };
    folder::fill(options.out.as_deref(), &is_like, *output, |folder| answer.write(folder));
    if let Some(Err(errors)) = &certified {
        output.warn(errors);
    }
    printed?;
    Ok(if rocq.is_none_or(|file| file.report(output)) { exit } else { Exit::Wrong })
}

/// The search for counterexamples, without its limits.
fn wanted(options: &Prove) -> Result<CheckOptions, Vec<Diagnostic>> {
    let mut wanted = options.statement.usual(&options.search).map_err(|e| vec![e])?;
    wanted.axioms.clone_from(&options.statement.axiom);
    (wanted.level, wanted.co) = (Level::Execution, CoReading::Universal);
    wanted.keep_going = true;
    Ok(wanted)
}

/// Proves a mapping, perhaps with lemmas, and searches for counterexamples.
fn of_mapping(
    mapping: &Mapping,
    lemmas: Option<&Model>,
    options: &Prove,
    limits: &Limits,
    output: &Output,
) -> Result<(CheckOptions, Report, CheckReport, Option<rocq::File>), Vec<Diagnostic>> {
    let mut wanted = wanted(options)?;
    wanted.deadline = limits.deadline;
    let (axioms, constructs) = asked(mapping, &wanted)?;
    let mut setting = Setting::of_mapping(mapping, &axioms, &Selection { constructs, typed: wanted.typed })?;
    if let Some(lemmas) = lemmas {
        setting.suggest(lemmas)?;
    }
    let bar = Bar::new(*output);
    let (mut reports, search) = beside(limits, std::slice::from_ref(&setting), |stop| {
        let result = check(mapping, &CheckOptions { stop, ..wanted.clone() }, &bar);
        bar.finish();
        result
    });
    let report = reports.remove(0);
    let search = search?;
    let rocq = options.rocq.as_ref().map(|path| rocq::File::write(path, &setting, mapping, &wanted, &report, &search));
    Ok((wanted, report, search, rocq))
}
