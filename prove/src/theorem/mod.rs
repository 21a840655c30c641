//! From a question to a theorem: what is to be shown, the search for an argument, its check, and
//! what is missing where there is none.

mod drawing;
mod inhabitant;
mod premises;
mod report;
mod shown;
mod violated;

pub use drawing::Drawing;
pub use inhabitant::Absent;
pub use premises::Premises;
pub use report::{GoalReport, LemmaReport, ProofGap, Report, StepReport, Times};
pub use shown::{ClaimFamily, shown};
pub use violated::GoalViolation;

use std::time::Instant;

use margay_theorem::argument::{ArgumentProof, Claim, ClaimStep, Flaw, check};
use margay_theorem::logic::TheoryExprId;
use margay_theorem::theorem::{Setting, TheoremGoal};

use crate::completion::{UnrefutedObligation, complete};
use crate::ground::GroundEffort;
use crate::search::finder::{Finder, Missing};
use crate::search::suggested::Suggested;
use margay_theorem::ground::Reach;
use margay_theorem::theory::{StopSignal, Theory};

/// How far obligations may reach: the most events, and how many steps from those that they speak
/// of. Where operations have their fences before them, an edge of SC speaks of 9 events, and its
/// refutation has up to 28 values, which is not yet what finding it takes: with 40 events in all it
/// was not found again by what it needs alone. A structure has room for 128.
pub const REACH: Reach = Reach { events: 120, steps: 1, rounds: 5000 };

/// Searches for an argument of each goal, completes it, and checks it. What is not checked is no
/// theorem.
pub fn prove(setting: &Setting, stop: &StopSignal) -> Report {
    let begin = Instant::now();
    let mut theory = setting.theory.clone();
    theory.stop = stop.clone();
    let mut effort = GroundEffort::default();
    let mut finder = Finder::new(theory.clone(), REACH);
    // The one does not need what the other finds.
    let (premises, (found, suggested)) = rayon::join(
        || {
            let premises = Premises::of(setting, &theory, &mut effort);
            tracing::debug!(
                "executions that satisfy the premises: {:.2} s",
                begin.elapsed().as_secs_f64()
            );
            premises
        },
        || search(setting, &mut finder),
    );
    if premises.empty.is_some() || premises.interrupted {
        return empty(setting, &theory, premises, effort, stop.is_raised());
    }
    finder.effort.add(effort);
    let lemmas = suggested.into_iter().map(|s| lemma(setting, &finder.theory, s)).collect();
    let searched = begin.elapsed();
    let mut goals: Vec<GoalReport> = Vec::new();
    let mut claims = Vec::new();
    for (goal, found) in setting.goals.iter().zip(found) {
        let gap = match found {
            Ok(()) => {
                claims.push(goal.claim.clone());
                None
            }
            Err(missing) => Some(gap(setting, &finder.theory, missing)),
        };
        goals.push(GoalReport {
            name: goal.name.clone(),
            claim: goal.claim.text(&finder.theory),
            gap,
        });
    }
    let begin = Instant::now();
    let mut effort = finder.effort;
    let mut base = setting.theory.clone();
    base.stop = stop.clone();
    let (proof, failed) = completed(&base, &finder.theory, &finder.steps, &claims, &mut effort);
    let completed = begin.elapsed();
    let begin = Instant::now();
    let checked = proof.as_ref().map(|proof| checked(setting, proof, stop));
    for (goal, report) in setting.goals.iter().zip(&mut goals) {
        if report.gap.is_some() {
            continue;
        }
        report.gap = match (&checked, failed.iter().find(|f| f.0 == goal.claim)) {
            (_, Some((_, failure))) => Some(unfinished(setting, failure)),
            (Some(Ok(proved)), None) if proved.contains(&goal.claim) => None,
            (Some(Err(flaw)), None) => Some(ProofGap {
                what: format!(
                    "the check of the argument fails at step {}: {}",
                    flaw.step, flaw.what
                ),
                ..ProofGap::default()
            }),
            _ => Some(ProofGap {
                what: "the argument does not end with this claim".to_owned(),
                ..ProofGap::default()
            }),
        };
    }
    violated(setting, &base, &mut goals, &mut effort);
    let times = Times { search: searched, proof: completed, check: begin.elapsed() };
    let (steps, names) = proof.as_ref().map(|proof| steps(setting, proof)).unwrap_or_default();
    let stopped = stop.is_raised() && goals.iter().any(|g| g.gap.is_some());
    Report {
        goals,
        steps,
        names,
        tried: tried(&finder),
        lemmas,
        proof,
        premises,
        times,
        effort,
        stopped,
    }
}

/// Of models: whole executions in which goals do not hold that have no argument. Those of a mapping
/// the bounded search knows how to make.
fn violated(
    setting: &Setting<'_>,
    theory: &Theory,
    goals: &mut [GoalReport],
    effort: &mut GroundEffort,
) {
    if !setting.roles.is_empty() {
        return;
    }
    for (goal, report) in setting.goals.iter().zip(goals) {
        let Some(gap) = &mut report.gap else { continue };
        let Some(violation) = GoalViolation::find(setting, theory, goal, effort) else { continue };
        *gap = ProofGap {
            what: format!(
                "a whole execution ({}) satisfies all that is supposed, and not `{}`",
                match violation.execution.events {
                    1 => "1 event".to_owned(),
                    n => format!("{n} events"),
                },
                report.claim
            ),
            obligation: Some(report.claim.clone()),
            drawing: Some(violation.drawing),
            violated: Some(violation.execution),
        };
    }
}

/// Searches for lemmas, invariants and orders, and for each goal; what came of suggested lemmas.
fn search(
    setting: &Setting<'_>,
    finder: &mut Finder,
) -> (Vec<Result<(), Missing>>, Vec<Suggested>) {
    let mut suggested =
        setting.lemmas.map_or_else(Vec::new, |lemmas| finder.suggestions(lemmas, &setting.base));
    finder.show_suggested(&mut suggested);
    finder.lemmas(&setting.roots);
    // What a mapping makes is known well enough without these, which take their time.
    if setting.roles.is_empty() {
        finder.lemmas_along_program_order(&setting.roots);
    }
    finder.show_suggested(&mut suggested);
    if let Some(kept) = setting.kept {
        finder.keep_order(kept, &setting.closures);
    }
    let checks: Vec<(usize, TheoryExprId)> =
        setting.goals.iter().map(|g| (g.check, g.expr)).collect();
    let found = finder.axioms(
        setting.claimed,
        &checks,
        &setting.supposed,
        &setting.closures,
        &setting.places,
    );
    (found.into_iter().map(|(_, result)| result.map(|_| ())).collect(), suggested)
}

/// What was guessed, in words.
fn tried(finder: &Finder) -> Vec<(String, Vec<(String, bool)>)> {
    finder
        .tried
        .iter()
        .map(|t| (finder.theory.symbols.name(t.of).to_owned(), t.guesses.clone()))
        .collect()
}

/// Nothing is proved of executions that there are not.
fn empty(
    setting: &Setting,
    theory: &Theory,
    premises: Premises,
    effort: GroundEffort,
    stopped: bool,
) -> Report {
    let why = premises.empty.clone().unwrap_or_else(|| {
        "it was stopped before executions that satisfy the premises were found".to_owned()
    });
    let gap = ProofGap { what: format!("{why}: nothing was proved"), ..ProofGap::default() };
    let goal = |g: &TheoremGoal| GoalReport {
        name: g.name.clone(),
        claim: g.claim.text(theory),
        gap: Some(gap.clone()),
    };
    let goals = setting.goals.iter().map(goal).collect();
    let (steps, names, tried, lemmas) = Default::default();
    Report {
        goals,
        steps,
        names,
        tried,
        lemmas,
        proof: None,
        premises,
        times: Times::default(),
        effort,
        stopped,
    }
}

/// Completes what was found: all goals together, or those that can be alone.
fn completed(
    base: &Theory,
    found: &Theory,
    steps: &[ClaimStep],
    claims: &[Claim],
    effort: &mut GroundEffort,
) -> (Option<ArgumentProof>, Vec<(Claim, Box<UnrefutedObligation>)>) {
    if claims.is_empty() {
        return (None, Vec::new());
    }
    if let Ok((_, proof)) = complete(base, found, steps, claims, REACH, effort) {
        return (Some(proof), Vec::new());
    }
    let mut failed = Vec::new();
    let mut kept = Vec::new();
    for claim in claims {
        match complete(base, found, steps, std::slice::from_ref(claim), REACH, effort) {
            Ok(_) => kept.push(claim.clone()),
            Err(failure) => failed.push((claim.clone(), failure)),
        }
    }
    let proof = if kept.is_empty() {
        None
    } else {
        complete(base, found, steps, &kept, REACH, effort).ok().map(|c| c.1)
    };
    (proof, failed)
}

/// Follows the proof in the setting's theory as it was before the search; what it proves, or what
/// is wrong with it.
fn checked(
    setting: &Setting,
    proof: &ArgumentProof,
    stop: &StopSignal,
) -> Result<Vec<Claim>, Flaw> {
    let mut theory = setting.theory.clone();
    theory.stop = stop.clone();
    check(&mut theory, proof).map(|followed| followed.0)
}

/// What came of a suggested lemma.
fn lemma(setting: &Setting, theory: &Theory, suggested: Suggested) -> LemmaReport {
    let check = &setting.lemmas.expect("it suggested this").checks[suggested.check];
    let claim = suggested.claim.text(theory);
    let gap = (!suggested.holds)
        .then(|| gap(setting, theory, Missing::Claim(suggested.claim, suggested.refuted)));
    LemmaReport {
        check: suggested.check,
        name: check.display_name(),
        line: check.place.line(),
        claim,
        gap,
    }
}

/// What is missing, in words and as a drawing.
fn gap(setting: &Setting, theory: &Theory, missing: Missing) -> ProofGap {
    match missing {
        Missing::Claim(claim, structure) => {
            let claim = claim.text(theory);
            let limit = if structure.is_some() { "" } else { " within the limits of the search" };
            ProofGap {
                what: format!("it does not follow{limit} that `{claim}`"),
                obligation: Some(claim),
                drawing: structure.map(|s| Drawing::of(setting, theory, &s)),
                violated: None,
            }
        }
        Missing::Order(relation) => {
            let text = theory.text(relation);
            ProofGap {
                what: format!("no strict order was found that contains an edge of `{text}`"),
                obligation: Some(text),
                drawing: None,
                violated: None,
            }
        }
        Missing::Invariant(none) => {
            let of = theory.symbols.name(none.of).to_owned();
            let items: Vec<String> = none.items.iter().map(|&i| theory.text(i)).collect();
            let so_far = if items.is_empty() {
                String::new()
            } else {
                format!(" besides {}", items.join(" | "))
            };
            let without = match none.given_up.len() {
                0 => String::new(),
                1 => ". Nor is there one without the member that this is behind".to_owned(),
                n => format!(
                    ". Nor is there one without {n} members that nothing contains the next step of"
                ),
            };
            ProofGap {
                what: format!(
                    "no invariant of `{of}` was found: the first two events are in it, and in no candidate{so_far}{without}"
                ),
                obligation: Some(format!("{of} in ?")),
                drawing: none.structure.map(|s| Drawing::of(setting, theory, &s)),
                violated: None,
            }
        }
    }
}

fn unfinished(setting: &Setting, failure: &UnrefutedObligation) -> ProofGap {
    ProofGap {
        what: format!("the argument was found and cannot be completed: {}", failure.what),
        obligation: Some(failure.claim.clone()),
        drawing: failure.structure.as_ref().map(|s| Drawing::of(setting, &failure.theory, s)),
        violated: None,
    }
}

/// The steps of a proof, for people, and the short names in them.
fn steps(setting: &Setting, proof: &ArgumentProof) -> (Vec<StepReport>, Vec<(String, String)>) {
    let mut theory = setting.theory.clone();
    let (mut all, mut claims) = (Vec::new(), Vec::new());
    for (number, (written, settled)) in proof.steps.iter().zip(&proof.settled).enumerate() {
        let Ok(step) = written.read(&mut theory) else { break };
        claims.push(shown::shown(&theory, &step));
        all.push(StepReport {
            claims: step.claims.iter().map(|c| c.text(&theory)).collect(),
            shown: Vec::new(),
            rule: step.rule.name(),
            obligations: settled.len(),
            witnesses: settled.iter().map(|s| s.events).max().unwrap_or(0),
            values: settled.iter().map(|s| s.refutation.values.len()).max().unwrap_or(0),
            instances: settled.iter().map(|s| s.refutation.instances.len()).sum(),
            derived: settled.iter().map(|s| s.refutation.steps.len()).sum(),
            empty: settled.iter().filter(|s| !s.possible).map(|s| s.what.clone()).collect(),
        });
        theory.learn(number, &step);
    }
    let names = shown::short_names(&theory, &mut claims);
    for (step, shown) in all.iter_mut().zip(claims) {
        step.shown = shown;
    }
    (all, names)
}
