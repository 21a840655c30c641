//! From CUDA C++ to PTX, by nvcc.

use std::path::{Path, PathBuf};
use std::process::Command;

use margay_models::diagnostic::Diagnostic;
use margay_models::durable::scratch;
use margay_models::limited;

/// The longest text of PTX that is read, in bytes.
pub const MAX_PTX: u64 = 64 << 20;

/// How many lines of what a compiler says are shown.
const SHOWN: usize = 12;

/// Where a folder may have nvcc: as a CUDA installation has, or as the vendor's wheels are unpacked.
const PLACES: [&str; 2] = ["", "nvidia/cu13"];

/// The folder of CUDA that is named, or the one at hand. Nothing is looked for where the user works: that folder may be somebody else's.
fn toolkit(named: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    let at = |folder: &Path| PLACES.iter().map(|place| folder.join(place)).find(|f| f.join("bin/nvcc").is_file());
    if let Some(named) = named {
        return at(named).ok_or_else(|| {
            let error = Diagnostic::error(format!("there is no bin/nvcc in `{}`", named.display()));
            error.help(
                "name the folder of a CUDA installation, as /usr/local/cuda, or compile to PTX yourself (nvcc -ptx -lineinfo)",
            )
        });
    }
    let of_environment = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(|name| std::env::var_os(name).map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A relative folder on the path is one of the folder where the user works.
    let on_path = std::env::split_paths(&path).filter(|f| f.is_absolute()).filter_map(|f| Some(f.parent()?.to_owned()));
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("toolkit")));
    let all =
        beside.into_iter().chain(of_environment).chain([PathBuf::from("/usr/local/cuda")]).chain(on_path.collect::<Vec<_>>());
    all.filter(|folder| folder.is_absolute()).find_map(|folder| at(&folder)).ok_or_else(|| {
        let error = Diagnostic::error("a .cu file needs nvcc, and there is none");
        error.help("name a CUDA installation (`--toolkit /usr/local/cuda`), or give PTX: nvcc -ptx -lineinfo FILE.cu")
    })
}

/// Compiles a file with line information.
///
/// # Errors
/// There is no nvcc, it cannot be started, or it refuses the file.
pub fn compile(file: &Path, named: Option<&Path>, target: &str) -> Result<String, Diagnostic> {
    if !file.is_file() {
        return Err(Diagnostic::error(format!("cannot read {}: there is no such file", limited::name(file))));
    }
    if !target.starts_with("sm_") || !target.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(Diagnostic::error(format!("expected a target as `sm_90`, found `{target}`")));
    }
    let cuda = toolkit(named)?;
    let folder = scratch().map_err(|e| Diagnostic::error(format!("cannot make a folder for what is compiled: {e}")))?;
    let ptx = folder.path().join("kernel.ptx");
    // A name that begins with `-` is no option.
    let source = if file.is_absolute() { file.to_owned() } else { Path::new(".").join(file) };
    let mut command = Command::new(cuda.join("bin/nvcc"));
    command.arg(format!("-arch={target}")).args(["-ptx", "-lineinfo", "-o"]).arg(&ptx);
    for include in ["include/cccl", "include"] {
        command.arg("-I").arg(cuda.join(include));
    }
    let done = command.arg(&source).output();
    let done = done.map_err(|e| Diagnostic::error(format!("cannot start {}: {e}", cuda.join("bin/nvcc").display())))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        let lines: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).take(SHOWN).collect();
        let error = Diagnostic::error(format!("nvcc refuses {}: {}", limited::name(file), lines.join("\n")));
        return Err(error.help("mend the file, or compile it yourself and give the PTX"));
    }
    limited::text(&ptx, MAX_PTX).map_err(|e| Diagnostic::error(format!("cannot read what nvcc wrote: {e}")))
}
