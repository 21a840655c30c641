//! A concrete evaluator of expressions and formulas over instances. It shares no code with the
//! translator, and is slow and simple: for tests, and for checking answers.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::instance::Instance;
use crate::logic::{
    Expr, ExprNode, Formula, FormulaNode, Logic, QuantifiedVariable, Recursion, VisitedNode,
};
use crate::tuples::TupleSet;
use crate::universe::Atom;

type EvaluatedTuples = BTreeSet<Vec<Atom>>;

/// What variables and relations under definition stand for.
#[derive(Default)]
struct EvaluationScope {
    variables: Vec<(QuantifiedVariable, Atom)>,
    recursions: Vec<(Recursion, EvaluatedTuples)>,
}

impl Instance {
    /// The value of an expression without free variables.
    ///
    /// # Panics
    /// If a relation in it had no bounds.
    #[track_caller]
    pub fn evaluate(&self, logic: &Logic, expr: Expr) -> TupleSet {
        self.require_tuples(logic, VisitedNode::Expr(expr));
        TupleSet::from_tuples(
            logic.arity(expr),
            self.value(logic, expr, &mut EvaluationScope::default()),
        )
    }

    /// Does a formula without free variables hold?
    ///
    /// # Panics
    /// If a relation in it had no bounds.
    #[track_caller]
    pub fn holds(&self, logic: &Logic, formula: Formula) -> bool {
        self.require_tuples(logic, VisitedNode::Formula(formula));
        self.truth(logic, formula, &mut EvaluationScope::default())
    }

    /// Sees to it that all relations of a node have a meaning, where the panic can point at the
    /// caller.
    #[track_caller]
    fn require_tuples(&self, logic: &Logic, node: VisitedNode) {
        for relation in logic.relations_of(node, &mut FxHashSet::default()) {
            if self.tuples(relation).is_none() {
                panic!(
                    "the instance says nothing of the relation `{}`",
                    logic.relation_name(relation)
                );
            }
        }
    }

    fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        self.universe().atoms()
    }

    fn value(&self, logic: &Logic, expr: Expr, env: &mut EvaluationScope) -> EvaluatedTuples {
        use ExprNode as N;
        let mut go = |e: &Expr| self.value(logic, *e, env);
        match logic.expr(expr) {
            // Each has a meaning: this was asked before.
            N::Relation(r) => {
                self.tuples(*r).into_iter().flat_map(TupleSet::iter).map(<[Atom]>::to_vec).collect()
            }
            N::Constant(c) => logic.constant_set(*c).iter().map(<[Atom]>::to_vec).collect(),
            N::Empty(_) => EvaluatedTuples::new(),
            N::Universe => self.atoms().map(|a| vec![a]).collect(),
            N::Identity => self.atoms().map(|a| vec![a, a]).collect(),
            N::Variable(v) => env
                .variables
                .iter()
                .rev()
                .find(|(x, _)| x == v)
                .map(|&(_, a)| vec![a])
                .into_iter()
                .collect(),
            N::Recursion(r) => env
                .recursions
                .iter()
                .rev()
                .find(|(x, _)| x == r)
                .map(|(_, t)| t.clone())
                .unwrap_or_default(),
            N::Union(a, b) => go(a).union(&go(b)).cloned().collect(),
            N::Intersection(a, b) => go(a).intersection(&go(b)).cloned().collect(),
            N::Difference(a, b) => go(a).difference(&go(b)).cloned().collect(),
            N::Join(a, b) => {
                let (a, b) = (go(a), go(b));
                let mut out = EvaluatedTuples::new();
                for x in &a {
                    for y in b.iter().filter(|y| x.last() == y.first()) {
                        out.insert(x[..x.len() - 1].iter().chain(&y[1..]).copied().collect());
                    }
                }
                out
            }
            N::Product(a, b) => {
                let (a, b) = (go(a), go(b));
                a.iter()
                    .flat_map(|x| b.iter().map(move |y| x.iter().chain(y).copied().collect()))
                    .collect()
            }
            N::Transpose(a) => go(a).into_iter().map(|t| vec![t[1], t[0]]).collect(),
            N::Closure(a) => {
                let mut closure = go(a);
                for middle in self.atoms() {
                    let into: Vec<Atom> =
                        closure.iter().filter(|t| t[1] == middle).map(|t| t[0]).collect();
                    let from: Vec<Atom> =
                        closure.iter().filter(|t| t[0] == middle).map(|t| t[1]).collect();
                    closure
                        .extend(into.iter().flat_map(|&x| from.iter().map(move |&y| vec![x, y])));
                }
                closure
            }
            N::Override(a, b) => {
                let (a, b) = (go(a), go(b));
                let taken: BTreeSet<Atom> = b.iter().map(|t| t[0]).collect();
                a.into_iter().filter(|t| !taken.contains(&t[0])).chain(b).collect()
            }
            N::RestrictDomain(s, r) => {
                let s = go(s);
                go(r).into_iter().filter(|t| s.contains(&t[..1])).collect()
            }
            N::RestrictRange(r, s) => {
                let s = go(s);
                go(r).into_iter().filter(|t| s.contains(&t[t.len() - 1..])).collect()
            }
            N::Domain(r) => go(r).into_iter().map(|t| vec![t[0]]).collect(),
            N::Range(r) => go(r).into_iter().map(|t| vec![t[t.len() - 1]]).collect(),
            N::Diagonal(s) => go(s).into_iter().map(|t| vec![t[0], t[0]]).collect(),
            N::IfThenElse(f, a, b) => {
                let branch = if self.truth(logic, *f, env) { a } else { b };
                self.value(logic, *branch, env)
            }
            N::Comprehension(declarations, body) => {
                let mut out = EvaluatedTuples::new();
                self.each(logic, declarations, env, &mut |env| {
                    if self.truth(logic, *body, env) {
                        let bound = &env.variables[env.variables.len() - declarations.len()..];
                        out.insert(bound.iter().map(|&(_, a)| a).collect());
                    }
                    true
                });
                out
            }
            N::Fixpoint(group, index) => {
                let definitions = logic.group(*group);
                let mut values = vec![EvaluatedTuples::new(); definitions.len()];
                loop {
                    let depth = env.recursions.len();
                    env.recursions
                        .extend(definitions.iter().map(|&(r, _)| r).zip(values.iter().cloned()));
                    let next: Vec<EvaluatedTuples> =
                        definitions.iter().map(|&(_, body)| self.value(logic, body, env)).collect();
                    env.recursions.truncate(depth);
                    if next == values {
                        return values.swap_remove(*index);
                    }
                    values = next;
                }
            }
        }
    }

    /// Does the work for every binding of the variables, while it returns true; did it always?
    fn each(
        &self,
        logic: &Logic,
        declarations: &[(QuantifiedVariable, Expr)],
        env: &mut EvaluationScope,
        work: &mut dyn FnMut(&mut EvaluationScope) -> bool,
    ) -> bool {
        let Some((&(variable, domain), rest)) = declarations.split_first() else {
            return work(env);
        };
        for tuple in self.value(logic, domain, env) {
            env.variables.push((variable, tuple[0]));
            let go_on = self.each(logic, rest, env, work);
            env.variables.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    fn truth(&self, logic: &Logic, formula: Formula, env: &mut EvaluationScope) -> bool {
        use FormulaNode as N;
        match logic.formula(formula) {
            N::Truth(value) => *value,
            N::Subset(a, b) => self.value(logic, *a, env).is_subset(&self.value(logic, *b, env)),
            N::Equal(a, b) => self.value(logic, *a, env) == self.value(logic, *b, env),
            N::Some(e) => !self.value(logic, *e, env).is_empty(),
            N::One(e) => self.value(logic, *e, env).len() == 1,
            N::Lone(e) => self.value(logic, *e, env).len() <= 1,
            N::Acyclic(r) => {
                // Take away atoms without predecessors until none is left or every atom has one.
                let mut edges = self.value(logic, *r, env);
                loop {
                    let targets: BTreeSet<Atom> = edges.iter().map(|t| t[1]).collect();
                    let before = edges.len();
                    edges.retain(|t| targets.contains(&t[0]));
                    if edges.len() == before {
                        return edges.is_empty();
                    }
                }
            }
            N::Cardinality(e, comparison, number) => {
                comparison.holds(self.value(logic, *e, env).len(), *number)
            }
            N::CompareCardinality(a, comparison, b) => {
                comparison.holds(self.value(logic, *a, env).len(), self.value(logic, *b, env).len())
            }
            N::Not(f) => !self.truth(logic, *f, env),
            N::And(list) => list.iter().all(|&f| self.truth(logic, f, env)),
            N::Or(list) => list.iter().any(|&f| self.truth(logic, f, env)),
            N::Iff(a, b) => self.truth(logic, *a, env) == self.truth(logic, *b, env),
            N::ForAll(declarations, body) => {
                self.each(logic, declarations, env, &mut |env| self.truth(logic, *body, env))
            }
            N::Exists(declarations, body) => {
                !self.each(logic, declarations, env, &mut |env| !self.truth(logic, *body, env))
            }
        }
    }
}
