//! The answer about a GPU kernel, from the file to what is printed.

mod compile;
mod show;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay_console::exit::{Exit, Outcome};
use margay_console::folder;
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_kernel::{KernelAnswer, KernelQuestion, RACES, ask};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::limited;
use margay_reports::Verdict;

pub use margay_kernel::launch::{GivenArgument, Launch};

/// What is asked.
#[derive(Debug, Clone)]
pub struct Options {
    /// The kernels by name; all where none is named.
    pub kernels: Vec<String>,
    /// The launches; chosen where none is given.
    pub launches: Vec<Launch>,
    /// What is passed for parameters.
    pub arguments: Vec<GivenArgument>,
    /// What must hold at the end.
    pub finals: Vec<String>,
    /// How often each backward jump is taken.
    pub unroll: usize,
    /// Are repairs looked for?
    pub repairs: bool,
    /// A folder for the litmus tests.
    pub out: Option<PathBuf>,
    /// The time given.
    pub timeout: Option<Duration>,
    /// The folder of CUDA.
    pub toolkit: Option<PathBuf>,
    /// The target that CUDA is compiled for.
    pub target: String,
}

/// How long a repair of each finding is looked for.
const REPAIR: Duration = Duration::from_secs(10);

/// How long each launch of many threads may take that nobody asked for.
const LARGE: Duration = Duration::from_secs(10);

/// The name of the model with races, as a file.
pub const RACES_FILE: &str = "ptx-8-races.cat";

/// Reads a file, asks about its kernels, and prints the answers.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &Options, output: &Output) -> Outcome {
    let start = Instant::now();
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let read = text(file, options).and_then(|source| {
        let module = margay_ptx::read(&source.text).map_err(|e| unreadable(&source, &e))?;
        Ok((source, module))
    });
    let (source, module) = match read {
        Ok(read) => read,
        Err(error) => return output.wrong(&[error]),
    };
    let named: Vec<&str> = module.kernels().map(|k| module.functions[k].name.as_str()).collect();
    if let Some(unknown) = options.kernels.iter().find(|name| !named.contains(&name.as_str())) {
        let error = Diagnostic::error(format!("there is no kernel `{unknown}` in {}", source.name));
        let near = nearest(unknown, named.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        return output.wrong(&[error.help(near.unwrap_or_else(|| format!("its kernels: {}", named.join(", "))))]);
    }
    if named.is_empty() {
        let error = Diagnostic::error(format!("there is no kernel in {}", source.name));
        return output.wrong(&[error.help("a kernel is an `.entry` with a body, in CUDA a function that is `__global__`")]);
    }
    let deadline = limits::Limits::start(options.timeout, None).deadline;
    let mut answers: Vec<KernelAnswer> = Vec::new();
    for kernel in module.kernels() {
        let name = &module.functions[kernel].name;
        if !options.kernels.is_empty() && !options.kernels.contains(name) {
            continue;
        }
        let question = KernelQuestion {
            text: &source.text,
            module: &module,
            kernel,
            launches: &options.launches,
            arguments: &options.arguments,
            finals: &options.finals,
            unroll: options.unroll,
            deadline,
            stop: limits::stop(),
            repairs: options.repairs.then_some(REPAIR),
            large: LARGE,
        };
        match ask(&question) {
            Ok(answer) => answers.push(answer),
            Err(why) => {
                let error = Diagnostic::error(format!("{why} (of the kernel `{name}`)"));
                return output.wrong(&[error.help("`--kernel NAME` asks about one kernel")]);
            }
        }
    }
    let chosen = options.launches.is_empty();
    let all: Vec<Verdict> = answers.iter().map(|a| verdict(a, chosen)).collect();
    let verdict = [Verdict::Counterexample, Verdict::Undecided].into_iter().find(|v| all.contains(v)).unwrap_or(Verdict::None);
    let exit = output.settle(match verdict {
        Verdict::Counterexample => Exit::Found,
        Verdict::Undecided => Exit::Undecided,
        _ => Exit::Holds,
    });
    match output.format {
        Format::Json => output.document(&show::document(&source.name, &answers, chosen, verdict, options, start.elapsed()))?,
        Format::Human => show::human(&source.name, &answers, chosen, options, output)?,
    }
    if let Some(out) = &options.out {
        write(out, &answers, output);
    }
    Ok(exit)
}

/// What is known of a kernel.
fn verdict(answer: &KernelAnswer, chosen: bool) -> Verdict {
    match (answer.wrong().is_some(), answer.is_certain(), answer.is_settled(chosen)) {
        (true, true, _) => Verdict::Counterexample,
        (false, _, true) => Verdict::None,
        _ => Verdict::Undecided,
    }
}

/// The PTX of a file.
fn text(file: &Path, options: &Options) -> Result<std::sync::Arc<SourceFile>, Diagnostic> {
    let name = limited::name(file);
    if file.extension().is_some_and(|e| e == "cu" || e == "cuh") {
        let text = compile::compile(file, options.toolkit.as_deref(), &options.target)?;
        return Ok(SourceFile::new(name, text));
    }
    let bytes = limited::given(file, compile::MAX_PTX);
    let bytes = bytes.map_err(|e| {
        let error = Diagnostic::error(format!("cannot read {name}: {e}"));
        error.help(format!("a text of PTX of at most {} MiB, or a .cu file", compile::MAX_PTX >> 20))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let error = Diagnostic::error(format!("{name} is not a text"));
        error.help("give PTX (nvcc -ptx, or cuobjdump -ptx of a binary), not machine code")
    })?;
    Ok(SourceFile::new(name, text))
}

fn unreadable(source: &std::sync::Arc<SourceFile>, error: &margay_ptx::ReadError) -> Diagnostic {
    let wrong = Diagnostic::error(error.message.clone()).at(source, Span::new(error.start, error.end), "here");
    match source.text.contains(".version") {
        true => wrong,
        false => wrong.help("this is no PTX; `margay kernel` reads PTX (nvcc -ptx) and .cu files, `margay run` litmus tests"),
    }
}

/// Writes the litmus tests of what goes wrong, and the model with races.
fn write(path: &Path, answers: &[KernelAnswer], output: &Output) {
    let clean = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' }).collect()
    };
    let mut files: Vec<(String, String)> = vec![(RACES_FILE.to_owned(), RACES.to_owned())];
    for answer in answers {
        for launch in &answer.launches {
            if !launch.litmus.is_empty() {
                files.push((clean(&format!("{}-{}.litmus", answer.kernel, launch.launch)), launch.litmus.clone()));
            }
            for (n, finding) in launch.findings.iter().enumerate() {
                let name = format!("{}-{}-{}-{}.litmus", answer.kernel, launch.launch, n + 1, finding.kind.name());
                files.push((clean(&name), finding.litmus.clone()));
            }
        }
    }
    let written = folder::Folder::open(path).and_then(|mut folder| {
        files.iter().try_for_each(|(name, text)| folder.write(name, text).map(|_| ()))?;
        Ok(folder.finish(&|name| name.ends_with(".litmus")))
    });
    match written {
        Ok(warning) => output.warn(&warning.into_iter().collect::<Vec<_>>()),
        Err(error) => folder::unwritten(path, &error, *output),
    }
}
