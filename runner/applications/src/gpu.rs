//! Runs of an application on a GPU: as it is, and with stress and randomisation woven in (PLDI
//! 2016, section 4.2).

mod runs;
mod version;

use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::Duration;

use margay_models::limited;
use margay_runner::device::{self, Cuda, CudaArray, Device, DeviceFailure, ProgramLaunch};
use margay_runner::emit::{Environment, Stress};
use margay_runner::sass::Toolkit;
use margay_runner::tune::Profile;

pub(crate) use runs::GpuRunner;
pub(crate) use version::ProgramVersion;

use crate::application::{Application, ApplicationLaunch};
use crate::environment::GpuSettings;
use crate::weave::WovenLaunch;
use version::{GpuProgram, MadeOfText};

/// What ended before its time on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GpuEnd {
    /// The application, or its kernels, cannot be run: a sentence.
    Refused(String),
    /// The device is gone.
    Gone(String),
}

impl From<DeviceFailure> for GpuEnd {
    fn from(failure: DeviceFailure) -> Self {
        if failure.is_of_device() {
            Self::Gone(failure.to_string())
        } else {
            Self::Refused(failure.to_string())
        }
    }
}

/// An application on a GPU.
pub(crate) struct GpuBench<'a> {
    application: &'a Application,
    /// One that was given up while it worked is not let go of: that would wait for it.
    memory: ManuallyDrop<GpuMemory>,
    systematic: Environment,
    watchdog: Duration,
    /// The stress with which a version was run on the machine of the CPU.
    computed: Vec<Stress>,
    /// The GPU is gone: why.
    gone: Option<String>,
}

struct GpuMemory {
    // What is allocated goes before the device does.
    /// What was made of the text that was loaded last, for all environments: woven texts by
    /// themselves, which differ in the kind of stress alone.
    made: Option<MadeOfText>,
    arrays: Vec<(CudaArray, CudaArray)>,
    scratchpad: Option<CudaArray>,
    cuda: Cuda,
}

impl Drop for GpuBench<'_> {
    fn drop(&mut self) {
        if !device::abandoned() {
            // SAFETY: nobody uses it after this, and it is dropped here alone.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}

impl<'a> GpuBench<'a> {
    /// Opens the first GPU, and puts the arrays of the application there.
    ///
    /// # Errors
    /// There is no GPU, no such profile, or too little memory.
    pub(crate) fn open(
        application: &'a Application,
        settings: &GpuSettings,
        toolkit: Option<Toolkit>,
    ) -> Result<Self, GpuEnd> {
        let systematic = match &settings.profile {
            Some(path) => profile(path).map_err(GpuEnd::Refused)?,
            None => Environment::default(),
        };
        let cuda = Cuda::open(toolkit, false)?;
        let mut arrays = Vec::new();
        for array in &application.arrays {
            let bytes = array.bytes();
            arrays.push((cuda.allocate(&bytes)?, cuda.allocate(&bytes)?));
        }
        let memory = ManuallyDrop::new(GpuMemory { made: None, arrays, scratchpad: None, cuda });
        Ok(Self {
            application,
            memory,
            systematic,
            watchdog: settings.watchdog,
            computed: Vec::new(),
            gone: None,
        })
    }

    /// The GPU is gone, so that no other run can be done: why.
    pub(crate) fn gone(&self) -> Option<&str> {
        self.gone.as_deref()
    }

    /// What the GPU is called.
    pub(crate) fn name(&self) -> String {
        self.memory.cuda.description().name.clone()
    }

    /// Where the GPU is on the bus.
    pub(crate) fn bus_address(&self) -> Option<String> {
        self.memory.cuda.bus_address()
    }

    fn reset(&self, program: &GpuProgram) -> Result<(), DeviceFailure> {
        let GpuMemory { arrays, cuda, .. } = &*self.memory;
        for (array, initial) in arrays {
            cuda.copy(initial.address(), array.address(), array.bytes())?;
        }
        for variable in &program.variables {
            cuda.copy(variable.initial.address(), variable.address, variable.bytes)?;
        }
        Ok(())
    }

    fn queue(
        &self,
        program: &GpuProgram,
        launch: &ApplicationLaunch,
        woven: Option<WovenLaunch>,
    ) -> Result<(), DeviceFailure> {
        let addresses: Vec<u64> =
            self.memory.arrays.iter().map(|(array, _)| array.address()).collect();
        let mut arguments = launch.bytes(&addresses);
        let mut blocks = launch.launch.blocks;
        if let Some(woven) = woven {
            let grid = woven.grid().ok_or_else(|| {
                DeviceFailure::Refused("a grid has at most 2^31 - 1 blocks".to_owned())
            })?;
            blocks = [grid, 1, 1];
            arguments.extend(woven.arguments());
        }
        let launch = ProgramLaunch {
            kernel: &launch.kernel,
            blocks,
            threads: launch.launch.threads,
            dynamic_shared: launch.launch.dynamic_shared,
            arguments: &arguments,
        };
        self.memory.cuda.queue(&program.program, &launch)
    }

    fn finish(&self) -> Result<(), DeviceFailure> {
        self.memory.cuda.finish(self.watchdog)
    }

    fn timed(&self, queue: impl FnOnce(&Self) -> Result<(), DeviceFailure>) -> Result<f64, GpuEnd> {
        Ok(self.memory.cuda.timed(self.watchdog, |_| queue(self))?)
    }

    /// Why something was not done; a GPU that is gone is given up.
    fn ended(&mut self, end: GpuEnd) -> String {
        match end {
            GpuEnd::Refused(why) => why,
            GpuEnd::Gone(why) => {
                self.gone = Some(why.clone());
                device::abandon();
                why
            }
        }
    }

    /// The seconds that the GPU takes for the launches of a run.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn seconds(&mut self, program: &ProgramVersion) -> Result<f64, String> {
        let run = || -> Result<f64, GpuEnd> {
            self.reset(&program.program)?;
            self.finish()?;
            self.timed(|bench| {
                bench
                    .application
                    .launches
                    .iter()
                    .try_for_each(|launch| bench.queue(&program.program, launch, None))
            })
        };
        run().map_err(|end| self.ended(end))
    }

    /// Does so many runs, and waits for their end.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn repeat(&mut self, program: &ProgramVersion, times: u32) -> Result<(), String> {
        let run = || -> Result<(), GpuEnd> {
            for _ in 0..times {
                self.reset(&program.program)?;
                for launch in &self.application.launches {
                    self.queue(&program.program, launch, None)?;
                }
            }
            Ok(self.finish()?)
        };
        run().map_err(|end| self.ended(end))
    }
}

/// The vendor's programs: those of the folder named and of no other, or what is at hand.
pub(crate) fn toolkit(named: Option<&Path>) -> Option<Toolkit> {
    named.map_or_else(Toolkit::find, Toolkit::at)
}

fn profile(path: &Path) -> Result<Environment, String> {
    let name = limited::name(path);
    let text = limited::text(path, 1 << 20).map_err(|e| format!("cannot read {name}: {e}"))?;
    let profile = Profile::read(&text)
        .map_err(|why| format!("{name} is no profile as `margay gpu tune` writes it: {why}"))?;
    // How a litmus test is laid out says nothing of an application.
    Environment::parse(&profile.environment).map_err(|why| why.to_string())
}
