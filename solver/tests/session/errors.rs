//! Errors of the calling program are told where they are made, with what is wrong.

use margay_solver::{Atom, Backend, Bounds, Encoding, Logic, Session, TupleSet, Universe};

fn two_atoms() -> Bounds {
    Bounds::new(Universe::new(["a", "b"]))
}

#[test]
#[should_panic(expected = "union of relations of arity 1 and 2")]
fn arities_must_agree() {
    let mut logic = Logic::new();
    let (s, r) = (logic.relation("s", 1), logic.relation("r", 2));
    let [s, r] = [s, r].map(|x| logic.rel(x));
    logic.union(s, r);
}

#[test]
#[should_panic(expected = "`r` has another arity than its bounds")]
fn bounds_must_have_the_relations_arity() {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let mut bounds = two_atoms();
    bounds.exactly(r, TupleSet::from_tuples(1, [[Atom(0)]]));
    let e = logic.rel(r);
    let some = logic.some(e);
    Session::new(bounds, Encoding::default(), &Backend::default()).assert(&logic, some);
}

#[test]
#[should_panic(expected = "a bound names an atom outside of the universe")]
fn bounds_must_stay_in_the_universe() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    two_atoms().exactly(s, TupleSet::from_tuples(1, [[Atom(2)]]));
}

#[test]
#[should_panic(expected = "a formula uses a variable or recursion outside of what binds it")]
fn variables_must_be_bound() {
    let mut logic = Logic::new();
    let v = logic.variable("v");
    let e = logic.var(v);
    let some = logic.some(e);
    Session::new(two_atoms(), Encoding::default(), &Backend::default()).assert(&logic, some);
}

#[test]
#[should_panic(expected = "a goal may only be assumed")]
fn goals_have_no_negation() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    let mut bounds = two_atoms();
    bounds.between(s, TupleSet::new(1), TupleSet::from_tuples(1, [[Atom(0)]]));
    let e = logic.rel(s);
    let some = logic.some(e);
    let goal = Session::new(bounds, Encoding::default(), &Backend::default()).goal(&logic, some);
    let _ = !goal;
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a formula of another arena")]
fn formulas_belong_to_their_arena() {
    let make = || {
        let mut logic = Logic::new();
        let s = logic.relation("s", 1);
        let e = logic.rel(s);
        let some = logic.some(e);
        (logic, some)
    };
    let ((logic, _), (_, some)) = (make(), make());
    Session::new(two_atoms(), Encoding::default(), &Backend::default()).assert(&logic, some);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "an expression of another arena")]
fn expressions_belong_to_their_arena() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    let mut other = logic.clone();
    // Both have number 0: without its arena it would pass for the other one.
    let (own, foreign) = (logic.rel(s), other.rel(s));
    logic.union(own, foreign);
}

/// A clone knows what was made before it.
#[test]
fn clones_share_what_was_made_before() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    let e = logic.rel(s);
    let (mut first, mut second) = (logic.clone(), logic.clone());
    let mut third = first.clone();
    for logic in [&mut first, &mut second, &mut third] {
        let some = logic.some(e);
        assert_eq!(
            Session::new(two_atoms(), Encoding::default(), &Backend::default()).exact(logic, some).constant(),
            Some(false)
        );
    }
}

#[test]
fn unbound_relations_are_empty() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    let e = logic.rel(s);
    let some = logic.some(e);
    let mut session = Session::new(two_atoms(), Encoding::default(), &Backend::default());
    assert_eq!(session.exact(&logic, some).constant(), Some(false));
    assert_eq!(session.tuple(s, &[Atom(0)]).constant(), Some(false));
    // So are tuples that cannot be.
    assert_eq!(session.tuple(s, &[Atom(9), Atom(0)]).constant(), Some(false));
}

#[test]
fn an_empty_universe_is_a_universe() {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let mut bounds = Bounds::new(Universe::new(Vec::<String>::new()));
    bounds.exactly(r, TupleSet::new(2));
    let e = logic.rel(r);
    let closure = logic.closure(e);
    let (none, acyclic) = (logic.no(closure), logic.acyclic(e));
    let universe = logic.universe();
    let some = logic.some(universe);
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    for (formula, value) in [(none, true), (acyclic, true), (some, false)] {
        assert_eq!(session.exact(&logic, formula).constant(), Some(value));
    }
    assert!(session.solve(&[], &Default::default()).unwrap().instance().is_some());
}
