//! The relations of the search problem. Constants of a shape (program order, who runs where in the
//! numbering) are relations with exact bounds; what is searched for (kinds, orders, scopes,
//! locations, reads-from, ...) has an upper bound.

use margay_models::execution::Scope;
use margay_models::signature::{Construct, Operation, Signature};
use margay_solver::{Bounds, Expr, Logic, Relation, TupleSet};

use super::atoms::{AtomPlace, Atoms, EventSlots};
use super::back::{self, Back};
use super::classes::ObjectClasses;
use super::programs::Programs;
use super::slot::SlotRole;
use super::special::SpecialRelation;
use super::technique::Techniques;

/// What the relations depend on: the constructs and scopes of the search, and what the models look
/// at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The signature of the source.
    pub signature: Signature,
    /// The constructs that may occur.
    pub constructs: Vec<Construct>,
    /// The scopes that operations may have; empty if the source has none.
    pub scopes: Vec<Scope>,
    /// The scopes that the source or a row names, narrowest first: which threads share them
    /// matters.
    pub placements: Vec<Scope>,
    /// What else may occur; only where models of PTX are compared.
    pub specials: Vec<SpecialRelation>,
    /// The slots around each event.
    pub slots: EventSlots,
    /// The largest number of alternatives in a row.
    pub alternatives: usize,
    /// Classes of objects that rows tell apart.
    pub classes: ObjectClasses,
    /// May the source have dependencies (does its model look at them)?
    pub dependencies: bool,
    /// The programs that are searched for; `None` where the question is about executions.
    pub programs: Option<Programs>,
    /// Does the target have a partial coherence order beside the source's total one?
    pub partial_coherence: bool,
    /// May threads begin or end with a fence of the source?
    pub fences_at_ends: bool,
    /// Where the target may have `fence.sc`: its Fence-SC order relates these places.
    pub sc_fences: Vec<SlotRole>,
    /// Where the target may have reads whose value nobody uses.
    pub unused_reads: Vec<SlotRole>,
    /// May the target have loads that write back what they read?
    pub writes_back: bool,
    /// Does a model look at which read-modify-writes are exchanges?
    pub exchanges: bool,
    /// Does an execution of the source choose an order of its fences, at which its model looks?
    pub chosen_fences: bool,
}

/// A relation of which the target has a copy of its own if the levels do not share theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// `rf`.
    ReadsFrom,
    /// `co`.
    Coherence,
    /// `loc`.
    Location,
    /// `rmw`.
    Rmw,
    /// The threads that share a scope.
    Together(Scope),
}

/// The relations.
#[derive(Debug, Clone)]
pub struct MappingVocabulary {
    /// What they are made for.
    pub content: Content,
    /// How the question is put.
    pub techniques: Techniques,
    /// Source events. Constant.
    pub events: Relation,
    /// Initial writes of all possible locations. Constant.
    pub inits: Relation,
    /// From an initial write to the event that names its location. Constant.
    pub init_event: Relation,
    /// Program order of the source. Constant.
    pub po: Relation,
    /// From each event to the next one of its thread. Constant.
    pub next: Relation,
    /// Program order among target places. Constant.
    pub target_po: Relation,
    /// From each event to its slots before it. Constants.
    pub before: Vec<Relation>,
    /// From each event to its slots after it. Constants.
    pub after: Vec<Relation>,
    /// From each event and slot to its thread. Constant of a shape.
    pub thread: Relation,
    /// From each event to the thread that it names, where the solver chooses threads. Constant.
    pub thread_name: Relation,
    /// The pairs of different events, lower number first. Constant.
    pub ascending: Relation,
    /// The events that are each construct; for RMWs their read halves (the write half is the next
    /// event).
    pub construct: Vec<(Construct, Relation)>,
    /// The events that are barriers, proxy fences, or operations of a special kind.
    pub special: Vec<(SpecialRelation, Relation)>,
    /// The events of each scope, both halves of RMWs included.
    pub scope: Vec<(Scope, Relation)>,
    /// The events for which the compiler takes each alternative of their row; empty with one
    /// alternative everywhere.
    pub choice: Vec<Relation>,
    /// The accesses of objects of each class; empty where there is one class alone.
    pub data: Vec<Relation>,
    /// From each access to the first event (in the numbering) that accesses its location: locations
    /// in order of first use.
    pub at: Relation,
    /// Reads-from, initial writes included.
    pub rf: Relation,
    /// Modification order where it follows the numbering.
    pub mo_ascending: Relation,
    /// Modification order where it goes against the numbering; `None` where that is the complement.
    pub mo_descending: Option<Relation>,
    /// Pairs of writes (in the numbering) that the target's coherence order relates.
    pub related: Relation,
    /// Pairs of threads (in the numbering) in one cta, one cluster, one gpu.
    pub together: Vec<(Scope, Relation)>,
    /// Fence-SC order of the target.
    pub fence_order: Relation,
    /// Address, data and control dependencies of the source.
    pub dependencies: [Relation; 3],
    /// The reads whose value is tested: what is control-dependent on one is executed only if it is
    /// what the execution has.
    pub guard: Relation,
    /// Another total order of all events: the modification order that may explain an outcome.
    pub other_order: Relation,
    /// The order of fences that may explain an outcome; `None` where the source chooses none.
    pub other_fences: Option<Relation>,
    /// The target's own copies of what the levels share; empty unless that is switched off.
    pub copies: Vec<(Copied, Relation)>,
    /// What reads in slots read, whose value nobody uses; `None` where the mapping makes none.
    pub unused_rf: Option<Relation>,
    /// What loads write back; `None` where the mapping has none that do.
    pub back: Option<Back>,
    /// The read halves of exchanges; `None` where no model looks at them.
    pub exchange: Option<Relation>,
}

impl MappingVocabulary {
    /// Those of a row's events that take one of the lowerings that it asks about: the one of this
    /// number, of so many.
    pub fn taking(&self, logic: &mut Logic, events: Expr, number: usize, lowerings: usize) -> Expr {
        match self.choice.get(number) {
            Some(&choice) if lowerings > 1 => {
                let choice = logic.rel(choice);
                logic.intersection(events, choice)
            }
            _ => events,
        }
    }

    /// Declares the relations.
    pub fn new(logic: &mut Logic, content: Content, techniques: Techniques) -> Self {
        let mut declare = |name: &str, arity: usize| logic.relation(name, arity);
        let mut copies = Vec::new();
        if !techniques.shared_relations {
            let single = [Copied::ReadsFrom, Copied::Coherence, Copied::Location, Copied::Rmw];
            let together = content.placements.iter().map(|&s| Copied::Together(s));
            copies.extend(
                single
                    .into_iter()
                    .chain(together)
                    .map(|c| (c, declare(&format!("target_{c:?}"), 2))),
            );
        }
        Self {
            events: declare("events", 1),
            inits: declare("inits", 1),
            init_event: declare("init_event", 2),
            po: declare("po", 2),
            next: declare("next", 2),
            target_po: declare("target_po", 2),
            before: (0..content.slots.before).map(|k| declare(&format!("before{k}"), 2)).collect(),
            after: (0..content.slots.after).map(|k| declare(&format!("after{k}"), 2)).collect(),
            thread: declare("thread", 2),
            thread_name: declare("thread_name", 2),
            ascending: declare("ascending", 2),
            construct: content
                .constructs
                .iter()
                .map(|&c| (c, declare(&format!("{}.{}", c.operation, c.order.tag()), 1)))
                .collect(),
            special: content.specials.iter().map(|&s| (s, declare(&s.name(), 1))).collect(),
            scope: content.scopes.iter().map(|&s| (s, declare(s.name(), 1))).collect(),
            choice: (0..if content.alternatives > 1 { content.alternatives } else { 0 })
                .map(|k| declare(&format!("choice{k}"), 1))
                .collect(),
            data: (0..content.classes.0.len()).map(|k| declare(&format!("data{k}"), 1)).collect(),
            at: declare("at", 2),
            rf: declare("rf", 2),
            mo_ascending: declare("mo_ascending", 2),
            mo_descending: (!techniques.coherence_by_pairs).then(|| declare("mo_descending", 2)),
            related: declare("related", 2),
            together: content
                .placements
                .iter()
                .filter(|&&s| s != Scope::Sys)
                .map(|&s| (s, declare(&format!("same_{}", s.name()), 2)))
                .collect(),
            fence_order: declare("sync_fence", 2),
            dependencies: [declare("addr", 2), declare("data", 2), declare("ctrl", 2)],
            guard: declare("guard", 1),
            other_order: declare("other_order", 2),
            unused_rf: (!content.unused_reads.is_empty()).then(|| declare("unused_rf", 2)),
            back: content.writes_back.then(|| Back::new(&mut declare)),
            exchange: content.exchanges.then(|| declare("exchange", 1)),
            other_fences: content.chosen_fences.then(|| declare("other_fences", 2)),
            copies,
            content,
            techniques,
        }
    }

    /// May written values depend on what was read?
    pub fn has_data(&self) -> bool {
        match self.content.programs {
            Some(programs) => programs != Programs::Guarded,
            None => self.content.dependencies,
        }
    }

    /// The relations that are searched for; the others are constants of a shape.
    pub fn searched(&self) -> impl Iterator<Item = Relation> + '_ {
        let kinds =
            self.construct.iter().map(|&(_, r)| r).chain(self.special.iter().map(|&(_, r)| r));
        let lists =
            kinds.chain(self.scope.iter().map(|&(_, r)| r)).chain(self.choice.iter().copied());
        let others =
            [self.at, self.rf, self.mo_ascending, self.related, self.fence_order, self.guard];
        let back = self.back.into_iter().flat_map(Back::searched);
        lists
            .chain(others)
            .chain(self.together.iter().map(|&(_, r)| r))
            .chain(self.dependencies)
            .chain(self.unused_rf)
            .chain(back)
            .chain(self.exchange)
    }

    /// The relations of [`MappingVocabulary::searched`] that make a program and its outcome.
    /// Fence-SC order, partial coherence, what nobody looks at and what loads write back are no
    /// part of either: instances that differ there alone are one.
    pub fn told(&self) -> Vec<Relation> {
        let hidden = [self.fence_order, self.related].into_iter().chain(self.unused_rf);
        let hidden: Vec<Relation> =
            hidden.chain(self.back.into_iter().flat_map(Back::searched)).collect();
        self.searched().filter(|r| !hidden.contains(r)).collect()
    }

    /// The bounds of all relations for one shape.
    pub fn bounds(&self, atoms: &Atoms) -> Bounds {
        let mut bounds = Bounds::new(atoms.universe());
        self.constant_bounds(atoms, &mut bounds);
        self.event_bounds(atoms, &mut bounds);
        self.dependency_bounds(atoms, &mut bounds);
        self.copy_bounds(atoms, &mut bounds);
        if let Some(back) = self.back {
            back.bounds(atoms, self.content.partial_coherence, &mut bounds);
        }
        bounds
    }

    /// For each event the tuples of which exactly one is there: what it is, or of which
    /// read-modify-write it is the write half.
    pub fn kinds(&self, atoms: &Atoms) -> Vec<Vec<(Relation, AtomPlace)>> {
        let own = || {
            let special = self.special.iter().filter(|(special, _)| special.is_event());
            self.construct.iter().map(|&(_, r)| r).chain(special.map(|&(_, r)| r))
        };
        let exchanges = || {
            self.construct.iter().filter(|(c, _)| c.operation == Operation::Rmw).map(|&(_, r)| r)
        };
        let of = |e: usize| {
            let follows = e > 0 && atoms.may_share_thread(e - 1, e);
            let halves =
                exchanges().filter(move |_| follows).map(move |r| (r, AtomPlace::Event(e - 1)));
            own().map(move |r| (r, AtomPlace::Event(e))).chain(halves).collect()
        };
        (0..atoms.events()).map(of).collect()
    }

    /// What a shape says of its events, threads and slots.
    fn constant_bounds(&self, atoms: &Atoms, bounds: &mut Bounds) {
        let n = atoms.events();
        let event = AtomPlace::Event;
        let ordered = || atoms.ascending();
        let mut exactly = |relation: Relation, tuples: TupleSet| bounds.exactly(relation, tuples);

        exactly(self.events, atoms.set((0..n).map(event)));
        exactly(self.inits, atoms.set((0..n).map(AtomPlace::Init)));
        exactly(self.init_event, atoms.pairs((0..n).map(|e| (AtomPlace::Init(e), event(e)))));
        let successors = (1..n).filter(|&e| atoms.may_share_thread(e - 1, e));
        let places = atoms.all_target_places();
        let program_order = ordered()
            .filter(|&(a, b)| atoms.may_share_thread(a, b))
            .map(|(a, b)| (event(a), event(b)));
        let target_order = places.iter().enumerate().flat_map(|(i, &(p, s))| {
            places[i + 1..]
                .iter()
                .filter(move |&&(_, t)| atoms.chosen || s == t)
                .map(move |&(q, _)| (p, q))
        });
        let constants = [
            (self.po, atoms.pairs(program_order.clone())),
            (
                self.next,
                if atoms.chosen {
                    atoms.pairs(program_order)
                } else {
                    atoms.pairs(successors.map(|e| (event(e - 1), event(e))))
                },
            ),
            (self.target_po, atoms.pairs(target_order)),
            (
                self.thread,
                if atoms.chosen {
                    atoms.any_thread()
                } else {
                    atoms.pairs(places.iter().map(|&(p, t)| (p, AtomPlace::Thread(t))))
                },
            ),
        ];
        for (relation, tuples) in constants {
            let lower = if atoms.chosen { TupleSet::new(2) } else { tuples.clone() };
            bounds.between(relation, lower, tuples);
        }
        let mut exactly = |relation: Relation, tuples: TupleSet| bounds.exactly(relation, tuples);
        exactly(
            self.thread_name,
            atoms.pairs(
                (0..atoms.shape.threads())
                    .map(|t| (event(atoms.shape.first_event(t)), AtomPlace::Thread(t))),
            ),
        );
        for (k, &slot) in self.before.iter().enumerate() {
            exactly(slot, atoms.pairs((0..n).map(|e| (event(e), AtomPlace::Before(e, k)))));
        }
        for (k, &slot) in self.after.iter().enumerate() {
            exactly(slot, atoms.pairs((0..n).map(|e| (event(e), AtomPlace::After(e, k)))));
        }
        exactly(self.ascending, atoms.pairs(ordered().map(|(a, b)| (event(a), event(b)))));
    }

    /// What the solver chooses of events and threads.
    fn event_bounds(&self, atoms: &Atoms, bounds: &mut Bounds) {
        let n = atoms.events();
        let event = AtomPlace::Event;
        let ordered = || atoms.ascending();
        let same_thread = |a: usize, b: usize| atoms.may_share_thread(a, b);
        let mut at_most = |relation: Relation, upper: TupleSet| {
            let lower = TupleSet::new(upper.arity());
            bounds.between(relation, lower, upper);
        };
        let all = || atoms.set((0..n).map(event));
        // Threads that the solver chooses have no constant ends, and no search is about executions
        // without events.
        let anywhere = self.content.fences_at_ends || atoms.chosen || n == 1;
        let inside =
            move |e: usize| e > 0 && e + 1 < n && same_thread(e - 1, e) && same_thread(e, e + 1);
        for &(construct, relation) in &self.construct {
            // The read half of an RMW has its write half behind it in the same thread.
            let upper = match construct.operation {
                Operation::Rmw => {
                    atoms.set((1..n).filter(|&e| same_thread(e - 1, e)).map(|e| event(e - 1)))
                }
                Operation::Fence => atoms.set((0..n).filter(|&e| anywhere || inside(e)).map(event)),
                Operation::Read | Operation::Write => all(),
            };
            at_most(relation, upper);
        }
        if let Some(exchange) = self.exchange {
            at_most(exchange, all());
        }
        for relation in
            self.special.iter().map(|&(_, r)| r).chain(self.scope.iter().map(|&(_, r)| r))
        {
            at_most(relation, all());
        }
        for &relation in self.choice.iter().chain(&self.data) {
            at_most(relation, all());
        }
        let may_name = |b: usize, a: usize| self.may_name(b, a);
        let named =
            (0..n).flat_map(|a| (0..n).filter(move |&b| may_name(b, a)).map(move |b| (a, b)));
        at_most(self.at, atoms.pairs(named.map(|(a, b)| (event(a), event(b)))));
        let from_events =
            (0..n).flat_map(|w| (0..n).filter(move |&r| r != w).map(move |r| (event(w), event(r))));
        let from_inits = (0..n).flat_map(|i| {
            (0..n).filter(move |&r| may_name(i, r)).map(move |r| (AtomPlace::Init(i), event(r)))
        });
        at_most(self.rf, atoms.pairs(from_events.chain(from_inits)));
        for relation in std::iter::once(self.mo_ascending).chain(self.mo_descending) {
            at_most(relation, atoms.pairs(ordered().map(|(a, b)| (event(a), event(b)))));
        }
        let related = if self.content.partial_coherence {
            atoms.pairs(ordered().map(|(a, b)| (event(a), event(b))))
        } else {
            TupleSet::new(2)
        };
        at_most(self.related, related);
        // A guard needs something to guard.
        let guards = (0..n)
            .filter(|&e| self.content.programs.is_some() && e + 1 < n && same_thread(e, e + 1));
        at_most(self.guard, atoms.set(guards.map(event)));
        let threads = atoms.shape.threads();
        for &(_, relation) in &self.together {
            let pairs = (0..threads).flat_map(|s| {
                (s + 1..threads).map(move |t| (AtomPlace::Thread(s), AtomPlace::Thread(t)))
            });
            at_most(relation, atoms.pairs(pairs));
        }
        let is_fence = |p: AtomPlace| {
            SlotRole::of(p).is_some_and(|role| self.content.sc_fences.contains(&role))
        };
        let fences: Vec<AtomPlace> = atoms
            .all_target_places()
            .into_iter()
            .map(|(p, _)| p)
            .filter(|&p| is_fence(p))
            .collect();
        let fence_pairs = fences
            .iter()
            .flat_map(|&p| fences.iter().filter(move |&&q| p != q).map(move |&q| (p, q)));
        at_most(self.fence_order, atoms.pairs(fence_pairs));
    }

    /// Which dependencies programs may have.
    fn dependency_bounds(&self, atoms: &Atoms, bounds: &mut Bounds) {
        let [_, data, ctrl] = self.dependencies;
        for relation in self.dependencies {
            let possible = match self.content.programs {
                None => self.content.dependencies,
                Some(Programs::Guarded) => relation == ctrl,
                Some(Programs::Dependent { .. }) => relation == ctrl || relation == data,
            };
            let upper = if possible {
                atoms.pairs(
                    atoms
                        .ascending()
                        .filter(|&(a, b)| atoms.may_share_thread(a, b))
                        .map(|(a, b)| (AtomPlace::Event(a), AtomPlace::Event(b))),
                )
            } else {
                TupleSet::new(2)
            };
            bounds.between(relation, TupleSet::new(2), upper);
        }
    }

    /// What reads in slots read, and the relations that are copied so that each is encoded once.
    fn copy_bounds(&self, atoms: &Atoms, bounds: &mut Bounds) {
        let n = atoms.events();
        let event = AtomPlace::Event;
        let mut at_most =
            |relation: Relation, upper: TupleSet| bounds.between(relation, TupleSet::new(2), upper);
        let in_slots: Vec<(AtomPlace, usize)> = (0..n)
            .flat_map(|e| atoms.target_places(e).map(move |p| (p, e)))
            .filter(|&(p, _)| {
                SlotRole::of(p).is_some_and(|role| {
                    role != SlotRole::Access && self.content.unused_reads.contains(&role)
                })
            })
            .collect();
        if let Some(relation) = self.unused_rf {
            let of = |&(p, e): &(AtomPlace, usize)| {
                let inits = (0..n).filter(|&i| self.may_name(i, e)).map(AtomPlace::Init);
                let back =
                    (0..n).filter(|_| self.back.is_some()).map(back::place).filter(|&w| w != p);
                (0..n).map(event).chain(inits).chain(back).map(|w| (w, p)).collect::<Vec<_>>()
            };
            at_most(relation, atoms.pairs(in_slots.iter().flat_map(of)));
        }
        let back = (0..n).filter(|_| self.back.is_some()).map(back::place);
        let slots = in_slots
            .iter()
            .map(|&(p, _)| p)
            .filter(|p| self.back.is_none() || SlotRole::of(*p) != Some(back::SLOT))
            .chain(back);
        let memory: Vec<AtomPlace> =
            (0..n).map(event).chain((0..n).map(AtomPlace::Init)).chain(slots).collect();
        let all_threads: Vec<AtomPlace> =
            (0..atoms.shape.threads()).map(AtomPlace::Thread).collect();
        for &(copied, relation) in &self.copies {
            let places = if matches!(copied, Copied::Together(_)) { &all_threads } else { &memory };
            at_most(
                relation,
                atoms.pairs(places.iter().flat_map(|&p| places.iter().map(move |&q| (p, q)))),
            );
        }
    }

    /// May an event name the location of another one? Locations are named in the order of their
    /// first use.
    fn may_name(&self, of: usize, by: usize) -> bool {
        !self.techniques.first_use || of <= by
    }
}
