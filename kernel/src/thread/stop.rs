//! Where a thread is not followed any further, or in part, and why.

use margay_ptx::effect::MemoryAccess;

use super::{FollowedThread, State, StepEnd};
use crate::mark::{Mark, MarkKind};
use crate::omission::{Omission, OmissionReason};
use crate::residue::{CodePiece, Origin};

impl FollowedThread<'_, '_> {
    /// Something that is looked at in part; what is found is so all the same.
    pub(crate) fn note(&mut self, state: &State, why: &str) {
        self.leave_out(Omission::in_part(Some(self.origin(state)), why));
    }

    pub(super) fn omit(&mut self, origin: Option<Origin>, why: impl Into<OmissionReason>) {
        // What follows is not there, so that others may read what would have been overwritten.
        self.leave_out(Omission::guessed(origin, why));
    }

    fn leave_out(&mut self, omission: Omission) {
        if !self.omissions.contains(&omission) {
            self.omissions.push(omission);
        }
    }

    /// Something is supposed of the kernel that leaves nothing open.
    pub(super) fn suppose(&mut self, state: &State, why: &str) {
        let supposed = Omission::in_part(Some(self.origin(state)), why);
        if !self.suppositions.contains(&supposed) {
            self.suppositions.push(supposed);
        }
    }

    /// Of a multimem address the memory of one device is looked at: the others run kernels of their
    /// own.
    pub(super) fn is_of_one_device(&mut self, state: &State, access: MemoryAccess) {
        if access.multimem {
            let why = "of a multimem address the memory of this device alone is looked at, as what its argument points to: what other devices do there is not";
            self.suppose(state, why);
        }
    }

    /// Something that depends on what nobody interprets.
    pub(super) fn depends_on_opaque(&mut self, state: &State, opaque: bool, what: OmissionReason) {
        if opaque {
            self.omit(Some(self.origin(state)), what);
        }
    }

    /// The thread stops here.
    pub(super) fn stop(
        &mut self,
        state: &State,
        kind: MarkKind,
        what: impl Into<String>,
    ) -> StepEnd {
        let number = self.marked(state, kind, what.into());
        self.emit(state, format!("mov {}, {number}", kind.register()));
        self.push(state, CodePiece::End);
        StepEnd::Left
    }

    /// The thread stops here if a predicate holds: with code that stands behind all other.
    pub(super) fn stop_if(
        &mut self,
        state: &State,
        predicate: String,
        kind: MarkKind,
        what: String,
    ) {
        let (origin, label, number) =
            (self.origin(state), self.fresh_label(), self.marked(state, kind, what));
        self.code.push((CodePiece::Jump(Some((predicate, true)), label), Some(origin)));
        self.behind.extend([
            (CodePiece::Label(label), None),
            (CodePiece::Other(format!("mov {}, {number}", kind.register())), Some(origin)),
            (CodePiece::End, Some(origin)),
        ]);
    }

    /// The number of what goes wrong here.
    fn marked(&mut self, state: &State, kind: MarkKind, what: String) -> i64 {
        let origin = self.origin(state);
        let same = self
            .marks
            .iter()
            .find(|m| m.kind == kind && m.origin == origin && m.what == what)
            .map(|m| m.number);
        same.unwrap_or_else(|| {
            let number = self.marks.iter().filter(|m| m.kind == kind).count() as i64 + 1;
            self.marks.push(Mark { kind, origin, number, what, cell: None });
            number
        })
    }

    pub(crate) fn unknown(&mut self, state: &State, why: impl Into<OmissionReason>) -> StepEnd {
        let why = why.into();
        let what = why.to_string();
        self.omit(Some(self.origin(state)), why);
        self.stop(state, MarkKind::Cut, what)
    }
}
