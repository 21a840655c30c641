//! Compilers that take many programs with one start: a process that is asked program after program,
//! on its standard input, and compiles each in a process of its own (`drivers/worker.py`). What it
//! cannot be asked is asked of the command itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::command::{Ended, KEPT, end_group, ended, is_stopped, shell};
use super::{CompileFailure, ProcessOutput};

/// Workers that wait for programs. As many are started as are asked at the same time.
#[derive(Default)]
pub(super) struct WorkerPool {
    idle: Mutex<Vec<Worker>>,
    /// One of them ended or said what no worker says: no further one is started.
    broken: AtomicBool,
}

/// One process, and what it answers.
struct Worker {
    child: Child,
    /// `None` when it is over.
    programs: Option<ChildStdin>,
    answers: Receiver<String>,
    /// It was asked and has not answered.
    busy: bool,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that waits for a program ends by itself where there are no more.
        self.programs = None;
        let start = Instant::now();
        while !self.busy && start.elapsed() < Duration::from_secs(1) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        end_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What became of a question.
enum WorkerAnswer {
    Ended(Ended),
    TooLong,
    Stopped,
    /// No answer, or none that a worker gives.
    Nonsense,
}

impl WorkerPool {
    /// Compiles a program with a worker that this command starts; `None` where there is no worker
    /// that works.
    pub(super) fn ran(
        &self,
        command: &str,
        input: &Path,
        output: &Path,
        folder: &Path,
        limit: Duration,
    ) -> Option<Result<ProcessOutput, CompileFailure>> {
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        let idle = self.idle.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => Worker::start(command, folder)?,
        };
        let log = output.with_extension("ptx.log");
        let answer = worker.ask(input, output, limit);
        let mut said = Vec::new();
        // What cannot be read says nothing.
        let _ = std::fs::File::open(&log)
            .and_then(|file| file.take(KEPT as u64).read_to_end(&mut said));
        let said = String::from_utf8_lossy(&said).into_owned();
        let _ = std::fs::remove_file(&log);
        match answer {
            WorkerAnswer::Ended(how) => {
                self.idle.lock().unwrap_or_else(|e| e.into_inner()).push(worker);
                Some(ended(how, ProcessOutput { output: String::new(), errors: said }))
            }
            // What it compiles is ended with it; the next program gets another.
            WorkerAnswer::TooLong => Some(Err(CompileFailure::TooLong(limit))),
            WorkerAnswer::Stopped => Some(Err(CompileFailure::Stopped)),
            WorkerAnswer::Nonsense => {
                self.broken.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}

impl Worker {
    fn start(command: &str, folder: &Path) -> Option<Self> {
        let mut process = shell(command, folder);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().ok()?;
        let (programs, lines) = (child.stdin.take()?, child.stdout.take()?);
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(lines).lines();
            let _ = lines.map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        Some(Self { child, programs: Some(programs), answers, busy: false })
    }

    fn ask(&mut self, input: &Path, output: &Path, limit: Duration) -> WorkerAnswer {
        let start = Instant::now();
        let question = format!("{}\t{}", input.display(), output.display());
        // A line has one tab and no end of a line within.
        if question.matches(['\t', '\n']).count() != 1 {
            return WorkerAnswer::Nonsense;
        }
        let Some(programs) = &mut self.programs else { return WorkerAnswer::Nonsense };
        self.busy = true;
        if writeln!(programs, "{question}").and_then(|()| programs.flush()).is_err() {
            return WorkerAnswer::Nonsense;
        }
        loop {
            // Short waits: Ctrl-C is seen.
            match self.answers.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => {
                    self.busy = false;
                    let number = |text: &str| text.trim().parse().ok();
                    let exit = line.strip_prefix("exit ").and_then(number).map(Ended::Code);
                    let how = exit.or_else(|| {
                        line.strip_prefix("signal ").and_then(number).map(Ended::Signal)
                    });
                    return how.map_or(WorkerAnswer::Nonsense, WorkerAnswer::Ended);
                }
                Err(RecvTimeoutError::Disconnected) => return WorkerAnswer::Nonsense,
                Err(RecvTimeoutError::Timeout) if is_stopped() => return WorkerAnswer::Stopped,
                Err(RecvTimeoutError::Timeout) if start.elapsed() > limit => {
                    return WorkerAnswer::TooLong;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
