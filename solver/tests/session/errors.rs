//! Errors of the calling program are told where they are made, with what is wrong.

use margay_solver::{
    Atom, Backend, Bounds, Encoding, Instance, Logic, Notation, Session, SolverLimits, Symmetry,
    TupleSet, Universe,
};

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
#[should_panic(expected = "the relation `r` is of arity 2, and its bounds are of arity 1")]
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
        let mut bounds = two_atoms();
        bounds.exactly(s, TupleSet::new(1));
        assert_eq!(
            Session::new(bounds, Encoding::default(), &Backend::default())
                .exact(logic, some)
                .constant(),
            Some(false)
        );
    }
}

#[test]
fn relations_with_empty_bounds_are_empty() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    let e = logic.rel(s);
    let some = logic.some(e);
    let mut bounds = two_atoms();
    bounds.exactly(s, TupleSet::new(1));
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
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

#[test]
#[should_panic(expected = "the relation `r` has no bounds")]
fn relations_must_have_bounds() {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let e = logic.rel(r);
    // `no r` would hold of a relation that is taken for an empty one.
    let none = logic.no(e);
    Session::new(two_atoms(), Encoding::default(), &Backend::default()).assert(&logic, none);
}

#[test]
#[should_panic(expected = "the instance says nothing of the relation `r`")]
fn instances_say_what_they_know() {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let e = logic.rel(r);
    Instance::new(Universe::new(["a"]), [].into()).evaluate(&logic, e);
}

/// The file and line of the panic of a closure.
fn place_of_panic(wrong: impl FnOnce() + std::panic::UnwindSafe) -> String {
    use std::sync::{Arc, Mutex};
    // One test at a time: the hook is the process's.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let place = Arc::new(Mutex::new(String::new()));
    let (seen, usual, own) = (place.clone(), std::panic::take_hook(), std::thread::current().id());
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == own
            && let Some(location) = info.location()
        {
            *seen.lock().expect("a place") = format!("{}:{}", location.file(), location.line());
        }
    }));
    let outcome = std::panic::catch_unwind(wrong);
    std::panic::set_hook(usual);
    assert!(outcome.is_err(), "it panics");
    place.lock().expect("a place").clone()
}

#[test]
fn panics_point_at_the_caller() {
    let mut logic = Logic::new();
    let (s, r) = (logic.relation("s", 1), logic.relation("r", 2));
    let here = |line: u32| format!("{}:{line}", file!());
    let [e, f] = [s, r].map(|x| logic.rel(x));
    let mut copy = logic.clone();
    assert_eq!(
        place_of_panic(move || {
            copy.union(e, f);
        }),
        here(line!() - 2)
    );
    let mut copy = logic.clone();
    assert_eq!(
        place_of_panic(move || {
            copy.closure(e);
        }),
        here(line!() - 2)
    );
    let mut copy = logic.clone();
    let operators = move || {
        let notation = Notation::new(&mut copy);
        let _ = notation.expr(e) & notation.expr(f);
    };
    assert_eq!(place_of_panic(operators), here(line!() - 2));
    let copy = logic.clone();
    let evaluated = move || {
        Instance::new(Universe::new(["a"]), [].into()).evaluate(&copy, f);
    };
    assert_eq!(place_of_panic(evaluated), here(line!() - 2));
    let inserted = || {
        TupleSet::new(2).insert(&[Atom(0)]);
    };
    assert_eq!(place_of_panic(inserted), here(line!() - 2));
    let named = || {
        Universe::new(["a"]).tuples([["a", "b"]]);
    };
    assert_eq!(place_of_panic(named), here(line!() - 2));
    let undeclared = || {
        Logic::new().relation_name(r);
    };
    assert_eq!(place_of_panic(undeclared), here(line!() - 2));
    let projected = move || {
        let mut session = Session::new(two_atoms(), Encoding::default(), &Backend::default());
        let _ = session.instances(&[], &[r], &Symmetry::none(), &SolverLimits::default(), 1);
    };
    assert_eq!(place_of_panic(projected), here(line!() - 2));
    let some = logic.some(f);
    let unbound = move || {
        let mut session = Session::new(two_atoms(), Encoding::default(), &Backend::default());
        session.assert(&logic, some);
    };
    assert_eq!(place_of_panic(std::panic::AssertUnwindSafe(unbound)), here(line!() - 2));
}

#[test]
#[should_panic(expected = "the lower bound must be within the upper bound, which lacks (b)")]
fn what_must_be_may_be() {
    let mut logic = Logic::new();
    let s = logic.relation("s", 1);
    two_atoms().between(
        s,
        TupleSet::from_tuples(1, [[Atom(1)]]),
        TupleSet::from_tuples(1, [[Atom(0)]]),
    );
}

#[test]
#[should_panic(expected = "several atoms of the universe are called `a`")]
fn a_name_of_two_atoms_names_none() {
    Universe::new(["a", "b", "a"]).tuples([["b"], ["a"]]);
}
