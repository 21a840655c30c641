//! A refutation of an obligation: which instances of what is known contradict it, and how. It is
//! true in an execution of any size, since every instance is; and it can be checked without a
//! solver.

use std::fmt;

use margay_proof::SatLiteral;

use super::clauses::{ClauseOrigin, ExistenceValue, GroundClauses, Obligation, is_congruence};
use super::derivation::{DerivationFlaw, DerivationStep, check};
use crate::logic::EventTerm;
use crate::logic::clause::MAX_EVENTS;
use crate::theory::{SentenceReason, Theory};

/// What contradicts an obligation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refutation {
    /// The events that exist besides those that it speaks of.
    pub values: Vec<ExistenceValue>,
    /// The clauses that are used, other than those of the question and of the values.
    pub instances: Vec<ClauseOrigin>,
    /// The numbers of clauses of the question and the values that are used.
    pub steps: Vec<DerivationStep>,
}

/// Why a refutation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefutationFlaw {
    /// The theory has no existence of this number.
    UnknownExistence,
    /// An existence has other variables than it is given events.
    OtherNumberOfEvents,
    /// A choice among cases makes no event, so that it has none to share with another one.
    ChoiceYields,
    /// The number of an event that is above all that there are.
    EventOutOfRange(usize),
    /// An event depends on itself or on one behind it.
    DependsOnLaterEvent,
    /// A new event has the number of one that is there.
    EventIsNotNew,
    /// What an event yields to makes another event, or comes behind it.
    ValuesDoNotGoTogether,
    /// An event is made twice, and one of the two does not yield to the other.
    TwoValuesAtOnce,
    /// An instance of no fact, supposition or congruence.
    UnknownInstance,
    /// The clauses are those of the theory, and the derivation from them is wrong.
    Derivation(DerivationFlaw),
}

impl fmt::Display for RefutationFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownExistence => "it names an existence that is not there",
            Self::OtherNumberOfEvents => "an existence is for another number of events",
            Self::ChoiceYields => "a choice among cases yields to something",
            Self::EventOutOfRange(event) => {
                return write!(
                    f,
                    "an event that exists has the number {event}, and there are {MAX_EVENTS} events at most"
                );
            }
            Self::DependsOnLaterEvent => "an event exists for one that comes later",
            Self::EventIsNotNew => "an event that exists is none of its own",
            Self::ValuesDoNotGoTogether => {
                "an event is the value of functions that do not go together"
            }
            Self::TwoValuesAtOnce => "an event is the value of two functions at once",
            Self::UnknownInstance => "it names an instance of nothing that is known",
            Self::Derivation(flaw) => return flaw.fmt(f),
        })
    }
}

impl std::error::Error for RefutationFlaw {}

/// The clauses of an obligation: those of the question, of the values, and the instances.
pub fn clauses(
    theory: &Theory,
    obligation: &Obligation,
    values: &[ExistenceValue],
    instances: &[ClauseOrigin],
) -> GroundClauses {
    let mut clauses = GroundClauses::default();
    clauses.question(obligation);
    clauses.values(theory, values);
    for origin in instances {
        match origin {
            ClauseOrigin::Fact(i, at) => {
                clauses.instance(&theory.facts[*i].clause, at, origin.clone())
            }
            ClauseOrigin::Supposed(i, at) => {
                clauses.instance(&obligation.suppositions[*i].clause, at, origin.clone())
            }
            ClauseOrigin::Congruence(equality, atoms) => clauses.congruence(*equality, *atoms),
            ClauseOrigin::Question(_) | ClauseOrigin::Value(..) => {}
        }
    }
    clauses
}

impl Refutation {
    /// Does it refute the obligation, by what the theory has?
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, theory: &Theory, obligation: &Obligation) -> Result<(), RefutationFlaw> {
        let mut events = obligation.events;
        for (at, value) in self.values.iter().enumerate() {
            let source =
                theory.sources.get(value.source).ok_or(RefutationFlaw::UnknownExistence)?;
            if value.of.len() != usize::from(source.existence.variables) {
                return Err(RefutationFlaw::OtherNumberOfEvents);
            }
            if source.existence.events == 0 {
                // A choice among cases makes no event.
                if !value.unless.is_empty() {
                    return Err(RefutationFlaw::ChoiceYields);
                }
                continue;
            }
            let last = value.event.index() + usize::from(source.existence.events);
            if last > MAX_EVENTS {
                return Err(RefutationFlaw::EventOutOfRange(last - 1));
            }
            let is_new = value.unless.is_empty();
            // An event depends on earlier ones alone.
            if value.of.iter().any(|t| t.as_variable().is_some() || *t >= value.event) {
                return Err(RefutationFlaw::DependsOnLaterEvent);
            }
            if is_new {
                if value.event.index() < events {
                    return Err(RefutationFlaw::EventIsNotNew);
                }
                events = last;
            } else if source.existence.events != 1
                || value.unless.iter().any(|&u| u >= at || self.values[u].event != value.event)
            {
                return Err(RefutationFlaw::ValuesDoNotGoTogether);
            }
        }
        self.unless_is_complete(theory)?;
        let inside = |terms: &[EventTerm]| terms.iter().all(|t| t.as_variable().is_none());
        for origin in &self.instances {
            let fits = match origin {
                ClauseOrigin::Fact(i, at) => theory
                    .facts
                    .get(*i)
                    .is_some_and(|f| usize::from(f.clause.variables) == at.len() && inside(at)),
                ClauseOrigin::Supposed(i, at) => obligation
                    .suppositions
                    .get(*i)
                    .is_some_and(|s| usize::from(s.clause.variables) == at.len() && inside(at)),
                ClauseOrigin::Congruence(equality, atoms) => is_congruence(*equality, *atoms),
                ClauseOrigin::Question(_) | ClauseOrigin::Value(..) => false,
            };
            if !fits {
                return Err(RefutationFlaw::UnknownInstance);
            }
        }
        let all = clauses(theory, obligation, &self.values, &self.instances);
        let given: Vec<Vec<SatLiteral>> = all.list.into_iter().map(|c| c.0).collect();
        check(&given, &self.steps).map_err(RefutationFlaw::Derivation)
    }

    /// The values of one event are in an order, and each yields to all that come before.
    fn unless_is_complete(&self, theory: &Theory) -> Result<(), RefutationFlaw> {
        let makes = |v: &ExistenceValue| theory.sources[v.source].existence.events > 0;
        for (at, value) in self.values.iter().enumerate().filter(|(_, v)| makes(v)) {
            let same: Vec<usize> = (0..at)
                .filter(|&u| makes(&self.values[u]) && self.values[u].event == value.event)
                .collect();
            if same != value.unless {
                return Err(RefutationFlaw::TwoValuesAtOnce);
            }
        }
        Ok(())
    }

    /// The claims of earlier steps that it uses: the number of the step, and of the claim in it.
    pub fn lemmas<'a>(&'a self, theory: &'a Theory) -> impl Iterator<Item = (usize, usize)> + 'a {
        let facts = self.instances.iter().filter_map(|o| match o {
            ClauseOrigin::Fact(i, _) => Some(&theory.facts[*i].reason),
            _ => None,
        });
        let sources = self.values.iter().map(|v| &theory.sources[v.source].reason);
        facts.chain(sources).filter_map(|r| match r {
            SentenceReason::Lemma(step, claim) => Some((*step, *claim)),
            _ => None,
        })
    }

    /// The claims of the same step that an induction supposes of earlier pairs.
    pub fn supposed<'a>(&'a self, obligation: &'a Obligation) -> impl Iterator<Item = usize> + 'a {
        self.instances.iter().filter_map(|o| match o {
            ClauseOrigin::Supposed(i, _) => obligation.suppositions[*i].claim,
            _ => None,
        })
    }
}
