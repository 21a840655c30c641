//! Mbarriers, groups and fences of asynchronous operations.

use std::ops::ControlFlow;

use margay_ptx::asynchronous::{AddressOperand, AsyncEffect, GroupEffect, MbarrierEffect};

use super::access_size::AccessSize;
use super::copy::{CopyOperands, MAX_PARTS, in_block_cell};
use super::tensor_map::{MAP, normal};
use super::value::{Key, KnownValue, OPAQUE, OPEN};
use super::{FollowedThread, State, StepEnd};
use crate::layout::{Object, Target};
use crate::residue::{CodePiece, MbarrierPiece, MbarrierUse, MemoryCell, Origin};
use crate::spelling::{data, order_name, scope_name, update_name};

/// How many bytes an mbarrier has.
pub(crate) const MBARRIER: u64 = 8;

impl FollowedThread<'_, '_> {
    pub(super) fn asynchronous(
        &mut self,
        state: &mut State,
        effect: &AsyncEffect<'_>,
    ) -> Option<StepEnd> {
        Some(match effect {
            AsyncEffect::Mbarrier(at, action) => self.mbarrier(state, at, action)?,
            AsyncEffect::PendingCount { to, token } => {
                let token = self.value(state, token)?;
                let to = self.set(state, *to, OPEN);
                self.emit(state, format!("mbarrier.pending_count {to}, {}", token.text));
                StepEnd::Next
            }
            AsyncEffect::Copy {
                bulk,
                to,
                from,
                bytes,
                read,
                mask,
                ignored,
                reduces,
                mbarrier,
                blocks,
            } => {
                let operands = CopyOperands {
                    bulk: *bulk,
                    to,
                    from,
                    bytes,
                    read: *read,
                    mask: *mask,
                    ignored: *ignored,
                    reduces: *reduces,
                    mbarrier: mbarrier.as_ref(),
                    blocks: *blocks,
                };
                self.copied(state, &operands)?
            }
            AsyncEffect::TensorLoad { to, mbarrier, blocks, map, at } => {
                self.tensor_load(state, (to, mbarrier), *blocks, (map, at.as_deref()))?
            }
            AsyncEffect::TensorStore { map, at, from, reduces } => {
                self.tensor_store(state, (map, at.as_deref()), from, *reduces)?
            }
            AsyncEffect::SharedFence(acquires) => {
                let words = if *acquires {
                    "acquire.sync_restrict::shared::cluster"
                } else {
                    "release.sync_restrict::shared::cta"
                };
                self.emit(state, format!("fence.{words}.cluster"));
                StepEnd::Next
            }
            AsyncEffect::Zeros { to, bytes } => {
                let operand = *bytes;
                let Some(bytes) = self.value(state, operand)?.bits() else {
                    return Some(
                        self.unknown(state, "how many bytes are written depends on memory"),
                    );
                };
                let size = AccessSize::of_zeros(bytes);
                if let Some(step) = self.odd_size(state, size, operand, "a bulk store") {
                    return Some(step);
                }
                let (object, offset) = match self.object_at(
                    state,
                    (to.window, to.base, to.offset),
                    size,
                    "a bulk store",
                )? {
                    ControlFlow::Continue(found) => found,
                    ControlFlow::Break(step) => return Some(step),
                };
                let whole = MemoryCell { object, offset, bytes };
                // So that its parts are known.
                self.copies.entry(whole).or_default().add(false);
                self.accesses_data(state, whole);
                self.cell(object, offset, bytes, true, false);
                let (pieces, origin) = (self.pieces(whole), self.origin(state));
                if pieces.len() > MAX_PARTS {
                    return Some(self.unknown(
                        state,
                        format!("a bulk store of which others use more than {MAX_PARTS} places"),
                    ));
                }
                for cell in pieces {
                    self.parts.insert(cell);
                    self.written(cell, &super::value::constant(0), origin);
                    let operation = "st.weak".to_owned();
                    self.push(
                        state,
                        CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None },
                    );
                }
                StepEnd::Next
            }
            AsyncEffect::MapReplace(map) => {
                match self.map_range(state, map)? {
                    ControlFlow::Continue(Some(whole)) => self.map_written(state, whole),
                    ControlFlow::Continue(None) => {}
                    ControlFlow::Break(step) => return Some(step),
                }
                StepEnd::Next
            }
            AsyncEffect::MapPublish { to, from, scope } => {
                let ranges = [self.map_range(state, from)?, self.map_range(state, to)?];
                // The lanes of a warp execute it together: the first one stands for them.
                for (range, writes) in ranges.into_iter().zip([false, true]) {
                    match range {
                        ControlFlow::Break(step) => return Some(step),
                        ControlFlow::Continue(Some(whole)) if self.thread.is_multiple_of(32) => {
                            match writes {
                                true => self.map_written(state, whole),
                                false => self.map_read(state, whole),
                            }
                        }
                        ControlFlow::Continue(_) => {}
                    }
                }
                self.emit(
                    state,
                    format!("fence.proxy.tensormap::generic.release.{}", scope_name(*scope)),
                );
                StepEnd::Next
            }
            AsyncEffect::MapRelease(scope) => {
                self.emit(
                    state,
                    format!("fence.proxy.tensormap::generic.release.{}", scope_name(*scope)),
                );
                StepEnd::Next
            }
            AsyncEffect::MapAcquire(map, scope) => {
                let whole = match self.map_range(state, map)? {
                    ControlFlow::Continue(whole) => whole,
                    ControlFlow::Break(step) => return Some(step),
                };
                let operation =
                    format!("fence.proxy.tensormap::generic.acquire.{}", scope_name(*scope));
                for cell in whole.iter().flat_map(|whole| self.pieces(*whole)).collect::<Vec<_>>() {
                    let operands = MAP.to_string();
                    self.push(
                        state,
                        CodePiece::Write {
                            operation: operation.clone(),
                            cell,
                            operands,
                            idle: None,
                        },
                    );
                }
                StepEnd::Next
            }
            AsyncEffect::Store { to, ty, values, mbarrier } => {
                let words = (
                    format!(
                        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{}",
                        data(*ty)
                    ),
                    false,
                );
                self.sent(state, words, to, *ty, values, mbarrier)?
            }
            AsyncEffect::Reduce { to, ty, update, value, mbarrier } => {
                let name = update_name(*update);
                let words = format!(
                    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{name}.{}",
                    data(*ty)
                );
                self.sent(state, (words, true), to, *ty, &[*value], mbarrier)?
            }
            AsyncEffect::Group { bulk, action } => {
                let of = if *bulk { "cp.async.bulk" } else { "cp.async" };
                let text = match action {
                    GroupEffect::Commit => format!("{of}.commit_group"),
                    GroupEffect::WaitAll => format!("{of}.wait_all"),
                    GroupEffect::Wait { left, reads: true } => {
                        format!("{of}.wait_group.read {left}")
                    }
                    GroupEffect::Wait { left, .. } => format!("{of}.wait_group {left}"),
                };
                self.push(state, CodePiece::Group(text));
                StepEnd::Next
            }
            AsyncEffect::ProxyFence(fence) => {
                self.emit(state, fence.name().to_owned());
                StepEnd::Next
            }
            AsyncEffect::MbarrierInitFence => {
                self.emit(state, "fence.mbarrier_init.release.cluster".to_owned());
                StepEnd::Next
            }
        })
    }

    /// One that is not in shared memory is not understood.
    pub(super) fn mbarrier_cell(
        &mut self,
        state: &mut State,
        at: &AddressOperand<'_>,
    ) -> Option<ControlFlow<StepEnd, MemoryCell>> {
        Some(
            match self.object_at(
                state,
                (at.window, at.base, at.offset),
                AccessSize::natural(MBARRIER),
                "an mbarrier",
            )? {
                ControlFlow::Break(step) => ControlFlow::Break(step),
                ControlFlow::Continue((object @ Object::Shared(..), offset)) => {
                    // It is memory that threads share, whoever uses it.
                    self.tensors.starts.insert(normal((object, offset)));
                    ControlFlow::Continue(self.mbarrier_at(MemoryCell {
                        object,
                        offset,
                        bytes: MBARRIER,
                    }))
                }
                ControlFlow::Continue(_) => ControlFlow::Break(
                    self.unknown(state, "an mbarrier that is not in shared memory"),
                ),
            },
        )
    }

    fn mbarrier(
        &mut self,
        state: &mut State,
        at: &AddressOperand<'_>,
        action: &MbarrierEffect<'_>,
    ) -> Option<StepEnd> {
        let cell = match self.mbarrier_cell(state, at)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        let remote = if matches!(cell.object, Object::Shared(block, _) if block != self.block) {
            ".shared::cluster"
        } else {
            ""
        };
        macro_rules! number {
            ($operand:expr, $what:literal) => {
                match self.value(state, $operand)?.bits() {
                    Some(bits) => bits & 0xffff_ffff,
                    None => {
                        return Some(
                            self.unknown(
                                state,
                                concat!($what, " of an mbarrier depends on memory"),
                            ),
                        )
                    }
                }
            };
        }
        let mut piece = MbarrierPiece {
            operation: String::new(),
            to: None,
            cell,
            operands: String::new(),
            how: MbarrierUse::Change,
        };
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
                let word = format!(
                    "mbarrier.{name}{expects}{incomplete}.{}.{}",
                    order_name(*order),
                    scope_name(*scope)
                );
                piece.operation = format!("{word}{remote}");
                piece.to = Some(match to {
                    Some(_) => self.set(state, *to, OPEN),
                    None => "_".to_owned(),
                });
            }
            MbarrierEffect::Expect { scope, bytes } => {
                let bytes = number!(bytes, "the bytes that are expected");
                self.expects(state, cell, bytes);
                piece.operation =
                    format!("mbarrier.expect_tx.relaxed.{}{remote}", scope_name(*scope));
                piece.operands = bytes.to_string();
            }
            MbarrierEffect::Transfer { scope, bytes } => {
                piece.operation =
                    format!("mbarrier.complete_tx.relaxed.{}{remote}", scope_name(*scope));
                piece.operands = number!(bytes, "the bytes").to_string();
            }
            MbarrierEffect::Wait { to, order, scope, phase, by_parity, suspends } => {
                let phase = self.value(state, phase)?;
                if matches!(phase.known, KnownValue::Open { opaque: true, .. }) {
                    return Some(
                        self.unknown(state, "the phase that is waited for depends on arithmetic that is not interpreted"),
                    );
                }
                let own = self.own(Target::Object(cell.object, cell.offset));
                if state.known.remove(&Key::Committed(own)).is_some() {
                    state.known.retain(|key, _| !matches!(key, Key::Accumulated(_)));
                }
                let name = if *suspends { "try_wait" } else { "test_wait" };
                let parity = if *by_parity { ".parity" } else { "" };
                piece.operation = format!(
                    "mbarrier.{name}{parity}.{}.{}",
                    order_name(*order),
                    scope_name(*scope)
                );
                piece.operands = match phase.bits() {
                    Some(bits) if *by_parity => (bits & 1).to_string(),
                    _ => phase.text,
                };
                piece.to = Some(self.set(state, *to, OPEN));
                piece.how = MbarrierUse::Wait;
            }
            MbarrierEffect::ArriveBehindTensors { blocks } => {
                piece.operation =
                    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"
                        .to_owned();
                let destinations = match self.destinations(state, *blocks)? {
                    ControlFlow::Continue(all) => all,
                    ControlFlow::Break(step) => return Some(step),
                };
                let own = self.own(Target::Object(cell.object, cell.offset));
                state.known.insert(Key::Committed(own), KnownValue::Bits(1));
                self.follow_validity(state, &piece);
                for block in destinations {
                    let cell = block.map_or(cell, |block| in_block_cell(cell, block));
                    self.cell(cell.object, cell.offset, MBARRIER, true, true);
                    self.push(state, CodePiece::Mbarrier(MbarrierPiece { cell, ..piece.clone() }));
                }
                return Some(StepEnd::Next);
            }
            MbarrierEffect::ArriveBehindCopies { counted } => {
                piece.operation =
                    format!("cp.async.mbarrier.arrive{}", if *counted { ".noinc" } else { "" });
            }
        }
        self.follow_validity(state, &piece);
        self.push(state, CodePiece::Mbarrier(piece));
        Some(StepEnd::Next)
    }

    /// The thread has told an mbarrier of so many bytes, which nothing has brought yet.
    fn expects(&mut self, state: &mut State, cell: MemoryCell, bytes: u64) {
        let cell = Self::mbarrier_memory(cell);
        if let Object::Shared(..) = cell.object {
            let at = self.own(Target::Object(cell.object, cell.offset));
            let key = Key::Expected(at);
            // Copies that came before are those that it is told of.
            if let Some(KnownValue::Bits(number)) = state.known.remove(&Key::Early(at)) {
                let group = Origin {
                    function: (number >> 32) as usize,
                    instruction: number as u32 as usize,
                };
                self.tensors
                    .told
                    .entry(group)
                    .and_modify(|known| *known = (*known).max(bytes))
                    .or_insert(bytes);
                for key in [Key::First(at), Key::Nth(at), Key::Told(at)] {
                    state.known.remove(&key);
                }
                return;
            }
            for key in [Key::First(at), Key::Nth(at), Key::Told(at)] {
                state.known.remove(&key);
            }
            let before = if let Some(KnownValue::Bits(n)) = state.known.get(&key) { *n } else { 0 };
            state.known.insert(key, KnownValue::Bits(before + bytes));
        }
    }

    /// So many bytes come.
    pub(super) fn brings(&mut self, state: &mut State, cell: MemoryCell, bytes: u64) {
        let cell = Self::mbarrier_memory(cell);
        let key = Key::Expected(self.own(Target::Object(cell.object, cell.offset)));
        if let Some(KnownValue::Bits(n)) = state.known.get_mut(&key) {
            *n = n.saturating_sub(bytes);
            if *n == 0 {
                state.known.remove(&key);
            }
        }
    }

    /// What a wait without an order, or a fence, is for: the order of what an instruction that is
    /// not looked at leaves.
    pub(super) fn unseen(
        &mut self,
        state: &mut State,
        why: &'static str,
        to: &[margay_ptx::RegisterId],
    ) -> StepEnd {
        self.note(state, why);
        for register in to {
            let to = self.set(state, Some(*register), OPAQUE);
            self.emit(state, format!("mov {to}, 0"));
        }
        StepEnd::Next
    }
}
