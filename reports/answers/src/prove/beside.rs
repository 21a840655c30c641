//! Proofs and a bounded search at the same time. The search is the safeguard of the proof: it runs
//! to its bound whatever is proved, and each proof runs to its end unless the search leaves it
//! nothing to show. So what is said does not depend on which is faster. Where there are no threads
//! the search comes after the proofs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use margay_litmus::parallel::THREADS;
use margay_prove::theorem::{Report, prove};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

use margay_console::limits::RunLimits;

/// How often the search is told of what stops the program.
const RELAY: Duration = Duration::from_millis(20);

/// Runs all of them. `search` gets a flag that ends it when the limits are reached; `refutes_all`
/// says of what it found whether there is nothing left to prove.
pub fn beside<R: Send>(
    limits: &RunLimits,
    settings: &[Setting<'_>],
    search: impl FnOnce(Arc<AtomicBool>) -> R + Send,
    refutes_all: impl Fn(&R) -> bool + Send + Sync,
) -> (Vec<Report>, R) {
    let given = StopSignal { flag: Some(limits.stop.clone()), deadline: limits.deadline };
    let ended = Arc::new(AtomicBool::new(false));
    let stop = if THREADS {
        StopSignal { flag: Some(ended.clone()), ..given.clone() }
    } else {
        given.clone()
    };
    let enough = Arc::new(AtomicBool::new(false));
    let prove_all =
        || settings.iter().map(|setting| prove(setting, &stop)).collect::<Vec<Report>>();
    if !THREADS {
        let reports = prove_all();
        enough.store(given.is_raised(), Ordering::Relaxed);
        return (reports, search(enough));
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let found = search(enough.clone());
            if refutes_all(&found) {
                ended.store(true, Ordering::Relaxed);
            }
            found
        });
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if given.is_raised() {
                    enough.store(true, Ordering::Relaxed);
                    ended.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(RELAY);
            }
        });
        let reports = prove_all();
        let found = searching.join();
        done.store(true, Ordering::Relaxed);
        (reports, found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
