//! Which arena made a handle. Debug builds mark every handle with its arena and panic where another
//! arena is asked about it; release builds keep and check nothing. A clone knows the handles that
//! were made before it was cloned, and none that the two make afterwards.

use std::hash::{Hash, Hasher};
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU32, Ordering};

/// The arena of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArenaMark(#[cfg(debug_assertions)] u32);

/// Nothing: marks are numbered as arenas are made, in whatever order threads make them, and the
/// order of hash tables must not tell.
impl Hash for ArenaMark {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// An arena's own mark, and those of the arenas that it was cloned from with the number of handles
/// that each had made by then.
#[derive(Debug)]
pub(super) struct Lineage {
    own: ArenaMark,
    #[cfg(debug_assertions)]
    before: Vec<(ArenaMark, [usize; 2])>,
}

impl Default for Lineage {
    fn default() -> Self {
        Self {
            own: ArenaMark::fresh(),
            #[cfg(debug_assertions)]
            before: Vec::new(),
        }
    }
}

impl ArenaMark {
    fn fresh() -> Self {
        #[cfg(debug_assertions)]
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(
            #[cfg(debug_assertions)]
            NEXT.fetch_add(1, Ordering::Relaxed),
        )
    }
}

impl Lineage {
    /// The mark of what is made from now on.
    pub(super) fn own(&self) -> ArenaMark {
        self.own
    }

    /// The lineage of a clone of an arena that has made `made` expressions and formulas.
    #[cfg_attr(
        not(debug_assertions),
        expect(unused_variables, reason = "release builds keep nothing")
    )]
    pub(super) fn fork(&self, made: [usize; 2]) -> Self {
        Self {
            own: ArenaMark::fresh(),
            #[cfg(debug_assertions)]
            before: self.before.iter().copied().chain([(self.own, made)]).collect(),
        }
    }

    /// Panics in debug builds if a handle, number `index` of expressions (`kind` 0) or formulas
    /// (1), is another arena's.
    #[cfg_attr(
        not(debug_assertions),
        expect(unused_variables, reason = "release builds check nothing")
    )]
    #[inline]
    pub(super) fn check(&self, mark: ArenaMark, kind: usize, index: usize) {
        #[cfg(debug_assertions)]
        if mark != self.own {
            let known =
                self.before.iter().any(|(arena, made)| *arena == mark && index < made[kind]);
            assert!(
                known,
                "{} of another arena: each belongs to the `Logic` that made it",
                ["an expression", "a formula"][kind]
            );
        }
    }
}
