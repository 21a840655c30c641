//! Straight code, prepared for the machine: operations with their fences spelt out, registers as
//! bit masks.

use margay_litmus::test::{Dialect, Integer, Place, Space, Test};
use margay_litmus::unfold::program::{Attributes, Modification, Program, Register, Step, Term};
use margay_litmus::unfold::{Binary, Code, UnfoldError};
use margay_models::execution::{Order, Placement, Proxy, Scope};

use crate::emit::spaces;

/// The thread fences of the thesis: `__threadfence_block()` and `__threadfence()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimFence {
    Block,
    Device,
}

/// What a read-modify-write does.
#[derive(Debug, Clone)]
pub(super) enum SimChange {
    Apply(Binary, Term),
    Exchange(Term),
    CompareAndSwap(Term, Term),
}

#[derive(Debug, Clone)]
pub(super) enum SimOperation {
    Assign(u8, Term),
    Load {
        to: u8,
        address: Term,
        /// The type of the access.
        integer: Option<Integer>,
    },
    Store {
        address: Term,
        value: Term,
        integer: Option<Integer>,
    },
    Modify {
        to: Option<u8>,
        address: Term,
        change: SimChange,
        integer: Option<Integer>,
    },
    Fence(SimFence),
    /// Arrives at a barrier, once everything before is done.
    Arrive(u8),
    /// Waits until all who take part have arrived as often as this thread has.
    Wait(u8),
    BranchIfZero {
        condition: Term,
        target: u16,
    },
    Jump(u16),
}

/// An operation, with the registers that must be there before it is issued.
#[derive(Debug, Clone)]
pub(super) struct Coded {
    pub operation: SimOperation,
    pub registers: u64,
}

#[derive(Debug, Clone)]
pub(super) struct SimThread {
    pub operations: Vec<Coded>,
    pub names: Vec<Option<String>>,
    pub initial: Vec<i64>,
    pub placement: Placement,
}

/// A barrier, and the threads that take part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimBarrier {
    /// Instance and number.
    number: (u8, u8),
    scope: Scope,
    of: Placement,
    pub threads: Vec<u8>,
}

/// A test.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub threads: Vec<SimThread>,
    pub initial: Vec<i64>,
    /// For each location: is it in the shared memory of a cta?
    pub shared: Vec<bool>,
    pub barriers: Vec<SimBarrier>,
    pub code: Code,
}

/// The largest number of locations: those of a mask.
pub(super) const MAX_LOCATIONS: usize = 16;
/// The largest number of threads.
pub(super) const MAX_THREADS: usize = 16;

impl Prepared {
    pub(super) fn new(test: &Test) -> Result<Self, UnfoldError> {
        if test.dialect == Dialect::C {
            return Err(UnfoldError::new(
                "the machine runs PTX; this is a C test, which a compiler has to map first",
            ));
        }
        if test.threads.len() > MAX_THREADS || test.locations.len() > MAX_LOCATIONS {
            let message = format!(
                "the machine has {MAX_THREADS} threads and {MAX_LOCATIONS} locations; the test needs more"
            );
            return Err(UnfoldError::new(message));
        }
        if let Some(alias) = test.locations.iter().find(|l| l.alias.is_some()) {
            let message = format!(
                "`{}` is another name for a location; the machine has no proxies",
                alias.name
            );
            return Err(UnfoldError::at(message, alias.place));
        }
        let code = Code::new(test)?;
        let shared = spaces(test).into_iter().map(|s| s == Space::Shared).collect();
        let mut prepared = Self {
            threads: Vec::new(),
            initial: code.initial().to_vec(),
            shared,
            barriers: Vec::new(),
            code: code.clone(),
        };
        for (t, program) in code.threads.iter().enumerate() {
            let placement = test.placement(margay_litmus::test::ThreadId(t as u16));
            let thread = prepared.thread(program, placement, t as u8)?;
            prepared.threads.push(thread);
        }
        prepared.one_cta_for_shared(test)?;
        Ok(prepared)
    }

    /// A location in shared memory is one location only within a cta.
    fn one_cta_for_shared(&self, test: &Test) -> Result<(), UnfoldError> {
        let inter =
            self.threads.windows(2).any(|w| !w[0].placement.shares(Scope::Cta, w[1].placement));
        match self.shared.iter().position(|&s| s) {
            Some(l) if inter => {
                let d = &test.locations[l];
                Err(UnfoldError::at(
                    format!(
                        "`{}` is in shared memory, but the threads are in different ctas",
                        d.name
                    ),
                    d.place,
                ))
            }
            _ => Ok(()),
        }
    }

    fn barrier(&mut self, number: (u8, u8), scope: Scope, of: Placement, thread: u8) -> u8 {
        let of = match scope {
            Scope::Cluster => Placement { cta: 0, warp: 0, ..of },
            Scope::Warp => of,
            _ => Placement { warp: 0, ..of },
        };
        let known =
            self.barriers.iter().position(|b| (b.number, b.scope, b.of) == (number, scope, of));
        let slot = known.unwrap_or_else(|| {
            self.barriers.push(SimBarrier { number, scope, of, threads: Vec::new() });
            self.barriers.len() - 1
        });
        if !self.barriers[slot].threads.contains(&thread) {
            self.barriers[slot].threads.push(thread);
        }
        slot as u8
    }

    fn thread(
        &mut self,
        program: &Program,
        placement: Placement,
        number: u8,
    ) -> Result<SimThread, UnfoldError> {
        if program.names.len() > 64 {
            return Err(UnfoldError::new(format!("thread P{number} has more than 64 registers")));
        }
        let mut operations: Vec<Coded> = Vec::new();
        let mut starts = Vec::with_capacity(program.steps.len() + 1);
        for (step, place) in &program.steps {
            starts.push(operations.len() as u16);
            self.step(step, *place, placement, number, &mut operations)?;
        }
        starts.push(operations.len() as u16);
        // Targets were steps; they become operations.
        for coded in &mut operations {
            if let SimOperation::BranchIfZero { target, .. } | SimOperation::Jump(target) =
                &mut coded.operation
            {
                *target = starts[usize::from(*target)];
            }
        }
        let mut initial = vec![0; program.names.len()];
        for (register, value) in &program.initial {
            initial[usize::from(register.0)] = *value;
        }
        Ok(SimThread { operations, names: program.names.clone(), initial, placement })
    }

    fn step(
        &mut self,
        step: &Step,
        place: Place,
        placement: Placement,
        thread: u8,
        out: &mut Vec<Coded>,
    ) -> Result<(), UnfoldError> {
        match step {
            Step::Assign(to, term) => push(out, SimOperation::Assign(to.0 as u8, term.clone())),
            Step::Pick { to, condition, of } => {
                let chosen = Term::select(condition, of.clone());
                push(out, SimOperation::Assign(to.0 as u8, chosen));
            }
            Step::Load { to, address, attributes } => {
                no_proxy(attributes, place)?;
                push(
                    out,
                    SimOperation::Load {
                        to: to.0 as u8,
                        address: address.clone(),
                        integer: attributes.integer,
                    },
                );
                after(attributes, out);
            }
            Step::LoadVector { to, address, width, attributes } => {
                no_proxy(attributes, place)?;
                for (register, address) in to.iter().zip(elements(address, *width)) {
                    push(
                        out,
                        SimOperation::Load {
                            to: register.0 as u8,
                            address,
                            integer: attributes.integer,
                        },
                    );
                }
                after(attributes, out);
            }
            Step::StoreVector { address, width, values, attributes } => {
                no_proxy(attributes, place)?;
                before(attributes, out);
                for (value, address) in values.iter().zip(elements(address, *width)) {
                    push(
                        out,
                        SimOperation::Store {
                            address,
                            value: value.clone(),
                            integer: attributes.integer,
                        },
                    );
                }
            }
            Step::Store { address, value, attributes } => {
                no_proxy(attributes, place)?;
                before(attributes, out);
                push(
                    out,
                    SimOperation::Store {
                        address: address.clone(),
                        value: value.clone(),
                        integer: attributes.integer,
                    },
                );
            }
            Step::Modify { to, address, modification, read, write } => {
                no_proxy(read, place)?;
                before(write, out);
                let change = match modification {
                    Modification::Apply(operator, operand) => {
                        SimChange::Apply(*operator, operand.clone())
                    }
                    Modification::Exchange(operand) => SimChange::Exchange(operand.clone()),
                    Modification::CompareAndSwap { expected, new, .. } => {
                        SimChange::CompareAndSwap(expected.clone(), new.clone())
                    }
                };
                let (to, integer) = (to.map(|Register(r)| r as u8), read.integer);
                push(out, SimOperation::Modify { to, address: address.clone(), change, integer });
                after(read, out);
            }
            Step::Fence { scope, .. } => push(out, SimOperation::Fence(fence(*scope))),
            Step::StoreConditional { .. } => {
                return Err(UnfoldError::at("a store-conditional; the machine has none", place));
            }
            Step::ProxyFence { .. } => {
                return Err(UnfoldError::at("a proxy fence; the machine has no proxies", place));
            }
            Step::Mbarrier { .. }
            | Step::Async(_)
            | Step::AsyncGroup { .. }
            | Step::AsyncArrive { .. }
            | Step::WarpgroupFence
            | Step::TensorFence { .. }
            | Step::TensormapFence { .. }
            | Step::BulkStore { .. } => {
                return Err(UnfoldError::at(
                    "an asynchronous operation or an mbarrier; the machine has none",
                    place,
                ));
            }
            Step::Bring(_) | Step::Take(_) => {
                return Err(UnfoldError::at(
                    "what lanes of a warp give each other; the machine gives nothing from lane to lane",
                    place,
                ));
            }
            Step::Barrier { scope: Scope::Sys, .. } => {
                return Err(UnfoldError::at(
                    "an order of launches; the machine runs one kernel",
                    place,
                ));
            }
            Step::Barrier { barrier, instance, scope, arrives, waits, relaxed } => {
                let Term::Constant(number) = barrier else {
                    return Err(UnfoldError::at(
                        "a barrier whose number is in a register; the machine has none",
                        place,
                    ));
                };
                let number = u8::try_from(*number)
                    .map_err(|_| UnfoldError::at(format!("there is no barrier {number}"), place))?;
                let slot = self.barrier((*instance, number), *scope, placement, thread);
                if *arrives {
                    if !relaxed {
                        push(out, SimOperation::Fence(fence(Some(*scope))));
                    }
                    push(out, SimOperation::Arrive(slot));
                }
                if *waits {
                    push(out, SimOperation::Wait(slot));
                }
            }
            Step::BranchIfZero { condition, target, .. } => {
                push(
                    out,
                    SimOperation::BranchIfZero {
                        condition: condition.clone(),
                        target: *target as u16,
                    },
                );
            }
            Step::Jump(target) => push(out, SimOperation::Jump(*target as u16)),
            // Of the orders that operands may have, the machine takes the first, as a compiler
            // takes one.
            Step::Fork(_) => {}
        }
        Ok(())
    }
}

/// The addresses of the elements of a vector.
fn elements(address: &Term, width: i64) -> impl Iterator<Item = Term> + '_ {
    (0..).map(move |i| Term::binary(Binary::Add, address.clone(), Term::Constant(i * width)))
}

fn no_proxy(attributes: &Attributes, place: Place) -> Result<(), UnfoldError> {
    match attributes.proxy {
        Proxy::Generic => Ok(()),
        _ => Err(UnfoldError::at("an access through a proxy; the machine has none", place)),
    }
}

fn fence(scope: Option<Scope>) -> SimFence {
    if scope == Some(Scope::Cta) { SimFence::Block } else { SimFence::Device }
}

fn before(attributes: &Attributes, out: &mut Vec<Coded>) {
    if matches!(attributes.order, Order::Rel | Order::AcqRel | Order::Sc) {
        push(out, SimOperation::Fence(fence(attributes.scope)));
    }
}

fn after(attributes: &Attributes, out: &mut Vec<Coded>) {
    if matches!(attributes.order, Order::Acq | Order::AcqRel | Order::Sc) {
        push(out, SimOperation::Fence(fence(attributes.scope)));
    }
}

fn push(out: &mut Vec<Coded>, operation: SimOperation) {
    let mut registers = 0;
    let mut see = |term: &Term| registers |= used(term);
    match &operation {
        SimOperation::Assign(to, term) => {
            see(term);
            registers |= 1 << to;
        }
        SimOperation::Load { to, address, .. } => {
            see(address);
            registers |= 1 << to;
        }
        SimOperation::Store { address, value, .. } => {
            see(address);
            see(value);
        }
        SimOperation::Modify { to, address, change, .. } => {
            see(address);
            match change {
                SimChange::Apply(_, term) | SimChange::Exchange(term) => see(term),
                SimChange::CompareAndSwap(expected, new) => {
                    see(expected);
                    see(new);
                }
            }
            if let Some(to) = to {
                registers |= 1 << to;
            }
        }
        SimOperation::BranchIfZero { condition, .. } => see(condition),
        SimOperation::Fence(_)
        | SimOperation::Arrive(_)
        | SimOperation::Wait(_)
        | SimOperation::Jump(_) => {}
    }
    out.push(Coded { operation, registers });
}

/// The registers of a term.
fn used(term: &Term) -> u64 {
    match term {
        Term::Constant(_) => 0,
        Term::Register(r) => 1 << r.0,
        Term::Unary(_, a) => used(a),
        Term::Binary(_, a, b) => used(a) | used(b),
    }
}
