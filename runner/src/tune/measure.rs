//! One measurement after the other, each taken once.

use std::sync::Arc;

use margay_litmus::test::Test;

use super::{Control, Journal, Measured, Settings, Stop};
use crate::device::{Counts, Device, Request};
use crate::emit::Environment;

/// How long launches of one measurement may take.
const WATCHDOG: std::time::Duration = std::time::Duration::from_secs(60);

/// Where measurements are taken.
pub(super) struct Bench<'a> {
    device: &'a mut dyn Device,
    pub tests: &'a [(String, Test)],
    pub settings: &'a Settings,
    journal: &'a mut Journal,
    control: &'a mut dyn Control,
    stage: String,
    done: usize,
    of: usize,
}

impl<'a> Bench<'a> {
    pub fn new(
        device: &'a mut dyn Device,
        tests: &'a [(String, Test)],
        settings: &'a Settings,
        journal: &'a mut Journal,
        control: &'a mut dyn Control,
    ) -> Self {
        Self { device, tests, settings, journal, control, stage: String::new(), done: 0, of: 0 }
    }

    /// Begins a stage of so many measurements.
    pub fn stage(&mut self, name: &str, of: usize) {
        (self.stage, self.done, self.of) = (name.to_owned(), 0, of);
    }

    /// Runs a test in an environment, unless the journal has the result.
    pub fn measure(&mut self, name: &str, test: usize, environment: &Environment) -> Result<Measured, Stop> {
        let (test_name, test) = &self.tests[test];
        let name = format!("{test_name} {name}");
        self.done += 1;
        self.control.progress(&self.stage, self.done, self.of);
        if let Some(known) = self.journal.get(&name) {
            return Ok(known);
        }
        if self.control.stopped() {
            return Err(Stop::Stopped);
        }
        let seed = self.settings.seed ^ number(&name);
        let (instances, environment) = (self.settings.instances, environment.clone());
        // A measurement is short: it is taken as a whole, and the search stops between two.
        let request = Request { instances, seed, environment, watchdog: WATCHDOG, stop: Arc::default() };
        let counts = self.device.run(test, &request).map_err(Stop::Failed)?;
        // The machine on the CPU has no environment, and its time says nothing.
        let seconds = if self.device.description().target.is_some() { counts.seconds.max(1e-9) } else { 1.0 };
        let measured = Measured { weak: weak(&counts), instances: counts.instances, seconds };
        self.journal.put(&name, measured).map_err(Stop::Journal)?;
        Ok(measured)
    }
}

/// How often the outcome was seen that the test asks about.
pub(super) fn weak(counts: &Counts) -> u64 {
    counts.histogram.iter().filter(|(o, _)| counts.observed.asked(o)).map(|(_, n)| n).sum()
}

/// A number from a name (FNV-1a), so that each measurement has a seed of its own, the same in every order.
fn number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |n, b| (n ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}
