//! Which recursive definitions are refused, and what those have for meaning that are not.

use margay_solver::{CardinalityComparison, Expr, Formula, Logic, Recursion};

/// Does the definition `x = r + body(x)` have a least solution, as far as signs tell?
fn monotone(body: impl Fn(&mut Logic, Expr, Expr) -> Expr) -> bool {
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let r = logic.rel(r);
    let recursion = logic.recursion("x", 2);
    let x = logic.rec(recursion);
    let step = body(&mut logic, x, r);
    let whole = logic.union(r, step);
    match logic.fixpoint(&[(recursion, whole)]) {
        Ok(solutions) => solutions.len() == 1,
        Err(error) => {
            assert_eq!((error.definition, error.occurs), (recursion, recursion));
            false
        }
    }
}

/// The same for a formula over the recursion: it stands in a comprehension over all pairs.
fn monotone_formula(formula: impl Fn(&mut Logic, Expr, Expr) -> Formula) -> bool {
    monotone(|l, x, r| {
        let (a, b) = (l.variable("a"), l.variable("b"));
        let universe = l.universe();
        let f = formula(l, x, r);
        l.comprehension(&[(a, universe), (b, universe)], f)
    })
}

#[test]
fn definitions_that_may_shrink_are_refused() {
    assert!(monotone(|l, x, r| l.join(x, r)));
    assert!(monotone(|l, x, _| l.closure(x)));
    assert!(monotone(|l, x, r| l.difference(x, r)));
    assert!(!monotone(|l, x, r| l.difference(r, x)));
    // Twice negated is not negated.
    assert!(monotone(|l, x, r| {
        let once = l.difference(r, x);
        l.difference(r, once)
    }));
    assert!(monotone(|l, x, r| l.override_with(x, r)));
    assert!(!monotone(|l, x, r| l.override_with(r, x)));
    assert!(!monotone(|l, x, r| {
        let some = l.some(x);
        l.if_then_else(some, r, x)
    }));
}

#[test]
fn formulas_in_definitions_have_signs_too() {
    assert!(monotone_formula(|l, x, _| l.some(x)));
    assert!(!monotone_formula(|l, x, _| l.no(x)));
    assert!(!monotone_formula(|l, x, _| l.acyclic(x)));
    assert!(!monotone_formula(|l, x, _| l.lone(x)));
    assert!(!monotone_formula(|l, x, _| l.one(x)));
    assert!(monotone_formula(|l, x, r| l.subset(r, x)));
    assert!(!monotone_formula(|l, x, r| l.subset(x, r)));
    assert!(!monotone_formula(|l, x, r| l.equal(x, r)));
    assert!(monotone_formula(|l, x, _| l.cardinality(x, CardinalityComparison::AtLeast, 2)));
    assert!(!monotone_formula(|l, x, _| l.cardinality(x, CardinalityComparison::Equal, 2)));
    assert!(!monotone_formula(|l, x, r| l.compare_cardinality(x, CardinalityComparison::Less, r)));
    assert!(monotone_formula(|l, x, r| l.compare_cardinality(r, CardinalityComparison::Less, x)));
    assert!(!monotone_formula(|l, x, r| {
        let (f, g) = (l.some(x), l.some(r));
        l.iff(f, g)
    }));
    assert!(!monotone_formula(|l, x, r| {
        let v = l.variable("v");
        let (domain, some) = (l.domain(x), l.some(r));
        l.for_all(&[(v, domain)], some)
    }));
}

#[test]
fn nested_definitions_keep_their_signs() {
    // x = r + (least y = s + (y;y & (r - x))): x is negative within y.
    let mut logic = Logic::new();
    let r = logic.relation("r", 2);
    let r = logic.rel(r);
    let (outer, inner): (Recursion, Recursion) = (logic.recursion("x", 2), logic.recursion("y", 2));
    let (x, y) = (logic.rec(outer), logic.rec(inner));
    let (twice, not_x) = (logic.join(y, y), logic.difference(r, x));
    let filtered = logic.intersection(twice, not_x);
    let body = logic.union(r, filtered);
    let least = logic.fixpoint(&[(inner, body)]).expect("y occurs positively")[0];
    let error = logic.fixpoint(&[(outer, least)]).expect_err("x occurs negatively");
    assert_eq!(error.occurs, outer);
}
