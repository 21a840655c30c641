//! Axioms and flags that a model gets beside its own.
//!
//! Is everything that is not synchronised ordered by causality? PTX gives a meaning to races of
//! accesses that overlap completely, and none to those that overlap partially (PTX ISA 8.7.2): who
//! takes an access apart asks this first.

use super::{Check, CheckKind, ExprId, Model, Node, Role, Sort};
use crate::diagnostic::{SourcePlace, Span};
use crate::signature::{BaseRelation, BaseSet};

/// What PTX models call causality order.
const CAUSALITY: [&str; 2] = ["causality", "cause"];

/// The name of the flag.
const UNORDERED: &str = "unordered";

/// The names of the axioms.
const COHERENCE: &str = "coherence of each location";
const ORIGINS: &str = "values come from somewhere";

impl Model {
    /// The axioms of the model, and one flag: two accesses of different threads to one location,
    /// one of which writes and one of which is weak, that causality order leaves unordered. `None`
    /// for a model without weak operations (it is not of PTX), or one that defines no relation
    /// `causality` or `cause`.
    #[must_use]
    pub fn flagging_unordered(&self) -> Option<Model> {
        let name = CAUSALITY.into_iter().find(|name| self.definition_named(name).is_some())?;
        let definition = self.definition_named(name)?;
        if !BaseSet::Weak.is_in(self.signature)
            || self.definition(definition).sort != Sort::Relation
        {
            return None;
        }
        let mut model = self.clone();
        let place = self.definition(definition).place.clone();
        let arena = &mut model.arena;
        let mut set = |base: BaseSet| arena.intern(Node::Set(base), Sort::Set);
        let (writes, accesses, initial) = (set(BaseSet::W), set(BaseSet::M), set(BaseSet::Iw));
        let (weak, all) = (set(BaseSet::Weak), set(BaseSet::Universe));
        let written = arena.intern(Node::Difference(writes, initial), Sort::Set);
        let accessed = arena.intern(Node::Difference(accesses, initial), Sort::Set);
        let mut relation = |node: Node| arena.intern(node, Sort::Relation);
        let mut either = |a, b| {
            let (one, other) = (relation(Node::Product(a, b)), relation(Node::Product(b, a)));
            relation(Node::Union(one, other))
        };
        let (conflict, with_weak) = (either(written, accessed), either(weak, all));
        let conflict = relation(Node::Intersection(conflict, with_weak));
        let (same, threads) = (
            relation(Node::Relation(BaseRelation::Loc)),
            relation(Node::Relation(BaseRelation::Ext)),
        );
        let places = relation(Node::Intersection(same, threads));
        let conflict = relation(Node::Intersection(conflict, places));
        let ordered = relation(Node::Definition(definition));
        let backwards = relation(Node::Inverse(ordered));
        let ordered = relation(Node::Union(ordered, backwards));
        let expr = relation(Node::Difference(conflict, ordered));
        model.checks.retain(|check| check.role == Role::Axiom);
        model.checks.push(Check {
            name: Some(UNORDERED.to_owned()),
            kind: CheckKind::Empty,
            negated: true,
            role: Role::Flag,
            expr,
            text: UNORDERED.to_owned(),
            place,
        });
        Some(model)
    }

    /// The model with one more axiom, and the number of that: each location by itself behaves as in
    /// an interleaving of the threads (`acyclic (po & loc) | rf | co | fr`).
    #[must_use]
    pub fn asking_for_coherence(&self) -> (Model, usize) {
        let mut model = self.clone();
        let mut relation = |node: Node| model.arena.intern(node, Sort::Relation);
        let [po, loc] =
            BaseRelation::IN_ORDER_AT_A_PLACE.map(|base| relation(Node::Relation(base)));
        let program = relation(Node::Intersection(po, loc));
        model.forbid_cycles(COHERENCE, vec![program], &BaseRelation::COMMUNICATION);
        let number = model.checks.len() - 1;
        (model, number)
    }

    /// The model with one more axiom: no read-modify-write reads what comes of its own write
    /// (`acyclic rf | rmw`).
    #[must_use]
    pub fn asking_for_origins(&self) -> Model {
        let mut model = self.clone();
        model.forbid_cycles(ORIGINS, Vec::new(), &BaseRelation::THROUGH_UPDATES);
        model
    }

    /// One more axiom: the relations together have no cycle.
    fn forbid_cycles(&mut self, name: &str, mut relations: Vec<ExprId>, further: &[BaseRelation]) {
        let arena = &mut self.arena;
        let mut relation = |node: Node| arena.intern(node, Sort::Relation);
        relations.extend(further.iter().map(|&base| relation(Node::Relation(base))));
        let expr = relations.into_iter().reduce(|all, one| relation(Node::Union(all, one)));
        let Some(expr) = expr else { return };
        let place = SourcePlace { file: self.source.clone(), span: Span::default() };
        let text = name.to_owned();
        self.checks.push(Check {
            name: Some(text.clone()),
            kind: CheckKind::Acyclic,
            negated: false,
            role: Role::Axiom,
            expr,
            text,
            place,
        });
    }
}
