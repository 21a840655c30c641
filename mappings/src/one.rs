//! One program: what a mapping makes of it, and whether its outcome is a counterexample. What the search finds is so asked about again after an
//! edit, and a program that somebody wrote is compiled by the rows of a table.

use std::time::Instant;

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::{Error, Options, Verdict};
use margay_litmus::render::render;
use margay_litmus::test::Test;
use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::explain::{self, Violation};

use crate::change::{Use, compile, uses};
use crate::encode::classes::{Key, keys, types};
use crate::language::kind::{Set, TYPES};
use crate::language::{Lowering, Mapping};

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramVerdict {
    /// The program has no race and cannot have the outcome; what it is compiled to can.
    Counterexample,
    /// The source model allows the outcome.
    SourceAllows,
    /// The program races, so that the source model allows everything.
    Races,
    /// The target model forbids the outcome.
    TargetForbids,
}

impl ProgramVerdict {
    /// In words, behind the names of the models.
    pub fn words(self) -> &'static str {
        match self {
            Self::Counterexample => "program: a compiler bug",
            Self::SourceAllows => "the source allows the outcome",
            Self::Races => "the program races, and may do anything",
            Self::TargetForbids => "what it is compiled to cannot have the outcome",
        }
    }
}

/// A program with an outcome, compiled.
#[derive(Debug, Clone)]
pub struct One {
    /// The answer.
    pub answer: ProgramVerdict,
    /// The execution of the source with the outcome, allowed or not.
    pub source: Execution,
    /// Why the source forbids it, if it does.
    pub violation: Option<Violation>,
    /// The compiled program and the outcome, as a litmus test of the target.
    pub target: Test,
    /// What the target model says of it.
    pub allowed: bool,
    /// The same execution of the target; its relations are the source's.
    pub target_execution: Execution,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An engine gave up, or the test does not fit a model.
    Engine(Error),
    /// No execution has the outcome, whatever a model says: no write has the value that is asked for.
    NoExecution,
    /// The mapping has no row for an operation, or none for operations of all its forms on one type.
    NoRow,
    /// What it is compiled to has no litmus test: why.
    NoTest(String),
}

/// Asks about the outcome of a test: of one execution that has it, whose values are all asked for in the compiled program. Where the mapping
/// has several lowerings for an operation, each is tried.
///
/// # Errors
/// See [`Refusal`].
pub fn ask(mapping: &Mapping, test: &Test, deadline: Option<Instant>) -> Result<One, Refusal> {
    let options = Options { deadline, ..Options::default() };
    let mut source = Runner::new(&mapping.source);
    let said = source.run(test, &options, Choice::Auto).map_err(Refusal::Engine)?;
    let (witness, checks) = match said.witness.clone() {
        Some(witness) => (witness, Vec::new()),
        None => {
            let found = source.forbidden(test, &options, Choice::Auto).map_err(Refusal::Engine)?;
            let found = found.ok_or(Refusal::NoExecution)?;
            (found.witness, found.checks)
        }
    };
    let execution = witness.execution;
    let finals = last_writes(&execution, &witness.finals);
    let used = uses(mapping, &execution).ok_or(Refusal::NoRow)?;
    let name = format!("{}-compiled", test.name);
    let mut runner = Runner::new(&mapping.target);
    // The first way in which it goes wrong, or else the first.
    let mut compiled: Option<(Test, Execution, bool)> = None;
    for lowerings in combinations(mapping, &execution, &used) {
        let (target, finals) = compile(mapping, &execution, &used, &lowerings, &finals).ok_or(Refusal::NoRow)?;
        let rendered = render(&target, &name, None, &finals).map_err(|e| Refusal::NoTest(e.to_string()))?.test;
        let allowed = runner.run(&rendered, &options, Choice::Auto).map_err(Refusal::Engine)?.reachable;
        if allowed || compiled.is_none() {
            compiled = Some((rendered, target, allowed));
        }
        if allowed {
            break;
        }
    }
    let (target, target_execution, allowed) = compiled.ok_or(Refusal::NoRow)?;
    let violation = checks.first().and_then(|&check| explain::violation(&mapping.source, &execution, check));
    Ok(One { answer: answer(&said, allowed), source: execution, violation, target, allowed, target_execution })
}

fn answer(source: &Verdict, target_allows: bool) -> ProgramVerdict {
    match () {
        () if source.racy == Some(true) => ProgramVerdict::Races,
        () if source.reachable => ProgramVerdict::SourceAllows,
        () if target_allows => ProgramVerdict::Counterexample,
        () => ProgramVerdict::TargetForbids,
    }
}

/// The last write of each location: the one that is asked for, or that of modification order.
fn last_writes(execution: &Execution, asked: &[Option<Event>]) -> Vec<Option<Event>> {
    let location = |e: Event| execution.events[e.index()].location;
    let is_write = |e: Event| execution.co.pairs().any(|(a, b)| a == e || b == e);
    let last = |l: usize| {
        let mut writes = (0..execution.size()).map(Event::from).filter(|&e| is_write(e) && location(e) == Some(l as u8));
        writes.find(|&e| execution.co.row(e).is_empty())
    };
    (0..execution.locations.len()).map(|l| asked.get(l).copied().flatten().or_else(|| last(l))).collect()
}

/// What an operation may be lowered to, and the types of objects for which it is.
struct Way<'a> {
    lowering: &'a Lowering,
    keys: Vec<Key>,
}

/// The different instructions that a mapping has for an operation: for some types of objects, or kinds of read-modify-writes. Those for 32
/// bits come first.
fn ways<'a>(mapping: &'a Mapping, used: &Use, all: Set) -> Vec<Way<'a>> {
    let mut ways: Vec<Way<'a>> = Vec::new();
    for lowering in mapping.rows[used.row].alternatives.iter().filter(|l| l.form == used.form) {
        let keys = keys(lowering, all);
        match ways.iter_mut().find(|way| way.lowering.steps == lowering.steps) {
            Some(way) => way.keys.extend(keys),
            None => ways.push(Way { lowering, keys }),
        }
    }
    ways.sort_by_key(|way| !way.keys.iter().any(|key| TYPES[key.0] == "b32"));
    ways
}

/// The first operations of a program, compiled; for each location the types that they are all for, if there are any.
struct Begun<'a> {
    lowerings: Vec<&'a Lowering>,
    types: Vec<Option<Vec<Key>>>,
}

/// The most ways to compile a program that are tried.
const MOST_WAYS: usize = 1000;

/// The ways to compile a program: for each operation a lowering, so that each location has a type that all of its operations are for.
fn combinations<'a>(mapping: &'a Mapping, source: &Execution, used: &[Use]) -> Vec<Vec<&'a Lowering>> {
    let all = types(mapping);
    let none: Vec<Option<Vec<Key>>> = vec![None; source.locations.len()];
    let mut found = vec![Begun { lowerings: Vec::new(), types: none }];
    for one in used {
        let ways = ways(mapping, one, all);
        let location = source.events[one.head.index()].location.filter(|_| !all.is_empty()).map(usize::from);
        let mut longer = Vec::new();
        for Begun { lowerings, types } in &found {
            for way in &ways {
                let mut types = types.clone();
                if let Some(location) = location {
                    let common = types[location]
                        .as_ref()
                        .map_or(way.keys.clone(), |before| before.iter().copied().filter(|key| way.keys.contains(key)).collect());
                    if common.is_empty() {
                        continue;
                    }
                    types[location] = Some(common);
                }
                longer.push(Begun { lowerings: [lowerings.as_slice(), &[way.lowering]].concat(), types });
            }
        }
        longer.truncate(MOST_WAYS);
        found = longer;
    }
    found.into_iter().map(|begun| begun.lowerings).collect()
}
