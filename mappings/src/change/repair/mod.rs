//! What mends a mapping: the cheapest changes of its rows after which nothing falls up to a bound.
//!
//! A mapping that falls lets the program of some counterexample, compiled by certain lowerings,
//! have its outcome: an *obligation* to make one of these lowerings stronger. It is met by the
//! *fixes* of the obligation, the weakest changes under which this compiled program does not have
//! the outcome, and by what is stronger. So a candidate that falls is followed by the candidates
//! with one fix more, the cheapest first. Obligations that share no lowering are met by different
//! changes, so that all changes together cost at least the sum of the cheapest fixes of such
//! obligations: candidates are taken in the order of what they cost with this sum (the search known
//! as A*). All this takes for granted that a stronger lowering never costs less and never brings an
//! outcome back. Every counterexample that was found is kept, and refutes later candidates without
//! a search ([`super::CounterexamplePool`]).

mod candidate;
mod search;

use candidate::{RepairCandidate, RepairSearch};
use margay_models::diagnostic::Diagnostic;
use margay_solver::SolverLimits;
use search::PoolAsker;

use super::{
    ChangeAsker, CounterexamplePool, InstructionCosts, LoweringSlot, OutcomePermission, Price,
};
use crate::check::{CheckOptions, Counterexample, Progress, Silent};
use crate::language::{Lowering, Mapping};

/// A lowering that is replaced.
#[derive(Debug, Clone)]
pub struct Changed {
    pub slot: LoweringSlot,
    /// What it becomes.
    pub lowering: Lowering,
}

/// CheapestChanges that mend the mapping, up to the bound.
#[derive(Debug, Clone)]
pub struct MappingRepair {
    /// The changes, in the order of the rows.
    pub changes: Vec<Changed>,
    /// What they cost more than the rows as they were. Lowerings that differ in the type of the
    /// object alone count once.
    pub cost: u64,
    /// How many single steps they are, counted likewise.
    pub steps: u32,
    /// What repairs are ranked by.
    pub price: Price,
    /// The whole mapping.
    pub mapping: Mapping,
}

/// The answer of [`repair`].
#[derive(Debug)]
pub struct RepairReport {
    /// The smallest counterexample of the mapping as it is, in the pool; `None` if it does not
    /// fall.
    pub fallen: Option<usize>,
    /// All repairs with the least price, but no more than [`MOST_REPAIRS`]; those of rows that are
    /// plainly to blame come first.
    pub repairs: Vec<MappingRepair>,
    /// Are there perhaps more with this price?
    pub more: bool,
    pub pool: CounterexamplePool,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// How many searches there were.
    pub searches: usize,
    /// Why the answer is not complete.
    pub stopped: Option<String>,
}

/// So many repairs of the same price are looked for.
pub const MOST_REPAIRS: usize = 16;

/// So many compiled programs are run for a hint beside an answer, each in about a millisecond.
const HINTS: usize = 500;

/// The cheapest changes of rows under which the program of this counterexample does not have its
/// outcome, in the order of the rows: what mends this one; no other program is looked at. Of
/// several those of rows that are plainly to blame. `None` where none is among the first changes
/// that are tried.
pub fn hint(mapping: &Mapping, counterexample: &Counterexample) -> Option<Vec<Changed>> {
    let costs = InstructionCosts::default();
    let mut pool = CounterexamplePool::new(mapping).limited(SolverLimits::default(), Some(HINTS));
    pool.add(mapping, counterexample.clone())?;
    let mut search = RepairSearch::new(mapping, &costs, &Silent);
    let mut judge = PoolAsker(pool);
    let changes = search.cheapest(&mut judge, (1, usize::MAX), &mut None).ok()?;
    let (_, fix) = changes.found.into_iter().next()?;
    let mut changes = search.changes(&fix);
    // Of the lowerings that change together those that this program needs: it may not have objects
    // of all their types.
    for at in (0..changes.len()).rev() {
        let mut fewer = mapping.clone();
        let kept = changes.iter().enumerate().filter(|(i, _)| *i != at);
        kept.for_each(|(_, change)| change.slot.set(&mut fewer, change.lowering.clone()));
        if judge.0.standing(&fewer, 0) == OutcomePermission::Mended {
            changes.remove(at);
        }
    }
    (!changes.is_empty()).then_some(changes)
}

/// Looks for the cheapest repairs, up to the bound of the options; `most` candidates at most.
///
/// # Errors
/// As [`crate::check::check`].
pub fn repair(
    mapping: &Mapping,
    options: &CheckOptions,
    costs: &InstructionCosts,
    most: usize,
    progress: &dyn Progress,
) -> Result<RepairReport, Vec<Diagnostic>> {
    let mut asker = ChangeAsker::new(mapping, options, progress)?;
    let mut search = RepairSearch::new(mapping, costs, progress);
    let mut fallen = None;
    let changes = search.cheapest(&mut asker, (MOST_REPAIRS, most), &mut fallen)?;
    let repair = |(price, candidate): (Price, RepairCandidate)| MappingRepair {
        changes: search.changes(&candidate),
        cost: candidate.0.values().map(|change| change.cost).sum(),
        steps: candidate.0.values().map(|change| change.steps).sum(),
        price,
        mapping: search.apply(&candidate),
    };
    Ok(RepairReport {
        fallen,
        repairs: changes.found.into_iter().map(repair).collect(),
        more: changes.more,
        pool: asker.pool,
        candidates: changes.looked_at,
        searches: asker.searches,
        stopped: changes.stopped,
    })
}
