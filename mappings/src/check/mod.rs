//! The check of a mapping: bounds from 1 upward, every thread shape of a bound, every axiom; the first counterexample is so a
//! smallest one (2019 paper, section 5.2, for one execution).

pub(crate) mod canonical;
mod case;
mod cases;
mod certify;
mod kind;
mod options;
mod program;
mod questions;
mod report;
mod taught;
mod verify;
mod witness;

pub use crate::encode::{Switch, Techniques};
pub use cases::{CaseFile, Cost, Costs, Cube, Engine, Fact, Recorded, Solved, Work, covers, makespan, recorded};
pub use options::{CheckOptions, CoReading, Level, MAX_BOUND};
pub use report::{AxiomReport, CheckReport, Counterexample, Row, Verdict};
pub use verify::verify;
pub use witness::{Fault, Witness, witness};

use margay_models::diagnostic::Diagnostic;
use margay_models::explain;
use rayon::prelude::*;

use crate::encode::atoms::Atoms;
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::pool::pool;
use case::{Answer, Decision, Extent, Setting};
use kind::{Decided, Kind};
use program::Learned;

/// Told what a check is doing. Methods are called from several threads.
pub trait Progress: Sync {
    /// A bound begins: so many thread shapes are to be decided for these axioms.
    fn bound(&self, events: usize, shapes: usize, axioms: &[String]) {
        let _ = (events, shapes, axioms);
    }

    /// A thread shape was decided for all axioms; so many of the bound are done.
    fn shape(&self, shape: &str, done: usize) {
        let _ = (shape, done);
    }

    /// Of a bound's cases that are solved elsewhere, so many are done of so many.
    fn cases(&self, done: usize, of: usize) {
        let _ = (done, of);
    }

    /// A counterexample exists, and the smallest one is being chosen.
    fn choosing(&self, axiom: &str, events: usize) {
        let _ = (axiom, events);
    }

    /// Something is not as it should be, and the check goes on.
    fn warning(&self, what: &Diagnostic) {
        let _ = what;
    }
}

/// No progress display.
pub struct Silent;

impl Progress for Silent {}

/// Checks a mapping.
///
/// # Errors
/// Options that do not fit the mapping: unknown axioms or constructs, a bound out of range, models that the check cannot use.
pub fn check(mapping: &Mapping, options: &CheckOptions, progress: &dyn Progress) -> Result<CheckReport, Vec<Diagnostic>> {
    let asked = questions::resolve(mapping, options)?;
    let mut kinds = Kind::all(mapping, options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_bound(&kind.problem, options))?;
    let pool = pool(options.jobs)?;

    if let Some(folder) = &options.certify {
        certify::goes_on(mapping, options, folder)?;
    }
    let open = |folder| cases::Answers::open(folder, mapping, options, &asked, progress);
    let answers = options.checkpoint.as_deref().map(open).transpose()?;

    let axiom = |ask: &case::Ask| AxiomReport { axiom: name(mapping, ask), verdict: Verdict::None, bound: 0, rows: Vec::new() };
    let mut report = CheckReport {
        verdict: Verdict::None,
        established: 0,
        axioms: kinds[0].asks.iter().map(axiom).collect(),
        counterexamples: Vec::new(),
        candidates: Vec::new(),
        truncated: false,
        explained: 0,
        constructs: asked.constructs.iter().map(|c| c.name(mapping.source.signature)).collect(),
        certified: None,
    };
    let mut certified = Vec::new();
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
            let setting = kinds[0].setting(mapping, options, None);
            let decisions = pool.install(|| case::decide(&setting, Extent::Events(bound), &open)).unwrap_or_default();
            if !decisions.is_empty() && decisions.iter().all(|d| d.answer != Answer::Found) {
                for &question in &open {
                    record(&mut report, question, bound, &[("any".to_owned(), &decisions)], 1, &[]);
                }
                summarise(&mut report, bound);
                if matches!(report.verdict, Verdict::Undecided(_)) {
                    break;
                }
                continue;
            }
        }
        // Other kinds of programs are asked about where the simpler ones have no counterexample.
        let mut earlier: Vec<Decision> = Vec::new();
        let last = kinds.len() - 1;
        for (k, kind) in kinds.iter_mut().enumerate() {
            progress.bound(bound, shapes.len(), &names);
            let setting = kind.setting(mapping, options, answers.as_ref());
            let decided = match kind::decide(&setting, &shapes, &open, (&pool, progress)) {
                Ok(decided) => decided,
                Err(disagreement) => {
                    open.iter().for_each(|&q| report.axioms[q].verdict = Verdict::Undecided(disagreement.to_string()));
                    break;
                }
            };
            let none = decided.iter().flat_map(|d| &d.decisions).all(|d| d.answer == Answer::None);
            if !none || k == last {
                conclude(&mut report, &setting, bound, &shapes, &open, &decided, &earlier, (&pool, progress));
            }
            if options.certify.is_some() {
                certified.push(certify::entry(bound, k, &decided));
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
        report.certified = Some(certify::write(mapping, options, &questions, kinds.len(), certified, folder)?);
    }
    Ok(report)
}

/// Reports what came out at one bound, and chooses the counterexamples.
#[allow(clippy::too_many_arguments, reason = "what one bound is about")]
fn conclude(
    report: &mut CheckReport,
    setting: &Setting<'_>,
    bound: usize,
    shapes: &[Shape],
    open: &[usize],
    decided: &[Decided<'_>],
    earlier: &[Decision],
    (pool, progress): (&rayon::ThreadPool, &dyn Progress),
) {
    let v = &setting.problem.vocabulary;
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
            if let Err(disagreement) = choose(report, setting, question, decided, (pool, progress)) {
                report.axioms[question].verdict = Verdict::Undecided(disagreement.to_string());
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
            let reason = all.iter().find_map(|d| d.reason.as_ref()).map_or(String::new(), |r| format!("; {r}"));
            Verdict::Undecided(format!(
                "{n} of {} thread shapes of {bound} events are not decided: {}{reason}",
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

/// Chooses the counterexamples of one question among the shapes that have one.
fn choose(
    report: &mut CheckReport,
    setting: &Setting<'_>,
    question: usize,
    decided: &[Decided<'_>],
    (pool, progress): (&rayon::ThreadPool, &dyn Progress),
) -> Result<(), Fault> {
    let is_found = |d: &&Decision| d.question == question && d.answer == Answer::Found;
    let found: Vec<(&Decided<'_>, &Learned)> =
        decided.iter().filter_map(|of| Some((of, &of.decisions.iter().find(is_found)?.learned))).collect();
    let ask = &setting.asks[question];
    let v = &setting.problem.vocabulary;
    let mut chosen = Vec::new();
    if let Some(limit) = setting.options.all {
        for (of, _) in &found {
            let (instances, atoms, more) = case::every(setting, of.shape, question, limit)?;
            report.truncated |= more;
            for instance in instances {
                chosen.extend(witness(setting.mapping, v, &atoms, &instance));
            }
        }
        chosen = canonical::distinct(chosen);
        report.truncated |= chosen.len() > limit;
        chosen.truncate(limit);
    } else {
        let Some(fewest) = found.iter().map(|(of, _)| of.shape.threads()).min() else { return Ok(()) };
        let candidates: Vec<&(&Decided<'_>, &Learned)> = found.iter().filter(|(of, _)| of.shape.threads() == fewest).collect();
        let of_each: Vec<Option<case::Preferred>>;
        let known: Vec<Option<&case::Preferred>> = if setting.options.level == Level::Program {
            decided.iter().filter(|of| of.shape.threads() == fewest).map(|of| of.preferred.as_ref()).collect()
        } else {
            of_each = pool.install(|| {
                let each = candidates.par_iter().with_max_len(1);
                each.map(|(of, learned)| cases::preferred(setting, of.shape, question, learned, None, progress))
                    .collect::<Result<_, _>>()
            })?;
            of_each.iter().map(Option::as_ref).collect()
        };
        let best = known.into_iter().flatten().reduce(|a, b| if b.cost < a.cost { b } else { a });
        let Some(best) = best else {
            report.axioms[question].verdict = Verdict::Undecided(
                "a counterexample exists, but a limit was reached before the smallest one was chosen".to_owned(),
            );
            return Ok(());
        };
        chosen.extend(witness(setting.mapping, v, &best.atoms, &best.instance));
    }
    if chosen.is_empty() {
        return Err(Fault::Disagreement("an instance could not be read back".to_owned()));
    }
    for witness in chosen {
        let violated = witness.confirm(setting.mapping, &ask.questions, setting.options.level)?;
        let check = &setting.mapping.source.checks[violated.0];
        report.counterexamples.push(Counterexample {
            axiom: check.display_name(),
            events: witness.source.events.iter().filter(|e| e.thread.is_some()).count(),
            violation: explain::violation(&setting.mapping.source, &witness.source, violated.0),
            guards: program::guards(&witness.source),
            computed: if setting.options.level == Level::Program { program::computed(&witness.source) } else { 0 },
            source: witness.source,
            target: witness.target,
            origin: witness.origin,
            finals: witness.finals,
            target_finals: witness.target_finals,
        });
    }
    Ok(())
}
