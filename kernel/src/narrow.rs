//! A race asked about with fewer mbarriers: those that stand beside the accesses in question, first. Without the others less is ordered, and who
//! would wait for them goes on: what does not race then does not race with them.

use std::collections::BTreeSet;

use crate::residue::{Line, MbarrierUse, MemoryCell, Piece, tidy};
use crate::slice::Slice;

/// The slice with the mbarriers alone that a thread waited for in front of an access to these cells, or tells of behind it, and those on which copies of
/// them complete.
/// Nothing where none would go, or where somebody does more with one of the others than to wait for it in a loop.
pub(crate) fn narrowed(slice: &Slice, is_asked: &dyn Fn(MemoryCell) -> bool) -> Option<Slice> {
    let mut near: BTreeSet<MemoryCell> = BTreeSet::new();
    let mut all: BTreeSet<MemoryCell> = BTreeSet::new();
    for code in &slice.code {
        let used = |line: &Line| if let Piece::Mbarrier(piece) = &line.0 { Some((piece.cell, piece.how)) } else { None };
        let waited = |line: &Line| used(line).filter(|(_, how)| *how == MbarrierUse::Wait).map(|(cell, _)| cell);
        for (at, (piece, _)) in code.iter().enumerate() {
            if let Piece::Mbarrier(piece) = piece {
                all.insert(piece.cell);
                near.extend(Some(piece.cell).filter(|cell| is_asked(*cell)));
            }
            if let Piece::Issue(issue) = piece {
                all.extend(issue.mbarrier);
            }
            let is_near = match piece {
                Piece::Issue(issue) => {
                    let asked = is_asked(issue.to) || issue.from().is_some_and(is_asked);
                    near.extend(issue.mbarrier.filter(|_| asked));
                    asked
                }
                Piece::Read { cell, .. } | Piece::Write { cell, .. } => is_asked(*cell),
                _ => false,
            };
            if is_near {
                // What it waited for, and what it releases.
                near.extend(code[..at].iter().rev().find_map(waited));
                near.extend(code[at..].iter().find_map(used).filter(|(_, how)| *how != MbarrierUse::Wait).map(|(cell, _)| cell));
            }
        }
    }
    if near.len() == all.len() {
        return None;
    }
    let code = slice.code.iter().map(|code| without(code, &near)).collect::<Option<Vec<_>>>()?;
    let mbarriers = slice.mbarriers.iter().filter(|(cell, _)| near.contains(cell)).map(|(cell, count)| (*cell, *count)).collect();
    Some(Slice { members: slice.members.clone(), code, mbarriers })
}

/// Code without the other mbarriers: who waits for one goes on.
fn without(code: &[Line], near: &BTreeSet<MemoryCell>) -> Option<Vec<Line>> {
    let mut found = Vec::with_capacity(code.len());
    for (at, (piece, origin)) in code.iter().enumerate() {
        match piece {
            Piece::Mbarrier(piece) if !near.contains(&piece.cell) => {
                let Some(to) = piece.to.as_ref().filter(|to| *to != "_") else { continue };
                let is_wait = piece.how == MbarrierUse::Wait;
                if is_wait && !is_in_loop(code, at) {
                    return None;
                }
                found.push((Piece::Other(format!("mov {to}, {}", u8::from(is_wait))), *origin));
            }
            Piece::Issue(issue) if issue.mbarrier.is_some_and(|m| !near.contains(&m)) => {}
            piece => found.push((piece.clone(), *origin)),
        }
    }
    Some(tidy(found))
}

/// Is a wait one of a loop that does nothing else, so that the thread goes on when the wait has passed, and not before?
fn is_in_loop(code: &[Line], at: usize) -> bool {
    let Some(head) = code[..at].iter().rposition(|(p, _)| matches!(p, Piece::Label(_))) else { return false };
    let Piece::Label(label) = code[head].0 else { return false };
    let idle = |lines: &[Line]| lines.iter().all(|(p, _)| matches!(p, Piece::Other(text) if !text.starts_with("fence")));
    let rest = &code[at + 1..];
    let Some(jump) = rest.iter().position(|(p, _)| matches!(p, Piece::Jump(..))) else { return false };
    if !idle(&code[head + 1..at]) || !idle(&rest[..jump]) {
        return false;
    }
    match (&rest[jump].0, rest.get(jump + 1)) {
        // `@!done bra again`
        (Piece::Jump(Some(_), to), _) if *to == label => true,
        // `@done bra over; bra again`
        (Piece::Jump(Some(_), _), Some((Piece::Jump(None, back), _))) => *back == label,
        _ => false,
    }
}
