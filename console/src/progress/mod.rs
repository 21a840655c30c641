//! Progress on a terminal: what is being solved, how much is left, how long it has taken.
//! Elsewhere, a line now and then, or each as it comes, as `MARGAY_PROGRESS` says.

mod estimate;
mod heartbeat;
mod lines;

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use margay_mappings::check::Progress;
use margay_models::diagnostic::Diagnostic;

use crate::output::{Format, Output};
use crate::table::counted;
use crate::terminal::{is_dumb, printable};
use estimate::Estimate;
use heartbeat::Heartbeat;

/// Is there a terminal on which a line can be drawn again?
fn can_show() -> bool {
    std::io::stderr().is_terminal() && !is_dumb()
}

/// How progress is told where no bar can be drawn (`MARGAY_PROGRESS`).
enum ProgressForm {
    /// `lines`: each line as it comes.
    Lines,
    /// A number: a line now and then, so many seconds apart, 0 for none. Without a number, the
    /// usual time apart.
    Heartbeat(Option<Duration>),
}

impl ProgressForm {
    fn asked() -> Self {
        match std::env::var("MARGAY_PROGRESS") {
            Ok(how) if how == "lines" => Self::Lines,
            Ok(how) => Self::Heartbeat(
                how.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            ),
            Err(_) => Self::Heartbeat(None),
        }
    }
}

/// A bar on standard error, drawn on a terminal if the output is for people; else lines. `of` is
/// what it counts; `{done}` of the template says how much of it is done, once that is known, and
/// `{left}` what `estimate` says.
fn begin(
    drawn: bool,
    steps: usize,
    of: &str,
    template: &str,
    estimate: &Estimate,
) -> (ProgressBar, Option<Heartbeat>) {
    let (told, drawn) = (ProgressForm::asked(), drawn && can_show());
    let target = match told {
        ProgressForm::Lines => lines::target(),
        ProgressForm::Heartbeat(_) if drawn => ProgressDrawTarget::stderr(),
        ProgressForm::Heartbeat(_) => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
    let (style, left) = (ProgressStyle::with_template(template), estimate.clone());
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    // Nothing that is written to a string fails.
    let style = style.with_key("left", move |_: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&left.words());
    });
    let what = of.to_owned();
    bar.set_style(style.with_key("done", move |state: &ProgressState, out: &mut dyn Write| {
        if let Some(len) = state.len().filter(|&len| len > 0) {
            let _ = write!(out, ": {}/{len} {what}", state.pos());
        }
    }));
    let heartbeat = match told {
        ProgressForm::Lines => None,
        ProgressForm::Heartbeat(_) if drawn => {
            bar.enable_steady_tick(Duration::from_millis(120));
            None
        }
        ProgressForm::Heartbeat(interval) => Heartbeat::of(&bar, of, estimate, interval),
    };
    (bar, heartbeat)
}

/// The bar of a check.
pub struct Bar {
    bar: ProgressBar,
    output: Output,
    estimate: Estimate,
    /// The bound that was asked for.
    up_to: Option<usize>,
    _heartbeat: Option<Heartbeat>,
}

impl Bar {
    /// Drawn on a terminal only, and only if the output is for people.
    pub fn new(output: Output) -> Self {
        let template = "{spinner} {msg}{done}, {elapsed}{left}";
        let estimate = Estimate::default();
        let (bar, heartbeat) =
            begin(output.format == Format::Human, 0, "thread shapes", template, &estimate);
        bar.set_message("preparing");
        Self { bar, output, estimate, up_to: None, _heartbeat: heartbeat }
    }

    /// Says at each bound that so many events are the last one.
    pub fn up_to(self, bound: usize) -> Self {
        Self { up_to: Some(bound), ..self }
    }

    /// Shows how far a search up to a bound is, for as long as it goes on.
    pub fn during<R>(output: Output, bound: usize, search: impl FnOnce(&Self) -> R) -> R {
        let bar = Self::new(output).up_to(bound);
        let found = search(&bar);
        bar.finish();
        found
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
        self.bar.set_position(0);
        self.estimate.forget();
        self.say(&format!("{}, {}", size(events, self.up_to), axioms.join(", ")));
        self.bar.set_length(shapes as u64);
    }

    fn shape(&self, shape: &str, done: usize) {
        tracing::debug!("thread shape {shape} is decided");
        self.bar.set_position(done as u64);
    }

    fn cost(&self, done: f64, of: f64, workers: usize) {
        self.estimate.know(done, of, workers);
    }

    fn cases(&self, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
    }

    fn choosing(&self, axiom: &str, events: usize) {
        self.estimate.forget();
        self.say(&format!(
            "{axiom} fails with {events} events; choosing the smallest counterexample"
        ));
    }

    fn changes(&self, tried: usize, counterexamples: usize) {
        self.estimate.forget();
        // Nobody knows how many there will be.
        self.bar.set_length(0);
        let (tried, of) = (tried as u64, counterexamples as u64);
        let of = counted(of, "counterexample", "counterexamples");
        self.say(&format!("{} tried on {of}", counted(tried, "change of rows", "changes of rows")));
    }

    fn warning(&self, what: &Diagnostic) {
        self.bar.suspend(|| self.output.warn(std::slice::from_ref(what)));
    }
}

/// `4 of 6 events`, or `1 event` where nobody knows how many are the last ones.
fn size(events: usize, up_to: Option<usize>) -> String {
    match up_to.filter(|&last| last >= events) {
        Some(last) => format!("{events} of {}", counted(last as u64, "event", "events")),
        None => counted(events as u64, "event", "events"),
    }
}

/// A bar for work of a known number of steps, with an estimate of the end.
pub struct StepBar {
    bar: ProgressBar,
    _heartbeat: Option<Heartbeat>,
}

impl StepBar {
    /// Drawn on a terminal only, and only if the output is for people.
    pub fn new(drawn: bool, steps: usize, of: &str) -> Self {
        let template = format!(
            "{{spinner}} {{pos}}/{{len}} {of}, {{percent}} %, {{elapsed}}, {{eta}} left: {{msg}}"
        );
        let (bar, heartbeat) = begin(drawn, steps, of, &template, &Estimate::default());
        Self { bar, _heartbeat: heartbeat }
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
pub struct CountProgress {
    bar: ProgressBar,
    _heartbeat: Option<Heartbeat>,
}

impl CountProgress {
    /// Drawn on a terminal only, and only if the output is for people.
    pub fn new(output: Output, what: &str) -> Self {
        let template = format!("{{spinner}} {{pos}}/{{len}} {what}, {{elapsed}}");
        let (bar, heartbeat) =
            begin(output.format == Format::Human, 0, what, &template, &Estimate::default());
        Self { bar, _heartbeat: heartbeat }
    }

    /// Takes it off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl margay_extract::compile::ExtractionProgress for CountProgress {
    fn answered(&self, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
    }
}
