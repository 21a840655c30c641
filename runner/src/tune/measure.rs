//! One measurement after the other, each taken once.

use std::sync::Arc;

use margay_litmus::test::Test;

use super::{Journal, StressMeasurement, TuningControl, TuningSettings, TuningStop};
use crate::device::{Counts, Device, Request};
use crate::emit::Environment;

/// How long launches of one measurement may take.
const WATCHDOG: std::time::Duration = std::time::Duration::from_secs(60);

/// The measurements that a device makes ready together.
const AT_ONCE: usize = 64;

/// A measurement: its name, the number of its test, and the environment.
pub(super) type NamedMeasurement = (String, usize, Environment);

/// The name of a measurement in the journal.
fn full(test: &str, name: &str) -> String {
    format!("{test} {name}")
}

/// Where measurements are taken.
pub(super) struct Bench<'a> {
    device: &'a mut dyn Device,
    pub tests: &'a [(String, Test)],
    pub settings: &'a TuningSettings,
    journal: &'a mut Journal,
    control: &'a mut dyn TuningControl,
    stage: String,
    done: usize,
    of: usize,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        device: &'a mut dyn Device,
        tests: &'a [(String, Test)],
        settings: &'a TuningSettings,
        journal: &'a mut Journal,
        control: &'a mut dyn TuningControl,
    ) -> Self {
        Self { device, tests, settings, journal, control, stage: String::new(), done: 0, of: 0 }
    }

    /// Begins a stage of so many measurements.
    pub(super) fn stage(&mut self, name: &str, of: usize) {
        (self.stage, self.done, self.of) = (name.to_owned(), 0, of);
    }

    /// Takes measurements one after the other, made ready together.
    pub(super) fn all(
        &mut self,
        steps: &[NamedMeasurement],
    ) -> Result<Vec<StressMeasurement>, TuningStop> {
        let mut all = Vec::with_capacity(steps.len());
        for steps in steps.chunks(AT_ONCE) {
            self.prepare(steps);
            for (name, test, environment) in steps {
                all.push(self.measure(name, *test, environment)?);
            }
        }
        Ok(all)
    }

    /// Lets the device make measurements ready that come next, but for those that the journal has.
    fn prepare(&mut self, next: &[NamedMeasurement]) {
        if self.control.stopped() {
            return;
        }
        let (tests, journal) = (self.tests, &self.journal);
        let missing = next
            .iter()
            .filter(|(name, test, _)| journal.get(&full(&tests[*test].0, name)).is_none());
        let missing: Vec<_> =
            missing.map(|(_, test, environment)| (&tests[*test].1, environment)).collect();
        self.device.prepare(&missing);
    }

    /// Runs a test in an environment, unless the journal has the result.
    fn measure(
        &mut self,
        name: &str,
        test: usize,
        environment: &Environment,
    ) -> Result<StressMeasurement, TuningStop> {
        let (test_name, test) = &self.tests[test];
        let name = full(test_name, name);
        self.done += 1;
        self.control.progress(&self.stage, self.done, self.of);
        if let Some(known) = self.journal.get(&name) {
            return Ok(known);
        }
        if self.control.stopped() {
            return Err(TuningStop::Stopped);
        }
        let seed = self.settings.seed ^ number(&name);
        let (instances, environment) = (self.settings.instances, environment.clone());
        // A measurement is short: it is taken as a whole, and the search stops between two.
        let request = Request {
            instances,
            seed,
            environment,
            watchdog: WATCHDOG,
            stop: Arc::default(),
            compiled: None,
        };
        let counts = self.device.run(test, &request).map_err(TuningStop::Failed)?;
        // The machine on the CPU has no environment, and its time says nothing.
        let seconds =
            if self.device.description().environments { counts.seconds.max(1e-9) } else { 1.0 };
        let measured =
            StressMeasurement { weak: weak(&counts), instances: counts.instances, seconds };
        self.journal.put(&name, measured).map_err(TuningStop::Journal)?;
        Ok(measured)
    }
}

/// How often the outcome was seen that the test asks about.
pub(super) fn weak(counts: &Counts) -> u64 {
    counts.histogram.iter().filter(|(o, _)| counts.observed.asked(o)).map(|(_, n)| n).sum()
}

/// A number from a name (FNV-1a), so that each measurement has a seed of its own, the same in every
/// order.
fn number(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |n, b| (n ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}
