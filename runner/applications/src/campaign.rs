//! Runs of an application: one, and many.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use margay_console::limits::RunLimits;
use margay_machine::{FaultKind, LaunchError, MemoryKind, Schedule};
use rayon::prelude::*;

use crate::application::{Application, ApplicationLaunch, LoadedApplication};

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunVerdict {
    Right,
    /// The post-condition does not hold, or a thread went wrong: what, in a sentence.
    Wrong(String),
    /// It had not ended.
    TimeOut(String),
}

/// What came of many runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunCounts {
    /// Runs that were done.
    pub runs: u64,
    /// Wrong ones.
    pub errors: u64,
    /// Those that had not ended.
    pub time_outs: u64,
    /// The seed and the sentence of the first that was wrong or had not ended.
    pub first: Option<(u64, String)>,
    /// Instructions of all runs.
    pub instructions: u64,
    /// How long cores were busy with all runs.
    pub busy: Duration,
}

impl RunCounts {
    pub(crate) fn not_right(&self) -> u64 {
        self.errors + self.time_outs
    }

    /// Has no run of the first ones an end? Others take as long, and say the same.
    pub(crate) fn is_endless(&self) -> bool {
        self.runs >= BATCH && self.time_outs == self.runs
    }

    /// Another run.
    pub(crate) fn count(&mut self, seed: u64, verdict: RunVerdict) {
        self.runs += 1;
        let what = match verdict {
            RunVerdict::Right => return,
            RunVerdict::Wrong(what) => {
                self.errors += 1;
                what
            }
            RunVerdict::TimeOut(what) => {
                self.time_outs += 1;
                what
            }
        };
        self.first.get_or_insert((seed, what));
    }

    /// Runs that come behind these.
    pub(crate) fn add(&mut self, more: Self) {
        self.runs += more.runs;
        self.errors += more.errors;
        self.time_outs += more.time_outs;
        self.instructions += more.instructions;
        self.busy += more.busy;
        self.first = self.first.take().or(more.first);
    }

    /// The least share of wrong runs that is likely: the lower end of Wilson's interval of 95 %.
    pub(crate) fn at_least(&self) -> f64 {
        let (n, k, z) = (self.runs.max(1) as f64, self.not_right() as f64, 1.96f64);
        let p = k / n;
        let middle = p + z * z / (2.0 * n);
        let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((middle - half) / (1.0 + z * z / n)).max(0.0)
    }
}

/// Counts how long a thread is on a core until it is dropped, so that other programs beside it do
/// not count; where the system does not say, how long it takes.
struct CoreClock<'a> {
    /// Nanoseconds of all.
    busy: &'a AtomicU64,
    on_core: Option<Duration>,
    start: Instant,
}

impl<'a> CoreClock<'a> {
    fn start(busy: &'a AtomicU64) -> Self {
        Self { busy, on_core: Self::on_core(), start: Instant::now() }
    }

    /// How long this thread has been on a core, as Linux counts: the first number there.
    fn on_core() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

impl Drop for CoreClock<'_> {
    fn drop(&mut self) {
        let on_core =
            self.on_core.zip(Self::on_core()).map(|(start, end)| end.saturating_sub(start));
        let busy = on_core.filter(|busy| !busy.is_zero()).unwrap_or_else(|| self.start.elapsed());
        self.busy.fetch_add(busy.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl Application {
    /// One run; the same seed gives the same.
    pub(crate) fn run(
        &self,
        loaded: &mut LoadedApplication,
        memory: MemoryKind,
        seed: u64,
    ) -> Result<(RunVerdict, u64), String> {
        loaded.device.memory = loaded.memory.clone();
        let mut instructions = 0;
        for launch in &self.launches {
            if let Some(verdict) = self.launch(loaded, launch, memory, seed, &mut instructions)? {
                return Ok((verdict, instructions));
            }
        }
        for check in &self.checks {
            // What looks at memory is not what is tested.
            if let Some(verdict) = self.launch(
                loaded,
                check,
                MemoryKind::SequentiallyConsistent,
                seed,
                &mut instructions,
            )? {
                return Ok((verdict, instructions));
            }
        }
        let words = |name: &str| Ok::<_, String>(self.words(loaded, &loaded.device.memory, name));
        let verdict = self.violation(words)?.map_or(RunVerdict::Right, RunVerdict::Wrong);
        Ok((verdict, instructions))
    }

    fn launch(
        &self,
        loaded: &mut LoadedApplication,
        launch: &ApplicationLaunch,
        memory: MemoryKind,
        seed: u64,
        instructions: &mut u64,
    ) -> Result<Option<RunVerdict>, String> {
        let schedule = Schedule { seed, memory, places: self.places, steps: self.steps };
        let arguments = launch.bytes(&loaded.addresses);
        match loaded.device.launch(&launch.kernel, launch.launch, &arguments, &schedule) {
            Ok(finished) => {
                *instructions += finished.steps;
                Ok(None)
            }
            Err(LaunchError::Refused(why)) => Err(why),
            Err(LaunchError::Fault(fault)) => {
                *instructions += fault.steps;
                let index = |[x, y, z]: [u32; 3], of: [u32; 3]| match of {
                    [_, 1, 1] => x.to_string(),
                    _ => format!("({x}, {y}, {z})"),
                };
                let (block, thread) = (
                    index(fault.block, launch.launch.blocks),
                    index(fault.thread, launch.launch.threads),
                );
                let place = loaded.device.place(&fault);
                let what = format!(
                    "{} in `{}`, {place}, block {block}, thread {thread}",
                    fault.kind, fault.function
                );
                match fault.kind {
                    FaultKind::Unknown(_) => Err(what),
                    FaultKind::NoEnd(_) | FaultKind::BarrierNeverMet => {
                        Ok(Some(RunVerdict::TimeOut(what)))
                    }
                    _ => Ok(Some(RunVerdict::Wrong(what))),
                }
            }
        }
    }

    /// Many runs with these seeds, on as many threads as there are. `until_first` ends them with
    /// the smallest seed whose run is not right: runs of larger seeds are not counted, so that the
    /// counts do not depend on the number of threads.
    pub(crate) fn count(
        &self,
        ptx: &str,
        memory: MemoryKind,
        seeds: Range<u64>,
        until_first: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunCounts, String> {
        let last = AtomicU64::new(u64::MAX);
        let busy = AtomicU64::new(0);
        let all: Vec<Option<(u64, RunVerdict, u64)>> = seeds
            .into_par_iter()
            .map_init(
                || (self.load(ptx), CoreClock::start(&busy)),
                |(loaded, _), seed| {
                    if seed > last.load(Ordering::Relaxed) || stop() {
                        return Ok(None);
                    }
                    let loaded = loaded.as_mut().map_err(|e| e.clone())?;
                    let (verdict, instructions) = self.run(loaded, memory, seed)?;
                    if until_first && verdict != RunVerdict::Right {
                        last.fetch_min(seed, Ordering::Relaxed);
                    }
                    Ok(Some((seed, verdict, instructions)))
                },
            )
            .collect::<Result<_, String>>()?;
        let last = last.into_inner();
        let mut counts =
            RunCounts { busy: Duration::from_nanos(busy.into_inner()), ..RunCounts::default() };
        for (seed, verdict, instructions) in
            all.into_iter().flatten().filter(|(seed, ..)| *seed <= last)
        {
            counts.instructions += instructions;
            counts.count(seed, verdict);
        }
        Ok(counts)
    }
}

/// Runs between two looks at the clock.
const BATCH: u64 = 64;

/// What runs versions of an application's program.
pub(crate) trait ApplicationRunner {
    /// Makes a version ready.
    ///
    /// # Errors
    /// What it lacks, in a sentence.
    fn load(&mut self, text: &str) -> Result<(), String>;

    /// Runs of the version that was loaded last, with these seeds. `until_first` ends them with the
    /// first that is not right.
    ///
    /// # Errors
    /// What the version lacks, in a sentence.
    fn count(
        &mut self,
        seeds: Range<u64>,
        until_first: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunCounts, String>;

    /// Is it gone, so that no other run can be done: why.
    fn gone(&self) -> Option<&str> {
        None
    }
}

/// The machine of the CPU.
pub(crate) struct CpuRunner<'a> {
    application: &'a Application,
    memory: MemoryKind,
    text: String,
}

impl<'a> CpuRunner<'a> {
    pub(crate) fn new(application: &'a Application, memory: MemoryKind) -> Self {
        Self { application, memory, text: application.ptx.text.clone() }
    }
}

impl ApplicationRunner for CpuRunner<'_> {
    fn load(&mut self, text: &str) -> Result<(), String> {
        text.clone_into(&mut self.text);
        Ok(())
    }

    fn count(
        &mut self,
        seeds: Range<u64>,
        until_first: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunCounts, String> {
        self.application.count(&self.text, self.memory, seeds, until_first, stop)
    }
}

/// Runs with these seeds, as many as there are until the limits are reached, or none has an end;
/// `until_first` ends them with the first that is not right. `each` hears how many have been done.
///
/// # Errors
/// What the version lacks, in a sentence.
pub(crate) fn count_within(
    runner: &mut dyn ApplicationRunner,
    seeds: Range<u64>,
    until_first: bool,
    limits: &RunLimits,
    mut each: impl FnMut(u64),
) -> Result<RunCounts, String> {
    let mut all = RunCounts::default();
    let mut next = seeds.start;
    while next < seeds.end
        && !limits.is_reached()
        && runner.gone().is_none()
        && !(until_first && all.not_right() > 0)
        && !all.is_endless()
    {
        let end = (next + BATCH).min(seeds.end);
        all.add(runner.count(next..end, until_first, &|| limits.is_reached())?);
        next = end;
        each(next - seeds.start);
    }
    Ok(all)
}
