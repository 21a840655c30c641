//! Accesses through a surface, a texture, and of constants: `suld`, `sust` (PTX ISA 9.7.11), `tex`
//! (9.7.10), `ld.const`.

use margay_litmus::test::{Access, AccessOrder, Address, Base, ProxyFenceKind, TestOperand};
use margay_models::execution::Proxy;

use super::Emitter;
use crate::emit::EmissionError;
use crate::sass::specification::SassAccessKind;

/// The models have fences for each proxy (Lustig, Cooksey and Giroux, ISCA 2022); the instruction
/// set has fewer.
pub(super) fn no_fence(kind: ProxyFenceKind) -> EmissionError {
    let name = kind.name();
    EmissionError::test(format!(
        "PTX has no fence.proxy.{name}, which is of the models (of their proxy fences PTX has .alias alone), so no kernel is this test"
    ))
}

impl Emitter<'_> {
    /// What a location is accessed through, if it is another name.
    pub(super) fn proxy_of(&self, location: usize) -> Option<Proxy> {
        self.test.locations[location].alias.as_ref().map(|alias| alias.proxy)
    }

    /// `(guard, guarded)`: the predicate as text, and whether there is one.
    pub(super) fn proxy_load(
        &mut self,
        access: &Access,
        destination: &str,
        address: &Address,
        (guard, guarded): (&str, bool),
    ) -> Result<(), EmissionError> {
        plain(access)?;
        let place = self.place(access, address)?;
        if self.body.registers.is_wide(destination) {
            return Err(EmissionError::test(format!(
                "`{destination}` holds an address; loads of textures, surfaces and constants have 32 bits"
            )));
        }
        let unused = if access.proxy == Proxy::Texture {
            (0..3).map(|_| self.temporary('w')).collect()
        } else {
            Vec::new()
        };
        let to = self.body.registers.define(destination, guarded);
        let brought = (to.clone(), false);
        self.body.specification.push((SassAccessKind::Load, Some(brought.clone())));
        self.body.loaded.push(brought);
        self.line(match access.proxy {
            Proxy::Surface => format!("{guard}suld.b.1d.b32.trap {to}, [%surface, {{{place}}}];"),
            // A texel has four parts, of which the last three are not there.
            Proxy::Texture => format!(
                "{guard}tex.1d.v4.s32.s32 {{{to}, {}}}, [%texture, {{{place}}}];",
                unused.join(", ")
            ),
            _ => format!("{guard}ld.const.b32 {to}, [{place}];"),
        });
        Ok(())
    }

    pub(super) fn proxy_store(
        &mut self,
        access: &Access,
        address: &Address,
        value: &TestOperand,
        guard: &str,
    ) -> Result<(), EmissionError> {
        plain(access)?;
        if access.proxy != Proxy::Surface {
            return Err(EmissionError::test("textures and constants cannot be written"));
        }
        let place = self.place(access, address)?;
        let value = self.operand(value, false)?;
        self.body.specification.push((SassAccessKind::Store, None));
        self.line(format!("{guard}sust.b.1d.b32.trap [%surface, {{{place}}}], {value};"));
        Ok(())
    }

    /// The register that says where: a coordinate, or an address of constant memory.
    fn place(&mut self, access: &Access, address: &Address) -> Result<String, EmissionError> {
        let Base::Location(name) = &address.base else {
            return Err(EmissionError::test(
                "a register holds a generic address; a texture, surface or constant is accessed by its name",
            ));
        };
        let location = self.location(name)?;
        if self.proxy_of(location) != Some(access.proxy) {
            return Err(EmissionError::test(format!(
                "`{name}` is no name for what the access goes through"
            )));
        }
        let constant = access.proxy == Proxy::Constant;
        let base = if constant { format!("%x{location}") } else { format!("%c{location}") };
        match &address.offset {
            None | Some(TestOperand::Integer(0)) => Ok(base),
            Some(TestOperand::Integer(n)) => Err(EmissionError::test(format!(
                "the offset {n} in a texture, surface or constant; name the element"
            ))),
            Some(offset) => {
                // A register brings bytes; a texture counts in texels.
                let mut by = self.value(offset, constant)?;
                if access.proxy == Proxy::Texture {
                    let texels = self.temporary('w');
                    self.line(format!("shr.s32 {texels}, {by}, 2;"));
                    by = texels;
                }
                let sum = self.temporary(if constant { 'd' } else { 'w' });
                self.line(format!("add.s{} {sum}, {base}, {by};", if constant { 64 } else { 32 }));
                Ok(sum)
            }
        }
    }
}

/// Neither order nor scope nor another width than 32 bits.
fn plain(access: &Access) -> Result<(), EmissionError> {
    if !matches!(access.order, None | Some(AccessOrder::Weak))
        || access.scope.is_some()
        || access.cache.is_some()
    {
        return Err(EmissionError::test(
            "accesses of textures, surfaces and constants are weak, without scope and cache operator",
        ));
    }
    match access.ty {
        Some(ty) if ty.bits != 32 => Err(EmissionError::test(format!(
            "an access of {} bits through a texture, surface or constant; kernels here have 32",
            ty.bits
        ))),
        _ => Ok(()),
    }
}
