//! What stops a long run: Ctrl-C, a deadline, a memory limit. All raise one flag, and the reason is remembered.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why the run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Ctrl-C, or a request to terminate.
    Interrupted = 1,
    /// The time given.
    Time = 2,
    /// The memory given.
    Memory = 3,
}

impl Reason {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Time => "the time given was used up",
            Self::Memory => "the memory given was used up",
        }
    }
}

/// The limits of a run.
#[derive(Debug)]
pub struct Limits {
    /// Raised when the run should stop.
    pub stop: Arc<AtomicBool>,
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    reason: Arc<AtomicU8>,
}

impl Limits {
    /// Starts to watch.
    pub fn start(timeout: Option<Duration>, memory: Option<u64>) -> Self {
        let limits = Self {
            stop: Arc::new(AtomicBool::new(false)),
            deadline: timeout.and_then(|t| Instant::now().checked_add(t)),
            reason: Arc::new(AtomicU8::new(0)),
        };
        limits.watch_interrupts();
        if let Some(most) = memory {
            limits.watch_memory(most);
        }
        limits
    }

    /// The first Ctrl-C asks for an orderly end, the second one ends at once.
    fn watch_interrupts(&self) {
        static FLAGS: OnceLock<(Arc<AtomicBool>, Arc<AtomicU8>)> = OnceLock::new();
        if FLAGS.set((self.stop.clone(), self.reason.clone())).is_err() {
            return;
        }
        let installed = ctrlc::set_handler(|| {
            if let Some((stop, reason)) = FLAGS.get() {
                if stop.swap(true, Ordering::Relaxed) {
                    crate::exit::at_once(crate::exit::Exit::Undecided);
                }
                reason.store(Reason::Interrupted as u8, Ordering::Relaxed);
            }
        });
        if let Err(error) = installed {
            tracing::warn!("Ctrl-C will end the program at once: {error}");
        }
    }

    fn watch_memory(&self, most: u64) {
        let (stop, reason) = (self.stop.clone(), self.reason.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if resident().is_some_and(|now| now > most) {
                    reason.store(Reason::Memory as u8, Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    }

    /// Why the run was stopped, if it was.
    pub fn reason(&self) -> Option<Reason> {
        match self.reason.load(Ordering::Relaxed) {
            1 => Some(Reason::Interrupted),
            3 => Some(Reason::Memory),
            _ => self.deadline.filter(|&d| Instant::now() >= d).map(|_| Reason::Time),
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

/// Reads `500MiB`, `2GiB`, `1g`, or a number of bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is not a size; write e.g. 500MiB or 2GiB"))?;
    let factor = match unit.trim().to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "m" | "mb" | "mib" => 1024.0 * 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
        other => return Err(format!("unknown unit `{other}`; use KiB, MiB or GiB")),
    };
    let bytes = number * factor;
    if (1.0..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(format!("`{text}` is out of range")) }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("500MiB"), Ok(500 << 20));
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert_eq!(parse_size("4096"), Ok(4096));
        for bad in ["", "x", "-1", "0", "5 light years", "1e400", "."] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
