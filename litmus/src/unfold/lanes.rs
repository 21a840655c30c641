//! Where the lanes of a warp leave what they give each other. Each lane writes a place of its own
//! for each meeting, and reads those of the lanes that it needs, behind the meeting: so a value
//! that was read of memory goes from thread to thread as any other, with what it depends on.
//!
//! The descriptions of votes, shuffles and their kin say nothing of memory. So these accesses order
//! nothing: they are relaxed, and the reads are those of reductions, which form no acquire pattern.
//! Nobody else has an address of these places.

use std::borrow::Cow;

use margay_models::execution::{EventData, Kind, Scope};

use super::UnfoldError;
use super::path::Path;
use crate::test::{
    InitialValue, LocationDeclaration, Operation, Place, Space, Test, TestInstruction, ThreadId,
    WarpMeeting,
};

/// What such a place holds before the lane has come: no value of 32 bits.
pub(super) const NOTHING: i64 = 1 << 32;

/// The place of a lane, for one meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LaneCell {
    /// The barrier that the meeting is.
    meeting: u16,
    /// The how manieth of that kind the thread comes to.
    round: usize,
    thread: usize,
    location: u16,
}

/// The places of all lanes, behind the other locations of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LaneCells(Vec<LaneCell>);

impl LaneCells {
    /// The test with these places.
    pub fn of<'t>(test: &'t Test, number: &dyn Fn(&WarpMeeting) -> u16) -> (Cow<'t, Test>, Self) {
        let mut found = Self::default();
        let mut whole = Cow::Borrowed(test);
        let mut groups: Vec<(&WarpMeeting, ThreadId)> = Vec::new();
        let threads = || (0..test.threads.len()).map(|t| ThreadId(t as u16));
        for thread in threads() {
            for (_, meeting) in meetings(test, thread) {
                let is_same = |(other, first): &(&WarpMeeting, ThreadId)| {
                    number(other) == number(meeting)
                        && test.placement(*first).shares(Scope::Warp, test.placement(thread))
                };
                if !groups.iter().any(is_same) {
                    groups.push((meeting, thread));
                }
            }
        }
        let mut named = 0;
        for (meeting, first) in groups {
            let members: Vec<ThreadId> =
                lanes(test, first, meeting.mask).into_iter().map(|(_, thread)| thread).collect();
            let of = |thread: ThreadId| {
                meetings(test, thread).map(|(_, m)| m).filter(|m| number(m) == number(meeting))
            };
            if !members.iter().any(|&t| of(t).any(|m| m.destination().is_some() && !m.elects())) {
                continue;
            }
            let opcode = meeting.name.split('.').next().unwrap_or_default();
            for round in 0..members.iter().map(|&t| of(t).count()).max().unwrap_or(0) {
                for &thread in &members {
                    let location = whole.locations.len() as u16;
                    found.0.push(LaneCell {
                        meeting: number(meeting),
                        round,
                        thread: thread.index(),
                        location,
                    });
                    whole.to_mut().locations.push(LocationDeclaration {
                        name: format!("{opcode}{named}.P{}", thread.index()),
                        value: Some(InitialValue::Integer(NOTHING)),
                        alias: None,
                        space: Some(Space::Shared),
                        width: Default::default(),
                        mbarrier: false,
                        place: Place::default(),
                    });
                }
                named += 1;
            }
        }
        (whole, found)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The place of a thread at a meeting; nothing where nobody asks for what the lanes give each
    /// other there.
    pub fn location(&self, meeting: u16, round: usize, thread: usize) -> Option<u16> {
        let of = |c: &&LaneCell| (c.meeting, c.round, c.thread) == (meeting, round, thread);
        self.0.iter().find(of).map(|c| c.location)
    }

    /// Do lanes give each other something at a meeting of a thread?
    pub fn is_of(&self, meeting: u16, thread: usize) -> bool {
        self.location(meeting, 0, thread).is_some()
    }

    /// Refuses a test in which a lane comes to such a meeting on some ways only: who takes part
    /// would depend on that.
    pub fn check(
        &self,
        test: &Test,
        paths: &[Vec<Path>],
        number: &dyn Fn(&WarpMeeting) -> u16,
    ) -> Result<(), UnfoldError> {
        for cell in &self.0 {
            let rounds = self
                .0
                .iter()
                .filter(|c| (c.meeting, c.thread) == (cell.meeting, cell.thread))
                .count();
            if paths[cell.thread]
                .iter()
                .all(|path| arrivals(path.events.iter().map(|e| &e.data), cell.meeting) == rounds)
            {
                continue;
            }
            let member = ThreadId(cell.thread as u16);
            let shares = |t: &usize| {
                test.placement(member).shares(Scope::Warp, test.placement(ThreadId(*t as u16)))
            };
            let mut there = (0..test.threads.len())
                .filter(shares)
                .flat_map(|t| meetings(test, ThreadId(t as u16)));
            let Some((i, meeting)) = there.find(|(_, m)| number(m) == cell.meeting) else {
                continue;
            };
            let message = format!(
                "{member} is a lane that `{}` names, and does not come to it on every way: who takes part is then open, and what the lanes give \
                 each other is not modelled; write `_` for the destination of each",
                meeting.name
            );
            return Err(UnfoldError::at(message, i.place));
        }
        Ok(())
    }
}

/// How often a thread has come to a meeting.
pub(super) fn arrivals<'e>(events: impl Iterator<Item = &'e EventData>, meeting: u16) -> usize {
    let is_there = |e: &&EventData| {
        e.kind == Kind::BarrierArrive
            && e.scope == Some(Scope::Warp)
            && e.barrier == Some(super::barriers::number(meeting, 0))
    };
    events.filter(is_there).count()
}

/// The lanes of a thread's warp that a mask names: those that the test has, the lowest first. The
/// threads of a warp are its lanes from left to right.
pub(super) fn lanes(test: &Test, thread: ThreadId, mask: u32) -> Vec<(u32, ThreadId)> {
    let threads = (0..test.threads.len()).map(|t| ThreadId(t as u16));
    let of_warp =
        threads.filter(|t| test.placement(thread).shares(Scope::Warp, test.placement(*t)));
    (0..32).zip(of_warp).filter(|(lane, _)| mask >> lane & 1 == 1).collect()
}

fn meetings(
    test: &Test,
    thread: ThreadId,
) -> impl Iterator<Item = (&TestInstruction, &WarpMeeting)> {
    test.instructions(thread).iter().filter_map(|i| match &i.operation {
        Operation::Warp(meeting) => Some((i, meeting)),
        _ => None,
    })
}
