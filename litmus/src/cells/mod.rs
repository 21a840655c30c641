//! Accesses of two sizes to one location (PTX ISA 8.2.1). The location is taken as cells, as wide
//! as its narrowest access, and a wider access as one access to each of its cells, the lowest byte
//! first.
//!
//! That is what the chapter says where all accesses are ordered: then each byte that is read comes
//! from the last write of that byte. It is not where they race. "The axioms in the memory
//! consistency model do not apply if a PTX program contains one or more mixed-size data-races"
//! (8.7.2), and an access of one piece has no value that comes from two. So a test is answered
//! where one thread alone accesses the location, or where no execution that the model allows has a
//! race (`explicit/ordered.rs`). All else is refused, with its reason: what synchronises by such a
//! location, read-modify-writes (8.7.2 says that two of them are atomic, and nothing of the value
//! that comes of it), addresses in registers, aliases.

mod memory;
mod rewrite;

use crate::refused::UnfoldError;
use crate::test::{Body, Place, Test};
use memory::CellMemory;

/// A test whose locations have one size each.
#[derive(Debug)]
pub(crate) struct Split {
    /// The test, with cells in place of the locations that had two sizes.
    pub test: Test,
    /// Those locations.
    memories: Vec<CellMemory>,
}

impl Split {
    /// A location that several threads access, if there is one: its sizes in words, and an access
    /// of another size than the first.
    pub fn shared(&self) -> Option<(String, Place)> {
        let memory = self.memories.iter().find(|m| m.is_shared)?;
        Some((memory.sizes(), memory.second))
    }
}

/// An error for a test that has accesses of two sizes to one location: it has an answer, and
/// nothing else is done with it.
pub fn one_size_each(test: &Test) -> Result<(), UnfoldError> {
    match memory::of_two_sizes(test)?.first() {
        None => Ok(()),
        Some(memory) => {
            let message = format!(
                "{}: `margay run` answers such a test; what is asked here needs one size",
                memory.sizes()
            );
            Err(UnfoldError::at(message, memory.second))
        }
    }
}

/// The test in cells; `None` if every location has accesses of one size already.
pub(crate) fn split(test: &Test) -> Result<Option<Split>, UnfoldError> {
    let memories = memory::of_two_sizes(test)?;
    if memories.is_empty() {
        return Ok(None);
    }
    let mut split = test.clone();
    rewrite::locations(&mut split.locations, &memories)?;
    for thread in &mut split.threads {
        if let Body::Instructions(instructions) = &mut thread.body {
            *instructions = rewrite::instructions(instructions, &memories)?;
        }
    }
    split.condition.proposition = rewrite::proposition(&test.condition.proposition, &memories)?;
    split.filter = test.filter.as_ref().map(|p| rewrite::proposition(p, &memories)).transpose()?;
    split.observed = rewrite::variables(&test.observed, &memories);
    Ok(Some(Split { test: split, memories }))
}
