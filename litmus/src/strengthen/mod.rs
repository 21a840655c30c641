//! What would forbid an outcome: the cheapest ways to make a program stronger, by fences between its accesses, by stronger orders
//! and by wider scopes.
//!
//! Everything that can be stronger is a [`Site`]; a repair chooses a [`Strength`] for each. The repairs are found by implicit
//! hitting sets (`search.rs`): every choice under which the outcome is still allowed says that some site must be stronger
//! than it is there; a cheapest choice that heeds all that was learnt is asked about next. The first one that forbids the
//! outcome is a cheapest one. This takes it that what is stronger allows no more, as in the models of docs/semantics.md; that
//! a repair does forbid the outcome does not rest on it, but is asked of the engine each time.

mod c;
mod cost;
mod instructions;
mod search;
mod text;

pub use cost::{Costs, CostsError, OPERATIONS};
pub use search::{Found, Limits, Repair, Stopped, cheapest};

use margay_models::execution::{Order, Placement, Scope};

use crate::test::{Dialect, Test, ThreadId};

/// An order and a scope. Weak accesses have no scope; here it is the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Strength {
    /// The order.
    pub order: Order,
    /// The scope.
    pub scope: Scope,
}

impl Strength {
    /// Does the other one ask for everything that this one asks for?
    pub fn at_most(self, other: Self) -> bool {
        self.order.is_at_most(other.order) && self.scope <= other.scope
    }
}

/// What can be stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SiteKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Rmw,
    /// A reduction, which returns nothing and does not acquire.
    Reduction,
    /// A fence that is there.
    Fence,
    /// A place between two accesses where a fence can be.
    Slot,
}

/// A place in a program that can be stronger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The thread.
    pub thread: ThreadId,
    /// What is there.
    pub kind: SiteKind,
    /// How strong it is; `None` for a slot.
    pub now: Option<Strength>,
}

/// Which strengthenings are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// More fences.
    pub fences: bool,
    /// Stronger orders of accesses and fences that are there.
    pub orders: bool,
    /// Wider scopes of accesses and fences that are there.
    pub scopes: bool,
}

impl Means {
    /// All of them.
    pub const ALL: Means = Means { fences: true, orders: true, scopes: true };
}

/// The sites of a test, in order of the text.
pub fn sites(test: &Test) -> Vec<Site> {
    let mut found = Vec::new();
    rewrite(test, &mut |site: &Site| {
        found.push(site.clone());
        None
    });
    found
}

/// The test with the strengths chosen, one for each of [`sites`]; `None` leaves a site as it is.
pub fn strengthened(test: &Test, choice: &[Option<Strength>]) -> Test {
    let mut choice = choice.iter();
    rewrite(test, &mut |_: &Site| choice.next().copied().flatten())
}

/// Goes through the sites of a test in order; each gets the strength that `choose` says.
fn rewrite(test: &Test, choose: &mut dyn FnMut(&Site) -> Option<Strength>) -> Test {
    let mut test = test.clone();
    for t in 0..test.threads.len() {
        let thread = ThreadId(t as u8);
        match &mut test.threads[t].body {
            crate::test::Body::Instructions(body) => *body = instructions::rewrite(body, thread, test.dialect, choose),
            crate::test::Body::Statements(body) => *body = c::rewrite(body, thread, choose),
        }
    }
    test
}

/// What of PTX's newer instructions a model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knows {
    /// The cluster scope, where the test uses it.
    pub clusters: bool,
    /// `fence.acquire` and `fence.release`, which came late (PTX ISA 8.6).
    pub one_sided_fences: bool,
}

/// The strengths that a site may get, weakest first; none that it has already.
pub fn options(test: &Test, site: &Site, means: Means, knows: Knows) -> Vec<Strength> {
    use Order::{Acq, AcqRel, Plain, Rel, Rlx, Sc};
    let c = test.dialect == Dialect::C;
    let may = match site.kind {
        SiteKind::Slot | SiteKind::Fence => means.fences && site.kind == SiteKind::Slot || site.kind == SiteKind::Fence,
        _ => true,
    };
    if !may {
        return Vec::new();
    }
    if let Dialect::Text(architecture) = test.dialect {
        return text::options(test, architecture, site, means);
    }
    if test.dialect == Dialect::Generic {
        // There is one kind of fence, and nothing else to be said.
        let fence = Strength { order: Sc, scope: Scope::Sys };
        return if site.kind == SiteKind::Slot { vec![fence] } else { Vec::new() };
    }
    let orders: &[Order] = match site.kind {
        SiteKind::Slot | SiteKind::Fence if test.dialect == Dialect::GpuPtx => &[Sc],
        SiteKind::Slot | SiteKind::Fence if c => &[Acq, Rel, AcqRel, Sc],
        SiteKind::Slot if !knows.one_sided_fences => &[AcqRel, Sc],
        SiteKind::Slot => &[Acq, Rel, AcqRel, Sc],
        SiteKind::Fence => &[Acq, Rel, AcqRel, Sc],
        // The form of 2015 has no orders.
        _ if test.dialect == Dialect::GpuPtx => &[],
        SiteKind::Load if c => &[Rlx, Acq, Sc],
        SiteKind::Load => &[Rlx, Acq],
        SiteKind::Store if c => &[Rlx, Rel, Sc],
        SiteKind::Store => &[Rlx, Rel],
        SiteKind::Rmw if c => &[Rlx, Acq, Rel, AcqRel, Sc],
        SiteKind::Rmw => &[Rlx, Acq, Rel, AcqRel],
        SiteKind::Reduction => &[Rlx, Rel],
    };
    let widest = widest_needed(test);
    let scopes = Scope::ALL.into_iter().filter(|&s| s <= widest && (knows.clusters || s != Scope::Cluster));
    let scopes: Vec<Scope> = scopes.chain(site.now.map(|n| n.scope).filter(|&s| s > widest)).collect();
    let mut found: Vec<Strength> =
        orders.iter().flat_map(|&order| scopes.iter().map(move |&scope| Strength { order, scope })).collect();
    if let Some(now) = site.now {
        found.retain(|s| {
            let order_kept = s.order == now.order;
            let scope_kept = s.scope == now.scope || now.order == Plain;
            now.at_most(*s) && now != *s && (means.orders || order_kept) && (means.scopes || scope_kept)
        });
    }
    found
}

/// The narrowest scope that all threads are in: wider ones say no more.
fn widest_needed(test: &Test) -> Scope {
    let places: Vec<Placement> = (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u8))).collect();
    let all = |s: &Scope| places.iter().all(|p| places.iter().all(|q| p.shares(*s, *q)));
    Scope::ALL.into_iter().find(all).unwrap_or(Scope::Sys)
}
