//! What the search chooses besides reads-from: coherence order, total or partial, and an order of
//! fences. The lines `coherence` and `chosen` of an architecture's text.

use super::text::{ArchitectureReader, after};
use super::{Architecture, Tag};
use crate::diagnostic::{Diagnostic, Span};
use crate::execution::{EventData, Kind, Order};
use crate::signature::{BaseSet, Signature};

impl Architecture {
    /// Is coherence order total over the writes to a location (true), or only a partial order
    /// (PTX)?
    pub fn total_coherence(self) -> bool {
        !self.description().partial_coherence
    }

    /// The set of the fences that the chosen order `sync_fence` relates (PTX: `SC`), if executions
    /// have such an order.
    pub fn ordered_fences(self) -> Option<BaseSet> {
        self.description().ordered_fences
    }

    /// Is the event a fence that `sync_fence` can relate?
    pub fn is_ordered_fence(self, event: &EventData) -> bool {
        event.kind == Kind::Fence && self.is_order_of_ordered_fence(event.order)
    }

    /// Can `sync_fence` relate fences of this order?
    pub fn is_order_of_ordered_fence(self, order: Order) -> bool {
        match (self.ordered_fences(), order) {
            (Some(BaseSet::Tag(tag)), Order::Tagged(tags)) => tags.contains(tag),
            (Some(set), order) => BaseSet::of_order(order) == Some(set),
            (None, _) => false,
        }
    }
}

impl ArchitectureReader<'_> {
    /// `coherence partial`.
    pub(super) fn coherence(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("coherence");
        if let Some(first) = self.coherence_at {
            let error =
                self.error(keyword, "a second line `coherence`", "the second one", "drop one");
            return Err(error.at(self.file, first, "the first one"));
        }
        let partial = match rest {
            [("partial", _)] => true,
            [("total", _)] => false,
            [(word, span)] => {
                return Err(self.error(
                    *span,
                    format!("expected total or partial, not `{word}`"),
                    "expected total or partial",
                    shape,
                ));
            }
            [] => {
                return Err(self.error(
                    after(keyword),
                    "expected total or partial",
                    "expected total or partial",
                    shape,
                ));
            }
            [_, (_, span), ..] => {
                return Err(self.error(
                    *span,
                    "unexpected text behind it",
                    "not expected here",
                    shape,
                ));
            }
        };
        self.coherence_at = Some(keyword);
        self.description.partial_coherence = partial;
        Ok(())
    }

    /// `chosen sync_fence on SC`.
    pub(super) fn chosen(
        &mut self,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let shape = Self::shape("chosen");
        let relation = Signature::order_of_fences();
        let (tag, span) = match rest {
            [(word, _), ("on", _), (tag, span)] if *word == relation => (*tag, *span),
            [(word, span), ..] if *word != relation => {
                let message = format!("expected `{relation}`, not `{word}`");
                let help = "rf and co are chosen in every architecture; an order of fences is the one that a text can add";
                return Err(self.error(*span, message, &format!("expected `{relation}`"), help));
            }
            [_, ("on", place)] => {
                return Err(self.error(
                    after(*place),
                    "expected a tag of fences",
                    "expected a tag",
                    shape,
                ));
            }
            [_, ("on", _), _, (_, span), ..] => {
                return Err(self.error(
                    *span,
                    "unexpected text behind it",
                    "not expected here",
                    shape,
                ));
            }
            [_, (_, span), ..] => {
                return Err(self.error(*span, "expected `on`", "expected `on`", shape));
            }
            [(_, place)] => {
                return Err(self.error(after(*place), "expected `on`", "expected `on`", shape));
            }
            [] => {
                return Err(self.error(
                    after(keyword),
                    format!("expected `{relation}`"),
                    &format!("expected `{relation}`"),
                    shape,
                ));
            }
        };
        if let Some((_, first, _)) = self.chosen_at {
            let error = self.error(keyword, "a second line `chosen`", "the second one", "drop one");
            return Err(error.at(self.file, first, "the first one"));
        }
        self.chosen_at = Some((tag.to_owned(), keyword, span));
        Ok(())
    }

    /// The fences that are ordered: a tag that fences carry, declared in whichever line.
    pub(super) fn add_chosen(&mut self) -> Option<Diagnostic> {
        let (name, _, span) = self.chosen_at.clone()?;
        let index = match self.known_tag(&name, span) {
            Ok(index) => index,
            Err(error) => return Some(error),
        };
        if !self.description.tags[index].on.fence {
            let help = "the line of the tag says `on` which events it is: R, W, F";
            return Some(self.error(
                span,
                format!("fences do not carry the tag `{name}`"),
                "not of fences",
                help,
            ));
        }
        self.description.ordered_fences = Some(self.set_of_tag(Tag::new(self.architecture, index)));
        None
    }
}
