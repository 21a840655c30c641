//! Can the premises of an obligation be true together? What holds emptily is said to.

use crate::ground::{GroundEffort, possible};
use margay_theorem::argument::{Claim, ClaimStep, open_all};
use margay_theorem::ground::{Obligation, Reach};
use margay_theorem::logic::{EventTerm, TheoryExpr};
use margay_theorem::theory::Theory;
use rayon::prelude::*;

/// For each obligation of a step: can its premises be true together? Many have the same ones.
pub fn all_possible(
    theory: &Theory,
    step: &ClaimStep,
    asked: &[Obligation],
    reach: Reach,
    effort: &mut GroundEffort,
) -> Vec<bool> {
    let same = |a: &Obligation, b: &Obligation| {
        let alike = |o: &Obligation| matches!(step.claims[o.claim], Claim::Pairs { .. });
        a.question == b.question && a.events == b.events && alike(a) && alike(b)
    };
    let first: Vec<usize> = (0..asked.len())
        .map(|o| (0..o).find(|&p| same(&asked[p], &asked[o])).unwrap_or(o))
        .collect();
    let found: Vec<(bool, GroundEffort)> = (0..asked.len())
        .into_par_iter()
        .map(|o| {
            let mut effort = GroundEffort::default();
            (
                first[o] == o
                    && is_possible(
                        theory,
                        &step.claims[asked[o].claim],
                        &asked[o],
                        reach,
                        &mut effort,
                    ),
                effort,
            )
        })
        .collect();
    found.iter().for_each(|f| effort.add(f.1));
    first.into_iter().map(|o| found[o].0).collect()
}

/// Can the premises of an obligation be true together? The premise of `irreflexive r` is that r has
/// pairs at all; of `empty a & b`, that both have.
fn is_possible(
    theory: &Theory,
    claim: &Claim,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut GroundEffort,
) -> bool {
    let parts = match claim {
        Claim::Irreflexive(e) => vec![*e],
        Claim::Empty(e, false) => match theory.exprs.get(*e) {
            TheoryExpr::Intersection(a, b) => vec![a, b],
            TheoryExpr::Difference(a, _) => vec![a],
            _ => return true,
        },
        Claim::Empty(_, true) => return true,
        Claim::Pairs { .. } | Claim::Within(..) | Claim::Acyclic(_) => {
            return possible(
                theory,
                &obligation.question,
                obligation.events,
                Reach { steps: 0, ..reach },
                effort,
            )
            .is_some();
        }
    };
    // The theory of a proof grows in no other way than whoever checks it lets it grow.
    let mut theory = theory.clone();
    parts.into_iter().all(|e| {
        let (form, events) =
            open_all(&mut theory, e, EventTerm::event(0), EventTerm::event(1), 2, &[]);
        form.lits().iter().for_each(|l| theory.explain(l.atom.pred));
        possible(&theory, &form, events, Reach { steps: 0, ..reach }, effort).is_some()
    })
}
