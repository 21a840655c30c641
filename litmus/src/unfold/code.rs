//! A test as straight code, for machines that execute tests instead of unfolding them.

use super::program::Program;
use super::shared::Shared;
use super::{LocationAddress, Unary, UnfoldError, barriers, compile};
use crate::test::{Integer, Test, ThreadId};

/// The code of every thread, and the memory that it starts from.
#[derive(Debug, Clone)]
pub struct Code {
    /// For each thread its steps.
    pub threads: Vec<Program>,
    shared: Shared,
}

impl Code {
    /// Compiles a test; what it cannot say (an unknown label or location) is an error with its
    /// place.
    pub fn new(test: &Test) -> Result<Self, UnfoldError> {
        let signature = test.dialect.signature();
        crate::cells::one_size_each(test)?;
        let shared = Shared::new(test, signature)?;
        barriers::check(test)?;
        let threads = (0..test.threads.len())
            .map(|t| compile(test, ThreadId(t as u16), &shared))
            .collect::<Result<_, _>>()?;
        Ok(Self { threads, shared })
    }

    /// For each location, in order of declaration, its initial value.
    pub fn initial(&self) -> &[i64] {
        &self.shared.initial
    }

    /// For each location the one that owns its memory.
    pub fn physical(&self, location: usize) -> usize {
        usize::from(self.shared.locations[location].physical)
    }

    /// For each location the one whose generic address it has: itself, or what the name of a
    /// surface, texture or constant names.
    pub fn generic(&self, location: usize) -> usize {
        usize::from(self.shared.generic[location])
    }

    /// The value that stands for the address of a location.
    pub fn address(&self, location: usize) -> LocationAddress {
        self.shared.address(location)
    }

    /// The type in which an access computes with the values of a location.
    pub fn integer(&self, location: usize, of_access: Option<Integer>) -> Option<Integer> {
        of_access.or(self.shared.integers[location])
    }

    /// What an access of a type reads from a location that holds a value.
    pub fn loaded(&self, location: usize, of_access: Option<Integer>, held: i64) -> i64 {
        self.integer(location, of_access).map_or(held, |i| Unary::Convert(i).apply(held))
    }

    /// What a location holds after an access of a type has written a value.
    pub fn stored(&self, location: usize, of_access: Option<Integer>, value: i64) -> i64 {
        let written = of_access.map_or(value, |i| Unary::Convert(i).apply(value));
        self.shared.integers[location].map_or(written, |i| Unary::Convert(i).apply(written))
    }

    /// The location at an address; `None` if there is none.
    pub fn location_at(&self, address: LocationAddress) -> Option<usize> {
        self.shared.location_at(address).map(usize::from)
    }
}
