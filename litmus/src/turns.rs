//! An execution of a test in which its threads take turns: one that ends, where it is found, shows
//! that some execution does.
//!
//! The threads share one memory and go on by some steps each, again and again, so that whoever
//! waits for another one comes to see what that does. It is an interleaving, which every model of a
//! GPU allows. Where no end is found nothing is said: the threads may be at a bound, or at an
//! operation that has no place in an interleaving (asynchronous ones, mbarriers, meetings of warps,
//! barriers to which a thread of those that name them does not come).

use margay_models::execution::{Placement, Scope};

use crate::test::{Dialect, Test, ThreadId};
use crate::unfold::Code;
use crate::unfold::program::{Attributes, Modification, Program, Register, Step, Term};

/// How many steps a thread takes before it is the next one's turn: more than a round of a loop that
/// waits.
const TURN: usize = 64;

/// A barrier of a cta: its number, and its instance.
type BarrierName = (i64, u8);

/// A thread on its way.
struct TurnThread<'a> {
    program: &'a Program,
    placement: Placement,
    at: usize,
    registers: Vec<i64>,
    /// The barriers that its code names.
    names: Vec<BarrierName>,
    waits: Option<BarrierName>,
}

/// Where an interleaving has no place for a step.
struct OutOfPlace;

impl<'a> TurnThread<'a> {
    /// At its start; nothing where it comes to barriers of another kind.
    fn new(program: &'a Program, placement: Placement) -> Option<Self> {
        let mut registers = vec![0; program.names.len()];
        program.initial.iter().for_each(|(Register(r), value)| registers[usize::from(*r)] = *value);
        Some(Self { program, placement, at: 0, registers, names: barriers(program)?, waits: None })
    }

    fn value(&self, term: &Term) -> i64 {
        term.value(&self.registers)
    }

    fn set(&mut self, to: Option<Register>, value: i64) {
        if let Some(Register(r)) = to {
            self.registers[usize::from(r)] = value;
        }
    }

    fn has_ended(&self) -> bool {
        self.at >= self.program.steps.len()
    }

    /// Takes a step in this memory.
    fn step(&mut self, code: &Code, memory: &mut [i64]) -> Result<(), OutOfPlace> {
        let program = self.program;
        let Some((step, _)) = program.steps.get(self.at) else { return Ok(()) };
        let divides = |term: &&Term| term.divides();
        if step.terms().iter().any(divides) {
            return Err(OutOfPlace);
        }
        self.at += 1;
        match step {
            Step::Assign(to, term) => self.set(Some(*to), self.value(term)),
            Step::Pick { to, condition, of: [a, b] } => {
                let chosen = if self.value(condition) != 0 { a } else { b };
                self.set(Some(*to), self.value(chosen));
            }
            Step::Load { to, address, attributes } => {
                let value = read(code, memory, self.value(address), *attributes)?;
                self.set(Some(*to), value);
            }
            Step::LoadVector { to, address, width, attributes } => {
                let first = self.value(address);
                for (n, to) in to.iter().enumerate() {
                    let value = read(code, memory, first + *width * n as i64, *attributes)?;
                    self.set(Some(*to), value);
                }
            }
            Step::Store { address, value, attributes } => {
                write(code, memory, self.value(address), *attributes, self.value(value))?;
            }
            Step::StoreVector { address, width, values, attributes } => {
                let first = self.value(address);
                for (n, value) in values.iter().enumerate() {
                    write(code, memory, first + *width * n as i64, *attributes, self.value(value))?;
                }
            }
            Step::Modify { to, address, modification, read: of_read, write: of_write } => {
                self.modify(code, memory, (*to, address), modification, (*of_read, *of_write))?;
            }
            Step::Fence { .. } | Step::ProxyFence { .. } => {}
            Step::Barrier {
                barrier: Term::Constant(number),
                instance,
                scope: Scope::Cta,
                arrives: true,
                waits: true,
                ..
            } => {
                self.waits = Some((*number, *instance));
            }
            Step::BranchIfZero { condition, target, .. } => {
                if self.value(condition) == 0 {
                    self.at = *target;
                }
            }
            Step::Jump(target) => self.at = *target,
            // Both ways do the same.
            Step::Fork(_) => {}
            _ => return Err(OutOfPlace),
        }
        Ok(())
    }

    fn modify(
        &mut self,
        code: &Code,
        memory: &mut [i64],
        (to, address): (Option<Register>, &Term),
        modification: &Modification,
        (of_read, of_write): (Attributes, Attributes),
    ) -> Result<(), OutOfPlace> {
        let address = self.value(address);
        let location = code.location_at(address).ok_or(OutOfPlace)?;
        let integer = code.integer(location, of_read.integer);
        let typed = |n: i64| code.loaded(location, integer, n);
        let before = read(code, memory, address, of_read)?;
        let written = match modification {
            Modification::Exchange(operand) => Some(typed(self.value(operand))),
            Modification::Apply(operator, operand) => {
                Some(operator.of(integer).apply(before, typed(self.value(operand))))
            }
            Modification::CompareAndSwap { expected, new, success, .. } => {
                let is_equal = typed(self.value(expected)) == before;
                let new = self.value(new);
                self.set(*success, i64::from(is_equal));
                is_equal.then_some(new)
            }
        };
        self.set(to, before);
        written.map_or(Ok(()), |value| write(code, memory, address, of_write, value))
    }
}

fn read(
    code: &Code,
    memory: &[i64],
    address: i64,
    attributes: Attributes,
) -> Result<i64, OutOfPlace> {
    let location = code.location_at(address).filter(|_| !attributes.reserves).ok_or(OutOfPlace)?;
    Ok(code.loaded(location, attributes.integer, memory[code.physical(location)]))
}

fn write(
    code: &Code,
    memory: &mut [i64],
    address: i64,
    attributes: Attributes,
    value: i64,
) -> Result<(), OutOfPlace> {
    let location = code.location_at(address).ok_or(OutOfPlace)?;
    memory[code.physical(location)] = code.stored(location, attributes.integer, value);
    Ok(())
}

/// The barriers of a cta that a program names; nothing where one is of another kind.
fn barriers(program: &Program) -> Option<Vec<BarrierName>> {
    let mut found = Vec::new();
    for (step, _) in &program.steps {
        match step {
            Step::Barrier {
                barrier: Term::Constant(number),
                instance,
                scope: Scope::Cta,
                arrives: true,
                waits: true,
                ..
            } => {
                found.push((*number, *instance));
            }
            Step::Barrier { .. } => return None,
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Is an end of a PTX test found where its threads take turns, in so many steps of all of them
/// together? `false` says nothing.
pub fn ends_in_turns(test: &Test, steps: usize) -> bool {
    let Some(code) =
        Code::new(test).ok().filter(|_| test.dialect == Dialect::Ptx && test.filter.is_none())
    else {
        return false;
    };
    let mut memory = code.initial().to_vec();
    let threads = code
        .threads
        .iter()
        .enumerate()
        .map(|(t, program)| TurnThread::new(program, test.placement(ThreadId(t as u16))));
    let Some(mut threads) = threads.collect::<Option<Vec<_>>>() else { return false };
    let mut left = steps;
    loop {
        if threads.iter().all(TurnThread::has_ended) && threads.iter().all(|t| t.waits.is_none()) {
            return true;
        }
        let mut moved = false;
        for thread in &mut threads {
            for _ in 0..TURN {
                if thread.has_ended() || thread.waits.is_some() {
                    break;
                }
                if left == 0 || thread.step(&code, &mut memory).is_err() {
                    return false;
                }
                left -= 1;
                moved = true;
            }
        }
        // Who waits goes on once all that name the barrier wait for it.
        for t in 0..threads.len() {
            let Some(name) = threads[t].waits else { continue };
            let placement = threads[t].placement;
            let is_of = |other: &TurnThread<'_>| {
                other.names.contains(&name) && other.placement.shares(Scope::Cta, placement)
            };
            if threads.iter().filter(|other| is_of(other)).all(|other| other.waits == Some(name)) {
                threads
                    .iter_mut()
                    .filter(|other| is_of(other))
                    .for_each(|other| other.waits = None);
                moved = true;
            }
        }
        if !moved {
            return false;
        }
    }
}
