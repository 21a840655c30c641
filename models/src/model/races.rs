//! Races: which models speak of them, and what one means for a program.

use super::{Check, CheckKind, Model, Node, Role, Sort};

/// The definition in which a model says what a race is, without leaving a program undefined for it
/// (docs/cat.md, "Races").
pub const DATA_RACE: &str = "data-race";

/// The name of the check.
const CHECK: &str = "Data-Race";

/// What a race means for its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RaceMeaning {
    /// The program may do anything: `flag ~empty`, `undefined_unless`.
    Undefined,
    /// The program does what the axioms say: `let data-race`.
    Defined,
}

impl Check {
    /// What a program is that an execution shows to race by this check; `None` for checks of
    /// anything else.
    pub fn race_meaning(&self) -> Option<RaceMeaning> {
        match self.role {
            Role::UndefinedUnless => Some(RaceMeaning::Undefined),
            // A flag that negates `empty` makes a program undefined (docs/cat.md, "Flags").
            Role::Flag if self.kind == CheckKind::Empty && self.negated => {
                Some(RaceMeaning::Undefined)
            }
            Role::Race => Some(RaceMeaning::Defined),
            _ => None,
        }
    }
}

impl Model {
    /// What a race means, if the checks of the model ask for any.
    pub fn race_meaning(&self) -> Option<RaceMeaning> {
        let mut meanings = self.checks.iter().filter_map(Check::race_meaning);
        let first = meanings.next()?;
        let undefined = first == RaceMeaning::Undefined
            || meanings.any(|other| other == RaceMeaning::Undefined);
        Some(if undefined { RaceMeaning::Undefined } else { RaceMeaning::Defined })
    }

    /// The model, asking for races: with a check of its relation `data-race`, if it has no check
    /// that leaves programs undefined. `None` if it does not say what a race is.
    #[must_use]
    pub fn asking_for_races(&self) -> Option<Model> {
        if self.race_meaning().is_some() {
            return Some(self.clone());
        }
        let definition = self.definition_named(DATA_RACE)?;
        if self.definition(definition).sort != Sort::Relation {
            return None;
        }
        let mut model = self.clone();
        let place = self.definition(definition).place.clone();
        let expr = model.arena.intern(Node::Definition(definition), Sort::Relation);
        model.checks.push(Check {
            name: Some(CHECK.to_owned()),
            kind: CheckKind::Empty,
            negated: true,
            role: Role::Race,
            expr,
            text: DATA_RACE.to_owned(),
            place,
        });
        Some(model)
    }
}
