//! Random problems, expressions and formulas, made from a string of choices: what proptest makes
//! smaller is the string, and where it ends every choice is the first one, which is the simplest.

use margay_solver::{
    Atom, Bounds, CardinalityComparison, Expr, Formula, Logic, QuantifiedVariable, Recursion,
    TupleSet, Universe,
};

use crate::problem::Problem;

/// The rest of a string of choices.
pub struct Choices<'a> {
    rest: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub fn new(choices: &'a [u8]) -> Self {
        Self { rest: choices.iter() }
    }

    /// A number below the given one.
    pub fn below(&mut self, n: usize) -> usize {
        self.rest.next().map_or(0, |&c| usize::from(c) % n)
    }
}

/// What an expression may mention besides relations.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    variables: Vec<QuantifiedVariable>,
    recursions: Vec<(Recursion, usize)>,
}

/// The most tuples that may or may not be there: 2 to that power are the instances.
const UNCERTAIN: usize = 7;

/// A problem over 1 to 3 atoms with two sets, two binary relations and one ternary.
pub fn problem(choices: &mut Choices<'_>) -> Problem {
    let atoms = 3 - choices.below(3) as u32;
    let mut logic = Logic::new();
    let mut bounds = Bounds::new(Universe::new((0..atoms).map(|a| format!("a{a}"))));
    let mut relations = Vec::new();
    let mut uncertain = 0;
    for (name, arity) in [("r", 2), ("s", 1), ("q", 2), ("t", 1), ("h", 3)] {
        let relation = logic.relation(name, arity);
        let (mut lower, mut upper) = (TupleSet::new(arity), TupleSet::new(arity));
        for index in 0..atoms.pow(arity as u32) {
            let tuple: Vec<Atom> =
                (0..arity as u32).map(|c| Atom(index / atoms.pow(c) % atoms)).collect();
            match choices.below(4) {
                0 | 1 if uncertain < UNCERTAIN => {
                    upper.insert(&tuple);
                    uncertain += 1;
                }
                2 => {
                    upper.insert(&tuple);
                    lower.insert(&tuple);
                }
                _ => {}
            }
        }
        bounds.between(relation, lower, upper);
        relations.push(relation);
    }
    Problem { logic, bounds, relations }
}

fn leaf(p: &mut Problem, c: &mut Choices<'_>, scope: &Scope, arity: usize) -> Expr {
    let fitting: Vec<_> =
        p.relations.iter().copied().filter(|&r| p.logic.relation_arity(r) == arity).collect();
    let recursions: Vec<_> =
        scope.recursions.iter().filter(|(_, a)| *a == arity).map(|&(r, _)| r).collect();
    if !recursions.is_empty() && c.below(2) == 0 {
        return p.logic.rec(recursions[c.below(recursions.len())]);
    }
    if arity == 1 && !scope.variables.is_empty() && c.below(2) == 0 {
        return p.logic.var(scope.variables[c.below(scope.variables.len())]);
    }
    match c.below(8) {
        0..=4 => p.logic.rel(fitting[c.below(fitting.len())]),
        5 if arity == 2 => p.logic.identity(),
        5 | 6 if arity == 1 => p.logic.universe(),
        7 => p.logic.empty(arity),
        _ => {
            let atoms = p.bounds.universe().len();
            let mut set = TupleSet::new(arity);
            for _ in 0..1 + c.below(2) {
                let tuple: Vec<Atom> = (0..arity).map(|_| Atom(c.below(atoms) as u32)).collect();
                set.insert(&tuple);
            }
            p.logic.constant(set)
        }
    }
}

/// An expression of an arity from 1 to 3.
pub fn expr(
    p: &mut Problem,
    c: &mut Choices<'_>,
    scope: &Scope,
    arity: usize,
    depth: usize,
) -> Expr {
    if depth == 0 {
        return leaf(p, c, scope, arity);
    }
    let d = depth - 1;
    macro_rules! e {
        ($arity:expr) => {
            expr(p, c, scope, $arity, d)
        };
    }
    match c.below(20) {
        0 => leaf(p, c, scope, arity),
        1 => {
            let (a, b) = (e!(arity), e!(arity));
            p.logic.union(a, b)
        }
        2 => {
            let (a, b) = (e!(arity), e!(arity));
            p.logic.intersection(a, b)
        }
        3 => {
            let (a, b) = (e!(arity), e!(arity));
            p.logic.difference(a, b)
        }
        4 | 5 => {
            // Arities that fit: x + y - 2 = arity, none above 3.
            let x = match arity {
                1 => 1 + c.below(2),
                2 => 1 + c.below(3),
                _ => 2 + c.below(2),
            };
            let y = arity + 2 - x;
            let (a, b) = (e!(x), e!(y));
            p.logic.join(a, b)
        }
        6 if arity > 1 => {
            let x = 1 + c.below(arity - 1);
            let (a, b) = (e!(x), e!(arity - x));
            p.logic.product(a, b)
        }
        6 | 7 if arity == 1 => {
            let of = 1 + c.below(3);
            let a = e!(of);
            p.logic.domain(a)
        }
        8 if arity == 1 => {
            let of = 1 + c.below(3);
            let a = e!(of);
            p.logic.range(a)
        }
        7 if arity == 2 => {
            let a = e!(2);
            p.logic.transpose(a)
        }
        8..=10 if arity == 2 => {
            let a = e!(2);
            p.logic.closure(a)
        }
        11 if arity == 2 => {
            let a = e!(2);
            p.logic.reflexive_closure(a)
        }
        12 if arity == 2 => {
            let a = e!(1);
            p.logic.diagonal(a)
        }
        13 => {
            let (a, b) = (e!(arity), e!(arity));
            p.logic.override_with(a, b)
        }
        14 => {
            let (s, a) = (e!(1), e!(arity));
            p.logic.restrict_domain(s, a)
        }
        15 => {
            let (s, a) = (e!(1), e!(arity));
            p.logic.restrict_range(a, s)
        }
        16 => {
            let f = formula(p, c, scope, d);
            let (a, b) = (e!(arity), e!(arity));
            p.logic.if_then_else(f, a, b)
        }
        17 => {
            let (declarations, inner) = declarations(p, c, scope, arity, d);
            let body = formula(p, c, &inner, d);
            p.logic.comprehension(&declarations, body)
        }
        _ => fixpoint(p, c, scope, arity, d),
    }
}

/// One of the least solutions of one or two definitions; a leaf if they turn out not to be
/// monotone.
fn fixpoint(
    p: &mut Problem,
    c: &mut Choices<'_>,
    scope: &Scope,
    arity: usize,
    depth: usize,
) -> Expr {
    let mut inner = scope.clone();
    let arities: Vec<usize> =
        std::iter::once(arity).chain((0..c.below(2)).map(|i| i + 1)).collect();
    let recursions: Vec<Recursion> = arities.iter().map(|&a| p.logic.recursion("x", a)).collect();
    inner.recursions.extend(recursions.iter().copied().zip(arities.iter().copied()));
    let definitions: Vec<(Recursion, Expr)> = recursions
        .iter()
        .zip(&arities)
        .map(|(&recursion, &arity)| {
            let base = expr(p, c, scope, arity, depth.saturating_sub(1));
            let step = expr(p, c, &inner, arity, depth.max(1));
            (recursion, p.logic.union(base, step))
        })
        .collect();
    match p.logic.fixpoint(&definitions) {
        Ok(solutions) => solutions[0],
        Err(_) => leaf(p, c, scope, arity),
    }
}

/// Declarations of variables, later domains with earlier variables, and the scope inside.
pub fn declarations(
    p: &mut Problem,
    c: &mut Choices<'_>,
    scope: &Scope,
    count: usize,
    depth: usize,
) -> (Vec<(QuantifiedVariable, Expr)>, Scope) {
    let mut inner = scope.clone();
    let mut out = Vec::new();
    for _ in 0..count {
        let domain = expr(p, c, &inner, 1, depth.min(1));
        let variable = p.logic.variable("v");
        out.push((variable, domain));
        inner.variables.push(variable);
    }
    (out, inner)
}

fn comparison(c: &mut Choices<'_>) -> CardinalityComparison {
    use CardinalityComparison as C;
    [C::AtMost, C::AtLeast, C::Equal, C::Less, C::Greater][c.below(5)]
}

pub fn formula(p: &mut Problem, c: &mut Choices<'_>, scope: &Scope, depth: usize) -> Formula {
    let d = depth.saturating_sub(1);
    let kinds = if depth == 0 { 12 } else { 22 };
    macro_rules! e {
        ($arity:expr) => {
            expr(p, c, scope, $arity, d)
        };
    }
    match c.below(kinds) {
        0 => {
            let arity = 1 + c.below(3);
            let a = e!(arity);
            p.logic.some(a)
        }
        1 | 2 => {
            let arity = 1 + c.below(3);
            let (a, b) = (e!(arity), e!(arity));
            p.logic.subset(a, b)
        }
        3 => {
            let arity = 1 + c.below(2);
            let (a, b) = (e!(arity), e!(arity));
            p.logic.equal(a, b)
        }
        4 | 5 => {
            let a = e!(2);
            p.logic.acyclic(a)
        }
        6 => {
            let arity = 1 + c.below(3);
            let a = e!(arity);
            if c.below(2) == 0 { p.logic.lone(a) } else { p.logic.one(a) }
        }
        7 => {
            let a = e!(2);
            p.logic.irreflexive(a)
        }
        8 => {
            let (a, b) = (e!(2), e!(1));
            p.logic.total_order(a, b)
        }
        9 => {
            let (a, b, to) = (e!(2), e!(1), e!(1));
            p.logic.function(a, b, to)
        }
        10 => {
            let arity = 1 + c.below(2);
            let a = e!(arity);
            let (how, number) = (comparison(c), c.below(5));
            p.logic.cardinality(a, how, number)
        }
        11 => {
            let (x, y) = (1 + c.below(2), 1 + c.below(2));
            let (a, b) = (e!(x), e!(y));
            let how = comparison(c);
            p.logic.compare_cardinality(a, how, b)
        }
        12 | 13 => {
            let f = formula(p, c, scope, d);
            p.logic.not(f)
        }
        14 => {
            let list: Vec<Formula> = (0..2 + c.below(2)).map(|_| formula(p, c, scope, d)).collect();
            p.logic.and(list)
        }
        15 => {
            let list: Vec<Formula> = (0..2 + c.below(2)).map(|_| formula(p, c, scope, d)).collect();
            p.logic.or(list)
        }
        16 => {
            let (f, g) = (formula(p, c, scope, d), formula(p, c, scope, d));
            p.logic.implies(f, g)
        }
        17 => {
            let (f, g) = (formula(p, c, scope, d), formula(p, c, scope, d));
            p.logic.iff(f, g)
        }
        18 | 19 => {
            let count = 1 + c.below(2);
            let (declarations, inner) = declarations(p, c, scope, count, d);
            let body = formula(p, c, &inner, d);
            p.logic.for_all(&declarations, body)
        }
        _ => {
            let count = 1 + c.below(2);
            let (declarations, inner) = declarations(p, c, scope, count, d);
            let body = formula(p, c, &inner, d);
            p.logic.exists(&declarations, body)
        }
    }
}

/// A string of choices, long enough for a problem and some formulas.
pub fn choices() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::num::u8::ANY, 40..200)
}
