//! Which axioms count: optional ones taken in, others left out.

use super::{Check, CheckKind, Model, Role};

impl Check {
    /// Is it an axiom that restricts nothing unless it is asked for: `flag ~acyclic`, `flag ~irreflexive` (docs/cat.md, "Checks, and
    /// what follows from them")?
    pub fn is_optional_axiom(&self) -> bool {
        self.role == Role::Flag && self.negated && self.kind != CheckKind::Empty
    }
}

impl Model {
    /// The model with some optional axioms taken in and some axioms left out, by the indices of their checks; other indices are of
    /// no account. An axiom of acyclicity or irreflexivity that is left out becomes optional; one of emptiness is gone, and the checks
    /// behind it move up.
    #[must_use]
    pub fn choosing(&self, taken: &[usize], left_out: &[usize]) -> Model {
        let mut model = self.clone();
        for (i, check) in model.checks.iter_mut().enumerate() {
            if taken.contains(&i) && check.is_optional_axiom() {
                (check.role, check.negated) = (Role::Axiom, false);
            } else if left_out.contains(&i) && check.role == Role::Axiom && check.kind != CheckKind::Empty && !check.negated {
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
