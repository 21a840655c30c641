//! Do the threads of a block come to the same barriers? In code without branches on memory round
//! barriers that is known at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::mark::MarkKind;
use crate::residue::{CodePiece, Line, Origin};

/// The barriers that a thread comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Barriers {
    /// The same on every way through its code, in order.
    Fixed(Sequence),
    /// It depends on memory.
    Open(Option<Origin>),
}

/// Barriers in the order in which a thread comes to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// As a litmus test has them, and where they are.
    pub order: Vec<(String, Origin)>,
    /// The instructions in front of the first, between each two, and behind the last.
    pub between: Vec<BTreeSet<Origin>>,
}

/// The threads of a warp.
pub(crate) const WARP: usize = 32;

/// Which barrier is meant, and how many threads it waits for where that is said. A barrier of a
/// warp is none of these.
fn operands(text: &str) -> Option<(&str, Option<usize>)> {
    let (_, operands) = text.split_once(' ')?;
    let all: Vec<&str> = operands.split(", ").collect();
    match all.as_slice() {
        [barrier] => Some((barrier, None)),
        [barrier, count] => Some((barrier, Some(count.parse().ok()?))),
        _ => None,
    }
}

/// The instance of a barrier of a warp, and how many threads it waits for.
pub(crate) fn instance(text: &str) -> Option<(&str, usize)> {
    let (of, count) = text.strip_prefix("bar.cta.sync ")?.split_once(", 0, ")?;
    Some((of, count.parse().ok()?))
}

/// The barrier of those lanes of a warp that a mask names, as a litmus test has it: those of one
/// mask meet. Which numbers tests have is seen when they are written.
pub(crate) fn warp_barrier(warp: u64, mask: u64) -> String {
    format!("bar.cta.sync {}, 0, {}", (warp + 1) << 32 | mask, mask.count_ones())
}

/// The lanes for which a barrier of a warp is.
fn lanes(text: &str) -> Option<u32> {
    let (of, _) = instance(text)?;
    Some(of.parse::<u64>().ok()? as u32)
}

/// Is a barrier for all of these lanes of a warp?
pub(crate) fn is_for_lanes(text: &str, warp: u32, mask: u32) -> bool {
    let of = instance(text).and_then(|(of, _)| of.parse::<u64>().ok());
    of.is_some_and(|of| of >> 32 == u64::from(warp) + 1 && of as u32 & mask == mask)
}

/// Does all of a block wait at a barrier?
pub(crate) fn is_for_all(text: &str) -> bool {
    text.starts_with("bar.cta.sync ") && operands(text).is_some_and(|(_, count)| count.is_none())
}

/// Do the threads of a block come through their barriers, where each has the same on all its ways?
/// One that has ended holds nobody up.
pub(crate) fn come_through(block: &[&Sequence]) -> bool {
    // Threads that come to the same ones go together.
    let orders: BTreeSet<Vec<&str>> = block
        .iter()
        .map(|sequence| sequence.order.iter().map(|(text, _)| text.as_str()).collect())
        .collect();
    let orders: Vec<Vec<&str>> = orders.into_iter().collect();
    let mut next = vec![0; orders.len()];
    loop {
        let goes_on = |&t: &usize| {
            let Some(text) = orders[t].get(next[t]) else { return false };
            let met = |t: usize| orders[t][..next[t]].iter().filter(|of| *of == text).count();
            let holds_up = |o: usize| {
                met(o) <= met(t)
                    && orders[o][next[o]..].iter().position(|of| of == text).is_some_and(|n| n > 0)
            };
            !(0..orders.len()).any(holds_up)
        };
        let ready: Vec<usize> = (0..orders.len()).filter(goes_on).collect();
        if ready.is_empty() {
            return (0..orders.len()).all(|t| next[t] == orders[t].len());
        }
        ready.into_iter().for_each(|t| next[t] += 1);
    }
}

impl Sequence {
    /// The same without barriers of warps.
    pub fn of_block(&self) -> Self {
        self.only(&|text| instance(text).is_none())
    }

    /// The same with some barriers alone.
    fn only(&self, is_kept: &dyn Fn(&str) -> bool) -> Self {
        let mut found = Self { order: Vec::new(), between: vec![self.between[0].clone()] };
        for (barrier, behind) in self.order.iter().zip(&self.between[1..]) {
            if is_kept(&barrier.0) {
                found.order.push(barrier.clone());
                found.between.push(behind.clone());
            } else if let Some(last) = found.between.last_mut() {
                last.extend(behind);
            }
        }
        found
    }
}

/// How two lanes of one warp, of these bits in a mask, come to its barriers that are for both.
pub(crate) fn company_of_lanes(
    a: &Sequence,
    b: &Sequence,
    both: u32,
    is_behind: &dyn Fn(Origin, Origin) -> bool,
) -> Company {
    let mut ended = Company::Same;
    let texts: BTreeSet<&String> = a.order.iter().chain(&b.order).map(|(text, _)| text).collect();
    for text in texts.into_iter().filter(|text| lanes(text).is_some_and(|mask| mask & both == both))
    {
        let met = |s: &Sequence| s.order.iter().filter(|(of, _)| of == text).count();
        if met(a) == met(b) {
            continue;
        }
        let [of_a, of_b] = [a, b].map(|s| s.only(&|of| of == text));
        let (short, long) = if met(a) < met(b) { (of_a, of_b) } else { (of_b, of_a) };
        let (_, at) = long.order[short.order.len()];
        if is_past(&short, &long, is_behind) {
            return Company::Past(at);
        }
        ended = Company::Ended(at);
    }
    ended
}

/// Does a barrier say how many threads it waits for?
pub(crate) fn has_count(text: &str) -> bool {
    operands(text).is_some_and(|(_, count)| count.is_some())
}

/// How two threads of one warp come to barriers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Company {
    /// At the same ones.
    Same,
    /// They execute different instructions, these.
    Apart(Origin, Origin),
    /// The second one comes to this barrier, and the first one goes past it.
    Past(Origin),
    /// The second one comes to this barrier, which is in a loop, once more, and the first one has
    /// left that loop and ended.
    Fewer(Origin),
    /// The first one has ended when the second one comes to this barrier.
    Ended(Origin),
}

/// How two threads of one warp come to barriers of the block; the sequences have no others.
/// `is_aligned` are those that all threads of a warp must execute together (PTX ISA 9.7.13.1,
/// `barrier.sync.aligned`, which `bar.sync` is); `skipped` are those whose predicate was false, in
/// each thread; `is_behind` says of an access whether no way leads from it to a barrier.
pub(crate) fn company(
    a: &Sequence,
    b: &Sequence,
    skipped: [&BTreeSet<Origin>; 2],
    is_aligned: &dyn Fn(Origin) -> bool,
    is_behind: &dyn Fn(Origin, Origin) -> bool,
    is_in_loop: &dyn Fn(Origin) -> bool,
) -> Company {
    for (x, y) in a.order.iter().zip(&b.order) {
        if x.1 != y.1 {
            return if is_aligned(x.1) && is_aligned(y.1) {
                Company::Apart(x.1, y.1)
            } else {
                Company::Same
            };
        }
    }
    if a.order.len() > b.order.len() {
        return company(b, a, [skipped[1], skipped[0]], is_aligned, is_behind, is_in_loop);
    }
    let met = a.order.len();
    let Some((_, extra)) = b.order.get(met) else { return Company::Same };
    if !is_aligned(*extra) {
        return Company::Ended(*extra);
    }
    if is_past(a, b, is_behind) || skipped[0].contains(extra) && !skipped[1].contains(extra) {
        return Company::Past(*extra);
    }
    if is_in_loop(*extra) && a.order.iter().any(|(_, at)| at == extra) {
        return Company::Fewer(*extra);
    }
    Company::Ended(*extra)
}

/// Does the thread that comes to fewer barriers go on without the next one of the other thread? It
/// does where it executes what the other one executes only behind that barrier, or accesses memory
/// on a way of its own that does not lead there any more (`is_behind`); else it has ended there.
pub(crate) fn is_past(
    a: &Sequence,
    b: &Sequence,
    is_behind: &dyn Fn(Origin, Origin) -> bool,
) -> bool {
    let (short, long) = if a.order.len() <= b.order.len() { (a, b) } else { (b, a) };
    let met = short.order.len();
    let Some((_, next)) = long.order.get(met) else { return false };
    let earlier = |o: &Origin| long.between[..=met].iter().any(|all| all.contains(o));
    let later = |o: &Origin| long.between[met + 1..].iter().any(|all| all.contains(o));
    short.between[met].iter().any(|o| !earlier(o) && (later(o) || is_behind(*o, *next)))
}

/// Why the warps of a block do not get past their barriers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stuck {
    /// The warp, and where it waits.
    pub warp: usize,
    pub at: Origin,
    /// Do too few threads arrive, whatever the order?
    pub certain: bool,
}

/// Goes through the barriers of the warps of a block. Each arrival of a warp counts as that of 32
/// threads (PTX ISA 9.7.13.1); a warp that has ended holds nobody up at a barrier without a count.
pub(crate) fn stuck(warps: &[&[(String, Origin)]]) -> Option<Stuck> {
    let mut next = vec![0; warps.len()];
    let mut waits = vec![false; warps.len()];
    let mut arrived: BTreeMap<&str, usize> = BTreeMap::new();
    loop {
        let mut moved = false;
        for (w, order) in warps.iter().enumerate() {
            while let Some((text, _)) = order.get(next[w]).filter(|_| !waits[w]) {
                moved = true;
                let Some((barrier, count)) = operands(text) else {
                    next[w] += 1;
                    continue;
                };
                *arrived.entry(barrier).or_default() += WARP;
                waits[w] = !text.contains(".arrive");
                next[w] += usize::from(!waits[w]);
                if count.is_some_and(|count| arrived[barrier] >= count) {
                    release(warps, barrier, &mut next, &mut waits, &mut arrived);
                }
            }
        }
        if moved {
            continue;
        }
        // All that go on wait: those without a count are complete where each waits at the same one.
        let at = |w: usize| warps[w].get(next[w]).filter(|_| waits[w]);
        let standing: Vec<&(String, Origin)> = (0..warps.len()).filter_map(at).collect();
        let (text, _) = standing.first()?;
        let (barrier, _) = operands(text)?;
        let together = standing.iter().all(|(t, _)| operands(t) == Some((barrier, None)));
        if together {
            release(warps, barrier, &mut next, &mut waits, &mut arrived);
            continue;
        }
        let counted = (0..warps.len()).find_map(|w| {
            let (text, origin) = at(w)?;
            let (barrier, count) = operands(text)?;
            let all = warps
                .iter()
                .flat_map(|o| o.iter())
                .filter(|(t, _)| operands(t).is_some_and(|(b, _)| b == barrier))
                .count();
            Some(Stuck { warp: w, at: *origin, certain: all * WARP < count? })
        });
        return counted;
    }
}

fn release<'a>(
    warps: &[&'a [(String, Origin)]],
    barrier: &str,
    next: &mut [usize],
    waits: &mut [bool],
    arrived: &mut BTreeMap<&'a str, usize>,
) {
    arrived.remove(barrier);
    for (w, order) in warps.iter().enumerate().filter(|(w, _)| waits[*w]).collect::<Vec<_>>() {
        if order
            .get(next[w])
            .and_then(|(text, _)| operands(text))
            .is_some_and(|(b, _)| b == barrier)
        {
            waits[w] = false;
            next[w] += 1;
        }
    }
}

/// The barriers of a thread's code.
pub(crate) fn barriers(code: &[Line]) -> Barriers {
    let Numbered { counts, order } = match numbered(code) {
        Ok(numbered) => numbered,
        Err(origin) => return Barriers::Open(origin),
    };
    let mut between = vec![BTreeSet::new(); order.len() + 1];
    for ((piece, origin), count) in code.iter().zip(&counts) {
        let is_action = match piece {
            CodePiece::Read { .. }
            | CodePiece::Write { .. }
            | CodePiece::Mbarrier(_)
            | CodePiece::Issue(_)
            | CodePiece::Passed => true,
            CodePiece::Other(text) => text.starts_with("fence"),
            _ => false,
        };
        if let (true, Some(origin), Some(count)) = (is_action, origin, count) {
            between[*count].insert(*origin);
        }
    }
    Barriers::Fixed(Sequence { order, between })
}

/// How many barriers a thread has come to at each piece of its code; nothing where it never comes
/// there.
pub(crate) struct Numbered {
    pub counts: Vec<Option<usize>>,
    pub order: Vec<(String, Origin)>,
}

/// Counts barriers of the block and of its warps.
///
/// # Errors
/// The count depends on memory, or which barrier it is: at this barrier.
pub(crate) fn numbered(code: &[Line]) -> Result<Numbered, Option<Origin>> {
    numbered_by(code, &|piece| if let CodePiece::Barrier(text) = piece { Some(text) } else { None })
}

/// The barriers that a thread comes to, with waits at the barrier of its cluster; nothing where
/// that depends on memory.
pub(crate) fn with_waits_of_clusters(code: &[Line]) -> Option<Sequence> {
    let order = numbered_by(code, &|piece| match piece {
        CodePiece::Barrier(text) => Some(text),
        CodePiece::ClusterBarrier(text) if text.contains("wait") => Some(text),
        _ => None,
    });
    Some(Sequence { order: order.ok()?.order, between: vec![BTreeSet::new()] })
}

fn numbered_by<'a>(
    code: &'a [Line],
    meets: &dyn Fn(&'a CodePiece) -> Option<&'a String>,
) -> Result<Numbered, Option<Origin>> {
    let mut known: Vec<Option<usize>> = vec![None; code.len() + 1];
    let mut order: Vec<(String, Origin)> = Vec::new();
    let mut ends: Option<usize> = None;
    let mut todo = vec![(0usize, 0usize)];
    let target = |label: u32| {
        code.iter().position(|(p, _)| *p == CodePiece::Label(label)).unwrap_or(code.len())
    };
    let last = |count: usize, order: &[(String, Origin)]| {
        order.get(count.min(order.len().saturating_sub(1))).map(|b| b.1)
    };
    while let Some((mut at, mut count)) = todo.pop() {
        loop {
            if let Some(before) = known[at] {
                if before != count {
                    return Err(last(before.min(count), &order));
                }
                break;
            }
            known[at] = Some(count);
            let Some((piece, origin)) = code.get(at) else {
                if *ends.get_or_insert(count) != count {
                    return Err(last(count, &order));
                }
                break;
            };
            if let Some(text) = meets(piece) {
                let here = (text.clone(), origin.unwrap_or(Origin { function: 0, instruction: 0 }));
                match order.get(count) {
                    None => order.push(here),
                    Some(there) if there.0 != here.0 => return Err(Some(here.1)),
                    Some(_) => {}
                }
                count += 1;
                at += 1;
                continue;
            }
            match piece {
                CodePiece::Jump(None, to) => at = target(*to),
                CodePiece::Jump(Some(_), to) => {
                    todo.push((target(*to), count));
                    at += 1;
                }
                CodePiece::End => at = code.len(),
                // A way on which the thread stops is asked about by itself, and says nothing of
                // those on which it goes on.
                CodePiece::Other(text) if MarkKind::stops_at(text) => break,
                _ => at += 1,
            }
        }
    }
    known.truncate(code.len());
    Ok(Numbered { counts: known, order })
}
