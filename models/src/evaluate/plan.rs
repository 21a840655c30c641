//! In which order the nodes of a model are computed, and which of them change when something else
//! is chosen for the same program.

use crate::model::{CheckKind, DefId, ExprId, GroupId, Model, Node, Role, Sort};
use crate::signature::BaseRelation;

/// What is computed next: one node, or the nodes of a recursive definition together.
#[derive(Debug, Clone)]
pub enum PlanStep {
    /// Compute a node from nodes that are known.
    Compute(NodeOperation),
    /// Compute a least fixpoint.
    Iterate(Fixpoint),
}

/// Compute one node.
#[derive(Debug, Clone, Copy)]
pub struct NodeOperation {
    pub to: ExprId,
    /// How, where the operands are the nodes that hold the values: definitions are resolved.
    pub node: Node,
    /// Is the value a set?
    pub is_set: bool,
}

/// Start with empty members and apply the operations until nothing changes.
#[derive(Debug, Clone)]
pub struct Fixpoint {
    /// The `let rec`.
    pub group: GroupId,
    /// For each definition of the group its [`Node::Definition`], which holds the approximation,
    /// and its body.
    pub members: Vec<(ExprId, ExprId)>,
    /// What depends on the members, in order.
    pub operations: Vec<NodeOperation>,
}

/// A check of the model as the plan sees it.
#[derive(Debug, Clone)]
pub struct PlanCheck {
    /// Which property: no cycle, no loop, or no member.
    pub kind: CheckKind,
    pub negated: bool,
    /// What the outcome means.
    pub role: Role,
    /// The node that has the value.
    pub expr: ExprId,
    /// Is the value a set?
    pub is_set: bool,
    /// The steps that this test needs, indices into [`Plan::chosen`] in ascending order.
    pub needs: Vec<usize>,
}

/// Choices that a value depends on, one bit for each; 0 for what the program alone decides. Whoever
/// makes a plan says what the bits mean.
pub type ChoiceBits = u8;

/// What becomes of a step in a program, however is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepUse {
    /// A check depends on it.
    Needed,
    /// All that it computes is empty, because the program has nothing that it is made of.
    Empty,
    /// No check depends on it, since what is made of it is empty.
    Unread,
}

/// What to compute, in order.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The number of nodes: the size of the table of values.
    pub nodes: usize,
    /// For each node the one that holds its value (for a definition outside of recursion: its
    /// body's).
    pub holder: Vec<ExprId>,
    /// What depends on the program only.
    pub fixed: Vec<PlanStep>,
    /// What depends on base relations that are chosen for a program, each with the choices that it
    /// depends on.
    pub chosen: Vec<(PlanStep, ChoiceBits)>,
    pub checks: Vec<PlanCheck>,
    /// Which step of `chosen` computes a node; `None` for what is fixed.
    step_of: Vec<Option<usize>>,
}

impl Plan {
    /// The order for the nodes that `roots` need. `choices` says which base relations are chosen
    /// for a program.
    pub fn new(
        model: &Model,
        roots: impl IntoIterator<Item = ExprId>,
        choices: impl Fn(BaseRelation) -> ChoiceBits,
    ) -> Self {
        let builder = PlanBuilder::new(model);
        let mut plan = Self {
            nodes: model.arena.len(),
            holder: (0..model.arena.len()).map(|i| builder.holder(ExprId::from(i))).collect(),
            fixed: Vec::new(),
            chosen: Vec::new(),
            checks: Vec::new(),
            step_of: vec![None; model.arena.len()],
        };
        for step in builder.steps(roots.into_iter().map(|r| plan.holder[r.index()])) {
            let of_node = |id: ExprId| plan.step_of[id.index()].map_or(0, |i| plan.chosen[i].1);
            let own = step
                .operations()
                .iter()
                .map(|o| if let Node::Relation(r) = o.node { choices(r) } else { 0 });
            let depends = own.chain(step.operands().map(of_node)).fold(0, |all, of| all | of);
            if depends == 0 {
                plan.fixed.push(step);
            } else {
                let number = plan.chosen.len();
                step.results().for_each(|r| plan.step_of[r.index()] = Some(number));
                plan.chosen.push((step, depends));
            }
        }
        for check in &model.checks {
            let expr = plan.holder[check.expr.index()];
            let is_set = model.arena.sort(check.expr) == Sort::Set;
            let needs = plan.needs(expr);
            plan.checks.push(PlanCheck {
                kind: check.kind,
                negated: check.negated,
                role: check.role,
                expr,
                is_set,
                needs,
            });
        }
        plan
    }

    /// All steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = &PlanStep> {
        self.fixed.iter().chain(self.chosen.iter().map(|(step, _)| step))
    }

    /// What becomes of each step of `chosen` in a program. `is_empty` says of a node that
    /// [`Plan::fixed`] computes whether the program has nothing of it. Most programs have no
    /// aliases, no textures and no asynchronous operations, of which a model may have much to say.
    pub fn uses(&self, is_empty: impl Fn(ExprId) -> bool) -> Vec<StepUse> {
        let mut empty = vec![false; self.nodes];
        for id in self.fixed.iter().flat_map(PlanStep::results) {
            empty[id.index()] = is_empty(id);
        }
        let mut uses = Vec::with_capacity(self.chosen.len());
        for (step, _) in &self.chosen {
            match step {
                PlanStep::Compute(operation) => {
                    empty[operation.to.index()] = operation.is_empty(&empty)
                }
                PlanStep::Iterate(fixpoint) => {
                    fixpoint.members.iter().for_each(|(member, _)| empty[member.index()] = true);
                    loop {
                        for operation in &fixpoint.operations {
                            empty[operation.to.index()] = operation.is_empty(&empty);
                        }
                        let filled = |&&(member, body): &&(ExprId, ExprId)| {
                            empty[member.index()] && !empty[body.index()]
                        };
                        let Some(&(member, _)) = fixpoint.members.iter().find(filled) else {
                            break;
                        };
                        empty[member.index()] = false;
                    }
                }
            }
            let is_empty = step.results().all(|id| empty[id.index()]);
            uses.push(if is_empty { StepUse::Empty } else { StepUse::Unread });
        }
        let step_of = |id: ExprId| self.step_of[id.index()];
        let mut open: Vec<usize> = self.checks.iter().filter_map(|c| step_of(c.expr)).collect();
        while let Some(step) = open.pop() {
            if uses[step] == StepUse::Unread {
                uses[step] = StepUse::Needed;
                open.extend(self.chosen[step].0.operands().filter_map(step_of));
            }
        }
        uses
    }

    /// The steps of `chosen` that a node needs, in order.
    fn needs(&self, root: ExprId) -> Vec<usize> {
        let mut wanted = vec![false; self.chosen.len()];
        let mut open: Vec<usize> = self.step_of[root.index()].into_iter().collect();
        while let Some(step) = open.pop() {
            if !std::mem::replace(&mut wanted[step], true) {
                open.extend(
                    self.chosen[step].0.operands().filter_map(|id| self.step_of[id.index()]),
                );
            }
        }
        (0..wanted.len()).filter(|&i| wanted[i]).collect()
    }
}

impl NodeOperation {
    /// Is the value empty if the nodes are that are marked?
    fn is_empty(&self, empty: &[bool]) -> bool {
        let is = |id: ExprId| empty[id.index()];
        match self.node {
            Node::Set(_)
            | Node::Relation(_)
            | Node::Complement(_)
            | Node::ReflexiveClosure(_)
            | Node::Optional(_) => false,
            Node::Empty(_) => true,
            Node::Union(a, b) => is(a) && is(b),
            Node::Intersection(a, b) | Node::Sequence(a, b) | Node::Product(a, b) => is(a) || is(b),
            Node::Difference(a, _)
            | Node::Diagonal(a)
            | Node::Inverse(a)
            | Node::Closure(a)
            | Node::Domain(a)
            | Node::Range(a) => is(a),
            Node::Definition(_) => is(self.to),
        }
    }
}

impl PlanStep {
    fn operations(&self) -> &[NodeOperation] {
        match self {
            Self::Compute(operation) => std::slice::from_ref(operation),
            Self::Iterate(fixpoint) => &fixpoint.operations,
        }
    }

    fn members(&self) -> &[(ExprId, ExprId)] {
        match self {
            Self::Compute(_) => &[],
            Self::Iterate(fixpoint) => &fixpoint.members,
        }
    }

    /// The nodes whose values it reads.
    fn operands(&self) -> impl Iterator<Item = ExprId> {
        self.operations()
            .iter()
            .flat_map(|o| o.node.children())
            .chain(self.members().iter().map(|m| m.1))
    }

    /// The nodes that have a value after it.
    pub fn results(&self) -> impl Iterator<Item = ExprId> {
        self.operations().iter().map(|o| o.to).chain(self.members().iter().map(|m| m.0))
    }
}

/// What the order is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanItem {
    /// A node that belongs to no fixpoint.
    Node(ExprId),
    /// A whole fixpoint.
    Group(GroupId),
}

/// Finds out which nodes belong to which fixpoint, and what comes first.
struct PlanBuilder<'a> {
    model: &'a Model,
    /// The `let rec` in whose iteration a node is computed.
    group_of: Vec<Option<GroupId>>,
    /// For each group the nodes that are computed in its iteration, its members' own nodes
    /// included, in ascending order.
    inside: Vec<Vec<ExprId>>,
}

impl<'a> PlanBuilder<'a> {
    fn new(model: &'a Model) -> Self {
        let mut builder =
            Self { model, group_of: vec![None; model.arena.len()], inside: Vec::new() };
        for (g, members) in model.groups.iter().enumerate() {
            let group = GroupId::from(g);
            let own = members.iter().filter_map(|&m| model.arena.find(Node::Definition(m)));
            let bodies = members.iter().map(|&m| model.definition(m).body);
            // In ascending order operands come first, but for members, which have a value from the
            // start.
            let mut inside = Vec::new();
            for id in model.reachable(own.chain(bodies)) {
                let node = model.arena.node(id);
                let depends = match node {
                    Node::Definition(d) => model.definition(d).group == Some(group),
                    _ => node
                        .children()
                        .any(|c| builder.group_of[builder.holder(c).index()] == Some(group)),
                };
                if depends {
                    builder.group_of[id.index()] = Some(group);
                    inside.push(id);
                }
            }
            builder.inside.push(inside);
        }
        builder
    }

    /// The node that holds the value of a node.
    fn holder(&self, mut id: ExprId) -> ExprId {
        while let Node::Definition(d) = self.model.arena.node(id) {
            let definition = self.model.definition(d);
            if definition.group.is_some() {
                break;
            }
            id = definition.body;
        }
        id
    }

    /// What is computed together with a node.
    fn item(&self, id: ExprId) -> PlanItem {
        let id = self.holder(id);
        self.group_of[id.index()].map_or(PlanItem::Node(id), PlanItem::Group)
    }

    /// What must be computed before.
    fn before(&self, item: PlanItem) -> Vec<PlanItem> {
        let nodes = match &item {
            PlanItem::Node(id) => std::slice::from_ref(id),
            PlanItem::Group(group) => &self.inside[group.index()],
        };
        let operands = nodes.iter().flat_map(|&id| self.model.arena.node(id).children());
        let members: &[DefId] = match item {
            PlanItem::Node(_) => &[],
            PlanItem::Group(group) => &self.model.groups[group.index()],
        };
        let bodies = members.iter().map(|&m| self.model.definition(m).body);
        operands.chain(bodies).map(|id| self.item(id)).filter(|i| *i != item).collect()
    }

    /// The steps for the roots, each behind what it needs. Without recursion: definitions may form
    /// long chains.
    fn steps(&self, roots: impl Iterator<Item = ExprId>) -> Vec<PlanStep> {
        let mut steps = Vec::new();
        let mut seen_nodes = vec![false; self.model.arena.len()];
        let mut seen_groups = vec![false; self.model.groups.len()];
        for root in roots {
            // Items to do; `true` once what comes before was done.
            let mut open = vec![(self.item(root), false)];
            while let Some((item, ready)) = open.pop() {
                if ready {
                    steps.push(match item {
                        PlanItem::Node(id) => PlanStep::Compute(self.operation(id)),
                        PlanItem::Group(group) => PlanStep::Iterate(self.fixpoint(group)),
                    });
                    continue;
                }
                let seen = match item {
                    PlanItem::Node(id) => &mut seen_nodes[id.index()],
                    PlanItem::Group(group) => &mut seen_groups[group.index()],
                };
                if !std::mem::replace(seen, true) {
                    open.push((item, true));
                    open.extend(self.before(item).into_iter().rev().map(|i| (i, false)));
                }
            }
        }
        steps
    }

    fn operation(&self, to: ExprId) -> NodeOperation {
        let node = self.model.arena.node(to).map_children(|c| self.holder(c));
        NodeOperation { to, node, is_set: self.model.arena.sort(to) == Sort::Set }
    }

    fn fixpoint(&self, group: GroupId) -> Fixpoint {
        let own = |m: DefId| self.model.arena.find(Node::Definition(m));
        let members = self.model.groups[group.index()].iter();
        let inside = self.inside[group.index()].iter().copied();
        Fixpoint {
            group,
            members: members
                .filter_map(|&m| Some((own(m)?, self.holder(self.model.definition(m).body))))
                .collect(),
            operations: inside
                .filter(|&id| !matches!(self.model.arena.node(id), Node::Definition(_)))
                .map(|id| self.operation(id))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use super::StepUse::{Empty, Needed, Unread};
    use crate::diagnostic::SourceFile;
    use crate::model::{Model, Node};
    use crate::signature::BaseSet;
    use crate::typing::OnlyBuiltIn;

    /// What is made of reads-from and of sets that the program has none of is empty; what leaves
    /// such a set out is not. What is made for that alone is not read.
    #[test]
    fn steps_are_left_out_where_the_program_has_nothing_for_them() {
        let text = "PTX \"m\"
            let rec to = ([ALIAS]; rf) | (to; rf)
            let rec on = ([R]; rf^-1) | (on; rf)
            empty (rf; [ALIAS])+ as a
            empty rf \\ (ALIAS * _) as b
            empty to as c
            empty on as d
            empty (rf; [ALIAS])? as e
            empty ((rf; po); rf); [ALIAS] as f";
        let model = Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn)
            .unwrap_or_else(|e| panic!("{}", e[0]))
            .model;
        let choices = |relation| u8::from(relation == crate::signature::BaseRelation::Rf);
        let plan = Plan::new(&model, model.checks.iter().map(|c| c.expr), choices);
        let of = |is_alias_empty: bool| {
            let is_empty = |id: crate::model::ExprId| {
                // The diagonal of a set is empty where the set is.
                let set = match model.arena.node(id) {
                    Node::Diagonal(a) => model.arena.node(a),
                    node => node,
                };
                is_alias_empty && matches!(set, Node::Set(BaseSet::Alias))
            };
            let uses = plan.uses(is_empty);
            let of_check = |check: &super::PlanCheck| check.needs.last().map(|&step| uses[step]);
            let unread = uses.iter().filter(|of| **of == Unread).count();
            (plan.checks.iter().filter_map(of_check).collect::<Vec<_>>(), unread)
        };
        // Not read are `rf; po` and `rf; po; rf`.
        assert_eq!(of(true), (vec![Empty, Needed, Empty, Needed, Needed, Empty], 2));
        assert_eq!(of(false), (vec![Needed; 6], 0));
    }
}
