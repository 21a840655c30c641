//! The race of an execution that shows that a program is undefined: the accesses in it, where they stand, and why the model calls them one.

use margay_models::bits::Event;
use margay_models::diagnostic::SourceFile;
use margay_models::explain::{self, Finding};
use margay_models::model::{CheckKind, Model, Role};
use margay_models::picture::{event_label, event_name};

use crate::test::{Place, ThreadId};
use crate::verdict::Witness;

/// What a race means, in a sentence.
pub const MEANING: &str =
    "The behaviour of a program with a race is undefined: it may do anything, whatever is said of the outcome.";

/// A race, or another reason why the model says that a program is undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The check of the model that says so.
    pub check: String,
    /// The accesses: two, or one where the model speaks of single events.
    pub accesses: Vec<Access>,
    /// Why they are one, in the words of the model.
    pub why: Vec<String>,
}

/// An access in a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Its name in pictures.
    pub name: String,
    /// What it is, in the field's notation.
    pub event: String,
    /// Its thread.
    pub thread: ThreadId,
    /// Where it stands.
    pub place: Place,
}

impl Race {
    /// The race of a witness of [`crate::explicit::Verdict::race`]; `None` if no check of the model shows one.
    pub fn of(model: &Model, witness: &Witness) -> Option<Self> {
        let x = &witness.execution;
        let says_undefined = |i: &usize| {
            let check = &model.checks[*i];
            check.role == Role::UndefinedUnless || check.role == Role::Flag && check.kind == CheckKind::Empty && check.negated
        };
        let violation = (0..model.checks.len()).filter(says_undefined).find_map(|check| explain::violation(model, x, check))?;
        let mut events: Vec<Event> = match &violation.finding {
            Finding::Pair(pair) => vec![pair.from, pair.to],
            Finding::Member(event) => vec![*event],
            Finding::Cycle(steps) => steps.iter().map(|s| s.from).collect(),
            Finding::Nothing => Vec::new(),
        };
        events.sort_by_key(|e| e.index());
        events.dedup();
        let access = |e: &Event| {
            let thread = ThreadId(x.events[e.index()].thread?);
            let place = *witness.places.get(e.index())?;
            Some(Access { name: event_name(x, *e), event: event_label(x, *e), thread, place })
        };
        let accesses = events.iter().filter_map(access).collect();
        Some(Self { check: violation.name.clone(), accesses, why: violation.words(&|e| event_name(x, e)) })
    }

    /// The accesses, and that nothing orders them, in a sentence.
    pub fn sentence(&self, test: &SourceFile) -> String {
        let access = |a: &Access| {
            let line = test.position(a.place.0.start).0;
            format!("{} (P{}, line {line}, `{}`)", a.event, a.thread.0, a.place.text(test))
        };
        match self.accesses.as_slice() {
            [a, b] => format!("{} and {} race: nothing orders them.", access(a), access(b)),
            others => {
                let all: Vec<String> = others.iter().map(access).collect();
                format!("The model calls it undefined ({}): {}.", self.check, all.join(", "))
            }
        }
    }
}
