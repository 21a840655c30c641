//! Progress on a terminal: what is being solved, how much is left, how long it has taken. In a pipe there is none.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use margay_mappings::check::Progress;

/// A bar on standard error.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// Visible on a terminal only, and only if the output is for people.
    pub fn new(visible: bool) -> Self {
        let visible = visible && std::io::stderr().is_terminal();
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if visible {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn bound(&self, events: usize, shapes: usize, axioms: &[String]) {
        let style = ProgressStyle::with_template("{spinner} {msg}: {pos}/{len} thread shapes, {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style);
        self.bar.set_length(shapes as u64);
        self.bar.set_position(0);
        self.bar.set_message(format!("{events} events, {}", axioms.join(", ")));
    }

    fn shape(&self, shape: &str, done: usize) {
        tracing::debug!("thread shape {shape} is decided");
        self.bar.set_position(done as u64);
    }

    fn choosing(&self, axiom: &str, events: usize) {
        self.bar.set_message(format!("{axiom} fails with {events} events; choosing the smallest counterexample"));
    }
}
