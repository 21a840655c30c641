//! The counterexamples of a mapping on a device: what was found, and what running it showed.

pub mod run;

use std::fmt::Write as _;
use std::io;

use margay_answers::check::{PresentedCounterexample, without_counterexample};
use margay_answers::headline::{Headline, Tone};
use margay_answers::histogram;
use margay_answers::restriction::Restriction;
use margay_console::folder::OutputFolder;
use margay_console::output::Output;
use margay_console::table::number;
use margay_console::wrapped::wrapped;
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Document, confirm as document};
use margay_runner::device::{DeviceDescription, Request};

use crate::measure::TestMeasurement;

/// A counterexample, and what running it showed.
pub struct ConfirmedCounterexample<'a> {
    pub presented: PresentedCounterexample<'a>,
    /// The name of its files and of its test.
    pub name: String,
    /// What running it showed, or why it was not run.
    pub ran: Result<TestMeasurement, Diagnostic>,
    /// It was not run, as it is no compiler bug.
    pub refused: bool,
}

impl ConfirmedCounterexample<'_> {
    /// How often the outcome was seen that the source forbids.
    pub fn seen(&self) -> u64 {
        let rows = self.ran.as_ref().map(|m| m.rows.as_slice()).unwrap_or_default();
        rows.iter().filter(|r| r.asked).map(|r| r.count).sum()
    }
}

/// Everything that it says.
pub struct ConfirmReport<'a> {
    /// The mapping that was checked.
    pub mapping: &'a Mapping,
    pub asked: &'a CheckOptions,
    /// What it found.
    pub checked: &'a CheckReport,
    /// What running it showed.
    pub confirmed: &'a [ConfirmedCounterexample<'a>],
    /// What ran the counterexamples.
    pub device: &'a DeviceDescription,
    /// What it was asked to do.
    pub request: &'a Request,
    /// Seconds of the check.
    pub seconds: f64,
}

/// What not seeing a bug means.
const STAYS: &str = "A mapping bug that no run shows stays a bug: the model of the target allows the outcome, and another GPU, driver or \
                     environment may show it.";
/// What runs of programs that are no compiler bugs mean.
const NO_BUG: &str = "Of a program that races, or an outcome that the source allows, neither seeing it nor not seeing it says anything of the \
                      compiler.";
/// What the machine on the CPU is worth here.
const SIM: &str = "Not yet run on hardware: the machine on the CPU is no model of PTX, and what it shows or not says nothing of a GPU.";

impl ConfirmReport<'_> {
    fn answer(&self) -> Headline {
        if let Some(line) =
            without_counterexample(self.mapping, self.checked, self.asked, ", so nothing to run")
        {
            return line;
        }
        let restriction = Restriction::of_rows(self.asked);
        let line = |found: String, rest: String| {
            Headline::new(Tone::Bad, found, &rest, &restriction, &self.mapping.title)
        };
        let seen = self.confirmed.iter().filter(|c| c.seen() > 0).count();
        let (of, device) = (self.checked.counterexamples.len(), &self.device.name);
        let bugs = self.checked.counterexamples.iter().filter(|c| c.status.is_bug()).count();
        let refused = self.confirmed.iter().filter(|c| c.refused).count();
        let status = match self.checked.foremost() {
            Some(first) if bugs == 0 => format!(" ({})", first.status.words()),
            Some(_) if bugs < of => format!(" ({bugs} of them compiler bugs)"),
            _ => String::new(),
        };
        if refused > 0 && refused == self.confirmed.len() {
            return line("nothing was run".to_owned(), format!(" of {of} counterexamples{status}"));
        }
        line(
            format!("{}{seen} of {of} counterexamples seen", self.device.mark()),
            format!(" on {device}{status}"),
        )
    }

    /// What running one showed, in one sentence.
    fn sentence(&self, c: &ConfirmedCounterexample<'_>) -> String {
        match &c.ran {
            Ok(measured) => {
                let (runs, seconds) = (number(measured.counts.instances), measured.counts.seconds);
                match c.seen() {
                    0 => format!("not seen in {runs} runs ({seconds:.3} s)"),
                    n => format!("seen {} times in {runs} runs ({seconds:.3} s)", number(n)),
                }
            }
            Err(why) => format!("not run: {}", why.message),
        }
    }

    fn environment(&self) -> String {
        match self.device.environments {
            true => format!("environment {}, seed {}", self.request.environment, self.request.seed),
            false => format!("seed {}", self.request.seed),
        }
    }

    fn notes(&self) -> Vec<&'static str> {
        let mut notes = Vec::new();
        let is_bug = |c: &ConfirmedCounterexample<'_>| c.presented.counterexample.status.is_bug();
        if self.confirmed.iter().any(|c| c.seen() == 0 && is_bug(c)) {
            notes.push(STAYS);
        }
        if self.confirmed.iter().any(|c| !is_bug(c)) {
            notes.push(NO_BUG);
        }
        if self.device.simulated && self.confirmed.iter().any(|c| !c.refused) {
            notes.push(SIM);
        }
        notes
    }

    /// Prints it for people.
    pub fn print(&self, output: &Output) -> io::Result<()> {
        output.headline(&self.answer().painted(*output))?;
        if let CheckVerdict::Undecided(why) = &self.checked.verdict {
            output.print(&wrapped(&format!("Undecided because: {why}."), output.width()))?;
        }
        for c in self.confirmed {
            let found = c.presented.counterexample;
            output.print("")?;
            let heading =
                format!("{}: axiom {} fails with {} events", c.name, found.axiom, found.events);
            output.print(&output.heading(&heading))?;
            output.print(&c.presented.standing())?;
            output.print(&format!("{}\n", c.presented.target))?;
            output.print(&format!("{}; {}", self.sentence(c), self.environment()))?;
            if let Ok(measured) = &c.ran {
                histogram::print(&measured.rows, &measured.counts.observed, true, output)?;
            }
        }
        for note in self.notes() {
            output.print("")?;
            output.print(note)?;
        }
        Ok(())
    }

    /// As one document (docs/json.md).
    pub fn document(&self) -> document::ConfirmDocument {
        let one = |c: &ConfirmedCounterexample<'_>| document::Confirmed {
            axiom: c.presented.counterexample.axiom.clone(),
            events: c.presented.counterexample.events,
            status: c.presented.counterexample.status.into(),
            source_litmus: c.presented.source.clone(),
            target_litmus: c.presented.target.clone(),
            seen: c.ran.is_ok().then(|| c.seen() > 0),
            count: c.ran.is_ok().then(|| c.seen()),
            reason: c.ran.as_ref().err().map(|e| e.message.clone()),
            run: c.ran.as_ref().ok().map(|m| m.line.clone()),
        };
        document::ConfirmDocument {
            mapping: self.mapping.title.clone(),
            source: self.mapping.source.name.clone(),
            target: self.mapping.target.name.clone(),
            answer: self.answer().text(),
            verdict: (&self.checked.verdict).into(),
            reason: if let CheckVerdict::Undecided(why) = &self.checked.verdict {
                Some(why.clone())
            } else {
                None
            },
            status: self.checked.foremost().map(|c| c.status.into()),
            established: self.checked.established,
            check_seconds: self.seconds,
            device: self.device.name.clone(),
            simulated: self.device.simulated,
            confirmed: self.confirmed.iter().map(one).collect(),
            notes: self.notes().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Writes `confirmation.md`, and `confirmation.json` with all that is needed to run it again.
    pub fn write(&self, folder: &mut OutputFolder) -> io::Result<()> {
        let mut page = String::new();
        if self.device.simulated {
            let _ = writeln!(page, "{SIM}\n");
        }
        let _ = writeln!(page, "# {}\n", self.answer().text());
        let driver =
            self.device.driver.as_deref().map_or(String::new(), |d| format!(", driver {d}"));
        let _ = writeln!(page, "Device: {}{driver}; {}.\n", self.device.name, self.environment());
        for c in self.confirmed {
            let found = c.presented.counterexample;
            let _ = writeln!(
                page,
                "## Axiom {} fails with {} events\n\n{}.\n",
                found.axiom,
                found.events,
                c.presented.standing()
            );
            let _ = writeln!(page, "{}.\n", self.sentence(c));
            let _ = writeln!(page, "    {}\n", c.presented.target.replace('\n', "\n    "));
            if let Ok(measured) = &c.ran {
                page.push_str("| outcome | runs | |\n| --- | --- | --- |\n");
                for row in &measured.rows {
                    let outcome = measured.counts.observed.describe(&row.outcome);
                    let asked = if row.asked { "forbidden by the source" } else { "" };
                    let _ = writeln!(page, "| `{outcome}` | {} | {asked} |", row.count);
                }
                page.push('\n');
            }
        }
        for note in self.notes().into_iter().filter(|&note| note != SIM) {
            let _ = writeln!(page, "{note}");
        }
        folder.write("confirmation.md", page)?;
        folder.write("confirmation.json", self.document().text()? + "\n")
    }
}
