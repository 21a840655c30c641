//! The first line of an answer about a litmus test: whether its outcome is allowed, with the bound,
//! the axioms that count, and what is missing.

use margay_litmus::explicit::TestVerdict;
use margay_litmus::gap::GapKind;
use margay_litmus::test::{Quantifier, Test};

use crate::headline::{Headline, Tone};
use crate::races;
use crate::restriction::Restriction;

/// Of the verdict on a test under a model; loops were gone round as often as `unroll` says.
pub fn headline(
    test: &Test,
    model: &str,
    verdict: &TestVerdict,
    unroll: usize,
    restriction: &Restriction,
) -> Headline {
    let always = test.condition.quantifier == Quantifier::Forall;
    let gap = verdict
        .gap
        .as_ref()
        .filter(|gap| !verdict.reachable && gap.is_beyond(verdict.bounded))
        .map(|gap| gap.kind());
    let is_bounded = verdict.bounded && !verdict.reachable && gap.is_none();
    let (tone, found) = match (verdict.reachable, gap) {
        (false, Some(GapKind::Endless)) => (Tone::Unsure, "undecided, no execution ends"),
        (false, Some(GapKind::Lost)) => (Tone::Unsure, "undecided, executions are lost"),
        (false, Some(GapKind::Filtered)) => {
            (Tone::Unsure, "undecided, no execution passes the filter")
        }
        (true, _) => (Tone::Bad, if always { "not always" } else { "allowed" }),
        (false, None) if is_bounded => (Tone::Unsure, "not found"),
        (false, None) => (Tone::Good, if always { "always" } else { "forbidden" }),
    };
    let mut rest = if is_bounded { turns(unroll) } else { String::new() };
    rest += races::words(verdict);
    let tone = if verdict.racy == Some(true) { Tone::Bad } else { tone };
    Headline::new(tone, found, &rest, restriction, &of(test, model))
}

/// What a first line is about; the whole of a name that is longer than a line stands below.
pub fn of(test: &Test, model: &str) -> String {
    const LONGEST: usize = 80;
    match test.name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}.. under {model}", &test.name[..at]),
        None => format!("{} under {model}", test.name),
    }
}

/// How often loops were gone round.
pub fn turns(unroll: usize) -> String {
    let jumps = if unroll == 1 { "1 backward jump" } else { &format!("{unroll} backward jumps") };
    format!(" with at most {jumps} in each loop")
}
