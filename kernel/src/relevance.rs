//! Where what a thread reads goes: to global memory, a branch or an address, through its registers
//! and through memory that threads of a block share.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::is_modification;
use crate::layout::Object;
use crate::program::Executed;
use crate::residue::{CodePiece, MemoryCell};
use crate::thread::ValueUses;

/// Which values matter: `[thread][position]` of the code in the trails of a launch.
pub(crate) struct ValueRelevance<'e> {
    executed: &'e Executed,
    /// Where each cell that threads of a block share is read.
    readers: BTreeMap<MemoryCell, Vec<(usize, usize)>>,
    uses: BTreeMap<(usize, usize), ValueUses>,
    cells: BTreeMap<MemoryCell, (bool, bool)>,
}

impl<'e> ValueRelevance<'e> {
    pub fn new(executed: &'e Executed) -> Self {
        let mut readers: BTreeMap<MemoryCell, Vec<(usize, usize)>> = BTreeMap::new();
        for (thread, trail) in executed.trails.iter().enumerate() {
            let Some(trail) = trail else { continue };
            for (at, (piece, _)) in trail.code.iter().enumerate() {
                let read = match piece {
                    CodePiece::Read { cell, .. } => Some(*cell),
                    CodePiece::Write { cell, .. } if is_modification(piece) => Some(*cell),
                    CodePiece::Issue(issue) => issue.from(),
                    _ => None,
                };
                if let Some(cell) =
                    read.filter(|c| matches!(c.object, Object::Shared(..) | Object::Exchange(..)))
                {
                    readers.entry(cell).or_default().push((thread, at));
                }
            }
        }
        Self { executed, readers, uses: BTreeMap::new(), cells: BTreeMap::new() }
    }

    /// Does it matter what a piece of code puts into its register, and does it decide a branch or
    /// an address?
    pub fn of_register(&mut self, thread: usize, at: usize) -> (bool, bool) {
        let Some(trail) = &self.executed.trails[thread] else { return (false, false) };
        let uses = trail.code[at]
            .0
            .writes()
            .map_or_else(ValueUses::default, |register| trail.uses(at, register));
        self.of_uses(uses)
    }

    /// The same for what a piece of code reads from memory, which it may write back.
    pub fn of_read(&mut self, thread: usize, at: usize) -> (bool, bool) {
        let uses = self.uses_of(thread, at);
        self.of_uses(uses)
    }

    fn of_uses(&mut self, uses: ValueUses) -> (bool, bool) {
        let cells = uses.cells.into_iter().map(|cell| self.of_cell(cell));
        cells.fold((uses.matters, uses.decides), |a, b| (a.0 || b.0, a.1 || b.1))
    }

    fn uses_of(&mut self, thread: usize, at: usize) -> ValueUses {
        let executed = self.executed;
        let of = || executed.trails[thread].as_ref()?.uses_of_read(at);
        self.uses.entry((thread, at)).or_insert_with(|| of().unwrap_or_default()).clone()
    }

    /// Does what is in a cell reach global memory, a branch or an address, and one of the latter?
    fn of_cell(&mut self, cell: MemoryCell) -> (bool, bool) {
        if let Some(&known) = self.cells.get(&cell) {
            return known;
        }
        let mut seen: BTreeSet<MemoryCell> = [cell].into();
        let mut todo = vec![cell];
        let (mut matters, mut decides) = (false, false);
        while let (Some(cell), false) = (todo.pop(), decides) {
            let readers: Vec<(usize, usize)> = self
                .readers
                .iter()
                .filter(|(of, _)| of.overlaps(&cell))
                .flat_map(|(_, all)| all.iter().copied())
                .collect();
            for (thread, at) in readers {
                let uses = self.uses_of(thread, at);
                matters |= uses.matters;
                decides |= uses.decides;
                todo.extend(uses.cells.into_iter().filter(|cell| seen.insert(*cell)));
            }
        }
        self.cells.insert(cell, (matters, decides));
        (matters, decides)
    }
}
