//! What an instance says of each event.

use margay_models::execution::{EventData, Kind, Order, Placement, Scope};
use margay_models::signature::{Construct, Operation};
use margay_solver::{Instance, Relation};

use crate::encode::SpecialRelation;
use crate::encode::atoms::{AtomPlace, Atoms};
use crate::encode::back::{self, Back};
use crate::encode::vocabulary::MappingVocabulary;
use crate::language::{Lowering, Mapping};

pub struct InstanceReader<'a> {
    pub mapping: &'a Mapping,
    pub v: &'a MappingVocabulary,
    pub atoms: &'a Atoms,
    pub instance: &'a Instance,
}

impl InstanceReader<'_> {
    pub fn has(&self, relation: Relation, places: &[AtomPlace]) -> bool {
        let tuple: Vec<_> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.instance.contains(relation, &tuple)
    }

    /// Is the event, or the operation that it belongs to, special in this way?
    pub fn is(&self, special: SpecialRelation, event: usize) -> bool {
        self.v.special.iter().any(|&(s, r)| s == special && self.has(r, &[AtomPlace::Event(event)]))
    }

    /// A barrier or proxy fence; `None` for constructs.
    pub fn own_kind(&self, event: usize) -> Option<EventData> {
        let thread = Some(self.atoms.thread[event] as u16);
        let of = |kind: Kind| EventData::new(kind, thread, Order::Plain);
        let (special, _) =
            self.v.special.iter().find(|&&(s, _)| s.is_event() && self.is(s, event))?;
        Some(match special {
            SpecialRelation::Arrival => EventData { barrier: Some(0), ..of(Kind::BarrierArrive) },
            SpecialRelation::Wait => EventData { barrier: Some(0), ..of(Kind::BarrierWait) },
            SpecialRelation::ProxyFence(proxy) => {
                EventData { proxy: *proxy, ..of(Kind::ProxyFence) }
            }
            _ => return None,
        })
    }

    /// Writes down how an access is special.
    pub fn mark(&self, event: usize, head: usize, data: &mut EventData) {
        for &(special, _) in self.v.special.iter().filter(|&&(s, _)| self.is(s, event)) {
            match special {
                SpecialRelation::Volatile => data.volatile = true,
                SpecialRelation::Mmio => data.mmio = true,
                SpecialRelation::Through(proxy) => data.proxy = proxy,
                _ => {}
            }
        }
        data.reduction = self.is(SpecialRelation::Red, head);
    }

    /// Writes down whether a half of a read-modify-write belongs to an exchange, where a model
    /// looks at that.
    pub fn mark_exchange(&self, head: usize, data: &mut EventData) {
        let is_rmw = self.construct(head).is_some_and(|c| c.operation == Operation::Rmw);
        let Some(relation) = self.v.exchange.filter(|_| is_rmw) else { return };
        data.exchange = self.has(relation, &[AtomPlace::Event(head)]);
        data.computes = !data.exchange && !data.compare && !data.reduction;
    }

    /// The construct that begins at an event; `None` for the write half of an RMW, and for barriers
    /// and proxy fences.
    pub fn construct(&self, event: usize) -> Option<Construct> {
        self.v
            .construct
            .iter()
            .find(|&&(_, r)| self.has(r, &[AtomPlace::Event(event)]))
            .map(|&(c, _)| c)
    }

    /// The event whose construct this event belongs to.
    pub fn head(&self, event: usize) -> usize {
        if self.is_write_half(event) { event.saturating_sub(1) } else { event }
    }

    pub fn is_write_half(&self, event: usize) -> bool {
        self.construct(event).is_none() && self.own_kind(event).is_none()
    }

    pub fn scope(&self, event: usize) -> Option<Scope> {
        self.v
            .scope
            .iter()
            .find(|&&(_, r)| self.has(r, &[AtomPlace::Event(event)]))
            .map(|&(s, _)| s)
    }

    /// The event that names the location of an access.
    pub fn class(&self, event: usize) -> Option<usize> {
        (0..self.atoms.events())
            .find(|&f| self.has(self.v.at, &[AtomPlace::Event(event), AtomPlace::Event(f)]))
    }

    pub fn lowering(&self, head: usize) -> Option<&Lowering> {
        let construct = self.construct(head)?;
        let row = self.mapping.row(construct, self.scope(head))?;
        let choice =
            self.v.choice.iter().position(|&r| self.has(r, &[AtomPlace::Event(head)])).unwrap_or(0);
        row.asked().get(choice).copied()
    }

    pub fn mo(&self, a: usize, b: usize) -> bool {
        let pair = |a: usize, b: usize| [AtomPlace::Event(a), AtomPlace::Event(b)];
        if a < b {
            self.has(self.v.mo_ascending, &pair(a, b))
        } else {
            !self.has(self.v.mo_ascending, &pair(b, a))
        }
    }

    pub fn related(&self, a: usize, b: usize) -> bool {
        self.has(self.v.related, &[AtomPlace::Event(a.min(b)), AtomPlace::Event(a.max(b))])
    }

    pub fn placements(&self) -> Vec<Placement> {
        let threads = self.atoms.shape.threads();
        let level =
            |scope: Scope| self.v.together.iter().find(|(s, _)| *s == scope).map(|&(_, r)| r);
        // The number of a thread's group: that of the first thread that it shares the scope with.
        let group = |scope: Scope, t: usize, otherwise: usize| match level(scope) {
            Some(r) => (0..t)
                .find(|&s| self.has(r, &[AtomPlace::Thread(s), AtomPlace::Thread(t)]))
                .unwrap_or(t),
            None => otherwise,
        };
        // Where warps matter and ctas do not, all are in one cta.
        let alone = |t: usize| if level(Scope::Warp).is_some() { 0 } else { t };
        let numbers = |t: usize| {
            [
                group(Scope::Gpu, t, 0),
                group(Scope::Cluster, t, 0),
                group(Scope::Cta, t, alone(t)),
                group(Scope::Warp, t, 0),
            ]
        };
        let raw: Vec<[usize; 4]> = (0..threads).map(numbers).collect();
        // Numbers without gaps, in order of first use.
        let dense = |i: usize, t: usize| {
            let mut seen: Vec<usize> = Vec::new();
            for r in &raw {
                if !seen.contains(&r[i]) {
                    seen.push(r[i]);
                }
            }
            seen.iter().position(|&g| g == raw[t][i]).unwrap_or(0) as u16
        };
        (0..threads)
            .map(|t| Placement {
                gpu: dense(0, t),
                cluster: dense(1, t),
                cta: dense(2, t),
                warp: dense(3, t),
                kernel: 0,
            })
            .collect()
    }

    /// The number of source events.
    pub fn events(&self) -> usize {
        self.atoms.events()
    }

    /// Is the event a write, alone or as a half of an RMW?
    pub fn is_write(&self, event: usize) -> bool {
        match self.construct(event) {
            Some(c) => c.operation == Operation::Write,
            None => self.is_write_half(event),
        }
    }

    /// The write that a read reads from; `None` for the initial one.
    pub fn reads_from(&self, event: usize) -> Option<usize> {
        (0..self.events())
            .find(|&w| self.has(self.v.rf, &[AtomPlace::Event(w), AtomPlace::Event(event)]))
    }

    /// Where the write is that a read in a slot reads from; `None` for the initial one.
    pub fn unused_reads_from(&self, slot: AtomPlace) -> Option<AtomPlace> {
        let relation = self.v.unused_rf?;
        let back = (0..self.events()).filter(|_| self.v.back.is_some()).map(back::place);
        (0..self.events())
            .map(AtomPlace::Event)
            .chain(back)
            .find(|&w| self.has(relation, &[w, slot]))
    }

    /// The load that wrote back what an access reads in the target.
    pub fn reads_back_of(&self, event: usize) -> Option<usize> {
        let relation = self.v.back?.rf;
        (0..self.events())
            .find(|&load| self.has(relation, &[back::place(load), AtomPlace::Event(event)]))
    }

    /// Does a write stand before another one in coherence order, or would if it were total? One of
    /// them is written back.
    pub fn back_before(&self, a: AtomPlace, b: AtomPlace) -> bool {
        let Some(back) = self.v.back else { return false };
        let [straight, crossed] = [[a, b], [b, a]].map(|pair| self.has(back.ascending, &pair));
        let is_pair = Back::pairs(self.atoms).any(|pair| pair == (a, b));
        if is_pair { straight } else { !crossed }
    }

    /// Does coherence order relate them, where it is partial?
    pub fn back_related(&self, a: AtomPlace, b: AtomPlace) -> bool {
        self.v
            .back
            .is_some_and(|back| self.has(back.related, &[a, b]) || self.has(back.related, &[b, a]))
    }

    /// The value that the write at a place writes; of a load what it writes back.
    pub fn value_at(&self, place: AtomPlace) -> i64 {
        match place {
            AtomPlace::Event(w) => self.value_written(w),
            AtomPlace::After(load, _) => self.value(load).unwrap_or(0),
            AtomPlace::Init(_) | AtomPlace::Before(..) | AtomPlace::Thread(_) => 0,
        }
    }

    /// The k-th write of a location in modification order writes k.
    pub fn value_written(&self, w: usize) -> i64 {
        let is_before = |&x: &usize| {
            x != w && self.is_write(x) && self.class(x) == self.class(w) && self.mo(x, w)
        };
        (0..self.events()).filter(is_before).count() as i64 + 1
    }

    /// The value that an access reads, or else writes.
    pub fn value(&self, event: usize) -> Option<i64> {
        match self.construct(event).map(|c| c.operation) {
            Some(Operation::Fence) => None,
            Some(Operation::Read | Operation::Rmw) => {
                Some(self.reads_from(event).map_or(0, |w| self.value_written(w)))
            }
            Some(Operation::Write) => Some(self.value_written(event)),
            None => self.is_write_half(event).then(|| self.value_written(event)),
        }
    }
}
