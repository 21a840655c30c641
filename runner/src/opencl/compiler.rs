//! clang as a program, and what it compiles OpenCL C for.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use margay_models::durable::scratch;

use crate::sass::ToolFailure;

/// What the source is compiled for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenClTarget {
    /// A GPU of AMD's of the ninth generation (GCN and CDNA), by its name: `gfx90a`. Of others the
    /// instructions are not known here.
    Amd(String),
    /// SPIR-V, which every OpenCL device takes, from OpenCL's functions.
    SpirV,
    /// SPIR-V from the operations that clang itself has in their place, `__opencl_atomic_load`.
    SpirVBuiltIn,
}

/// A name of nothing that the source could be compiled for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOpenClTarget(String);

impl fmt::Display for UnknownOpenClTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not known here; expected `spirv64`, `spirv64-built-in` or a GPU such as `gfx906`, `gfx90a`, `gfx942`",
            self.0
        )
    }
}

impl std::error::Error for UnknownOpenClTarget {}

impl OpenClTarget {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, UnknownOpenClTarget> {
        let of_ninth = text
            .strip_prefix("gfx9")
            .is_some_and(|rest| rest.len() == 2 && rest.chars().all(|c| c.is_ascii_hexdigit()));
        match text {
            "spirv64" => Ok(Self::SpirV),
            "spirv64-built-in" => Ok(Self::SpirVBuiltIn),
            _ if of_ninth => Ok(Self::Amd(text.to_owned())),
            _ => Err(UnknownOpenClTarget(text.to_owned())),
        }
    }
}

impl fmt::Display for OpenClTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amd(name) => f.write_str(name),
            Self::SpirV => f.write_str("spirv64"),
            Self::SpirVBuiltIn => f.write_str("spirv64-built-in"),
        }
    }
}

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(30);

/// The types that OpenCL C has beyond C.
const TYPES: &str = "\
typedef unsigned int uint;
typedef unsigned long size_t;
typedef enum {
  memory_order_relaxed = __ATOMIC_RELAXED, memory_order_acquire = __ATOMIC_ACQUIRE, memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL, memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
typedef enum {
  memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP, memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
  memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES
} memory_scope;
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
size_t __attribute__((overloadable)) get_group_id(uint);
size_t __attribute__((overloadable)) get_local_id(uint);
";

/// Atomic operations by clang's own, so that no library of a device is linked: what is compared is
/// what clang itself makes of each operation.
const OPERATIONS: &str = "\
#define atomic_load_explicit __opencl_atomic_load
#define atomic_store_explicit __opencl_atomic_store
#define atomic_exchange_explicit __opencl_atomic_exchange
#define atomic_compare_exchange_strong_explicit __opencl_atomic_compare_exchange_strong
#define atomic_fetch_add_explicit __opencl_atomic_fetch_add
#define atomic_fetch_and_explicit __opencl_atomic_fetch_and
#define atomic_fetch_or_explicit __opencl_atomic_fetch_or
#define atomic_fetch_xor_explicit __opencl_atomic_fetch_xor
";

/// OpenCL's atomic operations as functions, as the header of clang declares them: its writer of
/// SPIR-V knows them by their names.
const FUNCTIONS: &str = "\
#define OVERLOADED __attribute__((overloadable))
int OVERLOADED atomic_load_explicit(volatile atomic_int *, memory_order, memory_scope);
void OVERLOADED atomic_store_explicit(volatile atomic_int *, int, memory_order, memory_scope);
int OVERLOADED atomic_exchange_explicit(volatile atomic_int *, int, memory_order, memory_scope);
_Bool OVERLOADED atomic_compare_exchange_strong_explicit(volatile atomic_int *, int *, int, memory_order, memory_order, memory_scope);
int OVERLOADED atomic_fetch_add_explicit(volatile atomic_int *, int, memory_order, memory_scope);
int OVERLOADED atomic_fetch_and_explicit(volatile atomic_int *, int, memory_order, memory_scope);
int OVERLOADED atomic_fetch_or_explicit(volatile atomic_int *, int, memory_order, memory_scope);
int OVERLOADED atomic_fetch_xor_explicit(volatile atomic_int *, int, memory_order, memory_scope);
";

/// Fences and barriers as AMD's library of the device has them.
const AMD_FENCES: &str = "\
#define atomic_work_item_fence(flags, order, scope) \\
  __scoped_atomic_thread_fence(order, (scope) == memory_scope_work_group ? __MEMORY_SCOPE_WRKGRP : \\
    (scope) == memory_scope_device ? __MEMORY_SCOPE_DEVICE : __MEMORY_SCOPE_SYSTEM)
#define barrier(flags) \\
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\"))
";

/// Fences and barriers by their functions: an operation of clang's has no place for the memory that
/// is ordered.
const SPIR_V_FENCES: &str = "\
void __attribute__((overloadable)) atomic_work_item_fence(uint, memory_order, memory_scope);
void __attribute__((overloadable, convergent)) barrier(uint);
";

/// What OpenCL C has beyond C, for this target.
fn header(target: &OpenClTarget) -> String {
    let parts = match target {
        OpenClTarget::Amd(_) => [TYPES, OPERATIONS, AMD_FENCES],
        OpenClTarget::SpirV => [TYPES, FUNCTIONS, SPIR_V_FENCES],
        OpenClTarget::SpirVBuiltIn => [TYPES, OPERATIONS, SPIR_V_FENCES],
    };
    parts.concat()
}

/// clang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClCompiler {
    program: PathBuf,
}

impl OpenClCompiler {
    /// The clang of this path; or of this name, in an absolute folder of the `PATH`. A relative one
    /// is of the folder where the user works, which may be somebody else's.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn new(program: PathBuf) -> Result<Self, ToolFailure> {
        if program.components().count() != 1 || program.is_absolute() {
            return Ok(Self { program });
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path)
            .filter(|f| f.is_absolute())
            .map(|f| f.join(&program))
            .find(|f| f.is_file());
        let missing = || {
            ToolFailure::Missing(format!(
                "there is no `{}` in an absolute folder of the PATH",
                program.display()
            ))
        };
        found.map(|program| Self { program }).ok_or_else(missing)
    }

    /// What it calls itself, in a line.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn version(&self) -> Result<String, ToolFailure> {
        let mut command = Command::new(&self.program);
        command.arg("--version");
        Ok(self.run(command)?.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Compiles a source at `-O2`, and returns the assembly.
    ///
    /// # Errors
    /// It cannot be started, refuses the source, or files cannot be written.
    pub fn compile(&self, source: &str, target: &OpenClTarget) -> Result<String, ToolFailure> {
        let folder = scratch().map_err(|e| {
            ToolFailure::Missing(format!("cannot make a folder for the compiler: {e}"))
        })?;
        let place = |name: &str| folder.path().join(name);
        for (name, text) in [("opencl.h", header(target).as_str()), ("test.cl", source)] {
            std::fs::write(place(name), text).map_err(|e| {
                ToolFailure::Missing(format!("cannot write {}: {e}", place(name).display()))
            })?;
        }
        let mut command = Command::new(&self.program);
        command.args([
            "-x",
            "cl",
            "-cl-std=CL2.0",
            "-cl-no-stdinc",
            "-Wno-everything",
            "-O2",
            "-S",
            "-o",
            "-",
            "-include",
        ]);
        command.arg(place("opencl.h"));
        match target {
            OpenClTarget::Amd(name) => command
                .args(["-target", "amdgcn-amd-amdhsa", "-nogpulib"])
                .arg(format!("-mcpu={name}")),
            OpenClTarget::SpirV | OpenClTarget::SpirVBuiltIn => {
                command.args(["-target", "spirv64"])
            }
        };
        command.arg(place("test.cl"));
        self.run(command)
    }

    /// Starts it, and gives it up after a time: there are sources at which it never ends.
    fn run(&self, mut command: Command) -> Result<String, ToolFailure> {
        let name = self.program.display();
        let missing =
            |e: std::io::Error| ToolFailure::Missing(format!("cannot start `{name}`: {e}"));
        let folder = scratch().map_err(missing)?;
        let (said, log) = (folder.path().join("said"), folder.path().join("log"));
        let file = |path: &PathBuf| std::fs::File::create(path).map_err(missing);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file(&said)?)
            .stderr(file(&log)?)
            .spawn()
            .map_err(missing)?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(missing)? {
                break status;
            }
            if begun.elapsed() > LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Err(ToolFailure::Refused(format!(
                    "`{name}` did not end within {} s",
                    LIMIT.as_secs()
                )));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |path: &PathBuf| {
            std::fs::read(path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(missing)
        };
        if !status.success() {
            let log = text(&log)?.trim().to_owned();
            return Err(ToolFailure::Refused(if log.is_empty() {
                format!("{name} ended with {status}")
            } else {
                log
            }));
        }
        text(&said)
    }
}
