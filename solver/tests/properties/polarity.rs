//! Closures, cycles and fixpoints on graphs of five atoms, where short cuts show that three atoms
//! hide: every graph of a sample, asserted and refuted, against a plain search.

use std::collections::BTreeSet;

use margay_solver::{
    Atom, Bounds, Expr, Formula, Logic, Relation, Session, SessionOutcome, SolverLimits, TupleSet,
    Universe,
};
use proptest::prelude::*;

use crate::problem::{backend, encodings};

const ATOMS: u32 = 5;

type Edges = BTreeSet<(u32, u32)>;

fn pairs(edges: &Edges) -> TupleSet {
    TupleSet::from_tuples(2, edges.iter().map(|&(a, b)| [Atom(a), Atom(b)]))
}

/// Pairs connected by a path, by a search from every atom.
fn connected(edges: &Edges) -> Edges {
    let mut out = Edges::new();
    for start in 0..ATOMS {
        let mut open = vec![start];
        while let Some(from) = open.pop() {
            for to in 0..ATOMS {
                if edges.contains(&(from, to)) && out.insert((start, to)) {
                    open.push(to);
                }
            }
        }
    }
    out
}

/// Ways to say "connected by a path".
fn ways(logic: &mut Logic, r: Expr) -> Vec<Expr> {
    let closure = logic.closure(r);
    let mut out = vec![closure];
    // x = r + r.x, x = r + x.r, x = r + x.x
    for way in 0..3 {
        let recursion = logic.recursion("x", 2);
        let x = logic.rec(recursion);
        let step = match way {
            0 => logic.join(r, x),
            1 => logic.join(x, r),
            _ => logic.join(x, x),
        };
        let body = logic.union(r, step);
        out.push(logic.fixpoint(&[(recursion, body)]).expect("monotone")[0]);
    }
    // Odd and even paths, defined by each other.
    let (odd, even) = (logic.recursion("odd", 2), logic.recursion("even", 2));
    let (x, y) = (logic.rec(odd), logic.rec(even));
    let (longer_even, longer_odd) = (logic.join(y, r), logic.join(x, r));
    let odd_body = logic.union(r, longer_even);
    let both = logic.fixpoint(&[(odd, odd_body), (even, longer_odd)]).expect("monotone");
    out.push(logic.union(both[0], both[1]));
    out
}

/// A graph between bounds.
struct Setting {
    logic: Logic,
    r: Relation,
    bounds: Bounds,
}

fn setting(certain: &Edges, possible: &Edges) -> Setting {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let mut bounds = Bounds::new(Universe::new((0..ATOMS).map(|a| a.to_string())));
    bounds.between(r, pairs(certain), pairs(possible));
    Setting { logic, r, bounds }
}

fn graphs(certain: &Edges, possible: &Edges) -> Vec<Edges> {
    let free: Vec<(u32, u32)> = possible.difference(certain).copied().collect();
    (0u32..1 << free.len())
        .map(|mask| {
            let chosen =
                free.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &e)| e);
            certain.iter().copied().chain(chosen).collect()
        })
        .collect()
}

fn edges(max: usize) -> impl Strategy<Value = Edges> {
    proptest::collection::btree_set((0..ATOMS, 0..ATOMS), 0..=max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn paths_are_paths(certain in edges(3), free in edges(6), wanted in edges(4), forbidden in edges(4), case in 0usize..192) {
        let possible: Edges = certain.union(&free).copied().collect();
        let mut s = setting(&certain, &possible);
        let graph = s.logic.rel(s.r);
        let (need, avoid) = (s.logic.constant(pairs(&wanted)), s.logic.constant(pairs(&forbidden)));
        for path in ways(&mut s.logic, graph) {
            // Positive, negative, and both.
            let there = s.logic.subset(need, path);
            let meeting = s.logic.intersection(path, avoid);
            let not_there = s.logic.no(meeting);
            let both = s.logic.and([there, not_there]);
            let exactly = s.logic.equal(path, need);
            // The same under a complement: what is negative there is positive within.
            let others = s.logic.difference(avoid, path);
            let none_taken = s.logic.subset(avoid, others);
            let missing = s.logic.difference(need, path);
            let none_missing = s.logic.no(missing);
            type Test<'a> = (Formula, Box<dyn Fn(&Edges) -> bool + 'a>);
            let tests: [Test<'_>; 6] = [
                (there, Box::new(|c| wanted.is_subset(c))),
                (not_there, Box::new(|c| c.is_disjoint(&forbidden))),
                (both, Box::new(|c| wanted.is_subset(c) && c.is_disjoint(&forbidden))),
                (none_taken, Box::new(|c| c.is_disjoint(&forbidden))),
                (none_missing, Box::new(|c| wanted.is_subset(c))),
                (exactly, Box::new(|c| *c == wanted)),
            ];
            let closures: Vec<Edges> = graphs(&certain, &possible).iter().map(connected).collect();
            for (formula, holds) in tests {
                for negated in [false, true] {
                    let f = if negated { s.logic.not(formula) } else { formula };
                    let mut session = Session::new(s.bounds.clone(), encodings()[case % 64], &backend(case));
                    session.assert(&s.logic, f);
                    let found = matches!(session.solve(&[], &SolverLimits::default()).unwrap(), SessionOutcome::Sat(_));
                    prop_assert_eq!(found, closures.iter().any(|c| holds(c) != negated));
                }
            }
        }
    }

    #[test]
    fn cycles_are_cycles(certain in edges(4), free in edges(8), case in 0usize..192) {
        let possible: Edges = certain.union(&free).copied().collect();
        let mut s = setting(&certain, &possible);
        let graph = s.logic.rel(s.r);
        let acyclic = s.logic.acyclic(graph);
        let cyclic = s.logic.not(acyclic);
        let all = graphs(&certain, &possible);
        let without = all.iter().filter(|g| connected(g).iter().all(|(a, b)| a != b)).count();
        for (formula, wanted) in [(acyclic, without), (cyclic, all.len() - without)] {
            let mut session = Session::new(s.bounds.clone(), encodings()[case % 64], &backend(case));
            session.assert(&s.logic, formula);
            let none = margay_solver::Symmetry::none();
            let (found, _) = session.instances(&[], &[s.r], &none, &SolverLimits::default(), usize::MAX).unwrap();
            prop_assert_eq!(found.len(), wanted);
            prop_assert!(found.iter().all(|i| i.holds(&s.logic, formula)));
        }
    }
}
