//! What an address names: memory of the thread alone, or what threads share; and an address that is
//! not known is taken apart.

use std::ops::ControlFlow;

use margay_ptx::effect::Window;
use margay_ptx::{Operand, RegisterId, StateSpace, VariableId};

use super::access_size::AccessSize;
use super::value::{Key, KnownValue};
use super::{FollowedThread, State, StepEnd};
use crate::layout::{LOCAL, Object, PARAMETER, RANK, SHARED, Target};
use crate::mark::MarkKind;
use crate::omission::OmissionReason;
use crate::parameter::made_of;
use crate::residue::CodePiece;

/// How many elements of an array without a size a computed index may name.
const ELEMENTS: u64 = 8;

/// The most places that a computed address is taken apart into.
const MAX_PLACES: usize = 64;

/// Why a thread is not followed to memory that threads would come to share in further rounds.
pub(crate) const BEYOND: &str = "a table, or a list, that threads search from place to place is followed for some places alone, and more of them come to be shared";

/// An address that an access names.
pub(super) enum AddressPlace {
    /// Known.
    At(Target),
    /// Outside of every array.
    Outside,
    /// The code goes on elsewhere, or nowhere: the register was taken apart, and code for each case
    /// follows.
    Split,
    /// No multiple of what the access asks for.
    Misaligned,
    /// Not known, and not to be known.
    Unknown(OmissionReason),
}

impl FollowedThread<'_, '_> {
    /// The memory that an address names.
    pub(super) fn place(
        &mut self,
        state: &mut State,
        window: Window,
        base: &Operand,
        offset: i64,
        size: AccessSize,
    ) -> Option<AddressPlace> {
        let AccessSize { bytes, alignment, .. } = size;
        let value = self.value(state, base)?;
        let Some(start) = value.bits() else {
            let Operand::Register(register) = base else { return None };
            if value.known.is_undefined() {
                // Nothing is known of where it goes on.
                self.sink(state, &value, true);
                self.push(state, CodePiece::End);
                return Some(AddressPlace::Split);
            }
            if value.known.is_opaque() {
                return Some(AddressPlace::Unknown(
                    "an address depends on arithmetic that is not interpreted".into(),
                ));
            }
            return Some(match self.split(state, *register, (bytes, offset), window) {
                Ok(_) => AddressPlace::Split,
                Err(why) => AddressPlace::Unknown(why.into()),
            });
        };
        let address = start.wrapping_add_signed(offset);
        let of_variable = |space| matches!(base, Operand::Variable(id, _) if self.prepared.module.variable(*id).space == space);
        let target = match window {
            Window::Shared => self.layout.shared(address & 0xffff_ffff, self.block),
            Window::Local => Some(Target::Own(LOCAL + (address & 0xff_ffff_ffff))),
            Window::Parameter => Some(Target::Own(address | PARAMETER)),
            // A variable that is named without a space is one of its own.
            Window::Generic if of_variable(StateSpace::Shared) => {
                self.layout.shared(address & 0xffff_ffff, self.block)
            }
            Window::Generic if of_variable(StateSpace::Local) => {
                Some(Target::Own(LOCAL + (address & 0xff_ffff_ffff)))
            }
            _ => self.layout.generic(address, self.block),
        };
        // All bytes must be inside.
        let last = match target {
            Some(Target::Object(object, at)) => {
                let (_, size) = self.layout.extent(object);
                size.is_none_or(|size| at + bytes <= size)
            }
            Some(Target::Own(at)) => self.layout.is_own(at, bytes),
            None => false,
        };
        Some(match target.filter(|_| last) {
            Some(target) if !self.is_aligned(state, (address, target), alignment) => {
                match self.is_made_of(state, base, &self.layout.chosen) {
                    true => AddressPlace::Unknown(OmissionReason::Unaligned(alignment)),
                    false => AddressPlace::Misaligned,
                }
            }
            Some(Target::Object(object, at)) if self.facts.is_beyond(object, at, bytes) => {
                self.stop(state, MarkKind::Cut, BEYOND);
                AddressPlace::Split
            }
            Some(target) => AddressPlace::At(target),
            None if self.is_of_chosen_number(state, base, (window, address)) => AddressPlace::Unknown(
                "an address is made of a parameter for which a number was chosen: it may be an address (`--arg N=array` or `--arg N=NUMBER` says what it is)"
                    .into(),
            ),
            None => AddressPlace::Outside,
        })
    }

    /// Is an address a multiple of so many bytes, or is that supposed of it?
    fn is_aligned(
        &mut self,
        state: &State,
        (address, target): (u64, Target),
        alignment: u64,
    ) -> bool {
        let (distance, declared) = self.layout.distance(self.prepared.module, target);
        if !distance.is_multiple_of(alignment) {
            // A program may take the next multiple of an address, wherever its variable lies.
            return address.is_multiple_of(alignment);
        }
        if let Some(declared) = declared.filter(|declared| *declared < alignment) {
            self.suppose(
                state,
                &format!(
                    "it accesses {alignment} bytes of a variable that is declared to lie at a multiple of {declared}: it is supposed to lie at one of {alignment}"
                ),
            );
        }
        true
    }

    /// How the thread goes on where so many bytes are no multiple of what they must be.
    pub(super) fn odd_size(
        &mut self,
        state: &State,
        size: AccessSize,
        of: &Operand,
        what: &str,
    ) -> Option<StepEnd> {
        let why = size.odd_size(what)?;
        Some(match self.is_made_of(state, of, &self.layout.chosen) {
            true => self.unknown(state, OmissionReason::Unaligned(size.alignment)),
            false => self.stop(state, MarkKind::Misaligned, why),
        })
    }

    /// Never where `parameters` is empty.
    fn is_made_of(&self, state: &State, operand: &Operand, parameters: &[VariableId]) -> bool {
        let is_parameter =
            |o: &Operand| matches!(o, Operand::Variable(id, _) if parameters.contains(id));
        !parameters.is_empty() && self.is_made_of_sources(state, operand, &is_parameter)
    }

    /// Is it made of the address of a variable of the thread alone?
    pub(crate) fn is_made_of_own(&self, state: &State, operand: &Operand) -> bool {
        let module = self.prepared.module;
        let is_local = |o: &Operand| matches!(o, Operand::Variable(id, _) if module.variable(*id).space == StateSpace::Local);
        self.layout.has_local() && self.is_made_of_sources(state, operand, &is_local)
    }

    fn is_made_of_sources(
        &self,
        state: &State,
        operand: &Operand,
        is_source: &dyn Fn(&Operand) -> bool,
    ) -> bool {
        matches!(operand, Operand::Register(register) if made_of(self.prepared, is_source).contains(&(state.function, *register)))
    }

    /// Is an address that is in the room of no array made of a parameter of which nobody said that
    /// it is a number?
    fn is_of_chosen_number(
        &self,
        state: &State,
        base: &Operand,
        (window, address): (Window, u64),
    ) -> bool {
        matches!(window, Window::Generic | Window::Global)
            && self.layout.is_in_no_room(address)
            && self.is_made_of(state, base, &self.layout.wide)
    }

    /// What threads share at an address, by its first byte, or how the thread goes on since that is
    /// not known.
    pub(super) fn object_at(
        &mut self,
        state: &mut State,
        (window, base, offset): (Window, &Operand, i64),
        size: AccessSize,
        what: &str,
    ) -> Option<ControlFlow<StepEnd, (Object, u64)>> {
        Some(match self.place(state, window, base, offset, size)? {
            AddressPlace::At(Target::Object(object, start)) => {
                ControlFlow::Continue((object, start))
            }
            AddressPlace::At(Target::Own(_)) => ControlFlow::Break(
                self.unknown(state, format!("{what} in memory of the thread alone")),
            ),
            AddressPlace::Outside => ControlFlow::Break(self.stop(
                state,
                MarkKind::Outside,
                format!("{what} outside of every array"),
            )),
            AddressPlace::Misaligned => {
                ControlFlow::Break(self.stop(state, MarkKind::Misaligned, size.misaligned(what)))
            }
            AddressPlace::Split => ControlFlow::Break(StepEnd::Left),
            AddressPlace::Unknown(why) => ControlFlow::Break(self.unknown(state, why)),
        })
    }

    /// Takes a register that holds an address apart into those that it may be: a jump for each,
    /// where it is known. The access is of so many bytes, so far from what the register holds.
    pub(super) fn split(
        &mut self,
        state: &mut State,
        register: RegisterId,
        (bytes, displacement): (u64, i64),
        window: Window,
    ) -> Result<StepEnd, String> {
        let key = Key::Register(state.calls.len() as u16, register);
        let value = self.register(state, key);
        let KnownValue::Open { opaque, into, plus, range, .. } = value.known else {
            return Err("an address that is not known".to_owned());
        };
        if opaque {
            return Err("an address depends on arithmetic that is not interpreted".to_owned());
        }
        let step = bytes.clamp(1, 8);
        let (places, whole): (Vec<u64>, bool) = match (range, into) {
            // It is one of these, whatever array they are of.
            (Some(range), _) => (range.numbers().collect(), true),
            (None, Some(object)) => {
                let (start, size) = self.layout.extent(object);
                let generic = matches!(object, Object::Shared(..)) && window == Window::Generic;
                let start = if generic { start + SHARED } else { start };
                let start = match object {
                    Object::Shared(block, _) if block != self.block => {
                        start
                            + u64::from(block - self.launch.first_of_cluster(self.block) + 1) * RANK
                    }
                    _ => start,
                };
                let count = size.map_or(ELEMENTS, |size| size / step);
                if count > MAX_PLACES as u64 {
                    return Err(format!(
                        "a computed index into an array of more than {MAX_PLACES} elements"
                    ));
                }
                let start = start.wrapping_sub(displacement as u64);
                ((0..count).map(|n| start.wrapping_add(n * step)).collect(), size.is_some())
            }
            (None, None) => {
                let all = std::iter::once(0).chain(self.facts.pointers.iter().copied());
                (all.map(|at| at.wrapping_add_signed(plus)).collect(), false)
            }
        };
        let origin = self.origin(state);
        let last = places.last().copied().filter(|_| range.is_some());
        for place in places {
            let known = self.temporary();
            let is_last = last == Some(place);
            if !is_last {
                self.code.push((
                    CodePiece::Other(format!("setp.eq.u64 {known}, {}, {place}", value.text)),
                    Some(origin),
                ));
            }
            let mut with = state.clone();
            with.known.insert(key, KnownValue::Bits(place));
            // A state in the middle of its instruction is labelled with all that it knows.
            let label = self.labels.len() as u32;
            let label = *self.labels.entry(with.clone()).or_insert(label);
            if !self.todo.iter().any(|(l, _)| *l == label)
                && !self.code.iter().any(|(p, _)| *p == CodePiece::Label(label))
            {
                self.todo.push((label, with));
            }
            self.code
                .push((CodePiece::Jump((!is_last).then_some((known, true)), label), Some(origin)));
        }
        if last.is_some() {
            return Ok(StepEnd::Left);
        }
        match whole {
            true => self.stop(state, MarkKind::Outside, "an index that memory says is outside of its array, or no multiple of what is accessed"),
            false => self.stop(state, MarkKind::Cut, format!("an address that memory says is none of those that were followed (of an array without a size {ELEMENTS} elements are)")),
        };
        Ok(StepEnd::Left)
    }
}
