//! A session: one incremental SAT solver over one set of bounds. Formulas are asserted for good, or become goals that a call
//! may ask for.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rustsat::solvers::SolverResult;

use crate::backend::{Backend, Engine};
use crate::bounds::Bounds;
use crate::circuit::Bit;
use crate::cnf::Emitter;
use crate::encoding::Encoding;
use crate::instance::Instance;
use crate::limits::Limits;
use crate::logic::{Expr, Formula, Logic, Relation};
use crate::translate::{Polarity, Translator};
use crate::tuples::TupleSet;
use crate::universe::Atom;

/// What a call may assume, and what objectives are made of: a tuple is or is not in a relation, or a goal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal(pub(crate) Bit);

impl Literal {
    /// Its value if it is the same in every instance.
    pub fn constant(self) -> Option<bool> {
        self.0.is_constant().then_some(self.0 == Bit::TRUE)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(!self.0)
    }
}

/// The answer of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// There is an instance; this is one.
    Sat(Instance),
    /// There is none.
    Unsat,
    /// A limit was reached before an answer.
    Unknown,
}

impl Outcome {
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

/// One incremental problem.
pub struct Session {
    pub(crate) translator: Translator,
    pub(crate) emitter: Emitter,
    engine: Box<dyn Engine>,
    /// How much of the clauses the solver has.
    sent: usize,
    /// The bound relations.
    relations: Vec<Relation>,
}

impl Session {
    /// A problem without formulas: every instance within the bounds is a solution.
    pub fn new(bounds: Bounds, encoding: Encoding, backend: Backend) -> Self {
        let relations = bounds.relations().collect();
        Self {
            translator: Translator::new(bounds, encoding),
            emitter: Emitter::new(encoding.cnf_by_polarity),
            engine: backend.start(),
            sent: 0,
            relations,
        }
    }

    /// The bounds.
    pub fn bounds(&self) -> &Bounds {
        self.translator.bounds()
    }

    /// Clauses that came up while translating.
    fn side_clauses(&mut self) {
        for clause in std::mem::take(&mut self.translator.side_clauses) {
            self.emitter.clause(&self.translator.circuit, &clause);
        }
    }

    /// From now on the formula holds in every instance.
    pub fn assert(&mut self, logic: &Logic, formula: Formula) {
        let bit = self.translator.formula(logic, formula, Polarity::Positive);
        self.side_clauses();
        self.emitter.assert(&self.translator.circuit, bit);
    }

    /// A literal that, if assumed, makes the formula hold. It must not be negated: its falsity says nothing.
    pub fn goal(&mut self, logic: &Logic, formula: Formula) -> Literal {
        let bit = self.translator.formula(logic, formula, Polarity::Positive);
        self.side_clauses();
        Literal(bit)
    }

    /// A literal that is equivalent to the formula.
    pub fn exact(&mut self, logic: &Logic, formula: Formula) -> Literal {
        let bit = self.translator.formula(logic, formula, Polarity::Both);
        self.side_clauses();
        Literal(bit)
    }

    /// The literal "the relation has the tuple".
    pub fn tuple(&mut self, relation: Relation, tuple: &[Atom]) -> Literal {
        Literal(self.translator.tuple(relation, tuple))
    }

    /// The literals of the tuples that an expression may have.
    pub fn cells(&mut self, logic: &Logic, expr: Expr) -> Vec<(Vec<Atom>, Literal)> {
        let matrix = self.translator.exact(logic, expr);
        self.side_clauses();
        let (n, arity) = (self.bounds().universe().len() as u64, logic.arity(expr));
        matrix
            .cells()
            .iter()
            .map(|&(index, bit)| {
                let mut tuple = vec![Atom(0); arity];
                let mut rest = index;
                for slot in tuple.iter_mut().rev() {
                    *slot = Atom((rest % n) as u32);
                    rest /= n;
                }
                (tuple, Literal(bit))
            })
            .collect()
    }

    /// From now on one of the literals holds in every instance.
    pub fn add_clause(&mut self, clause: &[Literal]) {
        let bits: Vec<Bit> = clause.iter().map(|l| l.0).collect();
        self.emitter.clause(&self.translator.circuit, &bits);
    }

    /// From now on the first vector is lexicographically not greater than the second (false before true).
    pub fn add_lexicographic(&mut self, pairs: &[[Literal; 2]]) {
        let circuit = &mut self.translator.circuit;
        // equal: all pairs so far are equal (one direction is enough: it only turns requirements on).
        let mut equal = Bit::TRUE;
        let mut clauses = Vec::new();
        for &[Literal(a), Literal(b)] in pairs {
            clauses.push([!equal, !a, b]);
            let same = circuit.iff(a, b);
            equal = circuit.and(equal, same);
        }
        for clause in clauses {
            self.emitter.clause(&self.translator.circuit, &clause);
        }
    }

    fn send(&mut self) -> anyhow::Result<()> {
        for clause in self.emitter.clauses.since(self.sent) {
            self.engine.add(clause)?;
        }
        self.sent = self.emitter.clauses.position();
        Ok(())
    }

    /// Looks for an instance in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Outcome {
        let literals: Vec<i32> = assumptions.iter().map(|l| self.emitter.literal_for(&self.translator.circuit, l.0)).collect();
        // Every tuple that is asked for later has its variable before the solver runs.
        self.name_tuples();
        let answer = self.send().and_then(|()| self.engine.solve(&literals, limits));
        match answer {
            Ok(SolverResult::Sat) => Outcome::Sat(self.instance()),
            Ok(SolverResult::Unsat) => Outcome::Unsat,
            Ok(SolverResult::Interrupted) => Outcome::Unknown,
            Err(error) => {
                tracing::error!("the SAT solver failed: {error}");
                Outcome::Unknown
            }
        }
    }

    /// Relations that no formula mentions are inputs too.
    fn name_tuples(&mut self) {
        for i in 0..self.relations.len() {
            self.translator.relation(self.relations[i]);
        }
    }

    /// Reads the relations back from the solver's assignment.
    fn instance(&mut self) -> Instance {
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
                    self.value(Literal(bit))
                })
                .map(<[Atom]>::to_vec)
                .collect();
            relations.insert(relation, TupleSet::from_tuples(upper.arity(), tuples));
        }
        Instance::new(self.translator.bounds().universe().clone(), relations)
    }

    /// The value of a literal in the assignment found last. An input that no clause mentions is false.
    pub(crate) fn value(&self, literal: Literal) -> bool {
        if let Some(value) = literal.constant() {
            return value;
        }
        let value = match self.emitter.known(literal.0) {
            Some(variable) => self.engine.value(variable).unwrap_or(false),
            None => false,
        };
        value != literal.0.is_negated()
    }

    /// Sizes and effort so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.emitter.clauses.variables(),
            clauses: self.emitter.clauses.len(),
            conflicts: self.engine.conflicts(),
            gates: self.translator.circuit.len(),
        }
    }

    /// Writes the problem, with the assumptions as unit clauses, in DIMACS format.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_dimacs(&mut self, out: &mut impl Write, assumptions: &[Literal], comments: &[&str]) -> io::Result<()> {
        let literals: Vec<i32> = assumptions.iter().map(|l| self.emitter.literal_for(&self.translator.circuit, l.0)).collect();
        for comment in comments {
            for line in comment.lines() {
                writeln!(out, "c {line}")?;
            }
        }
        let clauses = &self.emitter.clauses;
        writeln!(out, "p cnf {} {}", clauses.variables(), clauses.len() + literals.len())?;
        for clause in clauses.since(0) {
            for literal in clause {
                write!(out, "{literal} ")?;
            }
            writeln!(out, "0")?;
        }
        for literal in literals {
            writeln!(out, "{literal} 0")?;
        }
        Ok(())
    }
}
