//! Random well-formed executions, the same ones in every run.

use margay_models::Signature;
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{
    EventData, Execution, Kind, Location, Order, Placement, Proxy, Scope,
};

use crate::order::{partial_orders, total_orders};

/// A source of numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    /// Starts from a number other than 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    /// One of some.
    pub fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A random execution with two to four threads and at most seven operations on at most two
/// locations.
pub fn execution(random: &mut Random, signature: Signature) -> Execution {
    let threads = 2 + random.below(3);
    // Mostly few scopes matter: one cta, two ctas, two gpus.
    let spread = random.below(4);
    let place = |random: &mut Random| Placement {
        gpu: if spread == 3 { random.below(2) as u16 } else { 0 },
        cluster: if spread == 2 { random.below(2) as u16 } else { 0 },
        cta: if spread > 0 { random.below(2) as u16 } else { 0 },
        warp: 0,
        kernel: 0,
    };
    let places: Vec<Placement> = (0..threads).map(|_| place(random)).collect();
    let locations = 1 + random.below(3).min(1);
    let names = ["x", "y"];
    let mut named: Vec<Location> = (0..locations)
        .map(|i| Location { name: names[i].to_owned(), physical: i as u16, atomic: true })
        .collect();
    let aliases = signature == Signature::PTX && random.below(5) == 0;
    if aliases {
        named.push(Location { name: "z".to_owned(), physical: 0, atomic: true });
        named.push(Location { name: "s".to_owned(), physical: 0, atomic: true });
    }
    let (mut events, mut rmw): (Vec<EventData>, Vec<(Event, Event)>) = (Vec::new(), Vec::new());
    let budget = 3 + random.below(5);
    let mut thread_of: Vec<u16> = (0..budget)
        .map(|i| if i < threads { i as u16 } else { random.below(threads) as u16 })
        .collect();
    thread_of.sort_unstable();
    for thread in thread_of {
        operation(random, signature, thread, &named, &mut events, &mut rmw, aliases);
    }
    for location in 0..locations as u16 {
        events.push(EventData {
            location: Some(location),
            ..EventData::new(Kind::Init, None, Order::Plain)
        });
    }
    let mut e = Execution::new(signature, events, places, named);
    if aliases {
        // A surface over x, or over its alias.
        let surface = e.locations.len() - 1;
        e.generic[surface] = if random.below(2) == 0 { 0 } else { surface as u16 - 1 };
    }
    e.rmw = BitMatrix::from_pairs(e.size(), rmw);
    communicate(random, &mut e);
    depend(random, &mut e);
    e
}

fn operation(
    random: &mut Random,
    signature: Signature,
    thread: u16,
    locations: &[Location],
    events: &mut Vec<EventData>,
    rmw: &mut Vec<(Event, Event)>,
    aliases: bool,
) {
    use Order::{Acq, AcqRel, Plain, Rel, Rlx, Sc};
    let scoped = signature != Signature::PLAIN;
    let ptx = signature == Signature::PTX;
    let scope = |random: &mut Random, order: Order| {
        let scopes = if ptx {
            &[Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys][..]
        } else {
            &[Scope::Cta, Scope::Gpu, Scope::Sys]
        };
        (scoped && order != Plain)
            .then(|| if random.below(2) == 0 { Scope::Sys } else { random.of(scopes) })
    };
    let location = Some(random.below(locations.len()) as u16);
    let kind = random.below(12);
    let orders: &[Order] = match (kind, signature.word()) {
        (_, "plain") => &[Plain],
        (0..=3, "C") => &[Plain, Rlx, Acq, Sc],
        (0..=3, _) => &[Plain, Rlx, Acq],
        (4..=7, "C") => &[Plain, Rlx, Rel, Sc],
        (4..=7, _) => &[Plain, Rlx, Rel],
        (8, "C") => &[Rlx, Acq, Rel, AcqRel, Sc],
        (8, _) => &[Rlx, Acq, Rel, AcqRel],
        _ => &[Acq, Rel, AcqRel, Sc, Sc],
    };
    let order = random.of(orders);
    let event = EventData {
        scope: scope(random, order),
        ..EventData::new(Kind::Fence, Some(thread), order)
    };
    let surface = aliases && order == Plain && kind < 8 && random.below(4) == 0;
    let event = EventData { proxy: if surface { Proxy::Surface } else { Proxy::Generic }, ..event };
    match kind {
        0..=3 => events.push(EventData { kind: Kind::Read, location, ..event }),
        4..=7 => events.push(EventData { kind: Kind::Write, location, ..event }),
        8 => {
            let reduction = ptx && random.below(3) == 0;
            let exchange = ptx && !reduction && events.len().is_multiple_of(2);
            let event = EventData { exchange, ..event };
            let read = match order {
                AcqRel => Acq,
                Rel => Rlx,
                other => other,
            };
            let write = match order {
                AcqRel => Rel,
                Acq => Rlx,
                other => other,
            };
            rmw.push((Event::from(events.len()), Event::from(events.len() + 1)));
            events.push(EventData {
                kind: Kind::Read,
                order: read,
                location,
                reduction,
                ..event.clone()
            });
            events.push(EventData {
                kind: Kind::Write,
                order: write,
                location,
                reduction,
                ..event
            });
        }
        9 if aliases => {
            let proxy = EventData::new(Kind::ProxyFence, Some(thread), Plain);
            events.push(EventData { proxy: random.of(&[Proxy::Alias, Proxy::Surface]), ..proxy });
        }
        10 if ptx && !events.iter().any(|e| e.thread == Some(thread) && e.barrier.is_some()) => {
            let barrier = Some(0);
            let arrive =
                EventData { barrier, ..EventData::new(Kind::BarrierArrive, Some(thread), Plain) };
            events.push(arrive.clone());
            events.push(EventData { kind: Kind::BarrierWait, ..arrive });
        }
        _ => events.push(event),
    }
}

/// Reads-from, coherence order, Fence-SC order and barriers.
fn communicate(random: &mut Random, e: &mut Execution) {
    let of = |e: &Execution, kinds: &[Kind], location: Option<u16>| -> Vec<Event> {
        let all = (0..e.size()).map(Event::from);
        all.filter(|&w| {
            kinds.contains(&e.events[w.index()].kind)
                && (location.is_none() || e.physical(w) == location)
        })
        .collect()
    };
    for r in of(e, &[Kind::Read], None) {
        let sources = of(e, &[Kind::Init, Kind::Write], e.physical(r));
        e.rf.insert(random.of(&sources), r);
    }
    for init in of(e, &[Kind::Init], None) {
        let writes = of(e, &[Kind::Write], e.physical(init));
        for &w in &writes {
            e.co.insert(init, w);
        }
        // Beyond four writes the orders are too many to list.
        let orders = if e.signature.total_coherence() || writes.len() > 4 {
            total_orders(&writes)
        } else {
            partial_orders(&writes)
        };
        for &(a, b) in &orders[random.below(orders.len())] {
            e.co.insert(a, b);
        }
    }
    if e.signature == Signature::PTX {
        let fences: Vec<Event> =
            e.events_where(|f| f.kind == Kind::Fence && f.order == Order::Sc).iter().collect();
        let orders = if fences.len() > 4 { total_orders(&fences) } else { partial_orders(&fences) };
        for &(a, b) in &orders[random.below(orders.len())] {
            e.sync_fence.insert(a, b);
        }
        let waits = of(e, &[Kind::BarrierWait], None);
        for a in of(e, &[Kind::BarrierArrive], None) {
            let cta = |x: Event| e.events[x.index()].thread.map(|t| e.threads[usize::from(t)]);
            let other = |w: Event| e.events[w.index()].thread != e.events[a.index()].thread;
            for &w in waits.iter().filter(|&&w| cta(w) == cta(a) && other(w)) {
                e.sync_barrier.insert(a, w);
            }
        }
    }
}

/// A few dependencies.
fn depend(random: &mut Random, e: &mut Execution) {
    for (a, b) in e.po.clone().pairs() {
        if e.events[a.index()].kind == Kind::Read && random.below(4) == 0 {
            match (random.below(3), e.events[b.index()].kind) {
                (0, Kind::Read | Kind::Write) => e.addr.insert(a, b),
                (1, Kind::Write) => e.data.insert(a, b),
                _ => e.ctrl.insert(a, b),
            }
        }
    }
}

/// An execution in one line.
pub fn describe(e: &Execution) -> String {
    let mut text = String::new();
    for (i, event) in e.events.iter().enumerate() {
        let thread = event
            .thread
            .map_or("init".to_owned(), |t| format!("P{t}{:?}", e.threads[usize::from(t)]));
        let location = event.location.map_or("", |l| e.locations[usize::from(l)].name.as_str());
        let scope = event.scope.map_or("", Scope::name);
        text +=
            &format!("{i}:{thread} {:?}.{}.{scope} {location}; ", event.kind, event.order.tag());
    }
    text = text
        .replace("Placement ", "")
        .replace("gpu: ", "")
        .replace("cluster: ", "")
        .replace("cta: ", "")
        .replace(", ", ".");
    for (name, r) in [
        ("rf", &e.rf),
        ("co", &e.co),
        ("rmw", &e.rmw),
        ("sc", &e.sync_fence),
        ("bar", &e.sync_barrier),
    ] {
        if !r.is_empty() {
            text += &format!(" {name}={r:?}");
        }
    }
    for (name, r) in [("addr", &e.addr), ("data", &e.data), ("ctrl", &e.ctrl)] {
        if !r.is_empty() {
            text += &format!(" {name}={r:?}");
        }
    }
    text
}
