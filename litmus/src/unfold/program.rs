//! A thread as straight code with jumps, over numbered registers: what both dialects compile to.

use margay_models::execution::{Order, Proxy, Scope, Spaces};
use margay_models::mbarrier::Mbarrier;
use margay_models::signature::architecture::StatusDependency;
use margay_ptx::ScalarType;
use margay_ptx::exchange::Exchange;

use super::address::LocationAddress;
use super::symbol::{Binary, MbarrierFunction, Unary};
use crate::test::{AsyncFamily, AsyncGroupAction, Integer, NumberComparison, Type};

/// A register, an index into [`Program::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register(
    /// Its number in the thread.
    pub u16,
);

/// A value computed from registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Constant(i64),
    /// What a register holds.
    Register(Register),
    /// `operator a`
    Unary(Unary, Box<Term>),
    /// `a operator b`
    Binary(Binary, Box<Term>, Box<Term>),
}

impl Term {
    pub fn registers(&self) -> Vec<Register> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Register(register) => vec![*register],
            Self::Unary(_, a) => a.registers(),
            Self::Binary(_, a, b) => [a.registers(), b.registers()].concat(),
        }
    }

    /// Its value, where registers hold these.
    pub fn value(&self, registers: &[i64]) -> i64 {
        match self {
            Self::Constant(n) => *n,
            Self::Register(r) => registers[usize::from(r.0)],
            Self::Unary(operator, a) => operator.apply(a.value(registers)),
            Self::Binary(operator, a, b) => operator.apply(a.value(registers), b.value(registers)),
        }
    }

    /// Does it divide, by what may be 0?
    pub fn divides(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Register(_) => false,
            Self::Unary(_, a) => a.divides(),
            Self::Binary(operator, a, b) => {
                use Binary::{Divide, DivideUnsigned, Remainder, RemainderUnsigned};
                matches!(operator, Divide | DivideUnsigned | Remainder | RemainderUnsigned)
                    || a.divides()
                    || b.divides()
            }
        }
    }

    /// `a operator b`
    pub fn binary(operator: Binary, a: Term, b: Term) -> Self {
        Self::Binary(operator, Box::new(a), Box::new(b))
    }

    /// The first value where the condition is not 0, else the second:
    /// `a * (c != 0) + b * (c == 0)`. It depends on all three, as registers do.
    pub fn select(condition: &Term, [a, b]: [Term; 2]) -> Self {
        let times = |value, comparison| {
            let holds =
                Self::binary(Binary::Compare(comparison), condition.clone(), Self::Constant(0));
            Self::binary(Binary::Multiply, value, holds)
        };
        Self::binary(
            Binary::Add,
            times(a, NumberComparison::NotEqual),
            times(b, NumberComparison::Equal),
        )
    }

    /// The value of a type with the lowest bits of a value; the value itself where there is no
    /// type.
    pub fn convert(self, integer: Option<Integer>) -> Self {
        match integer.filter(|i| i.bits < 64) {
            Some(integer) => Self::Unary(Unary::Convert(integer), Box::new(self)),
            None => self,
        }
    }

    /// `a operator b`, computed in a type.
    pub fn typed(operator: Binary, a: Term, b: Term, integer: Option<Integer>) -> Self {
        let whole = operator.needs_whole_operands();
        let operand = |t: Term| if whole { t.convert(integer) } else { t };
        let result = Self::binary(operator.of(integer), operand(a), operand(b));
        // Comparisons are 0 or 1 in any type.
        if operator.is_truth() { result } else { result.convert(integer) }
    }
}

/// The annotations of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The memory order.
    pub order: Order,
    /// The scope; `None` for weak accesses.
    pub scope: Option<Scope>,
    /// What the access goes through.
    pub proxy: Proxy,
    /// `.volatile`
    pub volatile: bool,
    /// `.mmio`
    pub mmio: bool,
    /// Half of a `red`, whose old value nobody gets.
    pub reduction: bool,
    /// The width of the access, where the program says it.
    pub bits: Option<u8>,
    /// What values are for the access; `None`: as the location has them.
    pub integer: Option<Integer>,
    /// Does the load reserve the location for a store-conditional?
    pub reserves: bool,
    /// What depends on the result of a store-conditional depends on this.
    pub status: StatusDependency,
}

impl Attributes {
    pub fn new(order: Order, scope: Option<Scope>) -> Self {
        Self {
            order,
            scope,
            proxy: Proxy::Generic,
            volatile: false,
            mmio: false,
            reduction: false,
            bits: None,
            integer: None,
            reserves: false,
            status: StatusDependency::Nothing,
        }
    }
}

/// What a read-modify-write writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Modification {
    /// The operator, applied to what was read and the operand.
    Apply(Binary, Term),
    /// The operand.
    Exchange(Term),
    /// The new value, if what was read is the expected one; else nothing is written.
    CompareAndSwap {
        /// What must be read.
        expected: Term,
        /// What is then written.
        new: Term,
        /// Takes 1 on success, else 0.
        success: Option<Register>,
        /// Annotations of the read if it fails.
        failure: Attributes,
        /// May it fail although the value is the expected one?
        spurious: bool,
    },
}

/// What is done with an mbarrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MbarrierStep {
    /// It holds this from now on.
    Set(Mbarrier),
    /// Its contents change, one function after the other.
    Change {
        /// The functions with their numbers.
        functions: Vec<(MbarrierFunction, i64)>,
        /// How many arrivals must be pending.
        arrivals: i64,
        /// Must the phase not complete?
        incomplete: bool,
        /// Takes what it held before.
        to: Option<Register>,
        /// Release or relaxed.
        order: Order,
        /// Of what it orders.
        scope: Scope,
    },
    /// Is a phase complete?
    Wait {
        /// Takes 1 if so, else 0.
        to: Register,
        /// What the phase is told by, and whether it is: a parity, or a state.
        phase: (Term, MbarrierFunction),
        /// Acquire or relaxed.
        order: Order,
        /// Of what it orders.
        scope: Scope,
    },
}

/// What an asynchronous operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsyncStep {
    /// Which instructions it is of: through the async proxy or not, and in which groups.
    pub family: AsyncFamily,
    /// The tensor map that it reads first.
    pub map: Option<TensormapTerm>,
    /// Where to: with multicast several places.
    pub to: Vec<Term>,
    /// What is written there.
    pub source: AsyncSource,
    /// What is computed from it and what is there, and of which scope; `None`: it is written as it
    /// is.
    pub reduces: Option<(Binary, Scope)>,
    /// The values' type.
    pub ty: Option<Type>,
    /// How many bytes.
    pub bytes: i64,
    /// The mbarriers on which it completes; none: it completes in a group.
    pub mbarriers: Vec<Term>,
}

/// A tensor map that an asynchronous operation reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensormapTerm {
    /// Where it is: one place, or those into which other accesses take it apart.
    pub places: Vec<Term>,
    /// Is what it holds the address that is read from (true), or written to (false)? `None`: what
    /// it holds is not looked at.
    pub gives: Option<bool>,
}

/// What an asynchronous operation writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsyncSource {
    /// What it reads from there.
    Memory(Term),
    /// Values, one for each element.
    Values(Vec<Term>),
    /// It writes no memory: each register takes what is read there.
    Registers(Vec<(Register, Term)>),
    /// The sum of what it reads there, and of what is where it is written, if that is added.
    Sum {
        /// Where it reads.
        from: Vec<Term>,
        /// Is what is there added?
        accumulates: bool,
    },
}

impl AsyncSource {
    /// The values that it computes.
    fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Memory(from) => vec![from],
            Self::Values(values) => values.iter().collect(),
            Self::Registers(from) => from.iter().map(|(_, term)| term).collect(),
            Self::Sum { from, .. } => from.iter().collect(),
        }
    }
}

/// What a lane of a warp gives others at a meeting, and takes from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeStep {
    /// The barrier that the meeting is.
    pub meeting: u16,
    /// What the lanes make of what they bring.
    pub exchange: Exchange,
    /// The type of what they bring.
    pub ty: ScalarType,
    /// What the lane brings; of a shuffle then the operands that say which lane it reads.
    pub brought: Vec<Term>,
    /// Takes what they make of it.
    pub to: Option<Register>,
    /// Which lane the thread is.
    pub lane: u32,
    /// The lanes that take part, each with its thread.
    pub lanes: Vec<(u32, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Computes in registers.
    Assign(Register, Term),
    /// Takes the first value where the condition holds, else the second, by a choice that is no
    /// branch.
    Pick { to: Register, condition: Term, of: [Term; 2] },
    /// Reads.
    Load {
        /// Takes the value.
        to: Register,
        /// Of the location.
        address: Term,
        /// Order, scope, proxy.
        attributes: Attributes,
    },
    /// Writes.
    Store {
        /// Of the location.
        address: Term,
        /// What is written.
        value: Term,
        /// Order, scope, proxy.
        attributes: Attributes,
    },
    /// One load for each register, in any order.
    LoadVector {
        /// Take the values.
        to: Vec<Register>,
        /// Of the first element.
        address: Term,
        /// The distance of their addresses.
        width: LocationAddress,
        /// Order, scope, proxy.
        attributes: Attributes,
    },
    /// One store for each value, in any order.
    StoreVector {
        /// Of the first element.
        address: Term,
        /// The distance of their addresses.
        width: LocationAddress,
        /// What is written.
        values: Vec<Term>,
        /// Order, scope, proxy.
        attributes: Attributes,
    },
    /// Reads and writes as one.
    Modify {
        /// Takes the old value.
        to: Option<Register>,
        /// Of the location.
        address: Term,
        /// What is written.
        modification: Modification,
        read: Attributes,
        write: Attributes,
    },
    /// Writes if the thread's last load-reserved was of the same location and no store-conditional
    /// is between them, or fails.
    StoreConditional {
        /// Takes 0 if it wrote, else 1.
        status: Register,
        /// Of the location.
        address: Term,
        /// What is written.
        value: Term,
        /// Order, scope, proxy.
        attributes: Attributes,
    },
    Fence {
        order: Order,
        scope: Option<Scope>,
        /// For objects in these state spaces alone; none where it is for all.
        spaces: Spaces,
        /// The proxy that it is to; the generic one where it is none of proxies.
        proxy: Proxy,
    },
    /// A fence of the tensormap proxy.
    TensormapFence {
        /// The map that it is for; `None`: all.
        address: Option<Term>,
        /// Release or acquire.
        order: Order,
        scope: Scope,
    },
    ProxyFence {
        proxy: Proxy,
        /// Of the async proxy: for objects in these state spaces.
        spaces: Spaces,
        /// Is it a fence for the initialisation of mbarriers?
        mbarrier: bool,
    },
    /// An operation on an mbarrier.
    Mbarrier {
        address: Term,
        /// What is done.
        step: MbarrierStep,
    },
    /// Issues an asynchronous operation.
    Async(AsyncStep),
    /// `wgmma.mma_async` may come from here on.
    WarpgroupFence,
    /// A fence of `tcgen05`.
    TensorFence {
        /// `after_thread_sync`, else `before_thread_sync`.
        after: bool,
    },
    /// Weak stores of 0 to so many bytes from a location on, in any order.
    BulkStore {
        /// Of the first location.
        address: Term,
        /// How many bytes.
        bytes: i64,
    },
    /// Commits a group of asynchronous operations, or waits for them.
    AsyncGroup {
        /// Of which operations.
        family: AsyncFamily,
        /// Which of the two.
        action: AsyncGroupAction,
    },
    /// Lets an mbarrier count the completion of all earlier operations of a family as an arrival.
    AsyncArrive {
        /// Of which operations.
        family: AsyncFamily,
        address: Term,
        /// Was the arrival counted when the mbarrier was initialised?
        counted: bool,
    },
    /// Arrives at, then waits at a barrier.
    Barrier {
        /// Its number, 0 to 15 (a cta's; PTX ISA 9.7.13.1).
        barrier: Term,
        /// Threads meet only at barriers of one instance: which one, counted from 1 (Dartagnan); 0
        /// where there are none.
        instance: u8,
        /// The threads that take part: those of the cta or cluster.
        scope: Scope,
        /// Does the thread arrive?
        arrives: bool,
        /// Does it wait?
        waits: bool,
        /// Without memory ordering.
        relaxed: bool,
    },
    /// Leaves what the lane brings to a meeting.
    Bring(ExchangeStep),
    /// Takes what the lanes make of what they brought to the meeting.
    Take(ExchangeStep),
    /// Goes to the target if the condition is 0. What follows depends on it: up to a step (C), or
    /// to the end (PTX).
    BranchIfZero {
        condition: Term,
        /// The step to go to.
        target: usize,
        /// Where the dependency ends.
        until: Option<usize>,
    },
    /// Goes to a step.
    Jump(usize),
    /// Goes on or goes to a step, as it may: what is behind both does the same in another order.
    Fork(usize),
}

impl Step {
    /// The values that it computes.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Assign(_, term) => vec![term],
            Self::Pick { condition, of: [a, b], .. } => vec![condition, a, b],
            Self::Load { address, .. } | Self::LoadVector { address, .. } => vec![address],
            Self::Store { address, value, .. } | Self::StoreConditional { address, value, .. } => {
                vec![address, value]
            }
            Self::StoreVector { address, values, .. } => {
                std::iter::once(address).chain(values).collect()
            }
            Self::Modify { address, modification, .. } => match modification {
                Modification::Apply(_, operand) | Modification::Exchange(operand) => {
                    vec![address, operand]
                }
                Modification::CompareAndSwap { expected, new, .. } => vec![address, expected, new],
            },
            Self::Barrier { barrier, .. } => vec![barrier],
            Self::BranchIfZero { condition, .. } => vec![condition],
            Self::Mbarrier { address, step: MbarrierStep::Wait { phase: (phase, _), .. } } => {
                vec![address, phase]
            }
            Self::Mbarrier { address, .. } | Self::AsyncArrive { address, .. } => vec![address],
            Self::Async(step) => {
                let map = step.map.iter().flat_map(|map| &map.places);
                map.chain(&step.to).chain(step.source.terms()).chain(&step.mbarriers).collect()
            }
            Self::BulkStore { address, .. } => vec![address],
            Self::Bring(step) | Self::Take(step) => step.brought.iter().collect(),
            Self::TensormapFence { address, .. } => address.iter().collect(),
            Self::WarpgroupFence
            | Self::TensorFence { .. }
            | Self::Fence { .. }
            | Self::ProxyFence { .. }
            | Self::AsyncGroup { .. }
            | Self::Jump(_)
            | Self::Fork(_) => Vec::new(),
        }
    }

    /// The registers that it writes, whatever happens.
    pub fn written(&self) -> Vec<Register> {
        match self {
            Self::Assign(to, _)
            | Self::Pick { to, .. }
            | Self::Load { to, .. }
            | Self::StoreConditional { status: to, .. } => vec![*to],
            Self::LoadVector { to, .. } => to.clone(),
            Self::Mbarrier { step: MbarrierStep::Wait { to, .. }, .. } => vec![*to],
            Self::Mbarrier { step: MbarrierStep::Change { to, .. }, .. } => {
                to.iter().copied().collect()
            }
            Self::Take(step) => step.to.iter().copied().collect(),
            Self::Async(AsyncStep { source: AsyncSource::Registers(to), .. }) => {
                to.iter().map(|(to, _)| *to).collect()
            }
            Self::Modify { to, modification, .. } => match modification {
                Modification::CompareAndSwap { success, .. } => {
                    to.iter().chain(success).copied().collect()
                }
                _ => to.iter().copied().collect(),
            },
            _ => Vec::new(),
        }
    }
}

/// The code of a thread.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The steps, each with the place that it came from.
    pub steps: Vec<(Step, crate::test::Place)>,
    /// The names of the registers; those made for intermediate values have none.
    pub names: Vec<Option<String>>,
    /// What registers hold at the start, other than 0.
    pub initial: Vec<(Register, i64)>,
    /// The registers whose final values the test asks for.
    pub asked: Vec<Register>,
}

impl Program {
    pub fn register(&mut self, name: &str) -> Register {
        let known = self.names.iter().position(|n| n.as_deref() == Some(name));
        Register(known.unwrap_or_else(|| {
            self.names.push(Some(name.to_string()));
            self.names.len() - 1
        }) as u16)
    }

    /// A register for an intermediate value.
    pub fn fresh(&mut self) -> Register {
        self.names.push(None);
        Register((self.names.len() - 1) as u16)
    }

    /// Adds a step; gives its number.
    pub fn push(&mut self, step: Step, place: crate::test::Place) -> usize {
        self.steps.push((step, place));
        self.steps.len() - 1
    }

    /// Lets a branch or jump go to the next step to be added.
    pub fn patch(&mut self, at: usize) {
        let end = self.steps.len();
        match &mut self.steps[at].0 {
            Step::BranchIfZero { target, until, .. } => {
                *target = end;
                if let Some(until) = until {
                    *until = end;
                }
            }
            Step::Jump(target) | Step::Fork(target) => *target = end,
            _ => {}
        }
    }
}
