//! Formulas over more atoms than all pairs of them are written down for, and formulas that are too
//! large.

use std::collections::BTreeSet;

use margay_solver::{
    Atom, Backend, Bounds, Encoding, Logic, Session, SessionOutcome, SolverLimits, TupleSet,
    Universe,
};

/// More than a thousand, so that a product of two large sets has more than a million cells.
const ATOMS: u32 = 1200;

fn set(keep: impl Fn(u32) -> bool) -> TupleSet {
    TupleSet::from_tuples(1, (0..ATOMS).filter(|&a| keep(a)).map(|a| [Atom(a)]))
}

/// What products keep of a relation, and what they take from it, is what their members say, whether
/// they are written down or not.
#[test]
fn products_that_only_restrict_are_what_they_say() {
    let (in_a, in_b) = (|a: u32| a % 17 != 3, |b: u32| b % 13 != 5);
    let mut logic = Logic::new();
    let [r, s] = ["r", "s"].map(|name| logic.relation(name, 2));
    let [a, b, open] = ["a", "b", "open"].map(|name| logic.relation(name, 1));
    let pairs: BTreeSet<[u32; 2]> = (0..ATOMS)
        .map(|x| [x, x * 7 % ATOMS])
        .chain((0..ATOMS).map(|x| [x, x * 11 % ATOMS]))
        .collect();
    let taken: BTreeSet<[u32; 2]> = pairs.iter().copied().filter(|[x, _]| x % 3 == 0).collect();
    let tuples = |of: &BTreeSet<[u32; 2]>| TupleSet::from_tuples(2, of.iter().map(|p| p.map(Atom)));
    let mut bounds = Bounds::new(Universe::new((0..ATOMS).map(|a| a.to_string())));
    bounds.exactly(r, tuples(&pairs));
    bounds.exactly(s, tuples(&taken));
    bounds.exactly(a, set(in_a));
    bounds.exactly(b, set(in_b));
    // Members of which it is open whether they are there: the solver says, and a cell with one is
    // there where it is.
    bounds.between(open, set(|a| a != 7), set(|_| true));
    let [r, s, a, b, open] = [r, s, a, b, open].map(|relation| logic.rel(relation));
    let kept = logic.product(a, b);
    let everything = logic.product(open, open);
    let others = logic.difference(everything, s);
    let either = logic.union(kept, s);
    let kept = logic.intersection(r, kept);
    let left = logic.difference(r, others);
    let either = logic.intersection(either, r);
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    let cells = |session: &mut Session, expr| -> Vec<([u32; 2], Option<bool>)> {
        let cells = session.cells(&logic, expr);
        cells.into_iter().map(|(t, literal)| ([t[0].0, t[1].0], literal.constant())).collect()
    };
    let expected = |keep: &dyn Fn([u32; 2]) -> Option<bool>| -> Vec<([u32; 2], Option<bool>)> {
        pairs.iter().map(|&p| (p, keep(p))).filter(|(_, there)| *there != Some(false)).collect()
    };
    let is_kept = |[x, y]: [u32; 2]| in_a(x) && in_b(y);
    assert_eq!(cells(&mut session, kept), expected(&|p| Some(is_kept(p))));
    assert_eq!(cells(&mut session, either), expected(&|p| Some(is_kept(p) || taken.contains(&p))));
    let is_open = |p: [u32; 2]| p.contains(&7);
    let is_left = |p: [u32; 2]| {
        if taken.contains(&p) {
            Some(true)
        } else if is_open(p) {
            None
        } else {
            Some(false)
        }
    };
    assert_eq!(cells(&mut session, left), expected(&is_left));
}

/// A closure and an order of so many steps go step by step: what they say of a long chain is right
/// in both directions.
#[test]
fn long_chains_are_closed_and_ordered() {
    let length = 260;
    for missing in [None, Some(length / 2)] {
        let mut logic = Logic::new();
        let [step, back] = ["step", "back"].map(|name| logic.relation(name, 2));
        let chain = || (0..length - 1).map(|a| [Atom(a), Atom(a + 1)]);
        let there = TupleSet::from_tuples(2, chain().filter(|pair| Some(pair[0].0) != missing));
        let mut bounds = Bounds::new(Universe::new((0..length).map(|a| a.to_string())));
        bounds.between(step, there, TupleSet::from_tuples(2, chain()));
        bounds.exactly(back, TupleSet::from_tuples(2, [[Atom(length - 1), Atom(0)]]));
        let [steps, back] = [step, back].map(|relation| logic.rel(relation));
        let round = logic.union(steps, back);
        let acyclic = logic.acyclic(round);
        let closure = logic.closure(steps);
        let ends = logic.constant(TupleSet::from_tuples(2, [[Atom(0), Atom(length - 1)]]));
        let met = logic.intersection(closure, ends);
        let apart = logic.no(met);
        for formula in [acyclic, apart] {
            let mut session =
                Session::new(bounds.clone(), Encoding::default(), &Backend::default());
            session.assert(&logic, formula);
            let answer = session.solve(&[], &SolverLimits::default()).unwrap();
            // They hold where the step in the middle may be left out.
            assert_eq!(matches!(answer, SessionOutcome::Sat(_)), missing.is_some(), "{missing:?}");
        }
    }
}

/// A formula that would take more memory than is given for it is given up before it does, and says
/// so.
#[test]
fn what_is_too_large_is_given_up() {
    let mut logic = Logic::new();
    let set_of_all = logic.relation("all", 1);
    let mut bounds = Bounds::new(Universe::new((0..ATOMS).map(|a| a.to_string())));
    bounds.exactly(set_of_all, set(|_| true));
    let all = logic.rel(set_of_all);
    let pairs = logic.product(all, all);
    let some = logic.some(pairs);
    for (bytes, is_too_large) in [(1 << 20, true), (1 << 30, false)] {
        let limits = SolverLimits { bytes: Some(bytes), ..SolverLimits::default() };
        let mut session = Session::new(bounds.clone(), Encoding::default(), &Backend::default());
        session.set_limits(limits.clone());
        session.assert(&logic, some);
        let answer = session.solve(&[], &limits).unwrap();
        assert_eq!(
            (session.is_too_large(), answer == SessionOutcome::Unknown),
            (is_too_large, is_too_large)
        );
    }
}
