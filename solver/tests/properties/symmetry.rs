//! Isomorphic instances: enumeration visits one of each class, constraints leave at least one of
//! each.

use std::collections::BTreeSet;

use margay_solver::{
    Atom, Bounds, Encoding, Instance, Logic, Permutation, Relation, Session, SolverLimits,
    Symmetry, TupleSet, Universe,
};
use proptest::prelude::*;

use crate::generate::{Choices, Scope, choices, formula};
use crate::problem::{Problem, backend, key};

type Key = Vec<(Relation, TupleSet)>;

/// A problem in which some atoms may be interchangeable: bounds are made of whole sets of atoms.
fn problem(choices: &mut Choices<'_>) -> Problem {
    let mut logic = Logic::new();
    let universe = Universe::new(["a", "b", "c"]);
    let mut bounds = Bounds::new(universe);
    let (r, s, t) = (logic.relation("r", 2), logic.relation("s", 1), logic.relation("t", 1));
    let (q, h) = (logic.relation("q", 2), logic.relation("h", 3));
    let some: [Vec<u32>; 3] = [vec![0, 1, 2], vec![0, 1], vec![2]];
    let set = |of: &[u32]| TupleSet::from_tuples(1, of.iter().map(|&a| [Atom(a)]));
    let pairs = |x: &[u32], y: &[u32]| {
        TupleSet::from_tuples(
            2,
            x.iter().flat_map(|&a| y.iter().map(move |&b| [Atom(a), Atom(b)])).collect::<Vec<_>>(),
        )
    };
    let (x, y) = (&some[choices.below(3)], &some[choices.below(3)]);
    bounds.between(r, TupleSet::new(2), pairs(x, y));
    bounds.between(s, TupleSet::new(1), set(&some[choices.below(3)]));
    bounds.exactly(t, set(&some[choices.below(3)]));
    bounds.exactly(q, pairs(&some[choices.below(3)], &some[choices.below(3)]));
    bounds.exactly(h, TupleSet::new(3));
    Problem { logic, bounds, relations: vec![r, s, t, q, h] }
}

fn permutations() -> Vec<Permutation> {
    let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    all.iter()
        .map(|p| Permutation::new(p.iter().map(|&a| Atom(a)).collect()).expect("a permutation"))
        .collect()
}

fn image(key: &Key, p: &Permutation) -> Key {
    key.iter().map(|(r, t)| (*r, t.map(|a| p.image(a)))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn one_of_each_class_is_visited(choices in choices(), case in 0usize..6, length in 1usize..12) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let f = formula(&mut p, c, &Scope::default(), 3);
        let symmetry = Symmetry::interchangeable(&p.bounds, &p.logic, &[f]);
        let solutions: BTreeSet<Key> = p.solutions(f).iter().map(key).collect();

        // The group by brute force: compositions of exchanges that were found, all of which keep
        // the solutions.
        let group: Vec<Permutation> = permutations()
            .into_iter()
            .filter(|q| {
                let classes = Symmetry::classes(&p.bounds, &p.logic, &[f]);
                (0..3).map(Atom).all(|a| a == q.image(a) || classes.iter().any(|k| k.contains(&a) && k.contains(&q.image(a))))
            })
            .collect();
        for q in &group {
            prop_assert!(q.preserves_bounds(&p.bounds));
            prop_assert!(solutions.iter().all(|s| solutions.contains(&image(s, q))), "not a symmetry: {:?}", q);
        }
        let least = |s: &Key| group.iter().map(|q| image(s, q)).min().expect("the identity");
        let classes: BTreeSet<Key> = solutions.iter().map(least).collect();

        let start = || {
            let mut session = Session::new(p.bounds.clone(), Encoding::default(), &backend(case));
            session.assert(&p.logic, f);
            session
        };
        let (found, _) = start().instances(&[], &p.relations, &symmetry, &SolverLimits::default(), usize::MAX).unwrap();
        prop_assert_eq!(found.len(), classes.len());
        let visited: BTreeSet<Key> = found.iter().map(|i: &Instance| least(&key(i))).collect();
        prop_assert_eq!(&visited, &classes);

        let mut broken = start();
        broken.break_symmetry(&symmetry, &p.relations, length);
        let (left, _) = broken.instances(&[], &p.relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
        let visited: BTreeSet<Key> = left.iter().map(|i: &Instance| least(&key(i))).collect();
        prop_assert_eq!(&visited, &classes);
        prop_assert!(left.len() <= solutions.len());
    }

    #[test]
    fn a_given_group_is_obeyed(free in any::<[bool; 9]>(), case in 0usize..6) {
        // The group of rotations has no exchanges.
        let mut logic = Logic::new();
        let r = logic.relation("r", 2);
        let e = logic.rel(r);
        let mut bounds = Bounds::new(Universe::new(["a", "b", "c"]));
        // Bounds that rotate into themselves: by difference of the two atoms.
        let upper = (0..9u32).filter(|i| free[((i % 3 + 3 - i / 3) % 3) as usize]).map(|i| [Atom(i / 3), Atom(i % 3)]);
        bounds.between(r, TupleSet::new(2), TupleSet::from_tuples(2, upper));
        let turn = Permutation::new(vec![Atom(1), Atom(2), Atom(0)]).expect("a permutation");
        prop_assert!(turn.preserves_bounds(&bounds));
        let formula = logic.acyclic(e);
        let p = Problem { logic, bounds, relations: vec![r] };
        let solutions: BTreeSet<Key> = p.solutions(formula).iter().map(key).collect();
        let orbit = |s: &Key| {
            let once = image(s, &turn);
            let twice = image(&once, &turn);
            [s.clone(), once, twice].into_iter().min()
        };
        let classes: BTreeSet<_> = solutions.iter().map(orbit).collect();
        let mut session = Session::new(p.bounds.clone(), Encoding::default(), &backend(case));
        session.assert(&p.logic, formula);
        let symmetry = Symmetry::generated_by(vec![turn.clone()]);
        let (found, _) = session.instances(&[], &[r], &symmetry, &SolverLimits::default(), usize::MAX).unwrap();
        prop_assert_eq!(found.len(), classes.len());
        session.break_symmetry(&symmetry, &[r], usize::MAX);
        let (left, _) = session.instances(&[], &[r], &Symmetry::none(), &SolverLimits::default(), usize::MAX).unwrap();
        prop_assert_eq!(left.iter().map(|i| orbit(&key(i))).collect::<BTreeSet<_>>(), classes);
    }
}
