//! Unfolding: from a test to its candidate executions, but for the choices of reads-from and
//! orders.
//!
//! Each thread becomes straight code (program.rs), is executed symbolically along every path
//! (explore) with the values of reads as unknowns, and a choice of one path for each thread gives a
//! [`Skeleton`]: events, program order, dependencies, and what must hold of the values.

mod accesses;
mod address;
pub(crate) mod asynchronous;
mod barriers;
mod bounds;
mod code;
mod compile_c;
mod compile_ptx;
mod compiled;
mod contents;
mod domain;
mod exits;
mod explore;
mod lanes;
mod launches;
mod meeting;
mod merge;
mod multimem;
mod of_execution;
mod path;
pub mod program;
mod retry;
mod shared;
mod skeleton;
mod spin;
mod stop;
mod symbol;

pub use crate::refused::UnfoldError;
pub use address::LocationAddress;
pub(crate) use address::is_address;
pub use bounds::UnfoldingBounds;
pub use code::Code;
pub use compiled::{Compiled, Emitted, EmittedAs, PathOperation, RmwFunction, SourcePaths};
pub(crate) use domain::Domains;
pub(crate) use merge::{Merged, MergedPath, MergedValue, ValueId};
pub use of_execution::ExecutionProgram;
pub(crate) use path::{Path, PathEvent};
pub use retry::RetryRounds;
pub use skeleton::{Skeleton, WriteValue};
pub use stop::{Cause, Standstill};
pub(crate) use symbol::SymbolNode;
pub use symbol::{Binary, MbarrierFunction, Symbol, Symbols, Unary};

use std::sync::Arc;

use margay_models::bits::{Event, WORD_EVENTS};
use margay_models::execution::{Location, Placement};
use margay_models::signature::Signature;

use crate::test::{
    AskedCondition, Dialect, InitialValue, Place, Proposition, Test, ThreadId, Variable,
};
use crate::verdict::Witness;
use accesses::Accesses;
use shared::Shared;
use stop::Stop;

/// The largest number of skeletons.
const MAX_SKELETONS: usize = 10_000_000;

/// A test, unfolded.
#[derive(Debug, Clone)]
pub struct Unfolding {
    /// For each thread its paths.
    paths: Vec<Vec<Path>>,
    /// For each thread the paths on which it does not come to its end.
    stopped: Vec<Vec<Path>>,
    /// May a thread wait at a barrier for ever?
    meets: bool,
    /// The same, if the threads of the test are all of their ctas and clusters.
    meets_as_whole: bool,
    /// Are they taken to be?
    as_whole: bool,
    /// For each thread the nodes of its symbolic values.
    symbols: Arc<[Symbols]>,
    /// What all candidates share.
    shared: Shared,
    /// Was a path cut off at the bound?
    pub bounded: bool,
    /// Were paths left out that only wait?
    pub waits: bool,
}

/// The paths of all threads, each with the nodes of its symbolic values.
fn with_symbols<'a>(
    paths: &'a [Vec<Path>],
    symbols: &'a [Symbols],
) -> impl Iterator<Item = (&'a Path, &'a Symbols)> + Clone {
    paths
        .iter()
        .zip(symbols)
        .flat_map(|(paths, symbols)| paths.iter().map(move |path| (path, symbols)))
}

impl Unfolding {
    /// Unfolds a test into executions of a signature. Any test has executions without orders and
    /// scopes ([`Signature::PLAIN`], where only fences that are sequentially consistent remain);
    /// other signatures must be that of the test.
    pub fn new(
        test: &Test,
        signature: Signature,
        bounds: UnfoldingBounds,
    ) -> Result<Self, UnfoldError> {
        Ok(Self::until(test, signature, bounds, &|| false)?
            .unwrap_or_else(|| unreachable!("nothing ends it")))
    }

    /// The same, as long as it is not over; nothing once it is.
    pub(crate) fn until(
        test: &Test,
        signature: Signature,
        bounds: UnfoldingBounds,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, UnfoldError> {
        crate::cells::one_size_each(test)?;
        asynchronous::check(test, signature)?;
        let shared = Shared::new(test, signature)?;
        let (mut paths, mut stopped, mut symbols) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bounded, mut waits, mut retries_write) = (false, false, false);
        let threads = 0..test.threads.len();
        let programs = threads
            .map(|t| compile(test, ThreadId(t as u16), &shared))
            .collect::<Result<Vec<_>, _>>()?;
        let accesses = Accesses::new(&programs, &shared);
        for (t, program) in programs.iter().enumerate() {
            let explored = explore::explore((program, t), &shared, &accesses, bounds, is_over)?;
            if is_over() {
                return Ok(None);
            }
            bounded |= explored.bounded;
            waits |= explored.waits;
            retries_write |= explored.retries_write;
            paths.push(explored.paths);
            stopped.push(explored.stopped);
            symbols.push(explored.symbols);
        }
        // Where a race is looked for the first one shows that nobody else reads what was left out,
        // if there is a first one.
        bounded |= retries_write
            && bounds.retries != RetryRounds::Last
            && !retry::values_come_in_order(
                with_symbols(&paths, &symbols).chain(with_symbols(&stopped, &symbols)),
            );
        one_width_each(&paths, &symbols, &shared)?;
        shared.lanes.check(test, &paths, &|meeting| shared.meetings.number(meeting))?;
        let (meets, meets_as_whole, as_whole) = (true, true, true);
        let symbols = symbols.into();
        let mut unfolding = Self {
            paths,
            stopped,
            meets,
            meets_as_whole,
            as_whole,
            symbols,
            shared,
            bounded,
            waits,
        };
        // Too many ways through barriers are looked at one by one.
        let may_wait = |unfolding: &Self| unfolding.unmet().map_or(true, |unmet| !unmet.is_empty());
        unfolding.meets_as_whole = may_wait(&unfolding);
        unfolding.as_whole = false;
        unfolding.meets = unfolding.meets_as_whole && may_wait(&unfolding);
        if bounds.ends_let_pass {
            unfolding.ends_let_pass();
        }
        Ok(Some(unfolding))
    }

    /// The number of skeletons: one for each choice of a path for each thread. The largest number
    /// there is, if it is larger.
    pub fn len(&self) -> usize {
        self.paths.iter().map(Vec::len).fold(1, usize::saturating_mul)
    }

    /// Are there so few skeletons that one can go through them?
    pub fn can_be_enumerated(&self) -> Result<(), UnfoldError> {
        if self.len() > MAX_SKELETONS {
            return Err(UnfoldError::new(format!(
                "the threads have more than {MAX_SKELETONS} combinations of paths"
            )));
        }
        Ok(())
    }

    /// Is there no skeleton at all? (A thread whose every path was cut off.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The skeleton with the given number.
    pub fn skeleton(&self, number: usize) -> Result<Skeleton, UnfoldError> {
        if number >= self.len() {
            return Err(UnfoldError::new(format!("there is no skeleton {number}")));
        }
        self.skeleton_of(&self.chosen(number))
    }

    /// For each thread the number of its path in a skeleton.
    pub(crate) fn chosen(&self, mut number: usize) -> Vec<usize> {
        let mut next = |paths: &Vec<Path>| {
            let path = number % paths.len();
            number /= paths.len();
            path
        };
        self.paths.iter().map(&mut next).collect()
    }

    /// How many events the skeleton of a path for each thread has.
    pub(crate) fn events_on(&self, chosen: &[usize]) -> usize {
        let of_threads: usize =
            self.paths.iter().zip(chosen).map(|(paths, &p)| paths[p].events.len()).sum();
        of_threads + self.shared.initial_writes().count()
    }

    /// The skeleton of a path for each thread, of which a set of events is a word: for an engine
    /// that takes no larger ones.
    pub(crate) fn skeleton_in_a_word(
        &self,
        chosen: &[usize],
    ) -> Result<Skeleton, crate::verdict::Error> {
        match self.events_on(chosen) {
            events if events > WORD_EVENTS => Err(crate::verdict::Error::Large(events)),
            _ => Ok(self.skeleton_of(chosen)?),
        }
    }

    /// The skeleton of a path for each thread.
    pub(crate) fn skeleton_of(&self, chosen: &[usize]) -> Result<Skeleton, UnfoldError> {
        let chosen: Vec<&Path> =
            self.paths.iter().zip(chosen).map(|(paths, &p)| &paths[p]).collect();
        skeleton::assemble(&chosen, &self.symbols, &self.shared)
    }

    /// The paths of a thread and the nodes of its values.
    pub(crate) fn thread(&self, thread: usize) -> (&[Path], &Symbols) {
        (&self.paths[thread], &self.symbols[thread])
    }

    /// For each physical location its initial value.
    pub(crate) fn initial(&self, physical: u16) -> i64 {
        self.shared.initial[usize::from(physical)]
    }

    /// The location at an address; `None` for numbers that are no address.
    pub(crate) fn location_at(&self, address: LocationAddress) -> Option<u16> {
        self.shared.location_at(address)
    }

    /// May an execution be lost: may a thread stop before its end, in an execution or in all?
    pub(crate) fn may_stop(&self) -> bool {
        self.waits
            || self.bounded
            || self.meets_as_whole
            || self.is_empty()
            || self.stops_by_fault().next().is_some()
    }

    /// The instructions at which a thread may stop because they have no meaning with the values
    /// they got: thread, place, and cause.
    pub(crate) fn stops_by_fault(&self) -> impl Iterator<Item = (ThreadId, Place, Cause)> + '_ {
        let of_thread = |(t, paths): (usize, &'_ Vec<Path>)| {
            let mut found: Vec<(ThreadId, Place, Cause)> = Vec::new();
            for stop in paths.iter().filter_map(|p| p.stop).filter(|s| s.cause.is_fault()) {
                let one = (ThreadId(t as u16), stop.place, stop.cause);
                // Places are all equal.
                if !found.iter().any(|known| known.1.0 == one.1.0 && known.2 == one.2) {
                    found.push(one);
                }
            }
            found
        };
        self.stopped.iter().enumerate().flat_map(of_thread)
    }

    /// The executions that pass a filter; nothing else is asked of them.
    pub(crate) fn passing(&self, filter: Option<&Proposition>) -> Self {
        let asked = AskedCondition { condition: Proposition::True, filter: filter.cloned() };
        Self { shared: Shared { asked: asked.into(), ..self.shared.clone() }, ..self.clone() }
    }

    /// The executions that end if the threads of the test are all of their ctas and clusters: then
    /// one that waits at a barrier of all threads waits for those as well that never come to it.
    pub(crate) fn ending(&self) -> Self {
        Self { as_whole: true, meets: self.meets_as_whole, ..self.passing(None) }
    }

    /// The executions in which threads come to their ends or stop.
    pub(crate) fn stopping(&self) -> Self {
        let paths = self
            .paths
            .iter()
            .zip(&self.stopped)
            .map(|(paths, stopped)| [paths.as_slice(), stopped].concat());
        let meets = self.meets_as_whole
            || self
                .stopped
                .iter()
                .flatten()
                .any(|p| p.stop.is_some_and(|s| s.cause == Cause::Barrier));
        Self { paths: paths.collect(), meets, ..self.ending() }
    }

    /// Those of [`Unfolding::stopping`] in which a thread stops at an instruction.
    pub(crate) fn stopping_at(&self, (thread, place, cause): (ThreadId, Place, Cause)) -> Self {
        let mut found = Self { as_whole: false, ..self.stopping() };
        let is_there = |p: &Path| p.stop.is_some_and(|s| s.place.0 == place.0 && s.cause == cause);
        found.paths[thread.index()].retain(is_there);
        found
    }

    /// The threads that stop in an execution of this unfolding.
    pub(crate) fn standstills(&self, found: &Witness) -> Result<Vec<Standstill>, UnfoldError> {
        let skeleton = self.skeleton_of(&found.paths)?;
        let of_thread = |(t, &path): (usize, &usize)| {
            let Stop { cause, place, value, .. } = self.paths[t].get(path)?.stop?;
            let thread = ThreadId(t as u16);
            let read = |e: Event| found.execution.events[e.index()].value;
            let number = value.and_then(|symbol| skeleton.evaluate(thread, symbol, read));
            let why = match (cause, number) {
                (Cause::Address, Some(n)) => self.shared.no_location_at(n),
                (Cause::Address, None) => "the address is outside of every location".to_owned(),
                (Cause::BarrierNumber, Some(n)) => barriers::no_barrier(n),
                (Cause::BarrierNumber, None) => "there is no barrier of that number".to_owned(),
                (Cause::Division, _) => "a division by zero".to_owned(),
                (Cause::Waiting, _) => "it waits in a loop for a value that does not come".to_owned(),
                (Cause::Bound, _) => "it is still in a loop, gone round as often as --unroll lets it".to_owned(),
                (Cause::Mbarrier, _) => {
                    "the mbarrier was not initialised, as far as this operation sees, its phase has too few pending arrivals, or it was told of more bytes than it counts"
                        .to_owned()
                }
                (Cause::Barrier, _) => "it waits at a barrier that another thread does not come to".to_owned(),
            };
            Some(Standstill { thread, place, cause, why })
        };
        Ok(found.paths.iter().enumerate().filter_map(of_thread).collect())
    }

    /// What the test asks of final states.
    pub(crate) fn asked(&self) -> &AskedCondition {
        &self.shared.asked
    }

    /// What kind of executions the test has.
    pub(crate) fn signature(&self) -> Signature {
        self.shared.signature
    }

    /// The locations of the test.
    pub(crate) fn locations(&self) -> &[Location] {
        &self.shared.locations
    }

    /// For each location the one whose generic address it has.
    pub(crate) fn generic(&self) -> &[u16] {
        &self.shared.generic
    }

    /// Where each thread runs.
    pub(crate) fn threads(&self) -> &[Placement] {
        &self.shared.threads
    }

    /// The address of a location by its index.
    pub(crate) fn address(&self, location: usize) -> LocationAddress {
        self.shared.address(location)
    }

    /// For an array that of its first element; `None` where the test has no location of that name.
    pub(crate) fn address_of(&self, name: &str) -> Option<LocationAddress> {
        self.shared.address_of(name).ok()
    }

    /// Is a location declared as one of another test, but for its name and its initial value?
    pub(crate) fn declares_alike(&self, location: usize, other: &Self, there: usize) -> bool {
        let (a, b) = (&self.shared, &other.shared);
        (a.widths[location], a.declared_bits[location], a.integers[location], a.mbarriers[location])
            == (b.widths[there], b.declared_bits[there], b.integers[there], b.mbarriers[there])
            && (a.spaces[location], a.typed[location]) == (b.spaces[there], b.typed[there])
    }

    /// Do the threads meet at the same barriers as those of another test, where each has the number
    /// that is given?
    pub(crate) fn meets_alike(&self, other: &Self, threads: &[usize]) -> bool {
        let (a, b) = (&self.shared, &other.shared);
        let users = |of: &[barriers::Counted], named: &dyn Fn(usize) -> usize| {
            let mut found: Vec<(u16, bool, Vec<usize>)> = of
                .iter()
                .map(|counted| {
                    let mut threads: Vec<usize> =
                        counted.threads.iter().map(|&t| named(t)).collect();
                    threads.sort_unstable();
                    (counted.barrier, counted.needs_all, threads)
                })
                .collect();
            found.sort();
            found
        };
        a.signature == b.signature
            && (self.meets, self.meets_as_whole, self.as_whole)
                == (other.meets, other.meets_as_whole, other.as_whole)
            && (self.bounded, self.waits) == (other.bounded, other.waits)
            && a.instances == b.instances
            && a.meetings == b.meetings
            && users(&a.counted, &|t| threads[t]) == users(&b.counted, &|t| t)
    }

    /// The index of the physical location behind a name.
    pub(crate) fn physical(&self, name: &str) -> Option<u16> {
        self.shared.locations.iter().find(|l| l.name == name).map(|l| l.physical)
    }
}

/// All accesses of a memory location have one width, also those through registers and aliases:
/// overlap is complete or none.
fn one_width_each(
    paths: &[Vec<Path>],
    symbols: &[Symbols],
    shared: &Shared,
) -> Result<(), UnfoldError> {
    // The width that values of a location have counts too, where it comes from an access that no
    // path comes to.
    let narrow = |l: usize| {
        shared.integers[l].map(|i| i.bits).filter(|_| Dialect::of(shared.signature) != Dialect::C)
    };
    let mut known: Vec<Option<u8>> = (0..shared.locations.len())
        .map(|l| shared.declared_bits[l].or_else(|| narrow(l)))
        .collect();
    let in_memory = addresses_in_memory(paths, symbols, shared);
    for e in paths.iter().flatten().flat_map(|p| &p.events) {
        let (Some(bits), Some(location)) = (e.bits, e.data.location) else { continue };
        let physical = usize::from(shared.locations[usize::from(location)].physical);
        match known[physical] {
            // An address that was read is one that memory can hold.
            Some(before)
                if before != bits
                    && !e.address_reads.is_empty()
                    && matches!(Dialect::of(shared.signature), Dialect::Text(_))
                    && !in_memory[physical] => {}
            Some(before)
                if before != bits && matches!(Dialect::of(shared.signature), Dialect::Text(_)) =>
            {
                let name = &shared.locations[physical].name;
                let message = match shared.declared_bits[physical] {
                    Some(_) => format!(
                        "an access of {bits} bits to `{name}`, which is declared with {before} (mixed sizes), is not modelled"
                    ),
                    None => format!(
                        "accesses of {before} and of {bits} bits to `{name}` (mixed sizes) are not modelled"
                    ),
                };
                return Err(UnfoldError::at(message, e.place));
            }
            Some(before) if before != bits => {
                let name = &shared.locations[physical].name;
                return Err(UnfoldError::at(
                    format!(
                        "accesses of {before} and of {bits} bits to `{name}` that are not taken apart: whether they race is not looked \
                         into, and if so the model does not apply (PTX ISA 8.7.2)"
                    ),
                    e.place,
                ));
            }
            _ => known[physical] = Some(bits),
        }
    }
    Ok(())
}

/// For each physical location: may memory hold its address? All of them where something is written
/// that is computed.
fn addresses_in_memory(paths: &[Vec<Path>], symbols: &[Symbols], shared: &Shared) -> Vec<bool> {
    let mut held = vec![false; shared.locations.len()];
    let mut hold = |value: i64| {
        if let Some(l) = shared.location_at(value) {
            held[usize::from(shared.locations[usize::from(l)].physical)] = true;
        }
    };
    shared.initial.iter().for_each(|&value| hold(value));
    let mut computed = false;
    for (paths, symbols) in paths.iter().zip(symbols) {
        for value in paths.iter().flat_map(|p| &p.events).filter_map(|e| e.value) {
            match symbols.as_constant(value) {
                Some(value) => hold(value),
                None => computed = true,
            }
        }
    }
    if computed { vec![true; held.len()] } else { held }
}

/// The straight code of a thread.
fn compile(
    test: &Test,
    thread: ThreadId,
    shared: &Shared,
) -> Result<program::Program, UnfoldError> {
    let mut program = match test.dialect {
        Dialect::C => compile_c::compile(test, thread, shared)?,
        Dialect::Ptx | Dialect::GpuPtx | Dialect::Generic | Dialect::Text(_) => {
            compile_ptx::compile(test, thread, shared)?
        }
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
    for variable in asked
        .into_iter()
        .chain(test.filter.iter().flat_map(|f| f.variables()))
        .chain(&test.observed)
    {
        if let Variable::Register { thread: of, name } = variable
            && *of == thread
        {
            let register = program.register(name);
            program.asked.push(register);
        }
    }
    Ok(program)
}
