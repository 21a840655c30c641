//! What the lanes of a warp give each other at a meeting: each writes what it brings, and reads
//! behind the meeting what it needs.

use margay_models::execution::{Order, Scope};
use margay_ptx::ScalarType;
use margay_ptx::effect::Update;
use margay_ptx::exchange::{Exchange, LaneValues};

use super::super::UnfoldError;
use super::super::lanes::{NOTHING, arrivals};
use super::super::path::Dependent;
use super::super::program::{Attributes, ExchangeStep};
use super::super::symbol::Binary;
use super::access::AccessedLocation;
use super::{ExplorationState, Explorer};
use crate::test::{Integer, NumberComparison, Place};

/// Relaxed, so that it races with nothing.
fn attributes(reduction: bool) -> Attributes {
    Attributes { reduction, ..Attributes::new(Order::Rlx, Some(Scope::Cta)) }
}

impl Explorer<'_> {
    /// A lane writes what it brings.
    pub(super) fn bring(
        &mut self,
        state: &mut ExplorationState,
        step: &ExchangeStep,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let round = arrivals(state.path.events.iter().map(|e| &e.data), step.meeting);
        let Some(location) = self.shared.lanes.location(step.meeting, round, self.thread) else {
            let message = "what lanes give each other in a loop is not modelled: write the rounds one after the other, or `_` for the destination";
            return Err(UnfoldError::at(message, place));
        };
        let (value, address) = (self.own(state, step), self.zero());
        self.write(
            state,
            AccessedLocation { location, address },
            value,
            attributes(false),
            None,
            place,
        );
        Ok(())
    }

    /// It takes what they make of it.
    pub(super) fn take(
        &mut self,
        state: &mut ExplorationState,
        step: &ExchangeStep,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let Some(to) = step.to else { return Ok(()) };
        let own = self.own(state, step);
        let value = if let Exchange::Shuffle(mode) = step.exchange {
            let [b, c] = [1, 2].map(|n| {
                let value = self.term(state, step.brought.get(n)?);
                self.symbols.implied(&state.path.suppositions, value.symbol)
            });
            let (Some(b), Some(c)) = (b, c) else {
                return Err(UnfoldError::at(
                    "which lane a shuffle reads depends on memory: that is not modelled",
                    place,
                ));
            };
            let (source, _) = mode.source(step.lane, b as u32, c as u32);
            match step.lanes.iter().find(|(lane, _)| *lane == source) {
                Some(_) if source == step.lane => own,
                Some(&(_, thread)) => self.brought(state, step, thread, place),
                None => {
                    let message = format!(
                        "lane {} reads lane {source} here, which takes no part: what it gets is undefined (PTX ISA, shfl.sync)",
                        step.lane
                    );
                    return Err(UnfoldError::at(message, place));
                }
            }
        } else {
            let mut all = Vec::with_capacity(step.lanes.len());
            for &(lane, thread) in &step.lanes {
                all.push((
                    lane,
                    if lane == step.lane { own } else { self.brought(state, step, thread, place) },
                ));
            }
            let result = step.exchange.result(&mut PathValues(self), step.ty, step.lane, &all);
            let Some([value, _]) = result else {
                return Err(UnfoldError::at(
                    "what these lanes make of what they bring is not modelled",
                    place,
                ));
            };
            value
        };
        state.registers[usize::from(to.0)] = value;
        Ok(())
    }

    /// What the thread itself brings.
    fn own(&mut self, state: &ExplorationState, step: &ExchangeStep) -> Dependent {
        let value = match step.brought.first() {
            Some(term) => self.term(state, term),
            None => self.zero(),
        };
        if step.exchange.is_vote() {
            let zero = self.zero();
            return self.binary(Binary::Compare(NumberComparison::NotEqual), value, zero);
        }
        self.convert(value, Integer::of(step.ty))
    }

    /// What another thread brings.
    fn brought(
        &mut self,
        state: &mut ExplorationState,
        step: &ExchangeStep,
        thread: usize,
        place: Place,
    ) -> Dependent {
        let round =
            arrivals(state.path.events.iter().map(|e| &e.data), step.meeting).saturating_sub(1);
        let Some(location) = self.shared.lanes.location(step.meeting, round, thread) else {
            return self.zero();
        };
        let address = self.zero();
        let value =
            self.read(state, None, AccessedLocation { location, address }, attributes(true), place);
        let nothing = self.symbols.constant(NOTHING);
        let is_there =
            self.symbols.binary(Binary::Compare(NumberComparison::NotEqual), value.symbol, nothing);
        state.path.suppositions.push((is_there, true));
        Dependent { known: Integer::of(step.ty), ..value }
    }
}

struct PathValues<'e, 'a>(&'e mut Explorer<'a>);

impl LaneValues for PathValues<'_, '_> {
    type Value = Dependent;

    fn number(&mut self, number: u64) -> Dependent {
        Dependent { symbol: self.0.symbols.constant(number as i64), ..self.0.zero() }
    }

    fn join(
        &mut self,
        update: Update,
        ty: ScalarType,
        a: &Dependent,
        b: &Dependent,
    ) -> Option<Dependent> {
        let operator = match update {
            Update::Add => Binary::Add,
            Update::Min => Binary::Min,
            Update::Max => Binary::Max,
            Update::And => Binary::And,
            Update::Or => Binary::Or,
            Update::Xor => Binary::Xor,
            Update::Exchange | Update::CompareAndSwap | Update::Increment | Update::Decrement => {
                return None;
            }
        };
        let ty = Integer::of(ty);
        let joined = ty.map_or(operator, |ty| operator.of(Some(ty)));
        let joined = self.0.binary(joined, *a, *b);
        Some(self.0.convert(joined, ty))
    }

    fn equal(&mut self, _: ScalarType, a: &Dependent, b: &Dependent) -> Dependent {
        self.0.binary(Binary::Compare(NumberComparison::Equal), *a, *b)
    }

    fn choose(&mut self, truth: &Dependent, number: u64) -> Dependent {
        let number = self.number(number);
        self.0.binary(Binary::Multiply, *truth, number)
    }
}
