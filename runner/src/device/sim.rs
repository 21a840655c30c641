//! The machine on the CPU as a device: each instance is a random schedule.

use std::sync::atomic::Ordering;
use std::time::Instant;

use margay_litmus::test::Test;

use super::{Counts, Device, DeviceDescription, DeviceFailure, Request};
use crate::sim::{MachineModel, SimulatedMachine};

/// The machine.
#[derive(Debug, Clone)]
pub struct SimulatedDevice {
    kind: MachineModel,
    description: DeviceDescription,
}

impl SimulatedDevice {
    /// The weak or the strong one.
    pub fn new(kind: MachineModel) -> Self {
        let description = DeviceDescription {
            name: format!("sim, {} machine", kind.name()),
            simulated: true,
            ..DeviceDescription::default()
        };
        Self { kind, description }
    }
}

impl Device for SimulatedDevice {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
        let machine = SimulatedMachine::new(test, self.kind).map_err(DeviceFailure::Machine)?;
        let start = Instant::now();
        let ended = || request.stop.load(Ordering::Relaxed);
        let runs =
            machine.run(request.instances, request.seed, ended).map_err(DeviceFailure::Machine)?;
        Ok(Counts {
            observed: machine.observed().clone(),
            histogram: runs.histogram,
            instances: runs.runs,
            stopped: runs.runs < request.instances,
            stuck: runs.stuck,
            uncounted: 0,
            launches: runs.runs,
            seconds: start.elapsed().as_secs_f64(),
            kernel: None,
        })
    }
}
