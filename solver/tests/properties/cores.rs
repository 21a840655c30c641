//! Cores of formulas against all instances one by one.

use margay_solver::{Core, Formula, Instance, Literal, Session, SessionOutcome, SolverLimits};
use proptest::prelude::*;

use crate::generate::{Choices, Scope, choices, formula, problem};
use crate::problem::{Problem, backend, encodings};

/// Formulas with the goals that stand for them, and the instances of what is asserted.
struct Question<'a> {
    p: &'a Problem,
    formulas: Vec<Formula>,
    goals: Vec<Literal>,
    instances: Vec<Instance>,
}

impl Question<'_> {
    /// Is there an instance in which the formulas of these goals hold?
    fn possible(&self, goals: &[Literal]) -> bool {
        // Of formulas with equal goals the first will do.
        let formula =
            |goal: &Literal| self.goals.iter().position(|g| g == goal).map(|at| self.formulas[at]);
        let formulas: Vec<Formula> =
            goals.iter().map(|g| formula(g).expect("an assumption")).collect();
        self.instances.iter().any(|i| formulas.iter().all(|&f| i.holds(&self.p.logic, f)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn cores_are_unsatisfiable_and_minimal(choices in choices(), case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let count = 2 + c.below(5);
        let formulas: Vec<Formula> = (0..count).map(|_| formula(&mut p, c, &Scope::default(), 2)).collect();
        let asserted = if c.below(2) == 0 { p.logic.truth(true) } else { formula(&mut p, c, &Scope::default(), 2) };
        let mut session = Session::new(p.bounds.clone(), encodings()[case % 64], &backend(case));
        session.assert(&p.logic, asserted);
        let goals: Vec<Literal> = formulas.iter().map(|&f| session.goal(&p.logic, f)).collect();
        let instances = p.solutions(asserted);
        let q = Question { p: &p, formulas, goals, instances };
        let none = SolverLimits::default();

        // The first one comes again at the end.
        let assumed = [&q.goals[..], &q.goals[..1]].concat();
        let outcome = session.solve(&assumed, &none).unwrap();
        let core = session.core().unwrap();
        if q.possible(&q.goals) {
            prop_assert!(matches!(outcome, SessionOutcome::Sat(_)) && core.is_none());
            prop_assert!(matches!(session.minimal_core(&assumed, &none).unwrap(), Core::Satisfiable(_)));
            return Ok(());
        }
        prop_assert_eq!(outcome, SessionOutcome::Unsat);
        let core = core.expect("a core");
        let Core::Minimal(minimal) = session.minimal_core(&assumed, &none).unwrap() else { panic!("no limit was set") };
        for core in [&core, &minimal] {
            let places: Vec<_> = core.iter().map(|l| q.goals.iter().position(|g| g == l)).collect();
            prop_assert!(places.iter().all(Option::is_some) && places.is_sorted_by(|a, b| a < b), "{:?}", places);
            prop_assert!(!q.possible(core), "{:?}", places);
        }
        for left_out in 0..minimal.len() {
            let mut rest = minimal.clone();
            rest.remove(left_out);
            prop_assert!(q.possible(&rest), "number {} of {:?} is not needed", left_out, minimal);
        }
        prop_assert_eq!(session.core().unwrap(), Some(minimal));
        // Nothing was left behind.
        prop_assert_eq!(matches!(session.solve(&[], &none).unwrap(), SessionOutcome::Sat(_)), !q.instances.is_empty());
    }
}
