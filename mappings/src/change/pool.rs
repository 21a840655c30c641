//! Counterexamples that were found for one mapping, asked of another: does the same program have
//! the same outcome there?
//!
//! That the source forbids the outcome, and that the program is free of races, says nothing about
//! the mapping. So a counterexample refutes every mapping that compiles its program to something
//! that has the outcome, which an engine for litmus tests decides in milliseconds, where a search
//! takes seconds.

use std::collections::{BTreeMap, BTreeSet};

use margay_litmus::engine::Runner;
use margay_litmus::explicit::Options;
use margay_litmus::unfold::ExecutionProgram;
use margay_solver::SolverLimits;

use super::LoweringSlot;
use super::compile::{OperationUse, compile, uses};
use crate::check::Counterexample;
use crate::encode::classes::{ObjectWidth, keys, types};
use crate::language::kind::KindSet;
use crate::language::{Lowering, Mapping};

/// At most so many mixtures of alternatives are asked about; with more, a program says nothing.
const MIXTURES: usize = 4096;

/// A counterexample, and which rows it uses.
#[derive(Debug, Clone)]
pub struct PoolEvidence {
    /// The counterexample, with the mapping that it was found for.
    pub counterexample: Counterexample,
    uses: Vec<OperationUse>,
}

impl PoolEvidence {
    /// The rows whose change might help, by index, in order of use.
    pub fn rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.uses.iter().map(|u| u.row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Does a mapping let the program of a counterexample have its outcome?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutcomePermission {
    /// It does, with these lowerings, each once: no change mends it that leaves all of them as they
    /// are.
    Refuted(Vec<LoweringSlot>),
    /// It does not.
    Mended,
    /// There are too many mixtures of alternatives to ask about, a limit was reached, or the
    /// program cannot be run.
    Unknown,
}

/// Counterexamples, and the prepared target model.
#[derive(Debug)]
pub struct CounterexamplePool {
    runner: Runner,
    evidence: Vec<PoolEvidence>,
    /// When to give up.
    limits: SolverLimits,
    /// How many more programs may be run.
    runs: Option<usize>,
    /// What was found out, by counterexample and lowerings of its rows.
    known: BTreeMap<(usize, Vec<String>), OutcomePermission>,
    /// Of compiled programs, by counterexample and the lowering of each operation: does it have the
    /// outcome?
    outcomes: BTreeMap<(usize, Vec<String>), bool>,
}

impl CounterexamplePool {
    /// An empty pool for mappings to the target of this one.
    pub fn new(mapping: &Mapping) -> Self {
        Self {
            runner: Runner::new(&mapping.target),
            evidence: Vec::new(),
            limits: SolverLimits::default(),
            runs: None,
            known: BTreeMap::new(),
            outcomes: BTreeMap::new(),
        }
    }

    /// Gives up where these limits are reached, or so many compiled programs were run.
    pub fn limited(self, limits: SolverLimits, runs: Option<usize>) -> Self {
        Self { limits, runs, ..self }
    }

    /// Is a limit reached, so that what is not known stays so?
    pub fn is_spent(&self) -> bool {
        self.runs == Some(0) || self.limits.reached()
    }

    /// Keeps a counterexample of a mapping; gives its number. `None` if it uses what no row is for.
    pub fn add(&mut self, mapping: &Mapping, counterexample: Counterexample) -> Option<usize> {
        let uses = uses(mapping, &counterexample.source)?;
        self.evidence.push(PoolEvidence { counterexample, uses });
        Some(self.evidence.len() - 1)
    }

    /// A counterexample, by its number.
    pub fn get(&self, index: usize) -> &PoolEvidence {
        &self.evidence[index]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.evidence.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.evidence.is_empty()
    }

    /// The first counterexample that refutes a mapping, the smallest first.
    pub fn refutes(&mut self, mapping: &Mapping) -> Option<usize> {
        let mut order: Vec<usize> = (0..self.evidence.len()).collect();
        order.sort_by_key(|&i| self.evidence[i].counterexample.events);
        order
            .into_iter()
            .find(|&i| matches!(self.standing(mapping, i), OutcomePermission::Refuted(_)))
    }

    /// Does a mapping let the program of a counterexample have its outcome?
    pub fn standing(&mut self, mapping: &Mapping, index: usize) -> OutcomePermission {
        let rows = self.evidence[index].rows();
        let text = |&row: &usize| {
            mapping.rows[row]
                .alternatives
                .iter()
                .map(|l| mapping.rows[row].lowering_text(mapping.target.signature, l))
                .collect::<Vec<_>>()
                .join(" or ")
        };
        let key = (index, rows.iter().map(text).collect());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let answer = self.run(mapping, index);
        self.known.insert(key, answer.clone());
        answer
    }

    fn run(&mut self, mapping: &Mapping, index: usize) -> OutcomePermission {
        match self.search(mapping, index) {
            Some(Some(mixture)) => {
                let slots: BTreeSet<LoweringSlot> = mixture.into_iter().collect();
                OutcomePermission::Refuted(slots.into_iter().collect())
            }
            Some(None) => OutcomePermission::Mended,
            None => OutcomePermission::Unknown,
        }
    }

    /// The lowering of each operation with which the program of a counterexample has its outcome,
    /// where it has.
    pub fn mixture(&mut self, mapping: &Mapping, index: usize) -> Option<Vec<LoweringSlot>> {
        self.search(mapping, index).flatten()
    }

    /// The first mixture of lowerings with which the program has its outcome, or that there is
    /// none; `None` if it is not known.
    fn search(&mut self, mapping: &Mapping, index: usize) -> Option<Option<Vec<LoweringSlot>>> {
        let PoolEvidence { counterexample, uses } = &self.evidence[index];
        let types = types(mapping);
        let choices: Vec<Vec<Alternative>> =
            uses.iter().map(|used| different(mapping, used, types)).collect();
        let count = choices
            .iter()
            .try_fold(1_usize, |n, c| n.checked_mul(c.len()))
            .filter(|&n| n <= MIXTURES)?;
        let locations: Vec<Option<u16>> = uses
            .iter()
            .map(|used| counterexample.source.events[used.head.index()].location)
            .collect();
        for mut number in 0..count {
            let chosen: Vec<&Alternative> = choices
                .iter()
                .map(|c| {
                    let chosen = &c[number % c.len()];
                    number /= c.len();
                    chosen
                })
                .collect();
            if !is_typed(&chosen, &locations) {
                continue;
            }
            let slots: Vec<LoweringSlot> =
                chosen.iter().map(|alternative| alternative.slot).collect();
            let lowerings: Vec<&Lowering> =
                slots.iter().map(|slot| slot.lowering(mapping)).collect();
            if self.runs_to(mapping, index, &lowerings)? {
                return Some(Some(slots));
            }
        }
        Some(None)
    }

    /// Does the program of a counterexample have its outcome if its operations are lowered so?
    /// `None` if a limit is reached, or the program cannot be run.
    pub fn has_outcome(
        &mut self,
        mapping: &Mapping,
        index: usize,
        lowerings: &[Lowering],
    ) -> Option<bool> {
        self.runs_to(mapping, index, &lowerings.iter().collect::<Vec<_>>())
    }

    fn runs_to(
        &mut self,
        mapping: &Mapping,
        index: usize,
        lowerings: &[&Lowering],
    ) -> Option<bool> {
        let PoolEvidence { counterexample, uses } = &self.evidence[index];
        let text = |(used, lowering): (&OperationUse, &&Lowering)| {
            mapping.rows[used.row].lowering_text(mapping.target.signature, lowering)
        };
        let key = (index, uses.iter().zip(lowerings).map(text).collect());
        if let Some(known) = self.outcomes.get(&key) {
            return Some(*known);
        }
        if self.runs == Some(0) || self.limits.reached() {
            return None;
        }
        self.runs = self.runs.map(|runs| runs - 1);
        let (target, finals) =
            compile(mapping, &counterexample.source, uses, lowerings, &counterexample.finals)?;
        let program = ExecutionProgram::of(&target, &finals).ok()?;
        let has = self.runner.run_program(&program, &Options::default()).ok()?.reachable;
        self.outcomes.insert(key, has);
        Some(has)
    }
}

/// A way to lower an operation, and the types of objects that it is for.
struct Alternative {
    slot: LoweringSlot,
    keys: Vec<ObjectWidth>,
}

/// The alternatives that an operation may become, one for each sequence of instructions and
/// dependencies.
fn different(mapping: &Mapping, used: &OperationUse, types: KindSet) -> Vec<Alternative> {
    let of_form = (0..mapping.rows[used.row].alternatives.len())
        .map(|alternative| LoweringSlot { row: used.row, alternative });
    let mut out: Vec<Alternative> = Vec::new();
    for slot in of_form.filter(|slot| used.allows(slot.lowering(mapping))) {
        let emitted = |slot: &LoweringSlot| {
            (&slot.lowering(mapping).steps, slot.lowering(mapping).dependencies)
        };
        let keys = keys(slot.lowering(mapping), types);
        match out.iter_mut().find(|known| emitted(&known.slot) == emitted(&slot)) {
            Some(known) => known.keys.extend(keys),
            None => out.push(Alternative { slot, keys }),
        }
    }
    out
}

/// Is there for each location a type of object that all its operations are for? No program has
/// others. A mapping without types has none to ask for.
fn is_typed(chosen: &[&Alternative], locations: &[Option<u16>]) -> bool {
    chosen.iter().zip(locations).enumerate().all(|(i, (first, location))| {
        let here = || {
            chosen
                .iter()
                .zip(locations)
                .filter(|(a, other)| *other == location && !a.keys.is_empty())
        };
        // Each location once, at the first of its operations.
        let earlier = chosen[..i]
            .iter()
            .zip(locations)
            .any(|(a, other)| other == location && !a.keys.is_empty());
        location.is_none()
            || first.keys.is_empty()
            || earlier
            || first.keys.iter().any(|key| here().all(|(a, _)| a.keys.contains(key)))
    })
}
