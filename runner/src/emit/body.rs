//! The accesses of a thread of the test as PTX: one instruction for each, with registers chosen so that nothing waits that the
//! test does not make wait.

use std::collections::BTreeSet;

use margay_litmus::test::{
    Access, AccessOrder, Address, Atom, AtomFunction, BarrierMode, Base, ClusterBarrier, Comparison, FenceOrder, InitialValue,
    Instruction, LocalFunction, Operation, Place, ProxyFenceKind, Space, Test, ThreadId, Value,
};
use margay_litmus::unfold::Code;
use margay_models::execution::{Proxy, Scope};

use super::layout::Layout;
use super::registers::Registers;
use super::target::Target;
use super::{Error, spaces};
use crate::sass::specification::Kind;

/// How many backward jumps a thread takes before it is given up.
pub(super) const JUMPS: u32 = 4096;

/// A thread, as text.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub lines: Vec<String>,
    pub registers: Registers,
    /// The registers of the kernel that take values from memory: all are used at the end.
    pub loaded: Vec<(String, bool)>,
    /// For each access what it is, and the register with what it brought.
    pub specification: Vec<(Kind, Option<(String, bool)>)>,
    /// Predicates and other registers for single instructions.
    pub temporaries: u32,
    /// Can the thread be given up?
    pub loops: bool,
    /// Does it end early?
    pub exits: bool,
    /// The locations that it names.
    pub locations: Vec<usize>,
}

/// Emits a thread.
pub(super) fn emit(test: &Test, thread: ThreadId, layout: &Layout, target: Target, code: &Code) -> Result<Body, Error> {
    let instructions = test.instructions(thread);
    let mut emitter = Emitter {
        test,
        thread,
        code,
        layout,
        target,
        spaces: spaces(test),
        seen: BTreeSet::new(),
        body: Body {
            lines: Vec::new(),
            registers: Registers::new(test, thread, instructions),
            loaded: Vec::new(),
            specification: Vec::new(),
            temporaries: 0,
            loops: false,
            exits: false,
            locations: Vec::new(),
        },
    };
    emitter.initial()?;
    for i in instructions {
        emitter.instruction(i).map_err(|e| e.or_at(i.place))?;
    }
    Ok(emitter.body)
}

struct Emitter<'a> {
    test: &'a Test,
    thread: ThreadId,
    code: &'a Code,
    layout: &'a Layout,
    target: Target,
    spaces: Vec<Space>,
    /// The labels that were passed.
    seen: BTreeSet<String>,
    body: Body,
}

impl Emitter<'_> {
    fn line(&mut self, text: impl Into<String>) {
        self.body.lines.push(text.into());
    }

    /// A register for one instruction: `%q` predicates, `%w` words, `%d` double words.
    fn temporary(&mut self, class: char) -> String {
        self.body.temporaries += 1;
        format!("%{class}{}_{}", self.thread.0, self.body.temporaries)
    }

    /// What registers hold at the start.
    fn initial(&mut self) -> Result<(), Error> {
        let names: Vec<String> = self.body.registers.names().cloned().collect();
        for name in names {
            let declared = self.test.registers.iter().find(|r| r.thread == self.thread && r.name == name);
            let register = self.body.registers.current(&name);
            match declared.and_then(|d| d.value.as_ref()) {
                Some(InitialValue::AddressOf(location)) => {
                    let address = self.generic(location)?;
                    self.line(format!("mov.b64 {register}, {address};"));
                }
                other => {
                    let n = if let Some(InitialValue::Integer(n)) = other { *n } else { 0 };
                    let wide = self.body.registers.is_wide(&name);
                    let n = immediate(n, wide)?;
                    self.line(format!("mov.b{} {register}, {n};", if wide { 64 } else { 32 }));
                }
            }
        }
        Ok(())
    }

    fn location(&mut self, name: &str) -> Result<usize, Error> {
        let location = self.test.location(name).ok_or_else(|| Error::test(format!("there is no location `{name}`")))?;
        if !self.body.locations.contains(&location) {
            self.body.locations.push(location);
        }
        Ok(location)
    }

    /// The generic address of a location, in a register.
    fn generic(&mut self, name: &str) -> Result<String, Error> {
        let location = self.location(name)?;
        if self.spaces[location] == Space::Global {
            return Ok(format!("%x{location}"));
        }
        let register = self.temporary('d');
        self.line(format!("cvta.shared.u64 {register}, %x{location};"));
        Ok(register)
    }

    /// An operand of a width, converted if it must be.
    fn value(&mut self, value: &Value, wide: bool) -> Result<String, Error> {
        Ok(match value {
            Value::Integer(n) => immediate(*n, wide)?,
            Value::AddressOf(name) => self.generic(name)?,
            Value::Register(name) => {
                let register = self.body.registers.current(name);
                match (self.body.registers.is_wide(name), wide) {
                    (false, true) => {
                        let to = self.temporary('d');
                        self.line(format!("cvt.s64.s32 {to}, {register};"));
                        to
                    }
                    (true, false) => {
                        let to = self.temporary('w');
                        self.line(format!("cvt.u32.u64 {to}, {register};"));
                        to
                    }
                    _ => register,
                }
            }
        })
    }

    fn is_wide(&self, value: &Value) -> bool {
        match value {
            Value::Register(name) => self.body.registers.is_wide(name),
            Value::AddressOf(_) => true,
            Value::Integer(_) => false,
        }
    }

    /// The state space and the operand of an address.
    fn address(&mut self, address: &Address, access: &Access) -> Result<(&'static str, String), Error> {
        let (space, base) = match &address.base {
            Base::Location(name) => {
                let location = self.location(name)?;
                let space = self.spaces[location];
                (if space == Space::Shared { ".shared" } else { ".global" }, format!("%x{location}"))
            }
            Base::Register(name) => {
                let register = self.body.registers.current(name);
                // A register holds a generic address, and that of global memory is the same.
                let space = if access.space == Some(Space::Global) { ".global" } else { "" };
                (space, register)
            }
        };
        let Some(offset) = &address.offset else { return Ok((space, format!("[{base}]"))) };
        if let Value::Integer(0) = offset {
            return Ok((space, format!("[{base}]")));
        }
        if let Value::Integer(n) = offset {
            return match self.known_address(&address.base).and_then(|a| self.code.location_at(a + n)) {
                Some(_) => Ok((space, format!("[{base}+{n}]"))),
                None => Err(Error::test(format!("the offset {n} leads to memory that is no location"))),
            };
        }
        let offset = self.value(offset, true)?;
        let sum = self.temporary('d');
        self.line(format!("add.s64 {sum}, {base}, {offset};"));
        Ok((space, format!("[{sum}]")))
    }

    /// The number that stands for an address, where the text says which it is: that of a location, or of a register that holds one
    /// from the start to the end.
    fn known_address(&self, base: &Base) -> Option<i64> {
        let name = match base {
            Base::Location(name) => name,
            Base::Register(register) => {
                let written = |i: &Instruction| written(&i.operation).contains(&register);
                if self.test.instructions(self.thread).iter().any(written) {
                    return None;
                }
                let declared = self.test.registers.iter().find(|r| r.thread == self.thread && r.name == *register)?;
                let Some(InitialValue::AddressOf(name)) = &declared.value else { return None };
                name
            }
        };
        Some(self.code.address(self.test.location(name)?))
    }

    /// `@p` before an instruction.
    fn guard(&mut self, i: &Instruction) -> String {
        let Some(guard) = &i.guard else { return String::new() };
        let register = self.body.registers.current(&guard.register);
        let bits = if self.body.registers.is_wide(&guard.register) { 64 } else { 32 };
        let predicate = self.temporary('q');
        self.line(format!("setp.ne.s{bits} {predicate}, {register}, 0;"));
        format!("@{}{predicate} ", if guard.negated { "!" } else { "" })
    }

    fn instruction(&mut self, i: &Instruction) -> Result<(), Error> {
        let guard = self.guard(i);
        match &i.operation {
            Operation::Load { access, destination, address } => {
                let qualifiers = self.qualifiers(access, false)?;
                let (space, operand) = self.address(address, access)?;
                let ty = width(access, "b", &[8, 16, 32, 64])?;
                let to = self.body.registers.define(destination, i.guard.is_some());
                let brought = (to.clone(), self.body.registers.is_wide(destination));
                self.body.specification.push((Kind::Load, Some(brought.clone())));
                self.body.loaded.push(brought);
                self.line(format!("{guard}ld{qualifiers}{space}.{ty} {to}, {operand};"));
            }
            Operation::Store { access, address, value } => {
                let qualifiers = self.qualifiers(access, true)?;
                let (space, operand) = self.address(address, access)?;
                let ty = width(access, "b", &[8, 16, 32, 64])?;
                let value = self.register(value, access.ty.is_some_and(|t| t.bits == 64))?;
                self.body.specification.push((Kind::Store, None));
                self.line(format!("{guard}st{qualifiers}{space}.{ty} {operand}, {value};"));
            }
            Operation::Atom(atom) => self.atom(atom, &guard, i.guard.is_some())?,
            Operation::Fence { order, scope } => {
                let order = order.unwrap_or(FenceOrder::AcqRel);
                let scope = scope.unwrap_or(Scope::Sys);
                self.scope(scope)?;
                if matches!(order, FenceOrder::Acquire | FenceOrder::Release) && self.target < Target(90) {
                    let message = format!("fence.{} needs sm_90 or later, not {}", order.name(), self.target);
                    return Err(Error::target(message));
                }
                self.line(format!("{guard}fence.{}.{};", order.name(), scope_name(scope)));
            }
            Operation::Membar(level) => self.line(format!("{guard}membar.{};", level.name())),
            Operation::ProxyFence(ProxyFenceKind::Alias) => self.line(format!("{guard}fence.proxy.alias;")),
            Operation::ProxyFence(kind) => {
                let message = format!("fence.proxy.{}: kernels here have no textures, surfaces and constants", kind.name());
                return Err(Error::test(message));
            }
            Operation::Barrier { mode, barrier, .. } => self.barrier(i, *mode, *barrier)?,
            Operation::ClusterBarrier(barrier) => {
                if !self.target.has_clusters() {
                    return Err(Error::target(format!("barrier.cluster needs sm_90 or later, not {}", self.target)));
                }
                self.line(format!(
                    "{guard}{};",
                    match barrier {
                        ClusterBarrier::Arrive { relaxed: true } => "barrier.cluster.arrive.relaxed",
                        ClusterBarrier::Arrive { relaxed: false } => "barrier.cluster.arrive.release",
                        ClusterBarrier::Wait => "barrier.cluster.wait.acquire",
                    }
                ));
            }
            Operation::Local { function, destination, operands, .. } => {
                self.local(*function, destination, operands, &guard, i.guard.is_some())?;
            }
            Operation::BranchIf { comparison, left, right, target } => {
                let predicate = self.compare(*comparison, left, right)?;
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
                    self.body.loaded.push((register.clone(), self.body.registers.is_wide(destination)));
                    to.push(register);
                }
                let first = destinations.first().map(|d| self.body.registers.is_wide(d));
                self.body.specification.push((Kind::Load, to.first().cloned().zip(first)));
                self.line(format!("{guard}ld{qualifiers}{space}.v{n}.{ty} {{{}}}, {operand};", to.join(", ")));
            }
            Operation::VectorStore { access, address, values } => {
                let qualifiers = self.qualifiers(access, true)?;
                let (space, operand) = self.address(address, access)?;
                let (n, ty) = (values.len(), vector(access, values.len())?);
                let wide = access.ty.is_some_and(|t| t.bits == 64);
                let values = values.iter().map(|v| self.operand(v, wide)).collect::<Result<Vec<_>, _>>()?;
                self.body.specification.push((Kind::Store, None));
                self.line(format!("{guard}st{qualifiers}{space}.v{n}.{ty} {operand}, {{{}}};", values.join(", ")));
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

    /// A jump; one backwards only so often, because a launch that never ends cannot be told from one that hangs.
    fn jump(&mut self, target: &str, guard: &str) {
        if self.seen.contains(target) {
            self.body.loops = true;
            let t = self.thread.0;
            let predicate = self.temporary('q');
            self.line("sub.s32 %fuel, %fuel, 1;");
            self.line(format!("setp.lt.s32 {predicate}, %fuel, 0;"));
            self.line(format!("@{predicate} bra $STUCK{t};"));
        }
        let label = self.label(target);
        self.line(format!("{guard}bra {label};"));
    }

    fn scope(&self, scope: Scope) -> Result<(), Error> {
        if scope == Scope::Cluster && !self.target.has_clusters() {
            return Err(Error::target(format!("the scope .cluster needs sm_90 or later, not {}", self.target)));
        }
        Ok(())
    }

    fn qualifiers(&self, access: &Access, store: bool) -> Result<String, Error> {
        if access.proxy != Proxy::Generic {
            return Err(Error::test("an access through a texture, surface or constant; kernels here have none"));
        }
        let scope = access.scope.map(|s| self.scope(s).map(|()| format!(".{}", scope_name(s)))).transpose()?.unwrap_or_default();
        let cache = access.cache.map(|c| format!(".{}", c.name())).unwrap_or_default();
        Ok(match access.order {
            None => cache,
            Some(AccessOrder::Weak) => format!(".weak{cache}"),
            Some(AccessOrder::Volatile) => ".volatile".to_owned(),
            Some(AccessOrder::Mmio) if access.scope != Some(Scope::Sys) => {
                return Err(Error::test("mmio accesses are of scope .sys alone (PTX ISA 9.7.9.8)"));
            }
            Some(order @ (AccessOrder::Acquire | AccessOrder::AcqRel)) if store => {
                return Err(Error::test(format!("a store cannot be .{}", order.name())));
            }
            Some(order @ (AccessOrder::Release | AccessOrder::AcqRel)) if !store => {
                return Err(Error::test(format!("a load cannot be .{}", order.name())));
            }
            Some(order) if scope.is_empty() => {
                return Err(Error::test(format!("a .{} access needs a scope", order.name())));
            }
            Some(order) => format!(".{}{scope}{cache}", order.name()),
        })
    }

    /// A value in a register or as a number.
    fn register(&mut self, value: &Value, wide: bool) -> Result<String, Error> {
        self.value(value, wide)
    }

    fn atom(&mut self, atom: &Atom, guard: &str, guarded: bool) -> Result<(), Error> {
        let Atom { access, function, destination, address, operand, replacement } = atom;
        let scope = access.scope.map(|s| self.scope(s).map(|()| format!(".{}", scope_name(s)))).transpose()?.unwrap_or_default();
        let order = access.order.map(|o| format!(".{}", o.name())).unwrap_or_default();
        if !matches!(
            access.order,
            None | Some(AccessOrder::Relaxed | AccessOrder::Acquire | AccessOrder::Release | AccessOrder::AcqRel)
        ) {
            return Err(Error::test(format!("an atom cannot be {order}")));
        }
        let letter = match function {
            AtomFunction::Exchange | AtomFunction::CompareAndSwap | AtomFunction::And | AtomFunction::Or | AtomFunction::Xor => {
                "b"
            }
            AtomFunction::Add | AtomFunction::Increment | AtomFunction::Decrement => "u",
            AtomFunction::Min | AtomFunction::Max => "s",
        };
        let ty = width(access, letter, &[32, 64])?;
        let wide = ty.ends_with("64");
        let (space, at) = self.address(address, access)?;
        let operand = self.value(operand, wide)?;
        let replacement = replacement.as_ref().map(|r| self.value(r, wide)).transpose()?;
        let cas = replacement.map(|r| format!(", {r}")).unwrap_or_default();
        let name = function.name();
        let no_reduction = matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
        match destination {
            None if !no_reduction => {
                self.body.specification.push((Kind::Reduction, None));
                self.line(format!("{guard}red{order}{scope}{space}.{name}.{ty} {at}, {operand};"));
            }
            None => {
                let to = self.temporary(if wide { 'd' } else { 'w' });
                self.line(format!("{guard}atom{order}{scope}{space}.{name}.{ty} {to}, {at}, {operand}{cas};"));
                self.body.specification.push((Kind::Atom, Some((to.clone(), wide))));
                self.body.loaded.push((to, wide));
            }
            Some(d) if self.body.registers.is_wide(d) != wide => {
                return Err(Error::test(format!("`{d}` holds an address, the atom is of 32 bits; write .b64")));
            }
            Some(d) => {
                let to = self.body.registers.define(d, guarded);
                self.line(format!("{guard}atom{order}{scope}{space}.{name}.{ty} {to}, {at}, {operand}{cas};"));
                self.body.specification.push((Kind::Atom, Some((to.clone(), wide))));
                self.body.loaded.push((to, wide));
            }
        }
        Ok(())
    }

    /// A barrier of the cta: hardware has sixteen, of which the harness takes the first. Threads of all instances of the cta
    /// meet there, which orders no two accesses of an instance that the test does not order.
    fn barrier(&mut self, i: &Instruction, mode: BarrierMode, barrier: u8) -> Result<(), Error> {
        let code = self.test.instructions(self.thread);
        if i.guard.is_some()
            || code.iter().any(|i| matches!(i.operation, Operation::Label(_) | Operation::Goto(_) | Operation::BranchIf { .. }))
        {
            return Err(Error::test("a barrier under a guard or beside jumps: not all lanes of a warp would come to it"));
        }
        if barrier > 14 {
            return Err(Error::test(format!("barrier {barrier}: the harness needs one of the sixteen; 14 is the last")));
        }
        let cta = self.layout.roles[self.thread.index()].cta;
        let has = |t: &usize| {
            self.test
                .instructions(ThreadId(*t as u8))
                .iter()
                .any(|i| matches!(i.operation, Operation::Barrier { barrier: b, .. } if b == barrier))
        };
        let threads = self.layout.in_cta(cta).filter(has).count() as u32 * self.layout.slots;
        let id = barrier + 1;
        self.line(match mode {
            // The reduction over predicates is not modelled (and `red` without one cannot be written).
            BarrierMode::Sync | BarrierMode::Reduce => format!("bar.sync {id}, {threads};"),
            BarrierMode::Arrive => format!("bar.arrive {id}, {threads};"),
        });
        Ok(())
    }

    fn compare(&mut self, comparison: Comparison, left: &Value, right: &Value) -> Result<String, Error> {
        let wide = self.is_wide(left) || self.is_wide(right);
        let bits = if wide { 64 } else { 32 };
        let (left, right) = (self.operand(left, wide)?, self.value(right, wide)?);
        let predicate = self.temporary('q');
        self.line(format!("setp.{}.s{bits} {predicate}, {left}, {right};", comparison.mnemonic()));
        Ok(predicate)
    }

    /// A value in a register: the first operand of a comparison cannot be a number.
    fn operand(&mut self, value: &Value, wide: bool) -> Result<String, Error> {
        let text = self.value(value, wide)?;
        if !matches!(value, Value::Integer(_)) {
            return Ok(text);
        }
        let (class, bits) = if wide { ('d', 64) } else { ('w', 32) };
        let to = self.temporary(class);
        self.line(format!("mov.b{bits} {to}, {text};"));
        Ok(to)
    }

    fn local(
        &mut self,
        function: LocalFunction,
        destination: &str,
        operands: &[Value],
        guard: &str,
        guarded: bool,
    ) -> Result<(), Error> {
        let wide = self.body.registers.is_wide(destination);
        let bits = if wide { 64 } else { 32 };
        if let (LocalFunction::Compare(comparison), [left, right]) = (function, operands) {
            let predicate = self.compare(comparison, left, right)?;
            let to = self.body.registers.define(destination, guarded);
            self.line(format!("{guard}selp.b{bits} {to}, 1, 0, {predicate};"));
            return Ok(());
        }
        if let (LocalFunction::Select, [yes, no, chosen]) = (function, operands) {
            let predicate = self.compare(Comparison::NotEqual, chosen, &Value::Integer(0))?;
            let (yes, no) = (self.value(yes, wide)?, self.value(no, wide)?);
            let to = self.body.registers.define(destination, guarded);
            self.line(format!("{guard}selp.b{bits} {to}, {yes}, {no}, {predicate};"));
            return Ok(());
        }
        let values = operands.iter().map(|o| self.operand(o, wide)).collect::<Result<Vec<_>, _>>()?;
        let to = self.body.registers.define(destination, guarded);
        // What is 0 whatever the operand is would be computed by the assembler, and the dependency lost. The values of tests are
        // not negative, so that the highest bit is 0 as well, and the assembler does not know it (ASPLOS 2015, section 4.5).
        let constant = match (function, operands) {
            (LocalFunction::Xor | LocalFunction::Subtract, [a, b]) => a == b && matches!(a, Value::Register(_)),
            (LocalFunction::And | LocalFunction::Multiply, [_, Value::Integer(0)] | [Value::Integer(0), _]) => true,
            _ => false,
        };
        if constant {
            let dependent = operands.iter().zip(&values).find(|(o, _)| matches!(o, Value::Register(_))).map(|(_, v)| v);
            if let Some(register) = dependent {
                let mask = if wide { "0x8000000000000000" } else { "0x80000000" };
                self.line(format!("{guard}and.b{bits} {to}, {register}, {mask};"));
                return Ok(());
            }
        }
        let name = match function {
            LocalFunction::Move => format!("mov.b{bits}"),
            LocalFunction::Not => format!("not.b{bits}"),
            LocalFunction::Multiply => format!("mul.lo.s{bits}"),
            LocalFunction::MultiplyAdd => format!("mad.lo.s{bits}"),
            LocalFunction::And | LocalFunction::Or | LocalFunction::Xor | LocalFunction::ShiftLeft => {
                format!("{}.b{bits}", function.name())
            }
            other => format!("{}.s{bits}", other.name()),
        };
        let mut values = values;
        if matches!(function, LocalFunction::ShiftLeft | LocalFunction::ShiftRight) && wide && values.len() == 2 {
            // The distance of a shift is a word.
            let to = self.temporary('w');
            self.line(format!("cvt.u32.u64 {to}, {};", values[1]));
            values[1] = to;
        }
        self.line(format!("{guard}{name} {to}, {};", values.join(", ")));
        Ok(())
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

/// The type of an access: its letter, or else the one given; its width, or else 32.
fn width(access: &Access, letter: &str, widths: &[u8]) -> Result<String, Error> {
    let bits = access.ty.map_or(32, |t| t.bits);
    if !widths.contains(&bits) {
        return Err(Error::test(format!("an access of {bits} bits; kernels here have {widths:?}")));
    }
    Ok(match access.ty {
        Some(ty) if letter == "b" => format!("{}{bits}", if ty.letter == 'f' { 'b' } else { ty.letter }),
        _ => format!("{letter}{bits}"),
    })
}

/// The type of the elements of a vector, which has 128 bits at most (PTX ISA 9.7.9.8).
fn vector(access: &Access, elements: usize) -> Result<String, Error> {
    let ty = width(access, "b", &[8, 16, 32, 64])?;
    let bits = access.ty.map_or(32, |t| usize::from(t.bits)) * elements;
    if bits > 128 {
        return Err(Error::test(format!("a vector of {bits} bits; 128 are the most that every GPU has")));
    }
    Ok(ty)
}

/// The registers that an instruction writes.
fn written(operation: &Operation) -> Vec<&String> {
    match operation {
        Operation::Load { destination, .. } | Operation::Local { destination, .. } => vec![destination],
        Operation::VectorLoad { destinations, .. } => destinations.iter().collect(),
        Operation::Atom(atom) => atom.destination.iter().collect(),
        _ => Vec::new(),
    }
}

/// A number as an operand.
fn immediate(n: i64, wide: bool) -> Result<String, Error> {
    if !wide && i32::try_from(n).is_err() && u32::try_from(n).is_err() {
        return Err(Error::test(format!("{n} does not fit into 32 bits")));
    }
    Ok(n.to_string())
}

/// Adds a place to an error that has none.
impl Error {
    fn or_at(self, place: Place) -> Self {
        if self.place.is_some() { self } else { Self { place: Some(place.0), ..self } }
    }
}
