//! Asynchronous copies: one becomes one for each cell that others use of what it writes or reads;
//! of the other bytes an mbarrier is told alone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use margay_ptx::asynchronous::AddressOperand;
use margay_ptx::effect::Update;
use margay_ptx::{Operand, ScalarKind, ScalarType};

use super::access_size::AccessSize;
use super::asynchronous::MBARRIER;
use super::value::{KnownValue, Value};
use super::{FollowedThread, State, StepEnd};
use crate::layout::Object;
use crate::residue::{CodePiece, Issue, IssueSource, MemoryCell};
use crate::spelling::{data, update_name};

/// The most cells that one copy is taken apart into.
pub(super) const MAX_PARTS: usize = 512;

/// In a copy of more cells than these one of those that are used alike stands for the others.
const MANY_PARTS: usize = 64;

/// What a copy does.
pub(super) struct CopyOperands<'a, 'i> {
    pub bulk: bool,
    pub to: &'a AddressOperand<'i>,
    pub from: &'a AddressOperand<'i>,
    pub bytes: &'i Operand,
    pub read: Option<&'i Operand>,
    pub mask: Option<&'i Operand>,
    pub ignored: Option<[&'i Operand; 2]>,
    pub reduces: Option<(Update, ScalarType)>,
    pub mbarrier: Option<&'a AddressOperand<'i>>,
    pub blocks: Option<&'i Operand>,
}

impl FollowedThread<'_, '_> {
    pub(super) fn is_predicate(&self, state: &State, operand: Option<&Operand>) -> bool {
        match operand {
            Some(Operand::Not(_)) => true,
            Some(Operand::Register(register)) => {
                self.register_type(state, *register).kind == ScalarKind::Predicate
            }
            _ => false,
        }
    }

    /// The pieces of a range into which others take it apart, as far as they share it.
    pub(super) fn pieces(&self, whole: MemoryCell) -> Vec<MemoryCell> {
        let mut cuts: BTreeSet<u64> = [whole.offset, whole.offset + whole.bytes].into();
        let first = MemoryCell { object: whole.object, offset: 0, bytes: 0 };
        let all = self.facts.cells.range(first..).take_while(|c| c.object == whole.object);
        for cell in all.filter(|c| c.overlaps(&whole)) {
            let inside = |at: &u64| (whole.offset..whole.offset + whole.bytes).contains(at);
            cuts.extend([cell.offset, cell.offset + cell.bytes].iter().filter(|at| inside(at)));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let piece = |pair: &[u64]| MemoryCell {
            object: whole.object,
            offset: pair[0],
            bytes: pair[1] - pair[0],
        };
        let is_shared = |cell: &MemoryCell| {
            (cell.offset..cell.offset + cell.bytes)
                .any(|byte| self.facts.shared.contains(&(cell.object, byte)))
        };
        cuts.windows(2).map(piece).filter(is_shared).collect()
    }

    /// The blocks that a copy goes to, each as its distance in shared memory: its own one, or those
    /// of a mask.
    pub(super) fn destinations(
        &mut self,
        state: &mut State,
        blocks: Option<&Operand>,
    ) -> Option<ControlFlow<StepEnd, Vec<Option<u32>>>> {
        let Some(blocks) = blocks else { return Some(ControlFlow::Continue(vec![None])) };
        let Some(mask) = self.value(state, blocks)?.bits() else {
            return Some(ControlFlow::Break(
                self.unknown(state, "the blocks that a copy goes to depend on memory"),
            ));
        };
        let first = self.launch.first_of_cluster(self.block);
        let all = (0..self.launch.cluster).filter(|rank| mask >> rank & 1 == 1);
        Some(ControlFlow::Continue(all.map(|rank| Some(first + rank)).collect()))
    }

    pub(super) fn copied(
        &mut self,
        state: &mut State,
        copy: &CopyOperands<'_, '_>,
    ) -> Option<StepEnd> {
        let Some(bytes) = self.value(state, copy.bytes)?.bits().map(|b| b & 0xffff_ffff) else {
            return Some(self.unknown(state, "how many bytes are copied depends on memory"));
        };
        let read = match copy.read {
            None => bytes,
            Some(read) => match self.value(state, read)?.bits() {
                Some(ignores) if self.is_predicate(state, copy.read) => {
                    if ignores == 0 {
                        bytes
                    } else {
                        0
                    }
                }
                Some(read) => (read & 0xffff_ffff).min(bytes),
                None => {
                    return Some(
                        self.unknown(state, "how many bytes are copied depends on memory"),
                    );
                }
            },
        };
        macro_rules! found {
            ($found:expr) => {
                match $found? {
                    ControlFlow::Continue(is) => is,
                    ControlFlow::Break(step) => return Some(step),
                }
            };
        }
        if bytes == 0 {
            return Some(StepEnd::Next);
        }
        let size = |of: u64| match copy.bulk {
            true => AccessSize::in_bulk(of),
            false => AccessSize { alignment: bytes, ..AccessSize::natural(of) },
        };
        if let Some(step) = self.odd_size(state, size(bytes), copy.bytes, "an asynchronous copy") {
            return Some(step);
        }
        let to = (copy.to.window, copy.to.base, copy.to.offset);
        let to = found!(self.object_at(state, to, size(bytes), "an asynchronous copy"));
        // What is ignored at the start and at the end is not read.
        let mut ends = [0, 0];
        for (end, operand) in ends.iter_mut().zip(copy.ignored.into_iter().flatten()) {
            match self.value(state, operand)?.bits() {
                Some(ignored) => *end = (ignored & 0xffff_ffff).min(bytes),
                None => {
                    return Some(
                        self.unknown(
                            state,
                            "how many bytes of a copy are ignored depends on memory",
                        ),
                    );
                }
            }
        }
        let inner = bytes.saturating_sub(ends[0] + ends[1]);
        let from = match if copy.ignored.is_some() { inner } else { read } {
            // Nothing is read: all becomes 0.
            0 => (Object::Zeros, 0),
            read => {
                let start = copy.from.offset.wrapping_add_unsigned(ends[0]);
                // The address is that of the first byte, also where it is ignored.
                let size = if ends[0] == 0 { size(read) } else { AccessSize::anywhere(read) };
                found!(self.object_at(
                    state,
                    (copy.from.window, copy.from.base, start),
                    size,
                    "an asynchronous copy"
                ))
            }
        };
        let mbarrier = match copy.mbarrier {
            Some(at) => Some(found!(self.mbarrier_cell(state, at))),
            None => None,
        };
        let destinations = found!(self.destinations(state, copy.blocks));
        if let Some(mbarrier) = mbarrier {
            self.asks_for_mbarrier(state, mbarrier, "cp.async.bulk");
        }
        let window =
            |object: Object| if matches!(object, Object::Array(_)) { "global" } else { "shared" };
        let (to_word, from_word) =
            (window(to.0), if from.0 == Object::Zeros { "global" } else { window(from.0) });
        let operation = match (copy.bulk, to_word) {
            (false, _) => "cp.async.ca.shared.global".to_owned(),
            (true, "global") => "cp.async.bulk.global.shared::cta.bulk_group".to_owned(),
            (true, _) => {
                let from = if from_word == "shared" { "shared::cta" } else { "global" };
                format!("cp.async.bulk.shared::cluster.{from}.mbarrier::complete_tx::bytes")
            }
        };
        let operation = match copy.reduces {
            Some((update, ty)) => {
                let name = update_name(update);
                format!(
                    "{}.{name}.{}",
                    operation.replacen("cp.async", "cp.reduce.async", 1),
                    data(ty)
                )
            }
            None => operation,
        };
        if let Some(mask) = copy.mask {
            let Some(mask) = self.value(state, mask)?.bits().map(|b| b & 0xffff) else {
                return Some(self.unknown(state, "which bytes are copied depends on memory"));
            };
            // As many copies as there are runs of bytes.
            let mut at = 0;
            while at < bytes {
                let is_copied = |at: u64| at < bytes && mask >> (at % 16) & 1 == 1;
                let length = (at..).take_while(|&at| is_copied(at)).count() as u64;
                if length > 0
                    && let Err(why) = self.issue(
                        state,
                        &operation,
                        ((to.0, to.1 + at), (from.0, from.1 + at)),
                        (length, length),
                        mbarrier,
                        None,
                    )
                {
                    return Some(self.unknown(state, why));
                }
                at += length.max(1);
            }
            return Some(StepEnd::Next);
        }
        for block in destinations {
            let (to, mbarrier) = match block {
                None => (to, mbarrier),
                Some(block) => (in_block(to, block), mbarrier.map(|m| in_block_cell(m, block))),
            };
            if let Some(mbarrier) = mbarrier {
                self.cell(mbarrier.object, mbarrier.offset, MBARRIER, true, true);
                self.brings(state, mbarrier, bytes);
            }
            if copy.ignored.is_some() {
                // Bytes that are ignored hold anything.
                let end = bytes - ends[1];
                for (at, length, source) in
                    [(0, ends[0], None), (ends[0], inner, Some(from)), (end, ends[1], None)]
                {
                    let (to, read) = ((to.0, to.1 + at), if source.is_some() { length } else { 0 });
                    if length == 0 {
                        continue;
                    }
                    let from = source.unwrap_or((Object::Zeros, 0));
                    if let Err(why) =
                        self.issue(state, &operation, (to, from), (length, read), mbarrier, None)
                    {
                        return Some(self.unknown(state, why));
                    }
                    if source.is_none() {
                        self.opaque.extend((to.1..to.1 + length).map(|byte| (to.0, byte)));
                    }
                }
                continue;
            }
            let width = copy.reduces.map(|(_, ty)| u64::from(ty.bits / 8));
            if let Err(why) =
                self.issue(state, &operation, (to, from), (bytes, read), mbarrier, width)
            {
                return Some(self.unknown(state, why));
            }
        }
        Some(StepEnd::Next)
    }

    /// A copy as copies of cells.
    pub(super) fn issue(
        &mut self,
        state: &State,
        operation: &str,
        (to, from): ((Object, u64), (Object, u64)),
        (bytes, read): (u64, u64),
        mbarrier: Option<MemoryCell>,
        width: Option<u64>,
    ) -> Result<(), String> {
        let range = |(object, offset): (Object, u64), bytes| MemoryCell { object, offset, bytes };
        let (whole_to, whole_from) = (range(to, bytes), range(from, read.max(1)));
        self.accesses_data(state, whole_to);
        if read > 0 {
            self.accesses_data(state, whole_from);
        }
        if !matches!(to.0, Object::Elsewhere(..)) {
            self.copies.entry(whole_to).or_default().add(true);
        }
        if from.0 != Object::Zeros {
            self.copies.entry(whole_from).or_default().add(false);
        }
        // Where others cut what is written and what is read.
        let mut cuts: BTreeSet<u64> = [0, bytes].into();
        cuts.extend(Some(read).filter(|&read| read > 0));
        for (whole, most) in [(whole_to, bytes), (whole_from, read)] {
            let first = MemoryCell { object: whole.object, offset: 0, bytes: 0 };
            let all = self.facts.cells.range(first..).take_while(|c| c.object == whole.object);
            for cell in all.filter(|c| c.overlaps(&whole)) {
                let inside = |at: u64| at.checked_sub(whole.offset).filter(|&at| at < most);
                cuts.extend(
                    [inside(cell.offset), inside(cell.offset + cell.bytes)].into_iter().flatten(),
                );
            }
        }
        if let Some(width) = width {
            cuts.extend((0..bytes.div_ceil(width)).map(|n| n * width));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        // Of places that are used alike one stands for the others, where there are many.
        let is_alike =
            |cell: &MemoryCell| cuts.len() > MANY_PARTS && self.facts.alike.contains(cell);
        let alike = |pair: &[u64]| {
            let of = |at: (Object, u64)| range((at.0, at.1 + pair[0]), pair[1] - pair[0]);
            is_alike(&of(to)) || pair[0] < read && is_alike(&of(from))
        };
        if cuts.windows(2).filter(|pair| !alike(pair)).count() > MAX_PARTS {
            return Err(format!(
                "an asynchronous copy of which others use more than {MAX_PARTS} places"
            ));
        }
        let stand_ins: Vec<bool> = cuts.windows(2).map(alike).collect();
        // Bytes that nobody else uses come as well, for whoever waits: as if they were at one
        // place.
        let mut rest: Option<(MemoryCell, MemoryCell, u64)> = None;
        for (pair, is_alike) in cuts.windows(2).zip(stand_ins) {
            let (start, length) = (pair[0], pair[1] - pair[0]);
            let to = range((to.0, to.1 + start), length);
            let from = match start < read {
                true => range((from.0, from.1 + start), length),
                // Each width has zeros of its own.
                false => MemoryCell { object: Object::Zeros, offset: length << 20, bytes: length },
            };
            let is_shared = |cell: MemoryCell| {
                (cell.offset..cell.offset + cell.bytes)
                    .any(|byte| self.facts.shared.contains(&(cell.object, byte)))
            };
            if is_alike {
                // What is there then is not known.
                self.opaque.extend(
                    (to.offset..to.offset + to.bytes)
                        .map(|b| (to.object, b))
                        .filter(|b| self.facts.shared.contains(b)),
                );
                let aside = MemoryCell {
                    object: self.elsewhere(matches!(to.object, Object::Shared(..))),
                    ..to
                };
                let source =
                    MemoryCell { object: Object::Zeros, offset: length << 20, bytes: length };
                rest =
                    Some(rest.map_or((aside, source, length), |(to, from, more)| {
                        (to, from, more + length)
                    }));
                continue;
            }
            if !is_shared(to) && !is_shared(from) {
                rest = Some(
                    rest.map_or((to, from, length), |(to, from, more)| (to, from, more + length)),
                );
                continue;
            }
            self.parts.extend([to, from].into_iter().filter(|c| c.object != Object::Zeros));
            self.values.insert(to, None);
            if self.is_opaque(from) {
                self.opaque.extend((to.offset..to.offset + to.bytes).map(|b| (to.object, b)));
            }
            let piece = Issue {
                operation: operation.to_owned(),
                to,
                source: IssueSource::Cell(from),
                bytes: length,
                mbarrier,
                maps: Vec::new(),
            };
            self.push(state, CodePiece::Issue(piece));
        }
        if let (Some((to, from, bytes)), Some(_)) = (rest, mbarrier) {
            let source = IssueSource::Cell(from);
            self.push(
                state,
                CodePiece::Issue(Issue {
                    operation: operation.to_owned(),
                    to,
                    source,
                    bytes,
                    mbarrier,
                    maps: Vec::new(),
                }),
            );
        }
        Ok(())
    }

    /// A place that nothing else names.
    pub(super) fn elsewhere(&self, in_shared: bool) -> Object {
        let number = self.block * self.launch.threads + self.thread;
        Object::Elsewhere(in_shared, number * super::MAX_CODE as u32 + self.size as u32)
    }

    /// `st.async` and `red.async`, one element after the other.
    pub(super) fn sent(
        &mut self,
        state: &mut State,
        (operation, is_reduction): (String, bool),
        to: &AddressOperand<'_>,
        ty: ScalarType,
        values: &[&Operand],
        mbarrier: &AddressOperand<'_>,
    ) -> Option<StepEnd> {
        let bytes = u64::from(ty.bits.div_ceil(8));
        let to = match self.object_at(
            state,
            (to.window, to.base, to.offset),
            AccessSize::natural(bytes * values.len() as u64),
            "an asynchronous store",
        )? {
            ControlFlow::Continue(to) => to,
            ControlFlow::Break(step) => return Some(step),
        };
        let mbarrier = match self.mbarrier_cell(state, mbarrier)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        self.asks_for_mbarrier(
            state,
            mbarrier,
            if is_reduction { "red.async" } else { "st.async" },
        );
        let values = values.iter().map(|v| self.value(state, v)).collect::<Option<Vec<Value>>>()?;
        for (n, value) in values.iter().enumerate() {
            let cell = MemoryCell { object: to.0, offset: to.1 + bytes * n as u64, bytes };
            self.accesses_data(state, cell);
            self.cell(cell.object, cell.offset, bytes, true, true);
            if matches!(value.known, KnownValue::Open { opaque: true, .. }) {
                self.opaque.extend((cell.offset..cell.offset + bytes).map(|b| (cell.object, b)));
            }
            let origin = self.origin(state);
            self.written(cell, value, origin);
            if is_reduction {
                self.values.insert(cell, None);
            }
            let source = IssueSource::Value(value.text.clone());
            let piece = Issue {
                operation: operation.clone(),
                to: cell,
                source,
                bytes,
                mbarrier: Some(mbarrier),
                maps: Vec::new(),
            };
            self.push(state, CodePiece::Issue(piece));
        }
        Some(StepEnd::Next)
    }
}

/// The same place in the shared memory of another block.
pub(super) fn in_block((object, offset): (Object, u64), block: u32) -> (Object, u64) {
    match object {
        Object::Shared(_, id) => (Object::Shared(block, id), offset),
        other => (other, offset),
    }
}

pub(super) fn in_block_cell(cell: MemoryCell, block: u32) -> MemoryCell {
    let (object, offset) = in_block((cell.object, cell.offset), block);
    MemoryCell { object, offset, ..cell }
}
