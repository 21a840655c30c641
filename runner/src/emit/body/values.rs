//! Operands: values, addresses, and what is computed in registers.

use margay_litmus::test::{
    Access, Address, AtomFunction, Base, InitialValue, LocalFunction, NumberComparison, Operation,
    Space, Test, TestInstruction, TestOperand, ThreadId, Type, TypeKind,
};

use margay_models::execution::Proxy;

use super::Emitter;
use crate::emit::EmissionError;

impl Emitter<'_> {
    /// An operand of a width, converted if it must be.
    pub(super) fn value(
        &mut self,
        value: &TestOperand,
        wide: bool,
    ) -> Result<String, EmissionError> {
        Ok(match value {
            TestOperand::Integer(n) => immediate(*n, wide)?,
            TestOperand::AddressOf(name) => self.generic(name)?,
            TestOperand::Register(name) => {
                let register = self.body.registers.current(name);
                match (self.body.registers.is_wide(name), wide) {
                    (false, true) => {
                        let to = self.temporary('d');
                        let letter = if self.is_unsigned(name) { 'u' } else { 's' };
                        self.line(format!("cvt.{letter}64.{letter}32 {to}, {register};"));
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

    /// Does a register hold numbers without a sign, by the type of what is put into it?
    fn is_unsigned(&self, name: &str) -> bool {
        self.test.register_integer(self.thread, name).is_some_and(|i| !i.signed)
    }

    pub(super) fn is_wide(&self, value: &TestOperand) -> bool {
        match value {
            TestOperand::Register(name) => self.body.registers.is_wide(name),
            TestOperand::AddressOf(_) => true,
            TestOperand::Integer(_) => false,
        }
    }

    /// The same value in another register, of which the assembler does not know that it is the
    /// same: it would otherwise compute from a comparison what was read (after `r0 == 0` it need
    /// not look at `r0` any more).
    pub(super) fn opaque(&mut self, register: &str, wide: bool) -> String {
        let (class, bits, zero) = if wide { ('d', 64, "%zero64") } else { ('w', 32, "%zero") };
        let to = self.temporary(class);
        self.line(format!("add.s{bits} {to}, {register}, {zero};"));
        to
    }

    /// An address for the next access of the thread, of which the assembler does not know that it
    /// is that of an earlier one: `%zero` is 0 whenever the kernel runs. It would otherwise make
    /// one load of two, or leave a store out that the next one overwrites.
    fn own_address(&mut self, base: String, known: bool) -> String {
        let earlier = self.accesses;
        self.accesses += 1;
        if earlier == 0 {
            return base;
        }
        let to = self.temporary('d');
        let line = format!("mad.wide.u32 {to}, %zero, {earlier}, {base};");
        // What is known before the first access is computed before it.
        if known {
            self.body.before.push(line)
        } else {
            self.line(line)
        }
        to
    }

    /// The state space and the operand of an address.
    pub(super) fn address(
        &mut self,
        address: &Address,
        access: &Access,
    ) -> Result<(&'static str, String), EmissionError> {
        let (space, base) = match &address.base {
            Base::Location(name) => {
                let location = self.generic_location(name)?;
                let space = self.spaces[location];
                let remote =
                    self.shared.is_remote(location, self.layout.roles[self.thread.index()].cta);
                let space = match space {
                    Space::Shared if remote => ".shared::cluster",
                    Space::Shared => ".shared",
                    _ => ".global",
                };
                (space, format!("%x{location}"))
            }
            Base::Register(name) => {
                let register = self.body.registers.current(name);
                // A register holds a generic address, and that of global memory is the same.
                let space = if access.space == Some(Space::Global) { ".global" } else { "" };
                (space, register)
            }
        };
        let base = self.own_address(base, self.known_address(&address.base).is_some());
        let Some(offset) = &address.offset else { return Ok((space, format!("[{base}]"))) };
        if let TestOperand::Integer(0) = offset {
            return Ok((space, format!("[{base}]")));
        }
        if let TestOperand::Integer(n) = offset {
            return match self
                .known_address(&address.base)
                .and_then(|a| self.code.location_at(a + n))
            {
                Some(_) => Ok((space, format!("[{base}+{n}]"))),
                None => Err(EmissionError::test(format!(
                    "the offset {n} leads to memory that is no location"
                ))),
            };
        }
        let offset = self.value(offset, true)?;
        let sum = self.temporary('d');
        self.line(format!("add.s64 {sum}, {base}, {offset};"));
        Ok((space, format!("[{sum}]")))
    }

    /// The number that stands for an address, where the text says which it is: that of a location,
    /// or of a register that holds one from the start to the end.
    pub(super) fn known_address(&self, base: &Base) -> Option<i64> {
        let name = match base {
            Base::Location(name) => name,
            Base::Register(register) => {
                let written = |i: &TestInstruction| i.operation.writes(register);
                if self.test.instructions(self.thread).iter().any(written) {
                    return None;
                }
                let declared = self
                    .test
                    .registers
                    .iter()
                    .find(|r| r.thread == self.thread && r.name == *register)?;
                let Some(InitialValue::AddressOf(name)) = &declared.value else { return None };
                name
            }
        };
        Some(self.code.address(self.test.location(name)?))
    }

    /// The generic address of a location, in a register.
    pub(super) fn generic(&mut self, name: &str) -> Result<String, EmissionError> {
        let location = self.generic_location(name)?;
        if self.spaces[location] == Space::Global {
            return Ok(format!("%x{location}"));
        }
        let register = self.temporary('d');
        let remote = self.shared.is_remote(location, self.layout.roles[self.thread.index()].cta);
        let space = if remote { "shared::cluster" } else { "shared" };
        self.body.before.push(format!("cvta.{space}.u64 {register}, %x{location};"));
        Ok(register)
    }

    /// A location that has a generic address.
    pub(super) fn generic_location(&mut self, name: &str) -> Result<usize, EmissionError> {
        let location = self.location(name)?;
        match self.proxy_of(location) {
            None | Some(Proxy::Generic) => Ok(location),
            Some(_) => Err(EmissionError::test(format!(
                "`{name}` is a name for a texture, surface or constant; it has no generic address"
            ))),
        }
    }

    pub(super) fn location(&mut self, name: &str) -> Result<usize, EmissionError> {
        let location = self
            .test
            .location(name)
            .ok_or_else(|| EmissionError::test(format!("there is no location `{name}`")))?;
        if !self.body.locations.contains(&location) {
            self.body.locations.push(location);
        }
        Ok(location)
    }

    pub(super) fn compare(
        &mut self,
        comparison: NumberComparison,
        ty: Option<Type>,
        left: &TestOperand,
        right: &TestOperand,
    ) -> Result<String, EmissionError> {
        let wide = ty.map_or(self.is_wide(left) || self.is_wide(right), |ty| ty.bits == 64);
        let bits = if wide { 64 } else { 32 };
        let (value, right) = (self.operand(left, wide)?, self.value(right, wide)?);
        let left = if matches!(left, TestOperand::Register(_)) {
            self.opaque(&value, wide)
        } else {
            value
        };
        let predicate = self.temporary('q');
        let letter = if is_unsigned(ty) { 'u' } else { 's' };
        self.line(format!(
            "setp.{}.{letter}{bits} {predicate}, {left}, {right};",
            comparison.mnemonic()
        ));
        Ok(predicate)
    }

    /// A value in a register: the first operand of a comparison cannot be a number.
    pub(super) fn operand(
        &mut self,
        value: &TestOperand,
        wide: bool,
    ) -> Result<String, EmissionError> {
        let text = self.value(value, wide)?;
        if !matches!(value, TestOperand::Integer(_)) {
            return Ok(text);
        }
        let (class, bits) = if wide { ('d', 64) } else { ('w', 32) };
        let to = self.temporary(class);
        self.line(format!("mov.b{bits} {to}, {text};"));
        Ok(to)
    }

    pub(super) fn local(
        &mut self,
        (function, ty): (LocalFunction, Option<Type>),
        destination: &str,
        operands: &[TestOperand],
        guard: &str,
        guarded: bool,
    ) -> Result<(), EmissionError> {
        let wide = self.body.registers.is_wide(destination);
        let moves = matches!(
            function,
            LocalFunction::Move | LocalFunction::Select | LocalFunction::Convert(_)
        );
        if let Some(ty) = ty.filter(|ty| !moves && ty.bits > 0 && ty.bits < 32) {
            let message = format!(
                "`{}` with .{ty}; kernels here compute with 32 and 64 bits",
                function.name()
            );
            return Err(EmissionError::test(message));
        }
        if let (LocalFunction::Compare(comparison), [left, right]) = (function, operands) {
            let predicate = self.compare(comparison, ty, left, right)?;
            let to = self.body.registers.define(destination, guarded);
            let bits = if wide { 64 } else { 32 };
            self.line(format!("{guard}selp.b{bits} {to}, 1, 0, {predicate};"));
            return Ok(());
        }
        let is_wide_product =
            matches!(function, LocalFunction::MultiplyWide | LocalFunction::MultiplyAddWide);
        // The width that is computed with: that of the type, or else that of the register.
        let double = if is_wide_product {
            false
        } else {
            ty.filter(|ty| ty.bits > 0).map_or(wide, |ty| ty.bits == 64)
        };
        let result = double || is_wide_product;
        let to = if result == wide {
            None
        } else {
            Some(self.temporary(if result { 'd' } else { 'w' }))
        };
        self.computed(
            (function, ty),
            (destination, to.clone()),
            operands,
            double,
            (guard, guarded),
        )?;
        if let Some(from) = to {
            let to = self.body.registers.define(destination, guarded);
            let letter = if is_unsigned(ty) { 'u' } else { 's' };
            self.line(match result {
                false => format!("{guard}cvt.{letter}64.{letter}32 {to}, {from};"),
                true => format!("{guard}cvt.u32.u64 {to}, {from};"),
            });
        }
        Ok(())
    }

    /// Computes in a width; the result is in a register of that width, or in the destination.
    fn computed(
        &mut self,
        (function, ty): (LocalFunction, Option<Type>),
        (destination, to): (&str, Option<String>),
        operands: &[TestOperand],
        wide: bool,
        (guard, guarded): (&str, bool),
    ) -> Result<(), EmissionError> {
        let bits = if wide { 64 } else { 32 };
        let letter = if is_unsigned(ty) { 'u' } else { 's' };
        if let (LocalFunction::Select, [yes, no, chosen]) = (function, operands) {
            let predicate =
                self.compare(NumberComparison::NotEqual, None, chosen, &TestOperand::Integer(0))?;
            let (yes, no) = (self.value(yes, wide)?, self.value(no, wide)?);
            let to = to.unwrap_or_else(|| self.body.registers.define(destination, guarded));
            self.line(format!("{guard}selp.b{bits} {to}, {yes}, {no}, {predicate};"));
            return Ok(());
        }
        let operand_is_wide = match function {
            LocalFunction::Convert(from) => from.bits == 64,
            _ => wide,
        };
        let mut values = operands
            .iter()
            .map(|o| self.operand(o, operand_is_wide))
            .collect::<Result<Vec<_>, _>>()?;
        let to = to.unwrap_or_else(|| self.body.registers.define(destination, guarded));
        // What is 0 whatever the operand is would be computed by the assembler, and the dependency
        // lost. Where no value of the test is negative, the highest bit is 0 as well, and the
        // assembler does not know it (ASPLOS 2015, section 4.5).
        let constant = match (function, operands) {
            (LocalFunction::Xor | LocalFunction::Subtract, [a, b]) => {
                a == b && matches!(a, TestOperand::Register(_))
            }
            (
                LocalFunction::And | LocalFunction::Multiply,
                [_, TestOperand::Integer(0)] | [TestOperand::Integer(0), _],
            ) => true,
            _ => false,
        };
        if constant {
            let dependent = operands
                .iter()
                .zip(&values)
                .find(|(o, _)| matches!(o, TestOperand::Register(_)))
                .map(|(_, v)| v);
            if let Some(register) = dependent {
                let (mask, small) =
                    if wide { ("0x8000000000000000", "%memory") } else { ("0x80000000", "%first") };
                if !may_be_negative(self.test) {
                    self.line(format!("{guard}and.b{bits} {to}, {register}, {mask};"));
                    return Ok(());
                }
                // The highest bit of a parameter is 0 too: an address of the device, a place in
                // memory for stress.
                let highest = self.temporary(if wide { 'd' } else { 'w' });
                self.line(format!("and.b{bits} {highest}, {register}, {mask};"));
                self.line(format!("{guard}and.b{bits} {to}, {highest}, {small};"));
                return Ok(());
            }
        }
        let name = match function {
            LocalFunction::Move => format!("mov.b{bits}"),
            LocalFunction::Convert(from) => match ty {
                Some(ty) if ty != from => {
                    format!("cvt.{}.{}", integer_name(ty), integer_name(from))
                }
                _ => format!("mov.b{bits}"),
            },
            LocalFunction::Not => format!("not.b{bits}"),
            LocalFunction::Multiply => format!("mul.lo.{letter}{bits}"),
            LocalFunction::MultiplyAdd => format!("mad.lo.{letter}{bits}"),
            LocalFunction::MultiplyWide => format!("mul.wide.{letter}32"),
            LocalFunction::MultiplyAddWide => format!("mad.wide.{letter}32"),
            LocalFunction::And
            | LocalFunction::Or
            | LocalFunction::Xor
            | LocalFunction::ShiftLeft => {
                format!("{}.b{bits}", function.name())
            }
            LocalFunction::Negate => format!("neg.s{bits}"),
            other => format!("{}.{letter}{bits}", other.name()),
        };
        if matches!(function, LocalFunction::ShiftLeft | LocalFunction::ShiftRight)
            && wide
            && values.len() == 2
        {
            // The distance of a shift is a word.
            let to = self.temporary('w');
            self.line(format!("cvt.u32.u64 {to}, {};", values[1]));
            values[1] = to;
        }
        if function == LocalFunction::MultiplyAddWide && values.len() == 3 {
            // What is added is as wide as the product.
            values[2] = self.value(&operands[2], true)?;
        }
        self.line(format!("{guard}{name} {to}, {};", values.join(", ")));
        Ok(())
    }
}

/// Is it a type of numbers without a sign?
fn is_unsigned(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| matches!(ty.kind, TypeKind::Unsigned | TypeKind::Bits))
}

/// Can a register of the test hold a number whose highest bit is 1? `false` is certain.
fn may_be_negative(test: &Test) -> bool {
    // Sums of such numbers keep far from the highest bit; a signed access of few bits has its own.
    let large = |n: &i64| !(0..1 << 15).contains(n);
    let mut declared =
        test.locations.iter().map(|l| &l.value).chain(test.registers.iter().map(|r| &r.value));
    if declared.any(|v| matches!(v, Some(InitialValue::Integer(n)) if large(n))) {
        return true;
    }
    let value = |v: &TestOperand| matches!(v, TestOperand::Integer(n) if large(n));
    (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16))).any(|i| {
        i.operation.memory().is_some_and(|(access, _)| {
            access.ty.is_some_and(|t| t.kind == TypeKind::Signed && t.bits < 32)
        }) || match &i.operation {
            Operation::Store { value: v, .. } => value(v),
            Operation::VectorStore { values, .. } => values.iter().any(value),
            Operation::Atom(atom) => {
                matches!(atom.function, AtomFunction::Subtract | AtomFunction::Decrement)
                    || value(&atom.operand)
                    || atom.replacement.as_ref().is_some_and(value)
            }
            Operation::Local { function, operands, .. } => match (function, operands.as_slice()) {
                (LocalFunction::Subtract, [a, b]) => a != b,
                (
                    LocalFunction::Move
                    | LocalFunction::Add
                    | LocalFunction::And
                    | LocalFunction::Or
                    | LocalFunction::Xor
                    | LocalFunction::Select
                    | LocalFunction::Compare(_),
                    _,
                ) => operands.iter().any(value),
                _ => true,
            },
            _ => false,
        }
    })
}

/// The name of a type for a conversion: bits are numbers without a sign.
fn integer_name(ty: Type) -> String {
    format!("{}{}", if is_unsigned(Some(ty)) { 'u' } else { 's' }, ty.bits)
}

/// A number as an operand.
pub(super) fn immediate(n: i64, wide: bool) -> Result<String, EmissionError> {
    if !wide && i32::try_from(n).is_err() && u32::try_from(n).is_err() {
        return Err(EmissionError::test(format!("{n} does not fit into 32 bits")));
    }
    Ok(n.to_string())
}
