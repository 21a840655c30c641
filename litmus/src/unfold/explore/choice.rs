//! What is not known where it is needed: the location that an address stands for, the number of a
//! barrier, the truth of a condition, and the order of a vector's elements. Each choice is a state
//! of its own, which supposes what was chosen.

use super::super::address::LocationAddress;
use super::super::path::Dependent;
use super::super::stop::{Cause, Stop};
use super::super::symbol::{Binary, Symbol};
use super::super::{UnfoldError, barriers};
use super::{ExplorationState, Explorer};
use crate::test::{NumberComparison, Place};

/// The elements of a vector in the order in which they are accessed, each with its location.
type Elements = Vec<(usize, u16)>;

/// The largest number of elements of a vector that are accessed in every order: 720 of them.
const MAX_ORDERED: usize = 6;

impl Explorer<'_> {
    /// Is a value different from 0 on this path, by what it supposes so far?
    pub(super) fn decided(&self, state: &ExplorationState, symbol: Symbol) -> Option<bool> {
        let supposed = &state.path.suppositions;
        if let Some((_, holds)) = supposed.iter().find(|(s, _)| *s == symbol) {
            return Some(*holds);
        }
        self.symbols.implied(supposed, symbol).map(|n| n != 0)
    }

    /// The state in which a value is a number; `None` where that cannot be.
    fn supposing(
        &mut self,
        state: &ExplorationState,
        value: Dependent,
        number: i64,
    ) -> Option<ExplorationState> {
        let mut state = state.clone();
        let wanted = self.symbols.constant(number);
        let equal =
            self.symbols.binary(Binary::Compare(NumberComparison::Equal), value.symbol, wanted);
        if self.decided(&state, equal) == Some(false) {
            return None;
        }
        state.path.suppositions.push((equal, true));
        Some(state)
    }

    /// The barriers that a number may stand for, each with the state in which it does.
    pub(super) fn barriers(
        &mut self,
        state: &ExplorationState,
        number: Dependent,
        place: Place,
    ) -> Result<Vec<(u16, ExplorationState)>, UnfoldError> {
        let is_barrier = |n: i64| u16::try_from(n).ok().filter(|&n| n < barriers::NUMBER);
        if let Some(n) = self.symbols.as_constant(number.symbol) {
            let barrier =
                is_barrier(n).ok_or_else(|| UnfoldError::at(barriers::no_barrier(n), place))?;
            return Ok(vec![(barrier, state.clone())]);
        }
        let all: Vec<i64> = (0..i64::from(barriers::NUMBER)).collect();
        self.stop_at_another(
            state,
            number,
            &all,
            Stop { value: Some(number.symbol), ..Stop::new(Cause::BarrierNumber, place) },
        );
        let mut found = Vec::new();
        for barrier in (0..barriers::NUMBER).rev() {
            if let Some(state) = self.supposing(state, number, i64::from(barrier)) {
                found.push((barrier, state));
            }
        }
        Ok(found)
    }

    /// The locations that an address may stand for, each with the state in which it does.
    pub(super) fn locations(
        &mut self,
        state: &ExplorationState,
        address: Dependent,
        place: Place,
    ) -> Result<Vec<(u16, ExplorationState)>, UnfoldError> {
        let outside = Stop { value: Some(address.symbol), ..Stop::new(Cause::Address, place) };
        if let Some(n) = self.symbols.as_constant(address.symbol) {
            return match self.shared.location_at(n) {
                Some(location) => Ok(vec![(location, state.clone())]),
                // On a path that not every execution takes, it is one that is lost.
                None if !state.path.suppositions.is_empty() => {
                    self.stop(state.clone(), outside);
                    Ok(Vec::new())
                }
                None => Err(UnfoldError::at(self.shared.no_location_at(n), place)),
            };
        }
        let all: Vec<i64> = (0..self.shared.accessible()).map(|l| self.shared.address(l)).collect();
        self.stop_at_another(state, address, &all, outside);
        // An address that is read or computed: every location, where the value is its address.
        let mut found = Vec::new();
        for location in (0..self.shared.accessible()).rev() {
            if let Some(state) = self.supposing(state, address, self.shared.address(location)) {
                found.push((location as u16, state));
            }
        }
        Ok(found)
    }

    /// The thread stops where a value is none of these numbers.
    fn stop_at_another(
        &mut self,
        state: &ExplorationState,
        value: Dependent,
        numbers: &[i64],
        stop: Stop,
    ) {
        let mut state = state.clone();
        for &number in numbers {
            let wanted = self.symbols.constant(number);
            let equal =
                self.symbols.binary(Binary::Compare(NumberComparison::Equal), value.symbol, wanted);
            match self.decided(&state, equal) {
                Some(true) => return,
                Some(false) => {}
                None => state.path.suppositions.push((equal, false)),
            }
        }
        self.stop(state, stop);
    }

    /// The elements of a vector, each with its location, in every order in which they may be
    /// accessed, for each location that its address may stand for.
    pub(super) fn vectors(
        &mut self,
        state: &ExplorationState,
        address: Dependent,
        width: LocationAddress,
        count: usize,
        place: Place,
    ) -> Result<Vec<(Elements, ExplorationState)>, UnfoldError> {
        let constant = self.symbols.as_constant(address.symbol).is_some();
        let mut found = Vec::new();
        for (first, state) in self.locations(state, address, place)? {
            let start = self.shared.address(usize::from(first));
            let address = |element: usize| start + width * element as LocationAddress;
            let elements: Option<Vec<u16>> =
                (0..count).map(|e| self.shared.location_at(address(e))).collect();
            match elements {
                Some(locations) => {
                    for order in self.orders(&locations, place)?.into_iter().rev() {
                        let elements = order
                            .into_iter()
                            .map(|element| (element, locations[element]))
                            .collect();
                        found.push((elements, state.clone()));
                    }
                }
                None => {
                    let outside = (0..count)
                        .map(address)
                        .find(|&a| self.shared.location_at(a).is_none())
                        .unwrap_or(start);
                    if constant && state.path.suppositions.is_empty() {
                        return Err(UnfoldError::at(self.shared.no_location_at(outside), place));
                    }
                    let value = Some(self.symbols.constant(outside));
                    self.stop(state, Stop { value, ..Stop::new(Cause::Address, place) });
                }
            }
        }
        Ok(found)
    }

    /// The orders in which the elements of a vector may be accessed. Where an element stands that
    /// no other thread accesses makes no difference: those come last.
    pub(super) fn orders(
        &self,
        locations: &[u16],
        place: Place,
    ) -> Result<Vec<Vec<usize>>, UnfoldError> {
        let seen = |&e: &usize| self.shared.is_observed(locations[e], self.thread);
        let (observed, own): (Vec<usize>, Vec<usize>) = (0..locations.len()).partition(seen);
        if observed.len() > MAX_ORDERED {
            let message = format!(
                "other threads access {} elements of this vector, which come in any order (PTX ISA 8.2.4); {MAX_ORDERED} are the most",
                observed.len()
            );
            return Err(UnfoldError::at(message, place));
        }
        let orders = permutations(observed.len()).into_iter();
        Ok(orders
            .map(|order| {
                order.into_iter().map(|e| observed[e]).chain(own.iter().copied()).collect()
            })
            .collect())
    }
}

/// All orders of so many things, the order itself first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let mut found: Vec<Vec<usize>> = Vec::new();
    for shorter in permutations(last) {
        for at in (0..=last).rev() {
            let mut longer = shorter.clone();
            longer.insert(at, last);
            found.push(longer);
        }
    }
    found
}
