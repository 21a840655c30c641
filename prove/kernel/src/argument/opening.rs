//! How far claims are opened: down to base symbols, and closures and fixpoints without a bound.

use crate::logic::{EventTerm, Meaning, Pred, TheoryExprId, TheoryFormula};
use crate::theory::{MOST_SYMBOLS, Opening, Theory, TheoryVocabulary, Treatment};

/// Opens an expression down to base symbols, and closures and fixpoints without a bound.
pub fn open_all(
    theory: &mut Theory,
    expr: TheoryExprId,
    s: EventTerm,
    t: EventTerm,
    next: usize,
    group: &[Pred],
) -> (TheoryFormula, usize) {
    let treat = |theory: &Theory, p: Pred, within: &[Pred]| treatment(theory, p, within, group);
    let mut opening =
        Opening { treat: &treat, next, within: Vec::new(), variables: None, left: MOST_SYMBOLS };
    let form = theory.open(expr, s, t, &mut opening);
    (form, opening.next)
}

/// What becomes of a symbol where all is opened but the relations of a group. A bound that is made
/// of the group is left out: its pairs do not come before those that an induction is about.
pub fn treatment(theory: &Theory, p: Pred, within: &[Pred], group: &[Pred]) -> Treatment {
    let made_of_group = |bound: TheoryExprId| {
        !group.is_empty()
            && TheoryVocabulary::of(theory, [bound]).relations.iter().any(|p| group.contains(p))
    };
    match (theory.bound(p), theory.symbols.get(p).meaning) {
        _ if group.contains(&p) => Treatment::Keep,
        (Some(bound), _) if made_of_group(bound) => Treatment::Keep,
        (Some(bound), _) if !within.contains(&p) => Treatment::Within(bound),
        (None, Meaning::Defined(body)) if !theory.is_local(p) => Treatment::Replace(body),
        _ => Treatment::Keep,
    }
}
