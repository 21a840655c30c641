//! Fences at the ends of threads: what a model is said to ignore, it ignores, by random models on
//! random executions with such a fence and without.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Kind, Order, Scope};
use margay_models::judge::judge;
use margay_models::model::End;
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Execution, Model, Role, SourceFile, library};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::generate;

fn accesses_only(execution: &Execution, pairs: &BitMatrix) -> BitMatrix {
    let access = |e: Event| execution.events[e.index()].kind != Kind::Fence;
    BitMatrix::from_pairs(execution.size(), pairs.pairs().filter(|&(a, b)| access(a) && access(b)))
}

/// The execution with one more fence, at an end of a thread.
fn with_fence(
    execution: &Execution,
    thread: u16,
    end: End,
    order: Order,
    scope: Scope,
) -> Execution {
    let of_thread = |e: &EventData| e.thread == Some(thread);
    let place = match end {
        End::First => execution.events.iter().position(of_thread),
        End::Last => execution.events.iter().rposition(of_thread).map(|last| last + 1),
    };
    let place = place.unwrap_or(0);
    let mut fence = EventData::new(Kind::Fence, Some(thread), order);
    fence.scope = Some(scope);
    let mut events = execution.events.clone();
    events.insert(place, fence);
    let mut new = Execution::new(
        execution.signature,
        events,
        execution.threads.clone(),
        execution.locations.clone(),
    );
    let moved = |e: Event| Event::from(e.index() + usize::from(e.index() >= place));
    let copy = |pairs: &BitMatrix| {
        BitMatrix::from_pairs(new.events.len(), pairs.pairs().map(|(a, b)| (moved(a), moved(b))))
    };
    (new.rf, new.co, new.rmw) = (copy(&execution.rf), copy(&execution.co), copy(&execution.rmw));
    new
}

/// A model that ignores such fences judges both executions the same; one that allows executions
/// without them allows the smaller one if it allows the larger one. Both kinds must have been met
/// often, or nothing was tested.
#[test]
fn models_do_what_is_said_of_them() {
    let mut runner = TestRunner::deterministic();
    let (mut ignored, mut allowed, mut neither) = (0, 0, 0);
    let orders = [Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];
    let fence =
        (0u16..3, prop::sample::select(orders.to_vec()), prop::sample::select(Scope::ALL.to_vec()));
    for _ in 0..1500 {
        let mut draw = || {
            let file = generate::model().new_tree(&mut runner).expect("a model").current();
            let execution =
                generate::execution().new_tree(&mut runner).expect("an execution").current();
            (file, execution, fence.new_tree(&mut runner).expect("a fence").current())
        };
        let (file, mut execution, (thread, order, scope)) = draw();
        let model = Model::parse(SourceFile::new("m.cat", file.to_string()), &OnlyBuiltIn)
            .expect("well-typed")
            .model;
        (execution.rf, execution.co, execution.rmw) = (
            accesses_only(&execution, &execution.rf),
            accesses_only(&execution, &execution.co),
            accesses_only(&execution, &execution.rmw),
        );
        let without = judge(&model, &execution);
        for end in End::BOTH {
            let with = judge(&model, &with_fence(&execution, thread, end, order, scope));
            let (ignores, allows) =
                (model.ignores_fences_at(end), model.allows_without_fences_at(end));
            if ignores {
                for (i, check) in
                    model.checks.iter().enumerate().filter(|(_, c)| c.role != Role::Assert)
                {
                    assert_eq!(without.holds[i], with.holds[i], "{end:?}, {}\n{file}", check.text);
                }
            }
            assert!(!allows || !with.consistent || without.consistent, "{end:?}\n{file}");
            ignored += usize::from(ignores);
            allowed += usize::from(allows && with.consistent);
            neither += usize::from(!ignores && !allows);
        }
    }
    assert!(ignored > 100 && allowed > 100 && neither > 100, "{ignored} {allowed} {neither}");
}

fn model(text: &str) -> Model {
    Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn).expect("well-typed").model
}

/// What leads through a fence at an end, or ends in it, can tell that it is there.
#[test]
fn what_a_fence_at_an_end_is_for_is_seen() {
    let both = |text: &str| End::BOTH.map(|end| model(text).ignores_fences_at(end));
    for (text, expected) in [
        ("C acyclic po | rf | co | fr", [true, true]),
        ("C irreflexive (po; [F]; po); (rf | fr)", [true, true]),
        // The fence of another thread orders nothing here, but it is a member of the set.
        ("C empty F", [false, false]),
        // An earlier or a later fence may be there for it to be related to.
        ("C empty po; [F]", [false, false]),
        ("C irreflexive [F]; po", [true, true]),
        ("C irreflexive po; [F]; po^-1; rf", [true, false]),
        ("C acyclic ([F]; sr; [F]) | po", [false, false]),
        ("C empty rf \\ (po; [F]; po^-1)", [true, false]),
        ("C empty [W & domain(po)]", [true, false]),
    ] {
        assert_eq!(both(text), expected, "{text}");
    }
    let allows = |text: &str| End::BOTH.map(|end| model(text).allows_without_fences_at(end));
    assert_eq!(allows("C empty rf \\ (po; [F]; po^-1)"), [true, false]);
    assert_eq!(allows("C empty rf & (po; [F]; po^-1)"), [true, true]);
    assert_eq!(allows("C ~empty F"), [false, false]);
}

/// The search leaves such fences out for every pair of the shipped models.
#[test]
fn shipped_models_of_languages_ignore_fences_at_ends() {
    for name in ["rc11-scoped", "rc11-lb", "c20-scoped", "c20", "rc11"] {
        let model = library::load(name, &[]).expect("it is built in").model;
        assert!(End::BOTH.iter().all(|&end| model.ignores_fences_at(end)), "{name}");
    }
    for name in ["ptx-6.0", "ptx-8", "x86", "aarch64", "riscv", "power"] {
        let model = library::load(name, &[]).expect("it is built in").model;
        assert!(End::BOTH.iter().all(|&end| model.allows_without_fences_at(end)), "{name}");
    }
    // Fence-SC order leads from a fence.sc at the end of a thread to another thread.
    let ptx = library::load("ptx-6.0", &[]).expect("it is built in").model;
    assert!(!ptx.ignores_fences_at(End::Last));
}
