//! Smallest sums and lexicographically first vectors against a search through all instances.

use margay_solver::{Encoding, Instance, Literal, Session, SessionOutcome, SolverLimits, Symmetry};
use proptest::prelude::*;

use crate::generate::{Choices, Scope, choices, formula, problem};
use crate::problem::{Problem, backend, backends, encodings, key, keys};

/// A literal to weigh, with its meaning: tuple number, and whether it is negated.
type Term = (usize, bool);

fn value(p: &Problem, instance: &Instance, (tuple, negated): Term) -> bool {
    let uncertain = p.uncertain();
    let (relation, tuple) = &uncertain[tuple % uncertain.len()];
    instance.contains(*relation, tuple) != negated
}

fn literal(p: &Problem, session: &mut Session, (tuple, negated): Term) -> Literal {
    let uncertain = p.uncertain();
    let (relation, tuple) = &uncertain[tuple % uncertain.len()];
    let literal = session.tuple(*relation, tuple);
    if negated { !literal } else { literal }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_smallest_sum_is_found(
        choices in choices(),
        terms in proptest::collection::vec((prop_oneof![0u32..9, 0u32..9000], (0usize..8, any::<bool>())), 0..10),
        case in 0usize..192,
    ) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        prop_assume!(!p.uncertain().is_empty());
        let [f, g] = std::array::from_fn(|_| formula(&mut p, c, &Scope::default(), 2));
        let sum = |i: &Instance| terms.iter().filter(|&&(_, t)| value(&p, i, t)).map(|&(w, _)| u64::from(w)).sum::<u64>();
        let both: Vec<Instance> = p.solutions(f).into_iter().filter(|i| i.holds(&p.logic, g)).collect();
        let best = both.iter().map(sum).min();

        let mut session = Session::new(p.bounds.clone(), encodings()[case % 64], &backend(case));
        session.assert(&p.logic, f);
        let goal = session.goal(&p.logic, g);
        let mut objective: Vec<(u32, Literal)> = terms.iter().map(|&(w, t)| (w, literal(&p, &mut session, t))).collect();
        // What all instances have counts too.
        let always = session.tuple(p.relations[0], &[]);
        objective.push((3, !always));
        let (outcome, found) = session.minimize(&[goal], &objective, &SolverLimits::default()).unwrap();
        prop_assert_eq!(found, best.map(|b| b + 3));
        match outcome {
            SessionOutcome::Sat(instance) => {
                prop_assert!(instance.holds(&p.logic, f) && instance.holds(&p.logic, g));
                prop_assert_eq!(Some(sum(&instance)), best);
            }
            other => prop_assert_eq!((other, best), (SessionOutcome::Unsat, None)),
        }
        // From then on the sum is bounded, and nothing else is lost.
        let (rest, _) = session.instances(&[], &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
        let wanted: Vec<Instance> = p.solutions(f).into_iter().filter(|i| best.is_none_or(|b| sum(i) <= b)).collect();
        prop_assert_eq!(keys(&rest), keys(&wanted));
    }

    #[test]
    fn the_first_vector_is_found(
        choices in choices(),
        order in proptest::collection::vec((0usize..8, any::<bool>()), 0..8),
        case in 0usize..6,
    ) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        prop_assume!(!p.uncertain().is_empty());
        let f = formula(&mut p, c, &Scope::default(), 3);
        let vector = |i: &Instance| order.iter().map(|&t| value(&p, i, t)).collect::<Vec<bool>>();
        let best = p.solutions(f).iter().map(vector).min();
        let mut session = Session::new(p.bounds.clone(), Encoding::default(), &backend(case));
        let goal = session.goal(&p.logic, f);
        let literals: Vec<Literal> = order.iter().map(|&t| literal(&p, &mut session, t)).collect();
        match session.lexicographic_minimum(&[goal], &literals, &SolverLimits::default()).unwrap() {
            SessionOutcome::Sat(instance) => {
                prop_assert!(instance.holds(&p.logic, f));
                prop_assert_eq!(Some(vector(&instance)), best);
            }
            other => prop_assert_eq!((other, best), (SessionOutcome::Unsat, None)),
        }
    }

    #[test]
    fn solvers_agree_on_the_first_instance(choices in choices()) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let f = formula(&mut p, c, &Scope::default(), 3);
        let mut answers = Vec::new();
        for backend in &backends() {
            let mut session = Session::new(p.bounds.clone(), Encoding::default(), backend);
            session.assert(&p.logic, f);
            let order: Vec<Literal> = p.uncertain().iter().map(|(r, t)| session.tuple(*r, t)).collect();
            answers.push(session.lexicographic_minimum(&[], &order, &SolverLimits::default()).unwrap().instance().map(|i| key(&i)));
        }
        prop_assert!(answers.windows(2).all(|w| w[0] == w[1]));
    }
}
