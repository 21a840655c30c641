//! Where no bar can be drawn (a pipe, a log, a dumb terminal), a line on standard error every half
//! minute: that the work goes on, and how far it is.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar};
use margay_litmus::parallel::THREADS;

use super::estimate::Estimate;

/// The time between two lines, unless the reader asks for another.
const USUAL: Duration = Duration::from_secs(30);

/// Ends when it is dropped.
pub(super) struct Heartbeat {
    _ends: Sender<()>,
}

impl Heartbeat {
    /// Says how far a bar that nobody sees is; `of` is what it counts. An interval of zero asks for
    /// no lines.
    pub(super) fn of(
        bar: &ProgressBar,
        of: &str,
        estimate: &Estimate,
        interval: Option<Duration>,
    ) -> Option<Self> {
        let interval = interval.unwrap_or(USUAL);
        if interval.is_zero() || !THREADS {
            return None;
        }
        let (ends, ended) = channel();
        let (bar, of, estimate) = (bar.clone(), of.to_owned(), estimate.clone());
        std::thread::spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout)
                && !bar.is_finished()
            {
                let _ = writeln!(std::io::stderr(), "{}", line(&bar, &of, &estimate));
            }
        });
        Some(Self { _ends: ends })
    }
}

/// `margay: 3/26 thread shapes after 90 seconds, 12 %, about 11 minutes left: 5 events, SC`.
fn line(bar: &ProgressBar, of: &str, estimate: &Estimate) -> String {
    let count = match bar.length() {
        Some(0) | None => format!("{} {of}", bar.position()),
        Some(all) => format!("{}/{all} {of}", bar.position()),
    };
    let about =
        Some(bar.message()).filter(|m| !m.is_empty()).map_or(String::new(), |m| format!(": {m}"));
    let elapsed = HumanDuration(Duration::from_secs(bar.elapsed().as_secs()));
    format!("margay: {count} after {elapsed}{}{about}", estimate.words())
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::ProgressDrawTarget;

    #[test]
    fn a_line_says_how_far_the_work_is() {
        let bar = ProgressBar::with_draw_target(Some(26), ProgressDrawTarget::hidden());
        let estimate = Estimate::default();
        bar.set_position(3);
        assert_eq!(
            line(&bar, "thread shapes", &estimate),
            "margay: 3/26 thread shapes after 0 seconds"
        );
        bar.set_message("5 events, SC");
        assert_eq!(
            line(&bar, "thread shapes", &estimate),
            "margay: 3/26 thread shapes after 0 seconds: 5 events, SC"
        );
        estimate.know(1.0, 10.0, 1);
        assert_eq!(
            line(&bar, "thread shapes", &estimate),
            "margay: 3/26 thread shapes after 0 seconds, 10 %: 5 events, SC"
        );
        bar.set_length(0);
        assert!(line(&bar, "answers", &estimate).starts_with("margay: 3 answers after"));
    }
}
