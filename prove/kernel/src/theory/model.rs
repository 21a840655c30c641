//! From typed .cat models to expressions and assumptions of a theory.

use margay_models::diagnostic::SourcePlace;
use margay_models::model::{CheckKind, DefId, ExprId as Node, Model, Node as CatNode, Sort};
use margay_models::signature::BaseSet;
use rustc_hash::FxHashMap;

use super::{MOST_SYMBOLS, Opening, Sentence, SentenceReason, Theory, Treatment};
use crate::logic::{
    EventTerm, Meaning, Pred, RelationMap, TheoryExpr, TheoryExprId, TheoryFormula,
};

/// What the base names of one level (source or target) mean: every name of its signature.
#[derive(Debug, Clone)]
pub struct BaseMeaning {
    /// The events of the level.
    pub universe: TheoryExprId,
    pub sets: FxHashMap<BaseSet, TheoryExprId>,
    pub relations: RelationMap<TheoryExprId>,
    /// The symbols of relations, of all events: where some source operations become nothing, a
    /// relation of the target is a part of its symbol.
    pub symbols: RelationMap<Pred>,
    /// The names that nothing is in, whatever the execution, and why.
    pub empty: Vec<(&'static str, &'static str)>,
}

impl BaseMeaning {
    /// No name means anything yet.
    pub(super) fn new(universe: TheoryExprId) -> Self {
        let (sets, relations, symbols) =
            (FxHashMap::default(), RelationMap::default(), RelationMap::default());
        Self { universe, sets, relations, symbols, empty: Vec::new() }
    }

    /// What a set is.
    ///
    /// # Panics
    /// If it has no meaning here. That a name meant nothing would be taken for a sentence about
    /// executions.
    fn set(&self, set: BaseSet) -> TheoryExprId {
        *self
            .sets
            .get(&set)
            .unwrap_or_else(|| panic!("the base set `{}` has no meaning in a proof", set.name()))
    }
}

/// A model whose definitions are symbols of a theory.
#[derive(Debug, Clone)]
pub struct Translated {
    /// The value of each definition of the model that a check depends on.
    pub definitions: FxHashMap<DefId, TheoryExprId>,
    /// What each check is about.
    pub checks: Vec<TheoryExprId>,
    /// Where each symbol that was made for a definition is written.
    pub places: FxHashMap<Pred, SourcePlace>,
}

impl Translated {
    /// The symbols of definitions.
    pub fn symbols(&self, theory: &Theory) -> Vec<(DefId, Pred)> {
        let mut all: Vec<(DefId, Pred)> = self
            .definitions
            .iter()
            .filter_map(|(&id, &value)| theory.as_symbol(value).map(|p| (id, p)))
            .collect();
        all.sort_unstable();
        all
    }
}

struct ModelTranslation<'a> {
    model: &'a Model,
    base: &'a BaseMeaning,
    theory: &'a mut Theory,
    known: FxHashMap<Node, TheoryExprId>,
    definitions: FxHashMap<DefId, TheoryExprId>,
    places: FxHashMap<Pred, SourcePlace>,
    groups: u16,
}

impl Theory {
    /// Reads a model over the base names of a level.
    pub fn translate(&mut self, model: &Model, base: &BaseMeaning) -> Translated {
        let mut translation = ModelTranslation::new(self, model, base);
        let checks = model.checks.iter().map(|c| translation.expr(c.expr)).collect();
        Translated { definitions: translation.definitions, checks, places: translation.places }
    }

    /// Reads expressions of a model over the base names of a level.
    pub fn translate_all(
        &mut self,
        model: &Model,
        base: &BaseMeaning,
        nodes: &[Node],
    ) -> Vec<TheoryExprId> {
        let mut translation = ModelTranslation::new(self, model, base);
        nodes.iter().map(|&node| translation.expr(node)).collect()
    }

    /// It is kept among the sentences unless it is a lemma.
    pub fn assume_check(
        &mut self,
        kind: CheckKind,
        expr: TheoryExprId,
        is_set: bool,
        transitive: bool,
        reason: &SentenceReason,
    ) {
        if !matches!(reason, SentenceReason::Lemma(..)) {
            self.sentences.push((Sentence { kind, expr, is_set, transitive }, reason.clone()));
        }
        let form = self.violation(Sentence { kind, expr, is_set, transitive });
        self.assume(&form.negated(), reason);
    }

    /// What an event or a pair would be that violates a check.
    pub fn violation(&mut self, sentence: Sentence) -> TheoryFormula {
        let Sentence { kind, expr, is_set, transitive } = sentence;
        let (x, y) = (EventTerm::variable(0), EventTerm::variable(1));
        match kind {
            CheckKind::Empty if is_set => self.premise(expr, x, x, 1),
            CheckKind::Empty => self.premise(expr, x, y, 2),
            CheckKind::Irreflexive => self.premise(expr, x, x, 1),
            CheckKind::Acyclic if transitive => self.premise(expr, x, x, 1),
            CheckKind::Acyclic => {
                let closure = self.closure_name(expr);
                let closure = self.exprs.symbol(closure);
                self.form(closure, x, x)
            }
        }
    }

    /// The formula of a premise, with variables where sequences meet, as long as there are at most
    /// three.
    fn premise(
        &mut self,
        expr: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        variables: usize,
    ) -> TheoryFormula {
        let mut opening = Opening {
            treat: &|_, _, _| Treatment::Keep,
            next: variables,
            within: Vec::new(),
            variables: Some(3),
            left: MOST_SYMBOLS,
        };
        self.open(expr, s, t, &mut opening)
    }
}

impl Theory {
    /// A relation of another model with this name and the same recursive body is the same least
    /// fixpoint.
    fn same_recursion(&mut self, pred: Pred, name: &str) -> Option<Pred> {
        let Meaning::Fixpoint(body, _) = self.symbols.get(pred).meaning else { return None };
        let arity = self.symbols.get(pred).arity;
        let others = self.defined.get(name)?.clone();
        others.into_iter().filter(|&known| known != pred).find(|&known| {
            let other = self.symbols.get(known);
            let (same_kind, meaning) = (other.arity == arity, other.meaning);
            same_kind && matches!(meaning, Meaning::Fixpoint(other, _) if self.exprs.renamed(body, pred, known) == other)
        })
    }

    /// None where the name is new, or meant something else so far.
    fn same_definition(&self, name: &str, arity: u8, meaning: Meaning) -> Option<Pred> {
        let same = |p: &&Pred| {
            (self.symbols.get(**p).arity, self.symbols.get(**p).meaning) == (arity, meaning)
        };
        self.defined.get(name)?.iter().find(same).copied()
    }
}

impl<'a> ModelTranslation<'a> {
    fn new(theory: &'a mut Theory, model: &'a Model, base: &'a BaseMeaning) -> Self {
        let known = FxHashMap::default();
        let (definitions, places) = (FxHashMap::default(), FxHashMap::default());
        Self { model, base, theory, known, definitions, places, groups: 0 }
    }

    fn definition(&mut self, id: DefId) -> TheoryExprId {
        if let Some(&known) = self.definitions.get(&id) {
            return known;
        }
        let definition = self.model.definition(id);
        if let Some(group) = definition.group {
            self.group(&self.model.groups[group.index()].clone());
            return self.definitions[&id];
        }
        let body = self.expr(definition.body);
        let value = match self.theory.exprs.get(body) {
            TheoryExpr::Empty | TheoryExpr::All => body,
            TheoryExpr::Symbol(p) => {
                self.theory.name_closure(p, &definition.name);
                body
            }
            _ => {
                let pred = self.declare(id, Meaning::Defined(body));
                self.theory.exprs.symbol(pred)
            }
        };
        self.definitions.insert(id, value);
        value
    }

    fn declare(&mut self, id: DefId, meaning: Meaning) -> Pred {
        let definition = self.model.definition(id);
        let arity = if definition.sort == Sort::Set { 1 } else { 2 };
        // A member of a recursion has no meaning yet.
        if meaning != Meaning::Base
            && let Some(known) = self.theory.same_definition(&definition.name, arity, meaning)
        {
            return known;
        }
        let symbols = &mut self.theory.symbols;
        let name = if symbols.shown(&definition.name).is_some() {
            format!("{}.{}", self.model.name, definition.name)
        } else {
            definition.name.clone()
        };
        let pred = symbols.declare(&name, arity, meaning);
        self.theory.defined.entry(definition.name.clone()).or_default().push(pred);
        self.places.insert(pred, definition.place.clone());
        pred
    }

    /// Members of a recursive definition refer to each other, so all have symbols before any has a
    /// body.
    fn group(&mut self, members: &[DefId]) {
        let group = self.groups;
        self.groups += 1;
        let mut preds = Vec::new();
        for &member in members {
            let pred = self.declare(member, Meaning::Base);
            let value = self.theory.exprs.symbol(pred);
            self.definitions.insert(member, value);
            preds.push(pred);
        }
        for (&member, &pred) in members.iter().zip(&preds) {
            let body = self.expr(self.model.definition(member).body);
            self.theory.symbols.define(pred, Meaning::Fixpoint(body, group));
        }
        if let ([member], [pred]) = (members, &preds[..])
            && let Some(known) =
                self.theory.same_recursion(*pred, &self.model.definition(*member).name)
        {
            self.definitions.insert(*member, self.theory.exprs.symbol(known));
        }
    }

    fn expr(&mut self, id: Node) -> TheoryExprId {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let sort = self.model.arena.sort(id);
        let node = self.model.arena.node(id);
        let value = match node {
            CatNode::Set(BaseSet::Universe) => self.base.universe,
            CatNode::Set(set) => self.base.set(set),
            CatNode::Relation(r) => self.base.relations[r],
            CatNode::Empty(_) => self.theory.exprs.make(TheoryExpr::Empty),
            CatNode::Definition(d) => self.definition(d),
            CatNode::Union(a, b) => self.binary(TheoryExpr::Union, a, b),
            CatNode::Intersection(a, b) => self.binary(TheoryExpr::Intersection, a, b),
            CatNode::Difference(a, b) => self.binary(TheoryExpr::Difference, a, b),
            CatNode::Sequence(a, b) => self.binary(TheoryExpr::Sequence, a, b),
            CatNode::Product(a, b) => self.binary(TheoryExpr::Product, a, b),
            CatNode::Diagonal(a) => self.unary(TheoryExpr::Diagonal, a),
            CatNode::Inverse(a) => self.unary(TheoryExpr::Inverse, a),
            CatNode::Complement(a) => {
                let (all, a) = (self.everything(sort), self.expr(a));
                self.theory.exprs.make(TheoryExpr::Difference(all, a))
            }
            CatNode::Optional(a) => {
                let (identity, a) = (self.identity(), self.expr(a));
                self.theory.exprs.union(identity, a)
            }
            CatNode::Closure(a) => self.closure(a),
            CatNode::ReflexiveClosure(a) => {
                let (identity, closure) = (self.identity(), self.closure(a));
                self.theory.exprs.union(identity, closure)
            }
            CatNode::Domain(a) | CatNode::Range(a) => {
                let a = self.expr(a);
                if self.theory.exprs.get(a) == TheoryExpr::Empty {
                    a
                } else {
                    let name = self.theory.end_name(a, matches!(node, CatNode::Range(_)));
                    self.theory.exprs.symbol(name)
                }
            }
        };
        self.known.insert(id, value);
        value
    }

    fn unary(&mut self, make: fn(TheoryExprId) -> TheoryExpr, a: Node) -> TheoryExprId {
        let a = self.expr(a);
        self.theory.exprs.make(make(a))
    }

    fn binary(
        &mut self,
        make: fn(TheoryExprId, TheoryExprId) -> TheoryExpr,
        a: Node,
        b: Node,
    ) -> TheoryExprId {
        let (a, b) = (self.expr(a), self.expr(b));
        self.theory.exprs.make(make(a, b))
    }

    fn closure(&mut self, a: Node) -> TheoryExprId {
        let a = self.expr(a);
        if self.theory.exprs.get(a) == TheoryExpr::Empty {
            return a;
        }
        let name = self.theory.closure_name(a);
        self.theory.exprs.symbol(name)
    }

    /// Every event of the level, or every pair of them.
    fn everything(&mut self, sort: Sort) -> TheoryExprId {
        match sort {
            Sort::Set => self.base.universe,
            Sort::Relation => {
                self.theory.exprs.make(TheoryExpr::Product(self.base.universe, self.base.universe))
            }
        }
    }

    fn identity(&mut self) -> TheoryExprId {
        self.theory.exprs.make(TheoryExpr::Diagonal(self.base.universe))
    }
}
