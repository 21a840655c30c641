//! Tuning, on a device whose best environment is known: it is found, interrupted searches go on,
//! and nothing measured is lost.

use std::path::PathBuf;

use margay_litmus::read;
use margay_litmus::test::Test;
use margay_runner::device::{self, Counts, Device, DeviceDescription, DeviceFailure, Request};
use margay_runner::emit::{Environment, Stress, sequence_text};
use margay_runner::tune::{
    Journal, JournalError, TuningControl, TuningResult, TuningSettings, TuningStop, sequences, tune,
};

/// The made-up Titan, watched: what it is asked to run was made ready before, and it may go away.
struct Titan {
    inner: device::Titan,
    runs: u64,
    /// What it was asked to make ready last: tests and environments.
    ready: Vec<(String, Environment)>,
    /// It goes away after so many runs.
    fails_after: Option<u64>,
}

impl Titan {
    fn new() -> Self {
        Self { inner: device::Titan::default(), runs: 0, ready: Vec::new(), fails_after: None }
    }
}

impl Device for Titan {
    fn description(&self) -> &DeviceDescription {
        self.inner.description()
    }

    fn prepare(&mut self, tests: &[(&Test, &Environment)]) {
        self.ready = tests
            .iter()
            .map(|&(test, environment)| (test.name.clone(), environment.clone()))
            .collect();
    }

    fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
        let asked = (test.name.clone(), request.environment.clone());
        assert!(self.ready.contains(&asked), "{asked:?} was not made ready before it is run");
        if self.fails_after.is_some_and(|n| self.runs >= n) {
            return Err(DeviceFailure::Lost("the device has fallen off the bus".to_owned()));
        }
        self.runs += 1;
        self.inner.run(test, request)
    }
}

/// Stops after so many measurements.
struct After(u64, std::cell::Cell<u64>);

impl TuningControl for After {
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
    ["MP", "LB", "SB"]
        .map(|n| (n.to_owned(), read::load(&root.join(format!("{n}.litmus"))).unwrap().test))
        .to_vec()
}

fn settings() -> TuningSettings {
    TuningSettings {
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

fn found(device: &mut Titan, journal: &mut Journal) -> TuningResult {
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
    assert_eq!(name, "sys-str+", "threads change places");
    assert_eq!((environment.stress_patch, environment.stress_spread), (32, 2));
    assert!(rates.iter().all(|&r| r > 0));
    // The eight environments of section 4.2: four kinds of stress, each with thread randomisation
    // and without.
    for (kind, stress) in [
        ("no-str", None),
        ("sys-str", Some(Stress::Sequence)),
        ("rand-str", Some(Stress::Random)),
        ("cache-str", Some(Stress::Cache)),
    ] {
        let of = |sign: &str| {
            found
                .compared
                .iter()
                .find(|(n, ..)| *n == format!("{kind}{sign}"))
                .unwrap_or_else(|| panic!("{kind}{sign}"))
        };
        let ((_, with, more), (_, without, fewer)) = (of("+"), of("-"));
        assert!(with.shuffle && !without.shuffle);
        assert_eq!(Environment { shuffle: true, ..without.clone() }, *with);
        match stress {
            None => assert_eq!(
                (more.as_slice(), fewer.as_slice()),
                ([0; 3].as_slice(), [0; 3].as_slice())
            ),
            Some(stress) => {
                assert!(
                    with.stress == stress && more.iter().zip(fewer).all(|(m, f)| m > f),
                    "{kind}: {more:?} {fewer:?}"
                )
            }
        }
    }
    // What Fig. 3 draws: for each test and distance the weak outcomes by place.
    assert_eq!(
        (found.places.len(), found.places[0].runs.len(), found.places[0].runs[0].1.len()),
        (3, 4, 32)
    );
    assert!(
        found.places.iter().all(|p| p.runs[0].1.iter().all(|&n| n == 0)),
        "nothing at distance 0"
    );
}

#[test]
fn an_interrupted_search_goes_on() {
    let path = folder("tune-resumed").join("journal");
    let title = settings().title("Titan", &["MP".to_owned()]);
    let (mut device, whole) = (Titan::new(), found(&mut Titan::new(), &mut Journal::default()));
    let mut interruptions = 0;
    let resumed = loop {
        let mut journal = Journal::open(&path, &title).unwrap();
        match tune(
            &mut device,
            &tests(),
            &settings(),
            &mut journal,
            &mut After(1000, std::cell::Cell::new(0)),
        ) {
            Ok(found) => break found,
            Err(TuningStop::Stopped) => interruptions += 1,
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
    assert_eq!(
        device.runs,
        once.runs + 1,
        "but for the line that was cut off, nothing is measured twice"
    );
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
    assert!(matches!(stopped, Err(TuningStop::Failed(DeviceFailure::Lost(_)))), "{stopped:?}");
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
