//! A module in the driver.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction, CUjit_option, CUmodule};
use cudarc::driver::{CudaContext, result};

use super::{lost, words};
use crate::device::{Artifact, Failure, Image};

/// A loaded module, unloaded with its owner.
pub(super) struct Module {
    raw: CUmodule,
    context: Arc<CudaContext>,
    pub reset: CUfunction,
    pub test: CUfunction,
    pub collect: CUfunction,
}

impl Module {
    /// Loads machine code, or lets the driver assemble the text without optimisation: what `gpu check` compares is assembled so, too.
    pub fn load(context: &Arc<CudaContext>, image: &Image, artifact: &Artifact) -> Result<Self, Failure> {
        context.bind_to_thread().map_err(lost)?;
        let text;
        let image: *const c_void = match image {
            Image::Binary(bytes) => bytes.as_ptr().cast(),
            Image::Ptx => {
                text =
                    CString::new(artifact.ptx.as_str()).map_err(|_| Failure::Refused("the text has a zero byte".to_owned()))?;
                text.as_ptr().cast()
            }
        };
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
        // SAFETY: a text ends with a zero, and machine code says its length in its header; options and values are as many as said, and
        // the log is as long as said; all live on.
        let loaded =
            unsafe { sys::cuModuleLoadDataEx(&mut raw, image, options.len() as u32, options.as_mut_ptr(), values.as_mut_ptr()) };
        if let Err(error) = loaded.result() {
            let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
            let said = String::from_utf8_lossy(&log[..end]).trim().to_owned();
            return Err(Failure::Refused(if said.is_empty() { words(error) } else { format!("{}\n{said}", words(error)) }));
        }
        let null = std::ptr::null_mut();
        let mut module = Self { raw, context: context.clone(), reset: null, test: null, collect: null };
        module.reset = module.function("margay_reset")?;
        module.test = module.function("margay_test")?;
        module.collect = module.function("margay_collect")?;
        Ok(module)
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
