//! Meetings of warps, and orders of launches, as barriers: a meeting of lanes is one of the scope
//! of a warp. A launch has two barriers of the whole system: whoever launches it arrives at its
//! start, for which its threads wait; they arrive at its end.

use margay_models::execution::Scope;

use super::UnfoldError;
use super::barriers::NUMBER;
use super::program::{Step, Term};
use crate::test::{Body, HOST, LaunchOrder, Operation, Place, Test, ThreadId, WarpMeeting};

/// What is a barrier of launches and warps in a test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Meetings {
    /// Meetings of lanes, each with another name or mask.
    warps: Vec<(String, u32)>,
    /// Launches that a thread of the host begins.
    launched: Vec<u16>,
    /// Launches whose end something waits for.
    awaited: Vec<u16>,
    /// Threads whose end others wait for, in tests without launches.
    before: Vec<ThreadId>,
}

impl Meetings {
    /// Those of a test.
    ///
    /// # Errors
    /// There are more than there are numbers for barriers, or a launch that is named does not exist
    /// or is begun twice.
    pub fn of(test: &Test) -> Result<Self, UnfoldError> {
        let mut found = Self::default();
        let kernels: Vec<u16> =
            (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16)).kernel).collect();
        for thread in &test.threads {
            let Body::Instructions(instructions) = &thread.body else { continue };
            for i in instructions {
                match &i.operation {
                    Operation::Warp(meeting) => found.warp(meeting, i.place)?,
                    Operation::Launches(LaunchOrder::AfterThread(before)) => {
                        found.thread(*before, test, i.place)?
                    }
                    Operation::Launches(order) => found.launch(*order, &kernels, i.place)?,
                    _ => {}
                }
            }
        }
        found.check_circles(test)?;
        Ok(found)
    }

    fn warp(&mut self, meeting: &WarpMeeting, place: Place) -> Result<(), UnfoldError> {
        let key = (meeting.name.clone(), meeting.mask);
        if !self.warps.contains(&key) {
            self.warps.push(key);
        }
        let too_many = self.warps.len() > usize::from(NUMBER);
        if too_many {
            Err(UnfoldError::at(format!("more than {NUMBER} different meetings of lanes"), place))
        } else {
            Ok(())
        }
    }

    fn thread(&mut self, before: ThreadId, test: &Test, place: Place) -> Result<(), UnfoldError> {
        if before.index() >= test.threads.len() {
            return Err(UnfoldError::at(format!("the test has no thread {before}"), place));
        }
        if 2 * before.index() + 1 >= usize::from(NUMBER) {
            return Err(UnfoldError::at(
                format!("threads that others wait for are numbered from 0 to {}", NUMBER / 2 - 1),
                place,
            ));
        }
        if !self.before.contains(&before) {
            self.before.push(before);
        }
        Ok(())
    }

    fn launch(
        &mut self,
        order: LaunchOrder,
        kernels: &[u16],
        place: Place,
    ) -> Result<(), UnfoldError> {
        let of = match order {
            LaunchOrder::After(k)
            | LaunchOrder::Overlaps(k)
            | LaunchOrder::Launch(k)
            | LaunchOrder::Synchronize(k) => k,
            LaunchOrder::Prerequisites | LaunchOrder::Dependents | LaunchOrder::AfterThread(_) => {
                return Ok(());
            }
        };
        if of == HOST || !kernels.contains(&of) {
            return Err(UnfoldError::at(
                format!("no thread of the test is in the kernel {of}"),
                place,
            ));
        }
        if 2 * usize::from(of) + 1 >= usize::from(NUMBER) {
            return Err(UnfoldError::at(
                format!("kernels that are ordered are numbered from 0 to {}", NUMBER / 2 - 1),
                place,
            ));
        }
        match order {
            LaunchOrder::Launch(k) if self.launched.contains(&k) => {
                return Err(UnfoldError::at(
                    format!(
                        "kernel {k} is launched a second time: give the second launch a number of its own"
                    ),
                    place,
                ));
            }
            LaunchOrder::Launch(k) => self.launched.push(k),
            _ if !self.awaited.contains(&of) => self.awaited.push(of),
            _ => {}
        }
        Ok(())
    }

    /// No kernel waits for its own end, by itself or by way of others.
    fn check_circles(&self, test: &Test) -> Result<(), UnfoldError> {
        let (mut edges, mut what): (Vec<(u16, u16, Place)>, &str) = (Vec::new(), "kernel ");
        for t in 0..test.threads.len() {
            let id = ThreadId(t as u16);
            for i in test.instructions(id) {
                match i.operation {
                    Operation::Launches(
                        LaunchOrder::After(before) | LaunchOrder::Overlaps(before),
                    ) => {
                        edges.push((before, test.placement(id).kernel, i.place));
                    }
                    Operation::Launches(LaunchOrder::AfterThread(before)) => {
                        what = "P";
                        edges.push((before.0, id.0, i.place));
                    }
                    _ => {}
                }
            }
        }
        for &(from, to, place) in &edges {
            let mut reached = vec![to];
            while let Some(&(_, next, _)) =
                edges.iter().find(|(a, b, _)| reached.contains(a) && !reached.contains(b))
            {
                reached.push(next);
            }
            if reached.contains(&from) {
                return Err(UnfoldError::at(
                    format!("{what}{to} would wait for its own end"),
                    place,
                ));
            }
        }
        Ok(())
    }

    /// The number of the barrier that a meeting of lanes is.
    pub fn number(&self, meeting: &WarpMeeting) -> u16 {
        self.warps
            .iter()
            .position(|(name, mask)| *name == meeting.name && *mask == meeting.mask)
            .unwrap_or(0) as u16
    }

    /// The meeting of lanes.
    pub fn step(&self, meeting: &WarpMeeting) -> Step {
        let barrier = Term::Constant(i64::from(self.number(meeting)));
        let (arrives, waits, relaxed) = (true, true, !meeting.orders_memory());
        Step::Barrier { barrier, instance: 0, scope: Scope::Warp, arrives, waits, relaxed }
    }

    /// The steps of an instruction, of a thread with these prerequisites.
    pub fn steps(&self, order: LaunchOrder, prerequisites: &[u16]) -> Vec<Step> {
        match order {
            LaunchOrder::After(kernel) | LaunchOrder::Synchronize(kernel) => {
                vec![end(kernel, false)]
            }
            LaunchOrder::AfterThread(thread) => vec![end(thread.0, false)],
            LaunchOrder::Prerequisites => {
                prerequisites.iter().map(|&kernel| end(kernel, false)).collect()
            }
            LaunchOrder::Launch(kernel) => vec![start(kernel, true)],
            LaunchOrder::Overlaps(_) | LaunchOrder::Dependents => Vec::new(),
        }
    }

    /// What a thread of a kernel does before all else.
    pub fn begins(&self, kernel: u16) -> Option<Step> {
        self.launched.contains(&kernel).then(|| start(kernel, false))
    }

    /// What it does at last.
    pub fn ends(&self, kernel: u16, thread: ThreadId) -> Option<Step> {
        if self.before.contains(&thread) {
            return Some(end(thread.0, true));
        }
        self.awaited.contains(&kernel).then(|| end(kernel, true))
    }
}

/// The launches that may still run when the kernel of a thread starts.
pub(super) fn prerequisites(test: &Test, thread: ThreadId) -> Vec<u16> {
    let of = |i: &crate::test::TestInstruction| match i.operation {
        Operation::Launches(LaunchOrder::Overlaps(kernel)) => Some(kernel),
        _ => None,
    };
    test.instructions(thread).iter().filter_map(of).collect()
}

/// The start of a launch: an arrival, or a wait.
fn start(kernel: u16, arrives: bool) -> Step {
    of_launch(2 * i64::from(kernel), arrives)
}

fn end(kernel: u16, arrives: bool) -> Step {
    of_launch(2 * i64::from(kernel) + 1, arrives)
}

fn of_launch(number: i64, arrives: bool) -> Step {
    let barrier = Term::Constant(number);
    Step::Barrier {
        barrier,
        instance: 0,
        scope: Scope::Sys,
        arrives,
        waits: !arrives,
        relaxed: false,
    }
}
