//! The answer about a GPU kernel, from the file to what is printed.

mod against;
mod changed;
mod compile;
mod first_line;
mod human;
mod json;
mod sarif;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits;
use margay_console::output::{Format, FormatOption, Output};
use margay_kernel::harness::{Harness, HarnessError, HarnessSection};
use margay_kernel::source_name::kernels_named;
use margay_kernel::{
    Finding, HardeningAnswer, INTERLEAVINGS, KernelAnswer, KernelQuestion, NotLooked, UNROLL, WeakerAnswer, ask, hardened,
    weakened,
};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::{explicit, read};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::limited;
use margay_models::picture::{Picture, svg};
use margay_models::text::{FileKind, another};
use margay_ptx::Module;
use margay_reports::Verdict;

pub use self::compile::KernelCompiler;
pub use margay_kernel::KernelReading;
pub use margay_kernel::launch::{GivenArgument, Launch};

/// What is asked.
#[derive(Debug, Clone)]
pub struct KernelOptions {
    /// The kernels by name; all where none is named.
    pub kernels: Vec<String>,
    /// The launches; those of the harness, or chosen where none is given.
    pub launches: Vec<Launch>,
    /// What is passed for parameters.
    pub arguments: Vec<GivenArgument>,
    /// What must hold at the end.
    pub finals: Vec<String>,
    /// A harness; the one that lies beside the file where none is named.
    pub harness: Option<PathBuf>,
    /// The model by which it is judged.
    pub reading: KernelReading,
    /// How often each loop is gone round; [`UNROLL`] where nothing is said.
    pub unroll: Option<usize>,
    /// Are repairs looked for?
    pub repairs: bool,
    /// Is it asked which fences are needed?
    pub harden: bool,
    /// Is it asked what could be weaker?
    pub weaker: bool,
    /// Are final states asked for that only weak memory has?
    pub weak: bool,
    /// Another version of the file, to compare with.
    pub against: Option<PathBuf>,
    /// A folder for the litmus tests.
    pub out: Option<PathBuf>,
    /// The time given.
    pub timeout: Option<Duration>,
    /// A command that compiles the file, whatever its kind.
    pub command: Option<String>,
    /// What compiles CUDA; where none is named nvcc if there is one, and else Margay.
    pub compiler: Option<KernelCompiler>,
    /// The folder of CUDA.
    pub toolkit: Option<PathBuf>,
    /// The target that CUDA is compiled for.
    pub target: String,
}

/// How long is looked for an execution to draw, in steps of the explicit engine and conflicts of the SAT solver.
const DRAWN: (u64, u64) = (300_000, 30_000);

/// The longest text of a harness, in bytes.
const MAX_HARNESS: u64 = 1 << 20;

/// The file of the PTX that CUDA was compiled to.
pub const COMPILED_FILE: &str = "compiled.ptx";

/// The file of the model of interleavings.
pub const INTERLEAVINGS_FILE: &str = "interleavings.cat";

/// A file that was read.
struct KernelFile {
    path: PathBuf,
    ptx: Arc<SourceFile>,
    module: Module,
    /// What compiled it, if it is CUDA.
    compiler: Option<KernelCompiler>,
    /// Kernels that Margay did not understand, which have no code in the PTX, and why.
    refused: Vec<(String, String)>,
    /// The harness in its comments, and the text that has them.
    comments: (Harness, Arc<SourceFile>),
}

/// A kernel, what was asked of it, and the answer.
struct AskedKernel {
    answer: KernelAnswer,
    /// Were launches chosen?
    chosen: bool,
    /// What must hold at the end.
    finals: Vec<String>,
    unroll: usize,
    hardening: Option<(HardeningAnswer, Vec<NotLooked>)>,
    weaker: Option<(WeakerAnswer, Vec<NotLooked>)>,
    /// Was it wished to know what could be weaker, and not asked, since something goes wrong or may?
    unweakened: bool,
    /// Was it asked for final states that only weak memory has?
    weak: bool,
    /// Why it is not understood; then nothing was asked.
    refused: Option<String>,
}

impl AskedKernel {
    /// One that is not understood.
    fn refused(name: &str, why: &str) -> Self {
        let answer = KernelAnswer::unasked(name);
        Self {
            answer,
            chosen: true,
            finals: Vec::new(),
            unroll: UNROLL,
            hardening: None,
            weaker: None,
            unweakened: false,
            weak: false,
            refused: Some(why.to_owned()),
        }
    }

    /// What is known of it.
    fn verdict(&self) -> Verdict {
        let answer = &self.answer;
        match (answer.wrong().is_some(), answer.is_certain(), answer.is_settled(self.chosen)) {
            (true, true, _) => Verdict::Counterexample,
            (false, _, true) => Verdict::None,
            _ => Verdict::Undecided,
        }
    }
}

/// Reads a file, asks about its kernels, and prints the answers.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &KernelOptions, output: &Output) -> CommandOutcome {
    let start = Instant::now();
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let deadline = limits::RunLimits::start(options.timeout, None).deadline;
    let asked = read_file(file, options).and_then(|new| {
        let beside = harness(&new, options)?;
        let asked = ask_all(&new, beside.as_ref(), options, deadline)?;
        let Some(old) = &options.against else { return Ok((new, asked, None)) };
        let old = read_file(old, options)?;
        let before = KernelOptions { harden: false, weaker: false, repairs: false, ..options.clone() };
        let answers = ask_all(&old, beside.as_ref(), &before, deadline)?;
        let found = against::compare((&old, &answers), (&new, &asked));
        Ok((new, asked, Some(found)))
    });
    let (file, answers, against) = match asked {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    let all: Vec<Verdict> = answers.iter().map(AskedKernel::verdict).collect();
    let worst = [Verdict::Counterexample, Verdict::Undecided].into_iter().find(|v| all.contains(v)).unwrap_or(Verdict::None);
    let verdict = against.as_ref().map_or(worst, |a| a.verdict);
    let exit = output.settle(match verdict {
        Verdict::Counterexample | Verdict::Different => Exit::Found,
        Verdict::Undecided => Exit::Undecided,
        _ => Exit::Holds,
    });
    match output.format {
        Format::Json => {
            output.document(&json::document(&file, &answers, against.as_ref(), verdict, options, start.elapsed()))?;
        }
        Format::Human if output.asked == FormatOption::Sarif => {
            output.print(&sarif::log(&file, &answers, against.as_ref())?)?;
        }
        Format::Human => match &against {
            Some(against) => human::print_differences(&file, &answers, (against, options.reading), output)?,
            None => human::print_answers(&file, &answers, output)?,
        },
    }
    if let Some(out) = &options.out {
        write(out, &file, &answers, options.reading, output);
    }
    Ok(exit)
}

fn read_file(path: &Path, options: &KernelOptions) -> Result<KernelFile, Diagnostic> {
    let how = compile::CudaCompilation {
        command: options.command.as_deref(),
        compiler: options.compiler,
        toolkit: options.toolkit.as_deref(),
        target: &options.target,
        kernels: &options.kernels,
    };
    let text = texts(path, &how)?;
    let module = text.module()?;
    let KernelText { ptx, source, compiler, refused } = text;
    if module.kernels().next().is_none() {
        let error = Diagnostic::error(format!("there is no kernel in {}", ptx.name));
        return Err(error.help("a kernel is an `.entry` with a body, in CUDA a function that is `__global__`"));
    }
    let harness = Harness::of_comments(&source.text).map_err(|e| no_harness(&source, &e))?;
    Ok(KernelFile { path: path.to_owned(), ptx, module, compiler, refused, comments: (harness, source) })
}

fn no_harness(file: &Arc<SourceFile>, error: &HarnessError) -> Diagnostic {
    Diagnostic::error(error.message.clone()).at(file, Span::new(error.start, error.end), "here")
}

/// The harness that is named, or lies beside a file.
fn harness(file: &KernelFile, options: &KernelOptions) -> Result<Option<(Harness, Arc<SourceFile>)>, Diagnostic> {
    let beside = file.path.with_extension("harness");
    let path = match &options.harness {
        Some(named) => named,
        None if beside != file.path && beside.is_file() => &beside,
        None => return Ok(None),
    };
    let text = limited::text(path, MAX_HARNESS);
    let text = text.map_err(|e| Diagnostic::error(format!("cannot read the harness {}: {e}", limited::name(path))))?;
    let source = SourceFile::new(limited::name(path), text);
    let harness = Harness::read(&source.text).map_err(|e| no_harness(&source, &e))?;
    Ok(Some((harness, source)))
}

/// Has the file the kernels that options and harnesses name?
fn kernels_are_there(
    file: &KernelFile,
    named: &[&str],
    harnesses: &[(Harness, &Arc<SourceFile>)],
    options: &KernelOptions,
) -> Result<(), Diagnostic> {
    let unknown = |name: &str| {
        let error = Diagnostic::error(format!("there is no kernel `{name}` in {}", file.ptx.name));
        let near = nearest(name, named.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        error.help(near.unwrap_or_else(|| format!("its kernels: {}", named.join(", "))))
    };
    if let Some(name) = options.kernels.iter().find(|name| kernels_named(name, named).is_empty()) {
        return Err(unknown(name));
    }
    for (harness, source) in harnesses {
        let mut all = harness.sections.iter().flat_map(|s| &s.kernels);
        if let Some((name, start)) = all.find(|(name, _)| !named.contains(&name.as_str())) {
            return Err(unknown(name).at(source, Span::new(*start, start + name.len()), "the harness names it"));
        }
    }
    Ok(())
}

/// What is asked of a kernel by its harnesses and by the options: launches and rounds of the latter are in place of the others, arguments and
/// conditions are added.
fn said_of(kernel: &str, harnesses: &[(Harness, &Arc<SourceFile>)], options: &KernelOptions) -> HarnessSection {
    let mut said = HarnessSection::default();
    for (harness, _) in harnesses {
        let section = harness.of(kernel);
        if !section.launches.is_empty() {
            said.launches = section.launches;
        }
        said.arguments.extend(section.arguments);
        said.finals.extend(section.finals);
        said.unroll = section.unroll.or(said.unroll);
    }
    if !options.launches.is_empty() {
        said.launches.clone_from(&options.launches);
    }
    said.arguments.extend(options.arguments.iter().cloned());
    said.finals.extend(options.finals.iter().cloned());
    said.unroll = options.unroll.or(said.unroll);
    said
}

/// Asks about the kernels of a file.
fn ask_all(
    file: &KernelFile,
    beside: Option<&(Harness, Arc<SourceFile>)>,
    options: &KernelOptions,
    deadline: Option<Instant>,
) -> Result<Vec<AskedKernel>, Diagnostic> {
    let KernelFile { ptx, module, comments, .. } = file;
    let named: Vec<&str> = module.kernels().map(|k| module.functions[k].name.as_str()).collect();
    let harnesses: Vec<(Harness, &Arc<SourceFile>)> =
        [comments].into_iter().chain(beside).map(|(harness, source)| (harness.named(&named), source)).collect();
    // Of an older version some kernels may be missing.
    if options.against.as_deref().is_none_or(|old| old != file.path) {
        kernels_are_there(file, &named, &harnesses, options)?;
    }
    let asked: Vec<&str> = options.kernels.iter().flat_map(|name| kernels_named(name, &named)).collect();
    let mut answers = Vec::new();
    for kernel in module.kernels() {
        let name = &module.functions[kernel].name;
        if !options.kernels.is_empty() && !asked.contains(&name.as_str()) {
            continue;
        }
        if let Some((_, why)) = file.refused.iter().find(|(of, _)| of == name) {
            answers.push(AskedKernel::refused(name, why));
            continue;
        }
        let HarnessSection { launches, arguments, finals, unroll, .. } = said_of(name, &harnesses, options);
        let unroll = unroll.unwrap_or(UNROLL);
        let question = KernelQuestion {
            text: &ptx.text,
            module,
            kernel,
            launches: &launches,
            arguments: &arguments,
            finals: &finals,
            reading: options.reading,
            unroll,
            deadline,
            stop: limits::stop(),
            repairs: options.repairs,
            weak: options.weak,
        };
        let wrong = |why: String| {
            let error = Diagnostic::error(format!("{why} (of the kernel `{name}`)"));
            // Who has named one kernel is not told to name one.
            error.help(match options.kernels.len() {
                1 => "docs/kernels.md, What is passed, says how arguments and conditions are written",
                _ => "`--kernel NAME` asks about one kernel; a harness says things of one (docs/kernels.md)",
            })
        };
        let answer = ask(&question).map_err(wrong)?;
        let hardening = options.harden.then(|| hardened(&question)).transpose().map_err(wrong)?;
        // Of what goes wrong, or may, nothing is asked to be weaker.
        let is_right = answer.wrong().is_none() && answer.is_settled(launches.is_empty());
        let unweakened = options.weaker && !is_right;
        let weaker = (options.weaker && is_right).then(|| weakened(&question)).transpose().map_err(wrong)?;
        answers.push(AskedKernel {
            answer,
            chosen: launches.is_empty(),
            finals,
            unroll,
            hardening,
            weaker,
            unweakened,
            weak: options.weak,
            refused: None,
        });
    }
    Ok(answers)
}

/// The PTX of a file, the text that its author wrote, and what compiled it.
struct KernelText {
    ptx: Arc<SourceFile>,
    source: Arc<SourceFile>,
    compiler: Option<KernelCompiler>,
    refused: Vec<(String, String)>,
}

/// A program of kernels: its PTX, and what that says.
pub struct ProgramText {
    /// The PTX, with the name of the file.
    pub ptx: Arc<SourceFile>,
    /// What it says.
    pub module: Module,
}

/// The program of a file; a .cu file is compiled by the nvcc of a toolkit, and by Margay where there is none. These kernels must be understood.
///
/// # Errors
/// It cannot be read or compiled, or is something else by its name.
pub fn program(file: &Path, toolkit: Option<&Path>, target: &str, kernels: &[String]) -> Result<ProgramText, Diagnostic> {
    let text = texts(file, &compile::CudaCompilation { command: None, compiler: None, toolkit, target, kernels })?;
    Ok(ProgramText { module: text.module()?, ptx: text.ptx })
}

impl KernelText {
    /// What the PTX says.
    fn module(&self) -> Result<Module, Diagnostic> {
        margay_ptx::read(&self.ptx.text).map_err(|e| match self.compiler {
            Some(by) => miscompiled(&self.ptx, by, &e),
            None => unreadable(&self.ptx, &e),
        })
    }
}

fn texts(file: &Path, how: &compile::CudaCompilation<'_>) -> Result<KernelText, Diagnostic> {
    let name = limited::name(file);
    let kind = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if let Some(command) = how.command {
        let ptx = SourceFile::new(name.clone(), compile::compile_by(command, file, how.target)?);
        // What is no text has no comments for Margay.
        let source = SourceFile::new(name, limited::text(file, compile::MAX_PTX).unwrap_or_default());
        return Ok(KernelText { ptx, source, compiler: Some(KernelCompiler::Command), refused: Vec::new() });
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
        error.help(format!("a text of PTX of at most {} MiB, or a .cu file", compile::MAX_PTX >> 20))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read {name}: {}", limited::not_a_text(&error)));
        error.help("give PTX (nvcc -ptx, or cuobjdump -ptx of a binary), not machine code")
    })?;
    // What is pasted may be CUDA, whatever its name.
    if !text.contains(".version") && text.contains("__global__") {
        let compile::CompiledCuda { ptx, compiler, refused } = compile::compile_text(file, &text, how)?;
        let ptx = SourceFile::new(name.clone(), ptx);
        return Ok(KernelText { ptx, source: SourceFile::new(name, text), compiler: Some(compiler), refused });
    }
    let ptx = SourceFile::new(name, text);
    Ok(KernelText { ptx: ptx.clone(), source: ptx, compiler: None, refused: Vec::new() })
}

/// The error where what a compiler made is no PTX: of Margay's, that can be of inline PTX.
fn miscompiled(ptx: &Arc<SourceFile>, by: KernelCompiler, error: &margay_ptx::ReadError) -> Diagnostic {
    let shown = SourceFile::new(format!("the PTX of {}", ptx.name), ptx.text.clone());
    let by = if by == KernelCompiler::Command { "the command of --cmd" } else { by.name() };
    let wrong = Diagnostic::error(format!("what {by} made of {} is not read: {}", ptx.name, error.message));
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
    let wrong = Diagnostic::error(error.message.clone()).at(source, Span::new(error.start, error.end), "here");
    match source.text.contains(".version") {
        true => wrong,
        false => wrong.help("this is no PTX; `margay kernel` reads PTX (nvcc -ptx) and .cu files, `margay run` litmus tests"),
    }
}

/// An execution of a finding's test in which it goes wrong, drawn; nothing where none is found again in so many steps, or there is none to draw, as
/// where no execution ends.
fn picture(finding: &Finding) -> Option<String> {
    let file = SourceFile::new("found.litmus", finding.litmus.clone());
    let test = read::test(&file).ok()?.test;
    let model = finding.model()?;
    let (steps, conflicts) = DRAWN;
    let options = explicit::Options { steps: Some(steps), conflicts: Some(conflicts), ..explicit::Options::default() };
    let verdict = Runner::new(model).run(&test, &options, Choice::Auto).ok()?;
    let witness = if finding.with_races { verdict.race } else { verdict.witness }?;
    let title = format!("{}: {}", test.name, finding.kind.words());
    Some(svg(&witness.execution, &Picture::of(&title, &witness.execution, None)))
}

/// Writes the litmus tests of what goes wrong with a picture of each, the model with races, and the PTX that CUDA was compiled to.
fn write(path: &Path, file: &KernelFile, answers: &[AskedKernel], reading: KernelReading, output: &Output) {
    let clean = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' }).collect()
    };
    let mut files: Vec<(String, String)> = vec![(reading.races_file(), reading.races_text())];
    if file.compiler.is_some() {
        files.push((COMPILED_FILE.to_owned(), file.ptx.text.clone()));
    }
    if answers.iter().any(|asked| asked.weak) {
        files.push((INTERLEAVINGS_FILE.to_owned(), INTERLEAVINGS.to_owned()));
    }
    let mut findings = answers.iter().flat_map(|asked| &asked.answer.launches).flat_map(|launch| &launch.findings);
    if findings.any(|finding| finding.kind == margay_kernel::FindingKind::Stale) {
        files.push((reading.stale_file(), reading.stale_text()));
    }
    for AskedKernel { answer, .. } in answers {
        for launch in &answer.launches {
            if !launch.litmus.is_empty() {
                files.push((clean(&format!("{}-{}.litmus", answer.kernel, launch.launch)), launch.litmus.clone()));
            }
            for (n, finding) in launch.findings.iter().enumerate() {
                let name = clean(&format!("{}-{}-{}-{}", answer.kernel, launch.launch, n + 1, finding.kind.name()));
                files.push((format!("{name}.litmus"), finding.litmus.clone()));
                files.extend(picture(finding).map(|drawn| (format!("{name}.svg"), drawn)));
            }
        }
    }
    let written = folder::OutputFolder::open(path).and_then(|mut folder| {
        files.iter().try_for_each(|(name, text)| folder.write(name, text).map(|_| ()))?;
        Ok(folder.finish(&|name| name.ends_with(".litmus") || name.ends_with(".svg")))
    });
    match written {
        Ok(warning) => output.warn(&warning.into_iter().collect::<Vec<_>>()),
        Err(error) => folder::unwritten(path, &error, *output),
    }
}
