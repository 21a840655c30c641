//! Literals of which exactly one holds, and goals that are asked case by case.

use std::collections::BTreeSet;

use crate::backends;
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Instance, Literal, Logic, Relation, Session, SessionOutcome,
    SolverLimits, TupleSet, Universe,
};

/// Three sets of which exactly one has each of three atoms, and any relation between the atoms.
struct Kinds {
    logic: Logic,
    sets: [Relation; 3],
    edge: Relation,
    bounds: Bounds,
}

fn kinds() -> Kinds {
    let mut logic = Logic::new();
    let sets = ["a", "b", "c"].map(|name| logic.relation(name, 1));
    let edge = logic.relation("edge", 2);
    let mut bounds = Bounds::new(Universe::new(["0", "1", "2"]));
    let atoms = || (0..3).map(Atom);
    for set in sets {
        bounds.between(set, TupleSet::new(1), TupleSet::from_tuples(1, atoms().map(|a| [a])));
    }
    let pairs = atoms().flat_map(|a| atoms().filter(move |&b| a != b).map(move |b| [a, b]));
    bounds.between(edge, TupleSet::new(2), TupleSet::from_tuples(2, pairs));
    Kinds { logic, sets, edge, bounds }
}

impl Kinds {
    fn session(&self, choices: bool, backend: &Backend) -> Session {
        let mut session =
            Session::new(self.bounds.clone(), Encoding { choices, ..Encoding::default() }, backend);
        for atom in (0..3).map(Atom) {
            let literals = self.sets.map(|set| session.tuple(set, &[atom]));
            session.add_choice(&literals);
        }
        session
    }
}

/// All instances, by blocking one after the other.
fn instances(
    session: &mut Session,
    kinds: &Kinds,
    goals: &[Literal],
    depth: usize,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    loop {
        let outcome = session.solve_by_cases(goals, depth, &SolverLimits::default());
        let SessionOutcome::Sat(instance) = outcome.expect("the solver works") else {
            return found;
        };
        let clause: Vec<Literal> = tuples(kinds)
            .into_iter()
            .map(|(relation, tuple)| {
                let literal = session.tuple(relation, &tuple);
                if instance.contains(relation, &tuple) { !literal } else { literal }
            })
            .collect();
        session.add_clause(&clause);
        assert!(found.insert(shown(&instance, kinds)), "an instance that was blocked comes again");
    }
}

fn tuples(kinds: &Kinds) -> Vec<(Relation, Vec<Atom>)> {
    let all = kinds.sets.iter().chain([&kinds.edge]);
    let upper = |&r: &Relation| {
        kinds
            .bounds
            .get(r)
            .expect("it is bound")
            .1
            .iter()
            .map(move |t| (r, t.to_vec()))
            .collect::<Vec<_>>()
    };
    all.flat_map(upper).collect()
}

fn shown(instance: &Instance, kinds: &Kinds) -> String {
    tuples(kinds)
        .into_iter()
        .map(|(relation, tuple)| if instance.contains(relation, &tuple) { '1' } else { '0' })
        .collect()
}

#[test]
fn each_atom_is_of_one_kind() {
    for backend in backends() {
        for choices in [true, false] {
            let mut kinds = kinds();
            let edge = kinds.logic.rel(kinds.edge);
            let none = kinds.logic.no(edge);
            let mut session = kinds.session(choices, &backend);
            session.assert(&kinds.logic, none);
            assert_eq!(instances(&mut session, &kinds, &[], 0).len(), 27, "{backend}");
        }
    }
}

/// What is said of choices is no more than their clauses say, and a goal that is asked case by case
/// is the same goal.
#[test]
fn choices_and_cases_change_no_answer() {
    let mut kinds = kinds();
    let logic = &mut kinds.logic;
    let [a, b, c] = kinds.sets.map(|set| logic.rel(set));
    let edge = logic.rel(kinds.edge);
    // From a to b or c along edges, and from there back: a disjunction over pairs, with sets that
    // overlap.
    let (not_a, not_c) = (logic.union(b, c), logic.union(a, b));
    let there = logic.restrict_domain(not_c, edge);
    let there = logic.restrict_range(there, not_a);
    let back = logic.restrict_domain(not_a, edge);
    let round = logic.join(there, back);
    let identity = logic.identity();
    let round = logic.intersection(round, identity);
    let (goal, rest) = (logic.some(round), logic.acyclic(there));
    for backend in backends() {
        let answers = [(true, 1), (true, 0), (true, 2), (false, 1), (false, 0), (false, 2)].map(
            |(choices, depth)| {
                let mut session = kinds.session(choices, &backend);
                let goals = [session.goal(&kinds.logic, goal), session.goal(&kinds.logic, rest)];
                let with_rest = instances(&mut session, &kinds, &goals, depth);
                let mut session = kinds.session(choices, &backend);
                let goal = session.goal(&kinds.logic, goal);
                (with_rest, instances(&mut session, &kinds, &[goal], depth))
            },
        );
        assert!(!answers[0].0.is_empty() && answers[0].0.len() < answers[0].1.len(), "{backend}");
        assert!(answers.iter().all(|other| *other == answers[0]), "{backend}");
    }
}
