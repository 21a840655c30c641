//! Ctrl-C while compilers run: it ends them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use margay_console::limits::RunLimits;
use margay_extract::compile;

/// What is watched.
static LIMITS: OnceLock<RunLimits> = OnceLock::new();

/// Watches for Ctrl-C.
pub fn watch() {
    let limits = LIMITS.get_or_init(|| RunLimits::start(None, None));
    std::thread::spawn(|| {
        while limits.reason().is_none() {
            std::thread::sleep(Duration::from_millis(50));
        }
        compile::stop();
    });
}

/// The flag that is raised by Ctrl-C.
pub fn stop() -> Arc<AtomicBool> {
    LIMITS.get().map_or_else(Arc::default, |l| l.stop.clone())
}

/// Was there a Ctrl-C?
pub fn interrupted() -> bool {
    LIMITS.get().is_some_and(|l| l.reason().is_some())
}
