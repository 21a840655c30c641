//! A test as a compiler translates it: on every path of every thread, each operation becomes the
//! events of the instructions that are emitted for it. Values, conditions and dependencies stay
//! those of the source, with those that the instructions add; so what is asked of final states
//! means the same on both sides.

use margay_models::bits::Event;
use margay_models::execution::{EventData, Execution, Kind, Order};
use margay_models::signature::{BaseRelation, Signature};

use super::code::Code;
use super::path::{MAX_POSITIONS, Path, PathEvent, Positions};
use super::program::{self, Modification, Step};
use super::symbol::{Binary, Symbol, Symbols};
use super::{ExecutionProgram, UnfoldError, Unfolding, UnfoldingBounds};
use crate::test::{Quantifier, Test};
use crate::verdict::Witness;

/// What a read-modify-write does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RmwFunction {
    /// It writes its operand.
    Exchange,
    /// It writes what it read, changed by its operand.
    Apply(Binary),
    /// It writes if it read what it expects.
    CompareAndSwap {
        /// The orders of its halves where it succeeds.
        success: [Order; 2],
        /// Its order where it fails.
        failure: Order,
    },
}

/// An operation on a path of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOperation {
    pub thread: usize,
    /// Which operation of the thread's code it is: the same in each turn of a loop.
    pub step: usize,
    /// Its event; of a read-modify-write the read.
    pub first: EventData,
    /// The write of a read-modify-write.
    pub write: Option<EventData>,
    /// What it does, if it is a read-modify-write, or a compare-and-swap that failed.
    pub function: Option<RmwFunction>,
}

/// Which event of an operation an emitted one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmittedAs {
    /// Its only event, or the read of a read-modify-write.
    First,
    /// The write of a read-modify-write.
    Write,
    /// Neither: a fence, a read whose value nobody uses, what a load writes back.
    Beside,
}

/// What is emitted for an operation.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The events in program order, without location and value; with each whether it is the write
    /// of a read-modify-write whose read is the event before it.
    pub events: Vec<(EventData, EmittedAs, bool)>,
    /// How what comes later in the thread depends on what the operation reads: from so many events
    /// behind its last own one on.
    pub dependencies: Vec<(BaseRelation, usize)>,
}

/// The paths of a test that is to be compiled.
#[derive(Debug, Clone)]
pub struct SourcePaths {
    unfolding: Unfolding,
    codes: Vec<program::Program>,
    quantifier: Quantifier,
}

/// A path of the compiled program: the number of the path that it comes from, and for each of its
/// events the position of the event there that it is.
#[derive(Debug, Clone)]
struct PathOrigin {
    path: usize,
    positions: Vec<Option<usize>>,
}

/// The compiled program.
#[derive(Debug, Clone)]
pub struct Compiled {
    program: ExecutionProgram,
    source: Unfolding,
    /// What each path was emitted for: `[thread][path]`.
    origins: Vec<Vec<PathOrigin>>,
}

impl SourcePaths {
    /// Unfolds a test into executions of a signature.
    ///
    /// # Errors
    /// As [`Unfolding::new`].
    pub fn new(
        test: &Test,
        signature: Signature,
        bounds: UnfoldingBounds,
    ) -> Result<Self, UnfoldError> {
        let unfolding = Unfolding::new(test, signature, bounds)?;
        let codes = Code::new(test)?.threads;
        Ok(Self { unfolding, codes, quantifier: test.condition.quantifier })
    }

    /// The operations of all paths, each once.
    pub fn operations(&self) -> Vec<PathOperation> {
        let mut all: Vec<PathOperation> = Vec::new();
        for (thread, paths) in self.unfolding.paths.iter().enumerate() {
            for path in paths {
                let mut at = 0;
                while let Some((operation, length)) = self.operation(thread, path, at) {
                    if !all.contains(&operation) {
                        all.push(operation);
                    }
                    at += length;
                }
            }
        }
        all
    }

    /// The operation that begins at a position of a path, and how many events it has.
    fn operation(&self, thread: usize, path: &Path, at: usize) -> Option<(PathOperation, usize)> {
        let event = path.events.get(at)?;
        let write = path.events.get(at + 1).filter(|next| next.modifies == Some(at as u16));
        let step = self
            .codes
            .get(thread)
            .and_then(|code| code.steps.get(event.step))
            .map(|(step, _)| step);
        let function = match step {
            Some(Step::Modify { modification, read, write, .. }) => Some(match modification {
                Modification::Exchange(_) => RmwFunction::Exchange,
                Modification::Apply(operator, _) => RmwFunction::Apply(*operator),
                Modification::CompareAndSwap { failure, .. } => RmwFunction::CompareAndSwap {
                    success: [read.order, write.order],
                    failure: failure.order,
                },
            }),
            _ => None,
        };
        let data = |e: &PathEvent| e.data.clone();
        let operation = PathOperation {
            thread,
            step: event.step,
            first: data(event),
            write: write.map(data),
            function,
        };
        Some((operation, if write.is_some() { 2 } else { 1 }))
    }

    /// The program that `emit` makes of it, in executions of another signature: for each operation
    /// it gives what may be emitted. Where that is nothing, paths through the operation are left
    /// out. An operation is compiled in the same way in each turn of a loop. `None` if a thread has
    /// more than `most` paths, each way to compile it counted.
    ///
    /// # Errors
    /// A path has too many events where it is compiled.
    pub fn compiled(
        &self,
        signature: Signature,
        most: usize,
        emit: &mut dyn FnMut(&PathOperation) -> Vec<Emitted>,
    ) -> Result<Option<Compiled>, UnfoldError> {
        let (mut paths, mut stopped, mut symbols, mut origins) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (thread, of) in self.unfolding.paths.iter().enumerate() {
            let mut compiler = PathCompiler {
                source: self,
                thread,
                old: &self.unfolding.symbols[thread],
                symbols: Symbols::default(),
            };
            let (mut compiled, mut from) = (Vec::new(), Vec::new());
            for (number, path) in of.iter().enumerate() {
                let Some(ways) = compiler.ways(path, most.saturating_sub(compiled.len()), emit)?
                else {
                    return Ok(None);
                };
                for (path, positions) in ways {
                    compiled.push(path);
                    from.push(PathOrigin { path: number, positions });
                }
            }
            // Where the source's threads stop, those of what it is compiled to may.
            let mut halted = Vec::new();
            for path in &self.unfolding.stopped[thread] {
                let Some(ways) = compiler.ways(path, most.saturating_sub(halted.len()), emit)?
                else {
                    return Ok(None);
                };
                halted.extend(ways.into_iter().map(|(path, _)| path));
            }
            paths.push(compiled);
            stopped.push(halted);
            origins.push(from);
            symbols.push(compiler.symbols);
        }
        let mut shared = self.unfolding.shared.clone();
        shared.signature = signature;
        let mut asked = (*shared.asked).clone();
        if self.quantifier == Quantifier::Forall {
            // A program is asked whether it has an outcome: that of a test with `forall` is what
            // the test does not want.
            asked.condition = crate::test::Proposition::Not(Box::new(asked.condition));
        }
        shared.asked = std::sync::Arc::new(asked);
        let Unfolding { bounded, waits, meets, as_whole, meets_as_whole, .. } = self.unfolding;
        let unfolding = Unfolding {
            paths,
            stopped,
            meets,
            as_whole,
            meets_as_whole,
            symbols: symbols.into(),
            shared,
            bounded,
            waits,
        };
        Ok(Some(Compiled {
            program: ExecutionProgram::compiled(unfolding),
            source: self.unfolding.clone(),
            origins,
        }))
    }
}

impl Compiled {
    /// The program, for an engine. What is asked of it is the outcome that decides the test: that
    /// of `exists`, or what `forall` excludes.
    pub fn program(&self) -> &ExecutionProgram {
        &self.program
    }

    /// Does some thread have no path that is compiled?
    pub fn is_empty(&self) -> bool {
        self.program.unfolding().is_empty()
    }

    /// An execution of the compiled program, read back as one of the source: reads-from,
    /// modification order and values are the same. Where coherence order leaves writes unordered,
    /// one of the orders that it leaves open; the last writes that the condition asks for come
    /// last.
    pub fn read_back(&self, witness: &Witness) -> Option<Execution> {
        let from: Vec<&PathOrigin> = self
            .origins
            .iter()
            .zip(&witness.paths)
            .map(|(of, &path)| of.get(path))
            .collect::<Option<_>>()?;
        let paths: Vec<usize> = from.iter().map(|origin| origin.path).collect();
        let mut execution = self.source.skeleton_of(&paths).ok()?.execution;
        let target = &witness.execution;
        // For each event of the target the event of the source that it is.
        let mut image: Vec<Option<Event>> = Vec::new();
        let mut first = 0;
        for (origin, (thread, &path)) in from.iter().zip(paths.iter().enumerate()) {
            image.extend(
                origin.positions.iter().map(|position| position.map(|p| Event::from(first + p))),
            );
            first += self.source.paths[thread][path].events.len();
        }
        let initial = target.size().checked_sub(image.len())?;
        image.extend((0..initial).map(|i| Some(Event::from(first + i))));
        for (e, of) in image.iter().enumerate() {
            if let Some(of) = of {
                execution.events[of.index()].value = target.events[e].value;
            }
        }
        for (write, read) in target.rf.pairs() {
            if let (Some(write), Some(read)) =
                (image[written_by(target, write)?.index()], image[read.index()])
            {
                execution.rf.insert(write, read);
            }
        }
        let is_last = |e: Event| witness.finals.contains(&Some(e));
        let mut writes: Vec<Event> =
            (0..target.size()).map(Event::from).filter(|e| is_write(target, *e)).collect();
        let mut ordered: Vec<Event> = Vec::new();
        while !writes.is_empty() {
            let open = |e: Event| !writes.iter().any(|&w| target.co.contains(w, e));
            let next =
                writes.iter().copied().filter(|&e| open(e)).min_by_key(|&e| (is_last(e), e))?;
            writes.retain(|&w| w != next);
            ordered.push(next);
        }
        for (i, &b) in ordered.iter().enumerate() {
            let Some(of_b) = image[b.index()] else { continue };
            for &a in &ordered[..i] {
                if target.physical(a) == target.physical(b)
                    && let Some(of_a) = image[a.index()]
                {
                    execution.co.insert(of_a, of_b);
                }
            }
        }
        Some(execution)
    }
}

/// The write whose value a write hands on: itself, but for what a load writes back. `None` if that
/// comes from nowhere, which only an execution without any axiom has.
fn written_by(target: &Execution, mut write: Event) -> Option<Event> {
    for _ in 0..target.size() {
        if !target.events[write.index()].writes_back {
            return Some(write);
        }
        let read = target.rmw.column(write).iter().next()?;
        write = target.rf.column(read).iter().next()?;
    }
    None
}

fn is_write(x: &Execution, e: Event) -> bool {
    matches!(x.events[e.index()].kind, Kind::Init | Kind::Write)
}

/// A path that is compiled, and for each of its events which one of the source's path it is.
type CompiledPath = (Path, Vec<Option<usize>>);

/// Compiles the paths of one thread.
struct PathCompiler<'a> {
    source: &'a SourcePaths,
    thread: usize,
    old: &'a Symbols,
    symbols: Symbols,
}

/// A path that is compiled in part.
#[derive(Debug, Clone, Default)]
struct Begun {
    /// The next event of the source's path.
    at: usize,
    events: Vec<PathEvent>,
    positions: Vec<Option<usize>>,
    /// For each event of the source's path its position.
    moved: Vec<Option<u16>>,
    /// What everything that follows depends on: how, and the positions of the reads.
    depends: Vec<(BaseRelation, Positions)>,
    /// For each operation of the code which of the ways is taken.
    chosen: Vec<(usize, bool, usize)>,
}

impl PathCompiler<'_> {
    /// The ways to compile a path; `None` if there are more than `most`.
    fn ways(
        &mut self,
        path: &Path,
        most: usize,
        emit: &mut dyn FnMut(&PathOperation) -> Vec<Emitted>,
    ) -> Result<Option<Vec<CompiledPath>>, UnfoldError> {
        let mut open = vec![Begun::default()];
        let mut done = Vec::new();
        while let Some(begun) = open.pop() {
            let Some((operation, length)) = self.source.operation(self.thread, path, begun.at)
            else {
                done.push(self.finished(path, begun));
                continue;
            };
            let emitted = emit(&operation);
            let key = |&(step, fails, _): &(usize, bool, usize)| {
                (step, fails) == (operation.step, operation.write.is_none())
            };
            let before = begun.chosen.iter().find(|c| key(c)).map(|&(.., way)| way);
            // The first way is followed first.
            for (way, emitted) in
                emitted.iter().enumerate().rev().filter(|(way, _)| before.is_none_or(|b| b == *way))
            {
                let mut next = begun.clone();
                if before.is_none() {
                    next.chosen.push((operation.step, operation.write.is_none(), way));
                }
                self.emit(&mut next, &path.events[begun.at..begun.at + length], emitted)?;
                open.push(next);
            }
            if done.len() + open.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(done))
    }

    fn emit(
        &mut self,
        begun: &mut Begun,
        source: &[PathEvent],
        emitted: &Emitted,
    ) -> Result<(), UnfoldError> {
        let own = emitted.events.iter().rposition(|(_, of, _)| *of != EmittedAs::Beside);
        let mut read = None;
        for (i, (data, of, modifies)) in emitted.events.iter().enumerate() {
            let half = match of {
                EmittedAs::Write => source.last(),
                _ => source.first(),
            };
            let Some(half) = half else { continue };
            if begun.events.len() == MAX_POSITIONS {
                return Err(UnfoldError::at(
                    format!("a thread of more than {MAX_POSITIONS} events where it is compiled"),
                    half.place,
                ));
            }
            let here = begun.events.len();
            let accesses = matches!(data.kind, Kind::Read | Kind::Write);
            let depends = |begun: &Begun, relation: BaseRelation| {
                let before = begun
                    .depends
                    .iter()
                    .filter(|(r, _)| *r == relation)
                    .map(|&(_, reads)| reads)
                    .collect::<Positions>();
                // What its own row puts behind its access.
                let is_behind = |behind: usize| own.is_some_and(|own| i > own + behind);
                let by_row = emitted
                    .dependencies
                    .iter()
                    .any(|&(r, behind)| r == relation && is_behind(behind));
                before | read.filter(|_| by_row).unwrap_or_default()
            };
            let is_own = *of != EmittedAs::Beside;
            let mut event = PathEvent {
                data: data.clone(),
                value: None,
                address_reads: Positions::EMPTY,
                data_reads: Positions::EMPTY,
                control_reads: begun.moved(half.control_reads) | depends(begun, BaseRelation::Ctrl),
                modifies: modifies.then(|| here.saturating_sub(1) as u16),
                issued_after: Positions::EMPTY,
                completes: Positions::EMPTY,
                bits: None,
                place: half.place,
                step: half.step,
                rounds: half.rounds.clone(),
            };
            if accesses {
                event.data.location = half.data.location;
                event.address_reads =
                    begun.moved(half.address_reads) | depends(begun, BaseRelation::Addr);
            }
            if data.kind == Kind::Write {
                event.data_reads = depends(begun, BaseRelation::Data);
                if is_own {
                    event.data_reads |= begun.moved(half.data_reads);
                    event.value = half.value.map(|value| self.moved(value, &begun.moved));
                } else if data.writes_back {
                    event.value =
                        begun.moved.last().copied().flatten().map(|read| self.symbols.read(read));
                }
            }
            begun.events.push(event);
            begun.positions.push(match of {
                EmittedAs::First => Some(begun.at),
                EmittedAs::Write => Some(begun.at + 1),
                EmittedAs::Beside => None,
            });
            if is_own {
                begun.moved.push(Some(here as u16));
            }
            if *of == EmittedAs::First && data.kind == Kind::Read {
                read = Some(Positions::one(here));
            }
        }
        begun.at += source.len();
        // An operation may become nothing: a fence that is not needed.
        begun.moved.resize(begun.at, None);
        if let Some(read) = read {
            begun
                .depends
                .extend(emitted.dependencies.iter().map(|&(relation, _)| (relation, read)));
        }
        Ok(())
    }

    fn moved(&mut self, symbol: Symbol, moved: &[Option<u16>]) -> Symbol {
        let read =
            |position: u16| moved.get(usize::from(position)).copied().flatten().unwrap_or(position);
        self.symbols.copied(self.old, symbol, &read)
    }

    fn finished(&mut self, path: &Path, begun: Begun) -> CompiledPath {
        let suppositions = path
            .suppositions
            .iter()
            .map(|&(s, holds)| (self.moved(s, &begun.moved), holds))
            .collect();
        let registers = path
            .registers
            .iter()
            .map(|(name, s)| (name.clone(), self.moved(*s, &begun.moved)))
            .collect();
        (
            Path {
                events: begun.events,
                suppositions,
                registers,
                stop: path.stop,
                ..Path::default()
            },
            begun.positions,
        )
    }
}

impl Begun {
    /// A set of positions of the source's path as positions of this one.
    fn moved(&self, reads: Positions) -> Positions {
        reads.iter().filter_map(|p| self.moved.get(p).copied().flatten()).map(usize::from).collect()
    }
}
