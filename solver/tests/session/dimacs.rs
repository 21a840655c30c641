//! What is written in DIMACS format is the problem: another solver gives the same answers to it.

use crate::literals;
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Logic, Relation, Session, SessionOutcome, SolverAnswer,
    SolverLimits, TupleSet, Universe,
};
use rustsat::instances::SatInstance;

/// Colourings of a cycle of so many nodes; the goal is that no more than two colours are used.
fn colouring(nodes: u32, encoding: Encoding) -> (Logic, Session, Relation, margay_solver::Literal) {
    let mut logic = Logic::new();
    let (edge, colour) = (logic.relation("edge", 2), logic.relation("colour", 2));
    let names = (0..nodes).map(|n| format!("n{n}")).chain((0..3).map(|c| format!("c{c}")));
    let mut bounds = Bounds::new(Universe::new(names));
    bounds.exactly(
        edge,
        TupleSet::from_tuples(2, (0..nodes).map(|n| [Atom(n), Atom((n + 1) % nodes)])),
    );
    let all = (0..nodes).flat_map(|n| (nodes..nodes + 3).map(move |c| [Atom(n), Atom(c)]));
    bounds.between(colour, TupleSet::new(2), TupleSet::from_tuples(2, all));
    let [e, c] = [edge, colour].map(|r| logic.rel(r));
    let (node, palette) = (
        logic.constant(TupleSet::from_tuples(1, (0..nodes).map(|n| [Atom(n)]))),
        logic.constant(TupleSet::from_tuples(1, (nodes..nodes + 3).map(|c| [Atom(c)]))),
    );
    let function = logic.function(c, node, palette);
    let back = logic.transpose(c);
    let same = logic.join(c, back);
    let clash = logic.intersection(e, same);
    let proper = logic.no(clash);
    let used = logic.range(c);
    let two = logic.cardinality(used, margay_solver::CardinalityComparison::AtMost, 2);
    let mut session = Session::new(bounds, encoding, &Backend::default());
    session.assert(&logic, function);
    session.assert(&logic, proper);
    let goal = session.goal(&logic, two);
    (logic, session, colour, goal)
}

#[test]
fn other_solvers_agree_on_what_is_written() {
    for inline_gates in [true, false] {
        let encoding = Encoding { inline_gates, ..Encoding::default() };
        for nodes in 3..8 {
            let (logic, mut session, _, goal) = colouring(nodes, encoding);
            for (assumptions, wanted) in [(vec![], true), (vec![goal], nodes % 2 == 0)] {
                let mut text = Vec::new();
                session
                    .write_dimacs(&mut text, &assumptions, &["a cycle\nto colour"])
                    .expect("memory takes it");
                let text = String::from_utf8(text).expect("DIMACS is ASCII");
                assert!(text.starts_with("c a cycle\nc to colour\np cnf "), "{text}");
                let clauses: usize = text
                    .lines()
                    .nth(2)
                    .and_then(|l| l.split(' ').nth(3)?.parse().ok())
                    .expect("a header");
                assert_eq!(text.lines().count(), clauses + 3);
                let cnf: SatInstance =
                    SatInstance::from_dimacs(&mut text.as_bytes()).expect("well-formed");
                let mut other =
                    Backend::batsat().start(&Default::default()).expect("it is built in");
                for clause in &cnf.into_cnf().0 {
                    other
                        .add(&literals(&clause.iter().map(|l| l.to_ipasir()).collect::<Vec<_>>()))
                        .expect("well-formed");
                }
                assert_eq!(
                    other.solve(&[], &SolverLimits::default()).unwrap() == SolverAnswer::Sat,
                    wanted
                );
                assert_eq!(
                    matches!(
                        session.solve(&assumptions, &SolverLimits::default()).unwrap(),
                        SessionOutcome::Sat(_)
                    ),
                    wanted
                );
            }
            assert!(session.variable_names(&logic).contains("colour(n0, c0)"));
        }
    }
}

#[test]
fn a_false_assumption_is_written_as_a_contradiction() {
    let (_, mut session, colour, _) = colouring(3, Encoding::default());
    let never = session.tuple(colour, &[Atom(0), Atom(1)]);
    assert_eq!(never.constant(), Some(false));
    let mut text = Vec::new();
    session.write_dimacs(&mut text, &[never], &[]).expect("memory takes it");
    assert!(String::from_utf8(text).expect("DIMACS is ASCII").ends_with("\n0\n"));
    assert_eq!(session.solve(&[never], &SolverLimits::default()).unwrap(), SessionOutcome::Unsat);
}

#[test]
fn the_same_problem_is_written_with_the_same_bytes() {
    let text = || {
        let (_, mut session, _, goal) = colouring(6, Encoding::default());
        let mut text = Vec::new();
        session.write_dimacs(&mut text, &[goal], &[]).expect("memory takes it");
        text
    };
    assert_eq!(text(), text());
}
