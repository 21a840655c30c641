//! Devices that are made up: one whose best environment is known, and two that fail. They show that
//! tuning finds what is there, and that a campaign outlives a device, where there is no GPU to show
//! it on.

use std::collections::BTreeMap;
use std::time::Duration;

use margay_litmus::test::Test;

use super::{Counts, Device, DeviceDescription, DeviceFailure, Request, SimulatedDevice, abandon};
use crate::emit::{Count, Environment, GpuTarget, Stress, kernel, sequence_text};
use crate::outcome::Observed;
use crate::sim::MachineModel;

/// A GPU as Sorensen and Donaldson describe Titan (PLDI 2016, section 3 and Table 2): patches of 32
/// words, of which some provoke weak outcomes, depending on the distance; the sequence
/// `ld-st-st-ld` works best, a spread of 2, and nothing without stress or at distances below 32.
/// Threads that change places double what is seen, as memory stress of another kind shows a tenth.
/// How often exactly is made up. Tests other than MP, LB and SB run on the machine on the CPU.
#[derive(Debug, Clone)]
pub struct Titan {
    description: DeviceDescription,
    others: SimulatedDevice,
}

impl Default for Titan {
    fn default() -> Self {
        let name = "sim:titan (made up after PLDI 2016)".to_owned();
        let description = DeviceDescription {
            name,
            simulated: true,
            environments: true,
            ..DeviceDescription::default()
        };
        Self { description, others: SimulatedDevice::new(MachineModel::Weak) }
    }
}

impl Titan {
    /// Weak outcomes in 100,000 instances of one of the three tests.
    pub fn weak(test: &str, e: &Environment) -> Option<u64> {
        let of_test = match test {
            "MP" => 100,
            "LB" => 60,
            "SB" => 90,
            _ => return None,
        };
        if e.stress_ctas == Count::Fixed(0) || e.distance.is_some_and(|d| d < 32) {
            return Some(0);
        }
        let kind = if e.stress == Stress::Sequence { 10 } else { 1 };
        let sequence = match sequence_text(&e.stress_sequence).as_str() {
            "ld-st-st-ld" => 10,
            // Better for one test, worse for the others.
            "ld-ld-ld-st-ld" if test == "MP" => 11,
            "ld-ld-st" if test == "LB" => 11,
            s if s.contains("ld") && s.contains("st") => 6,
            _ => 1,
        };
        if e.stress_regions == 1 {
            let region = e.stress_first / 32;
            let loud = [1, 4, 6].contains(&((region + e.distance.unwrap_or(0) / 32) % 8));
            return Some(if loud { of_test * sequence } else { u64::from(e.stress_first % 3) });
        }
        let spread = 20u64.saturating_sub(u64::from(e.stress_spread.abs_diff(2)));
        let patch = if e.stress_patch == 32 { 4 } else { 1 };
        let places = if e.shuffle { 2 } else { 1 };
        Some(of_test * sequence * spread * kind * patch * places / 80)
    }
}

impl Device for Titan {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
        let instances = request.instances;
        let Some(weak) = Self::weak(&test.name, &request.environment) else {
            return self.others.run(test, request);
        };
        // What it is asked to run has to be a kernel.
        kernel(test, GpuTarget(90), &request.environment).map_err(DeviceFailure::Kernel)?;
        let observed = Observed::new(test, |_| 0);
        let outcome =
            |asked| (0..=3).map(|n| vec![n & 1, n >> 1]).find(|o| observed.asked(o) == asked);
        let (Some(asked), Some(other)) = (outcome(true), outcome(false)) else {
            return self.others.run(test, request);
        };
        let weak =
            (u128::from(weak) * u128::from(instances) / 100_000).min(u128::from(instances)) as u64;
        let histogram = BTreeMap::from([(asked, weak), (other, instances - weak)]);
        // Instances a second of a launch without stress, and with it, as MC Mutants reports of
        // NVIDIA's (ASPLOS 2023).
        let rate = if request.environment.stress_ctas == Count::Fixed(0) { 2.2e7 } else { 1.2e7 };
        let seconds = instances as f64 / rate;
        Ok(Counts {
            observed,
            histogram,
            instances,
            stopped: false,
            stuck: 0,
            uncounted: 0,
            launches: 1,
            seconds,
            kernel: None,
        })
    }
}

/// How a device fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantedFault {
    /// A kernel does not end, and neither does the driver's own tidying up at the end of the
    /// program.
    Hangs,
    /// The device is gone.
    Lost,
}

/// The machine on the CPU, which fails at its third test.
#[derive(Debug, Clone)]
pub struct Failing {
    description: DeviceDescription,
    machine: SimulatedDevice,
    fault: PlantedFault,
    ran: u32,
}

impl Failing {
    /// One that fails so.
    pub fn new(fault: PlantedFault) -> Self {
        let name = match fault {
            PlantedFault::Hangs => "sim:hangs (made up: its third kernel never ends)",
            PlantedFault::Lost => "sim:lost (made up: gone at its third test)",
        };
        let description = DeviceDescription {
            name: name.to_owned(),
            simulated: true,
            ..DeviceDescription::default()
        };
        Self { description, machine: SimulatedDevice::new(MachineModel::Weak), fault, ran: 0 }
    }
}

impl Device for Failing {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
        self.ran += 1;
        match self.fault {
            _ if self.ran < 3 => self.machine.run(test, request),
            PlantedFault::Lost => {
                Err(DeviceFailure::Lost("it has fallen off the bus (made up)".to_owned()))
            }
            PlantedFault::Hangs => {
                std::thread::sleep(request.watchdog.min(Duration::from_millis(200)));
                abandon();
                Err(DeviceFailure::Hung(request.watchdog))
            }
        }
    }
}

impl Drop for Failing {
    fn drop(&mut self) {
        // As the driver does, which waits for a kernel before it lets go of what it uses.
        if self.fault == PlantedFault::Hangs && self.ran >= 3 {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
    }
}
