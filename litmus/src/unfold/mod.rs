//! Unfolding: from a test to its candidate executions, but for the choices of reads-from and orders.
//!
//! Each thread becomes straight code (program.rs), is executed symbolically along every path (path.rs) with the values of
//! reads as unknowns, and a choice of one path for each thread gives a [`Skeleton`]: events, program order, dependencies, and
//! what must hold of the values.

mod barriers;
mod compile_c;
mod compile_ptx;
mod path;
mod program;
mod skeleton;
mod spin;
mod symbol;

pub use skeleton::{Address, Skeleton, WriteValue};
pub use symbol::{Symbol, Symbols};

use std::fmt;
use std::sync::Arc;

use margay_models::diagnostic::Span;
use margay_models::signature::Signature;

use crate::test::{Dialect, InitialValue, Test, ThreadId, Variable};
use path::Path;
use program::Program;

/// Bounds of the unfolding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How often each backward jump is taken on a path.
    pub unroll: usize,
    /// The largest number of paths of a thread.
    pub paths: usize,
    /// Leave out paths that go round a loop which only waits: right for models that forbid no less when reads are added.
    pub skip_waiting: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { unroll: 2, paths: 4096, skip_waiting: false }
    }
}

/// The largest number of skeletons.
const MAX_SKELETONS: usize = 10_000_000;

/// Why a test cannot be unfolded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// One sentence.
    pub message: String,
    /// Where, in the text that the test was read from.
    pub place: Option<Span>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Without a place.
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }

    /// With a place.
    fn at(message: impl Into<String>, place: crate::test::Place) -> Self {
        Self { message: message.into(), place: Some(place.0) }
    }
}

/// A test, unfolded.
#[derive(Debug, Clone)]
pub struct Unfolding {
    /// For each thread its paths.
    paths: Vec<Vec<Path>>,
    /// For each thread the nodes of its symbolic values.
    symbols: Arc<[Symbols]>,
    /// What all candidates share.
    shared: skeleton::Shared,
    /// Was a path cut off at the bound?
    pub bounded: bool,
    /// Were paths left out that only wait?
    pub waits: bool,
}

impl Unfolding {
    /// Unfolds a test into executions of a signature. Any test has executions without orders and scopes ([`Signature::Plain`],
    /// where only fences that are sequentially consistent remain); other signatures must be that of the test.
    pub fn new(test: &Test, signature: Signature, bounds: Bounds) -> Result<Self, Error> {
        let shared = skeleton::Shared::new(test, signature)?;
        barriers::check(test)?;
        let (mut paths, mut symbols, mut bounded, mut waits) = (Vec::new(), Vec::new(), false, false);
        for t in 0..test.threads.len() {
            let program = compile(test, ThreadId(t as u8), &shared)?;
            let explored = path::explore(&program, &shared, bounds)?;
            bounded |= explored.bounded;
            waits |= explored.waits;
            paths.push(explored.paths);
            symbols.push(explored.symbols);
        }
        one_width_each(&paths, &shared)?;
        let combinations = paths.iter().try_fold(1usize, |n, p: &Vec<Path>| n.checked_mul(p.len()));
        if combinations.is_none_or(|n| n > MAX_SKELETONS) {
            return Err(Error::new(format!("the threads have more than {MAX_SKELETONS} combinations of paths")));
        }
        Ok(Self { paths, symbols: symbols.into(), shared, bounded, waits })
    }

    /// The number of skeletons: one for each choice of a path for each thread.
    pub fn len(&self) -> usize {
        self.paths.iter().map(Vec::len).product()
    }

    /// Is there no skeleton at all? (A thread whose every path was cut off.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The skeleton with the given number.
    pub fn skeleton(&self, mut number: usize) -> Result<Skeleton, Error> {
        if number >= self.len() {
            return Err(Error::new(format!("there is no skeleton {number}")));
        }
        let mut chosen = Vec::with_capacity(self.paths.len());
        for paths in &self.paths {
            chosen.push(&paths[number % paths.len()]);
            number /= paths.len();
        }
        skeleton::assemble(&chosen, &self.symbols, &self.shared)
    }
}

/// All accesses of a memory location have one width, also those through registers and aliases: overlap is complete or none.
fn one_width_each(paths: &[Vec<Path>], shared: &skeleton::Shared) -> Result<(), Error> {
    let mut known: Vec<Option<u8>> = vec![None; shared.locations.len()];
    for e in paths.iter().flatten().flat_map(|p| &p.events) {
        let (Some(bits), Some(location)) = (e.bits, e.data.location) else { continue };
        let physical = usize::from(shared.locations[usize::from(location)].physical);
        match known[physical] {
            Some(before) if before != bits => {
                let name = &shared.locations[physical].name;
                return Err(Error::at(
                    format!("accesses of {before} and of {bits} bits to `{name}`: the model does not apply (PTX ISA 8.7.2)"),
                    e.place,
                ));
            }
            _ => known[physical] = Some(bits),
        }
    }
    Ok(())
}

/// The straight code of a thread.
fn compile(test: &Test, thread: ThreadId, shared: &skeleton::Shared) -> Result<Program, Error> {
    let mut program = match test.dialect {
        Dialect::C => compile_c::compile(test, thread, shared)?,
        Dialect::Ptx | Dialect::GpuPtx | Dialect::Generic => compile_ptx::compile(test, thread, shared)?,
    };
    for declared in test.registers.iter().filter(|r| r.thread == thread) {
        let register = program.register(&declared.name);
        let value = match &declared.value {
            Some(InitialValue::Integer(n)) => *n,
            Some(InitialValue::AddressOf(location)) => shared.address_of(location)?,
            None => 0,
        };
        program.initial.push((register, value));
    }
    let asked = test.condition.proposition.variables();
    for variable in asked.into_iter().chain(test.filter.iter().flat_map(|f| f.variables())).chain(&test.observed) {
        if let Variable::Register { thread: of, name } = variable
            && *of == thread
        {
            program.register(name);
        }
    }
    Ok(program)
}
