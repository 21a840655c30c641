//! PTX instructions to straight code: default orders and scopes, predicates and labels.

use margay_models::execution::{Order, Proxy, Scope, Spaces};
use margay_models::signature::architecture::StatusDependency;
use margay_models::signature::{Construct, Operation as Of};
use margay_ptx::exchange::Exchange;

use super::program::{Attributes, ExchangeStep, Modification, Program, Register, Step, Term};
use super::shared::Shared;
use super::symbol::{Binary, MbarrierFunction, Unary};
use super::{UnfoldError, barriers, lanes, launches};
use crate::test::{
    Access, AccessOrder, Address, AtomFunction, AtomInstruction, BarrierMode, Base, ClusterBarrier,
    Dialect, FenceOrder, Integer, LocalFunction, Operation, Place, Test, TestInstruction,
    TestOperand, ThreadId, Type, WarpMeeting, element,
};

/// The code of a thread.
pub(super) fn compile(
    test: &Test,
    thread: ThreadId,
    shared: &Shared,
) -> Result<Program, UnfoldError> {
    let mut compiler = PtxCompiler {
        test,
        thread,
        shared,
        generic: test.dialect == Dialect::Generic,
        program: Program::default(),
        exits: Vec::new(),
    };
    let instructions = test.instructions(thread);
    let mut labels: Vec<(&str, usize)> = Vec::new();
    let mut jumps: Vec<(usize, &str)> = Vec::new();
    let (place, header) = (
        test.placement(thread),
        test.threads.get(thread.index()).map(|t| t.place).unwrap_or_default(),
    );
    if let Some(begins) = shared.meetings.begins(place.kernel) {
        compiler.program.push(begins, header);
    }
    for i in instructions {
        compiler.instruction(i, &mut labels, &mut jumps)?;
    }
    for (at, label) in jumps {
        let target = labels.iter().find(|(l, _)| *l == label).map(|(_, n)| *n);
        let target = target
            .ok_or_else(|| UnfoldError::new(format!("there is no label `{label}` in {thread}")))?;
        match &mut compiler.program.steps[at].0 {
            Step::Jump(to) | Step::BranchIfZero { target: to, .. } => *to = target,
            _ => {}
        }
    }
    for at in compiler.exits {
        compiler.program.patch(at);
    }
    if let Some(ends) = shared.meetings.ends(place.kernel, thread) {
        compiler.program.push(ends, header);
    }
    Ok(compiler.program)
}

pub(super) struct PtxCompiler<'a> {
    pub(super) test: &'a Test,
    thread: ThreadId,
    shared: &'a Shared,
    generic: bool,
    pub(super) program: Program,
    /// Jumps to the end of the thread.
    exits: Vec<usize>,
}

impl PtxCompiler<'_> {
    pub(super) fn value(&mut self, value: &TestOperand) -> Result<Term, UnfoldError> {
        Ok(match value {
            TestOperand::Register(name) => Term::Register(self.program.register(name)),
            TestOperand::Integer(n) => Term::Constant(*n),
            TestOperand::AddressOf(location) => Term::Constant(self.shared.address_of(location)?),
        })
    }

    pub(super) fn address(&mut self, address: &Address) -> Result<Term, UnfoldError> {
        let base = match &address.base {
            Base::Location(name) => Term::Constant(self.shared.address_of(name)?),
            Base::Register(name) => Term::Register(self.program.register(name)),
        };
        Ok(match &address.offset {
            Some(offset) => Term::binary(Binary::Add, base, self.value(offset)?),
            None => base,
        })
    }

    fn instruction<'t>(
        &mut self,
        i: &'t TestInstruction,
        labels: &mut Vec<(&'t str, usize)>,
        jumps: &mut Vec<(usize, &'t str)>,
    ) -> Result<(), UnfoldError> {
        let guard = i.guard.as_ref().map(|g| {
            let register = Term::Register(self.program.register(&g.register));
            if g.negated { Term::Unary(Unary::LogicalNot, Box::new(register)) } else { register }
        });
        if let Operation::Label(label) = &i.operation {
            labels.push((label, self.program.steps.len()));
            return Ok(());
        }
        // A guarded jump is a branch: everything after it depends on the guard. A guarded access
        // depends on it alone.
        let jumps_away = matches!(
            i.operation,
            Operation::Goto(_) | Operation::BranchIf { .. } | Operation::Exit
        );
        let around = guard.map(|condition| {
            let until = (!jumps_away).then_some(0);
            self.program.push(Step::BranchIfZero { condition, target: 0, until }, i.place)
        });
        self.operation(i, jumps)?;
        if let Some(around) = around {
            self.program.patch(around);
        }
        Ok(())
    }

    fn operation<'t>(
        &mut self,
        i: &'t TestInstruction,
        jumps: &mut Vec<(usize, &'t str)>,
    ) -> Result<(), UnfoldError> {
        let step = match &i.operation {
            Operation::Load { access, destination, address } if is_packed(access) => {
                return self.load_elements(access, std::slice::from_ref(destination), address, i);
            }
            Operation::Load { access, destination, address } => {
                let address = self.address(address)?;
                let attributes =
                    Attributes { reserves: is_half(Of::Read, access), ..self.attributes(access) };
                Step::Load { to: self.program.register(destination), address, attributes }
            }
            Operation::Store { access, address, value } if is_packed(access) => {
                self.store_elements(access, address, std::slice::from_ref(value), i)?
            }
            Operation::Store { access, address, value } => {
                let (address, value) = (self.address(address)?, self.value(value)?);
                Step::Store { address, value, attributes: self.attributes(access) }
            }
            Operation::StoreConditional { access, status, address, value } => {
                let (address, value) = (self.address(address)?, self.value(value)?);
                let attributes =
                    Attributes { status: status_dependency(access), ..self.attributes(access) };
                Step::StoreConditional {
                    status: self.program.register(status),
                    address,
                    value,
                    attributes,
                }
            }
            Operation::VectorLoad { access, destinations, address } => {
                return self.load_elements(access, destinations, address, i);
            }
            Operation::VectorStore { access, address, values } => {
                self.store_elements(access, address, values, i)?
            }
            Operation::Atom(atom) => self.atom(atom)?,
            Operation::Fence { .. } if self.generic => fence(Order::Plain, None),
            Operation::Fence { order: Some(FenceOrder::Text(tags)), scope } => {
                fence(tags.order(), *scope)
            }
            Operation::Fence { order, scope } => {
                let order = match order {
                    Some(FenceOrder::Acquire) => Order::Acq,
                    Some(FenceOrder::Release) => Order::Rel,
                    // `fence` without an order is acq_rel (PTX ISA 9.7.13, and 8.10.6: `fence.sys`
                    // in MP).
                    Some(FenceOrder::AcqRel) | None => Order::AcqRel,
                    Some(FenceOrder::Sc | FenceOrder::Text(_)) => Order::Sc,
                };
                fence(order, Some(scope.unwrap_or(Scope::Sys)))
            }
            // "membar.{cta,gl,sys} are synonyms of fence.sc.{cta,gpu,sys}" on sm_70 and later.
            Operation::Membar(_) if self.generic => fence(Order::Plain, None),
            Operation::Membar(level) => fence(Order::Sc, Some(level.scope())),
            Operation::SharedFence { acquires, to_async } => {
                let order = if *acquires { Order::Acq } else { Order::Rel };
                let proxy = if *to_async { Proxy::Async } else { Proxy::Generic };
                Step::Fence { order, scope: Some(Scope::Cluster), spaces: Spaces::SHARED, proxy }
            }
            Operation::Tensormap(operation) => return self.tensormap(operation, i.place),
            Operation::ProxyFence(kind) => {
                Step::ProxyFence { proxy: kind.proxy(), spaces: kind.spaces(), mbarrier: false }
            }
            Operation::MbarrierInitFence => {
                Step::ProxyFence { proxy: Proxy::Generic, spaces: Spaces::NONE, mbarrier: true }
            }
            Operation::Mbarrier(operation) => self.mbarrier(operation)?,
            Operation::Async(operation) => self.asynchronous(operation)?,
            Operation::AsyncGroup { family, action } => {
                Step::AsyncGroup { family: *family, action: *action }
            }
            Operation::WarpgroupFence => Step::WarpgroupFence,
            Operation::BulkStore { address, bytes } => {
                Step::BulkStore { address: self.address(address)?, bytes: *bytes }
            }
            Operation::Multimem(operation) => return self.multimem(operation, i.place),
            Operation::AsyncArrive { family, address, counted } => Step::AsyncArrive {
                family: *family,
                address: self.address(address)?,
                counted: *counted,
            },
            Operation::TensorFence { after } => Step::TensorFence { after: *after },
            Operation::PendingCount { destination, token } => {
                let pending = Binary::Mbarrier(MbarrierFunction::Pending);
                let pending = Term::binary(pending, self.value(token)?, Term::Constant(0));
                Step::Assign(self.program.register(destination), pending)
            }
            Operation::Barrier { mode, scope, barrier, instance, .. } => {
                let waits = !matches!(mode, BarrierMode::Arrive);
                let instance = barriers::instance_number(&self.shared.instances, *instance);
                let barrier = self.value(barrier)?;
                Step::Barrier {
                    barrier,
                    instance,
                    scope: *scope,
                    arrives: true,
                    waits,
                    relaxed: false,
                }
            }
            Operation::ClusterBarrier(barrier) => {
                let (arrives, relaxed) = match barrier {
                    ClusterBarrier::Arrive { relaxed } => (true, *relaxed),
                    ClusterBarrier::Wait => (false, false),
                };
                let barrier = Term::Constant(0);
                Step::Barrier {
                    barrier,
                    instance: 0,
                    scope: Scope::Cluster,
                    arrives,
                    waits: !arrives,
                    relaxed,
                }
            }
            Operation::Warp(meeting) => return self.meeting(meeting, i.place),
            Operation::Launches(order) => {
                let prerequisites = launches::prerequisites(self.test, self.thread);
                for step in self.shared.meetings.steps(*order, &prerequisites) {
                    self.program.push(step, i.place);
                }
                return Ok(());
            }
            Operation::Local { function, ty, destination, operands } => {
                let operands =
                    operands.iter().map(|o| self.value(o)).collect::<Result<Vec<_>, _>>()?;
                let to = self.program.register(destination);
                match (*function, operands) {
                    (LocalFunction::Pick, operands) => {
                        let [a, b, condition] = operands.try_into().map_err(|_| {
                            UnfoldError::at("a choice has three operands".to_owned(), i.place)
                        })?;
                        Step::Pick { to, condition, of: [a, b] }
                    }
                    (function, operands) => Step::Assign(to, local(function, *ty, operands)),
                }
            }
            Operation::BranchIf { comparison, left, right, target } => {
                // Goes to the target if the opposite comparison is 0.
                let (left, right) = (self.value(left)?, self.value(right)?);
                let condition = Term::binary(Binary::Compare(comparison.opposite()), left, right);
                jumps.push((self.program.steps.len(), target));
                Step::BranchIfZero { condition, target: 0, until: None }
            }
            Operation::Goto(target) => {
                jumps.push((self.program.steps.len(), target));
                Step::Jump(0)
            }
            Operation::Exit => {
                self.exits.push(self.program.steps.len());
                Step::Jump(0)
            }
            Operation::Label(_) => return Ok(()),
        };
        self.program.push(step, i.place);
        Ok(())
    }

    /// A meeting of lanes, with what they give each other.
    fn meeting(&mut self, meeting: &WarpMeeting, place: Place) -> Result<(), UnfoldError> {
        let number = self.shared.meetings.number(meeting);
        let all = lanes::lanes(self.test, self.thread, meeting.mask);
        let lane =
            all.iter().find(|(_, thread)| *thread == self.thread).map_or(0, |(lane, _)| *lane);
        let mut step = None;
        if let Some(given) = meeting
            .given
            .as_ref()
            .filter(|_| meeting.elects() || self.shared.lanes.is_of(number, self.thread.index()))
        {
            let brought = given.brought.iter().map(|v| self.value(v)).collect::<Result<_, _>>()?;
            let to = given.to.as_deref().map(|to| self.program.register(to));
            if given.exchange == Exchange::Elect {
                let all: Vec<(u32, u64)> = all.iter().map(|(lane, _)| (*lane, 0)).collect();
                let elected = given
                    .exchange
                    .value(given.ty, lane, &all)
                    .map_or(0, |[_, is_elected]| is_elected as i64);
                if let Some(to) = to {
                    self.program.push(Step::Assign(to, Term::Constant(elected)), place);
                }
            } else {
                let lanes = all.iter().map(|(lane, thread)| (*lane, thread.index())).collect();
                let (exchange, ty) = (given.exchange, given.ty);
                step =
                    Some(ExchangeStep { meeting: number, exchange, ty, brought, to, lane, lanes });
            }
        }
        if let Some(step) = &step {
            self.program.push(Step::Bring(step.clone()), place);
        }
        self.program.push(self.shared.meetings.step(meeting), place);
        if let Some(step) = step.filter(|step| step.to.is_some()) {
            self.program.push(Step::Take(step), place);
        }
        Ok(())
    }

    /// A load of several scalars: of each element of a vector, and of both elements of packed ones
    /// (PTX ISA 8.2.4, 8.2.5).
    fn load_elements(
        &mut self,
        access: &Access,
        registers: &[String],
        at: &Address,
        i: &TestInstruction,
    ) -> Result<(), UnfoldError> {
        let pairs = is_packed(access);
        let count = registers.len() * if pairs { 2 } else { 1 };
        let width = self.vector(access, at, count, i)?;
        let address = self.address(at)?;
        let to: Vec<Register> = match pairs {
            true => (0..count).map(|_| self.program.fresh()).collect(),
            false => registers.iter().map(|r| self.program.register(r)).collect(),
        };
        self.program.push(
            Step::LoadVector {
                to: to.clone(),
                address,
                width,
                attributes: self.attributes(access),
            },
            i.place,
        );
        if let (true, Some(ty)) = (pairs, access.ty) {
            for (register, pair) in registers.iter().zip(to.chunks(2)) {
                let [low, high] = [0, 1].map(|e| unsigned(Term::Register(pair[e]), ty.bits));
                let high =
                    Term::binary(Binary::ShiftLeft, high, Term::Constant(i64::from(ty.bits)));
                let register = self.program.register(register);
                self.program
                    .push(Step::Assign(register, Term::binary(Binary::Or, low, high)), i.place);
            }
        }
        Ok(())
    }

    fn store_elements(
        &mut self,
        access: &Access,
        at: &Address,
        values: &[TestOperand],
        i: &TestInstruction,
    ) -> Result<Step, UnfoldError> {
        let mut terms = Vec::with_capacity(2 * values.len());
        for value in values {
            let value = self.value(value)?;
            if let Some(ty) = access.ty.filter(|ty| ty.packed) {
                let bits = Term::Constant(i64::from(ty.bits));
                terms.push(unsigned(value.clone(), ty.bits));
                terms.push(unsigned(Term::binary(Binary::ShiftRight, value, bits), ty.bits));
            } else {
                terms.push(value);
            }
        }
        let width = self.vector(access, at, terms.len(), i)?;
        Ok(Step::StoreVector {
            address: self.address(at)?,
            width,
            values: terms,
            attributes: self.attributes(access),
        })
    }

    /// The width of a vector's elements: that of its type, or of the array. The vector must be
    /// aligned to its size.
    fn vector(
        &self,
        access: &Access,
        address: &Address,
        count: usize,
        i: &TestInstruction,
    ) -> Result<i64, UnfoldError> {
        let typed = access.ty.map(|ty| i64::from(ty.bits) / 8);
        let Base::Location(name) = &address.base else { return Ok(typed.unwrap_or(4)) };
        let start = self.shared.address_of(name)?;
        let width = typed
            .or_else(|| self.shared.location_at(start).map(|l| self.shared.widths[usize::from(l)]))
            .unwrap_or(4);
        let offset = match &address.offset {
            None => 0,
            Some(TestOperand::Integer(n)) => *n,
            Some(_) => return Ok(width),
        };
        let before = element(name).map_or(0, |(_, n)| n as i64 * width);
        let size = width * count as i64;
        if before.checked_add(offset).is_none_or(|n| n % size != 0) {
            return Err(UnfoldError::at(
                format!(
                    "a vector of {size} bytes is accessed at an address that is no multiple of that"
                ),
                i.place,
            ));
        }
        Ok(width)
    }

    pub(super) fn atom(
        &mut self,
        AtomInstruction { access, function, destination, address, operand, replacement }: &AtomInstruction,
    ) -> Result<Step, UnfoldError> {
        let address = self.address(address)?;
        let operand = self.value(operand)?;
        let (read, write) = match access.order {
            _ if self.generic => (Order::Plain, Order::Plain),
            Some(AccessOrder::Text(tags)) => (tags.of_read(), tags.of_write()),
            Some(AccessOrder::Acquire) => (Order::Acq, Order::Rlx),
            Some(AccessOrder::Release) => (Order::Rlx, Order::Rel),
            Some(AccessOrder::AcqRel) => (Order::Acq, Order::Rel),
            // "If no order is given, .relaxed; if no scope is given, .gpu" (PTX ISA 9.7.13.5).
            _ => (Order::Rlx, Order::Rlx),
        };
        let scope = match access.order {
            _ if self.generic => None,
            Some(AccessOrder::Text(_)) => access.scope,
            _ => Some(access.scope.unwrap_or(Scope::Gpu)),
        };
        let plain = self.attributes(&Access { order: None, ..*access });
        let half = |order| Attributes { order, scope, reduction: destination.is_none(), ..plain };
        let modification = match function {
            AtomFunction::CompareAndSwap => {
                let new = replacement
                    .as_ref()
                    .map(|r| self.value(r))
                    .transpose()?
                    .unwrap_or(Term::Constant(0));
                Modification::CompareAndSwap {
                    expected: operand,
                    new,
                    success: None,
                    failure: half(read),
                    spurious: false,
                }
            }
            other => match applied(*other) {
                Some(operator) => Modification::Apply(operator, operand),
                None => Modification::Exchange(operand),
            },
        };
        let to = destination.as_deref().map(|d| self.program.register(d));
        Ok(Step::Modify { to, address, modification, read: half(read), write: half(write) })
    }

    pub(super) fn attributes(&self, access: &Access) -> Attributes {
        let (bits, integer) =
            (access.ty.map(|ty| ty.bits).or(access.width.0), access.ty.and_then(Type::integer));
        let plain = Attributes {
            proxy: access.proxy,
            bits,
            integer,
            ..Attributes::new(Order::Plain, None)
        };
        let strong = |order| Attributes { order, scope: access.scope, ..plain };
        if self.generic {
            return plain;
        }
        match access.order {
            None | Some(AccessOrder::Weak) => plain,
            Some(AccessOrder::Text(tags)) => strong(tags.order()),
            Some(AccessOrder::Relaxed) => strong(Order::Rlx),
            Some(AccessOrder::Acquire) => strong(Order::Acq),
            Some(AccessOrder::Release | AccessOrder::AcqRel) => strong(Order::Rel),
            // 8.4.2: "equivalent to a relaxed memory operation with system-scope".
            Some(AccessOrder::Volatile) => {
                Attributes { order: Order::Rlx, scope: Some(Scope::Sys), volatile: true, ..plain }
            }
            Some(AccessOrder::Mmio) => Attributes { mmio: true, ..strong(Order::Rlx) },
        }
    }
}

/// A fence for all memory.
fn fence(order: Order, scope: Option<Scope>) -> Step {
    Step::Fence { order, scope, spaces: Spaces::NONE, proxy: Proxy::Generic }
}

/// What a function computes from the old value and the operand; `None` if it is no operator.
pub(super) fn applied(function: AtomFunction) -> Option<Binary> {
    Some(match function {
        AtomFunction::Exchange | AtomFunction::CompareAndSwap => return None,
        AtomFunction::Add => Binary::Add,
        AtomFunction::Subtract => Binary::Subtract,
        AtomFunction::Multiply => Binary::Multiply,
        AtomFunction::Divide => Binary::Divide,
        AtomFunction::And => Binary::And,
        AtomFunction::Or => Binary::Or,
        AtomFunction::Xor => Binary::Xor,
        AtomFunction::Increment => Binary::Increment,
        AtomFunction::Decrement => Binary::Decrement,
        AtomFunction::Min => Binary::Min,
        AtomFunction::Max => Binary::Max,
    })
}

/// Is an access half of a pair of a load-reserved and a store-conditional?
fn is_half(operation: Of, access: &Access) -> bool {
    match access.order {
        Some(AccessOrder::Text(tags)) => {
            tags.architecture().is_half(Construct { operation, order: tags.order() })
        }
        _ => false,
    }
}

/// What the result of a store-conditional carries.
fn status_dependency(access: &Access) -> StatusDependency {
    match access.order {
        Some(AccessOrder::Text(tags)) => tags
            .architecture()
            .status_dependency(Construct { operation: Of::Write, order: tags.order() }),
        _ => StatusDependency::Nothing,
    }
}

fn is_packed(access: &Access) -> bool {
    access.ty.is_some_and(|ty| ty.packed)
}

fn unsigned(value: Term, bits: u8) -> Term {
    value.convert(Some(Integer { bits, signed: false }))
}

/// What an instruction of a type computes; without one in 64 bits.
fn local(function: LocalFunction, ty: Option<Type>, operands: Vec<Term>) -> Term {
    let integer = ty.and_then(Type::integer);
    // The product of two numbers of a type, and sums with it.
    let wide = integer.map(|i| Integer { bits: i.bits.saturating_mul(2).min(64), ..i });
    let mut operands = operands.into_iter();
    let mut next = || operands.next().unwrap_or(Term::Constant(0));
    let (a, b) = (next(), next());
    let operator = match function {
        LocalFunction::Move => return a.convert(integer),
        LocalFunction::Convert(from) => return a.convert(from.integer()).convert(integer),
        LocalFunction::MultiplyWide => {
            return Term::binary(Binary::Multiply, a.convert(integer), b.convert(integer))
                .convert(wide);
        }
        LocalFunction::MultiplyAdd => {
            return Term::binary(Binary::Add, Term::binary(Binary::Multiply, a, b), next())
                .convert(integer);
        }
        LocalFunction::MultiplyAddWide => {
            let product = Term::binary(Binary::Multiply, a.convert(integer), b.convert(integer));
            return Term::binary(Binary::Add, product, next()).convert(wide);
        }
        LocalFunction::Select | LocalFunction::Pick => {
            return Term::select(&next(), [a, b]).convert(integer);
        }
        LocalFunction::Not => return Term::Unary(Unary::BitwiseNot, Box::new(a)).convert(integer),
        LocalFunction::Negate => return Term::Unary(Unary::Negate, Box::new(a)).convert(integer),
        LocalFunction::Add => Binary::Add,
        LocalFunction::Subtract => Binary::Subtract,
        LocalFunction::Multiply => Binary::Multiply,
        LocalFunction::Divide => Binary::Divide,
        LocalFunction::Remainder => Binary::Remainder,
        LocalFunction::And => Binary::And,
        LocalFunction::Or => Binary::Or,
        LocalFunction::Xor => Binary::Xor,
        LocalFunction::ShiftLeft => Binary::ShiftLeft,
        LocalFunction::ShiftRight => Binary::ShiftRight,
        LocalFunction::Min => Binary::Min,
        LocalFunction::Max => Binary::Max,
        LocalFunction::Compare(comparison) => Binary::Compare(comparison),
    };
    if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) {
        // The amount is an unsigned 32-bit value, whatever the type of the instruction is (PTX ISA,
        // `shl` and `shr`).
        let value = if operator == Binary::ShiftRight { a.convert(integer) } else { a };
        let by = b.convert(integer.map(|_| Integer { bits: 32, signed: false }));
        return Term::binary(operator.of(integer), value, by).convert(integer);
    }
    Term::typed(operator, a, b, integer)
}
