//! The accesses of a thread of the test as PTX: one instruction for each, with registers chosen so
//! that nothing waits that the test does not make wait.

use std::collections::BTreeSet;

use margay_litmus::test::{
    BarrierMode, ClusterBarrier, FenceOrder, InitialValue, Operation, Place, ProxyFenceKind, Test,
    TestInstruction, TestOperand, ThreadId,
};
use margay_litmus::unfold::Code;
use margay_models::execution::{Proxy, Scope};

mod access;
mod asynchronous;
mod emitter;
mod proxy;
mod thread_body;
mod values;
mod warp;

use self::access::{narrowed, scope_name, vector, width};
use self::emitter::Emitter;
pub(super) use self::thread_body::ThreadBody;
use self::values::immediate;
use super::layout::EmissionLayout;
use super::refused;
use super::registers::Registers;
use super::shared::SharedMemory;
use super::target::GpuTarget;
use super::{EmissionError, Writing, reachable, spaces};
use crate::sass::specification::SassAccessKind;

/// An instruction that the assembler keeps, and moves no access across: performance monitors, which
/// nobody reads, count it (PTX ISA 9.7.19). It accesses no memory and waits for nothing. No marker
/// has this mask.
const APART: &str = "pmevent.mask 0xffff;";

/// How many backward jumps a thread takes before it is given up.
pub(super) const JUMPS: u32 = 4096;

/// After how many cycles it is given up at a jump if it has instructions that suspend it for as
/// long as the system likes.
const SUSPENDED: u32 = 1 << 20;

/// Emits a thread.
pub(super) fn emit(
    test: &Test,
    thread: ThreadId,
    (layout, target): (&EmissionLayout, GpuTarget),
    (code, shared): (&Code, &SharedMemory),
    writing: Writing,
) -> Result<ThreadBody, EmissionError> {
    let instructions = test.instructions(thread);
    let mut emitter = Emitter {
        test,
        thread,
        code,
        shared,
        layout,
        target,
        writing,
        spaces: spaces(test),
        seen: BTreeSet::new(),
        accesses: 0,
        body: ThreadBody::empty(Registers::new(test, thread, instructions)),
    };
    emitter.body.suspends = instructions.iter().any(|i| asynchronous::suspends(&i.operation));
    emitter.initial()?;
    let reached = reachable(instructions);
    for (n, i) in instructions.iter().enumerate().filter(|(n, _)| reached[*n]) {
        emitter.instruction(i, &instructions[n + 1..]).map_err(|e| e.or_at(i.place))?;
        emitter.separate(i, &instructions[n + 1..]);
    }
    Ok(emitter.body)
}

impl Emitter<'_> {
    /// What registers hold at the start.
    fn initial(&mut self) -> Result<(), EmissionError> {
        let names: Vec<String> = self.body.registers.names().cloned().collect();
        for name in names {
            let declared =
                self.test.registers.iter().find(|r| r.thread == self.thread && r.name == name);
            let register = self.body.registers.current(&name);
            match declared.and_then(|d| d.value.as_ref()) {
                Some(InitialValue::AddressOf(location)) => {
                    let address = self.generic(location)?;
                    self.body.before.push(format!("mov.b64 {register}, {address};"));
                }
                other => {
                    let n = if let Some(InitialValue::Integer(n)) = other { *n } else { 0 };
                    let wide = self.body.registers.is_wide(&name);
                    let n = immediate(n, wide)?;
                    self.body
                        .before
                        .push(format!("mov.b{} {register}, {n};", if wide { 64 } else { 32 }));
                }
            }
        }
        Ok(())
    }

    /// With [`Writing::Apart`] something stands between two accesses that the assembler moves
    /// nothing across.
    fn separate(&mut self, i: &TestInstruction, rest: &[TestInstruction]) {
        // The assembler moves a fence of one space over accesses to another one.
        let of_space = |kind: &ProxyFenceKind| {
            matches!(
                kind,
                ProxyFenceKind::Async | ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared
            )
        };
        let touches = |i: &TestInstruction| match &i.operation {
            Operation::Local { .. }
            | Operation::Label(_)
            | Operation::Exit
            | Operation::Goto(_)
            | Operation::BranchIf { .. }
            | Operation::Fence { .. }
            | Operation::Membar(_) => false,
            Operation::ProxyFence(kind) => of_space(kind),
            _ => true,
        };
        // A jump to where control goes anyway would be no jump.
        let jumps = matches!(i.operation, Operation::BranchIf { .. })
            || i.guard.is_some() && matches!(i.operation, Operation::Goto(_));
        if self.writing == Writing::Apart && (jumps || touches(i) && rest.iter().any(touches)) {
            self.line(APART);
        }
    }

    /// `@p` before an instruction.
    fn guard(&mut self, i: &TestInstruction) -> String {
        let Some(guard) = &i.guard else { return String::new() };
        let register = self.body.registers.current(&guard.register);
        let bits = if self.body.registers.is_wide(&guard.register) { 64 } else { 32 };
        let predicate = self.temporary('q');
        let register = self.opaque(&register, bits == 64);
        self.line(format!("setp.ne.s{bits} {predicate}, {register}, 0;"));
        format!("@{}{predicate} ", if guard.negated { "!" } else { "" })
    }

    /// `rest`: what follows.
    fn instruction(
        &mut self,
        i: &TestInstruction,
        rest: &[TestInstruction],
    ) -> Result<(), EmissionError> {
        let guard = self.guard(i);
        match &i.operation {
            Operation::Load { access, destination, address } if access.proxy != Proxy::Generic => {
                self.proxy_load(access, destination, address, (&guard, i.guard.is_some()))?;
            }
            Operation::Load { access, destination, address } => {
                let qualifiers = self.qualifiers(access, false)?;
                let (space, operand) = self.address(address, access)?;
                let ty = width(access, "b", &[8, 16, 32, 64])?;
                let to = self.body.registers.define(destination, i.guard.is_some());
                let brought = (to.clone(), self.body.registers.is_wide(destination));
                self.body.specification.push((SassAccessKind::Load, Some(brought.clone())));
                self.body.loaded.push(brought);
                self.line(format!("{guard}ld{qualifiers}{space}.{ty} {to}, {operand};"));
            }
            Operation::Store { access, address, value } if access.proxy != Proxy::Generic => {
                self.proxy_store(access, address, value, &guard)?;
            }
            Operation::Store { access, address, value } => {
                let qualifiers = self.qualifiers(access, true)?;
                let (space, operand) = self.address(address, access)?;
                let ty = width(access, "b", &[8, 16, 32, 64])?;
                let value =
                    self.value(&narrowed(value, access), access.ty.is_some_and(|t| t.bits == 64))?;
                self.body.specification.push((SassAccessKind::Store, None));
                self.line(format!("{guard}st{qualifiers}{space}.{ty} {operand}, {value};"));
            }
            Operation::Atom(atom) => self.atom(atom, &guard, i.guard.is_some())?,
            Operation::Fence { order, scope } => {
                let order = order.unwrap_or(FenceOrder::AcqRel);
                let scope = scope.unwrap_or(Scope::Sys);
                self.scope(scope)?;
                if matches!(order, FenceOrder::Acquire | FenceOrder::Release)
                    && self.target < GpuTarget(90)
                {
                    let message =
                        format!("fence.{} needs sm_90 or later, not {}", order.name(), self.target);
                    return Err(EmissionError::target(message));
                }
                self.line(format!("{guard}fence.{}.{};", order.name(), scope_name(scope)));
            }
            Operation::Membar(level) => self.line(format!("{guard}membar.{};", level.name())),
            Operation::ProxyFence(ProxyFenceKind::Alias) => {
                self.line(format!("{guard}fence.proxy.alias;"))
            }
            Operation::ProxyFence(
                ProxyFenceKind::Async | ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared,
            )
            | Operation::Mbarrier(_)
            | Operation::PendingCount { .. }
            | Operation::MbarrierInitFence
            | Operation::Async(_)
            | Operation::AsyncGroup { .. }
            | Operation::AsyncArrive { .. }
            | Operation::SharedFence { .. }
            | Operation::BulkStore { .. } => {
                self.asynchronous(&i.operation, (&guard, i.guard.is_some()), rest)?
            }
            // Refused before.
            Operation::WarpgroupFence
            | Operation::TensorFence { .. }
            | Operation::Multimem(_)
            | Operation::Tensormap(_) => {
                return Err(EmissionError::test(
                    "tensor cores, tensor maps and multimem have no kernel",
                ));
            }
            Operation::ProxyFence(kind) => return Err(proxy::no_fence(*kind)),
            Operation::Barrier { mode, barrier, instance, .. } => {
                self.barrier(i, *mode, barrier, *instance)?
            }
            Operation::Warp(meeting) => self.meeting(meeting)?,
            Operation::Launches(order) => return Err(refused::launches(&order.text())),
            Operation::ClusterBarrier(barrier) => {
                if !self.target.has_clusters() {
                    return Err(EmissionError::target(format!(
                        "barrier.cluster needs sm_90 or later, not {}",
                        self.target
                    )));
                }
                self.line(format!(
                    "{guard}{};",
                    match barrier {
                        ClusterBarrier::Arrive { relaxed: true } =>
                            "barrier.cluster.arrive.relaxed",
                        ClusterBarrier::Arrive { relaxed: false } =>
                            "barrier.cluster.arrive.release",
                        ClusterBarrier::Wait => "barrier.cluster.wait.acquire",
                    }
                ));
            }
            Operation::Local { function, ty, destination, operands } => {
                self.local((*function, *ty), destination, operands, &guard, i.guard.is_some())?;
            }
            Operation::BranchIf { comparison, left, right, target } => {
                let predicate = self.compare(*comparison, None, left, right)?;
                self.jump(target, &format!("@{predicate} "));
            }
            Operation::Goto(target) => self.jump(target, &guard),
            Operation::Exit => {
                self.body.exits = true;
                self.line(format!("{guard}bra $EXIT{};", self.thread.0));
            }
            Operation::VectorLoad { access, destinations, address } => {
                let qualifiers = self.qualifiers(access, false)?;
                let (space, operand) = self.address(address, access)?;
                let (n, ty) = (destinations.len(), vector(access, destinations.len())?);
                let mut to = Vec::with_capacity(n);
                for destination in destinations {
                    let register = self.body.registers.define(destination, i.guard.is_some());
                    self.body
                        .loaded
                        .push((register.clone(), self.body.registers.is_wide(destination)));
                    to.push(register);
                }
                let first = destinations.first().map(|d| self.body.registers.is_wide(d));
                self.body
                    .specification
                    .push((SassAccessKind::Load, to.first().cloned().zip(first)));
                self.line(format!(
                    "{guard}ld{qualifiers}{space}.v{n}.{ty} {{{}}}, {operand};",
                    to.join(", ")
                ));
            }
            Operation::VectorStore { access, address, values } => {
                let qualifiers = self.qualifiers(access, true)?;
                let (space, operand) = self.address(address, access)?;
                let (n, ty) = (values.len(), vector(access, values.len())?);
                let wide = access.ty.is_some_and(|t| t.bits == 64);
                let values = values
                    .iter()
                    .map(|v| self.operand(&narrowed(v, access), wide))
                    .collect::<Result<Vec<_>, _>>()?;
                self.body.specification.push((SassAccessKind::Store, None));
                self.line(format!(
                    "{guard}st{qualifiers}{space}.v{n}.{ty} {operand}, {{{}}};",
                    values.join(", ")
                ));
            }
            Operation::StoreConditional { .. } => {
                return Err(EmissionError::test("a store-conditional; PTX has none"));
            }
            Operation::Label(label) => {
                self.seen.insert(label.clone());
                let label = self.label(label);
                self.line(format!("{label}:"));
            }
        }
        Ok(())
    }

    fn label(&self, label: &str) -> String {
        format!("$T{}_{}", self.thread.0, label.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
    }

    /// A jump; one backwards only so often, because a launch that never ends cannot be told from
    /// one that hangs.
    fn jump(&mut self, target: &str, guard: &str) {
        if self.seen.contains(target) {
            self.body.loops = true;
            let t = self.thread.0;
            let predicate = self.temporary('q');
            self.line("sub.s32 %fuel, %fuel, 1;");
            self.line(format!("setp.lt.s32 {predicate}, %fuel, 0;"));
            self.line(format!("@{predicate} bra $STUCK{t};"));
            if self.body.suspends {
                let elapsed = self.temporary('w');
                let predicate = self.temporary('q');
                self.line(format!("mov.u32 {elapsed}, %clock;"));
                self.line(format!("sub.u32 {elapsed}, {elapsed}, %since;"));
                self.line(format!("setp.gt.u32 {predicate}, {elapsed}, {SUSPENDED};"));
                self.line(format!("@{predicate} bra $STUCK{t};"));
            }
        }
        let label = self.label(target);
        self.line(format!("{guard}bra {label};"));
    }

    /// A barrier of the cta: hardware has sixteen, of which the harness takes the first. Threads of
    /// all instances of the cta meet there, which orders no two accesses of an instance that the
    /// test does not order.
    fn barrier(
        &mut self,
        i: &TestInstruction,
        mode: BarrierMode,
        barrier: &TestOperand,
        of: Option<u32>,
    ) -> Result<(), EmissionError> {
        let TestOperand::Integer(number) = barrier else {
            return Err(EmissionError::test(
                "a barrier whose number is in a register; kernels here have numbers",
            ));
        };
        if of.is_some() {
            let message = "a barrier with an instance, which hardware has not; write the barrier alone, as PTX does";
            return Err(EmissionError::test(message));
        }
        let code = self.test.instructions(self.thread);
        if i.guard.is_some()
            || code.iter().any(|i| {
                let jumps = matches!(
                    i.operation,
                    Operation::Label(_) | Operation::Goto(_) | Operation::BranchIf { .. }
                );
                jumps || matches!(i.operation, Operation::Exit) && i.guard.is_some()
            })
        {
            return Err(EmissionError::test(
                "a barrier under a guard or beside jumps: not all lanes of a warp would come to it",
            ));
        }
        if *number > 14 {
            return Err(EmissionError::test(format!(
                "barrier {number}: the harness needs one of the sixteen; 14 is the last"
            )));
        }
        let cta = self.layout.roles[self.thread.index()].cta;
        let has = |t: &usize| {
            self.test.instructions(ThreadId(*t as u16)).iter().any(
                |i| matches!(&i.operation, Operation::Barrier { barrier: b, .. } if b == barrier),
            )
        };
        let threads = self.layout.in_cta(cta).filter(has).count() as u32 * self.layout.slots;
        let id = number + 1;
        self.line(match mode {
            // The reduction over predicates is not modelled (and `red` without one cannot be
            // written).
            BarrierMode::Sync | BarrierMode::Reduce => format!("bar.sync {id}, {threads};"),
            BarrierMode::Arrive => format!("bar.arrive {id}, {threads};"),
        });
        Ok(())
    }
}

/// Adds a place to an error that has none.
impl EmissionError {
    fn or_at(self, place: Place) -> Self {
        if self.place.is_some() { self } else { Self { place: Some(place.0), ..self } }
    }
}
