//! One run of a compiler: a command with placeholders, in a folder of its own, with a limit of
//! time.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use margay_models::durable::scratch;
use margay_models::signature::Architecture;
use margay_models::text::in_line;

use super::worker::WorkerPool;
use super::{group, shell as quotes};

/// How a compiler is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileCommand {
    /// The text, with `{in}`, `{out}` and others.
    pub template: String,
    /// It takes `--worker` in place of `{in} {out}`, and then program after program.
    pub worker: bool,
    /// The folder that the compiler is unpacked in.
    pub compiler: Option<String>,
    /// The architecture: `sm_90`, or `sm_90-ptx86` with a version of PTX.
    pub architecture: String,
    /// The architecture whose text reads the assembly that comes out; none where that is PTX.
    pub assembly: Option<Architecture>,
    /// More words in braces, and what stands for them: words of the shell, not one argument.
    pub words: Vec<(String, String)>,
    /// How long a program of many functions may take; one of few gets a fifth of it.
    pub limit: Duration,
}

/// Why there is no PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileFailure {
    /// The compiler could not be started.
    NotStarted(String),
    /// It said no; what it said.
    Rejected(String),
    /// It was ended by a signal; what it said before.
    Crashed(i32, String),
    /// It did not end in time.
    TooLong(Duration),
    /// It wrote more than so many bytes, and was ended.
    TooMuch(u64),
    /// It ended well, and what came out is no PTX.
    NoPtx(String),
    /// Other work was stopped first.
    Stopped,
}

impl fmt::Display for CompileFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => f.write_str(why),
            Self::Rejected(log) => f.write_str(
                &said(log).unwrap_or_else(|| "the compiler fails and says nothing".to_owned()),
            ),
            Self::Crashed(_, log) if self.is_refusal() => {
                f.write_str(&said(log).unwrap_or_default())
            }
            Self::Crashed(signal, log) => match said(log) {
                Some(what) => write!(f, "the compiler crashes: {what}"),
                None => write!(f, "the compiler crashes (signal {signal})"),
            },
            Self::TooLong(limit) => {
                write!(f, "the compiler does not end within {} s", limit.as_secs_f64().ceil())
            }
            Self::TooMuch(most) => write!(f, "the compiler prints more than {} MiB", most >> 20),
            Self::NoPtx(why) => f.write_str(why),
            Self::Stopped => f.write_str("not asked: something else failed first"),
        }
    }
}

impl CompileFailure {
    /// Does the compiler say that it does not compile this? LLVM says so and aborts.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Rejected(_) => true,
            Self::Crashed(_, log) => {
                ["Cannot select", "LLVM ERROR", "fatal error: error in backend"]
                    .iter()
                    .any(|t| log.contains(t))
            }
            _ => false,
        }
    }
}

impl CompileFailure {
    /// Is it an error in a place of the source, `types.h(7): error` or `types.h:7:1: error`? An
    /// error of a later stage, an assembler above all, is about the instructions that came out.
    pub(super) fn is_of_the_source(&self) -> bool {
        let Self::Rejected(log) = self else { return false };
        let mut errors =
            log.lines().filter_map(|line| line.split_once(": error").map(|(place, _)| place));
        errors.any(|place| place.ends_with(|c: char| c.is_ascii_digit() || c == ')'))
    }
}

/// The line of a compiler's output that says what is wrong, without names of files.
fn said(log: &str) -> Option<String> {
    let lines = || log.lines().map(str::trim).filter(|l| !l.is_empty());
    let is_error = |l: &&str| l.to_ascii_lowercase().contains("error");
    let mut line = lines().find(is_error).or_else(|| lines().next())?;
    if line.contains("Cannot select") {
        // The rest has numbers of nodes.
        return Some("Cannot select".to_owned());
    }
    if line.contains("cannot be verified") {
        // LLVM says first what is wrong, and then that something is.
        line = lines().next()?;
    }
    // The assembler, inside of NVRTC: which line of its input it is depends on what else is
    // compiled.
    if let Some((_, what)) = line
        .split_once("ptxas application ptx input, line ")
        .and_then(|(_, rest)| rest.split_once(':'))
    {
        return Some(format!("ptxas: {}", what.trim().replace('"', "'")));
    }
    let at = ["error: ", "ERROR: ", "Error: "]
        .iter()
        .filter_map(|e| line.rfind(e).map(|i| i + e.len()))
        .max();
    // Names of files and functions, and numbers of values and addresses, differ from run to run.
    let differs = |w: &&str| {
        w.contains("0x") || w.contains('/') || w.contains("<unknown>") || w.starts_with("program")
    };
    let text = line[at.unwrap_or(0)..].replace('"', "'");
    let text =
        match text.strip_prefix("<unknown>:0:0: in function ").and_then(|t| t.split_once(": ")) {
            Some((_, text)) => text.to_owned(),
            None => text,
        };
    let text: Vec<&str> = text.split_whitespace().filter(|w| !differs(w)).collect();
    Some(in_line(&text.join(" ")).chars().take(120).collect())
}

/// The number in `sm_90a`.
fn number(architecture: &str) -> &str {
    architecture.trim_start_matches("sm_").trim_start_matches("compute_")
}

impl CompileCommand {
    /// Architecture and version of PTX.
    pub fn parts(&self) -> (&str, Option<&str>) {
        self.architecture
            .split_once("-ptx")
            .map_or((self.architecture.as_str(), None), |(a, p)| (a, Some(p)))
    }

    /// The command for a program.
    pub fn text(&self, input: &str, output: &str, folder: &str) -> String {
        self.filled(&self.template, input, output, folder)
    }

    fn filled(&self, template: &str, input: &str, output: &str, folder: &str) -> String {
        let (arch, ptx) = self.parts();
        let sm = number(arch);
        let mattr = ptx.map_or(String::new(), |p| format!("-mattr=+ptx{p}"));
        let features = ptx.map_or(String::new(), |p| format!("+ptx{p}"));
        let xclang =
            ptx.map_or(String::new(), |p| format!("-Xclang -target-feature -Xclang +ptx{p}"));
        let compute = format!("compute_{sm}");
        let words = [
            ("arch", arch),
            ("sm", sm),
            ("compute", &compute),
            ("mattr", &mattr),
            ("features", &features),
            ("ptx", ptx.unwrap_or("")),
            ("xclang", &xclang),
        ];
        let compiler = self.compiler.as_deref().unwrap_or("");
        let words: Vec<(&str, &str)> = words
            .into_iter()
            .chain(self.words.iter().map(|(name, text)| (name.as_str(), text.as_str())))
            .collect();
        let paths = [("in", input), ("out", output), ("compiler", compiler), ("drivers", folder)];
        quotes::filled(template, &paths, &words)
    }

    /// Compiles a file by a process of its own, within a time; the PTX that came out.
    ///
    /// # Errors
    /// The command cannot be started, refuses the file, does not end, or prints nothing.
    pub fn run(
        &self,
        input: &Path,
        output: &Path,
        folder: &Path,
        limit: Duration,
    ) -> Result<String, CompileFailure> {
        let path = |path: &Path| path.display().to_string();
        let done = ran(&self.text(&path(input), &path(output), &path(folder)), folder, limit)?;
        self.made(done, output)
    }

    /// Compiles a program of so many functions, by a process that stays where the compiler has one;
    /// the PTX that came out.
    pub(super) fn run_group(
        &self,
        (input, functions): (&Path, usize),
        output: &Path,
        folder: &Path,
        workers: &WorkerPool,
    ) -> Result<String, CompileFailure> {
        let limit = if functions < MANY {
            (self.limit / 5).max(Duration::from_secs(1))
        } else {
            self.limit
        };
        let has_worker = self.worker && self.template.contains(FILES);
        let asked = has_worker.then(|| {
            let command = self.filled(
                &self.template.replacen(FILES, "--worker", 1),
                "",
                "",
                &folder.display().to_string(),
            );
            workers.ran(&command, input, output, folder, limit)
        });
        match asked.flatten() {
            Some(done) => self.made(done?, output),
            None => self.run(input, output, folder, limit),
        }
    }

    /// The PTX that a process printed, or wrote.
    fn made(&self, done: ProcessOutput, output: &Path) -> Result<String, CompileFailure> {
        // LLVM says this, compiles for a machine of its choice, and writes the name that it was
        // given into the PTX.
        if let Some(line) =
            done.errors.lines().find(|line| line.contains("is not a recognized processor"))
        {
            return Err(CompileFailure::Rejected(line.to_owned()));
        }
        let text = if self.template.contains("{out}") {
            if std::fs::metadata(output).is_ok_and(|file| file.len() > MAX_OUTPUT) {
                return Err(CompileFailure::TooMuch(MAX_OUTPUT));
            }
            match std::fs::read(output) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) => {
                    return Err(CompileFailure::NoPtx(
                        "the compiler ends well and writes nothing".to_owned(),
                    ));
                }
            }
        } else {
            done.output
        };
        if text.trim().is_empty() {
            return Err(CompileFailure::NoPtx(
                "the compiler ends well and writes nothing".to_owned(),
            ));
        }
        Ok(text)
    }
}

/// What stands in a command in the place of `--worker`.
const FILES: &str = "{in} {out}";

/// A program of fewer functions has less time.
const MANY: usize = 64;

/// What a process said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutput {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

/// The largest program that a compiler may print, in bytes.
const MAX_OUTPUT: u64 = 64 << 20;

/// The most that it may say besides, in bytes. More is no message for anybody.
const MAX_MESSAGES: u64 = 16 << 20;

/// How much is kept of what it says, in bytes: each of its messages is searched.
pub(super) const KEPT: usize = 256 << 10;

/// How a process ended.
pub(super) enum Ended {
    Code(i32),
    Signal(i32),
}

/// A command of the shell, in a folder, that is not started yet.
pub(super) fn shell(command: &str, folder: &Path) -> std::process::Command {
    let mut process = std::process::Command::new("sh");
    // A process group of its own, so that what the shell started can be ended with it.
    process.arg("-c").arg(command).env("MARGAY_FOLDER", folder);
    group::own(&mut process);
    // A crash of LLVM is an answer; its stack trace takes a second and helps nobody here.
    process.env("LLVM_DISABLE_SYMBOLIZATION", "1").env("LLVM_DISABLE_CRASH_REPORT", "1");
    process
}

/// Runs a command of the shell, in a folder, with a limit of time.
///
/// # Errors
/// A command that cannot be started, that fails, or that does not end.
pub fn ran(command: &str, folder: &Path, limit: Duration) -> Result<ProcessOutput, CompileFailure> {
    let mut process = shell(command, folder);
    process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process
        .spawn()
        .map_err(|e| CompileFailure::NotStarted(format!("cannot start a shell: {e}")))?;
    let output = Listener::start(child.stdout.take(), usize::MAX, MAX_OUTPUT);
    let errors = Listener::start(child.stderr.take(), KEPT, MAX_MESSAGES);
    let status = wait(&mut child, limit, &[&output, &errors])?;
    // What a compiler leaves running may hold its output open: it is ended, too.
    let closed = Instant::now();
    while !(output.thread.is_finished() && errors.thread.is_finished()) {
        if closed.elapsed() > Duration::from_secs(2) {
            end_group(&child);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let most = [&output, &errors]
        .into_iter()
        .find(|reader| reader.is_too_much())
        .map(|reader| reader.most);
    let run = ProcessOutput { output: output.end(), errors: errors.end() };
    if let Some(most) = most {
        return Err(CompileFailure::TooMuch(most));
    }
    // A shell tells of a signal by an exit code above 128.
    let signal =
        group::signal(status).or_else(|| status.code().filter(|&c| c > 128).map(|c| c - 128));
    ended(signal.map_or_else(|| Ended::Code(status.code().unwrap_or(1)), Ended::Signal), run)
}

/// Reads what a process writes, keeps the beginning, and sees when it is too much.
struct Listener {
    thread: std::thread::JoinHandle<Vec<u8>>,
    most: u64,
    too_much: Arc<AtomicBool>,
}

impl Listener {
    fn start(pipe: Option<impl Read + Send + 'static>, kept: usize, most: u64) -> Self {
        let too_much = Arc::new(AtomicBool::new(false));
        let seen = too_much.clone();
        let thread = std::thread::spawn(move || {
            let (mut bytes, mut buffer, mut length) = (Vec::new(), vec![0; 1 << 16], 0);
            let Some(mut pipe) = pipe else { return bytes };
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                length += count as u64;
                bytes.extend_from_slice(&buffer[..count.min(kept.saturating_sub(bytes.len()))]);
                if length > most {
                    seen.store(true, Ordering::Relaxed);
                    // Nobody reads any more, which the process learns as it writes.
                    break;
                }
            }
            bytes
        });
        Self { thread, most, too_much }
    }

    fn is_too_much(&self) -> bool {
        self.too_much.load(Ordering::Relaxed)
    }

    fn end(self) -> String {
        String::from_utf8_lossy(&self.thread.join().unwrap_or_default()).into_owned()
    }
}

/// What a process said, or why it failed.
pub(super) fn ended(how: Ended, run: ProcessOutput) -> Result<ProcessOutput, CompileFailure> {
    let ProcessOutput { output, errors } = run;
    let said =
        |output: String, errors: String| if errors.trim().is_empty() { output } else { errors };
    match how {
        Ended::Code(0) => Ok(ProcessOutput { output, errors }),
        // The shell's own words for what it cannot start.
        Ended::Code(126 | 127) => {
            let log = said(output, errors);
            let last = log.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or_default();
            Err(CompileFailure::NotStarted(format!("cannot start the compiler: {last}")))
        }
        Ended::Code(_) => Err(CompileFailure::Rejected(said(output, errors))),
        Ended::Signal(signal) => Err(CompileFailure::Crashed(signal, said(output, errors))),
    }
}

/// Raised when no compiler shall run any more.
static STOP: AtomicBool = AtomicBool::new(false);

/// Ends all compilers that run, and starts no others: for Ctrl-C. They are in process groups of
/// their own, which a terminal does not reach.
pub fn stop() {
    STOP.store(true, Ordering::Relaxed);
}

/// Was [`stop`] called?
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Ends a process and all that it started.
pub(super) fn end_group(child: &Child) {
    let group = format!("-{}", child.id());
    let _ = std::process::Command::new("kill")
        .args(["-KILL", "--", &group])
        .stderr(Stdio::null())
        .status();
}

/// Waits for a process, and ends it and what it started when its time is over, or when it writes
/// too much.
fn wait(
    child: &mut Child,
    limit: Duration,
    readers: &[&Listener],
) -> Result<std::process::ExitStatus, CompileFailure> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {
                let most =
                    readers.iter().find(|reader| reader.is_too_much()).map(|reader| reader.most);
                let why = match most {
                    Some(most) => Some(CompileFailure::TooMuch(most)),
                    None if start.elapsed() > limit => Some(CompileFailure::TooLong(limit)),
                    None => STOP.load(Ordering::Relaxed).then_some(CompileFailure::Stopped),
                };
                if let Some(why) = why {
                    end_group(child);
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(why);
                }
                std::thread::sleep(pause);
            }
            Err(e) => {
                return Err(CompileFailure::NotStarted(format!(
                    "cannot wait for the compiler: {e}"
                )));
            }
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The helper programs that are built in.
const DRIVERS: &[(&str, &str)] = &[
    ("worker.py", include_str!("../../drivers/worker.py")),
    ("nvrtc.py", include_str!("../../drivers/nvrtc.py")),
    ("nvvm.py", include_str!("../../drivers/nvvm.py")),
    ("llvmlite.py", include_str!("../../drivers/llvmlite.py")),
    ("triton.py", include_str!("../../drivers/triton.py")),
];

/// Writes the helper programs into a folder.
pub fn drivers(folder: &Path) -> std::io::Result<()> {
    DRIVERS.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

/// What a compiler says about its version: the first lines of the output of a command.
pub fn version(
    command: &str,
    compiler: Option<&str>,
    architecture: &str,
) -> Result<String, CompileFailure> {
    let lost = |e: std::io::Error| CompileFailure::NotStarted(e.to_string());
    let folder = scratch().map_err(lost)?;
    drivers(folder.path()).map_err(lost)?;
    let asked = CompileCommand {
        template: command.to_owned(),
        worker: false,
        compiler: compiler.map(str::to_owned),
        architecture: architecture.to_owned(),
        assembly: None,
        words: Vec::new(),
        limit: Duration::from_secs(30),
    };
    let text = asked.text("", "", &folder.path().display().to_string());
    let run = ran(&text, folder.path(), asked.limit)?;
    let said = if run.output.trim().is_empty() { run.errors } else { run.output };
    // The line that has a number with a dot.
    let has_number = |l: &&str| {
        l.as_bytes()
            .windows(3)
            .any(|w| w[0].is_ascii_digit() && w[1] == b'.' && w[2].is_ascii_digit())
    };
    let line = said
        .lines()
        .map(str::trim)
        .find(has_number)
        .or_else(|| said.lines().next())
        .unwrap_or_default();
    Ok(in_line(line).chars().filter(|c| *c != '"').take(100).collect())
}
