//! Constructors of expressions. They simplify what algebra decides without bounds; arity errors are
//! errors of the program that calls, and panic with the arities.

use super::{
    Binder, Constant, Expr, ExprNode, Formula, FormulaNode, Free, Logic, NodeFacts,
    QuantifiedVariable, Recursion, Relation,
};
use crate::tuples::TupleSet;

impl Logic {
    /// The node, shared.
    pub(super) fn intern(&mut self, node: ExprNode, arity: usize) -> Expr {
        if let Some(&known) = self.expr_ids.get(&node) {
            return known;
        }
        let facts = self.facts_of(&node);
        self.exprs.push((node.clone(), arity, facts));
        let expr = Expr(self.exprs.len() as u32 - 1, self.lineage.own());
        self.expr_ids.insert(node, expr);
        expr
    }

    fn facts_of(&mut self, node: &ExprNode) -> NodeFacts {
        use ExprNode as N;
        match node {
            N::Relation(_) | N::Constant(_) | N::Empty(_) | N::Universe | N::Identity => {
                NodeFacts::default()
            }
            N::Variable(v) => {
                NodeFacts { free: self.free_sets.single(Binder::Variable(*v)), sensitive: false }
            }
            N::Recursion(r) => {
                NodeFacts { free: self.free_sets.single(Binder::Recursion(*r)), sensitive: false }
            }
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Difference(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::Override(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => self.both_facts(self.expr_facts(*a), self.expr_facts(*b)),
            N::Transpose(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => self.expr_facts(*a),
            N::Closure(a) => NodeFacts { sensitive: true, ..self.expr_facts(*a) },
            N::IfThenElse(f, a, b) => {
                let branches = self.both_facts(self.expr_facts(*a), self.expr_facts(*b));
                self.both_facts(self.formula_facts(*f), branches)
            }
            N::Comprehension(declarations, body) => self.bound_facts(declarations, *body),
            N::Fixpoint(group, _) => {
                let definitions = self.groups[group.0 as usize].clone();
                let bound: Vec<Binder> =
                    definitions.iter().map(|&(r, _)| Binder::Recursion(r)).collect();
                let mut free = Free::default();
                for (_, body) in definitions {
                    free = self.free_sets.union(free, self.expr_facts(body).free);
                }
                NodeFacts { free: self.free_sets.without(free, &bound), sensitive: true }
            }
        }
    }

    pub(super) fn both_facts(&mut self, a: NodeFacts, b: NodeFacts) -> NodeFacts {
        NodeFacts {
            free: self.free_sets.union(a.free, b.free),
            sensitive: a.sensitive || b.sensitive,
        }
    }

    /// The facts of a body under declarations, where a domain may use earlier variables.
    pub(super) fn bound_facts(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
    ) -> NodeFacts {
        let mut facts = self.formula_facts(body);
        for &(variable, domain) in declarations.iter().rev() {
            facts.free = self.free_sets.without(facts.free, &[Binder::Variable(variable)]);
            facts = self.both_facts(facts, self.expr_facts(domain));
        }
        facts
    }

    #[track_caller]
    fn same_arity(&self, what: &str, a: Expr, b: Expr) -> usize {
        let (x, y) = (self.arity(a), self.arity(b));
        assert_eq!(x, y, "{what} of relations of arity {x} and {y}");
        x
    }

    #[track_caller]
    fn is_empty(&self, e: Expr) -> bool {
        matches!(self.expr(e), ExprNode::Empty(_))
    }

    /// A declared relation as an expression.
    #[track_caller]
    pub fn rel(&mut self, relation: Relation) -> Expr {
        let arity = self.relation_arity(relation);
        self.intern(ExprNode::Relation(relation), arity)
    }

    /// The empty relation of an arity.
    #[track_caller]
    pub fn empty(&mut self, arity: usize) -> Expr {
        assert!(arity > 0, "a relation has at least one column");
        self.intern(ExprNode::Empty(arity), arity)
    }

    /// The set of all atoms.
    pub fn universe(&mut self) -> Expr {
        self.intern(ExprNode::Universe, 1)
    }

    /// The identity on all atoms.
    pub fn identity(&mut self) -> Expr {
        self.intern(ExprNode::Identity, 2)
    }

    /// The relation whose lower and upper bound are these tuples, without a declaration.
    #[track_caller]
    pub fn constant(&mut self, tuples: TupleSet) -> Expr {
        let arity = tuples.arity();
        if tuples.is_empty() {
            return self.empty(arity);
        }
        let next = Constant(self.constants.len() as u32);
        let constant = *self.constant_ids.entry(tuples.clone()).or_insert(next);
        if constant == next {
            self.constants.push(tuples);
        }
        self.intern(ExprNode::Constant(constant), arity)
    }

    /// `a + b`
    #[track_caller]
    pub fn union(&mut self, a: Expr, b: Expr) -> Expr {
        let arity = self.same_arity("union", a, b);
        match (self.is_empty(a), self.is_empty(b)) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => a,
            // Commutative: one order for both.
            _ => self.intern(ExprNode::Union(a.min(b), a.max(b)), arity),
        }
    }

    /// The union of all, empty of the given arity if there is none.
    #[track_caller]
    pub fn union_all(&mut self, arity: usize, all: impl IntoIterator<Item = Expr>) -> Expr {
        let mut level: Vec<Expr> = all.into_iter().collect();
        // A balanced tree, so that long unions are not deep.
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| if let [a, b] = *pair { self.union(a, b) } else { pair[0] })
                .collect();
        }
        let empty = self.empty(arity);
        level.first().map_or(empty, |&e| self.union(empty, e))
    }

    /// `a & b`
    #[track_caller]
    pub fn intersection(&mut self, a: Expr, b: Expr) -> Expr {
        let arity = self.same_arity("intersection", a, b);
        if a == b {
            a
        } else if self.is_empty(a) || self.is_empty(b) {
            self.empty(arity)
        } else {
            self.intern(ExprNode::Intersection(a.min(b), a.max(b)), arity)
        }
    }

    /// `a - b`
    #[track_caller]
    pub fn difference(&mut self, a: Expr, b: Expr) -> Expr {
        let arity = self.same_arity("difference", a, b);
        if a == b {
            self.empty(arity)
        } else if self.is_empty(a) || self.is_empty(b) {
            a
        } else {
            self.intern(ExprNode::Difference(a, b), arity)
        }
    }

    /// `a . b`
    ///
    /// # Panics
    /// If both are sets.
    #[track_caller]
    pub fn join(&mut self, a: Expr, b: Expr) -> Expr {
        let (x, y) = (self.arity(a), self.arity(b));
        assert!(x + y > 2, "join of two sets");
        if self.is_empty(a) || self.is_empty(b) {
            return self.empty(x + y - 2);
        }
        if x == 2 && matches!(self.expr(a), ExprNode::Identity) {
            return b;
        }
        if y == 2 && matches!(self.expr(b), ExprNode::Identity) {
            return a;
        }
        self.intern(ExprNode::Join(a, b), x + y - 2)
    }

    /// `a -> b`
    #[track_caller]
    pub fn product(&mut self, a: Expr, b: Expr) -> Expr {
        let arity = self.arity(a) + self.arity(b);
        if self.is_empty(a) || self.is_empty(b) {
            return self.empty(arity);
        }
        self.intern(ExprNode::Product(a, b), arity)
    }

    #[track_caller]
    fn binary(&self, what: &str, r: Expr) {
        assert_eq!(self.arity(r), 2, "{what} of a relation of arity {}", self.arity(r));
    }

    #[track_caller]
    fn set(&self, what: &str, s: Expr) {
        assert_eq!(self.arity(s), 1, "{what} by a relation of arity {}", self.arity(s));
    }

    /// `~r`
    #[track_caller]
    pub fn transpose(&mut self, r: Expr) -> Expr {
        self.binary("transpose", r);
        match self.expr(r) {
            ExprNode::Empty(_) | ExprNode::Identity | ExprNode::Diagonal(_) => r,
            ExprNode::Transpose(inner) => *inner,
            _ => self.intern(ExprNode::Transpose(r), 2),
        }
    }

    /// `^r`
    #[track_caller]
    pub fn closure(&mut self, r: Expr) -> Expr {
        self.binary("closure", r);
        match self.expr(r) {
            ExprNode::Empty(_)
            | ExprNode::Identity
            | ExprNode::Diagonal(_)
            | ExprNode::Closure(_) => r,
            _ => self.intern(ExprNode::Closure(r), 2),
        }
    }

    /// `*r`: the closure, and every atom with itself.
    #[track_caller]
    pub fn reflexive_closure(&mut self, r: Expr) -> Expr {
        let closure = self.closure(r);
        let identity = self.identity();
        self.union(closure, identity)
    }

    /// `a ++ b`
    #[track_caller]
    pub fn override_with(&mut self, a: Expr, b: Expr) -> Expr {
        let arity = self.same_arity("override", a, b);
        match (self.is_empty(a), self.is_empty(b)) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => a,
            _ => self.intern(ExprNode::Override(a, b), arity),
        }
    }

    /// `s <: r`
    #[track_caller]
    pub fn restrict_domain(&mut self, set: Expr, r: Expr) -> Expr {
        self.set("restriction", set);
        let arity = self.arity(r);
        if self.is_empty(set) || self.is_empty(r) {
            return self.empty(arity);
        }
        if matches!(self.expr(set), ExprNode::Universe) {
            return r;
        }
        self.intern(ExprNode::RestrictDomain(set, r), arity)
    }

    /// `r :> s`
    #[track_caller]
    pub fn restrict_range(&mut self, r: Expr, set: Expr) -> Expr {
        self.set("restriction", set);
        let arity = self.arity(r);
        if self.is_empty(set) || self.is_empty(r) {
            return self.empty(arity);
        }
        if matches!(self.expr(set), ExprNode::Universe) {
            return r;
        }
        self.intern(ExprNode::RestrictRange(r, set), arity)
    }

    /// The first columns of a relation.
    #[track_caller]
    pub fn domain(&mut self, r: Expr) -> Expr {
        match *self.expr(r) {
            _ if self.arity(r) == 1 => r,
            ExprNode::Empty(_) => self.empty(1),
            ExprNode::Identity => self.universe(),
            ExprNode::Diagonal(s) => s,
            _ => self.intern(ExprNode::Domain(r), 1),
        }
    }

    /// The last columns of a relation.
    #[track_caller]
    pub fn range(&mut self, r: Expr) -> Expr {
        match *self.expr(r) {
            _ if self.arity(r) == 1 => r,
            ExprNode::Empty(_) => self.empty(1),
            ExprNode::Identity => self.universe(),
            ExprNode::Diagonal(s) => s,
            _ => self.intern(ExprNode::Range(r), 1),
        }
    }

    /// `[s]`: the identity on a set.
    #[track_caller]
    pub fn diagonal(&mut self, set: Expr) -> Expr {
        self.set("identity", set);
        match self.expr(set) {
            ExprNode::Empty(_) => self.empty(2),
            ExprNode::Universe => self.identity(),
            _ => self.intern(ExprNode::Diagonal(set), 2),
        }
    }

    /// `f => a else b`
    #[track_caller]
    pub fn if_then_else(&mut self, condition: Formula, a: Expr, b: Expr) -> Expr {
        let arity = self.same_arity("if-then-else", a, b);
        match self.formula(condition) {
            FormulaNode::Truth(true) => a,
            FormulaNode::Truth(false) => b,
            _ if a == b => a,
            _ => self.intern(ExprNode::IfThenElse(condition, a, b), arity),
        }
    }

    /// A new variable.
    pub fn variable(&mut self, name: &str) -> QuantifiedVariable {
        self.variables.push(name.to_owned());
        QuantifiedVariable(self.variables.len() as u32 - 1)
    }

    /// A variable as a set of one atom.
    pub fn var(&mut self, variable: QuantifiedVariable) -> Expr {
        self.intern(ExprNode::Variable(variable), 1)
    }

    /// `{ v1: e1, v2: e2, ... | f }`; a later domain may use earlier variables.
    ///
    /// # Panics
    /// If there is no variable, or a domain is not a set.
    #[track_caller]
    pub fn comprehension(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
    ) -> Expr {
        assert!(!declarations.is_empty(), "a comprehension has at least one variable");
        for &(_, domain) in declarations {
            self.set("comprehension", domain);
        }
        self.intern(ExprNode::Comprehension(declarations.to_vec(), body), declarations.len())
    }

    /// A relation to be defined by [`Logic::fixpoint`].
    #[track_caller]
    pub fn recursion(&mut self, name: &str, arity: usize) -> Recursion {
        assert!(arity > 0, "a relation has at least one column");
        self.recursions.push((name.to_owned(), arity));
        Recursion(self.recursions.len() as u32 - 1)
    }

    /// The relation to be defined by [`Logic::fixpoint`] that is the same in every call with that
    /// number. Fixpoints of equal bodies over numbered relations are one node, whatever the
    /// definitions were called. Within the body of a fixpoint take numbers that the enclosing ones
    /// have not.
    #[track_caller]
    pub fn numbered_recursion(&mut self, number: usize, name: &str, arity: usize) -> Recursion {
        if let Some(&known) = self.numbered.get(&(number, arity)) {
            return known;
        }
        let recursion = self.recursion(name, arity);
        self.numbered.insert((number, arity), recursion);
        recursion
    }

    /// The relation under definition, for use in the bodies of its group.
    #[track_caller]
    pub fn rec(&mut self, recursion: Recursion) -> Expr {
        let arity = self.recursion_arity(recursion);
        self.intern(ExprNode::Recursion(recursion), arity)
    }
}
