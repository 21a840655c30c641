//! Unfolds why a pair of events is in a relation, down to base relations.

use super::path::{Part, cheapest_way, shortest_path};
use super::{Derivation, EventCondition, Reason};
use crate::bits::Event;
use crate::execution::Execution;
use crate::judge::{Levels, Moment};
use crate::model::{ExprId, Model, Node, Sort};

/// How deep a derivation is unfolded; below, only the expression is named.
const MAX_DEPTH: usize = 60;

/// How many steps are unfolded for one check.
const MAX_STEPS: usize = 4000;

/// A model over an execution, with everything that is needed to explain one expression.
pub(super) struct Deriver<'a> {
    model: &'a Model,
    /// The values, with the rounds of the fixpoints.
    pub(super) levels: Levels,
    /// For each node how much there is to read behind it.
    weight: Vec<usize>,
    /// For each node: does it lead from event to event (`po`, `rf`, ...), or only restrict pairs
    /// (`loc`, `W * R`)?
    leads: Vec<bool>,
    /// How many steps may still be unfolded.
    left: usize,
    /// How deep the recursion is.
    depth: usize,
}

impl<'a> Deriver<'a> {
    pub(super) fn new(model: &'a Model, execution: &Execution, root: ExprId) -> Self {
        let levels = Levels::new(model, execution, root);
        let (weight, leads) = weights(model, root);
        Self { model, levels, weight, leads, left: MAX_STEPS, depth: 0 }
    }

    /// Why `from -> to` is in the relation `id`; it must be in it.
    pub(super) fn derive(
        &mut self,
        id: ExprId,
        from: usize,
        to: usize,
        moment: Moment,
    ) -> Derivation {
        let reason = if self.depth >= MAX_DEPTH || self.left == 0 {
            Reason::Conditions(vec![self.pair_condition(id, from, to)])
        } else {
            self.depth += 1;
            self.left -= 1;
            let reason = self.reason(id, from, to, moment);
            self.depth -= 1;
            reason
        };
        Derivation { from: Event::from(from), to: Event::from(to), reason }
    }

    /// The operand of a union that explains a pair best.
    fn branch(&self, id: ExprId, from: usize, to: usize, moment: Moment) -> Option<ExprId> {
        let holding =
            self.model.operands(id).into_iter().filter(|&o| self.has(o, from, to, moment));
        holding.min_by_key(|&o| self.weight[o.index()])
    }

    fn has(&self, id: ExprId, from: usize, to: usize, moment: Moment) -> bool {
        self.levels.rows(id, moment).contains(from, to)
    }

    fn reason(&mut self, id: ExprId, from: usize, to: usize, moment: Moment) -> Reason {
        debug_assert!(
            self.has(id, from, to, moment),
            "{} has no pair {from}, {to}",
            self.model.syntax(id)
        );
        match self.model.arena.node(id) {
            Node::Relation(relation) => Reason::Base(relation),
            Node::Definition(d) => {
                let definition = self.model.definition(d);
                let inner = definition.group.map_or(moment, |group| {
                    // The members in a round have the values of their bodies in the round before.
                    let last = moment
                        .filter(|(g, _)| *g == group)
                        .map(|(_, round)| round.saturating_sub(1));
                    let round = self
                        .levels
                        .first_round(group, definition.body, last, |rows| rows.contains(from, to));
                    round.map(|round| (group, round)).or(moment)
                });
                let mut because = self.derive(definition.body, from, to, inner);
                if definition.group.is_some() {
                    because = spliced(because, &definition.name);
                }
                // The line of the branch that holds, in a definition of several lines.
                let branch = self.branch(definition.body, from, to, inner);
                let place = branch
                    .and_then(|b| self.model.branch_place(&definition.place, definition.body, b));
                let (name, place) =
                    (definition.name.clone(), place.unwrap_or(&definition.place).clone());
                Reason::Definition { name, place, because: Box::new(because) }
            }
            Node::Union(..) => self
                .branch(id, from, to, moment)
                .map_or(Reason::Path(Vec::new()), |o| self.derive(o, from, to, moment).reason),
            Node::Intersection(..) => self.both(id, from, to, moment),
            Node::Difference(a, b) => {
                let derivation = self.derive(a, from, to, moment);
                let denied = EventCondition { holds: false, ..self.pair_condition(b, from, to) };
                Reason::Both(vec![derivation], vec![denied])
            }
            Node::Sequence(..) => self.sequence(id, from, to, moment),
            Node::Optional(_) | Node::ReflexiveClosure(_) if from == to => Reason::Path(Vec::new()),
            Node::Optional(r) => self.derive(r, from, to, moment).reason,
            Node::Closure(r) | Node::ReflexiveClosure(r) => {
                let events =
                    shortest_path(self.levels.rows(r, moment), from, to).unwrap_or_default();
                let mut steps: Vec<Derivation> =
                    events.windows(2).map(|w| self.derive(r, w[0], w[1], moment)).collect();
                if steps.len() == 1 { steps.remove(0).reason } else { Reason::Path(steps) }
            }
            Node::Inverse(r) => Reason::Inverse(Box::new(self.derive(r, to, from, moment))),
            Node::Product(a, b) => {
                let conditions =
                    [(a, from), (b, to)].into_iter().filter_map(|(s, e)| self.set_condition(s, e));
                Reason::Conditions(conditions.collect())
            }
            Node::Diagonal(set) => {
                Reason::Conditions(self.set_condition(set, from).into_iter().collect())
            }
            // Sets have no pairs, and the empty relation has none.
            Node::Complement(_)
            | Node::Set(_)
            | Node::Empty(_)
            | Node::Domain(_)
            | Node::Range(_) => Reason::Conditions(vec![self.pair_condition(id, from, to)]),
        }
    }

    /// `a & b & ..`: the operand that says most, and the others.
    fn both(&mut self, id: ExprId, from: usize, to: usize, moment: Moment) -> Reason {
        let mut operands = self.model.operands(id);
        operands.sort_by_key(|&o| (!self.leads[o.index()], self.weight[o.index()]));
        let mut derivations = Vec::new();
        let mut conditions = Vec::new();
        for (i, operand) in operands.into_iter().enumerate() {
            match self.model.arena.node(operand) {
                Node::Product(a, b) => {
                    conditions.extend(
                        [(a, from), (b, to)]
                            .into_iter()
                            .filter_map(|(s, e)| self.set_condition(s, e)),
                    );
                }
                _ if i == 0 || self.leads[operand.index()] => {
                    derivations.push(self.derive(operand, from, to, moment))
                }
                _ => conditions.push(self.pair_condition(operand, from, to)),
            }
        }
        if derivations.is_empty() {
            Reason::Conditions(conditions)
        } else {
            Reason::Both(derivations, conditions)
        }
    }

    /// `r; s; ..`: through the events that make the shortest story.
    fn sequence(&mut self, id: ExprId, from: usize, to: usize, moment: Moment) -> Reason {
        let operands = self.model.operands(id);
        let parts: Vec<Part<'_>> = operands
            .iter()
            .map(|&o| Part {
                rows: self.levels.rows(o, moment),
                cost: self.weight[o.index()].min(20),
                may_stay: matches!(
                    self.model.arena.node(o),
                    Node::Diagonal(_) | Node::Optional(_) | Node::ReflexiveClosure(_)
                ),
            })
            .collect();
        let way = cheapest_way(&parts, from, to).unwrap_or_default();
        let steps =
            operands.iter().zip(way.windows(2)).map(|(&o, w)| self.derive(o, w[0], w[1], moment));
        // Staying where one is needs no words.
        let mut steps: Vec<Derivation> =
            steps.filter(|s| !matches!(&s.reason, Reason::Path(p) if p.is_empty())).collect();
        if steps.len() == 1 { steps.remove(0).reason } else { Reason::Path(steps) }
    }

    fn pair_condition(&self, id: ExprId, from: usize, to: usize) -> EventCondition {
        condition(self.model.syntax(id).to_string(), from, Some(to))
    }

    /// That an event is in a set; nothing for `_`.
    fn set_condition(&self, set: ExprId, event: usize) -> Option<EventCondition> {
        let text = self.model.syntax(set).to_string();
        (text != "_").then(|| condition(text, event, None))
    }
}

/// A path without the steps that are paths of the definition which it explains: for
/// `hb = sb | sw | hb; hb` the steps are `sb` and `sw`, however the recursion came to them.
fn spliced(because: Derivation, definition: &str) -> Derivation {
    let Derivation { from, to, reason: Reason::Path(steps) } = because else { return because };
    let mut flat = Vec::new();
    for step in steps {
        match step.reason {
            // The inner one was spliced when it was derived.
            Reason::Definition { name, because, .. } if name == definition => {
                match because.reason {
                    Reason::Path(inner) => flat.extend(inner),
                    _ => flat.push(*because),
                }
            }
            _ => flat.push(step),
        }
    }
    Derivation { from, to, reason: Reason::Path(flat) }
}

fn condition(text: String, event: usize, other: Option<usize>) -> EventCondition {
    EventCondition { text, holds: true, event: Event::from(event), other: other.map(Event::from) }
}

/// For each node that a root needs how much there is to read behind it, and whether it leads from
/// event to event.
fn weights(model: &Model, root: ExprId) -> (Vec<usize>, Vec<bool>) {
    let mut weight = vec![usize::MAX; model.arena.len()];
    let mut leads = vec![false; model.arena.len()];
    let nodes: Vec<ExprId> = model.reachable([root]);
    // Through definitions values come in any order, and recursion makes them come late: repeat
    // until nothing changes.
    loop {
        let mut changed = false;
        for &id in &nodes {
            let node = model.arena.node(id);
            let of = |e: ExprId| weight[e.index()];
            let new = match node {
                Node::Set(_) | Node::Relation(_) | Node::Empty(_) => 1,
                Node::Definition(d) => of(model.definition(d).body).saturating_add(1),
                // The lightest branch will do.
                Node::Union(a, b) => of(a).min(of(b)).saturating_add(1),
                Node::Closure(a) | Node::ReflexiveClosure(a) => of(a).saturating_mul(2),
                _ => node.children().map(of).fold(1, usize::saturating_add),
            };
            let new_leads = match node {
                Node::Relation(relation) => relation.leads(),
                Node::Definition(d) => leads[model.definition(d).body.index()],
                Node::Difference(a, _) => leads[a.index()],
                Node::Complement(_) => false,
                _ => node.children().any(|c| leads[c.index()]),
            } && model.arena.sort(id) == Sort::Relation;
            if new < weight[id.index()] || new_leads != leads[id.index()] {
                changed = true;
                weight[id.index()] = weight[id.index()].min(new);
                leads[id.index()] = new_leads;
            }
        }
        if !changed {
            return (weight, leads);
        }
    }
}
