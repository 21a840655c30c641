//! From an instance to two executions, and the judge's confirmation. The target execution is built from the mapping's rows, not
//! from the solver's target relations: the judge so checks the lowering too.

use std::fmt;

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::judge::judge;
use margay_models::model::{Check, Role as CheckRole};
use margay_models::signature::{BaseRelation, Construct, Operation};
use margay_models::wellformed;
use margay_solver::{Failure, Instance, Relation};

use super::options::Level;
use crate::encode::atoms::{Atoms, Place};
use crate::encode::vocabulary::{Role, Vocabulary};
use crate::encode::{Question, Special, is_undefined_behaviour, roles};
use crate::language::{Form, Lowering, Mapping, Step};

/// The two executions of an instance.
#[derive(Debug, Clone)]
pub struct Witness {
    /// The source execution.
    pub source: Execution,
    /// The target execution.
    pub target: Execution,
    /// The source event of each target event.
    pub origin: Vec<Event>,
    /// The last write of each location in modification order.
    pub finals: Vec<Option<Event>>,
    /// The same write in the target.
    pub target_finals: Vec<Option<Event>>,
}

/// Why a search cannot go on, though no limit was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The judge does not confirm a witness: translator and judge disagree.
    Disagreement(String),
    /// The SAT solver failed.
    Solver(Failure),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disagreement(what) => {
                write!(f, "the two engines disagree, which is a bug in Margay; please report it: {what}")
            }
            Self::Solver(failure) => failure.fmt(f),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Solver(failure)
    }
}

/// Reads one instance.
struct Reader<'a> {
    mapping: &'a Mapping,
    v: &'a Vocabulary,
    atoms: &'a Atoms,
    instance: &'a Instance,
}

impl Reader<'_> {
    fn has(&self, relation: Relation, places: &[Place]) -> bool {
        let tuple: Vec<_> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.instance.contains(relation, &tuple)
    }

    /// Is the event, or the operation that it belongs to, special in this way?
    fn is(&self, special: Special, event: usize) -> bool {
        self.v.special.iter().any(|&(s, r)| s == special && self.has(r, &[Place::Event(event)]))
    }

    /// A barrier or proxy fence; `None` for constructs.
    fn own_kind(&self, event: usize) -> Option<EventData> {
        let thread = Some(self.atoms.thread[event] as u8);
        let of = |kind: Kind| EventData::new(kind, thread, Order::Plain);
        let (special, _) = self.v.special.iter().find(|&&(s, _)| s.is_event() && self.is(s, event))?;
        Some(match special {
            Special::Arrival => EventData { barrier: Some(0), ..of(Kind::BarrierArrive) },
            Special::Wait => EventData { barrier: Some(0), ..of(Kind::BarrierWait) },
            Special::ProxyFence(proxy) => EventData { proxy: *proxy, ..of(Kind::ProxyFence) },
            _ => return None,
        })
    }

    /// Writes down how an access is special.
    fn mark(&self, event: usize, head: usize, data: &mut EventData) {
        for &(special, _) in self.v.special.iter().filter(|&&(s, _)| self.is(s, event)) {
            match special {
                Special::Volatile => data.volatile = true,
                Special::Mmio => data.mmio = true,
                Special::Through(proxy) => data.proxy = proxy,
                _ => {}
            }
        }
        data.reduction = self.is(Special::Red, head);
    }

    /// The construct that begins at an event; `None` for the write half of an RMW, and for barriers and proxy fences.
    fn construct(&self, event: usize) -> Option<Construct> {
        self.v.construct.iter().find(|&&(_, r)| self.has(r, &[Place::Event(event)])).map(|&(c, _)| c)
    }

    /// The event whose construct this event belongs to.
    fn head(&self, event: usize) -> usize {
        if self.is_write_half(event) { event.saturating_sub(1) } else { event }
    }

    fn is_write_half(&self, event: usize) -> bool {
        self.construct(event).is_none() && self.own_kind(event).is_none()
    }

    fn scope(&self, event: usize) -> Option<Scope> {
        self.v.scope.iter().find(|&&(_, r)| self.has(r, &[Place::Event(event)])).map(|&(s, _)| s)
    }

    /// The event that names the location of an access.
    fn class(&self, event: usize) -> Option<usize> {
        (0..self.atoms.events()).find(|&f| self.has(self.v.at, &[Place::Event(event), Place::Event(f)]))
    }

    fn lowering(&self, head: usize) -> Option<&Lowering> {
        let construct = self.construct(head)?;
        let row = self.mapping.row(construct, self.scope(head))?;
        let choice = self.v.choice.iter().position(|&r| self.has(r, &[Place::Event(head)])).unwrap_or(0);
        row.alternatives.get(choice)
    }

    fn mo(&self, a: usize, b: usize) -> bool {
        let pair = |a: usize, b: usize| [Place::Event(a), Place::Event(b)];
        if a < b { self.has(self.v.mo_ascending, &pair(a, b)) } else { !self.has(self.v.mo_ascending, &pair(b, a)) }
    }

    fn related(&self, a: usize, b: usize) -> bool {
        self.has(self.v.related, &[Place::Event(a.min(b)), Place::Event(a.max(b))])
    }

    fn placements(&self) -> Vec<Placement> {
        let threads = self.atoms.shape.threads();
        let level = |scope: Scope| self.v.together.iter().find(|(s, _)| *s == scope).map(|&(_, r)| r);
        // The number of a thread's group: that of the first thread that it shares the scope with.
        let group = |scope: Scope, t: usize, otherwise: usize| match level(scope) {
            Some(r) => (0..t).find(|&s| self.has(r, &[Place::Thread(s), Place::Thread(t)])).unwrap_or(t),
            None => otherwise,
        };
        let raw: Vec<[usize; 3]> =
            (0..threads).map(|t| [group(Scope::Gpu, t, 0), group(Scope::Cluster, t, 0), group(Scope::Cta, t, t)]).collect();
        // Numbers without gaps, in order of first use.
        let dense = |i: usize, t: usize| {
            let mut seen: Vec<usize> = Vec::new();
            for r in &raw {
                if !seen.contains(&r[i]) {
                    seen.push(r[i]);
                }
            }
            seen.iter().position(|&g| g == raw[t][i]).unwrap_or(0) as u8
        };
        (0..threads).map(|t| Placement { gpu: dense(0, t), cluster: dense(1, t), cta: dense(2, t) }).collect()
    }
}

/// The two executions of an instance.
pub fn witness(mapping: &Mapping, v: &Vocabulary, atoms: &Atoms, instance: &Instance) -> Option<Witness> {
    let r = &Reader { mapping, v, atoms, instance };
    let n = atoms.events();
    let classes: Vec<usize> = (0..n).filter(|&e| r.class(e) == Some(e)).collect();
    // Locations by their first address, then those that are accessed by a second one.
    let aliased: Vec<usize> =
        classes.iter().copied().filter(|&c| (0..n).any(|e| r.class(e) == Some(c) && r.is(Special::Alias, e))).collect();
    let location = |e: usize| {
        let class = r.class(e)?;
        let address = match r.is(Special::Alias, e) {
            true => classes.len() + aliased.iter().position(|&x| x == class)?,
            false => classes.iter().position(|&x| x == class)?,
        };
        Some(address as u8)
    };
    let is_plain = |e: usize| r.construct(r.head(e)).is_some_and(|c| c.order == Order::Plain);
    let addresses = classes.iter().chain(&aliased);
    let locations: Vec<Location> = addresses
        .enumerate()
        .map(|(i, &c)| {
            let physical = classes.iter().position(|&x| x == c).unwrap_or(i) as u8;
            let accesses = || (0..n).filter(move |&e| r.class(e) == Some(c));
            Location { name: location_name(i), physical, atomic: accesses().any(|e| !is_plain(e)) }
        })
        .collect();

    // Values: the k-th write of a location in modification order writes k.
    let is_write = |e: usize| match r.construct(e) {
        Some(c) => c.operation == Operation::Write,
        None => r.is_write_half(e),
    };
    let writes_before = |w: usize| (0..n).filter(|&x| x != w && is_write(x) && r.class(x) == r.class(w) && r.mo(x, w)).count();
    let value_written = |w: usize| writes_before(w) as i64 + 1;
    let reads_from = |e: usize| (0..n).find(|&w| r.has(v.rf, &[Place::Event(w), Place::Event(e)]));
    let value = |e: usize| match r.construct(e).map(|c| c.operation) {
        Some(Operation::Fence) => None,
        Some(Operation::Read | Operation::Rmw) => Some(reads_from(e).map_or(0, value_written)),
        Some(Operation::Write) => Some(value_written(e)),
        None => r.is_write_half(e).then(|| value_written(e)),
    };

    // The source.
    let mut events = Vec::new();
    for e in 0..n {
        if let Some(data) = r.own_kind(e) {
            events.push(data);
            continue;
        }
        let construct = r.construct(r.head(e))?;
        let (kind, order) = match (construct.operation, r.construct(e).is_some()) {
            (Operation::Read, _) => (Kind::Read, construct.order),
            (Operation::Write, _) => (Kind::Write, construct.order),
            (Operation::Fence, _) => (Kind::Fence, construct.order),
            (Operation::Rmw, true) => (Kind::Read, construct.read_order()),
            (Operation::Rmw, false) => (Kind::Write, construct.write_order()),
        };
        let mut data = EventData::new(kind, Some(atoms.thread[e] as u8), order);
        data.scope = r.scope(e);
        data.location = location(e);
        data.value = value(e);
        data.compare = r.lowering(r.head(e))?.form != Form::Usual;
        r.mark(e, r.head(e), &mut data);
        events.push(data);
    }
    let inits = |events: &mut Vec<EventData>| {
        let first = events.len();
        for l in 0..classes.len() {
            let mut data = EventData::new(Kind::Init, None, Order::Plain);
            data.location = Some(l as u8);
            data.value = Some(0);
            events.push(data);
        }
        first
    };
    let source_init = inits(&mut events);
    let placements = r.placements();
    let mut source = Execution::new(mapping.source.signature, events, placements.clone(), locations.clone());

    // The target, place by place.
    let mut events = Vec::new();
    let mut origin = Vec::new();
    let mut place_of: Vec<(Place, Event)> = Vec::new();
    for e in 0..n {
        if let Some(data) = r.own_kind(e) {
            place_of.push((Place::Event(e), Event::from(events.len())));
            origin.push(Event::from(e));
            events.push(data);
            continue;
        }
        let head = r.head(e);
        let lowering = r.lowering(head)?;
        let by_role: Vec<(Role, &Step)> = roles(lowering).into_iter().zip(&lowering.steps).collect();
        let is_rmw = r.construct(head)?.operation == Operation::Rmw;
        for place in atoms.target_places(e) {
            // The halves of an RMW share its lowering: what stands before belongs to the read, what stands after to the write.
            let step = by_role.iter().find(|(role, _)| match (role, place) {
                (Role::Access, Place::Event(_)) => true,
                (Role::Before(k), Place::Before(_, j)) => *k == j && e == head,
                (Role::After(k), Place::After(_, j)) => *k == j && (e != head || !is_rmw),
                _ => false,
            });
            let Some((_, step)) = step else { continue };
            let mut data = step.event(e != head, Some(atoms.thread[e] as u8), r.scope(head), lowering.form);
            if data.kind != Kind::Fence {
                data.location = location(e);
                data.value = value(e);
                r.mark(e, head, &mut data);
            }
            place_of.push((place, Event::from(events.len())));
            origin.push(Event::from(e));
            events.push(data);
        }
    }
    let target_init = inits(&mut events);
    origin.extend((0..classes.len()).map(|l| Event::from(source_init + l)));
    let mut target = Execution::new(mapping.target.signature, events, placements, locations);
    let at = |place: Place| place_of.iter().find(|(p, _)| *p == place).map(|&(_, e)| e);

    // Relations of both.
    for e in 0..n {
        if value(e).is_none() || is_write(e) {
            continue;
        }
        let (from, from_target) = match reads_from(e) {
            Some(w) => (Event::from(w), at(Place::Event(w))?),
            None => {
                let l = classes.iter().position(|&c| r.class(e) == Some(c))?;
                (Event::from(source_init + l), Event::from(target_init + l))
            }
        };
        source.rf.insert(from, Event::from(e));
        target.rf.insert(from_target, at(Place::Event(e))?);
    }
    for w in (0..n).filter(|&w| is_write(w)) {
        let here = at(Place::Event(w))?;
        let l = classes.iter().position(|&c| r.class(w) == Some(c))?;
        source.co.insert(Event::from(source_init + l), Event::from(w));
        target.co.insert(Event::from(target_init + l), here);
        for x in (0..n).filter(|&x| x != w && is_write(x) && r.class(x) == r.class(w) && r.mo(w, x)) {
            source.co.insert(Event::from(w), Event::from(x));
            if mapping.target.signature.total_coherence() || r.related(w, x) {
                target.co.insert(here, at(Place::Event(x))?);
            }
        }
        if r.is_write_half(w) {
            source.rmw.insert(Event::from(w - 1), Event::from(w));
            target.rmw.insert(at(Place::Event(w - 1))?, here);
        }
    }
    for &(p, a) in &place_of {
        for &(q, b) in &place_of {
            if p != q && r.has(v.fence_order, &[p, q]) {
                target.sync_fence.insert(a, b);
            }
        }
    }
    let [addr, data, ctrl] = v.dependencies;
    for a in 0..n {
        for b in 0..n {
            let pair = [Place::Event(a), Place::Event(b)];
            for (relation, here, there) in [
                (addr, &mut source.addr, &mut target.addr),
                (data, &mut source.data, &mut target.data),
                (ctrl, &mut source.ctrl, &mut target.ctrl),
            ] {
                if r.has(relation, &pair) {
                    here.insert(Event::from(a), Event::from(b));
                    if let (Some(x), Some(y)) = (at(pair[0]), at(pair[1])) {
                        there.insert(x, y);
                    }
                }
            }
            if r.has(ctrl, &pair) {
                for slot in atoms.target_places(b).filter_map(at) {
                    if let Some(x) = at(pair[0]) {
                        target.ctrl.insert(x, slot);
                    }
                }
            }
        }
    }
    for head in (0..n).filter(|&e| r.construct(e).is_some()) {
        let Some(first) = r.lowering(head)?.ctrl else { continue };
        let last = if head + 1 < n && r.is_write_half(head + 1) { head + 1 } else { head };
        let own = atoms.target_places(last).filter(|p| matches!(p, Place::After(_, k) if *k >= first));
        let later = (last + 1..n).filter(|&e| atoms.thread[e] == atoms.thread[head]).flat_map(|e| atoms.target_places(e));
        let from = at(Place::Event(head))?;
        for place in own.chain(later).filter_map(at) {
            target.ctrl.insert(from, place);
        }
    }
    for execution in [&mut source, &mut target] {
        meet(execution);
    }
    let last = |co: &BitMatrix, e: Event| co.row(e).is_empty();
    let finals: Vec<Option<Event>> = classes
        .iter()
        .map(|&c| (0..n).filter(|&w| is_write(w) && r.class(w) == Some(c)).map(Event::from).find(|&w| last(&source.co, w)))
        .collect();
    let target_finals = finals.iter().map(|f| f.and_then(|w| at(Place::Event(w.index())))).collect();
    Some(Witness { source, target, origin, finals, target_finals })
}

/// Arrivals synchronise with the waits of other threads at the barrier of their cta, to which each thread comes once.
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

/// Names of locations in order of first use.
fn location_name(index: usize) -> String {
    const NAMES: [&str; 12] = ["x", "y", "z", "w", "v", "u", "t", "s", "q", "p", "o", "n"];
    NAMES.get(index).map_or_else(|| format!("x{index}"), |&n| n.to_owned())
}

/// Does the check's role call the execution illegal (or undefined), given whether its test holds?
fn is_violated(check: &Check, holds: bool) -> bool {
    match check.role {
        CheckRole::Flag => holds,
        CheckRole::Axiom | CheckRole::UndefinedUnless | CheckRole::Assert => !holds,
    }
}

impl Witness {
    /// The judge's opinion: both executions are well-formed, the target is legal, and the source is defined and violates one
    /// of the questions' axioms. Returns the first that it violates. (At program level consistent executions must be defined, and
    /// this one is not consistent.)
    ///
    /// # Errors
    /// What does not hold: a bug in the translator or in the judge.
    pub fn confirm(&self, mapping: &Mapping, questions: &[Question], level: Level) -> Result<Question, Fault> {
        for (side, execution) in [("source", &self.source), ("target", &self.target)] {
            if let Some(wrong) = wellformed::violations(execution).into_iter().next() {
                return Err(Fault::Disagreement(format!("the {side} execution is not well-formed: {wrong}")));
            }
        }
        let verdict = judge(&mapping.target, &self.target);
        if !verdict.consistent {
            return Err(Fault::Disagreement("the target execution is not legal".to_owned()));
        }
        let verdict = judge(&mapping.source, &self.source);
        for (check, &holds) in mapping.source.checks.iter().zip(&verdict.holds) {
            if level == Level::Execution && is_undefined_behaviour(check) && is_violated(check, holds) {
                return Err(Fault::Disagreement(format!("the source execution is undefined by `{}`", check.display_name())));
            }
        }
        let violated = |q: &&Question| is_violated(&mapping.source.checks[q.0], verdict.holds[q.0]);
        questions.iter().find(violated).copied().ok_or_else(|| Fault::Disagreement("the source execution is legal".to_owned()))
    }
}
