//! Operands: values, addresses, and what is computed in registers.

use margay_litmus::test::{Access, Address, Base, Comparison, InitialValue, Instruction, LocalFunction, Operation, Space, Value};

use margay_models::execution::Proxy;

use super::Emitter;
use crate::emit::Error;

impl Emitter<'_> {
    /// An operand of a width, converted if it must be.
    pub(super) fn value(&mut self, value: &Value, wide: bool) -> Result<String, Error> {
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

    pub(super) fn is_wide(&self, value: &Value) -> bool {
        match value {
            Value::Register(name) => self.body.registers.is_wide(name),
            Value::AddressOf(_) => true,
            Value::Integer(_) => false,
        }
    }

    /// The same value in another register, of which the assembler does not know that it is the same: it would otherwise compute from a comparison
    /// what was read (after `r0 == 0` it need not look at `r0` any more).
    pub(super) fn opaque(&mut self, register: &str, wide: bool) -> String {
        let (class, bits, zero) = if wide { ('d', 64, "%zero64") } else { ('w', 32, "%zero") };
        let to = self.temporary(class);
        self.line(format!("add.s{bits} {to}, {register}, {zero};"));
        to
    }

    /// An address for the next access of the thread, of which the assembler does not know that it is that of an earlier one: `%zero` is 0 whenever the
    /// kernel runs. It would otherwise make one load of two, or leave a store out that the next one overwrites.
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
    pub(super) fn address(&mut self, address: &Address, access: &Access) -> Result<(&'static str, String), Error> {
        let (space, base) = match &address.base {
            Base::Location(name) => {
                let location = self.generic_location(name)?;
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
        let base = self.own_address(base, self.known_address(&address.base).is_some());
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
    pub(super) fn known_address(&self, base: &Base) -> Option<i64> {
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

    /// The generic address of a location, in a register.
    pub(super) fn generic(&mut self, name: &str) -> Result<String, Error> {
        let location = self.generic_location(name)?;
        if self.spaces[location] == Space::Global {
            return Ok(format!("%x{location}"));
        }
        let register = self.temporary('d');
        self.body.before.push(format!("cvta.shared.u64 {register}, %x{location};"));
        Ok(register)
    }

    /// A location that has a generic address.
    fn generic_location(&mut self, name: &str) -> Result<usize, Error> {
        let location = self.location(name)?;
        match self.proxy_of(location) {
            None | Some(Proxy::Generic) => Ok(location),
            Some(_) => {
                Err(Error::test(format!("`{name}` is a name for a texture, surface or constant; it has no generic address")))
            }
        }
    }

    pub(super) fn location(&mut self, name: &str) -> Result<usize, Error> {
        let location = self.test.location(name).ok_or_else(|| Error::test(format!("there is no location `{name}`")))?;
        if !self.body.locations.contains(&location) {
            self.body.locations.push(location);
        }
        Ok(location)
    }

    pub(super) fn compare(&mut self, comparison: Comparison, left: &Value, right: &Value) -> Result<String, Error> {
        let wide = self.is_wide(left) || self.is_wide(right);
        let bits = if wide { 64 } else { 32 };
        let (value, right) = (self.operand(left, wide)?, self.value(right, wide)?);
        let left = if matches!(left, Value::Register(_)) { self.opaque(&value, wide) } else { value };
        let predicate = self.temporary('q');
        self.line(format!("setp.{}.s{bits} {predicate}, {left}, {right};", comparison.mnemonic()));
        Ok(predicate)
    }

    /// A value in a register: the first operand of a comparison cannot be a number.
    pub(super) fn operand(&mut self, value: &Value, wide: bool) -> Result<String, Error> {
        let text = self.value(value, wide)?;
        if !matches!(value, Value::Integer(_)) {
            return Ok(text);
        }
        let (class, bits) = if wide { ('d', 64) } else { ('w', 32) };
        let to = self.temporary(class);
        self.line(format!("mov.b{bits} {to}, {text};"));
        Ok(to)
    }

    pub(super) fn local(
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

/// The registers that an instruction writes.
pub(super) fn written(operation: &Operation) -> Vec<&String> {
    match operation {
        Operation::Load { destination, .. } | Operation::Local { destination, .. } => vec![destination],
        Operation::VectorLoad { destinations, .. } => destinations.iter().collect(),
        Operation::Atom(atom) => atom.destination.iter().collect(),
        _ => Vec::new(),
    }
}

/// A number as an operand.
pub(super) fn immediate(n: i64, wide: bool) -> Result<String, Error> {
    if !wide && i32::try_from(n).is_err() && u32::try_from(n).is_err() {
        return Err(Error::test(format!("{n} does not fit into 32 bits")));
    }
    Ok(n.to_string())
}
