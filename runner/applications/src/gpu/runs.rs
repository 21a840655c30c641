//! Runs of a version on a GPU, each from memory as it is before the first launch, and what they are
//! counted as.

use std::ops::Range;

use margay_runner::device::{self, CudaArray, DeviceFailure};

use super::version::ProgramVersion;
use super::{GpuBench, GpuEnd};
use crate::application::ApplicationLaunch;
use crate::campaign::{ApplicationRunner, RunCounts, RunVerdict};
use crate::environment::ApplicationEnvironment;
use crate::weave::WovenLaunch;

impl GpuBench<'_> {
    /// What a launch of a woven kernel is given: 15 to 50 % more blocks stress (section 4.2), as
    /// the seed has it.
    pub(super) fn woven(&self, launch: &ApplicationLaunch, seed: u64, rounds: u32) -> WovenLaunch {
        let mut rng = fastrand::Rng::with_seed(seed);
        let blocks = launch.block_count().unwrap_or(1);
        let least = (f64::from(blocks) * 0.15).ceil().max(1.0) as u32;
        let stressing = rng.u32(least..=(blocks / 2).max(least));
        WovenLaunch {
            scratchpad: self.memory.scratchpad.as_ref().map_or(0, CudaArray::address),
            seed: rng.u32(..),
            first: self.systematic.stress_first,
            rounds: rounds.max(1),
            stressing,
            blocks: launch.launch.blocks,
            shuffle: true,
        }
    }

    /// Queues all launches and checks of a run, from memory as it is before the first.
    fn queue_run(&self, version: &ProgramVersion, seed: u64) -> Result<(), DeviceFailure> {
        let program = &version.program;
        self.reset(program)?;
        let is_woven = |kernel: &str| self.application.launches.iter().any(|l| l.kernel == kernel);
        for (n, launch) in self.application.launches.iter().enumerate() {
            let woven = version.weaving.as_ref().map(|weaving| {
                let woven = self.woven(
                    launch,
                    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n as u64,
                    weaving.rounds[n],
                );
                let stressing = if weaving.stresses { woven.stressing } else { 0 };
                WovenLaunch { stressing, shuffle: weaving.shuffle, ..woven }
            });
            self.queue(program, launch, woven)?;
        }
        for check in &self.application.checks {
            // What looks at memory is not what is tested.
            let woven = (version.weaving.is_some() && is_woven(&check.kernel)).then(|| {
                WovenLaunch { stressing: 0, shuffle: false, ..self.woven(check, seed, 1) }
            });
            self.queue(program, check, woven)?;
        }
        Ok(())
    }

    fn run(&self, version: &ProgramVersion, seed: u64) -> Result<RunVerdict, DeviceFailure> {
        self.queue_run(version, seed)?;
        let program = &version.program;
        self.finish()?;
        let cuda = &self.memory.cuda;
        let mut stopped = [0; 4];
        cuda.read(program.stopped, &mut stopped)?;
        if stopped != [0; 4] {
            return Ok(RunVerdict::Wrong(
                "a thread stopped with an error (`trap`, or an assertion that fails)".to_owned(),
            ));
        }
        let words = |name: &str| {
            let of_file = self.application.arrays.iter().position(|a| a.name == name);
            let (address, bytes) = match of_file {
                Some(n) => (self.memory.arrays[n].0.address(), self.memory.arrays[n].0.bytes()),
                None => program
                    .variables
                    .iter()
                    .find(|v| v.name == name)
                    .map_or((0, 0), |v| (v.address, v.bytes)),
            };
            let mut all = vec![0; bytes / 4 * 4];
            cuda.read(address, &mut all)?;
            Ok(all
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect())
        };
        Ok(self.application.violation(words)?.map_or(RunVerdict::Right, RunVerdict::Wrong))
    }

    /// Many runs. A run without an end, and one with an access outside of memory, are counted and
    /// end the device.
    ///
    /// # Errors
    /// A launch is refused.
    fn count(
        &mut self,
        version: &ProgramVersion,
        seeds: Range<u64>,
        until_first: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<RunCounts, GpuEnd> {
        let mut counts = RunCounts::default();
        for seed in seeds {
            if stop() || self.gone.is_some() || (until_first && counts.not_right() > 0) {
                break;
            }
            match self.run(version, seed) {
                Ok(verdict) => counts.count(seed, verdict),
                Err(DeviceFailure::Hung(limit)) => {
                    counts.count(
                        seed,
                        RunVerdict::TimeOut(format!("it had not ended after {limit:?}")),
                    );
                    self.gone = Some("a run had no end, and the GPU is given up".to_owned());
                }
                Err(failure) if failure.is_of_device() => {
                    counts.count(seed, RunVerdict::Wrong(failure.to_string()));
                    self.gone = Some(failure.to_string());
                    device::abandon();
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(counts)
    }
}

/// Runs of an application on a GPU in one environment.
pub(crate) struct GpuRunner<'b, 'a> {
    bench: &'b mut GpuBench<'a>,
    environment: &'b ApplicationEnvironment,
    program: Option<ProgramVersion>,
    notes: Vec<String>,
}

impl<'b, 'a> GpuRunner<'b, 'a> {
    pub(crate) fn new(
        bench: &'b mut GpuBench<'a>,
        environment: &'b ApplicationEnvironment,
    ) -> Self {
        Self { bench, environment, program: None, notes: Vec::new() }
    }

    /// What was not looked at.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

impl ApplicationRunner for GpuRunner<'_, '_> {
    fn load(&mut self, text: &str) -> Result<(), String> {
        self.program = None;
        if let Some(why) = self.bench.gone() {
            return Err(why.to_owned());
        }
        let loaded = self.bench.load(text, self.environment, &mut self.notes);
        self.program = Some(loaded.map_err(|end| self.bench.ended(end))?);
        Ok(())
    }

    fn count(
        &mut self,
        seeds: Range<u64>,
        until_first: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunCounts, String> {
        let Some(program) = &self.program else { return Err("no version is loaded".to_owned()) };
        self.bench.count(program, seeds, until_first, stop).map_err(|end| match end {
            GpuEnd::Refused(why) | GpuEnd::Gone(why) => why,
        })
    }

    fn gone(&self) -> Option<&str> {
        self.bench.gone()
    }
}
