//! From executions to tests: the texts that `margay check` shows.

use margay_litmus::render::{RenderError, render};
use margay_models::bits::Event;
use margay_models::execution::{
    EventData, Execution, Kind, Location, Order, Placement, Proxy, Scope,
};
use margay_models::signature::Signature;

fn event(
    kind: Kind,
    thread: u16,
    order: Order,
    scope: Option<Scope>,
    location: Option<u16>,
) -> EventData {
    EventData { scope, location, ..EventData::new(kind, Some(thread), order) }
}

fn location(name: &str, index: u16, atomic: bool) -> Location {
    Location { name: name.into(), physical: index, atomic }
}

fn init(location: u16) -> EventData {
    EventData { location: Some(location), ..EventData::new(Kind::Init, None, Order::Plain) }
}

const APART: [Placement; 2] = [
    Placement { gpu: 0, cluster: 0, cta: 0, warp: 0, kernel: 0 },
    Placement { gpu: 0, cluster: 1, cta: 1, warp: 0, kernel: 0 },
];

/// Message passing: Wx, Wy, Ry, Rx, and the two initial writes; the first read reads from `Wy`, the
/// second one from the start.
fn message_passing(signature: Signature, orders: [Order; 4]) -> Execution {
    let scope =
        |o: Order| (o != Order::Plain && signature != Signature::PLAIN).then_some(Scope::Gpu);
    let kinds = [(Kind::Write, 0, 0), (Kind::Write, 0, 1), (Kind::Read, 1, 1), (Kind::Read, 1, 0)];
    let mut events: Vec<EventData> =
        kinds.iter().zip(orders).map(|(&(k, t, l), o)| event(k, t, o, scope(o), Some(l))).collect();
    events.extend([init(0), init(1)]);
    let atomic = |l: usize| signature == Signature::C && orders[l] != Order::Plain;
    let mut x = Execution::new(
        signature,
        events,
        APART.to_vec(),
        vec![location("x", 0, atomic(0)), location("y", 1, atomic(1))],
    );
    x.co.insert(Event(4), Event(0));
    x.co.insert(Event(5), Event(1));
    x.rf.insert(Event(1), Event(2));
    x.rf.insert(Event(4), Event(3));
    x
}

#[test]
fn message_passing_in_ptx() {
    let x = message_passing(Signature::PTX, [Order::Plain, Order::Rel, Order::Acq, Order::Plain]);
    let rendered = render(&x, "mp", Some("message passing"), &[]).unwrap();
    insta::assert_snapshot!(rendered.test.to_string(), @r#"
    PTX mp
    "message passing"
    { x=0; y=0; P1:r0=0; P1:r1=0; }
     P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
     st.weak x, 1        | ld.acquire.gpu r0, y ;
     st.release.gpu y, 1 | ld.weak r1, x        ;
    exists (P1:r0 == 1 /\ P1:r1 == 0)
    "#);
    assert_eq!(rendered.lines[3].map(|l| (l.thread.0, l.line)), Some((1, 1)));
    assert_eq!(rendered.lines[4], None);
}

#[test]
fn message_passing_in_scoped_c_with_control_dependency() {
    let mut x = message_passing(Signature::C, [Order::Plain, Order::Rel, Order::Rlx, Order::Plain]);
    x.ctrl.insert(Event(2), Event(3));
    let rendered = render(&x, "mp", None, &[]).unwrap();
    insta::assert_snapshot!(rendered.test.to_string(), @r"
    C mp
    { [x]=0; [y]=0; }

    P0@wg 0,dev 0 (int* x, atomic_int* y) {
      *x = 1;
      atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
    }

    P1@wg 1,dev 0 (int* x, atomic_int* y) {
      int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
      if (r0 == 1) {
        int r1 = *x;
      }
    }

    exists (1:r0=1 /\ 1:r1=0)
    ");
    assert_eq!(rendered.lines[3].map(|l| (l.thread.0, l.line)), Some((1, 2)), "inside of the `if`");
}

#[test]
fn message_passing_without_orders_or_scopes() {
    let mut x = message_passing(Signature::PLAIN, [Order::Plain; 4]);
    x.addr.insert(Event(2), Event(3));
    insta::assert_snapshot!(render(&x, "mp", None, &[]).unwrap().test.to_string(), @r"
    GENERIC mp
    { x=0; y=0; P1:r0=0; P1:r1=0; }
     P0      | P1             ;
     st x, 1 | ld r0, y       ;
     st y, 1 | xor r2, r0, r0 ;
             | ld r1, [x+r2]  ;
    exists (P1:r0 == 1 /\ P1:r1 == 0)
    ");
}

/// Two exchanges of one location by two threads, one reading from the other, and a load that
/// follows with dependencies.
#[test]
fn exchanges_and_dependencies_in_ptx() {
    let gpu = Some(Scope::Gpu);
    let events = vec![
        event(Kind::Read, 0, Order::Acq, gpu, Some(0)),
        event(Kind::Write, 0, Order::Rel, gpu, Some(0)),
        event(Kind::Fence, 0, Order::Sc, gpu, None),
        event(Kind::Write, 0, Order::Plain, None, Some(1)),
        event(Kind::Read, 1, Order::Rlx, Some(Scope::Sys), Some(0)),
        event(Kind::Write, 1, Order::Rlx, Some(Scope::Sys), Some(0)),
        init(0),
        init(1),
    ];
    let mut x = Execution::new(
        Signature::PTX,
        events,
        APART.to_vec(),
        vec![location("l0", 0, false), location("l0", 1, false)],
    );
    for (r, w) in [(0, 1), (4, 5)] {
        x.rmw.insert(Event(r), Event(w));
    }
    for (a, b) in [(6, 1), (6, 5), (5, 1), (7, 3)] {
        x.co.insert(Event(a), Event(b));
    }
    x.rf.insert(Event(6), Event(4));
    x.rf.insert(Event(5), Event(0));
    x.data.insert(Event(0), Event(3));
    for later in [2, 3] {
        x.ctrl.insert(Event(0), Event(later));
    }
    insta::assert_snapshot!(render(&x, "two words", None, &[]).unwrap().test.to_string(), @r"
    PTX two-words
    { x=0; y=0; P0:r0=0; P1:r0=0; }
     P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
     atom.acq_rel.gpu.exch r0, x, 2 | atom.relaxed.sys.exch r0, x, 1 ;
     bne r0, 1, END                 |                                ;
     fence.sc.gpu                   |                                ;
     st.weak y, r0                  |                                ;
     END:                           |                                ;
    exists (P0:r0 == 1 /\ P1:r0 == 0 /\ x == 2)
    ");
    x.ctrl.remove(Event(0), Event(3));
    insta::assert_snapshot!(render(&x, "predicated", None, &[]).unwrap().test.to_string(), @r"
    PTX predicated
    { x=0; y=0; P0:r0=0; P1:r0=0; }
     P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;
     atom.acq_rel.gpu.exch r0, x, 2 | atom.relaxed.sys.exch r0, x, 1 ;
     setp.eq r1, r0, 1              |                                ;
     @r1 fence.sc.gpu               |                                ;
     st.weak y, r0                  |                                ;
    exists (P0:r0 == 1 /\ P1:r0 == 0 /\ x == 2)
    ");
}

#[test]
fn the_caller_chooses_among_maximal_writes() {
    let mut x = message_passing(Signature::PTX, [Order::Plain; 4]);
    x.events[1].location = Some(0);
    x.events[2].location = Some(0);
    x.events[2].kind = Kind::Write;
    x.rf.remove(Event(1), Event(2));
    x.co.remove(Event(5), Event(1));
    for w in [1, 2] {
        x.co.insert(Event(4), Event(w));
    }
    x.co.insert(Event(0), Event(1));
    let outcome =
        |finals: &[Option<Event>]| render(&x, "co", None, finals).unwrap().test.to_string();
    assert!(outcome(&[]).contains("x == 3"), "{}", outcome(&[]));
    let chosen = render(&x, "co", None, &[Some(Event(1)), None]).unwrap();
    assert_eq!(chosen.values[1], Some(3), "the last write has the last value");
    assert!(chosen.test.to_string().contains("x == 3"));
}

#[test]
fn what_no_program_does_is_an_error() {
    let mut x = message_passing(Signature::PTX, [Order::Plain; 4]);
    x.data.insert(Event(2), Event(1));
    assert_eq!(
        render(&x, "d", None, &[]).unwrap_err(),
        RenderError::Dependency(Event(2), Event(1))
    );
    let mut x = message_passing(Signature::PTX, [Order::Plain; 4]);
    x.rf.remove(Event(4), Event(3));
    assert_eq!(render(&x, "d", None, &[]).unwrap_err(), RenderError::NoSource(Event(3)));
    let x = message_passing(Signature::PTX, [Order::Plain, Order::Sc, Order::Acq, Order::Plain]);
    assert_eq!(render(&x, "d", None, &[]).unwrap_err(), RenderError::NoInstruction(Event(1)));
}

/// `W.SUR s | R y, R.CON c`: a surface over x, an alias of x, and constants over the alias.
#[test]
fn names_of_one_memory() {
    let proxied = |kind, thread, location, proxy| EventData {
        proxy,
        ..event(kind, thread, Order::Plain, None, Some(location))
    };
    let events = vec![
        proxied(Kind::Write, 0, 1, Proxy::Surface),
        proxied(Kind::Read, 1, 2, Proxy::Generic),
        proxied(Kind::Read, 1, 3, Proxy::Constant),
        init(0),
    ];
    let same = |name: &str| Location { name: name.into(), physical: 0, atomic: false };
    let mut x = Execution::new(
        Signature::PTX,
        events,
        APART.to_vec(),
        ["x", "s", "y", "c"].map(same).to_vec(),
    );
    x.generic = vec![0, 0, 2, 2];
    x.co.insert(Event(3), Event(0));
    x.rf.insert(Event(0), Event(1));
    x.rf.insert(Event(3), Event(2));
    let rendered = render(&x, "names", None, &[]).unwrap();
    insta::assert_snapshot!(rendered.test.to_string(), @r"
    PTX names
    { x=0; s @ surface aliases x; y @ generic aliases x; c @ constant aliases y; P1:r0=0; P1:r1=0; }
     P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
     sust.weak s, 1 | ld.weak r0, y  ;
                    | cld.weak r1, c ;
    exists (P1:r0 == 1 /\ P1:r1 == 0)
    ");
    // What is read back has the same addresses.
    let source =
        margay_models::diagnostic::SourceFile::new("names.litmus", rendered.test.to_string());
    let read = margay_litmus::read::test(&source).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let unfolding =
        margay_litmus::unfold::Unfolding::new(&read.test, Signature::PTX, Default::default())
            .unwrap();
    let again = unfolding.skeleton(0).unwrap().execution;
    assert_eq!((again.generic, again.locations), (x.generic.clone(), x.locations.clone()));
    // There is no instruction that stores through a texture, and no atom through a surface.
    x.events[0].proxy = Proxy::Texture;
    assert_eq!(render(&x, "names", None, &[]).err(), Some(RenderError::NoInstruction(Event(0))));
}
