//! The two executions of an instance.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order};
use margay_models::signature::{BaseRelation, Operation};
use margay_solver::Instance;

use super::read::InstanceReader;
use super::{WitnessPair, fence_orders};
use crate::change::depend;
use crate::encode::atoms::{AtomPlace, Atoms};
use crate::encode::slot::SlotRole;
use crate::encode::vocabulary::MappingVocabulary;
use crate::encode::{SpecialRelation, back, roles};
use crate::language::{Dependency, LoweringForm, LoweringStep, Mapping};
use crate::naming;

/// The two executions of an instance.
pub fn witness(
    mapping: &Mapping,
    v: &MappingVocabulary,
    atoms: &Atoms,
    instance: &Instance,
) -> Option<WitnessPair> {
    let reader = InstanceReader { mapping, v, atoms, instance };
    let n = atoms.events();
    let locations = Locations::of(&reader);
    let placements = reader.placements();

    let mut events = source_events(&reader, &locations)?;
    let inits = [events.len(), 0];
    events.extend(locations.initial_writes());
    let source = Execution::new(
        mapping.source.signature,
        events,
        placements.clone(),
        locations.named(&reader),
    );

    let TargetEvents { mut events, mut origin, place_of } = target_events(&reader, &locations)?;
    let inits = [inits[0], events.len()];
    let of_mbarriers = |init: EventData| {
        let here = events.iter().find(|e| e.mbarrier && e.location == init.location);
        here.map_or(init.clone(), |e| EventData { mbarrier: true, spaces: e.spaces, ..init })
    };
    let initial: Vec<EventData> = locations.initial_writes().map(of_mbarriers).collect();
    events.extend(initial);
    origin.extend((0..locations.classes.len()).map(|l| Event::from(inits[0] + l)));
    let target =
        Execution::new(mapping.target.signature, events, placements, locations.named(&reader));

    let mut both = Both { reader, locations, place_of, inits, source, target };
    both.read_and_write()?;
    both.depend();
    both.depend_by_rows()?;
    for execution in [&mut both.source, &mut both.target] {
        meet(execution);
    }
    if v.content.chosen_fences {
        both.source.sync_fence = by_number(&both.source);
    }
    naming::say_pairs(mapping, &mut both.source, &both.target, &origin);
    let last = |w: &Event| both.source.co.row(*w).is_empty();
    let written = |&c: &usize| {
        let here = |&w: &usize| both.reader.is_write(w) && both.reader.class(w) == Some(c);
        (0..n).filter(here).map(Event::from).find(last)
    };
    let finals: Vec<Option<Event>> = both.locations.classes.iter().map(written).collect();
    let target_finals =
        finals.iter().map(|f| f.and_then(|w| both.at(AtomPlace::Event(w.index())))).collect();
    Some(WitnessPair { source: both.source, target: both.target, origin, finals, target_finals })
}

/// The locations: by their first address, then those that are accessed by a second one.
struct Locations {
    /// The first event of each.
    classes: Vec<usize>,
    aliased: Vec<usize>,
}

impl Locations {
    fn of(r: &InstanceReader<'_>) -> Self {
        let n = r.events();
        let classes: Vec<usize> = (0..n).filter(|&e| r.class(e) == Some(e)).collect();
        let is_aliased =
            |&c: &usize| (0..n).any(|e| r.class(e) == Some(c) && r.is(SpecialRelation::Alias, e));
        let aliased = classes.iter().copied().filter(is_aliased).collect();
        Self { classes, aliased }
    }

    /// The address that an event accesses.
    fn address(&self, r: &InstanceReader<'_>, event: usize) -> Option<u16> {
        let class = r.class(event)?;
        let address = match r.is(SpecialRelation::Alias, event) {
            true => self.classes.len() + self.aliased.iter().position(|&x| x == class)?,
            false => self.classes.iter().position(|&x| x == class)?,
        };
        Some(address as u16)
    }

    fn named(&self, r: &InstanceReader<'_>) -> Vec<Location> {
        let is_plain = |e: usize| r.construct(r.head(e)).is_some_and(|c| c.order == Order::Plain);
        let addresses = self.classes.iter().chain(&self.aliased);
        addresses
            .enumerate()
            .map(|(i, &c)| {
                let physical = self.classes.iter().position(|&x| x == c).unwrap_or(i) as u16;
                let mut accesses = (0..r.events()).filter(|&e| r.class(e) == Some(c));
                Location {
                    name: location_name(i),
                    physical,
                    atomic: accesses.any(|e| !is_plain(e)),
                }
            })
            .collect()
    }

    fn initial_writes(&self) -> impl Iterator<Item = EventData> {
        (0..self.classes.len()).map(|l| {
            let mut data = EventData::new(Kind::Init, None, Order::Plain);
            data.location = Some(l as u16);
            data.value = Some(0);
            data
        })
    }
}

fn source_events(r: &InstanceReader<'_>, locations: &Locations) -> Option<Vec<EventData>> {
    let event = |e: usize| {
        if let Some(data) = r.own_kind(e) {
            return Some(data);
        }
        let construct = r.construct(r.head(e))?;
        let (kind, order) = match (construct.operation, r.construct(e).is_some()) {
            (Operation::Read, _) => (Kind::Read, construct.order),
            (Operation::Write, _) => (Kind::Write, construct.order),
            (Operation::Fence, _) => (Kind::Fence, construct.order),
            (Operation::Rmw, true) => (Kind::Read, construct.read_order()),
            (Operation::Rmw, false) => (Kind::Write, construct.write_order()),
        };
        let mut data = EventData::new(kind, Some(r.atoms.thread[e] as u16), order);
        data.scope = r.scope(e);
        data.location = locations.address(r, e);
        data.value = r.value(e);
        data.compare = r.lowering(r.head(e))?.form != LoweringForm::Usual;
        r.mark(e, r.head(e), &mut data);
        r.mark_exchange(r.head(e), &mut data);
        Some(data)
    };
    (0..r.events()).map(event).collect()
}

#[derive(Default)]
struct TargetEvents {
    events: Vec<EventData>,
    /// The source event of each.
    origin: Vec<Event>,
    /// The place of each.
    place_of: Vec<(AtomPlace, Event)>,
}

impl TargetEvents {
    fn push(&mut self, place: AtomPlace, origin: usize, data: EventData) {
        self.place_of.push((place, Event::from(self.events.len())));
        self.origin.push(Event::from(origin));
        self.events.push(data);
    }
}

/// The events of the target, place by place.
fn target_events(r: &InstanceReader<'_>, locations: &Locations) -> Option<TargetEvents> {
    let mut out = TargetEvents::default();
    for e in 0..r.events() {
        if let Some(data) = r.own_kind(e) {
            out.push(AtomPlace::Event(e), e, data);
            continue;
        }
        let head = r.head(e);
        let lowering = r.lowering(head)?;
        let operation = r.construct(head)?.operation;
        let by_role: Vec<(SlotRole, &LoweringStep)> =
            roles(lowering, operation).into_iter().zip(&lowering.steps).collect();
        let is_rmw = operation == Operation::Rmw;
        let exchanges = lowering.stores_by_exchange(operation);
        let writes_back = lowering.writes_back(operation);
        for place in r.atoms.target_places(e) {
            // The halves of an RMW share its lowering: what stands before belongs to the read, what
            // stands after to the write.
            let step = by_role.iter().find(|(role, _)| match (role, place) {
                (SlotRole::Access, AtomPlace::Event(_)) => true,
                // A store by read-modify-write: its read is right before it.
                (SlotRole::Access, AtomPlace::Before(_, j)) => {
                    exchanges && Some(j) == lowering.access()
                }
                // A load by read-modify-write: what it writes back is right behind it.
                (SlotRole::Access, AtomPlace::After(..)) => writes_back && place == back::place(e),
                (SlotRole::Before(k), AtomPlace::Before(_, j)) => *k == j && e == head,
                (SlotRole::After(k), AtomPlace::After(_, j)) => *k == j && (e != head || !is_rmw),
                _ => false,
            });
            let Some((_, step)) = step else { continue };
            let is_slot = place != AtomPlace::Event(e);
            let is_back = writes_back && place == back::place(e);
            let is_write_half = e != head || (exchanges && !is_slot) || is_back;
            let mut data = step.event(
                is_write_half,
                Some(r.atoms.thread[e] as u16),
                r.scope(head),
                lowering.form,
            );
            if data.kind != Kind::Fence {
                data.location = locations.address(r, e);
                data.unused = is_slot && !is_back;
                data.writes_back = is_back;
                data.value = match data.unused {
                    true => Some(r.unused_reads_from(place).map_or(0, |w| r.value_at(w))),
                    false => r.value(e),
                };
                r.mark(e, head, &mut data);
                r.mark_exchange(head, &mut data);
            }
            out.push(place, e, data);
        }
    }
    Some(out)
}

/// Both executions, while their relations are read.
struct Both<'a> {
    reader: InstanceReader<'a>,
    locations: Locations,
    place_of: Vec<(AtomPlace, Event)>,
    /// The first initial write of the source and of the target.
    inits: [usize; 2],
    source: Execution,
    target: Execution,
}

impl Both<'_> {
    /// The event of the target at a place.
    fn at(&self, place: AtomPlace) -> Option<Event> {
        self.place_of.iter().find(|(p, _)| *p == place).map(|&(_, e)| e)
    }

    /// The initial writes of the location that an event accesses, in the source and in the target.
    fn initial(&self, event: usize) -> Option<[Event; 2]> {
        let class = self.reader.class(event);
        let l = self.locations.classes.iter().position(|&c| class == Some(c))?;
        Some(self.inits.map(|first| Event::from(first + l)))
    }

    /// Reads-from, modification and coherence order, read-modify-writes.
    fn read_and_write(&mut self) -> Option<()> {
        let (n, total) =
            (self.reader.events(), self.reader.mapping.target.signature.total_coherence());
        for e in 0..n {
            if self.reader.value(e).is_none() || self.reader.is_write(e) {
                continue;
            }
            let [from, from_target] = match self.reader.reads_from(e) {
                Some(w) => [Event::from(w), self.at(AtomPlace::Event(w))?],
                None => self.initial(e)?,
            };
            let here = self.at(AtomPlace::Event(e))?;
            let from_target = match self.reader.reads_back_of(e) {
                Some(load) => self.at(back::place(load))?,
                None => from_target,
            };
            self.source.rf.insert(from, Event::from(e));
            self.target.rf.insert(from_target, here);
        }
        for (place, here) in self.place_of.clone() {
            let (AtomPlace::Before(e, _) | AtomPlace::After(e, _)) = place else { continue };
            if !self.target.events[here.index()].unused {
                continue;
            }
            let from = match self.reader.unused_reads_from(place) {
                Some(w) => self.at(w)?,
                None => self.initial(e)?[1],
            };
            self.target.rf.insert(from, here);
            let r = &self.reader;
            let lowering = r.lowering(r.head(e))?;
            if lowering.stores_by_exchange(r.construct(r.head(e))?.operation)
                && matches!(place, AtomPlace::Before(_, k) if Some(k) == lowering.access())
            {
                let write = self.at(AtomPlace::Event(e))?;
                self.target.rmw.insert(here, write);
            }
        }
        for w in (0..n).filter(|&w| self.reader.is_write(w)).collect::<Vec<_>>() {
            let here = self.at(AtomPlace::Event(w))?;
            let [init, target_init] = self.initial(w)?;
            self.source.co.insert(init, Event::from(w));
            self.target.co.insert(target_init, here);
            for x in 0..n {
                let r = &self.reader;
                if x == w || !r.is_write(x) || r.class(x) != r.class(w) || !r.mo(w, x) {
                    continue;
                }
                let related = total || r.related(w, x);
                self.source.co.insert(Event::from(w), Event::from(x));
                if related {
                    let there = self.at(AtomPlace::Event(x))?;
                    self.target.co.insert(here, there);
                }
            }
            if self.reader.is_write_half(w) {
                let read = self.at(AtomPlace::Event(w - 1))?;
                self.source.rmw.insert(Event::from(w - 1), Event::from(w));
                self.target.rmw.insert(read, here);
            }
        }
        self.write_back(total)
    }

    /// What loads write back: the halves of their read-modify-writes, in coherence order.
    fn write_back(&mut self, total: bool) -> Option<()> {
        let n = self.reader.events();
        let is_back = |&(_, e): &(AtomPlace, Event)| self.target.events[e.index()].writes_back;
        let all: Vec<(AtomPlace, Event)> = self.place_of.iter().copied().filter(is_back).collect();
        let event = |place: AtomPlace| match place {
            AtomPlace::Event(e) | AtomPlace::After(e, _) | AtomPlace::Before(e, _) => Some(e),
            AtomPlace::Init(_) | AtomPlace::Thread(_) => None,
        };
        for &(place, here) in &all {
            let load = event(place)?;
            let read = self.at(AtomPlace::Event(load))?;
            self.target.rmw.insert(read, here);
            let init = self.initial(load)?[1];
            self.target.co.insert(init, here);
            let writes = (0..n).filter(|&w| self.reader.is_write(w)).map(AtomPlace::Event);
            for other in writes.chain(all.iter().map(|&(p, _)| p)).collect::<Vec<_>>() {
                let r = &self.reader;
                let is_here = other != place && r.class(event(other)?) == r.class(load);
                if !is_here || !(total || r.back_related(place, other)) {
                    continue;
                }
                let before = r.back_before(other, place);
                let there = self.at(other)?;
                let pair = if before { (there, here) } else { (here, there) };
                self.target.co.insert(pair.0, pair.1);
            }
        }
        Some(())
    }

    /// Fence-SC order, and dependencies. What depends on a condition does so with the fences of its
    /// lowering.
    fn depend(&mut self) {
        let v = self.reader.v;
        for &(p, a) in &self.place_of {
            for &(q, b) in &self.place_of {
                if p != q && self.reader.has(v.fence_order, &[p, q]) {
                    self.target.sync_fence.insert(a, b);
                }
            }
        }
        let [addr, data, ctrl] = v.dependencies;
        let n = self.reader.events();
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let pair = [AtomPlace::Event(a), AtomPlace::Event(b)];
            let ends = pair.map(|place| self.at(place));
            for (relation, here, there) in [
                (addr, &mut self.source.addr, &mut self.target.addr),
                (data, &mut self.source.data, &mut self.target.data),
                (ctrl, &mut self.source.ctrl, &mut self.target.ctrl),
            ] {
                if self.reader.has(relation, &pair) {
                    here.insert(Event::from(a), Event::from(b));
                    if let [Some(x), Some(y)] = ends {
                        there.insert(x, y);
                    }
                }
            }
            for (relation, dependency) in [(addr, Dependency::Addr), (ctrl, Dependency::Ctrl)] {
                if let (true, Some(x)) = (self.reader.has(relation, &pair), ends[0]) {
                    let slots: Vec<Event> =
                        self.reader.atoms.target_places(b).filter_map(|p| self.at(p)).collect();
                    depend(&mut self.target, dependency, x, slots.into_iter());
                }
            }
        }
    }

    /// What a row with `addr`, `data` or `ctrl` puts behind its access, and everything later in the
    /// thread, depends on the access.
    fn depend_by_rows(&mut self) -> Option<()> {
        let n = self.reader.events();
        for head in 0..n {
            let (r, atoms) = (&self.reader, self.reader.atoms);
            if r.construct(head).is_none() {
                continue;
            }
            let lowering = r.lowering(head)?;
            let dependencies = lowering.dependencies;
            let behind = usize::from(lowering.writes_back(r.construct(head)?.operation));
            let last = if head + 1 < n && r.is_write_half(head + 1) { head + 1 } else { head };
            for (dependency, first) in dependencies.iter() {
                let own = atoms
                    .target_places(last)
                    .filter(|p| matches!(p, AtomPlace::After(_, k) if *k >= behind + first));
                let later = (last + 1..n)
                    .filter(|&e| atoms.thread[e] == atoms.thread[head])
                    .flat_map(|e| atoms.target_places(e));
                let from = self.at(AtomPlace::Event(head))?;
                let behind: Vec<Event> = own.chain(later).filter_map(|p| self.at(p)).collect();
                depend(&mut self.target, dependency, from, behind.into_iter());
            }
        }
        Some(())
    }
}

/// Arrivals synchronise with the waits of other threads at the barrier of their cta, to which each
/// thread comes once.
fn meet(execution: &mut Execution) {
    let kind = |e: Event, wanted: Kind| execution.events[e.index()].kind == wanted;
    let together = execution.base_relation(BaseRelation::Syncbar);
    let met: Vec<(Event, Event)> = together
        .pairs()
        .filter(|&(a, w)| kind(a, Kind::BarrierArrive) && kind(w, Kind::BarrierWait))
        .filter(|&(a, w)| execution.events[a.index()].thread != execution.events[w.index()].thread)
        .collect();
    for (a, w) in met {
        execution.sync_barrier.insert(a, w);
    }
}

/// The fences whose order is chosen, in the order of their numbers.
fn by_number(execution: &Execution) -> BitMatrix {
    let fences = fence_orders::chosen(execution);
    let later = |i: usize| fences[i + 1..].iter().map(move |&b| (i, b));
    let pairs = (0..fences.len()).flat_map(later).map(|(i, b)| (fences[i], b));
    BitMatrix::from_pairs(execution.size(), pairs)
}

/// Names of locations in order of first use.
fn location_name(index: usize) -> String {
    const NAMES: [&str; 12] = ["x", "y", "z", "w", "v", "u", "t", "s", "q", "p", "o", "n"];
    NAMES.get(index).map_or_else(|| format!("x{index}"), |&n| n.to_owned())
}
