//! What CaDiCaL tells of its work becomes records (CaDiCaL's tracer.hpp says what each call means).

use cadical_sys::ProofTracer;

use super::Log;
use super::record::Kind;

/// CaDiCaL's conclusion that the clauses and assumptions together have no assignment, by one clause (tracer.hpp, `ConclusionType`).
const CONFLICT: i32 = 1;
const ASSUMPTIONS: i32 = 2;

/// Connects CaDiCaL with a log.
pub(crate) struct Tracer {
    log: Log,
    /// The clauses that say of the last question which assumptions fail together: there for its answer alone.
    of_question: Vec<i64>,
}

impl Tracer {
    pub(crate) fn new(log: Log) -> Self {
        Self { log, of_question: Vec::new() }
    }
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        self.log.put(if restored { Kind::Restore } else { Kind::Original }, id, clause, &[]);
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, witness: i32, clause: &[i32], antecedents: &[i64]) {
        if witness != 0 {
            self.log.fail("a step of the solver changes what assignments there are (RAT)");
        }
        self.log.put(Kind::Derived, id, clause, antecedents);
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        self.log.put(Kind::Delete, id, &[], &[]);
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.log.put(Kind::Weaken, id, &[], &[]);
    }

    fn strengthen(&mut self, _id: i64) {}

    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}

    fn add_assumption(&mut self, _literal: i32) {}

    fn add_constraint(&mut self, _clause: &[i32]) {
        self.log.fail("constraints have no record");
    }

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.of_question.push(id);
        self.log.put(Kind::Derived, id, clause, antecedents);
    }

    fn conclude_sat(&mut self, _conclusion: i32, _model: &[i32]) {}

    fn conclude_unsat(&mut self, conclusion: i32, clauses: &[i64]) {
        match (conclusion, clauses) {
            (CONFLICT | ASSUMPTIONS, &[id]) => self.log.put(Kind::Refuted, id, &[], &[]),
            _ => self.log.fail("the solver's conclusion does not rest on one clause"),
        }
        for id in self.of_question.drain(..) {
            self.log.put(Kind::Delete, id, &[], &[]);
        }
    }

    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
