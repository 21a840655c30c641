//! What of threads orders nothing that is asked about, and is taken out: fences, barriers, waits
//! and arrivals with nothing on one side of them, and threads that access nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::{AccessStrength, access, accesses_memory, fenced};
use crate::layout::Object;
use crate::meeting::{Numbered, instance, is_for_all, is_for_lanes, numbered};
use crate::residue::{
    CodePiece, IssueFamily, Line, MbarrierPiece, MbarrierUse, MemoryCell, is_inner, successors,
    tidy,
};

/// Takes out fences in front of every access and barrier of a thread, and behind all of them:
/// nothing is ordered by them that is asked about. (A fence of the sequentially consistent kind may
/// be the first, or the last, in the order of these.) Of two fences side by side one is enough.
pub(crate) fn without_idle_fences(code: Vec<Line>) -> Vec<Line> {
    let fence = |p: &CodePiece| matches!(p, CodePiece::Other(text) if text.starts_with("fence"));
    let acts = |p: &CodePiece| {
        matches!(p, CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_)) || accesses_memory(p)
    };
    let next = successors(&code);
    // Is there an access on some way behind a piece, and on some way in front of it?
    let (mut behind, mut front) = (vec![false; code.len() + 1], vec![false; code.len() + 1]);
    loop {
        let before = (behind.clone(), front.clone());
        for at in (0..code.len()).rev() {
            behind[at] |= next[at].iter().any(|&n| behind[n] || n < code.len() && acts(&code[n].0));
        }
        for at in 0..code.len() {
            for &n in &next[at] {
                front[n] |= front[at] || acts(&code[at].0);
            }
        }
        if before == (behind.clone(), front.clone()) {
            break;
        }
    }
    let mut last: Option<CodePiece> = None;
    let mut at = 0;
    let mut kept = code.clone();
    kept.retain(|(p, _)| {
        let here = at;
        at += 1;
        if !fence(p) {
            last = if matches!(p, CodePiece::Other(_)) { last.take() } else { None };
            return true;
        }
        let is_needed = behind[here] && front[here] && last.as_ref() != Some(p);
        if is_needed {
            last = Some(p.clone());
        }
        is_needed
    });
    kept
}

/// Takes out threads of a block, which all come to the same barriers, that access nothing. Such a
/// thread orders by its fences alone: it is needed only where no other thread of the block has one
/// as strong between the same barriers, whatever way it goes.
pub(crate) fn without_idle_threads(block: &mut Vec<(usize, Vec<Line>)>) {
    let is_idle = |code: &[Line]| {
        !code.iter().any(|(p, _)| accesses_memory(p) || p.writes().is_some_and(|to| !is_inner(to)))
    };
    let mut fences: BTreeSet<(usize, String)> = BTreeSet::new();
    for (_, code) in block.iter().filter(|(_, code)| !is_idle(code)) {
        fences.extend(certain_fences(code));
    }
    block.retain(|(_, code)| {
        if !is_idle(code) {
            return true;
        }
        let Some(own) = all_fences(code) else { return true };
        let is_new = own.iter().any(|fence| !fences.contains(fence));
        fences.extend(certain_fences(code));
        is_new
    });
}

/// Takes out threads of a block, which all come to the same barriers, that are not asked about and
/// only read. Nobody sees what such a thread does, but for what it is told by what it reads, and
/// tells at a barrier behind that: where it reads what may be a signal it stays if it comes to one.
///
/// What a lane of its warp brings to an exchange tells nothing of that kind: the lane comes to the
/// same barriers, and had come to no later one when it brought that, or the thread would wait for
/// it in front of one at which the lane waits.
pub(crate) fn without_readers(
    block: &mut Vec<(usize, Vec<Line>)>,
    is_asked: &dyn Fn(usize) -> bool,
    may_signal: &dyn Fn(MemoryCell) -> bool,
) {
    let is_reader = |code: &[Line]| {
        let (mut is_told, mut exchanges, mut meetings) = (false, BTreeSet::new(), BTreeSet::new());
        let mut meets = false;
        for (piece, _) in code {
            match piece {
                CodePiece::Read {
                    cell: MemoryCell { object: Object::Exchange(warp, mask), .. },
                    ..
                } => {
                    exchanges.insert((*warp, *mask));
                }
                CodePiece::Read { cell, .. } => {
                    is_told |= access(piece)
                        .is_some_and(|(_, strength)| strength != AccessStrength::Weak)
                        && may_signal(*cell);
                }
                CodePiece::Barrier(text) if is_for_all(text) => meets = true,
                CodePiece::Barrier(text) if instance(text).is_some() => {
                    meetings.insert(text);
                }
                // Some threads arrive at it and others wait, or it is for so many.
                CodePiece::Barrier(_) => return false,
                CodePiece::Other(text)
                    if is_for_others(text) || piece.writes().is_some_and(|to| !is_inner(to)) =>
                {
                    return false;
                }
                CodePiece::Label(_)
                | CodePiece::Jump(..)
                | CodePiece::End
                | CodePiece::Passed
                | CodePiece::Other(_) => {}
                CodePiece::Write { .. }
                | CodePiece::Mbarrier(_)
                | CodePiece::Issue(_)
                | CodePiece::Group(_)
                | CodePiece::ClusterBarrier(_) => return false,
            }
        }
        // Who comes to meetings of two kinds tells at one what it was told at the other.
        let all_come =
            |text: &&String| exchanges.iter().all(|&(warp, mask)| is_for_lanes(text, warp, mask));
        meetings.len() <= 1
            && meetings.iter().all(all_come)
            && !(is_told && (meets || !meetings.is_empty()))
    };
    block.retain(|(thread, code)| is_asked(*thread) || !is_reader(code));
}

/// Does a fence order what other threads do, by its being there? Those that are sequentially
/// consistent do, and those of proxies.
pub(crate) fn is_for_others(text: &str) -> bool {
    text.starts_with("fence.sc") || text.starts_with("fence.proxy")
}

/// The fences that are for others, each with the barriers in front of it; `None` where that is not
/// certain.
pub(crate) fn all_fences(code: &[Line]) -> Option<Vec<(usize, String)>> {
    let counts = numbered(code).ok()?.counts;
    let of = |((p, _), count): (&Line, &Option<usize>)| match (p, count) {
        (CodePiece::Other(text), Some(count)) if is_for_others(text) => {
            Some((*count, text.clone()))
        }
        _ => None,
    };
    Some(code.iter().zip(&counts).filter_map(of).collect())
}

/// Those of them that no way goes past.
pub(crate) fn certain_fences(code: &[Line]) -> Vec<(usize, String)> {
    let Ok(Numbered { counts, .. }) = numbered(code) else { return Vec::new() };
    let labels: BTreeMap<u32, usize> = code
        .iter()
        .enumerate()
        .filter_map(|(at, (p, _))| if let CodePiece::Label(l) = p { Some((*l, at)) } else { None })
        .collect();
    let mut reach = 0;
    let mut found = Vec::new();
    for (at, (piece, _)) in code.iter().enumerate() {
        match piece {
            CodePiece::Jump(_, to) => {
                reach = reach.max(labels.get(to).copied().unwrap_or(usize::MAX))
            }
            CodePiece::End => reach = usize::MAX,
            CodePiece::Other(text) if is_for_others(text) && at >= reach => {
                found.extend(counts[at].map(|count| (count, text.clone())));
            }
            _ => {}
        }
    }
    found
}

/// Of barriers with nothing between them in any thread of the block one is enough, and those in
/// front of everything, and behind everything, order nothing. All of these threads come to the same
/// barriers of the block.
pub(crate) fn without_idle_barriers(block: &mut [(usize, Vec<Line>)]) {
    let of_warp = |text: &str| text.contains(", 0, ");
    let mut counts = Vec::new();
    for (_, code) in block.iter() {
        match numbered(code) {
            Ok(numbered) if !numbered.order.iter().any(|(text, _)| of_warp(text)) => {
                counts.push(numbered.counts)
            }
            _ => return,
        }
    }
    let acts = |p: &CodePiece| {
        accesses_memory(p)
            || matches!(p, CodePiece::Other(text) if text.starts_with("fence"))
            || matches!(p, CodePiece::ClusterBarrier(_))
    };
    let mut busy: BTreeSet<usize> = BTreeSet::new();
    for ((_, code), counts) in block.iter().zip(&counts) {
        busy.extend(
            code.iter().zip(counts).filter(|((p, _), _)| acts(p)).filter_map(|(_, count)| *count),
        );
    }
    let alone = block.len() == 1;
    for ((_, code), counts) in block.iter_mut().zip(&counts) {
        let mut at = 0;
        code.retain(|(p, _)| {
            let count = counts[at];
            at += 1;
            let (CodePiece::Barrier(_), Some(count)) = (p, count) else { return true };
            // It ends a stretch in which something is done, and something is done in a later one.
            !alone && busy.contains(&count) && busy.range(count + 1..).next().is_some()
        });
        *code = tidy(std::mem::take(code));
    }
}

/// Takes out waits for groups, and fences of tensor memory, behind which a thread does nothing any
/// more, and of these fences those with nothing to order in front of them, or behind: one is told
/// of what its own thread did in tensor memory before, the other holds up what it does there next.
pub(crate) fn without_last_groups(mut code: Vec<Line>) -> Vec<Line> {
    if !code.iter().any(|(p, _)| matches!(p, CodePiece::Group(_))) {
        return code;
    }
    let acts = |p: &CodePiece| match p {
        CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_) => true,
        CodePiece::Group(_) => false,
        other => accesses_memory(other) || other.writes().is_some_and(|to| !is_inner(to)),
    };
    let is_of_tensors =
        |p: &CodePiece| matches!(p, CodePiece::Issue(issue) if issue.family().is_of_tensors());
    let next = successors(&code);
    // On some way behind a piece: does the thread do anything, and anything in tensor memory; and
    // the last on some way in front of it.
    let (mut behind, mut tensors_behind) =
        (vec![false; code.len() + 1], vec![false; code.len() + 1]);
    let mut tensors_before = vec![false; code.len() + 1];
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            for &n in &next[at] {
                let (a, t) =
                    code.get(n).map_or((false, false), |(p, _)| (acts(p), is_of_tensors(p)));
                for (flags, holds) in [(&mut behind, a), (&mut tensors_behind, t)] {
                    let is = flags[at] || flags[n] || holds;
                    changed |= std::mem::replace(&mut flags[at], is) != is;
                }
            }
        }
        for at in 0..code.len() {
            for &n in &next[at] {
                let is = tensors_before[n] || tensors_before[at] || is_of_tensors(&code[at].0);
                changed |= std::mem::replace(&mut tensors_before[n], is) != is;
            }
        }
        if !changed {
            break;
        }
    }
    let mut at = 0;
    let mut last: Option<CodePiece> = None;
    code.retain(|(p, _)| {
        at += 1;
        let here = at - 1;
        let keep = match p {
            CodePiece::Group(text) if text.starts_with("tcgen05.fence::after") => {
                tensors_behind[here]
            }
            CodePiece::Group(text) if text.starts_with("tcgen05.fence::before") => {
                behind[here] && tensors_before[here]
            }
            CodePiece::Group(_) => behind[here],
            _ => true,
        };
        let is_again = matches!(p, CodePiece::Group(text) if text.starts_with("tcgen05"))
            && last.as_ref() == Some(p);
        if keep && !matches!(p, CodePiece::Other(text) if !text.starts_with("fence")) {
            last = Some(p.clone());
        }
        keep && !is_again
    });
    code
}

/// Takes out a barrier behind which none of the threads of a block does anything: the last thing
/// that each of those does which come to it. Says whether there was one.
pub(crate) fn without_last_barriers(block: &mut [(usize, Vec<Line>)]) -> bool {
    let acts = |p: &CodePiece| match p {
        CodePiece::Barrier(_)
        | CodePiece::ClusterBarrier(_)
        | CodePiece::Label(_)
        | CodePiece::Jump(..)
        | CodePiece::End => true,
        other => accesses_memory(other) || other.writes().is_some_and(|to| !is_inner(to)),
    };
    let is_plain = |text: &str| is_for_all(text) || instance(text).is_some();
    let last = |code: &[Line]| -> Option<(usize, String)> {
        let at = code.iter().rposition(|(p, _)| acts(p))?;
        let CodePiece::Barrier(text) = &code[at].0 else { return None };
        let ends = code.iter().any(|(p, _)| *p == CodePiece::End);
        (is_plain(text) && !ends).then(|| (at, text.clone()))
    };
    let found: Vec<Option<(usize, String)>> = block.iter().map(|(_, code)| last(code)).collect();
    for text in found.iter().flatten().map(|(_, text)| text).collect::<BTreeSet<_>>() {
        let comes = |code: &[Line]| {
            code.iter().any(|(p, _)| matches!(p, CodePiece::Barrier(of) if of == text))
        };
        let is_last = |of: &Option<(usize, String)>| of.as_ref().is_some_and(|(_, of)| of == text);
        if !block.iter().zip(&found).all(|((_, code), of)| !comes(code) || is_last(of)) {
            continue;
        }
        for ((_, code), of) in block.iter_mut().zip(&found) {
            if let Some((at, _)) = of.as_ref().filter(|_| is_last(of)) {
                code.remove(*at);
            }
        }
        return true;
    }
    false
}

/// An arrival behind copies that adds itself to those that the phase waits for only holds it up
/// until these are complete: where none is left, it tells nobody anything.
pub(crate) fn without_idle_arrivals(mut code: Vec<Line>) -> Vec<Line> {
    if !code.iter().any(
        |(p, _)| matches!(p, CodePiece::Issue(issue) if issue.family() == IssueFamily::Element),
    ) {
        code.retain(|(p, _)| !matches!(p, CodePiece::Mbarrier(piece) if piece.operation == "cp.async.mbarrier.arrive"));
    }
    code
}

/// Groups of nothing are neither made nor waited for.
pub(crate) fn without_idle_groups(mut code: Vec<Line>) -> Vec<Line> {
    let families: Vec<IssueFamily> = code
        .iter()
        .filter_map(|(p, _)| match p {
            CodePiece::Issue(issue) if issue.mbarrier.is_none() => Some(issue.family()),
            _ => None,
        })
        .collect();
    code.retain(|(p, _)| match p {
        // Fences of tensor memory are for what their own thread does there.
        CodePiece::Group(text) if text.starts_with("tcgen05.fence") => {
            families.iter().any(|family| family.is_of_tensors())
        }
        CodePiece::Group(text) => families.contains(&IssueFamily::of(text)),
        _ => true,
    });
    code
}

/// Ends a thread where it only waits for mbarriers any more: nothing that is asked about follows.
pub(crate) fn without_last_waits(mut code: Vec<Line>) -> Vec<Line> {
    let is_wait = |p: &CodePiece| {
        matches!(p, CodePiece::Mbarrier(MbarrierPiece { how: MbarrierUse::Wait, .. }))
    };
    let acts = |p: &CodePiece| {
        matches!(p, CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_))
            || accesses_memory(p) && !is_wait(p)
            || p.writes().is_some_and(|to| !is_inner(to))
    };
    if !code.iter().any(|(p, _)| is_wait(p)) {
        return code;
    }
    let next = successors(&code);
    let mut behind: Vec<bool> = code.iter().map(|(p, _)| acts(p)).chain([false]).collect();
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            let more = behind[at] || next[at].iter().any(|&n| behind[n]);
            changed |= std::mem::replace(&mut behind[at], more) != more;
        }
        if !changed {
            break;
        }
    }
    for (at, (piece, _)) in code.iter_mut().enumerate() {
        if is_wait(piece) && !behind[at] {
            *piece = CodePiece::End;
        }
    }
    code
}

/// Fences of the async proxy are for bulk operations: where none is left, they order nothing.
pub(crate) fn without_idle_proxies(code: &mut [Vec<Line>]) {
    if !code.iter().flatten().any(
        |(p, _)| matches!(p, CodePiece::Issue(issue) if issue.family() != IssueFamily::Element),
    ) {
        let is_idle = |p: &CodePiece| matches!(p, CodePiece::Other(text) if text.starts_with("fence.proxy.async"));
        code.iter_mut().for_each(|code| code.retain(|(p, _)| !is_idle(p)));
    }
    // And those of tensor maps for what reads one.
    if !code
        .iter()
        .flatten()
        .any(|(p, _)| matches!(p, CodePiece::Issue(issue) if !issue.maps.is_empty()))
    {
        let is_idle = |p: &CodePiece| matches!(p, CodePiece::Other(text) if text.starts_with("fence.proxy.tensormap"));
        code.iter_mut().for_each(|code| code.retain(|(p, _)| !is_idle(p) && fenced(p).is_none()));
    }
}
