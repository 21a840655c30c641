//! One case: a thread shape, decided for each question; and the choice among the counterexamples of a shape.

use std::io::{BufWriter, Write};
use std::time::Instant;

use margay_solver::{Atom, Bounds, Encoding, Formula, Instance, Literal, Outcome, Relation, Session, Statistics, TupleSet};

use super::options::{CheckOptions, CoReading};
use crate::encode::atoms::{Atoms, Place};
use crate::encode::preference;
use crate::encode::shape::Shape;
use crate::encode::symmetry::equal_threads;
use crate::encode::{Problem, Question};
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
    /// Candidates that a modification order explained.
    pub explained: usize,
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
}

/// A solver for one shape.
struct Case<'a> {
    setting: &'a Setting<'a>,
    /// A copy that can grow by expansions of the modification order.
    problem: std::borrow::Cow<'a, Problem>,
    atoms: Atoms,
    session: Session,
    /// Modification orders that explained candidates so far.
    orders: Vec<TupleSet>,
}

impl<'a> Case<'a> {
    fn new(setting: &'a Setting<'a>, shape: &Shape) -> Self {
        Self::of(setting, Atoms::new(shape, setting.problem.vocabulary.content.slots))
    }

    fn of(setting: &'a Setting<'a>, atoms: Atoms) -> Self {
        let problem = setting.problem;
        let techniques = setting.options.techniques;
        let session = Session::new(problem.vocabulary.bounds(&atoms), techniques.encoding, setting.options.backend);
        let mut case = Self { setting, problem: std::borrow::Cow::Borrowed(problem), atoms, session, orders: Vec::new() };
        for &formula in &problem.hard {
            case.session.assert(&problem.logic, formula);
        }
        if techniques.equal_threads && !case.atoms.chosen {
            for vectors in equal_threads(&problem.vocabulary, &case.atoms) {
                let pairs: Vec<[Literal; 2]> = vectors.into_iter().map(|pair| pair.map(|(r, p)| case.literal(r, &[p]))).collect();
                case.session.add_lexicographic(&pairs);
            }
        }
        case
    }

    fn literal(&mut self, relation: Relation, places: &[Place]) -> Literal {
        let tuple: Vec<Atom> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.session.tuple(relation, &tuple)
    }

    /// The modification order that explains a candidate, if there is one. `None` if a limit was reached.
    fn explanation(&mut self, instance: &Instance) -> Option<Option<TupleSet>> {
        let formula = self.problem.to_mut().explainable(self.setting.mapping);
        let v = &self.problem.vocabulary;
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
        let mut session = Session::new(bounds, Encoding::default(), self.setting.options.backend);
        session.assert(&self.problem.logic, formula);
        match session.solve(&[], &self.setting.options.limits()) {
            Outcome::Sat(found) => Some(found.tuples(v.other_order).cloned()),
            Outcome::Unsat => Some(None),
            Outcome::Unknown => None,
        }
    }

    /// From now on candidates that the order explains are left out.
    fn exclude(&mut self, order: TupleSet) {
        let formula = self.problem.to_mut().not_explained_by(self.setting.mapping, order.clone());
        self.session.assert(&self.problem.logic, formula);
        self.orders.push(order);
    }

    /// Is there a counterexample? With modification orders that may be chosen, by candidate and refutation: each order that
    /// explains a candidate is excluded for all; there are finitely many.
    fn decide(&mut self, goal: Literal) -> (Answer, Option<Instance>, usize) {
        let mut explained = 0;
        loop {
            let instance = match self.session.solve(&[goal], &self.setting.options.limits()) {
                Outcome::Unsat => return (Answer::None, None, explained),
                Outcome::Unknown => return (Answer::Unknown, None, explained),
                Outcome::Sat(instance) => instance,
            };
            if self.setting.options.co == CoReading::Universal {
                return (Answer::Found, Some(instance), explained);
            }
            match self.explanation(&instance) {
                None => return (Answer::Unknown, None, explained),
                Some(None) => return (Answer::Found, Some(instance), explained),
                Some(Some(order)) => {
                    explained += 1;
                    self.exclude(order);
                }
            }
        }
    }
}

/// Which executions a case is about.
#[derive(Debug, Clone, Copy)]
pub enum Extent<'a> {
    /// Those of a thread shape.
    Shape(&'a Shape),
    /// Those of so many events, in whatever threads.
    Events(usize),
}

impl std::fmt::Display for Extent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extent::Shape(shape) => shape.fmt(f),
            Extent::Events(n) => write!(f, "any-{n}"),
        }
    }
}

/// Decides the questions with the given indices.
pub fn decide(setting: &Setting<'_>, extent: Extent<'_>, questions: &[usize]) -> Vec<Decision> {
    let slots = setting.problem.vocabulary.content.slots;
    let atoms = || match extent {
        Extent::Shape(shape) => Atoms::new(shape, slots),
        Extent::Events(n) => Atoms::in_chosen_threads(n, slots),
    };
    let mut out = Vec::new();
    let mut start = Instant::now();
    let mut case = Case::of(setting, atoms());
    let mut conflicts = 0;
    for (i, &question) in questions.iter().enumerate() {
        if i > 0 && !setting.options.techniques.shared_solver {
            start = Instant::now();
            case = Case::of(setting, atoms());
            conflicts = 0;
        }
        let ask = &setting.asks[question];
        let goal = case.session.goal(&setting.problem.logic, ask.goal);
        if setting.options.dump_cnf.is_some() {
            dump(setting, extent, ask, &mut case, goal);
        }
        let (answer, _, explained) =
            if setting.options.limits().reached() { (Answer::Unknown, None, 0) } else { case.decide(goal) };
        let mut statistics = case.session.statistics();
        (statistics.conflicts, conflicts) = (statistics.conflicts - conflicts, statistics.conflicts);
        out.push(Decision { question, answer, statistics, seconds: start.elapsed().as_secs_f64(), explained });
        start = Instant::now();
    }
    out
}

/// Writes the CNF of a case; failures are reported and do not stop the search.
fn dump(setting: &Setting<'_>, extent: Extent<'_>, ask: &Ask, case: &mut Case<'_>, goal: Literal) {
    let Some(folder) = &setting.options.dump_cnf else { return };
    let names: Vec<String> = ask.questions.iter().map(|q| setting.mapping.source.checks[q.0].display_name()).collect();
    let clean = |name: &str| name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect::<String>();
    let path = folder.join(format!("{}-{}-{extent}.cnf", case.atoms.events(), clean(&names.join("-"))));
    let comment = format!("margay: {}\naxiom: {}\nthread shape: {extent}", setting.mapping.title, names.join(", "));
    let written = std::fs::File::create(&path).and_then(|file| {
        let mut file = BufWriter::new(file);
        case.session.write_dimacs(&mut file, &[goal], &[&comment])?;
        file.flush()
    });
    if let Err(error) = written {
        tracing::error!("cannot write {}: {error}", path.display());
    }
}

/// The preferred counterexample of a shape, with its cost: locations, then strength of annotations.
pub struct Preferred {
    /// Number of locations, then the weighted strength of annotations.
    pub cost: (u64, u64),
    /// The instance.
    pub instance: Instance,
    /// The atoms that it speaks of.
    pub atoms: Atoms,
}

/// Finds the preferred counterexample of a shape; `None` if there is none, or a limit was reached.
pub fn preferred(setting: &Setting<'_>, shape: &Shape, question: usize) -> Option<Preferred> {
    let ask = &setting.asks[question];
    let limits = setting.options.limits();
    let mut orders: Vec<TupleSet> = Vec::new();
    loop {
        let mut case = Case::new(setting, shape);
        for order in &orders {
            case.exclude(order.clone());
        }
        let goal = case.session.goal(&setting.problem.logic, ask.goal);
        let v = &setting.problem.vocabulary;
        let mut cost = [0, 0];
        for (slot, costs) in cost.iter_mut().zip([preference::locations(v, &case.atoms), preference::annotations(v, &case.atoms)])
        {
            let objective: Vec<(u32, Literal)> = costs.into_iter().map(|(w, r, p)| (w, case.literal(r, &p))).collect();
            *slot = case.session.minimize(&[goal], &objective, &limits).1?;
        }
        let order: Vec<Literal> = preference::order(v, &case.atoms)
            .into_iter()
            .map(|(wanted, r, p)| {
                let literal = case.literal(r, &p);
                if wanted { !literal } else { literal }
            })
            .collect();
        let instance = case.session.lexicographic_minimum(&[goal], &order, &limits).instance()?;
        if setting.options.co == CoReading::Exists
            && let Some(order) = case.explanation(&instance)?
        {
            orders.push(order);
            continue;
        }
        return Some(Preferred { cost: (cost[0], cost[1]), instance, atoms: case.atoms });
    }
}

/// Every counterexample of a shape, at most `limit` of them; those that differ by an exchange of threads of equal length may
/// both be there. The flag says whether there are more.
pub fn every(setting: &Setting<'_>, shape: &Shape, question: usize, limit: usize) -> (Vec<Instance>, Atoms, bool) {
    let ask = &setting.asks[question];
    let mut case = Case::new(setting, shape);
    let goal = case.session.goal(&setting.problem.logic, ask.goal);
    let v = &setting.problem.vocabulary;
    // Fence-SC order and partial coherence are no part of a program's outcome: instances that differ there alone are one.
    let shown: Vec<Relation> = v.searched().filter(|&r| r != v.fence_order && r != v.related).collect();
    let bounds = v.bounds(&case.atoms);
    let mut found = Vec::new();
    loop {
        let (answer, instance, _) = case.decide(goal);
        let (Answer::Found, Some(instance)) = (answer, instance) else {
            return (found, case.atoms, answer == Answer::Unknown);
        };
        if found.len() >= limit {
            return (found, case.atoms, true);
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
