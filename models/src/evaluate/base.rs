//! What each base set and base relation is in an execution. Of executions whose sets are a word,
//! also as rows: the same, but without allocation for what is asked for most.

use std::borrow::Cow;

use crate::bits::{BitMatrix, Event, EventSet, EventWord};
use crate::execution::{EventData, Execution, Kind, Order, Proxy, Scope, Spaces, pairs};
use crate::signature::{BaseRelation, BaseSet};

impl Execution {
    pub fn base_set(&self, set: BaseSet) -> EventSet {
        self.base_set_as(set)
    }

    /// A base set as whoever asks keeps it.
    pub(crate) fn base_set_as<S: FromIterator<Event>>(&self, set: BaseSet) -> S {
        use Kind::{BarrierArrive, BarrierWait, Fence, Init, ProxyFence, Read, Write};
        let order = |o: Order| {
            self.events_as(|e| {
                e.order == o && !matches!(e.kind, Init | BarrierArrive | BarrierWait | ProxyFence)
            })
        };
        let scope = |s: Scope| self.events_as(|e| e.scope == Some(s));
        // A memory fence may be one of a proxy, too; the generic one has none.
        let has_proxy = |e: &EventData| match e.kind {
            Fence => e.proxy != Proxy::Generic,
            BarrierArrive | BarrierWait | Kind::AsyncWait => false,
            Init | Read | Write | ProxyFence => true,
        };
        let proxy = |p: Proxy| self.events_as(|e| e.proxy == p && has_proxy(e));
        match set {
            BaseSet::Universe => self.events_as(|_| true),
            BaseSet::W => self.events_as(|e| matches!(e.kind, Init | Write)),
            BaseSet::R => self.events_as(|e| e.kind == Read),
            BaseSet::M => self.events_as(|e| matches!(e.kind, Init | Read | Write)),
            BaseSet::F | BaseSet::Mfence => {
                self.events_as(|e| matches!(e.kind, Fence | ProxyFence))
            }
            BaseSet::B => self.events_as(|e| matches!(e.kind, BarrierArrive | BarrierWait)),
            BaseSet::Wait => self.events_as(|e| e.kind == BarrierWait),
            BaseSet::Rmw => self.rmw.pairs().flat_map(|(r, w)| [r, w]).collect(),
            BaseSet::Iw => self.events_as(|e| e.kind == Init),
            BaseSet::Na | BaseSet::Weak => {
                self.events_as(|e| e.order == Order::Plain && matches!(e.kind, Init | Read | Write))
            }
            BaseSet::Atomic => self.events_as(|e| e.order != Order::Plain && e.kind != Init),
            // An arrival at a barrier is relaxed, or has no order; or it is the end of a thread.
            BaseSet::Rlx => self.events_as(|e| {
                e.order == Order::Rlx && !matches!(e.kind, Init | BarrierWait | ProxyFence)
            }),
            BaseSet::Acq => self.events_as(|e| {
                e.order == Order::Acq && !matches!(e.kind, Init | BarrierWait | ProxyFence)
            }),
            BaseSet::Rel => order(Order::Rel),
            BaseSet::AcqRel => order(Order::AcqRel),
            BaseSet::Sc => order(Order::Sc),
            BaseSet::Cta => scope(Scope::Cta),
            BaseSet::Cluster => scope(Scope::Cluster),
            BaseSet::Gpu => scope(Scope::Gpu),
            BaseSet::Sys => scope(Scope::Sys),
            BaseSet::Gen => self
                .events_as(|e| e.proxy == Proxy::Generic && matches!(e.kind, Init | Read | Write)),
            BaseSet::Alias => proxy(Proxy::Alias),
            BaseSet::Sur => proxy(Proxy::Surface),
            BaseSet::Tex => proxy(Proxy::Texture),
            BaseSet::Con => proxy(Proxy::Constant),
            BaseSet::Async => proxy(Proxy::Async),
            BaseSet::Tensormap => proxy(Proxy::Tensormap),
            BaseSet::Shared => self.events_as(|e| e.spaces.contains(Spaces::SHARED)),
            BaseSet::Global => self.events_as(|e| e.spaces.contains(Spaces::GLOBAL)),
            BaseSet::Mbarrier => self.events_as(|e| e.mbarrier),
            BaseSet::Red => self.events_as(|e| e.reduction),
            BaseSet::Xchg => self.events_as(|e| e.exchange),
            BaseSet::Volatile => self.events_as(|e| e.volatile),
            BaseSet::Mmio => self.events_as(|e| e.mmio),
            BaseSet::Level(level) => scope(level.scope()),
            BaseSet::Tag(tag) => {
                self.events_as(|e| matches!(e.order, Order::Tagged(tags) if tags.contains(tag)))
            }
        }
    }

    pub fn base_relation(&self, relation: BaseRelation) -> BitMatrix {
        self.relation(relation).into_owned()
    }

    /// The same, borrowed where the execution has it as it is.
    pub(crate) fn relation(&self, relation: BaseRelation) -> Cow<'_, BitMatrix> {
        let n = self.size();
        let event = |e: Event| &self.events[e.index()];
        let where_pairs = |keep: &dyn Fn(Event, Event) -> bool| {
            BitMatrix::from_pairs(n, pairs(n).filter(|&(a, b)| keep(a, b)))
        };
        let same = |scope: Scope| {
            where_pairs(&|a, b| match (event(a).thread, event(b).thread) {
                (Some(s), Some(t)) => {
                    self.threads[usize::from(s)].shares(scope, self.threads[usize::from(t)])
                }
                _ => false,
            })
        };
        let int = |a: Event, b: Event| {
            a == b || event(a).thread.is_some() && event(a).agent() == event(b).agent()
        };
        Cow::Owned(match relation {
            BaseRelation::Po => return Cow::Borrowed(&self.po),
            BaseRelation::Rf => return Cow::Borrowed(&self.rf),
            BaseRelation::Co => return Cow::Borrowed(&self.co),
            BaseRelation::Rmw => return Cow::Borrowed(&self.rmw),
            BaseRelation::Addr => return Cow::Borrowed(&self.addr),
            BaseRelation::Data => return Cow::Borrowed(&self.data),
            BaseRelation::Ctrl => return Cow::Borrowed(&self.ctrl),
            BaseRelation::SyncBarrier => return Cow::Borrowed(&self.sync_barrier),
            BaseRelation::AsyncIssue => return Cow::Borrowed(&self.async_issue),
            BaseRelation::AsyncComplete => return Cow::Borrowed(&self.async_complete),
            BaseRelation::SyncFence => return Cow::Borrowed(&self.sync_fence),
            BaseRelation::Id => where_pairs(&|a, b| a == b),
            BaseRelation::Fr => {
                let mut fr = BitMatrix::new(n);
                for (w, r) in self.rf.pairs() {
                    fr.insert_all(r, self.co.row(w));
                }
                fr
            }
            BaseRelation::Loc => where_pairs(&|a, b| {
                self.physical(a).is_some() && self.physical(a) == self.physical(b)
            }),
            BaseRelation::Vloc => {
                where_pairs(&|a, b| self.address(a).is_some() && self.address(a) == self.address(b))
            }
            BaseRelation::Int => where_pairs(&int),
            BaseRelation::Ext => where_pairs(&|a, b| !int(a, b)),
            BaseRelation::Sr => where_pairs(&|a, b| self.includes(a, b) && self.includes(b, a)),
            BaseRelation::Scta => same(Scope::Cta),
            BaseRelation::Scluster => same(Scope::Cluster),
            BaseRelation::Sgpu => same(Scope::Gpu),
            BaseRelation::Same(level) => same(level.scope()),
            BaseRelation::Syncbar => {
                where_pairs(&|a, b| match (event(a).thread, event(b).thread) {
                    (Some(s), Some(t))
                        if event(a).barrier.is_some() && event(a).barrier == event(b).barrier =>
                    {
                        // Operations of other scopes than the cta's belong to `barrier.cluster`,
                        // meetings of a warp, and launches.
                        let level = |e: Event| {
                            event(e).scope.filter(|&s| s != Scope::Gpu).unwrap_or(Scope::Cta)
                        };
                        let place = |t: u16| self.threads[usize::from(t)];
                        level(a) == level(b) && place(s).shares(level(a), place(t))
                    }
                    _ => false,
                })
            }
        })
    }

    /// Does the scope of `a` include the thread of `b`?
    fn includes(&self, a: Event, b: Event) -> bool {
        let (a, b) = (&self.events[a.index()], &self.events[b.index()]);
        match (a.scope, a.thread, b.thread) {
            (Some(scope), Some(s), Some(t)) => {
                self.threads[usize::from(s)].shares(scope, self.threads[usize::from(t)])
            }
            _ => false,
        }
    }
}

pub fn set(execution: &Execution, set: BaseSet) -> u64 {
    execution.base_set_as::<EventWord>(set).0
}

pub fn relation(to: &mut [u64], execution: &Execution, relation: BaseRelation) {
    match relation {
        BaseRelation::Id => super::operate::diagonal(to, u64::MAX),
        BaseRelation::Fr => {
            to.fill(0);
            for w in (0..to.len()).map(Event::from) {
                let later = execution.co.row(w).word();
                if later != 0 {
                    execution.rf.row(w).iter().for_each(|r| to[r.index()] |= later);
                }
            }
        }
        BaseRelation::Loc => classes(to, |a| execution.physical(a).map(u64::from)),
        BaseRelation::Vloc => classes(to, |a| execution.address(a).map(u64::from)),
        BaseRelation::Int => int(to, execution),
        BaseRelation::Ext => {
            int(to, execution);
            let all = EventWord::first(to.len()).0;
            to.iter_mut().for_each(|row| *row = all & !*row);
        }
        _ => to.copy_from_slice(execution.relation(relation).words()),
    }
}

/// Events with equal keys; those without one are related to nothing.
fn classes(to: &mut [u64], key: impl Fn(Event) -> Option<u64>) {
    to.fill(0);
    for a in 0..to.len() {
        let Some(of_a) = key(Event::from(a)) else { continue };
        to[a] |= 1 << a;
        for b in 0..a {
            if key(Event::from(b)) == Some(of_a) {
                to[a] |= 1 << b;
                to[b] |= 1 << a;
            }
        }
    }
}

/// The same thread, or the same asynchronous operation of one; an initial write is alone.
fn int(to: &mut [u64], execution: &Execution) {
    // Behind the numbers of threads each initial write has one of its own, and behind those each
    // asynchronous operation.
    let number = |(thread, operation): (u16, Option<u16>)| {
        u64::from(thread) + operation.map_or(0, |o| (u64::from(o) + 1) << 32)
    };
    classes(to, |a| {
        Some(execution.events[a.index()].agent().map_or((1 << 16) + a.index() as u64, number))
    });
}
