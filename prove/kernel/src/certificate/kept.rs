//! An argument as JSON: steps as objects, and of each refutation the events, the instances and the
//! derivation, a line of text each.

use std::fmt;

use margay_proof::SatLiteral;
use serde::{Deserialize, Serialize};

use crate::argument::{ArgumentProof, Settled, WrittenStep};
use crate::ground::{ClauseOrigin, DerivationStep, ExistenceValue, Refutation};
use crate::logic::clause::MAX_EVENTS;
use crate::logic::{EventAtom, EventTerm, Pred};
use crate::theorem::Inhabitant;

/// A step with the refutations of its obligations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptStep {
    pub step: WrittenStep,
    /// The obligations that it leaves, in order.
    pub obligations: Vec<KeptObligation>,
}

/// A refutation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptObligation {
    /// Are closures taken apart at the end of their chains?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Events that exist: `12: 0 3 -> 5`, the event 5 that sentence 12 of those that claim
    /// existence gives for the events 0 and 3; with `unless 0 1` where the guards of these earlier
    /// ones do not hold.
    pub events: Vec<String>,
    /// Instances: `fact 7: 0 2 1`, of a sentence; `supposed 1: 0`, of what is supposed of this
    /// obligation; `equal 0 2: 5 0 1 2 1`, equal events have the same pairs of a relation.
    pub instances: Vec<String>,
    /// The derivation: `1 -3 | 4 0 2`, a clause in numbered literals, and the clauses that it
    /// follows from.
    pub derived: Vec<String>,
}

/// An execution that satisfies all that is supposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptInhabitant {
    /// What it shows to be possible.
    pub shows: String,
    /// The number of events.
    pub events: usize,
    /// What holds, for each base set and relation in order: a name, `: `, and the events or pairs
    /// of events, e.g. `rf: 1 0, 3 2`.
    pub holds: Vec<String>,
}

/// A line of a certificate that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadKeptLine {
    /// The line or a part of it, and what it is expected to be.
    Malformed { text: String, expected: &'static str },
    /// An event above all that there are.
    NoEvent(usize),
    /// A derived clause with a number that no literal has.
    NoLiteral(String),
}

impl UnreadKeptLine {
    fn malformed(text: &str, expected: &'static str) -> Self {
        Self::Malformed { text: text.to_owned(), expected }
    }
}

impl fmt::Display for UnreadKeptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { text, expected } => write!(f, "`{text}` is no {expected}"),
            Self::NoEvent(event) => write!(f, "there is no event {event}"),
            Self::NoLiteral(line) => write!(f, "`{line}` has a literal that is none"),
        }
    }
}

impl std::error::Error for UnreadKeptLine {}

impl KeptInhabitant {
    /// Keeps an execution.
    pub fn of(inhabitant: &Inhabitant) -> Self {
        let mut holds: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, pair) in &inhabitant.atoms {
            match holds.last_mut() {
                Some((last, pairs)) if *last == name => pairs.push(numbers(pair)),
                _ => holds.push((name, vec![numbers(pair)])),
            }
        }
        let holds = holds
            .into_iter()
            .map(|(name, pairs)| format!("{name}: {}", pairs.join(", ")))
            .collect();
        Self { shows: inhabitant.shows.clone(), events: inhabitant.events, holds }
    }

    /// The execution that was kept.
    ///
    /// # Errors
    /// A line that is none.
    pub fn read(&self) -> Result<Inhabitant, UnreadKeptLine> {
        let mut atoms = Vec::new();
        for line in &self.holds {
            let (name, pairs) = line
                .rsplit_once(": ")
                .ok_or_else(|| UnreadKeptLine::malformed(line, "relation with its pairs"))?;
            for pair in pairs.split(", ") {
                let [a, b] = list(pair)?[..] else {
                    return Err(UnreadKeptLine::malformed(pair, "pair of events"));
                };
                atoms.push((name.to_owned(), [a, b]));
            }
        }
        Ok(Inhabitant { shows: self.shows.clone(), events: self.events, atoms })
    }
}

impl KeptStep {
    /// Keeps a proof.
    pub fn all(proof: &ArgumentProof) -> Vec<Self> {
        let steps = proof.steps.iter().zip(&proof.settled);
        steps
            .map(|(step, settled)| Self {
                step: step.clone(),
                obligations: settled.iter().map(keep).collect(),
            })
            .collect()
    }

    /// The proof that was kept.
    ///
    /// # Errors
    /// A line that is none.
    pub fn proof(steps: &[Self]) -> Result<ArgumentProof, UnreadKeptLine> {
        let settled = steps
            .iter()
            .map(|s| s.obligations.iter().map(read).collect())
            .collect::<Result<_, _>>()?;
        Ok(ArgumentProof { steps: steps.iter().map(|s| s.step.clone()).collect(), settled })
    }
}

fn numbers<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

fn events(terms: &[EventTerm]) -> String {
    numbers(terms.iter().map(|t| t.index()))
}

fn keep(settled: &Settled) -> KeptObligation {
    let Refutation { values, instances, steps } = &settled.refutation;
    let value = |v: &ExistenceValue| {
        let unless = if v.unless.is_empty() {
            String::new()
        } else {
            format!(" unless {}", numbers(&v.unless))
        };
        format!("{}: {} -> {}{unless}", v.source, events(&v.of), v.event.index())
    };
    let instance = |origin: &ClauseOrigin| match origin {
        ClauseOrigin::Fact(fact, at) => format!("fact {fact}: {}", events(at)),
        ClauseOrigin::Supposed(supposed, at) => format!("supposed {supposed}: {}", events(at)),
        ClauseOrigin::Congruence(equality, [has, lacks]) => {
            let pairs = [has.args, lacks.args].concat();
            format!("equal {}: {} {}", events(&equality.args), has.pred.index(), events(&pairs))
        }
        // Those of the question and of values are all made again.
        ClauseOrigin::Question(_) | ClauseOrigin::Value(..) => String::new(),
    };
    KeptObligation {
        apart: settled.apart,
        events: values.iter().map(value).collect(),
        instances: instances.iter().map(instance).collect(),
        derived: steps
            .iter()
            .map(|s| format!("{} | {}", numbers(&s.clause), numbers(&s.hints)))
            .collect(),
    }
}

fn list<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, UnreadKeptLine> {
    text.split_whitespace()
        .map(|w| w.parse().map_err(|_| UnreadKeptLine::malformed(w, "number here")))
        .collect()
}

fn terms(text: &str) -> Result<Vec<EventTerm>, UnreadKeptLine> {
    let event = |n: usize| {
        if n < MAX_EVENTS { Ok(EventTerm::event(n)) } else { Err(UnreadKeptLine::NoEvent(n)) }
    };
    list::<usize>(text)?.into_iter().map(event).collect()
}

fn read(kept: &KeptObligation) -> Result<Settled, UnreadKeptLine> {
    let refutation = Refutation {
        values: kept.events.iter().map(|line| value(line)).collect::<Result<_, _>>()?,
        instances: kept.instances.iter().map(|line| instance(line)).collect::<Result<_, _>>()?,
        steps: kept.derived.iter().map(|line| derived(line)).collect::<Result<_, _>>()?,
    };
    Ok(Settled { what: String::new(), apart: kept.apart, events: 0, possible: true, refutation })
}

fn value(line: &str) -> Result<ExistenceValue, UnreadKeptLine> {
    let bad = || UnreadKeptLine::malformed(line, "event that exists");
    let (source, rest) = line.split_once(": ").ok_or_else(bad)?;
    let (of, rest) = rest.split_once("-> ").ok_or_else(bad)?;
    let (event, unless) = rest.split_once(" unless ").unwrap_or((rest, ""));
    let [event] = terms(event)?[..] else { return Err(bad()) };
    Ok(ExistenceValue {
        source: source.parse().map_err(|_| bad())?,
        of: terms(of)?,
        event,
        unless: list(unless)?,
    })
}

fn instance(line: &str) -> Result<ClauseOrigin, UnreadKeptLine> {
    let bad = || UnreadKeptLine::malformed(line, "instance");
    let (what, at) = line.split_once(':').ok_or_else(bad)?;
    let (kind, number) = what.split_once(' ').ok_or_else(bad)?;
    Ok(match kind {
        "fact" => ClauseOrigin::Fact(number.parse().map_err(|_| bad())?, terms(at)?),
        "supposed" => ClauseOrigin::Supposed(number.parse().map_err(|_| bad())?, terms(at)?),
        "equal" => {
            let [a, b] = terms(number)?[..] else { return Err(bad()) };
            let (pred, pairs) = at.trim_start().split_once(' ').ok_or_else(bad)?;
            let pred = Pred(pred.parse().map_err(|_| bad())?);
            let [s, t, u, v] = terms(pairs)?[..] else { return Err(bad()) };
            ClauseOrigin::Congruence(
                EventAtom { pred: Pred::EQUAL, args: [a, b] },
                [EventAtom { pred, args: [s, t] }, EventAtom { pred, args: [u, v] }],
            )
        }
        _ => return Err(bad()),
    })
}

fn derived(line: &str) -> Result<DerivationStep, UnreadKeptLine> {
    let (clause, hints) =
        line.split_once('|').ok_or_else(|| UnreadKeptLine::malformed(line, "derived clause"))?;
    let clause = SatLiteral::all_of_dimacs(&list(clause)?)
        .ok_or_else(|| UnreadKeptLine::NoLiteral(line.to_owned()))?;
    Ok(DerivationStep { clause, hints: list(hints)? })
}
