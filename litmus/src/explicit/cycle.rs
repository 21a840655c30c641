//! Values on cycles of data and reads-from: which ones count (unfold/domain.rs). Computed when
//! first asked for, which is for few tests.

use std::cell::OnceCell;

use margay_models::bits::Event;

use crate::outcome::condition_numbers;
use crate::unfold::{self, Domains, Merged, Skeleton, Unfolding};

/// The values that the reads of a test may return.
pub(super) struct CycleValues<'a> {
    unfolding: &'a Unfolding,
    computed: OnceCell<Result<(Merged, Domains), unfold::UnfoldError>>,
}

impl<'a> CycleValues<'a> {
    /// Nothing is computed yet.
    pub fn new(unfolding: &'a Unfolding) -> Self {
        Self { unfolding, computed: OnceCell::new() }
    }

    /// What a read of a skeleton may return, ascending; an error if the values of the test are too
    /// many to be computed.
    pub fn of(
        &self,
        skeleton: &Skeleton,
        number: usize,
        read: Event,
    ) -> Result<Vec<i64>, unfold::UnfoldError> {
        let computed = self.computed.get_or_init(|| {
            let merged = Merged::new(self.unfolding)?;
            let physical = |l: u16| self.unfolding.locations()[usize::from(l)].physical;
            let domains =
                Domains::new(&merged, &physical, &condition_numbers(self.unfolding), true)?;
            Ok((merged, domains))
        });
        let (merged, domains) = computed.as_ref().map_err(Clone::clone)?;
        let event = skeleton.position(read).and_then(|(thread, position)| {
            let path = *self.unfolding.chosen(number).get(thread.index())?;
            merged.paths[thread.index()][path]
                .events
                .get(position)
                .map(|&e| domains.reads[e].clone())
        });
        Ok(event.unwrap_or_default())
    }
}
