//! From typed .cat models to expressions and assumptions of a theory.

use margay_models::diagnostic::Place;
use margay_models::model::{CheckKind, DefId, ExprId as Node, Model, Node as CatNode, Sort};
use margay_models::signature::{BaseRelation, BaseSet};
use rustc_hash::FxHashMap;

use super::{MOST_SYMBOLS, Opening, Reason, Sentence, Theory, Treatment};
use crate::logic::{Expr, ExprId, Form, Meaning, Pred, Term};

/// What the base names of one level (source or target) mean.
#[derive(Debug, Clone)]
pub struct Base {
    /// The events of the level.
    pub universe: ExprId,
    /// Base sets.
    pub sets: FxHashMap<BaseSet, ExprId>,
    /// Base relations.
    pub relations: FxHashMap<BaseRelation, ExprId>,
}

/// A model whose definitions are symbols of a theory.
#[derive(Debug, Clone)]
pub struct Translated {
    /// The value of each definition of the model that a check depends on.
    pub definitions: FxHashMap<DefId, ExprId>,
    /// What each check is about.
    pub checks: Vec<ExprId>,
    /// Where each symbol that was made for a definition is written.
    pub places: FxHashMap<Pred, Place>,
}

impl Translated {
    /// The symbols of definitions.
    pub fn symbols(&self, theory: &Theory) -> Vec<(DefId, Pred)> {
        let mut all: Vec<(DefId, Pred)> =
            self.definitions.iter().filter_map(|(&id, &value)| theory.as_symbol(value).map(|p| (id, p))).collect();
        all.sort_unstable();
        all
    }
}

struct Translation<'a> {
    model: &'a Model,
    base: &'a Base,
    theory: &'a mut Theory,
    known: FxHashMap<Node, ExprId>,
    definitions: FxHashMap<DefId, ExprId>,
    places: FxHashMap<Pred, Place>,
    groups: u16,
}

impl Theory {
    /// Reads a model over the base names of a level.
    pub fn translate(&mut self, model: &Model, base: &Base) -> Translated {
        let mut translation = Translation::new(self, model, base);
        let checks = model.checks.iter().map(|c| translation.expr(c.expr)).collect();
        Translated { definitions: translation.definitions, checks, places: translation.places }
    }

    /// Reads expressions of a model over the base names of a level.
    pub fn translate_all(&mut self, model: &Model, base: &Base, nodes: &[Node]) -> Vec<ExprId> {
        let mut translation = Translation::new(self, model, base);
        nodes.iter().map(|&node| translation.expr(node)).collect()
    }

    /// Assumes a check.
    pub fn assume_check(&mut self, kind: CheckKind, expr: ExprId, is_set: bool, transitive: bool, reason: &Reason) {
        if !matches!(reason, Reason::Lemma(..)) {
            self.sentences.push((Sentence { kind, expr, is_set, transitive }, reason.clone()));
        }
        let form = self.violation(Sentence { kind, expr, is_set, transitive });
        self.assume(&form.negated(), reason);
    }

    /// What an event or a pair would be that violates a check.
    pub fn violation(&mut self, sentence: Sentence) -> Form {
        let Sentence { kind, expr, is_set, transitive } = sentence;
        let (x, y) = (Term::variable(0), Term::variable(1));
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

    /// The formula of a premise, with variables where sequences meet, as long as there are at most three.
    fn premise(&mut self, expr: ExprId, s: Term, t: Term, variables: usize) -> Form {
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
    /// A relation of another model with this name and the same recursive body is the same least fixpoint.
    fn same_recursion(&mut self, pred: Pred, name: &str) -> Option<Pred> {
        let known = self.symbols.named(name).filter(|&k| k != pred)?;
        let (Meaning::Fixpoint(body, _), Meaning::Fixpoint(other, _)) =
            (self.symbols.get(pred).meaning, self.symbols.get(known).meaning)
        else {
            return None;
        };
        let renamed = self.exprs.renamed(body, pred, known);
        (renamed == other).then_some(known)
    }
}

impl<'a> Translation<'a> {
    fn new(theory: &'a mut Theory, model: &'a Model, base: &'a Base) -> Self {
        let known = FxHashMap::default();
        let (definitions, places) = (FxHashMap::default(), FxHashMap::default());
        Self { model, base, theory, known, definitions, places, groups: 0 }
    }

    fn definition(&mut self, id: DefId) -> ExprId {
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
            Expr::Empty | Expr::All => body,
            Expr::Symbol(p) => {
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
        let symbols = &mut self.theory.symbols;
        if let Some(known) = symbols.named(&definition.name)
            && symbols.get(known).meaning == meaning
            && meaning != Meaning::Base
        {
            return known;
        }
        let name = if symbols.named(&definition.name).is_some() {
            format!("{}.{}", self.model.name, definition.name)
        } else {
            definition.name.clone()
        };
        let pred = symbols.declare(&name, arity, meaning);
        self.places.insert(pred, definition.place.clone());
        pred
    }

    /// Members of a recursive definition refer to each other, so all have symbols before any has a body.
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
            && let Some(known) = self.theory.same_recursion(*pred, &self.model.definition(*member).name)
        {
            self.definitions.insert(*member, self.theory.exprs.symbol(known));
        }
    }

    fn expr(&mut self, id: Node) -> ExprId {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let sort = self.model.arena.sort(id);
        let node = self.model.arena.node(id);
        let value = match node {
            CatNode::Set(BaseSet::Universe) => self.base.universe,
            CatNode::Set(set) => self.base.sets.get(&set).copied().unwrap_or_else(|| self.theory.exprs.make(Expr::Empty)),
            CatNode::Relation(r) => self.base.relations.get(&r).copied().unwrap_or_else(|| self.theory.exprs.make(Expr::Empty)),
            CatNode::Empty(_) => self.theory.exprs.make(Expr::Empty),
            CatNode::Definition(d) => self.definition(d),
            CatNode::Union(a, b) => self.binary(Expr::Union, a, b),
            CatNode::Intersection(a, b) => self.binary(Expr::Intersection, a, b),
            CatNode::Difference(a, b) => self.binary(Expr::Difference, a, b),
            CatNode::Sequence(a, b) => self.binary(Expr::Sequence, a, b),
            CatNode::Product(a, b) => self.binary(Expr::Product, a, b),
            CatNode::Diagonal(a) => self.unary(Expr::Diagonal, a),
            CatNode::Inverse(a) => self.unary(Expr::Inverse, a),
            CatNode::Complement(a) => {
                let (all, a) = (self.everything(sort), self.expr(a));
                self.theory.exprs.make(Expr::Difference(all, a))
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
                let name = self.theory.end_name(a, matches!(node, CatNode::Range(_)));
                self.theory.exprs.symbol(name)
            }
        };
        self.known.insert(id, value);
        value
    }

    fn unary(&mut self, make: fn(ExprId) -> Expr, a: Node) -> ExprId {
        let a = self.expr(a);
        self.theory.exprs.make(make(a))
    }

    fn binary(&mut self, make: fn(ExprId, ExprId) -> Expr, a: Node, b: Node) -> ExprId {
        let (a, b) = (self.expr(a), self.expr(b));
        self.theory.exprs.make(make(a, b))
    }

    fn closure(&mut self, a: Node) -> ExprId {
        let a = self.expr(a);
        if self.theory.exprs.get(a) == Expr::Empty {
            return a;
        }
        let name = self.theory.closure_name(a);
        self.theory.exprs.symbol(name)
    }

    /// Every event of the level, or every pair of them.
    fn everything(&mut self, sort: Sort) -> ExprId {
        match sort {
            Sort::Set => self.base.universe,
            Sort::Relation => self.theory.exprs.make(Expr::Product(self.base.universe, self.base.universe)),
        }
    }

    fn identity(&mut self) -> ExprId {
        self.theory.exprs.make(Expr::Diagonal(self.base.universe))
    }
}
