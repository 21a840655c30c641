//! Copies of parts of tensors, and the tensor maps that they read. How large a part is, its map
//! says, which PTX does not: of a copy into shared memory it is what its mbarrier was told of, and
//! of one out of it all up to the next place that copies or mbarriers use.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use margay_ptx::Operand;
use margay_ptx::asynchronous::AddressOperand;
use margay_ptx::effect::Update;

use super::access_size::AccessSize;
use super::asynchronous::MBARRIER;
use super::copy::{in_block, in_block_cell};
use super::facts::TensorPart;
use super::place::AddressPlace;
use super::value::{Key, KnownValue};
use super::{FollowedThread, State, StepEnd};
use crate::layout::{LOCAL, Object, Target};
use crate::mark::MarkKind;
use crate::residue::{CodePiece, Issue, IssueSource, MemoryCell, Origin};
use crate::spelling::update_name;

/// As many bytes a part of a tensor has at least (PTX ISA, tensor maps: a multiple of 16 in the
/// innermost dimension).
pub(super) const BOX: u64 = 16;

/// How many bytes a tensor map has.
pub(super) const MAP: u64 = 128;

impl FollowedThread<'_, '_> {
    /// Where a tensor map is, if threads share it: not that of a parameter.
    pub(super) fn map_range(
        &mut self,
        state: &mut State,
        map: &AddressOperand<'_>,
    ) -> Option<ControlFlow<StepEnd, Option<MemoryCell>>> {
        let size = AccessSize::of_tensor_map(MAP);
        Some(match self.place(state, map.window, map.base, map.offset, size)? {
            AddressPlace::At(Target::Object(object, offset)) => {
                let whole = MemoryCell { object, offset, bytes: MAP };
                // So that its parts are known.
                self.copies.entry(whole).or_default().add(false);
                ControlFlow::Continue(Some(whole))
            }
            // What a local variable holds is not a map that a copy may read; so large as the one
            // that it was made of it may be, or not.
            AddressPlace::At(Target::Own(at)) if at >> 56 == LOCAL >> 56 => {
                let why = "a tensor map in local memory, as a copy of a parameter that is not `__grid_constant__` is: a map is read from parameters of the \
                           kernel, constant or global memory alone (PTX ISA, cp.async.bulk.tensor)";
                self.note(state, why);
                ControlFlow::Continue(None)
            }
            AddressPlace::At(Target::Own(_)) => ControlFlow::Continue(None),
            AddressPlace::Outside => ControlFlow::Break(self.stop(
                state,
                MarkKind::Outside,
                "a tensor map outside of every array",
            )),
            AddressPlace::Misaligned => ControlFlow::Break(self.stop(
                state,
                MarkKind::Misaligned,
                size.misaligned("a tensor map"),
            )),
            AddressPlace::Split => ControlFlow::Break(StepEnd::Left),
            AddressPlace::Unknown(why) => {
                self.note(state, &format!("where a tensor map is: {why}"));
                ControlFlow::Continue(None)
            }
        })
    }

    /// What others use of a tensor map that a copy reads.
    pub(super) fn map(
        &mut self,
        state: &mut State,
        map: &AddressOperand<'_>,
    ) -> Option<ControlFlow<StepEnd, Vec<MemoryCell>>> {
        Some(match self.map_range(state, map)? {
            ControlFlow::Continue(whole) => {
                let maps: Vec<MemoryCell> =
                    whole.iter().flat_map(|whole| self.pieces(*whole)).collect();
                self.parts.extend(maps.iter().copied());
                ControlFlow::Continue(maps)
            }
            ControlFlow::Break(step) => ControlFlow::Break(step),
        })
    }

    /// A change of a whole map: what is in it is not looked at.
    pub(super) fn map_written(&mut self, state: &mut State, whole: MemoryCell) {
        self.cell(whole.object, whole.offset, whole.bytes, true, false);
        for cell in self.pieces(whole) {
            self.parts.insert(cell);
            self.values.insert(cell, None);
            self.opaque.extend((cell.offset..cell.offset + cell.bytes).map(|b| (cell.object, b)));
            let operation = "st.weak".to_owned();
            self.push(
                state,
                CodePiece::Write { operation, cell, operands: "0".to_owned(), idle: None },
            );
        }
    }

    pub(super) fn map_read(&mut self, state: &mut State, whole: MemoryCell) {
        self.cell(whole.object, whole.offset, whole.bytes, false, false);
        for cell in self.pieces(whole) {
            self.parts.insert(cell);
            let to = self.temporary();
            self.push(state, CodePiece::Read { operation: "ld.weak".to_owned(), to, cell });
        }
    }

    /// The operation whose parts were pushed last reads a tensor map; where nobody uses what it
    /// copies, it is this one.
    pub(super) fn reads_map(&mut self, state: &State, maps: &[MemoryCell], alone: Issue) {
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

    /// What a tensor map is told from others by: where it is.
    fn identity(&mut self, state: &mut State, map: &AddressOperand<'_>) -> Option<u64> {
        match self.place(state, map.window, map.base, map.offset, AccessSize::anywhere(MAP))? {
            AddressPlace::At(target) => Some(self.own(target)),
            _ => None,
        }
    }

    /// The part of a tensor that a copy is of, where its coordinates are known.
    fn part(
        &mut self,
        state: &State,
        map: Option<u64>,
        at: Option<&[&Operand]>,
    ) -> Option<TensorPart> {
        let bits = at?
            .iter()
            .map(|o| Some(self.value(state, o)?.bits()? & 0xffff_ffff))
            .collect::<Option<Vec<_>>>()?;
        Some(TensorPart { map: map?, at: bits })
    }

    /// The place that stands for a part of a tensor, if it is known that some copy writes there.
    fn part_cell(&mut self, part: Option<TensorPart>, writes: bool) -> Option<MemoryCell> {
        let part = part?;
        let number = self.facts.tensors.parts.iter().position(|known| *known == part)?;
        let cell = MemoryCell { object: Object::Part(number as u32), offset: 0, bytes: BOX };
        self.copies.entry(cell).or_default().add(writes);
        self.facts.shared.contains(&(cell.object, 0)).then_some(cell)
    }

    /// Where an asynchronous operation begins in shared memory: what others read or write there
    /// ends in front of it.
    fn begins_at(&mut self, at: (Object, u64)) {
        self.tensors.starts.insert(normal(at));
    }

    /// How many bytes a copy of a part of a tensor reads of shared memory: as its map says, if that
    /// is passed, or else all up to whatever comes next.
    fn bytes_of_part(&mut self, state: &State, map: Option<u64>, from: (Object, u64)) -> u64 {
        if let Some(bytes) = map.and_then(|map| self.layout.part_bytes(map)) {
            return bytes;
        }
        let (object, start) = normal(from);
        let next = self
            .facts
            .tensors
            .starts
            .range((object, start + 1)..)
            .next()
            .filter(|(o, _)| *o == object)
            .map(|&(_, at)| at);
        let used = || {
            let first = MemoryCell { object: from.0, offset: 0, bytes: 0 };
            let of_object = self.facts.cells.range(first..).take_while(|c| c.object == from.0);
            of_object.map(|c| c.offset + c.bytes).max()
        };
        let end = next.or_else(|| self.layout.extent(from.0).1).or_else(used);
        self.suppose(
            state,
            "a copy of a part of a tensor out of shared memory is supposed to read all up to the next place that copies or mbarriers use, or up to the \
             end of the variable (`--arg N=tensor:BYTES` says how large the parts of a tensor map are)",
        );
        end.map_or(BOX, |end| end.saturating_sub(start)).max(BOX)
    }

    /// A copy of a part of a tensor out of shared memory, or a reduction.
    pub(super) fn tensor_store(
        &mut self,
        state: &mut State,
        (map, at): (&AddressOperand<'_>, Option<&[&Operand]>),
        from: &AddressOperand<'_>,
        reduces: Option<Update>,
    ) -> Option<StepEnd> {
        let maps = match self.map(state, map)? {
            ControlFlow::Continue(maps) => maps,
            ControlFlow::Break(step) => return Some(step),
        };
        let identity = self.identity(state, map);
        let from = match self.object_at(
            state,
            (from.window, from.base, from.offset),
            AccessSize::in_bulk(BOX),
            "a copy of a part of a tensor",
        )? {
            ControlFlow::Continue(from) => from,
            ControlFlow::Break(step) => return Some(step),
        };
        self.begins_at(from);
        let bytes = self.bytes_of_part(state, identity, from);
        let to = (self.elsewhere(false), 0);
        let operation = "cp.async.bulk.global.shared::cta.bulk_group";
        if let Err(why) = self.issue(state, operation, (to, from), (bytes, bytes), None, None) {
            return Some(self.unknown(state, why));
        }
        let elsewhere = |object, offset| MemoryCell { object, offset, bytes: BOX };
        let (aside, source) =
            (elsewhere(to.0, 0), IssueSource::Cell(elsewhere(self.elsewhere(true), BOX)));
        let alone = Issue {
            operation: operation.to_owned(),
            to: aside,
            source: source.clone(),
            bytes: BOX,
            mbarrier: None,
            maps: Vec::new(),
        };
        self.reads_map(state, &maps, alone.clone());
        // Where it goes to.
        self.tensors.stored.extend(identity);
        let part = self.part(state, identity, at);
        match &part {
            Some(part) => {
                self.tensors.parts.insert(part.clone());
                self.suppose(
                    state,
                    "parts of a tensor at different coordinates are supposed to be apart, and the tensors of different maps",
                );
            }
            None => {
                self.note(state, "which part of a tensor is written is not known: whether others go there, too, is not looked at")
            }
        }
        if let Some(to) = self.part_cell(part, true) {
            let operation = match reduces {
                Some(update) => format!(
                    "cp.reduce.async.bulk.global.shared::cta.bulk_group.{}",
                    update_name(update)
                ),
                None => operation.to_owned(),
            };
            self.push(state, CodePiece::Issue(Issue { operation, to, source, ..alone }));
        }
        Some(StepEnd::Next)
    }

    /// A copy of a part of a tensor into shared memory: of as many bytes as its map says, if that
    /// is passed, or else as its mbarrier is told of.
    pub(super) fn tensor_load(
        &mut self,
        state: &mut State,
        (to, mbarrier): (&AddressOperand<'_>, &AddressOperand<'_>),
        blocks: Option<&Operand>,
        (map, coordinates): (&AddressOperand<'_>, Option<&[&Operand]>),
    ) -> Option<StepEnd> {
        let maps = match self.map(state, map)? {
            ControlFlow::Continue(maps) => maps,
            ControlFlow::Break(step) => return Some(step),
        };
        let identity = self.identity(state, map);
        let cell = match self.mbarrier_cell(state, mbarrier)? {
            ControlFlow::Continue(cell) => cell,
            ControlFlow::Break(step) => return Some(step),
        };
        let destinations = match self.destinations(state, blocks)? {
            ControlFlow::Continue(all) => all,
            ControlFlow::Break(step) => return Some(step),
        };
        self.asks_for_mbarrier(state, cell, "cp.async.bulk.tensor");
        let memory = Self::mbarrier_memory(cell);
        let at = self.own(Target::Object(memory.object, memory.offset));
        let left = |state: &State, key: Key| {
            if let Some(KnownValue::Bits(n)) = state.known.get(&key) { Some(*n) } else { None }
        };
        let (expected, first) = (left(state, Key::Expected(at)), left(state, Key::First(at)));
        let origin = self.origin(state);
        let number = (origin.function as u64) << 32 | origin.instruction as u64;
        let group = first.map_or(origin, |n| Origin {
            function: (n >> 32) as usize,
            instruction: n as u32 as usize,
        });
        if first.is_none() {
            // It may be told of behind the copies: how much that is, is learnt, and used in the
            // next round.
            let later = self.facts.tensors.told.get(&group).copied();
            let told = [
                (Key::First(at), number),
                (Key::Nth(at), 0),
                (Key::Told(at), expected.or(later).unwrap_or(0)),
            ];
            state.known.extend(told.map(|(key, n)| (key, KnownValue::Bits(n))));
            if expected.is_none() {
                state.known.insert(Key::Early(at), KnownValue::Bits(number));
            }
        }
        let (nth, told) = (
            left(state, Key::Nth(at)).unwrap_or(0) as usize,
            left(state, Key::Told(at)).unwrap_or(0),
        );
        state.known.insert(Key::Nth(at), KnownValue::Bits(nth as u64 + 1));
        let (window, base, offset) = (to.window, to.base, to.offset);
        let to = match self.object_at(
            state,
            (window, base, offset),
            AccessSize::in_bulk(BOX),
            "a copy of a part of a tensor",
        )? {
            ControlFlow::Continue(to) => to,
            ControlFlow::Break(step) => return Some(step),
        };
        for block in &destinations {
            self.begins_at(block.map_or(to, |block| in_block(to, block)));
        }
        // Several copies may share what the mbarrier was told of: which they are is learnt, and
        // used in the next round.
        let places = self.loads.entry(group).or_default();
        places.resize_with(places.len().max(nth + 1), BTreeSet::new);
        places[nth].insert(normal(to));
        // A copy to several blocks may come from each of them in turn, or from one of them: which
        // blocks send to which is learnt.
        let sends = self.tensors.sends.entry((group, nth)).or_default();
        sends.extend(destinations.iter().map(|to| (self.block, to.unwrap_or(self.block))));
        let learnt = |n: usize| {
            let sends = self.facts.tensors.sends.get(&(group, n))?;
            sends
                .iter()
                .map(|&(_, to)| sends.iter().filter(|send| send.1 == to).count() as u64)
                .max()
        };
        let shares_of = learnt(nth).unwrap_or(destinations.len().max(1) as u64);
        let weight = |n: usize| learnt(n).unwrap_or(1);
        self.tensors.maps.entry((group, nth)).or_default().insert(identity);
        let given = identity.and_then(|map| self.layout.part_bytes(map));
        if given.is_none() && told == 0 && self.facts.are_settled_about(&group) {
            let why = "a copy of a part of a tensor, of which the thread does not tell its mbarrier how many bytes it brings (`--arg N=tensor:BYTES` \
                       says how large the parts of a tensor map are)";
            return Some(self.unknown(state, why));
        }
        let sharing = self.places_of(group).filter(|places| places.len() > 1 || shares_of > 1);
        let sharing = sharing.as_ref();
        // Of some of them it may be given how much they bring.
        let given_of = |n: usize| {
            let maps = self.facts.tensors.maps.get(&(group, n))?;
            let mut sizes = maps.iter().map(|map| map.and_then(|map| self.layout.part_bytes(map)));
            let first = sizes.next()??;
            sizes.all(|size| size == Some(first)).then_some(first)
        };
        let all_given: Vec<Option<u64>> = (0..sharing.map_or(0, Vec::len)).map(given_of).collect();
        let sizes = sharing.and_then(|places| {
            let weights: Vec<u64> = (0..places.len()).map(weight).collect();
            let all = SharingCopies {
                places,
                weights: &weights,
                given: &all_given,
                starts: &self.facts.tensors.starts,
            };
            all.sizes(told, &|object| self.layout.extent(object).1)
        });
        // What goes to several blocks comes from each of them, also where only a part of it is
        // looked at.
        let least = |n: usize| all_given.get(n).copied().flatten().unwrap_or(BOX) * weight(n);
        let count: u64 = (0..sharing.map_or(1, Vec::len)).map(least).sum();
        // The first one of which nothing is given stands for what is not looked at.
        let is_first = all_given.iter().position(Option::is_none).unwrap_or(0) == nth;
        let (bytes, rest) = match (given, &sizes, sharing) {
            (Some(bytes), ..) => (bytes, 0),
            (_, Some(sizes), _) => (sizes.get(nth).copied().unwrap_or(BOX), 0),
            (_, None, None) if nth == 0 => (told.max(BOX), 0),
            (_, None, _) if told < count && told > 0 => {
                return Some(self.unknown(
                    state,
                    "copies of parts of a tensor that bring more than their mbarrier was told of",
                ));
            }
            (_, None, _) if is_first && told.saturating_sub(count) % weight(nth) != 0 => {
                return Some(self.unknown(
                    state,
                    "copies of parts of tensors to several blocks that do not share alike what their mbarrier was told of",
                ));
            }
            (_, None, _) if is_first => (BOX, told.saturating_sub(count) / weight(nth)),
            (_, None, _) => (BOX, 0),
        };
        match (given, &sizes, sharing.is_some() || nth > 0) {
            (Some(_), ..) => {}
            (_, None, true) => self.note(
                state,
                "several copies of parts of tensors share what their mbarrier was told of: only the first 16 bytes of each are looked at",
            ),
            (_, Some(_), _) => self.suppose(
                state,
                "copies of parts of tensors that share what their mbarrier was told of are supposed to bring all of it, side by side",
            ),
            (_, None, false) => self.suppose(
                state,
                "a copy of a part of a tensor is supposed to bring all bytes that its mbarrier was told of, one behind the other",
            ),
        }
        let to = match self.object_at(
            state,
            (window, base, offset),
            AccessSize::anywhere(bytes),
            "an asynchronous copy",
        )? {
            ControlFlow::Continue(to) => to,
            ControlFlow::Break(step) => return Some(step),
        };
        let part = self.part(state, identity, coordinates);
        let is_stored = identity.is_some_and(|map| self.facts.tensors.stored.contains(&map));
        if is_stored {
            match &part {
                Some(part) => _ = self.tensors.parts.insert(part.clone()),
                None => {
                    self.note(state, "which part of a tensor is read is not known: whether others write there is not looked at")
                }
            }
        }
        let source = self.part_cell(part, false);
        let operation = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
        for block in destinations {
            let (to, cell) = match block {
                None => (to, cell),
                Some(block) => (in_block(to, block), in_block_cell(cell, block)),
            };
            self.cell(cell.object, cell.offset, MBARRIER, true, true);
            // As many bytes come from each of the other blocks.
            self.brings(state, cell, (bytes + rest) * shares_of);
            if let Err(why) =
                self.issue(state, operation, (to, (Object::Zeros, 0)), (bytes, 0), Some(cell), None)
            {
                return Some(self.unknown(state, why));
            }
            if rest > 0 {
                let to = MemoryCell { object: self.elsewhere(true), offset: 0, bytes: rest };
                let source = IssueSource::Cell(MemoryCell {
                    object: Object::Zeros,
                    offset: rest << 20,
                    bytes: rest,
                });
                let (operation, mbarrier) = (operation.to_owned(), Some(cell));
                self.push(
                    state,
                    CodePiece::Issue(Issue {
                        operation,
                        to,
                        source,
                        bytes: rest,
                        mbarrier,
                        maps: Vec::new(),
                    }),
                );
            }
            // What it reads of the tensor, one of its parts says.
            if let (Some(source), Some((CodePiece::Issue(issue), _))) =
                (source, self.code.last_mut())
            {
                issue.source = IssueSource::Cell(source);
            }
            // The parts of it are of one mbarrier, and bytes come in each: the last one stands for
            // its end.
            let (whole, source, operation) = (
                MemoryCell { object: to.0, offset: to.1, bytes },
                zeros(bytes),
                operation.to_owned(),
            );
            let (mbarrier, no_maps) = (Some(cell), Vec::new());
            self.reads_map(
                state,
                &maps,
                Issue { operation, to: whole, source, bytes, mbarrier, maps: no_maps },
            );
            self.opaque.extend(
                (to.1..to.1 + bytes)
                    .map(|b| (to.0, b))
                    .filter(|byte| self.facts.shared.contains(byte)),
            );
        }
        Some(StepEnd::Next)
    }
}

impl FollowedThread<'_, '_> {
    /// Where the copies go to that share what an mbarrier is told of, by the first of them, and
    /// those of other instructions by the same maps: the parts of a map are of one size, also where
    /// each round of a loop has instructions of its own.
    fn places_of(&self, group: Origin) -> Option<Vec<BTreeSet<(Object, u64)>>> {
        let mut places = self.facts.loads.get(&group)?.clone();
        let count = places.len();
        let maps = |group: Origin| {
            let of = |n| {
                self.facts
                    .tensors
                    .maps
                    .get(&(group, n))
                    .filter(|maps| maps.iter().all(Option::is_some))
            };
            (0..count).map(of).collect::<Option<Vec<_>>>()
        };
        let Some(own) = maps(group) else { return Some(places) };
        for (_, others) in self
            .facts
            .loads
            .iter()
            .filter(|(g, others)| others.len() == count && maps(**g).as_ref() == Some(&own))
        {
            places.iter_mut().zip(others).for_each(|(places, others)| places.extend(others));
        }
        Some(places)
    }
}

/// A place in shared memory, whatever block it is of: what one block does, all do.
pub(super) fn normal((object, at): (Object, u64)) -> (Object, u64) {
    match object {
        Object::Shared(_, id) => (Object::Shared(0, id), at),
        other => (other, at),
    }
}

/// Copies by tensor maps that share what an mbarrier was told of.
struct SharingCopies<'a> {
    /// Where each of them goes to in the rounds of a pipeline.
    places: &'a [BTreeSet<(Object, u64)>],
    /// How often each comes: what goes to several blocks once from each of them.
    weights: &'a [u64],
    /// How many bytes each brings, where that is given.
    given: &'a [Option<u64>],
    /// Where copies begin in shared memory, and mbarriers.
    starts: &'a BTreeSet<(Object, u64)>,
}

impl SharingCopies<'_> {
    /// How many bytes each of them brings, side by side. Nothing where that is not certain.
    fn sizes(&self, told: u64, extent: &dyn Fn(Object) -> Option<u64>) -> Option<Vec<u64>> {
        let Self { places, weights, given, starts } = *self;
        let all: BTreeSet<(Object, u64)> = places.iter().flatten().copied().collect();
        let fits = |sizes: &Vec<u64>| {
            let is_whole =
                sizes.iter().zip(weights).map(|(size, weight)| size * weight).sum::<u64>() == told
                    && sizes.iter().all(|&size| size >= BOX && size % BOX == 0);
            let mut ends =
                (places.iter().zip(sizes).zip(given).filter(|(_, given)| given.is_none()))
                    .flat_map(|((of, size), _)| {
                        of.iter().map(move |&(object, at)| (object, at, at + size))
                    });
            is_whole
                && ends.all(|(object, at, end)| {
                    !all.iter().any(|&(o, other)| o == object && at < other && other < end)
                })
        };
        // The distance of two stages.
        let strides = |of: &BTreeSet<(Object, u64)>| {
            let next = of.iter().zip(of.iter().skip(1));
            next.filter(|((o, _), (p, _))| o == p).map(|((_, a), (_, b))| b - a).min()
        };
        // The distance to whatever comes next in memory, or the end of the variable.
        let gap = |of: &BTreeSet<(Object, u64)>| {
            let &(object, at) = of.first()?;
            let next =
                all.iter().find(|&&(o, other)| o == object && other > at).map(|&(_, other)| other);
            next.or_else(|| extent(object))?.checked_sub(at)
        };
        let or_given = |sizes: Vec<Option<u64>>| -> Vec<Option<u64>> {
            sizes.into_iter().zip(given).map(|(size, given)| given.or(size)).collect()
        };
        let by_stride = or_given(places.iter().map(strides).collect());
        let by_gap = or_given(places.iter().map(gap).collect());
        // The one with nothing behind it brings what is left, if that does not reach what copies or
        // mbarriers use behind it.
        let is_open = |n: &usize| given.get(*n).copied().flatten().is_none();
        let ordered = places.iter().enumerate().filter_map(|(n, of)| Some((*of.first()?, n)));
        let last = ordered.filter(|(_, n)| is_open(n)).max().map(|(_, n)| n)?;
        let others: Option<u64> = by_gap
            .iter()
            .zip(weights)
            .enumerate()
            .filter(|(n, _)| *n != last)
            .map(|(_, (size, weight))| Some((*size)? * weight))
            .sum();
        let left = others
            .and_then(|others| told.checked_sub(others))
            .map(|left| left / weights.get(last).copied().unwrap_or(1).max(1))
            .filter(|left| {
                places[last].iter().all(|&(object, at)| {
                    starts.range((object, at + 1)..(object, at + left.max(&1))).next().is_none()
                })
            });
        let with_rest: Vec<Option<u64>> = by_gap
            .iter()
            .enumerate()
            .map(|(n, size)| if n == last { left } else { *size })
            .collect();
        let whole = |sizes: Vec<Option<u64>>| sizes.into_iter().collect::<Option<Vec<u64>>>();
        [by_stride, by_gap, with_rest].into_iter().filter_map(whole).find(fits)
    }
}

/// So many bytes that nobody writes.
fn zeros(bytes: u64) -> IssueSource {
    IssueSource::Cell(MemoryCell { object: Object::Zeros, offset: bytes << 20, bytes })
}
