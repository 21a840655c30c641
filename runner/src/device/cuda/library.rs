//! The driver's library, wherever it is.

use cudarc::driver::sys;

use crate::device::DeviceFailure;

/// Where containers, WSL and distributions have it when the dynamic linker does not know:
/// `LD_LIBRARY_PATH` need not be set.
const FOLDERS: [&str; 6] = [
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
];

/// A static program, as those of releases for Linux are, loads no library: that it finds none says
/// nothing of the machine.
const IS_STATIC: bool = cfg!(all(target_env = "musl", target_feature = "crt-static"));

/// Loads it. Where there is none, the error is one sentence.
pub(super) fn load() -> Result<(), DeviceFailure> {
    // SAFETY: loads the driver's library, whose initialisers are NVIDIA's. Without this question
    // cudarc panics where there is none.
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
    Err(DeviceFailure::Absent(absent(IS_STATIC)))
}

fn absent(is_static: bool) -> String {
    if is_static {
        return "this program is static and loads no library, so it cannot ask for a CUDA driver: build Margay from its source on the machine with the GPU \
                (cargo install --path .)"
            .to_owned();
    }
    let searched = FOLDERS.join(", ");
    format!(
        "there is no CUDA driver on this machine, so no GPU to run on (libcuda.so.1 is neither where the linker looks nor in {searched})"
    )
}

#[cfg(test)]
mod tests {
    use super::absent;

    /// Whoever has a GPU and the program of a release is not told that there is no driver.
    #[test]
    fn a_static_program_says_nothing_of_the_machine() {
        let [usual, fixed] = [false, true].map(absent);
        assert!(usual.starts_with("there is no CUDA driver on this machine"), "{usual}");
        assert!(
            fixed.starts_with("this program is static") && !fixed.contains("on this machine,"),
            "{fixed}"
        );
    }
}
