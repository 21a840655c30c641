//! Which axioms count: optional ones taken in, others left out.

use super::{Check, CheckKind, Model, RaceMeaning, Role};
use crate::diagnostic::{Diagnostic, nearest};

impl Check {
    /// Is it an axiom that restricts nothing unless it is asked for: `flag ~acyclic`,
    /// `flag ~irreflexive` (docs/cat.md, "Checks, and what follows from them")?
    pub fn is_optional_axiom(&self) -> bool {
        self.role == Role::Flag && self.negated && self.kind != CheckKind::Empty
    }

    /// Is it an axiom that a search may be asked about: one that restricts executions, or an
    /// optional one?
    pub fn may_be_asked(&self) -> bool {
        self.role == Role::Axiom || self.is_optional_axiom()
    }

    /// Does it say when a program is undefined (`flag ~empty race`, `undefined_unless`)?
    pub fn is_undefined_behaviour(&self) -> bool {
        self.race_meaning() == Some(RaceMeaning::Undefined)
    }
}

impl Model {
    /// The checks that are asked about: those with one of the names, or all axioms if there is no
    /// name. As indices, in the order of the text.
    ///
    /// # Errors
    /// Names of no axiom; a model without axioms.
    pub fn asked_axioms(&self, names: &[String]) -> Result<Vec<usize>, Vec<Diagnostic>> {
        let (mut asked, mut errors) = (Vec::new(), Vec::new());
        if names.is_empty() {
            asked.extend((0..self.checks.len()).filter(|&i| self.checks[i].role == Role::Axiom));
            if asked.is_empty() {
                errors.push(Diagnostic::error(format!(
                    "the source model `{}` has no axiom to check",
                    self.name
                )));
            }
        }
        for wanted in names {
            let mut own =
                self.checks_named(wanted).filter(|&i| self.checks[i].may_be_asked()).peekable();
            if own.peek().is_some() {
                asked.extend(own);
                continue;
            }
            match self.check_named(wanted) {
                Some(i) => errors.push(
                    Diagnostic::error(format!("`{wanted}` of `{}` is not an axiom", self.name)).at(
                        &self.checks[i].place.file,
                        self.checks[i].place.span,
                        "it says when a program is undefined",
                    ),
                ),
                None => {
                    let names: Vec<String> = self
                        .checks
                        .iter()
                        .filter(|c| c.may_be_asked())
                        .map(Check::display_name)
                        .collect();
                    let error = Diagnostic::error(format!(
                        "the source model `{}` has no axiom `{wanted}`",
                        self.name
                    ));
                    errors.push(match nearest(wanted, names.iter().map(String::as_str)) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help(format!("its axioms: {}", names.join(", "))),
                    });
                }
            }
        }
        asked.sort_unstable();
        asked.dedup();
        if errors.is_empty() { Ok(asked) } else { Err(errors) }
    }

    /// The model with some optional axioms taken in and some axioms left out, by the indices of
    /// their checks; other indices are of no account. An axiom of acyclicity or irreflexivity that
    /// is left out becomes optional; one of emptiness is gone, and the checks behind it move up.
    #[must_use]
    pub fn choosing(&self, taken: &[usize], left_out: &[usize]) -> Model {
        let mut model = self.clone();
        for (i, check) in model.checks.iter_mut().enumerate() {
            if taken.contains(&i) && check.is_optional_axiom() {
                (check.role, check.negated) = (Role::Axiom, false);
            } else if left_out.contains(&i)
                && check.role == Role::Axiom
                && check.kind != CheckKind::Empty
                && !check.negated
            {
                (check.role, check.negated) = (Role::Flag, true);
            }
        }
        let mut i = 0;
        model.checks.retain(|check| {
            i += 1;
            !(left_out.contains(&(i - 1)) && check.role == Role::Axiom)
        });
        model
    }
}
