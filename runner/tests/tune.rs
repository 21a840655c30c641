//! Tuning, on a device whose best environment is known: it is found, interrupted searches go on, and nothing measured is lost.

use std::collections::BTreeMap;
use std::path::PathBuf;

use margay_litmus::read;
use margay_litmus::test::Test;
use margay_runner::device::{Counts, Description, Device, Failure, Request};
use margay_runner::emit::{Count, Environment, Stress, kernel, sequence_text};
use margay_runner::outcome::Observed;
use margay_runner::tune::{Control, Found, Journal, JournalError, Settings, Stop, sequences, tune};

/// A GPU as the paper describes Titan: patches of 32 words, of which some provoke weak outcomes, depending on the distance and the test; the
/// sequence `ld-st-st-ld` works best, a spread of 2, and nothing without stress or at distances below 32.
struct Titan {
    description: Description,
    runs: u64,
    /// What it was asked to make ready last: tests and environments.
    ready: Vec<(String, Environment)>,
    /// It goes away after so many runs.
    fails_after: Option<u64>,
}

impl Titan {
    fn new() -> Self {
        let description = Description { name: "Titan".to_owned(), target: Some("sm_90".to_owned()), ..Description::default() };
        Self { description, runs: 0, ready: Vec::new(), fails_after: None }
    }

    fn weak(name: &str, e: &Environment) -> u64 {
        if e.stress_ctas == Count::Fixed(0) || e.distance.is_some_and(|d| d < 32) {
            return 0;
        }
        let of_test = match name {
            "MP" => 100,
            "LB" => 60,
            _ => 90,
        };
        let kind = if e.stress == Stress::Sequence { 10 } else { 1 };
        let sequence = match sequence_text(&e.stress_sequence).as_str() {
            "ld-st-st-ld" => 10,
            // Better for one test, worse for the others.
            "ld-ld-ld-st-ld" if name == "MP" => 11,
            "ld-ld-st" if name == "LB" => 11,
            s if s.contains("ld") && s.contains("st") => 6,
            _ => 1,
        };
        if e.stress_regions == 1 {
            let region = e.stress_first / 32;
            let loud = [1, 4, 6].contains(&((region + e.distance.unwrap_or(0) / 32) % 8));
            return if loud { of_test * sequence } else { u64::from(e.stress_first % 3) };
        }
        let spread = 20u64.saturating_sub(u64::from(e.stress_spread.abs_diff(2)));
        let patch = if e.stress_patch == 32 { 4 } else { 1 };
        of_test * sequence * spread * kind * patch / 40
    }
}

impl Device for Titan {
    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(&mut self, tests: &[(&Test, &Environment)]) {
        self.ready = tests.iter().map(|&(test, environment)| (test.name.clone(), environment.clone())).collect();
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, Failure> {
        let asked = (test.name.clone(), request.environment.clone());
        assert!(self.ready.contains(&asked), "{asked:?} was not made ready before it is run");
        if self.fails_after.is_some_and(|n| self.runs >= n) {
            return Err(Failure::Lost("the device has fallen off the bus".to_owned()));
        }
        self.runs += 1;
        // What it is asked to run has to be a kernel.
        kernel(test, margay_runner::emit::Target(90), &request.environment).map_err(Failure::Kernel)?;
        let observed = Observed::new(test, |_| 0);
        let asked = (0..=3).map(|n| vec![n & 1, n >> 1]).find(|o| observed.asked(o)).unwrap();
        let strong = (0..=3).map(|n| vec![n & 1, n >> 1]).find(|o| !observed.asked(o)).unwrap();
        let weak = Self::weak(&test.name, &request.environment).min(request.instances);
        let histogram = BTreeMap::from([(asked, weak), (strong, request.instances - weak)]);
        let instances = request.instances;
        Ok(Counts {
            observed,
            histogram,
            instances,
            stopped: false,
            stuck: 0,
            uncounted: 0,
            launches: 1,
            seconds: 1e-3,
            kernel: None,
        })
    }
}

/// Stops after so many measurements.
struct After(u64, std::cell::Cell<u64>);

impl Control for After {
    fn stopped(&self) -> bool {
        self.1.set(self.1.get() + 1);
        self.1.get() > self.0
    }

    fn progress(&mut self, _: &str, done: usize, of: usize) {
        assert!(done <= of);
    }
}

fn never() -> After {
    After(u64::MAX, std::cell::Cell::new(0))
}

fn tests() -> Vec<(String, Test)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/pldi2016");
    ["MP", "LB", "SB"].map(|n| (n.to_owned(), read::load(&root.join(format!("{n}.litmus"))).unwrap().test)).to_vec()
}

fn settings() -> Settings {
    Settings {
        base: Environment::default(),
        distances: vec![0, 32, 64, 100],
        locations: 256,
        step: 8,
        instances: 100_000,
        noise: 3,
        longest: 5,
        spread: 16,
        random: 5,
        seed: 1,
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn found(device: &mut Titan, journal: &mut Journal) -> Found {
    tune(device, &tests(), &settings(), journal, &mut never()).unwrap()
}

#[test]
fn the_best_environment_is_found() {
    let found = found(&mut Titan::new(), &mut Journal::default());
    assert_eq!(found.patches, [Some(32), Some(32), Some(32)]);
    assert_eq!(found.patch, Some(32));
    assert_eq!(found.sequences.len(), 62);
    assert_eq!(found.sequence.as_deref().map(sequence_text).as_deref(), Some("ld-st-st-ld"));
    assert_eq!(found.spread, Some(2));
    let (name, environment, rates) = &found.compared[0];
    assert_eq!(name, "sys-str");
    assert_eq!((environment.stress_patch, environment.stress_spread), (32, 2));
    assert!(rates.iter().all(|&r| r > 0));
    let none = found.compared.iter().find(|(n, ..)| n == "no-str").unwrap();
    assert_eq!(none.2, [0, 0, 0]);
}

#[test]
fn an_interrupted_search_goes_on() {
    let path = folder("tune-resumed").join("journal");
    let title = settings().title("Titan", &["MP".to_owned()]);
    let (mut device, whole) = (Titan::new(), found(&mut Titan::new(), &mut Journal::default()));
    let mut interruptions = 0;
    let resumed = loop {
        let mut journal = Journal::open(&path, &title).unwrap();
        match tune(&mut device, &tests(), &settings(), &mut journal, &mut After(1000, std::cell::Cell::new(0))) {
            Ok(found) => break found,
            Err(Stop::Stopped) => interruptions += 1,
            Err(other) => panic!("{other:?}"),
        }
        // The program may be stopped in the middle of a line.
        if interruptions == 1 {
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, &text[..text.len() - 4]).unwrap();
        }
    };
    assert!(interruptions >= 2, "{interruptions}");
    assert_eq!(resumed, whole);
    let mut once = Titan::new();
    found(&mut once, &mut Journal::default());
    assert_eq!(device.runs, once.runs + 1, "but for the line that was cut off, nothing is measured twice");
    match Journal::open(&path, "margay tune 1: another device") {
        Err(JournalError::Other(first)) => assert_eq!(first, title),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_measured_before_a_device_went_away_is_kept() {
    let path = folder("tune-lost").join("journal");
    let title = settings().title("Titan", &[]);
    let mut device = Titan { fails_after: Some(500), ..Titan::new() };
    let mut journal = Journal::open(&path, &title).unwrap();
    let stopped = tune(&mut device, &tests(), &settings(), &mut journal, &mut never());
    assert!(matches!(stopped, Err(Stop::Failed(Failure::Lost(_)))), "{stopped:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 501);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said() {
    let opened = Journal::open(&PathBuf::from("/dev/full"), "title");
    match opened {
        Err(JournalError::Io(e)) => assert_eq!(e.kind(), std::io::ErrorKind::StorageFull),
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_sequences() {
    let all: Vec<String> = sequences(5).iter().map(|s| sequence_text(s)).collect();
    assert_eq!(all.len(), 62);
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), 62);
    assert_eq!(&all[..4], ["ld", "st", "ld-ld", "ld-st"]);
}
