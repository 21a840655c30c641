//! What would forbid an outcome: the cheapest ways to make a program stronger, by fences in every
//! place, by stronger orders and by wider scopes.
//!
//! Everything that can be stronger is a [`Site`]; a repair chooses a [`Strength`] for each.
//! `space.rs` says which sites a program has, and which [strengths](SearchSpace::options) each may
//! get. The repairs are found by implicit hitting sets (`search.rs`): every choice under which the
//! outcome is still allowed says that some site must be stronger than it is there; a cheapest
//! choice that heeds all that was learnt is asked about next. The first one that forbids the
//! outcome is a cheapest one. This takes it that what is stronger allows no more, as in the models
//! of docs/semantics.md; that a repair does forbid the outcome does not rest on it, but is asked of
//! the engine each time.
//!
//! Where a model says which programs are undefined, for a race, the aim is a program that neither
//! has the outcome nor is undefined.

mod c;
mod cost;
mod flow;
mod instructions;
mod rewriting;
mod search;
mod site;
mod space;
mod terms;
mod text;
mod tried;

pub use cost::{Costs, CostsError, OPERATIONS};
pub use instructions::joined;
pub use search::{Limits, RepairsFound, Stopped, TestRepair, cheapest};
pub use site::{Means, Site, SiteKind, Strength};
pub use space::{SearchSpace, StrengtheningPlaces};
pub use terms::Terms;
pub use tried::TriedChanges;

use rewriting::{Fixed, RawSite, SiteSlots, TestRewriting, marked};

use crate::test::ThreadId;

/// Goes through the raw sites of a test in order.
fn rewrite(test: &crate::test::Test, rewriting: &mut TestRewriting<'_>) -> crate::test::Test {
    let mut test = test.clone();
    for t in 0..test.threads.len() {
        let thread = ThreadId(t as u16);
        match &mut test.threads[t].body {
            crate::test::Body::Instructions(body) => {
                *body = instructions::rewrite(body, thread, test.dialect, rewriting)
            }
            crate::test::Body::Statements(body) => *body = c::rewrite(body, thread, rewriting),
        }
    }
    test
}
