//! The driver's library, wherever it is.

use cudarc::driver::sys;

use crate::device::DeviceFailure;

/// Where containers, WSL and distributions have it when the dynamic linker does not know: `LD_LIBRARY_PATH` need not be set.
const FOLDERS: [&str; 6] = [
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
];

/// Loads it. Where there is none, the error is one sentence.
pub(super) fn load() -> Result<(), DeviceFailure> {
    // SAFETY: loads the driver's library, whose initialisers are NVIDIA's. Without this question cudarc panics where there is none.
    let present = || unsafe { sys::is_culib_present() };
    if present() {
        return Ok(());
    }
    for folder in FOLDERS {
        // SAFETY: as above. What is loaded once is found by its name from then on; it stays loaded.
        if let Ok(library) = unsafe { libloading::Library::new(format!("{folder}/libcuda.so.1")) } {
            std::mem::forget(library);
            if present() {
                return Ok(());
            }
        }
    }
    let searched = FOLDERS.join(", ");
    Err(DeviceFailure::Absent(format!(
        "there is no CUDA driver on this machine, so no GPU to run on (libcuda.so.1 is neither where the linker looks nor in {searched})"
    )))
}
