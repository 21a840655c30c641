//! What a rewriting does at each place of a test.

use margay_models::execution::Scope;

use super::site::{SiteKind, Strength};
use crate::test::{Place, ProxyFenceKind, ThreadId};

/// What a rewriting does at each place of a test's text, in order: `choose` says how strong a site
/// becomes, `None` leaves it as it is.
pub(super) struct TestRewriting<'a> {
    pub(super) slots: &'a SiteSlots,
    pub(super) choose: &'a mut dyn FnMut(RawSite) -> Option<Strength>,
    /// Are fences given places by which the code of the threads can be told which they are
    /// ([`mark`])?
    pub(super) marks: bool,
    /// How many raw sites were met.
    pub(super) count: usize,
    /// The pointers to what has become atomic.
    pub(super) retyped: Vec<String>,
    /// The pointers that an operation has a wider scope through, and that scope.
    pub(super) widened: Vec<(String, Scope)>,
    /// Every operation through this pointer gets that scope at least.
    pub(super) widens: Option<(&'a str, Scope)>,
}

/// The slots at each place.
#[derive(Debug, Clone)]
pub(super) struct SiteSlots {
    /// Proxy fences: each once before and once behind the fences.
    pub(super) proxies: Vec<ProxyFenceKind>,
    /// How many fences.
    pub(super) fences: usize,
    /// Are scopes written?
    pub(super) scoped: bool,
}

/// A site as a rewriting meets it; each has a number, in the order of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawSite {
    pub(super) number: usize,
    pub(super) thread: ThreadId,
    pub(super) kind: SiteKind,
    pub(super) now: Option<Strength>,
    /// The place that a slot is at: the number of the first slot there. For all else the number of
    /// the site.
    pub(super) gap: usize,
    pub(super) fixed: Fixed,
}

/// What of a site stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fixed {
    Nothing,
    /// The order: of CUDA's built-in functions, which are relaxed.
    Order,
    /// The plain accesses to the expected value of a compare-exchange.
    ExpectedValue,
}

impl<'a> TestRewriting<'a> {
    pub(super) fn new(
        slots: &'a SiteSlots,
        choose: &'a mut dyn FnMut(RawSite) -> Option<Strength>,
    ) -> Self {
        Self {
            slots,
            choose,
            marks: false,
            count: 0,
            retyped: Vec::new(),
            widened: Vec::new(),
            widens: None,
        }
    }

    pub(super) fn site(
        &mut self,
        thread: ThreadId,
        kind: SiteKind,
        now: Option<Strength>,
        fixed: Fixed,
    ) -> Option<Strength> {
        let number = self.count;
        self.count += 1;
        (self.choose)(RawSite { number, thread, kind, now, gap: number, fixed })
    }

    /// The slots of a place, in the order of their text: what was chosen of them, and where what is
    /// put there is said to stand.
    pub(super) fn gap(
        &mut self,
        thread: ThreadId,
        fences_only: bool,
    ) -> Vec<(SiteKind, Strength, Place)> {
        let gap = self.count;
        let proxies = || {
            self.slots
                .proxies
                .iter()
                .filter(|_| !fences_only)
                .map(|&kind| SiteKind::ProxySlot(kind))
        };
        let fences = (0..self.slots.fences).map(SiteKind::Slot);
        let kinds: Vec<SiteKind> = proxies().chain(fences).chain(proxies()).collect();
        let mut chosen = Vec::new();
        for kind in kinds {
            let number = self.count;
            self.count += 1;
            if let Some(strength) = (self.choose)(RawSite {
                number,
                thread,
                kind,
                now: None,
                gap,
                fixed: Fixed::Nothing,
            }) {
                chosen.push((kind, strength, self.place(number)));
            }
        }
        chosen
    }

    /// Where the fence of a site is said to stand; nowhere in the text unless it is marked.
    pub(super) fn place(&self, number: usize) -> Place {
        if self.marks { mark(number) } else { Place::default() }
    }
}

/// A place that no text has, for the fence of a raw site.
pub(super) fn mark(number: usize) -> Place {
    Place(margay_models::diagnostic::Span::new(usize::MAX - number, usize::MAX - number))
}

/// The raw site of a fence with that place.
pub(super) fn marked(place: Place) -> Option<usize> {
    let number = usize::MAX - place.0.start;
    (place.0.start == place.0.end && number < usize::MAX / 2).then_some(number)
}
