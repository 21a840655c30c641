//! Slices with less in them, by which something is known of a slice.

use super::focus::SliceFocus;
use super::{Rivals, Slice, Slicer};
use crate::narrow::narrowed;
use crate::residue::{CodePiece, MbarrierPiece, MbarrierUse};

impl Slicer<'_> {
    /// The same with 0 in place of every number that is written where values decide nothing: slices
    /// that are the same then race alike.
    pub fn without_values(&self, slice: &Slice) -> Slice {
        let mut same = slice.clone();
        for (piece, _) in same.code.iter_mut().flatten() {
            if let CodePiece::Write { operation, cell, operands, .. } = piece
                && writes_a_value(operation)
                && self.places.get(cell).is_some_and(|&place| !self.relevant[place])
            {
                *operands = vec!["0"; operands.split(", ").count()].join(", ");
            }
        }
        same
    }

    /// The same with fewer mbarriers, if that is less, those with the fewest first: what does not
    /// race in one of them does not race with all.
    pub fn narrowed(&self, slice: &Slice, rivals: Rivals) -> Vec<Slice> {
        let threads = rivals.threads.map(|thread| slice.number(thread));
        narrowed(slice, threads, &|cell| self.places.get(&cell) == Some(&rivals.place))
    }

    /// The same with copies that nobody asks about as nothing but what they tell their mbarriers
    /// of, at once; nothing where there are none. What such a program does, and where it races, the
    /// one with the copies does, too: each may be complete when it is issued.
    pub fn lean(&self, slice: &Slice, rivals: Option<Rivals>) -> Option<Slice> {
        let focus = rivals.map_or(SliceFocus::Nothing, SliceFocus::Race);
        let mut lean = slice.clone();
        let mut changed = false;
        for (code, thread) in lean.code.iter_mut().zip(&slice.members) {
            for (piece, _) in code {
                let CodePiece::Issue(issue) = piece else { continue };
                let Some(cell) = issue.mbarrier.filter(|_| !self.is_asked(*thread, issue, focus))
                else {
                    continue;
                };
                let (operation, operands) =
                    ("mbarrier.complete_tx.relaxed.cluster".to_owned(), issue.bytes.to_string());
                *piece = CodePiece::Mbarrier(MbarrierPiece {
                    operation,
                    to: None,
                    cell,
                    operands,
                    how: MbarrierUse::Change,
                });
                changed = true;
            }
        }
        changed.then_some(lean)
    }
}

/// Is the operand of an operation what is written, or added? That of a fence is a size, and those
/// of a compare-and-swap say whether it writes.
fn writes_a_value(operation: &str) -> bool {
    ["st.", "red.", "atom."].iter().any(|start| operation.starts_with(start))
        && !operation.contains(".cas")
}
