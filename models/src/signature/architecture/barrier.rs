//! Barriers that programs keep in memory, such as `cuda::barrier`: which operations arrive, and
//! which wait. The line `barrier` of an architecture's text.

use super::description::BarrierTags;
use super::text::{ArchitectureReader, after};
use super::{Architecture, Tag};
use crate::diagnostic::{Diagnostic, Span};
use crate::signature::{Construct, Operation};

impl Architecture {
    /// The tags of the operations on barriers, if there are such operations.
    pub fn barrier(self) -> Option<BarrierTags> {
        self.description().barrier
    }

    /// Is it an operation on a barrier?
    pub fn is_of_barrier(self, construct: Construct) -> bool {
        let tags = self.tags_of(construct);
        self.barrier().is_some_and(|b| tags.contains(b.arrival) || tags.contains(b.wait))
    }
}

impl ArchitectureReader<'_> {
    /// `barrier ARRIVE WAIT`.
    pub(super) fn barrier(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("barrier");
        let [(arrival, first), (wait, second)] = *rest else {
            let span = rest
                .get(2)
                .map_or(after(rest.last().map_or(keyword, |(_, span)| *span)), |(_, span)| *span);
            return Err(self.error(
                span,
                "expected the tag of arrivals and the tag of waits",
                "expected ARRIVAL WAIT",
                shape,
            ));
        };
        if let Some((_, earlier)) = self.barrier_at {
            let error =
                self.error(keyword, "a second line `barrier`", "the second one", "drop one");
            return Err(error.at(self.file, earlier, "the first one"));
        }
        self.barrier_at = Some(([(arrival.to_owned(), first), (wait.to_owned(), second)], keyword));
        Ok(())
    }

    /// The operations on barriers, declared in whichever lines: read-modify-writes arrive, reads
    /// wait.
    pub(super) fn add_barrier(&mut self) -> Option<Diagnostic> {
        let (named, _) = self.barrier_at.clone()?;
        let mut tags = Vec::new();
        for ((name, span), (operation, what)) in
            named.into_iter().zip([(Operation::Rmw, "`rmw`"), (Operation::Read, "`read`")])
        {
            let index = match self.known_tag(&name, span) {
                Ok(index) => index,
                Err(error) => return Some(error),
            };
            let mut carriers =
                self.description.instructions.iter().filter(|i| i.bits & (1 << index) != 0);
            if let Some(other) = carriers.find(|i| i.operation != operation) {
                let message = format!("`{}` carries `{name}`, and is no {what}", other.mnemonic);
                let help = "who arrives reads and writes what the barrier counts, who waits reads it: an `rmw` and a `read` carry these tags";
                return Some(self.error(span, message, "of other operations", help));
            }
            tags.push(Tag::new(self.architecture, index));
        }
        let [arrival, wait] = tags[..] else { return None };
        self.description.barrier = Some(BarrierTags { arrival, wait });
        None
    }
}
