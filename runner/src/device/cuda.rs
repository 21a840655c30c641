//! A GPU through the CUDA driver, whose library is loaded when it is first asked for.
//!
//! **Not yet run on hardware.** The kernels are what `gpu check` compares; this file has been compiled and no more.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::hash::Hasher;
use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys::{self, CUdeviceptr, CUfunction, CUjit_option, CUmodule};
use cudarc::driver::{CudaContext, CudaStream, DevicePtrMut, DriverError, result};
use margay_litmus::test::Test;
use rustc_hash::FxHasher;

use super::{Counts, Description, Device, Failure, Request};
use crate::emit::{Kernel, OUTCOMES, Target, kernel};

/// The first GPU.
#[derive(Debug)]
pub struct Cuda {
    stream: Arc<CudaStream>,
    context: Arc<CudaContext>,
    target: Target,
    description: Description,
}

impl Cuda {
    /// Opens it. Where there is no driver, no GPU, or one before sm_70, the error is one sentence.
    pub fn open() -> Result<Self, Failure> {
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
        let driver = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
        let stream = context.new_stream().map_err(absent)?;
        let description = Description { name, target: Some(target.to_string()), driver: Some(driver) };
        Ok(Self { stream, context, target, description })
    }
}

/// What the driver says of an error.
fn words(error: DriverError) -> String {
    error.error_string().map_or_else(|_| format!("error {:?}", error.0), |s| s.to_string_lossy().into_owned())
}

fn lost(error: DriverError) -> Failure {
    Failure::Lost(words(error))
}

/// A loaded module, unloaded with its owner.
struct Module {
    raw: CUmodule,
    context: Arc<CudaContext>,
}

impl Module {
    /// Lets the driver assemble a text, without optimisation: what `gpu check` compares is assembled so, too.
    fn load(context: &Arc<CudaContext>, text: &str) -> Result<Self, Failure> {
        context.bind_to_thread().map_err(lost)?;
        let image = CString::new(text).map_err(|_| Failure::Refused("the text has a zero byte".to_owned()))?;
        let mut log = vec![0u8; 16 * 1024];
        let mut options = [
            CUjit_option::CU_JIT_OPTIMIZATION_LEVEL,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // Numbers are passed as pointers: cuda.h, `cuModuleLoadDataEx`.
        let mut values: [*mut c_void; 3] =
            [std::ptr::null_mut(), log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())];
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image ends with a zero, options and values are as many as said, and the log is as long as said; all live on.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &mut raw,
                image.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if let Err(error) = loaded.result() {
            let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
            let said = String::from_utf8_lossy(&log[..end]).trim().to_owned();
            return Err(Failure::Refused(if said.is_empty() { words(error) } else { format!("{}\n{said}", words(error)) }));
        }
        Ok(Self { raw, context: context.clone() })
    }

    fn function(&self, name: &str) -> Result<CUfunction, Failure> {
        let name = CString::new(name).map_err(|_| Failure::Refused("a name with a zero byte".to_owned()))?;
        // SAFETY: the module is loaded as long as `self` lives, which the caller keeps until all launches have ended.
        unsafe { result::module::get_function(self.raw, name) }.map_err(lost)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Nothing can be done about a module that cannot be unloaded; the context goes with the process.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: loaded by `load`, unloaded once.
            let _ = unsafe { sys::cuModuleUnload(self.raw) };
        }
    }
}

/// A parameter of a kernel: the driver wants its address.
enum Parameter {
    Pointer(CUdeviceptr),
    Word(u32),
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
        // SAFETY: the parameters are those that the emitter declares for this kernel, in order and of their sizes; the buffers that
        // they point to live until the stream was synchronised. A kernel with clusters says their size itself (.reqnctapercluster).
        unsafe { result::launch_kernel(function, (grid, 1, 1), (block, 1, 1), 0, self.stream.cu_stream(), &mut addresses) }
            .map_err(lost)
    }

    fn launches(&self, kernel: &Kernel, request: &Request) -> Result<Counts, Failure> {
        let text = kernel.text();
        let module = Module::load(&self.context, &text)?;
        let (reset, test, collect) =
            (module.function("margay_reset")?, module.function("margay_test")?, module.function("margay_collect")?);
        let places = OUTCOMES as usize;
        let mut memory = self.stream.alloc_zeros::<u8>(kernel.memory as usize).map_err(lost)?;
        let mut results = self.stream.alloc_zeros::<u8>(kernel.results as usize).map_err(lost)?;
        let mut scratchpad = self.stream.alloc_zeros::<u8>(kernel.scratchpad as usize).map_err(lost)?;
        let mut arrived = self.stream.alloc_zeros::<u32>(1).map_err(lost)?;
        let mut keys = self.stream.clone_htod(&vec![Kernel::EMPTY; places]).map_err(lost)?;
        let mut counts = self.stream.alloc_zeros::<u64>(places + 3).map_err(lost)?;
        let launches = request.instances.div_ceil(u64::from(kernel.counted)).max(1);
        let mut rng = fastrand::Rng::with_seed(request.seed);
        let start = Instant::now();
        {
            let (memory, _memory) = memory.device_ptr_mut(&self.stream);
            let (results, _results) = results.device_ptr_mut(&self.stream);
            let (scratchpad, _scratchpad) = scratchpad.device_ptr_mut(&self.stream);
            let (arrived, _arrived) = arrived.device_ptr_mut(&self.stream);
            let (keys, _keys) = keys.device_ptr_mut(&self.stream);
            let (counts, _counts) = counts.device_ptr_mut(&self.stream);
            let pointer = Parameter::Pointer;
            let layout = &kernel.layout;
            let each = layout.instances.div_ceil(256);
            for _ in 0..launches {
                self.launch(reset, each, 256, &mut [pointer(memory), pointer(results), pointer(arrived)])?;
                let seed = Parameter::Word(rng.u32(..));
                let parameters = &mut [pointer(memory), pointer(results), pointer(scratchpad), pointer(arrived), seed];
                self.launch(test, layout.grid, layout.block, parameters)?;
                self.launch(collect, each, 256, &mut [pointer(memory), pointer(results), pointer(keys), pointer(counts)])?;
            }
            self.stream.synchronize().map_err(lost)?;
        }
        let seconds = start.elapsed().as_secs_f64();
        let keys = self.stream.clone_dtoh(&keys).map_err(lost)?;
        let counts = self.stream.clone_dtoh(&counts).map_err(lost)?;
        let seen = keys.iter().zip(&counts).filter(|(key, count)| **key != Kernel::EMPTY && **count > 0);
        let histogram: BTreeMap<_, _> =
            seen.map(|(key, count)| (kernel.outcome(*key), *count)).filter(|(o, _)| kernel.observed.counts(o)).collect();
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        Ok(Counts {
            observed: kernel.observed.clone(),
            histogram,
            instances: launches * u64::from(kernel.counted),
            stuck: counts[places],
            uncounted: counts[places + 1] + counts[places + 2],
            launches,
            seconds,
            kernel: Some(format!("{:016x}", hasher.finish())),
        })
    }
}

impl Device for Cuda {
    fn description(&self) -> &Description {
        &self.description
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, Failure> {
        let kernel = kernel(test, self.target, &request.environment).map_err(Failure::Kernel)?;
        self.launches(&kernel, request)
    }
}
