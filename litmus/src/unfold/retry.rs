//! Loops that try again: a round that changes nothing and hands on nothing but what it read last,
//! as where a compare-and-swap fails. How many such rounds must be looked at is argued in
//! docs/semantics.md ("Loops that try again").

use margay_models::execution::{EventData, Kind, Order, Proxy};
use serde::{Deserialize, Serialize};

use super::path::{Dependent, Path, PathEvent, Positions};
use super::program::{Program, Step};
use super::symbol::{Symbol, Symbols};

/// Which rounds of loops that try again are looked at.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum RetryRounds {
    /// All, up to the bound.
    #[default]
    All,
    /// The last one: right for a question of executions without a data race, and of nothing that a
    /// round before does.
    Last,
    /// For the question whether accesses race to a location, by its place among those of the test,
    /// or (nothing) to any one: the last one, one that may have such an access, and one behind
    /// that.
    Racing(Option<u16>),
}

/// The rounds of a loop up to where a thread comes to its head, as far as they only try again.
#[derive(Debug, Clone, Default)]
pub(super) struct Retries {
    /// For each: may it have an access that is asked about?
    racing: Vec<bool>,
    /// What the thread supposed of what was read in front of the loop, and what each round supposes
    /// of what it read last, but that it is another value than the one before. The read is [`ANY`].
    before: Vec<(Symbol, bool)>,
    each: Vec<(Symbol, bool)>,
    /// Is what was read last handed on?
    hands_on: bool,
    /// Do they write what only the last round's write leaves?
    pub writes: bool,
}

impl Retries {
    /// Is there an execution with fewer of these rounds that shows the same?
    pub fn are_enough(&self) -> bool {
        let kept = if self.hands_on { 2 } else { 1 };
        self.racing.first().is_some_and(|first| !first || self.racing.len() > kept)
    }
}

/// A thread at the head of a loop, now or before.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtHead<'a> {
    pub events: usize,
    pub suppositions: usize,
    pub registers: &'a [Dependent],
    /// Does what follows depend on what was read last, by a branch?
    pub is_controlled: bool,
}

/// Stands for a read in what is supposed of it.
const ANY: u16 = u16::MAX;

/// The last round, and those in front of it.
pub(super) struct LastRound<'a> {
    pub program: &'a Program,
    pub head: usize,
    /// The registers that may be read from the head on.
    pub live: &'a [bool],
    pub path: &'a Path,
    pub before: AtHead<'a>,
    pub now: AtHead<'a>,
    /// The physical location that is asked about; `None` for any.
    pub asked: Option<Option<u16>>,
    /// For each location the physical one.
    pub physical: &'a dyn Fn(u16) -> u16,
}

impl LastRound<'_> {
    /// The rounds, with this one behind `earlier`; nothing where it does more than try again.
    pub fn behind(&self, earlier: &Retries, symbols: &mut Symbols) -> Option<Retries> {
        let events = self.path.events.get(self.before.events..)?;
        let writes = self.writes(events)?;
        let is_asked =
            |e: &PathEvent| e.data.location.is_some_and(|l| self.asked_at((self.physical)(l)));
        let mut found =
            Retries { racing: vec![events.iter().any(is_asked)], writes, ..Retries::default() };
        if !self.is_unchanged() {
            let (x, y) = (self.before.events.checked_sub(1)?, self.path.events.len() - 1);
            self.hands_on((x as u16, y as u16), symbols)?;
            found.hands_on = true;
            found.each =
                self.supposed_of((x as u16, y as u16), self.before.suppositions.., symbols)?;
            found.before = if earlier.racing.is_empty() {
                self.supposed_of((x as u16, x as u16), ..self.before.suppositions, symbols)?
            } else {
                earlier.before.clone()
            };
            for &(symbol, holds) in &found.before {
                let here = symbols.moved(symbol, ANY, y as u16);
                let said = self
                    .path
                    .suppositions
                    .iter()
                    .find(|(s, _)| *s == here)
                    .map(|(_, holds)| *holds);
                let said =
                    said.or_else(|| symbols.implied(&self.path.suppositions, here).map(|n| n != 0));
                if said != Some(holds) {
                    return None;
                }
            }
        }
        if earlier.racing.is_empty() {
            return Some(found);
        }
        let is_alike = earlier.hands_on == found.hands_on && earlier.each == found.each;
        is_alike.then(|| Retries {
            racing: [earlier.racing.as_slice(), found.racing.as_slice()].concat(),
            writes: earlier.writes || found.writes,
            ..found
        })
    }

    fn asked_at(&self, physical: u16) -> bool {
        self.asked.is_some_and(|at| at.is_none_or(|at| at == physical))
    }

    fn is_unchanged(&self) -> bool {
        let same = |(a, b): (&Dependent, &Dependent)| {
            (a.symbol, a.reads, a.picks) == (b.symbol, b.reads, b.picks)
        };
        self.registers().all(same)
    }

    /// The registers that may be read: what they held when the thread came to the head before, and
    /// now.
    fn registers(&self) -> impl Iterator<Item = (&Dependent, &Dependent)> {
        self.live
            .iter()
            .zip(self.before.registers.iter().zip(self.now.registers))
            .filter(|(live, _)| **live)
            .map(|(_, both)| both)
    }

    /// Whether a round writes what each round writes, and others see only with a race; nothing
    /// where it leaves more behind.
    fn writes(&self, events: &[PathEvent]) -> Option<bool> {
        let mut writes = false;
        for event in events {
            if event.data.operation.is_some() || event.data.mbarrier {
                return None;
            }
            match event.data.kind {
                Kind::Read | Kind::Fence | Kind::ProxyFence => {}
                Kind::Write if self.is_written_each_time(event, events) => writes = true,
                _ => return None,
            }
        }
        (!events.is_empty()).then_some(writes)
    }

    /// Is it a weak write that each round makes, first of all and to one place, and does the round
    /// not read from it?
    fn is_written_each_time(&self, event: &PathEvent, round: &[PathEvent]) -> bool {
        let EventData {
            location: Some(location),
            order: Order::Plain,
            scope: None,
            proxy: Proxy::Generic,
            ..
        } = event.data
        else {
            return false;
        };
        let is_plain = !event.data.volatile
            && !event.data.mmio
            && !event.data.mbarrier
            && event.modifies.is_none();
        let goes_straight = |(step, _): &(Step, _)| {
            matches!(
                step,
                Step::Assign(..) | Step::Load { .. } | Step::Store { .. } | Step::Fence { .. }
            )
        };
        let place = (self.physical)(location);
        let is_there = |e: &PathEvent| {
            e.data.kind == Kind::Read
                && e.data.location.is_some_and(|l| (self.physical)(l) == place)
        };
        is_plain
            && event.address_reads.is_empty()
            && self
                .program
                .steps
                .get(self.head..=event.step)
                .is_some_and(|steps| steps.iter().all(goes_straight))
            && !round.iter().any(is_there)
    }

    /// Is what was read last in front of the round (`x`), and last in it (`y`), read from one
    /// place, and do all registers hold the same but for `y` in place of `x`?
    fn hands_on(&self, (x, y): (u16, u16), symbols: &mut Symbols) -> Option<()> {
        let [of_x, of_y] = [x, y].map(|at| &self.path.events[usize::from(at)]);
        let rank = |order: Order| match order {
            Order::Rlx => Some(0),
            Order::Acq => Some(1),
            _ => None,
        };
        let is_read =
            of_x.data.kind == Kind::Read && of_x.modifies.is_none() && of_x.bits == of_y.bits;
        let is_weaker = rank(of_x.data.order)? <= rank(of_y.data.order)?;
        if !is_read
            || !is_weaker
            || of_x.data != (EventData { order: of_x.data.order, ..of_y.data })
        {
            return None;
        }
        if self.before.is_controlled && !self.now.is_controlled {
            return None;
        }
        let reads = |reads: Positions| -> Positions {
            reads.iter().map(|at| if at == usize::from(x) { usize::from(y) } else { at }).collect()
        };
        let pairs: Vec<(Dependent, Dependent)> = self.registers().map(|(a, b)| (*a, *b)).collect();
        pairs
            .into_iter()
            .all(|(a, b)| {
                symbols.moved(a.symbol, x, y) == b.symbol
                    && reads(a.reads) | b.reads == b.reads
                    && reads(a.picks) | b.picks == b.picks
            })
            .then_some(())
    }

    /// What a part of the path supposes of `y`, and of nothing else, but that it is not what `x`
    /// is; nothing where it supposes more.
    fn supposed_of(
        &self,
        (x, y): (u16, u16),
        part: impl std::slice::SliceIndex<[(Symbol, bool)], Output = [(Symbol, bool)]>,
        symbols: &mut Symbols,
    ) -> Option<Vec<(Symbol, bool)>> {
        let mut found: Vec<(Symbol, bool)> = Vec::new();
        for &(symbol, holds) in self.path.suppositions.get(part)? {
            let reads = symbols.reads_of(symbol);
            if !reads.contains(usize::from(y))
                || x != y && self.is_failure((symbol, holds), (x, y), symbols)
            {
                continue;
            }
            if reads != Positions::one(usize::from(y)) {
                return None;
            }
            let of_any = (symbols.moved(symbol, y, ANY), holds);
            if !found.contains(&of_any) {
                found.push(of_any);
            }
        }
        Some(found)
    }

    /// Does it say that `y` is another value than `x`?
    fn is_failure(
        &self,
        (symbol, holds): (Symbol, bool),
        (x, y): (u16, u16),
        symbols: &mut Symbols,
    ) -> bool {
        let Some((a, b, if_equal)) = symbols.equality(symbol) else { return false };
        if holds == if_equal {
            return false;
        }
        [(a, b), (b, a)].into_iter().any(|(of_y, other)| {
            let before = symbols.moved(of_y, y, x);
            let number = || {
                symbols.as_constant(other).is_some()
                    && symbols.implied(&self.path.suppositions, before)
                        == symbols.as_constant(other)
            };
            before != of_y && (before == other || number())
        })
    }
}

/// Can values only come to a write by reads-from and by what it depends on, on all paths? Then
/// program order and reads-from have no cycle where values do not come from thin air. A weak read
/// of which nothing depends may as well read what is in front of it in causality order, so that it
/// is none of these (docs/semantics.md, "Loops that try again"); what comes there by a barrier or
/// by `fence.sc` is not argued about.
pub(super) fn values_come_in_order<'a>(
    paths: impl Iterator<Item = (&'a Path, &'a Symbols)> + Clone,
) -> bool {
    let orders_by_reads = |e: &PathEvent| match e.data.kind {
        Kind::Read | Kind::Write => e.data.operation.is_none() && e.data.proxy == Proxy::Generic,
        Kind::Fence => e.data.order != Order::Sc,
        _ => e.is_end(),
    };
    let may_be_idle = paths.clone().flat_map(|(path, _)| &path.events).all(orders_by_reads);
    paths.clone().all(|(path, symbols)| {
        depends_on_all_reads(
            path,
            if may_be_idle { idle_reads(path, symbols) } else { Positions::EMPTY },
        )
    })
}

/// Does each write of a path depend on all reads before it, but for those?
fn depends_on_all_reads(path: &Path, but_for: Positions) -> bool {
    let mut reads = but_for;
    for (at, event) in path.events.iter().enumerate() {
        match event.data.kind {
            Kind::Read => reads |= Positions::one(at),
            Kind::Write if depends_on(event) | but_for | reads != depends_on(event) | but_for => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// The reads that an event depends on.
fn depends_on(event: &PathEvent) -> Positions {
    let own = event.modifies.map_or(Positions::EMPTY, |read| Positions::one(usize::from(read)));
    event.address_reads | event.data_reads | event.control_reads | own
}

/// The weak reads of which nothing depends that the thread does or supposes.
fn idle_reads(path: &Path, symbols: &Symbols) -> Positions {
    let by_events: Positions = path.events.iter().map(depends_on).collect();
    let values = path.events.iter().filter_map(|e| e.value);
    let supposed = path
        .suppositions
        .iter()
        .map(|(symbol, _)| *symbol)
        .chain(path.swaps.iter().copied())
        .chain(values);
    let used = supposed
        .map(|symbol| symbols.reads_of(symbol))
        .fold(by_events | path.branched_by, |all, more| all | more);
    let is_weak = |e: &PathEvent| {
        e.data.kind == Kind::Read
            && e.data.order == Order::Plain
            && e.data.scope.is_none()
            && !e.data.volatile
            && !e.data.mmio
    };
    let reads = path.events.iter().enumerate();
    reads.filter(|(at, event)| is_weak(event) && !used.contains(*at)).map(|(at, _)| at).collect()
}
