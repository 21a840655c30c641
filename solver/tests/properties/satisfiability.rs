//! Asserted formulas, goals and exact literals have the instances that they should, under every
//! switch and solver.

use margay_solver::{EnumerationEnd, Formula, Session, SessionOutcome, SolverLimits, Symmetry};
use proptest::prelude::*;

use crate::generate::{Choices, Scope, choices, formula, problem};
use crate::problem::{Problem, backend, encodings, keys, main_encodings};

/// The formula's instances, found by enumeration, against all instances one by one.
fn check(p: &Problem, formula: Formula, case: usize) -> Result<(), TestCaseError> {
    let wanted = keys(&p.solutions(formula));
    for (i, encoding) in main_encodings().into_iter().enumerate() {
        let backend = backend(case + i);
        let mut session = Session::new(p.bounds.clone(), encoding, &backend);
        session.assert(&p.logic, formula);
        let (found, ended) = session
            .instances(&[], &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX)
            .unwrap();
        prop_assert_eq!(ended, EnumerationEnd::Complete);
        prop_assert_eq!(keys(&found), wanted.clone(), "{:?} {}", encoding, backend);
        // The enumeration left nothing behind.
        let again = session.solve(&[], &SolverLimits::default()).unwrap();
        prop_assert_eq!(matches!(again, SessionOutcome::Sat(_)), !wanted.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn asserted_formulas_have_their_instances(choices in choices(), case in 0usize..6) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let f = formula(&mut p, c, &Scope::default(), 4);
        check(&p, f, case)?;
        let not = p.logic.not(f);
        check(&p, not, case)?;
    }

    #[test]
    fn sessions_are_incremental(choices in choices(), case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let [f, g, h, k] = std::array::from_fn(|_| formula(&mut p, c, &Scope::default(), 3));
        let not_h = p.logic.not(h);
        let none = SolverLimits::default();
        let encoding = encodings()[case % 64];
        let mut session = Session::new(p.bounds.clone(), encoding, &backend(case));
        let all = |session: &mut Session, assumptions: &[_]| {
            let (found, _) = session.instances(assumptions, &p.relations, &Symmetry::none(), &none, usize::MAX).unwrap();
            keys(&found)
        };
        prop_assert_eq!(all(&mut session, &[]).len(), p.instances().len());
        let goal = session.goal(&p.logic, g);
        let exact = session.exact(&p.logic, h);
        prop_assert_eq!(all(&mut session, &[goal]), keys(&p.solutions(g)));
        prop_assert_eq!(all(&mut session, &[exact]), keys(&p.solutions(h)));
        prop_assert_eq!(all(&mut session, &[!exact]), keys(&p.solutions(not_h)));
        session.assert(&p.logic, f);
        let mut logic = p.logic.clone();
        let both = logic.and([f, g, not_h]);
        let wanted = keys(&p.instances().into_iter().filter(|i| i.holds(&logic, both)).collect::<Vec<_>>());
        prop_assert_eq!(all(&mut session, &[goal, !exact]), wanted);
        // Either of two goals.
        let other = session.goal(&p.logic, k);
        session.add_clause(&[goal, other]);
        let either = logic.or([g, k]);
        let all_of = logic.and([f, either]);
        let wanted = keys(&p.instances().into_iter().filter(|i| i.holds(&logic, all_of)).collect::<Vec<_>>());
        prop_assert_eq!(all(&mut session, &[]), wanted);
    }

    #[test]
    fn what_is_asked_first_loses_no_instance(choices in choices(), case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let [f, g, h] = std::array::from_fn(|_| formula(&mut p, c, &Scope::default(), 3));
        // A disjunction of many members, for each of which the answer may be another one.
        let [e, d] = std::array::from_fn(|_| crate::generate::expr(&mut p, c, &Scope::default(), 2, 3));
        let outside = p.logic.difference(e, d);
        let lemmas = [p.logic.some(outside), g];
        let both = p.logic.and([f, h]);
        let mut session = Session::new(p.bounds.clone(), encodings()[case % 64], &backend(case));
        session.assert(&p.logic, f);
        let goal = session.goal(&p.logic, h);
        for wrong in lemmas {
            let wrong = session.goal(&p.logic, wrong);
            session.exclude(wrong, &SolverLimits::default()).unwrap();
        }
        for (assumed, formula) in [(&[][..], f), (&[goal][..], both)] {
            let (found, _) =
                session.instances(assumed, &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
            prop_assert_eq!(keys(&found), keys(&p.solutions(formula)));
        }
    }

    #[test]
    fn projections_are_visited_once(choices in choices(), case in 0usize..6) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let f = formula(&mut p, c, &Scope::default(), 3);
        let some = &p.relations[..2];
        let project = |instances: &[margay_solver::Instance]| {
            let mut keys: Vec<Vec<_>> =
                instances.iter().map(|i| some.iter().map(|&r| i.tuples(r).cloned()).collect()).collect();
            keys.sort();
            keys
        };
        let mut session = Session::new(p.bounds.clone(), margay_solver::Encoding::default(), &backend(case));
        session.assert(&p.logic, f);
        let (found, _) = session.instances(&[], some, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
        let mut wanted = project(&p.solutions(f));
        wanted.dedup();
        prop_assert_eq!(project(&found), wanted);
        prop_assert!(found.iter().all(|i| i.holds(&p.logic, f)));
    }

    #[test]
    fn expressions_have_their_cells(choices in choices(), case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let arity = 1 + c.below(3);
        let e = crate::generate::expr(&mut p, c, &Scope::default(), arity, 3);
        let mut session = Session::new(p.bounds.clone(), encodings()[case % 64], &backend(case));
        let cells = session.cells(&p.logic, e);
        let instances = p.instances();
        for (tuple, literal) in cells {
            let with = instances.iter().filter(|i| i.evaluate(&p.logic, e).contains(&tuple)).count();
            let (found, _) = session.instances(&[literal], &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
            prop_assert_eq!(found.len(), with, "{:?}", tuple);
            let (found, _) = session.instances(&[!literal], &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
            prop_assert_eq!(found.len(), instances.len() - with, "{:?}", tuple);
        }
    }
}
