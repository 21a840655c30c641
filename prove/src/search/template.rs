//! The guesses: what lemmas look like.

use margay_theorem::argument::{Property, W, X, Y, Z};
use margay_theorem::logic::{EventAtom, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::{Theory, TheoryVocabulary};

/// The kind of guesses that speak of the halves of read-modify-writes.
const HALVES: usize = 3;

/// Kinds of guesses in the order in which they are made: simpler ones come first, and what is kept
/// of them is known to the others. What the third kind brings may help the second.
pub const STAGES: [usize; 6] = [0, 1, 2, HALVES, 1, 4];

/// The guesses of one kind about a closure or fixpoint.
pub fn guesses(
    theory: &mut Theory,
    of: Pred,
    vocabulary: &TheoryVocabulary,
    stage: usize,
) -> Vec<(Pred, Property)> {
    let own = |a, b| Lit::yes(EventAtom::binary(of, a, b));
    let mut found = Vec::new();
    match stage {
        // What its ends are.
        0 => {
            for &set in &vocabulary.sets {
                for end in [X, Y] {
                    found.extend(
                        [Lit::yes(EventAtom::unary(set, end)), Lit::no(EventAtom::unary(set, end))]
                            .map(|l| vec![l]),
                    );
                }
            }
        }
        // C in r, C and r^-1 have nothing in common, C is irreflexive.
        1 => {
            found.push(vec![Lit::no(EventAtom::binary(Pred::EQUAL, X, Y))]);
            for &r in &vocabulary.relations {
                found.push(vec![Lit::yes(EventAtom::binary(r, X, Y))]);
                found.push(vec![Lit::no(EventAtom::binary(r, Y, X))]);
            }
        }
        // r; C in C, C; r in C, and the same with r backwards.
        2 => {
            for &r in &vocabulary.relations {
                let r = |a, b| Lit::no(EventAtom::binary(r, a, b));
                found.extend(
                    [
                        [r(Z, X), own(Z, Y)],
                        [r(X, Z), own(Z, Y)],
                        [r(Y, Z), own(X, Z)],
                        [r(Z, Y), own(X, Z)],
                    ]
                    .map(Vec::from),
                );
            }
        }
        // rmw^-1; C in C | id, C; rmw^-1 in C | id: for a C that has the steps between the halves
        // of an operation.
        HALVES => {
            if let Some(rmw) = theory.symbols.rmw() {
                let rmw = |a, b| Lit::no(EventAtom::binary(rmw, a, b));
                let same = |a, b| Lit::yes(EventAtom::binary(Pred::EQUAL, a, b));
                found.extend(
                    [[rmw(X, Z), own(Z, Y), same(Z, Y)], [rmw(Z, Y), own(X, Z), same(X, Z)]]
                        .map(Vec::from),
                );
            }
        }
        // r; C in s, C; r in s.
        _ => {
            let derivable = derivable(theory);
            for &r in &vocabulary.relations {
                for &s in
                    vocabulary.relations.iter().filter(|&&s| s != of && derivable.contains(&s))
                {
                    let (r, s) = (
                        |a, b| Lit::no(EventAtom::binary(r, a, b)),
                        |a, b| Lit::yes(EventAtom::binary(s, a, b)),
                    );
                    found.extend([[r(Z, X), s(Z, Y)], [r(Y, Z), s(X, Z)]].map(Vec::from));
                }
            }
        }
    }
    let mut found: Vec<Property> = found.into_iter().map(Property::Clause).collect();
    if stage == 1 {
        found.extend(linear(theory, of).map(Property::Within));
    }
    found.into_iter().map(|p| (of, p)).collect()
}

/// The relations that some fact concludes of events that another fact's premises relate.
fn derivable(theory: &Theory) -> std::collections::BTreeSet<Pred> {
    let binary = |l: &&Lit| l.atom.args[0] != l.atom.args[1];
    let concluding =
        theory.facts.iter().filter(|f| f.clause.lits.iter().any(|l| !l.positive && binary(&l)));
    concluding
        .flat_map(|f| f.clause.lits.iter().filter(|l| l.positive).filter(binary))
        .map(|l| l.atom.pred)
        .collect()
}

/// For a recursion of the form `C = B | C; m; C`: each pair of C is one of B, or of C; m; B.
fn linear(theory: &mut Theory, of: Pred) -> Option<TheoryExprId> {
    let Meaning::Fixpoint(body, _) = theory.symbols.get(of).meaning else { return None };
    let own = theory.exprs.symbol(of);
    let parts = theory.exprs.union_parts(body);
    let is_last = |theory: &Theory, p: TheoryExprId| match theory.exprs.get(p) {
        TheoryExpr::Sequence(a, b) if b == own => Some(a),
        _ => None,
    };
    let base: Vec<TheoryExprId> =
        parts.iter().copied().filter(|&p| is_last(theory, p).is_none()).collect();
    let base = theory.exprs.union_all(base);
    let mut all = base;
    for part in parts {
        if let Some(before) = is_last(theory, part) {
            let step = theory.exprs.sequence(before, base);
            all = theory.exprs.union(all, step);
        }
    }
    (all != base).then_some(all)
}

/// For a recursion of the form `C = B | C; m; B`, or `C = B | B; m; C`: C; m; C is within C, though
/// no part of the definition says it.
pub fn composes(theory: &Theory, of: Pred) -> Vec<(Pred, Property)> {
    let Meaning::Fixpoint(body, _) = theory.symbols.get(of).meaning else { return Vec::new() };
    let no = |p, a, b| Lit::no(EventAtom::binary(p, a, b));
    let is_own = |e: TheoryExprId| theory.as_symbol(e) == Some(of);
    let mut found = Vec::new();
    for part in theory.exprs.union_parts(body) {
        let TheoryExpr::Sequence(before, last) = theory.exprs.get(part) else { continue };
        let TheoryExpr::Sequence(first, between) = theory.exprs.get(before) else { continue };
        let Some(between) = theory.as_symbol(between) else { continue };
        if is_own(first) && !is_own(last) {
            // C(z, w), m(w, x), C(x, y) -> C(z, y): by induction over what comes last.
            found.push(vec![
                no(of, Z, W),
                no(between, W, X),
                Lit::yes(EventAtom::binary(of, Z, Y)),
            ]);
        } else if is_own(last) && !is_own(first) {
            found.push(vec![
                no(between, Y, W),
                no(of, W, Z),
                Lit::yes(EventAtom::binary(of, X, Z)),
            ]);
        }
    }
    found.into_iter().map(|lits| (of, Property::Clause(lits))).collect()
}

/// For a recursion of the form `C = B | C; m; C`, where B speaks of a set *s*: each pair of C is of
/// program order at one location, or has a first part of it and then begins in *s*; the same of its
/// end; and both. What is observed of a weak write is observed so.
pub fn ends_within(theory: &mut Theory, of: Pred) -> Vec<TheoryExprId> {
    let (Some(_), Some(po), Some(loc)) =
        (linear(theory, of), theory.symbols.po(), theory.symbols.loc())
    else {
        return Vec::new();
    };
    let own = theory.exprs.symbol(of);
    let [po, loc] = [po, loc].map(|p| theory.exprs.symbol(p));
    let po = theory.exprs.intersection(po, loc);
    let mut sets = TheoryVocabulary::of(theory, [own]).sets;
    sets.retain(|&s| matches!(theory.symbols.get(s).meaning, Meaning::Defined(_)));
    let mut found = Vec::new();
    for set in sets {
        let set = theory.exprs.symbol(set);
        let set = theory.exprs.make(TheoryExpr::Diagonal(set));
        let begins = theory.exprs.sequence(set, own);
        let ends = theory.exprs.sequence(own, set);
        let behind = theory.exprs.sequence(po, begins);
        let before = theory.exprs.sequence(ends, po);
        found.push(theory.exprs.union_all([po, begins, behind]));
        found.push(theory.exprs.union_all([po, ends, before]));
        let both = theory.exprs.sequence(begins, set);
        let around = [theory.exprs.sequence(po, both), theory.exprs.sequence(both, po)];
        let all = theory.exprs.sequence(around[0], po);
        found.push(theory.exprs.union_all([po, both, around[0], around[1], all]));
    }
    found
}
