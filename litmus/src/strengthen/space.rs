//! The search space: which sites a program has, and how strong each may become.
//!
//! A fence may stand at every place between two instructions, statements, labels, at the beginning
//! and at the end of each. Of places that have no event between them on any way through the thread
//! one is enough; a place that a thread passes only together with another one is *covered* by that.

use margay_models::execution::{Order, Placement, Proxy, Scope};
use margay_models::model::Model;
use margay_models::signature::{BaseSet, Operation as Kind};

use super::flow::{FlowEvents, TestFlow};
use super::{
    Fixed, Means, RawSite, Site, SiteKind, SiteSlots, Strength, Terms, TestRewriting, TriedChanges,
    c, instructions, rewrite, text, tried,
};
use crate::print::CLanguage;
use crate::test::{Body, Dialect, Operation, ProxyFenceKind, Test, Thread, ThreadId};

/// The sites of a test that can be stronger, and the strengths that each may get.
#[derive(Debug, Clone)]
pub struct SearchSpace {
    sites: Vec<Site>,
    /// The strengths that each may get: `[site][strength]`.
    options: Vec<Vec<Strength>>,
    /// For each site, its number among all that a rewriting meets.
    numbers: Vec<usize>,
    /// For each site of a place for a fence, those that cover it.
    covered: Vec<Vec<usize>>,
    /// The same, as far as nothing that is there is said better behind a branch than before it.
    same: Vec<Vec<usize>>,
    slots: SiteSlots,
    tried: TriedChanges,
    language: CLanguage,
}

/// Where fences may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrengtheningPlaces {
    /// Between two events: what is before the first one or behind the last one orders nothing in
    /// any built-in model.
    Between,
    /// Everywhere.
    All,
}

impl SearchSpace {
    /// The search space of a test under a model.
    pub fn new(test: &Test, model: &Model, terms: &Terms<'_>, places: StrengtheningPlaces) -> Self {
        let knows = Knows::of(test, model, terms);
        let fences = if terms.means.fences { knows.fences(test) } else { Vec::new() };
        let proxies = if terms.means.fences { knows.proxies(test, model) } else { Vec::new() };
        let slots = SiteSlots { proxies, fences: fences.len(), scoped: knows.scoped };
        let raw = raw_sites(test, &slots);
        let kept = KeptSites::of(test, &slots, &raw, places);
        let mut space = Self {
            sites: Vec::new(),
            options: Vec::new(),
            numbers: Vec::new(),
            covered: Vec::new(),
            same: Vec::new(),
            slots,
            tried: TriedChanges::default(),
            language: terms.language,
        };
        for site in &raw {
            let options = match site.kind {
                SiteKind::Slot(n) => fences[n].clone(),
                SiteKind::ProxySlot(_) => vec![PROXY_FENCE],
                _ => knows.options(test, site),
            };
            let is_slot = site.kind.is_slot();
            if options.is_empty() || is_slot && !kept.gaps.contains(&site.gap) {
                continue;
            }
            // A fence that is there and says all that one could add says it for the places that it
            // covers.
            let closed = |other: &&RawSite| {
                other.kind == SiteKind::Fence
                    && says_all(&fences, other.now)
                    && kept.covers(other.number, site.gap, kept.branches_are_events)
            };
            if matches!(site.kind, SiteKind::Slot(_)) && raw.iter().any(|other| closed(&other)) {
                continue;
            }
            let repeats =
                is_slot && kept.flow.as_ref().is_some_and(|flow| flow.repeats(kept.mark(site.gap)));
            space.sites.push(Site { thread: site.thread, kind: site.kind, now: site.now, repeats });
            space.options.push(options);
            space.numbers.push(site.number);
        }
        let gap = |number: usize| raw.get(number).map_or(number, |site| site.gap);
        let covers = |a: usize, b: usize, branches: bool| {
            let same = match (space.sites[a].kind, space.sites[b].kind) {
                (SiteKind::Slot(n), SiteKind::Slot(m)) => n == m,
                (SiteKind::Fence, SiteKind::Slot(_)) => true,
                _ => false,
            };
            let (a, b) = (space.numbers[a], space.numbers[b]);
            same && a != b && kept.covers(gap(a), gap(b), branches)
        };
        let all = || 0..space.sites.len();
        let covering = |branches: bool| {
            all().map(|b| all().filter(|&a| covers(a, b, branches)).collect()).collect()
        };
        let (covered, same) = (covering(false), covering(kept.branches_are_events));
        (space.covered, space.same) = (covered, same);
        space.tried = tried::of(test, &space, &raw, &knows, places);
        space
    }

    /// The sites, in order of the text.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// For each site the strengths that it may get, weaker ones first; none that it has already.
    pub fn options(&self) -> &[Vec<Strength>] {
        &self.options
    }

    /// What is tried, in words.
    pub fn tried(&self) -> &TriedChanges {
        &self.tried
    }

    /// For a site those that say what it says, if they are as strong.
    pub(super) fn covered(&self, site: usize) -> &[usize] {
        &self.covered[site]
    }

    /// Do costs depend on scopes?
    pub fn is_scoped(&self) -> bool {
        self.slots.scoped
    }

    /// For a site those that make it say nothing more, if they are as strong.
    pub(super) fn same(&self, site: usize) -> &[usize] {
        &self.same[site]
    }

    /// The kinds of proxy fences that may be added.
    pub(super) fn proxies(&self) -> &[ProxyFenceKind] {
        &self.slots.proxies
    }

    /// The test with the strengths chosen, one for each site; `None` leaves a site as it is.
    pub fn strengthened(&self, test: &Test, choice: &[Option<Strength>]) -> Test {
        let mut choose = |site: RawSite| {
            let at = self.numbers.binary_search(&site.number).ok()?;
            choice.get(at).copied().flatten()
        };
        let mut rewriting = TestRewriting::new(&self.slots, &mut choose);
        let mut out = rewrite(test, &mut rewriting);
        let (retyped, widened) = (rewriting.retyped, rewriting.widened);
        if self.language == CLanguage::Cuda {
            // The scope of an atomic object is in its type: all operations on it have the same.
            for (name, scope) in widened {
                let is_object =
                    |t: &Thread| t.parameters.iter().any(|p| p.name == name && p.ty.atomic);
                for (t, thread) in
                    out.threads.iter_mut().enumerate().filter(|(_, thread)| is_object(thread))
                {
                    if let Body::Statements(body) = &mut thread.body {
                        c::widen(body, ThreadId(t as u16), &name, scope);
                    }
                }
            }
        }
        if self.language == CLanguage::C {
            // In C an atomic operation takes a pointer to an atomic object.
            let of_it = |name: &str| retyped.iter().any(|r| r == name);
            let parameters = out.threads.iter_mut().flat_map(|t| &mut t.parameters);
            parameters.filter(|p| of_it(&p.name)).for_each(|p| p.ty.atomic = true);
        }
        out
    }
}

/// What a proxy fence is, which has neither order nor scope.
const PROXY_FENCE: Strength = Strength { order: Order::Plain, scope: Scope::Cta };

/// Does a fence say all that the fences say that could be added beside it?
fn says_all(fences: &[Vec<Strength>], now: Option<Strength>) -> bool {
    now.is_some_and(|now| fences.iter().flatten().all(|f| f.at_most(now)))
}

fn raw_sites(test: &Test, slots: &SiteSlots) -> Vec<RawSite> {
    let mut found = Vec::new();
    let mut choose = |site: RawSite| {
        found.push(site);
        None
    };
    rewrite(test, &mut TestRewriting::new(slots, &mut choose));
    found
}

/// The places for fences that are worth trying.
struct KeptSites {
    /// The numbers of the places.
    gaps: Vec<usize>,
    flow: Option<TestFlow>,
    /// For each place the number of its mark in the flow.
    marks: Vec<(usize, usize)>,
    fences_are_events: bool,
    branches_are_events: bool,
}

impl KeptSites {
    fn of(test: &Test, slots: &SiteSlots, raw: &[RawSite], places: StrengtheningPlaces) -> Self {
        // In the flow a place is one fence, whatever may be put there.
        let mark = |gap: usize| {
            raw.iter()
                .find(|s| s.gap == gap && matches!(s.kind, SiteKind::Slot(0)))
                .map(|s| s.number)
        };
        let mut gaps: Vec<usize> = raw.iter().filter(|s| s.kind.is_slot()).map(|s| s.gap).collect();
        gaps.dedup();
        let marks = gaps.iter().filter_map(|&gap| Some((gap, mark(gap)?))).collect();
        let there: Vec<usize> =
            raw.iter().filter(|s| s.kind == SiteKind::Fence).map(|s| s.number).collect();
        let mut choose =
            |site: RawSite| (site.kind == SiteKind::Slot(0)).then_some(instructions::GENERIC_FENCE);
        let mut rewriting = TestRewriting::new(slots, &mut choose);
        rewriting.marks = true;
        let marked = rewrite(test, &mut rewriting);
        let flow = TestFlow::new(&marked, &there);
        // In machines that are texts a branch and a fence behind it may order what neither does
        // alone.
        let branches_are_events = matches!(test.dialect, Dialect::Text(_));
        let mut kept = Self {
            gaps,
            flow,
            marks,
            fences_are_events: !slots.proxies.is_empty(),
            branches_are_events,
        };
        let Some(flow) = &kept.flow else { return kept };
        let worth = |gap: usize| match places {
            StrengtheningPlaces::Between => flow.is_between(kept.mark(gap)),
            StrengtheningPlaces::All => flow.is_reached(kept.mark(gap)),
        };
        let worth: Vec<usize> = kept.gaps.iter().copied().filter(|&gap| worth(gap)).collect();
        let branches = kept.branches_are_events;
        // Of places that cover one another the last one is kept: before the next event.
        let last = |at: usize| {
            let together = |b: usize| {
                kept.covers(worth[at], b, branches) && kept.covers(b, worth[at], branches)
            };
            !worth[at + 1..].iter().any(|&b| together(b))
        };
        let last: Vec<usize> =
            (0..worth.len()).filter(|&at| last(at)).map(|at| worth[at]).collect();
        kept.gaps = last;
        kept
    }

    fn mark(&self, gap: usize) -> usize {
        self.marks.iter().find(|(g, _)| *g == gap).map_or(gap, |(_, mark)| *mark)
    }

    /// Does a thread pass `a`, a place or a fence, wherever it passes the place `b`, with no event
    /// between?
    fn covers(&self, a: usize, b: usize, branches: bool) -> bool {
        let is_fence = self.marks.iter().all(|(gap, _)| *gap != a);
        let passes = |flow: &TestFlow| {
            flow.passes(
                self.mark(b),
                self.mark(a),
                FlowEvents { fences: self.fences_are_events, branches },
            )
        };
        !(is_fence && self.fences_are_events) && self.flow.as_ref().is_some_and(passes)
    }
}

/// What of a language's newer instructions a model knows, and what says anything to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knows {
    /// The cluster scope, where the test uses it.
    clusters: bool,
    /// `fence.acquire` and `fence.release`, which came late (PTX ISA 8.6).
    one_sided_fences: bool,
    /// Are there scopes, in the model and in the program's language?
    pub scoped: bool,
    /// The narrowest scope that all threads are in: wider ones say no more, unless the model speaks
    /// of an operation's scope itself.
    widest: Scope,
    pub language: CLanguage,
    pub means: Means,
}

impl Knows {
    fn of(test: &Test, model: &Model, terms: &Terms<'_>) -> Self {
        // The model of the ISA that has clusters is the one that has fences of one side.
        let newer = model.knows_clusters();
        let scoped = match test.dialect {
            Dialect::C => model.is_scoped() && terms.language != CLanguage::Cpp,
            Dialect::Text(_) | Dialect::Generic => true,
            Dialect::Ptx | Dialect::GpuPtx => model.is_scoped(),
        };
        // libcu++ has no scope of clusters.
        let clusters = test.uses_clusters()
            && newer
            && !(test.dialect == Dialect::C && terms.language == CLanguage::Cuda);
        Self {
            clusters,
            one_sided_fences: newer,
            scoped,
            widest: widest_needed(test),
            language: terms.language,
            means: terms.means,
        }
    }

    /// The kinds of proxy fences of which an access of the test, and the model, can take notice.
    fn proxies(&self, test: &Test, model: &Model) -> Vec<ProxyFenceKind> {
        if test.dialect != Dialect::Ptx {
            return Vec::new();
        }
        let bodies = test
            .threads
            .iter()
            .filter_map(|t| if let Body::Instructions(i) = &t.body { Some(i) } else { None });
        let proxy = |operation: &Operation| match operation {
            Operation::Async(operation) if operation.family.proxy() == Proxy::Async => {
                Some(Proxy::Async)
            }
            _ => Some(operation.memory()?.0.proxy),
        };
        let mut used: Vec<Proxy> = bodies.flatten().filter_map(|i| proxy(&i.operation)).collect();
        used.extend(test.locations.iter().filter_map(|l| l.alias.as_ref()).map(|alias| {
            match alias.proxy {
                Proxy::Generic => Proxy::Alias,
                other => other,
            }
        }));
        let set = |kind: ProxyFenceKind| match kind {
            ProxyFenceKind::Alias => BaseSet::Alias,
            ProxyFenceKind::Surface => BaseSet::Sur,
            ProxyFenceKind::Texture => BaseSet::Tex,
            ProxyFenceKind::Constant => BaseSet::Con,
            ProxyFenceKind::Async | ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared => {
                BaseSet::Async
            }
        };
        // A fence of the async proxy for one state space is no stronger than that for all.
        let is_for_one = |kind: &ProxyFenceKind| {
            matches!(kind, ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared)
        };
        let kinds = ProxyFenceKind::ALL.into_iter().filter(|kind| !is_for_one(kind));
        kinds
            .filter(|&kind| used.contains(&kind.proxy()) && model.mentions_set(set(kind)))
            .collect()
    }

    /// The fences that may be added at one place: lists of them, each with one that is as strong as
    /// all others of its list.
    fn fences(&self, test: &Test) -> Vec<Vec<Strength>> {
        use Order::{Acq, AcqRel, Rel, Sc};
        let all = match test.dialect {
            Dialect::Generic => return vec![vec![instructions::GENERIC_FENCE]],
            Dialect::Text(architecture) => {
                text::options(test, architecture, (SiteKind::Slot(0), None), Means::ALL)
            }
            Dialect::GpuPtx => {
                let found =
                    self.scopes(None).into_iter().map(|scope| Strength { order: Sc, scope });
                // There is no level of clusters in this form.
                found.filter(|s| s.scope != Scope::Cluster).collect()
            }
            Dialect::Ptx if !self.one_sided_fences => self.strengths(&[AcqRel, Sc], None),
            Dialect::Ptx | Dialect::C => self.strengths(&[Acq, Rel, AcqRel, Sc], None),
        };
        let strongest = |s: &Strength| !all.iter().any(|t| t != s && s.at_most(*t));
        let mut lists: Vec<(Strength, Vec<Strength>)> =
            all.iter().copied().filter(strongest).map(|top| (top, Vec::new())).collect();
        for &s in &all {
            if let Some((_, list)) = lists.iter_mut().find(|(top, _)| s.at_most(*top)) {
                list.push(s);
            }
        }
        lists.into_iter().map(|(_, list)| list).collect()
    }

    fn strengths(&self, orders: &[Order], now: Option<Strength>) -> Vec<Strength> {
        let scopes = self.scopes(now);
        orders
            .iter()
            .flat_map(|&order| scopes.iter().map(move |&scope| Strength { order, scope }))
            .collect()
    }

    /// The scopes that say something, and that which is there.
    fn scopes(&self, now: Option<Strength>) -> Vec<Scope> {
        if !self.scoped {
            // Something has to be written where the language has scopes.
            return vec![
                now.filter(|now| now.order != Order::Plain).map_or(self.widest, |now| now.scope),
            ];
        }
        let scopes = Scope::ALL
            .into_iter()
            .filter(|&s| s <= self.widest && (self.clusters || s != Scope::Cluster));
        let wider = now.map(|n| n.scope).filter(|&s| {
            s > self.widest || s == Scope::Warp || s == Scope::Cluster && !self.clusters
        });
        let mut scopes: Vec<Scope> = scopes.chain(wider).collect();
        scopes.sort_unstable();
        scopes
    }

    /// The strengths that something that is there may get, weaker ones first; none that it has
    /// already.
    fn options(&self, test: &Test, site: &RawSite) -> Vec<Strength> {
        use Order::{Acq, AcqRel, Plain, Rel, Rlx, Sc};
        let (c, means) = (test.dialect == Dialect::C, self.means);
        let Some(now) = site.now else { return Vec::new() };
        if let Dialect::Text(architecture) = test.dialect {
            return text::options(test, architecture, (site.kind, site.now), means);
        }
        let orders: &[Order] = match site.kind {
            _ if test.dialect == Dialect::Generic => return Vec::new(),
            SiteKind::Fence if test.dialect == Dialect::GpuPtx => &[Sc],
            SiteKind::Fence => &[Acq, Rel, AcqRel, Sc],
            // The form of 2015 has no orders.
            _ if test.dialect == Dialect::GpuPtx => &[],
            _ if site.fixed == Fixed::Order => &[Rlx],
            SiteKind::Load if c => &[Rlx, Acq, Sc],
            SiteKind::Load => &[Rlx, Acq],
            SiteKind::Store if c => &[Rlx, Rel, Sc],
            SiteKind::Store => &[Rlx, Rel],
            SiteKind::Rmw if c => &[Rlx, Acq, Rel, AcqRel, Sc],
            SiteKind::Rmw => &[Rlx, Acq, Rel, AcqRel],
            SiteKind::Reduction => &[Rlx, Rel],
            SiteKind::Arrival if means.orders && now.order == Rlx => {
                return vec![Strength { order: Rel, scope: now.scope }];
            }
            SiteKind::Arrival | SiteKind::Slot(_) | SiteKind::ProxySlot(_) => &[],
        };
        let mut found = self.strengths(orders, Some(now));
        found.retain(|s| {
            let order_kept = s.order == now.order;
            let scope_kept = s.scope == now.scope || now.order == Plain;
            now.at_most(*s)
                && now != *s
                && (means.orders || order_kept)
                && (means.scopes || scope_kept)
        });
        found
    }

    /// The scopes of fences and accesses that may be added or written, in words of the program.
    pub(super) fn named_scopes(&self, test: &Test) -> Vec<Scope> {
        match test.dialect {
            Dialect::Text(architecture) => {
                let fence = |s: &Strength| margay_models::signature::Construct {
                    operation: Kind::Fence,
                    order: s.order,
                };
                let scoped =
                    text::options(test, architecture, (SiteKind::Slot(0), None), Means::ALL);
                let mut scopes: Vec<Scope> = scoped
                    .iter()
                    .filter(|s| fence(s).has_scope(architecture))
                    .map(|s| s.scope)
                    .collect();
                scopes.sort_unstable();
                scopes.dedup();
                scopes
            }
            Dialect::Generic => Vec::new(),
            _ if self.scoped => self.scopes(None),
            _ => Vec::new(),
        }
    }
}

/// The narrowest scope that all threads are in.
fn widest_needed(test: &Test) -> Scope {
    let places: Vec<Placement> =
        (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16))).collect();
    let all = |s: &Scope| places.iter().all(|p| places.iter().all(|q| p.shares(*s, *q)));
    Scope::ALL.into_iter().find(all).unwrap_or(Scope::Sys)
}
