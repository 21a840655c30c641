//! All instances, projected onto some relations, up to isomorphism where asked.

use std::ops::ControlFlow;

use crate::instance::Instance;
use crate::limits::SolverLimits;
use crate::logic::Relation;
use crate::session::{Literal, Session};
use crate::solver::{SolverAnswer, SolverFailure};
use crate::symmetry::Symmetry;

/// Why an enumeration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnumerationEnd {
    /// There are no more instances.
    Complete,
    /// The visitor wanted no more.
    Stopped,
    /// A limit was reached: there may be more.
    Unknown,
}

impl Session {
    /// Visits an instance under the assumptions for every way in which the projected relations can
    /// be, up to isomorphism: of instances whose projections a permutation of the group maps to
    /// each other, one is visited. What the instance has for other relations is one choice among
    /// those possible. The session stays as it was.
    ///
    /// The order is the solver's. To have it independent of the solver, ask each time for a
    /// [`Session::lexicographic_minimum`], or sort.
    ///
    /// # Errors
    /// The solver failed.
    ///
    /// # Panics
    /// If a projected relation has no bounds.
    #[track_caller]
    pub fn enumerate(
        &mut self,
        assumptions: &[Literal],
        projected: &[Relation],
        symmetry: &Symmetry,
        limits: &SolverLimits,
        mut visit: impl FnMut(&Instance) -> ControlFlow<()>,
    ) -> Result<EnumerationEnd, SolverFailure> {
        let bounded = |&relation: &Relation| self.bounds().get(relation).is_some();
        assert!(projected.iter().all(bounded), "an enumeration by a relation that has no bounds");
        // The clauses that exclude what was visited hold only while this is assumed.
        let enumerating = self.fresh();
        let mut assumed = assumptions.to_vec();
        assumed.push(enumerating);
        let ended = loop {
            match self.decide(&assumed, limits)? {
                SolverAnswer::Sat => {}
                SolverAnswer::Unsat => break EnumerationEnd::Complete,
                SolverAnswer::Unknown => break EnumerationEnd::Unknown,
            }
            let instance = self.instance();
            if visit(&instance).is_break() {
                break EnumerationEnd::Stopped;
            }
            for image in symmetry.orbit(&instance, projected) {
                let mut clause = vec![!enumerating];
                for (&relation, tuples) in projected.iter().zip(&image) {
                    let Some((_, upper)) = self.bounds().get(relation) else { continue };
                    let upper = upper.clone();
                    for tuple in upper.iter() {
                        let literal = self.tuple(relation, tuple);
                        clause.push(if tuples.contains(tuple) { !literal } else { literal });
                    }
                }
                self.add_clause(&clause);
            }
        };
        self.add_clause(&[!enumerating]);
        Ok(ended)
    }

    /// The first instances of an enumeration, at most so many, and why it ended.
    ///
    /// # Errors
    /// The solver failed.
    ///
    /// # Panics
    /// As [`Session::enumerate`].
    #[track_caller]
    pub fn instances(
        &mut self,
        assumptions: &[Literal],
        projected: &[Relation],
        symmetry: &Symmetry,
        limits: &SolverLimits,
        at_most: usize,
    ) -> Result<(Vec<Instance>, EnumerationEnd), SolverFailure> {
        let mut found = Vec::new();
        let ended = self.enumerate(assumptions, projected, symmetry, limits, |instance| {
            if found.len() == at_most {
                return ControlFlow::Break(());
            }
            found.push(instance.clone());
            ControlFlow::Continue(())
        })?;
        Ok((found, ended))
    }
}
