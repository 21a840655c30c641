//! Submits the cases of a bound, follows them, submits lost ones again, and cancels what is left
//! when the check is stopped.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use margay_console::limits::RunLimits;
use margay_mappings::check::{CaseEngine, CaseWork, Progress};
use margay_models::confined::way_out;
use margay_models::diagnostic::Diagnostic;

use crate::slurm::quoted;
use crate::{ClusterFailure, Scheduler};

/// How often answers are looked for.
const LOOK: Duration = Duration::from_millis(200);

/// How often the cluster is asked which tasks are alive.
const ASK: Duration = Duration::from_secs(2);

/// A task that is over has its answer in the folder after this time, however slow the folder's
/// network is.
const SETTLE: Duration = Duration::from_secs(5);

/// How often a case is submitted before it is given up.
const TRIES: usize = 4;

/// Bounds that are predicted to take fewer seconds are not worth a job.
const LITTLE: f64 = 10.0;

/// Cases on a cluster.
#[derive(Debug)]
pub struct Cluster {
    scheduler: Box<dyn Scheduler>,
    from: Option<usize>,
    patience: Duration,
    program: PathBuf,
    stop: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// Why the check was ended.
    failure: Mutex<Option<String>>,
}

#[derive(Debug, Clone)]
struct SubmittedCase {
    job: String,
    number: usize,
    tries: usize,
    /// When it was first missed, neither alive nor answered.
    missed: Option<Instant>,
}

/// Why following ended without all answers.
enum FollowEnd {
    Stopped,
    Failed(String),
}

impl Cluster {
    /// The cluster behind a scheduler.
    ///
    /// # Errors
    /// The program does not know where it is.
    pub fn new(
        scheduler: Box<dyn Scheduler>,
        from: Option<usize>,
        patience: Duration,
        limits: &RunLimits,
    ) -> Result<Self, Diagnostic> {
        let program = std::env::current_exe().map_err(|error| {
            Diagnostic::error(format!("cannot tell the cluster where this program is: {error}"))
        })?;
        let (stop, deadline) = (limits.stop.clone(), limits.deadline);
        Ok(Self { scheduler, from, patience, program, stop, deadline, failure: Mutex::default() })
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Asks until there is an answer, or patience or the check ends.
    fn insist<T>(
        &self,
        mut ask: impl FnMut() -> Result<T, ClusterFailure>,
    ) -> Result<T, FollowEnd> {
        let start = Instant::now();
        loop {
            match ask() {
                Ok(answer) => return Ok(answer),
                Err(ClusterFailure::Refused(why)) => {
                    return Err(FollowEnd::Failed(format!("the cluster refuses: {why}")));
                }
                Err(ClusterFailure::Silent(why)) if start.elapsed() >= self.patience => {
                    let waited =
                        humantime::format_duration(Duration::from_secs(start.elapsed().as_secs()));
                    return Err(FollowEnd::Failed(format!(
                        "the cluster does not answer ({why}; asked for {waited})"
                    )));
                }
                Err(ClusterFailure::Silent(why)) => {
                    tracing::info!("the cluster does not answer: {why}")
                }
            }
            let again = Instant::now() + ASK;
            while Instant::now() < again {
                if self.is_stopped() {
                    return Err(FollowEnd::Stopped);
                }
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Submits the cases with these indices; their tasks.
    fn submit(
        &self,
        folder: &SharedFolder,
        which: &[usize],
        files: &[PathBuf],
    ) -> Result<Vec<(usize, SubmittedCase)>, FollowEnd> {
        let mut out = Vec::new();
        for cases in which.chunks(self.scheduler.most_tasks()) {
            let paths: Vec<&PathBuf> = cases.iter().map(|&i| &files[i]).collect();
            let script = folder
                .script(&self.program, &paths)
                .map_err(|e| FollowEnd::Failed(folder.failed(&e)))?;
            let job = self.insist(|| self.scheduler.submit(&script, cases.len(), &folder.logs))?;
            tracing::info!("job {job}: {} cases", cases.len());
            let task = |(number, &case): (usize, &usize)| {
                (case, SubmittedCase { job: job.clone(), number, tries: 1, missed: None })
            };
            out.extend(cases.iter().enumerate().map(task));
        }
        Ok(out)
    }

    /// Until every case is answered.
    fn follow(
        &self,
        work: &CaseWork<'_>,
        progress: &dyn Progress,
        jobs: &mut Vec<String>,
    ) -> Result<(), FollowEnd> {
        let folder = SharedFolder::new(work.folder, work.certify).map_err(|e| {
            FollowEnd::Failed(format!("cannot write into `{}`: {e}", work.folder.display()))
        })?;
        let files: Result<Vec<PathBuf>, io::Error> =
            work.cases.iter().map(|case| case.write(&folder.cases)).collect();
        let files = files.map_err(|e| FollowEnd::Failed(folder.failed(&e)))?;
        let all: Vec<usize> = (0..files.len()).collect();
        let mut tasks: Vec<Option<SubmittedCase>> = vec![None; files.len()];
        let mut take = |submitted: Vec<(usize, SubmittedCase)>,
                        tasks: &mut Vec<Option<SubmittedCase>>| {
            for (case, task) in submitted {
                if !jobs.contains(&task.job) {
                    jobs.push(task.job.clone());
                }
                let tries = tasks[case].as_ref().map_or(0, |t| t.tries) + 1;
                tasks[case] = Some(SubmittedCase { tries, ..task });
            }
            jobs.clone()
        };
        let mut known = take(self.submit(&folder, &all, &files)?, &mut tasks);
        let mut asked = Instant::now();
        loop {
            let open: Vec<usize> = all.iter().copied().filter(|&i| !work.is_answered(i)).collect();
            progress.cases(work.all - open.len(), work.all);
            if open.is_empty() {
                folder.clear(&files);
                return Ok(());
            }
            if self.is_stopped() {
                return Err(FollowEnd::Stopped);
            }
            std::thread::sleep(LOOK);
            if asked.elapsed() < ASK {
                continue;
            }
            let alive = self.insist(|| self.scheduler.alive(&known))?;
            asked = Instant::now();
            let mut lost = Vec::new();
            for case in open {
                let Some(task) = &mut tasks[case] else { continue };
                if alive.iter().any(|(job, number)| *job == task.job && *number == task.number) {
                    task.missed = None;
                } else if task.missed.get_or_insert(asked).elapsed() > SETTLE
                    && !work.is_answered(case)
                {
                    lost.push(case);
                }
            }
            if let Some(&case) =
                lost.iter().find(|&&case| tasks[case].as_ref().is_some_and(|t| t.tries >= TRIES))
            {
                let task = tasks[case]
                    .clone()
                    .map_or(String::new(), |t| format!("{}_{}", t.job, t.number));
                return Err(FollowEnd::Failed(format!(
                    "the case {} ended {TRIES} times without an answer; the last output is {}/{task}.log",
                    work.cases[case].name,
                    folder.logs.display()
                )));
            }
            if !lost.is_empty() {
                let some = if lost.len() == 1 {
                    "1 case".to_owned()
                } else {
                    format!("{} cases", lost.len())
                };
                progress.warning(&Diagnostic::warning(format!(
                    "{some} ended without an answer and are submitted again"
                )));
                known = take(self.submit(&folder, &lost, &files)?, &mut tasks);
            }
        }
    }
}

impl CaseEngine for Cluster {
    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn solve(&self, work: &CaseWork<'_>, progress: &dyn Progress) {
        let bound = work.cases.first().map_or(0, |case| case.bound);
        let seconds: Option<f64> =
            work.cases.iter().map(|case| case.predicted.map(|c| c.seconds)).sum();
        let little = match self.from {
            Some(from) => bound < from,
            None => seconds.is_none_or(|s| s < LITTLE),
        };
        if little || self.is_stopped() {
            return;
        }
        let mut jobs = Vec::new();
        let Err(ended) = self.follow(work, progress, &mut jobs) else { return };
        // What is not answered is not to be solved here: stop first, then end the jobs.
        self.stop.store(true, Ordering::Relaxed);
        if let FollowEnd::Failed(why) = &ended {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
        }
        if let Err(ClusterFailure::Silent(why) | ClusterFailure::Refused(why)) =
            self.scheduler.cancel(&jobs)
        {
            let jobs = jobs.join(" ");
            let warning = format!("cannot cancel the jobs {jobs}: {why}");
            progress.warning(
                &Diagnostic::warning(warning)
                    .help("what they answer is kept; cancel them when the cluster answers again"),
            );
        }
    }
}

/// Where files for a cluster are, below the folder that its machines share.
struct SharedFolder {
    answers: PathBuf,
    /// The folder of proofs, where they are asked for.
    certify: Option<PathBuf>,
    /// Case files and scripts.
    cases: PathBuf,
    /// What tasks print.
    logs: PathBuf,
}

impl SharedFolder {
    fn new(answers: &Path, certify: Option<&Path>) -> io::Result<Self> {
        let answers = answers.canonicalize()?;
        let certify = certify.map(Path::canonicalize).transpose()?;
        let (cases, logs) = (answers.join("cases"), answers.join("logs"));
        for name in ["cases", "logs"] {
            if let Some(why) = way_out(&answers, Path::new(name))? {
                return Err(io::Error::other(why));
            }
            std::fs::create_dir_all(answers.join(name))?;
        }
        Ok(Self { answers, certify, cases, logs })
    }

    /// Removes what it took to solve the cases.
    fn clear(&self, files: &[PathBuf]) {
        let own = format!("{}-", std::process::id());
        let scripts = std::fs::read_dir(&self.cases).into_iter().flatten().flatten();
        let scripts =
            scripts.filter(|e| e.file_name().to_string_lossy().starts_with(&own)).map(|e| e.path());
        for path in files.iter().cloned().chain(scripts) {
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::info!("cannot remove {}: {error}", path.display());
            }
        }
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("cannot write case files into `{}`: {error}", self.cases.display())
    }

    /// A script whose argument is the number of a case among these files.
    fn script(&self, program: &Path, files: &[&PathBuf]) -> io::Result<PathBuf> {
        let list: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let stem = format!("{}-{now}", std::process::id());
        let (names, script) =
            (self.cases.join(format!("{stem}.list")), self.cases.join(format!("{stem}.sh")));
        File::create_new(&names)?.write_all(list.as_bytes())?;
        // 1 says that there is a counterexample, which is an answer.
        let text = format!(
            "file=$(sed -n \"$(($1 + 1))p\" {})\n{} case run \"$file\" --into {}{}\ncode=$?\n[ $code -ne 1 ] || exit 0\nexit $code\n",
            quoted(&names),
            quoted(program),
            quoted(&self.answers),
            self.certify
                .as_deref()
                .map_or(String::new(), |folder| format!(" --certify {}", quoted(folder)))
        );
        File::create_new(&script)?.write_all(text.as_bytes())?;
        Ok(script)
    }
}
