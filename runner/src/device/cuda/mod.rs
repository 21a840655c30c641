//! A GPU through the CUDA driver, whose library is loaded when it is first asked for.
//!
//! **Not yet run on hardware.** The kernels are what `gpu check` compares; the files here have been compiled and no more.

mod mapping;
mod module;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUdevice_attribute, CUdeviceptr, CUfunction};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError, result};
use margay_litmus::test::Test;

use self::mapping::Mapping;
use self::module::Module;
use super::watchdog::watch;
use super::{Built, Clocks, Counts, Description, Device, Failure, Request, Shape, build};
use crate::emit::{Kernel, OUTCOMES, Target};
use crate::sass::Toolkit;

/// Launches that are queued before it is asked whether they have ended.
const BATCH: u64 = 64;

/// The first GPU.
pub struct Cuda {
    stream: Arc<CudaStream>,
    context: Arc<CudaContext>,
    target: Target,
    shape: Shape,
    description: Description,
    toolkit: Option<Toolkit>,
    /// The module that ran last, with its text: runs that differ in the place of stress alone have the same one.
    last: Option<(String, Module)>,
}

impl Cuda {
    /// Opens it. Where there is no driver, no GPU, or one before sm_70, the error is one sentence. With the vendor's programs, machine code is
    /// compared with its test before it runs.
    pub fn open(toolkit: Option<Toolkit>) -> Result<Self, Failure> {
        // SAFETY: loads the driver's library, whose initialisers are NVIDIA's. Without this question cudarc panics where there is none.
        if !unsafe { sys::is_culib_present() } {
            return Err(Failure::Absent("there is no CUDA driver on this machine, so no GPU to run on".to_owned()));
        }
        let absent = |e: DriverError| Failure::Absent(format!("the CUDA driver has no GPU to run on: {}", words(e)));
        let context = CudaContext::new(0).map_err(absent)?;
        let (major, minor) = context.compute_capability().map_err(absent)?;
        let name = context.name().map_err(absent)?;
        let target = Target((major * 10 + minor) as u32);
        if target < Target::SMALLEST {
            return Err(Failure::Absent(format!(
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
        let shape = Shape {
            multiprocessors: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            ctas: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            l2_bytes: u64::from(attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        };
        let clocks = Clocks {
            core_khz: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            memory_khz: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        };
        let description = Description {
            name,
            target: Some(target.to_string()),
            driver: Some(driver),
            clocks: Some(clocks),
            shape: Some(shape),
        };
        Ok(Self { stream, context, target, shape, description, toolkit, last: None })
    }
}

/// The version of the driver's kernel module (Linux): `570.86.15`.
fn installed() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let version =
        text.lines().next()?.split_whitespace().find(|w| w.contains('.') && w.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(version.to_owned())
}

/// What the driver says of an error.
fn words(error: DriverError) -> String {
    error.error_string().map_or_else(|_| format!("error {:?}", error.0), |s| s.to_string_lossy().into_owned())
}

fn lost(error: DriverError) -> Failure {
    Failure::Lost(words(error))
}

/// A parameter of a kernel: the driver wants its address.
enum Parameter {
    Pointer(CUdeviceptr),
    Word(u32),
}

/// The memory of one run.
struct Memory {
    locations: Option<CudaSlice<u8>>,
    mapping: Option<Mapping>,
    results: CudaSlice<u8>,
    scratchpad: CudaSlice<u8>,
    arrived: CudaSlice<u32>,
    keys: CudaSlice<u64>,
    counts: CudaSlice<u64>,
}

impl Memory {
    fn new(device: &Cuda, kernel: &Kernel) -> Result<Self, Failure> {
        let stream = &device.stream;
        let places = OUTCOMES as usize;
        let (mut locations, mut mapping) = (None, None);
        if kernel.aliased {
            mapping = Some(Mapping::new(&device.context, device.context.cu_device(), kernel.memory)?);
        } else {
            locations = Some(stream.alloc_zeros::<u8>(kernel.memory.max(8) as usize).map_err(lost)?);
        }
        Ok(Self {
            locations,
            mapping,
            results: stream.alloc_zeros::<u8>(kernel.results as usize).map_err(lost)?,
            scratchpad: stream.alloc_zeros::<u8>(kernel.scratchpad.max(8) as usize).map_err(lost)?,
            arrived: stream.alloc_zeros::<u32>(1).map_err(lost)?,
            keys: stream.clone_htod(&vec![Kernel::EMPTY; places]).map_err(lost)?,
            counts: stream.alloc_zeros::<u64>(places + 3).map_err(lost)?,
        })
    }

    /// Where the locations are, and where they are under their other names.
    fn addresses(&self, stream: &CudaStream) -> (CUdeviceptr, CUdeviceptr) {
        match (&self.mapping, &self.locations) {
            (Some(mapping), _) => mapping.addresses(),
            (None, Some(slice)) => {
                let (address, _) = slice.device_ptr(stream);
                (address, address)
            }
            (None, None) => (0, 0),
        }
    }
}

impl Cuda {
    fn launch(&self, function: CUfunction, grid: u32, block: u32, parameters: &mut [Parameter]) -> Result<(), Failure> {
        let mut addresses: Vec<*mut c_void> = parameters
            .iter_mut()
            .map(|p| match p {
                Parameter::Pointer(p) => std::ptr::from_mut(p).cast(),
                Parameter::Word(w) => std::ptr::from_mut(w).cast(),
            })
            .collect();
        // SAFETY: the parameters are those that the emitter declares for this kernel, in order and of their sizes; the memory that
        // they point to lives until the stream has done all. A kernel with clusters says their size itself (.reqnctapercluster).
        unsafe { result::launch_kernel(function, (grid, 1, 1), (block, 1, 1), 0, self.stream.cu_stream(), &mut addresses) }
            .map_err(lost)
    }

    /// Waits for what was queued.
    fn wait(&self, limit: Duration) -> Result<(), Failure> {
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

    /// Runs the launches, or as many as there are until it is asked to stop; how many there were, and the seconds that they took.
    fn launches(
        &self,
        module: &Module,
        memory: &Memory,
        kernel: &Kernel,
        request: &Request,
        launches: u64,
    ) -> Result<(u64, f64), Failure> {
        let pointer = Parameter::Pointer;
        let (locations, alias) = memory.addresses(&self.stream);
        let (results, _) = memory.results.device_ptr(&self.stream);
        let (scratchpad, _) = memory.scratchpad.device_ptr(&self.stream);
        let (arrived, _) = memory.arrived.device_ptr(&self.stream);
        let (keys, _) = memory.keys.device_ptr(&self.stream);
        let (counts, _) = memory.counts.device_ptr(&self.stream);
        let each = kernel.layout.instances.div_ceil(256);
        let mut rng = fastrand::Rng::with_seed(request.seed);
        self.wait(request.watchdog)?;
        let start = Instant::now();
        let mut done = 0;
        while done < launches && !(done.is_multiple_of(BATCH) && request.stop.load(Ordering::Relaxed)) {
            done += 1;
            let launch = kernel.launch(&mut rng);
            self.launch(module.reset, each, 256, &mut [pointer(locations), pointer(results), pointer(arrived)])?;
            let parameters = &mut [
                pointer(locations),
                pointer(results),
                pointer(scratchpad),
                pointer(arrived),
                pointer(alias),
                Parameter::Word(launch.seed),
                Parameter::Word(launch.first),
            ];
            self.launch(module.test, launch.grid, kernel.layout.block, parameters)?;
            self.launch(module.collect, each, 256, &mut [pointer(locations), pointer(results), pointer(keys), pointer(counts)])?;
            if done.is_multiple_of(BATCH) || done == launches {
                self.wait(request.watchdog)?;
            }
        }
        Ok((done, start.elapsed().as_secs_f64()))
    }

    fn module(&mut self, built: &Built) -> Result<Module, Failure> {
        match self.last.take() {
            Some((text, module)) if text == built.artifact.ptx => Ok(module),
            _ => Module::load(&self.context, built),
        }
    }
}

impl Device for Cuda {
    fn description(&self) -> &Description {
        &self.description
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, Failure> {
        let environment = self.shape.fill(&request.environment, test, self.target).map_err(Failure::Kernel)?;
        let built = build(test, self.target, &environment, self.toolkit.as_ref())?;
        let kernel = &built.kernel;
        let module = self.module(&built)?;
        let memory = Memory::new(self, kernel)?;
        let asked = request.instances.div_ceil(u64::from(kernel.counted)).max(1);
        let (launches, seconds) = match self.launches(&module, &memory, kernel, request, asked) {
            Ok(ended) => ended,
            Err(failure) => {
                // What still runs uses them, and to let go of them would wait for it. They go with the process.
                std::mem::forget((module, memory));
                return Err(failure);
            }
        };
        let places = OUTCOMES as usize;
        let keys = self.stream.clone_dtoh(&memory.keys).map_err(lost)?;
        let counts = self.stream.clone_dtoh(&memory.counts).map_err(lost)?;
        let seen = keys.iter().zip(&counts).filter(|(key, count)| **key != Kernel::EMPTY && **count > 0);
        let histogram: BTreeMap<_, _> =
            seen.map(|(key, count)| (kernel.outcome(*key), *count)).filter(|(o, _)| kernel.observed.counts(o)).collect();
        self.last = Some((built.artifact.ptx.clone(), module));
        Ok(Counts {
            observed: kernel.observed.clone(),
            histogram,
            instances: launches * u64::from(kernel.counted),
            stopped: launches < asked,
            stuck: counts[places],
            uncounted: counts[places + 1] + counts[places + 2],
            launches,
            seconds,
            kernel: Some(built.artifact),
        })
    }
}
