//! A module in the driver.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction, CUjit_option, CUmodule};
use cudarc::driver::{CudaContext, DriverError, result};

use super::{lost, words};
use crate::device::{Artifact, DeviceFailure, Image};

/// A text as the driver wants it.
fn zero_ended(text: &str) -> Result<CString, DeviceFailure> {
    CString::new(text).map_err(|_| DeviceFailure::Refused("the text has a zero byte".to_owned()))
}

/// What the driver's assembler has to say.
struct AssemblerLog(Vec<u8>);

impl AssemblerLog {
    fn new() -> Self {
        Self(vec![0; 16 * 1024])
    }

    /// The options of an assembly, with their values. Numbers are passed as pointers: cuda.h,
    /// `cuModuleLoadDataEx`.
    fn options(&mut self, level: u8) -> ([CUjit_option; 3], [*mut c_void; 3]) {
        let options = [
            CUjit_option::CU_JIT_OPTIMIZATION_LEVEL,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let size = self.0.len();
        let number = std::ptr::without_provenance_mut;
        (options, [number(usize::from(level)), self.0.as_mut_ptr().cast(), number(size)])
    }

    fn failure(&self, error: DriverError) -> DeviceFailure {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(self.0.len());
        let said = String::from_utf8_lossy(&self.0[..end]).trim().to_owned();
        DeviceFailure::Refused(if said.is_empty() {
            words(error)
        } else {
            format!("{}\n{said}", words(error))
        })
    }
}

/// Machine code that the driver makes of a text, so that it can be compared before it is loaded.
pub(super) fn link(
    context: &Arc<CudaContext>,
    text: &str,
    level: u8,
) -> Result<Vec<u8>, DeviceFailure> {
    context.bind_to_thread().map_err(lost)?;
    let text = zero_ended(text)?;
    let bytes = text.as_bytes_with_nul();
    let mut log = AssemblerLog::new();
    let (mut options, mut values) = log.options(level);
    let mut state = std::ptr::null_mut();
    // SAFETY: options and values are as many as said, and the log lives on, until the state is
    // destroyed.
    unsafe {
        sys::cuLinkCreate_v2(
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut state,
        )
    }
    .result()
    .map_err(|error| log.failure(error))?;
    let (mut code, mut size) = (std::ptr::null_mut(), 0);
    let name = c"kernel.ptx";
    let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
    let (no_options, no_values) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the text is as long as said and ends with a zero; the driver only reads it. What it
    // gives back is its own until the state is destroyed, and copied before.
    let linked = unsafe {
        let start = bytes.as_ptr().cast_mut().cast();
        let added = sys::cuLinkAddData_v2(
            state,
            kind,
            start,
            bytes.len(),
            name.as_ptr(),
            0,
            no_options,
            no_values,
        );
        let done =
            added.result().and_then(|()| sys::cuLinkComplete(state, &mut code, &mut size).result());
        let copied = done.map(|()| std::slice::from_raw_parts(code.cast::<u8>(), size).to_vec());
        let _ = sys::cuLinkDestroy(state);
        copied
    };
    linked.map_err(|error| log.failure(error))
}

/// A module in the driver, unloaded with its owner.
pub(super) struct DriverModule {
    raw: CUmodule,
    context: Arc<CudaContext>,
}

impl DriverModule {
    /// Loads machine code, or lets the driver assemble the text.
    pub(super) fn load(
        context: &Arc<CudaContext>,
        image: &Image,
        ptx: &str,
    ) -> Result<Self, DeviceFailure> {
        context.bind_to_thread().map_err(lost)?;
        let text;
        let (image, level): (*const c_void, u8) = match image {
            Image::Binary(bytes) => (bytes.as_ptr().cast(), 3),
            Image::Ptx(level) => {
                text = zero_ended(ptx)?;
                (text.as_ptr().cast(), *level)
            }
        };
        let mut log = AssemblerLog::new();
        let (mut options, mut values) = log.options(level);
        let mut raw = std::ptr::null_mut();
        // SAFETY: a text ends with a zero, and machine code says its length in its header; options
        // and values are as many as said, and the log is as long as said; all live on.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &mut raw,
                image,
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        loaded.result().map_err(|error| log.failure(error))?;
        Ok(Self { raw, context: context.clone() })
    }

    /// A kernel.
    pub(super) fn function(&self, name: &str) -> Result<CUfunction, DeviceFailure> {
        let name = CString::new(name)
            .map_err(|_| DeviceFailure::Refused("a name with a zero byte".to_owned()))?;
        // SAFETY: the module is loaded as long as `self` lives, which the caller keeps until all
        // launches have ended.
        unsafe { result::module::get_function(self.raw, name) }.map_err(lost)
    }

    pub(super) fn raw(&self) -> CUmodule {
        self.raw
    }
}

impl Drop for DriverModule {
    fn drop(&mut self) {
        // Nothing can be done about a module that cannot be unloaded; the context goes with the
        // process.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: loaded by `load`, unloaded once.
            let _ = unsafe { sys::cuModuleUnload(self.raw) };
        }
    }
}

/// The module of a test, with its three kernels.
pub(super) struct LoadedModule {
    _module: DriverModule,
    pub reset: CUfunction,
    pub test: CUfunction,
    pub collect: CUfunction,
}

impl LoadedModule {
    pub(super) fn load(
        context: &Arc<CudaContext>,
        image: &Image,
        artifact: &Artifact,
    ) -> Result<Self, DeviceFailure> {
        let module = DriverModule::load(context, image, &artifact.ptx)?;
        let (reset, test) = (module.function("margay_reset")?, module.function("margay_test")?);
        let collect = module.function("margay_collect")?;
        Ok(Self { _module: module, reset, test, collect })
    }
}
