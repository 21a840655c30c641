//! The cheapest strengthenings, by implicit hitting sets (Reiter 1987; Davies and Bacchus, CP 2011) over the options of sites.

use std::time::Instant;

use margay_models::model::Model;
use rustc_hash::FxHashMap;

use super::{Costs, Knows, Means, Site, Strength, options, sites, strengthened};
use crate::engine::{Choice, Runner};
use crate::test::Test;
use crate::verdict::{Error, Options};

/// When to stop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// At this time.
    pub deadline: Option<Instant>,
    /// After so many optima.
    pub repairs: Option<usize>,
}

/// A strengthening that forbids the outcome.
#[derive(Debug, Clone)]
pub struct Repair {
    /// For each site its new strength; `None`: as it was.
    pub choice: Vec<Option<Strength>>,
    /// The repaired test.
    pub test: Test,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The sites of the test.
    pub sites: Vec<Site>,
    /// Was the outcome forbidden before?
    pub already: bool,
    /// What the repairs cost more than the test.
    pub cost: u32,
    /// All repairs of that cost; none if even the strongest program allows the outcome.
    pub repairs: Vec<Repair>,
    /// Are there more?
    pub truncated: bool,
    /// Is the answer only known up to the bound of the loops?
    pub bounded: bool,
    /// How many programs the engine was asked about.
    pub asked: usize,
}

/// Why the search stopped early.
#[derive(Debug, Clone)]
pub struct Stopped {
    /// The engine's reason.
    pub error: Error,
    /// Nothing cheaper than this forbids the outcome.
    pub at_least: u32,
}

/// The cheapest repairs of a test under a model.
///
/// # Errors
/// If the engine cannot decide about some program, or the time is up.
pub fn cheapest(
    test: &Test,
    model: &Model,
    costs: &Costs,
    means: Means,
    unroll: &Options,
    engine: Choice,
    limits: Limits,
) -> Result<Found, Stopped> {
    let sites = sites(test);
    // The model of the ISA that has clusters is the one that has fences of one side.
    let newer = model.knows_clusters();
    let knows = Knows { clusters: test.uses_clusters() && newer, one_sided_fences: newer };
    let choices: Vec<Vec<Strength>> = sites.iter().map(|s| options(test, s, means, knows)).collect();
    let mut search = Search {
        test,
        costs: sites.iter().zip(&choices).map(|(s, o)| o.iter().map(|&o| costs.extra(s, o)).collect()).collect(),
        options: choices,
        runner: Runner::new(model),
        engine,
        run: Options { deadline: limits.deadline, ..*unroll },
        known: FxHashMap::default(),
        cores: Vec::new(),
        bounded: false,
        at_least: 0,
    };
    let wrap = |error: Error, search: &Search<'_>| Stopped { error, at_least: search.at_least };
    let none = vec![None; sites.len()];
    let mut found = Found { already: false, cost: 0, repairs: Vec::new(), truncated: false, bounded: false, asked: 0, sites };
    let done = |search: Search<'_>, mut found: Found| {
        found.bounded = search.bounded;
        found.asked = search.known.len();
        found
    };
    if search.forbids(&none).map_err(|e| wrap(e, &search))? {
        found.already = true;
        return Ok(done(search, found));
    }
    if let Some(top) = search.strongest()
        && !search.forbids(&top).map_err(|e| wrap(e, &search))?
    {
        return Ok(done(search, found));
    }
    search.learn(none).map_err(|e| wrap(e, &search))?;
    // Cheapest first, until one forbids the outcome; then all of that cost.
    let mut optimum: Option<u32> = None;
    let mut optima: Vec<Choices> = Vec::new();
    while let Some((cost, choice)) = search.cheapest_hitting(optimum, &optima) {
        if optimum.is_none() {
            search.at_least = cost;
        }
        if search.forbids(&choice).map_err(|e| wrap(e, &search))? {
            optimum = Some(cost);
            found.cost = cost;
            if limits.repairs.is_some_and(|limit| optima.len() >= limit) {
                found.truncated = true;
                break;
            }
            optima.push(choice);
        } else {
            search.learn(choice).map_err(|e| wrap(e, &search))?;
        }
    }
    optima.sort();
    // What costs the same and is stronger without need is no answer.
    let needless = |a: &Choices| optima.iter().any(|b| b != a && (0..a.len()).all(|site| search.at_most(site, b[site], a[site])));
    let least: Vec<Choices> = optima.iter().filter(|a| !needless(a)).cloned().collect();
    for choice in least {
        let choice: Vec<Option<Strength>> = search.strengths(&choice);
        found.repairs.push(Repair { test: strengthened(test, &choice), choice });
    }
    Ok(done(search, found))
}

/// For each site the number of its option; `None`: as it is.
type Choices = Vec<Option<usize>>;

struct Search<'a> {
    test: &'a Test,
    options: Vec<Vec<Strength>>,
    costs: Vec<Vec<u32>>,
    runner: Runner,
    engine: Choice,
    run: Options,
    known: FxHashMap<Choices, bool>,
    /// Of each core one must be chosen, or something stronger.
    cores: Vec<Vec<(usize, usize)>>,
    bounded: bool,
    at_least: u32,
}

impl Search<'_> {
    fn strengths(&self, choice: &Choices) -> Vec<Option<Strength>> {
        choice.iter().zip(&self.options).map(|(c, options)| c.map(|c| options[c])).collect()
    }

    /// Is the outcome forbidden under a choice?
    fn forbids(&mut self, choice: &Choices) -> Result<bool, Error> {
        if let Some(&known) = self.known.get(choice) {
            return Ok(known);
        }
        if self.run.is_over() {
            return Err(Error::Time);
        }
        let test = strengthened(self.test, &self.strengths(choice));
        let verdict = self.runner.run(&test, &self.run, self.engine)?.without_gap()?;
        self.bounded |= verdict.bounded;
        self.known.insert(choice.clone(), !verdict.reachable);
        Ok(!verdict.reachable)
    }

    /// Is the first option of a site at most the second one?
    fn at_most(&self, site: usize, a: Option<usize>, b: Option<usize>) -> bool {
        match (a, b) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => self.options[site][a].at_most(self.options[site][b]),
        }
    }

    /// Every site as strong as can be; `None` where a site has several strongest options, as fences of a machine may be that order different
    /// things.
    fn strongest(&self) -> Option<Choices> {
        let top = |site: usize| {
            let options = &self.options[site];
            let top = (0..options.len()).find(|&o| options.iter().all(|p| p.at_most(options[o])));
            (top.is_some() || options.is_empty()).then_some(top)
        };
        (0..self.options.len()).map(top).collect()
    }

    /// From a choice that still allows the outcome: makes sites stronger as long as it does; some site must be stronger still.
    fn learn(&mut self, mut choice: Choices) -> Result<(), Error> {
        for site in 0..choice.len() {
            // Strongest first: mostly the rest of the site does not matter.
            for option in (0..self.options[site].len()).rev() {
                if choice[site] == Some(option) || !self.at_most(site, choice[site], Some(option)) {
                    continue;
                }
                let before = choice[site].replace(option);
                if self.forbids(&choice)? {
                    choice[site] = before;
                } else {
                    break;
                }
            }
        }
        let mut core = Vec::new();
        for (site, &chosen) in choice.iter().enumerate() {
            let above = |o: &usize| !self.at_most(site, Some(*o), chosen);
            let above: Vec<usize> = (0..self.options[site].len()).filter(above).collect();
            // The weakest of them: what is stronger includes them.
            let weakest = |o: &&usize| !above.iter().any(|p| p != *o && self.at_most(site, Some(*p), Some(**o)));
            core.extend(above.iter().filter(weakest).map(|&o| (site, o)));
        }
        self.cores.push(core);
        Ok(())
    }

    /// A cheapest choice that hits every core and is not among `except`; with `limit`, of that cost at most.
    fn cheapest_hitting(&self, limit: Option<u32>, except: &[Choices]) -> Option<(u32, Choices)> {
        let mut best: Option<(u32, Choices)> = None;
        let mut choice = vec![None; self.options.len()];
        let bound = limit.map_or(u32::MAX, |l| l.saturating_add(1));
        self.hit(&mut choice, 0, bound, except, &mut best);
        best
    }

    fn hit(&self, choice: &mut Choices, cost: u32, bound: u32, except: &[Choices], best: &mut Option<(u32, Choices)>) {
        if cost >= best.as_ref().map_or(bound, |(b, _)| (*b).min(bound)) {
            return;
        }
        let hits = |&(site, option): &(usize, usize)| self.at_most(site, Some(option), choice[site]);
        let Some(core) = self.cores.iter().find(|core| !core.iter().any(hits)) else {
            if !except.contains(choice) {
                *best = Some((cost, choice.clone()));
            }
            return;
        };
        for &(site, option) in core {
            let before = choice[site];
            // Both what is there and what is needed.
            for joined in 0..self.options[site].len() {
                let above = self.at_most(site, Some(option), Some(joined)) && self.at_most(site, before, Some(joined));
                let least = || {
                    !(0..self.options[site].len()).any(|o| {
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
