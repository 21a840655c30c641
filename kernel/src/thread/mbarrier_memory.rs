//! Memory in which there is an mbarrier for a while: "mbarrier.inval invalidates the contents of
//! the mbarrier object", and its memory may be used for anything else then, or for another
//! mbarrier; while it is one no other operation may be performed on it, nor may it be initialised
//! again (PTX ISA, mbarrier).
//!
//! The mbarrier and the data are two locations then, and a third one says whether there is an
//! mbarrier. It is written where that begins and ends, by weak writes as these are, and read in
//! front of each other operation and access: what is in no order with that races with it.

use super::{FollowedThread, State};
use crate::layout::Object;
use crate::mark::MarkKind;
use crate::residue::{CodePiece, MbarrierPiece, MbarrierUse, MemoryCell};

/// How many bytes the location has that says whether there is an mbarrier.
const VALIDITY: u64 = 4;

impl FollowedThread<'_, '_> {
    /// The location of an mbarrier in shared memory.
    pub(super) fn mbarrier_at(&mut self, memory: MemoryCell) -> MemoryCell {
        self.mbarriers.cells.insert(memory);
        let cell = match memory.object {
            // What the blocks of a cluster do with each other's mbarriers is not followed so.
            Object::Shared(block, id)
                if self.launch.cluster == 1 && self.facts.mbarriers.may_not_be_there(memory) =>
            {
                MemoryCell { object: Object::Mbarrier(block, id), ..memory }
            }
            _ => memory,
        };
        self.cell(cell.object, cell.offset, cell.bytes, true, true);
        cell
    }

    /// An mbarrier has an object of its own, at the offset that it has in the shared memory of its
    /// block; any other cell is returned as it is.
    pub(super) fn mbarrier_memory(cell: MemoryCell) -> MemoryCell {
        match cell.object {
            Object::Mbarrier(block, id) => MemoryCell { object: Object::Shared(block, id), ..cell },
            _ => cell,
        }
    }

    /// Whether there is an mbarrier, by its location or its memory.
    fn validity(memory: MemoryCell) -> Option<MemoryCell> {
        let (Object::Shared(block, id) | Object::Mbarrier(block, id)) = memory.object else {
            return None;
        };
        Some(MemoryCell {
            object: Object::Validity(block, id),
            offset: memory.offset,
            bytes: VALIDITY,
        })
    }

    /// An operation on an mbarrier begins it or ends it, or asks for it.
    pub(super) fn follow_validity(&mut self, state: &State, piece: &MbarrierPiece) {
        let begins = piece.operation == "mbarrier.init";
        if piece.how == MbarrierUse::Initialise {
            let memory = Self::mbarrier_memory(piece.cell);
            if begins {
                let number = self.block * self.launch.threads + self.thread;
                let of = |n| (memory, (number, n));
                let nth = (0..).find(|&n| !self.mbarriers.beginnings.contains(&of(n))).unwrap_or(0);
                self.mbarriers.beginnings.insert(of(nth));
            } else {
                self.mbarriers.ending.insert(memory);
            }
        }
        let (Object::Mbarrier(..), Some(validity)) =
            (piece.cell.object, Self::validity(piece.cell))
        else {
            return;
        };
        if begins {
            let what =
                "`mbarrier.init` where an mbarrier is: it is invalidated first (`mbarrier.inval`)"
                    .to_owned();
            self.stop_by_validity(state, validity, "ne", what);
            if self.facts.mbarriers.begins_again(Self::mbarrier_memory(piece.cell)) {
                // There is none here. A test has no initialisation behind another one without this
                // between them.
                let operation = "mbarrier.inval".to_owned();
                self.push(
                    state,
                    CodePiece::Mbarrier(MbarrierPiece {
                        operation,
                        operands: String::new(),
                        ..piece.clone()
                    }),
                );
            }
        } else if piece.how != MbarrierUse::Wait
            || !self.prepared.is_in_loop(state.function, state.at)
        {
            self.asks_for_mbarrier(state, piece.cell, &piece.operation);
        } else {
            // Where none is a loop waits for ever, which is found.
            self.read_validity(state, validity);
        }
        if piece.how == MbarrierUse::Initialise {
            self.cell(validity.object, validity.offset, validity.bytes, true, true);
            let (operation, operands) = ("st.weak.u32".to_owned(), i64::from(begins).to_string());
            self.push(state, CodePiece::Write { operation, cell: validity, operands, idle: None });
        }
    }

    /// There must be an mbarrier.
    pub(super) fn asks_for_mbarrier(&mut self, state: &State, cell: MemoryCell, operation: &str) {
        if let (Object::Mbarrier(..), Some(validity)) = (cell.object, Self::validity(cell)) {
            let what = format!(
                "`{operation}` where no mbarrier is: it was invalidated, or not initialised yet"
            );
            self.stop_by_validity(state, validity, "eq", what);
        }
    }

    /// Bytes are accessed as data: there must be no mbarrier.
    pub(super) fn accesses_data(&mut self, state: &State, cell: MemoryCell) {
        let Object::Shared(..) = cell.object else { return };
        let facts = self.facts;
        for &memory in facts.mbarriers.cells.iter().filter(|of| of.overlaps(&cell)) {
            self.mbarriers.ending.insert(memory);
            let is_followed = self.launch.cluster == 1 && facts.mbarriers.may_not_be_there(memory);
            if let Some(validity) = Self::validity(memory).filter(|_| is_followed) {
                let what =
                    "an access to the memory of an mbarrier that is no operation on mbarriers"
                        .to_owned();
                self.stop_by_validity(state, validity, "ne", what);
            }
        }
    }

    fn read_validity(&mut self, state: &State, validity: MemoryCell) -> String {
        self.cell(validity.object, validity.offset, validity.bytes, false, true);
        let to = self.temporary();
        self.push(
            state,
            CodePiece::Read { operation: "ld.weak.u32".to_owned(), to: to.clone(), cell: validity },
        );
        to
    }

    /// The thread stops here if there is no mbarrier (`eq`), or one (`ne`).
    fn stop_by_validity(
        &mut self,
        state: &State,
        validity: MemoryCell,
        relation: &str,
        what: String,
    ) {
        let (read, is_wrong) = (self.read_validity(state, validity), self.temporary());
        self.emit(state, format!("setp.{relation}.u32 {is_wrong}, {read}, 0"));
        self.stop_if(state, is_wrong, MarkKind::Mbarrier, what);
    }
}
