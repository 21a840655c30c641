//! A model evaluated over an execution that is only partly chosen: for every expression a relation that it contains in any
//! case (`must`) and one that it is contained in (`may`). A check that fails on these bounds fails however the choices go
//! on, so the search can turn back; one that passes needs no more looking at.
//!
//! Difference and complement swap the bounds of their right side, everything else is monotone. The bounds of a recursive
//! definition are the least fixpoints over the bounds. This is independent of the judge, which confirms every execution found.

use margay_models::execution::Execution;
use margay_models::model::{CheckKind, ExprId, Model, Node, Sort};
use margay_models::signature::BaseRelation;

/// What is known of the outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// The test holds whatever is chosen.
    Holds,
    /// It fails whatever is chosen.
    Fails,
    /// It depends.
    Open,
}

/// What expressions depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Depends {
    /// Reads-from.
    on_rf: bool,
    /// Coherence or fence order.
    on_order: bool,
}

impl Depends {
    fn or(self, other: Depends) -> Self {
        Self { on_rf: self.on_rf || other.on_rf, on_order: self.on_order || other.on_order }
    }

    fn chosen(self) -> bool {
        self.on_rf || self.on_order
    }
}

/// Computes one node, or a group of recursive definitions.
#[derive(Debug, Clone)]
enum Step {
    Compute(Operation),
    /// Members (their own node and their body), and the operations that depend on them, in order.
    Iterate {
        members: Vec<(ExprId, ExprId)>,
        operations: Vec<Operation>,
    },
}

#[derive(Debug, Clone, Copy)]
struct Operation {
    to: ExprId,
    node: Node,
    is_set: bool,
}

/// A check, and the chosen steps that it needs.
#[derive(Debug, Clone)]
struct Test {
    kind: CheckKind,
    negated: bool,
    expr: ExprId,
    is_set: bool,
    needs: Vec<usize>,
}

/// In which order a model is computed.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    nodes: usize,
    fixed: Vec<Step>,
    chosen: Vec<(Step, Depends)>,
    tests: Vec<Test>,
}

/// Bounds of the chosen relations: `(must, may)`, a word for each event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub rf: (&'a [u64], &'a [u64]),
    pub co: (&'a [u64], &'a [u64]),
    pub sync_fence: (&'a [u64], &'a [u64]),
}

impl Plan {
    /// The order for all checks of a model.
    pub fn new(model: &Model) -> Self {
        let arena = &model.arena;
        let holder = |mut id: ExprId| {
            while let Node::Definition(d) = arena.node(id) {
                let definition = model.definition(d);
                if definition.group.is_some() {
                    break;
                }
                id = definition.body;
            }
            id
        };
        let reachable = model.reachable(model.checks.iter().map(|c| c.expr));
        // Which group a node is computed in: those that depend on a member.
        let mut group_of: Vec<Option<usize>> = vec![None; arena.len()];
        let mut last: Vec<usize> = vec![0; model.groups.len()];
        for (g, members) in model.groups.iter().enumerate() {
            for &id in &reachable {
                let node = arena.node(id);
                let inside = match node {
                    Node::Definition(d) => members.contains(&d),
                    _ => node.children().any(|c| group_of[holder(c).index()] == Some(g)),
                };
                if inside {
                    group_of[id.index()] = Some(g);
                    last[g] = last[g].max(id.index());
                }
            }
            for &m in members {
                last[g] = last[g].max(holder(model.definition(m).body).index());
            }
        }
        let operation =
            |id: ExprId| Operation { to: id, node: arena.node(id).map_children(holder), is_set: arena.sort(id) == Sort::Set };
        let mut plan = Plan { nodes: arena.len(), fixed: Vec::new(), chosen: Vec::new(), tests: Vec::new() };
        let mut depends: Vec<Depends> = vec![Depends::default(); arena.len()];
        let mut step_of: Vec<Option<usize>> = vec![None; arena.len()];
        for &id in &reachable {
            if !matches!(arena.node(id), Node::Definition(_)) && group_of[id.index()].is_none() {
                let operation = operation(id);
                let mut of = own_dependence(operation.node);
                for child in operation.node.children() {
                    of = of.or(depends[child.index()]);
                }
                depends[id.index()] = of;
                if of.chosen() {
                    step_of[id.index()] = Some(plan.chosen.len());
                    plan.chosen.push((Step::Compute(operation), of));
                } else {
                    plan.fixed.push(Step::Compute(operation));
                }
            }
            for (g, members) in model.groups.iter().enumerate().filter(|(g, _)| last[*g] == id.index()) {
                let inside: Vec<ExprId> = reachable.iter().copied().filter(|i| group_of[i.index()] == Some(g)).collect();
                let operations: Vec<Operation> =
                    inside.iter().map(|&i| operation(i)).filter(|o| !matches!(o.node, Node::Definition(_))).collect();
                let member_nodes: Vec<(ExprId, ExprId)> = members
                    .iter()
                    .filter_map(|&m| Some((arena.find(Node::Definition(m))?, holder(model.definition(m).body))))
                    .collect();
                let mut of = Depends::default();
                let operands = operations.iter().flat_map(|o| o.node.children()).chain(member_nodes.iter().map(|m| m.1));
                for operand in operands {
                    of = of.or(depends[operand.index()]);
                }
                for i in inside.iter().chain(member_nodes.iter().map(|(m, _)| m)) {
                    depends[i.index()] = of;
                    step_of[i.index()] = of.chosen().then_some(plan.chosen.len());
                }
                let step = Step::Iterate { members: member_nodes, operations };
                if of.chosen() {
                    plan.chosen.push((step, of));
                } else {
                    plan.fixed.push(step);
                }
            }
        }
        for check in &model.checks {
            let expr = holder(check.expr);
            let needs = plan.needs(expr, &step_of);
            let is_set = arena.sort(check.expr) == Sort::Set;
            plan.tests.push(Test { kind: check.kind, negated: check.negated, expr, is_set, needs });
        }
        plan
    }

    /// The chosen steps that a node needs, in order.
    fn needs(&self, root: ExprId, step_of: &[Option<usize>]) -> Vec<usize> {
        let mut wanted = vec![false; self.chosen.len()];
        let mut open: Vec<usize> = step_of[root.index()].into_iter().collect();
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut wanted[step], true) {
                continue;
            }
            let mut operand = |id: ExprId| open.extend(step_of[id.index()]);
            match &self.chosen[step].0 {
                Step::Compute(operation) => operation.node.children().for_each(&mut operand),
                Step::Iterate { members, operations } => {
                    operations.iter().flat_map(|o| o.node.children()).for_each(&mut operand);
                    members.iter().for_each(|m| operand(m.1));
                }
            }
        }
        (0..wanted.len()).filter(|&s| wanted[s]).collect()
    }
}

fn own_dependence(node: Node) -> Depends {
    use BaseRelation::{Co, Fr, Rf, SyncFence};
    match node {
        Node::Relation(Rf) => Depends { on_rf: true, on_order: false },
        Node::Relation(Co | SyncFence) => Depends { on_rf: false, on_order: true },
        Node::Relation(Fr) => Depends { on_rf: true, on_order: true },
        _ => Depends::default(),
    }
}

/// The bounds of every node.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    events: usize,
    must: Vec<u64>,
    may: Vec<u64>,
    /// For each node: are its bounds the same?
    exact: Vec<bool>,
    /// For each chosen step when it was computed.
    computed: Vec<u32>,
    /// When reads-from was last changed, and when an order was.
    rf_changed: u32,
    order_changed: u32,
    now: u32,
}

impl Machine {
    /// For one plan.
    pub fn new(plan: &Plan) -> Self {
        Self {
            events: 0,
            must: Vec::new(),
            may: Vec::new(),
            exact: vec![false; plan.nodes],
            computed: vec![0; plan.chosen.len()],
            rf_changed: 1,
            order_changed: 1,
            now: 1,
        }
    }

    /// Computes what depends on the program only.
    pub fn prepare(&mut self, plan: &Plan, execution: &Execution) {
        if self.events != execution.size() || self.must.is_empty() {
            self.events = execution.size();
            for table in [&mut self.must, &mut self.may] {
                table.clear();
                table.resize(plan.nodes * self.events, 0);
            }
        }
        for step in &plan.fixed {
            match step {
                Step::Compute(Operation { to, node: Node::Set(set), .. }) => {
                    self.assign(*to, &[execution.base_set(*set).0]);
                }
                Step::Compute(Operation { to, node: Node::Relation(relation), .. }) => {
                    let value = execution.base_relation(*relation);
                    let rows: Vec<u64> = (0..self.events).map(|e| value.row(e.into()).0).collect();
                    self.assign(*to, &rows);
                }
                step => self.run(step, None),
            }
        }
        self.rf_is_new();
    }

    /// Gives a node a value that is known.
    fn assign(&mut self, to: ExprId, rows: &[u64]) {
        let start = to.index() * self.events;
        let rows = &rows[..rows.len().min(self.events)];
        self.must[start..start + rows.len()].copy_from_slice(rows);
        self.may[start..start + rows.len()].copy_from_slice(rows);
        self.exact[to.index()] = true;
    }

    /// Reads-from was changed.
    pub fn rf_is_new(&mut self) {
        self.now += 1;
        self.rf_changed = self.now;
        self.order_changed = self.now;
    }

    /// Coherence order or fence order was changed, and nothing else.
    pub fn order_is_new(&mut self) {
        self.now += 1;
        self.order_changed = self.now;
    }

    /// What is known of a check.
    pub fn status(&mut self, plan: &Plan, check: usize, chosen: Chosen<'_>) -> Status {
        let test = &plan.tests[check];
        for &s in &test.needs {
            let (step, of) = &plan.chosen[s];
            let changed = if of.on_order { self.order_changed } else { self.rf_changed };
            if self.computed[s] < changed {
                self.computed[s] = self.now;
                self.run(step, Some(chosen));
            }
        }
        let n = self.events;
        let start = test.expr.index() * n;
        let width = if test.is_set { n.min(1) } else { n };
        let must = &self.must[start..start + width];
        let may = &self.may[start..start + width];
        let has = |rows: &[u64]| match test.kind {
            CheckKind::Acyclic => acyclic(rows),
            CheckKind::Irreflexive => rows.iter().enumerate().all(|(i, row)| row >> i & 1 == 0),
            CheckKind::Empty => rows.iter().all(|row| *row == 0),
        };
        // All three properties are lost by growing, never gained.
        match (has(may), has(must), test.negated) {
            (true, _, false) | (_, false, true) => Status::Holds,
            (true, _, true) | (_, false, false) => Status::Fails,
            _ => Status::Open,
        }
    }

    fn run(&mut self, step: &Step, chosen: Option<Chosen<'_>>) {
        match step {
            Step::Compute(operation) => self.compute(operation, chosen),
            Step::Iterate { members, operations } => {
                let n = self.events;
                for (member, _) in members {
                    let start = member.index() * n;
                    self.must[start..start + n].fill(0);
                    self.may[start..start + n].fill(0);
                    self.exact[member.index()] = false;
                }
                loop {
                    for operation in operations {
                        self.compute(operation, chosen);
                    }
                    let mut changed = false;
                    for &(member, body) in members {
                        for i in 0..n {
                            let (to, from) = (member.index() * n + i, body.index() * n + i);
                            changed |= self.must[to] != self.must[from] || self.may[to] != self.may[from];
                            self.must[to] = self.must[from];
                            self.may[to] = self.may[from];
                        }
                    }
                    if !changed {
                        break;
                    }
                }
                for &(member, body) in members {
                    self.exact[member.index()] = self.exact[body.index()];
                }
            }
        }
    }

    fn compute(&mut self, operation: &Operation, chosen: Option<Chosen<'_>>) {
        let n = self.events;
        let width = if operation.is_set { n.min(1) } else { n };
        let start = operation.to.index() * n;
        if let (Node::Relation(relation), Some(chosen)) = (operation.node, chosen) {
            let (must, may) = (&mut self.must[start..start + n], &mut self.may[start..start + n]);
            match relation {
                BaseRelation::Rf => copy(must, may, chosen.rf),
                BaseRelation::Co => copy(must, may, chosen.co),
                BaseRelation::SyncFence => copy(must, may, chosen.sync_fence),
                BaseRelation::Fr => {
                    from_reads(must, chosen.rf.0, chosen.co.0);
                    from_reads(may, chosen.rf.1, chosen.co.1);
                }
                _ => {}
            }
            self.exact[operation.to.index()] = must == may;
            return;
        }
        let exact = operation.node.children().all(|c| self.exact[c.index()]);
        let swaps = matches!(operation.node, Node::Difference(..) | Node::Complement(_));
        apply(&mut self.must, if swaps { Some(&self.may) } else { None }, operation, n, width);
        if exact {
            let (must, may) = (&self.must[start..start + width], &mut self.may[start..start + width]);
            may.copy_from_slice(must);
            self.exact[operation.to.index()] = true;
        } else {
            apply(&mut self.may, if swaps { Some(&self.must) } else { None }, operation, n, width);
            self.exact[operation.to.index()] = self.must[start..start + width] == self.may[start..start + width];
        }
    }
}

fn copy(must: &mut [u64], may: &mut [u64], from: (&[u64], &[u64])) {
    must.copy_from_slice(from.0);
    may.copy_from_slice(from.1);
}

/// `rf^-1; co`
fn from_reads(to: &mut [u64], rf: &[u64], co: &[u64]) {
    to.fill(0);
    for (&reads, &later) in rf.iter().zip(co) {
        let mut rest = if later == 0 { 0 } else { reads };
        while rest != 0 {
            to[rest.trailing_zeros() as usize] |= later;
            rest &= rest - 1;
        }
    }
}

/// Computes one bound of a node. `other` is the table of the other bound, for operators that swap.
fn apply(table: &mut [u64], other: Option<&[u64]>, operation: &Operation, n: usize, width: usize) {
    let start = operation.to.index() * n;
    // A node is none of its own operands: taken out while it is computed.
    let (before, rest) = table.split_at_mut(start);
    let (to, behind) = rest.split_at_mut(n);
    let offset = start + n;
    let rows = |id: ExprId| {
        let at = id.index() * n;
        if at < offset { &before[at..at + n] } else { &behind[at - offset..at - offset + n] }
    };
    let swapped = |id: ExprId| match other {
        Some(other) => &other[id.index() * n..id.index() * n + n],
        None => rows(id),
    };
    let to = &mut to[..width];
    let all = if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    let mut combine = |a: &[u64], b: &[u64], word: fn(u64, u64) -> u64| {
        for (to, (&a, &b)) in to.iter_mut().zip(a.iter().zip(b)) {
            *to = word(a, b);
        }
    };
    match operation.node {
        Node::Set(_) | Node::Relation(_) | Node::Definition(_) => {}
        Node::Empty(_) => to.fill(0),
        Node::Union(a, b) => combine(rows(a), rows(b), |a, b| a | b),
        Node::Intersection(a, b) => combine(rows(a), rows(b), |a, b| a & b),
        Node::Difference(a, b) => combine(rows(a), swapped(b), |a, b| a & !b),
        Node::Complement(a) => {
            let a = swapped(a);
            to.iter_mut().zip(a).for_each(|(to, &a)| *to = all & !a);
        }
        Node::Sequence(a, b) => {
            let b = rows(b);
            for (to, &row) in to.iter_mut().zip(rows(a)) {
                let (mut rest, mut successors) = (row, 0);
                while rest != 0 {
                    successors |= b[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
                *to = successors;
            }
        }
        Node::Product(a, b) => {
            let (a, b) = (rows(a)[0], rows(b)[0]);
            to.iter_mut().enumerate().for_each(|(i, to)| *to = if a >> i & 1 == 1 { b } else { 0 });
        }
        Node::Diagonal(a) => {
            let a = rows(a)[0];
            to.iter_mut().enumerate().for_each(|(i, to)| *to = a & 1 << i);
        }
        Node::Inverse(a) => {
            to.fill(0);
            for (i, &row) in rows(a).iter().enumerate() {
                let mut rest = row;
                while rest != 0 {
                    to[rest.trailing_zeros() as usize] |= 1 << i;
                    rest &= rest - 1;
                }
            }
        }
        Node::Closure(a) | Node::ReflexiveClosure(a) => {
            to.copy_from_slice(rows(a));
            close(to);
            if matches!(operation.node, Node::ReflexiveClosure(_)) {
                add_identity(to);
            }
        }
        Node::Optional(a) => {
            to.copy_from_slice(rows(a));
            add_identity(to);
        }
        Node::Domain(a) => to[0] = rows(a).iter().enumerate().fold(0, |set, (i, &row)| set | u64::from(row != 0) << i),
        Node::Range(a) => to[0] = rows(a).iter().fold(0, |set, row| set | row),
    }
}

fn add_identity(to: &mut [u64]) {
    to.iter_mut().enumerate().for_each(|(i, to)| *to |= 1 << i);
}

/// The transitive closure, by Warshall's algorithm.
pub(super) fn close(rows: &mut [u64]) {
    for k in 0..rows.len() {
        let through = rows[k];
        if through != 0 {
            for row in rows.iter_mut() {
                if *row >> k & 1 == 1 {
                    *row |= through;
                }
            }
        }
    }
}

/// Is there no cycle? Events without successors are taken away until nothing is left, or nothing can be taken away.
fn acyclic(rows: &[u64]) -> bool {
    let mut left = rows.iter().enumerate().fold(0u64, |left, (i, &row)| left | u64::from(row != 0) << i);
    loop {
        let mut kept = 0;
        let mut rest = left;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if rows[i] & left != 0 {
                kept |= 1 << i;
            }
        }
        if kept == 0 {
            return true;
        }
        if kept == left {
            return false;
        }
        left = kept;
    }
}
