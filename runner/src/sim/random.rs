//! Random schedules: at every state one of the steps that it allows, each as likely as the others.

use rustc_hash::FxHashMap;

use super::machine::SimulatedMachine;
use crate::outcome::Histogram;
use margay_litmus::unfold::UnfoldError;

/// A run of more steps is given up: it waits for something that the schedule does not bring.
pub const STEPS: usize = 10_000;

/// Runs from one question whether to end to the next.
const EACH: u64 = 256;

/// What a number of runs showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// How many there were.
    pub runs: u64,
    /// The outcomes.
    pub histogram: Histogram,
    /// Runs that did not end: a barrier that nobody comes to, or more than [`STEPS`] steps.
    pub stuck: u64,
}

impl SimulatedMachine {
    /// Runs the test a number of times, or until it is to end. The same seed gives the same runs.
    pub fn run(&self, runs: u64, seed: u64, ended: impl Fn() -> bool) -> Result<Runs, UnfoldError> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut state = self.initial().clone();
        let mut steps = Vec::with_capacity(64);
        let mut outcome = Vec::new();
        let mut counts: FxHashMap<Box<[i64]>, u64> = FxHashMap::default();
        let mut stuck = 0;
        let mut done = 0;
        while done < runs {
            if done.is_multiple_of(EACH) && ended() {
                break;
            }
            done += 1;
            state.copy_from(self.initial());
            let mut fuel = STEPS;
            loop {
                self.steps(&state, &mut steps);
                if steps.is_empty() || fuel == 0 {
                    break;
                }
                fuel -= 1;
                let chosen =
                    if steps.len() == 1 { 0 } else { rng.u32(..steps.len() as u32) as usize };
                self.take(&mut state, steps[chosen])?;
            }
            if !self.done(&state) {
                stuck += 1;
                continue;
            }
            self.outcome(&state, &mut outcome);
            if !self.observed().counts(&outcome) {
                continue;
            }
            match counts.get_mut(outcome.as_slice()) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(outcome.clone().into(), 1);
                }
            }
        }
        Ok(Runs {
            runs: done,
            histogram: counts.into_iter().map(|(o, n)| (o.into_vec(), n)).collect(),
            stuck,
        })
    }
}
