//! Well-formedness: a sound execution passes, and each kind of damage is named.

use margay_models::Signature;
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::wellformed::violations;

/// `W x | R x, W x (one RMW), F, F | initial write of x`
fn sound(signature: Signature) -> Execution {
    let strong = if signature == Signature::PLAIN { Order::Plain } else { Order::Rlx };
    let sc = if signature == Signature::PLAIN { Order::Plain } else { Order::Sc };
    let mut events = Vec::new();
    for (kind, thread, order, value) in [
        (Kind::Write, Some(0), strong, Some(1)),
        (Kind::Read, Some(1), strong, Some(1)),
        (Kind::Write, Some(1), strong, Some(2)),
        (Kind::Fence, Some(1), sc, None),
        (Kind::Fence, Some(1), sc, None),
        (Kind::Init, None, Order::Plain, Some(0)),
    ] {
        let mut event = EventData::new(kind, thread, order);
        event.location = (kind != Kind::Fence).then_some(0);
        event.scope = (order != Order::Plain).then_some(Scope::Sys);
        event.value = value;
        events.push(event);
    }
    let location = Location { name: "x".to_owned(), physical: 0, atomic: true };
    let mut execution =
        Execution::new(signature, events, vec![Placement::default(); 2], vec![location]);
    execution.rf = pairs(&[(0, 1)]);
    execution.co = pairs(&[(5, 0), (5, 2), (0, 2)]);
    execution.rmw = pairs(&[(1, 2)]);
    execution.data = pairs(&[(1, 2)]);
    execution.ctrl = pairs(&[(1, 3)]);
    if signature == Signature::PTX {
        execution.sync_fence = pairs(&[(3, 4)]);
    }
    execution
}

fn pairs(pairs: &[(u16, u16)]) -> BitMatrix {
    BitMatrix::from_pairs(6, pairs.iter().map(|&(a, b)| (Event(a), Event(b))))
}

#[test]
fn sound_executions_pass() {
    for signature in [Signature::PLAIN, Signature::C, Signature::PTX] {
        assert_eq!(violations(&sound(signature)), Vec::<String>::new(), "{signature}");
    }
}

/// Damages a sound execution; each complaint that is expected must be among those made.
#[track_caller]
fn damaged(signature: Signature, expected: &str, damage: impl Fn(&mut Execution)) {
    let mut execution = sound(signature);
    damage(&mut execution);
    let found = violations(&execution);
    assert!(
        found.iter().any(|f| f.contains(expected)),
        "{signature}: expected {expected:?} among {found:#?}"
    );
}

#[test]
fn damage_is_named() {
    for signature in [Signature::PLAIN, Signature::C, Signature::PTX] {
        damaged(signature, "each read reads from a write (event 1)", |e| e.rf = pairs(&[]));
        damaged(signature, "one write only (events", |e| e.rf = pairs(&[(0, 1), (5, 1)]));
        damaged(signature, "from a write to a read of the same location", |e| {
            e.rf.insert(Event(1), Event(1))
        });
        damaged(signature, "reads the value of its write (events 0 and 1)", |e| {
            e.events[1].value = Some(7)
        });
        damaged(signature, "initial write is first", |e| e.co = pairs(&[(0, 2)]));
        damaged(signature, "coherence order has no cycle", |e| e.co.insert(Event(2), Event(0)));
        damaged(signature, "coherence order is transitive", |e| e.co.remove(Event(5), Event(2)));
        damaged(signature, "writes of the same location", |e| e.co.insert(Event(0), Event(1)));
        damaged(signature, "adjacent", |e| {
            e.events.swap(2, 3);
            e.rmw = pairs(&[(1, 3)]);
        });
        damaged(signature, "a read and a later write", |e| e.rmw = pairs(&[(2, 1)]));
        damaged(signature, "later write", |e| e.data = pairs(&[(1, 3)]));
        damaged(signature, "later access", |e| e.addr = pairs(&[(1, 4)]));
        damaged(signature, "control dependencies", |e| e.ctrl = pairs(&[(2, 3)]));
        damaged(signature, "stays within a thread", |e| e.po.insert(Event(0), Event(1)));
        damaged(signature, "total in each thread", |e| e.po.remove(Event(1), Event(4)));
        damaged(signature, "has an initial write", |e| {
            e.events[5].kind = Kind::Write;
            e.events[5].thread = Some(0);
        });
    }
    for signature in [Signature::PLAIN, Signature::C] {
        damaged(signature, "coherence order is total", |e| e.co.remove(Event(0), Event(2)));
    }
    let mut partial = sound(Signature::PTX);
    partial.co.remove(Event(0), Event(2));
    assert_eq!(violations(&partial), Vec::<String>::new(), "PTX's coherence order is partial");
    for signature in [Signature::C, Signature::PTX] {
        damaged(signature, "no read is a release", |e| e.events[1].order = Order::Rel);
        damaged(signature, "no write is an acquire", |e| e.events[2].order = Order::Acq);
        damaged(signature, "read modify writes are", |e| e.events[1].order = Order::Plain);
    }
    damaged(Signature::PTX, "fence sc order relates", |e| e.sync_fence = pairs(&[(1, 4)]));
    damaged(Signature::PTX, "fence sc order has no cycle", |e| {
        e.sync_fence.insert(Event(4), Event(3))
    });
    damaged(Signature::PTX, "barriers", |e| e.sync_barrier = pairs(&[(0, 4)]));
}

#[test]
fn indices_out_of_range_are_named() {
    damaged(Signature::C, "rf ranges over 2 events, not 6", |e| e.rf = BitMatrix::new(2));
    damaged(Signature::C, "relates events that do not exist", |e| e.co.insert(Event(0), Event(60)));
    damaged(Signature::C, "thread that does not exist", |e| e.events[0].thread = Some(9));
    damaged(Signature::C, "location that does not exist", |e| e.events[0].location = Some(9));
    damaged(Signature::C, "alias", |e| e.locations[0].physical = 3);
    damaged(Signature::PTX, "1 locations have 2 generic addresses", |e| e.generic.push(0));
    damaged(
        Signature::PTX,
        "has the generic address of a location that has none of its own",
        |e| e.generic[0] = 3,
    );
    damaged(Signature::PTX, "has a generic address in other memory", |e| {
        e.locations.push(Location { name: "y".to_owned(), physical: 1, atomic: true });
        e.generic = vec![0, 0];
    });
    damaged(Signature::C, "reads and writes have a location", |e| e.events[0].location = None);
    damaged(Signature::C, "initial writes are of no thread", |e| e.events[0].thread = None);
}
