//! The search for executions that satisfy all that a theorem supposes.

use margay_theorem::ground::Structure;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Meaning, Pred, TheoryFormula};
use margay_theorem::theorem::Inhabitant;
use margay_theorem::theory::Theory;

use crate::ground::{GroundAnswer, GroundEffort, GroundLimits, GroundProblem};

/// Why there is no inhabitant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// What is supposed contradicts it, in executions of every size.
    Refuted,
    /// None was found within reach.
    Unseen,
}

/// The most events of an execution that is looked for, and how often something that exists is added
/// to what exists.
const LIMITS: GroundLimits = GroundLimits { events: 40, depth: 12, rounds: 5000 };

/// How often an execution is looked for whose closures are the least ones.
const ATTEMPTS: usize = 12;

/// Searches for an inhabitant in which a formula about the first few events holds, and of which
/// something else is true. `is_one`: is it?
///
/// # Errors
/// Why there is none.
pub fn find_inhabitant(
    theory: &Theory,
    shows: &str,
    (form, events): (&TheoryFormula, usize),
    is_one: impl Fn(&Inhabitant) -> bool,
    effort: &mut GroundEffort,
) -> Result<Inhabitant, Absent> {
    let mut problem = GroundProblem::new(theory, events, LIMITS);
    problem.ask(form);
    let mut found = Err(Absent::Refuted);
    for _ in 0..ATTEMPTS {
        let structure = match problem.solve() {
            GroundAnswer::Model(structure) => structure,
            GroundAnswer::Refuted => break,
            GroundAnswer::Unknown => {
                found = Err(Absent::Unseen);
                break;
            }
        };
        let own = inhabitant_of(theory, shows, &structure);
        if is_one(&own) {
            found = Ok(own);
            break;
        }
        found = Err(Absent::Unseen);
        // A closure may have more pairs there than the least one. The next execution is to do
        // without these, as far as they are known by their numbers; what that leaves out is not
        // looked for.
        let beyond = beyond(&own, theory, &structure);
        if beyond.is_empty() {
            break;
        }
        beyond.into_iter().for_each(|atom| problem.ask(&TheoryFormula::lit(Lit::no(atom))));
    }
    effort.add(problem.effort);
    found
}

/// The pairs that closures and recursive relations have in a structure, and not in the execution
/// that is made of its base symbols.
fn beyond(own: &Inhabitant, theory: &Theory, structure: &Structure) -> Vec<EventAtom> {
    let kept = kept(structure);
    let Ok(least) = own.structure(theory) else { return Vec::new() };
    let mut beyond = Vec::new();
    for (pred, symbol) in theory.symbols.iter().filter(|(p, _)| structure.has(*p)) {
        if matches!(symbol.meaning, Meaning::Closure(_) | Meaning::Fixpoint(..)) {
            // Where events are equal they have other numbers in the execution.
            for (a, &e) in kept.iter().enumerate() {
                let more = |(b, d): (usize, usize)| {
                    structure.row(pred, e) >> d & 1 == 1 && least.row(pred, a) >> b & 1 == 0
                };
                let more = kept.iter().copied().enumerate().filter(|&pair| more(pair));
                beyond.extend(more.map(|(_, d)| EventAtom {
                    pred,
                    args: [EventTerm::event(e), EventTerm::event(d)],
                }));
            }
        }
    }
    beyond
}

/// The events of a structure, the first one of all that are equal.
fn kept(structure: &Structure) -> Vec<usize> {
    let first =
        |e: usize| (0..=e).find(|&d| structure.row(Pred::EQUAL, e) >> d & 1 == 1).unwrap_or(e);
    (0..structure.events()).filter(|&e| first(e) == e).collect()
}

/// The base sets and relations of a structure, with one event for all equal ones.
fn inhabitant_of(theory: &Theory, shows: &str, structure: &Structure) -> Inhabitant {
    let kept = kept(structure);
    let mut atoms = Vec::new();
    for (pred, symbol) in
        theory.symbols.iter().filter(|(p, s)| *p != Pred::EQUAL && s.meaning == Meaning::Base)
    {
        for (a, &e) in kept.iter().enumerate() {
            let row = if structure.has(pred) { structure.row(pred, e) } else { 0 };
            atoms.extend(
                kept.iter()
                    .enumerate()
                    .filter(|(_, d)| row >> **d & 1 == 1)
                    .map(|(b, _)| (symbol.name.clone(), [a, b])),
            );
        }
    }
    Inhabitant { shows: shows.to_owned(), events: kept.len(), atoms }
}
