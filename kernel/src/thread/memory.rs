//! Accesses to memory: of the thread alone, which are computed, and to what threads share, which
//! are left.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use margay_ptx::effect::{Computation, MemoryAccess, MemoryOrder, Update, Window};
use margay_ptx::{Operand, RegisterId, ScalarKind, ScalarType};

use super::access_size::AccessSize;
use super::facts::add_writer;
use super::place::AddressPlace;
use super::value::{Key, KnownValue, OPAQUE, OPEN, UNDEFINED, Value, ValueWay, constant, number};
use super::{FollowedThread, State, StepEnd, UndefinedRead};
use crate::flow::leaves;
use crate::layout::{LOCAL, Object, SHARED, Target};
use crate::mark::{Mark, MarkKind};
use crate::omission::OmissionReason;
use crate::residue::{CodePiece, Idle, IssueFamily, MemoryCell, Origin};
use crate::spelling::{data, qualified, update_name};

impl FollowedThread<'_, '_> {
    pub(super) fn cell(
        &mut self,
        object: Object,
        offset: u64,
        bytes: u64,
        writes: bool,
        forced: bool,
    ) -> Option<MemoryCell> {
        let cell = MemoryCell { object, offset, bytes };
        let epoch = self.epoch();
        let entry = self.uses.entry(cell).or_default();
        entry.writes |= writes;
        entry.writes_counted += u32::from(writes);
        entry.forced |= forced;
        entry.epochs.insert(epoch);
        (offset..offset + bytes)
            .any(|byte| self.facts.shared.contains(&(object, byte)))
            .then_some(cell)
    }

    /// Behind how many steps that order something, or choose a way, the code has come.
    fn epoch(&mut self) -> usize {
        let is_step = |piece: &CodePiece| match piece {
            // A strong access may release, or acquire.
            CodePiece::Read { operation, .. } | CodePiece::Write { operation, .. } => {
                !operation.contains(".weak")
            }
            CodePiece::Passed => false,
            CodePiece::Other(text) => text.starts_with("fence"),
            // What a thread loads and stores in tensor memory, and its waits for that, order no
            // other memory.
            CodePiece::Group(text) => !IssueFamily::of(text).is_of_tensors(),
            CodePiece::Issue(issue) => {
                !matches!(issue.family(), IssueFamily::TensorLoad | IssueFamily::TensorStore)
            }
            _ => true,
        };
        let (steps, seen) = self.epoch;
        let more = self.code[seen.min(self.code.len())..]
            .iter()
            .filter(|(piece, _)| is_step(piece))
            .count();
        self.epoch = (steps + more, self.code.len());
        steps + more
    }

    /// An access was of this kind: does it read, and is it strong?
    fn accessed(&mut self, object: Object, offset: u64, (access, reads): (MemoryAccess, bool)) {
        let (bytes, is_float) =
            (u64::from(access.ty.bits.div_ceil(8)), access.ty.kind == ScalarKind::Float);
        let entry = self.uses.entry(MemoryCell { object, offset, bytes }).or_default();
        entry.reads |= reads;
        entry.strong |= access.order != MemoryOrder::Weak;
        entry.of_floats[usize::from(!is_float)] = true;
    }

    pub(super) fn is_opaque(&self, cell: MemoryCell) -> bool {
        (cell.offset..cell.offset + cell.bytes)
            .any(|byte| self.facts.opaque.contains(&(cell.object, byte)))
    }

    /// The generic address of shared memory of this thread's own use.
    pub(super) fn own(&self, target: Target) -> u64 {
        match target {
            Target::Own(address) => address,
            Target::Object(object @ Object::Shared(block, _), offset) => {
                // That of another block of the cluster is another place.
                let block = if block == self.block { 0 } else { u64::from(block + 1) << 33 };
                SHARED + block + self.layout.extent(object).0 + offset
            }
            Target::Object(object, offset) => self.layout.extent(object).0 + offset,
        }
    }

    pub(super) fn load(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        to: &[Option<RegisterId>],
        base: &Operand,
        offset: i64,
    ) -> Option<StepEnd> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let size = AccessSize::natural(bytes * to.len() as u64);
        let target = match self.place(state, access.window, base, offset, size)? {
            AddressPlace::At(target) => target,
            AddressPlace::Outside => {
                return Some(self.stop(state, MarkKind::Outside, "a load outside of every array"));
            }
            AddressPlace::Misaligned => {
                return Some(self.stop(state, MarkKind::Misaligned, size.misaligned("a load")));
            }
            AddressPlace::Split => return Some(StepEnd::Left),
            AddressPlace::Unknown(why) => return Some(self.unknown(state, why)),
        };
        // Registers change only once the address is used.
        let mut found = Vec::new();
        for (n, register) in to.iter().enumerate() {
            let at = bytes * n as u64;
            let target = match target {
                Target::Own(address) => Target::Own(address + at),
                Target::Object(object, start) => Target::Object(object, start + at),
            };
            let shared = match target {
                Target::Object(object, start) => {
                    self.accesses_data(state, MemoryCell { object, offset: start, bytes });
                    self.accessed(object, start, (access, true));
                    self.cell(object, start, bytes, false, false)
                }
                Target::Own(_) => None,
            };
            if let (true, Target::Object(object @ Object::Array(_), start)) =
                (access.read_only, target)
            {
                self.cached.extend((start..start + bytes).map(|byte| (object, byte)));
                self.mark_overwritten(state, MarkKind::Cached, (object, start), bytes);
            }
            if let Some(cell) = shared {
                if access.read_only {
                    // What it returns is said by no model where somebody writes that in the same
                    // execution, which is found; else it is what was there.
                    let initial =
                        self.layout.initial(cell.object, cell.offset, bytes.min(8)).unwrap_or(0);
                    let to = self.set(state, *register, UNDEFINED);
                    self.emit(state, format!("mov.u64 {to}, {}", number(initial)));
                    continue;
                }
                let operation =
                    format!("ld.{}.{}", qualified(access.order, access.scope), data(access.ty));
                found.push((*register, None, Some((operation, cell))));
            } else {
                let value = self.own_value(state, target, bytes);
                if let Err(why) = value {
                    return Some(self.unknown(state, why));
                }
                found.push((*register, value.ok(), None));
            }
        }
        let mut read = Vec::new();
        if self.prepared.vectors.last_loaded_first {
            found.reverse();
        }
        for (register, value, memory) in found {
            if let Some((operation, cell)) = memory {
                let known = if access.multimem || self.is_opaque(cell) { OPAQUE } else { OPEN };
                let to = self.set(state, register, known);
                self.push(state, CodePiece::Read { operation, to, cell });
                read.extend(register.filter(|_| known == OPEN).map(|register| (register, cell)));
            } else if access.multimem {
                let to = self.set(state, register, OPAQUE);
                self.emit(state, format!("mov {to}, 0"));
            } else if let (Some(register), Some(value)) = (register, value) {
                let width = self.register_type(state, register);
                let value = match value.bits() {
                    Some(bits) if access.ty.kind == ScalarKind::Signed => {
                        constant(width.cut(access.ty.signed(access.ty.cut(bits)) as u64))
                    }
                    None if access.ty.kind == ScalarKind::Signed => {
                        let signed = ScalarType { kind: ScalarKind::Signed, bits: width.bits };
                        self.computed(
                            state,
                            Computation::Convert(access.ty),
                            signed,
                            &[value],
                            None,
                        )
                    }
                    _ => value,
                };
                self.copy(state, Some(register), &value, width);
            }
        }
        for (register, cell) in read {
            self.cases(state, register, cell, access.ty);
        }
        Some(StepEnd::Next)
    }

    /// Where an address is made of what was read, and memory there holds few values: a way for each
    /// of them. What is made of each is constant then. The last one goes on here: it is 0 if that
    /// is one of them, so that a loop that waits for an address stays one piece of code.
    pub(super) fn cases(
        &mut self,
        state: &mut State,
        register: RegisterId,
        cell: MemoryCell,
        ty: ScalarType,
    ) {
        let of_address = self.prepared.addressing[state.function].contains(&register);
        let is_extended =
            ty.kind == ScalarKind::Signed && self.register_type(state, register).bits > ty.bits;
        if !of_address || is_extended {
            return;
        }
        let values: Vec<u64> = match self.facts.values.get(&cell) {
            // A read-modify-write does not read what it writes itself. Where it is executed once
            // and nothing else writes that, it is not there yet.
            Some(Some(values)) => {
                let number = self.block * self.launch.threads + self.thread;
                let own = Some((number, self.origin(state)));
                let is_once =
                    state.calls.is_empty() && !self.prepared.is_in_loop(state.function, state.at);
                values
                    .iter()
                    .filter(|(_, writer)| !(is_once && **writer == own))
                    .map(|(value, _)| *value)
                    .collect()
            }
            Some(None) => return,
            None if self.facts.values.keys().any(|other| cell.overlaps(other)) => return,
            // Nothing was written yet as far as is known.
            None => self
                .layout
                .initial(cell.object, cell.offset, cell.bytes.min(8))
                .into_iter()
                .chain([0])
                .take(1)
                .collect(),
        };
        self.ways(state, register, values.into_iter().map(|value| (value, None)).collect(), ty);
    }

    /// A way for each value that a register may hold, with what else is known there; the last one
    /// goes on here.
    fn ways(
        &mut self,
        state: &mut State,
        register: RegisterId,
        mut values: Vec<ValueWay>,
        ty: ScalarType,
    ) {
        let key = Key::Register(state.calls.len() as u16, register);
        values.sort_by_key(|&(value, _)| (value == 0, value));
        let Some(last) = values.pop() else { return };
        let (text, origin) = (self.name(key), self.origin(state));
        let known_of = |(value, more): ValueWay| {
            [Some((key, KnownValue::Bits(value))), more].into_iter().flatten()
        };
        for way in values {
            let known = self.temporary();
            self.emit(
                state,
                format!("setp.eq.u{} {known}, {text}, {}", ty.bits.max(16), number(way.0)),
            );
            let mut with = state.clone();
            with.at += 1;
            with.known.extend(known_of(way));
            let label = self.later(with);
            self.code.push((CodePiece::Jump(Some((known, true)), label), Some(origin)));
        }
        state.known.extend(known_of(last));
    }

    /// What memory that this thread alone uses holds.
    pub(super) fn own_value(
        &mut self,
        state: &State,
        target: Target,
        bytes: u64,
    ) -> Result<Value, String> {
        let address = self.own(target);
        let exact = Key::Cell(address, bytes as u8);
        if let Some(&known) = state.known.get(&exact) {
            return Ok(match known {
                KnownValue::Bits(bits) => constant(bits),
                known => Value { known, text: self.name(exact) },
            });
        }
        // Byte by byte, from what was written there in another width.
        let mut value = 0u64;
        let mut undefined = 0;
        for i in 0..bytes {
            let at = address + i;
            let lowest = Key::Cell(at.saturating_sub(7), 0);
            let over = state.known.range(lowest..=Key::Cell(at, u8::MAX)).rev();
            let over = over.filter_map(|(k, v)| {
                if let Key::Cell(start, width) = k {
                    Some((*start, u64::from(*width), *v))
                } else {
                    None
                }
            });
            let mut over = over.filter(|(start, width, _)| *start <= at && at < start + width);
            let byte = match (over.next(), target) {
                (Some((start, _, KnownValue::Bits(bits))), _) => bits >> (8 * (at - start)) & 0xff,
                (Some(_), _) => {
                    return Err("memory is read in another width than it was written in".to_owned());
                }
                (None, Target::Object(object, offset)) => {
                    match self.layout.initial(object, offset + i, 1) {
                        Some(byte) => byte,
                        None => {
                            undefined += 1;
                            0
                        }
                    }
                }
                (None, Target::Own(_)) => {
                    undefined += 1;
                    0
                }
            };
            value |= byte << (8 * i);
        }
        let in_shared = matches!(target, Target::Object(..));
        Ok(match undefined {
            0 => constant(value),
            // A parameter that was not passed is not what is meant, nor are bytes between the
            // members of a structure.
            n if n == bytes && (in_shared || address >> 56 == LOCAL >> 56) => {
                let text = self.aside();
                let origin = self.origin(state);
                self.code.push((CodePiece::Other(format!("mov {text}, 0")), Some(origin)));
                self.undefined.insert(text.clone(), UndefinedRead { in_shared });
                Value { known: UNDEFINED, text }
            }
            _ => Value { known: OPAQUE, text: "0".to_owned() },
        })
    }

    /// What is written to global memory, or used as an address, matters: a register of its own
    /// stands for that.
    pub(super) fn sink(&mut self, state: &State, value: &Value, is_address: bool) {
        if value.bits().is_none() {
            let to = self.aside();
            let origin = self.origin(state);
            self.code.push((CodePiece::Other(format!("mov {to}, {}", value.text)), Some(origin)));
            self.sinks.insert(to, is_address);
        }
    }

    /// Says in a register that the thread accesses what the kernel reads as if nobody wrote it, and
    /// writes.
    fn mark_overwritten(
        &mut self,
        state: &State,
        kind: MarkKind,
        (object, start): (Object, u64),
        bytes: u64,
    ) {
        if !(start..start + bytes).any(|byte| self.facts.overwritten.contains(&(object, byte))) {
            return;
        }
        let (origin, cell) =
            (self.origin(state), Some(MemoryCell { object, offset: start, bytes }));
        let same = self
            .marks
            .iter()
            .find(|m| m.kind == kind && m.origin == origin && m.cell == cell)
            .map(|m| m.number);
        let number = same.unwrap_or_else(|| {
            let number = self.marks.iter().filter(|m| m.kind == kind).count() as i64 + 1;
            self.marks.push(Mark { kind, origin, number, what: String::new(), cell });
            number
        });
        self.emit(state, format!("mov {}{number}, 1", kind.register()));
    }

    /// Writes memory that this thread alone uses.
    pub(super) fn own_store(
        &mut self,
        state: &mut State,
        target: Target,
        bytes: u64,
        value: &Value,
    ) -> Result<(), String> {
        let address = self.own(target);
        let over: Vec<Key> = state
            .known
            .range(Key::Cell(address.saturating_sub(7), 0)..Key::Cell(address + bytes, 0))
            .map(|(k, _)| *k)
            .filter(|k| matches!(k, Key::Cell(start, width) if start + u64::from(*width) > address))
            .collect();
        for key in over {
            let Key::Cell(start, width) = key else { continue };
            let old = state.known.remove(&key);
            if start >= address && start + u64::from(width) <= address + bytes {
                continue;
            }
            // What remains of a wider value, byte by byte.
            let Some(KnownValue::Bits(bits)) = old else {
                return Err("memory is written in another width than before".to_owned());
            };
            for i in (0..u64::from(width))
                .filter(|i| start + i < address || start + i >= address + bytes)
            {
                state
                    .known
                    .insert(Key::Cell(start + i, 1), KnownValue::Bits(bits >> (8 * i) & 0xff));
            }
        }
        let key = Key::Cell(address, bytes as u8);
        let ty = ScalarType { kind: ScalarKind::Unsigned, bits: (8 * bytes) as u16 };
        match value.known {
            KnownValue::Bits(bits) => {
                state.known.insert(key, KnownValue::Bits(ty.cut(bits)));
            }
            known => {
                state.known.insert(key, known);
                let name = self.name(key);
                // Memory keeps as many bits as it has.
                let text = match bytes {
                    8 => format!("mov.u64 {name}, {}", value.text),
                    _ => format!("cvt.u{}.u64 {name}, {}", ty.bits, value.text),
                };
                self.emit(state, text);
            }
        }
        Ok(())
    }

    /// Why an address that a thread puts where others find it is of no use to them: `.local` is of
    /// one thread, `.shared` of one block (PTX ISA 5.1). An address does not say of which one, and
    /// would be taken for one of the reader's own.
    fn address_for_others(&self, value: &Value, to: Object) -> Option<&'static str> {
        match self.layout.generic(value.bits()?, self.block)? {
            Target::Own(_) => Some(
                "the address of a variable of one thread, put where others find it: what they reach with it is not modelled",
            ),
            Target::Object(Object::Shared(..), _) if matches!(to, Object::Array(_)) => Some(
                "an address of one block's shared memory, put where other blocks find it: what they reach with it is not modelled",
            ),
            Target::Object(..) => None,
        }
    }

    pub(super) fn store(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        base: &Operand,
        offset: i64,
        values: &[&Operand],
    ) -> Option<StepEnd> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let size = AccessSize::natural(bytes * values.len() as u64);
        let target = match self.place(state, access.window, base, offset, size)? {
            AddressPlace::At(target) => target,
            AddressPlace::Outside => {
                return Some(self.stop(state, MarkKind::Outside, "a store outside of every array"));
            }
            AddressPlace::Misaligned => {
                return Some(self.stop(state, MarkKind::Misaligned, size.misaligned("a store")));
            }
            AddressPlace::Split => return Some(StepEnd::Left),
            AddressPlace::Unknown(why) => return Some(self.unknown(state, why)),
        };
        let mut in_order: Vec<(usize, &Operand)> = values.iter().copied().enumerate().collect();
        if self.prepared.vectors.last_stored_first {
            in_order.reverse();
        }
        for (n, operand) in in_order {
            let value = self.value(state, operand)?;
            let at = bytes * n as u64;
            let target = match target {
                Target::Own(address) => Target::Own(address + at),
                Target::Object(object, start) => Target::Object(object, start + at),
            };
            let shared = match target {
                Target::Object(object, start) => {
                    self.accesses_data(state, MemoryCell { object, offset: start, bytes });
                    self.accessed(object, start, (access, false));
                    self.cell(object, start, bytes, true, false)
                }
                Target::Own(_) => None,
            };
            if let Target::Object(object, _) = target
                && let Some(why) = self.address_for_others(&value, object)
            {
                return Some(self.unknown(state, why));
            }
            if let Target::Object(object @ Object::Array(_), start) = target {
                self.mark_overwritten(state, MarkKind::Overwritten, (object, start), bytes);
                self.sink(state, &value, false);
            }
            match shared {
                Some(cell) => {
                    let origin = self.origin(state);
                    self.written(cell, &value, origin);
                    let operation =
                        format!("st.{}.{}", qualified(access.order, access.scope), data(access.ty));
                    self.push(
                        state,
                        CodePiece::Write { operation, cell, operands: value.text, idle: None },
                    );
                }
                None => {
                    if let Err(why) = self.own_store(state, target, bytes, &value) {
                        return Some(self.unknown(state, why));
                    }
                }
            }
        }
        Some(StepEnd::Next)
    }

    /// `ldmatrix` and `stmatrix`: rows of 16 bytes, as loads or stores of words by the lanes that
    /// name them. What a lane gets is of several rows.
    pub(super) fn matrix(
        &mut self,
        state: &mut State,
        (is_store, lanes): (bool, u32),
        to: &[RegisterId],
        base: &Operand,
        offset: i64,
    ) -> Option<StepEnd> {
        const ROW: u64 = 16;
        let ty = ScalarType { kind: ScalarKind::Bits, bits: 32 };
        if self.thread % 32 < lanes {
            let (object, start) = match self.object_at(
                state,
                (Window::Shared, base, offset),
                AccessSize::natural(ROW),
                "a row of a matrix",
            )? {
                ControlFlow::Continue(found) => found,
                ControlFlow::Break(step) => return Some(step),
            };
            self.accesses_data(state, MemoryCell { object, offset: start, bytes: ROW });
            for at in (start..start + ROW).step_by(4) {
                // Who else uses it is found by the cell; a lane reads what it wrote itself by
                // another lane's instruction as well.
                let Some(cell) = self.cell(object, at, 4, is_store, is_store) else { continue };
                if is_store {
                    self.opaque.extend((at..at + 4).map(|b| (object, b)));
                    self.values.insert(cell, None);
                    let operation = format!("st.weak.{}", data(ty));
                    self.push(
                        state,
                        CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None },
                    );
                } else {
                    let to = self.temporary();
                    self.push(
                        state,
                        CodePiece::Read { operation: format!("ld.weak.{}", data(ty)), to, cell },
                    );
                }
            }
        }
        for register in to {
            let to = self.set(state, Some(*register), OPAQUE);
            self.emit(state, format!("mov {to}, 0"));
        }
        Some(StepEnd::Next)
    }

    /// What is put into shared memory: whether it means anything, and whether it is an address.
    pub(super) fn written(&mut self, cell: MemoryCell, value: &Value, origin: Origin) {
        let number = self.block * self.launch.threads + self.thread;
        let all = self.values.entry(cell).or_insert_with(|| Some(BTreeMap::new()));
        match (value.bits(), all) {
            (Some(bits), Some(all)) => {
                let ty =
                    ScalarType { kind: ScalarKind::Unsigned, bits: (8 * cell.bytes.min(8)) as u16 };
                add_writer(all, ty.cut(bits), Some((number, origin)));
            }
            (_, all) => *all = None,
        }
        match value.known {
            KnownValue::Bits(bits) => {
                let is_address =
                    cell.bytes == 8 && bits != 0 && self.layout.generic(bits, self.block).is_some();
                self.pointers.extend(Some(bits).filter(|_| is_address));
            }
            KnownValue::Open { opaque: true, undefined: false, .. } => self
                .opaque
                .extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b))),
            KnownValue::Open { into: Some(_), .. } => {}
            KnownValue::Open { .. } => {}
        }
    }

    pub(super) fn modify(
        &mut self,
        state: &mut State,
        access: MemoryAccess,
        update: Update,
        to: Option<Option<RegisterId>>,
        (base, offset): (&Operand, i64),
        operands: &[&Operand],
    ) -> Option<StepEnd> {
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        let (object, start) = match self.object_at(
            state,
            (access.window, base, offset),
            AccessSize::natural(bytes),
            "a read-modify-write",
        )? {
            ControlFlow::Continue(found) => found,
            ControlFlow::Break(step) => return Some(step),
        };
        let values = operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
        if matches!(object, Object::Array(_)) {
            self.mark_overwritten(state, MarkKind::Overwritten, (object, start), bytes);
            values.iter().for_each(|value| self.sink(state, value, false));
        }
        let float = access.ty.kind == ScalarKind::Float
            && !matches!(update, Update::Exchange | Update::CompareAndSwap);
        self.accesses_data(state, MemoryCell { object, offset: start, bytes });
        self.accessed(object, start, (access, true));
        let shared = self.cell(object, start, bytes, true, false);
        self.uses.entry(MemoryCell { object, offset: start, bytes }).or_default().draws +=
            u32::from(update == Update::Add);
        let Some(cell) = shared else {
            // Nobody else uses it: what is constant is computed.
            let target = Target::Object(object, start);
            let old = match self.own_value(state, target, bytes) {
                Ok(old) => old,
                Err(why) => return Some(self.unknown(state, why)),
            };
            let all: Option<Vec<u64>> = values.iter().map(Value::bits).collect();
            let new = old
                .bits()
                .zip(all)
                .filter(|_| !float)
                .and_then(|(old, all)| update.value(access.ty, old, &all));
            let Some(new) = new else {
                self.cell(object, start, bytes, true, true);
                // The next round has it in memory. What follows does not depend on what it returns
                // where nobody reads that.
                let body =
                    self.prepared.module.functions[state.function].body.as_deref().unwrap_or(&[]);
                let named = |register: RegisterId| {
                    let all = body.iter().flat_map(|i| leaves(&i.operands));
                    all.filter(|o| matches!(o, Operand::Register(of) | Operand::Not(of) if *of == register)).count()
                };
                let is_read = to.flatten().is_some_and(|register| {
                    named(register) > 1
                        || body.iter().any(|i| i.guard.is_some_and(|(guard, _)| guard == register))
                });
                let unknown = Value { known: OPAQUE, text: "0".to_owned() };
                return match is_read || self.own_store(state, target, bytes, &unknown).is_err() {
                    true => Some(StepEnd::Left),
                    false => Some(StepEnd::Next),
                };
            };
            if let Err(why) = self.own_store(state, target, bytes, &constant(new)) {
                return Some(self.unknown(state, why));
            }
            if let Some(register) = to {
                self.copy(state, register, &old, access.ty);
            }
            return Some(StepEnd::Next);
        };
        let opaque = float || values.iter().any(|v| v.known.is_opaque()) || self.is_opaque(cell);
        if opaque {
            self.opaque.extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b)));
        }
        if matches!(update, Update::CompareAndSwap) {
            let compares = self.is_opaque(cell) || values[0].known.is_opaque();
            self.depends_on_opaque(state, compares, OmissionReason::OpaqueSwap);
        }
        if let Some(why) =
            values.iter().find_map(|value| self.address_for_others(value, cell.object))
        {
            return Some(self.unknown(state, why));
        }
        let origin = self.origin(state);
        values.iter().for_each(|value| self.written(cell, value, origin));
        if !matches!(update, Update::Exchange | Update::CompareAndSwap) {
            self.values.insert(cell, None);
        }
        let ty = match (float, update) {
            (true, _) => format!("u{}", access.ty.bits),
            (
                _,
                Update::Exchange | Update::CompareAndSwap | Update::And | Update::Or | Update::Xor,
            ) => {
                format!("b{}", access.ty.bits)
            }
            (_, Update::Min | Update::Max) if access.ty.kind == ScalarKind::Signed => {
                format!("s{}", access.ty.bits)
            }
            _ => format!("u{}", access.ty.bits),
        };
        let function = update_name(update);
        let qualifiers = format!("{}.{function}.{ty}", qualified(access.order, access.scope));
        let text = values.iter().map(|v| v.text.as_str()).collect::<Vec<_>>().join(", ");
        let numbers =
            self.drawn(state, (cell, access, update), &values, to.flatten().filter(|_| !opaque));
        let Some(register) = to else {
            self.push(
                state,
                CodePiece::Write {
                    operation: format!("red.{qualifiers}"),
                    cell,
                    operands: text,
                    idle: None,
                },
            );
            return Some(StepEnd::Next);
        };
        let to = self.set(state, register, if opaque { OPAQUE } else { OPEN });
        let constant = |n: usize| values.get(n)?.bits().map(|b| number(access.ty.cut(b)));
        let idle = match (update, constant(0), constant(1)) {
            // One that succeeds changes nothing where it writes what it compares with.
            (Update::CompareAndSwap, Some(n), Some(new)) if n == new => Some(Idle::Always),
            (Update::CompareAndSwap, Some(n), Some(_)) => Some(Idle::ReadsNot(n)),
            (Update::Exchange, Some(n), _) => Some(Idle::Reads(n)),
            (Update::Add | Update::Or | Update::Xor, Some(0), _) => Some(Idle::Always),
            _ => None,
        };
        let idle = idle.map(|idle| (to.clone(), idle));
        self.push(
            state,
            CodePiece::Write {
                operation: format!("atom.{qualifiers} {to},"),
                cell,
                operands: text,
                idle,
            },
        );
        if let Some(register) = register.filter(|_| !opaque) {
            match numbers {
                Some(numbers) => self.ways(state, register, numbers, access.ty),
                None => self.cases(state, register, cell, access.ty),
            }
        }
        Some(StepEnd::Next)
    }
}

pub(super) fn object_of(target: Target) -> Option<Object> {
    if let Target::Object(object, _) = target { Some(object) } else { None }
}
