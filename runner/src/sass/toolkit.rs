//! The vendor's assembler and disassembler, as programs: ptxas and nvdisasm (`.ci/toolkit` downloads them).

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::emit::Target;

/// The programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    folder: PathBuf,
}

/// Machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// As a device loads it.
    pub binary: Vec<u8>,
    /// As text. `None`: nothing in the folder can disassemble the target.
    pub disassembly: Option<String>,
}

/// Why a program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It is not there, or could not be started, or files could not be written.
    Missing(String),
    /// The assembler refuses the text: its log.
    Refused(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(why) => f.write_str(why),
            Self::Refused(log) => write!(f, "the assembler refuses the kernel: {log}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Where the wheels have the newest programs, and an assembler for what those do not know any more.
const NEWEST: &str = "nvidia/cu13/bin";
const NEWEST_DISASSEMBLER: &str = "nvidia/cu13/bin/nvdisasm";
const OLDER: &str = "nvidia/cuda_nvcc/bin";

/// A disassembler for what the newest one does not know any more: that of CUDA 12.4, which the wheel of Triton 3.0 carries.
const OLDER_DISASSEMBLER: &str = "triton/backends/nvidia/bin/nvdisasm";

/// The first target that the newest programs know.
const NEWEST_FROM: Target = Target(75);

impl Toolkit {
    /// The programs of a folder as `.ci/toolkit` makes it; `None` if they are not there.
    pub fn at(folder: &Path) -> Option<Self> {
        let there = ["ptxas", "nvdisasm"].iter().all(|p| folder.join(NEWEST).join(p).is_file());
        there.then(|| Self { folder: folder.to_owned() })
    }

    /// Is there a disassembler for a target?
    pub fn disassembles(&self, target: Target) -> bool {
        self.disassembler(target).is_file()
    }

    fn disassembler(&self, target: Target) -> PathBuf {
        self.folder.join(if target < NEWEST_FROM { OLDER_DISASSEMBLER } else { NEWEST_DISASSEMBLER })
    }

    /// Assembles a text and disassembles the result.
    pub fn assemble(&self, text: &str, target: Target, level: u8) -> Result<Assembled, Failure> {
        let scratch = Scratch::new()?;
        let (source, binary) = (scratch.0.join("kernel.ptx"), scratch.0.join("kernel.cubin"));
        std::fs::write(&source, text).map_err(|e| Failure::Missing(format!("cannot write {}: {e}", source.display())))?;
        let version = if target < NEWEST_FROM { OLDER } else { NEWEST };
        let mut assembler = Command::new(self.folder.join(version).join("ptxas"));
        assembler.arg(format!("-O{level}")).arg(format!("-arch={target}")).arg(&source).arg("-o").arg(&binary);
        run(assembler, "ptxas", Failure::Refused)?;
        let code = std::fs::read(&binary).map_err(|e| Failure::Missing(format!("cannot read {}: {e}", binary.display())))?;
        if target < NEWEST_FROM && !self.disassembles(target) {
            return Ok(Assembled { binary: code, disassembly: None });
        }
        let mut disassembler = Command::new(self.disassembler(target));
        disassembler.arg("-c").arg(&binary);
        let disassembly = run(disassembler, "nvdisasm", Failure::Missing)?;
        Ok(Assembled { binary: code, disassembly: Some(disassembly) })
    }
}

fn run(mut command: Command, name: &str, failed: impl Fn(String) -> Failure) -> Result<String, Failure> {
    let output = command.output().map_err(|e| Failure::Missing(format!("cannot start {name}: {e}; .ci/toolkit downloads it")))?;
    if !output.status.success() {
        let log = [output.stdout, output.stderr].concat();
        return Err(failed(String::from_utf8_lossy(&log).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A folder of its own that goes when it is done with.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("margay-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| Failure::Missing(format!("cannot make {}: {e}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for such files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
