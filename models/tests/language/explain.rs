//! Explanations: they exist exactly for what fails, every step of them is true, cycles are
//! shortest, and they read well.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::explain::{
    Contradiction, Derivation, ExplainedEdge, Link, Reason, Violation, is_closed, violation,
};
use margay_models::judge::{JudgedValue, evaluate, judge};
use margay_models::typing::OnlyBuiltIn;
use margay_models::{CheckKind, Model, Role, Signature, SourceFile, library};
use proptest::prelude::*;

use crate::generate;

fn model(text: &str) -> Model {
    Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn).expect("well-typed").model
}

/// Every step is true and the steps fit together.
fn assert_sound(derivation: &Derivation, execution: &Execution) {
    let Derivation { from, to, reason } = derivation;
    match reason {
        Reason::Base(relation) => {
            assert!(execution.base_relation(*relation).contains(*from, *to), "{derivation:?}")
        }
        Reason::Definition { because, .. } => {
            assert_eq!((because.from, because.to), (*from, *to));
            assert_sound(because, execution);
        }
        Reason::Path(steps) => {
            let mut here = *from;
            for step in steps {
                assert_eq!(step.from, here, "{derivation:?}");
                assert_sound(step, execution);
                here = step.to;
            }
            assert_eq!(here, *to, "{derivation:?}");
        }
        Reason::Both(derivations, _) => {
            assert!(!derivations.is_empty());
            for inner in derivations {
                assert_eq!((inner.from, inner.to), (*from, *to));
                assert_sound(inner, execution);
            }
        }
        Reason::Inverse(inner) => {
            assert_eq!((inner.from, inner.to), (*to, *from));
            assert_sound(inner, execution);
        }
        Reason::Conditions(conditions) => {
            for condition in conditions {
                let events = [Some(condition.event), condition.other];
                assert!(events.into_iter().flatten().all(|e| e == *from || e == *to));
            }
        }
    }
}

/// The number of steps of a shortest cycle, by brute force over powers of the relation.
fn shortest_cycle(r: &BitMatrix) -> Option<usize> {
    let mut power = r.clone();
    for length in 1..=r.size() {
        if (0..r.size()).any(|e| power.contains(Event::from(e), Event::from(e))) {
            return Some(length);
        }
        let mut next = BitMatrix::new(r.size());
        for (a, b) in power.pairs() {
            next.insert_all(a, r.row(b));
        }
        power = next;
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn what_fails_is_explained_and_nothing_else(file in generate::model(), execution in generate::execution()) {
        // Each check's expression becomes a definition as well, so that the test can ask for its
        // value.
        let text = file.to_string();
        let model = model(&text);
        let judgement = judge(&model, &execution);
        for (i, check) in model.checks.iter().enumerate() {
            let reported = judgement.holds[i] == (check.role == Role::Flag);
            let found = violation(&model, &execution, i);
            prop_assert_eq!(found.is_some(), reported, "check {} of\n{}", i, text);
            let Some(found) = found else { continue };
            // The property itself (without `~`) fails exactly if there is something to show.
            let fails = judgement.holds[i] == check.negated;
            prop_assert_eq!(!matches!(found.finding, Contradiction::Nothing), fails);
            for edge in found.edges() {
                match edge.link {
                    Link::Base(relation) => prop_assert!(execution.base_relation(relation).contains(edge.from, edge.to)),
                    Link::Back(relation) => prop_assert!(execution.base_relation(relation).contains(edge.to, edge.from)),
                    Link::Other(text) => prop_assert!(edge.from != edge.to && !text.is_empty()),
                }
            }
            if found.is_cycle() {
                prop_assert!(is_closed(&found.edges()), "{:?} of\n{}", found.edges(), text);
            }
            for edge in found.missing() {
                prop_assert!(edge.from != edge.to);
            }
            match &found.finding {
                Contradiction::Cycle(steps) => {
                    prop_assert!(!steps.is_empty());
                    for (i, step) in steps.iter().enumerate() {
                        assert_sound(step, &execution);
                        prop_assert_eq!(step.to, steps[(i + 1) % steps.len()].from);
                    }
                }
                Contradiction::Pair(derivation) => assert_sound(derivation, &execution),
                Contradiction::Member(_) | Contradiction::Nothing => {}
            }
            let lines = found.words(&|e| e.0.to_string());
            prop_assert!(!lines.is_empty());
        }
    }

    #[test]
    fn cycles_are_shortest(body in generate::relation(generate::BASE, 2), execution in generate::execution()) {
        let model = model(&format!("C let it = ({body}) | id & 0 acyclic it as c"));
        let Some(JudgedValue::Relation(it)) = evaluate(&model, &execution, "it") else { panic!("it is a relation") };
        let found = violation(&model, &execution, 0);
        match (shortest_cycle(&it), found) {
            (None, None) => {}
            // A step from an event to itself is unfolded.
            (Some(1), Some(Violation { finding: Contradiction::Cycle(_), .. })) => {}
            (Some(length), Some(Violation { finding: Contradiction::Cycle(steps), .. })) => prop_assert_eq!(steps.len(), length),
            (expected, found) => prop_assert!(false, "{expected:?} {found:?}"),
        }
    }
}

/// Message passing in C: `x = 1; y = 1 (release) || r1 = y (acquire); r2 = x`, where r1 = 1 and
/// r2 = 0, and every access but those of y is of order `data`. Events: a, b | c, d, initial writes
/// of x and y.
fn message_passing(data: Order, flag: [Order; 2], scope: Scope) -> Execution {
    let mut events = Vec::new();
    let mut push = |kind, thread, order, location, value| {
        let mut event = EventData::new(kind, thread, order);
        event.location = Some(location);
        event.value = Some(value);
        event.scope = (order != Order::Plain).then_some(scope);
        events.push(event);
    };
    push(Kind::Write, Some(0), data, 0, 1);
    push(Kind::Write, Some(0), flag[0], 1, 1);
    push(Kind::Read, Some(1), flag[1], 1, 1);
    push(Kind::Read, Some(1), data, 0, 0);
    push(Kind::Init, None, Order::Plain, 0, 0);
    push(Kind::Init, None, Order::Plain, 1, 0);
    let location =
        |name: &str, physical| Location { name: name.to_owned(), physical, atomic: true };
    let threads = vec![Placement::default(), Placement { cta: 1, ..Placement::default() }];
    let locations = vec![location("x", 0), location("y", 1)];
    let mut execution = Execution::new(Signature::C, events, threads, locations);
    let pairs =
        |ps: &[(u16, u16)]| BitMatrix::from_pairs(6, ps.iter().map(|&(a, b)| (Event(a), Event(b))));
    execution.rf = pairs(&[(1, 2), (4, 3)]);
    execution.co = pairs(&[(4, 0), (5, 1)]);
    execution
}

fn letter(event: Event) -> String {
    char::from(b'a' + event.index() as u8).to_string()
}

/// Everything that is said about a check.
fn told(model: &Model, execution: &Execution, check: &str) -> String {
    let check = model.check_named(check).expect("a check of that name");
    let found = violation(model, execution, check).expect("it fails");
    let edges: Vec<String> = found
        .edges_with_places()
        .iter()
        .map(|(ExplainedEdge { from, to, link }, place)| {
            format!("{} -{}-> {}  ({place})", letter(*from), link.name(), letter(*to))
        })
        .collect();
    format!(
        "{}\n{}\n\n{}\n\n{}",
        found.name,
        found.summary(&letter),
        found.words(&letter).join("\n"),
        edges.join("\n")
    )
}

/// A model of this test's own, so that the snapshot does not change with the shipped ones.
const RA: &str = "C \"release and acquire\"
let sb = po
let rs = [W & A]; ([W] | (rf; rmw)*)
let sw = [REL | SC]; rs; (sr & rf); [ACQ | SC]
let rec hb = sb
  | sw
  | (hb; hb)
irreflexive hb; fr as coherence
let conflict = (W * M | M * W) & loc & ext & ((M \\ IW) * (M \\ IW))
flag ~empty conflict \\ (hb | hb^-1 | sr) as race
acyclic po | rf | co | fr as sc
empty fr & ~po as no-fr
";

#[test]
fn a_violation_in_words() {
    let model = model(RA);
    let execution = message_passing(Order::Plain, [Order::Rel, Order::Acq], Scope::Gpu);
    insta::assert_snapshot!(told(&model, &execution, "coherence"));
    insta::assert_snapshot!(told(&model, &execution, "sc"));
    insta::assert_snapshot!(told(&model, &execution, "no-fr"));
    assert!(violation(&model, &execution, 1).is_none(), "no race: hb orders the two");
}

/// What could have ordered a pair leads one way or the other.
#[test]
fn what_is_missing_is_said_with_the_way_it_leads() {
    let model = model(RA);
    let execution = message_passing(Order::Plain, [Order::Rlx, Order::Rlx], Scope::Gpu);
    let race = model.check_named("race").expect("a check of that name");
    let missing = violation(&model, &execution, race).expect("nothing orders the two").missing();
    let said: Vec<String> = missing.iter().map(|edge| edge.in_words(&letter)).collect();
    assert!(said.iter().any(|words| *words == "a -hb-> d or d -hb-> a or a -sr-> d"), "{said:?}");
}

/// `po?` relates every event to itself: there is something, and nothing to draw.
#[test]
fn an_event_that_is_related_to_itself_is_no_edge() {
    let model = model("C let a = (po?)+ empty a & id as nothing empty a as all");
    let execution = message_passing(Order::Plain, [Order::Rel, Order::Acq], Scope::Cta);
    for check in [0, 1] {
        let found = violation(&model, &execution, check).expect("it fails");
        let Contradiction::Pair(pair) = &found.finding else { panic!("{found:?}") };
        assert!(
            pair.from == pair.to && found.edges().is_empty() && found.missing().is_empty(),
            "{found:?}"
        );
        assert!(!found.words(&letter).is_empty());
    }
}

/// What leads from one event to another only by what the two are: the name of such a definition, or
/// the product as a model writes it.
#[test]
fn what_two_events_are_is_readable() {
    let model = model(
        "C let asw = IW * (M \\ IW) acyclic asw | rf^-1 as named acyclic (IW * (M \\ IW)) | rf^-1 as bare",
    );
    let execution = message_passing(Order::Plain, [Order::Rel, Order::Acq], Scope::Cta);
    for (check, link) in [(0, "asw"), (1, "IW * (M \\ IW)")] {
        let found = violation(&model, &execution, check).expect("it fails");
        let links: Vec<String> = found.edges().iter().map(|edge| edge.link.name()).collect();
        assert!(links.iter().any(|name| name == link), "{links:?}");
        let words = found.words(&letter).join("\n");
        assert!(words.contains(" is an initial write"), "{words}");
        let around = found.around(&letter);
        assert!(check == 1 || around.contains(" additionally synchronizes with "), "{around}");
    }
}

#[test]
fn a_raised_flag_in_words() {
    let model = model(RA);
    let execution = message_passing(Order::Plain, [Order::Rel, Order::Acq], Scope::Cta);
    assert!(judge(&model, &execution).flagged.contains(&1));
    insta::assert_snapshot!(told(&model, &execution, "race"));
}

#[test]
fn shipped_models_explain_message_passing() {
    for name in library::built_in_names() {
        let model = library::load(name, &[]).expect("shipped").model;
        if model.signature != Signature::C {
            continue;
        }
        let execution = message_passing(Order::Rlx, [Order::Rel, Order::Acq], Scope::Sys);
        let judgement = judge(&model, &execution);
        assert!(!judgement.consistent, "{name} allows stale data");
        let failed = model.axioms().find(|(i, _)| !judgement.holds[*i]).expect("an axiom fails");
        let found = violation(&model, &execution, failed.0).expect("it fails");
        let Contradiction::Cycle(steps) = &found.finding else { panic!("{name}: {found:?}") };
        assert!(steps.iter().all(|s| s.from != s.to), "{name}: {found:?}");
        let relations: Vec<String> = found.edges().iter().map(|e| e.link.name()).collect();
        assert!(
            ["rf", "po"].iter().all(|r| relations.iter().any(|x| x == r)),
            "{name}: {relations:?}"
        );
        assert!(matches!(failed.1.kind, CheckKind::Irreflexive | CheckKind::Acyclic));
    }
}
