//! From CUDA C++ to PTX: by a command of the user, by nvcc where it is, and else by Margay.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use margay_cuda::{CudaError, CudaModule, CudaPlace, CudaSource};
use margay_extract::compile::{CompileCommand, CompileFailure};
use margay_models::confined::way_out;
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::durable::scratch;
use margay_models::limited;

/// The longest text of PTX that is read, in bytes.
pub const MAX_PTX: u64 = 64 << 20;

/// The longest text of CUDA that is compiled here, in bytes.
const MAX_CUDA: u64 = 16 << 20;

/// What compiles CUDA to PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelCompiler {
    /// Margay itself, which optimises nothing.
    Margay,
    /// NVIDIA's compiler.
    Nvcc,
    /// A command of the user, `--cmd`.
    Command,
}

impl KernelCompiler {
    /// The compiler of a name, if there is one; a command has none.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Margay, Self::Nvcc].into_iter().find(|one| one.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Margay => "margay",
            Self::Nvcc => "nvcc",
            Self::Command => "cmd",
        }
    }

    /// What the first line of an answer says of it; nothing of nvcc, which is what programs are
    /// compiled by.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Margay => ", compiled by Margay, without nvcc",
            Self::Nvcc => "",
            Self::Command => ", compiled by the command of --cmd",
        }
    }
}

/// What CUDA is compiled by and for.
#[derive(Debug, Clone, Copy)]
pub(super) struct CudaCompilation<'a> {
    /// A command that compiles a file of any kind, with `{in}` and, where it does not print the
    /// PTX, `{out}`; it is taken before all others.
    pub command: Option<&'a str>,
    /// The compiler; where none is named nvcc if there is one, and else Margay.
    pub compiler: Option<KernelCompiler>,
    /// The folder of CUDA that is named.
    pub toolkit: Option<&'a Path>,
    /// The target, as `sm_90`.
    pub target: &'a str,
    /// The kernels that are asked about; all where none is named.
    pub kernels: &'a [String],
}

/// How many lines of what a compiler says are shown.
const SHOWN: usize = 12;

/// How long a command of the user may compile.
const MAX_COMPILATION: Duration = Duration::from_secs(600);

/// The first lines of what a compiler said.
fn shown_lines(said: &str) -> String {
    said.lines().filter(|l| !l.trim().is_empty()).take(SHOWN).collect::<Vec<_>>().join("\n")
}

/// The target, if it is the name of one: it is put into commands.
fn known_target(target: &str) -> Result<(), Diagnostic> {
    if target.starts_with("sm_") && target.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Ok(());
    }
    Err(Diagnostic::error(format!("expected a target as `sm_90`, found `{target}`")))
}

/// Why a path is none of a file, where there is something.
fn other_than_file(path: &Path) -> Option<&'static str> {
    match path.metadata() {
        Ok(found) if found.is_dir() => Some("it is a folder"),
        Ok(found) if !found.is_file() => Some("it is a device or a pipe"),
        _ => None,
    }
}

/// Is there a file to compile?
fn is_there(file: &Path) -> Result<(), Diagnostic> {
    if file.is_file() {
        return Ok(());
    }
    let why = other_than_file(file).unwrap_or("there is no such file");
    Err(Diagnostic::error(format!("cannot read {}: {why}", limited::name(file))))
}

/// The PTX that a command of the user makes of a file, in a shell, as `margay extract --cmd` runs
/// it.
///
/// # Errors
/// The command has no place for the file, cannot be started, refuses it, does not end, or prints
/// nothing.
pub(super) fn compile_by(command: &str, file: &Path, target: &str) -> Result<String, Diagnostic> {
    is_there(file)?;
    if !command.contains("{in}") {
        let error =
            Diagnostic::error(format!("the command `{command}` does not say where the file goes"));
        return Err(
            error.help("write `{in}` in it, and `{out}` where it does not print the PTX: `--cmd 'clang++ -S .. {in} -o {out}'`")
        );
    }
    known_target(target)?;
    let folder = scratch().map_err(|e| {
        Diagnostic::error(format!("cannot make a folder for what is compiled: {e}"))
    })?;
    // A name that begins with `-` is no option.
    let source = if file.is_absolute() { file.to_owned() } else { Path::new(".").join(file) };
    let command = CompileCommand {
        template: command.to_owned(),
        worker: false,
        compiler: None,
        architecture: target.to_owned(),
        assembly: None,
        words: Vec::new(),
        limit: MAX_COMPILATION,
    };
    let made =
        command.run(&source, &folder.path().join("kernel.ptx"), folder.path(), MAX_COMPILATION);
    made.map_err(|failure| {
        let said = match &failure {
            CompileFailure::Rejected(log) | CompileFailure::Crashed(_, log) if !log.trim().is_empty() => shown_lines(log),
            _ => failure.to_string(),
        };
        let error = Diagnostic::error(format!("the command of --cmd makes no PTX of {}: {said}", limited::name(file)));
        error.help("start the command yourself, with the names of the files in the place of `{in}` and `{out}`")
    })
}

/// Where a folder may have nvcc: as a CUDA installation has, or as the vendor's wheels are
/// unpacked.
const PLACES: [&str; 2] = ["", "nvidia/cu13"];

/// The folder of CUDA that is named, or the one at hand, or none. Nothing is looked for where the
/// user works: that folder may be somebody else's.
fn toolkit(named: Option<&Path>) -> Result<Option<PathBuf>, Diagnostic> {
    let at = |folder: &Path| {
        PLACES.iter().map(|place| folder.join(place)).find(|f| f.join("bin/nvcc").is_file())
    };
    if let Some(named) = named {
        return at(named).map(Some).ok_or_else(|| {
            let error = Diagnostic::error(format!("there is no bin/nvcc in `{}`", named.display()));
            error.help(
                "name the folder of a CUDA installation, as /usr/local/cuda, or compile to PTX yourself (nvcc -ptx -lineinfo)",
            )
        });
    }
    let of_environment = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(|name| std::env::var_os(name).map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A relative folder on the path is one of the folder where the user works.
    let on_path = std::env::split_paths(&path)
        .filter(|f| f.is_absolute())
        .filter_map(|f| Some(f.parent()?.to_owned()));
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("toolkit")));
    let all = beside
        .into_iter()
        .chain(of_environment)
        .chain([PathBuf::from("/usr/local/cuda")])
        .chain(on_path.collect::<Vec<_>>());
    Ok(all.filter(|folder| folder.is_absolute()).find_map(|folder| at(&folder)))
}

pub(super) struct CompiledCuda {
    pub ptx: String,
    pub compiler: KernelCompiler,
    /// Kernels that are not understood, beside others that are: their names, and why in a sentence.
    pub refused: Vec<(String, String)>,
}

/// Compiles a file with line information, and says by what.
///
/// # Errors
/// nvcc is asked for and there is none, it cannot be started, or it refuses the file; without it,
/// something is not understood.
pub(super) fn compile(file: &Path, how: &CudaCompilation<'_>) -> Result<CompiledCuda, Diagnostic> {
    let CudaCompilation { compiler, toolkit: named, target, .. } = *how;
    is_there(file)?;
    known_target(target)?;
    let cuda = match compiler {
        Some(KernelCompiler::Margay) => None,
        _ => toolkit(named)?,
    };
    let Some(cuda) = cuda else {
        if compiler == Some(KernelCompiler::Nvcc) {
            let error = Diagnostic::error("there is no nvcc");
            let help = "name a CUDA installation (`--toolkit /usr/local/cuda`), or leave `--compiler nvcc` out: Margay reads CUDA itself";
            return Err(error.help(help));
        }
        let text = limited::text(file, MAX_CUDA);
        let text = text
            .map_err(|e| Diagnostic::error(format!("cannot read {}: {e}", limited::name(file))))?;
        return compile_text(file, &text, how);
    };
    let folder = scratch().map_err(|e| {
        Diagnostic::error(format!("cannot make a folder for what is compiled: {e}"))
    })?;
    let ptx = folder.path().join("kernel.ptx");
    // A name that begins with `-` is no option.
    let source = if file.is_absolute() { file.to_owned() } else { Path::new(".").join(file) };
    let mut command = Command::new(cuda.join("bin/nvcc"));
    command.arg(format!("-arch={target}")).args(["-ptx", "-lineinfo", "-o"]).arg(&ptx);
    for include in ["include/cccl", "include"] {
        command.arg("-I").arg(cuda.join(include));
    }
    let done = command.arg(&source).output();
    let done = done.map_err(|e| {
        Diagnostic::error(format!("cannot start {}: {e}", cuda.join("bin/nvcc").display()))
    })?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned()
            + &String::from_utf8_lossy(&done.stdout);
        let error = Diagnostic::error(format!(
            "nvcc refuses {}: {}",
            limited::name(file),
            shown_lines(&said)
        ));
        return Err(error.help("mend the file, or compile it yourself and give the PTX"));
    }
    let ptx = limited::text(&ptx, MAX_PTX)
        .map_err(|e| Diagnostic::error(format!("cannot read what nvcc wrote: {e}")))?;
    Ok(CompiledCuda { ptx, compiler: KernelCompiler::Nvcc, refused: Vec::new() })
}

/// The text of a file that a program includes, if there is one; an error says why it is not read.
fn included(folder: &Path, path: &str) -> Result<Option<String>, String> {
    // An error quotes what it is about: a program of somebody else must not have other files of the
    // machine quoted.
    if let Some(way) = way_out(folder, Path::new(path)).map_err(|e| e.to_string())? {
        return Err(way);
    }
    let file = folder.join(path);
    match other_than_file(&file) {
        Some(why) => Err(why.to_owned()),
        None if file.is_file() => {
            limited::text(&file, MAX_CUDA).map(Some).map_err(|e| e.to_string())
        }
        None => Ok(None),
    }
}

/// Compiles a text of CUDA without nvcc. Files that it includes in quotation marks are read from
/// its folder, or below.
///
/// # Errors
/// What is not understood, with its place: of a kernel that is named, or of all kernels where none
/// is.
pub(super) fn compile_text(
    file: &Path,
    text: &str,
    how: &CudaCompilation<'_>,
) -> Result<CompiledCuda, Diagnostic> {
    let folder =
        file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
    let name =
        file.file_name().map_or_else(|| limited::name(file), |n| n.to_string_lossy().into_owned());
    let include = |path: &str| included(&folder, path);
    let program = CudaSource {
        name: &name,
        text,
        include: &include,
        target: how.target,
        kernels: how.kernels,
    };
    let shown =
        |of: &str| if of == name { limited::name(file) } else { limited::name(&folder.join(of)) };
    let diagnostic = |e: CudaError| {
        let CudaError { message, help, file: of, text, start, end, beside } = e;
        let source = SourceFile::new(shown(&of), text);
        let mut found =
            Diagnostic::error(message).at(&source, Span::new(start, end), "here").help(help);
        for CudaPlace { what, file, text, start, end } in beside {
            let other =
                if file == of { source.clone() } else { SourceFile::new(shown(&file), text) };
            found = found.at(&other, Span::new(start, end), what);
        }
        found
    };
    let CudaModule { ptx, mut refused } =
        margay_cuda::compile_understood(&program).map_err(diagnostic)?;
    let is_asked = |name: &str| how.kernels.iter().any(|n| n == name);
    // Where some are understood, the others are named beside their answers.
    let wanted = match how.kernels {
        [] if refused.len() == ptx.matches(".visible .entry ").count() && !refused.is_empty() => {
            Some(0)
        }
        _ => refused.iter().position(|(name, _)| is_asked(name)),
    };
    if let Some(wanted) = wanted {
        return Err(diagnostic(refused.swap_remove(wanted).1));
    }
    let sentence = |e: &CudaError| {
        let (line, column) = margay_ptx::position(&e.text, e.start);
        format!("{} ({}:{line}:{column}): {}", e.message, shown(&e.file), e.help)
    };
    let refused = refused.iter().map(|(name, e)| (name.clone(), sentence(e))).collect();
    Ok(CompiledCuda { ptx, compiler: KernelCompiler::Margay, refused })
}
