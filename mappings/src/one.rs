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
use crate::encode::data::{keys, types};
use crate::language::kind::TYPES;
use crate::language::{Lowering, Mapping};

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The program has no race and cannot have the outcome; what it is compiled to can.
    Counterexample,
    /// The source model allows the outcome.
    SourceAllows,
    /// The program races, so that the source model allows everything.
    Races,
    /// The target model forbids the outcome.
    TargetForbids,
}

impl Answer {
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
    pub answer: Answer,
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

/// Asks about the outcome of a test: of one execution that has it, whose values are all asked for in the compiled program.
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
    let lowerings = lowerings(mapping, &used).ok_or(Refusal::NoRow)?;
    let (target, finals) = compile(mapping, &execution, &used, &lowerings, &finals).ok_or(Refusal::NoRow)?;
    let compiled =
        render(&target, &format!("{}-compiled", test.name), None, &finals).map_err(|e| Refusal::NoTest(e.to_string()))?;
    let allowed = Runner::new(&mapping.target).run(&compiled.test, &options, Choice::Auto).map_err(Refusal::Engine)?.reachable;
    let violation = checks.first().and_then(|&check| explain::violation(&mapping.source, &execution, check));
    Ok(One {
        answer: answer(&said, allowed),
        source: execution,
        violation,
        target: compiled.test,
        allowed,
        target_execution: target,
    })
}

fn answer(source: &Verdict, target_allows: bool) -> Answer {
    match () {
        () if source.racy == Some(true) => Answer::Races,
        () if source.reachable => Answer::SourceAllows,
        () if target_allows => Answer::Counterexample,
        () => Answer::TargetForbids,
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

/// A lowering for each operation, all of them for objects of one type: 32 bits wide, where the mapping tells types apart.
fn lowerings<'a>(mapping: &'a Mapping, used: &[Use]) -> Option<Vec<&'a Lowering>> {
    let all = types(mapping);
    let of_type = |wanted: Option<usize>| -> Option<Vec<&'a Lowering>> {
        let fits = |lowering: &Lowering| {
            let known = keys(lowering, all);
            known.is_empty() || wanted.is_none_or(|wanted| known.iter().any(|key| key.0 == wanted))
        };
        let of = |u: &Use| mapping.rows[u.row].alternatives.iter().find(|l| l.form == u.form && fits(l));
        used.iter().map(of).collect()
    };
    let usual = ["b32", "b64", "b16", "b8"].iter().filter_map(|name| TYPES.iter().position(|t| t == name));
    let types: Vec<Option<usize>> = if all.is_empty() { vec![None] } else { usual.map(Some).collect() };
    types.into_iter().find_map(of_type)
}
