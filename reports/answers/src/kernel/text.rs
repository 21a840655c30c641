//! From a file to PTX: it is read, or compiled.

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::limited;
use margay_models::text::{FileKind, another};
use margay_ptx::Module;

use super::compile::{self, KernelCompiler};

/// The PTX of a file, the text that its author wrote, and what compiled it.
pub struct KernelText {
    pub ptx: Arc<SourceFile>,
    pub source: Arc<SourceFile>,
    pub compiler: Option<KernelCompiler>,
    pub refused: Vec<(String, String)>,
}

/// A program of kernels: its PTX, and what that says.
pub struct ProgramText {
    /// The PTX, with the name of the file.
    pub ptx: Arc<SourceFile>,
    /// What it says.
    pub module: Module,
}

/// The program of a file; a .cu file is compiled by the nvcc of a toolkit, and by Margay where
/// there is none. These kernels must be understood.
///
/// # Errors
/// It cannot be read or compiled, or is something else by its name.
pub fn program(
    file: &Path,
    toolkit: Option<&Path>,
    target: &str,
    kernels: &[String],
) -> Result<ProgramText, Diagnostic> {
    let text = texts(
        file,
        &compile::CudaCompilation { command: None, compiler: None, toolkit, target, kernels },
    )?;
    Ok(ProgramText { module: text.module()?, ptx: text.ptx })
}

impl KernelText {
    /// What the PTX says.
    pub fn module(&self) -> Result<Module, Diagnostic> {
        margay_ptx::read(&self.ptx.text).map_err(|e| match self.compiler {
            Some(by) => miscompiled(&self.ptx, by, &e),
            None => unreadable(&self.ptx, &e),
        })
    }
}

pub fn texts(file: &Path, how: &compile::CudaCompilation<'_>) -> Result<KernelText, Diagnostic> {
    let name = limited::name(file);
    let kind = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if let Some(command) = how.command {
        let ptx = SourceFile::new(name.clone(), compile::compile_by(command, file, how.target)?);
        // What is no text has no comments for Margay.
        let source =
            SourceFile::new(name, limited::text(file, compile::MAX_PTX).unwrap_or_default());
        return Ok(KernelText {
            ptx,
            source,
            compiler: Some(KernelCompiler::Command),
            refused: Vec::new(),
        });
    }
    if matches!(kind, "cu" | "cuh") {
        let compiled = compile::compile(file, how)?;
        let source = limited::text(file, compile::MAX_PTX).unwrap_or_default();
        return Ok(KernelText {
            ptx: SourceFile::new(name.clone(), compiled.ptx),
            source: SourceFile::new(name, source),
            compiler: Some(compiled.compiler),
            refused: compiled.refused,
        });
    }
    let other = match kind {
        "harness" => Some("a harness; name the .ptx or .cu file beside it"),
        "cubin" | "fatbin" | "o" | "so" | "a" | "exe" => {
            Some("machine code; `cuobjdump -ptx` shows the PTX in it, if there is some")
        }
        _ => None,
    };
    if let Some(other) = other {
        let error = Diagnostic::error(format!(
            "{name} is not PTX and not CUDA: by its name it is {}",
            other.split(';').next().unwrap_or(other)
        ));
        return Err(error.help(other.split_once("; ").map_or(other, |(_, help)| help)));
    }
    let bytes = limited::given(file, compile::MAX_PTX);
    let bytes = bytes.map_err(|e| {
        let error = Diagnostic::error(format!("cannot read {name}: {e}"));
        error
            .help(format!("a text of PTX of at most {} MiB, or a .cu file", compile::MAX_PTX >> 20))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let error =
            Diagnostic::error(format!("cannot read {name}: {}", limited::not_a_text(&error)));
        error.help("give PTX (nvcc -ptx, or cuobjdump -ptx of a binary), not machine code")
    })?;
    // What is pasted may be CUDA, whatever its name.
    if !text.contains(".version") && text.contains("__global__") {
        let compile::CompiledCuda { ptx, compiler, refused } =
            compile::compile_text(file, &text, how)?;
        let ptx = SourceFile::new(name.clone(), ptx);
        return Ok(KernelText {
            ptx,
            source: SourceFile::new(name, text),
            compiler: Some(compiler),
            refused,
        });
    }
    let ptx = SourceFile::new(name, text);
    Ok(KernelText { ptx: ptx.clone(), source: ptx, compiler: None, refused: Vec::new() })
}

/// The error where what a compiler made is no PTX: of Margay's, that can be of inline PTX.
fn miscompiled(
    ptx: &Arc<SourceFile>,
    by: KernelCompiler,
    error: &margay_ptx::ReadError,
) -> Diagnostic {
    let shown = SourceFile::new(format!("the PTX of {}", ptx.name), ptx.text.clone());
    let by = if by == KernelCompiler::Command { "the command of --cmd" } else { by.name() };
    let wrong =
        Diagnostic::error(format!("what {by} made of {} is not read: {}", ptx.name, error.message));
    let wrong = wrong.at(&shown, Span::new(error.start, error.end), "here");
    wrong.help(
        "look at the inline PTX (`asm`) of the file; the line above in front of this one that begins with `.loc` names its line",
    )
}

fn unreadable(source: &Arc<SourceFile>, error: &margay_ptx::ReadError) -> Diagnostic {
    // What is of another kind is wrong from its first line on: that line says it best.
    if let Some(wrong) = another(source, FileKind::Kernel) {
        return wrong;
    }
    let wrong = Diagnostic::error(error.message.clone()).at(
        source,
        Span::new(error.start, error.end),
        "here",
    );
    match source.text.contains(".version") {
        true => wrong,
        false => wrong.help("this is no PTX; `margay kernel` reads PTX (nvcc -ptx) and .cu files, `margay run` litmus tests"),
    }
}
