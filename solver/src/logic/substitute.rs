//! Substitution: variables replaced by sets, without capture. Where a quantifier inside binds a
//! variable that a set uses, the quantifier gets a new variable.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Binder, Expr, ExprNode, Formula, FormulaNode, Free, Logic, QuantifiedVariable};

/// What stands for each variable.
pub(crate) type Replacements = BTreeMap<QuantifiedVariable, Expr>;

/// A substitution with what it has made so far.
struct Substitution {
    replacements: Replacements,
    exprs: FxHashMap<Expr, Expr>,
    formulas: FxHashMap<Formula, Formula>,
}

impl Substitution {
    fn new(replacements: Replacements) -> Self {
        Self { replacements, exprs: FxHashMap::default(), formulas: FxHashMap::default() }
    }
}

impl Logic {
    /// The formula with sets for free variables. The sets depend on no relation under definition.
    pub(crate) fn substitute(&mut self, formula: Formula, replacements: &Replacements) -> Formula {
        self.replace_in_formula(formula, &mut Substitution::new(replacements.clone()))
    }

    /// The same in an expression.
    pub(crate) fn substitute_in_expr(&mut self, expr: Expr, replacements: &Replacements) -> Expr {
        self.replace_in_expr(expr, &mut Substitution::new(replacements.clone()))
    }

    fn concerns(&self, free: Free, replacements: &Replacements) -> bool {
        self.free(free)
            .iter()
            .any(|b| matches!(b, Binder::Variable(v) if replacements.contains_key(v)))
    }

    fn replace_in_expr(&mut self, expr: Expr, s: &mut Substitution) -> Expr {
        use ExprNode as N;
        if !self.concerns(self.expr_facts(expr).free, &s.replacements) {
            return expr;
        }
        if let Some(&known) = s.exprs.get(&expr) {
            return known;
        }
        let made = match self.expr(expr).clone() {
            N::Relation(_)
            | N::Constant(_)
            | N::Empty(_)
            | N::Universe
            | N::Identity
            | N::Recursion(_) => expr,
            N::Variable(v) => s.replacements.get(&v).copied().unwrap_or(expr),
            N::Union(a, b) => self.replace_in_both(a, b, s, Self::union),
            N::Intersection(a, b) => self.replace_in_both(a, b, s, Self::intersection),
            N::Difference(a, b) => self.replace_in_both(a, b, s, Self::difference),
            N::Join(a, b) => self.replace_in_both(a, b, s, Self::join),
            N::Product(a, b) => self.replace_in_both(a, b, s, Self::product),
            N::Override(a, b) => self.replace_in_both(a, b, s, Self::override_with),
            N::RestrictDomain(a, b) => self.replace_in_both(a, b, s, Self::restrict_domain),
            N::RestrictRange(a, b) => self.replace_in_both(a, b, s, Self::restrict_range),
            N::Transpose(a) => self.replace_in_one(a, s, Self::transpose),
            N::Closure(a) => self.replace_in_one(a, s, Self::closure),
            N::Domain(a) => self.replace_in_one(a, s, Self::domain),
            N::Range(a) => self.replace_in_one(a, s, Self::range),
            N::Diagonal(a) => self.replace_in_one(a, s, Self::diagonal),
            N::IfThenElse(f, a, b) => {
                let f = self.replace_in_formula(f, s);
                self.replace_in_both(a, b, s, |logic, a, b| logic.if_then_else(f, a, b))
            }
            N::Comprehension(declarations, body) => {
                let (declarations, body) = self.replace_below_binder(&declarations, body, s);
                self.comprehension(&declarations, body)
            }
            N::Fixpoint(group, index) => {
                let definitions = self.group(group).to_vec();
                let definitions: Vec<_> = definitions
                    .into_iter()
                    .map(|(r, body)| (r, self.replace_in_expr(body, s)))
                    .collect();
                // No definition occurs in the sets, so they all occur where they did:
                // monotonically.
                self.least(&definitions)[index]
            }
        };
        s.exprs.insert(expr, made);
        made
    }

    fn replace_in_one<T>(
        &mut self,
        a: Expr,
        s: &mut Substitution,
        make: impl FnOnce(&mut Self, Expr) -> T,
    ) -> T {
        let a = self.replace_in_expr(a, s);
        make(self, a)
    }

    fn replace_in_both<T>(
        &mut self,
        a: Expr,
        b: Expr,
        s: &mut Substitution,
        make: impl FnOnce(&mut Self, Expr, Expr) -> T,
    ) -> T {
        let (a, b) = (self.replace_in_expr(a, s), self.replace_in_expr(b, s));
        make(self, a, b)
    }

    fn replace_in_formula(&mut self, formula: Formula, s: &mut Substitution) -> Formula {
        use FormulaNode as N;
        if !self.concerns(self.formula_facts(formula).free, &s.replacements) {
            return formula;
        }
        if let Some(&known) = s.formulas.get(&formula) {
            return known;
        }
        let made = match self.formula(formula).clone() {
            N::Truth(_) => formula,
            N::Subset(a, b) => self.replace_in_both(a, b, s, Self::subset),
            N::Equal(a, b) => self.replace_in_both(a, b, s, Self::equal),
            N::CompareCardinality(a, comparison, b) => {
                self.replace_in_both(a, b, s, |logic, a, b| {
                    logic.compare_cardinality(a, comparison, b)
                })
            }
            N::Some(e) => self.replace_in_one(e, s, Self::some),
            N::One(e) => self.replace_in_one(e, s, Self::one),
            N::Lone(e) => self.replace_in_one(e, s, Self::lone),
            N::Acyclic(e) => self.replace_in_one(e, s, Self::acyclic),
            N::Cardinality(e, comparison, number) => {
                self.replace_in_one(e, s, |logic, e| logic.cardinality(e, comparison, number))
            }
            N::Not(f) => {
                let f = self.replace_in_formula(f, s);
                self.not(f)
            }
            N::And(list) => {
                let list: Vec<Formula> =
                    list.into_iter().map(|f| self.replace_in_formula(f, s)).collect();
                self.and(list)
            }
            N::Or(list) => {
                let list: Vec<Formula> =
                    list.into_iter().map(|f| self.replace_in_formula(f, s)).collect();
                self.or(list)
            }
            N::Iff(a, b) => {
                let (a, b) = (self.replace_in_formula(a, s), self.replace_in_formula(b, s));
                self.iff(a, b)
            }
            N::ForAll(declarations, body) => {
                let (declarations, body) = self.replace_below_binder(&declarations, body, s);
                self.for_all(&declarations, body)
            }
            N::Exists(declarations, body) => {
                let (declarations, body) = self.replace_below_binder(&declarations, body, s);
                self.exists(&declarations, body)
            }
        };
        s.formulas.insert(formula, made);
        made
    }

    fn replace_below_binder(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
        s: &mut Substitution,
    ) -> (Vec<(QuantifiedVariable, Expr)>, Formula) {
        // Further in, other variables may be replaced, and then what was made outside is of no use.
        let mut inner: Option<Substitution> = None;
        let mut made = Vec::with_capacity(declarations.len());
        for &(variable, domain) in declarations {
            let now = inner.as_mut().unwrap_or(s);
            let domain = self.replace_in_expr(domain, now);
            let captured = |e: &Expr| {
                self.free(self.expr_facts(*e).free).contains(&Binder::Variable(variable))
            };
            let captures = now.replacements.values().any(captured);
            if captures || now.replacements.contains_key(&variable) {
                let mut replacements = now.replacements.clone();
                replacements.remove(&variable);
                let mut own = variable;
                if captures {
                    own = self.renamed(variable);
                    replacements.insert(variable, self.var(own));
                }
                made.push((own, domain));
                inner = Some(Substitution::new(replacements));
            } else {
                made.push((variable, domain));
            }
        }
        let body = self.replace_in_formula(body, inner.as_mut().unwrap_or(s));
        (made, body)
    }

    /// A new variable with the name of another one.
    pub(crate) fn renamed(&mut self, variable: QuantifiedVariable) -> QuantifiedVariable {
        let name = self.variable_name(variable).to_owned();
        self.variable(&name)
    }
}
