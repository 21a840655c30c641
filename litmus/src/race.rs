//! The race of an execution that shows that a program races: the accesses in it, where they stand,
//! and why the model calls them one.

use margay_models::bits::Event;
use margay_models::diagnostic::SourceFile;
use margay_models::execution::Execution;
use margay_models::explain::{self, Contradiction, Violation};
use margay_models::model::{Model, RaceMeaning};
use margay_models::picture::{Picture, event_label, event_name};

use crate::test::{Place, ThreadId};
use crate::verdict::Witness;

/// What a race means, in a sentence.
pub fn meaning(of: RaceMeaning) -> &'static str {
    match of {
        RaceMeaning::Undefined => {
            "The behaviour of a program with a race is undefined: it may do anything, whatever is said of the outcome."
        }
        RaceMeaning::Defined => {
            "A race leaves a program of PTX its meaning: what is said of the outcome stands (PTX ISA 8.7.2, for accesses that overlap \
             completely)."
        }
    }
}

/// A race, or another reason why the model says that a program is undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The check of the model that says so.
    pub check: String,
    /// What it means for the program.
    pub meaning: RaceMeaning,
    /// The accesses: two, or one where the model speaks of single events.
    pub accesses: Vec<RacingAccess>,
    /// Why they are one, in the words of the model.
    pub why: Vec<String>,
}

/// An access in a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacingAccess {
    /// Its name in pictures.
    pub name: String,
    /// What it is, in the field's notation.
    pub event: String,
    pub thread: ThreadId,
    /// Where it stands.
    pub place: Place,
}

impl Race {
    /// The race of a witness of [`crate::explicit::TestVerdict::race`]; `None` if no check of the
    /// model shows one.
    pub fn of(model: &Model, witness: &Witness) -> Option<Self> {
        let x = &witness.execution;
        let (violation, meaning) = found(model, x)?;
        let mut events: Vec<Event> = match &violation.finding {
            Contradiction::Pair(pair) => vec![pair.from, pair.to],
            Contradiction::Member(event) => vec![*event],
            Contradiction::Cycle(steps) => steps.iter().map(|s| s.from).collect(),
            Contradiction::Nothing => Vec::new(),
        };
        events.sort_by_key(|e| e.index());
        events.dedup();
        let access = |e: &Event| {
            let thread = ThreadId(x.events[e.index()].thread?);
            let place = *witness.places.get(e.index())?;
            Some(RacingAccess { name: event_name(x, *e), event: event_label(x, *e), thread, place })
        };
        let accesses = events.iter().filter_map(access).collect();
        Some(Self {
            check: violation.name.clone(),
            meaning,
            accesses,
            why: violation.words(&|e| event_name(x, e)),
        })
    }

    /// The execution of such a witness, with the two accesses and why they race.
    pub fn picture(title: &str, model: &Model, witness: &Witness) -> Picture {
        let race = found(model, &witness.execution).map(|(violation, _)| violation);
        Picture::of(title, &witness.execution, race.as_ref())
    }

    /// The accesses, and that nothing orders them, in a sentence.
    pub fn sentence(&self, test: &SourceFile) -> String {
        let access = |a: &RacingAccess| {
            let line = test.position(a.place.0.start).0;
            format!("{} (P{}, line {line}, `{}`)", a.event, a.thread.0, a.place.text(test))
        };
        match self.accesses.as_slice() {
            [a, b] if self.meaning == RaceMeaning::Undefined => {
                format!("{} and {} race: nothing orders them.", access(a), access(b))
            }
            [a, b] => {
                format!(
                    "{} and {} race: causality does not order them, and they are not morally strong.",
                    access(a),
                    access(b)
                )
            }
            others => {
                let all: Vec<String> = others.iter().map(access).collect();
                format!("The model calls it undefined ({}): {}.", self.check, all.join(", "))
            }
        }
    }
}

/// What the first check of races finds in an execution, and what it means.
fn found(model: &Model, x: &Execution) -> Option<(Violation, RaceMeaning)> {
    let mut of_races =
        model.checks.iter().enumerate().filter_map(|(i, check)| Some((i, check.race_meaning()?)));
    of_races.find_map(|(check, meaning)| Some((explain::violation(model, x, check)?, meaning)))
}
