//! What mends a mapping: the cheapest changes of its rows after which nothing falls up to a bound, all of them.
//!
//! A mapping that falls has to change a row that its counterexample uses, and to become stronger there: at least as strong as one of
//! the *fixes* of this counterexample, the weakest changes of its rows under which its program does not have its outcome. So these
//! are what a candidate goes on with, in the order of cost. (This takes for granted that a stronger lowering never costs less and never
//! brings an outcome back.) Every counterexample that was found is kept, and refutes later candidates without a search
//! ([`super::Pool`]).

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use margay_models::diagnostic::Diagnostic;
use margay_solver::Limits;

use super::{Asked, Asker, Costs, Pool, Slot, Standing, Steps};
use crate::check::{CheckOptions, Counterexample, Progress};
use crate::language::{Lowering, Mapping};

/// A lowering that is replaced.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Which.
    pub slot: Slot,
    /// What it becomes.
    pub lowering: Lowering,
}

/// Changes that mend the mapping, up to the bound.
#[derive(Debug, Clone)]
pub struct Repair {
    /// The changes, in the order of the rows.
    pub changes: Vec<Changed>,
    /// What they cost more than the rows as they were.
    pub cost: u64,
    /// How many single steps they are.
    pub steps: u32,
    /// The whole mapping.
    pub mapping: Mapping,
}

/// The answer of [`repair`].
#[derive(Debug)]
pub struct RepairReport {
    /// The smallest counterexample of the mapping as it is, in the pool; `None` if it does not fall.
    pub fallen: Option<usize>,
    /// All repairs for which cost and number of steps together are least.
    pub repairs: Vec<Repair>,
    /// The counterexamples.
    pub pool: Pool,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// How many searches there were.
    pub searches: usize,
    /// Why the answer is not complete.
    pub stopped: Option<String>,
}

/// A candidate: what each changed slot becomes, as text (which orders and identifies) and as lowering.
#[derive(Debug, Clone, Default)]
struct Candidate(BTreeMap<Slot, (String, Lowering)>);

impl Candidate {
    fn key(&self) -> Vec<(Slot, String)> {
        self.0.iter().map(|(slot, (text, _))| (*slot, text.clone())).collect()
    }

    /// What the changed lowerings cost more than they did.
    fn cost(&self, mapping: &Mapping, costs: &Costs) -> u64 {
        let of = |lowering| costs.of(&mapping.target, lowering);
        self.0.iter().map(|(slot, (_, now))| of(now).saturating_sub(of(slot.lowering(mapping)))).sum()
    }

    fn apply(&self, mapping: &Mapping) -> Mapping {
        let mut changed = mapping.clone();
        for (slot, (_, lowering)) in &self.0 {
            slot.set(&mut changed, lowering.clone());
        }
        changed
    }
}

/// So many changes of the rows of one counterexample are tried.
const FIXES: usize = 20_000;

/// So many compiled programs are run for a hint beside an answer, each in about a millisecond.
const HINTS: usize = 500;

/// What counts: what the instructions cost more, and one for each single step; and the number of steps in it.
type Price = (u64, u32);

/// Weakest changes under which a counterexample is none.
struct Fixes {
    found: Vec<(Price, Candidate)>,
    /// Why there may be more.
    stopped: Option<String>,
}

/// What is the same for all candidates.
struct Prices<'a> {
    mapping: &'a Mapping,
    costs: &'a Costs,
    steps: Steps,
    /// For lowerings, all that are stronger.
    above: BTreeMap<(Slot, String), BTreeSet<String>>,
}

impl Prices<'_> {
    /// The candidates that are one step stronger in these slots.
    fn stronger(&self, candidate: &Candidate, slots: &[Slot]) -> Vec<Candidate> {
        let mut out = Vec::new();
        for slot in slots {
            let row = &self.mapping.rows[slot.row];
            let here = candidate.0.get(slot).map_or(slot.lowering(self.mapping), |(_, lowering)| lowering);
            for stronger in self.steps.stronger(row, here) {
                let mut next = candidate.clone();
                next.0.insert(*slot, (row.lowering_text(self.mapping.target.signature, &stronger), stronger));
                out.push(next);
            }
        }
        out
    }

    /// Is everything that the first changes as strong in the second?
    fn is_within(&mut self, first: &Candidate, second: &Candidate) -> bool {
        first.0.iter().all(|(slot, (text, lowering))| {
            second.0.get(slot).is_some_and(|(theirs, _)| {
                theirs == text || {
                    let key = (*slot, text.clone());
                    let row = &self.mapping.rows[slot.row];
                    let above = self.above.entry(key).or_insert_with(|| self.steps.all_stronger(row, lowering));
                    above.contains(theirs)
                }
            })
        })
    }

    /// The weakest candidates, stronger than this one in the rows that a counterexample uses, under which it is none: cheapest first,
    /// `most` of them, and none above the budget.
    fn fixes(
        &mut self,
        (price, candidate): (Price, &Candidate),
        index: usize,
        pool: &mut Pool,
        most: usize,
        budget: Option<Price>,
    ) -> Fixes {
        let rows = pool.get(index).rows();
        let slots: Vec<Slot> = Slot::all(self.mapping).into_iter().filter(|s| rows.contains(&s.row)).collect();
        let mut open = BinaryHeap::from([Reverse((price, candidate.key()))]);
        let mut known = BTreeMap::from([(candidate.key(), candidate.clone())]);
        let mut fixes = Fixes { found: Vec::new(), stopped: None };
        let mut tried = 0;
        while let Some(Reverse((price, key))) = open.pop() {
            if fixes.found.len() == most || budget.is_some_and(|b| price.0 > b.0) {
                break;
            }
            if tried == FIXES || pool.is_spent() {
                fixes.stopped = Some(format!("{tried} changes were tried against one counterexample"));
                break;
            }
            let Some(here) = known.get(&key).cloned() else { continue };
            if fixes.found.iter().any(|(_, f)| self.is_within(f, &here)) {
                continue;
            }
            tried += 1;
            // What mends it changes one of the lowerings that show the outcome: steps elsewhere lead to nothing that is not found
            // without them. (A table that was measured has hundreds of lowerings in the rows of one counterexample.)
            let changing = match pool.standing(&here.apply(self.mapping), index) {
                Standing::Mended => {
                    fixes.found.push((price, here));
                    continue;
                }
                Standing::Refuted(slots) => slots,
                Standing::Unknown => slots.clone(),
            };
            for next in self.stronger(&here, &changing) {
                if let Entry::Vacant(entry) = known.entry(next.key()) {
                    // A stronger lowering never counts as cheaper, or the order would not be by cost.
                    let cost = next.cost(self.mapping, self.costs).max(price.0 - u64::from(price.1));
                    let taken = price.1 + 1;
                    open.push(Reverse(((cost + u64::from(taken), taken), entry.key().clone())));
                    entry.insert(next);
                }
            }
        }
        fixes
    }
}

/// The cheapest changes of rows under which the program of this counterexample does not have its outcome, in the order of the rows: what
/// mends this one; no other program is looked at. `None` where none is among the first changes that are tried.
pub fn hint(mapping: &Mapping, counterexample: &Counterexample) -> Option<Vec<Changed>> {
    let costs = Costs::default();
    let mut pool = Pool::new(mapping).limited(Limits::default(), Some(HINTS));
    let index = pool.add(mapping, counterexample.clone())?;
    let mut prices = Prices { mapping, costs: &costs, steps: Steps::new(mapping), above: BTreeMap::new() };
    let fixes = prices.fixes(((0, 0), &Candidate::default()), index, &mut pool, 1, None);
    let (_, fix) = fixes.found.into_iter().next()?;
    (!fix.0.is_empty()).then(|| fix.0.into_iter().map(|(slot, (_, lowering))| Changed { slot, lowering }).collect())
}

/// Looks for the cheapest repairs, up to the bound of the options; `most` candidates at most.
///
/// # Errors
/// As [`crate::check::check`].
pub fn repair(
    mapping: &Mapping,
    options: &CheckOptions,
    costs: &Costs,
    most: usize,
    progress: &dyn Progress,
) -> Result<RepairReport, Vec<Diagnostic>> {
    let mut asker = Asker::new(mapping, options, progress)?;
    let (mut fallen, mut stopped, mut looked_at) = (None, None, 0);
    let mut repairs: Vec<Repair> = Vec::new();
    let mut prices = Prices { mapping, costs, steps: Steps::new(mapping), above: BTreeMap::new() };

    // Some repair: from each counterexample on with what is cheapest there. No dearer one is looked for.
    let (mut at, mut price) = (Candidate::default(), (0, 0));
    let budget = loop {
        let index = match asker.ask(&at.apply(mapping))? {
            Asked::Sound => break Some(price),
            Asked::Undecided(why) => {
                stopped = Some(why);
                break None;
            }
            Asked::Falls(index) => index,
        };
        fallen = fallen.or(Some(index));
        let fixes = prices.fixes((price, &at), index, &mut asker.pool, 1, None);
        match fixes.found.into_iter().next() {
            Some((dearer, fix)) => (price, at) = (dearer, fix),
            None => {
                stopped = fixes.stopped;
                break None;
            }
        }
    };

    // All that are as cheap as the cheapest, in the order of price.
    let mut best = budget;
    let mut open = BinaryHeap::new();
    let mut known: BTreeMap<Vec<(Slot, String)>, Candidate> = BTreeMap::new();
    if budget.is_some() {
        open.push(Reverse(((0, 0), Vec::new())));
        known.insert(Vec::new(), Candidate::default());
    }
    while let Some(Reverse((price, key))) = open.pop() {
        let Some(candidate) = known.get(&key).cloned().filter(|_| best.is_none_or(|b| price.0 <= b.0)) else { continue };
        if looked_at == most {
            stopped = Some(format!("{most} candidates were looked at"));
            break;
        }
        looked_at += 1;
        let changed = candidate.apply(mapping);
        let index = match asker.ask(&changed)? {
            Asked::Sound => {
                best = Some(price);
                let changes = candidate.0.into_iter().map(|(slot, (_, lowering))| Changed { slot, lowering }).collect();
                repairs.push(Repair { changes, cost: price.0 - u64::from(price.1), steps: price.1, mapping: changed });
                continue;
            }
            Asked::Undecided(why) => {
                stopped = Some(why);
                break;
            }
            Asked::Falls(index) => index,
        };
        let fixes = prices.fixes((price, &candidate), index, &mut asker.pool, usize::MAX, best);
        stopped = fixes.stopped.or(stopped);
        if asker.pool.is_spent() {
            stopped.get_or_insert_with(|| format!("{looked_at} candidates were looked at"));
            break;
        }
        for (price, fix) in fixes.found {
            if let Entry::Vacant(entry) = known.entry(fix.key()) {
                open.push(Reverse((price, entry.key().clone())));
                entry.insert(fix);
            }
        }
    }
    Ok(RepairReport { fallen, repairs, pool: asker.pool, candidates: looked_at, searches: asker.searches, stopped })
}
