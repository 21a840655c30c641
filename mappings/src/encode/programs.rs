//! Which programs are searched for, and which kinds of them two models make worth looking at.

use margay_models::model::{CheckKind, DefId, ExprId, Model, Node, Role};
use margay_models::signature::{BaseRelation, PairCourse};

/// Which programs are searched for (docs/program-level.md, "Which programs").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Programs {
    /// A guard encloses all that comes after it in its thread; what is written is constant.
    Guarded,
    /// The others: each operation is executed under conditions of its own, and written values may
    /// depend on what was read.
    Dependent {
        /// Only executions count in which program order and reads-from have a cycle: in others
        /// dependencies cost nothing.
        only_cyclic: bool,
    },
}

/// Are there programs beyond [`Programs::Guarded`] that may be counterexamples where no guarded one
/// is? Not if whatever is guarded may as well guard all that comes after: `goes_on` says that a
/// race in a beginning of an execution is one of the program, so that guarding more never brings a
/// race; the source model must not look at dependencies, and the target not mind them.
pub fn beyond_guarded(source: &Model, target: &Model, goes_on: bool) -> Option<Programs> {
    if !goes_on || mentions_dependencies(source) {
        return Some(Programs::Dependent { only_cyclic: false });
    }
    mentions_dependencies(target)
        .then(|| Programs::Dependent { only_cyclic: minds_only_cycles(target) })
}

fn mentions_dependencies(model: &Model) -> bool {
    BaseRelation::DEPENDENCIES.iter().any(|&d| model.mentions_relation(d))
}

/// Does the model look at dependencies only to forbid cycles of them, reads-from and program order?
fn minds_only_cycles(model: &Model) -> bool {
    let looks = |root: ExprId| {
        let nodes = model.reachable([root]).into_iter().map(|id| model.arena.node(id));
        nodes
            .into_iter()
            .any(|n| matches!(n, Node::Relation(r) if BaseRelation::DEPENDENCIES.contains(&r)))
    };
    let axioms = model.checks.iter().filter(|c| c.role == Role::Axiom);
    axioms.filter(|c| looks(c.expr)).all(|c| match c.kind {
        CheckKind::Acyclic | CheckKind::Irreflexive => {
            !c.negated && goes_forward(model, c.expr, &mut Vec::new())
        }
        CheckKind::Empty => false,
    })
}

/// Is every pair of the expression a path of program order and reads-from?
fn goes_forward(model: &Model, id: ExprId, open: &mut Vec<DefId>) -> bool {
    match model.arena.node(id) {
        Node::Relation(relation) => relation.goes_forward(),
        Node::Empty(_) => true,
        // What is supposed of a recursive definition holds of its least solution.
        Node::Definition(d) if open.contains(&d) => true,
        Node::Definition(d) => {
            open.push(d);
            let result = goes_forward(model, model.definition(d).body, open);
            open.pop();
            result
        }
        Node::Union(a, b) => goes_forward(model, a, open) && goes_forward(model, b, open),
        Node::Intersection(a, b) => goes_forward(model, a, open) || goes_forward(model, b, open),
        Node::Difference(a, _) => goes_forward(model, a, open),
        Node::Closure(a) => goes_forward(model, a, open),
        Node::Sequence(a, b) => {
            let [stays_a, stays_b] = [a, b].map(|e| stays(model, e));
            match (stays_a, stays_b) {
                (true, true) => false,
                (true, false) => goes_forward(model, b, open),
                (false, true) => goes_forward(model, a, open),
                (false, false) => goes_forward(model, a, open) && goes_forward(model, b, open),
            }
        }
        _ => false,
    }
}

/// Is it a part of the identity?
fn stays(model: &Model, id: ExprId) -> bool {
    match model.arena.node(id) {
        Node::Diagonal(_) => true,
        Node::Relation(relation) => relation.course() == PairCourse::Itself,
        Node::Definition(d) if model.definition(d).group.is_none() => {
            stays(model, model.definition(d).body)
        }
        _ => false,
    }
}
