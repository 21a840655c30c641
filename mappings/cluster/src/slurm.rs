//! Slurm, by the commands that its users have. Nothing asks the accounting database, which many
//! clusters do without.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use margay_models::diagnostic::Diagnostic;

use crate::{ClusterFailure, Scheduler};

/// How long one command may take; those of a controller that is away wait for minutes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Slurm's default for the largest array (`MaxArraySize`) is 1001, and the largest task number one
/// less.
const MOST_TASKS: usize = 1000;

/// A Slurm cluster: that of the configuration that the commands find.
#[derive(Debug)]
pub struct Slurm {
    /// Arguments of the user for `sbatch`.
    arguments: Vec<String>,
}

impl Slurm {
    /// The cluster of this machine.
    ///
    /// # Errors
    /// There is no `sbatch`.
    pub fn new(arguments: Vec<String>) -> Result<Self, Diagnostic> {
        match Command::new("sbatch").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(_) => Ok(Self { arguments }),
            Err(error) => Err(Diagnostic::error(format!("cannot start `sbatch`: {error}"))
                .help("`--cluster slurm` runs where Slurm's commands are installed (Debian: slurm-client)")),
        }
    }
}

/// Runs a command to its end, within the patience; its output.
fn ask(command: &mut Command) -> Result<String, ClusterFailure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let silent = |what: String| ClusterFailure::Silent(format!("{name}: {what}"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| ClusterFailure::Refused(format!("cannot start `{name}`: {error}")))?;
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let out = read(child.stdout.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let errors = read(child.stderr.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(silent(format!("no answer for {} s", PATIENCE.as_secs())));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(silent(error.to_string())),
        }
    };
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if status.success() {
        return Ok(out);
    }
    let first = errors
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it failed without a word")
        .trim()
        .to_owned();
    let away = [
        "Unable to contact slurm controller",
        "Socket timed out",
        "Connection refused",
        "Zero Bytes were transmitted",
        "Transport endpoint",
    ];
    let busy = ["Resource temporarily unavailable", "temporarily unable"];
    if away.iter().chain(&busy).any(|sign| errors.contains(sign)) {
        return Err(silent(first));
    }
    Err(ClusterFailure::Refused(first))
}

impl Scheduler for Slurm {
    fn most_tasks(&self) -> usize {
        MOST_TASKS
    }

    fn submit(&self, script: &Path, tasks: usize, logs: &Path) -> Result<String, ClusterFailure> {
        let last = tasks.saturating_sub(1);
        // `%A_%a`: the job's id and the task's number.
        let output = logs.join("%A_%a.log");
        let wrapped = format!("exec sh {} \"$SLURM_ARRAY_TASK_ID\"", quoted(script));
        let mut command = Command::new("sbatch");
        command.args(["--parsable", "--job-name=margay", "--ntasks=1", "--cpus-per-task=1"]);
        command.arg(format!("--array=0-{last}")).arg(format!("--output={}", output.display()));
        command.args(&self.arguments).arg(format!("--wrap={wrapped}"));
        let said = ask(&mut command)?;
        // `ID` or `ID;CLUSTER`.
        let id = said.trim().split(';').next().unwrap_or_default().to_owned();
        let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
        if is_id {
            Ok(id)
        } else {
            Err(ClusterFailure::Refused(format!("sbatch answered `{}`", said.trim())))
        }
    }

    fn alive(&self, jobs: &[String]) -> Result<Vec<(String, usize)>, ClusterFailure> {
        let states = "PENDING,RUNNING,SUSPENDED,CONFIGURING,COMPLETING,REQUEUED,REQUEUE_HOLD,SIGNALING,STAGE_OUT,STOPPED";
        let mut command = Command::new("squeue");
        // All jobs of the user: with `--jobs` an id that the controller has forgotten is an error.
        command
            .args(["--noheader", "--array", "--format=%F %K", "--me"])
            .arg(format!("--states={states}"));
        let said = ask(&mut command)?;
        let asked: BTreeSet<&str> = jobs.iter().map(String::as_str).collect();
        let task = |line: &str| {
            let (job, number) = line.trim().split_once(' ')?;
            Some((asked.get(job)?.to_string(), number.trim().parse().ok()?))
        };
        Ok(said.lines().filter_map(task).collect())
    }

    fn cancel(&self, jobs: &[String]) -> Result<(), ClusterFailure> {
        if jobs.is_empty() {
            return Ok(());
        }
        match ask(Command::new("scancel").arg("--quiet").args(jobs)) {
            // A job that is over cannot be cancelled, and need not be.
            Ok(_) | Err(ClusterFailure::Refused(_)) => Ok(()),
            Err(silent) => Err(silent),
        }
    }
}

/// A path as a word of a shell.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
