//! Witnesses of quantified variables.

use crate::backends;
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Expr, Formula, Instance, Logic, Relation, Session,
    SessionOutcome, Skolem, SolverLimits, Symmetry, TupleSet, Universe,
};

/// Two atoms, each as a constant, and a relation that may have any pair of them.
struct Pair {
    logic: Logic,
    bounds: Bounds,
    relation: Relation,
    r: Expr,
    a: Expr,
    b: Expr,
}

fn pair() -> Pair {
    let mut logic = Logic::new();
    let relation = logic.relation("r", 2);
    let mut bounds = Bounds::new(Universe::new(["a", "b"]));
    bounds.between(
        relation,
        TupleSet::new(2),
        TupleSet::from_tuples(2, (0..4).map(|i| [Atom(i / 2), Atom(i % 2)])),
    );
    let r = logic.rel(relation);
    let [a, b] = [0, 1].map(|i| logic.constant(TupleSet::from_tuples(1, [[Atom(i)]])));
    Pair { logic, bounds, relation, r, a, b }
}

impl Pair {
    fn skolemize(&mut self, formula: Formula, depth: usize) -> (Formula, Vec<Skolem>) {
        self.logic.skolemize(formula, depth, &mut self.bounds)
    }

    /// All instances, told apart by the new relations too.
    fn instances(&self, formula: Formula, skolems: &[Skolem]) -> Vec<Instance> {
        let relations: Vec<Relation> =
            std::iter::once(self.relation).chain(skolems.iter().map(|s| s.relation)).collect();
        let mut session =
            Session::new(self.bounds.clone(), Encoding::default(), &Backend::default());
        session.assert(&self.logic, formula);
        session
            .instances(&[], &relations, &Symmetry::none(), &SolverLimits::default(), usize::MAX)
            .unwrap()
            .0
    }
}

#[test]
fn an_instance_shows_the_witnesses() {
    let mut p = pair();
    // some x: univ | some y: x.r | y in a
    let (x, y) = (p.logic.variable("x"), p.logic.variable("y"));
    let [at_x, at_y] = [x, y].map(|v| p.logic.var(v));
    let after = p.logic.join(at_x, p.r);
    let is_a = p.logic.subset(at_y, p.a);
    let inner = p.logic.exists(&[(y, after)], is_a);
    let everything = p.logic.universe();
    let formula = p.logic.exists(&[(x, everything)], inner);
    let taken = p.logic.relation("$x", 1);
    p.bounds.exactly(taken, TupleSet::new(1));
    let (skolemized, skolems) = p.skolemize(formula, 0);
    let shape: Vec<_> = skolems
        .iter()
        .map(|s| (p.logic.relation_name(s.relation), s.variable, s.parameters.len()))
        .collect();
    assert_eq!(shape, [("$x2", x, 0), ("$y", y, 0)]);
    // The bound of a witness is that of its domain.
    let [xs, ys] = [&skolems[0], &skolems[1]];
    assert_eq!(
        p.bounds.get(ys.relation).map(|(lower, upper)| (lower.len(), upper.len())),
        Some((0, 2))
    );
    for backend in backends() {
        let mut session = Session::new(p.bounds.clone(), Encoding::default(), &backend);
        let goal = session.goal(&p.logic, skolemized);
        let SessionOutcome::Sat(found) = session.solve(&[goal], &SolverLimits::default()).unwrap()
        else {
            panic!("{backend}: there is one")
        };
        let [x, y] = [xs, ys]
            .map(|s| found.tuples(s.relation).expect("bound").iter().next().expect("a witness")[0]);
        assert!(y == Atom(0) && found.contains(p.relation, &[x, y]), "{backend}");
    }
}

#[test]
fn depth_counts_the_variables_that_a_witness_depends_on() {
    let mut p = pair();
    let [u, v, x] = ["u", "v", "x"].map(|name| p.logic.variable(name));
    let [at_u, at_v, at_x] = [u, v, x].map(|v| p.logic.var(v));
    let everything = p.logic.universe();
    let parts = p.logic.union(at_u, at_v);
    let among = p.logic.subset(at_x, parts);
    let some = p.logic.exists(&[(x, everything)], among);
    let formula = p.logic.for_all(&[(u, everything), (v, everything)], some);
    for depth in 0..2 {
        assert_eq!(p.skolemize(formula, depth), (formula, Vec::new()), "too deep to be touched");
    }
    let (skolemized, skolems) = p.skolemize(formula, 2);
    let [skolem] = &skolems[..] else { panic!("{skolems:?}") };
    assert_eq!(
        (skolem.variable, &skolem.parameters[..], p.logic.relation_arity(skolem.relation)),
        (x, &[u, v][..], 3)
    );
    // For equal arguments one value, for others two: and any of the 16 relations.
    assert_eq!(p.instances(skolemized, &skolems).len(), 4 * 16);
    // What must not hold of all has a witness, too, and nothing is said of what is below an
    // equivalence.
    let all = p.logic.for_all(&[(x, everything)], among);
    let all = p.logic.for_all(&[(u, everything), (v, everything)], all);
    let not = p.logic.not(all);
    assert_eq!(p.skolemize(not, 0).1.iter().map(|s| s.variable).collect::<Vec<_>>(), [u, v, x]);
    let loops = p.logic.acyclic(p.r);
    let iff = p.logic.iff(all, loops);
    assert_eq!(p.skolemize(iff, 2), (iff, Vec::new()));
}

/// `all u: a | all u: b | some x: u.r | x in a`: the inner `u` is meant.
#[test]
fn a_variable_that_is_bound_twice_is_two_parameters() {
    let mut p = pair();
    let (u, x) = (p.logic.variable("u"), p.logic.variable("x"));
    let [at_u, at_x] = [u, x].map(|v| p.logic.var(v));
    let after = p.logic.join(at_u, p.r);
    let is_a = p.logic.subset(at_x, p.a);
    let some = p.logic.exists(&[(x, after)], is_a);
    let inner = p.logic.for_all(&[(u, p.b)], some);
    let formula = p.logic.for_all(&[(u, p.a)], inner);
    let (skolemized, skolems) = p.skolemize(formula, 2);
    assert_eq!(skolems[0].parameters[0], u);
    assert_ne!(skolems[0].parameters[1], u);
    assert_eq!(
        p.instances(skolemized, &skolems).len(),
        8,
        "those in which r has the pair of b and a"
    );
}

/// `all u: a | some x: univ | all u: b | u -> x in r`: the witness depends on the outer `u`, and
/// stands below the inner one.
#[test]
fn a_witness_is_not_captured() {
    let mut p = pair();
    let (u, x) = (p.logic.variable("u"), p.logic.variable("x"));
    let [at_u, at_x] = [u, x].map(|v| p.logic.var(v));
    let after = p.logic.join(at_u, p.r);
    let met = p.logic.intersection(after, at_x);
    let met = p.logic.some(met);
    let inner = p.logic.for_all(&[(u, p.b)], met);
    let everything = p.logic.universe();
    let some = p.logic.exists(&[(x, everything)], inner);
    let formula = p.logic.for_all(&[(u, p.a)], some);
    // The inner quantifier is below a universal one too many to be looked into, and is substituted
    // into all the same.
    let (skolemized, skolems) = p.skolemize(formula, 1);
    // Of r: b has one successor, who is the witness, or two, of which one is; and what a has is
    // free.
    assert_eq!(p.instances(skolemized, &skolems).len(), (1 + 1 + 2) * 4);
}

/// `some r or some x: univ | some y: univ | no (x -> y & r)`, where the second member need not
/// hold.
#[test]
fn a_witness_that_need_not_be_there_is_one_where_it_is() {
    let mut p = pair();
    let (x, y) = (p.logic.variable("x"), p.logic.variable("y"));
    let [at_x, at_y] = [x, y].map(|v| p.logic.var(v));
    let pair = p.logic.product(at_x, at_y);
    let apart = p.logic.intersection(pair, p.r);
    let apart = p.logic.no(apart);
    let everything = p.logic.universe();
    let inner = p.logic.exists(&[(y, everything)], apart);
    let some = p.logic.exists(&[(x, everything)], inner);
    let other = p.logic.some(p.r);
    let formula = p.logic.or([some, other]);
    let (skolemized, skolems) = p.skolemize(formula, 0);
    let found = p.instances(skolemized, &skolems);
    assert!(!found.is_empty());
    for instance in found {
        let [xs, ys] = [0, 1].map(|i| instance.tuples(skolems[i].relation).expect("bound"));
        // Both are there, and not related, or neither is.
        match (xs.iter().next(), ys.iter().next()) {
            (Some(x), Some(y)) => {
                assert!(!instance.contains(p.relation, &[x[0], y[0]]), "{instance:?}")
            }
            (None, None) => assert!(instance.holds(&p.logic, other), "{instance:?}"),
            half => panic!("{half:?}"),
        }
    }
}

#[test]
#[should_panic(expected = "outside of what binds it")]
fn free_variables_are_refused() {
    let mut p = pair();
    let x = p.logic.variable("x");
    let at_x = p.logic.var(x);
    let open = p.logic.subset(at_x, p.a);
    p.skolemize(open, 0);
}
