//! What a test must become: the effects of each instruction on memory, in order, with what they
//! depend on. The table is that of facts that were measured on ptxas 12.9 and 13.5 (docs/gpu.md,
//! "What PTX becomes").

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use margay_litmus::test::{
    Access, AccessOrder, Address, AsyncAction, AsyncFamily, AsyncGroupAction, AsyncOperation,
    AtomFunction, AtomInstruction, AwaitedPhase, BarrierMode, Base, Body, CacheOperator,
    ClusterBarrier, Dialect, FenceOrder, MbarrierAction, MbarrierOperation, Operation,
    ProxyFenceKind, Space, Test, TestOperand, ThreadId, Type,
};
use margay_models::execution::{Proxy, Scope};

use super::effect::{ArrivalCount, SassEffect, SassMbarrier, SassStrength};
use crate::emit::GpuTarget;
use crate::emit::meeting::names_others;
use crate::emit::{reachable, remote, spaces};

/// An effect, with the instruction of the test that it is of, and the earlier effects (by position)
/// whose values it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedEffect {
    pub effect: SassEffect,
    /// The instruction, as the test writes it.
    pub text: String,
    pub address: BTreeSet<usize>,
    /// For what is written.
    pub data: BTreeSet<usize>,
    /// For the jumps before it, wherever they lead.
    pub control: BTreeSet<usize>,
    /// To be executed at all: for its guard, and for jumps that lead over it.
    pub conditional: BTreeSet<usize>,
    /// The effects that an acquire has put before it, by a load, a fence or a wait, or an arrival
    /// that releases; at cta scope no machine instruction does that, only waiting.
    pub acquired: BTreeSet<usize>,
}

impl ExpectedEffect {
    /// One that depends on nothing.
    pub(super) fn alone(effect: SassEffect, text: String) -> Self {
        let none = BTreeSet::new;
        Self {
            effect,
            text,
            address: none(),
            data: none(),
            control: none(),
            conditional: none(),
            acquired: none(),
        }
    }
}

/// Why a thread is not compared with machine code. Each but the first has the instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectationRefusal {
    /// The test has other bodies than PTX.
    NoPtx,
    /// It is an instruction of programs, and no kernel of a test has it.
    NotInTests(String),
    /// What machine code makes of it is not known here.
    NotCompared(String),
    /// What machine code does lane by lane.
    LoopOverLanes(String),
    /// PTX for the target does not have it.
    NoInstruction(String, GpuTarget),
}

impl fmt::Display for ExpectationRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPtx => f.write_str("only PTX tests are compared"),
            Self::NotInTests(text) => {
                write!(f, "`{text}`: kernels of tests have no such instruction")
            }
            Self::NotCompared(text) => write!(f, "`{text}` is not compared with machine code"),
            Self::LoopOverLanes(text) => {
                write!(f, "`{text}` is a loop over lanes in machine code, which is not compared")
            }
            Self::NoInstruction(text, target) => {
                write!(f, "`{text}` on {target}: PTX has no such instruction")
            }
        }
    }
}

/// What a thread must become; an error names what is not compared.
pub fn expected(
    test: &Test,
    thread: ThreadId,
    target: GpuTarget,
) -> Result<Vec<ExpectedEffect>, ExpectationRefusal> {
    let Some(Body::Instructions(instructions)) = test.threads.get(thread.index()).map(|t| &t.body)
    else {
        return Err(ExpectationRefusal::NoPtx);
    };
    let mut builder = ExpectationBuilder {
        test,
        thread,
        target,
        spaces: spaces(test),
        remote: remote(test, thread, target),
        out: Vec::new(),
        taint: BTreeMap::new(),
        control: BTreeSet::new(),
        over: Vec::new(),
        acquired: BTreeSet::new(),
    };
    let label = |name: &String| {
        instructions.iter().position(|i| matches!(&i.operation, Operation::Label(l) if l == name))
    };
    for (n, (i, _)) in instructions
        .iter()
        .zip(reachable(instructions))
        .enumerate()
        .filter(|(_, (_, reached))| *reached)
    {
        builder.over.retain(|(to, _)| *to > n);

        let text = margay_litmus::print::instruction(i, Dialect::Ptx);
        let guard = i.guard.as_ref().map(|g| builder.of(&g.register)).unwrap_or_default();
        builder.instruction(&i.operation, &text, &guard)?;
        // What a jump forward leads over, or an exit.
        let (to, mut from) = match &i.operation {
            Operation::BranchIf { left, right, target, .. } => (
                label(target),
                [left, right].into_iter().flat_map(|v| builder.of_value(v)).collect(),
            ),
            Operation::Goto(target) => (label(target), BTreeSet::new()),
            Operation::Exit => (Some(usize::MAX), BTreeSet::new()),
            _ => (None, BTreeSet::new()),
        };
        from.extend(guard);
        builder.over.extend(to.filter(|to| *to > n && !from.is_empty()).map(|to| (to, from)));
    }
    Ok(builder.out)
}

struct ExpectationBuilder<'a> {
    test: &'a Test,
    thread: ThreadId,
    target: GpuTarget,
    spaces: Vec<Space>,
    /// Which locations are in the shared memory of another cta: they have generic addresses in
    /// machine code.
    remote: Vec<bool>,
    out: Vec<ExpectedEffect>,
    /// For each register the effects whose values it is computed from.
    taint: BTreeMap<String, BTreeSet<usize>>,
    control: BTreeSet<usize>,
    /// The jumps forward that may lead over what comes now: to which instruction, and for which
    /// effects.
    over: Vec<(usize, BTreeSet<usize>)>,
    acquired: BTreeSet<usize>,
}

impl ExpectationBuilder<'_> {
    fn of(&self, register: &str) -> BTreeSet<usize> {
        self.taint.get(register).cloned().unwrap_or_default()
    }

    fn of_value(&self, value: &TestOperand) -> BTreeSet<usize> {
        if let TestOperand::Register(name) = value { self.of(name) } else { BTreeSet::new() }
    }

    fn push(
        &mut self,
        effect: SassEffect,
        text: &str,
        address: BTreeSet<usize>,
        data: BTreeSet<usize>,
        guard: &BTreeSet<usize>,
    ) {
        let control = self.control.union(guard).copied().collect();
        let conditional =
            self.over.iter().flat_map(|(_, from)| from).chain(guard).copied().collect();
        let (text, acquired) = (text.to_owned(), self.acquired.clone());
        self.out.push(ExpectedEffect {
            effect,
            text,
            address,
            data,
            control,
            conditional,
            acquired,
        });
    }

    fn plain(&mut self, effect: SassEffect, text: &str, guard: &BTreeSet<usize>) {
        self.push(effect, text, BTreeSet::new(), BTreeSet::new(), guard);
    }

    fn define(
        &mut self,
        register: &str,
        from: BTreeSet<usize>,
        guard: &BTreeSet<usize>,
        guarded: bool,
    ) {
        // Under a guard the old value may stay.
        let old = if guarded { self.of(register) } else { BTreeSet::new() };
        self.taint
            .insert(register.to_owned(), from.iter().chain(guard).chain(&old).copied().collect());
    }

    fn space(&self, address: &Address, access: &Access) -> Option<Space> {
        match &address.base {
            Base::Location(name) => {
                self.test.location(name).filter(|l| !self.remote[*l]).map(|l| self.spaces[l])
            }
            Base::Register(_) => access.space.filter(|s| *s == Space::Global),
        }
    }

    fn address(&self, address: &Address) -> BTreeSet<usize> {
        let base =
            if let Base::Register(name) = &address.base { self.of(name) } else { BTreeSet::new() };
        let offset = address.offset.as_ref().map(|o| self.of_value(o)).unwrap_or_default();
        base.union(&offset).copied().collect()
    }

    /// `MEMBAR.ALL` before a release.
    fn before(&mut self, scope: Scope, text: &str, guard: &BTreeSet<usize>) {
        self.plain(SassEffect::Membar { sc: false, scope: machine(scope) }, text, guard);
    }

    /// The cache is emptied after an acquire wider than a cta. What is `from` a position on comes
    /// before everything that follows: all that is before a fence, and an acquiring access itself.
    fn after(&mut self, scope: Scope, text: &str, guard: &BTreeSet<usize>, from: usize) {
        self.acquired.extend(from..self.out.len());
        if scope != Scope::Cta {
            self.plain(SassEffect::Invalidate, text, guard);
        }
    }

    fn instruction(
        &mut self,
        operation: &Operation,
        text: &str,
        guard: &BTreeSet<usize>,
    ) -> Result<(), ExpectationRefusal> {
        let guarded = !guard.is_empty() || text.starts_with('@');
        match operation {
            Operation::Load { access, destination, address } if access.proxy != Proxy::Generic => {
                let (position, from) = (self.out.len(), self.address(address));
                self.push(SassEffect::ProxyLoad(access.proxy), text, from, BTreeSet::new(), guard);
                self.define(destination, BTreeSet::from([position]), guard, guarded);
            }
            Operation::Load { access, destination, address } => {
                self.load(access, std::slice::from_ref(destination), address, text, guard, guarded);
            }
            Operation::VectorLoad { access, destinations, address } => {
                self.load(access, destinations, address, text, guard, guarded)
            }
            Operation::Store { access, address, value } if access.proxy != Proxy::Generic => {
                let (from, data) = (self.address(address), self.of_value(value));
                self.push(SassEffect::SurfaceStore, text, from, data, guard);
            }
            Operation::Store { access, address, value } => {
                self.store(access, address, std::slice::from_ref(value), text, guard)
            }
            Operation::VectorStore { access, address, values } => {
                self.store(access, address, values, text, guard)
            }
            Operation::Atom(atom) => self.atom(atom, text, guard, guarded),
            Operation::Fence { order, scope } => {
                self.fence(
                    order.unwrap_or(FenceOrder::AcqRel),
                    scope.unwrap_or(Scope::Sys),
                    text,
                    guard,
                );
            }
            Operation::Membar(level) => {
                self.plain(SassEffect::Membar { sc: true, scope: level.scope() }, text, guard);
                self.after(level.scope(), text, guard, 0);
            }
            Operation::Barrier { mode, .. } => {
                self.plain(
                    SassEffect::Barrier { arrive: matches!(mode, BarrierMode::Arrive) },
                    text,
                    guard,
                );
            }
            Operation::Warp(meeting) => {
                if names_others(self.test, self.thread, meeting.mask) {
                    self.plain(SassEffect::Meeting, text, guard);
                }
                // What lanes give each other is not compared.
                if let Some(to) = meeting.destination() {
                    self.define(to, BTreeSet::new(), guard, guarded);
                }
            }
            Operation::Launches(_) => {
                return Err(ExpectationRefusal::NotInTests(text.to_owned()));
            }
            Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed }) => {
                if !relaxed {
                    self.before(Scope::Cluster, text, guard);
                }
                self.plain(SassEffect::ClusterBarrier { arrive: true }, text, guard);
            }
            Operation::ClusterBarrier(ClusterBarrier::Wait) => {
                self.plain(SassEffect::ClusterBarrier { arrive: false }, text, guard);
                self.after(Scope::Cluster, text, guard, 0);
            }
            Operation::ProxyFence(kind) => self.proxy_fence(*kind, text, guard)?,
            Operation::SharedFence { acquires: false, to_async: false } => {
                self.proxy_fence(ProxyFenceKind::AsyncShared, text, guard)?;
            }
            // No machine instruction: the code waits.
            Operation::MbarrierInitFence => {}
            Operation::SharedFence { acquires: true, to_async: false } => {
                self.acquired.extend(0..self.out.len())
            }
            Operation::StoreConditional { .. } => return Err(self.no_instruction(text)),
            Operation::Mbarrier(operation) => self.mbarrier(operation, text, guard, guarded)?,
            Operation::PendingCount { destination, token } => {
                let from = self.of_value(token);
                self.define(destination, from, guard, guarded);
            }
            Operation::Async(operation) => self.asynchronous(operation, text, guard)?,
            Operation::AsyncGroup { family, action } => {
                self.group(*family, *action, text, guard)?
            }
            Operation::AsyncArrive { family: AsyncFamily::Element, counted, .. } => {
                if !counted {
                    let effect = SassMbarrier::Arrive {
                        count: ArrivalCount::OneMore,
                        drops: false,
                        remote: true,
                    };
                    self.plain(SassEffect::Mbarrier(effect), text, guard);
                }
                self.plain(SassEffect::CopyArrival { counted: *counted }, text, guard);
            }
            Operation::BulkStore { .. } => self.plain(SassEffect::BulkStore, text, guard),
            Operation::AsyncArrive { .. }
            | Operation::WarpgroupFence
            | Operation::TensorFence { .. }
            | Operation::Tensormap(_)
            | Operation::SharedFence { to_async: true, .. }
            | Operation::Multimem(_) => {
                return Err(ExpectationRefusal::NotCompared(text.to_owned()));
            }
            Operation::Local { destination, operands, .. } => {
                let from = operands.iter().flat_map(|o| self.of_value(o)).collect();
                self.define(destination, from, guard, guarded);
            }
            Operation::BranchIf { left, right, .. } => {
                let from: Vec<usize> =
                    [left, right].into_iter().flat_map(|v| self.of_value(v)).collect();
                self.control.extend(from);
                self.control.extend(guard);
            }
            Operation::Goto(_) | Operation::Exit => self.control.extend(guard),
            Operation::Label(_) => {}
        }
        Ok(())
    }

    fn proxy_fence(
        &mut self,
        kind: ProxyFenceKind,
        text: &str,
        guard: &BTreeSet<usize>,
    ) -> Result<(), ExpectationRefusal> {
        match kind {
            ProxyFenceKind::Alias => {
                if self.target < GpuTarget(80) {
                    self.plain(SassEffect::Membar { sc: true, scope: Scope::Gpu }, text, guard);
                } else {
                    self.plain(SassEffect::OneOfTwoMembars, text, guard);
                    self.plain(SassEffect::OneOfTwoMembars, text, guard);
                }
                self.plain(SassEffect::Invalidate, text, guard);
            }
            // The fence for both spaces has the instruction of the one for shared memory, behind a
            // wider MEMBAR.
            ProxyFenceKind::Async => {
                self.plain(SassEffect::Membar { sc: false, scope: Scope::Gpu }, text, guard);
                self.plain(SassEffect::ViewFence(Space::Shared), text, guard);
            }
            ProxyFenceKind::AsyncShared => {
                self.plain(SassEffect::Membar { sc: false, scope: Scope::Cta }, text, guard);
                self.plain(SassEffect::ViewFence(Space::Shared), text, guard);
            }
            ProxyFenceKind::AsyncGlobal => {
                self.plain(SassEffect::ViewFence(Space::Global), text, guard)
            }
            ProxyFenceKind::Surface | ProxyFenceKind::Texture | ProxyFenceKind::Constant => {
                return Err(self.no_instruction(text));
            }
        }
        Ok(())
    }

    fn no_instruction(&self, text: &str) -> ExpectationRefusal {
        ExpectationRefusal::NoInstruction(text.to_owned(), self.target)
    }

    /// The end of a group of copies, or a wait for groups.
    fn group(
        &mut self,
        family: AsyncFamily,
        action: AsyncGroupAction,
        text: &str,
        guard: &BTreeSet<usize>,
    ) -> Result<(), ExpectationRefusal> {
        let bulk = match family {
            AsyncFamily::Element => false,
            AsyncFamily::Bulk => true,
            _ => return Err(ExpectationRefusal::NotCompared(text.to_owned())),
        };
        match action {
            AsyncGroupAction::Commit => self.plain(SassEffect::GroupEnd { bulk }, text, guard),
            AsyncGroupAction::Wait { left, reads } => {
                self.plain(SassEffect::GroupWait { left }, text, guard);
                if bulk && !reads {
                    self.plain(SassEffect::Invalidate, text, guard);
                }
            }
            AsyncGroupAction::WaitAll => {
                self.plain(SassEffect::GroupEnd { bulk }, text, guard);
                self.plain(SassEffect::GroupWait { left: 0 }, text, guard);
            }
        }
        Ok(())
    }

    /// A load of as many elements as there are destinations.
    fn load(
        &mut self,
        access: &Access,
        destinations: &[String],
        address: &Address,
        text: &str,
        guard: &BTreeSet<usize>,
        guarded: bool,
    ) {
        let (space, from) = (self.space(address, access), self.address(address));
        let bits = bits(access) * destinations.len() as u8;
        let position = self.out.len();
        self.push(
            SassEffect::Load { space, bits, strength: strength(access, space) },
            text,
            from,
            BTreeSet::new(),
            guard,
        );
        for destination in destinations {
            self.define(destination, BTreeSet::from([position]), guard, guarded);
        }
        if access.order == Some(AccessOrder::Acquire) {
            self.after(access.scope.unwrap_or(Scope::Sys), text, guard, position);
        }
    }

    /// A store of as many elements as there are values.
    fn store(
        &mut self,
        access: &Access,
        address: &Address,
        values: &[TestOperand],
        text: &str,
        guard: &BTreeSet<usize>,
    ) {
        if access.order == Some(AccessOrder::Release) {
            self.before(access.scope.unwrap_or(Scope::Sys), text, guard);
        }
        let (space, from) = (self.space(address, access), self.address(address));
        let data = values.iter().flat_map(|v| self.of_value(v)).collect();
        let bits = bits(access) * values.len() as u8;
        self.push(
            SassEffect::Store { space, bits, strength: strength(access, space) },
            text,
            from,
            data,
            guard,
        );
    }

    fn atom(&mut self, atom: &AtomInstruction, text: &str, guard: &BTreeSet<usize>, guarded: bool) {
        let AtomInstruction { access, function, destination, address, operand, replacement } = atom;
        let scope = access.scope.unwrap_or(Scope::Gpu);
        if matches!(access.order, Some(AccessOrder::Release | AccessOrder::AcqRel)) {
            self.before(scope, text, guard);
        }
        let space = self.space(address, access);
        let mut data = self.of_value(operand);
        data.extend(replacement.iter().flat_map(|r| self.of_value(r)));
        let no_reduction =
            matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
        let effect = SassEffect::Atom {
            space,
            function: *function,
            bits: bits(access),
            strength: if space == Some(Space::Shared) { SassStrength::Weak } else { strong(scope) },
            reduction: destination.is_none() && !no_reduction,
        };
        let (position, from) = (self.out.len(), self.address(address));
        self.push(effect, text, from, data, guard);
        if let Some(d) = destination {
            self.define(d, BTreeSet::from([position]), guard, guarded);
        }
        if matches!(access.order, Some(AccessOrder::Acquire | AccessOrder::AcqRel)) {
            self.after(scope, text, guard, position);
        }
    }

    fn mbarrier(
        &mut self,
        MbarrierOperation { address, is_remote, action }: &MbarrierOperation,
        text: &str,
        guard: &BTreeSet<usize>,
        guarded: bool,
    ) -> Result<(), ExpectationRefusal> {
        let location =
            if let Base::Location(name) = &address.base { self.test.location(name) } else { None };
        let remote = *is_remote || location.is_some_and(|l| self.remote[l]);
        let effect = match action {
            MbarrierAction::Initialise { .. } if self.target >= GpuTarget(100) => {
                let store = SassEffect::Store {
                    space: Some(Space::Shared),
                    bits: 64,
                    strength: SassStrength::Weak,
                };
                self.plain(store, text, guard);
                self.plain(SassEffect::ViewFence(Space::Shared), text, guard);
                SassMbarrier::InvalidateAll
            }
            MbarrierAction::Initialise { .. } => {
                self.plain(SassEffect::ViewFence(Space::Shared), text, guard);
                SassMbarrier::Initialise
            }
            MbarrierAction::Invalidate => SassMbarrier::Invalidate,
            MbarrierAction::Expect { .. } => SassMbarrier::Expect,
            MbarrierAction::Transfer { .. } => SassMbarrier::Transfer,
            MbarrierAction::Arrive { incomplete: true, .. } => {
                return Err(ExpectationRefusal::LoopOverLanes(text.to_owned()));
            }
            MbarrierAction::Arrive { token, order, scope, count, bytes, drops, .. } => {
                let releases = *order == AccessOrder::Release;
                if releases && *scope != Scope::Cta {
                    self.before(*scope, text, guard);
                }
                let position = self.out.len();
                let count = match (bytes, count) {
                    (Some(_), _) => ArrivalCount::Expecting,
                    (None, 1) => ArrivalCount::One,
                    (None, _) => ArrivalCount::Register,
                };
                let effect = SassMbarrier::Arrive { count, drops: *drops, remote };
                self.plain(SassEffect::Mbarrier(effect), text, guard);
                if releases {
                    // What comes before it is waited for, and a warp issues in order.
                    self.acquired.extend(0..position);
                }
                if let Some(token) = token {
                    self.define(token, BTreeSet::from([position]), guard, guarded);
                }
                return Ok(());
            }
            MbarrierAction::Wait { suspends, destination, order, scope, phase } => {
                let (AwaitedPhase::Token(phase) | AwaitedPhase::Parity(phase)) = phase;
                let (position, data) = (self.out.len(), self.of_value(phase));
                let effect = SassEffect::Mbarrier(SassMbarrier::Wait { suspends: *suspends });
                self.push(effect, text, BTreeSet::new(), data, guard);
                self.define(destination, BTreeSet::from([position]), guard, guarded);
                if *order == AccessOrder::Acquire {
                    self.after(*scope, text, guard, position);
                }
                return Ok(());
            }
        };
        self.plain(SassEffect::Mbarrier(effect), text, guard);
        Ok(())
    }

    fn asynchronous(
        &mut self,
        operation: &AsyncOperation,
        text: &str,
        guard: &BTreeSet<usize>,
    ) -> Result<(), ExpectationRefusal> {
        let AsyncOperation { family, to_space, from_space, action, .. } = operation;
        let bits_of = |ty: &Option<Type>| ty.map_or(32, |t| t.bits);
        let bulk = |multicast, function| {
            let from = from_space.unwrap_or(Space::Global);
            SassEffect::BulkCopy { to: *to_space, from, multicast, function }
        };
        let effect = match (family, action) {
            (AsyncFamily::Element, AsyncAction::Copy { bytes, .. }) => {
                SassEffect::CopyToShared { bits: (*bytes * 8) as u8 }
            }
            (AsyncFamily::Bulk, AsyncAction::Copy { to, .. }) => bulk(to.len() > 1, None),
            (AsyncFamily::Bulk, AsyncAction::ReduceFrom { function, .. }) => {
                bulk(false, Some(*function))
            }
            (_, AsyncAction::Store { ty, values, .. }) => {
                let data = values.iter().flat_map(|v| self.of_value(v)).collect();
                let effect = SassEffect::AsyncStore {
                    bits: bits_of(ty) * values.len() as u8,
                    function: None,
                };
                self.push(effect, text, BTreeSet::new(), data, guard);
                return Ok(());
            }
            (_, AsyncAction::Reduce { function, ty, value, .. }) => {
                let data = self.of_value(value);
                self.push(
                    SassEffect::AsyncStore { bits: bits_of(ty), function: Some(*function) },
                    text,
                    BTreeSet::new(),
                    data,
                    guard,
                );
                return Ok(());
            }
            _ => return Err(ExpectationRefusal::NotCompared(text.to_owned())),
        };
        self.plain(effect, text, guard);
        Ok(())
    }

    fn fence(&mut self, order: FenceOrder, scope: Scope, text: &str, guard: &BTreeSet<usize>) {
        match order {
            FenceOrder::Acquire => self.after(scope, text, guard, 0),
            FenceOrder::Release => self.before(scope, text, guard),
            // Tests of architectures that are texts are not compiled for GPUs.
            FenceOrder::AcqRel | FenceOrder::Text(_) => {
                self.before(scope, text, guard);
                self.after(scope, text, guard, 0);
            }
            FenceOrder::Sc => {
                self.plain(SassEffect::Membar { sc: true, scope: machine(scope) }, text, guard);
                self.after(scope, text, guard, 0);
            }
        }
    }
}

fn bits(access: &Access) -> u8 {
    access.ty.map_or(32, |t| t.bits)
}

/// `.cluster` becomes GPU.
fn machine(scope: Scope) -> Scope {
    if scope == Scope::Cluster { Scope::Gpu } else { scope }
}

fn strong(scope: Scope) -> SassStrength {
    match scope {
        Scope::Warp | Scope::Cta => SassStrength::Cta,
        Scope::Cluster | Scope::Gpu => SassStrength::Gpu,
        Scope::Sys => SassStrength::Sys,
    }
}

fn strength(access: &Access, space: Option<Space>) -> SassStrength {
    // Shared memory has one copy: no strength is written there.
    if space == Some(Space::Shared) {
        return SassStrength::Weak;
    }
    match (access.order, access.cache) {
        // Cache operators are scopes since sm_70: a `.ca` load may hit the first-level cache, a
        // `.cg` load may not.
        (None | Some(AccessOrder::Weak), Some(CacheOperator::Ca | CacheOperator::Wb)) => {
            SassStrength::Cta
        }
        (None | Some(AccessOrder::Weak), Some(CacheOperator::Cg)) => SassStrength::Gpu,
        (None | Some(AccessOrder::Weak), Some(CacheOperator::Cv | CacheOperator::Wt)) => {
            SassStrength::Sys
        }
        (None | Some(AccessOrder::Weak), Some(CacheOperator::Cs | CacheOperator::Lu)) => {
            SassStrength::EvictFirst
        }
        (None | Some(AccessOrder::Weak), None) => SassStrength::Weak,
        (Some(AccessOrder::Volatile), _) => SassStrength::Sys,
        (Some(AccessOrder::Mmio), _) => SassStrength::Mmio,
        (Some(_), _) => strong(access.scope.unwrap_or(Scope::Sys)),
    }
}
