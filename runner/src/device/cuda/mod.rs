//! A GPU through the CUDA driver, whose library is loaded when it is first asked for.
//!
//! It was run on an H100 (results/hardware.md); older GPUs and drivers were not at hand. The
//! kernels are what `gpu check` compares.

mod batch;
mod library;
mod mapping;
mod memory;
mod module;
mod occupancy;
mod program;

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUdevice_attribute, CUdeviceptr, CUfunction};
use cudarc::driver::{CudaContext, CudaStream, DevicePtr, DriverError, result};
use margay_litmus::test::Test;
use rayon::prelude::*;

use self::batch::Batch;
use self::memory::DeviceMemory;
use self::module::{LoadedModule, link};
pub use self::program::{CudaArray, CudaProgram, ProgramLaunch};
use super::build::{BuildSubject, assemble, by, emit, uncompared};
use super::watchdog::watch;
use super::{
    Artifact, Clocks, Counts, Device, DeviceDescription, DeviceFailure, DeviceShape, Image,
    Request, abandon,
};
use crate::emit::{Environment, GpuTarget, OUTCOMES, TestKernel};
use crate::sass::{self, Toolkit};

/// The first GPU.
pub struct Cuda {
    stream: Arc<CudaStream>,
    context: Arc<CudaContext>,
    target: GpuTarget,
    shape: DeviceShape,
    description: DeviceDescription,
    /// The vendor's programs, and what the assembler calls itself.
    toolkit: Option<(Toolkit, String)>,
    /// What ran last: runs that differ in the place of stress alone have the same text.
    last: Option<LoadedKernel>,
    /// Is machine code that could not be compared not to be run?
    demands: bool,
    /// What [`Device::prepare`] made, by the text of the kernel, written plainly.
    prepared: HashMap<String, CudaResult>,
}

/// What was made of a kernel, and that in the driver.
struct LoadedKernel {
    /// The text of the kernel, written plainly.
    plain: String,
    artifact: Artifact,
    module: LoadedModule,
}

impl Cuda {
    /// Opens it. Where there is no driver, no GPU, or one before sm_70, the error is one sentence.
    /// With the vendor's programs, machine code is compared with its test before it runs; `demands`
    /// says that what could not be compared is not to run.
    pub fn open(toolkit: Option<Toolkit>, demands: bool) -> Result<Self, DeviceFailure> {
        library::load()?;
        // Cudarc panics where the library lacks a function. Nothing has been opened then, and there
        // is nothing to be said beyond that.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            Self::opened(toolkit, demands)
        }));
        std::panic::set_hook(hook);
        opened.unwrap_or_else(|_| {
            Err(DeviceFailure::Absent(
                "the CUDA driver is too old: its library lacks functions that are needed here (CUDA 12)".to_owned(),
            ))
        })
    }

    fn opened(toolkit: Option<Toolkit>, demands: bool) -> Result<Self, DeviceFailure> {
        let absent = |e: DriverError| {
            DeviceFailure::Absent(format!("the CUDA driver has no GPU to run on: {}", words(e)))
        };
        let context = CudaContext::new(0).map_err(absent)?;
        let (major, minor) = context.compute_capability().map_err(absent)?;
        let name = context.name().map_err(absent)?;
        let target = GpuTarget((major * 10 + minor) as u32);
        if target < GpuTarget::SMALLEST {
            return Err(DeviceFailure::Absent(format!(
                "the GPU ({name}, {target}) is older than sm_70, the first with scoped accesses"
            )));
        }
        let mut version = 0;
        // SAFETY: writes one integer.
        unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(absent)?;
        let cuda = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
        let driver = installed().map_or(cuda.clone(), |installed| format!("{installed}, {cuda}"));
        let stream = context.new_stream().map_err(absent)?;
        let attribute = |which| context.attribute(which).map(|n| n.max(0) as u32).map_err(absent);
        let shape = DeviceShape {
            multiprocessors: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            )?,
            threads: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            )?,
            ctas: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            l2_bytes: u64::from(attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        };
        // A virtual machine may hide its clocks: no reason not to run.
        let clock = |which| attribute(which).ok();
        let clocks = clock(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
            .zip(clock(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE))
            .map(|(core_khz, memory_khz)| Clocks { core_khz, memory_khz });
        let description = DeviceDescription {
            name,
            target: Some(target.to_string()),
            driver: Some(driver),
            clocks,
            shape: Some(shape),
            simulated: false,
            environments: true,
        };
        let toolkit = toolkit.map(|toolkit| (toolkit.clone(), toolkit.assembler(target)));
        Ok(Self {
            stream,
            context,
            target,
            shape,
            description,
            toolkit,
            last: None,
            demands,
            prepared: HashMap::new(),
        })
    }
}

/// The version of the driver's kernel module (Linux): `570.86.15`.
fn installed() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let version = text
        .lines()
        .next()?
        .split_whitespace()
        .find(|w| w.contains('.') && w.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(version.to_owned())
}

/// What the driver says of an error.
fn words(error: DriverError) -> String {
    error
        .error_string()
        .map_or_else(|_| format!("error {:?}", error.0), |s| s.to_string_lossy().into_owned())
}

fn lost(error: DriverError) -> DeviceFailure {
    DeviceFailure::Lost(words(error))
}

/// What a launch or an allocation that did not succeed says of the device. What is asked for may be
/// too much, and then other tests can still be run; any other error stays with the context (CUDA
/// driver API, `CUresult`).
fn refused(error: DriverError) -> DeviceFailure {
    use sys::CUresult as E;
    match error.0 {
        E::CUDA_ERROR_INVALID_VALUE
        | E::CUDA_ERROR_OUT_OF_MEMORY
        | E::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
        | E::CUDA_ERROR_INVALID_CLUSTER_SIZE
        | E::CUDA_ERROR_NOT_SUPPORTED => DeviceFailure::Refused(words(error)),
        _ => lost(error),
    }
}

/// A parameter of a kernel: the driver wants its address.
enum KernelParameter {
    Pointer(CUdeviceptr),
    Word(u32),
}

impl Cuda {
    fn launch(
        &self,
        function: CUfunction,
        grid: u32,
        block: u32,
        parameters: &mut [KernelParameter],
    ) -> Result<(), DeviceFailure> {
        let mut addresses: Vec<*mut c_void> = parameters
            .iter_mut()
            .map(|p| match p {
                KernelParameter::Pointer(p) => std::ptr::from_mut(p).cast(),
                KernelParameter::Word(w) => std::ptr::from_mut(w).cast(),
            })
            .collect();
        // SAFETY: the parameters are those that the emitter declares for this kernel, in order and
        // of their sizes; the memory that they point to lives until the stream has done all. A
        // kernel with clusters says their size itself (.reqnctapercluster).
        unsafe {
            result::launch_kernel(
                function,
                (grid, 1, 1),
                (block, 1, 1),
                0,
                self.stream.cu_stream(),
                &mut addresses,
            )
        }
        .map_err(refused)
    }

    /// Waits for what was queued.
    fn wait(&self, limit: Duration) -> Result<(), DeviceFailure> {
        let start = Instant::now();
        // SAFETY: asks about a stream that lives.
        let done = || match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            sys::CUresult::CUDA_SUCCESS => Ok(true),
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            error => Err(lost(DriverError(error))),
        };
        let elapsed = || {
            let elapsed = start.elapsed();
            // Short launches are waited for without sleep.
            if elapsed > Duration::from_millis(1) {
                std::thread::sleep(Duration::from_micros(100));
            }
            elapsed
        };
        watch(limit, done, elapsed)
    }

    /// Runs the launches, or as many as there are until it is asked to stop; how many there were,
    /// and the seconds that they took.
    fn launches(
        &self,
        module: &LoadedModule,
        memory: &DeviceMemory,
        kernel: &TestKernel,
        request: &Request,
        launches: u64,
    ) -> Result<(u64, f64), DeviceFailure> {
        let pointer = KernelParameter::Pointer;
        let (locations, alias) = memory.addresses(&self.stream);
        let (results, _) = memory.results.device_ptr(&self.stream);
        let (scratchpad, _) = memory.scratchpad.device_ptr(&self.stream);
        let (arrived, _) = memory.arrived.device_ptr(&self.stream);
        let (keys, _) = memory.keys.device_ptr(&self.stream);
        let (counts, _) = memory.counts.device_ptr(&self.stream);
        // Of one instance alone the others need neither be reset nor collected.
        let each = kernel.counted.div_ceil(256);
        let mut rng = fastrand::Rng::with_seed(request.seed);
        self.wait(request.watchdog)?;
        let start = Instant::now();
        let mut done = 0;
        let mut batch = Batch::default();
        while done < launches && !(batch.is_empty() && request.stop.load(Ordering::Relaxed)) {
            batch.begin();
            done += 1;
            let launch = kernel.launch(&mut rng);
            self.launch(
                module.reset,
                each,
                256,
                &mut [pointer(locations), pointer(results), pointer(arrived)],
            )?;
            let parameters = &mut [
                pointer(locations),
                pointer(results),
                pointer(scratchpad),
                pointer(arrived),
                pointer(alias),
                KernelParameter::Word(launch.seed),
                KernelParameter::Word(launch.first),
            ];
            self.launch(module.test, launch.grid, launch.block, parameters)?;
            self.launch(
                module.collect,
                each,
                256,
                &mut [pointer(locations), pointer(results), pointer(keys), pointer(counts)],
            )?;
            if batch.is_full() || done == launches {
                self.wait(request.watchdog)?;
                batch.ended();
            }
        }
        Ok((done, start.elapsed().as_secs_f64()))
    }

    /// The machine code of a kernel, and that loaded: the one that ran last, or was prepared, if it
    /// is the same.
    fn load(
        &mut self,
        subject: BuildSubject<'_>,
        kernel: &TestKernel,
        environment: &Environment,
    ) -> Result<LoadedKernel, DeviceFailure> {
        let text = kernel.text();
        match self.last.take() {
            Some(last) if last.plain == text => Ok(last),
            _ => {
                let made = match self.prepared.remove(&text) {
                    Some(made) => made,
                    None => make(self.toolkit.as_ref(), subject, self.target, environment),
                };
                let (image, artifact) = match made {
                    // They may not know the GPU, or not work here, and the driver may be newer.
                    Err(DeviceFailure::Refused(why)) if self.toolkit.is_some() => self
                        .by_driver(subject, environment)
                        .map_err(|_| DeviceFailure::Refused(why))?,
                    made => made?,
                };
                let loaded = match (LoadedModule::load(&self.context, &image, &artifact), image) {
                    // The vendor's programs may be newer than the driver: then it assembles the
                    // text itself.
                    (Err(DeviceFailure::Refused(_)), Image::Binary(_)) => {
                        let (image, artifact) = self.by_driver(subject, environment)?;
                        let module = LoadedModule::load(&self.context, &image, &artifact)?;
                        LoadedKernel { plain: text, artifact, module }
                    }
                    (module, _) => LoadedKernel { plain: text, artifact, module: module? },
                };
                match loaded.artifact.compared {
                    None if self.demands => {
                        Err(DeviceFailure::Uncompared(loaded.artifact.assembler.clone()))
                    }
                    _ => Ok(loaded),
                }
            }
        }
    }

    /// What the driver makes of a test, compared where there is a disassembler.
    fn by_driver(
        &self,
        subject: BuildSubject<'_>,
        environment: &Environment,
    ) -> Result<(Image, Artifact), DeviceFailure> {
        let Some((toolkit, _)) = &self.toolkit else {
            return uncompared(subject, self.target, environment);
        };
        let assembled = |text: &str, level: u8| {
            let binary = link(&self.context, text, level)
                .map_err(|e| sass::ToolFailure::Refused(e.to_string()))?;
            let disassembly = toolkit.disassemble(&binary, self.target)?;
            Ok(sass::Assembled { binary, disassembly })
        };
        match assemble(subject, self.target, environment, ("driver", &assembled)) {
            // It may write what the disassembler at hand cannot read.
            Err(DeviceFailure::Refused(_)) => uncompared(subject, self.target, environment),
            made => made,
        }
    }

    /// The kernel for as many instances as run at once, where that is free: what one multiprocessor
    /// takes is known only when the driver has the machine code, with its registers and shared
    /// memory.
    fn fitted(
        &mut self,
        subject: BuildSubject<'_>,
        environment: &Environment,
    ) -> Result<(TestKernel, LoadedKernel), DeviceFailure> {
        let filled = self
            .shape
            .fill(environment, subject.test, self.target)
            .map_err(DeviceFailure::Kernel)?;
        let kernel = emit(subject, self.target, &filled)?;
        let loaded = self.load(subject, &kernel, &filled)?;
        let resident = loaded.module.resident(&kernel.layout, self.shape.multiprocessors)?;
        if resident == 0 {
            let threads = kernel.layout.block;
            return Err(DeviceFailure::Refused(format!(
                "no multiprocessor has room for a cta of {threads} threads of this kernel"
            )));
        }
        let real = DeviceShape { ctas: self.shape.ctas.min(resident), ..self.shape };
        let filled =
            real.fill(environment, subject.test, self.target).map_err(DeviceFailure::Kernel)?;
        let kernel_of_real = emit(subject, self.target, &filled)?;
        if kernel_of_real.layout == kernel.layout {
            return Ok((kernel, loaded));
        }
        let loaded = self.load(subject, &kernel_of_real, &filled)?;
        Ok((kernel_of_real, loaded))
    }
}

type CudaResult = Result<(Image, Artifact), DeviceFailure>;

/// What to load for a test in an environment of which nothing is left to the device.
fn make(
    toolkit: Option<&(Toolkit, String)>,
    subject: BuildSubject<'_>,
    target: GpuTarget,
    environment: &Environment,
) -> CudaResult {
    match toolkit {
        Some((toolkit, name)) => {
            assemble(subject, target, environment, (name, &by(toolkit, target)))
        }
        None => uncompared(subject, target, environment),
    }
}

impl Device for Cuda {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn prepare(&mut self, tests: &[(&Test, &Environment)]) {
        self.prepared.clear();
        // The driver assembles fast, and one text at a time; the vendor's programs take most of a
        // second each.
        let Some(toolkit) = &self.toolkit else { return };
        let (shape, target, last) = (self.shape, self.target, self.last.as_ref());
        let texts: BTreeMap<String, (&Test, Environment)> = tests
            .iter()
            .filter_map(|&(test, environment)| {
                // What has no kernel is told when it is run.
                let filled = shape.fill(environment, test, target).ok()?;
                Some((emit(test, target, &filled).ok()?.text(), (test, filled)))
            })
            .filter(|(text, _)| last.is_none_or(|last| last.plain != *text))
            .collect();
        self.prepared = texts
            .into_par_iter()
            .map(|(text, (test, environment))| {
                let made = make(Some(toolkit), test.into(), target, &environment);
                (text, made)
            })
            .collect();
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
        let subject = BuildSubject { test, compiled: request.compiled.as_deref() };
        let (kernel, loaded) = self.fitted(subject, &request.environment)?;
        let (kernel, module) = (&kernel, &loaded.module);
        let memory = DeviceMemory::new(self, kernel)?;
        let asked = request.instances.div_ceil(u64::from(kernel.counted)).max(1);
        let (launches, seconds) = match self.launches(module, &memory, kernel, request, asked) {
            Ok(ended) => ended,
            Err(failure) => {
                // Other tests can be run after a launch that was refused; what was queued before it
                // ends first.
                if failure.is_of_device() || self.wait(request.watchdog).is_err() {
                    // What still runs uses them, and to let go of them would wait for it. They go
                    // with the process.
                    std::mem::forget((
                        loaded,
                        memory,
                        self.context.clone(),
                        self.stream.clone(),
                        self.last.take(),
                    ));
                    abandon();
                }
                return Err(failure);
            }
        };
        let places = OUTCOMES as usize;
        let keys = self.stream.clone_dtoh(&memory.keys).map_err(lost)?;
        let counts = self.stream.clone_dtoh(&memory.counts).map_err(lost)?;
        let seen = keys
            .iter()
            .zip(&counts)
            .filter(|(key, count)| **key != TestKernel::EMPTY && **count > 0);
        let histogram: BTreeMap<_, _> = seen
            .map(|(key, count)| (kernel.outcome(*key), *count))
            .filter(|(o, _)| kernel.observed.counts(o))
            .collect();
        let artifact = loaded.artifact.clone();
        self.last = Some(loaded);
        Ok(Counts {
            observed: kernel.observed.clone(),
            histogram,
            instances: launches * u64::from(kernel.counted),
            stopped: launches < asked,
            stuck: counts[places],
            uncounted: counts[places + 1] + counts[places + 2],
            launches,
            seconds,
            kernel: Some(artifact),
        })
    }
}
