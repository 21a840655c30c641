//! Tests whose lanes meet: whether each thread is alone in its warp, or all of a cta are lanes of
//! one.

use margay_litmus::test::{Operation, Test, ThreadId, WarpMeeting};
use margay_models::execution::Scope;

use super::target::GpuTarget;
use super::{EmissionError, Environment};

/// Where a thread is in its warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WarpPlace {
    /// Its lane: the threads of a warp are its lanes from left to right.
    pub lane: u32,
    /// How many of the warp's lanes the test has.
    pub lanes: u32,
}

impl WarpPlace {
    pub(super) fn of(test: &Test, thread: ThreadId) -> Self {
        let shares = |t: &usize| {
            test.placement(thread).shares(Scope::Warp, test.placement(ThreadId(*t as u16)))
        };
        let lane = (0..thread.index()).filter(shares).count() as u32;
        Self { lane, lanes: (0..test.threads.len()).filter(shares).count() as u32 }
    }

    /// The lanes that a mask names and the test has.
    pub(super) fn named(self, mask: u32) -> u32 {
        mask & 1u32.checked_shl(self.lanes).map_or(u32::MAX, |next| next - 1)
    }
}

fn meetings(test: &Test, thread: usize) -> impl Iterator<Item = &WarpMeeting> {
    test.instructions(ThreadId(thread as u16)).iter().filter_map(|i| match &i.operation {
        Operation::Warp(meeting) => Some(meeting),
        _ => None,
    })
}

/// Does a mask name another lane of the thread's warp that the test has? Else the meeting may be
/// left out.
pub(crate) fn names_others(test: &Test, thread: ThreadId, mask: u32) -> bool {
    let place = WarpPlace::of(test, thread);
    place.named(mask) & !1u32.checked_shl(place.lane).unwrap_or(0) != 0
}

/// Do lanes of a test meet?
pub(super) fn lanes_meet(test: &Test) -> bool {
    (0..test.threads.len()).any(|t| meetings(test, t).next().is_some())
}

/// The environment for a test whose lanes meet: one in which the threads of a warp of the test are
/// in one warp. `None`: the one that is asked for does. Tests whose warps no environment has are
/// errors.
pub(super) fn environment(
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
) -> Result<Option<Environment>, EmissionError> {
    let threads = 0..test.threads.len();
    let Some(first) = threads.clone().find(|t| meetings(test, *t).next().is_some()) else {
        return Ok(None);
    };
    for t in threads.clone() {
        check_meetings(test, t, target)?;
    }
    let place = |t: usize| WarpPlace::of(test, ThreadId(t as u16));
    let of_cta = |t: usize| {
        let shares = |u: &usize| {
            test.placement(ThreadId(t as u16))
                .shares(Scope::Cta, test.placement(ThreadId(*u as u16)))
        };
        (0..test.threads.len()).filter(shares).count() as u32
    };
    if threads.clone().all(|t| place(t).lanes == 1) {
        return Ok(None);
    }
    let one_warp =
        |t: usize| place(t).lanes == of_cta(t) && of_cta(t).is_power_of_two() && of_cta(t) <= 32;
    if !threads.clone().all(one_warp) {
        let name = meetings(test, first).next().map_or("", |m| m.name.as_str());
        return Err(EmissionError::test(format!(
            "`{name}`: kernels here have the threads of a cta each in a warp of its own, or all in one, and then 1, 2, 4, 8, 16 or 32; so these lanes \
             cannot meet"
        )));
    }
    let waits = |t: usize| {
        test.instructions(ThreadId(t as u16))
            .iter()
            .any(|i| matches!(i.operation, Operation::Barrier { .. }))
    };
    if threads.clone().any(waits) {
        return Err(EmissionError::test(
            "barriers of a cta beside meetings of lanes: all lanes of a warp would have to come to the same one",
        ));
    }
    Ok((!environment.same_warp).then(|| Environment { same_warp: true, ..environment.clone() }))
}

/// Does a thread come to each meeting with all lanes that it names? Else the launch would not end,
/// or the lanes would meet elsewhere.
fn check_meetings(test: &Test, thread: usize, target: GpuTarget) -> Result<(), EmissionError> {
    let id = ThreadId(thread as u16);
    let code = test.instructions(id);
    let jumps = code.iter().any(|i| {
        matches!(
            i.operation,
            Operation::Label(_) | Operation::Goto(_) | Operation::BranchIf { .. } | Operation::Exit
        )
    });
    let named = |mask: u32| WarpPlace::of(test, id).named(mask);
    for i in code {
        let Operation::Warp(meeting) = &i.operation else { continue };
        let at = |e: EmissionError| EmissionError { place: Some(i.place.0), ..e };
        if i.guard.is_some() || jumps {
            return Err(at(EmissionError::test(format!(
                "`{}` under a guard or beside jumps: not all lanes that it names would come to it",
                meeting.name
            ))));
        }
        let smallest = match meeting.name.split('.').next() {
            Some("elect" | "redux") => GpuTarget(90),
            Some("bar") => GpuTarget(70),
            // Before, they are calls of functions of the assembler; so is `redux` on sm_80.
            _ => GpuTarget(80),
        };
        if target < smallest {
            return Err(at(EmissionError::target(format!(
                "kernels here have `{}` for {smallest} and later, not for {target}",
                meeting.name
            ))));
        }
        let others = (0..test.threads.len()).filter(|t| {
            let other = ThreadId(*t as u16);
            test.placement(id).shares(Scope::Warp, test.placement(other))
                && named(meeting.mask)
                    .checked_shr(WarpPlace::of(test, other).lane)
                    .is_some_and(|from| from & 1 == 1)
        });
        for other in others {
            let of = |t: usize| {
                meetings(test, t)
                    .filter(|m| named(m.mask) & named(meeting.mask) != 0)
                    .collect::<Vec<_>>()
            };
            let same = |a: &&WarpMeeting, b: &&WarpMeeting| {
                a.name == b.name && named(a.mask) == named(b.mask) && a.mask == b.mask
            };
            let (mine, theirs) = (of(thread), of(other));
            if mine.len() != theirs.len() || !mine.iter().zip(&theirs).all(|(a, b)| same(a, b)) {
                return Err(at(EmissionError::test(format!(
                    "P{thread} and P{other} come to other meetings of their lanes: that is undefined behaviour (PTX ISA 9.7.13.2), and the launch might \
                     not end"
                ))));
            }
        }
    }
    Ok(())
}
