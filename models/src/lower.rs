//! From typed model to relational logic: one formula for each check. Nothing is shared with the
//! judge, so that the two can be compared.

mod communication;

use margay_solver::{Expr, Formula, Logic, Recursion};
use rustc_hash::FxHashMap;

use crate::model::{Check, CheckKind, DefId, ExprId, GroupId, Model, Node, Sort};
use crate::signature::{BaseRelation, BaseSet, RelationFormula, RelationKind};
use communication::CommunicationPart;

/// What a base name is at one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpretation {
    /// The value of this expression.
    Is(Expr),
    /// What follows from other names: `M` from `R` and `W`, `id`, `fr` from `rf` and `co`, `ext`
    /// from `int`.
    Follows,
    /// Nothing is in it, in no execution of the question, for this reason. A name that is empty for
    /// no reason is an error of whoever says so.
    Empty(&'static str),
}

impl Interpretation {
    /// The value, if there is one, or else nothing for a reason.
    pub fn of(value: Option<Expr>, otherwise: &'static str) -> Self {
        value.map_or(Self::Empty(otherwise), Self::Is)
    }

    /// The expression, if it is one of its own.
    pub fn expr(self) -> Option<Expr> {
        match self {
            Self::Is(expr) => Some(expr),
            Self::Follows | Self::Empty(_) => None,
        }
    }
}

/// The base sets and relations of one level (source or target) of a problem. Both levels share one
/// SAT universe, therefore `~`, `_`, `id`, `?` and `*` are relative to the events of this level.
pub trait BaseInterpretation {
    /// What a base set is. `_` is not asked for here.
    fn set(&self, set: BaseSet) -> Interpretation;
    fn relation(&self, relation: BaseRelation) -> Interpretation;
    /// The set of this level's events.
    fn universe(&self) -> Expr;
    /// Are closures of communication relations to be written in closed form? To say no is for
    /// measurements.
    fn closed_forms(&self) -> bool {
        true
    }
}

/// A model as formulas.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// For each check of the model: the test holds, as written (with its `~`; its role is the
    /// caller's business).
    pub checks: Vec<Formula>,
    /// The value of each definition of the model.
    pub definitions: Vec<Expr>,
}

/// Translates a model.
pub fn lower(model: &Model, logic: &mut Logic, base: &dyn BaseInterpretation) -> Lowered {
    let mut lowering = LogicTranslation {
        model,
        logic,
        base,
        known: FxHashMap::default(),
        recursions: FxHashMap::default(),
        fixpoints: FxHashMap::default(),
    };
    let checks = model.checks.iter().map(|check| lowering.check(check)).collect();
    let definitions =
        (0..model.definitions.len()).map(|d| lowering.definition(DefId::from(d))).collect();
    Lowered { checks, definitions }
}

/// Whose iteration a node is lowered for: within a group its members are variables, elsewhere they
/// are the fixpoint.
type LoweringContext = Option<GroupId>;

/// What is to be done, last one first; an explicit stack, since definitions may form long chains.
#[derive(Debug, Clone, Copy)]
enum LoweringTask {
    /// Lower what the node needs, then the node.
    Visit(ExprId, LoweringContext),
    /// Lower the node; what it needs is known.
    Build(ExprId, LoweringContext),
    /// Make the fixpoints of a group; the bodies are known.
    Close(GroupId),
}

struct LogicTranslation<'a> {
    model: &'a Model,
    logic: &'a mut Logic,
    base: &'a dyn BaseInterpretation,
    /// What was lowered.
    known: FxHashMap<(ExprId, LoweringContext), Expr>,
    /// The variable of each recursive definition.
    recursions: FxHashMap<DefId, Recursion>,
    /// The value of each recursive definition whose group is closed.
    fixpoints: FxHashMap<DefId, Expr>,
}

impl LogicTranslation<'_> {
    fn check(&mut self, check: &Check) -> Formula {
        let expr = self.expr(check.expr);
        let holds = match check.kind {
            CheckKind::Acyclic => self.logic.acyclic(expr),
            CheckKind::Irreflexive => self.logic.irreflexive(expr),
            CheckKind::Empty => self.logic.no(expr),
        };
        if check.negated { self.logic.not(holds) } else { holds }
    }

    fn definition(&mut self, id: DefId) -> Expr {
        // A recursive one is asked for by its own node, so that it becomes the fixpoint and not one
        // more application of its body.
        match self.model.arena.find(Node::Definition(id)) {
            Some(node) => self.expr(node),
            None => self.expr(self.model.definition(id).body),
        }
    }

    fn expr(&mut self, root: ExprId) -> Expr {
        let mut tasks = vec![LoweringTask::Visit(root, None)];
        while let Some(task) = tasks.pop() {
            match task {
                LoweringTask::Visit(id, context) => self.visit(id, context, &mut tasks),
                LoweringTask::Build(id, context) => {
                    let expr = self.build(id, context);
                    self.known.insert((id, context), expr);
                }
                LoweringTask::Close(group) => self.close(group),
            }
        }
        self.known[&(root, None)]
    }

    fn visit(&mut self, id: ExprId, context: LoweringContext, tasks: &mut Vec<LoweringTask>) {
        if self.known.contains_key(&(id, context)) {
            return;
        }
        tasks.push(LoweringTask::Build(id, context));
        let node = self.model.arena.node(id);
        let Node::Definition(d) = node else {
            tasks.extend(node.children().map(|c| LoweringTask::Visit(c, context)));
            return;
        };
        match self.model.definition(d).group {
            None => tasks.push(LoweringTask::Visit(self.model.definition(d).body, context)),
            Some(group) if context == Some(group) || self.fixpoints.contains_key(&d) => {}
            Some(group) => {
                tasks.push(LoweringTask::Close(group));
                for &member in &self.model.groups[group.index()] {
                    let definition = self.model.definition(member);
                    // Numbered among those that are open: equal recursive definitions of two models
                    // are one expression.
                    let number = self.recursions.len() - self.fixpoints.len();
                    let recursion = self.logic.numbered_recursion(
                        number,
                        &definition.name,
                        arity(definition.sort),
                    );
                    self.recursions.insert(member, recursion);
                    tasks.push(LoweringTask::Visit(definition.body, Some(group)));
                }
            }
        }
    }

    fn close(&mut self, group: GroupId) {
        let members = &self.model.groups[group.index()];
        let definitions: Vec<(Recursion, Expr)> = members
            .iter()
            .map(|&m| {
                (self.recursions[&m], self.known[&(self.model.definition(m).body, Some(group))])
            })
            .collect();
        let fixpoints =
            self.logic.fixpoint(&definitions).expect("typing accepts monotone definitions only");
        self.fixpoints.extend(members.iter().copied().zip(fixpoints));
    }

    fn build(&mut self, id: ExprId, context: LoweringContext) -> Expr {
        let node = self.model.arena.node(id);
        let value = |e: ExprId| self.known[&(e, context)];
        match node {
            Node::Set(BaseSet::Universe) => self.base.universe(),
            Node::Set(set) => self.base_set(set),
            Node::Relation(relation) => self.base_relation(relation),
            Node::Empty(sort) => self.logic.empty(arity(sort)),
            Node::Definition(d) => match self.model.definition(d).group {
                None => value(self.model.definition(d).body),
                Some(group) if context == Some(group) => {
                    let recursion = self.recursions[&d];
                    self.logic.rec(recursion)
                }
                Some(_) => self.fixpoints[&d],
            },
            Node::Union(a, b) => {
                let (a, b) = (value(a), value(b));
                self.logic.union(a, b)
            }
            Node::Intersection(a, b) => self.intersection(a, b, context),
            Node::Difference(a, b) => {
                let (a, b) = (value(a), value(b));
                self.logic.difference(a, b)
            }
            Node::Complement(a) => {
                let (a, all) = (value(a), self.all(self.model.arena.sort(id)));
                self.logic.difference(all, a)
            }
            Node::Sequence(a, b) => self.sequence(a, b, context),
            Node::Product(a, b) => {
                let (a, b) = (value(a), value(b));
                self.logic.product(a, b)
            }
            Node::Diagonal(a) => {
                let a = value(a);
                self.logic.diagonal(a)
            }
            Node::Inverse(a) => {
                let a = value(a);
                self.logic.transpose(a)
            }
            Node::Closure(a) => {
                let lowered = value(a);
                self.closure(a, lowered)
            }
            Node::ReflexiveClosure(a) => {
                let lowered = value(a);
                let closure = self.closure(a, lowered);
                self.or_identity(closure)
            }
            Node::Optional(a) => {
                let a = value(a);
                self.or_identity(a)
            }
            Node::Domain(a) => {
                let a = value(a);
                self.logic.domain(a)
            }
            Node::Range(a) => {
                let a = value(a);
                self.logic.range(a)
            }
        }
    }

    /// `a; b`, where `[S]` restricts the other side.
    fn sequence(&mut self, a: ExprId, b: ExprId, context: LoweringContext) -> Expr {
        let value = |e: ExprId| self.known[&(e, context)];
        match (self.model.arena.node(a), self.model.arena.node(b)) {
            (Node::Diagonal(set), _) => {
                let (set, r) = (value(set), value(b));
                self.logic.restrict_domain(set, r)
            }
            (_, Node::Diagonal(set)) => {
                let (r, set) = (value(a), value(set));
                self.logic.restrict_range(r, set)
            }
            _ => {
                let (a, b) = (value(a), value(b));
                self.logic.join(a, b)
            }
        }
    }

    /// `a & b`, where `S * T` restricts the other side.
    fn intersection(&mut self, a: ExprId, b: ExprId, context: LoweringContext) -> Expr {
        let value = |e: ExprId| self.known[&(e, context)];
        let (r, from, to) = match (self.model.arena.node(a), self.model.arena.node(b)) {
            (Node::Product(from, to), _) => (value(b), value(from), value(to)),
            (_, Node::Product(from, to)) => (value(a), value(from), value(to)),
            _ => {
                let (a, b) = (value(a), value(b));
                return self.logic.intersection(a, b);
            }
        };
        let r = self.logic.restrict_domain(from, r);
        self.logic.restrict_range(r, to)
    }

    /// `r+`, by its closed form where there is one.
    fn closure(&mut self, id: ExprId, r: Expr) -> Expr {
        let parts =
            if self.base.closed_forms() { CommunicationPart::of(self.model, id) } else { None };
        let Some(parts) = parts else { return self.logic.closure(r) };
        let [rf, co, fr] = BaseRelation::COMMUNICATION.map(|relation| self.base_relation(relation));
        if !parts.rf {
            // co and fr; co compose to themselves, and nothing else composes.
            return r;
        }
        // From write to write: co, or else what rf; fr makes of it.
        let between_writes = match (parts.co, parts.fr) {
            (true, _) => co,
            (false, true) => self.logic.join(rf, fr),
            (false, false) => return r,
        };
        let mut closure = self.logic.union(r, between_writes);
        let read_later = self.logic.join(between_writes, rf);
        closure = self.logic.union(closure, read_later);
        if parts.fr {
            let read_again = self.logic.join(fr, rf);
            closure = self.logic.union(closure, read_again);
        }
        closure
    }

    fn or_identity(&mut self, r: Expr) -> Expr {
        let identity = self.identity();
        self.logic.union(r, identity)
    }

    fn identity(&mut self) -> Expr {
        let universe = self.base.universe();
        self.logic.diagonal(universe)
    }

    /// Every event, or every pair of events.
    fn all(&mut self, sort: Sort) -> Expr {
        let universe = self.base.universe();
        match sort {
            Sort::Set => universe,
            Sort::Relation => self.logic.product(universe, universe),
        }
    }

    fn base_set(&mut self, set: BaseSet) -> Expr {
        match (self.base.set(set), set) {
            (Interpretation::Is(expr), _) => expr,
            (Interpretation::Follows, BaseSet::M) => {
                let (r, w) = (self.base_set(BaseSet::R), self.base_set(BaseSet::W));
                self.logic.union(r, w)
            }
            (Interpretation::Follows, _) => {
                unreachable!("the base set `{}` has no meaning here", set.name())
            }
            (Interpretation::Empty(_), _) => self.logic.empty(1),
        }
    }

    fn base_relation(&mut self, relation: BaseRelation) -> Expr {
        match self.base.relation(relation) {
            Interpretation::Is(expr) => expr,
            Interpretation::Follows => match relation.kind() {
                RelationKind::Derived(formula) => self.derived(formula),
                _ => unreachable!("the base relation `{}` has no meaning here", relation.name()),
            },
            Interpretation::Empty(_) => self.logic.empty(2),
        }
    }

    fn derived(&mut self, formula: RelationFormula) -> Expr {
        match formula {
            RelationFormula::Identity => self.identity(),
            RelationFormula::BackAndOn(back, on) => {
                let (back, on) = (self.base_relation(back), self.base_relation(on));
                let inverse = self.logic.transpose(back);
                self.logic.join(inverse, on)
            }
            RelationFormula::Complement(of) => {
                let (all, of) = (self.all(Sort::Relation), self.base_relation(of));
                self.logic.difference(all, of)
            }
        }
    }
}

/// The number of columns.
fn arity(sort: Sort) -> usize {
    match sort {
        Sort::Set => 1,
        Sort::Relation => 2,
    }
}
