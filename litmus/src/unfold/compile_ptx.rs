//! PTX instructions to straight code: default orders and scopes, predicates and labels.

use margay_models::execution::{Order, Scope};

use super::Error;
use super::program::{Attributes, Modification, Program, Step, Term};
use super::skeleton::Shared;
use super::symbol::{Binary, Unary};
use crate::test::{
    Access, AccessOrder, Address, Atom, AtomFunction, BarrierMode, Base, ClusterBarrier, Comparison, Dialect, FenceOrder,
    Instruction, LocalFunction, Operation, Test, ThreadId, Value, element,
};

/// The code of a thread.
pub(super) fn compile(test: &Test, thread: ThreadId, shared: &Shared) -> Result<Program, Error> {
    let mut compiler =
        Compiler { shared, generic: test.dialect == Dialect::Generic, program: Program::default(), exits: Vec::new() };
    let instructions = test.instructions(thread);
    let mut labels: Vec<(&str, usize)> = Vec::new();
    let mut jumps: Vec<(usize, &str)> = Vec::new();
    for i in instructions {
        compiler.instruction(i, &mut labels, &mut jumps)?;
    }
    for (at, label) in jumps {
        let target = labels.iter().find(|(l, _)| *l == label).map(|(_, n)| *n);
        let target = target.ok_or_else(|| Error::new(format!("there is no label `{label}` in {thread}")))?;
        match &mut compiler.program.steps[at].0 {
            Step::Jump(to) | Step::BranchIfZero { target: to, .. } => *to = target,
            _ => {}
        }
    }
    for at in compiler.exits {
        compiler.program.patch(at);
    }
    Ok(compiler.program)
}

struct Compiler<'a> {
    shared: &'a Shared,
    generic: bool,
    program: Program,
    /// Jumps to the end of the thread.
    exits: Vec<usize>,
}

impl Compiler<'_> {
    fn value(&mut self, value: &Value) -> Result<Term, Error> {
        Ok(match value {
            Value::Register(name) => Term::Register(self.program.register(name)),
            Value::Integer(n) => Term::Constant(*n),
            Value::AddressOf(location) => Term::Constant(self.shared.address_of(location)?),
        })
    }

    fn address(&mut self, address: &Address) -> Result<Term, Error> {
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
        i: &'t Instruction,
        labels: &mut Vec<(&'t str, usize)>,
        jumps: &mut Vec<(usize, &'t str)>,
    ) -> Result<(), Error> {
        let guard = i.guard.as_ref().map(|g| {
            let register = Term::Register(self.program.register(&g.register));
            if g.negated { Term::Unary(Unary::LogicalNot, Box::new(register)) } else { register }
        });
        if let Operation::Label(label) = &i.operation {
            labels.push((label, self.program.steps.len()));
            return Ok(());
        }
        // A guarded jump is a branch: everything after it depends on the guard. A guarded access depends on it alone.
        let jumps_away = matches!(i.operation, Operation::Goto(_) | Operation::BranchIf { .. } | Operation::Exit);
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

    fn operation<'t>(&mut self, i: &'t Instruction, jumps: &mut Vec<(usize, &'t str)>) -> Result<(), Error> {
        let step = match &i.operation {
            Operation::Load { access, destination, address } => {
                let address = self.address(address)?;
                Step::Load { to: self.program.register(destination), address, attributes: self.attributes(access) }
            }
            Operation::Store { access, address, value } => {
                let (address, value) = (self.address(address)?, self.value(value)?);
                Step::Store { address, value, attributes: self.attributes(access) }
            }
            Operation::VectorLoad { access, destinations, address } => {
                let width = self.vector(access, address, destinations.len(), i)?;
                let address = self.address(address)?;
                let to = destinations.iter().map(|d| self.program.register(d)).collect();
                Step::LoadVector { to, address, width, attributes: self.attributes(access) }
            }
            Operation::VectorStore { access, address, values } => {
                let width = self.vector(access, address, values.len(), i)?;
                let address = self.address(address)?;
                let values = values.iter().map(|v| self.value(v)).collect::<Result<_, _>>()?;
                Step::StoreVector { address, width, values, attributes: self.attributes(access) }
            }
            Operation::Atom(atom) => self.atom(atom)?,
            Operation::Fence { .. } if self.generic => Step::Fence { order: Order::Plain, scope: None },
            Operation::Fence { order, scope } => {
                let order = match order {
                    Some(FenceOrder::Acquire) => Order::Acq,
                    Some(FenceOrder::Release) => Order::Rel,
                    // `fence` without an order is acq_rel (PTX ISA 9.7.13, and 8.10.6: `fence.sys` in MP).
                    Some(FenceOrder::AcqRel) | None => Order::AcqRel,
                    Some(FenceOrder::Sc) => Order::Sc,
                };
                Step::Fence { order, scope: Some(scope.unwrap_or(Scope::Sys)) }
            }
            // "membar.{cta,gl,sys} are synonyms of fence.sc.{cta,gpu,sys}" on sm_70 and later.
            Operation::Membar(_) if self.generic => Step::Fence { order: Order::Plain, scope: None },
            Operation::Membar(level) => Step::Fence { order: Order::Sc, scope: Some(level.scope()) },
            Operation::ProxyFence(kind) => Step::ProxyFence(kind.proxy()),
            Operation::Barrier { mode, barrier, .. } => {
                let waits = !matches!(mode, BarrierMode::Arrive);
                Step::Barrier { barrier: *barrier, scope: Scope::Cta, arrives: true, waits, relaxed: false }
            }
            Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed }) => {
                Step::Barrier { barrier: 0, scope: Scope::Cluster, arrives: true, waits: false, relaxed: *relaxed }
            }
            Operation::ClusterBarrier(ClusterBarrier::Wait) => {
                Step::Barrier { barrier: 0, scope: Scope::Cluster, arrives: false, waits: true, relaxed: false }
            }
            Operation::Local { function, destination, operands, .. } => {
                let operands = operands.iter().map(|o| self.value(o)).collect::<Result<Vec<_>, _>>()?;
                Step::Assign(self.program.register(destination), local(*function, operands))
            }
            Operation::BranchIf { comparison, left, right, target } => {
                // Goes to the target if the opposite comparison is 0.
                let (left, right) = (self.value(left)?, self.value(right)?);
                let condition = Term::binary(Binary::Compare(opposite(*comparison)), left, right);
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

    /// The width of a vector's elements: that of its type, or of the array. The vector must be aligned to its size.
    fn vector(&self, access: &Access, address: &Address, count: usize, i: &Instruction) -> Result<i64, Error> {
        let typed = access.ty.map(|ty| i64::from(ty.bits) / 8);
        let Base::Location(name) = &address.base else { return Ok(typed.unwrap_or(4)) };
        let start = self.shared.address_of(name)?;
        let width = typed.or_else(|| self.shared.location_at(start).map(|l| self.shared.widths[usize::from(l)])).unwrap_or(4);
        let offset = match &address.offset {
            None => 0,
            Some(Value::Integer(n)) => *n,
            Some(_) => return Ok(width),
        };
        let before = element(name).map_or(0, |(_, n)| n as i64 * width);
        let size = width * count as i64;
        if before.checked_add(offset).is_none_or(|n| n % size != 0) {
            return Err(Error::at(
                format!("a vector of {size} bytes is accessed at an address that is no multiple of that"),
                i.place,
            ));
        }
        Ok(width)
    }

    fn atom(&mut self, Atom { access, function, destination, address, operand, replacement }: &Atom) -> Result<Step, Error> {
        let address = self.address(address)?;
        let operand = self.value(operand)?;
        let (read, write) = match access.order {
            _ if self.generic => (Order::Plain, Order::Plain),
            Some(AccessOrder::Acquire) => (Order::Acq, Order::Rlx),
            Some(AccessOrder::Release) => (Order::Rlx, Order::Rel),
            Some(AccessOrder::AcqRel) => (Order::Acq, Order::Rel),
            // "If no order is given, .relaxed; if no scope is given, .gpu" (PTX ISA 9.7.13.5).
            _ => (Order::Rlx, Order::Rlx),
        };
        let scope = if self.generic { None } else { Some(access.scope.unwrap_or(Scope::Gpu)) };
        let bits = access.ty.map(|ty| ty.bits);
        let half = |order| Attributes { reduction: destination.is_none(), bits, ..Attributes::new(order, scope) };
        let apply = |operator| Modification::Apply(operator, operand.clone());
        let modification = match function {
            AtomFunction::Exchange => Modification::Exchange(operand),
            AtomFunction::CompareAndSwap => {
                let new = replacement.as_ref().map(|r| self.value(r)).transpose()?.unwrap_or(Term::Constant(0));
                Modification::CompareAndSwap { expected: operand, new, success: None, failure: half(read), spurious: false }
            }
            AtomFunction::Add => apply(Binary::Add),
            AtomFunction::And => apply(Binary::And),
            AtomFunction::Or => apply(Binary::Or),
            AtomFunction::Xor => apply(Binary::Xor),
            AtomFunction::Increment => apply(Binary::Increment),
            AtomFunction::Decrement => apply(Binary::Decrement),
            AtomFunction::Min => apply(Binary::Min),
            AtomFunction::Max => apply(Binary::Max),
        };
        let to = destination.as_deref().map(|d| self.program.register(d));
        Ok(Step::Modify { to, address, modification, read: half(read), write: half(write) })
    }

    fn attributes(&self, access: &Access) -> Attributes {
        let bits = access.ty.map(|ty| ty.bits);
        let plain = Attributes { proxy: access.proxy, bits, ..Attributes::new(Order::Plain, None) };
        let strong = |order| Attributes { order, scope: access.scope, ..plain };
        if self.generic {
            return plain;
        }
        match access.order {
            None | Some(AccessOrder::Weak) => plain,
            Some(AccessOrder::Relaxed) => strong(Order::Rlx),
            Some(AccessOrder::Acquire) => strong(Order::Acq),
            Some(AccessOrder::Release | AccessOrder::AcqRel) => strong(Order::Rel),
            // 8.4.2: "equivalent to a relaxed memory operation with system-scope".
            Some(AccessOrder::Volatile) => Attributes { order: Order::Rlx, scope: Some(Scope::Sys), volatile: true, ..plain },
            Some(AccessOrder::Mmio) => Attributes { mmio: true, ..strong(Order::Rlx) },
        }
    }
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
    }
}

fn local(function: LocalFunction, operands: Vec<Term>) -> Term {
    let mut operands = operands.into_iter();
    let a = operands.next().unwrap_or(Term::Constant(0));
    let b = operands.next().unwrap_or(Term::Constant(0));
    let operator = match function {
        LocalFunction::Move => return a,
        LocalFunction::MultiplyAdd => {
            let c = operands.next().unwrap_or(Term::Constant(0));
            return Term::binary(Binary::Add, Term::binary(Binary::Multiply, a, b), c);
        }
        LocalFunction::Select => {
            // a * (p != 0) + b * (p == 0): it depends on all three, as registers do.
            let p = operands.next().unwrap_or(Term::Constant(0));
            let times = |value, comparison| {
                let holds = Term::binary(Binary::Compare(comparison), p.clone(), Term::Constant(0));
                Term::binary(Binary::Multiply, value, holds)
            };
            return Term::binary(Binary::Add, times(a, Comparison::NotEqual), times(b, Comparison::Equal));
        }
        LocalFunction::Not => return Term::Unary(Unary::BitwiseNot, Box::new(a)),
        LocalFunction::Negate => return Term::Unary(Unary::Negate, Box::new(a)),
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
    Term::binary(operator, a, b)
}
