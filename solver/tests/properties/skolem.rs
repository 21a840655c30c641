//! Skolemised formulas against all instances one by one: they have the instances of the formulas
//! that they stand for, with witnesses.

use margay_solver::{
    EnumerationEnd, Expr, Formula, Instance, QuantifiedVariable, Session, Skolem, SolverLimits,
    Symmetry,
};
use proptest::prelude::*;

use crate::generate::{self, Choices, Scope, choices, declarations, formula, problem};
use crate::problem::{Problem, backend, encodings, keys};

/// Instances of the skolemised formula, one for each of the original relations: against those of
/// the formula.
fn check(
    p: &mut Problem,
    formula: Formula,
    depth: usize,
    case: usize,
) -> Result<(Vec<Instance>, Vec<Skolem>), TestCaseError> {
    let mut bounds = p.bounds.clone();
    let (skolemized, skolems) = p.logic.skolemize(formula, depth, &mut bounds);
    let mut session = Session::new(bounds, encodings()[case % 64], &backend(case));
    session.assert(&p.logic, skolemized);
    let none = SolverLimits::default();
    let (found, ended) =
        session.instances(&[], &p.relations, &Symmetry::none(), &none, usize::MAX).unwrap();
    prop_assert_eq!(ended, EnumerationEnd::Complete);
    let project = |i: &Instance| {
        let relations = i
            .relations()
            .filter(|(r, _)| p.relations.contains(r))
            .map(|(r, t)| (r, t.clone()))
            .collect();
        Instance::new(i.universe().clone(), relations)
    };
    let projected: Vec<Instance> = found.iter().map(project).collect();
    prop_assert_eq!(
        keys(&projected),
        keys(&p.solutions(formula)),
        "{}",
        p.logic.listing(&[formula, skolemized])
    );

    // As many of all instances, which differ in witnesses too, as are soon found.
    let all: Vec<_> =
        p.relations.iter().copied().chain(skolems.iter().map(|s| s.relation)).collect();
    let (found, _) = session.instances(&[], &all, &Symmetry::none(), &none, 200).unwrap();
    for instance in &found {
        prop_assert!(instance.holds(&p.logic, skolemized) && instance.holds(&p.logic, formula));
        // Each relation is a function of the parameters, within the bounds.
        for skolem in &skolems {
            let tuples = instance.tuples(skolem.relation).expect("bound");
            prop_assert_eq!(tuples.arity(), skolem.parameters.len() + 1);
            let rows: Vec<_> = tuples.iter().map(|t| &t[..t.len() - 1]).collect();
            prop_assert!(rows.is_sorted_by(|a, b| a < b), "{:?}", tuples);
        }
    }
    Ok((found, skolems))
}

/// `some x: D, y: E | F` with the domains cut down to the witnesses that there are; true where
/// there are none, if that may be.
fn witnessed(
    p: &mut Problem,
    declarations: &[(QuantifiedVariable, Expr)],
    body: Formula,
    skolems: &[Skolem],
    must: bool,
) -> Formula {
    let witnesses: Vec<Expr> = skolems.iter().map(|s| s.witness(&mut p.logic)).collect();
    let cut: Vec<(QuantifiedVariable, Expr)> = declarations
        .iter()
        .zip(&witnesses)
        .map(|(&(v, domain), &w)| (v, p.logic.intersection(domain, w)))
        .collect();
    let mut holds: Vec<Formula> = witnesses.iter().map(|&w| p.logic.one(w)).collect();
    holds.push(p.logic.exists(&cut, body));
    let holds = p.logic.and(holds);
    if must {
        return holds;
    }
    let none: Vec<Formula> = witnesses.iter().map(|&w| p.logic.no(w)).collect();
    let none = p.logic.and(none);
    p.logic.or([none, holds])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn skolemised_formulas_have_the_same_instances(choices in choices(), depth in 0usize..4, case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        // A quantifier below others, of either sort, must hold or not; beside it anything.
        let (outer, scope) = declarations(&mut p, c, &Scope::default(), 1, 1);
        let count = 1 + c.below(2);
        let (inner, scope) = declarations(&mut p, c, &scope, count, 1);
        let body = formula(&mut p, c, &scope, 3);
        let inner = if c.below(2) == 0 { p.logic.exists(&inner, body) } else { p.logic.for_all(&inner, body) };
        let beside = formula(&mut p, c, &Scope::default(), 2);
        let inner = match c.below(3) {
            0 => inner,
            1 => p.logic.or([inner, beside]),
            _ => p.logic.and([inner, beside]),
        };
        let f = if c.below(2) == 0 { p.logic.for_all(&outer, inner) } else { p.logic.exists(&outer, inner) };
        check(&mut p, f, depth, case)?;
        let not = p.logic.not(f);
        check(&mut p, not, depth, case)?;
    }

    #[test]
    fn any_formula_may_be_skolemised(choices in choices(), depth in 0usize..4, case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let f = formula(&mut p, c, &Scope::default(), 4);
        check(&mut p, f, depth, case)?;
        let not = p.logic.not(f);
        check(&mut p, not, depth, case)?;
    }

    /// One variable may be bound again and again.
    #[test]
    fn variables_are_told_apart_by_where_they_are_bound(choices in choices(), depth in 0usize..4, case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let (declared, scope) = declarations(&mut p, c, &Scope::default(), 2, 0);
        let mut f = formula(&mut p, c, &scope, 2);
        for _ in 0..4 {
            let variable = declared[c.below(2)].0;
            let domain = generate::expr(&mut p, c, &scope, 1, 1);
            let beside = formula(&mut p, c, &scope, 1);
            f = match c.below(4) {
                0 | 1 => p.logic.exists(&[(variable, domain)], f),
                2 => p.logic.for_all(&[(variable, domain)], f),
                _ => {
                    // What surrounds it within an expression is renamed where it would capture a
                    // witness.
                    let set = p.logic.comprehension(&[(variable, domain)], f);
                    p.logic.some(set)
                }
            };
            f = match c.below(4) {
                0 => p.logic.or([f, beside]),
                1 => p.logic.and([f, beside]),
                2 => p.logic.not(f),
                _ => f,
            };
        }
        let f = p.logic.exists(&declared, f);
        check(&mut p, f, depth, case)?;
    }

    #[test]
    fn witnesses_are_witnesses(choices in choices(), case in 0usize..192) {
        let c = &mut Choices::new(&choices);
        let mut p = problem(c);
        let count = c.below(3);
        let (outer, scope) = declarations(&mut p, c, &Scope::default(), count, 1);
        let beside = formula(&mut p, c, &scope, 1);
        let count = 1 + c.below(2);
        let (inner, scope) = declarations(&mut p, c, &scope, count, 1);
        // Without quantifiers, whose witnesses would come after these.
        let body = formula(&mut p, c, &scope, 0);
        let some = p.logic.exists(&inner, body);
        let must = c.below(2) == 0;
        let inside = if must { some } else { p.logic.or([some, beside]) };
        let f = p.logic.for_all(&outer, inside);
        let (found, skolems) = check(&mut p, f, outer.len(), case)?;
        let of_inner = |s: &Skolem| inner.iter().any(|&(v, _)| v == s.variable);
        let skolems: Vec<Skolem> = skolems.into_iter().filter(of_inner).collect();
        if skolems.is_empty() {
            // It was simplified away.
            return Ok(());
        }
        prop_assert_eq!(skolems.len(), inner.len());
        let right = witnessed(&mut p, &inner, body, &skolems, must || inside == some);
        let right = p.logic.for_all(&outer, right);
        for instance in found {
            prop_assert!(instance.holds(&p.logic, right), "{:?}", instance);
        }
    }
}
