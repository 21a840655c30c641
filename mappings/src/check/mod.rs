//! The check of a mapping: bounds from 1 upward, every thread shape of a bound, every axiom; the first counterexample is so a
//! smallest one (2019 paper, section 5.2, for one execution).

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

pub use crate::encode::{Switch, Techniques};
pub use crate::level::{CoReading, Level};
pub use crate::search::{Progress, Silent};
pub use crate::witness::{Fault, Witness, witness};
pub use cases::{CaseFile, Cost, Costs, Cube, Engine, Fact, Recorded, Solved, WholeAnswer, Work, covers, makespan, recorded};
pub use options::{CheckOptions, MAX_BOUND};
pub(crate) use program::image;
pub use report::{AxiomReport, CheckReport, Counterexample, Listed, Row, Verdict};
pub use verify::verify;

use std::sync::PoisonError;

use margay_models::diagnostic::Diagnostic;
use margay_models::signature::Construct;
use margay_models::whole::{is_full, unfinished_in};

use crate::certificate;
use crate::encode::atoms::Atoms;
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::pool::{Pool, pool};
use crate::search::Start;
use case::{Answer, Decision, Extent, Setting};
use cases::Decider;
use kind::Kind;
use questions::Asked;
use round::Decided;

/// What options ask of a mapping: the numbers of the source's axioms, and the constructs that programs are made of.
///
/// # Errors
/// Those of [`check`] that the bound has no part in.
pub fn asked(mapping: &Mapping, options: &CheckOptions) -> Result<(Vec<usize>, Vec<Construct>), Vec<Diagnostic>> {
    let asked = questions::resolve(mapping, options)?;
    Ok((asked.questions.iter().map(|q| q.0).collect(), asked.constructs))
}

/// Checks a mapping.
///
/// # Errors
/// Options that do not fit the mapping: unknown axioms or constructs, a bound out of range, models that the check cannot use.
pub fn check(mapping: &Mapping, options: &CheckOptions, progress: &dyn Progress) -> Result<CheckReport, Vec<Diagnostic>> {
    let asked = questions::resolve(mapping, options)?;
    let mut kinds = Kind::all(mapping, options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_bound(&kind.problem, options))?;
    let pool = pool(options.jobs)?;

    if let Some(folder) = &options.dump_cnf {
        dumps_into(folder).map_err(|error| vec![error])?;
    }
    if let Some(folder) = &options.certify {
        certify::goes_on(mapping, options, &asked, folder)?;
    }
    let open = |folder| cases::Answers::open(folder, mapping, options, &asked, progress);
    let answers = options.checkpoint.as_deref().map(open).transpose()?;
    let keeping = answers.as_ref().map(|answers| cases::Keeping { answers, inner: &cases::Search, progress });
    let elsewhere = keeping.zip(options.engine.as_deref()).map(|(inner, engine)| cases::Elsewhere { engine, inner });
    let decider: &dyn Decider = match (&elsewhere, &keeping) {
        (Some(elsewhere), _) => elsewhere,
        (None, Some(keeping)) => keeping,
        (None, None) => &cases::Search,
    };

    let axiom = |ask: &case::Ask| AxiomReport { axiom: name(mapping, ask), verdict: Verdict::None, bound: 0, rows: Vec::new() };
    let mut report = CheckReport {
        verdict: Verdict::None,
        established: 0,
        axioms: kinds[0].asks.iter().map(axiom).collect(),
        counterexamples: Vec::new(),
        candidates: Vec::new(),
        truncated: false,
        listed: Vec::new(),
        explained: 0,
        constructs: asked.constructs.iter().map(|c| c.name(mapping.source.signature)).collect(),
        certified: None,
        undumped: None,
        uncertified: Vec::new(),
    };
    let (mut certified, mut unwritten) = (Vec::new(), Vec::new());
    for bound in 1..=options.bound {
        let open: Vec<usize> = (0..report.axioms.len()).filter(|&q| report.axioms[q].verdict == Verdict::None).collect();
        if open.is_empty() || (report.verdict == Verdict::Counterexample && !options.keep_going) {
            break;
        }
        let shapes = Shape::all(bound);
        let names: Vec<String> = open.iter().map(|&q| report.axioms[q].axiom.clone()).collect();
        if !options.techniques.thread_shapes && options.level == Level::Execution {
            // One problem for all shapes; a counterexample is then looked for shape by shape, as always.
            progress.bound(bound, shapes.len(), &names);
            match at_once(&mut report, &kinds[0].setting(mapping, options), (bound, &open), &pool) {
                Ok(false) => {}
                settled => {
                    settled.err().into_iter().for_each(|fault| undecided(&mut report, &open, &fault));
                    summarise(&mut report, bound);
                    if matches!(report.verdict, Verdict::Undecided(_)) {
                        break;
                    }
                    continue;
                }
            }
        }
        // Other kinds of programs are asked about where the simpler ones have no counterexample.
        let mut earlier: Vec<Decision> = Vec::new();
        let last = kinds.len() - 1;
        for (k, kind) in kinds.iter_mut().enumerate() {
            progress.bound(bound, shapes.len(), &names);
            let setting = kind.setting(mapping, options);
            let decided = match round::decide(&setting, decider, (&shapes, &open), (&pool, progress)) {
                Ok(decided) => decided,
                Err(fault) => {
                    undecided(&mut report, &open, &fault);
                    break;
                }
            };
            let none = decided.iter().flat_map(|d| &d.decisions).all(|d| d.answer == Answer::None);
            if !none || k == last {
                conclude(&mut report, (&setting, decider), (&asked, &shapes), &open, (&decided, &earlier), (&pool, progress));
            }
            if options.certify.is_some() {
                certified.push(certify::entry(bound, k, &decided));
                unwritten.extend(decided.iter().flat_map(|of| of.certified.unwritten.iter().cloned()));
            }
            kind.learn_from(&decided);
            if !none {
                break;
            }
            earlier.extend(decided.into_iter().flat_map(|d| d.decisions));
        }
        summarise(&mut report, bound);
        if matches!(report.verdict, Verdict::Undecided(_)) {
            break;
        }
    }
    if let Some(folder) = &options.certify {
        let questions: Vec<String> = report.axioms.iter().map(|a| a.axiom.clone()).collect();
        // Whatever becomes of the certificate, the answer stands.
        report.uncertified = certificate::unwritten(&unwritten);
        match certify::write(mapping, options, &questions, kinds.len(), certified, folder) {
            Ok(written) => report.certified = Some(written),
            Err(errors) => report.uncertified.extend(errors),
        }
    }
    report.undumped = kinds.into_iter().find_map(|kind| kind.unwritten.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(report)
}

/// Asks the open questions of all shapes of a bound at once. Has none of them a counterexample?
fn at_once(
    report: &mut CheckReport,
    setting: &Setting<'_>,
    (bound, open): (usize, &[usize]),
    pool: &Pool,
) -> Result<bool, Fault> {
    let decisions = pool.install(|| case::decide(setting, Extent::Events(bound), open, Start::Solver))?;
    if decisions.iter().any(|d| d.answer == Answer::Found) {
        return Ok(false);
    }
    for &question in open {
        record(report, question, bound, &[("any".to_owned(), &decisions)], 1, &[]);
    }
    Ok(true)
}

/// Says of the open questions that a fault left them undecided.
fn undecided(report: &mut CheckReport, open: &[usize], fault: &Fault) {
    open.iter().for_each(|&q| report.axioms[q].verdict = Verdict::Undecided(fault.to_string()));
}

/// Can formulas be written into the folder? It is made if it is not there.
fn dumps_into(folder: &std::path::Path) -> Result<(), Diagnostic> {
    let made = std::fs::create_dir_all(folder).and_then(|()| unfinished_in(folder)).map(drop);
    let made = made.or_else(|error| if is_full(&error) { Ok(()) } else { Err(error) });
    made.map_err(|e| {
        let error = Diagnostic::error(format!("cannot write formulas into `{}`: {e}", folder.display()));
        error.help("give `--dump-cnf` a folder that can be written")
    })
}

/// Reports what came out at one bound, and chooses the counterexamples. `earlier` are the decisions about simpler programs.
fn conclude(
    report: &mut CheckReport,
    (setting, decider): (&Setting<'_>, &dyn Decider),
    (asked, shapes): (&Asked, &[Shape]),
    open: &[usize],
    (decided, earlier): (&[Decided<'_>], &[Decision]),
    (pool, progress): (&Pool, &dyn Progress),
) {
    let v = &setting.problem.vocabulary;
    let bound = shapes.first().map_or(0, Shape::events);
    let named: Vec<(String, &[Decision])> = decided.iter().map(|d| (d.shape.to_string(), d.decisions.as_slice())).collect();
    for &question in open {
        record(report, question, bound, &named, shapes.len(), earlier);
    }
    let pending = decided.iter().flat_map(|of| of.decisions.iter().filter_map(move |d| Some((of.shape, d.pending.as_ref()?))));
    for (shape, instance) in pending {
        let candidate = witness(setting.mapping, v, &Atoms::new(shape, v.content.slots), instance);
        report.candidates.extend(candidate.and_then(|w| program::litmus(&w).ok()));
    }
    for &question in open {
        if report.axioms[question].verdict == Verdict::Counterexample {
            progress.choosing(&report.axioms[question].axiom, bound);
            if let Err(fault) = choose::choose(report, (setting, decider), (asked, shapes), (question, decided), (pool, progress))
            {
                report.axioms[question].verdict = Verdict::Undecided(fault.to_string());
            }
        }
    }
}

/// The names of a question's axioms.
fn name(mapping: &Mapping, ask: &case::Ask) -> String {
    ask.questions.iter().map(|q| mapping.source.checks[q.0].display_name()).collect::<Vec<_>>().join(" & ")
}

/// Adds the row of one question at one bound; `earlier` are the decisions about simpler programs.
fn record(
    report: &mut CheckReport,
    question: usize,
    bound: usize,
    by_shape: &[(String, &[Decision])],
    all_shapes: usize,
    earlier: &[Decision],
) {
    let all: Vec<&Decision> = by_shape.iter().flat_map(|&(_, d)| d).filter(|d| d.question == question).collect();
    let found = all.iter().any(|d| d.answer == Answer::Found);
    let unknown = all.iter().filter(|d| d.answer == Answer::Unknown).count();
    if !found && all.len() < all_shapes {
        // Another axiom's counterexample ended the search; nothing is said about this one at this bound.
        return;
    }
    // A counterexample of this size is a smallest one, whatever the undecided shapes hold.
    let verdict = match (found, unknown) {
        (true, _) => Verdict::Counterexample,
        (false, 0) => Verdict::None,
        (false, n) => {
            let open = |d: &[Decision]| d.iter().any(|d| d.question == question && d.answer == Answer::Unknown);
            let shapes: Vec<&str> = by_shape.iter().filter(|(_, d)| open(d)).map(|(s, _)| s.as_str()).collect();
            Verdict::Undecided(format!(
                "{n} of {} thread shapes of {bound} events are not decided: {}",
                all.len(),
                shapes.join(", ")
            ))
        }
    };
    let axiom = &mut report.axioms[question];
    axiom.verdict = verdict.clone();
    if !matches!(verdict, Verdict::Undecided(_)) {
        axiom.bound = bound;
    }
    let effort: Vec<&Decision> = all.iter().copied().chain(earlier.iter().filter(|d| d.question == question)).collect();
    let explained = effort.iter().map(|d| d.candidates.explained).sum::<usize>();
    report.explained += explained;
    axiom.rows.push(Row {
        axiom: axiom.axiom.clone(),
        bound,
        verdict,
        shapes: all.len() - unknown,
        all_shapes,
        variables: effort.iter().map(|d| d.statistics.variables).sum(),
        clauses: effort.iter().map(|d| d.statistics.clauses).sum(),
        conflicts: effort.iter().map(|d| d.statistics.conflicts).sum(),
        seconds: effort.iter().map(|d| d.seconds).sum(),
        explained,
        racy: effort.iter().map(|d| d.candidates.racy).sum(),
    });
}

/// The verdict over all axioms after a bound.
fn summarise(report: &mut CheckReport, bound: usize) {
    let undecided = report.axioms.iter().find_map(|a| match &a.verdict {
        Verdict::Undecided(why) => Some(format!("{}: {why}", a.axiom)),
        Verdict::None | Verdict::Counterexample => None,
    });
    let found = report.axioms.iter().any(|a| a.verdict == Verdict::Counterexample);
    match (found, undecided) {
        (true, _) => report.verdict = Verdict::Counterexample,
        (false, Some(why)) => report.verdict = Verdict::Undecided(why),
        (false, None) => report.established = bound,
    }
}
