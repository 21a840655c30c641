//! What would forbid an outcome: the cheapest ways to make a program stronger, by fences in every place, by stronger orders and by wider
//! scopes.
//!
//! Everything that can be stronger is a [`Site`]; a repair chooses a [`Strength`] for each. `space.rs` says which sites a program has, and
//! which [strengths](SearchSpace::options) each may get. The repairs are found by implicit hitting sets (`search.rs`): every choice under
//! which the outcome is still allowed says that some site must be stronger than it is there; a cheapest choice that heeds all that was
//! learnt is asked about next. The first one that forbids the outcome is a cheapest one. This takes it that what is stronger allows no
//! more, as in the models of docs/semantics.md; that a repair does forbid the outcome does not rest on it, but is asked of the engine each
//! time.
//!
//! Where a model says which programs are undefined, for a race, the aim is a program that neither has the outcome nor is undefined.

mod c;
mod cost;
mod flow;
mod instructions;
mod search;
mod space;
mod text;
mod tried;

pub use cost::{Costs, CostsError, OPERATIONS};
pub use instructions::joined;
pub use search::{Limits, RepairsFound, Stopped, TestRepair, cheapest};
pub use space::{SearchSpace, StrengtheningPlaces};
pub use tried::TriedChanges;

use margay_models::execution::{Order, Scope};

use crate::print::CLanguage;
use crate::test::{Place, ProxyFenceKind, ThreadId};

/// An order and a scope. Weak accesses have no scope; here it is the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Strength {
    pub order: Order,
    pub scope: Scope,
}

impl Strength {
    /// Does the other one ask for everything that this one asks for?
    pub fn at_most(self, other: Self) -> bool {
        self.order.is_at_most(other.order) && self.scope <= other.scope
    }

    /// What asks for everything that either of the two asks for; an acquire and a release are both.
    fn join(self, other: Self) -> Self {
        let order = match () {
            () if self.order.is_at_most(other.order) => other.order,
            () if other.order.is_at_most(self.order) => self.order,
            () => Order::AcqRel,
        };
        Self { order, scope: self.scope.max(other.scope) }
    }
}

/// What can be stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    Load,
    Store,
    /// A read-modify-write.
    Rmw,
    /// A reduction, which returns nothing and does not acquire.
    Reduction,
    Fence,
    /// A place where a fence can be. An architecture with fences of which none is stronger than all others has several at one place.
    Slot(usize),
    /// A place where a proxy fence can be.
    ProxySlot(ProxyFenceKind),
    /// An arrival at the barrier of a cluster.
    Arrival,
}

impl SiteKind {
    /// Is it a place where nothing is yet?
    pub fn is_slot(self) -> bool {
        matches!(self, Self::Slot(_) | Self::ProxySlot(_))
    }
}

/// A place in a program that can be stronger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub thread: ThreadId,
    pub kind: SiteKind,
    /// How strong it is; `None` for a slot.
    pub now: Option<Strength>,
    /// Can the thread come back to it? Only of slots: what is there is executed as often as it is.
    pub repeats: bool,
}

/// Which strengthenings are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// More fences.
    pub fences: bool,
    /// Stronger orders of accesses, fences and arrivals that are there.
    pub orders: bool,
    /// Wider scopes of accesses and fences that are there.
    pub scopes: bool,
}

impl Means {
    pub const ALL: Means = Means { fences: true, orders: true, scopes: true };
}

/// What may be changed, and at what price.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Which strengthenings are tried.
    pub means: Means,
    pub costs: &'a Costs,
    /// Which C the program is written in; C++ has no scopes, also where the model has.
    pub language: CLanguage,
}

impl<'a> Terms<'a> {
    /// Everything, at these costs, in C with scopes.
    pub fn all(costs: &'a Costs) -> Self {
        Self { means: Means::ALL, costs, language: CLanguage::C }
    }
}

/// What a rewriting does at each place of a test's text, in order: `choose` says how strong a site becomes, `None` leaves it as it is.
struct TestRewriting<'a> {
    slots: &'a SiteSlots,
    choose: &'a mut dyn FnMut(RawSite) -> Option<Strength>,
    /// Are fences given places by which the code of the threads can be told which they are ([`mark`])?
    marks: bool,
    /// How many raw sites were met.
    count: usize,
    /// The pointers to what has become atomic.
    retyped: Vec<String>,
    /// The pointers that an operation has a wider scope through, and that scope.
    widened: Vec<(String, Scope)>,
    /// Every operation through this pointer gets that scope at least.
    widens: Option<(&'a str, Scope)>,
}

/// The slots at each place.
#[derive(Debug, Clone)]
struct SiteSlots {
    /// Proxy fences: each once before and once behind the fences.
    proxies: Vec<ProxyFenceKind>,
    /// How many fences.
    fences: usize,
    /// Are scopes written?
    scoped: bool,
}

/// A site as a rewriting meets it; each has a number, in the order of the text.
#[derive(Debug, Clone, Copy)]
struct RawSite {
    number: usize,
    thread: ThreadId,
    kind: SiteKind,
    now: Option<Strength>,
    /// The place that a slot is at: the number of the first slot there. For all else the number of the site.
    gap: usize,
    fixed: Fixed,
}

/// What of a site stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fixed {
    Nothing,
    /// The order: of CUDA's built-in functions, which are relaxed.
    Order,
    /// The plain accesses to the expected value of a compare-exchange.
    ExpectedValue,
}

impl<'a> TestRewriting<'a> {
    fn new(slots: &'a SiteSlots, choose: &'a mut dyn FnMut(RawSite) -> Option<Strength>) -> Self {
        Self { slots, choose, marks: false, count: 0, retyped: Vec::new(), widened: Vec::new(), widens: None }
    }

    fn site(&mut self, thread: ThreadId, kind: SiteKind, now: Option<Strength>, fixed: Fixed) -> Option<Strength> {
        let number = self.count;
        self.count += 1;
        (self.choose)(RawSite { number, thread, kind, now, gap: number, fixed })
    }

    /// The slots of a place, in the order of their text: what was chosen of them, and where what is put there is said to stand.
    fn gap(&mut self, thread: ThreadId, fences_only: bool) -> Vec<(SiteKind, Strength, Place)> {
        let gap = self.count;
        let proxies = || self.slots.proxies.iter().filter(|_| !fences_only).map(|&kind| SiteKind::ProxySlot(kind));
        let fences = (0..self.slots.fences).map(SiteKind::Slot);
        let kinds: Vec<SiteKind> = proxies().chain(fences).chain(proxies()).collect();
        let mut chosen = Vec::new();
        for kind in kinds {
            let number = self.count;
            self.count += 1;
            if let Some(strength) = (self.choose)(RawSite { number, thread, kind, now: None, gap, fixed: Fixed::Nothing }) {
                chosen.push((kind, strength, self.place(number)));
            }
        }
        chosen
    }

    /// Where the fence of a site is said to stand; nowhere in the text unless it is marked.
    fn place(&self, number: usize) -> Place {
        if self.marks { mark(number) } else { Place::default() }
    }
}

/// A place that no text has, for the fence of a raw site.
fn mark(number: usize) -> Place {
    Place(margay_models::diagnostic::Span::new(usize::MAX - number, usize::MAX - number))
}

/// The raw site of a fence with that place.
fn marked(place: Place) -> Option<usize> {
    let number = usize::MAX - place.0.start;
    (place.0.start == place.0.end && number < usize::MAX / 2).then_some(number)
}

/// Goes through the raw sites of a test in order.
fn rewrite(test: &crate::test::Test, rewriting: &mut TestRewriting<'_>) -> crate::test::Test {
    let mut test = test.clone();
    for t in 0..test.threads.len() {
        let thread = ThreadId(t as u16);
        match &mut test.threads[t].body {
            crate::test::Body::Instructions(body) => *body = instructions::rewrite(body, thread, test.dialect, rewriting),
            crate::test::Body::Statements(body) => *body = c::rewrite(body, thread, rewriting),
        }
    }
    test
}
