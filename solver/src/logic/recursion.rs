//! Least fixpoints of mutually recursive definitions, and the check that they are monotone.

use std::fmt;

use rustc_hash::FxHashSet;

use super::{
    Binder, CardinalityComparison, Expr, ExprNode, FixpointGroup, Formula, FormulaNode, Logic,
    Recursion,
};

/// A recursive definition uses itself where a larger value could make it smaller, so it may have no
/// least solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotMonotone {
    /// The relation whose body is not monotone.
    pub definition: Recursion,
    /// The relation under definition that occurs negatively in its body.
    pub occurs: Recursion,
}

impl fmt::Display for NotMonotone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a recursive definition is not monotone")
    }
}

impl std::error::Error for NotMonotone {}

impl Logic {
    /// The least relations for which each one equals its body.
    ///
    /// # Errors
    /// [`NotMonotone`] if one of them occurs in a body where a larger relation may make the body
    /// smaller.
    ///
    /// # Panics
    /// If a body has another arity than its relation.
    #[track_caller]
    pub fn fixpoint(
        &mut self,
        definitions: &[(Recursion, Expr)],
    ) -> Result<Vec<Expr>, NotMonotone> {
        for &(recursion, body) in definitions {
            let (wanted, found) = (self.recursion_arity(recursion), self.arity(body));
            assert_eq!(
                wanted, found,
                "a recursive relation of arity {wanted} with a body of arity {found}"
            );
            let mut walk = PolarityWalk {
                group: definitions,
                exprs: FxHashSet::default(),
                formulas: FxHashSet::default(),
            };
            if let Some(occurs) = self.negative_occurrence(body, true, &mut walk) {
                return Err(NotMonotone { definition: recursion, occurs });
            }
        }
        Ok(self.least(definitions))
    }

    /// The least solutions of definitions that are known to be monotone.
    pub(super) fn least(&mut self, definitions: &[(Recursion, Expr)]) -> Vec<Expr> {
        let group = match self.group_ids.get(definitions) {
            Some(&known) => known,
            None => {
                let group = FixpointGroup(self.groups.len() as u32);
                self.groups.push(definitions.to_vec());
                self.group_ids.insert(definitions.to_vec(), group);
                group
            }
        };
        (0..definitions.len())
            .map(|i| {
                let arity = self.recursion_arity(definitions[i].0);
                self.intern(ExprNode::Fixpoint(group, i), arity)
            })
            .collect()
    }

    /// A relation of the group that occurs negatively (for `positive` occurrences of the expression
    /// itself).
    fn negative_occurrence(
        &self,
        expr: Expr,
        positive: bool,
        walk: &mut PolarityWalk<'_>,
    ) -> Option<Recursion> {
        use ExprNode as N;
        if !walk.mentions(self.free(self.expr_facts(expr).free))
            || !walk.exprs.insert((expr, positive))
        {
            return None;
        }
        let mut go = |e: &Expr, positive: bool| self.negative_occurrence(*e, positive, walk);
        match self.expr(expr) {
            N::Recursion(r) => (!positive).then_some(*r),
            N::Relation(_)
            | N::Constant(_)
            | N::Empty(_)
            | N::Universe
            | N::Identity
            | N::Variable(_) => None,
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => go(a, positive).or_else(|| go(b, positive)),
            N::Transpose(a) | N::Closure(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => {
                go(a, positive)
            }
            N::Difference(a, b) => go(a, positive).or_else(|| go(b, !positive)),
            N::Override(a, b) => {
                go(a, positive).or_else(|| go(b, positive)).or_else(|| go(b, !positive))
            }
            N::IfThenElse(f, a, b) => go(a, positive)
                .or_else(|| go(b, positive))
                .or_else(|| self.negative_both_ways(*f, walk)),
            N::Comprehension(declarations, body) => declarations
                .iter()
                .find_map(|(_, domain)| go(domain, positive))
                .or_else(|| self.negative_in_formula(*body, positive, walk)),
            N::Fixpoint(inner, _) => {
                self.group(*inner).iter().find_map(|(_, body)| go(body, positive))
            }
        }
    }

    fn negative_both_ways(
        &self,
        formula: Formula,
        walk: &mut PolarityWalk<'_>,
    ) -> Option<Recursion> {
        self.negative_in_formula(formula, true, walk)
            .or_else(|| self.negative_in_formula(formula, false, walk))
    }

    /// A relation of the group that occurs where a larger one makes the formula (for `positive`)
    /// false.
    fn negative_in_formula(
        &self,
        formula: Formula,
        positive: bool,
        walk: &mut PolarityWalk<'_>,
    ) -> Option<Recursion> {
        use FormulaNode as N;
        if !walk.mentions(self.free(self.formula_facts(formula).free))
            || !walk.formulas.insert((formula, positive))
        {
            return None;
        }
        let mut go = |e: &Expr, positive: bool| self.negative_occurrence(*e, positive, walk);
        match self.formula(formula) {
            N::Truth(_) => None,
            N::Subset(a, b) => go(a, !positive).or_else(|| go(b, positive)),
            N::Equal(a, b) | N::CompareCardinality(a, CardinalityComparison::Equal, b) => {
                [a, b].into_iter().find_map(|e| go(e, true).or_else(|| go(e, false)))
            }
            N::Some(e)
            | N::Cardinality(
                e,
                CardinalityComparison::AtLeast | CardinalityComparison::Greater,
                _,
            ) => go(e, positive),
            N::Lone(e)
            | N::Acyclic(e)
            | N::Cardinality(e, CardinalityComparison::AtMost | CardinalityComparison::Less, _) => {
                go(e, !positive)
            }
            N::One(e) | N::Cardinality(e, CardinalityComparison::Equal, _) => {
                go(e, true).or_else(|| go(e, false))
            }
            N::CompareCardinality(
                a,
                CardinalityComparison::AtLeast | CardinalityComparison::Greater,
                b,
            ) => go(a, positive).or_else(|| go(b, !positive)),
            N::CompareCardinality(
                a,
                CardinalityComparison::AtMost | CardinalityComparison::Less,
                b,
            ) => go(a, !positive).or_else(|| go(b, positive)),
            N::Not(f) => self.negative_in_formula(*f, !positive, walk),
            N::And(list) | N::Or(list) => {
                list.iter().find_map(|&f| self.negative_in_formula(f, positive, walk))
            }
            N::Iff(a, b) => {
                self.negative_both_ways(*a, walk).or_else(|| self.negative_both_ways(*b, walk))
            }
            N::ForAll(declarations, body) => declarations
                .iter()
                .find_map(|(_, domain)| go(domain, !positive))
                .or_else(|| self.negative_in_formula(*body, positive, walk)),
            N::Exists(declarations, body) => declarations
                .iter()
                .find_map(|(_, domain)| go(domain, positive))
                .or_else(|| self.negative_in_formula(*body, positive, walk)),
        }
    }
}

/// The search for a negative occurrence.
struct PolarityWalk<'a> {
    /// The relations under definition.
    group: &'a [(Recursion, Expr)],
    /// Where it has been, with the polarity there.
    exprs: FxHashSet<(Expr, bool)>,
    formulas: FxHashSet<(Formula, bool)>,
}

impl PolarityWalk<'_> {
    /// Is a relation of the group among the free ones?
    fn mentions(&self, free: &[Binder]) -> bool {
        self.group.iter().any(|&(r, _)| free.contains(&Binder::Recursion(r)))
    }
}
