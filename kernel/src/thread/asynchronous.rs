//! Mbarriers and asynchronous operations. A copy becomes one for each cell that others use of what it writes or reads; of the other bytes an
//! mbarrier is told alone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use margay_ptx::asynchronous::{AddressOperand, AsyncEffect, GroupEffect, MbarrierEffect};
use margay_ptx::effect::Update;
use margay_ptx::{Kind, Operand, ScalarType};

use super::memory::AddressPlace;
use super::value::{Key, KnownValue, OPAQUE, OPEN, Value};
use super::{MarkKind, Omission, State, Step, Thread};
use crate::layout::{Object, Target};
use crate::residue::{CodePiece, Issue, IssueSource, MbarrierPiece, MbarrierUse, MemoryCell, Origin};
use crate::spelling::{data, order_name, scope_name, update_name};

/// How many bytes an mbarrier has.
pub(crate) const MBARRIER: u64 = 8;

/// The most cells that one copy is taken apart into.
const MAX_PARTS: usize = 512;

/// As many bytes a part of a tensor has at least (PTX ISA, tensor maps: a multiple of 16 in the innermost dimension).
const BOX: u64 = 16;

/// How many bytes a tensor map has.
const MAP: u64 = 128;

/// What a copy does.
struct CopyOperands<'a, 'i> {
    bulk: bool,
    to: &'a AddressOperand<'i>,
    from: &'a AddressOperand<'i>,
    bytes: &'i Operand,
    read: Option<&'i Operand>,
    mask: Option<&'i Operand>,
    reduces: Option<(Update, ScalarType)>,
    mbarrier: Option<&'a AddressOperand<'i>>,
    blocks: Option<&'i Operand>,
}

impl Thread<'_, '_> {
    pub(super) fn asynchronous(&mut self, state: &mut State, effect: &AsyncEffect<'_>) -> Option<Step> {
        Some(match effect {
            AsyncEffect::Mbarrier(at, action) => self.mbarrier(state, at, action)?,
            AsyncEffect::PendingCount { to, token } => {
                let token = self.value(state, token)?;
                let to = self.set(state, *to, OPEN);
                self.emit(state, format!("mbarrier.pending_count {to}, {}", token.text));
                Step::Next
            }
            AsyncEffect::Copy { bulk, to, from, bytes, read, mask, reduces, mbarrier, blocks } => {
                let operands = CopyOperands {
                    bulk: *bulk,
                    to,
                    from,
                    bytes,
                    read: *read,
                    mask: *mask,
                    reduces: *reduces,
                    mbarrier: mbarrier.as_ref(),
                    blocks: *blocks,
                };
                self.copied(state, &operands)?
            }
            AsyncEffect::TensorLoad { to, mbarrier, blocks, map } => {
                let maps = match self.map(state, map)? {
                    ControlFlow::Continue(maps) => maps,
                    ControlFlow::Break(step) => return Some(step),
                };
                self.tensor(state, (to, mbarrier), *blocks, &maps)?
            }
            AsyncEffect::TensorStore { map, from } => {
                let maps = match self.map(state, map)? {
                    ControlFlow::Continue(maps) => maps,
                    ControlFlow::Break(step) => return Some(step),
                };
                let from = match self.object_at(state, (from.window, from.base, from.offset), BOX, "an asynchronous copy")? {
                    ControlFlow::Continue(from) => from,
                    ControlFlow::Break(step) => return Some(step),
                };
                self.note(state, "of what a copy of a part of a tensor reads in shared memory only the first 16 bytes are looked at: how much it is, its map says");
                let to = (self.elsewhere(false), 0);
                let operation = "cp.async.bulk.global.shared::cta.bulk_group";
                if let Err(why) = self.issue(state, operation, (to, from), (BOX, BOX), None, None) {
                    return Some(self.unknown(state, why));
                }
                let elsewhere = |object, offset| MemoryCell { object, offset, bytes: BOX };
                let (to, source) = (elsewhere(to.0, 0), IssueSource::Cell(elsewhere(self.elsewhere(true), BOX)));
                self.reads_map(
                    state,
                    &maps,
                    Issue { operation: operation.to_owned(), to, source, bytes: BOX, mbarrier: None, maps: Vec::new() },
                );
                Step::Next
            }
            AsyncEffect::SharedFence(acquires) => {
                let words =
                    if *acquires { "acquire.sync_restrict::shared::cluster" } else { "release.sync_restrict::shared::cta" };
                self.emit(state, format!("fence.{words}.cluster"));
                Step::Next
            }
            AsyncEffect::Zeros { to, bytes } => {
                let Some(bytes) = self.value(state, bytes)?.bits() else {
                    return Some(self.unknown(state, "how many bytes are written depends on memory"));
                };
                let (object, offset) = match self.object_at(state, (to.window, to.base, to.offset), bytes, "a bulk store")? {
                    ControlFlow::Continue(found) => found,
                    ControlFlow::Break(step) => return Some(step),
                };
                let whole = MemoryCell { object, offset, bytes };
                // So that its parts are known.
                self.copies.entry(whole).or_default().add(false);
                self.cell(object, offset, bytes, true, false);
                let (pieces, origin) = (self.pieces(whole), self.origin(state));
                if pieces.len() > MAX_PARTS {
                    return Some(self.unknown(state, format!("a bulk store of which others use more than {MAX_PARTS} places")));
                }
                for cell in pieces {
                    self.parts.insert(cell);
                    self.written(cell, &super::value::constant(0), origin);
                    let operation = "st.weak".to_owned();
                    self.push(state, CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None });
                }
                Step::Next
            }
            AsyncEffect::Allocate(to) => {
                let (object, offset) =
                    match self.object_at(state, (to.window, to.base, to.offset), 4, "a place for an address")? {
                        ControlFlow::Continue(found) => found,
                        ControlFlow::Break(step) => return Some(step),
                    };
                // The lanes of a warp execute it together: the first one stands for them.
                let writes = self.thread.is_multiple_of(32);
                let cell = MemoryCell { object, offset, bytes: 4 };
                self.opaque.extend((offset..offset + 4).map(|byte| (object, byte)));
                self.values.insert(cell, None);
                if writes && self.cell(object, offset, 4, true, true).is_some() {
                    let operation = "st.weak.u32".to_owned();
                    self.push(state, CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None });
                }
                Step::Next
            }
            AsyncEffect::MapReplace(map) => {
                match self.map_range(state, map)? {
                    ControlFlow::Continue(Some(whole)) => self.map_written(state, whole),
                    ControlFlow::Continue(None) => {}
                    ControlFlow::Break(step) => return Some(step),
                }
                Step::Next
            }
            AsyncEffect::MapPublish { to, from, scope } => {
                let ranges = [self.map_range(state, from)?, self.map_range(state, to)?];
                // The lanes of a warp execute it together: the first one stands for them.
                for (range, writes) in ranges.into_iter().zip([false, true]) {
                    match range {
                        ControlFlow::Break(step) => return Some(step),
                        ControlFlow::Continue(Some(whole)) if self.thread.is_multiple_of(32) => match writes {
                            true => self.map_written(state, whole),
                            false => self.map_read(state, whole),
                        },
                        ControlFlow::Continue(_) => {}
                    }
                }
                self.emit(state, format!("fence.proxy.tensormap::generic.release.{}", scope_name(*scope)));
                Step::Next
            }
            AsyncEffect::MapRelease(scope) => {
                self.emit(state, format!("fence.proxy.tensormap::generic.release.{}", scope_name(*scope)));
                Step::Next
            }
            AsyncEffect::MapAcquire(map, scope) => {
                let whole = match self.map_range(state, map)? {
                    ControlFlow::Continue(whole) => whole,
                    ControlFlow::Break(step) => return Some(step),
                };
                let operation = format!("fence.proxy.tensormap::generic.acquire.{}", scope_name(*scope));
                for cell in whole.iter().flat_map(|whole| self.pieces(*whole)).collect::<Vec<_>>() {
                    let operands = MAP.to_string();
                    self.push(state, CodePiece::Write { operation: operation.clone(), cell, operands, idle: None });
                }
                Step::Next
            }
            AsyncEffect::Store { to, ty, values, mbarrier } => {
                let words = (format!("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{}", data(*ty)), false);
                self.sent(state, words, to, *ty, values, mbarrier)?
            }
            AsyncEffect::Reduce { to, ty, update, value, mbarrier } => {
                let name = update_name(*update);
                let words =
                    format!("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{name}.{}", data(*ty));
                self.sent(state, (words, true), to, *ty, &[*value], mbarrier)?
            }
            AsyncEffect::Group { bulk, action } => {
                let of = if *bulk { "cp.async.bulk" } else { "cp.async" };
                let text = match action {
                    GroupEffect::Commit => format!("{of}.commit_group"),
                    GroupEffect::WaitAll => format!("{of}.wait_all"),
                    GroupEffect::Wait { left, reads: true } => format!("{of}.wait_group.read {left}"),
                    GroupEffect::Wait { left, .. } => format!("{of}.wait_group {left}"),
                };
                self.push(state, CodePiece::Group(text));
                Step::Next
            }
            AsyncEffect::ProxyFence(fence) => {
                self.emit(state, fence.name().to_owned());
                Step::Next
            }
            AsyncEffect::MbarrierInitFence => {
                self.emit(state, "fence.mbarrier_init.release.cluster".to_owned());
                Step::Next
            }
        })
    }

    fn is_predicate(&self, state: &State, operand: Option<&Operand>) -> bool {
        match operand {
            Some(Operand::Not(_)) => true,
            Some(Operand::Register(register)) => self.register_type(state, *register).kind == Kind::Predicate,
            _ => false,
        }
    }

    /// Where a tensor map is, if threads share it: not that of a parameter.
    fn map_range(&mut self, state: &mut State, map: &AddressOperand<'_>) -> Option<ControlFlow<Step, Option<MemoryCell>>> {
        Some(match self.place(state, map.window, map.base, map.offset, MAP)? {
            AddressPlace::At(Target::Object(object, offset)) => {
                let whole = MemoryCell { object, offset, bytes: MAP };
                // So that its parts are known.
                self.copies.entry(whole).or_default().add(false);
                ControlFlow::Continue(Some(whole))
            }
            AddressPlace::At(Target::Own(_)) => ControlFlow::Continue(None),
            AddressPlace::Outside => {
                ControlFlow::Break(self.stop(state, MarkKind::Outside, "a tensor map outside of every array"))
            }
            AddressPlace::Split => ControlFlow::Break(Step::Left),
            AddressPlace::Unknown(why) => {
                self.note(state, &format!("where a tensor map is: {why}"));
                ControlFlow::Continue(None)
            }
        })
    }

    /// What others use of a tensor map that a copy reads.
    fn map(&mut self, state: &mut State, map: &AddressOperand<'_>) -> Option<ControlFlow<Step, Vec<MemoryCell>>> {
        Some(match self.map_range(state, map)? {
            ControlFlow::Continue(whole) => {
                let maps: Vec<MemoryCell> = whole.iter().flat_map(|whole| self.pieces(*whole)).collect();
                self.parts.extend(maps.iter().copied());
                ControlFlow::Continue(maps)
            }
            ControlFlow::Break(step) => ControlFlow::Break(step),
        })
    }

    /// A change of a whole map: what is in it is not looked at.
    fn map_written(&mut self, state: &mut State, whole: MemoryCell) {
        self.cell(whole.object, whole.offset, whole.bytes, true, false);
        for cell in self.pieces(whole) {
            self.parts.insert(cell);
            self.values.insert(cell, None);
            self.opaque.extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b)));
            let operation = "st.weak".to_owned();
            self.push(state, CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None });
        }
    }

    fn map_read(&mut self, state: &mut State, whole: MemoryCell) {
        self.cell(whole.object, whole.offset, whole.bytes, false, false);
        for cell in self.pieces(whole) {
            self.parts.insert(cell);
            let to = self.temporary();
            self.push(state, CodePiece::Read { operation: "ld.weak".to_owned(), to, cell });
        }
    }

    /// The pieces of a range into which others take it apart, as far as they share it.
    fn pieces(&self, whole: MemoryCell) -> Vec<MemoryCell> {
        let mut cuts: BTreeSet<u64> = [whole.offset, whole.offset + whole.bytes].into();
        let first = MemoryCell { object: whole.object, offset: 0, bytes: 0 };
        let all = self.facts.cells.range(first..).take_while(|c| c.object == whole.object);
        for cell in all.filter(|c| c.overlaps(&whole)) {
            let inside = |at: &u64| (whole.offset..whole.offset + whole.bytes).contains(at);
            cuts.extend([cell.offset, cell.offset + cell.bytes].iter().filter(|at| inside(at)));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let piece = |pair: &[u64]| MemoryCell { object: whole.object, offset: pair[0], bytes: pair[1] - pair[0] };
        let is_shared = |cell: &MemoryCell| {
            (cell.offset..cell.offset + cell.bytes).any(|byte| self.facts.shared.contains(&(cell.object, byte)))
        };
        cuts.windows(2).map(piece).filter(is_shared).collect()
    }

    /// The operation whose parts were pushed last reads a tensor map; where nobody uses what it copies, it is this one.
    fn reads_map(&mut self, state: &State, maps: &[MemoryCell], alone: Issue) {
        if maps.is_empty() {
            return;
        }
        let origin = Some(self.origin(state));
        let is_part = |(p, of): &&mut (CodePiece, Option<Origin>)| matches!(p, CodePiece::Issue(i) if i.mbarrier == alone.mbarrier && *of == origin);
        match self.code.iter_mut().rev().take(1).find(is_part) {
            Some((CodePiece::Issue(issue), _)) => maps.clone_into(&mut issue.maps),
            _ => self.push(state, CodePiece::Issue(Issue { maps: maps.to_vec(), ..alone })),
        }
    }

    /// The cell of an mbarrier.
    fn mbarrier_cell(&mut self, state: &mut State, at: &AddressOperand<'_>) -> Option<ControlFlow<Step, MemoryCell>> {
        Some(match self.object_at(state, (at.window, at.base, at.offset), MBARRIER, "an mbarrier")? {
            ControlFlow::Break(step) => ControlFlow::Break(step),
            ControlFlow::Continue((object @ Object::Shared(..), offset)) => {
                // It is memory that threads share, whoever uses it.
                self.cell(object, offset, MBARRIER, true, true);
                ControlFlow::Continue(MemoryCell { object, offset, bytes: MBARRIER })
            }
            ControlFlow::Continue(_) => ControlFlow::Break(self.unknown(state, "an mbarrier that is not in shared memory")),
        })
    }

    fn mbarrier(&mut self, state: &mut State, at: &AddressOperand<'_>, action: &MbarrierEffect<'_>) -> Option<Step> {
        let cell = match self.mbarrier_cell(state, at)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        let remote = if matches!(cell.object, Object::Shared(block, _) if block != self.block) { ".shared::cluster" } else { "" };
        macro_rules! number {
            ($operand:expr, $what:literal) => {
                match self.value(state, $operand)?.bits() {
                    Some(bits) => bits & 0xffff_ffff,
                    None => return Some(self.unknown(state, concat!($what, " of an mbarrier depends on memory"))),
                }
            };
        }
        let mut piece =
            MbarrierPiece { operation: String::new(), to: None, cell, operands: String::new(), how: MbarrierUse::Change };
        match action {
            MbarrierEffect::Initialise { count } => {
                piece.operation = "mbarrier.init".to_owned();
                piece.operands = number!(count, "the count").to_string();
                piece.how = MbarrierUse::Initialise;
            }
            MbarrierEffect::Invalidate => {
                piece.operation = "mbarrier.inval".to_owned();
                piece.how = MbarrierUse::Initialise;
            }
            MbarrierEffect::Arrive { to, order, scope, count, bytes, drops, incomplete } => {
                let name = if *drops { "arrive_drop" } else { "arrive" };
                let expects = if bytes.is_some() { ".expect_tx" } else { "" };
                let incomplete = if *incomplete { ".noComplete" } else { "" };
                piece.operands = match (bytes, count) {
                    (Some(bytes), _) => {
                        let bytes = number!(bytes, "the bytes that are expected");
                        self.expects(state, cell, bytes);
                        bytes.to_string()
                    }
                    (_, Some(count)) => number!(count, "the count").to_string(),
                    _ => "1".to_owned(),
                };
                let word = format!("mbarrier.{name}{expects}{incomplete}.{}.{}", order_name(*order), scope_name(*scope));
                piece.operation = format!("{word}{remote}");
                piece.to = Some(match to {
                    Some(_) => self.set(state, *to, OPEN),
                    None => "_".to_owned(),
                });
            }
            MbarrierEffect::Expect { scope, bytes } => {
                let bytes = number!(bytes, "the bytes that are expected");
                self.expects(state, cell, bytes);
                piece.operation = format!("mbarrier.expect_tx.relaxed.{}{remote}", scope_name(*scope));
                piece.operands = bytes.to_string();
            }
            MbarrierEffect::Transfer { scope, bytes } => {
                piece.operation = format!("mbarrier.complete_tx.relaxed.{}{remote}", scope_name(*scope));
                piece.operands = number!(bytes, "the bytes").to_string();
            }
            MbarrierEffect::Wait { to, order, scope, phase, by_parity, suspends } => {
                let phase = self.value(state, phase)?;
                if matches!(phase.known, KnownValue::Open { opaque: true, .. }) {
                    return Some(
                        self.unknown(state, "the phase that is waited for depends on arithmetic that is not interpreted"),
                    );
                }
                let name = if *suspends { "try_wait" } else { "test_wait" };
                let parity = if *by_parity { ".parity" } else { "" };
                piece.operation = format!("mbarrier.{name}{parity}.{}.{}", order_name(*order), scope_name(*scope));
                piece.operands = match phase.bits() {
                    Some(bits) if *by_parity => (bits & 1).to_string(),
                    _ => phase.text,
                };
                piece.to = Some(self.set(state, *to, OPEN));
                piece.how = MbarrierUse::Wait;
            }
            MbarrierEffect::ArriveBehindTensors { blocks } => {
                piece.operation = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64".to_owned();
                let destinations = match self.destinations(state, *blocks)? {
                    ControlFlow::Continue(all) => all,
                    ControlFlow::Break(step) => return Some(step),
                };
                for block in destinations {
                    let cell = block.map_or(cell, |block| in_block_cell(cell, block));
                    self.cell(cell.object, cell.offset, MBARRIER, true, true);
                    self.push(state, CodePiece::Mbarrier(MbarrierPiece { cell, ..piece.clone() }));
                }
                return Some(Step::Next);
            }
            MbarrierEffect::ArriveBehindCopies { counted } => {
                piece.operation = format!("cp.async.mbarrier.arrive{}", if *counted { ".noinc" } else { "" });
            }
        }
        self.push(state, CodePiece::Mbarrier(piece));
        Some(Step::Next)
    }

    /// The thread has told an mbarrier of so many bytes, which nothing has brought yet.
    fn expects(&mut self, state: &mut State, cell: MemoryCell, bytes: u64) {
        if let Object::Shared(..) = cell.object {
            let at = self.own(Target::Object(cell.object, cell.offset));
            let key = Key::Expected(at);
            for key in [Key::First(at), Key::Nth(at), Key::Told(at)] {
                state.known.remove(&key);
            }
            let before = if let Some(KnownValue::Bits(n)) = state.known.get(&key) { *n } else { 0 };
            state.known.insert(key, KnownValue::Bits(before + bytes));
        }
    }

    /// So many bytes come.
    fn brings(&mut self, state: &mut State, cell: MemoryCell, bytes: u64) {
        let key = Key::Expected(self.own(Target::Object(cell.object, cell.offset)));
        if let Some(KnownValue::Bits(n)) = state.known.get_mut(&key) {
            *n = n.saturating_sub(bytes);
            if *n == 0 {
                state.known.remove(&key);
            }
        }
    }

    /// The blocks that a copy goes to, each as its distance in shared memory: its own one, or those of a mask.
    fn destinations(&mut self, state: &mut State, blocks: Option<&Operand>) -> Option<ControlFlow<Step, Vec<Option<u32>>>> {
        let Some(blocks) = blocks else { return Some(ControlFlow::Continue(vec![None])) };
        let Some(mask) = self.value(state, blocks)?.bits() else {
            return Some(ControlFlow::Break(self.unknown(state, "the blocks that a copy goes to depend on memory")));
        };
        let first = self.launch.first_of_cluster(self.block);
        let all = (0..self.launch.cluster).filter(|rank| mask >> rank & 1 == 1);
        Some(ControlFlow::Continue(all.map(|rank| Some(first + rank)).collect()))
    }

    fn copied(&mut self, state: &mut State, copy: &CopyOperands<'_, '_>) -> Option<Step> {
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
                None => return Some(self.unknown(state, "how many bytes are copied depends on memory")),
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
            return Some(Step::Next);
        }
        let to = found!(self.object_at(state, (copy.to.window, copy.to.base, copy.to.offset), bytes, "an asynchronous copy"));
        let from = match read {
            // Nothing is read: all becomes 0.
            0 => (Object::Zeros, 0),
            read => {
                found!(self.object_at(state, (copy.from.window, copy.from.base, copy.from.offset), read, "an asynchronous copy"))
            }
        };
        let mbarrier = match copy.mbarrier {
            Some(at) => Some(found!(self.mbarrier_cell(state, at))),
            None => None,
        };
        let destinations = found!(self.destinations(state, copy.blocks));
        let window = |object: Object| if matches!(object, Object::Array(_)) { "global" } else { "shared" };
        let (to_word, from_word) = (window(to.0), if from.0 == Object::Zeros { "global" } else { window(from.0) });
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
                format!("{}.{name}.{}", operation.replacen("cp.async", "cp.reduce.async", 1), data(ty))
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
            return Some(Step::Next);
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
            let width = copy.reduces.map(|(_, ty)| u64::from(ty.bits / 8));
            if let Err(why) = self.issue(state, &operation, (to, from), (bytes, read), mbarrier, width) {
                return Some(self.unknown(state, why));
            }
        }
        Some(Step::Next)
    }

    /// A copy as copies of cells.
    fn issue(
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
                cuts.extend([inside(cell.offset), inside(cell.offset + cell.bytes)].into_iter().flatten());
            }
        }
        if let Some(width) = width {
            cuts.extend((0..bytes.div_ceil(width)).map(|n| n * width));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        if cuts.len() > MAX_PARTS {
            return Err(format!("an asynchronous copy of which others use more than {MAX_PARTS} places"));
        }
        // Bytes that nobody else uses come as well, for whoever waits: as if they were at one place.
        let mut rest: Option<(MemoryCell, MemoryCell, u64)> = None;
        for pair in cuts.windows(2) {
            let (start, length) = (pair[0], pair[1] - pair[0]);
            let to = range((to.0, to.1 + start), length);
            let from = match start < read {
                true => range((from.0, from.1 + start), length),
                // Each width has zeros of its own.
                false => MemoryCell { object: Object::Zeros, offset: length << 20, bytes: length },
            };
            let is_shared = |cell: MemoryCell| {
                (cell.offset..cell.offset + cell.bytes).any(|byte| self.facts.shared.contains(&(cell.object, byte)))
            };
            if !is_shared(to) && !is_shared(from) {
                rest = Some(rest.map_or((to, from, length), |(to, from, more)| (to, from, more + length)));
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
                CodePiece::Issue(Issue { operation: operation.to_owned(), to, source, bytes, mbarrier, maps: Vec::new() }),
            );
        }
        Ok(())
    }

    /// A copy of a part of a tensor into shared memory: of as many bytes as its mbarrier was told of, from memory that nobody writes.
    fn tensor(
        &mut self,
        state: &mut State,
        (to, mbarrier): (&AddressOperand<'_>, &AddressOperand<'_>),
        blocks: Option<&Operand>,
        maps: &[MemoryCell],
    ) -> Option<Step> {
        let cell = match self.mbarrier_cell(state, mbarrier)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        let destinations = match self.destinations(state, blocks)? {
            ControlFlow::Continue(all) => all,
            ControlFlow::Break(step) => return Some(step),
        };
        let at = self.own(Target::Object(cell.object, cell.offset));
        let left = |state: &State, key: Key| if let Some(KnownValue::Bits(n)) = state.known.get(&key) { Some(*n) } else { None };
        let (expected, first) = (left(state, Key::Expected(at)), left(state, Key::First(at)));
        let origin = self.origin(state);
        let number = (origin.function as u64) << 32 | origin.instruction as u64;
        let group = first.map_or(origin, |n| Origin { function: (n >> 32) as usize, instruction: n as u32 as usize });
        if first.is_none() {
            let Some(expected) = expected else {
                let why = "a copy of a part of a tensor, of which the thread has not told its mbarrier how many bytes it brings";
                return Some(self.unknown(state, why));
            };
            let told = [(Key::First(at), number), (Key::Nth(at), 0), (Key::Told(at), expected)];
            state.known.extend(told.map(|(key, n)| (key, KnownValue::Bits(n))));
        }
        let (nth, told) = (left(state, Key::Nth(at)).unwrap_or(0) as usize, left(state, Key::Told(at)).unwrap_or(0));
        state.known.insert(Key::Nth(at), KnownValue::Bits(nth as u64 + 1));
        let (window, base, offset) = (to.window, to.base, to.offset);
        let to = match self.object_at(state, (window, base, offset), BOX, "an asynchronous copy")? {
            ControlFlow::Continue(to) => to,
            ControlFlow::Break(step) => return Some(step),
        };
        // Several copies may share what the mbarrier was told of: which they are is learnt, and used in the next round.
        let places = self.loads.entry(group).or_default();
        places.resize_with(places.len().max(nth + 1), BTreeSet::new);
        places[nth].insert(match to.0 {
            Object::Shared(_, id) => (Object::Shared(0, id), to.1),
            _ => to,
        });
        let sharing = self.facts.loads.get(&group).filter(|places| places.len() > 1);
        let sizes = sharing.and_then(|places| shares(told, places, &|object| self.layout.extent(object).1));
        let count = sharing.map_or(1, Vec::len) as u64;
        let (bytes, rest) = match (&sizes, sharing) {
            (Some(sizes), _) => (sizes.get(nth).copied().unwrap_or(BOX), 0),
            (None, None) if nth == 0 => (told, 0),
            (None, _) if told < BOX * count => {
                return Some(self.unknown(state, "copies of parts of a tensor that bring more than their mbarrier was told of"));
            }
            (None, _) if nth == 0 => (BOX, told - BOX * count),
            (None, _) => (BOX, 0),
        };
        match (&sizes, sharing.is_some() || nth > 0) {
            (None, true) => self.note(
                state,
                "several copies of parts of tensors share what their mbarrier was told of: only the first 16 bytes of each are looked at",
            ),
            (Some(_), _) => self.suppose(
                state,
                "copies of parts of tensors that share what their mbarrier was told of are supposed to bring all of it, side by side",
            ),
            (None, false) => self.suppose(
                state,
                "a copy of a part of a tensor is supposed to bring all bytes that its mbarrier was told of, one behind the other",
            ),
        }
        let to = match self.object_at(state, (window, base, offset), bytes, "an asynchronous copy")? {
            ControlFlow::Continue(to) => to,
            ControlFlow::Break(step) => return Some(step),
        };
        let operation = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
        for block in destinations {
            let (to, cell) = match block {
                None => (to, cell),
                Some(block) => (in_block(to, block), in_block_cell(cell, block)),
            };
            self.brings(state, cell, bytes + rest);
            if let Err(why) = self.issue(state, operation, (to, (Object::Zeros, 0)), (bytes, 0), Some(cell), None) {
                return Some(self.unknown(state, why));
            }
            if rest > 0 {
                let to = MemoryCell { object: self.elsewhere(true), offset: 0, bytes: rest };
                let source = IssueSource::Cell(MemoryCell { object: Object::Zeros, offset: rest << 20, bytes: rest });
                let (operation, mbarrier) = (operation.to_owned(), Some(cell));
                self.push(state, CodePiece::Issue(Issue { operation, to, source, bytes: rest, mbarrier, maps: Vec::new() }));
            }
            // The parts of it are of one mbarrier, and bytes come in each: the last one stands for its end.
            let (whole, source, operation) =
                (MemoryCell { object: to.0, offset: to.1, bytes }, zeros(bytes), operation.to_owned());
            let (mbarrier, no_maps) = (Some(cell), Vec::new());
            self.reads_map(state, maps, Issue { operation, to: whole, source, bytes, mbarrier, maps: no_maps });
            self.opaque.extend((to.1..to.1 + bytes).map(|b| (to.0, b)).filter(|byte| self.facts.shared.contains(byte)));
        }
        Some(Step::Next)
    }

    /// A place that nothing else names.
    fn elsewhere(&self, in_shared: bool) -> Object {
        let number = self.block * self.launch.threads + self.thread;
        Object::Elsewhere(in_shared, number * super::MAX_CODE as u32 + self.size as u32)
    }

    /// Something is supposed of the kernel that leaves nothing open.
    fn suppose(&mut self, state: &State, why: &str) {
        let supposed = Omission { origin: Some(self.origin(state)), why: why.to_owned(), guessed: false };
        if !self.suppositions.contains(&supposed) {
            self.suppositions.push(supposed);
        }
    }

    /// `st.async` and `red.async`, one element after the other.
    fn sent(
        &mut self,
        state: &mut State,
        (operation, is_reduction): (String, bool),
        to: &AddressOperand<'_>,
        ty: ScalarType,
        values: &[&Operand],
        mbarrier: &AddressOperand<'_>,
    ) -> Option<Step> {
        let bytes = u64::from(ty.bits.div_ceil(8));
        let to =
            match self.object_at(state, (to.window, to.base, to.offset), bytes * values.len() as u64, "an asynchronous store")? {
                ControlFlow::Continue(to) => to,
                ControlFlow::Break(step) => return Some(step),
            };
        let mbarrier = match self.mbarrier_cell(state, mbarrier)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        let values = values.iter().map(|v| self.value(state, v)).collect::<Option<Vec<Value>>>()?;
        for (n, value) in values.iter().enumerate() {
            let cell = MemoryCell { object: to.0, offset: to.1 + bytes * n as u64, bytes };
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
            let piece =
                Issue { operation: operation.clone(), to: cell, source, bytes, mbarrier: Some(mbarrier), maps: Vec::new() };
            self.push(state, CodePiece::Issue(piece));
        }
        Some(Step::Next)
    }

    /// What a wait without an order, or a fence, is for: the order of what an instruction that is not looked at leaves.
    pub(super) fn unseen(&mut self, state: &mut State, why: &'static str, to: &[margay_ptx::RegisterId]) -> Step {
        self.note(state, why);
        for register in to {
            let to = self.set(state, Some(*register), OPAQUE);
            self.emit(state, format!("mov {to}, 0"));
        }
        Step::Next
    }
}

/// How many bytes each of several copies by tensor maps brings that share so many, by where each of them goes to in the rounds of a pipeline: side by
/// side. Nothing where that is not certain.
fn shares(told: u64, places: &[BTreeSet<(Object, u64)>], extent: &dyn Fn(Object) -> Option<u64>) -> Option<Vec<u64>> {
    let all: BTreeSet<(Object, u64)> = places.iter().flatten().copied().collect();
    let fits = |sizes: &Vec<u64>| {
        let is_whole = sizes.iter().sum::<u64>() == told && sizes.iter().all(|&size| size >= BOX && size % BOX == 0);
        let mut ends =
            places.iter().zip(sizes).flat_map(|(of, size)| of.iter().map(move |&(object, at)| (object, at, at + size)));
        is_whole && ends.all(|(object, at, end)| !all.iter().any(|&(o, other)| o == object && at < other && other < end))
    };
    // The distance of two stages.
    let strides = |of: &BTreeSet<(Object, u64)>| {
        let next = of.iter().zip(of.iter().skip(1));
        next.filter(|((o, _), (p, _))| o == p).map(|((_, a), (_, b))| b - a).min()
    };
    // The distance to whatever comes next in memory, or the end of the variable.
    let gap = |of: &BTreeSet<(Object, u64)>| {
        let &(object, at) = of.first()?;
        let next = all.iter().find(|&&(o, other)| o == object && other > at).map(|&(_, other)| other);
        next.or_else(|| extent(object))?.checked_sub(at)
    };
    let by_stride: Option<Vec<u64>> = places.iter().map(strides).collect();
    let by_gap: Vec<Option<u64>> = places.iter().map(gap).collect();
    // The one with nothing behind it brings what is left.
    let last = places.iter().enumerate().filter_map(|(n, of)| Some((*of.first()?, n))).max().map(|(_, n)| n)?;
    let others: Option<u64> = by_gap.iter().enumerate().filter(|(n, _)| *n != last).map(|(_, size)| *size).sum();
    let left = others.and_then(|others| told.checked_sub(others));
    let with_rest: Option<Vec<u64>> = by_gap.iter().enumerate().map(|(n, size)| if n == last { left } else { *size }).collect();
    let whole: Option<Vec<u64>> = by_gap.into_iter().collect();
    [by_stride, whole, with_rest].into_iter().flatten().find(fits)
}

/// So many bytes that nobody writes.
fn zeros(bytes: u64) -> IssueSource {
    IssueSource::Cell(MemoryCell { object: Object::Zeros, offset: bytes << 20, bytes })
}

/// The same place in the shared memory of another block.
fn in_block((object, offset): (Object, u64), block: u32) -> (Object, u64) {
    match object {
        Object::Shared(_, id) => (Object::Shared(block, id), offset),
        other => (other, offset),
    }
}

fn in_block_cell(cell: MemoryCell, block: u32) -> MemoryCell {
    let (object, offset) = in_block((cell.object, cell.offset), block);
    MemoryCell { object, offset, ..cell }
}
