//! What a cycle leaves open: the orders and scopes of its accesses and fences, and where its
//! threads run.

use std::ops::ControlFlow;

use margay_models::execution::{Order, Placement, Scope};
use margay_models::signature::Signature;

use super::Cycle;
use super::edge::{Direction, Edge, LinkKind};
use super::memory_path::MemoryPath;
use super::places::{Places, together, together_in_2015};
use crate::test::{CacheOperator, Space, divisions};

/// The language of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// PTX in a table.
    Ptx,
    /// PTX in the form of 2015: with warps, state spaces, cache operators and `membar`, without
    /// orders and scopes of accesses.
    Ptx2015,
    /// Scoped C.
    C,
    /// Without orders and scopes.
    Generic,
}

impl Language {
    /// Its executions.
    pub fn signature(self) -> Signature {
        match self {
            Self::Ptx | Self::Ptx2015 => Signature::PTX,
            Self::C => Signature::C,
            Self::Generic => Signature::PLAIN,
        }
    }

    /// May an access have this order?
    pub fn has(self, direction: Direction, order: Order) -> bool {
        match (self, order) {
            (_, Order::Plain) => true,
            (Self::Generic | Self::Ptx2015, _) | (_, Order::AcqRel | Order::Tagged(_)) => false,
            (_, Order::Rlx) => true,
            (Self::Ptx, Order::Sc) => false,
            (Self::C, Order::Sc) => true,
            (_, Order::Acq) => direction == Direction::R,
            (_, Order::Rel) => direction == Direction::W,
        }
    }
}

/// What is varied.
#[derive(Debug, Clone)]
pub struct Variations {
    pub language: Language,
    /// Orders of accesses; each access has any of those that it may have.
    pub orders: Vec<Order>,
    /// Scopes of accesses that are not weak, and of fences that have none of their own.
    pub scopes: Vec<Scope>,
    /// May the scopes differ within a test?
    pub mixed_scopes: bool,
    /// Where the threads run.
    pub places: Vec<Places>,
    /// In the form of 2015: cache operators of accesses; each access has any of those that it may
    /// have.
    pub caches: Vec<CacheOperator>,
    /// In the form of 2015: where locations are; each is in any of them. One of shared memory has
    /// all its threads in one cta.
    pub spaces: Vec<Space>,
}

/// A cycle with everything chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    pub cycle: Cycle,
    /// For each access its order and scope.
    pub accesses: Vec<(Order, Option<Scope>)>,
    /// For each edge the scope of its fence.
    pub fences: Vec<Option<Scope>>,
    /// For each thread where it runs.
    pub threads: Vec<Placement>,
    /// In the form of 2015, for each access its way to memory; else empty.
    pub memory: Vec<MemoryPath>,
}

impl Annotated {
    /// The same, written from another thread on. Only for cycles about several locations: the
    /// outcome of the others depends on where they are cut.
    pub(super) fn starting_at(&self, thread: usize) -> Option<Self> {
        let edges = self.cycle.edges();
        if thread == 0 || edges.iter().all(|e| e.same_location()) {
            return None;
        }
        let mut ends = edges.iter().enumerate().filter(|(_, e)| e.external()).map(|(i, _)| i + 1);
        let start = ends.nth(thread - 1)?;
        let mut rotated = self.clone();
        rotated.cycle.edges.rotate_left(start);
        rotated.accesses.rotate_left(start);
        rotated.fences.rotate_left(start);
        rotated.threads.rotate_left(thread);
        rotated.memory.rotate_left(start.min(self.memory.len()));
        Some(rotated)
    }
}

impl Variations {
    /// For each access of a cycle the orders that it may have. A read-modify-write is never weak:
    /// it is relaxed where all other accesses are weak.
    fn orders(&self, cycle: &Cycle) -> Vec<Vec<Order>> {
        let n = cycle.edges().len();
        let half = |i: usize| cycle.edges()[i].is_rmw() || cycle.edges()[(i + n - 1) % n].is_rmw();
        let legal = |(i, d): (usize, Direction)| {
            let strong =
                |o: &Order| !half(i) || *o != Order::Plain || self.language == Language::Generic;
            let found: Vec<Order> = self
                .orders
                .iter()
                .copied()
                .filter(|&o| self.language.has(d, o))
                .filter(strong)
                .collect();
            if found.is_empty() && half(i) { vec![Order::Rlx] } else { found }
        };
        cycle.accesses().enumerate().map(legal).collect()
    }

    /// Do the halves of each read-modify-write fit together: one scope, and seq_cst as a whole or
    /// not at all?
    fn whole(cycle: &Cycle, orders: &[Order], scopes: &[Option<Scope>]) -> bool {
        let n = orders.len();
        (0..n).filter(|&i| cycle.edges()[i].is_rmw()).all(|i| {
            let write = (i + 1) % n;
            scopes[i] == scopes[write] && (orders[i] == Order::Sc) == (orders[write] == Order::Sc)
        })
    }

    /// Whose scope is open, under orders: the accesses, then the edges.
    fn open(&self, cycle: &Cycle, orders: &[Order]) -> Vec<bool> {
        let scoped = self.language != Language::Generic;
        let fence = |e: &Edge| matches!(e, Edge::Link { kind: LinkKind::Fence(_, None), .. });
        orders
            .iter()
            .map(|&o| scoped && o != Order::Plain)
            .chain(cycle.edges().iter().map(|e| scoped && fence(e)))
            .collect()
    }

    fn annotated(
        &self,
        cycle: &Cycle,
        (orders, scopes): (&[Order], &[Option<Scope>]),
        threads: Vec<Placement>,
        memory: Vec<MemoryPath>,
    ) -> Annotated {
        let (of_accesses, of_edges) = scopes.split_at(orders.len());
        let fence = |(edge, scope): (&Edge, &Option<Scope>)| match edge {
            Edge::Link { kind: LinkKind::Fence(_, own), .. }
                if self.language != Language::Generic =>
            {
                own.or(*scope)
            }
            _ => None,
        };
        Annotated {
            cycle: cycle.clone(),
            accesses: orders.iter().copied().zip(of_accesses.iter().copied()).collect(),
            fences: cycle.edges().iter().zip(of_edges).map(fence).collect(),
            threads,
            memory,
        }
    }

    /// Calls `found` with every variation of a cycle; stops when it breaks.
    pub fn each(
        &self,
        cycle: &Cycle,
        found: &mut impl FnMut(Annotated) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let places = self.all_places(cycle.threads());
        product(&self.orders(cycle), &mut |orders: &[Order]| {
            let open = self.open(cycle, orders);
            let mut with_scopes = |scopes: &[Option<Scope>]| {
                if !Self::whole(cycle, orders, scopes) {
                    return ControlFlow::Continue(());
                }
                for threads in &places {
                    self.each_memory(cycle, threads, &mut |memory| {
                        found(self.annotated(cycle, (orders, scopes), threads.clone(), memory))
                    })?;
                }
                ControlFlow::Continue(())
            };
            let choices = |open: bool| {
                if open { self.scopes.iter().copied().map(Some).collect() } else { vec![None] }
            };
            if self.mixed_scopes {
                return product(
                    &open.iter().map(|&o| choices(o)).collect::<Vec<_>>(),
                    &mut with_scopes,
                );
            }
            for scope in choices(open.contains(&true)) {
                with_scopes(&open.iter().map(|&o| scope.filter(|_| o)).collect::<Vec<_>>())?;
            }
            ControlFlow::Continue(())
        })
    }

    /// One variation of a cycle, drawn at random; `None` if it has none.
    pub fn random(&self, cycle: &Cycle, rng: &mut fastrand::Rng) -> Option<Annotated> {
        let orders: Option<Vec<Order>> =
            self.orders(cycle).iter().map(|o| rng.choice(o).copied()).collect();
        let orders = orders?;
        let open = self.open(cycle, &orders);
        let one = rng.choice(&self.scopes).copied();
        let scope = |open: &bool, rng: &mut fastrand::Rng| {
            let scope = if self.mixed_scopes { rng.choice(&self.scopes).copied() } else { one };
            scope.filter(|_| *open)
        };
        let scopes: Vec<Option<Scope>> = open.iter().map(|o| scope(o, rng)).collect();
        if !Self::whole(cycle, &orders, &scopes) {
            return None;
        }
        let threads = rng.choice(self.all_places(cycle.threads()))?;
        let memory = self.random_memory(cycle, &threads, rng)?;
        Some(self.annotated(cycle, (&orders, &scopes), threads, memory))
    }

    fn all_places(&self, threads: usize) -> Vec<Vec<Placement>> {
        if self.language == Language::Generic {
            return vec![together(Scope::Gpu, threads)];
        }
        let mut all: Vec<Vec<Placement>> = Vec::new();
        for places in &self.places {
            let found = match (places, self.language) {
                (Places::Together(scope), Language::Ptx2015) => {
                    vec![together_in_2015(*scope, threads)]
                }
                (Places::All, Language::Ptx2015) => {
                    divisions(threads, &[Scope::Warp, Scope::Cta], usize::MAX).unwrap_or_default()
                }
                (Places::Together(scope), _) => vec![together(*scope, threads)],
                (Places::All, _) => {
                    divisions(threads, &[Scope::Cta, Scope::Gpu], usize::MAX).unwrap_or_default()
                }
            };
            for place in found {
                if !all.contains(&place) {
                    all.push(place);
                }
            }
        }
        all
    }
}

/// Calls `found` with every choice of one of each list.
pub(super) fn product<T: Copy>(
    lists: &[Vec<T>],
    found: &mut impl FnMut(&[T]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn go<T: Copy>(
        lists: &[Vec<T>],
        chosen: &mut Vec<T>,
        found: &mut impl FnMut(&[T]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(list) = lists.get(chosen.len()) else { return found(chosen) };
        for &item in list {
            chosen.push(item);
            go(lists, chosen, found)?;
            chosen.pop();
        }
        ControlFlow::Continue(())
    }
    go(lists, &mut Vec::new(), found)
}
