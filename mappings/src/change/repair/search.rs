//! The search for the cheapest candidates that meet all obligations (`repair/mod.rs` says how).

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use margay_models::diagnostic::Diagnostic;

use super::candidate::{CandidateKey, ProgramObligation, RepairCandidate, RepairSearch};
use crate::change::family::Families;
use crate::change::{ChangeAnswer, ChangeAsker, CounterexamplePool, OutcomePermission, Price};
use crate::language::{Lowering, Mapping};

/// So many changes of the lowerings of one obligation are tried.
const FIXES: usize = 20_000;

/// What a mapping is asked.
pub(super) trait MappingAsker {
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
pub(super) struct PoolAsker(pub CounterexamplePool);

impl MappingAsker for PoolAsker {
    fn pool(&mut self) -> &mut CounterexamplePool {
        &mut self.0
    }

    fn ask(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        for index in 0..self.0.len() {
            match self.0.standing(mapping, index) {
                OutcomePermission::Refuted(_) => return Ok(ChangeAnswer::Falls(index)),
                OutcomePermission::Unknown => {
                    return Ok(ChangeAnswer::Undecided("a limit was reached".to_owned()));
                }
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
pub(super) struct CheapestChanges {
    pub found: Vec<(Price, RepairCandidate)>,
    pub more: bool,
    /// How many candidates were asked about.
    pub looked_at: usize,
    pub stopped: Option<String>,
}

impl RepairSearch<'_> {
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

    /// The weakest changes of an obligation's lowerings under which it is met: cheapest first,
    /// `most` of them, and none above the budget.
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
                return Err(RepairEnd::Stopped(format!(
                    "{tried} changes were tried against one counterexample"
                )));
            }
            (tried, self.tried) = (tried + 1, self.tried + 1);
            self.progress.changes(self.tried, pool.len());
            match self.is_violated(&here, obligation, pool) {
                Some(false) => {
                    found.push((price, here));
                    continue;
                }
                Some(true) => {}
                None => {
                    return Err(RepairEnd::Stopped(format!("{} changes were tried", self.tried)));
                }
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

    /// What the changes that are still needed cost at least: the sum of the cheapest fixes of
    /// obligations that share no lowering.
    fn at_least(
        &mut self,
        candidate: &RepairCandidate,
        pool: &mut CounterexamplePool,
    ) -> Result<Price, RepairEnd> {
        let mut needed: Vec<(Price, Vec<usize>)> = Vec::new();
        for number in 0..self.obligations.len() {
            let obligation = self.obligations[number].clone();
            if self.is_violated(candidate, &obligation, pool) != Some(true) {
                continue;
            }
            let families = self.families_of(&obligation);
            let local = RepairCandidate(
                families.iter().filter_map(|f| Some((*f, candidate.0.get(f)?.clone()))).collect(),
            );
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

    /// The first obligation that a candidate does not meet: one that is known, or that of a
    /// counterexample of the pool.
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

    /// Some changes that mend, each the cheapest that meets one obligation more: no dearer ones are
    /// looked for later. They teach the obligations.
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
    pub fn cheapest(
        &mut self,
        judge: &mut dyn MappingAsker,
        (repairs, most): (usize, usize),
        fallen: &mut Option<usize>,
    ) -> Result<CheapestChanges, Vec<Diagnostic>> {
        let mut out =
            CheapestChanges { found: Vec::new(), more: false, looked_at: 0, stopped: None };
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
                    let asked = if key == sound {
                        ChangeAnswer::Sound
                    } else {
                        judge.ask(&self.apply(&candidate))?
                    };
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
            let fixes =
                match self.fixes(&candidate, &obligation, judge.pool(), (usize::MAX, Some(best))) {
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
