//! `margay gpu tune`: the environment in which a device shows most weak outcomes, as a profile for
//! later runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::{number, table};
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::{not_another, write_over};
use margay_reports::gpu as document;
use margay_runner::device::DeviceDescription;
use margay_runner::emit::{Environment, sequence_text};
use margay_runner::tune::{
    ComparedEnvironment, Journal, JournalError, Profile, ProfiledDevice, ScoredSequence,
    SystematicStress, TuningControl, TuningResult, TuningSettings, TuningStop, VERSION,
};

use crate::idioms;
use crate::places::Plots;
use crate::session::{CampaignDevice, CampaignSession, absent};

/// What is tuned, how far it is tried, and the profile that comes of it.
#[derive(Debug, Clone)]
pub struct TuningOptions {
    /// The profile to write.
    pub profile_to: PathBuf,
    /// What is tuned.
    pub on: CampaignDevice,
    /// When to stop; the same call goes on.
    pub budget: Option<Duration>,
    /// Instances for each measurement.
    pub instances: u64,
    /// The distances between locations, in words.
    pub distances: Vec<u32>,
    /// The number of places of stress, in words.
    pub locations: u32,
    /// Every so many-th place is tried for patches.
    pub step: u32,
    /// So many weak outcomes or fewer are noise.
    pub noise: u64,
    /// The longest access sequence.
    pub longest: u8,
    /// The largest spread.
    pub spread: u32,
    /// How many random environments are tried.
    pub random: u32,
    /// Is everything tried that the paper of 2016 tried?
    pub as_in_2016: bool,
}

/// The bar, and what stops the search.
struct TuningWatch<'a> {
    bar: &'a StepBar,
    limits: &'a RunLimits,
}

impl TuningControl for TuningWatch<'_> {
    fn stopped(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed) || self.limits.reason().is_some()
    }

    fn progress(&mut self, stage: &str, done: usize, of: usize) {
        self.bar.at(stage, done, of);
    }
}

/// How a profile begins.
const WRITTEN_BY: &str = "# Written by `margay gpu tune`";

/// Searches, and writes the profile.
pub fn run(options: &TuningOptions, output: &Output) -> CommandOutcome {
    let limits = RunLimits::start(options.budget, None);
    let mut session = match CampaignSession::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let tests = match idioms::read(&idioms::PLDI_2016) {
        Ok(tests) => tests
            .into_iter()
            .map(|(_, read)| (read.test.name.clone(), read.test))
            .collect::<Vec<_>>(),
        Err(errors) => return output.wrong(&errors),
    };
    if let Some(far) = options.distances.iter().find(|&&d| d > 4096) {
        return output
            .wrong(&[Diagnostic::error(format!("--distances {far}: 4096 words are the most"))]);
    }
    let picture = options.profile_to.with_extension("svg");
    let own = not_another(&options.profile_to, "profile", |text| text.starts_with(WRITTEN_BY));
    let own = own.map_err(|error| (&options.profile_to, error));
    let own = own.and_then(|()| {
        not_another(&picture, "picture", |text| text.contains("<svg"))
            .map_err(|error| (&picture, error))
    });
    if let Err((path, error)) = own {
        let error = Diagnostic::error(format!("cannot write `{}`: {error}", path.display()));
        return output.wrong(&[error
            .help("`margay gpu tune` takes the file of the profile that it writes, and no test")]);
    }
    let settings = settings(options, &session.request.environment);
    let names: Vec<String> = tests.iter().map(|(name, _)| name.clone()).collect();
    let device = session.device.description().clone();
    let path = journal_path(&options.profile_to);
    let mut journal = match open(&path, &settings.title(&identity(&device), &names)) {
        Ok(journal) => journal,
        Err(error) => return output.wrong(&[error]),
    };
    let bar = StepBar::new(output.format == Format::Human, 0, "measurements");
    let mut watch = TuningWatch { bar: &bar, limits: &limits };
    let found = margay_runner::tune::tune(
        &mut **session.device,
        &tests,
        &settings,
        &mut journal,
        &mut watch,
    );
    bar.finish();
    let found = match found {
        Ok(found) => found,
        Err(stop) => return stopped(stop, &path, &limits, output),
    };
    let profile = profile(&found, &device, &names);
    let text = match profile.text() {
        Ok(text) => text,
        Err(error) => {
            return output
                .wrong(&[Diagnostic::error(format!("the profile cannot be written: {error}"))]);
        }
    };
    let of = if device.simulated {
        " It is of no hardware: what was tuned for is simulated."
    } else {
        ""
    };
    let text =
        format!("{WRITTEN_BY}; `--profile {}` uses it.{of}\n{text}", options.profile_to.display());
    match output.format {
        Format::Human => print(&found, &names, &device, output)?,
        Format::Json => output.document(&document(&found, &names, &profile))?,
    }
    if let Err(error) = write_over(&options.profile_to, text.as_bytes()) {
        // The profile is what was asked for; what it says is printed.
        let message = format!(
            "cannot write `{}`: {error}; what was measured is in `{}`",
            options.profile_to.display(),
            path.display()
        );
        output.warn(&[Diagnostic::error(message)]);
        return Ok(Exit::Wrong);
    }
    if output.format != Format::Json {
        output.print(&format!("\nprofile written to {}", options.profile_to.display()))?;
    }
    let title = format!(
        "{}weak outcomes by place of stress, {} (PLDI 2016, Fig. 3)",
        device.mark(),
        device.name
    );
    let plots = Plots { title, tests: &names, places: &found.places, noise: settings.noise };
    if let Err(error) = write_over(&picture, plots.svg().as_bytes()) {
        output.warn(&[Diagnostic::error(format!("cannot write `{}`: {error}", picture.display()))]);
        return Ok(Exit::Wrong);
    }
    if output.format != Format::Json {
        output.print(&format!(
            "weak outcomes by place of stress, as Fig. 3: {}",
            picture.display()
        ))?;
    }
    Ok(Exit::Holds)
}

/// What is tried: what the options say, or all that the paper did.
fn settings(options: &TuningOptions, base: &Environment) -> TuningSettings {
    let given = TuningSettings {
        base: base.clone(),
        distances: options.distances.clone(),
        locations: options.locations,
        step: options.step,
        instances: options.instances,
        noise: options.noise,
        longest: usize::from(options.longest),
        spread: options.spread,
        random: options.random,
        seed: options.on.seed,
    };
    match options.as_in_2016 {
        true => TuningSettings {
            base: Environment { parallel: false, ..base.clone() },
            distances: (0..256).collect(),
            locations: 256,
            step: 1,
            instances: 1000,
            noise: 3,
            longest: 5,
            spread: 64,
            ..given
        },
        false => given,
    }
}

fn identity(device: &DeviceDescription) -> String {
    [Some(&device.name), device.target.as_ref(), device.driver.as_ref()]
        .into_iter()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join(", ")
}

fn journal_path(profile: &Path) -> PathBuf {
    let mut name = profile.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

fn open(path: &Path, title: &str) -> Result<Journal, Diagnostic> {
    Journal::open(path, title).map_err(|error| match error {
        JournalError::Io(e) => Diagnostic::error(format!("cannot use `{}`: {e}", path.display())),
        JournalError::Other(first) => Diagnostic::error(format!(
            "`{}` is of another search:\n  there: {}\n  here:  {title}",
            path.display(),
            first.chars().take(2000).collect::<String>()
        ))
        .help("give the same options, remove the file, or write another profile"),
    })
}

fn stopped(
    stop: TuningStop,
    journal: &Path,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let kept = format!("what was measured is in `{}`", journal.display());
    match stop {
        TuningStop::Failed(failure) if failure.is_of_device() => {
            output.warn(&[Diagnostic::warning(kept).help("the same command goes on")]);
            absent(&failure, output)
        }
        TuningStop::Failed(failure) => {
            output.wrong(&[Diagnostic::error(format!("{failure}; {kept}"))])
        }
        TuningStop::Journal(error) => output.wrong(&[Diagnostic::error(format!(
            "cannot write `{}`: {error}; what it had is still there",
            journal.display()
        ))]),
        TuningStop::Stopped => {
            let why = limits.reason().map_or("stopped", |r| r.words());
            output.wrong(&[Diagnostic::error(format!("no profile yet: {why}; {kept}"))
                .help("the same command goes on")])?;
            Ok(Exit::Undecided)
        }
    }
}

fn profile(found: &TuningResult, device: &DeviceDescription, tests: &[String]) -> Profile {
    let compared: Vec<ComparedEnvironment> = found
        .compared
        .iter()
        .map(|(name, environment, rates)| ComparedEnvironment {
            name: name.clone(),
            environment: environment.to_string(),
            weak_per_second: rates.clone(),
            tests: tests.to_vec(),
        })
        .collect();
    Profile {
        version: VERSION,
        environment: compared.first().map(|c| c.environment.clone()).unwrap_or_default(),
        device: ProfiledDevice {
            name: device.name.clone(),
            target: device.target.clone(),
            driver: device.driver.clone(),
            simulated: device.simulated,
        },
        stress: SystematicStress {
            patch: found.patch,
            sequence: found.sequence.as_deref().map(sequence_text),
            spread: found.spread,
        },
        compared,
    }
}

fn or_none(value: Option<impl ToString>) -> String {
    value.map_or("none found".to_owned(), |v| v.to_string())
}

fn print(
    found: &TuningResult,
    tests: &[String],
    device: &DeviceDescription,
    output: &Output,
) -> std::io::Result<()> {
    let best = found.compared.first().map_or("none", |(name, ..)| name.as_str());
    output.print(&output.good(&format!("{}most effective: {best}", device.mark())))?;
    if !device.environments {
        output.print(
            "The machine on the CPU has no environment: what it shows does not depend on it.",
        )?;
    }
    output.print("")?;
    output.print(&output.heading("Systematic stress (as Table 2)"))?;
    let sequence = found.sequence.as_deref().map(sequence_text);
    let row =
        vec![device.name.clone(), or_none(found.patch), or_none(sequence), or_none(found.spread)];
    output.print(&table(
        &["chip", "critical patch size", "sequence", "spread"],
        &[row],
        &[],
        output.width(),
    ))?;
    for (title, scored) in
        [("Sequences (as Table 3)", &found.sequences), ("Spreads (as Fig. 4)", &found.spreads)]
    {
        output.print("")?;
        output.print(&output.heading(title))?;
        ranks(scored, tests, output)?;
    }
    output.print("")?;
    output.print(&output.heading("Environments, weak outcomes a second"))?;
    let rows: Vec<Vec<String>> = found
        .compared
        .iter()
        .take(8)
        .map(|(name, _, rates)| {
            [name.clone()].into_iter().chain(rates.iter().map(|&r| number(r))).collect()
        })
        .collect();
    let header: Vec<&str> =
        ["environment"].into_iter().chain(tests.iter().map(String::as_str)).collect();
    let right: Vec<usize> = (1..header.len()).collect();
    output.print(&table(&header, &rows, &right, output.width()))
}

/// The three best and the three worst for each test.
fn ranks(scored: &[ScoredSequence], tests: &[String], output: &Output) -> std::io::Result<()> {
    let by_test: Vec<Vec<&ScoredSequence>> = (0..tests.len())
        .map(|t| {
            let mut order: Vec<&ScoredSequence> = scored.iter().collect();
            order.sort_by_key(|s| std::cmp::Reverse(s.scores[t]));
            order
        })
        .collect();
    let shown = (0..scored.len()).filter(|&i| i < 3 || i + 3 >= scored.len());
    let rows: Vec<Vec<String>> = shown
        .map(|i| {
            let cells = by_test
                .iter()
                .enumerate()
                .map(|(t, order)| format!("{} {}", order[i].name, number(order[i].scores[t])));
            [(i + 1).to_string()].into_iter().chain(cells).collect()
        })
        .collect();
    let header: Vec<&str> = ["rank"].into_iter().chain(tests.iter().map(String::as_str)).collect();
    output.print(&table(&header, &rows, &[0], output.width()))
}

fn document(found: &TuningResult, tests: &[String], profile: &Profile) -> document::Tuned {
    let score = |s: &ScoredSequence| document::ScoreRecord {
        name: s.name.clone(),
        scores: s.scores.clone(),
    };
    let places = |p: &margay_runner::tune::StressPlaces| document::StressPlacesRecord {
        places: p.places.clone(),
        runs: p.runs.clone(),
    };
    document::Tuned {
        profile: profile.into(),
        tests: tests.to_vec(),
        places: found.places.iter().map(places).collect(),
        patches: found.patches.clone(),
        sequences: found.sequences.iter().map(score).collect(),
        spreads: found.spreads.iter().map(score).collect(),
    }
}
