//! A session: one incremental SAT solver over one set of bounds. Formulas are asserted for good, or
//! become goals that a call may ask for.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::bounds::Bounds;
use crate::circuit::Bit;
use crate::cnf::ClauseEmitter;
use crate::cores::RefutedQuestion;
use crate::encoding::Encoding;
use crate::instance::Instance;
use crate::limits::SolverLimits;
use crate::logic::{Expr, Formula, Logic, Relation, VisitedNode};
use crate::options::SolverOptions;
use crate::proof::{ProofLog, Replay, SatLiteral};
use crate::solver::{Backend, NotStarted, Solver, SolverAnswer, SolverFailure};
use crate::translate::{Polarity, Translator};
use crate::tuples::TupleSet;
use crate::universe::Atom;

/// What a call may assume, and what clauses and objectives are made of: a tuple is in a relation,
/// or is not, or a goal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    pub(crate) bit: Bit,
    /// Its truth implies what it stands for, and its falsity nothing.
    one_way: bool,
}

impl Literal {
    #[track_caller]
    pub(crate) fn exact(bit: Bit) -> Self {
        Self { bit, one_way: false }
    }

    /// Its value if it is the same in every instance.
    pub fn constant(self) -> Option<bool> {
        self.bit.is_constant().then_some(self.bit == Bit::TRUE)
    }

    /// The bit, where both truth and falsity of it matter.
    pub(crate) fn both_ways(self) -> Bit {
        assert!(
            !self.one_way,
            "a goal may only be assumed or stand in a clause, unnegated: its falsity says nothing"
        );
        self.bit
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    /// # Panics
    /// If it is a goal: its falsity says nothing. See [`Session::exact`].
    fn not(self) -> Literal {
        Literal::exact(!self.both_ways())
    }
}

/// The answer of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOutcome {
    /// One of the instances; there may be others.
    Sat(Instance),
    /// There is none.
    Unsat,
    /// A limit was reached before an answer.
    Unknown,
}

impl SessionOutcome {
    /// The instance, if there is one.
    pub fn instance(self) -> Option<Instance> {
        match self {
            Self::Sat(instance) => Some(instance),
            Self::Unsat | Self::Unknown => None,
        }
    }
}

/// Sizes and effort so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// SAT variables.
    pub variables: usize,
    /// Clauses given to the solver.
    pub clauses: usize,
    /// Conflicts of the solver (0 if it does not count them).
    pub conflicts: u64,
    /// Gates of the circuit, inputs included.
    pub gates: usize,
}

/// One incremental problem. Formulas come from one [`Logic`], which may grow between calls.
pub struct Session {
    pub(crate) translator: Translator,
    pub(crate) emitter: ClauseEmitter,
    encoding: Encoding,
    pub(crate) solver: Box<dyn Solver>,
    /// How much of the clauses the solver has.
    sent: usize,
    /// The bound relations.
    relations: Vec<Relation>,
    /// The value of each variable in the assignment found last.
    model: Vec<bool>,
    /// Why the last call found no assignment, if it is one whose core can be asked for.
    pub(crate) refuted: Option<RefutedQuestion>,
    /// The nodes of the logic whose relations are known to have bounds.
    bounded: FxHashSet<VisitedNode>,
}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Session>();
};

impl Session {
    /// A problem without formulas: every instance within the bounds is a solution. If the solver
    /// cannot be started, the first call says so.
    pub fn new(bounds: Bounds, encoding: Encoding, backend: &Backend) -> Self {
        Self::with_options(bounds, encoding, backend, &SolverOptions::default())
    }

    /// The same, with options for the solver.
    pub fn with_options(
        bounds: Bounds,
        encoding: Encoding,
        backend: &Backend,
        options: &SolverOptions,
    ) -> Self {
        Self::with_solver(bounds, encoding, NotStarted::or(backend.start(options)))
    }

    /// The same with a solver that writes a proof of all that it finds to be unsatisfiable. If it
    /// writes none ([`Backend::proves`]), the first call says so.
    pub fn logged(
        bounds: Bounds,
        encoding: Encoding,
        backend: &Backend,
        options: &SolverOptions,
        log: &ProofLog,
    ) -> Self {
        Self::with_solver(bounds, encoding, NotStarted::or(backend.start_logged(options, log)))
    }

    /// The same with a proof instead of a solver: it answers what was asked when it was written, if
    /// the session is told the same. Instances are empty.
    pub fn replayed(bounds: Bounds, encoding: Encoding, replay: &Replay) -> Self {
        Self::with_solver(bounds, encoding, Box::new(replay.clone()))
    }

    /// The same with a solver that has no clauses yet.
    pub fn with_solver(bounds: Bounds, encoding: Encoding, solver: Box<dyn Solver>) -> Self {
        let relations = bounds.relations().collect();
        Self {
            translator: Translator::new(bounds, encoding),
            emitter: ClauseEmitter::new(encoding.cnf_by_polarity, encoding.inline_gates),
            encoding,
            solver,
            sent: 0,
            relations,
            model: Vec::new(),
            refuted: None,
            bounded: FxHashSet::default(),
        }
    }

    /// From now on also what is asserted or made a goal is given up once a limit is reached: a
    /// recursive relation may be a circuit of any size. Such a problem means nothing, and every
    /// later call answers [`SessionOutcome::Unknown`].
    pub fn set_limits(&mut self, limits: SolverLimits) {
        self.translator.set_limits(limits);
    }

    /// Was what was asserted or made a goal given up because it is too large
    /// ([`SolverLimits::bytes`])?
    pub fn is_too_large(&self) -> bool {
        self.translator.is_too_large()
    }

    /// Those that the session was made with.
    pub fn bounds(&self) -> &Bounds {
        self.translator.bounds()
    }

    /// The formula as a bit, with the clauses that came up while translating.
    #[track_caller]
    fn translate(&mut self, logic: &Logic, formula: Formula, polarity: Polarity) -> Bit {
        assert!(
            logic.is_closed(formula),
            "a formula uses a variable or recursion outside of what binds it"
        );
        self.require_bounds(logic, VisitedNode::Formula(formula));
        let bit = self.translator.formula(logic, formula, polarity);
        self.side_clauses();
        bit
    }

    /// Sees to it that all relations of a node have bounds of their arity. Each node is looked at
    /// once, so that this costs a walk over what is new.
    #[track_caller]
    fn require_bounds(&mut self, logic: &Logic, node: VisitedNode) {
        for relation in logic.relations_of(node, &mut self.bounded) {
            self.translator.bounds().of(logic, relation);
        }
    }

    fn side_clauses(&mut self) {
        for clause in self.translator.take_side_clauses().iter() {
            self.emitter.clause(&self.translator.circuit, clause);
        }
    }

    /// From now on the formula holds in every instance.
    ///
    /// # Panics
    /// If the formula has free variables, or a relation in it has no bounds, or bounds of another
    /// arity.
    #[track_caller]
    pub fn assert(&mut self, logic: &Logic, formula: Formula) {
        let bit = self.translate(logic, formula, Polarity::Positive);
        self.emitter.assert(&self.translator.circuit, bit);
    }

    /// A literal that, if assumed, makes the formula hold. Its falsity says nothing, so it may not
    /// be negated or minimised.
    ///
    /// # Panics
    /// As [`Session::assert`].
    #[track_caller]
    pub fn goal(&mut self, logic: &Logic, formula: Formula) -> Literal {
        Literal { bit: self.translate(logic, formula, Polarity::Positive), one_way: true }
    }

    /// A literal that is equivalent to the formula: translated exactly, it costs more than a goal.
    ///
    /// # Panics
    /// As [`Session::assert`].
    #[track_caller]
    pub fn exact(&mut self, logic: &Logic, formula: Formula) -> Literal {
        Literal::exact(self.translate(logic, formula, Polarity::Both))
    }

    /// The literal "the relation has the tuple"; false outside of the upper bound.
    ///
    /// # Panics
    /// If the relation has no bounds.
    #[track_caller]
    pub fn tuple(&mut self, relation: Relation, tuple: &[Atom]) -> Literal {
        assert!(self.bounds().get(relation).is_some(), "a tuple of a relation that has no bounds");
        Literal::exact(self.translator.tuple(relation, tuple))
    }

    /// A literal that nothing constrains yet, for instance to turn clauses on and off.
    pub fn fresh(&mut self) -> Literal {
        Literal::exact(self.translator.circuit.input())
    }

    /// The literals of the tuples that an expression may have.
    ///
    /// # Panics
    /// As [`Session::assert`].
    #[track_caller]
    pub fn cells(&mut self, logic: &Logic, expr: Expr) -> Vec<(Vec<Atom>, Literal)> {
        self.require_bounds(logic, VisitedNode::Expr(expr));
        let matrix = self.translator.exact(logic, expr);
        self.side_clauses();
        let arity = logic.arity(expr);
        matrix
            .cells()
            .iter()
            .map(|&(index, bit)| (self.translator.tuple_at(index, arity), Literal::exact(bit)))
            .collect()
    }

    /// From now on one of the literals holds in every instance.
    pub fn add_clause(&mut self, clause: &[Literal]) {
        let bits: Vec<Bit> = clause.iter().map(|l| l.bit).collect();
        self.emitter.clause(&self.translator.circuit, &bits);
    }

    /// From now on exactly one of the literals holds in every instance. It pays to say so before
    /// formulas are asserted: what depends on these literals alone is then told apart by which of
    /// them make it true ([`Encoding::choices`]).
    ///
    /// # Panics
    /// If one of the literals is a goal.
    pub fn add_choice(&mut self, literals: &[Literal]) {
        let bits: Vec<Bit> =
            literals.iter().map(|l| l.both_ways()).filter(|&b| b != Bit::FALSE).collect();
        self.emitter.clause(&self.translator.circuit, &bits);
        for (i, &a) in bits.iter().enumerate() {
            for &b in &bits[i + 1..] {
                self.emitter.clause(&self.translator.circuit, &[!a, !b]);
            }
        }
        let is_input = |&b: &Bit| {
            !b.is_constant()
                && !b.is_negated()
                && self.translator.circuit.conjunction(b.gate()).is_none()
        };
        if self.encoding.choices && bits.iter().all(is_input) {
            self.translator.circuit.choose_one(&bits);
        }
    }

    /// From now on the first vector is lexicographically not greater than the second (false before
    /// true).
    pub fn add_lexicographic(&mut self, pairs: &[[Literal; 2]]) {
        let circuit = &mut self.translator.circuit;
        // equal: all pairs so far are equal. One direction is enough: it only turns requirements
        // on. And since a pair that was equal so far has a <= b required, it stays equal if a or
        // not b.
        let mut equal = Bit::TRUE;
        let mut clauses = Vec::new();
        for [a, b] in pairs {
            let (a, b) = (a.both_ways(), b.both_ways());
            if a == b {
                continue;
            }
            clauses.push([!equal, !a, b]);
            let same = circuit.or(a, !b);
            equal = circuit.and(equal, same);
        }
        for clause in clauses {
            self.emitter.clause(&self.translator.circuit, &clause);
        }
    }

    fn send(&mut self) -> Result<(), SolverFailure> {
        for clause in self.emitter.clauses.since(self.sent) {
            self.solver.add(clause)?;
        }
        self.sent = self.emitter.clauses.len();
        Ok(())
    }

    /// The SAT literals of assumptions; `None` if one of them is false in every instance.
    pub(crate) fn assumptions(&mut self, assumptions: &[Literal]) -> Option<Vec<SatLiteral>> {
        // Whoever asks what comes here first.
        self.refuted = None;
        // What is constant in a problem that means nothing decides nothing.
        if self.translator.is_cut() {
            return Some(Vec::new());
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for assumption in assumptions {
            match assumption.constant() {
                Some(true) => {}
                Some(false) => return None,
                None => literals
                    .extend(self.emitter.literal_for(&self.translator.circuit, assumption.bit)),
            }
        }
        Some(literals)
    }

    /// Looks for an instance in which all assumptions hold. If there is none, [`Session::core`]
    /// says which of them are to blame.
    ///
    /// # Errors
    /// The solver failed.
    pub fn solve(
        &mut self,
        assumptions: &[Literal],
        limits: &SolverLimits,
    ) -> Result<SessionOutcome, SolverFailure> {
        Ok(match self.ask(assumptions, limits)? {
            SolverAnswer::Sat => SessionOutcome::Sat(self.instance()),
            SolverAnswer::Unsat => SessionOutcome::Unsat,
            SolverAnswer::Unknown => SessionOutcome::Unknown,
        })
    }

    /// As [`Session::solve`]: if the first assumption is a goal that is a disjunction, its members
    /// are assumed one after the other, and each that cannot hold is false from then on where the
    /// other assumptions hold. Refutations of a goal with many members (a pair of events for each
    /// of which an axiom may be violated) are shorter that way, as each is about few events. With a
    /// depth of 2, members that are disjunctions are taken apart too, and so on; with 0 the goal is
    /// asked for as a whole.
    ///
    /// # Errors
    /// The solver failed.
    pub fn solve_by_cases(
        &mut self,
        assumptions: &[Literal],
        depth: usize,
        limits: &SolverLimits,
    ) -> Result<SessionOutcome, SolverFailure> {
        Ok(match self.decide_by_cases((assumptions, &[]), depth, limits)? {
            SolverAnswer::Sat => SessionOutcome::Sat(self.instance()),
            SolverAnswer::Unsat => {
                let apart =
                    assumptions.first().is_some_and(|goal| self.cases(goal.bit, depth).len() > 1);
                self.note_refuted(assumptions, apart);
                SessionOutcome::Unsat
            }
            SolverAnswer::Unknown => SessionOutcome::Unknown,
        })
    }

    /// Asks about what is probably so of no instance, a disjunction: of each member whether it can
    /// hold. Those that cannot are false from then on. What follows from the clauses is so made
    /// explicit; no instance is lost.
    ///
    /// # Errors
    /// The solver failed.
    pub fn exclude(
        &mut self,
        unlikely: Literal,
        limits: &SolverLimits,
    ) -> Result<(), SolverFailure> {
        for bit in self.cases(unlikely.bit, 1) {
            self.refute(bit, &[], limits)?;
        }
        Ok(())
    }

    /// As [`Session::solve_by_cases`], with SAT literals that are assumed too, and without reading
    /// the instance back.
    pub(crate) fn decide_by_cases(
        &mut self,
        (assumptions, more): (&[Literal], &[SatLiteral]),
        depth: usize,
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let cases = match assumptions {
            [goal, ..] => self.cases(goal.bit, depth),
            [] => Vec::new(),
        };
        if cases.len() < 2 {
            let Some(mut wanted) = self.assumptions(assumptions) else {
                return Ok(SolverAnswer::Unsat);
            };
            wanted.extend(more);
            return self.decide_literals(&wanted, limits);
        }
        let Some(mut others) = self.assumptions(&assumptions[1..]) else {
            return Ok(SolverAnswer::Unsat);
        };
        others.extend(more);
        for bit in cases {
            match self.refute(bit, &others, limits)? {
                SolverAnswer::Unsat => {}
                found_or_unknown => return Ok(found_or_unknown),
            }
        }
        Ok(SolverAnswer::Unsat)
    }

    /// Asks whether a bit can hold together with the other literals. If it cannot, it is false from
    /// then on where they hold.
    fn refute(
        &mut self,
        bit: Bit,
        others: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let Some(mut wanted) = self.assumptions(&[Literal { bit, one_way: true }]) else {
            return Ok(SolverAnswer::Unsat);
        };
        wanted.extend(others);
        let answer = self.decide_literals(&wanted, limits)?;
        if answer == SolverAnswer::Unsat
            // With the clauses that make it false only where its parts are: so it says something of
            // the parts (a third of the CPU time of `rc11-to-ptx` at 7 events).
            && let Some(absent) = self.emitter.literal_for(&self.translator.circuit, !bit)
        {
            self.emitter.literals(others.iter().map(|&l| !l).chain([absent]));
        }
        Ok(answer)
    }

    /// What a bit is the disjunction of, and so on as deep as that; the bit itself where it is
    /// none.
    fn cases(&self, bit: Bit, depth: usize) -> Vec<Bit> {
        match self.translator.circuit.conjunction(bit.gate()) {
            Some(members) if bit.is_negated() && depth > 0 => {
                members.iter().flat_map(|&member| self.cases(!member, depth - 1)).collect()
            }
            _ => vec![bit],
        }
    }

    /// As `solve`, without reading the instance back: the assignment is kept until the next one is
    /// found.
    pub(crate) fn decide(
        &mut self,
        assumptions: &[Literal],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let Some(literals) = self.assumptions(assumptions) else { return Ok(SolverAnswer::Unsat) };
        self.decide_literals(&literals, limits)
    }

    pub(crate) fn decide_literals(
        &mut self,
        literals: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        if self.translator.is_cut() {
            return Ok(SolverAnswer::Unknown);
        }
        self.name_tuples();
        self.send()?;
        let answer = self.solver.solve(literals, limits)?;
        if answer == SolverAnswer::Sat {
            self.model = self.solver.model(self.emitter.clauses.variables())?;
        }
        Ok(answer)
    }

    /// Relations that no formula mentions are inputs too.
    fn name_tuples(&mut self) {
        for i in 0..self.relations.len() {
            self.translator.relation(self.relations[i]);
        }
    }

    /// Reads the relations back from the solver's assignment.
    pub(crate) fn instance(&mut self) -> Instance {
        let mut relations = BTreeMap::new();
        for i in 0..self.relations.len() {
            let relation = self.relations[i];
            let upper = match self.translator.bounds().get(relation) {
                Some((_, upper)) => upper.clone(),
                None => continue,
            };
            let tuples: Vec<Vec<Atom>> = upper
                .iter()
                .filter(|tuple| {
                    let bit = self.translator.tuple(relation, tuple);
                    self.value(bit)
                })
                .map(<[Atom]>::to_vec)
                .collect();
            relations.insert(relation, TupleSet::from_tuples(upper.arity(), tuples));
        }
        Instance::new(self.translator.bounds().universe().clone(), relations)
    }

    /// The value of a bit in the assignment found last. An input that no clause mentioned then is
    /// false.
    pub(crate) fn value(&self, bit: Bit) -> bool {
        if bit.is_constant() {
            return bit == Bit::TRUE;
        }
        self.emitter.known(bit).is_some_and(|variable| self.literal_value(variable))
            != bit.is_negated()
    }

    /// Does a literal hold in the assignment found last? One that no clause mentioned then is
    /// false.
    pub fn holds(&self, literal: Literal) -> bool {
        self.value(literal.bit)
    }

    /// The value of a SAT literal in the assignment found last.
    pub(crate) fn literal_value(&self, literal: SatLiteral) -> bool {
        self.model.get(literal.variable() as usize - 1).copied().unwrap_or(false)
            != literal.is_negated()
    }

    /// Sizes and effort so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.emitter.clauses.variables(),
            clauses: self.emitter.clauses.len(),
            conflicts: self.solver.conflicts(),
            gates: self.translator.circuit.len(),
        }
    }
}
