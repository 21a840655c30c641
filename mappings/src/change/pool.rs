//! Counterexamples that were found for one mapping, asked of another: does the same program have the same outcome there?
//!
//! That the source forbids the outcome, and that the program is free of races, says nothing about the mapping. So a counterexample
//! refutes every mapping that compiles its program to something that has the outcome, which an engine for litmus tests decides in
//! milliseconds, where a search takes seconds.

use std::collections::{BTreeMap, BTreeSet};

use margay_litmus::engine::Runner;
use margay_litmus::explicit::Options;
use margay_litmus::unfold::Program;
use margay_solver::Limits;

use super::Slot;
use super::compile::{Use, compile, uses};
use crate::check::Counterexample;
use crate::language::{Lowering, Mapping};

/// At most so many mixtures of alternatives are asked about; with more, a program says nothing.
const MIXTURES: usize = 4096;

/// A counterexample, and which rows it uses.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The counterexample, with the mapping that it was found for.
    pub counterexample: Counterexample,
    uses: Vec<Use>,
}

impl Evidence {
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
pub enum Standing {
    /// It does, with these lowerings, each once: no change mends it that leaves all of them as they are.
    Refuted(Vec<Slot>),
    /// It does not.
    Mended,
    /// There are too many mixtures of alternatives to ask about, or a limit was reached.
    Unknown,
}

/// Counterexamples, and the prepared target model.
#[derive(Debug)]
pub struct Pool {
    runner: Runner,
    evidence: Vec<Evidence>,
    /// When to give up.
    limits: Limits,
    /// How many more programs may be run.
    runs: Option<usize>,
    /// What was found out, by counterexample and lowerings of its rows.
    known: BTreeMap<(usize, Vec<String>), Standing>,
}

impl Pool {
    /// An empty pool for mappings to the target of this one.
    pub fn new(mapping: &Mapping) -> Self {
        Self {
            runner: Runner::new(&mapping.target),
            evidence: Vec::new(),
            limits: Limits::default(),
            runs: None,
            known: BTreeMap::new(),
        }
    }

    /// Gives up where these limits are reached, or so many compiled programs were run.
    pub fn limited(self, limits: Limits, runs: Option<usize>) -> Self {
        Self { limits, runs, ..self }
    }

    /// Is a limit reached, so that what is not known stays so?
    pub fn is_spent(&self) -> bool {
        self.runs == Some(0) || self.limits.reached()
    }

    /// Keeps a counterexample of a mapping; gives its number. `None` if it uses what no row is for.
    pub fn add(&mut self, mapping: &Mapping, counterexample: Counterexample) -> Option<usize> {
        let uses = uses(mapping, &counterexample.source)?;
        self.evidence.push(Evidence { counterexample, uses });
        Some(self.evidence.len() - 1)
    }

    /// A counterexample, by its number.
    pub fn get(&self, index: usize) -> &Evidence {
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
        order.into_iter().find(|&i| matches!(self.standing(mapping, i), Standing::Refuted(_)))
    }

    /// Does a mapping let the program of a counterexample have its outcome?
    pub fn standing(&mut self, mapping: &Mapping, index: usize) -> Standing {
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

    fn run(&mut self, mapping: &Mapping, index: usize) -> Standing {
        let Evidence { counterexample, uses } = &self.evidence[index];
        let choices: Vec<Vec<Slot>> = uses.iter().map(|used| different(mapping, used)).collect();
        let count = choices.iter().try_fold(1_usize, |n, c| n.checked_mul(c.len())).filter(|&n| n <= MIXTURES);
        let Some(count) = count else { return Standing::Unknown };
        for mut number in 0..count {
            if self.runs == Some(0) || self.limits.reached() {
                return Standing::Unknown;
            }
            self.runs = self.runs.map(|runs| runs - 1);
            let slots: Vec<Slot> = choices
                .iter()
                .map(|c| {
                    let chosen = c[number % c.len()];
                    number /= c.len();
                    chosen
                })
                .collect();
            let lowerings: Vec<&Lowering> = slots.iter().map(|slot| slot.lowering(mapping)).collect();
            let source = &counterexample.source;
            let compiled = compile(mapping, source, uses, &lowerings, &counterexample.finals);
            let program = compiled.and_then(|(target, finals)| Program::of(&target, &finals).ok());
            if program.is_some_and(|p| self.runner.run_program(&p, &Options::default()).is_ok_and(|v| v.reachable)) {
                let slots: BTreeSet<Slot> = slots.into_iter().collect();
                return Standing::Refuted(slots.into_iter().collect());
            }
        }
        Standing::Mended
    }
}

/// The alternatives that an operation may become, one for each sequence of instructions and dependencies.
fn different(mapping: &Mapping, used: &Use) -> Vec<Slot> {
    let of_form = (0..mapping.rows[used.row].alternatives.len()).map(|alternative| Slot { row: used.row, alternative });
    let mut out: Vec<Slot> = Vec::new();
    for slot in of_form.filter(|slot| used.allows(slot.lowering(mapping))) {
        let emitted = |slot: &Slot| (&slot.lowering(mapping).steps, slot.lowering(mapping).dependencies);
        if !out.iter().any(|known| emitted(known) == emitted(&slot)) {
            out.push(slot);
        }
    }
    out
}
