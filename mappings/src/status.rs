//! What follows from an execution that the source model forbids and the target allows: a compiler
//! bug, or less. The program that the execution is of, and its outcome, go to the engines, which
//! ask all executions of the program under the source model: does one race, does one have the
//! outcome?

use std::time::Instant;

use margay_litmus::engine::Runner;
use margay_litmus::explicit::{Options, TestVerdict, Witness as Race};
use margay_litmus::unfold::ExecutionProgram;
use margay_models::bits::Event;
use margay_models::execution::{Execution, Kind};
use margay_models::explain::{Contradiction, violation};
use margay_models::model::Model;
use serde::{Deserialize, Serialize};

use crate::encode::AxiomId;
use crate::language::Mapping;
use crate::level::Level;
use crate::witness::WitnessPair;

/// What follows from a counterexample. In the order of what a reader wants to see first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its program has no race, and no execution of it has the outcome: the compiled program does
    /// what the source forbids.
    Program,
    /// A limit was reached before its program was asked about.
    Unknown,
    /// Its program has no race, and another execution of it has the outcome: reads-from is the
    /// same, modification order is another.
    Explained,
    /// Its program races, so the source says nothing of what it does.
    Racy,
}

impl Status {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Unknown => "unknown",
            Self::Explained => "explained",
            Self::Racy => "racy",
        }
    }

    /// Name and meaning, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Program => "program: a compiler bug",
            Self::Unknown => "unknown: a limit was reached before its program was asked about",
            Self::Explained => {
                "explained: another modification order allows the outcome, so no compiler bug follows"
            }
            Self::Racy => "racy: its program is undefined, so no compiler bug follows",
        }
    }

    /// Does a compiler bug follow?
    pub fn is_bug(self) -> bool {
        self == Self::Program
    }
}

/// What was found out about a program with an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramStanding {
    /// What follows.
    pub status: Status,
    /// Where it races: two of its events.
    pub race: Option<[Event; 2]>,
}

/// At most so many reads are tried as guards in every choice; with more of them, all or none.
const GUARDS: u32 = 10;

/// Asks about programs under one source model.
pub struct Examiner<'a> {
    model: &'a Model,
    runner: Runner,
    deadline: Option<Instant>,
}

impl<'a> Examiner<'a> {
    /// Prepares a source model.
    pub fn new(model: &'a Model, deadline: Option<Instant>) -> Self {
        Self { model, runner: Runner::new(model), deadline }
    }

    /// What follows from one execution, which the model forbids, of a program with an outcome.
    pub fn program(&mut self, execution: &Execution, finals: &[Option<Event>]) -> ProgramStanding {
        let unknown = ProgramStanding { status: Status::Unknown, race: None };
        let Ok(program) = ExecutionProgram::of(execution, finals) else { return unknown };
        let options = Options { deadline: self.deadline, ..Options::default() };
        match self.runner.run_program(&program, &options) {
            Ok(TestVerdict { race: Some(race), .. }) => {
                ProgramStanding { status: Status::Racy, race: self.where_it_races(&program, &race) }
            }
            Ok(TestVerdict { reachable: true, .. }) => {
                ProgramStanding { status: Status::Explained, race: None }
            }
            Ok(TestVerdict { bounded: false, .. }) => {
                ProgramStanding { status: Status::Program, race: None }
            }
            Ok(_) | Err(_) => unknown,
        }
    }

    /// What follows from a counterexample among single executions. Nothing in it says on what its
    /// operations depend. So the programs in which reads guard the rest of their threads are asked
    /// about, too: guards take executions away, and with them races. Where they make the program a
    /// compiler bug, the witness gets the fewest that do.
    pub fn witness(
        &mut self,
        mapping: &Mapping,
        questions: &[AxiomId],
        witness: &mut WitnessPair,
    ) -> ProgramStanding {
        let plain = self.program(&witness.source, &witness.finals);
        if plain.status != Status::Racy {
            return plain;
        }
        let reads = guarding(&witness.source);
        let choices: Vec<u64> = match reads.len() as u32 {
            n if n > GUARDS => vec![u64::MAX],
            n => (1..1u64 << n).collect(),
        };
        let Some(&every) = choices.last() else { return plain };
        // If guards everywhere leave a race or an explanation, fewer do.
        let all = guarded(witness, &reads, every);
        if matches!(self.program(&all.source, &all.finals).status, Status::Racy | Status::Explained)
        {
            return plain;
        }
        let mut by_number = choices;
        by_number.sort_by_key(|choice| choice.count_ones());
        for choice in by_number {
            let changed = guarded(witness, &reads, choice);
            // The target minds dependencies, and a source may.
            if changed.confirm(mapping, questions, Level::Execution).is_err() {
                continue;
            }
            let standing = self.program(&changed.source, &changed.finals);
            if standing.status == Status::Program {
                *witness = changed;
                return standing;
            }
        }
        plain
    }

    /// The two events of the execution that race in another one of its program.
    fn where_it_races(&self, program: &ExecutionProgram, race: &Race) -> Option<[Event; 2]> {
        let mut checks =
            (0..self.model.checks.len()).filter(|&i| self.model.checks[i].is_undefined_behaviour());
        let found = checks.find_map(|i| violation(self.model, &race.execution, i))?;
        let Contradiction::Pair(pair) = found.finding else { return None };
        let origins = program.origins(&race.paths)?;
        let of = |e: Event| origins.get(e.index()).copied().flatten();
        Some([of(pair.from)?, of(pair.to)?])
    }
}

/// Reads with something behind them in their thread, on which nothing depends yet.
fn guarding(source: &Execution) -> Vec<Event> {
    let later = |r: Event| source.po.row(r).iter().any(|e| !source.rmw.contains(r, e));
    let reads =
        (0..source.size()).map(Event::from).filter(|e| source.events[e.index()].kind == Kind::Read);
    reads.filter(|&r| later(r) && source.ctrl.row(r).is_empty()).collect()
}

/// The same two executions of the program in which the chosen reads guard the rest of their
/// threads.
fn guarded(witness: &WitnessPair, reads: &[Event], choice: u64) -> WitnessPair {
    let mut out = witness.clone();
    for (_, &read) in reads.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1) {
        let is_read = |t: &usize| {
            let data = &witness.target.events[*t];
            witness.origin[*t] == read && data.kind == Kind::Read && !data.unused
        };
        let target_read = (0..witness.origin.len()).find(is_read).map(Event::from);
        for e in
            witness.source.po.row(read).iter().filter(|&e| !witness.source.rmw.contains(read, e))
        {
            out.source.ctrl.insert(read, e);
            let compiled =
                (0..witness.origin.len()).filter(|&t| witness.origin[t] == e).map(Event::from);
            for t in compiled {
                if let Some(r) = target_read {
                    out.target.ctrl.insert(r, t);
                }
            }
        }
    }
    out
}
