//! What stops a long run: Ctrl-C, a deadline, a memory limit. All raise one flag, and the reason is
//! remembered.

use std::fmt;
use std::io::Write;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use margay_litmus::explicit::Error;
use margay_models::diagnostic::Diagnostic;

/// Why the run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Ctrl-C, or a request to terminate.
    Interrupted = 1,
    /// The time given.
    Time = 2,
    /// The memory given.
    Memory = 3,
}

impl StopReason {
    pub fn words(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Time => "the time given was used up",
            Self::Memory => "the memory given was used up",
        }
    }
}

/// What stops the run, once there is one.
static RUNNING: OnceLock<(Arc<AtomicBool>, Arc<AtomicU8>)> = OnceLock::new();

/// When the run was asked for an orderly end.
#[cfg(not(target_family = "wasm"))]
static ASKED: OnceLock<Instant> = OnceLock::new();

/// A second request within this time is the first one: `timeout` sends its signal to the program
/// and to its group, which is twice to the program.
#[cfg(not(target_family = "wasm"))]
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// From now on the first Ctrl-C (or request to terminate) asks the run for an orderly end, and the
/// second one ends at once, as does the first where nothing has begun that could be ended in order.
#[cfg(not(target_family = "wasm"))]
pub fn watch_interrupts() {
    let installed = ctrlc::set_handler(|| match RUNNING.get() {
        Some((stop, reason)) if !stop.swap(true, Ordering::Relaxed) => {
            reason.store(StopReason::Interrupted as u8, Ordering::Relaxed);
            let _ = ASKED.set(Instant::now());
        }
        Some(_) if ASKED.get().is_some_and(|asked| asked.elapsed() < SAME_REQUEST) => {}
        // Nothing is written out first: the run may hold standard output, or wait for a reader that
        // never reads.
        _ => {
            let _ = writeln!(std::io::stderr(), "{}", StopReason::Interrupted.words());
            crate::exit::abandon(crate::exit::Exit::Undecided);
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C will end the program at once: {error}");
    }
}

/// In WebAssembly nothing interrupts a program: a page ends the worker that runs it.
#[cfg(target_family = "wasm")]
pub fn watch_interrupts() {}

/// The flag that asks the run to stop.
pub fn stop() -> Option<&'static Arc<AtomicBool>> {
    RUNNING.get().map(|(stop, _)| stop)
}

/// Why an engine gave up: it knows only that its time was up, which a Ctrl-C ends, too.
pub fn gave_up(error: &Error) -> String {
    let reason = RUNNING.get().map(|(_, reason)| reason.load(Ordering::Relaxed));
    match error {
        Error::Time if reason == Some(StopReason::Interrupted as u8) => {
            StopReason::Interrupted.words().to_owned()
        }
        other => other.to_string(),
    }
}

#[derive(Debug)]
pub struct RunLimits {
    /// Raised when the run should stop.
    pub stop: Arc<AtomicBool>,
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    reason: Arc<AtomicU8>,
}

impl RunLimits {
    /// Starts to watch.
    pub fn start(timeout: Option<Duration>, memory: Option<u64>) -> Self {
        let limits = Self {
            stop: Arc::new(AtomicBool::new(false)),
            deadline: timeout.and_then(|t| Instant::now().checked_add(t)),
            reason: Arc::new(AtomicU8::new(0)),
        };
        // A program has one run; if it had more, the first would be asked to stop.
        let _ = RUNNING.set((limits.stop.clone(), limits.reason.clone()));
        // Where the system does not say how much is used, there is nothing to watch.
        if let (Some(most), Some(_)) = (memory, resident()) {
            limits.watch_memory(most);
        }
        limits
    }

    /// The same for one question of many, which has so much time of its own.
    pub fn of_one(&self, timeout: Option<Duration>) -> Self {
        let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
        Self { stop: self.stop.clone(), deadline, reason: self.reason.clone() }
    }

    /// Does some work beside a watch on the limits, and returns what came of it; `None` if a limit
    /// came first. Then the work is left where it stands, and ends with the program: it must write
    /// nothing. It is for what cannot say how far it has come, as a check that is followed to its
    /// end or not at all.
    #[cfg(not(target_family = "wasm"))]
    pub fn within<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        const ASKS: Duration = Duration::from_millis(20);
        // As much as the first thread of a program has, and more.
        const STACK: usize = 64 << 20;
        if self.is_reached() {
            return None;
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            // Nobody waits for it any more.
            let _ = sender.send(work());
        });
        let worker = worker.expect("a thread can be started");
        loop {
            match receiver.recv_timeout(ASKS) {
                // A thread that is let go of just as it ends crashed the program, inside
                // `pthread_detach` of glibc: its stack was gone. It is waited for.
                Ok(found) => {
                    let _ = worker.join();
                    return Some(found);
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    std::panic::resume_unwind(
                        worker.join().err().unwrap_or_else(|| Box::new("it sends what it found")),
                    );
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) if self.is_reached() => {
                    std::mem::forget(worker);
                    return None;
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// In WebAssembly there is one thread, and a page ends it.
    #[cfg(target_family = "wasm")]
    pub fn within<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        Some(work())
    }

    /// Is the run to end?
    pub fn is_reached(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.reason().is_some()
    }

    fn watch_memory(&self, most: u64) {
        let (stop, reason) = (self.stop.clone(), self.reason.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if resident().is_some_and(|now| now > most) {
                    reason.store(StopReason::Memory as u8, Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    }

    /// Why the run was stopped, if it was.
    pub fn reason(&self) -> Option<StopReason> {
        match self.reason.load(Ordering::Relaxed) {
            1 => Some(StopReason::Interrupted),
            3 => Some(StopReason::Memory),
            _ => self.deadline.filter(|&d| Instant::now() >= d).map(|_| StopReason::Time),
        }
    }
}

/// The memory that the program uses, in bytes (Linux; unknown elsewhere).
fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// The most memory that the program has used, in bytes (Linux; unknown elsewhere).
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with(key))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The least memory that can be asked for: less than the program takes itself is a forgotten unit.
const LEAST: f64 = 1024.0 * 1024.0;

/// Why a text says no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadLimit {
    NoSize,
    /// A unit that no size has.
    UnknownUnit(String),
    /// Less than a program takes by itself; perhaps because the unit was forgotten.
    LittleMemory {
        without_unit: bool,
    },
    NoTime,
    /// Something takes time that gets none.
    NothingInNoTime,
    OutOfRange,
}

impl fmt::Display for UnreadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSize => "not a size; write e.g. 500MiB or 2GiB",
            Self::UnknownUnit(unit) => {
                return write!(f, "unknown unit `{unit}`; use KiB, MiB, GiB or TiB");
            }
            Self::LittleMemory { without_unit } => {
                let unit =
                    if *without_unit { "; without a unit it is a number of bytes" } else { "" };
                return write!(
                    f,
                    "less than 1 MiB, which is less than the program needs{unit}: write e.g. 500MiB or 2GiB"
                );
            }
            Self::NoTime => "not a time; write e.g. 30s, 10m, 1h30m, or a number of seconds",
            Self::NothingInNoTime => "nothing is done in no time; give e.g. 30s",
            Self::OutOfRange => "out of range",
        })
    }
}

impl std::error::Error for UnreadLimit {}

/// Reads `500MiB`, `2GiB`, `1.5g`, or a number of bytes.
pub fn parse_size(text: &str) -> Result<u64, UnreadLimit> {
    let (number, unit) = split(text).ok_or(UnreadLimit::NoSize)?;
    let factor = match unit.to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "m" | "mb" | "mib" => 1024.0 * 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tb" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        other => return Err(UnreadLimit::UnknownUnit(other.to_owned())),
    };
    let bytes = number * factor;
    if bytes < LEAST {
        return Err(UnreadLimit::LittleMemory { without_unit: unit.is_empty() });
    }
    if bytes < 1e18 { Ok(bytes as u64) } else { Err(UnreadLimit::OutOfRange) }
}

/// The number of threads that work, one for each core where none is asked for. More than a few for
/// each core only wait for each other: with 2,000 on two cores a check of a second did not end in
/// minutes.
///
/// # Errors
/// None is asked for.
pub fn jobs(asked: Option<usize>) -> Result<usize, Diagnostic> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match asked {
        Some(0) => Err(Diagnostic::error("0 jobs cannot do anything").help("give at least 1")),
        asked => Ok(asked.unwrap_or(cores).min(4 * cores)),
    }
}

/// Reads `30s`, `1.5m`, `1h 30m`, or a number of seconds.
pub fn parse_time(text: &str) -> Result<Duration, UnreadLimit> {
    // A unit is one of humantime's: its parser takes whole numbers alone.
    let whole =
        |unit: &str| humantime::parse_duration(&format!("1{unit}")).map(|one| one.as_secs_f64());
    let seconds = match split(text) {
        Some((number, "")) => number,
        Some((number, unit)) if text.contains('.') => {
            match unit.contains(|c: char| c.is_ascii_digit()) {
                true => return Err(UnreadLimit::NoTime),
                false => number * whole(unit).map_err(|_| UnreadLimit::NoTime)?,
            }
        }
        _ => return humantime::parse_duration(text).map_err(|_| UnreadLimit::NoTime),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| UnreadLimit::OutOfRange)
}

/// Reads how long something may take that takes time at least: as [`parse_time`], and more than
/// nothing.
///
/// # Errors
/// It is not a time, or none.
pub fn parse_some_time(text: &str) -> Result<Duration, UnreadLimit> {
    match parse_time(text)? {
        Duration::ZERO => Err(UnreadLimit::NothingInNoTime),
        some => Ok(some),
    }
}

/// A number with what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim()))
}

/// What is expected, in plain words, where the standard library could not read a number; none for
/// other mistakes.
pub fn no_number(wrong: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    match wrong.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
            Some("the number is too large")
        }
        Some(_) => Some("expected a whole number, and none below zero"),
        None => wrong.is::<ParseFloatError>().then_some("expected a number"),
    }
}

/// Reads a number of things of which there must be one.
///
/// # Errors
/// It is no number, or there is none of it.
pub fn at_least_one<T>(text: &str) -> Result<T, Box<dyn std::error::Error + Send + Sync>>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static> + Default + PartialEq,
{
    match text.parse::<T>()? {
        none if none == T::default() => Err("give at least 1".into()),
        some => Ok(some),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{at_least_one, parse_size, parse_some_time, parse_time};

    #[test]
    fn no_time_is_none() {
        assert_eq!(parse_time("0s"), Ok(Duration::ZERO));
        assert!(parse_some_time("0s").is_err() && parse_some_time("0").is_err());
        assert_eq!(parse_some_time("1ms"), Ok(Duration::from_millis(1)));
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("500MiB"), Ok(500 << 20));
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert_eq!(parse_size("1 TiB"), Ok(1 << 40));
        assert_eq!(parse_size("1048576"), Ok(1 << 20));
        for bad in [
            "",
            "x",
            "-1",
            "0",
            "10",
            "4096",
            "900k",
            "5 light years",
            "1e400",
            ".",
            "1e9GiB",
            "99999999999999TiB",
            "NaN",
            "inf",
        ] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
        assert!(
            parse_size("10")
                .map_err(|e| e.to_string())
                .is_err_and(|e| e.contains("number of bytes") && e.contains("500MiB"))
        );
    }

    #[test]
    fn times() {
        for (text, seconds) in [
            ("1", 1.0),
            ("0s", 0.0),
            ("0", 0.0),
            ("1.5", 1.5),
            ("1.5m", 90.0),
            ("0.5 h", 1800.0),
            ("10m", 600.0),
        ] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        assert_eq!(parse_time("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("250ms"), Ok(Duration::from_millis(250)));
        for bad in [
            "",
            "x",
            "-1",
            "1.5.5",
            "10 parsecs",
            "1e400",
            "99999999999999999999999999",
            "NaN",
            ".",
            "5 5",
            "1.5h30m",
        ] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_things() {
        assert!(at_least_one::<u64>("3").is_ok_and(|n| n == 3));
        assert!(at_least_one::<u64>("0").is_err_and(|e| e.to_string() == "give at least 1"));
        assert!(at_least_one::<usize>("-1").is_err() && at_least_one::<usize>("x").is_err());
    }
}
