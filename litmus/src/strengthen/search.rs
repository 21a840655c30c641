//! The cheapest strengthenings, by implicit hitting sets (Reiter 1987; Davies and Bacchus, CP 2011)
//! over the options of sites.

use std::time::Instant;

use margay_models::model::Model;
use rustc_hash::FxHashMap;

use super::{SearchSpace, Site, SiteKind, Strength, StrengtheningPlaces, Terms, TriedChanges};
use crate::engine::{Choice, Runner};
use crate::test::Test;
use crate::verdict::{Error, Options, TestVerdict};

/// When to stop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// At this time.
    pub deadline: Option<Instant>,
    /// After so many optima.
    pub repairs: Option<usize>,
    /// After so many programs were asked about.
    pub questions: Option<usize>,
}

/// A strengthening that forbids the outcome.
#[derive(Debug, Clone)]
pub struct TestRepair {
    pub test: Test,
    /// Is it only known up to the bound of the loops?
    pub bounded: bool,
    /// Has the repaired program a race, or is it otherwise undefined? `None` if the model does not
    /// say what that is.
    pub racy: Option<bool>,
}

#[derive(Debug, Clone)]
pub struct RepairsFound {
    /// Is the outcome allowed as the program is?
    pub reachable: bool,
    /// Has the program a race as it is, or is it otherwise undefined? `None` if the model does not
    /// say what that is.
    pub racy: Option<bool>,
    /// What the repairs cost more than the test.
    pub cost: u32,
    /// All repairs of that cost; none if the program needs none, or if the strongest one that was
    /// tried is no better. They leave a race only if nothing that was tried leaves none.
    pub repairs: Vec<TestRepair>,
    /// Are there more?
    pub truncated: bool,
    /// Is the answer only known up to the bound of the loops?
    pub bounded: bool,
    /// How many programs the engine was asked about.
    pub asked: usize,
    /// What was tried, and what was not.
    pub tried: TriedChanges,
    /// How many programs could not be asked about, because they have too many events.
    pub unasked: usize,
}

impl RepairsFound {
    /// Does the program need no change: is the outcome forbidden as it is, and is there no race?
    pub fn already(&self) -> bool {
        !self.reachable && self.racy != Some(true)
    }

    /// Is there a change after which the outcome is forbidden, and the program has no race?
    pub fn is_repairable(&self) -> bool {
        self.repairs.iter().any(|r| r.racy != Some(true))
    }
}

/// Why the search stopped early.
#[derive(Debug, Clone)]
pub struct Stopped {
    /// The engine's reason.
    pub error: Error,
    /// Nothing cheaper than this forbids the outcome.
    pub at_least: u32,
}

/// What a repaired program must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Without the outcome, and without a race.
    Defined,
    /// Without the outcome.
    Outcome,
}

/// The cheapest repairs of a test under a model.
///
/// # Errors
/// If the engine cannot decide about some program, or the time is up.
pub fn cheapest(
    test: &Test,
    model: &Model,
    terms: &Terms<'_>,
    unroll: &Options,
    engine: Choice,
    limits: Limits,
) -> Result<RepairsFound, Stopped> {
    let mut asker = Asker {
        runner: Runner::new(model),
        engine,
        run: Options { deadline: limits.deadline, ..*unroll },
        asked: 0,
        most: limits.questions,
    };
    let as_it_is = asker.run(test).map_err(|error| Stopped { error, at_least: 0 })?;
    let mut found = RepairsFound {
        reachable: as_it_is.reachable,
        racy: as_it_is.racy,
        cost: 0,
        repairs: Vec::new(),
        truncated: false,
        bounded: as_it_is.bounded,
        asked: 1,
        tried: TriedChanges::default(),
        unasked: 0,
    };
    if found.already() {
        return Ok(found);
    }
    found.bounded = false;
    // Where a race cannot be had away, it is said, and what forbids the outcome is still worth
    // knowing.
    let aims: &[Aim] = match (as_it_is.racy, as_it_is.reachable) {
        (Some(_), true) => &[Aim::Defined, Aim::Outcome],
        (Some(_), false) => &[Aim::Defined],
        (None, _) => &[Aim::Outcome],
    };
    for &aim in aims {
        let mut before: Option<Vec<Site>> = None;
        for places in [StrengtheningPlaces::Between, StrengtheningPlaces::All] {
            let space = SearchSpace::new(test, model, terms, places);
            if before.replace(space.sites().to_vec()).is_some_and(|before| before == space.sites())
            {
                continue;
            }
            let mut search = StrengtheningSearch::new(test, space, terms, aim, &mut asker);
            let result = search.repairs(limits.repairs, &mut found);
            let StrengtheningSearch { space, unasked, at_least, .. } = search;
            result.map_err(|error| Stopped { error, at_least })?;
            found.tried = space.tried().clone();
            found.unasked += unasked;
            if !found.repairs.is_empty() {
                found.asked = asker.asked;
                return Ok(found);
            }
        }
    }
    found.asked = asker.asked;
    Ok(found)
}

/// Who answers, and how many times that was.
struct Asker {
    runner: Runner,
    engine: Choice,
    run: Options,
    asked: usize,
    /// How many times it may be.
    most: Option<usize>,
}

impl Asker {
    fn run(&mut self, test: &Test) -> Result<TestVerdict, Error> {
        if self.run.is_over() {
            return Err(Error::Time);
        }
        if self.most.is_some_and(|most| self.asked >= most) {
            return Err(Error::Steps);
        }
        self.asked += 1;
        self.runner.run(test, &self.run, self.engine)?.without_gap()
    }
}

/// For each site the number of its option; `None`: as it is.
type Choices = Vec<Option<usize>>;

/// What is known of a program.
#[derive(Debug, Clone, Copy)]
struct KnownOutcomes {
    /// Is it what is aimed at? `None`: it cannot be asked about.
    helps: Option<bool>,
    bounded: bool,
    racy: Option<bool>,
}

struct StrengtheningSearch<'a> {
    test: &'a Test,
    space: SearchSpace,
    /// What a strength costs more than what is there: `[site][strength]`.
    costs: Vec<Vec<u32>>,
    aim: Aim,
    asker: &'a mut Asker,
    known: FxHashMap<Choices, KnownOutcomes>,
    /// Choices that are known to help, and not to.
    helping: Vec<Choices>,
    failing: Vec<Choices>,
    /// Of each core one must be chosen, or something stronger.
    cores: Vec<Vec<(usize, usize)>>,
    /// Programs that could not be asked about, of which the cheapest one would have been.
    unasked: usize,
    /// With so many fences added, a program had too many events.
    too_many: usize,
    at_least: u32,
}

impl<'a> StrengtheningSearch<'a> {
    fn new(
        test: &'a Test,
        space: SearchSpace,
        terms: &Terms<'_>,
        aim: Aim,
        asker: &'a mut Asker,
    ) -> Self {
        let sites = space.sites().iter().zip(space.options());
        let extra = |(site, options): (_, &Vec<Strength>)| {
            options.iter().map(|&o| terms.costs.extra(site, o, space.is_scoped())).collect()
        };
        Self {
            test,
            costs: sites.map(extra).collect(),
            space,
            aim,
            asker,
            known: FxHashMap::default(),
            helping: Vec::new(),
            failing: Vec::new(),
            cores: Vec::new(),
            unasked: 0,
            too_many: usize::MAX,
            at_least: 0,
        }
    }

    /// Looks for all cheapest repairs, of which the program needs one.
    fn repairs(&mut self, most: Option<usize>, found: &mut RepairsFound) -> Result<(), Error> {
        let none = vec![None; self.options().len()];
        if let Some(top) = self.strongest() {
            let known = self.ask(&top)?;
            if known.helps == Some(false) {
                return Ok(());
            }
        }
        self.failing.push(none.clone());
        self.learn(none)?;
        // Cheapest first, until one helps; then all of that cost.
        let mut optimum: Option<u32> = None;
        let (mut optima, mut left_out): (Vec<Choices>, Vec<Choices>) = Default::default();
        while let Some((cost, choice)) =
            self.cheapest_hitting(optimum, &[&optima[..], &left_out[..]])
        {
            if optimum.is_none() {
                self.at_least = cost;
            }
            match self.ask(&choice)?.helps {
                Some(true) => {
                    optimum = Some(cost);
                    found.cost = cost;
                    if most.is_some_and(|limit| optima.len() >= limit) {
                        found.truncated = true;
                        break;
                    }
                    optima.push(choice);
                }
                Some(false) => self.learn(choice)?,
                None => {
                    self.unasked += 1;
                    left_out.push(choice);
                }
            }
        }
        optima.sort();
        self.report(&optima, found)
    }

    fn report(&mut self, optima: &[Choices], found: &mut RepairsFound) -> Result<(), Error> {
        // What costs the same and is stronger without need is no answer.
        let needless = |a: &Choices| {
            optima.iter().any(|b| b != a && self.says_at_most(b, a) && !self.says_at_most(a, b))
        };
        let least: Vec<Choices> = optima.iter().filter(|a| !needless(a)).cloned().collect();
        for choice in least {
            let known = self.ask(&choice)?;
            let test = self.space.strengthened(self.test, &self.strengths(&choice));
            if found.repairs.iter().all(|r| r.test != test) {
                found.repairs.push(TestRepair { test, bounded: known.bounded, racy: known.racy });
            }
        }
        // What holds for any number of turns is a better answer.
        if found.repairs.iter().any(|r| !r.bounded) {
            found.repairs.retain(|r| !r.bounded);
        }
        found.bounded = found.repairs.iter().any(|r| r.bounded);
        Ok(())
    }

    fn options(&self) -> &[Vec<Strength>] {
        self.space.options()
    }

    fn strengths(&self, choice: &Choices) -> Vec<Option<Strength>> {
        choice.iter().zip(self.options()).map(|(c, options)| c.map(|c| options[c])).collect()
    }

    /// What a site asks for, chosen or as it is.
    fn strength(&self, choice: &Choices, site: usize) -> Option<Strength> {
        choice[site].map(|c| self.options()[site][c]).or(self.space.sites()[site].now)
    }

    /// The choice without fences that say nothing beside those that cover them. (Where there are
    /// proxy fences the place between them is another one.)
    fn reduced(&self, choice: &Choices) -> Choices {
        if !self.space.proxies().is_empty() {
            return choice.clone();
        }
        let mut reduced = choice.clone();
        for site in 0..choice.len() {
            if !matches!(self.space.sites()[site].kind, SiteKind::Slot(_)) {
                continue;
            }
            let Some(chosen) = choice[site].map(|c| self.options()[site][c]) else { continue };
            let same = self.space.same(site).iter();
            if same.filter_map(|&s| self.strength(choice, s)).any(|s| chosen.at_most(s)) {
                reduced[site] = None;
            }
        }
        reduced
    }

    /// Asks about the program of a choice.
    fn ask(&mut self, choice: &Choices) -> Result<KnownOutcomes, Error> {
        let reduced = self.reduced(choice);
        if let Some(&known) = self.known.get(&reduced) {
            return Ok(known);
        }
        let test = self.space.strengthened(self.test, &self.strengths(&reduced));
        let known = match self.asker.run(&test) {
            Ok(verdict) => {
                let defined = self.aim == Aim::Outcome || verdict.racy != Some(true);
                KnownOutcomes {
                    helps: Some(!verdict.reachable && defined),
                    bounded: verdict.bounded,
                    racy: verdict.racy,
                }
            }
            // Threads stop in it, so that nothing follows about the outcome: it is no repair.
            Err(Error::Open(_)) => KnownOutcomes { helps: None, bounded: false, racy: None },
            // It has too many events, say; the program as it is has not.
            Err(Error::Unfold(_) | Error::Large(_)) => {
                self.too_many = self.too_many.min(self.added(&reduced));
                KnownOutcomes { helps: None, bounded: false, racy: None }
            }
            Err(error) => return Err(error),
        };
        match known.helps {
            Some(true) => self.helping.push(choice.clone()),
            Some(false) => self.failing.push(choice.clone()),
            None => {}
        }
        self.known.insert(reduced, known);
        Ok(known)
    }

    /// Does the program of a choice allow what is to be forbidden? What is known of weaker and
    /// stronger ones is believed of it; what cannot be asked is taken not to.
    fn fails(&mut self, choice: &Choices) -> Result<bool, Error> {
        if self.failing.iter().any(|f| self.at_most_everywhere(choice, f)) {
            return Ok(true);
        }
        if self.helping.iter().any(|h| self.at_most_everywhere(h, choice)) {
            return Ok(false);
        }
        if self.added(&self.reduced(choice)) >= self.too_many {
            return Ok(false);
        }
        Ok(self.ask(choice)?.helps == Some(false))
    }

    /// How many fences a choice adds.
    fn added(&self, choice: &Choices) -> usize {
        choice
            .iter()
            .zip(self.space.sites())
            .filter(|(c, site)| c.is_some() && site.kind.is_slot())
            .count()
    }

    fn at_most_everywhere(&self, a: &Choices, b: &Choices) -> bool {
        (0..a.len()).all(|site| self.at_most(site, a[site], b[site]))
    }

    /// Is all that the first choice says also said by the second one, at the same place or one that
    /// covers it?
    fn says_at_most(&self, a: &Choices, b: &Choices) -> bool {
        (0..a.len()).all(|site| {
            let said = || {
                let chosen = a[site].map(|c| self.options()[site][c]);
                let covering = self
                    .space
                    .covered(site)
                    .iter()
                    .filter_map(|&s| b[s].map(|c| self.options()[s][c]));
                chosen.is_some_and(|chosen| covering.into_iter().any(|s| chosen.at_most(s)))
            };
            self.at_most(site, a[site], b[site]) || said()
        })
    }

    /// Is the first option of a site at most the second one?
    fn at_most(&self, site: usize, a: Option<usize>, b: Option<usize>) -> bool {
        match (a, b) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => self.options()[site][a].at_most(self.options()[site][b]),
        }
    }

    /// The option of a site that is as strong as all others.
    fn top(&self, site: usize) -> Option<usize> {
        let options = &self.options()[site];
        (0..options.len()).find(|&o| options.iter().all(|p| p.at_most(options[o])))
    }

    /// Every site as strong as can be; `None` where a site has several strongest options.
    fn strongest(&self) -> Option<Choices> {
        (0..self.options().len()).map(|site| Some(Some(self.top(site)?))).collect()
    }

    /// From a choice that is known to fail: makes sites stronger as long as it does; some site must
    /// be stronger still.
    fn learn(&mut self, mut choice: Choices) -> Result<(), Error> {
        for site in 0..choice.len() {
            // Strongest first: mostly the rest of the site does not matter.
            if let Some(top) = self.top(site).filter(|&top| choice[site] != Some(top)) {
                let before = choice[site].replace(top);
                if self.fails(&choice)? {
                    continue;
                }
                choice[site] = before;
            }
            // Then weakest first: mostly none does.
            let now = choice[site];
            let mut open: Vec<usize> = (0..self.options()[site].len())
                .filter(|&o| now != Some(o) && self.at_most(site, now, Some(o)))
                .collect();
            while !open.is_empty() {
                let weakest = |&&o: &&usize| {
                    !open.iter().any(|&p| p != o && self.at_most(site, Some(p), Some(o)))
                };
                let Some(&next) = open.iter().find(weakest) else { break };
                let before = choice[site].replace(next);
                if self.fails(&choice)? {
                    open.retain(|&o| o != next && self.at_most(site, Some(next), Some(o)));
                } else {
                    choice[site] = before;
                    open.retain(|&o| !self.at_most(site, Some(next), Some(o)));
                }
            }
        }
        let mut core = Vec::new();
        for (site, &chosen) in choice.iter().enumerate() {
            let above = |o: &usize| !self.at_most(site, Some(*o), chosen);
            let above: Vec<usize> = (0..self.options()[site].len()).filter(above).collect();
            // The weakest of them: what is stronger includes them.
            let weakest = |o: &&usize| {
                !above.iter().any(|p| p != *o && self.at_most(site, Some(*p), Some(**o)))
            };
            core.extend(above.iter().filter(weakest).map(|&o| (site, o)));
        }
        self.cores.push(core);
        Ok(())
    }

    /// A cheapest choice that hits every core and is not among `except`; with `limit`, of that cost
    /// at most.
    fn cheapest_hitting(
        &self,
        limit: Option<u32>,
        except: &[&[Choices]],
    ) -> Option<(u32, Choices)> {
        let mut best: Option<(u32, Choices)> = None;
        let mut choice = vec![None; self.options().len()];
        let bound = limit.map_or(u32::MAX, |l| l.saturating_add(1));
        self.hit(&mut choice, 0, bound, except, &mut best);
        best
    }

    fn hit(
        &self,
        choice: &mut Choices,
        cost: u32,
        bound: u32,
        except: &[&[Choices]],
        best: &mut Option<(u32, Choices)>,
    ) {
        if cost >= best.as_ref().map_or(bound, |(b, _)| (*b).min(bound)) {
            return;
        }
        let hits =
            |&(site, option): &(usize, usize)| self.at_most(site, Some(option), choice[site]);
        let Some(core) = self.cores.iter().find(|core| !core.iter().any(hits)) else {
            if !except.iter().any(|e| e.contains(choice)) {
                *best = Some((cost, choice.clone()));
            }
            return;
        };
        for &(site, option) in core {
            let before = choice[site];
            // Both what is there and what is needed.
            for joined in 0..self.options()[site].len() {
                let above = self.at_most(site, Some(option), Some(joined))
                    && self.at_most(site, before, Some(joined));
                let least = || {
                    !(0..self.options()[site].len()).any(|o| {
                        o != joined
                            && self.at_most(site, Some(o), Some(joined))
                            && self.at_most(site, Some(option), Some(o))
                            && self.at_most(site, before, Some(o))
                    })
                };
                if above && least() {
                    let paid = before.map_or(0, |b| self.costs[site][b]);
                    let now = self.costs[site][joined].saturating_sub(paid);
                    choice[site] = Some(joined);
                    self.hit(choice, cost.saturating_add(now), bound, except, best);
                    choice[site] = before;
                }
            }
        }
    }
}
