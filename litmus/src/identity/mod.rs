//! When are two tests the same? If a renaming of threads, locations, values and registers makes one
//! of the other. [`IdentityForm`] is a text that is the same for all tests of such a class, and for
//! no other: what [`IdentityForm::of`] compares is not the program text but what it does, so that
//! two spellings of an instruction, or the C and the PTX of one test, can be compared too.
//!
//! The threads are unfolded ([`crate::unfold`]): registers are gone, every path is a list of events
//! with symbolic values. Locations and values are numbered in the order in which they first appear,
//! and the threads are put in the order that makes the smallest text (`order.rs`). Values of a
//! location may be renamed only where nothing is computed with them (`values.rs`).
//!
//! Not part of a test's identity: its name, its description, declarations that nothing uses, what
//! `locations [..]` shows, and whether it asks `exists` or `~exists`.

pub mod classic;
mod condition;
mod name;
mod order;
mod shape;
mod thread;
mod values;

pub use name::Name;
pub use shape::Shape;

use std::fmt;

use crate::test::{Test, ThreadId};
use crate::unfold::{UnfoldError, Unfolding, UnfoldingBounds};

/// What of a test counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Everything.
    Full,
    /// Reads, writes, and the outcome: no fences, orders, scopes, dependencies, places.
    Shape,
}

/// The canonical form of a test: equal for two tests if they are isomorphic.
///
/// Three limits, all on the side of telling apart what is the same. Paths of a thread that branches
/// are compared in the order of their events, then of the text. A condition that is no conjunction
/// is compared as written, but for the order of its parts. And if more than 4096 orders of the
/// threads are equally good at some point, only so many are followed: this takes seven or more
/// threads that share no location.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdentityForm {
    /// The language.
    signature: String,
    text: String,
}

impl IdentityForm {
    /// Computes it. Loops are unrolled as by default: tests are told apart by what they do within
    /// that.
    ///
    /// # Errors
    /// If the test cannot be unfolded: too many paths, a jump to nowhere.
    pub fn of(test: &Test) -> Result<Self, UnfoldError> {
        Ok(Canonical::of(test)?.form)
    }

    /// The text: for each thread its places, its paths and what is asked of them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Do the tests say the same thing, each in its language? (Scoped C's `memory_order_release` at
    /// device scope and PTX's `.release.gpu`, for instance.) They are the same test if
    /// [`IdentityForm`]s are equal.
    pub fn counterpart(&self, other: &Self) -> bool {
        self.text == other.text
    }

    /// A number for the form, the same on every machine (FNV-1a, 64 bits): a name for the class,
    /// not a proof of equality.
    pub fn digest(&self) -> u64 {
        let bytes = self.signature.bytes().chain(self.text.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

impl fmt::Display for IdentityForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.signature, self.text)
    }
}

/// A canonical form, and how the test came to it.
#[derive(Debug, Clone)]
pub struct Canonical {
    pub form: IdentityForm,
    /// The threads of the test in canonical order.
    pub threads: Vec<ThreadId>,
}

impl Canonical {
    /// Computes it; errors as for [`IdentityForm::of`].
    pub fn of(test: &Test) -> Result<Self, UnfoldError> {
        Self::with(test, Detail::Full)
    }

    fn with(test: &Test, detail: Detail) -> Result<Self, UnfoldError> {
        let signature = test.dialect.signature();
        let unfolding = Unfolding::new(test, signature, UnfoldingBounds::default())?;
        let question = condition::ConditionQuestion::of(test, &unfolding);
        let subject = thread::ThreadSubject::new(&unfolding, question, detail);
        let (text, threads) = order::smallest(&subject);
        let signature = if detail == Detail::Full { signature.to_string() } else { String::new() };
        Ok(Self {
            form: IdentityForm { signature, text },
            threads: threads.into_iter().map(|t| ThreadId(t as u16)).collect(),
        })
    }
}
