//! Threads that stop before their end: a trap, an address outside of arrays or that is no multiple
//! of its access's size, an mbarrier where none is.
//!
//! Where others wait for what such a thread would have done behind that place, no execution ends,
//! and no test says so much as that it comes there. Then it is asked about the executions as far as
//! they go: who would go round a loop that waits once more has ended there.

use std::collections::BTreeSet;

use crate::answer::{Finding, FindingKind, Stands};
use crate::inquiry::{Inquiry, LaunchFindings, unasked};
use crate::mark::MarkKind;
use crate::omission::Omission;
use crate::program::Executed;
use crate::slice::{Slice, Slicer};
use crate::waiting::{Last, last_rounds};

/// Why a thread stops, and what it is found to be.
pub(crate) const STOPS: [(MarkKind, FindingKind); 4] = [
    (MarkKind::Trap, FindingKind::Trap),
    (MarkKind::Outside, FindingKind::Outside),
    (MarkKind::Misaligned, FindingKind::Misaligned),
    (MarkKind::Mbarrier, FindingKind::Mbarrier),
];

impl Inquiry<'_, '_> {
    /// What a thread that stops before its end is found to be, where no execution ends.
    pub fn stops_where_none_ends(&self, executed: &Executed) -> Result<Vec<Finding>, String> {
        let last: Vec<Last> = executed.waiting.iter().map(|code| last_rounds(code)).collect();
        // Who stands is taken to have ended, and would let others pass at a barrier.
        if last.iter().any(|of| !of.others.is_empty() || of.meets_behind_a_loop()) {
            return Ok(Vec::new());
        }
        let code: Vec<_> = last.into_iter().map(|of| of.code).collect();
        let mut found = LaunchFindings::default();
        for (kind, as_kind) in STOPS {
            if !executed.stops(kind).is_empty() {
                let slicer = Slicer::new(self.launch, &code, &executed.barriers, &|_| false);
                self.stops_in(executed, &slicer.base(), (kind, Some(as_kind)), &mut found)?;
            }
        }
        Ok(found.findings)
    }

    /// Does a thread stop for a reason? Where the reason is no finding, it says what was not looked
    /// at.
    pub fn stops(
        &self,
        executed: &Executed,
        kind: MarkKind,
        as_kind: Option<FindingKind>,
        found: &mut LaunchFindings,
    ) -> Result<(), String> {
        if executed.stops(kind).is_empty() {
            return Ok(());
        }
        let slice = executed.slicer(&|_| false).base();
        self.stops_in(executed, &slice, (kind, as_kind), found)
    }

    /// The same in a slice of the launch.
    fn stops_in(
        &self,
        executed: &Executed,
        slice: &Slice,
        (kind, as_kind): (MarkKind, Option<FindingKind>),
        found: &mut LaunchFindings,
    ) -> Result<(), String> {
        let marks = executed.stops(kind);
        let register = kind.register();
        let threads: BTreeSet<usize> = marks.iter().map(|(t, _)| *t).collect();
        let any: Vec<String> = threads.iter().map(|t| format!("P{t}:{register} != 0")).collect();
        let condition = format!("exists ({})", any.join(" \\/ "));
        let what = match kind {
            MarkKind::Trap => "traps",
            MarkKind::Outside => "addresses outside of arrays",
            MarkKind::Mbarrier => "mbarriers where none are, and data where one is",
            MarkKind::Misaligned => "addresses that are no multiple of the access's size",
            MarkKind::Cut => "what was not followed",
            MarkKind::Cached | MarkKind::Overwritten => return Ok(()),
        };
        let written = match executed.write(&self.name(), slice, &condition) {
            Ok(written) => written,
            Err(why) => {
                found.open(why);
                return Ok(());
            }
        };
        let model = self.question.reading.model()?;
        let Some(verdict) = self.run_to_the_end(&written, model, what, found) else {
            return Ok(());
        };
        if !verdict.reachable {
            self.exchanged(slice, what, found);
            self.settle((&written, model), &verdict, (what, &self.options_to_the_end()), found);
            return Ok(());
        }
        let Some(as_kind) = as_kind else {
            for (_, mark) in &marks {
                found.undecided = true;
                found.not_looked.push(
                    self.not_looked(&Omission::guessed(Some(mark.origin), mark.what.clone())),
                );
            }
            return Ok(());
        };
        // Which of the places it is, is asked one by one.
        let mut stands = Vec::new();
        let mut one = written;
        for (thread, mark) in &marks {
            let condition = format!("exists (P{thread}:{register} == {})", mark.number);
            let Ok(written) = executed.write(&self.name(), slice, &condition) else { continue };
            if self.run_to_the_end(&written, model, what, found).is_some_and(|v| v.reachable) {
                let number = slice.number(*thread).unwrap_or(*thread);
                stands.push(self.stands((number, *thread), self.spot(mark.origin), None));
                one = written;
                break;
            }
        }
        let why = marks.iter().filter(|(t, m)| {
            let number = slice.number(*t).map(|n| n as u32);
            stands.iter().any(|s: &Stands| {
                Some(s.test_thread) == number && s.spot.line == self.spot(m.origin).line
            })
        });
        let why = why.map(|(_, m)| format!("It is {}.", m.what)).take(1).collect();
        let repair = unasked();
        found.findings.push(Finding {
            kind: as_kind,
            stands,
            why,
            litmus: one.read.file.text.clone(),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair,
        });
        Ok(())
    }
}
