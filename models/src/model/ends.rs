//! Fences at the ends of threads: may a model be asked about executions without them alone?
//!
//! Nothing but program order leads from one event to a fence and on to another in most models of
//! languages, and nothing is before the first or behind the last event of a thread. Then such a
//! fence connects nothing, and the execution without it is judged the same. Whether a model is of
//! that kind is read off its expressions: each is followed with what it may relate to one such
//! fence, all other events being one class. That is an approximation from above, so a "yes" holds
//! for every execution.

use super::{CheckKind, ExprId, Model, Node, Role};
use crate::signature::{BaseRelation, BaseSet, PairCourse, PairEnd};

/// An end of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The fence is first.
    First,
    /// The fence is last.
    Last,
}

impl End {
    pub const BOTH: [End; 2] = [End::First, End::Last];
}

/// What an expression may have to do with the fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Touch {
    /// It may relate other events to the fence.
    to: bool,
    /// It may relate the fence to other events.
    from: bool,
    /// It may relate the fence to itself; of a set: the fence may be a member.
    at: bool,
    /// Its members among the other events may be fewer without the fence.
    shrinks: bool,
    /// Its members among the other events may be more without the fence.
    grows: bool,
}

impl Touch {
    const ANY: Touch = Touch { to: true, from: true, at: true, shrinks: false, grows: false };

    /// Changes among the other events, of an expression with these parts.
    fn changes(parts: [Touch; 2]) -> Touch {
        let [a, b] = parts;
        Touch { shrinks: a.shrinks || b.shrinks, grows: a.grows || b.grows, ..Touch::default() }
    }

    /// The same among the other events, and this at the fence.
    fn with(self, to: bool, from: bool, at: bool) -> Touch {
        Touch { to, from, at, ..self }
    }
}

impl Model {
    /// Is every execution judged as without a fence at that end of a thread? True if no axiom,
    /// optional axiom or condition of undefined behaviour can tell: none of its expressions changes
    /// among the other events, and the fence is in none of its violations.
    pub fn ignores_fences_at(&self, end: End) -> bool {
        let touched = self.touched(end);
        self.checks.iter().filter(|c| c.role != Role::Assert).all(|check| {
            let t = touched[check.expr.index()];
            let violated = match check.kind {
                CheckKind::Acyclic => t.at || t.to && t.from,
                CheckKind::Irreflexive => t.at,
                CheckKind::Empty => t.at || t.to || t.from,
            };
            !violated && !t.shrinks && !t.grows
        })
    }

    /// Is an allowed execution allowed without a fence at that end of a thread, too? True if what
    /// the axioms forbid becomes no more.
    pub fn allows_without_fences_at(&self, end: End) -> bool {
        let touched = self.touched(end);
        self.axioms().all(|(_, check)| !check.negated && !touched[check.expr.index()].grows)
    }

    /// For each node that the checks depend on, what it may have to do with the fence: the least
    /// solution of the operators' equations.
    fn touched(&self, end: End) -> Vec<Touch> {
        let nodes = self.reachable(self.checks.iter().map(|c| c.expr));
        let mut touched = vec![Touch::default(); self.arena.len()];
        loop {
            let mut changed = false;
            for &id in &nodes {
                let new = self.touch(self.arena.node(id), end, &touched);
                changed |= std::mem::replace(&mut touched[id.index()], new) != new;
            }
            if !changed {
                return touched;
            }
        }
    }

    fn touch(&self, node: Node, end: End, touched: &[Touch]) -> Touch {
        let of = |id: ExprId| touched[id.index()];
        match node {
            Node::Set(set) => Touch { at: may_be_fence(set), ..Touch::default() },
            Node::Relation(relation) => of_relation(relation, end),
            Node::Empty(_) => Touch::default(),
            Node::Definition(d) => of(self.definition(d).body),
            Node::Union(a, b) => {
                let (a, b) = (of(a), of(b));
                Touch::changes([a, b]).with(a.to || b.to, a.from || b.from, a.at || b.at)
            }
            Node::Intersection(a, b) => {
                let (a, b) = (of(a), of(b));
                Touch::changes([a, b]).with(a.to && b.to, a.from && b.from, a.at && b.at)
            }
            Node::Difference(a, b) => {
                let (a, b) = (of(a), of(b));
                Touch { shrinks: a.shrinks || b.grows, grows: a.grows || b.shrinks, ..a }
            }
            Node::Complement(a) => {
                let a = of(a);
                Touch { shrinks: a.grows, grows: a.shrinks, ..Touch::ANY }
            }
            Node::Sequence(a, b) => {
                let (a, b) = (of(a), of(b));
                let mut both = Touch::changes([a, b]).with(
                    b.to || a.to && b.at,
                    a.from || a.at && b.from,
                    a.to_and_back(b) || a.at && b.at,
                );
                both.shrinks |= a.to && b.from;
                both
            }
            Node::Product(a, b) => {
                let (a, b) = (of(a), of(b));
                Touch::changes([a, b]).with(b.at, a.at, a.at && b.at)
            }
            Node::Diagonal(a) => of(a),
            Node::Inverse(a) => {
                let a = of(a);
                Touch { to: a.from, from: a.to, ..a }
            }
            Node::Closure(a) | Node::ReflexiveClosure(a) => {
                let a = of(a);
                let reflexive = matches!(node, Node::ReflexiveClosure(_));
                Touch {
                    at: a.at || a.to && a.from || reflexive,
                    shrinks: a.shrinks || a.to && a.from,
                    ..a
                }
            }
            Node::Optional(a) => Touch { at: true, ..of(a) },
            Node::Domain(a) => {
                let a = of(a);
                Touch {
                    at: a.from || a.at,
                    to: false,
                    from: false,
                    shrinks: a.shrinks || a.to,
                    ..a
                }
            }
            Node::Range(a) => {
                let a = of(a);
                Touch {
                    at: a.to || a.at,
                    to: false,
                    from: false,
                    shrinks: a.shrinks || a.from,
                    ..a
                }
            }
        }
    }
}

impl Touch {
    /// May this lead from the fence to another event, and `next` back to it?
    fn to_and_back(self, next: Touch) -> bool {
        self.from && next.to
    }
}

fn may_be_fence(set: BaseSet) -> bool {
    !matches!(set, BaseSet::R | BaseSet::W | BaseSet::M | BaseSet::Iw | BaseSet::Rmw)
}

/// What a base relation may have to do with a fence at that end of its thread.
fn of_relation(relation: BaseRelation, end: End) -> Touch {
    let none = Touch::default();
    match (relation.course(), relation.ends()) {
        _ if relation.is_between_accesses() => none,
        // What depends on a read is behind it, and a fence is no read.
        (PairCourse::Onward, [from, _]) => {
            Touch { to: end == End::Last, from: end == End::First && from == PairEnd::Any, ..none }
        }
        (PairCourse::Itself, _) => Touch { at: true, ..none },
        // Whatever else there is: placement, scopes, orders of fences.
        _ => Touch::ANY,
    }
}
