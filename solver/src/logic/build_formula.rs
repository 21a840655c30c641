//! Constructors of formulas.

use super::{
    CardinalityComparison, Expr, ExprNode, Formula, FormulaNode, Logic, NodeFacts,
    QuantifiedVariable,
};

impl Logic {
    fn intern_formula(&mut self, node: FormulaNode) -> Formula {
        if let Some(&known) = self.formula_ids.get(&node) {
            return known;
        }
        let facts = self.facts_of_formula(&node);
        self.formulas.push((node.clone(), facts));
        let formula = Formula(self.formulas.len() as u32 - 1, self.lineage.own());
        self.formula_ids.insert(node, formula);
        formula
    }

    fn facts_of_formula(&mut self, node: &FormulaNode) -> NodeFacts {
        use FormulaNode as N;
        match node {
            N::Truth(_) => NodeFacts::default(),
            N::Subset(a, b) | N::Equal(a, b) | N::CompareCardinality(a, _, b) => {
                self.both_facts(self.expr_facts(*a), self.expr_facts(*b))
            }
            N::Some(e) | N::One(e) | N::Lone(e) | N::Cardinality(e, ..) => self.expr_facts(*e),
            N::Acyclic(e) => NodeFacts { sensitive: true, ..self.expr_facts(*e) },
            N::Not(f) => self.formula_facts(*f),
            N::And(list) | N::Or(list) => {
                let mut all = NodeFacts::default();
                for &f in list {
                    all = self.both_facts(all, self.formula_facts(f));
                }
                all
            }
            N::Iff(a, b) => self.both_facts(self.formula_facts(*a), self.formula_facts(*b)),
            N::ForAll(declarations, body) | N::Exists(declarations, body) => {
                self.bound_facts(declarations, *body)
            }
        }
    }

    /// A constant formula.
    pub fn truth(&mut self, value: bool) -> Formula {
        self.intern_formula(FormulaNode::Truth(value))
    }

    /// `a in b`
    #[track_caller]
    pub fn subset(&mut self, a: Expr, b: Expr) -> Formula {
        assert_eq!(
            self.arity(a),
            self.arity(b),
            "inclusion of relations of arity {} and {}",
            self.arity(a),
            self.arity(b)
        );
        match (self.expr(a), self.expr(b)) {
            (ExprNode::Empty(_), _) | (_, ExprNode::Universe) => self.truth(true),
            _ if a == b => self.truth(true),
            (_, ExprNode::Empty(_)) => self.no(a),
            _ => self.intern_formula(FormulaNode::Subset(a, b)),
        }
    }

    /// `a = b`
    #[track_caller]
    pub fn equal(&mut self, a: Expr, b: Expr) -> Formula {
        assert_eq!(
            self.arity(a),
            self.arity(b),
            "equality of relations of arity {} and {}",
            self.arity(a),
            self.arity(b)
        );
        if a == b {
            self.truth(true)
        } else {
            self.intern_formula(FormulaNode::Equal(a.min(b), a.max(b)))
        }
    }

    /// `some e`
    #[track_caller]
    pub fn some(&mut self, e: Expr) -> Formula {
        match self.expr(e) {
            ExprNode::Empty(_) => self.truth(false),
            _ => self.intern_formula(FormulaNode::Some(e)),
        }
    }

    /// `no e`
    #[track_caller]
    pub fn no(&mut self, e: Expr) -> Formula {
        let some = self.some(e);
        self.not(some)
    }

    /// `one e`
    #[track_caller]
    pub fn one(&mut self, e: Expr) -> Formula {
        self.intern_formula(FormulaNode::One(e))
    }

    /// `lone e`: at most one tuple.
    #[track_caller]
    pub fn lone(&mut self, e: Expr) -> Formula {
        self.intern_formula(FormulaNode::Lone(e))
    }

    /// `r` has no cycle.
    #[track_caller]
    pub fn acyclic(&mut self, r: Expr) -> Formula {
        assert_eq!(self.arity(r), 2, "acyclicity of a relation of arity {}", self.arity(r));
        self.intern_formula(FormulaNode::Acyclic(r))
    }

    /// No atom is related to itself.
    #[track_caller]
    pub fn irreflexive(&mut self, r: Expr) -> Formula {
        let identity = self.identity();
        let reflexive = self.intersection(r, identity);
        self.no(reflexive)
    }

    /// `r` is a strict total order on a set: irreflexive, transitive, within the set, and it
    /// relates any two of its members.
    #[track_caller]
    pub fn total_order(&mut self, r: Expr, set: Expr) -> Formula {
        let irreflexive = self.irreflexive(r);
        let twice = self.join(r, r);
        let transitive = self.subset(twice, r);
        let all = self.product(set, set);
        let within = self.subset(r, all);
        let back = self.transpose(r);
        let identity = self.identity();
        let either = self.union(r, back);
        let covered = self.union(either, identity);
        let total = self.subset(all, covered);
        self.and([irreflexive, transitive, within, total])
    }

    /// `r` maps every member of `from` to exactly one member of `to`, and nothing else to anything.
    #[track_caller]
    pub fn function(&mut self, r: Expr, from: Expr, to: Expr) -> Formula {
        assert_eq!(self.arity(r), 2, "a function of arity {}", self.arity(r));
        let all = self.product(from, to);
        let within = self.subset(r, all);
        let domain = self.domain(r);
        let total = self.subset(from, domain);
        let back = self.transpose(r);
        let images = self.join(back, r);
        let identity = self.identity();
        let single = self.subset(images, identity);
        self.and([within, total, single])
    }

    /// `all v1: e1, ... | f`; a later domain may use earlier variables.
    #[track_caller]
    pub fn for_all(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
    ) -> Formula {
        self.check_domains(declarations);
        match self.formula(body) {
            _ if declarations.is_empty() => body,
            FormulaNode::Truth(true) => body,
            _ => self.intern_formula(FormulaNode::ForAll(declarations.to_vec(), body)),
        }
    }

    /// `some v1: e1, ... | f`; a later domain may use earlier variables.
    #[track_caller]
    pub fn exists(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
    ) -> Formula {
        self.check_domains(declarations);
        match self.formula(body) {
            _ if declarations.is_empty() => body,
            FormulaNode::Truth(false) => body,
            _ => self.intern_formula(FormulaNode::Exists(declarations.to_vec(), body)),
        }
    }

    #[track_caller]
    fn check_domains(&self, declarations: &[(QuantifiedVariable, Expr)]) {
        for &(_, domain) in declarations {
            assert_eq!(
                self.arity(domain),
                1,
                "quantification over a relation of arity {}",
                self.arity(domain)
            );
        }
    }

    /// `#e` compared with a number.
    #[track_caller]
    pub fn cardinality(
        &mut self,
        e: Expr,
        comparison: CardinalityComparison,
        number: usize,
    ) -> Formula {
        self.intern_formula(FormulaNode::Cardinality(e, comparison, number))
    }

    /// `#a` compared with `#b`.
    #[track_caller]
    pub fn compare_cardinality(
        &mut self,
        a: Expr,
        comparison: CardinalityComparison,
        b: Expr,
    ) -> Formula {
        self.intern_formula(FormulaNode::CompareCardinality(a, comparison, b))
    }

    /// `not f`
    #[track_caller]
    pub fn not(&mut self, f: Formula) -> Formula {
        match *self.formula(f) {
            FormulaNode::Truth(value) => self.truth(!value),
            FormulaNode::Not(inner) => inner,
            _ => self.intern_formula(FormulaNode::Not(f)),
        }
    }

    /// The conjunction; true of none.
    #[track_caller]
    pub fn and(&mut self, all: impl IntoIterator<Item = Formula>) -> Formula {
        let (yes, no) = (self.truth(true), self.truth(false));
        let mut list: Vec<Formula> = all.into_iter().filter(|&f| f != yes).collect();
        list.sort_unstable();
        list.dedup();
        match list.as_slice() {
            [] => yes,
            [one] => *one,
            _ if list.contains(&no) => no,
            _ => self.intern_formula(FormulaNode::And(list)),
        }
    }

    /// Any of them.
    #[track_caller]
    pub fn or(&mut self, all: impl IntoIterator<Item = Formula>) -> Formula {
        let (yes, no) = (self.truth(true), self.truth(false));
        let mut list: Vec<Formula> = all.into_iter().filter(|&f| f != no).collect();
        list.sort_unstable();
        list.dedup();
        match list.as_slice() {
            [] => no,
            [one] => *one,
            _ if list.contains(&yes) => yes,
            _ => self.intern_formula(FormulaNode::Or(list)),
        }
    }

    /// `f => g`
    #[track_caller]
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        let not = self.not(f);
        self.or([not, g])
    }

    /// `f <=> g`
    #[track_caller]
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        match (self.formula(f), self.formula(g)) {
            _ if f == g => self.truth(true),
            (FormulaNode::Truth(true), _) => g,
            (_, FormulaNode::Truth(true)) => f,
            (FormulaNode::Truth(false), _) => self.not(g),
            (_, FormulaNode::Truth(false)) => self.not(f),
            _ => self.intern_formula(FormulaNode::Iff(f.min(g), f.max(g))),
        }
    }
}
