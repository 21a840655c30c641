//! Relational logic: an arena of shared (hash-consed) expressions and formulas, after Kodkod
//! (Torlak and Jackson, TACAS 2007) with least fixpoints added.

mod build_expr;
mod build_formula;
mod free;
mod lineage;
mod listing;
mod node;
mod recursion;
mod substitute;
mod visit;

pub use node::{CardinalityComparison, ExprNode, FormulaNode};
pub use recursion::NotMonotone;

pub(crate) use free::{Binder, Free};
pub(crate) use substitute::Replacements;
pub(crate) use visit::VisitedNode;

use lineage::{ArenaMark, Lineage};
use rustc_hash::FxHashMap;

use crate::tuples::TupleSet;

/// A relation that bounds give a meaning to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation(pub(crate) u32);

/// An expression: a handle into the [`Logic`] that made it. Debug builds panic where it is given to
/// another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32, ArenaMark);

/// A formula: a handle into the [`Logic`] that made it. Debug builds panic where it is given to
/// another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(pub(crate) u32, ArenaMark);

/// A variable of a quantifier or comprehension; it stands for one atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuantifiedVariable(pub(crate) u32);

/// A relation under definition by [`Logic::fixpoint`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Recursion(pub(crate) u32);

/// A group of mutually recursive definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FixpointGroup(pub(crate) u32);

/// A constant set of tuples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Constant(pub(crate) u32);

/// What is known of an expression or formula without looking into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NodeFacts {
    /// The variables and recursions that it depends on and that are bound outside of it.
    pub free: Free,
    /// Does its translation depend on the polarity of its occurrence (is there a closure or
    /// fixpoint in it)?
    pub sensitive: bool,
}

/// An arena of expressions and formulas. Equal ones are one node, so sharing is free and equality
/// is equality of handles.
///
/// Constructors panic if arities do not fit: that is an error of the program that calls them.
/// Translation and evaluation recurse as deep as expressions nest; whoever builds them from a text
/// limits the nesting there.
#[derive(Debug, Default)]
pub struct Logic {
    lineage: Lineage,
    relations: Vec<(String, usize)>,
    variables: Vec<String>,
    recursions: Vec<(String, usize)>,
    constants: Vec<TupleSet>,
    constant_ids: FxHashMap<TupleSet, Constant>,
    /// The definitions of each group: `[group][definition]`.
    groups: Vec<Vec<(Recursion, Expr)>>,
    group_ids: FxHashMap<Vec<(Recursion, Expr)>, FixpointGroup>,
    numbered: FxHashMap<(usize, usize), Recursion>,
    free_sets: free::FreeSets,
    exprs: Vec<(ExprNode, usize, NodeFacts)>,
    expr_ids: FxHashMap<ExprNode, Expr>,
    formulas: Vec<(FormulaNode, NodeFacts)>,
    formula_ids: FxHashMap<FormulaNode, Formula>,
}

impl Logic {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a relation.
    ///
    /// # Panics
    /// If the arity is 0.
    #[track_caller]
    pub fn relation(&mut self, name: &str, arity: usize) -> Relation {
        assert!(arity > 0, "a relation has at least one column");
        self.relations.push((name.to_owned(), arity));
        Relation(self.relations.len() as u32 - 1)
    }

    /// As it was declared; two relations may have one name.
    ///
    /// # Panics
    /// If it was declared by another arena, and this one has no relation of its number.
    #[track_caller]
    pub fn relation_name(&self, relation: Relation) -> &str {
        &self.declared(relation).0
    }

    #[track_caller]
    fn declared(&self, relation: Relation) -> &(String, usize) {
        let Some(declared) = self.relations.get(relation.0 as usize) else {
            panic!("a relation of another arena: this `Logic` did not declare it")
        };
        declared
    }

    pub(crate) fn is_relation_name(&self, name: &str) -> bool {
        self.relations.iter().any(|(n, _)| n == name)
    }

    /// The number of columns.
    ///
    /// # Panics
    /// As [`Logic::relation_name`].
    #[track_caller]
    pub fn relation_arity(&self, relation: Relation) -> usize {
        self.declared(relation).1
    }

    /// As it was declared; two variables may have one name.
    pub fn variable_name(&self, variable: QuantifiedVariable) -> &str {
        &self.variables[variable.0 as usize]
    }

    /// What is outermost, with the handles of its parts.
    #[track_caller]
    pub fn expr(&self, expr: Expr) -> &ExprNode {
        &self.expr_entry(expr).0
    }

    /// The number of columns.
    #[track_caller]
    pub fn arity(&self, expr: Expr) -> usize {
        self.expr_entry(expr).1
    }

    /// What is outermost, with the handles of its parts.
    #[track_caller]
    pub fn formula(&self, formula: Formula) -> &FormulaNode {
        &self.formula_entry(formula).0
    }

    /// The number of expressions and formulas.
    pub fn size(&self) -> usize {
        self.exprs.len() + self.formulas.len()
    }

    /// Is every variable and recursion of the formula bound within it?
    #[track_caller]
    pub fn is_closed(&self, formula: Formula) -> bool {
        self.formula_facts(formula).free.is_empty()
    }

    #[track_caller]
    fn expr_entry(&self, expr: Expr) -> &(ExprNode, usize, NodeFacts) {
        self.lineage.check(expr.1, 0, expr.0 as usize);
        &self.exprs[expr.0 as usize]
    }

    #[track_caller]
    fn formula_entry(&self, formula: Formula) -> &(FormulaNode, NodeFacts) {
        self.lineage.check(formula.1, 1, formula.0 as usize);
        &self.formulas[formula.0 as usize]
    }

    pub(crate) fn expr_facts(&self, expr: Expr) -> NodeFacts {
        self.expr_entry(expr).2
    }

    pub(crate) fn formula_facts(&self, formula: Formula) -> NodeFacts {
        self.formula_entry(formula).1
    }

    /// The variables and recursions of a set of free ones, ascending.
    pub(crate) fn free(&self, free: Free) -> &[Binder] {
        self.free_sets.get(free)
    }

    pub(crate) fn constant_set(&self, constant: Constant) -> &TupleSet {
        &self.constants[constant.0 as usize]
    }

    pub(crate) fn group(&self, group: FixpointGroup) -> &[(Recursion, Expr)] {
        &self.groups[group.0 as usize]
    }

    pub(crate) fn recursion_arity(&self, recursion: Recursion) -> usize {
        self.recursions[recursion.0 as usize].1
    }
}

/// A clone and its original go different ways: handles from before belong to both, later ones to
/// the arena that made them.
impl Clone for Logic {
    fn clone(&self) -> Self {
        Self {
            lineage: self.lineage.fork([self.exprs.len(), self.formulas.len()]),
            relations: self.relations.clone(),
            variables: self.variables.clone(),
            recursions: self.recursions.clone(),
            constants: self.constants.clone(),
            constant_ids: self.constant_ids.clone(),
            groups: self.groups.clone(),
            group_ids: self.group_ids.clone(),
            numbered: self.numbered.clone(),
            free_sets: self.free_sets.clone(),
            exprs: self.exprs.clone(),
            expr_ids: self.expr_ids.clone(),
            formulas: self.formulas.clone(),
            formula_ids: self.formula_ids.clone(),
        }
    }
}
