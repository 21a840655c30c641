//! The answer about one test under one model.

use margay_litmus::ask::axioms::{ChosenAxioms, Dependence};
use margay_litmus::explicit::TestVerdict;
use margay_litmus::test::Test;

use crate::executions::ChosenExecutions;
use crate::headline::Headline;
use crate::outcome::headline;
use crate::restriction::Restriction;

/// One test under one model.
pub struct TestAnswer<'a> {
    pub file: &'a str,
    pub test: &'a Test,
    pub model: &'a ChosenAxioms,
    pub verdict: TestVerdict,
    pub dependences: Vec<Dependence>,
    pub milliseconds: f64,
    /// The executions that were chosen to be looked at.
    pub listed: Option<ChosenExecutions>,
    /// Were both engines to be compared, and could one alone be asked?
    pub is_uncompared: bool,
}

impl TestAnswer<'_> {
    /// The first line about one test.
    pub fn first_line(&self, unroll: usize) -> Headline {
        let ChosenAxioms { model, taken, left_out, .. } = self.model;
        let mut line = headline(
            self.test,
            &model.name,
            &self.verdict,
            unroll,
            &Restriction::of_axioms(taken, left_out),
        );
        if self.is_uncompared {
            line.rest +=
                "; the SAT engine alone was asked, executions are too large for the explicit one";
        }
        line
    }
}
