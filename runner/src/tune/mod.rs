//! Tuning: the environment in which a device shows weak outcomes most often, by the method of
//! Sorensen and Donaldson (PLDI 2016, section 3: patch size, access sequence, spread) and by random
//! search in the manner of MC Mutants (Levine et al., ASPLOS 2023).

mod choice;
mod journal;
mod measure;
mod patch;
mod profile;
mod search;

use std::io;

use margay_litmus::test::Test;

use crate::device::{Device, DeviceFailure};
use crate::emit::{Count, Environment, Stress, StressAccess, sequence_text};

pub use choice::{best, maximal};
pub use journal::{Journal, JournalError, StressMeasurement};
pub use patch::{critical, most_frequent, patches};
pub use profile::{
    ComparedEnvironment, Profile, ProfiledDevice, SystematicStress, UnreadProfile, VERSION,
};

use measure::{Bench, NamedMeasurement};

/// What is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningSettings {
    /// The environment that all the others start from.
    pub base: Environment,
    /// The distances between locations, in words (2016: 0 to 255).
    pub distances: Vec<u32>,
    /// The number of places of stress (2016: 256).
    pub locations: u32,
    /// Only every so many-th of them is tried for patches.
    pub step: u32,
    /// Instances for each measurement (2016: 1,000).
    pub instances: u64,
    /// So many weak outcomes or fewer are noise (2016: 3).
    pub noise: u64,
    /// The longest access sequence (2016: 5).
    pub longest: usize,
    /// The largest spread (2016: 64).
    pub spread: u32,
    /// Random environments.
    pub random: u32,
    /// Of everything that is drawn.
    pub seed: u64,
}

impl TuningSettings {
    /// The settings in one line, for the journal.
    pub fn title(&self, device: &str, tests: &[String]) -> String {
        let distances: Vec<String> = self.distances.iter().map(u32::to_string).collect();
        format!(
            "margay tune 1: {device}; {}; {}; distances {}; locations {} step {}; instances {}; noise {}; sequences up to {}; spread up to {}; \
             random {}; seed {}",
            tests.join(" "),
            self.base,
            distances.join(" "),
            self.locations,
            self.step,
            self.instances,
            self.noise,
            self.longest,
            self.spread,
            self.random,
            self.seed
        )
    }
}

/// Who watches.
pub trait TuningControl {
    /// Should it stop, because time is up or it was interrupted?
    fn stopped(&self) -> bool;
    /// So many measurements of a stage are done.
    fn progress(&mut self, stage: &str, done: usize, of: usize);
}

/// Why there is no profile.
#[derive(Debug)]
pub enum TuningStop {
    /// [`TuningControl::stopped`]: what was measured is in the journal.
    Stopped,
    /// The device failed, or there is no kernel.
    Failed(DeviceFailure),
    /// The journal could not be written.
    Journal(io::Error),
}

/// An access sequence with its scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredSequence {
    /// The sequence or the spread.
    pub name: String,
    /// Weak outcomes of each test.
    pub scores: Vec<u64>,
}

/// Where stress provokes weak outcomes of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StressPlaces {
    /// The places, in words from the start of the scratchpad.
    pub places: Vec<u32>,
    /// For each distance between the locations of the test, in words, the weak outcomes with stress
    /// at each place.
    pub runs: Vec<(u32, Vec<u64>)>,
}

/// The most effective stress, and the scores of all that were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningResult {
    /// For each test the weak outcomes by place of stress (Fig. 3).
    pub places: Vec<StressPlaces>,
    /// For each test the patch size that most patches have, in words.
    pub patches: Vec<Option<u32>>,
    /// The critical patch size.
    pub patch: Option<u32>,
    /// Scores of all sequences (Table 3).
    pub sequences: Vec<ScoredSequence>,
    /// The most effective one.
    pub sequence: Option<Vec<StressAccess>>,
    /// Scores of all spreads (Fig. 4).
    pub spreads: Vec<ScoredSequence>,
    /// The most effective one.
    pub spread: Option<u32>,
    /// The environments that were compared at the end, with weak outcomes a second; the most
    /// effective one first.
    pub compared: Vec<(String, Environment, Vec<u64>)>,
}

/// The patch size that stands in for one that was not found: that of most GPUs of 2016 is 32 or 64.
const USUAL_PATCH: u32 = 64;

/// Tunes for a device.
pub fn tune(
    device: &mut dyn Device,
    tests: &[(String, Test)],
    settings: &TuningSettings,
    journal: &mut Journal,
    control: &mut dyn TuningControl,
) -> Result<TuningResult, TuningStop> {
    let mut bench = Bench::new(device, tests, settings, journal, control);
    let (places, patches, patch) = patch_stage(&mut bench)?;
    let size = patch.unwrap_or(USUAL_PATCH);
    let (sequences, sequence) = sequence_stage(&mut bench, size)?;
    let stress = sequence.clone().unwrap_or_else(|| vec![StressAccess::Store, StressAccess::Load]);
    let (spreads, spread) = spread_stage(&mut bench, size, &stress)?;
    let systematic = Environment {
        stress_patch: size,
        stress_sequence: stress,
        stress_spread: spread.unwrap_or(1),
        ..stressed(&settings.base)
    };
    let compared = search::compare(&mut bench, &systematic)?;
    Ok(TuningResult { places, patches, patch, sequences, sequence, spreads, spread, compared })
}

/// With stress by ctas apart from those of the test.
fn stressed(base: &Environment) -> Environment {
    let stress_ctas =
        if base.stress_ctas == Count::Fixed(0) { Count::Auto { or: 64 } } else { base.stress_ctas };
    Environment {
        stress_ctas,
        stress: Stress::Sequence,
        stress_regions: 64,
        stress_first: 0,
        ..base.clone()
    }
}

fn at(base: &Environment, distance: u32, location: u32) -> Environment {
    Environment {
        distance: Some(distance),
        stress_regions: 1,
        stress_spread: 1,
        stress_first: location,
        ..stressed(base)
    }
}

/// The weak outcomes by place, the size of the patches that each test shows, and that which they
/// agree on.
type Patches = (Vec<StressPlaces>, Vec<Option<u32>>, Option<u32>);

/// Section 3.2: which locations provoke weak outcomes, for each test and distance?
fn patch_stage(bench: &mut Bench<'_>) -> Result<Patches, TuningStop> {
    let settings = bench.settings;
    let places: Vec<u32> = (0..settings.locations).step_by(settings.step.max(1) as usize).collect();
    let stress = vec![StressAccess::Store, StressAccess::Load];
    bench.stage("patch size", bench.tests.len() * settings.distances.len() * places.len());
    let (mut by_test, mut all) = (Vec::new(), Vec::new());
    for test in 0..bench.tests.len() {
        let mut steps = Vec::new();
        for &distance in &settings.distances {
            for &l in &places {
                let environment = Environment {
                    stress_sequence: stress.clone(),
                    ..at(&settings.base, distance, l)
                };
                steps.push((format!("patch d={distance} l={l}"), test, environment));
            }
        }
        let weak: Vec<u64> = bench.all(&steps)?.iter().map(|m| m.weak).collect();
        let runs: Vec<Vec<u64>> = weak.chunks(places.len().max(1)).map(<[u64]>::to_vec).collect();
        by_test.push(most_frequent(&runs, settings.noise));
        all.push(StressPlaces {
            places: places.clone(),
            runs: settings.distances.iter().copied().zip(runs).collect(),
        });
    }
    let words = |size: usize| size as u32 * settings.step.max(1);
    let agreed = critical(&by_test).map(words);
    Ok((all, by_test.into_iter().map(|s| s.map(words)).collect(), agreed))
}

/// Every sequence of up to so many accesses, shorter ones first. (The paper counts 63 up to 5;
/// `(ld|st)+` has 62.)
pub fn sequences(longest: usize) -> Vec<Vec<StressAccess>> {
    let mut all: Vec<Vec<StressAccess>> = Vec::new();
    let mut last = vec![Vec::new()];
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|s: &Vec<StressAccess>| {
                [StressAccess::Load, StressAccess::Store]
                    .map(|a| s.iter().copied().chain([a]).collect::<Vec<_>>())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Takes measurements, and sums their weak outcomes for each test.
fn by_test(bench: &mut Bench<'_>, steps: &[NamedMeasurement]) -> Result<Vec<u64>, TuningStop> {
    let mut scores = vec![0; bench.tests.len()];
    for (measured, (_, test, _)) in bench.all(steps)?.iter().zip(steps) {
        scores[*test] += measured.weak;
    }
    Ok(scores)
}

type Sequences = (Vec<ScoredSequence>, Option<Vec<StressAccess>>);

/// Section 3.3: the scores of sequences, summed over distances and the first location of each
/// patch.
fn sequence_stage(bench: &mut Bench<'_>, patch: u32) -> Result<Sequences, TuningStop> {
    let settings = bench.settings;
    let places: Vec<u32> = (0..settings.locations.max(1)).step_by(patch as usize).collect();
    let candidates = sequences(settings.longest);
    bench.stage(
        "access sequence",
        candidates.len() * bench.tests.len() * settings.distances.len() * places.len(),
    );
    let mut scored = Vec::with_capacity(candidates.len());
    for sequence in &candidates {
        let name = sequence_text(sequence);
        let mut steps = Vec::new();
        for test in 0..bench.tests.len() {
            for &distance in &settings.distances {
                for &l in &places {
                    let environment = Environment {
                        stress_sequence: sequence.clone(),
                        ..at(&settings.base, distance, l)
                    };
                    steps.push((format!("sequence {name} d={distance} l={l}"), test, environment));
                }
            }
        }
        scored.push(ScoredSequence { name, scores: by_test(bench, &steps)? });
    }
    let scores: Vec<Vec<u64>> = scored.iter().map(|s| s.scores.clone()).collect();
    let chosen = best(&scores).map(|i| candidates[i].clone());
    Ok((scored, chosen))
}

/// Section 3.4: the scores of spreads, summed over distances.
fn spread_stage(
    bench: &mut Bench<'_>,
    patch: u32,
    stress: &[StressAccess],
) -> Result<(Vec<ScoredSequence>, Option<u32>), TuningStop> {
    let settings = bench.settings;
    bench.stage("spread", settings.spread as usize * bench.tests.len() * settings.distances.len());
    let mut scored = Vec::new();
    for spread in 1..=settings.spread {
        let mut steps = Vec::new();
        for test in 0..bench.tests.len() {
            for &distance in &settings.distances {
                let environment = Environment {
                    distance: Some(distance),
                    stress_patch: patch,
                    stress_sequence: stress.to_vec(),
                    stress_regions: settings.spread,
                    stress_spread: spread,
                    ..stressed(&settings.base)
                };
                steps.push((format!("spread {spread} d={distance}"), test, environment));
            }
        }
        scored.push(ScoredSequence { name: spread.to_string(), scores: by_test(bench, &steps)? });
    }
    let scores: Vec<Vec<u64>> = scored.iter().map(|s| s.scores.clone()).collect();
    let chosen = best(&scores).map(|i| i as u32 + 1);
    Ok((scored, chosen))
}
