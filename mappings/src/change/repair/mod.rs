//! What mends a mapping: the cheapest changes of its rows after which nothing falls up to a bound.
//!
//! A mapping that falls lets the program of some counterexample, compiled by certain lowerings, have its outcome: an *obligation* to make one of
//! these lowerings stronger. It is met by the *fixes* of the obligation, the weakest changes under which this compiled program does not have the
//! outcome, and by what is stronger. So a candidate that falls is followed by the candidates with one fix more, the cheapest first. Obligations that
//! share no lowering are met by different changes, so that all changes together cost at least the sum of the cheapest fixes of such obligations:
//! candidates are taken in the order of what they cost with this sum (the search known as A*). All this takes for granted that a stronger lowering
//! never costs less and never brings an outcome back. Every counterexample that was found is kept, and refutes later candidates without a search
//! ([`super::CounterexamplePool`]).

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use margay_models::diagnostic::Diagnostic;
use margay_solver::SolverLimits;

use super::family::Families;
use super::{
    ChangeAnswer, ChangeAsker, CounterexamplePool, InstructionCosts, LoweringSlot, OutcomePermission, Price, Steps, lacks,
};
use crate::check::{CheckOptions, Counterexample, Progress, Silent};
use crate::language::{Lowering, Mapping};

/// A lowering that is replaced.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Which.
    pub slot: LoweringSlot,
    /// What it becomes.
    pub lowering: Lowering,
}

/// Changes that mend the mapping, up to the bound.
#[derive(Debug, Clone)]
pub struct MappingRepair {
    /// The changes, in the order of the rows.
    pub changes: Vec<Changed>,
    /// What they cost more than the rows as they were. Lowerings that differ in the type of the object alone count once.
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
    /// The smallest counterexample of the mapping as it is, in the pool; `None` if it does not fall.
    pub fallen: Option<usize>,
    /// All repairs with the least price, but no more than [`MOST_REPAIRS`]; those of rows that are plainly to blame come first.
    pub repairs: Vec<MappingRepair>,
    /// Are there perhaps more with this price?
    pub more: bool,
    /// The counterexamples.
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

/// So many changes of the lowerings of one obligation are tried.
const FIXES: usize = 20_000;

/// So many compiled programs are run for a hint beside an answer, each in about a millisecond.
const HINTS: usize = 500;

/// What a family becomes.
#[derive(Debug, Clone)]
struct FamilyChange {
    /// As text, which orders and identifies.
    text: String,
    lowering: Lowering,
    cost: u64,
    steps: u32,
}

/// A candidate: what each changed family becomes.
#[derive(Debug, Clone, Default)]
struct RepairCandidate(BTreeMap<usize, FamilyChange>);

/// What identifies a candidate.
type CandidateKey = Vec<(usize, String)>;

impl RepairCandidate {
    fn key(&self) -> CandidateKey {
        self.0.iter().map(|(family, change)| (*family, change.text.clone())).collect()
    }
}

/// The program of a counterexample of the pool, compiled by certain lowerings, must not have the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProgramObligation {
    index: usize,
    /// The lowering of each operation.
    mixture: Vec<LoweringSlot>,
}

/// What a mapping is asked.
trait MappingAsker {
    fn pool(&mut self) -> &mut CounterexamplePool;

    fn ask(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>>;
}

impl MappingAsker for ChangeAsker<'_> {
    fn pool(&mut self) -> &mut CounterexamplePool {
        &mut self.pool
    }

    fn ask(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        Self::ask(self, mapping)
    }
}

/// Asks about the counterexamples of a pool alone.
struct OfPool(CounterexamplePool);

impl MappingAsker for OfPool {
    fn pool(&mut self) -> &mut CounterexamplePool {
        &mut self.0
    }

    fn ask(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        for index in 0..self.0.len() {
            match self.0.standing(mapping, index) {
                OutcomePermission::Refuted(_) => return Ok(ChangeAnswer::Falls(index)),
                OutcomePermission::Unknown => return Ok(ChangeAnswer::Undecided("a limit was reached".to_owned())),
                OutcomePermission::Mended => {}
            }
        }
        Ok(ChangeAnswer::Sound)
    }
}

/// What ends a search for changes.
#[derive(Debug)]
enum RepairEnd {
    /// A limit was reached; the reason in words.
    Stopped(String),
    /// No change of the lowerings of a counterexample mends it.
    Hopeless,
}

/// What was found.
struct Changes {
    found: Vec<(Price, RepairCandidate)>,
    more: bool,
    /// How many candidates were asked about.
    looked_at: usize,
    stopped: Option<String>,
}

/// The search for changes.
struct Changing<'a> {
    mapping: &'a Mapping,
    costs: &'a InstructionCosts,
    progress: &'a dyn Progress,
    steps: Steps,
    families: Families,
    /// For lowerings, all that are stronger.
    above: BTreeMap<(usize, String), BTreeSet<String>>,
    obligations: Vec<ProgramObligation>,
    /// The price of the cheapest fix of an obligation (by its number), by what its lowerings were; `None` if there is none.
    cheapest: BTreeMap<(usize, CandidateKey), Option<Price>>,
    /// How many changes were tried.
    tried: usize,
}

impl<'a> Changing<'a> {
    fn new(mapping: &'a Mapping, costs: &'a InstructionCosts, progress: &'a dyn Progress) -> Self {
        Self {
            mapping,
            costs,
            progress,
            steps: Steps::new(mapping),
            families: Families::new(mapping),
            above: BTreeMap::new(),
            obligations: Vec::new(),
            cheapest: BTreeMap::new(),
            tried: 0,
        }
    }

    /// The lowering that stands for a family, as a candidate has it.
    fn lowering<'b>(&'b self, candidate: &'b RepairCandidate, family: usize) -> &'b Lowering {
        let here = candidate.0.get(&family).map(|change| &change.lowering);
        here.unwrap_or_else(|| self.families.first(family).lowering(self.mapping))
    }

    fn text(&self, candidate: &RepairCandidate, family: usize) -> String {
        let row = &self.mapping.rows[self.families.first(family).row];
        row.lowering_text(self.mapping.target.signature, self.lowering(candidate, family))
    }

    fn changes(&self, candidate: &RepairCandidate) -> Vec<Changed> {
        let of = |(family, change): (&usize, &FamilyChange)| {
            let slots = self.families.slots(*family).iter();
            let changed = |&slot| Changed { slot, lowering: Families::changed(self.mapping, slot, &change.lowering) };
            slots.map(changed).collect::<Vec<_>>()
        };
        candidate.0.iter().flat_map(of).collect()
    }

    fn apply(&self, candidate: &RepairCandidate) -> Mapping {
        let mut changed = self.mapping.clone();
        self.changes(candidate).into_iter().for_each(|change| change.slot.set(&mut changed, change.lowering));
        changed
    }

    fn price(&self, candidate: &RepairCandidate) -> Price {
        let of = |(family, change): (&usize, &FamilyChange)| {
            Price::of(&self.mapping.rows[self.families.first(*family).row], change.cost + u64::from(change.steps))
        };
        candidate.0.iter().map(of).sum()
    }

    /// How many of the changed families have all that their operations ask for as they are.
    fn blameless(&self, candidate: &RepairCandidate) -> usize {
        let lacking = |&&family: &&usize| {
            let slot = self.families.first(family);
            lacks(self.mapping, &self.mapping.rows[slot.row], slot.lowering(self.mapping))
        };
        candidate.0.len() - candidate.0.keys().filter(lacking).count()
    }

    /// Of candidates with the same price the first: fewer changes of rows that are not to blame, then fewer instructions.
    fn taste(&self, candidate: &RepairCandidate) -> (usize, usize) {
        (self.blameless(candidate), candidate.0.values().map(|change| change.lowering.steps.len()).sum())
    }

    /// The families of an obligation's lowerings.
    fn families_of(&self, obligation: &ProgramObligation) -> Vec<usize> {
        let mut families: Vec<usize> = obligation.mixture.iter().filter_map(|&slot| self.families.of(slot)).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// The candidate with a family stronger by one step, in every way.
    fn stronger(&self, candidate: &RepairCandidate, family: usize) -> Vec<RepairCandidate> {
        let slot = self.families.first(family);
        let row = &self.mapping.rows[slot.row];
        let before = candidate.0.get(&family);
        let stronger = |lowering: Lowering| {
            let cost = |l| self.costs.of(&self.mapping.target, l);
            let more = cost(&lowering).saturating_sub(cost(slot.lowering(self.mapping)));
            let change = FamilyChange {
                text: row.lowering_text(self.mapping.target.signature, &lowering),
                lowering,
                // A stronger lowering never counts as cheaper, or the order would not be by cost.
                cost: more.max(before.map_or(0, |b| b.cost)),
                steps: before.map_or(0, |b| b.steps) + 1,
            };
            let mut next = candidate.clone();
            next.0.insert(family, change);
            next
        };
        self.steps.stronger(row, self.lowering(candidate, family)).into_iter().map(stronger).collect()
    }

    /// Is everything that the first has in these families as strong in the second?
    fn is_within(&mut self, first: &RepairCandidate, second: &RepairCandidate, families: &[usize]) -> bool {
        families.iter().all(|&family| {
            let (weak, strong) = (self.text(first, family), self.text(second, family));
            weak == strong || {
                let key = (family, weak);
                if !self.above.contains_key(&key) {
                    let row = &self.mapping.rows[self.families.first(family).row];
                    self.above.insert(key.clone(), self.steps.all_stronger(row, self.lowering(first, family)));
                }
                self.above[&key].contains(&strong)
            }
        })
    }

    /// Does the compiled program of an obligation have its outcome? `None` if a limit was reached.
    fn is_violated(
        &mut self,
        candidate: &RepairCandidate,
        obligation: &ProgramObligation,
        pool: &mut CounterexamplePool,
    ) -> Option<bool> {
        let lowerings: Vec<Lowering> = obligation
            .mixture
            .iter()
            .map(|&slot| match self.families.of(slot).and_then(|family| candidate.0.get(&family)) {
                Some(change) => Families::changed(self.mapping, slot, &change.lowering),
                None => slot.lowering(self.mapping).clone(),
            })
            .collect();
        pool.has_outcome(self.mapping, obligation.index, &lowerings)
    }

    /// The weakest changes of an obligation's lowerings under which it is met: cheapest first, `most` of them, and none above the budget.
    fn fixes(
        &mut self,
        candidate: &RepairCandidate,
        obligation: &ProgramObligation,
        pool: &mut CounterexamplePool,
        (most, budget): (usize, Option<Price>),
    ) -> Result<Vec<(Price, RepairCandidate)>, RepairEnd> {
        let families = self.families_of(obligation);
        // With everything as strong as can be: if that does not help, nothing does.
        let mut strongest = candidate.clone();
        for &family in &families {
            while let Some(next) = self.stronger(&strongest, family).pop() {
                strongest = next;
            }
        }
        match self.is_violated(&strongest, obligation, pool) {
            Some(false) => {}
            Some(true) => return Err(RepairEnd::Hopeless),
            None => return Err(RepairEnd::Stopped("a limit was reached".to_owned())),
        }
        let mut open = BinaryHeap::from([Reverse((self.price(candidate), candidate.key()))]);
        let mut known = BTreeMap::from([(candidate.key(), candidate.clone())]);
        let mut found: Vec<(Price, RepairCandidate)> = Vec::new();
        let mut tried = 0;
        while let Some(Reverse((price, key))) = open.pop() {
            if found.len() == most || budget.is_some_and(|budget| price > budget) {
                break;
            }
            let here = known[&key].clone();
            if found.iter().any(|(_, fix)| self.is_within(fix, &here, &families)) {
                continue;
            }
            if tried == FIXES {
                return Err(RepairEnd::Stopped(format!("{tried} changes were tried against one counterexample")));
            }
            (tried, self.tried) = (tried + 1, self.tried + 1);
            self.progress.changes(self.tried, pool.len());
            match self.is_violated(&here, obligation, pool) {
                Some(false) => {
                    found.push((price, here));
                    continue;
                }
                Some(true) => {}
                None => return Err(RepairEnd::Stopped(format!("{} changes were tried", self.tried))),
            }
            for next in families.iter().flat_map(|&family| self.stronger(&here, family)) {
                if let Entry::Vacant(entry) = known.entry(next.key()) {
                    open.push(Reverse((self.price(&next), entry.key().clone())));
                    entry.insert(next);
                }
            }
        }
        Ok(found)
    }

    /// What the changes that are still needed cost at least: the sum of the cheapest fixes of obligations that share no lowering.
    fn at_least(&mut self, candidate: &RepairCandidate, pool: &mut CounterexamplePool) -> Result<Price, RepairEnd> {
        let mut needed: Vec<(Price, Vec<usize>)> = Vec::new();
        for number in 0..self.obligations.len() {
            let obligation = self.obligations[number].clone();
            if self.is_violated(candidate, &obligation, pool) != Some(true) {
                continue;
            }
            let families = self.families_of(&obligation);
            let local = RepairCandidate(families.iter().filter_map(|f| Some((*f, candidate.0.get(f)?.clone()))).collect());
            let key = (number, local.key());
            let price = match self.cheapest.get(&key) {
                Some(known) => *known,
                None => {
                    let before = self.price(&local);
                    let fixes = match self.fixes(&local, &obligation, pool, (1, None)) {
                        Ok(fixes) => fixes,
                        Err(RepairEnd::Hopeless) => Vec::new(),
                        Err(stopped) => return Err(stopped),
                    };
                    let price = fixes.first().map(|(price, _)| *price - before);
                    self.cheapest.insert(key, price);
                    price
                }
            };
            needed.push((price.ok_or(RepairEnd::Hopeless)?, families));
        }
        needed.sort_by_key(|needed| Reverse(needed.0));
        let (mut sum, mut taken) = (Price::default(), BTreeSet::new());
        for (price, families) in needed {
            if families.iter().all(|f| !taken.contains(f)) {
                taken.extend(families);
                sum = sum + price;
            }
        }
        Ok(sum)
    }

    /// The first obligation that a candidate does not meet: one that is known, or that of a counterexample of the pool.
    fn unmet(
        &mut self,
        candidate: &RepairCandidate,
        index: Option<usize>,
        pool: &mut CounterexamplePool,
    ) -> Option<ProgramObligation> {
        for number in 0..self.obligations.len() {
            let obligation = self.obligations[number].clone();
            if self.is_violated(candidate, &obligation, pool) == Some(true) {
                return Some(obligation);
            }
        }
        let index = index?;
        let mixture = pool.mixture(&self.apply(candidate), index)?;
        let obligation = ProgramObligation { index, mixture };
        self.obligations.push(obligation.clone());
        Some(obligation)
    }

    /// Some changes that mend, each the cheapest that meets one obligation more: no dearer ones are looked for later. They teach the obligations.
    fn some(
        &mut self,
        judge: &mut dyn MappingAsker,
        fallen: &mut Option<usize>,
    ) -> Result<Result<(Price, RepairCandidate), RepairEnd>, Vec<Diagnostic>> {
        let mut at = RepairCandidate::default();
        loop {
            let index = match judge.ask(&self.apply(&at))? {
                ChangeAnswer::Sound => return Ok(Ok((self.price(&at), at))),
                ChangeAnswer::Undecided(why) => return Ok(Err(RepairEnd::Stopped(why))),
                ChangeAnswer::Falls(index) => index,
            };
            *fallen = fallen.or(Some(index));
            let before = at.key();
            while let Some(obligation) = self.unmet(&at, Some(index), judge.pool()) {
                match self.fixes(&at, &obligation, judge.pool(), (1, None)) {
                    Ok(fixes) => match fixes.into_iter().next() {
                        Some((_, fix)) => at = fix,
                        None => return Ok(Err(RepairEnd::Hopeless)),
                    },
                    Err(end) => return Ok(Err(end)),
                }
            }
            // Without an obligation the same counterexample would come again.
            if judge.pool().is_spent() || at.key() == before {
                return Ok(Err(RepairEnd::Stopped(format!(
                    "{} changes were tried, and a compiled program was not decided",
                    self.tried
                ))));
            }
        }
    }

    /// The cheapest changes that mend, `repairs` of them and after `most` candidates at most.
    fn cheapest(
        &mut self,
        judge: &mut dyn MappingAsker,
        (repairs, most): (usize, usize),
        fallen: &mut Option<usize>,
    ) -> Result<Changes, Vec<Diagnostic>> {
        let mut out = Changes { found: Vec::new(), more: false, looked_at: 0, stopped: None };
        let (mut best, sound) = match self.some(judge, fallen)? {
            Ok((price, at)) => (price, at.key()),
            Err(end) => {
                if let RepairEnd::Stopped(why) = end {
                    out.stopped = Some(why);
                }
                return Ok(out);
            }
        };
        let mut open = BinaryHeap::from([Reverse((Price::default(), (0, 0), CandidateKey::new()))]);
        let mut known = BTreeMap::from([(CandidateKey::new(), RepairCandidate::default())]);
        while let Some(Reverse((at_least, taste, key))) = open.pop() {
            if at_least > best {
                break;
            }
            let candidate = known[&key].clone();
            let own = self.price(&candidate);
            // More obligations may be known than when it was put here.
            match self.at_least(&candidate, judge.pool()) {
                Ok(more) if own + more > at_least => {
                    open.push(Reverse((own + more, taste, key)));
                    continue;
                }
                Ok(_) => {}
                Err(RepairEnd::Hopeless) => continue,
                Err(RepairEnd::Stopped(why)) => {
                    out.stopped = Some(why);
                    break;
                }
            }
            let obligation = match self.unmet(&candidate, None, judge.pool()) {
                Some(obligation) => obligation,
                None => {
                    if out.found.len() == repairs {
                        out.more = true;
                        break;
                    }
                    if out.looked_at == most {
                        out.stopped = Some(format!("{most} candidates were looked at"));
                        break;
                    }
                    out.looked_at += 1;
                    let asked = if key == sound { ChangeAnswer::Sound } else { judge.ask(&self.apply(&candidate))? };
                    let index = match asked {
                        ChangeAnswer::Sound => {
                            best = own;
                            out.found.push((own, candidate));
                            continue;
                        }
                        ChangeAnswer::Undecided(why) => {
                            out.stopped = Some(why);
                            break;
                        }
                        ChangeAnswer::Falls(index) => index,
                    };
                    *fallen = fallen.or(Some(index));
                    match self.unmet(&candidate, Some(index), judge.pool()) {
                        // In the order of what it costs with what this one needs, too.
                        Some(_) => {
                            open.push(Reverse((at_least, taste, key)));
                            continue;
                        }
                        None => {
                            out.stopped = Some(format!(
                                "{} candidates were looked at, and a compiled program was not decided",
                                out.looked_at
                            ));
                            break;
                        }
                    }
                }
            };
            let fixes = match self.fixes(&candidate, &obligation, judge.pool(), (usize::MAX, Some(best))) {
                Ok(fixes) => fixes,
                Err(RepairEnd::Hopeless) => continue,
                Err(RepairEnd::Stopped(why)) => {
                    out.stopped = Some(why);
                    break;
                }
            };
            for (price, fix) in fixes {
                if let Entry::Vacant(entry) = known.entry(fix.key()) {
                    open.push(Reverse((price, self.taste(&fix), entry.key().clone())));
                    entry.insert(fix);
                }
            }
        }
        // A repair that is not proved to be the cheapest is better than none.
        if out.found.is_empty() && out.stopped.is_some() {
            out.more = true;
        }
        Ok(out)
    }
}

/// The cheapest changes of rows under which the program of this counterexample does not have its outcome, in the order of the rows: what
/// mends this one; no other program is looked at. Of several those of rows that are plainly to blame. `None` where none is among the first
/// changes that are tried.
pub fn hint(mapping: &Mapping, counterexample: &Counterexample) -> Option<Vec<Changed>> {
    let costs = InstructionCosts::default();
    let mut pool = CounterexamplePool::new(mapping).limited(SolverLimits::default(), Some(HINTS));
    pool.add(mapping, counterexample.clone())?;
    let mut changing = Changing::new(mapping, &costs, &Silent);
    let mut judge = OfPool(pool);
    let changes = changing.cheapest(&mut judge, (1, usize::MAX), &mut None).ok()?;
    let (_, fix) = changes.found.into_iter().next()?;
    let mut changes = changing.changes(&fix);
    // Of the lowerings that change together those that this program needs: it may not have objects of all their types.
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
    let mut changing = Changing::new(mapping, costs, progress);
    let mut fallen = None;
    let changes = changing.cheapest(&mut asker, (MOST_REPAIRS, most), &mut fallen)?;
    let repair = |(price, candidate): (Price, RepairCandidate)| MappingRepair {
        changes: changing.changes(&candidate),
        cost: candidate.0.values().map(|change| change.cost).sum(),
        steps: candidate.0.values().map(|change| change.steps).sum(),
        price,
        mapping: changing.apply(&candidate),
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
