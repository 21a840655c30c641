//! Equal expressions are one node, algebra is used at construction, and constants never reach the
//! solver.

use margay_solver::{Atom, Backend, Bounds, Encoding, Logic, Session, TupleSet, Universe};

#[test]
fn equal_expressions_are_one() {
    let mut l = Logic::new();
    let (r, s) = (l.relation("r", 2), l.relation("s", 2));
    let [r, s] = [r, s].map(|x| l.rel(x));
    assert_eq!(l.union(r, s), l.union(s, r));
    assert_eq!(l.intersection(r, r), r);
    let empty = l.empty(2);
    assert_eq!(l.difference(r, r), empty);
    assert_eq!(l.join(r, empty), empty);
    let identity = l.identity();
    assert_eq!(l.join(identity, r), r);
    let back = l.transpose(r);
    assert_eq!(l.transpose(back), r);
    let closure = l.closure(r);
    assert_eq!(l.closure(closure), closure);
    let some = l.some(r);
    let not = l.not(some);
    assert_eq!(l.not(not), some);
    assert_eq!(l.no(r), not);
    let truth = l.truth(true);
    assert_eq!(l.and([some, truth, some]), some);
    assert_eq!(l.subset(empty, r), truth);
    assert_eq!(l.iff(some, some), truth);
}

#[test]
fn long_unions_are_not_deep() {
    let mut logic = Logic::new();
    let mut bounds = Bounds::new(Universe::new(["a"]));
    let relations: Vec<_> = (0..20_000).map(|i| logic.relation(&format!("s{i}"), 1)).collect();
    for &relation in &relations {
        bounds.between(relation, TupleSet::new(1), TupleSet::from_tuples(1, [[Atom(0)]]));
    }
    let exprs: Vec<_> = relations.iter().map(|&r| logic.rel(r)).collect();
    let all = logic.union_all(1, exprs);
    let some = logic.some(all);
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    session.assert(&logic, some);
    assert!(session.solve(&[], &Default::default()).unwrap().instance().is_some());
}

#[test]
fn what_bounds_decide_costs_nothing() {
    let mut logic = Logic::new();
    let (po, rf) = (logic.relation("po", 2), logic.relation("rf", 2));
    let mut bounds = Bounds::new(Universe::new((0..6).map(|i| i.to_string())));
    // 0 before 1 before 2; 3 before 4 before 5; rf may go from 2 to 3 only.
    bounds.exactly(
        po,
        TupleSet::from_tuples(2, [[0, 1], [1, 2], [3, 4], [4, 5]].map(|p| p.map(Atom))),
    );
    bounds.between(rf, TupleSet::new(2), TupleSet::from_tuples(2, [[Atom(2), Atom(3)]]));
    let [po, rf] = [po, rf].map(|r| logic.rel(r));
    let both = logic.union(po, rf);
    let hb = logic.closure(both);
    let (acyclic, within) = (logic.acyclic(both), logic.subset(po, hb));
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    for formula in [acyclic, within] {
        assert_eq!(session.exact(&logic, formula).constant(), Some(true));
        session.assert(&logic, formula);
    }
    assert_eq!(session.statistics().clauses, 0);
    // Every pair across needs rf, and is just rf.
    let rf_cell = session.cells(&logic, rf)[0].1;
    for (tuple, literal) in session.cells(&logic, hb) {
        let across = tuple[0].0 < 3 && tuple[1].0 >= 3;
        assert_eq!(literal.constant(), if across { None } else { Some(true) });
        assert!(!across || literal == rf_cell);
    }
}
