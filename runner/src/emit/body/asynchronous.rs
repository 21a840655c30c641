//! Mbarriers and asynchronous operations (PTX ISA 9.7.9.25, 9.7.13.15).

use margay_litmus::test::{
    Access, Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation,
    AtomFunction, AwaitedPhase, Base, MbarrierAction, MbarrierOperation, Operation, ProxyFenceKind,
    Space, TestInstruction, TestOperand, Type, element,
};

use super::Emitter;
use super::access::{scope_name, width};
use crate::emit::EmissionError;
use crate::emit::address::BULK;
use crate::emit::asynchronous::hardware_rank;
use crate::emit::target::GpuTarget;
use crate::sass::specification::SassAccessKind;

/// May the thread be suspended, for a time that only the system knows?
pub(super) fn suspends(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Mbarrier(MbarrierOperation {
            action: MbarrierAction::Wait { suspends: true, .. },
            ..
        })
    )
}

impl Emitter<'_> {
    /// An instruction of these; nothing is written for another one. `(guard, guarded)`: the
    /// predicate as text, and whether there is one.
    pub(super) fn asynchronous(
        &mut self,
        operation: &Operation,
        (guard, guarded): (&str, bool),
        rest: &[TestInstruction],
    ) -> Result<(), EmissionError> {
        match operation {
            Operation::Mbarrier(operation) => self.mbarrier(operation, (guard, guarded), rest)?,
            Operation::PendingCount { destination, token } => {
                let token = self.value(token, true)?;
                let wide = self.body.registers.is_wide(destination);
                let count = if wide {
                    self.temporary('w')
                } else {
                    self.body.registers.define(destination, guarded)
                };
                self.line(format!("{guard}mbarrier.pending_count.b64 {count}, {token};"));
                if wide {
                    let to = self.body.registers.define(destination, guarded);
                    self.line(format!("{guard}cvt.u64.u32 {to}, {count};"));
                }
            }
            Operation::MbarrierInitFence => {
                self.line(format!("{guard}fence.mbarrier_init.release.cluster;"))
            }
            Operation::ProxyFence(kind) => {
                let space = match kind {
                    ProxyFenceKind::Async => "",
                    ProxyFenceKind::AsyncGlobal => ".global",
                    ProxyFenceKind::AsyncShared => ".shared::cta",
                    _ => return Ok(()),
                };
                self.line(format!("{guard}fence.proxy.async{space};"));
            }
            Operation::SharedFence { acquires: true, .. } => {
                self.line(format!("{guard}fence.acquire.sync_restrict::shared::cluster.cluster;"));
            }
            Operation::SharedFence { acquires: false, .. } => {
                self.restricted_release()?;
                self.line(format!("{guard}fence.release.sync_restrict::shared::cta.cluster;"));
            }
            Operation::Async(operation) => self.issued(operation, guard)?,
            Operation::AsyncGroup { family, action } => {
                let name = if *family == AsyncFamily::Bulk { "cp.async.bulk" } else { "cp.async" };
                self.line(match action {
                    AsyncGroupAction::Commit => format!("{guard}{name}.commit_group;"),
                    AsyncGroupAction::Wait { left, reads } => {
                        format!(
                            "{guard}{name}.wait_group{} {left};",
                            if *reads { ".read" } else { "" }
                        )
                    }
                    AsyncGroupAction::WaitAll => format!("{guard}{name}.wait_all;"),
                });
            }
            Operation::AsyncArrive { address, counted, .. } => {
                let (_, at) = self.mbarrier_address(address)?;
                let counted = if *counted { ".noinc" } else { "" };
                self.line(format!(
                    "{guard}cp.async.mbarrier.arrive{counted}.shared::cta.b64 [{at}];"
                ));
            }
            Operation::BulkStore { address, bytes } => {
                let at = self.named(address)?;
                self.line(format!("{guard}st.bulk.weak.shared::cta [{at}], {bytes}, 0;"));
            }
            _ => return Ok(()),
        }
        Ok(())
    }

    /// The fence is for shared memory of the own cta: what the thread accesses in that of another
    /// one it does not order.
    fn restricted_release(&self) -> Result<(), EmissionError> {
        let cta = self.layout.roles[self.thread.index()].cta;
        for i in self.test.instructions(self.thread) {
            let Some((_, Address { base: Base::Location(name), .. })) = i.operation.memory() else {
                continue;
            };
            if self.test.location(name).is_some_and(|l| self.shared.is_remote(l, cta)) {
                return Err(EmissionError::test(format!(
                    "the fence is for shared memory of the own cta, and `{name}` has to be in that of another one"
                )));
            }
        }
        Ok(())
    }

    /// The address of a location that an instruction names, in a register: the same one for all
    /// accesses, because the assembler merges none of these.
    fn named(&mut self, address: &Address) -> Result<String, EmissionError> {
        let (Base::Location(name), None | Some(TestOperand::Integer(0))) =
            (&address.base, &address.offset)
        else {
            return Err(EmissionError::test(
                "an mbarrier or an asynchronous operation with an address in a register; kernels here name the location",
            ));
        };
        Ok(format!("%x{}", self.generic_location(name)?))
    }

    /// The space and the address of an mbarrier: of the own cta, or of another one of the cluster.
    fn mbarrier_address(
        &mut self,
        address: &Address,
    ) -> Result<(&'static str, String), EmissionError> {
        let at = self.named(address)?;
        let Base::Location(name) = &address.base else { return Ok(("shared::cta", at)) };
        let location = self.location(name)?;
        let cta = self.layout.roles[self.thread.index()].cta;
        Ok((
            if self.shared.is_remote(location, cta) { "shared::cluster" } else { "shared::cta" },
            at,
        ))
    }

    fn mbarrier(
        &mut self,
        MbarrierOperation { address, is_remote, action }: &MbarrierOperation,
        (guard, guarded): (&str, bool),
        rest: &[TestInstruction],
    ) -> Result<(), EmissionError> {
        let (space, at) = self.mbarrier_address(address)?;
        let space = if *is_remote { "shared::cluster" } else { space };
        let own_cta = matches!(
            action,
            MbarrierAction::Initialise { .. }
                | MbarrierAction::Invalidate
                | MbarrierAction::Wait { .. }
        ) || matches!(action, MbarrierAction::Arrive { token, incomplete, .. } if token.is_some() || *incomplete);
        if own_cta && space != "shared::cta" {
            return Err(EmissionError::test(
                "PTX has this for an mbarrier of the own cta alone: one that is `.shared::cluster` is arrived at without a result",
            ));
        }
        match action {
            MbarrierAction::Initialise { count } => {
                // A store to shared memory in machine code, there.
                if self.target >= GpuTarget(100) {
                    self.body.specification.push((SassAccessKind::Store, None));
                }
                self.line(format!("{guard}mbarrier.init.{space}.b64 [{at}], {count};"));
            }
            MbarrierAction::Invalidate => {
                self.line(format!("{guard}mbarrier.inval.{space}.b64 [{at}];"))
            }
            MbarrierAction::Arrive { token, order, scope, count, bytes, drops, incomplete } => {
                let name = if *drops { "arrive_drop" } else { "arrive" };
                let (order, scope) = (order.name(), scope_name(*scope));
                let (expects, operand) = match bytes {
                    Some(bytes) => (".expect_tx", format!(", {bytes}")),
                    None if *count == 1 && !incomplete => ("", String::new()),
                    None => ("", format!(", {count}")),
                };
                if *incomplete && (order, scope) != ("release", "cta") {
                    return Err(EmissionError::test("PTX has .noComplete with .release.cta alone"));
                }
                let remains = if *incomplete { ".noComplete" } else { "" };
                let state = match token {
                    Some(token) => self.body.registers.define(token, guarded),
                    None if *incomplete => self.temporary('d'),
                    None => "_".to_owned(),
                };
                self.line(format!(
                    "{guard}mbarrier.{name}{expects}{remains}.{order}.{scope}.{space}.b64 {state}, [{at}]{operand};"
                ));
            }
            MbarrierAction::Expect { scope, bytes } => {
                self.line(format!(
                    "{guard}mbarrier.expect_tx.relaxed.{}.{space}.b64 [{at}], {bytes};",
                    scope_name(*scope)
                ));
            }
            MbarrierAction::Transfer { scope, bytes } => {
                self.line(format!(
                    "{guard}mbarrier.complete_tx.relaxed.{}.{space}.b64 [{at}], {bytes};",
                    scope_name(*scope)
                ));
            }
            MbarrierAction::Wait { suspends, destination, order, scope, phase } => {
                let name = if *suspends { "try_wait" } else { "test_wait" };
                let (parity, phase) = match phase {
                    AwaitedPhase::Token(token) => ("", self.value(token, true)?),
                    // The phase is that of the lowest bit.
                    AwaitedPhase::Parity(TestOperand::Integer(n)) => {
                        (".parity", (n & 1).to_string())
                    }
                    AwaitedPhase::Parity(parity) => {
                        let (parity, lowest) = (self.value(parity, false)?, self.temporary('w'));
                        self.line(format!("and.b32 {lowest}, {parity}, 1;"));
                        (".parity", lowest)
                    }
                };
                let complete = self.temporary('q');
                let (order, scope) = (order.name(), scope_name(*scope));
                self.line(format!("{guard}mbarrier.{name}{parity}.{order}.{scope}.{space}.b64 {complete}, [{at}], {phase};"));
                let wide = self.body.registers.is_wide(destination);
                let to = self.body.registers.define(destination, guarded);
                let line =
                    format!("{guard}selp.b{} {to}, 1, 0, {complete};", if wide { 64 } else { 32 });
                // A register that the thread does not use is for the results: nothing need wait for
                // it before the last access.
                let used = guarded
                    || !self.body.registers.renames()
                    || rest.iter().any(|i| reads(i, destination));
                if used {
                    self.line(line);
                } else {
                    self.body.after.push(line);
                }
            }
        }
        Ok(())
    }

    /// An asynchronous operation.
    fn issued(
        &mut self,
        AsyncOperation { family, to_space, from_space, action, completion }: &AsyncOperation,
        guard: &str,
    ) -> Result<(), EmissionError> {
        let bulk = *family == AsyncFamily::Bulk;
        let mbarriers = match completion {
            AsyncCompletion::Group => Vec::new(),
            AsyncCompletion::Mbarriers(all) => {
                all.iter().map(|m| self.named(m)).collect::<Result<_, _>>()?
            }
        };
        let mechanism = match completion {
            AsyncCompletion::Group if bulk => ".bulk_group",
            AsyncCompletion::Group => "",
            AsyncCompletion::Mbarriers(_) => ".mbarrier::complete_tx::bytes",
        };
        // With a multicast all ctas have the mbarrier at the same place.
        let mbarrier = mbarriers.first().map(|m| format!(", [{m}]")).unwrap_or_default();
        let to_name = if *to_space == Space::Shared { "shared::cluster" } else { "global" };
        let from_name = match from_space {
            Some(Space::Shared) => "shared::cta",
            _ => "global",
        };
        match action {
            AsyncAction::Copy { to, from, bytes } if !bulk => {
                let ([to], 4 | 8 | 16) = (to.as_slice(), bytes) else {
                    return Err(EmissionError::test(format!(
                        "cp.async moves 4, 8 or 16 bytes, not {bytes}"
                    )));
                };
                self.aligned([to, from], *bytes)?;
                let (to, from) = (self.named(to)?, self.named(from)?);
                self.line(format!("{guard}cp.async.ca.shared.global [{to}], [{from}], {bytes};"));
            }
            AsyncAction::Copy { to, from, bytes } => {
                let bytes = self.in_bulk(to.iter().chain([from]), *bytes, completion)?;
                let from = self.named(from)?;
                let all = to.iter().map(|to| self.named(to)).collect::<Result<Vec<_>, _>>()?;
                let Some(first) = all.first() else { return Ok(()) };
                if all.len() == 1 {
                    self.line(format!(
                        "{guard}cp.async.bulk.{to_name}.{from_name}{mechanism} [{first}], [{from}], {bytes}{mbarrier};"
                    ));
                    return Ok(());
                }
                self.multicast(to, (&from, bytes), &mbarrier, guard)?;
            }
            AsyncAction::ReduceFrom { function, ty, to, from, bytes } => {
                let bytes = self.in_bulk([to, from], *bytes, completion)?;
                let (to, from) = (self.named(to)?, self.named(from)?);
                let (name, ty) = (function.name(), reduced(*function, *ty)?);
                self.line(format!(
                    "{guard}cp.reduce.async.bulk.{to_name}.{from_name}{mechanism}.{name}.{ty} [{to}], [{from}], {bytes}{mbarrier};"
                ));
            }
            AsyncAction::Store { ty, to: to_address, values } => {
                let access = Access { ty: *ty, ..Access::default() };
                let (to, ty) = (self.named(to_address)?, width(&access, "b", &[32, 64])?);
                let wide = ty.ends_with("64");
                self.aligned([to_address], if wide { 8 } else { 4 } * values.len() as i64)?;
                let values =
                    values.iter().map(|v| self.operand(v, wide)).collect::<Result<Vec<_>, _>>()?;
                let (vector, values) = match values.as_slice() {
                    [one] => (String::new(), one.clone()),
                    all => (format!(".v{}", all.len()), format!("{{{}}}", all.join(", "))),
                };
                self.line(format!("{guard}st.async.shared::cluster{mechanism}{vector}.{ty} [{to}], {values}{mbarrier};"));
            }
            AsyncAction::Reduce { function, ty, to, value } => {
                let (to, name, ty) = (self.named(to)?, function.name(), reduced(*function, *ty)?);
                let value = self.operand(value, ty.ends_with("64"))?;
                self.line(format!(
                    "{guard}red.async.relaxed.cluster.shared::cluster{mechanism}.{name}.{ty} [{to}], {value}{mbarrier};"
                ));
            }
            AsyncAction::Tile { .. } => {
                return Err(EmissionError::test("no kernel makes tensor maps"));
            }
            AsyncAction::Multiply { .. }
            | AsyncAction::TensorLoad { .. }
            | AsyncAction::TensorStore { .. }
            | AsyncAction::TensorFree { .. }
            | AsyncAction::TensorCompute { .. } => {
                return Err(EmissionError::test("no kernel has tensor cores"));
            }
        }
        Ok(())
    }

    /// The bytes of a copy in bulk: a multiple of 16, from and to multiples of 16. Locations alone
    /// have room behind them, which is copied as well.
    fn in_bulk<'a>(
        &self,
        addresses: impl IntoIterator<Item = &'a Address>,
        bytes: i64,
        completion: &AsyncCompletion,
    ) -> Result<i64, EmissionError> {
        let bulk = i64::from(BULK);
        for address in addresses {
            let Some((array, offset)) = self.in_array(address) else { continue };
            if offset % bulk != 0 || bytes % bulk != 0 {
                return Err(EmissionError::test(format!(
                    "a copy in bulk of {bytes} bytes, {offset} bytes behind the start of `{array}`; PTX has multiples of {bulk} for both"
                )));
            }
        }
        if bytes % bulk != 0 && *completion != AsyncCompletion::Group {
            return Err(EmissionError::test(format!(
                "a copy in bulk of {bytes} bytes; PTX has multiples of {bulk}, and its mbarrier would count those"
            )));
        }
        Ok((bytes + bulk - 1) / bulk * bulk)
    }

    /// The array that a location is an element of, and how far it is from its start.
    fn in_array<'a>(&self, address: &'a Address) -> Option<(&'a str, i64)> {
        let Base::Location(name) = &address.base else { return None };
        let (array, _) = element(name)?;
        let (first, own) =
            self.test.location(&format!("{array}[0]")).zip(self.test.location(name))?;
        Some((array, self.code.address(own) - self.code.address(first)))
    }

    /// What is accessed at once begins at a multiple of its size.
    fn aligned<'a>(
        &self,
        addresses: impl IntoIterator<Item = &'a Address>,
        bytes: i64,
    ) -> Result<(), EmissionError> {
        let apart = addresses
            .into_iter()
            .filter_map(|a| self.in_array(a))
            .find(|(_, offset)| offset % bytes != 0);
        apart.map_or(Ok(()), |(array, offset)| {
            Err(EmissionError::test(format!(
                "{bytes} bytes, {offset} bytes behind the start of `{array}`, which is no multiple of them"
            )))
        })
    }

    /// A copy to the same place in several ctas, one bit for each.
    fn multicast(
        &mut self,
        to: &[Address],
        (from, bytes): (&str, i64),
        mbarrier: &str,
        guard: &str,
    ) -> Result<(), EmissionError> {
        let mut mask = 0u32;
        for address in to {
            let Base::Location(name) = &address.base else { continue };
            if let Some(place) = self.test.location(name).and_then(|l| self.shared.place(l)) {
                mask |= 1 << hardware_rank(self.layout, place.cta);
            }
        }
        // The place is that of the own cta, wherever the locations are: it is the same in all.
        let first = self.named(&to[0])?;
        let (own, own_barrier) = (self.temporary('d'), self.temporary('d'));
        let rank = hardware_rank(self.layout, self.layout.roles[self.thread.index()].cta);
        let barrier = mbarrier.trim_start_matches(", [").trim_end_matches(']');
        self.body.before.push(format!("mapa.shared::cluster.u64 {own}, {first}, {rank};"));
        self.body
            .before
            .push(format!("mapa.shared::cluster.u64 {own_barrier}, {barrier}, {rank};"));
        let (half, word) = (self.temporary('h'), mask);
        self.body.before.push(format!("mov.b16 {half}, {word};"));
        self.line(format!(
            "{guard}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{own}], [{from}], {bytes}, \
             [{own_barrier}], {half};"
        ));
        Ok(())
    }
}

/// The type of an asynchronous reduction.
fn reduced(function: AtomFunction, ty: Option<Type>) -> Result<String, EmissionError> {
    let letter = match function {
        AtomFunction::And | AtomFunction::Or | AtomFunction::Xor => "b",
        AtomFunction::Add | AtomFunction::Increment | AtomFunction::Decrement => "u",
        AtomFunction::Min | AtomFunction::Max => {
            if ty.and_then(Type::integer).is_some_and(|i| !i.signed) { "u" } else { "s" }
        }
        other => {
            return Err(EmissionError::test(format!(
                "PTX has no asynchronous reduction {}",
                other.name()
            )));
        }
    };
    width(&Access { ty, ..Access::default() }, letter, &[32, 64])
}

/// Does an instruction use the value of a register?
fn reads(i: &TestInstruction, register: &str) -> bool {
    let value = |v: &TestOperand| matches!(v, TestOperand::Register(name) if name == register);
    let address = |a: &Address| {
        matches!(&a.base, Base::Register(name) if name == register)
            || a.offset.as_ref().is_some_and(value)
    };
    if i.guard.as_ref().is_some_and(|g| g.register == register) {
        return true;
    }
    if i.operation.memory().is_some_and(|(_, a)| address(a))
        || i.operation.further_addresses().into_iter().any(address)
    {
        return true;
    }
    match &i.operation {
        Operation::Store { value: v, .. } => value(v),
        Operation::VectorStore { values, .. } => values.iter().any(value),
        Operation::Atom(atom) => {
            value(&atom.operand) || atom.replacement.as_ref().is_some_and(value)
        }
        Operation::Local { operands, .. } => operands.iter().any(value),
        Operation::BranchIf { left, right, .. } => value(left) || value(right),
        Operation::PendingCount { token, .. } => value(token),
        Operation::Warp(meeting) => meeting.brought().iter().any(value),
        Operation::Mbarrier(MbarrierOperation {
            action:
                MbarrierAction::Wait { phase: AwaitedPhase::Token(v) | AwaitedPhase::Parity(v), .. },
            ..
        }) => value(v),
        Operation::Async(AsyncOperation { action, .. }) => match action {
            AsyncAction::Store { values, .. } => values.iter().any(value),
            AsyncAction::Reduce { value: v, .. } => value(v),
            _ => false,
        },
        Operation::Barrier { barrier, .. } => value(barrier),
        _ => false,
    }
}
