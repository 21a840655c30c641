//! Exhaustive exploration: every state that can be reached, each once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustc_hash::FxHashSet;

use super::machine::SimulatedMachine;
use crate::outcome::ObservedOutcome;
use margay_litmus::unfold::UnfoldError;

/// When to give up.
#[derive(Debug, Clone)]
pub struct ExplorationLimits {
    /// The largest number of states.
    pub states: usize,
    /// The time.
    pub deadline: Option<Instant>,
    /// Raised when the exploration should end early.
    pub stop: Arc<AtomicBool>,
}

impl ExplorationLimits {
    /// Is it to end?
    pub fn ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

impl Default for ExplorationLimits {
    fn default() -> Self {
        Self { states: 20_000_000, deadline: None, stop: Arc::default() }
    }
}

/// What was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExploredStates {
    /// Every outcome.
    pub outcomes: BTreeSet<ObservedOutcome>,
    /// How many states there are.
    pub states: usize,
    /// Is there a state in which a thread waits for ever?
    pub stuck: bool,
    /// Was a limit reached, so that there may be more outcomes?
    pub bounded: bool,
}

impl SimulatedMachine {
    /// Visits every state that can be reached.
    pub fn explore(&self, limits: &ExplorationLimits) -> Result<ExploredStates, UnfoldError> {
        let mut found = ExploredStates::default();
        let mut bytes = Vec::new();
        let mut visited: FxHashSet<Box<[u8]>> = FxHashSet::default();
        let mut stack = vec![self.initial().clone()];
        self.initial().encode(&mut bytes);
        visited.insert(bytes.as_slice().into());
        let mut steps = Vec::new();
        let mut outcome = Vec::new();
        let mut ticks = 0u32;
        while let Some(state) = stack.pop() {
            ticks = ticks.wrapping_add(1);
            let late = ticks.is_multiple_of(1024) && limits.ended();
            if late || visited.len() > limits.states {
                found.bounded = true;
                break;
            }
            self.steps(&state, &mut steps);
            if steps.is_empty() {
                if self.done(&state) {
                    self.outcome(&state, &mut outcome);
                    if self.observed().counts(&outcome) {
                        found.outcomes.insert(outcome.clone());
                    }
                } else {
                    found.stuck = true;
                }
                continue;
            }
            for &step in &steps {
                let mut next = state.clone();
                self.take(&mut next, step)?;
                next.encode(&mut bytes);
                if !visited.contains(bytes.as_slice()) {
                    visited.insert(bytes.as_slice().into());
                    stack.push(next);
                }
            }
        }
        found.states = visited.len();
        Ok(found)
    }
}
