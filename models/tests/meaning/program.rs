//! Litmus tests in one string: a program together with the outcome to ask about, and every
//! candidate execution of it.
//!
//! One line for each thread, operations separated by `;`:
//! ```text
//! @0.0.1 W.REL.gpu x=1; RMW.SC.sys y=1->2; F.SC.sys; a: R.RLX.cta y=0; W.RLX.cta x=3 addr(a) ctrl(a)
//! final x=3
//! alias z x
//! handle s x
//! ```
//! `@gpu.cluster.cta` places the thread (in an architecture that is a text: its own levels, widest
//! first); without it, thread i is alone in cta i of one cluster. A value is written at most once
//! to a location, so the value that a read returns names the write that it reads; 0 is the initial
//! one. `final x=v` asks for a coherence order in which the write of `v` has no successor. `BAR n`
//! is an arrival at barrier n and a wait for it, `ARRIVE n` and `WAIT n` its halves (`.warp`: of
//! lanes that meet; `.sys`: of the start or the end of a launch); `P.ALIAS` and so on are proxy
//! fences. `alias z x` gives the memory of x a second generic address, `handle s x` a name that has
//! the generic address of x; what they name is declared before.

use std::collections::BTreeMap;

use margay_models::Signature;
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{
    EventData, Execution, Kind, Location, Order, Placement, Proxy, Scope,
};
use margay_models::signature::{Architecture, Operation};

use crate::order::{partial_orders, total_orders};

/// A litmus test: the execution as far as program and outcome fix it, and the outcome's final
/// values.
pub struct Program {
    /// Events, program order, reads-from, rmw, dependencies and barriers; no `co`, no `sync_fence`.
    pub skeleton: Execution,
    /// Location and value of each `final`.
    finals: Vec<(u16, i64)>,
}

impl Program {
    /// Reads a test. Panics on what is not one: tests are fixed texts.
    pub fn parse(signature: Signature, text: &str) -> Self {
        let mut reader = Reader { architecture: signature.tabular(), ..Reader::default() };
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            if let Some(finals) = line.strip_prefix("final ") {
                for pair in finals.split(',') {
                    let (name, value) = pair.trim().split_once('=').expect("final x=v");
                    let location = reader.location(name);
                    reader.finals.push((location, value.parse().expect("a number")));
                }
            } else if let Some(alias) = line.strip_prefix("alias ") {
                let (name, of) = alias.split_once(' ').expect("alias x y");
                let of = reader.location(of);
                let name = reader.location(name);
                reader.locations[usize::from(name)].physical =
                    reader.locations[usize::from(of)].physical;
            } else if let Some(handle) = line.strip_prefix("handle ") {
                let (name, of) = handle.split_once(' ').expect("handle s x");
                let of = reader.location(of);
                let name = reader.location(name);
                reader.locations[usize::from(name)].physical =
                    reader.locations[usize::from(of)].physical;
                reader.handles.push((name, of));
            } else {
                reader.thread(line);
            }
        }
        reader.finish(signature)
    }

    /// Every candidate execution: the coherence orders (total, or all partial ones for PTX) and
    /// Fence-SC orders that fit the final values.
    pub fn candidates(&self) -> Vec<Execution> {
        let e = &self.skeleton;
        let mut found = vec![e.clone()];
        for physical in
            (0..e.locations.len() as u16).filter(|&l| e.locations[usize::from(l)].physical == l)
        {
            let at = |kind: Kind| {
                let events = e.events.iter().enumerate().map(|(i, _)| Event::from(i));
                events
                    .filter(|&w| {
                        e.events[w.index()].kind == kind && e.physical(w) == Some(physical)
                    })
                    .collect::<Vec<_>>()
            };
            let (writes, init) = (at(Kind::Write), at(Kind::Init));
            let orders = if e.signature.total_coherence() {
                total_orders(&writes)
            } else {
                partial_orders(&writes)
            };
            let finals: Vec<i64> =
                self.finals.iter().filter(|f| f.0 == physical).map(|f| f.1).collect();
            let orders = orders.into_iter().filter(|order| {
                finals.iter().all(|&v| {
                    let last = |w: &&Event| !order.iter().any(|p| p.0 == **w);
                    let value = |w: &Event| e.events[w.index()].value == Some(v);
                    if writes.is_empty() { v == 0 } else { writes.iter().filter(last).any(value) }
                })
            });
            let orders: Vec<_> = orders.collect();
            found = product(found, &orders, |execution, order| {
                let first = init.iter().flat_map(|&i| writes.iter().map(move |&w| (i, w)));
                for (a, b) in first.chain(order.iter().copied()) {
                    execution.co.insert(a, b);
                }
            });
        }
        if e.signature == Signature::PTX {
            let sc = e
                .events_where(|f| f.kind == Kind::Fence && f.order == Order::Sc)
                .iter()
                .collect::<Vec<_>>();
            found = product(found, &partial_orders(&sc), |execution, order| {
                for &(a, b) in order {
                    execution.sync_fence.insert(a, b);
                }
            });
        }
        found
    }
}

/// Each execution with each order added to it.
fn product(
    executions: Vec<Execution>,
    orders: &[Vec<(Event, Event)>],
    add: impl Fn(&mut Execution, &[(Event, Event)]),
) -> Vec<Execution> {
    let add = &add;
    let extend = |e: Execution| {
        orders.iter().map(move |order| {
            let mut e = e.clone();
            add(&mut e, order);
            e
        })
    };
    executions.into_iter().flat_map(extend).collect()
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    /// Of an architecture that is a text operations are written by their mnemonics.
    architecture: Option<Architecture>,
    events: Vec<EventData>,
    threads: Vec<Placement>,
    locations: Vec<Location>,
    /// Names without a generic address of their own, and what they name.
    handles: Vec<(u16, u16)>,
    finals: Vec<(u16, i64)>,
    labels: BTreeMap<String, Event>,
    rmw: Vec<(Event, Event)>,
    /// Kind of dependency, label of the read, event that depends on it.
    dependencies: Vec<(String, String, Event)>,
}

impl Reader {
    fn location(&mut self, name: &str) -> u16 {
        let known = self.locations.iter().position(|l| l.name == name).unwrap_or_else(|| {
            let physical = self.locations.len() as u16;
            self.locations.push(Location { name: name.to_owned(), physical, atomic: true });
            usize::from(physical)
        });
        known as u16
    }

    fn thread(&mut self, line: &str) {
        let (placement, operations) = match line.strip_prefix('@') {
            Some(rest) => {
                let (place, operations) = rest.split_once(' ').expect("@g.l.c operations");
                let numbers: Vec<u16> =
                    place.split('.').map(|n| n.parse().expect("a number")).collect();
                let levels =
                    self.architecture.map_or(Scope::ALL.to_vec(), |a| a.scopes(true).to_vec());
                let levels = levels.into_iter().rev().filter(|&s| s != Scope::Sys);
                assert_eq!(levels.clone().count(), numbers.len(), "{line}");
                (
                    levels.zip(numbers).fold(Placement::default(), |p, (s, n)| p.with_number(s, n)),
                    operations,
                )
            }
            None => (Placement { cta: self.threads.len() as u16, ..Placement::default() }, line),
        };
        self.threads.push(placement);
        for operation in operations.split(';').map(str::trim).filter(|o| !o.is_empty()) {
            self.operation(operation);
        }
    }

    fn operation(&mut self, text: &str) {
        let (label, text) = match text.split_once(": ") {
            Some((label, rest)) => (Some(label), rest),
            None => (None, text),
        };
        let mut words = text.split_whitespace();
        let mut head = words.next().expect("an operation").split('.');
        let kind = head.next().expect("a kind");
        let mut event =
            EventData::new(Kind::Read, Some(self.threads.len() as u16 - 1), Order::Plain);
        for word in head.filter(|_| self.architecture.is_none()) {
            modify(&mut event, word);
        }
        let argument = words.clone().next().filter(|w| !w.contains('('));
        let first = Event::from(self.events.len());
        let (mut kind, mut halves) = (kind, None);
        if let Some(architecture) = self.architecture {
            let mnemonic = text.split_whitespace().next().unwrap_or_default();
            let scoped = mnemonic.rsplit_once('.').and_then(|(mnemonic, scope)| {
                let construct =
                    architecture.instruction(mnemonic).filter(|&c| architecture.takes_scope(c))?;
                Some((construct, Some(architecture.scope_named(scope)?)))
            });
            let (construct, scope) = scoped
                .or_else(|| {
                    Some((
                        architecture
                            .instruction(mnemonic)
                            .filter(|&c| !architecture.takes_scope(c))?,
                        None,
                    ))
                })
                .unwrap_or_else(|| panic!("no instruction: {text}"));
            event.scope = scope;
            event.order = construct.order;
            (kind, halves) = match construct.operation {
                Operation::Read => ("R", None),
                Operation::Write => ("W", None),
                Operation::Fence => ("F", None),
                Operation::Rmw => ("RMW", Some((construct.read_order(), construct.write_order()))),
            };
        }
        match (kind, argument) {
            ("R" | "W", Some(argument)) => {
                let (name, value) = argument.split_once('=').expect("x=v");
                event.kind = if kind == "R" { Kind::Read } else { Kind::Write };
                event.location = Some(self.location(name));
                event.value = Some(value.parse().expect("a number"));
                self.events.push(event);
            }
            ("RMW", Some(argument)) => {
                let (name, values) = argument.split_once('=').expect("x=v->w");
                let (old, new) = values.split_once("->").expect("v->w");
                event.location = Some(self.location(name));
                let (read, write) = halves.unwrap_or(match event.order {
                    Order::AcqRel => (Order::Acq, Order::Rel),
                    Order::Acq => (Order::Acq, Order::Rlx),
                    Order::Rel => (Order::Rlx, Order::Rel),
                    other => (other, other),
                });
                for (kind, order, value) in [(Kind::Read, read, old), (Kind::Write, write, new)] {
                    let value = Some(value.parse().expect("a number"));
                    self.events.push(EventData { kind, order, value, ..event.clone() });
                }
                self.rmw.push((first, Event::from(first.index() + 1)));
            }
            ("F", None) => self.events.push(EventData { kind: Kind::Fence, ..event }),
            ("P", None) => self.events.push(EventData { kind: Kind::ProxyFence, ..event }),
            ("BAR" | "ARRIVE" | "WAIT", Some(number)) => {
                event.barrier = Some(number.parse().expect("a number"));
                for (kind, in_it) in
                    [(Kind::BarrierArrive, kind != "WAIT"), (Kind::BarrierWait, kind != "ARRIVE")]
                {
                    if in_it {
                        self.events.push(EventData { kind, ..event.clone() });
                    }
                }
            }
            _ => panic!("no operation: {text}"),
        }
        if let Some(label) = label {
            self.labels.insert(label.to_owned(), first);
        }
        let last = Event::from(self.events.len() - 1);
        for word in words.filter(|w| w.contains('(')) {
            let (kind, label) = word.trim_end_matches(')').split_once('(').expect("kind(label)");
            self.dependencies.push((kind.to_owned(), label.to_owned(), last));
        }
    }

    fn finish(self, signature: Signature) -> Program {
        let mut events = self.events;
        for (index, location) in
            self.locations.iter().enumerate().filter(|(i, l)| usize::from(l.physical) == *i)
        {
            debug_assert_eq!(usize::from(location.physical), index);
            let init = EventData::new(Kind::Init, None, Order::Plain);
            events.push(EventData { location: Some(location.physical), value: Some(0), ..init });
        }
        let mut e = Execution::new(signature, events, self.threads, self.locations);
        for (name, of) in self.handles {
            e.generic[usize::from(name)] = e.generic[usize::from(of)];
        }
        let n = e.size();
        e.rmw = BitMatrix::from_pairs(n, self.rmw);
        for (kind, label, event) in self.dependencies {
            let from = self.labels[&label];
            match kind.as_str() {
                "addr" => e.addr.insert(from, event),
                "data" => e.data.insert(from, event),
                "ctrl" => e.ctrl.insert(from, event),
                other => panic!("no dependency: {other}"),
            }
        }
        for r in (0..n).map(Event::from).filter(|r| e.events[r.index()].kind == Kind::Read) {
            let writes = e.events_where(|w| {
                matches!(w.kind, Kind::Init | Kind::Write) && w.value == e.events[r.index()].value
            });
            let source: Vec<Event> =
                writes.iter().filter(|&w| e.physical(w) == e.physical(r)).collect();
            assert_eq!(
                source.len(),
                1,
                "the value of {:?} must name one write",
                e.events[r.index()]
            );
            e.rf.insert(source[0], r);
        }
        for a in e.events_where(|a| a.kind == Kind::BarrierArrive).iter() {
            let released = |w: &EventData| {
                let a = &e.events[a.index()];
                w.kind == Kind::BarrierWait && w.barrier == a.barrier && w.thread != a.thread
            };
            for w in e.events_where(released).iter() {
                e.sync_barrier.insert(a, w);
            }
        }
        Program { skeleton: e, finals: self.finals }
    }
}

/// Applies one word behind the kind of an operation.
fn modify(event: &mut EventData, word: &str) {
    match word {
        "NA" | "WEAK" => event.order = Order::Plain,
        "RLX" => event.order = Order::Rlx,
        "ACQ" => event.order = Order::Acq,
        "REL" => event.order = Order::Rel,
        "AR" => event.order = Order::AcqRel,
        "SC" => event.order = Order::Sc,
        "cta" => event.scope = Some(Scope::Cta),
        "warp" => event.scope = Some(Scope::Warp),
        "cluster" => event.scope = Some(Scope::Cluster),
        "gpu" => event.scope = Some(Scope::Gpu),
        "sys" => event.scope = Some(Scope::Sys),
        "red" => event.reduction = true,
        "vol" => (event.volatile, event.order, event.scope) = (true, Order::Rlx, Some(Scope::Sys)),
        "mmio" => (event.mmio, event.order, event.scope) = (true, Order::Rlx, Some(Scope::Sys)),
        "ALIAS" => event.proxy = Proxy::Alias,
        "SUR" => event.proxy = Proxy::Surface,
        "TEX" => event.proxy = Proxy::Texture,
        "CON" => event.proxy = Proxy::Constant,
        other => panic!("no modifier: {other}"),
    }
}
