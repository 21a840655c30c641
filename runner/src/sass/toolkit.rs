//! The vendor's assembler and disassembler, as programs: ptxas and nvdisasm (`.ci/toolkit`
//! downloads them, and CUDA installations have them).

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use margay_models::durable::scratch;
use tempfile::TempDir;

use crate::emit::GpuTarget;

/// The programs: those of the newest release, and where they no longer know a target, older ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    newest: ToolPrograms,
    older: Option<ToolPrograms>,
}

/// An assembler and a disassembler.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ToolPrograms {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl ToolPrograms {
    /// Can they be started here? They may be of another machine, or in a folder from which nothing
    /// may be.
    fn start(&self) -> bool {
        let starts = |program: &PathBuf| {
            let mut command = Command::new(program);
            command.arg("--version");
            run(command, "it", ToolFailure::Missing).is_ok()
        };
        starts(&self.ptxas) && starts(&self.nvdisasm)
    }
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
pub enum ToolFailure {
    /// It is not there, or could not be started, or files could not be written.
    Missing(String),
    /// The assembler refuses the text: its log.
    Refused(String),
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(why) => f.write_str(why),
            Self::Refused(log) => write!(f, "the assembler refuses the kernel: {log}"),
        }
    }
}

impl std::error::Error for ToolFailure {}

/// Where a folder may have them: as a CUDA installation has (`/usr/local/cuda`), as `.ci/toolkit`
/// unpacks the vendor's wheels, or side by side.
const PLACES: [&str; 3] = ["bin", "nvidia/cu13/bin", ""];

/// Programs for what the newest ones do not know any more: the assembler of CUDA 12.9, and the
/// disassembler of 12.4, which the wheel of Triton 3.0 carries.
const OLDER: [&str; 2] = ["nvidia/cuda_nvcc/bin/ptxas", "triton/backends/nvidia/bin/nvdisasm"];

/// The first target that the programs of CUDA 13 know.
const NEWEST_FROM: GpuTarget = GpuTarget(75);

impl Toolkit {
    /// The programs of a folder; `None` if they are not there.
    pub fn at(folder: &Path) -> Option<Self> {
        let older = ToolPrograms { ptxas: folder.join(OLDER[0]), nvdisasm: folder.join(OLDER[1]) };
        PLACES.iter().find_map(|place| {
            let newest = ToolPrograms {
                ptxas: folder.join(place).join("ptxas"),
                nvdisasm: folder.join(place).join("nvdisasm"),
            };
            let there = newest.ptxas.is_file() && newest.nvdisasm.is_file();
            there.then(|| Self { newest, older: older.ptxas.is_file().then(|| older.clone()) })
        })
    }

    /// The programs that are at hand without being named: what `.ci/toolkit` fetched, beside the
    /// running program, or a CUDA installation (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`, or on
    /// the `PATH`). Nothing is looked for where the user works: that folder may be somebody else's.
    pub fn find() -> Option<Self> {
        let beside =
            std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("toolkit")));
        let named = ["CUDA_HOME", "CUDA_PATH"]
            .into_iter()
            .filter_map(|name| std::env::var_os(name).map(PathBuf::from));
        let path = std::env::var_os("PATH").unwrap_or_default();
        // A relative folder on the path is one of the folder where the user works.
        let is_there = |folder: &PathBuf| folder.is_absolute() && folder.join("ptxas").is_file();
        let on_path: Vec<PathBuf> = std::env::split_paths(&path).filter(is_there).collect();
        beside
            .into_iter()
            .chain(named)
            .chain([PathBuf::from("/usr/local/cuda")])
            .chain(on_path)
            .filter_map(|folder| Self::at(&folder))
            .find(|toolkit| toolkit.newest.start())
    }

    /// Those for a target.
    fn programs(&self, target: GpuTarget) -> &ToolPrograms {
        self.older.as_ref().filter(|_| target < NEWEST_FROM).unwrap_or(&self.newest)
    }

    pub fn disassembles(&self, target: GpuTarget) -> bool {
        self.programs(target).nvdisasm.is_file()
    }

    /// What the assembler calls itself: `ptxas 13.5.37`.
    pub fn assembler(&self, target: GpuTarget) -> String {
        let mut command = Command::new(&self.programs(target).ptxas);
        command.arg("--version");
        let text = run(command, "ptxas", ToolFailure::Missing).unwrap_or_default();
        // `Cuda compilation tools, release 13.5, V13.5.37`
        let version = text
            .split_whitespace()
            .filter_map(|w| w.strip_prefix('V'))
            .find(|v| v.starts_with(|c: char| c.is_ascii_digit()));
        version.map_or_else(|| "ptxas".to_owned(), |v| format!("ptxas {v}"))
    }

    /// Assembles a text and disassembles the result.
    pub fn assemble(
        &self,
        text: &str,
        target: GpuTarget,
        level: u8,
    ) -> Result<Assembled, ToolFailure> {
        let scratch = Scratch::new()?;
        let (source, binary) =
            (scratch.0.path().join("kernel.ptx"), scratch.0.path().join("kernel.cubin"));
        std::fs::write(&source, text)
            .map_err(|e| ToolFailure::Missing(format!("cannot write {}: {e}", source.display())))?;
        let mut assembler = Command::new(&self.programs(target).ptxas);
        assembler
            .arg(format!("-O{level}"))
            .arg(format!("-arch={target}"))
            .arg(&source)
            .arg("-o")
            .arg(&binary);
        run(assembler, "ptxas", ToolFailure::Refused)?;
        let code = std::fs::read(&binary)
            .map_err(|e| ToolFailure::Missing(format!("cannot read {}: {e}", binary.display())))?;
        let disassembly = self.listing(&binary, target)?;
        Ok(Assembled { binary: code, disassembly })
    }

    /// Disassembles machine code that came from elsewhere. `None`: nothing here can.
    pub fn disassemble(
        &self,
        code: &[u8],
        target: GpuTarget,
    ) -> Result<Option<String>, ToolFailure> {
        let scratch = Scratch::new()?;
        let binary = scratch.0.path().join("kernel.cubin");
        std::fs::write(&binary, code)
            .map_err(|e| ToolFailure::Missing(format!("cannot write {}: {e}", binary.display())))?;
        self.listing(&binary, target)
    }

    fn listing(&self, binary: &Path, target: GpuTarget) -> Result<Option<String>, ToolFailure> {
        if !self.disassembles(target) {
            return Ok(None);
        }
        let mut disassembler = Command::new(&self.programs(target).nvdisasm);
        disassembler.args(["-hex", "-c"]).arg(binary);
        run(disassembler, "nvdisasm", ToolFailure::Missing).map(Some)
    }
}

fn run(
    mut command: Command,
    name: &str,
    failed: impl Fn(String) -> ToolFailure,
) -> Result<String, ToolFailure> {
    // Ctrl-C at a terminal is sent to the whole process group. It asks for an orderly end of the
    // run, and is no refusal of the kernel that is being assembled: the program ends its second of
    // work.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let output = command.output().map_err(|e| {
        ToolFailure::Missing(format!(
            "cannot start {name}: {e}; .ci/toolkit downloads it, and a CUDA installation has it"
        ))
    })?;
    if !output.status.success() {
        let log = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&log).trim().to_owned();
        return Err(failed(if said.is_empty() {
            format!("{name} said nothing and ended with {}", output.status)
        } else {
            said
        }));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A folder of its own that goes when it is done with.
///
/// Its name cannot be guessed, it is new, and nobody else may look into it: the system's folder for
/// such files is everybody's.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Result<Self, ToolFailure> {
        scratch().map(Self).map_err(|e| {
            ToolFailure::Missing(format!("cannot make a folder for the assembler: {e}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, GpuTarget, Scratch, ToolFailure, Toolkit, run};

    /// A CUDA installation, what `.ci/toolkit` makes, and programs side by side.
    #[test]
    fn folders_with_the_programs() {
        for place in ["bin", "nvidia/cu13/bin", "."] {
            let scratch = Scratch::new().expect("a folder");
            let folder = scratch.0.path().join(place);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("ptxas"), "").expect("a file");
            assert_eq!(
                Toolkit::at(scratch.0.path()),
                None,
                "{place}: one of the two is not enough"
            );
            std::fs::write(folder.join("nvdisasm"), "").expect("a file");
            let toolkit = Toolkit::at(scratch.0.path()).expect("both");
            assert!(toolkit.disassembles(GpuTarget(90)) && toolkit.older.is_none(), "{place}");
        }
        assert_eq!(Toolkit::at(std::path::Path::new("/no/such/folder")), None);
    }

    /// What Ctrl-C at a terminal does: it is sent to the group of the run, and the assembler is in
    /// a group of its own.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_assembler_is_not_in_the_group_of_the_run() {
        let group = ["-c", "cut -d ' ' -f 5 /proc/$$/stat"];
        let own = Command::new("sh").args(group).output().expect("a shell").stdout;
        let mut command = Command::new("sh");
        command.args(group);
        let said = run(command, "sh", ToolFailure::Refused).expect("it runs");
        assert_ne!(said.trim(), String::from_utf8_lossy(&own).trim());
    }

    /// An assembler that is killed, or ends without a word, is named with how it ended.
    #[cfg(unix)]
    #[test]
    fn an_assembler_that_says_nothing_is_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "kill -9 $$"]);
        let Err(ToolFailure::Refused(why)) = run(command, "ptxas", ToolFailure::Refused) else {
            panic!("it fails")
        };
        assert!(why.starts_with("ptxas said nothing and ended with signal: 9"), "{why}");
    }
}
