//! That sparse relations have no cycle: nodes are taken out one after the other there.

use crate::backends;
use margay_solver::{
    Atom, Bounds, Encoding, Logic, Session, SessionOutcome, SolverLimits, TupleSet, Universe,
};

/// Has a graph a cycle, by taking away nodes that nothing leads to.
fn has_cycle(edges: &[(u32, u32)]) -> bool {
    let mut left: Vec<u32> = (0..NODES).collect();
    loop {
        let before = left.len();
        let inside = |(a, b): &&(u32, u32)| left.contains(a) && left.contains(b);
        let entered: Vec<u32> = edges.iter().filter(inside).map(|&(_, b)| b).collect();
        left.retain(|node| entered.contains(node));
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

/// So many, and all on one possible cycle, that an order over them is too large.
const NODES: u32 = 44;

/// Numbers that look random, the same in every run.
fn numbers(mut state: u64) -> impl FnMut(u32) -> u32 {
    move |below| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    }
}

#[test]
fn sparse_relations_have_a_cycle_where_one_is_there() {
    let (mut cyclic, mut without) = (0, 0);
    for seed in 0..40 {
        let mut number = numbers(seed);
        let ring = (0..NODES).map(|n| (n, (n + 1) % NODES));
        let mut possible: Vec<(u32, u32)> =
            (0..40).map(|_| (number(NODES), number(NODES))).chain(ring).collect();
        possible.sort_unstable();
        possible.dedup();
        let fixed: Vec<(u32, u32)> =
            possible.iter().copied().step_by(9).filter(|(a, b)| a < b).collect();
        let mut logic = Logic::new();
        let edge = logic.relation("edge", 2);
        let mut bounds = Bounds::new(Universe::new((0..NODES).map(|n| n.to_string())));
        let set = |edges: &[(u32, u32)]| {
            TupleSet::from_tuples(2, edges.iter().map(|&(a, b)| [Atom(a), Atom(b)]))
        };
        bounds.between(edge, set(&fixed), set(&possible));
        let expr = logic.rel(edge);
        let acyclic = logic.acyclic(expr);
        for backend in backends() {
            let mut session = Session::new(bounds.clone(), Encoding::default(), &backend);
            let goal = session.goal(&logic, acyclic);
            for _ in 0..12 {
                // Each edge that may be there is assumed to be, or not to be.
                let mut edges = fixed.clone();
                let mut assumed = vec![goal];
                for &(a, b) in possible.iter().filter(|edge| !fixed.contains(edge)) {
                    let literal = session.tuple(edge, &[Atom(a), Atom(b)]);
                    let is_there = number(4) == 0;
                    assumed.push(if is_there { literal } else { !literal });
                    edges.extend(Some((a, b)).filter(|_| is_there));
                }
                let found =
                    session.solve(&assumed, &SolverLimits::default()).expect("the solver works");
                let expected = has_cycle(&edges);
                assert_eq!(
                    matches!(found, SessionOutcome::Unsat),
                    expected,
                    "{backend}, seed {seed}: {edges:?}"
                );
                *(if expected { &mut cyclic } else { &mut without }) += 1;
            }
        }
    }
    assert!(cyclic > 50 && without > 50, "{cyclic} with a cycle, {without} without");
}
