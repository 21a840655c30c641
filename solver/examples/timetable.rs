//! A timetable that cannot be: which of the wishes contradict each other, and, once one is dropped,
//! a timetable that shows who meets. Run with `cargo run -p margay-solver --example timetable`.

use margay_solver::{
    Atom, Backend, Bounds, Core, Encoding, Logic, Session, SessionOutcome, SolverFailure,
    SolverLimits, TupleSet, Universe,
};

fn main() -> Result<(), SolverFailure> {
    // Four talks, two hours: each talk is in one hour.
    let talks = ["cats", "dogs", "fish", "owls"];
    let mut logic = Logic::new();
    let [talk, hour] = ["Talk", "Hour"].map(|name| logic.relation(name, 1));
    let at = logic.relation("at", 2);
    let mut bounds = Bounds::new(Universe::new(talks.into_iter().chain(["nine", "ten"])));
    bounds.exactly(talk, TupleSet::from_tuples(1, (0..4).map(|t| [Atom(t)])));
    bounds.exactly(hour, TupleSet::from_tuples(1, (4..6).map(|h| [Atom(h)])));
    let any = (0..4).flat_map(|t| (4..6).map(move |h| [Atom(t), Atom(h)]));
    bounds.between(at, TupleSet::new(2), TupleSet::from_tuples(2, any));
    let [t, h, a] = [talk, hour, at].map(|relation| logic.rel(relation));
    let each = logic.function(a, t, h);

    // Who wants to hear two talks wishes that they are not in the same hour.
    let mut wishes = Vec::new();
    for (i, j) in [(0, 1), (0, 3), (1, 2), (2, 3), (0, 2)] {
        let [one, other] = [i, j].map(|i| logic.constant(TupleSet::from_tuples(1, [[Atom(i)]])));
        let [its_hour, other_hour] = [one, other].map(|talk| logic.join(talk, a));
        let both = logic.intersection(its_hour, other_hour);
        wishes.push((
            format!("{} apart from {}", talks[i as usize], talks[j as usize]),
            logic.no(both),
        ));
    }
    // And two friends want to meet: at some hour there are two talks to be had.
    let (when, first, second) =
        (logic.variable("when"), logic.variable("first"), logic.variable("second"));
    let [at_when, at_first, at_second] = [when, first, second].map(|variable| logic.var(variable));
    let then = logic.join(a, at_when);
    let same = logic.equal(at_first, at_second);
    let different = logic.not(same);
    let pair = logic.exists(&[(first, then), (second, then)], different);
    let meeting = logic.exists(&[(when, h)], pair);
    // The witnesses are relations, so the timetable will show them.
    let (meeting, witnesses) = logic.skolemize(meeting, 0, &mut bounds);
    wishes.push(("two talks at some hour".to_owned(), meeting));

    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    session.assert(&logic, each);
    let mut goals: Vec<_> =
        wishes.iter().map(|&(_, formula)| session.goal(&logic, formula)).collect();
    let name = |wanted| {
        wishes
            .iter()
            .zip(&goals)
            .find(|(_, goal)| **goal == wanted)
            .map_or("", |((name, _), _)| name)
    };
    let none = SolverLimits::default();
    let Core::Minimal(core) = session.minimal_core(&goals, &none)? else {
        panic!("no limit was set, and wishes are too many")
    };
    println!("These cannot be had together, but any all but one of them can:");
    for &wish in &core {
        println!("  {}", name(wish));
    }
    assert_eq!(core.len(), 3, "talks that are apart pairwise need three hours");

    // Without the last of them the others can be had.
    goals.retain(|goal| Some(goal) != core.last());
    let SessionOutcome::Sat(timetable) = session.solve(&goals, &none)? else {
        panic!("one wish less is enough")
    };
    let names = |set: &TupleSet| {
        set.iter()
            .flatten()
            .map(|&atom| timetable.universe().name(atom))
            .collect::<Vec<_>>()
            .join(" at ")
    };
    println!("Without the last one:");
    for pair in timetable.tuples(at).into_iter().flat_map(TupleSet::iter) {
        println!("  {}", names(&TupleSet::from_tuples(2, [pair])));
    }
    for witness in &witnesses {
        let set = timetable.tuples(witness.relation).expect("a bound relation");
        println!("{} = {}", logic.relation_name(witness.relation), names(set));
        assert_eq!(set.len(), 1);
    }
    Ok(())
}

#[test]
fn three_wishes_are_too_many() -> Result<(), SolverFailure> {
    main()
}
