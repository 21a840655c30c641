//! A thread of an execution as PTX (or generic) instructions.

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{EventData, Execution, Kind, Order, Proxy, Scope, Spaces};
use margay_models::signature::{self, Construct, Tags};

use super::RenderError;
use super::dataflow::inputs;
use super::values::{NEVER_WRITTEN, Values};
use crate::test::{
    Access, AccessOrder, Address, AtomFunction, AtomInstruction, AwaitedPhase, BarrierMode, Base,
    Body, ClusterBarrier, FenceOrder, Guard, LocalFunction, MbarrierAction, MbarrierOperation,
    NumberComparison, Operation, ProxyFenceKind, TestInstruction, TestOperand,
};

/// The instructions under construction.
struct Column<'a> {
    x: &'a Execution,
    values: &'a Values,
    /// What is written so far.
    instructions: Vec<TestInstruction>,
    /// The line of each event.
    places: Vec<(Event, usize)>,
    /// The number of the next free register.
    next_register: usize,
    /// Is there a branch to the label at the end?
    branches: bool,
}

/// The program of the thread with the given events, and the line of each; an end that lets others
/// pass a barrier has none.
pub(super) fn thread(
    x: &Execution,
    events: &[Event],
    values: &Values,
) -> Result<(Body, Vec<(Event, usize)>), RenderError> {
    let next_register = events
        .first()
        .and_then(|e| x.events[e.index()].thread)
        .map_or(0, |t| values.next_register[usize::from(t)]);
    let mut column = Column {
        x,
        values,
        instructions: Vec::new(),
        places: Vec::new(),
        next_register,
        branches: false,
    };
    let mut guarded = EventSet::EMPTY;
    // Whoever reads the program again sees where it ends.
    let events = &events
        [..events.iter().rposition(|e| !x.events[e.index()].is_exit()).map_or(0, |last| last + 1)];
    let mut i = 0;
    while i < events.len() {
        let event = events[i];
        // A control dependency to everything from here on is a branch; any other one a predicated
        // instruction.
        let mut predicate = EventSet::EMPTY;
        for r in (&x.ctrl.column(event) - &guarded).iter() {
            if events[i..].iter().all(|&e| x.ctrl.contains(r, e)) {
                column.branch_unless(r)?;
                guarded.insert(r);
            } else {
                predicate.insert(r);
            }
        }
        let pair = events
            .get(i + 1)
            .copied()
            .filter(|&w| x.rmw.contains(event, w) || column.arrives_and_waits(event, w));
        column.emit(event, pair, predicate)?;
        i += if pair.is_some() { 2 } else { 1 };
    }
    if column.branches {
        column.instructions.push(Operation::Label(END.to_string()).into());
    }
    Ok((Body::Instructions(column.instructions), column.places))
}

/// The label at the end of a thread.
const END: &str = "END";

impl Column<'_> {
    fn data(&self, e: Event) -> &EventData {
        &self.x.events[e.index()]
    }

    /// Are the events the two halves of a `bar.sync`?
    fn arrives_and_waits(&self, a: Event, w: Event) -> bool {
        let (a, w) = (self.data(a), self.data(w));
        let cluster = a.scope == Some(Scope::Cluster);
        a.kind == Kind::BarrierArrive
            && w.kind == Kind::BarrierWait
            && a.barrier == w.barrier
            && !cluster
    }

    fn fresh(&mut self) -> String {
        self.next_register += 1;
        format!("r{}", self.next_register - 1)
    }

    fn register(&self, r: Event) -> Result<String, RenderError> {
        self.values.register[r.index()].clone().ok_or(RenderError::Dependency(r, r))
    }

    fn local(&mut self, function: LocalFunction, a: TestOperand, b: TestOperand) -> String {
        let destination = self.fresh();
        self.instructions.push(
            Operation::Local {
                function,
                ty: None,
                destination: destination.clone(),
                operands: vec![a, b],
            }
            .into(),
        );
        destination
    }

    /// Leaves the thread unless the read got its value.
    fn branch_unless(&mut self, r: Event) -> Result<(), RenderError> {
        let left = TestOperand::Register(self.register(r)?);
        let right = TestOperand::Integer(self.values.of_event[r.index()].unwrap_or(0));
        let branch = Operation::BranchIf {
            comparison: NumberComparison::NotEqual,
            left,
            right,
            target: END.to_string(),
        };
        self.instructions.push(branch.into());
        self.branches = true;
        Ok(())
    }

    /// A register that is always 0 and depends on every read of the set; `None` for the empty set.
    fn zero(&mut self, reads: EventSet) -> Result<Option<String>, RenderError> {
        let mut sum: Option<String> = None;
        for r in reads.iter() {
            let register = TestOperand::Register(self.register(r)?);
            let zero = self.local(LocalFunction::Xor, register.clone(), register);
            sum = Some(match sum {
                Some(sum) => self.local(
                    LocalFunction::Add,
                    TestOperand::Register(sum),
                    TestOperand::Register(zero),
                ),
                None => zero,
            });
        }
        Ok(sum)
    }

    /// What is added where a read-modify-write writes back what it read: 0, with the dependencies
    /// of the write.
    fn nothing(&mut self, w: Event) -> Result<TestOperand, RenderError> {
        let zero = self.zero(inputs(self.x, w))?;
        Ok(zero.map_or(TestOperand::Integer(0), TestOperand::Register))
    }

    /// The address of an access, with its dependencies.
    fn address(&mut self, e: Event, partner: Option<Event>) -> Result<Address, RenderError> {
        let location = self.data(e).location.ok_or(RenderError::NoInstruction(e))?;
        let mut reads = self.x.addr.column(e);
        if let Some(partner) = partner {
            reads |= &self.x.addr.column(partner);
        }
        let offset = self.zero(reads)?.map(TestOperand::Register);
        Ok(Address {
            base: Base::Location(self.values.location[usize::from(location)].clone()),
            offset,
        })
    }

    /// The value of a write, with its dependencies.
    fn value(&mut self, w: Event) -> Result<TestOperand, RenderError> {
        let value = self.values.of_event[w.index()].ok_or(RenderError::NoInstruction(w))?;
        let reads = inputs(self.x, w);
        if let Some(r) = reads.iter().next().filter(|_| self.values.dataflow.copies.contains(w)) {
            return Ok(TestOperand::Register(self.register(r)?));
        }
        let other = match self.values.dataflow.spread {
            None => self.zero(reads)?,
            Some(spread) => {
                let mut sum: Option<String> = None;
                for r in reads.iter() {
                    let expected =
                        self.values.of_event[r.index()].ok_or(RenderError::Dependency(r, w))?;
                    let register = TestOperand::Register(self.register(r)?);
                    let difference =
                        self.local(LocalFunction::Xor, register, TestOperand::Integer(expected));
                    sum = Some(match sum {
                        Some(sum) => self.local(
                            LocalFunction::Add,
                            TestOperand::Register(sum),
                            TestOperand::Register(difference),
                        ),
                        None => difference,
                    });
                }
                sum.map(|sum| {
                    self.local(
                        LocalFunction::Multiply,
                        TestOperand::Register(sum),
                        TestOperand::Integer(spread),
                    )
                })
            }
        };
        Ok(match other {
            Some(other) => TestOperand::Register(self.local(
                LocalFunction::Add,
                TestOperand::Register(other),
                TestOperand::Integer(value),
            )),
            None => TestOperand::Integer(value),
        })
    }

    /// A value without another one.
    fn less(&mut self, value: TestOperand, by: i64) -> TestOperand {
        match value {
            TestOperand::Integer(value) => TestOperand::Integer(value - by),
            value => TestOperand::Register(self.local(
                LocalFunction::Add,
                value,
                TestOperand::Integer(-by),
            )),
        }
    }

    /// One 0-or-1 register that holds if every read of the set got its value.
    fn predicate(&mut self, reads: EventSet) -> Result<Option<Guard>, RenderError> {
        let mut all: Option<String> = None;
        for r in reads.iter() {
            let value = TestOperand::Integer(self.values.of_event[r.index()].unwrap_or(0));
            let register = TestOperand::Register(self.register(r)?);
            let holds =
                self.local(LocalFunction::Compare(NumberComparison::Equal), register, value);
            all = Some(match all {
                Some(all) => self.local(
                    LocalFunction::And,
                    TestOperand::Register(all),
                    TestOperand::Register(holds),
                ),
                None => holds,
            });
        }
        Ok(all.map(|register| Guard { register, negated: false }))
    }

    /// The instruction of an event (and of the event right after it, for RMWs and `bar.sync`).
    /// There is none for parts of asynchronous operations: no mapping makes them.
    fn emit(
        &mut self,
        e: Event,
        pair: Option<Event>,
        predicate: EventSet,
    ) -> Result<(), RenderError> {
        if self.data(e).operation.is_some() {
            return Err(RenderError::NoInstruction(e));
        }
        let generic = !self.x.signature.has_orders();
        let data = self.data(e).clone();
        let guard = self.predicate(predicate)?;
        let operation = match (data.kind, pair) {
            _ if data.mbarrier => self.mbarrier(e, pair)?,
            (Kind::Read, Some(_)) | (Kind::Write, _) if !can_write(data.proxy, pair) => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::Read, Some(w)) => {
                let write = self.data(w).clone();
                let address = self.address(e, Some(w))?;
                let operand = if write.writes_back { self.nothing(w)? } else { self.value(w)? };
                let order = self.rmw_order(&data, &write).ok_or(RenderError::NoInstruction(e))?;
                let access = Access { order, scope: data.scope, ..Access::default() };
                let destination = if data.reduction { None } else { Some(self.register(e)?) };
                if data.compare {
                    let read =
                        self.values.of_event[e.index()].ok_or(RenderError::NoInstruction(e))?;
                    return self.push(
                        e,
                        pair,
                        guard,
                        compare_and_swap(access, self.register(e)?, address, read, operand),
                    );
                }
                let (function, operand) =
                    match (data.reduction, operand, self.values.of_event[e.index()]) {
                        // A `red` does not exchange: it adds what lies between the two values.
                        (true, TestOperand::Integer(written), Some(read)) => {
                            (AtomFunction::Add, TestOperand::Integer(written - read))
                        }
                        (true, ..) => return Err(RenderError::NoInstruction(e)),
                        (false, nothing, _) if write.writes_back => (AtomFunction::Add, nothing),
                        // What computes adds as well, to what it has read.
                        (false, written, Some(read)) if data.computes => {
                            (AtomFunction::Add, self.less(written, read))
                        }
                        (false, operand, _) => (AtomFunction::Exchange, operand),
                    };
                Operation::Atom(AtomInstruction {
                    access,
                    function,
                    destination,
                    address,
                    operand,
                    replacement: None,
                })
            }
            (Kind::Read, None) if data.compare => {
                let address = self.address(e, None)?;
                let order = self.failed_order(&data).ok_or(RenderError::NoInstruction(e))?;
                let access = Access { order, scope: data.scope, ..Access::default() };
                compare_and_swap(
                    access,
                    self.register(e)?,
                    address,
                    NEVER_WRITTEN,
                    TestOperand::Integer(0),
                )
            }
            (Kind::Read, None) => {
                let address = self.address(e, None)?;
                Operation::Load {
                    access: self.access(&data, e)?,
                    destination: self.register(e)?,
                    address,
                }
            }
            (Kind::Write, _) => {
                let address = self.address(e, None)?;
                let value = self.value(e)?;
                Operation::Store { access: self.access(&data, e)?, address, value }
            }
            (Kind::Fence, _) if self.tags(signature::Operation::Fence, data.order).is_some() => {
                let construct =
                    Construct { operation: signature::Operation::Fence, order: data.order };
                let order =
                    self.tags(signature::Operation::Fence, data.order).map(FenceOrder::Text);
                Operation::Fence { order, scope: self.scope(construct, &data) }
            }
            // Nothing makes tensor maps of an execution.
            (Kind::Fence, _) if data.proxy == Proxy::Tensormap => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::Fence, _) if data.proxy == Proxy::Async && data.spaces == Spaces::NONE => {
                Operation::TensorFence { after: data.order == Order::Acq }
            }
            // One for a state space needs locations that say theirs, which those of an execution do
            // not.
            (Kind::Fence, _) if data.spaces != Spaces::NONE => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::Fence, _) if generic => Operation::Fence { order: None, scope: None },
            (Kind::Fence, _) => {
                let order = match data.order {
                    Order::Acq => FenceOrder::Acquire,
                    Order::Rel => FenceOrder::Release,
                    Order::AcqRel => FenceOrder::AcqRel,
                    Order::Sc => FenceOrder::Sc,
                    Order::Plain | Order::Rlx | Order::Tagged(_) => {
                        return Err(RenderError::NoInstruction(e));
                    }
                };
                Operation::Fence {
                    order: Some(order),
                    scope: Some(data.scope.unwrap_or(Scope::Sys)),
                }
            }
            (Kind::ProxyFence, _) => Operation::ProxyFence(match data.proxy {
                Proxy::Alias => ProxyFenceKind::Alias,
                Proxy::Surface => ProxyFenceKind::Surface,
                Proxy::Texture => ProxyFenceKind::Texture,
                Proxy::Constant => ProxyFenceKind::Constant,
                Proxy::Generic | Proxy::Async | Proxy::Tensormap => {
                    return Err(RenderError::NoInstruction(e));
                }
            }),
            // An end with something behind it.
            (Kind::BarrierArrive, _) if data.is_exit() => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::BarrierArrive, _) if data.scope == Some(Scope::Cluster) => {
                Operation::ClusterBarrier(ClusterBarrier::Arrive {
                    relaxed: data.order == Order::Rlx,
                })
            }
            (Kind::BarrierWait, _) if data.scope == Some(Scope::Cluster) => {
                Operation::ClusterBarrier(ClusterBarrier::Wait)
            }
            // The lanes that meet, and what launches a kernel, are in no event.
            (Kind::BarrierArrive | Kind::BarrierWait, _)
                if matches!(data.scope, Some(Scope::Warp | Scope::Sys)) =>
            {
                return Err(RenderError::NoInstruction(e));
            }
            // A cta has 16 barriers; more are those of Dartagnan's instances.
            (Kind::BarrierArrive, _) if data.barrier.is_some_and(|barrier| barrier > 15) => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::BarrierArrive, _) => {
                let mode = if pair.is_some() { BarrierMode::Sync } else { BarrierMode::Arrive };
                let count = pair.is_none().then_some(64);
                let barrier = TestOperand::Integer(i64::from(data.barrier.unwrap_or(0)));
                Operation::Barrier { mode, scope: Scope::Cta, instance: None, barrier, count }
            }
            (Kind::BarrierWait, _) => return Err(RenderError::LoneWait(e)),
            (Kind::Init | Kind::AsyncWait, _) => return Err(RenderError::NoInstruction(e)),
        };
        self.push(e, pair, guard, operation)
    }

    /// An arrival at an mbarrier, or a wait that returns: for its first phase.
    fn mbarrier(&mut self, e: Event, pair: Option<Event>) -> Result<Operation, RenderError> {
        let (data, address) = (self.data(e).clone(), self.address(e, pair)?);
        let scope = data.scope.unwrap_or(Scope::Cta);
        let order = match pair.map_or(data.order, |w| self.data(w).order) {
            Order::Rlx => AccessOrder::Relaxed,
            Order::Rel if pair.is_some() => AccessOrder::Release,
            Order::Acq if pair.is_none() => AccessOrder::Acquire,
            _ => return Err(RenderError::NoInstruction(e)),
        };
        let action = match (data.kind, pair) {
            (Kind::Read, Some(_)) => MbarrierAction::Arrive {
                token: None,
                order,
                scope,
                count: 1,
                bytes: None,
                drops: false,
                incomplete: false,
            },
            // One that reads what is no arrival, or not the last one, has not returned, or waits
            // for another phase.
            (Kind::Read, None) if !self.reads_last_arrival(e) => {
                return Err(RenderError::NoInstruction(e));
            }
            (Kind::Read, None) => {
                let phase = AwaitedPhase::Parity(TestOperand::Integer(0));
                MbarrierAction::Wait {
                    suspends: true,
                    destination: self.register(e)?,
                    order,
                    scope,
                    phase,
                }
            }
            _ => return Err(RenderError::NoInstruction(e)),
        };
        let is_remote = pair.is_some() && self.is_in_another_cta(&data);
        Ok(Operation::Mbarrier(MbarrierOperation { address, is_remote, action }))
    }

    fn reads_last_arrival(&self, wait: Event) -> bool {
        let read_from = self.x.rf.pairs().find(|&(_, read)| read == wait).map(|(write, _)| write);
        read_from.is_some_and(|w| self.data(w).kind == Kind::Write && self.x.co.row(w).is_empty())
    }

    /// Is the mbarrier in the shared memory of another cta: one of threads that wait at it?
    fn is_in_another_cta(&self, arrival: &EventData) -> bool {
        let place = |e: &EventData| e.thread.map(|t| self.x.threads[usize::from(t)]);
        let is_wait = |e: &usize| {
            let data = &self.x.events[*e];
            data.kind == Kind::Read
                && data.location == arrival.location
                && self.x.rmw.row(Event::from(*e)).is_empty()
        };
        let mut waits = (0..self.x.size()).filter(is_wait).map(|e| place(&self.x.events[e]));
        let here = place(arrival);
        waits.any(|there| {
            here.zip(there).is_some_and(|(here, there)| !here.shares(Scope::Cta, there))
        })
    }

    /// The tags of the instruction of an architecture that is a text, if it has one with this
    /// order.
    fn tags(&self, operation: signature::Operation, order: Order) -> Option<Tags> {
        let architecture = self.x.signature.tabular()?;
        let construct = Construct { operation, order };
        architecture.mnemonic(construct).map(|_| architecture.tags_of(construct))
    }

    /// The scope that an instruction of an architecture that is a text is written with: that of all
    /// threads where nothing is said of it.
    fn scope(&self, construct: Construct, data: &EventData) -> Option<Scope> {
        construct.has_scope(self.x.signature).then(|| data.scope.unwrap_or(Scope::Sys))
    }

    /// The order of the read-modify-write whose halves have the given ones; `None` if there is no
    /// such instruction, and nothing where there are no orders.
    fn rmw_order(&self, read: &EventData, write: &EventData) -> Option<Option<AccessOrder>> {
        match self.x.signature.tabular() {
            Some(architecture) => {
                let whole = architecture.whole(read.order, write.order)?;
                Some(Some(AccessOrder::Text(architecture.tags_of(whole))))
            }
            None if !self.x.signature.has_orders() => Some(None),
            None => rmw_order(read.order, write.order).map(Some),
        }
    }

    /// The same for a compare-and-swap that failed, of which there is the read alone.
    fn failed_order(&self, read: &EventData) -> Option<Option<AccessOrder>> {
        match self.x.signature.tabular() {
            Some(architecture) => {
                let of = |c: &Construct| {
                    c.operation == signature::Operation::Rmw && c.read_order() == read.order
                };
                let whole = architecture.constructs().into_iter().find(of)?;
                Some(Some(AccessOrder::Text(architecture.tags_of(whole))))
            }
            None if !self.x.signature.has_orders() => Some(None),
            None => rmw_order(read.order, Order::Rlx).map(Some),
        }
    }

    /// The qualifiers of a load or store.
    fn access(&self, data: &EventData, e: Event) -> Result<Access, RenderError> {
        if self.x.signature.tabular().is_some() {
            let operation = if data.kind == Kind::Read {
                signature::Operation::Read
            } else {
                signature::Operation::Write
            };
            let tags = self.tags(operation, data.order).ok_or(RenderError::NoInstruction(e))?;
            let scope = self.scope(Construct { operation, order: data.order }, data);
            return Ok(Access { order: Some(AccessOrder::Text(tags)), scope, ..Access::default() });
        }
        access(data, !self.x.signature.has_orders(), e)
    }

    fn push(
        &mut self,
        e: Event,
        pair: Option<Event>,
        guard: Option<Guard>,
        operation: Operation,
    ) -> Result<(), RenderError> {
        self.places.push((e, self.instructions.len()));
        self.places.extend(pair.map(|p| (p, self.instructions.len())));
        self.instructions.push(TestInstruction { guard, ..operation.into() });
        Ok(())
    }
}

/// Is there an instruction that writes through the proxy? Surfaces have stores; only the generic
/// proxy has read-modify-writes.
fn can_write(proxy: Proxy, pair: Option<Event>) -> bool {
    proxy == Proxy::Generic || proxy == Proxy::Surface && pair.is_none()
}

/// `atom.cas`: it writes if it reads the expected value.
fn compare_and_swap(
    access: Access,
    destination: String,
    address: Address,
    expected: i64,
    desired: TestOperand,
) -> Operation {
    Operation::Atom(AtomInstruction {
        access,
        function: AtomFunction::CompareAndSwap,
        destination: Some(destination),
        address,
        operand: TestOperand::Integer(expected),
        replacement: Some(desired),
    })
}

/// The qualifiers of a load or store.
fn access(data: &EventData, generic: bool, e: Event) -> Result<Access, RenderError> {
    let proxy = data.proxy;
    if generic {
        return Ok(Access { proxy, ..Access::default() });
    }
    let order = match data.order {
        Order::Plain => AccessOrder::Weak,
        Order::Rlx if data.volatile => {
            return Ok(Access { order: Some(AccessOrder::Volatile), proxy, ..Access::default() });
        }
        Order::Rlx if data.mmio => AccessOrder::Mmio,
        Order::Rlx => AccessOrder::Relaxed,
        Order::Acq => AccessOrder::Acquire,
        Order::Rel => AccessOrder::Release,
        Order::AcqRel | Order::Sc | Order::Tagged(_) => return Err(RenderError::NoInstruction(e)),
    };
    let scope =
        if order == AccessOrder::Weak { None } else { Some(data.scope.unwrap_or(Scope::Sys)) };
    Ok(Access { order: Some(order), scope, proxy, ..Access::default() })
}

/// The order of the instruction whose halves have the given orders.
fn rmw_order(read: Order, write: Order) -> Option<AccessOrder> {
    Some(match (read, write) {
        (Order::Rlx, Order::Rlx) => AccessOrder::Relaxed,
        (Order::Acq, Order::Rlx) => AccessOrder::Acquire,
        (Order::Rlx, Order::Rel) => AccessOrder::Release,
        (Order::Acq, Order::Rel) => AccessOrder::AcqRel,
        _ => return None,
    })
}
