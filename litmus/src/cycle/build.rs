//! From an annotated cycle to the execution that has it, and from that to the test.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};

use super::Cycle;
use super::annotate::{Annotated, Language};
use super::edge::{Communication, Direction, Edge, LinkKind};
use crate::render::{self, RenderError};
use crate::test::Test;

#[derive(Clone, Copy)]
pub(super) struct CycleAccess {
    pub(super) direction: Direction,
    pub(super) location: usize,
    /// Which write of the location it is, or reads: 1 is the first in coherence order, 0 the
    /// initial one.
    pub(super) version: usize,
}

/// The event of each access of a cycle in [`Annotated::execution`].
pub(super) fn events_of(cycle: &Cycle) -> Vec<Event> {
    let mut event = 0;
    let mut event_of = Vec::new();
    for edge in cycle.edges() {
        event_of.push(Event::from(event));
        event += 1 + match edge {
            Edge::Link { kind: LinkKind::Fence(..), .. } => 1,
            Edge::Link { kind: LinkKind::Barrier, .. } => 2,
            _ => 0,
        };
    }
    event_of
}

impl Cycle {
    /// The location of each access and the write that it is or reads.
    ///
    /// Accesses that same-location edges connect are a chain; along it coherence order only goes
    /// up. If the whole cycle is about one location, it is cut at the last edge of program order,
    /// which is the one that the outcome goes against.
    pub(super) fn chains(&self) -> Vec<CycleAccess> {
        let n = self.edges().len();
        let changes = |i: usize| !self.edges()[i].same_location();
        let cut = (0..n).rev().find(|&i| changes(i));
        let in_program_order = |e: &Edge| matches!(e, Edge::Link { .. }) && !e.is_rmw();
        let cut = cut
            .or_else(|| (0..n).rev().find(|&i| in_program_order(&self.edges()[i])))
            .unwrap_or(n - 1);
        let mut accesses: Vec<CycleAccess> = self
            .accesses()
            .map(|direction| CycleAccess { direction, location: 0, version: 0 })
            .collect();
        let (mut location, mut version) = (0, 0);
        for step in 1..=n {
            let at = (cut + step) % n;
            if accesses[at].direction == Direction::W {
                version += 1;
            }
            accesses[at].location = location;
            accesses[at].version = version;
            if changes(at) {
                location += 1;
                version = 0;
            }
        }
        accesses
    }
}

impl Annotated {
    /// The execution: accesses and fences thread by thread, then threads that observe the order of
    /// three or more writes to a location, then initial writes.
    pub fn execution(&self, language: Language) -> Execution {
        let accesses = self.cycle.chains();
        let mut events: Vec<EventData> = Vec::new();
        // For each access of the cycle its event.
        let mut event_of: Vec<usize> = Vec::new();
        let mut thread = 0u16;
        for (i, edge) in self.cycle.edges().iter().enumerate() {
            let kind = if accesses[i].direction == Direction::R { Kind::Read } else { Kind::Write };
            let (order, scope) = self.accesses[i];
            event_of.push(events.len());
            let location = Some(accesses[i].location as u16);
            events.push(EventData { scope, location, ..EventData::new(kind, Some(thread), order) });
            if let Edge::Link { kind: LinkKind::Fence(order, _), .. } = edge {
                // Without orders there is one fence.
                let order = if language == Language::Generic { Order::Plain } else { *order };
                events.push(EventData {
                    scope: self.fences[i],
                    ..EventData::new(Kind::Fence, Some(thread), order)
                });
            }
            if let Edge::Link { kind: LinkKind::Barrier, .. } = edge {
                for kind in [Kind::BarrierArrive, Kind::BarrierWait] {
                    events.push(EventData {
                        barrier: Some(0),
                        ..EventData::new(kind, Some(thread), Order::Plain)
                    });
                }
            }
            thread += u16::from(edge.external());
        }
        let locations = 1 + accesses.iter().map(|a| a.location).max().unwrap_or(0);
        let writes = |l: usize| {
            accesses.iter().filter(|a| a.location == l && a.direction == Direction::W).count()
        };
        let mut threads = self.threads.clone();
        // Reads of observers, with what they read.
        let mut observed: Vec<(usize, usize, usize)> = Vec::new();
        for l in (0..locations).filter(|&l| writes(l) > 2) {
            let (order, scope) = match language {
                Language::Generic => (Order::Plain, None),
                Language::Ptx | Language::Ptx2015 | Language::C => (Order::Rlx, Some(Scope::Sys)),
            };
            for version in 1..writes(l) {
                observed.push((events.len(), l, version));
                let thread = Some(threads.len() as u16);
                events.push(EventData {
                    scope,
                    location: Some(l as u16),
                    ..EventData::new(Kind::Read, thread, order)
                });
            }
            threads.push(threads.first().copied().unwrap_or(Placement::default()));
        }
        let first_initial = events.len();
        for l in 0..locations {
            let initial = EventData::new(Kind::Init, None, Order::Plain);
            events.push(EventData { location: Some(l as u16), value: Some(0), ..initial });
        }
        let name = |l: usize| {
            ["x", "y", "z", "w", "v", "u", "a", "b"]
                .get(l)
                .map_or_else(|| format!("x{l}"), |n| (*n).to_owned())
        };
        let location = |l: usize| Location { name: name(l), physical: l as u16, atomic: false };
        let mut x = Execution::new(
            language.signature(),
            events,
            threads,
            (0..locations).map(location).collect(),
        );
        // The event of each version of a location.
        let version = |l: usize, v: usize| {
            let write =
                |a: &CycleAccess| a.direction == Direction::W && a.location == l && a.version == v;
            accesses.iter().position(write).map_or(first_initial + l, |i| event_of[i])
        };
        for l in 0..locations {
            let count = writes(l);
            for a in 0..=count {
                for b in a + 1..=count {
                    x.co.insert(Event::from(version(l, a)), Event::from(version(l, b)));
                }
            }
        }
        for (i, access) in accesses.iter().enumerate().filter(|(_, a)| a.direction == Direction::R)
        {
            x.rf.insert(
                Event::from(version(access.location, access.version)),
                Event::from(event_of[i]),
            );
        }
        for (event, l, v) in observed {
            x.rf.insert(Event::from(version(l, v)), Event::from(event));
        }
        for (i, edge) in self.cycle.edges().iter().enumerate() {
            let Edge::Link { kind, .. } = edge else { continue };
            let (from, to) =
                (Event::from(event_of[i]), Event::from(event_of[(i + 1) % event_of.len()]));
            let relation: Option<&mut BitMatrix> = match kind {
                LinkKind::Addr => Some(&mut x.addr),
                LinkKind::Data => Some(&mut x.data),
                LinkKind::Ctrl => Some(&mut x.ctrl),
                LinkKind::Rmw => Some(&mut x.rmw),
                LinkKind::Po | LinkKind::Fence(..) | LinkKind::Barrier => None,
            };
            if let Some(relation) = relation {
                relation.insert(from, to);
            }
        }
        x
    }

    /// The cycle's edges as pairs of events of [`Annotated::execution`], for those that
    /// communicate.
    pub fn communication(&self) -> Vec<(Communication, Event, Event)> {
        let event_of = events_of(&self.cycle);
        let pair = |(i, edge): (usize, &Edge)| match edge {
            Edge::Communication { kind, .. } => {
                Some((*kind, event_of[i], event_of[(i + 1) % event_of.len()]))
            }
            Edge::Link { .. } => None,
        };
        self.cycle.edges().iter().enumerate().filter_map(pair).collect()
    }

    /// The test: its outcome is that of the execution.
    ///
    /// # Errors
    /// If the language cannot say it.
    pub fn test(&self, language: Language, name: &str) -> Result<Test, RenderError> {
        if language == Language::Ptx2015 {
            return self.in_2015(name);
        }
        render::from_execution(&self.execution(language), name, Some(&self.cycle.to_string()))
    }
}
