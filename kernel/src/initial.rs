//! Mbarriers that are initialised before anybody uses them are there at the start of a test.
//!
//! A thread initialises an mbarrier in front of the first barrier of its block, at which all
//! threads of the block meet, and no other thread uses it before. Then everybody sees it
//! initialised: it is declared so, and a barrier with nothing else in front of it orders nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::meeting::instance;
use crate::meeting::numbered;
use crate::residue::{CodePiece, Line, MbarrierUse, MemoryCell};
use crate::slice::Slice;

/// The mbarriers of which that is so. `block` is that of a thread, `is_uniform` says of a block
/// whether all its threads come to the same barriers.
pub(crate) fn initial_mbarriers(
    code: &[Vec<Line>],
    block: &dyn Fn(usize) -> usize,
    is_uniform: &[bool],
) -> BTreeSet<MemoryCell> {
    let mut found: BTreeMap<MemoryCell, Option<usize>> = BTreeMap::new();
    for (thread, code) in code.iter().enumerate() {
        for (piece, _) in code {
            if let CodePiece::Mbarrier(piece) = piece
                && piece.how == MbarrierUse::Initialise
            {
                let is_count = piece.operands.parse::<u64>().is_ok();
                // What is initialised twice, or invalidated, stays as it is.
                found
                    .entry(piece.cell)
                    .and_modify(|known| *known = None)
                    .or_insert(is_count.then_some(thread));
            }
        }
    }
    let is_initial = |cell: MemoryCell, thread: usize| {
        let here = block(thread);
        let is_used = |code: &[Line]| code.iter().any(|(p, _)| uses(p, cell));
        let is_near = (0..code.len()).all(|t| block(t) == here || !is_used(&code[t]));
        let all = (0..code.len()).filter(|&t| block(t) == here);
        let is_ready = |t: usize| {
            if t == thread { begins(&code[t], cell) } else { is_used_late(&code[t], cell) }
        };
        is_near && is_uniform.get(here) == Some(&true) && all.into_iter().all(is_ready)
    };
    found
        .into_iter()
        .filter_map(|(cell, thread)| {
            Some(cell).filter(|_| thread.is_some_and(|t| is_initial(cell, t)))
        })
        .collect()
}

/// Takes the initialisation of these mbarriers into the initial state.
pub(crate) fn with_initial_mbarriers(
    slice: &mut Slice,
    initial: &BTreeSet<MemoryCell>,
    block: &dyn Fn(usize) -> usize,
    is_uniform: &[bool],
) {
    for code in &mut slice.code {
        code.retain(|(piece, _)| {
            let CodePiece::Mbarrier(piece) = piece else { return true };
            if piece.how != MbarrierUse::Initialise || !initial.contains(&piece.cell) {
                return true;
            }
            let Ok(count) = piece.operands.parse() else { return true };
            slice.mbarriers.insert(piece.cell, count);
            false
        });
    }
    if slice.mbarriers.is_empty() {
        return;
    }
    let blocks: BTreeSet<usize> = slice.members.iter().map(|&t| block(t)).collect();
    for here in blocks.into_iter().filter(|here| is_uniform.get(*here) == Some(&true)) {
        let members: Vec<usize> =
            (0..slice.code.len()).filter(|&t| block(slice.members[t]) == here).collect();
        if members.iter().all(|&t| first_barrier(&slice.code[t]).is_some()) {
            for t in members {
                if let Some(at) = first_barrier(&slice.code[t]) {
                    slice.code[t].drain(..=at);
                }
            }
        }
    }
}

fn uses(piece: &CodePiece, cell: MemoryCell) -> bool {
    match piece {
        CodePiece::Mbarrier(piece) => piece.cell == cell,
        CodePiece::Issue(issue) => issue.mbarrier == Some(cell),
        _ => false,
    }
}

/// How many barriers of the block a thread has come to at each piece, as far as that is certain.
pub(crate) fn counts(code: &[Line]) -> Option<Vec<Option<usize>>> {
    let numbered = numbered(code).ok()?;
    let of_block: Vec<bool> =
        numbered.order.iter().map(|(text, _)| instance(text).is_none()).collect();
    let count = |n: usize| of_block.iter().take(n).filter(|is| **is).count();
    Some(numbered.counts.into_iter().map(|n| n.map(count)).collect())
}

/// Does a thread use it behind the first barrier alone?
fn is_used_late(code: &[Line], cell: MemoryCell) -> bool {
    if !code.iter().any(|(p, _)| uses(p, cell)) {
        return true;
    }
    counts(code).is_some_and(|counts| {
        code.iter()
            .zip(&counts)
            .all(|((p, _), count)| !uses(p, cell) || count.is_none_or(|count| count > 0))
    })
}

/// Does a thread initialise it for certain, at its start, in front of the first barrier, and use it
/// behind that?
fn begins(code: &[Line], cell: MemoryCell) -> bool {
    let is_first = |(p, _): &Line| uses(p, cell);
    let Some(at) = code.iter().position(is_first) else { return false };
    let straight = !code[..at]
        .iter()
        .any(|(p, _)| matches!(p, CodePiece::Label(_) | CodePiece::Jump(..) | CodePiece::End));
    let is_init =
        matches!(&code[at].0, CodePiece::Mbarrier(piece) if piece.how == MbarrierUse::Initialise);
    let is_before = counts(code)
        .is_some_and(|counts| counts[at] == Some(0) && counts.iter().flatten().any(|&n| n > 0));
    straight && is_init && is_before
}

/// The first piece of a thread, if it is a barrier of the whole block.
fn first_barrier(code: &[Line]) -> Option<usize> {
    let idle = |p: &CodePiece| match p {
        CodePiece::Other(text) => text.starts_with("fence") && !text.starts_with("fence.sc"),
        _ => false,
    };
    let at = code.iter().position(|(p, _)| !idle(p))?;
    matches!(&code[at].0, CodePiece::Barrier(text) if !text.contains(", ") && !text.contains(".arrive")).then_some(at)
}
