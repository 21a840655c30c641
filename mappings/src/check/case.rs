//! One case: a thread shape, decided for each question.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use margay_solver::{Formula, Instance, Literal, Statistics};

use super::cases::{CaseCost, CaseCosts, Cube};
use super::options::CheckOptions;
use super::program::{Learned, RaceLesson, Taught};
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::encode::{AxiomId, MappingProblem};
use crate::language::Mapping;
pub use crate::search::CaseAnswer;
use crate::search::{Case, CaseFinding, Start};
use crate::witness::SearchFault;

/// The answer for one question, and what it took.
#[derive(Debug, Clone)]
pub struct CaseDecision {
    /// What was asked: an index into the questions, or all of them together.
    pub question: usize,
    pub answer: CaseAnswer,
    /// Sizes of the problem; conflicts of this question alone.
    pub statistics: Statistics,
    /// Seconds, translation included.
    pub seconds: f64,
    /// Candidates that were refuted.
    pub candidates: Candidates,
    pub learned: Learned,
    /// With [`CaseAnswer::Unknown`]: the candidate that was not decided, if it was in hand.
    pub pending: Option<Instance>,
}

impl CaseDecision {
    /// What it took.
    pub fn cost(&self) -> CaseCost {
        CaseCost { conflicts: self.statistics.conflicts as f64, seconds: self.seconds }
    }
}

/// Candidates that were refuted, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Candidates {
    /// By a modification order that explains the outcome.
    pub explained: usize,
    /// By a race in another execution of the program.
    pub racy: usize,
    /// By the baseline, of which they are counterexamples, too.
    pub old: usize,
}

impl Candidates {
    /// Those that taught this: each taught one lesson.
    fn that_taught(learned: &[Taught]) -> Self {
        let racy = learned.iter().filter(|taught| matches!(taught, Taught::Race(_))).count();
        let old = learned.iter().filter(|taught| matches!(taught, Taught::Old(_))).count();
        Self { explained: learned.len() - racy - old, racy, old }
    }
}

/// A question as the solver gets it: a violation of one axiom or, where the modification order may
/// be chosen, of some axiom.
#[derive(Debug, Clone)]
pub struct CaseQuestion {
    /// The axioms, of which one must be violated.
    pub questions: Vec<AxiomId>,
    /// The violation as a formula.
    pub goal: Formula,
}

/// What all cases of one check share.
pub struct CheckSetting<'a> {
    pub mapping: &'a Mapping,
    /// The formulas.
    pub problem: &'a MappingProblem,
    pub asks: &'a [CaseQuestion],
    pub options: &'a CheckOptions,
    /// What smaller programs taught.
    pub lessons: &'a BTreeSet<RaceLesson>,
    /// What the cases of smaller bounds cost.
    pub costs: &'a CaseCosts,
    /// Why a formula that was to be written was not, if there is one.
    pub unwritten: &'a Mutex<Option<String>>,
}

/// Which executions a case is about.
#[derive(Debug, Clone, Copy)]
pub enum CaseExtent<'a> {
    /// Those of a thread shape.
    Shape(&'a ThreadShape),
    /// Those of a thread shape that are in a leaf of a tree of facts.
    Leaf(&'a ThreadShape, &'a Cube),
    /// Those of so many events, in whatever threads.
    Events(usize),
}

impl std::fmt::Display for CaseExtent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CaseExtent::Shape(shape) | CaseExtent::Leaf(shape, _) => shape.fmt(f),
            CaseExtent::Events(n) => write!(f, "any-{n}"),
        }
    }
}

type CheckCase<'a> = Case<'a, CheckSetting<'a>>;

/// The case of some executions.
fn case<'a>(
    setting: &'a CheckSetting<'a>,
    extent: CaseExtent<'_>,
    start: Start<'_>,
) -> CheckCase<'a> {
    let slots = setting.problem.vocabulary.content.slots;
    let atoms = match extent {
        CaseExtent::Shape(shape) | CaseExtent::Leaf(shape, _) => Atoms::new(shape, slots),
        CaseExtent::Events(n) => Atoms::in_chosen_threads(n, slots),
    };
    let mut case = Case::new(setting, atoms, start);
    if let CaseExtent::Leaf(_, cube) = extent {
        restrict(&mut case, cube);
    }
    for &wrong in &setting.problem.lemmas {
        case.exclude(wrong);
    }
    case
}

/// Leaves the executions of a leaf alone.
fn restrict(case: &mut CheckCase<'_>, cube: &Cube) {
    for &(fact, holds) in cube {
        let tuples = fact.tuples(&case.formulas.vocabulary);
        let literals: Vec<Literal> = tuples.iter().map(|(r, p)| case.literal(*r, p)).collect();
        if holds {
            case.session.add_clause(&literals);
        } else {
            literals.into_iter().for_each(|l| case.session.add_clause(&[!l]));
        }
    }
}

/// What need not be looked beyond to find a candidate.
fn narrowed(case: &mut CheckCase<'_>, setting: &CheckSetting<'_>) -> Vec<Literal> {
    setting.problem.narrowed.map(|formula| case.goal(formula)).into_iter().collect()
}

/// What a candidate of a question must satisfy.
fn goals(case: &mut CheckCase<'_>, setting: &CheckSetting<'_>, question: usize) -> Vec<Literal> {
    let goal = case.goal(setting.asks[question].goal);
    [vec![goal], narrowed(case, setting)].concat()
}

/// Decides the questions with the given indices.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide(
    setting: &CheckSetting<'_>,
    extent: CaseExtent<'_>,
    questions: &[usize],
    who: Start<'_>,
) -> Result<Vec<CaseDecision>, SearchFault> {
    let mut out = Vec::new();
    let mut start = Instant::now();
    let mut of = case(setting, extent, who);
    let mut conflicts = 0;
    for (i, &question) in questions.iter().enumerate() {
        if i > 0 && !setting.options.techniques.shared_solver {
            start = Instant::now();
            of = case(setting, extent, who);
            conflicts = 0;
        }
        let goals = goals(&mut of, setting, question);
        if setting.options.dump_cnf.is_some() {
            dump(setting, extent, &setting.asks[question], &mut of, &goals);
        }
        let found = if setting.options.limits().reached() {
            CaseFinding::Unknown(None)
        } else {
            of.solve(&goals)?
        };
        let answer = found.answer();
        let learned = std::mem::take(&mut of.learned);
        let candidates = Candidates::that_taught(&learned);
        let mut statistics = of.session.statistics();
        (statistics.conflicts, conflicts) =
            (statistics.conflicts - conflicts, statistics.conflicts);
        let seconds = start.elapsed().as_secs_f64();
        tracing::info!(
            "{extent}: {answer:?}, {seconds:.2} s, {} conflicts, {candidates:?}",
            statistics.conflicts
        );
        let pending = if let CaseFinding::Unknown(candidate) = found { candidate } else { None };
        out.push(CaseDecision {
            question,
            answer,
            statistics,
            seconds,
            candidates,
            learned: Learned(learned),
            pending,
        });
        start = Instant::now();
    }
    Ok(out)
}

/// Writes the CNF of a case; a failure is remembered, and does not stop the search.
fn dump(
    setting: &CheckSetting<'_>,
    extent: CaseExtent<'_>,
    ask: &CaseQuestion,
    case: &mut CheckCase<'_>,
    goals: &[Literal],
) {
    let Some(folder) = &setting.options.dump_cnf else { return };
    let names: Vec<String> =
        ask.questions.iter().map(|q| setting.mapping.source.checks[q.0].display_name()).collect();
    let clean = |name: &str| {
        name.chars()
            .map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' })
            .collect::<String>()
    };
    let file = format!("{}-{}-{extent}.cnf", case.atoms.events(), clean(&names.join("-")));
    let path = folder.join(&file);
    let comment = format!(
        "margay: {}\naxiom: {}\nthread shape: {extent}",
        setting.mapping.title,
        names.join(", ")
    );
    let place = margay_models::confined::place_in(folder, &file);
    let written = place.and_then(|place| margay_models::durable::anew(&place)).and_then(|file| {
        let mut file = BufWriter::new(file);
        case.session.write_dimacs(&mut file, goals, &[&comment])?;
        file.flush()
    });
    if let Err(error) = written {
        let mut unwritten = setting.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        unwritten.get_or_insert_with(|| format!("cannot write `{}`: {error}", path.display()));
    }
}

mod certified;
#[cfg(test)]
mod lessons;
mod preferred;
mod refute;

pub use certified::{decide_certified, replay};
pub use preferred::{Preferred, Wanted, every, preferred};
