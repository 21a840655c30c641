//! Unsatisfiable cores: which of the assumptions of a call cannot hold together. Where each
//! assumption is a formula's goal, a core is a set of formulas that contradict each other within
//! the bounds.

use rustc_hash::FxHashSet;

use crate::instance::Instance;
use crate::limits::SolverLimits;
use crate::proof::SatLiteral;
use crate::session::{Literal, Session};
use crate::solver::{SolverAnswer, SolverFailure};

/// What [`Session::minimal_core`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Core {
    /// All assumptions can hold together: this is an instance in which they do.
    Satisfiable(Instance),
    /// These cannot hold together, and without any one of them the others can. Empty if what is
    /// asserted has no instance.
    Minimal(Vec<Literal>),
    /// A limit was reached: these cannot hold together, but it is not known whether each of them is
    /// needed.
    Unfinished(Vec<Literal>),
    /// A limit was reached before it was known whether all can hold together.
    Unknown,
}

/// Why the last call answered "unsatisfiable".
pub(crate) enum RefutedQuestion {
    /// These cannot hold together.
    Known(Vec<Literal>),
    /// The solver was asked under these, and can still say which of them it used.
    BySolver(Vec<Literal>),
}

/// The first literal of each bit; equal bits are one assumption of the solver.
fn distinct(literals: impl Iterator<Item = Literal>) -> Vec<Literal> {
    let mut seen = FxHashSet::default();
    literals.filter(|l| seen.insert(l.bit)).collect()
}

impl Session {
    /// As [`Session::decide`]; if there is no assignment, [`Session::core`] tells why.
    pub(crate) fn ask(
        &mut self,
        assumptions: &[Literal],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let answer = self.decide(assumptions, limits)?;
        if answer == SolverAnswer::Unsat {
            self.note_refuted(assumptions, false);
        }
        Ok(answer)
    }

    /// Remembers that the last call found no assignment under the assumptions, by one question to
    /// the solver or by several.
    pub(crate) fn note_refuted(&mut self, assumptions: &[Literal], by_cases: bool) {
        // It was the answer before the solver was asked.
        let never = assumptions.iter().find(|l| l.constant() == Some(false));
        self.refuted = Some(match never {
            Some(&never) => RefutedQuestion::Known(vec![never]),
            None => {
                let asked =
                    distinct(assumptions.iter().copied().filter(|l| l.constant().is_none()));
                if by_cases {
                    RefutedQuestion::Known(asked)
                } else {
                    RefutedQuestion::BySolver(asked)
                }
            }
        });
    }

    /// Assumptions of the last call that cannot hold together with what was asserted before it: a
    /// subset of those that were given, in their order, each once. Not necessarily fewest
    /// ([`Session::minimal_core`]), but the same in every run.
    ///
    /// - An assumption that holds in every instance ([`Literal::constant`]) is never in a core; one
    ///   that holds in none is a core alone, and the first such one is the core.
    /// - The core is empty if what is asserted has no instance, and the solver found that out.
    /// - Formulas with equal goals cannot be told apart, so one goal in the core stands for all of
    ///   them.
    /// - After [`Session::solve_by_cases`] with a goal that was taken apart, the core is all
    ///   assumptions but those that hold in every instance: each case has a core of its own.
    ///
    /// `None` unless the last call that asked for an instance was [`Session::solve`],
    /// [`Session::solve_by_cases`] or [`Session::minimal_core`], and found none. Formulas that were
    /// added since that call change nothing.
    ///
    /// # Errors
    /// The solver failed, or there is a proof in its place ([`Session::replayed`]), which has no
    /// cores.
    pub fn core(&mut self) -> Result<Option<Vec<Literal>>, SolverFailure> {
        let core = match &self.refuted {
            None => return Ok(None),
            Some(RefutedQuestion::Known(core)) => core.clone(),
            Some(RefutedQuestion::BySolver(asked)) => {
                let failed: FxHashSet<SatLiteral> = self.solver.core()?.into_iter().collect();
                let used = |l: &Literal| {
                    let variable = self.emitter.known(l.bit);
                    variable
                        .is_some_and(|v| failed.contains(&if l.bit.is_negated() { !v } else { v }))
                };
                asked.iter().copied().filter(used).collect()
            }
        };
        self.refuted = Some(RefutedQuestion::Known(core.clone()));
        Ok(Some(core))
    }

    /// Assumptions that cannot hold together with what is asserted, none of which can be left out.
    /// There may be several such sets, of different sizes; which one is found depends on the
    /// solver, and is the same in every run. As [`Session::core`] its members are in the order in
    /// which they were given, each once; that call gives it again afterwards.
    ///
    /// Members are left out one after the other, the last one first: if the others still cannot
    /// hold together, the solver's core of them takes their place; if they can, the member is
    /// needed. That asks the solver at most once for each member of the first core, and what it has
    /// learned stays, as in the core extraction of Torlak, Chang and Jackson ("Finding minimal
    /// unsatisfiable cores of declarative specifications", FM 2008). The limit of conflicts is one
    /// for each question.
    ///
    /// ```
    /// use margay_solver::{Atom, Backend, Bounds, Core, Encoding, SolverLimits, Logic, Session, TupleSet, Universe};
    ///
    /// // A relation without cycles that contains itself reversed, and has a tuple: any two of these can be had.
    /// let mut logic = Logic::new();
    /// let r = logic.relation("r", 2);
    /// let e = logic.rel(r);
    /// let back = logic.transpose(e);
    /// let formulas = [logic.lone(e), logic.acyclic(e), logic.subset(back, e), logic.some(e)];
    ///
    /// let mut bounds = Bounds::new(Universe::new(["a", "b"]));
    /// bounds.between(r, TupleSet::new(2), TupleSet::from_tuples(2, (0..4).map(|i| [Atom(i / 2), Atom(i % 2)])));
    /// let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    /// let goals = formulas.map(|formula| session.goal(&logic, formula));
    /// assert_eq!(session.minimal_core(&goals, &SolverLimits::default())?, Core::Minimal(goals[1..].to_vec()));
    /// # Ok::<(), margay_solver::SolverFailure>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::core`].
    pub fn minimal_core(
        &mut self,
        assumptions: &[Literal],
        limits: &SolverLimits,
    ) -> Result<Core, SolverFailure> {
        match self.ask(assumptions, limits)? {
            SolverAnswer::Sat => return Ok(Core::Satisfiable(self.instance())),
            SolverAnswer::Unknown => return Ok(Core::Unknown),
            SolverAnswer::Unsat => {}
        }
        let mut core = self.core()?.unwrap_or_default();
        // So many at the end are known to be needed: they are in every core of what is left.
        let mut needed = 0;
        let mut finished = true;
        while needed < core.len() {
            let mut rest = core.clone();
            rest.remove(core.len() - 1 - needed);
            match self.ask(&rest, limits)? {
                SolverAnswer::Sat => needed += 1,
                SolverAnswer::Unsat => core = self.core()?.unwrap_or(rest),
                SolverAnswer::Unknown => {
                    finished = false;
                    break;
                }
            }
        }
        self.refuted = Some(RefutedQuestion::Known(core.clone()));
        Ok(if finished { Core::Minimal(core) } else { Core::Unfinished(core) })
    }
}
