//! Progress on a terminal: what is being solved, how much is left, how long it has taken. In a pipe there is none, unless the reader asks for
//! lines.

mod lines;

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use margay_mappings::check::Progress;
use margay_models::diagnostic::Diagnostic;

use crate::arguments::Format;
use crate::output::Output;
use crate::terminal::{is_dumb, printable};

/// Where a bar is drawn: on a terminal, if the output is for people; as lines, where they are asked for; else nowhere.
fn target(for_people: bool) -> ProgressDrawTarget {
    match () {
        () if lines::asked() => lines::target(),
        () if for_people && std::io::stderr().is_terminal() && !is_dumb() => ProgressDrawTarget::stderr(),
        () => ProgressDrawTarget::hidden(),
    }
}

/// A bar for so many things. On a terminal it moves while nothing happens.
fn bar(for_people: bool, of: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(of), target(for_people));
    if !bar.is_hidden() && !lines::asked() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

/// A bar on standard error.
pub struct Bar {
    bar: ProgressBar,
    output: Output,
}

impl Bar {
    /// Visible on a terminal only, and only if the output is for people.
    pub fn new(output: Output) -> Self {
        Self { bar: bar(output.format == Format::Human, 0), output }
    }

    fn say(&self, message: &str) {
        self.bar.set_message(printable(message, false).into_owned());
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
        self.say(&format!("{events} events, {}", axioms.join(", ")));
    }

    fn shape(&self, shape: &str, done: usize) {
        tracing::debug!("thread shape {shape} is decided");
        self.bar.set_position(done as u64);
    }

    fn cases(&self, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
    }

    fn choosing(&self, axiom: &str, events: usize) {
        self.say(&format!("{axiom} fails with {events} events; choosing the smallest counterexample"));
    }

    fn warning(&self, what: &Diagnostic) {
        self.bar.suspend(|| self.output.warn(std::slice::from_ref(what)));
    }
}

/// A bar for work of a known number of steps, with an estimate of the end.
pub struct Steps {
    bar: ProgressBar,
}

impl Steps {
    /// Visible on a terminal only, and only if the output is for people.
    pub fn new(visible: bool, steps: usize, of: &str) -> Self {
        let bar = bar(visible, steps as u64);
        let template = format!("{{spinner}} {{pos}}/{{len}} {of}, {{elapsed}}, {{eta}} left: {{msg}}");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar }
    }

    /// One more is done.
    pub fn step(&self, name: &str) {
        self.bar.set_message(printable(name, false).into_owned());
        self.bar.inc(1);
    }

    /// So many are done of so many.
    pub fn at(&self, name: &str, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(printable(name, false).into_owned());
    }

    /// Prints with the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A count of things that are done, on standard error.
pub struct Count(ProgressBar);

impl Count {
    /// Visible on a terminal only, and only if the output is for people.
    pub fn new(output: Output, what: &str) -> Self {
        let bar = bar(output.format == Format::Human, 0);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} {msg}, {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what.to_owned());
        Self(bar)
    }

    /// Takes it off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl margay_extract::compile::Progress for Count {
    fn answered(&self, done: usize, of: usize) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
    }
}
