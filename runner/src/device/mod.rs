//! What runs tests: the machine on the CPU and a GPU, behind one face.

mod build;
#[cfg(not(target_family = "wasm"))]
mod cuda;
#[cfg(target_family = "wasm")]
mod no_cuda;
mod planted;
mod shape;
mod sim;
#[cfg(not(target_family = "wasm"))]
mod watchdog;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use margay_litmus::test::Test;

use crate::emit::{CompiledProgram, EmissionError, Environment};
use crate::outcome::{Histogram, Observed};
use crate::sim as machine;

pub use build::{Artifact, Assemble, BuildSubject, Image, assemble, by, emit};
#[cfg(not(target_family = "wasm"))]
pub use cuda::{Cuda, CudaArray, CudaProgram, ProgramLaunch};
#[cfg(target_family = "wasm")]
pub use no_cuda::NoCuda as Cuda;
pub use planted::{Failing, PlantedFault, Titan};
pub use shape::DeviceShape;
pub use sim::SimulatedDevice;

/// How to run a test.
#[derive(Debug, Clone)]
pub struct Request {
    /// How many instances; a GPU runs whole launches, and so perhaps more.
    pub instances: u64,
    /// Of the schedules, or of the permutations of each launch.
    pub seed: u64,
    /// The test environment, of GPUs alone.
    pub environment: Environment,
    /// What a compiler made of the test, to be run in its place; GPUs alone run it.
    pub compiled: Option<Arc<CompiledProgram>>,
    /// How long a number of launches may take before the device is given up.
    pub watchdog: Duration,
    /// Raised when the run should end early; what has been counted until then is the answer.
    pub stop: Arc<AtomicBool>,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// What the outcomes are values of.
    pub observed: Observed,
    /// The outcomes that pass the test's filter.
    pub histogram: Histogram,
    /// Instances that were run.
    pub instances: u64,
    /// Did [`Request::stop`] end the run before all instances that were asked for?
    pub stopped: bool,
    /// Instances with a thread that was given up.
    pub stuck: u64,
    /// Instances whose values fit no key of the table on the device, or found no place in it.
    pub uncounted: u64,
    pub launches: u64,
    /// Seconds, launches and reduction included.
    pub seconds: f64,
    /// What ran, on GPUs.
    pub kernel: Option<Artifact>,
}

/// The clocks of a device, as it says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// Of the multiprocessors, in kHz.
    pub core_khz: u32,
    /// Of the memory, in kHz.
    pub memory_khz: u32,
}

/// What a device is, for results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceDescription {
    /// As the driver calls it; made-up devices have names of their own.
    pub name: String,
    /// The target of its kernels, `sm_90`.
    pub target: Option<String>,
    /// The version of the driver.
    pub driver: Option<String>,
    pub clocks: Option<Clocks>,
    /// What it can run at once.
    pub shape: Option<DeviceShape>,
    /// It is no hardware: what it shows says nothing of a GPU.
    pub simulated: bool,
    /// Does the test environment make a difference to it? To every GPU.
    pub environments: bool,
}

impl DeviceDescription {
    /// What stands before everything that a simulated device shows; of hardware nothing.
    pub fn mark(&self) -> &'static str {
        if self.simulated { "simulated: " } else { "" }
    }
}

/// Was a device given up while it worked? Then the driver would wait for it when the program ends
/// in an orderly way, perhaps for ever: [`abandoned`].
static ABANDONED: AtomicBool = AtomicBool::new(false);

/// A device is given up: nobody who holds it lets go of it.
pub fn abandon() {
    ABANDONED.store(true, Ordering::Relaxed);
}

/// Has a device been given up that may still be working? The program has to end without letting go
/// of anything.
pub fn abandoned() -> bool {
    ABANDONED.load(Ordering::Relaxed)
}

/// Why a test was not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceFailure {
    /// There is no such device here.
    Absent(String),
    /// The machine cannot run the test.
    Machine(machine::UnfoldError),
    /// There is no kernel for the test.
    Kernel(EmissionError),
    /// The driver or the assembler refuses the kernel: its log.
    Refused(String),
    /// The machine code is not what the test says: one sentence for each difference.
    Differs(Vec<String>),
    /// The machine code was not compared with the test, though that was asked for: what assembled
    /// it.
    Uncompared(String),
    /// Launches did not end in time.
    Hung(Duration),
    /// The device failed while it ran.
    Lost(String),
}

impl fmt::Display for DeviceFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(why) => f.write_str(why),
            Self::Machine(e) => write!(f, "{e}"),
            Self::Kernel(e) => write!(f, "{e}"),
            Self::Refused(log) => write!(f, "the driver refuses the kernel: {log}"),
            Self::Differs(why) => write!(
                f,
                "the machine code is not what the test says, so it was not run: {}",
                why.join("; ")
            ),
            Self::Uncompared(by) => write!(
                f,
                "the machine code ({by}) could not be compared with the test, so it was not run; --toolkit names a folder with ptxas and nvdisasm"
            ),
            Self::Hung(limit) => {
                write!(
                    f,
                    "the kernel did not end within {limit:?}; the GPU is given up (a longer --watchdog waits longer)"
                )
            }
            Self::Lost(why) => write!(f, "the GPU failed: {why}"),
        }
    }
}

impl DeviceFailure {
    /// Is it the device that failed, so that no other test can be run on it?
    pub fn is_of_device(&self) -> bool {
        matches!(self, Self::Absent(_) | Self::Lost(_) | Self::Hung(_))
    }
}

impl std::error::Error for DeviceFailure {}

/// Something that runs tests.
pub trait Device {
    /// Name, target, driver and clocks, for results.
    fn description(&self) -> &DeviceDescription;

    /// Makes ready what runs of tests in environments need, on all cores at once. What cannot be
    /// made ready is told when it is run.
    fn prepare(&mut self, _tests: &[(&Test, &Environment)]) {}

    /// Runs instances of a test.
    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure>;
}
