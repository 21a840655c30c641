//! Where a thread is not followed any further, or in part, and why.

use super::{State, Step, Thread};
use crate::mark::{Mark, MarkKind};
use crate::omission::{Omission, OmissionReason};
use crate::residue::{CodePiece, Origin};

impl Thread<'_, '_> {
    /// Something that is looked at in part; what is found is so all the same.
    pub(super) fn note(&mut self, state: &State, why: &str) {
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

    /// Something that depends on what nobody interprets.
    pub(super) fn depends_on_opaque(&mut self, state: &State, opaque: bool, what: OmissionReason) {
        if opaque {
            self.omit(Some(self.origin(state)), what);
        }
    }

    /// The thread stops here.
    pub(super) fn stop(&mut self, state: &State, kind: MarkKind, what: impl Into<String>) -> Step {
        let (origin, what) = (self.origin(state), what.into());
        let same = self.marks.iter().find(|m| m.kind == kind && m.origin == origin && m.what == what).map(|m| m.number);
        let number = same.unwrap_or_else(|| {
            let number = self.marks.iter().filter(|m| m.kind == kind).count() as i64 + 1;
            self.marks.push(Mark { kind, origin, number, what, cell: None });
            number
        });
        self.emit(state, format!("mov {}, {number}", kind.register()));
        self.push(state, CodePiece::End);
        Step::Left
    }

    pub(crate) fn unknown(&mut self, state: &State, why: impl Into<OmissionReason>) -> Step {
        let why = why.into();
        let what = why.to_string();
        self.omit(Some(self.origin(state)), why);
        self.stop(state, MarkKind::Cut, what)
    }
}
