//! Which accesses of a thread its machine code lets overlap: whether a later one may be issued
//! while an earlier one is still under way.
//!
//! A warp issues its instructions in order, so the code orders two accesses only by waiting between
//! them: for the scoreboard of the earlier one, for everything that is outstanding, or at a fence
//! or barrier. A store signals no scoreboard when it is performed; only a fence waits for it. What
//! the fields mean, and who found out: [`ControlWord`](super::ControlWord).

use std::collections::{BTreeMap, BTreeSet};

use super::effect::SassEffect;
use super::expect::ExpectedEffect;
use super::flow::{reach, successors};
use super::listing::SassInstruction;
use super::operands::{reads, writes};

/// Two accesses of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessPair {
    /// The earlier one, by its position among the effects of the thread.
    pub first: usize,
    /// The later one.
    pub second: usize,
    /// May the later one be issued while the earlier one is under way?
    pub overlap: bool,
    /// Does the test itself make them wait: by a dependency, a fence or a barrier between them? An
    /// access of a warp that waits holds up all later ones.
    pub ordered: bool,
    /// What in the code makes them wait, or that nothing does.
    pub why: String,
    /// Does the later one wait until the earlier one has brought its value, and not only at a
    /// fence?
    pub after_value: bool,
}

impl AccessPair {
    /// Does the code wait where the test does not? Then an outcome can be rarer than the test lets
    /// it be, or never be seen.
    pub fn narrowed(&self) -> bool {
        !self.overlap && !self.ordered
    }
}

/// What an access under way waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WaitReason {
    /// A result, whose scoreboard is released when it is there.
    Result(Option<u8>),
    /// Nothing that the warp hears of.
    Store,
}

/// Is it a load, or has it a result?
fn way(i: &SassInstruction, effect: &SassEffect) -> Option<WaitReason> {
    let scoreboard = i.control.and_then(|c| c.write);
    match effect {
        SassEffect::Load { .. }
        | SassEffect::ProxyLoad(_)
        | SassEffect::Atom { reduction: false, .. } => Some(WaitReason::Result(scoreboard)),
        SassEffect::Store { .. }
        | SassEffect::SurfaceStore
        | SassEffect::Atom { reduction: true, .. } => Some(WaitReason::Store),
        SassEffect::Membar { .. } | SassEffect::OneOfTwoMembars | SassEffect::Invalidate => None,
        SassEffect::ClusterBarrier { .. } | SassEffect::Barrier { .. } => None,
        // The warp does not hear of what is done elsewhere, and what is asked of an mbarrier is no
        // access to data.
        SassEffect::Meeting
        | SassEffect::Mbarrier(_)
        | SassEffect::ViewFence(_)
        | SassEffect::CopyToShared { .. }
        | SassEffect::GroupEnd { .. }
        | SassEffect::GroupWait { .. }
        | SassEffect::CopyArrival { .. }
        | SassEffect::BulkCopy { .. }
        | SassEffect::BulkStore
        | SassEffect::AsyncStore { .. } => None,
    }
}

/// The pairs of a thread: its code, the effects of its instructions (by instruction), and what the
/// test wants, whose effects are the same.
pub(super) fn pairs(
    code: &[SassInstruction],
    effects: &[Option<SassEffect>],
    wanted: &[ExpectedEffect],
) -> Vec<AccessPair> {
    let mut position = Vec::with_capacity(code.len());
    let mut count = 0;
    for effect in effects {
        position.push(effect.as_ref().map(|_| count));
        count += usize::from(effect.is_some());
    }
    let at: Vec<usize> = (0..code.len()).filter(|&n| effects[n].is_some()).collect();
    let is_access = |n: usize| effects[n].as_ref().is_some_and(|e| way(&code[n], e).is_some());
    // Why an access was no longer under way, by the instruction at which it was so.
    let mut ended = AccessEnds::new();
    let before = reach(&successors(code), |n, state: &mut BTreeSet<(usize, WaitReason)>| {
        step(n, code, effects[n].as_ref(), position[n], &at, state, &mut ended);
    });
    // What an access itself waits for ends before it is issued.
    let mut pairs = Vec::new();
    for second in 0..at.len() {
        let n = at[second];
        if !is_access(n) {
            continue;
        }
        let mut under_way = before[n].clone();
        wait(n, code, &at, &mut under_way, &mut ended);
        for first in (0..second).filter(|&f| is_access(at[f])) {
            let way = under_way.iter().find(|(access, _)| *access == first).map(|(_, way)| *way);
            let AccessEnd { why, value } = match way {
                Some(WaitReason::Store) => {
                    AccessEnd::never("nothing waits for a store but a fence".to_owned())
                }
                Some(WaitReason::Result(Some(scoreboard))) => AccessEnd::never(format!(
                    "nothing between them waits for scoreboard {scoreboard}"
                )),
                Some(WaitReason::Result(None)) => AccessEnd::never(format!(
                    "`{}` has no scoreboard, and nothing waits",
                    code[at[first]].text()
                )),
                None => ended
                    .get(&first)
                    .and_then(|all| all.range(at[first]..=n).next().or_else(|| all.iter().next()))
                    .map_or_else(
                        || AccessEnd::never("no way leads from one to the other".to_owned()),
                        |(_, end)| end.clone(),
                    ),
            };
            let ordered = ordered(wanted, first, second);
            pairs.push(AccessPair {
                first,
                second,
                overlap: way.is_some(),
                ordered,
                why,
                after_value: value,
            });
        }
    }
    pairs
}

/// Why an access is no longer under way.
#[derive(Debug, Clone)]
struct AccessEnd {
    why: String,
    value: bool,
}

impl AccessEnd {
    /// It goes on, or was never begun: why.
    fn never(why: String) -> Self {
        Self { why, value: false }
    }
}

/// For each access where it ended, and why.
type AccessEnds = BTreeMap<usize, BTreeMap<usize, AccessEnd>>;

/// What instruction `n` waits for before it is issued.
fn wait(
    n: usize,
    code: &[SassInstruction],
    at: &[usize],
    state: &mut BTreeSet<(usize, WaitReason)>,
    ended: &mut AccessEnds,
) {
    let i = &code[n];
    let Some(control) = i.control else { return };
    let depbar = depbar(i);
    state.retain(|&(access, way)| {
        let WaitReason::Result(Some(scoreboard)) = way else { return true };
        if !control.waits_for(scoreboard) && depbar != Some(scoreboard) {
            return true;
        }
        let results = writes(&code[at[access]]);
        let uses = |names: Vec<String>| names.iter().any(|name| results.contains(name));
        let what = if at[access] == n {
            return true;
        } else if uses(reads(i)) {
            "needs its value, and"
        } else if uses(writes(i)) {
            "overwrites its register, and"
        } else {
            "does not need it, but"
        };
        let why = format!("`{}` {what} waits for scoreboard {scoreboard}", i.text());
        ended.entry(access).or_default().entry(n).or_insert(AccessEnd { why, value: true });
        false
    });
}

/// `DEPBAR.LE SB0, 0x0` waits for a scoreboard that it names as an operand.
fn depbar(i: &SassInstruction) -> Option<u8> {
    let (first, second) = (i.operands.first()?, i.operands.get(1)?);
    (i.base() == "DEPBAR" && second == "0x0").then(|| first.strip_prefix("SB")?.parse().ok())?
}

/// Instruction `n` is issued, and time goes on until the next one may be.
fn step(
    n: usize,
    code: &[SassInstruction],
    effect: Option<&SassEffect>,
    position: Option<usize>,
    at: &[usize],
    state: &mut BTreeSet<(usize, WaitReason)>,
    ended: &mut AccessEnds,
) {
    wait(n, code, at, state, ended);
    let i = &code[n];
    let mut end = |state: &mut BTreeSet<(usize, WaitReason)>,
                   which: &dyn Fn(WaitReason) -> bool,
                   why: &str,
                   value| {
        state.retain(|&(access, way)| {
            if which(way) {
                ended
                    .entry(access)
                    .or_default()
                    .entry(n)
                    .or_insert_with(|| AccessEnd { why: why.to_owned(), value });
            }
            !which(way)
        });
    };
    match effect {
        Some(SassEffect::Membar { .. } | SassEffect::OneOfTwoMembars) => {
            end(state, &|_| true, &format!("`{}` is a fence", i.text()), false);
        }
        Some(SassEffect::Barrier { .. } | SassEffect::ClusterBarrier { .. }) => {
            end(state, &|_| true, &format!("`{}` is a barrier", i.text()), false);
        }
        _ => {}
    }
    if let (Some(way), Some(position)) = (effect.and_then(|e| way(i, e)), position) {
        // In a loop it is under way anew.
        state.retain(|(access, _)| *access != position);
        state.insert((position, way));
    }
    if i.control.is_some_and(|c| c.drains()) {
        let why = format!("`{}` has stall 0: the next instruction waits for all results", i.text());
        end(state, &|way| matches!(way, WaitReason::Result(_)), &why, true);
    }
}

/// Does the test make the second of two effects wait for the first one? By a fence, an acquire or a
/// barrier between them, or because an effect up to the second one depends on the first.
fn ordered(wanted: &[ExpectedEffect], first: usize, second: usize) -> bool {
    let fence = |e: &SassEffect| {
        matches!(
            e,
            SassEffect::Membar { .. }
                | SassEffect::OneOfTwoMembars
                | SassEffect::Barrier { .. }
                | SassEffect::ClusterBarrier { .. }
                | SassEffect::Meeting
        )
    };
    wanted.iter().take(second + 1).skip(first + 1).any(|e| {
        fence(&e.effect)
            || e.acquired.contains(&first)
            || e.address.contains(&first)
            || e.data.contains(&first)
            || e.control.contains(&first)
    })
}
