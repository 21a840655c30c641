//! Accesses: their qualifiers, types and read-modify-writes.

use margay_litmus::test::{Access, AccessOrder, AtomFunction, AtomInstruction, TestOperand, Type};
use margay_models::execution::{Proxy, Scope};

use super::Emitter;
use crate::emit::EmissionError;
use crate::sass::specification::SassAccessKind;

impl Emitter<'_> {
    pub(super) fn scope(&self, scope: Scope) -> Result<(), EmissionError> {
        if scope == Scope::Cluster && !self.target.has_clusters() {
            return Err(EmissionError::target(format!(
                "the scope .cluster needs sm_90 or later, not {}",
                self.target
            )));
        }
        Ok(())
    }

    pub(super) fn qualifiers(&self, access: &Access, store: bool) -> Result<String, EmissionError> {
        if access.proxy != Proxy::Generic {
            return Err(EmissionError::test(
                "a vector or an atom through a texture, surface or constant; kernels here have loads and stores of one value",
            ));
        }
        let scope = access
            .scope
            .map(|s| self.scope(s).map(|()| format!(".{}", scope_name(s))))
            .transpose()?
            .unwrap_or_default();
        let cache = access.cache.map(|c| format!(".{}", c.name())).unwrap_or_default();
        Ok(match access.order {
            None => cache,
            Some(AccessOrder::Weak) => format!(".weak{cache}"),
            Some(AccessOrder::Volatile) => ".volatile".to_owned(),
            Some(AccessOrder::Mmio) if access.scope != Some(Scope::Sys) => {
                return Err(EmissionError::test(
                    "mmio accesses are of scope .sys alone (PTX ISA 9.7.9.8)",
                ));
            }
            Some(order @ (AccessOrder::Acquire | AccessOrder::AcqRel)) if store => {
                return Err(EmissionError::test(format!("a store cannot be .{}", order.name())));
            }
            Some(order @ (AccessOrder::Release | AccessOrder::AcqRel)) if !store => {
                return Err(EmissionError::test(format!("a load cannot be .{}", order.name())));
            }
            Some(order) if scope.is_empty() => {
                return Err(EmissionError::test(format!(
                    "a .{} access needs a scope",
                    order.name()
                )));
            }
            Some(order) => format!(".{}{scope}{cache}", order.name()),
        })
    }

    pub(super) fn atom(
        &mut self,
        atom: &AtomInstruction,
        guard: &str,
        guarded: bool,
    ) -> Result<(), EmissionError> {
        let AtomInstruction { access, function, destination, address, operand, replacement } = atom;
        if access.proxy != Proxy::Generic {
            return Err(EmissionError::test(
                "an atom through a surface; kernels here have loads and stores of one value through one",
            ));
        }
        let scope = access
            .scope
            .map(|s| self.scope(s).map(|()| format!(".{}", scope_name(s))))
            .transpose()?
            .unwrap_or_default();
        let order = access.order.map(|o| format!(".{}", o.name())).unwrap_or_default();
        if !matches!(
            access.order,
            None | Some(
                AccessOrder::Relaxed
                    | AccessOrder::Acquire
                    | AccessOrder::Release
                    | AccessOrder::AcqRel
            )
        ) {
            return Err(EmissionError::test(format!("an atom cannot be {order}")));
        }
        let letter = match function {
            AtomFunction::Exchange
            | AtomFunction::CompareAndSwap
            | AtomFunction::And
            | AtomFunction::Or
            | AtomFunction::Xor => "b",
            AtomFunction::Add
            | AtomFunction::Subtract
            | AtomFunction::Increment
            | AtomFunction::Decrement => "u",
            AtomFunction::Min | AtomFunction::Max
                if access.ty.and_then(Type::integer).is_some_and(|i| !i.signed) =>
            {
                "u"
            }
            AtomFunction::Min | AtomFunction::Max => "s",
            AtomFunction::Multiply | AtomFunction::Divide => {
                let message = format!(
                    "PTX has no atom.{}: a kernel would need a loop with .cas",
                    function.name()
                );
                return Err(EmissionError::test(message));
            }
        };
        let ty = width(access, letter, &[32, 64])?;
        let wide = ty.ends_with("64");
        let (space, at) = self.address(address, access)?;
        let operand = self.value(&narrowed(operand, access), wide)?;
        // What is subtracted is added with the other sign.
        let (function, operand) = match function {
            AtomFunction::Subtract => {
                let negated = self.temporary(if wide { 'd' } else { 'w' });
                self.line(format!("neg.s{} {negated}, {operand};", if wide { 64 } else { 32 }));
                (&AtomFunction::Add, negated)
            }
            other => (other, operand),
        };
        let replacement =
            replacement.as_ref().map(|r| self.value(&narrowed(r, access), wide)).transpose()?;
        let cas = replacement.map(|r| format!(", {r}")).unwrap_or_default();
        let name = function.name();
        let no_reduction =
            matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
        match destination {
            None if !no_reduction => {
                self.body.specification.push((SassAccessKind::Reduction, None));
                self.line(format!("{guard}red{order}{scope}{space}.{name}.{ty} {at}, {operand};"));
            }
            None => {
                let to = self.temporary(if wide { 'd' } else { 'w' });
                self.line(format!(
                    "{guard}atom{order}{scope}{space}.{name}.{ty} {to}, {at}, {operand}{cas};"
                ));
                self.body.specification.push((SassAccessKind::Atom, Some((to.clone(), wide))));
                self.body.loaded.push((to, wide));
            }
            Some(d) if self.body.registers.is_wide(d) != wide => {
                return Err(EmissionError::test(format!(
                    "`{d}` holds an address, the atom is of 32 bits; write .b64"
                )));
            }
            Some(d) => {
                let to = self.body.registers.define(d, guarded);
                self.line(format!(
                    "{guard}atom{order}{scope}{space}.{name}.{ty} {to}, {at}, {operand}{cas};"
                ));
                self.body.specification.push((SassAccessKind::Atom, Some((to.clone(), wide))));
                self.body.loaded.push((to, wide));
            }
        }
        Ok(())
    }
}

pub(super) fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Warp | Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

/// The type of an access: its letter, or else the one given; its width, or else 32.
pub(super) fn width(access: &Access, letter: &str, widths: &[u8]) -> Result<String, EmissionError> {
    let bits = access.ty.map_or(32, |t| t.bits);
    if access.ty.is_some_and(|t| t.packed) {
        return Err(EmissionError::test(
            "an access of a packed type; PTX loads and stores those as `.b32`, and kernels here as two elements",
        ));
    }
    if !widths.contains(&bits) {
        return Err(EmissionError::test(format!(
            "an access of {bits} bits; kernels here have {widths:?}"
        )));
    }
    Ok(match access.ty {
        Some(ty) if letter == "b" => {
            format!("{}{bits}", if ty.kind.is_float() { "b" } else { ty.kind.prefix() })
        }
        _ => format!("{letter}{bits}"),
    })
}

/// A number as it is in an access of a type.
pub(super) fn narrowed(value: &TestOperand, access: &Access) -> TestOperand {
    match (value, access.ty.and_then(Type::integer)) {
        (TestOperand::Integer(n), Some(integer)) => TestOperand::Integer(integer.wrap(*n)),
        _ => value.clone(),
    }
}

/// The type of the elements of a vector, which has 128 bits at most (PTX ISA 9.7.9.8).
pub(super) fn vector(access: &Access, elements: usize) -> Result<String, EmissionError> {
    let ty = width(access, "b", &[8, 16, 32, 64])?;
    let bits = access.ty.map_or(32, |t| usize::from(t.bits)) * elements;
    if bits > 128 {
        return Err(EmissionError::test(format!(
            "a vector of {bits} bits; 128 are the most that every GPU has"
        )));
    }
    Ok(ty)
}
