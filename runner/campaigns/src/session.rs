//! A device, opened, and the environment that tests run in.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;
use margay_models::limited;
use margay_runner::device::{
    self, Cuda, Device, DeviceFailure, Failing, Request, SimulatedDevice, Titan,
};
use margay_runner::emit::Environment;
use margay_runner::sass::Toolkit;
use margay_runner::sim;
use margay_runner::tune::Profile;

/// What runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceName {
    /// A machine on the CPU.
    Sim(sim::MachineModel),
    /// A made-up GPU whose best environment is known.
    Titan,
    /// A made-up device whose third kernel never ends.
    Hangs,
    /// A made-up device that is gone at its third test.
    Lost,
    /// The first GPU that the CUDA driver has.
    Cuda,
}

/// What runs tests, and how.
#[derive(Debug, Clone)]
pub struct CampaignDevice {
    /// What runs them.
    pub device: DeviceName,
    /// The seed of the schedules, or of the layout of each launch.
    pub seed: u64,
    /// What is changed in the environment, as `Environment::parse` reads it.
    pub environment: String,
    /// A file with the environment to start from.
    pub profile: Option<PathBuf>,
    /// The folder with ptxas and nvdisasm, if not what is at hand.
    pub toolkit: Option<PathBuf>,
    /// Is machine code refused that was not compared with its test?
    pub require_comparison: bool,
    /// A device whose launches take longer is given up.
    pub watchdog: Duration,
}

/// A device and what it is asked to do.
pub struct CampaignSession {
    /// The device. One that was given up while it worked is not let go of: that would wait for it.
    pub device: ManuallyDrop<Box<dyn Device>>,
    /// Instances, seed and environment.
    pub request: Request,
}

impl Drop for CampaignSession {
    fn drop(&mut self) {
        if !device::abandoned() {
            // SAFETY: nobody uses it after this, and it is dropped here alone.
            unsafe { ManuallyDrop::drop(&mut self.device) };
        }
    }
}

/// Why there is no session.
pub enum Closed {
    /// The command is wrong.
    Wrong(Diagnostic),
    /// There is no device.
    Device(DeviceFailure),
}

impl Closed {
    pub fn end(self, output: &Output) -> CommandOutcome {
        match self {
            Self::Wrong(error) => output.wrong(&[error]),
            Self::Device(failure) => absent(&failure, output),
        }
    }
}

/// One sentence: there is no device, or it is gone.
pub fn absent(failure: &DeviceFailure, output: &Output) -> CommandOutcome {
    output.wrong(&[
        Diagnostic::error(failure.to_string()).help("--device sim runs tests on the CPU")
    ])?;
    Ok(Exit::Undecided)
}

/// The vendor's programs: those of the folder named, or what is at hand.
///
/// # Errors
/// They are not in the folder named.
pub fn toolkit(named: Option<&Path>) -> Result<Option<Toolkit>, Diagnostic> {
    match named {
        None => Ok(Toolkit::find()),
        Some(folder) => match Toolkit::at(folder) {
            Some(toolkit) => Ok(Some(toolkit)),
            None => Err(no_toolkit(&format!("in `{}`", folder.display()))),
        },
    }
}

/// They are not there.
pub fn no_toolkit(place: &str) -> Diagnostic {
    Diagnostic::error(format!("there are no ptxas and nvdisasm {place}"))
        .help("name their folder with --toolkit, such as /usr/local/cuda, or in MARGAY_TOOLKIT; .ci/toolkit downloads them into target/toolkit")
}

/// The environment that `--environment` says.
///
/// # Errors
/// It says none.
pub fn environment(text: &str) -> Result<Environment, Diagnostic> {
    Environment::parse(text).map_err(|why| Diagnostic::error(format!("--environment: {why}")))
}

impl CampaignSession {
    /// Opens the device, and reads profile and environment.
    ///
    /// # Errors
    /// The profile or the environment is wrong, or there is no such device.
    pub fn open(on: &CampaignDevice, instances: u64, output: &Output) -> Result<Self, Closed> {
        if instances == 0 {
            return Err(Closed::Wrong(
                Diagnostic::error("0 instances show nothing").help("give --instances at least 1"),
            ));
        }
        let profile = on.profile.as_deref().map(profile).transpose().map_err(Closed::Wrong)?;
        let base = match &profile {
            Some(profile) => Environment::parse(&profile.environment)
                .map_err(|why| Closed::Wrong(Diagnostic::error(why.to_string())))?,
            None => Environment::default(),
        };
        if on.require_comparison && on.device != DeviceName::Cuda {
            return Err(Closed::Wrong(
                Diagnostic::error(
                    "--require-comparison is about machine code, and a simulated device runs none",
                )
                .help("leave it out, or run on a GPU with --device cuda"),
            ));
        }
        let environment = base.with(&on.environment);
        let environment = environment
            .map_err(|why| Closed::Wrong(Diagnostic::error(format!("--environment: {why}"))))?;
        let device: Box<dyn Device> = match on.device {
            DeviceName::Sim(machine) => Box::new(SimulatedDevice::new(machine)),
            DeviceName::Titan => Box::new(Titan::default()),
            DeviceName::Hangs => Box::new(Failing::new(device::PlantedFault::Hangs)),
            DeviceName::Lost => Box::new(Failing::new(device::PlantedFault::Lost)),
            DeviceName::Cuda => {
                let toolkit = toolkit(on.toolkit.as_deref()).map_err(Closed::Wrong)?;
                Box::new(Cuda::open(toolkit, on.require_comparison).map_err(Closed::Device)?)
            }
        };
        if let Some(profile) = profile.filter(|p| !p.is_of(device.description())) {
            let (of, here) = (&profile.device.name, &device.description().name);
            output.warn(&[Diagnostic::warning(format!(
                "the profile is of `{of}`, and this is `{here}`"
            ))]);
        }
        let request = Request {
            instances,
            seed: on.seed,
            environment,
            watchdog: on.watchdog,
            stop: Arc::default(),
            compiled: None,
        };
        Ok(Self { device: ManuallyDrop::new(device), request })
    }
}

fn profile(path: &Path) -> Result<Profile, Diagnostic> {
    let wrong = |why: String| {
        Diagnostic::error(format!("`{}`: {why}", path.display()))
            .help("`margay gpu tune FILE` writes a profile")
    };
    let text = limited::text(path, 1 << 20).map_err(|e| wrong(format!("cannot read: {e}")))?;
    Profile::read(&text).map_err(|why| wrong(why.to_string()))
}
