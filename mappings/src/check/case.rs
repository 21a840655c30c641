//! One case: a thread shape, decided for each question; and the choice among the counterexamples of a shape.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use margay_solver::{Atom, Bounds, Encoding, Formula, Instance, Literal, Outcome, Relation, Session, Statistics, TupleSet};

use super::cases::{Answers, Costs, Cube};
use super::options::{CheckOptions, CoReading, Level};
use super::program::{self, Learned, Lesson, Refuter, Taught};
use super::witness::{Fault, witness};
use crate::encode::atoms::{Atoms, Place};
use crate::encode::preference;
use crate::encode::shape::Shape;
use crate::encode::symmetry::equal_threads;
use crate::encode::{Prefix, Problem, Question, Reasons};
use crate::language::Mapping;

/// How one question came out for one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// There is a counterexample.
    Found,
    /// There is none.
    None,
    /// A limit was reached.
    Unknown,
}

/// The answer for one question, and what it took.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What was asked: an index into the questions, or all of them together.
    pub question: usize,
    /// The answer.
    pub answer: Answer,
    /// Sizes of the problem; conflicts of this question alone.
    pub statistics: Statistics,
    /// Seconds, translation included.
    pub seconds: f64,
    /// Candidates that were refuted.
    pub candidates: Candidates,
    /// What was learned from them.
    pub learned: Learned,
    /// With [`Answer::Unknown`]: the candidate that was not decided, if it was in hand.
    pub pending: Option<Instance>,
}

/// Candidates that were refuted, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Candidates {
    /// By a modification order that explains the outcome.
    pub explained: usize,
    /// By a race in another execution of the program.
    pub racy: usize,
}

/// A question as the solver gets it: a violation of one axiom or, where the modification order may be chosen, of some axiom.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The axioms, of which one must be violated.
    pub questions: Vec<Question>,
    /// The violation as a formula.
    pub goal: Formula,
}

/// What all cases of one check share.
pub struct Setting<'a> {
    /// The mapping.
    pub mapping: &'a Mapping,
    /// The formulas.
    pub problem: &'a Problem,
    /// The questions.
    pub asks: &'a [Ask],
    /// Options.
    pub options: &'a CheckOptions,
    /// What smaller programs taught.
    pub lessons: &'a BTreeSet<Lesson>,
    /// What the cases of smaller bounds cost.
    pub costs: &'a Costs,
    /// Where answers are kept.
    pub answers: Option<&'a Answers>,
    /// Why a formula that was to be written was not, if there is one.
    pub unwritten: &'a Mutex<Option<String>>,
}

/// A solver for one shape.
struct Case<'a> {
    setting: &'a Setting<'a>,
    /// A copy that can grow by expansions of the modification order.
    problem: std::borrow::Cow<'a, Problem>,
    /// Another one for the search for explanations: what the solver is told must not depend on it, so that it can be told again.
    explaining: std::borrow::Cow<'a, Problem>,
    atoms: Atoms,
    session: Session,
    /// Decides the questions about programs; at execution level there are none.
    refuter: Option<Refuter>,
    /// What became of candidates so far.
    candidates: Candidates,
    /// What was learned from them.
    learned: Learned,
}

/// What became of a candidate.
enum Refutation {
    /// It is a counterexample.
    None,
    /// It is none, and the solver was told why.
    Learned,
    /// A limit was reached.
    Unknown,
}

impl<'a> Case<'a> {
    fn new(setting: &'a Setting<'a>, shape: &Shape) -> Self {
        Self::of(setting, Atoms::new(shape, setting.problem.vocabulary.content.slots))
    }

    fn of(setting: &'a Setting<'a>, atoms: Atoms) -> Self {
        let encoding = setting.options.techniques.encoding;
        let session = Session::new(setting.problem.vocabulary.bounds(&atoms), encoding, &setting.options.backend);
        Self::with_session(setting, atoms, session)
    }

    fn with_session(setting: &'a Setting<'a>, atoms: Atoms, session: Session) -> Self {
        let problem = setting.problem;
        let techniques = setting.options.techniques;
        let mut case = Self {
            setting,
            problem: std::borrow::Cow::Borrowed(problem),
            explaining: std::borrow::Cow::Borrowed(problem),
            atoms,
            session,
            refuter: (setting.options.level == Level::Program).then(|| Refuter::new(&setting.mapping.source)),
            candidates: Candidates::default(),
            learned: Learned::default(),
        };
        for &formula in &problem.hard {
            case.session.assert(&problem.logic, formula);
        }
        if techniques.equal_threads && !case.atoms.chosen {
            for vectors in equal_threads(&problem.vocabulary, &case.atoms) {
                let pairs: Vec<[Literal; 2]> = vectors.into_iter().map(|pair| pair.map(|(r, p)| case.literal(r, &[p]))).collect();
                case.session.add_lexicographic(&pairs);
            }
        }
        if let Some(reasons) = case.refuter.as_ref().map(Refuter::reasons).filter(|reasons| !reasons.complete) {
            for lesson in setting.lessons {
                for prefix in lesson.in_shape(&case.atoms) {
                    case.exclude_race(&prefix, reasons);
                }
            }
        }
        case
    }

    /// A case of a leaf; of the whole shape without facts.
    fn restricted(setting: &'a Setting<'a>, atoms: Atoms, session: Session, cube: &Cube) -> Self {
        let mut case = Self::with_session(setting, atoms, session);
        case.restrict(cube);
        case
    }

    /// Teaches what was learned before in the same shape.
    fn recall(&mut self, learned: &Learned) {
        learned.0.iter().for_each(|taught| self.teach(taught));
    }

    fn teach(&mut self, taught: &Taught) {
        match (taught, self.refuter.as_ref().map(Refuter::reasons)) {
            (Taught::Order(order), _) => self.exclude(order.clone()),
            (Taught::Race(prefix), Some(reasons)) => self.exclude_race(prefix, reasons),
            // Single executions have no races with others.
            (Taught::Race(_), None) => {}
        }
    }

    /// Leaves the executions of a leaf alone.
    fn restrict(&mut self, cube: &Cube) {
        for &(fact, holds) in cube {
            let tuples = fact.tuples(&self.problem.vocabulary);
            let literals: Vec<Literal> = tuples.iter().map(|(r, p)| self.literal(*r, p)).collect();
            if holds {
                self.session.add_clause(&literals);
            } else {
                literals.into_iter().for_each(|l| self.session.add_clause(&[!l]));
            }
        }
    }

    fn literal(&mut self, relation: Relation, places: &[Place]) -> Literal {
        let tuple: Vec<Atom> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.session.tuple(relation, &tuple)
    }

    /// What need not be looked beyond to find a candidate.
    fn narrowed(&mut self) -> Vec<Literal> {
        let narrowed = self.setting.problem.narrowed;
        narrowed.map(|formula| self.session.goal(&self.setting.problem.logic, formula)).into_iter().collect()
    }

    /// What a candidate of a question must satisfy.
    fn goals(&mut self, question: usize) -> Vec<Literal> {
        let goal = self.session.goal(&self.setting.problem.logic, self.setting.asks[question].goal);
        [vec![goal], self.narrowed()].concat()
    }

    /// The modification order that explains a candidate, if there is one. `None` if a limit was reached.
    fn explanation(&mut self, instance: &Instance) -> Result<Option<Option<TupleSet>>, Fault> {
        let formula = self.explaining.to_mut().explainable(self.setting.mapping);
        let v = &self.explaining.vocabulary;
        let mut bounds: Bounds = v.bounds(&self.atoms);
        for relation in v.searched() {
            if let Some(tuples) = instance.tuples(relation) {
                bounds.exactly(relation, tuples.clone());
            }
        }
        let n = self.atoms.events();
        let event = Place::Event;
        let pairs = (0..n).flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (event(a), event(b))));
        bounds.between(v.other_order, TupleSet::new(2), self.atoms.pairs(pairs));
        let mut session = Session::new(bounds, Encoding::default(), &self.setting.options.backend);
        session.assert(&self.explaining.logic, formula);
        Ok(match session.solve(&[], &self.setting.options.limits())? {
            Outcome::Sat(found) => Some(found.tuples(v.other_order).cloned()),
            Outcome::Unsat => Some(None),
            Outcome::Unknown => None,
        })
    }

    /// From now on candidates that the order explains are left out.
    fn exclude(&mut self, order: TupleSet) {
        let formula = self.problem.to_mut().not_explained_by(self.setting.mapping, order);
        self.session.assert(&self.problem.logic, formula);
    }

    /// From now on candidates whose program races so are left out.
    fn exclude_race(&mut self, prefix: &Prefix, reasons: Reasons) {
        let problem = self.problem.to_mut();
        let races = problem.races(self.setting.mapping, &self.atoms, prefix, reasons);
        let formula = problem.logic.not(races);
        self.session.assert(&self.problem.logic, formula);
    }

    /// Is a candidate a counterexample? If not, what refutes it is excluded for all candidates.
    fn refute(&mut self, instance: &Instance) -> Result<Refutation, Fault> {
        let options = self.setting.options;
        let Some(mut refuter) = self.refuter.take() else {
            return Ok(if options.co == CoReading::Exists { self.refute_by_order(instance)? } else { Refutation::None });
        };
        let outcome = self.refute_program(&mut refuter, instance);
        self.refuter = Some(refuter);
        outcome
    }

    fn refute_by_order(&mut self, instance: &Instance) -> Result<Refutation, Fault> {
        Ok(match self.explanation(instance)? {
            None => Refutation::Unknown,
            Some(None) => Refutation::None,
            Some(Some(order)) => {
                self.candidates.explained += 1;
                self.exclude(order.clone());
                self.learned.0.push(Taught::Order(order));
                Refutation::Learned
            }
        })
    }

    fn refute_program(&mut self, refuter: &mut Refuter, instance: &Instance) -> Result<Refutation, Fault> {
        let witness = witness(self.setting.mapping, &self.problem.vocabulary, &self.atoms, instance)
            .ok_or_else(|| Fault::Disagreement("an instance could not be read back".to_owned()))?;
        // Races are found fastest, and teach most.
        let race = match refuter.race_of_interleaving(&witness) {
            Some(prefix) => Some(prefix),
            None => match self.refute_by_order(instance)? {
                Refutation::None => match refuter.run(&witness, self.setting.options)? {
                    program::Refutation::Races(prefix) => Some(prefix),
                    program::Refutation::None => return Ok(Refutation::None),
                    program::Refutation::Unknown => return Ok(Refutation::Unknown),
                },
                other => return Ok(other),
            },
        };
        if let Some(prefix) = race {
            tracing::debug!("{} conflicts, {}: {prefix:?}", self.session.statistics().conflicts, self.atoms.shape);
            if self.learned.races().any(|p| *p == prefix) {
                let what = "a race did not exclude the program that it was found in:";
                return Err(Fault::Disagreement(format!("{what}\n{}", program::litmus(&witness)?)));
            }
            self.candidates.racy += 1;
            self.exclude_race(&prefix, refuter.reasons());
            self.learned.0.push(Taught::Race(prefix));
        }
        Ok(Refutation::Learned)
    }

    /// Is there a counterexample? Without an answer, the candidate in hand is returned, if there is one. By candidate and refutation: what refutes one is excluded for all. There are finitely many
    /// modification orders and beginnings of executions.
    fn decide(&mut self, goals: &[Literal]) -> Result<(Answer, Option<Instance>), Fault> {
        loop {
            let instance = match self.session.solve(goals, &self.setting.options.limits())? {
                Outcome::Unsat => return Ok((Answer::None, None)),
                Outcome::Unknown => return Ok((Answer::Unknown, None)),
                Outcome::Sat(instance) => instance,
            };
            match self.refute(&instance)? {
                Refutation::None => return Ok((Answer::Found, Some(instance))),
                Refutation::Unknown => return Ok((Answer::Unknown, Some(instance))),
                Refutation::Learned => {}
            }
        }
    }
}

/// Which executions a case is about.
#[derive(Debug, Clone, Copy)]
pub enum Extent<'a> {
    /// Those of a thread shape.
    Shape(&'a Shape),
    /// Those of a thread shape that are in a leaf of a tree of facts.
    Leaf(&'a Shape, &'a Cube),
    /// Those of so many events, in whatever threads.
    Events(usize),
}

impl std::fmt::Display for Extent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extent::Shape(shape) | Extent::Leaf(shape, _) => shape.fmt(f),
            Extent::Events(n) => write!(f, "any-{n}"),
        }
    }
}

/// Decides the questions with the given indices.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide(setting: &Setting<'_>, extent: Extent<'_>, questions: &[usize]) -> Result<Vec<Decision>, Fault> {
    let slots = setting.problem.vocabulary.content.slots;
    let atoms = || match extent {
        Extent::Shape(shape) | Extent::Leaf(shape, _) => Atoms::new(shape, slots),
        Extent::Events(n) => Atoms::in_chosen_threads(n, slots),
    };
    decide_from(setting, extent, questions, || {
        let mut case = Case::of(setting, atoms());
        if let Extent::Leaf(_, cube) = extent {
            case.restrict(cube);
        }
        case
    })
}

fn decide_from<'a>(
    setting: &'a Setting<'a>,
    extent: Extent<'_>,
    questions: &[usize],
    start_case: impl Fn() -> Case<'a>,
) -> Result<Vec<Decision>, Fault> {
    let mut out = Vec::new();
    let mut start = Instant::now();
    let mut case = start_case();
    let mut conflicts = 0;
    for (i, &question) in questions.iter().enumerate() {
        if i > 0 && !setting.options.techniques.shared_solver {
            start = Instant::now();
            case = start_case();
            conflicts = 0;
        }
        let goals = case.goals(question);
        if setting.options.dump_cnf.is_some() {
            dump(setting, extent, &setting.asks[question], &mut case, &goals);
        }
        case.candidates = Candidates::default();
        let (answer, instance) = if setting.options.limits().reached() { (Answer::Unknown, None) } else { case.decide(&goals)? };
        let mut statistics = case.session.statistics();
        (statistics.conflicts, conflicts) = (statistics.conflicts - conflicts, statistics.conflicts);
        let seconds = start.elapsed().as_secs_f64();
        tracing::info!("{extent}: {answer:?}, {seconds:.2} s, {} conflicts, {:?}", statistics.conflicts, case.candidates);
        out.push(Decision {
            question,
            answer,
            statistics,
            seconds,
            candidates: case.candidates,
            learned: std::mem::take(&mut case.learned),
            pending: instance.filter(|_| answer == Answer::Unknown),
        });
        start = Instant::now();
    }
    Ok(out)
}

/// Writes the CNF of a case; a failure is remembered, and does not stop the search.
fn dump(setting: &Setting<'_>, extent: Extent<'_>, ask: &Ask, case: &mut Case<'_>, goals: &[Literal]) {
    let Some(folder) = &setting.options.dump_cnf else { return };
    let names: Vec<String> = ask.questions.iter().map(|q| setting.mapping.source.checks[q.0].display_name()).collect();
    let clean = |name: &str| name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect::<String>();
    let path = folder.join(format!("{}-{}-{extent}.cnf", case.atoms.events(), clean(&names.join("-"))));
    let comment = format!("margay: {}\naxiom: {}\nthread shape: {extent}", setting.mapping.title, names.join(", "));
    let written = std::fs::File::create(&path).and_then(|file| {
        let mut file = BufWriter::new(file);
        case.session.write_dimacs(&mut file, goals, &[&comment])?;
        file.flush()
    });
    if let Err(error) = written {
        let mut unwritten = setting.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        unwritten.get_or_insert_with(|| format!("cannot write `{}`: {error}", path.display()));
    }
}

/// The preferred counterexample of a shape, with its cost.
pub struct Preferred {
    /// Number of locations and weighted strength of annotations (at program level in the other order), number of guards and computed
    /// values, then whether something is read before it is written.
    pub cost: Vec<u64>,
    /// The instance.
    pub instance: Instance,
    /// The atoms that it speaks of.
    pub atoms: Atoms,
}

/// Finds the preferred counterexample of a shape, with what was learned there; `None` if there is none, or a limit was reached. With
/// `most`, only one counts whose first cost is not greater.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn preferred(
    setting: &Setting<'_>,
    shape: &Shape,
    question: usize,
    learned: &Learned,
    most: Option<u64>,
) -> Result<Option<Preferred>, Fault> {
    let start = Instant::now();
    let ask = &setting.asks[question];
    let limits = setting.options.limits();
    let v = &setting.problem.vocabulary;
    let mut case = Case::new(setting, shape);
    case.recall(learned);
    let goal = case.session.goal(&setting.problem.logic, ask.goal);
    let mut cost = Vec::new();
    let mut stages = vec![
        (preference::locations(v, &case.atoms), false),
        (preference::annotations(v, &case.atoms), false),
        (preference::guards(v, &case.atoms), true),
    ];
    if setting.options.level == Level::Program {
        // Programs are easier to read with plain data than with few locations.
        stages.swap(0, 1);
    }
    let narrowed = case.narrowed();
    for (costs, counts_guards) in stages {
        let mut goals = vec![goal];
        if !counts_guards {
            goals.extend(&narrowed);
        }
        let objective: Vec<(u32, Literal)> = costs.into_iter().map(|(w, r, p)| (w, case.literal(r, &p))).collect();
        let mut objective = case.session.objective(&objective);
        // Down from one counterexample to the next: the least sum of candidates alone would be proved for nothing.
        let mut smallest = None;
        if let Some(most) = most.filter(|_| cost.is_empty()) {
            case.session.keep_at_most(&mut objective, most)?;
        }
        loop {
            match case.session.below(&goals, &mut objective, smallest, &limits)? {
                (Outcome::Unsat, _) => break,
                (Outcome::Unknown, _) => return Ok(None),
                (Outcome::Sat(instance), sum) => match case.refute(&instance)? {
                    Refutation::None => smallest = sum,
                    Refutation::Learned => {}
                    Refutation::Unknown => return Ok(None),
                },
            }
        }
        let Some(smallest) = smallest else { return Ok(None) };
        tracing::info!("{shape}: preferred, a stage with {smallest} at {:.2} s", start.elapsed().as_secs_f64());
        case.session.keep_at_most(&mut objective, smallest)?;
        cost.push(smallest);
    }
    let mut goals = vec![goal];
    if setting.options.level == Level::Program {
        // Rather an execution in which nothing is read before it is written, in the sense of program order.
        let problem = case.problem.to_mut();
        let ordered = problem.reads_follow_program_order();
        let ordered = case.session.goal(&case.problem.logic, ordered);
        let exists = loop {
            match case.session.solve(&[goal, ordered], &limits)? {
                Outcome::Unsat => break false,
                Outcome::Unknown => return Ok(None),
                Outcome::Sat(instance) => match case.refute(&instance)? {
                    Refutation::None => break true,
                    Refutation::Learned => {}
                    Refutation::Unknown => return Ok(None),
                },
            }
        };
        cost.push(u64::from(!exists));
        goals.extend(exists.then_some(ordered));
    }
    let order: Vec<Literal> = preference::order(v, &case.atoms)
        .into_iter()
        .map(|(wanted, r, p)| {
            let literal = case.literal(r, &p);
            if wanted { !literal } else { literal }
        })
        .collect();
    loop {
        let Some(instance) = case.session.lexicographic_minimum(&goals, &order, &limits)?.instance() else { return Ok(None) };
        match case.refute(&instance)? {
            Refutation::None => {
                tracing::info!("{shape}: preferred at {:.2} s", start.elapsed().as_secs_f64());
                return Ok(Some(Preferred { cost, instance, atoms: case.atoms }));
            }
            Refutation::Learned => {}
            Refutation::Unknown => return Ok(None),
        }
    }
}

/// Every counterexample of a shape, at most `limit` of them; those that differ by an exchange of threads of equal length may
/// both be there. The flag says whether there are more.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn every(setting: &Setting<'_>, shape: &Shape, question: usize, limit: usize) -> Result<(Vec<Instance>, Atoms, bool), Fault> {
    let ask = &setting.asks[question];
    let mut case = Case::new(setting, shape);
    let goal = case.session.goal(&setting.problem.logic, ask.goal);
    let v = &setting.problem.vocabulary;
    // Fence-SC order and partial coherence are no part of a program's outcome: instances that differ there alone are one.
    let shown: Vec<Relation> = v.searched().filter(|&r| r != v.fence_order && r != v.related).collect();
    let bounds = v.bounds(&case.atoms);
    let mut found = Vec::new();
    loop {
        let (answer, instance) = case.decide(&[goal])?;
        let (Answer::Found, Some(instance)) = (answer, instance) else {
            return Ok((found, case.atoms, answer == Answer::Unknown));
        };
        if found.len() >= limit {
            return Ok((found, case.atoms, true));
        }
        let mut clause = Vec::new();
        for &relation in &shown {
            let Some((_, upper)) = bounds.get(relation) else { continue };
            for tuple in upper.iter() {
                let literal = case.session.tuple(relation, tuple);
                clause.push(if instance.contains(relation, tuple) { !literal } else { literal });
            }
        }
        case.session.add_clause(&clause);
        found.push(instance);
    }
}

mod certified;
#[cfg(test)]
mod lessons;

pub use certified::{decide_certified, replay};
