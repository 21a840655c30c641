//! One case of a comparison: the executions of a thread shape that one model allows and the other does not.

use margay_models::execution::Execution;
use margay_models::signature::{Construct, Operation};
use margay_solver::{Atom, Bounds, Encoding, Formula, Instance, Limits, Literal, Outcome, Relation, Session};

use super::explanation::{Explanation, Orders, explanation};
use super::options::{CompareOptions, Subjects};
use super::question::{Kind, Question};
use crate::check::{Fault, Level, Witness, witness};
use crate::encode::atoms::{Atoms, Place};
use crate::encode::shape::Shape;
use crate::encode::symmetry::equal_threads;
use crate::encode::{Comparison, Special};
use crate::language::Mapping;

/// What all cases share.
pub struct Setting<'a> {
    /// What is compared.
    pub subjects: Subjects<'a>,
    /// The mapping; of two models of one signature the identity.
    pub mapping: &'a Mapping,
    /// The formulas.
    pub comparison: &'a Comparison,
    /// Options.
    pub options: &'a CompareOptions,
}

/// How a case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// There is such an execution.
    Found,
    /// There is none.
    None,
    /// A limit was reached.
    Unknown,
}

/// A solver for one question and one shape.
pub struct Case<'a> {
    setting: &'a Setting<'a>,
    question: &'a Question,
    /// A copy that can grow by coherence orders that explain outcomes.
    comparison: std::borrow::Cow<'a, Comparison>,
    /// Another one for the search for such orders: what the solver is told must not depend on it, so that it can be told again.
    explaining: std::borrow::Cow<'a, Comparison>,
    atoms: Atoms,
    session: Session,
    /// One for each axiom that may be violated.
    goals: Vec<Literal>,
    /// Coherence order as literals, for blocking.
    coherence: Vec<([Atom; 2], Literal)>,
    /// What explained candidates so far.
    pub learned: Vec<Orders>,
}

impl<'a> Case<'a> {
    /// Translates a question for a shape.
    pub fn new(setting: &'a Setting<'a>, question: &'a Question, shape: &Shape) -> Self {
        let start = |bounds| Session::new(bounds, Encoding::default(), &setting.options.backend);
        Self::with_session(setting, question, shape, start)
    }

    /// The same in a session that begins so.
    pub fn with_session(
        setting: &'a Setting<'a>,
        question: &'a Question,
        shape: &Shape,
        start: impl FnOnce(Bounds) -> Session,
    ) -> Self {
        let comparison = setting.comparison;
        let v = &comparison.vocabulary;
        let atoms = Atoms::new(shape, v.content.slots);
        let mut session = start(v.bounds(&atoms));
        for &formula in comparison.wellformed.iter().chain(&question.holds) {
            session.assert(&comparison.logic, formula);
        }
        for vectors in equal_threads(v, &atoms) {
            let pairs: Vec<[Literal; 2]> =
                vectors.into_iter().map(|pair| pair.map(|(r, p)| session.tuple(r, &[atoms.atom(p)]))).collect();
            session.add_lexicographic(&pairs);
        }
        let goals = question.fails.iter().map(|&f| session.goal(&comparison.logic, f)).collect();
        let comparison = std::borrow::Cow::Borrowed(comparison);
        Self {
            explaining: comparison.clone(),
            setting,
            question,
            comparison,
            atoms,
            session,
            goals,
            coherence: Vec::new(),
            learned: Vec::new(),
        }
    }

    fn literal(&mut self, relation: Relation, places: &[Place]) -> Literal {
        let tuple: Vec<Atom> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.session.tuple(relation, &tuple)
    }

    fn witness(&self, instance: &Instance) -> Result<Witness, Fault> {
        witness(self.setting.mapping, &self.comparison.vocabulary, &self.atoms, instance)
            .ok_or_else(|| Fault::Disagreement("an instance could not be read back".to_owned()))
    }

    /// Is there such an execution?
    ///
    /// # Errors
    /// The engines disagree.
    pub fn decide(&mut self) -> Result<Answer, Fault> {
        for goal in self.goals.clone() {
            loop {
                match self.session.solve(&[goal], &self.setting.options.limits())? {
                    Outcome::Unknown => return Ok(Answer::Unknown),
                    Outcome::Unsat => break,
                    Outcome::Sat(instance) => match self.refuted(&instance)? {
                        None => return Ok(Answer::Unknown),
                        Some(false) => return Ok(Answer::Found),
                        Some(true) => {}
                    },
                }
            }
        }
        Ok(Answer::None)
    }

    /// The differences of the shape, weakest first: none is stronger than another one of them. At most so many; `None` if a limit
    /// was reached before.
    ///
    /// # Errors
    /// The engines disagree.
    pub fn smallest(&mut self, most: usize) -> Result<Option<Vec<Found>>, Fault> {
        let some: Vec<Literal> = self.goals.clone();
        let goal = match some.as_slice() {
            [goal] => *goal,
            _ => {
                let logic = &mut self.comparison.to_mut().logic;
                let any: Formula = logic.or(self.question.fails.iter().copied());
                self.session.goal(&self.comparison.logic, any)
            }
        };
        let coherence = self.comparison.coherence;
        let cells = self.session.cells(&self.comparison.logic, coherence);
        self.coherence = cells.into_iter().map(|(t, l)| ([t[0], t[1]], l)).collect();
        let terms = self.costs();
        let mut objective = self.session.objective(&terms);
        let mut found: Vec<Found> = Vec::new();
        while found.len() < most {
            let (instance, cost) = match self.session.minimum(&[goal], &mut objective, &self.setting.options.limits())? {
                (Outcome::Sat(instance), Some(cost)) => (instance, cost),
                (Outcome::Unsat, _) => break,
                _ => return Ok(None),
            };
            match self.refuted(&instance)? {
                None => return Ok(None),
                Some(true) => continue,
                Some(false) => {}
            }
            let witness = self.witness(&instance)?;
            let key = super::canonical::key(executions(&witness, self.setting.subjects));
            self.block(&instance);
            // The same with threads of equal length exchanged may come again.
            if !found.iter().any(|f| f.key == key) {
                found.push(Found { witness, cost, key });
            }
        }
        Ok(Some(found))
    }

    /// What makes an execution large: locations, orders, scopes, dependencies, coherence and Fence-SC edges, and threads apart.
    fn costs(&mut self) -> Vec<(u32, Literal)> {
        let v = self.comparison.vocabulary.clone();
        let (n, threads) = (self.atoms.events(), self.atoms.shape.threads());
        let event = Place::Event;
        let mut terms = Vec::new();
        for e in 0..n {
            terms.push((64, self.literal(v.at, &[event(e), event(e)])));
            for &(construct, relation) in &v.construct {
                terms.push((strength(construct), self.literal(relation, &[event(e)])));
            }
            for &(special, relation) in &v.special {
                terms.push((weight(special), self.literal(relation, &[event(e)])));
            }
            for &(scope, relation) in &v.scope {
                terms.push((scope.rank(), self.literal(relation, &[event(e)])));
            }
            for f in 0..n {
                let pair = [event(e), event(f)];
                let relations = v.dependencies.into_iter().chain([v.related, v.fence_order]);
                for relation in relations {
                    terms.push((1, self.literal(relation, &pair)));
                }
            }
        }
        for &(_, relation) in &v.together {
            for s in 0..threads {
                for t in s + 1..threads {
                    let together = self.literal(relation, &[Place::Thread(s), Place::Thread(t)]);
                    terms.push((1, !together));
                }
            }
        }
        terms.retain(|&(weight, literal)| weight > 0 && literal.constant() != Some(false));
        terms
    }

    /// From now on nothing that is at least as strong: with the same locations and reads-from, and everywhere the same or a stronger
    /// order, the same or a wider scope, the same dependencies, coherence edges and Fence-SC edges or more, and no threads closer.
    fn block(&mut self, instance: &Instance) {
        let v = self.comparison.vocabulary.clone();
        let (n, threads) = (self.atoms.events(), self.atoms.shape.threads());
        let event = Place::Event;
        let has = |relation: Relation, places: &[Place]| {
            let tuple: Vec<Atom> = places.iter().map(|&p| self.atoms.atom(p)).collect();
            instance.contains(relation, &tuple)
        };
        let construct = |e: usize| v.construct.iter().find(|&&(_, r)| has(r, &[event(e)])).map(|&(c, _)| c);
        let scope = |e: usize| v.scope.iter().find(|&&(_, r)| has(r, &[event(e)])).map(|&(s, _)| s);
        // Tuples whose truth or falsity makes another execution incomparable or weaker.
        let mut different: Vec<(bool, Relation, Vec<Place>)> = Vec::new();
        for e in 0..n {
            let next = || construct(e + 1).filter(|_| e + 1 < n && self.atoms.thread[e] == self.atoms.thread[e + 1]);
            for &(c, relation) in &v.construct {
                let covers = match construct(e) {
                    Some(mine) if mine.operation == c.operation => mine.order.is_at_most(c.order),
                    // A read-modify-write is stronger than its two halves.
                    Some(mine) => match (c.split(), next()) {
                        (Some((read, write)), Some(after)) => {
                            mine.operation == Operation::Read
                                && after.operation == Operation::Write
                                && mine.order.is_at_most(read.order)
                                && after.order.is_at_most(write.order)
                        }
                        _ => false,
                    },
                    None => false,
                };
                if !covers {
                    different.push((true, relation, vec![event(e)]));
                }
            }
            for &(s, relation) in &v.special {
                // An event of its own kind is another one; an operation is stronger if it is special.
                let here = has(relation, &[event(e)]);
                if here || s.is_event() {
                    different.push((!here, relation, vec![event(e)]));
                }
            }
            for &(s, relation) in &v.scope {
                if scope(e).is_some_and(|mine| s < mine) {
                    different.push((true, relation, vec![event(e)]));
                }
            }
            for f in 0..n {
                for relation in [v.at, v.rf].into_iter().chain(v.dependencies).chain([v.fence_order]) {
                    if has(relation, &[event(e), event(f)]) {
                        different.push((false, relation, vec![event(e), event(f)]));
                    }
                }
                if has(v.rf, &[Place::Init(e), event(f)]) {
                    different.push((false, v.rf, vec![Place::Init(e), event(f)]));
                }
            }
        }
        for &(_, relation) in &v.together {
            for s in 0..threads {
                for t in s + 1..threads {
                    let pair = vec![Place::Thread(s), Place::Thread(t)];
                    if !has(relation, &pair) {
                        different.push((true, relation, pair));
                    }
                }
            }
        }
        let order = instance.evaluate(&self.comparison.logic, self.comparison.coherence);
        let mut clause: Vec<Literal> =
            self.coherence.iter().filter(|(pair, _)| order.contains(pair)).map(|&(_, literal)| !literal).collect();
        for (truth, relation, places) in different {
            let literal = self.literal(relation, &places);
            clause.push(if truth { literal } else { !literal });
        }
        self.session.add_clause(&clause);
    }

    /// At program level: does the other model explain the outcome by another coherence order? Then that is excluded for all
    /// candidates. `None` if a limit was reached.
    fn refuted(&mut self, instance: &Instance) -> Result<Option<bool>, Fault> {
        if self.setting.options.level == Level::Execution || self.question.kind != Kind::Forbidden {
            return Ok(Some(false));
        }
        let comparison = self.explaining.to_mut();
        let bounds = comparison.vocabulary.bounds(&self.atoms);
        let other = self.question.other;
        let (model, options) = (self.setting.subjects.models()[other], self.setting.options);
        match explanation(comparison, other, model, bounds, instance, &options.backend, &options.limits())? {
            Explanation::Unknown => Ok(None),
            Explanation::None => Ok(Some(false)),
            Explanation::Found(orders) => {
                self.teach(&orders);
                self.learned.push(orders);
                Ok(Some(true))
            }
        }
    }

    /// From now on candidates that the orders explain are left out.
    fn teach(&mut self, orders: &Orders) {
        let model = self.setting.subjects.models()[self.question.other];
        let unexplained = orders.unexplained(self.comparison.to_mut(), model);
        self.session.assert(&self.comparison.logic, unexplained);
    }

    /// Does a proof in the place of the solver say that there is no such execution, once what explained candidates on the way is
    /// taught?
    pub fn is_refuted(&mut self, learned: &[Orders]) -> bool {
        let mut lessons = learned.iter();
        for goal in self.goals.clone() {
            loop {
                match self.session.solve(&[goal], &Limits::default()) {
                    Ok(Outcome::Unsat) => break,
                    Ok(Outcome::Unknown) | Err(_) => return false,
                    Ok(Outcome::Sat(_)) => match lessons.next() {
                        Some(orders) => self.teach(orders),
                        None => return false,
                    },
                }
            }
        }
        lessons.next().is_none()
    }
}

/// A difference as the solver found it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The executions.
    pub witness: Witness,
    /// How large it is within its number of events and threads.
    pub cost: u64,
    /// Equal for isomorphic ones.
    pub key: Vec<u8>,
}

/// The execution that the older model judges, and that of the newer one.
pub fn executions<'a>(witness: &'a Witness, subjects: Subjects<'_>) -> [&'a Execution; 2] {
    match subjects {
        // The identity makes a source execution whose coherence order is total; the signature's own is the target's.
        Subjects::Models(..) => [&witness.target, &witness.target],
        Subjects::Mapping(_) => [&witness.source, &witness.target],
    }
}

/// What is special is shown only where it must be.
fn weight(special: Special) -> u32 {
    if special.is_event() { 18 } else { 6 }
}

/// Grows with every step that makes an instruction stronger (`models/src/signature/strength.rs`).
fn strength(construct: Construct) -> u32 {
    match construct.split() {
        Some((read, write)) => 4 * (read.order.rank() + write.order.rank()) + 2,
        None => 4 * construct.order.rank(),
    }
}
