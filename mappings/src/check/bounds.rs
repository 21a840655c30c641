//! The bounds of a check: what is asked at each, and what is reported of it.

use super::case::{self, CaseAnswer, CaseDecision, CaseExtent, CheckSetting};
use super::cases::Decider;
use super::choose;
use super::kind::ProgramKind;
use super::options::CheckOptions;
use super::program;
use super::questions::CheckQuestions;
use super::report::{AxiomEffort, CheckReport, CheckVerdict};
use super::round::{self, DecidedShape};
use crate::certificate::CertificateWriter;
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::level::Level;
use crate::pool::SearchThreads;
use crate::search::{Deepening, Progress, SearchBound, Start, counted_events};
use crate::witness::{SearchFault, witness};

/// A check, as far as it is.
pub struct Checking<'a> {
    pub mapping: &'a Mapping,
    pub options: &'a CheckOptions,
    pub asked: &'a CheckQuestions,
    /// Who decides cases.
    pub decider: &'a dyn Decider,
    /// The kinds of programs, with what was learned of each.
    pub kinds: Vec<ProgramKind>,
    /// What came out.
    pub report: CheckReport,
    /// The proofs.
    pub certificate: CertificateWriter<'a>,
}

impl Deepening for Checking<'_> {
    fn open(&self) -> Vec<usize> {
        match self.report.verdict {
            CheckVerdict::Undecided(_) => Vec::new(),
            CheckVerdict::Counterexample if !self.options.keep_going => Vec::new(),
            CheckVerdict::Counterexample | CheckVerdict::None => {
                let axioms = &self.report.axioms;
                (0..axioms.len()).filter(|&q| axioms[q].verdict == CheckVerdict::None).collect()
            }
        }
    }

    fn decide(&mut self, bound: &SearchBound<'_>) {
        if self.options.techniques.thread_shapes
            || self.options.level == Level::Program
            || !self.at_once(bound)
        {
            self.shape_by_shape(bound);
        }
        summarise(&mut self.report, bound.events);
    }
}

impl Checking<'_> {
    /// The names of the questions that are asked.
    fn names(&self, bound: &SearchBound<'_>) -> Vec<String> {
        bound.open.iter().map(|&q| self.report.axioms[q].axiom.clone()).collect()
    }

    /// Asks about all shapes in one problem, and says whether that settled it: a counterexample is
    /// looked for shape by shape, as always.
    fn at_once(&mut self, bound: &SearchBound<'_>) -> bool {
        bound.begin(bound.shapes.len(), &self.names(bound));
        let setting = self.kinds[0].setting(self.mapping, self.options);
        let decided = bound.pool.install(|| {
            case::decide(&setting, CaseExtent::Events(bound.events), bound.open, Start::Solver)
        });
        match decided {
            Err(fault) => undecided(&mut self.report, bound.open, &fault),
            Ok(decisions) if decisions.iter().any(|d| d.answer == CaseAnswer::Found) => {
                return false;
            }
            Ok(decisions) => {
                for &question in bound.open {
                    record(
                        &mut self.report,
                        question,
                        bound.events,
                        &[("any".to_owned(), &decisions)],
                        1,
                        &[],
                    );
                }
            }
        }
        true
    }

    /// Asks about the shapes one by one. Other kinds of programs are asked about where the simpler
    /// ones have no counterexample.
    fn shape_by_shape(&mut self, bound: &SearchBound<'_>) {
        let names = self.names(bound);
        let Self { mapping, options, asked, decider, kinds, report, certificate } = self;
        let SearchBound { events, shapes, open, pool, progress } = *bound;
        let mut earlier: Vec<CaseDecision> = Vec::new();
        let last = kinds.len() - 1;
        for (k, kind) in kinds.iter_mut().enumerate() {
            let done = bound.begin(shapes.len(), &names);
            let setting = kind.setting(mapping, options);
            let decided = match round::decide(&setting, *decider, (shapes, open), (pool, &done)) {
                Ok(decided) => decided,
                Err(fault) => return undecided(report, open, &fault),
            };
            let none =
                decided.iter().flat_map(|d| &d.decisions).all(|d| d.answer == CaseAnswer::None);
            if !none || k == last {
                conclude(
                    report,
                    (&setting, *decider),
                    (asked, shapes),
                    open,
                    (&decided, &earlier),
                    (pool, progress),
                );
            }
            let answered = decided.iter().filter(|of| !of.decisions.is_empty());
            let cases = answered.flat_map(|of| of.certified.cases.iter().cloned());
            let unwritten = decided.iter().flat_map(|of| of.certified.unwritten.iter().cloned());
            certificate.keep((events, k), cases, unwritten);
            kind.learn_from(&decided);
            if !none {
                return;
            }
            earlier.extend(decided.into_iter().flat_map(|d| d.decisions));
        }
    }
}

/// Says of the open questions that a fault left them undecided.
fn undecided(report: &mut CheckReport, open: &[usize], fault: &SearchFault) {
    open.iter()
        .for_each(|&q| report.axioms[q].verdict = CheckVerdict::Undecided(fault.to_string()));
}

/// Reports what came out at one bound, and chooses the counterexamples. `earlier` are the decisions
/// about simpler programs.
fn conclude(
    report: &mut CheckReport,
    (setting, decider): (&CheckSetting<'_>, &dyn Decider),
    (asked, shapes): (&CheckQuestions, &[ThreadShape]),
    open: &[usize],
    (decided, earlier): (&[DecidedShape<'_>], &[CaseDecision]),
    (pool, progress): (&SearchThreads, &dyn Progress),
) {
    let v = &setting.problem.vocabulary;
    let bound = shapes.first().map_or(0, ThreadShape::events);
    let named: Vec<(String, &[CaseDecision])> =
        decided.iter().map(|d| (d.shape.to_string(), d.decisions.as_slice())).collect();
    for &question in open {
        record(report, question, bound, &named, shapes.len(), earlier);
    }
    let pending = decided.iter().flat_map(|of| {
        of.decisions.iter().filter_map(move |d| Some((of.shape, d.pending.as_ref()?)))
    });
    for (shape, instance) in pending {
        let candidate = witness(setting.mapping, v, &Atoms::new(shape, v.content.slots), instance);
        report.candidates.extend(candidate.and_then(|w| program::litmus(&w).ok()));
    }
    for &question in open {
        if report.axioms[question].verdict == CheckVerdict::Counterexample {
            progress.choosing(&report.axioms[question].axiom, bound);
            if let Err(fault) = choose::choose(
                report,
                (setting, decider),
                (asked, shapes),
                (question, decided),
                (pool, progress),
            ) {
                report.axioms[question].verdict = CheckVerdict::Undecided(fault.to_string());
            }
        }
    }
}

/// Adds the row of one question at one bound; `earlier` are the decisions about simpler programs.
fn record(
    report: &mut CheckReport,
    question: usize,
    bound: usize,
    by_shape: &[(String, &[CaseDecision])],
    all_shapes: usize,
    earlier: &[CaseDecision],
) {
    let all: Vec<&CaseDecision> =
        by_shape.iter().flat_map(|&(_, d)| d).filter(|d| d.question == question).collect();
    let found = all.iter().any(|d| d.answer == CaseAnswer::Found);
    let unknown = all.iter().filter(|d| d.answer == CaseAnswer::Unknown).count();
    if !found && all.len() < all_shapes {
        // Another axiom's counterexample ended the search; nothing is said about this one at this
        // bound.
        return;
    }
    // A counterexample of this size is a smallest one, whatever the undecided shapes hold.
    let verdict = match (found, unknown) {
        (true, _) => CheckVerdict::Counterexample,
        (false, 0) => CheckVerdict::None,
        (false, n) => {
            let open = |d: &[CaseDecision]| {
                d.iter().any(|d| d.question == question && d.answer == CaseAnswer::Unknown)
            };
            let shapes: Vec<&str> =
                by_shape.iter().filter(|(_, d)| open(d)).map(|(s, _)| s.as_str()).collect();
            CheckVerdict::Undecided(format!(
                "of programs with {}, {n} of {} thread shapes not decided (events of each thread: {})",
                counted_events(bound),
                all.len(),
                shapes.join(", ")
            ))
        }
    };
    let axiom = &mut report.axioms[question];
    axiom.verdict = verdict.clone();
    if !matches!(verdict, CheckVerdict::Undecided(_)) {
        axiom.bound = bound;
    }
    let effort: Vec<&CaseDecision> =
        all.iter().copied().chain(earlier.iter().filter(|d| d.question == question)).collect();
    let explained = effort.iter().map(|d| d.candidates.explained).sum::<usize>();
    report.explained += explained;
    report.old += effort.iter().map(|d| d.candidates.old).sum::<usize>();
    axiom.rows.push(AxiomEffort {
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
        CheckVerdict::Undecided(why) => Some(format!("{}: {why}", a.axiom)),
        CheckVerdict::None | CheckVerdict::Counterexample => None,
    });
    let found = report.axioms.iter().any(|a| a.verdict == CheckVerdict::Counterexample);
    match (found, undecided) {
        (true, _) => report.verdict = CheckVerdict::Counterexample,
        (false, Some(why)) => report.verdict = CheckVerdict::Undecided(why),
        (false, None) => report.established = bound,
    }
}
