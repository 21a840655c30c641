//! A race asked about with fewer mbarriers: those that stand beside the accesses in question,
//! first. Without the others less is ordered, and who would wait for them goes on: what does not
//! race then does not race with them.

use std::collections::{BTreeMap, BTreeSet};

use crate::residue::{CodePiece, Line, MbarrierUse, MemoryCell, tidy};
use crate::slice::Slice;

/// The slice with the mbarriers alone that a thread waited for in front of an access to these
/// cells, or tells of behind it, and those on which copies of them complete; in front of it with
/// those of them, and all, that both of these threads use. None where no mbarrier would go, or
/// where somebody does more with one of the others than to wait for it in a loop.
pub(crate) fn narrowed(
    slice: &Slice,
    rivals: [Option<usize>; 2],
    is_asked: &dyn Fn(MemoryCell) -> bool,
) -> Vec<Slice> {
    let mut near: BTreeSet<MemoryCell> = BTreeSet::new();
    let mut all: BTreeSet<MemoryCell> = BTreeSet::new();
    // Those on which the copies complete that are asked about.
    let mut needed: BTreeSet<MemoryCell> = BTreeSet::new();
    for code in &slice.code {
        let used = |line: &Line| {
            if let CodePiece::Mbarrier(piece) = &line.0 {
                Some((piece.cell, piece.how))
            } else {
                None
            }
        };
        let waited = |line: &Line| {
            used(line).filter(|(_, how)| *how == MbarrierUse::Wait).map(|(cell, _)| cell)
        };
        for (at, (piece, _)) in code.iter().enumerate() {
            if let CodePiece::Mbarrier(piece) = piece {
                all.insert(piece.cell);
                near.extend(Some(piece.cell).filter(|cell| is_asked(*cell)));
            }
            if let CodePiece::Issue(issue) = piece {
                all.extend(issue.mbarrier);
            }
            let is_near = match piece {
                CodePiece::Issue(issue) => {
                    let maps = issue.maps.iter().any(|&cell| is_asked(cell));
                    let asked = maps || is_asked(issue.to) || issue.from().is_some_and(is_asked);
                    near.extend(issue.mbarrier.filter(|_| asked));
                    needed.extend(issue.mbarrier.filter(|_| asked));
                    asked
                }
                CodePiece::Read { cell, .. } | CodePiece::Write { cell, .. } => is_asked(*cell),
                _ => false,
            };
            if is_near {
                // What it waited for, and what it releases.
                near.extend(code[..at].iter().rev().find_map(waited));
                near.extend(
                    code[at..]
                        .iter()
                        .find_map(used)
                        .filter(|(_, how)| *how != MbarrierUse::Wait)
                        .map(|(cell, _)| cell),
                );
                // What a tensor core does may be told of at several mbarriers.
                if matches!(piece, CodePiece::Issue(issue) if issue.family().is_of_tensors()) {
                    let told = code[at..]
                        .iter()
                        .filter_map(used)
                        .take_while(|(_, how)| *how != MbarrierUse::Wait);
                    near.extend(told.map(|(cell, _)| cell));
                }
            }
        }
    }
    let of_thread = |thread: Option<usize>| -> BTreeSet<MemoryCell> {
        let pieces = thread.and_then(|thread| slice.code.get(thread)).into_iter().flatten();
        let named = |(p, _): &Line| match p {
            CodePiece::Mbarrier(piece) => Some(piece.cell),
            CodePiece::Issue(issue) => issue.mbarrier,
            _ => None,
        };
        pieces.filter_map(named).collect()
    };
    let [a, b] = rivals.map(of_thread);
    let common: BTreeSet<MemoryCell> = a.intersection(&b).copied().collect();
    // Where tensor memory is accessed, as many mbarriers stand beside an access as a pipeline has.
    let both: BTreeSet<MemoryCell> = common.intersection(&near).copied().collect();
    let mut sets: Vec<BTreeSet<MemoryCell>> = Vec::new();
    let has_tensors = slice
        .code
        .iter()
        .flatten()
        .any(|(p, _)| matches!(p, CodePiece::Issue(i) if i.family().is_of_tensors()));
    for mut set in if has_tensors { vec![both, common, near] } else { vec![near] } {
        set.extend(needed.iter().copied());
        if set.len() < all.len() && !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets.iter().filter_map(|near| with_some(slice, near)).collect()
}

/// The slice with these mbarriers alone.
fn with_some(slice: &Slice, near: &BTreeSet<MemoryCell>) -> Option<Slice> {
    let code = slice.code.iter().map(|code| without(code, near)).collect::<Option<Vec<_>>>()?;
    let mbarriers = slice
        .mbarriers
        .iter()
        .filter(|(cell, _)| near.contains(cell))
        .map(|(cell, count)| (*cell, *count))
        .collect();
    Some(Slice { code, mbarriers, ..slice.clone() })
}

/// Code without the other mbarriers: who waits for one goes on.
fn without(code: &[Line], near: &BTreeSet<MemoryCell>) -> Option<Vec<Line>> {
    let mut found: Vec<Line> = Vec::with_capacity(code.len());
    // Jumps of loops that wait for one of the others: taken away, or always taken.
    let mut jumps: BTreeMap<usize, Option<CodePiece>> = BTreeMap::new();
    for (at, (piece, origin)) in code.iter().enumerate() {
        if let Some(instead) = jumps.remove(&at) {
            found.extend(instead.map(|piece| (piece, *origin)));
            continue;
        }
        match piece {
            CodePiece::Mbarrier(piece) if !near.contains(&piece.cell) => {
                let Some(to) = piece.to.as_ref().filter(|to| *to != "_") else { continue };
                let is_wait = piece.how == MbarrierUse::Wait;
                if is_wait {
                    jumps.extend(ways_out(code, at)?);
                }
                found.push((CodePiece::Other(format!("mov {to}, {}", u8::from(is_wait))), *origin));
            }
            CodePiece::Issue(issue) if issue.mbarrier.is_some_and(|m| !near.contains(&m)) => {}
            piece => found.push((piece.clone(), *origin)),
        }
    }
    Some(tidy(found))
}

/// The jumps of a loop that does nothing but wait, with what they become when the wait has passed;
/// nothing where it is in no such loop.
fn ways_out(code: &[Line], at: usize) -> Option<Vec<(usize, Option<CodePiece>)>> {
    let head = code[..at].iter().rposition(|(p, _)| matches!(p, CodePiece::Label(_)))?;
    let CodePiece::Label(label) = code[head].0 else { return None };
    let idle = |lines: &[Line]| {
        lines.iter().all(|(p, _)| matches!(p, CodePiece::Other(text) if !text.starts_with("fence")))
    };
    let jump =
        at + 1 + code[at + 1..].iter().position(|(p, _)| matches!(p, CodePiece::Jump(..)))?;
    if !idle(&code[head + 1..at]) || !idle(&code[at + 1..jump]) {
        return None;
    }
    match (&code[jump].0, code.get(jump + 1)) {
        // `@!done bra again`
        (CodePiece::Jump(Some(_), to), _) if *to == label => Some(vec![(jump, None)]),
        // `@done bra over; bra again`
        (CodePiece::Jump(Some(_), over), Some((CodePiece::Jump(None, back), _)))
            if *back == label =>
        {
            Some(vec![(jump, Some(CodePiece::Jump(None, *over))), (jump + 1, None)])
        }
        _ => None,
    }
}
