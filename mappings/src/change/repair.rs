//! What mends a mapping: the cheapest changes of its rows after which nothing falls up to a bound, all of them.
//!
//! Best first (A*). A mapping that falls has to change a row that its counterexample uses, and to become stronger there; so the steps
//! that are taken are single ones, in these rows, and a candidate is priced with the least that its counterexample will cost yet: the
//! cheapest change of the same rows under which that one program does not have its outcome. (This takes for granted that a stronger
//! lowering never costs less and never brings an outcome back.) Every counterexample that was found is kept, and refutes later
//! candidates without a search ([`super::Pool`]).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use margay_models::diagnostic::Diagnostic;

use super::{Asked, Asker, Costs, Pool, Slot, Steps};
use crate::check::{CheckOptions, Progress};
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
    /// All repairs of the least cost and, among these, of the fewest steps.
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
const FIXES: usize = 4000;

/// The least that it takes to make a counterexample none, in cost and steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remedy {
    Costs(u64, u32),
    /// No change of its rows does.
    None,
    /// More changes would have to be tried than are.
    Unknown,
}

/// What is the same for all candidates.
struct Prices<'a> {
    mapping: &'a Mapping,
    costs: &'a Costs,
    steps: Steps,
    /// What was found out about counterexamples, by their number and the lowerings of their rows.
    remedies: BTreeMap<(usize, Vec<(Slot, String)>), Remedy>,
}

impl Prices<'_> {
    /// The slots of the rows that a counterexample uses.
    fn slots(&self, pool: &Pool, index: usize) -> Vec<Slot> {
        let rows = pool.get(index).rows();
        Slot::all(self.mapping).into_iter().filter(|s| rows.contains(&s.row)).collect()
    }

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

    /// The least change after which a candidate does not fall by a counterexample any more; cheapest first.
    fn remedy(&mut self, candidate: &Candidate, index: usize, pool: &mut Pool) -> Remedy {
        let slots = self.slots(pool, index);
        let of_these: Vec<(Slot, String)> = candidate.key().into_iter().filter(|(s, _)| slots.contains(s)).collect();
        if let Some(&known) = self.remedies.get(&(index, of_these.clone())) {
            return known;
        }
        let before = candidate.cost(self.mapping, self.costs);
        let mut open = BinaryHeap::from([Reverse((0, 0, candidate.key()))]);
        let mut known = BTreeMap::from([(candidate.key(), candidate.clone())]);
        let mut answer = Remedy::None;
        let mut tried = 0;
        while let Some(Reverse((cost, taken, key))) = open.pop() {
            let Some(here) = known.get(&key).cloned() else { continue };
            if tried == FIXES {
                answer = Remedy::Unknown;
                break;
            }
            tried += 1;
            if pool.has_outcome(&here.apply(self.mapping), index) == Some(false) {
                answer = Remedy::Costs(cost, taken);
                break;
            }
            for next in self.stronger(&here, &slots) {
                let key = next.key();
                if !known.contains_key(&key) {
                    let price = next.cost(self.mapping, self.costs).saturating_sub(before);
                    open.push(Reverse((price.max(cost), taken + 1, key.clone())));
                    known.insert(key, next);
                }
            }
        }
        self.remedies.insert((index, of_these), answer);
        answer
    }
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
    let mut prices = Prices { mapping, costs, steps: Steps::new(mapping), remedies: BTreeMap::new() };
    // By what a candidate costs with the least that its counterexample will cost yet; then by steps.
    let mut open = BinaryHeap::from([Reverse(((0_u64, 0_u32), 0_u32, Vec::new()))]);
    let mut known: BTreeMap<Vec<(Slot, String)>, Candidate> = BTreeMap::from([(Vec::new(), Candidate::default())]);
    while let Some(Reverse((least, taken, key))) = open.pop() {
        if repairs.first().is_some_and(|best| least > (best.cost, best.steps)) {
            break;
        }
        let Some(candidate) = known.get(&key).cloned() else { continue };
        if looked_at == most {
            stopped = Some(format!("{most} candidates were looked at"));
            break;
        }
        looked_at += 1;
        let changed = candidate.apply(mapping);
        let index = match asker.ask(&changed)? {
            Asked::Sound => {
                let cost = candidate.cost(mapping, costs);
                let changes = candidate.0.into_iter().map(|(slot, (_, lowering))| Changed { slot, lowering }).collect();
                repairs.push(Repair { changes, cost, steps: taken, mapping: changed });
                continue;
            }
            Asked::Undecided(why) => {
                stopped = Some(why);
                break;
            }
            Asked::Falls(index) => index,
        };
        if candidate.0.is_empty() {
            fallen = Some(index);
        }
        // A counterexample that was not known when the candidate was priced: it may have to wait.
        match prices.remedy(&candidate, index, &mut asker.pool) {
            Remedy::Costs(cost, steps) => {
                let now = (candidate.cost(mapping, costs) + cost, taken + steps);
                if now > least {
                    open.push(Reverse((now, taken, key)));
                    continue;
                }
            }
            Remedy::None => continue,
            Remedy::Unknown => {
                stopped = Some(format!("more than {FIXES} changes were tried against one counterexample"));
                continue;
            }
        }
        let slots = prices.slots(&asker.pool, index);
        for next in prices.stronger(&candidate, &slots) {
            let key = next.key();
            if known.contains_key(&key) {
                continue;
            }
            let Remedy::Costs(cost, steps) = prices.remedy(&next, index, &mut asker.pool) else { continue };
            let least = (next.cost(mapping, costs) + cost, taken + 1 + steps);
            open.push(Reverse((least, taken + 1, key.clone())));
            known.insert(key, next);
        }
    }
    Ok(RepairReport { fallen, repairs, pool: asker.pool, candidates: looked_at, searches: asker.searches, stopped })
}
