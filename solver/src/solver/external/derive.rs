//! Follows the DRAT proof of a program line by line, for one question.

use margay_proof::SatLiteral;
use rustc_hash::FxHashMap;

use super::drat::{DratLine, DratLines};
use crate::limits::SolverLimits;
use crate::proof::ProofLog;
use crate::solver::derivation::{ClauseDerivation, ClausePlace, NotDerived, ProvedCore};

/// How many lines are read before the limits are looked at again.
const OFTEN: usize = 256;

/// Why there is no refutation.
#[derive(Debug, PartialEq, Eq)]
pub enum NotFollowed {
    /// A limit was reached; the first number that is not used.
    Limit(u64),
    /// The proof does not show it, for this reason.
    Proof(String),
}

/// What a proof came to.
#[derive(Debug)]
pub struct FollowedProof {
    /// The clause of negated assumptions, and its number in the log.
    pub core: ProvedCore,
    /// The first number that is not used.
    pub next: u64,
}

/// The refutation that a proof describes, of these clauses with their numbers in the log, under
/// assumptions; the next number that is free.
///
/// # Errors
/// A line does not follow from those before it, or the last one does not end it.
pub fn follow<'c>(
    clauses: impl Iterator<Item = (u64, &'c [SatLiteral])>,
    assumptions: &[SatLiteral],
    (next, log): (u64, Option<&ProofLog>),
    proof: &[u8],
    limits: &SolverLimits,
) -> Result<FollowedProof, NotFollowed> {
    let mut derivation = ClauseDerivation::new(next, log.cloned());
    let mut places = ByLiterals::default();
    for (id, clause) in clauses {
        let place = derivation.give_numbered(id, clause);
        places.note(clause, place);
    }
    for &assumption in assumptions {
        derivation.assume(assumption);
    }
    let mut lines = DratLines::new(proof).enumerate();
    loop {
        // What is known follows without search, and so in no time worth a limit.
        let unlimited = SolverLimits::default();
        if let Ok(Some(core)) = derivation.contradiction(&unlimited) {
            return Ok(FollowedProof { core, next: derivation.next() });
        }
        let Some((number, line)) = lines.next() else {
            return Err(NotFollowed::Proof(
                "the proof ends before there is a contradiction".to_owned(),
            ));
        };
        if number % OFTEN == 0 && limits.reached() {
            return Err(NotFollowed::Limit(derivation.next()));
        }
        match line.map_err(|fault| NotFollowed::Proof(fault.to_string()))? {
            // That a solver deletes what it knows for good is of no account, and a clause that is
            // not there is none of ours.
            DratLine::Deleted(literals) => {
                if let Some(place) = places.take(&literals) {
                    derivation.remove(place);
                }
            }
            DratLine::Added(literals) => {
                let why = |why: &str| {
                    NotFollowed::Proof(format!(
                        "line {} of its proof cannot be followed: {why}",
                        number + 1
                    ))
                };
                // A variable of the solver's own: what is said of it follows from nothing.
                if literals.iter().any(|&l| !derivation.knows(l)) {
                    return Err(why(
                        "the clause has a variable that the problem has not (Kissat: give it the option `--factor=0`)",
                    ));
                }
                // One that says nothing is needed for nothing.
                let learned = derivation.learn(&literals);
                let proved = learned.and_then(|place| {
                    place.map_or(Ok(None), |p| derivation.prove(p, &unlimited).map(|()| Some(p)))
                });
                match proved {
                    Ok(place) => places.note(&literals, place),
                    Err(NotDerived::Limit) => return Err(NotFollowed::Limit(derivation.next())),
                    Err(NotDerived::NotImplied) => {
                        let what = "the clause does not follow from those before it by unit propagation (RAT steps are not taken)";
                        return Err(why(what));
                    }
                }
            }
        }
    }
}

/// Where clauses of more than two literals are, by their literals. Shorter ones cost nothing, and
/// stay.
#[derive(Default)]
struct ByLiterals(FxHashMap<Vec<SatLiteral>, Vec<ClausePlace>>);

impl ByLiterals {
    fn key(literals: &[SatLiteral]) -> Vec<SatLiteral> {
        let mut key = literals.to_vec();
        key.sort_unstable();
        key.dedup();
        key
    }

    fn note(&mut self, literals: &[SatLiteral], place: Option<ClausePlace>) {
        let key = Self::key(literals);
        if let Some(place) = place.filter(|_| key.len() > 2) {
            self.0.entry(key).or_default().push(place);
        }
    }

    fn take(&mut self, literals: &[SatLiteral]) -> Option<ClausePlace> {
        self.0.get_mut(&Self::key(literals)).and_then(Vec::pop)
    }
}
