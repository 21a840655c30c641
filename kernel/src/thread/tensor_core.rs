//! `wgmma` and `tcgen05`: which memory they access, when, and what orders it. What they compute is
//! not looked at.
//!
//! A product becomes an operation for each cell that others use of what it reads and writes; these
//! complete together, as it does. An address of tensor memory is a number: the first allocation of
//! a block begins at 0. What a matrix in shared memory takes up, its descriptor says.

use std::ops::ControlFlow;

use margay_ptx::asynchronous::AddressOperand;
use margay_ptx::tensor::{MatrixOperand, ProductSize, TensorEffect, TensorShape};
use margay_ptx::{Instruction, Operand};

use super::access_size::AccessSize;
use super::copy::MAX_PARTS;
use super::tensor_map::normal;
use super::value::{Key, KnownValue, OPAQUE};
use super::{FollowedThread, State, StepEnd};
use crate::layout::Object;
use crate::residue::{CodePiece, Issue, IssueSource, MemoryCell};

/// How many columns of tensor memory a block has, and as many as apart begin what two of its warps
/// allocate.
const COLUMNS: u64 = 512;

/// How many columns addresses of tensor memory tell apart.
const PITCH: u64 = 1 << 16;

/// The most columns of 16 lanes that are told from those of the other 16.
const HALVES: u64 = 64;

/// Where in tensor memory what nobody else accesses begins.
const ASIDE: u64 = 1 << 32;

/// As many groups as a `wgmma.wait_group` leaves at most, and one (PTX ISA, wgmma.wait_group).
const MOST_GROUPS: u64 = 8;

/// What is said where an address of tensor memory is not known.
const UNKNOWN_PLACE: &str =
    "where in tensor memory it is depends on memory: what is there is not looked at";

/// A matrix in shared memory, as its descriptor has it.
#[derive(Debug, Clone, Copy)]
struct SharedMatrix {
    start: u64,
    /// The distance of two parts in the leading dimension, and in the other one.
    leading: u64,
    stride: u64,
    /// How many bytes a row of the swizzled pattern has; nothing where there is none.
    swizzle: Option<u64>,
}

impl SharedMatrix {
    /// Of 64 bits (PTX ISA 9.7.15.5.1.2.2 and 9.7.16.4.1):
    /// `matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4`.
    fn new(bits: u64, is_tcgen05: bool) -> Self {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        let swizzle = match (is_tcgen05, bits >> 61 & 7, bits >> 62) {
            (true, 1 | 2, _) | (false, _, 1) => Some(128),
            (true, 4, _) | (false, _, 2) => Some(64),
            (true, 6, _) | (false, _, 3) => Some(32),
            _ => None,
        };
        Self { start: field(0), leading: field(16), stride: field(32), swizzle }
    }

    /// How many bytes in front of its start, and how many from there, so many rows take up. Of a
    /// pattern that is swizzled whole rows are taken, of which one instruction reads a part.
    fn extent(&self, rows: u64, transposed: bool) -> (u64, u64) {
        let row = self.swizzle.unwrap_or(16);
        let groups = rows.div_ceil(8).max(1);
        let bytes = match (self.swizzle, transposed) {
            (Some(_), false) => (groups - 1) * self.stride + 8 * row,
            (None, false) => (groups - 1) * self.stride + self.leading + 8 * row,
            // Elements of two bytes, which such matrices have mostly; 16 of them in the other
            // dimension.
            (_, true) => {
                (rows * 2 / row).saturating_sub(1) * self.leading.max(self.stride)
                    + self.stride.min(self.leading)
                    + 8 * row
            }
        };
        (self.start % row, bytes)
    }
}

impl FollowedThread<'_, '_> {
    pub(super) fn tensor_core(
        &mut self,
        state: &mut State,
        effect: &TensorEffect<'_>,
    ) -> Option<StepEnd> {
        if matches!(effect, TensorEffect::Copy { .. } | TensorEffect::Multiply { .. })
            && self.is_of_two_blocks(state)
        {
            self.note(state, "`.cta_group::2`: what it accesses in the memory of the other block of the pair is not looked at");
        }
        match effect {
            TensorEffect::Allocate { to, columns } => return self.allocate(state, to, columns),
            TensorEffect::Free { at, columns } => {
                let (place, columns) =
                    (self.tensor_address(state, at)?, self.value(state, columns)?.bits());
                // It is in order with what each lane did in tensor memory, and waits for all of
                // them: the first one stands for them then.
                for of in ["ld", "st"] {
                    self.push(state, CodePiece::Group(format!("tcgen05.wait::{of}.sync.aligned")));
                }
                self.meet(state, u64::MAX);
                if !self.thread.is_multiple_of(32) {
                    return Some(StepEnd::Next);
                }
                match (place, columns) {
                    (Some((_, column)), Some(columns)) => {
                        let all = self.columns(column, columns);
                        self.tensor_issues(state, "tcgen05.dealloc", &all, true);
                    }
                    _ => self.note(state, UNKNOWN_PLACE),
                }
            }
            TensorEffect::Load { to, from, shape } => {
                self.tensor_access(state, "tcgen05.ld", from, *shape, false)?;
                for register in to {
                    let to = self.set(state, Some(*register), OPAQUE);
                    self.emit(state, format!("mov {to}, 0"));
                }
            }
            TensorEffect::Store { to, shape } => {
                self.tensor_access(state, "tcgen05.st", to, *shape, true)?
            }
            TensorEffect::Copy { to, from, columns } => {
                let from = self.value(state, from)?.bits();
                match from {
                    // A copy is of 128 rows of 32 bytes at most.
                    Some(bits) => self.matrix_in_shared(state, bits, (Some(128), false), true),
                    None => self.note(
                        state,
                        "the descriptor of a matrix in shared memory depends on memory: what is read there is not looked at",
                    ),
                }
                match self.tensor_address(state, to)? {
                    Some((_, column)) => {
                        let all = self.columns(column, *columns);
                        self.tensor_issues(state, "tcgen05.cp", &all, true);
                    }
                    None => self.note(state, UNKNOWN_PLACE),
                }
            }
            TensorEffect::Multiply { to, registers, a, b, size, adds, scales } => {
                let adds = match adds {
                    Some(adds) => self.value(state, adds)?.bits().is_none_or(|bits| bits & 1 == 1),
                    None => true,
                };
                self.multiply(state, to.as_ref(), (a, b), size, adds)?;
                for at in scales {
                    match self.tensor_address(state, at)? {
                        Some((_, column)) => {
                            let all = self.columns(column, 1);
                            self.tensor_issues(state, "tcgen05.mma", &all, false);
                        }
                        None => self.note(state, UNKNOWN_PLACE),
                    }
                }
                let depth = state.calls.len() as u16;
                for register in registers {
                    let to = self.set(state, Some(*register), OPAQUE);
                    self.emit(state, format!("mov {to}, 0"));
                    state.known.insert(Key::Pending(depth, *register), KnownValue::Bits(0));
                }
            }
            TensorEffect::Wait(loads) => {
                let of = if *loads { "ld" } else { "st" };
                self.push(state, CodePiece::Group(format!("tcgen05.wait::{of}.sync.aligned")));
            }
            TensorEffect::Fence(after) => {
                let side = if *after { "after" } else { "before" };
                self.push(state, CodePiece::Group(format!("tcgen05.fence::{side}_thread_sync")));
            }
            TensorEffect::WarpgroupFence => {
                self.push(state, CodePiece::Group("wgmma.fence.sync.aligned".to_owned()))
            }
            TensorEffect::WarpgroupCommit => {
                for (key, known) in &mut state.known {
                    if let (Key::Pending(..), KnownValue::Bits(groups)) = (key, known) {
                        *groups = (*groups + 1).min(MOST_GROUPS);
                    }
                }
                self.push(state, CodePiece::Group("wgmma.commit_group.sync.aligned".to_owned()));
            }
            TensorEffect::WarpgroupWait(left) => {
                let is_complete = |known: &KnownValue| matches!(known, KnownValue::Bits(groups) if *groups > *left);
                state
                    .known
                    .retain(|key, known| !matches!(key, Key::Pending(..)) || !is_complete(known));
                self.push(state, CodePiece::Group(format!("wgmma.wait_group.sync.aligned {left}")));
            }
        }
        Some(StepEnd::Next)
    }

    /// What an instruction does with registers of a product that nothing has waited for. A compiler
    /// copies registers wherever it likes: what is copied is waited for as well, and what is
    /// written over is not any more.
    pub(super) fn accumulators_at(&mut self, state: &mut State, instruction: &Instruction) {
        if instruction.opcode == "wgmma" {
            return;
        }
        let depth = state.calls.len() as u16;
        let of = |operand: &Operand| {
            if let Operand::Register(r) = operand { Some(Key::Pending(depth, *r)) } else { None }
        };
        if let ("mov", [to, from]) = (instruction.opcode.as_str(), instruction.operands.as_slice())
            && let Some(to) = of(to)
        {
            match of(from).and_then(|from| state.known.get(&from)).copied() {
                Some(pending) => state.known.insert(to, pending),
                None => state.known.remove(&to),
            };
            return;
        }
        let is_pending =
            |operand: &Operand| of(operand).is_some_and(|key| state.known.contains_key(&key));
        if instruction.operands.iter().flat_map(Operand::parts).any(is_pending) {
            self.note(
                state,
                "it accesses a register of a `wgmma.mma_async` before a `wgmma.wait_group` that waits for it: that is undefined (PTX ISA, \
                 wgmma.wait_group)",
            );
        }
    }

    /// Is the instruction that a thread is at one of a pair of blocks (PTX ISA 9.7.16.5)?
    fn is_of_two_blocks(&self, state: &State) -> bool {
        let body = self.prepared.module.functions[state.function].body.as_deref().unwrap_or(&[]);
        body.get(state.at)
            .is_some_and(|instruction| instruction.qualifiers.iter().any(|of| of == "cta_group::2"))
    }

    /// `tcgen05.alloc`: "the store operation in tcgen05.alloc is treated as a weak memory
    /// operation".
    fn allocate(
        &mut self,
        state: &mut State,
        to: &AddressOperand<'_>,
        columns: &Operand,
    ) -> Option<StepEnd> {
        let columns = self.value(state, columns)?.bits().unwrap_or(COLUMNS);
        let (object, offset) = match self.object_at(
            state,
            (to.window, to.base, to.offset),
            AccessSize::natural(4),
            "a place for an address",
        )? {
            ControlFlow::Continue(found) => found,
            ControlFlow::Break(step) => return Some(step),
        };
        self.tensors.starts.insert(normal((object, offset)));
        // The lanes of a warp execute it together: the first one stands for them.
        let warp = self.thread / 32;
        let before =
            self.facts.tensors.allocating.range((self.block, 0)..(self.block, warp)).count() as u64;
        let own =
            if let Some(KnownValue::Bits(n)) = state.known.get(&Key::Allocated) { *n } else { 0 };
        state.known.insert(Key::Allocated, KnownValue::Bits(own + columns));
        let allocated = self.tensors.allocating.entry((self.block, warp)).or_default();
        *allocated = (*allocated).max(own + columns);
        let address = super::constant(before * COLUMNS + own);
        let writes = self.thread.is_multiple_of(32);
        let cell = MemoryCell { object, offset, bytes: 4 };
        if writes {
            let origin = self.origin(state);
            self.written(cell, &address, origin);
            if self.cell(object, offset, 4, true, true).is_some() {
                let operation = "st.weak.u32".to_owned();
                self.push(
                    state,
                    CodePiece::Write { operation, cell, operands: address.text, idle: None },
                );
            }
        }
        Some(StepEnd::Next)
    }

    /// The lane and the column of an address of tensor memory, where it is known.
    fn tensor_address(
        &mut self,
        state: &mut State,
        at: &AddressOperand<'_>,
    ) -> Option<Option<(u64, u64)>> {
        let bits = self
            .value(state, at.base)?
            .bits()
            .map(|bits| bits.wrapping_add_signed(at.offset) & 0xffff_ffff);
        Some(bits.map(|bits| (bits >> 16, bits & 0xffff)))
    }

    /// So many columns of 32 lanes, side by side.
    fn lanes(&self, group: u64, column: u64, columns: u64) -> MemoryCell {
        MemoryCell {
            object: Object::Tensor(self.block),
            offset: (group % 4 * PITCH + column) * 8,
            bytes: columns.max(1) * 8,
        }
    }

    /// So many columns, of all lanes.
    fn columns(&self, column: u64, columns: u64) -> Vec<MemoryCell> {
        (0..4).map(|group| self.lanes(group, column, columns)).collect()
    }

    /// What threads of a warp access together.
    fn tensor_access(
        &mut self,
        state: &mut State,
        operation: &str,
        at: &AddressOperand<'_>,
        shape: TensorShape,
        writes: bool,
    ) -> Option<()> {
        let Some((lane, column)) = self.tensor_address(state, at)? else {
            self.note(state, UNKNOWN_PLACE);
            return Some(());
        };
        let half = |half: u64, column: u64| {
            let place = (lane / 32 % 4 * PITCH + column) * 2 + half;
            MemoryCell { object: Object::Tensor(self.block), offset: place * 4, bytes: 4 }
        };
        let of_half = |n: u64, from: u64| (from..from + shape.columns).map(move |c| (n, c));
        let cells: Vec<MemoryCell> = match (shape.lanes, shape.second) {
            (16, second) if shape.columns <= HALVES => {
                let first = lane / 16 % 2;
                let rest = second.into_iter().flat_map(|by| of_half(1 - first, column + by));
                of_half(first, column).chain(rest).map(|(n, c)| half(n, c)).collect()
            }
            _ => vec![self.lanes(
                lane / 32,
                column,
                shape.columns.max(shape.second.map_or(0, |by| by + shape.columns)),
            )],
        };
        self.tensor_issues(state, operation, &cells, writes);
        Some(())
    }

    /// Are the columns of a cell among those that the warps of its block allocate? They are where
    /// none of them is known to.
    fn is_allocated(&self, cell: &MemoryCell) -> bool {
        let of_block = (self.block, 0)..=(self.block, u32::MAX);
        let mut allocated = self.facts.tensors.allocating.range(of_block).peekable();
        if allocated.peek().is_none() {
            return true;
        }
        let (first, columns) = (cell.offset / 8 % PITCH, cell.bytes.div_ceil(8));
        let of_warp = allocated.nth((first / COLUMNS) as usize);
        of_warp.is_some_and(|(_, allocated)| first % COLUMNS + columns <= *allocated)
    }

    /// Operations on cells of tensor memory: one for each part that others use.
    fn tensor_issues(
        &mut self,
        state: &State,
        operation: &str,
        cells: &[MemoryCell],
        writes: bool,
    ) {
        if !cells.iter().all(|cell| self.is_allocated(cell)) {
            self.note(
                state,
                "it accesses columns of tensor memory that its block has not allocated: that is undefined (PTX ISA, Tensor Memory allocation)",
            );
        }
        for cell in cells {
            self.copies.entry(*cell).or_default().add(writes);
        }
        let pieces: Vec<MemoryCell> = cells.iter().flat_map(|cell| self.pieces(*cell)).collect();
        if pieces.len() > MAX_PARTS {
            self.note(state, "an operation on tensor memory of which others use more than 512 places: it is looked at in part");
        }
        for cell in pieces.into_iter().take(MAX_PARTS) {
            self.parts.insert(cell);
            let source = match operation {
                "tcgen05.ld" => IssueSource::Loaded(self.temporary()),
                "tcgen05.st" | "tcgen05.dealloc" => IssueSource::Value("0".to_owned()),
                // What is read beside is looked at in an operation of its own.
                _ => IssueSource::Cell(MemoryCell {
                    object: Object::Elsewhere(true, u32::MAX),
                    offset: 0,
                    bytes: 16,
                }),
            };
            // A matrix or a scale in tensor memory is read, and what is computed of it is nowhere.
            let (to, source) = match (operation, writes) {
                ("tcgen05.mma", false) => (self.nowhere(), IssueSource::Cell(cell)),
                _ => (cell, source),
            };
            let operation = operation.to_owned();
            self.push(
                state,
                CodePiece::Issue(Issue {
                    operation,
                    to,
                    source,
                    bytes: 4,
                    mbarrier: None,
                    maps: Vec::new(),
                }),
            );
        }
    }

    /// A place in tensor memory that nothing else names.
    fn nowhere(&self) -> MemoryCell {
        let number = u64::from(self.block * self.launch.threads + self.thread)
            * super::MAX_CODE as u64
            + self.size as u64;
        MemoryCell { object: Object::Tensor(self.block), offset: ASIDE + number * 4, bytes: 4 }
    }

    fn multiply(
        &mut self,
        state: &mut State,
        to: Option<&AddressOperand<'_>>,
        (a, b): (&MatrixOperand<'_>, &Operand),
        size: &ProductSize<'_>,
        adds: bool,
    ) -> Option<()> {
        let is_tcgen05 = to.is_some();
        // The instruction descriptor (PTX ISA 9.7.16.4.2): N in units of 8, M in units of 16, and
        // whether A and B are transposed.
        let (rows, columns, transposed) = match size {
            ProductSize::Known { rows, columns, transposed } => {
                (Some(*rows), Some(*columns), *transposed)
            }
            ProductSize::Descriptor(operand) => match self.value(state, operand)?.bits() {
                Some(bits) => {
                    let flag = |at: u32| bits >> at & 1 == 1;
                    (
                        Some((bits >> 24 & 0x1f) * 16),
                        Some((bits >> 17 & 0x3f) * 8),
                        [flag(15), flag(16)],
                    )
                }
                None => (None, None, [false, false]),
            },
        };
        let matrices = [(Some(a), rows, transposed[0]), (None, columns, transposed[1])];
        for (matrix, rows, transposed) in matrices {
            let descriptor = match matrix {
                Some(MatrixOperand::Registers) => continue,
                Some(MatrixOperand::Tensor(at)) => {
                    match self.tensor_address(state, at)? {
                        // 32 bytes of each row are multiplied.
                        Some((_, column)) => {
                            let all = self.columns(column, 8);
                            self.tensor_issues(state, "tcgen05.mma", &all, false);
                        }
                        None => self.note(state, UNKNOWN_PLACE),
                    }
                    continue;
                }
                Some(MatrixOperand::Shared(descriptor)) => *descriptor,
                None => b,
            };
            match self.value(state, descriptor)?.bits() {
                Some(bits) => self.matrix_in_shared(state, bits, (rows.filter(|rows| *rows > 0), transposed), is_tcgen05),
                None => self.note(
                    state,
                    "the descriptor of a matrix in shared memory depends on memory: what is read there is not looked at",
                ),
            }
        }
        let Some(to) = to else { return Some(()) };
        match (self.tensor_address(state, to)?, columns.filter(|columns| *columns > 0)) {
            (Some((_, column)), Some(columns)) => {
                self.accumulate(state, column, columns);
                let all = self.columns(column, columns);
                let operation = if adds { "tcgen05.mma.adds" } else { "tcgen05.mma" };
                self.tensor_issues(state, operation, &all, true);
            }
            (Some(_), None) => {
                self.note(state, "how large the matrices of a product are depends on memory: what it writes is not looked at")
            }
            (None, _) => self.note(state, UNKNOWN_PLACE),
        }
        Some(())
    }

    /// Products of a thread are in order where they have "same N, accumulator, shape, and kind"
    /// (PTX ISA, tcgen05: pipelined instructions). Tests know the accumulator by its place alone,
    /// so that they would order two that overlap in part.
    fn accumulate(&mut self, state: &mut State, column: u64, columns: u64) {
        let overlaps = |(key, known): (&Key, &KnownValue)| match (key, known) {
            (Key::Accumulated(other), KnownValue::Bits(others)) => {
                (*other, *others) != (column, columns)
                    && *other < column + columns
                    && column < other + others
            }
            _ => false,
        };
        if state.known.iter().any(overlaps) {
            self.note(
                state,
                "what it writes overlaps in part what another `tcgen05.mma` writes that the thread has not waited for: they are in no order, and \
                 that is not looked at",
            );
        }
        state.known.insert(Key::Accumulated(column), KnownValue::Bits(columns));
    }

    /// A matrix in shared memory is read through the async proxy.
    fn matrix_in_shared(
        &mut self,
        state: &State,
        bits: u64,
        (rows, transposed): (Option<u64>, bool),
        is_tcgen05: bool,
    ) {
        let matrix = SharedMatrix::new(bits, is_tcgen05);
        let Some((object, at, room)) = self.layout.shared_at_low_bits(matrix.start, self.block)
        else {
            self.note(
                state,
                "the descriptor of a matrix names shared memory that no variable has: what is read there is not looked at",
            );
            return;
        };
        let (before, bytes) = match rows {
            Some(rows) => matrix.extent(rows, transposed),
            None => (0, 16),
        };
        if rows.is_none() {
            self.note(
                state,
                "how large the matrices of a product are depends on memory: only the first 16 bytes of each are looked at",
            );
        }
        let start = at - before.min(at);
        let bytes = room.map_or(bytes, |room| bytes.min(room + before.min(at))).max(1);
        let whole = MemoryCell { object, offset: start, bytes };
        self.copies.entry(whole).or_default().add(false);
        let pieces = self.pieces(whole);
        if pieces.len() > MAX_PARTS {
            self.note(state, "a matrix in shared memory of which others use more than 512 places: it is looked at in part");
        }
        for cell in pieces.into_iter().take(MAX_PARTS) {
            self.parts.insert(cell);
            let (operation, to, source) = match is_tcgen05 {
                true => ("tcgen05.cp", self.nowhere(), IssueSource::Cell(cell)),
                false => ("wgmma.mma_async", cell, IssueSource::Loaded(self.temporary())),
            };
            let operation = operation.to_owned();
            self.push(
                state,
                CodePiece::Issue(Issue {
                    operation,
                    to,
                    source,
                    bytes: 16,
                    mbarrier: None,
                    maps: Vec::new(),
                }),
            );
        }
        self.suppose(
            state,
            "a product of matrices is supposed to read whole rows of the layout that the descriptor of a matrix says, of which it reads a part",
        );
    }
}
