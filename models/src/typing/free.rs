//! The warning for a relation that Margay leaves free and a model never constrains: Fence-SC order,
//! and coherence order where the architecture says that it is partial. What a model does not ask
//! for need not be there.

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::model::{ExprId, Model, Node, Role};
use crate::signature::BaseRelation;

/// A warning for each relation that axioms only ever forbid to have too much of.
pub(super) fn warnings(model: &Model) -> Vec<Diagnostic> {
    let occurrences = Occurrences::of(model);
    let mut warnings = Vec::new();
    // A total one has all that it can have.
    for (relation, what, _) in model.signature.chosen_orders().filter(|(.., is_total)| !is_total) {
        let occurs = |positive| occurrences.0.contains(&(relation, positive));
        let used = occurs(true)
            || occurrences.0.iter().any(|(r, positive)| *positive && r.parts().contains(&relation));
        if used && !occurs(false) {
            let name = relation.name();
            let message = format!(
                "no axiom of {} says what `{name}` must relate: {what} can be as good as empty",
                model.name
            );
            let help = format!(
                "ask for it, e.g. by `empty (A * B) \\ ({name} | {name}^-1 | id)`; if another tool gives it to each execution, name the \
                 file by that tool, as in `dartagnan:{}.cat`",
                model.name
            );
            warnings.push(Diagnostic::warning(message).help(help));
        }
    }
    warnings
}

/// The base relations that axioms mention, and whether more of them forbids more (true) or less.
struct Occurrences(FxHashSet<(BaseRelation, bool)>);

impl Occurrences {
    fn of(model: &Model) -> Self {
        let axioms = model.checks.iter().filter(|c| c.role == Role::Axiom);
        let mut open: Vec<(ExprId, bool)> = axioms.map(|c| (c.expr, !c.negated)).collect();
        let (mut seen, mut found) = (FxHashSet::default(), FxHashSet::default());
        while let Some((id, positive)) = open.pop() {
            if !seen.insert((id, positive)) {
                continue;
            }
            match model.arena.node(id) {
                Node::Relation(relation) => {
                    found.insert((relation, positive));
                }
                Node::Definition(d) => open.push((model.definition(d).body, positive)),
                Node::Complement(e) => open.push((e, !positive)),
                Node::Difference(a, b) => open.extend([(a, positive), (b, !positive)]),
                node => open.extend(node.children().map(|e| (e, positive))),
            }
        }
        Self(found)
    }
}
