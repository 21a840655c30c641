//! Data races of two widths. Accesses that overlap and are not of the same bytes are never morally
//! strong for each other (PTX ISA 8.7.1), so they race unless causality orders them; and where they
//! do, the axioms of the model do not apply (8.7.2, mixed-size data races).
//!
//! No test has accesses of two widths to one place. Which of two accesses comes first in causality
//! does not depend on what is in memory there, where that decides nothing: so each of the two has a
//! weak access beside it, to a place that stands for the bytes of both. An access that may
//! synchronise stays, in memory of its own width: it synchronises with accesses to exactly the same
//! bytes alone (8.7). Weak accesses order nothing, and go.

use std::collections::BTreeMap;

use crate::access::{AccessStrength, access, writes};
use crate::program::clean;
use crate::residue::{CodePiece, Line, MemoryCell};
use crate::slice::{Rivals, Slice, Slicer};

/// How far the place that stands for the bytes of both is from them: it is another place.
const ASIDE: u64 = 1 << 50;

/// The number of the first register that such a weak access reads into.
const BESIDE: usize = 2_000_000;

/// Two accesses of a pair of threads to a place, in two widths or in one, as a slice that has a
/// race exactly if they do.
pub(crate) struct WidthPair {
    pub slice: Slice,
    /// Are they of the same bytes?
    pub is_same: bool,
}

/// All that could race of a pair of threads at a place that is accessed in two widths; nothing
/// where its values decide which way threads go, or where asynchronous operations access it.
pub(crate) fn pairs_of_widths(
    slicer: &Slicer<'_>,
    rivals: Rivals,
    name: &dyn Fn(MemoryCell) -> String,
) -> Option<Vec<WidthPair>> {
    let Rivals { place, threads: [a, b] } = rivals;
    let whole = slicer.of(rivals);
    let of_place = |piece: &CodePiece| piece.cells().iter().any(|cell| slicer.is_at(*cell, place));
    let is_plain = |piece: &CodePiece| access(piece).is_some() || !of_place(piece);
    if slicer.is_relevant(place) || a == b || !whole.code.iter().flatten().all(|(p, _)| is_plain(p))
    {
        return None;
    }
    let (of_a, of_b) = (slicer.cells_at(place, a), slicer.cells_at(place, b));
    let mut found = Vec::new();
    for (&first, &(first_writes, first_is_weak)) in &of_a {
        for (&second, &(second_writes, second_is_weak)) in &of_b {
            let is_same = first == second;
            // Strong accesses to the same bytes are near enough, or are not: that is seen in the
            // test.
            let may_race = !is_same
                || first_is_weak
                || second_is_weak
                || slicer.is_out_of_scope(place, [a, b]);
            if first.overlaps(&second) && (first_writes || second_writes) && may_race {
                let slice = with_pair(&whole, slicer, rivals, [first, second], name);
                found.push(WidthPair { slice, is_same });
            }
        }
    }
    Some(found)
}

fn with_pair(
    whole: &Slice,
    slicer: &Slicer<'_>,
    Rivals { place, threads }: Rivals,
    [first, second]: [MemoryCell; 2],
    name: &dyn Fn(MemoryCell) -> String,
) -> Slice {
    let start = first.offset.max(second.offset);
    let end = (first.offset + first.bytes).min(second.offset + second.bytes);
    let both = MemoryCell { object: first.object, offset: start + ASIDE, bytes: end - start };
    let mut named: BTreeMap<MemoryCell, (String, i64)> = BTreeMap::new();
    let named_by_bytes = |cell: MemoryCell| {
        let base = name(first);
        let base = base.split('+').next().unwrap_or_default();
        let (start, what) =
            if cell == both { (cell.offset - ASIDE, "both") } else { (cell.offset, "bytes") };
        (clean(&format!("{base}_{what}_{start}_to_{}", start + cell.bytes - 1)), 0)
    };
    let mut slice = whole.clone();
    let mut registers = BESIDE;
    for (code, &thread) in slice.code.iter_mut().zip(&whole.members) {
        let mut kept: Vec<Line> = Vec::with_capacity(code.len());
        for (piece, origin) in code.drain(..) {
            let Some((cell, strength)) =
                access(&piece).filter(|(cell, _)| slicer.is_at(*cell, place))
            else {
                kept.push((piece, origin));
                continue;
            };
            let is_asked =
                (thread, cell) == (threads[0], first) || (thread, cell) == (threads[1], second);
            let beside = match writes(&piece, cell) {
                true => CodePiece::Write {
                    operation: "st.weak.u32".to_owned(),
                    cell: both,
                    operands: "0".to_owned(),
                    idle: None,
                },
                false => {
                    registers += 1;
                    CodePiece::Read {
                        operation: "ld.weak.u32".to_owned(),
                        to: format!("t{registers}"),
                        cell: both,
                    }
                }
            };
            let stays = strength != AccessStrength::Weak || is_asked && first == second;
            if stays {
                named.entry(cell).or_insert_with(|| named_by_bytes(cell));
                kept.push((piece, origin));
            }
            if is_asked && first != second {
                named.entry(both).or_insert_with(|| named_by_bytes(both));
                kept.push((beside, origin));
            }
        }
        *code = kept;
    }
    slice.named.extend(named);
    slice
}
