//! Asks for what is missing where no execution has the outcome of a test.

use super::Gap;
use crate::prepare::Subject;
use crate::unfold::{Standstill, Unfolding};
use crate::verdict::{Error, Witness};

/// What is missing from the answer about a subject; `exists` finds a legal execution with the
/// outcome that an unfolding asks for.
///
/// Asks nothing of a program without loops, barriers that a thread may not come to, computed
/// addresses and filters: such a program has the executions in which its threads take turns, and
/// they end.
pub(crate) fn gap(
    subject: &Subject,
    reachable: bool,
    exists: &mut dyn FnMut(&Unfolding) -> Result<Option<Witness>, Error>,
) -> Result<Option<Gap>, Error> {
    let Subject { unfolding, .. } = subject;
    if !reachable && unfolding.may_stop() && exists(&unfolding.ending())?.is_none() {
        let stopping = unfolding.stopping();
        let found = exists(&stopping)?;
        let stands = found.map_or(Ok(Vec::new()), |found| stopping.standstills(&found))?;
        return Ok(Some(Gap::Endless(stands)));
    }
    let mut lost = Vec::new();
    for at in unfolding.stops_by_fault() {
        let stopping = unfolding.stopping_at(at);
        if let Some(found) = exists(&stopping)? {
            let of_thread = |s: &Standstill| s.thread == at.0;
            lost.extend(stopping.standstills(&found)?.into_iter().find(of_thread));
        }
    }
    if !lost.is_empty() {
        return Ok(Some(Gap::Lost(lost)));
    }
    let filter = unfolding.asked().filter.as_ref().filter(|_| !reachable);
    if let Some(filter) = filter
        && exists(&unfolding.passing(Some(filter)))?.is_none()
    {
        return Ok(Some(Gap::Filtered));
    }
    Ok(None)
}
